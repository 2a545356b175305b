// What the headers of a checkpoint say: every tensor's shape and stored size, without its values.
#ifndef KVBUDGET_CHECKPOINT_H
#define KVBUDGET_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/export.h>

KVB_PUBLIC_BEGIN

// Number formats as safetensors names them; PACKED: blocks of a GGUF format, sizes are in the class.
enum kvb_element {
    KVB_ELEMENT_F64,
    KVB_ELEMENT_F32,
    KVB_ELEMENT_F16,
    KVB_ELEMENT_BF16,
    KVB_ELEMENT_I64,
    KVB_ELEMENT_I32,
    KVB_ELEMENT_I16,
    KVB_ELEMENT_I8,
    KVB_ELEMENT_U64,
    KVB_ELEMENT_U32,
    KVB_ELEMENT_U16,
    KVB_ELEMENT_U8,
    KVB_ELEMENT_BOOL,
    KVB_ELEMENT_C64,
    KVB_ELEMENT_F8_E4M3,
    KVB_ELEMENT_F8_E5M2,
    KVB_ELEMENT_F8_E8M0,
    KVB_ELEMENT_F8_E4M3FNUZ,
    KVB_ELEMENT_F8_E5M2FNUZ,
    KVB_ELEMENT_F6_E2M3,
    KVB_ELEMENT_F6_E3M2,
    KVB_ELEMENT_F4,
    KVB_ELEMENT_PACKED,
    KVB_ELEMENT_COUNT
};
const char *kvb_element_name(enum kvb_element element); // "BF16"; never NULL

enum kvb_checkpoint_kind {
    KVB_CHECKPOINT_NONE,
    KVB_CHECKPOINT_INDEX, // only the total that a weight index states
    KVB_CHECKPOINT_SAFETENSORS,
    KVB_CHECKPOINT_GGUF,
    KVB_CHECKPOINT_KIND_COUNT
};

#define KVB_CHECKPOINT_CLASSES_MAX 256
#define KVB_CHECKPOINT_ROLES 16 // at least KVB_ROLE_COUNT
#define KVB_CHECKPOINT_LAYER_WORDS 8

// Tensors alike in role, split, format and shape. Scales and zero points are not listed: their bytes
// are in kvb_checkpoint.scale_bytes.
#define KVB_TENSOR_NAME_CAPACITY 32
struct kvb_tensor_class {
    char name[KVB_TENSOR_NAME_CAPACITY]; // GGUF: without "blk.N.", then a layer has one of each; otherwise ""
    uint8_t role;           // enum kvb_role
    uint8_t split;          // enum kvb_split
    uint8_t element;        // enum kvb_element
    bool quantised;         // stored below 16 bits
    bool in_layer;          // belongs to decoder layers, those set in `layers`
    uint64_t rows, columns; // of one tensor or one expert, in unquantised shape; columns 1: a vector
    uint64_t count;
    uint64_t stored_bytes;   // of all of them
    uint32_t bytes_per_1024; // elements, as stored
    uint64_t layers[KVB_CHECKPOINT_LAYER_WORDS];
};

struct kvb_checkpoint {
    enum kvb_checkpoint_kind kind;
    uint32_t file_count;
    uint64_t tensor_count;
    uint64_t total_bytes; // of all tensors as stored; with INDEX what the index states
    uint64_t parameters;  // elements in unquantised shape, scales and buffers excluded; 0 = not known
    uint64_t role_bytes[KVB_CHECKPOINT_ROLES];
    uint64_t scale_bytes[KVB_CHECKPOINT_ROLES];
    uint64_t element_bytes[KVB_ELEMENT_COUNT];
    char gguf_format[16]; // "Q4_K_M", said by the model's name where no header was read; "": not said
    bool classes_whole; // false: more kinds of tensors than the list holds, or only an index
    uint32_t class_count;
    struct kvb_tensor_class classes[KVB_CHECKPOINT_CLASSES_MAX];
};

KVB_PUBLIC_END

#endif
