// One row per config.json key of towers, rotary embedding, quantisation and the small nested groups.
#include "model/config/hf_keys.h"

#define LARGE (UINT64_C(1) << 26)
#define AT(key) [(key)-HF_V_TYPE]
#define COUNT(section, minimum, maximum, ...)                                                                          \
    {                                                                                                                  \
        section, HF_COUNT, 0, minimum, maximum,                                                                        \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SIZE(section, ...)                                                                                             \
    {                                                                                                                  \
        section, HF_COUNT, 0, 1, LARGE,                                                                                \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SIZE0(section, ...)                                                                                            \
    {                                                                                                                  \
        section, HF_COUNT, 0, 0, LARGE,                                                                                \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SWITCH(section, ...)                                                                                           \
    {                                                                                                                  \
        section, HF_SWITCH, 0, 0, 0,                                                                                   \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define WORD(section, ...)                                                                                             \
    {                                                                                                                  \
        section, HF_WORD, 0, 0, 0,                                                                                     \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define WORDS(section, ...)                                                                                            \
    {                                                                                                                  \
        section, HF_WORDS, 0, 0, 0,                                                                                    \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define COUNTS(section, ...)                                                                                           \
    {                                                                                                                  \
        section, HF_COUNTS, 0, 0, LARGE,                                                                               \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define RATIO(section, ...)                                                                                            \
    {                                                                                                                  \
        section, HF_RATIO, 0, 0, UINT64_C(1000000000000000),                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define RAW(section, ...)                                                                                              \
    {                                                                                                                  \
        section, HF_RAW, 0, 0, 0,                                                                                      \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define GROUP(section, child, ...)                                                                                     \
    {                                                                                                                  \
        section, HF_GROUP, child, 0, 0,                                                                                \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

// clang-format off
const struct kvb_hf_key_row kvb_hf_key_rows_tower[HF_KEY_COUNT - HF_V_TYPE] = {
    AT(HF_V_TYPE) = WORD(HF_VISION, "model_type"),
    AT(HF_V_HIDDEN) = SIZE(HF_VISION, "hidden_size", "vt_hidden_size"),
    AT(HF_V_EMBED) = SIZE(HF_VISION, "embed_dim"),
    AT(HF_V_OUT) = SIZE(HF_VISION, "out_hidden_size", "vision_output_dim"),
    AT(HF_V_LAYERS) = COUNT(HF_VISION, 1, 512, "depth", "num_hidden_layers", "vt_num_hidden_layers", "layers"),
    AT(HF_V_HEADS) = COUNT(HF_VISION, 1, 65536, "num_heads", "num_attention_heads", "attention_heads",
                           "vt_num_attention_heads"),
    AT(HF_V_INTERMEDIATE) = SIZE(HF_VISION, "intermediate_size", "vt_intermediate_size"),
    AT(HF_V_MLP_RATIO) = RATIO(HF_VISION, "mlp_ratio"),
    AT(HF_V_PATCH) = {HF_VISION, HF_COUNT_OR_LIST, 0, 1, 4096, {"patch_size", "spatial_patch_size"}},
    AT(HF_V_TEMPORAL) = COUNT(HF_VISION, 1, 64, "temporal_patch_size", "patch_temporal"),
    AT(HF_V_MERGE) = COUNT(HF_VISION, 1, 64, "spatial_merge_size", "merge_size"),
    AT(HF_V_CHANNELS) = COUNT(HF_VISION, 1, 64, "in_channels", "in_chans", "num_channels"),
    AT(HF_V_IMAGE) = {HF_VISION, HF_COUNT_OR_LIST, 0, 1, 65536, {"image_size"}},
    AT(HF_V_DEEPSTACK) = COUNTS(HF_VISION, "deepstack_visual_indexes"),
    AT(HF_V_POSITIONS) = SIZE(HF_VISION, "num_position_embeddings"),
    AT(HF_V_POSITION_TABLE) = SIZE(HF_VISION, "position_embedding_size"),
    AT(HF_V_PROJECTOR_IN) = SIZE(HF_VISION, "projector_input_dim"),
    AT(HF_V_PROJECTOR_OUT) = SIZE(HF_VISION, "projector_output_dim"),
    AT(HF_V_GLOBAL_LAYERS) = COUNT(HF_VISION, 0, 512, "num_global_layers"),
    AT(HF_V_TILES) = COUNT(HF_VISION, 1, 1024, "max_num_tiles"),
    AT(HF_V_TAPS) = COUNTS(HF_VISION, "intermediate_layers_indices"),
    AT(HF_V_RATIOS) = RAW(HF_VISION, "supported_aspect_ratios"),
    AT(HF_V_GRID_H) = COUNT(HF_VISION, 1, 65536, "init_pos_emb_height", "pos_emb_height"),
    AT(HF_V_GRID_W) = COUNT(HF_VISION, 1, 65536, "init_pos_emb_width", "pos_emb_width"),
    AT(HF_V_MERGE_KERNEL) = COUNTS(HF_VISION, "merge_kernel_size"),
    AT(HF_V_MM_HIDDEN) = SIZE(HF_VISION, "mm_hidden_size"),
    AT(HF_V_TEXT_HIDDEN) = SIZE(HF_VISION, "text_hidden_size"),
    AT(HF_V_OUT_TOKENS) = SIZE(HF_VISION, "default_output_length"),
    AT(HF_V_POOL) = COUNT(HF_VISION, 1, 64, "pooling_kernel_size"),
    AT(HF_V_HEAD_DIM) = COUNT(HF_VISION, 1, 65536, "head_dim"),
    AT(HF_V_QKV) = SIZE(HF_VISION, "qkv_hidden_size"),
    AT(HF_V_STANDARDIZE) = SWITCH(HF_VISION, "standardize"),
    AT(HF_V_USE_HEAD) = SWITCH(HF_VISION, "vision_use_head"),
    AT(HF_V_CLIPPED) = SWITCH(HF_VISION, "use_clipped_linears"),
    AT(HF_V_QKV_BIAS) = SWITCH(HF_VISION, "qkv_bias", "attention_bias"),
    AT(HF_V_PROJECTOR_KIND) = WORD(HF_VISION, "mm_projector_type"),

    AT(HF_A_TYPE) = WORD(HF_AUDIO, "model_type"),
    AT(HF_A_HIDDEN) = SIZE(HF_AUDIO, "d_model", "hidden_size"),
    AT(HF_A_LAYERS) = COUNT(HF_AUDIO, 1, 512, "encoder_layers", "num_hidden_layers"),
    AT(HF_A_INTERMEDIATE) = SIZE(HF_AUDIO, "encoder_ffn_dim"),
    AT(HF_A_HEADS) = COUNT(HF_AUDIO, 1, 65536, "encoder_attention_heads", "num_attention_heads"),
    AT(HF_A_MELS) = COUNT(HF_AUDIO, 1, 65536, "num_mel_bins"),
    AT(HF_A_POSITIONS) = SIZE(HF_AUDIO, "max_source_positions"),
    AT(HF_A_OUT) = SIZE(HF_AUDIO, "output_dim", "output_proj_dims"),
    AT(HF_A_KERNEL) = COUNT(HF_AUDIO, 1, 1024, "conv_kernel_size"),
    AT(HF_A_CHANNELS) = COUNTS(HF_AUDIO, "subsampling_conv_channels"),
    AT(HF_A_CLIPPED) = SWITCH(HF_AUDIO, "use_clipped_linears"),

    AT(HF_R_TYPE) = WORD(HF_ROPE, "rope_type", "type"),
    AT(HF_R_FACTOR) = RATIO(HF_ROPE, "factor"),
    AT(HF_R_ORIGINAL) = COUNT(HF_ROPE, 1, UINT64_C(1) << 31, "original_max_position_embeddings"),
    AT(HF_R_MROPE) = COUNTS(HF_ROPE, "mrope_section"),
    AT(HF_R_PARTIAL) = RATIO(HF_ROPE, "partial_rotary_factor"),
    AT(HF_R_FULL) = GROUP(HF_ROPE, HF_ROPE, "full_attention"),
    AT(HF_R_SLIDING) = GROUP(HF_ROPE, HF_ROPE, "sliding_attention"),
    AT(HF_R_THETA) = RATIO(HF_ROPE, "rope_theta"),

    AT(HF_Q_METHOD) = WORD(HF_QUANT, "quant_method"),
    AT(HF_Q_BITS) = COUNT(HF_QUANT, 1, 64, "bits", "w_bit", "nbits"),
    AT(HF_Q_GROUP) = RAW(HF_QUANT, "group_size", "q_group_size"),
    AT(HF_Q_DESC_ACT) = SWITCH(HF_QUANT, "desc_act"),
    AT(HF_Q_SYM) = SWITCH(HF_QUANT, "sym"),
    AT(HF_Q_ZERO_POINT) = SWITCH(HF_QUANT, "zero_point"),
    AT(HF_Q_BLOCK) = COUNTS(HF_QUANT, "weight_block_size"),
    AT(HF_Q_ACTIVATION) = WORD(HF_QUANT, "activation_scheme"),
    AT(HF_Q_IGNORE) = WORDS(HF_QUANT, "ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers",
                            "llm_int8_skip_modules"),
    AT(HF_Q_FORMAT) = WORD(HF_QUANT, "format"),
    AT(HF_Q_GROUPS) = RAW(HF_QUANT, "config_groups"),
    AT(HF_Q_ALGO) = WORD(HF_QUANT, "quant_algo"),
    AT(HF_Q_KV) = RAW(HF_QUANT, "kv_cache_scheme"),
    AT(HF_Q_KV_ALGO) = WORD(HF_QUANT, "kv_cache_quant_algo"),
    AT(HF_Q_LAYERS) = RAW(HF_QUANT, "quantized_layers"),
    AT(HF_Q_MOE_ALGO) = WORD(HF_QUANT, "moe_quant_algo"),
    AT(HF_Q_4BIT) = SWITCH(HF_QUANT, "load_in_4bit", "_load_in_4bit"),
    AT(HF_Q_8BIT) = SWITCH(HF_QUANT, "load_in_8bit", "_load_in_8bit"),
    AT(HF_Q_INNER) = GROUP(HF_QUANT, HF_QUANT, "quantization"),
    AT(HF_Q_PRODUCER) = RAW(HF_QUANT, "producer"),
    AT(HF_Q_CHECKPOINT) = WORD(HF_QUANT, "checkpoint_format"),

    AT(HF_K_KDA_LAYERS) = COUNTS(HF_KDA, "kda_layers"),
    AT(HF_K_FULL_LAYERS) = COUNTS(HF_KDA, "full_attn_layers"),
    AT(HF_K_HEAD_DIM) = COUNT(HF_KDA, 1, 65536, "head_dim"),
    AT(HF_K_HEADS) = COUNT(HF_KDA, 1, 65536, "num_heads"),
    AT(HF_K_CONV) = COUNT(HF_KDA, 1, 1024, "short_conv_kernel_size"),
    AT(HF_K_FULL_RANK) = SWITCH(HF_KDA, "use_full_rank_gate"),
    AT(HF_N_KV_HEADS) = COUNT(HF_ATTN, 1, 65536, "kv_n_heads"),
    AT(HF_N_ALIBI) = SWITCH(HF_ATTN, "alibi"),
    AT(HF_F_SIZE) = SIZE(HF_FFN, "ffn_hidden_size"),
    AT(HF_F_EXPERTS) = COUNT(HF_FFN, 1, 65536, "moe_num_experts"),
    AT(HF_F_TOPK) = COUNT(HF_FFN, 1, 65536, "moe_top_k"),
    AT(HF_S_FREQ) = COUNTS(HF_SPARSE, "sparse_attention_freq"),
    AT(HF_S_DIM) = COUNT(HF_SPARSE, 1, 65536, "sparse_index_dim"),
    AT(HF_S_HEADS) = COUNT(HF_SPARSE, 1, 65536, "sparse_num_index_heads"),
    AT(HF_S_USE) = SWITCH(HF_SPARSE, "use_sparse_attention"),
    AT(HF_I_NAME) = WORD(HF_IMAGE, "model_name"),
};
// clang-format on
