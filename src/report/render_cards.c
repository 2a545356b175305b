// A plan without a GPU: the need, and the smallest built-in cards that start.
#include "report/cards_report.h"

#include <stdio.h>

#include "base/checked.h"
#include "report/columns.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

void kvb_render_cards_json(struct kvb_json *json, const struct kvb_cards *cards)
{
    kvb_json_open_list(json, "cards");
    for (uint32_t i = 0; i < cards->count; i++) {
        const struct kvb_card *card = &cards->rows[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "id", card->id);
        kvb_json_text(json, "name", card->name);
        kvb_json_count(json, "count", card->count);
        kvb_json_count(json, "memory_bytes", card->memory_bytes);
        kvb_json_text(json, "verdict", kvb_verdict_name(card->verdict));
        kvb_json_number(json, "kv_cache_bytes", card->kv_cache_bytes);
        kvb_json_number(json, "balance_bytes", card->balance_bytes);
        kvb_json_count(json, "tokens", card->tokens);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void add_need(struct kvb_columns *columns, const char *label, int64_t bytes)
{
    char gib[32], text[48];
    (void)snprintf(text, sizeof text, "%s GiB", kvb_format_gib(gib, bytes, 2));
    kvb_columns_cell(columns, label);
    kvb_columns_cell(columns, text);
    kvb_columns_end_row(columns);
}

static void add_needs(struct kvb_buffer *out, const struct kvb_budget *budget)
{
    struct kvb_columns columns;
    int64_t sum = (int64_t)budget->needed_bytes;
    kvb_columns_init(&columns, "lr", 2, 3);
    for (unsigned i = 0; i < KVB_ITEM_KV_CACHE; i++) {
        if (budget->items[i].bytes > 0) {
            add_need(&columns, kvb_item_row_of(i)->label, budget->items[i].bytes);
            sum += budget->items[i].bytes;
        }
    }
    add_need(&columns, "KV cache of one request", (int64_t)budget->needed_bytes);
    add_need(&columns, "sum", sum);
    kvb_columns_write(&columns, out);
}

static void add_cards(struct kvb_buffer *out, const struct kvb_cards *cards)
{
    static const char *const titles[] = {"--gpu", "number", "GiB each", "to spare GiB", "KV tokens", ""};
    struct kvb_columns columns;
    kvb_columns_init(&columns, "lrrrrl", 2, 2);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        kvb_columns_cell(&columns, titles[i]);
    }
    kvb_columns_end_row(&columns);
    for (uint32_t i = 0; i < cards->count; i++) {
        const struct kvb_card *card = &cards->rows[i];
        char text[32];
        kvb_columns_cell(&columns, card->id);
        kvb_columns_cell(&columns, kvb_format_count(text, card->count));
        kvb_columns_cell(&columns, kvb_format_gib(text, (int64_t)card->memory_bytes, 2));
        kvb_columns_cell(&columns, kvb_format_gib(text, card->balance_bytes, 2));
        kvb_columns_cell(&columns, kvb_format_count(text, card->tokens));
        kvb_columns_cell(&columns, card->verdict == KVB_TIGHT ? "tight" : "fits");
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
}

static void add_title(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_settings *settings = &report->budget->settings;
    const struct kvb_setting_value *share = &settings->values[KVB_SET_GPU_MEMORY_UTILIZATION];
    char text[48];
    kvb_style(out, report->color, KVB_STYLE_STRONG);
    kvb_text_add_safe(out, report->plan->model.name);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, ": what it needs\n");
    kvb_text_add_safe(out, report->plan->engine.name);
    kvb_buffer_add(out, " ");
    kvb_text_add_safe(out, report->plan->engine.version);
    kvb_buffer_printf(out, ", length %s", kvb_format_count(text, kvb_request_length(report->budget)));
    kvb_buffer_printf(out, ", utilization %s\n\n",
                      kvb_setting_format(text, KVB_SET_GPU_MEMORY_UTILIZATION, share->number));
}

void kvb_render_cards_text(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_cards *cards = report->cards;
    add_title(out, report);
    if (cards->count == 0) {
        kvb_buffer_add(out, "No built-in GPU starts this, alone or in groups of 2, 4 or 8.\n");
        return;
    }
    if (cards->rows[0].count > 1) {
        kvb_buffer_printf(out, "On each of %u x %s:\n", (unsigned)cards->rows[0].count, cards->rows[0].name);
    } else {
        kvb_buffer_printf(out, "On one %s:\n", cards->rows[0].name);
    }
    add_needs(out, report->budget);
    kvb_buffer_printf(out, "\nThe smallest cards that start it (%u of the catalogue do):\n", (unsigned)cards->starting);
    add_cards(out, cards);
    kvb_buffer_add(out, "\nName one with --gpu for its full budget.\n");
}
