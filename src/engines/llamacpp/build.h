// The graph of a layer in the order llama.cpp builds it.
#ifndef KVB_ENGINES_LLAMACPP_BUILD_H
#define KVB_ENGINES_LLAMACPP_BUILD_H

#include "engines/llamacpp/graph.h"

// Parts of layers (build.c).
kvb_llama_node kvb_llama_matmul(struct kvb_llama_graph *graph, const char *weight, uint64_t rows, uint64_t tokens,
                                kvb_llama_node in);
kvb_llama_node kvb_llama_norm(struct kvb_llama_graph *graph, const char *weight, kvb_llama_node in);
// As large as `in`, of a kind that may take its memory.
kvb_llama_node kvb_llama_over(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node in,
                              kvb_llama_node other);
// The same with a small weight of the layer's: a bias, a factor.
kvb_llama_node kvb_llama_with(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node in);
// A number for each element of each expert.
kvb_llama_node kvb_llama_expert_bias(struct kvb_llama_graph *graph, const char *name, uint32_t experts,
                                     kvb_llama_node in, kvb_llama_node chosen);
kvb_llama_node kvb_llama_reshape(struct kvb_llama_graph *graph, kvb_llama_node in, uint64_t a, uint64_t b, uint64_t c);
kvb_llama_node kvb_llama_take_rows(struct kvb_llama_graph *graph, kvb_llama_node in);
kvb_llama_node kvb_llama_new(struct kvb_llama_graph *graph, uint64_t a, uint64_t b, uint64_t c, kvb_llama_node in,
                             kvb_llama_node other);

// What the context keeps for a layer: read through views, written by a copy or by rows.
enum kvb_llama_kept { KVB_LLAMA_KEPT_KEYS, KVB_LLAMA_KEPT_VALUES, KVB_LLAMA_KEPT_PAST, KVB_LLAMA_KEPT_STATE };
kvb_llama_node kvb_llama_kept_view(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, enum kvb_llama_kind kind,
                                   kvb_llama_node of, uint64_t bytes);
void kvb_llama_write(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, enum kvb_llama_kind kind,
                     kvb_llama_node from, kvb_llama_node rows);

// Gemma 4's second embedding (build_inputs.c).
uint64_t kvb_llama_slice_of(const struct kvb_model *model); // elements of a layer; 0: there is none
void kvb_llama_pick_slices(struct kvb_llama_graph *graph, kvb_llama_node ids);
kvb_llama_node kvb_llama_scale_slices(struct kvb_llama_graph *graph);
kvb_llama_node kvb_llama_add_slice(struct kvb_llama_graph *graph, kvb_llama_node in, bool last);

// Whole mixers and MLPs. Each returns what the residual is added to.
kvb_llama_node kvb_llama_build_attention(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                         kvb_llama_node in);
kvb_llama_node kvb_llama_build_latent(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                      kvb_llama_node in);
kvb_llama_node kvb_llama_build_state(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                     kvb_llama_node in);
kvb_llama_node kvb_llama_attend(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                const kvb_llama_node given[4]); // query, key, value, gate
kvb_llama_node kvb_llama_build_mlp(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                   kvb_llama_node in);

#endif
