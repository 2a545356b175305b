// The sweep command: reads what varies, lets the rows be planned, and writes them as they come or as one page.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/sweep.h"
#include "report/pictures.h"

#define PAGE_ROWS_MAX 200000U // of a page that is written as a whole
#define FRONTIER_ROWS_MAX 20000U
#define FLUSH_BYTES (1U << 20)

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

struct taking {
    struct arguments *arguments;
    const struct kvb_sweep *sweep;
    struct kvb_sweep_report report;
    struct kvb_sweep_row *kept;
    uint64_t capacity, most;
    struct kvb_buffer lines; // of rows that are written as they come
    bool streams, failed, full;
    int written; // exit code of the last writing
    time_t started, shown;
};

bool kvb_sweep_takes(struct arguments *arguments, enum kvb_sweep_kind kind, enum kvb_setting setting, const char *value)
{
    if (!arguments->command->varies) {
        return false;
    }
    if (arguments->varied_count < KVB_SWEEP_AXES_MAX) {
        arguments->varied[arguments->varied_count++] = (struct varied){kind, setting, value};
    } else {
        (void)kvb_options_mistake(arguments, "more than %d settings are given as lists", KVB_SWEEP_AXES_MAX);
    }
    return true;
}

static bool is_wanted(const struct arguments *arguments, const struct kvb_sweep_row *row)
{
    for (uint32_t i = 0; i < arguments->condition_count; i++) {
        if (!kvb_sweep_condition_holds(&arguments->conditions[i], row)) {
            return false;
        }
    }
    return true;
}

static void keep(struct taking *taking, const struct kvb_sweep_row *row)
{
    if (taking->report.count == taking->most) {
        taking->full = true;
        return;
    }
    if (taking->report.count == taking->capacity) {
        uint64_t capacity = taking->capacity > 0 ? taking->capacity * 2 : 1024;
        struct kvb_sweep_row *grown = kvb_reallocate(taking->kept, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            taking->failed = true;
            return;
        }
        taking->kept = grown;
        taking->capacity = capacity;
    }
    taking->kept[taking->report.count++] = *row;
}

// Drops what the row beats; leaves it out when another beats it.
static void keep_unbeaten(struct taking *taking, const struct kvb_sweep_row *row)
{
    uint64_t left = 0;
    if (row->verdict == KVB_DOES_NOT_FIT) {
        return;
    }
    for (uint64_t i = 0; i < taking->report.count; i++) {
        if (kvb_sweep_beats(taking->sweep, &taking->kept[i], row)) {
            return;
        }
    }
    for (uint64_t i = 0; i < taking->report.count; i++) {
        if (!kvb_sweep_beats(taking->sweep, row, &taking->kept[i])) {
            taking->kept[left++] = taking->kept[i];
        }
    }
    taking->report.count = left;
    keep(taking, row);
}

static void stream(struct taking *taking, const struct kvb_sweep_row *row)
{
    if (taking->arguments->format == FORMAT_CSV) {
        kvb_sweep_csv_row(&taking->lines, taking->sweep, row);
    } else {
        kvb_sweep_json_line(&taking->lines, taking->sweep, row);
    }
}

static void flush(struct taking *taking)
{
    if (!taking->arguments->quiet) {
        taking->written = kvb_output_answer(&taking->lines, taking->written);
    }
    kvb_buffer_free(&taking->lines);
    kvb_buffer_init(&taking->lines);
}

// On a terminal, when it takes longer than a second.
static void show_progress(struct taking *taking)
{
    time_t now = time(NULL);
    if (now - taking->started < 2 || now == taking->shown || isatty(STDERR_FILENO) != 1) {
        return;
    }
    char done[32], all[32];
    taking->shown = now;
    (void)fprintf(stderr, "\r%s of %s plans", kvb_format_count(done, taking->report.planned),
                  kvb_format_count(all, kvb_sweep_count(taking->sweep)));
}

static bool take(void *context, const struct kvb_sweep_row *rows, uint32_t count)
{
    struct taking *taking = context;
    for (uint32_t i = 0; i < count; i++) {
        const struct kvb_sweep_row *row = &rows[i];
        taking->report.planned++;
        taking->report.fitting += row->verdict == KVB_FITS;
        taking->report.tight += row->verdict == KVB_TIGHT;
        if (!is_wanted(taking->arguments, row)) {
            continue;
        }
        if (taking->arguments->frontier) {
            keep_unbeaten(taking, row);
        } else if (taking->streams) {
            stream(taking, row);
        } else {
            keep(taking, row);
        }
    }
    if (taking->lines.length > FLUSH_BYTES || taking->lines.failed) {
        flush(taking);
    }
    show_progress(taking);
    return !interrupted && !taking->failed && !taking->full && taking->written == 0;
}

static void render(struct taking *taking, struct kvb_buffer *answer)
{
    const struct arguments *arguments = taking->arguments;
    taking->report.rows = taking->kept;
    taking->report.color = arguments->format == FORMAT_TEXT && kvb_output_use_color(arguments->color);
    switch (arguments->format) {
    case FORMAT_JSON:
        kvb_render_sweep_json(answer, &taking->report);
        break;
    case FORMAT_SVG:
        kvb_render_sweep_svg(answer, &taking->report);
        break;
    case FORMAT_HTML:
        kvb_render_sweep_html(answer, &taking->report);
        break;
    case FORMAT_MARKDOWN:
        kvb_render_sweep_markdown(answer, &taking->report);
        break;
    case FORMAT_CSV:
    case FORMAT_JSONL:
        for (uint64_t i = 0; i < taking->report.count; i++) { // the frontier
            stream(taking, &taking->kept[i]);
        }
        flush(taking);
        break;
    default:
        kvb_render_sweep_text(answer, &taking->report);
    }
}

static int finish(struct taking *taking, struct kvb_buffer *answer)
{
    struct arguments *arguments = taking->arguments;
    char done[32];
    if (taking->failed) {
        return kvb_status_exit_code(
            kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory"));
    }
    if (taking->full) {
        return kvb_status_exit_code(kvb_options_mistake(
            arguments,
            "these are more rows than one page holds (%u); narrow them with --where or --frontier, or take "
            "--format csv or jsonl",
            (unsigned)taking->most));
    }
    if (taking->shown > 0) {
        (void)fputs("\r\033[K", stderr);
    }
    int code = taking->report.fitting + taking->report.tight > 0 ? 0 : 1;
    if (interrupted) { // before it is rendered: a document says so, too
        arguments->answered = true;
        code = kvb_status_exit_code(kvb_problem_add(
            &arguments->problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){0},
            "interrupted after %s plans; what was written is whole", kvb_format_count(done, taking->report.planned)));
    }
    render(taking, answer);
    return taking->written != 0 ? taking->written : code;
}

static int run(struct arguments *arguments, const struct kvb_sweep *sweep, struct kvb_buffer *answer)
{
    struct taking taking = {.arguments = arguments, .sweep = sweep, .started = time(NULL)};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    interrupted = 0;
    (void)sigaction(SIGINT, &action, &before);
    taking.streams = arguments->format == FORMAT_CSV || arguments->format == FORMAT_JSONL;
    taking.most = arguments->frontier ? FRONTIER_ROWS_MAX : PAGE_ROWS_MAX;
    taking.report = (struct kvb_sweep_report){
        .sweep = sweep, .figure = arguments->figure, .frontier = arguments->frontier, .problems = &arguments->problems};
    kvb_buffer_init(&taking.lines);
    if (arguments->format == FORMAT_CSV) {
        kvb_sweep_csv_head(&taking.lines, sweep);
    }
    enum kvb_status status = kvb_sweep_run(sweep, 0, false, take, &taking, &arguments->problems);
    (void)sigaction(SIGINT, &before, NULL); // as whoever asked had it
    int code = status == KVB_OK ? finish(&taking, answer) : kvb_status_exit_code(status);
    kvb_buffer_free(&taking.lines);
    kvb_free(taking.kept);
    return code;
}

static bool is_varied(const struct arguments *arguments, enum kvb_sweep_kind kind)
{
    for (uint32_t i = 0; i < arguments->varied_count; i++) {
        if (arguments->varied[i].kind == kind) {
            return true;
        }
    }
    return false;
}

int kvb_run_sweep(struct arguments *arguments, struct kvb_buffer *answer)
{
    static const char *const flags[] = {"model", "engine", "gpu"};
    char why[256];
    if (!is_varied(arguments, KVB_SWEEP_MODEL)) {
        return kvb_status_exit_code(
            kvb_options_mistake(arguments, "no model is named; give --model NAME or NAME,NAME"));
    }
    if (!is_varied(arguments, KVB_SWEEP_GPU) && !kvb_names_gpu(&arguments->question.deployment)) {
        return kvb_status_exit_code(kvb_options_mistake(arguments, "no GPU is named; give --gpu NAME or NAME,2xNAME"));
    }
    struct kvb_sweep *sweep = kvb_sweep_make(&arguments->question.deployment);
    if (sweep == NULL) {
        return kvb_status_exit_code(
            kvb_problem_add(&arguments->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory"));
    }
    bool fine = true;
    for (uint32_t i = 0; i < arguments->varied_count; i++) {
        const struct varied *varied = &arguments->varied[i];
        if (!kvb_sweep_vary(sweep, varied->kind, varied->setting, varied->text, why)) {
            const char *name =
                varied->kind == KVB_SWEEP_SETTING ? kvb_setting_row_of(varied->setting)->key : flags[varied->kind];
            (void)kvb_options_mistake(arguments, "%s: %s", name, why);
            fine = false;
        }
    }
    int code = fine ? run(arguments, sweep, answer) : kvb_status_exit_code(KVB_BAD_ARGUMENT);
    kvb_sweep_free(sweep);
    return code;
}

static const char *const figure_words[] = {"verdict", "tokens", "concurrency", "pool",
                                           "slack",   "length", "balance",     NULL};

static bool set_figure(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (!kvb_sweep_figure_find(value, &arguments->figure)) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not known; expected %s", row->name, value,
                                  row->argument);
        return false;
    }
    return true;
}

static bool set_where(struct arguments *arguments, const struct option_row *row, const char *value)
{
    char why[256];
    if (arguments->condition_count == CONDITIONS_MAX) {
        (void)kvb_options_mistake(arguments, "--%s: at most %d conditions", row->name, CONDITIONS_MAX);
        return false;
    }
    if (!kvb_sweep_condition_parse(value, &arguments->conditions[arguments->condition_count], why)) {
        (void)kvb_options_mistake(arguments, "--%s: %s", row->name, why);
        return false;
    }
    arguments->condition_count++;
    return true;
}

static bool set_frontier(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->frontier = true;
    return true;
}

// "enforce-eager=true,false": a switch, which as a flag has no value.
static bool set_vary(struct arguments *arguments, const struct option_row *row, const char *value)
{
    char key[64];
    size_t length = strcspn(value, "=");
    for (unsigned i = 0; value[length] == '=' && length < sizeof key && i < KVB_SETTING_COUNT; i++) {
        memcpy(key, value, length);
        key[length] = '\0';
        for (char *c = key; *c != '\0'; c++) {
            *c = *c == '-' ? '_' : *c;
        }
        if (strcmp(kvb_setting_row_of((enum kvb_setting)i)->key, key) == 0) {
            return kvb_sweep_takes(arguments, KVB_SWEEP_SETTING, (enum kvb_setting)i, value + length + 1);
        }
    }
    bool pair = length > 0 && value[length] == '=';
    (void)kvb_options_mistake(arguments, "--%s: '%.*s' is %s; expected such as enforce-eager=true,false", row->name,
                              pair && length < 60 ? (int)length : 60, value, pair ? "no setting" : "not SETTING=LIST");
    return false;
}

static const struct option_row rows[] = {
    {"vary", NULL, "SETTING=LIST", "any setting, switches too: enforce-eager=true,false; repeatable", NULL, set_vary,
     .set_bit = OPTIONS_SWEEP, .repeatable = true},
    {"figure", NULL, "verdict|tokens|concurrency|pool|slack|length|balance", "what a grid of two settings shows",
     figure_words, set_figure, .set_bit = OPTIONS_SWEEP},
    {"where", NULL, "CONDITION", "only rows such as 'concurrency >= 8' or 'pool > 12GiB'; repeatable", NULL, set_where,
     .set_bit = OPTIONS_SWEEP, .repeatable = true},
    {"frontier", NULL, NULL, "only what nothing else beats: fewest GPUs, longest requests, most of them", NULL,
     set_frontier, .set_bit = OPTIONS_SWEEP},
};

void kvb_options_add_sweep(struct option_list *list)
{
    kvb_options_add(list, rows, sizeof rows / sizeof rows[0]);
}
