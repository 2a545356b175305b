// Whether the V1 engine of 0.8 to 0.10 takes a deployment.
#ifndef KVB_ENGINES_VLLM_V1_ORACLE_H
#define KVB_ENGINES_VLLM_V1_ORACLE_H

#include "engines/vllm/context.h"

// The feature that release's V1 lacks, as it names it; NULL when it lacks none. Reads dtype, model, GPU, settings.
const char *kvb_v1_lacks(const struct kvb_context *context);
// What that V1 does only when VLLM_USE_V1=1 asks for it, so that V0 serves it otherwise; NULL when there is none.
const char *kvb_v1_tries(const struct kvb_context *context);
// The flag that keeps stages of a plan which names no executor on V1; NULL when there is no need for one.
const char *kvb_v1_unsaid(const struct kvb_plan *plan);

#endif
