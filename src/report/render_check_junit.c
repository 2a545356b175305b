// A check as JUnit XML: a suite per file, a case per deployment.
#include <string.h>

#include "report/check_report.h"
#include "report/safe_text.h"

static void add_attribute(struct kvb_buffer *out, const char *name, const char *text)
{
    kvb_buffer_printf(out, " %s=\"", name);
    kvb_xml_add(out, text);
    kvb_buffer_add(out, "\"");
}

static void add_findings(struct kvb_buffer *out, const struct kvb_check_case *each)
{
    for (uint32_t i = 0; i < each->finding_count; i++) {
        const struct kvb_check_finding *finding = &each->findings[i];
        struct kvb_spot spot = finding->place.line > 0 ? finding->place : each->place;
        kvb_xml_add(out, each->file);
        kvb_buffer_printf(out, ":%u:%u: %s: ", (unsigned)spot.line, (unsigned)spot.column,
                          kvb_check_rule_row_of(finding->rule)->id);
        kvb_xml_add(out, finding->text);
        kvb_buffer_add(out, "\n");
    }
}

static void add_case(struct kvb_buffer *out, const struct kvb_check_case *each)
{
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    const char *element = each->verdict == KVB_CASE_ERROR ? "error" : "failure";
    kvb_buffer_add(out, "    <testcase");
    add_attribute(out, "name", each->name[0] != '\0' ? each->name : each->file);
    add_attribute(out, "classname", each->kind != NULL ? each->kind : "file");
    kvb_buffer_add(out, " time=\"0\"");
    if (reason == NULL) {
        kvb_buffer_add(out, "/>\n");
        return;
    }
    kvb_buffer_printf(out, ">\n      <%s", element);
    add_attribute(out, "message", reason->text);
    add_attribute(out, "type", kvb_check_rule_row_of(reason->rule)->id);
    kvb_buffer_add(out, ">");
    add_findings(out, each);
    kvb_buffer_printf(out, "</%s>\n    </testcase>\n", element);
}

static void add_counts(struct kvb_buffer *out, uint32_t tests, uint32_t failures, uint32_t errors)
{
    kvb_buffer_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"0\">\n", (unsigned)tests,
                      (unsigned)failures, (unsigned)errors);
}

// The cases from `first` on that are of the same file; returns the index behind them.
static uint32_t add_suite(struct kvb_buffer *out, const struct kvb_check_report *report, uint32_t first)
{
    const char *file = report->totals.cases[first].file;
    uint32_t end = first, failures = 0, errors = 0;
    for (; end < report->totals.count && strcmp(report->totals.cases[end].file, file) == 0; end++) {
        failures += report->totals.cases[end].verdict == KVB_CASE_FAIL;
        errors += report->totals.cases[end].verdict == KVB_CASE_ERROR;
    }
    kvb_buffer_add(out, "  <testsuite");
    add_attribute(out, "name", file);
    add_counts(out, end - first, failures, errors);
    for (uint32_t i = first; i < end; i++) {
        add_case(out, &report->totals.cases[i]);
    }
    kvb_buffer_add(out, "  </testsuite>\n");
    return end;
}

void kvb_render_check_junit(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    kvb_buffer_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kvbudget\"");
    add_counts(out, report->totals.count, report->totals.failed, report->totals.errors);
    for (uint32_t i = 0; i < report->totals.count;) {
        i = add_suite(out, report, i);
    }
    kvb_buffer_add(out, "</testsuites>\n");
}
