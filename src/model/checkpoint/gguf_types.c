// Formats and metadata keys of GGUF.
// Source: github.com/ggml-org/llama.cpp, gguf-py/gguf/constants.py and ggml/src/ggml-common.h.
#include <string.h>

#include "model/checkpoint/gguf.h"

static const struct kvb_ggml_type types[] = {
    {0, "F32", 1, 4, KVB_ELEMENT_F32},
    {1, "F16", 1, 2, KVB_ELEMENT_F16},
    {2, "Q4_0", 32, 18, KVB_ELEMENT_PACKED},
    {3, "Q4_1", 32, 20, KVB_ELEMENT_PACKED},
    {6, "Q5_0", 32, 22, KVB_ELEMENT_PACKED},
    {7, "Q5_1", 32, 24, KVB_ELEMENT_PACKED},
    {8, "Q8_0", 32, 34, KVB_ELEMENT_PACKED},
    {10, "Q2_K", 256, 84, KVB_ELEMENT_PACKED},
    {11, "Q3_K", 256, 110, KVB_ELEMENT_PACKED},
    {12, "Q4_K", 256, 144, KVB_ELEMENT_PACKED},
    {13, "Q5_K", 256, 176, KVB_ELEMENT_PACKED},
    {14, "Q6_K", 256, 210, KVB_ELEMENT_PACKED},
    {16, "IQ2_XXS", 256, 66, KVB_ELEMENT_PACKED},
    {17, "IQ2_XS", 256, 74, KVB_ELEMENT_PACKED},
    {18, "IQ3_XXS", 256, 98, KVB_ELEMENT_PACKED},
    {19, "IQ1_S", 256, 50, KVB_ELEMENT_PACKED},
    {20, "IQ4_NL", 32, 18, KVB_ELEMENT_PACKED},
    {21, "IQ3_S", 256, 110, KVB_ELEMENT_PACKED},
    {22, "IQ2_S", 256, 82, KVB_ELEMENT_PACKED},
    {23, "IQ4_XS", 256, 136, KVB_ELEMENT_PACKED},
    {24, "I8", 1, 1, KVB_ELEMENT_I8},
    {25, "I16", 1, 2, KVB_ELEMENT_I16},
    {26, "I32", 1, 4, KVB_ELEMENT_I32},
    {27, "I64", 1, 8, KVB_ELEMENT_I64},
    {28, "F64", 1, 8, KVB_ELEMENT_F64},
    {29, "IQ1_M", 256, 56, KVB_ELEMENT_PACKED},
    {30, "BF16", 1, 2, KVB_ELEMENT_BF16},
    {34, "TQ1_0", 256, 54, KVB_ELEMENT_PACKED},
    {35, "TQ2_0", 256, 66, KVB_ELEMENT_PACKED},
    {39, "MXFP4", 32, 17, KVB_ELEMENT_PACKED},
};

const struct kvb_ggml_type *kvb_ggml_type_find(uint32_t id)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].id == id) {
            return &types[i];
        }
    }
    return NULL;
}

static const char *const keys[GGUF_KEY_COUNT] = {
    [GGUF_BLOCKS] = "block_count",
    [GGUF_CONTEXT] = "context_length",
    [GGUF_EMBEDDING] = "embedding_length",
    [GGUF_FEED_FORWARD] = "feed_forward_length",
    [GGUF_HEADS] = "attention.head_count",
    [GGUF_KV_HEADS] = "attention.head_count_kv",
    [GGUF_KEY_LENGTH] = "attention.key_length",
    [GGUF_VALUE_LENGTH] = "attention.value_length",
    [GGUF_KEY_LENGTH_MLA] = "attention.key_length_mla",
    [GGUF_VALUE_LENGTH_MLA] = "attention.value_length_mla",
    [GGUF_QUERY_RANK] = "attention.q_lora_rank",
    [GGUF_LATENT_RANK] = "attention.kv_lora_rank",
    [GGUF_WINDOW] = "attention.sliding_window",
    [GGUF_ROPE_DIMENSIONS] = "rope.dimension_count",
    [GGUF_EXPERTS] = "expert_count",
    [GGUF_EXPERTS_USED] = "expert_used_count",
    [GGUF_EXPERT_FEED_FORWARD] = "expert_feed_forward_length",
    [GGUF_SHARED_EXPERTS] = "expert_shared_count",
    [GGUF_SHARED_FEED_FORWARD] = "expert_shared_feed_forward_length",
    [GGUF_DENSE_BLOCKS] = "leading_dense_block_count",
    [GGUF_VOCABULARY] = "vocab_size",
    [GGUF_STATE_CONV] = "ssm.conv_kernel",
    [GGUF_STATE_SIZE] = "ssm.state_size",
    [GGUF_STATE_GROUPS] = "ssm.group_count",
    [GGUF_STATE_HEADS] = "ssm.time_step_rank",
    [GGUF_STATE_INNER] = "ssm.inner_size",
    [GGUF_FULL_INTERVAL] = "full_attention_interval",
    [GGUF_NEXTN] = "nextn_predict_layers",
    [GGUF_PICTURE_BLOCKS] = "vision.block_count",
    [GGUF_PICTURE_EMBEDDING] = "vision.embedding_length",
    [GGUF_PICTURE_FEED_FORWARD] = "vision.feed_forward_length",
    [GGUF_PICTURE_HEADS] = "vision.attention.head_count",
    [GGUF_PICTURE_SIZE] = "vision.image_size",
    [GGUF_PICTURE_PATCH] = "vision.patch_size",
    [GGUF_PICTURE_MERGE] = "vision.spatial_merge_size",
    [GGUF_PICTURE_OUTPUT] = "vision.projection_dim",
};

const char *kvb_gguf_key_name(enum kvb_gguf_key key)
{
    return (uint32_t)key < GGUF_KEY_COUNT ? keys[key] : "unknown";
}

bool kvb_gguf_key_find(const char *name, enum kvb_gguf_key *key)
{
    for (uint32_t i = 0; i < GGUF_KEY_COUNT; i++) {
        if (strcmp(keys[i], name) == 0) {
            *key = (enum kvb_gguf_key)i;
            return true;
        }
    }
    return false;
}
