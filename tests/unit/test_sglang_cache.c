// From a pool of tokens to what is said of the cache: what one request needs, how many run at once, groups of layers.
// Figures by hand, from cells and pools made for it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/cache.h"
#include "unit/kv_models.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_sgl_context c;
static struct kvb_sgl_stage stage;
static struct kvb_budget budget;

// 100.5 bytes a token, 10,000 tokens in pages of 16, 50 requests; 4 layers.
static void start(uint64_t length)
{
    static const struct shape shape = {"m", 4, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    memset(&plan, 0, sizeof plan);
    memset(&c, 0, sizeof c);
    make_model(&shape, &plan.model);
    c.plan = &plan;
    c.setup = (struct kvb_sgl_setup){.release = KVB_RELEASE(0, 5, 12),
                                     .model = &plan.model,
                                     .tp = 1,
                                     .pp = 1,
                                     .dp = 1,
                                     .context_tokens = length,
                                     .state_ratio_ppm = 900000};
    stage = (struct kvb_sgl_stage){
        .cell = {.token_micro = 100500000, .full_bytes = 400, .full_layers = 4},
        .pool = {.tokens = 10000, .page_tokens = 16, .requests = 50},
    };
}

static void fill(void)
{
    memset(&budget, 0, sizeof budget);
    kvb_sgl_cache_fill(&c, &stage, &budget);
}

// Whole millions to the byte, the rest by the next whole number of bytes: never less than it takes.
static void needed(void **state)
{
    (void)state;
    start(10);
    fill();
    assert_int_equal(budget.needed_bytes, 10 * 101);
    assert_int_equal(budget.kv.really_needed_bytes, 10 * 101);
    start(2000003);
    fill();
    assert_int_equal(budget.needed_bytes, 2 * 100500000 + 3 * 101);
    stage.pool.fixed_bytes = 7;
    fill();
    assert_int_equal(budget.needed_bytes, 2 * 100500000 + 3 * 101 + 7);
    assert_int_equal(budget.kv.bytes_per_token, 100);
    assert_int_equal(budget.kv.bytes_per_block, 1600);
}

// Three slots of 1,000 bytes a request, or 0.9 of what tokens take where that is more.
static void needed_states(void **state)
{
    (void)state;
    start(10);
    stage.cell.state_bytes = 1000;
    stage.pool.state_slots = 9;
    fill();
    assert_int_equal(budget.needed_bytes, 1010 + 3000);
    stage.pool.state_slots = 0;
    fill();
    assert_int_equal(budget.needed_bytes, 1010 + 900);
    stage.pool.state_slots = 9;
    c.setup.context_tokens = 2000003;
    fill();
    assert_int_equal(budget.needed_bytes, 201000303 + 180900000); // 201,000 x 900
    stage.cell.state_bytes = 60300000;                            // three of them are as much
    fill();
    assert_int_equal(budget.needed_bytes, 201000303 + 180900000);
    stage.cell.state_bytes = 60300001;
    fill();
    assert_int_equal(budget.needed_bytes, 201000303 + 180900003);
}

// --need-len and --need-concurrency: 4.5 requests of 10 tokens are 45.
static void wanted(void **state)
{
    (void)state;
    start(1000);
    fill();
    assert_int_equal(budget.kv.wanted_bytes, 0);
    plan.need.length_tokens = 10;
    fill();
    assert_int_equal(budget.kv.wanted_bytes, 10 * 101);
    plan.need.concurrency_hundredths = 455; // 45.5
    fill();
    assert_int_equal(budget.kv.wanted_bytes, 46 * 101);
    plan.need.length_tokens = 0;
    fill();
    assert_int_equal(budget.kv.wanted_bytes, 4550 * 101);
    assert_int_equal(budget.needed_bytes, 1000 * 101);
}

static void at_once(void **state)
{
    (void)state;
    start(1000);
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 1000);
    stage.pool.requests = 10; // exactly as many
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 1000);
    stage.pool.requests = 9;
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 900);
    stage.cell.windows = true; // a window and a page of each request: 128 + 16 of 1,000
    stage.cell.window_tokens = 128;
    stage.pool.window_tokens = 1000;
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 694);
    stage.pool.window_tokens = 0;
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 900);
    stage.pool.window_tokens = 1;
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 0);
    stage.cell.windows = false;
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 900);
    stage.cell.state_bytes = 1; // three slots each
    stage.pool.state_slots = 20;
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 666);
    start(100); // shorter than a window
    stage.cell.windows = true;
    stage.cell.window_tokens = 128;
    stage.pool.window_tokens = 1000;
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 1000);
    start(0);
    fill();
    assert_int_equal(budget.kv.max_concurrency_hundredths, 5000);
}

static void blocks(void **state)
{
    (void)state;
    start(1000);
    fill();
    assert_int_equal(budget.kv.num_blocks, 625);
    assert_int_equal(budget.kv.tokens, 10000);
    assert_int_equal(budget.kv.block_tokens, 16);
    assert_int_equal(budget.kv.blocks_per_request, 63);
    assert_int_equal(budget.kv.max_model_len_that_fits, 10000);
    plan.model.context_tokens = 4000;
    fill();
    assert_int_equal(budget.kv.max_model_len_that_fits, 4000);
    stage.pool.tokens = 9999;
    fill();
    assert_int_equal(budget.kv.num_blocks, 624);
    assert_int_equal(budget.kv.group_count, 1);
    assert_int_equal(budget.kv.groups[0].kind, KVB_ATTENTION_FULL);
    assert_int_equal(budget.kv.groups[0].layers, 4);
    assert_int_equal(budget.kv.groups[0].page_bytes, 1600); // 100 bytes of a layer
    assert_int_equal(budget.kv.groups[0].block_tokens, 16);
    assert_int_equal(budget.kv.groups[0].blocks_per_request, 63);
}

static void groups_of_windows(void **state)
{
    (void)state;
    start(1000);
    stage.cell.window_layers = 2;
    stage.cell.window_bytes = 60;
    stage.cell.window_tokens = 100;
    fill();
    assert_int_equal(budget.kv.group_count, 2);
    assert_int_equal(budget.kv.groups[1].kind, KVB_ATTENTION_SLIDING);
    assert_int_equal(budget.kv.groups[1].layers, 2);
    assert_int_equal(budget.kv.groups[1].page_bytes, 480);
    assert_int_equal(budget.kv.groups[1].window_tokens, 100);
    assert_int_equal(budget.kv.groups[1].block_tokens, 16);
    assert_int_equal(budget.kv.groups[1].blocks_per_request, 7);
    c.setup.context_tokens = 32;
    fill();
    assert_int_equal(budget.kv.groups[1].blocks_per_request, 2);
    stage.cell.full_layers = 0; // windows alone
    fill();
    assert_int_equal(budget.kv.group_count, 1);
    assert_int_equal(budget.kv.groups[0].kind, KVB_ATTENTION_SLIDING);
    stage.cell.compressed = true; // DeepSeek V4 says all of its layers
    fill();
    assert_int_equal(budget.kv.group_count, 2);
    assert_int_equal(budget.kv.groups[0].kind, KVB_ATTENTION_DSV4);
    assert_int_equal(budget.kv.groups[0].layers, 4);
    start(1000);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MLA;
    fill();
    assert_int_equal(budget.kv.groups[0].kind, KVB_ATTENTION_MLA);
}

// Halves of the length down to 1,024 tokens.
static void frontier(void **state)
{
    (void)state;
    start(8192);
    stage.pool.requests = 4096;
    fill();
    assert_int_equal(budget.kv.frontier_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(budget.kv.frontier[i].length_tokens, 1024 << i);
        assert_int_equal(budget.kv.frontier[i].concurrency_hundredths, 1000000 / (1024 << i));
    }
    c.setup.context_tokens = 2048;
    fill();
    assert_int_equal(budget.kv.frontier_count, 2);
    c.setup.context_tokens = 2047;
    fill();
    assert_int_equal(budget.kv.frontier_count, 1);
    assert_int_equal(budget.kv.frontier[0].length_tokens, 2047);
    c.setup.context_tokens = UINT64_C(1) << 40; // as many as there is room for
    fill();
    assert_int_equal(budget.kv.frontier_count, KVB_FRONTIER_MAX);
    assert_int_equal(budget.kv.frontier[KVB_FRONTIER_MAX - 1].length_tokens, UINT64_C(1) << 40);
    assert_int_equal(budget.kv.frontier[0].length_tokens, UINT64_C(1) << (40 - KVB_FRONTIER_MAX + 1));
}

KVB_TEST_MAIN(cmocka_unit_test(needed), cmocka_unit_test(needed_states), cmocka_unit_test(wanted),
              cmocka_unit_test(at_once), cmocka_unit_test(blocks), cmocka_unit_test(groups_of_windows),
              cmocka_unit_test(frontier))
