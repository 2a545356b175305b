// Videos, pictures and towers of the encoder families at the bounds of releases. Expected figures: the processors' own
// constants at the tags, or hand calculations.
#include "engines/vllm/encoder_items.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_encoder_load load;

static void make(enum kvb_encoder_family family, uint32_t release)
{
    make_llama_plan(&plan, release);
    plan.environment.use_v1 = release >= R(8, 0) ? KVB_YES : KVB_NO;
    plan.environment.use_v2_model_runner = KVB_NO;
    plan.model.encoder = (struct kvb_encoder){
        .family = family, .hidden_size = 1000, .patch_size = 14, .merge_size = 2, .image_size = 280};
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 128);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 32768);
}

static void look(void)
{
    kvb_encoder_load_of(resolved(&plan), &load);
}

// Pictures of 78,400 / 28 squared = 100 tokens. _MAX_FRAMES_PER_VIDEO: 16 frames are 8 pairs to v0.10.2, 14 are 7.
// Qwen3-VL announces 12.5 x 12,288 tokens to v0.12.0; Gemma 4's 32 frames come with text; MiniCPM-V has one row.
static void largest_video(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        uint32_t release;
        uint64_t tokens;
        bool is_video;
    } rows[] = {{KVB_ENCODER_QWEN2_VL, R(7, 3), 100, false},   {KVB_ENCODER_QWEN2_VL, R(8, 0), 800, true},
                {KVB_ENCODER_QWEN2_VL, R(10, 2), 800, true},   {KVB_ENCODER_QWEN2_VL, R(11, 0), 700, true},
                {KVB_ENCODER_QWEN25_VL, R(8, 0), 800, true},   {KVB_ENCODER_QWEN25_VL, R(10, 2), 800, true},
                {KVB_ENCODER_QWEN25_VL, R(11, 0), 700, true},  {KVB_ENCODER_QWEN3_VL, R(12, 0), 153600, true},
                {KVB_ENCODER_QWEN3_VL, R(13, 0), 12288, true}, {KVB_ENCODER_GEMMA4, R(18, 1), 280, false},
                {KVB_ENCODER_GEMMA4, R(19, 0), 2496, true},    {KVB_ENCODER_GEMMA4_UNIFIED, R(23, 0), 2496, true},
                {KVB_ENCODER_MINICPMV, R(7, 3), 640, false},   {KVB_ENCODER_MINICPMV, R(8, 0), 1056, true},
                {KVB_ENCODER_GEMMA3, R(19, 0), 256, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].family, rows[i].release);
        plan.model.encoder.has_video = true;
        set(&plan, KVB_SET_MM_MAX_PIXELS, 100 * 28 * 28);
        look();
        if (load.tokens_per_item != rows[i].tokens || load.is_video != rows[i].is_video) {
            fail_msg("row %zu: %llu tokens", i, (unsigned long long)load.tokens_per_item);
        }
    }
}

// What is kept: the encoder's own tokens, and in 0.11 and 0.12 as many as were announced.
static void kept_tokens(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t kept;
    } rows[] = {{R(10, 2), 1024}, {R(11, 0), 1056}, {R(12, 0), 1056}, {R(13, 0), 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(KVB_ENCODER_MINICPMV, rows[i].release);
        plan.model.encoder.has_video = true;
        look();
        assert_int_equal(load.kept_tokens, rows[i].kept * load.items);
    }
    make(KVB_ENCODER_QWEN3_VL, R(12, 0));
    plan.model.encoder.has_video = true;
    set(&plan, KVB_SET_MM_MAX_PIXELS, 100 * 28 * 28);
    look();
    assert_int_equal(load.kept_tokens, 153600 * load.items);
    assert_int_equal(load.patches, 12288 * 4 * load.items);
    plan.engine.release = R(13, 0);
    look();
    assert_int_equal(load.kept_tokens, 12288 * load.items);
}

// qwen2_vl.py v0.10.0 get_num_frames_with_most_features: the pictures' tokens are taken off the length, not from
// 0.10.1. 900 tokens less three pictures of 100 are six pairs of frames.
static void pictures_beside_a_video(void **state)
{
    (void)state;
    make(KVB_ENCODER_QWEN2_VL, R(10, 0));
    plan.model.encoder.has_video = true;
    set(&plan, KVB_SET_MM_MAX_PIXELS, 100 * 28 * 28);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 900);
    set(&plan, KVB_SET_LIMIT_IMAGES, 3);
    look();
    assert_int_equal(load.tokens_per_item, 600);
    plan.engine.release = R(10, 1);
    look();
    assert_int_equal(load.tokens_per_item, 800);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 199); // one pair is as large as one picture, which is looked at first
    look();
    assert_int_equal(load.tokens_per_item, 100);
    assert_false(load.is_video);
}

// V0: as many items as the batch holds, and with encoders of their own one for each sequence.
static void items_in_v0(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        uint64_t tokens, items;
    } rows[] = {
        {KVB_ENCODER_GEMMA3, 256, 32},   {KVB_ENCODER_GEMMA4, 280, 29},         {KVB_ENCODER_LLAMA4, 2467, 3},
        {KVB_ENCODER_MLLAMA, 6404, 128}, {KVB_ENCODER_GEMMA4_UNIFIED, 280, 29}, {KVB_ENCODER_MINICPMV, 640, 12},
        {KVB_ENCODER_LFM2, 256, 32},     {KVB_ENCODER_KIMI, 4096, 2},           {KVB_ENCODER_WHISPER, 1500, 128},
        {KVB_ENCODER_PHI3V, 2509, 3},    {KVB_ENCODER_QWEN2_VL, 16384, 1},      {KVB_ENCODER_DOTS, 14400, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(rows[i].family, R(7, 3));
        look();
        if (load.tokens_per_item != rows[i].tokens || load.items != rows[i].items) {
            fail_msg("row %zu: %llu of %llu", i, (unsigned long long)load.items,
                     (unsigned long long)load.tokens_per_item);
        }
    }
    make(KVB_ENCODER_MLLAMA, R(7, 3));
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1);
    look();
    assert_int_equal(load.items, 1);
}

// Which modalities are allowed: a text has none; sounds alone are items, too.
static void what_is_allowed(void **state)
{
    (void)state;
    make(KVB_ENCODER_NONE, R(19, 0));
    look();
    assert_false(load.takes_items);
    make(KVB_ENCODER_GEMMA3, R(19, 0));
    plan.model.encoder.has_audio = true;
    set(&plan, KVB_SET_LIMIT_IMAGES, 0);
    look();
    assert_true(load.takes_items);
    assert_false(load.is_video);
    set(&plan, KVB_SET_LIMIT_AUDIOS, 1);
    look();
    assert_true(load.takes_items);
    set(&plan, KVB_SET_LIMIT_AUDIOS, 0);
    look();
    assert_false(load.takes_items);
    unset(&plan, KVB_SET_LIMIT_AUDIOS);
    plan.model.encoder.has_audio = false;
    look();
    assert_false(load.takes_items);
    set(&plan, KVB_SET_LIMIT_IMAGES, 1); // of one sequence one picture
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1);
    look();
    assert_int_equal(load.items, 1);
}

// An item whose size is not known: of another tower, where it is fed at all.
static void unsized(void **state)
{
    (void)state;
    make(KVB_ENCODER_OTHER, R(19, 0));
    assert_true(kvb_encoder_is_unsized(resolved(&plan)));
    set(&plan, KVB_SET_SKIP_MM_PROFILING, 1);
    assert_false(kvb_encoder_is_unsized(resolved(&plan)));
    unset(&plan, KVB_SET_SKIP_MM_PROFILING);
    set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 1);
    assert_false(kvb_encoder_is_unsized(resolved(&plan)));
    make(KVB_ENCODER_GEMMA3, R(19, 0));
    assert_false(kvb_encoder_is_unsized(resolved(&plan)));
    make(KVB_ENCODER_NONE, R(19, 0));
    assert_false(kvb_encoder_is_unsized(resolved(&plan)));
}

// Qwen3-VL's tower without its MLP: 4 hidden tensors to v0.11.2, counted from v0.12.0: 4 whole and 3 of the fused
// projection, 2 turned and what attention returns; from v0.15.0 2 more, laid out anew.
static void qwen3_vl_tower(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        unsigned tensors;
    } rows[] = {{R(11, 2), 4}, {R(12, 0), 10}, {R(14, 1), 10}, {R(15, 0), 12}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(KVB_ENCODER_QWEN3_VL, rows[i].release);
        look();
        assert_int_equal(load.peak_bytes - load.pixel_bytes, load.patches * rows[i].tensors * 1000 * 2);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(largest_video), cmocka_unit_test(kept_tokens), cmocka_unit_test(pictures_beside_a_video),
              cmocka_unit_test(items_in_v0), cmocka_unit_test(what_is_allowed), cmocka_unit_test(unsized),
              cmocka_unit_test(qwen3_vl_tower))
