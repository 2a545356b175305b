// One layer as llama.cpp's graph sees it.
#ifndef KVB_ENGINES_LLAMACPP_LAYER_H
#define KVB_ENGINES_LLAMACPP_LAYER_H

#include "engines/llamacpp/run.h"

enum kvb_llama_mixer {
    KVB_LLAMA_MIXER_NONE,
    KVB_LLAMA_MIXER_ATTENTION,
    KVB_LLAMA_MIXER_LATENT,   // MLA over the latent vector
    KVB_LLAMA_MIXER_EXPANDED, // MLA with full heads
    KVB_LLAMA_MIXER_MAMBA1,
    KVB_LLAMA_MIXER_MAMBA2,
    KVB_LLAMA_MIXER_DELTA, // gated delta net
    KVB_LLAMA_MIXER_CONV,  // short convolution
    KVB_LLAMA_MIXER_OTHER, // a state nobody here knows the graph of
};

// How the graph of a class differs where it is seen in the memory.
struct kvb_llama_class {
    const char *name; // kvb_model.architecture
    bool fused_qkv;   // one matrix, cut into views
    bool parallel;    // attention and MLP read the same norm
    bool scales_input, scales_query, caps_logits;
    bool norms_after;    // a norm behind attention and behind the MLP
    bool plain_norm;     // LayerNorm, which never works in place
    bool fused_gate_up;  // gate and up projection are one matrix
    bool layer_factor;   // Gemma 4: values are normed too, a factor behind each layer
    bool four_positions; // of each token: time, height, width, and one unused
    bool one_rate;       // delta net: both rates are one matrix, keys are repeated for the values' heads
    bool outlined;       // more is in its graph than is followed here: inputs of each layer
    bool residual_first; // the MLP's result is added to the residual, not the residual to it
    bool chooses_late;   // experts: weights of those chosen are made of the router's logits
    uint32_t rows_last;  // from this build on the wanted rows are taken behind the output's norm; 0: never
};
const struct kvb_llama_class *kvb_llama_class_of(const struct kvb_model *model); // a plain row for those not listed

struct kvb_llama_layer {
    enum kvb_llama_mixer mixer;
    uint32_t heads, kv_heads, key_size, value_size; // of what the graph works on
    uint64_t cache_keys, cache_values;              // elements of a cell; 0: it keeps none
    bool windowed;
    uint32_t window_tokens;
    uint64_t conv_state, state; // elements of a sequence
    const struct kvb_attention_shape *attention;
    const struct kvb_mlp_shape *mlp;
};
void kvb_llama_layer_of_kind(const struct kvb_llama_run *run, const struct kvb_layer_kind *kind,
                             struct kvb_llama_layer *out);
void kvb_llama_layer_of(const struct kvb_llama_run *run, uint32_t layer, struct kvb_llama_layer *out);

// Adds the cache of a context for the layers for further tokens (place.c).
void kvb_llama_head_cache(const struct kvb_llama_run *run, struct kvb_llama_buffers *out);

struct kvb_llama_tensor;
// Bytes of a tensor in a buffer of the place.
uint64_t kvb_llama_padded(const struct kvb_llama_run *run, uint32_t place, const struct kvb_llama_tensor *tensor);

// Cells of a full and of a windowed layer, and the streams they are cut into.
struct kvb_llama_cells {
    uint64_t full, windowed; // of one stream
    uint32_t streams;
    uint64_t context_tokens; // after padding
};
void kvb_llama_cells_of(const struct kvb_llama_run *run, struct kvb_llama_cells *out);

#endif
