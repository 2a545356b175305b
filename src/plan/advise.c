// What to set instead: the largest utilization and length that start, and a ladder of changes in order of
// least harm, each tried alone and then together.
#include <string.h>

#include "base/checked.h"
#include "base/model_copy.h"
#include "budget/shapes.h"
#include "budget/utilization.h"
#include "engines/flags.h"
#include "plan/advice_settle.h"
#include "plan/work.h"

static void put(struct kvb_plan *plan, enum kvb_setting setting, uint64_t number)
{
    struct kvb_setting_value *value = &plan->settings.values[setting];
    value->number = number;
    value->set = 1;
}

static void apply(struct kvb_plan *plan, const struct kvb_change *change)
{
    put(plan, change->setting, change->to);
    plan->settings.values[change->setting].set = !change->removes_setting;
}

// A plan that was answered is answered at another length or share, too.
static void answer_with(struct kvb_plan *plan, enum kvb_setting setting, uint64_t number, struct kvb_budget *budget)
{
    struct kvb_setting_value before = plan->settings.values[setting];
    put(plan, setting, number);
    (void)kvb_budget_quietly(plan, budget);
    plan->settings.values[setting] = before;
}

// Whether the release takes the setting by now; none that is advised was ever withdrawn.
static bool takes(const struct kvb_plan *plan, enum kvb_setting setting)
{
    uint32_t since, until;
    return kvb_engine_has(kvb_engine_of(plan), setting, &since, &until) && plan->engine.release >= since;
}

static bool fixed_cache(const struct kvb_plan *plan)
{
    return kvb_number(plan, KVB_SET_KV_CACHE_MEMORY_BYTES) > 0;
}

// The utilization at which it starts and leaves room for what lives outside; 0 when there is none. work->room becomes
// the answer there.
static uint64_t roomy_utilization(struct kvb_plan_work *work, const struct kvb_budget *budget)
{
    const struct kvb_budget *room = &work->room;
    uint64_t ppm = fixed_cache(&work->plan) ? 0 : kvb_highest_utilization(budget);
    for (int i = 0; ppm > 0 && i < 2; i++) { // another stage may decide there, whose graphs weigh more
        answer_with(&work->plan, KVB_SET_GPU_MEMORY_UTILIZATION, ppm, &work->room);
        if (room->verdict == KVB_DOES_NOT_FIT) {
            return 0;
        }
        if (room->slack_bytes >= 0) {
            return ppm;
        }
        ppm = kvb_highest_utilization(room);
    }
    return 0;
}

// It starts and leaves room, at its own utilization or at a lower one.
static bool is_sound(struct kvb_plan_work *work, const struct kvb_budget *budget)
{
    return budget->verdict != KVB_DOES_NOT_FIT && (budget->slack_bytes >= 0 || roomy_utilization(work, budget) > 0);
}

static void advise_utilization(struct kvb_plan_work *work, const struct kvb_budget *budget, struct kvb_advice *advice)
{
    bool shares = takes(&work->plan, KVB_SET_GPU_MEMORY_UTILIZATION);
    uint64_t ppm = shares ? roomy_utilization(work, budget) : 0;
    advice->has_utilization = ppm > 0;
    advice->gpu_memory_utilization_ppm = (uint32_t)ppm;
}

static bool length_fits(struct kvb_plan_work *work, uint64_t length, bool leaves_room)
{
    answer_with(&work->plan, KVB_SET_MAX_MODEL_LEN, length, &work->tried);
    return work->tried.verdict != KVB_DOES_NOT_FIT && (!leaves_room || work->tried.slack_bytes >= 0);
}

// Largest length that fits; a shorter length rarely needs more, so a search below the first guess suffices.
static uint64_t longest_length(struct kvb_plan_work *work, uint64_t guess, bool leaves_room)
{
    if (guess == 0 || length_fits(work, guess, leaves_room)) {
        return guess;
    }
    uint64_t low = 0;
    uint64_t high = guess - 1;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (length_fits(work, middle, leaves_room)) {
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
    uint64_t length = longest_length(work, guess, advice->has_utilization);
    work->plan.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION] = asked;
    advice->has_max_model_len = length > 0;
    advice->max_model_len = length;
    advice->has_max_num_seqs = true;
    advice->max_num_seqs = budget->settings.values[KVB_SET_MAX_NUM_SEQS].number;
}

// One more step towards a start: a refusal gone, or more cache where the cache is what is missing.
static bool is_step(const struct kvb_budget *budget, const struct kvb_budget *tried)
{
    if (budget->refusal != NULL) {
        return tried->refusal == NULL;
    }
    return tried->refusal == NULL && tried->balance_bytes > budget->balance_bytes && budget->balance_bytes < 0;
}

static void describe(struct kvb_change *change, const struct kvb_rung *rung, const struct kvb_budget *budget,
                     const struct kvb_budget *tried)
{
    change->setting = rung->setting;
    change->from = budget->settings.values[rung->setting].number;
    change->removes_setting = rung->removes;
    change->balance_bytes = tried->balance_bytes;
    change->frees_bytes = tried->balance_bytes - budget->balance_bytes;
    change->why = rung->why;
    change->last_resort = rung->last_resort;
    change->useless = rung->warns;
}

// What people reach for in vain: it neither suffices nor leaves more for the cache.
static bool is_vain(const struct kvb_budget *budget, const struct kvb_budget *tried)
{
    int64_t cache_bytes = tried->items[KVB_ITEM_KV_CACHE].bytes - budget->items[KVB_ITEM_KV_CACHE].bytes;
    return tried->verdict == KVB_DOES_NOT_FIT && cache_bytes <= 0 && budget->refusal == NULL;
}

// Tries the candidates of one rung, mildest first: the first that fits, else the strongest that is a step.
static bool try_rung(struct kvb_plan_work *work, const struct kvb_budget *budget, const struct kvb_rung *rung,
                     struct kvb_change *change)
{
    struct kvb_setting_value *value = &work->plan.settings.values[rung->setting];
    struct kvb_setting_value before = *value;
    uint64_t candidates[KVB_CANDIDATES_MAX];
    uint32_t count = takes(&work->plan, rung->setting) ? rung->candidates(&work->plan, budget, candidates) : 0;
    bool useful = false;
    for (uint32_t i = 0; i < count && !change->fits; i++) {
        put(&work->plan, rung->setting, candidates[i]);
        bool computed = kvb_budget_quietly(&work->plan, &work->tried);
        bool fits = computed && !rung->warns && is_sound(work, &work->tried);
        bool listed = rung->warns ? is_vain(budget, &work->tried) : fits || is_step(budget, &work->tried);
        if (computed && listed) {
            describe(change, rung, budget, &work->tried);
            change->to = candidates[i];
            change->fits = fits;
            change->starts = work->tried.verdict != KVB_DOES_NOT_FIT;
            useful = true;
        }
    }
    *value = before;
    return useful;
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

// The first single change that suffices.
static bool choose_single(struct kvb_advice *advice, bool last_resort)
{
    for (uint32_t i = 0; i < advice->change_count; i++) {
        if (advice->changes[i].fits && advice->changes[i].last_resort == last_resort) {
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
    bool fits = kvb_budget_quietly(&work->plan, &work->tried) && is_sound(work, &work->tried);
    *value = changed;
    return fits;
}

// The figures of each step once the steps that were not needed are gone.
static void recount(struct kvb_plan_work *work, const struct kvb_plan *original, const struct kvb_budget *budget,
                    struct kvb_advice *advice)
{
    int64_t balance_bytes = budget->balance_bytes;
    work->plan.settings = original->settings;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        struct kvb_change *change = &advice->changes[advice->apply[i]];
        apply(&work->plan, change);
        if (kvb_budget_quietly(&work->plan, &work->tried)) {
            change->balance_bytes = work->tried.balance_bytes;
            change->frees_bytes = work->tried.balance_bytes - balance_bytes;
            change->starts = work->tried.verdict != KVB_DOES_NOT_FIT;
            change->fits = is_sound(work, &work->tried);
            balance_bytes = work->tried.balance_bytes;
        }
    }
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
        apply(&work->plan, &change);
        advice->apply[advice->apply_count++] = advice->change_count;
        advice->changes[advice->change_count++] = change;
        (void)kvb_budget_quietly(&work->plan, current);
        if (is_sound(work, current)) {
            prune(work, original, advice);
            recount(work, original, budget, advice);
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
    if (choose_single(advice, false) || climb_together(work, plan, budget, advice, false) ||
        choose_single(advice, true)) {
        return;
    }
    (void)climb_together(work, plan, budget, advice, true);
}

// The applied step that sets utilization; NULL when none does.
static struct kvb_change *step_of_utilization(struct kvb_advice *advice)
{
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        struct kvb_change *change = &advice->changes[advice->apply[i]];
        if (change->setting == KVB_SET_GPU_MEMORY_UTILIZATION) {
            return change;
        }
    }
    return NULL;
}

static void add_room_step(struct kvb_plan_work *work, struct kvb_advice *advice, uint64_t ppm)
{
    const struct kvb_budget *before = &work->tried;
    struct kvb_change change = {
        .setting = KVB_SET_GPU_MEMORY_UTILIZATION, .to = ppm, .together = true, .fits = true, .starts = true};
    change.from = before->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number;
    change.why = "leaves room for what lives outside the request";
    change.balance_bytes = work->room.balance_bytes;
    change.frees_bytes = work->room.balance_bytes - before->balance_bytes;
    advice->apply[advice->apply_count++] = advice->change_count;
    advice->changes[advice->change_count++] = change;
}

// The cache takes whatever a change frees: where what lives outside then finds no room, utilization goes down with it.
static void leave_room(struct kvb_plan_work *work, const struct kvb_plan *original, const struct kvb_budget *budget,
                       struct kvb_advice *advice)
{
    const struct kvb_budget *before = &work->tried;
    work->plan.settings = original->settings;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        apply(&work->plan, &advice->changes[advice->apply[i]]);
    }
    (void)kvb_budget_quietly(&work->plan, &work->tried); // it starts, as was found before
    if (before->slack_bytes >= 0) {
        return;
    }
    uint64_t ppm = roomy_utilization(work, before);
    struct kvb_change *step = step_of_utilization(advice);
    if (ppm == 0) {
        advice->apply_count = 0; // nothing that is short of room is advised
    } else if (step != NULL) {
        step->to = ppm;
        recount(work, original, budget, advice);
    } else {
        add_room_step(work, advice, ppm);
    }
}

enum kvb_status kvb_advise_in(struct kvb_plan_work *work, const struct kvb_plan *plan, const struct kvb_budget *budget,
                              struct kvb_advice *advice)
{
    kvb_plan_copy(&work->plan, plan);
    kvb_reuse_clear(&work->reuse);
    work->plan.reuse = &work->reuse;
    memset(advice, 0, sizeof *advice);
    work->plan.gpus_stated = budget->refusal == NULL ? 0 : plan->gpus_stated; // advice may ask for more of them
    advise_utilization(work, budget, advice);
    advise_length(work, budget, advice);
    if (budget->verdict == KVB_DOES_NOT_FIT) {
        climb(work, budget, advice);
        choose(work, plan, budget, advice);
    }
    if (budget->verdict != KVB_DOES_NOT_FIT || advice->apply_count > 0) {
        leave_room(work, plan, budget, advice);
    }
    kvb_advice_settle(advice);
    return KVB_OK;
}
