// Bytes of one token and of one state by format, release and kind, by hand.
#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

struct format_row {
    enum kvb_kv_dtype format;
    enum kvb_dtype dtype;
    uint64_t bytes; // keys and values of one head of 128 + 128
};

// Per-token-head formats add two fp32 scales; nvfp4 one byte in 16; TurboQuant packs key bits and a norm of 2 B,
// value bits and a scale of 4 B: k8v4 128 + 64 + 4, 4bit 64 + 2 + 64 + 4, k3v4 48 + 2 + 64 + 4, 3bit 48 + 2 + 48 + 4.
static void formats(void **state)
{
    (void)state;
    static const struct format_row rows[] = {
        {KVB_KV_AUTO, KVB_DTYPE_BF16, 512},
        {KVB_KV_AUTO, KVB_DTYPE_FP32, 1024},
        {KVB_KV_16BIT, KVB_DTYPE_FP32, 512},
        {KVB_KV_FP8, KVB_DTYPE_BF16, 256},
        {KVB_KV_FP8_DS_MLA, KVB_DTYPE_BF16, 256},
        {KVB_KV_INT8_PER_TOKEN_HEAD, KVB_DTYPE_BF16, 264},
        {KVB_KV_FP8_PER_TOKEN_HEAD, KVB_DTYPE_BF16, 264},
        {KVB_KV_INT4_PER_TOKEN_HEAD, KVB_DTYPE_BF16, 136},
        {KVB_KV_NVFP4, KVB_DTYPE_BF16, 144},
        {KVB_KV_TURBOQUANT_K8V4, KVB_DTYPE_BF16, 196},
        {KVB_KV_TURBOQUANT_4BIT_NC, KVB_DTYPE_BF16, 134},
        {KVB_KV_TURBOQUANT_K3V4_NC, KVB_DTYPE_BF16, 118},
        {KVB_KV_TURBOQUANT_3BIT_NC, KVB_DTYPE_BF16, 102},
        {KVB_KV_COUNT, KVB_DTYPE_BF16, 0}, // not a format
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(kvb_kv_head_bytes(rows[i].format, rows[i].dtype, 128, 128), rows[i].bytes);
    }
}

struct sparse_row {
    uint32_t release, capability;
    bool v32;
    enum kvb_kv_dtype format;
    uint64_t bytes;
};

// A latent of 512 + 64: 1152 B at 16 bits, 576 at fp8, 656 in DeepSeek's own layout (512 + 16 + 128).
static void sparse_latents(void **state)
{
    (void)state;
    static const struct sparse_row rows[] = {
        {R(10, 2), 90, true, KVB_KV_AUTO, 1152}, // the layout does not exist yet
        {R(11, 0), 90, true, KVB_KV_AUTO, 656},        {R(11, 0), 90, true, KVB_KV_FP8, 656},
        {R(11, 0), 90, false, KVB_KV_FP8, 576},        {R(11, 0), 90, true, KVB_KV_16BIT, 1152},
        {R(12, 0), 90, true, KVB_KV_AUTO, 1152},       {R(12, 0), 90, true, KVB_KV_FP8, 656},
        {R(12, 0), 90, false, KVB_KV_FP8, 576},        {R(18, 0), 90, false, KVB_KV_FP8, 656},
        {R(18, 0), 100, true, KVB_KV_FP8, 576},        {R(18, 0), 90, true, KVB_KV_AUTO, 1152},
        {R(19, 0), 90, false, KVB_KV_FP8_DS_MLA, 656},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, 8192, 256);
        (void)strcpy(plan.model.architecture, rows[i].v32 ? "DeepseekV32ForCausalLM" : "GlmMoeDsaForCausalLM");
        plan.model.kinds[0].attention.index_heads = 64;
        plan.model.kinds[0].attention.index_head_size = 128;
        plan.gpu.compute_capability = rows[i].capability;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].format);
        uint64_t bytes = kvb_mla_token_bytes(resolved(&plan), &plan.model.kinds[0].attention);
        if (bytes != rows[i].bytes) {
            fail_msg("release %u: %llu bytes", rows[i].release, (unsigned long long)bytes);
        }
    }
}

// Forms that windows and chunks do not know: a byte an element, int4 with its scales of 8 B; nvfp4 windows from 0.21.
static void windows_of_packed_forms(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_attention kind;
        enum kvb_kv_dtype format;
        uint64_t bytes; // of one of 8 heads of 128
    } rows[] = {
        {R(27, 1), KVB_ATTENTION_SLIDING, KVB_KV_INT4_PER_TOKEN_HEAD, 256 + 8},
        {R(27, 1), KVB_ATTENTION_CHUNKED, KVB_KV_INT4_PER_TOKEN_HEAD, 128 + 8},
        {R(20, 2), KVB_ATTENTION_SLIDING, KVB_KV_NVFP4, 256},
        {R(21, 0), KVB_ATTENTION_SLIDING, KVB_KV_NVFP4, 128 + 16},
        {R(20, 2), KVB_ATTENTION_FULL, KVB_KV_NVFP4, 128 + 16},
        {R(27, 1), KVB_ATTENTION_SLIDING, KVB_KV_TURBOQUANT_K8V4, 256},
        {R(27, 1), KVB_ATTENTION_CHUNKED, KVB_KV_TURBOQUANT_K8V4, 256},
        {R(27, 1), KVB_ATTENTION_FULL, KVB_KV_TURBOQUANT_K8V4, 196},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.kinds[0].attention.kind = rows[i].kind;
        plan.model.kinds[0].attention.window_tokens = 1024;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].format);
        assert_int_equal(kvb_layer_token_bytes(resolved(&plan), &plan.model.kinds[0].attention), 8 * rows[i].bytes);
    }
}

// Values of another size than keys count from 0.14 in full attention, from 0.20 in windows; before, keys' size.
static void value_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_attention kind;
        uint32_t value_size;
        uint64_t bytes; // 8 heads
    } rows[] = {
        {R(13, 0), KVB_ATTENTION_FULL, 64, 8 * 256 * 2},    {R(14, 0), KVB_ATTENTION_FULL, 64, 8 * 192 * 2},
        {R(14, 0), KVB_ATTENTION_SLIDING, 64, 8 * 256 * 2}, {R(20, 0), KVB_ATTENTION_SLIDING, 64, 8 * 192 * 2},
        {R(20, 0), KVB_ATTENTION_FULL, 0, 8 * 256 * 2},     {R(20, 0), KVB_ATTENTION_ENCODER, 64, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.kinds[0].attention.kind = rows[i].kind;
        plan.model.kinds[0].attention.window_tokens = 1024;
        plan.model.kinds[0].attention.value_head_size = rows[i].value_size;
        assert_int_equal(kvb_layer_token_bytes(resolved(&plan), &plan.model.kinds[0].attention), rows[i].bytes);
    }
}

struct state_row {
    const char *what;
    uint32_t release;
    enum kvb_attention kind;
    const char *architecture;
    uint64_t tp, conv_dtype, state_dtype; // words; 0 = auto
    bool config_fp32;
    uint64_t bytes;
};

// 16 key heads of 128, 32 value heads of 128, 4 taps, inner 4096, state size 128, 8 groups for Mamba2.
// GDN and KDA: 3 x (2 x 2048 + 4096) + 4096 x 128 elements. Mamba1: 4096 x 3 and 4096 x 128.
// Mamba2: 3 x (4096 + 2 x 16 x 128) and 4096 x 128. Linear: 32 x 128 x 128. Short: 4096 x 3.
static const struct state_row state_rows[] = {
    {"GDN", R(19, 0), KVB_ATTENTION_GDN, "x", 1, 0, 0, false, 3 * 8192 * 2 + 4096 * 128 * 2},
    {"GDN of a class that reads its config", R(17, 0), KVB_ATTENTION_GDN, "Qwen3_5MoeForConditionalGeneration", 1, 0, 0,
     true, 3 * 8192 * 2 + 4096 * 128 * 4},
    {"GDN, before", R(16, 0), KVB_ATTENTION_GDN, "Qwen3_5MoeForConditionalGeneration", 1, 0, 0, true,
     3 * 8192 * 2 + 4096 * 128 * 2},
    {"GDN of another class", R(27, 1), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM", 1, 0, 0, true,
     3 * 8192 * 2 + 4096 * 128 * 2},
    {"GDN, flag", R(19, 0), KVB_ATTENTION_GDN, "x", 1, 0, KVB_DTYPE_WORD_FP32, false, 3 * 8192 * 2 + 4096 * 128 * 4},
    {"GDN, flag before 0.17", R(16, 0), KVB_ATTENTION_GDN, "x", 1, 0, KVB_DTYPE_WORD_FP32, false,
     3 * 8192 * 2 + 4096 * 128 * 2},
    {"GDN, both 32 bit", R(19, 0), KVB_ATTENTION_GDN, "x", 1, KVB_DTYPE_WORD_FP32, 0, false,
     3 * 8192 * 4 + 4096 * 128 * 4},
    {"GDN, state 16 bit", R(19, 0), KVB_ATTENTION_GDN, "x", 1, 0, KVB_DTYPE_WORD_BF16, true,
     3 * 8192 * 2 + 4096 * 128 * 2},
    {"KDA keeps fp32", R(19, 0), KVB_ATTENTION_KDA, "x", 1, 0, 0, false, 3 * 8192 * 2 + 4096 * 128 * 4},
    {"KDA, tp 4", R(19, 0), KVB_ATTENTION_KDA, "x", 4, 0, 0, false, 3 * 2048 * 2 + 1024 * 128 * 4},
    {"Mamba1", R(19, 0), KVB_ATTENTION_MAMBA1, "x", 1, 0, 0, false, 4096 * (3 * 2 + 128 * 2)},
    {"Mamba2", R(19, 0), KVB_ATTENTION_MAMBA2, "x", 1, 0, 0, false, 3 * 8192 * 2 + 4096 * 128 * 2},
    {"KDA takes no flag", R(19, 0), KVB_ATTENTION_KDA, "x", 1, 0, KVB_DTYPE_WORD_BF16, false,
     3 * 8192 * 2 + 4096 * 128 * 4},
    {"Mamba2, nobody reads the config", R(19, 0), KVB_ATTENTION_MAMBA2, "x", 1, 0, 0, true,
     3 * 8192 * 2 + 4096 * 128 * 2},
    // NemotronHForCausalLMConfig: nothing to 0.12, the config's or fp16 from 0.13, the config's or fp32 from 0.20
    {"Nemotron-H, config unread", R(12, 0), KVB_ATTENTION_MAMBA2, "NemotronHForCausalLM", 1, 0, 0, true,
     3 * 8192 * 2 + 4096 * 128 * 2},
    {"Nemotron-H, config read", R(13, 0), KVB_ATTENTION_MAMBA2, "NemotronHForCausalLM", 1, 0, 0, true,
     3 * 8192 * 2 + 4096 * 128 * 4},
    {"Nemotron-H, fp16", R(19, 1), KVB_ATTENTION_MAMBA2, "NemotronHForCausalLM", 1, 0, 0, false,
     3 * 8192 * 2 + 4096 * 128 * 2},
    {"Nemotron-H, fp32", R(20, 0), KVB_ATTENTION_MAMBA2, "NemotronHForCausalLM", 1, 0, 0, false,
     3 * 8192 * 2 + 4096 * 128 * 4},
    {"Nemotron-H Nano VL to 0.19", R(19, 1), KVB_ATTENTION_MAMBA2, "NemotronH_Nano_VL_V2", 1, 0, 0, true,
     3 * 8192 * 2 + 4096 * 128 * 2},
    {"lightning attention takes mamba_cache_dtype", R(19, 0), KVB_ATTENTION_LINEAR, "x", 1, KVB_DTYPE_WORD_FP32,
     KVB_DTYPE_WORD_BF16, false, 32 * 128 * 128 * 4},
    // 16 groups over 32 ranks: each rank has one, 32 in all: 3 x (4096 + 2 x 32 x 128) / 32
    {"Mamba2, tp 32", R(19, 0), KVB_ATTENTION_MAMBA2, "x", 32, 0, 0, false, 3 * 384 * 2 + 128 * 128 * 2},
    {"linear", R(19, 0), KVB_ATTENTION_LINEAR, "x", 1, 0, 0, false, 32 * 128 * 128 * 2},
    {"short convolution", R(19, 0), KVB_ATTENTION_SHORT_CONV, "x", 1, 0, 0, false, 4096 * 3 * 2},
    {"full attention has none", R(19, 0), KVB_ATTENTION_FULL, "x", 1, 0, 0, false, 0},
};

static void states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof state_rows / sizeof state_rows[0]; i++) {
        const struct state_row *row = &state_rows[i];
        make_llama_plan(&plan, row->release);
        (void)strcpy(plan.model.architecture, row->architecture);
        plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = row->kind,
                                                                     .heads = 32,
                                                                     .state_key_heads = 16,
                                                                     .state_key_size = 128,
                                                                     .state_value_heads = 32,
                                                                     .state_value_size = 128,
                                                                     .state_inner_size = 4096,
                                                                     .conv_kernel = 4};
        plan.model.state_dtype_known = row->config_fp32;
        plan.model.state_dtype = KVB_DTYPE_FP32;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, row->tp);
        set(&plan, KVB_SET_MAMBA_CACHE_DTYPE, row->conv_dtype);
        set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, row->state_dtype);
        uint64_t bytes = kvb_state_bytes(resolved(&plan), &plan.model.kinds[0].attention);
        if (bytes != row->bytes) {
            fail_msg("%s: %llu bytes", row->what, (unsigned long long)bytes);
        }
    }
}

// Drafts widen the convolution by their tokens: 3 + 2 taps; without a kernel there are none.
static void taps_of_drafts(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    *shape = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_GDN, .state_value_heads = 32, .state_value_size = 128, .conv_kernel = 4};
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    assert_int_equal(kvb_state_bytes(resolved(&plan), shape), 5 * 4096 * 2);
    shape->conv_kernel = 0;
    assert_int_equal(kvb_state_bytes(resolved(&plan), shape), 0);
}

static uint64_t need_of_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                               uint64_t length)
{
    (void)context;
    (void)sizing;
    (void)stage;
    return (length + 15) / 16 * 7;
}

// A window: nothing more behind 100 tokens, and a share that is always there.
static uint64_t need_of_window(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                               uint64_t length)
{
    uint64_t held = length < 100 ? length : 100;
    return 40 + need_of_blocks(context, sizing, stage, held) + length / 64;
}

static uint64_t need_of_leap(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                             uint64_t length)
{
    return length < 130 ? need_of_blocks(context, sizing, stage, length) : 100000;
}

// The same length as trying one after the other, wherever the pool ends.
static void longest_lengths(void **state)
{
    (void)state;
    kvb_need_function *const needs[] = {need_of_blocks, need_of_window, need_of_leap};
    static const uint64_t limits[] = {0, 1, 15, 16, 17, 129, 130, 131, 1000};
    struct kvb_context context = {.block_tokens = 16};
    for (size_t i = 0; i < sizeof needs / sizeof needs[0] * sizeof limits / sizeof limits[0]; i++) {
        kvb_need_function *need = needs[i % 3];
        uint64_t limit = limits[i / 3];
        for (uint64_t pool = 0; pool < 500; pool++) {
            uint64_t longest = 0;
            while (longest < limit && need(&context, NULL, 0, longest + 1) <= pool) {
                longest++;
            }
            assert_int_equal(kvb_longest(&context, NULL, 0, pool, limit, need), longest);
        }
    }
}

static unsigned looks;

static uint64_t counted_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                             uint64_t length)
{
    looks++;
    return need_of_blocks(context, sizing, stage, length) * 160;
}

// With what 4,096 tokens more would need.
static uint64_t shifted_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                             uint64_t length)
{
    return counted_need(context, sizing, stage, length + 4096);
}

// The search asks seldom. Looks by hand: at the limit, at the guess, at steps of 32 tokens that double, and at halves
// of the last. A block of 16 tokens needs 1,120 bytes: 70 a token.
static void few_looks(void **state)
{
    (void)state;
    static const struct {
        kvb_need_function *need;
        uint64_t pool, limit, longest;
        unsigned looks;
    } rows[] = {
        {counted_need, 3500000, 131072, 50000, 1 + 1 + 1 + 5},  // the guess is right; one step on, 32 tokens in halves
        {counted_need, 3499999, 131072, 49984, 1 + 1 + 1 + 5},  // and is not: one step back
        {shifted_need, 3500000, 131072, 45904, 1 + 1 + 7 + 11}, // 72 a token: 48,611, and 2,048 is the seventh step
        {counted_need, 3360, 80, 48, 1 + 1 + 5},                // 32 tokens are left behind the guess
        {counted_need, 100, 80, 0, 1 + 1},                      // the guess is 1, and not held
    };
    struct kvb_context context = {.block_tokens = 16};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        looks = 0;
        uint64_t longest = kvb_longest(&context, NULL, 0, rows[i].pool, rows[i].limit, rows[i].need);
        if (longest != rows[i].longest || looks != rows[i].looks) {
            fail_msg("row %zu: %llu after %u looks", i, (unsigned long long)longest, looks);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(few_looks), cmocka_unit_test(longest_lengths), cmocka_unit_test(formats),
              cmocka_unit_test(sparse_latents), cmocka_unit_test(windows_of_packed_forms),
              cmocka_unit_test(value_sizes), cmocka_unit_test(states), cmocka_unit_test(taps_of_drafts))
