// Blocks of V0 over several stages, counted by hand: worker/cache_engine.py get_cache_block_size and
// worker/worker.py determine_num_available_blocks v0.7.3; the check of the length from v0.2.7 on, whose blocks virtual
// engines share from v0.8.0 on.
#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

#define PAGE 65536 // 2 x 8 heads x 128 x 16 tokens x 2 B of one layer

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_context context;

// Llama-3.1-8B of which the first of two stages has so many layers.
static void make(uint32_t release, uint32_t first_layers)
{
    make_llama_plan(&plan, release);
    plan.environment.use_v1 = KVB_NO;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, first_layers < 32 ? 2 : 1);
    context = *resolved(&plan);
    context.stage_begin[1] = (uint16_t)first_layers;
    memset(&budget, 0, sizeof budget);
}

static void answer(uint64_t first_bytes, uint64_t second_bytes)
{
    const int64_t pools[KVB_STAGES_MAX] = {(int64_t)first_bytes, (int64_t)second_bytes};
    kvb_kv_answer_v0(&context, pools, &budget);
}

// The tightest stage has the say; of stages alike it is the first. Swapped blocks are as large as those of the widest.
static void tightest_and_widest(void **state)
{
    (void)state;
    static const struct {
        uint32_t first_layers;
        uint64_t pools_gib[2], blocks, block_layers, cpu_blocks;
        uint32_t tightest;
    } rows[] = {
        {16, {10, 10}, 10240, 16, 4096, 0}, // 1 MiB a block on both
        {16, {10, 9}, 9216, 16, 4096, 1},
        {8, {4, 15}, 8192, 8, 2730, 0}, // 0.5 and 1.5 MiB: 4 GiB of swap are 2730.7 of the larger
        {24, {15, 4}, 8192, 8, 2730, 1},
        {24, {12, 40}, 8192, 24, 2730, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(R(7, 3), rows[i].first_layers);
        answer(rows[i].pools_gib[0] * GIB, rows[i].pools_gib[1] * GIB);
        assert_true(budget.starts);
        assert_int_equal(budget.kv.num_blocks, rows[i].blocks);
        assert_int_equal(budget.kv.bytes_per_block, rows[i].block_layers * PAGE);
        assert_int_equal(budget.kv.cpu_blocks, rows[i].cpu_blocks);
        assert_int_equal(budget.tightest_stage, rows[i].tightest);
        assert_int_equal(budget.kv.groups[0].layers, 32);
        assert_int_equal(budget.kv.groups[0].page_bytes, PAGE);
        assert_int_equal(budget.kv.blocks_per_request, 512);
        assert_int_equal(budget.needed_bytes, 512 * rows[i].block_layers * PAGE);
    }
}

// 8192 tokens are 512 blocks of 16.
static void lengths(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, first_layers;
        uint64_t blocks;
        bool starts;
        uint64_t longest;
    } rows[] = {
        {R(2, 6), 32, 0, false, 0},      {R(7, 3), 16, 0, false, 0},      {R(2, 6), 32, 511, true, 8176},
        {R(2, 7), 32, 511, false, 8176}, {R(2, 7), 32, 512, true, 8192},  {R(7, 3), 16, 512, true, 8192},
        {R(7, 3), 16, 511, false, 8176}, {R(8, 0), 16, 1024, true, 8192}, {R(8, 0), 16, 1023, false, 8176},
        {R(8, 0), 32, 512, true, 8192},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release, rows[i].first_layers);
        uint64_t pool = rows[i].blocks * rows[i].first_layers * PAGE;
        const int64_t pools[KVB_STAGES_MAX] = {(int64_t)pool, (int64_t)pool};
        answer(pool, pool);
        assert_int_equal(budget.starts, rows[i].starts);
        assert_int_equal(kvb_kv_longest_v0(&context, pools), rows[i].longest);
        set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 300);
        assert_int_equal(kvb_kv_longest_v0(&context, pools), // halves of 300 where virtual engines share
                         rows[i].release == R(8, 0) && rows[i].first_layers < 32 ? 150 * 16 : 300 * 16);
    }
}

// What is wished for counts its own requests and its own length, each by hand: blocks of 2 MiB.
static void wishes(void **state)
{
    (void)state;
    static const struct {
        uint64_t length, hundredths, blocks_hundredths;
    } rows[] = {{0, 0, 0}, {4096, 0, 25600}, {0, 200, 102400}, {4097, 150, 38550}, {1, 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(R(7, 3), 32);
        plan.need.length_tokens = rows[i].length;
        plan.need.concurrency_hundredths = (uint32_t)rows[i].hundredths;
        answer(10 * GIB, 0);
        assert_int_equal(budget.kv.wanted_bytes, (rows[i].blocks_hundredths * 32 * PAGE + 99) / 100);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(tightest_and_widest), cmocka_unit_test(lengths), cmocka_unit_test(wishes))
