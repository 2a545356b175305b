// Results kept by the bytes they were worked out from: one slot for each hash, the latest key wins.
#include "budget/reuse.h"

#include <stdint.h>
#include <string.h>

void kvb_reuse_clear(struct kvb_reuse *reuse)
{
    memset(reuse->known, 0, sizeof reuse->known);
    memset(reuse->latest, 0, sizeof reuse->latest);
    reuse->lengths = NULL;
    reuse->apart_from_length = 0;
}

// FNV-1a over words of eight bytes; what hashes alike is told apart by its bytes.
static uint64_t hash_of(enum kvb_reuse_kind kind, const unsigned char *key, size_t bytes)
{
    uint64_t hash = UINT64_C(14695981039346656037) + (uint64_t)kind; // same: any place serves
    for (size_t at = 0; at < bytes; at += sizeof hash) {             // same: one word more would be of no bytes
        uint64_t word = 0;
        memcpy(&word, key + at, bytes - at < sizeof word ? bytes - at : sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211); // same: any place serves
        hash ^= hash >> 29;                             // same: any place serves
    }
    return hash;
}

static bool holds(const struct kvb_reuse *reuse, size_t index, enum kvb_reuse_kind kind, const void *key,
                  size_t key_bytes)
{
    const struct kvb_reuse_slot *slot = &reuse->slots[index];
    return reuse->known[index] && slot->used && slot->kind == kind && slot->key_bytes == key_bytes &&
           memcmp(slot->key, key, key_bytes) == 0;
}

struct kvb_reuse_slot *kvb_reuse_find(struct kvb_reuse *reuse, enum kvb_reuse_kind kind, const void *key,
                                      size_t key_bytes)
{
    if (reuse == NULL || key_bytes > KVB_REUSE_KEY_BYTES) {
        return NULL;
    }
    size_t index = reuse->latest[kind];
    if (holds(reuse, index, kind, key, key_bytes)) { // as a rule, the plan before asked for the same
        return &reuse->slots[index];
    }
    index = hash_of(kind, key, key_bytes) % KVB_REUSE_SLOTS;
    struct kvb_reuse_slot *slot = &reuse->slots[index];
    if (!holds(reuse, index, kind, key, key_bytes)) {
        slot->used = false;
        slot->kind = kind;
        slot->key_bytes = key_bytes;
        memcpy(slot->key, key, key_bytes);
    }
    reuse->known[index] = true;
    reuse->latest[kind] = (uint8_t)index;
    return slot;
}

void kvb_reuse_keep(struct kvb_reuse_slot *slot, const void *value, size_t value_bytes)
{
    if (slot != NULL && value_bytes <= KVB_REUSE_VALUE_BYTES) {
        memcpy(slot->value, value, value_bytes);
        slot->value_bytes = value_bytes;
        slot->used = true;
    }
}

struct kvb_known_length *kvb_reuse_length(const struct kvb_reuse *reuse)
{
    if (reuse == NULL || reuse->lengths == NULL || reuse->apart_from_length == 0) {
        return NULL;
    }
    struct kvb_known_length *length = &reuse->lengths[reuse->apart_from_length % KVB_KNOWN_LENGTHS];
    if (length->plans != reuse->apart_from_length) {
        *length = (struct kvb_known_length){reuse->apart_from_length, 0, false};
    }
    return length;
}
