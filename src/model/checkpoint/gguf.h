// A GGUF file: the shape of the model from its metadata, the size of its tensors from their table.
#ifndef KVB_MODEL_CHECKPOINT_GGUF_H
#define KVB_MODEL_CHECKPOINT_GGUF_H

#include "base/buffer.h"
#include "model/checkpoint/checkpoint.h"

// What is kept of the metadata; all are whole numbers.
enum kvb_gguf_key {
    GGUF_BLOCKS,
    GGUF_CONTEXT,
    GGUF_EMBEDDING,
    GGUF_FEED_FORWARD,
    GGUF_HEADS,
    GGUF_KV_HEADS,
    GGUF_KEY_LENGTH,
    GGUF_VALUE_LENGTH,
    GGUF_KEY_LENGTH_MLA,
    GGUF_VALUE_LENGTH_MLA,
    GGUF_QUERY_RANK,
    GGUF_LATENT_RANK,
    GGUF_WINDOW,
    GGUF_ROPE_DIMENSIONS,
    GGUF_EXPERTS,
    GGUF_EXPERTS_USED,
    GGUF_EXPERT_FEED_FORWARD,
    GGUF_SHARED_EXPERTS,
    GGUF_SHARED_FEED_FORWARD,
    GGUF_DENSE_BLOCKS,
    GGUF_VOCABULARY,
    GGUF_STATE_CONV,
    GGUF_STATE_SIZE,
    GGUF_STATE_GROUPS,
    GGUF_STATE_HEADS,
    GGUF_STATE_INNER,
    GGUF_FULL_INTERVAL,
    GGUF_NEXTN,          // layers for further tokens at the end, among the blocks
    GGUF_PICTURE_BLOCKS, // of a picture projector, from here on
    GGUF_PICTURE_EMBEDDING,
    GGUF_PICTURE_FEED_FORWARD,
    GGUF_PICTURE_HEADS,
    GGUF_PICTURE_SIZE,
    GGUF_PICTURE_PATCH,
    GGUF_PICTURE_MERGE,
    GGUF_PICTURE_OUTPUT,
    GGUF_KEY_COUNT
};

struct kvb_gguf_value {
    bool set;
    bool varies; // a list of different numbers
    uint64_t number;
};

struct kvb_gguf {
    char architecture[64];
    struct kvb_gguf_value values[GGUF_KEY_COUNT];
    uint64_t token_count; // of the tokeniser's list
    uint64_t split_count; // files of the whole model; 0 or 1: this one
    uint64_t alignment;
    bool has_output, has_query_bias, has_correction_bias; // tensors met
    char projector[32];                                   // kind of a picture projector: "qwen3vl_merger"
    bool has_fused_pictures, has_gated_pictures;          // tensors of its layers
    uint32_t deepstack_levels;
};

// ---- Tables (gguf_types.c)

struct kvb_ggml_type {
    uint32_t id;
    const char *name;
    uint32_t block_elements, block_bytes;
    enum kvb_element element;
};
const struct kvb_ggml_type *kvb_ggml_type_find(uint32_t id); // NULL: unknown
// The key behind "<architecture>."; false for one that is not kept.
bool kvb_gguf_key_find(const char *name, enum kvb_gguf_key *key);
const char *kvb_gguf_key_name(enum kvb_gguf_key key);

// ---- Reading

// Fills `gguf` and hands every tensor to `take`, with dimensions from the outermost inwards.
enum kvb_status kvb_gguf_read(const struct kvb_open_file *file, struct kvb_gguf *gguf, kvb_tensor_taker *take,
                              void *context, struct kvb_problems *problems) KVB_MUST_USE;

// The same model as the text of a config.json.
enum kvb_status kvb_gguf_config(const struct kvb_gguf *gguf, const char *path, struct kvb_buffer *text,
                                struct kvb_problems *problems) KVB_MUST_USE;

// Metadata and tensors of one file, whatever its architecture.
enum kvb_status kvb_gguf_read_path(const char *path, struct kvb_gguf *gguf, struct kvb_checkpoint *checkpoint,
                                   struct kvb_problems *problems) KVB_MUST_USE;

// Both for a path, with the further files of a split model. `text` may be NULL.
enum kvb_status kvb_gguf_load(const char *path, struct kvb_checkpoint *checkpoint, struct kvb_buffer *text,
                              struct kvb_problems *problems) KVB_MUST_USE;

#endif
