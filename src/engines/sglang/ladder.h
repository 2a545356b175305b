// Settings of SGLang to try when a deployment does not fit.
#ifndef KVB_ENGINES_SGLANG_LADDER_H
#define KVB_ENGINES_SGLANG_LADDER_H

#include "budget/engine.h"

const struct kvb_rung *kvb_sgl_rungs(size_t *count);

#endif
