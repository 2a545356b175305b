// Text in aligned columns: cells are collected row by row, widths follow the widest.
#include "report/columns.h"

#include <string.h>

#include "report/safe_text.h"

void kvb_columns_init(struct kvb_columns *columns, const char *alignment, unsigned indent, unsigned gap)
{
    *columns = (struct kvb_columns){.alignment = alignment, .indent = indent, .gap = gap};
    columns->count = (unsigned)strlen(alignment);
    kvb_buffer_init(&columns->cells);
}

void kvb_columns_cell(struct kvb_columns *columns, const char *text)
{
    if (columns->filled == columns->count) {
        return;
    }
    size_t before = columns->cells.length;
    kvb_text_add_safe(&columns->cells, text);
    size_t width = columns->cells.length - before;
    if (width > columns->widths[columns->filled]) {
        columns->widths[columns->filled] = width;
    }
    kvb_buffer_add_n(&columns->cells, "", 1);
    columns->filled++;
}

void kvb_columns_end_row(struct kvb_columns *columns)
{
    while (columns->filled < columns->count) {
        kvb_columns_cell(columns, "");
    }
    columns->filled = 0;
}

// A cell in its column: whole, or cut where the column was made narrower than it.
static void write_cell(const char *cell, size_t length, size_t width, struct kvb_buffer *out)
{
    if (length <= width) {
        kvb_buffer_add(out, cell);
    } else {
        kvb_buffer_add_n(out, cell, width - 3);
        kvb_buffer_add(out, "...");
    }
}

// Blanks are owed until text follows, so that no line ends in one.
static void write_row(const struct kvb_columns *columns, const char **cell, struct kvb_buffer *out)
{
    size_t owed = columns->indent;
    for (unsigned i = 0; i < columns->count; i++, *cell += strlen(*cell) + 1) {
        size_t width = columns->widths[i];
        size_t length = strlen(*cell);
        size_t padding = length < width ? width - length : 0;
        bool right = columns->alignment[i] == 'r';
        if (columns->hidden[i]) {
            continue;
        }
        owed += right ? padding : 0;
        if (length > 0) {
            kvb_buffer_fill(out, ' ', owed);
            write_cell(*cell, length, width, out);
            owed = 0;
        }
        owed += (right ? 0 : padding) + columns->gap;
    }
    kvb_buffer_add(out, "\n");
}

void kvb_columns_write(struct kvb_columns *columns, struct kvb_buffer *out)
{
    const char *cell = columns->cells.data;
    const char *end = columns->cells.failed || cell == NULL ? cell : cell + columns->cells.length;
    out->failed = out->failed || columns->cells.failed;
    while (cell < end) {
        write_row(columns, &cell, out);
    }
    kvb_buffer_free(&columns->cells);
}

// With the first column no wider than `first`.
static size_t whole_width(const struct kvb_columns *columns, size_t first)
{
    size_t width = columns->indent;
    for (unsigned i = 0; i < columns->count; i++) {
        size_t own = i == 0 && columns->widths[i] > first ? first : columns->widths[i];
        width += columns->hidden[i] ? 0 : own + (i > 0 ? columns->gap : 0);
    }
    return width;
}

// The shown column of the highest rank; `count` when all that are shown have to stay.
static unsigned least_wanted(const struct kvb_columns *columns, const char *ranks)
{
    unsigned found = columns->count;
    char rank = '0';
    for (unsigned i = 0; i < columns->count; i++) {
        if (!columns->hidden[i] && ranks[i] > rank) {
            rank = ranks[i];
            found = i;
        }
    }
    return found;
}

#define NARROW 72U // below it the first column is cut rather than that figures go

#define CUT_LEAST 6U

// The widest shown column, the first before others as wide.
static size_t *widest(struct kvb_columns *columns)
{
    size_t *found = &columns->widths[0];
    for (unsigned i = 1; i < columns->count; i++) {
        found = !columns->hidden[i] && columns->widths[i] > *found ? &columns->widths[i] : found;
    }
    return found;
}

unsigned kvb_columns_write_in(struct kvb_columns *columns, struct kvb_buffer *out, size_t width, const char *ranks)
{
    unsigned hidden = 0;
    size_t first = width < NARROW ? width / 2 : width;
    for (unsigned at = 0; whole_width(columns, first) > width && hidden < columns->count; hidden++) {
        at = least_wanted(columns, ranks);
        if (at == columns->count) {
            break;
        }
        columns->hidden[at] = true;
    }
    while (whole_width(columns, SIZE_MAX) > width && *widest(columns) > CUT_LEAST) {
        --*widest(columns);
    }
    kvb_columns_write(columns, out);
    return hidden;
}

void kvb_columns_write_last(struct kvb_columns *columns, struct kvb_buffer *out, size_t width)
{
    size_t now = whole_width(columns, SIZE_MAX);
    size_t *last = &columns->widths[columns->count - 1];
    size_t over = now > width ? now - width : 0;
    *last -= over + 3 < *last ? over : 0;
    kvb_columns_write(columns, out);
}
