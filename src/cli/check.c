// The check command: every deployment in files and folders answered and judged; the gate in CI.
#include "cli/check.h"

#include <string.h>
#include <time.h>

#include <kvbudget/version.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"

#define DEFAULT_POLICY "kvbudget-policy.yaml"

static enum kvb_status take_found(void *context, const struct kvb_found *found)
{
    struct checking *checking = context;
    check_found(checking, found);
    return checking->no_memory ? KVB_NO_MEMORY : KVB_OK;
}

static bool is_system_failure(enum kvb_status status)
{
    return kvb_status_exit_code(status) == 4 && status != KVB_TOO_LARGE;
}

// The name a case carries: kept, because the walk reuses its room.
static const char *keep_path(struct checking *checking, const char *path)
{
    const char *copy = kvb_arena_copy(&checking->arena, path, strlen(path));
    checking->no_memory = checking->no_memory || copy == NULL;
    return copy != NULL ? copy : "";
}

static void check_file(struct checking *checking, const char *path, bool lenient)
{
    struct kvb_problems problems;
    uint32_t count = 0;
    kvb_problems_init(&problems);
    checking->file = keep_path(checking, strcmp(path, "-") == 0 ? "standard input" : path);
    checking->options.lenient = lenient;
    enum kvb_status status = kvb_manifest_load(path, &checking->options, take_found, checking, &count, &problems);
    checking->report.files_read++;
    checking->report.files_with += count > 0;
    bool whole_file = problems.count > 0 && problems.items[0].line == 0; // not one value in it
    if (lenient && status == KVB_TOO_LARGE && whole_file) {
        (void)kvb_problem_add(&checking->arguments->problems, KVB_NOTICE, KVB_TOO_LARGE,
                              (struct kvb_place){.file = path}, "too large for a manifest, so not looked at");
    } else if (status != KVB_OK && !checking->no_memory) {
        checking->system_failed = checking->system_failed || is_system_failure(status);
        check_unreadable(checking, &problems);
    }
}

static enum kvb_status visit(void *context, const char *path)
{
    struct checking *checking = context;
    check_file(checking, path, true);
    return checking->no_memory ? KVB_NO_MEMORY : KVB_OK;
}

static void check_path(struct checking *checking, const char *path)
{
    struct kvb_problems problems;
    if (!kvb_manifest_is_folder(path)) {
        checking->report.files_seen++;
        check_file(checking, path, checking->arguments->skip_others);
        return;
    }
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_manifest_walk(path, visit, checking, &checking->report.files_seen, &problems);
    if (status != KVB_OK && !checking->no_memory) {
        checking->system_failed = checking->system_failed || is_system_failure(status);
        checking->file = keep_path(checking, path);
        check_unreadable(checking, &problems);
    }
}

static enum kvb_status load_policy(struct checking *checking)
{
    const char *path = checking->arguments->policy;
    if (path == NULL && kvb_policy_exists(DEFAULT_POLICY)) {
        path = DEFAULT_POLICY;
    }
    checking->policy_path = path;
    return path != NULL ? kvb_policy_load(path, checking->policy, &checking->arguments->problems) : KVB_OK;
}

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

static bool prepare(struct checking *checking)
{
    struct kvb_arena *arena = &checking->arena;
    struct arguments *arguments = checking->arguments;
    const char **environment = kvb_arena_take(arena, (KVB_TYPED_MAX + 1) * sizeof *environment);
    checking->policy = kvb_arena_take(arena, sizeof *checking->policy);
    checking->answer = kvb_arena_take(arena, sizeof *checking->answer);
    checking->deployment = kvb_arena_take(arena, sizeof *checking->deployment);
    checking->problems = kvb_arena_take(arena, sizeof *checking->problems);
    checking->findings = kvb_arena_take(arena, sizeof *checking->findings);
    checking->as_arguments = kvb_arena_take(arena, sizeof *checking->as_arguments);
    for (uint32_t i = 0; environment != NULL && i < arguments->question.typed_count; i++) {
        if (strcmp(arguments->question.typed[i].name, "env") == 0) {
            environment[checking->options.environment_count++] = arguments->question.typed[i].value;
        }
    }
    checking->options.environment = environment;
    return environment && checking->policy && checking->answer && checking->deployment && checking->problems &&
           checking->findings && checking->as_arguments;
}

static void render(struct checking *checking, struct kvb_buffer *out)
{
    static void (*const renderers[FORMAT_COUNT])(struct kvb_buffer * out, const struct kvb_check_report *report) = {
        [FORMAT_TEXT] = kvb_render_check_text,         [FORMAT_GITHUB] = kvb_render_check_github,
        [FORMAT_MARKDOWN] = kvb_render_check_markdown, [FORMAT_JUNIT] = kvb_render_check_junit,
        [FORMAT_SARIF] = kvb_render_check_sarif,
    };
    struct kvb_check_report *report = &checking->report;
    enum format format = checking->arguments->format;
    report->cases = checking->cases.items;
    report->count = checking->cases.count;
    report->policy = checking->policy_path;
    report->version = KVB_VERSION;
    report->problems = &checking->arguments->problems;
    report->color = format == FORMAT_TEXT && output_use_color(checking->arguments->color);
    if (format == FORMAT_JSON) {
        kvb_render_check_json(out, report, &checking->body);
    } else {
        renderers[format](out, report);
    }
}

static int exit_code(const struct checking *checking)
{
    const struct kvb_check_report *report = &checking->report;
    if (checking->system_failed) {
        return kvb_status_exit_code(KVB_CANNOT_OPEN);
    }
    return report->errors > 0 ? kvb_status_exit_code(KVB_BAD_SYNTAX) : report->failed > 0 ? 1 : 0;
}

static int run(struct checking *checking, struct kvb_buffer *out)
{
    struct arguments *arguments = checking->arguments;
    bool prepared = prepare(checking);
    enum kvb_status status = prepared ? load_policy(checking) : KVB_NO_MEMORY;
    for (int i = 0; i < arguments->operand_count && status == KVB_OK; i++) {
        check_path(checking, arguments->operands[i]);
        status = checking->no_memory ? KVB_NO_MEMORY : KVB_OK;
    }
    if (status == KVB_NO_MEMORY) {
        (void)kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    if (status != KVB_OK) {
        return kvb_status_exit_code(status);
    }
    render(checking, out);
    arguments->answered = true;
    return exit_code(checking);
}

int check_run(struct arguments *arguments, struct kvb_buffer *answer)
{
    struct checking checking = {.arguments = arguments, .today = today()};
    kvb_arena_init(&checking.arena);
    kvb_buffer_init(&checking.body);
    kvb_check_json_begin(&checking.json, &checking.body);
    int code = run(&checking, answer);
    kvb_buffer_free(&checking.body);
    kvb_arena_free(&checking.arena);
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

void options_add_check(struct option_list *list)
{
    static const struct option_row rows[] = {
        {"policy", NULL, "FILE", "demands, GPUs and waivers; " DEFAULT_POLICY " when it is here", NULL, set_policy,
         .set_bit = OPTIONS_CHECK},
        {"skip-others", NULL, NULL, "pass over named files that hold no deployment", NULL, set_skip_others,
         .set_bit = OPTIONS_CHECK},
    };
    options_add(list, rows, sizeof rows / sizeof rows[0]);
}
