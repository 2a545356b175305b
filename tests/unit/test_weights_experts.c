// Experts of 16 bits on ROCm, whose rows are set apart layer by layer once they are loaded. Expected values are by hand
// from fused_moe/unquantized_fused_moe_method.py v0.12.0:192 and 207 and torch's allocator: segments of even MiB, the
// best fit is split, and emptying the cache gives back whole segments alone.
#include <string.h>

#include "budget/weights/weights.h"
#include "unit/small_weights.h"
#include "unit/test.h"

static void experts_of(struct kvb_model *of, uint32_t experts, uint32_t size, bool gated)
{
    of->kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                              .experts = experts,
                                              .experts_per_token = 2,
                                              .expert_intermediate_size = size,
                                              .expert_gated = gated};
}

// MiB that setting apart adds to what the device holds.
static uint64_t added(enum kvb_expert_rows rows)
{
    load.exact_allocations = false;
    load.counts_device = true;
    load.expert_rows = KVB_EXPERT_ROWS_AS_LOADED;
    uint64_t loaded = counted();
    load.expert_rows = rows;
    return (counted() - loaded) / MIB;
}

// 72 experts of 1,536 x 4,096 and 4,096 x 768 are 864 and 432 MiB, 891 and 504 apart. The 504 lie in the segment of
// 864, of which 360 serve nothing; 891 take 892, and the last layer's 432 stay for now. So does granite-4.0-h-small:
// 60.0 GiB of checkpoint, "Model loading took 78.4272 GiB" in 0.11.1 (ROCm/ROCm#5590).
static void rows_set_apart(void **state)
{
    (void)state;
    make(40);
    model.hidden_size = 4096;
    experts_of(&model, 72, 768, true);
    assert_int_equal(added(KVB_EXPERT_ROWS_APART), 40 * (28 + 72 + 360) + 432);
    assert_int_equal(weights.expert_rest_bytes, 40 * 360 * MIB);
    load.counts_device = false; // what is allocated has no rests but the MiB that is too little to split
    load.expert_rows = KVB_EXPERT_ROWS_AS_LOADED;
    uint64_t loaded = counted();
    load.expert_rows = KVB_EXPERT_ROWS_APART;
    assert_int_equal(counted() - loaded, 40 * (28 + 72) * MIB);
}

// Copied back, each layer takes the blocks that the one before it left; the last 892 and 864 stay.
static void rows_copied_back(void **state)
{
    (void)state;
    for (uint32_t layers = 1; layers < 4; layers++) {
        make(layers);
        model.hidden_size = 4096;
        experts_of(&model, 72, 768, true);
        assert_int_equal(added(KVB_EXPERT_ROWS_BACK), 892 + 864);
        assert_int_equal(weights.expert_rest_bytes, 0);
    }
}

// Rows of 4,160 x 2 bytes do not end on 512, nor those of 800 x 2: one matrix of the two is copied, and the block it
// was loaded into is left; copied back, the block it was copied to. 72 x 1,536 x 4,160 x 2 are 877.5 MiB, the other
// 438.75, apart 511.875; 72 x 1,600 x 4,096 x 2 are 900, apart 928.125.
static void one_matrix_of_two(void **state)
{
    (void)state;
    make(2);
    model.hidden_size = 4160;
    experts_of(&model, 72, 768, true);
    assert_int_equal(added(KVB_EXPERT_ROWS_APART), 2 * (512 - 440) + 440);
    assert_int_equal(weights.expert_rest_bytes, 0);
    assert_int_equal(added(KVB_EXPERT_ROWS_BACK), 512);
    make(2);
    model.hidden_size = 4096;
    experts_of(&model, 72, 800, true);
    assert_int_equal(added(KVB_EXPERT_ROWS_APART), 2 * (930 - 900) + 900);
    assert_int_equal(weights.expert_rest_bytes, 0);
    assert_int_equal(added(KVB_EXPERT_ROWS_BACK), 930);
    experts_of(&model, 72, 800, true);
    model.hidden_size = 4160;
    assert_int_equal(added(KVB_EXPERT_ROWS_APART), 0);
}

// Without a gate both are 256 MiB: 264 do not fit where 256 were. Below 10 MiB experts share segments, which are not
// followed. Blocks that the driver maps page by page leave no rests.
static void no_rests(void **state)
{
    (void)state;
    make(2);
    model.hidden_size = 4096;
    experts_of(&model, 8, 4096, false);
    assert_int_equal(added(KVB_EXPERT_ROWS_APART), 2 * (8 + 8) + 256);
    assert_int_equal(weights.expert_rest_bytes, 0);
    experts_of(&model, 1, 256, true);
    (void)added(KVB_EXPERT_ROWS_APART);
    assert_int_equal(weights.expert_rest_bytes, 0);
    experts_of(&model, 72, 768, true);
    load.exact_allocations = true;
    (void)counted();
    assert_int_equal(weights.expert_rest_bytes, 0);
}

static void a_layer_of_one_matrix(void **state)
{
    (void)state;
    struct kvb_parameter parameters[2] = {{.role = KVB_ROLE_ATTENTION},
                                          {.expert_bytes = 64 * MIB, .apart_bytes = 66 * MIB}};
    struct kvb_expert_rests rests = {0, 0};
    load.expert_rows = KVB_EXPERT_ROWS_APART;
    kvb_expert_rests_add(&load, parameters, 2, &rests);
    assert_int_equal(rests.held_bytes + rests.last_bytes, 0);
}

// ---- vLLM

static struct kvb_plan plan;

// layer.py v0.8.2 _maybe_pad_weight, oracle/unquantized.py v0.19.1 and v0.20.0:321, v0.24.0 and v0.25.0:311; the
// shuffle of AITER's kernels on CDNA alone; envs.py v0.12.0:1003.
static void by_release(void **state)
{
    (void)state;
    static const struct {
        enum kvb_vendor vendor;
        uint32_t release;
        bool cdna;
        uint8_t padding, aiter;
        enum kvb_expert_rows rows;
    } rows[] = {
        {KVB_VENDOR_NVIDIA, R(12, 0), false, KVB_UNSET, KVB_UNSET, KVB_EXPERT_ROWS_AS_LOADED},
        {KVB_VENDOR_AMD, R(8, 1), true, KVB_UNSET, KVB_UNSET, KVB_EXPERT_ROWS_AS_LOADED},
        {KVB_VENDOR_AMD, R(8, 2), true, KVB_UNSET, KVB_UNSET, KVB_EXPERT_ROWS_APART},
        {KVB_VENDOR_AMD, R(12, 0), true, KVB_NO, KVB_UNSET, KVB_EXPERT_ROWS_AS_LOADED},
        {KVB_VENDOR_AMD, R(12, 0), true, KVB_YES, KVB_NO, KVB_EXPERT_ROWS_APART},
        {KVB_VENDOR_AMD, R(12, 0), true, KVB_UNSET, KVB_YES, KVB_EXPERT_ROWS_BACK},
        {KVB_VENDOR_AMD, R(12, 0), false, KVB_UNSET, KVB_YES, KVB_EXPERT_ROWS_APART},
        {KVB_VENDOR_AMD, R(19, 1), true, KVB_UNSET, KVB_UNSET, KVB_EXPERT_ROWS_APART},
        {KVB_VENDOR_AMD, R(20, 0), true, KVB_UNSET, KVB_UNSET, KVB_EXPERT_ROWS_BACK},
        {KVB_VENDOR_AMD, R(24, 0), false, KVB_UNSET, KVB_UNSET, KVB_EXPERT_ROWS_BACK},
        {KVB_VENDOR_AMD, R(25, 0), false, KVB_UNSET, KVB_UNSET, KVB_EXPERT_ROWS_APART},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.vendor = rows[i].vendor;
        plan.gpu.cdna = rows[i].cdna;
        plan.environment.rocm_moe_padding = rows[i].padding;
        plan.environment.rocm_use_aiter = rows[i].aiter;
        if (loaded(&plan)->expert_rows != rows[i].rows) {
            fail_msg("row %zu", i);
        }
    }
}

static int64_t non_torch(uint32_t release, uint8_t padding)
{
    struct kvb_budget budget;
    struct kvb_problems problems = {0};
    make_llama_plan(&plan, release);
    experts_of(&plan.model, 8, 768, true);
    plan.gpu.vendor = KVB_VENDOR_AMD;
    plan.environment.rocm_moe_padding = padding;
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    return budget.items[KVB_ITEM_NON_TORCH].bytes;
}

// Used memory counts from 0.27 (utils/mem_utils.py v0.27.0:314): 96 less 56 MiB of each of 32 layers.
static void used_memory_has_the_rests(void **state)
{
    (void)state;
    assert_int_equal(non_torch(R(26, 0), KVB_UNSET), non_torch(R(26, 0), KVB_NO));
    assert_int_equal(non_torch(R(27, 0), KVB_UNSET) - non_torch(R(27, 0), KVB_NO), 32 * 40 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_set_apart),
        cmocka_unit_test(rows_copied_back),
        cmocka_unit_test(one_matrix_of_two),
        cmocka_unit_test(no_rests),
        cmocka_unit_test(a_layer_of_one_matrix),
        cmocka_unit_test(by_release),
        cmocka_unit_test(used_memory_has_the_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
