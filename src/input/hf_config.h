// A parsed config, from a config.json or from the `config` mapping of a profile, as a model.
#ifndef KVB_INPUT_HF_CONFIG_H
#define KVB_INPUT_HF_CONFIG_H

#include "input/hf.h"

enum kvb_status hf_model_from_tree(const struct kvb_tree *tree, const struct kvb_node *top, struct kvb_model *model,
                                   struct kvb_problems *problems) KVB_MUST_USE;

// Replaces what `overrides` says in `base`, mappings key by key. Nodes of `overrides` become part of `base`.
void hf_merge(struct kvb_node *base, struct kvb_node *overrides);

// --hf-overrides text as a tree with a mapping at its root.
enum kvb_status hf_read_overrides(struct kvb_tree *overrides, const char *text,
                                  struct kvb_problems *problems) KVB_MUST_USE;

#endif
