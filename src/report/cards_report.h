// The cards that start a deployment, as the renderers receive them.
#ifndef KVB_REPORT_CARDS_REPORT_H
#define KVB_REPORT_CARDS_REPORT_H

#include <kvbudget/kvbudget.h>

#include "base/buffer.h"
#include "report/json_writer.h"

#define KVB_CARDS_MAX 8

struct kvb_card {
    char id[64];
    char name[KVB_NAME_CAPACITY];
    uint64_t count; // tensor parallel
    uint64_t memory_bytes;
    enum kvb_verdict verdict;
    int64_t kv_cache_bytes, balance_bytes;
    uint64_t tokens;
};

struct kvb_cards {
    uint32_t count;
    uint32_t starting;                   // how many of the catalogue start, listed or not
    struct kvb_card rows[KVB_CARDS_MAX]; // smallest total memory first
};

struct kvb_plan_report;

// The page of a plan without a GPU: what is needed, then the cards.
void kvb_render_cards_text(struct kvb_buffer *out, const struct kvb_plan_report *report);
// Writes "cards": [...].
void kvb_render_cards_json(struct kvb_json *json, const struct kvb_cards *cards);

#endif
