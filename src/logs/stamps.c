// Finds the stamp of a line and its row.
#include "logs/stamps.h"

#include <stdbool.h>
#include <string.h>

#include "logs/line_text.h"

#define NAME_CAPACITY 48

static const struct kvb_stamp_row *row_of(const char *name, size_t length, uint32_t line)
{
    for (size_t i = 0; i < kvb_stamp_row_count; i++) {
        const struct kvb_stamp_row *row = &kvb_stamp_rows[i];
        if (row->line == line && strlen(row->file) == length && memcmp(row->file, name, length) == 0) {
            return row;
        }
    }
    return NULL;
}

// The stamp whose ".py:" stands at `at`; it ends in a bracket, so that a traceback's own places are none.
static const struct kvb_stamp_row *stamp_at(const char *line, size_t length, size_t at)
{
    size_t from = at;
    while (from > 0 && at - from < NAME_CAPACITY && kvb_is_word(line[from - 1])) {
        from--;
    }
    uint32_t number = 0;
    size_t i = at + 4;
    for (; i < length && kvb_is_digit(line[i]) && number < 100000; i++) {
        number = number * 10 + (uint32_t)(line[i] - '0');
    }
    bool closed = i < length && line[i] == ']'; // no call stands at line 0
    return closed ? row_of(line + from, at + 3 - from, number) : NULL;
}

const struct kvb_stamp_row *kvb_stamp_of(const char *line, size_t length)
{
    const struct kvb_stamp_row *found = NULL;
    for (size_t at = 0; at + 5 < length; at++) { // same: no line that is stamped has a number of one digit
        if (line[at] == '.' && memcmp(line + at, ".py:", 4) == 0) {
            const struct kvb_stamp_row *row = stamp_at(line, length, at);
            found = row != NULL ? row : found;
        }
    }
    return found;
}
