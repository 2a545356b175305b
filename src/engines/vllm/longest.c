// The longest max_model_len that starts when it is fed back: pool and need both move with it.
#include "engines/vllm/longest.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "engines/vllm/defaults.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/terms.h"

static uint64_t held_by(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX])
{
    uint64_t length = context->generation == KVB_GENERATION_V0 ? kvb_kv_longest_v0(context, pools)
                                                               : kvb_kv_longest_v1(context, pools);
    bool whole_prompts = !context->chunked_prefill && !context->model->pooling;
    bool batch_is_said = kvb_is_set(context->plan, KVB_SET_MAX_NUM_BATCHED_TOKENS);
    return whole_prompts && batch_is_said ? kvb_min(length, context->max_num_batched_tokens) : length;
}

// What is asked: a plan, the pools it leaves and the longest length they hold.
struct asked {
    const struct kvb_context *context;
    const int64_t *pools;
    uint64_t held;
};

// The cache is laid out alike, and the pools are as large: they hold the same length.
static bool holds_the_same(const struct asked *asked, const struct kvb_context *context, const int64_t *pools)
{
    struct kvb_context alike = *context;
    alike.max_model_len = asked->context->max_model_len;
    if (!kvb_model_has_state(context->model)) {
        alike.mamba_block_tokens = asked->context->mamba_block_tokens;
    }
    return memcmp(pools, asked->pools, context->pp * sizeof *pools) == 0 &&
           memcmp(&alike, asked->context, offsetof(struct kvb_context, settings)) == 0;
}

// The longest length that the pools have room for which a plan of `length` leaves.
static uint64_t held_at(const struct asked *asked, uint64_t length)
{
    struct kvb_context context;
    int64_t pools[KVB_STAGES_MAX] = {0};
    kvb_context_fill_at(&context, asked->context, length);
    kvb_free_resolve(&context);
    uint64_t requested = kvb_stage_requested(&context);
    for (uint32_t stage = 0; stage < context.pp; stage++) {
        struct kvb_stage_terms terms;
        kvb_stage_fill(&context, stage, requested, &terms);
        pools[stage] = terms.pool_bytes;
        uint64_t peak = kvb_add(terms.items[KVB_ITEM_WEIGHTS].bytes, terms.items[KVB_ITEM_ACTIVATION].bytes);
        peak = kvb_add(peak, terms.items[KVB_ITEM_NON_TORCH].bytes);
        if (kvb_exceeds_device(&context, (int64_t)kvb_min(peak, INT64_MAX))) {
            return 0;
        }
    }
    return holds_the_same(asked, &context, pools) ? asked->held : held_by(&context, pools);
}

// The longest length in [1, top] that leaves room for itself, where a longer one never leaves more: then one that the
// pools of a longer one hold fits, and none is longer than what its own pools hold.
static uint64_t longest_below(const struct asked *asked, uint64_t top)
{
    uint64_t low = held_at(asked, top);
    if (low >= top) {
        return top;
    }
    uint64_t high = low > 0 ? kvb_min(held_at(asked, low), top) : top - 1;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (held_at(asked, middle) >= middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

uint64_t kvb_longest_start(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX])
{
    uint64_t most = context->model->context_tokens;
    uint64_t turn = context->generation == KVB_GENERATION_V0 ? KVB_V0_CHUNKED_LENGTH : 0;
    uint64_t held = held_by(context, pools);
    struct asked asked = {context, pools, held};
    bool later_chunks = most > turn && held <= turn && turn > 0;
    if (!later_chunks && held_at(&asked, held > 0 ? held : 1) == held) {
        return held;
    }
    uint64_t longest = longest_below(&asked, most);
    return longest <= turn && most > turn ? longest_below(&asked, turn) : longest;
}
