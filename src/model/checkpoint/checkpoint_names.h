// What a tensor is, by its name in a checkpoint.
#ifndef KVB_MODEL_CHECKPOINT_CHECKPOINT_NAMES_H
#define KVB_MODEL_CHECKPOINT_CHECKPOINT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/model.h>

enum kvb_leaf {
    KVB_LEAF_VALUES,       // elements as they are
    KVB_LEAF_PACKED_WORDS, // 32-bit words of small integers
    KVB_LEAF_PACKED_HALF,  // two 4-bit elements a byte
    KVB_LEAF_SCALE,        // scales, zero points, order: belongs to the values beside it
    KVB_LEAF_BUFFER,       // nothing the engine loads
};

struct kvb_tensor_kind {
    enum kvb_role role;
    enum kvb_split split;
    enum kvb_leaf leaf;
    bool in_layer; // of the decoder
};

// The last number behind "layers." and the like; UINT32_MAX when there is none.
uint32_t kvb_tensor_layer(const char *name);
void kvb_tensor_kind_of(const char *name, struct kvb_tensor_kind *kind);

// For tests: the rows of the tables one after the other, each with a name it must recognise (NULL: none).
struct kvb_name_specimen {
    const char *name;
    enum kvb_role role;
    enum kvb_split split;
};
bool kvb_name_specimen_at(size_t index, struct kvb_name_specimen *specimen);

#endif
