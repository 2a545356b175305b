// Lines to start llama-server and Ollama, read back; flags that Ollama does not have; requests that have to run at
// once.
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/answer.h>
#include <kvbudget/input.h>

#define WORDS_MAX 40

static struct kvb_question question;
static struct kvb_answer answer;
static struct kvb_problems problems;
static char text[600];
static const char *words[WORDS_MAX];

static void ask(const char *line, const char *model, const char *engine)
{
    int count = 0;
    memset(&question, 0, sizeof question);
    kvb_problems_init(&problems);
    kvb_deployment_init(&question.deployment);
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL && count < WORDS_MAX; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    question.serve_words = words;
    question.serve_count = count;
    question.serve_model = -1;
    if (count > 0) {
        assert_int_equal(kvb_serve_command_read(count, words, &question.deployment, &problems), KVB_OK);
    }
    if (model[0] != '\0') {
        (void)snprintf(question.deployment.model, sizeof question.deployment.model, "%s", model);
    }
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "3060");
    if (engine[0] != '\0') {
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "%s", engine);
    }
}

static void set(enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&question.deployment.settings, setting, number, KVB_ORIGIN_FLAG);
}

static void solve(void)
{
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
}

static void assert_line(const char *expected)
{
    solve();
    memset(&answer.advice, 0, sizeof answer.advice);
    char *line = kvb_serve_line(&question, &answer.plan, &answer.advice);
    assert_non_null(line);
    assert_string_equal(line, expected);
    free(line);
}

// common/arg.cpp: -m takes a file; there is no file in the name of a repository alone.
static void test_server_takes_files(void **state)
{
    (void)state;
    ask("", "Qwen/Qwen3-8B", "llama.cpp");
    set(KVB_SET_GGUF_TYPE, 15); // Q4_K_M
    assert_line("llama-server -m Qwen3-8B-Q4_K_M.gguf");
    ask("", "Qwen/Qwen3-8B", "llama.cpp");
    set(KVB_SET_GGUF_TYPE, 15);
    set(KVB_SET_MAX_MODEL_LEN, 8192);
    set(KVB_SET_GPU_LAYERS, 20);
    assert_line("llama-server -m Qwen3-8B-Q4_K_M.gguf --ctx-size 8192 --n-gpu-layers 20");
    ask("", "openai/gpt-oss-20b", "llama.cpp");
    assert_line("llama-server -m gpt-oss-20b-MXFP4_MOE.gguf");
    ask("llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M -c 4096", "", "");
    assert_line("llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M -c 4096");
}

// cmd/cmd.go: `ollama run` has no flag of the runner; envconfig/config.go: the server reads variables.
static void test_ollama_takes_variables(void **state)
{
    (void)state;
    ask("", "Qwen/Qwen3-8B", "ollama");
    assert_line("ollama run qwen3:8b");
    ask("", "qwen3:8b", "ollama");
    set(KVB_SET_MAX_MODEL_LEN, 16384);
    set(KVB_SET_CACHE_TYPE_K, 3);
    set(KVB_SET_FLASH_ATTENTION, KVB_ON);
    assert_line("OLLAMA_CONTEXT_LENGTH=16384 OLLAMA_KV_CACHE_TYPE=q8_0 OLLAMA_FLASH_ATTENTION=1 ollama serve & "
                "ollama run qwen3:8b");
    ask("", "Qwen/Qwen3-8B", "ollama");
    set(KVB_SET_GGUF_TYPE, 8); // Q8_0
    set(KVB_SET_GPU_LAYERS, 20);
    set(KVB_SET_UBATCH_SIZE, 256);
    assert_line("printf 'FROM hf.co/Qwen/Qwen3-8B-GGUF:Q8_0\\nPARAMETER num_gpu 20\\nPARAMETER num_batch 256\\n' > "
                "Modelfile && ollama create planned -f Modelfile && ollama run planned");
    // What is pasted is one word wherever a shell or printf would read more into it.
    ask("", "Qwen/Qwen3-8B", "ollama");
    set(KVB_SET_CACHE_TYPE_K, 3);
    question.setting_texts[KVB_SET_CACHE_TYPE_K] = "q8_0;touch x";
    assert_line("OLLAMA_KV_CACHE_TYPE='q8_0;touch x' ollama serve & ollama run qwen3:8b");
    question.setting_texts[KVB_SET_CACHE_TYPE_K] = NULL;
    ask("OLLAMA_NUM_PARALLEL=2 OLLAMA_CONTEXT_LENGTH=4096 ollama serve", "qwen3:8b", "");
    set(KVB_SET_MAX_MODEL_LEN, 8192);
    assert_line("OLLAMA_NUM_PARALLEL=2 OLLAMA_CONTEXT_LENGTH=8192 ollama serve & ollama run qwen3:8b");
    ask("ollama serve", "qwen3:8b", "");
    assert_line("ollama serve & ollama run qwen3:8b");
    ask("ollama run qwen3:8b --verbose --keepalive 1h", "", "");
    assert_line("ollama run qwen3:8b --verbose --keepalive 1h");
}

// What is shown is read again, and means the same.
static void test_line_is_read_back(void **state)
{
    (void)state;
    ask("OLLAMA_CONTEXT_LENGTH=8192 ollama serve & ollama run qwen3:8b", "", "");
    assert_string_equal(question.deployment.model, "qwen3:8b");
    assert_line("OLLAMA_CONTEXT_LENGTH=8192 ollama serve & ollama run qwen3:8b");
    assert_int_equal(answer.budget.settings.values[KVB_SET_MAX_MODEL_LEN].number, 8192);
    const char *wrong[] = {"ollama", "serve", "&", "vllm", "serve"};
    kvb_problems_init(&problems);
    kvb_deployment_init(&question.deployment);
    assert_int_equal(kvb_serve_command_read(5, wrong, &question.deployment, &problems), KVB_BAD_SYNTAX);
}

static void test_flags_that_it_lacks(void **state)
{
    static const struct {
        const char *line, *error;
    } rows[] = {
        {"ollama run qwen3:8b --num-ctx 8192", "unknown flag: --num-ctx; it is set by OLLAMA_CONTEXT_LENGTH"},
        {"ollama run qwen3:8b --num_batch=256", "unknown flag: --num-batch; it is set by a Modelfile's PARAMETER"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask(rows[i].line, "", "");
        solve();
        assert_int_equal(answer.budget.verdict, KVB_DOES_NOT_FIT);
        assert_string_equal(answer.budget.error, rows[i].error);
    }
    ask("ollama run qwen3:8b --verbose", "", "");
    solve();
    assert_string_equal(answer.budget.error, "");
}

// Qwen3-8B: 147,456 bytes a token in f16; 4 slots of one cache by default.
static void test_needs(void **state)
{
    static const struct {
        uint64_t length;
        uint32_t requests;
        enum kvb_verdict verdict;
    } rows[] = {
        {4096, 4, KVB_FITS},         // 16,384 of 32,768 cells
        {8192, 4, KVB_FITS},         // all of them
        {8448, 4, KVB_DOES_NOT_FIT}, // one slot more than there is
        {1024, 5, KVB_DOES_NOT_FIT}, // a slot too few
        {32768, 1, KVB_FITS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask("llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M -c 32768", "", "");
        question.deployment.need = (struct kvb_need){rows[i].length, rows[i].requests * 100};
        solve();
        assert_int_equal(answer.budget.verdict, rows[i].verdict);
        assert_true(answer.budget.kv.wanted_bytes >= rows[i].length * rows[i].requests * 147456);
        assert_true(answer.budget.starts);
    }
}

// Requests beyond the slots do not run at once, wherever the cache lies; layers on the host change nothing of that.
static void test_needs_with_a_cache_on_the_host(void **state)
{
    (void)state;
    ask("", "qwen3:8b", "ollama");
    set(KVB_SET_MAX_MODEL_LEN, 8192);
    set(KVB_SET_GPU_LAYERS, 1); // the output alone
    question.deployment.need = (struct kvb_need){0, 300};
    solve();
    assert_int_equal(answer.budget.verdict, KVB_DOES_NOT_FIT);
    set(KVB_SET_MAX_NUM_SEQS, 3);
    solve();
    assert_int_equal(answer.budget.verdict, KVB_FITS);
}

static void test_releases_before(void **state)
{
    struct kvb_engine engine;
    struct kvb_settings settings = {0};
    (void)state;
    kvb_problems_init(&problems);
    assert_int_not_equal(kvb_engine_load("ollama@0.1.48", &engine, &settings, &problems), KVB_OK);
    assert_non_null(strstr(problems.items[0].text,
                           "Ollama 0.1.48 is older than 0.2.0, the oldest release whose rules are "
                           "known; how it placed models before that is not read"));
}

KVB_TEST_MAIN(cmocka_unit_test(test_server_takes_files), cmocka_unit_test(test_ollama_takes_variables),
              cmocka_unit_test(test_line_is_read_back), cmocka_unit_test(test_flags_that_it_lacks),
              cmocka_unit_test(test_needs), cmocka_unit_test(test_needs_with_a_cache_on_the_host),
              cmocka_unit_test(test_releases_before))
