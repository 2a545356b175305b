// The models that start on a GPU drawn: weights and cache of the best of each family on the card's memory.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "report/picture.h"
#include "report/pictures.h"

#define WIDTH 860U
#define LEFT 20U
#define LABEL 360U
#define BAR_WIDTH 360U
#define STEP 26U
#define TOP 80U

static bool is_shown(const struct kvb_models_report *report, uint32_t i)
{
    const struct kvb_models_row *row = &report->models->rows[i];
    return row->miss == KVB_MISS_NONE && (report->all || row->best_of_family);
}

static void title_of(char out[256], const struct kvb_models *models)
{
    char count[32] = "";
    if (models->gpu_count > 1) {
        (void)snprintf(count, sizeof count, "%u x ", (unsigned)models->gpu_count);
    }
    (void)snprintf(out, 256, "Models on %s%.80s: %u of %u start", count, models->gpu.name, (unsigned)models->starting,
                   (unsigned)models->asked);
}

static void draw_row(struct kvb_svg *svg, const struct kvb_models *models, const struct kvb_models_row *row, unsigned y)
{
    char text[160], weights[32], cache[32], length[32];
    int64_t weights_bytes = (int64_t)row->weights_bytes;
    unsigned first = kvb_pixels(row->weights_bytes, models->memory_bytes, BAR_WIDTH);
    unsigned second = kvb_pixels(row->kv_cache_bytes > 0 ? (uint64_t)row->kv_cache_bytes : 0, models->memory_bytes,
                                 BAR_WIDTH - first);
    (void)snprintf(text, sizeof text, "weights %s GiB, %s", kvb_format_gib(weights, weights_bytes, 2), row->format);
    kvb_svg_text(svg, LABEL - 10, y + 14, "text", "end", row->name);
    kvb_svg_box(svg, LABEL, y, BAR_WIDTH, STEP - 8, "free", "the card", NULL);
    kvb_svg_box(svg, LABEL, y, first, STEP - 8, "weights", text, &weights_bytes);
    (void)snprintf(text, sizeof text, "KV cache %s GiB, longest request %s tokens",
                   kvb_format_gib(cache, row->kv_cache_bytes, 2),
                   kvb_format_count(length, row->max_model_len_that_fits));
    kvb_svg_box(svg, LABEL + first, y, second, STEP - 8, "cache", text, &row->kv_cache_bytes);
    (void)snprintf(text, sizeof text, "%s%s", kvb_format_count(length, row->max_model_len_that_fits),
                   row->verdict == KVB_TIGHT ? ", tight" : "");
    kvb_svg_text(svg, LABEL + BAR_WIDTH + 10, y + 14, "dim", "start", text);
}

void kvb_render_models_svg(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    const struct kvb_models *models = report->models;
    char title[256];
    unsigned rows = 0, y = TOP;
    for (uint32_t i = 0; i < models->count; i++) {
        rows += is_shown(report, i);
    }
    struct kvb_svg svg = {.out = out, .width = WIDTH, .height = TOP + rows * STEP + 20};
    title_of(title, models);
    kvb_svg_open(&svg, title, "One bar for each model: its weights, then its KV cache, on the memory of one GPU.");
    kvb_svg_text(&svg, LEFT, 30, "head", "start", title);
    kvb_svg_text(&svg, LEFT, 54, "dim", "start",
                 "weights (blue) and KV cache (green) on the card; longest request in tokens");
    for (uint32_t i = 0; i < models->count; i++) {
        if (is_shown(report, i)) {
            draw_row(&svg, models, &models->rows[i], y);
            y += STEP;
        }
    }
    kvb_svg_close(&svg);
}

static void add_table(struct kvb_buffer *out, const struct kvb_models *models)
{
    static const char *const head[] = {"model", "weights", "GiB", "longest", "at once", "verdict", "lacks GiB"};
    kvb_html_table_open(out, "Every model");
    kvb_html_row(out, true, head, 7);
    for (uint32_t i = 0; i < models->count; i++) {
        const struct kvb_models_row *row = &models->rows[i];
        char gib[32], length[32], requests[48], lacks[32];
        (void)snprintf(requests, sizeof requests, "%u.%02u", (unsigned)(row->max_concurrency_hundredths / 100),
                       (unsigned)(row->max_concurrency_hundredths % 100));
        const char *const cells[] = {row->name,
                                     row->format,
                                     kvb_format_gib(gib, (int64_t)row->weights_bytes, 2),
                                     kvb_format_count(length, row->max_model_len_that_fits),
                                     requests,
                                     kvb_verdict_name(row->verdict),
                                     row->miss == KVB_MISS_MEMORY ? kvb_format_gib(lacks, (int64_t)row->lacks_bytes, 2)
                                                                  : ""};
        kvb_html_row(out, false, cells, 7);
    }
    kvb_html_table_close(out);
}

void kvb_render_models_html(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    char title[256];
    title_of(title, report->models);
    kvb_html_open(out, title);
    kvb_render_models_svg(out, report);
    add_table(out, report->models);
    kvb_html_close(out);
}
