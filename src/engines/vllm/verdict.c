// Whether it starts, what lies outside the request, the verdict and what must be said about it.
#include "engines/vllm/verdict.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/vllm/compile.h"
#include "engines/vllm/compute.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/errors.h"
#include "engines/vllm/load.h"
#include "engines/vllm/load_peak.h"
#include "engines/vllm/overhead.h"
#include "engines/vllm/platforms.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/terms.h"

#define LENGTH_CHECK_SINCE KVB_RELEASE(0, 2, 7)

static const struct kvb_place nowhere = {NULL, 0, 0};

static bool hybrid_check_is_wrong(const struct kvb_context *context, const struct kvb_budget *budget)
{
    return budget->starts && context->generation == KVB_GENERATION_V1 &&
           budget->items[KVB_ITEM_KV_CACHE].bytes < (int64_t)budget->kv.really_needed_bytes;
}

void kvb_check_device(const struct kvb_context *context, struct kvb_budget *budget)
{
    const char *why;
    int64_t loaded = budget->items[KVB_ITEM_WEIGHTS].bytes;
    int64_t growth = budget->items[KVB_ITEM_NON_TORCH].bytes + (int64_t)budget->released_bytes;
    int64_t peak = loaded + budget->items[KVB_ITEM_ACTIVATION].bytes + growth;
    uint64_t extra = kvb_max(kvb_load_extra(context, &budget->weights, &why), budget->weights.stranded_bytes);
    budget->load_peak_bytes = kvb_add((uint64_t)loaded, extra);
    if (kvb_exceeds_device(context, (int64_t)kvb_min(budget->load_peak_bytes, INT64_MAX))) {
        budget->starts = false;
        kvb_error_load(context, budget->error);
        budget->fails_loading = true;
    } else if (kvb_exceeds_device(context, peak)) {
        budget->starts = false;
        kvb_error_profile(context, budget->error);
    }
}

// A cache is allocated without asking what is free, be it of a stated size, of stated blocks, or of what a share of the
// card leaves beside growth since the start: weights and non-torch memory at their least stand beside it. Source:
// vllm/worker/worker.py v0.6.3 determine_num_available_blocks, vllm/v1/worker/gpu_worker.py determine_available_memory.
void kvb_check_cache(const struct kvb_context *context, struct kvb_budget *budget)
{
    int64_t growth = budget->items[KVB_ITEM_NON_TORCH].low_bytes + (int64_t)budget->released_bytes;
    int64_t beside = budget->items[KVB_ITEM_WEIGHTS].low_bytes + (int64_t)kvb_positive(growth);
    uint64_t cache = kvb_mul(budget->kv.num_blocks, budget->kv.bytes_per_block);
    if (budget->starts && kvb_exceeds_device(context, (int64_t)kvb_min(kvb_add(cache, (uint64_t)beside), INT64_MAX))) {
        budget->starts = false;
        kvb_error_profile(context, budget->error);
    }
}

static bool is_too_long(const struct kvb_context *context)
{
    return kvb_is_set(context->plan, KVB_SET_MAX_MODEL_LEN) && context->max_model_len > context->longest_taken &&
           context->release >= LENGTH_CHECK_SINCE && context->plan->environment.allow_long_max_model_len != KVB_YES;
}

// Source: vllm/config.py _get_and_verify_max_len. Where the cache's size is given the plan answers for that cache.
void kvb_check_length(const struct kvb_context *context, struct kvb_budget *budget)
{
    if (is_too_long(context) && !kvb_cache_is_fixed(context)) {
        budget->starts = false;
        budget->refusal = "max-model-len";
        kvb_error_long_length(context, budget->error);
    }
}

// The scheduler's configuration is checked before anything is loaded.
void kvb_check_batch(const struct kvb_context *context, struct kvb_budget *budget)
{
    if (context->max_num_batched_tokens < context->max_num_seqs) {
        budget->starts = false;
        budget->refusal = "max-num-batched-tokens";
        kvb_error_few_tokens(context, budget->error);
    } else if (kvb_prompts_are_whole(context) && context->max_num_batched_tokens < context->max_model_len) {
        budget->starts = false;
        budget->refusal = "max-num-batched-tokens";
        kvb_error_short_batch(context, budget->error);
    }
}

void kvb_check_free(const struct kvb_context *context, uint64_t requested_bytes, struct kvb_budget *budget)
{
    bool checked = context->generation == KVB_GENERATION_V1 && kvb_rule(context, KVB_RULE_FREE_CHECK) > 0;
    if (checked && context->free_bytes < requested_bytes) {
        budget->starts = false;
        kvb_error_not_free(context, requested_bytes, budget->error);
    }
}

void kvb_settle_outside(const struct kvb_context *context, struct kvb_budget *budget)
{
    struct kvb_estimate outside;
    struct kvb_estimate graphs;
    kvb_graph_actual(context, budget->tightest_stage, &graphs);
    budget->graph_actual_bytes = graphs.bytes;
    kvb_context_estimate(context, &outside);
    int64_t uncharged = (int64_t)graphs.bytes - budget->items[KVB_ITEM_CUDA_GRAPH].bytes;
    budget->outside_bytes = (int64_t)(kvb_positive(uncharged) + budget->released_bytes);
    int64_t free_bytes = (int64_t)context->free_bytes;
    if (context->plan->gpu_free_stated) {
        free_bytes -= (int64_t)outside.bytes;
    }
    budget->slack_bytes = free_bytes - (int64_t)budget->requested_bytes - budget->outside_bytes;
    budget->outside_bytes += (int64_t)outside.bytes;
    if (!kvb_charges_others(context)) {
        budget->outside_bytes += (int64_t)kvb_held_by_reserves(context->plan);
    }
}

static uint64_t wanted_bytes(const struct kvb_context *context, const struct kvb_budget *budget)
{
    const struct kvb_stated_term *stated = &context->plan->stated[KVB_STATED_KV_NEED];
    return stated->set ? stated->bytes : budget->kv.wanted_bytes;
}

void kvb_judge(const struct kvb_context *context, struct kvb_budget *budget)
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
        bool assumed = context->plan->draft_unknown || kvb_class_by_transformers(context) ||
                       kvb_platform_leaves_less(context, budget);
        bool certain = cache->low_bytes >= (int64_t)budget->needed_bytes && !assumed;
        budget->verdict = certain ? KVB_FITS : KVB_TIGHT;
    }
}

static void warn_of_length(const struct kvb_context *context, struct kvb_problems *problems)
{
    if (is_too_long(context) && kvb_cache_is_fixed(context)) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "max_model_len (%llu) is longer than the model's own maximum (%llu): the engine refuses "
                              "it unless VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 is set.",
                              (unsigned long long)context->max_model_len, (unsigned long long)context->longest_taken);
    }
    const struct kvb_setting_value *asked = &context->plan->settings.values[KVB_SET_MAX_MODEL_LEN];
    if (asked->set && asked->number == KVB_AUTO && kvb_rule(context, KVB_RULE_AUTO_LENGTH) == 0) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "max_model_len auto exists from vLLM 0.14.0; this release would refuse it.");
    }
}

// What a second start gains when this one is counted as a first.
static void note_first_start(const struct kvb_context *context, const struct kvb_budget *budget,
                             struct kvb_problems *problems)
{
    struct kvb_activation activation;
    kvb_activation_estimate(context, budget->tightest_stage, &activation);
    bool peak = activation.winner == KVB_PHASE_COMPILE && !context->plan->stated[KVB_STATED_ACTIVATION].set &&
                !context->plan->calibration.known[KVB_ITEM_ACTIVATION];
    bool stays =
        !context->plan->stated[KVB_STATED_NON_TORCH].set && !context->plan->calibration.known[KVB_ITEM_NON_TORCH];
    uint64_t rest = stays ? kvb_compile_rest_bytes(context) : 0;
    bool counted = (peak || rest > 0) && !kvb_cache_is_fixed(context);
    if (counted && context->plan->compile_cache == KVB_COMPILE_UNKNOWN) {
        char more[32];
        uint64_t bytes = kvb_add(peak ? activation.total.bytes - activation.cached_bytes : 0, rest);
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "Counted as a first start, which compiles inside the profile run; one that finds the "
                              "compiled graphs of an earlier start has %s GiB more for the KV cache (--compile-cache "
                              "warm).",
                              kvb_format_gib(more, (int64_t)bytes, 2));
    }
}

// What stands on the card while loading where the weights alone would find room.
static void explain_load(const struct kvb_context *context, const struct kvb_budget *budget,
                         struct kvb_problems *problems)
{
    const char *why;
    char peak[32], free_gib[32];
    bool alone = budget->items[KVB_ITEM_WEIGHTS].bytes <= (int64_t)context->free_bytes;
    if (kvb_load_extra(context, &budget->weights, &why) < budget->weights.stranded_bytes) {
        why = "of the pool that sleep mode loads into nothing goes back before all is loaded";
    }
    if (why != NULL && alone && kvb_exceeds_device(context, (int64_t)kvb_min(budget->load_peak_bytes, INT64_MAX))) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "While the weights load, %s GiB stand on the card at once and %s are free: %s.",
                              kvb_format_gib(peak, (int64_t)budget->load_peak_bytes, 2),
                              kvb_format_gib(free_gib, (int64_t)context->free_bytes, 2), why);
    }
}

static void note_released(const struct kvb_budget *budget, struct kvb_problems *problems)
{
    if (budget->released_bytes > 0) {
        char gib[32];
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "With sleep mode this release takes %s GiB for the allocator's that loading has given "
                              "back already: its non-torch memory is less by as much (a negative figure in its log), "
                              "and the KV cache that much larger than the share leaves room for. From 0.27 it does "
                              "not.",
                              kvb_format_gib(gib, (int64_t)budget->released_bytes, 2));
    }
}

static void note_class(const struct kvb_context *context, struct kvb_problems *problems)
{
    if (kvb_class_by_transformers(context)) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_ASSUMED, nowhere,
                              "vLLM of this release has no class %s and falls back to the one of the transformers "
                              "library: it starts only if the transformers installed beside it has that class and "
                              "marks it as compatible, which is not known here, so the answer is tight at best",
                              context->model->architecture);
    }
}

static void note_item(const struct kvb_context *context, struct kvb_problems *problems)
{
    if (kvb_encoder_is_unsized(context)) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "How large an item vLLM gives to the encoder of %s in its profile run is not known here: "
                              "its weights are counted, but not what that pass takes, so the pool may be smaller.",
                              context->model->architecture);
    }
}

void kvb_warn(const struct kvb_context *context, const struct kvb_budget *budget, struct kvb_problems *problems)
{
    kvb_platform_note(context, budget, problems);
    note_class(context, problems);
    note_item(context, problems);
    kvb_warn_of_packages(context, problems);
    note_first_start(context, budget, problems);
    note_released(budget, problems);
    explain_load(context, budget, problems);
    if (hybrid_check_is_wrong(context, budget)) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "This release checks only part of the layers: it starts, but a request of max_model_len "
                              "(%llu) needs more KV cache than there is and can never run.",
                              (unsigned long long)context->max_model_len);
    }
    warn_of_length(context, problems);
    if (budget->fails_loading && kvb_error_hints_at_share(context)) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "The first advice of that error does nothing: utilization plays no part while weights "
                              "load.");
    }
    if (budget->starts && budget->slack_bytes < 0) {
        (void)kvb_problem_add(
            problems, KVB_WARNING, KVB_OK, nowhere,
            "What the device holds beyond the request (context, communication buffers, CUDA graphs) "
            "exceeds what utilization leaves; an out-of-memory error may follow the start. A lower "
            "utilization helps; quantising or more GPUs alone do not, as the KV cache takes what they "
            "free.");
    }
    if (budget->request_tokens > context->max_model_len) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "The request of --request is %llu tokens, more than max_model_len (%llu): it would be "
                              "refused whatever the memory.",
                              (unsigned long long)budget->request_tokens, (unsigned long long)context->max_model_len);
    }
    if (kvb_ignores_offload(context) && (kvb_number(context->plan, KVB_SET_CPU_OFFLOAD_GB) > 0 ||
                                         context->plan->plain_numbers[KVB_PLAIN_OFFLOAD_GROUP].number > 0)) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "This release's runner V2 offloads no weights and does not say so: all of them stay on "
                              "the GPU (vllm#51396). VLLM_USE_V2_MODEL_RUNNER=0 or release 0.28.0 moves them.");
    }
    if (context->plan->environment.use_v1 == KVB_NO && kvb_rule(context, KVB_RULE_V1_AVAILABLE) == 2) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "VLLM_USE_V1=0 has no effect: this release has no V0 engine.");
    }
}
