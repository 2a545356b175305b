// llama.cpp's arithmetic in pieces: cells, formats of the cache, mixtures, places, free blocks.
#include "unit/test.h"

#include <string.h>

#include "engines/llamacpp/graph.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/tensors.h"

// Qwen2.5-7B: 28 layers, 28 heads of 128, four KV heads.
static struct kvb_model qwen;

static struct kvb_llama_run plain_run(uint32_t build)
{
    memset(&qwen, 0, sizeof qwen);
    qwen.layer_count = 28;
    qwen.hidden_size = 3584;
    qwen.vocabulary_size = 152064;
    qwen.kind_count = 1;
    qwen.final_norms = 1;
    qwen.kinds[0].norms = 2;
    qwen.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_FULL, .heads = 28, .kv_heads = 4, .head_size = 128, .value_head_size = 128};
    qwen.kinds[0].attention.query_key_value_bias = true;
    qwen.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_GATED, .intermediate_size = 18944};
    return (struct kvb_llama_run){.model = &qwen,
                                  .build = build,
                                  .backend = KVB_LLAMA_CUDA,
                                  .devices = 1,
                                  .gpu_layers = 29,
                                  .context_tokens = 32768,
                                  .sequences = 1,
                                  .batch = 2048,
                                  .ubatch = 512,
                                  .flash = true,
                                  .mixture = kvb_llama_mixture_find("Q8_0")};
}

// src/llama-context.cpp: GGML_PAD to 32, with flash attention to 256, since b6975 always to 256.
static void test_padding(void **state)
{
    struct kvb_llama_cells cells;
    struct kvb_llama_run run = plain_run(4748);
    (void)state;
    run.context_tokens = 8200;
    run.flash = false;
    kvb_llama_cells_of(&run, &cells);
    assert_int_equal(cells.full, 8224);
    run.flash = true;
    kvb_llama_cells_of(&run, &cells);
    assert_int_equal(cells.full, 8448);
    run.build = 7407;
    run.flash = false;
    kvb_llama_cells_of(&run, &cells);
    assert_int_equal(cells.full, 8448);
}

// Four slots of their own: 30000 / 4 = 7500, padded to 7680 cells each; on one cache: 30208 in all.
static void test_streams(void **state)
{
    struct kvb_llama_cells cells;
    struct kvb_llama_run run = plain_run(8000);
    (void)state;
    run.context_tokens = 30000;
    run.sequences = 4;
    kvb_llama_cells_of(&run, &cells);
    assert_int_equal(cells.streams, 4);
    assert_int_equal(cells.full, 7680);
    run.unified = true;
    kvb_llama_cells_of(&run, &cells);
    assert_int_equal(cells.streams, 1);
    assert_int_equal(cells.full, 30208);
}

static void test_formats(void **state)
{
    (void)state;
    assert_int_equal(kvb_llama_cache_bytes(KVB_LLAMA_CACHE_Q8_0, 1024), 1088); // 32 blocks of 34
    assert_int_equal(kvb_llama_cache_bytes(KVB_LLAMA_CACHE_Q4_0, 1024), 576);  // 32 blocks of 18
    assert_string_equal(kvb_llama_cache_name(KVB_LLAMA_CACHE_IQ4_NL), "iq4_nl");
    for (uint32_t i = 1; i <= kvb_llama_mixture_count(); i++) {
        assert_int_equal(kvb_llama_mixture_find(kvb_llama_mixture_name(i)), i);
    }
    assert_int_equal(kvb_llama_mixture_find("Q4_K_XXL"), 0);
    assert_string_equal(kvb_llama_mixture_name(kvb_llama_mixture_find("q4_k_xl")), "UD-Q4_K_XL");
    assert_string_equal(kvb_llama_mixture_name(kvb_llama_mixture_find("UD-IQ2_M")), "IQ2_M");
    assert_string_equal(kvb_llama_mixture_name(kvb_llama_mixture_find("ud-q3_k_xl")), "UD-Q3_K_XL");
}

static uint64_t mixed(const struct kvb_llama_run *run, const char *name, uint32_t index)
{
    struct kvb_llama_quantised tensor = {name, 3584, index, 28};
    return kvb_llama_mixture_bytes(run, &tensor, 3584 * 256);
}

// llama_tensor_get_type: use_more_bits(i, 28) holds for 0-2, each third from 5 on and 24-27.
static void test_mixture(void **state)
{
    struct kvb_llama_run run = plain_run(8000);
    (void)state;
    run.mixture = kvb_llama_mixture_find("Q4_K_M");
    assert_int_equal(mixed(&run, "ffn_down.weight", 0), 3584 * 210);
    assert_int_equal(mixed(&run, "ffn_down.weight", 3), 3584 * 144);
    assert_int_equal(mixed(&run, "ffn_down.weight", 5), 3584 * 210);
    assert_int_equal(mixed(&run, "ffn_down.weight", 27), 3584 * 210);
    assert_int_equal(mixed(&run, "attn_q.weight", 0), 3584 * 144);
    assert_int_equal(mixed(&run, "output.weight", 0), 3584 * 210);
    struct kvb_llama_quantised odd = {"attn_q.weight", 2880, 0, 28}; // 2880 is no multiple of 256: Q5_0
    assert_int_equal(kvb_llama_mixture_bytes(&run, &odd, 2880), 90 * 22);
}

// src/llama-model.cpp, load_tensors: the output is the last of the offloaded layers since b7467, before the first
// to stay behind.
static void test_places(void **state)
{
    struct kvb_llama_run run = plain_run(8000);
    (void)state;
    run.gpu_layers = 10;
    assert_int_equal(kvb_llama_place_of(&run, 18), KVB_LLAMA_HOST);
    assert_int_equal(kvb_llama_place_of(&run, 19), 0);
    assert_int_equal(kvb_llama_place_of(&run, 28), 0);
    run.build = 7000;
    assert_int_equal(kvb_llama_place_of(&run, 18), 0);
    assert_int_equal(kvb_llama_place_of(&run, 28), KVB_LLAMA_HOST);
    run.gpu_layers = 29;
    run.devices = 2;
    run.share[0] = 3; // of 29: the first 21.75
    run.share[1] = 1;
    assert_int_equal(kvb_llama_place_of(&run, 21), 0);
    assert_int_equal(kvb_llama_place_of(&run, 22), 1);
    assert_true(kvb_llama_is_pipelined(&run));
    run.split = KVB_LLAMA_SPLIT_NONE;
    assert_int_equal(kvb_llama_place_of(&run, 28), 0);
}

// Qwen2.5-Coder-7B Q8_0, C 32768, as logged: 7165.44 + 552.23 MiB, KV 1792, compute 152064 x 2048 + 3584 x 2048.
static void test_buffers(void **state)
{
    struct kvb_llama_buffers buffers;
    struct kvb_llama_run run = plain_run(7407);
    (void)state;
    kvb_llama_all_buffers(&run, &buffers);
    assert_int_equal(buffers.places[0].cache_bytes, 1792ULL << 20);
    assert_int_equal(buffers.places[0].model_bytes * 100 >> 20, 716544);
    assert_int_equal(buffers.places[KVB_LLAMA_HOST].model_bytes * 100 >> 20, 55223);
    // kelsidavis-llama-log of starts.csv, b7780: 382.01 MiB; b9010 without allocation says the same.
    assert_int_equal((buffers.places[0].compute_bytes * 100 + (1 << 19)) >> 20, 38201);
    run.keep_cache_on_host = true;
    kvb_llama_all_buffers(&run, &buffers);
    assert_int_equal(buffers.places[0].cache_bytes, 0);
    assert_int_equal(buffers.places[KVB_LLAMA_HOST].cache_bytes, 1792ULL << 20);
}

static void test_heap(void **state)
{
    struct kvb_llama_heap heap;
    (void)state;
    kvb_llama_heap_begin(&heap, 128);
    assert_int_equal(kvb_llama_heap_take(&heap, 1000), 0); // 1024
    assert_int_equal(kvb_llama_heap_take(&heap, 256), 1024);
    assert_int_equal(kvb_llama_heap_take(&heap, 128), 1280);
    kvb_llama_heap_give(&heap, 0, 1000);
    assert_int_equal(kvb_llama_heap_take(&heap, 128), 0); // best fit: the hole, not the end
    kvb_llama_heap_give(&heap, 1024, 256);
    assert_int_equal(kvb_llama_heap_take(&heap, 1152), 128); // both holes are one
    assert_int_equal(heap.highest, 1408);
}

KVB_TEST_MAIN(cmocka_unit_test(test_padding), cmocka_unit_test(test_streams), cmocka_unit_test(test_formats),
              cmocka_unit_test(test_mixture), cmocka_unit_test(test_places), cmocka_unit_test(test_buffers),
              cmocka_unit_test(test_heap))
