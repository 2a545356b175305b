// Defaults that move memory. Source: vllm/engine/arg_utils.py, config/scheduler.py by release.
#include "engines/vllm/defaults.h"

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/refusal.h"

#define LARGE_GPU_BYTES ((uint64_t)70 << 30)
#define LARGEST_GPU_BYTES ((uint64_t)160 << 30)
#define V0_CHUNKED_SINCE KVB_RELEASE(0, 5, 3)
#define V0_CHUNKS_ON_CUDA_SINCE                                                                                        \
    KVB_RELEASE(0, 8, 0) // arg_utils.py v0.8.0:1613, v0.7.3:1176 asks for a device of any make
#define V0_CHUNK_512_UNTIL KVB_RELEASE(0, 6, 5)
#define V0_MULTIMODAL_TOKENS_SINCE KVB_RELEASE(0, 6, 4)
#define V0_MULTIMODAL_TOKENS 5120
#define V0_POOLING_TOKENS 32768 // _POOLING_MODEL_MAX_NUM_BATCHED_TOKENS of config.py
#define SEQS_CAPPED_SINCE KVB_RELEASE(0, 10, 2)
#define TOKENS_CAPPED_SINCE KVB_RELEASE(0, 11, 1) // arg_utils.py; config/scheduler.py's own was for tokens nobody set
#define V1_CHUNKS_ALWAYS_UNTIL KVB_RELEASE(0, 11, 1) // arg_utils.py v0.8.0, v0.11.0:1548
#define APU_TOTAL_IS_VRAM_SINCE KVB_RELEASE(0, 24, 0)
#define PERFORMANCE_MODE_SINCE KVB_RELEASE(0, 17, 0)
#define WHOLE_ITEMS_FIT_SINCE KVB_RELEASE(0, 22, 0)

// NVML has no total for GB10: the query fails and counts as no memory (arg_utils.py v0.13.0:1787). Jetsons are not
// asked through NVML (platforms/cuda.py). Of an APU amdsmi counts what the firmware set aside as VRAM, not the pool of
// the kernel that the model lives in (platforms/rocm.py v0.24.0 get_device_total_memory; v0.23.0 asked HIP).
static bool has_no_total(const struct kvb_context *context)
{
    const struct kvb_gpu *gpu = context->gpu;
    if (gpu->unified_memory && gpu->vendor == KVB_VENDOR_AMD) {
        return context->release >= APU_TOTAL_IS_VRAM_SINCE;
    }
    bool shared = gpu->unified_memory && gpu->vendor == KVB_VENDOR_NVIDIA;
    return shared && !kvb_contains_ignoring_case(gpu->name, "thor") && !kvb_contains_ignoring_case(gpu->name, "orin");
}

// From 0.28 a server on 160 GiB and more takes what the offline class does, whatever the name: arg_utils.py
// v0.28.0:2582.
static bool is_largest_gpu(const struct kvb_context *context)
{
    return kvb_rule(context, KVB_RULE_DEFAULTS) >= KVB_DEFAULTS_LARGEST && !has_no_total(context) &&
           context->memory_bytes >= LARGEST_GPU_BYTES;
}

static bool is_large_gpu(const struct kvb_context *context)
{
    if (has_no_total(context)) {
        return false;
    }
    const char *name = context->gpu->name;
    switch (kvb_rule(context, KVB_RULE_DEFAULTS)) {
    case KVB_DEFAULTS_V1_EARLY:
    case KVB_DEFAULTS_ALL_1024:
    case KVB_DEFAULTS_BY_NAME:
        return kvb_contains_ignoring_case(name, "h100") || kvb_contains_ignoring_case(name, "h200");
    case KVB_DEFAULTS_BY_MEMORY:
        return context->memory_bytes >= LARGE_GPU_BYTES;
    default:
        return is_largest_gpu(context) ||
               (context->memory_bytes >= LARGE_GPU_BYTES && !kvb_contains_ignoring_case(name, "a100"));
    }
}

static bool v0_never_chunks(const struct kvb_context *context)
{
    bool latent = kvb_model_has(context->model, KVB_ATTENTION_MLA) && context->plan->environment.mla_disable != KVB_YES;
    bool foreign = context->gpu->vendor != KVB_VENDOR_NVIDIA;
    return context->release >= V0_CHUNKS_ON_CUDA_SINCE && (latent || foreign);
}

static bool v0_chunks(const struct kvb_context *context)
{
    const struct kvb_plan *plan = context->plan;
    if (kvb_is_set(plan, KVB_SET_ENABLE_CHUNKED_PREFILL)) {
        return kvb_number(plan, KVB_SET_ENABLE_CHUNKED_PREFILL) != 0;
    }
    bool plain = !context->pools && !kvb_model_is_multimodal(context->model) &&
                 !kvb_model_has(context->model, KVB_ATTENTION_SLIDING) &&
                 context->speculative == KVB_SPECULATIVE_NONE && !kvb_model_has_state(context->model) &&
                 !kvb_number(plan, KVB_SET_ENABLE_LORA);
    return plain && !v0_never_chunks(context) && context->release >= V0_CHUNKED_SINCE &&
           context->max_model_len > KVB_V0_CHUNKED_LENGTH;
}

static uint64_t v0_tokens(const struct kvb_context *context)
{
    bool several = kvb_plain_or(context, KVB_PLAIN_SCHEDULER_STEPS, 1) > 1; // whole prompts: config.py v0.8.5:1969
    if (context->chunked_prefill && !several) {
        return context->release < V0_CHUNK_512_UNTIL ? 512 : 2048;
    }
    uint64_t tokens = kvb_max(context->max_model_len, 2048);
    bool raised = kvb_model_is_multimodal(context->model) && context->release >= V0_MULTIMODAL_TOKENS_SINCE;
    if (context->pools) {
        return kvb_max(tokens, V0_POOLING_TOKENS);
    }
    return raised ? kvb_max(tokens, V0_MULTIMODAL_TOKENS) : tokens;
}

static bool doubles(const struct kvb_context *context)
{
    return context->generation == KVB_GENERATION_V1 && context->release >= PERFORMANCE_MODE_SINCE &&
           kvb_number(context->plan, KVB_SET_PERFORMANCE_MODE) == KVB_PERFORMANCE_THROUGHPUT;
}

static bool v1_chunks(const struct kvb_context *context)
{
    bool always = context->release < V1_CHUNKS_ALWAYS_UNTIL && !context->pools;
    bool asked = kvb_number(context->plan, KVB_SET_ENABLE_CHUNKED_PREFILL) != 0;
    return always || (kvb_is_set(context->plan, KVB_SET_ENABLE_CHUNKED_PREFILL) ? asked : !context->model->pooling);
}

static uint64_t v1_tokens(const struct kvb_context *context, bool large)
{
    bool offline = context->plan->usage == KVB_USAGE_OFFLINE || is_largest_gpu(context);
    uint64_t usual = large ? (offline ? 16384 : 8192) : (offline ? 8192 : 2048);
    uint64_t tokens = doubles(context) ? kvb_mul(usual, 2) : usual;
    return context->chunked_prefill ? tokens : kvb_max(tokens, context->max_model_len);
}

// A model that attends to pictures in both directions takes its largest item in one step, a video, allowed or not:
// arg_utils.py v0.22.0 _get_min_mm_batched_tokens.
static uint64_t raised_for_items(const struct kvb_context *context, uint64_t tokens)
{
    bool whole = context->model->encoder.both_ways && context->release >= WHOLE_ITEMS_FIT_SINCE;
    return whole ? kvb_max(tokens, KVB_GEMMA4_VIDEO_TOKENS) : tokens;
}

static uint64_t default_seqs(const struct kvb_context *context, bool large)
{
    if (context->generation == KVB_GENERATION_V0 || kvb_rule(context, KVB_RULE_DEFAULTS) == KVB_DEFAULTS_V1_EARLY) {
        return 256;
    }
    bool all = kvb_rule(context, KVB_RULE_DEFAULTS) == KVB_DEFAULTS_ALL_1024;
    return all || large ? 1024 : 256;
}

void kvb_defaults_resolve(struct kvb_context *context)
{
    const struct kvb_plan *plan = context->plan;
    bool v1 = context->generation == KVB_GENERATION_V1;
    context->chunked_prefill = v1 ? v1_chunks(context) : v0_chunks(context);
    bool tokens_set = kvb_is_set(plan, KVB_SET_MAX_NUM_BATCHED_TOKENS);
    bool seqs_set = kvb_is_set(plan, KVB_SET_MAX_NUM_SEQS);
    bool large = is_large_gpu(context);
    uint64_t tokens = tokens_set ? kvb_number(plan, KVB_SET_MAX_NUM_BATCHED_TOKENS)
                      : v1       ? v1_tokens(context, large)
                                 : v0_tokens(context);
    uint64_t seqs = seqs_set ? kvb_number(plan, KVB_SET_MAX_NUM_SEQS) : default_seqs(context, large);
    seqs = doubles(context) && !seqs_set ? kvb_mul(seqs, 2) : seqs;
    tokens = tokens_set ? tokens : raised_for_items(context, tokens);
    if (!seqs_set && v1 && context->release >= SEQS_CAPPED_SINCE) {
        seqs = kvb_min(seqs, tokens);
    }
    if (!tokens_set && v1 && context->release >= TOKENS_CAPPED_SINCE) {
        tokens = kvb_min(tokens, kvb_mul(seqs, context->max_model_len));
    }
    context->max_num_batched_tokens = tokens;
    context->max_num_seqs = seqs;
}

static void put(struct kvb_context *context, enum kvb_setting setting, uint64_t number)
{
    const struct kvb_setting_value *given = &context->plan->settings.values[setting];
    struct kvb_setting_value *value = &context->settings.values[setting];
    value->number = number;
    value->set = 1;
    value->origin = given->set ? given->origin : KVB_ORIGIN_DEFAULT;
}

void kvb_settings_effective(struct kvb_context *context)
{
    context->settings = context->plan->settings;
    put(context, KVB_SET_GPU_MEMORY_UTILIZATION, context->utilization_ppm);
    put(context, KVB_SET_MAX_MODEL_LEN, context->max_model_len);
    put(context, KVB_SET_MAX_NUM_SEQS, context->max_num_seqs);
    put(context, KVB_SET_MAX_NUM_BATCHED_TOKENS, context->max_num_batched_tokens);
    put(context, KVB_SET_TENSOR_PARALLEL_SIZE, context->tp);
    put(context, KVB_SET_PIPELINE_PARALLEL_SIZE, context->pp);
    put(context, KVB_SET_DATA_PARALLEL_SIZE, context->dp);
    put(context, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, context->dcp);
    put(context, KVB_SET_DTYPE, (uint64_t)context->dtype + KVB_DTYPE_WORD_BF16);
    put(context, KVB_SET_KV_CACHE_DTYPE, context->kv_dtype);
    put(context, KVB_SET_BLOCK_SIZE, context->block_tokens);
    put(context, KVB_SET_ENFORCE_EAGER, context->eager);
    put(context, KVB_SET_ENABLE_PREFIX_CACHING, context->prefix_caching);
    put(context, KVB_SET_ENABLE_CHUNKED_PREFILL, context->chunked_prefill);
    put(context, KVB_SET_ASYNC_SCHEDULING, context->async_scheduling);
}
