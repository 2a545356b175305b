// The first policy of a repository: what is missing as lines to fill in, what fails today as waivers that end.
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "gate/gate.h"
#include "gate/policy_write.h"
#include "text/file.h"

#define WAIVED_DAYS 90
#define LINES_MAX (KVB_POLICY_LINES_MAX - 2)

void kvb_gate_note_missing(struct kvb_gate *gate, enum kvb_check_rule rule, const char *label, const char *model)
{
    for (struct gate_missing *each = gate->missing; each != NULL; each = each->older) {
        if (each->rule == rule && strcmp(each->label, label) == 0 && strcmp(each->model, model) == 0) {
            each->count++;
            return;
        }
    }
    struct gate_missing *made = kvb_arena_take(&gate->arena, sizeof *made);
    if (made == NULL) {
        gate->no_memory = true;
        return;
    }
    *made = (struct gate_missing){.older = gate->missing,
                                  .rule = rule,
                                  .file = kvb_gate_keep(gate, gate->file),
                                  .label = kvb_gate_keep(gate, label),
                                  .model = kvb_gate_keep(gate, model),
                                  .count = 1};
    gate->missing = made;
}

// ---- dates

static bool is_leap(uint32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static uint32_t later(uint32_t date, uint32_t days)
{
    static const uint32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t year = date / 10000, month = date / 100 % 100, day = date % 100 + days;
    while (month >= 1 && month <= 12) {
        uint32_t length = lengths[month - 1] + (month == 2 && is_leap(year));
        if (day <= length) {
            break;
        }
        day -= length;
        year += month == 12;
        month = month == 12 ? 1 : month + 1;
    }
    return year * 10000 + month * 100 + day;
}

// "2026-12-31", kept until the gate goes.
static const char *date_text(struct kvb_gate *gate, uint32_t date)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%04u-%02u-%02u", (unsigned)(date / 10000 % 10000), (unsigned)(date / 100 % 100),
                   (unsigned)(date % 100));
    return kvb_gate_keep(gate, text);
}

// ---- lines

// The GPU that a flag names for all of them; else a name to fill in, where one is missing.
static const char *gpu_for_all(const struct kvb_gate *gate)
{
    const char *gpu = gate->options.flags->deployment.gpu;
    if (gpu[0] != '\0') {
        return gpu;
    }
    for (const struct gate_missing *each = gate->missing; each != NULL; each = each->older) {
        if (each->rule == KVB_CHECK_NO_GPU && each->label[0] == '\0') {
            return KVB_POLICY_FILL_IN;
        }
    }
    return NULL;
}

static void add_gpus(const struct kvb_gate *gate, struct kvb_policy_lines *lines)
{
    const char *all = gpu_for_all(gate);
    for (const struct gate_missing *each = gate->missing; each != NULL && lines->gpus_count < LINES_MAX;
         each = each->older) {
        if (each->rule == KVB_CHECK_NO_GPU && each->label[0] != '\0') {
            lines->gpus[lines->gpus_count++] = (struct kvb_gpu_line){each->label, KVB_POLICY_FILL_IN};
        }
    }
    if (all != NULL) {
        lines->gpus[lines->gpus_count++] = (struct kvb_gpu_line){NULL, all};
    }
}

static void add_models(const struct kvb_gate *gate, struct kvb_policy_lines *lines)
{
    for (const struct gate_missing *each = gate->missing; each != NULL && lines->models_count < LINES_MAX;
         each = each->older) {
        if (each->rule == KVB_CHECK_NO_MODEL) {
            lines->models[lines->models_count++] = (struct kvb_model_line){each->model, KVB_POLICY_FILL_IN};
        }
    }
}

static bool is_said_before(const struct kvb_check_case *each, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (each->findings[i].rule == each->findings[index].rule && each->findings[i].severity == KVB_ERROR) {
            return true;
        }
    }
    return false;
}

// A missing GPU has its line above; everything else that fails today may do so for a while.
static void add_waivers(const struct kvb_gate *gate, const char *reason, const char *until,
                        struct kvb_policy_lines *lines)
{
    for (uint32_t i = 0; i < gate->cases.count; i++) {
        const struct kvb_check_case *each = &gate->cases.items[i];
        for (uint32_t k = 0; k < each->finding_count && lines->waivers_count < LINES_MAX; k++) {
            const struct kvb_check_finding *finding = &each->findings[k];
            bool counts = finding->severity == KVB_ERROR && !finding->waived && finding->rule != KVB_CHECK_NO_GPU;
            if (counts && !is_said_before(each, k)) {
                lines->waivers[lines->waivers_count++] =
                    (struct kvb_waiver_line){each->file, each->name[0] != '\0' ? each->name : NULL,
                                             kvb_check_rule_row_of(finding->rule)->id, reason, until};
            }
        }
    }
}

static enum kvb_status write_policy(struct kvb_buffer *out, struct kvb_gate *gate, struct kvb_problems *problems)
{
    struct kvb_policy_lines lines = {.kind = "policy",
                                     .schema = 1,
                                     .unknown = "error",
                                     .not_understood = "warn",
                                     .min_deployments = gate->deployments,
                                     .gpus = kvb_arena_take(&gate->arena, (LINES_MAX + 1) * sizeof *lines.gpus),
                                     .models = kvb_arena_take(&gate->arena, LINES_MAX * sizeof *lines.models),
                                     .waivers = kvb_arena_take(&gate->arena, LINES_MAX * sizeof *lines.waivers)};
    char reason[48];
    const char *today = date_text(gate, gate->options.today);
    if (lines.gpus == NULL || lines.models == NULL || lines.waivers == NULL || today[0] == '\0') {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    (void)snprintf(reason, sizeof reason, "baseline of %s", today);
    add_gpus(gate, &lines);
    add_models(gate, &lines);
    add_waivers(gate, reason, date_text(gate, later(gate->options.today, WAIVED_DAYS)), &lines);
    lines.gpus = lines.gpus_count > 0 ? lines.gpus : NULL;
    lines.models = lines.models_count > 0 ? lines.models : NULL;
    lines.waivers = lines.waivers_count > 0 ? lines.waivers : NULL;
    kvb_buffer_add(out,
                   "# What `kvbudget check` demands of this repository. Written by --init; it is yours to change.\n"
                   "# unknown: a GPU, model or variable that nobody knows is an error, warn or ignore.\n"
                   "# not_understood: likewise a file that speaks of an engine and gave no deployment.\n"
                   "# min_deployments: fewer is a failure.\n"
                   "# gpus: write names for " KVB_POLICY_FILL_IN
                   " (`kvbudget profiles list` shows them); the first line that\n"
                   "#   fits counts, the one without a label is for every deployment whose file names no GPU.\n"
                   "# models: a built-in name, or a config.json beside this file.\n"
                   "# waivers: today's findings; delete a line once it is mended.\n");
    return kvb_policy_write(out, &lines, problems);
}

bool kvb_gate_has_fill_ins(const struct kvb_gate *gate)
{
    for (const struct gate_missing *each = gate->missing; each != NULL; each = each->older) {
        if (each->rule == KVB_CHECK_NO_MODEL || each->rule == KVB_CHECK_NO_GPU) {
            return true;
        }
    }
    return false;
}

enum kvb_status kvb_gate_write_policy(struct kvb_gate *gate, const char *path, struct kvb_problems *problems)
{
    struct kvb_buffer out;
    if (kvb_policy_exists(path)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){.file = path},
                               "it is there already and stays as it is; name another with --policy");
    }
    kvb_buffer_init(&out);
    enum kvb_status status = write_policy(&out, gate, problems);
    if (status == KVB_OK) {
        status = kvb_file_replace(path, out.data, out.length, problems);
    }
    kvb_buffer_free(&out);
    return status;
}
