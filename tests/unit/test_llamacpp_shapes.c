// Compute buffers of models that differ in one thing: what that thing takes, by the engine's own code.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/projector.h"
#include "engines/llamacpp/run.h"
#include "engines/llamacpp/tensors.h"
#include "unit/test.h"

static struct kvb_model model;
static struct kvb_llama_run run;
static struct kvb_llama_buffers buffers;

// Four layers of 32 heads, 8 of keys and values.
static void begin(const char *class)
{
    memset(&model, 0, sizeof model);
    (void)snprintf(model.architecture, sizeof model.architecture, "%s", class);
    model.layer_count = 4;
    model.hidden_size = 4096;
    model.vocabulary_size = 32000;
    model.kind_count = 1;
    model.kinds[0].norms = 2;
    model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_FULL, .heads = 32, .kv_heads = 8, .head_size = 128, .value_head_size = 128};
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 14336};
    run = (struct kvb_llama_run){.model = &model,
                                 .build = 9010,
                                 .backend = KVB_LLAMA_CUDA,
                                 .devices = 1,
                                 .gpu_layers = 5,
                                 .context_tokens = 4096,
                                 .sequences = 1,
                                 .batch = 2048,
                                 .ubatch = 512,
                                 .flash = true};
}

static uint64_t compute(uint32_t place)
{
    kvb_llama_all_buffers(&run, &buffers);
    return buffers.places[place].compute_bytes;
}

// src/llama-kv-cache.cpp since b8619: heads of one size, a multiple of 64, in a quantised cache are rotated by an input
// in f32 with as many rows as the largest power of two that divides a key, at least 64, and one of 64 x 64 for values.
static void rotations(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, second; // elements of a key in every other layer
        enum kvb_llama_cache keys, values;
        uint64_t bytes;
    } rows[] = {{128, 128, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 4 * (128 * 128 + 64 * 64)},
                {128, 128, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_F16, 4 * 128 * 128},
                {128, 128, KVB_LLAMA_CACHE_BF16, KVB_LLAMA_CACHE_Q4_0, 4 * 64 * 64},
                {128, 128, KVB_LLAMA_CACHE_F32, KVB_LLAMA_CACHE_F32, 0},
                {64, 64, KVB_LLAMA_CACHE_Q5_1, KVB_LLAMA_CACHE_IQ4_NL, 4 * (64 * 64 + 64 * 64)},
                {192, 192, KVB_LLAMA_CACHE_Q5_0, KVB_LLAMA_CACHE_Q4_1, 4 * (64 * 64 + 64 * 64)},
                {256, 256, KVB_LLAMA_CACHE_Q4_0, KVB_LLAMA_CACHE_Q8_0, 4 * (256 * 256 + 64 * 64)},
                {96, 96, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 0},
                {128, 64, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 0},
                {64, 128, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("LlamaForCausalLM");
        model.kind_count = 2;
        model.kinds[1] = model.kinds[0];
        model.kind_of_layer[1] = model.kind_of_layer[3] = 1;
        model.kinds[0].attention.head_size = model.kinds[0].attention.value_head_size = rows[i].first;
        model.kinds[1].attention.head_size = model.kinds[1].attention.value_head_size = rows[i].second;
        run.key_type = rows[i].keys;
        run.value_type = rows[i].values;
        run.build = 8618;
        uint64_t before = compute(KVB_LLAMA_HOST);
        run.build = 8619;
        assert_int_equal(compute(KVB_LLAMA_HOST) - before, rows[i].bytes);
    }
}

// llama.cpp, build_inp_out_ids since b2540: which of the 512 tokens' logits are wanted, in 32 bits.
static void chosen_rows(void **state)
{
    (void)state;
    begin("LlamaForCausalLM");
    run.build = 2539;
    uint64_t before = compute(KVB_LLAMA_HOST);
    run.build = 2540;
    assert_int_equal(compute(KVB_LLAMA_HOST) - before, 512 * 4);
}

// llm_build's inp_pos: a position of 32 bits for each of 512 tokens, four where pictures have two directions and a
// time.
static void positions(void **state)
{
    (void)state;
    begin("LlamaForCausalLM");
    uint64_t one = compute(KVB_LLAMA_HOST);
    begin("Qwen2VLForConditionalGeneration");
    assert_int_equal(compute(KVB_LLAMA_HOST) - one, 512 * (4 - 1) * 4);
}

// Where the file's size is known, tensors are so much of what the formats make: 750001 millionths of 2 x 4096 x 32000
// bytes of the embedding are 196608262.
static void part_of_the_weights(void **state)
{
    (void)state;
    begin("LlamaForCausalLM");
    run.weights_ppm = 750001;
    run.sequences = 3;
    kvb_llama_lasting_buffers(&run, &buffers);
    assert_int_equal(buffers.places[KVB_LLAMA_HOST].model_bytes, 196608262);
    assert_int_equal(buffers.embedding_bytes, 2 * 4096 * 32000);
    assert_int_equal(buffers.output_bytes, 3 * 32000 * 4); // a row of logits for each sequence
}

// A window of no tokens is none; the others hold their tokens and a graph's, and no more than all.
static void windows(void **state)
{
    (void)state;
    static const struct {
        uint32_t build, window;
        bool full;
        uint64_t context, cells;
    } rows[] = {{9010, 0, false, 65536, 65536},   {9010, 1024, false, 65536, 1536}, {9010, 1025, false, 65536, 1792},
                {9010, 1024, true, 65536, 65536}, {9010, 1024, false, 1280, 1280},  {5553, 1024, false, 65536, 3072},
                {5554, 1024, false, 65536, 1536}, {5428, 1024, false, 65536, 65536}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("Gemma3ForCausalLM");
        model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
        model.kinds[0].attention.window_tokens = rows[i].window;
        run.build = rows[i].build;
        run.window_full = rows[i].full;
        run.context_tokens = rows[i].context;
        kvb_llama_lasting_buffers(&run, &buffers);
        assert_int_equal(buffers.window_cells, rows[i].cells);
        assert_int_equal(buffers.places[0].cache_bytes, rows[i].cells * 4 * 2 * 8 * 128 * 2);
    }
}

// Which states are read: a number of 32 bits for each sequence, in steps of 64 bytes.
static void state_rows(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (uint32_t i = 0; i < 2; i++) {
        begin("Mamba2ForCausalLM");
        model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                                                .conv_kernel = 4,
                                                                .state_key_heads = 8,
                                                                .state_key_size = 128,
                                                                .state_value_heads = 64,
                                                                .state_value_size = 64};
        run.unified = true;
        run.sequences = i == 0 ? 16 : 48;
        uint64_t host = compute(KVB_LLAMA_HOST);
        assert_int_equal(host - before, i == 0 ? host : 128);
        before = host;
    }
}

// More nodes than are held: 512 layers whose every token asks 64 experts. Then the figure is a bound.
static void more_nodes_than_are_held(void **state)
{
    (void)state;
    begin("MixtralForCausalLM");
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 64,
                                                .experts_per_token = 64,
                                                .expert_intermediate_size = 64,
                                                .expert_gated = true};
    (void)compute(0);
    assert_false(buffers.compute_bounded);
    model.layer_count = KVB_LAYERS_MAX;
    (void)compute(0);
    assert_true(buffers.compute_bounded);
    begin("Qwen3NextForCausalLM"); // and layers with a state and 1025 copies of it
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 16,
                                                            .state_key_size = 128,
                                                            .state_value_heads = 32,
                                                            .state_value_size = 128};
    model.layer_count = KVB_LAYERS_MAX;
    run.state_copies = 1025;
    (void)compute(0);
    assert_true(buffers.compute_bounded);
}

// Without memory for the graph nothing is said of it but that it is no exact figure.
static void without_memory(void **state)
{
    (void)state;
    begin("LlamaForCausalLM");
    kvb_llama_lasting_buffers(&run, &buffers);
    (void)kvb_memory_fail_once(1);
    kvb_llama_compute_buffers(&run, &buffers);
    assert_int_equal(buffers.places[0].compute_bytes, 0);
    assert_true(buffers.compute_bounded);
    model.mtp_layers = 1;
    (void)kvb_memory_fail_once(1);
    kvb_llama_head_buffers(&run, &buffers);
    assert_int_equal(buffers.places[0].compute_bytes, 0);
    assert_int_equal(buffers.places[0].cache_bytes, 5 * 4096 * 2 * 8 * 128 * 2);
    struct kvb_projector projector = {.known = true,
                                      .bytes = 7,
                                      .layers = 2,
                                      .hidden_size = 64,
                                      .heads = 1,
                                      .image_size = 64,
                                      .patch_size = 16,
                                      .merge_size = 1,
                                      .output_size = 64,
                                      .intermediate_size = 64};
    struct kvb_llama_projected out;
    (void)kvb_memory_fail_once(1);
    kvb_llama_projector_of(&run, &projector, 0, &out);
    assert_int_equal(out.compute_bytes, 0);
    assert_int_equal(out.model_bytes, 7);
}

// The cache of a context that drafts lies with its layers, or on the host with all others.
static void cache_of_heads_on_the_host(void **state)
{
    (void)state;
    begin("LlamaForCausalLM");
    model.mtp_layers = 1;
    run.keep_cache_on_host = true;
    kvb_llama_head_buffers(&run, &buffers);
    assert_int_equal(buffers.places[0].cache_bytes, 0);
    assert_int_equal(buffers.places[KVB_LLAMA_HOST].cache_bytes, 5 * 4096 * 2 * 8 * 128 * 2);
}

static void add_class(const char *name, uint64_t bytes)
{
    struct kvb_tensor_class *made = &model.checkpoint.classes[model.checkpoint.class_count++];
    memset(made, 0, sizeof *made);
    (void)snprintf(made->name, sizeof made->name, "%s", name);
    made->role = KVB_ROLE_MLP;
    made->in_layer = true;
    made->layers[0] = 15;
    made->rows = made->columns = 8;
    made->count = 4;
    made->stored_bytes = 4 * bytes;
}

// A file may have more tensors in a layer than are listed at once: what is copied to the GPU for a batch is the same.
static void many_tensors_of_a_layer(void **state)
{
    (void)state;
    uint64_t with[3];
    for (unsigned i = 0; i < 3; i++) {
        begin("LlamaForCausalLM");
        run.gpu_layers = 0;
        model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
        model.checkpoint.classes_whole = true;
        for (unsigned j = 0; j < (i == 2 ? 64 : 63); j++) {
            char name[32];
            (void)snprintf(name, sizeof name, "other.%u", j);
            add_class(name, 1 << 20);
        }
        add_class("ffn_down.weight", i == 0 ? 128 << 20 : 192 << 20);
        with[i] = compute(0);
    }
    assert_int_equal(with[2], with[1]);
    assert_int_equal(with[1] - with[0], 64 << 20);
}

static unsigned values_given, tensors_given;

static void count(void *context, const struct kvb_llama_tensor *tensor)
{
    (void)context;
    tensors_given++;
    values_given += strcmp(tensor->name, "attn_v.weight") == 0;
}

// Gemma 4's layers whose keys are their values have no matrix of values in the file.
static void keys_that_are_values(void **state)
{
    (void)state;
    unsigned all = 0;
    for (unsigned same = 0; same < 2; same++) {
        begin("Gemma4ForConditionalGeneration");
        model.kinds[0].attention.key_is_value = same != 0;
        values_given = tensors_given = 0;
        kvb_llama_layer_tensors(&run, 0, count, NULL);
        assert_int_equal(values_given, 1 - same);
        all = same == 0 ? tensors_given : all;
        assert_int_equal(tensors_given, all - same);
    }
}

// ---- Layers with a state

static void state_layers(enum kvb_attention kind)
{
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = kind,
                                                            .conv_kernel = 4,
                                                            .state_key_heads = 8,
                                                            .state_key_size = 128,
                                                            .state_value_heads = 64,
                                                            .state_value_size = 64};
}

static uint64_t values_bytes;

static void take_values(void *context, const struct kvb_llama_tensor *tensor)
{
    (void)context;
    values_bytes += strcmp(tensor->name, "attn_v.weight") == 0 ? tensor->bytes : 0;
}

// src/llama-quant.cpp, use_more_bits(i_attention_wv, n_attention_wv): values are counted among the tensors of values,
// of which layers with a state have none. Of four the third and the fourth are in Q6_K, 210 bytes of 256 elements, the
// others in Q4_K, 144; they stand in the odd ones of eight layers.
static void values_among_states(void **state)
{
    (void)state;
    static const enum kvb_attention kinds[] = {KVB_ATTENTION_FULL, KVB_ATTENTION_SLIDING, KVB_ATTENTION_CHUNKED};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        begin("NemotronHForCausalLM");
        model.layer_count = 8;
        model.kind_count = 2;
        model.kinds[1] = model.kinds[0];
        state_layers(KVB_ATTENTION_MAMBA2);
        model.kinds[1].attention.kind = kinds[i];
        run.mixture = kvb_llama_mixture_find("Q4_K_M");
        for (uint8_t layer = 0; layer < 8; layer++) {
            model.kind_of_layer[layer] = layer % 2;
        }
        for (uint32_t layer = 0; layer < 8; layer++) {
            uint64_t blocks = layer % 2 == 0 ? 0 : 8 * 128 * 4096 / 256;
            values_bytes = 0;
            kvb_llama_layer_tensors(&run, layer, take_values, NULL);
            assert_int_equal(values_bytes, blocks * (layer >= 5 ? 210 : 144));
        }
    }
}

static void rare_states(void **state)
{
    (void)state;
    begin("Mamba2ForCausalLM");
    state_layers(KVB_ATTENTION_MAMBA2);
    uint64_t plain = compute(0);
    assert_true(buffers.compute_bounded);
    model.kinds[0].attention.no_state_norm = true; // a norm works in place
    assert_int_equal(compute(0), plain);
    model.kinds[0].attention.conv_kernel = 0; // nothing is convolved
    assert_true(compute(0) <= plain);
    // qwen3next.cpp repeats queries and keys for the values' heads, where these are more
    uint64_t delta[2];
    for (uint32_t i = 0; i < 2; i++) {
        begin("Qwen3NextForCausalLM");
        state_layers(KVB_ATTENTION_GDN);
        model.kinds[0].attention.state_value_size = 128;
        model.kinds[0].attention.state_value_heads = 32;
        model.kinds[0].attention.state_key_heads = i == 0 ? 32 : 16;
        model.kinds[0].mlp.intermediate_size = model.vocabulary_size = 64; // nothing else is wide
        delta[i] = compute(0);
    }
    assert_int_not_equal(delta[0], delta[1]);
}

// ---- Pictures

static struct kvb_projector encoder(enum kvb_encoder_family family)
{
    return (struct kvb_projector){.named = true,
                                  .known = true,
                                  .fused_qkv = true,
                                  .family = family,
                                  .bytes = 1000,
                                  .layers = 12,
                                  .hidden_size = 768,
                                  .intermediate_size = 3072,
                                  .heads = 12,
                                  .image_size = 768,
                                  .patch_size = 16,
                                  .merge_size = 2,
                                  .output_size = 1024};
}

// tools/mtmd/clip.cpp: which pictures a kind warms up with and takes at most, in tokens (load_hparams); flash attention
// since b6915.
static void pictures(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        uint64_t most_tokens;
        uint32_t build, side_pixels;
        bool later, bounded;
    } rows[] = {{KVB_ENCODER_QWEN3_VL, 0, 6915, 46 * 32, true, false},
                {KVB_ENCODER_QWEN3_VL, 0, 6914, 46 * 32, true, true},
                {KVB_ENCODER_QWEN3_VL, 4096, 9010, 46 * 32, true, false},
                {KVB_ENCODER_QWEN3_VL, 2116, 9010, 46 * 32, false, false}, // 46 x 46
                {KVB_ENCODER_QWEN3_VL, 2115, 9010, 45 * 32, false, false},
                {KVB_ENCODER_QWEN3_VL, 1, 9010, 32, false, false},
                {KVB_ENCODER_QWEN2_VL, 0, 9010, 46 * 32, true, true},
                {KVB_ENCODER_PIXTRAL, 0, 9010, 16 * 32, true, true},
                {KVB_ENCODER_KIMI, 0, 9010, 16 * 32, true, true},
                {KVB_ENCODER_GEMMA3, 0, 9010, 768, false, true},
                {KVB_ENCODER_GEMMA4, 0, 9010, 16 * 32, false, true}}; // 280 tokens are 16 x 16 at most
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_projected out;
        struct kvb_projector projector = encoder(rows[i].family);
        begin("Qwen3ForCausalLM");
        run.build = rows[i].build;
        kvb_llama_projector_of(&run, &projector, rows[i].most_tokens, &out);
        assert_int_equal(out.side_pixels, rows[i].side_pixels);
        assert_int_equal(out.most_compute_bytes > out.compute_bytes, rows[i].later);
        assert_int_equal(out.bounded, rows[i].bounded);
        assert_int_equal(out.model_bytes, 1000);
    }
}

// Of 256 patches with one wide quantity of U bytes: how many of it lie in the buffer at once, by build_vit. Width: the
// residual, its norm, and behind each other three products, of which queries and keys are rotated into tensors of their
// own, or one matrix of all three, which stays for its values beside half of the keys. Inner width: a gate, what it
// gates and their product, else one that works in place. Patches: the picture and its columns.
static void widest_of_a_picture(void **state)
{
    (void)state;
    static const struct {
        enum kvb_encoder_family family;
        bool fused, gated;
        uint32_t width, inner, out, patch;
        uint64_t wide_bytes, halves;
    } rows[] = {{KVB_ENCODER_PIXTRAL, false, true, 16384, 16, 16, 1, 16384 * 256 * 4, 10},
                {KVB_ENCODER_GEMMA3, false, false, 16384, 16, 16, 1, 16384 * 256 * 4, 10},
                {KVB_ENCODER_KIMI, true, false, 16384, 16, 16, 1, 16384 * 256 * 4, 13},
                {KVB_ENCODER_PIXTRAL, false, true, 16, 16384, 16, 1, 16384 * 256 * 4, 6},
                {KVB_ENCODER_GEMMA3, false, false, 16, 16384, 16, 1, 16384 * 256 * 4, 2},
                {KVB_ENCODER_PIXTRAL, false, false, 16, 16, 16384, 1, 16384 * 256 * 4, 2},
                {KVB_ENCODER_PIXTRAL, false, true, 16, 16, 16, 64, 3 * 64 * 64 * 256 * 4, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_projected out;
        struct kvb_projector projector = encoder(rows[i].family);
        projector.fused_qkv = rows[i].fused;
        projector.gated = rows[i].gated;
        projector.layers = 2;
        projector.hidden_size = rows[i].width;
        projector.intermediate_size = rows[i].inner;
        projector.output_size = rows[i].out;
        projector.patch_size = rows[i].patch;
        projector.image_size = 16 * rows[i].patch;
        projector.merge_size = 1;
        begin("Qwen3ForCausalLM");
        kvb_llama_projector_of(&run, &projector, 256, &out);
        uint64_t least = rows[i].halves * rows[i].wide_bytes / 2;
        assert_in_range(out.compute_bytes, least, least + rows[i].wide_bytes / 4);
    }
}

// Each inner layer whose features are kept takes a merger's result more at the end; eight are held at most.
static void inner_features(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (uint32_t levels = 0; levels <= 9; levels++) {
        struct kvb_llama_projected out;
        struct kvb_projector projector = encoder(KVB_ENCODER_QWEN3_VL);
        projector.deepstack_levels = levels;
        begin("Qwen3ForCausalLM");
        kvb_llama_projector_of(&run, &projector, 0, &out);
        assert_true(levels == 9 ? out.compute_bytes == before : out.compute_bytes > before);
        before = out.compute_bytes;
    }
}

KVB_TEST_MAIN(cmocka_unit_test(rotations), cmocka_unit_test(chosen_rows), cmocka_unit_test(positions),
              cmocka_unit_test(windows), cmocka_unit_test(state_rows), cmocka_unit_test(part_of_the_weights),
              cmocka_unit_test(more_nodes_than_are_held), cmocka_unit_test(without_memory),
              cmocka_unit_test(cache_of_heads_on_the_host), cmocka_unit_test(many_tensors_of_a_layer),
              cmocka_unit_test(keys_that_are_values), cmocka_unit_test(values_among_states),
              cmocka_unit_test(rare_states), cmocka_unit_test(pictures), cmocka_unit_test(widest_of_a_picture),
              cmocka_unit_test(inner_features))
