// What one dense feed-forward layer needs beside its hidden tensors, by the kernel that runs it.
// Source: vllm/model_executor/layers/quantization, csrc/quantization/gptq_marlin.
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/load.h"

#define FP32_BYTES 4
#define MARLIN_SINCE KVB_RELEASE(0, 5, 4)
#define MARLIN_TILES_SINCE KVB_RELEASE(0, 9, 0)
#define FP8_NATIVE_SINCE KVB_RELEASE(0, 10, 0)

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

// torch.compile writes the activation at 8 bits alone, because the quantisation of the second product's input is plain
// code that it fuses; of block scales it is an operator of its own. Source: quantization/input_quant_fp8.py v0.10.0
// QuantFP8 forward_native, config/vllm.py v0.23.0:1111 has_blocked_weights.
static bool fuses_fp8(const struct kvb_context *context)
{
    bool compiled = context->generation == KVB_GENERATION_V1 && !context->uncompiled;
    return compiled && context->release >= FP8_NATIVE_SINCE && context->gpu->vendor == KVB_VENDOR_NVIDIA &&
           context->gpu->compute_capability >= KVB_CAPABILITY_ADA && kvb_linears_are_plain_fp8(context);
}

uint64_t kvb_dense_scratch(const struct kvb_context *context, const struct kvb_mlp_shape *mlp, uint64_t tokens)
{
    uint64_t width = mlp->intermediate_size / context->tp;
    uint64_t matrices = mlp->kind == KVB_MLP_PLAIN ? 2 : 3;
    uint64_t element = kvb_dtype_bytes(context->dtype);
    uint64_t row = kvb_mul(width, (matrices - 1) * element + (fuses_fp8(context) ? 1 : element));
    uint64_t bytes = kvb_mul(tokens, row);
    uint64_t kernel = kvb_max(dequantised_matrix(context, width), marlin_scratch(context, tokens, 2 * width));
    return kvb_add(bytes, kvb_max(kernel, int8_copy(context, tokens, width)));
}
