// The entries of `residents:`: engines by profile or in place, trainers, generate loops and fixed memory.
#include <string.h>

#include <kvbudget/units.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "text/file.h"
#include "catalogue/profile.h"
#include "deployment/residents.h"
#include "text/strict.h"
#include "text/tree_text.h"

struct reading {
    const struct kvb_tree *tree;
    const struct kvb_node *node;
    bool keep; // files that it names are read, too
    struct kvb_resident_entry *entry;
    struct kvb_problems *problems;
};

static const char *const kind_words[] = {"engine", "trainer", "fixed", "transformers"};
static const char *const common_keys[] = {"kind", "name", "starts"};
static const char *const engine_keys[] = {"deployment"};
static const char *const fixed_keys[] = {"bytes"};
static const char *const trainer_keys[] = {"model", "version", "config"};
static const char *const transformers_keys[] = {"model", "sequences", "prompt_tokens", "answer_tokens",
                                                "cache", "attention", "logits"};
static const struct {
    const char *const *keys;
    size_t count;
} own_keys[] = {
    [KVB_RESIDENT_ENGINE] = {engine_keys, 1},
    [KVB_RESIDENT_TRAINER] = {trainer_keys, 3},
    [KVB_RESIDENT_FIXED] = {fixed_keys, 1},
    [KVB_RESIDENT_TRANSFORMERS] = {transformers_keys, 7},
};

static bool is_among(const char *const *keys, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_known(enum kvb_resident_kind kind, const char *key)
{
    bool common = is_among(common_keys, sizeof common_keys / sizeof common_keys[0], key);
    bool own = is_among(own_keys[kind].keys, own_keys[kind].count, key);
    return common || own || (kind == KVB_RESIDENT_TRAINER && kvb_trainer_row(key) != NULL);
}

static const char *nearest_key(enum kvb_resident_kind kind, const char *key)
{
    struct kvb_nearest nearest;
    size_t count = 0;
    const struct kvb_trainer_row *rows = kvb_trainer_rows(&count);
    kvb_nearest_init(&nearest, key);
    for (size_t i = 0; i < sizeof common_keys / sizeof common_keys[0]; i++) {
        kvb_nearest_offer(&nearest, common_keys[i]);
    }
    for (size_t i = 0; i < own_keys[kind].count; i++) {
        kvb_nearest_offer(&nearest, own_keys[kind].keys[i]);
    }
    for (size_t i = 0; i < count && kind == KVB_RESIDENT_TRAINER; i++) {
        kvb_nearest_offer(&nearest, rows[i].key);
    }
    return nearest.best;
}

static enum kvb_status check_keys(const struct reading *reading)
{
    enum kvb_resident_kind kind = reading->entry->kind;
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *child = reading->node->first; child; child = child->next) {
        if (!is_known(kind, child->key)) {
            enum kvb_status one = kvb_unknown_key(reading->tree, child, "a resident of this kind",
                                                  nearest_key(kind, child->key), reading->problems);
            status = status == KVB_OK ? one : status;
        }
    }
    return status;
}

static enum kvb_status read_kind(struct reading *reading)
{
    const struct kvb_node *node = kvb_node_get(reading->node, "kind");
    if (node == NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_MISSING_KEY,
                               kvb_node_place(reading->tree, reading->node),
                               "a resident needs the key 'kind': engine, trainer, fixed or transformers");
    }
    for (unsigned i = 0; i < KVB_RESIDENT_KIND_COUNT && node->kind == KVB_NODE_SCALAR; i++) {
        if (strcmp(node->text, kind_words[i]) == 0) {
            reading->entry->kind = (enum kvb_resident_kind)i;
            return KVB_OK;
        }
    }
    return kvb_expected(reading->tree, node, KVB_UNKNOWN_KIND, "engine, trainer, fixed or transformers",
                        reading->problems);
}

// A scalar under `key`, or "" when it is left out.
static enum kvb_status read_text(const struct reading *reading, const char *key, char *out, size_t capacity)
{
    const struct kvb_node *node = kvb_node_get(reading->node, key);
    out[0] = '\0';
    if (node == NULL) {
        return KVB_OK;
    }
    if (node->kind != KVB_NODE_SCALAR || kvb_node_is_null(node) || !kvb_copy(out, capacity, node->text)) {
        return kvb_expected(reading->tree, node, KVB_BAD_TYPE, "one short text", reading->problems);
    }
    return KVB_OK;
}

static enum kvb_status read_word(const struct reading *reading, const char *key, const char *const *words,
                                 const char *expected, uint32_t *number)
{
    const struct kvb_node *node = kvb_node_get(reading->node, key);
    for (uint32_t i = 0; node != NULL && node->kind == KVB_NODE_SCALAR && words[i] != NULL; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            *number = i;
            return KVB_OK;
        }
    }
    return node == NULL ? KVB_OK : kvb_expected(reading->tree, node, KVB_BAD_TYPE, expected, reading->problems);
}

static enum kvb_status read_common(struct reading *reading)
{
    static const char *const orders[] = {"before", "after", NULL};
    struct kvb_resident_entry *entry = reading->entry;
    uint32_t order = entry->kind == KVB_RESIDENT_ENGINE ? 1 : 0;
    enum kvb_status status = read_text(reading, "name", entry->name, sizeof entry->name);
    if (status == KVB_OK && entry->name[0] == '\0') {
        (void)kvb_copy(entry->name, sizeof entry->name, kind_words[entry->kind]);
    }
    enum kvb_status ordered = read_word(reading, "starts", orders, "before or after", &order);
    entry->after = order == 1;
    return status == KVB_OK ? ordered : status;
}

static enum kvb_status missing(const struct reading *reading, const char *key)
{
    return kvb_problem_add(reading->problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(reading->tree, reading->node),
                           "a resident of kind %s needs the key '%s'", kind_words[reading->entry->kind], key);
}

static enum kvb_status read_fixed(const struct reading *reading)
{
    const struct kvb_node *node = kvb_node_get(reading->node, "bytes");
    return node == NULL ? missing(reading, "bytes")
                        : kvb_node_bytes(reading->tree, node, false, &reading->entry->bytes, reading->problems);
}

static enum kvb_status read_inline(const struct reading *reading, const struct kvb_node *node)
{
    struct kvb_buffer text;
    if (kvb_node_get(node, "residents") != NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_NOT_ALLOWED,
                               kvb_node_place(reading->tree, kvb_node_get(node, "residents")),
                               "a resident has no residents of its own; list them all in one place");
    }
    kvb_buffer_init(&text);
    kvb_node_write_at_place(&text, node, "kind: deployment, schema: 1, ");
    enum kvb_status status = text.failed
                                 ? kvb_problem_add(reading->problems, KVB_ERROR, KVB_NO_MEMORY,
                                                   kvb_node_place(reading->tree, node), "not enough memory to read it")
                                 : kvb_deployment_read(reading->tree->file, text.data, text.length,
                                                       &reading->entry->deployment, reading->problems);
    kvb_buffer_free(&text);
    return status;
}

static enum kvb_status read_engine(const struct reading *reading)
{
    const struct kvb_node *node = kvb_node_get(reading->node, "deployment");
    kvb_deployment_init(&reading->entry->deployment);
    if (node == NULL) {
        return missing(reading, "deployment");
    }
    if (node->kind == KVB_NODE_MAPPING) {
        return read_inline(reading, node);
    }
    if (node->kind != KVB_NODE_SCALAR || kvb_node_is_null(node)) {
        return kvb_expected(reading->tree, node, KVB_BAD_TYPE, "a path or a mapping", reading->problems);
    }
    return reading->keep ? kvb_deployment_load(node->text, &reading->entry->deployment, reading->problems) : KVB_OK;
}

static enum kvb_status read_own_model(const struct reading *reading)
{
    struct kvb_deployment *deployment = &reading->entry->deployment;
    kvb_deployment_init(deployment);
    enum kvb_status status = read_text(reading, "model", deployment->model, sizeof deployment->model);
    reading->entry->has_model = deployment->model[0] != '\0';
    return status;
}

static enum kvb_status apply_config_file(const struct reading *reading, const char *path, uint32_t release)
{
    struct kvb_file file;
    struct kvb_tree tree;
    struct kvb_resident_entry *entry = reading->entry;
    enum kvb_status status = kvb_file_read(&file, path, KVB_PROFILE_MAX_BYTES, reading->problems);
    if (status != KVB_OK) {
        return status;
    }
    status = kvb_tree_read(&tree, path, file.text, file.length, reading->problems);
    if (status == KVB_OK) {
        status = kvb_framework_apply(entry->trainer.framework, release, &tree, tree.root, entry, reading->problems);
    }
    kvb_tree_free(&tree);
    kvb_file_free(&file);
    return status;
}

static enum kvb_status apply_framework(const struct reading *reading)
{
    struct kvb_resident_entry *entry = reading->entry;
    const struct kvb_node *config = kvb_node_get(reading->node, "config");
    const struct kvb_node *version = kvb_node_get(reading->node, "version");
    uint32_t release = UINT32_MAX; // the newest
    if (version != NULL && (version->kind != KVB_NODE_SCALAR || !kvb_release_parse(version->text, &release))) {
        return kvb_expected(reading->tree, version, KVB_BAD_TYPE, "a release such as 0.7.0", reading->problems);
    }
    if (config != NULL && entry->trainer.framework == KVB_FRAMEWORK_NONE) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_CONTRADICTION, kvb_node_place(reading->tree, config),
                               "config: whose keys these are is not said; add framework: verl, trl or openrlhf");
    }
    if (config != NULL && config->kind == KVB_NODE_SCALAR && reading->keep) {
        return apply_config_file(reading, config->text, release);
    }
    const struct kvb_node *keys = config != NULL && config->kind == KVB_NODE_MAPPING ? config : NULL;
    return kvb_framework_apply(entry->trainer.framework, release, reading->tree, keys, entry, reading->problems);
}

static enum kvb_status apply_key(const struct reading *reading, const struct kvb_node *child)
{
    char expected[160];
    const struct kvb_trainer_row *row = kvb_trainer_row(child->key);
    if (row == NULL) {
        return KVB_OK;
    }
    bool fine = child->kind == KVB_NODE_SCALAR && !kvb_node_is_null(child);
    if (!fine) {
        return kvb_expected(reading->tree, child, KVB_BAD_TYPE, "one value", reading->problems);
    }
    fine = kvb_trainer_put(&reading->entry->trainer, row, child->text, expected);
    return fine ? KVB_OK : kvb_expected(reading->tree, child, KVB_OUT_OF_RANGE, expected, reading->problems);
}

// Defaults of the framework first, then its configuration, then what the profile says itself.
static enum kvb_status read_trainer(const struct reading *reading)
{
    const struct kvb_node *framework = kvb_node_get(reading->node, "framework");
    struct kvb_trainer *trainer = &reading->entry->trainer;
    kvb_trainer_init(trainer);
    enum kvb_status status = framework != NULL ? apply_key(reading, framework) : KVB_OK;
    if (status == KVB_OK) {
        status = apply_framework(reading);
    }
    for (const struct kvb_node *child = reading->node->first; child; child = child->next) {
        enum kvb_status one = apply_key(reading, child);
        status = status == KVB_OK ? one : status;
    }
    uint64_t length = trainer->prompt_tokens + trainer->answer_tokens; // each at most 2^32
    if (trainer->micro_batch_sequences > 0 && length > 0 && !kvb_node_get(reading->node, "micro_batch_tokens")) {
        trainer->micro_batch_tokens = trainer->micro_batch_sequences * length;
    }
    trainer->has_reference = trainer->has_reference || trainer->reference_bytes > 0;
    enum kvb_status model = read_own_model(reading);
    return status == KVB_OK ? model : status;
}

static enum kvb_status read_count(const struct reading *reading, const char *key, uint64_t *number)
{
    const struct kvb_node *node = kvb_node_get(reading->node, key);
    if (node == NULL) {
        return KVB_OK;
    }
    bool fine = node->kind == KVB_NODE_SCALAR && kvb_parse_whole(node->text, number) && *number > 0 &&
                *number <= (UINT64_C(1) << 32);
    return fine ? KVB_OK
                : kvb_expected(reading->tree, node, KVB_OUT_OF_RANGE, "a whole number from 1 to 4294967296",
                               reading->problems);
}

static enum kvb_status read_transformers(const struct reading *reading)
{
    static const char *const caches[] = {"dynamic", "static", "none", NULL};
    static const char *const attentions[] = {"sdpa", "eager", NULL};
    static const char *const logits[] = {"last", "all", NULL};
    struct kvb_transformers *rollout = &reading->entry->transformers;
    uint32_t words[3] = {0};
    *rollout = (struct kvb_transformers){.sequences = 1, .prompt_tokens = 1024, .answer_tokens = 1024};
    const enum kvb_status statuses[] = {
        read_own_model(reading),
        read_count(reading, "sequences", &rollout->sequences),
        read_count(reading, "prompt_tokens", &rollout->prompt_tokens),
        read_count(reading, "answer_tokens", &rollout->answer_tokens),
        read_word(reading, "cache", caches, "dynamic, static or none", &words[0]),
        read_word(reading, "attention", attentions, "sdpa or eager", &words[1]),
        read_word(reading, "logits", logits, "last or all", &words[2]),
    };
    rollout->cache = (enum kvb_hf_cache)words[0];
    rollout->eager_attention = words[1] == 1;
    rollout->whole_logits = words[2] == 1;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i] != KVB_OK) {
            return statuses[i];
        }
    }
    return KVB_OK;
}

static enum kvb_status read_entry(struct reading *reading)
{
    static enum kvb_status (*const readers[])(const struct reading *reading) = {
        [KVB_RESIDENT_ENGINE] = read_engine,
        [KVB_RESIDENT_TRAINER] = read_trainer,
        [KVB_RESIDENT_FIXED] = read_fixed,
        [KVB_RESIDENT_TRANSFORMERS] = read_transformers,
    };
    memset(reading->entry, 0, sizeof *reading->entry);
    if (reading->node->kind != KVB_NODE_MAPPING) {
        return kvb_expected(reading->tree, reading->node, KVB_BAD_TYPE, "a mapping", reading->problems);
    }
    enum kvb_status status = read_kind(reading);
    if (status != KVB_OK) {
        return status;
    }
    status = check_keys(reading);
    enum kvb_status common = read_common(reading);
    enum kvb_status own = readers[reading->entry->kind](reading);
    status = status == KVB_OK ? common : status;
    return status == KVB_OK ? own : status;
}

// `entries` has room for one when nothing is kept.
static enum kvb_status read_list(const struct kvb_tree *tree, const struct kvb_node *list, bool keep,
                                 struct kvb_resident_entry *entries, uint32_t *count, struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    *count = 0;
    if (list == NULL || list->kind != KVB_NODE_SEQUENCE) {
        return KVB_OK; // the strict pass has refused what is no list
    }
    if (list->count > KVB_RESIDENTS_MAX) {
        return kvb_expected(tree, list, KVB_OUT_OF_RANGE, "at most 8 residents", problems);
    }
    for (const struct kvb_node *node = list->first; node; node = node->next) {
        struct reading reading = {tree, node, keep, keep ? &entries[*count] : entries, problems};
        enum kvb_status one = read_entry(&reading);
        status = status == KVB_OK ? one : status;
        (*count)++;
    }
    return status;
}

enum kvb_status kvb_residents_check(const struct kvb_tree *tree, const struct kvb_node *list,
                                    struct kvb_problems *problems)
{
    uint32_t count = 0;
    if (list == NULL) {
        return KVB_OK;
    }
    struct kvb_resident_entry *entry = kvb_reallocate(NULL, sizeof *entry);
    if (entry == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, kvb_node_place(tree, list),
                               "not enough memory to read it");
    }
    enum kvb_status status = read_list(tree, list, false, entry, &count, problems);
    kvb_release(entry);
    return status;
}

enum kvb_status kvb_residents_load(const char *path, struct kvb_resident_entry entries[KVB_RESIDENTS_MAX],
                                   uint32_t *count, struct kvb_problems *problems)
{
    struct kvb_file file;
    struct kvb_tree tree;
    *count = 0;
    enum kvb_status status = kvb_file_read(&file, path, KVB_PROFILE_MAX_BYTES, problems);
    if (status != KVB_OK) {
        return status;
    }
    status = kvb_profile_open_as(&tree, path, file.text, file.length, KVB_PROFILE_DEPLOYMENT, problems);
    if (status == KVB_OK) {
        status = read_list(&tree, kvb_node_get(tree.root, "residents"), true, entries, count, problems);
    }
    kvb_tree_free(&tree);
    kvb_file_free(&file);
    return status;
}
