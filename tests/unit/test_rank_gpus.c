// Which GPU for a deployment: case study B by hand, agreement with the budget's own answer, sets for
// tensor parallel.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/machine.h>
#include <kvbudget/units.h>

#include "unit/test.h"

static struct kvb_machine machine;
static struct kvb_problems problems;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_budget budget;
static struct kvb_ranking ranking;

static void load(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/smi/%s", KVB_SOURCE_DIR, name);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_machine_load(path, &machine, &problems), KVB_OK);
}

static void read_csv(const char *text)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_machine_read("csv", text, strlen(text), &machine, &problems), KVB_OK);
}

static void ask(const char *model, const char *engine, uint64_t tp)
{
    static struct kvb_deployment deployment;
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "%s", model);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "%s", engine);
    deployment.gpu_memory_bytes = 80 * KVB_GIB;
    kvb_settings_set(&deployment.settings, KVB_SET_TENSOR_PARALLEL_SIZE, tp, KVB_ORIGIN_FLAG);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
}

static void rank(const bool *pool)
{
    assert_int_equal(kvb_machine_rank(&plan, &machine, pool, &ranking, &problems), KVB_OK);
}

static const struct kvb_device *device_of(uint32_t at)
{
    return &machine.devices[ranking.ranks[at].device];
}

// Free of the CUDA total, in MiB: GPU 4 81148 of 81152 = 0.99995; GPU 3 78577 = 0.9683; GPU 1 78482 =
// 0.9671; GPU 0 46820 = 0.5769. At 0.90 (73036.8 MiB) all but GPU 0 start.
static void test_shared_node(void **state)
{
    (void)state;
    static const struct {
        uint32_t index, accepted_ppm;
        bool starts;
    } expected[] = {{4, 990000, true}, {3, 960000, true}, {1, 960000, true}, {0, 570000, false}};
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    rank(NULL);
    assert_int_equal(ranking.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(device_of(i)->index, expected[i].index);
        assert_int_equal(ranking.ranks[i].accepted_ppm, expected[i].accepted_ppm);
        assert_int_equal(ranking.ranks[i].starts, expected[i].starts);
        assert_true(ranking.ranks[i].starts_accepted);
        assert_int_equal(ranking.ranks[i].utilization_ppm, 900000);
    }
    assert_int_equal(ranking.chosen_count, 1);
    assert_int_equal(device_of(ranking.chosen[0])->index, 4);
}

// The budget itself accepts that utilization, and refuses one hundredth more for want of free memory.
static void test_accepted_is_the_budgets(void **state)
{
    (void)state;
    static const char *const releases[] = {"vllm@0.9.1", "vllm@0.11.0", "vllm@0.14.0", "vllm@0.20.1", "vllm"};
    load("shared-node-535.txt");
    for (size_t r = 0; r < sizeof releases / sizeof releases[0]; r++) {
        ask("Qwen/Qwen2.5-0.5B-Instruct", releases[r], 1);
        rank(NULL);
        for (uint32_t i = 0; i < ranking.count; i++) {
            plan.gpu = device_of(i)->gpu;
            plan.gpu_free_bytes = device_of(i)->free_bytes.value;
            plan.gpu_free_stated = true;
            struct kvb_setting_value *utilization = &plan.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
            *utilization = (struct kvb_setting_value){ranking.ranks[i].accepted_ppm, 1, KVB_ORIGIN_FLAG};
            assert_true(ranking.ranks[i].checks_free);
            assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
            assert_true(budget.starts);
            utilization->number += 10000;
            assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
            assert_false(budget.starts);
            assert_non_null(strstr(budget.error, "Free memory on device"));
        }
    }
}

static void test_release_without_check(void **state)
{
    (void)state;
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.6.3", 1);
    rank(NULL);
    assert_false(ranking.ranks[0].checks_free);
    assert_int_equal(ranking.ranks[0].accepted_ppm, 0);
    assert_int_equal(device_of(0)->index, 4);
}

static void test_plan_is_put_back(void **state)
{
    (void)state;
    static struct kvb_plan before;
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    before = plan;
    rank(NULL);
    assert_memory_equal(&plan, &before, sizeof plan);
}

static void test_pool(void **state)
{
    (void)state;
    const bool pool[KVB_DEVICES_MAX] = {true, true};
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    rank(pool);
    assert_int_equal(ranking.count, 2);
    assert_int_equal(device_of(ranking.chosen[0])->index, 1);
}

// Two of one kind before a better one of another; the last of the set decides.
static void test_sets(void **state)
{
    (void)state;
    read_csv("index, name, memory.total [MiB], memory.used [MiB]\n"
             "0, NVIDIA H200, 143771, 1\n"
             "1, NVIDIA A100-SXM4-80GB, 81920, 1\n"
             "2, NVIDIA A100-SXM4-80GB, 81920, 70000\n"
             "3, NVIDIA A100-SXM4-80GB, 81920, 100\n");
    ask("Qwen/Qwen2.5-7B-Instruct", "vllm@0.11.0", 2);
    rank(NULL);
    assert_int_equal(ranking.needed, 2);
    assert_int_equal(ranking.chosen_count, 2);
    assert_true(ranking.chosen_alike);
    assert_int_equal(device_of(ranking.chosen[0])->index, 1);
    assert_int_equal(device_of(ranking.chosen[1])->index, 3);
    ask("Qwen/Qwen2.5-7B-Instruct", "vllm@0.11.0", 4); // only together with the other kind
    rank(NULL);
    assert_int_equal(ranking.chosen_count, 4);
    assert_false(ranking.chosen_alike);
    assert_int_equal(device_of(ranking.chosen[3])->index, 2);
}

static void test_too_few(void **state)
{
    (void)state;
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-72B-Instruct", "vllm@0.11.0", 8);
    rank(NULL);
    assert_int_equal(ranking.needed, 8);
    assert_int_equal(ranking.chosen_count, 0);
}

// A GPU that is cut up runs nothing; slices have no link between them, so no set is made of them.
static void test_slices(void **state)
{
    (void)state;
    load("mig-580.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    rank(NULL);
    assert_int_equal(ranking.count, 4);
    assert_int_equal(device_of(ranking.chosen[0])->index, 1);
    assert_true(device_of(3)->mig_enabled);
    assert_false(ranking.ranks[3].usable);
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 2);
    rank(NULL);
    assert_int_equal(ranking.chosen_count, 0);
}

static void test_idle_before_busy(void **state)
{
    (void)state;
    read_csv("index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%]\n"
             "0, NVIDIA H200, 143771, 1, 100 %\n"
             "1, NVIDIA H200, 143771, 1, 0 %\n"
             "2, NVIDIA H200, 143771, 1, 50 %\n"
             "3, NVIDIA H200, [N/A], [N/A], [N/A]\n");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    rank(NULL);
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t order[] = {1, 2, 0, 3};
        assert_int_equal(device_of(i)->index, order[i]);
    }
    assert_false(ranking.ranks[3].usable); // no memory figures
}

static void test_impossible_plan(void **state)
{
    (void)state;
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 3); // 14 heads on 3 GPUs
    assert_int_equal(kvb_machine_rank(&plan, &machine, NULL, &ranking, &problems), KVB_INDIVISIBLE);
    assert_int_equal(problems.count, 1);
}

// Sizes beyond any machine are said; on a mixed machine only what works is ranked as working.
static void test_overflow(void **state)
{
    (void)state;
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.19.0", 1);
    kvb_settings_set(&plan.settings, KVB_SET_MAX_NUM_BATCHED_TOKENS, UINT64_C(1) << 52, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_machine_rank(&plan, &machine, NULL, &ranking, &problems), KVB_OVERFLOW);
    assert_int_equal(problems.count, 1);
}

static void test_wide_splits(void **state)
{
    (void)state;
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    kvb_settings_set(&plan.settings, KVB_SET_DATA_PARALLEL_SIZE, 1000, KVB_ORIGIN_FLAG);
    rank(NULL);
    assert_int_equal(ranking.needed, 1000);
    assert_int_equal(ranking.chosen_count, 0);
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    kvb_settings_set(&plan.settings, KVB_SET_DATA_PARALLEL_SIZE, UINT64_C(1) << 40, KVB_ORIGIN_FLAG);
    if (kvb_machine_rank(&plan, &machine, NULL, &ranking, &problems) == KVB_OK) {
        assert_int_equal(ranking.needed, UINT32_MAX);
        assert_int_equal(ranking.chosen_count, 0);
    }
}

// A full GPU accepts nothing at all, and a driver may not say how busy one is.
static void test_full_gpu(void **state)
{
    (void)state;
    read_csv("index, name, memory.total [MiB], memory.reserved [MiB], memory.used [MiB], memory.free [MiB]\n"
             "0, NVIDIA H200, 143771, 600, 143171, 0\n"
             "1, NVIDIA H200, 143771, 600, 143171, 0\n");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    rank(NULL);
    assert_int_equal(ranking.ranks[0].accepted_ppm, 0);
    assert_false(ranking.ranks[0].starts_accepted);
    assert_false(ranking.ranks[0].has_advised);
    assert_int_equal(device_of(0)->index, 0); // the driver's order where nothing tells them apart
}

// V1 releases before 0.9.1 have no such check.
static void test_early_v1(void **state)
{
    (void)state;
    load("shared-node-535.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.8.5", 1);
    rank(NULL);
    assert_false(ranking.ranks[0].checks_free);
    assert_int_equal(ranking.ranks[0].accepted_ppm, 0);
}

// Nothing to rank is no failure of the plan.
static void test_nothing_usable(void **state)
{
    (void)state;
    const bool pool[KVB_DEVICES_MAX] = {true};
    load("mig-580.txt");
    ask("Qwen/Qwen2.5-0.5B-Instruct", "vllm@0.11.0", 1);
    rank(pool); // the GPU that is cut up
    assert_int_equal(ranking.count, 1);
    assert_int_equal(ranking.chosen_count, 0);
}

// Of two kinds with enough GPUs, the one whose last GPU is better is taken.
static void test_two_kinds(void **state)
{
    (void)state;
    read_csv("index, name, memory.total [MiB], memory.used [MiB]\n"
             "0, NVIDIA A100-SXM4-80GB, 81920, 1\n"
             "1, NVIDIA H200, 143771, 1\n"
             "2, NVIDIA H200, 143771, 120000\n"
             "3, NVIDIA A100-SXM4-80GB, 81920, 2\n"
             "4, NVIDIA A100-SXM4-80GB, 40960, 2\n");
    ask("Qwen/Qwen2.5-7B-Instruct", "vllm@0.11.0", 2);
    rank(NULL);
    assert_int_equal(ranking.chosen_count, 2);
    assert_int_equal(device_of(ranking.chosen[0])->index, 0);
    assert_int_equal(device_of(ranking.chosen[1])->index, 3);
}

KVB_TEST_MAIN(cmocka_unit_test(test_shared_node), cmocka_unit_test(test_accepted_is_the_budgets),
              cmocka_unit_test(test_release_without_check), cmocka_unit_test(test_plan_is_put_back),
              cmocka_unit_test(test_pool), cmocka_unit_test(test_sets), cmocka_unit_test(test_too_few),
              cmocka_unit_test(test_slices), cmocka_unit_test(test_idle_before_busy),
              cmocka_unit_test(test_impossible_plan), cmocka_unit_test(test_overflow),
              cmocka_unit_test(test_wide_splits), cmocka_unit_test(test_full_gpu), cmocka_unit_test(test_early_v1),
              cmocka_unit_test(test_nothing_usable), cmocka_unit_test(test_two_kinds))
