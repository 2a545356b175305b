// A plan without a GPU: the need, and the cards that start it, by the size they are sold as.
#include "report/cards_report.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "command/setting_flag.h"
#include "engines/table.h"
#include "report/columns.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define NAMES_SHOWN 3U

static void add_need(struct kvb_columns *columns, const char *label, int64_t bytes)
{
    char gib[32], text[48];
    (void)snprintf(text, sizeof text, "%s GiB", kvb_format_gib(gib, bytes, 2));
    kvb_columns_cell(columns, label);
    kvb_columns_cell(columns, text);
    kvb_columns_end_row(columns);
}

static void add_needs(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_budget *budget = report->budget;
    struct kvb_columns columns;
    int64_t sum = (int64_t)budget->needed_bytes;
    kvb_columns_init(&columns, "lr", 2, 3);
    for (unsigned i = 0; i < KVB_ITEM_KV_CACHE; i++) {
        if (budget->items[i].bytes > 0) {
            add_need(&columns, kvb_engine_label(kvb_engine_of(report->plan), i), budget->items[i].bytes);
            sum += budget->items[i].bytes;
        }
    }
    add_need(&columns, "KV cache of one request", (int64_t)budget->needed_bytes);
    add_need(&columns, "sum", sum);
    kvb_columns_write(&columns, out);
}

// "RTX 4090" of "NVIDIA GeForce RTX 4090".
static const char *short_name(const char *name)
{
    static const char *const makers[] = {"NVIDIA ", "GeForce ", "AMD ", "Intel ", "Radeon ", "Instinct ", "Tesla "};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (strncmp(name, makers[i], strlen(makers[i])) == 0) {
            name += strlen(makers[i]);
        }
    }
    return name;
}

// The fewest of a class that a format takes; 0: it does not start on any.
static const struct kvb_card_line *fewest(const struct kvb_card_line *first, uint32_t count, uint32_t format)
{
    const struct kvb_card_line *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t own = first[i].counts[format];
        bool fewer = found == NULL || own < found->counts[format];
        bool surer = found != NULL && own == found->counts[format] && found->verdicts[format] == KVB_TIGHT &&
                     first[i].verdicts[format] == KVB_FITS;
        if (own > 0 && (fewer || surer)) {
            found = &first[i];
        }
    }
    return found;
}

static void add_count(struct kvb_columns *columns, const struct kvb_card_line *line, uint32_t format)
{
    char text[32];
    bool starts = line != NULL && line->counts[format] > 0;
    (void)snprintf(text, sizeof text, "%u%s", starts ? (unsigned)line->counts[format] : 0U,
                   starts && line->verdicts[format] == KVB_TIGHT ? "*" : "");
    kvb_columns_cell(columns, starts ? text : "-");
}

static void add_formats(struct kvb_columns *columns, const struct kvb_cards *cards)
{
    for (uint32_t i = 0; i < KVB_CARD_FORMATS; i++) {
        if (cards->formats[i].known) {
            kvb_columns_cell(columns, cards->formats[i].format);
        }
    }
}

static bool starts_anyhow(const struct kvb_card_line *line)
{
    return line->counts[0] > 0 || line->counts[1] > 0 || line->counts[2] > 0;
}

// Starts as cheaply as the class can, in the format asked for or else in any.
static bool is_named(const struct kvb_cards *cards, const struct kvb_card_line *line, uint32_t own,
                     const struct kvb_card_line *best)
{
    (void)cards;
    return best != NULL ? line->counts[own] == best->counts[own] : starts_anyhow(line);
}

static void add_names(struct kvb_columns *columns, const struct kvb_cards *cards, const struct kvb_card_line *first,
                      uint32_t count, uint32_t own)
{
    struct kvb_buffer names;
    const struct kvb_card_line *best = fewest(first, count, own);
    uint32_t shown = 0, left_out = 0;
    kvb_buffer_init(&names);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_named(cards, &first[i], own, best)) {
            continue;
        }
        if (shown == NAMES_SHOWN) {
            left_out++;
            continue;
        }
        kvb_buffer_printf(&names, "%s%s", shown++ > 0 ? ", " : "", short_name(first[i].name));
    }
    if (left_out > 0) {
        kvb_buffer_printf(&names, " +%u", (unsigned)left_out);
    }
    kvb_columns_cell(columns, kvb_buffer_text(&names));
    kvb_buffer_free(&names);
}

static uint32_t own_of(const struct kvb_cards *cards)
{
    for (uint32_t i = 0; i < KVB_CARD_FORMATS; i++) {
        if (cards->formats[i].own) {
            return i;
        }
    }
    return 0;
}

static void add_class(struct kvb_columns *columns, const struct kvb_cards *cards, const struct kvb_card_line *first,
                      uint32_t count)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%u GB", (unsigned)first->class_gigabytes);
    kvb_columns_cell(columns, text);
    for (uint32_t i = 0; i < KVB_CARD_FORMATS; i++) {
        if (cards->formats[i].known) {
            add_count(columns, fewest(first, count, i), i);
        }
    }
    add_names(columns, cards, first, count, own_of(cards));
    kvb_columns_end_row(columns);
}

static void add_classes(struct kvb_columns *columns, const struct kvb_cards *cards)
{
    for (uint32_t i = 0; i < cards->line_count;) {
        uint32_t count = 1;
        while (i + count < cards->line_count &&
               cards->lines[i + count].class_gigabytes == cards->lines[i].class_gigabytes) {
            count++;
        }
        bool starts = false;
        for (uint32_t at = i; at < i + count; at++) {
            starts = starts || starts_anyhow(&cards->lines[at]);
        }
        if (starts) {
            add_class(columns, cards, &cards->lines[i], count);
        }
        i += count;
    }
}

static void add_every(struct kvb_columns *columns, const struct kvb_cards *cards)
{
    for (uint32_t i = 0; i < cards->line_count; i++) {
        const struct kvb_card_line *line = &cards->lines[i];
        char text[48];
        (void)snprintf(text, sizeof text, "%u GB", (unsigned)line->class_gigabytes);
        kvb_columns_cell(columns, text);
        for (uint32_t format = 0; format < KVB_CARD_FORMATS; format++) {
            if (cards->formats[format].known) {
                add_count(columns, line, format);
            }
        }
        kvb_columns_cell(columns, line->id);
        kvb_columns_end_row(columns);
    }
}

static bool any_tight(const struct kvb_cards *cards)
{
    for (uint32_t i = 0; i < cards->line_count; i++) {
        for (uint32_t format = 0; format < KVB_CARD_FORMATS; format++) {
            if (cards->lines[i].counts[format] > 0 && cards->lines[i].verdicts[format] == KVB_TIGHT) {
                return true;
            }
        }
    }
    return false;
}

// What the engine calls its share of the memory; NULL: it takes none.
static const char *share_name(char out[KVB_FLAG_CAPACITY], const struct kvb_plan_report *report)
{
    const struct kvb_serve_flag *flag =
        kvb_serve_flag_of(kvb_engine_of(report->plan), KVB_SET_GPU_MEMORY_UTILIZATION, 0);
    const char *name = flag != NULL ? kvb_serve_flag_name(out, flag) : NULL;
    if (name == NULL || strcmp(name, "--gpu-memory-utilization") == 0) {
        return name != NULL ? "utilization" : NULL;
    }
    return name + strspn(name, "-");
}

// What stands in the columns, where it is not the model asked for.
static void add_legend(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_cards *cards = report->cards;
    for (uint32_t i = 0; i < KVB_CARD_FORMATS; i++) {
        const struct kvb_card_format *format = &cards->formats[i];
        if (format->known && !format->own) {
            kvb_buffer_printf(out, "  %s: ", format->format);
            kvb_text_add_safe(out, format->model);
            kvb_buffer_add(out, format->assumed ? " (if there is one)\n" : "\n");
        }
    }
    if (any_tight(cards)) {
        char share[KVB_FLAG_CAPACITY];
        const char *name = share_name(share, report);
        kvb_buffer_printf(out, "  *: tight%s%s\n", name != NULL ? ", or at a lower " : "", name != NULL ? name : "");
    }
}

static void add_cards(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    static const char alignments[] = "lrrrl";
    const struct kvb_cards *cards = report->cards;
    struct kvb_columns columns;
    char alignment[8] = "l";
    uint32_t known = 0;
    for (uint32_t i = 0; i < KVB_CARD_FORMATS; i++) {
        known += cards->formats[i].known;
    }
    memcpy(alignment + 1, alignments + 4 - known, known + 1);
    kvb_columns_init(&columns, alignment, 2, 2);
    kvb_columns_cell(&columns, "");
    add_formats(&columns, cards);
    kvb_columns_cell(&columns, report->all ? "--gpu" : "cards");
    kvb_columns_end_row(&columns);
    if (report->all) {
        add_every(&columns, cards);
    } else {
        add_classes(&columns, cards);
    }
    kvb_columns_write_last(&columns, out);
    add_legend(out, report);
}

static void add_title(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_settings *settings = &report->budget->settings;
    const struct kvb_setting_value *share = &settings->values[KVB_SET_GPU_MEMORY_UTILIZATION];
    char text[48], share_flag[KVB_FLAG_CAPACITY];
    const char *name = share_name(share_flag, report);
    kvb_style(out, report->color, KVB_STYLE_STRONG);
    kvb_text_add_safe(out, report->plan->model.name);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, ": what it needs\n");
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    kvb_buffer_printf(&line, "%s %s, length %s", report->plan->engine.name, report->plan->engine.version,
                      kvb_format_count(text, kvb_request_length(report->budget)));
    if (name != NULL) {
        kvb_buffer_printf(&line, ", %s %s", name,
                          kvb_setting_format(text, KVB_SET_GPU_MEMORY_UTILIZATION, share->number));
    }
    kvb_text_add_wrapped(out, kvb_buffer_text(&line), 0, kvb_page_width(out));
    kvb_buffer_add(out, "\n");
    kvb_buffer_free(&line);
}

static bool any_starts(const struct kvb_cards *cards)
{
    for (uint32_t i = 0; i < cards->line_count; i++) {
        if (starts_anyhow(&cards->lines[i])) {
            return true;
        }
    }
    return false;
}

// Cards that were named, in their order, whether it starts or not.
static void add_named(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    static const char *const titles[] = {"--gpu", "number", "GiB each", "to spare GiB", "KV tokens", ""};
    const struct kvb_cards *cards = report->cards;
    struct kvb_columns columns;
    kvb_buffer_printf(out, "\nSide by side, %u of %u start it:\n", (unsigned)cards->starting, (unsigned)cards->count);
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
        kvb_columns_cell(&columns, card->verdict == KVB_TIGHT  ? "tight"
                                   : card->verdict == KVB_FITS ? "fits"
                                                               : "does not fit");
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
    kvb_buffer_add(out, "\nName one with --gpu for its full budget.\n");
}

void kvb_render_cards_text(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_cards *cards = report->cards;
    add_title(out, report);
    if (cards->count == 0) {
        kvb_buffer_add(out, "No built-in GPU starts this, alone or in as many as a machine has of it.\n");
    } else if (cards->rows[0].count > 1) {
        kvb_buffer_printf(out, "On each of %u x %s:\n", (unsigned)cards->rows[0].count, cards->rows[0].name);
    } else {
        kvb_buffer_printf(out, "On one %s:\n", cards->rows[0].name);
    }
    if (cards->count > 0) {
        add_needs(out, report);
    }
    if (cards->named) {
        add_named(out, report);
        return;
    }
    if (any_starts(cards)) {
        kvb_style_heading(out, report->color, "How many cards start it:");
        add_cards(out, report);
    }
    kvb_buffer_add(out, "\n");
    kvb_text_add_wrapped(out,
                         report->all ? "Name one with --gpu for its full budget."
                                     : "Every card: --all. Name one with --gpu for its full budget.",
                         0, kvb_page_width(out));
}
