// What one measured run teaches about others: the difference between each term and the model of it.
#include <string.h>

#include "base/checked.h"
#include "base/model_copy.h"
#include "engines/table.h"
#include "plan/work.h"

_Static_assert(KVB_CALIBRATED_TERMS == (int)KVB_ITEM_KV_CACHE, "every term but the cache is calibrated");

static void learn(struct kvb_calibration *calibration, uint32_t item, int64_t measured, int64_t predicted)
{
    calibration->known[item] = true;
    calibration->offset_bytes[item] = measured - predicted;
    calibration->reference_bytes[item] = predicted > 0 ? (uint64_t)predicted : 0;
}

// Where the rest of a known pool goes: to the term that is measured least often.
static uint32_t item_of_rest(const struct kvb_measured *measured)
{
    return measured->known[KVB_ITEM_NON_TORCH] && !measured->known[KVB_ITEM_ACTIVATION] ? KVB_ITEM_ACTIVATION
                                                                                        : KVB_ITEM_NON_TORCH;
}

enum kvb_status kvb_calibrate_in(struct kvb_plan_work *work, const struct kvb_plan *logged,
                                 const struct kvb_measured *measured, struct kvb_calibration *calibration)
{
    const struct kvb_budget *budget = &work->budget;
    kvb_plan_copy(&work->plan, logged);
    memset(&work->plan.calibration, 0, sizeof work->plan.calibration);
    memset(calibration, 0, sizeof *calibration);
    if (!kvb_budget_quietly(&work->plan, &work->budget)) {
        return KVB_CONTRADICTION;
    }
    calibration->set = true;
    int64_t rest = budget->items[KVB_ITEM_KV_CACHE].bytes;
    for (uint32_t item = 0; item < KVB_CALIBRATED_TERMS; item++) {
        if (measured->known[item]) {
            learn(calibration, item, measured->bytes[item], budget->items[item].bytes);
            rest -= calibration->offset_bytes[item];
        }
    }
    if (measured->known[KVB_ITEM_KV_CACHE]) {
        uint32_t item = item_of_rest(measured);
        int64_t missing = rest - measured->bytes[KVB_ITEM_KV_CACHE];
        int64_t base = budget->items[item].bytes + (calibration->known[item] ? calibration->offset_bytes[item] : 0);
        learn(calibration, item, base + missing, budget->items[item].bytes);
        for (uint32_t other = 0; other < KVB_CALIBRATED_TERMS; other++) {
            if (!calibration->known[other]) { // the sum is known, so its parts cannot err on their own
                learn(calibration, other, budget->items[other].bytes, budget->items[other].bytes);
            }
        }
    }
    return KVB_OK;
}
