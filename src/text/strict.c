// The strict pass: unknown and missing keys, wrong types, wrong words, numbers out of range.
#include "text/strict.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/plan.h>
#include <kvbudget/units.h>

#include "base/text.h"

#define SHOWN_LENGTH 60
#define KEYS_CAPACITY 160

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
    if (value > 0 && value < KVB_SIZE_LEAST_BYTES) {
        return kvb_expected(tree, node, KVB_OUT_OF_RANGE, KVB_SIZE_LEAST, problems);
    }
    if (value == 0 && !zero_allowed) {
        return kvb_expected(tree, node, KVB_OUT_OF_RANGE, expected, problems);
    }
    *bytes = value;
    return KVB_OK;
}

// ---- values by their rows

static enum kvb_status read_scalar(const struct kvb_reading *reading, const struct kvb_node *node,
                                   const struct kvb_field_row *row, void *out)
{
    char expected[160] = "";
    bool scalar = node->kind == KVB_NODE_SCALAR && !kvb_node_is_null(node);
    enum kvb_status status = kvb_field_put(row, scalar ? node->text : "", node->quoted, out, expected);
    return status == KVB_OK ? KVB_OK : kvb_expected(reading->tree, node, status, expected, reading->problems);
}

static enum kvb_status read_name(const struct kvb_reading *reading, const struct kvb_node *node)
{
    if (node->kind == KVB_NODE_MAPPING) {
        return KVB_OK;
    }
    if (node->kind != KVB_NODE_SCALAR || kvb_node_is_null(node) || node->text[0] == '\0') {
        return kvb_expected(reading->tree, node, KVB_BAD_TYPE, "a name, a path or a mapping", reading->problems);
    }
    if (strlen(node->text) >= KVB_PATH_CAPACITY) {
        char expected[48];
        (void)snprintf(expected, sizeof expected, "at most %d characters", KVB_PATH_CAPACITY - 1);
        return kvb_expected(reading->tree, node, KVB_OUT_OF_RANGE, expected, reading->problems);
    }
    return KVB_OK;
}

static void set_flag(const struct kvb_field_row *row, uint32_t count, void *out)
{
    bool set = true;
    char *at = (char *)out + row->flag - 1;
    bool list = row->kind == KVB_FIELD_TEXT_LIST || row->kind == KVB_FIELD_SIZE_LIST || row->kind == KVB_FIELD_TABLE;
    if (row->flag == 0) {
        return;
    }
    if (list) {
        memcpy(at, &count, sizeof count);
    } else {
        memcpy(at, &set, sizeof set);
    }
}

static enum kvb_status read_entry(const struct kvb_reading *reading, const struct kvb_node *node,
                                  const struct kvb_field_row *row, void *out)
{
    return row->kind == KVB_FIELD_TABLE ? kvb_fields_read(reading, node, row->rows, (char *)out + row->offset)
                                        : read_scalar(reading, node, row, out);
}

static enum kvb_status read_list(const struct kvb_reading *reading, const struct kvb_node *node,
                                 const struct kvb_field_row *row, void *out)
{
    enum kvb_status status = KVB_OK;
    struct kvb_field_row entry = *row; // the same row, one place further each time
    if (node->kind != KVB_NODE_SEQUENCE) {
        return kvb_expected(reading->tree, node, KVB_BAD_TYPE, "a list", reading->problems);
    }
    if (node->count > row->maximum) {
        char expected[48];
        (void)snprintf(expected, sizeof expected, "a list of at most %u entries", (unsigned)row->maximum);
        return kvb_expected(reading->tree, node, KVB_OUT_OF_RANGE, expected, reading->problems);
    }
    for (const struct kvb_node *child = node->first; child; child = child->next) {
        status = worse(status, read_entry(reading, child, &entry, out));
        entry.offset += row->size;
    }
    set_flag(row, node->count, out);
    return status;
}

static enum kvb_status read_value(const struct kvb_reading *reading, const struct kvb_node *node,
                                  const struct kvb_field_row *row, void *out)
{
    switch (row->kind) {
    case KVB_FIELD_TEXT_LIST:
    case KVB_FIELD_SIZE_LIST:
    case KVB_FIELD_TABLE:
        return read_list(reading, node, row, out);
    case KVB_FIELD_GROUP:
        return kvb_fields_read(reading, node, row->rows, (char *)out + row->offset);
    case KVB_FIELD_OWN:
        return row->own(reading, node, out);
    case KVB_FIELD_MAPPING:
        return node->kind == KVB_NODE_MAPPING
                   ? KVB_OK
                   : kvb_expected(reading->tree, node, KVB_BAD_TYPE, "a mapping", reading->problems);
    case KVB_FIELD_MAPPING_LIST:
        return node->kind == KVB_NODE_SEQUENCE
                   ? KVB_OK
                   : kvb_expected(reading->tree, node, KVB_BAD_TYPE, "a list", reading->problems);
    case KVB_FIELD_TEXT_OR_MAPPING:
        return read_name(reading, node);
    default:
        set_flag(row, 0, out);
        return read_scalar(reading, node, row, out);
    }
}

static void offer_keys(struct kvb_nearest *nearest, const struct kvb_schema *schema)
{
    for (size_t i = 0; schema != NULL && i < schema->row_count; i++) {
        kvb_nearest_offer(nearest, schema->rows[i].key);
    }
}

// The first keys of a mapping, as many as a sentence holds; none is as long as half of it.
static void list_keys(const struct kvb_schema *schema, char out[KEYS_CAPACITY])
{
    size_t used = 0, i = 0;
    for (; i < schema->row_count && used < KEYS_CAPACITY / 2; i++) {
        used += (size_t)snprintf(out + used, KEYS_CAPACITY - used, "%s%s", i > 0 ? ", " : "", schema->rows[i].key);
    }
    if (i < schema->row_count) {
        (void)snprintf(out + used, KEYS_CAPACITY - used, ", ...");
    }
}

static enum kvb_status refuse_key(const struct kvb_reading *reading, const struct kvb_node *node,
                                  const struct kvb_schema *schema, const char *nearest)
{
    char keys[KEYS_CAPACITY] = "";
    if (nearest != NULL) {
        return kvb_unknown_key(reading->tree, node, schema->noun, nearest, reading->problems);
    }
    list_keys(schema, keys);
    struct kvb_place place = {reading->tree->file, node->key_line, node->key_column};
    return kvb_problem_add(reading->problems, KVB_ERROR, KVB_UNKNOWN_KEY, place,
                           "unknown key '%.*s' in %s; its keys are %s", SHOWN_LENGTH, node->key, schema->noun, keys);
}

static enum kvb_status read_key(const struct kvb_reading *reading, const struct kvb_node *node,
                                const struct kvb_schema *schema, void *out)
{
    const struct kvb_field_row *row = kvb_field_find(schema, node->key);
    if (row != NULL) {
        return read_value(reading, node, row, out);
    }
    row = schema->also != NULL ? kvb_field_find(schema->also, node->key) : NULL;
    if (row != NULL) {
        return read_value(reading, node, row, (char *)out + schema->also_offset);
    }
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, node->key);
    if (reading->problems->count < KVB_PROBLEMS_MAX) { // nobody reads the guess once the list is full
        offer_keys(&nearest, schema);
        offer_keys(&nearest, schema->also);
    }
    return refuse_key(reading, node, schema, nearest.best);
}

enum kvb_status kvb_fields_read(const struct kvb_reading *reading, const struct kvb_node *node,
                                const struct kvb_schema *schema, void *out)
{
    if (node->kind != KVB_NODE_MAPPING) {
        return kvb_expected(reading->tree, node, KVB_BAD_TYPE, "a mapping", reading->problems);
    }
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *child = node->first; child; child = child->next) {
        status = worse(status, read_key(reading, child, schema, out));
    }
    for (size_t i = 0; i < schema->row_count; i++) {
        const struct kvb_field_row *row = &schema->rows[i];
        if (row->required && !kvb_node_get(node, row->key)) {
            status = worse(status, kvb_problem_add(reading->problems, KVB_ERROR, KVB_MISSING_KEY,
                                                   kvb_node_place(reading->tree, node), "%s needs the key '%s': %s",
                                                   schema->noun, row->key, row->help));
        }
    }
    return status;
}
