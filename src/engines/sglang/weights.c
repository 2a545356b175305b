// How SGLang loads a model: what a release, a setting and a card make of its tensors. Source: sgl-project/sglang,
// python/sglang/srt: layers/dp_attention.py, layers/quantization/mxfp4.py, models/deepseek_v2.py (w_kc, w_vc),
// lora/mem_pool.py, utils/offloader.py.
#include "engines/sglang/context.h"

#include <string.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "budget/weights/weights.h"
#include "engines/sglang/models.h"

#define VOCABULARY_STEP 64U // layers/vocab_parallel_embedding.py, DEFAULT_VOCAB_PADDING_SIZE
#define LORA_SLOTS 8U       // --max-loras-per-batch
#define LORA_RANK 16U       // of adapters nobody describes

// What the kernel that a release chooses for MXFP4 experts pads to: layers/quantization/mxfp4.py (create_weights) and
// server_args.py, from 0.5.15 on arg_groups/overrides.py (_gpt_oss_overrides). TRT-LLM's on data centre Blackwell;
// Marlin's and then CUTLASS's on other Blackwell cards; AITER's on ROCm; Triton's on all others.
//
// In an FP8 checkpoint (DeepSeek V4; fp8.py, mxfp4_marlin_moe.py, overrides.py _deepseek_v4_sm120_moe) nothing is
// padded. Marlin's kernel, the one for Hopper, makes scales of its own and leaves those as loaded: to 0.5.15 in
// 32 bits, 16.9 GiB of 125.65 in sg-dsv4-pro-h200-f088-refused, then in 8. The others lay them out in place.
#define VALUE_STEP 64U
struct mxfp4_row {
    bool mixed, hip;
    uint32_t since, capability, below;
    struct kvb_padding padding;
};
#define R(minor, patch) KVB_RELEASE(0, minor, patch)
static const struct mxfp4_row mxfp4_rows[] = {
    {true, true, 0, 0, UINT32_MAX, {0}},
    {true, false, 0, KVB_CAPABILITY_BLACKWELL, KVB_CAPABILITY_THOR, {0}},
    {true, false, R(5, 16), KVB_CAPABILITY_CONSUMER_BLACKWELL, UINT32_MAX, {0}},
    {true, false, R(5, 16), 0, UINT32_MAX, {.loaded_scale_bytes = 1}},
    {true, false, 0, 0, UINT32_MAX, {.loaded_scale_bytes = 4}},
    {false, true, 0, 0, UINT32_MAX, {.intermediate = 256, .hidden = 256}},
    {false, false, R(5, 18), KVB_CAPABILITY_BLACKWELL, KVB_CAPABILITY_THOR, {.intermediate = 128, .hidden = 128}},
    {false, false, 0, KVB_CAPABILITY_BLACKWELL, KVB_CAPABILITY_THOR, {.intermediate = 256, .hidden = 256}},
    {false, false, R(5, 18), KVB_CAPABILITY_CONSUMER_BLACKWELL, UINT32_MAX, {.intermediate = 128, .hidden = 128}},
    {false, false, R(5, 14), KVB_CAPABILITY_CONSUMER_BLACKWELL, UINT32_MAX, {.intermediate = 128, .hidden = 256}},
    // triton_kernels 3.6, bundled in sglang-kernel from 0.5.12 on, pads values to 64 x 64 bytes (hopper_value.py)
    {false, false, R(5, 12), KVB_CAPABILITY_HOPPER, KVB_CAPABILITY_BLACKWELL, {64, 1, VALUE_STEP, 256, 2, 1, true}},
    {false, false, 0, 0, UINT32_MAX, {64, 1, 0, 256, 2, 1, true}},
};

// --moe-runner-backend chooses the kernel of an MXFP4 checkpoint, quantization/mxfp4.py; FlashInfer's is TRT-LLM's on
// data centre Blackwell, CUTLASS's on Hopper. Triton's own kernels without triton_kernel make 16 bits of the experts.
static const struct {
    enum kvb_moe_backend experts;
    uint32_t capability, below;
    struct kvb_padding padding;
} asked_rows[] = {
    {KVB_MOE_MARLIN, 0, UINT32_MAX, {.intermediate = 128, .hidden = 256}},
    {KVB_MOE_FLASHINFER_MXFP4, KVB_CAPABILITY_HOPPER, KVB_CAPABILITY_BLACKWELL, {.intermediate = 128, .hidden = 128}},
    {KVB_MOE_TRITON_KERNELS, KVB_CAPABILITY_BLACKWELL, UINT32_MAX, {64, 1, 0, 256, 2, 1, true}},
};

struct kvb_padding kvb_sgl_mxfp4_padding(const struct kvb_sgl_setup *setup)
{
    bool mixed = setup->model->quantisation.expert_method == KVB_QUANT_MXFP4;
    const struct mxfp4_row *row = mxfp4_rows;
    for (size_t i = 0; i < sizeof asked_rows / sizeof asked_rows[0]; i++) {
        bool here =
            setup->compute_capability >= asked_rows[i].capability && setup->compute_capability < asked_rows[i].below;
        if (!mixed && here && setup->experts == asked_rows[i].experts) {
            return asked_rows[i].padding;
        }
    }
    while (row->mixed != mixed || row->hip != setup->hip || setup->release < row->since ||
           setup->compute_capability < row->capability || setup->compute_capability >= row->below) {
        row++;
    }
    return row->padding;
}

enum kvb_quantisation_method kvb_sgl_made_of(const struct kvb_plan *plan)
{
    switch (kvb_number(plan, KVB_SET_QUANTIZATION)) {
    case KVB_QUANTIZATION_FP8:
        return KVB_QUANT_FP8;
    case KVB_QUANTIZATION_BITSANDBYTES:
        return KVB_QUANT_BNB4;
    case KVB_QUANTIZATION_AWQ:
    case KVB_QUANTIZATION_AWQ_MARLIN:
        return KVB_QUANT_AWQ;
    case KVB_QUANTIZATION_GPTQ:
    case KVB_QUANTIZATION_GPTQ_MARLIN:
        return KVB_QUANT_GPTQ;
    default:
        return KVB_QUANT_NONE;
    }
}

// layers/rotary_embedding (MRotaryEmbedding): as many rows as positions, where vLLM keeps four times as many.
static bool has_sections(const struct kvb_model *model)
{
    return model->rope_cache_count > 0 && model->rope_caches[0].rows / 4 == model->context_tokens;
}

// A head tied to the embedding that is allocated nevertheless, on the last stage.
static uint64_t second_head(const struct kvb_sgl_context *context, uint32_t stage)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    const struct kvb_model *model = setup->model;
    if (!model->tied_embeddings || stage + 1 != setup->pp ||
        !kvb_sgl_model_is(model, KVB_SGL_HEAD_TWICE, setup->release)) {
        return 0;
    }
    uint64_t rows = kvb_div_up(kvb_round_up(model->vocabulary_size, VOCABULARY_STEP), setup->tp);
    return kvb_mul(kvb_mul(rows, model->hidden_size), kvb_dtype_bytes(context->dtype));
}

static void fill_load(const struct kvb_sgl_context *context, struct kvb_load *load)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    const struct kvb_plan *plan = context->plan;
    *load = (struct kvb_load){
        .model = setup->model,
        .dtype = context->dtype,
        .tp = setup->tp,
        .pp = setup->pp,
        .dp = 1,
        .pcp = 1,
        .ep = kvb_number(plan, KVB_SET_ENABLE_EXPERT_PARALLEL) != 0 ? setup->tp : 1,
        .online = kvb_sgl_made_of(plan),
        .online_experts = kvb_sgl_made_of(plan),
        .mxfp4 = kvb_sgl_mxfp4_padding(setup),
        .plain = setup->experts == KVB_MOE_TRITON && setup->model->quantisation.method == KVB_QUANT_MXFP4,
        .fp32_rope = true, // layers/rotary_embedding.py keeps cos and sin in 32 bits on CUDA
        .no_rope_table = kvb_sgl_model_is(setup->model, KVB_SGL_NO_ROPE_TABLE, setup->release),
        .exact_allocations = plan->environment.expandable_segments == KVB_YES,
        .no_vision = setup->text_only,
        .no_audio = setup->text_only,
        .absorbs_latent = true,
        .offload_limit_bytes = kvb_number(plan, KVB_SET_CPU_OFFLOAD_GB),
    };
    if (kvb_sgl_model_is(setup->model, KVB_SGL_PLAIN_ROPE, setup->release) || has_sections(setup->model)) {
        load->rope_rows_most = setup->model->context_tokens;
    }
    memcpy(load->stage_begin, context->stage_begin, sizeof load->stage_begin);
    if (setup->lora) {
        uint64_t slots = kvb_number(plan, KVB_SET_MAX_LORAS);
        uint64_t rank = kvb_number(plan, KVB_SET_MAX_LORA_RANK);
        load->lora_slots = slots > 0 ? slots : LORA_SLOTS;
        load->lora_rank = rank > 0 ? rank : LORA_RANK;
    }
}

// With data-parallel attention each group holds attention and embeddings of its own; the MLP, the experts and the head
// are split over all ranks.
static bool stays_split(enum kvb_role role)
{
    return role == KVB_ROLE_MLP || role == KVB_ROLE_EXPERTS || role == KVB_ROLE_SHARED_EXPERT || role == KVB_ROLE_HEAD;
}

void kvb_sgl_weights(const struct kvb_sgl_context *context, uint32_t stage, struct kvb_weights *weights)
{
    struct kvb_load load;
    fill_load(context, &load);
    kvb_weights_count(&load, stage, weights);
    uint64_t head = second_head(context, stage);
    weights->total_bytes = kvb_add(weights->total_bytes, head);
    weights->role_bytes[KVB_ROLE_HEAD] = kvb_add(weights->role_bytes[KVB_ROLE_HEAD], head);
    uint32_t groups = kvb_sgl_attention_groups(&context->setup);
    if (groups <= 1) {
        return;
    }
    struct kvb_weights whole;
    load.tp = kvb_sgl_attention_ranks(&context->setup);
    load.ep = 1;
    kvb_weights_count(&load, stage, &whole);
    for (int role = 0; role < KVB_ROLE_COUNT; role++) {
        if (!stays_split((enum kvb_role)role)) {
            weights->total_bytes = kvb_add(weights->total_bytes - weights->role_bytes[role], whole.role_bytes[role]);
            weights->role_bytes[role] = whole.role_bytes[role];
        }
    }
    weights->total_bytes = kvb_add(weights->total_bytes - weights->absorbed_bytes, whole.absorbed_bytes);
    weights->absorbed_bytes = whole.absorbed_bytes;
}

bool kvb_sgl_drafts_first(const struct kvb_sgl_context *context)
{
    return context->setup.release >= KVB_RELEASE(0, 5, 14);
}

uint64_t kvb_sgl_draft_weights(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    if (setup->draft == KVB_SGL_DRAFT_NONE || setup->draft == KVB_SGL_DRAFT_NGRAM) {
        return 0;
    }
    struct kvb_load load;
    struct kvb_weights without;
    struct kvb_weights with;
    fill_load(context, &load);
    kvb_weights_count(&load, setup->pp - 1, &without);
    load.draft = setup->draft_model;
    load.mtp = setup->draft_model == NULL;
    kvb_weights_count(&load, setup->pp - 1, &with);
    return kvb_less(with.total_bytes, without.total_bytes);
}
