// The tensors of one layer by its parts: attention, state, latent attention, MLP.
#ifndef KVB_BUDGET_WEIGHTS_TENSORS_H
#define KVB_BUDGET_WEIGHTS_TENSORS_H

#include "budget/weights/tensor_list.h"

// Each appends what one layer of the shape has, in elements of the whole model: nothing is split among ranks yet.
void kvb_attention_tensors(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape);
void kvb_state_tensors(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape);
void kvb_latent_tensors(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape);
void kvb_mlp_tensors(struct kvb_tensor_list *list, const struct kvb_mlp_shape *shape);

#endif
