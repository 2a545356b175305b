// The highest share of a card that leaves room for what lives outside of it.
#ifndef KVB_BUDGET_UTILIZATION_H
#define KVB_BUDGET_UTILIZATION_H

#include <kvbudget/budget.h>

// In whole hundredths, as parts per million; 0 when there is none.
uint32_t kvb_highest_utilization(const struct kvb_budget *budget);

#endif
