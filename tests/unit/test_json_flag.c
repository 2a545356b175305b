// Flags with JSON or list values and environment variables, as vLLM's users write them.
#include <string.h>

#include <kvbudget/input.h>

#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;

static enum kvb_status read(const char *flag, const char *value)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    return kvb_json_flag(flag, value, KVB_ORIGIN_COMMAND, &deployment, &problems);
}

struct row {
    const char *flag;
    const char *value;
    enum kvb_setting setting;
    uint64_t expected;
};

static const struct row rows[] = {
    {"speculative-config", "{\"method\": \"ngram\", \"num_speculative_tokens\": 5}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_NGRAM},
    {"speculative-config", "{\"method\": \"ngram_gpu\", \"num_speculative_tokens\": 7}", KVB_SET_NUM_SPECULATIVE_TOKENS,
     7},
    {"speculative_config", "{'method':'mtp','num_speculative_tokens':3}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_MTP},
    {"speculative-config", "{\"method\":\"qwen3_next_mtp\"}", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP},
    {"speculative-config", "{\"method\":\"deepseek_mtp\"}", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP},
    {"speculative-config", "{\"method\":\"eagle3\",\"model\":\"x/y\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_EAGLE},
    {"speculative-config", "{\"method\":\"draft_model\",\"model\":\"x/y\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_DRAFT_MODEL},
    // without a method vLLM goes by the model's name and kind
    {"speculative-config", "{\"model\":\"yuhuili/EAGLE-LLaMA3-Instruct-8B\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_EAGLE},
    {"speculative-config", "{\"model\":\"facebook/opt-125m\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_DRAFT_MODEL},
    {"speculative-config", "{\"model\":\"z-lab/Qwen3-8B-DFlash-b16\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_DFLASH},
    {"speculative-config", "{\"model\":\"deepseek-ai/dspark_qwen3_8b_block7\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_DSPARK},
    {"speculative-config", "{\"method\":\"dspark\",\"model\":\"x/y\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_DSPARK},
    {"speculative-config", "{\"model\":\"google/gemma-4-31B-it-assistant\"}", KVB_SET_SPECULATIVE_METHOD,
     KVB_SPECULATIVE_MTP},
    {"speculative-config", "{\"model\":\"x/assistant-1b\"}", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL},
    {"speculative-config", "{\"model\":\"[ngram]\"}", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM},
    {"limit-mm-per-prompt", "{\"image\": 2, \"video\": 0}", KVB_SET_LIMIT_IMAGES, 2},
    {"limit-mm-per-prompt", "{\"image\": 2, \"video\": 0}", KVB_SET_LIMIT_VIDEOS, 0},
    // Python's truths are numbers, and pydantic reads them as such: ModelConfig.limit_mm_per_prompt v0.8.5 to v0.27.1
    {"limit-mm-per-prompt", "{\"image\": true}", KVB_SET_LIMIT_IMAGES, 1},
    {"limit-mm-per-prompt", "{\"image\": false}", KVB_SET_LIMIT_IMAGES, 0},
    {"limit-mm-per-prompt", "image=2,video=1", KVB_SET_LIMIT_VIDEOS, 1},
    {"limit-mm-per-prompt", "image=8", KVB_SET_LIMIT_IMAGES, 8},
    {"limit-mm-per-prompt", "{\"video\": {\"count\": 1, \"num_frames\": 32}}", KVB_SET_LIMIT_VIDEOS, 1},
    {"limit-mm-per-prompt", "{\"audio\": 3, \"vision_chunk\": 1}", KVB_SET_LIMIT_AUDIOS, 3},
    {"mm-processor-kwargs", "{\"max_pixels\":1280, \"min_pixels\":256}", KVB_SET_MM_MAX_PIXELS, 1280},
    {"mm-processor-kwargs", "{\"size\": {\"longest_edge\": 602112}}", KVB_SET_MM_MAX_PIXELS, 602112},
    {"compilation-config", "{\"cudagraph_mode\": \"FULL_DECODE_ONLY\"}", KVB_SET_CUDAGRAPH_MODE,
     KVB_GRAPH_MODE_FULL_DECODE_ONLY},
    {"compilation-config", "{\"cudagraph_mode\": 0}", KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_NONE},
    {"compilation-config", "{\"mode\": \"STOCK_TORCH_COMPILE\", \"cudagraph_mode\": \"FULL_DECODE_ONLY\"}",
     KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL_DECODE_ONLY},
    {"compilation-config", "{\"mode\": 3, \"cudagraph_mode\": \"PIECEWISE\"}", KVB_SET_CUDAGRAPH_MODE,
     KVB_GRAPH_MODE_PIECEWISE},
    {"compilation-config", "{\"level\": 3, \"cudagraph_capture_sizes\": [1, 2, 16]}", KVB_SET_CUDAGRAPH_CAPTURE_SIZES,
     3},
    {"compilation-config", "{\"max_cudagraph_capture_size\": 512}", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 512},
    {"cudagraph-capture-sizes", "[1, 2, 4, 8]", KVB_SET_CUDAGRAPH_CAPTURE_SIZES, 4},
    {"cudagraph-capture-sizes", "1 2 4", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 4},
    {"cudagraph-capture-sizes", "4,2,1", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 4},
    {"cudagraph-capture-sizes", "256", KVB_SET_CUDAGRAPH_CAPTURE_SIZES, 1},
    {"kv-transfer-config", "{\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}", KVB_SET_KV_TRANSFER, 1},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_setting_value *value = &deployment.settings.values[rows[i].setting];
        if (read(rows[i].flag, rows[i].value) != KVB_OK || !value->set || value->number != rows[i].expected ||
            value->origin != KVB_ORIGIN_COMMAND) {
            fail_msg("--%s %s: %s, %llu", rows[i].flag, rows[i].value, problems.count ? problems.items[0].text : "",
                     (unsigned long long)value->number);
        }
    }
}

// 1 and what is said; a null says nothing.
static void test_modes(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        unsigned mode, level;
    } modes[] = {{"{\"mode\": 0}", 1, 0},
                 {"{\"mode\": 2}", 3, 0},
                 {"{\"mode\": \"None\"}", 1, 0},
                 {"{\"mode\": \"DYNAMO_TRACE_ONCE\"}", 3, 0},
                 {"{\"mode\": 3}", 4, 0},
                 {"{\"mode\": \"VLLM_COMPILE\"}", 4, 0},
                 {"{\"level\": 0}", 0, 1},
                 {"{\"mode\": null}", 0, 0},
                 {"{\"backend\": \"x\"}", 0, 0},
                 {"{\"mode\": 1, \"level\": 2}", 2, 3},
                 {"2", 0, 3}};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        deployment.graph_sizes = (struct kvb_graph_sizes){0};
        assert_int_equal(read("compilation-config", modes[i].value), KVB_OK);
        assert_int_equal(deployment.graph_sizes.compile_mode, modes[i].mode);
        assert_int_equal(deployment.graph_sizes.compile_level, modes[i].level);
    }
    assert_false(deployment.settings.values[KVB_SET_CUDAGRAPH_MODE].set);
}

// What a list of sizes leaves beside its settings: the sizes themselves, and whose they are.
static void test_graph_sizes(void **state)
{
    (void)state;
    const struct kvb_graph_sizes *sizes = &deployment.graph_sizes;
    assert_int_equal(read("cudagraph-capture-sizes", "[16, 1, 2]"), KVB_OK);
    assert_int_equal(sizes->count, 3);
    assert_true(sizes->of_flag && sizes->tokens[0] == 16 && sizes->tokens[2] == 2);
    assert_false(sizes->sequence_parallel || sizes->adapters_always);
    assert_int_equal(read("compilation-config", "{\"cudagraph_capture_sizes\": [4], \"pass_config\": {\"enable_sp\": "
                                                "true}, \"cudagraph_specialize_lora\": false}"),
                     KVB_OK);
    assert_int_equal(sizes->count, 1);
    assert_true(!sizes->of_flag && sizes->tokens[0] == 4 && sizes->sequence_parallel && sizes->adapters_always);
    char many[4 * (KVB_GRAPH_SIZES_MAX + 1) + 1] = "";
    for (size_t i = 0; i <= KVB_GRAPH_SIZES_MAX; i++) {
        memcpy(many + 4 * i, "256 ", 5);
    }
    assert_int_equal(read("cudagraph-capture-sizes", many), KVB_OK);
    assert_int_equal(sizes->count, 0); // more than there is room for: their number alone is kept
    assert_int_equal(deployment.settings.values[KVB_SET_CUDAGRAPH_CAPTURE_SIZES].number, KVB_GRAPH_SIZES_MAX + 1);
}

static void test_draft_model(void **state)
{
    (void)state;
    assert_int_equal(read("speculative-config", "{\"method\":\"eagle\",\"model\":\"a/b\"}"), KVB_OK);
    assert_string_equal(deployment.draft_model, "a/b");
    assert_int_equal(read("speculative-config", "{\"model\":\"ngram\"}"), KVB_OK);
    assert_string_equal(deployment.draft_model, "");
    // a flag is not overruled by a command
    kvb_settings_set(&deployment.settings, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_json_flag("speculative-config", "{\"method\":\"eagle\",\"model\":\"a/b\"}", KVB_ORIGIN_COMMAND,
                                   &deployment, &problems),
                     KVB_OK);
    assert_int_equal(deployment.settings.values[KVB_SET_SPECULATIVE_METHOD].number, KVB_SPECULATIVE_MTP);
    assert_string_equal(deployment.draft_model, "");
}

static void test_overrides(void **state)
{
    (void)state;
    assert_int_equal(read("hf-overrides", "{rope_scaling: {factor: 4.0, rope_type: yarn}, a: [1, true, null, '5']}"),
                     KVB_OK);
    assert_string_equal(
        deployment.overrides,
        "{\"rope_scaling\": {\"factor\": 4.0, \"rope_type\": \"yarn\"}, \"a\": [1, true, null, \"5\"]}");
}

struct refusal {
    const char *flag;
    const char *value;
    enum kvb_status status;
    const char *text;
};

static const struct refusal refusals[] = {
    {"speculative-config", "eagle", KVB_BAD_TYPE,
     "expected a mapping such as {\"method\": \"ngram\", \"num_speculative_tokens\": 3}, found 'eagle'"},
    {"speculative-config", "{\"num_speculative_tokens\": 3}", KVB_MISSING_KEY,
     "a speculative config needs the key 'method' or 'model'"},
    {"speculative-config", "{\"method\": \"ngram\", \"num_speculative_token\": 3}", KVB_UNKNOWN_KEY,
     "unknown key 'num_speculative_token' in a speculative config; did you mean 'num_speculative_tokens'?"},
    {"speculative-config", "{\"method\": \"ngram\"", KVB_BAD_SYNTAX, NULL},
    {"limit-mm-per-prompt", "{\"image\": \"true\"}", KVB_BAD_TYPE, NULL},
    {"limit-mm-per-prompt", "{\"image\": []}", KVB_BAD_TYPE, NULL},
    {"limit-mm-per-prompt", "image=two", KVB_BAD_TYPE,
     "expected limits such as {\"image\": 2, \"video\": 0} or image=2,video=0, found 'image=two'"},
    {"limit-mm-per-prompt", "picture=2", KVB_BAD_SYNTAX, NULL},
    {"limit-mm-per-prompt", "{\"image\": -1}", KVB_BAD_TYPE, NULL},
    {"cudagraph-capture-sizes", "[1, [2]]", KVB_BAD_TYPE,
     "expected batch sizes such as [1, 2, 4] or 1 2 4, found a list"},
    {"cudagraph-capture-sizes", "0", KVB_BAD_TYPE, NULL},
    {"cudagraph-capture-sizes", "1 2 x", KVB_BAD_TYPE, NULL},
    {"compilation-config", "{\"cudagraph_mode\": \"SOME\"}", KVB_BAD_TYPE, NULL},
    {"kv-transfer-config", "LMCacheConnectorV1 kv_both", KVB_BAD_TYPE, NULL},
    {"mm-processor-kwargs", "", KVB_NOT_ALLOWED, "it is empty: expected a mapping"},
    {"no-such-flag", "{}", KVB_BAD_ARGUMENT, "no flag takes JSON under the name 'no-such-flag'"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct kvb_settings untouched = {0};
        enum kvb_status status = read(refusals[i].flag, refusals[i].value);
        if (status != refusals[i].status || problems.count == 0 ||
            (refusals[i].text && strcmp(problems.items[0].text, refusals[i].text) != 0)) {
            fail_msg("--%s %s: %s %s", refusals[i].flag, refusals[i].value, kvb_status_name(status),
                     problems.count ? problems.items[0].text : "");
        }
        assert_memory_equal(&deployment.settings, &untouched, sizeof untouched);
    }
    assert_int_equal(read("limit-mm-per-prompt", "{\"image\": 2, \"imag\": 3}"), KVB_UNKNOWN_KEY);
    assert_string_equal(problems.items[0].file, "--limit-mm-per-prompt");
    assert_int_equal(problems.items[0].column, 14);
}

static enum kvb_status set(const char *assignment)
{
    kvb_problems_init(&problems);
    return kvb_environment_set(assignment, &deployment.environment, &problems);
}

static void test_environment(void **state)
{
    (void)state;
    kvb_deployment_init(&deployment);
    struct kvb_environment *environment = &deployment.environment;
    assert_int_equal(set("VLLM_USE_V1=0"), KVB_OK);
    assert_int_equal(environment->use_v1, KVB_NO);
    assert_int_equal(set("VLLM_USE_V2_MODEL_RUNNER=1"), KVB_OK);
    assert_int_equal(environment->use_v2_model_runner, KVB_YES);
    assert_int_equal(set("VLLM_ATTENTION_BACKEND=FLASHINFER"), KVB_OK);
    assert_int_equal(environment->attention_backend, KVB_BACKEND_FLASHINFER);
    assert_int_equal(set("PYTORCH_ALLOC_CONF=expandable_segments:True"), KVB_OK);
    assert_int_equal(environment->expandable_segments, KVB_YES);
    assert_int_equal(environment->expandable_by_cuda_name, 0);
    assert_int_equal(set("PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True"), KVB_OK);
    assert_int_equal(environment->expandable_by_cuda_name, KVB_YES);
    assert_int_equal(environment->expandable_segments, KVB_YES);
    assert_int_equal(set("VLLM_PP_LAYER_PARTITION=10,11,11"), KVB_OK);
    assert_int_equal(environment->layer_partition_count, 3);
    assert_int_equal(environment->layer_partition[2], 11);
    assert_int_equal(set("HF_HOME=/tmp"), KVB_OK);
    assert_int_equal(set("VLLM_PP_LAYER_PARTITION=10,,11"), KVB_BAD_TYPE);
    assert_int_equal(environment->layer_partition_count, 3); // untouched
    assert_int_equal(set("VLLM_USE_V1=maybe"), KVB_OK); // releases judge it
    assert_int_equal(set("VLLM_MLA_DISABLE=maybe"), KVB_BAD_TYPE);
    assert_string_equal(problems.items[0].text, "VLLM_MLA_DISABLE: expected 0 or 1, found 'maybe'");
    assert_int_equal(set("VLLM_USE_V1"), KVB_BAD_ARGUMENT);
    assert_string_equal(problems.items[0].text, "expected NAME=VALUE, found 'VLLM_USE_V1'");
    assert_int_equal(set("=1"), KVB_BAD_ARGUMENT);
}

KVB_TEST_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_modes), cmocka_unit_test(test_graph_sizes),
              cmocka_unit_test(test_draft_model), cmocka_unit_test(test_overrides), cmocka_unit_test(test_refusals),
              cmocka_unit_test(test_environment))
