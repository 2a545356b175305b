// Bytes of keys and values when every layer keeps just what its attention reads, without blocks or padding.
#ifndef KVB_ENGINES_GENERIC_CACHE_H
#define KVB_ENGINES_GENERIC_CACHE_H

#include "budget/shapes.h"

struct kvb_plain_cache {
    const struct kvb_model *model;
    uint32_t tp;
    uint32_t element_bytes; // of a key or value
};

// False when a layer keeps something else than keys and values.
bool kvb_plain_cache_knows(const struct kvb_model *model);
// Of one request of `length` tokens on one rank. Saturates.
uint64_t kvb_plain_cache_bytes(const struct kvb_plain_cache *cache, uint64_t length);
// Longest request that `pool_bytes` hold, at most `limit`.
uint64_t kvb_plain_cache_longest(const struct kvb_plain_cache *cache, uint64_t pool_bytes, uint64_t limit);

#endif
