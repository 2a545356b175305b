// Values worth trying whatever the engine.
#include "budget/candidates.h"

#include "budget/gpu_facts.h"
#include "budget/shapes.h"

#define TENSOR_PARALLEL_MAX 8

uint32_t kvb_try_fitting_length(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    out[0] = budget->kv.max_model_len_that_fits;
    return out[0] > 0 && out[0] < kvb_effective(budget, KVB_SET_MAX_MODEL_LEN) ? 1 : 0;
}

uint32_t kvb_try_fp8_weights(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    bool plain = plan->model.quantisation.method == KVB_QUANT_NONE && !kvb_is_set(plan, KVB_SET_QUANTIZATION);
    out[0] = KVB_QUANTIZATION_FP8;
    return plain && plan->gpu.compute_capability >= KVB_CAPABILITY_ADA ? 1 : 0;
}

uint32_t kvb_try_more_ranks(const struct kvb_plan *plan, const struct kvb_budget *budget,
                            uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    uint32_t count = 0;
    for (uint64_t tp = 2 * kvb_effective(budget, KVB_SET_TENSOR_PARALLEL_SIZE); tp <= TENSOR_PARALLEL_MAX; tp *= 2) {
        out[count++] = tp;
    }
    return count;
}
