// The `residents` key of a plan document.
#include "report/residents_report.h"

static void ppm_or_null(struct kvb_json *json, const char *key, uint32_t ppm)
{
    if (ppm == 0) {
        kvb_json_null(json, key);
    } else {
        kvb_json_ppm(json, key, ppm);
    }
}

static void engine(struct kvb_json *json, const struct kvb_resident *resident, const struct kvb_resident_answer *row)
{
    kvb_json_text(json, "engine", resident->plan->engine.name);
    kvb_json_text(json, "version", resident->plan->engine.version);
    kvb_json_text(json, "model", resident->plan->model.name);
    ppm_or_null(json, "gpu_memory_utilization", row->charge == KVB_CHARGE_FIXED ? 0 : row->utilization_ppm);
    kvb_json_text(json, "charges", kvb_charge_row_of(row->charge)->key);
    kvb_json_count(json, "charged_bytes", row->charged_bytes);
    kvb_json_bool(json, "starts", row->starts);
    kvb_json_text_or_null(json, "error", row->error);
    kvb_json_text(json, "verdict", kvb_verdict_name(row->verdict));
    kvb_json_count(json, "requested_bytes", row->requested_bytes);
    kvb_json_number(json, "kv_cache_bytes", row->kv_cache_bytes);
    kvb_json_count(json, "needed_bytes", row->needed_bytes);
    kvb_json_count(json, "tokens", row->tokens);
    ppm_or_null(json, "utilization_needed", row->needs_ppm);
    ppm_or_null(json, "utilization_accepted", row->accepted_ppm);
    kvb_json_open_object(json, "at_once");
    kvb_json_bool(json, "starts", row->starts_at_once);
    kvb_json_number(json, "kv_cache_bytes", row->at_once_bytes);
    kvb_json_number(json, "kv_cache_low_bytes", row->at_once_low_bytes);
    kvb_json_number(json, "kv_cache_high_bytes", row->at_once_high_bytes);
    kvb_json_count(json, "gained_bytes", row->gained_bytes);
    kvb_json_close_object(json);
}

static void order(struct kvb_json *json, const struct kvb_placed *report)
{
    kvb_json_open_list(json, "order");
    for (uint32_t i = 0; i < report->side->count; i++) {
        const struct kvb_resident_answer *row = &report->side->rows[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "kind", kvb_resident_kind_name(report->residents[i].kind));
        kvb_json_text(json, "name", report->residents[i].name);
        kvb_json_bool(json, "own", i == report->own);
        kvb_json_count(json, "held_before_bytes", row->held_before_bytes);
        kvb_json_count(json, "held_bytes", row->held_bytes);
        if (report->residents[i].kind == KVB_RESIDENT_ENGINE) {
            engine(json, &report->residents[i], row);
        }
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void phases(struct kvb_json *json, const struct kvb_training *training)
{
    kvb_json_open_list(json, "phases");
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "phase", kvb_train_phase_row_of(phase)->key);
        for (unsigned part = 0; part < KVB_TRAIN_PART_COUNT; part++) {
            kvb_json_count(json, kvb_train_part_row_of(part)->key, training->parts[phase][part]);
        }
        kvb_json_count(json, "total_bytes", training->totals[phase]);
        kvb_json_count(json, "range_bytes", training->ranges[phase]);
        kvb_json_number(json, "free_bytes", (int64_t)training->memory_bytes - (int64_t)training->totals[phase]);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void alternatives(struct kvb_json *json, const struct kvb_placed *report)
{
    kvb_json_open_list(json, "rollouts");
    for (uint32_t i = 0; i < report->alternative_count; i++) {
        const struct kvb_alternative *row = &report->alternatives[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "name", row->name);
        kvb_json_count(json, "tensor_parallel_size", row->tp);
        kvb_json_count(json, "weights_bytes", row->weights_bytes);
        kvb_json_number(json, "cache_bytes", row->cache_bytes);
        kvb_json_count(json, "passing_bytes", row->passing_bytes);
        kvb_json_count(json, "tokens", row->tokens);
        kvb_json_bool(json, "fits", row->starts);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void training(struct kvb_json *json, const struct kvb_placed *report)
{
    const struct kvb_training *step = report->training;
    kvb_json_open_object(json, "training");
    kvb_json_count(json, "gpus", report->trainer->gpus);
    kvb_json_text(json, "sharding", kvb_sharding_row_of(report->trainer->sharding)->name);
    kvb_json_bool(json, "fits", step->fits);
    kvb_json_text(json, "deciding", kvb_train_phase_row_of(step->deciding)->key);
    kvb_json_count(json, "state_bytes", step->state_bytes);
    kvb_json_count(json, "state_at_start_bytes", step->state_at_start_bytes);
    kvb_json_count(json, "reference_bytes", step->reference_bytes);
    kvb_json_count(json, "static_bytes", step->static_bytes);
    ppm_or_null(json, "utilization_needed", step->needs_ppm);
    ppm_or_null(json, "utilization_highest", step->highest_ppm);
    kvb_json_bool(json, "gpus_divisible", step->divisible);
    kvb_json_count(json, "host_bytes", step->host_bytes);
    kvb_json_count(json, "host_sleep_bytes", step->host_sleep_bytes);
    phases(json, step);
    alternatives(json, report);
    kvb_json_close_object(json);
}

void kvb_render_residents_json(struct kvb_json *json, const struct kvb_placed *report)
{
    kvb_json_open_object(json, "residents");
    kvb_json_count(json, "memory_bytes", report->side->memory_bytes);
    kvb_json_count(json, "held_bytes", report->side->held_bytes);
    kvb_json_bool(json, "all_start", report->side->all_start);
    kvb_json_bool(json, "all_start_at_once", report->side->all_start_at_once);
    kvb_json_bool(json, "crowded", report->side->crowded);
    order(json, report);
    if (report->training != NULL) {
        training(json, report);
    } else {
        kvb_json_null(json, "training");
    }
    kvb_json_close_object(json);
}
