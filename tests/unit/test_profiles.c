// Engine and deployment profiles: what they give, what they refuse, with places.
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "catalogue/builtin.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;

static enum kvb_status read(const char *text)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    return kvb_deployment_read("d.yaml", text, strlen(text), &deployment, &problems);
}

static uint64_t value_of(enum kvb_setting setting)
{
    assert_int_equal(deployment.settings.values[setting].set, 1);
    assert_int_equal(deployment.settings.values[setting].origin, KVB_ORIGIN_PROFILE);
    return deployment.settings.values[setting].number;
}

static const char full[] = "kind: deployment\n"
                           "schema: 1\n"
                           "name: everything\n"
                           "description: one of each key\n"
                           "model: Qwen/Qwen3-8B\n"
                           "gpu: {name: my card, cuda_totals_seen: [23.64GiB], nvidia_smi_total_mib: 24564}\n"
                           "gpu_memory: 24000MiB\n"
                           "gpu_free: 20GiB\n"
                           "engine: vllm@0.11.0\n"
                           "usage: offline\n"
                           "platform: wsl2\n"
                           "settings:\n"
                           "  gpu_memory_utilization: 0.925\n"
                           "  max_model_len: 32k\n"
                           "  enforce_eager: true\n"
                           "  kv_cache_dtype: fp8\n"
                           "  swap_space: 0.5\n"
                           "  speculative_config: {method: eagle3, model: a/b, num_speculative_tokens: 3}\n"
                           "  limit_mm_per_prompt: '{\"image\": 2, \"video\": {\"count\": 1, \"num_frames\": 8}}'\n"
                           "  cudagraph_capture_sizes: [1, 2, 4, 8]\n"
                           "  mm_processor_kwargs:\n"
                           "    max_pixels: 1003520\n"
                           "environment:\n"
                           "  VLLM_USE_V1: 0\n"
                           "  CUDA_VISIBLE_DEVICES: 3\n"
                           "  VLLM_PP_LAYER_PARTITION: \"10,22\"\n"
                           "reserve:\n"
                           "  desktop: 800MiB\n"
                           "  other: 0\n"
                           "terms:\n"
                           "  weights: 4608MiB\n"
                           "  cuda_graph: 0\n"
                           "  kv_cache_need: 819MiB\n";

static void test_full_deployment(void **state)
{
    (void)state;
    if (read(full) != KVB_OK) {
        fail_msg("%u:%u: %s", problems.items[0].line, problems.items[0].column, problems.items[0].text);
    }
    assert_string_equal(deployment.name, "everything");
    assert_string_equal(deployment.model, "Qwen/Qwen3-8B");
    assert_true(deployment.inline_gpu && !deployment.inline_model);
    assert_string_equal(deployment.gpu_value.name, "my card");
    assert_true(deployment.gpu_value.memory_bytes == UINT64_C(25383256719)); // 23.64 x 2^30, rounded down
    assert_true(deployment.gpu_memory_bytes == 24000 * KVB_MIB);
    assert_true(deployment.gpu_free_stated && deployment.gpu_free_bytes == 20 * KVB_GIB);
    assert_string_equal(deployment.engine, "vllm@0.11.0");
    assert_true(deployment.usage_set && deployment.usage == KVB_USAGE_OFFLINE);
    assert_true(deployment.platform_set && deployment.platform == KVB_PLATFORM_WSL2);
    assert_int_equal(value_of(KVB_SET_GPU_MEMORY_UTILIZATION), 925000);
    assert_int_equal(value_of(KVB_SET_MAX_MODEL_LEN), 32000);
    assert_int_equal(value_of(KVB_SET_ENFORCE_EAGER), 1);
    assert_int_equal(value_of(KVB_SET_KV_CACHE_DTYPE), KVB_KV_FP8);
    assert_int_equal(value_of(KVB_SET_SWAP_SPACE), KVB_GIB / 2);
    assert_int_equal(value_of(KVB_SET_SPECULATIVE_METHOD), KVB_SPECULATIVE_EAGLE);
    assert_int_equal(value_of(KVB_SET_NUM_SPECULATIVE_TOKENS), 3);
    assert_string_equal(deployment.draft_model, "a/b");
    assert_int_equal(value_of(KVB_SET_LIMIT_IMAGES), 2);
    assert_int_equal(value_of(KVB_SET_LIMIT_VIDEOS), 1);
    assert_int_equal(value_of(KVB_SET_CUDAGRAPH_CAPTURE_SIZES), 4);
    assert_int_equal(value_of(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE), 8);
    assert_int_equal(value_of(KVB_SET_MM_MAX_PIXELS), 1003520);
    assert_int_equal(deployment.environment.use_v1, KVB_NO);
    assert_int_equal(deployment.environment.layer_partition_count, 2);
    assert_int_equal(deployment.environment.layer_partition[1], 22);
    assert_int_equal(deployment.reserve_count, 2);
    assert_string_equal(deployment.reserves[0].name, "desktop");
    assert_true(deployment.reserves[0].bytes == 800 * KVB_MIB);
    assert_true(deployment.stated[KVB_STATED_WEIGHTS].set && deployment.stated[KVB_STATED_CUDA_GRAPH].set);
    assert_false(deployment.stated[KVB_STATED_ACTIVATION].set);
    assert_true(deployment.stated[KVB_STATED_KV_NEED].bytes == 819 * KVB_MIB);
}

struct problem_row {
    enum kvb_status status;
    uint32_t line, column;
    const char *text;
};

// Ten things wrong in one file, all said in one pass.
static void test_all_problems_at_once(void **state)
{
    (void)state;
    static const char text[] = "kind: deployment\n"
                               "schema: 1\n"
                               "nam: x\n"
                               "gpu_memory: 80 gigs\n"
                               "usage: server\n"
                               "gpu: {name: c, nameplate_gb: -5}\n"
                               "settings:\n"
                               "  gpu_memory_utilisation: 0.9\n"
                               "  max_model_len: lots\n"
                               "  gpu_memory_utilization: 90\n"
                               "  limit_mm_per_prompt: {image: [2]}\n"
                               "environment: {VLLM_MLA_DISABLE: maybe}\n"
                               "reserve: {x: -1}\n"
                               "terms: {weight: 1GiB}\n";
    static const struct problem_row rows[] = {
        {KVB_UNKNOWN_KEY, 3, 1, "unknown key 'nam' in a deployment profile; did you mean 'name'?"},
        {KVB_BAD_TYPE, 4, 13, "gpu_memory: expected a size above 0 such as 8192MiB or 79.18GiB, found '80 gigs'"},
        {KVB_BAD_TYPE, 5, 8, "usage: expected serve or offline, found 'server'"},
        {KVB_BAD_TYPE, 6, 30, "nameplate_gb: expected a whole number from 1 to 1048576, found '-5'"},
        {KVB_UNKNOWN_KEY, 8, 3,
         "unknown key 'gpu_memory_utilisation' in a settings mapping; did you mean 'gpu_memory_utilization'?"},
        {KVB_BAD_TYPE, 9, 18, "max_model_len: 'lots' is not a whole number, 32k, 32K, 1M or auto"},
        {KVB_OUT_OF_RANGE, 10, 27, NULL},
        {KVB_BAD_TYPE, 11, 32, "image: expected one value, found a list"},
        {KVB_BAD_TYPE, 12, 33, "VLLM_MLA_DISABLE: expected 0 or 1, found 'maybe'"},
        {KVB_BAD_TYPE, 13, 14, "x: expected a size such as 8192MiB or 0, found '-1'"},
        {KVB_UNKNOWN_KEY, 14, 9, "unknown key 'weight' in a terms mapping; did you mean 'weights'?"},
    };
    assert_int_equal(read(text), KVB_UNKNOWN_KEY);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_problem *problem = &problems.items[i];
        if (i >= problems.count || problem->status != rows[i].status || problem->line != rows[i].line ||
            problem->column != rows[i].column || (rows[i].text && strcmp(problem->text, rows[i].text) != 0)) {
            fail_msg("%u: %s:%u:%u: %s %s", i, problem->file, problem->line, problem->column,
                     kvb_status_name(problem->status), problem->text);
        }
    }
    assert_int_equal(problems.count, sizeof rows / sizeof rows[0]);
    assert_string_equal(deployment.name, ""); // untouched
}

static void test_engine(void **state)
{
    (void)state;
    struct kvb_engine engine;
    struct kvb_settings settings = {0};
    kvb_problems_init(&problems);
    assert_int_equal(kvb_engine_load("vllm", &engine, &settings, &problems), KVB_OK);
    assert_int_equal(engine.release, KVB_NEWEST_VLLM);
    assert_string_equal(engine.version, "0.28.0");
    assert_int_equal(kvb_engine_load("vLLM@0.6.4.post1", &engine, &settings, &problems), KVB_OK);
    assert_int_equal(engine.release, KVB_RELEASE(0, 6, 4) + 1);
    assert_int_equal(problems.count, 0);
    assert_int_equal(kvb_engine_load("vllm@0.99.0", &engine, &settings, &problems), KVB_OK);
    assert_int_equal(engine.release, KVB_PARTLY_VLLM);
    assert_string_equal(engine.version, "0.99.0");
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    assert_string_equal(problems.items[0].text, "vLLM 0.99.0 is newer than 0.28.0, the newest release whose rules are "
                                                "known; those are used with what is known of 0.29.0, and the bound is "
                                                "wider");
    assert_int_equal(problems.items[0].status, KVB_ASSUMED);
    assert_true(engine.assumed);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_engine_load("vllm@0.1.dev1", &engine, &settings, &problems), KVB_OK);
    assert_int_equal(engine.release, KVB_PARTLY_VLLM);
    assert_string_equal(engine.version, "0.1.dev1");
    assert_string_equal(problems.items[0].text,
                        "vLLM 0.1.dev1 was built without its tags and says no release: taken as "
                        "newer than 0.28.0, the newest release whose rules are known; those are "
                        "used with what is known of 0.29.0, and the bound is wider");
    assert_int_equal(kvb_engine_load("vllm@0.99.0", &engine, &settings, &problems), KVB_OK);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_engine_load("vllm@0.1.7", &engine, &settings, &problems), KVB_OUT_OF_RANGE);
    assert_int_equal(kvb_engine_load("vllm@latest", &engine, &settings, &problems), KVB_BAD_SYNTAX);
    assert_int_equal(kvb_engine_load("tgi", &engine, &settings, &problems), KVB_UNKNOWN_NAME);
    assert_int_equal(kvb_engine_load("@0.9.0", &engine, &settings, &problems), KVB_UNKNOWN_NAME);
    assert_string_equal(engine.version, "0.99.0");
}

// The newest release stands in a profile and in a macro: they must agree.
static void test_newest_release(void **state)
{
    (void)state;
    struct kvb_engine engine;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_engine_load("", &engine, NULL, &problems), KVB_OK);
    char newest[32];
    assert_string_equal(engine.version, kvb_release_format(newest, KVB_NEWEST_VLLM));
}

static void test_every_shipped_deployment(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_DEPLOYMENT, &count);
    for (size_t i = 0; i < count; i++) {
        if (read(rows[i].text) != KVB_OK) {
            fail_msg("%s:%u:%u: %s", rows[i].id, problems.items[0].line, problems.items[0].column,
                     problems.items[0].text);
        }
    }
    assert_true(count > 0);
}

static void test_another_kind_is_no_deployment(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_GPU, &count);
    assert_int_equal(read(rows[0].text), KVB_UNKNOWN_KIND);
    assert_non_null(strstr(problems.items[0].text, "deployment"));
    assert_true(problems.items[0].line > 0 && problems.items[0].column > 0);
}

KVB_TEST_MAIN(cmocka_unit_test(test_another_kind_is_no_deployment), cmocka_unit_test(test_full_deployment),
              cmocka_unit_test(test_all_problems_at_once), cmocka_unit_test(test_engine),
              cmocka_unit_test(test_newest_release), cmocka_unit_test(test_every_shipped_deployment))
