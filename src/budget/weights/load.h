// What decides which bytes of a model one rank holds once it is loaded. The engine fills it in; nothing in
// src/budget/weights knows which engine that was.
#ifndef KVB_BUDGET_WEIGHTS_LOAD_H
#define KVB_BUDGET_WEIGHTS_LOAD_H

#include "budget/shapes.h"

#define KVB_STAGES_MAX 64

// Multiples to which the kernel of MXFP4 experts pads.
struct kvb_padding {
    uint32_t intermediate, hidden;      // elements
    uint32_t value_step;                // rows and packed bytes of the values; 0 = none
    uint32_t scale_rows, scale_columns; // of scales laid out anew; 0 = as loaded
    uint32_t loaded_scale_bytes;        // of each scale as loaded that stays beside them; 0 = they go
    bool fp32_biases;
};

// Rows of 16-bit experts that end on 512 bytes: as loaded, copied 256 bytes further apart, or copied so and back again.
enum kvb_expert_rows { KVB_EXPERT_ROWS_AS_LOADED, KVB_EXPERT_ROWS_APART, KVB_EXPERT_ROWS_BACK };

struct kvb_load {
    const struct kvb_model *model;
    const struct kvb_model *draft; // loaded beside the model on the last stage; NULL: none
    enum kvb_dtype dtype;
    uint32_t tp, pp, dp, pcp, ep;             // ep: expert parallel size, 1 = off
    uint16_t stage_begin[KVB_STAGES_MAX + 1]; // first layer of each stage; [pp] = layer count
    enum kvb_quantisation_method online;      // what matrices of a 16-bit checkpoint become while loading; NONE: stay
    enum kvb_quantisation_method online_experts; // and what its experts become
    enum kvb_scale_shape online_scale;           // of what is made 8-bit; a group: a byte for 32 inputs
    bool plain;                                  // everything at the model's dtype, whatever the checkpoint says
    bool shares_index;                           // layers that reuse an earlier layer's choice have no indexer
    struct kvb_padding mxfp4;
    bool fp32_rope;          // the rotary table is kept in 32 bits
    bool no_rope_table;      // angles are computed in each step
    uint64_t rope_rows_most; // the table is no longer; 0: as the model says
    bool scales_by_row;      // of blocks of 8 bits, at the model's dtype: Marlin's
    bool padded_rows;        // rows of block-scaled fp8 that end on 512 bytes get 256 more
    enum kvb_expert_rows expert_rows;
    uint64_t workspace_bytes;     // asked for by the constructors of layers
    bool counts_device;           // what the device holds: segments whole, with what loading drops in them
    bool relays_packed;           // 4-bit matrices get another layout once they are loaded, beside what was loaded
    uint64_t runtime_bytes;       // of that what is not torch's
    bool exact_allocations;       // no rounding beyond 512 bytes
    uint64_t largest_split_bytes; // blocks as large are never split; 0 = none
    bool pooled;                  // into a pool of its own, of which nothing goes back before all is loaded
    bool makes_tied_head;         // a head that shares the embedding is made before it is dropped
    uint8_t relaid_copies;        // blocks that a matrix takes anew while it is laid out for its kernel
    bool no_vision, no_audio;     // towers that are not loaded
    bool no_head;                 // a pooling model drops it
    uint64_t deepstack_tokens;    // inner outputs of the tower are kept for so many tokens
    bool towers_copied;           // towers are whole on every rank
    bool own_embedding;           // a head that drafts keeps its own instead of the target's
    bool mtp;                     // next-token modules are loaded with the model
    uint8_t mtp_most;             // of them no more; 0: all
    bool mtp_joins_by_rank;       // what joins one to the model is divided among the ranks
    bool absorbs_latent;          // MLA keeps its up-projections a second time
    bool returns_layers;          // an offloaded layer comes back for its forward pass, and copies stay with it
    uint64_t offload_limit_bytes;
    uint32_t offload_roles;                   // a bit for each role that leaves; 0: all
    uint16_t offload_group, offload_in_group; // of so many layers the last ones leave whole; 0: none does
    uint16_t offload_ahead;                   // of them so many have a buffer to come back to
    uint64_t lora_slots, lora_rank;           // 0: no adapters
    bool lora_on_embeddings;                  // adapters on embedding and head
    uint64_t lora_extra_rows;                 // rows of vocabulary they bring, in embedding and head
    uint64_t index_buffer_tokens;             // the sparse index keeps its choices for so many tokens
    uint64_t stream_buffer_tokens;            // residual streams are kept for drafts of so many tokens
};

#endif
