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

const struct kvb_node *kvb_node_path(const struct kvb_node *node, const char *path)
{
    char key[64];
    while (node != NULL && *path != '\0') {
        size_t length = strcspn(path, ".");
        if (length >= sizeof key) {
            return NULL;
        }
        memcpy(key, path, length);
        key[length] = '\0';
        node = kvb_node_get(node, key);
        path += length + (path[length] == '.');
    }
    return node;
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
