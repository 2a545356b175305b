// The sum: requested less everything a release charges is the KV cache, stage by stage.
// Source: vllm/v1/worker/gpu_worker.py determine_available_memory, worker/worker.py.
#include "engines/vllm/compute.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "budget/weights/weights.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/longest.h"
#include "engines/vllm/platforms.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/steps.h"
#include "engines/vllm/terms.h"
#include "engines/vllm/unknown.h"
#include "engines/vllm/verdict.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

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
    if (item == KVB_ITEM_KV_CACHE && kvb_cache_is_fixed(context)) {
        stated = true;
    }
    if (item == KVB_ITEM_WEIGHTS && !stated && context->model->assumed_high_ppm > 0) {
        return KVB_BASIS_ASSUMED;
    }
    if (item == KVB_ITEM_WEIGHTS && !stated && kvb_model_counts_headers(context->model)) {
        return KVB_BASIS_CHECKPOINT;
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
            budget->widest_term = kvb_item_row_of(item)->label;
        }
    }
    budget->items[KVB_ITEM_KV_CACHE] = (struct kvb_term){terms->pool_bytes, terms->pool_low_bytes,
                                                         terms->pool_high_bytes, basis_of(context, KVB_ITEM_KV_CACHE)};
    struct kvb_term *growth = &budget->items[KVB_ITEM_NON_TORCH];
    growth->bytes -= (int64_t)terms->released.bytes;
    growth->low_bytes -= (int64_t)terms->released.high_bytes;
    growth->high_bytes -= (int64_t)terms->released.low_bytes;
    budget->released_bytes = terms->released.bytes;
}

// What a release to come may change, and the cache of a draft model that is not known.
static void publish_unknown(const struct kvb_context *context, struct kvb_budget *budget)
{
    struct kvb_term *cache = &budget->items[KVB_ITEM_KV_CACHE];
    if (kvb_cache_is_fixed(context)) {
        return;
    }
    uint64_t drift = kvb_min(kvb_release_drift(context), INT64_MAX / 4);
    uint64_t draft = kvb_unknown_draft_caches(context) ? kvb_min(budget->needed_bytes, INT64_MAX / 4) : 0;
    cache->low_bytes -= (int64_t)(drift + draft);
    cache->high_bytes += (int64_t)drift;
}

// Blocks that are given are allocated whatever utilization leaves (V0, and V1 where they drive the check).
static void publish_given_blocks(const struct kvb_context *context, struct kvb_budget *budget)
{
    bool drives = context->generation == KVB_GENERATION_V0 || kvb_rule(context, KVB_RULE_OVERRIDE) >= 2;
    uint64_t bytes = kvb_mul(budget->kv.num_blocks, budget->kv.bytes_per_block);
    if (drives && kvb_number(context->plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE) > 0 && bytes > 0) {
        int64_t cache = (int64_t)bytes;
        budget->items[KVB_ITEM_KV_CACHE] = (struct kvb_term){cache, cache, cache, KVB_BASIS_STATED};
    }
}

static uint64_t sum_of_items(const struct kvb_budget *budget)
{
    int64_t sum = 0;
    for (uint32_t item = 0; item < KVB_ITEM_COUNT; item++) {
        sum += budget->items[item].bytes;
    }
    return kvb_positive(sum);
}

static void measure_request(const struct kvb_context *context, struct kvb_budget *budget)
{
    const struct kvb_request *request = &context->plan->request;
    struct kvb_encoder_load load;
    if (!request->set) {
        return;
    }
    kvb_encoder_load_of(context, &load);
    uint64_t image_tokens = request->image_tokens > 0 ? request->image_tokens : load.tokens_per_item;
    uint64_t tokens = kvb_mul(request->images, image_tokens);
    budget->request_tokens = kvb_add(tokens, kvb_add(request->prompt_tokens, request->answer_tokens));
}

static enum kvb_status fill(struct kvb_context *context, struct kvb_budget *budget)
{
    struct kvb_stage_terms terms; // of the last stage, which is mostly the only one
    int64_t pools[KVB_STAGES_MAX] = {0};
    uint64_t requested = kvb_stage_requested(context);
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        kvb_stage_fill(context, stage, requested, &terms);
        pools[stage] = terms.pool_bytes;
        if (kvb_is_saturated(terms.items[KVB_ITEM_WEIGHTS].bytes) ||
            kvb_is_saturated(terms.items[KVB_ITEM_ACTIVATION].high_bytes)) {
            return KVB_OVERFLOW;
        }
    }
    if (context->generation == KVB_GENERATION_V0) {
        kvb_kv_answer_v0(context, pools, budget);
    } else {
        kvb_kv_answer_v1(context, pools, budget);
    }
    budget->kv.max_model_len_that_fits = kvb_longest_start(context);
    if (budget->tightest_stage + 1 != context->pp) {
        kvb_stage_fill(context, budget->tightest_stage, requested, &terms);
    }
    publish_items(context, &terms, budget);
    publish_unknown(context, budget);
    publish_given_blocks(context, budget);
    budget->weights = terms.weights;
    budget->requested_bytes = sum_of_items(budget);
    if (kvb_is_saturated(budget->needed_bytes) || kvb_is_saturated(budget->kv.tokens)) {
        return KVB_OVERFLOW;
    }
    kvb_check_device(context, budget);
    kvb_check_cache(context, budget);
    kvb_check_free(context, requested, budget);
    kvb_check_batch(context, budget);
    kvb_check_length(context, budget);
    kvb_refusal_check(context, budget);
    kvb_refusal_check_layout(context, budget);
    kvb_settle_outside(context, budget);
    kvb_judge(context, budget);
    return KVB_OK;
}

enum kvb_status kvb_vllm_compute(const struct kvb_plan *plan, struct kvb_budget *budget, struct kvb_problems *problems,
                                 bool quiet)
{
    struct kvb_context context;
    struct kvb_counted_weights weights;
    memset(budget, 0, quiet ? offsetof(struct kvb_budget, parts) : sizeof *budget);
    budget->verdict = KVB_DOES_NOT_FIT; // also when the numbers cannot work
    kvb_context_fill(&context, plan);
    weights.known = false;
    context.counted = &weights;
    if (plan->need.length_tokens > context.max_model_len && !context.auto_length) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, nowhere,
                               "--need-len %llu is longer than max_model_len (%llu): no such request is accepted.",
                               (unsigned long long)plan->need.length_tokens, (unsigned long long)context.max_model_len);
    }
    kvb_free_resolve(&context);
    budget->generation = context.generation;
    budget->settings = context.settings;
    budget->memory_bytes = context.memory_bytes;
    budget->free_bytes = context.free_bytes;
    budget->usually_gone_bytes = kvb_platform_usually_gone(&context);
    if (!quiet) {
        uint64_t counted = context.model->checkpoint.parameters;
        budget->parameters = counted > 0 ? counted : kvb_model_parameters(context.model);
    }
    if (context.split_refused) { // nothing else can be counted
        budget->uncounted = true;
        kvb_refusal_check(&context, budget);
        return KVB_OK;
    }
    enum kvb_status status = fill(&context, budget);
    if (status != KVB_OK) {
        return kvb_problem_add(problems, KVB_ERROR, status, nowhere,
                               "The sizes in this plan multiply to more than any machine holds; check the model's "
                               "dimensions and the settings.");
    }
    if (!quiet) {
        measure_request(&context, budget);
        kvb_steps_fill(&context, budget);
        kvb_warn(&context, budget, problems);
    }
    return KVB_OK;
}
