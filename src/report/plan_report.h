// The answer to a plan as its renderers receive it.
#ifndef KVB_REPORT_PLAN_REPORT_H
#define KVB_REPORT_PLAN_REPORT_H

#include <stdbool.h>

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "report/cards_report.h"
#include "report/json_writer.h"
#include "report/residents_report.h"

// Bits of `show`.
#define KVB_SHOW_FORMULAS 1U
#define KVB_SHOW_KV 2U
#define KVB_SHOW_WEIGHTS 4U

struct kvb_plan_report {
    const struct kvb_plan *plan;
    const struct kvb_model_source *source;
    const struct kvb_budget *budget;
    const struct kvb_advice *advice;
    const struct kvb_problems *problems;
    const char *command; // serve command with the changes applied, or NULL
    unsigned show;
    uint64_t cache_wanted_bytes; // --show utilization-for=SIZE; 0: not asked
    bool color;
    bool all;                              // every card
    const struct kvb_cards *cards;         // no GPU was named; the budget is of the first of these, or NULL
    const char *devices, *choice;          // GPUs taken of a machine and why, or NULL
    const struct kvb_plan_report *against; // the same question put otherwise, or NULL
    const struct kvb_longer *longer;       // beyond the model's own length, or NULL
    const struct kvb_siblings *siblings;   // other checkpoints that start, or NULL
    const struct kvb_placed *residents;    // who else is on the GPUs, or NULL
};

void kvb_render_plan_text(struct kvb_buffer *out, const struct kvb_plan_report *report);
void kvb_render_plan_json(struct kvb_buffer *out, const struct kvb_plan_report *report);
// The same as a member of a larger document.
void kvb_json_plan(struct kvb_json *json, const char *key, const struct kvb_plan_report *report);

// A term that both sides of a comparison have. Returns how many there are; `index` counts from 0.
struct kvb_compared {
    const char *key;
    int64_t from, to;
    bool is_bytes;
};
bool kvb_report_compared(const struct kvb_budget *from, const struct kvb_budget *to, unsigned index,
                         struct kvb_compared *compared);

// Parts of the text, one file each.
void kvb_render_plan_budget(struct kvb_buffer *out, const struct kvb_plan_report *report);
void kvb_render_plan_advice(struct kvb_buffer *out, const struct kvb_plan_report *report);
// CPU memory that settings take; nothing when none does.
void kvb_render_host_text(struct kvb_buffer *out, const struct kvb_plan_report *report);
// Writes "cpu_memory": [...], likewise.
void kvb_render_host_json(struct kvb_json *json, const struct kvb_plan_report *report);
void kvb_render_plan_show(struct kvb_buffer *out, const struct kvb_plan_report *report);
// The share that gives the KV cache a size, and the size that a share gives; nothing when it was not asked for.
void kvb_render_utilization_text(struct kvb_buffer *out, const struct kvb_plan_report *report);
// Writes "utilization_for": {...}, likewise.
void kvb_render_utilization_json(struct kvb_json *json, const struct kvb_plan_report *report);
// A length beyond the model's own, and what its card offers; nothing when none was asked for.
void kvb_render_longer_text(struct kvb_buffer *out, const struct kvb_plan_report *report);
// Writes "longer": {...}, likewise.
void kvb_render_longer_json(struct kvb_json *json, const struct kvb_plan_report *report);
void kvb_render_plan_against(struct kvb_buffer *out, const struct kvb_plan_report *report);
// A setting's value by its row as a JSON value; KVB_AUTO is "auto".
void kvb_json_setting(struct kvb_json *json, const char *key, enum kvb_setting setting, uint64_t number);

#endif
