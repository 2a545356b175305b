// What is not known, as a range.
#include "engines/vllm/unknown.h"

#include "base/checked.h"
#include "engines/vllm/terms.h"

#define MINORS 8 // how far back steps between releases are looked at
#define MINOR_STEP KVB_RELEASE(0, 1, 0)

static int64_t pool_as(const struct kvb_plan *plan, uint32_t release)
{
    struct kvb_context context;
    int64_t least = INT64_MAX;
    kvb_context_fill_as(&context, plan, release);
    if (context.split_refused) {
        return least;
    }
    kvb_free_resolve(&context);
    uint64_t requested = kvb_stage_requested(&context);
    for (uint32_t stage = 0; stage < context.pp; stage++) {
        struct kvb_stage_terms terms;
        kvb_stage_fill(&context, stage, requested, &terms);
        least = terms.pool_bytes < least ? terms.pool_bytes : least;
    }
    return least;
}

uint64_t kvb_release_drift(const struct kvb_context *context)
{
    uint64_t widest = 0;
    if (!context->plan->engine.assumed) {
        return 0;
    }
    int64_t later = pool_as(context->plan, context->release);
    uint32_t minor = context->release - context->release % MINOR_STEP;
    for (uint32_t i = 0; i < MINORS; i++, minor -= MINOR_STEP) {
        int64_t pool = pool_as(context->plan, minor);
        widest = kvb_max(widest, (uint64_t)(pool > later ? pool - later : later - pool));
        later = pool;
    }
    return widest;
}

// A head that drafts is one layer as wide as the model, in squares of the width: at least its attention and a narrow
// MLP, at most wide ones with the projection of three hidden states (EAGLE3) and tables of the whole vocabulary in and
// out. Public heads: EAGLE-LLaMA3-8B 15 squares, EAGLE3-LLaMA3.1-8B 18 and a head of 32,000 rows.
#define LEAST_SQUARES 10
#define MOST_SQUARES 24
// A draft model shares the vocabulary; the narrowest published ones are this wide. None is larger than its model.
#define LEAST_WIDTH 256
#define ELEMENT_BYTES 2

static bool is_model(const struct kvb_context *context)
{
    return context->speculative == KVB_SPECULATIVE_DRAFT_MODEL;
}

struct kvb_estimate kvb_unknown_draft(const struct kvb_context *context, const struct kvb_weights *weights)
{
    if (!context->plan->draft_unknown) {
        return (struct kvb_estimate){0, 0, 0};
    }
    uint64_t square = kvb_mul(context->model->hidden_size, context->model->hidden_size);
    uint64_t rows = context->model->vocabulary_size;
    uint64_t least = kvb_mul(LEAST_SQUARES, square);
    uint64_t most = kvb_add(kvb_mul(MOST_SQUARES, square), kvb_mul(kvb_mul(2, rows), context->model->hidden_size));
    least = kvb_mul(is_model(context) ? kvb_mul(rows, LEAST_WIDTH) : least, ELEMENT_BYTES) / context->tp;
    most = is_model(context) ? weights->unquantised_bytes : kvb_mul(most, ELEMENT_BYTES) / context->tp;
    return (struct kvb_estimate){least, least, kvb_max(least, most)};
}

bool kvb_unknown_draft_caches(const struct kvb_context *context)
{
    return context->plan->draft_unknown && is_model(context);
}
