// A log drawn: where the memory of one GPU went as it was logged, and readings over time as a line.
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/picture.h"
#include "report/pictures.h"

#define WIDTH 800U
#define LEFT 20U
#define BAR_WIDTH (WIDTH - 2 * LEFT)
#define BAR_TOP 84U
#define BAR_HEIGHT 40U
#define LEGEND_TOP 162U
#define LEGEND_STEP 22U
#define PLOT_HEIGHT 220U
#define PLOT_FRAME 100U // beside the plot: heading, axis and its words

static const struct {
    enum kvb_observation what;
    const char *style;
} terms[] = {
    {KVB_OBS_WEIGHTS, "weights"},   {KVB_OBS_ACTIVATION, "activation"}, {KVB_OBS_NON_TORCH, "non_torch"},
    {KVB_OBS_CUDA_GRAPH, "graphs"}, {KVB_OBS_KV_CACHE, "cache"},
};
#define TERMS (sizeof terms / sizeof terms[0])

static unsigned count_terms(const struct kvb_log_report *log)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TERMS; i++) {
        count += log->observed[terms[i].what].set;
    }
    return count;
}

// What the whole bar stands for.
static uint64_t whole_of(const struct kvb_log_report *log)
{
    static const enum kvb_observation wholes[] = {KVB_OBS_GPU_MEMORY, KVB_OBS_REQUESTED};
    uint64_t sum = 0, most = 1;
    for (unsigned i = 0; i < TERMS; i++) {
        const struct kvb_log_value *value = &log->observed[terms[i].what];
        sum = kvb_add(sum, value->set ? kvb_positive(value->value) : 0);
    }
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        const struct kvb_log_value *value = &log->observed[wholes[i]];
        most = kvb_max(most, value->set ? kvb_positive(value->value) : 0);
    }
    return kvb_max(most, sum);
}

static void say_term(char out[160], const struct kvb_log_value *value, enum kvb_observation what)
{
    char text[48];
    kvb_explain_value(text, kvb_observation_row_of(what)->unit, value->value);
    (void)snprintf(out, 160, "%s %s", kvb_observation_row_of(what)->label, text);
}

// The bar and its legend; returns where they end.
static unsigned draw_terms(struct kvb_svg *svg, const struct kvb_log_report *log)
{
    uint64_t whole = whole_of(log), end = 0;
    unsigned left = LEFT, y = LEGEND_TOP;
    char text[160];
    kvb_svg_box(svg, LEFT, BAR_TOP, BAR_WIDTH, BAR_HEIGHT, "free", "not said", NULL);
    for (unsigned i = 0; i < TERMS; i++) {
        const struct kvb_log_value *value = &log->observed[terms[i].what];
        if (!value->set) {
            continue;
        }
        say_term(text, value, terms[i].what);
        end = kvb_add(end, kvb_positive(value->value));
        unsigned right = LEFT + kvb_pixels(end, whole, BAR_WIDTH);
        kvb_svg_box(svg, left, BAR_TOP, right - left, BAR_HEIGHT, terms[i].style, text, &value->value);
        kvb_svg_box(svg, LEFT, y - 11, 14, 14, value->value < 0 ? "over" : terms[i].style, text, NULL);
        kvb_svg_text(svg, LEFT + 24, y, "text", "start", text);
        y += LEGEND_STEP;
        left = right;
    }
    const struct kvb_log_value *needed = &log->observed[KVB_OBS_NEEDED];
    if (needed->set) {
        say_term(text, needed, KVB_OBS_NEEDED);
        kvb_svg_text(svg, LEFT + 24, y, "text", "start", text);
    }
    return y + LEGEND_STEP;
}

struct plot {
    unsigned bottom;
    int64_t seconds;
    uint64_t whole_bytes;
};

static unsigned x_of(const struct plot *plot, const struct kvb_log_point *point)
{
    return LEFT + kvb_pixels(kvb_positive(point->second), kvb_positive(plot->seconds), BAR_WIDTH);
}

static unsigned y_of(const struct plot *plot, const struct kvb_log_point *point)
{
    return plot->bottom - kvb_pixels(kvb_positive(point->used_bytes), plot->whole_bytes, PLOT_HEIGHT);
}

static void draw_points(struct kvb_svg *svg, const struct plot *plot, const struct kvb_log_series *series)
{
    for (uint32_t i = 0; i < series->point_count; i++) {
        const struct kvb_log_point *point = &series->points[i];
        char text[96], gib[32];
        unsigned x = x_of(plot, point), y = y_of(plot, point);
        (void)snprintf(text, sizeof text, "%s GiB after %lld %s", kvb_format_gib(gib, point->used_bytes, 2),
                       (long long)point->second, series->has_time ? "s" : "readings");
        if (i > 0) {
            kvb_svg_line(svg, x_of(plot, point - 1), y_of(plot, point - 1), x, y, "curve");
        }
        kvb_svg_box(svg, x > LEFT ? x - 1 : x, y - 1, 3, 3, "weights", text, &point->used_bytes);
    }
}

static void draw_series(struct kvb_svg *svg, const struct kvb_log_series *series, unsigned top)
{
    char text[160], gib[32];
    const struct kvb_log_point *last = &series->points[series->point_count - 1];
    struct plot plot = {.bottom = top + 34 + PLOT_HEIGHT, .seconds = last->second > 0 ? last->second : 1};
    plot.whole_bytes = kvb_max(kvb_positive(series->total_bytes), kvb_max(kvb_positive(series->peak_bytes), 1));
    (void)snprintf(text, sizeof text, "Memory held of GPU %u over time: peak %s GiB", (unsigned)series->gpu,
                   kvb_format_gib(gib, series->peak_bytes, 2));
    kvb_svg_text(svg, LEFT, top, "head", "start", text);
    kvb_svg_line(svg, LEFT, plot.bottom, LEFT + BAR_WIDTH, plot.bottom, "axis");
    kvb_svg_line(svg, LEFT, plot.bottom - PLOT_HEIGHT, LEFT + BAR_WIDTH, plot.bottom - PLOT_HEIGHT, "axis");
    (void)snprintf(text, sizeof text, "%s GiB%s", kvb_format_gib(gib, (int64_t)plot.whole_bytes, 2),
                   series->total_bytes > 0 ? ", the card" : "");
    kvb_svg_text(svg, LEFT, plot.bottom - PLOT_HEIGHT - 5, "dim", "start", text);
    draw_points(svg, &plot, series);
    (void)snprintf(text, sizeof text, "%lld %s", (long long)last->second, series->has_time ? "s" : "readings");
    kvb_svg_text(svg, LEFT + BAR_WIDTH, plot.bottom + 16, "dim", "end", text);
}

static void describe(char out[512], const struct kvb_log_report *log, const char *title)
{
    char peak[32], text[128] = "";
    if (log->has_series) {
        (void)snprintf(text, sizeof text, " Readings of GPU memory as a line: peak %s GiB over %llu readings.",
                       kvb_format_gib(peak, log->series.peak_bytes, 2), (unsigned long long)log->series.samples);
    }
    (void)snprintf(out, 512, "%.300s.%s%s", title,
                   count_terms(log) > 0 ? " The memory of one GPU as the log states it, term by term." : "", text);
}

static bool has_line(const struct kvb_log_report *log)
{
    return log->has_series && log->series.point_count > 1;
}

void kvb_render_explain_svg(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    struct kvb_buffer title, engine;
    char description[512];
    unsigned rows = count_terms(log), plot = rows > 0 ? LEGEND_TOP + (rows + 2) * LEGEND_STEP : BAR_TOP + 10;
    struct kvb_svg svg = {.out = out, .width = WIDTH, .height = has_line(log) ? plot + PLOT_HEIGHT + PLOT_FRAME : plot};
    kvb_buffer_init(&title);
    kvb_buffer_init(&engine);
    kvb_explain_headline(&title, log);
    kvb_explain_engine(&engine, log);
    describe(description, log, kvb_buffer_text(&title));
    kvb_svg_open(&svg, kvb_buffer_text(&title), description);
    kvb_svg_text(&svg, LEFT, 30, "head", "start", kvb_buffer_text(&title));
    kvb_svg_text(&svg, LEFT, 54, "dim", "start",
                 log->engine != KVB_LOG_UNKNOWN_ENGINE || log->model[0] != '\0' ? kvb_buffer_text(&engine) : "");
    if (rows > 0) {
        (void)draw_terms(&svg, log);
    }
    if (has_line(log)) {
        draw_series(&svg, &log->series, plot);
    }
    kvb_svg_close(&svg);
    out->failed |= title.failed | engine.failed;
    kvb_buffer_free(&title);
    kvb_buffer_free(&engine);
}

static void add_value(struct kvb_buffer *out, const char *label, enum kvb_log_unit unit, int64_t value)
{
    char text[48];
    const char *const cells[] = {label, text};
    kvb_explain_value(text, unit, value);
    kvb_html_row(out, false, cells, 2);
}

static void add_observed(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    bool any = log->has_series;
    for (unsigned i = 0; i < KVB_OBS_PUBLISHED_COUNT; i++) {
        any = any || log->observed[i].set;
    }
    if (!any) {
        return;
    }
    kvb_html_table_open(out, "As logged");
    for (unsigned i = 0; i < KVB_OBS_PUBLISHED_COUNT; i++) {
        const struct kvb_log_value *value = &log->observed[i];
        if (value->set) {
            add_value(out, kvb_observation_row_of(i)->label, kvb_observation_row_of(i)->unit, value->value);
        }
    }
    if (log->has_series) {
        add_value(out, "readings", KVB_LOG_COUNT, (int64_t)log->series.samples);
        add_value(out, "first reading", KVB_LOG_BYTES, log->series.first_bytes);
        add_value(out, "largest jump", KVB_LOG_BYTES, log->series.jump_bytes);
        add_value(out, "steady level", KVB_LOG_BYTES, log->series.steady_bytes);
        add_value(out, "peak", KVB_LOG_BYTES, log->series.peak_bytes);
    }
    kvb_html_table_close(out);
}

static void add_remedies(struct kvb_buffer *out, const struct kvb_log_report *log, bool works)
{
    static const char *const head[] = {"setting", "from", "to", "why"};
    bool any = false;
    for (uint32_t i = 0; i < log->remedy_count; i++) {
        const struct kvb_remedy *remedy = &log->remedies[i];
        const char *const cells[] = {remedy->setting, remedy->from, remedy->to, remedy->why};
        if (remedy->works != works) {
            continue;
        }
        if (!any) {
            kvb_html_words_open(out, works ? "What fixes it" : "What does not");
            kvb_html_row(out, true, head, 4);
        }
        kvb_html_row(out, false, cells, 4);
        any = true;
    }
    if (any) {
        kvb_html_table_close(out);
    }
}

static void add_checks(struct kvb_buffer *out, const struct kvb_log_report *log)
{
    static const char *const head[] = {"checked", "computed", "logged", "agrees"};
    if (log->check_count == 0) {
        return;
    }
    kvb_html_words_open(out, "Checked");
    kvb_html_row(out, true, head, 4);
    for (uint32_t i = 0; i < log->check_count; i++) {
        const struct kvb_check *check = &log->checks[i];
        char computed[48], logged[48] = "";
        kvb_explain_value(computed, check->unit, check->computed);
        if (check->has_logged) {
            kvb_explain_value(logged, check->unit, check->logged);
        }
        const char *const cells[] = {check->what, computed, logged,
                                     !check->has_agrees ? ""
                                     : check->agrees    ? "yes"
                                                        : "no"};
        kvb_html_row(out, false, cells, 4);
    }
    kvb_html_table_close(out);
}

void kvb_render_explain_html(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    struct kvb_buffer title;
    kvb_buffer_init(&title);
    kvb_explain_headline(&title, log);
    kvb_html_open(out, kvb_buffer_text(&title));
    if (log->failure.kind != KVB_FAILURE_NONE) {
        kvb_html_code(out, log->failure.text);
    }
    kvb_render_explain_svg(out, report);
    add_remedies(out, log, true);
    add_remedies(out, log, false);
    if (report->command != NULL) {
        kvb_html_heading(out, "By the plan, with the first changes that fit");
        kvb_html_code(out, report->command);
    }
    add_observed(out, log);
    add_checks(out, log);
    kvb_html_close(out);
    out->failed |= title.failed;
    kvb_buffer_free(&title);
}
