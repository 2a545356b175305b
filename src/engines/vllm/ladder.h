// Settings to try when a deployment does not fit, least harm first: one row each.
#ifndef KVB_ENGINES_VLLM_LADDER_H
#define KVB_ENGINES_VLLM_LADDER_H

#include "budget/engine.h"

const struct kvb_rung *kvb_rungs(size_t *count);

// What lifts a refusal that is not about memory (ladder_refusals.c).
kvb_candidates_function kvb_try_stored_method, kvb_try_other_dtype, kvb_try_other_ranks, kvb_try_fewer_ranks,
    kvb_try_other_cache, kvb_try_whole_experts, kvb_try_larger_batch, kvb_try_known_rank, kvb_try_own_length;

#endif
