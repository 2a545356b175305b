// A check as a page for a job's summary or a comment: one table of deployments, then each failure with its figures
// and what to write instead.
#include <string.h>

#include <kvbudget/units.h>

#include "report/check_report.h"
#include "report/safe_text.h"

#define PAGE_MAX 60000U // a comment on GitHub holds 65,536 characters

static void add_place(struct kvb_buffer *out, const char *file, struct kvb_spot spot)
{
    kvb_markdown_add(out, file);
    if (spot.line > 0) {
        kvb_buffer_printf(out, ":%u", (unsigned)spot.line);
    }
}

static void add_case(struct kvb_buffer *out, const struct kvb_check_case *each)
{
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    kvb_buffer_printf(out, "| %s | ", kvb_case_verdict_name(each->verdict));
    kvb_markdown_add(out, each->name);
    kvb_buffer_add(out, " | ");
    add_place(out, each->file, kvb_case_spot(each));
    kvb_buffer_printf(out, " | %s | ", reason != NULL ? kvb_check_rule_row_of(reason->rule)->id : "");
    kvb_markdown_add(out, reason != NULL ? reason->text : each->text);
    kvb_buffer_add(out, " |\n");
}

// ---- one failure

static void add_row(struct kvb_buffer *out, const char *what, int64_t bytes)
{
    char size[32];
    kvb_buffer_printf(out, "| %s | %s |\n", what, kvb_format_gib(size, bytes, 2));
}

static void add_figures(struct kvb_buffer *out, const struct kvb_case_figures *figures)
{
    char length[32];
    int64_t others = (int64_t)figures->requested_bytes - figures->weights_bytes - figures->kv_cache_bytes;
    kvb_buffer_add(out, "\n| on each GPU | GiB |\n|---|---:|\n");
    add_row(out, "requested", (int64_t)figures->requested_bytes);
    add_row(out, "weights", figures->weights_bytes);
    add_row(out, "activations and what else runs", others);
    add_row(out, "left for KV cache", figures->kv_cache_bytes);
    kvb_buffer_printf(out, "| needed by one request of %s tokens ", kvb_format_count(length, figures->length_tokens));
    kvb_buffer_printf(out, "| %s |\n", kvb_format_gib(length, (int64_t)figures->needed_bytes, 2));
    kvb_buffer_printf(out, "| **missing** | **%s** |\n", kvb_format_gib(length, -figures->balance_bytes, 2));
}

// A line between fences, which nothing in it ends: what a file says comes from anybody.
static void add_fenced(struct kvb_buffer *out, const char *sign, const char *text)
{
    struct kvb_buffer safe;
    kvb_buffer_init(&safe);
    kvb_text_add_safe(&safe, text);
    kvb_buffer_add(out, sign);
    for (const char *at = kvb_buffer_text(&safe); *at != '\0'; at++) {
        kvb_buffer_add_n(out, *at == '`' ? "'" : at, 1);
    }
    kvb_buffer_add(out, "\n");
    out->failed |= safe.failed;
    kvb_buffer_free(&safe);
}

static void add_fix(struct kvb_buffer *out, const struct kvb_fix *fix)
{
    bool placed = fix->region.first.line > 0;
    kvb_buffer_add(out, "\n```diff\n");
    if (fix->removes || fix->was[0] != '\0') {
        add_fenced(out, "- ", fix->removes ? fix->flag : fix->was);
    }
    if (!fix->removes) {
        add_fenced(out, "+ ", fix->flag);
    }
    kvb_buffer_add(out, "```\n");
    if (placed) {
        kvb_buffer_printf(out, "\nLine %u%s", (unsigned)fix->region.first.line, fix->why != NULL ? ": " : ".\n");
    }
    if (fix->why != NULL) {
        kvb_buffer_add(out, placed ? "" : "\n");
        kvb_markdown_add(out, fix->why);
        kvb_buffer_add(out, "\n");
    }
}

static void add_finding(struct kvb_buffer *out, const struct kvb_check_case *each,
                        const struct kvb_check_finding *finding)
{
    kvb_buffer_printf(out, "\n**%s**, ", kvb_check_rule_row_of(finding->rule)->id);
    add_place(out, each->file, finding->place.line > 0 ? finding->place : each->place);
    kvb_buffer_add(out, ": ");
    kvb_markdown_add(out, finding->text);
    kvb_buffer_add(out, "\n");
    bool short_of = finding->rule == KVB_CHECK_FITS && each->figures != NULL && each->figures->balance_bytes < 0;
    if (short_of) {
        add_figures(out, each->figures);
    }
    for (uint32_t i = 0; i < finding->fix_count; i++) {
        add_fix(out, &finding->fixes[i]);
    }
}

static void add_failure(struct kvb_buffer *out, const struct kvb_check_case *each)
{
    kvb_buffer_add(out, "\n#### ");
    kvb_markdown_add(out, each->name[0] != '\0' ? each->name : each->file);
    kvb_buffer_add(out, "\n");
    if (each->text[0] != '\0') {
        kvb_buffer_add(out, "\n");
        kvb_markdown_add(out, each->text);
        kvb_buffer_add(out, "\n");
    }
    for (uint32_t i = 0; i < each->finding_count; i++) {
        if (each->findings[i].severity == KVB_ERROR && !each->findings[i].waived) {
            add_finding(out, each, &each->findings[i]);
        }
    }
}

// ---- the page

// Failures first: a page that is too long loses what passes.
static uint32_t add_cases(struct kvb_buffer *out, const struct kvb_check_report *report, bool passing)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < report->totals.count; i++) {
        const struct kvb_check_case *each = &report->totals.cases[i];
        if ((each->verdict == KVB_CASE_PASS) != passing) {
            continue;
        }
        if (out->length < PAGE_MAX / 2) {
            add_case(out, each);
        } else {
            left++;
        }
    }
    return left;
}

static uint32_t add_failures(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < report->totals.count; i++) {
        const struct kvb_check_case *each = &report->totals.cases[i];
        if (each->verdict != KVB_CASE_PASS && out->length < PAGE_MAX) {
            add_failure(out, each);
        } else {
            left += each->verdict != KVB_CASE_PASS;
        }
    }
    return left;
}

static void add_not_understood(struct kvb_buffer *out, const struct kvb_gate_totals *totals)
{
    for (uint32_t i = 0; i < totals->not_understood_count && out->length < PAGE_MAX; i++) {
        kvb_buffer_add(out, i == 0 ? "\nThese speak of an engine and gave no deployment: " : ", ");
        kvb_markdown_add(out, totals->not_understood[i]);
    }
    kvb_buffer_add(out, totals->not_understood_count > 0 ? "\n" : "");
}

void kvb_render_check_markdown(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    uint32_t left = 0;
    kvb_buffer_printf(out, "### kvbudget: %u passed, %u failed, %u errors\n", (unsigned)report->totals.passed,
                      (unsigned)report->totals.failed, (unsigned)report->totals.errors);
    if (report->totals.count == 0) {
        kvb_buffer_printf(out, "\nNo deployment in %u files.\n", (unsigned)report->totals.files_seen);
    } else {
        kvb_buffer_add(out, "\n| | deployment | place | rule | what |\n|---|---|---|---|---|\n");
        left = add_cases(out, report, false);
        left += add_cases(out, report, true);
    }
    if (report->totals.against != NULL) {
        kvb_render_against_markdown(out, report->totals.against);
    }
    uint32_t untold = add_failures(out, report);
    if (left > 0 || untold > 0) {
        kvb_buffer_printf(out,
                          "\n%u deployments and the figures of %u failures are left out; --format text has them.\n",
                          (unsigned)left, (unsigned)untold);
    }
    add_not_understood(out, &report->totals);
}
