// How vLLM loads a model: what a release, a setting and a card make of its tensors.
// Source: vllm/model_executor/model_loader, layers/quantization/mxfp4.py, lora/layers, config/lora.py,
// v1/attention/backends/mla, model_executor/models/utils.py (cpu_offload_gb).
#include "engines/vllm/load.h"

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "engines/vllm/overhead.h"
#include "engines/vllm/overheads.h"

#define LORA_EXTRA_ROWS 256 // lora_extra_vocab_size
#define LORA_EXTRA_UNTIL KVB_RELEASE(0, 12, 0)
#define ABSORBED_SINCE KVB_RELEASE(0, 7, 0)
#define TRITON_BUNDLED_SINCE KVB_RELEASE(0, 12, 0)
#define OWN_WORD_UNTIL KVB_RELEASE(0, 27, 0)
#define TOWERS_DROPPED_SINCE KVB_RELEASE(0, 10, 1)
#define ALL_TOWERS_DROPPED_SINCE KVB_RELEASE(0, 15, 0)
#define LORA_RANK 16
#define LARGEST_SPLIT (20ULL << 20)

#define DEVICE_GROWTH_SINCE KVB_RELEASE(0, 7, 0)
#define MARLIN_BLOCKS_SINCE KVB_RELEASE(0, 9, 0)
#define NATIVE_FP8_CAPABILITY 89
#define DEVICE_GROWTH_UNTIL KVB_RELEASE(0, 21, 0)
#define ROCM_PADDING_SINCE KVB_RELEASE(0, 8, 0)
#define EXPERTS_APART_SINCE KVB_RELEASE(0, 8, 2)
#define EXPERTS_BACK_SINCE KVB_RELEASE(0, 20, 0)
#define EXPERTS_BACK_UNTIL KVB_RELEASE(0, 25, 0)

enum mxfp4_kernel { MXFP4_MARLIN, MXFP4_TRITON, MXFP4_TRTLLM, MXFP4_ROCM };

struct mxfp4_row {
    uint32_t since; // the last row of a kernel that a release has counts
    enum mxfp4_kernel kernel;
    struct kvb_padding padding;
};

// Marlin pads to 128 x 256, TRT-LLM to 256 x 256. Triton pads the intermediate size to 64 and holds its own layout of
// the scales, on ROCm it pads both sizes to 128 (256 on gfx950; mxfp4_utils.py v0.12.0 get_padding_alignment), to 0.24
// the loaded ones too (freed from 0.25.0, fused_moe/oracle/mxfp4.py:1155); triton_kernels 3.6,
// bundled in 0.16 to 0.22, pads values to 64 x 64 bytes.
static const struct mxfp4_row mxfp4_rows[] = {
    {0, MXFP4_MARLIN, {.intermediate = 128, .hidden = 256}},
    {0, MXFP4_TRTLLM, {.intermediate = 256, .hidden = 256}},
    {0, MXFP4_TRITON, {64, 1, 0, 256, 2, 1, true}},
    {KVB_RELEASE(0, 16, 0), MXFP4_TRITON, {64, 1, 64, 256, 2, 1, true}},
    {KVB_RELEASE(0, 23, 0), MXFP4_TRITON, {64, 1, 0, 256, 2, 1, true}},
    {KVB_RELEASE(0, 25, 0), MXFP4_TRITON, {64, 1, 0, 256, 2, 0, true}},
    {0, MXFP4_ROCM, {128, 128, 0, 1, 1, 1, true}},
};

// gpt-oss's method and, to 0.26, any checkpoint's that calls itself mxfp4. DeepSeek V4's experts have a method of their
// own, whose list of kernels has no Triton, and so have compressed tensors. Source: quantization/mxfp4.py v0.20.0:91
// and 463, v0.27.0:80 and 144, fused_moe/oracle/mxfp4.py v0.20.0:214, v0.23.0:292, v0.27.1:333 _get_priority_backends,
// compressed_tensors_moe_w4a4_mxfp4.py v0.20.0:43.
static bool knows_triton(const struct kvb_context *context)
{
    bool own_word = strstr(context->model->quantisation.name, "mxfp4") != NULL;
    return context->release >= TRITON_BUNDLED_SINCE && own_word &&
           (context->release < OWN_WORD_UNTIL || kvb_starts_with(context->model->architecture, "GptOss"));
}

// Source: quantization/mxfp4.py v0.11.2:138, v0.12.0:159. No wheel before 0.12 carries triton_kernels.
static enum mxfp4_kernel mxfp4_kernel(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    if (context->gpu->vendor == KVB_VENDOR_AMD) {
        return MXFP4_ROCM;
    }
    if (kvb_number(context->plan, KVB_SET_ENABLE_LORA) != 0) {
        return MXFP4_MARLIN;
    }
    if (capability >= KVB_CAPABILITY_BLACKWELL && capability < KVB_CAPABILITY_THOR) {
        return MXFP4_TRTLLM;
    }
    bool triton = capability >= KVB_CAPABILITY_HOPPER && capability < KVB_CAPABILITY_BLACKWELL && knows_triton(context);
    return triton ? MXFP4_TRITON : MXFP4_MARLIN;
}

static struct kvb_padding mxfp4_padding_of(const struct kvb_context *context)
{
    const struct mxfp4_row *found = &mxfp4_rows[0];
    for (size_t i = 0; i < sizeof mxfp4_rows / sizeof mxfp4_rows[0]; i++) {
        const struct mxfp4_row *row = &mxfp4_rows[i];
        found = row->kernel == mxfp4_kernel(context) && context->release >= row->since ? row : found;
    }
    return found->padding;
}

bool kvb_mxfp4_on_marlin(const struct kvb_context *context, struct kvb_padding *padding)
{
    *padding = mxfp4_padding_of(context);
    return mxfp4_kernel(context) == MXFP4_MARLIN;
}

// What a word of --quantization makes of a 16-bit checkpoint while loading. Source: vllm/config/quantization.py v0.20.0
// and v0.27.1 _ONLINE_SHORTHANDS, quantization/mxfp8.py v0.19.0, experts_int8.py v0.5.5; AWQ and GPTQ are a plan for a
// checkpoint that is still to be made.
static const struct online_row {
    uint64_t word;
    enum kvb_quantisation_method linear, experts;
    enum kvb_scale_shape scale;
} online_rows[] = {
    {KVB_QUANTIZATION_FP8, KVB_QUANT_FP8, KVB_QUANT_FP8, KVB_SCALE_TENSOR},
    {KVB_QUANTIZATION_FP8_PER_TENSOR, KVB_QUANT_FP8, KVB_QUANT_FP8, KVB_SCALE_TENSOR},
    {KVB_QUANTIZATION_FP8_PER_BLOCK, KVB_QUANT_FP8, KVB_QUANT_FP8, KVB_SCALE_BLOCK},
    {KVB_QUANTIZATION_FP8_PER_CHANNEL, KVB_QUANT_FP8, KVB_QUANT_FP8, KVB_SCALE_CHANNEL},
    {KVB_QUANTIZATION_PTPC_FP8, KVB_QUANT_FP8, KVB_QUANT_FP8, KVB_SCALE_CHANNEL},
    {KVB_QUANTIZATION_MXFP8, KVB_QUANT_FP8, KVB_QUANT_FP8, KVB_SCALE_GROUP},
    {KVB_QUANTIZATION_BITSANDBYTES, KVB_QUANT_BNB4, KVB_QUANT_BNB4, KVB_SCALE_TENSOR},
    {KVB_QUANTIZATION_AWQ, KVB_QUANT_AWQ, KVB_QUANT_AWQ, KVB_SCALE_TENSOR},
    {KVB_QUANTIZATION_GPTQ, KVB_QUANT_GPTQ, KVB_QUANT_GPTQ, KVB_SCALE_TENSOR},
    {KVB_QUANTIZATION_EXPERTS_INT8, KVB_QUANT_NONE, KVB_QUANT_INT8, KVB_SCALE_TENSOR},
    {KVB_QUANTIZATION_INT8_PER_CHANNEL_WEIGHT_ONLY, KVB_QUANT_NONE, KVB_QUANT_INT8, KVB_SCALE_TENSOR},
    {KVB_QUANTIZATION_NVFP4_PER_TOKEN, KVB_QUANT_NONE, KVB_QUANT_NVFP4, KVB_SCALE_TENSOR},
};

// NULL: the checkpoint stays as it is.
static const struct online_row *find_online(const struct kvb_context *context)
{
    uint64_t word = kvb_number(context->plan, KVB_SET_QUANTIZATION);
    for (size_t i = 0; i < sizeof online_rows / sizeof online_rows[0]; i++) {
        if (online_rows[i].word == word) {
            return &online_rows[i];
        }
    }
    return NULL;
}

static void fill_online(const struct kvb_context *context, struct kvb_load *load)
{
    const struct online_row *row = find_online(context);
    if (row != NULL) {
        load->online = row->linear;
        load->online_experts = row->experts;
        load->online_scale = row->scale;
    }
}

bool kvb_linears_are_plain_fp8(const struct kvb_context *context)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    const struct online_row *row = find_online(context);
    bool online = q->method == KVB_QUANT_NONE && row != NULL;
    enum kvb_quantisation_method method = online ? row->linear : q->method;
    enum kvb_scale_shape scale = online ? row->scale : q->scale;
    return method == KVB_QUANT_FP8 && !q->weight_only && (scale == KVB_SCALE_TENSOR || scale == KVB_SCALE_CHANNEL);
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
    load->lora_on_embeddings =
        strcmp(architecture, "LlamaForCausalLM") == 0 || strcmp(architecture, "MistralForCausalLM") == 0;
    load->lora_extra_rows = context->release < LORA_EXTRA_UNTIL ? LORA_EXTRA_ROWS : 0;
}

#define LENDS_BY_SHAPE_SINCE KVB_RELEASE(0, 9, 1)

// A head uses the target's embedding on one stage and where both are alike, which is not asked before 0.9.1. Gemma 4's
// assistants use it always, and keep their own as output head.
// Source: vllm/v1/spec_decode/eagle.py load_model v0.9.0 to v0.15.0, llm_base_proposer.py v0.20.0.
static bool keeps_own_embedding(const struct kvb_context *context, const struct kvb_model *draft)
{
    const struct kvb_model *model = context->model;
    bool alike = draft->hidden_size == model->hidden_size &&
                 (draft->vocabulary_size == model->vocabulary_size || kvb_model_drafts_blocks(draft));
    return context->pp > 1 || kvb_model_assists(draft) || (!alike && context->release >= LENDS_BY_SHAPE_SINCE);
}

#define V2_OFFLOADS_SINCE KVB_RELEASE(0, 28, 0)

// Runner V2 has no offloader of its own at first, and then nothing leaves: vllm#51396; gpu/model_runner.py v0.22.0 to
// v0.27.1 and at 53e211d292:324.
bool kvb_ignores_offload(const struct kvb_context *context)
{
    return context->v2_runner && context->release < V2_OFFLOADS_SINCE;
}

// Groups of layers go before bytes where no backend is named. Source: offloader/base.py v0.17.0 create_offloader,
// prefetch.py StaticBufferPool.
static void fill_offload(const struct kvb_context *context, struct kvb_load *load)
{
    const struct kvb_plain_value *numbers = context->plan->plain_numbers;
    uint64_t group = numbers[KVB_PLAIN_OFFLOAD_GROUP].number, ahead = numbers[KVB_PLAIN_OFFLOAD_AHEAD].number;
    bool named = (context->plan->plain_flags & KVB_PLAIN_PREFETCH) != 0;
    if (kvb_ignores_offload(context)) {
        return;
    }
    load->offload_roles = (uint32_t)numbers[KVB_PLAIN_OFFLOAD_ROLES].number;
    if (group == 0 && !named) {
        load->offload_limit_bytes = kvb_number(context->plan, KVB_SET_CPU_OFFLOAD_GB);
        return;
    }
    uint64_t moved = numbers[KVB_PLAIN_OFFLOAD_IN_GROUP].set ? numbers[KVB_PLAIN_OFFLOAD_IN_GROUP].number : 1;
    load->offload_group = (uint16_t)kvb_min(group, KVB_LAYERS_MAX + 1); // longer ones are never full
    load->offload_in_group = (uint16_t)kvb_min(moved, load->offload_group);
    load->offload_ahead = (uint16_t)kvb_min(numbers[KVB_PLAIN_OFFLOAD_AHEAD].set ? ahead : 1, KVB_LAYERS_MAX);
}

static void fill_draft(const struct kvb_context *context, struct kvb_load *load)
{
    const struct kvb_model *draft = context->plan->draft;
    bool assists = draft != NULL && kvb_model_assists(draft);
    load->mtp = context->speculative == KVB_SPECULATIVE_MTP && !assists;
    load->mtp_most = (uint8_t)kvb_mtp_modules(context->model);
    load->mtp_joins_by_rank = kvb_mtp_joins_by_rank(context->model);
    if (!load->mtp && context->speculative != KVB_SPECULATIVE_NONE) {
        load->draft = draft;
        load->own_embedding = load->draft != NULL && keeps_own_embedding(context, load->draft);
    }
}

// A tower whose modalities are all limited to 0 is left out: some classes to 0.14 (qwen2_vl.py, qwen2_5_vl.py,
// qwen3_vl.py, mistral3.py, mllama4.py v0.10.1), every class from 0.15 (models/interfaces.py _mark_tower_model).
static bool drops_tower(const struct kvb_context *context, bool vision)
{
    const struct kvb_plan *plan = context->plan;
    const struct kvb_encoder *encoder = &context->model->encoder;
    bool some = encoder->family == KVB_ENCODER_QWEN2_VL || encoder->family == KVB_ENCODER_QWEN25_VL ||
                encoder->family == KVB_ENCODER_QWEN3_VL || encoder->family == KVB_ENCODER_PIXTRAL ||
                encoder->family == KVB_ENCODER_LLAMA4;
    bool may = context->release >= (some ? TOWERS_DROPPED_SINCE : ALL_TOWERS_DROPPED_SINCE);
    bool videos = encoder->has_video && !kvb_is_off(plan, KVB_SET_LIMIT_VIDEOS);
    bool off = vision ? kvb_is_off(plan, KVB_SET_LIMIT_IMAGES) && !videos : kvb_is_off(plan, KVB_SET_LIMIT_AUDIOS);
    return kvb_number(plan, KVB_SET_LANGUAGE_MODEL_ONLY) != 0 || (may && off);
}

// Source: models/gpt_oss.py v0.11.0:60, rotary_embedding/deepseek_scaling_rope.py v0.20.0 and v0.27.1
// DeepseekV4ScalingRotaryEmbedding.
static bool keeps_rope_in_32_bits(const struct kvb_model *model)
{
    return strcmp(model->architecture, "GptOssForCausalLM") == 0 || kvb_model_has(model, KVB_ATTENTION_DSV4);
}

// Source: vllm/v1/worker/gpu_worker.py v0.22.0:340 _scoped_allocator_max_split, on CUDA alone.
static uint64_t largest_split(const struct kvb_context *context)
{
    bool cuda = context->gpu->vendor != KVB_VENDOR_AMD && context->generation == KVB_GENERATION_V1;
    return cuda && kvb_rule(context, KVB_RULE_LOAD_SPLIT) ? LARGEST_SPLIT : 0;
}

// Sleep mode loads into a pool of the driver's own pages; without a largest split what is dropped there is filled
// again. Source: vllm/v1/worker/gpu_worker.py v0.21.0 load_model.
static bool is_pooled(const struct kvb_context *context)
{
    return largest_split(context) > 0 && kvb_number(context->plan, KVB_SET_ENABLE_SLEEP_MODE) != 0;
}

// Classes whose constructor makes a head, and gives it the embedding's weight (tie_weights, or lm_head.weight =);
// others name the embedding. Source: vllm/model_executor/models at v0.21.0 and v0.26.0, by models/registry.py.
static bool makes_tied_head(const struct kvb_context *context)
{
    static const char *const classes[] = {
        "Apertus",
        "Arcee",
        "Chameleon",
        "Cwm",
        "DeciLM",
        "DiffusionGemma",
        "Ernie4_5",
        "Exaone",
        "FalconH1",
        "Fairseq2Llama",
        "GPT2",
        "Gemma3",
        "Gemma4",
        "GlmForCausalLM",
        "Granite",
        "GritLM",
        "HunYuan",
        "HyperCLOVAX",
        "IQuestCoder",
        "Idefics3",
        "InternLM3",
        "Jais2",
        "LLaMA",
        "Laguna",
        "Lfm2",
        "Llama",
        "Mamba2",
        "MiniCPM",
        "Mistral",
        "Mixtral",
        "NemotronForCausalLM",
        "Orion",
        "Phi3ForCausalLM",
        "Phi4MM",
        "Plamo2",
        "Plamo3",
        "Qwen2Moe",
        "Qwen3Moe",
        "Qwen3VLMoe",
        "Rnj1",
        "SmolVLM",
        "Solar",
        "StableLM",
        "StableLm",
        "Step1",
        "TeleChat",
        "TeleFLM",
        "Whisper",
        "Zamba2",
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (kvb_starts_with(context->model->architecture, classes[i])) {
            return true;
        }
    }
    return false;
}

// Marlin and Machete take 4-bit groups of compressed-tensors transposed first, AWQ's and GPTQ's as they are.
// Source: kernels/linear/mixed_precision/marlin.py and machete.py v0.26.0, quantization/awq_marlin.py,
// utils/marlin_utils_fp8.py v0.26.0 pack_fp8_to_int32.
static uint8_t relaid_copies(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    switch (context->model->quantisation.method) {
    case KVB_QUANT_WNA16:
        return 2;
    case KVB_QUANT_AWQ:
    case KVB_QUANT_GPTQ:
        return 1;
    case KVB_QUANT_FP8:
        return capability < NATIVE_FP8_CAPABILITY ? 2 : 0;
    default:
        return 0;
    }
}

// Source: quantization/utils/marlin_utils_fp8.py v0.9.0:151 and 259, v0.21.0:186 and 292 repeat_interleave.
static bool spreads_block_scales(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    return context->gpu->vendor == KVB_VENDOR_NVIDIA && capability > 0 && capability < NATIVE_FP8_CAPABILITY &&
           context->release >= MARLIN_BLOCKS_SINCE;
}

// Source: platforms/rocm.py v0.7.0, v0.20.2:785 get_current_memory_usage: what the whole device holds; what the
// allocator holds before, and from 0.21.0.
static bool counts_growth(const struct kvb_context *context)
{
    return context->gpu->vendor == KVB_VENDOR_AMD && context->release >= DEVICE_GROWTH_SINCE &&
           context->release < DEVICE_GROWTH_UNTIL;
}

static uint64_t runtime_of(const struct kvb_gpu *gpu)
{
    uint64_t mib = (uint64_t)kvb_overhead_of(gpu->cdna ? KVB_OVERHEAD_RUNTIME_CDNA : KVB_OVERHEAD_RUNTIME_RDNA)->likely;
    return mib << 20;
}

// The copy that a kernel's format asks for undoes the padding: AITER's, and to 0.24 Triton's from 0.20.0.
// Source: fused_moe/layer.py v0.8.2 _maybe_pad_weight, fused_moe/unquantized_fused_moe_method.py v0.12.0:207,
// fused_moe/oracle/unquantized.py v0.20.0:321, v0.25.0:311; envs.py v0.16.0:885.
static enum kvb_expert_rows expert_rows_of(const struct kvb_context *context)
{
    const struct kvb_environment *environment = &context->plan->environment;
    bool amd = context->gpu->vendor == KVB_VENDOR_AMD && context->release >= EXPERTS_APART_SINCE;
    if (!amd || environment->rocm_moe_padding == KVB_NO) {
        return KVB_EXPERT_ROWS_AS_LOADED;
    }
    bool contiguous = context->release >= EXPERTS_BACK_SINCE && context->release < EXPERTS_BACK_UNTIL;
    bool shuffled = context->gpu->cdna && environment->rocm_use_aiter == KVB_YES;
    return contiguous || shuffled ? KVB_EXPERT_ROWS_BACK : KVB_EXPERT_ROWS_APART;
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
        .mxfp4 = mxfp4_padding_of(context),
        .shares_index = kvb_rule(context, KVB_RULE_INDEX_SHARING) != 0, // deepseek_v2.py v0.21.0:988, v0.25.1:1106
        .fp32_rope = keeps_rope_in_32_bits(context->model),
        .scales_by_row = spreads_block_scales(context),
        .padded_rows = context->gpu->vendor == KVB_VENDOR_AMD && context->release >= ROCM_PADDING_SINCE,
        .expert_rows = expert_rows_of(context),
        .counts_device = counts_growth(context),
        .relays_packed = counts_growth(context) && context->model->quantisation.method == KVB_QUANT_WNA16,
        .runtime_bytes = counts_growth(context) ? runtime_of(context->gpu) : 0,
        .exact_allocations = plan->environment.expandable_segments == KVB_YES,
        .largest_split_bytes = largest_split(context),
        .pooled = is_pooled(context),
        .makes_tied_head = makes_tied_head(context),
        .relaid_copies = relaid_copies(context),
        .no_vision = drops_tower(context, true),
        .no_audio = drops_tower(context, false),
        .no_head = context->pools, // models/adapters.py v0.12.0:178
        .towers_copied = kvb_number(plan, KVB_SET_MM_ENCODER_TP_MODE) != 0,
        .absorbs_latent = context->release >= ABSORBED_SINCE,
        .returns_layers = context->generation == KVB_GENERATION_V0, // without unified addressing
        .index_buffer_tokens = context->max_num_batched_tokens,
        .workspace_bytes = kvb_sparse_scratch(context).loaded_bytes,
        .stream_buffer_tokens = context->max_num_batched_tokens, // deepseek_v4.py v0.20.0:1242, nvidia/model.py v0.25.0
        .deepstack_tokens = drops_tower(context, true) ? 0 : context->max_num_batched_tokens,
    };
    _Static_assert(sizeof load->stage_begin == sizeof context->stage_begin, "as many stages");
    memcpy(load->stage_begin, context->stage_begin, sizeof load->stage_begin);
    fill_online(context, load);
    fill_lora(context, load);
    fill_draft(context, load);
    fill_offload(context, load);
}
