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
    kvb_context_fill_as(&context, plan, release); // whose split no release refuses but all
    kvb_free_resolve(&context);
    uint64_t requested = kvb_stage_requested(&context);
    for (uint32_t stage = 0; stage < context.pp; stage++) { // same: one behind the last, without a layer, has more room
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
    uint32_t minor = context->release / MINOR_STEP * MINOR_STEP;
    for (uint32_t i = 0; i < MINORS; i++, minor -= MINOR_STEP) {
        int64_t pool = pool_as(context->plan, minor);
        widest = kvb_max(widest, (uint64_t)(pool > later ? pool - later : later - pool));
        later = pool;
    }
    return widest;
}
