// A pool of its own that a model is loaded into: what loading asks for and drops again stays there as free blocks, for
// blocks at or above the largest split serve only what is about as large.
// Source: vllm/device_allocator/cumem.py v0.21.0 use_memory_pool, layers/rotary_embedding/base.py _compute_cos_sin_cache,
// kernels/linear/mixed_precision/marlin.py v0.26.0:136 transform_w_q, v0.21.0 the same.
#include "budget/weights/weights.h"

#include "base/checked.h"

#define FP32_BYTES 4

// Angles, cosines and sines of half a table each, then the table, all in 32 bits. Returns its block: the model's copy is
// made beside it.
uint64_t kvb_pool_rope(struct kvb_allocator *pool, uint64_t elements)
{
    uint64_t halves[3];
    for (uint32_t i = 0; i < 3; i++) {
        halves[i] = kvb_block_take(pool, kvb_mul(elements / 2, FP32_BYTES));
    }
    uint64_t table = kvb_block_take(pool, kvb_mul(elements, FP32_BYTES));
    for (uint32_t i = 0; i < 3; i++) {
        kvb_block_give(pool, halves[i]);
    }
    return table;
}

void kvb_pool_drop(struct kvb_allocator *pool, uint64_t bytes)
{
    kvb_block_give(pool, kvb_block_take(pool, bytes));
}

// A stack of experts is laid out without a copy of its own before.
void kvb_pool_lay_out(struct kvb_allocator *pool, const struct kvb_parameter *parameter, uint32_t copies)
{
    uint64_t bytes = parameter->part_bytes[0];
    uint64_t copy = copies > 1 && parameter->role != KVB_ROLE_EXPERTS ? kvb_block_take(pool, bytes) : 0;
    (void)kvb_block_take(pool, bytes);
    kvb_block_give(pool, copy);
    kvb_block_give(pool, kvb_block_of(bytes));
}
