// Whole commands with their n-th allocation failing, and all that follow: each says so with exit code 4 and gives no
// part of an answer as the whole. Each trial is a process of its own, for that memory ran out is never forgotten.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "cli/run.h"
#include "unit/test.h"

#define WORDS_MAX 32
#define EACH_UP_TO 48 // from there on in steps of an eighth

enum outcome { REFUSED, WHOLE, WRONG };

static int stand_at_the_top(void **state)
{
    (void)state;
    (void)unsetenv("COLUMNS");
    (void)unsetenv("KVBUDGET_PROFILES");
    bool set = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
               setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && chdir(KVB_SOURCE_DIR) == 0 ? 0 : -1;
}

static int split(char *line, const char *words[WORDS_MAX])
{
    int count = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    return count;
}

// Runs the line; `answer` and whether anything wrong was said.
static int run(const char *line, struct kvb_buffer *answer, bool *problem)
{
    char copy[512];
    const char *words[WORDS_MAX];
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    int count = split(copy, words);
    kvb_buffer_init(answer);
    struct arguments *arguments = kvb_run_begin(kvb_commands_find(words[0]));
    *problem = true;
    if (arguments == NULL) {
        return 4;
    }
    int code = kvb_run_words(arguments, count - 1, words + 1, answer);
    *problem = kvb_problems_status(&arguments->problems) != KVB_OK;
    kvb_run_end(arguments);
    return code;
}

static enum outcome try_allocation(const char *line, unsigned long n, int whole_code, const struct kvb_buffer *whole)
{
    struct kvb_buffer answer;
    bool problem;
    kvb_memory_fail_after(n);
    int code = run(line, &answer, &problem);
    kvb_memory_fail_after(0);
    bool same = answer.length == whole->length && memcmp(answer.data, whole->data, whole->length) == 0;
    bool refused = code == 4 && problem && answer.length == 0;
    kvb_buffer_free(&answer);
    return kvb_memory_ran_out() ? (refused ? REFUSED : WRONG) : (code == whole_code && same ? WHOLE : WRONG);
}

static enum outcome in_a_process(const char *line, unsigned long n, int whole_code, const struct kvb_buffer *whole)
{
    int ended = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        exit((int)try_allocation(line, n, whole_code, whole));
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    return WIFEXITED(ended) && WEXITSTATUS(ended) < WRONG ? (enum outcome)WEXITSTATUS(ended) : WRONG;
}

static void each_command_says_so(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "check tests/fixtures/manifests/gate",
        "check --json tests/fixtures/manifests/gate",
        "plan --model Qwen/Qwen3-8B --gpu l4",
        "plan --model Qwen/Qwen3-0.6B",
        "plan --model Qwen/Qwen3-8B --gpu l4 --against vllm@0.11.0",
        "plan --model Qwen/Qwen3-8B --gpu l4 --format html",
        "plan profiles/deployments/qwen2.5-7b-grpo-8xa100.yaml",
        "plan --model tests/fixtures/configs/allenai--OLMo-1B-hf.json --gpu l4",
        "explain tests/fixtures/logs/need.log",
        "explain --json tests/fixtures/logs/need.log",
        "record tests/fixtures/logs/private.log --gpu l4",
        "models --gpu l4 --family qwen3",
        "sweep --model Qwen/Qwen3-8B --gpu l4,l40s --max-model-len 4k,8k",
        "probe --gpu-state tests/fixtures/smi/shared-node-535.txt",
        "profiles list gpus",
        "profiles show Qwen/Qwen3-8B",
        "completion fish",
        "completion zsh",
        "manual plan",
        "schema plan",
        "help plan",
        "hub list",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct kvb_buffer whole;
        bool problem;
        int code = run(lines[i], &whole, &problem);
        enum outcome outcome = REFUSED;
        unsigned long refused = 0;
        for (unsigned long n = 1; outcome == REFUSED; n += n < EACH_UP_TO ? 1 : n / 8) {
            outcome = in_a_process(lines[i], n, code, &whole);
            refused += outcome == REFUSED;
            if (outcome == WRONG) {
                fail_msg("kvbudget %s: allocation %lu", lines[i], n);
            }
        }
        if (refused == 0) {
            fail_msg("kvbudget %s asks for no memory", lines[i]);
        }
        kvb_buffer_free(&whole);
    }
}

KVB_TEST_MAIN_WITH(stand_at_the_top, NULL, cmocka_unit_test(each_command_says_so))
