// Picture projectors: buffers of the start as public logs print them.
#include "unit/test.h"

#include <string.h>

#include "engines/llamacpp/projector.h"

static struct kvb_model model;

static struct kvb_llama_run any_run(void)
{
    memset(&model, 0, sizeof model);
    model.layer_count = 4;
    model.hidden_size = 64;
    model.vocabulary_size = 64;
    model.kind_count = 1;
    return (struct kvb_llama_run){.model = &model,
                                  .build = 9410,
                                  .backend = KVB_LLAMA_CUDA,
                                  .devices = 2,
                                  .gpu_layers = 0,
                                  .context_tokens = 512,
                                  .sequences = 1,
                                  .batch = 512,
                                  .ubatch = 512,
                                  .flash = true};
}

static struct kvb_projector qwen3(uint32_t layers, uint32_t width, uint32_t inner, uint32_t out)
{
    return (struct kvb_projector){.named = true,
                                  .known = true,
                                  .fused_qkv = true,
                                  .family = KVB_ENCODER_QWEN3_VL,
                                  .bytes = 1000,
                                  .layers = layers,
                                  .hidden_size = width,
                                  .intermediate_size = inner,
                                  .heads = 16,
                                  .image_size = 768,
                                  .patch_size = 16,
                                  .merge_size = 2,
                                  .output_size = out};
}

static uint64_t hundredths(uint64_t bytes)
{
    return (bytes * 100 + (1 << 19)) >> 20;
}

// "warmup with image size = 1472 x 1472", "CUDA0 compute buffer size = 248.10 MiB", "CPU ... 24.93 MiB": llama-server
// with mmproj-BF16 of Qwen3.6-27B, 2026-05-14. Qwen3.5-2B: 223.3, Qwen3.5-0.8B: 161.3, both with 24.9 on the host.
static void test_buffers_of_the_start(void **state)
{
    struct kvb_llama_run run = any_run();
    struct kvb_llama_projected out;
    struct kvb_projector large = qwen3(27, 1152, 4304, 5120), middle = qwen3(24, 1024, 4096, 2048),
                         small = qwen3(12, 768, 3072, 1024);
    (void)state;
    kvb_llama_projector_of(&run, &large, 0, &out);
    assert_int_equal(out.side_pixels, 1472);
    assert_int_equal(hundredths(out.input_bytes), 2493);
    assert_int_equal(hundredths(out.compute_bytes), 24810);
    kvb_llama_projector_of(&run, &middle, 0, &out);
    assert_int_equal((hundredths(out.compute_bytes) + 5) / 10, 2233);
    kvb_llama_projector_of(&run, &small, 0, &out);
    assert_int_equal((hundredths(out.compute_bytes) + 5) / 10, 1613);
}

// llama.cpp prints 1502.33 MiB for the F16 projector of Qwen3-VL-8B ("estimated worst-case memory usage of mmproj"):
// its tensors, the device's buffer and the host's. That of Qwen3-VL-30B, whose four mergers end in 2048 instead of 4096
// rows, has 1033.29: 4 x 4608 x 2048 x 2 bytes and as many biases more make 1105.32.
static void test_features_of_inner_layers(void **state)
{
    struct kvb_llama_run run = any_run();
    struct kvb_llama_projected out;
    struct kvb_projector eight = qwen3(27, 1152, 4304, 4096);
    (void)state;
    eight.deepstack_levels = 3;
    kvb_llama_projector_of(&run, &eight, 0, &out);
    assert_int_equal(hundredths(out.compute_bytes + out.input_bytes), 150233 - 110532);
    assert_false(out.bounded);
}

static void test_sizes_of_pictures(void **state)
{
    struct kvb_llama_run run = any_run();
    struct kvb_llama_projected out;
    struct kvb_projector any = qwen3(27, 1152, 4304, 5120);
    (void)state;
    kvb_llama_projector_of(&run, &any, 1024, &out); // 32 x 32 tokens of 32 pixels, at most
    assert_int_equal(out.side_pixels, 1024);
    assert_int_equal(out.most_compute_bytes, out.compute_bytes);
    kvb_llama_projector_of(&run, &any, 0, &out); // up to 64 x 64
    assert_true(out.most_compute_bytes > out.compute_bytes);
    any.family = KVB_ENCODER_GEMMA3;
    any.fused_qkv = false;
    any.image_size = 896;
    any.patch_size = 14;
    any.merge_size = 4;
    kvb_llama_projector_of(&run, &any, 0, &out);
    assert_int_equal(out.side_pixels, 896);
    assert_true(out.bounded);
    any.family = KVB_ENCODER_PIXTRAL;
    any.gated = true;
    any.merge_size = 2;
    run.flash = false;
    kvb_llama_projector_of(&run, &any, 0, &out);
    assert_int_equal(out.side_pixels, 16 * 14 * 2);
    any.family = KVB_ENCODER_OTHER;
    kvb_llama_projector_of(&run, &any, 0, &out);
    assert_int_equal(out.side_pixels, 896);
    run.devices = 0;
    kvb_llama_projector_of(&run, &any, 0, &out);
    assert_int_equal(out.compute_bytes, 0);
    assert_true(out.input_bytes > 0);
    any.known = false;
    kvb_llama_projector_of(&run, &any, 0, &out);
    assert_int_equal(out.model_bytes, 0);
}

// tools/mtmd/clip.cpp, load_hparams at b7437: set_warmup_n_tokens(46 * 46) and (256), a side of 46 or 16 tokens;
// set_limit_image_tokens(8, 4096) and (8, 1024), where nobody says another limit. Gemma 3 has pictures of one size.
static void test_limits_of_kinds(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        uint32_t side_tokens;
        uint64_t most_tokens;
    } rows[] = {{KVB_ENCODER_QWEN2_VL, 46, 4096},
                {KVB_ENCODER_QWEN25_VL, 46, 4096},
                {KVB_ENCODER_QWEN3_VL, 46, 4096},
                {KVB_ENCODER_PIXTRAL, 16, 1024},
                {KVB_ENCODER_KIMI, 16, 1024}};
    struct kvb_llama_run run = any_run();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_projector any = qwen3(2, 64, 128, 64);
        struct kvb_llama_projected usual, said;
        any.family = rows[i].family;
        kvb_llama_projector_of(&run, &any, 0, &usual);
        assert_int_equal(usual.side_pixels, rows[i].side_tokens * 16 * 2);
        kvb_llama_projector_of(&run, &any, rows[i].most_tokens, &said);
        assert_int_equal(said.most_compute_bytes, usual.most_compute_bytes);
        assert_true(usual.most_compute_bytes > usual.compute_bytes);
        uint64_t side = 1;
        for (; side * side <= rows[i].most_tokens; side++) {
        }
        kvb_llama_projector_of(&run, &any, side * side, &said); // a larger square
        assert_true(said.most_compute_bytes > usual.most_compute_bytes);
        kvb_llama_projector_of(&run, &any, rows[i].most_tokens - 1, &said);
        assert_true(said.most_compute_bytes < usual.most_compute_bytes);
        // beyond 1024 x 1024 tokens, more than any picture has, nothing grows
        struct kvb_llama_projected beyond;
        kvb_llama_projector_of(&run, &any, UINT64_C(1) << 20, &said);
        kvb_llama_projector_of(&run, &any, UINT64_C(1) << 22, &beyond);
        assert_int_equal(said.most_compute_bytes, beyond.most_compute_bytes);
        assert_int_equal(usual.bounded, rows[i].family != KVB_ENCODER_QWEN3_VL); // one is followed to the hundredth
    }
}

// What the host hands over of a picture: three colours of each pixel in 32 bits, and four positions of each patch where
// positions are rotated (tools/mtmd/clip.cpp, build_inp_raw; "positions" of qwen2vl.cpp, pixtral.cpp, kimivl.cpp).
static void test_inputs_of_kinds(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        bool rotated;
    } rows[] = {{KVB_ENCODER_QWEN2_VL, true}, {KVB_ENCODER_QWEN25_VL, true}, {KVB_ENCODER_QWEN3_VL, true},
                {KVB_ENCODER_PIXTRAL, true},  {KVB_ENCODER_KIMI, true},      {KVB_ENCODER_GEMMA4, true},
                {KVB_ENCODER_GEMMA3, false},  {KVB_ENCODER_OTHER, false}};
    struct kvb_llama_run run = any_run();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_projector any = qwen3(2, 64, 128, 64);
        struct kvb_llama_projected out;
        any.family = rows[i].family;
        kvb_llama_projector_of(&run, &any, 0, &out);
        uint64_t side = out.side_pixels, patches = side / 16 * (side / 16);
        assert_int_equal(out.input_bytes, side * side * 12 + (rows[i].rotated ? patches * 16 : 0));
    }
}

// Without layers the patches are widest: a picture, its columns of 3 x 16 x 16 numbers a patch, what comes of them and
// a copy that lies together (ggml_conv_2d); where two convolutions read it, one's result stays beside the other's.
// Positions are there from the start.
static void test_convolutions_of_kinds(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        uint64_t convolutions, positions;
    } rows[] = {{KVB_ENCODER_QWEN2_VL, 2, 16}, {KVB_ENCODER_QWEN25_VL, 2, 16}, {KVB_ENCODER_QWEN3_VL, 2, 16},
                {KVB_ENCODER_PIXTRAL, 1, 16},  {KVB_ENCODER_KIMI, 1, 16},      {KVB_ENCODER_GEMMA4, 1, 16},
                {KVB_ENCODER_GEMMA3, 1, 0},    {KVB_ENCODER_OTHER, 1, 0}};
    struct kvb_llama_run run = any_run();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_projector any = qwen3(0, 4096, 128, 64);
        struct kvb_llama_projected out;
        any.family = rows[i].family;
        kvb_llama_projector_of(&run, &any, 0, &out);
        uint64_t side = out.side_pixels, patches = side / 16 * (side / 16);
        uint64_t of_patch = (3 * 16 * 16 + (1 + rows[i].convolutions) * 4096) * 4 + rows[i].positions;
        assert_int_equal(out.compute_bytes, side * side * 12 + patches * of_patch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffers_of_the_start), cmocka_unit_test(test_features_of_inner_layers),
        cmocka_unit_test(test_sizes_of_pictures),    cmocka_unit_test(test_limits_of_kinds),
        cmocka_unit_test(test_inputs_of_kinds),      cmocka_unit_test(test_convolutions_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
