// Bytes of one token and the tokens of the pool: worked by hand from the released code (sgl-project/sglang), and starts
// whose logs print what was free before and after loading.
#include <string.h>

#include <kvbudget/units.h>

#include "engines/sglang/pool.h"
#include "unit/sglang_cells.h"
#include "unit/test.h"

#define GIB_OF(hundredths) ((uint64_t)(hundredths) * (UINT64_C(1) << 30) / 100)

// ---- One token

struct plain_row {
    struct shape shape;
    uint32_t release, tp, dp, element_bytes;
    bool four_bits, fp8, mxfp8;
    uint64_t bytes;
    const char *source;
};

#define DENSE(layers, kv_heads, size)                                                                                  \
    {                                                                                                                  \
        "m", layers, 64, kv_heads, size, 0, 0, 0, KVB_ATTENTION_NONE, 131072                                           \
    }

static const struct plain_row plain_rows[] = {
    // 0.4.1.post7, model_runner.py, profile_max_num_token: heads x size x layers x 2 x element
    {DENSE(32, 8, 128), R(4, 1) + 7, 1, 1, 2, false, false, false, 131072, "Llama-3.1-8B on H100, 0.4.1.post7"},
    {DENSE(64, 8, 128), R(4, 3) + 4, 4, 1, 2, false, false, false, 65536, "QwQ-32B on 4 L4, issue 4127"},
    {DENSE(40, 8, 128), R(5, 12), 2, 1, 1, false, true, false, 40960, "Devstral 24B on 2 RTX 3090, fp8"},
    {DENSE(32, 8, 128), R(5, 15), 1, 1, 1, false, true, false, 65536, "ModelOpt Llama-3.1-8B-FP8"},
    {DENSE(28, 2, 128), R(5, 12), 1, 1, 2, false, false, false, 28672, "Qwen2.5-1.5B"},
    {DENSE(28, 2, 128), R(5, 12), 1, 1, 1, false, true, false, 14336, "Qwen2.5-1.5B, fp8_e4m3"},
    // 0.5.12, pool_configurator.py: half of the fp8 bytes and a byte for each 16 elements: 7168 + 896
    {DENSE(28, 2, 128), R(5, 12), 1, 1, 1, true, false, false, 8064, "Qwen2.5-1.5B, fp4_e2m1"},
    // 0.5.16: one fp8 workspace beside it: 2 heads x 128 x 2
    {DENSE(28, 2, 128), R(5, 16), 1, 1, 1, true, false, false, 8064 + 512, "0.5.16, pool_configurator.py"},
    // 0.5.17: a thirty-second more: 65536 + 2048
    {DENSE(32, 8, 128), R(5, 17), 1, 1, 1, false, false, true, 67584, "0.5.17, pool_configurator.py"},
    {DENSE(80, 8, 128), R(3, 0), 8, 1, 2, false, false, false, 40960, "Qwen2-72B on 8 H100, issue 1386"},
    {DENSE(80, 8, 128), R(4, 3) + 4, 2, 1, 2, false, false, false, 163840, "Nemotron 70B on 2 cards, issue 4351"},
    {DENSE(28, 32, 80), R(2, 12), 1, 1, 2, false, false, false, 286720, "XVERSE-MoE on A800, issue 1109"},
    {DENSE(28, 4, 128), R(4, 2) + 1, 1, 1, 2, false, false, false, 57344, "R1-Distill-Qwen-7B, 0.4.2.post1"},
    {DENSE(24, 16, 64), R(4, 8), 1, 1, 2, false, false, false, 98304, "bge-m3, issue 7590"},
    {DENSE(28, 8, 128), R(4, 10), 1, 1, 2, false, false, false, 114688, "Qwen3-0.6B, 0.4.10"},
    {DENSE(40, 8, 128), R(5, 1), 4, 1, 2, false, false, false, 40960, "Qwen3-14B on 4 cards, 0.5.1"},
    // 0.5.8, model_config.py, get_num_kv_heads: at least one head a GPU; with dp attention each group has all ranks /
    // dp
    {DENSE(32, 2, 128), R(5, 8), 8, 1, 2, false, false, false, 16384, "0.5.8: one head: 256 x 2 x 32"},
    {DENSE(32, 8, 128), R(5, 8), 8, 8, 2, false, false, false, 131072, "0.5.8: dp attention: all 8 heads"},
};

static void plain_cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plain_rows / sizeof plain_rows[0]; i++) {
        static struct kvb_model model;
        const struct plain_row *row = &plain_rows[i];
        struct kvb_sgl_setup setup;
        make_model(&row->shape, &model);
        make_setup(&setup, &model, row->release, row->tp);
        setup.dp = row->dp;
        setup.dp_attention = row->dp > 1;
        setup.element_bytes = row->element_bytes;
        setup.four_bits = row->four_bits;
        setup.fp8_cache = row->fp8;
        setup.mxfp8 = row->mxfp8;
        if (cell_bytes(&setup) != row->bytes) {
            print_error("%s: %llu\n", row->source, (unsigned long long)cell_bytes(&setup));
        }
        assert_int_equal(cell_bytes(&setup), row->bytes);
    }
}

// One latent vector for all heads, on every rank.
static void latent_cells(void **state)
{
    (void)state;
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    make_mla(&model, 27, 0);
    make_setup(&setup, &model, R(5, 15), 1);
    assert_int_equal(cell_bytes(&setup), 31104); // DeepSeek-V2-Lite: 576 x 27 x 2
    setup.element_bytes = 1;
    setup.tp = 8;
    assert_int_equal(cell_bytes(&setup), 15552);
    setup.four_bits = true; // 0.5.8, model_runner_kv_cache_mixin.py: (288 + 36) x 27
    assert_int_equal(cell_bytes(&setup), 324 * 27);

    make_mla(&model, 61, 128); // DeepSeek V3.2: an index of 128 + 4 bytes beside it from 0.5.3.post1 on
    make_setup(&setup, &model, R(5, 3), 8);
    assert_int_equal(cell_bytes(&setup), 576 * 2 * 61);
    setup.release = R(5, 4);
    assert_int_equal(cell_bytes(&setup), (576 * 2 + 132) * 61);
    setup.element_bytes = 1;
    setup.fp8_cache = true;
    assert_int_equal(cell_bytes(&setup), (576 + 132) * 61);
    setup.release = R(5, 18); // kv_cache_configurator.py, calculate_mla_kv_cache_dim: 512 + 16 + 128
    assert_int_equal(cell_bytes(&setup), (656 + 132) * 61);
    model.kinds[0].attention.has_indexer = false;
    assert_int_equal(cell_bytes(&setup), 656 * 61);
}

// Draft layers enter from 0.5.14 on: DeepSeek V3 with one module: 61 + 1 layers.
static void draft_cells(void **state)
{
    (void)state;
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    make_mla(&model, 61, 0);
    make_setup(&setup, &model, R(5, 13), 8);
    setup.draft = KVB_SGL_DRAFT_EAGLE;
    setup.draft_layers = 1;
    setup.draft_named = true;
    assert_int_equal(cell_bytes(&setup), 70272);
    setup.release = R(5, 14);
    assert_int_equal(cell_bytes(&setup), 70272 + 1152);
    setup.draft = KVB_SGL_DRAFT_NGRAM;
    assert_int_equal(cell_bytes(&setup), 70272);
}

// ---- Windows

// Gemma 4 31B at tp 2: 10 full layers of 4 heads x 512 and 50 window layers of 16 x 256; 12B: 8 of 1 x 512, 40 of 8 x
// 256.
static void make_gemma4(struct kvb_model *model, bool large)
{
    static const struct shape big = {"m", 60, 32, 4, 512, 1024, 6, 5, KVB_ATTENTION_SLIDING, 262144};
    static const struct shape small = {"m", 48, 16, 1, 512, 1024, 6, 5, KVB_ATTENTION_SLIDING, 262144};
    make_model(large ? &big : &small, model);
    (void)strcpy(model->architecture,
                 large ? "Gemma4ForConditionalGeneration" : "Gemma4UnifiedForConditionalGeneration");
    model->kinds[1].attention.kv_heads = large ? 16 : 8;
    model->kinds[1].attention.head_size = 256;
    model->kinds[1].attention.value_head_size = 256;
}

struct window_row {
    bool large;
    uint32_t ratio_ppm, fraction_ppm, element_bytes;
    uint32_t after_hundredths;
    uint64_t tokens, window_tokens; // as logged
    uint64_t most_bytes;            // how far the pool may be off: both models lose a constant
};

// Public logs of 0.5.12 on two RTX 3090, 22.91 GiB free before loading: "Use sliding window memory pool.
// full_layer_tokens=..., swa_layer_tokens=..." (github.com/mattbucci/2x-3090-GA102-300-A1-sglang-inference).
static const struct window_row window_rows[] = {
    {false, 30000, 850000, 2, 1750, 706807, 21204, 48 << 20},
    {false, 62500, 850000, 2, 1750, 565446, 35340, 48 << 20},
    {false, 100000, 850000, 2, 1750, 459425, 45942, 48 << 20},
    {false, 250000, 850000, 2, 1750, 262528, 65632, 48 << 20},
    {false, 500000, 850000, 2, 1750, 153141, 76570, 48 << 20},
    {false, 800000, 850000, 2, 1750, 102094, 81675, 48 << 20},
    {true, 30000, 850000, 2, 1184, 167877, 5036, 84 << 20},
    {true, 50000, 920000, 1, 1184, 347053, 17352, 84 << 20},
    {true, 62500, 850000, 2, 1184, 134302, 8393, 84 << 20},
    {true, 100000, 850000, 2, 1184, 109120, 10912, 84 << 20},
};

static void window_pools(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof window_rows / sizeof window_rows[0]; i++) {
        static struct kvb_model model;
        const struct window_row *row = &window_rows[i];
        struct kvb_sgl_setup setup;
        struct kvb_sgl_cell cell;
        struct kvb_sgl_pool pool;
        struct kvb_sgl_defaults defaults = {.fraction_ppb = (uint64_t)row->fraction_ppm * 1000, .page_tokens = 1};
        make_gemma4(&model, row->large);
        make_setup(&setup, &model, R(5, 12), 2);
        setup.window_ratio_ppm = row->ratio_ppm;
        setup.element_bytes = row->element_bytes;
        kvb_sgl_cell_of(&setup, 0, model.layer_count, &cell);
        assert_true(cell.windows);
        kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2291), (int64_t)GIB_OF(row->after_hundredths), &pool);
        assert_int_equal(row->tokens * row->ratio_ppm / 1000000, row->window_tokens); // int(ratio x full)
        uint64_t off = (pool.tokens - row->tokens) * cell.token_micro / 1000000;
        assert_true(pool.tokens >= row->tokens && off < row->most_bytes);
        assert_int_equal(pool.window_tokens, pool.tokens * row->ratio_ppm / 1000000);
    }
}

// 0.5.8, set_num_tokens_hybrid_swa, gpt-oss-20b: 24 layers of 8 heads x 64, every second with a window: 49,152 bytes.
// 10 GiB // 49152 = 218,453 tokens x 24 layers / (0.8 x 12 + 12) = 242,725; 0.8 of it 194,180.
static void uniform_windows(void **state)
{
    (void)state;
    static const struct shape shape = {"m", 24, 64, 8, 64, 128, 2, 1, KVB_ATTENTION_SLIDING, 131072};
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    struct kvb_sgl_cell cell;
    struct kvb_sgl_pool pool;
    struct kvb_sgl_defaults defaults = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 1};
    make_model(&shape, &model);
    (void)strcpy(model.architecture, "GptOssForCausalLM");
    make_setup(&setup, &model, R(5, 8), 1);
    kvb_sgl_cell_of(&setup, 0, 24, &cell);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(cell.uniform_bytes, 49152);
    assert_int_equal(pool.tokens, 242725);
    assert_int_equal(pool.window_tokens, 194180);
    // 0.5.9: 10 GiB // (24576 + 0.8 x 24576) = 242,725 as well: all layers are alike
    setup.release = R(5, 9);
    kvb_sgl_cell_of(&setup, 0, 24, &cell);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(pool.tokens, 242725);
    // 100 GiB, 1 + 0.8 of 24,576 bytes a token: 2,427,259 tokens, and 0.8 of them
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(20000), (int64_t)GIB_OF(10000), &pool);
    assert_int_equal(pool.tokens, 2427259);
    assert_int_equal(pool.window_tokens, 1941807);
    // to 0.5.7 its pools are switched off: 10 GiB // 49152
    setup.release = R(5, 7);
    kvb_sgl_cell_of(&setup, 0, 24, &cell);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(pool.tokens, 218453);
    // 0.5.18: a window pool that does not hold a window and a page is refused: 80 x 0.8 = 64 tokens
    setup.release = R(5, 18);
    setup.max_total_tokens = 80;
    kvb_sgl_cell_of(&setup, 0, 24, &cell);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(pool.refusal, KVB_SGL_WINDOW_SMALL);
    setup.release = R(5, 16);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(pool.refusal, KVB_SGL_STARTS);
    setup.release = R(5, 18);
    setup.max_total_tokens = 162; // x 0.8 = 129: window and page, of 1, and nothing beside them
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(pool.window_tokens, 129);
    assert_int_equal(pool.refusal, KVB_SGL_WINDOW_SMALL);
    setup.max_total_tokens = 163;
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(pool.window_tokens, 130);
    assert_int_equal(pool.refusal, KVB_SGL_STARTS);
    assert_int_equal(pool.held_bytes, (163 + 130) * 24576); // 12 layers of each kind x 8 heads x 64 x 2 x 2 B
}

// 0.5.14, SWAChunkCapPoolConfigurator: 4 requests x (128 window + 128 eviction + 1 page + 1) + 2 x 2048 + 1 = 5,129
// tokens of 24,576 bytes; the full pool has (1 GiB - that) // 24,576 = 38,561.
static void capped_windows(void **state)
{
    (void)state;
    static const struct shape shape = {"m", 24, 64, 8, 64, 128, 2, 1, KVB_ATTENTION_SLIDING, 131072};
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    struct kvb_sgl_cell cell;
    struct kvb_sgl_pool pool;
    struct kvb_sgl_defaults defaults = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 1, .chunk_tokens = 2048};
    make_model(&shape, &model);
    (void)strcpy(model.architecture, "GptOssForCausalLM");
    make_setup(&setup, &model, R(5, 14), 1);
    setup.no_radix = true;
    setup.max_running_requests = 4;
    kvb_sgl_cell_of(&setup, 0, 24, &cell);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(100), &pool);
    assert_int_equal(pool.window_tokens, 5129);
    assert_int_equal(pool.tokens, 38561);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(10), &pool);
    assert_int_equal(pool.refusal, KVB_SGL_WINDOW_CAP);
}

// ---- Recurrent state

// A 27B model with 48 GDN and 16 full layers: a slot is 48 x (3 x (2 x 2048 + 6144) x 2 + 48 x 128 x 128 x 4) bytes.
static void make_gdn(struct kvb_model *model)
{
    static const struct shape shape = {"m", 64, 24, 4, 256, 0, 4, 3, KVB_ATTENTION_GDN, 262144};
    make_model(&shape, model);
    struct kvb_attention_shape *attention = &model->kinds[1].attention;
    attention->state_key_heads = 16;
    attention->state_key_size = 128;
    attention->state_value_heads = 48;
    attention->state_value_size = 128;
    attention->conv_kernel = 4;
}

// A public start of 0.5.18 on an H100: 78.48 before, 50.01 after, fraction 0.85: 124 slots, 17.92 GiB of state and
// 330,323 tokens. The log says 0.06 GiB less than this arithmetic, which stands at 125.01 slots.
static void state_slots(void **state)
{
    (void)state;
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    struct kvb_sgl_cell cell;
    struct kvb_sgl_pool pool;
    struct kvb_sgl_defaults defaults = {.fraction_ppb = 850000000, .page_tokens = 1};
    make_gdn(&model);
    make_setup(&setup, &model, R(5, 18), 1);
    setup.multimodal = true;
    kvb_sgl_cell_of(&setup, 0, 64, &cell);
    assert_int_equal(cell.state_bytes, UINT64_C(48) * (61440 + 3145728));
    assert_int_equal(cell.full_bytes, 65536);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(7848), (int64_t)GIB_OF(5001), &pool);
    assert_in_range(pool.state_slots, 124, 125);
    uint64_t logged_bytes = 125 * cell.state_bytes + UINT64_C(330323) * 65536;
    uint64_t counted_bytes = pool.state_bytes + pool.tokens * 65536;
    assert_in_range(counted_bytes - logged_bytes, 0, (UINT64_C(1) << 30) * 7 / 100);
    // nothing left at all is asked before states are (_profile_available_bytes); a byte holds no state
    setup.multimodal = false;
    defaults.fraction_ppb = 500000000;
    kvb_sgl_pool_of(&setup, &defaults, &cell, 1000000000, 500000000, &pool);
    assert_int_equal(pool.rest_bytes, 0);
    assert_int_equal(pool.refusal, KVB_SGL_NO_MEMORY);
    kvb_sgl_pool_of(&setup, &defaults, &cell, 1000000000, 500000001, &pool);
    assert_int_equal(pool.refusal, KVB_SGL_NO_STATE);
}

// 10 GiB for a slot of 146 MiB-odd (153,944,064 B), ratio 0.9: the budget is 10 x 0.9 / 1.9 GiB = 5,086,145,084 B.
static void state_by_release(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t drafts, slots;
        const char *rule;
    } rows[] = {
        {R(5, 4), 0, 33, "int(budget // slot)"},
        {R(5, 4), 2, 11, "0.5.4, model_runner.py: // (1 + drafts)"},
        {R(5, 8), 0, 33, "0.5.8"},
        {R(5, 8), 2, 25, "0.5.8: 8 requests x 2 drafts first: (10 GiB - 16 slots) x 0.9 / 1.9 = 3,919,411,523"},
        {R(5, 13), 0, 33, "0.5.13"},
        {R(5, 13), 2, 19, "0.5.13: budget // (slot x (1 + 2 / 3))"},
        {R(5, 18), 0, 32, "0.5.18: one padding slot first"},
        {R(5, 18), 2, 18, "0.5.18: (budget - slot x 3) // (slot x 5 / 3)"},
    };
    static struct kvb_model model;
    make_gdn(&model);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_sgl_setup setup;
        struct kvb_sgl_cell cell;
        struct kvb_sgl_pool pool;
        struct kvb_sgl_defaults defaults = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 1};
        make_setup(&setup, &model, rows[i].release, 1);
        setup.draft = rows[i].drafts > 0 ? KVB_SGL_DRAFT_EAGLE : KVB_SGL_DRAFT_NONE;
        setup.draft_tokens = rows[i].drafts;
        setup.max_running_requests = rows[i].drafts > 0 ? 8 : 0;
        kvb_sgl_cell_of(&setup, 0, 64, &cell);
        kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(1000), (int64_t)GIB_OF(1000), &pool);
        if (pool.state_slots != rows[i].slots) {
            print_error("%s: %llu\n", rows[i].rule, (unsigned long long)pool.state_slots);
        }
        assert_int_equal(pool.state_slots, rows[i].slots);
    }
}

// model_runner.py, handle_max_mamba_cache: ten slots over two groups are five for each, but for the states of Mamba 2
// from 0.5.3.post2 to 0.5.6.
static void slots_of_groups(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool mamba;
        uint64_t slots;
    } rows[] = {{R(5, 3) + 1, true, 5}, {R(5, 3) + 2, true, 10}, {R(5, 6) + 2, true, 10}, {R(5, 7), true, 5},
                {R(5, 18), true, 5},    {R(5, 3) + 2, false, 5}, {R(5, 6) + 2, false, 5}};
    static struct kvb_model model;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_sgl_setup setup;
        struct kvb_sgl_cell cell;
        struct kvb_sgl_pool pool;
        struct kvb_sgl_defaults defaults = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 1};
        make_gdn(&model);
        model.kinds[1].attention.kind = rows[i].mamba ? KVB_ATTENTION_MAMBA2 : KVB_ATTENTION_GDN;
        make_setup(&setup, &model, rows[i].release, 2);
        setup.dp = 2;
        setup.dp_attention = setup.no_radix = true;
        setup.state_slots = 10;
        kvb_sgl_cell_of(&setup, 0, 64, &cell);
        kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(4000), (int64_t)GIB_OF(4000), &pool);
        if (pool.state_slots != rows[i].slots) {
            fail_msg("row %zu: %llu", i, (unsigned long long)pool.state_slots);
        }
    }
}

// ---- Starts by their logs

struct start_row {
    struct shape shape;
    uint32_t release, tp, element_bytes, fraction_ppm, before, after; // hundredths of a GiB
    uint64_t tokens;
    const char *source;
};

static const struct start_row start_rows[] = {
    {DENSE(32, 8, 128), R(4, 1) + 7, 1, 2, 880000, 7881, 6372, 444500, "Llama-3.1-8B on H100"},
    {DENSE(40, 8, 128), R(5, 12), 2, 1, 900000, 2291, 1000, 202093, "Devstral 24B AWQ on 2 RTX 3090"},
    {DENSE(64, 8, 128), R(4, 3) + 4, 4, 2, 850000, 2163, 609, 46611, "issue 4127"},
    {DENSE(28, 32, 80), R(2, 12), 1, 2, 880000, 7894, 3065, 79301, "issue 1109"},
    {DENSE(32, 8, 128), R(4, 6) + 5, 1, 2, 871796, 13920, 12423, 871371, "issue 6753"},
    {DENSE(24, 16, 64), R(4, 8), 1, 2, 800000, 3076, 2966, 256568, "issue 7590"},
    {DENSE(28, 2, 128), R(5, 10), 1, 2, 850000, 4401, 4099, 1287482, "Qwen2.5-1.5B on a 48 GB card"},
    {DENSE(40, 8, 128), R(5, 1), 4, 2, 800000, 2308, 1600, 298447, "Qwen3-14B on 4 cards of 24 GB"},
    {DENSE(28, 4, 128), R(4, 2) + 1, 1, 2, 880000, 2276, 837, 105531, "R1-Distill-Qwen-7B on 24 GB"},
    {DENSE(80, 8, 128), R(4, 3) + 4, 2, 2, 500000, 4374, 2509, 21102, "issue 4351, K and V of 1.61 GiB each"},
};

// Given what the log says was free, within 0.02 GiB of cells.
static void logged_starts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof start_rows / sizeof start_rows[0]; i++) {
        static struct kvb_model model;
        const struct start_row *row = &start_rows[i];
        struct kvb_sgl_setup setup;
        struct kvb_sgl_cell cell;
        struct kvb_sgl_pool pool;
        struct kvb_sgl_defaults defaults = {.fraction_ppb = (uint64_t)row->fraction_ppm * 1000, .page_tokens = 1};
        make_model(&row->shape, &model);
        make_setup(&setup, &model, row->release, row->tp);
        setup.element_bytes = row->element_bytes;
        kvb_sgl_cell_of(&setup, 0, model.layer_count, &cell);
        kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(row->before), (int64_t)GIB_OF(row->after), &pool);
        int64_t off = ((int64_t)pool.tokens - (int64_t)row->tokens) * (int64_t)cell.full_bytes;
        int64_t most = (INT64_C(1) << 30) / 50;
        if (off > most || off < -most) {
            print_error("%s: %llu\n", row->source, (unsigned long long)pool.tokens);
        }
        assert_in_range(off + most, 0, 2 * most);
    }
}

// Weights beyond the static fraction: 10 GiB after 20 with 0.4: 12 stay outside.
static void leaves_nothing(void **state)
{
    (void)state;
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    struct kvb_sgl_cell cell;
    struct kvb_sgl_pool pool;
    struct kvb_sgl_defaults defaults = {.fraction_ppb = 400000000, .page_tokens = 1};
    make_model(&start_rows[0].shape, &model);
    make_setup(&setup, &model, R(5, 12), 1);
    kvb_sgl_cell_of(&setup, 0, 32, &cell);
    kvb_sgl_pool_of(&setup, &defaults, &cell, GIB_OF(2000), (int64_t)GIB_OF(1000), &pool);
    assert_int_equal(pool.refusal, KVB_SGL_NO_MEMORY);
    assert_int_equal(pool.rest_bytes, -(INT64_C(2) << 30));
}

// 0.5.12, _resolve_max_num_reqs: clamp(int(T / C x 512), 2048, 4096), at most T // 2 from 0.5.10 on.
static void requests(void **state)
{
    (void)state;
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    make_model(&start_rows[0].shape, &model);
    make_setup(&setup, &model, R(5, 12), 1);
    assert_int_equal(kvb_sgl_requests(&setup, 444500, 0), 2048);
    assert_int_equal(kvb_sgl_requests(&setup, 1287482, 0), 4096);
    assert_int_equal(kvb_sgl_requests(&setup, 786432, 0), 3072);
    assert_int_equal(kvb_sgl_requests(&setup, 1000, 0), 500);
    setup.max_running_requests = 64;
    assert_int_equal(kvb_sgl_requests(&setup, 444500, 0), 64);
    assert_int_equal(kvb_sgl_requests(&setup, 444500, 30), 10); // 3 slots each
    setup.release = R(2, 12);
    setup.max_running_requests = 0;
    setup.context_tokens = 8192;
    assert_int_equal(kvb_sgl_requests(&setup, 79301, 0), 4956); // issue 1109 prints max_num_reqs=4955
    // _resolve_max_num_reqs: min(said, estimated) from 0.5.10 to 0.5.13, min(said, tokens // 2) behind
    static const struct {
        uint32_t release;
        uint64_t said, tokens, requests;
    } bounds[] = {
        {R(5, 9), 5000, 444500, 5000},  {R(5, 10), 5000, 444500, 2048}, {R(5, 13), 5000, 444500, 2048},
        {R(5, 14), 5000, 444500, 5000}, {R(5, 9), 64, 100, 64},         {R(5, 13), 64, 100, 64},
        {R(5, 14), 64, 100, 50},        {R(5, 18), 64, 129, 64},        {R(5, 9), 0, 100, 2048},
        {R(5, 10), 0, 100, 50},         {R(5, 14), 0, 100, 50},
    };
    setup.context_tokens = 131072;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        setup.release = bounds[i].release;
        setup.max_running_requests = bounds[i].said;
        assert_int_equal(kvb_sgl_requests(&setup, bounds[i].tokens, 0), bounds[i].requests);
    }
    setup.max_running_requests = 0;
    setup.release = R(2, 12);
    setup.context_tokens = 0; // nobody says: 512 of each token
    assert_int_equal(kvb_sgl_requests(&setup, 8, 0), 4096);
    // 2048 rows of 131,076 tokens of 4 bytes: 1.0 GiB
    setup.release = R(5, 12);
    setup.context_tokens = 131072;
    assert_int_equal(kvb_sgl_request_table_bytes(&setup, 2048), UINT64_C(2048) * 131076 * 4);
}

KVB_TEST_MAIN(cmocka_unit_test(plain_cells), cmocka_unit_test(latent_cells), cmocka_unit_test(draft_cells),
              cmocka_unit_test(window_pools), cmocka_unit_test(uniform_windows), cmocka_unit_test(capped_windows),
              cmocka_unit_test(state_slots), cmocka_unit_test(state_by_release), cmocka_unit_test(slots_of_groups),
              cmocka_unit_test(logged_starts), cmocka_unit_test(leaves_nothing), cmocka_unit_test(requests))
