// What a stage is charged and the pool that leaves, on terms set by hand: which range a pool gets from theirs, what a
// run of one's own teaches, and where a start is more than the card. How wide a range of starts lies that nothing was
// learned from is a figure of scripts/residuals.
#include "budget/shapes.h"
#include "engines/vllm/overheads.h"
#include "engines/vllm/residual.h"
#include "engines/vllm/terms.h"
#include "unit/plans.h"
#include "unit/test.h"

#define MIB_OF(n) ((uint64_t)(n) << 20)
#define LOG_ROUNDING 5368710 // half of 0.01 GiB

static struct kvb_plan plan;
static struct kvb_stage_terms terms;

// 1000 MiB of weights that may be 40 less or 100 more, 200 of a pass (10, 30), 50 of graphs (20, 0).
static void set_terms(void)
{
    memset(&terms, 0, sizeof terms);
    terms.items[KVB_ITEM_WEIGHTS] = (struct kvb_estimate){MIB_OF(1000), MIB_OF(960), MIB_OF(1100)};
    terms.items[KVB_ITEM_ACTIVATION] = (struct kvb_estimate){MIB_OF(200), MIB_OF(190), MIB_OF(230)};
    terms.items[KVB_ITEM_CUDA_GRAPH] = (struct kvb_estimate){MIB_OF(50), MIB_OF(30), MIB_OF(50)};
}

// The widest counts whole and the others by half: 100 + 30 / 2 below, 40 + (10 + 20) / 2 above.
static void range_of_a_pool(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.calibration.set = true;
    set_terms();
    kvb_stage_pool(resolved(&plan), MIB_OF(10000), &terms);
    assert_int_equal(terms.pool_bytes, MIB_OF(8750));
    assert_int_equal(terms.pool_low_bytes, MIB_OF(8750 - 115));
    assert_int_equal(terms.pool_high_bytes, MIB_OF(8750 + 55));
    kvb_stage_pool(resolved(&plan), MIB_OF(1000), &terms); // less than nothing
    assert_int_equal(terms.pool_bytes, -(int64_t)MIB_OF(250));
    assert_int_equal(terms.pool_high_bytes, -(int64_t)MIB_OF(195));
}

// Without a run of one's own the margins grow by what starts leave unnamed and by the factors of their kind; what the
// card itself may have more or less comes before.
static void wider_without_a_run(void **state)
{
    (void)state;
    uint32_t below, above;
    make_llama_plan(&plan, R(20, 0));
    kvb_residual_factors(&plan, &below, &above);
    uint64_t unnamed = MIB_OF(10000) * KVB_RESIDUAL_UNNAMED_PPM / 1000000;
    plan.gpu.memory_low_bytes = plan.gpu.memory_bytes - MIB_OF(7);
    plan.gpu.memory_high_bytes = plan.gpu.memory_bytes + MIB_OF(3);
    set_terms();
    kvb_stage_pool(resolved(&plan), MIB_OF(10000), &terms);
    assert_int_equal(terms.pool_bytes - terms.pool_low_bytes, (MIB_OF(115 + 7) + unnamed) * below / 100);
    assert_int_equal(terms.pool_high_bytes - terms.pool_bytes, (MIB_OF(55 + 3) + unnamed) * above / 100);
    plan.gpu.memory_low_bytes = 0; // not known
    plan.gpu.memory_high_bytes = 0;
    kvb_stage_pool(resolved(&plan), MIB_OF(10000), &terms);
    assert_int_equal(terms.pool_bytes - terms.pool_low_bytes, (MIB_OF(115) + unnamed) * below / 100);
    assert_int_equal(terms.pool_high_bytes - terms.pool_bytes, (MIB_OF(55) + unnamed) * above / 100);
    memset(&terms, 0, sizeof terms); // all stated: exact
    terms.items[KVB_ITEM_WEIGHTS] = (struct kvb_estimate){MIB_OF(1000), MIB_OF(1000), MIB_OF(1000)};
    kvb_stage_pool(resolved(&plan), MIB_OF(10000), &terms);
    assert_int_equal(terms.pool_low_bytes, MIB_OF(9000));
    assert_int_equal(terms.pool_high_bytes, MIB_OF(9000));
}

static void a_pool_of_given_size(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, MIB_OF(123));
    set_terms();
    kvb_stage_pool(resolved(&plan), MIB_OF(10000), &terms);
    assert_int_equal(terms.pool_bytes, MIB_OF(123));
    assert_int_equal(terms.pool_low_bytes, MIB_OF(123));
    assert_int_equal(terms.pool_high_bytes, MIB_OF(123));
}

// What a run taught: the model's figure moved by so much, within half of a log's last digit and a twentieth of what
// lies between the plan and the run.
static void moved_by_a_run(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    kvb_stage_terms_fill(resolved(&plan), 0, &terms);
    uint64_t usual = terms.items[KVB_ITEM_ACTIVATION].bytes, weights = terms.items[KVB_ITEM_WEIGHTS].bytes;
    assert_true(usual > MIB_OF(200));
    plan.calibration.set = true;
    plan.calibration.known[KVB_ITEM_ACTIVATION] = true;
    plan.calibration.offset_bytes[KVB_ITEM_ACTIVATION] = (int64_t)MIB_OF(64);
    plan.calibration.reference_bytes[KVB_ITEM_ACTIVATION] = usual + MIB_OF(100);
    kvb_stage_terms_fill(resolved(&plan), 0, &terms);
    const struct kvb_estimate *moved = &terms.items[KVB_ITEM_ACTIVATION];
    assert_int_equal(moved->bytes, usual + MIB_OF(64));
    assert_int_equal(moved->bytes - moved->low_bytes, LOG_ROUNDING + MIB_OF(5));
    assert_int_equal(moved->high_bytes - moved->bytes, LOG_ROUNDING + MIB_OF(5));
    assert_int_equal(terms.items[KVB_ITEM_WEIGHTS].bytes, weights); // of which nothing was learned
    plan.calibration.reference_bytes[KVB_ITEM_ACTIVATION] = usual - MIB_OF(40);
    plan.calibration.offset_bytes[KVB_ITEM_ACTIVATION] = -(int64_t)usual - 1;
    kvb_stage_terms_fill(resolved(&plan), 0, &terms);
    assert_int_equal(moved->bytes, 0);
    assert_int_equal(moved->low_bytes, 0);
    assert_int_equal(moved->high_bytes, LOG_ROUNDING + MIB_OF(2));
}

// Weights are counted to half a percent, to five where a kernel pads them, and further where the model's shape is a
// guess.
static void range_of_weights(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantisation_method method;
        uint32_t low_ppm, high_ppm;
        uint64_t low_parts, high_parts; // of 10,000
    } rows[] = {{KVB_QUANT_NONE, 0, 0, 50, 50},           {KVB_QUANT_MXFP4, 0, 0, 500, 500},
                {KVB_QUANT_NVFP4, 0, 0, 500, 500},        {KVB_QUANT_BNB4, 0, 0, 500, 500},
                {KVB_QUANT_NONE, 20000, 30000, 200, 300}, {KVB_QUANT_NONE, 1000, 60000, 50, 600}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(20, 0));
        plan.model.quantisation.method = rows[i].method;
        plan.model.quantisation.bits = rows[i].method == KVB_QUANT_NONE ? 0 : 4;
        plan.model.assumed_low_ppm = rows[i].low_ppm;
        plan.model.assumed_high_ppm = rows[i].high_ppm;
        kvb_stage_terms_fill(resolved(&plan), 0, &terms);
        const struct kvb_estimate *weights = &terms.items[KVB_ITEM_WEIGHTS];
        uint64_t low = weights->bytes * rows[i].low_parts / 10000, high = weights->bytes * rows[i].high_parts / 10000;
        assert_in_range(weights->bytes - weights->low_bytes, low - 1000, low + 1000);
        assert_in_range(weights->high_bytes - weights->bytes, high - 1000, high + 1000);
    }
}

static void more_than_the_card(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = MIB_OF(1000);
    struct kvb_context context = *resolved(&plan);
    kvb_free_resolve(&context);
    assert_int_equal(context.free_bytes, MIB_OF(1000));
    assert_false(kvb_exceeds_device(&context, (int64_t)MIB_OF(1000)));
    assert_true(kvb_exceeds_device(&context, (int64_t)MIB_OF(1000) + 1));
    plan.platform = KVB_PLATFORM_WSL2; // spills into host memory
    assert_false(kvb_exceeds_device(&context, (int64_t)MIB_OF(2000)));
    plan.platform = KVB_PLATFORM_LINUX;
    plan.gpu.unified_memory = true;
    assert_false(kvb_exceeds_device(&context, (int64_t)MIB_OF(2000)));
    plan.gpu_free_bytes = plan.gpu.memory_bytes + 1; // no more than there is
    kvb_free_resolve(&context);
    assert_int_equal(context.free_bytes, plan.gpu.memory_bytes);
}

// Graphs lie between the percents of their row, and 64 MiB above.
static void range_of_graphs(void **state)
{
    (void)state;
    struct kvb_estimate graphs;
    make_llama_plan(&plan, R(20, 0));
    kvb_graph_actual(resolved(&plan), 0, &graphs);
    const struct kvb_overhead_row *row = kvb_overhead_of(KVB_OVERHEAD_GRAPHS);
    assert_true(graphs.bytes > MIB_OF(10));
    assert_int_equal(graphs.low_bytes, graphs.bytes / 100 * row->low);
    assert_int_equal(graphs.high_bytes, graphs.bytes / 100 * row->high + MIB_OF(64));
}

// What others hold is counted together, and what is stated counts as it is.
static void stated_and_reserved(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.reserve_count = 2;
    plan.reserves[0].bytes = MIB_OF(100);
    plan.reserves[1].bytes = MIB_OF(23);
    assert_int_equal(kvb_held_by_reserves(resolved(&plan)->plan), MIB_OF(123));
    static const enum kvb_stated stated[] = {KVB_STATED_WEIGHTS, KVB_STATED_ACTIVATION, KVB_STATED_NON_TORCH,
                                             KVB_STATED_CUDA_GRAPH};
    static const int items[] = {KVB_ITEM_WEIGHTS, KVB_ITEM_ACTIVATION, KVB_ITEM_NON_TORCH, KVB_ITEM_CUDA_GRAPH};
    for (size_t i = 0; i < sizeof stated / sizeof stated[0]; i++) {
        plan.stated[stated[i]] = (struct kvb_stated_term){.set = true, .bytes = MIB_OF(10 + i)};
    }
    kvb_stage_terms_fill(resolved(&plan), 0, &terms);
    for (size_t i = 0; i < sizeof stated / sizeof stated[0]; i++) {
        assert_int_equal(terms.items[items[i]].bytes, MIB_OF(10 + i));
        assert_int_equal(terms.items[items[i]].low_bytes, MIB_OF(10 + i));
        assert_int_equal(terms.items[items[i]].high_bytes, MIB_OF(10 + i));
    }
}

KVB_TEST_MAIN(cmocka_unit_test(range_of_a_pool), cmocka_unit_test(wider_without_a_run),
              cmocka_unit_test(a_pool_of_given_size), cmocka_unit_test(moved_by_a_run),
              cmocka_unit_test(range_of_weights), cmocka_unit_test(range_of_graphs),
              cmocka_unit_test(more_than_the_card), cmocka_unit_test(stated_and_reserved))
