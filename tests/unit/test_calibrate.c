// One measured run corrects the next plan: the same run again is exact, other settings move as the model does.
#include "unit/kv_models.h"
#include "unit/test.h"

#define CENTI_GIB 10737418

static struct kvb_plan plan;
static struct kvb_budget plain;
static struct kvb_budget again;
static struct kvb_problems problems;

static void make(void)
{
    static const struct shape shape = {"Llama-3.1-8B", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &plan.model);
    plan.model.vocabulary_size = 128256;
    make_plan(&plan, KVB_RELEASE(0, 19, 0), 0, 8192);
    plan.compile_cache = KVB_COMPILE_WARM; // or the answer says what it took for granted
    plan.settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES].set = 0;
    plan.gpu.memory_bytes = 85899345920;
}

static void answer(struct kvb_budget *budget)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, budget, &problems), KVB_OK);
}

// All terms are logged: the pool comes out as the sum says.
static void every_term(void **state)
{
    (void)state;
    make();
    answer(&plain);
    struct kvb_measured measured = {0};
    int64_t shifted = 0;
    for (uint32_t item = 0; item < KVB_ITEM_RESERVED; item++) {
        measured.known[item] = true;
        measured.bytes[item] = plain.items[item].bytes + 7 * CENTI_GIB;
        shifted += 7 * CENTI_GIB;
    }
    assert_int_equal(kvb_calibrate(&plan, &measured, &plan.calibration), KVB_OK);
    answer(&again);
    assert_true(again.items[KVB_ITEM_KV_CACHE].bytes == plain.items[KVB_ITEM_KV_CACHE].bytes - shifted);
    assert_int_equal(again.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_MEASURED);
}

// Only the pool is logged: the rest goes to non-torch memory, and the range is as wide as the log's rounding.
static void pool_alone(void **state)
{
    (void)state;
    make();
    answer(&plain);
    struct kvb_measured measured = {0};
    measured.known[KVB_ITEM_KV_CACHE] = true;
    measured.bytes[KVB_ITEM_KV_CACHE] = plain.items[KVB_ITEM_KV_CACHE].bytes - 30 * CENTI_GIB;
    assert_int_equal(kvb_calibrate(&plan, &measured, &plan.calibration), KVB_OK);
    answer(&again);
    const struct kvb_term *pool = &again.items[KVB_ITEM_KV_CACHE];
    assert_true(pool->bytes == measured.bytes[KVB_ITEM_KV_CACHE]);
    assert_true(pool->high_bytes - pool->low_bytes < 10 * CENTI_GIB);
    assert_true(again.items[KVB_ITEM_NON_TORCH].bytes == plain.items[KVB_ITEM_NON_TORCH].bytes + 30 * CENTI_GIB);
    // another utilization moves the pool by its share of the card and by nothing else
    int64_t before = pool->bytes;
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 800000);
    answer(&again);
    assert_true(again.items[KVB_ITEM_KV_CACHE].bytes == before - 8589934592);
}

// Non-torch memory is logged, the activation peak is not: it takes the rest.
static void rest_to_activation(void **state)
{
    (void)state;
    make();
    answer(&plain);
    struct kvb_measured measured = {0};
    measured.known[KVB_ITEM_NON_TORCH] = true;
    measured.bytes[KVB_ITEM_NON_TORCH] = plain.items[KVB_ITEM_NON_TORCH].bytes;
    measured.known[KVB_ITEM_KV_CACHE] = true;
    measured.bytes[KVB_ITEM_KV_CACHE] = plain.items[KVB_ITEM_KV_CACHE].bytes + 5 * CENTI_GIB;
    assert_int_equal(kvb_calibrate(&plan, &measured, &plan.calibration), KVB_OK);
    answer(&again);
    assert_true(again.items[KVB_ITEM_ACTIVATION].bytes == plain.items[KVB_ITEM_ACTIVATION].bytes - 5 * CENTI_GIB);
}

static void impossible_run(void **state)
{
    (void)state;
    make();
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 3);
    struct kvb_measured measured = {0};
    assert_int_equal(kvb_calibrate(&plan, &measured, &plan.calibration), KVB_CONTRADICTION);
}

// Sixteen requests of 8192 tokens hold 16 x 512 blocks of 2 MiB: 16 GiB; a request of 2 images of 576 tokens,
// 50 and 200 is 1402 tokens.
static void needs_and_requests(void **state)
{
    (void)state;
    make();
    plan.need.concurrency_hundredths = 1600;
    plan.request = (struct kvb_request){true, 2, 50, 200, 576};
    answer(&again);
    assert_int_equal(again.needed_bytes, 17179869184);
    assert_int_equal(again.request_tokens, 1402);
    assert_int_equal(problems.count, 0);
    plan.need.concurrency_hundredths = 400000;
    plan.request.answer_tokens = 9000;
    answer(&again);
    assert_int_equal(again.verdict, KVB_DOES_NOT_FIT);
    assert_true(again.starts);
    assert_int_equal(problems.count, 1);
    plan.need.length_tokens = 9000;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &again, &problems), KVB_CONTRADICTION);
    plan.need.length_tokens = 4096; // V0 counts in blocks of one table
    plan.need.concurrency_hundredths = 200;
    plan.engine.release = KVB_RELEASE(0, 6, 3);
    answer(&again);
    assert_int_equal(again.needed_bytes, 2 * 256 * 2097152ULL);
}

// Blocks of one request halve with the length: 8192, 4096, 2048 and 1024 tokens.
static void frontier(void **state)
{
    (void)state;
    make();
    answer(&again);
    assert_int_equal(again.kv.frontier_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(again.kv.frontier[i].length_tokens, 1024U << i);
    }
    assert_int_equal(again.kv.frontier[3].concurrency_hundredths, again.kv.max_concurrency_hundredths);
}

KVB_TEST_MAIN(cmocka_unit_test(every_term), cmocka_unit_test(pool_alone), cmocka_unit_test(rest_to_activation),
              cmocka_unit_test(impossible_run), cmocka_unit_test(needs_and_requests), cmocka_unit_test(frontier))
