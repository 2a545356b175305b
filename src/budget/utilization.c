// The highest share of a card that leaves room for what lives outside of it.
#include "budget/utilization.h"

#include <kvbudget/units.h>

#include "base/checked.h"

#define UTILIZATION_MAX_PPM 980000U

uint32_t kvb_highest_utilization(const struct kvb_budget *budget)
{
    int64_t room = (int64_t)budget->requested_bytes + budget->slack_bytes;
    int64_t most = room < (int64_t)budget->free_bytes ? room : (int64_t)budget->free_bytes;
    uint64_t whole_bytes = budget->share_of_bytes > 0 ? budget->share_of_bytes : budget->memory_bytes;
    if (most <= 0 || whole_bytes == 0) {
        return 0;
    }
    uint64_t ppm = (uint64_t)most / (whole_bytes / 1000000U + 1);
    ppm = kvb_min(ppm, UTILIZATION_MAX_PPM);
    return (uint32_t)(ppm / KVB_HUNDREDTH_PPM * KVB_HUNDREDTH_PPM);
}
