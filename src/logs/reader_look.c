// One place of a log: which row stands there, over how many lines, and what is taken of it.
#include <string.h>

#include "base/checked.h"
#include "logs/line_text.h"
#include "logs/reader.h"

#define WORD_MAX 8       // of a unit or a number that the end of a record may cut
#define WRAPPED_MAX 1000 // breaks inside messages that are looked at, so that time stays linear

// ---- Lines that nearly were something, for a log that is nothing else

static void remember_closest(struct kvb_log_reader *reader, const struct kvb_log_record *record, uint64_t line,
                             uint32_t score)
{
    struct kvb_closest *slot = NULL;
    for (uint32_t i = 0; i < reader->closest_count; i++) {
        if (reader->closest[i].line == line) {
            reader->closest[i].score += score;
            return;
        }
        if (slot == NULL || reader->closest[i].score < slot->score) {
            slot = &reader->closest[i];
        }
    }
    if (reader->closest_count < KVB_CLOSEST_MAX) {
        slot = &reader->closest[reader->closest_count++];
    } else if (slot->score >= score) {
        return;
    }
    slot->line = line;
    slot->score = score;
    kvb_printable(reader->window.record, record->length, slot->text, sizeof slot->text);
}

// ---- One place

static bool match_leading_hole(const struct kvb_log_reader *reader, const struct kvb_scan_entry *entry,
                               const struct kvb_log_record *record, struct kvb_hole *holes, size_t *start, size_t *end)
{
    size_t least = record->offset - (size_t)kvb_min(record->offset, 40);
    for (size_t at = least; at != record->offset; at++) {
        char before = ' ';
        if (at > 0) {
            before = reader->window.record[at - 1];
        }
        bool inside = kvb_is_digit(before) || before == '.' || before == ',' || before == '-';
        if (!inside && kvb_pattern_match(entry->row->pattern, reader->window.record, record->length, at, holes, end) &&
            *end > record->offset) { // same: its words begin there, and it ends behind them
            *start = at;
            return true;
        }
    }
    *end = 0;
    return false;
}

// Makes the record of a place, or the next wider one: a short line, a long one where it was cut, the lines behind it.
static bool widen(struct kvb_log_reader *reader, struct kvb_log_record *record, size_t at)
{
    bool cut = record->cut && record->most == KVB_RECORD_SHORT;
    if (record->lines > 1) {
        return false;
    }
    unsigned lines = record->lines == 0 || cut ? 1 : KVB_RECORD_LINES;
    kvb_window_record(&reader->window, record, at, lines, record->lines == 0 ? KVB_RECORD_SHORT : KVB_RECORD_LONG);
    return true;
}

static bool match_entry(struct kvb_log_reader *reader, const struct kvb_scan_entry *entry, size_t at,
                        struct kvb_log_record *record, struct kvb_hole *holes, size_t *start, size_t *end)
{
    bool matched, ran_out;
    if (record->lines == 0) {
        (void)widen(reader, record, at);
    }
    do {
        *start = record->offset;
        matched = entry->leading_hole ? match_leading_hole(reader, entry, record, holes, start, end)
                                      : kvb_pattern_match(entry->row->pattern, reader->window.record, record->length,
                                                          record->offset, holes, end);
        ran_out = *end + WORD_MAX >= record->length; // same: or a longer record is read for nothing
        if (matched ? !ran_out || !record->cut : !ran_out && !entry->leading_hole) { // same: likewise
            break;
        }
    } while (widen(reader, record, at));
    return matched;
}

// Rows that could say nothing new are not even looked at.
static bool is_pointless(const struct kvb_log_reader *reader, const struct kvb_line_row *row)
{
    if (row->event == KVB_EVENT_SERVING) { // of interest again when something was wrong meanwhile
        return reader->runs.now.facts.stage == KVB_STAGE_SERVING && !kvb_runs_troubled(&reader->runs);
    }
    if (row->event == KVB_EVENT_LOADING && row->pattern[0] == 'L') { // one per progress bar step
        return reader->runs.now.facts.stage >= KVB_STAGE_LOADING;
    }
    return row->event == KVB_EVENT_NEAR && reader->runs.known_lines > 0;
}

static bool wants_whole_line(enum kvb_event event)
{
    return event == KVB_EVENT_ARGUMENTS || event == KVB_EVENT_CONFIG || event == KVB_EVENT_METRIC_CONFIG;
}

// Whether the row's record may have been cut where the message goes on.
static bool wants_message(enum kvb_event event)
{
    return event == KVB_EVENT_WRAPPER || event == KVB_EVENT_DEATH;
}

// A command behind a backslash, a message that was wrapped.
static bool goes_on(enum kvb_event event)
{
    return event == KVB_EVENT_COMMAND || event == KVB_EVENT_FAILURE || event == KVB_EVENT_OOM;
}

static void take_match(struct kvb_log_reader *reader, const struct kvb_scan_entry *entry, size_t at,
                       struct kvb_log_record *record, size_t start, size_t end, const struct kvb_hole *holes)
{
    uint64_t line = kvb_window_line(&reader->window, at);
    if (entry->row->event == KVB_EVENT_NEAR) {
        remember_closest(reader, record, line, 1);
        return;
    }
    struct kvb_log_hit hit = {entry->row,     entry->engine, line, reader->window.record,
                              record->length, start,         end,  holes};
    kvb_runs_take(&reader->runs, &hit);
}

// Takes the row of a failure whose first words stand around the break at `nl`, where the search cannot see them.
static bool take_parted(struct kvb_log_reader *reader, size_t place, struct kvb_log_record *record, size_t nl)
{
    struct kvb_hole holes[KVB_HOLES_MAX];
    size_t first = record->offset + 1; // same: nothing begins so near behind another
    size_t least = nl > record->offset + KVB_SCAN_WINDOW ? nl - KVB_SCAN_WINDOW + 1 : first;
    for (uint16_t i = 1; i <= reader->scanner.count; i++) { // same: the first is no failure, and the last a form
        const struct kvb_scan_entry *entry = &reader->scanner.entries[i];
        if (entry->row == NULL || entry->leading_hole || !goes_on(entry->row->event) ||
            entry->row->event == KVB_EVENT_COMMAND) {
            continue;
        }
        for (size_t at = least; at < nl; at++) {
            size_t end;
            if (kvb_pattern_match(entry->row->pattern, reader->window.record, record->length, at, holes, &end)) {
                take_match(reader, entry, place, record, at, end, holes);
                return true;
            }
        }
    }
    return false;
}

// "ValueError: Free" and "memory on device ..." on the next line: looks at every break of a message that was wrapped.
static void take_wrapped(struct kvb_log_reader *reader, size_t place, struct kvb_log_record *record)
{
    uint64_t line = kvb_window_line(&reader->window, place);
    const char *text = reader->window.record, *end = text + record->length, *nl = text + record->offset;
    while ((nl = memchr(nl, '\n', (size_t)(end - nl))) != NULL && reader->wrapped_count < WRAPPED_MAX) {
        line++;
        if (line > reader->wrapped_line) { // not seen with the line before
            reader->wrapped_count++;
            reader->wrapped_line =
                take_parted(reader, place, record, (size_t)(nl - text)) ? line : reader->wrapped_line;
        }
        nl++;
    }
}

// Whether the first literal of a row can stand here, before anything is cleaned. Text with escapes in it may.
static bool may_match(const struct kvb_log_reader *reader, const struct kvb_scan_entry *entry, size_t at)
{
    const char *literal;
    bool leading_hole;
    size_t length = kvb_pattern_anchor(entry->row->pattern, &literal, &leading_hole);
    size_t i = KVB_SCAN_WINDOW;
    for (at += KVB_SCAN_WINDOW; i < length; i++, at++) { // the last byte of the text is a break
        char c = reader->window.text[at];
        if (c != literal[i]) {
            return c == 0x1b || c == '\\' || c == '^' || c == '[' || c == '\n' || c == '\r' || c == '\t' || c == ' ';
        }
    }
    return true;
}

// The rows that stand for the forms.
static const struct kvb_line_row form_rows[] = {
    [KVB_FORM_NONE] = {.pattern = "", .event = KVB_EVENT_NEAR},
    [KVB_FORM_EXCEPTION] = {.pattern = "", .event = KVB_EVENT_EXCEPTION},
    [KVB_FORM_FRAME] = {.pattern = "", .event = KVB_EVENT_FRAME},
    [KVB_FORM_RECORD] = {.pattern = "", .event = KVB_EVENT_ERROR_RECORD},
    [KVB_FORM_KILLED] = {.pattern = "", .event = KVB_EVENT_DEATH, .detail = KVB_DEATH_HOST},
};

static void take_form(struct kvb_log_reader *reader, const struct kvb_scan_entry *entry, size_t at)
{
    struct kvb_log_record record = {0};
    struct kvb_form_place place;
    struct kvb_hole holes[KVB_HOLES_MAX] = {{0}};
    kvb_window_record(&reader->window, &record, at, 1, KVB_RECORD_SHORT); // same: no form reads on behind its line
    if (!kvb_form_read(entry->form, reader->window.record, record.length, record.offset, &place)) {
        return;
    }
    if (entry->form == KVB_FORM_EXCEPTION) { // its message may be wrapped, or a long line
        kvb_window_record(&reader->window, &record, at, KVB_RECORD_LINES, KVB_RECORD_LONG);
    }
    struct kvb_log_hit hit = {&form_rows[entry->form],
                              KVB_LOG_TORCH,
                              kvb_window_line(&reader->window, at),
                              reader->window.record,
                              record.length,
                              place.start,
                              place.start,
                              holes};
    if (entry->form == KVB_FORM_FRAME) {
        hit.end = place.end;
    }
    kvb_runs_take(&reader->runs, &hit);
    if (entry->form == KVB_FORM_EXCEPTION && kvb_form_wrapped_early(reader->window.record, &place)) {
        kvb_window_record(&reader->window, &record, at, KVB_RECORD_LINES, KVB_RECORD_LONG);
        take_wrapped(reader, at, &record);
    }
}

void kvb_log_look_at(struct kvb_log_reader *reader, size_t at, uint16_t index)
{
    struct kvb_log_record record = {0};
    struct kvb_hole holes[KVB_HOLES_MAX];
    const char *window = reader->window.text + at;
    for (; index != 0; index = kvb_scanner_following(&reader->scanner, index, window)) {
        const struct kvb_scan_entry *entry = &reader->scanner.entries[index];
        size_t start;
        size_t end;
        if (entry->row == NULL) { // forms come last, and no two are alike
            take_form(reader, entry, at + entry->skip);
            return;
        }
        if (is_pointless(reader, entry->row) || !may_match(reader, entry, at)) {
            continue;
        }
        if (!match_entry(reader, entry, at, &record, holes, &start, &end)) {
            bool nearly = reader->runs.known_lines == 0 && end >= record.offset + 14;
            if (nearly) {
                remember_closest(reader, &record, kvb_window_line(&reader->window, at),
                                 (uint32_t)(end - record.offset) / 8);
            }
            continue;
        }
        if (wants_whole_line(entry->row->event)) {
            kvb_window_record(&reader->window, &record, at, 1, KVB_WINDOW_AHEAD);
        } else if (goes_on(entry->row->event) && record.lines == 1) {
            kvb_window_record(&reader->window, &record, at, KVB_RECORD_LINES, KVB_RECORD_LONG);
        } else if (entry->row->event == KVB_EVENT_EXCEPTION) {
            kvb_window_record(&reader->window, &record, at, KVB_RECORD_LINES, KVB_RECORD_LONG);
        } else if (wants_message(entry->row->event) && record.cut) {
            kvb_window_record(&reader->window, &record, at, 1, KVB_RECORD_LONG);
        }
        end = (size_t)kvb_min(end, record.length);
        take_match(reader, entry, at, &record, start, end, holes);
        if (record.lines > 1 && entry->row->event != KVB_EVENT_COMMAND) {
            take_wrapped(reader, at, &record);
        }
        return;
    }
}
