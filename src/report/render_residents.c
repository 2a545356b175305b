// Engines side by side as a table, a picture of the GPU and one sentence for each.
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/bar.h"
#include "report/columns.h"
#include "report/residents_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define BAR_FRAME 4U // indentation and brackets
#define NAME_WIDTH 26

static const char letters[] = "123456789";

static const char *gib(char out[32], int64_t bytes)
{
    return kvb_format_gib(out, bytes, 2);
}

static const char *name_of(char out[NAME_WIDTH + 1], const struct kvb_resident *resident)
{
    const char *name = resident->name;
    (void)snprintf(out, NAME_WIDTH + 1, "%s", name);
    return out;
}

static void add_head(struct kvb_columns *columns)
{
    static const char *const heads[] = {"", "GiB of each GPU", "u", "holds", "KV cache", "at once", "needs", "starts"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        kvb_columns_cell(columns, heads[i]);
    }
    kvb_columns_end_row(columns);
}

static const char *fraction(char out[32], uint32_t ppm)
{
    return ppm == 0 ? "-" : kvb_format_ppm(out, ppm);
}

static void add_engine_cells(struct kvb_columns *columns, const struct kvb_resident_answer *row, bool alone)
{
    char text[32];
    bool fixed = row->charge == KVB_CHARGE_FIXED;
    kvb_columns_cell(columns, fixed ? "-" : fraction(text, row->utilization_ppm));
    kvb_columns_cell(columns, gib(text, (int64_t)row->held_bytes));
    kvb_columns_cell(columns, gib(text, row->kv_cache_bytes));
    kvb_columns_cell(columns, alone ? "-" : gib(text, row->at_once_bytes));
    kvb_columns_cell(columns, fraction(text, row->needs_ppm));
    kvb_columns_cell(columns, row->starts ? "yes" : "no");
}

static void add_rows(struct kvb_buffer *out, const struct kvb_placed *report)
{
    struct kvb_columns columns;
    kvb_columns_init(&columns, "llrrrrrl", 2, 2);
    add_head(&columns);
    for (uint32_t i = 0; i < report->side->count; i++) {
        char name[NAME_WIDTH + 1];
        char number[2] = {letters[i], '\0'};
        char text[32];
        kvb_columns_cell(&columns, number);
        kvb_columns_cell(&columns, name_of(name, &report->residents[i]));
        if (report->residents[i].kind == KVB_RESIDENT_ENGINE) {
            add_engine_cells(&columns, &report->side->rows[i], report->side->engines < 2);
        } else {
            kvb_columns_cell(&columns, "");
            kvb_columns_cell(&columns, gib(text, (int64_t)report->side->rows[i].held_bytes));
        }
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
}

static void add_bar(struct kvb_buffer *out, const struct kvb_side_by_side *side)
{
    char cells[KVB_BAR_CELLS_MAX + 1];
    size_t count = kvb_page_width(out) - BAR_FRAME;
    uint64_t whole = kvb_max(side->memory_bytes, side->held_bytes);
    uint64_t end = 0;
    size_t painted = 0;
    memset(cells, '.', count);
    cells[count] = '\0';
    for (uint32_t i = 0; i < side->count; i++) {
        end = kvb_add(end, side->rows[i].held_bytes);
        size_t until = (size_t)kvb_min(end / (whole / count + 1), count);
        until = side->rows[i].held_bytes > 0 && until == painted && until < count ? until + 1 : until;
        for (; painted < until; painted++) {
            cells[painted] = letters[i];
        }
    }
    char held[32], total[32];
    kvb_buffer_printf(out, "\n  [%s]\n  %s of %s GiB held%s\n", cells, gib(held, (int64_t)side->held_bytes),
                      gib(total, (int64_t)side->memory_bytes), side->crowded ? ": more than there is" : ", . free");
}

static void say_release(struct kvb_buffer *out, const struct kvb_placed *report, uint32_t i)
{
    const struct kvb_resident_answer *row = &report->side->rows[i];
    const struct kvb_engine *engine = &report->residents[i].plan->engine;
    struct kvb_buffer line;
    char size[32], ppm[32];
    kvb_buffer_init(&line);
    kvb_buffer_printf(&line, "%c: %s %s %s.", letters[i], engine->name, engine->version,
                      kvb_charge_row_of(row->charge)->meaning);
    if (row->charged_bytes > 0) {
        kvb_buffer_printf(&line, " %s GiB of others are charged to it.", gib(size, (int64_t)row->charged_bytes));
    }
    if (!row->starts && row->needs_ppm > 0) {
        kvb_buffer_printf(&line, " It does not start among what is held before it; it would from %s on.",
                          kvb_format_ppm(ppm, row->needs_ppm));
    } else if (!row->starts) {
        kvb_buffer_add(&line, " It does not start among what is held before it, whatever its utilization.");
    }
    kvb_text_add_line(out, &line);
}

static void say_at_once(struct kvb_buffer *out, const struct kvb_placed *report)
{
    const struct kvb_side_by_side *side = report->side;
    struct kvb_buffer line;
    if (side->engines < 2) {
        return;
    }
    kvb_buffer_init(&line);
    kvb_buffer_add(&line, "Started all at once,");
    for (uint32_t i = 0; i < side->count; i++) {
        const struct kvb_resident_answer *row = &side->rows[i];
        char size[32], low[32], high[32], cache[32];
        if (report->residents[i].kind != KVB_RESIDENT_ENGINE) {
            continue;
        }
        kvb_buffer_printf(&line,
                          " %c is charged %s GiB (%s to %s) that its neighbours gain meanwhile and has %s GiB of "
                          "KV cache%s",
                          letters[i], gib(size, (int64_t)row->gained_bytes), gib(low, (int64_t)row->gained_low_bytes),
                          gib(high, (int64_t)row->gained_high_bytes), gib(cache, row->at_once_bytes),
                          row->starts_at_once ? ";" : ": it refuses to start;");
    }
    kvb_buffer_add(&line, side->all_start ? " start them one after another, each when the one before serves."
                                          : " the order above is no cure by itself.");
    kvb_text_add_line(out, &line);
}

void kvb_render_residents_text(struct kvb_buffer *out, const struct kvb_placed *report, bool color)
{
    kvb_style_heading(out, color, "Residents, in order of start");
    add_rows(out, report);
    add_bar(out, report->side);
    for (uint32_t i = 0; i < report->side->count; i++) {
        if (report->residents[i].kind == KVB_RESIDENT_ENGINE) {
            say_release(out, report, i);
        }
    }
    say_at_once(out, report);
    if (report->training != NULL) {
        kvb_render_phases_text(out, report, color);
    }
}
