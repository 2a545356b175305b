// Whole commands with their n-th allocation failing, alone and with all that follow: each says so with exit code 4 and
// gives no part of an answer as the whole.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "cli/run.h"
#include "unit/test.h"
#include "unit/words.h"

#define EACH_AT_AN_END 24UL // and as many between

static int stand_at_the_top(void **state)
{
    (void)state;
    (void)unsetenv("COLUMNS");
    (void)unsetenv("KVBUDGET_PROFILES");
    bool set = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
               setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && chdir(KVB_SOURCE_DIR) == 0 ? 0 : -1;
}

// Runs the line; `answer` and whether anything wrong was said.
static int run(const char *line, struct kvb_buffer *answer, bool *problem)
{
    struct words words;
    words_of(line, &words);
    kvb_buffer_init(answer);
    struct arguments *arguments = kvb_run_begin(kvb_commands_find(words.words[0]));
    *problem = true;
    if (arguments == NULL) {
        return 4;
    }
    int code = kvb_run_words(arguments, words.count - 1, words.words + 1, answer);
    *problem = kvb_problems_status(&arguments->problems) != KVB_OK;
    kvb_run_end(arguments);
    return code;
}

// The document in place of an answer: its name, what was wrong, and nothing else.
static bool is_refusal(const char *document)
{
    static const char begins[] = "{\n  \"schema\": \"", then[] = "\",\n  \"problems\": [";
    const char *problems = strstr(document, then);
    return strncmp(document, begins, sizeof begins - 1) == 0 && problems != NULL &&
           strchr(document + sizeof begins, '\n') == problems + 2 && strstr(problems, "\n  ]\n}") != NULL &&
           strstr(problems, "\"code\": \"no_memory\"") != NULL;
}

// A command with its n-th allocation failing, and all that follow or none: whatever it asked for and did not get, it
// says so and gives no part of an answer.
static bool try_allocation(const char *line, unsigned long (*break_at)(unsigned long n), unsigned long n)
{
    struct kvb_buffer answer;
    bool problem;
    unsigned long failures = kvb_memory_failures();
    (void)break_at(n);
    int code = run(line, &answer, &problem);
    (void)break_at(0);
    bool refused = code == 4 && problem && (answer.length == 0 || is_refusal(answer.data));
    kvb_buffer_free(&answer);
    return refused && kvb_memory_failures() > failures;
}

// How many allocations the line makes for its whole answer.
static unsigned long count_of(const char *line)
{
    struct kvb_buffer answer;
    bool problem;
    (void)kvb_memory_fail_after(ULONG_MAX);
    int code = run(line, &answer, &problem);
    unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
    if (code == 4 || answer.length == 0 || count == 0) {
        fail_msg("kvbudget %s: exit code %d after %lu allocations", line, code, count);
    }
    kvb_buffer_free(&answer);
    return count;
}

// The first, the last and evenly spaced ones between.
static unsigned long next_of(unsigned long n, unsigned long count)
{
    bool dense = n < EACH_AT_AN_END || n + EACH_AT_AN_END >= count;
    unsigned long step = dense ? 1 : (count - 2 * EACH_AT_AN_END) / EACH_AT_AN_END + 1;
    return n + step;
}

static void walk(const char *line, const char *how, unsigned long (*break_at)(unsigned long n))
{
    unsigned long count = count_of(line);
    for (unsigned long n = 1; n <= count; n = next_of(n, count)) {
        if (!try_allocation(line, break_at, n)) {
            fail_msg("kvbudget %s: allocation %lu fails %s", line, n, how);
        }
    }
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
        "check --format sarif tests/fixtures/manifests/gate tests/fixtures/manifests/good",
        "check --format junit tests/fixtures/manifests/bad --gpu l4",
        "check --format github tests/fixtures/manifests/gate/compose.yaml",
        "check --format markdown --policy tests/fixtures/manifests/gate/policy.yaml tests/fixtures/manifests/gate",
        "plan tests/fixtures/plan/small.yaml --json --against vllm@0.6.3",
        "plan tests/fixtures/plan/small.yaml --max-model-len 128K --format svg",
        "plan tests/fixtures/plan/small.yaml --show kv --show weights --show formulas",
        "plan tests/fixtures/residents/two-0.11.0.yaml --json",
        "plan tests/fixtures/residents/verl.yaml",
        "plan tests/fixtures/manifests/good/vllm.yaml --gpu l4",
        "plan --model Qwen/Qwen3-32B --gpu l4,l40s,2xl40s --max-model-len 8192",
        "plan --engine sglang@0.5.12 --model Qwen/Qwen3-8B --gpu l4 --context-length 16384",
        "plan --gpu rtx4060 --json -- llama-server -hf unsloth/Qwen3-14B-GGUF:Q4_K_M -c 16384",
        "plan --gpu l4 -- vllm serve Qwen/Qwen3-8B --hf-overrides {\"rope_theta\":1000000} --max-model-len 4096",
        "plan tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/query.xml --gpu 0",
        "explain --format github tests/fixtures/logs/v0-too-long.log",
        "explain --format html tests/fixtures/logs/too-long-known.log --gpu rtx-4090",
        "explain tests/fixtures/logs/v1-healthy.log",
        "explain --json tests/fixtures/logs/rollout.log --gpu-memory 80GB",
        "explain tests/fixtures/logs/sglang.log",
        "models --gpu l4 --family phi --json",
        "models --gpu l4 --family phi --format svg",
        "sweep --model Qwen/Qwen3-8B --gpu l4 --max-model-len 8k,64k --json",
        "sweep --model Qwen/Qwen3-8B --gpu l4,2xl4 --max-model-len 8k,64k --frontier --format markdown",
        "sweep --model Qwen/Qwen3-8B --gpu l4,l40s --max-model-len 8k,64k --format svg",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/shared-node-535.txt",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/mig-580.txt --gpu 0:0,0:1 --json",
        "record --json tests/fixtures/logs/private.log --gpu l4",
        "profiles list gpus 4090 --json",
        "profiles show L4",
        "profiles check tests/fixtures/plan/small.yaml",
        "completion bash",
        "manual library",
        "schema request",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        walk(lines[i], "with all that follow", kvb_memory_fail_after);
        walk(lines[i], "alone", kvb_memory_fail_once);
    }
}

KVB_TEST_MAIN_WITH(stand_at_the_top, NULL, cmocka_unit_test(each_command_says_so))
