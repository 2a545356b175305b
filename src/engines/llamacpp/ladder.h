// What to try when it does not fit, and the trade between layers, length and elements of the cache.
#ifndef KVB_ENGINES_LLAMACPP_LADDER_H
#define KVB_ENGINES_LLAMACPP_LADDER_H

#include "budget/engine.h"
#include "engines/llamacpp/start.h"

const struct kvb_rung *kvb_llamacpp_rungs(size_t *count);
const struct kvb_rung *kvb_ollama_rungs(size_t *count);
// The longest context with the layers and the cache of this start.
uint64_t kvb_llama_longest_of(const struct kvb_plan *plan, const struct kvb_llama_start *start,
                              const struct kvb_budget *budget);
// Steps of the answer: the longest context for counts of layers and types of the cache.
void kvb_llama_trade(const struct kvb_plan *plan, const struct kvb_llama_start *start, struct kvb_budget *budget);

#endif
