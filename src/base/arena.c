// Chunked memory for one text: taken in pieces, freed as a whole.
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

#define CHUNK_BYTES ((size_t)16 << 10)

struct kvb_arena_chunk {
    struct kvb_arena_chunk *older;
    size_t used;
    size_t capacity;
    alignas(max_align_t) unsigned char bytes[];
};

void kvb_arena_init(struct kvb_arena *arena)
{
    arena->newest = NULL;
}

void kvb_arena_free(struct kvb_arena *arena)
{
    while (arena->newest) {
        struct kvb_arena_chunk *older = arena->newest->older;
        kvb_free(arena->newest);
        arena->newest = older;
    }
}

static struct kvb_arena_chunk *add_chunk(struct kvb_arena *arena, size_t size)
{
    size_t previous = arena->newest ? arena->newest->capacity : CHUNK_BYTES / 2;
    size_t capacity = previous < (CHUNK_BYTES << 6) ? previous * 2 : previous;
    if (capacity < size) {
        capacity = size;
    }
    struct kvb_arena_chunk *chunk = kvb_reallocate(NULL, sizeof *chunk + capacity);
    if (chunk) {
        *chunk = (struct kvb_arena_chunk){.older = arena->newest, .capacity = capacity};
        arena->newest = chunk;
    }
    return chunk;
}

void *kvb_arena_take(struct kvb_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 4 || !kvb_memory_has_piece()) {
        return NULL;
    }
    size = (size + align - 1) / align * align;
    struct kvb_arena_chunk *chunk = arena->newest;
    if (!chunk || chunk->capacity - chunk->used < size) {
        chunk = add_chunk(arena, size);
    }
    if (!chunk) {
        return NULL;
    }
    void *piece = chunk->bytes + chunk->used;
    chunk->used += size;
    return memset(piece, 0, size);
}

char *kvb_arena_copy(struct kvb_arena *arena, const char *text, size_t length)
{
    char *copy = kvb_arena_take(arena, length + 1);
    if (copy && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}
