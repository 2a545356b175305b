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

static unsigned wrong(const struct row *row)
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
        print_message("kvbudget %s: exit %d, %s\n%.600s\n", row->line, code,
                      arguments->problems.count > 0 ? arguments->problems.items[0].text : "no problem", said);
    }
    unsigned bad = code != row->code || !found;
    kvb_buffer_free(&answer);
    kvb_run_end(arguments);
    return bad;
}

static void check_rows(const struct row *rows, size_t count)
{
    unsigned bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad += wrong(&rows[i]);
    }
    assert_int_equal(bad, 0);
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
        {"plan" L4 "--tp 4", 2, "unknown flag '--tp'; did you mean '--tensor-parallel-size'?"},
        {"plan" L4 "--modl x", 2, "unknown flag '--modl'; did you mean '--model'?"},
        {"plan" L4 "--served-model-name x", 2,
         "'--served-model-name' is read in a serve command: put it behind --, as in -- vllm serve MODEL ... "
         "--served-model-name"},
        {"plan" L4 "--engine llama.cpp --gpu-layers 10", 2, "'--gpu-layers' is written --n-gpu-layers here"},
        {"plan" L4 "\xE2\x80\x93max-model-len 8k", 2,
         "unexpected word '\xE2\x80\x93max-model-len': its dash is none of a keyboard's; flags begin with --"},
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

#define SWEEP "sweep --model Qwen/Qwen3-8B --gpu l4 --max-model-len "
#define NO_CONDITION "' is no condition; expected such as 'concurrency >= 8', 'pool > 12GiB' or 'verdict = fits'"

// Ranges, conditions and figures of a sweep, read and refused.
static void sweeps(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SWEEP "1k..4k:+0", 2, "max_model_len: '+0' is no step of a range; expected such as x2 or +1"},
        {SWEEP "1k..4k:x1", 2, "max_model_len: 'x1' is no step of a range; expected such as x2 or +1"},
        {SWEEP "1k..4k:xy", 2, "max_model_len: 'xy' is no step of a range; expected such as x2 or +1"},
        {SWEEP "1k..4k:y", 2, "max_model_len: 'y' is no step of a range; expected such as x2 or +1"},
        {SWEEP "1k..4k:+x", 2, "max_model_len: '+x' is no step of a range; expected such as x2 or +1"},
        {SWEEP "1k..4k:+auto", 2, "max_model_len: '+auto' is no step of a range; expected such as x2 or +1"},
        {SWEEP "1k..4k:+1k", 0, "4 plans, 4 fit"},
        {SWEEP "4k..auto", 2, "max_model_len: '4k..auto' is no range; the first is the smaller one"},
        {SWEEP "x..4k", 2, "max_model_len: 'x' is not a whole number, 32k, 32K, 1M or auto"},
        {SWEEP "1..4096:+1", 2, "max_model_len: these are more than 1024 values"},
        {"sweep" L4 "--max-num-seqs 0..4", 2, "max_num_seqs: '0' is out of range; expected from 1 to 4294967295"},
        {"sweep" L4 "--swap-space 0..4", 2,
         "swap_space: '0..4' cannot be multiplied, as nothing times 2 is nothing; expected a step such as +1"},
        {"sweep" L4 "--engine vllm@0.11.0 --swap-space 0..4:x2", 2,
         "swap_space: '0..4' cannot be multiplied, as nothing times 2 is nothing; expected a step such as +1"},
        {"sweep" L4 "--engine vllm@0.11.0 --swap-space 0..4:+2", 1, "3 plans, 0 fit"},
        {"sweep" L4 "--gpu-memory-utilization 0.8..0.9:+0.05", 1, "3 plans, 0 fit"},
        {"sweep" L4 "--gpu-memory-utilization 0.8..0.9:x2", 1, "1 plans, 0 fit"},
        {"sweep" L4 "--gpu-memory-utilization 0.8..0.9:+5x", 2,
         "gpu_memory_utilization: '+5x' is no step of a range; expected such as x2 or +0.05"},
        {"sweep" L4 "--kv-cache-dtype auto..fp8", 2,
         "kv_cache_dtype: kv_cache_dtype takes words, which have no range; expected a list with commas"},
        {"sweep" L4 "--kv-cache-dtype auto,fpx", 2, "kv_cache_dtype: 'fpx' is not known; did you mean 'fp8'?"},
        {"sweep" L4 "--vary enforce-eager=true..false", 2,
         "enforce_eager: enforce_eager takes words, which have no range; expected a list with commas"},
        {"sweep" L4 "--vary enforce-eager=true,false", 1, "2 plans, 0 fit"},
        {"sweep" L4 "--vary enforce-eager", 2,
         "--vary: 'enforce-eager' is not SETTING=LIST; expected such as enforce-eager=true,false"},
        {"sweep" L4 "--vary nosuch=1", 2, "--vary: 'nosuch' is no setting; expected such as enforce-eager=true,false"},
        {"sweep" L4 "--vary a-name-longer-than-any-setting-has-that-anybody-could-ever-think-of=1", 2,
         "--vary: 'a-name-longer-than-any-setting-has-that-anybody-could-ever-t' is no setting; expected such as "
         "enforce-eager=true,false"},
        {SWEEP "1k,2k --where pool>12GiB", 0, "None of them meets the conditions."},
        {SWEEP "1k,2k --where pool>0", 0, "2 plans, 2 fit"},
        {SWEEP "4k,64k --where verdict!=fits --format csv", 0, ""},
        {SWEEP "4k,64k --where verdict=fits", 0, "  4,000          fits"},
        {SWEEP "4k,64k --where concurrency>1", 0, "  4,000          fits"},
        {SWEEP "4k,64k --where concurrency<=1", 0, "  64,000         no"},
        {SWEEP "4k,64k --where length>=4k --where slack>0.1GiB", 0, "  4,000          fits"},
        {SWEEP "4k --where tokens", 2, "--where: 'tokens" NO_CONDITION},
        {SWEEP "4k --where tokens=!1", 2, "--where: 'tokens=!1" NO_CONDITION},
        {SWEEP "4k --where tokens<<<1", 2, "--where: 'tokens<<<1" NO_CONDITION},
        {SWEEP "4k --where >1", 2, "--where: '>1" NO_CONDITION},
        {SWEEP "4k --where nosuch>1", 2, "--where: 'nosuch>1" NO_CONDITION},
        {SWEEP "4k --where slack>x", 2, "--where: 'slack>x" NO_CONDITION},
        {SWEEP "4k --where a-name-that-is-longer-than-any-figure>1", 2,
         "--where: 'a-name-that-is-longer-than-any-figure>1" NO_CONDITION},
        {SWEEP "4k --figure nosuch", 2,
         "--figure: 'nosuch' is not known; expected verdict|tokens|concurrency|pool|slack|length|balance"},
        {SWEEP "4k,8k --frontier", 0, "What nothing else beats:"},
        {SWEEP "4k --format csv", 0, ""},
        {"sweep" L4 "--tensor-parallel-size 1,2,4 --frontier", 0, "  2                     fits"},
        {"sweep --model Qwen/Qwen3-0.6B,Qwen/Qwen3-1.7B --gpu l4 --frontier", 0, "2 plans, 2 fit"},
        {"sweep --model Qwen/Qwen3-8B --gpu l4,nosuch", 3,
         "no GPU is called 'nosuch'; `kvbudget profiles list` shows all, and --gpu-memory takes the memory of any "
         "other"},
        {"sweep --gpu l4 --max-model-len 4k", 2, "no model is named; give --model NAME or NAME,NAME"},
        {"sweep --model Qwen/Qwen3-8B --max-model-len 4k", 2, "no GPU is named; give --gpu NAME or NAME,2xNAME"},
        {"sweep --model Qwen/Qwen3-8B --gpu-memory 24GiB --max-model-len 4k,8k", 0, "2 plans, 2 fit"},
        {"sweep --model Qwen/Qwen3-8B --gpu l4 --engine vllm@0.11.0,vllm@0.6.3 --max-model-len 4k --figure slack", 0,
         "2 plans, "},
        {SWEEP "4k --quiet --format jsonl", 0, ""},
        {SWEEP "2k,4k --max-num-seqs 1,2 --figure pool --format svg", 0, "<svg xmlns="},
        {SWEEP "2k,4k --max-num-seqs 1,2 --figure concurrency --format html", 0, "<!DOCTYPE html>\n"},
        {SWEEP "2k,4k --max-num-seqs 1,2 --figure tokens", 0, "2,000"},
        {SWEEP "2k,4k --max-num-seqs 1,2 --figure balance --format markdown", 0, "| "},
        {SWEEP "2k --max-num-seqs 1,2 --max-num-batched-tokens 2k,4k --block-size 16,32 --kv-cache-dtype auto,fp8", 0,
         "16 plans, 16 fit"},
    };
    EACH(rows);
}

static void too_many(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"plan" L4 "--reserve a-name-of-a-reserve-that-is-longer-than-its-place-takes-whatever-it-is=1GiB", 2,
         "--reserve: 'a-name-of-a-reserve-that-is-longer-than-its-place-takes-what' is not NAME=SIZE; expected such as "
         "display=600MiB"},
        {"plan" L4 "--reserve a=1MiB --reserve b=1MiB --reserve c=1MiB --reserve d=1MiB --reserve e=1MiB --reserve "
         "f=1MiB --reserve g=1MiB --reserve h=1MiB --reserve i=1MiB --reserve j=1MiB --reserve k=1MiB "
         "--reserve l=1MiB --reserve m=1MiB --reserve n=1MiB --reserve o=1MiB --reserve p=1MiB --reserve "
         "q=1MiB",
         2, "--reserve: more than 16 reserves"},
        {"plan" L4 "--with a --with b --with c --with d --with e --with f --with g --with h --with i", 2,
         "--with: at most 8 other residents share a GPU"},
        {"plan" L4 "--request images", 2,
         "--request: 'images' is not understood; expected such as images=2,prompt=50,answer=200[,image_tokens=576]"},
        {"plan" L4 "--request prompt=12345678901234567890123456789012345678901234567890", 2,
         "--request: 'prompt=12345678901234567890123456789012345678901234567890' is not understood; expected such as "
         "images=2,prompt=50,answer=200[,image_tokens=576]"},
        {"plan" L4 "--against vllm@a-release-that-is-longer-than-any-place-for-a-name-of-an-engine-or-a-path-to-it-and-"
         "than-128-characters-0123456789012345678901234567890123456789",
         3,
         "'a-release-that-is-longer-than-any-place-for-a-name-of-an-eng' is not a release of vLLM; write it as "
         "vllm@0.28.0"},
        {"models --gpu l4 --min-params 12345678901234567890123456789012345678901234567890B", 2,
         "--min-params: '12345678901234567890123456789012345678901234567890B' is not a number of parameters; expected "
         "such as 7B or 500M"},
    };
    EACH(rows);
}

static void others_of_a_plan(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"plan" L4 "--show utilization-for", 2, "--show: utilization-for needs a size, as in utilization-for=12GiB"},
        {"plan" L4 "--show utilization-for=0GiB", 2,
         "--show: utilization-for needs a size, as in utilization-for=12GiB"},
        {"plan" L4 "--show utilization-for=x", 2, "--show: utilization-for needs a size, as in utilization-for=12GiB"},
        {"plan" L4 "--show utilization-for=2GiB", 1, "gives the KV cache 2.00 GiB. At "},
        {"plan" L4 "--show utilization-for=20GiB", 1, ", which is more"},
        {"plan" L4 "--show utilization-for=2GiB --kv-cache-memory-bytes 2000000000 --json", 1, "\"utilization\": null"},
        {"plan" L4 "--show utilization-for=2GiB --json", 1, "\"hundredth_bytes\": "},
        {"plan" L4 "--engine llama.cpp --show utilization-for=4GiB", 0, "The KV cache is no share of the memory here."},
        {"plan" L4 "--against ./nowhere.yaml", 4, "cannot open: No such file or directory"},
        {"plan" L4 "--against 0.6.3", 3,
         "no engine is called '0.6.3'; expected vllm, sglang, generic, llama.cpp or ollama, one of its releases as in "
         "vllm@0.11.0, or a path to an engine profile"},
        {"plan" L4 "--cudagraph-capture-sizes x", 2, "expected batch sizes such as [1, 2, 4] or 1 2 4, found 'x'"},
        {"plan" L4 "--speculative-config {\"num_speculative_tokens\":3}", 2,
         "a speculative config needs the key 'method' or 'model'"},
        {"plan" L4 "--compilation-config {\"cudagraph_mode\":\"FULL\"}", 1, "DOES NOT FIT"},
        {"plan" L4 "--calibrate tests/fixtures/logs/unknown.log", 3,
         "nothing to calibrate with: no line of this log tells weights, activation, non-torch, graphs or the KV cache"},
        {"plan" L4 "--calibrate tests/fixtures/logs/sglang.log", 3,
         "this log is one of SGLang, and vLLM is planned: their terms differ; plan with --engine sglang, or give a log "
         "of vLLM"},
        {"plan" L4 "--calibrate tests/fixtures/logs/v1-healthy.log", 1,
         "this log is of model Qwen/Qwen2.5-7B-Instruct; what it measured is carried over to Qwen/Qwen3-8B"},
        {"plan" L4 "--calibrate tests/fixtures/logs/v0-too-long.log", 1,
         "0.92 x 23.50 GiB (measured)"}, // the log's own card
        {"plan profiles --gpu l4", 4, "expected a file, but this is a folder"},
        {"plan x.yaml --gpu l4", 4, "cannot open: No such file or directory"},
        {"plan no/such/x.yml --gpu l4", 4, "cannot open: No such file or directory"},
        {"plan --gpu l4 --with tests/fixtures/plan/small.yaml", 2,
         "no model is named; give --model NAME, a profile, or a serve command behind --; with --gpu alone, the models "
         "that start on it are listed"},
        {"plan --gpu l4 --gpu-state tests/fixtures/smi/query.xml", 3, "no GPU 'l4' in this machine; it has 0, 0:0, 1"},
        {"probe --gpu-memory 24GiB --gpu-state tests/fixtures/smi/shared-node-535.txt", 0,
         "probe takes sizes from the machine; the GPU memory given is set aside"},
        {"probe --gpu-free 24GiB --gpu-state tests/fixtures/smi/jetson-540.txt", 0, "driver 540.4.0"},
        {"probe --gpu-state tests/fixtures/smi/shared-node-535.txt --gpu GPU-0000", 3,
         "no GPU 'GPU-0000' in this machine; it has 0, 1, 3, 4"},
        {"probe --gpu-state tests/fixtures/smi/shared-node-535.txt --gpu 0:0:0", 3,
         "no GPU '0:0:0' in this machine; it has 0, 1, 3, 4"},
        {"hub prune nobody/here", 3, "'nobody/here' is not in the cache; `kvbudget hub list` shows what is"},
        {"hub prune nobody/here --json", 3, "\"code\": \"unknown_name\""},
        {"hub pull a/b c/d --json", 4, "nothing is fetched while KVBUDGET_OFFLINE or HF_HUB_OFFLINE is set"},
        {"hub nosuch", 2, "'hub nosuch' is not known; expected list, prune or pull"},
        {"hub", 2, "'hub' needs list|prune [NAME]|pull NAME..."},
        {"profiles show nosuch", 3, "no built-in profile is called 'nosuch'; `kvbudget profiles list` names them all"},
        {"profiles show Qwen/Qwen3-8", 3,
         "no built-in profile is called 'Qwen/Qwen3-8', did you mean 'Qwen/Qwen3-8B'; `kvbudget profiles list` names "
         "them all"},
        {"profiles list gpus xyzxyz --json", 1, "\"gpus\": []"},
        {"profiles list 4090", 0, "rtx4090d    23.64 GiB measured   NVIDIA GeForce RTX 4090 D"},
        {"profiles nosuch", 2, "'profiles nosuch' is not known; expected list, show, check or import"},
        {"profiles", 2, "'profiles' needs list|show NAME|check FILE...|import PATH"},
        {"profiles check tests/fixtures/plan/small.yaml profiles/gpus/l4.yaml --json", 0, "\"kind\": \"gpu\""},
        {"profiles check tests/fixtures/manifests/bad/broken.yaml profiles/gpus/l4.yaml", 3,
         "not valid YAML or JSON: did not find expected ',' or ']', while parsing a flow sequence"},
        {"schema help", 2, "'help' has no document; expected request or a command with --json"},
        {"schema nosuch", 2, "'nosuch' has no document; expected request or a command with --json"},
        {"schema request", 0, "\"title\": \"a request of kvb_ask\""},
        {"help", 0, "Asked before a GPU is"},
        {"help help more", 2, "no engine is called 'more'; expected vllm, sglang, generic, llama.cpp or ollama"},
        {"record tests/fixtures/logs/v1-healthy.log", 3,
         "no row: the log does not say its GPU; give --gpu NAME, as nvidia-smi prints it"},
        {"explain tests/fixtures/logs/need.log --model nobody/knows --gpu l4", 0,
         "model 'nobody/knows' is not built in: checks that need its shape are left out"},
        {"explain tests/fixtures/logs/need.log --model tests/fixtures --gpu l4", 4,
         "this folder has no config.json; give the folder of a checkpoint or a file"},
        {"check tests/fixtures/manifests/good --gpu l4 --expect 99", 1, "KV cache"},
        {"check tests/fixtures/manifests/good/serve.sh --gpu l4 --quiet", 0, ""},
        {"check tests/fixtures/manifests/good/serve.sh --gpu l4 --format html", 0, "<!DOCTYPE html>\n"},
        {"check --gpu l4 --policy nowhere.yaml .", 4, "cannot open: No such file or directory"},
        {"check --against nosuch tests/fixtures/manifests/good", 4,
         "git knows no commit 'nosuch' here; a shallow "
         "clone has only its own, so fetch the other one "
         "first"},
        {"check --init --policy /nowhere/x.yaml tests/fixtures/manifests/good", 4,
         "cannot write: No such file or directory"},
    };
    EACH(rows);
}

KVB_TEST_MAIN_WITH(stand_at_the_top, NULL, cmocka_unit_test(pages), cmocka_unit_test(profiles),
                   cmocka_unit_test(flags_that_are_refused), cmocka_unit_test(flags_that_are_taken),
                   cmocka_unit_test(sweeps), cmocka_unit_test(too_many), cmocka_unit_test(others_of_a_plan))
