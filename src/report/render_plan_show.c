// What --show adds: each figure with its formula and numbers, the KV groups, the weights by role.
#include <stdio.h>
#include <string.h>

#include "report/columns.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

static void write_number(char out[48], int64_t number, const char *how)
{
    char text[32];
    if (strncmp(how, "gib", 3) == 0) {
        (void)snprintf(out, 48, "%s", kvb_format_gib(text, number, 3));
    } else if (strncmp(how, "ppm", 3) == 0 && number >= 0) {
        (void)snprintf(out, 48, "%s", kvb_format_ppm(text, (uint32_t)number));
    } else if (number < 0) {
        (void)snprintf(out, 48, "-%s", kvb_format_count(text, (uint64_t)-number));
    } else {
        (void)snprintf(out, 48, "%s", kvb_format_count(text, (uint64_t)number));
    }
}

// Copies the formula with {0}, {1:gib}, {2:ppm} replaced by the step's numbers.
static void substitute(struct kvb_buffer *out, const struct kvb_step *step)
{
    const char *at = step->formula;
    while (*at != '\0') {
        bool hole = at[0] == '{' && at[1] >= '0' && at[1] < '0' + KVB_STEP_VALUES_MAX && strchr(at, '}') != NULL;
        if (!hole) {
            kvb_buffer_add_n(out, at++, 1);
            continue;
        }
        char number[48];
        write_number(number, step->values[at[1] - '0'], at[2] == ':' ? at + 3 : "n");
        kvb_buffer_add(out, number);
        at = strchr(at, '}') + 1;
    }
}

// Name and result on one line, then the formula with its numbers and where it comes from.
static void add_step(struct kvb_buffer *out, const struct kvb_step *step)
{
    struct kvb_buffer line;
    char result[48], bytes[48];
    kvb_buffer_init(&line);
    write_number(bytes, step->result, "n");
    write_number(result, step->result, step->unit == KVB_UNIT_BYTES ? "gib" : "n");
    kvb_buffer_printf(out, "  %-26s %s", step->name, result);
    if (step->unit == KVB_UNIT_BYTES) {
        kvb_buffer_printf(out, " GiB (%s bytes)", bytes);
    }
    kvb_buffer_add(out, step->unit == KVB_UNIT_TOKENS ? " tokens\n" : "\n");
    substitute(&line, step);
    if (step->source != NULL) {
        kvb_buffer_printf(&line, "   [%s]", step->source);
    }
    out->failed |= line.failed;
    if (!line.failed) {
        kvb_text_add_wrapped(out, line.data, 6, kvb_page_width(out));
    }
    kvb_buffer_free(&line);
}

static void count_cell(struct kvb_columns *columns, uint64_t number)
{
    char text[32];
    kvb_columns_cell(columns, kvb_format_count(text, number));
}

static void show_kv_groups(struct kvb_buffer *out, const struct kvb_kv_cache *kv)
{
    static const char *const titles[] = {"group",      "layers", "padding",       "block",
                                         "page bytes", "window", "blocks/request"};
    struct kvb_columns columns;
    kvb_columns_init(&columns, "lrrrrrr", 2, 2);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        kvb_columns_cell(&columns, titles[i]);
    }
    kvb_columns_end_row(&columns);
    for (uint32_t i = 0; i < kv->group_count; i++) {
        const struct kvb_kv_group *group = &kv->groups[i];
        kvb_columns_cell(&columns, kvb_attention_name(group->kind));
        count_cell(&columns, group->layers);
        count_cell(&columns, group->padding_slots);
        count_cell(&columns, group->block_tokens);
        if (group->page_bytes > 0) {
            count_cell(&columns, group->page_bytes);
        } else {
            kvb_columns_cell(&columns, "differ");
        }
        if (group->window_tokens > 0) {
            count_cell(&columns, group->window_tokens);
        } else {
            kvb_columns_cell(&columns, "-");
        }
        count_cell(&columns, group->blocks_per_request);
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
}

#define ALWAYS_SHOWN 6 // rows of the table below

static void show_kv(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_kv_cache *kv = &report->budget->kv;
    struct kvb_columns columns;
    const struct {
        const char *label;
        uint64_t number;
    } rows[] = {
        {"bytes per token", kv->bytes_per_token},
        {"bytes per block", kv->bytes_per_block},
        {"blocks", kv->num_blocks},
        {"blocks per request", kv->blocks_per_request},
        {"tokens", kv->tokens},
        {"longest length that fits", kv->max_model_len_that_fits},
        {"blocks in host memory", kv->cpu_blocks},
    };
    kvb_style_heading(out, report->color, "KV cache");
    show_kv_groups(out, kv);
    kvb_columns_init(&columns, "lr", 2, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (i < ALWAYS_SHOWN || rows[i].number > 0) {
            kvb_columns_cell(&columns, rows[i].label);
            count_cell(&columns, rows[i].number);
            kvb_columns_end_row(&columns);
        }
    }
    kvb_columns_write(&columns, out);
    if (kv->hybrid_manager_off && kv->hybrid_manager_why != NULL) {
        kvb_buffer_add(out, "  hybrid manager off: ");
        kvb_text_add_safe(out, kv->hybrid_manager_why);
        kvb_buffer_add(out, "\n");
    }
}

static void weight_row(struct kvb_columns *columns, const char *label, uint64_t bytes)
{
    char gib[32];
    if (bytes > 0) {
        kvb_columns_cell(columns, label);
        kvb_columns_cell(columns, kvb_format_gib(gib, (int64_t)bytes, 3));
        count_cell(columns, bytes);
        kvb_columns_end_row(columns);
    }
}

static void show_weights(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_weights *weights = &report->budget->weights;
    struct kvb_columns columns;
    kvb_style_heading(out, report->color, "Weights on the tightest GPU (GiB, bytes)");
    kvb_columns_init(&columns, "lrr", 2, 2);
    for (unsigned i = 0; i < KVB_ROLE_COUNT; i++) {
        weight_row(&columns, kvb_role_name((enum kvb_role)i), weights->role_bytes[i]);
    }
    weight_row(&columns, "rotary tables", weights->rope_bytes);
    weight_row(&columns, "LoRA slots", weights->lora_bytes);
    weight_row(&columns, "absorbed MLA matrices", weights->absorbed_bytes);
    weight_row(&columns, "draft model", weights->draft_bytes);
    weight_row(&columns, "buffers", weights->buffer_bytes);
    weight_row(&columns, "allocator rounding", weights->rounding_bytes);
    weight_row(&columns, "total", weights->total_bytes);
    weight_row(&columns, "moved to the CPU", weights->offloaded_bytes);
    if (weights->unquantised_bytes > weights->total_bytes) {
        weight_row(&columns, "unquantised it would be", weights->unquantised_bytes);
    }
    kvb_columns_write(&columns, out);
}

void kvb_render_plan_show(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    if (report->show & KVB_SHOW_FORMULAS) {
        kvb_style_heading(out, report->color, "Formulas");
        for (uint32_t i = 0; i < report->budget->step_count; i++) {
            add_step(out, &report->budget->steps[i]);
        }
    }
    if (report->show & KVB_SHOW_KV) {
        show_kv(out, report);
    }
    if (report->show & KVB_SHOW_WEIGHTS) {
        show_weights(out, report);
    }
    kvb_render_utilization_text(out, report);
}
