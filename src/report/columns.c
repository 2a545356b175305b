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

// Blanks are owed until text follows, so that no line ends in one.
static void write_row(const struct kvb_columns *columns, const char **cell, struct kvb_buffer *out)
{
    size_t owed = columns->indent;
    for (unsigned i = 0; i < columns->count; i++) {
        size_t length = strlen(*cell);
        size_t padding = columns->widths[i] - length;
        bool right = columns->alignment[i] == 'r';
        owed += right ? padding : 0;
        if (length > 0) {
            kvb_buffer_fill(out, ' ', owed);
            kvb_buffer_add(out, *cell);
            owed = 0;
        } else {
            owed += length;
        }
        owed += (right ? 0 : padding) + columns->gap;
        *cell += length + 1;
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
