// A plan made ready for arithmetic: generation, sizes, stages and effective settings.
// Source: vllm/config/*.py, engine/arg_utils.py, distributed/utils.py get_pp_indices.
#include "engines/vllm/context.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "budget/reuse.h"
#include "engines/vllm/compile.h"
#include "engines/vllm/defaults.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/serve.h"
#include "engines/vllm/splits.h"
#include "engines/vllm/v1_oracle.h"

#define NEW_KV_CONNECTORS KVB_RELEASE(0, 23, 0)
#define ASYNC_WITH_STAGES 2
#define ASYNC_WITH_DRAFT_MODELS 3
#define POOLS_IN_STEP_SINCE KVB_RELEASE(0, 20, 0) // config/vllm.py v0.20.0: runner_type "pooling"

// Before 0.11 a feature that V1 lacks or only tries brought V0 back; VLLM_USE_V1=1 with one it lacks is refused
// elsewhere.
static enum kvb_generation generation_of(const struct kvb_context *context)
{
    uint8_t asked = context->plan->environment.use_v1;
    switch (kvb_rule(context, KVB_RULE_V1_AVAILABLE)) {
    case 2:
        return KVB_GENERATION_V1;
    case 0:
        return KVB_GENERATION_V0;
    default:
        break;
    }
    if (asked != KVB_UNSET) {
        return asked == KVB_YES ? KVB_GENERATION_V1 : KVB_GENERATION_V0;
    }
    bool lacks = kvb_v1_lacks(context) != NULL || kvb_v1_tries(context) != NULL;
    return kvb_rule(context, KVB_RULE_GENERATION) && !lacks ? KVB_GENERATION_V1 : KVB_GENERATION_V0;
}

// Source: vllm/config/model.py v0.12.0:828-865 _get_default_runner_type.
bool kvb_vllm_plan_pools(const struct kvb_plan *plan)
{
    uint64_t runner = kvb_number(plan, KVB_SET_RUNNER);
    const struct kvb_model *model = &plan->model;
    return model->pooling || runner == KVB_RUNNER_POOLING || (runner == KVB_RUNNER_AUTO && model->pools_by_default);
}

static uint32_t size_of(const struct kvb_plan *plan, enum kvb_setting setting)
{
    uint64_t number = kvb_number(plan, setting);
    return kvb_is_set(plan, setting) && number > 0 ? (uint32_t)number : 1;
}

static bool switch_of(const struct kvb_plan *plan, enum kvb_setting setting, bool fallback)
{
    return kvb_is_set(plan, setting) ? kvb_number(plan, setting) != 0 : fallback;
}

static void resolve_parallel(struct kvb_context *context)
{
    const struct kvb_plan *plan = context->plan;
    context->tp = size_of(plan, KVB_SET_TENSOR_PARALLEL_SIZE);
    context->pp = size_of(plan, KVB_SET_PIPELINE_PARALLEL_SIZE);
    context->dp = size_of(plan, KVB_SET_DATA_PARALLEL_SIZE);
    context->dcp = size_of(plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE);
    context->pcp = size_of(plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE);
    bool experts = switch_of(plan, KVB_SET_ENABLE_EXPERT_PARALLEL, false);
    context->ep = experts ? context->tp * context->dp * context->pcp : 1;
}

static enum kvb_dtype dtype_of(const struct kvb_context *context)
{
    switch (kvb_number(context->plan, KVB_SET_DTYPE)) {
    case KVB_DTYPE_WORD_BF16:
        return KVB_DTYPE_BF16;
    case KVB_DTYPE_WORD_FP16:
        return KVB_DTYPE_FP16;
    case KVB_DTYPE_WORD_FP32:
        return KVB_DTYPE_FP32;
    default:
        return kvb_auto_dtype(context);
    }
}

// Source: vllm/config/vllm.py __post_init__ (0.10.0 to 0.27.1) and envs.py, whose default changed in 0.14.0.
static bool chunks_turn_it_off(const struct kvb_context *context)
{
    uint32_t rule = kvb_rule(context, KVB_RULE_SPEC_CHUNKED);
    uint8_t allowed = context->plan->environment.allow_chunked_local_hybrid;
    if (rule == 0 || !kvb_model_has(context->model, KVB_ATTENTION_CHUNKED)) {
        return false;
    }
    bool eagle = context->speculative == KVB_SPECULATIVE_EAGLE || context->speculative == KVB_SPECULATIVE_MTP;
    return eagle || (rule == 2 && allowed != KVB_YES) || (rule == 3 && allowed == KVB_NO);
}

static void resolve_hybrid(struct kvb_context *context)
{
    const struct kvb_plan *plan = context->plan;
    if (switch_of(plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, false)) {
        context->hybrid_off = true;
        context->hybrid_off_why = "--disable-hybrid-kv-cache-manager";
    } else if (kvb_number(plan, KVB_SET_KV_TRANSFER) != 0 && context->release < NEW_KV_CONNECTORS) {
        context->hybrid_off = true;
        context->hybrid_off_why = "a KV connector is configured";
    } else if (chunks_turn_it_off(context)) {
        context->hybrid_off = true;
        context->hybrid_off_why = context->speculative == KVB_SPECULATIVE_EAGLE
                                      ? "chunked local attention with EAGLE runs without it"
                                      : "chunked local attention runs without it in this release";
    }
}

static void resolve_speculation(struct kvb_context *context)
{
    const struct kvb_plan *plan = context->plan;
    context->speculative = (enum kvb_speculative)kvb_number(plan, KVB_SET_SPECULATIVE_METHOD);
    if (context->speculative != KVB_SPECULATIVE_NONE) {
        uint64_t tokens = kvb_number(plan, KVB_SET_NUM_SPECULATIVE_TOKENS);
        context->speculative_tokens = tokens > 0 ? (uint32_t)tokens : 1;
    }
    uint32_t rule = kvb_rule(context, KVB_RULE_ASYNC);
    bool blocks = context->speculative == KVB_SPECULATIVE_DFLASH || context->speculative == KVB_SPECULATIVE_DSPARK;
    bool model = context->speculative == KVB_SPECULATIVE_DRAFT_MODEL && rule >= ASYNC_WITH_DRAFT_MODELS;
    bool drafter_allows = context->speculative == KVB_SPECULATIVE_NONE || blocks || model ||
                          context->speculative == KVB_SPECULATIVE_EAGLE || context->speculative == KVB_SPECULATIVE_MTP;
    bool in_step = context->pools && context->release >= POOLS_IN_STEP_SINCE;
    bool ray = kvb_has_plain(context, KVB_PLAIN_RAY); // executors that run ahead: vllm/config/vllm.py v0.14.0
    bool on = rule > 0 && drafter_allows && !in_step && !ray && (context->pp == 1 || rule >= ASYNC_WITH_STAGES);
    context->async_scheduling = switch_of(plan, KVB_SET_ASYNC_SCHEDULING, on);
}

#define STATES_APART_SINCE KVB_RELEASE(0, 16, 0) // config/vllm.py v0.16.0:679: kept states and steps ahead
#define STATES_APART_UNTIL KVB_RELEASE(0, 17, 0)

static void resolve_prefix_caching(struct kvb_context *context)
{
    bool state = kvb_model_has_state(context->model);
    bool cached = !state || kvb_rule(context, KVB_RULE_STATE_PREFIXES); // arg_utils.py v0.28.0:2649
    bool fallback = context->generation == KVB_GENERATION_V1 && cached && !context->model->pooling;
    context->prefix_caching = switch_of(context->plan, KVB_SET_ENABLE_PREFIX_CACHING, fallback);
    kvb_mamba_mode_resolve(context);
    bool apart = context->release >= STATES_APART_SINCE && context->release < STATES_APART_UNTIL;
    bool kept = context->mamba_mode == KVB_MAMBA_MODE_ALIGN || context->mamba_mode == KVB_MAMBA_MODE_ALL;
    if (apart && kept && !kvb_is_set(context->plan, KVB_SET_ASYNC_SCHEDULING)) {
        context->async_scheduling = false;
    }
}

#define LONG_ROPE_SINCE KVB_RELEASE(0, 11, 1)

static uint64_t shortest_window(const struct kvb_model *model)
{
    uint64_t window = UINT64_MAX;
    for (uint32_t i = 0; i < model->kind_count; i++) {
        uint64_t own = model->kinds[i].attention.window_tokens;
        bool slides = model->kinds[i].attention.kind == KVB_ATTENTION_SLIDING && own > 0;
        window = slides ? kvb_min(window, own) : window;
    }
    return window;
}

// Source: vllm/config/model.py _get_and_verify_max_len.
static void resolve_lengths_taken(struct kvb_context *context)
{
    const struct kvb_model *model = context->model;
    uint64_t asked = kvb_number(context->plan, KVB_SET_MAX_MODEL_LEN);
    bool any = model->any_length && kvb_is_set(context->plan, KVB_SET_MAX_MODEL_LEN) && asked != KVB_AUTO;
    bool whole = kvb_number(context->plan, KVB_SET_DISABLE_SLIDING_WINDOW) != 0;
    uint64_t longest = any ? kvb_max(asked, model->context_tokens) : model->context_tokens;
    context->longest_taken = whole ? kvb_min(longest, shortest_window(model)) : longest;
    bool usual = context->release >= LONG_ROPE_SINCE && model->usual_tokens > 0;
    context->max_model_len = usual ? model->usual_tokens : context->longest_taken;
}

// length_tokens: instead of what the plan says; 0 = as it says
static void resolve_length(struct kvb_context *context, uint64_t length_tokens)
{
    resolve_lengths_taken(context);
    if (length_tokens > 0) {
        context->max_model_len = length_tokens;
        return;
    }
    uint64_t asked = kvb_number(context->plan, KVB_SET_MAX_MODEL_LEN);
    bool set = kvb_is_set(context->plan, KVB_SET_MAX_MODEL_LEN);
    context->auto_length = set && asked == KVB_AUTO;
    context->max_model_len = set && asked != KVB_AUTO ? asked : context->max_model_len;
}

// What follows from release and model alone.
struct of_release {
    struct kvb_rules rules;
    const struct kvb_known_class *known_class;
};

static void fill(struct kvb_context *context, const struct kvb_plan *plan, uint32_t release,
                 const struct of_release *of, uint64_t length_tokens)
{
    memset(context, 0, offsetof(struct kvb_context, settings)); // these are set whole at the end
    context->split_error[0] = '\0';
    context->plan = plan;
    context->model = &plan->model;
    context->gpu = &plan->gpu;
    context->release = release;
    context->rules = of->rules;
    context->known_class = of->known_class;
    resolve_parallel(context);
    context->dtype = dtype_of(context);
    context->pools = kvb_vllm_plan_pools(context->plan);
    context->generation = generation_of(context);
    context->memory_bytes = plan->gpu.memory_bytes;
    resolve_length(context, length_tokens);
    kvb_kv_dtype_resolve(context);
    context->eager = switch_of(plan, KVB_SET_ENFORCE_EAGER, false);
    context->uncompiled = context->eager || kvb_compiles_never(context);
    context->utilization_ppm = kvb_is_set(plan, KVB_SET_GPU_MEMORY_UTILIZATION)
                                   ? (uint32_t)kvb_number(plan, KVB_SET_GPU_MEMORY_UTILIZATION)
                                   : kvb_rule(context, KVB_RULE_UTILIZATION);
    context->v2_runner = kvb_v2_runner_of(context);
    resolve_speculation(context);
    resolve_hybrid(context);
    resolve_prefix_caching(context);
    kvb_defaults_resolve(context);
    context->split_refused = kvb_splits_refuse(context, context->split_error);
    if (!context->split_refused) {
        kvb_stages_split(context);
        kvb_block_size_resolve(context);
    }
    kvb_settings_effective(context);
}

void kvb_context_fill(struct kvb_context *context, const struct kvb_plan *plan)
{
    kvb_context_fill_as(context, plan, plan->engine.release);
}

void kvb_context_fill_at(struct kvb_context *context, const struct kvb_context *same, uint64_t length_tokens)
{
    struct of_release of = {same->rules, same->known_class};
    fill(context, same->plan, same->release, &of, length_tokens);
    context->counted = same->counted;
}

static void look_up(const struct kvb_plan *plan, uint32_t release, struct of_release *of)
{
    const uint64_t key[] = {(uintptr_t)&plan->model, release};
    struct kvb_reuse_slot *slot = kvb_reuse_find(plan->reuse, KVB_REUSE_RELEASE, key, sizeof key);
    if (slot != NULL && slot->used) {
        memcpy(of, slot->value, sizeof *of);
        return;
    }
    kvb_rules_of(release, &of->rules);
    of->known_class = kvb_class_served_by(plan->model.architecture, release);
    kvb_reuse_keep(slot, of, sizeof *of);
}

void kvb_context_fill_as(struct kvb_context *context, const struct kvb_plan *plan, uint32_t release)
{
    struct of_release of;
    uint32_t known = (uint32_t)kvb_min(release, KVB_PARTLY_VLLM);
    look_up(plan, known, &of);
    fill(context, plan, known, &of, 0);
}

enum kvb_status kvb_context_init(struct kvb_context *context, const struct kvb_plan *plan,
                                 struct kvb_problems *problems)
{
    kvb_context_fill(context, plan);
    return context->split_refused ? kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, (struct kvb_place){0}, "%s",
                                                    context->split_error)
                                  : KVB_OK;
}
