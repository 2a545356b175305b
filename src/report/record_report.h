// A row of the field record, as its renderers receive it.
#ifndef KVB_REPORT_RECORD_REPORT_H
#define KVB_REPORT_RECORD_REPORT_H

#include <stdbool.h>

#include <kvbudget/record.h>

#include "base/buffer.h"

struct kvb_record_report {
    const struct kvb_record *record;
    const struct kvb_problems *problems;
    const char *header, *line; // of the table
    const char *appended;      // the file the line was added to, or NULL
    bool color;
};

void kvb_render_record_text(struct kvb_buffer *out, const struct kvb_record_report *report);
void kvb_render_record_json(struct kvb_buffer *out, const struct kvb_record_report *report);

#endif
