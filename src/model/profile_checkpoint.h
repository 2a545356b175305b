// The `checkpoint:` mapping of a model profile: what the headers said when the profile was made.
#ifndef KVB_MODEL_PROFILE_CHECKPOINT_H
#define KVB_MODEL_PROFILE_CHECKPOINT_H

#include <kvbudget/model.h>

#include "base/buffer.h"
#include "text/tree.h"

// False with problems added when the mapping is wrong. `node` NULL: nothing is known.
bool kvb_profile_checkpoint_read(const struct kvb_tree *tree, const struct kvb_node *node, struct kvb_checkpoint *out,
                                 struct kvb_problems *problems);
void kvb_profile_checkpoint_write(struct kvb_buffer *buffer, const struct kvb_checkpoint *checkpoint);

// What of a checkpoint goes into a profile: GGUF's total; a safetensors total only when the headers count other
// parameters than the config does; nothing otherwise.
void kvb_profile_checkpoint_reduce(const struct kvb_model *model, struct kvb_checkpoint *out);

#endif
