// The sentences that say where a tree departs from what was expected.
#ifndef KVB_TEXT_STRICT_H
#define KVB_TEXT_STRICT_H

#include "text/field.h"
#include "text/tree.h"

// What a value is, for "found ..." in a sentence: "a list", "'80GiB'" (cut to fit `out`).
const char *kvb_node_describe(const struct kvb_node *node, char out[96]);

// One sentence "KEY: expected EXPECTED, found ..." at the value's place; returns `status`.
enum kvb_status kvb_expected(const struct kvb_tree *tree, const struct kvb_node *node, enum kvb_status status,
                             const char *expected, struct kvb_problems *problems);

// "unknown key 'KEY' in NOUN; did you mean 'NEAREST'?" at the key's place.
enum kvb_status kvb_unknown_key(const struct kvb_tree *tree, const struct kvb_node *node, const char *noun,
                                const char *nearest, struct kvb_problems *problems);

// A size above zero; says what is wrong otherwise.
enum kvb_status kvb_node_bytes(const struct kvb_tree *tree, const struct kvb_node *node, bool zero_allowed,
                               uint64_t *bytes, struct kvb_problems *problems) KVB_MUST_USE;

#endif
