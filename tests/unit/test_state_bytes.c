// Bytes of the states that layers keep, by hand from the shapes of mamba_utils.py, and of V0's, kept for all sequences.
#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

static const struct kvb_attention_shape mamba1 = {
    .kind = KVB_ATTENTION_MAMBA1, .state_inner_size = 8192, .state_key_size = 16, .conv_kernel = 4};
static const struct kvb_attention_shape mamba2 = {.kind = KVB_ATTENTION_MAMBA2,
                                                  .state_inner_size = 8192,
                                                  .state_key_heads = 8,
                                                  .state_key_size = 128,
                                                  .state_value_heads = 128,
                                                  .state_value_size = 64,
                                                  .conv_kernel = 4};
static const struct kvb_attention_shape lightning = {
    .kind = KVB_ATTENTION_LINEAR, .state_value_heads = 64, .state_value_size = 128};
static const struct kvb_attention_shape gdn = {.kind = KVB_ATTENTION_GDN,
                                               .state_key_heads = 16,
                                               .state_key_size = 128,
                                               .state_value_heads = 32,
                                               .state_value_size = 64,
                                               .conv_kernel = 4};
static const struct kvb_attention_shape short_conv = {
    .kind = KVB_ATTENTION_SHORT_CONV, .state_inner_size = 2048, .conv_kernel = 3};

// Taps of the convolution by channels, and the recurrent state; on two ranks half of it. One group of Mamba 2 is copied
// to each of two ranks.
static void bytes_by_kind(void **state)
{
    (void)state;
    const uint64_t channels = 8192 + 2 * 8 * 128, keys = 16 * 128, values = 32 * 64;
    struct kvb_attention_shape kda = gdn, one_group = mamba2;
    kda.kind = KVB_ATTENTION_KDA;
    one_group.state_key_heads = 1;
    const struct {
        const struct kvb_attention_shape *shape;
        uint64_t ssm, tp, bytes;
    } rows[] = {
        {&mamba1, KVB_DTYPE_AUTO, 1, 8192 * (3 * 2 + 16 * 2)},
        {&mamba1, KVB_DTYPE_WORD_FP32, 1, 8192 * (3 * 2 + 16 * 4)},
        {&mamba1, KVB_DTYPE_WORD_FP16, 1, 8192 * (3 * 2 + 16 * 2)},
        {&mamba1, KVB_DTYPE_AUTO, 2, 4096 * (3 * 2 + 16 * 2)},
        {&mamba2, KVB_DTYPE_AUTO, 1, 3 * channels * 2 + 128 * 64 * 128 * 2},
        {&mamba2, KVB_DTYPE_WORD_FP32, 2, 3 * channels / 2 * 2 + 64 * 64 * 128 * 4},
        {&one_group, KVB_DTYPE_AUTO, 1, 3 * (8192 + 2 * 128) * 2 + 128 * 64 * 128 * 2},
        {&one_group, KVB_DTYPE_AUTO, 2, 3 * (4096 + 2 * 128) * 2 + 64 * 64 * 128 * 2},
        {&lightning, KVB_DTYPE_AUTO, 1, 64 * 128 * 128 * 2},
        {&lightning, KVB_DTYPE_WORD_FP32, 2, 32 * 128 * 128 * 2}, // follows the other word
        {&gdn, KVB_DTYPE_AUTO, 1, 3 * (2 * keys + values) * 2 + values * 128 * 2},
        {&gdn, KVB_DTYPE_WORD_FP32, 2, 3 * (2 * keys + values) / 2 * 2 + values / 2 * 128 * 4},
        {&kda, KVB_DTYPE_AUTO, 1, 3 * (2 * keys + values) * 2 + values * 128 * 4},
        {&short_conv, KVB_DTYPE_AUTO, 1, 2048 * 2 * 2},
        {&short_conv, KVB_DTYPE_AUTO, 2, 1024 * 2 * 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.kinds[0].attention = *rows[i].shape;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, rows[i].ssm);
        uint64_t bytes = kvb_state_bytes(resolved(&plan), rows[i].shape);
        if (bytes != rows[i].bytes) {
            fail_msg("row %zu: %llu", i, (unsigned long long)bytes);
        }
    }
    make_llama_plan(&plan, R(16, 0)); // gated_delta_net_state_dtype takes the word from v0.17.0
    plan.model.kinds[0].attention = gdn;
    set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_FP32);
    assert_int_equal(kvb_state_bytes(resolved(&plan), &gdn), 3 * (2 * keys + values) * 2 + values * 128 * 2);
    plan.engine.release = R(17, 0);
    assert_int_equal(kvb_state_bytes(resolved(&plan), &gdn), 3 * (2 * keys + values) * 2 + values * 128 * 4);
    set(&plan, KVB_SET_MAMBA_CACHE_DTYPE, KVB_DTYPE_WORD_FP32);
    assert_int_equal(kvb_state_bytes(resolved(&plan), &gdn), 3 * (2 * keys + values) * 4 + values * 128 * 4);
}

// Tokens drafted lengthen the convolution of delta nets; of Mamba 2 from 0.17 on where the class counts them.
static void drafted_taps(void **state)
{
    (void)state;
    const struct {
        const struct kvb_attention_shape *shape;
        const char *architecture;
        uint32_t release;
        uint64_t taps;
    } rows[] = {{&gdn, "Qwen3NextForCausalLM", R(15, 0), 6},    {&mamba2, "NemotronHForCausalLM", R(17, 0), 6},
                {&mamba2, "NemotronHForCausalLM", R(16, 0), 3}, {&mamba2, "Mamba2ForCausalLM", R(17, 0), 6},
                {&mamba2, "BambaForCausalLM", R(17, 0), 3},     {&mamba1, "NemotronHForCausalLM", R(17, 0), 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, rows[i].architecture);
        plan.model.kinds[0].attention = *rows[i].shape;
        set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_BF16);
        uint64_t without = kvb_state_bytes(resolved(&plan), rows[i].shape);
        struct kvb_attention_shape bare = *rows[i].shape;
        bare.conv_kernel = 0;
        uint64_t taps = without - kvb_state_bytes(resolved(&plan), &bare);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
        uint64_t with = kvb_state_bytes(resolved(&plan), rows[i].shape);
        assert_int_equal((with - without) * 3, taps * (rows[i].taps - 3));
    }
}

// V0: for as many sequences as the graph that holds them, config.py pad_for_cudagraph: 1, 2, 4, then every 8; without
// graphs as many as there are, from v0.6.6 on (mamba_cache.py).
static void states_of_v0(void **state)
{
    (void)state;
    static const uint64_t padded[][2] = {{1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {8, 8}, {9, 16}, {16, 16}, {17, 24}};
    const uint64_t one = 8192 * (3 * 2 + 16 * 2);
    for (size_t i = 0; i < sizeof padded / sizeof padded[0]; i++) {
        make_llama_plan(&plan, R(6, 6));
        plan.model.kinds[0].attention = mamba1;
        set(&plan, KVB_SET_MAX_NUM_SEQS, padded[i][0]);
        assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 32 * one * padded[i][1]);
        set(&plan, KVB_SET_ENFORCE_EAGER, 1);
        assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 32 * one * padded[i][0]);
        plan.engine.release = R(6, 5);
        assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 32 * one * padded[i][1]);
    }
    plan.engine.release = R(5, 4);
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 0);
    plan.engine.release = R(5, 5);
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 32 * one * 24);
    plan.engine.release = R(19, 0);
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 0);
}

// Of two stages each makes its own 16 layers' states; lightning attention's are made for all 32, unpadded.
static void states_of_v0_on_stages(void **state)
{
    (void)state;
    const uint64_t one = 8192 * (3 * 2 + 16 * 2), line = 64 * 128 * 128 * 2;
    make_llama_plan(&plan, R(7, 3));
    plan.model.kinds[0].attention = mamba1;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].attention = lightning;
    plan.model.kind_count = 2;
    plan.model.kind_of_layer[31] = 1;
    plan.model.kind_of_layer[32] = 0; // no layer
    set(&plan, KVB_SET_MAX_NUM_SEQS, 5);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 0), 16 * one * 8 + line * 5);
    assert_int_equal(kvb_early_state_bytes(resolved(&plan), 1), 15 * one * 8 + line * 5);
}

KVB_TEST_MAIN(cmocka_unit_test(bytes_by_kind), cmocka_unit_test(drafted_taps), cmocka_unit_test(states_of_v0),
              cmocka_unit_test(states_of_v0_on_stages))
