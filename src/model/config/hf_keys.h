// Names for every config.json key that means something to memory; the rows are in hf_keys*.c.
#ifndef KVB_MODEL_CONFIG_HF_KEYS_H
#define KVB_MODEL_CONFIG_HF_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Which mapping of a config a key stands in.
enum kvb_hf_section {
    HF_TOP,    // only at the top
    HF_TEXT,   // the language model: the top, or text_config and its kin
    HF_VISION, // vision_config
    HF_AUDIO,  // audio_config
    HF_ROPE,   // rope_scaling, rope_parameters and its two halves
    HF_QUANT,  // quantization_config and its kin
    HF_KDA,    // linear_attn_config
    HF_ATTN,   // attn_config of MPT and DBRX
    HF_FFN,    // ffn_config of DBRX
    HF_SPARSE, // sparse_attention_config of MiniMax-M3
    HF_IMAGE,  // img_processor of Phi-3-vision
    HF_DFLASH, // dflash_config
    HF_SECTION_COUNT
};

enum kvb_hf_kind {
    HF_COUNT,         // whole number
    HF_SWITCH,        // true or false
    HF_RATIO,         // decimal number, stored in millionths
    HF_WORD,          // text
    HF_COUNTS,        // list of whole numbers
    HF_WORDS,         // list of text
    HF_COUNT_OR_LIST, // either
    HF_GROUP,         // mapping with a section of its own
    HF_RAW            // judged by the code that reads it
};

// clang-format off
enum kvb_hf_key {
    // top
    HF_ARCHITECTURES, HF_TEXT_CONFIG, HF_THINKER_CONFIG, HF_VISION_CONFIG, HF_AUDIO_CONFIG, HF_QUANTISATION,
    HF_IMG_PROCESSOR, HF_PROJECTOR_BIAS, HF_FEATURE_LAYER, HF_PROJECTOR_HIDDEN, HF_PROJECTOR_OUT, HF_MERGE_SIZE, HF_IMAGE_TOKENS,
    HF_QUERY_TOKENS, HF_IMAGE_SIZE, HF_PROJECTOR_NORM, HF_DOWNSAMPLE, HF_VISUAL_VOCAB, HF_CLASSES,
    // language model
    HF_MODEL_TYPE, HF_DTYPE, HF_HIDDEN, HF_LAYERS, HF_HEADS, HF_KV_HEADS, HF_HEAD_DIM, HF_VOCAB, HF_INTERMEDIATE,
    HF_TIED, HF_ATTENTION_BIAS, HF_QKV_BIAS, HF_BIAS, HF_NO_BIAS, HF_OUTPUT_BIAS, HF_MLP_BIAS, HF_HEAD_BIAS, HF_QK_NORM,
    HF_QK_NORM_TYPE, HF_BIDIRECTIONAL, HF_WINDOW, HF_USE_WINDOW, HF_MAX_WINDOW_LAYERS, HF_WINDOW_PATTERN, HF_LAYER_TYPES, HF_CHUNK,
    HF_NO_ROPE_LAYERS,
    HF_MAX_POSITION, HF_POSITIONS, HF_MAX_SEQ, HF_SEQ_LENGTH, HF_MODEL_MAX_LENGTH, HF_TARGET_POSITIONS,
    HF_MAX_SEQUENCE, HF_MAX_SEQ_LENGTH, HF_SEQ_LEN,
    HF_ROPE_SCALING, HF_ROPE_PARAMETERS, HF_ORIGINAL_POSITIONS, HF_ROTARY_DIM, HF_PARTIAL_ROTARY, HF_ROPE_THETA,
    HF_LOCAL_THETA,
    // mixture of experts
    HF_EXPERTS, HF_EXPERTS_PER_TOKEN, HF_MOE_INTERMEDIATE, HF_SHARED_EXPERTS, HF_SHARED_INTERMEDIATE, HF_FIRST_DENSE,
    HF_MOE_FREQ, HF_SPARSE_STEP, HF_MLP_ONLY, HF_MLP_TYPES, HF_TOPK_METHOD, HF_ROUTING_BIAS, HF_DENSE_INTERMEDIATE,
    HF_MOE_STEP, HF_MOE_LAYERS, HF_DENSE_SIZE_LLAMA4, HF_EXPERT_PERIOD, HF_EXPERT_OFFSET, HF_LATENT_SIZE, HF_LATENT_NORM,
    HF_MOE_START, HF_MOE_INTERVAL, HF_MOE_END, HF_MOE_ENABLED,
    // MLA, sparse index, DeepSeek V4
    HF_Q_LORA, HF_KV_LORA, HF_NOPE_DIM, HF_ROPE_DIM, HF_V_DIM, HF_INDEX_HEADS, HF_INDEX_DIM, HF_INDEX_TOPK,
    HF_INDEX_FREQ, HF_INDEX_OFFSET, HF_INDEX_PATTERN, HF_INDEXER_TYPES, HF_COMPRESS, HF_O_GROUPS, HF_O_LORA, HF_HYPER,
    HF_HASH_LAYERS, HF_EXPERT_DTYPE,
    // next-token prediction
    HF_DRAFT_VOCAB, HF_TARGET_HIDDEN, HF_DFLASH_CONFIG, HF_TARGET_LAYERS, HF_MARKOV_RANK, HF_MTP, HF_MTP_OWN, HF_MTP_TYPES, HF_MTP_MODULES, HF_MTP_PATTERN,
    // states
    HF_LINEAR_KEY_HEADS, HF_LINEAR_KEY_DIM, HF_LINEAR_VALUE_HEADS, HF_LINEAR_VALUE_DIM, HF_LINEAR_CONV,
    HF_FULL_INTERVAL, HF_OUTPUT_GATE, HF_MAMBA_HEADS, HF_MAMBA_HEAD_DIM, HF_MAMBA_GROUPS, HF_MAMBA_STATE, HF_MAMBA_CONV,
    HF_MAMBA_EXPAND, HF_MAMBA_INNER, HF_MAMBA_CHUNK, HF_MAMBA_BIAS, HF_CONV_BIAS, HF_SSM_DTYPE, HF_HYBRID_PATTERN,
    HF_BLOCK_TYPES, HF_DT_RANK, HF_ATTN_PERIOD, HF_ATTN_OFFSET, HF_ATTN_TYPES, HF_KDA_CONFIG, HF_MLA_GATE,
    HF_CONV_CACHE, HF_SHORT_CONV, HF_NO_KDA_LORA, HF_GATE_GRAIN, HF_FULL_LAYERS, HF_BLOCK_FF, HF_BLOCK_FF_ADJUST, HF_BLOCK_FF_FACTOR, HF_BLOCK_FF_MULTIPLE,
    // single families
    HF_GLOBAL_HEAD_DIM, HF_GLOBAL_KV_HEADS, HF_K_EQ_V, HF_KV_SHARED, HF_PER_LAYER_INPUT, HF_PER_LAYER_VOCAB,
    HF_DOUBLE_WIDE, HF_ALTUP, HF_LAUREL, HF_SWA_HEADS, HF_SWA_KV_HEADS, HF_SWA_HEAD_DIM, HF_SWA_V_DIM, HF_SWA_PATTERN,
    HF_SWA_SINKS, HF_FULL_SINKS, HF_SWA_THETA, HF_OTHER_ATTENTION, HF_HEAD_GATE, HF_HEADS_PER_LAYER, HF_GATING, HF_SPARSE_CONFIG, HF_CROSS_LAYERS,
    HF_MULTI_QUERY, HF_NEW_DECODER, HF_PARALLEL_ATTENTION, HF_PARALLEL_NORMS, HF_EMBED_DIM, HF_NORM_BEFORE, HF_EXPANSION,
    HF_ATTN_CONFIG, HF_FFN_CONFIG, HF_TYPE_VOCAB, HF_BLOCK_CONFIGS, HF_PARALLEL_RESIDUAL, HF_EMBEDDING_SIZE, HF_ALIBI,
    HF_POSITION_TYPE, HF_ATTENTION_GATE, HF_ACTIVATION, HF_VERSION, HF_SCALE_FACTOR, HF_ENCODER_LAYERS,
    HF_DECODER_LAYERS, HF_MAMBA_NORM,
    HF_ENCODER_INNER, HF_ENCODER_HEADS, HF_MEL_BINS, HF_SOURCE_POSITIONS,
    // vision tower
    HF_V_TYPE, HF_V_HIDDEN, HF_V_EMBED, HF_V_OUT, HF_V_DEPTH, HF_V_LAYERS, HF_V_HEADS, HF_V_INTERMEDIATE, HF_V_MLP_RATIO, HF_V_PATCH,
    HF_V_TEMPORAL, HF_V_MERGE, HF_V_CHANNELS, HF_V_IMAGE, HF_V_DEEPSTACK, HF_V_POSITIONS, HF_V_POSITION_TABLE,
    HF_V_PROJECTOR_IN, HF_V_PROJECTOR_OUT, HF_V_GLOBAL_LAYERS, HF_V_TILES, HF_V_TAPS, HF_V_RATIOS, HF_V_GRID_H,
    HF_V_GRID_W, HF_V_MERGE_KERNEL, HF_V_MM_HIDDEN, HF_V_TEXT_HIDDEN, HF_V_OUT_TOKENS, HF_V_POOL, HF_V_HEAD_DIM,
    HF_V_QKV, HF_V_STANDARDIZE, HF_V_USE_HEAD, HF_V_CLIPPED, HF_V_PROJECTOR_KIND, HF_V_QKV_BIAS,
    // audio tower
    HF_A_TYPE, HF_A_HIDDEN, HF_A_LAYERS, HF_A_INTERMEDIATE, HF_A_HEADS, HF_A_MELS, HF_A_POSITIONS, HF_A_OUT, HF_A_KERNEL,
    HF_A_CHANNELS, HF_A_CLIPPED, HF_A_DOWNSAMPLE,
    // rotary embedding
    HF_R_TYPE, HF_R_FACTOR, HF_R_ORIGINAL, HF_R_MROPE, HF_R_PARTIAL, HF_R_FULL, HF_R_SLIDING, HF_R_THETA,
    // quantisation
    HF_Q_METHOD, HF_Q_BITS, HF_Q_GROUP, HF_Q_DESC_ACT, HF_Q_SYM, HF_Q_ZERO_POINT, HF_Q_BLOCK, HF_Q_ACTIVATION,
    HF_Q_IGNORE, HF_Q_FORMAT, HF_Q_GROUPS, HF_Q_ALGO, HF_Q_KV, HF_Q_KV_ALGO, HF_Q_LAYERS, HF_Q_MOE_ALGO, HF_Q_4BIT,
    HF_Q_8BIT, HF_Q_INNER, HF_Q_PRODUCER, HF_Q_CHECKPOINT,
    // small groups
    HF_K_KDA_LAYERS, HF_K_FULL_LAYERS, HF_K_HEAD_DIM, HF_K_HEADS, HF_K_CONV, HF_K_FULL_RANK,
    HF_N_KV_HEADS, HF_N_ALIBI, HF_F_SIZE, HF_F_EXPERTS, HF_F_TOPK, HF_S_FREQ, HF_S_DIM, HF_S_HEADS, HF_S_USE, HF_I_NAME,
    HF_D_LAYERS, HF_D_WINDOW, HF_D_USE_WINDOW,
    HF_KEY_COUNT
};
// clang-format on

struct kvb_hf_key_row {
    uint8_t section, kind;
    uint8_t child;             // section of a group
    uint64_t minimum, maximum; // of each number
    const char *names[8];      // the first one present and not null counts
};

extern const struct kvb_hf_key_row kvb_hf_key_rows[HF_V_TYPE];                      // top and language model
extern const struct kvb_hf_key_row kvb_hf_key_rows_tower[HF_KEY_COUNT - HF_V_TYPE]; // all other sections

// The row of a key, wherever it is written down.
const struct kvb_hf_key_row *kvb_hf_row(enum kvb_hf_key key);
// The key with this name in a section, or HF_KEY_COUNT.
enum kvb_hf_key kvb_hf_key_find(enum kvb_hf_section section, const char *name);
// Whether keys of `inner` may stand in a mapping of `outer`.
bool kvb_hf_section_holds(enum kvb_hf_section outer, enum kvb_hf_section inner);

#endif
