// The explanation of a log as a page of 80 columns: what happened, the numbers, what fixes it and what does not.
#include <string.h>

#include <kvbudget/units.h>

#include "report/columns.h"
#include "report/explain_report.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

static void join(char out[48], const char *a, const char *b, const char *c)
{
    const char *const parts[] = {a, b, c};
    size_t used = 0;
    for (size_t i = 0; i < 3; i++) {
        for (const char *p = parts[i]; *p != '\0' && used + 1 < 48; p++) {
            out[used++] = *p;
        }
    }
    out[used] = '\0';
}

static void format_bytes(char out[48], int64_t value)
{
    char text[32];
    bool small = value > -(int64_t)KVB_MIB && value < (int64_t)KVB_MIB && value != 0;
    if (small) {
        join(out, value < 0 ? "-" : "", kvb_format_count(text, (uint64_t)(value < 0 ? -value : value)), " B");
    } else {
        join(out, kvb_format_gib(text, value, 2), " GiB", "");
    }
}

void kvb_explain_value(char out[48], enum kvb_log_unit unit, int64_t value)
{
    char text[32];
    uint64_t size = value < 0 ? 0 : (uint64_t)value;
    if (unit == KVB_LOG_BYTES) {
        format_bytes(out, value);
    } else if (unit == KVB_LOG_HUNDREDTHS) {
        char cents[4] = {'.', (char)('0' + size / 10 % 10), (char)('0' + size % 10), '\0'};
        join(out, kvb_format_count(text, size / 100), cents, "x");
    } else if (unit == KVB_LOG_PPM) {
        join(out, kvb_format_ppm(text, (uint32_t)size), "", "");
    } else {
        join(out, kvb_format_count(text, size), "", "");
    }
}

// A path that is too long for a title is cut to its last part.
static const char *short_name(const char *model)
{
    const char *slash = strrchr(model, '/');
    return strlen(model) > 44 && slash != NULL && slash[1] != '\0' ? slash + 1 : model;
}

void kvb_explain_engine(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    char low[32];
    char high[32];
    kvb_text_add_safe(out, log->engine != KVB_LOG_UNKNOWN_ENGINE ? kvb_log_engine_name(log->engine) : "unknown engine");
    if (log->version_known) {
        kvb_buffer_add(out, " ");
        kvb_text_add_safe(out, log->version);
    } else if (log->since != 0 && (log->until == 0 || log->until >= log->since)) {
        bool one = log->until == log->since;
        kvb_buffer_printf(out, " %s%s%s by its wording", kvb_release_format(low, log->since), one ? "" : " to ",
                          one               ? ""
                          : log->until != 0 ? kvb_release_format(high, log->until)
                                            : "newest");
    }
    if (log->generation_known) {
        kvb_buffer_add(out, log->generation == KVB_GENERATION_V0 ? " (V0)" : " (V1)");
    }
    if (log->model[0] != '\0') {
        kvb_buffer_add(out, ", ");
        kvb_text_add_safe(out, short_name(log->model));
    }
}

static void headline_of_other(struct kvb_buffer *out, const struct kvb_log_failure *failure)
{
    const char *title = failure->title != NULL ? failure->title : "the exception is below";
    if (failure->about_memory == KVB_LOG_NO) {
        kvb_buffer_printf(out, "Not about GPU memory: %s", title);
    } else if (failure->about_memory == KVB_LOG_YES) {
        kvb_buffer_printf(out, "other: %s", failure->title != NULL ? failure->title : "the engine refuses to start");
    } else if (failure->title != NULL) {
        kvb_buffer_printf(out, "%s; the cause is above what was pasted", failure->title);
    } else {
        kvb_buffer_add(out, "It failed; the cause is above what was pasted");
    }
}

void kvb_explain_headline(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    if (log->verdict == KVB_LOG_FAILED && log->failure.kind == KVB_FAILURE_OTHER) {
        headline_of_other(out, &log->failure);
    } else if (log->verdict == KVB_LOG_FAILED && log->failure.stage_unknown) {
        kvb_buffer_printf(out, "%s, most likely: out of memory while loading, profiling, capturing or serving",
                          kvb_failure_name(log->failure.kind));
    } else if (log->verdict == KVB_LOG_FAILED) {
        kvb_buffer_printf(out, "%s: %s", kvb_failure_name(log->failure.kind), kvb_failure_title(log->failure.kind));
    } else if (log->excerpt) {
        kvb_buffer_add(out, "figures of a start, none of them bad; nothing shows that the server became ready");
    } else if (log->has_series) {
        kvb_buffer_add(out, "readings of GPU memory over time");
    } else if (log->has_metrics) {
        kvb_buffer_add(out, "a server that runs");
    } else if (log->verdict == KVB_LOG_HEALTHY) {
        kvb_buffer_printf(out, "no failure found; furthest stage: %s", kvb_log_stage_name(log->stage));
    } else if (log->verdict == KVB_LOG_INCOMPLETE) {
        kvb_buffer_printf(out, "the log ends before the server was ready; furthest stage: %s",
                          kvb_log_stage_name(log->stage));
    } else {
        kvb_buffer_add(out, "no line of a known engine's memory arithmetic in this log");
    }
}

static void add_title(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    static const char *const words[] = {"HEALTHY", "FAILED", "UNKNOWN", "INCOMPLETE"};
    static const enum kvb_styles styles[] = {KVB_STYLE_GOOD, KVB_STYLE_BAD, KVB_STYLE_WARN, KVB_STYLE_WARN};
    const struct kvb_log_report *log = report->log;
    size_t start = out->length;
    kvb_explain_engine(out, log);
    size_t used = out->length - start;
    size_t word = strlen(words[log->verdict]);
    kvb_buffer_fill(out, ' ', used + word + 2 < kvb_page_width(out) ? kvb_page_width(out) - used - word : 2);
    kvb_style(out, report->color, styles[log->verdict]);
    kvb_buffer_add(out, words[log->verdict]);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, "\n");
    kvb_style(out, report->color, KVB_STYLE_STRONG);
    kvb_explain_headline(out, log);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, "\n");
}

// How far an unfinished start came, and what a finished one would show.
static void add_missing(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    if (log->verdict != KVB_LOG_INCOMPLETE) {
        return;
    }
    kvb_text_add_wrapped(
        out,
        "No line says that it became ready (\"Application startup complete\", \"init engine ... took\", "
        "a served request), and none says that it failed: it was still starting, or the end of the "
        "log is missing.",
        2, kvb_page_width(out));
}

// The message, cut where its own advice begins to be long.
static void add_failure(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    char text[360];
    size_t length = strlen(log->failure.text);
    if (log->failure.kind == KVB_FAILURE_NONE) {
        return;
    }
    size_t most = length < sizeof text - 4 ? length : sizeof text - 4;
    while (most < length && most > 0 && log->failure.text[most] != ' ') {
        most--;
    }
    memcpy(text, log->failure.text, most);
    memcpy(text + most, "...", 4);
    text[most < length ? most + 3 : most] = '\0';
    kvb_buffer_printf(out, "line %llu, %s%s:\n", (unsigned long long)log->failure.line, kvb_log_stage_name(log->stage),
                      log->failure.inferred && log->failure.kind != KVB_FAILURE_OTHER ? ", by inference" : "");
    kvb_text_add_wrapped(out, text, 2, kvb_page_width(out));
    if (log->failure.raised_in[0] != '\0') {
        kvb_buffer_printf(out, "  in %s\n", log->failure.raised_in);
    }
}

static bool is_shown(enum kvb_observation what)
{
    return what < KVB_OBS_PUBLISHED_COUNT || what == KVB_OBS_OOM_FREE || what == KVB_OBS_OOM_UNALLOCATED ||
           what == KVB_OBS_OOM_PRIVATE || what == KVB_OBS_OOM_PROCESS || what == KVB_OBS_AVAIL_BEFORE_LOAD ||
           (what >= KVB_OBS_RUNNING && what <= KVB_OBS_TORCH_OOMS) || what == KVB_OBS_AVAIL_AFTER_POOL ||
           what == KVB_OBS_STATIC_FRACTION || what == KVB_OBS_CONSUMED || what == KVB_OBS_PEAK_WITH_GRAPHS;
}

static void add_range(struct kvb_columns *columns, const struct kvb_log_value *value, enum kvb_log_unit unit)
{
    char low[48];
    char high[48];
    kvb_explain_value(low, unit, value->low);
    kvb_explain_value(high, unit, value->high);
    if (strcmp(low, high) != 0) {
        struct kvb_buffer range;
        kvb_buffer_init(&range);
        kvb_buffer_printf(&range, "%s to %s over %u lines", low, high, (unsigned)value->count);
        kvb_columns_cell(columns, kvb_buffer_text(&range));
        kvb_buffer_free(&range);
        return;
    }
    kvb_columns_cell(columns, "");
}

// A start with less than nothing left for the cache is no start of a release: blocks or bytes were given, or a changed
// build keeps the cache elsewhere.
static void add_cache_elsewhere(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    const struct kvb_log_value *cache = &log->observed[KVB_OBS_KV_CACHE];
    const struct kvb_log_value *tokens = &log->observed[KVB_OBS_KV_TOKENS];
    if (log->verdict == KVB_LOG_HEALTHY && cache->set && cache->value < 0 && tokens->set && tokens->value > 0) {
        kvb_text_add_wrapped(out,
                             "The profile run left the KV cache less than nothing, and it was laid out all the same: "
                             "its size was given (--num-gpu-blocks-override, --kv-cache-memory-bytes), or this build "
                             "keeps it elsewhere than on the GPU. A release without either refuses such a start.",
                             2, kvb_page_width(out));
    }
}

static void add_numbers(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    struct kvb_columns columns;
    bool any = false;
    kvb_columns_init(&columns, "lrl", 2, 2);
    for (unsigned i = 0; i < KVB_OBS_COUNT; i++) {
        const struct kvb_log_value *value = &log->observed[i];
        char text[48];
        if (!value->set || !is_shown((enum kvb_observation)i)) {
            continue;
        }
        kvb_explain_value(text, kvb_observation_row_of(i)->unit, value->value);
        kvb_columns_cell(&columns, kvb_observation_row_of(i)->label);
        kvb_columns_cell(&columns, text);
        add_range(&columns, value, kvb_observation_row_of(i)->unit);
        kvb_columns_end_row(&columns);
        any = true;
    }
    kvb_buffer_add(out, any ? "\nAs logged\n" : "");
    kvb_columns_write(&columns, out);
    add_cache_elsewhere(out, report);
}

static void add_checks(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    kvb_buffer_add(out, log->check_count > 0 ? "\nChecked\n" : "");
    for (uint32_t i = 0; i < log->check_count; i++) {
        const struct kvb_check *check = &log->checks[i];
        char logged[48];
        char computed[48];
        kvb_explain_value(logged, check->unit, check->logged);
        kvb_explain_value(computed, check->unit, check->computed);
        kvb_buffer_printf(out, "  %s  %s: %s",
                          !check->has_agrees ? "=   "
                          : check->agrees    ? "ok  "
                                             : "OFF ",
                          check->what, computed);
        if (check->has_logged && !check->agrees) {
            kvb_buffer_printf(out, ", logged %s", logged);
        }
        kvb_buffer_add(out, "\n");
        if (check->note[0] != '\0') {
            kvb_text_add_wrapped(out, check->note, 8, kvb_page_width(out));
        }
    }
}

#define SHOWN_THAT_WORK 3 // of the text; --all shows the rest
#define SHOWN_THAT_DO_NOT 2

static void add_remedies(struct kvb_buffer *out, const struct kvb_explain_report *report, bool works)
{
    const struct kvb_log_report *log = report->log;
    unsigned most = report->all ? KVB_REMEDIES_MAX : works ? SHOWN_THAT_WORK : SHOWN_THAT_DO_NOT;
    unsigned more = 0;
    bool first = true;
    for (uint32_t i = 0; i < log->remedy_count; i++) {
        const struct kvb_remedy *remedy = &log->remedies[i];
        if (remedy->works != works) {
            continue;
        }
        if (most == 0) {
            more++;
            continue;
        }
        most--;
        if (first) {
            kvb_buffer_add(out, works ? "\nWhat fixes it\n" : "\nWhat does not\n");
        }
        first = false;
        kvb_style(out, report->color, works ? KVB_STYLE_GOOD : KVB_STYLE_BAD);
        kvb_buffer_add(out, works ? "  + " : "  - ");
        kvb_style(out, report->color, KVB_STYLE_PLAIN);
        kvb_text_add_safe(out, remedy->setting);
        kvb_buffer_printf(out, "%s%s%s%s\n", remedy->from[0] != '\0' ? " " : "", remedy->from,
                          remedy->to[0] != '\0' ? " -> " : "", remedy->to);
        kvb_text_add_wrapped(out, remedy->why, 6, kvb_page_width(out));
    }
    if (more > 0) {
        kvb_buffer_printf(out, "    %u more with --all\n", more);
    }
}

#define RUNS_SHOWN 6 // starts listed one by one

// Many starts by what became of them.
static void add_run_counts(struct kvb_buffer *out, const struct kvb_log_report *log, uint32_t kept)
{
    for (unsigned kind = 0; kind < KVB_FAILURE_COUNT; kind++) {
        unsigned count = 0;
        for (uint32_t i = 0; i < kept; i++) {
            count += log->runs[i].failure == (enum kvb_failure)kind;
        }
        if (count > 0) {
            kvb_buffer_printf(out, "  %u x %s\n", count,
                              kind == KVB_FAILURE_NONE ? "no failure" : kvb_failure_name((enum kvb_failure)kind));
        }
    }
}

static void add_runs(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    if (log->run_count < 2) {
        return;
    }
    kvb_buffer_printf(out, "\n%u starts in this log\n", (unsigned)log->run_count);
    uint32_t kept = log->run_count < KVB_LOG_RUNS_MAX ? log->run_count : KVB_LOG_RUNS_MAX;
    bool few = report->all || kept <= RUNS_SHOWN;
    for (uint32_t i = 0; i < kept; i++) {
        const struct kvb_log_run *run = &log->runs[i];
        bool shown = few || i == 0 || i + 1 == kept || i == log->run_shown;
        if (!shown) {
            continue;
        }
        kvb_buffer_printf(out, "  from line %llu: %s%s\n", (unsigned long long)run->first_line,
                          run->failure != KVB_FAILURE_NONE ? kvb_failure_name(run->failure)
                                                           : kvb_log_stage_name(run->stage),
                          i == log->run_shown ? "  (explained above)" : "");
    }
    if (!few) {
        add_run_counts(out, log, kept);
    }
}

// Most engines log to standard error, which a pipe leaves behind.
#define EMPTY_LOG                                                                                                      \
    "The log is empty. Most servers write to standard error, which a pipe does not take: docker logs NAME 2>&1 | "     \
    "kvbudget explain"

static void add_closest(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    if (log->verdict != KVB_LOG_UNKNOWN) {
        return;
    }
    if (log->line_count == 0) {
        kvb_text_add_wrapped(out, EMPTY_LOG, 0, kvb_page_width(out));
        return;
    }
    kvb_buffer_printf(out, "%llu line%s read. %s\n", (unsigned long long)log->line_count,
                      log->line_count == 1 ? "" : "s",
                      log->closest_count > 0 ? "Closest to something known:" : "None of them speaks of memory.");
    for (uint32_t i = 0; i < log->closest_count; i++) {
        kvb_buffer_printf(out, "  %llu: ", (unsigned long long)log->closest[i].line);
        kvb_text_add_safe(out, log->closest[i].text);
        kvb_buffer_add(out, "\n");
    }
}

// What the budget makes of the same settings, and the line that starts.
static void add_plan(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    if (report->plan == NULL) {
        return;
    }
    kvb_buffer_add(out, "\nBy the plan\n");
    kvb_text_add_wrapped(out,
                         strcmp(report->plan, "does_not_fit") == 0
                             ? (report->command != NULL ? "these settings do not fit; with the first changes that do:"
                                                        : "these settings do not fit, and no setting alone makes them")
                             : "these settings start on this card when it is empty: look for what else held memory",
                         2, kvb_page_width(out));
    if (report->command != NULL) {
        kvb_text_add_command(out, report->command, 2, kvb_page_width(out));
    }
}

void kvb_render_explain_text(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    add_title(out, report);
    add_failure(out, report->log);
    add_missing(out, report->log);
    add_closest(out, report->log);
    add_remedies(out, report, true);
    add_remedies(out, report, false);
    add_plan(out, report);
    kvb_explain_add_running(out, report->log);
    add_numbers(out, report);
    add_checks(out, report);
    add_runs(out, report);
}
