// Random deployments of built-in models, GPUs and releases: no part of an answer contradicts another.
// KVB_RANDOM_COUNT asks for more of them than a usual run takes.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

#define USUAL_COUNT 500
#define MOST 20000
#define GIB (1ULL << 30)

static uint64_t seed = 88172645463325252ULL;

static uint64_t next(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

static struct kvb_deployment deployment;
static struct kvb_answer answer;
static struct kvb_plan changed;
static struct kvb_budget again;
static struct kvb_problems problems;
static unsigned long violations;

static const char *random_id(enum kvb_profile_kind kind)
{
    size_t count = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (;;) {
        const struct kvb_builtin *row = &rows[next(count)];
        if (row->kind == kind) {
            return row->id;
        }
    }
}

static void make_random(void)
{
    static const char *const releases[] = {"0.6.6", "0.8.5", "0.9.2", "0.11.0", "0.14.0", "0.19.0", "0.24.0", "0.27.1"};
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "%s", random_id(KVB_PROFILE_MODEL));
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "%s", random_id(KVB_PROFILE_GPU));
    (void)snprintf(deployment.engine, sizeof deployment.engine, "vllm@%s", releases[next(8)]);
    kvb_settings_set(&deployment.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 500000 + next(48) * 10000, KVB_ORIGIN_FLAG);
    kvb_settings_set(&deployment.settings, KVB_SET_TENSOR_PARALLEL_SIZE, 1ULL << next(4), KVB_ORIGIN_FLAG);
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_MODEL_LEN, 512 + next(32768), KVB_ORIGIN_FLAG);
    if (next(3) == 0) {
        kvb_settings_set(&deployment.settings, KVB_SET_MAX_NUM_SEQS, 1 + next(512), KVB_ORIGIN_FLAG);
    }
}

static void must(bool holds, const char *what)
{
    const struct kvb_setting_value *values = deployment.settings.values;
    if (holds) {
        return;
    }
    violations++;
    print_error("%s: kvbudget plan %s --gpu %s --engine %s --gpu-memory-utilization 0.%02" PRIu64
                " --tensor-parallel-size %" PRIu64 " --max-model-len %" PRIu64,
                what, deployment.model, deployment.gpu, deployment.engine,
                values[KVB_SET_GPU_MEMORY_UTILIZATION].number / 10000, values[KVB_SET_TENSOR_PARALLEL_SIZE].number,
                values[KVB_SET_MAX_MODEL_LEN].number);
    if (values[KVB_SET_MAX_NUM_SEQS].set) {
        print_error(" --max-num-seqs %" PRIu64, values[KVB_SET_MAX_NUM_SEQS].number);
    }
    print_error("\n");
}

static bool compute_again(void)
{
    kvb_problems_init(&problems);
    return kvb_budget_compute(&changed, &again, &problems) == KVB_OK;
}

static void check_advice(void)
{
    const struct kvb_advice *advice = &answer.advice;
    changed = answer.plan;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        const struct kvb_change *change = &advice->changes[advice->apply[i]];
        must(!change->useless, "applied and useless");
        changed.settings.values[change->setting] =
            (struct kvb_setting_value){change->to, !change->removes_setting, KVB_ORIGIN_FLAG};
    }
    if (advice->apply_count > 0) {
        must(compute_again() && again.starts && again.slack_bytes >= 0, "advised and does not start");
    }
}

static void check_memory(void)
{
    if (!answer.budget.starts) {
        return;
    }
    changed = answer.plan;
    changed.gpu.memory_bytes += 8 * GIB;
    changed.gpu.memory_low_bytes += 8 * GIB;
    changed.gpu.memory_high_bytes += 8 * GIB;
    must(compute_again() && again.starts, "more memory and no start");
}

static void answers_never_contradict_themselves(void **state)
{
    (void)state;
    const char *text = getenv("KVB_RANDOM_COUNT");
    unsigned long asked = text != NULL ? strtoul(text, NULL, 10) : USUAL_COUNT;
    unsigned long answered = 0;
    for (unsigned long i = 0; i < asked && i < MOST; i++) {
        make_random();
        kvb_problems_init(&problems);
        if (kvb_answer_deployment(&deployment, &answer, &problems) != KVB_OK) {
            continue;
        }
        answered++;
        must(answer.budget.starts || answer.budget.verdict == KVB_DOES_NOT_FIT, "verdict without a start");
        must(answer.budget.starts == (answer.budget.error[0] == '\0'), "start and error");
        must(answer.budget.refusal == NULL || !answer.budget.starts, "refused and starts");
        check_advice();
        check_memory();
    }
    print_message("%lu answered, %lu violations\n", answered, violations);
    assert_true(answered > 0 && answered >= (asked < MOST ? asked : MOST) / 2);
    assert_int_equal(violations, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(answers_never_contradict_themselves))
