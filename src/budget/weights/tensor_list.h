// Writing down the tensors of a layer: a list that grows by one row per matrix.
#ifndef KVB_BUDGET_WEIGHTS_TENSOR_LIST_H
#define KVB_BUDGET_WEIGHTS_TENSOR_LIST_H

#include <kvbudget/model.h>

// Numbers that tie consecutive tensors into one parameter of the engine.
enum kvb_fused {
    KVB_FUSED_NONE,
    KVB_FUSED_QKV,
    KVB_FUSED_QKV_BIAS,
    KVB_FUSED_QKV_A,
    KVB_FUSED_GATE_UP,
    KVB_FUSED_GATE_UP_BIAS,
    KVB_FUSED_W13,
    KVB_FUSED_W13_BIAS,
    KVB_FUSED_SHARED,
    KVB_FUSED_STATE_IN,
    KVB_FUSED_STATE_IN_BIAS,
    KVB_FUSED_CONV,
    KVB_FUSED_BA,
    KVB_FUSED_COMPRESSOR,
    KVB_FUSED_INDEX_COMPRESSOR,
};

struct kvb_tensor_list {
    const struct kvb_model *model;
    struct kvb_tensor *out;
    uint32_t count;
};

// Appends a tensor kept at the model's dtype and returns it for further settings; a size of 0 is not
// written (the returned row is then the next free one and is overwritten later).
struct kvb_tensor *kvb_tensor_add(struct kvb_tensor_list *list, const char *name, enum kvb_role role,
                                  enum kvb_split split, uint64_t rows, uint64_t columns);

// The same for a linear layer of the attention role that follows the model's quantisation.
struct kvb_tensor *kvb_tensor_linear(struct kvb_tensor_list *list, const char *name, enum kvb_split split,
                                     uint64_t rows, uint64_t columns, enum kvb_fused fused);

#endif
