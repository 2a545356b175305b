// What an attempt came to, once its last line has been read.
#include <string.h>

#include "base/text.h"
#include "logs/run.h"

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

// A traceback through a stage of the start that no exception of another kind ended.
static bool hint_decides(const struct kvb_attempt *attempt)
{
    return attempt->hint != KVB_FAILURE_NONE && attempt->hint_is_error &&
           attempt->hint_line >= attempt->progress_line && attempt->exception_line < attempt->hint_line &&
           attempt->crash_line == 0 && !has_started(attempt);
}

static void infer_other(struct kvb_attempt *attempt)
{
    uint64_t progress = attempt->progress_line;
    bool failed =
        attempt->wrapper_line != 0 || attempt->crash_line != 0 ||
        (attempt->traceback_line > progress && attempt->facts.stage > KVB_STAGE_NOTHING && !has_started(attempt));
    if (!failed) {
        return;
    }
    if (attempt->exception_line > progress) {
        infer(attempt, KVB_FAILURE_OTHER, attempt->exception_line, attempt->exception_text);
    } else if (attempt->wrapper_line != 0) {
        infer(attempt, KVB_FAILURE_OTHER, attempt->wrapper_line, attempt->wrapper_text);
    } else {
        infer(attempt, KVB_FAILURE_OTHER, attempt->traceback_line, "Traceback (most recent call last)");
    }
}

// What the end of an attempt without an error message of its own means.
void kvb_attempt_judge(struct kvb_attempt *attempt)
{
    const struct kvb_log_value *pool = &attempt->facts.observed[KVB_OBS_KV_CACHE];
    if (attempt->facts.failure.kind != KVB_FAILURE_NONE) {
        if (attempt->oom_open) { // now the whole message has been read
            attempt->facts.failure.kind = kvb_stage_of_message(attempt);
        }
    } else if (pool->set && pool->value <= 0 && attempt->facts.stage < KVB_STAGE_ALLOCATED) {
        infer(attempt, KVB_FAILURE_NEGATIVE_KV, pool->line, attempt->size_text);
    } else if (hint_decides(attempt)) {
        infer(attempt, attempt->hint, attempt->hint_line, attempt->hint_text);
    } else {
        infer_other(attempt);
    }
}

static void settle_graphs(struct kvb_log_report *report)
{
    struct kvb_log_value *graph = &report->observed[KVB_OBS_CUDA_GRAPH];
    const struct kvb_log_value *estimate = &report->observed[KVB_OBS_GRAPH_ESTIMATE];
    if (!graph->set && estimate->set) {
        *graph = *estimate;
    }
}

// A pool logged as keys and values is their sum.
static void settle_pool(struct kvb_log_report *report)
{
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
    return report->stage > KVB_STAGE_LOADING;
}

static void settle_verdict(struct kvb_log_report *report)
{
    if (report->failure.kind != KVB_FAILURE_NONE) {
        report->verdict = KVB_LOG_FAILED;
    } else {
        report->verdict = has_numbers(report) ? KVB_LOG_HEALTHY : KVB_LOG_UNKNOWN;
    }
}

void kvb_attempt_settle(struct kvb_log_report *report)
{
    settle_graphs(report);
    settle_pool(report);
    settle_verdict(report);
}
