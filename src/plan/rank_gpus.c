// Which of a machine's GPUs suits a plan: each is put to the budget as the plan stands and at the
// highest utilization that the release's own check of free memory accepts.
#include <string.h>

#include <kvbudget/machine.h>
#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/model_copy.h"
#include "budget/utilization.h"
#include "engines/table.h"
#include "plan/work.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

// Highest whole hundredth whose request is no more than what is free.
static uint32_t accepted_ppm(const struct kvb_plan *plan, uint64_t memory_bytes, uint64_t free_bytes)
{
    uint32_t ppm = 1000000U;
    while (ppm > 0 && kvb_engine_of(plan)->request(plan, memory_bytes, ppm) > free_bytes) {
        ppm -= KVB_HUNDREDTH_PPM;
    }
    return ppm;
}

static void use_device(struct kvb_plan *plan, const struct kvb_device *device)
{
    plan->gpu = device->gpu;
    plan->gpu_free_stated = device->free_bytes.known;
    plan->gpu_free_bytes = device->free_bytes.value;
}

static void try_accepted(struct kvb_plan_work *work, struct kvb_rank *rank)
{
    struct kvb_setting_value *setting = &work->plan.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
    struct kvb_setting_value kept = *setting;
    rank->accepted_ppm = accepted_ppm(&work->plan, rank->memory_bytes, rank->free_bytes);
    if (rank->accepted_ppm > 0) {
        *setting = (struct kvb_setting_value){.number = rank->accepted_ppm, .set = 1, .origin = KVB_ORIGIN_FLAG};
        (void)kvb_budget_quietly(&work->plan, &work->budget); // worked at the plan's own utilization
        rank->starts_accepted = work->budget.starts;
        *setting = kept;
    }
}

static void take_answer(const struct kvb_budget *budget, struct kvb_rank *rank)
{
    rank->starts = budget->starts;
    rank->verdict = budget->verdict;
    rank->memory_bytes = budget->memory_bytes;
    rank->free_bytes = budget->free_bytes;
    rank->utilization_ppm = (uint32_t)budget->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number;
    rank->requested_bytes = budget->requested_bytes;
    rank->kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes;
    rank->balance_bytes = budget->balance_bytes;
    rank->slack_bytes = budget->slack_bytes;
    rank->tokens = budget->kv.tokens;
    rank->advised_ppm = kvb_highest_utilization(budget);
    rank->has_advised = rank->advised_ppm > 0;
}

static void rank_device(struct kvb_plan_work *work, const struct kvb_device *device, struct kvb_rank *rank)
{
    struct kvb_neighbourhood around;
    use_device(&work->plan, device);
    kvb_problems_init(&work->problems);
    rank->status = kvb_engine_of(&work->plan)->neighbourhood(&work->plan, &around, &work->problems);
    if (rank->status != KVB_OK) {
        return;
    }
    if (!kvb_budget_quietly(&work->plan, &work->budget)) {
        rank->status = kvb_problem_add(&work->problems, KVB_ERROR, KVB_OVERFLOW, nowhere,
                                       "The sizes in this plan multiply to more than any machine holds; check the "
                                       "model's dimensions and the settings.");
        return;
    }
    take_answer(&work->budget, rank);
    rank->checks_free = around.checks_free;
    if (rank->checks_free) {
        try_accepted(work, rank);
    }
}

static uint64_t load_of(const struct kvb_device *device)
{
    return device->load_percent.known ? device->load_percent.value : 0;
}

static int compare(bool a, bool b)
{
    return (int)b - (int)a; // true comes first
}

// Below 0: `a` is the better choice; 0: nothing tells them apart. What can be used, then what starts,
// then headroom, then what is idle.
static int better(const struct kvb_machine *machine, const struct kvb_rank *a, const struct kvb_rank *b)
{
    const struct kvb_device *device_a = &machine->devices[a->device];
    const struct kvb_device *device_b = &machine->devices[b->device];
    int order = compare(a->usable, b->usable);
    order = order != 0 ? order : compare(a->starts, b->starts);
    order = order != 0 ? order : compare(a->verdict != KVB_DOES_NOT_FIT, b->verdict != KVB_DOES_NOT_FIT);
    order = order != 0 ? order : compare(a->starts_accepted, b->starts_accepted);
    if (order == 0 && a->slack_bytes != b->slack_bytes) {
        order = a->slack_bytes > b->slack_bytes ? -1 : 1;
    }
    if (order == 0 && load_of(device_a) != load_of(device_b)) {
        order = load_of(device_a) < load_of(device_b) ? -1 : 1;
    }
    return order;
}

static void sort(const struct kvb_machine *machine, struct kvb_ranking *ranking)
{
    for (uint32_t i = 1; i < ranking->count; i++) {
        struct kvb_rank moved = ranking->ranks[i];
        uint32_t at = i;
        while (at > 0 && better(machine, &moved, &ranking->ranks[at - 1]) < 0) {
            ranking->ranks[at] = ranking->ranks[at - 1];
            at--;
        }
        ranking->ranks[at] = moved;
    }
}

static bool can_take(const struct kvb_machine *machine, const struct kvb_rank *rank, bool alone)
{
    // Slices of one GPU and of several have no peer-to-peer: no split over them.
    return rank->usable && (alone || !machine->devices[rank->device].is_slice);
}

static bool is_alike(const struct kvb_machine *machine, const struct kvb_rank *a, const struct kvb_rank *b)
{
    const struct kvb_device *device_a = &machine->devices[a->device];
    const struct kvb_device *device_b = &machine->devices[b->device];
    return strcmp(device_a->name, device_b->name) == 0 && device_a->total_bytes.value == device_b->total_bytes.value;
}

// The best `needed` that may stand together with the one at `first`; 0 when there are not that many.
static uint32_t gather(const struct kvb_machine *machine, const struct kvb_ranking *ranking, uint32_t first, bool alike,
                       uint32_t chosen[KVB_DEVICES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = first; i < ranking->count && count < ranking->needed; i++) {
        const struct kvb_rank *rank = &ranking->ranks[i];
        if (can_take(machine, rank, ranking->needed == 1) &&
            (!alike || is_alike(machine, &ranking->ranks[first], rank))) {
            chosen[count++] = i;
        }
    }
    return count == ranking->needed ? count : 0;
}

// GPUs of one kind if there are enough of a kind, and then the kind whose last one is best.
static void choose(const struct kvb_machine *machine, struct kvb_ranking *ranking)
{
    uint32_t chosen[KVB_DEVICES_MAX];
    if (ranking->needed > KVB_DEVICES_MAX) {
        return;
    }
    for (uint32_t first = 0; first < ranking->count; first++) {
        uint32_t count = gather(machine, ranking, first, true, chosen);
        bool wins = count > 0 && (ranking->chosen_count == 0 || chosen[count - 1] < ranking->chosen[count - 1]);
        if (wins) {
            ranking->chosen_count = count;
            ranking->chosen_alike = true;
            memcpy(ranking->chosen, chosen, count * sizeof chosen[0]);
        }
    }
    if (ranking->chosen_count == 0) {
        ranking->chosen_count = gather(machine, ranking, 0, false, ranking->chosen);
    }
}

static uint32_t gpus_needed(const struct kvb_settings *settings)
{
    uint64_t count = kvb_gpu_count(settings);
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

// Says why when the plan works on none of the devices.
static enum kvb_status rank_all(struct kvb_plan_work *work, const struct kvb_machine *machine, const bool *pool,
                                struct kvb_ranking *ranking, struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    bool any = false;
    struct kvb_problem reason = {0};
    for (uint32_t i = 0; i < machine->count; i++) {
        if (pool != NULL && !pool[i]) {
            continue;
        }
        struct kvb_rank *rank = &ranking->ranks[ranking->count++];
        *rank = (struct kvb_rank){.device = i, .verdict = KVB_DOES_NOT_FIT};
        if (!machine->devices[i].mig_enabled && machine->devices[i].gpu.memory_bytes > 0) {
            rank_device(work, &machine->devices[i], rank);
            rank->usable = rank->status == KVB_OK;
            any = any || rank->usable;
        }
        if (status == KVB_OK && rank->status != KVB_OK) {
            status = rank->status;
            reason = work->problems.items[0];
        }
    }
    return any || status == KVB_OK ? KVB_OK : kvb_problem_add(problems, KVB_ERROR, status, nowhere, "%s", reason.text);
}

enum kvb_status kvb_machine_rank_in(struct kvb_plan_work *work, const struct kvb_plan *plan,
                                    const struct kvb_machine *machine, const bool *pool, struct kvb_ranking *ranking,
                                    struct kvb_problems *problems)
{
    kvb_plan_copy(&work->plan, plan);
    memset(ranking, 0, sizeof *ranking);
    ranking->needed = gpus_needed(&plan->settings);
    enum kvb_status status = rank_all(work, machine, pool, ranking, problems);
    if (status == KVB_OK) {
        sort(machine, ranking);
        choose(machine, ranking);
    }
    return status;
}
