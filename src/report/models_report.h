// The models that start on a GPU, as their renderers receive them.
#ifndef KVB_REPORT_MODELS_REPORT_H
#define KVB_REPORT_MODELS_REPORT_H

#include <kvbudget/models.h>

#include "base/buffer.h"

struct kvb_models_report {
    const struct kvb_models *models;
    const struct kvb_problems *problems;
    bool all; // every model, not only the best of each family and what just misses
    bool color;
};

void kvb_render_models_text(struct kvb_buffer *out, const struct kvb_models_report *report);
void kvb_render_models_json(struct kvb_buffer *out, const struct kvb_models_report *report);

const char *kvb_miss_name(enum kvb_miss miss); // "memory", ...; NULL when it starts

#endif
