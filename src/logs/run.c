// Gathers the facts of start attempts.
#include "logs/run.h"

#include <string.h>

#include "base/text.h"
#include "logs/clean.h"
#include "logs/lessons.h"
#include "logs/line_text.h"
#include "logs/settings.h"
#include "logs/trouble.h"

void kvb_runs_init(struct kvb_runs *runs)
{
    memset(runs, 0, sizeof *runs);
    runs->clock = -1;
}

// ---- Attempts

static bool has_content(const struct kvb_attempt *attempt)
{
    return attempt->first_line != 0;
}

// What the starts that follow can be compared with.
static void remember(struct kvb_runs *runs, bool healthy)
{
    const struct kvb_attempt *now = &runs->now;
    if (healthy) {
        runs->worked = *now;
        runs->has_worked = true;
    }
    if (now->facts.observed[KVB_OBS_KV_CACHE].set) {
        int64_t total = 0;
        if (runs->has_before && kvb_lesson_total(&runs->before.facts, &now->facts, &total)) {
            runs->total_bytes = total;
        }
        runs->before = *now;
        runs->has_before = true;
    }
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
    bool shown_failed = runs->shown.facts.failure.kind != KVB_FAILURE_NONE;
    bool healthy = !failed && now->facts.stage >= KVB_STAGE_READY;
    if (!runs->has_shown || failed || healthy || !shown_failed) {
        runs->shown = *now;
        runs->shown_index = runs->count;
        runs->has_shown = true;
    }
    remember(runs, healthy);
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
    bool own = attempt->cause.line != 0 && attempt->cause.class < KVB_CAUSE_CONSEQUENCE;
    bool failed = attempt->facts.failure.kind != KVB_FAILURE_NONE || attempt->wrapper_line != 0 ||
                  attempt->death.line != 0 || own;
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

// "# GPU blocks: 0" is the older way to say that nothing is left.
static void take_allocated(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    const struct kvb_log_value *blocks = &attempt->facts.observed[KVB_OBS_NUM_GPU_BLOCKS];
    if (blocks->set && blocks->value <= 0 && blocks->line == hit->line) {
        kvb_attempt_fail(attempt, KVB_FAILURE_NEGATIVE_KV, hit, true);
        return;
    }
    reach(attempt, KVB_STAGE_ALLOCATED, hit->line);
}

static void take_captured(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    bool summary = strncmp(hit->row->pattern, "Free memory", 11) == 0; // the last line before "started"
    if (kvb_is_trial_capture(attempt, hit)) {
        return;
    }
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
    attempt->began = true;
    reach(attempt, KVB_STAGE_CONFIGURED, hit->line);
}

// Events that only say how far the start came.
static bool take_progress(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    static const enum kvb_log_stage stages[KVB_EVENT_COUNT] = {
        [KVB_EVENT_LOADING] = KVB_STAGE_LOADING, [KVB_EVENT_LOADED] = KVB_STAGE_LOADED,
        [KVB_EVENT_SIZED] = KVB_STAGE_SIZED,     [KVB_EVENT_READY] = KVB_STAGE_READY,
        [KVB_EVENT_SERVING] = KVB_STAGE_SERVING,
    };
    enum kvb_event event = hit->row->event;
    if (stages[event] == KVB_STAGE_NOTHING) {
        return false;
    }
    attempt->began |= event == KVB_EVENT_LOADING;
    if (event == KVB_EVENT_SERVING || event == KVB_EVENT_READY) {
        attempt->serving_line = hit->line;
    }
    reach(attempt, stages[event], hit->line);
    return true;
}

static void take_name(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    char *name = hit->row->event == KVB_EVENT_MODEL ? attempt->facts.model : attempt->facts.gpu;
    kvb_attempt_name(&hit->holes[0], name);
}

static void take_note(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    attempt->facts.notes[hit->row->detail] = true;
    if (hit->row->detail == KVB_NOTE_MULTIMODAL && kvb_log_engine_row_of(attempt->facts.engine)->profiles) {
        reach(attempt, KVB_STAGE_LOADED, hit->line); // said when the profiling run begins
    }
}

// A server that answers is one that serves.
static void take_metric(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    attempt->facts.has_metrics = true;
    attempt->began = true;
    size_t prefix = strcspn(hit->row->pattern, ":"); // NAME:num_requests_running
    for (unsigned i = 1; i != KVB_LOG_ENGINE_COUNT; i++) {
        const char *name = kvb_log_engine_name((enum kvb_log_engine)i);
        if (strlen(name) == prefix && strncmp(hit->row->pattern, name, prefix) == 0) {
            attempt->facts.engine = (enum kvb_log_engine)i;
        }
    }
    if (hit->row->event == KVB_EVENT_METRIC_CONFIG) {
        kvb_attempt_settings(attempt, hit);
    }
    reach(attempt, KVB_STAGE_SERVING, hit->line);
}

static void dispatch(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    static void (*const takers[KVB_EVENT_COUNT])(struct kvb_attempt * attempt, const struct kvb_log_hit *hit) = {
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
        [KVB_EVENT_METRIC] = take_metric,
        [KVB_EVENT_METRIC_CONFIG] = take_metric,
        [KVB_EVENT_TRACE] = kvb_take_trace,
        [KVB_EVENT_FAILURE] = kvb_take_failure,
        [KVB_EVENT_OOM] = kvb_take_oom,
        [KVB_EVENT_WRAPPER] = kvb_take_wrapper,
        [KVB_EVENT_TRACEBACK] = kvb_take_traceback,
        [KVB_EVENT_EXCEPTION] = kvb_take_exception,
        [KVB_EVENT_FRAME] = kvb_take_frame,
        [KVB_EVENT_ERROR_RECORD] = kvb_take_error_record,
        [KVB_EVENT_DEATH] = kvb_take_death,
        [KVB_EVENT_REQUEST_ERROR] = kvb_take_request_error,
        [KVB_EVENT_RECOVERED] = kvb_take_recovered,
        [KVB_EVENT_STOPPED] = kvb_take_stop,
    };
    bool of_the_end = attempt->stopped && hit->row->event >= KVB_EVENT_TRACE && hit->row->event != KVB_EVENT_METRIC;
    if (!take_progress(attempt, hit) && !of_the_end && takers[hit->row->event] != NULL) {
        takers[hit->row->event](attempt, hit);
    }
}

// Lines that any program may print.
static bool is_companion(enum kvb_event event)
{
    return event == KVB_EVENT_TRACEBACK || event == KVB_EVENT_EXCEPTION || event == KVB_EVENT_FRAME ||
           event == KVB_EVENT_ERROR_RECORD;
}

// Lines whose stamp is looked up: reports of failures and the figures of a start.
static bool has_stamp(enum kvb_event event)
{
    return event != KVB_EVENT_SERVING && event != KVB_EVENT_NOTE && event != KVB_EVENT_COMMAND;
}

bool kvb_runs_troubled(const struct kvb_runs *runs)
{
    return runs->now.serving_line <= kvb_last_trouble(&runs->now);
}

bool kvb_runs_knows_line(const struct kvb_runs *runs, uint64_t line)
{
    return line <= KVB_EXCERPT_LINES && (runs->known_map[(line - 1) / 64] >> (line - 1) % 64 & 1U) != 0;
}

static int32_t two_digits(const char *text)
{
    return kvb_is_digit(text[0]) && kvb_is_digit(text[1]) ? (text[0] - '0') * 10 + text[1] - '0' : -1;
}

// The first HH:MM:SS before the message, in seconds of the day; -1 = none.
static int32_t clock_of(const struct kvb_log_hit *hit)
{
    for (size_t i = 0; i + 8 <= hit->start; i++) {
        const char *at = hit->record + i;
        int32_t hour = at[2] == ':' && at[5] == ':' ? two_digits(at) : -1;
        if (hour >= 0 && hour < 24 && two_digits(at + 3) >= 0 && two_digits(at + 6) >= 0) {
            return (hour * 60 + two_digits(at + 3)) * 60 + two_digits(at + 6); // same: only which is later counts
        }
    }
    return -1;
}

// Whether time goes backwards from line to line; midnight is one great fall and no more.
static void note_clock(struct kvb_runs *runs, const struct kvb_log_hit *hit)
{
    int32_t clock = clock_of(hit);
    if (clock >= 0 && runs->clock >= 0) {
        runs->rises += clock > runs->clock;
        runs->falls += clock < runs->clock;
    }
    runs->clock = clock >= 0 ? clock : runs->clock;
}

#define FALLS_MIN 3 // of the clock, before a log is called newest first

void kvb_runs_take(struct kvb_runs *runs, const struct kvb_log_hit *hit)
{
    if (hit->line <= KVB_EXCERPT_LINES && hit->row->event != KVB_EVENT_ERROR_RECORD) {
        runs->known_map[(hit->line - 1) / 64] |= UINT64_C(1) << (hit->line - 1) % 64;
    }
    if (runs->last_known_line != hit->line) {
        note_clock(runs, hit);
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
    if (has_stamp(hit->row->event)) {
        kvb_read_stamp(now, hit);
    }
    dispatch(now, hit);
}

// What the other starts say of the one shown.
static struct kvb_log_lesson learn(const struct kvb_runs *runs)
{
    struct kvb_log_lesson lesson = {.known = false};
    bool failed = runs->shown.facts.failure.kind != KVB_FAILURE_NONE;
    if (failed && runs->has_worked) {
        lesson = kvb_lesson_change(&runs->shown.facts, &runs->worked.facts);
        lesson.first_line = runs->worked.first_line;
        lesson.ready_line = runs->worked.serving_line != 0 ? runs->worked.serving_line : runs->worked.progress_line;
    }
    lesson.total_bytes = runs->total_bytes;
    return lesson;
}

void kvb_runs_finish(struct kvb_runs *runs, bool only_figures, struct kvb_log_report *report)
{
    runs->now.facts.excerpt = only_figures && runs->count == 0 && !runs->now.began;
    end_attempt(runs);
    memset(report, 0, sizeof *report);
    if (runs->has_shown) {
        *report = runs->shown.facts;
    }
    report->run_count = runs->count;
    report->run_shown = runs->shown_index;
    memcpy(report->runs, runs->rows, sizeof report->runs);
    report->known_lines = runs->known_lines;
    report->lesson = learn(runs);
    report->newest_first = runs->falls >= FALLS_MIN && runs->falls > 3 * runs->rises;
    kvb_attempt_settle(report);
}
