// The document kvbudget.plan/1: fixed keys in fixed order, bytes as whole numbers, null for unknown.
#include <string.h>

#include "base/checked.h"
#include "engines/flags.h"
#include "report/json_writer.h"
#include "report/plan_report.h"
#include "report/problems.h"

// These come first, in this order; all other settings follow in the order of their rows.
static const enum kvb_setting leading_settings[] = {
    KVB_SET_GPU_MEMORY_UTILIZATION,
    KVB_SET_MAX_MODEL_LEN,
    KVB_SET_MAX_NUM_SEQS,
    KVB_SET_MAX_NUM_BATCHED_TOKENS,
    KVB_SET_TENSOR_PARALLEL_SIZE,
    KVB_SET_PIPELINE_PARALLEL_SIZE,
    KVB_SET_DATA_PARALLEL_SIZE,
    KVB_SET_DTYPE,
    KVB_SET_QUANTIZATION,
    KVB_SET_KV_CACHE_DTYPE,
    KVB_SET_BLOCK_SIZE,
    KVB_SET_ENFORCE_EAGER,
};
#define LEADING_COUNT (sizeof leading_settings / sizeof leading_settings[0])

static bool is_leading(enum kvb_setting setting)
{
    for (size_t i = 0; i < LEADING_COUNT; i++) {
        if (leading_settings[i] == setting) {
            return true;
        }
    }
    return false;
}

void kvb_json_setting(struct kvb_json *json, const char *key, enum kvb_setting setting, uint64_t number)
{
    const struct kvb_setting_row *row = kvb_setting_row_of(setting);
    if (number == KVB_AUTO) {
        kvb_json_text(json, key, "auto");
    } else if (row->kind == KVB_VALUE_SWITCH || setting == KVB_SET_KV_TRANSFER) {
        kvb_json_bool(json, key, number != 0);
    } else if (row->kind == KVB_VALUE_PPM) {
        kvb_json_ppm(json, key, number);
    } else if (row->words != NULL) {
        char text[48];
        kvb_json_text(json, key, kvb_setting_format(text, setting, number));
    } else if (row->kind == KVB_VALUE_GIB) {
        char text[48];
        kvb_json_plain(json, key, kvb_setting_format(text, setting, number));
    } else {
        kvb_json_count(json, key, number);
    }
}

static bool method_is_checkpoints(const struct kvb_setting_value *value)
{
    return !value->set || value->number == KVB_QUANTIZATION_CHECKPOINT ||
           (value->number >= KVB_QUANTIZATION_OTHER_OF_CHECKPOINT && value->number < KVB_QUANTIZATION_FP8_PER_TENSOR);
}

static void setting(struct kvb_json *json, const struct kvb_plan_report *report, enum kvb_setting setting)
{
    const struct kvb_setting_value *value = &report->budget->settings.values[setting];
    const char *key = kvb_setting_row_of(setting)->key;
    const struct kvb_quantisation *quantisation = &report->plan->model.quantisation;
    if (setting == KVB_SET_QUANTIZATION && method_is_checkpoints(value)) {
        kvb_json_text_or_null(json, key, quantisation->method != KVB_QUANT_NONE ? quantisation->name : NULL);
    } else if (!value->set) {
        kvb_json_null(json, key);
    } else {
        kvb_json_setting(json, key, setting, value->number);
    }
}

static void origin(struct kvb_json *json, const struct kvb_plan_report *report, enum kvb_setting setting)
{
    const struct kvb_setting_value *value = &report->budget->settings.values[setting];
    kvb_json_text(json, kvb_setting_row_of(setting)->key,
                  kvb_origin_name(value->set ? (enum kvb_origin)value->origin : KVB_ORIGIN_DEFAULT));
}

static void each_setting(struct kvb_json *json, const struct kvb_plan_report *report,
                         void (*write)(struct kvb_json *json, const struct kvb_plan_report *report,
                                       enum kvb_setting setting))
{
    for (size_t i = 0; i < LEADING_COUNT; i++) {
        write(json, report, leading_settings[i]);
    }
    bool shown[KVB_SETTING_COUNT];
    kvb_engine_shown(kvb_engine_of(report->plan), shown);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (shown[i] && !is_leading((enum kvb_setting)i)) {
            write(json, report, (enum kvb_setting)i);
        }
    }
}

static void identity(struct kvb_json *json, const struct kvb_plan_report *report)
{
    const struct kvb_plan *plan = report->plan;
    const struct kvb_budget *budget = report->budget;
    kvb_json_open_object(json, "model");
    kvb_json_text(json, "name", plan->model.name);
    kvb_json_text_or_null(json, "source", report->source->text);
    kvb_json_text_or_null(json, "architecture", plan->model.architecture);
    kvb_json_count(json, "parameters", budget->parameters);
    kvb_json_text(json, "weights_basis", kvb_basis_name(report->source->weights_basis));
    kvb_json_close_object(json);
    kvb_json_open_object(json, "gpu");
    kvb_json_text_or_null(json, "name", plan->gpu.name);
    kvb_json_count(json, "count", kvb_gpu_count(&budget->settings));
    kvb_json_count(json, "memory_bytes", budget->memory_bytes);
    kvb_json_count(json, "free_bytes", budget->free_bytes);
    if (report->devices != NULL) {
        kvb_json_text(json, "devices", report->devices);
        kvb_json_text(json, "choice", report->choice);
    }
    kvb_json_close_object(json);
    kvb_json_open_object(json, "engine");
    kvb_json_text(json, "name", plan->engine.name);
    kvb_json_text(json, "version", plan->engine.version);
    static const char *const generations[] = {"v0", "v1", NULL};
    kvb_json_text_or_null(json, "generation", generations[budget->generation]);
    kvb_json_bool(json, "assumed", plan->engine.assumed);
    kvb_json_close_object(json);
    kvb_json_open_object(json, "settings");
    each_setting(json, report, setting);
    kvb_json_open_object(json, "origin");
    each_setting(json, report, origin);
    kvb_json_close_object(json);
    kvb_json_close_object(json);
}

// Nothing where the engine has no names of its own.
static void engine_parts(struct kvb_json *json, const struct kvb_budget *budget)
{
    if (budget->part_count == 0) {
        return;
    }
    kvb_json_open_list(json, "parts");
    for (uint32_t i = 0; i < budget->part_count; i++) {
        const struct kvb_budget_part *part = &budget->parts[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "name", part->key);
        kvb_json_text(json, "inside", part->host ? NULL : kvb_item_row_of(part->item)->key);
        kvb_json_bool(json, "host", part->host);
        kvb_json_number(json, "bytes", part->bytes);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

// What stands beside the share of an engine that reserves nothing for it.
static void beside_the_share(struct kvb_json *json, const struct kvb_budget *budget)
{
    if (budget->share_of_bytes == 0) {
        return;
    }
    kvb_json_count(json, "share_of_bytes", budget->share_of_bytes);
    kvb_json_open_object(json, "beside");
    for (unsigned i = 0; i < KVB_BESIDE_COUNT; i++) {
        kvb_json_number(json, kvb_beside_row_of((enum kvb_beside)i)->key, budget->beside[i].bytes);
    }
    kvb_json_close_object(json);
}

static void budget_terms(struct kvb_json *json, const struct kvb_budget *budget)
{
    kvb_json_open_object(json, "budget");
    kvb_json_count(json, "requested_bytes", budget->requested_bytes);
    for (unsigned i = 0; i < KVB_ITEM_COUNT; i++) {
        kvb_json_number(json, kvb_item_row_of(i)->key, budget->items[i].bytes);
    }
    kvb_json_number(json, "kv_cache_low_bytes", budget->items[KVB_ITEM_KV_CACHE].low_bytes);
    kvb_json_number(json, "kv_cache_high_bytes", budget->items[KVB_ITEM_KV_CACHE].high_bytes);
    kvb_json_count(json, "needed_bytes", budget->needed_bytes);
    kvb_json_number(json, "balance_bytes", budget->balance_bytes);
    kvb_json_count(json, "really_needed_bytes", kvb_max(budget->needed_bytes, budget->kv.really_needed_bytes));
    if (budget->load_peak_bytes > 0) {
        kvb_json_count(json, "load_peak_bytes", budget->load_peak_bytes);
    } else {
        kvb_json_null(json, "load_peak_bytes"); // the engine's loading is not known, or nothing is counted
    }
    kvb_json_number(json, "outside_bytes", budget->outside_bytes);
    kvb_json_number(json, "slack_bytes", budget->slack_bytes);
    engine_parts(json, budget);
    beside_the_share(json, budget);
    kvb_json_close_object(json);
}

static void kv_cache(struct kvb_json *json, const struct kvb_kv_cache *kv)
{
    kvb_json_open_object(json, "kv_cache");
    kvb_json_count(json, "bytes_per_token", kv->bytes_per_token);
    kvb_json_count(json, "block_size", kv->block_tokens);
    kvb_json_count(json, "bytes_per_block", kv->bytes_per_block);
    kvb_json_count(json, "num_blocks", kv->num_blocks);
    kvb_json_count(json, "tokens", kv->tokens);
    kvb_json_hundredths(json, "max_concurrency", kv->max_concurrency_hundredths);
    kvb_json_count(json, "max_model_len_that_fits", kv->max_model_len_that_fits);
    kvb_json_open_list(json, "groups");
    for (uint32_t i = 0; i < kv->group_count; i++) {
        const struct kvb_kv_group *group = &kv->groups[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "kind", kvb_attention_name(group->kind));
        kvb_json_count(json, "layers", group->layers);
        kvb_json_count(json, "block_size", group->block_tokens);
        kvb_json_count(json, "blocks_per_request", group->blocks_per_request);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}

static void startup(struct kvb_json *json, const struct kvb_budget *budget)
{
    kvb_json_open_object(json, "startup");
    kvb_json_bool(json, "starts", budget->starts);
    kvb_json_text_or_null(json, "error", budget->error);
    kvb_json_text_or_null(json, "refusal", budget->refusal);
    kvb_json_close_object(json);
}

static bool is_applied(const struct kvb_advice *advice, uint32_t index)
{
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        if (advice->apply[i] == index) {
            return true;
        }
    }
    return false;
}

static void change(struct kvb_json *json, const struct kvb_advice *advice, uint32_t index)
{
    const struct kvb_change *change = &advice->changes[index];
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "setting", kvb_setting_row_of(change->setting)->key);
    kvb_json_setting(json, "from", change->setting, change->from);
    if (change->removes_setting) {
        kvb_json_null(json, "to");
    } else {
        kvb_json_setting(json, "to", change->setting, change->to);
    }
    kvb_json_number(json, "frees_bytes", change->frees_bytes);
    kvb_json_number(json, "balance_bytes", change->balance_bytes);
    kvb_json_bool(json, "fits", change->fits);
    kvb_json_text_or_null(json, "why", change->why);
    kvb_json_bool(json, "together", change->together);
    kvb_json_bool(json, "helps", !change->useless);
    kvb_json_bool(json, "starts", change->starts);
    kvb_json_bool(json, "applied", is_applied(advice, index));
    kvb_json_close_object(json);
}

static void frontier(struct kvb_json *json, const struct kvb_kv_cache *kv)
{
    kvb_json_open_list(json, "frontier");
    for (uint32_t i = 0; i < kv->frontier_count; i++) {
        kvb_json_open_object(json, NULL);
        kvb_json_count(json, "max_model_len", kv->frontier[i].length_tokens);
        kvb_json_hundredths(json, "max_concurrency", kv->frontier[i].concurrency_hundredths);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void recommended(struct kvb_json *json, bool known, enum kvb_setting setting, uint64_t number)
{
    const char *key = kvb_setting_row_of(setting)->key;
    if (known) {
        kvb_json_setting(json, key, setting, number);
    } else {
        kvb_json_null(json, key);
    }
}

static void siblings(struct kvb_json *json, const struct kvb_siblings *siblings)
{
    kvb_json_open_list(json, "siblings");
    for (uint32_t i = 0; siblings != NULL && i < siblings->count; i++) {
        const struct kvb_sibling *row = &siblings->rows[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "kind", kvb_sibling_kind_name(row->kind));
        kvb_json_text(json, "model", row->name);
        kvb_json_text(json, "verdict", kvb_verdict_name(row->verdict));
        kvb_json_count(json, "weights_bytes", row->weights_bytes);
        kvb_json_count(json, "tokens", row->tokens);
        if (row->max_model_len > 0) {
            kvb_json_count(json, "max_model_len", row->max_model_len);
        } else {
            kvb_json_null(json, "max_model_len");
        }
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void recommendation(struct kvb_json *json, const struct kvb_plan_report *report)
{
    const struct kvb_advice *advice = report->advice;
    kvb_json_open_object(json, "recommendation");
    recommended(json, advice->has_utilization, KVB_SET_GPU_MEMORY_UTILIZATION, advice->gpu_memory_utilization_ppm);
    recommended(json, advice->has_max_model_len, KVB_SET_MAX_MODEL_LEN, advice->max_model_len);
    recommended(json, advice->has_max_num_seqs, KVB_SET_MAX_NUM_SEQS, advice->max_num_seqs);
    kvb_json_open_list(json, "changes");
    for (uint32_t i = 0; i < advice->change_count; i++) {
        change(json, advice, i);
    }
    kvb_json_close_list(json);
    siblings(json, report->siblings);
    kvb_render_longer_json(json, report);
    kvb_json_text(json, "command", report->command);
    frontier(json, &report->budget->kv);
    kvb_json_close_object(json);
}

static void against(struct kvb_json *json, const struct kvb_plan_report *report)
{
    const struct kvb_plan_report *other = report->against;
    struct kvb_compared compared;
    kvb_json_open_object(json, "against");
    kvb_json_text(json, "verdict", kvb_verdict_name(other->budget->verdict));
    identity(json, other);
    budget_terms(json, other->budget);
    kv_cache(json, &other->budget->kv);
    startup(json, other->budget);
    kvb_json_open_list(json, "moved");
    for (unsigned i = 0; kvb_report_compared(report->budget, other->budget, i, &compared); i++) {
        if (compared.from != compared.to) {
            kvb_json_open_object(json, NULL);
            kvb_json_text(json, "term", compared.key);
            kvb_json_number(json, "from", compared.from);
            kvb_json_number(json, "to", compared.to);
            kvb_json_close_object(json);
        }
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}

void kvb_json_plan(struct kvb_json *json, const char *key, const struct kvb_plan_report *report)
{
    kvb_json_open_object(json, key);
    kvb_json_text(json, "schema", "kvbudget.plan/1");
    kvb_json_text(json, "verdict", kvb_verdict_name(report->budget->verdict));
    identity(json, report);
    budget_terms(json, report->budget);
    kv_cache(json, &report->budget->kv);
    startup(json, report->budget);
    recommendation(json, report);
    kvb_render_problems_json(json, report->problems);
    if (report->cards != NULL) {
        kvb_render_cards_json(json, report->cards);
        kvb_render_card_lines_json(json, report->cards);
    }
    if (report->against != NULL) {
        against(json, report);
    }
    kvb_render_host_json(json, report);
    kvb_render_utilization_json(json, report);
    if (report->residents != NULL) {
        kvb_render_residents_json(json, report->residents);
    }
    kvb_json_close_object(json);
}

void kvb_render_plan_json(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_plan(&json, NULL, report);
    kvb_json_finish(&json);
}
