// Any engine at all: it takes a share of the card; weights are counted from shapes or stated, what else it needs is
// stated, and the KV cache is what is left. No release is known, no kernel is modelled: what is not stated has a
// bound and is said.
#include "engines/generic/engine.h"

#include <kvbudget/units.h>

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "budget/weights/weights.h"
#include "engines/generic/cache.h"
#include "engines/generic/flags.h"

#define UNSTATED_PARTS 20 // a forward pass nobody stated takes up to 1/20 of the card
#define TENSOR_PARALLEL_MAX 8
#define USUAL_SHARE_PPM 980000U // leaves one part in fifty alone unless another share is said

static const struct kvb_place nowhere = {NULL, 0, 0};

static uint64_t number_or(const struct kvb_plan *plan, enum kvb_setting setting, uint64_t usual)
{
    return kvb_is_set(plan, setting) && kvb_number(plan, setting) > 0 ? kvb_number(plan, setting) : usual;
}

static uint64_t length_of(const struct kvb_plan *plan)
{
    uint64_t asked = number_or(plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    return asked == KVB_AUTO ? plan->model.context_tokens : asked;
}

// Servers take 32-bit weights, or weights whose config does not say, in 16 bits unless they are told otherwise.
static enum kvb_dtype dtype_of(const struct kvb_plan *plan)
{
    uint64_t word = kvb_number(plan, KVB_SET_DTYPE);
    if (word != KVB_DTYPE_AUTO) {
        return (enum kvb_dtype)(word - KVB_DTYPE_WORD_BF16);
    }
    return plan->model.dtype == KVB_DTYPE_FP32 ? KVB_DTYPE_BF16 : plan->model.dtype;
}

static uint64_t request(const struct kvb_plan *plan, uint64_t memory_bytes, uint32_t utilization_ppm)
{
    (void)plan;
    return memory_bytes / KVB_PPM * utilization_ppm + memory_bytes % KVB_PPM * utilization_ppm / KVB_PPM;
}

static struct kvb_term term(uint64_t bytes, uint64_t low, uint64_t high, enum kvb_basis basis)
{
    return (struct kvb_term){(int64_t)bytes, (int64_t)low, (int64_t)high, basis};
}

// A stated term is exact; otherwise the figures given.
static void set_item(const struct kvb_plan *plan, enum kvb_stated stated, const struct kvb_term *otherwise,
                     struct kvb_term *item)
{
    uint64_t bytes = plan->stated[stated].bytes;
    *item = plan->stated[stated].set ? term(bytes, bytes, bytes, KVB_BASIS_STATED) : *otherwise;
}

static void count_weights(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    uint32_t tp = (uint32_t)number_or(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    struct kvb_load load = {.shares_index = true,
                            .model = &plan->model,
                            .dtype = dtype_of(plan),
                            .tp = tp,
                            .pp = 1,
                            .dp = 1,
                            .pcp = 1,
                            .ep = 1};
    load.stage_begin[1] = (uint16_t)plan->model.layer_count;
    kvb_weights_count(&load, 0, &budget->weights);
    uint64_t bytes = budget->weights.total_bytes;
    enum kvb_basis basis = kvb_model_counts_headers(&plan->model) ? KVB_BASIS_CHECKPOINT : KVB_BASIS_CONFIG;
    struct kvb_term counted = term(bytes, bytes - bytes / 50, kvb_add(bytes, bytes / 50), basis);
    set_item(plan, KVB_STATED_WEIGHTS, &counted, &budget->items[KVB_ITEM_WEIGHTS]);
}

static void fill_terms(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    struct kvb_term pass = term(0, 0, plan->gpu.memory_bytes / UNSTATED_PARTS, KVB_BASIS_ASSUMED);
    struct kvb_term context =
        term(KVB_CUDA_CONTEXT_BYTES, KVB_CUDA_CONTEXT_LOW_BYTES, KVB_CUDA_CONTEXT_HIGH_BYTES, KVB_BASIS_ASSUMED);
    struct kvb_term none = term(0, 0, 0, KVB_BASIS_STATED);
    uint64_t reserved = kvb_held_by_reserves(plan);
    count_weights(plan, budget);
    set_item(plan, KVB_STATED_ACTIVATION, &pass, &budget->items[KVB_ITEM_ACTIVATION]);
    set_item(plan, KVB_STATED_NON_TORCH, &context, &budget->items[KVB_ITEM_NON_TORCH]);
    set_item(plan, KVB_STATED_CUDA_GRAPH, &none, &budget->items[KVB_ITEM_CUDA_GRAPH]);
    budget->items[KVB_ITEM_RESERVED] = none;
    budget->items[KVB_ITEM_OTHER] = term(reserved, reserved, reserved, KVB_BASIS_STATED);
}

// What is left of the share: no more than what is free, when that is known.
static void fill_pool(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    struct kvb_term *pool = &budget->items[KVB_ITEM_KV_CACHE];
    int64_t left = (int64_t)budget->requested_bytes;
    *pool = (struct kvb_term){left, left, left, KVB_BASIS_MODELLED};
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        pool->bytes -= budget->items[item].bytes;
        pool->low_bytes -= budget->items[item].high_bytes;
        pool->high_bytes -= budget->items[item].low_bytes;
    }
    if (kvb_number(plan, KVB_SET_KV_CACHE_MEMORY_BYTES) > 0) {
        int64_t stated = (int64_t)kvb_number(plan, KVB_SET_KV_CACHE_MEMORY_BYTES);
        budget->requested_bytes += (uint64_t)(stated - pool->bytes);
        *pool = (struct kvb_term){stated, stated, stated, KVB_BASIS_STATED};
    }
}

static uint64_t share_of(uint64_t pool_bytes, uint64_t tokens, uint64_t need_bytes)
{
    return need_bytes > 0 ? kvb_mul(pool_bytes, tokens) / need_bytes : 0;
}

static void fill_cache(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    struct kvb_kv_cache *kv = &budget->kv;
    const struct kvb_stated_term *need = &plan->stated[KVB_STATED_KV_NEED];
    uint64_t length = length_of(plan);
    uint64_t pool = budget->items[KVB_ITEM_KV_CACHE].bytes > 0 ? (uint64_t)budget->items[KVB_ITEM_KV_CACHE].bytes : 0;
    struct kvb_plain_cache cache = {
        .model = &plan->model,
        .tp = (uint32_t)number_or(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1),
        .element_bytes = kvb_number(plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_FP8 ? 1 : kvb_dtype_bytes(dtype_of(plan))};
    budget->needed_bytes = need->set ? need->bytes : kvb_plain_cache_bytes(&cache, length);
    kv->bytes_per_token = length > 0 ? budget->needed_bytes / length : 0;
    kv->block_tokens = 1;
    kv->bytes_per_block = kv->bytes_per_token;
    kv->blocks_per_request = length;
    kv->tokens = share_of(pool, length, budget->needed_bytes);
    kv->num_blocks = kv->tokens;
    kv->max_concurrency_hundredths = share_of(pool, 100, budget->needed_bytes);
    kv->really_needed_bytes = budget->needed_bytes;
    kv->max_model_len_that_fits = need->set ? 0 : kvb_plain_cache_longest(&cache, pool, plan->model.context_tokens);
}

static void judge(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    const struct kvb_term *pool = &budget->items[KVB_ITEM_KV_CACHE];
    const char *why = "";
    budget->balance_bytes = pool->bytes - (int64_t)budget->needed_bytes;
    budget->slack_bytes = (int64_t)budget->free_bytes - (int64_t)budget->requested_bytes;
    if (budget->slack_bytes < 0) {
        why = "It asks for more memory than is free.";
    } else if (budget->balance_bytes < 0) {
        why = "The KV cache that is left does not hold one request of full length.";
    } else if (length_of(plan) > plan->model.context_tokens) {
        why = "The length is beyond the model's own.";
    }
    budget->starts = why[0] == '\0';
    (void)kvb_copy(budget->error, sizeof budget->error, why);
    bool safe = pool->low_bytes >= (int64_t)budget->needed_bytes;
    budget->verdict = !budget->starts ? KVB_DOES_NOT_FIT : safe ? KVB_FITS : KVB_TIGHT;
}

static void say_unstated(const struct kvb_plan *plan, struct kvb_problems *problems)
{
    if (!plan->stated[KVB_STATED_ACTIVATION].set) {
        (void)kvb_problem_add(
            problems, KVB_NOTICE, KVB_OK, nowhere,
            "what a forward pass takes is not stated, so the cache is the most there can be; an engine "
            "profile says it under terms: activation");
    }
}

static enum kvb_status check(const struct kvb_plan *plan, struct kvb_problems *problems)
{
    uint64_t tp = number_or(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    if (!plan->stated[KVB_STATED_KV_NEED].set && !kvb_plain_cache_knows(&plan->model)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, nowhere,
                               "layers of this model keep a state that every engine lays out in its own way; state the "
                               "need of one request under terms: kv_cache_need");
    }
    for (uint32_t i = 0; i < plan->model.kind_count; i++) {
        if (plan->model.kinds[i].attention.heads % tp != 0) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, nowhere,
                                   "%u attention heads do not divide over %llu GPUs",
                                   (unsigned)plan->model.kinds[i].attention.heads, (unsigned long long)tp);
        }
    }
    return KVB_OK;
}

static void put(struct kvb_budget *budget, enum kvb_setting setting, uint64_t number)
{
    struct kvb_setting_value *value = &budget->settings.values[setting];
    value->origin = value->set != 0 ? value->origin : KVB_ORIGIN_DEFAULT;
    value->number = number;
    value->set = 1;
}

static enum kvb_status compute(const struct kvb_plan *plan, struct kvb_budget *budget, struct kvb_problems *problems,
                               bool quiet)
{
    memset(budget, 0, sizeof *budget);
    budget->verdict = KVB_DOES_NOT_FIT;
    enum kvb_status status = check(plan, problems);
    if (status != KVB_OK) {
        return status;
    }
    uint32_t ppm = (uint32_t)number_or(plan, KVB_SET_GPU_MEMORY_UTILIZATION, USUAL_SHARE_PPM);
    budget->settings = plan->settings;
    budget->generation = KVB_GENERATION_NONE;
    budget->memory_bytes = plan->gpu.memory_bytes;
    budget->free_bytes =
        plan->gpu_free_stated ? kvb_min(plan->gpu_free_bytes, plan->gpu.memory_bytes) : plan->gpu.memory_bytes;
    budget->requested_bytes = request(plan, budget->memory_bytes, ppm);
    put(budget, KVB_SET_GPU_MEMORY_UTILIZATION, ppm);
    put(budget, KVB_SET_MAX_MODEL_LEN, length_of(plan));
    put(budget, KVB_SET_TENSOR_PARALLEL_SIZE, number_or(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1));
    put(budget, KVB_SET_KV_CACHE_DTYPE, kvb_number(plan, KVB_SET_KV_CACHE_DTYPE));
    put(budget, KVB_SET_DTYPE, (uint64_t)dtype_of(plan) + KVB_DTYPE_WORD_BF16);
    fill_terms(plan, budget);
    fill_pool(plan, budget);
    fill_cache(plan, budget);
    if (kvb_is_saturated(budget->needed_bytes) || kvb_is_saturated(budget->weights.total_bytes)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OVERFLOW, nowhere,
                               "The sizes in this plan multiply to more than any machine holds; check the model's "
                               "dimensions and the settings.");
    }
    judge(plan, budget);
    budget->widest_term = kvb_item_row_of(KVB_ITEM_ACTIVATION)->label;
    if (!quiet) {
        budget->parameters = kvb_model_parameters(&plan->model);
        say_unstated(plan, problems);
    }
    return KVB_OK;
}

static enum kvb_status neighbourhood(const struct kvb_plan *plan, struct kvb_neighbourhood *out,
                                     struct kvb_problems *problems)
{
    (void)problems;
    *out = (struct kvb_neighbourhood){.charge = KVB_CHARGE_NOTHING, // its context is one of its terms
                                      .charges_others = true,
                                      .checks_free = true,
                                      .ranks = number_or(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1)};
    return KVB_OK;
}

// ---- What to try

static uint32_t smaller_cache_elements(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                       uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)budget;
    out[0] = KVB_KV_FP8;
    return kvb_number(plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_FP8 ? 0 : 1;
}

static uint32_t shorter(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t out[KVB_CANDIDATES_MAX])
{
    out[0] = budget->kv.max_model_len_that_fits;
    return out[0] > 0 && out[0] < length_of(plan) ? 1 : 0;
}

static uint32_t more_gpus(const struct kvb_plan *plan, const struct kvb_budget *budget,
                          uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    (void)budget;
    for (uint64_t tp = 2 * number_or(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1); tp <= TENSOR_PARALLEL_MAX; tp *= 2) {
        out[count++] = tp;
    }
    return count;
}

static const struct kvb_rung *rungs(size_t *count)
{
    static const struct kvb_rung rows[] = {
        {KVB_SET_KV_CACHE_DTYPE, smaller_cache_elements, false, false, "halves the bytes per token, if it knows them",
         false},
        {KVB_SET_MAX_MODEL_LEN, shorter, false, false, "the longest request that what is left holds", false},
        {KVB_SET_TENSOR_PARALLEL_SIZE, more_gpus, true, false, "splits weights and cache over more GPUs", false},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const struct kvb_engine_rows kvb_generic_engine = {
    .name = "generic",
    .title = "the generic engine",
    .oldest = KVB_RELEASE(1, 0, 0),
    .newest = KVB_RELEASE(1, 0, 0),
    .traits = KVB_SERVE_UNDERSCORES,
    .flag = kvb_generic_flag,
    .compute = compute,
    .neighbourhood = neighbourhood,
    .request = request,
    .rungs = rungs,
};
