// A compute graph handed over layer by layer, and the allocation that ggml makes of it: nodes in the order of
// ggml_build_forward_expand, cut into splits by device, each tensor put in the best free block and given back with its
// last use. What is left is the size of each device's compute buffer.
// Source: ggml/src/ggml-alloc.c (ggml_gallocr_alloc_graph_impl), ggml/src/ggml-backend.cpp
// (ggml_backend_sched_split_graph), read at b4747 and ec98e2002.
#ifndef KVB_ENGINES_LLAMACPP_GRAPH_H
#define KVB_ENGINES_LLAMACPP_GRAPH_H

#include "engines/llamacpp/layer.h"

#define KVB_LLAMA_GLOBALS 48     // nodes that live longer than a layer
#define KVB_LLAMA_NODES 432      // of a layer and, where the graph is sorted, of the layers before
#define KVB_LLAMA_PART_NODES 152 // of a layer there
#define KVB_LLAMA_SOURCES 6
#define KVB_LLAMA_BLOCKS 40
#define KVB_LLAMA_SEQUENCE 512
#define KVB_LLAMA_COPIES 4 // of each input with pipeline parallelism

typedef uint16_t kvb_llama_node; // 0: none

// What an operation is, as far as backends that sort their graph ask. The first four compute nothing.
enum kvb_llama_kind {
    KVB_LLAMA_OP_NONE, // a leaf
    KVB_LLAMA_OP_VIEW,
    KVB_LLAMA_OP_RESHAPE,
    KVB_LLAMA_OP_PERMUTE,
    KVB_LLAMA_OP_OTHER,
    KVB_LLAMA_OP_ARGSORT,
    KVB_LLAMA_OP_CLAMP,
    KVB_LLAMA_OP_GET_ROWS,
    KVB_LLAMA_OP_MUL_MAT,
    KVB_LLAMA_OP_MUL_MAT_ID,
    KVB_LLAMA_OP_SET_ROWS,
    KVB_LLAMA_OP_SSM_CONV,
    KVB_LLAMA_OP_SUM_ROWS,
    KVB_LLAMA_OP_ADD, // from here on they may take a parent's memory
    KVB_LLAMA_OP_ADD_ID,
    KVB_LLAMA_OP_DIV,
    KVB_LLAMA_OP_MUL,
    KVB_LLAMA_OP_RMS_NORM,
    KVB_LLAMA_OP_ROPE,
    KVB_LLAMA_OP_SCALE,
    KVB_LLAMA_OP_SOFT_MAX,
    KVB_LLAMA_OP_UNARY,
};

enum kvb_llama_flags {
    KVB_LLAMA_DONE = 1, // ran, where the backend sorts its graph
    KVB_LLAMA_VIEW = 2,
    KVB_LLAMA_STRIDED = 4,   // its rows do not lie together
    KVB_LLAMA_OUTSIDE = 8,   // lies in no compute buffer: cache, pinned copies
    KVB_LLAMA_ATTENDS = 16,  // between cache and output projection
    KVB_LLAMA_WRITES = 32,   // writes the cache, where that lies
    KVB_LLAMA_LIVE = 64,     // has memory now
    KVB_LLAMA_VISITED = 128, // is in the order
    KVB_LLAMA_GLOBAL = 256,  // lives longer than a layer
};

struct kvb_llama_tensor_node {
    uint64_t bytes, offset;
    uint64_t weight_bytes; // of the weight it reads; 0: none
    uint32_t ne[3];
    uint16_t flags, children, views;
    uint16_t last_layer; // of a global: where its last use is
    kvb_llama_node source[KVB_LLAMA_SOURCES], root;
    uint8_t device, weight_place;
    uint8_t element_bytes, kind;
};

struct kvb_llama_block {
    uint64_t offset, bytes;
};
struct kvb_llama_heap {
    struct kvb_llama_block blocks[KVB_LLAMA_BLOCKS];
    uint32_t count, alignment;
    uint64_t highest, pinned;
};

struct kvb_llama_graph {
    const struct kvb_llama_run *run;
    const struct kvb_llama_class *class;
    struct kvb_llama_cells cells;
    uint64_t tokens, output_rows;
    uint32_t layer;
    bool pipelined, unknown;
    bool sorts;           // the backend sorts its graph
    bool rough;           // a mixer whose graph is followed in outline only
    uint8_t layer_device; // where the ops of this layer run
    uint8_t split_device;
    bool split_has_inputs;
    uint16_t split_begin;
    uint16_t part, part_end;                            // where this layer's nodes lie
    kvb_llama_node hidden, positions, mask[2], cast[2]; // 0: full, 1: windowed
    kvb_llama_node key_rows[2], value_rows[2];          // where the cache is written
    kvb_llama_node state_rows, no_rows;                 // which states are read, and which are copied: none
    kvb_llama_node chosen_rows;                         // which tokens' logits are wanted
    kvb_llama_node picked, scaled_slices, scaled_input, layer_inputs; // Gemma 4's second embedding (build_inputs.c)
    uint64_t rotated_keys;                                            // columns of the first
    kvb_llama_node rotation[2];                                       // of keys and queries, and of values; 0: none
    struct kvb_llama_tensor_node nodes[KVB_LLAMA_NODES];
    uint16_t count, order_count, sequence_count;
    kvb_llama_node order[KVB_LLAMA_SEQUENCE];
    uint16_t sequence[KVB_LLAMA_SEQUENCE];      // nodes; copies with the high bit
    kvb_llama_node waiting[KVB_LLAMA_SEQUENCE]; // in the order they were built, where the backend sorts its graph
    uint16_t waiting_count;
    struct kvb_llama_heap heaps[KVB_LLAMA_PLACES];
};

// ---- Nodes. Sizes are elements of f32 unless said.
kvb_llama_node kvb_llama_op(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, const uint64_t ne[3],
                            kvb_llama_node a, kvb_llama_node b);
// Rows of a view lie apart; those of a reshaped tensor together.
kvb_llama_node kvb_llama_view(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node of,
                              const uint64_t ne[3]);
void kvb_llama_add_source(struct kvb_llama_graph *graph, kvb_llama_node node, kvb_llama_node source);
void kvb_llama_reads_weight(struct kvb_llama_graph *graph, kvb_llama_node node, uint64_t bytes, uint8_t place);
kvb_llama_node kvb_llama_global(struct kvb_llama_graph *graph, uint64_t bytes, uint8_t device, uint16_t last_layer);
void kvb_llama_expand(struct kvb_llama_graph *graph, kvb_llama_node node);

// ---- Layers
void kvb_llama_graph_begin(struct kvb_llama_graph *graph, const struct kvb_llama_run *run);
void kvb_llama_layer_begin(struct kvb_llama_graph *graph, uint32_t layer);
// Allocates what was expanded; `out` becomes the hidden state of the next layer.
void kvb_llama_layer_end(struct kvb_llama_graph *graph, kvb_llama_node out);
// The first or last layer from this one on that reads a mask on a device; UINT16_MAX: none.
#define KVB_LLAMA_ANYWHERE 255U
uint16_t kvb_llama_reader(const struct kvb_llama_graph *graph, bool last, bool windowed, uint32_t device);
uint16_t kvb_llama_state_reader(const struct kvb_llama_graph *graph, uint32_t device); // the last one
bool kvb_llama_casts_mask(const struct kvb_llama_run *run);

// ---- Memory (heap.c)
void kvb_llama_heap_begin(struct kvb_llama_heap *heap, uint32_t alignment);
uint64_t kvb_llama_heap_take(struct kvb_llama_heap *heap, uint64_t bytes);
void kvb_llama_heap_give(struct kvb_llama_heap *heap, uint64_t offset, uint64_t bytes);
bool kvb_llama_heap_is_full(const struct kvb_llama_heap *heap);

#endif
