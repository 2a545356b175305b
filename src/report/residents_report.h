// Residents of a GPU and the phases of a training step, as their renderers receive them.
#ifndef KVB_REPORT_RESIDENTS_REPORT_H
#define KVB_REPORT_RESIDENTS_REPORT_H

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "report/json_writer.h"

void kvb_render_residents_text(struct kvb_buffer *out, const struct kvb_placed *report, bool color);
void kvb_render_phases_text(struct kvb_buffer *out, const struct kvb_placed *report, bool color);
// Writes "residents": {...}.
void kvb_render_residents_json(struct kvb_json *json, const struct kvb_placed *report);

#endif
