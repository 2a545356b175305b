// docs/accuracy.md, piece by piece.
#ifndef FIELD_PAGE_H
#define FIELD_PAGE_H

#include "base/buffer.h"

#include "figures.h"

struct record {
    const struct run *runs;
    size_t run_count;
    const struct run *failures;
    size_t failure_count;
};

void page_write(struct kvb_buffer *out, const struct record *record);

// Parts that live in files of their own.
void page_summary(struct kvb_buffer *out, const struct record *record);
void page_misses(struct kvb_buffer *out, const struct record *record);
void page_groups(struct kvb_buffer *out, const struct record *record);
void page_failures(struct kvb_buffer *out, const struct record *record);
void page_runs(struct kvb_buffer *out, const struct record *record);

// A cell of a table: '|' is escaped, nothing is written as "-".
void page_cell(struct kvb_buffer *out, const char *text);
// The id, linked to where the run was published.
void page_id(struct kvb_buffer *out, const struct run *run);
// "model (as SHAPE)".
void page_model(struct kvb_buffer *out, const struct run *run);

#endif
