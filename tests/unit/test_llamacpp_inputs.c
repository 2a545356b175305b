// What the host holds of a graph whose layers all lie on one GPU: its inputs and the embedding it looks up, to the
// byte. By hand from src/llama-graph.cpp at the builds named (build_inp_embd, build_inp_pos, build_attn_inp_kv,
// build_inp_out_ids, build_rs_inp) and src/llama-kv-cache.cpp (build_input_k_idxs, build_input_v_idxs,
// build_input_k_rot); sizes are multiples of the host's steps of 64 bytes, but where said.
#include <string.h>

#include "engines/llamacpp/build.h"
#include "unit/test.h"

#define HIDDEN 64U
#define CELLS 4096U
#define TOKENS 1024U

static struct kvb_model model;
static struct kvb_llama_run run;

// Two layers of 4 heads and 2 of keys and values.
static void begin(const char *class, uint32_t build, uint32_t head)
{
    memset(&model, 0, sizeof model);
    (void)strcpy(model.architecture, class);
    model.layer_count = 2;
    model.hidden_size = HIDDEN;
    model.vocabulary_size = 999;
    model.kind_count = 1;
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_FULL,
                                                            .heads = 4,
                                                            .kv_heads = 2,
                                                            .head_size = (uint16_t)head,
                                                            .value_head_size = (uint16_t)head};
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 128};
    run = (struct kvb_llama_run){.model = &model,
                                 .build = build,
                                 .backend = KVB_LLAMA_CUDA,
                                 .devices = 1,
                                 .gpu_layers = 3,
                                 .context_tokens = CELLS,
                                 .sequences = 1,
                                 .batch = CELLS,
                                 .ubatch = TOKENS,
                                 .flash = true,
                                 .unified = true};
}

static uint64_t on_host(void)
{
    struct kvb_llama_buffers out;
    memset(&out, 0, sizeof out);
    kvb_llama_compute_buffers(&run, &out);
    return out.places[KVB_LLAMA_HOST].compute_bytes;
}

// Of a token: its number, position and row of the output in 32 bits, its embedding; from b6071 on where its keys and
// values go, 64 bits each; from b7819 on room for an embedding in place of the number; the mask in 32 bits, in 16 from
// b9410 on.
#define PLAIN (4U + 4U + 4U + 4U * HIDDEN)
#define ROWS (8U + 8U)

static void of_each_token(void **state)
{
    (void)state;
    static const struct {
        uint32_t build;
        uint64_t each;
    } rows[] = {
        {6070, PLAIN + 4 * CELLS},
        {6071, PLAIN + ROWS + 4 * CELLS},
        {7818, PLAIN + ROWS + 4 * CELLS},
        {7819, PLAIN + ROWS + 4 * HIDDEN + 4 * CELLS},
        {9409, PLAIN + ROWS + 4 * HIDDEN + 4 * CELLS},
        {9410, PLAIN + ROWS + 4 * HIDDEN + 2 * CELLS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t tokens = TOKENS; tokens <= CELLS; tokens += TOKENS) {
            begin("Qwen3ForCausalLM", rows[i].build, 64);
            run.ubatch = tokens;
            assert_int_equal(on_host(), tokens * rows[i].each);
        }
    }
}

// What is read beside: a server's rows of the output, four positions of a token, values that lie across.
static void of_settings(void **state)
{
    (void)state;
    begin("Qwen3ForCausalLM", 9460, 64); // a row for each slot: 4 x 20 bytes in steps of 64
    run.server = true;
    run.sequences = 20;
    assert_int_equal(on_host(), TOKENS * (PLAIN - 4 + ROWS + 4 * HIDDEN + 2 * CELLS) + 128);
    run.build = 9459; // one for each token
    assert_int_equal(on_host(), TOKENS * (PLAIN + ROWS + 4 * HIDDEN + 2 * CELLS));
    begin("Qwen3ForCausalLM", 9460, 64);
    run.server = true;
    run.output_rows = 160; // as many as drafts ask for
    assert_int_equal(on_host(), TOKENS * (PLAIN - 4 + ROWS + 4 * HIDDEN + 2 * CELLS) + 4 * 160);
    begin("Qwen3VLForConditionalGeneration", 9460, 64);
    assert_int_equal(on_host(), TOKENS * (PLAIN + 12 + ROWS + 4 * HIDDEN + 2 * CELLS));
    begin("Qwen3ForCausalLM", 9460, 64); // without flash attention a number for each of 2 x 64 elements
    run.flash = false;
    assert_int_equal(on_host(), TOKENS * (PLAIN + 8 + 8 * 2 * 64 + 4 * HIDDEN + 4 * CELLS));
    run.build = 6070;
    assert_int_equal(on_host(), TOKENS * (PLAIN + 4 * CELLS));
}

// Quantised keys are rotated by the largest of 64 x 64, 128 x 128, ... that divides a head, values by 64 x 64.
static void rotations(void **state)
{
    (void)state;
    static const struct {
        uint32_t build, head;
        enum kvb_llama_cache keys, values;
        uint64_t bytes;
    } rows[] = {
        {8618, 64, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 0},
        {8619, 64, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 2 * 64 * 64 * 4},
        {8619, 64, KVB_LLAMA_CACHE_Q4_0, KVB_LLAMA_CACHE_F16, 64 * 64 * 4},
        {8619, 128, KVB_LLAMA_CACHE_F16, KVB_LLAMA_CACHE_Q8_0, 64 * 64 * 4},
        {8619, 128, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_F16, 128 * 128 * 4},
        {8619, 192, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 2 * 64 * 64 * 4},
        {8619, 256, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, (256 * 256 + 64 * 64) * 4},
        {8619, 96, KVB_LLAMA_CACHE_Q8_0, KVB_LLAMA_CACHE_Q8_0, 0},
        {8619, 128, KVB_LLAMA_CACHE_BF16, KVB_LLAMA_CACHE_F32, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("Qwen3ForCausalLM", rows[i].build, rows[i].head);
        run.key_type = rows[i].keys;
        run.value_type = rows[i].values;
        uint64_t bytes = TOKENS * (PLAIN + ROWS + 4 * HIDDEN + 4 * CELLS) + rows[i].bytes;
        if (on_host() != bytes) {
            fail_msg("row %zu: %llu, not %llu", i, (unsigned long long)on_host(), (unsigned long long)bytes);
        }
    }
}

// A layer with a window has a mask and rows of its own: 512 tokens and a batch, in steps of 256. One with a state reads
// the number of each slot's row: 4 x 20 bytes in steps of 64.
static void kinds_of_layers(void **state)
{
    (void)state;
    begin("Qwen3ForCausalLM", 9410, 64);
    model.kind_count = 2;
    model.kinds[1] = model.kinds[0];
    model.kinds[1].attention.kind = KVB_ATTENTION_SLIDING;
    model.kinds[1].attention.window_tokens = 512;
    model.kind_of_layer[1] = 1;
    assert_int_equal(on_host(), TOKENS * (PLAIN + 2 * ROWS + 4 * HIDDEN + 2 * CELLS + 2 * (512 + TOKENS)));
    run.key_type = KVB_LLAMA_CACHE_Q8_0; // and a matrix of its own
    assert_int_equal(on_host(),
                     TOKENS * (PLAIN + 2 * ROWS + 4 * HIDDEN + 2 * CELLS + 2 * (512 + TOKENS)) + 2 * 64 * 64 * 4);
}

KVB_TEST_MAIN(cmocka_unit_test(of_each_token), cmocka_unit_test(of_settings), cmocka_unit_test(rotations),
              cmocka_unit_test(kinds_of_layers))
