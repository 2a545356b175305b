// The parts of one computation that advice reuses.
#ifndef KVB_ENGINES_VLLM_COMPUTE_H
#define KVB_ENGINES_VLLM_COMPUTE_H

#include <kvbudget/budget.h>

// Highest utilization, in whole hundredths, that the free memory and what lives outside the request
// leave; 0 when there is none.
uint32_t kvb_highest_utilization(const struct kvb_budget *budget);

// kvb_budget_compute without problems: for searches. False, with KVB_DOES_NOT_FIT, when the numbers cannot work.
bool kvb_budget_quietly(const struct kvb_plan *plan, struct kvb_budget *budget);

#endif
