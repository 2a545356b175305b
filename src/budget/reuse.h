// What plans that follow one another share: results kept by the bytes they were worked out from. A result is given back
// only for the very same bytes, so that an answer never depends on what was asked before.
#ifndef KVB_BUDGET_REUSE_H
#define KVB_BUDGET_REUSE_H

#include <stdbool.h>
#include <stddef.h>

#include <kvbudget/plan.h>

enum kvb_reuse_kind {
    KVB_REUSE_WEIGHTS, // what is loaded -> bytes of a rank
    KVB_REUSE_FLAGS,   // a release -> which flags it lacks
    KVB_REUSE_RELEASE, // a release and a model -> its rules, and its row of the model's class
    KVB_REUSE_MARGINS, // release and card -> how far unseen starts lie
    KVB_REUSE_KINDS
};

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

// The longest length that starts, which is the same whatever length is asked for.
#define KVB_KNOWN_LENGTHS 4096 // more than the other settings of a sweep have combinations, as a rule
struct kvb_known_length {
    uint64_t plans; // kvb_reuse.apart_from_length; 0: nothing is kept here
    uint64_t tokens;
    bool known;
};

struct kvb_reuse {
    bool known[KVB_REUSE_SLOTS];      // since the last clearing; behind false, a slot holds anything
    uint8_t latest[KVB_REUSE_KINDS];  // the slot that was found last
    struct kvb_known_length *lengths; // KVB_KNOWN_LENGTHS of them, of whoever sets it; NULL: none are kept
    uint64_t apart_from_length;       // plans of one number differ in max_model_len alone; 0: this is not known
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
// Where the longest length of this plan is kept, or is to be put; NULL: plans that differ in length alone are not
// known.
struct kvb_known_length *kvb_reuse_length(const struct kvb_reuse *reuse);

#endif
