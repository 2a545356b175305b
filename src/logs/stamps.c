// Finds the stamp of a line and its row.
#include "logs/stamps.h"

#include <stdbool.h>
#include <string.h>

#include "logs/cursor.h"
#include "logs/line_text.h"

static const struct kvb_stamp_row *row_of(const char *name, size_t length, int64_t line)
{
    for (size_t i = 0; i != kvb_stamp_row_count; i++) {
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
    while (from > 0 && kvb_is_word(line[from - 1])) {
        from--;
    }
    struct kvb_cursor in = {line, length, at + strlen(".py:")};
    int64_t number = 0; // where no call stands
    (void)kvb_take_whole(&in, &number);
    return kvb_peek(&in, 0) == ']' ? row_of(line + from, at + strlen(".py") - from, number) : NULL;
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
