// What an attempt came to, once its last line has been read.
#include <string.h>

#include "base/text.h"
#include "logs/kinds.h"
#include "logs/run.h"
#include "logs/trouble.h"

static void infer(struct kvb_attempt *attempt, enum kvb_failure kind, uint64_t line, const char *text)
{
    attempt->facts.failure.kind = kind;
    attempt->facts.failure.line = line;
    attempt->facts.failure.inferred = true;
    kvb_copy(attempt->facts.failure.text, KVB_LOG_TEXT_CAPACITY, text);
}

static bool has_started(const struct kvb_attempt *attempt)
{
    return attempt->facts.stage >= KVB_STAGE_READY;
}

// What the notices of death are called.
static const struct {
    enum kvb_log_answer about_memory;
    const char *title, *fix, *fix_to, *advice;
} death_rows[KVB_DEATH_COUNT] = {
    [KVB_DEATH_UNKNOWN] = {KVB_LOG_NOT_KNOWN, NULL, NULL, NULL, NULL},
    [KVB_DEATH_EXIT_CODE] = {KVB_LOG_NOT_KNOWN, NULL, NULL, NULL, NULL},
    [KVB_DEATH_SIGNAL] = {KVB_LOG_NOT_KNOWN, "the process crashed", NULL, NULL, NULL},
    [KVB_DEATH_HOST] = {KVB_LOG_NO, "host memory, not GPU memory", "host memory", "more",
                        "the system ended the process for lack of host memory, not of GPU memory: raise the "
                        "container's or job's limit, or lower swap-space, cpu-offload-gb or the loading workers"},
    [KVB_DEATH_SHM] = {KVB_LOG_NO, "shared memory of the host, not GPU memory", "/dev/shm", "larger",
                       "--ipc=host or --shm-size for docker, an emptyDir of medium Memory for Kubernetes"},
    [KVB_DEATH_TIME] = {KVB_LOG_NO, "the scheduler ended the job", "time limit", "longer",
                        "the job was cancelled from outside; nothing was short"},
    [KVB_DEATH_GPU_FAULT] = {KVB_LOG_NO, "the card or its driver failed", "GPU", "reset or replaced",
                             "look the Xid up and read dmesg: a fault of hardware or driver, not a shortage"},
};

// It failed and went on: an exception that nothing died of, with the server ready or serving after it.
static bool recovered(const struct kvb_attempt *attempt)
{
    if (attempt->wrapper_line != 0 || attempt->death.line != 0) {
        return false;
    }
    uint64_t last = kvb_last_trouble(attempt);
    bool of_request = attempt->request_error_line != 0 && attempt->request_error_line + 300 > last;
    bool further = attempt->cause.line != 0 && attempt->facts.stage > attempt->cause.stage;
    return attempt->serving_line > last || (has_started(attempt) && of_request) ||
           (further && attempt->progress_line > last) || (attempt->cause.line == 0 && attempt->progress_line > last);
}

static void name_death(struct kvb_attempt *attempt)
{
    struct kvb_log_failure *failure = &attempt->facts.failure;
    enum kvb_death death = attempt->death.death;
    infer(attempt, KVB_FAILURE_OTHER, attempt->death.line, attempt->death.text);
    failure->about_memory = death_rows[death].about_memory;
    failure->cause_in_log = death > KVB_DEATH_SIGNAL;
    failure->title = death_rows[death].title;
    failure->fix = death_rows[death].fix;
    failure->fix_to = death_rows[death].fix_to;
    failure->advice = death_rows[death].advice;
    const struct kvb_cause_row *row = kvb_cause_of(attempt->death.text);
    if (death == KVB_DEATH_UNKNOWN && row != NULL) {
        attempt->death.class = KVB_CAUSE_ADVISED;
        failure->about_memory = KVB_LOG_NO;
        failure->cause_in_log = true;
    }
}

static void advise(struct kvb_log_failure *failure)
{
    const struct kvb_cause_row *row = kvb_cause_of(failure->text);
    const struct kvb_kind_row *kind = kvb_kind_of(failure->text, failure->raised_in);
    if (failure->title != NULL) {
        return;
    }
    if (row != NULL) {
        failure->title = row->title;
        failure->fix = row->setting;
        failure->fix_to = row->to;
        failure->advice = row->why;
        failure->about_memory = kvb_cause_of_pool(failure->text) ? KVB_LOG_YES : failure->about_memory;
    } else if (kind != NULL && failure->cause_in_log) {
        failure->title = kind->title;
        failure->fix = kind->setting;
        failure->fix_to = kind->to;
        failure->advice = kind->why;
    }
}

static void name_cause(struct kvb_attempt *attempt)
{
    infer(attempt, KVB_FAILURE_OTHER, attempt->cause.line, attempt->cause.text);
    bool consequence = attempt->cause.class == KVB_CAUSE_CONSEQUENCE;
    kvb_copy(attempt->facts.failure.raised_in, sizeof attempt->facts.failure.raised_in, attempt->cause.place);
    attempt->facts.failure.about_memory = consequence ? KVB_LOG_NOT_KNOWN : KVB_LOG_NO;
    attempt->facts.failure.cause_in_log = !consequence;
}

// Two places of an engine that profiles fail for hardly any other reason than memory: the sampler's warm-up, and the
// profiling of multimodal items right after the engine said how large they are.
static bool is_cut_in_warm_up(const struct kvb_attempt *attempt)
{
    bool sampler = attempt->hint == KVB_FAILURE_OOM_SAMPLER;
    bool items = attempt->hint == KVB_FAILURE_OOM_PROFILE && attempt->facts.notes[KVB_NOTE_MULTIMODAL];
    return kvb_log_engine_row_of(attempt->facts.engine)->profiles && (sampler || items);
}

// Without a message of its own: the first exception that is no wrapper, a notice of death, or only their traces.
static void infer_other(struct kvb_attempt *attempt)
{
    bool traced = attempt->traceback_line != 0 || attempt->frame_line != 0;
    bool dead = attempt->death.line != 0;
    bool told = dead && attempt->death.death > KVB_DEATH_SIGNAL;
    bool has_cause = attempt->cause.line != 0;
    bool own = has_cause && attempt->cause.class < KVB_CAUSE_CONSEQUENCE;
    if ((!has_cause && !dead && !traced && attempt->wrapper_line == 0) || recovered(attempt)) {
        return;
    }
    if (told && (!own || attempt->death.line < attempt->cause.line)) {
        name_death(attempt);
    } else if (has_cause && (own || !dead)) {
        name_cause(attempt);
    } else if (dead) {
        name_death(attempt);
    } else if (is_cut_in_warm_up(attempt)) {
        infer(attempt, attempt->hint, attempt->hint_line, "a traceback that is cut before its exception");
    } else if (attempt->wrapper_line != 0) {
        infer(attempt, KVB_FAILURE_OTHER, attempt->wrapper_line, attempt->wrapper_text);
        if (strstr(attempt->wrapper_text, "validation error") != NULL) { // the lines below it say of what
            attempt->facts.failure.about_memory = KVB_LOG_NO;
            attempt->facts.failure.cause_in_log = true;
        }
    } else {
        uint64_t line = attempt->traceback_line != 0 ? attempt->traceback_line : attempt->frame_line;
        infer(attempt, KVB_FAILURE_OTHER, line, "a traceback that is cut before its exception");
    }
}

// What the figures of the attempt cannot hold is only what came after it.
static void place(struct kvb_attempt *attempt)
{
    static const enum kvb_log_stage stages[KVB_FAILURE_COUNT] = {
        [KVB_FAILURE_OOM_LOAD] = KVB_STAGE_LOADING,    [KVB_FAILURE_OOM_PROFILE] = KVB_STAGE_LOADED,
        [KVB_FAILURE_OOM_GRAPH] = KVB_STAGE_SIZED,     [KVB_FAILURE_OOM_SAMPLER] = KVB_STAGE_LOADED,
        [KVB_FAILURE_OOM_SERVING] = KVB_STAGE_SERVING, [KVB_FAILURE_STATE_BLOCKS] = KVB_STAGE_ALLOCATED,
    };
    struct kvb_log_report *facts = &attempt->facts;
    enum kvb_failure where = facts->failure.kind == KVB_FAILURE_OTHER ? attempt->hint : facts->failure.kind;
    if (facts->failure.kind == KVB_FAILURE_NONE) {
        return;
    }
    if (attempt->side == KVB_SIDE_SERVING && facts->failure.kind == KVB_FAILURE_OTHER) {
        facts->stage = KVB_STAGE_SERVING;
    } else if (facts->stage < stages[where] && !facts->failure.stage_unknown) {
        facts->stage = stages[where];
    }
}

// What the end of an attempt without an error message of its own means.
void kvb_attempt_judge(struct kvb_attempt *attempt)
{
    const struct kvb_log_value *pool = &attempt->facts.observed[KVB_OBS_KV_CACHE];
    struct kvb_log_failure *failure = &attempt->facts.failure;
    bool told = failure->kind != KVB_FAILURE_NONE;
    if (attempt->oom_open) { // now the whole message has been read
        failure->kind = kvb_stage_of_message(attempt);
        failure->stage_unknown = true;
    } else if (!told && pool->set && pool->value <= 0 && attempt->facts.stage < KVB_STAGE_ALLOCATED) {
        infer(attempt, KVB_FAILURE_NEGATIVE_KV, pool->line, attempt->size_text);
        told = true;
    } else if (!told) {
        infer_other(attempt);
    }
    if (told && failure->kind != KVB_FAILURE_OTHER) {
        failure->about_memory = KVB_LOG_YES;
        failure->cause_in_log = true;
    } else if (failure->kind == KVB_FAILURE_OTHER) {
        if (!failure->inferred) { // the engine's own refusal
            failure->about_memory = KVB_LOG_NO;
            failure->cause_in_log = true;
        }
        advise(failure);
    }
    attempt->facts.start_seen = attempt->began;
    place(attempt);
}

static void settle_graphs(struct kvb_log_report *report)
{
    struct kvb_log_value *graph = &report->observed[KVB_OBS_CUDA_GRAPH];
    const struct kvb_log_value *estimate = &report->observed[KVB_OBS_GRAPH_ESTIMATE];
    if (!graph->set && estimate->set) {
        *graph = *estimate;
    }
}

// vLLM, gpu_worker.py v0.27.0: the estimate is inside the peak that is printed, where it is charged.
static void settle_peak(struct kvb_log_report *report)
{
    const struct kvb_log_value *both = &report->observed[KVB_OBS_PEAK_WITH_GRAPHS];
    if (both->set && !report->observed[KVB_OBS_ACTIVATION].set) {
        report->observed[KVB_OBS_ACTIVATION] = *both;
    }
}

// A pool logged as keys and values is their sum.
static void settle_pool(struct kvb_log_report *report)
{
    const struct kvb_log_value *full = &report->observed[KVB_OBS_FULL_TOKENS];
    if (full->set) { // each of two pools says its own tokens; those of full layers count
        report->observed[KVB_OBS_KV_TOKENS] = *full;
    }
    struct kvb_log_value *pool = &report->observed[KVB_OBS_KV_CACHE];
    const struct kvb_log_value *keys = &report->observed[KVB_OBS_KEYS_SIZE];
    const struct kvb_log_value *values = &report->observed[KVB_OBS_VALUES_SIZE];
    if (!pool->set && keys->set && values->set) {
        *pool = *keys;
        pool->value = keys->value + values->value;
        pool->low = keys->low + values->low;
        pool->high = keys->high + values->high;
    }
}

static bool has_numbers(const struct kvb_log_report *report)
{
    for (unsigned i = 0; i < KVB_OBS_COUNT; i++) {
        if (report->observed[i].set) {
            return true;
        }
    }
    return false;
}

// Healthy is what a line says that it is ready or serves. Figures that were picked out of a log are taken at their
// word: nothing else was shown of that start.
static void settle_verdict(struct kvb_log_report *report)
{
    bool picked = report->excerpt && has_numbers(report);
    if (report->failure.kind != KVB_FAILURE_NONE) {
        report->verdict = KVB_LOG_FAILED;
        report->excerpt = false;
    } else if (report->stage >= KVB_STAGE_READY || picked) {
        report->verdict = KVB_LOG_HEALTHY;
        report->excerpt = picked && report->stage < KVB_STAGE_READY;
    } else {
        report->verdict =
            report->stage > KVB_STAGE_NOTHING || has_numbers(report) ? KVB_LOG_INCOMPLETE : KVB_LOG_UNKNOWN;
        report->excerpt = false;
    }
}

void kvb_attempt_settle(struct kvb_log_report *report)
{
    settle_graphs(report);
    settle_peak(report);
    settle_pool(report);
    settle_verdict(report);
}
