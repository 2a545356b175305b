// Files that publishers made, byte by byte: what a mixture takes beyond the same model in bf16, which a file's
// tokenizer and words do not change. Sizes: the hub's list of bartowski/Qwen_Qwen3-1.7B-GGUF at dcb19155 (made with
// b5200), where the head is a matrix of its own beside the embedding.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "budget/engine.h"
#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/start.h"
#include "engines/llamacpp/tensors.h"
#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_problems problems;

static void plan_of(const char *model, const char *engine)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "%s", model);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "rtx4090");
    (void)snprintf(deployment.engine, sizeof deployment.engine, "%s", engine);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
}

static void add(void *context, const struct kvb_llama_tensor *tensor)
{
    *(uint64_t *)context += tensor->bytes;
}

static uint64_t file_of(const struct kvb_llama_run *run)
{
    uint64_t bytes = 0;
    kvb_llama_input_tensors(run, add, &bytes);
    for (uint32_t layer = 0; layer <= run->model->layer_count; layer++) {
        kvb_llama_layer_tensors(run, layer, add, &bytes);
    }
    return bytes;
}

static int64_t off_by(struct kvb_llama_run *run, const char *mixture, uint64_t file_bytes)
{
    run->mixture = kvb_llama_mixture_find("BF16");
    uint64_t plain = file_of(run);
    run->mixture = kvb_llama_mixture_find(mixture);
    assert_int_not_equal(run->mixture, 0);
    return (int64_t)(file_of(run) + (UINT64_C(4069679264) - plain)) - (int64_t)file_bytes;
}

static const struct {
    const char *mixture;
    uint64_t file_bytes;
} files[] = {
    {"Q8_0", 2165039520},   {"Q6_K_L", 1823728032}, {"Q6_K", 1673007520},    {"Q5_K_L", 1663852960},
    {"Q5_K_M", 1471805856}, {"Q5_K_S", 1444510112}, {"Q4_K_L", 1513382304},  {"Q4_K_M", 1282439584},
    {"Q4_K_S", 1235220896}, {"Q4_1", 1336981920},   {"Q3_K_XL", 1409474976}, {"Q3_K_L", 1137205664},
    {"Q3_K_M", 1073242528}, {"Q3_K_S", 1000956320}, {"Q2_K_L", 1183768992},  {"Q2_K", 879896992},
    {"IQ4_NL", 1229453728}, {"IQ4_XS", 1175689632}, {"IQ3_M", 1029366176},   {"IQ3_XS", 967926176},
    {"IQ3_XXS", 888064416}, {"IQ2_M", 828885408},
};

// llama-quant.cpp: with an importance matrix the first eighth of ffn_down is Q4_1: 3 of 28 layers, 2048 x 6144, 2 bytes
// more in each block of 32. The list's own Q4_0 is such a file.
static void test_q4_0_without_a_matrix(void **state)
{
    (void)state;
    plan_of("Qwen/Qwen3-1.7B", "llama.cpp");
    plan.model.tied_embeddings = false;
    struct kvb_llama_run run = {.model = &plan.model, .build = 5200, .backend = KVB_LLAMA_CUDA, .devices = 1};
    assert_int_equal(off_by(&run, "Q4_0", 1231813024), -256 - 3 * 2048 * 6144 / 32 * 2);
}

static void test_published_files(void **state)
{
    (void)state;
    plan_of("Qwen/Qwen3-1.7B", "llama.cpp");
    plan.model.tied_embeddings = false;
    struct kvb_llama_run run = {.model = &plan.model, .build = 5200, .backend = KVB_LLAMA_CUDA, .devices = 1};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        int64_t off = off_by(&run, files[i].mixture, files[i].file_bytes);
        if (off != -256) { // the four keys that name the importance matrix
            fail_msg("%s: %lld bytes off", files[i].mixture, (long long)off);
        }
    }
}

// Sizes of files: a benchmark's page of Mistral-Small-3.2-24B-Instruct-2506-GGUF at b750ec22; a log of llama.cpp b9850
// for Qwen3.6-27B-GGUF (docs/llama-cpp-starts.md).
static const struct {
    const char *model, *mixture;
    uint64_t file_bytes;
} dynamic[] = {
    {"mistralai/Mistral-Small-3.2-24B-Instruct-2506", "UD-Q4_K_XL", 14548880928},
    {"Qwen/Qwen3.6-27B", "UD-Q8_K_XL", 35325163744},
};

static void test_dynamic_files_lie_in_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dynamic / sizeof dynamic[0]; i++) {
        uint32_t low, high;
        plan_of(dynamic[i].model, "llama.cpp");
        struct kvb_llama_run run = {.model = &plan.model, .build = 9850, .backend = KVB_LLAMA_CUDA, .devices = 1};
        run.mixture = kvb_llama_mixture_find(dynamic[i].mixture);
        kvb_llama_mixture_bound(run.mixture, &low, &high);
        uint64_t bytes = file_of(&run), permille = bytes / 1000;
        assert_in_range(dynamic[i].file_bytes, bytes - low * permille, bytes + high * permille);
    }
}

static const struct {
    const char *model, *engine, *mixture, *line;
} named[] = {
    {"unsloth/Qwen3-8B-GGUF", "llama.cpp", "Q4_K_M", "Qwen3-8B-Q4_K_M.gguf"}, // what -hf takes when nothing is said
    {"unsloth/Qwen3-8B-GGUF:Q8_0", "llama.cpp", "Q8_0", "Qwen3-8B-Q8_0.gguf"},
    {"unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL", "llama.cpp", "UD-Q4_K_XL", "Qwen3-8B-UD-Q4_K_XL.gguf"},
    {"Qwen/Qwen3-8B-GGUF:q5_k_m", "llama.cpp", "Q5_K_M", "Qwen3-8B-Q5_K_M.gguf"},
    {"unsloth/Qwen3-8B-GGUF:Q8_0", "ollama", "Q8_0", "hf.co/unsloth/Qwen3-8B-GGUF:Q8_0"},
    {"hf.co/unsloth/Qwen3-8B-GGUF:UD-Q2_K_XL", "ollama", "UD-Q2_K_XL", "hf.co/unsloth/Qwen3-8B-GGUF:UD-Q2_K_XL"},
};

// The name's format is the file's, whichever way the model is asked for.
static void test_names_say_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        struct kvb_llama_start start;
        char line[KVB_LINE_MODEL_CAPACITY];
        bool ollama = strcmp(named[i].engine, "ollama") == 0;
        plan_of(named[i].model, named[i].engine);
        kvb_llama_start_begin(&plan, ollama, &start);
        assert_string_equal(kvb_llama_mixture_name(start.run.mixture), named[i].mixture);
        (void)(ollama ? &kvb_ollama_line : &kvb_llama_line)->model(&plan, line);
        assert_string_equal(line, named[i].line);
    }
}

// The compute buffer of a context of 10,752 tokens is larger than those of 10,240 and 75,776, so that between these two
// it cannot be taken for granted: the length that is said starts (llama-server -m X.gguf -ngl 42, b9010, 10 GB).
static void test_longest_starts(void **state)
{
    static struct kvb_budget budget, again;
    (void)state;
    plan_of("nvidia/Llama-3.1-Nemotron-Nano-4B-v1.1", "llama.cpp@b9010");
    assert_int_equal(kvb_gpu_load("rtx3080-10", &plan.gpu, &problems), KVB_OK);
    kvb_settings_set(&plan.settings, KVB_SET_GGUF_TYPE, kvb_llama_mixture_find("BF16"), KVB_ORIGIN_FLAG);
    kvb_settings_set(&plan.settings, KVB_SET_GPU_LAYERS, 42, KVB_ORIGIN_FLAG);
    kvb_settings_set(&plan.settings, KVB_SET_MAX_MODEL_LEN, 75776, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_false(budget.starts);
    uint64_t fits = budget.kv.max_model_len_that_fits;
    assert_in_range(fits, 8192, 12288); // 9.25 GiB for 75,776 tokens, and 8.0 of them too much
    kvb_settings_set(&plan.settings, KVB_SET_MAX_MODEL_LEN, fits, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_budget_compute(&plan, &again, &problems), KVB_OK);
    assert_true(again.starts && again.balance_bytes >= 0);
}

// Two tables of the same formats: words of flags, and mixtures.
static void test_every_word_is_its_mixture(void **state)
{
    const struct kvb_setting_row *row = kvb_setting_row_of(KVB_SET_GGUF_TYPE);
    (void)state;
    for (uint32_t i = 0; i < row->word_count; i++) {
        assert_int_equal(kvb_llama_mixture_find(row->words[i].text), row->words[i].number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_files),           cmocka_unit_test(test_q4_0_without_a_matrix),
        cmocka_unit_test(test_names_say_formats),         cmocka_unit_test(test_dynamic_files_lie_in_the_bound),
        cmocka_unit_test(test_every_word_is_its_mixture), cmocka_unit_test(test_longest_starts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
