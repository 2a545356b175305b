// Which parts of a model the targets of a compressed-tensors group name.
#ifndef KVB_MODEL_CONFIG_HF_TARGETS_H
#define KVB_MODEL_CONFIG_HF_TARGETS_H

#include "model/config/hf.h"

// Whether a group is attention's: with the head, shared experts and feed-forward parts of single layers at most.
bool kvb_hf_is_attention_group(const struct kvb_node *group);
// What such a group names beside attention.
void kvb_hf_read_attention_group(const struct kvb_node *group, struct kvb_quantisation *quantisation);
// Source: quantization/compressed_tensors/compressed_tensors.py v0.20.0:184; before, no release stores a head so.
bool kvb_hf_targets_head(const struct kvb_node *group);

#endif
