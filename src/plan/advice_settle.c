// Which of the changes that were tried stay in the answer.
#include "plan/advice_settle.h"

// Whether a change is one of the steps that are taken, or stands for itself.
static bool is_kept(const struct kvb_advice *advice, uint32_t index)
{
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        if (advice->apply[i] == index) {
            return true;
        }
    }
    return !advice->changes[index].together;
}

static bool is_alike(uint64_t from, uint64_t to, uint64_t other_to)
{
    return (to < from) == (other_to < from);
}

// Whether another part advises the same setting the same way.
static bool is_advised(const struct kvb_advice *advice, const struct kvb_change *useless)
{
    for (uint32_t i = 0; i < advice->change_count; i++) {
        const struct kvb_change *change = &advice->changes[i];
        if (change->setting == useless->setting && !change->useless &&
            is_alike(useless->from, useless->to, change->to)) {
            return true;
        }
    }
    if (!advice->has_utilization) {
        return false;
    }
    if (useless->setting == KVB_SET_GPU_MEMORY_UTILIZATION) {
        return is_alike(useless->from, useless->to, advice->gpu_memory_utilization_ppm);
    }
    return useless->setting == KVB_SET_MAX_MODEL_LEN && advice->has_max_model_len &&
           is_alike(useless->from, useless->to, advice->max_model_len);
}

void kvb_advice_settle(struct kvb_advice *advice)
{
    uint32_t kept = 0, moved[KVB_CHANGES_MAX];
    for (uint32_t i = 0; i < advice->change_count; i++) {
        moved[i] = kept;
        const struct kvb_change *change = &advice->changes[i];
        if (is_kept(advice, i) && !(change->useless && is_advised(advice, change))) {
            advice->changes[kept++] = advice->changes[i];
        }
    }
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        advice->apply[i] = moved[advice->apply[i]];
    }
    advice->change_count = kept;
}
