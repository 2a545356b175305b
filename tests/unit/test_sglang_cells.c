// Bytes of one token, slots of state and pools in the corners of their rules: worked by hand from the released code
// (sgl-project/sglang, python/sglang/srt: configs/mamba_utils.py, model_executor/model_runner.py,
// model_runner_kv_cache_mixin.py, pool_configurator.py, mem_cache/kv_cache_configurator.py at the releases named).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <kvbudget/units.h>

#include "engines/sglang/context.h"
#include "engines/sglang/pool.h"
#include "unit/kv_models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define GIB (INT64_C(1) << 30)

static struct kvb_model model, helper;
static struct kvb_sgl_setup setup;
static struct kvb_sgl_cell cell;
static struct kvb_sgl_pool pool;

static void make(uint32_t release, const struct shape *shape)
{
    make_model(shape, &model);
    setup = (struct kvb_sgl_setup){.release = release,
                                   .model = &model,
                                   .cuda = true,
                                   .tp = 1,
                                   .pp = 1,
                                   .dp = 1,
                                   .context_tokens = model.context_tokens,
                                   .window_ratio_ppm = 800000,
                                   .state_ratio_ppm = 900000,
                                   .element_bytes = 2};
}

static uint64_t token_bytes(void)
{
    kvb_sgl_cell_of(&setup, 0, model.layer_count, &cell);
    return cell.token_micro / KVB_PPM;
}

// The whole of 20 GiB is free before loading, and `after` of it afterwards.
static void share_out(int64_t after)
{
    struct kvb_sgl_defaults defaults = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 1, .chunk_tokens = 2048};
    kvb_sgl_cell_of(&setup, 0, model.layer_count, &cell);
    kvb_sgl_pool_of(&setup, &defaults, &cell, 20 * (uint64_t)GIB, after, &pool);
}

// 32 layers of 8 heads of 128 elements: 131,072 B a token; every second with a window of 128; and windows alone.
static const struct shape dense = {"m", 32, 64, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
static const struct shape mixed = {"m", 24, 64, 8, 64, 128, 2, 1, KVB_ATTENTION_SLIDING, 131072};
static const struct shape narrow = {"m", 24, 64, 8, 64, 128, 1, 0, KVB_ATTENTION_SLIDING, 131072};

static void groups(void **state)
{
    (void)state;
    make(R(5, 9), &dense);
    setup.dp_attention = true;
    setup.dp = 0; // --dp-size 0 is refused, but first it is read
    assert_int_equal(kvb_sgl_attention_groups(&setup), 1);
    setup.dp = 2; // of one rank: refused as well
    assert_int_equal(kvb_sgl_attention_ranks(&setup), 1);
}

static void cells(void **state)
{
    (void)state;
    make(R(5, 8), &dense);
    model.kinds[0].attention.value_head_size = 0; // not said: as wide as the keys
    assert_int_equal(token_bytes(), 131072);
    make(R(5, 12), &dense);
    model.kinds[0].attention.index_head_size = 128; // MiniMax-M3: 256 B of keys beside them
    assert_int_equal(token_bytes(), 131072 + 32 * 256);
    model.kinds[0].attention.kind = KVB_ATTENTION_MLA; // an index without an indexer of its own, to 0.5.17: 132 B
    model.kinds[0].attention.latent_rank = 512;
    model.kinds[0].attention.rope_size = 64;
    assert_int_equal(token_bytes(), 32 * (576 * 2 + 132));
    model.kinds[0].attention.index_head_size = 0;
    setup.four_bits = true;
    setup.release = R(5, 16); // the fp8 workspace is for whole keys alone
    assert_int_equal(token_bytes(), 32 * (288 + 36));
}

// The own checkpoint as its draft (0.5.14): DeepSeek V3's class names it, Llama's does not.
static void drafts(void **state)
{
    (void)state;
    make(R(5, 14), &dense);
    setup.draft = KVB_SGL_DRAFT_EAGLE;
    setup.draft_layers = 1;
    assert_int_equal(token_bytes(), 131072);
    strcpy(model.architecture, "DeepseekV3ForCausalLM");
    assert_int_equal(token_bytes(), 131072 / 32 * 33);
    setup.draft = KVB_SGL_DRAFT_STANDALONE;
    assert_int_equal(token_bytes(), 131072 / 32 * 33);
    model.kinds[0].attention.kind = KVB_ATTENTION_MAMBA2; // no layer that keeps tokens
    assert_int_equal(token_bytes(), 0);
    // DFLASH: from 0.5.12 on as many of the target's layers; from 0.5.18 on its own, if anybody knows them
    make(R(5, 11), &dense);
    setup.draft = KVB_SGL_DRAFT_DFLASH;
    setup.draft_layers = 8;
    assert_int_equal(token_bytes(), 131072);
    setup.release = R(5, 12);
    assert_int_equal(token_bytes(), 131072 + 131072 / 32 * 8);
    setup.release = R(5, 18);
    assert_int_equal(token_bytes(), 131072 + 131072 / 32 * 8);
    make_model(&mixed, &helper);
    setup.draft_model = &helper;
    assert_int_equal(token_bytes(), 131072 + 24 * 2048);
}

// Two pools: 12 full and 12 window layers of 2,048 B; 24,576 + 0.8 x 24,576 = 44,236.8.
static void windows(void **state)
{
    (void)state;
    make(R(5, 14), &mixed);
    assert_int_equal(token_bytes(), 24 * 2048); // Llama has one pool
    strcpy(model.architecture, "GptOssForCausalLM");
    assert_int_equal(token_bytes(), 44236);
    setup.no_window_pools = true;
    assert_int_equal(token_bytes(), 24 * 2048);
    setup.no_window_pools = false;
    setup.draft = KVB_SGL_DRAFT_EAGLE; // 0.5.14: one layer more of as many
    setup.draft_layers = 1;
    setup.draft_named = true;
    assert_int_equal(token_bytes(), UINT64_C(44236800000) / 24 * 25 / 1000000);
    setup.release = R(5, 15); // a full one
    assert_int_equal(token_bytes(), 44236 + 2048);
    make(R(5, 8), &mixed);
    strcpy(model.architecture, "Llama4ForConditionalGeneration");
    model.kinds[1].attention.kind = KVB_ATTENTION_CHUNKED;
    (void)token_bytes();
    assert_true(cell.windows);
    assert_int_equal(cell.window_layers, 12);
    make(R(5, 8), &dense); // the class, but no layer with a window
    strcpy(model.architecture, "Llama4ForConditionalGeneration");
    assert_int_equal(token_bytes(), 131072);
    assert_false(cell.windows);
}

// Cells by release: get_cell_size_per_token of model_runner.py and model_runner_kv_cache_mixin.py. Values of their own
// size from 0.5.7 on, 8 x (128 + 64) x 2 x 32; the index of 128 + 4 bytes from 0.5.3.post1 on, (576 x 2 + 132) x 32; of
// MiMo's 12 window layers 24,576 B beside 12 full ones, in 0.5.8 beside 24.
static void cells_by_release(void **state)
{
    (void)state;
    make(R(5, 6) + 2, &dense);
    struct kvb_attention_shape *shape = &model.kinds[0].attention;
    shape->value_head_size = 64;
    assert_int_equal(token_bytes(), 131072);
    setup.release = R(5, 7);
    assert_int_equal(token_bytes(), 98304);
    shape->value_head_size = 0; // as large as the keys
    assert_int_equal(token_bytes(), 131072);
    shape->kind = KVB_ATTENTION_MLA;
    shape->latent_rank = 512;
    shape->rope_size = 64;
    shape->index_head_size = 128;
    shape->has_indexer = true;
    setup.release = R(5, 3);
    assert_int_equal(token_bytes(), 36864);
    setup.release = R(5, 3) + 1;
    assert_int_equal(token_bytes(), 36864 + 132 * 32);
    make(R(5, 7), &mixed);
    strcpy(model.architecture, "MiMoV2FlashForCausalLM");
    (void)token_bytes();
    assert_int_equal(cell.uniform_bytes, 12 * 2048 + 24576);
    setup.release = R(5, 8);
    (void)token_bytes();
    assert_int_equal(cell.uniform_bytes, 24 * 2048 + 24576);
    strcpy(model.architecture, "GptOssForCausalLM");
    (void)token_bytes();
    assert_int_equal(cell.uniform_bytes, 24 * 2048);
    model.kind_count = 3; // the last layer keeps nothing, and is none of them
    model.kinds[2].attention.kind = KVB_ATTENTION_NONE;
    model.kind_of_layer[23] = 2;
    (void)token_bytes();
    assert_int_equal(cell.uniform_bytes, 23 * 2048);
}

// Windows alone: 24 x 2,048 B; 10 GiB // 49,152 = 218,453 tokens of the window pool.
static void windows_alone(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(5, 8), R(5, 9), R(5, 18)};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        make(releases[i], &narrow);
        strcpy(model.architecture, "GptOssForCausalLM");
        setup.no_radix = true;
        setup.max_running_requests = 4; // nothing to cap where all layers have a window
        share_out(10 * GIB);
        assert_int_equal(pool.refusal, KVB_SGL_STARTS);
        assert_int_equal(pool.tokens, 218453);
        assert_int_equal(pool.window_tokens, 218453);
        assert_int_equal(pool.full_tokens, 0);
        assert_null(kvb_sgl_unconfirmed(&setup, &cell)); // nothing is split
    }
    // two layers of a draft, 2,048 B each, from 0.5.14 on: 26 x 2,048 B
    setup.draft = KVB_SGL_DRAFT_STANDALONE;
    setup.draft_named = true;
    setup.draft_layers = 2;
    (void)token_bytes();
    assert_int_equal(cell.token_micro, UINT64_C(26) * 2048 * 1000000);
    assert_int_equal(cell.window_bytes, 24 * 2048);
}

// To 0.5.6 tokens are cut to pages and to --max-total-tokens before they are split, not behind (model_runner.py 0.4.10,
// init_memory_pool, set_num_token_hybrid): 10 GiB // 49,152 = 218,453, in pages of 64 218,432; x 24 / (0.8 x 12 + 12) =
// 242,702, int(0.8 x 242,702) = 194,161. 1,000 tokens at most: x 24 / 21.6 = 1,111 and 888. From 0.5.18 on alone the
// window pool must hold a window.
static void whole_pools(void **state)
{
    (void)state;
    struct kvb_sgl_defaults pages = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 64, .chunk_tokens = 2048};
    make(R(4, 10), &mixed);
    strcpy(model.architecture, "Gemma3ForCausalLM");
    share_out(10 * GIB);
    kvb_sgl_pool_of(&setup, &pages, &cell, 20 * (uint64_t)GIB, 10 * GIB, &pool);
    assert_int_equal(pool.tokens, 242702);
    assert_int_equal(pool.window_tokens, 194161);
    setup.max_total_tokens = 1000;
    share_out(10 * GIB);
    assert_int_equal(pool.tokens, 1111);
    assert_int_equal(pool.window_tokens, 888);
    make(R(5, 12), &mixed);
    strcpy(model.architecture, "GptOssForCausalLM");
    setup.max_total_tokens = 80;
    share_out(10 * GIB);
    assert_int_equal(pool.refusal, KVB_SGL_STARTS);
    assert_int_equal(pool.window_tokens, 64);
}

// From 0.5.7 on both pools are cut to whole pages, of what was split: 0.8 of it to 0.5.11, then 0.8 of the pages.
static void whole_pages_of_both(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t tokens, window_tokens;
    } rows[] = {
        // 10 GiB // 49,152 = 218,453, 218,432 in pages; x 24 / 21.6 = 242,702; int(0.8 x 242,702) = 194,161
        {R(5, 6) + 2, 242702, 194161},
        {R(5, 7), 242688, 194112},
        // 10 GiB // 44,236.8 = 242,725; int(0.8 x 242,725) = 194,180; then int(0.8 x 242,688) = 194,150
        {R(5, 11), 242688, 194176},
        {R(5, 12), 242688, 194112},
    };
    struct kvb_sgl_defaults pages = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 64, .chunk_tokens = 2048};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(R(5, 7), &mixed);
        strcpy(model.architecture, "MiMoV2FlashForCausalLM");
        setup.release = R(5, 9) <= rows[i].release ? rows[i].release : R(5, 7);
        (void)token_bytes(); // the class has two pools from 0.5.7 on
        setup.release = rows[i].release;
        kvb_sgl_pool_of(&setup, &pages, &cell, 20 * (uint64_t)GIB, 10 * GIB, &pool);
        if (pool.tokens != rows[i].tokens || pool.window_tokens != rows[i].window_tokens) {
            print_error("row %zu: %llu and %llu\n", i, (unsigned long long)pool.tokens,
                        (unsigned long long)pool.window_tokens);
        }
        assert_int_equal(pool.tokens, rows[i].tokens);
        assert_int_equal(pool.window_tokens, rows[i].window_tokens);
    }
}

// 0.5.14: caps only where requests are said, prefixes are not kept and prompts are chunked.
static void caps(void **state)
{
    (void)state;
    struct kvb_sgl_defaults whole = {.fraction_ppb = KVB_SGL_PPB, .page_tokens = 1, .chunk_tokens = KVB_SGL_OFF};
    make(R(5, 14), &mixed);
    strcpy(model.architecture, "GptOssForCausalLM");
    setup.no_radix = true;
    share_out(GIB); // 1 GiB / 44,236.8 = 24,272; int(0.8 x 24,272)
    assert_int_equal(pool.window_tokens, 19417);
    setup.max_running_requests = 4;
    kvb_sgl_pool_of(&setup, &whole, &cell, 20 * (uint64_t)GIB, GIB, &pool);
    assert_int_equal(pool.window_tokens, 19417);
    setup.no_radix = false;
    share_out(GIB);
    assert_int_equal(pool.window_tokens, 19417);
    // one chunk without overlap: 4 x (128 + 128 + 1 + 1) + 2,048 + 1; a draft of 4 tokens: 4 x (128 + 512 + 1 + 8)
    setup.no_radix = setup.no_overlap = true;
    share_out(GIB);
    assert_int_equal(pool.window_tokens, 3081);
    setup.draft = KVB_SGL_DRAFT_NGRAM;
    setup.draft_tokens = 4;
    share_out(GIB);
    assert_int_equal(pool.window_tokens, 4645);
    setup.draft = KVB_SGL_DRAFT_NONE; // two chunks overlap, one of a pipeline does not
    setup.no_overlap = false;
    share_out(GIB);
    assert_int_equal(pool.window_tokens, 5129);
    setup.pp = 2;
    share_out(GIB);
    assert_int_equal(pool.window_tokens, 3081);
}

struct state_row {
    enum kvb_attention kind;
    uint32_t tp, inner, key_heads, key_size, value_heads, value_size, element;
    uint64_t bytes; // of one layer
    const char *source;
};

// configs/mamba_utils.py: convolution of 3 taps in 16 bits, the state in 32 unless said otherwise.
static void states(void **state)
{
    (void)state;
    static const struct state_row rows[] = {
        {KVB_ATTENTION_MAMBA1, 2, 8192, 0, 16, 0, 0, 0, 4096 * (3 * 2 + 16 * 4), "Mamba 1"},
        {KVB_ATTENTION_MAMBA2, 2, 8192, 8, 128, 128, 64, 0, 3 * ((8192 + 2048) / 2) * 2 + 4096 * 128 * 4, "Mamba 2"},
        {KVB_ATTENTION_MAMBA2, 2, 8192, 1, 128, 128, 64, 2, 3 * ((8192 + 512) / 2) * 2 + 4096 * 128 * 2,
         "one group is copied to each of two ranks"},
        {KVB_ATTENTION_LINEAR, 2, 0, 0, 0, 64, 96, 0, 32 * 96 * 96 * 4, "lightning attention"},
        {KVB_ATTENTION_KDA, 1, 0, 32, 128, 32, 128, 0, 3 * 12288 * 2 + 4096 * 128 * 4, "Kimi delta attention"},
        {KVB_ATTENTION_SHORT_CONV, 1, 2048, 0, 0, 0, 0, 0, 2048 * 3 * 2, "LFM2's convolution"},
        {KVB_ATTENTION_SHORT_CONV, 2, 2048, 0, 0, 0, 0, 0, 1024 * 3 * 2, "half of its channels on each of two ranks"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct state_row *row = &rows[i];
        make(R(5, 12), &dense);
        setup.tp = row->tp;
        setup.state_element = row->element;
        struct kvb_attention_shape *shape = &model.kinds[0].attention;
        shape->kind = row->kind;
        shape->conv_kernel = 4;
        shape->state_inner_size = row->inner;
        shape->state_key_heads = (uint16_t)row->key_heads;
        shape->state_key_size = (uint16_t)row->key_size;
        shape->state_value_heads = (uint16_t)row->value_heads;
        shape->state_value_size = (uint16_t)row->value_size;
        (void)token_bytes();
        if (cell.state_bytes != 32 * row->bytes) {
            print_error("%s: %llu\n", row->source, (unsigned long long)cell.state_bytes);
        }
        assert_int_equal(cell.state_bytes, 32 * row->bytes);
        shape->conv_kernel = 0; // no convolution
        (void)token_bytes();
        assert_true(cell.state_bytes < 32 * row->bytes || row->kind == KVB_ATTENTION_LINEAR);
    }
}

// 16 layers with keys and 16 with a state of 16 MiB a slot: 8 x 8 B... worked for a slot of exactly 16 MiB.
static void make_hybrid(uint32_t release)
{
    static const struct shape shape = {"m", 32, 64, 8, 128, 0, 2, 1, KVB_ATTENTION_LINEAR, 131072};
    make(release, &shape);
    model.kinds[1].attention.state_value_heads = 16; // 16 x 128 x 128 x 4 = 1 MiB a layer
    model.kinds[1].attention.state_value_size = 128;
}

static void slots(void **state)
{
    (void)state;
    struct row {
        uint32_t release;
        bool no_radix;
        uint64_t stated, requests, drafts, slots;
        const char *rule;
    };
    static const struct row rows[] = {
        // 10 GiB x 0.9 / 1.9 = 5,086,145,084 B, slots of 16 MiB: 303
        {R(5, 3), false, 100, 0, 0, 100, "0.5.2: --max-mamba-cache-size"},
        {R(5, 3) + 1, false, 100, 0, 0, 100, "0.5.3.post1"},
        {R(5, 3) + 2, false, 100, 0, 0, 303, "0.5.3.post2 honours it without prefixes alone"},
        {R(5, 3) + 2, true, 100, 0, 0, 100, "0.5.3.post2"},
        {R(5, 4), false, 100, 0, 0, 303, "0.5.4"},
        {R(5, 4), true, 100, 0, 0, 100, "0.5.4"},
        {R(5, 7), false, 100, 0, 0, 100, "0.5.7"},
        {R(5, 8), true, 0, 40, 0, 40, "without prefixes: as many as requests"},
        {R(5, 9), true, 0, 40, 0, 40, "0.5.9"},
        {R(5, 8), true, 0, 0, 0, 512, "0.5.8: 512"},
        {R(5, 9), true, 0, 0, 0, 303, "0.5.9: the ratio"},
        {R(5, 9), false, 0, 0, 0, 303, "0.5.9"},
        // drafts' states before the slots: 4 x 20 requests x 16 MiB = 1.25 GiB of 10
        {R(5, 7), false, 0, 20, 4, 265, "0.5.7: (10 - 1.25) GiB x 0.9 / 1.9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_hybrid(rows[i].release);
        setup.no_radix = rows[i].no_radix;
        setup.state_slots = rows[i].stated;
        setup.max_running_requests = rows[i].requests;
        setup.draft = rows[i].drafts > 0 ? KVB_SGL_DRAFT_EAGLE : KVB_SGL_DRAFT_NONE;
        setup.draft_tokens = rows[i].drafts;
        share_out(10 * GIB);
        if (pool.state_slots != rows[i].slots) {
            print_error("%s: %llu\n", rows[i].rule, (unsigned long long)pool.state_slots);
        }
        assert_int_equal(pool.state_slots, rows[i].slots);
    }
    assert_int_equal(kvb_sgl_slots_per_request(&setup), 3);
    setup.state_extra_buffer = true; // --mamba-scheduler-strategy extra_buffer; with a draft one more to 0.5.9
    assert_int_equal(kvb_sgl_slots_per_request(&setup), 4);
    setup.draft = KVB_SGL_DRAFT_NONE;
    assert_int_equal(kvb_sgl_slots_per_request(&setup), 5);
    setup.release = R(5, 10);
    assert_int_equal(kvb_sgl_slots_per_request(&setup), 5);
    setup.no_overlap = true;
    assert_int_equal(kvb_sgl_slots_per_request(&setup), 4);
    setup.no_radix = true;
    assert_int_equal(kvb_sgl_slots_per_request(&setup), 1);
}

// Two groups of data-parallel attention, slots of 16 MiB in 10 GiB, drafts of 4 tokens, 20 requests of all groups. By
// hand from model_runner.py (handle_max_mamba_cache) at 0.5.4 and 0.5.6, model_runner_kv_cache_mixin.py at 0.5.7, 0.5.8
// and 0.5.13; 10 GiB x 0.9 / 1.9 = 5,086,145,084 B = 303 slots.
static void slots_of_groups(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool gdn, no_radix;
        uint64_t requests, slots;
        int64_t drafts_mib;
        const char *rule;
    } rows[] = {
        {R(5, 3), true, true, 0, 256, 0, "512 // 2; drafts' states are taken off nothing"},
        {R(5, 3) + 1, true, true, 0, 256, 0, "512 // 2"},
        {R(5, 3) + 1, false, true, 0, 256, 0, "Mamba's too"},
        {R(5, 3) + 2, true, false, 20, 30, 1920, "303 // 5 // 2, and 4 more each"},
        {R(5, 3) + 2, false, false, 20, 60, 3840, "Mamba's are not dealt out"},
        {R(5, 4), true, false, 20, 30, 1920, "303 // 5 // 2, and 4 more each"},
        {R(5, 4), false, false, 20, 60, 3840, "Mamba's are not dealt out"},
        {R(5, 4), true, true, 20, 10, 640, "20 // 2"},
        {R(5, 4), false, true, 20, 20, 1280, "20"},
        {R(5, 7), true, false, 20, 265, 1280, "(10 - 20 x 4 / 64) GiB x 0.9 / 1.9: of all groups' requests"},
        {R(5, 8), true, false, 20, 284, 640, "(10 - 10 x 4 / 64) GiB x 0.9 / 1.9: of the group's"},
        {R(5, 13), true, false, 20, 129, 640, "5,086,145,084 // (16 MiB x (1 + 4 / 3))"},
        {R(5, 18), true, false, 20, 127, 704, "less 5 slots of padding, and 10 + 1 requests"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_hybrid(rows[i].release);
        if (rows[i].gdn) {
            model.kinds[1].attention.kind = KVB_ATTENTION_GDN;
            model.kinds[1].attention.state_key_size = 128; // 16 x 128 x 128 x 4 = 1 MiB a layer, no convolution
        }
        setup.tp = setup.dp = 2;
        setup.dp_attention = true;
        setup.no_radix = rows[i].no_radix;
        setup.max_running_requests = rows[i].requests;
        setup.draft = KVB_SGL_DRAFT_EAGLE;
        setup.draft_tokens = 4;
        share_out(10 * GIB);
        if (pool.state_slots != rows[i].slots || pool.draft_state_bytes != (uint64_t)rows[i].drafts_mib << 20) {
            print_error("%s: %llu slots, %llu\n", rows[i].rule, (unsigned long long)pool.state_slots,
                        (unsigned long long)pool.draft_state_bytes >> 20);
        }
        assert_int_equal(pool.state_slots, rows[i].slots);
        assert_int_equal(pool.draft_state_bytes, (uint64_t)rows[i].drafts_mib << 20);
        assert_int_equal(kvb_sgl_unconfirmed(&setup, &cell) != NULL, rows[i].release < R(5, 13));
    }
}

// 10 GiB // 131,072 = 81,920; model_runner.py 0.4.3.post3 to 0.5.6, init_memory_pool: 48 requests x (3 steps x 1 + 4
// tokens) + 100 = 436 more, before --max-total-tokens.
static void headroom_of_drafts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t most, tokens, extra;
    } rows[] = {
        {R(4, 3), 0, 81920, 0},      {R(4, 3) + 3, 0, 82356, 436}, {R(5, 6), 0, 82356, 436},
        {R(5, 6), 82000, 82000, 80}, {R(5, 6), 5000, 5000, 0},     {R(5, 7), 0, 81920, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].release, &dense);
        setup.draft = KVB_SGL_DRAFT_EAGLE;
        setup.draft_steps = 3;
        setup.draft_topk = 1;
        setup.draft_tokens = 4;
        setup.max_running_requests = 48;
        setup.max_total_tokens = rows[i].most;
        share_out(10 * GIB);
        assert_int_equal(pool.tokens, rows[i].tokens);
        assert_int_equal(pool.extra_tokens, rows[i].extra);
    }
}

// States of drafts beside stated slots: 0.5.7 leaves them out, 0.5.8 takes 4 x 20 x 16 MiB.
static void states_of_drafts(void **state)
{
    (void)state;
    make_hybrid(R(5, 7));
    setup.draft = KVB_SGL_DRAFT_EAGLE;
    setup.draft_tokens = 4;
    setup.max_running_requests = 20;
    setup.state_slots = 100;
    share_out(10 * GIB);
    assert_int_equal(pool.draft_state_bytes, 0);
    setup.release = R(5, 8);
    share_out(10 * GIB);
    assert_int_equal(pool.draft_state_bytes, 5 * GIB / 4);
    setup.state_slots = 0; // and with more of them than there is memory nothing is left
    setup.max_running_requests = 200;
    share_out(10 * GIB);
    assert_int_equal(pool.refusal, KVB_SGL_NO_STATE);
}

static void refused(void **state)
{
    (void)state;
    make_hybrid(R(5, 18)); // less than the padding slot
    share_out(GIB / 64);
    assert_int_equal(pool.refusal, KVB_SGL_NO_STATE);
    make_hybrid(R(5, 12)); // 2 slots where a request takes 3: 64 MiB x 0.9 / 1.9
    share_out(5 * GIB / 64);
    assert_int_equal(pool.state_slots, 2);
    assert_int_equal(pool.refusal, KVB_SGL_STATE_REQUESTS);
    make_hybrid(R(5, 12)); // slots that are said take all
    setup.state_slots = 64;
    share_out(GIB);
    assert_int_equal(pool.refusal, KVB_SGL_NO_MEMORY);
    make(R(5, 12), &dense); // less than one token
    share_out(1000);
    assert_int_equal(pool.refusal, KVB_SGL_NO_TOKENS);
    make(R(5, 18), &dense); // 100 MiB for pictures are more than is left
    setup.multimodal = true;
    share_out(GIB / 16);
    assert_int_equal(pool.refusal, KVB_SGL_NO_MEMORY);
    setup.text_only = true;
    share_out(GIB / 16);
    assert_int_equal(pool.refusal, KVB_SGL_STARTS);
    make(R(5, 12), &dense); // a model of states alone holds no tokens
    model.kinds[0].attention.kind = KVB_ATTENTION_NONE;
    share_out(GIB);
    assert_int_equal(pool.refusal, KVB_SGL_NO_TOKENS);
    // 0.5.18: a window pool smaller than one window is refused only beside full layers
    make(R(5, 18), &narrow);
    strcpy(model.architecture, "GptOssForCausalLM");
    setup.max_total_tokens = 64;
    share_out(GIB);
    assert_int_equal(pool.refusal, KVB_SGL_STARTS);
    assert_int_equal(pool.window_tokens, 64);
}

// DeepSeek-V4-Flash with a draft (compressed_cells of test_sglang_pages.c has it without): rings of 16 and 256. 2,511.2
// + 3,066 + 91.25 + 693 + 0.1 x 16/128 x 10,240 x 21 = 9,049.45 B, to 0.5.14 with 0.1 x 256/128 x 4,096 x 20 = 16,384
// more; times 44 / 43.
static void compressed(void **state)
{
    (void)state;
    make(R(5, 16), &dense);
    make_v4_flash(&model);
    setup.context_tokens = model.context_tokens;
    setup.window_ratio_ppm = 100000;
    setup.draft = KVB_SGL_DRAFT_EAGLE;
    setup.draft_tokens = 4;
    (void)token_bytes();
    assert_int_equal(cell.token_micro, UINT64_C(9049450000) / 43 * 44);
    // ring128 positions of 2 x 512 x 4 B in 20 layers for each request
    assert_int_equal(cell.ring_bytes, UINT64_C(256) * 2 * 512 * 4 * 20);
    setup.release = R(5, 13);
    (void)token_bytes();
    assert_int_equal(cell.token_micro, UINT64_C(25433450000) / 43 * 44);
    setup.release = R(5, 16);
    setup.draft = KVB_SGL_DRAFT_NONE;
    // pool_configurator.py 0.5.15, _get_c128_state_fixed_bytes: 2,048 requests, the least where nobody says how many,
    // and two, of 128 rows each; one row more in steps of 128
    share_out(10 * GIB);
    assert_int_equal(cell.ring_bytes, UINT64_C(128) * 2 * 512 * 4 * 20);
    assert_int_equal(pool.fixed_bytes, cell.ring_bytes * 2051);
    assert_int_equal(pool.refusal, KVB_SGL_NO_MEMORY);
    setup.max_running_requests = 62;
    share_out(10 * GIB);
    assert_int_equal(pool.fixed_bytes, cell.ring_bytes * 65);
    setup.draft = KVB_SGL_DRAFT_EAGLE; // rings of 256 rows: 64 x 256 + 1 in steps of 128
    share_out(10 * GIB);
    assert_int_equal(pool.fixed_bytes, cell.ring_bytes * 64 + cell.ring_bytes / 2);
    setup.draft = KVB_SGL_DRAFT_NONE;
    share_out(10 * GIB);
    assert_int_equal(pool.refusal, KVB_SGL_STARTS);
    share_out(-GIB);
    assert_int_equal(pool.fixed_bytes, 0);
    assert_int_equal(pool.refusal, KVB_SGL_NO_MEMORY);
}

KVB_TEST_MAIN(cmocka_unit_test(groups), cmocka_unit_test(cells), cmocka_unit_test(cells_by_release),
              cmocka_unit_test(drafts), cmocka_unit_test(windows), cmocka_unit_test(windows_alone),
              cmocka_unit_test(whole_pools), cmocka_unit_test(whole_pages_of_both), cmocka_unit_test(caps),
              cmocka_unit_test(states), cmocka_unit_test(slots), cmocka_unit_test(states_of_drafts),
              cmocka_unit_test(slots_of_groups), cmocka_unit_test(headroom_of_drafts), cmocka_unit_test(refused),
              cmocka_unit_test(compressed))
