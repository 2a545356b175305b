// The GPUs of a machine and their ranking, as the renderers receive them.
#ifndef KVB_REPORT_PROBE_REPORT_H
#define KVB_REPORT_PROBE_REPORT_H

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"

struct kvb_probe_report {
    const struct kvb_machine *machine;
    const struct kvb_plan *plan;       // NULL: the machine was only listed
    const struct kvb_ranking *ranking; // NULL with it
    const struct kvb_problems *problems;
    bool color;
};

void kvb_render_probe_text(struct kvb_buffer *out, const struct kvb_probe_report *report);
void kvb_render_probe_json(struct kvb_buffer *out, const struct kvb_probe_report *report);

// Which GPUs to take and why, in sentences without a line break; says so when there are not enough.
void kvb_probe_choice(struct kvb_buffer *out, const struct kvb_machine *machine, const struct kvb_ranking *ranking);
// "4" or "0,2", in the machine's order; nothing when none are chosen.
void kvb_probe_chosen_labels(struct kvb_buffer *out, const struct kvb_machine *machine,
                             const struct kvb_ranking *ranking);
// "CUDA_VISIBLE_DEVICES=4", as the vendor's runtime reads it.
void kvb_probe_environment(struct kvb_buffer *out, const struct kvb_machine *machine,
                           const struct kvb_ranking *ranking);
#endif
