// One plan under one release of SGLang: the arguments with their defaults, weights by stage and what each rank has
// free.
#ifndef KVB_ENGINES_SGLANG_CONTEXT_H
#define KVB_ENGINES_SGLANG_CONTEXT_H

#include "budget/estimate.h"
#include "budget/weights/load.h"
#include "engines/sglang/pool.h"

struct kvb_sgl_context {
    const struct kvb_plan *plan;
    struct kvb_sgl_setup setup;
    struct kvb_sgl_defaults defaults;
    enum kvb_dtype dtype;
    uint16_t stage_begin[KVB_STAGES_MAX + 1];
    bool uncounted; // more stages than layers: no figure is meant
};

// What the release makes of the draft that is asked for; the backend and the page asked for are there.
void kvb_sgl_fill_draft(const struct kvb_plan *plan, struct kvb_sgl_setup *setup);
// Whether layers keep a recurrent state.
bool kvb_sgl_has_states(const struct kvb_model *model);
void kvb_sgl_context_init(const struct kvb_plan *plan, struct kvb_sgl_context *context);

// What of a pool is counted from the source alone, no public log confirming it; NULL: nothing.
const char *kvb_sgl_unconfirmed(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell);

// Weights of the rank that holds most of a stage, drafts apart.
void kvb_sgl_weights(const struct kvb_sgl_context *context, uint32_t stage, struct kvb_weights *weights);
// What laying out weights anew leaves in the allocator; counted as taken when free memory is read.
struct kvb_estimate kvb_sgl_repacked(const struct kvb_sgl_context *context, const struct kvb_weights *weights);
// What the kernel of a card and a release pads MXFP4 experts to.
struct kvb_padding kvb_sgl_mxfp4_padding(const struct kvb_sgl_setup *setup);
// The format that --quantization makes of 16-bit weights.
enum kvb_quantisation_method kvb_sgl_made_of(const struct kvb_plan *plan);
// Of a draft of its own or of the model's next-token modules; 0: none, or nobody knows it.
uint64_t kvb_sgl_draft_weights(const struct kvb_sgl_context *context);
// Whether drafts are loaded before the pool is sized.
bool kvb_sgl_drafts_first(const struct kvb_sgl_context *context);

// ---- Loading

// Context and communication, or what was stated of them.
struct kvb_estimate kvb_sgl_gone(const struct kvb_sgl_context *context);
// Free memory before the weights.
struct kvb_estimate kvb_sgl_before(const struct kvb_sgl_context *context);
// What is gone once the weights are there.
struct kvb_estimate kvb_sgl_loaded(const struct kvb_sgl_context *context, const struct kvb_weights *weights);
// All of a 16-bit checkpoint that is made 8-bit on the card; 0: none is.
uint64_t kvb_sgl_loading(const struct kvb_sgl_context *context, const struct kvb_weights *weights);

// ---- What lives beside weights and pools

// Context, communication, and what else is gone before the weights are loaded.
struct kvb_estimate kvb_sgl_before_load(const struct kvb_sgl_context *context);
// Tables of requests, workspaces of attention, and the rounding of the pools.
struct kvb_estimate kvb_sgl_tables(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool);
struct kvb_estimate kvb_sgl_graphs(const struct kvb_sgl_context *context);
struct kvb_estimate kvb_sgl_activation(const struct kvb_sgl_context *context);
// A draft that is loaded after the pool was sized: its weights, its cache for as many tokens, its graphs.
struct kvb_estimate kvb_sgl_late_draft(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool);

#endif
