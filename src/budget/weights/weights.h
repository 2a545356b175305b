// Weight bytes of one rank, as "Model loading took" counts them.
#ifndef KVB_BUDGET_WEIGHTS_WEIGHTS_H
#define KVB_BUDGET_WEIGHTS_WEIGHTS_H

#include "budget/weights/load.h"

// torch's caching allocator, as far as it changes what is counted.
#define KVB_FREE_BLOCKS_MAX 192
struct kvb_allocator {
    bool exact;                   // expandable segments: no rounding beyond 512 bytes
    uint64_t largest_split_bytes; // max_split_size_mb; 0 = none
    uint64_t allocated_bytes, requested_bytes;
    uint64_t reserved_bytes;   // whole segments: what the device is asked for
    uint64_t small_free_bytes; // of the last segment of small blocks
    uint32_t free_count;
    uint64_t free_bytes[KVB_FREE_BLOCKS_MAX];
};
uint64_t kvb_allocate(struct kvb_allocator *allocator, uint64_t bytes); // returns the block's size
void kvb_release(struct kvb_allocator *allocator, uint64_t bytes, uint64_t block_bytes);

// One parameter on one rank, in the parts that are allocated apart: values, scales, zero points.
#define KVB_PARTS_MAX 4
struct kvb_parameter {
    enum kvb_role role;
    bool is_norm;
    uint32_t part_count;
    uint64_t part_bytes[KVB_PARTS_MAX]; // 0 behind the last
    uint64_t plain_bytes;               // at the model's dtype
    uint64_t expert_bytes;              // of experts that are loaded at the model's dtype; 0: none are
    uint64_t apart_bytes;               // of them with their rows set apart; 0: they stay
    uint64_t lora_elements_per_rank;    // inputs + outputs of an adapter of rank 1
};

// A pool of its own that a model is loaded into, as far as its segments are never split: those that nothing lies in.
#define KVB_POOL_BLOCKS_MAX 40
struct kvb_pool {
    uint64_t largest_split_bytes; // what is smaller is not followed
    uint32_t free_count;
    uint64_t free_bytes[KVB_POOL_BLOCKS_MAX];
};
uint64_t kvb_pool_take(struct kvb_pool *pool, uint64_t bytes); // returns the segment's size; 0: not followed
void kvb_pool_give(struct kvb_pool *pool, uint64_t segment_bytes);
uint64_t kvb_pool_free(const struct kvb_pool *pool);
// What a rotary table of so many elements is made of: angles, cosines and sines of half a table each, then the table,
// all in 32 bits. The model's copy is made beside the table.
#define KVB_ROPE_PARTS 4
uint64_t kvb_rope_part_bytes(uint64_t elements, uint32_t part);
// What loading takes and drops; of a rotary table, all parts but the last, whose segment it returns.
uint64_t kvb_pool_rope(struct kvb_pool *pool, uint64_t elements);
void kvb_pool_drop(struct kvb_pool *pool, uint64_t bytes);
void kvb_pool_lay_out(struct kvb_pool *pool, const struct kvb_parameter *parameter, uint32_t copies);

// What setting experts apart leaves of segments: for as long as the model stays, and until the cache is emptied.
struct kvb_expert_rests {
    uint64_t held_bytes, last_bytes;
};
void kvb_expert_rests_add(const struct kvb_load *load, const struct kvb_parameter *parameters, uint32_t count,
                          struct kvb_expert_rests *rests); // of one layer

// A matrix on one rank, after splitting.
struct kvb_matrix {
    enum kvb_role role;
    uint64_t count, rows, columns;
    uint32_t logical; // matrices fused into it
    bool quantised, left_out, as_attention, always_fp32, is_expert;
};
void kvb_parameter_make(const struct kvb_load *load, const struct kvb_matrix *matrix, struct kvb_parameter *parameter);
// Rows and columns of a tensor on one rank.
void kvb_tensor_split(const struct kvb_load *load, const struct kvb_tensor *tensor, struct kvb_matrix *matrix);

// Parameters of a list of tensors; fused neighbours become one. `out` has room for `count`.
// Returns how many.
uint32_t kvb_parameters_of(const struct kvb_load *load, const struct kvb_tensor *tensors, uint32_t count,
                           struct kvb_parameter *out);

// Whether a matrix is stored in the model's quantisation or quantised while loading.
bool kvb_is_quantised(const struct kvb_load *load, const struct kvb_matrix *matrix);

// Whether a tower or projector is left out.
bool kvb_is_tower(enum kvb_role role);
bool kvb_drops_tower(const struct kvb_load *load, enum kvb_role role);

// Corrects a count from the config by what the checkpoint's headers say, if they are known.
void kvb_weights_from_checkpoint(const struct kvb_load *load, uint32_t stage, struct kvb_weights *weights);

void kvb_weights_count(const struct kvb_load *load, uint32_t stage, struct kvb_weights *weights);

#endif
