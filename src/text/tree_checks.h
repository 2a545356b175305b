// Checks of the tree reader that need no parser: bytes before it, repeated keys after it.
#ifndef KVB_TEXT_TREE_CHECKS_H
#define KVB_TEXT_TREE_CHECKS_H

#include <stddef.h>

#include "text/tree.h"

// Refuses NUL bytes, tag directives (libyaml spends quadratic time on them) and text over the cap.
enum kvb_status kvb_tree_check_bytes(const char *file, const char *text, size_t length,
                                     struct kvb_problems *problems) KVB_MUST_USE;

// Says every key of a mapping that was there before; n log n.
enum kvb_status kvb_tree_check_duplicates(const struct kvb_tree *tree, const struct kvb_node *mapping,
                                          struct kvb_problems *problems) KVB_MUST_USE;

// Of several values under one key the last one stays; a mapping of very many keys stays as it is.
void kvb_tree_keep_last(struct kvb_node *mapping);

struct kvb_place kvb_tree_place_of_offset(const char *file, const char *text, size_t length, size_t offset);

#endif
