// Blocks that draft and lie in the checkpoint of the model they draft for.
#ifndef KVB_MODEL_OWN_BLOCKS_H
#define KVB_MODEL_OWN_BLOCKS_H

#include <kvbudget/model.h>

// DSpark's of a DeepSeek V4; false: another model, whose config says nothing of such layers. `blocks` may be `model`.
bool kvb_own_blocks(const struct kvb_model *model, struct kvb_model *blocks);

#endif
