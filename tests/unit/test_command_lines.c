// Command lines one after another in one process: what each answers, and the sentence with which it refuses.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "cli/run.h"
#include "unit/test.h"
#include "unit/words.h"

static int stand_at_the_top(void **state)
{
    (void)state;
    static const char *const cleared[] = {"COLUMNS", "KVBUDGET_PROFILES", "VLLM_USE_V1", "KVBUDGET_NVML"};
    for (size_t i = 0; i < sizeof cleared / sizeof cleared[0]; i++) {
        (void)unsetenv(cleared[i]);
    }
    bool set = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
               setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && chdir(KVB_SOURCE_DIR) == 0 ? 0 : -1;
}

struct row {
    const char *line; // words apart by blanks
    int code;
    const char *text; // part of the answer; or one of the problems, whole, where there is none
};

static bool is_said(const struct kvb_problems *problems, const char *text)
{
    for (uint32_t i = 0; i < problems->count; i++) {
        if (strcmp(problems->items[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

static void check_row(const struct row *row)
{
    struct words words;
    words_of(row->line, &words);
    const struct command_row *command = kvb_commands_find(words.words[0]);
    assert_non_null(command);
    struct arguments *arguments = kvb_run_begin(command);
    assert_non_null(arguments);
    struct kvb_buffer answer;
    kvb_buffer_init(&answer);
    int code = kvb_run_words(arguments, words.count - 1, words.words + 1, &answer);
    const char *said = answer.data != NULL ? answer.data : "";
    bool found = strstr(said, row->text) != NULL || is_said(&arguments->problems, row->text);
    if (code != row->code || !found) {
        fail_msg("kvbudget %s: exit %d, %s\n%.2000s", row->line, code,
                 arguments->problems.count > 0 ? arguments->problems.items[0].text : "no problem", said);
    }
    kvb_buffer_free(&answer);
    kvb_run_end(arguments);
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_row(&rows[i]);
    }
}

#define EACH(rows) check_rows(rows, sizeof rows / sizeof rows[0])

// What shells and readers of manuals are given: a line of each.
static void pages(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"completion fish", 0, "complete -c kvbudget -n __fish_use_subcommand -a plan -d '"},
        {"completion fish", 0, "complete -c kvbudget -n '__fish_seen_subcommand_from plan' -l gpu -x -a '(kvbudget "},
        {"completion zsh", 0, "#compdef kvbudget\n"},
        {"completion zsh", 0, "'--gpu=["},
        {"completion nothing", 2, "no completion for 'nothing'; expected bash, zsh or fish"},
        {"manual", 0, ".TP\n.BR kvbudget\\-plan (1)\n"},
        {"manual plan", 0, ".SH OPTIONS\n"},
        {"manual plan", 0, ".B \\-\\-gpu"},
        {"manual profile", 0, ".SH KEYS OF KIND: deployment\n"},
        {"manual policy", 0, ".SH RULES\n"},
        {"manual nothing", 2,
         "no page of the manual is called 'nothing'; expected a command, profile, policy or library"},
        {"help nothing", 2, "no command is called 'nothing'"},
        {"schema", 2, "'schema' needs COMMAND|request"},
        {"schema plan", 0, "\"$schema\""},
    };
    EACH(rows);
}

static void profiles(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"profiles check profiles/gpus/l4.yaml", 0, "profiles/gpus/l4.yaml: a valid gpu profile\n"},
        {"profiles check --json profiles/gpus/l4.yaml", 0, "\"kind\": \"gpu\""},
        {"profiles check tests/bad_inputs/comment_only.yaml", 3, "it is empty: expected a mapping"},
        {"profiles check", 2, "'profiles check' needs a FILE"},
        {"profiles list gpus l4 more", 2, "unexpected word 'more'"},
        {"profiles show", 2, "'profiles show' needs a NAME"},
        {"profiles show a b", 2, "unexpected word 'b'"},
        {"hub pull", 2, "'hub pull' needs a NAME"},
        {"hub list x", 2, "unexpected word 'x'"},
        {"hub list --json", 0, "\"models\": []"},
        {"hub prune --json", 0, "\"removed_bytes\": 0"},
        {"hub prune", 0, ""},
    };
    EACH(rows);
}

#define L4 " --model Qwen/Qwen3-8B --gpu l4 "

static void flags_that_are_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"plan --model= --gpu l4", 2, "--model needs a value, found an empty one"},
        {"plan" L4 "--engine=", 2, "--engine needs a value, found an empty one"},
        {"plan" L4 "--compile-cache lukewarm", 2, "--compile-cache: 'lukewarm' is not known; expected warm|cold"},
        {"plan" L4 "--reserve x=many", 2,
         "--reserve: 'many' is not a size; expected such as 24564MiB, 23.64GiB or 80GB"},
        {"plan" L4 "--reserve =1GiB", 2, "--reserve: '=1GiB' is not NAME=SIZE; expected such as display=600MiB"},
        {"plan" L4 "--served-name a/b/c/d", 2,
         "--served-name: 'a/b/c/d' is no name of a model; expected such as Qwen/Qwen3-8B"},
        {"plan" L4 "--no-enforce-eager=1", 2, "--no-enforce-eager takes no value; found '1'"},
        {"plan" L4 "--nonsense", 2, "unknown flag '--nonsense'"},
        {"plan" L4 "--tp 4", 2, "unknown flag '--tp'"},
        {"plan" L4 "--modl x", 2, "unknown flag '--modl'; did you mean '--model'?"},
        {"plan" L4 "--served-model-name x", 2,
         "'--served-model-name' is read in a serve command: put it behind --, as in -- vllm serve MODEL ... "
         "--served-model-name"},
        {"plan" L4 "--engine llama.cpp --gpu-layers 10", 2, "'--gpu-layers' is written --n-gpu-layers here"},
        {"plan" L4 "extra words", 2, "unexpected word 'words'; a serve command goes behind --"},
        {"plan" L4 "--color perhaps", 2, "--color: 'perhaps' is not known; expected auto|always|never"},
        {"plan" L4 "--need-len 0", 2, "--need-len: '0' is not a length; expected tokens such as 8192 or 32K"},
        {"plan" L4 "--need-len x", 2, "--need-len: 'x' is not a length; expected tokens such as 8192 or 32K"},
        {"plan" L4 "--need-concurrency 0", 2,
         "--need-concurrency: '0' is not a number of requests; expected 0.01 to 4000"},
        {"plan" L4 "--need-concurrency x", 2,
         "--need-concurrency: 'x' is not a number of requests; expected 0.01 to 4000"},
        {"plan" L4 "--request x=1", 2,
         "--request: 'x=1' is not understood; expected such as images=2,prompt=50,answer=200[,image_tokens=576]"},
        {"plan" L4 "--request prompt=", 2,
         "--request: 'prompt=' is not understood; expected such as images=2,prompt=50,answer=200[,image_tokens=576]"},
        {"plan" L4 "--kv-cache-memory-bytes 1GiB", 2,
         "--kv-cache-memory-bytes: '1GiB' is not a whole number such as 4096, 4k or 4K"},
        {"plan --with x --model Qwen/Qwen3-8B", 2, "residents share one GPU, so it must be named; add --gpu NAME"},
        {"plan nowhere-model --gpu l4", 3, "there is no file 'nowhere-model', so it was taken for the name of a model"},
        {"plan --format json --model x --gpu l4", 3, "\"code\": \"unknown_name\""},
        {"plan --format=json --model x --gpu l4", 3, "\"code\": \"unknown_name\""},
        {"check --gpu l4 --expect many .", 2, "--expect 'many' is not a whole number up to 1000000"},
        {"check --gpu l4 --expect 1000001 .", 2, "--expect '1000001' is not a whole number up to 1000000"},
        {"models --gpu l4 --gpu-count 0", 2, "--gpu-count: '0' is not a number of GPUs; expected 1 to 64"},
        {"models --gpu l4 --gpu-count 65", 2, "--gpu-count: '65' is not a number of GPUs; expected 1 to 64"},
        {"models --gpu l4 --gpu-count x", 2, "--gpu-count: 'x' is not a number of GPUs; expected 1 to 64"},
        {"models --gpu l4 --family=", 2, "--family needs a part of a name, such as Qwen3"},
        {"models --gpu l4 --min-params many", 2,
         "--min-params: 'many' is not a number of parameters; expected such as 7B or 500M"},
        {"models --gpu l4 --min-params B", 2,
         "--min-params: 'B' is not a number of parameters; expected such as 7B or 500M"},
        {"models --family qwen3", 2, "no GPU is named; give --gpu NAME, --gpu-memory SIZE or --gpu live"},
        {"models --model x --gpu l4", 2, "models asks about all models; for one, use kvbudget plan --model x"},
        {"sweep" L4 "--max-model-len 4k..1k", 2, "max_model_len: '4k..1k' is no range; the first is the smaller one"},
        {"sweep" L4 "--max-model-len 1k..", 2, "max_model_len: '' is not a whole number, 32k, 32K, 1M or auto"},
    };
    EACH(rows);
}

// What a flag does shows in the document.
static void flags_that_are_taken(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"plan" L4 "--compile-cache cold", 1, "DOES NOT FIT"},
        {"plan" L4 "--compile-cache warm", 1, "DOES NOT FIT"},
        {"plan" L4 "--served-name x/y", 1, "x/y on NVIDIA L4"},
        {"plan" L4 "--revision main", 1, "DOES NOT FIT"},
        {"plan" L4 "--cudagraph-capture-sizes 1 2 4 8 --json", 1, "\"cudagraph_capture_sizes\": 4"},
        {"plan" L4 "--engine vllm@0.20.0 --swap-space 4", 1,
         "swap_space exists up to vLLM 0.17.1; 0.20.0 would refuse it"},
        {"plan" L4 "--engine vllm@0.6.0 --kv-cache-memory-bytes 1k", 1,
         "kv_cache_memory_bytes exists from vLLM 0.10.2; 0.6.0 would refuse it"},
        // what was typed is offered again, each number a word of its own
        {"plan" L4 "--cudagraph-capture-sizes 1 2 4 8 --json", 1, " --cudagraph-capture-sizes 1 2 4 8\""},
        {"plan" L4 "--cudagraph-capture-sizes 1,2,4,8 --json", 1, " --cudagraph-capture-sizes 1 2 4 8\""},
        {"plan" L4 "-tp 4", 0, "Qwen/Qwen3-8B on 4 x NVIDIA L4"},
        {"plan" L4 "--request prompt=5", 1, "DOES NOT FIT"},
        {"plan" L4 "--format html", 1, "<!DOCTYPE html>\n"},
        {"plan" L4 "--engine llama.cpp -ngl 10", 0, "FITS"},
        {"plan --gpu l4", 0, "Models on NVIDIA L4"},
        {"plan" L4 "--calibrate tests/fixtures/logs/need.log", 1, "DOES NOT FIT"},
        {"plan" L4 "--calibrate nowhere.log", 4, "cannot open: No such file or directory"},
        {"plan --model Qwen/Qwen3-8B --gpu l4,l40s", 0, "Side by side, 1 of 2 start it:"},
        {"plan --model Qwen/Qwen3-8B --gpu l4,nosuch", 3,
         "no GPU is called 'nosuch'; `kvbudget profiles list` shows all, and --gpu-memory takes the memory of any "
         "other"},
        {"plan" L4 "--with nowhere.yaml", 4, "cannot open: No such file or directory"},
        {"plan" L4 "--max-model-len 65536", 1, "length 65,536, sequences 256"},
        {"plan" L4 "--reserve display=1GiB --with tests/fixtures/plan/small.yaml", 1, "DOES NOT FIT"},
        {"plan profiles/deployments/qwen2.5-7b-grpo-8xa100.yaml --gpu-free 60GiB", 0, "in use already"},
        {"plan --gpu-state tests/fixtures/smi/shared-node-535.txt --model Qwen/Qwen3-8B", 0,
         "GPU 4 is the best of 4 ("},
        {"models --gpu-state tests/fixtures/smi/shared-node-535.txt --family qwen3", 0,
         "Models on 3 x NVIDIA A100-SXM4-80GB"},
        {"models --gpu-state tests/fixtures/smi/shared-node-535.txt --family qwen3 --gpu-count 8", 2,
         "--gpu-count: 8 GPUs are asked for, and 3 are here and free alike"},
        {"models --gpu l4 --max-model-len 4096 --family qwen3", 0, "start with a length of 4,096 tokens."},
        {"models --gpu l4 --max-model-len auto --family qwen3", 0, "start with a length of 8,192 tokens"},
        {"models --gpu l4 -tp 2 --family qwen3", 0, "Models on 2 x NVIDIA L4"},
        {"plan" L4 "--against tests/fixtures/plan/small.yaml", 1, "Qwen/Qwen3-8B"},
        {"explain tests/fixtures/logs/need.log --format svg", 0, "<svg xmlns="},
        {"explain tests/fixtures/logs/need.log --format html", 0, "<!DOCTYPE html>\n"},
        {"models --gpu l4 --family qwen3 --format html", 0, "<!DOCTYPE html>\n"},
        {"models --gpu l4 --family qwen3 --format svg", 0, "<svg xmlns="},
        {"models --gpu l4 --family qwen3 --gpu-count 2", 0, "Models on 2 x NVIDIA L4"},
        {"models --gpu l4 --family qwen3 --min-params 500M", 0, "Models on NVIDIA L4"},
        {"sweep" L4 "--format json --max-model-len 4k", 0, "\"schema\": \"kvbudget.sweep/1\""},
    };
    EACH(rows);
}

KVB_TEST_MAIN_WITH(stand_at_the_top, NULL, cmocka_unit_test(pages), cmocka_unit_test(profiles),
                   cmocka_unit_test(flags_that_are_refused), cmocka_unit_test(flags_that_are_taken))
