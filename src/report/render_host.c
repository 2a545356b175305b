// CPU memory that settings take, what the GPU gets for it, and what it cannot do.
#include <stdio.h>

#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

static void say_cost(struct kvb_buffer *line, const struct kvb_host_memory *memory, const struct kvb_host_use *use)
{
    char moved[32];
    if (memory->bus_gb_s == 0 || use->moved_bytes == 0) {
        return;
    }
    unsigned long long tenths = (use->microseconds + 50) / 100;
    kvb_buffer_printf(line, " Over %s (at best %u GB/s) %s GiB take %llu.%llu ms %s.", memory->bus,
                      (unsigned)memory->bus_gb_s, kvb_format_gib(moved, (int64_t)use->moved_bytes, 2), tenths / 10,
                      tenths % 10, use->kind == KVB_HOST_WEIGHTS ? "in each step" : "for a request of full length");
}

static void say_use(struct kvb_buffer *line, const struct kvb_host_memory *memory, const struct kvb_host_use *use)
{
    const struct kvb_host_row *row = kvb_host_row_of(use->kind);
    char host[32], freed[32];
    kvb_buffer_printf(line, "%s: ", kvb_setting_row_of(row->setting)->key);
    if (use->ignored) {
        kvb_buffer_add(line, "this engine does nothing with it.");
        return;
    }
    if (use->known) {
        kvb_buffer_printf(line, "%s GiB of CPU memory for each GPU, ",
                          kvb_format_gib(host, (int64_t)use->host_bytes, 2));
    }
    kvb_buffer_printf(line, "%s GiB off the GPU: %s.", kvb_format_gib(freed, (int64_t)use->freed_bytes, 2), row->does);
    say_cost(line, memory, use);
    kvb_buffer_printf(line, " What it cannot do: %s.", row->cannot);
}

void kvb_render_host_text(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    struct kvb_host_memory memory;
    kvb_host_memory_of(report->plan, report->budget, &memory);
    if (memory.count == 0) {
        return;
    }
    kvb_style_heading(out, report->color, "CPU memory");
    for (uint32_t i = 0; i < memory.count; i++) {
        struct kvb_buffer line;
        kvb_buffer_init(&line);
        say_use(&line, &memory, &memory.uses[i]);
        out->failed |= line.failed;
        if (!line.failed) {
            kvb_text_add_wrapped(out, line.data, 2, kvb_page_width(out));
        }
        kvb_buffer_free(&line);
    }
}

void kvb_render_host_json(struct kvb_json *json, const struct kvb_plan_report *report)
{
    struct kvb_host_memory memory;
    kvb_host_memory_of(report->plan, report->budget, &memory);
    if (memory.count == 0) {
        return;
    }
    kvb_json_open_list(json, "cpu_memory");
    for (uint32_t i = 0; i < memory.count; i++) {
        const struct kvb_host_use *use = &memory.uses[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "setting", kvb_setting_row_of(kvb_host_row_of(use->kind)->setting)->key);
        kvb_json_bool(json, "ignored", use->ignored);
        if (use->known) {
            kvb_json_count(json, "host_bytes", use->host_bytes);
        } else {
            kvb_json_null(json, "host_bytes");
        }
        kvb_json_count(json, "freed_bytes", use->freed_bytes);
        kvb_json_count(json, "moved_bytes", use->moved_bytes);
        kvb_json_count(json, "microseconds", use->microseconds);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}
