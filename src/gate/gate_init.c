// The first policy of a repository: what is missing as lines to fill in, what fails today as waivers that end.
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "gate/gate.h"
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

static void add_date(struct kvb_buffer *out, uint32_t date)
{
    kvb_buffer_printf(out, "%04u-%02u-%02u", (unsigned)(date / 10000), (unsigned)(date / 100 % 100),
                      (unsigned)(date % 100));
}

// ---- lines

// A text in double quotes, as YAML reads it.
static void add_quoted(struct kvb_buffer *out, const char *text)
{
    kvb_buffer_add(out, "\"");
    for (; *text != '\0'; text++) {
        bool escaped = *text == '"' || *text == '\\';
        kvb_buffer_add(out, escaped ? "\\" : "");
        kvb_buffer_add_n(out, (unsigned char)*text < 0x20 ? "?" : text, 1);
    }
    kvb_buffer_add(out, "\"");
}

static void add_gpus(struct kvb_buffer *out, const struct kvb_gate *gate)
{
    uint32_t lines = 0;
    kvb_buffer_add(out, "gpus:        # the first line that fits counts; `kvbudget profiles list` shows all names\n");
    for (const struct gate_missing *each = gate->missing; each != NULL && lines < LINES_MAX; each = each->older) {
        if (each->rule == KVB_CHECK_NO_GPU && each->label[0] != '\0') {
            kvb_buffer_add(out, "  - {label: ");
            add_quoted(out, each->label);
            kvb_buffer_printf(out, ", gpu: " KVB_POLICY_FILL_IN "}    # %u deployments\n", (unsigned)each->count);
            lines++;
        }
    }
    kvb_buffer_add(out, "  - {gpu: " KVB_POLICY_FILL_IN "}    # every other deployment whose file names no GPU\n");
}

static void add_models(struct kvb_buffer *out, const struct kvb_gate *gate)
{
    uint32_t lines = 0;
    for (const struct gate_missing *each = gate->missing; each != NULL && lines < LINES_MAX; each = each->older) {
        if (each->rule != KVB_CHECK_NO_MODEL || each->model[0] == '\0') {
            continue;
        }
        kvb_buffer_add(out, lines++ == 0 ? "models:      # a built-in name, or a config.json beside this file\n" : "");
        kvb_buffer_add(out, "  - {name: ");
        add_quoted(out, each->model);
        kvb_buffer_add(out, ", model: " KVB_POLICY_FILL_IN "}\n");
    }
}

static void add_waiver(struct kvb_buffer *out, const struct kvb_gate *gate, const struct kvb_check_case *each,
                       enum kvb_check_rule rule)
{
    kvb_buffer_add(out, "  - {files: ");
    add_quoted(out, each->file);
    if (each->name[0] != '\0') {
        kvb_buffer_add(out, ", name: ");
        add_quoted(out, each->name);
    }
    kvb_buffer_printf(out, ", rule: %s, reason: baseline of ", kvb_check_rule_row_of(rule)->id);
    add_date(out, gate->options.today);
    kvb_buffer_add(out, ", until: ");
    add_date(out, later(gate->options.today, WAIVED_DAYS));
    kvb_buffer_add(out, "}\n");
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
static void add_waivers(struct kvb_buffer *out, const struct kvb_gate *gate)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < gate->cases.count; i++) {
        const struct kvb_check_case *each = &gate->cases.items[i];
        for (uint32_t k = 0; k < each->finding_count && lines < LINES_MAX; k++) {
            const struct kvb_check_finding *finding = &each->findings[k];
            bool counts = finding->severity == KVB_ERROR && !finding->waived && finding->rule != KVB_CHECK_NO_GPU;
            if (counts && !is_said_before(each, k)) {
                kvb_buffer_add(out, lines++ == 0 ? "waivers:     # today's findings; delete a line once it is mended\n"
                                                 : "");
                add_waiver(out, gate, each, finding->rule);
            }
        }
    }
}

static void write_policy(struct kvb_buffer *out, const struct kvb_gate *gate)
{
    kvb_buffer_add(out,
                   "# What `kvbudget check` demands of this repository. Written by --init; it is yours to change.\n"
                   "kind: policy\nschema: 1\n"
                   "unknown: error         # a GPU, model or variable that nobody knows: error, warn or ignore\n"
                   "not_understood: warn   # a file that speaks of an engine and gave no deployment: the same words\n");
    kvb_buffer_printf(out, "min_deployments: %u    # fewer is a failure\n", (unsigned)gate->deployments);
    add_gpus(out, gate);
    add_models(out, gate);
    add_waivers(out, gate);
}

enum kvb_status kvb_gate_write_policy(const struct kvb_gate *gate, const char *path, struct kvb_problems *problems)
{
    struct kvb_buffer out;
    if (kvb_path_exists(path)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){.file = path},
                               "it is there already and stays as it is; name another with --policy");
    }
    kvb_buffer_init(&out);
    write_policy(&out, gate);
    enum kvb_status status =
        out.failed ? kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory")
                   : kvb_file_replace(path, out.data, out.length, problems);
    kvb_buffer_free(&out);
    return status;
}
