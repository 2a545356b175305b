// The longest max_model_len that starts when it is fed back: pool and need both move with it.
#include "engines/vllm/longest.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "budget/reuse.h"
#include "engines/vllm/defaults.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/terms.h"

static uint64_t held_by(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX])
{
    uint64_t length = context->generation == KVB_GENERATION_V0 ? kvb_kv_longest_v0(context, pools)
                                                               : kvb_kv_longest_v1(context, pools);
    bool whole_prompts = !context->chunked_prefill && !context->model->pooling;
    bool batch_is_said = kvb_is_set(context->plan, KVB_SET_MAX_NUM_BATCHED_TOKENS);
    uint64_t step = batch_is_said ? context->max_num_batched_tokens : kvb_lora_step_most(context);
    return whole_prompts ? kvb_min(length, step) : length;
}

// Pools at one length and what they hold; lengths whose pools and layout are the same hold the same.
struct held {
    struct kvb_context context;
    int64_t pools[KVB_STAGES_MAX];
    bool starts; // its peak is no more than the device has
    uint64_t tokens;
};

// The cache is laid out alike, and the pools are as large.
static bool holds_the_same(const struct held *at, const struct kvb_context *context, const int64_t *pools)
{
    struct kvb_context alike = *context;
    alike.max_model_len = at->context.max_model_len;
    if (!kvb_model_has_state(context->model)) {
        alike.mamba_block_tokens = at->context.mamba_block_tokens;
    }
    return at->starts && memcmp(pools, at->pools, context->pp * sizeof *pools) == 0 &&
           memcmp(&alike, &at->context, offsetof(struct kvb_context, settings)) == 0;
}

// The pools that a plan of this length leaves. false: its peak is more than the device has.
static bool leave_pools(const struct kvb_context *context, int64_t pools[KVB_STAGES_MAX])
{
    uint64_t requested = kvb_stage_requested(context);
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        struct kvb_stage_terms terms;
        kvb_stage_fill(context, stage, requested, &terms);
        pools[stage] = terms.pool_bytes;
        uint64_t peak = kvb_add(terms.items[KVB_ITEM_WEIGHTS].bytes, terms.items[KVB_ITEM_ACTIVATION].bytes);
        peak = kvb_add(peak, terms.items[KVB_ITEM_NON_TORCH].bytes);
        if (kvb_exceeds_device(context, (int64_t)kvb_min(peak, INT64_MAX))) {
            return false;
        }
    }
    return true;
}

static void hold(const struct kvb_context *same, uint64_t length, struct held *held)
{
    memset(held, 0, sizeof *held);
    kvb_context_fill_at(&held->context, same, length);
    kvb_free_resolve(&held->context);
    held->starts = leave_pools(&held->context, held->pools);
    held->tokens = held->starts ? held_by(&held->context, held->pools) : 0;
}

// The longest length that the pools have room for which a plan of `length` leaves.
static uint64_t held_at(const struct held *top, uint64_t length)
{
    struct kvb_context context;
    int64_t pools[KVB_STAGES_MAX] = {0};
    memset(&context, 0, sizeof context); // holds_the_same compares its bytes
    kvb_context_fill_at(&context, &top->context, length);
    kvb_free_resolve(&context);
    if (!leave_pools(&context, pools)) {
        return 0;
    }
    return holds_the_same(top, &context, pools) ? top->tokens : held_by(&context, pools);
}

// The longest length in [1, top] that leaves room for itself, where a longer one never leaves more: then one that the
// pools of a longer one hold fits, and none is longer than what its own pools hold.
static uint64_t longest_below(const struct held *most, uint64_t top)
{
    uint64_t low = top == most->context.max_model_len ? most->tokens : held_at(most, top); // same: it is held already
    if (low >= top) {
        return top;
    }
    uint64_t high = low > 0 ? kvb_min(held_at(most, low), top) : top;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (held_at(most, middle) >= middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static uint64_t look_for_longest(const struct kvb_context *context)
{
    uint64_t turn = context->generation == KVB_GENERATION_V0 ? KVB_V0_CHUNKED_LENGTH : 0;
    struct held most;
    hold(context, context->longest_taken, &most);
    uint64_t longest = longest_below(&most, most.context.max_model_len);
    return longest <= turn && most.context.max_model_len > turn ? longest_below(&most, turn) : longest;
}

uint64_t kvb_longest_start(const struct kvb_context *context)
{
    struct kvb_known_length *length = kvb_reuse_length(context->plan->reuse);
    if (length == NULL) {
        return look_for_longest(context);
    }
    if (!length->known) {
        length->tokens = look_for_longest(context);
        length->known = true;
    }
    return length->tokens;
}
