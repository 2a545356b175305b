// Answers at the very bounds of a pool: what is just held, what just is not, and points of the concurrency by length.
// Llama-3.1-8B: a token takes 32 layers x 2 x 8 x 128 x 2 B = 128 KiB, a block of 16 takes 2 MiB, 8192 tokens 1 GiB.
#include <string.h>

#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static void ask(uint32_t release, uint64_t pool_bytes, uint64_t length, uint64_t stages)
{
    make_llama_plan(&plan, release);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, pool_bytes);
    set(&plan, KVB_SET_MAX_MODEL_LEN, length);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, stages);
    (void)answer_into(&plan, &budget);
}

// 64 layers on 64 stages, the most there are: each has one, and a block of 16 tokens takes 16 x 2 x 8 x 128 x 2 B = 64
// KiB.
static void as_many_stages_as_there_can_be(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(10, 2), R(19, 0)};
    static const struct shape deep = {"deep", 64, 32, 8, 128, 0, 1, 0, KVB_ATTENTION_FULL, 131072};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        make_model(&deep, &plan.model);
        make_plan(&plan, releases[i], GIB, 8192);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 64);
        (void)answer_into(&plan, &budget);
        assert_true(budget.starts);
        assert_int_equal(budget.kv.num_blocks, GIB / (64 << 10));
    }
}

// One byte less is a block less. Two stages have half a block each: 0.10.2 lays them out apart, later ones together.
static void just_held(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(10, 2), R(12, 0), R(19, 0), R(27, 1)};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        for (uint64_t stages = 1; stages <= 2; stages++) {
            ask(releases[i], GIB / stages, 8192, stages);
            assert_true(budget.starts);
            assert_int_equal(budget.balance_bytes, 0);
            assert_int_equal(budget.kv.num_blocks, 512);
            assert_int_equal(budget.kv.max_concurrency_hundredths, 100);
            ask(releases[i], GIB / stages - 1, 8192, stages);
            assert_false(budget.starts);
            assert_int_equal(budget.balance_bytes, -1);
            assert_int_equal(budget.kv.num_blocks, 511);
            assert_non_null(strstr(budget.error, "To serve at least one request"));
        }
    }
}

// kv_cache_utils.py v0.19.0 check_enough_kv_cache_memory: none at all has a sentence of its own, on whichever stage.
static void nothing_left(void **state)
{
    (void)state;
    static const int64_t pools[][2] = {{0, 1 << 30}, {1 << 30, 0}, {-1, 1 << 30}, {1 << 30, -1}};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        int64_t given[KVB_STAGES_MAX] = {pools[i][0], pools[i][1]};
        make_llama_plan(&plan, i % 2 == 0 ? R(19, 0) : R(12, 0));
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        memset(&budget, 0, sizeof budget);
        kvb_kv_answer_v1(resolved(&plan), given, &budget);
        assert_false(budget.starts);
        assert_int_equal(budget.tightest_stage, i % 2);
        assert_int_equal(budget.kv.num_blocks, 0);
        assert_non_null(strstr(budget.error, "No available memory for the cache blocks"));
    }
}

// The longest that is held is found when none is named: 512 blocks of 16, on one stage or two.
static void length_by_itself(void **state)
{
    (void)state;
    for (uint64_t stages = 1; stages <= 2; stages++) {
        ask(R(19, 0), GIB / stages, KVB_AUTO, stages);
        assert_true(budget.starts);
        assert_int_equal(budget.kv.auto_max_model_len, 8192);
        ask(R(19, 0), GIB / stages - 1, KVB_AUTO, stages);
        assert_int_equal(budget.kv.auto_max_model_len, 8176);
    }
}

// Halvings of the longest length down to 1024, eight points at most: 4 GiB hold 32,768 tokens.
static void points_by_length(void **state)
{
    (void)state;
    static const struct {
        uint64_t length;
        uint32_t points;
        uint64_t first;
    } rows[] = {{8192, 4, 1024}, {2048, 2, 1024}, {2047, 1, 2047}, {1024, 1, 1024}, {131072, 8, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask(R(19, 0), 32 * GIB, rows[i].length, 1);
        assert_int_equal(budget.kv.frontier_count, rows[i].points);
        assert_int_equal(budget.kv.frontier[0].length_tokens, rows[i].first);
        for (uint32_t k = 0; k < rows[i].points; k++) {
            uint64_t length = budget.kv.frontier[k].length_tokens;
            assert_int_equal(length, rows[i].length >> (rows[i].points - 1 - k));
            if (length % 16 == 0) {
                assert_int_equal(budget.kv.frontier[k].concurrency_hundredths, 262144 * 100 / length);
            }
        }
    }
}

// --num-gpu-blocks-override: 100 blocks that 0.19.0 prints and 0.20.1 checks with, too; 0.9.1 does not look at it.
static void given_blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t blocks;
        bool starts;
    } rows[] = {{R(9, 1), 512, true}, {R(9, 2), 100, true}, {R(19, 0), 100, true}, {R(20, 1), 100, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t stages = 1; stages <= 2; stages++) {
            make_llama_plan(&plan, rows[i].release);
            set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 100);
            set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB / stages);
            set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, stages);
            plan.environment.use_v1 = KVB_YES;
            (void)answer_into(&plan, &budget);
            if (budget.kv.num_blocks != rows[i].blocks || budget.starts != rows[i].starts) {
                fail_msg("row %zu: %llu blocks, %s", i, (unsigned long long)budget.kv.num_blocks, budget.error);
            }
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(as_many_stages_as_there_can_be), cmocka_unit_test(just_held),
              cmocka_unit_test(nothing_left), cmocka_unit_test(length_by_itself), cmocka_unit_test(points_by_length),
              cmocka_unit_test(given_blocks))
