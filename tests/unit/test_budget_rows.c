// The small tables of the budget room: no row beyond the last, and variables that PyTorch reads whatever the engine.
#include <string.h>

#include <kvbudget/budget.h>

#include "budget/serve_flag.h"
#include "budget/shapes.h"
#include "budget/trainer.h"
#include "budget/utilization.h"
#include "unit/test.h"

#define GIB (1ULL << 30)

static void no_row_beyond_the_last(void **state)
{
    (void)state;
    assert_string_equal(kvb_item_row_of(KVB_ITEM_COUNT - 1)->key, "kv_cache_bytes");
    assert_null(kvb_item_row_of(KVB_ITEM_COUNT));
    assert_string_equal(kvb_beside_row_of(KVB_BESIDE_COUNT - 1)->key, "draft_bytes");
    assert_null(kvb_beside_row_of(KVB_BESIDE_COUNT));
    assert_non_null(kvb_sharding_row_of(KVB_SHARD_COUNT - 1));
    assert_null(kvb_sharding_row_of(KVB_SHARD_COUNT));
    assert_non_null(kvb_precision_row_of(KVB_PRECISION_COUNT - 1));
    assert_null(kvb_precision_row_of(KVB_PRECISION_COUNT));
}

// A size that is set to nothing counts as one GPU, as one that is not set.
static void sizes_of_nothing(void **state)
{
    (void)state;
    struct kvb_settings settings;
    memset(&settings, 0, sizeof settings);
    kvb_settings_set(&settings, KVB_SET_TENSOR_PARALLEL_SIZE, 4, KVB_ORIGIN_FLAG);
    kvb_settings_set(&settings, KVB_SET_PIPELINE_PARALLEL_SIZE, 0, KVB_ORIGIN_FLAG);
    kvb_settings_set(&settings, KVB_SET_DATA_PARALLEL_SIZE, 2, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_gpu_count(&settings), 8);
    kvb_settings_set(&settings, KVB_SET_ENABLE_DP_ATTENTION, 1, KVB_ORIGIN_FLAG); // groups inside of the four
    assert_int_equal(kvb_gpu_count(&settings), 4);
}

// By hand: 20 of 24 GiB are requested and 4 of them are the cache's; 5 GiB of cache take 21 / 24 = 0.875. No share is
// said where the budget was not counted, of a card below a million bytes, or above 4294967295 / 10000 wholes:
// 5,000,000,000 bytes of a million are 5,000 wholes, 50,000,000 ten-thousandths.
static void shares_that_cannot_be_said(void **state)
{
    (void)state;
    struct kvb_budget budget = {.memory_bytes = 24 * GIB, .requested_bytes = 20 * GIB};
    budget.items[KVB_ITEM_KV_CACHE].bytes = 4 * (int64_t)GIB;
    budget.settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES] = (struct kvb_setting_value){0, 1, KVB_ORIGIN_FLAG};
    assert_int_equal(kvb_utilization_for(&budget, 5 * GIB), 875000); // a size of 0 is none
    budget.uncounted = true;
    assert_int_equal(kvb_utilization_for(&budget, 5 * GIB), 0);
    struct kvb_budget small = {.memory_bytes = 999999};
    assert_int_equal(kvb_utilization_for(&small, 1), 0);
    small.memory_bytes = 1000000;
    assert_int_equal(kvb_utilization_for(&small, 1), 100); // rounded up
    assert_int_equal(kvb_utilization_for(&small, 4294967200), UINT64_C(4294967200));
    assert_int_equal(kvb_utilization_for(&small, 5000000000), 0);
    small.requested_bytes = 0; // and more cache than was requested charges nothing
    small.items[KVB_ITEM_KV_CACHE].bytes = 500000;
    assert_int_equal(kvb_utilization_for(&small, 500000), 500000);
}

static void variables_of_pytorch(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_variable_row *rows = kvb_torch_variables(&count);
    static const struct {
        const char *value;
        int expandable;
    } cases[] = {
        {"expandable_segments:True,max_split_size_mb:128", KVB_YES},
        {"max_split_size_mb:128,Expandable_Segments:false", KVB_NO},
        {"max_split_size_mb:128", KVB_UNSET},
    };
    assert_int_equal(count, 4);
    struct kvb_environment environment;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&environment, 0, sizeof environment);
        assert_true(rows[i % 2].read(cases[i].value, &rows[i % 2], &environment));
        assert_int_equal(environment.expandable_segments, cases[i].expandable);
    }
    memset(&environment, 0, sizeof environment);
    assert_string_equal(rows[2].name, "TORCH_COMPILE_DISABLE");
    assert_true(rows[2].read("1", &rows[2], &environment));
    assert_int_equal(environment.compile_disable, KVB_YES);
    assert_string_equal(rows[3].name, "TORCHDYNAMO_DISABLE");
    assert_true(rows[3].read("0", &rows[3], &environment));
    assert_int_equal(environment.dynamo_disable, KVB_NO);
    assert_int_equal(environment.compile_disable, KVB_YES);
}

static void variables_that_are_settings(void **state)
{
    (void)state;
    struct kvb_environment environment;
    memset(&environment, 0, sizeof environment);
    struct kvb_variable_row row = {.setting = KVB_SET_MAX_NUM_SEQS};
    assert_false(kvb_variable_setting("many", &row, &environment));
    assert_int_equal(environment.settings.values[KVB_SET_MAX_NUM_SEQS].set, 0);
    assert_true(kvb_variable_setting("64", &row, &environment));
    assert_int_equal(environment.settings.values[KVB_SET_MAX_NUM_SEQS].number, 64);
    row.offset = offsetof(struct kvb_environment, expandable_segments);
    assert_true(kvb_variable_switch("ON", &row, &environment) && environment.expandable_segments == KVB_YES);
    assert_true(kvb_variable_switch("", &row, &environment) && environment.expandable_segments == KVB_NO);
    assert_false(kvb_variable_switch("perhaps", &row, &environment));
    assert_true(kvb_variable_truth("TRUE", &row, &environment) && environment.expandable_segments == KVB_YES);
    assert_true(kvb_variable_truth("yes", &row, &environment) && environment.expandable_segments == KVB_NO);
    assert_true(kvb_variable_truth("1", &row, &environment) && environment.expandable_segments == KVB_YES);
}

KVB_TEST_MAIN(cmocka_unit_test(no_row_beyond_the_last), cmocka_unit_test(sizes_of_nothing),
              cmocka_unit_test(shares_that_cannot_be_said), cmocka_unit_test(variables_of_pytorch),
              cmocka_unit_test(variables_that_are_settings))
