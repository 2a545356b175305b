// What one request needs at worst, and the longest request that a pool takes, as each release counts.
#include "engines/vllm/kv.h"

#include "base/checked.h"

uint64_t kvb_printed_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                            uint64_t length)
{
    return sizing->groups.layout == KVB_LAYOUT_DSV4 ? kvb_dsv4_printed_blocks(context, sizing, stage, length)
                                                    : kvb_request_blocks(context, sizing, length);
}

static uint32_t layers_on(const struct kvb_bucket *bucket, uint32_t stage, bool whole_model)
{
    return whole_model ? bucket->count : (uint32_t)(bucket->before[stage + 1] - bucket->before[stage]);
}

static uint64_t need_by_layer(const struct kvb_context *context, const struct kvb_buckets *buckets, uint32_t stage,
                              bool whole_model, uint64_t length)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        const struct kvb_bucket *bucket = &buckets->items[i];
        uint64_t page_bytes = kvb_mul(bucket->page_bytes, kvb_blocks_of(context, bucket, length));
        bytes = kvb_add(bytes, kvb_mul(layers_on(bucket, stage, whole_model), page_bytes));
    }
    return bytes;
}

uint64_t kvb_real_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                       uint64_t length)
{
    if (sizing->groups.layout == KVB_LAYOUT_UNIFORM) {
        return need_by_layer(context, &sizing->grouped, stage, sizing->groups.whole_model, length);
    }
    return kvb_mul(sizing->block_bytes[stage], kvb_request_blocks(context, sizing, length));
}

static uint64_t need_of_first_group(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                                    uint64_t length)
{
    bool whole_model = kvb_rule(context, KVB_RULE_FIT) == KVB_FIT_FIRST_GROUP_WHOLE;
    if (sizing->groups.layout == KVB_LAYOUT_UNIFORM) {
        return need_by_layer(context, &sizing->grouped, stage, whole_model, length);
    }
    const struct kvb_bucket *first = sizing->groups.items[0].bucket;
    uint64_t layers = whole_model ? sizing->groups.group_size : kvb_group_size_on(sizing, stage);
    return kvb_mul(kvb_mul(layers, first->page_bytes), kvb_blocks_of(context, first, length));
}

uint64_t kvb_checked_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                          uint64_t length)
{
    if (sizing->groups.layout == KVB_LAYOUT_NO_CACHE) {
        return 0;
    }
    if (sizing->groups.layout == KVB_LAYOUT_DSV4) {
        return kvb_dsv4_need(context, sizing, stage, length);
    }
    switch (kvb_rule(context, KVB_RULE_FIT)) {
    case KVB_FIT_LAYERS:
        return need_by_layer(context, &sizing->own, stage, false, length);
    case KVB_FIT_FIRST_GROUP_WHOLE:
    case KVB_FIT_FIRST_GROUP:
        return need_of_first_group(context, sizing, stage, length);
    default:
        return kvb_real_need(context, sizing, stage, length);
    }
}

// Lengths between which the longest lies: `low` is held, or 0; `above` is not.
struct bracket {
    uint64_t low, above;
};

// Steps that double, from where a need that grew evenly would meet the pool: most needs nearly do.
static struct bracket bracket_near(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                                   uint64_t pool, uint64_t limit, uint64_t guess, kvb_need_function *need)
{
    struct bracket bracket = {0, limit};
    uint64_t step = 2 * kvb_max(context->block_tokens, 1);
    bool held = need(context, sizing, stage, guess) <= pool;
    *(held ? &bracket.low : &bracket.above) = guess;
    while (bracket.above - bracket.low > step) {
        uint64_t next = held ? bracket.low + step : bracket.above - step;
        bool fits = need(context, sizing, stage, next) <= pool;
        *(fits ? &bracket.low : &bracket.above) = next;
        if (fits != held) {
            break;
        }
        step *= 2;
    }
    return bracket;
}

uint64_t kvb_longest(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage, uint64_t pool,
                     uint64_t limit, kvb_need_function *need)
{
    uint64_t most = limit > 0 ? need(context, sizing, stage, limit) : 0;
    if (most <= pool) {
        return limit;
    }
    uint64_t guess = kvb_min(pool / kvb_max(most / limit, 1), limit);
    struct bracket bracket = bracket_near(context, sizing, stage, pool, limit, guess, need);
    while (bracket.above - bracket.low > 1) {
        uint64_t middle = bracket.low + (bracket.above - bracket.low) / 2;
        *(need(context, sizing, stage, middle) <= pool ? &bracket.low : &bracket.above) = middle;
    }
    return bracket.low;
}
