// The highest share of a card that leaves room for what lives outside of it, and the share that gives a size of cache.
#ifndef KVB_BUDGET_UTILIZATION_H
#define KVB_BUDGET_UTILIZATION_H

#include <kvbudget/budget.h>

// In whole hundredths, as parts per million; 0 when there is none.
uint32_t kvb_highest_utilization(const struct kvb_budget *budget);
// The least share, in ten-thousandths as parts per million, that gives the KV cache `cache_bytes` with all else as it is.
// Above 1,000,000 it is more than the whole; 0 when the budget is no share, or too large to say.
uint32_t kvb_utilization_for(const struct kvb_budget *budget, uint64_t cache_bytes);

#endif
