// A snapshot's headers are counted when they arrive.
#include "hub/prepare.h"

#include <kvbudget/input.h>

#include "base/memory.h"
#include "base/room.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/heads.h"

bool kvb_hub_prepare(const char *folder)
{
    struct kvb_model_source source;
    struct kvb_model *model = kvb_room(sizeof *model, NULL);
    struct kvb_checkpoint *counted = kvb_room(sizeof *counted, NULL);
    // As the plan will count: how wide a packed element is, only the whole config says.
    bool kept = model != NULL && counted != NULL && kvb_model_load(folder, NULL, model, &source, NULL) == KVB_OK &&
                kvb_checkpoint_load(folder, model->quantisation.bits, counted, NULL) == KVB_OK &&
                counted->kind == KVB_CHECKPOINT_SAFETENSORS &&
                kvb_heads_keep(folder, model->quantisation.bits, counted, NULL) == KVB_OK;
    kvb_free(counted);
    kvb_free(model);
    return kept;
}
