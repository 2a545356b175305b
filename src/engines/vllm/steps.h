// The figures behind an answer, each with its formula and numbers.
#ifndef KVB_ENGINES_VLLM_STEPS_H
#define KVB_ENGINES_VLLM_STEPS_H

#include "engines/vllm/context.h"

void kvb_steps_fill(const struct kvb_context *context, struct kvb_budget *budget);

#endif
