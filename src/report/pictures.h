// Answers as drawings and as pages.
#ifndef KVB_REPORT_PICTURES_H
#define KVB_REPORT_PICTURES_H

#include "report/models_report.h"
#include "report/plan_report.h"
#include "report/sweep_report.h"

void kvb_render_plan_svg(struct kvb_buffer *out, const struct kvb_plan_report *report);
void kvb_render_plan_html(struct kvb_buffer *out, const struct kvb_plan_report *report);
// A heat map where two settings vary, else rows as bars of the figure.
void kvb_render_sweep_svg(struct kvb_buffer *out, const struct kvb_sweep_report *report);
void kvb_render_sweep_html(struct kvb_buffer *out, const struct kvb_sweep_report *report);
void kvb_render_models_svg(struct kvb_buffer *out, const struct kvb_models_report *report);
void kvb_render_models_html(struct kvb_buffer *out, const struct kvb_models_report *report);

#endif
