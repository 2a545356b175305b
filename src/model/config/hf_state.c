// Layers that keep a state instead of keys and values, and the hybrids made of them.
#include <string.h>

#include "base/checked.h"
#include "model/config/hf.h"

static void set_gdn(struct hf *hf, struct kvb_attention_shape *shape)
{
    shape->kind = KVB_ATTENTION_GDN;
    shape->state_key_heads = kvb_hf_need(hf, HF_LINEAR_KEY_HEADS);
    shape->state_key_size = kvb_hf_need(hf, HF_LINEAR_KEY_DIM);
    shape->state_value_heads = kvb_hf_need(hf, HF_LINEAR_VALUE_HEADS);
    shape->state_value_size = kvb_hf_need(hf, HF_LINEAR_VALUE_DIM);
    shape->conv_kernel = kvb_hf_get(hf, HF_LINEAR_CONV, 4);
    if (!hf->failed && shape->state_value_heads % shape->state_key_heads != 0) {
        kvb_hf_fail(hf, KVB_INDIVISIBLE, hf->values[HF_LINEAR_VALUE_HEADS].node,
                    "%u value heads cannot share %u key heads evenly", shape->state_value_heads,
                    shape->state_key_heads);
    }
}

// A number, or "auto": what the inner width leaves for each head.
static uint32_t mamba_head_size(struct hf *hf, uint64_t inner, uint32_t heads)
{
    const struct kvb_hf_value *value = &hf->values[HF_MAMBA_HEAD_DIM];
    uint64_t millionths;
    if (!value->set || kvb_hf_word_is(hf, HF_MAMBA_HEAD_DIM, "auto")) {
        return heads ? kvb_hf_get(hf, HF_HEAD_DIM, (uint32_t)(inner / heads)) : 0;
    }
    if (!kvb_hf_parse_ratio(kvb_hf_word(hf, HF_MAMBA_HEAD_DIM), &millionths) || millionths % 1000000 != 0 ||
        millionths == 0 || millionths / 1000000 > 65536) {
        kvb_hf_fail(hf, KVB_BAD_TYPE, value->node, "mamba_head_dim: expected a whole number above 0 or auto");
        return 0;
    }
    return (uint32_t)(millionths / 1000000);
}

static void set_mamba2(struct hf *hf, struct kvb_attention_shape *shape)
{
    uint64_t inner = kvb_mul(hf->model->hidden_size, kvb_hf_get(hf, HF_MAMBA_EXPAND, 2));
    inner = kvb_hf_get(hf, HF_MAMBA_INNER, (uint32_t)kvb_min(inner, UINT32_MAX));
    shape->kind = KVB_ATTENTION_MAMBA2;
    shape->state_value_heads =
        kvb_hf_has(hf, HF_MAMBA_HEADS) ? kvb_hf_get(hf, HF_MAMBA_HEADS, 0) : kvb_hf_need(hf, HF_HEADS);
    shape->state_value_size = mamba_head_size(hf, inner, shape->state_value_heads);
    shape->state_inner_size = (uint32_t)kvb_min(kvb_mul(shape->state_value_heads, shape->state_value_size), UINT32_MAX);
    shape->state_key_heads = kvb_hf_get(hf, HF_MAMBA_GROUPS, 1);
    shape->state_key_size = kvb_hf_need(hf, HF_MAMBA_STATE);
    shape->conv_kernel = kvb_hf_get(hf, HF_MAMBA_CONV, 4);
    shape->chunk_tokens = kvb_hf_get(hf, HF_MAMBA_CHUNK, 256);
    shape->conv_bias = !kvb_hf_has(hf, HF_CONV_BIAS) || kvb_hf_is(hf, HF_CONV_BIAS);
    shape->state_bias = kvb_hf_is(hf, HF_MAMBA_BIAS);
}

static uint32_t time_step_rank(struct hf *hf)
{
    const struct kvb_hf_value *value = &hf->values[HF_DT_RANK];
    uint64_t millionths;
    if (!value->set || kvb_hf_word_is(hf, HF_DT_RANK, "auto")) {
        return (uint32_t)kvb_div_up(hf->model->hidden_size, 16);
    }
    if (!kvb_hf_parse_ratio(kvb_hf_word(hf, HF_DT_RANK), &millionths) || millionths % 1000000 != 0 || millionths == 0 ||
        millionths / 1000000 > 1000000) {
        kvb_hf_fail(hf, KVB_BAD_TYPE, value->node, "mamba_dt_rank: expected a whole number above 0 or auto");
        return 0;
    }
    return (uint32_t)(millionths / 1000000);
}

static void set_mamba1(struct hf *hf, struct kvb_attention_shape *shape)
{
    uint64_t inner = kvb_mul(hf->model->hidden_size, kvb_hf_get(hf, HF_MAMBA_EXPAND, 2));
    shape->kind = KVB_ATTENTION_MAMBA1;
    shape->state_inner_size = kvb_hf_get(hf, HF_MAMBA_INNER, (uint32_t)kvb_min(inner, UINT32_MAX));
    shape->state_key_heads = time_step_rank(hf);
    shape->state_key_size = kvb_hf_get(hf, HF_MAMBA_STATE, 16);
    shape->conv_kernel = kvb_hf_get(hf, HF_MAMBA_CONV, 4);
    shape->conv_bias = !kvb_hf_has(hf, HF_CONV_BIAS) || kvb_hf_is(hf, HF_CONV_BIAS);
    shape->state_bias = kvb_hf_is(hf, HF_MAMBA_BIAS) || kvb_hf_is(hf, HF_BIAS);
}

static void set_short_conv(struct hf *hf, struct kvb_attention_shape *shape)
{
    shape->kind = KVB_ATTENTION_SHORT_CONV;
    shape->state_inner_size = hf->model->hidden_size;
    shape->conv_kernel = kvb_hf_need(hf, HF_CONV_CACHE);
    shape->conv_bias = kvb_hf_is(hf, HF_CONV_BIAS);
    shape->state_bias = kvb_hf_is(hf, HF_CONV_BIAS);
}

static void set_lightning(struct hf *hf, struct kvb_attention_shape *shape)
{
    kvb_hf_set_heads(hf, shape);
    shape->kind = KVB_ATTENTION_LINEAR;
    shape->kv_heads = shape->heads;
    shape->state_value_heads = shape->heads;
    shape->state_value_size = shape->head_size;
}

// Jamba normalises what its Mamba layers select.
static void set_mamba_of_class(struct hf *hf, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    if (!kvb_hf_trait(hf, HF_MAMBA1)) {
        set_mamba2(hf, shape);
        return;
    }
    set_mamba1(hf, shape);
    if (kvb_hf_trait(hf, HF_MAMBA_NORMS)) {
        kind->extra_elements = shape->state_key_heads + 2 * shape->state_key_size;
    }
}

void kvb_hf_attention_hybrid(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    switch ((enum kvb_hf_layer_type)hf->layer_types[layer]) {
    case HF_LAYER_LINEAR:
        if (kvb_hf_trait(hf, HF_LIGHTNING)) {
            set_lightning(hf, &kind->attention);
        } else {
            set_gdn(hf, &kind->attention);
        }
        break;
    case HF_LAYER_CONV:
        set_short_conv(hf, &kind->attention);
        break;
    case HF_LAYER_MAMBA:
        set_mamba_of_class(hf, kind);
        break;
    default:
        kvb_hf_attention_standard(hf, layer, kind);
        break;
    }
}

// Nemotron-H: every layer is one thing behind one norm: Mamba, attention, an MLP or experts.
void kvb_hf_attention_nemotron_h(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    enum kvb_hf_layer_type type = (enum kvb_hf_layer_type)hf->layer_types[layer];
    if (type == HF_LAYER_MAMBA) {
        set_mamba2(hf, &kind->attention);
    } else if (type == HF_LAYER_FULL || type == HF_LAYER_SLIDING) {
        kvb_hf_attention_standard(hf, layer, kind);
    }
}

void kvb_hf_mlp_nemotron_h(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    enum kvb_hf_layer_type type = (enum kvb_hf_layer_type)hf->layer_types[layer];
    if (type == HF_LAYER_MOE) {
        kvb_hf_set_moe(hf, &kind->mlp);
        kind->mlp.latent_size = kvb_hf_get(hf, HF_LATENT_SIZE, 0);
    } else if (type == HF_LAYER_MLP) {
        kvb_hf_mlp_standard(hf, layer, kind);
    }
}

// Kimi's delta attention: as many keys as values, of one size.
static void set_kda(struct hf *hf, struct kvb_attention_shape *shape, enum kvb_hf_key heads, enum kvb_hf_key size,
                    enum kvb_hf_key kernel)
{
    shape->kind = KVB_ATTENTION_KDA;
    shape->state_key_heads = shape->state_value_heads = kvb_hf_need(hf, heads);
    shape->state_key_size = shape->state_value_size = kvb_hf_need(hf, size);
    shape->conv_kernel = kvb_hf_get(hf, kernel, 4);
}

// Kimi Linear and K3: delta attention with per-channel decay, every fourth layer latent attention.
void kvb_hf_attention_kimi_linear(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    if (hf->layer_types[layer] == HF_LAYER_FULL) {
        kvb_hf_set_mla(hf, shape);
        shape->gated_output = kvb_hf_is(hf, HF_MLA_GATE);
        return;
    }
    set_kda(hf, shape, HF_K_HEADS, HF_K_HEAD_DIM, HF_K_CONV);
    shape->gated_output = kvb_hf_is(hf, HF_K_FULL_RANK);
}

void kvb_hf_mlp_kimi(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_mlp_moe(hf, layer, kind);
    if (kind->mlp.kind == KVB_MLP_MOE) {
        kind->mlp.latent_size = kvb_hf_get(hf, HF_LATENT_SIZE, 0);
        kind->extra_elements += kvb_hf_is(hf, HF_LATENT_NORM) ? kind->mlp.latent_size : 0;
    }
}

// Falcon-H1: attention and Mamba 2 side by side behind one norm; the pair stands as two layers here.
void kvb_hf_attention_falcon_h1(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    if (layer % 2 == 0) {
        kvb_hf_attention_standard(hf, layer, kind);
        kind->norms = 0;
        return;
    }
    set_mamba2(hf, &kind->attention);
    kind->attention.no_state_norm = !kvb_hf_is(hf, HF_MAMBA_NORM);
    kind->norms = 2;
}

void kvb_hf_mlp_falcon_h1(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    if (layer % 2) {
        kvb_hf_mlp_standard(hf, layer, kind);
    }
}

// Ling 2.5: lightning attention whose queries and keys are normed by head, latent attention at the end of each group.
// Source: bailing_moe_linear.py v0.27.1.
void kvb_hf_attention_bailing(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    if (hf->layer_types[layer] == HF_LAYER_FULL) {
        kvb_hf_set_mla(hf, &kind->attention);
        return;
    }
    set_lightning(hf, &kind->attention);
    kind->extra_elements = kvb_hf_is(hf, HF_QK_NORM) ? 2 * kind->attention.head_size : 0;
}

// Ling 3: Kimi's delta attention with whole matrices for decay and gate, latent attention gated by head or by element
// at the end of each group and behind the last whole one. Source: bailing_moe_v3.py v0.28.0.
void kvb_hf_attention_bailing3(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    uint32_t group = kvb_hf_get(hf, HF_FULL_INTERVAL, 1), layers = hf->model->layer_count;
    if (hf->layer_types[layer] == HF_LAYER_FULL || layer >= layers / group * group) {
        kvb_hf_set_mla(hf, shape);
        shape->gated_output = kvb_hf_word_is(hf, HF_GATE_GRAIN, "element_wise");
        kind->extra_elements = kvb_hf_word_is(hf, HF_GATE_GRAIN, "head_wise")
                                   ? (uint32_t)kvb_min(kvb_mul(shape->heads, hf->model->hidden_size), UINT32_MAX / 2)
                                   : 0;
        return;
    }
    set_kda(hf, shape, HF_HEADS, HF_HEAD_DIM, HF_SHORT_CONV);
    shape->gated_output = true;
    shape->full_rank_decay = true;
    if (!hf->failed && !kvb_hf_is(hf, HF_NO_KDA_LORA)) {
        kvb_hf_fail(hf, KVB_UNKNOWN_KIND, hf->values[HF_NO_KDA_LORA].node, "%s is read with no_kda_lora true only",
                    hf->architecture->name);
    }
}
