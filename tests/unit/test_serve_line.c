// What a release says of a serve line alone: flags of builds that are no release, flags in JSON that do not go
// together, and lines that are not seen whole. Sources: vllm/config/speculative.py, vllm/engine/arg_utils.py at their
// tags.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/judged_lines.h"
#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_plan plan;

// What the parser says; the plan stays for what else is asked.
static const char *said(const char *engine, const char *model, int count, const char *const *flags)
{
    static struct kvb_model draft;
    static struct kvb_model_source source;
    static struct kvb_problems problems;
    const char *words[16] = {"vllm", "serve", model};
    for (int i = 0; i < count; i++) {
        words[3 + i] = flags[i];
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_serve_command_read(3 + count, words, &deployment, &problems), KVB_OK);
    (void)kvb_copy(deployment.engine, sizeof deployment.engine, engine);
    (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, "h100-sxm");
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
    return plan.command_error;
}

#define SAID(engine, model, ...)                                                                                       \
    said(engine, model, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *[]){__VA_ARGS__})

#define QWEN "Qwen/Qwen3-8B"

// A fork, a development build and a release to come may have what no known release has; what is gone stays gone.
static void builds_that_are_no_release(void **state)
{
    (void)state;
    static const char *const builds[] = {"vllm@0.29.0", "vllm@nightly", "vllm@0.20.2+mine", "vllm@0.20.2.dev12"};
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        assert_string_equal(SAID(builds[i], QWEN, "--brand-new", "3"), "");
        assert_string_equal(SAID(builds[i], QWEN, "--scheduling-policy", "fair"), "");
        assert_string_equal(SAID(builds[i], QWEN, "--swap-space", "4"),
                            "vllm: error: unrecognized arguments: --swap-space 4");
    }
    assert_string_equal(SAID("vllm@0.20.2+mine", QWEN, "--device-ids", "0"), ""); // since 0.24.0
    assert_non_null(strstr(SAID("vllm@0.20.2", QWEN, "--device-ids", "0"), "unrecognized"));
    assert_non_null(strstr(SAID("vllm@0.20.2+cu129", QWEN, "--brand-new", "3"), "unrecognized"));
    assert_non_null(strstr(SAID("vllm@0.20.2+rocm700", QWEN, "--scheduling-policy", "fair"), "invalid choice: 'fair'"));
}

// argparse names the choices behind the word; here all of them or none, where one more letter would be cut.
static void choices_that_find_room(void **state)
{
    (void)state;
    static const char list[] = " (choose from fcfs, priority)";
    for (int length = 150; length < 200; length++) {
        char word[256] = "", wanted[512];
        memset(word, 'x', (size_t)length);
        int size = snprintf(wanted, sizeof wanted, "argument --scheduling-policy: invalid choice: '%s'", word);
        bool fits = (size_t)size + strlen(list) < sizeof plan.command_error;
        (void)snprintf(wanted + size, sizeof wanted - (size_t)size, "%s", fits ? list : "");
        assert_string_equal(SAID("vllm@0.20.0", QWEN, "--scheduling-policy", word), wanted);
    }
}

// What ends a value is the end of its line: argparse has read "4k" whichever flag follows.
static void values_before_other_flags(void **state)
{
    (void)state;
    static const char *const flags[] = {"--max-num-seqs", "--tensor-parallel-size", "--pipeline-parallel-size",
                                        "--num-gpu-blocks-override", "--seed"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        char line[160], wanted[160];
        (void)snprintf(line, sizeof line, "\n%s 4k\n--port 8000", flags[i]);
        (void)snprintf(wanted, sizeof wanted, "argument %s: invalid int value: '4k'", flags[i]);
        for (int last = 0; last < 2; last++) {
            assert_string_equal(judged(KVB_RELEASE(0, 20, 0), line), wanted);
            (void)snprintf(line, sizeof line, "\n--port 8000\n%s=4k", flags[i]);
        }
    }
}

// argparse takes the beginning of a flag, of several it would say that it is ambiguous; a switch alone has a --no-
// form, from 0.8.5 on (get_kwargs), and one letter stands for no word.
static void beginnings_of_flags(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *line, *unknown;
    } rows[] = {
        {KVB_RELEASE(0, 20, 0), "\n--max-num-se 4", ""},
        {KVB_RELEASE(0, 20, 0), "\n--no-enable-prefix-caching", ""},
        {KVB_RELEASE(0, 20, 0), "\n--no-enable-pre", ""},
        {KVB_RELEASE(0, 20, 0), "\n--no-max-num-seqs", " --no-max-num-seqs"},
        {KVB_RELEASE(0, 20, 0), "\n--no-host", " --no-host"},
        {KVB_RELEASE(0, 20, 0), "\n--no-", " --no-"},
        {KVB_RELEASE(0, 20, 0), "\n--nowhere", " --nowhere"},
        {KVB_RELEASE(0, 20, 0), "\n-tp 2\n-dcp=1\n-qfp8", ""},
        {KVB_RELEASE(0, 20, 0), "\n-tp2", " -tp2"},
        {KVB_RELEASE(0, 20, 0), "\n-zz", " -zz"},
        {KVB_RELEASE(0, 20, 0), "\n-", " -"},
        {KVB_RELEASE(0, 12, 0), "\n-O7", ""},
        {KVB_RELEASE(0, 24, 0), "\n--device 0", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[256] = "", wanted[256] = "";
        struct kvb_engine engine = {.release = rows[i].release};
        (void)snprintf(engine.version, sizeof engine.version, "%u", rows[i].release);
        kvb_deployment_init(&deployment);
        (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, rows[i].line);
        kvb_vllm_judge(&deployment, &engine, out);
        if (rows[i].unknown[0] != '\0') {
            (void)snprintf(wanted, sizeof wanted, "vllm: error: unrecognized arguments:%s", rows[i].unknown);
        }
        assert_string_equal(out, wanted);
    }
}

// cli_args.py, api_server.py v0.20.0: a parser of tool calls is looked up where it is switched on, unless a plugin may
// bring it.
static void parsers_that_nobody_asks_for(void **state)
{
    (void)state;
    static const char sentence[] = "invalid tool call parser: nobody";
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--tool-call-parser", "nobody"), "");
    assert_non_null(
        strstr(SAID("vllm@0.20.0", QWEN, "--enable-auto-tool-choice", "--tool-call-parser", "nobody"), sentence));
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--enable-auto-tool-choice", "--tool-call-parser", "nobody",
                             "--tool-parser-plugin", "a.py"),
                        "");
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--tool-call-parser", "nobody", "--tool-parser-plugin", "a.py"), "");
}

// The same of reasoning, where the parser stands in the config; api_server.py v0.20.0 validate_api_server_args.
static void parsers_of_a_config(void **state)
{
    (void)state;
    static const char nobody[] = "{\"reasoning_parser\": \"nobody\"}";
    static const char own[] = "{\"reasoning_parser\": \"nobody\", \"reasoning_parser_plugin\": \"a.py\"}";
    assert_string_not_equal(SAID("vllm@0.20.0", QWEN, "--structured-outputs-config", nobody), "");
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--structured-outputs-config", own), "");
    assert_string_equal(
        SAID("vllm@0.20.0", QWEN, "--structured-outputs-config", nobody, "--reasoning-parser-plugin", "a.py"), "");
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--structured-outputs-config", "{\"reasoning_parser\": \"qwen3\"}"),
                        "");
}

static void members_of_json(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *config, *text; // "" = taken
    } rows[] = {
        {"vllm@0.15.0", "{\"method\": \"ngram\", \"num_speculative_tokens\": 2, \"tensor_parallel_size\": 1}",
         "'tensor_parallel_size' is not a valid argument in the speculative_config. Please pass "
         "'draft_tensor_parallel_size' instead."},
        {"vllm@0.15.0", "{\"method\": \"ngram\", \"num_speculative_tokens\": 2, \"draft_tensor_parallel_size\": 1}",
         ""},
        {"vllm@0.14.1", "{\"method\": \"ngram\", \"num_speculative_tokens\": 2, \"tensor_parallel_size\": 1}", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(SAID(rows[i].engine, QWEN, "--speculative-config", rows[i].config), rows[i].text);
    }
    assert_string_equal(SAID("vllm@0.14.0", QWEN, "--async-scheduling", "--speculative-config",
                             "{\"method\":\"eagle3\",\"model\":\"x/y\",\"num_speculative_tokens\":2,"
                             "\"disable_padded_drafter_batch\":true}"),
                        "Async scheduling is not compatible with disable_padded_drafter_batch=True.");
    assert_string_equal(SAID("vllm@0.27.1", QWEN, "--spec-model", "x/y", "--speculative-config",
                             "{\"method\":\"eagle3\",\"model\":\"x/y\",\"num_speculative_tokens\":2}"),
                        "--spec-model and --speculative-config['model'] are mutually exclusive");
    assert_string_equal(SAID("vllm@0.27.1", QWEN, "--spec-model", "x/y", "--speculative-config", // over several lines
                             "{\n  \"method\": \"eagle3\",\n  \"model\":\"x/y\",\n\"num_speculative_tokens\":2}"),
                        "--spec-model and --speculative-config['model'] are mutually exclusive");
    assert_non_null(strstr(SAID("vllm@0.20.0", QWEN, "--kv-sharing-fast-prefill", "--speculative-config",
                                "{\"method\":\"eagle3\",\"model\":\"x/y\",\"num_speculative_tokens\":2}"),
                           "Fast prefill optimization for KV sharing is not compatible with EAGLE"));
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--kv-sharing-fast-prefill"), "");
}

#define PICTURES "Qwen/Qwen2-VL-2B-Instruct"

// Entries of --limit-mm-per-prompt: who asks for what is in them, and what nobody can read yet.
static void limits_of_items(void **state)
{
    (void)state;
    static const char flag[] = "--limit-mm-per-prompt", unknown[] = "{\"video\": {\"foo\": 1}}";
    assert_string_equal(SAID("vllm@0.20.0", PICTURES, flag, unknown),
                        "1 validation error for VideoDummyOptions, foo: Unexpected keyword argument");
    assert_string_equal(SAID("vllm@0.20.0+mine", PICTURES, flag, unknown), "");
    assert_string_equal(SAID("vllm@0.20.0", QWEN, flag, unknown), ""); // a text model has no such config
    assert_string_equal(
        SAID("vllm@0.11.0", QWEN, flag, unknown), // but counts alone were a matter of all models
        "1 validation error for ModelConfig, limit_mm_per_prompt.video: Input should be a valid integer");
    assert_string_equal(SAID("vllm@0.9.0", PICTURES, flag, unknown), "");
    assert_string_equal(SAID("vllm@0.20.0", PICTURES, flag, "{\"image\": {\"width\": \"$WIDTH\"}}"), "");
    static const char valued[] = "--guided-decoding-disable-fallback"; // a switch until 0.11.0
    assert_string_equal(SAID("vllm@0.11.2", PICTURES, flag, unknown, valued),
                        "argument --guided-decoding-disable-fallback: expected one argument");
    assert_string_equal(SAID("vllm@0.11.2+mine", QWEN, valued), "");
    assert_string_equal(SAID("vllm@0.20.0+mine", QWEN, "--kv-cache-metr"), ""); // may be of a flag that is there alone
    assert_string_equal(SAID("vllm@0.11.2", QWEN, "--guided-decoding-disable-fallback="), "");
}

// A flag that is missed may stand in a file of flags, or behind what there was room for.
static void lines_that_are_not_seen_whole(void **state)
{
    (void)state;
    static char lengthy[2048];
    memset(lengthy, 'x', sizeof lengthy - 1);
    assert_non_null(strstr(SAID("vllm@0.20.0", QWEN, "--enable-auto-tool-choice"), "requires --tool-call-parser"));
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--enable-auto-tool-choice", "--chat-template", lengthy), "");
    assert_true(deployment.serve_flags_cut);
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--enable_auto_tool_choice", "--tool-call-p=hermes"), "");
    assert_string_equal(SAID("vllm@0.20.0", QWEN, "--no-enable-auto-tool-choice"), "");
}

#define EAGLE3(model) "{\"method\":\"eagle3\",\"model\":\"" model "\",\"num_speculative_tokens\":3}"
#define LLAMA "meta-llama/Llama-3.1-8B-Instruct"
#define LLAMA_HEAD "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B"
#define QWEN_HEAD "AngelSlim/Qwen3-8B_eagle3"
#define SMALL "{\"method\":\"draft_model\",\"model\":\"Qwen/Qwen3-0.6B\",\"num_speculative_tokens\":3"

// vllm/config/speculative.py, vllm/config/vllm.py and models/registry.py at their tags.
static void drafts(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *model, *config, *flag, *value, *text; // "" = taken
    } rows[] = {
        {"vllm@0.8.4", LLAMA, EAGLE3(LLAMA_HEAD), "--tensor-parallel-size", "1", "Model architectures ['"},
        {"vllm@0.8.5", LLAMA, EAGLE3(LLAMA_HEAD), "--tensor-parallel-size", "1", ""},
        {"vllm@0.8.3", "meta-llama/Llama-3.1-8B", SMALL "}", "--tensor-parallel-size", "1",
         "Model architectures ['Qwen3ForCausalLM'] are not supported for now."},
        {"vllm@0.9.0", QWEN, EAGLE3(QWEN_HEAD), "--tensor-parallel-size", "1",
         "Eagle3 is only supported for Llama models."},
        {"vllm@0.10.1", QWEN, EAGLE3(QWEN_HEAD), "--tensor-parallel-size", "1", ""},
        {"vllm@0.15.0", "deepseek-ai/DeepSeek-V2-Lite", EAGLE3("x/eagle3"), "--tensor-parallel-size", "1",
         "Eagle3 is only supported for ['llama', 'qwen', ...] models."},
        {"vllm@0.17.0", "deepseek-ai/DeepSeek-V2-Lite", EAGLE3("x/eagle3"), "--tensor-parallel-size", "1",
         "eagle3 is only supported for ['llama', 'qwen', ...] models."},
        {"vllm@0.18.0", "deepseek-ai/DeepSeek-V2-Lite", EAGLE3("x/eagle3"), "--tensor-parallel-size", "1", ""},
        {"vllm@0.20.0", QWEN, SMALL ",\"draft_tensor_parallel_size\":2}", "--tensor-parallel-size", "4",
         "speculative_draft_tensor_parallel_size=2 cannot be other value than 1 or target model tensor_parallel_size"},
        {"vllm@0.20.0", QWEN, SMALL ",\"draft_tensor_parallel_size\":4}", "--tensor-parallel-size", "4", ""},
        {"vllm@0.20.0", QWEN, SMALL "}", "--max-num-batched-tokens", "1024",
         "max_num_scheduled_tokens is set to 0 based on the speculative decoding settings"},
        {"vllm@0.20.0", QWEN, SMALL "}", "--max-num-seqs", "512", ""},
        {"vllm@0.26.0", QWEN, SMALL "}", "--max-num-scheduled-tokens", "8192",
         "VllmConfig received max_num_scheduled_tokens but it does not have enough slots"},
        {"vllm@0.26.0", QWEN, SMALL "}", "--max-num-scheduled-tokens", "1024", ""},
        {"vllm@0.28.0", QWEN, SMALL "}", "--max-num-batched-tokens", "1024", ""}, // config/vllm.py v0.28.0:1822
        {"vllm@0.28.0", QWEN, SMALL "}", "--max-num-scheduled-tokens", "8192", ""},
    };
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)SAID(rows[i].engine, rows[i].model, "--speculative-config", rows[i].config, rows[i].flag, rows[i].value);
        kvb_problems_init(&problems);
        assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
        bool refused = budget.refusal != NULL;
        if (refused != (rows[i].text[0] != '\0') || strncmp(budget.error, rows[i].text, strlen(rows[i].text)) != 0) {
            fail_msg("row %zu: %s: wanted '%s', got '%s'", i, rows[i].engine, rows[i].text, budget.error);
        }
    }
}

// vllm/config.py v0.4.0 verify_with_scheduler_config: a prompt is one step there, so a length is bound with it.
static void the_longest_beside_early_lora(void **state)
{
    (void)state;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    (void)SAID("vllm@0.4.0", "deepseek-ai/deepseek-coder-1.3b-instruct", "--enable-lora", "--max-model-len", "1280");
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_true(budget.starts);
    assert_int_equal(budget.kv.max_model_len_that_fits, 65528);
}

KVB_TEST_MAIN(cmocka_unit_test(parsers_that_nobody_asks_for), cmocka_unit_test(parsers_of_a_config),
              cmocka_unit_test(builds_that_are_no_release), cmocka_unit_test(choices_that_find_room),
              cmocka_unit_test(values_before_other_flags), cmocka_unit_test(beginnings_of_flags),
              cmocka_unit_test(members_of_json), cmocka_unit_test(drafts),
              cmocka_unit_test(the_longest_beside_early_lora), cmocka_unit_test(lines_that_are_not_seen_whole),
              cmocka_unit_test(limits_of_items))
