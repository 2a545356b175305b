// A parsed config, from a config.json or from the `config` mapping of a profile, as a model.
#ifndef KVB_MODEL_CONFIG_HF_CONFIG_H
#define KVB_MODEL_CONFIG_HF_CONFIG_H

#include "model/config/hf.h"

// Nodes merged into a config keep their place; these bits of their line say which text it is a place in.
enum { HF_LINE_BESIDE = 1 << 29, HF_LINE_OVERRIDE = 1 << 30, HF_LINE_MASK = HF_LINE_BESIDE - 1 };

// `beside`: path of the hf_quant_config.json that was merged in, or NULL.
enum kvb_status kvb_hf_model_from_tree(const struct kvb_tree *tree, const struct kvb_node *top, const char *beside,
                                       struct kvb_model *model, struct kvb_problems *problems) KVB_MUST_USE;

// Replaces what `overrides` says in `base`, mappings key by key; `mark` is one of the bits above. Nodes of
// `overrides` become part of `base`.
void kvb_hf_merge(struct kvb_node *base, struct kvb_node *overrides, uint32_t mark);

// --hf-overrides text as a tree with a mapping at its root.
enum kvb_status kvb_hf_read_overrides(struct kvb_tree *overrides, const char *text,
                                      struct kvb_problems *problems) KVB_MUST_USE;

#endif
