// A plan drawn: the card's memory as a bar with its bounds, and how many requests of which length run at once.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "engines/table.h"
#include "report/picture.h"
#include "report/pictures.h"

#define WIDTH 800U
#define LEFT 20U
#define BAR_WIDTH (WIDTH - 2 * LEFT)
#define BAR_TOP 70U
#define BAR_HEIGHT 48U
#define LEGEND_TOP 184U
#define LEGEND_STEP 22U

static const char *const styles[KVB_ITEM_COUNT] = {
    [KVB_ITEM_WEIGHTS] = "weights",   [KVB_ITEM_ACTIVATION] = "activation", [KVB_ITEM_NON_TORCH] = "non_torch",
    [KVB_ITEM_CUDA_GRAPH] = "graphs", [KVB_ITEM_RESERVED] = "reserved",     [KVB_ITEM_OTHER] = "other",
    [KVB_ITEM_KV_CACHE] = "cache",
};

static void title_of(char out[256], const struct kvb_plan_report *report)
{
    static const char *const words[] = {
        [KVB_FITS] = "fits", [KVB_TIGHT] = "tight", [KVB_DOES_NOT_FIT] = "does not fit"};
    uint64_t count = kvb_gpu_count(&report->budget->settings);
    char number[32] = "";
    if (count > 1) {
        (void)snprintf(number, sizeof number, "%u x ", (unsigned)count);
    }
    (void)snprintf(out, 256, "%.80s on %s%.80s: %s", report->plan->model.name, number, report->plan->gpu.name,
                   words[report->budget->verdict]);
}

// "weights 15.27 GiB (15.19 to 15.34)".
static void say_term(char out[160], const struct kvb_plan_report *report, unsigned item)
{
    const struct kvb_budget *budget = report->budget;
    const struct kvb_term *term = &budget->items[item];
    char bytes[32], low[32], high[32];
    int used = snprintf(out, 160, "%s %s GiB", kvb_engine_label(kvb_engine_of(report->plan), (enum kvb_item)item),
                        kvb_format_gib(bytes, term->bytes, 2));
    if (term->low_bytes != term->high_bytes && used > 0 && used < 160) {
        (void)snprintf(out + used, 160 - (size_t)used, " (%s to %s)", kvb_format_gib(low, term->low_bytes, 2),
                       kvb_format_gib(high, term->high_bytes, 2));
    }
}

static bool is_shown(const struct kvb_budget *budget, unsigned item)
{
    return budget->items[item].bytes != 0 || item == KVB_ITEM_KV_CACHE;
}

struct bar {
    uint64_t whole_bytes, end_bytes;
    unsigned left;
};

static unsigned advance(struct bar *bar, uint64_t bytes)
{
    bar->end_bytes = kvb_add(bar->end_bytes, bytes);
    return LEFT + kvb_pixels(bar->end_bytes, bar->whole_bytes, BAR_WIDTH);
}

static void draw_segment(struct kvb_svg *svg, struct bar *bar, uint64_t bytes, const char *style, const char *says,
                         const int64_t *figure)
{
    unsigned end = advance(bar, bytes);
    if (end > bar->left) {
        kvb_svg_box(svg, bar->left, BAR_TOP, end - bar->left, BAR_HEIGHT, style, says, figure);
    }
    bar->left = end;
}

// What the cache may be at least and at most, as a whisker under its right end.
static void draw_bounds(struct kvb_svg *svg, const struct kvb_budget *budget, const struct bar *bar, uint64_t before)
{
    const struct kvb_term *cache = &budget->items[KVB_ITEM_KV_CACHE];
    unsigned low = LEFT + kvb_pixels(kvb_add(before, kvb_positive(cache->low_bytes)), bar->whole_bytes, BAR_WIDTH);
    unsigned high = LEFT + kvb_pixels(kvb_add(before, kvb_positive(cache->high_bytes)), bar->whole_bytes, BAR_WIDTH);
    unsigned y = BAR_TOP + BAR_HEIGHT + 8;
    kvb_svg_line(svg, low, y, high, y, "whisker");
    kvb_svg_line(svg, low, y - 5, low, y + 5, "whisker");
    kvb_svg_line(svg, high, y - 5, high, y + 5, "whisker");
}

static void draw_bar(struct kvb_svg *svg, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    struct bar bar = {.left = LEFT};
    char text[160], gib[32];
    uint64_t terms = 0;
    for (unsigned i = 0; i < KVB_ITEM_KV_CACHE; i++) {
        terms = kvb_add(terms, kvb_positive(budget->items[i].bytes));
    }
    uint64_t sum = kvb_add(kvb_add(terms, kvb_positive(budget->items[KVB_ITEM_KV_CACHE].bytes)),
                           kvb_positive(budget->outside_bytes));
    bar.whole_bytes = kvb_max(budget->memory_bytes, sum);
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        say_term(text, report, i);
        draw_segment(svg, &bar, kvb_positive(budget->items[i].bytes), styles[i], text, &budget->items[i].bytes);
    }
    (void)snprintf(text, sizeof text, "outside %s GiB", kvb_format_gib(gib, budget->outside_bytes, 2));
    draw_segment(svg, &bar, kvb_positive(budget->outside_bytes), "outside", text, &budget->outside_bytes);
    if (bar.left < LEFT + BAR_WIDTH) {
        kvb_svg_box(svg, bar.left, BAR_TOP, LEFT + BAR_WIDTH - bar.left, BAR_HEIGHT, "free", "free", NULL);
    }
    if (budget->items[KVB_ITEM_KV_CACHE].bytes > 0) {
        draw_bounds(svg, budget, &bar, terms);
    }
    unsigned card = LEFT + kvb_pixels(budget->memory_bytes, bar.whole_bytes, BAR_WIDTH);
    unsigned asked = LEFT + kvb_pixels(budget->requested_bytes, bar.whole_bytes, BAR_WIDTH);
    kvb_svg_line(svg, asked, BAR_TOP - 10, asked, BAR_TOP + BAR_HEIGHT, "whisker");
    kvb_svg_text(svg, asked, BAR_TOP - 14, "dim", "end", "requested");
    kvb_svg_line(svg, card, BAR_TOP - 4, card, BAR_TOP + BAR_HEIGHT + 4, "axis");
    if (sum > budget->memory_bytes) {
        kvb_svg_box(svg, card, BAR_TOP + BAR_HEIGHT + 4, LEFT + BAR_WIDTH - card, 8, "over", "more than the card has",
                    NULL);
        kvb_svg_text(svg, LEFT + BAR_WIDTH, BAR_TOP + BAR_HEIGHT + 50, "dim", "end", "more than the card has");
    }
    (void)snprintf(text, sizeof text, "%s GiB", kvb_format_gib(gib, (int64_t)budget->memory_bytes, 2));
    kvb_svg_text(svg, card, BAR_TOP + BAR_HEIGHT + 34, "dim", "end", text);
}

static unsigned draw_legend(struct kvb_svg *svg, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    unsigned y = LEGEND_TOP;
    char text[160], gib[32];
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        if (is_shown(budget, i)) {
            bool over = budget->items[i].bytes < 0;
            say_term(text, report, i);
            kvb_svg_box(svg, LEFT, y - 11, 14, 14, over ? "over" : styles[i], text, NULL);
            kvb_svg_text(svg, LEFT + 24, y, "text", "start", text);
            y += LEGEND_STEP;
        }
    }
    if (budget->outside_bytes != 0) { // an engine may count all that it takes
        (void)snprintf(text, sizeof text, "outside %s GiB: context, NCCL, graphs, others",
                       kvb_format_gib(gib, budget->outside_bytes, 2));
        kvb_svg_box(svg, LEFT, y - 11, 14, 14, "outside", text, NULL);
        kvb_svg_text(svg, LEFT + 24, y, "text", "start", text);
        y += LEGEND_STEP;
    }
    (void)snprintf(text, sizeof text, "one request needs %s GiB of cache; balance %s GiB",
                   kvb_format_gib(gib, (int64_t)budget->needed_bytes, 2),
                   kvb_format_gib((char[32]){0}, budget->balance_bytes, 2));
    kvb_svg_text(svg, LEFT + 24, y, "text", "start", text);
    return y + LEGEND_STEP;
}

#define PLOT_HEIGHT 140U

// Bars of how many requests run at once, by length; heights by the logarithm to base two.
static void draw_requests(struct kvb_svg *svg, const struct kvb_kv_cache *kv, unsigned top)
{
    unsigned step = BAR_WIDTH / kv->frontier_count;
    unsigned most = 1;
    unsigned heights[KVB_FRONTIER_MAX];
    for (uint32_t i = 0; i < kv->frontier_count; i++) {
        heights[i] = 0;
        while (kv->frontier[i].concurrency_hundredths >> heights[i] > 50) {
            heights[i]++;
        }
        most = heights[i] > most ? heights[i] : most;
    }
    kvb_svg_text(svg, LEFT, top, "head", "start",
                 "Requests at once by length in tokens (a step of height doubles them)");
    for (uint32_t i = 0; i < kv->frontier_count; i++) {
        const struct kvb_frontier_point *point = &kv->frontier[i];
        char count[48], length[32];
        unsigned height = heights[i] * PLOT_HEIGHT / most, x = LEFT + i * step, bottom = top + 40 + PLOT_HEIGHT;
        int64_t figure = (int64_t)point->length_tokens;
        (void)snprintf(count, sizeof count, "%u.%02u", (unsigned)(point->concurrency_hundredths / 100),
                       (unsigned)(point->concurrency_hundredths % 100));
        kvb_svg_box(svg, x + 4, bottom - height, step - 8, height, "cache", count, &figure);
        kvb_svg_text(svg, x + step / 2, bottom - height - 5, "text", "middle", count);
        kvb_svg_text(svg, x + step / 2, bottom + 16, "dim", "middle", kvb_format_count(length, point->length_tokens));
    }
}

static bool has_requests(const struct kvb_budget *budget)
{
    return budget->kv.frontier_count > 1 && budget->verdict != KVB_DOES_NOT_FIT;
}

static void describe(char out[512], const struct kvb_budget *budget)
{
    char memory[32], requested[32], cache[32], need[32];
    (void)snprintf(
        out, 512,
        "Of %s GiB of GPU memory the engine requests %s GiB; %s GiB of it are left for the KV cache, and one "
        "request of full length needs %s GiB.",
        kvb_format_gib(memory, (int64_t)budget->memory_bytes, 2),
        kvb_format_gib(requested, (int64_t)budget->requested_bytes, 2),
        kvb_format_gib(cache, budget->items[KVB_ITEM_KV_CACHE].bytes, 2),
        kvb_format_gib(need, (int64_t)budget->needed_bytes, 2));
}

static const struct kvb_training *training_of(const struct kvb_plan_report *report)
{
    return report->residents != NULL ? report->residents->training : NULL;
}

static unsigned rows_of(const struct kvb_budget *budget)
{
    unsigned rows = 2;
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        rows += is_shown(budget, i);
    }
    return rows;
}

void kvb_render_plan_svg(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    char title[256], description[512];
    unsigned plot = LEGEND_TOP + rows_of(budget) * LEGEND_STEP + 24;
    unsigned phases = has_requests(budget) ? plot + PLOT_HEIGHT + 90 : plot;
    const struct kvb_training *training = training_of(report);
    struct kvb_svg svg = {
        .out = out, .width = WIDTH, .height = training != NULL ? phases + kvb_phases_height() : phases};
    title_of(title, report);
    describe(description, budget);
    kvb_svg_open(&svg, title, description);
    kvb_svg_text(&svg, LEFT, 30, "head", "start", title);
    draw_bar(&svg, report);
    (void)draw_legend(&svg, report);
    if (has_requests(budget)) {
        draw_requests(&svg, &budget->kv, plot);
    }
    if (training != NULL) {
        kvb_draw_phases(&svg, phases, training);
    }
    kvb_svg_close(&svg);
}

static void add_terms(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    static const char *const head[] = {"term", "GiB", "at least", "at most", "basis"};
    kvb_html_table_open(out, "Per GPU, of the tightest rank");
    kvb_html_row(out, true, head, 5);
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        const struct kvb_term *term = &budget->items[i];
        char bytes[32], low[32], high[32];
        const char *const cells[] = {kvb_engine_label(kvb_engine_of(report->plan), (enum kvb_item)i),
                                     kvb_format_gib(bytes, term->bytes, 2), kvb_format_gib(low, term->low_bytes, 2),
                                     kvb_format_gib(high, term->high_bytes, 2), kvb_basis_name(term->basis)};
        if (is_shown(budget, i)) {
            kvb_html_row(out, false, cells, 5);
        }
    }
    kvb_html_table_close(out);
}

void kvb_render_plan_html(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    char title[256], description[512];
    title_of(title, report);
    describe(description, report->budget);
    kvb_html_open(out, title);
    kvb_html_paragraph(out, description);
    kvb_render_plan_svg(out, report);
    if (report->budget->error[0] != '\0') {
        kvb_html_heading(out, "The error this release gives");
        kvb_html_code(out, report->budget->error);
    }
    add_terms(out, report);
    if (training_of(report) != NULL) {
        kvb_html_phases(out, training_of(report));
    }
    if (report->command != NULL) {
        kvb_html_heading(out, "To start it");
        kvb_html_code(out, report->command);
    }
    kvb_html_close(out);
}
