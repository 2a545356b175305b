// Which CUDA graphs a release captures.
#ifndef KVB_ENGINES_VLLM_GRAPH_SIZES_H
#define KVB_ENGINES_VLLM_GRAPH_SIZES_H

#include "engines/vllm/context.h"

// Graphs of each kind, one for each size and number of adapters, and the tokens of the largest.
struct kvb_captures {
    uint64_t piecewise, full;
    uint64_t piecewise_tokens, full_tokens;
};

// The next larger size that steps are padded to; 0: none.
uint64_t kvb_capture_size_after(const struct kvb_context *context, uint64_t tokens);
// The largest before sizes are rounded to whole requests; 0: none is left.
uint64_t kvb_largest_capture(const struct kvb_context *context);
// Number of those sizes.
uint64_t kvb_capture_sizes(const struct kvb_context *context);
// All 0 where none are captured.
void kvb_captures_of(const struct kvb_context *context, struct kvb_captures *captures);
// Tokens of the largest graph of a whole step; 0 where none is captured.
uint64_t kvb_full_graph_tokens(const struct kvb_context *context);
// What sizes of graphs have to be a multiple of where requests bring drafts.
struct kvb_capture_rounding {
    uint64_t tokens;   // of one request's decode step
    uint64_t multiple; // of those and, with shared sequences, of the ranks; 1: of nothing
    uint64_t largest;  // size that was chosen; 0: none is
    bool both;         // ranks count, too
};
void kvb_capture_rounding_of(const struct kvb_context *context, struct kvb_capture_rounding *rounding);
// Whether FlashInfer's attention serves the decode steps.
bool kvb_graphs_use_flashinfer(const struct kvb_context *context);

#endif
