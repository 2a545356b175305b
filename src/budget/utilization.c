// The highest share of a card that leaves room for what lives outside of it, and the share that gives a size of cache.
#include "budget/utilization.h"

#include <kvbudget/units.h>

#include "base/checked.h"

#define UTILIZATION_MAX_PPM 980000U
#define FINE_PPM 100U
#define WHOLE_PPM 1000000U

uint32_t kvb_highest_utilization(const struct kvb_budget *budget)
{
    int64_t room = (int64_t)budget->requested_bytes + budget->slack_bytes;
    int64_t most =
        (room < (int64_t)budget->free_bytes ? room : (int64_t)budget->free_bytes) - (int64_t)budget->usually_gone_bytes;
    uint64_t whole_bytes = budget->share_of_bytes > 0 ? budget->share_of_bytes : budget->memory_bytes;
    if (most <= 0 || whole_bytes == 0) {
        return 0;
    }
    uint64_t ppm = (uint64_t)most / (whole_bytes / 1000000U + 1);
    ppm = kvb_min(ppm, UTILIZATION_MAX_PPM);
    return (uint32_t)(ppm / KVB_HUNDREDTH_PPM * KVB_HUNDREDTH_PPM);
}

uint32_t kvb_utilization_for(const struct kvb_budget *budget, uint64_t cache_bytes)
{
    uint64_t whole_bytes = budget->share_of_bytes > 0 ? budget->share_of_bytes : budget->memory_bytes;
    const struct kvb_setting_value *stated = &budget->settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES];
    if (whole_bytes < WHOLE_PPM || (stated->set && stated->number > 0) || budget->uncounted) {
        return 0;
    }
    int64_t charged = (int64_t)budget->requested_bytes - budget->items[KVB_ITEM_KV_CACHE].bytes;
    uint64_t asked = kvb_add(charged > 0 ? (uint64_t)charged : 0, cache_bytes);
    // Ten-thousandths of the whole, rounded up.
    uint64_t parts = kvb_div_up(kvb_mul(asked, WHOLE_PPM / FINE_PPM), whole_bytes);
    return kvb_is_saturated(kvb_mul(asked, WHOLE_PPM / FINE_PPM)) || parts > UINT32_MAX / FINE_PPM
               ? 0
               : (uint32_t)parts * FINE_PPM;
}
