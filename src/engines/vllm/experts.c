// What a layer of experts needs beside its hidden tensors, by the kernel that runs it.
// Source: vllm/model_executor/layers/fused_moe and its oracle/, flashinfer csrc/fused_moe/cutlass_backend.
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/load.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define FLASHINFER_FIRST_SINCE R(15, 0) // oracle/nvfp4.py: FlashInfer's before vLLM's own
#define FLASHINFER_16BIT_SINCE R(20, 0) // oracle/unquantized.py
#define TRITON_ON_HOPPER_SINCE R(23, 0) // oracle/unquantized.py v0.23.0:73
#define NO_FLASHINFER_ON_THOR_SINCE R(22, 0)
#define SHUFFLED_COPIES 3 // of the input, of the second product, and that times its weight
#define FP4_INPUTS_A_SCALE 16
#define FP4_ROWS_OF_SCALES 163840 // VLLM_MAX_TOKENS_PER_EXPERT_FP4_MOE, envs.py v0.10.0 to v0.27.1

enum kernel {
    KERNEL_TILES,      // Triton's and Marlin's: two buffers of the workspace manager
    KERNEL_CUTLASS,    // vLLM's CUTLASS kernel of NVFP4
    KERNEL_FLASHINFER, // FlashInfer's CUTLASS kernel, with buffers of its own
};

static enum kvb_quantisation_method expert_method(const struct kvb_model *model)
{
    const struct kvb_quantisation *q = &model->quantisation;
    return q->expert_method != KVB_QUANT_NONE ? q->expert_method : q->method;
}

bool kvb_experts_are_fp4(const struct kvb_context *context)
{
    return kvb_model_has_experts(context->model) && expert_method(context->model) == KVB_QUANT_NVFP4 &&
           !context->model->quantisation.weight_only;
}

// Up to 0.14 vLLM's own kernel unless asked otherwise. From 0.15 the first that takes the card: TRT-LLM's on 10.x,
// whose scratch no log shows, FlashInfer's CUTLASS on 12.x and to 0.21 on 11.x. Below 10.0 NVFP4 runs on Marlin.
// Source: oracle/nvfp4.py v0.14.0:82, v0.15.0:117, v0.20.0:161; flashinfer_cutlass_moe.py _supports_current_device.
static enum kernel nvfp4_kernel(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    if (capability < KVB_CAPABILITY_BLACKWELL) {
        return KERNEL_TILES;
    }
    if (context->release < FLASHINFER_FIRST_SINCE) {
        return KERNEL_CUTLASS;
    }
    if (capability < KVB_CAPABILITY_THOR) {
        return KERNEL_TILES;
    }
    bool thor = capability < KVB_CAPABILITY_CONSUMER_BLACKWELL;
    return thor && context->release >= NO_FLASHINFER_ON_THOR_SINCE ? KERNEL_CUTLASS : KERNEL_FLASHINFER;
}

// 16-bit experts ran on Triton to 0.19. From 0.20 FlashInfer's kernel comes first where it takes the card, on 10.x
// after TRT-LLM's, which knows gated experts alone; on Hopper Triton is first again from 0.23. With LoRA or several
// copies of the model it stays Triton. Source: oracle/unquantized.py v0.19.0, v0.20.0, v0.23.0.
static enum kernel sixteen_bit_kernel(const struct kvb_context *context, const struct kvb_mlp_shape *mlp)
{
    uint32_t capability = context->gpu->compute_capability;
    bool other = context->release < FLASHINFER_16BIT_SINCE || capability < KVB_CAPABILITY_HOPPER || context->dp > 1 ||
                 kvb_number(context->plan, KVB_SET_ENABLE_LORA) != 0 || context->dtype == KVB_DTYPE_FP32;
    if (other || (capability < KVB_CAPABILITY_BLACKWELL && context->release >= TRITON_ON_HOPPER_SINCE)) {
        return KERNEL_TILES;
    }
    bool data_centre = capability >= KVB_CAPABILITY_BLACKWELL && capability < KVB_CAPABILITY_THOR;
    bool thor = capability >= KVB_CAPABILITY_THOR && capability < KVB_CAPABILITY_CONSUMER_BLACKWELL;
    bool taken = (data_centre && mlp->expert_gated) || (thor && context->release >= NO_FLASHINFER_ON_THOR_SINCE);
    return taken ? KERNEL_TILES : KERNEL_FLASHINFER;
}

static enum kernel kernel_of(const struct kvb_context *context, const struct kvb_mlp_shape *mlp)
{
    enum kvb_quantisation_method method = expert_method(context->model);
    bool nvidia = context->gpu->vendor == KVB_VENDOR_NVIDIA;
    bool marlin = method == KVB_QUANT_NVFP4 && context->model->quantisation.weight_only;
    if (!nvidia || (method != KVB_QUANT_NVFP4 && method != KVB_QUANT_NONE)) {
        return KERNEL_TILES;
    }
    switch (kvb_number(context->plan, KVB_SET_MOE_BACKEND)) {
    case KVB_MOE_AUTO:
        if (marlin) {
            return KERNEL_TILES;
        }
        return method == KVB_QUANT_NVFP4 ? nvfp4_kernel(context) : sixteen_bit_kernel(context, mlp);
    case KVB_MOE_CUTLASS:
        return method == KVB_QUANT_NVFP4 ? KERNEL_CUTLASS : KERNEL_TILES;
    case KVB_MOE_FLASHINFER_CUTLASS:
        return KERNEL_FLASHINFER;
    default:
        return KERNEL_TILES;
    }
}

// Two workspaces; from 0.13 the second holds the wider of activation and output.
static uint64_t tiles(const struct kvb_context *context, uint64_t rows, uint64_t width, uint64_t hidden)
{
    uint64_t first = kvb_mul(rows, kvb_max(2 * width, hidden));
    uint64_t second =
        kvb_rule(context, KVB_RULE_MOE_WORKSPACE) ? kvb_mul(rows, kvb_max(width, hidden)) : kvb_mul(rows, width);
    return kvb_add(first, second);
}

// FlashInfer's kernel lays its buffers over two, the inputs and the outputs of its two products, each as wide as the
// second product or, of the outputs, both halves of the first. Beside them lie a map from every expert and token to a
// row and the scales of what is quantised on the way; NVFP4's input comes quantised, half a byte and a scale for 16.
// Source: cutlass_fused_moe_kernels.cuh getWorkspaceDeviceBufferSizes, flashinfer 0.6; fused_moe/modular_kernel.py
// v0.19.0 _prepare, whose a1q lives through the kernel.
static uint64_t flashinfer_bytes(const struct kvb_context *context, const struct kvb_mlp_shape *mlp, uint64_t tokens,
                                 uint64_t rows, uint64_t width)
{
    uint64_t hidden = mlp->latent_size > 0 ? mlp->latent_size : context->model->hidden_size;
    uint64_t element = kvb_dtype_bytes(context->dtype);
    uint64_t halves = mlp->expert_gated ? 2 : 1;
    uint64_t elements = kvb_mul(rows, hidden + kvb_max(halves * width, hidden));
    uint64_t experts = mlp->experts / context->ep;
    uint64_t map = kvb_mul(kvb_mul(experts, tokens), 4);
    bool fp4 = expert_method(context->model) == KVB_QUANT_NVFP4;
    uint64_t scales = fp4 ? kvb_mul(rows, kvb_max(hidden, width)) / FP4_INPUTS_A_SCALE : 0;
    uint64_t input = fp4 ? kvb_mul(tokens, hidden / 2 + hidden / FP4_INPUTS_A_SCALE) : 0;
    return kvb_add(kvb_add(kvb_mul(elements, element), map), kvb_add(scales, input));
}

// vLLM's CUTLASS kernel holds its shuffled input to the end, then the shuffled second product and that times its
// weight; while the input is quantised its 4-bit copy and scales for as many rows as there might ever be. Source:
// _custom_ops.py scaled_fp4_experts_quant v0.20.0:1799, cutlass_moe.py run_cutlass_moe_fp4.
static uint64_t cutlass_passing(const struct kvb_context *context, const struct kvb_mlp_shape *mlp, uint64_t rows,
                                uint64_t hidden)
{
    uint64_t copy = kvb_mul(kvb_mul(rows, hidden), kvb_dtype_bytes(context->dtype));
    uint64_t most = kvb_mul(FP4_ROWS_OF_SCALES, mlp->experts_per_token);
    uint64_t scales = kvb_mul(most, kvb_round_up(hidden / FP4_INPUTS_A_SCALE, 4));
    uint64_t quantising = kvb_add(kvb_add(copy, kvb_mul(rows, hidden) / 2), scales);
    return kvb_max(kvb_mul(SHUFFLED_COPIES, copy), quantising);
}

struct kvb_expert_bytes kvb_expert_scratch(const struct kvb_context *context, const struct kvb_mlp_shape *mlp,
                                           uint64_t tokens)
{
    struct kvb_expert_bytes scratch = {0, 0};
    struct kvb_padding padding;
    bool mxfp4 = expert_method(context->model) == KVB_QUANT_MXFP4;
    bool marlin = kvb_mxfp4_on_marlin(context, &padding);
    if (mlp->kind != KVB_MLP_MOE || (mxfp4 && !marlin)) {
        return scratch; // Triton's and TRT-LLM's MXFP4 kernels keep theirs outside torch
    }
    uint64_t chunk = kvb_rule(context, KVB_RULE_MOE_CHUNK);
    uint64_t batch = chunk > 0 ? kvb_min(tokens, chunk) : tokens;
    uint64_t rows = kvb_mul(batch, mlp->experts_per_token);
    uint64_t width = mlp->expert_intermediate_size / (context->ep > 1 ? 1 : context->tp);
    uint64_t hidden = mlp->latent_size > 0 ? mlp->latent_size : context->model->hidden_size;
    if (mxfp4) {
        width = kvb_round_up(width, padding.intermediate);
        hidden = kvb_round_up(hidden, padding.hidden);
    }
    uint64_t element = kvb_dtype_bytes(context->dtype);
    switch (mxfp4 ? KERNEL_TILES : kernel_of(context, mlp)) {
    case KERNEL_CUTLASS: // cutlass_moe.py v0.20.0:82 and run_cutlass_moe_fp4: a width there is both halves
        scratch.workspace_bytes = kvb_mul(kvb_mul(rows, kvb_add(kvb_max(4 * width, hidden), 2 * width)), element);
        scratch.passing_bytes = cutlass_passing(context, mlp, rows, hidden);
        break;
    case KERNEL_FLASHINFER:
        scratch.workspace_bytes = kvb_mul(kvb_mul(tokens, hidden), element);
        scratch.passing_bytes = flashinfer_bytes(context, mlp, batch, rows, width);
        break;
    default:
        scratch.workspace_bytes = kvb_mul(tiles(context, rows, width, hidden), element);
        break;
    }
    return scratch;
}
