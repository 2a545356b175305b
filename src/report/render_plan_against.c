// Two answers side by side and the terms that moved.
#include <stdio.h>
#include <string.h>

#include "engines/table.h"
#include "report/columns.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

static void number_cell(struct kvb_columns *columns, int64_t number, bool is_bytes, bool sign)
{
    char text[32], cell[48];
    uint64_t size = number < 0 ? (uint64_t)-number : (uint64_t)number;
    if (is_bytes) {
        kvb_format_gib(text, (int64_t)size, 2);
    } else {
        kvb_format_count(text, size);
    }
    (void)snprintf(cell, sizeof cell, "%s%s", number < 0 ? "-" : sign && number > 0 ? "+" : "", text);
    kvb_columns_cell(columns, cell);
}

static void engine_cell(struct kvb_columns *columns, const struct kvb_plan_report *report)
{
    char text[80];
    (void)snprintf(text, sizeof text, "%s@%s", report->plan->engine.name, report->plan->engine.version);
    kvb_columns_cell(columns, text);
}

static void add_head(struct kvb_columns *columns, const struct kvb_plan_report *report)
{
    kvb_columns_cell(columns, "");
    engine_cell(columns, report);
    engine_cell(columns, report->against);
    kvb_columns_cell(columns, "moved");
    kvb_columns_end_row(columns);
    kvb_columns_cell(columns, "verdict");
    kvb_columns_cell(columns, kvb_verdict_name(report->budget->verdict));
    kvb_columns_cell(columns, kvb_verdict_name(report->against->budget->verdict));
    kvb_columns_end_row(columns);
}

// "requested_bytes" -> "requested GiB".
static void label_cell(struct kvb_columns *columns, const struct kvb_compared *compared)
{
    char label[64];
    size_t length = strlen(compared->key);
    size_t kept = compared->is_bytes && length > 6 ? length - 6 : length;
    (void)snprintf(label, sizeof label, "%.*s%s", (int)kept, compared->key, compared->is_bytes ? " GiB" : "");
    for (char *c = label; *c != '\0'; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
    kvb_columns_cell(columns, label);
}

// Two engines that share a card out in different ways: each says how.
static void add_ways(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_engine_rows *one = kvb_engine_of(report->plan), *other = kvb_engine_of(report->against->plan);
    char text[400];
    if (one == other || one->way == NULL || other->way == NULL) {
        return;
    }
    kvb_buffer_add(out, "\n");
    (void)snprintf(text, sizeof text, "Why they differ: %s %s; %s %s.", one->title, one->way, other->title, other->way);
    kvb_text_add_wrapped(out, text, 0, kvb_page_width(out));
}

void kvb_render_plan_against(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    struct kvb_columns columns;
    struct kvb_compared compared;
    kvb_style_heading(out, report->color, "Against the other");
    kvb_columns_init(&columns, "lrrr", 2, 3);
    add_head(&columns, report);
    for (unsigned i = 0; kvb_report_compared(report->budget, report->against->budget, i, &compared); i++) {
        if (compared.from == 0 && compared.to == 0) {
            continue;
        }
        label_cell(&columns, &compared);
        number_cell(&columns, compared.from, compared.is_bytes, false);
        number_cell(&columns, compared.to, compared.is_bytes, false);
        if (compared.from != compared.to) {
            number_cell(&columns, compared.to - compared.from, compared.is_bytes, true);
        } else {
            kvb_columns_cell(&columns, "");
        }
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
    add_ways(out, report);
}
