// Parallel splits: what divides, and which layers a pipeline stage holds.
#ifndef KVB_ENGINES_VLLM_SPLITS_H
#define KVB_ENGINES_VLLM_SPLITS_H

#include "engines/vllm/context.h"

// Writes why the parallel sizes do not go with the model, and returns true; false when they do.
bool kvb_splits_refuse(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_stages_split(struct kvb_context *context);

#endif
