// A policy from YAML, strictly: one row per key, every departure with its place.
#include <kvbudget/policy.h>

#include <string.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/text.h"
#include "text/file.h"
#include "text/strict.h"

#define POLICY_MAX_BYTES ((size_t)1 << 20)

struct reading {
    const struct kvb_tree *tree;
    const char *folder; // of the policy, with its slash
    struct kvb_policy *policy;
    struct kvb_problems *problems;
};

// Reads one value into an entry; NULL text: the value is no scalar.
typedef enum kvb_status key_reader(const struct reading *reading, const struct kvb_node *node, void *entry);

struct key_row {
    const char *key;
    bool required;
    key_reader *read;
};

struct entry_kind {
    const char *noun;
    const struct key_row *rows;
    size_t row_count;
};

static enum kvb_status wrong(const struct reading *reading, const struct kvb_node *node, const char *expected)
{
    return kvb_expected(reading->tree, node, KVB_BAD_TYPE, expected, reading->problems);
}

static enum kvb_status copy_text(const struct reading *reading, const struct kvb_node *node, char *out, size_t capacity)
{
    if (node->kind != KVB_NODE_SCALAR || node->text[0] == '\0' || !kvb_copy(out, capacity, node->text)) {
        return wrong(reading, node, "one line of text");
    }
    return KVB_OK;
}

// ---- rules

static enum kvb_status read_rule_files(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    return copy_text(reading, node, rule->files, sizeof rule->files);
}

static enum kvb_status read_bound(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    bool low = node->kind == KVB_NODE_SCALAR && strcmp(node->text, "low") == 0;
    if (!low && (node->kind != KVB_NODE_SCALAR || strcmp(node->text, "likely") != 0)) {
        return wrong(reading, node, "low or likely");
    }
    rule->low = low;
    return KVB_OK;
}

static enum kvb_status read_headroom(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    rule->has_headroom = true;
    return kvb_node_bytes(reading->tree, node, true, &rule->min_headroom_bytes, reading->problems);
}

static enum kvb_status read_slack(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    rule->has_slack = true;
    return kvb_node_bytes(reading->tree, node, true, &rule->min_slack_bytes, reading->problems);
}

static enum kvb_status read_concurrency(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    uint32_t ppm;
    if (node->kind != KVB_NODE_SCALAR || !kvb_parse_ppm(node->text, UINT32_C(4000000000), &ppm) || ppm == 0) {
        return wrong(reading, node, "a number above 0 and up to 4000, such as 4 or 2.5");
    }
    rule->min_concurrency_hundredths = ppm / 10000;
    return KVB_OK;
}

static enum kvb_status read_length(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    if (node->kind != KVB_NODE_SCALAR || !kvb_parse_count(node->text, &rule->min_length_tokens) ||
        rule->min_length_tokens == 0) {
        return wrong(reading, node, "a number of tokens such as 32768 or 32K");
    }
    return KVB_OK;
}

static enum kvb_status read_utilization(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    enum kvb_status status = KVB_OK;
    if (node->kind != KVB_NODE_MAPPING) {
        return wrong(reading, node, "a mapping with min, max or both");
    }
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        bool is_min = strcmp(child->key, "min") == 0;
        uint32_t ppm = 0;
        if (!is_min && strcmp(child->key, "max") != 0) {
            status = kvb_unknown_key(reading->tree, child, "a range", NULL, reading->problems);
        } else if (child->kind != KVB_NODE_SCALAR || !kvb_parse_ppm(child->text, KVB_PPM, &ppm) || ppm == 0) {
            status = wrong(reading, child, "a fraction above 0 and up to 1");
        } else if (is_min) {
            rule->min_utilization_ppm = ppm;
        } else {
            rule->max_utilization_ppm = ppm;
        }
    }
    return status;
}

static enum kvb_status find_setting(const struct reading *reading, const struct kvb_node *node, const char *name,
                                    enum kvb_setting *setting)
{
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, name);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (strcmp(kvb_setting_row_of(i)->key, name) == 0) {
            *setting = (enum kvb_setting)i;
            return KVB_OK;
        }
        kvb_nearest_offer(&nearest, kvb_setting_row_of(i)->key);
    }
    return kvb_problem_add(reading->problems, KVB_ERROR, KVB_UNKNOWN_NAME, kvb_node_place(reading->tree, node),
                           "'%.60s' is no setting%s%s%s", name, nearest.best ? "; did you mean '" : "",
                           nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

// "enforce_eager", or "kv_cache_dtype: fp8" as a mapping of one.
static enum kvb_status add_listed(const struct reading *reading, const struct kvb_node *node, const char *name,
                                  const char *value, struct kvb_policy_setting *list, uint32_t *count)
{
    char why[256];
    struct kvb_policy_setting setting = {.any = value == NULL};
    enum kvb_status status = find_setting(reading, node, name, &setting.setting);
    if (status != KVB_OK) {
        return status;
    }
    if (value != NULL && !kvb_setting_parse(setting.setting, value, &setting.number, why)) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(reading->tree, node),
                               "%s: %s", name, why);
    }
    if (*count == KVB_POLICY_LISTED_MAX) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_TOO_LARGE, kvb_node_place(reading->tree, node),
                               "more than %d settings in one list", KVB_POLICY_LISTED_MAX);
    }
    list[(*count)++] = setting;
    return KVB_OK;
}

static enum kvb_status read_listed(const struct reading *reading, const struct kvb_node *node,
                                   struct kvb_policy_setting *list, uint32_t *count)
{
    enum kvb_status status = KVB_OK;
    if (node->kind == KVB_NODE_SCALAR) {
        return wrong(reading, node, "a list of settings, or a mapping of settings to values");
    }
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        bool pair = child->kind == KVB_NODE_MAPPING && child->count == 1;
        const struct kvb_node *inner = pair ? child->first : child;
        const char *name = node->kind == KVB_NODE_MAPPING || pair ? inner->key : inner->text;
        const char *value = node->kind == KVB_NODE_MAPPING || pair ? inner->text : NULL;
        enum kvb_status one = inner->kind == KVB_NODE_SCALAR
                                  ? add_listed(reading, inner, name, value, list, count)
                                  : wrong(reading, inner, "the name of a setting, or one with its value");
        status = status == KVB_OK ? one : status;
    }
    return status;
}

static enum kvb_status read_required(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    return read_listed(reading, node, rule->required, &rule->required_count);
}

static enum kvb_status read_forbidden(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_rule *rule = entry;
    return read_listed(reading, node, rule->forbidden, &rule->forbidden_count);
}

static const struct key_row rule_rows[] = {
    {"files", false, read_rule_files},
    {"bound", false, read_bound},
    {"min_headroom", false, read_headroom},
    {"min_slack", false, read_slack},
    {"min_concurrency", false, read_concurrency},
    {"min_length", false, read_length},
    {"gpu_memory_utilization", false, read_utilization},
    {"required", false, read_required},
    {"forbidden", false, read_forbidden},
};

// ---- GPUs and models

static enum kvb_status read_gpu_files(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_gpu *gpu = entry;
    return copy_text(reading, node, gpu->files, sizeof gpu->files);
}

static enum kvb_status read_gpu_label(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_gpu *gpu = entry;
    if (node->kind != KVB_NODE_SCALAR || strchr(node->text, '=') == NULL) {
        return wrong(reading, node, "KEY=VALUE of a node's label");
    }
    return copy_text(reading, node, gpu->label, sizeof gpu->label);
}

static enum kvb_status read_gpu_name(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_gpu *gpu = entry;
    return copy_text(reading, node, gpu->gpu, sizeof gpu->gpu);
}

static enum kvb_status read_gpu_memory(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_gpu *gpu = entry;
    return kvb_node_bytes(reading->tree, node, false, &gpu->gpu_memory_bytes, reading->problems);
}

static const struct key_row gpu_rows[] = {
    {"files", false, read_gpu_files},
    {"label", false, read_gpu_label},
    {"gpu", true, read_gpu_name},
    {"gpu_memory", false, read_gpu_memory},
};

static enum kvb_status read_model_name(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_model *model = entry;
    return copy_text(reading, node, model->name, sizeof model->name);
}

static enum kvb_status read_model_path(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_model *model = entry;
    size_t length = strlen(reading->folder);
    enum kvb_status status = copy_text(reading, node, model->path, sizeof model->path);
    if (status != KVB_OK || model->path[0] == '/' || length + strlen(node->text) >= sizeof model->path) {
        return status;
    }
    (void)kvb_copy(model->path, sizeof model->path, reading->folder);
    (void)kvb_copy(model->path + length, sizeof model->path - length, node->text);
    if (!kvb_path_exists(model->path)) { // another name
        (void)kvb_copy(model->path, sizeof model->path, node->text);
    }
    return KVB_OK;
}

static const struct key_row model_rows[] = {
    {"name", true, read_model_name},
    {"model", true, read_model_path},
};

// ---- waivers

static enum kvb_status read_waiver_files(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_waiver *waiver = entry;
    return copy_text(reading, node, waiver->files, sizeof waiver->files);
}

static enum kvb_status read_waiver_name(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_waiver *waiver = entry;
    return copy_text(reading, node, waiver->name, sizeof waiver->name);
}

static enum kvb_status read_waiver_rule(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_waiver *waiver = entry;
    for (unsigned i = 0; node->kind == KVB_NODE_SCALAR && i < KVB_CHECK_COUNT; i++) {
        if (!kvb_check_rule_row_of(i)->is_error && strcmp(kvb_check_rule_row_of(i)->id, node->text) == 0) {
            waiver->rule = (enum kvb_check_rule)i;
            return KVB_OK;
        }
    }
    return wrong(reading, node, "a rule such as fits, min-headroom or forbidden-setting");
}

static enum kvb_status read_reason(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_waiver *waiver = entry;
    return copy_text(reading, node, waiver->reason, sizeof waiver->reason);
}

// "2026-12-31" as 20261231.
static enum kvb_status read_until(const struct reading *reading, const struct kvb_node *node, void *entry)
{
    struct kvb_policy_waiver *waiver = entry;
    const char *text = node->kind == KVB_NODE_SCALAR ? node->text : "";
    uint32_t date = 0;
    bool fine = strlen(text) == 10 && text[4] == '-' && text[7] == '-';
    for (size_t i = 0; fine && i < 10; i++) {
        if (i != 4 && i != 7) {
            fine = text[i] >= '0' && text[i] <= '9';
            date = date * 10 + (uint32_t)(text[i] - '0');
        }
    }
    uint32_t month = date / 100 % 100, day = date % 100;
    if (!fine || month < 1 || month > 12 || day < 1 || day > 31) {
        return wrong(reading, node, "a date such as 2026-12-31");
    }
    waiver->until = date;
    return KVB_OK;
}

static const struct key_row waiver_rows[] = {
    {"files", false, read_waiver_files}, {"name", false, read_waiver_name}, {"rule", true, read_waiver_rule},
    {"reason", true, read_reason},       {"until", true, read_until},
};

// ---- lists

#define KIND(noun, rows)                                                                                               \
    {                                                                                                                  \
        noun, rows, sizeof rows / sizeof rows[0]                                                                       \
    }
static const struct entry_kind rule_kind = KIND("a rule", rule_rows);
static const struct entry_kind gpu_kind = KIND("an entry of gpus", gpu_rows);
static const struct entry_kind model_kind = KIND("an entry of models", model_rows);
static const struct entry_kind waiver_kind = KIND("a waiver", waiver_rows);

static enum kvb_status read_key(const struct reading *reading, const struct kvb_node *node,
                                const struct entry_kind *kind, void *entry)
{
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, node->key);
    for (size_t i = 0; i < kind->row_count; i++) {
        if (strcmp(kind->rows[i].key, node->key) == 0) {
            return kind->rows[i].read(reading, node, entry);
        }
        kvb_nearest_offer(&nearest, kind->rows[i].key);
    }
    return kvb_unknown_key(reading->tree, node, kind->noun, nearest.best, reading->problems);
}

static enum kvb_status read_entry(const struct reading *reading, const struct kvb_node *node,
                                  const struct entry_kind *kind, void *entry)
{
    enum kvb_status status = KVB_OK;
    if (node->kind != KVB_NODE_MAPPING) {
        return wrong(reading, node, "a mapping");
    }
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        enum kvb_status one = read_key(reading, child, kind, entry);
        status = status == KVB_OK ? one : status;
    }
    for (size_t i = 0; i < kind->row_count; i++) {
        if (kind->rows[i].required && kvb_node_get(node, kind->rows[i].key) == NULL) {
            status = kvb_problem_add(reading->problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(reading->tree, node),
                                     "%s needs the key '%s'", kind->noun, kind->rows[i].key);
        }
    }
    return status;
}

static enum kvb_status read_list(const struct reading *reading, const struct kvb_node *node,
                                 const struct entry_kind *kind, void *entries, size_t size, uint32_t *count)
{
    enum kvb_status status = KVB_OK;
    if (node->kind != KVB_NODE_SEQUENCE || node->count > KVB_POLICY_MAX) {
        return wrong(reading, node, "a list of at most 64 entries");
    }
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        enum kvb_status one = read_entry(reading, child, kind, (unsigned char *)entries + *count * size);
        status = status == KVB_OK ? one : status;
        ++*count;
    }
    return status;
}

static enum kvb_status read_top_key(const struct reading *reading, const struct kvb_node *node)
{
    static const char *const keys[] = {"kind", "schema", "rules", "gpus", "models", "waivers"};
    struct kvb_policy *policy = reading->policy;
    struct kvb_nearest nearest;
    if (strcmp(node->key, "kind") == 0) {
        bool fine = node->kind == KVB_NODE_SCALAR && strcmp(node->text, "policy") == 0;
        return fine ? KVB_OK : wrong(reading, node, "policy");
    }
    if (strcmp(node->key, "schema") == 0) {
        bool fine = node->kind == KVB_NODE_SCALAR && strcmp(node->text, "1") == 0;
        return fine ? KVB_OK : wrong(reading, node, "1");
    }
    if (strcmp(node->key, "rules") == 0) {
        return read_list(reading, node, &rule_kind, policy->rules, sizeof policy->rules[0], &policy->rule_count);
    }
    if (strcmp(node->key, "gpus") == 0) {
        return read_list(reading, node, &gpu_kind, policy->gpus, sizeof policy->gpus[0], &policy->gpu_count);
    }
    if (strcmp(node->key, "models") == 0) {
        return read_list(reading, node, &model_kind, policy->models, sizeof policy->models[0], &policy->model_count);
    }
    if (strcmp(node->key, "waivers") == 0) {
        return read_list(reading, node, &waiver_kind, policy->waivers, sizeof policy->waivers[0],
                         &policy->waiver_count);
    }
    kvb_nearest_init(&nearest, node->key);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        kvb_nearest_offer(&nearest, keys[i]);
    }
    return kvb_unknown_key(reading->tree, node, "a policy", nearest.best, reading->problems);
}

static enum kvb_status read_root(const struct reading *reading)
{
    const struct kvb_node *root = reading->tree->root;
    enum kvb_status status = KVB_OK;
    if (root->kind != KVB_NODE_MAPPING || kvb_node_get(root, "kind") == NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(reading->tree, root),
                               "expected a mapping that begins with 'kind: policy'");
    }
    for (const struct kvb_node *child = root->first; child != NULL; child = child->next) {
        enum kvb_status one = read_top_key(reading, child);
        status = status == KVB_OK ? one : status;
    }
    return status;
}

enum kvb_status kvb_policy_read(const char *file, const char *text, size_t length, struct kvb_policy *policy,
                                struct kvb_problems *problems)
{
    struct kvb_tree tree;
    char folder[KVB_PATH_CAPACITY];
    const char *slash = strrchr(file, '/');
    (void)kvb_copy(folder, sizeof folder, file);
    folder[slash != NULL && (size_t)(slash - file) + 1 < sizeof folder ? (size_t)(slash - file) + 1 : 0] = '\0';
    struct kvb_policy *read = kvb_reallocate(NULL, sizeof *read);
    if (read == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file},
                               "not enough memory to read it");
    }
    memset(read, 0, sizeof *read);
    enum kvb_status status = kvb_tree_read(&tree, file, text, length, problems);
    if (status == KVB_OK) {
        const struct reading reading = {&tree, folder, read, problems};
        status = read_root(&reading);
        kvb_tree_free(&tree);
    }
    if (status == KVB_OK) {
        *policy = *read;
    }
    kvb_release(read);
    return status;
}

enum kvb_status kvb_policy_load(const char *path, struct kvb_policy *policy, struct kvb_problems *problems)
{
    struct kvb_file file;
    enum kvb_status status = kvb_file_read(&file, path, POLICY_MAX_BYTES, problems);
    if (status == KVB_OK) {
        status = kvb_policy_read(path, file.text, file.length, policy, problems);
        kvb_file_free(&file);
    }
    return status;
}
