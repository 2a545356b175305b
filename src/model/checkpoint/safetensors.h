// The header of one safetensors file: names, formats, shapes and places of its tensors.
#ifndef KVB_MODEL_CHECKPOINT_SAFETENSORS_H
#define KVB_MODEL_CHECKPOINT_SAFETENSORS_H

#include <kvbudget/checkpoint.h>

#include "text/file.h"

#define KVB_DIMENSIONS_MAX 8
#define KVB_SAFETENSORS_HEADER_MAX_BYTES UINT64_C(100000000) // as the format's own library
#define KVB_TENSORS_PER_FILE_MAX 500000U

struct kvb_stored_tensor {
    const char *name;
    enum kvb_element element;
    uint32_t dimension_count;
    uint64_t dimensions[KVB_DIMENSIONS_MAX];
    uint64_t bytes;
};
typedef enum kvb_status kvb_tensor_taker(void *context, const struct kvb_stored_tensor *tensor,
                                         struct kvb_problems *problems);

// Bits of one element; 0 for PACKED.
uint32_t kvb_element_bits(enum kvb_element element);

// Hands every tensor of the file to `take`, then judges that they fill the file without overlap.
enum kvb_status kvb_safetensors_read(const struct kvb_open_file *file, kvb_tensor_taker *take, void *context,
                                     struct kvb_problems *problems) KVB_MUST_USE;

#endif
