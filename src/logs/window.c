// Counting lines and cutting records out of the part of a log held in memory.
#include "logs/window.h"

#include <string.h>

#include "base/checked.h"
#include "logs/clean.h"
#include "logs/line_text.h"

size_t kvb_window_add(struct kvb_log_window *window, const char *bytes, size_t length)
{
    size_t part = (size_t)kvb_min(length, KVB_WINDOW_BYTES - window->length);
    memcpy(window->text + window->length, bytes, part);
    window->length += part;
    return part;
}

void kvb_window_drop(struct kvb_log_window *window, size_t length)
{
    memmove(window->text, window->text + length, window->length - length);
    window->length -= length;
    window->counted -= length;
}

static uint64_t breaks_in(const char *text, size_t length)
{
    uint64_t count = 0;
    const char *end = text + length;
    while ((text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        count++;
        text++;
    }
    return count;
}

uint64_t kvb_window_line(struct kvb_log_window *window, size_t at)
{
    if (at > window->counted) { // same: of nothing there are no breaks
        window->line += breaks_in(window->text + window->counted, at - window->counted);
        window->counted = at;
    }
    return window->line;
}

static size_t line_start(const struct kvb_log_window *window, size_t at)
{
    size_t least = at - (size_t)kvb_min(at, KVB_WINDOW_BEHIND);
    while (at > least && window->text[at - 1] != '\n' && window->text[at - 1] != '\r') {
        at--;
    }
    return at;
}

// Far inside a line whose breaks are escaped: a log in one string of JSON.
static bool is_inside_escapes(const struct kvb_log_window *window, size_t start, size_t at)
{
    bool begins = start == 0 || window->text[start - 1] == '\n' || window->text[start - 1] == '\r';
    return !begins && kvb_has_word(window->text + start, at - start, "\\n");
}

// What stands before the place on its line.
static void clean_before(struct kvb_log_window *window, struct kvb_log_record *record, size_t at)
{
    size_t start = line_start(window, at);
    size_t first = start;
    while (first < at && (window->text[first] == ' ' || window->text[first] == '\t')) { // same: no brace begins one
        first++;
    }
    record->json = (window->text[first] == '{') || is_inside_escapes(window, start, at);
    record->offset = kvb_clean(window->text + start, at - start, record->json, 1, window->record, KVB_WINDOW_BEHIND);
}

void kvb_window_record(struct kvb_log_window *window, struct kvb_log_record *record, size_t at, unsigned lines,
                       size_t most)
{
    if (record->lines == 0) {
        clean_before(window, record, at);
    }
    size_t left = (size_t)kvb_min(window->length - at, most);
    const char *end = lines == 1 ? memchr(window->text + at, '\n', left) : NULL;
    left = end != NULL ? (size_t)(end - (window->text + at)) : left;
    record->lines = lines;
    record->most = most;
    record->cut = end == NULL && left == most;
    record->length = record->offset + kvb_clean(window->text + at, left, record->json, lines,
                                                window->record + record->offset, KVB_RECORD_BYTES - record->offset);
}
