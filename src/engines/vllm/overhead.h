// What a release subtracts before the KV cache, and what the device holds beyond the request.
#ifndef KVB_ENGINES_VLLM_OVERHEAD_H
#define KVB_ENGINES_VLLM_OVERHEAD_H

#include "budget/estimate.h"
#include "engines/vllm/context.h"

enum kvb_phase {
    KVB_PHASE_LAYER,
    KVB_PHASE_SAMPLER,
    KVB_PHASE_ENCODER,
    KVB_PHASE_MLA,
    KVB_PHASE_INDEX,
    KVB_PHASE_COMPILE,
    KVB_PHASE_COUNT
};

struct kvb_activation {
    struct kvb_estimate total;
    enum kvb_phase winner;
    uint64_t phase_bytes[KVB_PHASE_COUNT];
    uint64_t cached_bytes;               // the peak with compiled graphs from an earlier start
    uint64_t logits_rows;                // S'
    uint32_t bytes_per_logit;            // likely path
    uint32_t other_path_bytes_per_logit; // 0: the path is certain
    uint64_t kept_bytes;                 // encoder outputs and pixels
    uint64_t workspace_bytes;            // of experts, or of a sparse index when that is more
};

void kvb_activation_estimate(const struct kvb_context *context, uint32_t stage, struct kvb_activation *activation);
void kvb_non_torch_estimate(const struct kvb_context *context, struct kvb_estimate *estimate);
// Graphs really captured after the KV cache was allocated, on one stage.
void kvb_graph_actual(const struct kvb_context *context, uint32_t stage, struct kvb_estimate *estimate);
// Whether the release subtracts an estimate of the graphs that it captures.
bool kvb_graphs_are_charged(const struct kvb_context *context);
// That estimate; 0 when it makes none.
void kvb_graph_charged(const struct kvb_context *context, uint32_t stage, struct kvb_estimate *estimate);
// CUDA context and communication buffers that are on the device before the snapshot.
void kvb_context_estimate(const struct kvb_context *context, struct kvb_estimate *estimate);
// GPU memory the engine sets aside beside the cache (0.25 and later).
uint64_t kvb_reserved_bytes(const struct kvb_context *context);

// Tensors alive in the widest layer for `tokens` tokens, without workspaces.
uint64_t kvb_layer_bytes(const struct kvb_context *context, uint64_t tokens);
// Scratch of one dense layer for `tokens` tokens.
uint64_t kvb_dense_scratch(const struct kvb_context *context, const struct kvb_mlp_shape *mlp, uint64_t tokens);
// Scratch of one expert layer for `tokens` tokens; 0 without experts.
struct kvb_expert_bytes {
    uint64_t workspace_bytes; // which a manager keeps from 0.13
    uint64_t passing_bytes;   // freed with the layer
};
struct kvb_expert_bytes kvb_expert_scratch(const struct kvb_context *context, const struct kvb_mlp_shape *mlp,
                                           uint64_t tokens);
// Whether experts multiply in NVFP4.
bool kvb_experts_are_fp4(const struct kvb_context *context);

// What a sparse index and DeepSeek V4's attention need; all 0 without them.
struct kvb_sparse_bytes {
    uint64_t workspace_bytes; // of the manager that experts share
    uint64_t loaded_bytes;    // of that what is there when the model is loaded, so that it counts as weights
    uint64_t kept_bytes;      // a buffer of the attention's own
    uint64_t choosing_bytes;  // alive while the index chooses, beside those
};
struct kvb_sparse_bytes kvb_sparse_scratch(const struct kvb_context *context);

#endif
