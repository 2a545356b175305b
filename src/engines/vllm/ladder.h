// Settings to try when a deployment does not fit, least harm first: one row each.
#ifndef KVB_ENGINES_VLLM_LADDER_H
#define KVB_ENGINES_VLLM_LADDER_H

#include "budget/engine.h"

const struct kvb_rung *kvb_rungs(size_t *count);

#endif
