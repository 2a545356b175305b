// Feed-forward parts: dense, plain, and mixtures of experts with every way of saying which layers have them.
#include <string.h>

#include "base/checked.h"
#include "model/config/hf.h"

static bool mlp_bias_of(const struct hf *hf)
{
    bool said = kvb_hf_has(hf, HF_BIAS) ? kvb_hf_is(hf, HF_BIAS) : kvb_hf_trait(hf, HF_BIAS_BY_DEFAULT);
    bool everywhere = kvb_hf_trait(hf, HF_BIAS_EVERYWHERE) && said && !kvb_hf_is(hf, HF_NO_BIAS);
    return kvb_hf_is(hf, HF_MLP_BIAS) || kvb_hf_trait(hf, HF_HAS_MLP_BIAS) || everywhere;
}

void kvb_hf_mlp_none(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    (void)hf;
    (void)layer;
    kind->mlp.kind = KVB_MLP_NONE;
}

void kvb_hf_mlp_standard(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_mlp_shape *shape = &kind->mlp;
    shape->kind = kvb_hf_trait(hf, HF_PLAIN_MLP) ? KVB_MLP_PLAIN : KVB_MLP_GATED;
    shape->bias = mlp_bias_of(hf);
    if (!kvb_hf_has(hf, HF_INTERMEDIATE) && kvb_hf_trait(hf, HF_FOUR_WIDE)) {
        shape->intermediate_size = (uint32_t)kvb_mul(hf->model->hidden_size, kvb_hf_get(hf, HF_EXPANSION, 4));
    } else {
        shape->intermediate_size = kvb_hf_list_get(hf, HF_INTERMEDIATE, layer, kvb_hf_need(hf, HF_INTERMEDIATE));
    }
    bool stated = kvb_hf_has(hf, HF_INTERMEDIATE) && kvb_hf_list_length(hf, HF_INTERMEDIATE) == 0;
    if (stated && shape->intermediate_size == 0 && kvb_hf_get(hf, HF_EXPERTS, 0) == 0 && !hf->failed) {
        kvb_hf_fail(hf, KVB_OUT_OF_RANGE, hf->values[HF_INTERMEDIATE].node,
                    "intermediate_size: expected at least 1, got 0");
    }
}

// Qwen 1: intermediate_size counts gate and up together.
void kvb_hf_mlp_qwen1(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_mlp_standard(hf, layer, kind);
    kind->mlp.intermediate_size /= 2;
}

static uint32_t shared_size(const struct hf *hf, uint32_t expert_size)
{
    uint32_t count = kvb_hf_get(hf, HF_SHARED_EXPERTS, 0);
    uint32_t stated = kvb_hf_get(hf, HF_SHARED_INTERMEDIATE, 0);
    if (stated) {
        return (uint32_t)kvb_min(kvb_mul(stated, count ? count : 1), UINT32_MAX);
    }
    return (uint32_t)kvb_min(kvb_mul(count, expert_size), UINT32_MAX);
}

static bool has_correction_bias(const struct hf *hf)
{
    if (kvb_hf_has(hf, HF_ROUTING_BIAS)) {
        return kvb_hf_is(hf, HF_ROUTING_BIAS);
    }
    return kvb_hf_trait(hf, HF_CORRECTION_BIAS) || kvb_hf_word_is(hf, HF_TOPK_METHOD, "noaux_tc");
}

void kvb_hf_set_moe(struct hf *hf, struct kvb_mlp_shape *shape)
{
    shape->kind = KVB_MLP_MOE;
    shape->experts = kvb_hf_need(hf, HF_EXPERTS);
    shape->experts_per_token = kvb_hf_need(hf, HF_EXPERTS_PER_TOKEN);
    shape->expert_intermediate_size =
        kvb_hf_has(hf, HF_MOE_INTERMEDIATE) ? kvb_hf_get(hf, HF_MOE_INTERMEDIATE, 0) : kvb_hf_need(hf, HF_INTERMEDIATE);
    shape->shared_intermediate_size = shared_size(hf, shape->expert_intermediate_size);
    shape->shared_gate = kvb_hf_trait(hf, HF_SHARED_GATE) && shape->shared_intermediate_size != 0;
    shape->router_correction_bias = has_correction_bias(hf);
    shape->router_bias = kvb_hf_trait(hf, HF_HAS_MLP_BIAS);
    shape->expert_bias = kvb_hf_trait(hf, HF_HAS_MLP_BIAS);
    shape->expert_gated = !kvb_hf_trait(hf, HF_PLAIN_MLP);
    if (!hf->failed && shape->experts_per_token > shape->experts) {
        kvb_hf_fail(hf, KVB_CONTRADICTION, hf->values[HF_EXPERTS_PER_TOKEN].node,
                    "%u experts per token are asked of %u experts", shape->experts_per_token, shape->experts);
    }
}

static bool frequent(struct hf *hf, uint32_t layer)
{
    if (kvb_hf_list_length(hf, HF_MOE_FREQ) > 0) {
        return kvb_hf_list_covers_layers(hf, HF_MOE_FREQ) && kvb_hf_list_get(hf, HF_MOE_FREQ, layer, 0) != 0;
    }
    uint32_t frequency = kvb_hf_get(hf, HF_MOE_FREQ, 1);
    return frequency != 0 && layer % frequency == 0;
}

bool kvb_hf_layer_is_moe(struct hf *hf, uint32_t layer)
{
    if (kvb_hf_get(hf, HF_EXPERTS, 0) == 0) {
        return false;
    }
    if (kvb_hf_trait(hf, HF_ALL_LAYERS_MOE)) {
        return true;
    }
    if (kvb_hf_list_length(hf, HF_MLP_TYPES) > 0) {
        return kvb_hf_list_covers_layers(hf, HF_MLP_TYPES) &&
               strcmp(kvb_hf_words_get(hf, HF_MLP_TYPES, layer), "sparse") == 0;
    }
    bool stepped = (layer + 1) % kvb_hf_get(hf, HF_SPARSE_STEP, 1) == 0;
    return layer >= kvb_hf_get(hf, HF_FIRST_DENSE, 0) && stepped && !kvb_hf_list_holds(hf, HF_MLP_ONLY, layer) &&
           frequent(hf, layer);
}

void kvb_hf_mlp_moe(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    if (kvb_hf_layer_is_moe(hf, layer)) {
        kvb_hf_set_moe(hf, &kind->mlp);
        return;
    }
    kvb_hf_mlp_standard(hf, layer, kind);
    if (kvb_hf_has(hf, HF_DENSE_INTERMEDIATE)) {
        kind->mlp.intermediate_size = kvb_hf_get(hf, HF_DENSE_INTERMEDIATE, 0);
    }
}

// Jamba: experts every expert_layer_period layers.
void kvb_hf_mlp_jamba(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    uint32_t period = kvb_hf_get(hf, HF_EXPERT_PERIOD, 2);
    if (kvb_hf_get(hf, HF_EXPERTS, 1) > 1 && layer % period == kvb_hf_get(hf, HF_EXPERT_OFFSET, 1)) {
        kvb_hf_set_moe(hf, &kind->mlp);
    } else {
        kvb_hf_mlp_standard(hf, layer, kind);
    }
}

// ERNIE 4.5: experts from moe_layer_start_index, every moe_layer_interval-th layer.
void kvb_hf_mlp_ernie(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    bool inside = layer >= kvb_hf_get(hf, HF_MOE_START, 0) && layer <= kvb_hf_get(hf, HF_MOE_END, UINT32_MAX);
    if (kvb_hf_get(hf, HF_EXPERTS, 0) && inside && (layer + 1) % kvb_hf_get(hf, HF_MOE_INTERVAL, 1) == 0) {
        kvb_hf_set_moe(hf, &kind->mlp);
    } else {
        kvb_hf_mlp_standard(hf, layer, kind);
    }
}

// Llama 4: one shared expert as wide as a routed one; dense layers have a width of their own.
void kvb_hf_mlp_llama4(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    uint32_t step = kvb_hf_get(hf, HF_MOE_STEP, 1);
    bool listed = kvb_hf_list_length(hf, HF_MOE_LAYERS) > 0;
    bool sparse = listed ? kvb_hf_list_holds(hf, HF_MOE_LAYERS, layer) : step != 0 && (layer + 1) % step == 0;
    if (!sparse) {
        kind->mlp.kind = KVB_MLP_GATED;
        kind->mlp.intermediate_size = kvb_hf_need(hf, HF_DENSE_SIZE_LLAMA4);
        return;
    }
    kvb_hf_set_moe(hf, &kind->mlp);
    kind->mlp.shared_intermediate_size = kind->mlp.expert_intermediate_size;
}

// LFM2: the stated width is cut to two thirds and rounded up, as Llama 1 did.
void kvb_hf_mlp_lfm2(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    bool adjust = kvb_hf_has(hf, HF_BLOCK_FF_ADJUST) ? kvb_hf_is(hf, HF_BLOCK_FF_ADJUST) : true;
    uint64_t size = kvb_hf_has(hf, HF_BLOCK_FF) ? kvb_hf_get(hf, HF_BLOCK_FF, 0) : kvb_hf_need(hf, HF_INTERMEDIATE);
    uint64_t multiple = kvb_hf_get(hf, HF_BLOCK_FF_MULTIPLE, 256);
    (void)layer;
    if (adjust) {
        size = size * 2 / 3;
        size = kvb_mul(size, kvb_hf_get64(hf, HF_BLOCK_FF_FACTOR, 1000000)) / 1000000;
        size = kvb_round_up(size, multiple);
    }
    kind->mlp.kind = KVB_MLP_GATED;
    kind->mlp.intermediate_size = (uint32_t)kvb_min(size, UINT32_MAX);
}

void kvb_hf_mlp_dbrx(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_mlp_shape *shape = &kind->mlp;
    (void)layer;
    shape->kind = KVB_MLP_MOE;
    shape->experts = kvb_hf_need(hf, HF_F_EXPERTS);
    shape->experts_per_token = kvb_hf_need(hf, HF_F_TOPK);
    shape->expert_intermediate_size = kvb_hf_need(hf, HF_F_SIZE);
    shape->expert_gated = true;
}

// LFM2 with experts: the dense layers' width is stated as it is.
void kvb_hf_mlp_lfm2_moe(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    if (layer >= kvb_hf_get(hf, HF_FIRST_DENSE, 0)) {
        kvb_hf_set_moe(hf, &kind->mlp);
    } else {
        kvb_hf_mlp_standard(hf, layer, kind);
    }
}
