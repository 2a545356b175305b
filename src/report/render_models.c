// Which models start on a GPU: the best of each family first, then what just misses and what it lacks.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "report/columns.h"
#include "report/models_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define MISSES_SHOWN 8U
#define FAMILIES_SHOWN 30U
#define NEAR_PARTS 4U // what lacks up to a quarter of the card just misses

static void add_title(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    const struct kvb_models *models = report->models;
    char text[32];
    kvb_style(out, report->color, KVB_STYLE_STRONG);
    kvb_buffer_add(out, "Models on ");
    if (models->gpu_count > 1) {
        kvb_buffer_printf(out, "%s x ", kvb_format_count(text, models->gpu_count));
    }
    kvb_text_add_safe(out, models->gpu.name);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_printf(out, "\n%s GiB%s", kvb_format_gib(text, (int64_t)models->memory_bytes, 2),
                      models->gpu_count > 1 ? " each" : "");
    kvb_buffer_printf(out, ", %s %s\n\n", models->engine.name, models->engine.version);
}

static void add_counts(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    const struct kvb_models *models = report->models;
    struct kvb_buffer line;
    char text[32];
    kvb_buffer_init(&line);
    kvb_buffer_printf(&line, "%u of %u models start with ", (unsigned)models->starting, (unsigned)models->asked);
    uint64_t length = models->length_tokens > 0 ? models->length_tokens : KVB_MODELS_LENGTH;
    kvb_buffer_printf(&line, "a length of %s tokens%s", kvb_format_count(text, length),
                      models->length_tokens > 0 ? "" : " (their own limit where it is shorter)");
    if (models->concurrency_hundredths > 0) {
        kvb_buffer_printf(&line, " for %u.%02u requests at once", (unsigned)(models->concurrency_hundredths / 100),
                          (unsigned)(models->concurrency_hundredths % 100));
    }
    kvb_buffer_add(&line, ".");
    kvb_text_add_wrapped(out, kvb_buffer_text(&line), 0, kvb_page_width(out));
    out->failed |= line.failed;
    kvb_buffer_free(&line);
}

static const char *hundredths(char out[48], uint64_t number)
{
    char whole[32];
    (void)snprintf(out, 48, "%s.%02u", kvb_format_count(whole, number / 100), (unsigned)(number % 100));
    return out;
}

static void add_row(struct kvb_columns *columns, const struct kvb_models *models, const struct kvb_models_row *row)
{
    char text[48];
    kvb_columns_cell(columns, row->name);
    kvb_columns_cell(columns, row->format);
    kvb_columns_cell(columns, kvb_format_gib(text, (int64_t)row->weights_bytes, 2));
    kvb_columns_cell(columns, row->tokens > 0 ? kvb_format_count(text, row->max_model_len_that_fits) : "-");
    kvb_columns_cell(columns, row->tokens > 0 ? hundredths(text, row->max_concurrency_hundredths) : "-");
    kvb_columns_cell(columns, row->verdict == KVB_TIGHT ? "tight" : "fits");
    kvb_columns_cell(columns, kvb_format_gib(text, row->balance_bytes, 2));
    bool fewer = row->tensor_parallel_size != models->gpu_count;
    (void)snprintf(text, sizeof text, "on %u", (unsigned)row->tensor_parallel_size);
    kvb_columns_cell(columns, fewer ? text : "");
    kvb_columns_end_row(columns);
}

static void add_titles(struct kvb_columns *columns, const char *const *titles)
{
    for (; *titles != NULL; titles++) {
        kvb_columns_cell(columns, *titles);
    }
    kvb_columns_end_row(columns);
}

// Returns how many of those that start were left out.
static uint32_t add_starting(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    static const char *const titles[] = {"model", "weights", "GiB", "longest", "at once", "", "spare GiB", "", NULL};
    const struct kvb_models *models = report->models;
    struct kvb_columns columns;
    uint32_t shown = 0;
    kvb_columns_init(&columns, "llrrrlrl", 2, 2);
    add_titles(&columns, titles);
    for (uint32_t i = 0; i < models->count && models->rows[i].miss == KVB_MISS_NONE; i++) {
        if (report->all || (models->rows[i].best_of_family && shown < FAMILIES_SHOWN)) {
            add_row(&columns, models, &models->rows[i]);
            shown++;
        }
    }
    (void)kvb_columns_write_in(&columns, out, "04513261");
    return models->starting - shown;
}

static bool is_near(const struct kvb_models *models, const struct kvb_models_row *row)
{
    return (row->miss == KVB_MISS_HOST && row->gpu_layers * 2 >= row->layers) ||
           (row->miss == KVB_MISS_MEMORY && row->lacks_bytes <= models->memory_bytes / NEAR_PARTS);
}

// Below a tenth of a GiB in MiB: "21 MiB".
static const char *lacking(char out[48], uint64_t bytes)
{
    char text[32];
    if (bytes < KVB_GIB / 10) {
        (void)snprintf(out, 48, "%s MiB", kvb_format_count(text, (bytes + KVB_MIB - 1) / KVB_MIB));
    } else {
        (void)snprintf(out, 48, "%s GiB", kvb_format_gib(text, (int64_t)bytes, 2));
    }
    return out;
}

static void add_miss(struct kvb_columns *columns, const struct kvb_models_row *row)
{
    char text[48];
    kvb_columns_cell(columns, row->name);
    kvb_columns_cell(columns, row->format);
    if (row->miss == KVB_MISS_MEMORY) {
        bool shorter = row->max_model_len_that_fits < row->length_tokens;
        kvb_columns_cell(columns, lacking(text, row->lacks_bytes));
        kvb_columns_cell(columns, shorter ? kvb_format_count(text, row->max_model_len_that_fits) : "-");
    } else if (row->miss == KVB_MISS_HOST) {
        (void)snprintf(text, sizeof text, "%u of %u layers", (unsigned)(row->layers - row->gpu_layers),
                       (unsigned)row->layers);
        kvb_columns_cell(columns, text);
        kvb_columns_cell(columns, kvb_format_count(text, row->max_model_len_that_fits));
    } else if (row->miss == KVB_MISS_LIMIT) {
        kvb_columns_cell(columns, "its limit");
        kvb_columns_cell(columns, kvb_format_count(text, row->context_tokens));
    } else {
        kvb_columns_cell(columns, row->refusal != NULL ? row->refusal : "its heads");
        kvb_columns_cell(columns, "-");
    }
    kvb_columns_end_row(columns);
}

static void add_misses(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    static const char *const titles[] = {"model", "weights", "lacks", "longest", NULL};
    const struct kvb_models *models = report->models;
    struct kvb_columns columns;
    uint32_t shown = 0;
    kvb_columns_init(&columns, "llrr", 2, 2);
    add_titles(&columns, titles);
    for (uint32_t i = 0; i < models->count; i++) {
        const struct kvb_models_row *row = &models->rows[i];
        if (row->miss != KVB_MISS_NONE && (report->all || (is_near(models, row) && shown < MISSES_SHOWN))) {
            add_miss(&columns, row);
            shown++;
        }
    }
    if (shown == 0) {
        kvb_buffer_free(&columns.cells);
        return;
    }
    kvb_style_heading(out, report->color, report->all ? "What does not start:" : "What just misses:");
    (void)kvb_columns_write_in(&columns, out, "0201");
}

static void add_rest(struct kvb_buffer *out, const struct kvb_models_report *report, uint32_t left_out)
{
    const struct kvb_models *models = report->models;
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    if (left_out > 0) {
        kvb_buffer_printf(&line, "Start but are not shown: %u (--all). ", (unsigned)left_out);
    }
    if (models->on_host > 0) {
        kvb_buffer_printf(&line, "Start with layers on the CPU, several times slower: %u. ", (unsigned)models->on_host);
    }
    if (models->licence_unknown > 0) {
        kvb_buffer_printf(&line, "Left out because their licence is not known here: %u. ",
                          (unsigned)models->licence_unknown);
    }
    if (models->missing_memory > 0) {
        kvb_buffer_printf(&line, "Not enough memory: %u. ", (unsigned)models->missing_memory);
    }
    if (models->refused > 0) {
        kvb_buffer_printf(&line, "Refused by this release on this GPU: %u. ", (unsigned)models->refused);
    }
    if (models->too_short > 0) {
        kvb_buffer_printf(&line, "Limited to a shorter length themselves: %u. ", (unsigned)models->too_short);
    }
    kvb_buffer_add(&line, "kvbudget plan --model NAME with the same flags gives one's whole budget.");
    kvb_buffer_add(out, "\n");
    kvb_text_add_wrapped(out, kvb_buffer_text(&line), 0, kvb_page_width(out));
    out->failed |= line.failed;
    kvb_buffer_free(&line);
}

void kvb_render_models_text(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    uint32_t left_out = 0;
    add_title(out, report);
    add_counts(out, report);
    if (report->models->starting > 0) {
        kvb_style_heading(out, report->color, report->all ? "What starts:" : "The best of each family:");
        left_out = add_starting(out, report);
    }
    add_misses(out, report);
    add_rest(out, report, left_out);
}
