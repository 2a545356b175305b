// A sweep drawn: a heat map where two settings vary; a page has its rows as a table too.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "report/picture.h"
#include "report/pictures.h"

#define LEFT 20U
#define LABEL 190U
#define CELL_WIDTH 96U
#define CELL_HEIGHT 30U
#define TOP 90U
#define ROWS_MAX 400U

static const char *style_of(const struct kvb_sweep_row *row)
{
    return row->verdict == KVB_FITS ? "fits" : row->verdict == KVB_TIGHT ? "tight" : "no";
}

// "l4, 8000, fp8" of the axes that vary.
static void name_row(struct kvb_buffer *out, const struct kvb_sweep *sweep, const struct kvb_sweep_row *row)
{
    bool first = true;
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        if (sweep->axes[i].count > 1) {
            kvb_buffer_printf(out, "%s%s", first ? "" : ", ", kvb_sweep_value_text(sweep, i, row));
            first = false;
        }
    }
}

static void title_of(char out[256], const struct kvb_sweep_report *report)
{
    char planned[32], fits[32];
    (void)snprintf(out, 256, "%s: %s of %s combinations start", kvb_sweep_figure_name(report->figure),
                   kvb_format_count(fits, report->fitting + report->tight), kvb_format_count(planned, report->planned));
}

static void draw_cell(struct kvb_svg *svg, const struct kvb_sweep_report *report, const struct kvb_sweep_row *row,
                      unsigned x, unsigned y)
{
    char text[48];
    struct kvb_buffer says;
    int64_t figure = kvb_sweep_figure_of(row, report->figure);
    const char *shown = kvb_sweep_cell_text(text, report, row);
    kvb_buffer_init(&says);
    name_row(&says, report->sweep, row);
    kvb_buffer_printf(&says, ": %s, %s", kvb_verdict_name(row->verdict), shown);
    kvb_svg_box(svg, x, y, CELL_WIDTH - 2, CELL_HEIGHT - 2, style_of(row), kvb_buffer_text(&says),
                report->figure == KVB_SWEEP_FIGURE_VERDICT || report->figure == KVB_SWEEP_FIGURE_CONCURRENCY ? NULL
                                                                                                             : &figure);
    kvb_svg_text(svg, x + CELL_WIDTH / 2, y + 19, "on", "middle", shown);
    kvb_buffer_free(&says);
}

static void draw_grid(struct kvb_svg *svg, const struct kvb_sweep_report *report, uint32_t down, uint32_t across)
{
    const struct kvb_sweep_axis *rows = &report->sweep->axes[down], *columns = &report->sweep->axes[across];
    for (uint32_t i = 0; i < columns->count; i++) {
        kvb_svg_text(svg, LABEL + i * CELL_WIDTH + CELL_WIDTH / 2, TOP - 8, "dim", "middle", columns->values[i].text);
    }
    for (uint32_t at = 0; at < rows->count; at++) {
        kvb_svg_text(svg, LABEL - 10, TOP + at * CELL_HEIGHT + 19, "dim", "end", rows->values[at].text);
        for (uint32_t i = 0; i < columns->count; i++) {
            draw_cell(svg, report, kvb_sweep_cell(report, down, at, across, i), LABEL + i * CELL_WIDTH,
                      TOP + at * CELL_HEIGHT);
        }
    }
}

static void draw_rows(struct kvb_svg *svg, const struct kvb_sweep_report *report, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct kvb_buffer name;
        unsigned y = TOP + (unsigned)i * CELL_HEIGHT;
        kvb_buffer_init(&name);
        name_row(&name, report->sweep, &report->rows[i]);
        draw_cell(svg, report, &report->rows[i], LEFT, y);
        kvb_svg_text(svg, LEFT + CELL_WIDTH + 10, y + 19, "text", "start", kvb_buffer_text(&name));
        kvb_buffer_free(&name);
    }
}

void kvb_render_sweep_svg(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    uint32_t down = 0, across = 0;
    bool grid = kvb_sweep_is_grid(report, &down, &across) && !report->frontier;
    const struct kvb_sweep *sweep = report->sweep;
    uint64_t shown = report->count < ROWS_MAX ? report->count : ROWS_MAX;
    char title[256], description[320];
    struct kvb_svg svg = {.out = out, .width = 800, .height = TOP + (unsigned)shown * CELL_HEIGHT + 20};
    if (grid) {
        unsigned width = LABEL + sweep->axes[across].count * CELL_WIDTH + LEFT;
        svg.width = width > 640 ? width : 640;
        svg.height = TOP + sweep->axes[down].count * CELL_HEIGHT + 20;
    }
    title_of(title, report);
    (void)snprintf(description, sizeof description, "%s", grid ? "" : "One row for each combination.");
    if (grid) {
        (void)snprintf(description, sizeof description, "%s down, %s across; cells say the %s, colours the verdict.",
                       sweep->axes[down].name, sweep->axes[across].name, kvb_sweep_figure_name(report->figure));
    }
    kvb_svg_open(&svg, title, description);
    kvb_svg_text(&svg, LEFT, 30, "head", "start", title);
    if (grid) {
        kvb_svg_text(&svg, LEFT, 52, "dim", "start", description);
        draw_grid(&svg, report, down, across);
    } else {
        draw_rows(&svg, report, shown);
    }
    kvb_svg_close(&svg);
}

static void add_rows(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    static const char *const head[] = {"combination", "verdict", "at once", "longest", "pool GiB", "tokens"};
    static const enum kvb_sweep_figure figures[] = {KVB_SWEEP_FIGURE_VERDICT, KVB_SWEEP_FIGURE_CONCURRENCY,
                                                    KVB_SWEEP_FIGURE_LENGTH, KVB_SWEEP_FIGURE_POOL,
                                                    KVB_SWEEP_FIGURE_TOKENS};
    kvb_html_table_open(out, "Every combination");
    kvb_html_row(out, true, head, 6);
    for (uint64_t i = 0; i < report->count; i++) {
        struct kvb_buffer name;
        char texts[5][48];
        const char *cells[6];
        kvb_buffer_init(&name);
        name_row(&name, report->sweep, &report->rows[i]);
        cells[0] = kvb_buffer_text(&name);
        for (unsigned f = 0; f < 5; f++) {
            cells[f + 1] =
                kvb_sweep_figure_format(texts[f], figures[f], kvb_sweep_figure_of(&report->rows[i], figures[f]));
        }
        kvb_html_row(out, false, cells, 6);
        kvb_buffer_free(&name);
    }
    kvb_html_table_close(out);
}

void kvb_render_sweep_html(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    char title[256];
    title_of(title, report);
    kvb_html_open(out, title);
    kvb_render_sweep_svg(out, report);
    add_rows(out, report);
    kvb_html_close(out);
}
