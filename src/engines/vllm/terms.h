// What one pipeline stage is charged, term by term, and the pool that leaves.
#ifndef KVB_ENGINES_VLLM_TERMS_H
#define KVB_ENGINES_VLLM_TERMS_H

#include "engines/vllm/context.h"
#include "engines/vllm/overhead.h"

// Terms of one pipeline stage.
struct kvb_stage_terms {
    struct kvb_weights weights;
    struct kvb_estimate items[KVB_ITEM_KV_CACHE];
    struct kvb_estimate released; // less than they say: see kvb_budget.released_bytes
    int64_t pool_bytes, pool_low_bytes, pool_high_bytes;
};

bool kvb_charges_others(const struct kvb_context *context);      // this release counts other processes
void kvb_free_resolve(struct kvb_context *context);              // sets free_bytes: what is there before the engine
uint64_t kvb_stage_requested(const struct kvb_context *context); // what utilization asks for
void kvb_stage_terms_fill(const struct kvb_context *context, uint32_t stage, struct kvb_stage_terms *terms);
void kvb_stage_pool(const struct kvb_context *context, uint64_t requested_bytes, struct kvb_stage_terms *terms);
// Both: terms and the pool they leave.
void kvb_stage_fill(const struct kvb_context *context, uint32_t stage, uint64_t requested_bytes,
                    struct kvb_stage_terms *terms);
// Weights, activation and non-torch memory together are more than is free, where nothing spills into host memory.
bool kvb_exceeds_device(const struct kvb_context *context, int64_t peak_bytes);

#endif
