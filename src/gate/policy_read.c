// A policy from YAML, strictly: one row per key, every departure with its place.
#include <kvbudget/policy.h>

#include <string.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/text.h"
#include "text/field.h"
#include "text/field_keys.h"
#include "text/file.h"
#include "text/strict.h"

#define POLICY_MAX_BYTES ((size_t)1 << 20)
#define CONCURRENCY_MAX_PPM UINT32_C(4000000000)

// What the values stand in: the folder of the policy, with its slash.
struct place_of_policy {
    const char *folder;
};

static enum kvb_status wrong(const struct kvb_reading *reading, const struct kvb_node *node, const char *expected)
{
    return kvb_expected(reading->tree, node, KVB_BAD_TYPE, expected, reading->problems);
}

// ---- values with a form of their own

static enum kvb_status read_concurrency(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    struct kvb_policy_rule *rule = out;
    uint32_t ppm;
    if (node->kind != KVB_NODE_SCALAR || !kvb_parse_ppm(node->text, CONCURRENCY_MAX_PPM, &ppm) || ppm == 0) {
        return wrong(reading, node, "a number above 0 and up to 4000, such as 4 or 2.5");
    }
    rule->min_concurrency_hundredths = ppm / 10000;
    return KVB_OK;
}

static enum kvb_status find_setting(const struct kvb_reading *reading, const struct kvb_node *node, const char *name,
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
static enum kvb_status add_listed(const struct kvb_reading *reading, const struct kvb_node *node, const char *name,
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

static enum kvb_status read_listed(const struct kvb_reading *reading, const struct kvb_node *node,
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

static enum kvb_status read_required(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    struct kvb_policy_rule *rule = out;
    return read_listed(reading, node, rule->required, &rule->required_count);
}

static enum kvb_status read_forbidden(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    struct kvb_policy_rule *rule = out;
    return read_listed(reading, node, rule->forbidden, &rule->forbidden_count);
}

static enum kvb_status read_gpu_label(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    struct kvb_policy_gpu *gpu = out;
    bool pair = node->kind == KVB_NODE_SCALAR && strchr(node->text, '=') != NULL;
    return pair && kvb_copy(gpu->label, sizeof gpu->label, node->text)
               ? KVB_OK
               : wrong(reading, node, "KEY=VALUE of a node's label");
}

// A path beside the policy, or another name.
static enum kvb_status read_model_path(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    struct kvb_policy_model *model = out;
    const struct place_of_policy *policy = reading->context;
    size_t length = strlen(policy->folder);
    if (node->kind != KVB_NODE_SCALAR || node->text[0] == '\0' ||
        !kvb_copy(model->path, sizeof model->path, node->text)) {
        return wrong(reading, node, "one line of text");
    }
    if (model->path[0] == '/' || length + strlen(node->text) >= sizeof model->path) {
        return KVB_OK;
    }
    (void)kvb_copy(model->path, sizeof model->path, policy->folder);
    (void)kvb_copy(model->path + length, sizeof model->path - length, node->text);
    if (kvb_path_is_missing(model->path)) {
        (void)kvb_copy(model->path, sizeof model->path, node->text);
    }
    return KVB_OK;
}

static enum kvb_status read_waiver_rule(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    struct kvb_policy_waiver *waiver = out;
    for (unsigned i = 0; node->kind == KVB_NODE_SCALAR && i < KVB_CHECK_COUNT; i++) {
        if (strcmp(kvb_check_rule_row_of(i)->id, node->text) == 0) {
            waiver->rule = (enum kvb_check_rule)i;
            return KVB_OK;
        }
    }
    return wrong(reading, node, "a rule such as fits, min-headroom or forbidden-setting");
}

// ---- one row per key

#define RULE struct kvb_policy_rule
#define GPU struct kvb_policy_gpu
#define MODEL struct kvb_policy_model
#define WAIVER struct kvb_policy_waiver

static const char *const bound_words[] = {"likely", "low", NULL};

static const struct kvb_field_row range_rows[] = {
    {"min", KVB_FIELD_PPM, KVB_AT(RULE, min_utilization_ppm), .maximum = KVB_PPM, .help = "lowest share allowed"},
    {"max", KVB_FIELD_PPM, KVB_AT(RULE, max_utilization_ppm), .maximum = KVB_PPM, .help = "highest share allowed"},
};
static const struct kvb_schema range = KVB_SCHEMA("a range", range_rows);

static const struct kvb_field_row rule_rows[] = {
    {"files", KVB_FIELD_TEXT, KVB_AT(RULE, files), .help = "which files it is for; all when left out"},
    {"bound", KVB_FIELD_WORD, KVB_AT(RULE, bound), .words = bound_words, .help = "which end of the figures is judged"},
    {"min_headroom", KVB_FIELD_SIZE, KVB_AT(RULE, min_headroom_bytes), KVB_SET(RULE, has_headroom),
     .help = "KV cache beyond one request of full length"},
    {"min_slack", KVB_FIELD_SIZE, KVB_AT(RULE, min_slack_bytes), KVB_SET(RULE, has_slack),
     .help = "memory that stays free while serving"},
    {"min_concurrency", KVB_FIELD_OWN, .own = read_concurrency, .help = "requests of full length at once"},
    {"min_length", KVB_FIELD_COUNT, KVB_AT(RULE, min_length_tokens), .help = "longest request that is accepted"},
    {"gpu_memory_utilization", KVB_FIELD_GROUP, .rows = &range, .help = "min, max or both"},
    {"required", KVB_FIELD_OWN, .own = read_required, .help = "settings that must be there"},
    {"forbidden", KVB_FIELD_OWN, .own = read_forbidden, .help = "settings that must not be there"},
};
static const struct kvb_schema rule = KVB_SCHEMA("a rule", rule_rows);

static const struct kvb_field_row gpu_rows[] = {
    {"files", KVB_FIELD_TEXT, KVB_AT(GPU, files), .help = "which files it is for; all when left out"},
    {"label", KVB_FIELD_OWN, .own = read_gpu_label, .help = "KEY=VALUE of a node"},
    {"gpu", KVB_FIELD_TEXT, KVB_AT(GPU, gpu), .required = true, .help = "the name of the GPU"},
    {"gpu_memory", KVB_FIELD_SIZE, KVB_AT(GPU, gpu_memory_bytes), .minimum = 1, .help = "its total as CUDA sees it"},
};
static const struct kvb_schema gpu = KVB_SCHEMA("an entry of gpus", gpu_rows);

static const struct kvb_field_row model_rows[] = {
    {"name", KVB_FIELD_TEXT, KVB_AT(MODEL, name), .required = true, .help = "as the files say it"},
    {"model", KVB_FIELD_OWN, .own = read_model_path, .required = true,
     .help = "another name, or a path beside the policy"},
};
static const struct kvb_schema model = KVB_SCHEMA("an entry of models", model_rows);

static const struct kvb_field_row waiver_rows[] = {
    {"files", KVB_FIELD_TEXT, KVB_AT(WAIVER, files), .help = "which files it is for; all when left out"},
    {"name", KVB_FIELD_TEXT, KVB_AT(WAIVER, name), .help = "of the deployment; any when left out"},
    {"rule", KVB_FIELD_OWN, .own = read_waiver_rule, .required = true, .help = "what is waived"},
    {"reason", KVB_FIELD_TEXT, KVB_AT(WAIVER, reason), .required = true, .help = "why"},
    {"until", KVB_FIELD_DATE, KVB_AT(WAIVER, until), .required = true, .help = "the last day it holds"},
};
static const struct kvb_schema waiver = KVB_SCHEMA("a waiver", waiver_rows);

static enum kvb_status read_kind(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    (void)out;
    bool fine = node->kind == KVB_NODE_SCALAR && strcmp(node->text, "policy") == 0;
    return fine ? KVB_OK : wrong(reading, node, "policy");
}

static enum kvb_status read_schema(const struct kvb_reading *reading, const struct kvb_node *node, void *out)
{
    (void)out;
    bool fine = node->kind == KVB_NODE_SCALAR && strcmp(node->text, "1") == 0;
    return fine ? KVB_OK : wrong(reading, node, "1");
}

static const char *const unknown_words[] = {"error", "warn", "ignore", NULL};

static const struct kvb_field_row top_rows[] = {
    {"kind", KVB_FIELD_OWN, .own = read_kind, .help = "always `policy`"},
    {"schema", KVB_FIELD_OWN, .own = read_schema, .help = "always 1"},
    {"unknown", KVB_FIELD_WORD, KVB_AT(struct kvb_policy, unknown), .words = unknown_words, .minimum = 1,
     .help = "what a case counts that cannot be answered"},
    {"not_understood", KVB_FIELD_WORD, KVB_AT(struct kvb_policy, not_understood), .words = unknown_words, .minimum = 1,
     .help = "what a file counts that speaks of an engine and gave no deployment"},
    {"min_deployments", KVB_FIELD_WHOLE, KVB_AT(struct kvb_policy, min_deployments), .maximum = 1000000,
     .help = "fewer is a failure"},
    {"rules", KVB_FIELD_TABLE, KVB_LIST_AT(struct kvb_policy, rules, rule_count), .rows = &rule, .help = "demands"},
    {"gpus", KVB_FIELD_TABLE, KVB_LIST_AT(struct kvb_policy, gpus, gpu_count), .rows = &gpu,
     .help = "which GPU a file or label means"},
    {"models", KVB_FIELD_TABLE, KVB_LIST_AT(struct kvb_policy, models, model_count), .rows = &model,
     .help = "what stands for a model's name"},
    {"waivers", KVB_FIELD_TABLE, KVB_LIST_AT(struct kvb_policy, waivers, waiver_count), .rows = &waiver,
     .help = "what is let pass until a day"},
};
static const struct kvb_schema top = KVB_SCHEMA("a policy", top_rows);

// A least share above the greatest lets nothing pass: two values that nobody means together.
static enum kvb_status check_ranges(const struct kvb_reading *reading, const struct kvb_policy *policy)
{
    const struct kvb_node *rules = kvb_node_get(reading->tree->root, "rules");
    const struct kvb_node *node = rules != NULL ? rules->first : NULL;
    for (uint32_t i = 0; i < policy->rule_count; i++, node = node->next) {
        const struct kvb_policy_rule *read = &policy->rules[i];
        if (read->max_utilization_ppm > 0 && read->min_utilization_ppm > read->max_utilization_ppm) {
            const struct kvb_node *shares = kvb_node_get(node, "gpu_memory_utilization");
            return wrong(reading, kvb_node_get(shares, "min"), "a share that is not above max");
        }
    }
    return KVB_OK;
}

static enum kvb_status read_root(const struct kvb_reading *reading, struct kvb_policy *policy)
{
    const struct kvb_node *root = reading->tree->root;
    if (root->kind != KVB_NODE_MAPPING || kvb_node_get(root, "kind") == NULL) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(reading->tree, root),
                               "expected a mapping that begins with 'kind: policy'");
    }
    if (read_kind(reading, kvb_node_get(root, "kind"), NULL) != KVB_OK) {
        return KVB_BAD_TYPE; // of another kind of file its keys would only be wrong one by one
    }
    enum kvb_status status = kvb_fields_read(reading, root, &top, policy);
    return status == KVB_OK ? check_ranges(reading, policy) : status;
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
        struct place_of_policy place = {folder};
        const struct kvb_reading reading = {&tree, &place, problems};
        status = read_root(&reading, read);
        kvb_tree_free(&tree);
    }
    if (status == KVB_OK) {
        *policy = *read;
    }
    kvb_free(read);
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

bool kvb_policy_key_at(unsigned index, struct kvb_profile_key *key)
{
    return kvb_field_key_at(&top, index, key);
}
