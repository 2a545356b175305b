// What a run's log measured corrects the model of each term.
#include <kvbudget/answer.h>

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engines/table.h"

struct measured_row {
    enum kvb_observation observation;
    enum kvb_item item;
};

static const struct measured_row measured_rows[] = {
    {KVB_OBS_WEIGHTS, KVB_ITEM_WEIGHTS},     {KVB_OBS_ACTIVATION, KVB_ITEM_ACTIVATION},
    {KVB_OBS_NON_TORCH, KVB_ITEM_NON_TORCH}, {KVB_OBS_GRAPH_ESTIMATE, KVB_ITEM_CUDA_GRAPH},
    {KVB_OBS_KV_CACHE, KVB_ITEM_KV_CACHE},
};

static uint32_t take_measurements(const struct kvb_log_report *log, struct kvb_measured *measured)
{
    uint32_t count = 0;
    memset(measured, 0, sizeof *measured);
    for (size_t i = 0; i < sizeof measured_rows / sizeof measured_rows[0]; i++) {
        const struct kvb_log_value *value = &log->observed[measured_rows[i].observation];
        if (value->set) {
            measured->known[measured_rows[i].item] = true;
            measured->bytes[measured_rows[i].item] = value->value;
            count++;
        }
    }
    return count;
}

// The run as it was: its settings, release and GPU total as far as the log tells, the asked ones otherwise.
static void make_logged_plan(const struct kvb_log_report *log, struct kvb_plan *plan)
{
    if (log->arguments_seen) {
        memset(&plan->settings, 0, sizeof plan->settings);
    }
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        if (log->settings.values[i].set) {
            plan->settings.values[i] = log->settings.values[i];
        }
    }
    static const enum kvb_observation shares[] = {KVB_OBS_STATIC_FRACTION, KVB_OBS_UTILIZATION};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        const struct kvb_log_value *share = &log->observed[shares[i]];
        if (share->set) {
            struct kvb_setting_value *value = &plan->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
            *value = (struct kvb_setting_value){(uint64_t)share->value, 1, KVB_ORIGIN_COMMAND};
        }
    }
    if (log->release > 0) {
        uint32_t newest = kvb_engine_of(plan)->newest;
        plan->engine.release = log->release < newest ? log->release : newest;
    }
    plan->settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES].set = 0;
}

static void adopt_gpu_total(const struct kvb_log_report *log, const struct kvb_deployment *deployment,
                            struct kvb_plan *plan)
{
    const struct kvb_log_value *total = &log->observed[KVB_OBS_GPU_MEMORY];
    if (total->set && total->value > 0 && deployment->gpu_memory_bytes == 0) {
        plan->gpu.memory_bytes = (uint64_t)total->value;
        plan->gpu.memory_low_bytes = plan->gpu.memory_bytes;
        plan->gpu.memory_high_bytes = plan->gpu.memory_bytes;
        plan->gpu.memory_basis = KVB_BASIS_MEASURED;
    }
}

// Terms of one engine say nothing of another's: what each counts as weights, and what it measures, differ.
static enum kvb_status refuse_other_engine(const struct kvb_log_report *log, const struct kvb_plan *plan,
                                           struct kvb_place place, struct kvb_problems *problems)
{
    const struct kvb_engine_rows *of_log = kvb_engine_find(kvb_log_engine_name(log->engine));
    const struct kvb_engine_rows *of_plan = kvb_engine_of(plan);
    if (of_log == NULL || of_log == of_plan) {
        return KVB_OK;
    }
    return kvb_problem_add(
        problems, KVB_ERROR, KVB_CONTRADICTION, place,
        "this log is one of %s, and %s is planned: their terms differ; plan with --engine %s, or give "
        "a log of %s",
        of_log->title, of_plan->title, of_log->name, of_plan->title);
}

static enum kvb_status calibrate(const char *path, const struct kvb_deployment *deployment,
                                 const struct kvb_log_report *log, struct kvb_answer *answer,
                                 struct kvb_problems *problems)
{
    const struct kvb_place place = {.file = strcmp(path, "-") == 0 ? "standard input" : path};
    struct kvb_measured measured;
    if (take_measurements(log, &measured) == 0) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, place,
                               "nothing to calibrate with: no line of this log tells weights, activation, non-torch, "
                               "graphs or the KV cache");
    }
    if (refuse_other_engine(log, &answer->plan, place, problems) != KVB_OK) {
        return KVB_CONTRADICTION;
    }
    if (log->model[0] != '\0' && !kvb_equal_ignoring_case(log->model, answer->plan.model.name)) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, place,
                              "this log is of model %.100s; what it measured is carried over to %.100s", log->model,
                              answer->plan.model.name);
    }
    adopt_gpu_total(log, deployment, &answer->plan);
    struct kvb_plan *logged = kvb_reallocate(NULL, sizeof *logged);
    if (logged == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, place, "not enough memory to calibrate");
    }
    *logged = answer->plan;
    make_logged_plan(log, logged);
    enum kvb_status status = kvb_calibrate(logged, &measured, &answer->plan.calibration);
    kvb_free(logged);
    if (status != KVB_OK) {
        return kvb_problem_add(problems, KVB_ERROR, status, place,
                               "the settings of this log cannot be planned for this model and GPU");
    }
    return KVB_OK;
}

enum kvb_status kvb_answer_calibrate(const char *path, const struct kvb_deployment *deployment,
                                     struct kvb_answer *answer, struct kvb_problems *problems)
{
    struct kvb_log_report *log = kvb_reallocate(NULL, sizeof *log);
    if (log == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                               "not enough memory to read a log");
    }
    enum kvb_status status = kvb_log_load(path, log, problems);
    if (status == KVB_OK) {
        status = calibrate(path, deployment, log, answer, problems);
    }
    kvb_free(log);
    return status;
}
