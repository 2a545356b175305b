// What layers of DeepSeek V4 keep: a window in every one, a compressed latent, an index and compressor states.
// Source: vllm/models/deepseek_v4, v1/attention/backends/mla/sparse_swa.py from v0.20.0.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"
#include "engines/vllm/kv_backend.h"

#define PACKED_BYTES 584 // 448 fp8 + 128 bytes of bf16 rope + 8 of scales
#define PACKED_ALIGNMENT_BYTES 576
#define PLAIN_ALIGNMENT_BYTES 512
#define PLAIN_SINCE KVB_RELEASE(0, 23, 0)
#define PACKED_ON_12_SINCE KVB_RELEASE(0, 24, 0)
#define PLAIN_ALIGNED_SINCE KVB_RELEASE(0, 25, 0)
#define CACHE_BLOCK_TOKENS 256
#define WINDOW_BLOCK_TOKENS 64
#define INDEX_RATIO 4

struct kvb_dsv4_cache {
    enum kvb_attention kind; // MLA: latent or index; DSV4: windowed
    uint32_t block_tokens, window_tokens;
    uint64_t slots, slot_bytes;
};

// How an entry is stored, and to what its pages are rounded.
struct layout {
    uint64_t entry_bytes, alignment_bytes, index_alignment_bytes;
};

// FlashInfer's own kernel, which nothing but its name asks for, keeps rows of the cache's type; on 12.x it keeps packed
// ones from 0.24. Source: models/deepseek_v4/nvidia/model.py v0.23.0:716, v0.24.0:738 _select_dsv4_attn_cls.
bool kvb_dsv4_is_plain(const struct kvb_context *context)
{
    return context->release >= PLAIN_SINCE && kvb_backend_asked(context) == KVB_BACKEND_FLASHINFER_MLA_SPARSE &&
           context->kv_word != KVB_KV_FP8_DS_MLA &&
           (context->release < PACKED_ON_12_SINCE || context->gpu->compute_capability / 10 != 12);
}

// Source: models/deepseek_v4/attention.py, compressor.py, v1/attention/backends/mla/sparse_swa.py get_kv_cache_spec.
static struct layout layout_of(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    bool aligned = context->release >= PLAIN_ALIGNED_SINCE;
    bool wide = context->kv_word == KVB_KV_AUTO || context->kv_word == KVB_KV_16BIT;
    struct layout packed = {PACKED_BYTES, PACKED_ALIGNMENT_BYTES, PACKED_ALIGNMENT_BYTES};
    struct layout plain = {shape->head_size * (wide ? 2U : 1U), aligned ? PLAIN_ALIGNMENT_BYTES : 1,
                           aligned ? PLAIN_ALIGNMENT_BYTES : PACKED_ALIGNMENT_BYTES};
    return kvb_dsv4_is_plain(context) ? plain : packed;
}

static void add_cache(struct kvb_buckets *buckets, struct kvb_dsv4_cache cache, uint64_t alignment_bytes,
                      uint32_t stage)
{
    struct kvb_bucket bucket;
    memset(&bucket, 0, sizeof bucket);
    bucket.kind = cache.kind;
    bucket.window_tokens = cache.window_tokens;
    bucket.block_tokens = cache.block_tokens;
    bucket.page_bytes = kvb_round_up(cache.slots * cache.slot_bytes, alignment_bytes);
    kvb_bucket_add(buckets, &bucket, stage);
}

static void add_compressed(const struct kvb_attention_shape *shape, struct layout layout, struct kvb_buckets *buckets,
                           uint32_t stage)
{
    uint32_t ratio = shape->compress_ratio;
    uint32_t overlap = ratio == INDEX_RATIO ? 2 : 1;
    uint32_t state_block = ratio == INDEX_RATIO ? 4 : 8;
    uint32_t window = overlap * ratio;
    uint64_t state_bytes = (uint64_t)2 * overlap * shape->head_size * 4;
    struct kvb_dsv4_cache latent = {KVB_ATTENTION_MLA, CACHE_BLOCK_TOKENS, 0, CACHE_BLOCK_TOKENS / ratio,
                                    layout.entry_bytes};
    struct kvb_dsv4_cache state = {KVB_ATTENTION_DSV4, state_block, window, state_block, state_bytes};
    add_cache(buckets, latent, layout.alignment_bytes, stage);
    add_cache(buckets, state, layout.alignment_bytes, stage);
    if (ratio == INDEX_RATIO) {
        uint32_t width = shape->index_head_size;
        struct kvb_dsv4_cache index = {KVB_ATTENTION_MLA, CACHE_BLOCK_TOKENS, 0, CACHE_BLOCK_TOKENS / ratio,
                                       width + 4U * (width / 128U)};
        struct kvb_dsv4_cache index_state = {KVB_ATTENTION_DSV4, state_block, window, state_block,
                                             (uint64_t)2 * overlap * width * 4};
        add_cache(buckets, index, layout.index_alignment_bytes, stage);
        add_cache(buckets, index_state, layout.alignment_bytes, stage);
    }
}

void kvb_dsv4_add_layer(const struct kvb_context *context, const struct kvb_attention_shape *shape,
                        struct kvb_buckets *buckets, uint32_t stage)
{
    struct layout layout = layout_of(context, shape);
    struct kvb_dsv4_cache window = {KVB_ATTENTION_DSV4, WINDOW_BLOCK_TOKENS, shape->window_tokens, WINDOW_BLOCK_TOKENS,
                                    layout.entry_bytes};
    add_cache(buckets, window, layout.alignment_bytes, stage);
    if (shape->compress_ratio > 1) {
        add_compressed(shape, layout, buckets, stage);
    }
}

void kvb_dsv4_fill(const struct kvb_context *context, struct kvb_buckets *buckets)
{
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        for (uint32_t layer = context->stage_begin[stage]; layer < context->stage_begin[stage + 1]; layer++) {
            kvb_dsv4_add_layer(context, &kvb_kind_of(context->model, layer)->attention, buckets, stage);
        }
    }
}
