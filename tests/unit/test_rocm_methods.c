// Methods of quantisation that vLLM takes on AMD's cards, in the first release of each and around it: the list
// supported_quantization of vllm/platforms/rocm.py, tag by tag. bitsandbytes is added elsewhere: on cards with waves of
// 32 from 0.12.0 on, on Instinct from 0.17.0.
#include <stdio.h>
#include <string.h>

#include "engines/vllm/context.h"
#include "release/settings_words.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

static const struct {
    const char *method;
    uint32_t since, before, last, gone; // a release before the first; one with it, the first without: 0 none
} rows[] = {
    {"awq", R(6, 5), 0, R(27, 1), 0},
    {"gptq", R(6, 5), 0, R(27, 1), 0},
    {"fp8", R(6, 5), 0, R(27, 1), 0},
    {"compressed-tensors", R(6, 5), 0, R(27, 1), 0},
    {"fbgemm_fp8", R(6, 5), 0, R(27, 1), 0},
    {"gguf", R(6, 5), 0, R(27, 1), 0},
    {"quark", R(7, 0), R(6, 6), R(27, 1), 0},
    {"ptpc_fp8", R(7, 3), R(7, 2), R(18, 1), R(19, 0)},
    {"mxfp4", R(10, 1), R(10, 0), R(27, 1), 0},
    {"torchao", R(10, 2), R(10, 1), R(27, 1), 0},
    {"awq_marlin", R(14, 0), R(13, 0), R(27, 1), 0},
    {"gptq_marlin", R(14, 0), R(13, 0), R(24, 0), R(25, 0)},
    {"gpt_oss_mxfp4", R(20, 0), R(19, 1), R(27, 1), 0},
    {"modelopt_fp4", R(20, 0), R(19, 1), R(27, 1), 0},
    {"deepseek_v4_fp8", R(21, 0), R(20, 2), R(27, 1), 0},
    {"modelopt", R(21, 0), R(20, 2), R(27, 1), 0},
    {"modelopt_mxfp8", R(21, 0), R(20, 2), R(27, 1), 0},
    {"modelopt_mixed", R(21, 0), R(20, 2), R(27, 1), 0},
    {"fp8_per_tensor", R(21, 0), R(20, 2), R(27, 1), 0},
    {"fp8_per_block", R(21, 0), R(20, 2), R(27, 1), 0},
    {"auto_gptq", R(22, 0), R(21, 0), R(27, 1), 0},
    {"auto_awq", R(24, 0), R(23, 0), R(27, 1), 0},
    {"fp8_per_channel", R(24, 0), R(23, 0), R(27, 1), 0},
    {"bitsandbytes", R(17, 0), R(16, 0), R(27, 1), 0},
    {"petit_nvfp4", R(10, 2), R(10, 1), R(19, 1), R(20, 0)},
    {"mxfp8", R(21, 0), R(19, 1), R(27, 1), 0}, // what it is called at 0.20 is told below
    {"hqq", 0, R(27, 1), 0, 0},
    {"experts_int8", 0, R(27, 1), 0, 0},
};

static void ask(const char *method, uint32_t release, bool taken)
{
    char said[128];
    uint32_t word = 0;
    while (word < KVB_QUANTIZATION_WORD_COUNT && strcmp(kvb_quantization_words[word].text, method) != 0) {
        word++;
    }
    assert_true(word < KVB_QUANTIZATION_WORD_COUNT);
    make_llama_plan(&plan, release);
    set_gpu(&plan, "AMD Instinct MI300X", 192 * GIB, 0);
    plan.gpu.vendor = KVB_VENDOR_AMD;
    plan.gpu.cdna = true;
    set(&plan, KVB_SET_QUANTIZATION, kvb_quantization_words[word].number);
    (void)snprintf(said, sizeof said, "%s quantization is currently not supported in rocm.", method);
    says(kvb_refusal_rocm_method, &plan, taken ? NULL : said);
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
    says(kvb_refusal_rocm_method, &plan, NULL);
}

static void methods_on_amd(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t with[] = {rows[i].since, rows[i].last}, without[] = {rows[i].before, rows[i].gone};
        for (size_t at = 0; at < 2; at++) {
            if (with[at] != 0) {
                ask(rows[i].method, with[at], true);
            }
            if (without[at] != 0) {
                ask(rows[i].method, without[at], false);
            }
        }
    }
}

// config/quantization.py v0.20.0: "mxfp8" without a checkpoint of that name is "online", which rocm.py lists from
// 0.21.0.
static void what_is_made_while_loading(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 2));
    set_gpu(&plan, "AMD Instinct MI300X", 192 * GIB, 0);
    plan.gpu.vendor = KVB_VENDOR_AMD;
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MXFP8);
    says(kvb_refusal_rocm_method, &plan, "online quantization is currently not supported in rocm.");
    plan.engine.release = R(21, 0);
    says(kvb_refusal_rocm_method, &plan, NULL);
    unset(&plan, KVB_SET_QUANTIZATION);
    plan.model.quantisation.method = KVB_QUANT_FP8;
    (void)strcpy(plan.model.quantisation.name, "mxfp8");
    says(kvb_refusal_rocm_method, &plan, NULL);
    plan.engine.release = R(20, 2);
    says(kvb_refusal_rocm_method, &plan, "mxfp8 quantization is currently not supported in rocm.");
}

static void waves_of_32(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        make_llama_plan(&plan, late ? R(12, 0) : R(11, 2));
        set_gpu(&plan, "AMD Radeon RX 7900 XTX", 24 * GIB, 0);
        plan.gpu.vendor = KVB_VENDOR_AMD;
        set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
        says(kvb_refusal_rocm_method, &plan, late ? NULL : "bitsandbytes quantization is currently not supported");
    }
}

// flash_attn.py get_supported_head_sizes, v0.8.0 to v0.9.1.
static void head_sizes(void **state)
{
    (void)state;
    static const uint32_t taken[] = {32, 64, 96, 128, 160, 192, 224, 256}, refused[] = {16, 33, 80, 112, 255, 257, 512};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        make_llama_plan(&plan, R(9, 0));
        plan.model.kinds[0].attention.head_size = taken[i];
        says(kvb_refusal_head_size, &plan, NULL);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        make_llama_plan(&plan, R(9, 0));
        plan.model.kinds[0].attention.head_size = refused[i];
        says(kvb_refusal_head_size, &plan, "is not supported by FlashAttention. Supported head sizes are:");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(methods_on_amd), cmocka_unit_test(what_is_made_while_loading),
              cmocka_unit_test(waves_of_32), cmocka_unit_test(head_sizes))
