// The parts of one computation that advice reuses.
#ifndef KVB_BUDGET_COMPUTE_H
#define KVB_BUDGET_COMPUTE_H

#include "budget/context.h"
#include "budget/overhead.h"

// Terms of one pipeline stage.
struct kvb_stage_terms {
    struct kvb_weights weights;
    struct kvb_estimate items[KVB_ITEM_KV_CACHE];
    int64_t pool_bytes, pool_low_bytes, pool_high_bytes;
};

#define KVB_LOG_ROUNDING_BYTES 5368710U // half a hundredth of a GiB

// Replaces the model of a term by what a run taught about it, and narrows its range.
void kvb_calibration_apply(const struct kvb_calibration *calibration, uint32_t item, struct kvb_estimate *estimate);

// Highest utilization, in whole hundredths, that the free memory and what lives outside the request
// leave; 0 when there is none.
uint32_t kvb_highest_utilization(const struct kvb_budget *budget);

// kvb_budget_compute without problems: for searches. False, with KVB_DOES_NOT_FIT, when the numbers cannot work.
bool kvb_budget_quietly(const struct kvb_plan *plan, struct kvb_budget *budget);

#endif
