// A row of the field record: its cells, the plan beside them, and the line as the table takes it.
#include <stdio.h>

#include <kvbudget/units.h>

#include "report/columns.h"
#include "report/json_writer.h"
#include "report/problems.h"
#include "report/record_report.h"
#include "report/safe_text.h"
#include "report/style.h"

// No memory is asked for: a figure is never half there.
static void format_hundredths(char out[48], uint64_t value, const char *unit)
{
    (void)snprintf(out, 48, "%llu.%02llu%s", (unsigned long long)(value / 100), (unsigned long long)(value % 100),
                   unit);
}

static void format_figure(char out[48], enum kvb_log_unit unit, int64_t value)
{
    char digits[32];
    uint64_t count = value < 0 ? 0 : (uint64_t)value;
    if (unit == KVB_LOG_BYTES) {
        (void)snprintf(out, 48, "%s GiB", kvb_format_gib(digits, value, 2));
    } else if (unit == KVB_LOG_HUNDREDTHS) {
        format_hundredths(out, count, "x");
    } else {
        (void)snprintf(out, 48, "%s", kvb_format_count(digits, count));
    }
}

// Hundredths of a percent that the plan is off.
static uint64_t error_of(const struct kvb_record_figure *figure)
{
    uint64_t apart = (uint64_t)(figure->planned > figure->logged ? figure->planned - figure->logged
                                                                 : figure->logged - figure->planned);
    uint64_t whole = (uint64_t)(figure->logged < 0 ? -figure->logged : figure->logged);
    while (apart > UINT64_MAX / 20000) { // both are sizes of one machine: never seen
        apart /= 2;
        whole /= 2;
    }
    return whole == 0 ? 0 : (apart * 10000 + whole / 2) / whole;
}

static void add_plan(struct kvb_buffer *out, const struct kvb_record *record)
{
    struct kvb_columns columns;
    if (!record->planned) {
        kvb_buffer_add(out, "\nNot compared with a plan: ");
        kvb_text_add_safe(out, record->not_planned);
        kvb_buffer_add(out, "\n");
        return;
    }
    bool expected = record->starts != record->failed;
    kvb_buffer_printf(out, "\nThe plan says that it %s%s.\n", record->starts ? "starts" : "does not start",
                      expected ? "" : ", which it did not foresee");
    if (record->figure_count == 0) {
        return;
    }
    kvb_columns_init(&columns, "lrrr", 2, 2);
    kvb_columns_cell(&columns, "");
    kvb_columns_cell(&columns, "planned");
    kvb_columns_cell(&columns, "logged");
    kvb_columns_cell(&columns, "apart");
    kvb_columns_end_row(&columns);
    for (uint32_t i = 0; i < record->figure_count; i++) {
        const struct kvb_record_figure *figure = &record->figures[i];
        char text[48];
        uint64_t error = error_of(figure);
        kvb_columns_cell(&columns, figure->name);
        format_figure(text, figure->unit, figure->planned);
        kvb_columns_cell(&columns, text);
        format_figure(text, figure->unit, figure->logged);
        kvb_columns_cell(&columns, text);
        format_hundredths(text, error, "%");
        kvb_columns_cell(&columns, text);
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
    if (record->by_name) {
        kvb_buffer_add(out,
                       "\nThe model is known by its name alone, so these figures measure nothing: the record keeps the "
                       "row and leaves them out. Name the built-in model of the same shape with --model, and its "
                       "format with --quantization or --hf-overrides.\n");
    }
}

static void add_cells(struct kvb_buffer *out, const struct kvb_record *record)
{
    struct kvb_columns columns;
    kvb_columns_init(&columns, "ll", 2, 2);
    for (uint32_t i = 0; i < record->column_count; i++) {
        if (record->cells[i][0] != '\0') {
            kvb_columns_cell(&columns, record->names[i]);
            kvb_columns_cell(&columns, record->cells[i]);
            kvb_columns_end_row(&columns);
        }
    }
    kvb_columns_write(&columns, out);
}

void kvb_render_record_text(struct kvb_buffer *out, const struct kvb_record_report *report)
{
    const struct kvb_record *record = report->record;
    kvb_buffer_printf(out, "One row for %s. These facts and nothing else of the log:\n", record->table);
    add_cells(out, record);
    add_plan(out, record);
    kvb_buffer_add(out, "\n");
    out->page_columns = KVB_PAGE_UNBROKEN; // what follows is copied
    kvb_text_add_safe(out, report->header);
    kvb_buffer_add(out, "\n");
    kvb_text_add_safe(out, report->line);
    kvb_buffer_add(out, "\n");
    if (report->appended != NULL) {
        kvb_buffer_add(out, "\nAdded to ");
        kvb_text_add_safe(out, report->appended);
        kvb_buffer_add(out, ".\n");
    } else {
        kvb_buffer_add(out, "\nNothing was written; --append FILE adds the line to a table.\n");
    }
}

static void json_figure(struct kvb_json *json, const struct kvb_record_figure *figure)
{
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "figure", figure->name);
    if (figure->unit == KVB_LOG_HUNDREDTHS) {
        kvb_json_hundredths(json, "planned", (uint64_t)(figure->planned < 0 ? 0 : figure->planned));
        kvb_json_hundredths(json, "logged", (uint64_t)(figure->logged < 0 ? 0 : figure->logged));
    } else {
        kvb_json_number(json, "planned", figure->planned);
        kvb_json_number(json, "logged", figure->logged);
    }
    kvb_json_hundredths(json, "error_percent", error_of(figure));
    kvb_json_close_object(json);
}

void kvb_render_record_json(struct kvb_buffer *out, const struct kvb_record_report *report)
{
    const struct kvb_record *record = report->record;
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", "kvbudget.record/1");
    kvb_json_text(&json, "table", record->table);
    kvb_json_open_object(&json, "row");
    for (uint32_t i = 0; i < record->column_count; i++) {
        kvb_json_text(&json, record->names[i], record->cells[i]);
    }
    kvb_json_close_object(&json);
    kvb_json_text(&json, "line", report->line);
    if (record->planned) {
        kvb_json_bool(&json, "starts", record->starts);
    } else {
        kvb_json_null(&json, "starts");
    }
    kvb_json_bool(&json, "by_name", record->by_name);
    kvb_json_text_or_null(&json, "not_planned", record->planned ? "" : record->not_planned);
    kvb_json_open_list(&json, "figures");
    for (uint32_t i = 0; i < record->figure_count; i++) {
        json_figure(&json, &record->figures[i]);
    }
    kvb_json_close_list(&json);
    kvb_json_text_or_null(&json, "appended", report->appended);
    kvb_render_problems_json(&json, report->problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
