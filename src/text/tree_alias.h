// Anchors, aliases and merge keys of a manifest.
#ifndef KVB_TEXT_TREE_ALIAS_H
#define KVB_TEXT_TREE_ALIAS_H

#include "base/arena.h"
#include "text/tree.h"

// The most values all aliases of a file may stand for: a bomb is refused, a long compose file is not.
#define KVB_TREE_EXPANDED_MAX UINT32_C(200000)

// Of a node with everything below it.
struct kvb_tree_size {
    uint32_t nodes; // stops at UINT32_MAX
    uint32_t height;
};

// Adds a child to `size`; returns the new number of nodes.
uint32_t kvb_tree_size_add(struct kvb_tree_size *size, struct kvb_tree_size child);

struct kvb_anchor {
    const char *name;
    const struct kvb_node *node;
    struct kvb_tree_size size;
    struct kvb_anchor *older;
};

// False: no memory.
bool kvb_anchor_add(struct kvb_anchor **newest, struct kvb_arena *arena, const char *name, const struct kvb_node *node,
                    struct kvb_tree_size size);
const struct kvb_anchor *kvb_anchor_find(const struct kvb_anchor *newest, const char *name);

// Replaces `<<: *base` and `<<: [*a, *b]` by the keys they bring that the mapping does not have.
enum kvb_status kvb_tree_merge(const struct kvb_tree *tree, struct kvb_arena *arena, struct kvb_node *mapping,
                               struct kvb_problems *problems) KVB_MUST_USE;

#endif
