// V0's block table, block alignment of hybrids, DeepSeek V4's corners and MLA blocks, by hand.
#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

#define POOL (40 * GIB)

static struct kvb_plan plan;
static struct kvb_budget budget;

static void answer(void)
{
    (void)answer_into(&plan, &budget);
}

// ---- V0

static void make_v0(uint32_t release)
{
    make_llama_plan(&plan, release);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, POOL);
    plan.environment.use_v1 = KVB_NO;
}

// 16 tokens x 32 layers x 4096 B = 2 MiB a block: 4 GiB of swap space are 2048 blocks, 1 GiB 512.
static void v0_swap_and_override(void **state)
{
    (void)state;
    make_v0(R(7, 3));
    answer();
    assert_int_equal(budget.kv.num_blocks, 20480);
    assert_int_equal(budget.kv.cpu_blocks, 2048);
    set(&plan, KVB_SET_SWAP_SPACE, GIB);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 1000);
    answer();
    assert_int_equal(budget.kv.cpu_blocks, 512);
    assert_int_equal(budget.kv.num_blocks, 1000);
    assert_int_equal(budget.kv.tokens, 16000);
    assert_int_equal(budget.kv.groups[0].page_bytes, 16 * 4096);
}

// Two stages: 0.8 shares the blocks among two virtual engines: 20 GiB / 16 layers = 40960 blocks, 20480 usable.
// A page stays that of one layer.
static void v0_stages(void **state)
{
    (void)state;
    make_v0(R(8, 5));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 20 * GIB);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    answer();
    assert_int_equal(budget.kv.num_blocks, 20480);
    assert_int_equal(budget.kv.max_model_len_that_fits, 131072);
    assert_int_equal(budget.kv.groups[0].page_bytes, 16 * 4096);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 8 * GIB); // 8192 blocks, 4096 of them usable: 65536 tokens
    answer();
    assert_false(budget.starts);
    assert_string_equal(budget.error, "The model's max seq len (131072) is larger than the maximum number of tokens "
                                      "that can be stored in KV cache (65536). Try increasing "
                                      "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the "
                                      "engine.");
}

// Layers that read another's cache keep none; a stage full of them stands aside; a model full of them starts.
static void v0_shared(void **state)
{
    (void)state;
    make_v0(R(7, 3));
    plan.model.kind_count = 2;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].attention.shares_kv = true;
    for (uint32_t layer = 16; layer < 32; layer++) {
        plan.model.kind_of_layer[layer] = 1;
    }
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    answer();
    assert_int_equal(budget.kv.bytes_per_block, 16 * 16 * 4096);
    assert_int_equal(budget.kv.groups[0].layers, 16);
    plan.model.kinds[0].attention.shares_kv = true;
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.kv.num_blocks, 0);
}

// The second stage has fewer layers and so more blocks: the first stays the tightest.
static void v0_first_stage_is_tightest(void **state)
{
    (void)state;
    make_v0(R(7, 3));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    plan.environment.layer_partition_count = 2;
    plan.environment.layer_partition[0] = 20;
    plan.environment.layer_partition[1] = 12;
    answer();
    assert_int_equal(budget.tightest_stage, 0);
    assert_int_equal(budget.kv.num_blocks, POOL / (20 * 65536));
}

// DeepSeek-V2-Lite: 576 x 2 = 1152 B from 0.7.0; rounded up to 256 (1280) in 0.7.2 and 0.7.3; expanded to 16 heads
// of 2 x 256 x 2 B before, or when MLA is switched off.
static void v0_latent(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint8_t disabled;
        uint64_t bytes;
    } rows[] = {{R(6, 6), KVB_UNSET, 16384}, {R(7, 0), KVB_UNSET, 1152},
                {R(7, 2), KVB_UNSET, 1280},  {R(7, 3), KVB_UNSET, 1280},
                {R(7, 3), KVB_YES, 16384},   {R(8, 0), KVB_UNSET, 1152}, // worker/cache_engine.py v0.8.0 aligns nothing
                {R(8, 5), KVB_UNSET, 1152}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, 8192, 256);
        plan.environment.use_v1 = KVB_NO;
        plan.environment.mla_disable = rows[i].disabled;
        answer();
        assert_int_equal(budget.kv.bytes_per_block, budget.kv.block_tokens * 32 * rows[i].bytes);
    }
}

// Delta nets, short convolutions and DeepSeek V4 came with V1: V0 has no class for such models.
static void v0_knows_no_later_layers(void **state)
{
    (void)state;
    static const struct {
        enum kvb_attention kind;
        bool starts;
    } rows[] = {{KVB_ATTENTION_GDN, false},  {KVB_ATTENTION_KDA, false}, {KVB_ATTENTION_SHORT_CONV, false},
                {KVB_ATTENTION_DSV4, false}, {KVB_ATTENTION_FULL, true}, {KVB_ATTENTION_MAMBA1, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_v0(R(7, 3));
        plan.model.kinds[0].attention.kind = rows[i].kind;
        plan.model.kinds[0].attention.window_tokens = 128;
        plan.model.kinds[0].attention.conv_kernel = 4;
        answer();
        assert_int_equal(budget.starts, rows[i].starts);
    }
}

// ---- Hybrids

struct align_row {
    const char *what;
    uint32_t release, capability;
    bool latent, caching;
    uint64_t asked_chunk; // --mamba-block-size
    uint32_t chunk;       // of the model
    uint64_t block;
};

// The state: 32 value heads of 128 x 128 x 4 B = 2 MiB (KDA, or Mamba 2 in fp32). A token of 8 heads x 256 x 2 B = 4096
// B: 512 tokens. A latent token of 1152 B: 1821 tokens, rounded up to 64 (1856), 128 (1920) or 16.
static void alignment(void **state)
{
    (void)state;
    static const struct align_row rows[] = {
        {"16", R(10, 2), 90, false, false, 0, 0, 512},
        {"kernel block", R(19, 0), 90, false, false, 0, 0, 512},
        {"latent, Hopper", R(19, 0), 90, true, false, 0, 0, 1856},
        {"latent, Blackwell", R(19, 0), 100, true, false, 0, 0, 1856}, // 128 only when CUTLASS is asked for
        {"latent, largest", R(20, 0), 90, true, false, 0, 0, 1824},
        {"latent, largest of 128", R(27, 0), 90, true, false, 0, 0, 1920},
        {"largest", R(20, 0), 90, false, false, 0, 0, 512},
        {"chunks of the model", R(19, 0), 90, false, true, 0, 384, 768}, // a multiple of 384 that covers 512
        {"chunks asked for", R(19, 0), 90, false, true, 1024, 384, 1024},
        {"chunks unknown", R(19, 0), 90, false, true, 0, 0, 2048},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct align_row *row = &rows[i];
        struct shape shape = {"hybrid", 8, 32, 8, 128, 0, 4, 3, KVB_ATTENTION_KDA, 131072};
        make_model(&shape, &plan.model);
        make_plan(&plan, row->release, POOL, 8192);
        plan.gpu.compute_capability = row->capability;
        plan.model.kinds[0].attention.kind = row->latent ? KVB_ATTENTION_MLA : KVB_ATTENTION_FULL;
        plan.model.kinds[0].attention.latent_rank = 512;
        plan.model.kinds[0].attention.rope_size = 64;
        struct kvb_attention_shape *shape_of_state = &plan.model.kinds[1].attention;
        shape_of_state->state_value_heads = 32;
        shape_of_state->state_value_size = 128;
        shape_of_state->state_key_size = 128;
        shape_of_state->chunk_tokens = row->chunk;
        if (row->caching) {
            shape_of_state->kind = KVB_ATTENTION_MAMBA2;
            set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_FP32);
            set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
            set(&plan, KVB_SET_MAMBA_CACHE_MODE, KVB_MAMBA_MODE_ALL);
        }
        if (row->asked_chunk > 0) {
            set(&plan, KVB_SET_MAMBA_BLOCK_SIZE, row->asked_chunk);
        }
        if (resolved(&plan)->block_tokens != row->block) {
            fail_msg("%s: blocks of %llu", row->what, (unsigned long long)resolved(&plan)->block_tokens);
        }
    }
}

// The layer with the smallest token decides: 2048 B of a second kind need 1024 tokens; states alone need nothing.
static void what_is_aligned(void **state)
{
    (void)state;
    struct shape shape = {"hybrid", 8, 32, 8, 128, 0, 4, 3, KVB_ATTENTION_KDA, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, R(19, 0), POOL, 8192);
    plan.model.kinds[1].attention.state_value_heads = 32;
    plan.model.kinds[1].attention.state_value_size = 128;
    plan.model.kinds[1].attention.state_key_size = 128;
    plan.model.kind_count = 4;
    plan.model.kinds[2] = plan.model.kinds[0];
    plan.model.kinds[2].attention.kv_heads = 4;
    plan.model.kinds[3] = plan.model.kinds[0];
    assert_int_equal(resolved(&plan)->block_tokens, 1024);
    make_model(&shape, &plan.model);
    make_plan(&plan, R(19, 0), POOL, 8192);
    plan.model.kinds[0].attention = plan.model.kinds[1].attention;
    plan.model.kinds[0].attention.state_value_heads = 32;
    assert_int_equal(resolved(&plan)->block_tokens, 16);
}

// Blocks of state layers a request: 0.15 to 0.21 with all blocks kept ceil(8192 / 512) = 16; later one per draft
// token more.
static void state_blocks_kept(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t blocks;
    } rows[] = {{R(19, 0), 16}, {R(22, 0), 16 + 2}};
    for (size_t i = 0; i < 2; i++) {
        struct shape shape = {"hybrid", 8, 32, 8, 128, 0, 4, 3, KVB_ATTENTION_KDA, 131072};
        make_model(&shape, &plan.model);
        make_plan(&plan, rows[i].release, POOL, 8192);
        plan.model.kinds[1].attention.state_value_heads = 32;
        plan.model.kinds[1].attention.state_value_size = 128;
        plan.model.kinds[1].attention.state_key_size = 128;
        plan.model.kinds[1].attention.kind = KVB_ATTENTION_MAMBA2;
        plan.model.kinds[1].attention.chunk_tokens = 512;
        set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_FP32);
        set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
        set(&plan, KVB_SET_MAMBA_CACHE_MODE, KVB_MAMBA_MODE_ALL);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        answer();
        assert_int_equal(budget.kv.groups[1].kind, KVB_ATTENTION_MAMBA2);
        assert_int_equal(budget.kv.groups[1].blocks_per_request, rows[i].blocks);
    }
}

// Cross attention: the encoder's tokens to 0.12, or the batch when they are not known; from 0.13 the batch.
static void cross_attention_blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, window;
        uint64_t blocks;
    } rows[] = {{R(12, 0), 1504, 94}, {R(12, 0), 0, 512}, {R(13, 0), 1504, 512}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct shape shape = {"Whisper", 8, 32, 8, 128, rows[i].window, 2, 0, KVB_ATTENTION_CROSS, 131072};
        make_model(&shape, &plan.model);
        make_plan(&plan, rows[i].release, POOL, 4096);
        answer();
        assert_int_equal(budget.kv.groups[1].blocks_per_request, rows[i].blocks);
    }
}

// ---- DeepSeek V4 and the sparse index

static void make_v4(uint32_t layers, uint32_t ratio_even, uint32_t ratio_odd)
{
    struct shape shape = {"v4", layers, 64, 1, 512, 128, 2, 0, KVB_ATTENTION_DSV4, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, R(23, 0), POOL, 8192);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    for (int i = 0; i < 2; i++) {
        struct kvb_attention_shape *attention = &plan.model.kinds[i].attention;
        attention->kind = KVB_ATTENTION_DSV4;
        attention->window_tokens = 128;
        attention->compress_ratio = i == 0 ? ratio_even : ratio_odd;
        attention->index_head_size = 128;
    }
}

// Without compression only windows are kept: pages of 64 x 584 = 37376 B, rounded up to 576: 37440.
static void v4_windows_alone(void **state)
{
    (void)state;
    make_v4(4, 0, 0);
    answer();
    assert_int_equal(budget.kv.group_count, 1);
    assert_int_equal(budget.kv.bytes_per_block, 4 * 37440);
    // two lengths of windows are two classes
    plan.model.kinds[1].attention.window_tokens = 256;
    answer();
    assert_int_equal(budget.kv.group_count, 2);
}

// Ratio 128 before ratio 4: the small latent page (2 x 584 -> 1728) comes first and stays its own.
static void v4_small_latent_first(void **state)
{
    (void)state;
    make_v4(4, 128, 4);
    answer();
    assert_true(budget.starts);
    uint64_t forward = budget.kv.bytes_per_block;
    make_v4(4, 4, 128);
    answer();
    assert_int_equal(budget.kv.bytes_per_block, forward);
    make_v4(4, 128, 128); // no latent page covers a window: it keeps its own
    answer();
    assert_true(budget.starts);
}

// An index 568 wide has entries of 568 + 4 x 4 = 584 B like a latent: equal pages, yet two caches.
static void v4_index_like_a_latent(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(20, 0), R(23, 0), R(27, 1)};
    for (size_t i = 0; i < 3; i++) {
        make_v4(4, 4, 4);
        plan.engine.release = releases[i];
        plan.model.kinds[0].attention.index_head_size = 568;
        plan.model.kinds[1].attention.index_head_size = 568;
        answer();
        assert_true(budget.starts);
        uint32_t groups = budget.kv.group_count;
        set(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1);
        answer();
        assert_int_equal(budget.kv.group_count, groups);
    }
}

// Two windows before two layers of ratio 4, on a stage each: no latent page to count in on the first, so the blocks of
// all groups: 8192 / 256 = 32, twice (128 - 1 + 8192) / 64 and one more, and of the compressor 8192 / 4 and one more.
static void v4_stage_without_latents(void **state)
{
    (void)state;
    make_v4(4, 0, 4);
    for (uint32_t layer = 0; layer < 4; layer++) {
        plan.model.kind_of_layer[layer] = layer >= 2;
    }
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    answer();
    assert_int_equal(budget.kv.blocks_per_request, 32 + 2 * 129 + 2049);
}

// One compressed layer among 400 windows would be 400 groups: refused, not cut.
static void v4_too_many_groups(void **state)
{
    (void)state;
    make_v4(400, 0, 4);
    for (uint32_t layer = 0; layer < 400; layer++) {
        plan.model.kind_of_layer[layer] = layer == 0;
    }
    answer();
    assert_false(budget.starts);
}

// GLM-5.2 from 0.24: only layers with an indexer of their own keep an index of 132 B a token.
static void shared_index(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool own;
        uint64_t bytes;
    } rows[] = {
        {R(23, 0), false, 1152 + 132}, {R(24, 0), false, 1152}, {R(24, 0), true, 1152 + 132}, {R(10, 2), true, 1152}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, 8192, 256);
        plan.model.kinds[0].attention.index_heads = 64;
        plan.model.kinds[0].attention.index_head_size = 128;
        plan.model.kinds[0].attention.has_indexer = rows[i].own;
        answer();
        assert_int_equal(budget.kv.bytes_per_block, budget.kv.block_tokens * 32 * rows[i].bytes);
    }
    // the index of full attention (MiniMax-M3) does not make the blocks of a latent layer sparse ones
    struct shape shape = {"mixed", 8, 32, 8, 128, 0, 2, 0, KVB_ATTENTION_MLA, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, R(19, 0), POOL, 8192);
    plan.model.kinds[0].attention.index_heads = 4;
    plan.model.kinds[1].attention.latent_rank = 512;
    plan.model.kinds[1].attention.rope_size = 64;
    assert_int_equal(resolved(&plan)->block_tokens, 16);
}

// Two kinds alike in bytes but not in heads (8 of 128, 4 of 256) stay apart, also when windows become full.
static void same_bytes_other_heads(void **state)
{
    (void)state;
    struct shape shape = {"twins", 8, 32, 8, 128, 1024, 2, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, R(19, 0), POOL, 8192);
    plan.model.kinds[1].attention.kv_heads = 4;
    plan.model.kinds[1].attention.head_size = 256;
    plan.model.kinds[1].attention.value_head_size = 256;
    set(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1);
    answer();
    assert_int_equal(budget.kv.group_count, 1);
    assert_int_equal(budget.kv.bytes_per_block, 8 * 65536);
    plan.model.kinds[1].attention.kind = KVB_ATTENTION_FULL;
    answer();
    assert_int_equal(budget.kv.bytes_per_block, 8 * 65536);
}

KVB_TEST_MAIN(cmocka_unit_test(v0_swap_and_override), cmocka_unit_test(v0_stages), cmocka_unit_test(v0_shared),
              cmocka_unit_test(v0_first_stage_is_tightest), cmocka_unit_test(v0_latent),
              cmocka_unit_test(v0_knows_no_later_layers), cmocka_unit_test(alignment),
              cmocka_unit_test(what_is_aligned), cmocka_unit_test(state_blocks_kept),
              cmocka_unit_test(cross_attention_blocks), cmocka_unit_test(v4_windows_alone),
              cmocka_unit_test(v4_stage_without_latents), cmocka_unit_test(v4_small_latent_first),
              cmocka_unit_test(v4_index_like_a_latent), cmocka_unit_test(v4_too_many_groups),
              cmocka_unit_test(shared_index), cmocka_unit_test(same_bytes_other_heads))
