// Memory that is given back all at once: chunks linked together, pieces never freed singly.
#ifndef KVB_BASE_ARENA_H
#define KVB_BASE_ARENA_H

#include <stddef.h>

struct kvb_arena_chunk;

struct kvb_arena {
    struct kvb_arena_chunk *newest;
};

void kvb_arena_init(struct kvb_arena *arena);
void kvb_arena_free(struct kvb_arena *arena);

// Zeroed memory aligned for any object; NULL when there is none left.
void *kvb_arena_take(struct kvb_arena *arena, size_t size);

// A NUL-ended copy of `length` bytes; NULL when there is no memory left.
char *kvb_arena_copy(struct kvb_arena *arena, const char *text, size_t length);

#endif
