// Bytes of keys and values when every layer keeps just what its attention reads, without blocks or padding.
#include "engines/generic/cache.h"

#include "base/checked.h"

bool kvb_plain_cache_knows(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        switch (model->kinds[i].attention.kind) {
        case KVB_ATTENTION_NONE:
        case KVB_ATTENTION_ENCODER:
        case KVB_ATTENTION_FULL:
        case KVB_ATTENTION_SLIDING:
        case KVB_ATTENTION_CHUNKED:
        case KVB_ATTENTION_MLA:
            break;
        default:
            return false;
        }
    }
    return true;
}

static uint64_t token_bytes(const struct kvb_plain_cache *cache, const struct kvb_attention_shape *shape)
{
    if (shape->shares_kv || shape->kind == KVB_ATTENTION_NONE || shape->kind == KVB_ATTENTION_ENCODER) {
        return 0;
    }
    if (shape->kind == KVB_ATTENTION_MLA) { // one vector for all heads, on every rank
        return ((uint64_t)shape->latent_rank + shape->rope_size) * cache->element_bytes;
    }
    uint64_t value_size = shape->value_head_size > 0 ? shape->value_head_size : shape->head_size;
    return kvb_heads_on_rank(shape->kv_heads, cache->tp) * (shape->head_size + value_size) * cache->element_bytes;
}

uint64_t kvb_plain_cache_bytes(const struct kvb_plain_cache *cache, uint64_t length)
{
    uint64_t bytes = 0;
    for (uint32_t layer = 0; layer < cache->model->layer_count; layer++) {
        const struct kvb_attention_shape *shape = &kvb_kind_of(cache->model, layer)->attention;
        bool windowed = shape->kind == KVB_ATTENTION_SLIDING || shape->kind == KVB_ATTENTION_CHUNKED;
        uint64_t tokens = windowed && shape->window_tokens > 0 ? kvb_min(length, shape->window_tokens) : length;
        bytes = kvb_add(bytes, kvb_mul(token_bytes(cache, shape), tokens));
    }
    return bytes;
}

uint64_t kvb_plain_cache_longest(const struct kvb_plain_cache *cache, uint64_t pool_bytes, uint64_t limit)
{
    uint64_t low = 0;
    uint64_t high = limit;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2; // same: any above low, up to high
        if (kvb_plain_cache_bytes(cache, middle) <= pool_bytes) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}
