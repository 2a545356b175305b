// What one pipeline stage is charged, term by term, and the pool that leaves.
#include "engines/vllm/terms.h"

#include <string.h>

#include "base/checked.h"
#include "budget/reuse.h"
#include "budget/shapes.h"
#include "budget/weights/weights.h"
#include "engines/vllm/facts.h"
#include "engines/vllm/load.h"
#include "engines/vllm/printed.h"
#include "engines/vllm/residual.h"
#include "engines/vllm/runner.h"
#include "engines/vllm/unknown.h"

#define LOG_ROUNDING_BYTES 5368710U // half a hundredth of a GiB
#define RELEASED_MARGIN 6           // a sixth: three starts and a report lie within a twentieth

bool kvb_charges_others(const struct kvb_context *context)
{
    return kvb_rules_charge_others(&context->rules, context->generation);
}

static uint64_t other_bytes(const struct kvb_context *context)
{
    if (!kvb_charges_others(context)) {
        return 0;
    }
    uint64_t others = kvb_held_by_reserves(context->plan);
    if (others == 0 && context->plan->gpu_free_stated) {
        others = context->memory_bytes - context->free_bytes;
    }
    return others;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a - kvb_min(a, b);
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
    uint64_t low = kvb_max(margin, kvb_mul(bytes / 1000, context->model->assumed_low_ppm) / 1000);
    uint64_t high = kvb_max(margin, kvb_mul(bytes / 1000, context->model->assumed_high_ppm) / 1000);
    return (struct kvb_estimate){bytes, bytes - low, kvb_add(bytes, high)};
}

static void add_estimate(struct kvb_estimate *sum, const struct kvb_estimate *more)
{
    sum->bytes = kvb_add(sum->bytes, more->bytes);
    sum->low_bytes = kvb_add(sum->low_bytes, more->low_bytes);
    sum->high_bytes = kvb_add(sum->high_bytes, more->high_bytes);
}

// Replaces the model of a term by what a run taught about it, and narrows its range.
static void calibrate(const struct kvb_calibration *calibration, uint32_t item, struct kvb_estimate *estimate)
{
    bool nothing = estimate->bytes == 0 && calibration->offset_bytes[item] == 0;
    if (!calibration->set || !calibration->known[item] || nothing) {
        return;
    }
    uint64_t reference = calibration->reference_bytes[item];
    uint64_t moved = kvb_max(estimate->bytes, reference) - kvb_min(estimate->bytes, reference);
    uint64_t margin = LOG_ROUNDING_BYTES + moved / 20;
    int64_t bytes = (int64_t)estimate->bytes + calibration->offset_bytes[item];
    estimate->bytes = kvb_positive(bytes);
    estimate->low_bytes = estimate->bytes - kvb_min(estimate->bytes, margin);
    estimate->high_bytes = kvb_add(estimate->bytes, margin);
}

static void count_once(struct kvb_counted_weights *counted, const struct kvb_load *load, uint32_t stage,
                       struct kvb_weights *weights)
{
    bool same =
        counted != NULL && counted->known && counted->stage == stage && memcmp(&counted->load, load, sizeof *load) == 0;
    if (same) {
        *weights = counted->weights;
        return;
    }
    kvb_weights_count(load, stage, weights);
    if (counted != NULL) {
        *counted = (struct kvb_counted_weights){true, stage, *load, *weights};
    }
}

// Weights depend on what is loaded alone: a plan that only changes settings finds them counted.
static void count_weights(const struct kvb_context *context, const struct kvb_load *load, uint32_t stage,
                          struct kvb_weights *weights)
{
    struct {
        struct kvb_load load;
        uint64_t stage;
    } key = {*load, stage};
    _Static_assert(sizeof key <= KVB_REUSE_KEY_BYTES, "such a key finds a place");
    if (context->plan->reuse == NULL) {
        count_once(context->counted, load, stage, weights);
        return;
    }
    struct kvb_reuse_slot *slot = kvb_reuse_find(context->plan->reuse, KVB_REUSE_WEIGHTS, &key, sizeof key);
    if (slot->used) {
        memcpy(weights, slot->value, sizeof *weights);
        return;
    }
    kvb_weights_count(load, stage, weights);
    kvb_reuse_keep(slot, weights, sizeof *weights);
}

// Loaded asleep-to-be, a model lies in a pool whose empty segments the allocator of sleep mode gives back by itself.
// torch counts them still, so that growth outside torch is less by as much: to 0.26, when growth of used memory counts.
// Source: vllm/device_allocator/cumem.py v0.21.0 to v0.26.0 use_memory_pool, vllm/utils/mem_utils.py v0.27.0:314.
static struct kvb_estimate released(const struct kvb_context *context, const struct kvb_weights *weights)
{
    enum kvb_quantisation_method method = context->model->quantisation.method;
    bool padded = method == KVB_QUANT_NVFP4 || method == KVB_QUANT_MXFP4; // a block that is too small serves no other
    bool counted = weights->stranded_bytes > 0 && kvb_rule(context, KVB_RULE_ACCOUNTING) != KVB_ACCOUNT_FREE_MEMORY;
    if (!counted || kvb_cache_is_fixed(context) || context->plan->stated[KVB_STATED_NON_TORCH].set) {
        return exactly(0);
    }
    uint64_t bytes = weights->stranded_bytes;
    uint64_t experts = padded ? weights->role_bytes[KVB_ROLE_EXPERTS] : 0;
    return (struct kvb_estimate){bytes, bytes - bytes / RELEASED_MARGIN,
                                 kvb_add(kvb_add(bytes, bytes / RELEASED_MARGIN), experts)};
}

// Used memory counts from 0.27, and with it what torch holds in segments that serve nothing as large.
// Source: vllm/utils/mem_utils.py v0.27.0:314.
static struct kvb_estimate expert_rests(const struct kvb_context *context, const struct kvb_weights *weights)
{
    bool counted = context->release >= KVB_RELEASE(0, 27, 0);
    return exactly(counted ? weights->expert_rest_bytes : 0);
}

void kvb_stage_terms_fill(const struct kvb_context *context, uint32_t stage, struct kvb_stage_terms *terms)
{
    struct kvb_activation activation;
    struct kvb_estimate estimate;
    struct kvb_load load;
    kvb_load_fill(context, &load);
    count_weights(context, &load, stage, &terms->weights);
    terms->items[KVB_ITEM_WEIGHTS] =
        stated_or(context, KVB_STATED_WEIGHTS, weights_range(context, terms->weights.total_bytes));
    if (stage + 1 == context->pp && !context->plan->stated[KVB_STATED_WEIGHTS].set) {
        struct kvb_estimate draft = kvb_unknown_draft(context, &terms->weights);
        add_estimate(&terms->items[KVB_ITEM_WEIGHTS], &draft);
    }
    kvb_activation_estimate(context, stage, &activation);
    activation.total.bytes = kvb_add(activation.total.bytes, terms->weights.returning_layer_bytes);
    activation.total.low_bytes = kvb_add(activation.total.low_bytes, terms->weights.returning_layer_bytes);
    activation.total.high_bytes = kvb_add(activation.total.high_bytes, terms->weights.returning_layer_bytes);
    terms->items[KVB_ITEM_ACTIVATION] = stated_or(context, KVB_STATED_ACTIVATION, activation.total);
    terms->released = released(context, &terms->weights);
    kvb_non_torch_estimate(context, &estimate);
    struct kvb_estimate rests = expert_rests(context, &terms->weights);
    add_estimate(&estimate, &rests);
    struct kvb_estimate files = kvb_pinned_files(context, terms->weights.total_bytes);
    add_estimate(&estimate, &files);
    terms->items[KVB_ITEM_NON_TORCH] = stated_or(context, KVB_STATED_NON_TORCH, estimate);
    kvb_graph_charged(context, stage, &estimate);
    terms->items[KVB_ITEM_CUDA_GRAPH] = stated_or(context, KVB_STATED_CUDA_GRAPH, estimate);
    terms->items[KVB_ITEM_RESERVED] = exactly(kvb_reserved_bytes(context));
    terms->items[KVB_ITEM_OTHER] = exactly(other_bytes(context));
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        calibrate(&context->plan->calibration, item, &terms->items[item]);
    }
}

// Terms are not wrong all at once and not all independent either: the widest counts whole, the rest by half.
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
    uint64_t less = terms->released.bytes - terms->released.low_bytes;
    uint64_t more = terms->released.high_bytes - terms->released.bytes;
    *too_low = combined(kvb_add(high_sum, less), kvb_max(high_widest, less));
    *too_high = combined(kvb_add(low_sum, more), kvb_max(low_widest, more));
}

// Starts that fed no figure of ours lie further out than the terms' own margins say.
static void widen(const struct kvb_plan *plan, uint64_t requested_bytes, uint64_t *too_low, uint64_t *too_high)
{
    bool stated = (*too_low | *too_high) == 0; // by the user, term by term
    uint64_t unnamed = stated ? 0 : kvb_mul(requested_bytes, KVB_RESIDUAL_UNNAMED_PPM) / KVB_PPM;
    uint32_t below;
    uint32_t over;
    kvb_residual_factors(plan, &below, &over);
    *too_low = kvb_mul(kvb_add(*too_low, unnamed), below) / 100;
    *too_high = kvb_mul(kvb_add(*too_high, unnamed), over) / 100;
}

void kvb_stage_pool(const struct kvb_context *context, uint64_t requested_bytes, struct kvb_stage_terms *terms)
{
    uint64_t used = 0;
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        used = kvb_add(used, terms->items[item].bytes);
    }
    used = above(used, terms->released.bytes);
    if (kvb_cache_is_fixed(context)) {
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
    if (!context->plan->calibration.set) { // a measured run had this card's total
        uint64_t low = context->gpu->memory_low_bytes > 0 ? context->gpu->memory_low_bytes : context->memory_bytes;
        too_low = kvb_add(too_low, above(context->memory_bytes, low));
        too_high = kvb_add(too_high, above(context->gpu->memory_high_bytes, context->memory_bytes));
        widen(context->plan, requested_bytes, &too_low, &too_high);
    }
    terms->pool_low_bytes = terms->pool_bytes - (int64_t)too_low;
    terms->pool_high_bytes = terms->pool_bytes + (int64_t)too_high;
}

void kvb_stage_fill(const struct kvb_context *context, uint32_t stage, uint64_t requested_bytes,
                    struct kvb_stage_terms *terms)
{
    kvb_stage_terms_fill(context, stage, terms);
    kvb_stage_pool(context, requested_bytes, terms);
}

uint64_t kvb_stage_requested(const struct kvb_context *context)
{
    bool round_up = kvb_rule(context, KVB_RULE_REQUEST_CEIL) != 0;
    return kvb_printed_request(context->memory_bytes, context->utilization_ppm, round_up);
}

void kvb_free_resolve(struct kvb_context *context)
{
    if (context->plan->gpu_free_stated) {
        context->free_bytes = kvb_min(context->plan->gpu_free_bytes, context->memory_bytes);
        return;
    }
    struct kvb_estimate outside;
    kvb_context_estimate(context, &outside);
    uint64_t taken = kvb_add(outside.bytes, kvb_held_by_reserves(context->plan));
    context->free_bytes = above(context->memory_bytes, taken);
}

bool kvb_exceeds_device(const struct kvb_context *context, int64_t peak_bytes)
{
    bool spills = context->plan->platform != KVB_PLATFORM_LINUX || context->gpu->unified_memory;
    return !spills && peak_bytes > (int64_t)context->free_bytes;
}
