// What one dense feed-forward layer needs beside its hidden tensors, by the kernel that runs it, by hand: 4096 wide, a
// feed-forward width of 14,336 on one rank, 2048 tokens of 16 bits. Sources: quantization/awq.py v0.8.5:269 (a matrix
// in 16 bits), awq_marlin.py v0.8.5:232, csrc/quantization/gptq_marlin/gptq_marlin.cu v0.8.5:2311 (min(tokens, 1024)
// rows in 32 bits) and v0.9.0 (a tile of 64 x 256 a multiprocessor); and the methods that a release calls deprecated:
// DEPRECATED_QUANTIZATION_METHODS of vllm/model_executor/layers/quantization/__init__.py at every tag.
#include <stdio.h>
#include <string.h>

#include "engines/vllm/overhead.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

#define PLAIN (2048ULL * 3 * 14336 * 2)
#define MATRIX (4096ULL * 2 * 2 * 14336) // gate and up in 16 bits
#define ROWS (1024ULL * 2 * 14336 * 4)
#define TILES (108ULL * 64 * 256 * 4)

static void by_kernel(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantisation_method method;
        uint32_t release, capability;
        enum kvb_quantization_word asked;
        uint64_t beside;
    } rows[] = {
        {KVB_QUANT_NONE, R(8, 5), 90, 0, 0},
        {KVB_QUANT_AWQ, R(8, 5), 90, 0, ROWS},
        {KVB_QUANT_AWQ, R(8, 5), 80, 0, ROWS},
        {KVB_QUANT_AWQ, R(8, 5), 75, 0, MATRIX},
        {KVB_QUANT_AWQ, R(8, 5), 90, KVB_QUANTIZATION_AWQ, MATRIX},
        {KVB_QUANT_AWQ, R(5, 3), 90, 0, MATRIX}, // Marlin takes it from 0.5.4 on
        {KVB_QUANT_AWQ, R(5, 4), 90, 0, ROWS},
        {KVB_QUANT_AWQ, R(9, 0), 90, 0, TILES},
        {KVB_QUANT_GPTQ, R(8, 5), 90, 0, ROWS},
        {KVB_QUANT_GPTQ, R(9, 0), 90, 0, TILES},
        {KVB_QUANT_GPTQ, R(9, 0), 75, 0, 0},
        {KVB_QUANT_GPTQ, R(5, 3), 90, 0, 0},
        {KVB_QUANT_WNA16, R(9, 0), 90, 0, TILES},
        {KVB_QUANT_FP8, R(9, 0), 86, 0, TILES},
        {KVB_QUANT_FP8, R(9, 0), 89, 0, 0},
        {KVB_QUANT_NVFP4, R(9, 0), 90, 0, TILES},
        {KVB_QUANT_NVFP4, R(9, 0), 100, 0, 0},
        {KVB_QUANT_INT8, R(9, 0), 90, 0, 2048ULL * 14336},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        struct kvb_context context = *resolved(&plan);
        plan.gpu.compute_capability = rows[i].capability;
        plan.gpu.multiprocessors = 108;
        plan.model.quantisation.method = rows[i].method;
        set(&plan, KVB_SET_QUANTIZATION, rows[i].asked);
        struct kvb_mlp_shape mlp = {.kind = KVB_MLP_GATED, .intermediate_size = 14336};
        uint64_t bytes = kvb_dense_scratch(&context, &mlp, 2048);
        if (bytes != PLAIN + rows[i].beside) {
            fail_msg("row %zu: %llu beside", i, (unsigned long long)(bytes - PLAIN));
        }
        context.tp = 2; // half of the width; AMD runs no Marlin
        mlp.kind = KVB_MLP_PLAIN;
        plan.gpu.vendor = KVB_VENDOR_AMD;
        bool marlin = rows[i].beside == ROWS || rows[i].beside == TILES;
        bytes = kvb_dense_scratch(&context, &mlp, 2048);
        assert_int_equal(bytes, 2048ULL * 2 * 7168 * 2 + (marlin ? 0 : rows[i].beside / 2));
    }
}

// Few tokens take as many rows; a card whose processors nobody knows counts as 132.
static void few_tokens(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(8, 5));
    struct kvb_context context = *resolved(&plan);
    struct kvb_mlp_shape mlp = {.kind = KVB_MLP_GATED, .intermediate_size = 14336};
    plan.model.quantisation.method = KVB_QUANT_GPTQ;
    assert_int_equal(kvb_dense_scratch(&context, &mlp, 100), 100ULL * 3 * 14336 * 2 + 100ULL * 2 * 14336 * 4);
    context.release = R(9, 0);
    plan.gpu.multiprocessors = 0;
    assert_int_equal(kvb_dense_scratch(&context, &mlp, 100), 100ULL * 3 * 14336 * 2 + 132ULL * 64 * 256 * 4);
}

// FP8 of one scale a tensor or a row: gate and up in 16 bits, and what they are multiplied to in 8, from the release whose
// quantisation torch.compile sees through. Source: quantization/input_quant_fp8.py v0.10.0 forward_native (v0.9.2 has
// none), config/vllm.py v0.23.0:1111 (block scales keep an operator of their own). One start of Llama 3.1 70B on an RTX
// PRO 6000 with 0.23, at 0.9, 0.875 and 0.75 of 94.97 GiB, has 3.23 GiB beside its weights: 16 bits throughout would
// leave it 0.3 GiB less.
static void fp8_between_products(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantisation_method method;
        enum kvb_quantization_word asked;
        enum kvb_scale_shape scale;
        bool weight_only, uncompiled;
        uint32_t release, capability;
        uint64_t last; // bytes of an element of the product
    } rows[] = {
        {KVB_QUANT_FP8, 0, KVB_SCALE_TENSOR, false, false, R(10, 0), 90, 1},
        {KVB_QUANT_FP8, 0, KVB_SCALE_TENSOR, false, false, R(9, 2), 90, 2},
        {KVB_QUANT_FP8, 0, KVB_SCALE_CHANNEL, false, false, R(23, 0), 120, 1},
        {KVB_QUANT_FP8, 0, KVB_SCALE_CHANNEL, false, false, R(23, 0), 89, 1},
        {KVB_QUANT_FP8, 0, KVB_SCALE_BLOCK, false, false, R(23, 0), 120, 2},
        {KVB_QUANT_FP8, 0, KVB_SCALE_GROUP, false, false, R(23, 0), 120, 2},
        {KVB_QUANT_FP8, 0, KVB_SCALE_TENSOR, true, false, R(23, 0), 120, 2},
        {KVB_QUANT_FP8, 0, KVB_SCALE_TENSOR, false, true, R(23, 0), 120, 2},
        {KVB_QUANT_NONE, 0, KVB_SCALE_TENSOR, false, false, R(23, 0), 120, 2},
        {KVB_QUANT_NVFP4, 0, KVB_SCALE_GROUP, false, false, R(23, 0), 120, 2},
        {KVB_QUANT_NONE, KVB_QUANTIZATION_FP8, KVB_SCALE_BLOCK, false, false, R(23, 0), 120, 1},
        {KVB_QUANT_NONE, KVB_QUANTIZATION_FP8_PER_BLOCK, KVB_SCALE_TENSOR, false, false, R(23, 0), 120, 2},
        {KVB_QUANT_NVFP4, KVB_QUANTIZATION_FP8, KVB_SCALE_GROUP, false, false, R(23, 0), 120, 2}, // refused elsewhere
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        struct kvb_context context = *resolved(&plan);
        struct kvb_mlp_shape gated = {.kind = KVB_MLP_GATED, .intermediate_size = 14336};
        struct kvb_mlp_shape plain = {.kind = KVB_MLP_PLAIN, .intermediate_size = 14336};
        plan.gpu.compute_capability = rows[i].capability;
        plan.model.quantisation.method = rows[i].method;
        plan.model.quantisation.scale = rows[i].scale;
        plan.model.quantisation.weight_only = rows[i].weight_only;
        context.uncompiled = rows[i].uncompiled;
        set(&plan, KVB_SET_QUANTIZATION, rows[i].asked);
        uint64_t bytes = kvb_dense_scratch(&context, &gated, 2048);
        if (bytes != 2048ULL * 14336 * (4 + rows[i].last)) {
            fail_msg("row %zu: %llu bytes", i, (unsigned long long)bytes);
        }
        assert_int_equal(kvb_dense_scratch(&context, &plain, 2048), 2048ULL * 14336 * (2 + rows[i].last));
        plan.gpu.vendor = KVB_VENDOR_AMD; // operators of its own
        assert_int_equal(kvb_dense_scratch(&context, &plain, 2048), 2048ULL * 14336 * 4);
    }
}

static void deprecated_methods(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        uint32_t last, gone; // the last tag of the list and the next one; 0: listed still
    } rows[] = {
        {"auto-round", R(14, 1), R(15, 0)},   {"deepspeedfp", R(14, 1), R(15, 0)},
        {"hqq", R(14, 1), R(15, 0)},          {"rtn", R(14, 1), R(15, 0)},
        {"bitblas", R(15, 1), R(16, 0)},      {"gptq_bitblas", R(15, 1), R(16, 0)},
        {"ipex", R(15, 1), R(16, 0)},         {"gptq_marlin_24", R(15, 1), R(16, 0)},
        {"ptpc_fp8", R(18, 1), R(19, 0)},     {"petit_nvfp4", R(19, 1), R(20, 0)},
        {"experts_int8", R(19, 1), R(20, 0)}, {"tpu_int8", R(22, 1), R(23, 0)},
        {"fbgemm_fp8", R(27, 1), 0},          {"fp_quant", R(27, 1), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char part[64];
        (void)snprintf(part, sizeof part, "allow-deprecated-quantization`.', '%s')", rows[i].method);
        make_llama_plan(&plan, R(14, 0));
        plan.model.quantisation.method = KVB_QUANT_FP8;
        (void)snprintf(plan.model.quantisation.name, sizeof plan.model.quantisation.name, "%s", rows[i].method);
        says(kvb_refusal_deprecated, &plan, part);
        plan.engine.release = rows[i].last;
        says(kvb_refusal_deprecated, &plan, part);
        if (rows[i].gone != 0) {
            plan.engine.release = rows[i].gone;
            says(kvb_refusal_deprecated, &plan, NULL);
        }
        plan.engine.release = R(14, 0);
        plan.plain_flags = KVB_PLAIN_DEPRECATED;
        says(kvb_refusal_deprecated, &plan, NULL);
        plan.plain_flags = 0;
    }
    (void)snprintf(plan.model.quantisation.name, sizeof plan.model.quantisation.name, "fp8");
    says(kvb_refusal_deprecated, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(by_kernel), cmocka_unit_test(few_tokens),
              cmocka_unit_test(fp8_between_products), cmocka_unit_test(deprecated_methods))
