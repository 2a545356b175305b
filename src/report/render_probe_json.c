// The document kvbudget.probe/1: the machine, each GPU, and the ranking when a deployment was named.
#include <string.h>

#include "report/json_writer.h"
#include "report/probe_report.h"
#include "report/problems.h"

static void figure(struct kvb_json *json, const char *key, const struct kvb_figure *value)
{
    if (value->known) {
        kvb_json_count(json, key, value->value);
    } else {
        kvb_json_null(json, key);
    }
}

static void bytes_or_null(struct kvb_json *json, const char *key, uint64_t bytes)
{
    const struct kvb_figure value = {.known = bytes > 0, .value = bytes};
    figure(json, key, &value);
}

static void processes(struct kvb_json *json, const struct kvb_device *device)
{
    kvb_json_count(json, "process_count", device->process_total);
    kvb_json_open_list(json, "processes");
    for (uint32_t i = 0; i < device->process_count; i++) {
        const struct kvb_device_process *process = &device->processes[i];
        kvb_json_open_object(json, NULL);
        kvb_json_count(json, "pid", process->pid);
        kvb_json_text_or_null(json, "name", process->name);
        kvb_json_text(json, "kind", process->graphics ? "graphics" : "compute");
        figure(json, "used_bytes", &process->used_bytes);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void device_object(struct kvb_json *json, const struct kvb_device *device)
{
    char label[32];
    const struct kvb_figure slice = {.known = device->is_slice, .value = device->slice};
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "id", kvb_device_label(label, device));
    kvb_json_count(json, "index", device->index);
    figure(json, "slice", &slice);
    kvb_json_text_or_null(json, "name", device->name);
    kvb_json_text_or_null(json, "profile", device->recognised ? device->gpu.id : NULL);
    kvb_json_text_or_null(json, "uuid", device->uuid);
    kvb_json_text_or_null(json, "bus_id", device->bus_id);
    bytes_or_null(json, "total_bytes", device->total_bytes.value);
    figure(json, "reserved_bytes", &device->reserved_bytes);
    bytes_or_null(json, "memory_bytes", device->gpu.memory_bytes);
    figure(json, "used_bytes", &device->used_bytes);
    figure(json, "free_bytes", &device->free_bytes);
    figure(json, "load_percent", &device->load_percent);
    kvb_json_bool(json, "mig_enabled", device->mig_enabled);
    kvb_json_bool(json, "unified_memory", device->unified);
    processes(json, device);
    kvb_json_close_object(json);
}

static void utilization(struct kvb_json *json, const char *key, bool known, uint32_t ppm)
{
    if (known) {
        kvb_json_ppm(json, key, ppm);
    } else {
        kvb_json_null(json, key);
    }
}

static void rank_object(struct kvb_json *json, const struct kvb_machine *machine, const struct kvb_rank *rank)
{
    char label[32];
    const struct kvb_device *device = &machine->devices[rank->device];
    kvb_json_open_object(json, NULL);
    kvb_json_text(json, "id", kvb_device_label(label, device));
    kvb_json_count(json, "index", device->index);
    kvb_json_bool(json, "usable", rank->usable);
    if (!rank->usable) {
        kvb_json_close_object(json);
        return;
    }
    kvb_json_bool(json, "starts", rank->starts);
    kvb_json_text(json, "verdict", kvb_verdict_name(rank->verdict));
    kvb_json_count(json, "memory_bytes", rank->memory_bytes);
    kvb_json_count(json, "free_bytes", rank->free_bytes);
    kvb_json_count(json, "requested_bytes", rank->requested_bytes);
    kvb_json_number(json, "kv_cache_bytes", rank->kv_cache_bytes);
    kvb_json_number(json, "balance_bytes", rank->balance_bytes);
    kvb_json_number(json, "slack_bytes", rank->slack_bytes);
    kvb_json_count(json, "tokens", rank->tokens);
    utilization(json, "accepted_utilization", rank->checks_free, rank->accepted_ppm);
    if (rank->checks_free) {
        kvb_json_bool(json, "starts_at_accepted", rank->starts_accepted);
    } else {
        kvb_json_null(json, "starts_at_accepted");
    }
    utilization(json, "advised_utilization", rank->has_advised, rank->advised_ppm);
    kvb_json_close_object(json);
}

static void deployment(struct kvb_json *json, const struct kvb_probe_report *report)
{
    const struct kvb_rank *best = report->ranking->count > 0 ? &report->ranking->ranks[0] : NULL;
    kvb_json_open_object(json, "deployment");
    kvb_json_text(json, "model", report->plan->model.name);
    kvb_json_text(json, "engine", report->plan->engine.name);
    kvb_json_text(json, "version", report->plan->engine.version);
    kvb_json_count(json, "gpus_needed", report->ranking->needed);
    utilization(json, "gpu_memory_utilization", best != NULL && best->utilization_ppm > 0,
                best != NULL ? best->utilization_ppm : 0);
    kvb_json_close_object(json);
}

static void chosen_list(struct kvb_json *json, const struct kvb_probe_report *report)
{
    const struct kvb_ranking *ranking = report->ranking;
    kvb_json_open_list(json, "gpus");
    for (uint32_t i = 0; i < ranking->chosen_count; i++) {
        char label[32];
        const struct kvb_rank *rank = &ranking->ranks[ranking->chosen[i]];
        kvb_json_text(json, NULL, kvb_device_label(label, &report->machine->devices[rank->device]));
    }
    kvb_json_close_list(json);
}

static void text_of(struct kvb_json *json, const char *key, struct kvb_buffer *text)
{
    kvb_json_text_or_null(json, key, text->data);
    json->out->failed |= text->failed;
    kvb_buffer_free(text);
}

static void recommendation(struct kvb_json *json, const struct kvb_probe_report *report)
{
    const struct kvb_rank *rank = kvb_ranking_deciding(report->ranking);
    struct kvb_buffer text;
    kvb_json_open_object(json, "recommendation");
    chosen_list(json, report);
    kvb_buffer_init(&text);
    if (rank != NULL) {
        kvb_probe_environment(&text, report->machine, report->ranking);
    }
    text_of(json, "environment", &text);
    bool lower = rank != NULL && !rank->starts && rank->starts_accepted;
    bool known = rank != NULL && (rank->starts || lower);
    utilization(json, "gpu_memory_utilization", known, !known ? 0 : lower ? rank->accepted_ppm : rank->utilization_ppm);
    kvb_buffer_init(&text);
    kvb_probe_choice(&text, report->machine, report->ranking);
    text_of(json, "why", &text);
    kvb_json_close_object(json);
}

static void ranking(struct kvb_json *json, const struct kvb_probe_report *report)
{
    if (report->ranking == NULL) {
        kvb_json_null(json, "verdict");
        kvb_json_null(json, "deployment");
        kvb_json_null(json, "ranking");
        kvb_json_null(json, "recommendation");
        return;
    }
    const struct kvb_rank *rank = kvb_ranking_deciding(report->ranking);
    kvb_json_text(json, "verdict", kvb_verdict_name(rank != NULL ? rank->verdict : KVB_DOES_NOT_FIT));
    deployment(json, report);
    kvb_json_open_list(json, "ranking");
    for (uint32_t i = 0; i < report->ranking->count; i++) {
        rank_object(json, report->machine, &report->ranking->ranks[i]);
    }
    kvb_json_close_list(json);
    recommendation(json, report);
}

void kvb_render_probe_json(struct kvb_buffer *out, const struct kvb_probe_report *report)
{
    static const char *const platforms[] = {
        [KVB_PLATFORM_LINUX] = "linux", [KVB_PLATFORM_WSL2] = "wsl2", [KVB_PLATFORM_WINDOWS] = "windows"};
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", "kvbudget.probe/1");
    kvb_json_text(&json, "source", kvb_machine_source_name(report->machine->source));
    kvb_json_text_or_null(&json, "driver", report->machine->driver);
    kvb_json_text_or_null(&json, "cuda", report->machine->cuda);
    kvb_json_text(&json, "platform", platforms[report->machine->platform]);
    kvb_json_open_list(&json, "gpus");
    for (uint32_t i = 0; i < report->machine->count; i++) {
        device_object(&json, &report->machine->devices[i]);
    }
    kvb_json_close_list(&json);
    ranking(&json, report);
    kvb_render_problems_json(&json, report->problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
