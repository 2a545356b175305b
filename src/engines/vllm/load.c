// How vLLM loads a model: what a release, a setting and a card make of its tensors.
// Source: vllm/model_executor/model_loader, layers/quantization/mxfp4.py, lora/layers, config/lora.py,
// v1/attention/backends/mla, model_executor/models/utils.py (cpu_offload_gb).
#include "engines/vllm/load.h"

#include <string.h>

#define LORA_EXTRA_UNTIL KVB_RELEASE(0, 11, 1)
#define ABSORBED_SINCE KVB_RELEASE(0, 7, 0)
#define TRITON_VALUE_PADDING_UNTIL KVB_RELEASE(0, 20, 0)
#define HOPPER 90
#define BLACKWELL 100
#define LORA_RANK 16
#define LARGEST_SPLIT (20ULL << 20)

struct mxfp4_row {
    uint32_t capability_from, capability_below; // 0 = no limit
    uint32_t since, until;                      // releases, half open
    struct kvb_padding padding;
};

// Marlin below Hopper, Triton on Hopper, TRT-LLM on Blackwell.
static const struct mxfp4_row mxfp4_rows[] = {
    {0, HOPPER, 0, 0, {128, 256, 0}},
    {HOPPER, BLACKWELL, 0, TRITON_VALUE_PADDING_UNTIL, {64, 1, 256}},
    {HOPPER, BLACKWELL, TRITON_VALUE_PADDING_UNTIL, 0, {64, 1, 0}},
    {BLACKWELL, 0, 0, KVB_RELEASE(0, 12, 0), {256, 256, 0}},
    {BLACKWELL, 0, KVB_RELEASE(0, 12, 0), 0, {128, 256, 0}},
};

static struct kvb_padding mxfp4_padding_of(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    const struct mxfp4_row *found = &mxfp4_rows[0];
    for (size_t i = 0; i < sizeof mxfp4_rows / sizeof mxfp4_rows[0]; i++) {
        const struct mxfp4_row *row = &mxfp4_rows[i];
        bool on_gpu =
            capability >= row->capability_from && (row->capability_below == 0 || capability < row->capability_below);
        bool in_release = context->release >= row->since && (row->until == 0 || context->release < row->until);
        found = on_gpu && in_release ? row : found;
    }
    return found->padding;
}

static enum kvb_quantisation_method online_of(const struct kvb_context *context)
{
    switch (kvb_number(context->plan, KVB_SET_QUANTIZATION)) {
    case KVB_QUANTIZATION_FP8:
    case KVB_QUANTIZATION_FP8_PER_TENSOR:
    case KVB_QUANTIZATION_FP8_PER_BLOCK:
    case KVB_QUANTIZATION_FP8_PER_CHANNEL:
    case KVB_QUANTIZATION_PTPC_FP8:
        return KVB_QUANT_FP8;
    case KVB_QUANTIZATION_BITSANDBYTES:
        return KVB_QUANT_BNB4;
    case KVB_QUANTIZATION_AWQ: // a plan for a checkpoint that is still to be made
        return KVB_QUANT_AWQ;
    case KVB_QUANTIZATION_GPTQ:
        return KVB_QUANT_GPTQ;
    default:
        return KVB_QUANT_NONE;
    }
}

static void fill_lora(const struct kvb_context *context, struct kvb_load *load)
{
    const struct kvb_plan *plan = context->plan;
    const char *architecture = context->model->architecture;
    if (kvb_number(plan, KVB_SET_ENABLE_LORA) == 0) {
        return;
    }
    load->lora_slots = kvb_is_set(plan, KVB_SET_MAX_LORAS) ? kvb_number(plan, KVB_SET_MAX_LORAS) : 1;
    load->lora_rank = kvb_is_set(plan, KVB_SET_MAX_LORA_RANK) ? kvb_number(plan, KVB_SET_MAX_LORA_RANK) : LORA_RANK;
    load->lora_on_embeddings = context->release < LORA_EXTRA_UNTIL && (strcmp(architecture, "LlamaForCausalLM") == 0 ||
                                                                       strcmp(architecture, "MistralForCausalLM") == 0);
}

static void fill_draft(const struct kvb_context *context, struct kvb_load *load)
{
    load->mtp = context->speculative == KVB_SPECULATIVE_MTP;
    if (!load->mtp && context->speculative != KVB_SPECULATIVE_NONE) {
        load->draft = context->plan->draft;
    }
}

// Source: vllm/v1/worker/gpu_worker.py v0.22.0:340 _scoped_allocator_max_split, on CUDA alone.
static uint64_t largest_split(const struct kvb_context *context)
{
    bool cuda = context->gpu->vendor != KVB_VENDOR_AMD && context->generation == KVB_GENERATION_V1;
    return cuda && kvb_rule(context, KVB_RULE_LOAD_SPLIT) ? LARGEST_SPLIT : 0;
}

void kvb_load_fill(const struct kvb_context *context, struct kvb_load *load)
{
    const struct kvb_plan *plan = context->plan;
    *load = (struct kvb_load){
        .model = context->model,
        .dtype = context->dtype,
        .tp = context->tp,
        .pp = context->pp,
        .dp = context->dp,
        .pcp = context->pcp,
        .ep = context->ep,
        .online = online_of(context),
        .mxfp4 = mxfp4_padding_of(context),
        .exact_allocations = plan->environment.expandable_segments == KVB_YES,
        .largest_split_bytes = largest_split(context),
        .text_only = kvb_number(plan, KVB_SET_LANGUAGE_MODEL_ONLY) != 0,
        .towers_copied = kvb_number(plan, KVB_SET_MM_ENCODER_TP_MODE) != 0,
        .absorbs_latent = context->release >= ABSORBED_SINCE,
        .returns_layers = context->generation == KVB_GENERATION_V0, // without unified addressing
        .offload_limit_bytes = kvb_number(plan, KVB_SET_CPU_OFFLOAD_GB),
        .index_buffer_tokens = context->max_num_batched_tokens,
    };
    _Static_assert(sizeof load->stage_begin == sizeof context->stage_begin, "as many stages");
    memcpy(load->stage_begin, context->stage_begin, sizeof load->stage_begin);
    fill_lora(context, load);
    fill_draft(context, load);
}
