// Words that a command line or a request cannot take: what was meant by them, and what is said where memory ends.
#include <stdio.h>
#include <string.h>

#include <kvbudget/ask.h>

#include "base/memory.h"
#include "cli/no_command.h"
#include "unit/command_rows.h"
#include "unit/test.h"

#define L4 "plan --model Qwen/Qwen3-8B --gpu l4 "
#define TEN "abcdefghij"
#define EIGHTY TEN TEN TEN TEN TEN TEN TEN TEN

static void flags_nobody_has(void **state)
{
    (void)state;
    static const struct command_row_of_test rows[] = {
        {L4 "--tp 4", 2, {"unknown flag '--tp'; did you mean '--tensor-parallel-size'?"}},
        {L4 "--gpu-mem-util 0.9", 2, {"unknown flag '--gpu-mem-util'; did you mean '--gpu-memory-utilization'?"}},
        {L4 "--gpu_mem_util 0.9", 2, {"did you mean '--gpu-memory-utilization'?"}},
        {L4 "--max-n 3", 2, {"unknown flag '--max-n'; did you mean '--max-num-seqs'?"}}, // the shortest of several
        {L4 "-max-model-lenn 8k", 2, {"'-max-model-lenn'; did you mean '--max-model-len'?"}},
        {L4 "--zq", 2, {"unknown flag '--zq'", "!did you mean"}},
        {L4 "--" EIGHTY "tail", 2, {"unknown flag '--", "!tail", "!did you mean"}},
        {L4 "--" EIGHTY EIGHTY "tail", 2, {"unknown flag '--", "!tail"}},
        // another engine's, with a setting that this one has under its own name, or without
        {L4 "--engine sglang --max-model-len 8k", 2, {"has no flag '--max-model-len': there it is --context-length"}},
        {L4 "--n-cpu-moe 3", 2, {"has no flag '--n-cpu-moe'; ", "--engine llama.cpp"}},
        {L4 "--cpu-moe", 2, {"unknown flag '--cpu-moe'"}},
        // second spellings, which a serve command takes
        {L4 "--engine llama.cpp --gpu-layers 10", 2, {"'--gpu-layers' is written --n-gpu-layers here"}},
        {L4 "--engine llama.cpp --cpu-moe", 2, {"'--cpu-moe' is read in a serve command: put it behind --"}},
        {L4 "--engine llama.cpp -cmoe", 2, {"'-cmoe' is read in a serve command: put it behind --"}},
        {L4 "--engine llama.cpp -zq", 2, {"unknown flag '-zq'"}},
    };
    EACH_COMMAND(rows);
}

static void says(const char *word, const char *sentence)
{
    const char *const words[] = {word};
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    kvb_no_command(1, words, &problems);
    assert_int_equal(problems.count, 1);
    assert_int_equal(kvb_problems_status(&problems), KVB_BAD_ARGUMENT);
    assert_string_equal(problems.items[0].text, sentence);
}

static void no_commands(void **state)
{
    (void)state;
    says("-V", "unknown flag '-V'; did you mean '--version'?");
    says("-v", "unknown flag '-v'; did you mean '--version'?");
    says("--versio", "unknown flag '--versio'; did you mean '--version'?");
    says("--zzzzzzzzzzzz", "unknown flag '--zzzzzzzzzzzz'");
    says("--gpu=l4", "unknown flag '--gpu=l4'; did you mean 'kvbudget plan --gpu=l4'?");
    says("version", "unknown command 'version'; did you mean '--version'?");
    says("plann", "unknown command 'plann'; did you mean 'plan'?");
    says("zzzzzzzzzzzz", "unknown command 'zzzzzzzzzzzz'");
}

static void lines_of_containers(void **state)
{
    (void)state;
#define SERVED "vllm/vllm-openai:v0.11.0 --model Qwen/Qwen3-8B"
    static const struct command_row_of_test rows[] = {
        {"plan --json --gpu l40s -- docker run " SERVED, 0, {"\"version\": \"0.11.0\""}},
        {"plan --json --gpu l40s -- sudo -E /usr/bin/podman run " SERVED, 0, {"\"version\": \"0.11.0\""}},
        {"plan --json --gpu l40s -- TOKEN=it's env nerdctl run " SERVED, 0, {"\"version\": \"0.11.0\""}},
        {"plan --json --gpu l40s -- bash -c vllm~serve~Qwen/Qwen3-8B", 0, {"Qwen/Qwen3-8B"}},
        {"plan --json --gpu l40s -- sh -c vllm~serve~Qwen/Qwen3-8B", 0, {"Qwen/Qwen3-8B"}},
        {"plan --json --gpu l40s -- /bin/zsh -c vllm~serve~Qwen/Qwen3-8B", 0, {"Qwen/Qwen3-8B"}},
    };
    EACH_COMMAND(rows);
}

// A line that is no container's is no serve command either, and is refused as such.
static void lines_of_nothing(void **state)
{
    (void)state;
    static const char *const lines[] = {"plan --gpu l4 -- bash serve.sh", "plan --gpu l4 -- sudo",
                                        "plan --gpu l4 -- sudo -E", "plan --gpu l4 -- zsh"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct kvb_buffer answer;
        int code = run_command(lines[i], &answer);
        if (code != 2) {
            fail_msg("%s: exit %d, %.300s", lines[i], code, answer.data);
        }
        kvb_buffer_free(&answer);
    }
}

// Every allocation on the way, one alone: the plan is whole, or it is said that memory did not suffice.
static void containers_without_memory(void **state)
{
    (void)state;
    bool reached = true;
    unsigned said = 0;
    for (unsigned long n = 1; reached && n < 400; n++) {
        struct words words;
        struct kvb_buffer answer;
        words_of("plan --json --gpu l40s -- docker run " SERVED, &words);
        struct arguments *arguments = kvb_run_begin(kvb_commands_find("plan"));
        assert_non_null(arguments);
        kvb_buffer_init(&answer);
        unsigned long before = kvb_memory_failures();
        (void)kvb_memory_fail_once(n);
        int code = kvb_run_words(arguments, words.count - 1, words.words + 1, &answer);
        (void)kvb_memory_fail_once(0);
        reached = kvb_memory_failures() > before;
        if (code != 0 && code != 4) {
            fail_msg("allocation %lu: exit %d", n, code);
        }
        said += code == 4;
        kvb_run_end(arguments);
        kvb_buffer_free(&answer);
    }
    assert_true(said > 3);
}

static void holds(const char *request, const char *wanted)
{
    char *document = kvb_ask(request);
    assert_non_null(document);
    if (strstr(document, wanted) == NULL) {
        fail_msg("%.300s gives %.400s, without %s", request, document, wanted);
    }
    kvb_ask_free(document);
}

#define ASKED "\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\""

// Lists and objects where a flag takes none, one of several, or nothing is known of it.
static void requests_with_more_than_a_word(void **state)
{
    (void)state;
    holds("{" ASKED ", \"" EIGHTY EIGHTY "\": {\"a\": 1}}", "expected a text, a number, true or false");
    holds("{" ASKED ", \"modl\": {\"a\": 1}}", "expected a text, a number, true or false");
    holds("{" ASKED ", \"modl\": [1]}", "unknown flag '--modl'; did you mean '--model'?");
    holds("{" ASKED ", \"enforce_eager\": {\"a\": 1}}", "expected a text, a number, true or false");
    holds("{" ASKED ", \"max_model_len\": []}", "\"max_model_len\": 40960");
    holds("{\"command\": \"sweep\", " ASKED ", \"modl\": [1]}", "unknown flag '--modl'");
    holds("{\"command\": \"sweep\", " ASKED ", \"max_model_len\": []}", "\"schema\": \"kvbudget.sweep/");
    holds("{\"command\": \"sweep\", " ASKED ", \"reserve\": [\"a=1GiB\", \"b=1GiB\"]}",
          "\"schema\": \"kvbudget.sweep/");
}

// A value that is written as the flag takes it needs memory: without it there is no answer that leaves it out.
static void requests_without_memory(void **state)
{
    (void)state;
    static const struct {
        const char *request, *whole;
    } rows[] = {
        {"{" ASKED ", \"hf_overrides\": {\"max_position_embeddings\": 5000}}", "\"max_model_len\": 5000"},
        {"{\"command\": \"sweep\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": [\"l4\", \"l40s\"]}", "\"planned\": 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned said = 0;
        holds(rows[i].request, rows[i].whole);
        for (unsigned long n = 1; n < 400; n++) {
            (void)kvb_memory_fail_once(n);
            char *document = kvb_ask(rows[i].request);
            (void)kvb_memory_fail_once(0);
            bool no_memory = document == NULL || strstr(document, "\"code\": \"no_memory\"") != NULL;
            if (!no_memory && strstr(document, rows[i].whole) == NULL) {
                fail_msg("allocation %lu: %.400s", n, document);
            }
            said += no_memory;
            kvb_ask_free(document);
        }
        assert_true(said > 3);
    }
}

KVB_TEST_MAIN_WITH(stand_in_sources, NULL, cmocka_unit_test(flags_nobody_has), cmocka_unit_test(no_commands),
                   cmocka_unit_test(lines_of_containers), cmocka_unit_test(lines_of_nothing),
                   cmocka_unit_test(containers_without_memory), cmocka_unit_test(requests_with_more_than_a_word),
                   cmocka_unit_test(requests_without_memory))
