// Settings, environment, reserve and terms: mappings whose keys are names from other tables.
#include "deployment/profile_maps.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command/environment.h"
#include "command/json_flag.h"
#include "engines/flags.h"
#include "text/field.h"
#include "text/strict.h"

static enum kvb_status first_of(enum kvb_status first, enum kvb_status then)
{
    return first == KVB_OK ? then : first;
}

// What is no mapping has been refused by the strict pass.
static const struct kvb_node *entries_of(const struct kvb_node *node)
{
    return node && node->kind == KVB_NODE_MAPPING ? node->first : NULL;
}

// A text value of a flag that takes JSON: "[1, 2]" or '{"method": "ngram"}' inside YAML.
static enum kvb_status read_json_text(const struct kvb_flag_row *row, const struct kvb_flag_part *part)
{
    struct kvb_tree tree;
    enum kvb_status status =
        kvb_tree_read(&tree, part->tree->file, part->node->text, strlen(part->node->text), part->problems);
    if (status == KVB_OK) {
        struct kvb_flag_part inner = *part;
        inner.tree = &tree;
        inner.node = tree.root;
        status = row->read(&inner);
    }
    kvb_tree_free(&tree);
    return status;
}

static enum kvb_status read_json_flag(const struct kvb_flag_row *row, const struct kvb_tree *tree,
                                      const struct kvb_node *node, struct kvb_deployment *deployment,
                                      struct kvb_problems *problems)
{
    struct kvb_flag_part part = {tree, node, KVB_ORIGIN_PROFILE, deployment, problems, false};
    bool json_text = node->kind == KVB_NODE_SCALAR && (node->text[0] == '{' || node->text[0] == '[');
    if (!json_text) {
        return row->read(&part);
    }
    // Places inside the text are not places of the file: every problem moves to the value's own place.
    uint32_t before = problems->count;
    enum kvb_status status = read_json_text(row, &part);
    for (uint32_t i = before; i < problems->count; i++) {
        problems->items[i].line = node->line;
        problems->items[i].column = node->column;
    }
    return status;
}

// A flag of the engine, or a setting by the name that all engines share.
static enum kvb_status read_plain_setting(const struct kvb_tree *tree, const struct kvb_node *node,
                                          const struct kvb_serve_flag *flag, struct kvb_settings *settings,
                                          struct kvb_problems *problems)
{
    char why[256];
    uint64_t number;
    if (node->kind != KVB_NODE_SCALAR || kvb_node_is_null(node)) {
        return kvb_expected(tree, node, KVB_BAD_TYPE, "one value", problems);
    }
    enum kvb_status status = kvb_serve_value_read(flag, node->text, &number, why);
    if (status != KVB_OK) {
        return kvb_problem_add(problems, KVB_ERROR, status, kvb_node_place(tree, node), "%s: %s", node->key, why);
    }
    kvb_settings_set(settings, (enum kvb_setting)flag->id, number, KVB_ORIGIN_PROFILE);
    return KVB_OK;
}

// A switch of the engine that stands for one value of a setting: `disable_cuda_graph: true`. False leaves the default.
static enum kvb_status read_fixed_setting(const struct kvb_tree *tree, const struct kvb_node *node,
                                          const struct kvb_serve_flag *flag, struct kvb_settings *settings,
                                          struct kvb_problems *problems)
{
    bool yes = node->kind == KVB_NODE_SCALAR && kvb_equal_ignoring_case(node->text, "true");
    if (!yes && (node->kind != KVB_NODE_SCALAR || !kvb_equal_ignoring_case(node->text, "false"))) {
        return kvb_expected(tree, node, KVB_BAD_TYPE, "true or false", problems);
    }
    if (yes) {
        kvb_settings_set(settings, (enum kvb_setting)flag->id, flag->number, KVB_ORIGIN_PROFILE);
    }
    return KVB_OK;
}

static enum kvb_setting find_setting(const char *key)
{
    unsigned i = 0;
    while (i < KVB_SETTING_COUNT && strcmp(kvb_setting_row_of(i)->key, key) != 0) {
        i++;
    }
    return (enum kvb_setting)i;
}

// The flag of the engine that is written so with underscores, or NULL.
static const struct kvb_serve_flag *find_flag(const struct kvb_engine_rows *engine, const char *key)
{
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = engine->flag(i)) != NULL && strchr(key, '-') == NULL; i++) {
        bool sets = flag->kind == KVB_SERVE_SETTING || flag->kind == KVB_SERVE_SETS;
        if (sets && !flag->serve_only && flag->name != NULL &&
            kvb_match_name(key, strlen(key), flag->name) == KVB_NAME_EQUAL) {
            return flag;
        }
    }
    return NULL;
}

// The nearest of settings and of flags with JSON; the latter in the profile's spelling.
static enum kvb_status unknown_setting(const struct kvb_tree *tree, const struct kvb_node *node,
                                       const struct kvb_engine_rows *engine, struct kvb_problems *problems)
{
    char underscored[64] = "";
    struct kvb_nearest nearest;
    const struct kvb_serve_flag *flag;
    kvb_nearest_init(&nearest, node->key);
    bool read = problems->count < KVB_PROBLEMS_MAX; // else nobody reads the guess
    bool shown[KVB_SETTING_COUNT];
    kvb_engine_shown(engine, shown);
    for (unsigned i = 0; read && i < KVB_SETTING_COUNT; i++) {
        if (shown[i]) {
            kvb_nearest_offer(&nearest, kvb_setting_row_of(i)->key);
        }
    }
    for (unsigned i = 0; read && (flag = engine->flag(i)) != NULL; i++) {
        if (flag->kind <= KVB_SERVE_SETS && !flag->serve_only && flag->name != NULL) {
            kvb_nearest_offer(&nearest, flag->name);
        }
    }
    for (size_t i = 0; read && i < kvb_flag_row_count; i++) {
        kvb_nearest_offer(&nearest, kvb_flag_rows[i].flag);
    }
    (void)kvb_copy(underscored, sizeof underscored, nearest.best ? nearest.best : "");
    for (char *c = underscored; *c; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    return kvb_unknown_key(tree, node, "a settings mapping", nearest.best ? underscored : NULL, problems);
}

static enum kvb_status read_setting(const struct kvb_tree *tree, const struct kvb_node *node,
                                    const struct kvb_engine_rows *engine, struct kvb_deployment *deployment,
                                    struct kvb_problems *problems)
{
    const struct kvb_flag_row *json = strchr(node->key, '-') ? NULL : kvb_flag_row_find(node->key);
    if (json) {
        return read_json_flag(json, tree, node, deployment, problems);
    }
    const struct kvb_serve_flag *flag = find_flag(engine, node->key);
    if (flag != NULL && flag->kind == KVB_SERVE_SETS) {
        return read_fixed_setting(tree, node, flag, &deployment->settings, problems);
    }
    const struct kvb_serve_flag shared = {.kind = KVB_SERVE_SETTING, .id = (uint32_t)find_setting(node->key)};
    if (flag == NULL && shared.id == KVB_SETTING_COUNT) {
        return unknown_setting(tree, node, engine, problems);
    }
    return read_plain_setting(tree, node, flag != NULL ? flag : &shared, &deployment->settings, problems);
}

enum kvb_status kvb_read_settings_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                      const struct kvb_engine_rows *engine, struct kvb_deployment *deployment,
                                      struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *child = entries_of(node); child; child = child->next) {
        status = first_of(status, read_setting(tree, child, engine, deployment, problems));
    }
    return status;
}

enum kvb_status kvb_read_environment_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                         struct kvb_environment *environment, struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *child = entries_of(node); child; child = child->next) {
        enum kvb_status one =
            child->kind == KVB_NODE_SCALAR
                ? kvb_environment_set_at(child->key, child->text, kvb_node_place(tree, child), environment, problems)
                : kvb_expected(tree, child, KVB_BAD_TYPE, "one value", problems);
        status = first_of(status, one);
    }
    return status;
}

static enum kvb_status read_reserve(const struct kvb_tree *tree, const struct kvb_node *node,
                                    struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    struct kvb_reserve reserve;
    enum kvb_status status = kvb_node_bytes(tree, node, true, &reserve.bytes, problems);
    if (status != KVB_OK) {
        return status;
    }
    if (!kvb_copy(reserve.name, sizeof reserve.name, node->key) || node->key[0] == '\0') {
        return kvb_expected(tree, node, KVB_OUT_OF_RANGE, "a name of 1 to 47 characters", problems);
    }
    if (deployment->reserve_count == KVB_RESERVES_MAX) {
        return kvb_expected(tree, node, KVB_OUT_OF_RANGE, "at most 16 reserves", problems);
    }
    deployment->reserves[deployment->reserve_count++] = reserve;
    return KVB_OK;
}

enum kvb_status kvb_read_reserve_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                     struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *child = entries_of(node); child; child = child->next) {
        status = first_of(status, read_reserve(tree, child, deployment, problems));
    }
    return status;
}

#define TERM(name, index, text)                                                                                        \
    {                                                                                                                  \
        name, KVB_FIELD_SIZE, KVB_AT(struct terms, stated[index].bytes), KVB_SET(struct terms, stated[index].set),     \
            .help = text                                                                                               \
    }

struct terms {
    struct kvb_stated_term stated[KVB_STATED_COUNT];
};

static const struct kvb_field_row term_rows[] = {
    TERM("weights", KVB_STATED_WEIGHTS, "loaded weights of one rank"),
    TERM("activation", KVB_STATED_ACTIVATION, "peak of the profile run"),
    TERM("non_torch", KVB_STATED_NON_TORCH, "what is held beside the allocator"),
    TERM("cuda_graph", KVB_STATED_CUDA_GRAPH, "CUDA graphs"),
    TERM("kv_cache_need", KVB_STATED_KV_NEED, "KV cache wanted, instead of one request of full length"),
};
_Static_assert(sizeof term_rows / sizeof term_rows[0] == KVB_STATED_COUNT, "one key per stated term");
static const struct kvb_schema term_schema = KVB_SCHEMA("a terms mapping", term_rows);

enum kvb_status kvb_read_terms_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                   struct kvb_stated_term stated[KVB_STATED_COUNT], struct kvb_problems *problems)
{
    const struct kvb_reading reading = {tree, NULL, problems};
    struct terms terms = {0};
    if (entries_of(node) == NULL) {
        return KVB_OK;
    }
    memcpy(terms.stated, stated, sizeof terms.stated);
    enum kvb_status status = kvb_fields_read(&reading, node, &term_schema, &terms);
    memcpy(stated, terms.stated, sizeof terms.stated);
    return status;
}
