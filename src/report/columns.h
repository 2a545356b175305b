// Text in aligned columns: cells are collected row by row, widths follow the widest.
#ifndef KVB_REPORT_COLUMNS_H
#define KVB_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

#define KVB_COLUMNS_MAX 24

struct kvb_columns {
    struct kvb_buffer cells; // NUL-separated
    unsigned count;          // columns
    unsigned filled;         // cells of the row being written
    size_t widths[KVB_COLUMNS_MAX];
    const char *alignment; // one letter per column: l or r; borrowed
    unsigned indent, gap;
    bool hidden[KVB_COLUMNS_MAX];
};

void kvb_columns_init(struct kvb_columns *columns, const char *alignment, unsigned indent, unsigned gap);
void kvb_columns_cell(struct kvb_columns *columns, const char *text);
// The remaining cells of the row stay empty.
void kvb_columns_end_row(struct kvb_columns *columns);
// Writes all rows without trailing blanks and frees them. Where they are wider than the page, a last column of text is
// broken within its column or stands below its row; figures go on below, with the first column repeated.
void kvb_columns_write(struct kvb_columns *columns, struct kvb_buffer *out);
// The same within the page. `ranks` has a digit for each column: 0 stays, of the others the highest goes first
// until the rest fits; if even that is too wide, the widest columns are cut. Returns how many columns were left out.
unsigned kvb_columns_write_in(struct kvb_columns *columns, struct kvb_buffer *out, const char *ranks);
// The same, with the last column cut and all others whole.
void kvb_columns_write_last(struct kvb_columns *columns, struct kvb_buffer *out);

#endif
