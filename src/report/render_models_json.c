// Which models start on a GPU, as JSON.
#include "report/json_writer.h"
#include "report/models_report.h"
#include "report/problems.h"

const char *kvb_miss_name(enum kvb_miss miss)
{
    static const char *const names[] = {[KVB_MISS_NONE] = NULL,
                                        [KVB_MISS_HOST] = "on_the_cpu",
                                        [KVB_MISS_LIMIT] = "limit",
                                        [KVB_MISS_RULE] = "refused",
                                        [KVB_MISS_MEMORY] = "memory"};
    return names[miss];
}

static void add_row(struct kvb_json *json, const struct kvb_models_row *row)
{
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "name", row->name);
    kvb_json_text(json, "family", row->family);
    kvb_json_text(json, "task", kvb_task_name(row->task));
    kvb_json_text(json, "format", row->format);
    kvb_json_count(json, "parameters", row->parameters);
    kvb_json_text(json, "verdict", kvb_verdict_name(row->verdict));
    kvb_json_count(json, "weights_bytes", row->weights_bytes);
    kvb_json_count(json, "max_model_len", row->length_tokens);
    kvb_json_count(json, "max_model_len_that_fits", row->max_model_len_that_fits);
    kvb_json_hundredths(json, "max_concurrency", row->max_concurrency_hundredths);
    kvb_json_count(json, "context_tokens", row->context_tokens);
    kvb_json_count(json, "tensor_parallel_size", row->tensor_parallel_size);
    kvb_json_number(json, "kv_cache_bytes", row->kv_cache_bytes);
    kvb_json_number(json, "balance_bytes", row->balance_bytes);
    kvb_json_number(json, "slack_bytes", row->slack_bytes);
    kvb_json_count(json, "tokens", row->tokens);
    kvb_json_bool(json, "best_of_family", row->best_of_family);
    kvb_json_text(json, "misses", kvb_miss_name(row->miss));
    if (row->miss == KVB_MISS_MEMORY) {
        kvb_json_count(json, "lacks_bytes", row->lacks_bytes);
    } else {
        kvb_json_null(json, "lacks_bytes");
    }
    kvb_json_text(json, "refusal", row->refusal);
    kvb_json_text(json, "license", row->licence);
    if (row->miss == KVB_MISS_HOST) {
        kvb_json_count(json, "gpu_layers", row->gpu_layers);
        kvb_json_count(json, "layers", row->layers);
    }
    kvb_json_close_object(json);
}

void kvb_render_models_json(struct kvb_buffer *out, const struct kvb_models_report *report)
{
    const struct kvb_models *models = report->models;
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", "kvbudget.models/1");
    kvb_json_open_object(&json, "gpu");
    kvb_json_text(&json, "name", models->gpu.name);
    kvb_json_count(&json, "count", models->gpu_count);
    kvb_json_count(&json, "memory_bytes", models->memory_bytes);
    kvb_json_count(&json, "free_bytes", models->free_bytes);
    kvb_json_close_object(&json);
    kvb_json_open_object(&json, "engine");
    kvb_json_text(&json, "name", models->engine.name);
    kvb_json_text(&json, "version", models->engine.version);
    kvb_json_close_object(&json);
    kvb_json_count(&json, "known", models->known);
    kvb_json_count(&json, "asked", models->asked);
    kvb_json_count(&json, "starting", models->starting);
    kvb_json_open_list(&json, "models");
    for (uint32_t i = 0; i < models->count; i++) {
        add_row(&json, &models->rows[i]);
    }
    kvb_json_close_list(&json);
    kvb_render_problems_json(&json, report->problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
