// The pool of tokens: what one token takes, and how many the static fraction leaves room for.
#ifndef KVB_ENGINES_SGLANG_POOL_H
#define KVB_ENGINES_SGLANG_POOL_H

#include "engines/sglang/setup.h"

// What one token takes on one rank of one pipeline stage. A share of a byte counts: sizes of one token are in
// millionths where windows or compression leave fractions.
struct kvb_sgl_cell {
    bool windows;           // two pools: one for full layers, one for window layers
    bool compressed;        // DeepSeek V4
    uint64_t token_micro;   // millionths of a byte behind one token of max_total_num_tokens
    uint64_t full_bytes;    // of one token in all layers that keep it whole, a draft's layers included
    uint64_t window_bytes;  // of one token in all window layers
    uint64_t uniform_bytes; // of one token if all layers were alike; the split to 0.5.8
    uint32_t full_layers, window_layers;
    uint32_t window_tokens;
    uint64_t state_bytes; // one slot of recurrent state
    uint64_t ring_bytes;  // DeepSeek V4 from 0.5.15 on: compressed state of one request
};

bool kvb_sgl_is_window(const struct kvb_attention_shape *shape);
void kvb_sgl_cell_of(const struct kvb_sgl_setup *setup, uint32_t begin, uint32_t end, struct kvb_sgl_cell *cell);

enum kvb_sgl_refusal_row {
    KVB_SGL_STARTS,
    KVB_SGL_NO_MEMORY,      // weights leave nothing of the static fraction
    KVB_SGL_NO_STATE,       // no slot of recurrent state
    KVB_SGL_STATE_REQUESTS, // fewer slots than one request needs
    KVB_SGL_WINDOW_SMALL,   // the window pool does not hold one window
    KVB_SGL_WINDOW_CAP,     // the window pool takes all
    KVB_SGL_NO_TOKENS       // less than one page
};

struct kvb_sgl_pool {
    enum kvb_sgl_refusal_row refusal;
    int64_t rest_bytes;   // of the static fraction, before any pool
    uint64_t state_slots; // requests' slots; the padding slot is charged beside them from 0.5.18 on
    uint64_t state_bytes; // taken for them
    uint64_t draft_state_bytes;
    uint64_t fixed_bytes;                // taken off before tokens are counted: caches of pictures, compressed state
    int64_t cache_bytes;                 // left for tokens
    uint64_t tokens;                     // max_total_num_tokens
    uint64_t extra_tokens;               // of them beyond the static fraction: drafts' headroom to 0.5.6
    uint64_t full_tokens, window_tokens; // with two pools
    uint64_t held_bytes;                 // what the pools of tokens take
    uint64_t requests;                   // max_running_requests of one data-parallel rank
    uint64_t page_tokens;
};

// `before` and `after`: free memory before the weights and after them, the least over the ranks.
void kvb_sgl_pool_of(const struct kvb_sgl_setup *setup, const struct kvb_sgl_defaults *defaults,
                     const struct kvb_sgl_cell *cell, uint64_t before_bytes, int64_t after_bytes,
                     struct kvb_sgl_pool *pool);
// The part of the free memory that stays outside the static fraction.
uint64_t kvb_sgl_outside(uint64_t before_bytes, uint64_t fraction_ppb);
// Slots of recurrent state that one running request keeps.
uint64_t kvb_sgl_slots_per_request(const struct kvb_sgl_setup *setup);
uint64_t kvb_sgl_requests(const struct kvb_sgl_setup *setup, uint64_t tokens, uint64_t state_slots);
// The table that says where each request's tokens lie; 32 bits a token.
uint64_t kvb_sgl_request_table_bytes(const struct kvb_sgl_setup *setup, uint64_t requests);

#endif
