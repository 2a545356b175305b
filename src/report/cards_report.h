// The cards that start a deployment, as the renderers receive them.
#ifndef KVB_REPORT_CARDS_REPORT_H
#define KVB_REPORT_CARDS_REPORT_H

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "report/json_writer.h"

struct kvb_plan_report;

// The page of a plan without a GPU: what is needed, then the cards.
void kvb_render_cards_text(struct kvb_buffer *out, const struct kvb_plan_report *report);
// Writes "cards": [...].
void kvb_render_cards_json(struct kvb_json *json, const struct kvb_cards *cards);
// Writes "catalogue": [...], every card and how many of it each number format takes.
void kvb_render_card_lines_json(struct kvb_json *json, const struct kvb_cards *cards);

#endif
