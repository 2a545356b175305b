// What a platform keeps for itself, said once per plan.
#ifndef KVB_ENGINES_VLLM_PLATFORMS_H
#define KVB_ENGINES_VLLM_PLATFORMS_H

#include "engines/vllm/context.h"

// Bytes that the platform usually holds before the engine starts, where nobody said what is free; 0: none known.
uint64_t kvb_platform_usually_gone(const struct kvb_context *context);
// Whether the engine asks for more than the platform usually leaves, where nobody said what is free.
bool kvb_platform_leaves_less(const struct kvb_context *context, const struct kvb_budget *budget);
// A notice when what is free was not stated and the platform is known to hold memory.
void kvb_platform_note(const struct kvb_context *context, const struct kvb_budget *budget,
                       struct kvb_problems *problems);

#endif
