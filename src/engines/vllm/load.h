// How vLLM loads a model.
#ifndef KVB_ENGINES_VLLM_LOAD_H
#define KVB_ENGINES_VLLM_LOAD_H

#include "budget/weights/load.h"
#include "engines/vllm/context.h"

// Whether MXFP4 experts run on Marlin, and what their kernel pads to.
bool kvb_mxfp4_on_marlin(const struct kvb_context *context, struct kvb_padding *padding);
// Whether linear layers multiply in FP8, inputs too, with one scale for a tensor or for a row of it.
bool kvb_linears_are_plain_fp8(const struct kvb_context *context);
void kvb_load_fill(const struct kvb_context *context, struct kvb_load *load);

// Whether the runner leaves all weights on the device, whatever is said of offloading.
bool kvb_ignores_offload(const struct kvb_context *context);

#endif
