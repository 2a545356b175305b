// What a running server or a series of memory readings says, as text.
#include <kvbudget/units.h>

#include "report/explain_report.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

static void add_size(struct kvb_buffer *out, const char *label, int64_t bytes)
{
    char text[32];
    kvb_buffer_printf(out, "  %-24s %s GiB\n", label, kvb_format_gib(text, bytes, 2));
}

static void add_time(struct kvb_buffer *out, const char *label, int64_t seconds)
{
    if (seconds >= 7200) {
        kvb_buffer_printf(out, "  %-24s %lld h\n", label, (long long)(seconds / 3600));
    } else {
        kvb_buffer_printf(out, "  %-24s %lld s\n", label, (long long)seconds);
    }
}

static void add_series(struct kvb_buffer *out, const struct kvb_log_series *series)
{
    int64_t left;
    kvb_buffer_printf(out, "\nMemory over time, GPU %u of %u, %llu readings\n", (unsigned)series->gpu,
                      (unsigned)series->gpus, (unsigned long long)series->samples);
    if (series->has_time) {
        add_time(out, "length", series->seconds);
    }
    add_size(out, "first", series->first_bytes);
    add_size(out, "largest jump", series->jump_bytes);
    add_size(out, "peak", series->peak_bytes);
    add_size(out, "steady level", series->steady_bytes);
    if (series->free_bytes > 0) {
        add_size(out, "free at the end", series->free_bytes);
    }
    if (series->has_growth) {
        add_size(out, "growth in an hour", series->growth_bytes_per_hour);
    }
    if (kvb_log_series_left(series, &left)) {
        add_time(out, "until the card is full", left);
    }
    kvb_text_add_wrapped(out,
                         "Readings see what the whole card holds, sampled: shorter peaks are missed, and nothing tells "
                         "which process holds what, nor how much of the KV cache is in use.",
                         2, kvb_page_width(out));
}

void kvb_explain_add_running(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    const char *says = kvb_log_metrics_say(log);
    if (log->has_series) {
        add_series(out, &log->series);
    }
    if (says != NULL) {
        kvb_buffer_add(out, "\nThe running server\n");
        kvb_text_add_wrapped(out, says, 2, kvb_page_width(out));
        kvb_text_add_wrapped(out, "One scrape is one moment: how full the cache was before is not in it.", 2,
                             kvb_page_width(out));
    }
}
