// Parallel splits, refused in the engine's own words.
// Source: vllm/config/parallel.py and model.py verify_with_parallel_config, distributed/utils.py.
#include "engines/vllm/splits.h"

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/refusal.h"

static bool kv_heads_refuse(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &context->model->kinds[i].attention;
        uint32_t heads = shape->kv_heads;
        bool tokens = shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING ||
                      shape->kind == KVB_ATTENTION_CHUNKED;
        if (!tokens || heads == 0) {
            continue;
        }
        if (kvb_max(heads, context->tp) % kvb_min(heads, context->tp) != 0) {
            return kvb_refuse_two(
                out,
                "{0} key/value heads cannot be split over --tensor-parallel-size {1}: one must be a multiple "
                "of the other.",
                heads, context->tp);
        }
    }
    return false;
}

static bool experts_refuse(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_mlp_shape *mlp = &context->model->kinds[i].mlp;
        if (mlp->kind == KVB_MLP_MOE && context->ep == 1 && mlp->expert_intermediate_size % context->tp != 0) {
            return kvb_refuse_two(out,
                                  "The expert intermediate size ({0}) is not divisible by tensor parallel size ({1}); "
                                  "--enable-expert-parallel splits whole experts instead.",
                                  mlp->expert_intermediate_size, context->tp);
        }
        if (mlp->kind == KVB_MLP_MOE && context->ep > mlp->experts) {
            return kvb_refuse_two(out, "{0} experts cannot be spread over {1} expert-parallel ranks.", mlp->experts,
                                  context->ep);
        }
    }
    return false;
}

static bool partition_refuses(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_environment *environment = &context->plan->environment;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < environment->layer_partition_count; i++) {
        sum += environment->layer_partition[i];
    }
    if (environment->layer_partition_count == 0 ||
        (environment->layer_partition_count == context->pp && sum == context->model->layer_count)) {
        return false;
    }
    char count[24], total[24], stages[24], layers[24];
    const char *values[] = {kvb_refusal_count(count, environment->layer_partition_count), kvb_refusal_count(total, sum),
                            kvb_refusal_count(stages, context->pp),
                            kvb_refusal_count(layers, context->model->layer_count)};
    kvb_refusal_say(out,
                    "VLLM_PP_LAYER_PARTITION names {0} stages with {1} layers in all; {2} stages and {3} layers are "
                    "expected.",
                    values);
    return true;
}

static bool stages_refuse(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint32_t layers = context->model->layer_count;
    if (context->pp <= KVB_STAGES_MAX && context->pp <= layers) {
        return partition_refuses(context, out);
    }
    char count[24], stages[24], most[24];
    const char *values[] = {kvb_refusal_count(count, layers), kvb_refusal_count(stages, context->pp),
                            kvb_refusal_count(most, kvb_min(layers, KVB_STAGES_MAX))};
    kvb_refusal_say(
        out, "{0} layers cannot be split over --pipeline-parallel-size {1}; at most {2} stages hold a layer each.",
        values);
    return true;
}

bool kvb_splits_refuse(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint32_t heads = kvb_model_heads(context->model);
    if (heads % context->tp != 0) {
        return kvb_refuse_two(out,
                              "Total number of attention heads ({0}) must be divisible by tensor parallel size ({1}).",
                              heads, context->tp);
    }
    if (kvb_round_up(context->model->vocabulary_size, 64) % context->tp != 0) {
        return kvb_refuse_two(out, "{0} vocabulary rows, padded to a multiple of 64, is not divisible by {1}.",
                              context->model->vocabulary_size, context->tp);
    }
    return kv_heads_refuse(context, out) || experts_refuse(context, out) || stages_refuse(context, out);
}

// Floor of the layers for each stage; the rest goes to the last stage, or from 0.8 one each to the
// stages before the last.
void kvb_stages_split(struct kvb_context *context)
{
    const struct kvb_environment *environment = &context->plan->environment;
    uint32_t layers = context->model->layer_count;
    uint32_t rest = layers % context->pp;
    context->stage_begin[0] = 0;
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        uint32_t count = layers / context->pp;
        if (environment->layer_partition_count > 0) {
            count = environment->layer_partition[stage];
        } else if (kvb_rule(context, KVB_RULE_STAGE_SPLIT)) {
            uint32_t from_end = context->pp - 1 - stage;
            count += from_end >= 1 && from_end <= rest;
        } else if (stage == context->pp - 1) {
            count += rest;
        }
        context->stage_begin[stage + 1] = (uint16_t)(context->stage_begin[stage] + count);
    }
}
