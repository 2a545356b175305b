// Classes of a checkpoint's tensors on one rank.
#ifndef KVB_BUDGET_WEIGHTS_WEIGHTS_CHECKPOINT_H
#define KVB_BUDGET_WEIGHTS_WEIGHTS_CHECKPOINT_H

#include "budget/weights/weights.h"

// Which part is counted: the whole checkpoint, or one rank of one stage.
struct kvb_part {
    const struct kvb_load *load;
    bool whole;
    uint32_t begin, end; // layers
    bool first, last;    // stages
};

// Numbers of a class on the part, for sums over the whole class: times `here` over `all`.
struct kvb_share {
    struct kvb_matrix matrix; // all tensors of the class as if all were here
    uint32_t all, here;
};
void kvb_share_of(const struct kvb_part *part, const struct kvb_tensor_class *row, struct kvb_share *share);
// Elements x here / all, without a product that could pass the limit.
uint64_t kvb_share_elements(const struct kvb_share *share);

// The model's elements on the part, from its config.
uint64_t kvb_config_elements(const struct kvb_part *part);

// from + more - less, not below 0.
uint64_t kvb_moved_by(uint64_t from, uint64_t more, uint64_t less);

// GGUF's sizes instead of the config's.
// By the bytes of all files, which an index tells; by the headers of every tensor; by those of a GGUF file.
void kvb_weights_from_total(const struct kvb_load *load, struct kvb_weights *weights);
void kvb_weights_from_headers(const struct kvb_part *whole, const struct kvb_part *rank, struct kvb_weights *weights);
void kvb_weights_from_gguf(const struct kvb_part *rank, struct kvb_weights *weights);

#endif
