// How vLLM loads a model.
#ifndef KVB_ENGINES_VLLM_LOAD_H
#define KVB_ENGINES_VLLM_LOAD_H

#include "budget/weights/load.h"
#include "engines/vllm/context.h"

void kvb_load_fill(const struct kvb_context *context, struct kvb_load *load);

#endif
