// Deployments of one file that see the same cards: whoever starts later finds what the others left.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "command/setting_flag.h"
#include "engines/flags.h"
#include "gate/gate.h"

// "0,1" and "1,2" have a card in common.
static bool share_card(const char *a, const char *b)
{
    for (const char *at = a; *at != '\0';) {
        size_t length = strcspn(at, ",");
        for (const char *other = b; *other != '\0';) {
            size_t size = strcspn(other, ",");
            if (size == length && length > 0 && strncmp(at, other, length) == 0) {
                return true;
            }
            other += size + (other[size] == ',');
        }
        at += length + (at[length] == ',');
    }
    return false;
}

static uint64_t held(const struct gate_resident *resident)
{
    uint64_t outside = resident->outside_bytes > 0 ? (uint64_t)resident->outside_bytes : 0;
    return resident->requested_bytes + outside; // each at most 2^53
}

// Each against all that stand before it in the file.
static void judge_one(struct kvb_gate *gate, const struct gate_resident *resident)
{
    char text[KVB_PROBLEM_TEXT_CAPACITY], asked[32], left[32], weights[32];
    uint64_t taken = 0;
    const char *first = NULL;
    for (const struct gate_resident *other = resident->older; other != NULL; other = other->older) {
        bool same = resident->group == other->group && strcmp(resident->gpu, other->gpu) == 0;
        if (same && share_card(resident->devices, other->devices)) {
            taken += held(other);
            first = other->name;
        }
    }
    uint64_t free_bytes = taken < resident->memory_bytes ? resident->memory_bytes - taken : 0;
    if (first == NULL) {
        return;
    }
    char gpu[120], lever[KVB_FLAG_CAPACITY + 40];
    (void)snprintf(gpu, sizeof gpu, "%.40s (%.60s)", resident->devices, resident->gpu);
    bool named = resident->share_flag[0] != '\0';
    (void)snprintf(lever, sizeof lever, named ? "lower %s of both, or " : "%s", resident->share_flag);
    const struct kvb_plan *plan = &gate->answer->plan;
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    if (engine->share_of_free) {
        uint64_t ppm = gate->answer->budget.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number;
        uint64_t share = engine->request(plan, free_bytes, (uint32_t)ppm);
        if (share > resident->weights_bytes) {
            return;
        }
        (void)snprintf(
            text, sizeof text,
            "it shares GPU %s with %.80s: it takes its share of what is free, finds %s GiB when it starts "
            "last and takes %s of them, weights need %s; lower the share of the other, or give each a card of its own",
            gpu, first, kvb_format_gib(left, (int64_t)free_bytes, 2), kvb_format_gib(asked, (int64_t)share, 2),
            kvb_format_gib(weights, (int64_t)resident->weights_bytes, 2));
    } else if (resident->requested_bytes > free_bytes) {
        (void)snprintf(
            text, sizeof text,
            "it shares GPU %s with %.80s: it asks for %s GiB there and finds %s GiB free when it starts last; "
            "%sgive each a card of its own",
            gpu, first, kvb_format_gib(asked, (int64_t)resident->requested_bytes, 2),
            kvb_format_gib(left, (int64_t)free_bytes, 2), lever);
    } else {
        return;
    }
    kvb_findings_add(gate->findings, KVB_CHECK_TOGETHER, KVB_ERROR, resident->place, "%s", text);
}

void kvb_gate_judge_together(struct kvb_gate *gate, const struct kvb_found *found)
{
    const struct kvb_budget *budget = &gate->answer->budget;
    if (!found->together) {
        return;
    }
    struct gate_resident *resident = kvb_arena_take(&gate->arena, sizeof *resident);
    if (resident == NULL) {
        gate->no_memory = true;
        return;
    }
    *resident = (struct gate_resident){
        .older = gate->residents,
        .name = kvb_gate_keep(gate, found->name),
        .devices = kvb_gate_keep(gate, found->devices[0] != '\0' ? found->devices : "0"),
        .gpu = kvb_gate_keep(gate, gate->answer->plan.gpu.name),
        .group = found->group,
        .place = kvb_gate_place(found, found->settings[KVB_SET_GPU_MEMORY_UTILIZATION]),
        .memory_bytes = budget->free_bytes,
        .requested_bytes = budget->requested_bytes,
        .weights_bytes = budget->weights.total_bytes,
        .outside_bytes = budget->outside_bytes,
    };
    const struct kvb_serve_flag *flag =
        kvb_serve_flag_of(kvb_engine_of(&gate->answer->plan), KVB_SET_GPU_MEMORY_UTILIZATION, 0);
    if (flag != NULL) {
        (void)kvb_serve_flag_name(resident->share_flag, flag);
    }
    gate->residents = resident;
    judge_one(gate, resident);
}
