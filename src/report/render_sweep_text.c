// Rows of a sweep for people: a grid where two settings vary, else a table; on a terminal or as Markdown.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "report/columns.h"
#include "report/safe_text.h"
#include "report/style.h"
#include "report/sweep_report.h"

#define GRID_COLUMNS_MAX (KVB_COLUMNS_MAX - 1U)

bool kvb_sweep_is_grid(const struct kvb_sweep_report *report, uint32_t *down, uint32_t *across)
{
    uint32_t varied = 0;
    for (uint32_t i = 0; i < report->sweep->axis_count; i++) {
        if (report->sweep->axes[i].count > 1) {
            *(varied == 0 ? down : across) = i;
            varied++;
        }
    }
    return varied == 2 && report->count == kvb_sweep_count(report->sweep);
}

const struct kvb_sweep_row *kvb_sweep_cell(const struct kvb_sweep_report *report, uint32_t down, uint32_t at_down,
                                           uint32_t across, uint32_t at_across)
{
    (void)down;
    return &report->rows[(uint64_t)at_down * report->sweep->axes[across].count + at_across];
}

const char *kvb_sweep_cell_text(char out[48], const struct kvb_sweep_report *report, const struct kvb_sweep_row *row)
{
    bool needs_start = report->figure == KVB_SWEEP_FIGURE_TOKENS || report->figure == KVB_SWEEP_FIGURE_CONCURRENCY;
    if (row->verdict == KVB_DOES_NOT_FIT && needs_start) {
        return "no";
    }
    return kvb_sweep_figure_format(out, report->figure, kvb_sweep_figure_of(row, report->figure));
}

// A flag as it is written: "max-model-len".
static const char *flag_name(char out[64], const char *key)
{
    size_t i = 0;
    for (; key[i] != '\0' && i < 63; i++) {
        out[i] = key[i] == '_' ? '-' : key[i];
    }
    out[i] = '\0';
    return out;
}

static const char *value_text(char out[48], const struct kvb_sweep_axis *axis, uint32_t digit)
{
    const struct kvb_sweep_value *value = &axis->values[digit];
    enum kvb_value_kind kind =
        axis->kind == KVB_SWEEP_SETTING ? kvb_setting_row_of(axis->setting)->kind : KVB_VALUE_WORD;
    bool counts = kind == KVB_VALUE_COUNT || kind == KVB_VALUE_LENGTH;
    return counts && value->number != KVB_AUTO ? kvb_format_count(out, value->number) : value->text;
}

static void add_title(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    struct kvb_buffer line;
    char count[32], name[64], text[48];
    kvb_buffer_init(&line);
    for (uint32_t i = 0; i < report->sweep->axis_count; i++) {
        const struct kvb_sweep_axis *axis = &report->sweep->axes[i];
        if (axis->count == 1) {
            kvb_buffer_printf(&line, "%s%s %s", line.length > 0 ? ", " : "", flag_name(name, axis->name),
                              value_text(text, axis, 0));
        }
    }
    kvb_buffer_printf(&line, "%s%s plans", line.length > 0 ? ": " : "", kvb_format_count(count, report->planned));
    kvb_buffer_printf(&line, ", %s fit", kvb_format_count(count, report->fitting));
    kvb_buffer_printf(&line, ", %s are tight.", kvb_format_count(count, report->tight));
    kvb_text_add_wrapped(out, kvb_buffer_text(&line), 0, kvb_page_width(out));
    out->failed |= line.failed;
    kvb_buffer_free(&line);
}

static void say_grid(struct kvb_buffer *out, const struct kvb_sweep_report *report, uint32_t down, uint32_t across)
{
    static const char *const units[KVB_SWEEP_FIGURE_COUNT] = {[KVB_SWEEP_FIGURE_TOKENS] = "tokens of the pool",
                                                              [KVB_SWEEP_FIGURE_CONCURRENCY] = "requests at once",
                                                              [KVB_SWEEP_FIGURE_POOL] = "KV cache in GiB",
                                                              [KVB_SWEEP_FIGURE_SLACK] = "slack in GiB",
                                                              [KVB_SWEEP_FIGURE_LENGTH] = "longest length that fits",
                                                              [KVB_SWEEP_FIGURE_BALANCE] = "balance in GiB",
                                                              [KVB_SWEEP_FIGURE_GPUS] = "GPUs",
                                                              [KVB_SWEEP_FIGURE_VERDICT] = "verdict"};
    char name[64];
    kvb_buffer_printf(out, "\n%s by %s (down)", units[report->figure], flag_name(name, report->sweep->axes[down].name));
    kvb_buffer_printf(out, " and %s (across)\n", flag_name(name, report->sweep->axes[across].name));
}

static bool fill_grid(struct kvb_columns *columns, const struct kvb_sweep_report *report, uint32_t down,
                      uint32_t across)
{
    const struct kvb_sweep_axis *rows = &report->sweep->axes[down], *titles = &report->sweep->axes[across];
    char text[48];
    kvb_columns_cell(columns, "");
    for (uint32_t i = 0; i < titles->count; i++) {
        kvb_columns_cell(columns, value_text(text, titles, i));
    }
    kvb_columns_end_row(columns);
    for (uint32_t at = 0; at < rows->count; at++) {
        kvb_columns_cell(columns, value_text(text, rows, at));
        for (uint32_t i = 0; i < titles->count; i++) {
            kvb_columns_cell(columns, kvb_sweep_cell_text(text, report, kvb_sweep_cell(report, down, at, across, i)));
        }
        kvb_columns_end_row(columns);
    }
    return !columns->cells.failed;
}

// False: it is wider than the page, and nothing was written.
static bool add_grid(struct kvb_buffer *out, const struct kvb_sweep_report *report, uint32_t down, uint32_t across)
{
    char alignment[KVB_COLUMNS_MAX + 1] = "l";
    uint32_t count = report->sweep->axes[across].count;
    struct kvb_columns columns;
    if (count > GRID_COLUMNS_MAX) {
        return false;
    }
    memset(alignment + 1, 'r', count);
    kvb_columns_init(&columns, alignment, 2, 2);
    (void)fill_grid(&columns, report, down, across);
    size_t width = 2;
    for (uint32_t i = 0; i <= count; i++) {
        width += columns.widths[i] + (i > 0 ? 2 : 0);
    }
    if (width > kvb_page_width(out)) {
        kvb_buffer_free(&columns.cells);
        return false;
    }
    say_grid(out, report, down, across);
    kvb_columns_write(&columns, out);
    return true;
}

#define TABLE_FIGURES 6U
static const enum kvb_sweep_figure table_figures[TABLE_FIGURES] = {
    KVB_SWEEP_FIGURE_VERDICT, KVB_SWEEP_FIGURE_CONCURRENCY, KVB_SWEEP_FIGURE_LENGTH,
    KVB_SWEEP_FIGURE_POOL,    KVB_SWEEP_FIGURE_SLACK,       KVB_SWEEP_FIGURE_TOKENS};
static const char *const table_titles[TABLE_FIGURES] = {"", "at once", "longest", "pool GiB", "slack GiB", "tokens"};

static unsigned varied_axes(const struct kvb_sweep *sweep, uint32_t axes[KVB_SWEEP_AXES_MAX])
{
    unsigned count = 0;
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        if (sweep->axes[i].count > 1) {
            axes[count++] = i;
        }
    }
    return count;
}

static void fill_row(struct kvb_columns *columns, const struct kvb_sweep *sweep, const uint32_t *axes, unsigned varied,
                     const struct kvb_sweep_row *row)
{
    char text[48];
    for (unsigned i = 0; i < varied; i++) {
        kvb_columns_cell(columns, value_text(text, &sweep->axes[axes[i]], kvb_sweep_digit(sweep, axes[i], row->index)));
    }
    for (unsigned i = 0; i < TABLE_FIGURES; i++) {
        bool none = row->verdict == KVB_DOES_NOT_FIT && table_figures[i] == KVB_SWEEP_FIGURE_CONCURRENCY;
        kvb_columns_cell(
            columns,
            none ? "-" : kvb_sweep_figure_format(text, table_figures[i], kvb_sweep_figure_of(row, table_figures[i])));
    }
    kvb_columns_end_row(columns);
}

static void add_table(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    const struct kvb_sweep *sweep = report->sweep;
    uint32_t axes[KVB_SWEEP_AXES_MAX];
    unsigned varied = varied_axes(sweep, axes);
    char alignment[KVB_COLUMNS_MAX + 1] = "", ranks[KVB_COLUMNS_MAX + 1] = "", name[64];
    struct kvb_columns columns;
    memset(alignment, 'l', varied + 1);
    memset(alignment + varied + 1, 'r', TABLE_FIGURES - 1);
    memset(ranks, '0', varied + 1);
    memcpy(ranks + varied + 1, "12345", TABLE_FIGURES - 1);
    kvb_columns_init(&columns, alignment, 2, 2);
    for (unsigned i = 0; i < varied; i++) {
        kvb_columns_cell(&columns, flag_name(name, sweep->axes[axes[i]].name));
    }
    for (unsigned i = 0; i < TABLE_FIGURES; i++) {
        kvb_columns_cell(&columns, table_titles[i]);
    }
    kvb_columns_end_row(&columns);
    for (uint64_t i = 0; i < report->count; i++) {
        fill_row(&columns, sweep, axes, varied, &report->rows[i]);
    }
    kvb_buffer_add(out, report->frontier ? "\nWhat nothing else beats:\n" : "\n");
    (void)kvb_columns_write_in(&columns, out, ranks);
}

void kvb_render_sweep_text(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    uint32_t down = 0, across = 0;
    add_title(out, report);
    if (report->count == 0) {
        kvb_buffer_add(out, "\nNone of them meets the conditions.\n");
        return;
    }
    if (!kvb_sweep_is_grid(report, &down, &across) || report->frontier || !add_grid(out, report, down, across)) {
        add_table(out, report);
    }
}

static void markdown_cell(struct kvb_buffer *out, const char *text)
{
    kvb_buffer_add(out, " ");
    for (; *text != '\0'; text++) {
        kvb_buffer_add(out, *text == '|' ? "\\" : "");
        kvb_text_add_safe_n(out, text, 1);
    }
    kvb_buffer_add(out, " |");
}

static void markdown_rule(struct kvb_buffer *out, unsigned left, unsigned right)
{
    kvb_buffer_add(out, "\n|");
    for (unsigned i = 0; i < left + right; i++) {
        kvb_buffer_add(out, i < left ? "---|" : "--:|");
    }
    kvb_buffer_add(out, "\n");
}

static void markdown_grid(struct kvb_buffer *out, const struct kvb_sweep_report *report, uint32_t down, uint32_t across)
{
    const struct kvb_sweep_axis *rows = &report->sweep->axes[down], *titles = &report->sweep->axes[across];
    char text[64];
    kvb_buffer_add(out, "|");
    markdown_cell(out, flag_name(text, rows->name));
    for (uint32_t i = 0; i < titles->count; i++) {
        markdown_cell(out, value_text(text, titles, i));
    }
    markdown_rule(out, 1, titles->count);
    for (uint32_t at = 0; at < rows->count; at++) {
        kvb_buffer_add(out, "|");
        markdown_cell(out, value_text(text, rows, at));
        for (uint32_t i = 0; i < titles->count; i++) {
            markdown_cell(out, kvb_sweep_cell_text(text, report, kvb_sweep_cell(report, down, at, across, i)));
        }
        kvb_buffer_add(out, "\n");
    }
}

static void markdown_table(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    const struct kvb_sweep *sweep = report->sweep;
    uint32_t axes[KVB_SWEEP_AXES_MAX];
    unsigned varied = varied_axes(sweep, axes);
    char text[64];
    kvb_buffer_add(out, "|");
    for (unsigned i = 0; i < varied; i++) {
        markdown_cell(out, flag_name(text, sweep->axes[axes[i]].name));
    }
    for (unsigned i = 0; i < TABLE_FIGURES; i++) {
        markdown_cell(out, i == 0 ? "verdict" : table_titles[i]);
    }
    markdown_rule(out, varied + 1, TABLE_FIGURES - 1);
    for (uint64_t at = 0; at < report->count; at++) {
        const struct kvb_sweep_row *row = &report->rows[at];
        kvb_buffer_add(out, "|");
        for (unsigned i = 0; i < varied; i++) {
            markdown_cell(out, value_text(text, &sweep->axes[axes[i]], kvb_sweep_digit(sweep, axes[i], row->index)));
        }
        for (unsigned i = 0; i < TABLE_FIGURES; i++) {
            markdown_cell(out,
                          kvb_sweep_figure_format(text, table_figures[i], kvb_sweep_figure_of(row, table_figures[i])));
        }
        kvb_buffer_add(out, "\n");
    }
}

void kvb_render_sweep_markdown(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    uint32_t down = 0, across = 0;
    unsigned page = out->page_columns;
    out->page_columns = KVB_PAGE_UNBROKEN;
    add_title(out, report);
    out->page_columns = page;
    kvb_buffer_add(out, "\n");
    if (kvb_sweep_is_grid(report, &down, &across) && !report->frontier) {
        markdown_grid(out, report, down, across);
    } else {
        markdown_table(out, report);
    }
}
