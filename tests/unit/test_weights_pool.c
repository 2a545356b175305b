// What loading into a pool of its own leaves free there, and what vLLM with sleep mode makes of it. Expected values are
// by hand from layers/rotary_embedding/base.py, device_allocator/cumem.py and mem_utils.py at v0.26.0 and v0.27.0.
#include <string.h>

#include "budget/weights/weights.h"
#include "unit/small_weights.h"
#include "unit/test.h"

#define SPLIT (20 * MIB)

static void pooled(uint32_t layers)
{
    make(layers);
    load.exact_allocations = false;
    load.largest_split_bytes = SPLIT;
    load.pooled = true;
    model.rope_cache_count = 0;
}

static uint64_t stranded(void)
{
    (void)counted();
    return weights.stranded_bytes;
}

// ---- Blocks

// 259 MiB take 260, 9 are of a segment that is split: what is given back serves what is less than 20 MiB smaller.
static void blocks_come_back(void **state)
{
    (void)state;
    struct kvb_pool pool = {.largest_split_bytes = SPLIT};
    assert_int_equal(kvb_pool_take(&pool, 259 * MIB), 260 * MIB);
    assert_int_equal(kvb_pool_take(&pool, 9 * MIB), 0);
    assert_int_equal(kvb_pool_free(&pool), 0);
    kvb_pool_give(&pool, 280 * MIB);
    kvb_pool_give(&pool, 260 * MIB);
    assert_int_equal(kvb_pool_take(&pool, 240 * MIB), 240 * MIB);
    assert_int_equal(kvb_pool_take(&pool, 241 * MIB), 260 * MIB); // not 280
    assert_int_equal(kvb_pool_free(&pool), 280 * MIB);
    assert_int_equal(kvb_pool_take(&pool, 280 * MIB), 280 * MIB);
    assert_int_equal(kvb_pool_free(&pool), 0);
    kvb_pool_give(&pool, 260 * MIB);
    kvb_pool_give(&pool, 250 * MIB);
    assert_int_equal(kvb_pool_take(&pool, 249 * MIB), 250 * MIB);
    assert_int_equal(kvb_pool_take(&pool, 249 * MIB), 260 * MIB); // that of 250 is gone
    assert_int_equal(kvb_pool_free(&pool), 0);
    kvb_pool_give(&pool, SPLIT);
    assert_int_equal(kvb_pool_take(&pool, SPLIT - 1), 0);
    assert_int_equal(kvb_pool_take(&pool, SPLIT), SPLIT);
    for (uint32_t i = 0; i < 2 * KVB_POOL_BLOCKS_MAX; i++) {
        kvb_pool_give(&pool, SPLIT);
    }
    assert_int_equal(kvb_pool_free(&pool), KVB_POOL_BLOCKS_MAX * SPLIT);
}

// ---- Loading

// Qwen3.8's: angles, cosines and sines of 1,048,576 x 32 x 4 B are 128 MiB each, the table 256, its copy in 16 bits
// takes one of the three: 512 MiB stay, as an L40S that logs 9.75 GiB has more than a plan without them. Gemma 4's
// second table of 512 wide finds 256 MiB of the first's: 128 + 128 and 256 + 256 + 512 stay.
static void tables(void **state)
{
    (void)state;
    pooled(1);
    model.hidden_size = 512; // no matrix is as large as a part of the table
    model.rope_cache_count = 1;
    model.rope_caches[0] = (struct kvb_rope_cache){1048576, 64};
    assert_int_equal(stranded(), 512 * MIB);
    load.fp32_rope = true; // kept as it is made
    assert_int_equal(stranded(), 0);
    load.fp32_rope = false;
    model.rope_cache_count = 2;
    model.rope_caches[0] = (struct kvb_rope_cache){262144, 256};
    model.rope_caches[1] = (struct kvb_rope_cache){262144, 512};
    assert_int_equal(stranded(), 1280 * MIB);
    load.pooled = false;
    assert_int_equal(stranded(), 0);
}

// A head of 65,536 x 512 x 2 B = 64 MiB that is made for a tied embedding and dropped, on the last stage.
static void tied_heads(void **state)
{
    (void)state;
    pooled(2);
    model.hidden_size = 512;
    model.vocabulary_size = 65536;
    model.tied_embeddings = true;
    assert_int_equal(stranded(), 0);
    load.makes_tied_head = true;
    assert_int_equal(stranded(), 64 * MIB);
    model.tied_embeddings = false;
    assert_int_equal(stranded(), 0);
    model.tied_embeddings = true;
    load.pp = 2;
    load.stage_begin[1] = 1;
    load.stage_begin[2] = 2;
    assert_int_equal(stranded(), 0);
}

// Gate and up of 32,768 x 4,096 in 4 bits are 64 MiB, down 32: laid out anew a block of either stays, and with a copy
// before it one more, however many layers there are.
static void layouts(void **state)
{
    (void)state;
    for (uint32_t layers = 1; layers < 4; layers++) {
        pooled(layers);
        model.hidden_size = 4096;
        model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 16384};
        model.quantisation = (struct kvb_quantisation){
            .method = KVB_QUANT_WNA16, .bits = 4, .group_size = 128, .scale = KVB_SCALE_GROUP, .symmetric = true};
        assert_int_equal(stranded(), 0);
        load.relaid_copies = 1;
        assert_int_equal(stranded(), 96 * MIB);
        load.relaid_copies = 2;
        assert_int_equal(stranded(), 192 * MIB);
        model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_NONE};
        assert_int_equal(stranded(), 0); // what is stored as it is computed with stays as it is
    }
}

// Of two layers, 64 + 32 and 48 + 24 MiB of them, a stage lays out its own. Both on one: the second takes the first's
// blocks, which are less than 20 MiB larger, and leaves its own.
static void layouts_of_stages(void **state)
{
    (void)state;
    pooled(2);
    model.hidden_size = 4096;
    model.kind_count = 2;
    model.kind_of_layer[1] = 1;
    model.kinds[1] = model.kinds[0];
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 16384};
    model.kinds[1].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 12288};
    model.quantisation = (struct kvb_quantisation){
        .method = KVB_QUANT_WNA16, .bits = 4, .group_size = 128, .scale = KVB_SCALE_GROUP, .symmetric = true};
    load.relaid_copies = 1;
    assert_int_equal(stranded(), 72 * MIB);
    load.pp = 2;
    load.stage_begin[1] = 1;
    load.stage_begin[2] = 2;
    assert_int_equal(stranded(), 96 * MIB);
    kvb_weights_count(&load, 1, &weights);
    assert_int_equal(weights.stranded_bytes, 72 * MIB);
}

// Of two free blocks that fit the smaller is taken, whichever came first.
static void the_smallest_block_is_taken(void **state)
{
    (void)state;
    struct kvb_pool pool = {.largest_split_bytes = 20 * MIB, .free_bytes = {110 * MIB, 104 * MIB}, .free_count = 2};
    assert_int_equal(kvb_pool_take(&pool, 100 * MIB), 104 * MIB);
    pool = (struct kvb_pool){.largest_split_bytes = 20 * MIB, .free_bytes = {104 * MIB, 110 * MIB}, .free_count = 2};
    assert_int_equal(kvb_pool_take(&pool, 100 * MIB), 104 * MIB);
    assert_int_equal(kvb_pool_free(&pool), 110 * MIB);
}

// 100 MiB of experts: one block stays whether others copy before or not; of any other matrix two.
static void experts_are_laid_out_without_a_copy(void **state)
{
    (void)state;
    struct kvb_parameter parameter = {.role = KVB_ROLE_EXPERTS, .part_bytes = {100 * MIB}};
    struct kvb_pool pool = {.largest_split_bytes = 20 * MIB};
    kvb_pool_lay_out(&pool, &parameter, 2);
    assert_int_equal(kvb_pool_free(&pool), 100 * MIB);
    parameter.role = KVB_ROLE_ATTENTION;
    pool = (struct kvb_pool){.largest_split_bytes = 20 * MIB};
    kvb_pool_lay_out(&pool, &parameter, 2);
    assert_int_equal(kvb_pool_free(&pool), 200 * MIB);
}

// ---- Sleep mode

static struct kvb_plan plan;
static struct kvb_budget awake, asleep;

static void compute(struct kvb_budget *budget, uint64_t sleeps)
{
    struct kvb_problems problems = {0};
    set(&plan, KVB_SET_ENABLE_SLEEP_MODE, sleeps);
    assert_int_equal(kvb_budget_compute(&plan, budget, &problems), KVB_OK);
}

// Llama-3.1-8B with a table of 1,048,576 x 64: of 128, 128 and 256 MiB that stay, down projections of 112 MiB take the
// first two in the first two layers.
static void plan_asleep(uint32_t release)
{
    make_llama_plan(&plan, release);
    plan.model.rope_caches[0] = (struct kvb_rope_cache){1048576, 64};
    compute(&awake, 0);
    compute(&asleep, 1);
}

static int64_t more(enum kvb_item item)
{
    return asleep.items[item].bytes - awake.items[item].bytes;
}

static void growth_is_less(void **state)
{
    (void)state;
    plan_asleep(R(26, 0));
    assert_int_equal(asleep.weights.stranded_bytes, 256 * MIB);
    assert_int_equal(asleep.released_bytes, 256 * MIB);
    assert_int_equal(awake.released_bytes, 0);
    assert_int_equal(more(KVB_ITEM_NON_TORCH), -256 * (int64_t)MIB);
    assert_int_equal(more(KVB_ITEM_KV_CACHE), 256 * MIB);
    assert_int_equal(more(KVB_ITEM_WEIGHTS), 0);
    assert_int_equal(asleep.requested_bytes, awake.requested_bytes);
    assert_int_equal(asleep.outside_bytes - awake.outside_bytes, 256 * MIB);
    assert_int_equal(asleep.slack_bytes - awake.slack_bytes, -256 * (int64_t)MIB);
    assert_int_equal(asleep.load_peak_bytes - awake.load_peak_bytes, 256 * MIB);
    const struct kvb_term *pool = &asleep.items[KVB_ITEM_KV_CACHE];
    const struct kvb_term *growth = &asleep.items[KVB_ITEM_NON_TORCH];
    assert_true(growth->low_bytes < growth->bytes && growth->bytes < growth->high_bytes);
    assert_true(pool->low_bytes < pool->bytes && pool->bytes < pool->high_bytes);
}

// Growth of used memory counts from 0.27 on, no block is whole before 0.21, and a stated cache asks nothing.
static void where_it_is_counted(void **state)
{
    (void)state;
    plan_asleep(R(27, 0));
    assert_int_equal(asleep.released_bytes, 0);
    assert_int_equal(more(KVB_ITEM_KV_CACHE), 0);
    assert_int_equal(asleep.load_peak_bytes - awake.load_peak_bytes, 256 * MIB);
    plan_asleep(R(20, 0));
    assert_int_equal(asleep.weights.stranded_bytes, 0);
    plan_asleep(R(21, 0));
    assert_int_equal(asleep.released_bytes, 256 * MIB);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB);
    compute(&asleep, 1);
    assert_int_equal(asleep.released_bytes, 0);
    make_llama_plan(&plan, R(26, 0));
    plan.stated[KVB_STATED_NON_TORCH] = (struct kvb_stated_term){.set = true, .bytes = GIB};
    plan.model.rope_caches[0] = (struct kvb_rope_cache){1048576, 64};
    compute(&asleep, 1);
    assert_int_equal(asleep.items[KVB_ITEM_NON_TORCH].bytes, GIB);
}

// Which classes make a tied head (models/gemma3.py and qwen3.py v0.26.0), and what a kernel lays out anew.
static void what_is_dropped(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        enum kvb_quantisation_method method;
        uint32_t capability;
        bool tied;
        uint8_t copies;
    } rows[] = {
        {"Gemma3ForConditionalGeneration", KVB_QUANT_WNA16, 80, true, 2},
        {"LlamaForCausalLM", KVB_QUANT_AWQ, 80, true, 1},
        {"Qwen3ForCausalLM", KVB_QUANT_GPTQ, 90, false, 1},
        {"Qwen3_5ForConditionalGeneration", KVB_QUANT_FP8, 80, false, 2},
        {"Qwen3ForCausalLM", KVB_QUANT_FP8, 89, false, 0},
        {"Qwen3ForCausalLM", KVB_QUANT_NONE, 80, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_context context;
        make_llama_plan(&plan, R(26, 0));
        set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
        name_class(&plan, rows[i].architecture);
        plan.model.quantisation.method = rows[i].method;
        plan.gpu.compute_capability = rows[i].capability;
        kvb_context_fill(&context, &plan);
        kvb_load_fill(&context, &load);
        assert_true(load.pooled);
        assert_int_equal(load.makes_tied_head, rows[i].tied);
        assert_int_equal(load.relaid_copies, rows[i].copies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_back),
        cmocka_unit_test(tables),
        cmocka_unit_test(tied_heads),
        cmocka_unit_test(layouts),
        cmocka_unit_test(layouts_of_stages),
        cmocka_unit_test(growth_is_less),
        cmocka_unit_test(where_it_is_counted),
        cmocka_unit_test(what_is_dropped),
        cmocka_unit_test(experts_are_laid_out_without_a_copy),
        cmocka_unit_test(the_smallest_block_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
