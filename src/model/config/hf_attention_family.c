// Families whose window layers have other heads than their full layers, and DeepSeek V4.
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "model/config/hf.h"

static bool is_full(const struct hf *hf, uint32_t layer)
{
    return hf->layer_types[layer] == HF_LAYER_FULL;
}

static uint32_t first_shared_layer(const struct hf *hf)
{
    uint32_t shared = kvb_hf_get(hf, HF_KV_SHARED, 0);
    uint32_t layers = hf->model->layer_count;
    return shared && shared < layers ? layers - shared : layers;
}

// Gemma 4: full layers have wider heads, may use keys as values, and the last layers share caches.
void kvb_hf_attention_gemma4(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_attention_standard(hf, layer, kind);
    if (is_full(hf, layer)) {
        shape->head_size = kvb_hf_get(hf, HF_GLOBAL_HEAD_DIM, shape->head_size);
        shape->value_head_size = shape->head_size;
        shape->key_is_value = kvb_hf_is(hf, HF_K_EQ_V);
        if (shape->key_is_value) {
            shape->kv_heads = kvb_hf_get(hf, HF_GLOBAL_KV_HEADS, shape->kv_heads);
        }
    }
    shape->shares_kv = layer >= first_shared_layer(hf);
    uint32_t input = kvb_hf_get(hf, HF_PER_LAYER_INPUT, 0);
    uint32_t hidden = hf->model->hidden_size;
    kind->extra_elements = 1; // the layer's scalar
    if (input) {              // per-layer embedding: gate, projection, norm
        kind->extra_elements += (uint32_t)kvb_min(kvb_add(kvb_mul(kvb_mul(input, hidden), 2), hidden), UINT32_MAX / 2);
    }
}

void kvb_hf_mlp_gemma4(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_mlp_shape *shape = &kind->mlp;
    uint32_t hidden = hf->model->hidden_size;
    kvb_hf_mlp_standard(hf, layer, kind);
    if (kvb_hf_is(hf, HF_DOUBLE_WIDE) && layer >= first_shared_layer(hf)) {
        shape->intermediate_size *= 2;
    }
    if (!kvb_hf_is(hf, HF_MOE_ENABLED)) {
        return;
    }
    uint32_t dense = shape->intermediate_size;
    kvb_hf_need(hf, HF_MOE_INTERMEDIATE);
    kvb_hf_set_moe(hf, shape);
    shape->intermediate_size = dense;
    kind->norms = 7;
    kind->extra_elements += hidden + shape->experts; // router scale, one scale per expert
}

// Gemma 4's second embedding, with one slice per layer.
void kvb_hf_finish_gemma4(struct hf *hf)
{
    uint64_t input = kvb_hf_get(hf, HF_PER_LAYER_INPUT, 0);
    uint64_t width = kvb_mul(input, hf->model->layer_count);
    uint64_t rows = kvb_hf_get(hf, HF_PER_LAYER_VOCAB, hf->model->vocabulary_size);
    kvb_hf_extra(hf, "embed_tokens_per_layer", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, rows, width, 1);
    kvb_hf_extra(hf, "per_layer_model_projection", KVB_ROLE_OTHER, KVB_SPLIT_ROWS, width, hf->model->hidden_size, 1);
    kvb_hf_extra(hf, "per_layer_projection_norm", KVB_ROLE_NORM, KVB_SPLIT_COPY, input, 1, 1);
}

// MiMo V2: window layers have their own heads, values are narrower than keys, sinks on some.
void kvb_hf_attention_mimo_v2(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_attention_standard(hf, layer, kind);
    shape->value_head_size = kvb_hf_get(hf, HF_V_DIM, shape->head_size);
    shape->sinks = kvb_hf_is(hf, HF_FULL_SINKS);
    if (!is_full(hf, layer)) {
        shape->heads = kvb_hf_get(hf, HF_SWA_HEADS, shape->heads);
        shape->kv_heads = kvb_hf_get(hf, HF_SWA_KV_HEADS, shape->kv_heads);
        shape->head_size = kvb_hf_get(hf, HF_SWA_HEAD_DIM, shape->head_size);
        shape->value_head_size = kvb_hf_get(hf, HF_SWA_V_DIM, shape->value_head_size);
        shape->sinks = kvb_hf_is(hf, HF_SWA_SINKS);
    }
}

// Step 3.5 and 3.7: window layers have more query heads, and a small gate scales each head's output: step3p5.py
// v0.27.1.
void kvb_hf_attention_step(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    const struct kvb_node *other = hf->values[HF_OTHER_ATTENTION].node;
    const struct kvb_node *heads = other ? kvb_node_get(other, "num_attention_heads") : NULL;
    uint64_t stated = 0;
    kvb_hf_attention_standard(hf, layer, kind);
    if (!is_full(hf, layer)) {
        bool counted = heads && heads->kind == KVB_NODE_SCALAR && kvb_parse_count(heads->text, &stated);
        shape->heads =
            counted && stated > 0 && stated < 65536 ? (uint32_t)stated : kvb_hf_get(hf, HF_SWA_HEADS, shape->heads);
    }
    if (shape->kv_heads == 0 || shape->heads % shape->kv_heads != 0) {
        kvb_hf_fail(hf, KVB_INDIVISIBLE, heads ? heads : kvb_hf_node_of(hf, HF_SWA_HEADS, HF_HEADS),
                    "%u attention heads cannot share %u key-value heads evenly", shape->heads, shape->kv_heads);
        return;
    }
    if (kvb_hf_is(hf, HF_HEAD_GATE)) {
        kind->extra_elements = (uint32_t)kvb_min(kvb_mul(shape->heads, hf->model->hidden_size), UINT32_MAX / 2);
    }
}

// Laguna: the number of heads is listed per layer; a small gate scales each head's output.
void kvb_hf_attention_laguna(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_attention_standard(hf, layer, kind);
    if (kvb_hf_list_length(hf, HF_HEADS_PER_LAYER) > 0 && kvb_hf_list_covers_layers(hf, HF_HEADS_PER_LAYER)) {
        shape->heads = kvb_hf_list_get(hf, HF_HEADS_PER_LAYER, layer, shape->heads);
    }
    if (shape->heads == 0 || shape->kv_heads == 0 || shape->heads % shape->kv_heads != 0) {
        kvb_hf_fail(hf, KVB_INDIVISIBLE, kvb_hf_node_of(hf, HF_HEADS_PER_LAYER, HF_HEADS),
                    "%u attention heads cannot share %u key-value heads evenly", shape->heads, shape->kv_heads);
        return;
    }
    if (kvb_hf_word_is(hf, HF_GATING, "true") || kvb_hf_word_is(hf, HF_GATING, "per-head")) {
        kind->extra_elements = (uint32_t)kvb_min(kvb_mul(shape->heads, hf->model->hidden_size), UINT32_MAX / 2);
    } else if (kvb_hf_word_is(hf, HF_GATING, "per-element")) {
        shape->gated_output = true;
    }
}

// MiniMax-M3: some layers choose blocks with a small index beside ordinary keys and values.
void kvb_hf_attention_minimax_m3(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_attention_standard(hf, layer, kind);
    if (kvb_hf_list_get(hf, HF_S_FREQ, layer, 0) != 0) {
        shape->index_heads = kvb_hf_need(hf, HF_S_HEADS);
        shape->index_head_size = kvb_hf_need(hf, HF_S_DIM);
        shape->has_indexer = true;
    }
}

// Mllama: the listed layers look only at the picture.
void kvb_hf_attention_mllama(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_attention_standard(hf, layer, kind);
    if (kvb_hf_list_holds(hf, HF_CROSS_LAYERS, layer)) {
        kind->attention.kind = KVB_ATTENTION_CROSS;
        kind->attention.qk_norm = KVB_QK_NORM_PER_HEAD;
        kind->extra_elements = 2; // the gates of attention and MLP
    }
}

static uint32_t ratio_of(struct hf *hf, uint32_t layer)
{
    uint32_t ratio = kvb_hf_list_get(hf, HF_COMPRESS, layer, 0);
    if (ratio > 1 && ratio != 4 && ratio != 128) {
        kvb_hf_fail(hf, KVB_UNKNOWN_KIND, hf->values[HF_COMPRESS].node,
                    "compress_ratios: %u is not one of 0, 1, 4, 128", ratio);
    }
    return ratio > 1 ? ratio : 1;
}

// DeepSeek V4: one narrow window cache on every layer, compressed caches by ratio, an index at ratio 4.
void kvb_hf_attention_dsv4(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    uint64_t streams = kvb_hf_get(hf, HF_HYPER, 4);
    uint64_t mixes = kvb_mul(kvb_add(streams, 2), streams);
    shape->kind = KVB_ATTENTION_DSV4;
    shape->heads = kvb_hf_need(hf, HF_HEADS);
    shape->kv_heads = 1;
    shape->head_size = kvb_hf_need(hf, HF_HEAD_DIM);
    shape->value_head_size = shape->head_size;
    shape->rope_size = kvb_hf_need(hf, HF_ROPE_DIM);
    shape->query_rank = kvb_hf_need(hf, HF_Q_LORA);
    shape->window_tokens = kvb_hf_need(hf, HF_WINDOW);
    shape->output_groups = kvb_hf_need(hf, HF_O_GROUPS);
    shape->output_rank = kvb_hf_need(hf, HF_O_LORA);
    shape->compress_ratio = layer < kvb_hf_list_length(hf, HF_COMPRESS) ? ratio_of(hf, layer) : 1;
    shape->residual_streams = (uint32_t)streams;
    shape->sinks = true;
    if (shape->compress_ratio == 4) {
        shape->index_heads = kvb_hf_need(hf, HF_INDEX_HEADS);
        shape->index_head_size = kvb_hf_need(hf, HF_INDEX_DIM);
        shape->index_topk = kvb_hf_need(hf, HF_INDEX_TOPK);
        shape->has_indexer = true;
    }
    // Hyper-connections: two mixing matrices over the streams, their bases and scales.
    uint64_t mixing = kvb_mul(mixes, kvb_mul(streams, hf->model->hidden_size));
    kind->extra_elements = (uint32_t)kvb_min(kvb_mul(kvb_add(kvb_add(mixing, mixes), 3), 2), UINT32_MAX / 2);
}

// The first layers choose experts by a table over the vocabulary instead of a bias.
void kvb_hf_mlp_dsv4(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_set_moe(hf, &kind->mlp);
    kind->mlp.router_correction_bias = layer >= kvb_hf_get(hf, HF_HASH_LAYERS, 0);
    if (!kind->mlp.router_correction_bias) {
        uint64_t table = kvb_mul(hf->model->vocabulary_size, kind->mlp.experts_per_token);
        kind->extra_elements = (uint32_t)kvb_min(kvb_add(kind->extra_elements, table), UINT32_MAX / 2);
    }
}

void kvb_hf_finish_dsv4(struct hf *hf)
{
    uint64_t streams = kvb_hf_get(hf, HF_HYPER, 4);
    kvb_hf_extra(hf, "hc_head", KVB_ROLE_OTHER, KVB_SPLIT_COPY, streams, kvb_mul(streams, hf->model->hidden_size), 1);
    kvb_hf_extra(hf, "hc_head_base", KVB_ROLE_OTHER, KVB_SPLIT_COPY, streams + 1, 1, 1);
}
