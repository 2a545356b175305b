// What a release refuses because of the KV cache's layout or its attention backend, in its own words.
#include "engines/vllm/kv.h"

#include <string.h>

#include "budget/gpu_facts.h"
#include "engines/vllm/errors.h"
#include "engines/vllm/kv_backend.h"
#include "engines/vllm/release_tables.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define CONFIG_PRINTED_SINCE R(13, 0)

static const char *dtype_text(enum kvb_dtype dtype)
{
    return dtype == KVB_DTYPE_FP16 ? "torch.float16" : dtype == KVB_DTYPE_FP32 ? "torch.float32" : "torch.bfloat16";
}

// Source: vllm/platforms/cuda.py get_attn_backend_cls; the reasons of each backend that follow are left out.
static bool no_backend(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *shape = kvb_latent_shape(context->model);
    enum kvb_backend asked = kvb_mla_backend_set(context);
    if (!context->mla_backend.missing) {
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    if (asked != KVB_BACKEND_AUTO) {
        kvb_error_add(&line, "Selected backend AttentionBackendEnum.");
        kvb_error_add(&line, kvb_backend_name(asked));
        kvb_error_add(&line, " is not valid for this configuration.");
        return true;
    }
    bool printed = context->release >= CONFIG_PRINTED_SINCE;
    const char *is = printed ? "=" : ": ";
    kvb_error_add(&line, "No valid attention backend found for cuda with ");
    kvb_error_add(&line, printed ? "AttentionSelectorConfig(head_size" : "head_size");
    kvb_error_add(&line, is);
    kvb_error_add_count(&line, (uint64_t)shape->latent_rank + shape->rope_size);
    kvb_error_add(&line, ", dtype");
    kvb_error_add(&line, is);
    kvb_error_add(&line, dtype_text(context->dtype));
    kvb_error_add(&line, ", kv_cache_dtype");
    kvb_error_add(&line, is);
    char word[48];
    kvb_error_add(&line, kvb_setting_format(word, KVB_SET_KV_CACHE_DTYPE, context->kv_word));
    return true;
}

// Source: vllm/v1/attention/backends/mla/triton_mla.py v0.26.0 TritonMLAImpl.__init__.
static bool triton_without_fp8(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint32_t capability = context->gpu->compute_capability;
    if (context->mla_backend.backend != KVB_BACKEND_TRITON_MLA || context->kv_dtype != KVB_KV_FP8 ||
        context->release < R(26, 0) || capability >= KVB_CAPABILITY_ADA) {
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "FP8 KV cache is not supported by the Triton MLA backend on ");
    kvb_error_add(&line, context->gpu->name);
    kvb_error_add(&line, " (compute capability ");
    kvb_error_add_count(&line, capability / 10);
    kvb_error_add(&line, ".");
    kvb_error_add_count(&line, capability % 10);
    kvb_error_add(&line, "); native FP8 (fp8e4nv) requires SM89+. Re-run with --kv-cache-dtype ");
    kvb_error_add(&line, capability < KVB_CAPABILITY_AMPERE ? "float16." : "bfloat16.");
    return true;
}

#define TRITON_FP8_LACKED_UNTIL R(11, 1) // later releases ask each backend beforehand

// Up to 0.11.0 the backend was taken by device alone: neither FlashMLA's Hopper nor CUTLASS' B200 leaves Triton.
// Source: vllm/v1/attention/backends/mla/triton_mla.py v0.8.0 to v0.11.0 TritonMLAImpl.__init__; platforms/cuda.py.
static bool early_triton_without_fp8(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_gpu *gpu = context->gpu;
    enum kvb_backend asked = kvb_backend_asked(context);
    bool other = gpu->vendor != KVB_VENDOR_NVIDIA || gpu->compute_capability == 0 ||
                 KVB_CAPABILITY_MAJOR(gpu->compute_capability) == KVB_CAPABILITY_MAJOR(KVB_CAPABILITY_HOPPER) ||
                 gpu->compute_capability == KVB_CAPABILITY_BLACKWELL;
    bool triton = asked == KVB_BACKEND_TRITON_MLA || (asked == KVB_BACKEND_AUTO && !other);
    bool eight_bits = context->kv_dtype == KVB_KV_FP8 || context->kv_word == KVB_KV_16BIT; // any word but "auto"
    if (context->release >= TRITON_FP8_LACKED_UNTIL || context->generation != KVB_GENERATION_V1 || !triton ||
        !eight_bits || !kvb_model_is_mla(context->model)) {
        return false;
    }
    kvb_error_text("TritonMLA V1 with FP8 KV cache not yet supported", out);
    return true;
}

#define INDEX_BLOCK_TOKENS 64

// The sparse index takes blocks of 64 alone, whatever the backend beside it takes.
// Source: vllm/v1/worker/utils.py select_common_block_size, v1/attention/backends/mla/indexer.py, from v0.18.0.
static bool no_common_block(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *shape = kvb_latent_shape(context->model);
    uint64_t block = kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    if (kvb_rule(context, KVB_RULE_BLOCK_SIZE) != KVB_BLOCK_BACKEND || shape == NULL || shape->index_heads == 0 ||
        context->gpu->vendor != KVB_VENDOR_NVIDIA ||
        block % INDEX_BLOCK_TOKENS == 0) { // a missing backend said so above
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "No common block size for ");
    kvb_error_add_count(&line, block);
    kvb_error_add(&line, ". ");
    return true;
}

// Each worker takes the block of its own first cache: 64 of an index, 32 of FlashInfer's sparse kernels on a stage
// whose first layer shares another's index. Source: vllm/platforms/interface.py update_block_size_for_backend v0.24.0.
static bool stages_of_two_blocks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool smaller = context->mla_backend.block_tokens > 0 && context->mla_backend.block_tokens < INDEX_BLOCK_TOKENS &&
                   context->mla_backend.backend == KVB_BACKEND_FLASHINFER_MLA_SPARSE;
    if (!kvb_rule(context, KVB_RULE_INDEX_SHARING) || !smaller || kvb_number(context->plan, KVB_SET_BLOCK_SIZE) > 0) {
        return false;
    }
    for (uint32_t stage = 1; stage < context->pp; stage++) {
        if (!kvb_kind_of(context->model, context->stage_begin[stage])->attention.has_indexer) {
            kvb_error_text("page size is not divisible by the maximum page size and cannot be padded. Padding is only "
                           "supported for attention layers whose backend indexes KV pages by the block stride "
                           "(indexes_kv_by_block_stride is True).",
                           out);
            return true;
        }
    }
    return false;
}

#define E5M2_OF_SCHEMES_SINCE R(24, 0) // compressed-tensors without a cache scheme declares nothing

// Methods that give attention layers scales of their own; latents are another class and have none.
// Source: vllm/attention/layer.py v0.9.0, model_executor/layers/attention/attention.py v0.27.1 _init_kv_cache_quant.
static bool e5m2_of_fp8_checkpoint(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool schemes = strcmp(q->name, "compressed-tensors") == 0 &&
                   (context->release < E5M2_OF_SCHEMES_SINCE || q->cache == KVB_DECLARED_SCHEME);
    bool scales = schemes || strcmp(q->name, "fp8") == 0 || strcmp(q->name, "modelopt") == 0 ||
                  strcmp(q->name, "modelopt_fp4") == 0;
    if (context->kv_word != KVB_KV_FP8_E5M2 || !scales || kvb_model_is_mla(context->model) ||
        context->release < R(9, 0) || context->generation != KVB_GENERATION_V1) {
        return false;
    }
    kvb_error_text("fp8_e5m2 kv-cache is not supported with fp8 checkpoints.", out);
    return true;
}

// Source: vllm/config/model.py v0.10.1, transformers_utils/model_arch_config_convertor.py v0.14.0 and later.
static bool unknown_algorithm(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!context->model->quantisation.unknown_algorithm || context->release < R(10, 1)) {
        return false;
    }
    kvb_error_text("Unknown ModelOpt quant algo: MIXED_PRECISION", out);
    return true;
}

// Source: vllm/config/vllm.py validate_nvfp4_kv_cache_with_mla, from v0.21.0 on.
static bool nvfp4_of_latents(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->kv_word != KVB_KV_NVFP4 || !kvb_model_is_mla(context->model) || context->release < R(21, 0)) {
        return false;
    }
    kvb_error_text("nvfp4 KV cache is not supported with MLA (Multi-head Latent Attention) backends. Please use a "
                   "different --kv-cache-dtype (e.g., 'fp8' or 'auto') for MLA models such as DeepSeek.",
                   out);
    return true;
}

// Source: vllm/model_executor/layers/deepseek_v4_attention.py v0.20.0, models/deepseek_v4/attention.py v0.22.0 on.
static bool v4_without_fp8(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    enum kvb_kv_dtype word = context->kv_word;
    if (!kvb_model_has(context->model, KVB_ATTENTION_DSV4) || kvb_rule(context, KVB_RULE_DSV4) == 0 ||
        kvb_backend_asked(context) == KVB_BACKEND_OTHER || kvb_dsv4_is_plain(context) || word == KVB_KV_FP8 ||
        word == KVB_KV_FP8_E4M3 || word == KVB_KV_FP8_E5M2 || word == KVB_KV_FP8_DS_MLA ||
        word == KVB_KV_FP8_PER_TOKEN_HEAD) {
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    char text[48];
    kvb_error_add(&line, context->release < R(23, 0) ? "DeepseekV4 only supports fp8 kv-cache format for now, got "
                         : context->release < R(24, 0)
                             ? "DeepseekV4 FlashMLA fp8 layout only supports fp8 kv-cache, got "
                             : "DeepseekV4 fp8_ds_mla layout only supports fp8 kv-cache, got ");
    kvb_error_add(&line, kvb_setting_format(text, KVB_SET_KV_CACHE_DTYPE, word));
    return true;
}

// Source: models/deepseek_v4.py v0.20.0, models/deepseek_v4/nvidia/model.py v0.22.0: quantization_config["scale_fmt"],
// which DeepSeek's own checkpoints have and those of compressed-tensors do not.
static bool v4_without_scale_format(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!kvb_model_has(context->model, KVB_ATTENTION_DSV4) || kvb_rule(context, KVB_RULE_DSV4) == 0 ||
        context->release >= R(23, 0) || strcmp(context->model->quantisation.name, "compressed-tensors") != 0) {
        return false;
    }
    kvb_error_text("KeyError: 'scale_fmt'", out);
    return true;
}

// Source: vllm/engine/arg_utils.py v0.20.0 to v0.20.2.
static bool turboquant_with_states(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!kvb_is_turboquant(context->kv_word) || !kvb_model_has_state(context->model) || context->release >= R(21, 0)) {
        return false;
    }
    kvb_error_text("TurboQuant KV cache is not supported for hybrid (attention + Mamba) models. Boundary layer "
                   "protection requires uniform attention layers.",
                   out);
    return true;
}

#define DRAFTS_ALIGNED_SINCE R(17, 0)

// Source: vllm/model_executor/models/config.py v0.15.0, v0.16.0 MambaModelConfig.
static bool drafts_while_aligned(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->mamba_mode != KVB_MAMBA_MODE_ALIGN || context->speculative == KVB_SPECULATIVE_NONE ||
        context->release >= DRAFTS_ALIGNED_SINCE) {
        return false;
    }
    kvb_error_text("Mamba cache mode 'align' is currently not compatible with speculative decoding.", out);
    return true;
}

#define ANY_STEP_SINCE R(27, 0)

// Source: vllm/config/vllm.py v0.15.0 __post_init__, from v0.18.0 validate_block_size.
static bool step_smaller_than_state(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->mamba_mode != KVB_MAMBA_MODE_ALIGN || context->release >= ANY_STEP_SINCE ||
        context->block_tokens <= context->max_num_batched_tokens) {
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "In Mamba cache align mode, block_size (");
    kvb_error_add_count(&line, context->block_tokens);
    kvb_error_add(&line, ") must be <= max_num_batched_tokens (");
    kvb_error_add_count(&line, context->max_num_batched_tokens);
    kvb_error_add(&line, ").");
    return true;
}

// The choices that argparse lists behind it are left out.
static bool word_not_listed(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char text[48];
    uint64_t asked = kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE);
    const char *word = kvb_setting_format(text, KVB_SET_KV_CACHE_DTYPE, asked);
    const struct kvb_known_choice *first = kvb_choices_of("kv-cache-dtype", context->release), *row = first;
    while (row != NULL && strcmp(row->word, word) != 0) {
        row = kvb_choice_after(row, context->release);
    }
    if (first == NULL || row != NULL) {
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "argument --kv-cache-dtype: invalid choice: '");
    kvb_error_add(&line, word);
    kvb_error_add(&line, "'");
    return true;
}

// --block-size: what argparse lists (refused before), from 0.18 on any number, which the attention backend then takes
// in multiples of 16 or not at all.
#define BLOCK_UNIT 16
#define ANY_BLOCK_SINCE R(18, 0)

// Source: v1/attention/backends/flash_attn.py and triton_attn.py get_kv_cache_shape; states raise the block beforehand.
static bool is_no_multiple(const struct kvb_context *context, uint64_t asked, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool plain = context->generation == KVB_GENERATION_V1 && kvb_model_has(context->model, KVB_ATTENTION_FULL) &&
                 !kvb_model_is_mla(context->model) && !kvb_model_has_state(context->model);
    if (plain && asked % BLOCK_UNIT != 0) {
        kvb_error_text("Block size must be a multiple of 16.", out);
        return true;
    }
    return false;
}

static bool block_not_taken(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t asked = kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    if (asked == 0 || context->release < ANY_BLOCK_SINCE) {
        return asked != 0 && is_no_multiple(context, asked, out);
    }
    bool taken = asked % BLOCK_UNIT == 0 || kvb_model_is_mla(context->model) ||
                 kvb_backend_asked(context) == KVB_BACKEND_OTHER || !kvb_model_has(context->model, KVB_ATTENTION_FULL);
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, taken ? "" : "No valid attention backend found for cuda with a block_size of ");
    if (!taken) {
        kvb_error_add_count(&line, asked);
    }
    return !taken;
}

typedef bool refusal(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);

bool kvb_kv_refused(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    static refusal *const refusals[] = {word_not_listed,          block_not_taken,      unknown_algorithm,
                                        turboquant_with_states,   nvfp4_of_latents,     no_backend,
                                        triton_without_fp8,       v4_without_fp8,       v4_without_scale_format,
                                        early_triton_without_fp8, no_common_block,      stages_of_two_blocks,
                                        e5m2_of_fp8_checkpoint,   drafts_while_aligned, step_smaller_than_state};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        char text[KVB_ERROR_TEXT_CAPACITY];
        if (refusals[i](context, text)) { // `out` may hold an error already and keeps it otherwise
            kvb_error_text(text, out);
            return true;
        }
    }
    return false;
}
