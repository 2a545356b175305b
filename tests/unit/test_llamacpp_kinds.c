// llama.cpp's rules by kind: formats of rare mixtures, states of each mixer, free blocks, lines with rare settings.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "engines/llamacpp/graph.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/start.h"
#include "unit/llamacpp_line.h"

static struct kvb_model model;

static struct kvb_llama_run run_of(uint32_t layers, uint32_t kv_heads)
{
    memset(&model, 0, sizeof model);
    model.layer_count = layers;
    model.hidden_size = 4096;
    model.vocabulary_size = 32000;
    model.kind_count = 1;
    model.kinds[0].norms = 2;
    model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_FULL, .heads = 32, .kv_heads = kv_heads, .head_size = 128, .value_head_size = 128};
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 14336};
    return (struct kvb_llama_run){.model = &model,
                                  .build = 9010,
                                  .backend = KVB_LLAMA_CUDA,
                                  .devices = 1,
                                  .gpu_layers = layers + 1,
                                  .context_tokens = 4096,
                                  .sequences = 1,
                                  .batch = 2048,
                                  .ubatch = 512,
                                  .flash = true};
}

// Bytes of a row of 256 elements.
static uint64_t row(struct kvb_llama_run *run, const char *mixture, const char *name, uint32_t index)
{
    struct kvb_llama_quantised tensor = {name, 256, index, run->model->layer_count};
    run->mixture = kvb_llama_mixture_find(mixture);
    return kvb_llama_mixture_bytes(run, &tensor, 256);
}

// src/llama-quant.cpp, llama_tensor_get_type; bytes of a block of 256: Q2_K 84, IQ3_S 110, Q5_K 176, Q4_K 144, Q6_K
// 210, IQ3_XXS 98, IQ1_S 50.
static void test_rare_mixtures(void **state)
{
    (void)state;
    struct kvb_llama_run run = run_of(32, 8);
    assert_int_equal(row(&run, "IQ2_XXS", "token_embd.weight", 0), 84);
    assert_int_equal(row(&run, "IQ2_XS", "token_embd.weight", 0), 84);
    assert_int_equal(row(&run, "IQ1_S", "token_embd.weight", 0), 84);
    assert_int_equal(row(&run, "IQ1_M", "token_embd.weight", 0), 84);
    assert_int_equal(row(&run, "IQ2_S", "token_embd.weight", 0), 110);
    assert_int_equal(row(&run, "IQ2_M", "token_embd.weight", 0), 110);
    assert_int_equal(row(&run, "IQ3_XXS", "token_embd.weight", 0), 110);
    assert_int_equal(row(&run, "IQ1_S", "output.weight", 0), 176);
    assert_int_equal(row(&run, "IQ3_XXS", "output.weight", 0), 176);
    assert_int_equal(row(&run, "IQ4_XS", "output.weight", 0), 210);
    assert_int_equal(row(&run, "BF16", "output.weight", 0), 512);
    assert_int_equal(row(&run, "F16", "output.weight", 0), 512);
    assert_int_equal(row(&run, "F16", "attn_q.weight", 0), 512);
    assert_int_equal(row(&run, "Q8_0", "output.weight", 0), 272);
    assert_int_equal(row(&run, "IQ3_XS", "ffn_gate.weight", 4), 98); // an eighth of 32 layers at either end keeps IQ3_S
    assert_int_equal(row(&run, "IQ3_XS", "ffn_gate.weight", 3), 110);
    assert_int_equal(row(&run, "IQ3_XS", "ffn_gate.weight", 27), 98);
    assert_int_equal(row(&run, "IQ3_XS", "ffn_gate.weight", 28), 110);
    assert_int_equal(row(&run, "Q2_K", "attn_v.weight", 0), 144); // four queries for each key: Q4_K
    run = run_of(32, 16);
    assert_int_equal(row(&run, "Q2_K", "attn_v.weight", 0), 110); // else Q3_K
    run = run_of(32, 0);
    assert_int_equal(row(&run, "Q2_K", "attn_v.weight", 0), 110);
    run = run_of(80, 8);
    assert_int_equal(row(&run, "Q4_K_S", "attn_v.weight", 20), 176); // 80 layers are "70B": Q5_K
    assert_int_equal(row(&run, "Q3_K_M", "attn_v.weight", 20), 176);
    assert_int_equal(row(&run, "Q4_K_S", "attn_q.weight", 20), 144);
}

// With eight experts keys and values are Q8_0, and the output of attention is Q5_K in mixtures below.
static void test_eight_experts(void **state)
{
    (void)state;
    struct kvb_llama_run run = run_of(32, 8);
    model.kinds[0].mlp =
        (struct kvb_mlp_shape){.kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2, .expert_gated = true};
    assert_int_equal(row(&run, "Q4_K_M", "attn_k.weight", 9), 272);
    assert_int_equal(row(&run, "Q4_K_M", "attn_v.weight", 9), 272);
    assert_int_equal(row(&run, "Q4_K_M", "attn_output.weight", 9), 176);
    assert_int_equal(row(&run, "Q4_K_M", "attn_q.weight", 9), 144);
    assert_int_equal(row(&run, "Q6_K", "attn_output.weight", 9), 210);
    assert_int_equal(row(&run, "Q5_K_S", "attn_output.weight", 9), 176);
}

// Elements of a sequence, src/llama-hparams.cpp: n_embd_r and n_embd_s.
static void test_states(void **state)
{
    struct kvb_llama_layer layer;
    (void)state;
    struct kvb_llama_run run = run_of(4, 8);
    struct kvb_attention_shape *shape = &model.kinds[0].attention;
    *shape = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                          .conv_kernel = 4,
                                          .state_key_heads = 8,
                                          .state_key_size = 128,
                                          .state_value_heads = 64,
                                          .state_value_size = 64};
    kvb_llama_layer_of(&run, 0, &layer);
    assert_int_equal(layer.mixer, KVB_LLAMA_MIXER_MAMBA2);
    assert_int_equal(layer.conv_state, 3 * (64 * 64 + 2 * 8 * 128));
    assert_int_equal(layer.state, 128 * 64 * 64);
    shape->kind = KVB_ATTENTION_KDA; // three convolutions
    shape->state_value_size = 128;
    kvb_llama_layer_of(&run, 0, &layer);
    assert_int_equal(layer.mixer, KVB_LLAMA_MIXER_OTHER);
    assert_int_equal(layer.conv_state, 3 * 3 * 64 * 128);
    assert_int_equal(layer.state, 128 * 64 * 128);
    shape->kind = KVB_ATTENTION_SHORT_CONV;
    shape->conv_kernel = 3;
    kvb_llama_layer_of(&run, 0, &layer);
    assert_int_equal(layer.conv_state, 2 * 4096);
    shape->conv_kernel = 0;
    kvb_llama_layer_of(&run, 0, &layer);
    assert_int_equal(layer.conv_state, 0);
    shape->kind = KVB_ATTENTION_LINEAR; // not known
    kvb_llama_layer_of(&run, 0, &layer);
    assert_int_equal(layer.mixer, KVB_LLAMA_MIXER_OTHER);
    assert_int_equal(layer.state, 0);
}

// Chunks are windows: 8192 + 512 cells; values as wide as keys where no width is said.
static void test_chunks(void **state)
{
    struct kvb_llama_cells cells;
    struct kvb_llama_layer layer;
    (void)state;
    struct kvb_llama_run run = run_of(4, 8);
    model.kinds[0].attention.kind = KVB_ATTENTION_CHUNKED;
    model.kinds[0].attention.window_tokens = 8192;
    model.kinds[0].attention.value_head_size = 0;
    run.context_tokens = 65536;
    run.sequences = 0;
    kvb_llama_cells_of(&run, &cells);
    assert_int_equal(cells.windowed, 8704);
    kvb_llama_layer_of(&run, 0, &layer);
    assert_true(layer.windowed);
    assert_int_equal(layer.cache_values, 1024);
    run.build = 5500; // by n_batch, and padded to 32 without flash attention
    run.flash = false;
    run.batch = 2000;
    kvb_llama_cells_of(&run, &cells);
    assert_int_equal(cells.windowed, 10208);
}

// Layers without attention, without an MLP, and of no known graph take part all the same.
static void test_bare_layers(void **state)
{
    struct kvb_llama_buffers buffers;
    (void)state;
    struct kvb_llama_run run = run_of(4, 8);
    run.build = 5000; // no input for embeddings, a mask of 512 x 4096 in f32
    model.kinds[0].attention.kind = KVB_ATTENTION_NONE;
    kvb_llama_compute_buffers(&run, &buffers);
    assert_false(buffers.compute_bounded);
    assert_true(buffers.places[0].compute_bytes >= 512ULL * 32000 * 4);
    model.kinds[0].mlp.kind = KVB_MLP_NONE;
    kvb_llama_compute_buffers(&run, &buffers);
    // logits, what goes into them, and the copy that the rows are taken from
    assert_int_equal(buffers.places[0].compute_bytes >> 20, (512ULL * 32000 * 4 + 512ULL * 4096 * 4 * 2) >> 20);
    model.kinds[0].attention.kind = KVB_ATTENTION_LINEAR;
    kvb_llama_compute_buffers(&run, &buffers);
    assert_true(buffers.compute_bounded);
}

// A host that has no GPU binds all: logits and the hidden state lie there.
static void test_host_alone(void **state)
{
    struct kvb_llama_buffers buffers;
    (void)state;
    struct kvb_llama_run run = run_of(4, 8);
    run.devices = 0;
    run.gpu_layers = 0;
    kvb_llama_compute_buffers(&run, &buffers);
    assert_int_equal(buffers.places[0].compute_bytes, 0);
    assert_true(buffers.places[KVB_LLAMA_HOST].compute_bytes >= 512ULL * 32000 * 4);
}

// Numbers that are none mean the first row: the host, f16, no mixture.
static void test_out_of_range(void **state)
{
    (void)state;
    assert_string_equal(kvb_llama_backend_row_of((enum kvb_llama_backend)99)->name, "CPU");
    assert_string_equal(kvb_llama_cache_name((enum kvb_llama_cache)99), "f16");
    assert_int_equal(kvb_llama_cache_bytes((enum kvb_llama_cache)99, 32), 64);
    assert_string_equal(kvb_llama_mixture_name(9999), kvb_llama_mixture_name(0));
    uint32_t low, high;
    kvb_llama_mixture_bound(9999, &low, &high);
    assert_int_equal(low, 5); // half a percent, as of f16
    assert_int_equal(high, 5);
    struct kvb_llama_run run = run_of(4, 8);
    struct kvb_llama_quantised tensor = {"attn_q.weight", 256, 0, 4};
    run.mixture = 9999;
    assert_int_equal(kvb_llama_mixture_bytes(&run, &tensor, 256), 512);
}

// One expert a token, experts without a gate, and an MLP beside them: at least the logits, and what each expert makes
// of 512 tokens.
static void test_expert_shapes(void **state)
{
    struct kvb_llama_buffers buffers;
    uint64_t logits = 512ULL * 32000 * 4, inner = 512ULL * 16384 * 4;
    (void)state;
    struct kvb_llama_run run = run_of(4, 8);
    struct kvb_mlp_shape *mlp = &model.kinds[0].mlp;
    *mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 16, .experts_per_token = 1, .expert_intermediate_size = 16384};
    kvb_llama_compute_buffers(&run, &buffers);
    assert_true(buffers.places[0].compute_bytes >= logits);
    assert_true(buffers.places[0].compute_bytes < logits + 2 * inner);
    mlp->expert_gated = true;
    mlp->intermediate_size = 4096;
    mlp->experts_per_token = 4;
    kvb_llama_compute_buffers(&run, &buffers);
    assert_true(buffers.places[0].compute_bytes >= 3 * 4 * inner); // gate, up and their product
}

static void test_blocks(void **state)
{
    struct kvb_llama_heap heap;
    (void)state;
    kvb_llama_heap_begin(&heap, 32);
    for (uint64_t i = 0; i < 6; i++) {
        assert_int_equal(kvb_llama_heap_take(&heap, 32), i * 32);
    }
    kvb_llama_heap_give(&heap, 0, 32);
    kvb_llama_heap_give(&heap, 64, 32);
    assert_int_equal(heap.count, 3);
    kvb_llama_heap_give(&heap, 32, 32); // closes the gap between two
    assert_int_equal(heap.count, 2);
    kvb_llama_heap_give(&heap, 160, 32); // in front of the rest
    assert_int_equal(heap.count, 2);
    kvb_llama_heap_give(&heap, 128, 32); // and before that
    assert_int_equal(heap.count, 2);
    assert_int_equal(kvb_llama_heap_take(&heap, 64), 0);
    for (uint64_t i = 0; i < 2 * KVB_LLAMA_BLOCKS; i++) {
        (void)kvb_llama_heap_take(&heap, 32);
    }
    for (uint64_t i = 0; i < KVB_LLAMA_BLOCKS; i++) { // more holes than are held
        kvb_llama_heap_give(&heap, 128 + i * 64, 32);
    }
    assert_true(kvb_llama_heap_is_full(&heap));
}

// 1 %, 10 % with a part of it on the host, and wide where it is followed in outline.
static void test_ranges(void **state)
{
    (void)state;
    struct kvb_llama_run run = run_of(4, 8);
    assert_int_equal(kvb_llama_compute_range(&run, 1000, false, 7).high, 1010);
    run.overrides = "";
    assert_int_equal(kvb_llama_compute_range(&run, 1000, false, 7).low, 990);
    run.overrides = "exps=CPU\n";
    assert_int_equal(kvb_llama_compute_range(&run, 1000, false, 7).low, 900);
    run.overrides = NULL;
    run.cpu_experts = 1;
    assert_int_equal(kvb_llama_compute_range(&run, 1000, false, 7).high, 1100);
    run.cpu_experts = 0;
    run.gpu_layers = 4;
    assert_int_equal(kvb_llama_compute_range(&run, 1000, false, 7).high, 1100);
    run.devices = 0;
    assert_int_equal(kvb_llama_compute_range(&run, 1000, false, 7).high, 1010);
    assert_int_equal(kvb_llama_compute_range(&run, 1000, true, 7).low, 500);
    assert_int_equal(kvb_llama_compute_range(&run, 1000, true, 7).high, 1257);
}

// Several GPUs keep copies of inputs: not with rows cut, one GPU, the cache or tensors on the host, or before events.
static void test_pipelines(void **state)
{
    (void)state;
    struct kvb_llama_run run = run_of(4, 8);
    run.devices = 2;
    assert_true(kvb_llama_is_pipelined(&run));
    run.overrides = "exps=CPU\n";
    assert_false(kvb_llama_is_pipelined(&run));
    run.overrides = "";
    run.keep_cache_on_host = true;
    assert_false(kvb_llama_is_pipelined(&run));
    run.keep_cache_on_host = false;
    run.cpu_experts = 1;
    assert_false(kvb_llama_is_pipelined(&run));
    run.cpu_experts = 0;
    run.split = KVB_LLAMA_SPLIT_ROW;
    assert_false(kvb_llama_is_pipelined(&run));
    run.split = KVB_LLAMA_SPLIT_LAYER;
    run.backend = KVB_LLAMA_VULKAN;
    assert_true(kvb_llama_is_pipelined(&run));
    run.build = 7500;
    assert_false(kvb_llama_is_pipelined(&run));
    run.backend = KVB_LLAMA_SYCL;
    assert_false(kvb_llama_is_pipelined(&run));
}

static struct kvb_budget budget;

static void answer(const char *line, const char *name, const char *gpu)
{
    read_line(line);
    run_on(name, gpu, "");
    set_mixture();
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
}

// Qwen3-8B keeps 36 x 2048 elements for a token; bf16 and f16 are two bytes, f32 four.
static void test_rare_lines(void **state)
{
    (void)state;
    answer("llama-server -m x.gguf -c 4096 -ctk bf16 -ctv bf16 --fit off", "Qwen/Qwen3-8B", "3090");
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 576LL << 20);
    answer("llama-server -m x.gguf -c 4096 -ctk f32 -ctv f32 -ngl 20 -np 3", "Qwen/Qwen3-8B", "3090");
    assert_int_equal(budget.settings.values[KVB_SET_GPU_LAYERS].number, 20);
    assert_int_equal(budget.items[KVB_ITEM_ACTIVATION].basis, KVB_BASIS_MODELLED); // within 10 %
    answer("llama-server -m x.gguf -c 4096 -kvu -np 2 -ts 3,1", "Qwen/Qwen3-8B", "3090");
    assert_int_equal(budget.settings.values[KVB_SET_KV_UNIFIED].number, 1);
    assert_int_equal(budget.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].number, 2);
    answer("llama-server -m x.gguf -c 4096 -dev Vulkan0 -ot ffn_down=CPU", "Qwen/Qwen3-8B", "3090");
    assert_int_equal(budget.items[KVB_ITEM_NON_TORCH].bytes, 250LL << 20);
    answer("llama-server -m x.gguf -c 65536 -ts 1,1 -sm row", "Qwen/Qwen3-30B-A3B", "3060");
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    answer("llama-server -m x.gguf", "Qwen/Qwen3-30B-A3B", "4060");
    assert_true(budget.settings.values[KVB_SET_CPU_MOE_LAYERS].number > 0); // experts go first
    answer("llama-server -m x.gguf -ts 1,1", "Qwen/Qwen3-32B", "3090");
    assert_int_equal(budget.verdict, KVB_FITS); // a shorter context over both
    assert_true(budget.settings.values[KVB_SET_MAX_MODEL_LEN].number < 40960 * 4);
}

KVB_TEST_MAIN(cmocka_unit_test(test_rare_mixtures), cmocka_unit_test(test_eight_experts), cmocka_unit_test(test_states),
              cmocka_unit_test(test_chunks), cmocka_unit_test(test_bare_layers), cmocka_unit_test(test_host_alone),
              cmocka_unit_test(test_blocks), cmocka_unit_test(test_out_of_range), cmocka_unit_test(test_expert_shapes),
              cmocka_unit_test(test_ranges), cmocka_unit_test(test_pipelines), cmocka_unit_test(test_rare_lines))
