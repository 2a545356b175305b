// Bytes that one token takes in one attention layer.
// Source: vllm/v1/kv_cache_interface.py.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"

#define DS_MLA_TOKEN_BYTES 656 // 512 fp8 + 4 fp32 scales + 64 bf16 rope
#define NVFP4_WINDOWS_SINCE KVB_RELEASE(0, 21, 0)
#define TOKEN_HEAD_SCALES 8 // one fp32 scale each for K and V

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

bool kvb_is_turboquant(enum kvb_kv_dtype kv_dtype)
{
    for (size_t i = 0; i < sizeof turboquant_rows / sizeof turboquant_rows[0]; i++) {
        if (turboquant_rows[i].dtype == kv_dtype) {
            return true;
        }
    }
    return false;
}

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

uint64_t kvb_mla_token_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (context->kv_dtype == KVB_KV_FP8_DS_MLA) {
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

// Windows and chunks know fewer packed forms than full attention: what is left is a byte an element.
// Source: v1/kv_cache_interface.py SlidingWindowSpec and AttentionSpec real_page_size_bytes; nvfp4 windows from 0.21.
static uint64_t head_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    uint32_t value_size = value_size_of(context, shape);
    bool window = shape->kind == KVB_ATTENTION_SLIDING;
    bool chunk = shape->kind == KVB_ATTENTION_CHUNKED;
    bool plain = kvb_is_turboquant(context->kv_dtype)
                     ? window || chunk
                     : context->kv_dtype == KVB_KV_NVFP4 && window && context->release < NVFP4_WINDOWS_SINCE;
    if (window && context->kv_dtype == KVB_KV_INT4_PER_TOKEN_HEAD) {
        return (uint64_t)shape->head_size + value_size + TOKEN_HEAD_SCALES;
    }
    enum kvb_kv_dtype form = plain ? KVB_KV_FP8 : context->kv_dtype;
    return kvb_kv_head_bytes(form, context->dtype, shape->head_size, value_size);
}

uint64_t kvb_layer_token_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    switch (shape->kind) {
    case KVB_ATTENTION_FULL:
    case KVB_ATTENTION_SLIDING:
    case KVB_ATTENTION_CHUNKED:
    case KVB_ATTENTION_CROSS:
        return kvb_heads_on_rank(shape->kv_heads, context->tp) * head_bytes(context, shape);
    case KVB_ATTENTION_MLA:
        return kvb_mla_token_bytes(context, shape);
    default:
        return 0;
    }
}
