// What the kernels of a release cannot do on a GPU: head sizes, 8-bit weights and caches; methods that ROCm lacks.
#include <string.h>

#include "budget/gpu_facts.h"
#include "engines/vllm/compile.h"
#include "engines/vllm/kv_backend.h"
#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define FLASH_CAPABILITY 80
#define FP8_CAPABILITY 89

static bool is_nvidia_below(const struct kvb_context *context, uint32_t capability)
{
    uint32_t own = context->gpu->compute_capability;
    return context->gpu->vendor == KVB_VENDOR_NVIDIA && own > 0 && own < capability;
}

// The first token layer's head size; 0: none, or a latent cache.
static uint32_t head_size_of(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &model->kinds[i].attention;
        if (shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING) {
            return shape->head_size;
        }
    }
    return 0;
}

// Source: vllm/v1/attention/backends/flash_attn.py get_supported_head_sizes, v0.8.0 to v0.9.1; from 0.9.2 on
// FlexAttention takes the others.
bool kvb_refusal_head_size(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    static const uint32_t sizes[] = {32, 64, 96, 128, 160, 192, 224, 256};
    uint32_t size = head_size_of(context->model);
    bool flash = context->generation == KVB_GENERATION_V1 && context->gpu->vendor == KVB_VENDOR_NVIDIA &&
                 !is_nvidia_below(context, FLASH_CAPABILITY) && kvb_backend_asked(context) == KVB_BACKEND_AUTO;
    if (!flash || size == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] == size) {
            return false;
        }
    }
    char digits[24];
    const char *value = kvb_refusal_count(digits, size);
    kvb_refusal_say(out,
                    "Head size {0} is not supported by FlashAttention. Supported head sizes are: [32, 64, 96, 128, "
                    "160, 192, 224, 256]. Set VLLM_USE_V1=0 to use another attention backend.",
                    &value);
    return true;
}

static bool is_fp8_word(uint64_t word)
{
    return word == KVB_QUANTIZATION_FP8;
}

// Source: vllm/model_executor/layers/quantization/fp8.py: Marlin takes blocks and experts from 0.9.0 on; before, a
// Triton kernel did, which Triton compiles for native fp8 alone.
bool kvb_refusal_fp8_kernel(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool stored = q->method == KVB_QUANT_FP8 && strcmp(q->name, "fp8") == 0;
    bool made = q->method == KVB_QUANT_NONE && is_fp8_word(kvb_number(context->plan, KVB_SET_QUANTIZATION));
    bool blocks = stored && q->scale == KVB_SCALE_BLOCK;
    bool experts = (stored || made) && kvb_model_has_experts(context->model);
    if (!is_nvidia_below(context, FP8_CAPABILITY) || (!blocks && !experts)) {
        return false;
    }
    kvb_refusal_say(out,
                    "type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', "
                    "'fp8e5')",
                    NULL);
    return true;
}

// Below 8.0 V1 has FlexAttention alone. Source: vllm/platforms/cuda.py get_attn_backend_cls v0.10.2, v0.11.0,
// vllm/v1/attention/backends/flex_attention.py.
bool kvb_refusal_flex_cache(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool quantised = context->kv_dtype == KVB_KV_FP8 || context->kv_word == KVB_KV_16BIT;
    if (context->generation != KVB_GENERATION_V1 || !quantised || !is_nvidia_below(context, FLASH_CAPABILITY) ||
        head_size_of(context->model) == 0 || kvb_backend_asked(context) != KVB_BACKEND_AUTO) {
        return false;
    }
    kvb_refusal_say(out, "FlexAttention does not support quantized kv-cache. Yet", NULL);
    return true;
}

// Graphs of whole steps are captured with the attention inside, where the keys are written.
static bool captures_attention(const struct kvb_context *context)
{
    uint64_t mode = kvb_graph_mode_asked(context);
    return !context->eager && !context->pools && mode != KVB_GRAPH_MODE_NONE && mode != KVB_GRAPH_MODE_PIECEWISE;
}

// 0.11.0 lists "bfloat16", but takes every word but "auto" for 8 bits, which FlashAttention 2 refuses; no kernel that
// writes the cache knows it either: without such graphs the start is let through and its first request is not.
// Source: vllm/attention/backends/abstract.py v0.11.0:203, v1/attention/backends/flash_attn.py:409, platforms/cuda.py
// get_attn_backend_cls, csrc/quantization/fp8/nvidia/quant_utils.cuh:591.
bool kvb_refusal_named_16bit(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint32_t capability = context->gpu->compute_capability;
    enum kvb_backend asked = kvb_backend_asked(context);
    if (context->kv_word != KVB_KV_16BIT || context->gpu->vendor != KVB_VENDOR_NVIDIA || capability == 0) {
        return false;
    }
    bool usual = asked == KVB_BACKEND_AUTO && capability >= KVB_CAPABILITY_AMPERE &&
                 capability != KVB_CAPABILITY_BLACKWELL && !context->model->kinds[0].attention.sinks;
    bool flash = head_size_of(context->model) > 0 && (usual || asked == KVB_BACKEND_FLASH_ATTN);
    if (flash && KVB_CAPABILITY_MAJOR(capability) != KVB_CAPABILITY_MAJOR(KVB_CAPABILITY_HOPPER)) {
        return kvb_refuse(out, "FlashAttention does not support fp8 kv-cache on this device.");
    }
    return kvb_refuse_if(captures_attention(context), out, "Unsupported data type of kv cache: bfloat16");
}

// ---- ROCm

#define BITSANDBYTES_ON_INSTINCT R(17, 0)

// supported_quantization of vllm/platforms/rocm.py, what a release added or dropped.
static const struct {
    uint32_t since, gone;
    const char *method;
} rocm_methods[] = {
    {R(6, 5), 0, "awq"},
    {R(6, 5), 0, "gptq"},
    {R(6, 5), 0, "fp8"},
    {R(6, 5), 0, "compressed-tensors"},
    {R(6, 5), 0, "fbgemm_fp8"},
    {R(6, 5), 0, "gguf"}, // a plugin brings it from 0.24.0
    {R(7, 0), 0, "quark"},
    {R(7, 3), R(19, 0), "ptpc_fp8"},
    {R(10, 1), 0, "mxfp4"},
    {R(10, 2), R(20, 0), "petit_nvfp4"},
    {R(10, 2), 0, "torchao"},
    {R(12, 0), 0, "bitsandbytes"},
    {R(14, 0), 0, "awq_marlin"},
    {R(14, 0), R(25, 0), "gptq_marlin"},
    {R(20, 0), 0, "gpt_oss_mxfp4"},
    {R(20, 0), 0, "modelopt_fp4"},
    {R(21, 0), 0, "deepseek_v4_fp8"},
    {R(21, 0), 0, "mxfp8"},
    {R(21, 0), 0, "modelopt"},
    {R(21, 0), 0, "modelopt_mxfp8"},
    {R(21, 0), 0, "modelopt_mixed"},
    {R(21, 0), 0, "fp8_per_tensor"},
    {R(21, 0), 0, "fp8_per_block"},
    {R(21, 0), 0, "online"},
    {R(22, 0), 0, "auto_gptq"},
    {R(24, 0), 0, "auto_awq"},
    {R(24, 0), 0, "fp8_per_channel"},
    {R(28, 0), 0, "inc"},
};

static bool rocm_has(const struct kvb_context *context, const char *method)
{
    if (strcmp(method, "bitsandbytes") == 0 && context->gpu->cdna && context->release < BITSANDBYTES_ON_INSTINCT) {
        return false; // gfx9: waves of 64
    }
    for (size_t i = 0; i < sizeof rocm_methods / sizeof rocm_methods[0]; i++) {
        bool in_range = context->release >= rocm_methods[i].since &&
                        (rocm_methods[i].gone == 0 || context->release < rocm_methods[i].gone);
        if (in_range && strcmp(rocm_methods[i].method, method) == 0) {
            return true;
        }
    }
    return false;
}

bool kvb_refusal_rocm_method(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48];
    const char *method = kvb_method_used(context, word);
    if (context->gpu->vendor != KVB_VENDOR_AMD || method == NULL || rocm_has(context, method)) {
        return false;
    }
    kvb_refusal_say(out, "{0} quantization is currently not supported in rocm.", &method);
    return true;
}

// ---- bitsandbytes

static bool is_bitsandbytes(const struct kvb_context *context)
{
    char word[48];
    const char *method = kvb_method_used(context, word);
    return method != NULL && strcmp(method, "bitsandbytes") == 0;
}

bool kvb_refusal_bnb_ranks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!is_bitsandbytes(context) || context->tp * context->pp == 1) {
        return false;
    }
    kvb_refusal_say(out, "BitAndBytes quantization with TP or PP is not supported yet.", NULL);
    return true;
}

// The format of the files had to be said too, until 0.8.2 took it from the method.
bool kvb_refusal_bnb_format(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool asked = kvb_number(context->plan, KVB_SET_QUANTIZATION) == KVB_QUANTIZATION_BITSANDBYTES;
    uint32_t flags = context->plan->plain_flags;
    if (!asked || (flags & KVB_PLAIN_SERVE_LINE) == 0 || (flags & KVB_PLAIN_LOADS_BITSANDBYTES) != 0) {
        return false;
    }
    kvb_refusal_say(out,
                    "BitsAndBytes quantization and QLoRA adapter only support 'bitsandbytes' load format, but got "
                    "{0}",
                    (const char *const[]){"auto"});
    return true;
}

#define PREQUANT_SPELLED_SINCE R(7, 0)

// The scales of a checkpoint that was stored so cannot be cut.
bool kvb_refusal_bnb_stored(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool stored = q->method != KVB_QUANT_NONE && strcmp(q->name, "bitsandbytes") == 0;
    if (!stored || context->tp == 1) {
        return false;
    }
    kvb_refusal_say(out,
                    context->release < PREQUANT_SPELLED_SINCE
                        ? "Prequant BitsAndBytes models with TP is not supported.Please try with PP."
                        : "Prequant BitsAndBytes models with tensor parallelism is not supported. Please try with "
                          "pipeline parallelism.",
                    NULL);
    return true;
}
