// The explanation of a log as workflow annotations.
#include <string.h>

#include "report/explain_report.h"
#include "report/github.h"

static void open_annotation(struct kvb_buffer *out, const struct kvb_explain_report *report, const char *level,
                            uint64_t line)
{
    bool has_file = strcmp(report->file, "-") != 0;
    kvb_buffer_printf(out, "::%s ", level);
    if (has_file) {
        kvb_buffer_add(out, "file=");
        kvb_github_add(out, report->file, true);
        kvb_buffer_printf(out, ",line=%llu,", (unsigned long long)(line != 0 ? line : 1));
    }
}

static void add_failure(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    const char *level = log->verdict == KVB_LOG_FAILED                                          ? "error"
                        : log->verdict == KVB_LOG_UNKNOWN || log->verdict == KVB_LOG_INCOMPLETE ? "warning"
                                                                                                : "notice";
    struct kvb_buffer headline;
    kvb_buffer_init(&headline);
    kvb_explain_headline(&headline, log);
    open_annotation(out, report, level, log->failure.line);
    kvb_buffer_add(out, "title=kvbudget explain::");
    kvb_github_add(out, kvb_buffer_text(&headline), false);
    if (log->failure.kind != KVB_FAILURE_NONE) {
        kvb_buffer_add(out, "%0A");
        kvb_github_add(out, log->failure.text, false);
    }
    kvb_buffer_add(out, "\n");
    out->failed |= headline.failed;
    kvb_buffer_free(&headline);
}

static void add_remedy(struct kvb_buffer *out, const struct kvb_explain_report *report, const struct kvb_remedy *remedy)
{
    open_annotation(out, report, "notice", report->log->failure.line);
    kvb_buffer_printf(out, "title=%s::", remedy->works ? "fixes it" : "does not");
    kvb_github_add(out, remedy->setting, false);
    kvb_buffer_add(out, " ");
    kvb_github_add(out, remedy->to, false);
    kvb_buffer_add(out, ": ");
    kvb_github_add(out, remedy->why, false);
    kvb_buffer_add(out, "\n");
}

void kvb_render_explain_github(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    add_failure(out, report);
    for (uint32_t i = 0; i < log->remedy_count && i < KVB_GITHUB_SHOWN_MAX; i++) {
        add_remedy(out, report, &log->remedies[i]);
    }
    if (log->remedy_count > KVB_GITHUB_SHOWN_MAX) {
        kvb_buffer_printf(out, "::notice title=kvbudget explain::%u more in the text and JSON formats\n",
                          (unsigned)(log->remedy_count - KVB_GITHUB_SHOWN_MAX));
    }
}
