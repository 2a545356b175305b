// What kept 0.8 to 0.10 on the V0 engine: features that V1 of that release lacks.
// Source: vllm/engine/arg_utils.py _is_v1_supported_oracle of the releases 0.8.0 to 0.10.2.
#include "engines/vllm/v1_oracle.h"

#include <string.h>

#include "budget/gpu_facts.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static bool is_old_gpu(const struct kvb_context *context)
{
    return context->gpu->compute_capability > 0 && context->gpu->compute_capability < KVB_CAPABILITY_AMPERE;
}

// FlashAttention 3 reads an fp8 cache, on Hopper alone.
static bool has_foreign_cache(const struct kvb_context *context)
{
    enum kvb_kv_dtype asked = (enum kvb_kv_dtype)kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE);
    bool hopper = context->gpu->compute_capability == 0 || context->gpu->compute_capability == KVB_CAPABILITY_HOPPER;
    return asked != KVB_KV_AUTO && !(asked == KVB_KV_FP8 && hopper);
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
    return context->model->pooling;
}

static bool drafts_otherwise(const struct kvb_context *context)
{
    switch ((enum kvb_speculative)kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD)) {
    case KVB_SPECULATIVE_NONE:
    case KVB_SPECULATIVE_NGRAM:
        return false;
    case KVB_SPECULATIVE_EAGLE:
        return context->release < R(8, 4);
    case KVB_SPECULATIVE_MTP:
        return context->release < R(9, 0);
    case KVB_SPECULATIVE_DRAFT_MODEL:
    case KVB_SPECULATIVE_OTHER:
        break;
    }
    return true;
}

static const struct {
    uint32_t since, gone;
    bool (*lacks)(const struct kvb_context *context);
    const char *feature;
} rows[] = {
    {R(8, 0), R(10, 2), is_old_gpu, "Compute Capability < 8.0"},
    {R(8, 0), R(8, 3), has_any_cache, "--kv-cache-dtype"},
    {R(8, 3), R(10, 0), has_foreign_cache, "--kv-cache-dtype"},
    {R(8, 0), R(8, 3), offloads, "--cpu-offload-gb"},
    {R(8, 0), R(9, 2), is_float32, "--dtype torch.float32"},
    {R(8, 0), R(8, 3), is_bitsandbytes, "--quantization bitsandbytes"},
    {R(8, 0), R(9, 0), is_gguf, "--quantization gguf"},
    {R(8, 0), R(9, 2), pools, "--task embed"},
    {R(8, 0), R(10, 0), drafts_otherwise, "Speculative Decoding"},
};

const char *kvb_v1_lacks(const struct kvb_context *context)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (context->release >= rows[i].since && context->release < rows[i].gone && rows[i].lacks(context)) {
            return rows[i].feature;
        }
    }
    return NULL;
}
