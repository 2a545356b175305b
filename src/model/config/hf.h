// Reading a Hugging Face config into a kvb_model: the values found, and the builders that use them.
#ifndef KVB_MODEL_CONFIG_HF_H
#define KVB_MODEL_CONFIG_HF_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/model.h>

#include "model/config/hf_keys.h"
#include "text/tree.h"

struct kvb_hf_value {
    bool set;                    // present and not null
    bool is_null;                // written as null
    uint64_t number;             // counts, switches, ratios (millionths)
    const struct kvb_node *node; // the value, when set from the file
};

enum kvb_hf_layer_type {
    HF_LAYER_FULL,
    HF_LAYER_SLIDING,
    HF_LAYER_CHUNKED,
    HF_LAYER_LINEAR, // GDN, KDA, lightning
    HF_LAYER_CONV,
    HF_LAYER_MAMBA,
    HF_LAYER_MLP,
    HF_LAYER_MOE,
    HF_LAYER_TYPE_COUNT
};

struct kvb_hf_default {
    enum kvb_hf_key key;
    uint64_t number;
};

struct hf;
typedef void kvb_hf_layer_builder(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind);
typedef void kvb_hf_model_builder(struct hf *hf);

struct kvb_hf_architecture {
    const char *name; // as in "architectures"
    kvb_hf_layer_builder *attention, *mlp;
    uint8_t norms;
    uint8_t pattern; // enum kvb_hf_pattern
    uint32_t traits;
    const struct kvb_hf_default *defaults; // ends with HF_KEY_COUNT
    kvb_hf_model_builder *finish;          // towers and what else lies outside the layers, or NULL
    enum kvb_encoder_family encoder;
};

struct hf {
    const struct kvb_tree *tree;
    const char *beside; // path of hf_quant_config.json, or NULL
    struct kvb_problems *problems;
    const struct kvb_hf_architecture *architecture;
    struct kvb_hf_architecture joined; // a language model's class with a wrapper's tower, or a class without its head
    const struct kvb_node *text;
    struct kvb_model *model;
    struct kvb_hf_value values[HF_KEY_COUNT];
    uint8_t layer_types[KVB_LAYERS_MAX]; // enum kvb_hf_layer_type
    bool failed;                         // a problem of error severity was added
};

// What a class does whatever its config says; attention and MLP builders read these.
enum kvb_hf_traits {
    HF_TIES = 1 << 0,             // tie_word_embeddings defaults to true
    HF_HAS_QKV_BIAS = 1 << 1,     // always
    HF_CONFIG_QKV_BIAS = 1 << 2,  // attention_bias means q, k and v only
    HF_HAS_OUTPUT_BIAS = 1 << 3,  // always
    HF_HEAD_NORM = 1 << 4,        // q and k normed per head
    HF_WHOLE_NORM = 1 << 5,       // q and k normed over all heads
    HF_LAYER_NORM = 1 << 6,       // norms with a bias
    HF_PLAIN_MLP = 1 << 7,        // two matrices
    HF_HAS_MLP_BIAS = 1 << 8,     // always
    HF_NO_WINDOW = 1 << 9,        // sliding_window counts only with use_sliding_window
    HF_POOLS = 1 << 10,           // no language-model head
    HF_NO_NORM_WEIGHTS = 1 << 11, // norms without parameters
    HF_SHARED_GATE = 1 << 12,     // the shared expert has a gate
    HF_CORRECTION_BIAS = 1 << 13, // always has e_score_correction_bias
    HF_FOUR_WIDE = 1 << 14,       // intermediate size defaults to 4 x hidden
    HF_BIAS_EVERYWHERE = 1 << 15, // `bias` / `use_bias` switches q, k, v, o and MLP biases
    HF_BIAS_ATTENTION = 1 << 16,  // `bias` switches q, k, v and o
    HF_NO_FINAL_NORM = 1 << 17,
    HF_HAS_HEAD_BIAS = 1 << 18,
    HF_ENCODES = 1 << 19,     // bidirectional attention
    HF_GATES_QUERY = 1 << 20, // output gate beside the queries
    HF_ALL_LAYERS_MOE = 1 << 21,
    HF_BIAS_BY_DEFAULT = 1 << 22, // `bias` / attention_bias is true when not said
    HF_NO_ROPE = 1 << 23,         // positions are learned, biased or absent
    HF_SINKS = 1 << 24,           // one learned logit per head
    HF_MAMBA1 = 1 << 25,          // state layers are Mamba 1, otherwise Mamba 2
    HF_MAMBA_NORMS = 1 << 26,     // with norms of what they select
    HF_LIGHTNING = 1 << 27,       // linear layers are MiniMax-01's
    HF_WRAPS = 1 << 28,           // a tower around a language model of another class
};

// How layers differ when the config has no layer_types.
enum kvb_hf_pattern {
    HF_PATTERN_UNIFORM,    // sliding_window, if any, on all layers
    HF_PATTERN_EVEN_SLIDE, // even layers slide
    HF_PATTERN_PERIOD,     // every n-th is full: sliding_window_pattern
    HF_PATTERN_INTERVAL,   // every n-th is full, others linear: full_attention_interval
    HF_PATTERN_CHUNK,      // Llama 4: no_rope_layers
    HF_PATTERN_NEMOTRON,   // hybrid_override_pattern, layers_block_type
    HF_PATTERN_JAMBA,      // attn_layer_period, attn_layer_offset
    HF_PATTERN_LFM2,       // full_attn_idxs
    HF_PATTERN_KIMI,       // linear_attn_config
    HF_PATTERN_MIMO,       // hybrid_layer_pattern
    HF_PATTERN_MINIMAX,    // attn_type_list
    HF_PATTERN_BAMBA,      // attn_layer_indices
    HF_PATTERN_MAMBA,      // all state
};

const struct kvb_hf_architecture *kvb_hf_architecture_find(const char *name);
const struct kvb_hf_architecture *kvb_hf_architecture_rows(uint32_t *count);
// Sets hf->architecture from "architectures", or says why not.
void kvb_hf_find_architecture(struct hf *hf);

// The node of the first key that the config has; NULL: it has neither.
const struct kvb_node *kvb_hf_node_of(const struct hf *hf, enum kvb_hf_key first, enum kvb_hf_key second);

// Adds an error about `node` (NULL: the whole file) and marks the reading as failed.
void kvb_hf_fail(struct hf *hf, enum kvb_status status, const struct kvb_node *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Reads every known key of a section from a mapping; nested groups too.
void kvb_hf_read_section(struct hf *hf, enum kvb_hf_section section, const struct kvb_node *mapping);
// Checks one value against its row and keeps it.
void kvb_hf_read_value(struct hf *hf, enum kvb_hf_key key, const struct kvb_node *node);
// A decimal number in millionths.
bool kvb_hf_parse_ratio(const char *text, uint64_t *millionths);

bool kvb_hf_has(const struct hf *hf, enum kvb_hf_key key);
bool kvb_hf_is(const struct hf *hf, enum kvb_hf_key key); // a switch that is true
bool kvb_hf_trait(const struct hf *hf, enum kvb_hf_traits trait);
uint32_t kvb_hf_get(const struct hf *hf, enum kvb_hf_key key, uint32_t otherwise);
uint64_t kvb_hf_get64(const struct hf *hf, enum kvb_hf_key key, uint64_t otherwise);
const char *kvb_hf_word(const struct hf *hf, enum kvb_hf_key key); // "" when absent
bool kvb_hf_word_is(const struct hf *hf, enum kvb_hf_key key, const char *word);
// The value, or 0 with an error that says what is missing and how to state it.
uint32_t kvb_hf_need(struct hf *hf, enum kvb_hf_key key);

// Lists of numbers.
uint32_t kvb_hf_list_length(const struct hf *hf, enum kvb_hf_key key);
uint32_t kvb_hf_list_get(const struct hf *hf, enum kvb_hf_key key, uint32_t index, uint32_t otherwise);
bool kvb_hf_list_holds(const struct hf *hf, enum kvb_hf_key key, uint32_t number);
const char *kvb_hf_words_get(const struct hf *hf, enum kvb_hf_key key, uint32_t index); // "" beyond the end
// False with an error when a list has fewer entries than the model has layers.
bool kvb_hf_list_covers_layers(struct hf *hf, enum kvb_hf_key key);

// ---- Steps
bool kvb_hf_build_model(struct hf *hf); // values to model; false when a problem was added
void kvb_hf_set_layer_types(struct hf *hf);
void kvb_hf_build_layers(struct hf *hf);
void kvb_hf_build_mtp(struct hf *hf);
void kvb_hf_build_rope(struct hf *hf);
uint64_t kvb_hf_context_tokens(const struct hf *hf);
// What a release starts with when it is another length (vllm/config/model.py _get_and_verify_max_len v0.11.1); 0: none.
uint64_t kvb_hf_usual_tokens(const struct hf *hf);
// Whether rope_scaling is there, and neither longrope nor Llama 3's nor that of Gemma 3.
bool kvb_hf_scales_positions(const struct hf *hf);
bool kvb_hf_names_length(const struct hf *hf);
void kvb_hf_read_quantisation(struct hf *hf); // after the layers are built
// Roles that a list of module names keeps from being quantised, as a bit set of enum kvb_role.
uint32_t kvb_hf_ignored_roles(const struct hf *hf, const struct kvb_node *names);
enum kvb_hf_mixers { KVB_HF_MIXERS, KVB_HF_STATES, KVB_HF_ATTENDS };
// Whether such a list leaves out the layers that keep a state, or those that attend, in a model that has both.
bool kvb_hf_ignores_mixers(const struct hf *hf, const struct kvb_node *names, enum kvb_hf_mixers mixers);
// Whether such a list reaches attention's output projections too, not only queries, keys and values.
bool kvb_hf_ignores_outputs(const struct hf *hf, const struct kvb_node *names);
// The role of a module name's matrices, or KVB_ROLE_COUNT when it has none that are ever quantised.
enum kvb_role kvb_hf_module_role(const char *name);
// Index of the kind in the model, added when new.
uint8_t kvb_hf_intern_kind(struct hf *hf, const struct kvb_layer_kind *kind);
// One row of model->extras; a size of 0 adds nothing.
void kvb_hf_extra(struct hf *hf, const char *name, enum kvb_role role, enum kvb_split split, uint64_t rows,
                  uint64_t columns, uint32_t count);

// ---- Layer builders (rows of the architecture table point here)
kvb_hf_layer_builder kvb_hf_attention_standard, kvb_hf_attention_mla, kvb_hf_attention_gemma4, kvb_hf_attention_hybrid,
    kvb_hf_attention_mimo_v2, kvb_hf_attention_laguna, kvb_hf_attention_dflash, kvb_hf_attention_step,
    kvb_hf_attention_deci, kvb_hf_attention_dsv4, kvb_hf_attention_kimi_linear, kvb_hf_attention_falcon,
    kvb_hf_attention_mllama, kvb_hf_attention_minimax_m3, kvb_hf_attention_nemotron_h, kvb_hf_attention_minicpm3,
    kvb_hf_attention_whisper, kvb_hf_attention_deepseek_vl, kvb_hf_attention_modernbert, kvb_hf_attention_gemma3n,
    kvb_hf_attention_apertus, kvb_hf_attention_falcon_h1, kvb_hf_attention_bailing, kvb_hf_attention_bailing3,
    kvb_hf_attention_gemma3_text, kvb_hf_attention_gemma4_assistant;
kvb_hf_layer_builder kvb_hf_mlp_standard, kvb_hf_mlp_moe, kvb_hf_mlp_none, kvb_hf_mlp_llama4, kvb_hf_mlp_gemma4,
    kvb_hf_mlp_nemotron_h, kvb_hf_mlp_deci, kvb_hf_mlp_lfm2, kvb_hf_mlp_qwen1, kvb_hf_mlp_jamba, kvb_hf_mlp_dbrx,
    kvb_hf_mlp_ernie, kvb_hf_mlp_dsv4, kvb_hf_mlp_kimi, kvb_hf_mlp_lfm2_moe, kvb_hf_mlp_whisper, kvb_hf_mlp_falcon_h1;

// ---- Finishers: what lies outside the layers
kvb_hf_model_builder kvb_hf_finish_eagle, kvb_hf_finish_eagle3, kvb_hf_finish_dflash, kvb_hf_finish_dflash2, kvb_hf_finish_dflash_laguna,
    kvb_hf_finish_dspark, kvb_hf_finish_gemma4_assistant;
kvb_hf_model_builder kvb_hf_finish_positions, kvb_hf_finish_opt, kvb_hf_finish_bloom, kvb_hf_finish_bert,
    kvb_hf_finish_dsv4, kvb_hf_finish_gemma4, kvb_hf_tower_qwen2_vl, kvb_hf_tower_qwen25_vl, kvb_hf_tower_qwen3_vl,
    kvb_hf_tower_omni, kvb_hf_tower_gemma3, kvb_hf_tower_gemma4, kvb_hf_tower_pixtral, kvb_hf_tower_llama4,
    kvb_hf_tower_mllama, kvb_hf_tower_minicpmv, kvb_hf_tower_kimi, kvb_hf_tower_phi3v, kvb_hf_tower_muse,
    kvb_hf_tower_molmo, kvb_hf_tower_llava, kvb_hf_tower_internvl, kvb_hf_tower_idefics3, kvb_hf_tower_paligemma,
    kvb_hf_finish_whisper, kvb_hf_finish_gemma3n, kvb_hf_tower_glm4v, kvb_hf_tower_qwen2_audio, kvb_hf_tower_qwen3_asr,
    kvb_hf_tower_qwen3_aligner, kvb_hf_tower_qwen3_omni, kvb_hf_tower_gemma4_unified, kvb_hf_tower_dots,
    kvb_hf_tower_deepseek_ocr, kvb_hf_tower_deepseek_ocr2, kvb_hf_tower_deepseek_vl2, kvb_hf_tower_lfm2,
    kvb_hf_tower_voxtral, kvb_hf_tower_paddle, kvb_hf_tower_hunyuan, kvb_hf_finish_modernbert, kvb_hf_tower_gemma3n,
    kvb_hf_tower_minicpmv46, kvb_hf_tower_glm_ocr, kvb_hf_tower_ernie, kvb_hf_tower_phi4mm, kvb_hf_tower_radio,
    kvb_hf_finish_gte, kvb_hf_tower_ovis;

// ---- Shared pieces of builders
void kvb_hf_set_heads(struct hf *hf, struct kvb_attention_shape *shape);
void kvb_hf_set_window(struct hf *hf, uint32_t layer, struct kvb_attention_shape *shape);
void kvb_hf_set_moe(struct hf *hf, struct kvb_mlp_shape *shape);
bool kvb_hf_layer_is_moe(struct hf *hf, uint32_t layer);
void kvb_hf_set_mla(struct hf *hf, struct kvb_attention_shape *shape);

#endif
