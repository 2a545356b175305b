// Equal caches counted once, per stage.
#include <string.h>

#include "engines/vllm/kv.h"

static bool same_bucket(const struct kvb_bucket *a, const struct kvb_bucket *b)
{
    return a->kind == b->kind && a->window_tokens == b->window_tokens && a->block_tokens == b->block_tokens &&
           a->page_bytes == b->page_bytes && a->shape == b->shape;
}

uint32_t kvb_bucket_add(struct kvb_buckets *buckets, const struct kvb_bucket *shape, uint32_t stage)
{
    uint32_t at = 0;
    while (at < buckets->count && !same_bucket(&buckets->items[at], shape)) {
        at++;
    }
    if (at == KVB_BUCKETS_MAX) {
        buckets->overflow = true;
        return at;
    }
    struct kvb_bucket *bucket = &buckets->items[at];
    if (at == buckets->count) {
        *bucket = *shape;
        bucket->count = 0;
        memset(bucket->before, 0, sizeof bucket->before);
        buckets->count++;
    }
    bucket->count++;
    bucket->before[stage + 1]++; // made cumulative by finish()
    return at;
}

void kvb_bucket_join(struct kvb_buckets *buckets, const struct kvb_bucket *bucket)
{
    for (uint32_t i = 0; i < buckets->count; i++) {
        struct kvb_bucket *into = &buckets->items[i];
        if (same_bucket(into, bucket)) {
            into->count += bucket->count;
            for (uint32_t stage = 0; stage <= KVB_STAGES_MAX; stage++) {
                into->before[stage] = (uint16_t)(into->before[stage] + bucket->before[stage]);
            }
            return;
        }
    }
    buckets->items[buckets->count++] = *bucket;
}
