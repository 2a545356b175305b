// The cases of a check as its renderers receive them.
#ifndef KVB_REPORT_CHECK_REPORT_H
#define KVB_REPORT_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/policy.h>
#include <kvbudget/problem.h>

#include "base/buffer.h"
#include "report/json_writer.h"
#include "report/plan_report.h"

enum kvb_case_verdict { KVB_CASE_PASS, KVB_CASE_FAIL, KVB_CASE_ERROR };

struct kvb_check_finding {
    enum kvb_check_rule rule;
    enum kvb_severity severity;
    bool waived;
    struct kvb_spot place;
    const char *text;
};

struct kvb_check_case {
    const char *file;
    const char *kind; // NULL: the file as a whole could not be read
    const char *name;
    enum kvb_case_verdict verdict;
    struct kvb_spot place;
    const char *text; // one sentence about the whole case
    uint32_t finding_count;
    const struct kvb_check_finding *findings;
};

struct kvb_check_report {
    const struct kvb_check_case *cases;
    uint32_t count, passed, failed, errors, waived;
    uint32_t files_seen, files_read, files_with; // read: opened; with: hold a deployment
    const char *policy;                          // path, or NULL
    const char *version;                         // of kvbudget
    const struct kvb_problems *problems;
    bool color;
};

const char *kvb_case_verdict_name(enum kvb_case_verdict verdict); // "pass", "fail", "error"

// The finding that decides the verdict, or NULL when the case passes.
const struct kvb_check_finding *kvb_case_reason(const struct kvb_check_case *each);
// Its place, or the case's own.
struct kvb_spot kvb_case_spot(const struct kvb_check_case *each);

void kvb_render_check_text(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_github(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_junit(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_sarif(struct kvb_buffer *out, const struct kvb_check_report *report);
void kvb_render_check_markdown(struct kvb_buffer *out, const struct kvb_check_report *report);

// JSON is written case by case, because each holds its plan: begin, one call per case, then the document.
void kvb_check_json_begin(struct kvb_json *json, struct kvb_buffer *body);
void kvb_check_json_case(struct kvb_json *json, const struct kvb_check_case *each, const struct kvb_plan_report *plan);
void kvb_render_check_json(struct kvb_buffer *out, const struct kvb_check_report *report,
                           const struct kvb_buffer *body);

#endif
