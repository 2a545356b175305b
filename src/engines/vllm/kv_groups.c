// Buckets to groups: which layers share a block table, by release.
// Source: vllm/v1/core/kv_cache_utils.py get_kv_cache_groups and what it calls.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"

static void copy_buckets(const struct kvb_buckets *from, struct kvb_buckets *to)
{
    to->count = from->count;
    to->overflow = from->overflow;
    memcpy(to->items, from->items, from->count * sizeof from->items[0]);
}

// Buckets that became alike share one.
static void rejoin(struct kvb_buckets *buckets)
{
    uint32_t count = buckets->count;
    buckets->count = 0;
    for (uint32_t i = 0; i < count; i++) { // joined ones stand before those still to come
        struct kvb_bucket next = buckets->items[i];
        kvb_bucket_join(buckets, &next);
    }
}

static uint64_t largest_page(const struct kvb_buckets *buckets)
{
    uint64_t page = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        page = kvb_max(page, buckets->items[i].page_bytes);
    }
    return page;
}

static bool may_pad(const struct kvb_context *context, const struct kvb_bucket *bucket)
{
    uint32_t rule = kvb_rule(context, KVB_RULE_UNIFY_PAGES);
    if (bucket->packed) {
        return false;
    }
    return kvb_is_state(bucket->kind) ? rule >= 3 : rule >= 2 && bucket->kind != KVB_ATTENTION_MLA;
}

// All groups draw blocks from one pool, so a block id must mean the same bytes in each: pages are made equal. A bucket
// whose page divides the largest gets more tokens a block; one whose does not is padded where the release allows it.
// Makes all pages equal by larger blocks (or padding); false when this release cannot.
static bool unify_pages(const struct kvb_context *context, struct kvb_buckets *buckets)
{
    uint64_t page = largest_page(buckets);
    for (uint32_t i = 0; i < buckets->count; i++) {
        struct kvb_bucket *bucket = &buckets->items[i];
        if (bucket->page_bytes == page) {
            continue;
        }
        if (kvb_rule(context, KVB_RULE_UNIFY_PAGES) == 0) {
            return false;
        }
        if (page % bucket->page_bytes == 0) {
            bucket->block_tokens *= page / bucket->page_bytes;
        } else if (may_pad(context, bucket)) {
            bucket->padded = true;
        } else {
            return false;
        }
        bucket->page_bytes = page;
    }
    return true;
}

// Layers of a group share a block table; a tensor is shared by one layer of every group. With 25 and 5 layers groups
// of 5 fit without waste; with 25 and 24 groups of 24 would leave one layer alone in a group of 24 slots, so from 0.12
// a largest bucket that is hardly larger than the smallest sets the size, and the others are padded with empty slots.
static uint32_t choose_group_size(const struct kvb_context *context, const struct kvb_buckets *buckets)
{
    uint32_t smallest = UINT32_MAX;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        uint32_t count = buckets->items[i].count;
        smallest = (uint32_t)kvb_min(smallest, count);
        largest = (uint32_t)kvb_max(largest, count);
    }
    uint64_t limit = (uint64_t)smallest * kvb_rule(context, KVB_RULE_GROUP_FACTOR);
    return (uint64_t)largest * 100 < limit ? largest : smallest;
}

static void add_group(struct kvb_groups *groups, struct kvb_group group)
{
    if (groups->count < KVB_GROUPS_MAX) {
        groups->items[groups->count++] = group;
    } else {
        groups->layout = KVB_LAYOUT_REFUSED;
    }
}

// 10 layers in groups of 4: slices 0-3, 4-7, 8-9 to 0.10; from 0.11 strides 0 3 6 9, 1 4 7, 2 5 8, so that stages of
// a pipeline hold parts of every group.
static void deal_out(const struct kvb_context *context, const struct kvb_bucket *bucket, uint32_t size,
                     struct kvb_groups *groups)
{
    uint32_t parts = (uint32_t)kvb_div_up(bucket->count, size);
    bool strided = kvb_rule(context, KVB_RULE_GROUPS_STRIDED) != 0;
    for (uint32_t part = 0; part < parts; part++) {
        struct kvb_group group = {bucket, part, parts, bucket->count, 0};
        if (!strided) {
            uint32_t end = (part + 1) * size;
            group = (struct kvb_group){bucket, part * size, 1, (uint32_t)kvb_min(end, bucket->count), 0};
        }
        group.layers = (uint32_t)kvb_div_up(group.limit - group.first, group.stride);
        add_group(groups, group);
    }
}

// One group that holds every bucket: equal pages when there is one bucket only.
static void make_single(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    struct kvb_groups *groups = &sizing->groups;
    const struct kvb_buckets *buckets = &sizing->grouped;
    uint32_t layers = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        layers += buckets->items[i].count;
    }
    groups->layout = buckets->count == 1 ? KVB_LAYOUT_GROUPS : KVB_LAYOUT_UNIFORM;
    groups->group_size = layers;
    groups->whole_model = kvb_rule(context, KVB_RULE_UNIFORM_WHOLE) != 0;
    add_group(groups, (struct kvb_group){&buckets->items[0], 0, 1, layers, layers});
}

static void make_hybrid(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    struct kvb_groups *groups = &sizing->groups;
    groups->layout = KVB_LAYOUT_GROUPS;
    uint32_t size = choose_group_size(context, &sizing->grouped);
    for (uint32_t i = 0; i < sizing->grouped.count; i++) {
        deal_out(context, &sizing->grouped.items[i], size, groups);
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        uint32_t layers = groups->items[i].layers;
        groups->group_size = (uint32_t)kvb_max(groups->group_size, layers);
    }
}

static bool latent_beside_windows(const struct kvb_buckets *buckets)
{
    bool latent = false;
    bool windows = false;
    for (uint32_t i = 0; i < buckets->count; i++) {
        latent = latent || buckets->items[i].kind == KVB_ATTENTION_MLA;
        windows = windows || buckets->items[i].kind == KVB_ATTENTION_SLIDING;
    }
    return latent && windows;
}

// From 0.27: pages of MLA and windows that cannot be made equal are allocated as full attention.
static bool falls_back(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    if (kvb_rule(context, KVB_RULE_UNIFY_PAGES) < 4 ||
        kvb_promote(context, &sizing->own, &sizing->grouped)[0] != '\0') {
        return false;
    }
    make_single(context, sizing);
    return true;
}

// The layer that 0.24 and later name is left out.
static const char *cannot_unify(const struct kvb_context *context)
{
    switch (kvb_rule(context, KVB_RULE_UNIFY_PAGES)) {
    case 0:
        return "NotImplementedError: this release has no KV-cache layout for the page sizes of this model's layers";
    case 1:
        return "The page size of the layer is not divisible by the maximum page size. Cannot unify by adjusting "
               "block_size.";
    default:
        return "page size is not divisible by the maximum page size and cannot be padded. Padding is only supported "
               "for attention layers whose backend indexes KV pages by the block stride (indexes_kv_by_block_stride "
               "is True).";
    }
}

static void make_groups(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    sizing->groups.layout = KVB_LAYOUT_NO_CACHE;
    sizing->groups.count = 0;
    sizing->groups.group_size = 0;
    sizing->groups.whole_model = false;
    sizing->groups.tuples = 0;
    sizing->groups.v4_rule = 0;
    sizing->groups.refusal = "";
    bool v4 = kvb_model_has(context->model, KVB_ATTENTION_DSV4);
    if (!v4 && (context->hybrid_off || !kvb_rule(context, KVB_RULE_GROUPS))) {
        sizing->groups.refusal = kvb_promote(context, &sizing->own, &sizing->grouped);
        if (sizing->groups.refusal[0] != '\0') {
            sizing->groups.layout = KVB_LAYOUT_REFUSED;
            return;
        }
    } else {
        copy_buckets(&sizing->own, &sizing->grouped);
    }
    if (sizing->grouped.overflow) {
        sizing->groups.layout = KVB_LAYOUT_REFUSED;
    } else if (sizing->grouped.count == 0) {
        sizing->groups.layout = KVB_LAYOUT_NO_CACHE;
    } else if (v4) {
        kvb_dsv4_groups(context, sizing);
    } else if (sizing->grouped.count == 1 ||
               (kvb_rule(context, KVB_RULE_UNIFORM_TYPE) && kvb_is_uniform_type(&sizing->grouped))) {
        make_single(context, sizing);
    } else if (kvb_rule(context, KVB_RULE_GROUPS) && unify_pages(context, &sizing->grouped)) {
        rejoin(&sizing->grouped);
        make_hybrid(context, sizing);
    } else if (!latent_beside_windows(&sizing->own) || !falls_back(context, sizing)) {
        sizing->groups.layout = KVB_LAYOUT_REFUSED;
        sizing->groups.refusal = cannot_unify(context);
    }
}

uint32_t kvb_group_size_on(const struct kvb_sizing *sizing, uint32_t stage)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        uint32_t layers = kvb_group_layers_on(&sizing->groups.items[i], stage);
        size = (uint32_t)kvb_max(size, layers);
    }
    return size;
}

static uint32_t bucket_layers_on(const struct kvb_bucket *bucket, uint32_t stage)
{
    return (uint32_t)(bucket->before[stage + 1] - bucket->before[stage]);
}

static uint64_t block_bytes_on(const struct kvb_sizing *sizing, uint32_t stage)
{
    uint64_t bytes = 0;
    switch (sizing->groups.layout) {
    case KVB_LAYOUT_UNIFORM:
        for (uint32_t i = 0; i < sizing->grouped.count; i++) {
            const struct kvb_bucket *bucket = &sizing->grouped.items[i];
            uint32_t layers = sizing->groups.whole_model ? bucket->count : bucket_layers_on(bucket, stage);
            bytes = kvb_add(bytes, kvb_mul(layers, bucket->page_bytes));
        }
        return bytes;
    case KVB_LAYOUT_GROUPS:
        return kvb_mul(kvb_group_size_on(sizing, stage), sizing->grouped.items[0].page_bytes);
    case KVB_LAYOUT_DSV4:
        return kvb_dsv4_block_bytes(sizing, stage);
    default:
        return 0;
    }
}

void kvb_groups_make(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    make_groups(context, sizing);
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        sizing->block_bytes[stage] = block_bytes_on(sizing, stage);
    }
}
