// DeepSeek V4: a window cache in every layer, a compressed latent, an index and compressor states.
// Source: vllm/models/deepseek_v4, v1/attention/backends/mla/sparse_swa.py, v1/core/kv_cache_utils.py
// (group_and_unify_kv_cache_specs, _approximate_gcd) from v0.20.0.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"

#define ENTRY_BYTES 584 // 448 fp8 + 128 bytes of bf16 rope + 8 of scales
#define PAGE_ALIGNMENT_BYTES 576
#define CACHE_BLOCK_TOKENS 256
#define WINDOW_BLOCK_TOKENS 64
#define INDEX_RATIO 4

struct kvb_dsv4_cache {
    enum kvb_attention kind; // MLA: latent or index; DSV4: windowed
    uint32_t block_tokens, window_tokens;
    uint64_t slots, slot_bytes;
    bool index;
};

static void add_cache(struct kvb_buckets *buckets, struct kvb_dsv4_cache cache, uint32_t stage)
{
    struct kvb_bucket bucket;
    memset(&bucket, 0, sizeof bucket);
    bucket.kind = cache.kind;
    bucket.window_tokens = cache.window_tokens;
    bucket.block_tokens = cache.block_tokens;
    bucket.page_bytes = kvb_round_up(cache.slots * cache.slot_bytes, PAGE_ALIGNMENT_BYTES);
    bucket.index_cache = cache.index;
    kvb_bucket_add(buckets, &bucket, stage);
}

static void add_compressed(const struct kvb_attention_shape *shape, struct kvb_buckets *buckets, uint32_t stage)
{
    uint32_t ratio = shape->compress_ratio;
    uint32_t overlap = ratio == INDEX_RATIO ? 2 : 1;
    uint32_t state_block = ratio == INDEX_RATIO ? 4 : 8;
    uint32_t window = overlap * ratio;
    uint64_t state_bytes = (uint64_t)2 * overlap * shape->head_size * 4;
    struct kvb_dsv4_cache latent = {KVB_ATTENTION_MLA,          CACHE_BLOCK_TOKENS, 0,
                                    CACHE_BLOCK_TOKENS / ratio, ENTRY_BYTES,        false};
    struct kvb_dsv4_cache state = {KVB_ATTENTION_DSV4, state_block, window, state_block, state_bytes, false};
    add_cache(buckets, latent, stage);
    add_cache(buckets, state, stage);
    if (ratio == INDEX_RATIO) {
        uint32_t width = shape->index_head_size;
        struct kvb_dsv4_cache index = {KVB_ATTENTION_MLA,          CACHE_BLOCK_TOKENS,          0,
                                       CACHE_BLOCK_TOKENS / ratio, width + 4U * (width / 128U), true};
        struct kvb_dsv4_cache index_state = {
            KVB_ATTENTION_DSV4, state_block, window, state_block, (uint64_t)2 * overlap * width * 4, true};
        add_cache(buckets, index, stage);
        add_cache(buckets, index_state, stage);
    }
}

void kvb_dsv4_fill(const struct kvb_context *context, struct kvb_buckets *buckets)
{
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        for (uint32_t layer = context->stage_begin[stage]; layer < context->stage_begin[stage + 1]; layer++) {
            const struct kvb_attention_shape *shape = &kvb_kind_of(context->model, layer)->attention;
            struct kvb_dsv4_cache window = {KVB_ATTENTION_DSV4,  WINDOW_BLOCK_TOKENS, shape->window_tokens,
                                            WINDOW_BLOCK_TOKENS, ENTRY_BYTES,         false};
            add_cache(buckets, window, stage);
            if (shape->compress_ratio > 1) {
                add_compressed(shape, buckets, stage);
            }
        }
    }
}

static bool same_class(const struct kvb_bucket *a, const struct kvb_bucket *b)
{
    return a->kind == b->kind && a->block_tokens == b->block_tokens && a->window_tokens == b->window_tokens;
}

// Layers of the most frequent page of a bucket's class.
static uint32_t tuples_of_class(const struct kvb_buckets *buckets, const struct kvb_bucket *member)
{
    uint32_t tuples = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (same_class(&buckets->items[i], member) && buckets->items[i].count > tuples) {
            tuples = buckets->items[i].count;
        }
    }
    return tuples;
}

static bool first_of_class(const struct kvb_buckets *buckets, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (same_class(&buckets->items[i], &buckets->items[at])) {
            return false;
        }
    }
    return true;
}

static uint64_t padding_at(const struct kvb_buckets *buckets, uint32_t size)
{
    uint64_t padding = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (first_of_class(buckets, i)) {
            uint32_t tuples = tuples_of_class(buckets, &buckets->items[i]);
            padding += kvb_round_up(tuples, size) - tuples;
        }
    }
    return padding;
}

static const struct kvb_bucket *latent_bucket(const struct kvb_buckets *buckets)
{
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (buckets->items[i].kind == KVB_ATTENTION_MLA) {
            return &buckets->items[i];
        }
    }
    return &buckets->items[0];
}

// The tuple count with the least padding, from the latent class's own upwards; ties go to the larger.
static uint32_t choose_tuples(const struct kvb_buckets *buckets)
{
    uint32_t lowest = tuples_of_class(buckets, latent_bucket(buckets));
    uint32_t highest = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        highest = buckets->items[i].count > highest ? buckets->items[i].count : highest;
    }
    uint32_t best = lowest;
    for (uint32_t size = lowest; size <= highest; size++) {
        best = padding_at(buckets, size) <= padding_at(buckets, best) ? size : best;
    }
    return best;
}

// The smallest page of the latent class that covers this one; its own when none does.
static uint64_t common_page(const struct kvb_buckets *buckets, uint64_t page_bytes)
{
    uint64_t best = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        const struct kvb_bucket *bucket = &buckets->items[i];
        bool covers = bucket->kind == KVB_ATTENTION_MLA && bucket->page_bytes >= page_bytes;
        if (covers && (best == 0 || bucket->page_bytes < best)) {
            best = bucket->page_bytes;
        }
    }
    return best > 0 ? best : page_bytes;
}

static bool page_seen_before(const struct kvb_buckets *buckets, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (buckets->items[i].page_bytes == buckets->items[at].page_bytes) {
            return true;
        }
    }
    return false;
}

static bool latent_page_seen_before(const struct kvb_buckets *buckets, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        const struct kvb_bucket *bucket = &buckets->items[i];
        if (bucket->kind == KVB_ATTENTION_MLA && bucket->page_bytes == buckets->items[at].page_bytes) {
            return true;
        }
    }
    return false;
}

// Most slots of one page size that any single group has.
static uint64_t slots_of_page(const struct kvb_buckets *buckets, uint64_t page_bytes, uint32_t tuples)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (buckets->items[i].page_bytes == page_bytes) {
            most = kvb_max(most, kvb_min(buckets->items[i].count, tuples));
        }
    }
    return most;
}

static uint64_t class_bytes(const struct kvb_buckets *buckets, const struct kvb_bucket *member, uint32_t tuples)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        const struct kvb_bucket *bucket = &buckets->items[i];
        if (same_class(bucket, member)) {
            bytes = kvb_add(bytes, kvb_mul(bucket->page_bytes, kvb_min(bucket->count, tuples)));
        }
    }
    return bytes;
}

static uint64_t block_bytes(const struct kvb_context *context, const struct kvb_buckets *buckets, uint32_t tuples)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        const struct kvb_bucket *bucket = &buckets->items[i];
        switch (kvb_rule(context, KVB_RULE_DSV4)) {
        case 3:
            bytes = kvb_max(bytes, class_bytes(buckets, bucket, tuples));
            break;
        case 2:
            if (!page_seen_before(buckets, i)) {
                bytes = kvb_add(bytes, kvb_mul(bucket->page_bytes, slots_of_page(buckets, bucket->page_bytes, tuples)));
            }
            break;
        default:
            if (bucket->kind == KVB_ATTENTION_MLA && !latent_page_seen_before(buckets, i)) {
                bytes = kvb_add(bytes, kvb_mul(bucket->page_bytes, tuples));
            }
            break;
        }
    }
    return bytes;
}

void kvb_dsv4_groups(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    struct kvb_groups *groups = &sizing->groups;
    struct kvb_buckets *buckets = &sizing->grouped;
    if (kvb_rule(context, KVB_RULE_DSV4) == 0) {
        groups->layout = KVB_LAYOUT_REFUSED;
        return;
    }
    groups->layout = KVB_LAYOUT_DSV4;
    groups->tuples = choose_tuples(buckets);
    groups->group_size = groups->tuples;
    for (uint32_t i = 0; i < buckets->count; i++) {
        buckets->items[i].page_bytes = common_page(buckets, buckets->items[i].page_bytes);
    }
    groups->tuple_bytes = block_bytes(context, buckets, groups->tuples);
    for (uint32_t i = 0; i < buckets->count; i++) {
        const struct kvb_bucket *bucket = &buckets->items[i];
        if (!first_of_class(buckets, i)) {
            continue;
        }
        uint32_t parts = (uint32_t)kvb_div_up(tuples_of_class(buckets, bucket), groups->tuples);
        if (groups->count + parts > KVB_GROUPS_MAX) {
            groups->layout = KVB_LAYOUT_REFUSED;
            return;
        }
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t layers = (uint32_t)kvb_div_up(bucket->count - part, parts);
            groups->items[groups->count++] = (struct kvb_group){bucket, part, parts, bucket->count, layers};
        }
    }
}
