// What a platform keeps for itself, said once per plan.
#ifndef KVB_BUDGET_PLATFORMS_H
#define KVB_BUDGET_PLATFORMS_H

#include "budget/context.h"

// A notice when what is free was not stated and the platform is known to hold memory.
void kvb_platform_note(const struct kvb_context *context, const struct kvb_budget *budget,
                       struct kvb_problems *problems);

#endif
