// Classes of tensors as a checkpoint's headers give them.
#ifndef KVB_TESTS_TENSOR_CLASSES_H
#define KVB_TESTS_TENSOR_CLASSES_H

#include <kvbudget/checkpoint.h>

// One of so many elements of 2 bytes, in each of the first layers; 0: in none.
static inline struct kvb_tensor_class *add_class(struct kvb_checkpoint *checkpoint, enum kvb_role role,
                                                 enum kvb_split split, uint64_t rows, uint64_t columns, uint32_t layers)
{
    struct kvb_tensor_class *row = &checkpoint->classes[checkpoint->class_count++];
    *row = (struct kvb_tensor_class){.role = (uint8_t)role,
                                     .split = (uint8_t)split,
                                     .in_layer = layers > 0,
                                     .rows = rows,
                                     .columns = columns,
                                     .count = layers > 0 ? layers : 1,
                                     .bytes_per_1024 = 2048};
    for (uint32_t layer = 0; layer < layers; layer++) {
        row->layers[layer / 64] |= UINT64_C(1) << layer % 64;
    }
    checkpoint->classes_whole = true;
    return row;
}

#endif
