// What stands on the card at the worst moment of loading.
#ifndef KVB_ENGINES_VLLM_LOAD_PEAK_H
#define KVB_ENGINES_VLLM_LOAD_PEAK_H

#include "engines/vllm/context.h"

// Beyond the weights as they stay: matrices at the model's dtype before they are quantised, the copy of one that is
// laid out anew. `why` receives what it is, a part of a sentence; both 0 and NULL when there is nothing.
uint64_t kvb_load_extra(const struct kvb_context *context, const struct kvb_weights *weights, const char **why);

#endif
