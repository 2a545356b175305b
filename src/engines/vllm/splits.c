// Parallel splits, refused in the engine's own words.
// Source: vllm/config/parallel.py and model.py verify_with_parallel_config, distributed/utils.py.
#include "engines/vllm/splits.h"

#include "base/checked.h"
#include "engines/vllm/kv.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

static uint32_t attention_heads(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].attention.heads > 0) {
            return model->kinds[i].attention.heads;
        }
    }
    return 0;
}

static enum kvb_status check_kv_heads(const struct kvb_context *context, struct kvb_problems *problems)
{
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &context->model->kinds[i].attention;
        uint32_t heads = shape->kv_heads;
        bool tokens = shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING ||
                      shape->kind == KVB_ATTENTION_CHUNKED;
        if (!tokens || heads == 0) {
            continue;
        }
        if (heads >= context->tp ? heads % context->tp != 0 : context->tp % heads != 0) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, nowhere,
                                   "%u key/value heads cannot be split over --tensor-parallel-size %u: one must be a "
                                   "multiple of the other.",
                                   heads, context->tp);
        }
    }
    return KVB_OK;
}

static enum kvb_status check_experts(const struct kvb_context *context, struct kvb_problems *problems)
{
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_mlp_shape *mlp = &context->model->kinds[i].mlp;
        if (mlp->kind == KVB_MLP_MOE && context->ep == 1 && mlp->expert_intermediate_size % context->tp != 0) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, nowhere,
                                   "The expert intermediate size (%u) is not divisible by tensor parallel size (%u); "
                                   "--enable-expert-parallel splits whole experts instead.",
                                   mlp->expert_intermediate_size, context->tp);
        }
        if (mlp->kind == KVB_MLP_MOE && context->ep > mlp->experts) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, nowhere,
                                   "%u experts cannot be spread over %u expert-parallel ranks.", mlp->experts,
                                   context->ep);
        }
    }
    return KVB_OK;
}

static enum kvb_status check_stages(const struct kvb_context *context, struct kvb_problems *problems)
{
    const struct kvb_environment *environment = &context->plan->environment;
    uint32_t layers = context->model->layer_count;
    if (context->pp > KVB_STAGES_MAX || context->pp > layers) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, nowhere,
                               "%u layers cannot be split over --pipeline-parallel-size %u; at most %u stages hold a "
                               "layer each.",
                               layers, context->pp, layers < KVB_STAGES_MAX ? layers : KVB_STAGES_MAX);
    }
    if (environment->layer_partition_count == 0) {
        return KVB_OK;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < environment->layer_partition_count; i++) {
        sum += environment->layer_partition[i];
    }
    if (environment->layer_partition_count != context->pp || sum != layers) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, nowhere,
                               "VLLM_PP_LAYER_PARTITION names %u stages with %u layers in all; %u stages and %u layers "
                               "are expected.",
                               environment->layer_partition_count, sum, context->pp, layers);
    }
    return KVB_OK;
}

enum kvb_status kvb_splits_check(const struct kvb_context *context, struct kvb_problems *problems)
{
    uint32_t heads = attention_heads(context->model);
    if (heads % context->tp != 0) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, nowhere,
                               "Total number of attention heads (%u) must be divisible by tensor parallel size (%u).",
                               heads, context->tp);
    }
    if (kvb_round_up(context->model->vocabulary_size, 64) % context->tp != 0) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_INDIVISIBLE, nowhere,
                               "%u vocabulary rows, padded to a multiple of 64, is not divisible by %u.",
                               context->model->vocabulary_size, context->tp);
    }
    enum kvb_status status = check_kv_heads(context, problems);
    status = status == KVB_OK ? check_experts(context, problems) : status;
    return status == KVB_OK ? check_stages(context, problems) : status;
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
