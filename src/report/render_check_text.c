// A check as lines for people: each case with its place, what is wrong, and what was looked at.
#include <string.h>

#include "report/check_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define INDENT 6U

static void add_place(struct kvb_buffer *out, const char *file, struct kvb_spot spot)
{
    kvb_text_add_safe(out, file);
    if (spot.line > 0) {
        kvb_buffer_printf(out, ":%u:%u", (unsigned)spot.line, (unsigned)spot.column);
    }
}

// Where it stands in the file that is named above, unless that is the place named there.
static void add_finding_place(struct kvb_buffer *line, const struct kvb_check_case *each, struct kvb_spot spot)
{
    bool same = spot.line == each->place.line && spot.column == each->place.column;
    if (spot.line > 0 && !same) {
        kvb_buffer_printf(line, "%u:%u: ", (unsigned)spot.line, (unsigned)spot.column);
    }
}

// What to do about a card that nobody knows is the same every time, and said once.
static void add_finding_text(struct kvb_buffer *line, const struct kvb_check_finding *finding, bool *gpu_said)
{
    bool gpu = finding->rule == KVB_CHECK_NO_GPU, again = gpu && *gpu_said;
    const char *text = finding->text;
    kvb_buffer_add_n(line, text, again ? strcspn(text, ";") : strlen(text));
    *gpu_said = *gpu_said || gpu;
}

static void add_finding(struct kvb_buffer *out, const struct kvb_check_case *each,
                        const struct kvb_check_finding *finding, bool *gpu_said)
{
    static const char *const words[] = {[KVB_NOTICE] = "note", [KVB_WARNING] = "warning", [KVB_ERROR] = "error"};
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    add_finding_place(&line, each, finding->place);
    kvb_buffer_printf(&line, "%s: ",
                      finding->waived                  ? "waived"
                      : finding->severity == KVB_ERROR ? kvb_check_rule_row_of(finding->rule)->id
                                                       : words[finding->severity]);
    add_finding_text(&line, finding, gpu_said);
    kvb_text_add_wrapped(out, kvb_buffer_text(&line), INDENT, kvb_page_width(out));
    out->failed |= line.failed;
    kvb_buffer_free(&line);
}

// What stops the case first, remarks last.
static void add_findings(struct kvb_buffer *out, const struct kvb_check_case *each, bool *gpu_said)
{
    static const enum kvb_severity order[] = {KVB_ERROR, KVB_WARNING, KVB_NOTICE};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        for (uint32_t i = 0; i < each->finding_count; i++) {
            if (each->findings[i].severity == order[k]) {
                add_finding(out, each, &each->findings[i], gpu_said);
            }
        }
    }
}

static void add_case(struct kvb_buffer *out, const struct kvb_check_case *each, bool color, bool *gpu_said)
{
    static const enum kvb_styles styles[] = {KVB_STYLE_GOOD, KVB_STYLE_BAD, KVB_STYLE_BAD};
    const char *word = kvb_case_verdict_name(each->verdict);
    kvb_style(out, color, styles[each->verdict]);
    kvb_buffer_add(out, word);
    kvb_style(out, color, KVB_STYLE_PLAIN);
    kvb_buffer_fill(out, ' ', INDENT - strlen(word));
    add_place(out, each->file, each->place);
    if (each->name[0] != '\0') {
        kvb_buffer_add(out, "  ");
        kvb_text_add_safe(out, each->name);
    }
    kvb_buffer_add(out, "\n");
    if (each->text[0] != '\0') {
        kvb_text_add_wrapped(out, each->text, INDENT, kvb_page_width(out));
    }
    add_findings(out, each, gpu_said);
}

static void add_count(struct kvb_buffer *out, uint32_t count, const char *one, const char *many)
{
    kvb_buffer_printf(out, "%u %s", (unsigned)count, count == 1 ? one : many);
}

#define SHOWN_MAX 10U

// What speaks of an engine and gave no deployment is never passed over in silence.
static void add_not_understood(struct kvb_buffer *out, const struct kvb_gate_totals *totals)
{
    uint32_t count = totals->not_understood_count;
    if (count == 0) {
        return;
    }
    add_count(out, count, "file speaks", "files speak");
    kvb_buffer_add(out, " of an engine and gave no deployment:\n");
    for (uint32_t i = 0; i < count && i < SHOWN_MAX; i++) {
        kvb_buffer_add(out, "  ");
        kvb_text_add_safe(out, totals->not_understood[i]);
        kvb_buffer_add(out, "\n");
    }
    if (count > SHOWN_MAX) {
        kvb_buffer_printf(out, "  and %u more; --json lists all\n", (unsigned)(count - SHOWN_MAX));
    }
}

void kvb_render_check_text(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    bool gpu_said = false;
    for (uint32_t i = 0; i < report->totals.count; i++) {
        add_case(out, &report->totals.cases[i], report->color, &gpu_said);
    }
    kvb_buffer_add(out, report->totals.count > 0 ? "\n" : "");
    if (report->totals.against != NULL) {
        kvb_render_against_text(out, report->totals.against, report->color);
    }
    kvb_buffer_printf(out, "%u passed, %u failed, ", (unsigned)report->totals.passed, (unsigned)report->totals.failed);
    add_count(out, report->totals.errors, "error", "errors");
    if (report->totals.waived > 0) {
        kvb_buffer_printf(out, ", %u waived", (unsigned)report->totals.waived);
    }
    kvb_buffer_add(out, "; ");
    add_count(out, report->totals.files_seen, "file", "files");
    kvb_buffer_printf(out, " seen, %u read, %u with deployments%s\n", (unsigned)report->totals.files_read,
                      (unsigned)report->totals.files_with,
                      report->totals.system_failed ? "; not everything could be read" : "");
    add_not_understood(out, &report->totals);
    if (report->totals.policy != NULL) {
        kvb_buffer_add(out, "policy: ");
        kvb_text_add_safe(out, report->totals.policy);
        kvb_buffer_add(out, "\n");
    }
}
