// A compute graph as llama.cpp builds it, and what ggml makes of it: nodes in the order of ggml_build_forward_expand,
// each given to a device, cut into splits with copies of what another device made, and each tensor put in the best free
// block and given back with its last use. What is left is the size of each device's compute buffer.
// Source: ggml/src/ggml-alloc.c (ggml_gallocr_alloc_graph_impl), ggml/src/ggml-backend.cpp
// (ggml_backend_sched_split_graph), read at b4747, ec98e2002, b9010 and b10472.
#ifndef KVB_ENGINES_LLAMACPP_GRAPH_H
#define KVB_ENGINES_LLAMACPP_GRAPH_H

#include "engines/llamacpp/layer.h"

#define KVB_LLAMA_SOURCES 6
#define KVB_LLAMA_BLOCKS 256 // MAX_FREE_BLOCKS
#define KVB_LLAMA_COPIES 4   // of each input with pipeline parallelism
#define KVB_LLAMA_NOWHERE 0xffU
#define KVB_LLAMA_STATES_BUILT 32U // copies of a layer's state that are written; further ones take no memory

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
    KVB_LLAMA_DONE = 1, // has its turn, where the backend sorts its graph
    KVB_LLAMA_VIEW = 2,
    KVB_LLAMA_STRIDED = 4,   // its rows do not lie together
    KVB_LLAMA_OUTSIDE = 8,   // lies in no compute buffer: cache, pinned copies
    KVB_LLAMA_READS = 16,    // a weight
    KVB_LLAMA_LIVE = 64,     // has memory now
    KVB_LLAMA_VISITED = 128, // is in the order
    KVB_LLAMA_COPY = 256,    // of its root, made when a split begins
    KVB_LLAMA_STAYS = 512,   // an output of the graph: never given back
};

struct kvb_llama_tensor_node {
    uint64_t bytes, offset;
    uint64_t weight_bytes; // of the weight it reads, where that lies on the host or apart from its layer
    uint32_t ne[3];
    uint16_t flags, children, views;
    kvb_llama_node source[KVB_LLAMA_SOURCES], root;
    kvb_llama_node copy; // the last one made of it; copies are chained through their own
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

// What the layer that is built has in the file.
#define KVB_LLAMA_WEIGHTS 64
struct kvb_llama_weight {
    const char *name;
    uint64_t bytes;
};
struct kvb_llama_weights {
    uint32_t layer, count;
    struct kvb_llama_weight of[KVB_LLAMA_WEIGHTS];
};

struct kvb_llama_graph {
    const struct kvb_llama_run *run;
    const struct kvb_llama_class *class;
    struct kvb_llama_cells cells;
    uint64_t tokens, output_rows;
    uint32_t layer;
    uint8_t layer_place; // where that layer lies
    bool pipelined;
    bool unknown;        // it has more nodes than are held
    bool sorts;          // the backend sorts its graph
    bool rough;          // a mixer whose graph is followed in outline only
    uint8_t only_device; // all runs there; KVB_LLAMA_NOWHERE: where weights and neighbours say
    kvb_llama_node hidden, positions, mask[2], cast[2]; // 0: full, 1: windowed
    kvb_llama_node key_rows[2], value_rows[2];          // where the cache is written
    kvb_llama_node state_rows, no_rows;                 // which states are read, and which are copied: none
    kvb_llama_node chosen_rows;                         // which tokens' logits are wanted
    kvb_llama_node picked, scaled_slices, scaled_input, layer_inputs; // Gemma 4's second embedding (build_inputs.c)
    uint64_t rotated_keys[2];                                         // columns of the first, by cache: full, windowed
    kvb_llama_node rotation[2][2];       // by cache, of keys and queries, and of values; 0: none
    struct kvb_llama_tensor_node *nodes; // the first one is none
    kvb_llama_node *order, *sequence;    // as they were built, and as they run, copies between them
    uint32_t capacity, count, order_count, sequence_count;
    struct kvb_llama_weights weights;
    struct kvb_llama_heap heaps[KVB_LLAMA_PLACES];
};

// ---- Nodes. Sizes are elements of f32 unless said.
kvb_llama_node kvb_llama_op(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, const uint64_t ne[3],
                            kvb_llama_node a, kvb_llama_node b);
// Rows of a view lie apart; those of a reshaped tensor together.
kvb_llama_node kvb_llama_view(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node of,
                              const uint64_t ne[3]);
void kvb_llama_add_source(struct kvb_llama_graph *graph, kvb_llama_node node, kvb_llama_node source);
// Bytes matter where the weight lies on the host or apart from its layer.
void kvb_llama_reads_weight(struct kvb_llama_graph *graph, kvb_llama_node node, uint64_t bytes, uint8_t place);
// What the host hands over: it lies there before all else.
kvb_llama_node kvb_llama_input(struct kvb_llama_graph *graph, uint64_t bytes);
void kvb_llama_expand(struct kvb_llama_graph *graph, kvb_llama_node node);

// ---- Layers
// False: there is no memory for it. What began has to end.
bool kvb_llama_graph_begin(struct kvb_llama_graph *graph, const struct kvb_llama_run *run, uint32_t layers);
void kvb_llama_graph_end(struct kvb_llama_graph *graph);
void kvb_llama_layer_begin(struct kvb_llama_graph *graph, uint32_t layer);
// `out` becomes the hidden state of the next layer.
void kvb_llama_layer_end(struct kvb_llama_graph *graph, kvb_llama_node out);
// Devices, splits, memory: the heaps are filled (schedule.c, allocate.c).
void kvb_llama_graph_run(struct kvb_llama_graph *graph);
bool kvb_llama_casts_mask(const struct kvb_llama_run *run);

// ---- Memory (heap.c)
void kvb_llama_heap_begin(struct kvb_llama_heap *heap, uint32_t alignment);
uint64_t kvb_llama_heap_take(struct kvb_llama_heap *heap, uint64_t bytes);
void kvb_llama_heap_give(struct kvb_llama_heap *heap, uint64_t offset, uint64_t bytes);
bool kvb_llama_heap_is_full(const struct kvb_llama_heap *heap);

#endif
