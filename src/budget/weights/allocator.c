// torch's caching allocator: pytorch/pytorch c10/cuda/CUDACachingAllocator.cpp (kMinBlockSize, kSmallSize,
// kLargeBuffer, kMinLargeAlloc, kRoundLarge, should_split, get_free_block).
#include "budget/weights/weights.h"

#include "base/checked.h"

#define BLOCK_BYTES 512
#define SMALL_BYTES (1ULL << 20)
#define LARGE_SEGMENT_BYTES (20ULL << 20)
#define OWN_SEGMENT_FROM (10ULL << 20)
#define SEGMENT_STEP (2ULL << 20)
#define ROUNDING_MOST (20ULL << 20) // how much larger a block that is never split may be

// A block at or above the largest split serves no smaller request, and none much smaller than itself.
static bool may_serve(const struct kvb_allocator *allocator, uint64_t block, uint64_t bytes)
{
    uint64_t most = allocator->largest_split_bytes;
    return most == 0 || (bytes < most ? block < most : block < kvb_add(bytes, ROUNDING_MOST));
}

static uint64_t take_best_fit(struct kvb_allocator *allocator, uint64_t bytes)
{
    uint32_t best = allocator->free_count;
    for (uint32_t i = 0; i < allocator->free_count; i++) {
        bool fits = allocator->free_bytes[i] >= bytes;
        bool first = best == allocator->free_count;
        if (fits && (first || allocator->free_bytes[i] < allocator->free_bytes[best])) { // same: of two alike, either
            best = i;
        }
    }
    if (best == allocator->free_count || !may_serve(allocator, allocator->free_bytes[best], bytes)) {
        return 0;
    }
    uint64_t found = allocator->free_bytes[best];
    allocator->free_bytes[best] = allocator->free_bytes[--allocator->free_count];
    return found;
}

static void keep_rest(struct kvb_allocator *allocator, uint64_t bytes)
{
    if (allocator->free_count < KVB_FREE_BLOCKS_MAX) {
        allocator->free_bytes[allocator->free_count++] = bytes;
    }
}

static uint64_t take_segment(struct kvb_allocator *allocator, uint64_t bytes)
{
    uint64_t segment = bytes < OWN_SEGMENT_FROM ? LARGE_SEGMENT_BYTES : kvb_round_up(bytes, SEGMENT_STEP);
    allocator->reserved_bytes = kvb_add(allocator->reserved_bytes, segment);
    return segment;
}

static uint64_t take_large(struct kvb_allocator *allocator, uint64_t bytes)
{
    uint64_t block = take_best_fit(allocator, bytes);
    if (block == 0) {
        block = take_segment(allocator, bytes);
    }
    bool splits = allocator->largest_split_bytes == 0 || bytes < allocator->largest_split_bytes;
    if (splits && block - bytes > SMALL_BYTES) {
        keep_rest(allocator, block - bytes);
        return bytes;
    }
    return block;
}

static uint64_t take_small(struct kvb_allocator *allocator, uint64_t bytes)
{
    if (bytes > allocator->small_free_bytes) {
        allocator->small_free_bytes = SEGMENT_STEP;
        allocator->reserved_bytes = kvb_add(allocator->reserved_bytes, SEGMENT_STEP);
    }
    allocator->small_free_bytes -= bytes;
    return bytes;
}

uint64_t kvb_allocate(struct kvb_allocator *allocator, uint64_t bytes)
{
    allocator->requested_bytes = kvb_add(allocator->requested_bytes, bytes);
    uint64_t size = kvb_round_up(bytes, BLOCK_BYTES);
    if (!allocator->exact && !kvb_is_saturated(size)) {
        size = size > SMALL_BYTES ? take_large(allocator, size) : take_small(allocator, size);
    }
    allocator->allocated_bytes = kvb_add(allocator->allocated_bytes, size);
    allocator->reserved_bytes = kvb_max(allocator->reserved_bytes, allocator->allocated_bytes);
    return size;
}

void kvb_release(struct kvb_allocator *allocator, uint64_t bytes, uint64_t block_bytes)
{
    if (kvb_is_saturated(allocator->requested_bytes)) {
        return;
    }
    allocator->requested_bytes -= bytes;
    allocator->allocated_bytes -= block_bytes;
    if (block_bytes > SMALL_BYTES) {
        keep_rest(allocator, block_bytes);
    } else {
        allocator->small_free_bytes += block_bytes;
    }
}
