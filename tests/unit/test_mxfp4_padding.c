// To what the kernel of MXFP4 experts pads, by release and card, and what is quantised while loading. Sources: vLLM's
// quantization/mxfp4.py and mxfp4_utils.py (get_padding_alignment), fused_moe/oracle/mxfp4.py; SGLang's
// layers/quantization/mxfp4.py and fp8.py, server_args.py, arg_groups/overrides.py; hopper_value.py of triton_kernels.
#include <string.h>

#include "engines/sglang/context.h"
#include "engines/sglang/setup.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

struct row {
    uint32_t release, capability;
    bool amd, asked; // adapters, for vLLM; a checkpoint of FP8 with MXFP4 experts, for SGLang
    enum kvb_moe_backend experts;
    struct kvb_padding padding;
};

static void check(const struct row *row, size_t at, const struct kvb_padding *got)
{
    const struct kvb_padding *wanted = &row->padding;
    bool same = got->intermediate == wanted->intermediate && got->hidden == wanted->hidden &&
                got->value_step == wanted->value_step && got->scale_rows == wanted->scale_rows &&
                got->scale_columns == wanted->scale_columns && got->loaded_scale_bytes == wanted->loaded_scale_bytes &&
                got->fp32_biases == wanted->fp32_biases;
    if (!same) {
        fail_msg("row %zu: %u, %u, %u, %u, %u, %u, %d", at, got->intermediate, got->hidden, got->value_step,
                 got->scale_rows, got->scale_columns, got->loaded_scale_bytes, got->fp32_biases);
    }
}

#define MARLIN                                                                                                         \
    {                                                                                                                  \
        .intermediate = 128, .hidden = 256                                                                             \
    }
#define TRTLLM                                                                                                         \
    {                                                                                                                  \
        .intermediate = 256, .hidden = 256                                                                             \
    }
#define SQUARE                                                                                                         \
    {                                                                                                                  \
        .intermediate = 128, .hidden = 128                                                                             \
    }
#define TRITON(step, kept)                                                                                             \
    {                                                                                                                  \
        64, 1, step, 256, 2, kept, true                                                                                \
    }

static void kernels_of_vllm(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {R(11, 2), 90, false, false, 0, MARLIN}, // no wheel before 0.12 carries triton_kernels
        {R(12, 0), 90, false, false, 0, TRITON(0, 1)},  {R(15, 1), 90, false, false, 0, TRITON(0, 1)},
        {R(16, 0), 90, false, false, 0, TRITON(64, 1)}, {R(22, 1), 90, false, false, 0, TRITON(64, 1)},
        {R(23, 0), 90, false, false, 0, TRITON(0, 1)},  {R(24, 0), 90, false, false, 0, TRITON(0, 1)},
        {R(25, 0), 90, false, false, 0, TRITON(0, 0)},  {R(27, 1), 90, false, false, 0, TRITON(0, 0)},
        {R(19, 0), 90, false, true, 0, MARLIN}, // adapters
        {R(19, 0), 80, false, false, 0, MARLIN},        {R(19, 0), 89, false, false, 0, MARLIN},
        {R(19, 0), 100, false, false, 0, TRTLLM},       {R(19, 0), 103, false, false, 0, TRTLLM},
        {R(19, 0), 100, false, true, 0, MARLIN},        {R(19, 0), 110, false, false, 0, MARLIN},
        {R(19, 0), 120, false, false, 0, MARLIN},       {R(19, 0), 0, true, false, 0, {128, 128, 0, 1, 1, 1, true}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.compute_capability = rows[i].capability;
        plan.gpu.vendor = rows[i].amd ? KVB_VENDOR_AMD : KVB_VENDOR_NVIDIA;
        set(&plan, KVB_SET_ENABLE_LORA, rows[i].asked);
        (void)strcpy(plan.model.architecture, "GptOssForCausalLM");
        (void)strcpy(plan.model.quantisation.name, "mxfp4");
        check(&rows[i], i, &loaded(&plan)->mxfp4);
    }
}

// On Hopper gpt-oss's experts have Triton in their list of kernels, others' only where the checkpoint calls itself mxfp4
// and the release is before 0.27 (quantization/mxfp4.py v0.26.0:89, v0.27.0:80); DeepSeek V4's have Marlin behind
// TRT-LLM and DeepGEMM, which need Blackwell (fused_moe/oracle/mxfp4.py v0.20.0:214, v0.27.1:333).
static void whose_experts(void **state)
{
    (void)state;
    static const struct {
        struct row row;
        const char *architecture, *word;
    } rows[] = {
        {{R(20, 0), 90, false, false, 0, MARLIN}, "DeepseekV4ForCausalLM", "deepseek_v4_fp8"},
        {{R(23, 0), 90, false, false, 0, MARLIN}, "DeepseekV4ForCausalLM", "fp8"},
        {{R(27, 1), 90, false, false, 0, MARLIN}, "DeepseekV4ForCausalLM", "fp8"},
        {{R(23, 0), 100, false, false, 0, TRTLLM}, "DeepseekV4ForCausalLM", "fp8"},
        {{R(20, 0), 90, false, false, 0, MARLIN}, "KimiLinearForCausalLM", "compressed-tensors"},
        {{R(26, 0), 90, false, false, 0, TRITON(0, 0)}, "Qwen3MoeForCausalLM", "mxfp4"},
        {{R(27, 0), 90, false, false, 0, MARLIN}, "Qwen3MoeForCausalLM", "mxfp4"},
        {{R(27, 0), 90, false, false, 0, TRITON(0, 0)}, "GptOssForCausalLM", "gpt_oss_mxfp4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].row.release);
        plan.gpu.compute_capability = rows[i].row.capability;
        (void)strcpy(plan.model.architecture, rows[i].architecture);
        (void)strcpy(plan.model.quantisation.name, rows[i].word);
        check(&rows[i].row, i, &loaded(&plan)->mxfp4);
    }
}

static void kernels_of_sglang(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {R(5, 11), 90, false, false, 0, TRITON(0, 1)},
        {R(5, 12), 90, false, false, 0, TRITON(64, 1)}, // triton_kernels 3.6
        {R(5, 18), 90, false, false, 0, TRITON(64, 1)},
        {R(5, 18), 80, false, false, 0, TRITON(0, 1)},
        {R(5, 17), 100, false, false, 0, TRTLLM},
        {R(5, 17), 109, false, false, 0, TRTLLM},
        {R(5, 18), 100, false, false, 0, SQUARE},
        {R(5, 18), 110, false, false, 0, TRITON(0, 1)},
        {R(5, 13), 120, false, false, 0, TRITON(0, 1)},
        {R(5, 14), 120, false, false, 0, MARLIN},
        {R(5, 17), 120, false, false, 0, MARLIN},
        {R(5, 18), 120, false, false, 0, SQUARE},
        {R(5, 18), 0, true, false, 0, TRTLLM},
        // asked for by name
        {R(5, 12), 90, false, false, KVB_MOE_MARLIN, MARLIN},
        {R(5, 12), 100, false, false, KVB_MOE_MARLIN, MARLIN},
        {R(5, 12), 90, false, false, KVB_MOE_FLASHINFER_MXFP4, SQUARE},
        {R(5, 12), 100, false, false, KVB_MOE_FLASHINFER_MXFP4, TRTLLM},
        {R(5, 12), 100, false, false, KVB_MOE_TRITON_KERNELS, TRITON(0, 1)},
        {R(5, 12), 90, false, false, KVB_MOE_TRITON_KERNELS, TRITON(64, 1)},
        // experts of an FP8 checkpoint: Marlin's scales beside those that were loaded, in 32 bits and then in 8
        {R(5, 15), 90, false, true, 0, {.loaded_scale_bytes = 4}},
        {R(5, 16), 90, false, true, 0, {.loaded_scale_bytes = 1}},
        {R(5, 16), 90, false, true, KVB_MOE_MARLIN, {.loaded_scale_bytes = 1}},
        {R(5, 15), 120, false, true, 0, {.loaded_scale_bytes = 4}},
        {R(5, 16), 120, false, true, 0, {0}},
        {R(5, 15), 100, false, true, 0, {0}},
        {R(5, 15), 0, true, true, 0, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.quantisation.expert_method = rows[i].asked ? KVB_QUANT_MXFP4 : KVB_QUANT_NONE;
        const struct kvb_sgl_setup setup = {.release = rows[i].release,
                                            .model = &plan.model,
                                            .hip = rows[i].amd,
                                            .cuda = !rows[i].amd,
                                            .compute_capability = rows[i].capability,
                                            .experts = rows[i].experts};
        const struct kvb_padding padding = kvb_sgl_mxfp4_padding(&setup);
        check(&rows[i], i, &padding);
    }
}

// What --quantization makes of 16 bits while loading.
static void made_while_loading(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantization_word asked;
        enum kvb_quantisation_method vllm, sglang;
    } rows[] = {
        {KVB_QUANTIZATION_FP8, KVB_QUANT_FP8, KVB_QUANT_FP8},
        {KVB_QUANTIZATION_FP8_PER_TENSOR, KVB_QUANT_FP8, KVB_QUANT_NONE},
        {KVB_QUANTIZATION_FP8_PER_BLOCK, KVB_QUANT_FP8, KVB_QUANT_NONE},
        {KVB_QUANTIZATION_FP8_PER_CHANNEL, KVB_QUANT_FP8, KVB_QUANT_NONE},
        {KVB_QUANTIZATION_PTPC_FP8, KVB_QUANT_FP8, KVB_QUANT_NONE},
        {KVB_QUANTIZATION_BITSANDBYTES, KVB_QUANT_BNB4, KVB_QUANT_BNB4},
        {KVB_QUANTIZATION_AWQ, KVB_QUANT_AWQ, KVB_QUANT_AWQ},
        {KVB_QUANTIZATION_AWQ_MARLIN, KVB_QUANT_NONE, KVB_QUANT_AWQ},
        {KVB_QUANTIZATION_GPTQ, KVB_QUANT_GPTQ, KVB_QUANT_GPTQ},
        {KVB_QUANTIZATION_GPTQ_MARLIN, KVB_QUANT_NONE, KVB_QUANT_GPTQ},
        {KVB_QUANTIZATION_CHECKPOINT, KVB_QUANT_NONE, KVB_QUANT_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        set(&plan, KVB_SET_QUANTIZATION, rows[i].asked);
        assert_int_equal(loaded(&plan)->online, rows[i].vllm);
        assert_int_equal(kvb_sgl_made_of(&plan), rows[i].sglang);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(kernels_of_vllm), cmocka_unit_test(whose_experts), cmocka_unit_test(kernels_of_sglang),
              cmocka_unit_test(made_while_loading))
