// The strict pass: unknown and missing keys, wrong types, wrong words, numbers out of range.
#include "text/strict.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/plan.h>
#include <kvbudget/units.h>

#include "base/text.h"

#define SHOWN_LENGTH 60

static enum kvb_status worse(enum kvb_status first, enum kvb_status then)
{
    return first == KVB_OK ? then : first;
}

const char *kvb_node_describe(const struct kvb_node *node, char out[96])
{
    if (node->kind == KVB_NODE_SEQUENCE) {
        return "a list";
    }
    if (node->kind == KVB_NODE_MAPPING) {
        return "a mapping";
    }
    if (kvb_node_is_null(node)) {
        return "nothing";
    }
    size_t length = strlen(node->text);
    const char *quote = node->quoted ? "\"" : "'";
    (void)snprintf(out, 96, "%s%.*s%s%s%s", quote, SHOWN_LENGTH, node->text, length > SHOWN_LENGTH ? "..." : "", quote,
                   node->quoted ? " in quotes" : "");
    return out;
}

enum kvb_status kvb_expected(const struct kvb_tree *tree, const struct kvb_node *node, enum kvb_status status,
                             const char *expected, struct kvb_problems *problems)
{
    char found[96];
    return kvb_problem_add(problems, KVB_ERROR, status, kvb_node_place(tree, node), "%s%sexpected %s, found %s",
                           node->key ? node->key : "", node->key ? ": " : "", expected, kvb_node_describe(node, found));
}

enum kvb_status kvb_unknown_key(const struct kvb_tree *tree, const struct kvb_node *node, const char *noun,
                                const char *nearest, struct kvb_problems *problems)
{
    struct kvb_place place = {tree->file, node->key_line, node->key_column};
    return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KEY, place, "unknown key '%.*s' in %s%s%s%s", SHOWN_LENGTH,
                           node->key, noun, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                           nearest ? "'?" : "");
}

enum kvb_status kvb_node_bytes(const struct kvb_tree *tree, const struct kvb_node *node, bool zero_allowed,
                               uint64_t *bytes, struct kvb_problems *problems)
{
    const char *expected = zero_allowed ? "a size such as 8192MiB or 0" : "a size above 0 such as 8192MiB or 79.18GiB";
    uint64_t value;
    if (node->kind != KVB_NODE_SCALAR || !kvb_parse_bytes(node->text, &value)) {
        return kvb_expected(tree, node, KVB_BAD_TYPE, expected, problems);
    }
    if (value == 0 && !zero_allowed) {
        return kvb_expected(tree, node, KVB_OUT_OF_RANGE, expected, problems);
    }
    *bytes = value;
    return KVB_OK;
}

static enum kvb_status check_text(const struct kvb_tree *tree, const struct kvb_node *node, size_t capacity,
                                  struct kvb_problems *problems)
{
    if (node->kind != KVB_NODE_SCALAR || kvb_node_is_null(node) || node->text[0] == '\0') {
        return kvb_expected(tree, node, KVB_BAD_TYPE, "text", problems);
    }
    if (strlen(node->text) >= capacity) {
        char expected[48];
        (void)snprintf(expected, sizeof expected, "at most %zu characters", capacity - 1);
        return kvb_expected(tree, node, KVB_OUT_OF_RANGE, expected, problems);
    }
    return KVB_OK;
}

static enum kvb_status check_name(const struct kvb_tree *tree, const struct kvb_node *node,
                                  struct kvb_problems *problems)
{
    if (node->kind != KVB_NODE_SCALAR || kvb_node_is_null(node) || node->text[0] == '\0') {
        return kvb_expected(tree, node, KVB_BAD_TYPE, "a name, a path or a mapping", problems);
    }
    return check_text(tree, node, KVB_PATH_CAPACITY, problems);
}

static enum kvb_status check_word(const struct kvb_tree *tree, const struct kvb_node *node,
                                  const struct kvb_field_row *row, struct kvb_problems *problems)
{
    char expected[160] = "";
    for (size_t i = 0; row->words[i]; i++) {
        if (node->kind == KVB_NODE_SCALAR && strcmp(node->text, row->words[i]) == 0) {
            return KVB_OK;
        }
        size_t used = strlen(expected);
        const char *joint = i == 0 ? "" : row->words[i + 1] ? ", " : " or ";
        (void)snprintf(expected + used, sizeof expected - used, "%s%s", joint, row->words[i]);
    }
    return kvb_expected(tree, node, KVB_BAD_TYPE, expected, problems);
}

static enum kvb_status check_whole(const struct kvb_tree *tree, const struct kvb_node *node,
                                   const struct kvb_field_row *row, struct kvb_problems *problems)
{
    char expected[96];
    (void)snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)row->minimum,
                   (unsigned long long)row->maximum);
    uint64_t value;
    if (node->kind != KVB_NODE_SCALAR || node->quoted || !kvb_parse_whole(node->text, &value)) {
        return kvb_expected(tree, node, KVB_BAD_TYPE, expected, problems);
    }
    bool inside = value >= row->minimum && value <= row->maximum;
    return inside ? KVB_OK : kvb_expected(tree, node, KVB_OUT_OF_RANGE, expected, problems);
}

static enum kvb_status check_switch(const struct kvb_tree *tree, const struct kvb_node *node,
                                    struct kvb_problems *problems)
{
    bool known = node->kind == KVB_NODE_SCALAR && !node->quoted &&
                 (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0);
    return known ? KVB_OK : kvb_expected(tree, node, KVB_BAD_TYPE, "true or false", problems);
}

static enum kvb_status check_size(const struct kvb_tree *tree, const struct kvb_node *node, size_t capacity,
                                  struct kvb_problems *problems)
{
    uint64_t bytes;
    enum kvb_status status = kvb_node_bytes(tree, node, false, &bytes, problems);
    return status == KVB_OK ? check_text(tree, node, capacity, problems) : status;
}

static enum kvb_status check_release(const struct kvb_tree *tree, const struct kvb_node *node, size_t capacity,
                                     struct kvb_problems *problems)
{
    uint32_t release;
    bool known = node->kind == KVB_NODE_SCALAR && kvb_release_parse(node->text, &release);
    return known ? check_text(tree, node, capacity, problems)
                 : kvb_expected(tree, node, KVB_BAD_TYPE, "a release such as 0.11.0", problems);
}

static enum kvb_status check_list(const struct kvb_tree *tree, const struct kvb_node *node,
                                  const struct kvb_field_row *row, struct kvb_problems *problems)
{
    if (node->kind != KVB_NODE_SEQUENCE) {
        return kvb_expected(tree, node, KVB_BAD_TYPE, "a list", problems);
    }
    if (node->count > row->maximum) {
        char expected[48];
        (void)snprintf(expected, sizeof expected, "a list of at most %u", (unsigned)row->maximum);
        return kvb_expected(tree, node, KVB_OUT_OF_RANGE, expected, problems);
    }
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *entry = node->first; entry; entry = entry->next) {
        enum kvb_status one = row->kind == KVB_FIELD_SIZE_LIST ? check_size(tree, entry, row->size, problems)
                                                               : check_text(tree, entry, row->size, problems);
        status = worse(status, one);
    }
    return status;
}

static enum kvb_status check_value(const struct kvb_tree *tree, const struct kvb_node *node,
                                   const struct kvb_field_row *row, struct kvb_problems *problems)
{
    switch (row->kind) {
    case KVB_FIELD_TEXT:
        return check_text(tree, node, row->size, problems);
    case KVB_FIELD_WORD:
        return check_word(tree, node, row, problems);
    case KVB_FIELD_WHOLE:
        return check_whole(tree, node, row, problems);
    case KVB_FIELD_SWITCH:
        return check_switch(tree, node, problems);
    case KVB_FIELD_SIZE:
        return check_size(tree, node, row->size, problems);
    case KVB_FIELD_RELEASE:
        return check_release(tree, node, row->size, problems);
    case KVB_FIELD_TEXT_LIST:
    case KVB_FIELD_SIZE_LIST:
        return check_list(tree, node, row, problems);
    case KVB_FIELD_MAPPING:
        return node->kind == KVB_NODE_MAPPING ? KVB_OK : kvb_expected(tree, node, KVB_BAD_TYPE, "a mapping", problems);
    case KVB_FIELD_MAPPING_LIST:
        return node->kind == KVB_NODE_SEQUENCE ? KVB_OK : kvb_expected(tree, node, KVB_BAD_TYPE, "a list", problems);
    case KVB_FIELD_TEXT_OR_MAPPING:
        return node->kind == KVB_NODE_MAPPING ? KVB_OK : check_name(tree, node, problems);
    }
    return KVB_OK;
}

static enum kvb_status check_key(const struct kvb_tree *tree, const struct kvb_node *node,
                                 const struct kvb_schema *schema, struct kvb_problems *problems)
{
    for (size_t i = 0; i < schema->row_count; i++) {
        if (strcmp(schema->rows[i].key, node->key) == 0) {
            return check_value(tree, node, &schema->rows[i], problems);
        }
    }
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, node->key);
    // Nobody reads the guess once the list of problems is full.
    for (size_t i = 0; i < schema->row_count && problems->count < KVB_PROBLEMS_MAX; i++) {
        kvb_nearest_offer(&nearest, schema->rows[i].key);
    }
    return kvb_unknown_key(tree, node, schema->noun, nearest.best, problems);
}

enum kvb_status kvb_strict_check(const struct kvb_tree *tree, const struct kvb_node *node,
                                 const struct kvb_schema *schema, struct kvb_problems *problems)
{
    if (node->kind != KVB_NODE_MAPPING) {
        return kvb_expected(tree, node, KVB_BAD_TYPE, "a mapping", problems);
    }
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *child = node->first; child; child = child->next) {
        status = worse(status, check_key(tree, child, schema, problems));
    }
    for (size_t i = 0; i < schema->row_count; i++) {
        const struct kvb_field_row *row = &schema->rows[i];
        if (row->required && !kvb_node_get(node, row->key)) {
            enum kvb_status missing = kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(tree, node),
                                                      "%s needs the key '%s': %s", schema->noun, row->key, row->help);
            status = worse(status, missing);
        }
    }
    return status;
}
