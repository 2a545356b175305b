// The budget as aligned lines and a bar of the GPU's memory.
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "engines/table.h"
#include "report/bar.h"
#include "report/columns.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define SHARES_LEAST 60U // columns of a page; a narrower one has no shares
#define BAR_FRAME 4U     // indentation and brackets

static const char bar_letters[KVB_ITEM_COUNT] = {
    [KVB_ITEM_WEIGHTS] = 'W',  [KVB_ITEM_ACTIVATION] = 'a', [KVB_ITEM_NON_TORCH] = 'n', [KVB_ITEM_CUDA_GRAPH] = 'g',
    [KVB_ITEM_RESERVED] = 'r', [KVB_ITEM_OTHER] = 'o',      [KVB_ITEM_KV_CACHE] = 'k',
};

static void add_row(struct kvb_columns *columns, const char *label, int64_t bytes, const char *share, const char *note)
{
    char gib[32], text[40];
    (void)snprintf(text, sizeof text, "%s GiB", kvb_format_gib(gib, bytes, 2));
    kvb_columns_cell(columns, label);
    kvb_columns_cell(columns, text);
    kvb_columns_cell(columns, share);
    kvb_columns_cell(columns, note);
    kvb_columns_end_row(columns);
}

// Share of the whole in percent with one decimal, "" when it says nothing.
static const char *share_of(char out[24], int64_t bytes, uint64_t whole_bytes)
{
    out[0] = '\0';
    if (bytes >= 0 && whole_bytes > 0 && (uint64_t)bytes < KVB_SATURATED / 1000) {
        uint64_t tenths = ((uint64_t)bytes * 1000 + whole_bytes / 2) / whole_bytes;
        (void)snprintf(out, 24, "%u.%u %%", (unsigned)(tenths / 10), (unsigned)(tenths % 10));
    }
    return out;
}

static void write_basis(char out[96], const struct kvb_term *term, const char *basis)
{
    char low[32], high[32];
    (void)snprintf(out, 96, "%s", basis);
    if (term->low_bytes != term->high_bytes) {
        size_t used = strlen(out);
        (void)snprintf(out + used, 96 - used, ", %s to %s", kvb_format_gib(low, term->low_bytes, 2),
                       kvb_format_gib(high, term->high_bytes, 2));
    }
}

static void note_of(char out[96], const struct kvb_budget *budget, enum kvb_item item)
{
    const struct kvb_term *term = &budget->items[item];
    bool left =
        item == KVB_ITEM_KV_CACHE && term->basis != KVB_BASIS_STATED && (uint64_t)term->bytes != budget->needed_bytes;
    write_basis(out, term, left ? "what is left" : kvb_basis_name(term->basis));
}

static void add_requested(struct kvb_columns *columns, const struct kvb_plan_report *report, bool narrow)
{
    const char *whole = narrow ? "" : "100.0 %";
    const struct kvb_budget *budget = report->budget;
    const struct kvb_setting_value *share = &budget->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
    char note[96], total[32], ppm[48];
    if (budget->requested_as[0] != '\0') {
        add_row(columns, "requested", (int64_t)budget->requested_bytes, whole, budget->requested_as);
        return;
    }
    (void)snprintf(
        note, sizeof note, "%s x %s GiB (%s)", kvb_setting_format(ppm, KVB_SET_GPU_MEMORY_UTILIZATION, share->number),
        kvb_format_gib(total, (int64_t)budget->memory_bytes, 2), kvb_basis_name(report->plan->gpu.memory_basis));
    if (budget->settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES].set) {
        (void)snprintf(note, sizeof note, "of %s GiB (%s)", kvb_format_gib(total, (int64_t)budget->memory_bytes, 2),
                       kvb_basis_name(report->plan->gpu.memory_basis));
    }
    add_row(columns, "requested", (int64_t)budget->requested_bytes, whole, note);
}

static bool any_outside(const struct kvb_budget *budget)
{
    bool any = budget->outside_bytes != 0;
    for (unsigned i = 0; i < KVB_BESIDE_COUNT; i++) {
        any = any || budget->beside[i].bytes != 0 || budget->beside[i].high_bytes != 0;
    }
    return any;
}

// An engine may count all that it takes, so that nothing is outside.
static void add_outside(struct kvb_columns *columns, const struct kvb_budget *budget)
{
    if (any_outside(budget)) {
        add_row(columns, "outside", budget->outside_bytes, "",
                budget->share_of_bytes > 0 ? "what the share leaves must hold" : "context, NCCL, graphs, others");
    }
    for (unsigned i = 0; i < KVB_BESIDE_COUNT; i++) {
        if (budget->beside[i].bytes != 0 || budget->beside[i].high_bytes != 0) {
            char note[96], label[48];
            write_basis(note, &budget->beside[i], kvb_basis_name(budget->beside[i].basis));
            (void)snprintf(label, sizeof label, "  %s", kvb_beside_row_of((enum kvb_beside)i)->label);
            add_row(columns, label, budget->beside[i].bytes, "", note);
        }
    }
    add_row(columns, "slack", budget->slack_bytes, "",
            budget->slack_bytes < 0 ? "more than what is free" : "free while serving");
}

static bool is_shown(const struct kvb_budget *budget, unsigned item)
{
    return budget->items[item].bytes != 0 || budget->items[item].high_bytes != 0 || item == KVB_ITEM_KV_CACHE;
}

// What an engine holds inside an item under names of its own, or beside all of them in the host's memory.
static void add_parts(struct kvb_columns *columns, const struct kvb_budget *budget, bool host, unsigned item)
{
    for (uint32_t i = 0; i < budget->part_count; i++) {
        const struct kvb_budget_part *part = &budget->parts[i];
        char label[64];
        if (part->host == host && (host || part->item == item)) {
            (void)snprintf(label, sizeof label, "%s%s", host ? "host: " : "    ", part->label);
            add_row(columns, label, part->bytes, "", "");
        }
    }
}

static void add_lines(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    const struct kvb_engine_rows *engine = kvb_engine_of(report->plan);
    struct kvb_columns columns;
    bool narrow = kvb_page_width(out) < SHARES_LEAST;
    kvb_columns_init(&columns, "lrrl", 2, 2);
    add_requested(&columns, report, narrow);
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        char note[96], label[48], share[24];
        if (is_shown(budget, i)) {
            note_of(note, budget, (enum kvb_item)i);
            (void)snprintf(label, sizeof label, "  %s", kvb_engine_label(engine, (enum kvb_item)i));
            add_row(&columns, label, budget->items[i].bytes,
                    narrow ? "" : share_of(share, budget->items[i].bytes, budget->requested_bytes), note);
            add_parts(&columns, budget, false, i);
        }
    }
    add_outside(&columns, budget);
    add_parts(&columns, budget, true, 0);
    kvb_columns_write(&columns, out);
}

struct bar {
    char cells[KVB_BAR_CELLS_MAX + 1];
    unsigned count;       // of cells
    uint64_t whole_bytes; // what all cells stand for
    unsigned limit;       // cells up to the request; what lies beyond is marked
    uint64_t end_bytes;   // of what is painted so far
    unsigned painted;
};

static unsigned cell_of(const struct bar *bar, uint64_t bytes)
{
    uint64_t cell = bytes / (bar->whole_bytes / bar->count + 1);
    return cell > bar->count ? bar->count : (unsigned)cell;
}

static void paint(struct bar *bar, uint64_t bytes, char letter)
{
    bar->end_bytes = kvb_add(bar->end_bytes, bytes);
    unsigned end = cell_of(bar, bar->end_bytes);
    if (bytes > 0 && end == bar->painted && end < bar->count) {
        end++;
    }
    for (; bar->painted < end; bar->painted++) {
        bar->cells[bar->painted] = bar->painted < bar->limit || letter == 'x' ? letter : '!';
    }
}

static void draw(struct bar *bar, const struct kvb_budget *budget, unsigned cells)
{
    uint64_t sum = kvb_positive(budget->outside_bytes);
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        sum = kvb_add(sum, kvb_positive(budget->items[i].bytes));
    }
    memset(bar, 0, sizeof *bar);
    bar->count = cells < KVB_BAR_CELLS_MAX ? cells : KVB_BAR_CELLS_MAX;
    memset(bar->cells, '.', bar->count);
    bar->whole_bytes = kvb_max(budget->memory_bytes, sum);
    bar->limit = budget->items[KVB_ITEM_KV_CACHE].bytes < 0 ? cell_of(bar, budget->requested_bytes) : bar->count;
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        paint(bar, kvb_positive(budget->items[i].bytes), bar_letters[i]);
    }
    paint(bar, kvb_positive(budget->outside_bytes), 'x');
}

static void add_bar(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(report->plan);
    bool color = report->color;
    struct bar bar;
    size_t used = 1;
    draw(&bar, report->budget, kvb_page_width(out) - BAR_FRAME);
    kvb_buffer_add(out, "\n  [");
    kvb_bar_add(out, color, bar.cells);
    kvb_buffer_add(out, "]\n ");
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        if (memchr(bar.cells, bar_letters[i], bar.count) != NULL) {
            kvb_bar_legend(out, color, &used, bar_letters[i], kvb_engine_label(engine, (enum kvb_item)i));
        }
    }
    if (memchr(bar.cells, '!', bar.count) != NULL) {
        kvb_bar_legend(out, color, &used, '!', "too much");
    }
    if (memchr(bar.cells, 'x', bar.count) != NULL) {
        kvb_bar_legend(out, color, &used, 'x', "outside");
    }
    if (memchr(bar.cells, '.', bar.count) != NULL) {
        kvb_bar_legend(out, color, &used, '.', "free");
    }
    kvb_buffer_add(out, "\n");
}

void kvb_render_plan_budget(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    add_lines(out, report);
    add_bar(out, report);
}
