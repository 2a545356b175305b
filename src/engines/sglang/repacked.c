// What loading leaves behind when weights are laid out anew on the card: blocks that the allocator cannot give back.
// Source: sgl-project/sglang, python/sglang/srt/layers/quantization: mxfp4.py (_swizzle_mxfp4), awq.py, gptq.py and
// compressed_tensors (process_weights_after_loading; vLLM's awq_marlin.py to 0.4.5).
#include "engines/sglang/context.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "budget/weights/weights.h"

// Hopper's Triton layout (triton_kernels, hopper_value.py) is made layer by layer: copies as large as the first matrix
// of a layer, then the second matrix inside what they left, half as large. Played back with PyTorch's allocator, 24
// layers of 32 experts of 2,880 leave 1.38 GiB, 5.5 first matrices; sg-ci-gpt-oss-20b-h100 lacks as much. It grows with
// the experts of a rank and with the layers: from 1.8, where triton_kernels empties the cache between the copies, to
// 14.5 for 36 layers, where it does not.
#define REPACKED_TENTHS 55U
#define REPACKED_LOW_TENTHS 15U
#define REPACKED_HIGH_TENTHS 145U

static struct kvb_estimate laid_out(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    const struct kvb_padding padding = kvb_sgl_mxfp4_padding(setup);
    const struct kvb_mlp_shape *mlp = &kvb_kind_of(setup->model, setup->model->layer_count - 1)->mlp;
    bool kernels = setup->experts == KVB_MOE_AUTO || setup->experts == KVB_MOE_TRITON_KERNELS;
    if (!setup->cuda || !kernels || setup->compute_capability != KVB_CAPABILITY_HOPPER) {
        return (struct kvb_estimate){0, 0, 0};
    }
    bool whole = kvb_number(context->plan, KVB_SET_ENABLE_EXPERT_PARALLEL) != 0;
    uint64_t inner =
        kvb_round_up(kvb_div_up(mlp->expert_intermediate_size, whole ? 1 : setup->tp), padding.intermediate);
    uint64_t packed = kvb_round_up(kvb_div_up(setup->model->hidden_size, 2), kvb_max(padding.value_step, 1));
    uint64_t matrix = kvb_mul(kvb_mul(kvb_div_up(mlp->experts, whole ? setup->tp : 1), 2 * inner), packed);
    return (struct kvb_estimate){matrix / 10 * REPACKED_TENTHS, matrix / 10 * REPACKED_LOW_TENTHS,
                                 matrix / 10 * REPACKED_HIGH_TENTHS};
}

// Formats that a kernel lays out anew: thousandths of what is not experts, and the bound in thousandths of all weights.
// Marlin's matrices, scales and zero points are made one beside the other and come to lie where a layer before left
// room; played back with PyTorch's allocator, 62 layers of AWQ leave 0.7 % (groups of 128) and 1.2 % (groups of 32).
// Experts are copied back to where they were loaded (compressed_tensors_wNa16_moe.py, replace_tensor: resize_, copy_).
// Logs, over the tensors: sg-issue-748 0.9 %, sg-ci-qwen3vl-30b-awq-h100 0.8, sg-kimi-k25-int4-pro6000-tp8 1.2,
// sg-kimi-k25-mi355x-tp8 3.0, sg-qwen3-coder-30b-awq-pro6000 3.1, sg-gemma3-27b-awq-4090-refused 7.5. Of NVFP4 scales
// alone are laid out: sg-ci-llama31-8b-nvfp4-b200 0, sg-glm5-nvfp4-pro6000-tp8 3.2.
static const struct {
    enum kvb_quantisation_method method;
    uint32_t thousandths, high_thousandths;
} rows[] = {
    {KVB_QUANT_AWQ, 10, 75},
    {KVB_QUANT_GPTQ, 10, 75},
    {KVB_QUANT_WNA16, 10, 75},
    {KVB_QUANT_NVFP4, 0, 35},
};

struct kvb_estimate kvb_sgl_repacked(const struct kvb_sgl_context *context, const struct kvb_weights *weights)
{
    const struct kvb_quantisation *stored = &context->setup.model->quantisation;
    enum kvb_quantisation_method method =
        stored->method != KVB_QUANT_NONE ? stored->method : kvb_sgl_made_of(context->plan);
    if (method == KVB_QUANT_MXFP4) {
        return laid_out(context);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].method == method) {
            uint64_t dense = weights->total_bytes - weights->role_bytes[KVB_ROLE_EXPERTS];
            return (struct kvb_estimate){dense / 1000 * rows[i].thousandths, 0,
                                         weights->total_bytes / 1000 * rows[i].high_thousandths};
        }
    }
    return (struct kvb_estimate){0, 0, 0};
}
