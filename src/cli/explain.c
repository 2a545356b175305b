// The explain command: reads a log, adds what the flags say, draws conclusions and shows them.
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "report/explain_report.h"
#include "report/pictures.h"

static void add_notices(const struct kvb_log_report *log, struct kvb_problems *problems)
{
    static const struct {
        enum kvb_log_note note;
        const char *text;
    } rows[] = {
        {KVB_NOTE_WSL, "WSL2: allocations may spill into system memory, and free memory as reported is not reliable"},
        {KVB_NOTE_HYBRID_OFF,
         "the hybrid KV cache manager was off: sliding-window layers cost as much as full attention"},
        {KVB_NOTE_NO_MM_PROFILE, "the encoder was not profiled: its peak comes with the first large item"},
        {KVB_NOTE_PREEMPTION, "requests were preempted: more KV cache is wanted than there is; not a failure"},
        {KVB_NOTE_REQUEST_ABORTED,
         "a request alone outgrew the KV pool and was ended; the server went on: a shorter context_length refuses it"},
        {KVB_NOTE_LOWER_UTILIZATION_HINT,
         "the engine's own hint to lower the utilization is wrong at this stage: it has no effect on loading"},
        {KVB_NOTE_HOST_MEMORY, "a process was ended for lack of host memory, which is not GPU memory"},
        {KVB_NOTE_NCCL_OOM, "NCCL ran out of GPU memory: it allocates outside PyTorch"},
        {KVB_NOTE_LAYERS_ON_CPU, "part of the model was placed outside the GPU: it runs, slowly"},
        {KVB_NOTE_LAYERS_STATED,
         "the layers for the GPU were stated: left out, they are fitted to the memory that is free"},
        {KVB_NOTE_CPU_BACKEND, "this is the CPU backend: sizes are host memory"},
    };
    if (log->newest_first) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, (struct kvb_place){0},
                              "the time stamps fall from line to line: this log is newest first, and stages come out "
                              "wrong; turn it round, as in 'tac LOG | kvbudget explain'");
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (log->notes[rows[i].note]) {
            (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, (struct kvb_place){0}, "%s", rows[i].text);
        }
    }
}

static int exit_code(const struct kvb_log_report *log)
{
    bool answered =
        log->verdict == KVB_LOG_HEALTHY || (log->verdict == KVB_LOG_FAILED && log->failure.kind != KVB_FAILURE_OTHER);
    return answered ? 0 : 1;
}

static void render(const struct arguments *arguments, const struct kvb_log_report *log, const struct kvb_log_next *next,
                   const char *path, struct kvb_buffer *answer)
{
    struct kvb_explain_report report = {
        .command = next->line,
        .plan = next->answered ? kvb_verdict_name(next->now) : NULL,
        .log = log,
        .problems = &arguments->problems,
        .file = path,
        .all = arguments->all,
        .color = arguments->format == FORMAT_TEXT && kvb_output_use_color(arguments->color),
    };
    if (arguments->format == FORMAT_JSON) {
        kvb_render_explain_json(answer, &report);
    } else if (arguments->format == FORMAT_GITHUB) {
        kvb_render_explain_github(answer, &report);
    } else if (arguments->format == FORMAT_SVG) {
        kvb_render_explain_svg(answer, &report);
    } else if (arguments->format == FORMAT_HTML) {
        kvb_render_explain_html(answer, &report);
    } else {
        kvb_render_explain_text(answer, &report);
    }
}

// The model that a flag or else the log names.
static void fetch_model(struct arguments *arguments, const struct kvb_log_report *log)
{
    const struct kvb_deployment *deployment = &arguments->question.deployment;
    if (deployment->model[0] != '\0' || deployment->inline_model) {
        kvb_hub_fetch_for(deployment, &arguments->problems);
    } else if (log->model[0] != '\0' && strchr("/.~", log->model[0]) == NULL) {
        kvb_hub_fetch_model(log->model, deployment->revision, &arguments->problems);
    }
}

int kvb_run_explain(struct arguments *arguments, struct kvb_buffer *answer)
{
    const char *path = arguments->operand_count > 0 ? arguments->operands[0] : "-";
    struct kvb_log_given given;
    struct kvb_log_next next;
    struct kvb_log_report *log = kvb_reallocate(NULL, sizeof *log);
    if (log == NULL) {
        return kvb_status_exit_code(kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY,
                                                    (struct kvb_place){0}, "not enough memory to read a log"));
    }
    const struct given_text *given_log = &arguments->given;
    enum kvb_status status = given_log->name != NULL ? kvb_log_read(given_log->name, given_log->text, given_log->length,
                                                                    log, &arguments->problems)
                                                     : kvb_log_load(path, log, &arguments->problems);
    if (status == KVB_OK && !arguments->offline) {
        fetch_model(arguments, log);
    }
    int code = kvb_status_exit_code(status);
    if (status == KVB_OK) {
        status = kvb_log_given_by(&arguments->question.deployment, log, &given, &arguments->problems);
        code = kvb_status_exit_code(status);
    }
    if (status == KVB_OK) {
        kvb_log_explain(log, &given);
        kvb_log_check_budget(&arguments->question.deployment, log, &given);
        add_notices(log, &arguments->problems);
        (void)kvb_log_plan(&arguments->question, log, &given, &next);
        render(arguments, log, &next, path, answer);
        kvb_free(next.line);
        code = exit_code(log);
    }
    kvb_free(log);
    return code;
}
