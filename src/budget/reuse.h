// What plans that follow one another share: results kept by the bytes they were worked out from. A result is given back
// only for the very same bytes, so that an answer never depends on what was asked before.
#ifndef KVB_BUDGET_REUSE_H
#define KVB_BUDGET_REUSE_H

#include <stdbool.h>
#include <stddef.h>

#include <kvbudget/plan.h>

enum kvb_reuse_kind { KVB_REUSE_WEIGHTS, KVB_REUSE_FLAGS };

#define KVB_REUSE_SLOTS 128 // a power of two
#define KVB_REUSE_KEY_BYTES 1024U
#define KVB_REUSE_VALUE_BYTES 1024U

struct kvb_reuse_slot {
    bool used;
    enum kvb_reuse_kind kind;
    size_t key_bytes, value_bytes;
    unsigned char key[KVB_REUSE_KEY_BYTES];
    unsigned char value[KVB_REUSE_VALUE_BYTES];
};
struct kvb_reuse {
    bool known[KVB_REUSE_SLOTS]; // since the last clearing; behind false, a slot holds anything
    struct kvb_reuse_slot slots[KVB_REUSE_SLOTS];
};

// Forgets everything: a key may name a model by where it lies, so this is due when another one lies there.
void kvb_reuse_clear(struct kvb_reuse *reuse);
// The slot of the key: its value when `used` is set, otherwise where to put it (kvb_reuse_keep). NULL: there is no
// `reuse`, or the key is too long for it.
struct kvb_reuse_slot *kvb_reuse_find(struct kvb_reuse *reuse, enum kvb_reuse_kind kind, const void *key,
                                      size_t key_bytes);
// Fills a slot that was found unused; a value that is too long is not kept. NULL is let pass.
void kvb_reuse_keep(struct kvb_reuse_slot *slot, const void *value, size_t value_bytes);

#endif
