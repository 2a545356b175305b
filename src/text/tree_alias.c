// Anchors by name, the size of what aliases stand for, and merge keys.
#include "text/tree_alias.h"

#include <string.h>

#define KEYS_MAX 1024U // of a mapping with a merge key; they are compared pair by pair

uint32_t kvb_tree_size_add(struct kvb_tree_size *size, struct kvb_tree_size child)
{
    size->nodes = size->nodes > UINT32_MAX - child.nodes ? UINT32_MAX : size->nodes + child.nodes;
    if (size->height < child.height + 1) {
        size->height = child.height + 1;
    }
    return size->nodes;
}

// An alias is the anchored node itself, not a copy, so memory does not grow with it; but whoever walks the tree walks
// it as often as it is named. What aliases stand for is therefore counted as if written out, and capped: ten levels of
// ten aliases are ten thousand million nodes.
bool kvb_anchor_add(struct kvb_anchor **newest, struct kvb_arena *arena, const char *name, const struct kvb_node *node,
                    struct kvb_tree_size size)
{
    struct kvb_anchor *anchor = kvb_arena_take(arena, sizeof *anchor);
    const char *copy = kvb_arena_copy(arena, name, strlen(name));
    if (!anchor || !copy) {
        return false;
    }
    *anchor = (struct kvb_anchor){copy, node, size, *newest};
    *newest = anchor;
    return true;
}

const struct kvb_anchor *kvb_anchor_find(const struct kvb_anchor *newest, const char *name)
{
    while (newest && strcmp(newest->name, name) != 0) {
        newest = newest->older;
    }
    return newest;
}

static enum kvb_status refuse(const struct kvb_tree *tree, const struct kvb_node *node, const char *what,
                              struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_NOT_ALLOWED, kvb_node_place(tree, node), "the merge key '<<' %s",
                           what);
}

// Takes the merge key out of the mapping and returns its value.
static const struct kvb_node *take_out(struct kvb_node *mapping)
{
    struct kvb_node *before = NULL;
    for (struct kvb_node *child = mapping->first; child; before = child, child = child->next) {
        if (strcmp(child->key, "<<") == 0) {
            if (before) {
                before->next = child->next;
            } else {
                mapping->first = child->next;
            }
            mapping->count--;
            return child;
        }
    }
    return NULL;
}

static struct kvb_node *last_child(const struct kvb_node *mapping)
{
    struct kvb_node *last = mapping->first;
    while (last && last->next) {
        last = last->next;
    }
    return last;
}

static enum kvb_status merge_one(const struct kvb_tree *tree, struct kvb_arena *arena, struct kvb_node *mapping,
                                 const struct kvb_node *base, struct kvb_problems *problems)
{
    if (base->kind != KVB_NODE_MAPPING) {
        return refuse(tree, base, "expects a mapping or a list of mappings", problems);
    }
    struct kvb_node *last = last_child(mapping);
    for (const struct kvb_node *child = base->first; child; child = child->next) {
        if (kvb_node_get(mapping, child->key)) {
            continue;
        }
        struct kvb_node *copy = mapping->count < KEYS_MAX ? kvb_arena_take(arena, sizeof *copy) : NULL;
        if (!copy) {
            return refuse(tree, base, "brings more keys than can be held", problems);
        }
        *copy = *child;
        copy->next = NULL;
        if (last) {
            last->next = copy;
        } else {
            mapping->first = copy;
        }
        last = copy;
        mapping->count++;
    }
    return KVB_OK;
}

enum kvb_status kvb_tree_merge(const struct kvb_tree *tree, struct kvb_arena *arena, struct kvb_node *mapping,
                               struct kvb_problems *problems)
{
    const struct kvb_node *merged = take_out(mapping);
    if (!merged) {
        return KVB_OK;
    }
    if (merged->kind != KVB_NODE_SEQUENCE) {
        return merge_one(tree, arena, mapping, merged, problems);
    }
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *base = merged->first; base && status == KVB_OK; base = base->next) {
        status = merge_one(tree, arena, mapping, base, problems);
    }
    return status;
}
