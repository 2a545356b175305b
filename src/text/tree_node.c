// Looking at the nodes of a tree.
#include <string.h>

#include "text/tree.h"

const struct kvb_node *kvb_node_get(const struct kvb_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != KVB_NODE_MAPPING) {
        return NULL;
    }
    for (const struct kvb_node *child = mapping->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

bool kvb_node_is_null(const struct kvb_node *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != KVB_NODE_SCALAR || node->quoted) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct kvb_place kvb_node_place(const struct kvb_tree *tree, const struct kvb_node *node)
{
    return (struct kvb_place){tree->file, node->line, node->column};
}
