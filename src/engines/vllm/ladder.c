// Settings to try when a deployment does not fit, least harm first: one row each.
#include "engines/vllm/ladder.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/candidates.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "budget/utilization.h"

// Up to what the free memory and the context leave, in steps of 0.01.
static uint32_t utilization_up(const struct kvb_plan *plan, const struct kvb_budget *budget,
                               uint64_t out[KVB_CANDIDATES_MAX])
{
    uint64_t now = kvb_effective(budget, KVB_SET_GPU_MEMORY_UTILIZATION);
    uint64_t top = kvb_number(plan, KVB_SET_KV_CACHE_MEMORY_BYTES) > 0 ? 0 : kvb_highest_utilization(budget);
    if (top <= now) {
        return 0;
    }
    uint64_t missing = kvb_positive(-budget->balance_bytes);
    uint64_t wanted = now + missing / (budget->memory_bytes / KVB_PPM) + KVB_HUNDREDTH_PPM;
    wanted = wanted / KVB_HUNDREDTH_PPM * KVB_HUNDREDTH_PPM;
    uint32_t count = 0;
    if (wanted < top) {
        out[count++] = wanted;
    }
    out[count++] = top;
    return count;
}

// Down to what is free, when the start-up check on free memory refuses: with room for what lives outside first.
static uint32_t utilization_down(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                 uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    uint32_t count = 0;
    uint64_t now = kvb_effective(budget, KVB_SET_GPU_MEMORY_UTILIZATION);
    if (budget->memory_bytes < KVB_PPM) {
        return 0;
    }
    uint64_t top = budget->free_bytes / (budget->memory_bytes / KVB_PPM + 1) / KVB_HUNDREDTH_PPM * KVB_HUNDREDTH_PPM;
    uint64_t roomy = kvb_highest_utilization(budget);
    if (top == 0 || top >= now) {
        return 0;
    }
    if (roomy > 0 && roomy < top) {
        out[count++] = roomy;
    }
    out[count++] = top;
    return count;
}

static uint32_t utilization_lower(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                  uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    uint64_t now = kvb_effective(budget, KVB_SET_GPU_MEMORY_UTILIZATION);
    bool negative = budget->balance_bytes < 0 && budget->free_bytes >= budget->requested_bytes;
    if (!negative || now <= 200000) {
        return 0;
    }
    out[0] = now - 100000;
    return 1;
}

static uint32_t no_video(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    bool on = plan->model.encoder.has_video && plan->model.encoder.family != KVB_ENCODER_NONE &&
              !(kvb_is_set(plan, KVB_SET_LIMIT_VIDEOS) && kvb_number(plan, KVB_SET_LIMIT_VIDEOS) == 0);
    out[0] = 0;
    return on ? 1 : 0;
}

static uint32_t fewer_pixels(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    static const uint64_t steps[] = {4014080, 2007040, 1003520, 501760};
    (void)budget;
    enum kvb_encoder_family family = plan->model.encoder.family;
    if (family != KVB_ENCODER_QWEN2_VL && family != KVB_ENCODER_QWEN25_VL && family != KVB_ENCODER_QWEN3_VL) {
        return 0;
    }
    uint64_t now = kvb_is_set(plan, KVB_SET_MM_MAX_PIXELS) ? kvb_number(plan, KVB_SET_MM_MAX_PIXELS) : UINT64_MAX;
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (steps[i] < now) {
            out[count++] = steps[i];
        }
    }
    return count;
}

static uint32_t text_only(const struct kvb_plan *plan, const struct kvb_budget *budget,
                          uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    bool encoder = plan->model.encoder.family != KVB_ENCODER_NONE;
    bool knows = plan->engine.release >= KVB_RELEASE(0, 17, 0);
    out[0] = 1;
    return encoder && knows && !kvb_number(plan, KVB_SET_LANGUAGE_MODEL_ONLY) ? 1 : 0;
}

static uint32_t halvings(uint64_t from, uint64_t least, uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    uint64_t power = 1;
    while (power * 2 < from) {
        power *= 2;
    }
    for (; power >= least && count < KVB_CANDIDATES_MAX; power /= 2) {
        out[count++] = power;
    }
    return count;
}

static uint32_t fewer_seqs(const struct kvb_plan *plan, const struct kvb_budget *budget,
                           uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    return halvings(kvb_effective(budget, KVB_SET_MAX_NUM_SEQS), 16, out);
}

static uint32_t fewer_tokens(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    uint64_t least = kvb_max(512, kvb_effective(budget, KVB_SET_MAX_NUM_SEQS));
    if (kvb_effective(budget, KVB_SET_ENABLE_CHUNKED_PREFILL) == 0) {
        least = kvb_max(least, kvb_effective(budget, KVB_SET_MAX_MODEL_LEN));
    }
    return halvings(kvb_effective(budget, KVB_SET_MAX_NUM_BATCHED_TOKENS), least, out);
}

static uint32_t eager(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    out[0] = 1;
    return kvb_effective(budget, KVB_SET_ENFORCE_EAGER) == 0 ? 1 : 0;
}

static uint32_t fp8_cache(const struct kvb_plan *plan, const struct kvb_budget *budget,
                          uint64_t out[KVB_CANDIDATES_MAX])
{
    uint64_t now = kvb_effective(budget, KVB_SET_KV_CACHE_DTYPE);
    uint32_t capability = plan->gpu.compute_capability;
    out[0] = KVB_KV_FP8;
    return now <= KVB_KV_16BIT && (capability == 0 || capability >= KVB_CAPABILITY_AMPERE) ? 1 : 0;
}

// From 0.9.0 on the flag alone loads that way: v0.9.0 vllm/engine/arg_utils.py, create_load_config.
static uint32_t bitsandbytes_weights(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                     uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    bool plain = plan->model.quantisation.method == KVB_QUANT_NONE && !kvb_is_set(plan, KVB_SET_QUANTIZATION);
    out[0] = KVB_QUANTIZATION_BITSANDBYTES;
    return plain && plan->engine.release >= KVB_RELEASE(0, 9, 0) && plan->gpu.vendor == KVB_VENDOR_NVIDIA ? 1 : 0;
}

static bool cache_is_negative(const struct kvb_budget *budget)
{
    return budget->items[KVB_ITEM_KV_CACHE].bytes <= 0;
}

static uint32_t half_length(const struct kvb_plan *plan, const struct kvb_budget *budget,
                            uint64_t out[KVB_CANDIDATES_MAX])
{
    uint64_t now = kvb_effective(budget, KVB_SET_MAX_MODEL_LEN);
    bool whole_prompts = kvb_effective(budget, KVB_SET_ENABLE_CHUNKED_PREFILL) == 0;
    (void)plan;
    out[0] = now / 2;
    return cache_is_negative(budget) && now >= 2048 && !whole_prompts ? 1 : 0;
}

static uint32_t no_prefix_caching(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                  uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    out[0] = 0;
    return cache_is_negative(budget) && kvb_effective(budget, KVB_SET_ENABLE_PREFIX_CACHING) != 0 ? 1 : 0;
}

static const struct kvb_rung rungs[] = {
    {KVB_SET_QUANTIZATION, kvb_try_stored_method, false, false, "the checkpoint's own method then holds", true},
    {KVB_SET_DTYPE, kvb_try_other_dtype, false, false, "a number format that model, GPU and release agree on", false},
    {KVB_SET_KV_CACHE_DTYPE, kvb_try_other_cache, false, false, "a format of the cache that is read here", false},
    {KVB_SET_MAX_LORA_RANK, kvb_try_known_rank, false, false, "a rank this release knows", false},
    {KVB_SET_MAX_MODEL_LEN, kvb_try_own_length, false, false, "the longest length the model's config allows", false},
    {KVB_SET_MAX_NUM_BATCHED_TOKENS, kvb_try_larger_batch, false, false, "the least this release takes here", false},
    {KVB_SET_ENABLE_EXPERT_PARALLEL, kvb_try_whole_experts, false, false, "experts stay whole on a GPU", false},
    {KVB_SET_TENSOR_PARALLEL_SIZE, kvb_try_fewer_ranks, false, false, "as many GPUs as are stated", false},
    {KVB_SET_TENSOR_PARALLEL_SIZE, kvb_try_other_ranks, false, false, "a size that divides the model", false},
    {KVB_SET_GPU_MEMORY_UTILIZATION, utilization_up, false, false, "gives the KV cache what is still unused", false},
    {KVB_SET_GPU_MEMORY_UTILIZATION, utilization_down, false, false, "the start-up check wants that much free", false},
    {KVB_SET_LIMIT_VIDEOS, no_video, false, false, "the profile run no longer prepares for video", false},
    {KVB_SET_MM_MAX_PIXELS, fewer_pixels, false, false, "the vision encoder is profiled with its largest picture",
     false},
    {KVB_SET_MAX_NUM_SEQS, fewer_seqs, false, false, "fewer rows of logits in the sampler's peak", false},
    {KVB_SET_MAX_NUM_BATCHED_TOKENS, fewer_tokens, false, false, "a smaller batch in the profile run", false},
    {KVB_SET_KV_CACHE_DTYPE, fp8_cache, false, false, "halves the bytes per token; check the answers' quality", false},
    {KVB_SET_MAX_MODEL_LEN, kvb_try_fitting_length, false, false, "one request of this length fits into the cache",
     false},
    {KVB_SET_ENFORCE_EAGER, eager, false, false, "no CUDA graphs; decoding gets slower", false},
    {KVB_SET_LANGUAGE_MODEL_ONLY, text_only, true, false, "leaves the vision and audio towers out", false},
    {KVB_SET_QUANTIZATION, kvb_try_fp8_weights, true, false,
     "8-bit weights made while loading; so does a quantised checkpoint", false},
    {KVB_SET_QUANTIZATION, bitsandbytes_weights, true, false,
     "4-bit weights made while loading; slower than AWQ or GPTQ", false},
    {KVB_SET_TENSOR_PARALLEL_SIZE, kvb_try_more_ranks, true, false, "splits the weights over more GPUs", false},
    {KVB_SET_GPU_MEMORY_UTILIZATION, utilization_lower, false, true, "popular, but it makes the KV cache smaller",
     false},
    {KVB_SET_MAX_MODEL_LEN, half_length, false, true, "the cache is what is left; a shorter length leaves no more",
     false},
    {KVB_SET_ENABLE_PREFIX_CACHING, no_prefix_caching, false, true, "it shares blocks and reserves none", false},
};

_Static_assert(2 * sizeof rungs / sizeof rungs[0] <= KVB_CHANGES_MAX, "each is listed at most twice");

const struct kvb_rung *kvb_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
