// Bytes that one layer keeps: per token for attention, per sequence for states.
// Source: vllm/v1/kv_cache_interface.py, vllm/model_executor/layers/mamba/mamba_utils.py.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"

#define DS_MLA_TOKEN_BYTES 656 // 512 fp8 + 4 fp32 scales + 64 bf16 rope
#define TOKEN_HEAD_SCALES 8    // one fp32 scale each for K and V

struct turboquant_row {
    enum kvb_kv_dtype dtype;
    uint32_t key_bits; // 8: one byte an element, no norm
    uint32_t value_bits;
};

static const struct turboquant_row turboquant_rows[] = {
    {KVB_KV_TURBOQUANT_K8V4, 8, 4},
    {KVB_KV_TURBOQUANT_4BIT_NC, 4, 4},
    {KVB_KV_TURBOQUANT_K3V4_NC, 3, 4},
    {KVB_KV_TURBOQUANT_3BIT_NC, 3, 3},
};

static uint64_t turboquant_bytes(enum kvb_kv_dtype dtype, uint32_t key_size, uint32_t value_size)
{
    for (size_t i = 0; i < sizeof turboquant_rows / sizeof turboquant_rows[0]; i++) {
        const struct turboquant_row *row = &turboquant_rows[i];
        if (row->dtype == dtype) {
            uint64_t key = row->key_bits == 8 ? key_size : kvb_div_up((uint64_t)key_size * row->key_bits, 8) + 2;
            uint64_t value = kvb_div_up((uint64_t)value_size * row->value_bits, 8) + 4;
            return kvb_round_up(key + value, 2);
        }
    }
    return 0;
}

uint64_t kvb_kv_head_bytes(enum kvb_kv_dtype kv_dtype, enum kvb_dtype dtype, uint32_t key_size, uint32_t value_size)
{
    uint64_t elements = (uint64_t)key_size + value_size;
    switch (kv_dtype) {
    case KVB_KV_AUTO:
        return elements * kvb_dtype_bytes(dtype);
    case KVB_KV_16BIT:
        return elements * 2;
    case KVB_KV_FP8:
    case KVB_KV_FP8_DS_MLA:
        return elements;
    case KVB_KV_INT8_PER_TOKEN_HEAD:
    case KVB_KV_FP8_PER_TOKEN_HEAD:
        return elements + TOKEN_HEAD_SCALES;
    case KVB_KV_INT4_PER_TOKEN_HEAD:
        return elements / 2 + TOKEN_HEAD_SCALES;
    case KVB_KV_NVFP4:
        return elements / 2 + elements / 16;
    default:
        return turboquant_bytes(kv_dtype, key_size, value_size);
    }
}

// Up to 0.17 the model's class chose the layout, and only this class did.
static bool is_v32(const struct kvb_model *model)
{
    return strcmp(model->architecture, "DeepseekV32ForCausalLM") == 0;
}

// fp8_ds_mla belongs to models with a sparse index; when, depends on the release.
static bool uses_ds_mla(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (context->kv_dtype == KVB_KV_FP8_DS_MLA) {
        return true;
    }
    bool fp8 = context->kv_dtype == KVB_KV_FP8;
    if (shape->index_heads == 0 || (!fp8 && context->kv_dtype != KVB_KV_AUTO)) {
        return false;
    }
    switch (kvb_rule(context, KVB_RULE_DS_MLA)) {
    case 0:
        return false;
    case 1:
        return is_v32(context->model);
    case 2:
        return fp8 && is_v32(context->model);
    default:
        return fp8 && context->gpu->compute_capability < 100;
    }
}

uint64_t kvb_mla_token_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (uses_ds_mla(context, shape)) {
        return DS_MLA_TOKEN_BYTES;
    }
    return kvb_kv_head_bytes(context->kv_dtype, context->dtype, shape->latent_rank + shape->rope_size, 0);
}

static uint32_t value_size_of(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    uint32_t rule = kvb_rule(context, KVB_RULE_VALUE_SIZE);
    bool own = shape->kind == KVB_ATTENTION_SLIDING ? rule >= 2 : rule >= 1;
    return own && shape->value_head_size > 0 ? shape->value_head_size : shape->head_size;
}

uint64_t kvb_layer_token_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    switch (shape->kind) {
    case KVB_ATTENTION_FULL:
    case KVB_ATTENTION_SLIDING:
    case KVB_ATTENTION_CHUNKED:
    case KVB_ATTENTION_CROSS:
        return kvb_heads_on_rank(shape->kv_heads, context->tp) *
               kvb_kv_head_bytes(context->kv_dtype, context->dtype, shape->head_size, value_size_of(context, shape));
    case KVB_ATTENTION_MLA:
        return kvb_mla_token_bytes(context, shape);
    default:
        return 0;
    }
}

static uint32_t dtype_word_bytes(uint64_t word, uint32_t fallback)
{
    return word == KVB_DTYPE_WORD_FP32 ? 4 : word == KVB_DTYPE_AUTO ? fallback : 2;
}

static bool is_nemotron_h(const struct kvb_model *model)
{
    return strcmp(model->architecture, "NemotronHForCausalLM") == 0;
}

// Element sizes of the convolution and the recurrent state.
static void state_element_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape,
                                uint32_t *conv_bytes, uint32_t *state_bytes)
{
    const struct kvb_plan *plan = context->plan;
    *conv_bytes = dtype_word_bytes(kvb_number(plan, KVB_SET_MAMBA_CACHE_DTYPE), kvb_dtype_bytes(context->dtype));
    uint32_t fallback = *conv_bytes;
    bool named = context->model->state_dtype_known;
    if (shape->kind == KVB_ATTENTION_KDA) {
        fallback = 4;
    } else if (shape->kind == KVB_ATTENTION_MAMBA2 && named) {
        fallback = kvb_dtype_bytes(context->model->state_dtype);
    } else if (is_nemotron_h(context->model) && kvb_rule(context, KVB_RULE_STATE_FP32)) {
        fallback = 4;
    } else if (shape->kind == KVB_ATTENTION_GDN && kvb_rule(context, KVB_RULE_STATE_CONFIG) && named) {
        fallback = kvb_dtype_bytes(context->model->state_dtype);
    }
    *state_bytes = dtype_word_bytes(kvb_number(plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE), fallback);
}

uint64_t kvb_state_bytes(const struct kvb_context *context, const struct kvb_attention_shape *s)
{
    uint32_t conv_bytes = 0;
    uint32_t state_bytes = 0;
    state_element_bytes(context, s, &conv_bytes, &state_bytes);
    uint64_t tp = context->tp;
    uint64_t taps = s->conv_kernel > 0 ? s->conv_kernel - 1 + context->speculative_tokens : 0;
    uint64_t keys = (uint64_t)s->state_key_heads * s->state_key_size;
    uint64_t values = (uint64_t)s->state_value_heads * s->state_value_size;
    switch (s->kind) {
    case KVB_ATTENTION_MAMBA1:
        return s->state_inner_size / tp *
               ((uint64_t)(s->conv_kernel - 1) * conv_bytes + (uint64_t)s->state_key_size * state_bytes);
    case KVB_ATTENTION_MAMBA2: {
        uint64_t groups = s->state_key_heads % tp == 0 ? s->state_key_heads : tp;
        uint64_t channels = (s->state_inner_size + 2 * groups * s->state_key_size) / tp;
        return taps * channels * conv_bytes + values / tp * s->state_key_size * state_bytes;
    }
    case KVB_ATTENTION_LINEAR:
        return s->state_value_heads / tp * s->state_value_size * s->state_value_size * state_bytes;
    case KVB_ATTENTION_GDN:
        return taps * ((2 * keys + values) / tp) * conv_bytes + values / tp * s->state_key_size * state_bytes;
    case KVB_ATTENTION_KDA:
        return taps * ((2 * keys + values) / tp) * conv_bytes + values / tp * s->state_key_size * state_bytes;
    case KVB_ATTENTION_SHORT_CONV:
        return s->state_inner_size / tp * (uint64_t)(s->conv_kernel - 1) * conv_bytes;
    default:
        return 0;
    }
}
