// Candidates that lift a refusal which is not about memory; nothing is tried when another rule refused.
#include <string.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/vllm/ladder.h"

#define RANKS_MAX 8

static bool is_refused_by(const struct kvb_budget *budget, const char *rule)
{
    return budget->refusal != NULL && strncmp(budget->refusal, rule, strlen(rule)) == 0;
}

uint32_t kvb_try_stored_method(const struct kvb_plan *plan, const struct kvb_budget *budget,
                               uint64_t out[KVB_CANDIDATES_MAX])
{
    out[0] = KVB_QUANTIZATION_CHECKPOINT;
    return is_refused_by(budget, "quantization-") && kvb_is_set(plan, KVB_SET_QUANTIZATION) ? 1 : 0;
}

uint32_t kvb_try_other_dtype(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    bool about_dtype = is_refused_by(budget, "dtype-") || is_refused_by(budget, "quantization-dtype");
    out[0] = KVB_DTYPE_WORD_FP16;
    out[1] = KVB_DTYPE_WORD_BF16;
    out[2] = KVB_DTYPE_WORD_FP32;
    return about_dtype ? 3 : 0;
}

uint32_t kvb_try_known_rank(const struct kvb_plan *plan, const struct kvb_budget *budget,
                            uint64_t out[KVB_CANDIDATES_MAX])
{
    static const uint64_t ranks[] = {8, 16, 32, 64, 128, 256, 320, 512};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        if (is_refused_by(budget, "lora-rank") && ranks[i] > kvb_number(plan, KVB_SET_MAX_LORA_RANK)) {
            out[count++] = ranks[i];
        }
    }
    return count;
}

uint32_t kvb_try_own_length(const struct kvb_plan *plan, const struct kvb_budget *budget,
                            uint64_t out[KVB_CANDIDATES_MAX])
{
    out[0] = plan->model.context_tokens;
    return is_refused_by(budget, "max-model-len") && plan->model.context_tokens > 0 ? 1 : 0;
}

uint32_t kvb_try_larger_batch(const struct kvb_plan *plan, const struct kvb_budget *budget,
                              uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    if (!is_refused_by(budget, "max-num-batched-tokens")) {
        return 0;
    }
    out[0] = kvb_effective(budget, KVB_SET_MAX_NUM_SEQS);
    out[1] = kvb_max(out[0], kvb_effective(budget, KVB_SET_MAX_MODEL_LEN));
    return 2;
}

uint32_t kvb_try_whole_experts(const struct kvb_plan *plan, const struct kvb_budget *budget,
                               uint64_t out[KVB_CANDIDATES_MAX])
{
    bool shape = is_refused_by(budget, "quantization-shape") || is_refused_by(budget, "parallel-split");
    out[0] = 1;
    return shape && kvb_number(plan, KVB_SET_ENABLE_EXPERT_PARALLEL) == 0 ? 1 : 0;
}

// Fewer ranks first, the nearest first; then more.
uint32_t kvb_try_other_ranks(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    uint64_t now = kvb_effective(budget, KVB_SET_TENSOR_PARALLEL_SIZE);
    uint32_t count = 0;
    (void)plan;
    if (!is_refused_by(budget, "quantization-shape") && !is_refused_by(budget, "parallel-split")) {
        return 0;
    }
    for (uint64_t tp = RANKS_MAX; tp > 0; tp /= 2) {
        if (tp < now) {
            out[count++] = tp;
        }
    }
    for (uint64_t tp = 1; tp <= RANKS_MAX; tp *= 2) {
        if (tp > now) {
            out[count++] = tp;
        }
    }
    return count;
}

// Eight bits stay eight bits where the other word for them is read.
uint32_t kvb_try_other_cache(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    uint64_t now = kvb_number(plan, KVB_SET_KV_CACHE_DTYPE);
    uint32_t count = 0;
    if (!is_refused_by(budget, "kv-cache-dtype")) {
        return 0;
    }
    if (now != KVB_KV_FP8) {
        out[count++] = KVB_KV_FP8;
    }
    out[count++] = KVB_KV_AUTO;
    return count;
}

// Most first: what the stages leave of the GPUs that are stated.
uint32_t kvb_try_fewer_ranks(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    for (uint64_t tp = RANKS_MAX; tp > 0 && is_refused_by(budget, "gpu-count"); tp /= 2) {
        if (tp < kvb_effective(budget, KVB_SET_TENSOR_PARALLEL_SIZE) && tp <= plan->gpus_stated) {
            out[count++] = tp;
        }
    }
    return count;
}
