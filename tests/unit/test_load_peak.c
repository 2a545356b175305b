// What stands on the card while weights load, by release and kind of quantisation, against sizes by hand.
// Llama-3.1-8B: a layer's matrices are q and o of 4096 x 4096, k and v of 1024 x 4096, gate, up and down of 14336 x
// 4096.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/load_peak.h"
#include "unit/plans.h"
#include "unit/test.h"

#define GATE_AND_UP (2ULL * 14336 * 4096)
#define LAYER (2ULL * 4096 * 4096 + 2ULL * 1024 * 4096 + 3ULL * 14336 * 4096)

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_problems problems;

static uint64_t beyond_weights(void)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    return budget.load_peak_bytes - (uint64_t)budget.items[KVB_ITEM_WEIGHTS].bytes;
}

static void make(uint32_t release, uint64_t memory_bytes)
{
    make_llama_plan(&plan, release);
    set_gpu(&plan, "a card", memory_bytes, 89);
}

// Source: quantization/fp8.py create_weights: params_dtype on the device to v0.15.1, "meta" from v0.16.0.
static void eight_bit_weights_made_while_loading(void **state)
{
    (void)state;
    static const uint32_t whole[] = {R(9, 0), R(11, 0), R(13, 0), R(15, 1)};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        make(whole[i], 14ULL << 30);
        set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
        uint64_t beyond = beyond_weights();
        // the other half of every matrix, and the first 8-bit copy; scales and rounding are below a MiB a layer
        assert_in_range(beyond, 32 * LAYER + GATE_AND_UP - 33 * MIB, 32 * LAYER + GATE_AND_UP + 33 * MIB);
        assert_false(budget.starts);
        assert_non_null(strstr(budget.error, "CUDA out of memory"));
        assert_non_null(strstr(problems.items[0].text, "in 16 bits before"));
    }
    static const uint32_t streams[] = {R(16, 0), R(19, 0), R(27, 0)};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        make(streams[i], 14ULL << 30);
        set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
        assert_int_equal(beyond_weights(), 2 * GATE_AND_UP);
        assert_true(budget.starts);
    }
}

// "--quantization fp8" is no advice where the 16-bit weights have no room.
static void advice_respects_it(void **state)
{
    (void)state;
    static struct kvb_advice advice;
    static const struct {
        uint32_t release;
        bool suffices;
    } rows[] = {{R(9, 0), false}, {R(15, 1), false}, {R(16, 0), true}, {R(27, 1), true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool suffices = false;
        make(rows[i].release, 14ULL << 30);
        kvb_problems_init(&problems);
        assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
        assert_int_equal(kvb_advise(&plan, &budget, &advice), KVB_OK);
        for (uint32_t j = 0; j < advice.change_count; j++) {
            const struct kvb_change *change = &advice.changes[j];
            bool is_fp8 = change->setting == KVB_SET_QUANTIZATION && change->to == KVB_QUANTIZATION_FP8;
            suffices = suffices || (is_fp8 && change->fits);
        }
        assert_int_equal(suffices, rows[i].suffices);
    }
}

// Source: model_loader/bitsandbytes_loader.py quantize_4bit(loaded_weight.cuda()).
static void four_bits_by_bitsandbytes(void **state)
{
    (void)state;
    make(R(19, 0), 24ULL << 30);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
    assert_int_equal(beyond_weights(), 2 * GATE_AND_UP);
}

// Source: quantization/awq_marlin.py process_weights_after_loading: the repacked matrix beside the loaded one.
static void copies_for_marlin(void **state)
{
    (void)state;
    make(R(19, 0), 24ULL << 30);
    assert_int_equal(beyond_weights(), 0);
    plan.model.quantisation =
        (struct kvb_quantisation){.method = KVB_QUANT_AWQ, .bits = 4, .group_size = 128, .scale = KVB_SCALE_GROUP};
    (void)strcpy(plan.model.quantisation.name, "awq");
    uint64_t values = GATE_AND_UP / 2, scales = GATE_AND_UP / 128 * 2, zeros = GATE_AND_UP / 128 / 2;
    assert_int_equal(beyond_weights(), values + scales + zeros);
}

// What is laid out anew for a kernel: packed words of 4 bits, and 8 bits where Marlin reads them, on cards before 8.9
// (utils/marlin_utils_fp8.py v0.19.0). Plain weights stay as they are.
static void layouts_by_method(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantisation_method method;
        const char *name;
        uint32_t capability;
        bool copied;
    } rows[] = {
        {KVB_QUANT_NONE, "", 80, false},
        {KVB_QUANT_NONE, "", 90, false},
        {KVB_QUANT_FP8, "fp8", 80, true},
        {KVB_QUANT_FP8, "fp8", 88, true},
        {KVB_QUANT_FP8, "fp8", 89, false},
        {KVB_QUANT_FP8, "fp8", 0, false},
        {KVB_QUANT_MXFP4, "mxfp4", 90, true},
        {KVB_QUANT_NVFP4, "modelopt", 100, true},
        {KVB_QUANT_INT8, "compressed-tensors", 80, false},
        {KVB_QUANT_WNA16, "compressed-tensors", 90, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_weights weights = {.largest_stored_bytes = 7, .largest_plain_bytes = 11};
        const char *why = "";
        make(R(19, 0), 80 * GIB);
        plan.gpu.compute_capability = rows[i].capability;
        plan.model.quantisation.method = rows[i].method;
        (void)strcpy(plan.model.quantisation.name, rows[i].name);
        assert_int_equal(kvb_load_extra(resolved(&plan), &weights, &why), rows[i].copied ? 7 : 0);
        assert_int_equal(why != NULL, rows[i].copied);
    }
}

// Of experts made in 8 bits both matrices of a layer are there in 16, the second half as large as the first: 11 + 5.
// bitsandbytes takes a matrix at a time; a stated size is taken as it is.
static void layers_in_sixteen_bits(void **state)
{
    (void)state;
    const struct kvb_weights weights = {
        .largest_stored_bytes = 7, .largest_plain_bytes = 11, .unquantised_bytes = 30, .total_bytes = 18};
    const char *why = NULL;
    make(R(19, 0), 80 * GIB);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    assert_int_equal(kvb_load_extra(resolved(&plan), &weights, &why), 11);
    plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
    plan.model.kinds[0].mlp.experts = 8;
    assert_int_equal(kvb_load_extra(resolved(&plan), &weights, &why), 16);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
    assert_int_equal(kvb_load_extra(resolved(&plan), &weights, &why), 11);
    plan.engine.release = R(15, 1);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    assert_int_equal(kvb_load_extra(resolved(&plan), &weights, &why), 30 - 18 + 7);
    plan.stated[KVB_STATED_WEIGHTS] = (struct kvb_stated_term){.set = true, .bytes = GIB};
    assert_int_equal(kvb_load_extra(resolved(&plan), &weights, &why), 0);
    assert_null(why);
}

KVB_TEST_MAIN(cmocka_unit_test(layouts_by_method), cmocka_unit_test(layers_in_sixteen_bits),
              cmocka_unit_test(eight_bit_weights_made_while_loading), cmocka_unit_test(advice_respects_it),
              cmocka_unit_test(four_bits_by_bitsandbytes), cmocka_unit_test(copies_for_marlin))
