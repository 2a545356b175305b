// The cases of a check drawn: a row each with its verdict, its KV cache and what one request needs of it.
#include <stdio.h>

#include "base/checked.h"
#include "report/picture.h"
#include "report/pictures.h"

#define WIDTH 860U
#define LEFT 20U
#define NAME 110U
#define BARS 430U
#define BAR_WIDTH 300U
#define STEP 34U
#define TOP 84U

static void title_of(char out[128], const struct kvb_gate_totals *totals)
{
    (void)snprintf(out, 128, "%u passed, %u failed, %u error%s", (unsigned)totals->passed, (unsigned)totals->failed,
                   (unsigned)totals->errors, totals->errors == 1 ? "" : "s");
}

static uint64_t largest(const struct kvb_gate_totals *totals)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < totals->count; i++) {
        const struct kvb_case_figures *figures = totals->cases[i].figures;
        if (figures != NULL) {
            most = kvb_max(most, kvb_max(figures->needed_bytes, kvb_positive(figures->kv_cache_bytes)));
        }
    }
    return most;
}

static void draw_figures(struct kvb_svg *svg, const struct kvb_case_figures *figures, uint64_t whole, unsigned y)
{
    char text[160], have[32], need[32];
    int64_t needed = (int64_t)kvb_min(figures->needed_bytes, INT64_MAX);
    (void)snprintf(text, sizeof text, "%s of %s GiB", kvb_format_gib(have, figures->kv_cache_bytes, 2),
                   kvb_format_gib(need, needed, 2));
    kvb_svg_box(svg, BARS, y, kvb_pixels(kvb_positive(figures->kv_cache_bytes), whole, BAR_WIDTH), 10, "cache", text,
                &figures->kv_cache_bytes);
    kvb_svg_box(svg, BARS, y + 12, kvb_pixels(figures->needed_bytes, whole, BAR_WIDTH), 8, "outside", text, &needed);
    kvb_svg_text(svg, BARS + BAR_WIDTH + 10, y + 14, "dim", "start", text);
}

static void draw_case(struct kvb_svg *svg, const struct kvb_check_case *each, uint64_t whole, unsigned y)
{
    static const char *const styles[] = {[KVB_CASE_PASS] = "fits", [KVB_CASE_FAIL] = "no", [KVB_CASE_ERROR] = "tight"};
    const char *word = kvb_case_verdict_name(each->verdict);
    char place[96];
    kvb_svg_box(svg, LEFT, y, 76, 22, styles[each->verdict], word, NULL);
    kvb_svg_text(svg, LEFT + 38, y + 15, "on", "middle", word);
    kvb_svg_text(svg, NAME, y + 10, "text", "start", each->name);
    (void)snprintf(place, sizeof place, "%.80s:%u", each->file, (unsigned)each->place.line);
    kvb_svg_text(svg, NAME, y + 24, "dim", "start", place);
    if (each->figures != NULL && (each->figures->kv_cache_bytes != 0 || each->figures->needed_bytes != 0)) {
        draw_figures(svg, each->figures, whole, y);
    }
}

void kvb_render_check_svg(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    const struct kvb_gate_totals *totals = &report->totals;
    uint64_t whole = largest(totals);
    char title[128];
    struct kvb_svg svg = {.out = out, .width = WIDTH, .height = TOP + totals->count * STEP + 20};
    title_of(title, totals);
    kvb_svg_open(&svg, title,
                 "One row for each deployment: its verdict, its KV cache, and what one request of full "
                 "length needs of it.");
    kvb_svg_text(&svg, LEFT, 30, "head", "start", title);
    kvb_svg_text(&svg, LEFT, 54, "dim", "start", "KV cache (green) and what one request needs of it (grey), in GiB");
    for (uint32_t i = 0; i < totals->count; i++) {
        draw_case(&svg, &totals->cases[i], whole, TOP + i * STEP);
    }
    kvb_svg_close(&svg);
}

static void add_case(struct kvb_buffer *out, const struct kvb_check_case *each)
{
    const struct kvb_case_figures *figures = each->figures;
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    char place[128], what[384] = "", cache[32] = "", need[32] = "";
    (void)snprintf(place, sizeof place, "%.100s:%u", each->file, (unsigned)kvb_case_spot(each).line);
    if (figures != NULL) {
        (void)snprintf(what, sizeof what, "%.160s on %.100s, %.80s", figures->model, figures->gpus, figures->engine);
        (void)kvb_format_gib(cache, figures->kv_cache_bytes, 2);
        (void)kvb_format_gib(need, (int64_t)kvb_min(figures->needed_bytes, INT64_MAX), 2);
    }
    const char *const cells[] = {each->name, kvb_case_verdict_name(each->verdict),      place, what, cache,
                                 need,       reason != NULL ? reason->text : each->text};
    kvb_html_row(out, false, cells, sizeof cells / sizeof cells[0]);
}

static void add_moved(struct kvb_buffer *out, const struct kvb_against *against)
{
    static const char *const head[] = {"deployment", "what", "before", "after"};
    kvb_html_words_open(out, "What moved");
    kvb_html_row(out, true, head, 4);
    for (uint32_t i = 0; i < against->count; i++) {
        const struct kvb_case_change *change = &against->changes[i];
        const struct kvb_check_case *newest = change->after != NULL ? change->after : change->before;
        for (uint32_t k = 0; k < change->moved_count; k++) {
            const struct kvb_moved *moved = &change->moved[k];
            const char *const cells[] = {newest->name, moved->what, moved->before != NULL ? moved->before : "not set",
                                         moved->after != NULL ? moved->after : "not set"};
            kvb_html_row(out, false, cells, 4);
        }
    }
    kvb_html_table_close(out);
}

void kvb_render_check_html(struct kvb_buffer *out, const struct kvb_check_report *report)
{
    static const char *const head[] = {"deployment",   "verdict",          "place", "what",
                                       "KV cache GiB", "one request, GiB", "why"};
    const struct kvb_gate_totals *totals = &report->totals;
    char title[128];
    title_of(title, totals);
    kvb_html_open(out, title);
    kvb_render_check_svg(out, report);
    kvb_html_words_open(out, "Every deployment");
    kvb_html_row(out, true, head, sizeof head / sizeof head[0]);
    for (uint32_t i = 0; i < totals->count; i++) {
        add_case(out, &totals->cases[i]);
    }
    kvb_html_table_close(out);
    if (totals->against != NULL) {
        add_moved(out, totals->against);
    }
    if (totals->not_understood_count > 0) {
        kvb_html_heading(out, "Files that speak of an engine and gave no deployment");
        for (uint32_t i = 0; i < totals->not_understood_count; i++) {
            kvb_html_paragraph(out, totals->not_understood[i]);
        }
    }
    kvb_html_close(out);
}
