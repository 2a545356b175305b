// What one request needs at worst, and the longest request that a pool takes, as each release counts.
#include "engines/vllm/kv.h"

#include "base/checked.h"

// Tokens scheduled before any of them is freed: one batch, or all batches in flight.
static uint64_t tokens_in_flight(const struct kvb_context *context)
{
    if (!kvb_rule(context, KVB_RULE_IN_FLIGHT)) {
        return context->max_num_batched_tokens;
    }
    uint64_t batches = context->pp;
    if (context->async_scheduling) {
        batches = context->v2_runner ? context->pp + 1 : context->pp == 1 ? 2 : context->pp;
    }
    return kvb_mul(context->max_num_batched_tokens, batches);
}

static uint64_t state_blocks(const struct kvb_context *context, const struct kvb_bucket *bucket, uint64_t length)
{
    uint64_t extra = context->speculative_tokens;
    uint64_t by_length = kvb_div_up(length, bucket->block_tokens);
    switch (kvb_rule(context, KVB_RULE_MAMBA_BLOCKS)) {
    case KVB_MAMBA_ONE:
        return 1;
    case KVB_MAMBA_BY_LENGTH:
        return by_length;
    default:
        break;
    }
    switch (context->mamba_mode) {
    case KVB_MAMBA_MODE_ALIGN:
        return 2 + extra;
    case KVB_MAMBA_MODE_ALL:
        return kvb_rule(context, KVB_RULE_MAMBA_BLOCKS) == KVB_MAMBA_BY_MODE_ALL_PLUS ? by_length + extra : by_length;
    default:
        return 1 + extra;
    }
}

static uint64_t context_parallel(const struct kvb_context *context)
{
    uint64_t ranks = kvb_rule(context, KVB_RULE_DCP) ? context->dcp : 1;
    return kvb_rule(context, KVB_RULE_PCP_DIVIDES) ? ranks * context->pcp : ranks;
}

uint64_t kvb_blocks_of(const struct kvb_context *context, const struct kvb_bucket *bucket, uint64_t length)
{
    uint64_t held;
    switch (bucket->kind) {
    case KVB_ATTENTION_SLIDING:
    case KVB_ATTENTION_DSV4:
        held = kvb_min(bucket->window_tokens - 1 + tokens_in_flight(context), length);
        return kvb_div_up(held, bucket->block_tokens) + 1;
    case KVB_ATTENTION_CHUNKED:
        held = kvb_min(bucket->window_tokens + tokens_in_flight(context), length);
        return kvb_div_up(held, bucket->block_tokens);
    case KVB_ATTENTION_CROSS:
        held = kvb_rule(context, KVB_RULE_CROSS_IS_BATCH) || bucket->window_tokens == 0
                   ? context->max_num_batched_tokens
                   : bucket->window_tokens;
        return kvb_div_up(held, bucket->block_tokens);
    case KVB_ATTENTION_FULL:
    case KVB_ATTENTION_MLA:
        return kvb_div_up(kvb_div_up(length, context_parallel(context)), bucket->block_tokens);
    default:
        return state_blocks(context, bucket, length);
    }
}

static uint64_t uniform_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint64_t length)
{
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < sizing->grouped.count; i++) {
        blocks = kvb_max(blocks, kvb_blocks_of(context, &sizing->grouped.items[i], length));
    }
    return blocks;
}

uint64_t kvb_request_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint64_t length)
{
    if (sizing->groups.layout == KVB_LAYOUT_UNIFORM) {
        return uniform_blocks(context, sizing, length);
    }
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        blocks = kvb_add(blocks, kvb_blocks_of(context, sizing->groups.items[i].bucket, length));
    }
    return blocks;
}

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
    return kvb_mul(kvb_bytes_per_block(sizing, stage), kvb_request_blocks(context, sizing, length));
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

uint64_t kvb_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage, uint64_t length)
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

uint64_t kvb_longest(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage, uint64_t pool,
                     uint64_t limit, kvb_need_function *need)
{
    if (limit == 0 || need(context, sizing, stage, 1) > pool) {
        return 0;
    }
    uint64_t low = 1;
    uint64_t high = limit;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (need(context, sizing, stage, middle) <= pool) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}
