// A check as annotations of a GitHub workflow.
#include "report/check_report.h"
#include "report/github.h"

struct shown {
    uint32_t count[3]; // by severity; GitHub cuts each level on its own
};

static void add_finding(struct kvb_buffer *out, const struct kvb_check_case *each,
                        const struct kvb_check_finding *finding, struct shown *shown)
{
    static const char *const levels[] = {[KVB_NOTICE] = "notice", [KVB_WARNING] = "warning", [KVB_ERROR] = "error"};
    enum kvb_severity severity = finding->waived ? KVB_NOTICE : finding->severity;
    struct kvb_spot spot = finding->place.line > 0 ? finding->place : each->place;
    if (++shown->count[severity] > KVB_GITHUB_SHOWN_MAX) {
        return;
    }
    kvb_buffer_printf(out, "::%s file=", levels[severity]);
    kvb_github_add(out, each->file, true);
    if (spot.line > 0) {
        kvb_buffer_printf(out, ",line=%u,col=%u", (unsigned)spot.line, (unsigned)spot.column);
    }
    kvb_buffer_printf(out, ",title=kvbudget %s::", kvb_check_rule_row_of(finding->rule)->id);
    kvb_github_add(out, each->name, false);
    kvb_buffer_add(out, each->name[0] != '\0' ? ": " : "");
    kvb_github_add(out, finding->text, false);
    kvb_buffer_add(out, "\n");
}

void kvb_render_check_github(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    struct shown shown = {{0}};
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < report->totals.count; i++) {
        for (uint32_t k = 0; k < report->totals.cases[i].finding_count; k++) {
            add_finding(out, &report->totals.cases[i], &report->totals.cases[i].findings[k], &shown);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        hidden += shown.count[i] > KVB_GITHUB_SHOWN_MAX ? shown.count[i] - KVB_GITHUB_SHOWN_MAX : 0;
    }
    if (hidden > 0) {
        kvb_buffer_printf(out, "::%s title=kvbudget::%u more findings are in the other formats\n",
                          shown.count[KVB_ERROR] > KVB_GITHUB_SHOWN_MAX ? "error" : "notice", (unsigned)hidden);
    }
    kvb_buffer_printf(out, "kvbudget: %u passed, %u failed, %u errors\n", (unsigned)report->totals.passed,
                      (unsigned)report->totals.failed, (unsigned)report->totals.errors);
}
