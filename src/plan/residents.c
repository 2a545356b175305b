// Engines side by side: each release measures itself in its own way, and some take what others hold or
// gain for their own. Sources: vllm/worker/worker.py and vllm/v1/worker/gpu_worker.py at their tags,
// vllm/utils/mem_utils.py; vllm-project/vllm issues 2248, 14376, 16141, 55827 and pull request 18974.
#include <kvbudget/residents.h>
#include <kvbudget/units.h>

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/gpu_facts.h"
#include "budget/utilization.h"
#include "engines/table.h"
#include "plan/neighbours.h"
#include "plan/work.h"

#define STEPS_TRIED 4U

static const struct kvb_place nowhere = {NULL, 0, 0};

static const struct kvb_charge_row charge_rows[KVB_CHARGE_COUNT] = {
    [KVB_CHARGE_NOTHING] = {"nothing", "sees only its own tensors; neighbours are never charged", false, false},
    [KVB_CHARGE_DEVICE] = {"device",
                           "takes all that the device holds for its own: its utilization must cover what is "
                           "there already plus its own share",
                           true, true},
    [KVB_CHARGE_GROWTH] = {"growth",
                           "is charged what the device gains from its start to the end of its profiling, "
                           "whoever gains it",
                           false, true},
    [KVB_CHARGE_FREE] = {"free_memory",
                         "is charged the drop in free memory from its start to the end of its "
                         "profiling, whoever causes it",
                         false, true},
    [KVB_CHARGE_FIXED] = {"fixed", "measures nothing: its KV cache is given in bytes", false, false},
};

const char *kvb_resident_kind_name(enum kvb_resident_kind kind)
{
    static const char *const names[KVB_RESIDENT_KIND_COUNT] = {"engine", "trainer", "fixed", "transformers"};
    return kind < KVB_RESIDENT_KIND_COUNT ? names[kind] : "";
}

enum kvb_charge kvb_charge_of(const struct kvb_plan *plan)
{
    struct kvb_neighbourhood around;
    enum kvb_status status = kvb_engine_of(plan)->neighbourhood(plan, &around, NULL);
    return status == KVB_OK ? around.charge : KVB_CHARGE_COUNT;
}

void kvb_plan_hold(struct kvb_plan *plan, const char *name, uint64_t bytes)
{
    if (bytes == 0) {
        return;
    }
    if (plan->gpu_free_stated) {
        plan->gpu_free_bytes = plan->gpu_free_bytes > bytes ? plan->gpu_free_bytes - bytes : 0;
    }
    if (plan->gpu_free_stated && plan->reserve_count == 0) {
        return; // what is not free is known to be held by others
    }
    if (plan->reserve_count == KVB_RESERVES_MAX) {
        struct kvb_reserve *last = &plan->reserves[KVB_RESERVES_MAX - 1];
        last->bytes = kvb_add(last->bytes, bytes);
        return;
    }
    struct kvb_reserve *reserve = &plan->reserves[plan->reserve_count++];
    (void)kvb_copy(reserve->name, sizeof reserve->name, name);
    reserve->bytes = bytes;
}

static uint64_t own_non_cache(const struct kvb_budget *budget)
{
    uint64_t sum = 0;
    for (unsigned item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        sum = kvb_add(sum, item == KVB_ITEM_OTHER ? 0 : kvb_positive(budget->items[item].bytes));
    }
    return sum;
}

uint64_t kvb_held_by(const struct kvb_neighbourhood *around, const struct kvb_budget *budget)
{
    uint64_t own = kvb_add(own_non_cache(budget), kvb_positive(budget->items[KVB_ITEM_KV_CACHE].bytes));
    int64_t graphs = (int64_t)budget->graph_actual_bytes - budget->items[KVB_ITEM_CUDA_GRAPH].bytes;
    own = kvb_add(own, kvb_positive(graphs));
    return around->charges_others ? own : kvb_add(own, around->outside.bytes);
}

uint32_t kvb_needs_ppm(struct kvb_plan *plan, const struct kvb_budget *budget, struct kvb_budget *tried)
{
    int64_t bytes = (int64_t)budget->requested_bytes - budget->balance_bytes;
    if (bytes <= 0 || plan->gpu.memory_bytes == 0) {
        return 0;
    }
    uint64_t percent = (uint64_t)bytes / (plan->gpu.memory_bytes / 100 + 1);
    struct kvb_setting_value *share = &plan->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
    struct kvb_setting_value asked = *share;
    uint32_t found_ppm = 0;
    for (uint64_t step = percent > 1 ? percent - 1 : 1; found_ppm == 0 && step <= percent + STEPS_TRIED && step <= 100;
         step++) {
        *share = (struct kvb_setting_value){.number = step * KVB_HUNDREDTH_PPM, .set = 1, .origin = KVB_ORIGIN_FLAG};
        (void)kvb_budget_quietly(plan, tried);
        found_ppm = tried->starts ? (uint32_t)step * KVB_HUNDREDTH_PPM : 0;
    }
    *share = asked;
    return found_ppm;
}

static void fill_row(struct kvb_plan_work *work, const struct kvb_neighbourhood *around,
                     struct kvb_resident_answer *row)
{
    const struct kvb_budget *budget = &work->budget;
    row->charge = around->charge;
    row->starts = budget->starts;
    row->verdict = budget->verdict;
    row->charged_bytes = kvb_positive(budget->items[KVB_ITEM_OTHER].bytes);
    row->requested_bytes = budget->requested_bytes;
    row->kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes;
    row->needed_bytes = budget->needed_bytes;
    row->tokens = budget->kv.tokens;
    row->utilization_ppm = (uint32_t)budget->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number;
    row->held_bytes = budget->starts ? kvb_held_by(around, budget) : 0;
    row->accepted_ppm = kvb_highest_utilization(budget);
    row->needs_ppm = row->charge == KVB_CHARGE_FIXED ? 0 : kvb_needs_ppm(&work->plan, budget, &work->tried);
    memcpy(row->error, budget->error, sizeof row->error);
}

// The resident's engine on this GPU, where `held_bytes` are held by others, into work->budget.
static enum kvb_status compute_among(struct kvb_plan_work *work, const struct kvb_gpu *gpu,
                                     const struct kvb_resident *resident, uint64_t held_bytes,
                                     struct kvb_neighbourhood *around, struct kvb_problems *problems)
{
    struct kvb_plan *plan = &work->plan;
    memcpy(plan, resident->plan, sizeof *plan);
    plan->gpu = *gpu;
    kvb_plan_hold(plan, "residents", held_bytes);
    enum kvb_status status = kvb_engine_of(plan)->neighbourhood(plan, around, problems);
    if (status == KVB_OK && !kvb_budget_quietly(plan, &work->budget)) {
        status =
            kvb_problem_add(problems, KVB_ERROR, KVB_OVERFLOW, nowhere,
                            "the sizes of the resident '%s' multiply to more than any machine holds", resident->name);
    }
    return status;
}

static enum kvb_status start_engine(struct kvb_plan_work *work, const struct kvb_gpu *gpu,
                                    const struct kvb_resident *resident, uint64_t held_bytes,
                                    struct kvb_resident_answer *row, struct kvb_problems *problems)
{
    struct kvb_neighbourhood around;
    enum kvb_status status = compute_among(work, gpu, resident, held_bytes, &around, problems);
    if (status == KVB_OK) {
        fill_row(work, &around, row);
    }
    return status;
}

// One engine's share in a start of all at once.
struct gain {
    bool is_engine;
    uint64_t low_bytes, likely_bytes, high_bytes; // while a neighbour profiles itself
    int64_t kv_cache_bytes;                       // with no engine beside it
    uint64_t needed_bytes;
    bool starts;
};

// Of an engine that was computed among residents before: it works.
static struct gain gain_of(struct kvb_plan_work *work, const struct kvb_gpu *gpu, const struct kvb_resident *resident,
                           uint64_t fixed_bytes)
{
    const struct kvb_budget *budget = &work->budget;
    struct kvb_neighbourhood around;
    (void)compute_among(work, gpu, resident, fixed_bytes, &around, NULL);
    return (struct gain){.is_engine = true,
                         .low_bytes = kvb_positive(budget->items[KVB_ITEM_WEIGHTS].bytes),
                         .likely_bytes = own_non_cache(budget),
                         .high_bytes = kvb_held_by(&around, budget),
                         .kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes,
                         .needed_bytes = budget->needed_bytes,
                         .starts = budget->starts};
}

static void settle_at_once(const struct gain *gains, uint32_t count, uint32_t own, struct kvb_resident_answer *row)
{
    row->gained_bytes = row->gained_low_bytes = row->gained_high_bytes = 0;
    for (uint32_t i = 0; i < count && charge_rows[row->charge].charges_growth; i++) {
        if (i != own && gains[i].is_engine) {
            row->gained_bytes = kvb_add(row->gained_bytes, gains[i].likely_bytes);
            row->gained_low_bytes = kvb_add(row->gained_low_bytes, gains[i].low_bytes);
            row->gained_high_bytes = kvb_add(row->gained_high_bytes, gains[i].high_bytes);
        }
    }
    row->at_once_bytes = gains[own].kv_cache_bytes - (int64_t)row->gained_bytes;
    row->at_once_low_bytes = gains[own].kv_cache_bytes - (int64_t)row->gained_high_bytes;
    row->at_once_high_bytes = gains[own].kv_cache_bytes - (int64_t)row->gained_low_bytes;
    row->starts_at_once = gains[own].starts && row->at_once_bytes >= (int64_t)gains[own].needed_bytes;
}

static uint64_t held_without_engine(const struct kvb_resident *resident)
{
    struct kvb_transformers_answer generate;
    switch (resident->kind) {
    case KVB_RESIDENT_FIXED:
        return resident->bytes;
    case KVB_RESIDENT_TRAINER:
        return kvb_trainer_at_start(resident->trainer, resident->model);
    case KVB_RESIDENT_TRANSFORMERS:
        kvb_transformers_compute(resident->model, resident->rollout, &generate);
        return kvb_add(generate.total_bytes, KVB_CUDA_CONTEXT_BYTES);
    default:
        return 0;
    }
}

static void start_at_once(struct kvb_plan_work *work, const struct kvb_gpu *gpu, const struct kvb_resident *residents,
                          uint32_t count, struct kvb_side_by_side *answer)
{
    struct gain gains[KVB_RESIDENTS_MAX + 1] = {0};
    uint64_t fixed_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        fixed_bytes = kvb_add(fixed_bytes, held_without_engine(&residents[i]));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (residents[i].kind == KVB_RESIDENT_ENGINE) {
            gains[i] = gain_of(work, gpu, &residents[i], fixed_bytes);
        }
    }
    answer->all_start_at_once = true;
    for (uint32_t i = 0; i < count; i++) {
        if (gains[i].is_engine) {
            settle_at_once(gains, count, i, &answer->rows[i]);
            answer->all_start_at_once = answer->all_start_at_once && answer->rows[i].starts_at_once;
        }
    }
}

enum kvb_status kvb_side_by_side_in(struct kvb_plan_work *work, const struct kvb_gpu *gpu,
                                    const struct kvb_resident *residents, uint32_t count,
                                    struct kvb_side_by_side *answer, struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    memset(answer, 0, sizeof *answer);
    if (count > KVB_RESIDENTS_MAX + 1) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, nowhere, "at most %u residents share a GPU",
                               (unsigned)KVB_RESIDENTS_MAX);
    }
    answer->count = count;
    answer->memory_bytes = gpu->memory_bytes;
    answer->all_start = true;
    for (uint32_t i = 0; i < count && status == KVB_OK; i++) {
        struct kvb_resident_answer *row = &answer->rows[i];
        if (residents[i].kind == KVB_RESIDENT_ENGINE) {
            status = start_engine(work, gpu, &residents[i], answer->held_bytes, row, problems);
            answer->engines++;
        } else {
            row->held_bytes = held_without_engine(&residents[i]);
            row->starts = true;
        }
        row->held_before_bytes = answer->held_bytes;
        answer->all_start = answer->all_start && row->starts;
        answer->held_bytes = kvb_add(answer->held_bytes, row->held_bytes);
    }
    answer->crowded = answer->held_bytes > answer->memory_bytes;
    if (status == KVB_OK) {
        start_at_once(work, gpu, residents, count, answer);
    }
    return status;
}

const struct kvb_charge_row *kvb_charge_row_of(enum kvb_charge charge)
{
    return (unsigned)charge < KVB_CHARGE_COUNT ? &charge_rows[charge] : NULL;
}
