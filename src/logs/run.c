// Gathers the facts of start attempts.
#include "logs/run.h"

#include <string.h>

#include "base/text.h"
#include "logs/clean.h"
#include "logs/settings.h"

void kvb_runs_init(struct kvb_runs *runs)
{
    memset(runs, 0, sizeof *runs);
}

// ---- Attempts

static void fail(struct kvb_attempt *attempt, enum kvb_failure kind, const struct kvb_log_hit *hit, bool inferred)
{
    attempt->facts.failure.kind = kind;
    attempt->facts.failure.line = hit->line;
    attempt->facts.failure.inferred = inferred;
    kvb_attempt_describe(hit, attempt->facts.failure.text);
}

static bool has_content(const struct kvb_attempt *attempt)
{
    return attempt->first_line != 0;
}

static void end_attempt(struct kvb_runs *runs)
{
    struct kvb_attempt *now = &runs->now;
    if (!has_content(now)) {
        return;
    }
    kvb_attempt_judge(now);
    if (runs->count < KVB_LOG_RUNS_MAX) {
        runs->rows[runs->count] =
            (struct kvb_log_run){now->first_line, now->facts.stage, now->facts.failure.kind, now->facts.failure.line};
    }
    bool failed = now->facts.failure.kind != KVB_FAILURE_NONE;
    bool shown_failed = runs->has_shown && runs->shown.facts.failure.kind != KVB_FAILURE_NONE;
    if (!runs->has_shown || failed || !shown_failed) {
        runs->shown = *now;
        runs->shown_index = runs->count;
        runs->has_shown = true;
    }
    runs->count++;
    memset(now, 0, sizeof *now);
}

static bool is_beginning(enum kvb_event event)
{
    return event == KVB_EVENT_BEGIN || event == KVB_EVENT_VERSION || event == KVB_EVENT_ARGUMENTS ||
           event == KVB_EVENT_CONFIG;
}

// A beginning after weights were loaded or after a failure belongs to the next attempt.
static bool begins_another(const struct kvb_attempt *attempt, const struct kvb_line_row *row)
{
    bool failed = attempt->facts.failure.kind != KVB_FAILURE_NONE || attempt->wrapper_line != 0;
    if (is_beginning(row->event)) {
        return attempt->facts.stage >= KVB_STAGE_LOADED || failed;
    }
    if (attempt->facts.engine == KVB_LOG_LLAMACPP && row->event == KVB_EVENT_LOADED) {
        return attempt->facts.stage >= KVB_STAGE_READY || failed;
    }
    return failed && row->event == KVB_EVENT_LOADING && strncmp(row->pattern, "Starting", 8) == 0;
}

// What the attempt before said of the engine still holds when the next one says nothing.
static void next_attempt(struct kvb_runs *runs)
{
    struct kvb_attempt before = runs->now;
    end_attempt(runs);
    runs->now.facts.engine = before.facts.engine;
}

static void reach(struct kvb_attempt *attempt, enum kvb_log_stage stage, uint64_t line)
{
    if (stage >= attempt->facts.stage) {
        attempt->facts.stage = stage;
        attempt->progress_line = line;
    }
}

// ---- Events

static bool near_error(const struct kvb_log_hit *hit)
{
    static const char *const marks[] = {"ERROR", "File \"", ", in ", "Exception", "Error: "};
    char before[512];
    size_t length = hit->start < sizeof before - 1 ? hit->start : sizeof before - 1;
    memcpy(before, hit->record + hit->start - length, length);
    before[length] = '\0';
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (kvb_contains_ignoring_case(before, marks[i])) {
            return true;
        }
    }
    return false;
}

static void take_trace(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    enum kvb_failure kind = (enum kvb_failure)hit->row->detail;
    struct kvb_log_failure *failure = &attempt->facts.failure;
    bool error = near_error(hit) || attempt->traceback_line + 80 > hit->line;
    if (attempt->facts.stage >= KVB_STAGE_READY && kind != KVB_FAILURE_OOM_SERVING) {
        return;
    }
    bool sampler_inside = attempt->hint == KVB_FAILURE_OOM_SAMPLER && kind == KVB_FAILURE_OOM_PROFILE;
    bool sharper = attempt->hint_line + 60 < hit->line || kind != KVB_FAILURE_OOM_SERVING;
    if (sharper && !sampler_inside && (error || attempt->hint == KVB_FAILURE_NONE)) {
        attempt->hint = kind;
        attempt->hint_line = hit->line;
        attempt->hint_is_error = error && attempt->traceback_line + error > 0;
        kvb_attempt_describe(hit, attempt->hint_text);
    }
    bool follows = failure->kind >= KVB_FAILURE_OOM_LOAD && failure->kind <= KVB_FAILURE_OOM_SERVING &&
                   failure->line + 12 > hit->line;
    bool telling = failure->inferred || attempt->facts.engine == KVB_LOG_LLAMACPP;
    if (follows && telling) { // llama.cpp and newer vLLM name the buffer after the failure
        failure->kind = kind;
        failure->inferred = false;
        attempt->oom_open = false;
    }
}

static void take_oom(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    if (hit->row->detail == KVB_NOTE_NCCL_OOM) {
        attempt->facts.notes[KVB_NOTE_NCCL_OOM] = true;
    }
    if (attempt->facts.failure.kind != KVB_FAILURE_NONE) {
        return;
    }
    bool inferred;
    enum kvb_failure kind = kvb_stage_of_oom(attempt, hit->line, &inferred);
    attempt->oom_open = inferred;
    fail(attempt, kind, hit, inferred);
}

// A traceback quotes the source of a message before the message itself comes.
static bool is_source_line(const struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    const char *text = attempt->facts.failure.text;
    size_t length = strlen(text);
    bool quoted = length > 0 && (text[length - 1] == '"' || text[length - 1] == '\'');
    return quoted && attempt->facts.failure.line + 200 > hit->line;
}

// The message that names the stage beats one that only said "out of memory" before it.
static void take_failure(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    enum kvb_failure kind = (enum kvb_failure)hit->row->detail;
    enum kvb_failure old = attempt->facts.failure.kind;
    if (old == KVB_FAILURE_NONE) {
        fail(attempt, kind, hit, false);
        return;
    }
    bool was_oom = old >= KVB_FAILURE_OOM_LOAD && old <= KVB_FAILURE_OOM_SERVING;
    bool is_oom = kind >= KVB_FAILURE_OOM_LOAD && kind <= KVB_FAILURE_OOM_SERVING;
    if (was_oom && is_oom) {
        attempt->facts.failure.kind = kind;
        attempt->facts.failure.inferred = false;
        attempt->oom_open = false;
    } else if ((old == KVB_FAILURE_OTHER && kind != KVB_FAILURE_OTHER) ||
               (old == kind && is_source_line(attempt, hit))) {
        fail(attempt, kind, hit, false);
    }
}

static void take_wrapper(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    if (attempt->wrapper_line == 0) {
        attempt->wrapper_line = hit->line;
        kvb_attempt_describe(hit, attempt->wrapper_text);
    }
}

// "# GPU blocks: 0" is the older way to say that nothing is left.
static void take_allocated(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    const struct kvb_log_value *blocks = &attempt->facts.observed[KVB_OBS_NUM_GPU_BLOCKS];
    if (blocks->set && blocks->value <= 0 && blocks->line == hit->line) {
        fail(attempt, KVB_FAILURE_NEGATIVE_KV, hit, true);
        return;
    }
    reach(attempt, KVB_STAGE_ALLOCATED, hit->line);
}

static void take_captured(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    bool summary = strncmp(hit->row->pattern, "Free memory", 11) == 0; // the last line before "started"
    reach(attempt, summary ? KVB_STAGE_READY : KVB_STAGE_CAPTURED, hit->line);
}

static void take_identity(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    bool has_release = hit->row->event == KVB_EVENT_VERSION ||
                       (hit->row->event == KVB_EVENT_CONFIG && kvb_pattern_holes(hit->row->pattern) > 0);
    if (has_release) {
        kvb_attempt_version(attempt, &hit->holes[0]);
    }
    if (hit->row->event == KVB_EVENT_ARGUMENTS || hit->row->event == KVB_EVENT_CONFIG ||
        hit->row->event == KVB_EVENT_COMMAND) {
        kvb_attempt_settings(attempt, hit);
    }
    reach(attempt, KVB_STAGE_CONFIGURED, hit->line);
}

// Events that only say how far the start came.
static bool take_progress(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    static const enum kvb_log_stage stages[] = {
        [KVB_EVENT_LOADING] = KVB_STAGE_LOADING, [KVB_EVENT_LOADED] = KVB_STAGE_LOADED,
        [KVB_EVENT_SIZED] = KVB_STAGE_SIZED,     [KVB_EVENT_READY] = KVB_STAGE_READY,
        [KVB_EVENT_SERVING] = KVB_STAGE_SERVING,
    };
    size_t event = (size_t)hit->row->event;
    if (event >= sizeof stages / sizeof stages[0] || stages[event] == KVB_STAGE_NOTHING) {
        return false;
    }
    reach(attempt, stages[event], hit->line);
    return true;
}

// The first one since the last progress: later ones tell of its consequences.
static void take_exception(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    if (attempt->exception_line > attempt->progress_line && attempt->exception_line > attempt->hint_line) {
        return;
    }
    attempt->exception_line = hit->line;
    kvb_attempt_describe(hit, attempt->exception_text);
}

static void take_name(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    char *name = hit->row->event == KVB_EVENT_MODEL ? attempt->facts.model : attempt->facts.gpu;
    kvb_attempt_name(&hit->holes[0], name);
}

static void take_note(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    attempt->facts.notes[hit->row->detail] = true;
}

static void take_traceback(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    attempt->traceback_line = hit->line;
}

static void take_crash(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    attempt->crash_line = hit->line;
    take_wrapper(attempt, hit);
}

static void dispatch(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    static void (*const takers[])(struct kvb_attempt * attempt, const struct kvb_log_hit *hit) = {
        [KVB_EVENT_BEGIN] = take_identity,
        [KVB_EVENT_VERSION] = take_identity,
        [KVB_EVENT_ARGUMENTS] = take_identity,
        [KVB_EVENT_CONFIG] = take_identity,
        [KVB_EVENT_COMMAND] = take_identity,
        [KVB_EVENT_MODEL] = take_name,
        [KVB_EVENT_GPU] = take_name,
        [KVB_EVENT_ALLOCATED] = take_allocated,
        [KVB_EVENT_CAPTURED] = take_captured,
        [KVB_EVENT_NOTE] = take_note,
        [KVB_EVENT_TRACE] = take_trace,
        [KVB_EVENT_FAILURE] = take_failure,
        [KVB_EVENT_OOM] = take_oom,
        [KVB_EVENT_WRAPPER] = take_wrapper,
        [KVB_EVENT_TRACEBACK] = take_traceback,
        [KVB_EVENT_EXCEPTION] = take_exception,
        [KVB_EVENT_CRASH] = take_crash,
    };
    size_t event = (size_t)hit->row->event;
    if (!take_progress(attempt, hit) && event < sizeof takers / sizeof takers[0] && takers[event] != NULL) {
        takers[event](attempt, hit);
    }
}

// Lines that any program may print.
static bool is_companion(enum kvb_event event)
{
    return event == KVB_EVENT_TRACEBACK || event == KVB_EVENT_EXCEPTION || event == KVB_EVENT_CRASH;
}

void kvb_runs_take(struct kvb_runs *runs, const struct kvb_log_hit *hit)
{
    if (hit->row->event == KVB_EVENT_NEAR) {
        return;
    }
    if (runs->last_known_line != hit->line) {
        runs->known_lines += !is_companion(hit->row->event);
        runs->last_known_line = hit->line;
    }
    if (has_content(&runs->now) && begins_another(&runs->now, hit->row)) {
        next_attempt(runs);
    }
    struct kvb_attempt *now = &runs->now;
    if (now->first_line == 0) {
        now->first_line = hit->line;
    }
    kvb_attempt_engine(now, hit);
    kvb_attempt_observe(now, hit);
    dispatch(now, hit);
}

void kvb_runs_finish(struct kvb_runs *runs, struct kvb_log_report *report)
{
    end_attempt(runs);
    memset(report, 0, sizeof *report);
    if (runs->has_shown) {
        *report = runs->shown.facts;
    }
    report->run_count = runs->count;
    report->run_shown = runs->shown_index;
    memcpy(report->runs, runs->rows, sizeof report->runs);
    report->known_lines = runs->known_lines;
    kvb_attempt_settle(report);
}
