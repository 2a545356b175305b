// Members of a mapping on a serve line: what pydantic 2 reads as which type in its lax mode (its conversion table), and
// what the classes of vLLM check once all members are read. Each row was given to the class of its tag.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/serve_member_types.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_deployment deployment;

static const char *said(uint32_t release, const char *lines)
{
    static char out[256];
    struct kvb_engine engine = {.release = release};
    (void)snprintf(engine.version, sizeof engine.version, "0.%u.%u", release / 10000, release / 100 % 100);
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, lines);
    out[0] = '\0';
    kvb_vllm_judge(&deployment, &engine, out);
    return out;
}

// What a list or a mapping may hold: list[int], list[int | str], dict[str, str] and list[tuple[int, int, int]] of
// vllm/config at v0.27.1.
static void elements_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *value, *types, *elements;
        bool taken;
    } rows[] = {
        {"[1, \"2\", 3.0]", "l", "i", true}, {"[1.5]", "l", "i", false},          {"[]", "l", "i", true},
        {"[1.5]", "l", "is", false},         {"[\"x\", 2]", "l", "is", true},     {"[null]", "l", "is", false},
        {"[[1, 2, 3]]", "l", "l", true},     {"[[1, 2, 3], 4]", "l", "l", false}, {"[$SIZES]", "l", "i", true},
        {"{\"a\": \"b\"}", "m", "s", true},  {"{\"a\": 1}", "m", "s", false},     {"{}", "m", "s", true},
        {"[\"x\"]", "l", "", true},          {"null", "ln", "i", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_known_key_type row = {.bound = ' '};
        struct kvb_member member = {.value = rows[i].value, .size = strlen(rows[i].value)};
        char out[64];
        (void)kvb_copy(row.types, sizeof row.types, rows[i].types);
        (void)kvb_copy(row.elements, sizeof row.elements, rows[i].elements);
        assert_int_equal(kvb_vllm_member_slips(&row, &member, R(27, 0), out), !rows[i].taken);
    }
}

static void is_read_as(const char *value, const char *types, bool suffixes, bool taken)
{
    struct kvb_known_key_type row = {.bound = ' '};
    struct kvb_member member;
    char mapping[96], out[64];
    (void)kvb_copy(row.types, sizeof row.types, types);
    (void)snprintf(mapping, sizeof mapping, "{\"a\": %s}", value);
    const char *at = mapping;
    assert_true(kvb_member_next(&at, &member));
    bool slips = kvb_vllm_member_slips(&row, &member, suffixes ? R(20, 0) : R(19, 0), out);
    if (slips == taken) {
        print_error("%s as %s\n", value, types);
    }
    assert_int_equal(slips, !taken);
    assert_int_equal(out[0] == '\0', taken);
}

static void values_are_read_as_pydantic_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *value, *types;
        bool suffixes, taken;
    } rows[] = {
        {"3", "i", false, true},        {"\"3\"", "i", false, true},   {"3.0", "i", false, true},
        {"3.5", "i", false, false},     {"\"3.0\"", "i", false, true}, {"1e3", "i", false, true},
        {"\"1e3\"", "i", false, false}, {"true", "i", false, true},    {"null", "i", false, false},
        {"null", "in", false, true},    {"\"x\"", "i", false, false},  {"[\"e\"]", "i", false, false},
        {"[1]", "i", false, false},     {"3k", "i", true, true},       {"1.5k", "i", true, true},
        {"3k", "i", false, false},      {"\"3k\"", "i", true, false},  {"-2", "i", false, true},
        {"1.5", "f", false, true},      {"\"1.5\"", "f", false, true}, {"false", "f", false, true},
        {"\"x\"", "f", false, false},   {"2M", "f", true, true},       {"true", "b", false, true},
        {"\"Yes\"", "b", false, true},  {"yes", "b", false, false},    {"\"off\"", "b", false, true},
        {"1", "b", false, true},        {"2", "b", false, false},      {"\"x\"", "b", false, false},
        {"{}", "b", false, false},      {"\"x\"", "s", false, true},   {"3", "s", false, false},
        {"null", "ns", false, true},    {"3", "ns", false, false},     {"{}", "m", false, true},
        {"[]", "m", false, false},      {"[]", "l", false, true},      {"{\"b\": [1, 2]}", "l", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        is_read_as(rows[i].value, rows[i].types, rows[i].suffixes, rows[i].taken);
    }
}

// The same table's words of a truth: what is none says neither.
static void truths_are_said(void **state)
{
    (void)state;
    static const struct {
        const char *value, *text;
        bool said;
    } rows[] = {
        {"\"Off\"", "false", true}, {"\"Off\"", "true", false}, {"1", "true", true},  {"1", "false", false},
        {"\"x\"", "true", false},   {"\"x\"", "false", false},  {"2", "true", false}, {"null", "false", false},
        {"null", "null", true},     {"8", "8", true},           {"8.0", "8", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_member member = {.value = rows[i].value, .size = strlen(rows[i].value)};
        assert_int_equal(kvb_vllm_member_says(&member, rows[i].text), rows[i].said);
    }
}

// EPLBConfig v0.20.0: window_size above 0; ProfilerConfig v0.18.0: active_iterations of at least 1, delay_iterations
// of at least 0. SpeculativeConfig v0.16.0: disable_by_batch_size of at least 2, or null.
static void numbers_have_a_least(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *line, *text; // "" = taken
    } rows[] = {
        {R(20, 0), "--eplb-config {\"window_size\":0}", "window_size: Input should be greater than 0"},
        {R(20, 0), "--eplb-config {\"window_size\":1}", ""},
        {R(18, 0), "--profiler-config {\"active_iterations\":0}", "Input should be greater than or equal to 1"},
        {R(18, 0), "--profiler-config {\"active_iterations\":true}", ""},
        {R(18, 0), "--profiler-config {\"active_iterations\":\"0\"}", "Input should be greater than or equal to 1"},
        {R(18, 0), "--profiler-config {\"delay_iterations\":-1}", "Input should be greater than or equal to 0"},
        {R(18, 0), "--profiler-config.delay_iterations -1", "Input should be greater than or equal to 0"},
        {R(18, 0), "--profiler-config {\"delay_iterations\":99999999999999999999999}", ""},
        {R(16, 0), "--speculative-config {\"method\":\"ngram\",\"disable_by_batch_size\":1}",
         "Input should be greater than or equal to 2"},
        {R(16, 0), "--speculative-config {\"method\":\"ngram\",\"disable_by_batch_size\":true}",
         "Input should be greater than or equal to 2"},
        {R(16, 0), "--speculative-config {\"method\":\"ngram\",\"disable_by_batch_size\":null}", ""},
        {R(8, 5), "--speculative-config {\"method\":\"ngram\",\"disable_by_batch_size\":1}",
         "speculative decoding is > 1"},
        {R(8, 5), "--speculative-config {\"method\":\"ngram\",\"disable_by_batch_size\":2}", ""},
        {R(8, 5), "--speculative-config {\"method\":\"ngram\",\"disable_by_batch_size\":\"a\"}", ""},
        {R(8, 4), "--speculative-config {\"method\":\"ngram\",\"disable_by_batch_size\":1}", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "\n%s", rows[i].line);
        const char *text = said(rows[i].release, line);
        assert_true(rows[i].text[0] != '\0' ? strstr(text, rows[i].text) != NULL : text[0] == '\0');
    }
}

struct line_row {
    uint32_t release;
    const char *lines;
    bool refused;
};

static void walk(const struct line_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char lines[400];
        (void)snprintf(lines, sizeof lines, "\n%s", rows[i].lines);
        const char *text = said(rows[i].release, lines);
        if ((text[0] != '\0') != rows[i].refused) {
            print_error("%s: %s\n", rows[i].lines, text);
        }
        assert_int_equal(text[0] != '\0', rows[i].refused);
    }
}

// The validators of vllm/config by tag; v0.15.0 takes the directory of a profile for the profiler as well.
static void members_need_others(void **state)
{
    (void)state;
    static const struct line_row rows[] = {
        {R(12, 0), "--ec-transfer-config {\"ec_connector\":\"x\"}", true},
        {R(20, 0), "--ec-transfer-config {\"ec_connector\":\"x\",\"ec_role\":\"ec_both\"}", false},
        {R(12, 0), "--ec-transfer-config {\"ec_connector\":null}", false},
        {R(16, 0), "--profiler-config {\"profiler\":\"torch\"}", true},
        {R(16, 0), "--profiler-config {\"profiler\":\"torch\",\"torch_profiler_dir\":\"\"}", true},
        {R(16, 0), "--profiler-config {\"profiler\":\"torch\",\"torch_profiler_dir\":\"/x\"}", false},
        {R(16, 0), "--profiler-config.profiler torch\n--profiler-config.torch_profiler_dir /x", false},
        {R(16, 0), "--profiler-config.profiler torch\n-cc.mode 3\n--profiler-config.torch_profiler_dir /x", false},
        {R(16, 0), "--profiler-config {\"torch_profiler_dir\":\"/x\"}", true},
        {R(15, 0), "--profiler-config {\"torch_profiler_dir\":\"/x\"}", false},
        {R(28, 0), "--profiler-config {\"profiler\":\"proton\",\"proton_profiler_dir\":\"/x\"}", false},
        {R(28, 0), "--profiler-config {\"profiler\":\"proton\"}", true},
        {R(12, 0), "--structured-outputs-config {\"disable_any_whitespace\":true}", true},
        {R(12, 0), "--structured-outputs-config {\"disable_any_whitespace\":true,\"backend\":\"guidance\"}", false},
        {R(12, 0), "--structured-outputs-config {\"disable_any_whitespace\":true,\"backend\":\"xgrammar\"}", false},
        {R(24, 0), "--eplb-config {\"communicator\":\"pynccl\"}", true},
        {R(24, 0), "--eplb-config {\"communicator\":\"pynccl\",\"use_async\":false}", false},
        {R(22, 0), "--eplb-config {\"communicator\":\"pynccl\"}", false},
        {R(11, 0), "--hf-overrides {\"rope_scaling\":{\"factor\":2.0}}", true},
        {R(11, 0), "--hf-overrides {\"rope_scaling\":{\"factor\":2.0,\"type\":\"linear\"}}", false},
        {R(11, 0), "--hf-overrides {\"rope_scaling\":{\"factor\":2.0,\"rope_type\":\"linear\"}}", false},
        {R(11, 0), "--hf-overrides {\"rope_scaling\":{}}", false},
        {R(11, 0), "--hf-overrides {\"rope_scaling\":null,\"max_position_embeddings\":4096}", false},
        {R(20, 0), "--hf-overrides {\"rope_scaling\":{\"factor\":2.0}}", false},
        {R(12, 0), "--media-io-kwargs {\"video\":4}", true},
        {R(12, 0), "--media-io-kwargs {\"video\":{\"num_frames\":4}}", false},
        {R(10, 1), "--media-io-kwargs {\"video\":4}", false},
        {R(22, 0), "--kv-transfer-config {}", true},
        {R(22, 0), "--kv-transfer-config {}\n--disable-hybrid-kv-cache-manager", false},
        {R(21, 0), "--kv-transfer-config {}", false},
        {R(26, 0), "--speculative-config {\"method\":\"ngram\",\"num-speculative-tokens\":3}", false},
        {R(25, 0), "--speculative-config {\"method\":\"ngram\",\"num-speculative-tokens\":3}", true},
        {R(24, 0), "--model-loader-extra-config {\"enable_multithread_load\":1}", true},
        {R(24, 0), "--model-loader-extra-config {\"enable_multithread_load\":true,\"num_threads\":8}", false},
        {R(24, 0), "--model-loader-extra-config {\"enable_multithread_load\":false,\"num_threads\":null}", false},
        {R(24, 0), "--model-loader-extra-config {\"num_threads\":0}", true},
        {R(24, 0), "--model-loader-extra-config {\"num_threads\":\"8\"}", true},
        {R(23, 0), "--model-loader-extra-config {\"enable_multithread_load\":1}", false},
        {R(16, 0), "--load-format sharded_state\n--model-loader-extra-config {\"concurrency\":8}", true},
        {R(16, 0), "--load-format sharded_state\n--model-loader-extra-config {\"pattern\":\"x\"}", false},
        {R(28, 0), "--load-format sharded_state\n--model-loader-extra-config {\"pattern\":\"x\"}", false},
    };
    walk(rows, sizeof rows / sizeof rows[0]);
}

// Backends by the names of AttentionBackendEnum; Literal[2, 3, 4] or null of flash_attn_version; members behind dots
// and short forms of the flags.
static void words_of_members(void **state)
{
    (void)state;
    static const struct line_row rows[] = {
        {R(28, 0), "--attention-config {\"flash_attn_version\":4}", false},
        {R(28, 0), "--attention-config {\"flash_attn_version\":1}", true},
        {R(28, 0), "--attention-config {\"flash_attn_version\":\"3\"}", true},
        {R(28, 0), "--attention-config {\"flash_attn_version\":null}", false},
        {R(28, 0), "-ac {\"flash_attn_version\":1}", true},
        {R(28, 0), "-ac.flash_attn_version 3", false},
        {R(28, 0), "-ac.flash_attn_version=5", true},
        {R(28, 0), "-q fp8", false},
        {R(28, 0), "-ac.backend", true},
        {R(28, 0), "--attention-config.backend", true},
        {R(28, 0), "--nothing.backend x", true},
        {R(17, 0), "--speculative-config {\"method\":\"ngram\",\"draft_load_config\":null}", false},
        {R(17, 0), "--speculative-config {\"method\":\"ngram\",\"draft_load_config\":5}", true},
        {R(17, 0), "--speculative-config {\"method\":\"ngram\",\"draft_load_config\":{}}", false},
        {R(28, 0), "-ac.backend FLASH\"ATTN", true},
        {R(28, 0), "--profiler-config.profiler torch\n--profiler-config.torch_profiler_dir /a\"b\\", false},
        {R(20, 0), "--attention-config {\"backend\":\"flash_attn\"}", false},
        {R(20, 0), "--attention-config {\"backend\":\"auto\"}", false},
        {R(16, 0), "--attention-config {\"backend\":\"auto\"}", true},
        {R(20, 0), "--attention-config {\"backend\":\"FLASH\"}", true},
        {R(20, 0), "--attention-config {\"backend\":null}", false},
        {R(20, 0), "--attention-backend flash_attn", false},
        {R(21, 0), "--attention-backend TREE_ATTN", true},
        {R(20, 0), "--mm-encoder-attn-backend TORCH_SDPA", false},
        {R(20, 0), "--mm-encoder-attn-backend XFORMERS", false}, // where there is no encoder
        {R(20, 0), "--compilation-config.pass_config.enable_sp true", false},
        {R(20, 0), "--compilation-config.pass_config.enable_sp maybe", true},
        {R(20, 0), "--kv-transfer-config.kv_role kv_both\n--kv-transfer-config.kv_connector NixlConnector", false},
        {R(20, 0), "--kv-transfer-config.kv_role \"kv_both\"", false},
        {R(20, 0), "--kv-transfer-config.kv_role null", false},
        {R(20, 0), "--kv-transfer-config.kv_connector_extra_config {}", false},
        {R(20, 0), "--kv-transfer-config.kv_connector_extra_config []", true},
        {R(8, 5), "--kv-transfer-config.kv_role kv_both", true},
        {R(12, 0), "--config-format json", true},
        {R(12, 0), "--config-format mistral", false},
        {R(12, 0), "--load-format foo", true},
        {R(12, 0), "--load-format foo\n--quantization bitsandbytes", false},
        {R(12, 0), "--load-format foo\n--quantization fp8", true},
        {R(12, 0), "--load-format foo\n--quantization experts_int8", true},
        {R(12, 0), "--max-model-len 1T", true},
        {R(13, 0), "--max-model-len 1T", false},
    };
    walk(rows, sizeof rows / sizeof rows[0]);
}

// LoRAParserAction and LoRAModulePath by tag.
static void adapters_of_a_line(void **state)
{
    (void)state;
    static const struct line_row rows[] = {
        {R(12, 0), "--lora-modules a=b c=d", false},
        {R(12, 0), "--lora-modules a=b  c=d", false}, // an empty word is passed over
        {R(12, 0), "--lora-modules a=b  c=d=e", true},
        {R(12, 0), "--lora-modules a=b=c", true},
        {R(12, 0), "--lora-modules a=b\"c d=e", false},
        {R(12, 0), "--lora-modules a", true},
        {R(12, 0), "--lora-modules a=b x", true},
        {R(12, 0), "--lora-modules=a=b x", false},
        {R(12, 0), "--lora-modules a=b,c=d", true},
        {R(12, 0), "--lora-modules {bad", true},
        {R(12, 0), "--lora-modules []", true},
        {R(12, 0), "--lora-modules {\"name\": \"x\", \"path\": \"y [\"} a=b", false},
        {R(12, 0), "--lora-modules {\"name\":\"x\"}", true},
        {R(12, 0), "--lora-modules {\"path\":\"x\"}", true},
        {R(12, 0), "--lora-modules {\"name\":\"x\",\"path\":\"y\",\"base_model_name\":\"z\"}", false},
        {R(12, 0), "--lora-modules {\"name\":\"x\",\"path\":\"y\",\"foo\":1}", true},
        {R(20, 0), "--lora-modules {\"name\":\"x\",\"path\":\"y\",\"is_3d_lora_weight\":true}", true},
        {R(22, 0), "--lora-modules {\"name\":\"x\",\"path\":\"y\",\"is_3d_lora_weight\":true}", false},
        {R(12, 0), "--lora-modules {\"name\":\"x\",\"path\":{\"a\":[1]}}", false},
        {R(12, 0), "--lora-modules \"a b\"", true},
        {R(12, 0), "--lora-modules $ADAPTERS", false},
        {R(12, 0), "--lora-modules {{ .Values.adapters }}", false},
        {R(12, 0), "--lora-modules", true},
        {R(8, 4), "--lora-modules a=b=c", false},
        {R(12, 0), "--lora-modules a=b\n--max-loras 2", false},
    };
    walk(rows, sizeof rows / sizeof rows[0]);
}

// A build behind its release may have members of a later one.
static void other_builds_are_let_pass(void **state)
{
    (void)state;
    struct kvb_engine engine = {.release = R(12, 0), .version = "0.12.0.dev3"};
    char out[256] = "";
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags,
                   "\n--lora-modules a=b=c\n--eplb-config {\"foo\":1}\n--config-format x");
    kvb_vllm_judge(&deployment, &engine, out);
    assert_string_equal(out, "");
}

KVB_TEST_MAIN(cmocka_unit_test(elements_are_read), cmocka_unit_test(truths_are_said),
              cmocka_unit_test(values_are_read_as_pydantic_reads_them), cmocka_unit_test(numbers_have_a_least),
              cmocka_unit_test(members_need_others), cmocka_unit_test(words_of_members),
              cmocka_unit_test(adapters_of_a_line), cmocka_unit_test(other_builds_are_let_pass))
