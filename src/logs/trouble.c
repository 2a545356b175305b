// What went wrong in an attempt: each kind of bad news, and what the lines around it say of the process.
#include "logs/trouble.h"

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "logs/clean.h"
#include "logs/kinds.h"
#include "logs/line_text.h"

void kvb_attempt_fail(struct kvb_attempt *attempt, enum kvb_failure kind, const struct kvb_log_hit *hit, bool inferred)
{
    attempt->facts.failure.kind = kind;
    attempt->facts.failure.line = hit->line;
    attempt->facts.failure.inferred = inferred;
    kvb_attempt_describe(hit, attempt->facts.failure.text);
}

static bool is_oom(enum kvb_failure kind)
{
    return kind >= KVB_FAILURE_OOM_LOAD && kind <= KVB_FAILURE_OOM_SERVING;
}

uint64_t kvb_last_trouble(const struct kvb_attempt *attempt)
{
    return kvb_max(attempt->cause.line, kvb_max(attempt->traceback_line, attempt->frame_line));
}

// Function names only say where: they never make a failure.
void kvb_take_trace(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    enum kvb_failure kind = (enum kvb_failure)hit->row->detail;
    struct kvb_log_failure *failure = &attempt->facts.failure;
    if (attempt->facts.stage >= KVB_STAGE_READY && kind != KVB_FAILURE_OOM_SERVING) {
        return;
    }
    bool sampler_inside = attempt->hint == KVB_FAILURE_OOM_SAMPLER && kind == KVB_FAILURE_OOM_PROFILE;
    bool sharper =
        attempt->hint == KVB_FAILURE_NONE || attempt->hint_line + 60 < hit->line || kind != KVB_FAILURE_OOM_SERVING;
    if (sharper && !sampler_inside) {
        attempt->hint = kind;
        attempt->hint_line = hit->line;
    }
    bool follows = is_oom(failure->kind) && failure->line + 12 > hit->line;
    bool telling = failure->inferred || kvb_log_engine_row_of(attempt->facts.engine)->names_buffer_after;
    if (follows && telling) {
        failure->kind = kind;
        failure->inferred = false;
        attempt->oom_open = false;
    }
}

// What stands around a failure tells a start from serving: the stamp of its line, or the words of the report.
static void take_side(struct kvb_attempt *attempt, enum kvb_side side)
{
    if (side != KVB_SIDE_START && side != KVB_SIDE_SERVING) {
        return;
    }
    struct kvb_log_failure *failure = &attempt->facts.failure;
    if (attempt->side == KVB_SIDE_UNKNOWN) {
        attempt->side = side;
    }
    if (attempt->oom_open && side == KVB_SIDE_SERVING) {
        failure->kind = KVB_FAILURE_OOM_SERVING;
        failure->inferred = false;
        attempt->oom_open = false;
    }
}

static const struct kvb_stamp_row *stamp_of(const struct kvb_log_hit *hit)
{
    size_t from = kvb_line_start(hit->record, hit->start);
    return kvb_stamp_of(hit->record + from, hit->start - from);
}

void kvb_read_stamp(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    size_t from = kvb_line_start(hit->record, hit->start);
    const struct kvb_stamp_row *row = stamp_of(hit);
    if (row == NULL) {
        return;
    }
    if (kvb_has_word(hit->record + from, hit->start - from, "ERROR")) {
        take_side(attempt, row->side);
    }
    kvb_attempt_stamp(attempt, row);
}

#define FRAME_LINES 16 // of the code that a traceback quotes below its last frame

static void remember(struct kvb_attempt *attempt, struct kvb_candidate *slot, const struct kvb_log_hit *hit,
                     const char *text, enum kvb_cause_class class)
{
    slot->line = hit->line;
    slot->class = class;
    slot->stage = attempt->facts.stage;
    kvb_copy(slot->text, KVB_LOG_TEXT_CAPACITY, text);
    bool raised = attempt->frame_line != 0 && attempt->frame_line + FRAME_LINES > hit->line;
    kvb_copy(slot->place, sizeof slot->place, raised ? attempt->frame_place : "");
}

void kvb_take_oom(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    if (hit->row->detail == KVB_NOTE_NCCL_OOM) {
        attempt->facts.notes[KVB_NOTE_NCCL_OOM] = true;
    }
    if (hit->row->detail == KVB_PER_DEVICE && kvb_is_host_device(&hit->holes[0])) {
        char text[KVB_LOG_TEXT_CAPACITY];
        kvb_attempt_describe(hit, text);
        remember(attempt, &attempt->death, hit, text, KVB_CAUSE_HOST);
        attempt->death.death = KVB_DEATH_HOST;
        return;
    }
    if (attempt->facts.failure.kind != KVB_FAILURE_NONE) {
        return;
    }
    bool inferred;
    enum kvb_failure kind = kvb_stage_of_oom(attempt, hit->line, &inferred);
    attempt->oom_open = inferred;
    kvb_attempt_fail(attempt, kind, hit, inferred);
}

// A traceback quotes the source of a message before the message itself comes.
static bool is_source_line(const struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    const char *text = attempt->facts.failure.text;
    bool quoted = kvb_ends_with_n(text, strlen(text), "\"") || kvb_ends_with_n(text, strlen(text), "'");
    return quoted && attempt->facts.failure.line + 200 > hit->line;
}

// The message that names the stage beats one that only said "out of memory" before it.
void kvb_take_failure(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    enum kvb_failure kind = (enum kvb_failure)hit->row->detail;
    enum kvb_failure old = attempt->facts.failure.kind;
    if (old == KVB_FAILURE_NONE) {
        kvb_attempt_fail(attempt, kind, hit, false);
        return;
    }
    if (is_oom(old) && is_oom(kind)) {
        attempt->facts.failure.kind = kind;
        attempt->facts.failure.inferred = false;
        attempt->oom_open = false;
    } else if ((old == KVB_FAILURE_OTHER && kind != KVB_FAILURE_OTHER) ||
               (old == kind && is_source_line(attempt, hit))) {
        kvb_attempt_fail(attempt, kind, hit, false);
    }
}

void kvb_take_wrapper(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    char text[KVB_LOG_TEXT_CAPACITY];
    kvb_attempt_describe(hit, text);
    take_side(attempt, kvb_cause_side(text));
    if (attempt->wrapper_line == 0) {
        attempt->wrapper_line = hit->line;
        kvb_copy(attempt->wrapper_text, KVB_LOG_TEXT_CAPACITY, text);
    }
}

// Of several exceptions the first counts, unless a later one says more.
static bool says_more(const struct kvb_attempt *attempt, const struct kvb_candidate *old, enum kvb_cause_class class)
{
    bool recovered = attempt->facts.stage > old->stage && attempt->wrapper_line == 0 && attempt->death.line == 0;
    return old->line == 0 || class < old->class || recovered;
}

// The words that name a cause may stand behind the break that a terminal made.
static enum kvb_cause_class class_of_wrapped(const struct kvb_log_hit *hit, char text[KVB_LOG_TEXT_CAPACITY])
{
    for (unsigned glue = 0; glue < 2; glue++) { // the break stands for a blank, or in the middle of a word
        char whole[KVB_LOG_TEXT_CAPACITY];
        kvb_attempt_wrapped(hit, glue != 0, whole);
        if (kvb_cause_class_of(whole) == KVB_CAUSE_ADVISED) {
            kvb_copy(text, KVB_LOG_TEXT_CAPACITY, whole);
            return KVB_CAUSE_ADVISED;
        }
    }
    return KVB_CAUSE_PLAIN;
}

void kvb_take_exception(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    char text[KVB_LOG_TEXT_CAPACITY];
    size_t length = hit->length - hit->end;
    const char *from = hit->record + hit->end;
    const char *line_end = memchr(from, '\n', length);
    bool empty = hit->end > hit->start && hit->record[hit->end - 1] == '\n'; // nothing is said on this line
    bool aside = attempt->aside_line != 0 && attempt->aside_line + 3 > hit->line;
    if (empty || aside) {
        return;
    }
    kvb_printable(from, line_end != NULL ? (size_t)(line_end - from) : length, text, sizeof text);
    enum kvb_cause_class class = kvb_cause_class_of(text);
    if (class == KVB_CAUSE_PLAIN && line_end != NULL) {
        class = class_of_wrapped(hit, text);
    }
    bool of_request = attempt->request_error_line != 0 && attempt->request_error_line + 300 > hit->line;
    if (class == KVB_CAUSE_WRAPPER) {
        kvb_take_wrapper(attempt, hit);
    } else if (class == KVB_CAUSE_OOM) {
        kvb_take_oom(attempt, hit);
    } else if (class == KVB_CAUSE_HOST) {
        if (attempt->death.line == 0) {
            remember(attempt, &attempt->death, hit, text, class);
            attempt->death.death = KVB_DEATH_HOST;
        }
    } else if (!of_request && says_more(attempt, &attempt->cause, class)) {
        remember(attempt, &attempt->cause, hit, text, class);
    }
}

void kvb_take_request_error(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    attempt->request_error_line = hit->line;
}

void kvb_take_frame(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    char text[KVB_LOG_TEXT_CAPACITY];
    kvb_printable(hit->record + hit->start, hit->end - hit->start, text, sizeof text);
    if (strstr(text, "multiprocessing/resource_tracker.py") != NULL) {
        attempt->aside_line = hit->line;
        attempt->traceback_line = attempt->traceback_line + 2 > hit->line ? 0 : attempt->traceback_line;
        return;
    }
    attempt->frame_line = hit->line;
    char place[KVB_LOG_PLACE_CAPACITY];
    kvb_frame_place(text, place, sizeof place);
    if (!kvb_place_is_plumbing(place)) {
        kvb_copy(attempt->frame_place, sizeof attempt->frame_place, place);
    }
    take_side(attempt, kvb_cause_side(text));
}

// Every line of a traceback that is logged bears the stamp of the report of the failure.
void kvb_take_error_record(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    const struct kvb_stamp_row *row = stamp_of(hit);
    if (row != NULL && row->side != KVB_SIDE_READY) {
        attempt->frame_line = hit->line;
    }
}

static enum kvb_death death_of_code(int64_t code)
{
    if (code == 137 || code == -9 || code == 9) {
        return KVB_DEATH_HOST;
    }
    static const int64_t faults[] = {11, 6, 4, 8}; // SIGSEGV, SIGABRT, SIGILL, SIGFPE
    bool fault = code == 11;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        fault |= code == 128 + faults[i] || code == -faults[i];
    }
    return fault ? KVB_DEATH_SIGNAL : KVB_DEATH_EXIT_CODE;
}

void kvb_take_death(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    char text[KVB_LOG_TEXT_CAPACITY];
    enum kvb_death death = (enum kvb_death)hit->row->detail;
    if (death == KVB_DEATH_EXIT_CODE) {
        if (hit->holes[0].value == 0 || hit->holes[0].value == 143) { // ended well, or asked to end
            return;
        }
        death = death_of_code(hit->holes[0].value);
    }
    if (death == KVB_DEATH_HOST) {
        attempt->facts.notes[KVB_NOTE_HOST_MEMORY] = true;
    }
    bool better = attempt->death.line == 0 ||
                  (attempt->death.death == KVB_DEATH_UNKNOWN && death == KVB_DEATH_SIGNAL) ||
                  (attempt->death.death <= KVB_DEATH_SIGNAL && death > KVB_DEATH_SIGNAL);
    if (better) {
        kvb_attempt_describe(hit, text);
        remember(attempt, &attempt->death, hit, text, death == KVB_DEATH_HOST ? KVB_CAUSE_HOST : KVB_CAUSE_PLAIN);
        attempt->death.death = death;
    }
}

// llama.cpp tries again with less and goes on: the failure was none.
void kvb_take_recovered(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    (void)hit;
    memset(&attempt->facts.failure, 0, sizeof attempt->facts.failure);
    memset(&attempt->facts.observed[KVB_OBS_TRIED_ALLOC], 0, sizeof attempt->facts.observed[0]);
    attempt->oom_open = false;
    attempt->wrapper_line = 0;
}

// Asked for by a signal, of a server that answers: processes that end now end as they should.
void kvb_take_stop(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    (void)hit;
    bool serves = attempt->facts.stage >= KVB_STAGE_READY && attempt->serving_line > kvb_last_trouble(attempt);
    attempt->stopped |= serves && attempt->wrapper_line == 0 && attempt->death.line == 0 &&
                        attempt->facts.failure.kind == KVB_FAILURE_NONE;
}

void kvb_take_traceback(struct kvb_attempt *attempt, const struct kvb_log_hit *hit)
{
    attempt->traceback_line = hit->line;
}
