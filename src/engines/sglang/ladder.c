// What to try, least harm first: one row each. Raising --mem-fraction-static helps while there is no pool, lowering it
// when what comes after the pool does not fit; each is offered only where it is right.
#include "engines/sglang/ladder.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/candidates.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "budget/utilization.h"

#define E4M3_SINCE (KVB_RELEASE(0, 4, 1) + 6) // server_args.py, --kv-cache-dtype: auto and fp8_e5m2 before
#define LEAST_CHUNK 512U
#define LEAST_BATCH 4U
#define LEAST_REQUESTS 8U

static uint32_t halvings(uint64_t from, uint64_t least, uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    for (uint64_t number = from / 2; number >= least && count < KVB_CANDIDATES_MAX; number /= 2) {
        out[count++] = number;
    }
    return count;
}

// Without a pool, or with too small a one: up to what still leaves room for graphs and a prefill.
static uint32_t fraction_up(const struct kvb_plan *plan, const struct kvb_budget *budget,
                            uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    uint64_t now = kvb_effective(budget, KVB_SET_GPU_MEMORY_UTILIZATION);
    uint64_t top = kvb_highest_utilization(budget);
    uint32_t count = 0;
    if (budget->balance_bytes >= 0 || top <= now) {
        return 0;
    }
    uint64_t wanted =
        now + (uint64_t)-budget->balance_bytes / (budget->share_of_bytes / KVB_PPM + 1) + KVB_HUNDREDTH_PPM;
    wanted = wanted / KVB_HUNDREDTH_PPM * KVB_HUNDREDTH_PPM;
    if (wanted < top) {
        out[count++] = wanted;
    }
    out[count++] = top;
    return count;
}

// With a pool and no room beside it: down.
static uint32_t fraction_down(const struct kvb_plan *plan, const struct kvb_budget *budget,
                              uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    uint64_t now = kvb_effective(budget, KVB_SET_GPU_MEMORY_UTILIZATION);
    uint64_t top = kvb_highest_utilization(budget);
    out[0] = top;
    return budget->slack_bytes < 0 && top > 0 && top < now ? 1 : 0;
}

// The advice of the error text, where it makes things worse.
static uint32_t fraction_wrong(const struct kvb_plan *plan, const struct kvb_budget *budget,
                               uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    uint64_t now = kvb_effective(budget, KVB_SET_GPU_MEMORY_UTILIZATION);
    bool no_pool = budget->items[KVB_ITEM_KV_CACHE].bytes < 0;
    out[0] = now > 200000 ? now - 100000 : 0;
    return no_pool && out[0] > 0 ? 1 : 0;
}

static uint32_t smaller_chunk(const struct kvb_plan *plan, const struct kvb_budget *budget,
                              uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    return halvings(kvb_effective(budget, KVB_SET_MAX_NUM_BATCHED_TOKENS), LEAST_CHUNK, out);
}

static uint32_t smaller_batch(const struct kvb_plan *plan, const struct kvb_budget *budget,
                              uint64_t out[KVB_CANDIDATES_MAX])
{
    bool graphs = kvb_number(plan, KVB_SET_ENFORCE_EAGER) == 0;
    return graphs ? halvings(kvb_effective(budget, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE), LEAST_BATCH, out) : 0;
}

static uint32_t no_graphs(const struct kvb_plan *plan, const struct kvb_budget *budget,
                          uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    out[0] = 1;
    return kvb_number(plan, KVB_SET_ENFORCE_EAGER) == 0 ? 1 : 0;
}

static uint32_t fewer_requests(const struct kvb_plan *plan, const struct kvb_budget *budget,
                               uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    return halvings(kvb_min(kvb_effective(budget, KVB_SET_MAX_NUM_SEQS), 512), LEAST_REQUESTS, out);
}

static uint32_t smaller_windows(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                uint64_t out[KVB_CANDIDATES_MAX])
{
    static const uint64_t steps[] = {500000, 250000, 100000};
    bool two_pools = budget->kv.group_count > 1 && !kvb_model_has(&plan->model, KVB_ATTENTION_DSV4);
    uint64_t now =
        kvb_is_set(plan, KVB_SET_SWA_FULL_TOKENS_RATIO) ? kvb_number(plan, KVB_SET_SWA_FULL_TOKENS_RATIO) : 800000;
    uint32_t count = 0;
    for (size_t i = 0; two_pools && i < sizeof steps / sizeof steps[0]; i++) {
        if (steps[i] < now) {
            out[count++] = steps[i];
        }
    }
    return count;
}

static uint32_t smaller_state(const struct kvb_plan *plan, const struct kvb_budget *budget,
                              uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    bool wide = kvb_model_has_state(&plan->model) && kvb_number(plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE) == KVB_DTYPE_AUTO;
    out[0] = KVB_DTYPE_WORD_BF16;
    return wide ? 1 : 0;
}

static uint32_t smaller_elements(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                 uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    bool able = plan->gpu.compute_capability >= KVB_CAPABILITY_AMPERE || plan->gpu.vendor != KVB_VENDOR_NVIDIA;
    out[0] = plan->engine.release < E4M3_SINCE ? KVB_KV_FP8_E5M2 : KVB_KV_FP8_E4M3;
    return able && kvb_number(plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_AUTO &&
                   !kvb_model_has(&plan->model, KVB_ATTENTION_DSV4)
               ? 1
               : 0;
}

// Latent caches are whole on every rank: groups with requests of their own hold more of them together.
static uint32_t attention_groups(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                 uint64_t out[KVB_CANDIDATES_MAX])
{
    uint64_t tp = kvb_effective(budget, KVB_SET_TENSOR_PARALLEL_SIZE);
    bool latent = kvb_model_is_mla(&plan->model) && kvb_number(plan, KVB_SET_ENABLE_DP_ATTENTION) == 0;
    out[0] = 1;
    return latent && tp > 1 && kvb_number(plan, KVB_SET_DATA_PARALLEL_SIZE) > 1 ? 1 : 0;
}

// Reached for, without effect on the pool.
static uint32_t no_radix(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    out[0] = 0;
    bool plain = !kvb_model_has_state(&plan->model) && !kvb_is_set(plan, KVB_SET_MAX_NUM_SEQS);
    return plain && !kvb_is_set(plan, KVB_SET_ENABLE_PREFIX_CACHING) ? 1 : 0;
}

const struct kvb_rung *kvb_sgl_rungs(size_t *count)
{
    static const struct kvb_rung rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, fraction_up, false, false,
         "gives weights and pools more of what is free; the rest is for graphs and prefills", false},
        {KVB_SET_GPU_MEMORY_UTILIZATION, fraction_down, false, false,
         "leaves more for tables, graphs and prefills, which come after the pool", false},
        {KVB_SET_MAX_NUM_BATCHED_TOKENS, smaller_chunk, false, false,
         "smaller prefills need less memory, and the default fraction grows", false},
        {KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, smaller_batch, false, false,
         "fewer graphs; larger batches run without one", false},
        {KVB_SET_SWA_FULL_TOKENS_RATIO, smaller_windows, false, false,
         "gives window layers a smaller pool; fewer requests run at once", false},
        {KVB_SET_MAX_NUM_SEQS, fewer_requests, false, false, "smaller tables of requests, fewer slots of state", false},
        {KVB_SET_KV_CACHE_DTYPE, smaller_elements, false, false,
         "halves the cache; without scales in the checkpoint at a cost in accuracy", false},
        {KVB_SET_MAMBA_SSM_CACHE_DTYPE, smaller_state, false, false, "halves the recurrent state", false},
        {KVB_SET_ENFORCE_EAGER, no_graphs, false, false, "no graphs at all; decoding becomes slower", false},
        {KVB_SET_MAX_MODEL_LEN, kvb_try_fitting_length, false, false, "the longest request that the pool holds", false},
        {KVB_SET_QUANTIZATION, kvb_try_fp8_weights, false, false, "quantises weights to 8 bits while loading", false},
        {KVB_SET_ENABLE_DP_ATTENTION, attention_groups, false, false,
         "each group keeps the latent cache of its own requests alone", false},
        {KVB_SET_TENSOR_PARALLEL_SIZE, kvb_try_more_ranks, true, false, "splits weights and cache over more GPUs",
         false},
        {KVB_SET_GPU_MEMORY_UTILIZATION, fraction_wrong, false, true,
         "lowering it takes memory from weights and pool, which is what is missing", false},
        {KVB_SET_ENABLE_PREFIX_CACHING, no_radix, false, true, "the pool is as large without the radix cache", false},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
