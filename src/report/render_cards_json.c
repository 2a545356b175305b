// Cards as JSON: those that start a plan without a GPU, and every line of the catalogue.
#include "report/cards_report.h"

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

static void add_line_json(struct kvb_json *json, const struct kvb_cards *cards, const struct kvb_card_line *line)
{
    static const char *const keys[KVB_CARD_FORMATS] = {"16_bit", "8_bit", "4_bit"};
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "id", line->id);
    kvb_json_text(json, "name", line->name);
    kvb_json_count(json, "class_gb", line->class_gigabytes);
    kvb_json_count(json, "memory_bytes", line->memory_bytes);
    kvb_json_count(json, "most", line->most);
    for (uint32_t i = 0; i < KVB_CARD_FORMATS; i++) {
        if (!cards->formats[i].known) {
            kvb_json_null(json, keys[i]);
            continue;
        }
        kvb_json_open_object(json, keys[i]);
        kvb_json_text(json, "model", cards->formats[i].model);
        kvb_json_bool(json, "assumed", cards->formats[i].assumed);
        kvb_json_count(json, "count", line->counts[i]);
        kvb_json_text(json, "verdict", kvb_verdict_name(line->verdicts[i]));
        kvb_json_close_object(json);
    }
    kvb_json_close_object(json);
}

void kvb_render_card_lines_json(struct kvb_json *json, const struct kvb_cards *cards)
{
    kvb_json_open_list(json, "catalogue");
    for (uint32_t i = 0; i < cards->line_count; i++) {
        add_line_json(json, cards, &cards->lines[i]);
    }
    kvb_json_close_list(json);
}
