// What a build's own parser refuses of a line. Expected: common/arg.cpp of the build, compiled and run on the same
// words (b4200, b5200, b6500, b7500, b8600, b10469); before b3683 as examples/server/server.cpp and common/common.cpp
// read.
#include <stdio.h>
#include <string.h>

#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/known_flags.h"
#include "engines/llamacpp/serve_values.h"
#include "unit/llamacpp_line.h"

// "": the line is taken. `variables`: a line each.
static const char *judged(const char *line, const char *variables, unsigned build)
{
    static char out[256];
    struct kvb_engine engine = {.name = "llama.cpp", .release = KVB_BUILD(build)};
    read_line(line);
    (void)snprintf(deployment.environment.noted, sizeof deployment.environment.noted, "%s", variables);
    kvb_llama_judge(&deployment, &engine, out);
    return out;
}

static void lines(void **state)
{
    (void)state;
    static const struct {
        unsigned build;
        const char *line; // behind the program and its model
        const char *said;
    } rows[] = {
        {10469, "-c 4096 --ctx_size 512 -fa on -ngl all", ""},
        {10469, "--foo", "error: invalid argument: --foo"},
        {10469, "-foo 1", "error: invalid argument: -foo"},
        {10469, "-c=4096", "error: invalid argument: -c=4096"},
        {7406, "--fit off", "error: invalid argument: --fit; it came with b7407"},
        {10469, "--log-new", "error: invalid argument: --log-new; it is gone since b3761"},
        {10469, "--color on", "error: invalid argument: --color; llama-cli has it"},
        {10469, "--draft-max 8",
         "error while handling argument \"--draft-max\": the argument has been removed. use --spec-draft-n-max or "
         "--spec-ngram-mod-n-max"},
        {9033, "--draft-max 8", ""},
        {10469, "-fa -c 10", "error while handling argument \"-fa\": error: unknown value for --flash-attn: '-c'"},
        {6324, "-fa -c 10", ""},
        {6324, "-fa on", "error: invalid argument: on"},
        {10469, "-fa", "error while handling argument \"-fa\": expected value for argument"},
        {10469, "-t x4", "error while handling argument \"-t\": stoi: 'x4'"},
        {10469, "-t $THREADS", ""},
        {10469, "-t {{.Threads}}", ""},
        {10469, "--seed x", "error while handling argument \"--seed\": stoul: 'x'"},
        {10469, "--temp x", "error while handling argument \"--temp\": stof: 'x'"},
        {10469, "--chat-template-kwargs x",
         "error while handling argument \"--chat-template-kwargs\": parse error of JSON: 'x'"},
        {10469, "--override-kv x", "error while handling argument \"--override-kv\": invalid value: 'x'"},
        {10469, "--sleep-idle-seconds 0",
         "error while handling argument \"--sleep-idle-seconds\": invalid value: cannot be 0 or less than -1"},
        {10469, "--sleep-idle-seconds -2",
         "error while handling argument \"--sleep-idle-seconds\": invalid value: cannot be 0 or less than -1"},
        {10469, "--sleep-idle-seconds 60", ""},
        {8286, "--reasoning-budget 1", "error while handling argument \"--reasoning-budget\": invalid value"},
        {10469, "--spec-draft-threads 1,5", ""},
        {10469, "--reasoning x",
         "error while handling argument \"--reasoning\": error: unknown value for --reasoning: 'x'"},
        {10469, "-lm mlocked", "error while handling argument \"-lm\": invalid value"},
        {7447, "--lora-scaled a.gguf 0.5", ""},
        {7447, "--lora-scaled a.gguf half", "error while handling argument \"--lora-scaled\": stof: 'half'"},
        {7447, "--lora-scaled a.gguf", ""}, // as far as it was read
        {10469, "--control-vector-layer-range 1 x",
         "error while handling argument \"--control-vector-layer-range\": stoi: 'x'"},
        {10469, "--control-vector-layer-range x 1",
         "error while handling argument \"--control-vector-layer-range\": stoi: 'x'"},
        {10469, "--control-vector-layer-range 1 2", ""},
        {3000, "--foo", "error: unknown argument: --foo"},
        {3000, "--threads x", "error: invalid parameter for argument: --threads"},
        {3000, "--ctx_size 512", ""},
        {3000, "--batch_size 512", "error: unknown argument: --batch_size; llama-cli has it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[256];
        (void)snprintf(line, sizeof line, "llama-server -m x.gguf %s", rows[i].line);
        const char *found = judged(line, "", rows[i].build);
        if (strcmp(found, rows[i].said) != 0) {
            fail_msg("b%u %s: '%s'", rows[i].build, rows[i].line, found);
        }
    }
}

static void programs(void **state)
{
    (void)state;
    assert_string_equal(judged("llama-cli -m x.gguf --color on", "", 10469), "");
    assert_string_equal(judged("llama-cli -m x.gguf --port 80", "", 10469),
                        "error: invalid argument: --port; llama-server has it");
    // common/arg.cpp b7000: --cache-ram is of llama-server alone until b7348
    assert_string_equal(judged("llama-cli -m x.gguf --cache-ram 8", "", 7000),
                        "error: invalid argument: --cache-ram; llama-server has it");
    assert_string_equal(judged("llama-cli -m x.gguf --batch_size 512", "", 3000), ""); // common/common.cpp
}

static void variables(void **state)
{
    (void)state;
    static const char line[] = "llama-server -m x.gguf";
    assert_string_equal(judged(line, "LLAMA_ARG_THREADS=4\nLLAMA_ARG_SWA_FULL=x\nLLAMA_ARG_ALIAS=x\n", 10469), "");
    assert_string_equal(judged(line, "LLAMA_ARG_THREADS=x\n", 10469),
                        "error while handling environment variable \"LLAMA_ARG_THREADS\": stoi: 'x'");
    assert_string_equal(judged(line, "LLAMA_ARG_MMAP=yes\n", 10469),
                        "error while handling environment variable \"LLAMA_ARG_MMAP\": invalid boolean value");
    assert_string_equal(judged(line, "LLAMA_ARG_MMAP=disabled\n", 10469), "");
    assert_string_equal(judged(line, "LLAMA_ARG_MMAP=yes\n", 7375), "");
    assert_string_equal(judged(line, "LLAMA_ARG_KV_UNIFIED=on\n", 5000), ""); // not yet read
    assert_true(kvb_llama_notes_variable("LLAMA_ARG_THREADS"));
    assert_false(kvb_llama_notes_variable("LLAMA_ARG"));
}

// The next flag is the value of one that stands without: the alias is "-c" (noted as the reader would by itself).
static void swallowed(void **state)
{
    (void)state;
    struct kvb_engine engine = {.name = "llama.cpp", .release = KVB_BUILD(10469)};
    char out[256];
    read_line("llama-server -m x.gguf");
    (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "\n-a\n-c");
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "");
    (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "\n-a\n-c 1");
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "error: invalid argument: 1");
    (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "\n--control-vector-layer-range\n-c");
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "");
    (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "\n-ngl most"); // stoi() of what is no word
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "error while handling argument \"-ngl\": stoi: 'most'");
    engine.release = KVB_BUILD(3000);
    (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "\n--threads");
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "error: invalid parameter for argument: --threads");
}

// b10469, common/arg.cpp: parse_device_list() asks for each name, "none" alone is no device; a draft's overrides have
// an =; common/download.cpp splits a repository at ':' and '/' where no file is said.
static void forms(void **state)
{
    (void)state;
    static const struct {
        unsigned build;
        uint32_t gpus;
        const char *lines, *said;
    } rows[] = {
        {10469, 0, "\n-devd CUDA0,CUDA7", ""},
        {10469, 2, "\n-dev CUDA0,CUDA1", ""},
        {10469, 2, "\n-dev CUDA2", "error while handling argument \"-dev\": invalid device: CUDA2"},
        {10469, 2, "\n-dev Vulkan99999999999999999999",
         "error while handling argument \"-dev\": invalid device: Vulkan99999999999999999999"},
        {10469, 2, "\n-dev RPC0[10.0.0.1:50052]", ""},
        {10469, 2, "\n-dev Metal", ""},
        {10469, 1, "\n--spec-draft-device none", ""},
        {10469, 1, "\n--spec-draft-device nono",
         "error while handling argument \"--spec-draft-device\": invalid device: nono"},
        {10469, 0, "\n--device-draft CUDA0,none",
         "error while handling argument \"--device-draft\": invalid device: none"},
        {10469, 0, "\n-devd foo", "error while handling argument \"-devd\": invalid device: foo"},
        {10469, 0, "\n-devd CUD", "error while handling argument \"-devd\": invalid device: CUD"},
        {10469, 0, "\n-devd 0123456789012345678901234567890123456789012345678901234567890123456789",
         "error while handling argument \"-devd\": invalid device: "
         "012345678901234567890123456789012345678901234567890123456789"},
        {10469, 0, "\n-otd a=CPU,b=CUDA0", ""},
        {10469, 0, "\n-otd a=CPU,b", "error while handling argument \"-otd\": invalid value"},
        {10469, 0, "\n-otd $OVERRIDES", ""},
        {10469, 0, "\n-hf foo", "error: invalid HF repo format, expected <user>/<model>[:quant]"},
        {10469, 0, "\n-hf a/b/c", "error: invalid HF repo format, expected <user>/<model>[:quant]"},
        {10469, 0, "\n-hf foo:a/b", "error: invalid HF repo format, expected <user>/<model>[:quant]"},
        {10469, 0, "\n-hf foo\n--hf-repo a/b/:Q8_0", ""},
        {10469, 0, "\n-hf a/b:Q8_0", ""},
        {10469, 0, "\n-hf $MODEL", ""},
        {10469, 0, "\n-hf foo\n-hff x.gguf", ""},
        {10469, 0, "\n-m x.gguf\n--spec-draft-hf foo",
         "error: invalid HF repo format, expected <user>/<model>[:quant]"},
        {10469, 0, "\n-hfd foo\n-md x.gguf", ""},
        {10469, 0, "\n-hf", "error while handling argument \"-hf\": expected value for argument"},
        {10469, 0, "\n-hf ", ""},
        {4470, 0, "\n-hf foo", "error: invalid HF repo format, expected <user>/<model>[:quant]"},
        {4469, 0, "\n-hfr foo", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_engine engine = {.name = "llama.cpp", .release = KVB_BUILD(rows[i].build)};
        char out[256];
        kvb_deployment_init(&deployment);
        deployment.gpus_stated = rows[i].gpus;
        (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "%s", rows[i].lines);
        kvb_llama_judge(&deployment, &engine, out);
        if (strcmp(out, rows[i].said) != 0) {
            fail_msg("row %zu: '%s'", i, out);
        }
        deployment.serve_flags_cut = true; // what names its file may stand behind
        kvb_llama_judge(&deployment, &engine, out);
        assert_null(strstr(out, "HF repo"));
    }
}

static void nobody_knows(void **state)
{
    (void)state;
    struct kvb_engine engine = {.name = "llama.cpp", .release = KVB_BUILD(99999), .assumed = true};
    char out[256] = "x";
    read_line("llama-server -m x.gguf --foo");
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "");
    engine = (struct kvb_engine){.name = "llama.cpp", .release = KVB_BUILD(10469)};
    (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "\n-c 4096\n-t");
    deployment.serve_flags_cut = true; // there was no room for its value
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "");
    deployment.serve_flags[0] = '\0';
    kvb_llama_judge(&deployment, &engine, out);
    assert_string_equal(out, "");
}

static void values(void **state)
{
    (void)state;
    static const struct {
        char type;
        const char *taken, *refused; // a newline between
    } rows[] = {
        {'i', "0\n-1\n+4\n 7\n12k\n2147483647\n-2147483648", "\nx\n-\n2147483648\n-2147483649\n99999999999999999999"},
        {'u', "0\n-1\n18446744073709551614", "\nx\n99999999999999999999"},
        {'f', "1\n-0.5\n.5\n1.\n1e3\n1e\n1e x\n1e+x\n1e\t\n0x10\ninf\n-nan\n3e38\n0e9999\n0.001e40\n1e-99999",
         "\nx\n.\n-\n1e39\n10e38\n1e99999"},
        {'e', "1", "inf\nx"},
        {'p', "1\n0.1", "0\n-1\ninf\nx\n0.0"},
        {'j', "{\"a\": 1}\n[1]\n 1\n-1\ntrue\n\"x\"\nnull", "\n{a: 1}\nx\n+1\nnan"},
        {'o', "a=int:1\na=float:1\na=bool:true\na=bool:false\na=str:x", "\na\na=1\na=bool:yes"},
        {'m', "ff\n0xFF\n", "fg\nx"},
        {'g', "0-3\n-3\n3-\n-", "\n3\n512-513\n1-512\n1-x"},
        {'b', "15+1\n15 -1.5", "\nx\n15\n15+x\n15*1"},
        {'c', "a:1\na:0.5,b:x", "\na\na:b:1\na:x"},
        {'s', "x\n", "-"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_known_flag row = {.name = "--x", .type = rows[i].type, .low = INT32_MIN, .high = INT32_MAX};
        for (int refused = 0; refused < (rows[i].type == 's' ? 1 : 2); refused++) {
            const char *at = refused != 0 ? rows[i].refused : rows[i].taken;
            for (;; at++) {
                size_t size = strcspn(at, "\n");
                if (kvb_llama_takes(&row, 10469, at, size) != (refused == 0)) {
                    fail_msg("%c '%.*s'", rows[i].type, (int)size, at);
                }
                at += size;
                if (*at == '\0') {
                    break;
                }
            }
        }
    }
}

static void words(void **state)
{
    (void)state;
    struct kvb_llama_known_flag row = {.name = "--spec-type", .type = 'd'};
    assert_true(kvb_llama_takes(&row, 10469, "draft-mtp,ngram-mod", 19));
    assert_false(kvb_llama_takes(&row, 10469, "draft-mtp,", 10));
    assert_false(kvb_llama_takes(&row, 10469, "draft-mtx", 9));
    assert_true(kvb_llama_takes(&row, 9831, "draft-dflash", 12));
    assert_false(kvb_llama_takes(&row, 9830, "draft-dflash", 12));
    row = (struct kvb_llama_known_flag){.name = "-ngl", .type = 'x'};
    assert_true(kvb_llama_takes(&row, 10469, "all", 3));
    assert_true(kvb_llama_takes(&row, 10469, "99", 2));
    assert_false(kvb_llama_takes(&row, 10469, "most", 4));
    char name[160];
    memset(name, 'k', sizeof name);
    (void)snprintf(name + 128, sizeof name - 128, "=int:1");
    row = (struct kvb_llama_known_flag){.name = "--override-kv", .type = 'o'};
    assert_false(kvb_llama_takes(&row, 10469, name, strlen(name)));
    assert_true(kvb_llama_takes(&row, 10469, name + 1, strlen(name + 1)));
    row.type = 'm';
    memset(name, 'f', 129);
    assert_true(kvb_llama_takes(&row, 10469, name, 129));
    name[128] = 'x'; // of 128 digits none is behind
    assert_true(kvb_llama_takes(&row, 10469, name, 129));
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(kvb_llama_flag_near("--cache_idle_slot=1"), "cache-idle-slots");
    assert_null(kvb_llama_flag_near("--nothing-like-it"));
    assert_null(kvb_llama_flag_near("-cb"));
    assert_true(kvb_llama_takes_value("--threads=4"));
    assert_true(kvb_llama_takes_value("--unheard-of"));
    assert_false(kvb_llama_takes_value("--mlock"));
    assert_int_equal(kvb_llama_known_flag_beside("-fa", 3, 7000)->since, 6325); // the one that covers it
    assert_int_equal(kvb_llama_known_flag_beside("-fa", 3, 2300)->since, 2771); // the next
    assert_int_equal(kvb_llama_known_flag_beside("--log-new", 9, 9000)->until, 3761);
    assert_null(kvb_llama_known_flag_beside("--", 2, 9000));
}

// A line that is written has flags that the build takes.
static void written(void **state)
{
    (void)state;
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = kvb_llama_flag(i)) != NULL; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "--%s", flag->name != NULL ? flag->name : "");
        bool is_written = flag->kind <= KVB_SERVE_SETS && !flag->serve_only && !flag->ours;
        uint32_t build = flag->until != 0 ? flag->until - KVB_BUILD(1) : 10469; // the last with it
        if (is_written && kvb_llama_known_flag_of(name, strlen(name), build, 's') == NULL) {
            fail_msg("%s is no flag of b%u", name, (unsigned)build);
        }
    }
}

static void digits(void **state)
{
    (void)state;
    read_line("llama-server -m x.gguf -c 32k -b +512");
    assert_int_equal(deployment.settings.values[KVB_SET_MAX_MODEL_LEN].number, 32);
    assert_int_equal(deployment.settings.values[KVB_SET_MAX_NUM_BATCHED_TOKENS].number, 512);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].text, "in the serve command: llama.cpp reads 32 of '32k'");
}

KVB_TEST_MAIN(cmocka_unit_test(lines), cmocka_unit_test(programs), cmocka_unit_test(variables),
              cmocka_unit_test(swallowed), cmocka_unit_test(nobody_knows), cmocka_unit_test(forms),
              cmocka_unit_test(values), cmocka_unit_test(words), cmocka_unit_test(names), cmocka_unit_test(written),
              cmocka_unit_test(digits))
