// How the caches of DeepSeek V4 are grouped, and what a block and a request take.
// Source: vllm/v1/core/kv_cache_utils.py (group_and_unify_kv_cache_specs, _approximate_gcd) from v0.20.0.
#include "engines/vllm/kv.h"

#include "base/checked.h"

static bool same_class(const struct kvb_bucket *a, const struct kvb_bucket *b)
{
    return a->kind == b->kind && a->block_tokens == b->block_tokens && a->window_tokens == b->window_tokens;
}

// Layers of the most frequent page of a bucket's class.
static uint32_t tuples_of_class(const struct kvb_buckets *buckets, const struct kvb_bucket *member)
{
    uint32_t tuples = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (same_class(&buckets->items[i], member)) {
            tuples = (uint32_t)kvb_max(tuples, buckets->items[i].count);
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
        highest = (uint32_t)kvb_max(highest, buckets->items[i].count);
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

// The layers of one group on one stage, by the size of their pages.
struct group_pages {
    uint32_t count;
    uint64_t page_bytes[KVB_BUCKETS_MAX];
    uint32_t layers[KVB_BUCKETS_MAX];
};

static uint32_t place_of(const struct group_pages *pages, uint64_t page_bytes)
{
    uint32_t at = 0;
    while (at < pages->count && pages->page_bytes[at] != page_bytes) {
        at++;
    }
    return at;
}

static void add_pages(struct group_pages *pages, uint64_t page_bytes, uint32_t layers)
{
    uint32_t at = place_of(pages, page_bytes);
    if (layers == 0) {
        return;
    }
    pages->page_bytes[at] = page_bytes;
    pages->layers[at] += layers;
    pages->count = (uint32_t)kvb_max(pages->count, at + 1);
}

static uint32_t layers_of(const struct group_pages *pages, uint64_t page_bytes)
{
    uint32_t at = place_of(pages, page_bytes);
    return at < pages->count ? pages->layers[at] : 0; // same: zeros lie behind
}

static struct group_pages pages_of(const struct kvb_sizing *sizing, uint32_t group, uint32_t stage)
{
    struct group_pages pages = {0};
    const struct kvb_group *of = &sizing->groups.items[group];
    for (uint32_t i = 0; i < sizing->grouped.count; i++) {
        const struct kvb_bucket *bucket = &sizing->grouped.items[i];
        if (same_class(bucket, of->bucket)) {
            struct kvb_group part = {bucket, of->first, of->stride, bucket->count, 0};
            add_pages(&pages, bucket->page_bytes, kvb_group_layers_on(&part, stage));
        }
    }
    return pages;
}

static uint64_t sum_of(const struct group_pages *pages)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pages->count; i++) { // same: zeros lie behind
        bytes = kvb_add(bytes, kvb_mul(pages->page_bytes[i], pages->layers[i]));
    }
    return bytes;
}

static uint32_t most_layers(const struct group_pages *pages)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < pages->count; i++) { // same: zeros lie behind
        most = (uint32_t)kvb_max(most, pages->layers[i]);
    }
    return most;
}

// Bytes of one page of each size of the latent group, and how many such tuples the largest group has.
static uint64_t tuples_bytes(const struct kvb_sizing *sizing, uint32_t stage)
{
    uint32_t tuples = 0;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        const struct group_pages pages = pages_of(sizing, i, stage);
        tuples = (uint32_t)kvb_max(tuples, most_layers(&pages));
    }
    struct group_pages latent = pages_of(sizing, 0, stage);
    for (uint32_t i = 0; i < latent.count; i++) { // same: pages of no bytes lie behind
        latent.layers[i] = 1;
    }
    return kvb_mul(tuples, sum_of(&latent));
}

// Most layers of each page size in any one group.
static uint64_t slots_bytes(const struct kvb_sizing *sizing, uint32_t stage)
{
    struct group_pages slots = {0};
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        const struct group_pages pages = pages_of(sizing, i, stage);
        for (uint32_t k = 0; k < pages.count; k++) { // same: no layers lie behind
            uint32_t had = layers_of(&slots, pages.page_bytes[k]);
            add_pages(&slots, pages.page_bytes[k], pages.layers[k] - (uint32_t)kvb_min(pages.layers[k], had));
        }
    }
    return sum_of(&slots);
}

static uint64_t largest_group_bytes(const struct kvb_sizing *sizing, uint32_t stage)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        const struct group_pages pages = pages_of(sizing, i, stage);
        bytes = kvb_max(bytes, sum_of(&pages));
    }
    return bytes;
}

uint64_t kvb_dsv4_block_bytes(const struct kvb_sizing *sizing, uint32_t stage)
{
    switch (sizing->groups.v4_rule) {
    case 3:
        return largest_group_bytes(sizing, stage);
    case 2:
        return slots_bytes(sizing, stage);
    default:
        return tuples_bytes(sizing, stage);
    }
}

uint64_t kvb_dsv4_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                       uint64_t length)
{
    return kvb_mul(tuples_bytes(sizing, stage), kvb_request_blocks(context, sizing, length));
}

uint64_t kvb_dsv4_printed_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                                 uint64_t length)
{
    if (sizing->groups.v4_rule >= 3) {
        return kvb_request_blocks(context, sizing, length);
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        const struct group_pages pages = pages_of(sizing, i, stage);
        uint64_t blocks = kvb_blocks_of(context, sizing->groups.items[i].bucket, length);
        bytes = kvb_add(bytes, kvb_mul(blocks, sum_of(&pages)));
    }
    const struct group_pages latent = pages_of(sizing, 0, stage);
    return sum_of(&latent) > 0 ? kvb_div_up(bytes, sum_of(&latent)) : kvb_request_blocks(context, sizing, length);
}

// The latent class stands first, the windowed ones follow as they appear.
static void add_class(struct kvb_groups *groups, const struct kvb_buckets *buckets, const struct kvb_bucket *bucket)
{
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

void kvb_dsv4_groups(const struct kvb_context *context, struct kvb_sizing *sizing)
{
    struct kvb_groups *groups = &sizing->groups;
    struct kvb_buckets *buckets = &sizing->grouped;
    groups->v4_rule = kvb_rule(context, KVB_RULE_DSV4);
    if (groups->v4_rule == 0) {
        groups->layout = KVB_LAYOUT_REFUSED;
        return;
    }
    groups->layout = KVB_LAYOUT_DSV4;
    groups->tuples = choose_tuples(buckets);
    groups->group_size = groups->tuples;
    for (uint32_t i = 0; i < buckets->count && groups->v4_rule < 3; i++) { // from 0.27 groups overlay as they are
        buckets->items[i].page_bytes = common_page(buckets, buckets->items[i].page_bytes);
    }
    const struct kvb_bucket *latent = latent_bucket(buckets);
    add_class(groups, buckets, latent);
    for (uint32_t i = 0; i < buckets->count && groups->layout == KVB_LAYOUT_DSV4; i++) {
        if (first_of_class(buckets, i) && !same_class(&buckets->items[i], latent)) {
            add_class(groups, buckets, &buckets->items[i]);
        }
    }
}
