// Vision and audio towers as rows of extras: pieces that most of them share.
#ifndef KVB_MODEL_CONFIG_HF_TOWER_H
#define KVB_MODEL_CONFIG_HF_TOWER_H

#include "model/config/hf.h"

// One stack of equal transformer layers.
struct kvb_hf_stack {
    const char *name;
    enum kvb_role role;
    uint32_t layers;
    uint64_t hidden, inner;
    uint64_t width;           // of queries, keys and values together with heads; 0 = hidden
    bool qkv_bias, proj_bias; // of attention
    bool mlp_bias, gated;
    bool norm_bias;
    uint32_t norms;    // hidden-sized norms per layer
    uint64_t elements; // more small elements per layer
};
void kvb_hf_stack_read(struct hf *hf, const struct kvb_hf_stack *stack);
// The commonest kind: a bias everywhere, two norms, a plain MLP.
struct kvb_hf_stack kvb_hf_biased_stack(const char *name, uint32_t layers, uint64_t hidden, uint64_t inner);

// Whisper's layers, whose keys have no bias.
struct kvb_hf_stack kvb_hf_whisper_stack(uint32_t layers, uint64_t hidden, uint64_t inner);
// Whisper's encoder as audio_config says it: two convolutions, its layers, a norm.
void kvb_hf_whisper_layers(struct hf *hf, uint32_t hidden);
// Qwen3's windowed audio encoder as audio_config says it.
void kvb_hf_qwen3_audio(struct hf *hf);

// rows x columns, and rows more when it has a bias.
void kvb_hf_linear(struct hf *hf, const char *name, enum kvb_role role, uint64_t rows, uint64_t columns, bool bias);
// Layers of the tower, "depth" or "num_hidden_layers"; usual 0: one of them is needed.
uint32_t kvb_hf_tower_layers(struct hf *hf, uint32_t usual);
// Fills model->encoder from the usual vision keys.
void kvb_hf_encoder_facts(struct hf *hf, uint32_t layers, uint32_t hidden, uint32_t inner, uint32_t heads);
// Entries of a key that may be a list; `otherwise`: it is none.
uint32_t kvb_hf_raw_length(const struct hf *hf, enum kvb_hf_key key, uint32_t otherwise);
// False when the config has no vision_config (a text-only reprint): nothing is added then.
bool kvb_hf_has_vision(const struct hf *hf);
// The same of a class that cannot do without: it is said to be missing.
bool kvb_hf_needs_vision(struct hf *hf);

// GLM-4V's merger: patches joined by a convolution, then a gated MLP `wide` wide.
void kvb_hf_tower_glm_merger(struct hf *hf, uint32_t hidden, uint32_t merge, uint64_t out, uint64_t wide);

// SigLIP with learned positions, as Gemma 3 and MiniCPM-V use it.
void kvb_hf_siglip(struct hf *hf);

// Pixtral's tower up to its last layer.
void kvb_hf_pixtral(struct hf *hf);

#endif
