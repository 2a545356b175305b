// Targets of a compressed-tensors group: names of modules, expressions for them, classes. Of two groups that name a
// module the first counts. Source: quantization/compressed_tensors/utils.py v0.27.1 find_matched_target.
#include "model/config/hf_targets.h"

#include <string.h>

static const struct kvb_node *first_target(const struct kvb_node *group)
{
    const struct kvb_node *targets = kvb_node_get(group, "targets");
    return targets && targets->kind == KVB_NODE_SEQUENCE ? targets->first : NULL;
}

static bool is_head(const struct kvb_node *target)
{
    return target->kind == KVB_NODE_SCALAR && strstr(target->text, "lm_head") != NULL;
}

static void mark(uint8_t layers[KVB_LAYERS_MAX / 8], uint32_t layer)
{
    if (layer < KVB_LAYERS_MAX) {
        layers[layer / 8] |= (uint8_t)(1U << layer % 8);
    }
}

// "layers.7." and "layers\\.(56|57)\\.": marks each number; false when there is none, or something else stands there.
static bool mark_layers(const char *text, uint8_t layers[KVB_LAYERS_MAX / 8])
{
    const char *at = strstr(text, "layers");
    if (!at) {
        return false;
    }
    at += strlen("layers");
    at += strspn(at, "\\.");
    bool listed = *at == '(';
    at += listed;
    while (*at >= '0' && *at <= '9') {
        uint32_t layer = 0;
        for (; *at >= '0' && *at <= '9'; at++) {
            layer = layer < KVB_LAYERS_MAX ? layer * 10 + (uint32_t)(*at - '0') : layer;
        }
        mark(layers, layer);
        if (!listed || *at == ')') {
            return *at != '\0';
        }
        at += *at == '|';
    }
    return false;
}

static bool belongs_to_attention(const struct kvb_node *target)
{
    uint8_t layers[KVB_LAYERS_MAX / 8] = {0};
    if (target->kind != KVB_NODE_SCALAR) {
        return false;
    }
    switch ((int)kvb_hf_module_role(target->text)) {
    case KVB_ROLE_ATTENTION:
    case KVB_ROLE_SHARED_EXPERT:
        return true;
    case KVB_ROLE_MLP:
        return mark_layers(target->text, layers);
    default:
        return is_head(target);
    }
}

bool kvb_hf_is_attention_group(const struct kvb_node *group)
{
    bool attention = false;
    for (const struct kvb_node *target = first_target(group); target; target = target->next) {
        if (!belongs_to_attention(target)) {
            return false;
        }
        attention |= kvb_hf_module_role(target->text) == KVB_ROLE_ATTENTION;
    }
    return attention;
}

void kvb_hf_read_attention_group(const struct kvb_node *group, struct kvb_quantisation *quantisation)
{
    bool first = quantisation->method == KVB_QUANT_NONE;
    for (const struct kvb_node *target = first_target(group); target; target = target->next) {
        enum kvb_role role = kvb_hf_module_role(target->text);
        bool exact = strncmp(target->text, "re:", 3) != 0;
        if (is_head(target)) {
            quantisation->head_quantised = true;
            quantisation->roles_as_attention |= UINT32_C(1) << KVB_ROLE_HEAD;
        } else if (role == KVB_ROLE_MLP && (first || exact)) {
            (void)mark_layers(target->text, quantisation->mlps_as_attention);
        } else if (role == KVB_ROLE_SHARED_EXPERT) {
            quantisation->roles_as_attention |= UINT32_C(1) << role;
        }
    }
}

bool kvb_hf_targets_head(const struct kvb_node *group)
{
    for (const struct kvb_node *target = first_target(group); target; target = target->next) {
        if (is_head(target)) {
            return true;
        }
    }
    return false;
}
