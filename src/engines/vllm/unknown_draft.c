// A draft model that is not known, as a range.
#include "base/checked.h"
#include "engines/vllm/unknown.h"

// A head that drafts is one layer as wide as the model, in squares of the width: at least its attention and a narrow
// MLP, at most wide ones with the projection of three hidden states (EAGLE3) and tables of the whole vocabulary in and
// out. Public heads: EAGLE-LLaMA3-8B 15 squares, EAGLE3-LLaMA3.1-8B 18 and a head of 32,000 rows.
#define LEAST_SQUARES 10
#define MOST_SQUARES 24
// DFlash and DSpark have several layers and a cache. Public ones have 62 (Qwen3-8B) to 118 squares (Laguna S 2.1).
#define LEAST_BLOCK_SQUARES 50
#define MOST_BLOCK_SQUARES 130
// A draft model shares the vocabulary; the narrowest published ones are this wide. None is larger than its model.
#define LEAST_WIDTH 256
#define ELEMENT_BYTES 2

static bool is_model(const struct kvb_context *context)
{
    return context->speculative == KVB_SPECULATIVE_DRAFT_MODEL;
}

static bool drafts_blocks(const struct kvb_context *context)
{
    return context->speculative == KVB_SPECULATIVE_DFLASH || context->speculative == KVB_SPECULATIVE_DSPARK;
}

struct kvb_estimate kvb_unknown_draft(const struct kvb_context *context, const struct kvb_weights *weights)
{
    if (!context->plan->draft_unknown) {
        return (struct kvb_estimate){0, 0, 0};
    }
    uint64_t square = kvb_mul(context->model->hidden_size, context->model->hidden_size);
    uint64_t rows = context->model->vocabulary_size;
    bool blocks = drafts_blocks(context);
    uint64_t least = kvb_mul(blocks ? LEAST_BLOCK_SQUARES : LEAST_SQUARES, square);
    uint64_t most = kvb_add(kvb_mul(blocks ? MOST_BLOCK_SQUARES : MOST_SQUARES, square),
                            kvb_mul(kvb_mul(2, rows), context->model->hidden_size));
    least = kvb_mul(is_model(context) ? kvb_mul(rows, LEAST_WIDTH) : least, ELEMENT_BYTES) / context->tp;
    most = is_model(context) ? weights->unquantised_bytes : kvb_mul(most, ELEMENT_BYTES) / context->tp;
    return (struct kvb_estimate){least, least, kvb_max(least, most)};
}

bool kvb_unknown_draft_caches(const struct kvb_context *context)
{
    return context->plan->draft_unknown && (is_model(context) || drafts_blocks(context));
}
