// What one feed-forward layer needs beside its hidden tensors, by the kernel that runs it.
// Source: vllm/model_executor/layers/fused_moe, layers/quantization, csrc/quantization/gptq_marlin.
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/load.h"

#define FP32_BYTES 4
#define MARLIN_SINCE KVB_RELEASE(0, 5, 4)
#define MARLIN_TILES_SINCE KVB_RELEASE(0, 9, 0)

// The CUTLASS kernels of NVFP4 experts keep a 32-bit result of every token and expert: an operator measured 1.04 GiB at
// 16,384 tokens of Qwen3.6-35B-A3B (8 experts, hidden size 2048), which is 16384 x 8 x 2048 x 4 B.
static uint64_t cutlass_bytes(const struct kvb_context *context, uint64_t rows, uint64_t hidden)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool nvfp4 =
        q->expert_method == KVB_QUANT_NVFP4 || (q->expert_method == KVB_QUANT_NONE && q->method == KVB_QUANT_NVFP4);
    bool cutlass = nvfp4 && context->gpu->compute_capability >= KVB_CAPABILITY_THOR;
    return cutlass ? kvb_mul(kvb_mul(rows, hidden), FP32_BYTES) : 0;
}

static bool has_mxfp4_experts(const struct kvb_model *model)
{
    return model->quantisation.expert_method == KVB_QUANT_MXFP4 || model->quantisation.method == KVB_QUANT_MXFP4;
}

uint64_t kvb_expert_scratch(const struct kvb_context *context, const struct kvb_mlp_shape *mlp, uint64_t tokens)
{
    struct kvb_padding padding;
    bool mxfp4 = has_mxfp4_experts(context->model);
    bool marlin = kvb_mxfp4_on_marlin(context, &padding);
    if (mlp->kind != KVB_MLP_MOE || (mxfp4 && !marlin)) {
        return 0; // Triton's and TRT-LLM's MXFP4 kernels keep theirs outside torch
    }
    uint64_t chunk = kvb_rule(context, KVB_RULE_MOE_CHUNK);
    uint64_t rows = kvb_mul(chunk > 0 ? kvb_min(tokens, chunk) : tokens, mlp->experts_per_token);
    uint64_t width = mlp->expert_intermediate_size / (context->ep > 1 ? 1 : context->tp);
    uint64_t hidden = mlp->latent_size > 0 ? mlp->latent_size : context->model->hidden_size;
    if (mxfp4) {
        width = kvb_round_up(width, padding.intermediate);
        hidden = kvb_round_up(hidden, padding.hidden);
    }
    uint64_t first = kvb_mul(rows, kvb_max(2 * width, hidden));
    uint64_t second =
        kvb_rule(context, KVB_RULE_MOE_WORKSPACE) ? kvb_mul(rows, kvb_max(width, hidden)) : kvb_mul(rows, width);
    return kvb_add(kvb_mul(kvb_add(first, second), kvb_dtype_bytes(context->dtype)),
                   cutlass_bytes(context, rows, hidden));
}

static uint64_t int8_copy(const struct kvb_context *context, uint64_t tokens, uint64_t width)
{
    return context->model->quantisation.method == KVB_QUANT_INT8 ? kvb_mul(tokens, width) : 0;
}

// The plain AWQ kernel writes a matrix out in 16 bits; where Marlin can run AWQ is converted to it unless asked for.
// Source: quantization/awq.py v0.8.5:269, awq_marlin.py v0.8.5:232.
static uint64_t dequantised_matrix(const struct kvb_context *context, uint64_t width)
{
    bool asked = kvb_number(context->plan, KVB_SET_QUANTIZATION) == KVB_QUANTIZATION_AWQ;
    bool plain = asked || context->gpu->compute_capability < KVB_CAPABILITY_AMPERE || context->release < MARLIN_SINCE;
    bool awq = context->model->quantisation.method == KVB_QUANT_AWQ;
    return awq && plain ? kvb_mul((uint64_t)context->model->hidden_size * 2, 2 * width) : 0;
}

static bool runs_on_marlin(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    if (context->gpu->vendor != KVB_VENDOR_NVIDIA || capability < KVB_CAPABILITY_AMPERE ||
        context->release < MARLIN_SINCE) {
        return false;
    }
    switch (context->model->quantisation.method) {
    case KVB_QUANT_AWQ:
        return kvb_number(context->plan, KVB_SET_QUANTIZATION) != KVB_QUANTIZATION_AWQ;
    case KVB_QUANT_GPTQ:
    case KVB_QUANT_WNA16:
        return true;
    case KVB_QUANT_FP8:
        return capability < KVB_CAPABILITY_ADA;
    case KVB_QUANT_NVFP4:
        return capability < KVB_CAPABILITY_BLACKWELL;
    default:
        return false;
    }
}

// Marlin sums in 32 bits: to 0.8.5 into min(tokens, 1024) rows of the matrix, later into one tile a multiprocessor.
// Source: csrc/quantization/gptq_marlin/gptq_marlin.cu v0.8.5:2311, v0.9.0.
static uint64_t marlin_scratch(const struct kvb_context *context, uint64_t tokens, uint64_t columns)
{
    if (!runs_on_marlin(context)) {
        return 0;
    }
    if (context->release < MARLIN_TILES_SINCE) {
        return kvb_mul(kvb_mul(kvb_min(tokens, 1024), columns), FP32_BYTES);
    }
    uint64_t processors = context->gpu->multiprocessors > 0 ? context->gpu->multiprocessors : 132;
    return processors * 64 * 256 * FP32_BYTES;
}

uint64_t kvb_dense_scratch(const struct kvb_context *context, const struct kvb_mlp_shape *mlp, uint64_t tokens)
{
    uint64_t width = mlp->intermediate_size / context->tp;
    uint64_t matrices = mlp->kind == KVB_MLP_PLAIN ? 2 : 3;
    uint64_t bytes = kvb_mul(kvb_mul(tokens, matrices * width), kvb_dtype_bytes(context->dtype));
    uint64_t kernel = kvb_max(dequantised_matrix(context, width), marlin_scratch(context, tokens, 2 * width));
    return kvb_add(bytes, kvb_max(kernel, int8_copy(context, tokens, width)));
}
