// The sum: a share of what is free before the weights holds weights and pools; tables, graphs and activations live in
// what the share leaves. Source: sgl-project/sglang, python/sglang/srt/model_executor/model_runner.py
// (profile_max_num_token) and mem_cache/kv_cache_configurator.py (_profile_available_bytes, 0.5.16 and later).
#include "engines/sglang/compute.h"

#include <string.h>

#include <kvbudget/problem.h>
#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "budget/weights/weights.h"
#include "engines/sglang/cache.h"
#include "engines/sglang/errors.h"

#define AITER_SHORT_TOKENS 8192U
#define REQUEST_CAPACITY 64  // of kvb_budget, requested_as
#define UNCONFIRMED_SHARE 20 // of the pool, either way, where no log confirms the source

static const struct kvb_place nowhere = {NULL, 0, 0};

static void fill_stage(const struct kvb_sgl_context *context, uint32_t index, uint64_t before_bytes,
                       struct kvb_sgl_stage *stage)
{
    kvb_sgl_weights(context, index, &stage->weights);
    stage->loaded = kvb_sgl_loaded(context, &stage->weights);
    stage->loading_bytes = kvb_sgl_loading(context, &stage->weights);
    kvb_sgl_cell_of(&context->setup, context->stage_begin[index], context->stage_begin[index + 1], &stage->cell);
    int64_t after_bytes = (int64_t)before_bytes - (int64_t)stage->loaded.bytes;
    kvb_sgl_pool_of(&context->setup, &context->defaults, &stage->cell, before_bytes, after_bytes, &stage->pool);
}

// The stage with the fewest tokens, the first of them: all take the least.
static uint32_t tightest_stage(const struct kvb_sgl_context *context, uint64_t before_bytes,
                               struct kvb_sgl_stage *stage)
{
    uint32_t tightest = 0;
    fill_stage(context, 0, before_bytes, stage);
    for (uint32_t i = 1; i < context->setup.pp; i++) {
        struct kvb_sgl_stage other;
        fill_stage(context, i, before_bytes, &other);
        if (other.pool.tokens < stage->pool.tokens) {
            *stage = other;
            tightest = i;
        }
    }
    return tightest;
}

// ---- Terms

static struct kvb_term term_of(const struct kvb_estimate *estimate, enum kvb_basis basis)
{
    return (struct kvb_term){(int64_t)estimate->bytes, (int64_t)estimate->low_bytes, (int64_t)estimate->high_bytes,
                             basis};
}

static struct kvb_estimate stated_or(const struct kvb_plan *plan, enum kvb_stated which, struct kvb_estimate otherwise)
{
    uint64_t bytes = plan->stated[which].bytes;
    return plan->stated[which].set ? (struct kvb_estimate){bytes, bytes, bytes} : otherwise;
}

static enum kvb_basis basis_of(const struct kvb_plan *plan, enum kvb_stated which, enum kvb_basis otherwise)
{
    return plan->stated[which].set ? KVB_BASIS_STATED : otherwise;
}

static uint64_t share_of(uint64_t before_bytes, uint64_t ppb)
{
    return kvb_less(before_bytes, kvb_sgl_outside(before_bytes, ppb));
}

// "0.83 x 78.57 GiB free before loading"
static void say_request(uint64_t ppb, uint64_t before_bytes, char out[REQUEST_CAPACITY])
{
    char share[32], whole[32];
    (void)kvb_copy(out, REQUEST_CAPACITY, kvb_format_ppm(share, (uint32_t)(ppb / (KVB_SGL_PPB / KVB_PPM))));
    kvb_add_text(out, REQUEST_CAPACITY, " x ");
    kvb_add_text(out, REQUEST_CAPACITY, kvb_format_gib(whole, (int64_t)before_bytes, 2));
    kvb_add_text(out, REQUEST_CAPACITY, " GiB free before loading");
}

static void add_part(struct kvb_budget *budget, const char *key, const char *label, uint64_t bytes, bool host)
{
    if (bytes > 0) { // five at most
        budget->parts[budget->part_count++] =
            (struct kvb_budget_part){key, label, KVB_ITEM_KV_CACHE, host, (int64_t)bytes};
    }
}

#define HICACHE_GB_BYTES UINT64_C(1000000000) // 0.4.10: mem_cache/memory_pool_host.py, host_size * 1e9

// Pools inside what is left, and what hierarchical cache and offloaded weights take of the host's memory.
static void fill_parts(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                       struct kvb_budget *budget)
{
    const struct kvb_sgl_pool *pool = &stage->pool;
    const struct kvb_plan *plan = context->plan;
    uint64_t window = kvb_mul(pool->window_tokens, stage->cell.window_bytes);
    add_part(budget, "window_pool_bytes", "window pool", window, false);
    add_part(budget, "state_pool_bytes", "recurrent state", pool->state_bytes, false);
    add_part(budget, "draft_state_bytes", "drafts' states", pool->draft_state_bytes, false);
    add_part(budget, "offloaded_bytes", "weights", stage->weights.offloaded_bytes, true);
    if (context->setup.hierarchical) {
        uint64_t ratio =
            kvb_is_set(plan, KVB_SET_HICACHE_RATIO) ? kvb_number(plan, KVB_SET_HICACHE_RATIO) : 2 * KVB_PPM;
        uint64_t gib = kvb_number(plan, KVB_SET_HICACHE_SIZE) / KVB_GIB;
        uint64_t host = gib > 0 ? kvb_mul(gib, HICACHE_GB_BYTES) : kvb_mul(pool->held_bytes / 1000, ratio) / 1000;
        add_part(budget, "hicache_bytes", "hierarchical cache", host, true);
    }
}

#define COMPUTED_SINCE KVB_RELEASE(0, 5, 3) // the default fraction is computed as it is today
#define RELEASE_STEP KVB_RELEASE(0, 0, 1)

// A release to come may move the default fraction as far as one of those before did.
static int64_t release_drift(const struct kvb_sgl_context *context, uint64_t before_bytes)
{
    struct kvb_sgl_context older = *context;
    uint64_t later = share_of(before_bytes, context->defaults.fraction_ppb);
    uint64_t widest = 0;
    while (context->plan->engine.assumed && older.setup.release > COMPUTED_SINCE) {
        older.setup.release -= RELEASE_STEP;
        kvb_sgl_defaults_of(&older.setup, &older.defaults);
        uint64_t share = share_of(before_bytes, older.defaults.fraction_ppb);
        widest = kvb_max(widest, kvb_less(share, later) + kvb_less(later, share));
        later = share;
    }
    return (int64_t)widest;
}

static void fill_static(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                        const struct kvb_estimate *before, struct kvb_budget *budget)
{
    uint64_t ppb = context->defaults.fraction_ppb;
    struct kvb_term *pool = &budget->items[KVB_ITEM_KV_CACHE];
    bool headers = kvb_model_counts_headers(context->setup.model);
    enum kvb_basis counted = headers ? KVB_BASIS_CHECKPOINT : KVB_BASIS_CONFIG;
    counted = context->setup.model->assumed_high_ppm > 0 ? KVB_BASIS_ASSUMED : counted;
    budget->items[KVB_ITEM_WEIGHTS] = term_of(&stage->loaded, basis_of(context->plan, KVB_STATED_WEIGHTS, counted));
    pool->bytes = (int64_t)share_of(before->bytes, ppb) - (int64_t)stage->loaded.bytes;
    int64_t drift = release_drift(context, before->bytes);
    pool->low_bytes = (int64_t)share_of(before->low_bytes, ppb) - (int64_t)stage->loaded.high_bytes - drift;
    pool->high_bytes = (int64_t)share_of(before->high_bytes, ppb) - (int64_t)stage->loaded.low_bytes + drift;
    if (kvb_sgl_unconfirmed(&context->setup, &stage->cell) != NULL && pool->bytes > 0) {
        pool->low_bytes -= pool->bytes / UNCONFIRMED_SHARE;
        pool->high_bytes += pool->bytes / UNCONFIRMED_SHARE;
    }
    pool->basis = KVB_BASIS_MODELLED;
    budget->requested_bytes = share_of(before->bytes, ppb);
    say_request(ppb, before->bytes, budget->requested_as);
    budget->share_of_bytes = before->bytes;
}

static void fill_outside(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                         const struct kvb_estimate *before, struct kvb_budget *budget)
{
    const struct kvb_plan *plan = context->plan;
    struct kvb_estimate gone = kvb_sgl_gone(context);
    struct kvb_estimate pass = stated_or(plan, KVB_STATED_ACTIVATION, kvb_sgl_activation(context));
    struct kvb_estimate graphs = stated_or(plan, KVB_STATED_CUDA_GRAPH, kvb_sgl_graphs(context));
    struct kvb_estimate tables = kvb_sgl_tables(context, &stage->pool);
    struct kvb_estimate draft = kvb_sgl_late_draft(context, &stage->pool);
    budget->beside[KVB_BESIDE_CONTEXT] = term_of(&gone, basis_of(plan, KVB_STATED_NON_TORCH, KVB_BASIS_MEASURED));
    budget->beside[KVB_BESIDE_TABLES] = term_of(&tables, KVB_BASIS_MODELLED);
    budget->beside[KVB_BESIDE_GRAPHS] = term_of(&graphs, basis_of(plan, KVB_STATED_CUDA_GRAPH, KVB_BASIS_MODELLED));
    budget->beside[KVB_BESIDE_ACTIVATION] = term_of(&pass, basis_of(plan, KVB_STATED_ACTIVATION, KVB_BASIS_MODELLED));
    budget->beside[KVB_BESIDE_DRAFT] = term_of(&draft, KVB_BASIS_CONFIG);
    budget->graph_actual_bytes = graphs.bytes;
    budget->outside_bytes = plan->gpu_free_stated ? 0 : (int64_t)kvb_held_by_reserves(plan);
    int64_t after_load = 0;
    for (int i = 0; i < KVB_BESIDE_COUNT; i++) {
        budget->outside_bytes += budget->beside[i].bytes;
        after_load += i == KVB_BESIDE_CONTEXT ? 0 : budget->beside[i].bytes;
    }
    budget->slack_bytes = (int64_t)before->bytes - (int64_t)budget->requested_bytes - after_load;
}

// ---- The verdict

// At least what comes after the pool: tables, and the least that graphs and a prefill can be.
static bool room_missing(const struct kvb_sgl_context *context, const struct kvb_estimate *before,
                         const struct kvb_budget *budget, int64_t more_bytes)
{
    uint64_t room = kvb_sgl_outside(before->high_bytes, context->defaults.fraction_ppb);
    int64_t least = more_bytes;
    for (int i = KVB_BESIDE_CONTEXT + 1; i < KVB_BESIDE_COUNT; i++) {
        least += budget->beside[i].low_bytes;
    }
    bool spills = context->plan->platform != KVB_PLATFORM_LINUX || context->plan->gpu.unified_memory;
    return !spills && least > (int64_t)room;
}

static bool crowded_at(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                       const struct kvb_estimate *before, const struct kvb_budget *budget, uint64_t length)
{
    struct kvb_sgl_context longer = *context;
    struct kvb_sgl_pool pool = stage->pool;
    longer.setup.context_tokens = length;
    pool.requests = kvb_sgl_requests(&longer.setup, pool.tokens, pool.state_slots);
    struct kvb_estimate tables = kvb_sgl_tables(&longer, &pool);
    int64_t more = (int64_t)tables.low_bytes - budget->beside[KVB_BESIDE_TABLES].low_bytes;
    return room_missing(context, before, budget, more);
}

// A longer context than this takes a smaller share with ROCm's AITER kernels (fraction.c): the pool at hand says
// nothing of the one a longer request would find.
static uint64_t same_share_tokens(const struct kvb_sgl_context *context)
{
    bool aiter = context->setup.backend == KVB_SGL_BACKEND_AITER && context->setup.release >= KVB_RELEASE(0, 4, 7);
    return aiter && context->setup.context_tokens <= AITER_SHORT_TOKENS ? AITER_SHORT_TOKENS : UINT64_MAX;
}

// Tables of requests grow with the length: up to which the pool's tokens are of use.
static void shorten_for_tables(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                               const struct kvb_estimate *before, struct kvb_budget *budget)
{
    uint64_t high = kvb_min(budget->kv.max_model_len_that_fits, same_share_tokens(context));
    uint64_t low = kvb_min(context->setup.context_tokens, high);
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2; // same: any above low, up to high
        if (crowded_at(context, stage, before, budget, middle)) {
            high = middle - 1;
        } else {
            low = middle;
        }
    }
    budget->kv.max_model_len_that_fits = low;
}

static void check_memory(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                         const struct kvb_estimate *before, struct kvb_budget *budget)
{
    int64_t after_bytes = (int64_t)before->bytes - (int64_t)stage->loaded.bytes;
    bool spills = context->plan->platform != KVB_PLATFORM_LINUX;
    if (after_bytes < 0 || (stage->loading_bytes > before->high_bytes && !spills)) {
        budget->starts = false;
        kvb_sgl_load_error(context, budget->error);
    } else if (stage->pool.refusal != KVB_SGL_STARTS) {
        budget->starts = false;
        kvb_sgl_pool_error(context, &stage->pool, &stage->cell, before->bytes, after_bytes, budget->error);
    } else if (room_missing(context, before, budget, 0)) {
        budget->starts = false;
        kvb_sgl_capture_error(context, budget->error);
    } else {
        shorten_for_tables(context, stage, before, budget);
    }
}

static void judge(const struct kvb_sgl_context *context, struct kvb_budget *budget)
{
    const struct kvb_stated_term *stated = &context->plan->stated[KVB_STATED_KV_NEED];
    const struct kvb_term *pool = &budget->items[KVB_ITEM_KV_CACHE];
    uint64_t wanted = stated->set ? stated->bytes : budget->kv.wanted_bytes;
    budget->needed_bytes = wanted > 0 ? wanted : budget->needed_bytes;
    if (wanted == 0 && context->setup.context_tokens <= budget->kv.tokens) {
        // the engine's own division decides, to the byte
        budget->needed_bytes = kvb_min(budget->needed_bytes, (uint64_t)pool->bytes);
        budget->kv.really_needed_bytes = budget->needed_bytes;
    }
    budget->balance_bytes = pool->bytes - (int64_t)budget->needed_bytes;
    bool certain = pool->low_bytes >= (int64_t)budget->needed_bytes && budget->slack_bytes >= 0;
    certain = certain && !context->plan->draft_unknown;
    // nothing compares the pool with the length: it starts, and a request of full length never runs
    bool cut = budget->balance_bytes < 0;
    budget->verdict = !budget->starts || cut ? KVB_DOES_NOT_FIT : certain ? KVB_FITS : KVB_TIGHT;
}

static void put(struct kvb_budget *budget, enum kvb_setting setting, uint64_t number)
{
    struct kvb_setting_value *value = &budget->settings.values[setting];
    value->origin = value->set != 0 ? value->origin : KVB_ORIGIN_DEFAULT;
    value->number = number;
    value->set = 1;
}

static void publish_settings(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool,
                             struct kvb_budget *budget)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    const struct kvb_sgl_defaults *defaults = &context->defaults;
    bool whole = defaults->chunk_tokens == KVB_SGL_OFF;
    put(budget, KVB_SET_GPU_MEMORY_UTILIZATION, defaults->fraction_ppb / (KVB_SGL_PPB / KVB_PPM));
    put(budget, KVB_SET_MAX_MODEL_LEN, setup->context_tokens);
    if (pool->requests > 0) { // without a pool there are none
        put(budget, KVB_SET_MAX_NUM_SEQS, pool->requests * kvb_sgl_attention_groups(setup));
    }
    put(budget, KVB_SET_MAX_NUM_BATCHED_TOKENS, whole ? 0 : defaults->chunk_tokens);
    put(budget, KVB_SET_ENABLE_CHUNKED_PREFILL, !whole);
    put(budget, KVB_SET_TENSOR_PARALLEL_SIZE, setup->tp);
    put(budget, KVB_SET_PIPELINE_PARALLEL_SIZE, setup->pp);
    put(budget, KVB_SET_DATA_PARALLEL_SIZE, setup->dp);
    put(budget, KVB_SET_ENABLE_DP_ATTENTION, setup->dp_attention);
    put(budget, KVB_SET_DTYPE, (uint64_t)context->dtype + KVB_DTYPE_WORD_BF16);
    put(budget, KVB_SET_KV_CACHE_DTYPE, kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE));
    put(budget, KVB_SET_BLOCK_SIZE, pool->page_tokens);
    put(budget, KVB_SET_ENFORCE_EAGER, setup->no_graphs);
    put(budget, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, defaults->graph_batch);
    put(budget, KVB_SET_ENABLE_PREFIX_CACHING, !setup->no_radix);
    if (setup->draft != KVB_SGL_DRAFT_NONE) {
        put(budget, KVB_SET_NUM_SPECULATIVE_TOKENS, setup->draft_tokens);
    }
}

static enum kvb_status fill(const struct kvb_sgl_context *context, struct kvb_budget *budget,
                            struct kvb_problems *problems, bool quiet)
{
    struct kvb_sgl_stage stage;
    struct kvb_estimate before = kvb_sgl_before(context);
    budget->free_bytes = before.bytes;
    budget->tightest_stage = tightest_stage(context, before.bytes, &stage);
    budget->weights = stage.weights;
    fill_static(context, &stage, &before, budget);
    kvb_sgl_cache_fill(context, &stage, budget);
    fill_outside(context, &stage, &before, budget);
    fill_parts(context, &stage, budget);
    publish_settings(context, &stage.pool, budget);
    if (kvb_is_saturated(budget->needed_bytes) || kvb_is_saturated(stage.loaded.bytes)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OVERFLOW, nowhere,
                               "The sizes in this plan multiply to more than any machine holds; check the model's "
                               "dimensions and the settings.");
    }
    if (budget->starts) {
        check_memory(context, &stage, &before, budget);
    }
    judge(context, budget);
    budget->widest_term = "what is gone before the weights";
    if (!quiet) {
        kvb_sgl_steps(context, &stage.cell, &stage.pool, budget);
        kvb_sgl_warn(context, &stage, budget, problems);
    }
    return KVB_OK;
}

enum kvb_status kvb_sgl_compute(const struct kvb_plan *plan, struct kvb_budget *budget, struct kvb_problems *problems,
                                bool quiet)
{
    struct kvb_sgl_context context;
    memset(budget, 0, sizeof *budget);
    budget->verdict = KVB_DOES_NOT_FIT;
    kvb_sgl_context_init(plan, &context);
    if (plan->need.length_tokens > context.setup.context_tokens) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, nowhere,
                               "--need-len %llu is longer than context_length (%llu): no such request is accepted.",
                               (unsigned long long)plan->need.length_tokens,
                               (unsigned long long)context.setup.context_tokens);
    }
    budget->settings = plan->settings;
    budget->generation = KVB_GENERATION_NONE;
    budget->memory_bytes = plan->gpu.memory_bytes;
    budget->refusal = kvb_sgl_refusal(&context, budget->error);
    budget->starts = budget->refusal == NULL;
    if (!quiet) {
        uint64_t counted = plan->model.checkpoint.parameters;
        budget->parameters = counted > 0 ? counted : kvb_model_parameters(&plan->model);
    }
    bool splits = budget->refusal == NULL || strcmp(budget->refusal, "parallel-split") != 0;
    if (!splits || context.uncounted) {
        budget->uncounted = true;
        return KVB_OK;
    }
    return fill(&context, budget, problems, quiet);
}
