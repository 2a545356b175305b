// What one rank of one stage holds, and what its pools come to for requests.
#ifndef KVB_ENGINES_SGLANG_CACHE_H
#define KVB_ENGINES_SGLANG_CACHE_H

#include "budget/weights/weights.h"
#include "engines/sglang/context.h"

// All that is decided on one rank of one stage.
struct kvb_sgl_stage {
    struct kvb_weights weights;
    struct kvb_estimate loaded; // weights, and drafts where they come first
    uint64_t loading_bytes;     // on the card while it loads, where that is more than what stays
    struct kvb_sgl_cell cell;
    struct kvb_sgl_pool pool;
};

// Tokens, groups, concurrency and the need of one request of the tightest stage.
void kvb_sgl_cache_fill(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                        struct kvb_budget *budget);

#endif
