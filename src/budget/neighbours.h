// What residents and training phases share: what an engine keeps, and from where it starts.
#ifndef KVB_BUDGET_NEIGHBOURS_H
#define KVB_BUDGET_NEIGHBOURS_H

#include <kvbudget/residents.h>

#include "engines/vllm/context.h"

// What the engine keeps once it runs: its own terms, graphs that were not charged, and its context
// unless the release has charged that already.
uint64_t kvb_held_by(const struct kvb_context *context, const struct kvb_budget *budget);

// The smallest whole hundredth at which it starts among what is held already; 0: none does.
uint32_t kvb_needs_ppm(const struct kvb_plan *plan, const struct kvb_budget *budget);

// ---- What a trainer holds on one GPU (trainer.c)

struct kvb_train_shape {
    uint64_t parameters;      // of the actor
    uint64_t unit_parameters; // largest decoder layer
    uint64_t table_elements;  // embedding or head
    uint64_t root_parameters; // embedding and head
    uint64_t hidden, ffn, queries, keys, vocabulary, layers;
};
void kvb_train_shape(const struct kvb_trainer *trainer, const struct kvb_model *model, struct kvb_train_shape *shape);

// Bytes on this GPU.
struct kvb_train_state {
    uint64_t weights_bytes, gradients_bytes, moments_bytes, master_bytes;
    uint64_t reference_bytes; // also when offloaded
    uint64_t context_bytes;
    bool stated; // one figure for all, kept in weights_bytes
};
void kvb_train_state(const struct kvb_trainer *trainer, const struct kvb_model *model, struct kvb_train_state *state);

// At rest between two steps, and before the first one: without gradients and what is offloaded.
uint64_t kvb_train_at_rest(const struct kvb_trainer *trainer, const struct kvb_train_state *state);
uint64_t kvb_train_before_first(const struct kvb_trainer *trainer, const struct kvb_train_state *state);

#endif
