// What to set instead: the largest utilization and length that start, and a ladder of changes in order of
// least harm, each tried alone and then together.
#include <string.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "budget/utilization.h"
#include "engines/table.h"
#include "plan/work.h"

static void put(struct kvb_plan *plan, enum kvb_setting setting, uint64_t number)
{
    struct kvb_setting_value *value = &plan->settings.values[setting];
    value->number = number;
    value->set = 1;
}

static bool answer_with(struct kvb_plan *plan, enum kvb_setting setting, uint64_t number, struct kvb_budget *budget)
{
    struct kvb_setting_value before = plan->settings.values[setting];
    put(plan, setting, number);
    bool computed = kvb_budget_quietly(plan, budget);
    plan->settings.values[setting] = before;
    return computed;
}

static bool fixed_cache(const struct kvb_plan *plan)
{
    return kvb_number(plan, KVB_SET_KV_CACHE_MEMORY_BYTES) > 0;
}

static void advise_utilization(struct kvb_plan_work *work, const struct kvb_budget *budget, struct kvb_advice *advice)
{
    struct kvb_plan *plan = &work->plan;
    struct kvb_budget *tried = &work->tried;
    uint32_t ppm = kvb_highest_utilization(budget);
    if (ppm == 0 || fixed_cache(plan)) {
        return;
    }
    (void)answer_with(plan, KVB_SET_GPU_MEMORY_UTILIZATION, ppm, tried);
    if (tried->slack_bytes < 0) { // another stage decides there, whose graphs weigh more
        ppm = kvb_highest_utilization(tried);
        (void)answer_with(plan, KVB_SET_GPU_MEMORY_UTILIZATION, ppm, tried);
    }
    if (tried->verdict != KVB_DOES_NOT_FIT) {
        advice->has_utilization = true;
        advice->gpu_memory_utilization_ppm = ppm;
    }
}

static bool length_fits(struct kvb_plan_work *work, uint64_t length)
{
    (void)answer_with(&work->plan, KVB_SET_MAX_MODEL_LEN, length, &work->tried);
    return work->tried.verdict != KVB_DOES_NOT_FIT;
}

// Largest length that fits; a shorter length rarely needs more, so a search below the first guess suffices.
static uint64_t longest_length(struct kvb_plan_work *work, uint64_t guess)
{
    if (guess == 0 || length_fits(work, guess)) {
        return guess;
    }
    uint64_t low = 0;
    uint64_t high = guess - 1;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (length_fits(work, middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static void advise_length(struct kvb_plan_work *work, const struct kvb_budget *budget, struct kvb_advice *advice)
{
    struct kvb_setting_value asked = work->plan.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
    uint64_t guess = budget->kv.max_model_len_that_fits;
    if (advice->has_utilization) {
        put(&work->plan, KVB_SET_GPU_MEMORY_UTILIZATION, advice->gpu_memory_utilization_ppm);
        (void)kvb_budget_quietly(&work->plan, &work->tried);
        guess = work->tried.kv.max_model_len_that_fits;
    }
    uint64_t length = longest_length(work, guess);
    work->plan.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION] = asked;
    advice->has_max_model_len = length > 0;
    advice->max_model_len = length;
    advice->has_max_num_seqs = true;
    advice->max_num_seqs = budget->settings.values[KVB_SET_MAX_NUM_SEQS].number;
}

// Tries the candidates of one rung, mildest first: the first that fits, else the strongest.
static bool try_rung(struct kvb_plan_work *work, const struct kvb_budget *budget, const struct kvb_rung *rung,
                     struct kvb_change *change)
{
    const struct kvb_budget *tried = &work->tried;
    uint64_t candidates[KVB_CANDIDATES_MAX];
    uint32_t count = rung->candidates(&work->plan, budget, candidates);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!answer_with(&work->plan, rung->setting, candidates[i], &work->tried)) {
            continue;
        }
        found = true;
        change->to = candidates[i];
        change->balance_bytes = tried->balance_bytes;
        change->frees_bytes = rung->warns
                                  ? tried->items[KVB_ITEM_KV_CACHE].bytes - budget->items[KVB_ITEM_KV_CACHE].bytes
                                  : tried->balance_bytes - budget->balance_bytes;
        change->fits = tried->verdict != KVB_DOES_NOT_FIT;
        if (change->fits) {
            break;
        }
    }
    change->setting = rung->setting;
    change->from = budget->settings.values[rung->setting].number;
    change->why = rung->why;
    bool step =
        change->frees_bytes > 0 && budget->balance_bytes < 0; // more cache is no step when another check refuses
    return found && (rung->warns ? change->frees_bytes <= 0 : change->fits || step);
}

static void climb(struct kvb_plan_work *work, const struct kvb_budget *budget, struct kvb_advice *advice)
{
    size_t count = 0;
    const struct kvb_rung *rungs = kvb_engine_of(&work->plan)->rungs(&count);
    for (size_t i = 0; i < count; i++) {
        struct kvb_change change = {0};
        if (try_rung(work, budget, &rungs[i], &change)) {
            advice->changes[advice->change_count++] = change;
        }
    }
}

static bool is_last_resort(const struct kvb_plan *plan, enum kvb_setting setting)
{
    size_t count = 0;
    const struct kvb_rung *rungs = kvb_engine_of(plan)->rungs(&count);
    for (size_t i = 0; i < count; i++) {
        if (rungs[i].setting == setting && rungs[i].last_resort) {
            return true;
        }
    }
    return false;
}

// The first single change that suffices.
static bool choose_single(const struct kvb_plan *plan, struct kvb_advice *advice, bool last_resort)
{
    for (uint32_t i = 0; i < advice->change_count; i++) {
        if (advice->changes[i].fits && is_last_resort(plan, advice->changes[i].setting) == last_resort) {
            advice->apply[0] = i;
            advice->apply_count = 1;
            return true;
        }
    }
    return false;
}

static bool fits_without(struct kvb_plan_work *work, const struct kvb_plan *original, enum kvb_setting setting)
{
    struct kvb_setting_value *value = &work->plan.settings.values[setting];
    struct kvb_setting_value changed = *value;
    *value = original->settings.values[setting];
    (void)kvb_budget_quietly(&work->plan, &work->tried);
    *value = changed;
    return work->tried.verdict != KVB_DOES_NOT_FIT;
}

// Leaves out what turned out not to be needed once the rest was there.
static void prune(struct kvb_plan_work *work, const struct kvb_plan *original, struct kvb_advice *advice)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        enum kvb_setting setting = advice->changes[advice->apply[i]].setting;
        if (fits_without(work, original, setting)) {
            work->plan.settings.values[setting] = original->settings.values[setting];
        } else {
            advice->apply[kept++] = advice->apply[i];
        }
    }
    advice->apply_count = kept;
}

// One change on top of the other, mildest first, until it fits.
static bool climb_together(struct kvb_plan_work *work, const struct kvb_plan *original, const struct kvb_budget *budget,
                           struct kvb_advice *advice, bool last_resort)
{
    struct kvb_budget *current = &work->budget;
    work->plan.settings = original->settings;
    *current = *budget;
    uint32_t alone = advice->change_count;
    size_t count = 0;
    const struct kvb_rung *rungs = kvb_engine_of(original)->rungs(&count);
    for (size_t i = 0; i < count; i++) {
        struct kvb_change change = {0};
        if (rungs[i].warns || (rungs[i].last_resort && !last_resort) || !try_rung(work, current, &rungs[i], &change)) {
            continue;
        }
        change.together = true;
        put(&work->plan, change.setting, change.to);
        advice->apply[advice->apply_count++] = advice->change_count;
        advice->changes[advice->change_count++] = change;
        (void)kvb_budget_quietly(&work->plan, current);
        if (current->verdict != KVB_DOES_NOT_FIT) {
            prune(work, original, advice);
            return true;
        }
    }
    advice->apply_count = 0;
    advice->change_count = alone;
    return false;
}

// A single change that suffices, else several; other hardware or another model only when nothing else does.
static void choose(struct kvb_plan_work *work, const struct kvb_plan *plan, const struct kvb_budget *budget,
                   struct kvb_advice *advice)
{
    if (choose_single(plan, advice, false) || climb_together(work, plan, budget, advice, false) ||
        choose_single(plan, advice, true)) {
        return;
    }
    (void)climb_together(work, plan, budget, advice, true);
}

// The cache takes whatever a change frees: where what lies outside then finds no room, utilization goes down with it.
static void leave_room(struct kvb_plan_work *work, const struct kvb_plan *original, const struct kvb_budget *budget,
                       struct kvb_advice *advice)
{
    struct kvb_plan *plan = &work->plan;
    struct kvb_budget *tried = &work->tried;
    plan->settings = original->settings;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        const struct kvb_change *change = &advice->changes[advice->apply[i]];
        put(plan, change->setting, change->to);
        if (change->setting == KVB_SET_GPU_MEMORY_UTILIZATION) {
            return;
        }
    }
    (void)kvb_budget_quietly(plan, tried);
    if (advice->apply_count == 0 || fixed_cache(plan) || tried->slack_bytes >= 0) {
        return;
    }
    struct kvb_change change = {.setting = KVB_SET_GPU_MEMORY_UTILIZATION, .together = true, .fits = true};
    int64_t cache_bytes = tried->items[KVB_ITEM_KV_CACHE].bytes;
    change.from = budget->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number;
    change.to = kvb_highest_utilization(tried);
    change.why = "leaves room for what lives outside the request";
    (void)answer_with(plan, change.setting, change.to, tried);
    if (tried->verdict == KVB_DOES_NOT_FIT) {
        return;
    }
    change.balance_bytes = tried->balance_bytes;
    change.frees_bytes = tried->items[KVB_ITEM_KV_CACHE].bytes - cache_bytes;
    advice->apply[advice->apply_count++] = advice->change_count;
    advice->changes[advice->change_count++] = change;
}

enum kvb_status kvb_advise_in(struct kvb_plan_work *work, const struct kvb_plan *plan, const struct kvb_budget *budget,
                              struct kvb_advice *advice)
{
    memcpy(&work->plan, plan, sizeof work->plan);
    memset(advice, 0, sizeof *advice);
    advise_utilization(work, budget, advice);
    advise_length(work, budget, advice);
    if (budget->verdict == KVB_DOES_NOT_FIT) {
        climb(work, budget, advice);
        choose(work, plan, budget, advice);
        leave_room(work, plan, budget, advice);
    }
    return KVB_OK;
}
