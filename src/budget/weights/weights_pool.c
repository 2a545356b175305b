// A pool of its own that a model is loaded into: what loading asks for and drops again stays there as free blocks, for
// blocks at or above the largest split serve only what is about as large.
// Source: vllm/device_allocator/cumem.py v0.21.0 use_memory_pool, layers/rotary_embedding/base.py
// _compute_cos_sin_cache, kernels/linear/mixed_precision/marlin.py v0.26.0:136 transform_w_q, v0.21.0 the same.
#include "budget/weights/weights.h"

#include "base/checked.h"

#define FP32_BYTES 4
#define SEGMENT_STEP (2ULL << 20)
#define ROUNDING_MOST (20ULL << 20) // how much larger a segment that is never split may be

static uint64_t segment_of(const struct kvb_pool *pool, uint64_t bytes)
{
    return bytes < pool->largest_split_bytes ? 0 : kvb_round_up(bytes, SEGMENT_STEP);
}

uint64_t kvb_pool_take(struct kvb_pool *pool, uint64_t bytes)
{
    uint32_t best = pool->free_count;
    for (uint32_t i = 0; i < pool->free_count; i++) {
        uint64_t free_bytes = pool->free_bytes[i];
        bool fits = free_bytes >= bytes && free_bytes < kvb_add(bytes, ROUNDING_MOST);
        if (fits && (best == pool->free_count || free_bytes < pool->free_bytes[best])) {
            best = i;
        }
    }
    uint64_t segment = segment_of(pool, bytes);
    if (segment > 0 && best < pool->free_count) {
        segment = pool->free_bytes[best];
        pool->free_bytes[best] = pool->free_bytes[--pool->free_count];
    }
    return segment;
}

void kvb_pool_give(struct kvb_pool *pool, uint64_t segment_bytes)
{
    if (segment_bytes > 0 && pool->free_count < KVB_POOL_BLOCKS_MAX) {
        pool->free_bytes[pool->free_count++] = segment_bytes;
    }
}

uint64_t kvb_pool_free(const struct kvb_pool *pool)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pool->free_count; i++) {
        bytes = kvb_add(bytes, pool->free_bytes[i]);
    }
    return bytes;
}

uint64_t kvb_rope_part_bytes(uint64_t elements, uint32_t part)
{
    return kvb_mul(part < KVB_ROPE_PARTS - 1 ? elements / 2 : elements, FP32_BYTES);
}

uint64_t kvb_pool_rope(struct kvb_pool *pool, uint64_t elements)
{
    uint64_t segments[KVB_ROPE_PARTS];
    for (uint32_t i = 0; i < KVB_ROPE_PARTS; i++) {
        segments[i] = kvb_pool_take(pool, kvb_rope_part_bytes(elements, i));
    }
    for (uint32_t i = 0; i < KVB_ROPE_PARTS - 1; i++) {
        kvb_pool_give(pool, segments[i]);
    }
    return segments[KVB_ROPE_PARTS - 1];
}

void kvb_pool_drop(struct kvb_pool *pool, uint64_t bytes)
{
    kvb_pool_give(pool, kvb_pool_take(pool, bytes));
}

// A stack of experts is laid out without a copy of its own before.
void kvb_pool_lay_out(struct kvb_pool *pool, const struct kvb_parameter *parameter, uint32_t copies)
{
    uint64_t bytes = parameter->part_bytes[0];
    uint64_t copy = copies > 1 && parameter->role != KVB_ROLE_EXPERTS ? kvb_pool_take(pool, bytes) : 0;
    (void)kvb_pool_take(pool, bytes);
    kvb_pool_give(pool, copy);
    kvb_pool_give(pool, segment_of(pool, bytes));
}
