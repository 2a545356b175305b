// One row per key of a profile: it judges the tree, binds the text and documents the key.
#ifndef KVB_TEXT_FIELD_H
#define KVB_TEXT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kvb_field_kind {
    KVB_FIELD_TEXT,      // one line of text: char[size]
    KVB_FIELD_WORD,      // one of `words`: char[size]
    KVB_FIELD_WHOLE,     // whole number from minimum to maximum: uint64_t
    KVB_FIELD_SWITCH,    // true or false: bool
    KVB_FIELD_SIZE,      // size as text, "8192MiB", above 0: char[size]
    KVB_FIELD_RELEASE,   // "0.11.0": char[size]
    KVB_FIELD_TEXT_LIST, // char[maximum][size] and a uint32_t count
    KVB_FIELD_SIZE_LIST,
    // read from the tree by the profile kind itself, not bound
    KVB_FIELD_MAPPING,
    KVB_FIELD_TEXT_OR_MAPPING,
    KVB_FIELD_MAPPING_LIST,
};

struct kvb_field_row {
    const char *key;
    enum kvb_field_kind kind;
    bool required;
    uint64_t minimum, maximum; // of a whole number; of the entries of a list
    size_t offset;             // in the raw struct
    size_t size;               // capacity of text, or of one entry
    size_t count_offset;       // lists
    const char *const *words;  // ends in NULL
    const char *help;
};

// Makes a row for a member of a raw struct.
#define KVB_TEXT_ROW(key, required, raw, member, help)                                                                 \
    {                                                                                                                  \
        key, KVB_FIELD_TEXT, required, 0, 0, offsetof(raw, member), sizeof((raw *)NULL)->member, 0, NULL, help         \
    }
#define KVB_WORD_ROW(key, required, words, raw, member, help)                                                          \
    {                                                                                                                  \
        key, KVB_FIELD_WORD, required, 0, 0, offsetof(raw, member), sizeof((raw *)NULL)->member, 0, words, help        \
    }
#define KVB_WHOLE_ROW(key, required, minimum, maximum, raw, member, help)                                              \
    {                                                                                                                  \
        key, KVB_FIELD_WHOLE, required, minimum, maximum, offsetof(raw, member), sizeof((raw *)NULL)->member, 0, NULL, \
            help                                                                                                       \
    }
#define KVB_SWITCH_ROW(key, required, raw, member, help)                                                               \
    {                                                                                                                  \
        key, KVB_FIELD_SWITCH, required, 0, 0, offsetof(raw, member), sizeof((raw *)NULL)->member, 0, NULL, help       \
    }
#define KVB_SIZE_ROW(key, required, raw, member, help)                                                                 \
    {                                                                                                                  \
        key, KVB_FIELD_SIZE, required, 0, 0, offsetof(raw, member), sizeof((raw *)NULL)->member, 0, NULL, help         \
    }
#define KVB_RELEASE_ROW(key, required, raw, member, help)                                                              \
    {                                                                                                                  \
        key, KVB_FIELD_RELEASE, required, 0, 0, offsetof(raw, member), sizeof((raw *)NULL)->member, 0, NULL, help      \
    }
#define KVB_LIST_ROW(key, kind, required, raw, member, count, help)                                                    \
    {                                                                                                                  \
        key, kind, required, 0, sizeof((raw *)NULL)->member / sizeof((raw *)NULL)->member[0], offsetof(raw, member),   \
            sizeof((raw *)NULL)->member[0], offsetof(raw, count), NULL, help                                           \
    }
#define KVB_TREE_ROW(key, kind, help)                                                                                  \
    {                                                                                                                  \
        key, kind, false, 0, 0, 0, 0, 0, NULL, help                                                                    \
    }

// The rows of one profile kind; `noun` as messages call it ("a GPU profile").
struct kvb_schema {
    const char *noun;
    const struct kvb_field_row *rows;
    size_t row_count;
    size_t raw_size;
};

#endif
