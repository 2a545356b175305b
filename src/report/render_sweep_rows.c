// Rows of a sweep for other programs: one line each, as commas or as JSON, and one JSON document of all.
#include <inttypes.h>
#include <string.h>

#include "report/json_writer.h"
#include "report/problems.h"
#include "report/safe_text.h"
#include "report/sweep_report.h"

const char *kvb_sweep_value_text(const struct kvb_sweep *sweep, uint32_t axis, const struct kvb_sweep_row *row)
{
    return sweep->axes[axis].values[kvb_sweep_digit(sweep, axis, row->index)].text;
}

static bool is_number(const struct kvb_sweep_axis *axis)
{
    enum kvb_value_kind kind =
        axis->kind == KVB_SWEEP_SETTING ? kvb_setting_row_of(axis->setting)->kind : KVB_VALUE_WORD;
    return kind == KVB_VALUE_COUNT || kind == KVB_VALUE_LENGTH;
}

// What a row says beside its values, in the order of the columns.
struct figure {
    const char *key;
    int64_t number;
};
#define FIGURES 10
static void figures_of(const struct kvb_sweep_row *row, struct figure out[FIGURES])
{
    const struct figure figures[FIGURES] = {{"gpus", (int64_t)row->gpus},
                                            {"max_model_len", (int64_t)row->max_model_len},
                                            {"weights_bytes", (int64_t)row->weights_bytes},
                                            {"requested_bytes", (int64_t)row->requested_bytes},
                                            {"kv_cache_bytes", row->kv_cache_bytes},
                                            {"balance_bytes", row->balance_bytes},
                                            {"slack_bytes", row->slack_bytes},
                                            {"tokens", (int64_t)row->tokens},
                                            {"max_concurrency", (int64_t)row->max_concurrency_hundredths},
                                            {"max_model_len_that_fits", (int64_t)row->max_model_len_that_fits}};
    memcpy(out, figures, sizeof figures);
}

// A varied max_model_len is a column already.
static bool is_axis(const struct kvb_sweep *sweep, const char *key)
{
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        if (strcmp(sweep->axes[i].name, key) == 0) {
            return true;
        }
    }
    return false;
}

static void add_cell(struct kvb_buffer *out, const char *text)
{
    bool quotes = strpbrk(text, ",\"\n\r") != NULL;
    kvb_buffer_add(out, quotes ? "\"" : "");
    for (const char *at = text; *at != '\0'; at++) {
        kvb_buffer_add(out, *at == '"' ? "\"" : "");
        kvb_text_add_safe_n(out, at, 1);
    }
    kvb_buffer_add(out, quotes ? "\"" : "");
}

void kvb_sweep_csv_head(struct kvb_buffer *out, const struct kvb_sweep *sweep)
{
    const struct kvb_sweep_row none = {0};
    struct figure figures[FIGURES];
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        kvb_buffer_printf(out, "%s,", sweep->axes[i].name);
    }
    kvb_buffer_add(out, "verdict,starts,refusal");
    figures_of(&none, figures);
    for (unsigned i = 0; i < FIGURES; i++) {
        if (!is_axis(sweep, figures[i].key)) {
            kvb_buffer_printf(out, ",%s", figures[i].key);
        }
    }
    kvb_buffer_add(out, "\n");
}

static void add_number(struct kvb_buffer *out, const struct figure *figure)
{
    if (strcmp(figure->key, "max_concurrency") == 0) {
        kvb_buffer_printf(out, "%" PRId64 ".%02u", figure->number / 100, (unsigned)(figure->number % 100));
    } else {
        kvb_buffer_printf(out, "%" PRId64, figure->number);
    }
}

void kvb_sweep_csv_row(struct kvb_buffer *out, const struct kvb_sweep *sweep, const struct kvb_sweep_row *row)
{
    struct figure figures[FIGURES];
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        if (is_number(&sweep->axes[i]) && sweep->axes[i].values[0].number != KVB_AUTO) {
            kvb_buffer_printf(out, "%" PRIu64, sweep->axes[i].values[kvb_sweep_digit(sweep, i, row->index)].number);
        } else {
            add_cell(out, kvb_sweep_value_text(sweep, i, row));
        }
        kvb_buffer_add(out, ",");
    }
    kvb_buffer_printf(out, "%s,%s,%s", kvb_verdict_name(row->verdict), row->starts ? "true" : "false",
                      row->refusal != NULL ? row->refusal : "");
    figures_of(row, figures);
    for (unsigned i = 0; i < FIGURES; i++) {
        if (!is_axis(sweep, figures[i].key)) {
            kvb_buffer_add(out, ",");
            add_number(out, &figures[i]);
        }
    }
    kvb_buffer_add(out, "\n");
}

static void add_members(struct kvb_json *json, const struct kvb_sweep *sweep, const struct kvb_sweep_row *row)
{
    struct figure figures[FIGURES];
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        uint64_t number = sweep->axes[i].values[kvb_sweep_digit(sweep, i, row->index)].number;
        if (is_number(&sweep->axes[i]) && number != KVB_AUTO) {
            kvb_json_count(json, sweep->axes[i].name, number);
        } else {
            kvb_json_text(json, sweep->axes[i].name, kvb_sweep_value_text(sweep, i, row));
        }
    }
    kvb_json_text(json, "verdict", kvb_verdict_name(row->verdict));
    kvb_json_bool(json, "starts", row->starts);
    kvb_json_text(json, "refusal", row->refusal);
    figures_of(row, figures);
    for (unsigned i = 0; i < FIGURES; i++) {
        if (strcmp(figures[i].key, "max_concurrency") == 0) {
            kvb_json_hundredths(json, figures[i].key, (uint64_t)figures[i].number);
        } else if (!is_axis(sweep, figures[i].key)) {
            kvb_json_number(json, figures[i].key, figures[i].number);
        }
    }
}

// The object without line breaks and indentation; none of its texts holds a line break.
void kvb_sweep_json_line(struct kvb_buffer *out, const struct kvb_sweep *sweep, const struct kvb_sweep_row *row)
{
    struct kvb_buffer object;
    struct kvb_json json;
    kvb_buffer_init(&object);
    kvb_json_init(&json, &object);
    kvb_json_open_object(&json, NULL);
    add_members(&json, sweep, row);
    kvb_json_close_object(&json);
    for (const char *at = object.failed || object.data == NULL ? "" : object.data; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        kvb_buffer_add_n(out, at, length);
        at += length;
        size_t blanks = strspn(at, "\n ");
        kvb_buffer_add(out, blanks > 0 && at[-1] == ',' ? " " : "");
        at += blanks;
    }
    kvb_buffer_add(out, "\n");
    out->failed |= object.failed;
    kvb_buffer_free(&object);
}

void kvb_render_sweep_json(struct kvb_buffer *out, const struct kvb_sweep_report *report)
{
    const struct kvb_sweep *sweep = report->sweep;
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", "kvbudget.sweep/1");
    kvb_json_open_list(&json, "axes");
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        kvb_json_open_object(&json, NULL);
        kvb_json_text(&json, "name", sweep->axes[i].name);
        kvb_json_open_list(&json, "values");
        for (uint32_t at = 0; at < sweep->axes[i].count; at++) {
            kvb_json_text(&json, NULL, sweep->axes[i].values[at].text);
        }
        kvb_json_close_list(&json);
        kvb_json_close_object(&json);
    }
    kvb_json_close_list(&json);
    kvb_json_count(&json, "planned", report->planned);
    kvb_json_count(&json, "fits", report->fitting);
    kvb_json_count(&json, "tight", report->tight);
    kvb_json_open_list(&json, "rows");
    for (uint64_t i = 0; i < report->count; i++) {
        kvb_json_open_object(&json, NULL);
        add_members(&json, sweep, &report->rows[i]);
        kvb_json_close_object(&json);
    }
    kvb_json_close_list(&json);
    kvb_render_problems_json(&json, report->problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
