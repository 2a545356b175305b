// The document kvbudget.check/1.
#include "report/check_report.h"
#include "report/problems.h"

// What to set; with a place where the file's own value is to change.
static void add_fix(struct kvb_json *json, const struct kvb_fix *fix)
{
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "flag", fix->flag);
    kvb_json_bool(json, "removes", fix->removes);
    kvb_json_text_or_null(json, "text", fix->text);
    kvb_json_count_or_null(json, "line", fix->region.first.line);
    kvb_json_count_or_null(json, "column", fix->region.first.column);
    kvb_json_count_or_null(json, "characters", fix->region.characters);
    kvb_json_close_object(json);
}

static void add_finding(struct kvb_json *json, const struct kvb_check_finding *finding)
{
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "rule", kvb_check_rule_row_of(finding->rule)->id);
    kvb_json_text(json, "severity", kvb_severity_name(finding->severity));
    kvb_json_count_or_null(json, "line", finding->place.line);
    kvb_json_count_or_null(json, "column", finding->place.column);
    kvb_json_text(json, "text", finding->text);
    kvb_json_bool(json, "waived", finding->waived);
    kvb_json_open_list(json, "fixes");
    for (uint32_t i = 0; i < finding->fix_count; i++) {
        add_fix(json, &finding->fixes[i]);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}

void kvb_check_json_begin(struct kvb_json *json, struct kvb_buffer *body)
{
    kvb_json_init(json, body);
    json->depth = 2; // inside "cases" of the document
}

void kvb_check_json_case(struct kvb_json *json, const struct kvb_check_case *each, const struct kvb_plan_report *plan)
{
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    struct kvb_spot spot = kvb_case_spot(each);
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "file", each->file);
    kvb_json_count_or_null(json, "line", spot.line);
    kvb_json_text(json, "name", each->name);
    kvb_json_text(json, "verdict", kvb_case_verdict_name(each->verdict));
    kvb_json_text(json, "rule", reason != NULL ? kvb_check_rule_row_of(reason->rule)->id : NULL);
    kvb_json_text(json, "text", reason != NULL ? reason->text : each->text);
    if (plan != NULL) {
        kvb_json_plan(json, "plan", plan);
    } else {
        kvb_json_null(json, "plan");
    }
    kvb_json_text(json, "kind", each->kind);
    kvb_json_count_or_null(json, "column", spot.column);
    kvb_json_count_or_null(json, "deployment_line", each->place.line);
    kvb_json_open_list(json, "findings");
    for (uint32_t i = 0; i < each->finding_count; i++) {
        add_finding(json, &each->findings[i]);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}

void kvb_render_check_json(struct kvb_buffer *out, const struct kvb_check_report *report, const struct kvb_buffer *body)
{
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", "kvbudget.check/1");
    kvb_json_text(&json, "verdict", report->totals.failed + report->totals.errors == 0 ? "pass" : "fail");
    kvb_json_open_list(&json, "cases");
    if (body->length > 0) {
        kvb_buffer_add_n(out, body->data, body->length);
        json.has_member = true;
    }
    out->failed |= body->failed;
    kvb_json_close_list(&json);
    kvb_json_count(&json, "passed", report->totals.passed);
    kvb_json_count(&json, "failed", report->totals.failed);
    kvb_json_count(&json, "errors", report->totals.errors);
    kvb_json_count(&json, "waived", report->totals.waived);
    kvb_json_open_object(&json, "files");
    kvb_json_count(&json, "seen", report->totals.files_seen);
    kvb_json_count(&json, "read", report->totals.files_read);
    kvb_json_count(&json, "with_deployments", report->totals.files_with);
    kvb_json_close_object(&json);
    kvb_json_open_list(&json, "not_understood");
    for (uint32_t i = 0; i < report->totals.not_understood_count; i++) {
        kvb_json_text(&json, NULL, report->totals.not_understood[i]);
    }
    kvb_json_close_list(&json);
    kvb_json_text(&json, "policy", report->totals.policy);
    kvb_render_against_json(&json, report->totals.against);
    kvb_render_problems_json(&json, report->problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
