// Ollama before 0.30: what its estimate counts and decides, against public logs of `ollama serve`, and the buffers that
// its runner then takes.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/ollama.h"
#include "engines/llamacpp/tensors.h"
#include "engines/table.h"
#include "unit/llamacpp_line.h"

static struct kvb_budget budget;
static struct kvb_llama_start start;
static struct kvb_ollama_sizes sizes;

static void begin(const char *engine, const char *model, const char *gpu)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    run_on(model, gpu, engine);
}

static void answer(void)
{
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    kvb_llama_start_of(&plan, true, &start);
}

// A number of MiB or GiB as logs print it, with one decimal: within half a tenth.
static void assert_tenths(uint64_t bytes, uint64_t unit, uint64_t tenths)
{
    uint64_t tenth = unit / 10;
    assert_in_range(bytes, (tenths - 1) * tenth + tenth / 2, tenths * tenth + tenth / 2 + 10);
}

// "offload to cuda" of ollama/ollama#8098 (0.5.1): memory.required.kv 896.0 MiB, graph.full 424.0, graph.partial 570.7;
// --ctx-size 8192 --n-gpu-layers 29 --parallel 4.
static void test_a_model_that_fits(void **state)
{
    (void)state;
    begin("ollama@0.5.1", "meta-llama/Llama-3.2-3B-Instruct", "h100-80");
    set(KVB_SET_GGUF_TYPE, 15);
    answer();
    kvb_ollama_sizes_of(&start, plan.engine.release, &sizes);
    assert_tenths(sizes.full_bytes, KVB_MIB, 4240);
    assert_tenths(sizes.partial_bytes, KVB_MIB, 5707);
    assert_int_equal(start.run.sequences, 4);
    assert_int_equal(start.run.context_tokens, 8192);
    assert_int_equal(start.run.gpu_layers, 29);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 896 * KVB_MIB);
    assert_false(is_said("Ollama's estimate puts"));
}

// ollama/ollama#8447 (0.5.7, DeepSeek-V3 Q4_K_M, 23.3 GiB free): kv 9.5 GiB, graph.full 654.0 MiB, graph.partial
// 1019.5. The layers counted are the small first ones, those moved the large last ones, so that it ends in "cudaMalloc
// failed"; by OLLAMA_GPU_OVERHEAD: 5 layers, 28426.68 MiB asked for, then 3 of 62 and 21320.01 MiB, then 1 and 7106.67.
// 5030.00 MiB of compute buffer: ollama/ollama#8667.
static void test_layers_by_overhead(void **state)
{
    static const struct {
        uint64_t overhead_bytes, hundredths;
        uint32_t layers;
        bool starts;
    } rows[] = {{0, 3553334, 5, false},
                {8032385536, 2842668, 4, false},
                {16032385536, 2132001, 3, false},
                {22032385536, 710667, 1, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("ollama@0.5.7", "deepseek-ai/DeepSeek-V3", "3090");
        set(KVB_SET_GGUF_TYPE, 15);
        set(KVB_SET_GPU_OVERHEAD, rows[i].overhead_bytes);
        deployment.gpu_free_bytes = 233 * KVB_GIB / 10;
        answer();
        assert_int_equal(start.run.gpu_layers, rows[i].layers);
        assert_int_equal(budget.starts, rows[i].starts);
        assert_true(is_said("Ollama's estimate puts"));
        uint64_t model = start.buffers.places[0].model_bytes * 100 / KVB_MIB;
        assert_in_range(model, rows[i].hundredths - 1, rows[i].hundredths);
        assert_int_equal(start.buffers.places[0].compute_bytes / KVB_MIB, 5030);
    }
    kvb_ollama_sizes_of(&start, plan.engine.release, &sizes);
    assert_tenths(sizes.full_bytes, KVB_MIB, 6540);
    assert_tenths(sizes.partial_bytes, KVB_MIB, 10195);
}

// ollama/ollama#9181 (0.5.11, Llama 70B Q8_0, num_ctx 64000, four GPUs with 22.0 GiB): 44 layers, 11 on each;
// graph.full and graph.partial 8.2 GiB.
static void test_four_cards(void **state)
{
    (void)state;
    begin("ollama@0.5.11", "meta-llama/Llama-3.1-70B-Instruct", "3090");
    set(KVB_SET_GGUF_TYPE, 8);
    set(KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    set(KVB_SET_MAX_MODEL_LEN, 64000);
    set(KVB_SET_MAX_NUM_SEQS, 1);
    set(KVB_SET_FLASH_ATTENTION, KVB_ON);
    deployment.gpu_free_bytes = 22 * KVB_GIB;
    answer();
    assert_int_equal(start.run.gpu_layers, 44);
    assert_true(start.run.flash);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(start.run.share[i], 11);
    }
    kvb_ollama_sizes_of(&start, plan.engine.release, &sizes);
    assert_tenths(sizes.partial_bytes, KVB_GIB, 82);
}

// "msg=offload" of two public logs (Nikolayy1/podcast_othering, 0.11.10, Llama-3.1-70B Q4_0, num_ctx 4096, 39.3 GiB
// free on each instance of an H100): on one card layers.offload=80 of 81, memory.graph.full 584.0 MiB, partial 1.1 GiB;
// on two layers.split [41 40].
static void test_one_instance_or_two(void **state)
{
    (void)state;
    for (uint32_t cards = 1; cards <= 2; cards++) {
        begin("ollama@0.11.10", "meta-llama/Llama-3.1-70B-Instruct", "h100-pcie");
        set(KVB_SET_GGUF_TYPE, kvb_llama_mixture_find("Q4_0"));
        set(KVB_SET_TENSOR_PARALLEL_SIZE, cards);
        set(KVB_SET_MAX_MODEL_LEN, 4096);
        deployment.gpu_free_bytes = 393 * KVB_GIB / 10;
        answer();
        assert_int_equal(start.run.gpu_layers, cards == 1 ? 80 : 81);
        kvb_ollama_sizes_of(&start, plan.engine.release, &sizes);
        assert_tenths(sizes.partial_bytes, KVB_GIB, 11);
        if (cards == 1) {
            assert_tenths(sizes.full_bytes, KVB_MIB, 5840);
        }
    }
    assert_int_equal(start.run.share[0], 41);
    assert_int_equal(start.run.share[1], 40);
}

// ollama/ollama#13552 (0.13.5, phi-4 Q4_K_M, num_ctx 4096, flash_attn = disabled): 41/41 layers, CUDA0 model buffer
// 8354.71 MiB, KV 800.00, compute 353.01; on the host 275.62 and 23.01.
static void test_buffers_of_the_runner(void **state)
{
    (void)state;
    begin("ollama@0.13.5", "microsoft/phi-4", "3090");
    set(KVB_SET_GGUF_TYPE, 15);
    set(KVB_SET_FLASH_ATTENTION, KVB_OFF);
    deployment.gpu_free_bytes = 20 * KVB_GIB;
    answer();
    const struct kvb_llama_place *gpu = &start.buffers.places[0], *host = &start.buffers.places[KVB_LLAMA_HOST];
    assert_int_equal(start.run.gpu_layers, 41);
    assert_int_equal(gpu->model_bytes * 100 / KVB_MIB, 835470); // 8354.708
    assert_int_equal(gpu->cache_bytes, 800 * KVB_MIB);
    assert_int_equal((gpu->compute_bytes * 100 + KVB_MIB / 2) / KVB_MIB, 35301);
    assert_int_equal(host->model_bytes * 100 / KVB_MIB, 27562); // 275.625
    assert_int_equal((host->compute_bytes * 100 + KVB_MIB / 2) / KVB_MIB, 2301);
}

struct default_row {
    const char *engine;
    uint64_t context, slots;
    uint32_t build, ubatch;
};

// api/types.go, envconfig/config.go, server/sched.go and Makefile.sync by tag, on a card of 24 GiB.
static void test_defaults(void **state)
{
    static const struct default_row rows[] = {
        {"ollama@0.2.0", 2048, 4, 3337, 512},   {"ollama@0.3.14", 2048, 4, 3862, 512},
        {"ollama@0.5.13", 2048, 4, 4779, 512},  {"ollama@0.6.7", 4096, 2, 5162, 512},
        {"ollama@0.9.6", 4096, 2, 5359, 512},   {"ollama@0.10.0", 4096, 1, 5359, 512},
        {"ollama@0.11.5", 4096, 1, 6121, 512},  {"ollama@0.12.11", 4096, 1, 6840, 512},
        {"ollama@0.15.0", 4096, 1, 7437, 512},  {"ollama@0.15.5", 32768, 1, 7437, 512},
        {"ollama@0.24.0", 32768, 1, 7437, 512}, {"ollama@0.31.0", 32768, 1, 9840, 512},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].engine, "meta-llama/Llama-3.1-8B-Instruct", "3090");
        set(KVB_SET_GGUF_TYPE, 15);
        answer();
        assert_int_equal(start.run.context_tokens, rows[i].context * rows[i].slots);
        assert_int_equal(start.run.sequences, rows[i].slots);
        assert_int_equal(start.run.build, rows[i].build);
        assert_int_equal(start.run.ubatch, rows[i].ubatch);
        assert_int_equal(start.run.gpu_layers, 33);
    }
}

// num_batch is n_ubatch from 0.13.4 on; before, n_ubatch is 512 and n_batch num_batch for each slot (llama/llama.go).
static void test_batch(void **state)
{
    (void)state;
    begin("ollama@0.13.4", "meta-llama/Llama-3.1-8B-Instruct", "3090");
    set(KVB_SET_UBATCH_SIZE, 1024);
    answer();
    assert_int_equal(start.run.ubatch, 1024);
    begin("ollama@0.9.0", "meta-llama/Llama-3.1-8B-Instruct", "3090");
    set(KVB_SET_UBATCH_SIZE, 128);
    answer();
    assert_int_equal(start.run.batch, 256);
    assert_int_equal(start.run.ubatch, 256);
}

// A cache of q8_0 needs flash attention, which no release before 0.13.4 turns on by itself for what llama.cpp runs;
// then OLLAMA_FLASH_ATTENTION has to say it.
static void test_cache(void **state)
{
    static const struct {
        const char *engine, *model;
        int flash; // -1: not said
        bool on, quantised;
    } rows[] = {
        {"ollama@0.5.0", "meta-llama/Llama-3.1-8B-Instruct", -1, false, false},
        {"ollama@0.5.0", "meta-llama/Llama-3.1-8B-Instruct", KVB_ON, true, true},
        {"ollama@0.4.0", "meta-llama/Llama-3.1-8B-Instruct", KVB_ON, true, false},
        {"ollama@0.13.4", "meta-llama/Llama-3.1-8B-Instruct", -1, true, false},
        {"ollama@0.13.4", "meta-llama/Llama-3.1-8B-Instruct", KVB_ON, true, true},
        {"ollama@0.13.4", "meta-llama/Llama-3.1-8B-Instruct", KVB_OFF, false, false},
        {"ollama@0.12.4", "Qwen/Qwen3-8B", -1, true, true},
        {"ollama@0.12.3", "Qwen/Qwen3-8B", -1, false, false},
        {"ollama@0.12.0", "google/gemma-2-9b-it", KVB_ON, false, false},
        {"ollama@0.11.0", "openai/gpt-oss-20b", KVB_ON, false, false},
        {"ollama@0.11.8", "openai/gpt-oss-20b", -1, true, false},
        {"ollama@0.12.6", "openai/gpt-oss-20b", -1, true, true},
        {"ollama@0.9.0", "deepseek-ai/DeepSeek-V2-Lite", KVB_ON, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].engine, rows[i].model, "3090");
        set(KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0);
        if (rows[i].flash >= 0) {
            set(KVB_SET_FLASH_ATTENTION, (uint64_t)rows[i].flash);
        }
        answer();
        assert_int_equal(start.run.flash, rows[i].on);
        assert_int_equal(start.run.key_type, rows[i].quantised ? KVB_LLAMA_CACHE_Q8_0 : KVB_LLAMA_CACHE_F16);
        assert_int_equal(start.run.value_type, start.run.key_type);
    }
    begin("ollama@0.9.0", "meta-llama/Llama-3.1-8B-Instruct", "p40"); // compute capability 6.1
    set(KVB_SET_FLASH_ATTENTION, KVB_ON);
    answer();
    assert_false(start.run.flash);
}

// fs/ggml/ggml.go, OllamaEngineRequired, by tag.
static void test_own_engine(void **state)
{
    static const struct {
        const char *model;
        uint32_t before, since;
    } rows[] = {
        {"google/gemma-3-4b-it", KVB_RELEASE(0, 5, 13), KVB_RELEASE(0, 6, 0)},
        {"Qwen/Qwen3-8B", KVB_RELEASE(0, 11, 11), KVB_RELEASE(0, 12, 0)},
        {"Qwen/Qwen3-30B-A3B", KVB_RELEASE(0, 12, 0), KVB_RELEASE(0, 12, 2)},
        {"openai/gpt-oss-20b", KVB_RELEASE(0, 10, 0), KVB_RELEASE(0, 11, 0)},
        {"deepseek-ai/DeepSeek-V2-Lite", KVB_RELEASE(0, 12, 11), KVB_RELEASE(0, 13, 0)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("ollama@0.20.0", rows[i].model, "3090");
        answer();
        assert_true(is_said("Ollama draws the graph of this class in its own engine since"));
        assert_int_equal(budget.items[KVB_ITEM_ACTIVATION].basis, KVB_BASIS_MODELLED);
        assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].basis, KVB_BASIS_MODELLED);
        assert_int_equal(kvb_ollama_draws_since(rows[i].before, &plan.model), 0);
        assert_int_equal(kvb_ollama_draws_since(rows[i].since, &plan.model), rows[i].since);
        assert_int_equal(kvb_ollama_draws_since(KVB_RELEASE(0, 30, 0), &plan.model), 0);
    }
    begin("ollama@0.12.5", "Qwen/Qwen3-8B", "3090");
    answer();
    assert_false(is_said("its own engine"));
}

// Layers that a user asks for are not the estimate's; without a GPU of room for one the runner does not see it.
static void test_layers_asked(void **state)
{
    (void)state;
    begin("ollama@0.9.0", "meta-llama/Llama-3.1-8B-Instruct", "4060");
    set(KVB_SET_GPU_LAYERS, 20);
    answer();
    assert_int_equal(start.run.gpu_layers, 20);
    assert_false(is_said("Ollama's estimate puts"));
    begin("ollama@0.9.0", "meta-llama/Llama-3.1-70B-Instruct", "4060");
    deployment.gpu_free_bytes = KVB_GIB;
    answer();
    assert_int_equal(start.run.gpu_layers, 0);
    assert_int_equal(start.run.devices, 0);
    assert_true(is_said("Ollama's estimate puts 0 of 81 layers on the GPU"));
    begin("ollama@0.20.0", "meta-llama/Llama-3.1-70B-Instruct", "4060");
    set(KVB_SET_GPU_LAYERS, 7);
    answer();
    assert_int_equal(start.run.gpu_layers, 7);
    begin("ollama@0.9.0", "meta-llama/Llama-3.1-8B-Instruct", "4060");
    set(KVB_SET_GGML_BACKEND, KVB_LLAMA_CPU);
    answer();
    assert_int_equal(start.run.sequences, 1);
}

static void add_bytes(void *context, const struct kvb_llama_tensor *tensor)
{
    *(uint64_t *)context += tensor->bytes;
}

// What the cache of each layer is taken for: windows of Gemma 3 since 0.6.3 (1024 + 512 cells and 2048, at every sixth
// layer), of gpt-oss 4096 + 512; since 0.11.11 layers with a state have that.
static void test_caches(void **state)
{
    static const struct {
        const char *engine, *model;
        uint32_t first, second; // layers whose caches differ
        int64_t bytes;          // by so much
    } rows[] = {
        {"ollama@0.6.3", "google/gemma-3-12b-it", 5, 0, (2048 - 1536) * 2 * 256 * 8 * 2},
        {"ollama@0.6.2", "google/gemma-3-12b-it", 5, 0, 0},
        {"ollama@0.11.0", "openai/gpt-oss-20b", 0, 1, (4608 - 2048) * 2 * 64 * 8 * 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].engine, rows[i].model, "3090");
        set(KVB_SET_GGUF_TYPE, 3); // one format in all layers: they differ by their caches alone
        set(KVB_SET_MAX_MODEL_LEN, 2048);
        set(KVB_SET_MAX_NUM_SEQS, 1);
        answer();
        kvb_ollama_sizes_of(&start, plan.engine.release, &sizes);
        assert_int_equal((int64_t)(sizes.layer_bytes[rows[i].first] - sizes.layer_bytes[rows[i].second]),
                         rows[i].bytes);
    }
    begin("ollama@0.12.0", "ibm-granite/granite-4.0-h-tiny", "3090");
    answer();
    kvb_ollama_sizes_of(&start, plan.engine.release, &sizes);
    assert_true(sizes.partial_bytes > 0 && sizes.full_bytes == sizes.partial_bytes);
    // its first layer's state beside its weights, in 32 bits: 3 x (3072 + 2 x 128) columns and 3072 x 128
    uint64_t weights = 0;
    kvb_llama_layer_tensors(&start.run, 0, add_bytes, &weights);
    assert_int_equal(sizes.layer_bytes[0] - weights, 4 * (3 * (3072 + 2 * 128) + 3072 * 128));
}

// ---- The two ways to place layers, on sizes by hand

static void same_layers(uint32_t count, uint64_t each, uint64_t output)
{
    sizes = (struct kvb_ollama_sizes){.layers = count, .output_bytes = output, .full_bytes = 50, .partial_bytes = 100};
    for (uint32_t i = 0; i < count; i++) {
        sizes.layer_bytes[i] = each;
    }
}

// llm/memory.go: a card needs overhead + graph + minimum + 2 layers to be open, keeps minimum + 1 layer and the larger
// graph free, and takes a layer while it fits with something to spare.
static void test_estimate(void **state)
{
    struct kvb_ollama_placed placed;
    struct kvb_ollama_cards cards = {.count = 1, .free_bytes = 1000, .minimum_bytes = 10};
    (void)state;
    same_layers(10, 60, 60); // 1000 - 10 - 60 - 100 = 830 = 13.8 layers
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 11);
    cards.overhead_bytes = 300; // 530 = 8.8
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 8); // no room for the output either
    kvb_ollama_estimate(&sizes, &cards, 5, false, &placed);
    assert_int_equal(placed.layers, 5);
    sizes.output_bytes = 30; // in what the layers left: 50
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 8); // the card was closed by the ninth layer
    cards.overhead_bytes = 770;         // 60 = one layer, which does not fit without something to spare
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 0);
    cards = (struct kvb_ollama_cards){.count = 2, .free_bytes = 500, .minimum_bytes = 10}; // 330 each = 5.5
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 10); // 30 are left of each: nothing to spare beside the output
    assert_int_equal(placed.of_card[0], 5);
    assert_int_equal(placed.of_card[1], 5);
    sizes.full_bytes = 200; // of one card alone
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 10);
    sizes.full_bytes = 50;
    // Three cards of 330 with a projector of 100 on the first: it holds three and is closed by the last layer, which
    // goes to the next one; so does the output, as the eleventh.
    sizes.projector_bytes = 100;
    cards.count = 3;
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 11);
    assert_int_equal(placed.of_card[0], 3);
    assert_int_equal(placed.of_card[1], 5);
    assert_int_equal(placed.of_card[2], 3);
    cards.count = 2;
    cards.metal = true; // the graph is the full one: 380 each = 6.3
    sizes.projector_bytes = 300;
    kvb_ollama_estimate(&sizes, &cards, -1, true, &placed);
    assert_int_equal(placed.of_card[0], 1); // 80 beside the projector
    assert_int_equal(placed.of_card[1], 6);
}

// llm/server.go: what is left of each card after minimum, overhead, graph and a layer takes the last layers; without
// the output where not all fit; on two cards the smallest even share that holds as many.
static void test_layout(void **state)
{
    struct kvb_ollama_placed placed;
    struct kvb_ollama_cards cards = {.count = 1, .free_bytes = 1000, .minimum_bytes = 10, .buffer_bytes = 60};
    (void)state;
    same_layers(10, 60, 60); // 1000 - 10 - 60 - 100 = 830
    kvb_ollama_layout(&sizes, &cards, -1, &placed);
    assert_int_equal(placed.layers, 11);
    cards.overhead_bytes = 230; // 600: ten layers, so without the output
    kvb_ollama_layout(&sizes, &cards, -1, &placed);
    assert_int_equal(placed.layers, 10);
    cards.overhead_bytes = 1000;
    kvb_ollama_layout(&sizes, &cards, -1, &placed);
    assert_int_equal(placed.layers, 0);
    kvb_ollama_layout(&sizes, &cards, 5, &placed); // asked for: as if there were a thousand times the room
    assert_int_equal(placed.layers, 0);
    cards.overhead_bytes = 820; // 10 left, times 1000
    kvb_ollama_layout(&sizes, &cards, 5, &placed);
    assert_int_equal(placed.layers, 5);
    cards = (struct kvb_ollama_cards){.count = 2, .free_bytes = 600, .minimum_bytes = 10, .buffer_bytes = 60};
    kvb_ollama_layout(&sizes, &cards, -1, &placed); // 430 each: eleven layers evenly
    assert_int_equal(placed.layers, 11);
    assert_int_equal(placed.of_card[0], 5);
    assert_int_equal(placed.of_card[1], 6);
    sizes.projector_bytes = 180; // on the first card: 250 and 430, four and seven layers of 60
    kvb_ollama_layout(&sizes, &cards, -1, &placed);
    assert_int_equal(placed.layers, 11);
    assert_int_equal(placed.of_card[0], 4);
    assert_int_equal(placed.of_card[1], 7);
}

// Layers of 10, 20, ... 100 and an output of 200, from the last on: every figure names the layer that fits no more.
static void test_unlike_layers(void **state)
{
    (void)state;
    static const struct {
        uint64_t free_bytes;
        int64_t asked;
        uint32_t layers, on_first; // of_card
        uint32_t cards;
    } laid_out[] = {
        {860, -1, 11, 11, 1},                     // 10 kept free, a graph of 100, all 550 and the output
        {859, -1, 10, 10, 1},                     // without the output
        {660, -1, 10, 10, 1}, {659, -1, 9, 9, 1}, // 549: without the first layer of 10
        {640, -1, 8, 8, 1},                       // 530: 100 to 30 are 520, 20 more are 540
        {210, -1, 1, 1, 1},                       // 100
        {209, -1, 0, 0, 1},   {860, 3, 3, 3, 1},
        {610, -1, 11, 8, 2}, // of 390 and 360: output, 100 and 90 on the second
        {500, -1, 11, 8, 2}, // 390 of each
        {499, -1, 10, 7, 2}, // without the output: 100 to 80 are 270, 10 to 70 are 280
    };
    struct kvb_ollama_placed placed;
    same_layers(10, 0, 200);
    for (uint32_t i = 0; i < 10; i++) {
        sizes.layer_bytes[i] = 10 * (i + 1);
    }
    for (size_t i = 0; i < sizeof laid_out / sizeof laid_out[0]; i++) {
        struct kvb_ollama_cards cards = {
            .count = laid_out[i].cards, .free_bytes = laid_out[i].free_bytes, .minimum_bytes = 10};
        kvb_ollama_layout(&sizes, &cards, laid_out[i].asked, &placed);
        if (placed.layers != laid_out[i].layers || placed.of_card[0] != laid_out[i].on_first) {
            fail_msg("row %zu: %u, %u", i, (unsigned)placed.layers, (unsigned)placed.of_card[0]);
        }
    }
    static const struct {
        uint64_t free_bytes;
        int64_t asked;
        bool upwards;
        uint32_t layers;
    } estimated[] = {
        // 10 and the first layer's 10 are kept free, a graph of 100, and more than the layers of 550 fits
        {871, -1, false, 11}, {870, -1, false, 10}, {671, -1, false, 10}, {670, -1, false, 9},
        {200, -1, false, 0}, // 100 does not fit 80
        {221, -1, false, 1},  {220, -1, false, 0},  {871, 10, false, 10}, {871, 11, false, 11},
        {200, -1, true, 3}, // to 0.6: 10, 20 and 30 of 80, no 40
        {221, -1, true, 4},   {220, -1, true, 3},   {131, -1, true, 1},   {130, -1, true, 0},
    };
    for (size_t i = 0; i < sizeof estimated / sizeof estimated[0]; i++) {
        struct kvb_ollama_cards cards = {.count = 1, .free_bytes = estimated[i].free_bytes, .minimum_bytes = 10};
        kvb_ollama_estimate(&sizes, &cards, estimated[i].asked, estimated[i].upwards, &placed);
        if (placed.layers != estimated[i].layers) {
            fail_msg("row %zu: %u", i, (unsigned)placed.layers);
        }
    }
}

// Layers asked for beyond all there are take the output, too; a card that holds them is enough; on Metal the graph is
// the full one in both ways.
static void test_more_asked(void **state)
{
    struct kvb_ollama_placed placed;
    struct kvb_ollama_cards cards = {.count = 1, .free_bytes = 1000, .minimum_bytes = 10};
    (void)state;
    same_layers(10, 60, 60);
    kvb_ollama_estimate(&sizes, &cards, 99, false, &placed);
    assert_int_equal(placed.layers, 11);
    kvb_ollama_estimate(&sizes, &cards, 10, false, &placed);
    assert_int_equal(placed.layers, 10);
    cards = (struct kvb_ollama_cards){.count = 2, .free_bytes = 600, .minimum_bytes = 10, .buffer_bytes = 60};
    kvb_ollama_layout(&sizes, &cards, 5, &placed); // 430 of one
    assert_int_equal(placed.of_card[0], 5);
    assert_int_equal(placed.of_card[1], 0);
    cards = (struct kvb_ollama_cards){.count = 1, .free_bytes = 780, .minimum_bytes = 10, .buffer_bytes = 60};
    kvb_ollama_layout(&sizes, &cards, -1, &placed); // 610 without the graph of 100: ten layers
    assert_int_equal(placed.layers, 10);
    cards.metal = true; // with one of 50: 660
    kvb_ollama_layout(&sizes, &cards, -1, &placed);
    assert_int_equal(placed.layers, 11);
}

// GraphSize of classes that no log here has, by hand: 512 tokens at once, 2048 of context.
static void test_graphs(void **state)
{
    static const struct {
        const char *engine, *model;
        uint64_t full_bytes, partial_bytes;
    } rows[] = {
        // 4*512*(3584 + 256000) and 4*3584*512 + 3584*256000*105/128 + 4*256000*512
        {"ollama@0.5.0", "google/gemma-2-9b-it", 531628032, 1284268032},
        // 4*512*(3584 + 152064); and + 3584*152064*105/128
        {"ollama@0.5.0", "Qwen/Qwen2.5-7B-Instruct", 318767104, 765835264},
        // 40 heads over 10: 40/10 * (2048*256*10*2*40 layers) / 6
        {"ollama@0.5.0", "microsoft/phi-4", 279620266, 279620266},
        // before 0.3.10 without the logits: 4*512*(1 + 4*3072 + 2048*25)
        {"ollama@0.3.0", "meta-llama/Llama-3.2-3B-Instruct", 130025472, 598456320},
        // 4*512*(12288 + 256000); and + 12288*256000*105/128
        {"ollama@0.5.0", "CohereLabs/c4ai-command-r-plus", 549453824, 3129933824},
        // 4*512*(1 + 4*2560 + 2048*33); 4*512*(2*2560 + 51200) + 2560*51200*105/128
        {"ollama@0.5.0", "microsoft/phi-2", 159385600, 222863360},
        // 4*512*(4096 + 151552); and + 4096*151552*105/128
        {"ollama@0.5.0", "zai-org/glm-4-9b-chat", 318767104, 827981824},
        // 4*512*(1 + 4*4096 + 2048*33); 3 * 8*14336*4096*144/256 + 4*512*(2*14336 + 8 + 4096 + 2048 + 128*8)
        {"ollama@0.5.0", "mistralai/Mixtral-8x7B-Instruct-v0.1", 171968512, 866140160},
        // 4*64/8 * (24 layers * 2048*128*8*2) / 6, twice that before 0.11.3
        {"ollama@0.11.0", "openai/gpt-oss-20b", 536870912, 1073741824},
        {"ollama@0.11.3", "openai/gpt-oss-20b", 536870912, 536870912},
        {"ollama@0.11.5", "openai/gpt-oss-20b", 268435456, 268435456},
        // with flash attention (4*1 + 2048/1024 + 110) MiB
        {"ollama@0.11.8", "openai/gpt-oss-20b", 121634816, 121634816},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].engine, rows[i].model, "3090");
        set(KVB_SET_MAX_MODEL_LEN, 2048);
        set(KVB_SET_MAX_NUM_SEQS, 1);
        answer();
        kvb_ollama_sizes_of(&start, plan.engine.release, &sizes);
        assert_int_equal(sizes.full_bytes, rows[i].full_bytes);
        assert_int_equal(sizes.partial_bytes, rows[i].partial_bytes);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_a_model_that_fits), cmocka_unit_test(test_layers_by_overhead),
              cmocka_unit_test(test_four_cards), cmocka_unit_test(test_one_instance_or_two),
              cmocka_unit_test(test_buffers_of_the_runner), cmocka_unit_test(test_defaults),
              cmocka_unit_test(test_batch), cmocka_unit_test(test_cache), cmocka_unit_test(test_own_engine),
              cmocka_unit_test(test_layers_asked), cmocka_unit_test(test_estimate), cmocka_unit_test(test_layout),
              cmocka_unit_test(test_unlike_layers), cmocka_unit_test(test_more_asked), cmocka_unit_test(test_graphs),
              cmocka_unit_test(test_caches))
