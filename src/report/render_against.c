// What moved since another commit: as lines, as a part of a page, and in JSON.
#include <string.h>

#include "report/check_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define INDENT 8U
#define COMMIT_SHOWN 12

static const struct kvb_check_case *newest(const struct kvb_case_change *change)
{
    return change->after != NULL ? change->after : change->before;
}

static const char *said(const struct kvb_check_case *each)
{
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    return reason != NULL ? reason->text : each->text;
}

// "1 worse, 2 new, 5 as they were"
static void add_counts(struct kvb_buffer *out, const struct kvb_against *against)
{
    static const enum kvb_trend order[] = {KVB_TREND_WORSE, KVB_TREND_BETTER, KVB_TREND_SAME, KVB_TREND_NEW,
                                           KVB_TREND_GONE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (against->trends[order[i]] > 0) {
            kvb_buffer_printf(out, "%u %s, ", (unsigned)against->trends[order[i]], kvb_trend_name(order[i]));
        }
    }
    kvb_buffer_printf(out, "%u as before", (unsigned)against->untouched);
}

// "pass -> fail", or the one there is.
static void add_verdicts(struct kvb_buffer *out, const struct kvb_case_change *change, const char *arrow)
{
    const struct kvb_check_case *before = change->before, *after = change->after;
    if (before != NULL && after != NULL && before->verdict != after->verdict) {
        kvb_buffer_printf(out, "%s%s", kvb_case_verdict_name(before->verdict), arrow);
    }
    kvb_buffer_add(out, kvb_case_verdict_name(newest(change)->verdict));
}

static const char *or_none(const char *text)
{
    return text != NULL ? text : "not set";
}

// ---- lines

static void add_moved(struct kvb_buffer *out, const struct kvb_moved *moved)
{
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    kvb_buffer_printf(&line, "%s: %s -> %s", moved->what, or_none(moved->before), or_none(moved->after));
    if (moved->line > 0) {
        kvb_buffer_printf(&line, " (line %u)", (unsigned)moved->line);
    }
    kvb_text_add_wrapped(out, kvb_buffer_text(&line), INDENT, kvb_page_width(out));
    out->failed |= line.failed;
    kvb_buffer_free(&line);
}

static void add_change(struct kvb_buffer *out, const struct kvb_case_change *change, bool color)
{
    static const enum kvb_styles styles[KVB_TREND_COUNT] = {
        [KVB_TREND_SAME] = KVB_STYLE_PLAIN,
        [KVB_TREND_WORSE] = KVB_STYLE_BAD,
        [KVB_TREND_BETTER] = KVB_STYLE_GOOD,
    };
    const struct kvb_check_case *each = newest(change);
    const char *word = kvb_trend_name(change->trend);
    kvb_style(out, color, styles[change->trend]);
    kvb_buffer_add(out, word);
    kvb_style(out, color, KVB_STYLE_PLAIN);
    kvb_buffer_fill(out, ' ', strlen(word) < INDENT ? INDENT - strlen(word) : 1);
    kvb_text_add_safe(out, each->file);
    if (change->after != NULL && each->place.line > 0) {
        kvb_buffer_printf(out, ":%u:%u", (unsigned)each->place.line, (unsigned)each->place.column);
    }
    kvb_buffer_add(out, each->name[0] != '\0' ? "  " : "");
    kvb_text_add_safe(out, each->name);
    kvb_buffer_add(out, ": ");
    add_verdicts(out, change, " -> ");
    kvb_buffer_add(out, "\n");
    for (uint32_t i = 0; i < change->moved_count; i++) {
        add_moved(out, &change->moved[i]);
    }
}

void kvb_render_against_text(struct kvb_buffer *out, const struct kvb_against *against, bool color)
{
    kvb_buffer_add(out, "against ");
    kvb_text_add_safe(out, against->ref);
    if (against->commit[0] != '\0') {
        kvb_buffer_printf(out, " (%.*s)", COMMIT_SHOWN, against->commit);
    }
    kvb_buffer_add(out, ": ");
    add_counts(out, against);
    kvb_buffer_add(out, "\n");
    for (uint32_t i = 0; i < against->count; i++) {
        add_change(out, &against->changes[i], color);
    }
    kvb_buffer_add(out, "\n");
}

// ---- a page

static void add_row(struct kvb_buffer *out, const struct kvb_case_change *change, const struct kvb_moved *moved)
{
    const struct kvb_check_case *each = newest(change);
    bool first = moved == NULL || moved == change->moved;
    kvb_buffer_add(out, "| ");
    if (first) {
        kvb_buffer_printf(out, "**%s** ", kvb_trend_name(change->trend));
        kvb_markdown_add(out, each->name[0] != '\0' ? each->name : each->file);
        kvb_buffer_add(out, ", ");
        add_verdicts(out, change, " to ");
    }
    kvb_buffer_add(out, " | ");
    kvb_markdown_add(out, moved != NULL ? moved->what : "");
    kvb_buffer_add(out, " | ");
    kvb_markdown_add(out, moved != NULL ? or_none(moved->before) : change->before != NULL ? said(change->before) : "");
    kvb_buffer_add(out, " | ");
    kvb_markdown_add(out, moved != NULL ? or_none(moved->after) : change->after != NULL ? said(change->after) : "");
    kvb_buffer_add(out, " |\n");
}

void kvb_render_against_markdown(struct kvb_buffer *out, const struct kvb_against *against)
{
    kvb_buffer_add(out, "\n#### What moved since ");
    kvb_markdown_add(out, against->ref);
    kvb_buffer_add(out, "\n\n");
    add_counts(out, against);
    kvb_buffer_add(out, ".\n");
    if (against->count == 0) {
        return;
    }
    kvb_buffer_add(out, "\n| deployment | what | before | after |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < against->count; i++) {
        const struct kvb_case_change *change = &against->changes[i];
        if (change->moved_count == 0) {
            add_row(out, change, NULL);
        }
        for (uint32_t k = 0; k < change->moved_count; k++) {
            add_row(out, change, &change->moved[k]);
        }
    }
}

// ---- JSON

static void add_side(struct kvb_json *json, const char *key, const struct kvb_check_case *each)
{
    if (each == NULL) {
        kvb_json_null(json, key);
        return;
    }
    const struct kvb_check_finding *reason = kvb_case_reason(each);
    const struct kvb_case_figures *figures = each->figures;
    kvb_json_open_object(json, key);
    kvb_json_text(json, "file", each->file);
    kvb_json_text(json, "name", each->name);
    kvb_json_text(json, "verdict", kvb_case_verdict_name(each->verdict));
    kvb_json_text(json, "rule", reason != NULL ? kvb_check_rule_row_of(reason->rule)->id : NULL);
    kvb_json_text(json, "text", said(each));
    if (figures != NULL) {
        kvb_json_text(json, "model", figures->model);
        kvb_json_text(json, "gpus", figures->gpus);
        kvb_json_text(json, "engine", figures->engine);
        kvb_json_number(json, "weights_bytes", figures->weights_bytes);
        kvb_json_number(json, "kv_cache_bytes", figures->kv_cache_bytes);
        kvb_json_count(json, "needed_bytes", figures->needed_bytes);
        kvb_json_count(json, "length_tokens", figures->length_tokens);
        kvb_json_hundredths(json, "max_concurrency", figures->concurrency_hundredths);
    }
    kvb_json_close_object(json);
}

static void add_json_change(struct kvb_json *json, const struct kvb_case_change *change)
{
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "change", kvb_trend_name(change->trend));
    add_side(json, "before", change->before);
    add_side(json, "after", change->after);
    kvb_json_open_list(json, "moved");
    for (uint32_t i = 0; i < change->moved_count; i++) {
        const struct kvb_moved *moved = &change->moved[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "what", moved->what);
        kvb_json_text(json, "before", moved->before);
        kvb_json_text(json, "after", moved->after);
        if (moved->line > 0) {
            kvb_json_count(json, "line", moved->line);
        }
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}

void kvb_render_against_json(struct kvb_json *json, const struct kvb_against *against)
{
    if (against == NULL) {
        kvb_json_null(json, "against");
        return;
    }
    kvb_json_open_object(json, "against");
    kvb_json_text(json, "ref", against->ref);
    kvb_json_text(json, "commit", against->commit);
    for (unsigned i = 0; i < KVB_TREND_COUNT; i++) {
        kvb_json_count(json, kvb_trend_name((enum kvb_trend)i), against->trends[i]);
    }
    kvb_json_count(json, "untouched", against->untouched);
    kvb_json_open_list(json, "changes");
    for (uint32_t i = 0; i < against->count; i++) {
        add_json_change(json, &against->changes[i]);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}
