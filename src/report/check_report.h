// The cases of a check as its renderers receive them.
#ifndef KVB_REPORT_CHECK_REPORT_H
#define KVB_REPORT_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/gate.h>
#include <kvbudget/problem.h>

#include "base/buffer.h"
#include "report/json_writer.h"
#include "report/plan_report.h"

struct kvb_check_report {
    struct kvb_gate_totals totals;
    const char *version; // of kvbudget
    const struct kvb_problems *problems;
    bool color;
};

void kvb_render_check_text(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_github(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_junit(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_sarif(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_markdown(struct kvb_buffer *out, const struct kvb_check_report *report);

// What moved since another commit, for each format that shows it (render_against.c).
void kvb_render_against_text(struct kvb_buffer *out, const struct kvb_against *against, bool color);
void kvb_render_against_markdown(struct kvb_buffer *out, const struct kvb_against *against);
void kvb_render_against_json(struct kvb_json *json, const struct kvb_against *against);
// Text of a page: what would be read as markup is not.
void kvb_markdown_add(struct kvb_buffer *out, const char *text);

// JSON is written case by case, because each holds its plan: begin, one call per case, then the document.
void kvb_check_json_begin(struct kvb_json *json, struct kvb_buffer *body);
void kvb_check_json_case(struct kvb_json *json, const struct kvb_check_case *each, const struct kvb_plan_report *plan);
void kvb_render_check_json(struct kvb_buffer *out, const struct kvb_check_report *report,
                           const struct kvb_buffer *body);

#endif
