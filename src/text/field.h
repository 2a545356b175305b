// One row per key of a mapping: it judges the value, puts it into a member of a struct and documents the key.
#ifndef KVB_TEXT_FIELD_H
#define KVB_TEXT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/problem.h>

#include "text/tree.h"

// "24" is 24 bytes, which nobody means.
#define KVB_SIZE_LEAST_BYTES (UINT64_C(1) << 20)
#define KVB_SIZE_LEAST "a size of a MiB or more, with its unit such as 8192MiB or 79.18GiB"

enum kvb_field_kind {
    KVB_FIELD_TEXT,      // one line: char[size]
    KVB_FIELD_RELEASE,   // "0.11.0": char[size]
    KVB_FIELD_WORD,      // one of `words`: its index, counted from `minimum`; an enum or uint32_t
    KVB_FIELD_WHOLE,     // whole number from minimum to maximum: uint32_t or uint64_t
    KVB_FIELD_SIZE,      // "8192MiB", from minimum (0 or 1): uint64_t bytes
    KVB_FIELD_PPM,       // a fraction above 0 up to maximum: uint32_t parts per million
    KVB_FIELD_COUNT,     // tokens, "32K", above 0: uint64_t
    KVB_FIELD_DATE,      // "2026-12-31": uint32_t 20261231
    KVB_FIELD_SWITCH,    // true or false: bool
    KVB_FIELD_NOT,       // likewise, turned around
    KVB_FIELD_TEXT_LIST, // char[maximum][size]
    KVB_FIELD_SIZE_LIST, // uint64_t[maximum]
    KVB_FIELD_TABLE,     // a list of mappings with rows of their own: struct[maximum]
    KVB_FIELD_GROUP,     // a mapping with rows of its own: struct
    KVB_FIELD_OWN,       // `own` reads it
    // judged here, read from the tree by whoever asked
    KVB_FIELD_MAPPING,
    KVB_FIELD_TEXT_OR_MAPPING,
    KVB_FIELD_MAPPING_LIST,
};

// Where a reading stands: `context` is whatever the caller of kvb_fields_read gave.
struct kvb_reading {
    const struct kvb_tree *tree;
    void *context;
    struct kvb_problems *problems;
};

// Reads one value into the struct of its mapping.
typedef enum kvb_status kvb_field_reader(const struct kvb_reading *reading, const struct kvb_node *node, void *out);

struct kvb_schema;

struct kvb_field_row {
    const char *key;
    enum kvb_field_kind kind;
    size_t offset, size;       // of the member; lists: size of one entry
    uint64_t minimum, maximum; // of a number; of the entries of a list
    size_t flag;               // 1 + offset, 0: none; lists: uint32_t count; others: bool, true once the key was there
    bool required;
    const char *const *words; // ends in NULL
    const struct kvb_schema *rows;
    kvb_field_reader *own;
    const char *help;
};

// The rows of one mapping; `noun` as messages call it ("a GPU profile").
struct kvb_schema {
    const char *noun;
    const struct kvb_field_row *rows;
    size_t row_count;
    const struct kvb_schema *also; // further keys, of a struct inside; NULL: none
    size_t also_offset;
};

// Parts of a row: {"key", KIND, KVB_AT(struct x, member), .help = "..."}.
#define KVB_AT(type, member) .offset = offsetof(type, member), .size = sizeof((type *)NULL)->member
#define KVB_LIST_AT(type, member, count)                                                                               \
    .offset = offsetof(type, member), .size = sizeof((type *)NULL)->member[0],                                         \
    .maximum = sizeof((type *)NULL)->member / sizeof((type *)NULL)->member[0], .flag = offsetof(type, count) + 1
#define KVB_SET(type, member) .flag = offsetof(type, member) + 1
#define KVB_SCHEMA(noun, rows)                                                                                         \
    {                                                                                                                  \
        noun, rows, sizeof rows / sizeof rows[0], NULL, 0                                                              \
    }

// Judges the mapping `node` by the rows and puts what is right into `out`. All problems in one pass; the first one's
// status, or KVB_OK.
enum kvb_status kvb_fields_read(const struct kvb_reading *reading, const struct kvb_node *node,
                                const struct kvb_schema *schema, void *out) KVB_MUST_USE;

const struct kvb_field_row *kvb_field_find(const struct kvb_schema *schema, const char *key); // NULL: no such key

// Puts the text of a scalar into its member. Otherwise `expected` says what would be right, and the status why not.
enum kvb_status kvb_field_put(const struct kvb_field_row *row, const char *text, bool quoted, void *out,
                              char expected[160]) KVB_MUST_USE;

#endif
