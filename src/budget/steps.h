// The figures behind an answer, each with its formula and numbers.
#ifndef KVB_BUDGET_STEPS_H
#define KVB_BUDGET_STEPS_H

#include "budget/context.h"

void kvb_steps_fill(const struct kvb_context *context, struct kvb_budget *budget);

#endif
