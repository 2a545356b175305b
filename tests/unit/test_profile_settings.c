// The mappings of a deployment profile: settings by the engine's flags or by the shared names, JSON, environment,
// reserve.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;

static enum kvb_status read_profile(const char *engine, const char *key, const char *value)
{
    char text[1024];
    int length =
        snprintf(text, sizeof text, "kind: deployment\nschema: 1\nmodel: x\nengine: %s\n%s: %s\n", engine, key, value);
    assert_in_range(length, 1, sizeof text - 1);
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    return kvb_deployment_read("file", text, (size_t)length, &deployment, &problems);
}

static const struct {
    const char *engine, *key, *value;
    enum kvb_setting setting;
    uint64_t number;
} taken[] = {
    {"vllm@0.11.0", "settings", "{max_num_seqs: 64}", KVB_SET_MAX_NUM_SEQS, 64},
    {"sglang@0.5.6", "settings", "{max_running_requests: 64}", KVB_SET_MAX_NUM_SEQS, 64},
    {"sglang@0.5.6", "settings", "{disable_cuda_graph: true}", KVB_SET_ENFORCE_EAGER, KVB_ON},
    {"sglang@0.5.6", "settings", "{context_length: 8192}", KVB_SET_MAX_MODEL_LEN, 8192},
    {"llama.cpp", "settings", "{n_gpu_layers: 7}", KVB_SET_GPU_LAYERS, 7},
};

static void settings_by_either_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (read_profile(taken[i].engine, taken[i].key, taken[i].value) != KVB_OK) {
            fail_msg("%s: %s", taken[i].value, problems.items[0].text);
        }
        assert_true(deployment.settings.values[taken[i].setting].set);
        assert_int_equal(deployment.settings.values[taken[i].setting].number, taken[i].number);
        assert_int_equal(deployment.settings.values[taken[i].setting].origin, KVB_ORIGIN_PROFILE);
    }
}

static void a_switch_that_is_off_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(read_profile("llama.cpp", "settings", "{no_kv_offload: false}"), KVB_OK);
    assert_false(deployment.settings.values[KVB_SET_KV_OFFLOAD].set);
    assert_int_equal(read_profile("llama.cpp", "settings", "{no_kv_offload: true}"), KVB_OK);
    assert_true(deployment.settings.values[KVB_SET_KV_OFFLOAD].set);
    assert_int_equal(deployment.settings.values[KVB_SET_KV_OFFLOAD].number, 0);
}

static const struct {
    const char *engine, *key, *value;
    enum kvb_status status;
    uint32_t column;
    const char *text;
} mistakes[] = {
    {"sglang@0.5.6", "settings", "{disable_cuda_graph: maybe}", KVB_BAD_TYPE, 32,
     "disable_cuda_graph: 'maybe' is not true or false"},
    {"llama.cpp", "settings", "{no_kv_offload: maybe}", KVB_BAD_TYPE, 27,
     "no_kv_offload: expected true or false, found 'maybe'"},
    {"llama.cpp", "settings", "{no_kv_offload: [1]}", KVB_BAD_TYPE, 27,
     "no_kv_offload: expected true or false, found a list"},
    {"vllm@0.11.0", "settings", "{max_num_seqs: [1]}", KVB_BAD_TYPE, 26,
     "max_num_seqs: expected one value, found a list"},
    {"vllm@0.11.0", "settings", "{max_num_seqs: }", KVB_BAD_TYPE, 26,
     "max_num_seqs: expected one value, found nothing"},
    {"vllm@0.11.0", "settings", "{max_num_sequences: 1}", KVB_UNKNOWN_KEY, 12,
     "unknown key 'max_num_sequences' in a settings mapping; did you mean 'max_num_seqs'?"},
    {"sglang@0.5.6", "settings", "{mem_fraction_statik: 1}", KVB_UNKNOWN_KEY, 12,
     "unknown key 'mem_fraction_statik' in a settings mapping; did you mean 'mem_fraction_static'?"},
    {"vllm@0.11.0", "settings", "{speculative_config: '{\"method\": }'}", KVB_MISSING_KEY, 32,
     "a speculative config needs the key 'method' or 'model'"},
    {"vllm@0.11.0", "settings", "{speculative_config: '{\"method\": [}'}", KVB_BAD_SYNTAX, 32, NULL},
    {"vllm@0.11.0", "environment", "{VLLM_USE_V1: [1]}", KVB_BAD_TYPE, 28,
     "VLLM_USE_V1: expected one value, found a list"},
    {"vllm@0.11.0", "reserve", "{monitor: much}", KVB_BAD_TYPE, 20,
     "monitor: expected a size such as 8192MiB or 0, found 'much'"},
    {"vllm@0.11.0", "reserve", "{'': 1GiB}", KVB_OUT_OF_RANGE, 15,
     ": expected a name of 1 to 47 characters, found '1GiB'"},
    {"vllm@0.11.0", "reserve",
     "{a: 1MiB, b: 1MiB, c: 1MiB, d: 1MiB, e: 1MiB, f: 1MiB, g: 1MiB, h: 1MiB, i: 1MiB, j: 1MiB, k: 1MiB, l: 1MiB, "
     "m: 1MiB, n: 1MiB, o: 1MiB, p: 1MiB, q: 1MiB}",
     KVB_OUT_OF_RANGE, 158, "q: expected at most 16 reserves, found '1MiB'"},
};

static void every_mistake_is_said_at_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        assert_int_equal(read_profile(mistakes[i].engine, mistakes[i].key, mistakes[i].value), mistakes[i].status);
        assert_int_equal(problems.items[0].line, 5);
        assert_int_equal(problems.items[0].column, mistakes[i].column);
        if (mistakes[i].text != NULL) {
            assert_string_equal(problems.items[0].text, mistakes[i].text);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(settings_by_either_name), cmocka_unit_test(a_switch_that_is_off_changes_nothing),
              cmocka_unit_test(every_mistake_is_said_at_its_place))
