// Words of a command to paste: quoted for a shell, the model as its engine takes it, and flags of a command that was
// given which are said anew.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/answer.h>
#include <kvbudget/input.h>

#include "answer/serve_parts.h"
#include "base/text.h"
#include "unit/test.h"

static struct kvb_question question;
static struct kvb_plan plan;
static struct kvb_problems problems;

static void quoted(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", "''"},       {"a", "a"},         {"a/b:c@1%2+3,-x_.=", "a/b:c@1%2+3,-x_.="},
        {"a b", "'a b'"}, {"$(x)", "'$(x)'"}, {"it's", "'it'\\''s'"},
        {"'", "''\\'''"}, {"a\nb", "'a\nb'"}};
    static const char *const assigned[][2] = {
        {"A=", "A= "}, {"A=b", "A=b "}, {"A=b c", "A='b c' "}, {"A=b=c", "A=b=c "}};
    struct kvb_buffer out;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_buffer_init(&out);
        kvb_serve_quote(&out, rows[i][0]);
        assert_string_equal(out.data, rows[i][1]);
        assert_int_equal(kvb_serve_word_is_plain(rows[i][0]), strcmp(rows[i][0], rows[i][1]) == 0);
        kvb_buffer_free(&out);
    }
    for (size_t i = 0; i < sizeof assigned / sizeof assigned[0]; i++) {
        kvb_buffer_init(&out);
        kvb_serve_assign(&out, assigned[i][0]);
        assert_string_equal(out.data, assigned[i][1]);
        kvb_buffer_free(&out);
    }
}

static void name_model(const char *typed, const char *served, bool own)
{
    memset(&question, 0, sizeof question);
    (void)snprintf(question.deployment.model, sizeof question.deployment.model, "%s", typed);
    (void)snprintf(question.deployment.served_name, sizeof question.deployment.served_name, "%s", served);
    question.deployment.inline_model = own;
}

// In a command that was given the engine gets the name that it can fetch.
static void given_model(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *served;
        bool own;
        const char *expected;
    } rows[] = {{"Qwen/Qwen3-8B", "", false, "Qwen/Qwen3-8B"},
                {"./folder", "", false, "./folder"},
                {"/models/x", "", false, "/models/x"},
                {"~/models/x", "", false, "~/models/x"},
                {"", "", false, "org/name"},
                {"qwen3-8b", "", false, "org/name"},
                {"a/b@v1", "", false, "org/name"},
                {"https://huggingface.co/a/b", "", false, "org/name"},
                {"hf.co/a/b", "", false, "org/name"},
                {"huggingface.co/a/b", "", false, "org/name"},
                {"x/config.json", "", false, "org/name"},
                {"x/profile.YAML", "", false, "org/name"},
                {"x/profile.yml", "", false, "org/name"},
                {"a/b", "served", false, "org/name"},
                {"a/b", "", true, "org/name"}};
    (void)snprintf(plan.model.name, sizeof plan.model.name, "org/name");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name_model(rows[i].typed, rows[i].served, rows[i].own);
        if (strcmp(kvb_serve_model_given(&question, &plan), rows[i].expected) != 0) {
            fail_msg("'%s': %s", rows[i].typed, kvb_serve_model_given(&question, &plan));
        }
    }
    assert_true(kvb_is_gguf("m.gguf"));
    assert_true(kvb_is_gguf("M.GGUF"));
    assert_false(kvb_is_gguf(".gguf"));
    assert_false(kvb_is_gguf("m.ggufs"));
}

// Ollama takes names of its library and of the Hub as they were typed, and files; what is no name is said by its own.
static void own_model(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *expected;
    } rows[] = {{"qwen3:8b", "qwen3:8b"},
                {"hf.co/a/b:Q4_K_M", "hf.co/a/b:Q4_K_M"},
                {"dir/m.gguf", "dir/m.gguf"},
                {"Qwen/Qwen3-8B", "qwen3:8b"},
                {"./folder", "qwen3:8b"},
                {"qwen3@v1", "qwen3:8b"},
                {"config.json", "qwen3:8b"},
                {"x.yaml", "qwen3:8b"},
                {"x.yml", "qwen3:8b"},
                {"s3://x", "qwen3:8b"},
                {"", "qwen3:8b"}};
    struct kvb_settings settings = {0};
    struct kvb_model_source source;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_engine_load("ollama", &plan.engine, &settings, &problems), KVB_OK);
    assert_int_equal(kvb_model_load("Qwen/Qwen3-8B", NULL, &plan.model, &source, &problems), KVB_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[KVB_LINE_MODEL_CAPACITY];
        name_model(rows[i].typed, "", false);
        kvb_serve_model_name(name, &question, &plan);
        if (strcmp(name, rows[i].expected) != 0) {
            fail_msg("'%s': %s", rows[i].typed, name);
        }
    }
}

// A flag that a flag of ours says anew goes from the command, with its value; the others stay as they were typed.
static void said_anew(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum kvb_setting setting;
        uint64_t number;
        const char *expected;
    } rows[] = {
        {"vllm serve Qwen/Qwen3-0.6B -tp 2 --seed 3", KVB_SET_TENSOR_PARALLEL_SIZE, 4,
         "vllm serve Qwen/Qwen3-0.6B --seed 3 --tensor-parallel-size 4"},
        {"vllm serve Qwen/Qwen3-0.6B -tp=2 --seed=3", KVB_SET_TENSOR_PARALLEL_SIZE, 4,
         "vllm serve Qwen/Qwen3-0.6B --seed=3 --tensor-parallel-size 4"},
        {"vllm serve Qwen/Qwen3-0.6B --tensor_parallel_size=2", KVB_SET_TENSOR_PARALLEL_SIZE, 4,
         "vllm serve Qwen/Qwen3-0.6B --tensor-parallel-size 4"},
        {"vllm serve Qwen/Qwen3-0.6B --no-enable-prefix-caching --max-num-seqs 8", KVB_SET_ENABLE_PREFIX_CACHING, 1,
         "vllm serve Qwen/Qwen3-0.6B --max-num-seqs 8 --enable-prefix-caching"},
        {"vllm serve Qwen/Qwen3-0.6B --no_enable_prefix_caching", KVB_SET_ENABLE_PREFIX_CACHING, 1,
         "vllm serve Qwen/Qwen3-0.6B --enable-prefix-caching"},
        {"vllm serve Qwen/Qwen3-0.6B --enforce-eager --port 1", KVB_SET_ENFORCE_EAGER, 0,
         "vllm serve Qwen/Qwen3-0.6B --port 1 --no-enforce-eager"},
        {"vllm serve Qwen/Qwen3-0.6B --no-such-flag -x --max-model-len 512", KVB_SET_MAX_MODEL_LEN, 1024,
         "vllm serve Qwen/Qwen3-0.6B --no-such-flag -x --max-model-len 1024"},
        {"A=1 vllm serve Qwen/Qwen3-0.6B --revision v1 --max-model-len 512", KVB_SET_MAX_MODEL_LEN, 1024,
         "A=1 vllm serve Qwen/Qwen3-0.6B --revision v1 --max-model-len 1024"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_answer answer;
        const char *words[16];
        char text[256];
        int count = 0;
        memset(&question, 0, sizeof question);
        kvb_problems_init(&problems);
        kvb_deployment_init(&question.deployment);
        (void)kvb_copy(text, sizeof text, rows[i].line);
        for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
            words[count++] = word;
        }
        question.serve_words = words;
        question.serve_count = count;
        question.serve_model = -1;
        assert_int_equal(kvb_serve_command_read(count, words, &question.deployment, &problems), KVB_OK);
        (void)kvb_copy(question.deployment.gpu, sizeof question.deployment.gpu, "h100-sxm");
        (void)kvb_copy(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.11.0");
        kvb_settings_set(&question.deployment.settings, rows[i].setting, rows[i].number, KVB_ORIGIN_FLAG);
        assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
        memset(&answer.advice, 0, sizeof answer.advice);
        char *line = kvb_serve_line(&question, &answer.plan, &answer.advice);
        assert_non_null(line);
        if (strcmp(line, rows[i].expected) != 0) {
            fail_msg("%s:\n%s", rows[i].line, line);
        }
        free(line);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(quoted), cmocka_unit_test(given_model), cmocka_unit_test(own_model),
              cmocka_unit_test(said_anew))
