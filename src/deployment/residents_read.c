// The entries of `residents:`: engines by profile or in place, trainers, generate loops and fixed memory.
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalogue/profile.h"
#include "deployment/residents.h"
#include "text/file.h"
#include "text/strict.h"
#include "text/tree_text.h"

struct reading {
    const struct kvb_tree *tree;
    const struct kvb_node *node;
    bool keep; // files that it names are read, too
    struct kvb_resident_entry *entry;
    struct kvb_problems *problems;
};

// An entry as its rows fill it: the words first, then what they mean.
struct raw {
    uint32_t kind, order, attention, logits;
    char version[KVB_VERSION_CAPACITY];
    struct kvb_resident_entry entry;
};

static const char *const kind_words[] = {"engine", "trainer", "fixed", "transformers", NULL};
static const char *const order_words[] = {"before", "after", NULL};
static const char *const cache_words[] = {"dynamic", "static", "none", NULL};
static const char *const attention_words[] = {"sdpa", "eager", NULL};
static const char *const logits_words[] = {"last", "all", NULL};

#define AT(member) KVB_AT(struct raw, member)
#define KIND                                                                                                           \
    {                                                                                                                  \
        "kind", KVB_FIELD_WORD, AT(kind), .words = kind_words, .help = "what it is"                                    \
    }
#define NAME                                                                                                           \
    {                                                                                                                  \
        "name", KVB_FIELD_TEXT, AT(entry.name), .help = "what reports call it; its kind when left out"                 \
    }
#define ORDER                                                                                                          \
    {                                                                                                                  \
        "starts", KVB_FIELD_WORD, AT(order), .words = order_words, .help = "before or after the deployment's engine"   \
    }
#define MODEL                                                                                                          \
    {                                                                                                                  \
        "model", KVB_FIELD_TEXT, AT(entry.deployment.model), .help = "its own model; the deployment's when left out"   \
    }
#define TOKENS(key, member, text)                                                                                      \
    {                                                                                                                  \
        key, KVB_FIELD_WHOLE, AT(entry.transformers.member), .minimum = 1, .maximum = UINT64_C(1) << 32, .help = text  \
    }

static const struct kvb_field_row engine_rows[] = {
    KIND,
    NAME,
    ORDER,
    {"deployment", KVB_FIELD_TEXT_OR_MAPPING, .required = true, .help = "a path, or the body of a deployment profile"},
};
static const struct kvb_field_row fixed_rows[] = {
    KIND,
    NAME,
    ORDER,
    {"bytes", KVB_FIELD_SIZE, AT(entry.bytes), .minimum = 1, .required = true, .help = "what it holds on each GPU"},
};
static const struct kvb_field_row trainer_rows[] = {
    KIND,
    NAME,
    ORDER,
    MODEL,
    {"version", KVB_FIELD_RELEASE, AT(version), .help = "of the framework"},
    {"config", KVB_FIELD_TEXT_OR_MAPPING, .help = "the framework's own configuration"},
};
static const struct kvb_field_row transformers_rows[] = {
    KIND,
    NAME,
    ORDER,
    MODEL,
    TOKENS("sequences", sequences, "generated at once"),
    TOKENS("prompt_tokens", prompt_tokens, "of each"),
    TOKENS("answer_tokens", answer_tokens, "of each"),
    {"cache", KVB_FIELD_WORD, AT(entry.transformers.cache), .words = cache_words,
     .help = "how keys and values are kept"},
    {"attention", KVB_FIELD_WORD, AT(attention), .words = attention_words, .help = "which attention it runs"},
    {"logits", KVB_FIELD_WORD, AT(logits), .words = logits_words, .help = "of the last token or of all"},
};

static const struct kvb_schema schemas[KVB_RESIDENT_KIND_COUNT] = {
    [KVB_RESIDENT_ENGINE] = KVB_SCHEMA("a resident of kind engine", engine_rows),
    [KVB_RESIDENT_TRAINER] = {"a resident of kind trainer", trainer_rows, sizeof trainer_rows / sizeof trainer_rows[0],
                              &kvb_trainer_schema, offsetof(struct raw, entry.trainer)},
    [KVB_RESIDENT_FIXED] = KVB_SCHEMA("a resident of kind fixed", fixed_rows),
    [KVB_RESIDENT_TRANSFORMERS] = KVB_SCHEMA("a resident of kind transformers", transformers_rows),
};

static enum kvb_status read_kind(const struct reading *reading, enum kvb_resident_kind *kind)
{
    const struct kvb_node *node = kvb_node_get(reading->node, "kind");
    if (node == NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_MISSING_KEY,
                               kvb_node_place(reading->tree, reading->node),
                               "a resident needs the key 'kind': engine, trainer, fixed or transformers");
    }
    for (unsigned i = 0; i < KVB_RESIDENT_KIND_COUNT && node->kind == KVB_NODE_SCALAR; i++) {
        if (strcmp(node->text, kind_words[i]) == 0) {
            *kind = (enum kvb_resident_kind)i;
            return KVB_OK;
        }
    }
    return kvb_expected(reading->tree, node, KVB_UNKNOWN_KIND, "engine, trainer, fixed or transformers",
                        reading->problems);
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

// What is neither has been refused by the rows.
static enum kvb_status read_engine(const struct reading *reading)
{
    const struct kvb_node *node = kvb_node_get(reading->node, "deployment");
    if (node == NULL || node->kind == KVB_NODE_SEQUENCE) {
        return KVB_OK;
    }
    if (node->kind == KVB_NODE_MAPPING) {
        return read_inline(reading, node);
    }
    return reading->keep ? kvb_deployment_load(node->text, &reading->entry->deployment, reading->problems) : KVB_OK;
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
        return KVB_OK; // the rows will say so
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

// Defaults of the framework first, then its configuration; what the profile says itself comes after them.
static enum kvb_status begin_trainer(const struct reading *reading)
{
    const struct kvb_node *node = kvb_node_get(reading->node, "framework");
    const struct kvb_field_row *row = kvb_field_find(&kvb_trainer_schema, "framework");
    char expected[160];
    kvb_trainer_init(&reading->entry->trainer);
    if (node != NULL &&
        (node->kind != KVB_NODE_SCALAR || !kvb_trainer_put(&reading->entry->trainer, row, node->text, expected))) {
        return KVB_OK; // the rows will say so
    }
    return apply_framework(reading);
}

static void finish_trainer(const struct reading *reading)
{
    struct kvb_trainer *trainer = &reading->entry->trainer;
    kvb_framework_finish(reading->entry, kvb_node_get(reading->node, "micro_batch_tokens") != NULL);
    trainer->has_reference = trainer->has_reference || trainer->reference_bytes > 0;
}

static enum kvb_status begin(const struct reading *reading, enum kvb_resident_kind kind, struct raw *raw)
{
    reading->entry->kind = kind;
    raw->order = kind == KVB_RESIDENT_ENGINE ? 1 : 0;
    if (kind == KVB_RESIDENT_TRANSFORMERS) {
        reading->entry->transformers =
            (struct kvb_transformers){.sequences = 1, .prompt_tokens = 1024, .answer_tokens = 1024};
    }
    return kind == KVB_RESIDENT_TRAINER ? begin_trainer(reading) : KVB_OK;
}

static void finish(const struct reading *reading, const struct raw *raw)
{
    struct kvb_resident_entry *entry = reading->entry;
    if (entry->name[0] == '\0') {
        (void)kvb_copy(entry->name, sizeof entry->name, kind_words[entry->kind]);
    }
    entry->after = raw->order == 1;
    entry->has_model = entry->kind != KVB_RESIDENT_ENGINE && entry->deployment.model[0] != '\0';
    entry->transformers.eager_attention = raw->attention == 1;
    entry->transformers.whole_logits = raw->logits == 1;
    if (entry->kind == KVB_RESIDENT_TRAINER) {
        finish_trainer(reading);
    }
}

static enum kvb_status read_into(const struct reading *outer, struct raw *raw)
{
    struct reading reading = *outer;
    const struct kvb_reading fields = {reading.tree, NULL, reading.problems};
    enum kvb_resident_kind kind = KVB_RESIDENT_ENGINE;
    enum kvb_status status = read_kind(&reading, &kind);
    reading.entry = &raw->entry;
    if (status != KVB_OK) {
        return status;
    }
    status = begin(&reading, kind, raw);
    enum kvb_status said = kvb_fields_read(&fields, reading.node, &schemas[kind], raw);
    status = status == KVB_OK ? said : status;
    if (kind == KVB_RESIDENT_ENGINE) {
        enum kvb_status own = read_engine(&reading);
        status = status == KVB_OK ? own : status;
    }
    finish(&reading, raw);
    return status;
}

static enum kvb_status read_entry(const struct reading *reading)
{
    if (reading->node->kind != KVB_NODE_MAPPING) {
        return kvb_expected(reading->tree, reading->node, KVB_BAD_TYPE, "a mapping", reading->problems);
    }
    struct raw *raw = kvb_reallocate(NULL, sizeof *raw);
    if (raw == NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_NO_MEMORY,
                               kvb_node_place(reading->tree, reading->node), "not enough memory to read it");
    }
    memset(raw, 0, sizeof *raw);
    enum kvb_status status = read_into(reading, raw);
    *reading->entry = raw->entry;
    kvb_free(raw);
    return status;
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
    kvb_free(entry);
    return status;
}

enum kvb_status kvb_residents_read(const char *file, const char *text, size_t length,
                                   struct kvb_resident_entry *entries, uint32_t *count, struct kvb_problems *problems)
{
    struct kvb_tree tree;
    *count = 0;
    enum kvb_status status = kvb_profile_open_as(&tree, file, text, length, KVB_PROFILE_DEPLOYMENT, problems);
    if (status == KVB_OK) {
        status = read_list(&tree, kvb_node_get(tree.root, "residents"), true, entries, count, problems);
    }
    kvb_tree_free(&tree);
    return status;
}

enum kvb_status kvb_residents_load(const char *path, struct kvb_resident_entry entries[KVB_RESIDENTS_MAX],
                                   uint32_t *count, struct kvb_problems *problems)
{
    struct kvb_file file;
    *count = 0;
    enum kvb_status status = kvb_file_read(&file, path, KVB_PROFILE_MAX_BYTES, problems);
    if (status == KVB_OK) {
        status = kvb_residents_read(path, file.text, file.length, entries, count, problems);
        kvb_file_free(&file);
    }
    return status;
}
