// What is asked of an engine's CUDA graphs.
#ifndef KVBUDGET_GRAPHS_H
#define KVBUDGET_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/export.h>

KVB_PUBLIC_BEGIN

enum kvb_graph_mode {
    KVB_GRAPH_MODE_AUTO,
    KVB_GRAPH_MODE_NONE,
    KVB_GRAPH_MODE_PIECEWISE,
    KVB_GRAPH_MODE_FULL,
    KVB_GRAPH_MODE_FULL_DECODE_ONLY,
    KVB_GRAPH_MODE_FULL_AND_PIECEWISE
};

// Batch sizes that are named for CUDA graphs, and what else a compilation config says of them.
#define KVB_GRAPH_SIZES_MAX 256
struct kvb_graph_sizes {
    uint32_t count;         // 0: none are named, or more than there is room for
    bool of_flag;           // by a flag of their own, not in a compilation config
    uint8_t optimization;   // 1 + the level of -O; 0: not said
    uint8_t compile_mode;   // 1 + the config's "mode"; 0: not said
    uint8_t compile_level;  // 1 + its "level", which a mode was before it
    bool use_off;           // the config's "use_cudagraph" is false
    bool full;              // its "full_cuda_graph" is true
    bool splits_nowhere;    // splitting_ops is an empty list
    bool fuses_attention;   // pass_config.fuse_attn_quant: nothing is split for it either
    bool named_none;        // the list of sizes is empty
    uint32_t largest;       // of those that are named
    bool sequence_parallel; // pass_config.enable_sp, or what brings it
    bool adapters_always;   // cudagraph_specialize_lora is false: no graphs of their own without an adapter
    uint32_t tokens[KVB_GRAPH_SIZES_MAX];
};

KVB_PUBLIC_END

#endif
