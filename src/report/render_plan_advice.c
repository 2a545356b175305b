// The error the release would print, what to try in order of least harm, and the line to paste.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/setting_flag.h"
#include "engines/flags.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define FLAG_WIDTH_MAX 40
#define TABLE_LEAST 76U // columns of a page; below it figures stand in a sentence

enum section { SECTION_HELPS, SECTION_TOGETHER, SECTION_USELESS };

static const char *const section_titles[] = {"What to try, least harm first (GiB)", "Together", "What would not help"};

static void add_error(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    if (report->budget->error[0] != '\0') {
        kvb_style_heading(out, report->color, "The error this release gives");
        kvb_text_add_wrapped(out, report->budget->error, 2, kvb_page_width(out));
    }
}

// The change as the flag that makes it; a flag that goes is named.
static void flag_of(char out[KVB_FLAG_CAPACITY + 8], const struct kvb_engine *engine, const struct kvb_change *change)
{
    char flag[KVB_FLAG_CAPACITY];
    kvb_setting_flag(flag, engine, change->setting, change->to);
    if (change->removes_setting) {
        flag[strcspn(flag, " ")] = '\0';
    }
    (void)snprintf(out, KVB_FLAG_CAPACITY + 8, "%s%s", change->removes_setting ? "without " : "", flag);
}

static const char *judge(const struct kvb_change *change)
{
    if (change->fits) {
        return change->together ? "then it fits" : "suffices";
    }
    if (change->together || change->useless || change->frees_bytes <= 0) {
        return "";
    }
    if (change->starts) {
        return "starts, leaves no room";
    }
    return change->balance_bytes < 0 ? "not enough alone" : "still refused";
}

// "+0.31": what the change does for the KV cache.
static const char *signed_gib(char out[40], int64_t bytes)
{
    char gib[32];
    (void)snprintf(out, 40, "%s%s", bytes > 0 ? "+" : "", kvb_format_gib(gib, bytes, 2));
    return out;
}

// A flag that is too wide stands on a line of its own.
static void add_figures(struct kvb_buffer *out, const struct kvb_change *change, const char *flag, size_t width)
{
    char frees[40], balance[40];
    const char *judgement = judge(change);
    bool wide = strlen(flag) > width;
    kvb_buffer_add(out, wide ? "\n     " : "");
    kvb_buffer_fill(out, ' ', wide ? width : width - strlen(flag));
    kvb_buffer_printf(out, "  %7s  %7s%s%s\n", signed_gib(frees, change->frees_bytes),
                      signed_gib(balance, change->balance_bytes), judgement[0] != '\0' ? "  " : "", judgement);
}

// The same on a page that has no room for columns.
static void say_figures(struct kvb_buffer *out, const struct kvb_change *change)
{
    char line[160], frees[40], balance[40];
    const char *judgement = judge(change);
    (void)snprintf(line, sizeof line, "gains %s, balance %s%s%s", signed_gib(frees, change->frees_bytes),
                   signed_gib(balance, change->balance_bytes), judgement[0] != '\0' ? ": " : "", judgement);
    kvb_buffer_add(out, "\n");
    kvb_text_add_wrapped(out, line, 5, kvb_page_width(out));
}

static void add_change(struct kvb_buffer *out, const struct kvb_engine *engine, const struct kvb_change *change,
                       unsigned number, size_t width)
{
    char flag[KVB_FLAG_CAPACITY + 8];
    flag_of(flag, engine, change);
    kvb_buffer_printf(out, "  %u  %s", number, flag);
    if (kvb_page_width(out) < TABLE_LEAST) {
        say_figures(out, change);
    } else {
        add_figures(out, change, flag, width);
    }
    if (change->why != NULL) {
        kvb_text_add_wrapped(out, change->why, 5, kvb_page_width(out));
    }
}

// Of the flags that are not too wide.
static size_t widest_flag(const struct kvb_engine *engine, const struct kvb_advice *advice)
{
    size_t width = strlen(section_titles[SECTION_HELPS]) - 5;
    for (uint32_t i = 0; i < advice->change_count; i++) {
        char flag[KVB_FLAG_CAPACITY + 8];
        flag_of(flag, engine, &advice->changes[i]);
        size_t length = strlen(flag);
        width = length > width && length <= FLAG_WIDTH_MAX ? length : width;
    }
    return width;
}

static enum section section_of(const struct kvb_change *change)
{
    if (change->together) {
        return SECTION_TOGETHER;
    }
    return change->useless ? SECTION_USELESS : SECTION_HELPS;
}

static void add_section_heading(struct kvb_buffer *out, const struct kvb_plan_report *report, enum section section,
                                size_t width)
{
    char heading[160];
    if (section == SECTION_HELPS && kvb_page_width(out) >= TABLE_LEAST) {
        (void)snprintf(heading, sizeof heading, "%-*s  %7s  %7s", (int)width + 5, section_titles[section], "gains",
                       "balance");
        kvb_style_heading(out, report->color, heading);
    } else {
        kvb_style_heading(out, report->color, section_titles[section]);
    }
}

static void add_changes(struct kvb_buffer *out, const struct kvb_plan_report *report, enum section section)
{
    const struct kvb_advice *advice = report->advice;
    size_t width = widest_flag(&report->plan->engine, advice);
    unsigned number = 0;
    for (uint32_t i = 0; i < advice->change_count; i++) {
        const struct kvb_change *change = &advice->changes[i];
        if (section_of(change) != section) {
            continue;
        }
        if (number == 0) {
            add_section_heading(out, report, section, width);
        }
        add_change(out, &report->plan->engine, change, ++number, width);
    }
}

// Every step that is taken, in order, as soon as one builds on another.
static void add_together(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_advice *advice = report->advice;
    size_t width = widest_flag(&report->plan->engine, advice);
    bool builds = false;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        builds = builds || advice->changes[advice->apply[i]].together;
    }
    for (uint32_t i = 0; builds && i < advice->apply_count; i++) {
        if (i == 0) {
            add_section_heading(out, report, SECTION_TOGETHER, width);
        }
        add_change(out, &report->plan->engine, &advice->changes[advice->apply[i]], i + 1, width);
    }
}

// The engine's flag of a setting, without its value; the shared name where the engine has none.
static const char *name_of(char out[KVB_FLAG_CAPACITY], const struct kvb_plan_report *report, enum kvb_setting setting,
                           const char *otherwise)
{
    const struct kvb_serve_flag *flag = kvb_serve_flag_of(kvb_engine_of(report->plan), setting, 0);
    return flag != NULL ? kvb_serve_flag_name(out, flag) : otherwise;
}

static void add_largest(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_advice *advice = report->advice;
    char share[48], length[32], text[256], share_flag[KVB_FLAG_CAPACITY], length_flag[KVB_FLAG_CAPACITY];
    const char *share_name = name_of(share_flag, report, KVB_SET_GPU_MEMORY_UTILIZATION, "--gpu-memory-utilization");
    const char *length_name = name_of(length_flag, report, KVB_SET_MAX_MODEL_LEN, "--max-model-len");
    if (!advice->has_utilization && report->budget->verdict != KVB_DOES_NOT_FIT) {
        return;
    }
    uint32_t since, until;
    const struct kvb_engine_rows *engine = kvb_engine_of(report->plan);
    if (report->budget->refusal != NULL || !kvb_engine_has(engine, KVB_SET_GPU_MEMORY_UTILIZATION, &since, &until)) {
        return;
    }
    kvb_buffer_add(out, "\n");
    if (!advice->has_utilization) {
        (void)snprintf(text, sizeof text, "No %s up to 1.0 suffices as it stands.", share_name);
        kvb_text_add_wrapped(out, text, 0, kvb_page_width(out));
        return;
    }
    kvb_setting_format(share, KVB_SET_GPU_MEMORY_UTILIZATION, advice->gpu_memory_utilization_ppm);
    bool says = advice->has_max_model_len;
    (void)snprintf(text, sizeof text, "%s can go up to %s and leave room for what lives outside%s%s%s%s.", share_name,
                   share, says ? "; there " : "", says ? length_name : "", says ? " can be " : "",
                   says ? kvb_format_count(length, advice->max_model_len) : "");
    kvb_text_add_wrapped(out, text, 0, kvb_page_width(out));
}

// How many GPUs the changes take where the line itself cannot say it; 0: it does, or they take no more.
static uint64_t gpus_beside_the_line(const struct kvb_plan_report *report)
{
    const struct kvb_advice *advice = report->advice;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        const struct kvb_change *change = &advice->changes[advice->apply[i]];
        const struct kvb_serve_flag *flag = kvb_serve_flag_of(kvb_engine_of(report->plan), change->setting, change->to);
        if (change->setting == KVB_SET_TENSOR_PARALLEL_SIZE && flag != NULL && flag->ours) {
            return change->to;
        }
    }
    return 0;
}

static void add_command(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    if (report->command != NULL) {
        char heading[64] = "To start it";
        uint64_t gpus = gpus_beside_the_line(report);
        if (gpus > 0) {
            (void)snprintf(heading, sizeof heading, "With these changes, on %" PRIu64 " GPUs", gpus);
        } else if (report->advice->apply_count > 0) {
            (void)snprintf(heading, sizeof heading, "With these changes");
        }
        kvb_style_heading(out, report->color, heading);
        kvb_text_add_command(out, report->command, 2, kvb_page_width(out));
    }
}

// "Qwen/Qwen3-8B-AWQ starts: 5.7 GiB of weights, 22,000 tokens".
static void add_siblings(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    for (uint32_t i = 0; report->siblings != NULL && i < report->siblings->count; i++) {
        const struct kvb_sibling *row = &report->siblings->rows[i];
        char gib[32], tokens[32], length[KVB_FLAG_CAPACITY + 40] = "",
                                                             text[KVB_NAME_CAPACITY + KVB_FLAG_CAPACITY + 200];
        char flag[KVB_FLAG_CAPACITY];
        bool any = row->kind == KVB_SIBLING_ANY_4BIT;
        if (i == 0) {
            kvb_style_heading(out, report->color, "Other checkpoints that start");
        }
        if (row->max_model_len > 0) {
            (void)snprintf(length, sizeof length, " with %s %llu",
                           name_of(flag, report, KVB_SET_MAX_MODEL_LEN, "--max-model-len"),
                           (unsigned long long)row->max_model_len);
        }
        (void)snprintf(text, sizeof text, "%s starts%s%s: %s%s GiB of weights, %s tokens",
                       any ? "any 4-bit checkpoint of it" : row->name, length,
                       row->verdict == KVB_TIGHT ? ", tight" : "", any ? "about " : "",
                       kvb_format_gib(gib, (int64_t)row->weights_bytes, 1), kvb_format_count(tokens, row->tokens));
        kvb_text_add_wrapped(out, text, 2, kvb_page_width(out));
    }
}

// Other hardware is asked for, or nothing helps: then another checkpoint comes first.
static bool is_hard(const struct kvb_advice *advice)
{
    bool hard = advice->apply_count == 0;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        hard = hard || advice->changes[advice->apply[i]].last_resort;
    }
    return hard;
}

void kvb_render_plan_advice(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    if (report->budget->verdict != KVB_DOES_NOT_FIT) {
        add_largest(out, report);
    }
    add_error(out, report);
    kvb_render_longer_text(out, report);
    if (is_hard(report->advice)) {
        add_siblings(out, report);
    }
    add_changes(out, report, SECTION_HELPS);
    add_together(out, report);
    if (!is_hard(report->advice)) {
        add_siblings(out, report);
    }
    add_changes(out, report, SECTION_USELESS);
    if (report->budget->verdict == KVB_DOES_NOT_FIT) {
        add_largest(out, report);
    }
    add_command(out, report);
}
