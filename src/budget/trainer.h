// What a trainer holds on one GPU.
#ifndef KVB_BUDGET_TRAINER_H
#define KVB_BUDGET_TRAINER_H

#include <kvbudget/residents.h>

struct kvb_train_shape {
    uint64_t parameters;      // of the actor
    uint64_t unit_parameters; // largest decoder layer
    uint64_t table_elements;  // embedding or head
    uint64_t root_parameters; // embedding and head
    uint64_t hidden, ffn, queries, keys, vocabulary, layers;
};
void kvb_train_shape_of(const struct kvb_trainer *trainer, const struct kvb_model *model,
                        struct kvb_train_shape *shape);

// Bytes on this GPU.
struct kvb_train_state {
    uint64_t weights_bytes, gradients_bytes, moments_bytes, master_bytes;
    uint64_t reference_bytes; // also when offloaded
    uint64_t context_bytes;
    bool stated; // one figure for all, kept in weights_bytes
};
void kvb_train_state_of(const struct kvb_trainer *trainer, const struct kvb_model *model,
                        struct kvb_train_state *state);

// At rest between two steps, and before the first one: without gradients and what is offloaded.
uint64_t kvb_train_at_rest(const struct kvb_trainer *trainer, const struct kvb_train_state *state);
uint64_t kvb_train_before_first(const struct kvb_trainer *trainer, const struct kvb_train_state *state);

#endif
