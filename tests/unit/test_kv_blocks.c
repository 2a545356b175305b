// Blocks that one request holds in a bucket, by hand from max_memory_usage_bytes of vllm/v1/kv_cache_interface.py
// (MambaSpec v0.10.2, v0.11.1, v0.15.0, v0.22.0; SlidingWindowSpec and ChunkedLocalAttentionSpec v0.20.0 and, with
// tokens in flight, v0.26.0; FullAttentionSpec v0.11.0, v0.12.0, v0.26.0; CrossAttentionSpec v0.12.0, v0.13.0), and
// which layers of a group lie on a stage.
#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

static struct kvb_context made(uint32_t release)
{
    make_llama_plan(&plan, release);
    struct kvb_context context = *resolved(&plan);
    context.max_num_batched_tokens = 2048;
    context.speculative_tokens = 0;
    context.async_scheduling = false;
    context.v2_runner = false;
    context.pp = 1;
    context.dcp = 1;
    context.pcp = 1;
    return context;
}

static void blocks_of_states(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_mamba_mode mode;
        uint32_t drafts;
        uint64_t blocks; // of 1000 tokens in blocks of 64: 15.6
    } rows[] = {
        {R(10, 2), KVB_MAMBA_MODE_ALL, 0, 1},   {R(10, 2), KVB_MAMBA_MODE_NONE, 3, 1},
        {R(11, 1), KVB_MAMBA_MODE_NONE, 0, 16}, {R(14, 0), KVB_MAMBA_MODE_NONE, 3, 16},
        {R(15, 0), KVB_MAMBA_MODE_ALL, 3, 16},  {R(21, 0), KVB_MAMBA_MODE_ALL, 3, 16},
        {R(22, 0), KVB_MAMBA_MODE_ALL, 0, 16},  {R(22, 0), KVB_MAMBA_MODE_ALL, 3, 19},
        {R(15, 0), KVB_MAMBA_MODE_ALIGN, 0, 2}, {R(15, 0), KVB_MAMBA_MODE_ALIGN, 3, 5},
        {R(27, 0), KVB_MAMBA_MODE_ALIGN, 3, 5}, {R(15, 0), KVB_MAMBA_MODE_NONE, 0, 1},
        {R(15, 0), KVB_MAMBA_MODE_NONE, 3, 4},  {R(27, 0), KVB_MAMBA_MODE_NONE, 3, 4},
    };
    static const struct kvb_bucket bucket = {.kind = KVB_ATTENTION_MAMBA2, .block_tokens = 64};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_context context = made(rows[i].release);
        context.mamba_mode = rows[i].mode;
        context.speculative_tokens = rows[i].drafts;
        if (kvb_blocks_of(&context, &bucket, 1000) != rows[i].blocks) {
            fail_msg("row %zu: %llu", i, (unsigned long long)kvb_blocks_of(&context, &bucket, 1000));
        }
    }
}

// A window of 1000 in blocks of 16, steps of 2048 tokens: 999 + 2048 = 3047 tokens are 190.4 blocks and one more; two
// steps in flight 5095, 318.4; three 7143, 446.4. A chunk holds 1000 + 2048: 190.5, 318.5 and 446.5.
static void blocks_of_windows(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, pp;
        bool async, v2;
        uint64_t window, chunk;
    } rows[] = {
        {R(20, 0), 1, true, true, 192, 191},   {R(25, 0), 3, true, false, 192, 191},
        {R(26, 0), 1, false, false, 192, 191}, {R(26, 0), 1, true, false, 320, 319},
        {R(26, 0), 1, true, true, 320, 319},   {R(26, 0), 2, false, false, 320, 319},
        {R(26, 0), 2, true, false, 320, 319},  {R(26, 0), 2, true, true, 448, 447},
        {R(26, 0), 3, true, false, 448, 447},  {R(26, 0), 2, false, true, 320, 319},
    };
    static const struct kvb_bucket window = {.kind = KVB_ATTENTION_SLIDING, .window_tokens = 1000, .block_tokens = 16};
    static const struct kvb_bucket packed = {.kind = KVB_ATTENTION_DSV4, .window_tokens = 1000, .block_tokens = 16};
    static const struct kvb_bucket chunk = {.kind = KVB_ATTENTION_CHUNKED, .window_tokens = 1000, .block_tokens = 16};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_context context = made(rows[i].release);
        context.pp = rows[i].pp;
        context.async_scheduling = rows[i].async;
        context.v2_runner = rows[i].v2;
        if (kvb_blocks_of(&context, &window, 100000) != rows[i].window ||
            kvb_blocks_of(&context, &packed, 100000) != rows[i].window ||
            kvb_blocks_of(&context, &chunk, 100000) != rows[i].chunk) {
            fail_msg("row %zu: %llu and %llu", i, (unsigned long long)kvb_blocks_of(&context, &window, 100000),
                     (unsigned long long)kvb_blocks_of(&context, &chunk, 100000));
        }
        assert_int_equal(kvb_blocks_of(&context, &window, 1601), 102); // no longer than the request: 100.06 and one
        assert_int_equal(kvb_blocks_of(&context, &chunk, 1601), 101);
    }
}

// 1001 tokens in blocks of 16 are 62.6; over two ranks 501 are 31.3, over six 167 are 10.4. Prompts over ranks divide
// from 0.12.0 to 0.25.
static void blocks_of_whole_lengths(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, dcp, pcp;
        uint64_t blocks;
    } rows[] = {{R(10, 1), 2, 1, 63}, {R(10, 2), 1, 1, 63}, {R(10, 2), 2, 1, 32}, {R(12, 0), 2, 3, 11},
                {R(11, 0), 2, 3, 32}, {R(25, 0), 2, 3, 11}, {R(26, 0), 2, 3, 32}, {R(26, 0), 1, 3, 63}};
    static const struct kvb_bucket full = {.kind = KVB_ATTENTION_FULL, .block_tokens = 16};
    static const struct kvb_bucket latent = {.kind = KVB_ATTENTION_MLA, .block_tokens = 16};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_context context = made(rows[i].release);
        context.dcp = rows[i].dcp;
        context.pcp = rows[i].pcp;
        assert_int_equal(kvb_blocks_of(&context, &full, 1001), rows[i].blocks);
        assert_int_equal(kvb_blocks_of(&context, &latent, 1001), rows[i].blocks);
    }
}

// What the encoder may take of a step, or its whole length.
static void blocks_across(void **state)
{
    (void)state;
    struct kvb_bucket cross = {.kind = KVB_ATTENTION_CROSS, .window_tokens = 1500, .block_tokens = 16};
    struct kvb_context context = made(R(12, 0));
    assert_int_equal(kvb_blocks_of(&context, &cross, 448), 94); // 93.75
    context = made(R(13, 0));
    assert_int_equal(kvb_blocks_of(&context, &cross, 448), 128); // 2048 / 16
    context = made(R(12, 0));
    cross.window_tokens = 0;
    assert_int_equal(kvb_blocks_of(&context, &cross, 448), 128);
}

// Members first, first + stride, ... below the limit, counted one by one.
static void layers_of_a_group(void **state)
{
    (void)state;
    static struct kvb_bucket bucket = {.before = {0, 5, 5, 9, 20}};
    for (uint32_t first = 0; first < 7; first++) {
        for (uint32_t stride = 1; stride < 6; stride++) {
            for (uint32_t limit = 0; limit <= 21; limit++) {
                struct kvb_group group = {.bucket = &bucket, .first = first, .stride = stride, .limit = limit};
                for (uint32_t stage = 0; stage < 4; stage++) {
                    uint32_t count = 0;
                    for (uint32_t at = bucket.before[stage]; at < bucket.before[stage + 1]; at++) {
                        count += at >= first && at < limit && (at - first) % stride == 0;
                    }
                    assert_int_equal(kvb_group_layers_on(&group, stage), count);
                }
            }
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(blocks_of_states), cmocka_unit_test(blocks_of_windows),
              cmocka_unit_test(blocks_of_whole_lengths), cmocka_unit_test(blocks_across),
              cmocka_unit_test(layers_of_a_group))
