// The largest multimodal item of each encoder family and what a profile run keeps of it, by hand.
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/overhead.h"
#include "unit/encoders.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_encoder_load load;

static const struct kvb_encoder gemma3 = {.family = KVB_ENCODER_GEMMA3,
                                          .layers = 27,
                                          .hidden_size = 1152,
                                          .intermediate_size = 4304,
                                          .heads = 16,
                                          .patch_size = 14,
                                          .image_size = 896,
                                          .tokens_per_image = 256};

static void make_vision(const struct kvb_encoder *encoder, uint32_t release, uint64_t tokens)
{
    make_llama_plan(&plan, release);
    plan.environment.use_v2_model_runner = KVB_NO;
    plan.model.encoder = *encoder;
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, tokens);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 128);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 2048);
}

static void look(void)
{
    kvb_encoder_load_of(resolved(&plan), &load);
}

struct family_row {
    const char *what;
    struct kvb_encoder encoder;
    uint64_t tokens, items, patches; // at 8192 tokens, 0.19
};

static void largest_item_by_family(void **state)
{
    (void)state;
    static const struct family_row rows[] = {
        // 12,845,056 pixels / 28 squared
        {"Qwen2-VL", {.family = KVB_ENCODER_QWEN2_VL, .patch_size = 14, .merge_size = 2}, 16384, 1, 65536},
        {"Qwen2.5-VL", {.family = KVB_ENCODER_QWEN25_VL, .patch_size = 14, .merge_size = 2}, 16384, 1, 65536},
        // 16,777,216 pixels / 32 squared
        {"Qwen3-VL", {.family = KVB_ENCODER_QWEN3_VL, .patch_size = 16, .merge_size = 2}, 16384, 1, 65536},
        // 896 / 14 = 64 patches a side, pooled 4 x 4: 256 tokens; 8192 / 256 = 32
        {"Gemma 3", {.family = KVB_ENCODER_GEMMA3, .tokens_per_image = 256}, 256, 32, 256 * 32 * 16},
        // 280 soft tokens of 3 x 3 patches; 8192 / 280 = 29 whole pictures
        {"Gemma 4", {.family = KVB_ENCODER_GEMMA4}, 280, 29, 280 * 29 * 9},
        // 1540 / 28 = 55 a side
        {"Pixtral",
         {.family = KVB_ENCODER_PIXTRAL, .patch_size = 14, .merge_size = 2, .image_size = 1540},
         3025,
         2,
         3025 * 2 * 4},
        {"Pixtral 12B, no merging",
         {.family = KVB_ENCODER_PIXTRAL, .patch_size = 16, .image_size = 1024},
         4096,
         2,
         4096 * 2},
        {"patch size not known", {.family = KVB_ENCODER_PIXTRAL, .image_size = 1540}, 3025, 2, 3025 * 2},
        // 16 tiles and a thumbnail of 144 tokens and their separators
        {"Llama 4", {.family = KVB_ENCODER_LLAMA4}, 2467, 3, 2467 * 3 * 4},
        // 4 tiles of 1601
        {"Llama 3.2 Vision", {.family = KVB_ENCODER_MLLAMA}, 6404, 1, 6404},
        // 10 slices of 64
        {"MiniCPM-V", {.family = KVB_ENCODER_MINICPMV}, 640, 12, 640 * 12 * 16},
        {"Kimi-VL", {.family = KVB_ENCODER_KIMI}, 4096, 2, 4096 * 2 * 4},
        {"Phi-3 Vision", {.family = KVB_ENCODER_PHI3V}, 2509, 3, 2509 * 3 * 4},
        // 30 s of sound; 8192 / 1500 = 5
        {"Whisper", {.family = KVB_ENCODER_WHISPER, .tokens_per_image = 1500}, 1500, 5, 7500},
        // preprocessor_config.json of dots.ocr: max_pixels 11,289,600 / 28 squared
        {"dots.ocr", {.family = KVB_ENCODER_DOTS, .patch_size = 14, .merge_size = 2}, 14400, 1, 57600},
        // a tile of 512 / 16 = 32 patches a side, merged 2 x 2; 8192 / 256 = 32
        {"LFM2-VL", {.family = KVB_ENCODER_LFM2}, 256, 32, 256 * 32 * 4},
        // 280 tokens of 48 pixels, nine patches of 16 each
        {"Gemma 4 unified", {.family = KVB_ENCODER_GEMMA4_UNIFIED}, 280, 29, 280 * 29 * 9},
        {"none", {.family = KVB_ENCODER_NONE}, 0, 0, 0},
        {"unknown", {.family = KVB_ENCODER_OTHER}, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_vision(&rows[i].encoder, R(19, 0), 8192);
        look();
        if (load.tokens_per_item != rows[i].tokens || load.items != rows[i].items || load.patches != rows[i].patches) {
            fail_msg("%s: %llu tokens x %llu, %llu patches", rows[i].what, (unsigned long long)load.tokens_per_item,
                     (unsigned long long)load.items, (unsigned long long)load.patches);
        }
        assert_int_equal(load.kept_tokens, rows[i].tokens * rows[i].items);
    }
}

// Pictures that are cut: Llama 4's 16 tiles and the whole (mllama4.py v0.19.0 max_patches, the thumbnail), MiniCPM-V's
// 9 slices and the whole (minicpmv.py max_slice_nums), Phi-3's 16 crops and the whole (num_crops of its preprocessor),
// Llama 3.2's max_image_tiles of 4; the others are seen whole. Hidden tensors at the peak of a layer, by the code of
// each: Whisper's input, residual and norm; dots' 12 beside the MLP's; Qwen3-VL's 12 in attention (4 and 8 of its
// heads: qwen3_vl_tower below has the MLP too); Llama 4's 6 and Qwen2.5-VL's 5 by logs; else 4, in V0 8.
static void tiles_and_hidden_tensors(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        unsigned tiles; // 0: patches are counted instead
        unsigned tensors, early;
    } rows[] = {{KVB_ENCODER_QWEN2_VL, 0, 4, 8}, {KVB_ENCODER_QWEN25_VL, 0, 5, 8}, {KVB_ENCODER_QWEN3_VL, 0, 12, 8},
                {KVB_ENCODER_GEMMA3, 1, 4, 8},   {KVB_ENCODER_PIXTRAL, 1, 4, 8},   {KVB_ENCODER_LLAMA4, 17, 6, 8},
                {KVB_ENCODER_MLLAMA, 4, 4, 8},   {KVB_ENCODER_MINICPMV, 10, 4, 8}, {KVB_ENCODER_KIMI, 0, 4, 8},
                {KVB_ENCODER_PHI3V, 17, 4, 8},   {KVB_ENCODER_DOTS, 0, 12, 8},     {KVB_ENCODER_LFM2, 1, 4, 8},
                {KVB_ENCODER_WHISPER, 0, 3, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_encoder encoder = {
            .family = rows[i].family, .hidden_size = 1000, .patch_size = 14, .merge_size = 2, .image_size = 280};
        make_vision(&encoder, R(19, 0), 8192);
        look();
        uint64_t tiles = rows[i].tiles * load.items * 3 * 280 * 280 * 2, patches = load.patches * 3 * 14 * 14 * 2;
        if (load.pixel_bytes != (rows[i].tiles > 0 ? tiles : patches) ||
            load.peak_bytes - load.pixel_bytes != load.patches * rows[i].tensors * 1000 * 2) {
            fail_msg("row %zu: %llu B of %llu items", i, (unsigned long long)load.pixel_bytes,
                     (unsigned long long)load.items);
        }
        make_vision(&encoder, R(7, 3), 8192);
        look();
        assert_int_equal(load.peak_bytes - load.pixel_bytes, load.patches * rows[i].early * 1000 * 2);
        // enc_dec_model_runner.py gives each of 128 sequences an item, model_runner.py as many as there are tokens for
        bool each = rows[i].family == KVB_ENCODER_MLLAMA || rows[i].family == KVB_ENCODER_WHISPER;
        uint64_t fitting = 8192 / load.tokens_per_item;
        assert_int_equal(load.items, each ? 128 : fitting > 0 ? fitting : 1);
    }
}

// Gemma 3 at 8192 tokens: 32 pictures of 3 x 896 x 896 x 2 B are 0.144 GiB of pixels; 12B logged 3.94 GiB in all.
static void gemma_3_log(void **state)
{
    (void)state;
    struct kvb_activation activation;
    make_vision(&gemma3, R(19, 0), 8192);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1024);
    plan.model.hidden_size = 3840;
    plan.model.vocabulary_size = 262208;
    plan.model.kinds[0].mlp.intermediate_size = 15360;
    plan.gpu.multiprocessors = 132;
    look();
    assert_int_equal(load.pixel_bytes, 32ULL * 3 * 896 * 896 * 2);
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    assert_int_equal(activation.kept_bytes, 8192ULL * 3840 * 2 + 32ULL * 3 * 896 * 896 * 2);
    assert_true(activation.total.bytes > 392 * GIB / 100 && activation.total.bytes < 396 * GIB / 100);
}

// Qwen2.5-VL's encoder in V0: 65536 patches x (3 x 3420 + 8 x 1280) x 2 B and 1176 x 2 B of pixels a patch = 2.65
// GiB; a public log has 2.47. V1 keeps 5: a 0.23.0 log of 458,752 patches has 36.0 kB a patch, which is 3 x 3420 + 6 x
// 1280 elements with the 1176 of the pixels; MiMo-VL with the same encoder, 0.19, H100, logged 2.49 for the sampler.
// tp 2 halves the MLP, unless each rank runs the encoder whole.
static void qwen_encoder_pass(void **state)
{
    (void)state;
    uint64_t pixels = 65536ULL * 3 * 14 * 14 * 2 * 2;
    make_vision(&qwen25_vl, R(7, 3), 16384);
    look();
    assert_int_equal(load.pixel_bytes, pixels);
    assert_int_equal(load.peak_bytes, 65536ULL * (3 * 3420 + 8 * 1280) * 2 + pixels);
    make_vision(&qwen25_vl, R(10, 0), 2048);
    look();
    assert_int_equal(load.peak_bytes, 65536ULL * (3 * 3420 + 5 * 1280) * 2 + pixels);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    look();
    assert_int_equal(load.peak_bytes, 65536ULL * (3 * 3420 / 2 + 5 * 1280) * 2 + pixels);
    set(&plan, KVB_SET_MM_ENCODER_TP_MODE, 1);
    look();
    assert_int_equal(load.peak_bytes, 65536ULL * (3 * 3420 + 5 * 1280) * 2 + pixels);
}

struct tower_row {
    uint32_t release;
    uint64_t ranks;
    bool copied;
    uint64_t elements; // of a patch
};

// The tower of Qwen3.5-27B: 65,536 patches, hidden 1152, MLP 4304, 16 x 16 pixels of two frames. In attention four
// hidden tensors are whole, and the heads have 3 (qkv) + 2 (copied) + 2 (turned) + 1; with ranks another is the sum
// over them.
static void qwen3_vl_tower(void **state)
{
    (void)state;
    static const struct kvb_encoder tower = {.family = KVB_ENCODER_QWEN3_VL,
                                             .layers = 27,
                                             .hidden_size = 1152,
                                             .intermediate_size = 4304,
                                             .heads = 16,
                                             .patch_size = 16,
                                             .temporal_patch_size = 2,
                                             .merge_size = 2};
    static const struct tower_row rows[] = {
        {R(19, 0), 1, false, (4 + 8) * 1152},
        {R(14, 1), 1, false, 4 * 1152 + 2 * 4304}, // 4 + 6 tensors, no copy yet: the MLP is wider
        {R(11, 0), 1, false, 4 * 1152 + 2 * 4304},
        {R(11, 0), 2, false, 4 * 1152 + 2 * 4304 / 2}, // not counted so early
        {R(19, 0), 2, false, (5 + 8 / 2) * 1152},
        {R(13, 0), 2, false, (5 + 6 / 2) * 1152},  // 9216; the second product of the MLP has 6 x 1152 + 4304 / 2 = 9064
        {R(19, 0), 8, false, 6 * 1152 + 4304 / 8}, // behind the second product: output and sum, and one half
        {R(19, 0), 4, true, (4 + 8) * 1152},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_vision(&tower, rows[i].release, 2048);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].ranks);
        set(&plan, KVB_SET_MM_ENCODER_TP_MODE, rows[i].copied);
        set(&plan, KVB_SET_LIMIT_VIDEOS, 0);
        look();
        assert_int_equal(load.peak_bytes, 65536 * (rows[i].elements + 3 * 16 * 16 * 2) * 2);
    }
}

// V0 gives an encoder-decoder model one item for each sequence: whisper-large-v3-turbo on an MI300X, 0.9.0.1, took
// 10.45 GiB (vllm issue 20069): 256 x 1500 positions x (2 x 5120 + 3 x 1280) x 2 B and 256 features of 3000 frames x
// 128 x 2 B are 10.25.
static void encoder_decoder_pass(void **state)
{
    (void)state;
    static const struct kvb_encoder whisper = {.family = KVB_ENCODER_WHISPER,
                                               .hidden_size = 1280,
                                               .intermediate_size = 5120,
                                               .tokens_per_image = 1500,
                                               .mel_bins = 128};
    static const struct kvb_encoder mllama = {.family = KVB_ENCODER_MLLAMA, .image_size = 560};
    make_vision(&whisper, R(9, 0), 5120);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    plan.environment.use_v1 = KVB_NO;
    look();
    assert_int_equal(load.items, 256);
    assert_int_equal(load.pixel_bytes, 256ULL * 3000 * 128 * 2);
    assert_int_equal(load.peak_bytes, 384000ULL * (2 * 5120 + 3 * 1280) * 2 + 256ULL * 3000 * 128 * 2);
    make_vision(&mllama, R(6, 2), 131072);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    look();
    assert_int_equal(load.items, 256);
}

// --mm-processor-kwargs max_pixels: 1,003,520 / 784 = 1280 tokens, and one pair of such frames in 2048; below one token
// there is still one, and a video has seven.
static void pixel_limit(void **state)
{
    (void)state;
    make_vision(&qwen25_vl, R(19, 0), 2560);
    set(&plan, KVB_SET_MM_MAX_PIXELS, 1003520);
    look();
    assert_int_equal(load.tokens_per_item, 1280);
    assert_int_equal(load.items, 2);
    set(&plan, KVB_SET_MM_MAX_PIXELS, 100);
    look();
    assert_int_equal(load.tokens_per_item, 7);
    make_vision(&(struct kvb_encoder){.family = KVB_ENCODER_PIXTRAL, .patch_size = 14, .image_size = 7}, R(19, 0), 128);
    look();
    assert_int_equal(load.tokens_per_item, 1);
}

struct off_row {
    const char *what;
    uint64_t images, videos; // KVB_AUTO = not set
    bool text_only, skip, has_video, off;
};

// Both modalities at 0, the text model alone, or no profiling.
static void switched_off(void **state)
{
    (void)state;
    static const struct off_row rows[] = {
        {"nothing said", KVB_AUTO, KVB_AUTO, false, false, true, false},
        {"no video", KVB_AUTO, 0, false, false, true, false},
        {"no pictures", 0, KVB_AUTO, false, false, true, false},
        {"one video", 0, 1, false, false, true, false},
        {"neither", 0, 0, false, false, true, true},
        {"no pictures, no video to begin with", 0, KVB_AUTO, false, false, false, true},
        {"two pictures", 2, 0, false, false, true, false},
        {"text only", KVB_AUTO, KVB_AUTO, true, false, true, true},
        {"not profiled", KVB_AUTO, KVB_AUTO, false, true, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_vision(&qwen25_vl, R(19, 0), 8192);
        plan.model.encoder.has_video = rows[i].has_video;
        if (rows[i].images != KVB_AUTO) {
            set(&plan, KVB_SET_LIMIT_IMAGES, rows[i].images);
        }
        if (rows[i].videos != KVB_AUTO) {
            set(&plan, KVB_SET_LIMIT_VIDEOS, rows[i].videos);
        }
        set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, rows[i].text_only);
        set(&plan, KVB_SET_SKIP_MM_PROFILING, rows[i].skip);
        look();
        if ((load.items == 0) != rows[i].off) {
            fail_msg("%s: %llu items", rows[i].what, (unsigned long long)load.items);
        }
    }
}

// Runner V2 profiles no encoder to 0.26; from 0.27 it does, and lets go of the pixels with the pass.
static void runner_v2(void **state)
{
    (void)state;
    make_vision(&qwen25_vl, R(26, 0), 8192);
    plan.environment.use_v2_model_runner = KVB_YES;
    look();
    assert_true(load.takes_items && load.items == 0 && load.peak_bytes == 0);
    make_vision(&qwen25_vl, R(27, 0), 8192);
    plan.environment.use_v2_model_runner = KVB_NO;
    look();
    assert_true(load.pixel_bytes > 0 && load.kept_pixel_bytes == load.pixel_bytes);
    plan.environment.use_v2_model_runner = KVB_YES;
    look();
    assert_true(load.pixel_bytes > 0 && load.kept_pixel_bytes == 0);
}

// A batch of 2000 with items of 256: 0.9.x rounds up (8), 0.10 on rounds down (7); limits x sequences cap it;
// V0 runs min(sequences, batch / item).
// The largest video is what is profiled: Qwen2.5-VL at 128,000 tokens of context takes 14 frames, 7 x 16384 = 114688
// tokens (0.23.0: "a budget of 114688 tokens, and profiled with 1 video items"), to 0.10.0 six pairs beside a picture:
// (128000 - 16384) / 16384, from 0.10.1 to 0.10.2 seven of at most eight. At 32768 there is room for two pairs.
// Gemma 4: 32 frames of 70 + 8 tokens, three of them in 8192 (0.23.0: "3 video items"). Qwen3-VL announces 12,288 x
// 12.5 tokens to 0.12 and its outputs are copied into that size; later its pictures are larger.
static void videos(void **state)
{
    (void)state;
    static const struct kvb_encoder qwen3_vl = {
        .family = KVB_ENCODER_QWEN3_VL, .patch_size = 16, .merge_size = 2, .has_video = true, .deepstack_levels = 3};
    static const struct kvb_encoder gemma4 = {.family = KVB_ENCODER_GEMMA4, .patch_size = 16, .has_video = true};
    static const struct kvb_encoder unified = {.family = KVB_ENCODER_GEMMA4_UNIFIED, .has_video = true};
    static const struct kvb_encoder qwen2_vl = {
        .family = KVB_ENCODER_QWEN2_VL, .patch_size = 14, .merge_size = 2, .has_video = true};
    static const struct {
        const struct kvb_encoder *encoder;
        uint32_t release;
        uint64_t length, tokens, items, patches, kept;
    } rows[] = {
        {&qwen25_vl, R(23, 0), 128000, 114688, 1, 458752, 114688},
        {&qwen25_vl, R(10, 2), 128000, 114688, 1, 458752, 114688},
        {&qwen25_vl, R(10, 2), 256000, 131072, 1, 524288, 131072},
        {&qwen25_vl, R(10, 0), 128000, 98304, 1, 393216, 98304},
        {&qwen25_vl, R(19, 0), 32768, 32768, 1, 131072, 32768},
        {&qwen25_vl, R(19, 0), 8192, 16384, 1, 65536, 16384},
        {&qwen25_vl, R(11, 0), 256000, 114688, 1, 458752, 114688}, // 14 frames from here
        {&qwen2_vl, R(10, 2), 256000, 131072, 1, 524288, 131072},
        {&qwen2_vl, R(11, 0), 256000, 114688, 1, 458752, 114688},
        {&qwen2_vl, R(8, 0), 256000, 131072, 1, 524288, 131072},
        {&unified, R(23, 0), 32768, 2496, 3, 3 * 32 * 70 * 9, 3 * 32 * 70},
        {&gemma4, R(19, 0), 32768, 2496, 3, 3 * 32 * 630, 3 * 32 * 70},
        {&gemma4, R(23, 0), 32768, 2496, 3, 3 * 32 * 630, 3 * 32 * 70},
        {&gemma4, R(18, 0), 32768, 280, 29, 29 * 2520, 29 * 280},
        {&qwen3_vl, R(12, 0), 32768, 153600, 1, 49152, 153600},
        {&qwen3_vl, R(13, 0), 32768, 16384, 1, 65536, 16384},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_vision(rows[i].encoder, rows[i].release, 8192);
        set(&plan, KVB_SET_MAX_MODEL_LEN, rows[i].length);
        look();
        if (load.tokens_per_item != rows[i].tokens || load.items != rows[i].items || load.patches != rows[i].patches ||
            load.kept_tokens != rows[i].kept) {
            fail_msg("row %zu: %llu tokens x %llu, %llu patches, %llu kept", i,
                     (unsigned long long)load.tokens_per_item, (unsigned long long)load.items,
                     (unsigned long long)load.patches, (unsigned long long)load.kept_tokens);
        }
    }
    assert_int_equal(load.kept_width, 4 * 4096); // the last row: deepstack hands on three more outputs
    make_vision(&qwen25_vl, R(23, 0), 8192);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 128000);
    set(&plan, KVB_SET_LIMIT_VIDEOS, 0);
    look();
    assert_int_equal(load.tokens_per_item, 16384);
}

// One frame of 630 patches at a time to 0.21; from 0.22 a tenth of the card over 630 x 4 x 10240 x 8 B: 79.19 GiB give
// 41 of 96 frames.
static void gemma_4_in_chunks(void **state)
{
    (void)state;
    static const struct kvb_encoder gemma4 = {.family = KVB_ENCODER_GEMMA4,
                                              .hidden_size = 1152,
                                              .intermediate_size = 4304,
                                              .patch_size = 16,
                                              .gated = true,
                                              .has_video = true};
    uint64_t pixels = 96ULL * 630 * 768 * 2;
    uint64_t frame = 630ULL * (3 * 4304 + 4 * 1152) * 2;
    make_vision(&gemma4, R(20, 0), 8192);
    look();
    assert_int_equal(load.peak_bytes, frame + pixels);
    make_vision(&gemma4, R(22, 0), 8192);
    look();
    assert_int_equal(load.peak_bytes, 41 * frame + pixels);
}

static void how_many_items(void **state)
{
    (void)state;
    make_vision(&gemma3, R(9, 2), 2048 - 48);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 1024);
    look();
    assert_int_equal(load.items, 8);
    plan.engine.release = R(8, 5);
    look();
    assert_int_equal(load.items, 8);
    plan.engine.release = R(10, 0);
    look();
    assert_int_equal(load.items, 7);
    set(&plan, KVB_SET_LIMIT_IMAGES, 2);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 3);
    look();
    assert_int_equal(load.items, 6);
    make_vision(&gemma3, R(7, 3), 8192);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 5);
    look();
    assert_int_equal(load.items, 5);
    make_vision(&qwen25_vl, R(7, 3), 8192);
    look();
    assert_int_equal(load.items, 1);
}

// V0 samples as many rows as pictures fit into the batch: one of 16384 tokens in 32768 leaves 2.
static void v0_rows_of_logits(void **state)
{
    (void)state;
    struct kvb_activation activation;
    make_vision(&qwen25_vl, R(7, 3), 32768);
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    assert_int_equal(activation.logits_rows, 2);
    make_vision(&qwen25_vl, R(7, 3), 8192);
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    assert_int_equal(activation.logits_rows, 1);
}

// A modality without a limit has 999 (config/multimodal.py v0.19.0 get_limit_per_prompt), and a step has no more items
// than its sequences bring: 300,000 tokens hold 1,171 pictures of 256; of two sequences with a limit of 3 it takes 6.
static void most_items_of_a_step(void **state)
{
    (void)state;
    make_vision(&gemma3, R(19, 0), 300000);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1);
    look();
    assert_int_equal(load.items, 999);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 2);
    look();
    assert_int_equal(load.items, 1171);
    set(&plan, KVB_SET_LIMIT_IMAGES, 3);
    look();
    assert_int_equal(load.items, 6);
}

KVB_TEST_MAIN(cmocka_unit_test(most_items_of_a_step), cmocka_unit_test(tiles_and_hidden_tensors),
              cmocka_unit_test(largest_item_by_family), cmocka_unit_test(gemma_3_log),
              cmocka_unit_test(qwen_encoder_pass), cmocka_unit_test(encoder_decoder_pass),
              cmocka_unit_test(pixel_limit), cmocka_unit_test(switched_off), cmocka_unit_test(runner_v2),
              cmocka_unit_test(videos), cmocka_unit_test(gemma_4_in_chunks), cmocka_unit_test(how_many_items),
              cmocka_unit_test(v0_rows_of_logits), cmocka_unit_test(qwen3_vl_tower))
