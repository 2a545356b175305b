// What is asked of a model throughout the budget.
#include "budget/shapes.h"

#include <string.h>

#include "base/checked.h"

uint64_t kvb_held_by_reserves(const struct kvb_plan *plan)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < plan->reserve_count; i++) {
        bytes = kvb_add(bytes, plan->reserves[i].bytes);
    }
    return bytes;
}

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

uint32_t kvb_model_heads(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].attention.heads > 0) {
            return model->kinds[i].attention.heads;
        }
    }
    return 0;
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

bool kvb_model_is_sparse(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].attention.kind == KVB_ATTENTION_MLA && model->kinds[i].attention.index_heads > 0) {
            return true;
        }
    }
    return false;
}

bool kvb_model_is_multimodal(const struct kvb_model *model)
{
    return model->encoder.family != KVB_ENCODER_NONE;
}

uint64_t kvb_gpu_count(const struct kvb_settings *settings)
{
    static const enum kvb_setting sizes[] = {KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_PIPELINE_PARALLEL_SIZE,
                                             KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, KVB_SET_DATA_PARALLEL_SIZE};
    uint64_t count = 1;
    bool inside = settings->values[KVB_SET_ENABLE_DP_ATTENTION].number != 0; // groups are made of the ranks there are
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct kvb_setting_value *value = &settings->values[sizes[i]];
        if (inside && sizes[i] == KVB_SET_DATA_PARALLEL_SIZE) {
            continue;
        }
        count = kvb_mul(count, value->set && value->number > 0 ? value->number : 1);
    }
    return count;
}

uint64_t kvb_request_length(const struct kvb_budget *budget)
{
    uint64_t chosen = budget->kv.auto_max_model_len;
    return chosen > 0 ? chosen : budget->settings.values[KVB_SET_MAX_MODEL_LEN].number;
}

bool kvb_model_drafts_blocks(const struct kvb_model *model)
{
    return strstr(model->architecture, "DFlash") != NULL || strstr(model->architecture, "DSpark") != NULL;
}

bool kvb_model_assists(const struct kvb_model *model)
{
    return model->kinds[0].attention.queries_only;
}

bool kvb_model_only_drafts(const struct kvb_model *model)
{
    return strstr(model->architecture, "Eagle") != NULL || kvb_model_drafts_blocks(model) || kvb_model_assists(model);
}
