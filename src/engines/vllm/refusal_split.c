// Parallel sizes against the model's heads, experts, layers, groups and blocks.
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/splits.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define WORLD_NAMED_SINCE R(13, 0)

bool kvb_refusal_split(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->split_error[0] == '\0') {
        return false;
    }
    const char *error = context->split_error;
    kvb_refusal_say(out, "{0}", &error);
    return true;
}

// The heads are the first thing that is asked of a model; what its layers say of ranks follows when they are made.
bool kvb_refusal_heads(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!kvb_starts_with(context->split_error, "Total number of attention heads")) {
        return false;
    }
    return kvb_refusal_split(context, out);
}

#define DIVISIBLE_SPACED_SINCE R(26, 0)

// Source: vllm/engine/arg_utils.py v0.10.2 (no space in its sentence), config/parallel.py v0.26.0 and later.
bool kvb_refusal_dcp_divides(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool alone = context->pcp == 1 || context->release < DIVISIBLE_SPACED_SINCE;
    if (!alone || context->tp % context->dcp == 0) {
        return false;
    }
    return kvb_refuse_two(out,
                          context->release >= DIVISIBLE_SPACED_SINCE ? "tp_size={0} must be divisible by dcp_size={1}."
                                                                     : "tp_size={0} must be divisible bydcp_size={1}.",
                          context->tp, context->dcp);
}

#define DCP_ADVISES_SINCE R(27, 0)

// The sentences for the heads, the most ranks and the queries of a head; assertions until 0.26.
#define DCP_CHECKS 3
static const char *const dcp_sentences[][DCP_CHECKS] = {
    {"tensor parallel size {0} must be greater than total num kv heads {1} when enable decode context parallel for "
     "GQA/MQA",
     "decode context parallel size must less than or equal to (tensor parallel size {0} // total num kv heads {1}) = "
     "{2}, but got {3}",
     "Total number of q per kv attn heads ({0}) must be divisible by dcp world size when enable decode context "
     "parallel for GQA ({3})."},
    {"Decode context parallelism for GQA/MQA requires `--tensor-parallel-size` ({0}) to be greater than the model's "
     "total number of KV heads ({1}). Increase `--tensor-parallel-size` or set `--decode-context-parallel-size 1`.",
     "`--decode-context-parallel-size` ({3}) exceeds the maximum supported value ({2}) for `--tensor-parallel-size` "
     "({0}) and {1} model KV heads.",
     "The model's number of query heads per KV head ({0}) must be divisible by `--decode-context-parallel-size` ({3}) "
     "for GQA/MQA."},
};

// Source: vllm/config/model.py verify_with_parallel_config.
bool kvb_refusal_dcp(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *shape = &context->model->kinds[0].attention;
    bool tokens = shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING;
    if (context->dcp <= 1 || !tokens || shape->kv_heads == 0) {
        return false;
    }
    uint32_t most = context->tp / shape->kv_heads, queries = shape->heads / shape->kv_heads;
    bool refused[DCP_CHECKS] = {context->tp <= shape->kv_heads, context->dcp > most, queries % context->dcp != 0};
    for (size_t i = 0; i < DCP_CHECKS; i++) {
        char first[24], heads[24], limit[24], ranks[24];
        const char *values[] = {kvb_refusal_count(first, i == 2 ? queries : context->tp),
                                kvb_refusal_count(heads, shape->kv_heads), kvb_refusal_count(limit, most),
                                kvb_refusal_count(ranks, context->dcp)};
        if (refused[i]) {
            kvb_refusal_say(out, dcp_sentences[context->release >= DCP_ADVISES_SINCE][i], values);
            return true;
        }
    }
    return false;
}

// Inputs of the two matrices of a layer that are split along them; 0: none, or left unquantised.
static void inputs_on_rank(const struct kvb_context *context, uint32_t kind, uint64_t out[2])
{
    const struct kvb_attention_shape *attention = &context->model->kinds[kind].attention;
    const struct kvb_mlp_shape *mlp = &context->model->kinds[kind].mlp;
    uint32_t plain = context->model->quantisation.unquantised_roles;
    bool tokens = attention->kind == KVB_ATTENTION_FULL || attention->kind == KVB_ATTENTION_SLIDING;
    bool attends = tokens && (plain >> KVB_ROLE_ATTENTION & 1U) == 0;
    bool dense = (mlp->kind == KVB_MLP_GATED || mlp->kind == KVB_MLP_PLAIN) && (plain >> KVB_ROLE_MLP & 1U) == 0;
    out[0] = attends ? (uint64_t)attention->heads * attention->head_size / context->tp : 0;
    out[1] = dense ? mlp->intermediate_size / context->tp : 0;
}

// Source: quantization/awq.py, gptq.py, utils/marlin_utils.py verify_marlin_supports_shape.
bool kvb_refusal_group_shape(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool grouped = q->method == KVB_QUANT_AWQ || q->method == KVB_QUANT_GPTQ || q->method == KVB_QUANT_WNA16;
    if (!grouped || q->group_size == 0 || context->tp == 1 || context->model->checkpoint.kind == KVB_CHECKPOINT_GGUF) {
        return false;
    }
    for (uint32_t kind = 0; kind < context->model->kind_count; kind++) {
        uint64_t inputs[2];
        inputs_on_rank(context, kind, inputs);
        if (inputs[0] % q->group_size != 0 || inputs[1] % q->group_size != 0) {
            kvb_refusal_say(out,
                            "The input size is not aligned with the quantized weight shape. This can be caused by too "
                            "large tensor parallel size.",
                            NULL);
            return true;
        }
    }
    return false;
}

#define LEAST_EXPERT_GROUP 32

// Experts that Marlin's kernels do not take run in plain ones, which halve the group until it divides both sides.
// Source: quantization/moe_wna16.py create_weights, since v0.8.5 where Marlin falls back to it.
bool kvb_refusal_expert_groups(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool grouped = (q->method == KVB_QUANT_AWQ || q->method == KVB_QUANT_GPTQ) && q->group_size > 0 &&
                   (q->unquantised_roles >> KVB_ROLE_EXPERTS & 1U) == 0;
    if (!grouped || context->ep > 1 || context->model->checkpoint.kind == KVB_CHECKPOINT_GGUF) {
        return false;
    }
    for (uint32_t kind = 0; kind < context->model->kind_count; kind++) {
        const struct kvb_mlp_shape *mlp = &context->model->kinds[kind].mlp;
        uint64_t inner = mlp->expert_intermediate_size / context->tp, group = q->group_size;
        while (group >= LEAST_EXPERT_GROUP && (inner % group != 0 || context->model->hidden_size % group != 0)) {
            group /= 2;
        }
        if (mlp->kind == KVB_MLP_MOE && group < LEAST_EXPERT_GROUP) {
            kvb_refusal_say(out, "assert group_size >= 32: AssertionError", NULL);
            return true;
        }
    }
    return false;
}

// Source: quantization/fp8.py create_weights, utils/fp8_utils.py validate_fp8_block_shape.
bool kvb_refusal_block_shape(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    if (q->method != KVB_QUANT_FP8 || q->scale != KVB_SCALE_BLOCK || q->block_rows == 0 || q->block_columns == 0 ||
        context->tp == 1) {
        return false;
    }
    for (uint32_t kind = 0; kind < context->model->kind_count; kind++) {
        const struct kvb_mlp_shape *mlp = &context->model->kinds[kind].mlp;
        uint64_t inputs[2], experts = mlp->expert_intermediate_size / context->tp;
        inputs_on_rank(context, kind, inputs);
        for (size_t i = 0; i < 2; i++) {
            if (inputs[i] % q->block_columns != 0) {
                return kvb_refuse_two(out,
                                      "Weight input_size_per_partition = {0} is not divisible by weight quantization "
                                      "block_k = {1}.",
                                      inputs[i], q->block_columns);
            }
        }
        if (mlp->kind == KVB_MLP_MOE && context->ep == 1 && experts % q->block_rows != 0) {
            return kvb_refuse_two(
                out,
                "The output_size of gate's and up's weight = {0} is not divisible by weight quantization "
                "block_n = {1}.",
                experts, q->block_rows);
        }
    }
    return false;
}

// Unsaid, no executor but that of one machine is taken on NVIDIA's cards; else a worker looks for its own card.
static const char *says_of_few_gpus(const struct kvb_context *context)
{
    return kvb_has_plain(context, KVB_PLAIN_MP) || context->gpu->vendor != KVB_VENDOR_NVIDIA
               ? "local_world_size ({0}) must be less than or equal to the number of visible devices ({1})."
           : context->release < WORLD_NAMED_SINCE
               ? "Tensor parallel size ({0}) cannot be larger than the number of available GPUs ({1})."
               : "World size ({0}) is larger than the number of available GPUs ({1}) in this node. If this is "
                 "intentional and you are using: - ray, set '--distributed-executor-backend ray'. - multiprocessing, "
                 "set '--nnodes' appropriately.";
}

// Ranks of data that this server starts here itself: LLM() and a server with one rank start none, Ray looks for a
// place. Source: vllm/v1/worker/gpu_worker.py v0.12.0:196.
static bool data_ranks_exceed(const struct kvb_context *context, uint64_t world)
{
    const struct kvb_plan *plan = context->plan;
    bool elsewhere = plan->usage != KVB_USAGE_SERVE || plan->plain_numbers[KVB_PLAIN_DATA_PARALLEL_RANK].set ||
                     plan->plain_numbers[KVB_PLAIN_DATA_PARALLEL_RAY].set;
    return !elsewhere && context->dp > 1 &&
           kvb_plain_or(context, KVB_PLAIN_DATA_PARALLEL_LOCAL, context->dp) > plan->gpus_stated / world;
}

// Fewer GPUs than ranks of one machine. Source: vllm/config/parallel.py v0.11.1:564, v0.13.0:564;
// vllm/v1/worker/gpu_worker.py v0.12.0:202.
bool kvb_refusal_gpu_count(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t world = (uint64_t)context->tp * context->pp * context->pcp, there = context->plan->gpus_stated;
    uint64_t nodes = kvb_max(kvb_plain_or(context, KVB_PLAIN_NODES, 1), 1);
    if (there == 0 || kvb_has_plain(context, KVB_PLAIN_RAY) || kvb_has_plain(context, KVB_PLAIN_EXTERNAL_LAUNCHER) ||
        (nodes > 1 && world / nodes <= there)) {
        return false;
    }
    if (world <= there && !data_ranks_exceed(context, world)) {
        return false;
    }
    if (world <= there) {
        return kvb_refuse_two(out, "DP adjusted local rank {0} is out of bounds.", there, 0);
    }
    return nodes > 1 ? kvb_refuse(out, "CUDA error: invalid device ordinal")
                     : kvb_refuse_two(out, says_of_few_gpus(context), world, there);
}

// The last layer before `layer` of the same kind that keeps a cache; `layer` itself: none does.
static uint32_t cache_read_by(const struct kvb_model *model, uint32_t layer)
{
    enum kvb_attention kind = kvb_kind_of(model, layer)->attention.kind;
    for (uint32_t at = layer; at > 0; at--) {
        const struct kvb_attention_shape *shape = &kvb_kind_of(model, at - 1)->attention;
        if (!shape->shares_kv && shape->kind == kind) {
            return at - 1;
        }
    }
    return layer;
}

static bool say_shared(const struct kvb_context *context, uint32_t layer, uint32_t target,
                       char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool inside = strstr(context->model->architecture, "ConditionalGeneration") != NULL;
    char own[24], other[24];
    const char *values[] = {inside ? "language_model." : "", kvb_refusal_count(own, layer),
                            kvb_refusal_count(other, target)};
    kvb_refusal_say(out,
                    "Specified KV sharing target layer for {0}model.layers.{1}.self_attn.attn is not valid: target "
                    "layer {0}model.layers.{2}.self_attn.attn is not a valid Attention layer in the model.",
                    values);
    return true;
}

// A layer that keeps no cache reads one of its own stage: the last layers of Gemma 4's small models, whose target is
// one of the first half. Source: models/gemma4.py v0.19.0 Gemma4Attention, attention.py validate_kv_sharing_target.
bool kvb_refusal_shared_caches(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    for (uint32_t stage = 1; stage < context->pp; stage++) {
        for (uint32_t layer = context->stage_begin[stage]; layer < context->stage_begin[stage + 1]; layer++) {
            bool shares = kvb_kind_of(context->model, layer)->attention.shares_kv;
            uint32_t target = shares ? cache_read_by(context->model, layer) : layer;
            if (target < context->stage_begin[stage]) {
                return say_shared(context, layer, target, out);
            }
        }
    }
    return false;
}
