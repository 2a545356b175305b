// Buckets to groups: which layers share a block table, by release.
// Source: vllm/v1/core/kv_cache_utils.py get_kv_cache_groups and what it calls.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"

static bool is_windowed(enum kvb_attention kind)
{
    return kind == KVB_ATTENTION_SLIDING || kind == KVB_ATTENTION_CHUNKED;
}

static bool any_full(const struct kvb_buckets *buckets)
{
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (buckets->items[i].kind == KVB_ATTENTION_FULL) {
            return true;
        }
    }
    return false;
}

static void join(struct kvb_buckets *buckets, const struct kvb_bucket *bucket)
{
    for (uint32_t i = 0; i < buckets->count; i++) {
        struct kvb_bucket *into = &buckets->items[i];
        if (into->kind == bucket->kind && into->window_tokens == bucket->window_tokens &&
            into->block_tokens == bucket->block_tokens && into->page_bytes == bucket->page_bytes &&
            into->shape == bucket->shape && into->index_cache == bucket->index_cache) {
            into->count += bucket->count;
            for (uint32_t stage = 0; stage <= KVB_STAGES_MAX; stage++) {
                into->before[stage] += bucket->before[stage];
            }
            return;
        }
    }
    buckets->items[buckets->count++] = *bucket;
}

// Windows become full attention where there is full attention to join, as the engine does when its
// hybrid manager is off.
static void promote(const struct kvb_buckets *own, struct kvb_buckets *out)
{
    bool full = any_full(own);
    out->count = 0;
    out->overflow = own->overflow;
    for (uint32_t i = 0; i < own->count; i++) {
        struct kvb_bucket bucket = own->items[i];
        if (full && is_windowed(bucket.kind)) {
            bucket.kind = KVB_ATTENTION_FULL;
            bucket.window_tokens = 0;
        }
        join(out, &bucket);
    }
}

static void copy_buckets(const struct kvb_buckets *from, struct kvb_buckets *to)
{
    to->count = from->count;
    to->overflow = from->overflow;
    memcpy(to->items, from->items, from->count * sizeof from->items[0]);
}

// Buckets that became alike share one.
static void rejoin(struct kvb_buckets *buckets)
{
    struct kvb_buckets apart;
    copy_buckets(buckets, &apart);
    buckets->count = 0;
    for (uint32_t i = 0; i < apart.count; i++) {
        join(buckets, &apart.items[i]);
    }
}

static bool is_full_type(enum kvb_attention kind)
{
    return kind == KVB_ATTENTION_FULL || kind == KVB_ATTENTION_MLA;
}

static bool same_type(const struct kvb_bucket *a, const struct kvb_bucket *b)
{
    if (a->block_tokens != b->block_tokens) {
        return false;
    }
    if (is_full_type(a->kind) && is_full_type(b->kind)) {
        return true;
    }
    if (kvb_is_state(a->kind) && kvb_is_state(b->kind)) {
        return true;
    }
    return a->kind == b->kind && a->window_tokens == b->window_tokens;
}

static bool is_uniform_type(const struct kvb_buckets *buckets)
{
    for (uint32_t i = 1; i < buckets->count; i++) {
        if (!same_type(&buckets->items[0], &buckets->items[i])) {
            return false;
        }
    }
    return true;
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
    return kvb_is_state(bucket->kind) ? rule >= 3 : rule >= 2 && bucket->kind != KVB_ATTENTION_MLA;
}

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

static uint32_t choose_group_size(const struct kvb_context *context, const struct kvb_buckets *buckets)
{
    uint32_t smallest = UINT32_MAX;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        uint32_t count = buckets->items[i].count;
        smallest = count < smallest ? count : smallest;
        largest = count > largest ? count : largest;
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

static void deal_out(const struct kvb_context *context, const struct kvb_bucket *bucket, uint32_t size,
                     struct kvb_groups *groups)
{
    uint32_t parts = (uint32_t)kvb_div_up(bucket->count, size);
    bool strided = kvb_rule(context, KVB_RULE_GROUPS_STRIDED) != 0;
    for (uint32_t part = 0; part < parts; part++) {
        struct kvb_group group = {bucket, part, parts, bucket->count, 0};
        if (!strided) {
            uint32_t end = (part + 1) * size;
            group = (struct kvb_group){bucket, part * size, 1, end < bucket->count ? end : bucket->count, 0};
        }
        group.layers = (uint32_t)kvb_div_up(group.limit - group.first, group.stride);
        add_group(groups, group);
    }
}

// One group that holds every bucket: equal pages when there is one bucket only.
static void make_single(struct kvb_sizing *sizing)
{
    struct kvb_groups *groups = &sizing->groups;
    const struct kvb_buckets *buckets = &sizing->grouped;
    uint32_t layers = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        layers += buckets->items[i].count;
    }
    groups->layout = buckets->count == 1 ? KVB_LAYOUT_GROUPS : KVB_LAYOUT_UNIFORM;
    groups->group_size = layers;
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
        groups->group_size = layers > groups->group_size ? layers : groups->group_size;
    }
}

void kvb_groups_make(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    sizing->groups.layout = KVB_LAYOUT_NO_CACHE;
    sizing->groups.count = 0;
    sizing->groups.group_size = 0;
    sizing->groups.tuples = 0;
    sizing->groups.tuple_bytes = 0;
    if (context->hybrid_off || !kvb_rule(context, KVB_RULE_GROUPS)) {
        promote(&sizing->own, &sizing->grouped);
    } else {
        copy_buckets(&sizing->own, &sizing->grouped);
    }
    if (sizing->grouped.overflow) {
        sizing->groups.layout = KVB_LAYOUT_REFUSED;
    } else if (sizing->grouped.count == 0) {
        sizing->groups.layout = KVB_LAYOUT_NO_CACHE;
    } else if (kvb_model_has(context->model, KVB_ATTENTION_DSV4)) {
        kvb_dsv4_groups(context, sizing);
    } else if (sizing->grouped.count == 1 ||
               (kvb_rule(context, KVB_RULE_UNIFORM_TYPE) && is_uniform_type(&sizing->grouped))) {
        make_single(sizing);
    } else if (kvb_rule(context, KVB_RULE_GROUPS) && unify_pages(context, &sizing->grouped)) {
        rejoin(&sizing->grouped);
        make_hybrid(context, sizing);
    } else if (kvb_rule(context, KVB_RULE_UNIFY_PAGES) >= 4) { // only a latent page can be in the way
        promote(&sizing->own, &sizing->grouped);
        make_single(sizing);
    } else {
        sizing->groups.layout = KVB_LAYOUT_REFUSED;
    }
}

uint32_t kvb_group_layers_on(const struct kvb_group *group, uint32_t stage)
{
    uint32_t begin = group->bucket->before[stage];
    uint32_t end = group->bucket->before[stage + 1];
    end = end < group->limit ? end : group->limit;
    begin = begin > group->first ? begin : group->first;
    if (begin >= end) {
        return 0;
    }
    uint32_t upto = (end - 1 - group->first) / group->stride + 1;
    uint32_t under = (uint32_t)kvb_div_up(begin - group->first, group->stride);
    return upto - under;
}

uint32_t kvb_group_size_on(const struct kvb_sizing *sizing, uint32_t stage)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        uint32_t layers = kvb_group_layers_on(&sizing->groups.items[i], stage);
        size = layers > size ? layers : size;
    }
    return size;
}

static uint32_t bucket_layers_on(const struct kvb_bucket *bucket, uint32_t stage)
{
    return bucket->before[stage + 1] - bucket->before[stage];
}

uint64_t kvb_bytes_per_block(const struct kvb_sizing *sizing, uint32_t stage)
{
    uint64_t bytes = 0;
    switch (sizing->groups.layout) {
    case KVB_LAYOUT_UNIFORM:
        for (uint32_t i = 0; i < sizing->grouped.count; i++) {
            const struct kvb_bucket *bucket = &sizing->grouped.items[i];
            bytes = kvb_add(bytes, kvb_mul(bucket_layers_on(bucket, stage), bucket->page_bytes));
        }
        return bytes;
    case KVB_LAYOUT_GROUPS:
        return kvb_mul(kvb_group_size_on(sizing, stage), sizing->grouped.items[0].page_bytes);
    case KVB_LAYOUT_DSV4:
        return sizing->groups.tuple_bytes;
    default:
        return 0;
    }
}
