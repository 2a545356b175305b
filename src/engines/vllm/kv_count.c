// Blocks that one request holds, and layers of a group on a stage.
// Source: vllm/v1/kv_cache_interface.py max_memory_usage_bytes.
#include "engines/vllm/kv.h"

#include "base/checked.h"

#define RETAINED_SINCE KVB_RELEASE(0, 28, 0)

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

// Drafts of several modules may go over the last tokens again, whose blocks a window then keeps.
// Source: vllm/v1/core/kv_cache_utils.py v0.28.0:2137, config/speculative.py use_multi_module_mtp.
static uint64_t retained_tokens(const struct kvb_context *context)
{
    uint64_t modules = kvb_min(kvb_mtp_modules(context->model), context->speculative_tokens);
    bool several = context->speculative == KVB_SPECULATIVE_MTP && modules > 1;
    return several && context->release >= RETAINED_SINCE ? (uint64_t)context->speculative_tokens - 1 : 0;
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
        held = bucket->window_tokens - 1 + retained_tokens(context);
        held = kvb_min(kvb_add(held, tokens_in_flight(context)), length);
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

uint32_t kvb_group_layers_on(const struct kvb_group *group, uint32_t stage)
{
    uint32_t begin = group->bucket->before[stage];
    uint32_t end = group->bucket->before[stage + 1];
    end = (uint32_t)kvb_min(end, group->limit);
    begin = (uint32_t)kvb_max(begin, group->first);
    if (begin >= end) {
        return 0;
    }
    uint32_t upto = (end - 1 - group->first) / group->stride + 1;
    uint32_t under = (uint32_t)kvb_div_up(begin - group->first, group->stride);
    return upto - under;
}
