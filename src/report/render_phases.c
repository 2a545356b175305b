// One training step as a table of phases, a bar for each, and what decides.
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/bar.h"
#include "report/columns.h"
#include "report/residents_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define BAR_FRAME 20U // columns of the phase, brackets and margin
#define LABEL_WIDTH 14

// Columns of the table: what stays, and everything that passes taken together.
static const enum kvb_train_part shown[] = {KVB_TRAIN_ACTOR, KVB_TRAIN_REFERENCE, KVB_TRAIN_ENGINE, KVB_TRAIN_CONTEXTS};

static const char *gib(char out[32], int64_t bytes)
{
    return kvb_format_gib(out, bytes, 2);
}

static uint64_t passing(const struct kvb_training *training, unsigned phase)
{
    uint64_t sum = 0;
    for (unsigned part = KVB_TRAIN_GATHER; part < KVB_TRAIN_PART_COUNT; part++) {
        sum = kvb_add(sum, training->parts[phase][part]);
    }
    return sum;
}

static void add_head(struct kvb_columns *columns)
{
    static const char *const heads[] = {"GiB", "actor", "reference", "engine", "contexts", "passing", "total", "free"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        kvb_columns_cell(columns, heads[i]);
    }
    kvb_columns_end_row(columns);
}

static void add_table(struct kvb_buffer *out, const struct kvb_training *training)
{
    struct kvb_columns columns;
    char text[32];
    kvb_columns_init(&columns, "lrrrrrrr", 2, 2);
    add_head(&columns);
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        const uint64_t *parts = training->parts[phase];
        kvb_columns_cell(&columns, kvb_train_phase_row_of(phase)->label);
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            uint64_t bytes = parts[shown[i]] + (shown[i] == KVB_TRAIN_CONTEXTS ? parts[KVB_TRAIN_OTHERS] : 0);
            kvb_columns_cell(&columns, gib(text, (int64_t)bytes));
        }
        kvb_columns_cell(&columns, gib(text, (int64_t)passing(training, phase)));
        kvb_columns_cell(&columns, gib(text, (int64_t)training->totals[phase]));
        kvb_columns_cell(&columns, gib(text, kvb_balance(training->memory_bytes, training->totals[phase])));
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
}

static void paint(char cells[KVB_BAR_CELLS_MAX + 1], size_t count, const struct kvb_training *training, unsigned phase,
                  uint64_t whole)
{
    uint64_t end = 0;
    size_t painted = 0;
    memset(cells, '.', count);
    cells[count] = '\0';
    for (unsigned part = 0; part < KVB_TRAIN_PART_COUNT; part++) {
        end = kvb_add(end, training->parts[phase][part]);
        size_t until = (size_t)kvb_min(end / (whole / count + 1), count);
        for (; painted < until; painted++) {
            char letter = part >= KVB_TRAIN_GATHER ? 'p' : kvb_train_part_row_of(part)->letter;
            cells[painted] = painted * (whole / count) >= training->memory_bytes ? '!' : letter;
        }
    }
}

static void add_bars(struct kvb_buffer *out, const struct kvb_training *training, bool color)
{
    static const struct {
        char letter;
        const char *label;
    } legend[] = {{'A', "actor"},    {'R', "reference"}, {'E', "engine"}, {'o', "others"},
                  {'x', "contexts"}, {'p', "passing"},   {'.', "free"},   {'!', "too much"}};
    uint64_t whole = kvb_max(training->memory_bytes, training->totals[training->deciding]);
    size_t count = kvb_page_width(out) - BAR_FRAME, used = 0;
    kvb_buffer_add(out, "\n");
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        char cells[KVB_BAR_CELLS_MAX + 1];
        paint(cells, count, training, phase, whole);
        kvb_buffer_printf(out, "  %-*s [", LABEL_WIDTH, kvb_train_phase_row_of(phase)->label);
        kvb_bar_add(out, color, cells);
        kvb_buffer_add(out, "]\n");
    }
    for (size_t i = 0; i < sizeof legend / sizeof legend[0] - training->fits; i++) {
        kvb_bar_legend(out, color, &used, legend[i].letter, legend[i].label);
    }
    kvb_buffer_add(out, "\n");
}

static void say_deciding(struct kvb_buffer *out, const struct kvb_training *training)
{
    unsigned phase = training->deciding;
    char total[32], range[32];
    struct kvb_buffer line;
    bool first = true;
    kvb_buffer_init(&line);
    kvb_buffer_printf(&line, "The fullest phase is %s: %s GiB, give or take %s", kvb_train_phase_row_of(phase)->label,
                      gib(total, (int64_t)training->totals[phase]), gib(range, (int64_t)training->ranges[phase]));
    for (unsigned part = KVB_TRAIN_GATHER; part < KVB_TRAIN_PART_COUNT; part++) {
        uint64_t bytes = training->parts[phase][part];
        if (bytes > 0) {
            kvb_buffer_printf(&line, "%s%s %s", first ? " (" : ", ", kvb_train_part_row_of(part)->label,
                              gib(total, (int64_t)bytes));
            first = false;
        }
    }
    kvb_buffer_add(&line, first ? "." : ").");
    if (training->state_bytes > training->state_at_start_bytes) {
        kvb_buffer_printf(&line,
                          " The trainer shows %s GiB when the engine starts and %s once a step has run: a start "
                          "that fits proves nothing.",
                          gib(total, (int64_t)training->state_at_start_bytes),
                          gib(range, (int64_t)training->state_bytes));
    }
    kvb_text_add_line(out, &line);
}

static void say_static(struct kvb_buffer *out, const struct kvb_training *training)
{
    char actor[32], reference[32], sum[32], left[32];
    struct kvb_buffer line;
    const uint64_t *parts = training->parts[KVB_TRAIN_ROLLOUT];
    uint64_t taken = kvb_add(training->static_bytes, parts[KVB_TRAIN_CONTEXTS]);
    kvb_buffer_init(&line);
    kvb_buffer_printf(&line, "Per GPU: actor %s, reference %s, rollout ", gib(actor, (int64_t)training->state_bytes),
                      gib(reference, (int64_t)training->reference_bytes));
    kvb_buffer_printf(&line, "%s: together %s GiB; with contexts and communication %s GiB are left for what passes.",
                      gib(actor, (int64_t)parts[KVB_TRAIN_ENGINE]), gib(sum, (int64_t)training->static_bytes),
                      gib(left, kvb_balance(training->memory_bytes, taken)));
    kvb_text_add_line(out, &line);
}

static void say_host(struct kvb_buffer *out, const struct kvb_training *training)
{
    char trainer[32], rollout[32];
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    if (training->host_bytes > 0) {
        kvb_buffer_printf(&line, "CPU memory for each GPU: %s GiB that the trainer has offloaded.",
                          gib(trainer, (int64_t)training->host_bytes));
    }
    if (training->host_sleep_bytes > 0) {
        kvb_buffer_printf(&line,
                          "%sThe rollout asleep at level 1 keeps its weights in pinned CPU memory: %s GiB for each "
                          "GPU.",
                          training->host_bytes > 0 ? " " : "", gib(rollout, (int64_t)training->host_sleep_bytes));
    }
    kvb_text_add_line(out, &line);
}

static bool is_asleep(enum kvb_train_phase phase)
{
    return phase == KVB_TRAIN_UPDATE || phase == KVB_TRAIN_OLD_LOG_PROBS || phase == KVB_TRAIN_REFERENCE_LOG_PROBS;
}

static void say_utilization(struct kvb_buffer *out, const struct kvb_placed *report)
{
    const struct kvb_training *training = report->training;
    const struct kvb_resident_answer *row = &report->side->rows[report->own];
    char needs[32], highest[32], share[32], asked[32], weights[32];
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    if (training->needs_ppm == 0) {
        kvb_buffer_add(&line, "No gpu_memory_utilization makes this rollout start beside the trainer.");
    } else if (training->needs_ppm > training->highest_ppm) {
        kvb_buffer_printf(&line, "The rollout needs gpu_memory_utilization %s; the trainer leaves no more than %s.",
                          kvb_format_ppm(needs, training->needs_ppm), kvb_format_ppm(highest, training->highest_ppm));
    } else {
        kvb_buffer_printf(&line, "The rollout starts from gpu_memory_utilization %s on; up to %s every phase %sfits.",
                          kvb_format_ppm(needs, training->needs_ppm), kvb_format_ppm(highest, training->highest_ppm),
                          report->trainer->sleep_level > 0 ? "in which it is awake " : "");
    }
    if (!training->fits && report->trainer->sleep_level > 0 && is_asleep(training->deciding)) {
        kvb_buffer_add(&line, " It sleeps in the fullest phase: only the trainer's own settings make that one fit.");
    }
    uint64_t own = report->alternative_count > 0 ? report->alternatives[0].weights_bytes : 0;
    if (row->requested_bytes < own) {
        kvb_buffer_printf(&line,
                          " %s of the card is %s GiB, less than the weights alone (%s GiB): it can never start, "
                          "and a shorter length, fewer sequences or eager mode cannot change that.",
                          kvb_format_ppm(asked, row->utilization_ppm), gib(share, (int64_t)row->requested_bytes),
                          gib(weights, (int64_t)own));
    }
    if (!training->divisible) {
        kvb_buffer_add(&line, " The trainer's GPUs are no multiple of the rollout's: the framework refuses that.");
    }
    kvb_text_add_line(out, &line);
}

static void add_alternatives(struct kvb_buffer *out, const struct kvb_placed *report)
{
    static const char *const heads[] = {"rollout, GiB per GPU", "weights", "KV cache", "passing", "tokens", ""};
    struct kvb_columns columns;
    char text[32];
    kvb_columns_init(&columns, "lrrrrl", 2, 2);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        kvb_columns_cell(&columns, heads[i]);
    }
    kvb_columns_end_row(&columns);
    for (uint32_t i = 0; i < report->alternative_count; i++) {
        const struct kvb_alternative *row = &report->alternatives[i];
        kvb_columns_cell(&columns, row->name);
        kvb_columns_cell(&columns, gib(text, (int64_t)row->weights_bytes));
        kvb_columns_cell(&columns, gib(text, row->cache_bytes));
        kvb_columns_cell(&columns, gib(text, (int64_t)row->passing_bytes));
        kvb_columns_cell(&columns, kvb_format_count(text, row->tokens));
        kvb_columns_cell(&columns, row->starts ? "" : "no room");
        kvb_columns_end_row(&columns);
    }
    kvb_buffer_add(out, "\n");
    kvb_columns_write(&columns, out);
    kvb_buffer_printf(out, "  transformers: %u sequences of %u + %u tokens, whole weights on every GPU\n",
                      (unsigned)report->sequences, (unsigned)report->prompt_tokens, (unsigned)report->answer_tokens);
}

void kvb_render_phases_text(struct kvb_buffer *out, const struct kvb_placed *report, bool color)
{
    const struct kvb_trainer *trainer = report->trainer;
    char heading[80];
    (void)snprintf(heading, sizeof heading, "One training step on each of %u GPUs (%s)", (unsigned)trainer->gpus,
                   kvb_sharding_row_of(trainer->sharding)->name);
    kvb_style_heading(out, color, heading);
    add_table(out, report->training);
    add_bars(out, report->training, color);
    say_static(out, report->training);
    say_deciding(out, report->training);
    say_host(out, report->training);
    say_utilization(out, report);
    if (report->alternative_count > 0) {
        add_alternatives(out, report);
    }
}
