// The check command: every deployment in files and folders answered and judged; the gate in CI.
#include <time.h>

#include <kvbudget/gate.h>
#include <kvbudget/units.h>
#include <kvbudget/version.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/check_report.h"
#include "report/pictures.h"

// The JSON document is written case by case, because each holds its plan.
struct documents {
    struct kvb_json json;
    struct kvb_buffer body;
};

// Waivers count in days of UTC.
static uint32_t today(void)
{
    struct tm day;
    time_t now = time(NULL);
    if (gmtime_r(&now, &day) == NULL) {
        return 0;
    }
    return (uint32_t)(day.tm_year + 1900) * 10000U + (uint32_t)(day.tm_mon + 1) * 100U + (uint32_t)day.tm_mday;
}

static void take_case(void *context, const struct kvb_check_case *each, const struct kvb_answer *answer,
                      const struct kvb_placed *placed, const char *command, const struct kvb_problems *problems)
{
    struct documents *documents = context;
    if (answer == NULL) {
        kvb_check_json_case(&documents->json, each, NULL);
        return;
    }
    struct kvb_plan_report report = {
        .plan = &answer->plan,
        .source = &answer->source,
        .budget = &answer->budget,
        .advice = &answer->advice,
        .problems = problems,
        .residents = placed,
        .command = command,
    };
    kvb_check_json_case(&documents->json, each, &report);
}

static void render(const struct arguments *arguments, const struct kvb_gate_totals *totals,
                   const struct documents *documents, struct kvb_buffer *out)
{
    static void (*const renderers[FORMAT_COUNT])(struct kvb_buffer * out, const struct kvb_check_report *report) = {
        [FORMAT_TEXT] = kvb_render_check_text,         [FORMAT_GITHUB] = kvb_render_check_github,
        [FORMAT_MARKDOWN] = kvb_render_check_markdown, [FORMAT_JUNIT] = kvb_render_check_junit,
        [FORMAT_SARIF] = kvb_render_check_sarif,       [FORMAT_SVG] = kvb_render_check_svg,
        [FORMAT_HTML] = kvb_render_check_html,
    };
    struct kvb_check_report report = {
        .totals = *totals,
        .version = KVB_VERSION,
        .problems = &arguments->problems,
        .color = arguments->format == FORMAT_TEXT && kvb_output_use_color(arguments->color),
    };
    if (arguments->format == FORMAT_JSON) {
        kvb_render_check_json(out, &report, &documents->body);
    } else {
        renderers[arguments->format](out, &report);
    }
}

static int exit_code(const struct kvb_gate_totals *totals)
{
    if (totals->system_failed) {
        return kvb_status_exit_code(KVB_CANNOT_OPEN);
    }
    return totals->errors > 0 ? kvb_status_exit_code(KVB_BAD_SYNTAX) : totals->failed > 0 ? 1 : 0;
}

// --init: the page is written, then said in one line.
static int init_policy(struct arguments *arguments, struct kvb_gate *gate, struct kvb_buffer *out)
{
    const char *path = arguments->policy != NULL ? arguments->policy : "kvbudget-policy.yaml";
    struct kvb_gate_totals totals = kvb_gate_count(gate);
    if (totals.system_failed || kvb_memory_failures() != arguments->failures_before) {
        return kvb_status_exit_code(kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_CANNOT_READ,
                                                    (struct kvb_place){.file = path},
                                                    "not written, because not everything could be read"));
    }
    enum kvb_status status = kvb_gate_write_policy(gate, path, &arguments->problems);
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    kvb_buffer_printf(out, "%s: written for %u deployment%s in %u file%s%s\n", path, (unsigned)totals.count,
                      totals.count == 1 ? "" : "s", (unsigned)totals.files_with, totals.files_with == 1 ? "" : "s",
                      kvb_gate_has_fill_ins(gate) ? "; put the names where it says FILL-IN" : "");
    arguments->answered = true;
    return 0;
}

static int judge(struct arguments *arguments, struct kvb_gate *gate, const struct documents *documents,
                 struct kvb_buffer *out)
{
    for (int i = 0; i < arguments->operand_count; i++) {
        enum kvb_status status =
            kvb_gate_path(gate, arguments->operands[i], arguments->skip_others, &arguments->problems);
        if (status != KVB_OK) {
            return kvb_status_exit_code(status);
        }
    }
    if (arguments->init) {
        return init_policy(arguments, gate, out);
    }
    enum kvb_status status = kvb_gate_finish(gate, &arguments->problems);
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    if (arguments->against != NULL) {
        status = kvb_gate_compare(gate, arguments->against, arguments->operands, (uint32_t)arguments->operand_count,
                                  &arguments->problems);
    }
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    struct kvb_gate_totals totals = kvb_gate_count(gate);
    render(arguments, &totals, documents, out);
    arguments->answered = true;
    return exit_code(&totals);
}

int kvb_run_check(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct documents documents;
    struct kvb_gate_options options = {.flags = &arguments->question, .policy = arguments->policy, .today = today()};
    options.no_policy = arguments->init;
    options.expects = arguments->expects;
    options.expected = arguments->expected;
    options.keeps_figures = arguments->against != NULL || arguments->format == FORMAT_MARKDOWN ||
                            arguments->format == FORMAT_SVG || arguments->format == FORMAT_HTML;
    options.online = arguments->online && !arguments->offline;
    enum kvb_status status;
    if (arguments->format == FORMAT_JSON) {
        options.take = take_case;
        options.context = &documents;
    }
    struct kvb_gate *gate = kvb_gate_new(&options, &status, &arguments->problems);
    if (gate == NULL) {
        return kvb_status_exit_code(status);
    }
    kvb_buffer_init(&documents.body);
    kvb_check_json_begin(&documents.json, &documents.body);
    int code = judge(arguments, gate, &documents, answer);
    kvb_buffer_free(&documents.body);
    kvb_gate_free(gate);
    return code;
}

// ---- flags

static bool set_policy(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->policy = value;
    return true;
}

static bool set_skip_others(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->skip_others = true;
    return true;
}

static bool set_init(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->init = true;
    return true;
}

static bool set_against(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->against = value;
    return true;
}

static bool set_online(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->online = true;
    return true;
}

static bool set_expect(struct arguments *arguments, const struct option_row *row, const char *value)
{
    uint64_t number = 0;
    (void)row;
    if (!kvb_parse_whole(value, &number) || number > 1000000) {
        (void)kvb_options_mistake(arguments, "--expect '%.40s' is not a whole number up to 1000000", value);
        return false;
    }
    arguments->expects = true;
    arguments->expected = (uint32_t)number;
    return true;
}

void kvb_options_add_check(struct option_list *list)
{
    static const struct option_row rows[] = {
        {"policy", NULL, "FILE", "demands, GPUs and waivers; kvbudget-policy.yaml when it is here", NULL, set_policy,
         .set_bit = OPTIONS_CHECK},
        {"skip-others", NULL, NULL, "pass over named files that hold no deployment", NULL, set_skip_others,
         .set_bit = OPTIONS_CHECK},
        {"init", NULL, NULL, "write a first policy: lines to fill in, and today's findings waived for 90 days", NULL,
         set_init, .set_bit = OPTIONS_CHECK},
        {"against", NULL, "REF", "compare with a commit: what moved, and what is worse", NULL, set_against,
         .set_bit = OPTIONS_CHECK},
        {"online", NULL, NULL, "fetch models that are neither built in nor kept; without it nobody is asked", NULL,
         set_online, .set_bit = OPTIONS_CHECK},
        {"expect", NULL, "N", "fail unless exactly N deployments are found", NULL, set_expect,
         .set_bit = OPTIONS_CHECK},
    };
    kvb_options_add(list, rows, sizeof rows / sizeof rows[0]);
}
