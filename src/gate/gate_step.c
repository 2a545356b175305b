// What shares the GPUs with a deployment: other engines, memory that is taken, the trainer of a step.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "gate/gate.h"

enum kvb_status kvb_gate_place_residents(struct kvb_gate *gate, const struct kvb_found *found,
                                         struct kvb_placed **placed)
{
    struct kvb_question *question = gate->question;
    *placed = NULL;
    if (found->resident_count == 0) {
        return KVB_OK;
    }
    question->deployment = *gate->deployment;
    if (question->deployment.name[0] == '\0') {
        (void)kvb_copy(question->deployment.name, sizeof question->deployment.name, found->name);
    }
    question->profile = NULL;
    question->entries = found->residents;
    question->entry_count = found->resident_count;
    return kvb_residents_place(question, &gate->answer->plan, placed, gate->problems);
}

// "its phase rollout holds 85.20 GiB of the 79.15 GiB of each GPU; ..."
static void say_phase(struct kvb_gate *gate, const struct kvb_training *training, char *out, size_t capacity)
{
    char held[32], all[32], share[32] = "";
    const char *phase = kvb_train_phase_row_of(training->deciding)->label;
    uint32_t now = (uint32_t)gate->answer->budget.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number;
    bool lower =
        training->highest_ppm >= training->needs_ppm && training->highest_ppm > 0 && training->highest_ppm < now;
    if (lower) {
        (void)snprintf(share, sizeof share, "0.%02u", (unsigned)(training->highest_ppm / 10000));
    }
    (void)snprintf(out, capacity,
                   "a training step does not fit: its phase '%s' holds %s GiB and each GPU has %s GiB%s%s%s", phase,
                   kvb_format_gib(held, (int64_t)training->totals[training->deciding], 2),
                   kvb_format_gib(all, (int64_t)training->memory_bytes, 2),
                   lower ? "; lower the rollout's gpu_memory_utilization to " : "", share,
                   lower ? "" : "; spread it over more GPUs, offload, or let the rollout sleep while training");
}

static void say_crowd(const struct kvb_placed *placed, char *out, size_t capacity)
{
    char held[32], all[32];
    for (uint32_t i = 0; i < placed->side->count; i++) {
        if (placed->residents[i].kind == KVB_RESIDENT_ENGINE && !placed->side->rows[i].starts) {
            (void)snprintf(out, capacity, "%.80s does not start in its place beside the others on the GPU: %.300s",
                           placed->residents[i].name, placed->side->rows[i].error);
            return;
        }
    }
    (void)snprintf(out, capacity, "all that share the GPU hold %s GiB together and it has %s GiB",
                   kvb_format_gib(held, (int64_t)placed->side->held_bytes, 2),
                   kvb_format_gib(all, (int64_t)placed->side->memory_bytes, 2));
}

void kvb_gate_judge_residents(struct kvb_gate *gate, const struct kvb_found *found, const struct kvb_placed *placed)
{
    char text[KVB_PROBLEM_TEXT_CAPACITY];
    struct kvb_budget *budget = &gate->answer->budget;
    if (placed == NULL || kvb_placed_fit(placed) || budget->verdict == KVB_DOES_NOT_FIT) {
        return;
    }
    budget->verdict = KVB_DOES_NOT_FIT;
    budget->starts = false;
    gate->answer->advice.apply_count = 0;
    if (placed->training != NULL && !placed->training->fits) {
        say_phase(gate, placed->training, text, sizeof text);
    } else {
        say_crowd(placed, text, sizeof text);
    }
    kvb_findings_add(gate->findings, KVB_CHECK_FITS, KVB_ERROR,
                     kvb_gate_place(found, found->settings[KVB_SET_GPU_MEMORY_UTILIZATION]), "%s", text);
}
