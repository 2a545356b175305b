// A check as a summary page: one table of deployments.
#include "report/check_report.h"
#include "report/safe_text.h"

// Text of a table cell: bars and angle brackets would be read as markup.
static void add_cell(struct kvb_buffer *out, const char *text)
{
    struct kvb_buffer safe;
    kvb_buffer_init(&safe);
    kvb_text_add_safe(&safe, text);
    for (const char *c = safe.data != NULL ? safe.data : ""; *c != '\0'; c++) {
        if (*c == '<') {
            kvb_buffer_add(out, "&lt;");
            continue;
        }
        kvb_buffer_add(out, *c == '|' || *c == '\\' || *c == '`' || *c == '*' || *c == '_' ? "\\" : "");
        kvb_buffer_add_n(out, c, 1);
    }
    out->failed = out->failed || safe.failed;
    kvb_buffer_free(&safe);
}

static void add_case(struct kvb_buffer *out, const struct kvb_check_case *each)
{
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    struct kvb_spot spot = kvb_case_spot(each);
    kvb_buffer_printf(out, "| %s | ", kvb_case_verdict_name(each->verdict));
    add_cell(out, each->name);
    kvb_buffer_add(out, " | ");
    add_cell(out, each->file);
    if (spot.line > 0) {
        kvb_buffer_printf(out, ":%u", (unsigned)spot.line);
    }
    kvb_buffer_printf(out, " | %s | ", reason != NULL ? kvb_check_rule_row_of(reason->rule)->id : "");
    add_cell(out, reason != NULL ? reason->text : each->text);
    kvb_buffer_add(out, " |\n");
}

void kvb_render_check_markdown(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    kvb_buffer_printf(out, "### kvbudget: %u passed, %u failed, %u errors\n", (unsigned)report->totals.passed,
                      (unsigned)report->totals.failed, (unsigned)report->totals.errors);
    if (report->totals.count == 0) {
        kvb_buffer_printf(out, "\nNo deployment in %u files.\n", (unsigned)report->totals.files_seen);
        return;
    }
    kvb_buffer_add(out, "\n| | deployment | place | rule | what |\n|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < report->totals.count; i++) {
        add_case(out, &report->totals.cases[i]);
    }
}
