// What is asked of a model and of a plan throughout the arithmetic.
#ifndef KVB_BUDGET_SHAPES_H
#define KVB_BUDGET_SHAPES_H

#include <kvbudget/budget.h>

static inline const struct kvb_layer_kind *kvb_kind_of(const struct kvb_model *model, uint32_t layer)
{
    return &model->kinds[model->kind_of_layer[layer]];
}

static inline bool kvb_is_set(const struct kvb_plan *plan, enum kvb_setting setting)
{
    return plan->settings.values[setting].set != 0;
}

static inline uint64_t kvb_number(const struct kvb_plan *plan, enum kvb_setting setting)
{
    return plan->settings.values[setting].number;
}

static inline uint64_t kvb_number_or(const struct kvb_plan *plan, enum kvb_setting setting, uint64_t otherwise)
{
    return kvb_is_set(plan, setting) ? kvb_number(plan, setting) : otherwise;
}

// Said to be zero, or false.
static inline bool kvb_is_off(const struct kvb_plan *plan, enum kvb_setting setting)
{
    return kvb_is_set(plan, setting) && kvb_number(plan, setting) == 0;
}

// A setting as it holds, given or not.
static inline uint64_t kvb_effective(const struct kvb_budget *budget, enum kvb_setting setting)
{
    return budget->settings.values[setting].number;
}

// Of all that the plan says is held by something else.
uint64_t kvb_held_by_reserves(const struct kvb_plan *plan);

// KV heads of a layer on one rank.
static inline uint32_t kvb_heads_on_rank(uint32_t heads, uint32_t tp)
{
    return heads / tp > 0 ? heads / tp : 1;
}

// Attention that keeps a state of fixed size instead of tokens.
bool kvb_is_state(enum kvb_attention kind);
bool kvb_model_has(const struct kvb_model *model, enum kvb_attention kind);
uint32_t kvb_model_heads(const struct kvb_model *model); // of the first layers that have any; 0: none has
bool kvb_model_has_state(const struct kvb_model *model);
bool kvb_model_has_experts(const struct kvb_model *model);
bool kvb_model_is_mla(const struct kvb_model *model);
bool kvb_model_is_sparse(const struct kvb_model *model); // latents chosen by an index
bool kvb_model_is_multimodal(const struct kvb_model *model);
// DFlash and DSpark, which draft a block of tokens at once.
bool kvb_model_drafts_blocks(const struct kvb_model *model);
// A draft that attends over its target's own cache: Gemma 4's assistants.
bool kvb_model_assists(const struct kvb_model *model);
// A head that drafts for another model, whose embedding it uses.
bool kvb_model_only_drafts(const struct kvb_model *model);

#endif
