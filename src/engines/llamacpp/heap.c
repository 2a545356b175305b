// Free blocks of one compute buffer, sorted by address: the best fit, and the last block when none fits.
// Source: ggml/src/ggml-alloc.c, ggml_dyn_tallocr_alloc and ggml_dyn_tallocr_free_tensor.
#include <string.h>

#include "base/checked.h"
#include "engines/llamacpp/graph.h"

void kvb_llama_heap_begin(struct kvb_llama_heap *heap, uint32_t alignment)
{
    heap->alignment = alignment;
    heap->highest = 0;
    heap->pinned = 0;
    heap->count = 1;
    heap->blocks[0] = (struct kvb_llama_block){0, KVB_SATURATED};
}

bool kvb_llama_heap_is_full(const struct kvb_llama_heap *heap)
{
    return heap->count + 1 >= KVB_LLAMA_BLOCKS;
}

static void remove_block(struct kvb_llama_heap *heap, uint32_t at)
{
    heap->count--;
    memmove(&heap->blocks[at], &heap->blocks[at + 1], (heap->count - at) * sizeof heap->blocks[0]);
}

uint64_t kvb_llama_heap_take(struct kvb_llama_heap *heap, uint64_t bytes)
{
    uint64_t size = kvb_round_up(bytes, heap->alignment);
    uint32_t best = heap->count - 1; // the last one reaches to the end of memory
    for (uint32_t i = 0; i + 1 < heap->count; i++) {
        uint64_t limit = best == heap->count - 1 ? KVB_SATURATED : heap->blocks[best].bytes;
        if (heap->blocks[i].bytes >= size && heap->blocks[i].bytes <= limit) {
            best = i;
        }
    }
    struct kvb_llama_block *block = &heap->blocks[best];
    uint64_t offset = block->offset;
    uint64_t end = kvb_add(offset, size);
    block->offset = end;
    block->bytes = kvb_less(block->bytes, size);
    if (block->bytes == 0 && heap->count > 1) {
        remove_block(heap, best);
    }
    heap->highest = kvb_max(heap->highest, end);
    return offset;
}

static void insert_block(struct kvb_llama_heap *heap, uint64_t offset, uint64_t size)
{
    uint32_t at = 0;
    while (at < heap->count && heap->blocks[at].offset < offset) {
        at++;
    }
    memmove(&heap->blocks[at + 1], &heap->blocks[at], (heap->count - at) * sizeof heap->blocks[0]);
    heap->blocks[at] = (struct kvb_llama_block){offset, size};
    heap->count++;
}

void kvb_llama_heap_give(struct kvb_llama_heap *heap, uint64_t offset, uint64_t bytes)
{
    uint64_t size = kvb_round_up(bytes, heap->alignment);
    for (uint32_t i = 0; i < heap->count; i++) {
        struct kvb_llama_block *block = &heap->blocks[i];
        if (block->offset + block->bytes == offset) { // at the block's end, and perhaps at the next one's begin
            block->bytes += size;
            if (i + 1 < heap->count && block->offset + block->bytes == heap->blocks[i + 1].offset) {
                block->bytes += heap->blocks[i + 1].bytes;
                remove_block(heap, i + 1);
            }
            return;
        }
        if (offset + size == block->offset) {
            block->offset = offset; // the block before ends elsewhere: it was asked first
            block->bytes += size;
            return;
        }
    }
    if (!kvb_llama_heap_is_full(heap)) {
        insert_block(heap, offset, size);
    }
}
