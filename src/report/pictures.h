// Answers as drawings and as pages.
#ifndef KVB_REPORT_PICTURES_H
#define KVB_REPORT_PICTURES_H

#include "report/check_report.h"
#include "report/explain_report.h"
#include "report/models_report.h"
#include "report/picture.h"
#include "report/plan_report.h"
#include "report/sweep_report.h"

void kvb_render_plan_svg(struct kvb_buffer *out, const struct kvb_plan_report *report);
void kvb_render_plan_html(struct kvb_buffer *out, const struct kvb_plan_report *report);
// A heat map where two settings vary, else rows as bars of the figure.
void kvb_render_sweep_svg(struct kvb_buffer *out, const struct kvb_sweep_report *report);
void kvb_render_sweep_html(struct kvb_buffer *out, const struct kvb_sweep_report *report);
void kvb_render_models_svg(struct kvb_buffer *out, const struct kvb_models_report *report);
void kvb_render_models_html(struct kvb_buffer *out, const struct kvb_models_report *report);
// What was logged as a bar; readings over time as a line.
void kvb_render_explain_svg(struct kvb_buffer *out, const struct kvb_explain_report *report);
void kvb_render_explain_html(struct kvb_buffer *out, const struct kvb_explain_report *report);
// A row for each case.
void kvb_render_check_svg(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_html(struct kvb_buffer *out, const struct kvb_check_report *report);

// The phases of a training step from `top` on, and how high they are.
unsigned kvb_phases_height(void);
void kvb_draw_phases(struct kvb_svg *svg, unsigned top, const struct kvb_training *training);
void kvb_html_phases(struct kvb_buffer *out, const struct kvb_training *training);

#endif
