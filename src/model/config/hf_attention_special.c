// Attention that differs from layer to layer within a family.
#include <string.h>

#include "base/checked.h"
#include "model/config/hf.h"

static const struct kvb_node *block_of(struct hf *hf, uint32_t layer, const char *part)
{
    const struct kvb_hf_value *value = &hf->values[HF_BLOCK_CONFIGS];
    if (!value->set || value->node->kind != KVB_NODE_SEQUENCE || value->node->count < hf->model->layer_count) {
        kvb_hf_fail(hf, KVB_MISSING_KEY, value->set ? value->node : hf->text,
                    "block_configs: expected a list with one block for each of the %u layers", hf->model->layer_count);
        return NULL;
    }
    const struct kvb_node *block = value->node->first;
    for (uint32_t i = 0; i < layer; i++) {
        block = block->next;
    }
    const struct kvb_node *found = block->kind == KVB_NODE_MAPPING ? kvb_node_get(block, part) : NULL;
    if (!found || found->kind != KVB_NODE_MAPPING) {
        kvb_hf_fail(hf, KVB_MISSING_KEY, block, "block_configs: this block has no '%s'", part);
        return NULL;
    }
    return found;
}

static bool is_true(const struct kvb_node *mapping, const char *key)
{
    const struct kvb_node *node = kvb_node_get(mapping, key);
    return node && node->kind == KVB_NODE_SCALAR && strcmp(node->text, "true") == 0;
}

static uint64_t ratio_of(struct hf *hf, const struct kvb_node *mapping, const char *key)
{
    const struct kvb_node *node = kvb_node_get(mapping, key);
    uint64_t millionths = 0;
    if (!node || node->kind != KVB_NODE_SCALAR || !kvb_hf_parse_ratio(node->text, &millionths) || millionths == 0 ||
        millionths > UINT64_C(1000000000)) {
        kvb_hf_fail(hf, KVB_BAD_TYPE, node ? node : mapping, "block_configs: expected a number above 0 for %s", key);
        return 1000000;
    }
    return millionths;
}

static bool refuses_linear(struct hf *hf, const struct kvb_node *part)
{
    if (is_true(part, "replace_with_linear")) {
        kvb_hf_fail(hf, KVB_UNKNOWN_KIND, part, "block_configs: replace_with_linear is not covered");
        return true;
    }
    return false;
}

// DeciLM: each block says how many heads share one key, or that there is no attention at all.
void kvb_hf_attention_deci(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    const struct kvb_node *part = block_of(hf, layer, "attention");
    if (!part || refuses_linear(hf, part)) {
        return;
    }
    if (is_true(part, "no_op")) {
        kind->norms--;
        return;
    }
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_set_heads(hf, shape);
    uint64_t group = ratio_of(hf, part, "n_heads_in_group") / 1000000;
    if (group == 0 || shape->heads % group != 0) {
        kvb_hf_fail(hf, KVB_INDIVISIBLE, part, "block_configs: %u heads do not split into groups of %u", shape->heads,
                    (unsigned)group);
        return;
    }
    shape->kv_heads = shape->heads / (uint32_t)group;
    kvb_hf_set_window(hf, layer, shape);
}

// The width is ffn_mult x 2/3 x hidden, cut to a whole number, then rounded up to 256.
void kvb_hf_mlp_deci(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    const struct kvb_node *part = hf->failed ? NULL : block_of(hf, layer, "ffn");
    if (!part || refuses_linear(hf, part)) {
        return;
    }
    if (is_true(part, "no_op")) {
        kind->norms--;
        return;
    }
    uint64_t millionths = kvb_mul(ratio_of(hf, part, "ffn_mult"), kvb_mul(2, hf->model->hidden_size));
    kind->mlp.kind = KVB_MLP_GATED;
    kind->mlp.intermediate_size = (uint32_t)kvb_min(kvb_round_up(millionths / 3000000, 256), UINT32_MAX);
}

// ModernBERT: the embedding is normed already, so that the first layer has no norm before its attention.
void kvb_hf_attention_modernbert(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_attention_standard(hf, layer, kind);
    kind->norms = layer == 0 ? 1 : 2;
}
