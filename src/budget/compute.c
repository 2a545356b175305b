// The sum: requested less everything a release charges is the KV cache, stage by stage.
// Source: vllm/v1/worker/gpu_worker.py determine_available_memory, worker/worker.py.
#include "budget/compute.h"

#include <string.h>

#include "base/checked.h"
#include "budget/encoder_items.h"
#include "budget/errors.h"
#include "budget/kv.h"
#include "budget/printed.h"
#include "budget/steps.h"
#include "budget/weights.h"

#define UTILIZATION_STEP_PPM 10000U
#define UTILIZATION_MAX_PPM 980000U

static const struct kvb_place nowhere = {NULL, 0, 0};

static uint64_t reserved_by_others(const struct kvb_context *context)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < context->plan->reserve_count; i++) {
        bytes = kvb_add(bytes, context->plan->reserves[i].bytes);
    }
    return bytes;
}

// Free memory as the engine first sees it: the device less its own context and everybody else.
static void resolve_free(struct kvb_context *context)
{
    if (context->plan->gpu_free_stated) {
        context->free_bytes = kvb_min(context->plan->gpu_free_bytes, context->memory_bytes);
        return;
    }
    struct kvb_estimate outside;
    kvb_context_estimate(context, &outside);
    uint64_t taken = kvb_add(outside.bytes, reserved_by_others(context));
    context->free_bytes = context->memory_bytes > taken ? context->memory_bytes - taken : 0;
}

static bool charges_others(const struct kvb_context *context)
{
    if (context->generation == KVB_GENERATION_V1) {
        return kvb_rule(context, KVB_RULE_ACCOUNTING) == KVB_ACCOUNT_DEVICE_WIDE;
    }
    uint32_t rule = kvb_rule(context, KVB_RULE_ACCOUNTING_V0);
    return rule == KVB_V0_DEVICE_USED || rule == KVB_V0_DEVICE_WIDE;
}

static uint64_t other_bytes(const struct kvb_context *context)
{
    if (!charges_others(context)) {
        return 0;
    }
    uint64_t others = reserved_by_others(context);
    if (others == 0 && context->plan->gpu_free_stated) {
        others = context->memory_bytes - context->free_bytes;
    }
    return others;
}

static struct kvb_estimate exactly(uint64_t bytes)
{
    return (struct kvb_estimate){bytes, bytes, bytes};
}

static struct kvb_estimate stated_or(const struct kvb_context *context, enum kvb_stated term,
                                     struct kvb_estimate estimate)
{
    const struct kvb_stated_term *stated = &context->plan->stated[term];
    return stated->set ? exactly(stated->bytes) : estimate;
}

static struct kvb_estimate weights_range(const struct kvb_context *context, uint64_t bytes)
{
    uint64_t margin = bytes / 200;
    enum kvb_quantisation_method method = context->model->quantisation.method;
    if (method == KVB_QUANT_MXFP4 || method == KVB_QUANT_NVFP4 || method == KVB_QUANT_BNB4) {
        margin = bytes / 20; // the kernel's padding depends on what is installed
    }
    return (struct kvb_estimate){bytes, bytes - margin, kvb_add(bytes, margin)};
}

static void stage_terms(const struct kvb_context *context, uint32_t stage, struct kvb_stage_terms *terms)
{
    struct kvb_weights weights;
    struct kvb_activation activation;
    struct kvb_estimate estimate;
    kvb_weights_count(context, stage, &weights);
    terms->items[KVB_ITEM_WEIGHTS] =
        stated_or(context, KVB_STATED_WEIGHTS, weights_range(context, weights.total_bytes));
    kvb_activation_estimate(context, stage, &activation);
    activation.total.bytes = kvb_add(activation.total.bytes, weights.returning_layer_bytes);
    activation.total.low_bytes = kvb_add(activation.total.low_bytes, weights.returning_layer_bytes);
    activation.total.high_bytes = kvb_add(activation.total.high_bytes, weights.returning_layer_bytes);
    terms->items[KVB_ITEM_ACTIVATION] = stated_or(context, KVB_STATED_ACTIVATION, activation.total);
    kvb_non_torch_estimate(context, &estimate);
    terms->items[KVB_ITEM_NON_TORCH] = stated_or(context, KVB_STATED_NON_TORCH, estimate);
    kvb_graph_charged(context, stage, &estimate);
    terms->items[KVB_ITEM_CUDA_GRAPH] = stated_or(context, KVB_STATED_CUDA_GRAPH, estimate);
    terms->items[KVB_ITEM_RESERVED] = exactly(kvb_reserved_bytes(context));
    terms->items[KVB_ITEM_OTHER] = exactly(other_bytes(context));
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        kvb_calibration_apply(&context->plan->calibration, item, &terms->items[item]);
    }
}

static bool fixed_cache(const struct kvb_context *context)
{
    return kvb_is_set(context->plan, KVB_SET_KV_CACHE_MEMORY_BYTES) &&
           kvb_number(context->plan, KVB_SET_KV_CACHE_MEMORY_BYTES) > 0;
}

// Margins of independent terms: the widest counts whole, the others by half, as they rarely err together.
static uint64_t combined(uint64_t sum, uint64_t widest)
{
    return widest + (sum - widest) / 2;
}

static void margins(const struct kvb_stage_terms *terms, uint64_t *too_low, uint64_t *too_high)
{
    uint64_t low_sum = 0;
    uint64_t low_widest = 0;
    uint64_t high_sum = 0;
    uint64_t high_widest = 0;
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        uint64_t under = terms->items[item].bytes - terms->items[item].low_bytes;
        uint64_t over = terms->items[item].high_bytes - terms->items[item].bytes;
        low_sum = kvb_add(low_sum, under);
        high_sum = kvb_add(high_sum, over);
        low_widest = kvb_max(low_widest, under);
        high_widest = kvb_max(high_widest, over);
    }
    *too_low = combined(high_sum, high_widest);
    *too_high = combined(low_sum, low_widest);
}

static int64_t above(uint64_t a, uint64_t b)
{
    return a > b ? (int64_t)(a - b) : 0;
}

static void stage_pool(const struct kvb_context *context, uint64_t requested_bytes, struct kvb_stage_terms *terms)
{
    uint64_t used = 0;
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        used = kvb_add(used, terms->items[item].bytes);
    }
    if (fixed_cache(context)) {
        terms->pool_bytes = (int64_t)kvb_number(context->plan, KVB_SET_KV_CACHE_MEMORY_BYTES);
        terms->pool_low_bytes = terms->pool_bytes;
        terms->pool_high_bytes = terms->pool_bytes;
        return;
    }
    terms->pool_bytes = kvb_balance(requested_bytes, used);
    if (!kvb_rule(context, KVB_RULE_REQUEST_CEIL)) {
        terms->pool_bytes = kvb_printed_pool(context->memory_bytes, context->utilization_ppm, used);
    }
    uint64_t too_low = 0;
    uint64_t too_high = 0;
    margins(terms, &too_low, &too_high);
    terms->pool_low_bytes = terms->pool_bytes - (int64_t)too_low;
    terms->pool_high_bytes = terms->pool_bytes + (int64_t)too_high;
    if (!context->plan->calibration.set) { // a measured run had this card's total
        uint64_t low = context->gpu->memory_low_bytes > 0 ? context->gpu->memory_low_bytes : context->memory_bytes;
        terms->pool_low_bytes -= above(context->memory_bytes, low);
        terms->pool_high_bytes += above(context->gpu->memory_high_bytes, context->memory_bytes);
    }
}

static enum kvb_basis basis_of(const struct kvb_context *context, enum kvb_item item)
{
    static const enum kvb_basis bases[KVB_ITEM_COUNT] = {
        [KVB_ITEM_WEIGHTS] = KVB_BASIS_CONFIG,     [KVB_ITEM_ACTIVATION] = KVB_BASIS_MODELLED,
        [KVB_ITEM_NON_TORCH] = KVB_BASIS_MEASURED, [KVB_ITEM_CUDA_GRAPH] = KVB_BASIS_MODELLED,
        [KVB_ITEM_RESERVED] = KVB_BASIS_EXACT,     [KVB_ITEM_OTHER] = KVB_BASIS_STATED,
        [KVB_ITEM_KV_CACHE] = KVB_BASIS_MODELLED,
    };
    if (item < KVB_ITEM_KV_CACHE && context->plan->calibration.set && context->plan->calibration.known[item]) {
        return KVB_BASIS_MEASURED;
    }
    bool stated = (uint32_t)item < (uint32_t)KVB_STATED_KV_NEED && context->plan->stated[item].set;
    if (item == KVB_ITEM_KV_CACHE && fixed_cache(context)) {
        stated = true;
    }
    return stated ? KVB_BASIS_STATED : bases[item];
}

static void publish_items(const struct kvb_context *context, const struct kvb_stage_terms *terms,
                          struct kvb_budget *budget)
{
    uint64_t widest = 0;
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        const struct kvb_estimate *estimate = &terms->items[item];
        budget->items[item] = (struct kvb_term){(int64_t)estimate->bytes, (int64_t)estimate->low_bytes,
                                                (int64_t)estimate->high_bytes, basis_of(context, (enum kvb_item)item)};
        uint64_t width = estimate->high_bytes - estimate->low_bytes;
        if (width > widest) {
            widest = width;
            budget->widest_term = kvb_item_rows[item].label;
        }
    }
    budget->items[KVB_ITEM_KV_CACHE] = (struct kvb_term){terms->pool_bytes, terms->pool_low_bytes,
                                                         terms->pool_high_bytes, basis_of(context, KVB_ITEM_KV_CACHE)};
}

// The request as the items add up to it: exact for this release's rounding.
static uint64_t sum_of_items(const struct kvb_budget *budget)
{
    int64_t sum = 0;
    for (uint32_t item = 0; item < KVB_ITEM_COUNT; item++) {
        sum += budget->items[item].bytes;
    }
    return sum > 0 ? (uint64_t)sum : 0;
}

static void settle_outside(const struct kvb_context *context, struct kvb_budget *budget)
{
    struct kvb_estimate outside;
    struct kvb_estimate graphs;
    kvb_graph_actual(context, budget->tightest_stage, &graphs);
    budget->graph_actual_bytes = graphs.bytes;
    kvb_context_estimate(context, &outside);
    int64_t uncharged = (int64_t)graphs.bytes - budget->items[KVB_ITEM_CUDA_GRAPH].bytes;
    budget->outside_bytes = (uncharged > 0 ? uncharged : 0);
    int64_t free_bytes = (int64_t)context->free_bytes;
    if (context->plan->gpu_free_stated) {
        free_bytes -= (int64_t)outside.bytes;
    }
    budget->slack_bytes = free_bytes - (int64_t)budget->requested_bytes - budget->outside_bytes;
    budget->outside_bytes += (int64_t)outside.bytes;
    if (!charges_others(context)) {
        budget->outside_bytes += (int64_t)reserved_by_others(context);
    }
}

static bool hybrid_check_is_wrong(const struct kvb_context *context, const struct kvb_budget *budget)
{
    return budget->starts && context->generation == KVB_GENERATION_V1 &&
           budget->kv.really_needed_bytes > budget->needed_bytes &&
           budget->items[KVB_ITEM_KV_CACHE].bytes < (int64_t)budget->kv.really_needed_bytes;
}

static void check_free(const struct kvb_context *context, uint64_t requested_bytes, struct kvb_budget *budget)
{
    bool checked = context->generation == KVB_GENERATION_V1 && kvb_rule(context, KVB_RULE_FREE_CHECK) > 0;
    if (checked && context->free_bytes < requested_bytes) {
        budget->starts = false;
        kvb_error_not_free(context, requested_bytes, budget->error);
    }
}

// What must fit: what the deployment states, what --need-... asks, else one request by the release's check.
static uint64_t wanted_bytes(const struct kvb_context *context, const struct kvb_budget *budget)
{
    const struct kvb_stated_term *stated = &context->plan->stated[KVB_STATED_KV_NEED];
    return stated->set ? stated->bytes : budget->kv.wanted_bytes;
}

// On Linux an allocation that does not fit ends the start before the cache is sized; WDDM spills instead.
static void check_device(const struct kvb_context *context, struct kvb_budget *budget)
{
    int64_t loaded = budget->items[KVB_ITEM_WEIGHTS].bytes;
    int64_t peak = loaded + budget->items[KVB_ITEM_ACTIVATION].bytes + budget->items[KVB_ITEM_NON_TORCH].bytes;
    bool spills = context->plan->platform != KVB_PLATFORM_LINUX || context->gpu->unified_memory;
    if (spills || peak <= (int64_t)context->free_bytes) {
        return;
    }
    budget->starts = false;
    if (loaded > (int64_t)context->free_bytes) {
        kvb_error_load(context, budget->error);
    } else {
        kvb_error_profile(context, budget->error);
    }
}

static void judge(const struct kvb_context *context, struct kvb_budget *budget)
{
    const struct kvb_term *cache = &budget->items[KVB_ITEM_KV_CACHE];
    uint64_t wanted = wanted_bytes(context, budget);
    bool never_runs = hybrid_check_is_wrong(context, budget);
    if (wanted > 0) {
        budget->needed_bytes = wanted;
        budget->balance_bytes = cache->bytes - (int64_t)wanted;
    }
    bool short_of_wish = wanted > 0 && budget->balance_bytes < 0;
    if (!budget->starts || never_runs || short_of_wish) {
        budget->verdict = KVB_DOES_NOT_FIT;
    } else {
        budget->verdict = cache->low_bytes >= (int64_t)budget->needed_bytes ? KVB_FITS : KVB_TIGHT;
    }
}

static void measure_request(const struct kvb_context *context, struct kvb_budget *budget)
{
    const struct kvb_request *request = &context->plan->request;
    struct kvb_encoder_load load;
    if (!request->set) {
        return;
    }
    kvb_encoder_load(context, &load);
    uint64_t image_tokens = request->image_tokens > 0 ? request->image_tokens : load.tokens_per_item;
    uint64_t tokens = kvb_mul(request->images, image_tokens);
    budget->request_tokens = kvb_add(tokens, kvb_add(request->prompt_tokens, request->answer_tokens));
}

static void warn(const struct kvb_context *context, const struct kvb_budget *budget, struct kvb_problems *problems)
{
    if (hybrid_check_is_wrong(context, budget)) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "This release checks only part of the layers: it starts, but a request of max_model_len "
                              "(%llu) needs more KV cache than there is and can never run.",
                              (unsigned long long)context->max_model_len);
    }
    if (context->max_model_len > context->model->context_tokens &&
        context->plan->environment.allow_long_max_model_len != KVB_YES) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "max_model_len (%llu) is longer than the model's own maximum (%llu): the engine refuses "
                              "it unless VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 is set.",
                              (unsigned long long)context->max_model_len,
                              (unsigned long long)context->model->context_tokens);
    }
    if (strncmp(budget->error, "Failed to load model", 20) == 0) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "The first advice of that error does nothing: utilization plays no part while weights "
                              "load.");
    }
    if (budget->starts && budget->slack_bytes < 0) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "What the device holds beyond the request (context, communication buffers, CUDA graphs) "
                              "exceeds what utilization leaves; expect an out-of-memory error after start-up.");
    }
    if (budget->request_tokens > context->max_model_len) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "The request of --request is %llu tokens, more than max_model_len (%llu): it would be "
                              "refused whatever the memory.",
                              (unsigned long long)budget->request_tokens, (unsigned long long)context->max_model_len);
    }
    if (context->plan->environment.use_v1 == KVB_NO && kvb_rule(context, KVB_RULE_V1_AVAILABLE) == 2) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "VLLM_USE_V1=0 has no effect: this release has no V0 engine.");
    }
}

static uint64_t requested_of(const struct kvb_context *context)
{
    bool round_up = kvb_rule(context, KVB_RULE_REQUEST_CEIL) != 0;
    return kvb_printed_request(context->memory_bytes, context->utilization_ppm, round_up);
}

static enum kvb_status fill(struct kvb_context *context, struct kvb_budget *budget)
{
    struct kvb_stage_terms terms[KVB_STAGES_MAX];
    int64_t pools[KVB_STAGES_MAX] = {0};
    uint64_t requested = requested_of(context);
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        stage_terms(context, stage, &terms[stage]);
        stage_pool(context, requested, &terms[stage]);
        pools[stage] = terms[stage].pool_bytes;
        if (kvb_is_saturated(terms[stage].items[KVB_ITEM_WEIGHTS].bytes) ||
            kvb_is_saturated(terms[stage].items[KVB_ITEM_ACTIVATION].high_bytes)) {
            return KVB_OVERFLOW;
        }
    }
    if (context->generation == KVB_GENERATION_V0) {
        kvb_kv_answer_v0(context, pools, budget);
    } else {
        kvb_kv_answer_v1(context, pools, budget);
    }
    publish_items(context, &terms[budget->tightest_stage], budget);
    kvb_weights_count(context, budget->tightest_stage, &budget->weights);
    budget->requested_bytes = sum_of_items(budget);
    if (kvb_is_saturated(budget->needed_bytes) || kvb_is_saturated(budget->kv.tokens)) {
        return KVB_OVERFLOW;
    }
    check_device(context, budget);
    check_free(context, requested, budget);
    settle_outside(context, budget);
    judge(context, budget);
    return KVB_OK;
}

static enum kvb_status compute(const struct kvb_plan *plan, struct kvb_budget *budget, struct kvb_problems *problems,
                               bool quiet)
{
    struct kvb_context context;
    memset(budget, 0, sizeof *budget);
    enum kvb_status status = kvb_context_init(&context, plan, problems);
    if (status == KVB_OK && plan->need.length_tokens > context.max_model_len && !context.auto_length) {
        status =
            kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, nowhere,
                            "--need-len %llu is longer than max_model_len (%llu): no such request is accepted.",
                            (unsigned long long)plan->need.length_tokens, (unsigned long long)context.max_model_len);
    }
    if (status != KVB_OK) {
        return status;
    }
    resolve_free(&context);
    budget->generation = context.generation;
    budget->settings = context.settings;
    budget->memory_bytes = context.memory_bytes;
    budget->free_bytes = context.free_bytes;
    status = fill(&context, budget);
    if (status != KVB_OK) {
        return kvb_problem_add(problems, KVB_ERROR, status, nowhere,
                               "The sizes in this plan multiply to more than any machine holds; check the model's "
                               "dimensions and the settings.");
    }
    if (!quiet) {
        budget->parameters = kvb_model_parameters(context.model);
        measure_request(&context, budget);
        kvb_steps_fill(&context, budget);
        warn(&context, budget, problems);
    }
    return KVB_OK;
}

enum kvb_status kvb_budget_compute(const struct kvb_plan *plan, struct kvb_budget *budget,
                                   struct kvb_problems *problems)
{
    return compute(plan, budget, problems, false);
}

bool kvb_budget_quietly(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    return compute(plan, budget, &problems, true) == KVB_OK;
}

uint32_t kvb_highest_utilization(const struct kvb_budget *budget)
{
    int64_t room = (int64_t)budget->requested_bytes + budget->slack_bytes;
    int64_t most = room < (int64_t)budget->free_bytes ? room : (int64_t)budget->free_bytes;
    if (most <= 0 || budget->memory_bytes == 0) {
        return 0;
    }
    uint64_t ppm = (uint64_t)most / (budget->memory_bytes / 1000000U + 1);
    ppm = kvb_min(ppm, UTILIZATION_MAX_PPM);
    return (uint32_t)(ppm / UTILIZATION_STEP_PPM * UTILIZATION_STEP_PPM);
}
