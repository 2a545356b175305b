// One answer in every format its command has: the exit code is the same in all of them, and each document is one that
// its reader takes, whatever the input says.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "cli/output.h"
#include "cli/run.h"
#include "text/tree.h"
#include "unit/test.h"

#define WORDS_MAX 32

static int stand_at_the_top(void **state)
{
    (void)state;
    (void)unsetenv("KVBUDGET_PROFILES");
    bool set = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
               setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 && setenv("LC_ALL", "C", 1) == 0;
    return set && chdir(KVB_SOURCE_DIR) == 0 ? 0 : -1;
}

// Words of the line with the format first; `log`: the text of an operand named "log", or NULL.
static int run(const char *line, const char *format, const char *log, struct kvb_buffer *answer)
{
    char copy[512];
    const char *words[WORDS_MAX] = {NULL, "--format", format};
    int count = 3;
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    words[0] = strtok(copy, " ");
    for (char *word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    struct arguments *arguments = kvb_run_begin(kvb_commands_find(words[0]));
    assert_non_null(arguments);
    if (log != NULL) {
        arguments->given = (struct given_text){"log", log, strlen(log)};
    }
    kvb_buffer_init(answer);
    int code = kvb_run_words(arguments, count - 1, words + 1, answer);
    kvb_run_end(arguments);
    return code;
}

static bool is_json(const char *text, size_t length)
{
    struct kvb_tree tree;
    bool fine = kvb_tree_read(&tree, "answer", text, length, NULL) == KVB_OK;
    if (fine) {
        kvb_tree_free(&tree);
    }
    return fine && (text[0] == '{' || text[0] == '[');
}

static bool is_json_lines(const char *text)
{
    bool fine = true;
    for (const char *line = text; fine && *line != '\0'; line += strcspn(line, "\n") + 1) {
        fine = is_json(line, strcspn(line, "\n"));
    }
    return fine;
}

// Every element is closed in the order it was opened, and '<' and '&' stand for nothing else.
static bool is_markup(const char *text)
{
    const char *open[64];
    size_t depth = 0;
    for (const char *at = strpbrk(text, "<&"); at != NULL; at = strpbrk(at, "<&")) {
        size_t name = strspn(at + 1, "/!?#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
        if (*at == '&') {
            if (name == 0 || at[1 + name] != ';') {
                return false;
            }
            at += name;
            continue;
        }
        const char *end = strchr(at, '>');
        if (name == 0 || end == NULL) {
            return false;
        }
        bool alone = at[1] == '!' || at[1] == '?' || end[-1] == '/' || strncmp(at + 1, "meta", 4) == 0 ||
                     strncmp(at + 1, "br", 2) == 0 || strncmp(at + 1, "link", 4) == 0;
        if (at[1] == '/') {
            if (depth == 0 || strncmp(open[--depth], at + 2, name - 1) != 0) {
                return false;
            }
        } else if (!alone && depth == sizeof open / sizeof open[0]) {
            return false;
        } else if (!alone) {
            open[depth++] = at + 1;
            bool raw = strncmp(at + 1, "style", 5) == 0 || strncmp(at + 1, "script", 6) == 0;
            end = raw ? strstr(end, "</") - 1 : end;
        }
        at = end;
    }
    return depth == 0;
}

static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < ' ' && c != '\n') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

// Every line of it is a command of a workflow, or the last one.
static bool is_workflow(const char *text)
{
    for (const char *line = text; *line != '\0';) {
        bool summary = strncmp(line, "kvbudget: ", 10) == 0 && strcspn(line, "\n") + 1 == strlen(line);
        if (strncmp(line, "::error ", 8) != 0 && strncmp(line, "::warning ", 10) != 0 &&
            strncmp(line, "::notice ", 9) != 0 && !summary) {
            return false;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return true;
}

static bool is_well_formed(enum format format, const struct kvb_buffer *answer)
{
    const char *text = answer->data != NULL ? answer->data : "";
    if (!is_plain(text, answer->length)) {
        return false;
    }
    switch (format) {
    case FORMAT_JSON:
    case FORMAT_SARIF:
        return is_json(text, answer->length);
    case FORMAT_JSONL:
        return is_json_lines(text);
    case FORMAT_SVG:
    case FORMAT_HTML:
    case FORMAT_JUNIT:
        return answer->length == 0 || is_markup(text);
    case FORMAT_GITHUB:
        return is_workflow(text);
    default:
        return true;
    }
}

static unsigned wrong_formats(const char *line, const char *log)
{
    static const char *const widths[] = {"40", "80", "160"};
    const struct command_row *command = NULL;
    unsigned wrong = 0;
    int code = -1;
    char name[16];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
    command = kvb_commands_find(name);
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        bool streams = i == FORMAT_JSONL || i == FORMAT_CSV; // rows go out as they are made
        for (size_t k = 0; (command->formats >> i & 1U) && !streams && k < (i == FORMAT_TEXT ? 3 : 1); k++) {
            struct kvb_buffer answer;
            assert_int_equal(setenv("COLUMNS", widths[(k + 1) % 3], 1), 0);
            int got = run(line, kvb_output_formats[i], log, &answer);
            if ((code >= 0 && got != code) || !is_well_formed((enum format)i, &answer)) {
                print_message("kvbudget %s --format %s: exit %d, %d before\n%.1000s\n", line, kvb_output_formats[i],
                              got, code, answer.data != NULL ? answer.data : "");
                wrong++;
            }
            code = got;
            kvb_buffer_free(&answer);
        }
    }
    return wrong;
}

static void commands(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "plan --model Qwen/Qwen3-8B --gpu l4",
        "plan --model Qwen/Qwen3-8B",
        "plan --model Qwen/Qwen3-8B --gpu nosuch",
        "plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 4096 --show formulas --show kv --show weights",
        "plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 4096 --show utilization-for",
        "plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 999999",
        "plan --model Qwen/Qwen3-8B --gpu l4 --max-model-len 4096 --against vllm@0.6.3",
        "plan --model Qwen/Qwen3-8B --gpu l40s --against sglang@0.5.12",
        "plan --model Qwen/Qwen3-32B --gpu l4,l40s,2xl40s --max-model-len 8192",
        "plan --model Qwen/Qwen3-8B --gpu l40s --max-model-len 65536",
        "plan --engine sglang@0.5.12 --model openai/gpt-oss-20b --gpu h100-sxm --enable-hierarchical-cache",
        "plan --engine llama.cpp --model Qwen/Qwen3-8B --quantization Q4_K_M --gpu l4 --ctx-size 16384",
        "plan --engine generic --model meta-llama/Llama-3.1-8B-Instruct --gpu rtx4090",
        "plan tests/fixtures/residents/two-0.11.0.yaml",
        "plan tests/fixtures/residents/two-0.8.3.yaml",
        "plan tests/fixtures/residents/verl.yaml",
        "plan tests/fixtures/residents/openrlhf.yaml",
        "plan profiles/deployments/qwen2.5-7b-grpo-8xa100.yaml",
        "plan profiles/deployments/qwen2.5-7b-grpo-8xa100.yaml --gpu-memory-utilization 0.02",
        "plan tests/fixtures/plan/small.yaml --with tests/fixtures/plan/small.yaml",
        "plan tests/fixtures/plan/small.yaml -tp 3",
        "plan tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/shared-node-535.txt",
        "plan --model Qwen/Qwen2.5-7B-Instruct --gpu a10 --engine vllm@0.6.3 --cpu-offload-gb 6 --swap-space 16",
        "models --gpu rtx4060 --family qwen3- --all",
        "models --gpu rtx4090 --need-len 32k --need-concurrency 4 --min-params 7B --family qwen",
        "models --gpu rtx4060 --engine llama.cpp --family Qwen3-14B --quantization Q4_K_M",
        "models --gpu l4 --min-params 400B --family llama",
        "sweep --model Qwen/Qwen3-8B --gpu l4,l40s,2xl4 --max-model-len 8k..64k:x2 --kv-cache-dtype auto,fp8",
        "sweep --model Qwen/Qwen3-8B --gpu l4,l40s,2xl4 --max-model-len 8k..64k:x2 --figure concurrency",
        "sweep --model Qwen/Qwen3-32B --gpu l40s,2xl40s,4xl40s --max-model-len 8k..32k:x2 --frontier",
        "sweep --model Qwen/Qwen3-8B,Nobody/Nothing --gpu l4",
        "sweep --model Qwen/Qwen3-8B --gpu l4,l40s --max-model-len 8k,16k --where concurrency>=8",
        "sweep --model Qwen/Qwen3-8B --gpu l4 --vary enforce-eager=true,false",
        "check tests/fixtures/manifests/gate",
        "check tests/fixtures/manifests/good",
        "check tests/fixtures/manifests/good --gpu l4",
        "check tests/fixtures/manifests/bad --gpu h100-sxm",
        "check --policy tests/fixtures/manifests/gate/policy.yaml tests/fixtures/plan/small.yaml",
        "probe --gpu-state tests/fixtures/smi/shared-node-535.txt",
        "probe --gpu-state tests/fixtures/smi/mig-580.txt",
        "probe --gpu-state tests/fixtures/smi/rocm-smi.json",
        "probe --gpu-state tests/fixtures/smi/amd-smi.json",
        "probe --gpu-state tests/fixtures/smi/jetson-540.txt",
        "probe --gpu-state tests/fixtures/smi/old-418.txt",
        "probe --gpu-state tests/fixtures/smi/query.txt",
        "probe --gpu-state tests/fixtures/smi/query-nounits.csv",
        "probe --gpu-state tests/fixtures/smi/windows-610.txt",
        "probe --gpu-state tests/fixtures/smi/collapsed-580.txt",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/shared-node-535.txt",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/mig-580.txt --gpu 0:0,0:1",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/unified-580.txt",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/wsl-560.txt",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/query.xml",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/jetson-540.txt",
        "probe tests/fixtures/plan/small.yaml --gpu-state tests/fixtures/smi/shared-node-535.txt -tp 8",
        "probe --model Qwen/Qwen2.5-72B-Instruct --gpu-state tests/fixtures/smi/shared-node-535.txt --gpu 0",
        "record tests/fixtures/logs/private.log --gpu l4",
        "profiles list gpus 4090",
        "hub list",
    };
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        wrong += wrong_formats(lines[i], NULL);
    }
    assert_int_equal(wrong, 0);
}

static void logs_of_files(void **state)
{
    (void)state;
    static const char *const names[] = {"llamacpp",    "need",        "private",    "ray-colours", "rollout",
                                        "sglang",      "shared-node", "unknown",    "wrapped",     "too-long-known",
                                        "v0-too-long", "v1-healthy",  "wsl2-vision"};
    static const char *const flags[] = {"", " --gpu rtx-4090",
                                        " --gpu-memory 80GB --model Qwen/Qwen2.5-7B-Instruct --all"};
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
            char line[256];
            (void)snprintf(line, sizeof line, "explain tests/fixtures/logs/%s.log%s", names[i], flags[k]);
            wrong += wrong_formats(line, NULL);
        }
    }
    assert_int_equal(wrong, 0);
}

KVB_TEST_MAIN_WITH(stand_at_the_top, NULL, cmocka_unit_test(commands), cmocka_unit_test(logs_of_files))
