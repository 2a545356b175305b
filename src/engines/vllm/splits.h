// Parallel splits: what divides, and which layers a pipeline stage holds.
#ifndef KVB_ENGINES_VLLM_SPLITS_H
#define KVB_ENGINES_VLLM_SPLITS_H

#include "engines/vllm/context.h"

enum kvb_status kvb_splits_check(const struct kvb_context *context, struct kvb_problems *problems) KVB_MUST_USE;
void kvb_stages_split(struct kvb_context *context);

#endif
