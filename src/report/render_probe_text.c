// The machine as a page of 80 columns: its GPUs, who holds memory, and the ranking for a deployment.
#include <stdio.h>
#include <string.h>

#include "command/setting_flag.h"
#include "engines/flags.h"
#include "report/columns.h"
#include "report/plan_report.h"
#include "report/probe_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define NAME_WIDTH 28
#define PROCESS_NAME_WIDTH 40
#define PROCESSES_SHOWN 6U

static void cell_gib(struct kvb_columns *columns, bool known, int64_t bytes)
{
    char text[32];
    kvb_columns_cell(columns, known ? kvb_format_gib(text, bytes, 2) : "-");
}

static void cell_ppm(struct kvb_columns *columns, bool known, uint32_t ppm)
{
    char text[32];
    kvb_columns_cell(columns, known ? kvb_format_ppm(text, ppm) : "-");
}

static void cell_safe(struct kvb_columns *columns, const char *name, size_t width)
{
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    size_t length = strlen(name);
    kvb_text_add_safe_n(&text, name, length > width ? width - 3 : length);
    kvb_buffer_add(&text, length > width ? "..." : "");
    kvb_columns_cell(columns, kvb_buffer_text(&text));
    columns->cells.failed |= text.failed;
    kvb_buffer_free(&text);
}

static void add_title(struct kvb_buffer *out, const struct kvb_probe_report *report)
{
    static const char *const platforms[] = {
        [KVB_PLATFORM_LINUX] = "", [KVB_PLATFORM_WSL2] = ", WSL2", [KVB_PLATFORM_WINDOWS] = ", Windows"};
    const struct kvb_machine *machine = report->machine;
    unsigned gpus = 0, slices = 0;
    for (uint32_t i = 0; i < machine->count; i++) {
        gpus += !machine->devices[i].is_slice;
        slices += machine->devices[i].is_slice;
    }
    kvb_style(out, report->color, KVB_STYLE_STRONG);
    kvb_buffer_printf(out, "%u GPU%s", gpus, gpus == 1 ? "" : "s");
    if (slices > 0) {
        kvb_buffer_printf(out, ", %u MIG slice%s", slices, slices == 1 ? "" : "s");
    }
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    if (machine->driver[0] != '\0') {
        kvb_buffer_add(out, ", driver ");
        kvb_text_add_safe(out, machine->driver);
    }
    kvb_buffer_printf(out, "%s (%s)\n\n", platforms[machine->platform], kvb_machine_source_name(machine->source));
}

static void add_device_row(struct kvb_columns *columns, const struct kvb_device *device)
{
    char text[32];
    kvb_columns_cell(columns, kvb_device_label(text, device));
    cell_safe(columns, device->name[0] != '\0' ? device->name : "-", NAME_WIDTH);
    cell_gib(columns, device->gpu.memory_bytes > 0, (int64_t)device->gpu.memory_bytes);
    cell_gib(columns, device->used_bytes.known, (int64_t)device->used_bytes.value);
    cell_gib(columns, device->free_bytes.known, (int64_t)device->free_bytes.value);
    (void)snprintf(text, sizeof text, "%u %%", (unsigned)device->load_percent.value);
    kvb_columns_cell(columns, device->load_percent.known ? text : "-");
    (void)snprintf(text, sizeof text, "%u", (unsigned)device->process_total);
    kvb_columns_cell(columns, device->mig_enabled ? "MIG" : device->unified ? "unified" : text);
    kvb_columns_end_row(columns);
}

static void add_devices(struct kvb_buffer *out, const struct kvb_machine *machine)
{
    static const char *const heads[] = {"GPU", "name", "total", "used", "free", "load", "processes"};
    struct kvb_columns columns;
    kvb_columns_init(&columns, "rlrrrrr", 2, 2);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        kvb_columns_cell(&columns, heads[i]);
    }
    kvb_columns_end_row(&columns);
    for (uint32_t i = 0; i < machine->count; i++) {
        add_device_row(&columns, &machine->devices[i]);
    }
    kvb_columns_write(&columns, out);
    kvb_buffer_add(out, "\n");
    kvb_buffer_add(out, machine->vendor == KVB_VENDOR_AMD ? "  GiB.\n"
                        : machine->platform != KVB_PLATFORM_LINUX
                            ? "  GiB; total is what CUDA reports: under Windows all of it.\n"
                            : "  GiB; total is what CUDA reports: the driver's own reserve is taken off.\n");
}

static void add_process_rows(struct kvb_columns *columns, const struct kvb_device *device)
{
    char text[32];
    for (uint32_t p = 0; p < device->process_count && p < PROCESSES_SHOWN; p++) {
        const struct kvb_device_process *process = &device->processes[p];
        kvb_columns_cell(columns, kvb_device_label(text, device));
        (void)snprintf(text, sizeof text, "%u", (unsigned)process->pid);
        kvb_columns_cell(columns, text);
        cell_safe(columns, process->name[0] != '\0' ? process->name : "-", PROCESS_NAME_WIDTH);
        kvb_columns_cell(columns, process->graphics ? "graphics" : "compute");
        cell_gib(columns, process->used_bytes.known, (int64_t)process->used_bytes.value);
        kvb_columns_end_row(columns);
    }
    if (device->process_total > PROCESSES_SHOWN) {
        kvb_columns_cell(columns, kvb_device_label(text, device));
        kvb_columns_cell(columns, "...");
        (void)snprintf(text, sizeof text, "and %u more", (unsigned)(device->process_total - PROCESSES_SHOWN));
        kvb_columns_cell(columns, text);
        kvb_columns_end_row(columns);
    }
}

static void add_processes(struct kvb_buffer *out, const struct kvb_machine *machine)
{
    static const char *const heads[] = {"GPU", "pid", "process", "kind", "GiB"};
    struct kvb_columns columns;
    uint32_t total = 0;
    for (uint32_t i = 0; i < machine->count; i++) {
        total += machine->devices[i].process_total;
    }
    if (total == 0) {
        return;
    }
    kvb_columns_init(&columns, "rrllr", 2, 2);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        kvb_columns_cell(&columns, heads[i]);
    }
    kvb_columns_end_row(&columns);
    for (uint32_t i = 0; i < machine->count; i++) {
        add_process_rows(&columns, &machine->devices[i]);
    }
    kvb_buffer_add(out, "\n");
    kvb_columns_write(&columns, out);
}

static void add_question(struct kvb_buffer *out, const struct kvb_probe_report *report)
{
    kvb_buffer_add(out, "\n");
    kvb_style(out, report->color, KVB_STYLE_STRONG);
    kvb_text_add_safe(out, report->plan->model.name);
    kvb_style(out, report->color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, " with ");
    kvb_text_add_safe(out, report->plan->engine.name);
    kvb_buffer_add(out, " ");
    kvb_text_add_safe(out, report->plan->engine.version);
    if (report->ranking->needed > 1) {
        kvb_buffer_printf(out, " on %u GPUs", (unsigned)report->ranking->needed);
    }
    kvb_buffer_add(out, ", best first\n\n");
}

static const char *start_word(const struct kvb_rank *rank)
{
    if (rank->starts && rank->verdict != KVB_DOES_NOT_FIT) {
        return rank->verdict == KVB_TIGHT ? "tight" : "yes";
    }
    return "no";
}

static void add_rank_row(struct kvb_columns *columns, const struct kvb_machine *machine, const struct kvb_rank *rank)
{
    char text[32];
    bool known = rank->usable;
    kvb_columns_cell(columns, kvb_device_label(text, &machine->devices[rank->device]));
    kvb_columns_cell(columns, known ? start_word(rank) : "-");
    cell_gib(columns, known, (int64_t)rank->free_bytes);
    cell_gib(columns, known, (int64_t)rank->requested_bytes);
    cell_gib(columns, known, rank->kv_cache_bytes);
    cell_gib(columns, known, rank->slack_bytes);
    cell_ppm(columns, known && rank->checks_free, rank->accepted_ppm);
    cell_ppm(columns, known && rank->has_advised, rank->advised_ppm);
    kvb_columns_end_row(columns);
}

static uint32_t utilization_of(const struct kvb_ranking *ranking)
{
    for (uint32_t i = 0; i < ranking->count; i++) {
        if (ranking->ranks[i].utilization_ppm > 0) {
            return ranking->ranks[i].utilization_ppm;
        }
    }
    return 0;
}

static void add_ranks(struct kvb_buffer *out, const struct kvb_probe_report *report)
{
    static const char *const heads[] = {"free", "requested", "KV cache", "headroom", "accepts", "advised"};
    const struct kvb_ranking *ranking = report->ranking;
    struct kvb_columns columns;
    char share[32], text[48];
    (void)snprintf(text, sizeof text, "starts at %s", kvb_format_ppm(share, utilization_of(ranking)));
    kvb_columns_init(&columns, "rlrrrrrr", 2, 2);
    kvb_columns_cell(&columns, "GPU");
    kvb_columns_cell(&columns, text);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        kvb_columns_cell(&columns, heads[i]);
    }
    kvb_columns_end_row(&columns);
    for (uint32_t i = 0; i < ranking->count; i++) {
        add_rank_row(&columns, report->machine, &ranking->ranks[i]);
    }
    kvb_columns_write(&columns, out);
}

static void add_choice(struct kvb_buffer *out, const struct kvb_probe_report *report)
{
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    kvb_probe_choice(&line, report->machine, report->ranking);
    kvb_buffer_add(out, "\n");
    kvb_text_add_wrapped(out, kvb_buffer_text(&line), 0, kvb_page_width(out));
    out->failed |= line.failed;
    kvb_buffer_free(&line);
    if (report->ranking->chosen_count > 0) {
        kvb_buffer_add(out, "\n  ");
        kvb_probe_environment(out, report->machine, report->ranking);
        kvb_buffer_add(out, "\n");
    }
    kvb_buffer_add(out, "\n");
    char name[KVB_FLAG_CAPACITY], text[400];
    const struct kvb_serve_flag *flag =
        report->plan != NULL ? kvb_serve_flag_of(kvb_engine_of(report->plan), KVB_SET_GPU_MEMORY_UTILIZATION, 0) : NULL;
    (void)snprintf(text, sizeof text,
                   "accepts: the highest %s that this release's own check of free memory lets through now; - where it "
                   "has none. advised: what also leaves room for the engine's context and whatever else lives outside "
                   "the request.",
                   flag != NULL ? kvb_serve_flag_name(name, flag) : "--gpu-memory-utilization");
    kvb_text_add_wrapped(out, text, 0, kvb_page_width(out));
}

void kvb_render_probe_text(struct kvb_buffer *out, const struct kvb_probe_report *report)
{
    add_title(out, report);
    add_devices(out, report->machine);
    add_processes(out, report->machine);
    if (report->ranking != NULL) {
        add_question(out, report);
        add_ranks(out, report);
        add_choice(out, report);
    }
}
