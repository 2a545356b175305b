// Rows of a sweep, as their renderers receive them.
#ifndef KVB_REPORT_SWEEP_REPORT_H
#define KVB_REPORT_SWEEP_REPORT_H

#include <kvbudget/sweep.h>

#include "base/buffer.h"

struct kvb_sweep_report {
    const struct kvb_sweep *sweep;
    const struct kvb_sweep_row *rows; // that passed the conditions
    uint64_t count;
    uint64_t planned, fitting, tight; // of all combinations
    enum kvb_sweep_figure figure;     // that a grid shows
    bool frontier;                    // only what nothing else beats
    const struct kvb_problems *problems;
    bool color;
};

// What an axis says in a row.
const char *kvb_sweep_value_text(const struct kvb_sweep *sweep, uint32_t axis, const struct kvb_sweep_row *row);

// Row by row, while more are worked out: the head once, then rows.
void kvb_sweep_csv_head(struct kvb_buffer *out, const struct kvb_sweep *sweep);
void kvb_sweep_csv_row(struct kvb_buffer *out, const struct kvb_sweep *sweep, const struct kvb_sweep_row *row);
void kvb_sweep_json_line(struct kvb_buffer *out, const struct kvb_sweep *sweep, const struct kvb_sweep_row *row);

void kvb_render_sweep_json(struct kvb_buffer *out, const struct kvb_sweep_report *report);
void kvb_render_sweep_text(struct kvb_buffer *out, const struct kvb_sweep_report *report);
void kvb_render_sweep_markdown(struct kvb_buffer *out, const struct kvb_sweep_report *report);

// The two axes that vary, when there are no more and no fewer and all combinations are in `rows`.
bool kvb_sweep_is_grid(const struct kvb_sweep_report *report, uint32_t *down, uint32_t *across);
// The row at these two values.
const struct kvb_sweep_row *kvb_sweep_cell(const struct kvb_sweep_report *report, uint32_t down, uint32_t at_down,
                                           uint32_t across, uint32_t at_across);
// What a cell says: the figure, or "no" where it means nothing because it does not start.
const char *kvb_sweep_cell_text(char out[48], const struct kvb_sweep_report *report, const struct kvb_sweep_row *row);

#endif
