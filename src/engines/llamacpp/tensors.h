// Every tensor of the file with the place it belongs to: from a GGUF header, or from shapes and a mixture of formats.
#ifndef KVB_ENGINES_LLAMACPP_TENSORS_H
#define KVB_ENGINES_LLAMACPP_TENSORS_H

#include "engines/llamacpp/run.h"

struct kvb_llama_tensor {
    const char *name; // "ffn_down_exps.weight", without the layer
    enum kvb_role role;
    uint64_t rows, columns; // all rows together, and the elements of one
    uint64_t bytes;         // as stored
    bool quantised;
};
typedef void kvb_llama_tensor_taker(void *context, const struct kvb_llama_tensor *tensor);

// Tensors of a layer; of the output with `layer` = layer_count (a head that repeats the embedding included).
void kvb_llama_layer_tensors(const struct kvb_llama_run *run, uint32_t layer, kvb_llama_tensor_taker *take,
                             void *context);
// The token embedding and what else stays on the host.
void kvb_llama_input_tensors(const struct kvb_llama_run *run, kvb_llama_tensor_taker *take, void *context);

// Layers for further tokens, all together.
void kvb_llama_head_tensors(const struct kvb_llama_run *run, kvb_llama_tensor_taker *take, void *context);

// The same for a model without a file (tensors_shapes.c).
void kvb_llama_layer_of_shapes(const struct kvb_llama_run *run, uint32_t layer, kvb_llama_tensor_taker *take,
                               void *context);
void kvb_llama_heads_of_shapes(const struct kvb_llama_run *run, kvb_llama_tensor_taker *take, void *context);
void kvb_llama_ends_of_shapes(const struct kvb_llama_run *run, bool output, kvb_llama_tensor_taker *take,
                              void *context);

#endif
