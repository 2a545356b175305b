// Ollama on both sides of what decides: parameters of a Modelfile, names of its library, flash attention, and what the
// estimate before 0.30 counts and chooses. Source: fs/ggml/ggml.go, server/sched.go and llm/server.go by tag.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/ollama.h"
#include "unit/llamacpp_line.h"

static struct kvb_llama_start start;

static void ask(const char *model, const char *gpu, const char *engine)
{
    read_line("ollama run x");
    run_on(model, gpu, engine);
}

static void solve(void)
{
    resolve_line();
    kvb_llama_start_of(&plan, true, &start);
}

// PARAMETER of a Modelfile: three of them move memory, -1 is as if nothing were said.
static void parameters(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        enum kvb_setting setting;
        uint64_t number; // 0: it is not said
        bool taken;
    } rows[] = {{"num_ctx=8192", KVB_SET_MAX_MODEL_LEN, 8192, true},
                {"num_gpu=33", KVB_SET_GPU_LAYERS, 33, true},
                {"num_batch=256", KVB_SET_UBATCH_SIZE, 256, true},
                {"num_gpu=-1", KVB_SET_GPU_LAYERS, 0, true},
                {"temperature=0.7", KVB_SET_MAX_MODEL_LEN, 0, true},
                {"num_ctx=4294967295", KVB_SET_MAX_MODEL_LEN, 4294967295, true},
                {"num_ctx=4294967296", KVB_SET_MAX_MODEL_LEN, 0, false},
                {"num_ctx=many", KVB_SET_MAX_MODEL_LEN, 0, false}};
    const struct kvb_serve_flag *flag = NULL;
    for (unsigned i = 0; (flag = kvb_ollama_flag(i)) != NULL && strcmp(flag->name, "parameter") != 0; i++) {
    }
    assert_non_null(flag);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[256];
        kvb_deployment_init(&deployment);
        assert_int_equal(flag->read(rows[i].value, KVB_ORIGIN_FLAG, &deployment, why), rows[i].taken);
        const struct kvb_setting_value *value = &deployment.settings.values[rows[i].setting];
        assert_int_equal(value->set ? value->number : 0, rows[i].number);
        if (!rows[i].taken) {
            assert_non_null(strstr(why, "PARAMETER num_ctx="));
            assert_non_null(strstr(why, ": expected a whole number"));
        }
    }
}

// A name of Ollama's library is Q4_K_M or as the model is published; another format is a repository's.
static void names_of_a_library(void **state)
{
    (void)state;
    static const struct {
        const char *model, *name;
        uint64_t type;
        bool repository;
    } rows[] = {{"Qwen/Qwen3-8B", "hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M", 0, false},
                {"Qwen/Qwen3-8B", "hf.co/Qwen/Qwen3-8B-GGUF:Q8_0", 8, true},
                {"Qwen/Qwen3-8B", "hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M", 15, false},
                {"openai/gpt-oss-20b", "hf.co/openai/gpt-oss-20b-GGUF:MXFP4_MOE", 0, false},
                {"openai/gpt-oss-20b", "hf.co/openai/gpt-oss-20b-GGUF:F16", 2, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[KVB_LINE_MODEL_CAPACITY];
        ask(rows[i].model, "rtx4090", "ollama");
        if (rows[i].type > 0) {
            set(KVB_SET_GGUF_TYPE, rows[i].type);
        }
        resolve_line();
        assert_int_equal(kvb_ollama_line.model(&plan, name), rows[i].repository);
        assert_string_equal(name, rows[i].name);
    }
}

// ---- Ollama's estimate

// SupportsFlashAttention of fs/ggml/ggml.go: sizes of a head that are there and alike; cards of 7.0 and later, and
// those whose capability nobody knows.
static void flash_by_model_and_card(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        uint32_t capability;
        bool on;
    } rows[] = {{"meta-llama/Llama-3.1-8B-Instruct", 0, true},
                {"meta-llama/Llama-3.1-8B-Instruct", 70, true},
                {"meta-llama/Llama-3.1-8B-Instruct", 69, false},
                {"ibm-granite/granite-4.0-h-tiny", 86, true}, // its first layers have a state
                {"state-spaces/mamba-2.8b-hf", 86, false}};   // all of them
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask(rows[i].model, "rtx4090", "ollama@0.9.0");
        set(KVB_SET_FLASH_ATTENTION, KVB_ON);
        resolve_line();
        plan.gpu.compute_capability = rows[i].capability;
        assert_int_equal(kvb_ollama_uses_flash(KVB_RELEASE(0, 9, 0), &plan), rows[i].on);
    }
}

// kvCacheBytesPerElement: q8_0 is one byte, q4_0 a half. Llama 4 cuts three layers of four into chunks, which are no
// windows to the estimate.
static void caches_of_the_estimate(void **state)
{
    (void)state;
    static struct kvb_ollama_sizes sizes;
    uint64_t f16 = 0;
    for (uint64_t i = 0; i < 3; i++) {
        static const uint64_t types[] = {KVB_GGUF_F16, KVB_GGUF_Q8_0, KVB_GGUF_Q4_0};
        ask("meta-llama/Llama-3.1-8B-Instruct", "h100-80", "ollama@0.9.0");
        set(KVB_SET_GGUF_TYPE, 15);
        set(KVB_SET_FLASH_ATTENTION, KVB_ON);
        set(KVB_SET_CACHE_TYPE_K, types[i]);
        set(KVB_SET_MAX_MODEL_LEN, 8192);
        set(KVB_SET_MAX_NUM_SEQS, 1);
        solve();
        kvb_ollama_sizes_of(&start, KVB_RELEASE(0, 9, 0), &sizes);
        f16 = i == 0 ? sizes.layer_bytes[0] : f16;
        uint64_t whole = UINT64_C(8192) * 2 * 128 * 8 * 2; // in 16 bits
        assert_int_equal(f16 - sizes.layer_bytes[0], i == 0 ? 0 : whole - (whole >> i));
    }
    ask("meta-llama/Llama-4-Scout-17B-16E-Instruct", "h200", "ollama@0.12.0");
    set(KVB_SET_GGUF_TYPE, 4); // one format: layers differ by their caches alone
    set(KVB_SET_MAX_MODEL_LEN, 32768);
    set(KVB_SET_MAX_NUM_SEQS, 1);
    solve();
    kvb_ollama_sizes_of(&start, KVB_RELEASE(0, 12, 0), &sizes);
    assert_int_equal(sizes.layer_bytes[0], sizes.layer_bytes[3]);
    plan.model.kinds[0].attention.heads = 0; // no size of a head to divide by
    plan.model.kinds[0].attention.kv_heads = 0;
    kvb_ollama_sizes_of(&start, KVB_RELEASE(0, 12, 0), &sizes);
    assert_true(sizes.partial_bytes > 0);
}

// server/sched.go: one card, or before 0.11.5 all of them, from then on as few as hold all; with the usual slots, else
// with one. Metal keeps 512 MiB free instead of 457.
static void cards_and_slots(void **state)
{
    (void)state;
    static const struct {
        const char *engine;
        uint64_t free_mib;
        uint32_t used, slots;
    } rows[] = {{"ollama@0.9.0", 12000, 1, 2},  // 8B in 16 GiB of f16 do not fit one card of 12
                {"ollama@0.9.0", 8000, 3, 2},   // so all three,
                {"ollama@0.11.5", 8000, 3, 1}}; // and with one slot from 0.10 on
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask("meta-llama/Llama-3.1-8B-Instruct", "rtx4090", rows[i].engine);
        set(KVB_SET_GGUF_TYPE, i == 0 ? 8 : 2);
        set(KVB_SET_TENSOR_PARALLEL_SIZE, 3);
        deployment.gpu_free_bytes = rows[i].free_mib << 20;
        solve();
        assert_int_equal(start.run.devices, rows[i].used);
        assert_int_equal(start.run.sequences, rows[i].slots);
    }
    ask("meta-llama/Llama-3.1-8B-Instruct", "rtx4090", "ollama@0.9.0");
    set(KVB_SET_GGUF_TYPE, 8);
    set(KVB_SET_MAX_MODEL_LEN, 16384); // 2 GiB a slot beside 7.95 GiB, a graph of a GiB and 457 MiB
    deployment.gpu_free_bytes = 12 * KVB_GIB;
    solve();
    assert_int_equal(start.run.sequences, 1);
    assert_int_equal(start.run.gpu_layers, 33);
    uint32_t layers[2];
    for (unsigned metal = 0; metal < 2; metal++) { // 55 MiB less are enough for a layer of 32 to stay behind
        ask("meta-llama/Llama-3.1-8B-Instruct", "rtx4090", "ollama@0.9.0");
        set(KVB_SET_GGUF_TYPE, 2);
        set(KVB_SET_GGML_BACKEND, metal != 0 ? KVB_LLAMA_METAL : KVB_LLAMA_CUDA);
        set(KVB_SET_MAX_NUM_SEQS, 1);
        deployment.gpu_free_bytes = 10 * KVB_GIB;
        solve();
        layers[metal] = start.run.gpu_layers;
    }
    assert_true(layers[1] <= layers[0] && layers[1] > 0);
    ask("meta-llama/Llama-3.1-8B-Instruct", "rtx4090", "ollama@0.9.0");
    deployment.reserve_count = 1;
    deployment.reserves[0].bytes = 30 * KVB_GIB;
    solve();
    assert_int_equal(start.run.devices, 0);
}

// The least free memory from which all layers are on the GPU, to the byte.
static uint64_t least_for_all(const char *model, const char *engine, uint64_t backend, uint32_t slots)
{
    uint64_t low = 0, high = 24 * KVB_GIB;
    while (high - low > 1) {
        ask(model, "rtx4090", engine);
        set(KVB_SET_GGUF_TYPE, 15);
        set(KVB_SET_GGML_BACKEND, backend);
        set(KVB_SET_MAX_MODEL_LEN, 2048);
        if (slots > 0) {
            set(KVB_SET_MAX_NUM_SEQS, slots);
        }
        deployment.gpu_free_bytes = low + (high - low) / 2;
        solve();
        bool all = start.run.gpu_layers == start.run.model->layer_count + 1;
        assert_int_equal(start.decision, all ? KVB_LLAMA_UNCHANGED : KVB_LLAMA_LAYERS_MOVED);
        *(all ? &high : &low) = deployment.gpu_free_bytes;
    }
    return high;
}

// discover/gpu.go: 457 MiB of a GPU are kept free, of Metal 512; Phi-4's graph is the same whole or in part. What fits
// with one slot is not left to more that hold one layer less (server/sched.go).
static void to_the_last_layer(void **state)
{
    (void)state;
    uint64_t cuda = least_for_all("microsoft/phi-4", "ollama@0.5.0", KVB_LLAMA_CUDA, 1);
    uint64_t metal = least_for_all("microsoft/phi-4", "ollama@0.5.0", KVB_LLAMA_METAL, 1);
    assert_int_equal(metal - cuda, (512 - 457) * KVB_MIB);
    assert_int_equal(least_for_all("microsoft/phi-4", "ollama@0.5.0", KVB_LLAMA_CUDA, 0), cuda);
}

// Of a class that Ollama draws itself the graph is the one of a single GPU, however many there are (runner/ollamarunner
// reserves it for each): all layers fit as soon as one GPU has room for them, the output, that graph and 457 MiB.
static void graph_of_one_card(void **state)
{
    (void)state;
    static struct kvb_ollama_sizes sizes;
    struct kvb_llama_buffers buffers = {.streams = 0};
    uint64_t least = least_for_all("google/gemma-3-27b-it", "ollama@0.13.5", KVB_LLAMA_CUDA, 1);
    deployment.gpu_free_bytes = least;
    solve();
    assert_int_equal(start.run.devices, 1);
    kvb_llama_compute_buffers(&start.run, &buffers);
    kvb_ollama_sizes_of(&start, KVB_RELEASE(0, 13, 5), &sizes);
    uint64_t wanted = buffers.places[0].compute_bytes + sizes.output_bytes + sizes.projector_bytes + 457 * KVB_MIB;
    for (uint32_t i = 0; i < sizes.layers; i++) {
        wanted += sizes.layer_bytes[i];
    }
    assert_int_equal(least, wanted);
}

// From 0.30 on llama.cpp fits layers by itself; the context is handed over as a number, and is kept.
static void context_handed_over(void **state)
{
    (void)state;
    ask("meta-llama/Llama-3.1-8B-Instruct", "rtx4090", "ollama@0.30.0");
    set(KVB_SET_GGUF_TYPE, 15);
    solve();
    uint64_t tokens = start.run.context_tokens;
    assert_int_equal(start.decision, KVB_LLAMA_UNCHANGED);
    assert_true(start.context_said);
    deployment.gpu_free_bytes = 4 * KVB_GIB;
    solve();
    assert_int_equal(start.run.context_tokens, tokens);
    assert_int_equal(start.decision, KVB_LLAMA_LAYERS_MOVED);
}

KVB_TEST_MAIN(cmocka_unit_test(graph_of_one_card), cmocka_unit_test(context_handed_over),
              cmocka_unit_test(to_the_last_layer), cmocka_unit_test(parameters), cmocka_unit_test(names_of_a_library),
              cmocka_unit_test(flash_by_model_and_card), cmocka_unit_test(caches_of_the_estimate),
              cmocka_unit_test(cards_and_slots))
