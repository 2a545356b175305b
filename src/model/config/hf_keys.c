// One row per config.json key of the model itself: where it stands, what it may be, how people spell it.
#include "model/config/hf_keys.h"

#include <string.h>

#define SIZE_MAX_ELEMENTS (UINT64_C(1) << 26)
#define TOKENS_MAX (UINT64_C(1) << 31)
#define SMALL_MAX UINT64_C(65536)

#define SIZE(...)                                                                                                      \
    {                                                                                                                  \
        HF_TEXT, HF_COUNT, 0, 1, SIZE_MAX_ELEMENTS,                                                                    \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SIZE0(...)                                                                                                     \
    {                                                                                                                  \
        HF_TEXT, HF_COUNT, 0, 0, SIZE_MAX_ELEMENTS,                                                                    \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SMALL(...)                                                                                                     \
    {                                                                                                                  \
        HF_TEXT, HF_COUNT, 0, 1, SMALL_MAX,                                                                            \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SMALL0(...)                                                                                                    \
    {                                                                                                                  \
        HF_TEXT, HF_COUNT, 0, 0, SMALL_MAX,                                                                            \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define TOKENS(...)                                                                                                    \
    {                                                                                                                  \
        HF_TEXT, HF_COUNT, 0, 1, TOKENS_MAX,                                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define LIST0(...)                                                                                                     \
    {                                                                                                                  \
        HF_TEXT, HF_COUNT_OR_LIST, 0, 0, SIZE_MAX_ELEMENTS,                                                            \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SWITCH(...)                                                                                                    \
    {                                                                                                                  \
        HF_TEXT, HF_SWITCH, 0, 0, 0,                                                                                   \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define WORD(...)                                                                                                      \
    {                                                                                                                  \
        HF_TEXT, HF_WORD, 0, 0, 0,                                                                                     \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define WORDS(...)                                                                                                     \
    {                                                                                                                  \
        HF_TEXT, HF_WORDS, 0, 0, 0,                                                                                    \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define COUNTS(...)                                                                                                    \
    {                                                                                                                  \
        HF_TEXT, HF_COUNTS, 0, 0, SMALL_MAX,                                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define RATIO(...)                                                                                                     \
    {                                                                                                                  \
        HF_TEXT, HF_RATIO, 0, 0, UINT64_C(1000000000000000),                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define RAW(...)                                                                                                       \
    {                                                                                                                  \
        HF_TEXT, HF_RAW, 0, 0, 0,                                                                                      \
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
#define TOP(kind, maximum, ...)                                                                                        \
    {                                                                                                                  \
        HF_TOP, kind, 0, 0, maximum,                                                                                   \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

// clang-format off
const struct kvb_hf_key_row kvb_hf_key_rows[HF_V_TYPE] = {
    [HF_ARCHITECTURES] = TOP(HF_WORDS, 0, "architectures"),
    [HF_TEXT_CONFIG] = GROUP(HF_TOP, HF_TEXT, "text_config", "llm_config", "language_config"),
    [HF_THINKER_CONFIG] = GROUP(HF_TOP, HF_TOP, "thinker_config"),
    [HF_VISION_CONFIG] = GROUP(HF_TOP, HF_VISION, "vision_config"),
    [HF_AUDIO_CONFIG] = GROUP(HF_TOP, HF_AUDIO, "audio_config"),
    [HF_QUANTISATION] = GROUP(HF_TEXT, HF_QUANT, "quantization_config", "compression_config"),
    [HF_IMG_PROCESSOR] = GROUP(HF_TOP, HF_IMAGE, "img_processor"),
    [HF_PROJECTOR_BIAS] = TOP(HF_SWITCH, 0, "multimodal_projector_bias"),
    [HF_PROJECTOR_HIDDEN] = TOP(HF_COUNT, SIZE_MAX_ELEMENTS, "projector_hidden_size"),
    [HF_PROJECTOR_OUT] = TOP(HF_COUNT, SIZE_MAX_ELEMENTS, "out_hidden_size"),
    [HF_MERGE_SIZE] = TOP(HF_COUNT, 64, "spatial_merge_size"),
    [HF_IMAGE_TOKENS] = TOP(HF_COUNT, TOKENS_MAX, "mm_tokens_per_image", "vision_soft_tokens_per_image"),
    [HF_QUERY_TOKENS] = TOP(HF_COUNT, SMALL_MAX, "query_num"),
    [HF_IMAGE_SIZE] = TOP(HF_RAW, 0, "image_size"),

    [HF_MODEL_TYPE] = WORD("model_type"),
    [HF_DTYPE] = WORD("dtype", "torch_dtype"),
    [HF_HIDDEN] = SIZE("hidden_size", "n_embd", "n_embed", "d_model", "dim"),
    [HF_LAYERS] = {HF_TEXT, HF_COUNT, 0, 1, 512,
                   {"num_hidden_layers", "n_layer", "num_layers", "n_layers"}},
    [HF_HEADS] = SMALL("num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"),
    [HF_KV_HEADS] = SMALL("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num",
                          "num_attention_groups", "n_kv_heads"),
    [HF_HEAD_DIM] = SMALL0("head_dim", "kv_channels", "attention_head_dim", "hidden_size_per_head"),
    [HF_VOCAB] = SIZE("padded_vocab_size", "vocab_size"),
    [HF_INTERMEDIATE] = {HF_TEXT, HF_COUNT_OR_LIST, 0, 0, SIZE_MAX_ELEMENTS,
                         {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "decoder_ffn_dim",
                          "inter_dim", "hidden_dim"}},
    [HF_TIED] = SWITCH("tie_word_embeddings", "weight_tying", "tied_embeddings"),
    [HF_ATTENTION_BIAS] = SWITCH("attention_bias"),
    [HF_QKV_BIAS] = SWITCH("qkv_bias", "add_qkv_bias", "use_qkv_bias"),
    [HF_BIAS] = SWITCH("bias", "use_bias", "enable_bias", "add_bias_linear"),
    [HF_NO_BIAS] = SWITCH("no_bias"),
    [HF_OUTPUT_BIAS] = SWITCH("attention_out_bias"),
    [HF_MLP_BIAS] = SWITCH("mlp_bias"),
    [HF_HEAD_BIAS] = SWITCH("lm_head_bias"),
    [HF_QK_NORM] = SWITCH("use_qk_norm", "qk_layernorm", "qk_norm"),
    [HF_QK_NORM_TYPE] = WORD("qk_norm_type"),
    [HF_WINDOW] = {HF_TEXT, HF_COUNT, 0, 0, TOKENS_MAX, {"sliding_window", "sliding_window_size"}},
    [HF_USE_WINDOW] = SWITCH("use_sliding_window"),
    [HF_MAX_WINDOW_LAYERS] = SMALL0("max_window_layers"),
    [HF_WINDOW_PATTERN] = RAW("sliding_window_pattern", "_sliding_window_pattern"),
    [HF_LAYER_TYPES] = WORDS("layer_types"),
    [HF_CHUNK] = TOKENS("attention_chunk_size"),
    [HF_NO_ROPE_LAYERS] = COUNTS("no_rope_layers"),
    [HF_MAX_POSITION] = TOKENS("max_position_embeddings"),
    [HF_POSITIONS] = TOKENS("n_positions"),
    [HF_MAX_SEQ] = TOKENS("max_seq_len"),
    [HF_SEQ_LENGTH] = TOKENS("seq_length"),
    [HF_MODEL_MAX_LENGTH] = TOKENS("model_max_length"),
    [HF_TARGET_POSITIONS] = TOKENS("max_target_positions"),
    [HF_MAX_SEQUENCE] = TOKENS("max_sequence_length"),
    [HF_MAX_SEQ_LENGTH] = TOKENS("max_seq_length"),
    [HF_SEQ_LEN] = TOKENS("seq_len"),
    [HF_ROPE_SCALING] = GROUP(HF_TEXT, HF_ROPE, "rope_scaling"),
    [HF_ROPE_PARAMETERS] = GROUP(HF_TEXT, HF_ROPE, "rope_parameters"),
    [HF_ORIGINAL_POSITIONS] = TOKENS("original_max_position_embeddings"),
    [HF_ROTARY_DIM] = SMALL("rotary_dim"),
    [HF_PARTIAL_ROTARY] = RATIO("partial_rotary_factor", "rotary_pct", "rope_pct"),
    [HF_ROPE_THETA] = RAW("rope_theta", "rotary_emb_base"),
    [HF_LOCAL_THETA] = RATIO("rope_local_base_freq"),

    [HF_EXPERTS] = SMALL0("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"),
    [HF_EXPERTS_PER_TOKEN] = LIST0("num_experts_per_tok", "num_experts_per_token", "experts_per_token",
                                    "top_k_experts", "moe_topk", "moe_k"),
    [HF_MOE_INTERMEDIATE] = LIST0("moe_intermediate_size", "expert_intermediate_size"),
    [HF_SHARED_EXPERTS] = LIST0("n_shared_experts", "num_shared_experts", "moe_num_shared_experts",
                                 "num_shared_expert"),
    [HF_SHARED_INTERMEDIATE] = SIZE0("shared_expert_intermediate_size", "shared_intermediate_size",
                                     "moe_shared_expert_intermediate_size", "share_expert_dim"),
    [HF_FIRST_DENSE] = SMALL0("first_k_dense_replace", "num_dense_layers"),
    [HF_MOE_FREQ] = {HF_TEXT, HF_COUNT_OR_LIST, 0, 0, SMALL_MAX, {"moe_layer_freq"}},
    [HF_SPARSE_STEP] = SMALL("decoder_sparse_step"),
    [HF_MLP_ONLY] = COUNTS("mlp_only_layers"),
    [HF_MLP_TYPES] = WORDS("mlp_layer_types"),
    [HF_TOPK_METHOD] = WORD("topk_method"),
    [HF_ROUTING_BIAS] = SWITCH("use_routing_bias", "use_moe_router_bias"),
    [HF_DENSE_INTERMEDIATE] = SIZE0("dense_intermediate_size"),
    [HF_MOE_STEP] = SMALL0("interleave_moe_layer_step"),
    [HF_MOE_LAYERS] = COUNTS("moe_layers"),
    [HF_DENSE_SIZE_LLAMA4] = SIZE0("intermediate_size_mlp"),
    [HF_EXPERT_PERIOD] = SMALL("expert_layer_period"),
    [HF_EXPERT_OFFSET] = SMALL0("expert_layer_offset"),
    [HF_LATENT_SIZE] = SIZE0("moe_latent_size", "routed_expert_hidden_size"),
    [HF_LATENT_NORM] = SWITCH("latent_moe_use_norm"),
    [HF_MOE_START] = SMALL0("moe_layer_start_index"),
    [HF_MOE_INTERVAL] = SMALL("moe_layer_interval"),
    [HF_MOE_END] = SMALL0("moe_layer_end_index"),
    [HF_MOE_ENABLED] = SWITCH("enable_moe_block"),

    [HF_Q_LORA] = SIZE0("q_lora_rank"),
    [HF_KV_LORA] = SIZE0("kv_lora_rank"),
    [HF_NOPE_DIM] = SMALL0("qk_nope_head_dim"),
    [HF_ROPE_DIM] = SMALL0("qk_rope_head_dim", "rope_head_dim"),
    [HF_V_DIM] = SMALL0("v_head_dim"),
    [HF_INDEX_HEADS] = SMALL0("index_n_heads"),
    [HF_INDEX_DIM] = SMALL0("index_head_dim"),
    [HF_INDEX_TOPK] = SIZE0("index_topk"),
    [HF_INDEX_FREQ] = SMALL("index_topk_freq"),
    [HF_INDEX_OFFSET] = SMALL0("index_skip_topk_offset"),
    [HF_INDEX_PATTERN] = RAW("index_topk_pattern"),
    [HF_INDEXER_TYPES] = WORDS("indexer_types"),
    [HF_COMPRESS] = COUNTS("compress_ratios"),
    [HF_O_GROUPS] = SMALL("o_groups"),
    [HF_O_LORA] = SIZE("o_lora_rank"),
    [HF_HYPER] = SMALL("hc_mult"),
    [HF_HASH_LAYERS] = SMALL0("num_hash_layers", "n_hash_layers"),
    [HF_EXPERT_DTYPE] = WORD("expert_dtype"),

    [HF_MTP] = {HF_TEXT, HF_COUNT, 0, 0, 64, {"num_nextn_predict_layers", "mtp_num_hidden_layers", "n_mtp_layers"}},
    [HF_MTP_OWN] = SWITCH("mtp_use_dedicated_embeddings"),
    [HF_MTP_TYPES] = WORDS("mtp_layers_block_type"),
    [HF_MTP_MODULES] = {HF_TEXT, HF_COUNT, 0, 0, 64, {"num_mtp_modules"}},
    [HF_MTP_PATTERN] = WORD("mtp_hybrid_override_pattern"),

    [HF_LINEAR_KEY_HEADS] = SMALL("linear_num_key_heads"),
    [HF_LINEAR_KEY_DIM] = SMALL("linear_key_head_dim"),
    [HF_LINEAR_VALUE_HEADS] = SMALL("linear_num_value_heads"),
    [HF_LINEAR_VALUE_DIM] = SMALL("linear_value_head_dim"),
    [HF_LINEAR_CONV] = SMALL("linear_conv_kernel_dim"),
    [HF_FULL_INTERVAL] = SMALL("full_attention_interval"),
    [HF_OUTPUT_GATE] = SWITCH("attn_output_gate"),
    [HF_MAMBA_HEADS] = SMALL("mamba_num_heads", "mamba_n_heads"),
    [HF_MAMBA_HEAD_DIM] = RAW("mamba_head_dim", "mamba_d_head"),
    [HF_MAMBA_GROUPS] = SMALL("n_groups", "mamba_n_groups"),
    [HF_MAMBA_STATE] = SMALL("ssm_state_size", "mamba_d_state", "state_size"),
    [HF_MAMBA_CONV] = SMALL("conv_kernel", "mamba_d_conv"),
    [HF_MAMBA_EXPAND] = SMALL("mamba_expand", "expand"),
    [HF_MAMBA_INNER] = SIZE("d_inner", "mamba_d_ssm"),
    [HF_MAMBA_CHUNK] = SMALL("mamba_chunk_size", "chunk_size"),
    [HF_MAMBA_BIAS] = SWITCH("mamba_proj_bias"),
    [HF_CONV_BIAS] = SWITCH("use_conv_bias", "mamba_conv_bias", "conv_bias"),
    [HF_SSM_DTYPE] = WORD("mamba_ssm_dtype", "mamba_ssm_cache_dtype"),
    [HF_HYBRID_PATTERN] = WORD("hybrid_override_pattern"),
    [HF_BLOCK_TYPES] = WORDS("layers_block_type", "layer_block_types"),
    [HF_DT_RANK] = RAW("mamba_dt_rank", "time_step_rank"),
    [HF_ATTN_PERIOD] = SMALL("attn_layer_period"),
    [HF_ATTN_OFFSET] = SMALL0("attn_layer_offset"),
    [HF_ATTN_TYPES] = COUNTS("attn_type_list", "attn_layer_indices"),
    [HF_KDA_CONFIG] = GROUP(HF_TEXT, HF_KDA, "linear_attn_config"),
    [HF_MLA_GATE] = SWITCH("mla_use_output_gate"),
    [HF_CONV_CACHE] = SMALL("conv_L_cache"),
    [HF_FULL_LAYERS] = COUNTS("full_attn_idxs"),
    [HF_BLOCK_FF] = SIZE("block_ff_dim"),
    [HF_BLOCK_FF_ADJUST] = SWITCH("block_auto_adjust_ff_dim"),
    [HF_BLOCK_FF_FACTOR] = RATIO("block_ffn_dim_multiplier"),
    [HF_BLOCK_FF_MULTIPLE] = SIZE("block_multiple_of"),

    [HF_GLOBAL_HEAD_DIM] = SMALL("global_head_dim"),
    [HF_GLOBAL_KV_HEADS] = SMALL("num_global_key_value_heads"),
    [HF_K_EQ_V] = SWITCH("attention_k_eq_v"),
    [HF_KV_SHARED] = SMALL0("num_kv_shared_layers"),
    [HF_PER_LAYER_INPUT] = SIZE0("hidden_size_per_layer_input"),
    [HF_PER_LAYER_VOCAB] = SIZE0("vocab_size_per_layer_input"),
    [HF_DOUBLE_WIDE] = SWITCH("use_double_wide_mlp"),
    [HF_ALTUP] = SMALL("altup_num_inputs"),
    [HF_LAUREL] = SIZE("laurel_rank"),
    [HF_SWA_HEADS] = SMALL("swa_num_attention_heads"),
    [HF_SWA_KV_HEADS] = SMALL("swa_num_key_value_heads"),
    [HF_SWA_HEAD_DIM] = SMALL("swa_head_dim"),
    [HF_SWA_V_DIM] = SMALL("swa_v_head_dim"),
    [HF_SWA_PATTERN] = COUNTS("hybrid_layer_pattern"),
    [HF_SWA_SINKS] = SWITCH("add_swa_attention_sink_bias"),
    [HF_FULL_SINKS] = SWITCH("add_full_attention_sink_bias"),
    [HF_SWA_THETA] = RATIO("swa_rope_theta"),
    [HF_HEADS_PER_LAYER] = COUNTS("num_attention_heads_per_layer"),
    [HF_GATING] = RAW("gating"),
    [HF_SPARSE_CONFIG] = GROUP(HF_TEXT, HF_SPARSE, "sparse_attention_config"),
    [HF_CROSS_LAYERS] = COUNTS("cross_attention_layers"),
    [HF_MULTI_QUERY] = SWITCH("multi_query"),
    [HF_NEW_DECODER] = SWITCH("new_decoder_architecture"),
    [HF_PARALLEL_ATTENTION] = SWITCH("parallel_attn"),
    [HF_PARALLEL_NORMS] = SMALL("num_ln_in_parallel_attn"),
    [HF_EMBED_DIM] = SIZE("word_embed_proj_dim"),
    [HF_NORM_BEFORE] = SWITCH("do_layer_norm_before"),
    [HF_EXPANSION] = SMALL("expansion_ratio"),
    [HF_ATTN_CONFIG] = GROUP(HF_TEXT, HF_ATTN, "attn_config"),
    [HF_FFN_CONFIG] = GROUP(HF_TEXT, HF_FFN, "ffn_config"),
    [HF_TYPE_VOCAB] = SMALL0("type_vocab_size"),
    [HF_BLOCK_CONFIGS] = RAW("block_configs"),
    [HF_PARALLEL_RESIDUAL] = SWITCH("use_parallel_residual"),
    [HF_EMBEDDING_SIZE] = SIZE("embedding_size"),
    [HF_ALIBI] = SWITCH("alibi"),
    [HF_POSITION_TYPE] = WORD("position_embedding_type"),
    [HF_ATTENTION_GATE] = SWITCH("attention_output_gate"),
    [HF_VERSION] = TOP(HF_RAW, 0, "version"),
    [HF_SCALE_FACTOR] = TOP(HF_RAW, 0, "scale_factor"),
    [HF_MAMBA_NORM] = SWITCH("mamba_rms_norm"),
    [HF_DECODER_LAYERS] = {HF_TEXT, HF_COUNT, 0, 1, 256, {"decoder_layers"}},
    [HF_ENCODER_LAYERS] = SMALL("encoder_layers"),
    [HF_ENCODER_INNER] = SIZE("encoder_ffn_dim"),
    [HF_ENCODER_HEADS] = SMALL("encoder_attention_heads"),
    [HF_MEL_BINS] = SMALL("num_mel_bins"),
    [HF_SOURCE_POSITIONS] = SIZE("max_source_positions"),
    [HF_ACTIVATION] = WORD("hidden_act", "hidden_activation", "activation_function"),
};
// clang-format on

const struct kvb_hf_key_row *kvb_hf_row(enum kvb_hf_key key)
{
    return key < HF_V_TYPE ? &kvb_hf_key_rows[key] : &kvb_hf_key_rows_tower[key - HF_V_TYPE];
}

bool kvb_hf_section_holds(enum kvb_hf_section outer, enum kvb_hf_section inner)
{
    return outer == inner || (outer == HF_TOP && inner == HF_TEXT);
}

enum kvb_hf_key kvb_hf_key_find(enum kvb_hf_section section, const char *name)
{
    for (int key = 0; key < HF_KEY_COUNT; key++) {
        const struct kvb_hf_key_row *row = kvb_hf_row((enum kvb_hf_key)key);
        if (!kvb_hf_section_holds(section, (enum kvb_hf_section)row->section)) {
            continue;
        }
        for (size_t i = 0; i < sizeof row->names / sizeof row->names[0] && row->names[i]; i++) {
            if (strcmp(row->names[i], name) == 0) {
                return (enum kvb_hf_key)key;
            }
        }
    }
    return HF_KEY_COUNT;
}
