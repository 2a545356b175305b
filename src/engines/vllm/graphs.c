// CUDA graphs: how many are captured, what they really take, and the estimate that is subtracted for them.
// Source: vllm/v1/worker/gpu_model_runner.py profile_cudagraph_memory (v0.18.0 to v0.27.1), v1/cudagraph_dispatcher.py,
// config/vllm.py _set_cudagraph_sizes.
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/graph_sizes.h"
#include "engines/vllm/overheads.h"

#define MIB (1ULL << 20)
#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OF_V2 3 // KVB_RULE_GRAPH_ESTIMATE
#define FP32_BYTES 4
#define SPLITS 32                        // flash_attn_max_num_splits_for_cuda_graph, config/attention.py v0.20.0
#define FLASHINFER_WORKSPACE (394 * MIB) // VLLM_FLASHINFER_WORKSPACE_BUFFER_SIZE, envs.py v0.20.0
#define LATENT_WORKSPACE (128 * MIB)     // FLASHINFER_MLA_WORKSPACE_BUFFER_SIZE
#define GRAPHS_OF_THE_LINE 102           // 51 piecewise and 51 full ones
#define DRIVER_STEP (2 * MIB)            // by which device memory grows
#define DRIVER_MINIMUM MIB               // "at least 1 MiB per graph", profile_cudagraph_memory

static uint64_t stage_layers(const struct kvb_context *context, uint32_t stage)
{
    return (uint64_t)context->stage_begin[stage + 1] - context->stage_begin[stage];
}

static uint64_t figure(enum kvb_overhead measured)
{
    return (uint64_t)kvb_overhead_of(measured)->likely;
}

static void spread(struct kvb_estimate *estimate, uint64_t likely, enum kvb_overhead percent)
{
    const struct kvb_overhead_row *row = kvb_overhead_of(percent);
    estimate->bytes = likely;
    estimate->low_bytes = likely / 100 * row->low;
    estimate->high_bytes = kvb_add(likely / 100 * row->high, 64 * MIB);
}

// What FlashAttention 3 keeps for splitting the keys: a partial result and its logarithm per split.
// Source: vllm/v1/attention/backends/flash_attn.py v0.20.0:430-443.
static uint64_t split_bytes(const struct kvb_context *context, uint64_t tokens)
{
    uint64_t widest = 0;
    bool hopper =
        context->gpu->compute_capability == KVB_CAPABILITY_HOPPER && context->gpu->vendor == KVB_VENDOR_NVIDIA;
    bool other_backend = context->model->encoder.family == KVB_ENCODER_GEMMA3 ||
                         context->model->encoder.family == KVB_ENCODER_GEMMA4 || context->dtype == KVB_DTYPE_FP32;
    for (uint32_t i = 0; hopper && !other_backend && i < context->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &context->model->kinds[i].attention;
        bool latent = shape->kind == KVB_ATTENTION_MLA && shape->index_heads == 0;
        bool plain = (shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING) && !shape->sinks;
        uint64_t size = latent ? shape->latent_rank : plain ? shape->value_head_size : 0;
        uint64_t heads = kvb_heads_on_rank(shape->heads, context->tp);
        widest = kvb_max(widest, size > 0 ? heads * (size + 1) : 0);
    }
    return kvb_mul(kvb_mul(widest, tokens), SPLITS * FP32_BYTES);
}

// A line through what graphs took, beside the splits.
static uint64_t line_bytes(const struct kvb_context *context, uint64_t layers, uint64_t graphs)
{
    bool early = kvb_rule(context, KVB_RULE_GRAPH_MODES) < 2;
    uint64_t base = figure(early ? KVB_OVERHEAD_GRAPHS_BASE_EARLY : KVB_OVERHEAD_GRAPHS_BASE);
    uint64_t bytes = kvb_mul((base + layers * figure(KVB_OVERHEAD_GRAPHS_LAYER)) << 10, graphs) / GRAPHS_OF_THE_LINE;
    if (context->gpu->vendor == KVB_VENDOR_AMD) {
        return bytes / 100 * figure(KVB_OVERHEAD_GRAPHS_ROCM);
    }
    return context->v2_runner ? bytes / 100 * figure(KVB_OVERHEAD_GRAPHS_V2) : bytes;
}

void kvb_graph_actual(const struct kvb_context *context, uint32_t stage, struct kvb_estimate *estimate)
{
    struct kvb_captures captures;
    *estimate = (struct kvb_estimate){0, 0, 0};
    kvb_captures_of(context, &captures);
    uint64_t graphs = captures.piecewise + captures.full;
    if (graphs == 0) {
        return;
    }
    uint64_t layers = stage_layers(context, stage);
    uint64_t bytes;
    if (context->generation == KVB_GENERATION_V0) {
        bytes = kvb_mul(kvb_mul(graphs, layers), figure(KVB_OVERHEAD_GRAPHS_V0) << 10);
        bool adapters = kvb_number(context->plan, KVB_SET_ENABLE_LORA) != 0;
        bytes = adapters ? kvb_mul(bytes, figure(KVB_OVERHEAD_GRAPHS_V0_ADAPTERS)) / 100 : bytes;
    } else {
        bytes = kvb_add(line_bytes(context, layers, graphs), split_bytes(context, captures.full_tokens));
    }
    bool experts = kvb_model_has_experts(context->model);
    spread(estimate, bytes, experts ? KVB_OVERHEAD_GRAPHS_EXPERTS : KVB_OVERHEAD_GRAPHS);
}

// What FlashInfer's latent attention keeps from its first step on. Source: v1/attention/backends/mla/flashinfer_mla.py
// v0.25.0:37 (before, it is there with the module), flashinfer_mla_sparse.py v0.18.0:243 and v0.26.0:300.
static uint64_t latent_workspace(const struct kvb_context *context)
{
    switch (context->mla_backend.backend) {
    case KVB_BACKEND_FLASHINFER_MLA:
        return context->release >= R(25, 0) ? LATENT_WORKSPACE : 0;
    case KVB_BACKEND_FLASHINFER_MLA_SPARSE:
    case KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120:
        return FLASHINFER_WORKSPACE;
    default:
        return 0;
    }
}

// A sparse index scores each token of a decode step against the longest context there may be, in 32 bits; the graphs'
// pool holds that. Source: layers/sparse_attn_indexer.py v0.18.0:195 and v0.27.1:603, utils/deep_gemm.py v0.26.0:599;
// of DeepSeek V4 the compressed context, models/deepseek_v4/attention.py v0.25.0:720.
static uint64_t index_logits(const struct kvb_context *context, uint64_t tokens)
{
    uint64_t widest = 0;
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &context->model->kinds[i].attention;
        bool latent = shape->kind == KVB_ATTENTION_MLA || shape->kind == KVB_ATTENTION_DSV4;
        uint64_t ratio = shape->compress_ratio > 1 ? shape->compress_ratio : 1;
        widest = kvb_max(widest, latent && shape->index_heads > 0 ? context->max_model_len / ratio : 0);
    }
    return kvb_mul(kvb_mul(widest, tokens), FP32_BYTES);
}

// The first capture of a mode brings what the mode's graphs share.
static uint64_t first_full(const struct kvb_context *context, const struct kvb_captures *captures)
{
    uint64_t workspace = kvb_graphs_use_flashinfer(context) ? FLASHINFER_WORKSPACE : 0;
    workspace = kvb_max(workspace, split_bytes(context, captures->full_tokens));
    workspace = kvb_add(kvb_max(workspace, latent_workspace(context)), index_logits(context, captures->full_tokens));
    uint64_t states = kvb_model_has_state(context->model) ? figure(KVB_OVERHEAD_FIRST_STATES) * MIB : 0;
    return captures->full > 0 ? kvb_add(workspace + states, figure(KVB_OVERHEAD_FULL_FIRST) * MIB) : 0;
}

static uint64_t first_piecewise(const struct kvb_context *context, const struct kvb_captures *captures)
{
    bool hopper = context->gpu->compute_capability == KVB_CAPABILITY_HOPPER;
    bool fp8 = context->model->quantisation.method == KVB_QUANT_FP8;
    uint64_t base = figure(hopper && !fp8 ? KVB_OVERHEAD_PIECEWISE_FIRST_HOPPER : KVB_OVERHEAD_PIECEWISE_FIRST) * MIB;
    return captures->piecewise > 0 ? kvb_add(base, kvb_layer_bytes(context, captures->piecewise_tokens)) : 0;
}

// Graphs of one card take less of the driver there; with ranks, whose graphs hold NCCL's, no log says.
static bool is_one_consumer(const struct kvb_context *context)
{
    return context->gpu->compute_capability == KVB_CAPABILITY_CONSUMER_BLACKWELL && context->tp == 1 &&
           context->pp == 1;
}

// Each further graph: a base and so much a layer, experts on top.
static uint64_t further(const struct kvb_context *context, uint64_t layers, enum kvb_overhead base,
                        enum kvb_overhead layer)
{
    int64_t sum = kvb_overhead_of(base)->likely + (int64_t)(layers * figure(layer));
    sum += kvb_model_has_experts(context->model) ? (int64_t)figure(KVB_OVERHEAD_FURTHER_EXPERTS) : 0;
    if (is_one_consumer(context)) {
        sum = sum * kvb_overhead_of(KVB_OVERHEAD_FURTHER_CONSUMER)->likely / 100;
    }
    return kvb_max(DRIVER_MINIMUM, sum > 0 ? kvb_round_up((uint64_t)sum << 10, DRIVER_STEP) : 0);
}

static uint64_t estimate_of(const struct kvb_context *context, uint32_t stage, const struct kvb_captures *captures)
{
    uint64_t layers = stage_layers(context, stage);
    uint64_t bytes = kvb_max(first_full(context, captures), first_piecewise(context, captures));
    if (captures->piecewise > 0) {
        uint64_t one = further(context, layers, KVB_OVERHEAD_PIECEWISE_BASE, KVB_OVERHEAD_PIECEWISE_LAYER);
        bytes = kvb_add(bytes, kvb_mul(captures->piecewise - 1, one));
    }
    if (captures->full > 0) {
        uint64_t one = further(context, layers, KVB_OVERHEAD_FULL_BASE, KVB_OVERHEAD_FULL_LAYER);
        bytes = kvb_add(bytes, kvb_mul(captures->full - 1, one));
    }
    return bytes;
}

bool kvb_graphs_are_charged(const struct kvb_context *context)
{
    uint32_t rule = kvb_rule(context, KVB_RULE_GRAPH_ESTIMATE);
    uint8_t asked = context->plan->environment.estimate_cudagraphs;
    bool on = asked == KVB_UNSET ? rule >= 2 : asked == KVB_YES;
    return rule > 0 && on && (!context->v2_runner || rule >= OF_V2) &&
           (context->gpu->vendor != KVB_VENDOR_AMD || context->release >= R(26, 0));
}

void kvb_graph_charged(const struct kvb_context *context, uint32_t stage, struct kvb_estimate *estimate)
{
    *estimate = (struct kvb_estimate){0, 0, 0};
    if (!kvb_graphs_are_charged(context)) {
        return;
    }
    if (context->v2_runner) { // it captures them all into a pool that it throws away: vllm#53306, first in 0.29.0
        kvb_graph_actual(context, stage, estimate);
        return;
    }
    struct kvb_captures captures;
    kvb_captures_of(context, &captures);
    if (captures.piecewise + captures.full == 0) {
        return;
    }
    bool states = kvb_model_has_state(context->model);
    spread(estimate, estimate_of(context, stage, &captures),
           states ? KVB_OVERHEAD_ESTIMATE_STATES : KVB_OVERHEAD_ESTIMATE);
}
