// --hf-overrides over a config: mappings are merged key by key, everything else is replaced.
#include <string.h>

#include "model/config/hf_config.h"

// A merged value's place is in another text than the config's.
static void mark_places(struct kvb_node *node, uint32_t mark, unsigned depth)
{
    node->line = (node->line & HF_LINE_MASK) | mark;
    for (struct kvb_node *child = node->first; child && depth < 64; child = child->next) {
        mark_places(child, mark, depth + 1);
    }
}

static struct kvb_node **find(struct kvb_node *mapping, const char *key)
{
    struct kvb_node **link = &mapping->first;
    while (*link && strcmp((*link)->key, key) != 0) {
        link = &(*link)->next;
    }
    return link;
}

// {"text_config": {"rope_theta": 1}} changes one key of text_config; a list or a scalar takes the whole place of what
// was there, and null is a value like another.
static void merge(struct kvb_node *base, struct kvb_node *overrides, uint32_t mark, unsigned depth)
{
    struct kvb_node *child = overrides->first;
    while (child) {
        struct kvb_node *next = child->next;
        struct kvb_node **link = find(base, child->key);
        struct kvb_node *old = *link;
        if (old && old->kind == KVB_NODE_MAPPING && child->kind == KVB_NODE_MAPPING && depth < 64) {
            merge(old, child, mark, depth + 1);
        } else {
            mark_places(child, mark, 0);
            child->next = old ? old->next : NULL;
            *link = child;
            base->count += old ? 0 : 1;
        }
        child = next;
    }
}

void kvb_hf_merge(struct kvb_node *base, struct kvb_node *overrides, uint32_t mark)
{
    if (base->kind == KVB_NODE_MAPPING && overrides->kind == KVB_NODE_MAPPING) {
        merge(base, overrides, mark, 0);
    }
}
