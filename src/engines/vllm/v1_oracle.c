// What kept 0.8 to 0.10 on the V0 engine: features that V1 of that release lacks.
// Source: vllm/engine/arg_utils.py _is_v1_supported_oracle of the releases 0.8.0 to 0.10.2.
#include "engines/vllm/v1_oracle.h"

#include <string.h>

#include "budget/gpu_facts.h"
#include "engines/vllm/kv_backend.h"
#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define V0_GONE R(11, 0) // no release from here on has it

static bool is_old_gpu(const struct kvb_context *context)
{
    return context->gpu->compute_capability > 0 && context->gpu->compute_capability < KVB_CAPABILITY_AMPERE;
}

// 10.0 exactly, as is_device_capability(100) asks.
static bool is_data_centre_blackwell(const struct kvb_context *context)
{
    return context->gpu->compute_capability == 100;
}

// FlashAttention 3 reads an fp8 cache, on Hopper alone; from 0.10.2 other backends are asked too. All words of these
// releases are fp8.
// Source: vllm/engine/arg_utils.py v0.8.2, v0.9.0; vllm/platforms/cuda.py is_kv_cache_dtype_supported v0.10.0, v0.10.2.
static bool has_foreign_cache(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    enum kvb_backend backend = kvb_backend_asked(context);
    bool flash = backend == KVB_BACKEND_AUTO || backend == KVB_BACKEND_FLASH_ATTN;
    if (kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_AUTO) {
        return false;
    }
    if (context->gpu->vendor != KVB_VENDOR_NVIDIA) {
        return context->release < R(9, 0);
    }
    if (kvb_model_is_mla(context->model) && context->release >= R(10, 2)) {
        return backend != KVB_BACKEND_AUTO && backend != KVB_BACKEND_FLASHMLA && backend != KVB_BACKEND_CUTLASS_MLA;
    }
    if (capability == 0 || (is_data_centre_blackwell(context) && context->release >= R(10, 0))) {
        return false;
    }
    if (!flash && context->release >= R(10, 2)) {
        return backend == KVB_BACKEND_TRITON ? capability < KVB_CAPABILITY_ADA : backend != KVB_BACKEND_FLASHINFER;
    }
    return !flash || capability != KVB_CAPABILITY_HOPPER;
}

static bool has_any_cache(const struct kvb_context *context)
{
    return kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE) != KVB_KV_AUTO;
}

static bool offloads(const struct kvb_context *context)
{
    return kvb_number(context->plan, KVB_SET_CPU_OFFLOAD_GB) > 0;
}

static bool is_float32(const struct kvb_context *context)
{
    return context->dtype == KVB_DTYPE_FP32;
}

static bool method_is(const struct kvb_context *context, const char *name, uint32_t word)
{
    return strcmp(context->model->quantisation.name, name) == 0 ||
           kvb_number(context->plan, KVB_SET_QUANTIZATION) == word;
}

static bool is_bitsandbytes(const struct kvb_context *context)
{
    return method_is(context, "bitsandbytes", KVB_QUANTIZATION_BITSANDBYTES);
}

static bool is_gguf(const struct kvb_context *context)
{
    return method_is(context, "gguf", KVB_QUANTIZATION_GGUF);
}

static bool pools(const struct kvb_context *context)
{
    return context->pools;
}

// Classes that are SupportsV0Only, by the names of models/registry.py; from 0.11.0 V0 is gone.
static const struct {
    const char *architecture;
    uint32_t since, gone;
} v0_classes[] = {
    {"BambaForCausalLM", R(8, 0), R(9, 2)},
    {"BartForConditionalGeneration", R(8, 0), V0_GONE},
    {"BartModel", R(8, 0), V0_GONE},
    {"BertForSequenceClassification", R(9, 2), R(10, 1)},
    {"BertModel", R(8, 0), R(10, 1)},
    {"BloomForCausalLM", R(8, 0), R(10, 2)},
    {"DonutForConditionalGeneration", R(10, 2), V0_GONE},
    {"FalconH1ForCausalLM", R(9, 0), R(9, 2)},
    {"FalconMambaForCausalLM", R(8, 0), R(10, 1)},
    {"Florence2ForConditionalGeneration", R(8, 3), V0_GONE},
    {"Gemma3ForConditionalGeneration", R(8, 0), R(8, 1)},
    {"GlmForCausalLM", R(8, 0), R(8, 5)},
    {"GraniteMoeHybridForCausalLM", R(9, 0), R(9, 2)},
    {"GritLM", R(8, 0), R(10, 2)},
    {"GteModel", R(8, 5), R(10, 1)},
    {"GteNewModel", R(9, 0), R(10, 1)},
    {"JambaForCausalLM", R(8, 0), R(10, 1)},
    {"JambaForSequenceClassification", R(8, 0), R(10, 1)},
    {"MBartForConditionalGeneration", R(10, 1), V0_GONE},
    {"Mamba2ForCausalLM", R(8, 0), R(9, 2)},
    {"MambaForCausalLM", R(8, 0), R(10, 1)},
    {"MiniCPMO", R(8, 0), R(8, 3)},
    {"MiniCPMV", R(8, 0), R(8, 3)},
    {"MiniMaxForCausalLM", R(10, 0), R(10, 1)},
    {"MiniMaxM1ForCausalLM", R(9, 2), R(10, 1)},
    {"MiniMaxText01ForCausalLM", R(8, 3), R(10, 1)},
    {"MllamaForConditionalGeneration", R(8, 0), V0_GONE},
    {"ModernBertForSequenceClassification", R(9, 2), R(10, 1)},
    {"MotifForCausalLM", R(10, 2), V0_GONE},
    {"NemotronHForCausalLM", R(9, 1), R(9, 2)},
    {"NomicBertModel", R(8, 5), R(10, 1)},
    {"Phi4FlashForCausalLM", R(10, 0), V0_GONE},
    {"Phi4MMForCausalLM", R(8, 0), R(8, 5)},
    {"Plamo2ForCausalLM", R(8, 5), R(10, 2)},
    {"PrithviGeoSpatialMAE", R(8, 0), R(10, 0)},
    {"Qwen2ForProcessRewardModel", R(8, 0), R(9, 2)},
    {"Qwen2ForRewardModel", R(8, 0), R(9, 2)},
    {"RobertaForMaskedLM", R(8, 0), R(10, 1)},
    {"RobertaForSequenceClassification", R(8, 0), R(10, 1)},
    {"RobertaModel", R(8, 0), R(10, 1)},
    {"WhisperForConditionalGeneration", R(8, 0), R(10, 2)},
    {"XLMRobertaForSequenceClassification", R(8, 0), R(10, 1)},
    {"XLMRobertaModel", R(8, 0), R(10, 1)},
    {"Zamba2ForCausalLM", R(8, 0), R(9, 2)},
};

static bool is_of_v0(const struct kvb_context *context)
{
    for (size_t i = 0; i < sizeof v0_classes / sizeof v0_classes[0]; i++) {
        bool holds = context->release >= v0_classes[i].since && context->release < v0_classes[i].gone;
        if (holds && strcmp(context->model->architecture, v0_classes[i].architecture) == 0) {
            return true;
        }
    }
    return false;
}

static bool drafts_otherwise(const struct kvb_context *context)
{
    switch (kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD)) {
    case KVB_SPECULATIVE_NONE:
    case KVB_SPECULATIVE_NGRAM:
        return false;
    case KVB_SPECULATIVE_EAGLE:
        return context->release < R(8, 3);
    case KVB_SPECULATIVE_MTP:
        return context->release < R(9, 0);
    default:
        return true;
    }
}

static bool transfers(const struct kvb_context *context)
{
    return kvb_is_set(context->plan, KVB_SET_KV_TRANSFER);
}

static bool steps_at_once(const struct kvb_context *context)
{
    return kvb_plain_or(context, KVB_PLAIN_SCHEDULER_STEPS, 1) != 1;
}

static bool prefills_in_parts(const struct kvb_context *context)
{
    bool threshold = context->plan->plain_numbers[KVB_PLAIN_LONG_PREFILL_THRESHOLD].set;
    return kvb_plain_or(context, KVB_PLAIN_PARTIAL_PREFILLS, 1) != 1 ||
           kvb_plain_or(context, KVB_PLAIN_LONG_PARTIAL_PREFILLS, 1) != 1 || (threshold && context->release < R(8, 3));
}

// The executor is asked for as it was written: none is not Ray, whatever is chosen later.
static bool stages_without_ray(const struct kvb_context *context)
{
    uint32_t taken = context->release < R(9, 0) ? KVB_PLAIN_RAY : KVB_PLAIN_RAY | KVB_PLAIN_MP;
    return context->pp > 1 && (context->plan->plain_flags & KVB_PLAIN_SERVE_LINE) != 0 &&
           (context->plan->plain_flags & taken) == 0;
}

// A profile leaves out the executor, and its stages run on V1 where one with Ray would.
const char *kvb_v1_unsaid(const struct kvb_plan *plan)
{
    bool asked =
        plan->engine.release >= R(8, 3) && plan->engine.release < R(9, 1) && plan->environment.use_v1 != KVB_NO;
    bool said = (plan->plain_flags & (KVB_PLAIN_SERVE_LINE | KVB_PLAIN_RAY | KVB_PLAIN_MP)) != 0;
    bool stages = kvb_number(plan, KVB_SET_PIPELINE_PARALLEL_SIZE) > 1;
    return asked && stages && !said ? "--distributed-executor-backend ray" : NULL;
}

struct row {
    uint32_t since, gone;
    bool (*lacks)(const struct kvb_context *context);
    const char *feature; // NULL: the model's class
};

static const struct row rows[] = {
    {R(8, 0), R(10, 1), steps_at_once, "--num-scheduler-steps"},
    {R(8, 0), R(10, 2), is_old_gpu, "Compute Capability < 8.0"},
    {R(8, 0), R(8, 2), has_any_cache, "--kv-cache-dtype"},
    {R(8, 2), V0_GONE, has_foreign_cache, "--kv-cache-dtype"},
    {R(8, 0), R(8, 3), offloads, "--cpu-offload-gb"},
    {R(8, 0), R(9, 2), is_float32, "--dtype torch.float32"},
    {R(8, 0), R(8, 3), is_bitsandbytes, "--quantization bitsandbytes"},
    {R(8, 0), R(9, 0), is_gguf, "--quantization gguf"},
    {R(8, 0), R(9, 2), pools, "--task embed"},
    {R(8, 0), V0_GONE, is_of_v0, NULL},
    {R(8, 0), V0_GONE, prefills_in_parts, "Concurrent Partial Prefill"},
    {R(8, 0), R(10, 0), drafts_otherwise, "Speculative Decoding"},
    {R(8, 0), R(8, 5), transfers, "--kv-transfer-config"},
    {R(8, 3), R(9, 0), stages_without_ray, "Pipeline Parallelism without Ray distributed executor"},
    {R(9, 0), R(9, 1), stages_without_ray,
     "Pipeline Parallelism without Ray distributed executor or multiprocessing executor or external launcher"},
};

static bool drafts_by_ngram(const struct kvb_context *context)
{
    return kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD) == KVB_SPECULATIVE_NGRAM;
}

static bool drafts_by_eagle(const struct kvb_context *context)
{
    return kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD) == KVB_SPECULATIVE_EAGLE;
}

static bool has_adapters(const struct kvb_context *context)
{
    return kvb_number(context->plan, KVB_SET_ENABLE_LORA) != 0;
}

static bool has_stages(const struct kvb_context *context)
{
    return context->pp > 1;
}

static bool is_elsewhere(const struct kvb_context *context)
{
    return context->gpu->vendor != KVB_VENDOR_NVIDIA;
}

static bool has_states(const struct kvb_context *context)
{
    return kvb_model_has_state(context->model);
}

// What V1 ran when VLLM_USE_V1=1 asked for it; V0 did it otherwise (_warn_or_fallback).
static const struct row experiments[] = {
    {R(8, 0), R(9, 0), drafts_by_ngram, "ngram"},    {R(8, 3), R(9, 0), drafts_by_eagle, "Eagle"},
    {R(8, 0), R(8, 3), has_adapters, "LORA"},        {R(8, 0), R(8, 3), has_stages, "PP"},
    {R(8, 0), R(9, 2), is_elsewhere, "device type"}, {R(9, 2), R(10, 2), has_states, "Mamba"},
};

static const char *first_of(const struct kvb_context *context, const struct row *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (context->release >= from[i].since && context->release < from[i].gone && from[i].lacks(context)) {
            return from[i].feature != NULL ? from[i].feature : context->model->architecture;
        }
    }
    return NULL;
}

const char *kvb_v1_lacks(const struct kvb_context *context)
{
    if (context->plan->v0_feature != NULL) {
        return context->plan->v0_feature;
    }
    return first_of(context, rows, sizeof rows / sizeof rows[0]);
}

const char *kvb_v1_tries(const struct kvb_context *context)
{
    return first_of(context, experiments, sizeof experiments / sizeof experiments[0]);
}
