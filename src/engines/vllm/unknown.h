// What is not known and widens the bound: a release to come, a draft model that nobody names a file of.
#ifndef KVB_ENGINES_VLLM_UNKNOWN_H
#define KVB_ENGINES_VLLM_UNKNOWN_H

#include "budget/estimate.h"
#include "engines/vllm/context.h"

// The largest step that the KV cache of this very plan took from one minor release to the next, over the newest ones.
// 0 unless the plan asks for a release newer than the newest known.
uint64_t kvb_release_drift(const struct kvb_context *context);

// Weights of a draft model that is named and not known, on one rank: smallest (also the likely value) and largest.
// Nothing when there is none.
struct kvb_estimate kvb_unknown_draft(const struct kvb_context *context, const struct kvb_weights *weights);
// Whether it may keep a cache as large as the model's own.
bool kvb_unknown_draft_caches(const struct kvb_context *context);

#endif
