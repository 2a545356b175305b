// Every reader with its n-th allocation failing, for each n: it says so, keeps nothing and changes nothing.
#include <string.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;
static struct kvb_deployment before;
static struct kvb_gpu gpu;
static struct kvb_gpu gpu_before;

static const char text[] = "kind: deployment\n"
                           "schema: 1\n"
                           "name: x\n"
                           "gpu: {name: mine, cuda_totals_seen: [23.64GiB, 23.65GiB], aliases: [a, b]}\n"
                           "settings:\n"
                           "  max_model_len: 4096\n"
                           "  hf_overrides: {rope_scaling: {factor: 2.0}}\n"
                           "  cudagraph_capture_sizes: [1, 2, 4]\n"
                           "  speculative_config: '{\"method\": \"ngram\"}'\n"
                           "terms: {weights: 1GiB}\n";

static enum kvb_status read_deployment(void)
{
    return kvb_deployment_read("d.yaml", text, sizeof text - 1, &deployment, &problems);
}

static enum kvb_status load_gpu(void)
{
    return kvb_gpu_load("NVIDIA H100 80GB HBM3", &gpu, &problems);
}

static enum kvb_status load_engine(void)
{
    struct kvb_engine engine;
    struct kvb_settings settings = {0};
    return kvb_engine_load("vllm@0.11.0", &engine, &settings, &problems);
}

static enum kvb_status read_flag(void)
{
    return kvb_json_flag("hf-overrides", "{a: {b: [1, 2]}}", KVB_ORIGIN_FLAG, &deployment, &problems);
}

static enum kvb_status check_file(void)
{
    enum kvb_profile_kind kind;
    return kvb_profile_check(KVB_SOURCE_DIR "/profiles/gpus/l4.yaml", &kind, &problems);
}

static enum kvb_status load_model(void)
{
    struct kvb_model model;
    struct kvb_model_source source;
    return kvb_model_load("Qwen/Qwen3-8B", NULL, &model, &source, &problems);
}

struct row {
    const char *name;
    enum kvb_status (*call)(void);
};

static const struct row rows[] = {
    {"deployment", read_deployment}, {"model", load_model},    {"GPU", load_gpu},
    {"engine", load_engine},         {"JSON flag", read_flag}, {"profile check", check_file},
};

static void walk(const struct row *row)
{
    enum kvb_status status = KVB_NO_MEMORY;
    for (unsigned long n = 1; status != KVB_OK; n++) {
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        memset(&gpu, 0, sizeof gpu);
        kvb_memory_fail_after(n);
        status = row->call();
        kvb_memory_fail_after(0);
        if (n > 5000 || (status != KVB_OK && status != KVB_NO_MEMORY)) {
            fail_msg("%s, allocation %lu: %s %s", row->name, n, kvb_status_name(status),
                     problems.count ? problems.items[0].text : "");
        }
        if (status == KVB_NO_MEMORY) {
            assert_true(problems.count > 0);
            assert_memory_equal(&deployment, &before, sizeof before);
            assert_memory_equal(&gpu, &gpu_before, sizeof gpu);
        }
    }
}

static void test_each_reader(void **state)
{
    (void)state;
    kvb_deployment_init(&before);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        walk(&rows[i]);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_each_reader))
