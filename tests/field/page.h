// docs/accuracy.md, piece by piece.
#ifndef FIELD_PAGE_H
#define FIELD_PAGE_H

#include "base/buffer.h"

#include "figures.h"

struct record {
    const struct run *runs; // those that fed no constant first, those of forks last
    size_t run_count;
    size_t unfed_count;
    size_t fork_count;
    const struct run *failures;
    size_t failure_count;
};

// The half of the record that fed no constant, or the other: views on the same runs.
struct record record_half(const struct record *record, bool fed);
struct record record_forks(const struct record *record); // in neither half

void page_write(struct kvb_buffer *out, const struct record *record);

// Parts that live in files of their own.
void page_summary(struct kvb_buffer *out, const struct record *record);
void page_alike(struct kvb_buffer *out, const struct record *record);
void page_misses(struct kvb_buffer *out, const struct record *record);
void page_groups(struct kvb_buffer *out, const struct record *record);
void page_more_groups(struct kvb_buffer *out, const struct record *record);
void page_peer(struct kvb_buffer *out, const struct record *record);
void page_failures(struct kvb_buffer *out, const struct record *record);
void page_runs(struct kvb_buffer *out, const struct record *record);

// A cell of a table: '|' is escaped, nothing is written as "-".
void page_cell(struct kvb_buffer *out, const char *text);
// "0.24 %".
void page_percent(struct kvb_buffer *out, uint64_t hundredths);
// The id, linked to where the run was published.
void page_id(struct kvb_buffer *out, const struct run *run);
// "model (as SHAPE)".
void page_model(struct kvb_buffer *out, const struct run *run);

// How many failed starts the engine's own check decides, and how many of them were foreseen.
void failures_foreseen(const struct record *record, size_t *judged, size_t *foreseen);

#endif
