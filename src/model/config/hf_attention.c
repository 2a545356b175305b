// Ordinary attention, as most classes have it: heads, biases, norms of q and k, windows.
#include "base/checked.h"
#include "model/config/hf.h"

void kvb_hf_set_heads(struct hf *hf, struct kvb_attention_shape *shape)
{
    uint32_t hidden = hf->model->hidden_size;
    shape->heads = kvb_hf_need(hf, HF_HEADS);
    if (shape->heads == 0) {
        return;
    }
    shape->kv_heads = kvb_hf_is(hf, HF_MULTI_QUERY) ? 1 : shape->heads;
    shape->kv_heads = kvb_hf_get(hf, HF_KV_HEADS, kvb_hf_get(hf, HF_N_KV_HEADS, shape->kv_heads));
    shape->head_size = kvb_hf_get(hf, HF_HEAD_DIM, 0);
    if (shape->head_size == 0) {
        shape->head_size = hidden / shape->heads;
        if (hidden % shape->heads != 0) {
            kvb_hf_fail(hf, KVB_INDIVISIBLE, hf->values[HF_HEADS].node,
                        "hidden_size %u is not a multiple of %u attention heads and no head_dim is given", hidden,
                        shape->heads);
        }
    }
    if (shape->kv_heads > shape->heads || shape->heads % shape->kv_heads != 0) {
        kvb_hf_fail(hf, KVB_INDIVISIBLE, kvb_hf_node_of(hf, HF_KV_HEADS, HF_HEADS),
                    "%u attention heads cannot share %u key-value heads evenly", shape->heads, shape->kv_heads);
    }
    shape->value_head_size = shape->head_size;
}

static bool bias_of(const struct hf *hf)
{
    return kvb_hf_has(hf, HF_BIAS) ? kvb_hf_is(hf, HF_BIAS) : kvb_hf_trait(hf, HF_BIAS_BY_DEFAULT);
}

static void set_biases(struct hf *hf, struct kvb_attention_shape *shape)
{
    bool attention =
        kvb_hf_has(hf, HF_ATTENTION_BIAS) ? kvb_hf_is(hf, HF_ATTENTION_BIAS) : kvb_hf_trait(hf, HF_BIAS_BY_DEFAULT);
    bool everywhere = (kvb_hf_trait(hf, HF_BIAS_EVERYWHERE) || kvb_hf_trait(hf, HF_BIAS_ATTENTION)) && bias_of(hf) &&
                      !kvb_hf_is(hf, HF_NO_BIAS);
    shape->query_key_value_bias = attention || everywhere || kvb_hf_trait(hf, HF_HAS_QKV_BIAS);
    shape->output_bias = kvb_hf_trait(hf, HF_HAS_OUTPUT_BIAS) || everywhere ||
                         (attention && !kvb_hf_trait(hf, HF_CONFIG_QKV_BIAS) && !kvb_hf_trait(hf, HF_HAS_QKV_BIAS));
    if (kvb_hf_has(hf, HF_QKV_BIAS)) {
        shape->query_key_value_bias = kvb_hf_is(hf, HF_QKV_BIAS);
    }
    if (kvb_hf_has(hf, HF_OUTPUT_BIAS)) {
        shape->output_bias = kvb_hf_is(hf, HF_OUTPUT_BIAS);
    }
}

static void set_qk_norm(struct hf *hf, struct kvb_attention_shape *shape)
{
    bool wanted = kvb_hf_has(hf, HF_QK_NORM) ? kvb_hf_is(hf, HF_QK_NORM) : true;
    if (kvb_hf_trait(hf, HF_HEAD_NORM) && wanted) {
        shape->qk_norm = KVB_QK_NORM_PER_HEAD;
    } else if (kvb_hf_trait(hf, HF_WHOLE_NORM) && wanted) {
        shape->qk_norm = KVB_QK_NORM_WHOLE;
    }
}

void kvb_hf_set_window(struct hf *hf, uint32_t layer, struct kvb_attention_shape *shape)
{
    switch ((enum kvb_hf_layer_type)hf->layer_types[layer]) {
    case HF_LAYER_SLIDING:
        shape->kind = KVB_ATTENTION_SLIDING;
        shape->window_tokens = kvb_hf_need(hf, HF_WINDOW);
        break;
    case HF_LAYER_CHUNKED:
        shape->kind = KVB_ATTENTION_CHUNKED;
        shape->window_tokens = kvb_hf_need(hf, HF_CHUNK);
        break;
    case HF_LAYER_FULL:
        shape->kind = KVB_ATTENTION_FULL;
        break;
    default:
        kvb_hf_fail(hf, KVB_CONTRADICTION, hf->values[HF_LAYER_TYPES].node,
                    "%s has only attention layers, but layer %u is of another type", hf->architecture->name, layer);
        break;
    }
    if (shape->kind != KVB_ATTENTION_FULL && shape->window_tokens == 0 && !hf->failed) {
        kvb_hf_fail(hf, KVB_OUT_OF_RANGE, hf->values[HF_WINDOW].node,
                    "a sliding layer needs a window of at least 1 token");
    }
}

void kvb_hf_attention_standard(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_set_heads(hf, shape);
    set_biases(hf, shape);
    set_qk_norm(hf, shape);
    shape->gated_output =
        kvb_hf_trait(hf, HF_GATES_QUERY) && (!kvb_hf_has(hf, HF_OUTPUT_GATE) || kvb_hf_is(hf, HF_OUTPUT_GATE));
    shape->sinks = kvb_hf_trait(hf, HF_SINKS);
    kvb_hf_set_window(hf, layer, shape);
    if (kvb_hf_trait(hf, HF_ENCODES)) {
        shape->kind = KVB_ATTENTION_ENCODER;
        shape->window_tokens = 0;
    }
}

// EmbeddingGemma attends in both directions where its config says so, and then keeps nothing: models/config.py v0.27.1
// Gemma3TextModelConfig.
void kvb_hf_attention_gemma3_text(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_attention_standard(hf, layer, kind);
    if (kvb_hf_word_is(hf, HF_BIDIRECTIONAL, "true")) {
        kind->attention.kind = KVB_ATTENTION_ENCODER;
        kind->attention.window_tokens = 0;
    }
}

// Falcon: one norm in front of parallel attention and MLP, or one for each.
void kvb_hf_attention_falcon(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_set_heads(hf, shape);
    if (!kvb_hf_is(hf, HF_NEW_DECODER)) {
        bool one = kvb_hf_has(hf, HF_MULTI_QUERY) ? kvb_hf_is(hf, HF_MULTI_QUERY) : true;
        shape->kv_heads = one ? 1 : shape->heads;
    }
    set_biases(hf, shape);
    kvb_hf_set_window(hf, layer, shape);
    bool parallel = kvb_hf_has(hf, HF_PARALLEL_ATTENTION) ? kvb_hf_is(hf, HF_PARALLEL_ATTENTION) : true;
    uint32_t in_parallel = kvb_hf_get(hf, HF_PARALLEL_NORMS, kvb_hf_is(hf, HF_NEW_DECODER) ? 2 : 1);
    kind->norms = (uint8_t)(parallel || kvb_hf_is(hf, HF_NEW_DECODER) ? kvb_min(in_parallel, 2) : 2);
}

// Latent attention of DeepSeek V2 and V3, with the sparse index of V3.2 and GLM-5.
void kvb_hf_set_mla(struct hf *hf, struct kvb_attention_shape *shape)
{
    shape->kind = KVB_ATTENTION_MLA;
    shape->heads = kvb_hf_need(hf, HF_HEADS);
    shape->kv_heads = 1;
    shape->query_rank = kvb_hf_get(hf, HF_Q_LORA, 0);
    shape->latent_rank = kvb_hf_need(hf, HF_KV_LORA);
    shape->nope_size = kvb_hf_need(hf, HF_NOPE_DIM);
    shape->rope_size = kvb_hf_need(hf, HF_ROPE_DIM);
    shape->value_head_size = kvb_hf_has(hf, HF_V_DIM) || shape->heads == 0 ? kvb_hf_get(hf, HF_V_DIM, 0)
                                                                           : hf->model->hidden_size / shape->heads;
    shape->head_size = shape->latent_rank + shape->rope_size;
}

// Releases before 0.24 give every layer an indexer whatever the sharing pattern says.
static bool owns_indexer(const struct hf *hf, uint32_t layer)
{
    const char *pattern = kvb_hf_word(hf, HF_INDEX_PATTERN);
    uint32_t frequency = kvb_hf_get(hf, HF_INDEX_FREQ, 1);
    uint32_t offset = kvb_hf_get(hf, HF_INDEX_OFFSET, 2);
    for (uint32_t i = 0; i < layer && *pattern; i++) {
        pattern++;
    }
    if (*pattern) {
        return *pattern != 'S';
    }
    uint32_t position = layer + 1 > offset ? layer + 1 - offset : 0;
    return position % frequency == 0;
}

void kvb_hf_attention_mla(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_set_mla(hf, shape);
    shape->index_heads = kvb_hf_get(hf, HF_INDEX_HEADS, 0);
    if (shape->index_heads) {
        shape->index_head_size = kvb_hf_need(hf, HF_INDEX_DIM);
        shape->index_topk = kvb_hf_need(hf, HF_INDEX_TOPK);
        shape->has_indexer = owns_indexer(hf, layer);
    }
}

// DeepSeek-VL2 and DeepSeek-OCR: latent where a size of it is stated, ordinary where both are 0 (deepseek_v2.py
// v0.27.1 DeepseekV2DecoderLayer).
void kvb_hf_attention_deepseek_vl(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    bool ordinary = kvb_hf_get(hf, HF_NOPE_DIM, 0) == 0 && kvb_hf_get(hf, HF_ROPE_DIM, 0) == 0;
    if (ordinary) {
        kvb_hf_attention_standard(hf, layer, kind);
    } else {
        kvb_hf_attention_mla(hf, layer, kind);
    }
}

// MiniCPM3 in vLLM: latent projections in the weights, ordinary keys and values in the cache.
void kvb_hf_attention_minicpm3(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    (void)layer;
    kvb_hf_set_mla(hf, shape);
    shape->kind = KVB_ATTENTION_FULL;
    shape->kv_heads = shape->heads;
    shape->head_size = shape->nope_size + shape->rope_size;
    shape->value_head_size = shape->head_size;
}
