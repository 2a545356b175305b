// What a log said, as its renderers receive it.
#ifndef KVB_REPORT_EXPLAIN_REPORT_H
#define KVB_REPORT_EXPLAIN_REPORT_H

#include <stdbool.h>

#include <kvbudget/logs.h>

#include "base/buffer.h"
#include "report/json_writer.h"

struct kvb_explain_report {
    const struct kvb_log_report *log;
    const struct kvb_problems *problems;
    const char *file; // as named by the user; "-" is standard input
    bool color;
    const char *command; // the serve line that starts it, by plan; NULL: none
    const char *plan;    // what plan says of the settings as they were; NULL: it was not asked
    bool all;            // every remedy, not only the first
};

void kvb_render_explain_text(struct kvb_buffer *out, const struct kvb_explain_report *report);
void kvb_render_explain_json(struct kvb_buffer *out, const struct kvb_explain_report *report);
void kvb_render_explain_github(struct kvb_buffer *out, const struct kvb_explain_report *report);

// What is read of a server that runs: metrics, memory over time.
void kvb_explain_add_running(struct kvb_buffer *out, const struct kvb_log_report *log);

// "3.79 GiB", "30,944": a figure of the log with its unit.
void kvb_explain_value(char out[48], enum kvb_log_unit unit, int64_t value);

// "vllm 0.11.0 (V1), Qwen/Qwen3-8B"
void kvb_explain_engine(struct kvb_buffer *out, const struct kvb_log_report *log);

// One sentence of what was found, for the first line of every format.
void kvb_explain_headline(struct kvb_buffer *out, const struct kvb_log_report *log);

#endif
