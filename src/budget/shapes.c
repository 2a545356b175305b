// What is asked of a model throughout the budget.
#include "budget/shapes.h"

bool kvb_is_state(enum kvb_attention kind)
{
    switch (kind) {
    case KVB_ATTENTION_MAMBA1:
    case KVB_ATTENTION_MAMBA2:
    case KVB_ATTENTION_LINEAR:
    case KVB_ATTENTION_GDN:
    case KVB_ATTENTION_KDA:
    case KVB_ATTENTION_SHORT_CONV:
        return true;
    default:
        return false;
    }
}

bool kvb_model_has(const struct kvb_model *model, enum kvb_attention kind)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].attention.kind == kind) {
            return true;
        }
    }
    return false;
}

bool kvb_model_has_state(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (kvb_is_state(model->kinds[i].attention.kind)) {
            return true;
        }
    }
    return false;
}

bool kvb_model_has_experts(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].mlp.kind == KVB_MLP_MOE) {
            return true;
        }
    }
    return false;
}

bool kvb_model_is_mla(const struct kvb_model *model)
{
    return kvb_model_has(model, KVB_ATTENTION_MLA);
}

bool kvb_model_is_multimodal(const struct kvb_model *model)
{
    return model->encoder.family != KVB_ENCODER_NONE;
}
