// compressed-tensors groups and ModelOpt algorithms, one or several in a checkpoint.
#include "model/config/hf_scheme.h"

#include <string.h>

#include "base/text.h"
#include "model/config/hf_targets.h"

struct fixed_scheme {
    enum kvb_quantisation_method method;
    uint32_t bits, group_size;
    enum kvb_scale_shape scale;
};
static const struct fixed_scheme fixed_schemes[] = {{KVB_QUANT_FP8, 8, 0, KVB_SCALE_TENSOR},
                                                    {KVB_QUANT_INT8, 8, 0, KVB_SCALE_CHANNEL},
                                                    {KVB_QUANT_NVFP4, 4, 16, KVB_SCALE_GROUP},
                                                    {KVB_QUANT_MXFP4, 4, 32, KVB_SCALE_GROUP},
                                                    {KVB_QUANT_WNA16, 4, 128, KVB_SCALE_GROUP}};

void kvb_hf_scheme_apply(struct kvb_quantisation *quantisation, enum kvb_quantisation_method method)
{
    quantisation->method = method;
    for (size_t i = 0; i < sizeof fixed_schemes / sizeof fixed_schemes[0]; i++) {
        if (fixed_schemes[i].method == method) {
            quantisation->bits = fixed_schemes[i].bits;
            quantisation->group_size = fixed_schemes[i].group_size;
            quantisation->scale = fixed_schemes[i].scale;
        }
    }
}

static const char *text_of(const struct kvb_node *mapping, const char *key)
{
    const struct kvb_node *node = mapping && mapping->kind == KVB_NODE_MAPPING ? kvb_node_get(mapping, key) : NULL;
    return node && node->kind == KVB_NODE_SCALAR && !kvb_node_is_null(node) ? node->text : "";
}

static uint32_t small_number(const char *text)
{
    uint32_t number = 0;
    for (; *text >= '0' && *text <= '9' && number < 1000000; text++) {
        number = number * 10 + (uint32_t)(*text - '0');
    }
    return number;
}

static void read_strategy(const struct kvb_node *weights, struct kvb_quantisation *quantisation)
{
    const char *strategy = text_of(weights, "strategy");
    const struct kvb_node *block = kvb_node_get(weights, "block_structure");
    if (strcmp(strategy, "channel") == 0) {
        quantisation->scale = KVB_SCALE_CHANNEL;
    } else if (strcmp(strategy, "group") == 0) {
        quantisation->scale = KVB_SCALE_GROUP;
        quantisation->group_size = small_number(text_of(weights, "group_size"));
    } else if (strcmp(strategy, "block") == 0 && block && block->count == 2 && block->first->kind == KVB_NODE_SCALAR &&
               block->first->next->kind == KVB_NODE_SCALAR) {
        quantisation->scale = KVB_SCALE_BLOCK;
        quantisation->block_rows = small_number(block->first->text);
        quantisation->block_columns = small_number(block->first->next->text);
    }
}

// The method of one group of compressed-tensors or ModelOpt's like-shaped groups.
static enum kvb_quantisation_method group_method(const struct kvb_node *group)
{
    const struct kvb_node *weights = kvb_node_get(group, "weights");
    const struct kvb_node *inputs = kvb_node_get(group, "input_activations");
    uint32_t bits = small_number(text_of(weights, "num_bits"));
    bool floats = strcmp(text_of(weights, "type"), "float") == 0;
    bool weights_only = !inputs || kvb_node_is_null(inputs);
    if (floats && bits == 8) {
        return KVB_QUANT_FP8;
    }
    if (floats && bits == 4) {
        return small_number(text_of(weights, "group_size")) == 32 ? KVB_QUANT_MXFP4 : KVB_QUANT_NVFP4;
    }
    if (!floats && bits == 8 && !weights_only) {
        return KVB_QUANT_INT8;
    }
    return !floats && bits >= 2 && bits <= 8 ? KVB_QUANT_WNA16 : KVB_QUANT_NONE;
}

static void apply_group(const struct kvb_node *group, enum kvb_quantisation_method method,
                        struct kvb_quantisation *quantisation)
{
    const struct kvb_node *weights = kvb_node_get(group, "weights");
    kvb_hf_scheme_apply(quantisation, method);
    if (method == KVB_QUANT_FP8 || method == KVB_QUANT_INT8 || method == KVB_QUANT_WNA16) {
        quantisation->group_size = 0;
        read_strategy(weights, quantisation);
        quantisation->bits = small_number(text_of(weights, "num_bits"));
    }
    quantisation->symmetric = strcmp(text_of(weights, "symmetric"), "false") != 0;
    quantisation->act_order = strcmp(text_of(weights, "actorder"), "group") == 0;
    const struct kvb_node *activations = kvb_node_get(group, "input_activations");
    quantisation->static_activations = strcmp(text_of(activations, "dynamic"), "false") == 0;
    quantisation->weight_only = !activations || activations->kind != KVB_NODE_MAPPING;
}

static void read_group(const struct kvb_node *group, enum kvb_quantisation_method method, bool several,
                       struct kvb_quantisation *quantisation)
{
    if (several && kvb_hf_is_attention_group(group)) {
        quantisation->attention_method = method;
        kvb_hf_read_attention_group(group, quantisation);
        if (method == KVB_QUANT_FP8) {
            read_strategy(kvb_node_get(group, "weights"), quantisation);
        }
        return;
    }
    uint32_t rows = quantisation->block_rows, columns = quantisation->block_columns;
    apply_group(group, method, quantisation);
    quantisation->head_quantised |= kvb_hf_targets_head(group);
    quantisation->block_rows = quantisation->block_rows ? quantisation->block_rows : rows;
    quantisation->block_columns = quantisation->block_columns ? quantisation->block_columns : columns;
}

static void read_groups(struct hf *hf, struct kvb_quantisation *quantisation)
{
    const struct kvb_node *groups = hf->values[HF_Q_GROUPS].node;
    for (const struct kvb_node *group = groups->first; group; group = group->next) {
        if (group->kind != KVB_NODE_MAPPING || !kvb_node_get(group, "weights") ||
            kvb_node_get(group, "weights")->kind != KVB_NODE_MAPPING) {
            kvb_hf_fail(hf, KVB_BAD_TYPE, group, "config_groups: each group needs a mapping 'weights'");
            return;
        }
        enum kvb_quantisation_method method = group_method(group);
        if (method == KVB_QUANT_NONE) {
            kvb_hf_fail(hf, KVB_UNKNOWN_KIND, group, "config_groups: a scheme of %.10s %.10s bits is not known",
                        text_of(kvb_node_get(group, "weights"), "type"),
                        text_of(kvb_node_get(group, "weights"), "num_bits"));
            return;
        }
        read_group(group, method, groups->count > 1, quantisation);
    }
}

void kvb_hf_read_compressed_tensors(struct hf *hf, struct kvb_quantisation *quantisation)
{
    const struct kvb_hf_value *groups = &hf->values[HF_Q_GROUPS];
    if (!groups->set || groups->node->kind != KVB_NODE_MAPPING || !groups->node->first) {
        kvb_hf_fail(hf, KVB_MISSING_KEY, hf->values[HF_QUANTISATION].node,
                    "compressed-tensors needs config_groups with at least one group");
        return;
    }
    if (hf->values[HF_Q_KV].set && kvb_equal_ignoring_case(kvb_hf_word(hf, HF_Q_METHOD), "compressed-tensors")) {
        quantisation->cache = KVB_DECLARED_SCHEME;
    }
    read_groups(hf, quantisation);
}

struct algorithm {
    const char *word;
    enum kvb_quantisation_method method;
    enum kvb_scale_shape scale;
};
static const struct algorithm algorithms[] = {
    {"FP8", KVB_QUANT_FP8, KVB_SCALE_TENSOR},        {"FP8_PER_CHANNEL_PER_TOKEN", KVB_QUANT_FP8, KVB_SCALE_CHANNEL},
    {"FP8_PB_WO", KVB_QUANT_FP8, KVB_SCALE_BLOCK},   {"NVFP4", KVB_QUANT_NVFP4, KVB_SCALE_GROUP},
    {"NVFP4_AWQ", KVB_QUANT_NVFP4, KVB_SCALE_GROUP}, {"W4A16_NVFP4", KVB_QUANT_NVFP4, KVB_SCALE_GROUP},
    {"MXFP4", KVB_QUANT_MXFP4, KVB_SCALE_GROUP},
};

static const struct algorithm *find_algorithm(struct hf *hf, const char *word, const struct kvb_node *place)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
        if (kvb_equal_ignoring_case(algorithms[i].word, word)) {
            return &algorithms[i];
        }
    }
    kvb_hf_fail(hf, KVB_UNKNOWN_KIND, place,
                "quant_algo '%.40s' is not known; known are FP8, FP8_PER_CHANNEL_PER_TOKEN, FP8_PB_WO, NVFP4, MXFP4, "
                "MIXED_PRECISION",
                word);
    return NULL;
}

enum kvb_quantisation_method kvb_hf_algorithm_method(struct hf *hf, enum kvb_hf_key key)
{
    const struct algorithm *row = find_algorithm(hf, kvb_hf_word(hf, key), hf->values[key].node);
    return row ? row->method : KVB_QUANT_NONE;
}

static void apply_algorithm(const struct algorithm *row, struct kvb_quantisation *quantisation)
{
    kvb_hf_scheme_apply(quantisation, row->method);
    quantisation->scale = row->scale;
    quantisation->weight_only = strcmp(row->word, "W4A16_NVFP4") == 0;
    quantisation->smoothed = strcmp(row->word, "NVFP4_AWQ") == 0;
    if (row->scale == KVB_SCALE_BLOCK) {
        quantisation->block_rows = 128;
        quantisation->block_columns = 128;
    }
}

// MIXED_PRECISION lists every quantised module: the widest part sets the method, attention may differ.
static void read_mixed(struct hf *hf, struct kvb_quantisation *quantisation)
{
    static const enum kvb_role roles[] = {KVB_ROLE_EXPERTS, KVB_ROLE_MLP, KVB_ROLE_SHARED_EXPERT, KVB_ROLE_ATTENTION};
    const struct algorithm *of_role[KVB_ROLE_COUNT + 1] = {NULL};
    const struct kvb_node *layers = hf->values[HF_Q_LAYERS].node;
    if (!layers || layers->kind != KVB_NODE_MAPPING || !layers->first) {
        kvb_hf_fail(hf, KVB_MISSING_KEY, hf->values[HF_Q_ALGO].node,
                    "MIXED_PRECISION needs a mapping quantized_layers");
        return;
    }
    for (const struct kvb_node *layer = layers->first; layer; layer = layer->next) {
        const char *name = layer->key ? layer->key : "";
        enum kvb_role role = kvb_hf_module_role(name);
        quantisation->head_quantised |= strstr(name, "lm_head") != NULL; // modelopt.py v0.23.0:2387
        if (!of_role[role] && !(of_role[role] = find_algorithm(hf, text_of(layer, "quant_algo"), layer))) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const struct algorithm *row = of_role[roles[i]];
        if (!row) {
            quantisation->unquantised_roles |= UINT32_C(1) << roles[i];
        } else if (quantisation->method == KVB_QUANT_NONE) {
            apply_algorithm(row, quantisation);
        } else if (roles[i] == KVB_ROLE_ATTENTION && row->method != quantisation->method) {
            quantisation->attention_method = row->method;
        }
    }
}

// ModelOpt's word or mapping for the cache; kv_cache_scheme goes before kv_cache_quant_algo.
static enum kvb_declared_cache cache_format(const struct hf *hf)
{
    const struct kvb_hf_value *scheme = &hf->values[HF_Q_KV];
    const char *word = kvb_hf_has(hf, HF_Q_KV_ALGO) ? kvb_hf_word(hf, HF_Q_KV_ALGO) : "";
    if (scheme->set && scheme->node && scheme->node->kind == KVB_NODE_MAPPING) {
        bool floats = strcmp(text_of(scheme->node, "type"), "float") == 0;
        uint32_t bits = small_number(text_of(scheme->node, "num_bits"));
        bool fixed = strcmp(text_of(scheme->node, "dynamic"), "false") == 0;
        word = floats && bits == 8 && fixed ? "fp8" : floats && bits == 4 ? "nvfp4" : "";
    } else if (scheme->set && scheme->node && scheme->node->kind == KVB_NODE_SCALAR) {
        word = scheme->node->text;
    }
    return kvb_equal_ignoring_case(word, "fp8")     ? KVB_DECLARED_FP8
           : kvb_equal_ignoring_case(word, "nvfp4") ? KVB_DECLARED_NVFP4
                                                    : KVB_DECLARED_NONE;
}

// Without quant_method only ModelOpt's separate file says its method, by producer and algorithm.
// Source: vllm/transformers_utils/model_arch_config_convertor.py _normalize_quantization_config.
static void read_declared_cache(const struct hf *hf, struct kvb_quantisation *quantisation)
{
    static const char *const known[] = {"FP8", "FP8_PER_CHANNEL_PER_TOKEN", "FP8_PB_WO", "NVFP4"};
    const struct kvb_hf_value *producer = &hf->values[HF_Q_PRODUCER];
    if (kvb_hf_has(hf, HF_Q_METHOD)) {
        quantisation->cache = cache_format(hf);
        return;
    }
    if (!kvb_hf_has(hf, HF_Q_INNER) || !kvb_hf_has(hf, HF_Q_ALGO) || !producer->set || !producer->node ||
        strcmp(text_of(producer->node, "name"), "modelopt") != 0) {
        return;
    }
    quantisation->unknown_algorithm = true;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (kvb_equal_ignoring_case(kvb_hf_word(hf, HF_Q_ALGO), known[i])) {
            quantisation->unknown_algorithm = false;
            quantisation->cache = cache_format(hf);
        }
    }
}

void kvb_hf_read_modelopt(struct hf *hf, struct kvb_quantisation *quantisation)
{
    read_declared_cache(hf, quantisation);
    quantisation->static_activations = true;
    if (kvb_equal_ignoring_case(kvb_hf_word(hf, HF_Q_ALGO), "MIXED_PRECISION")) {
        read_mixed(hf, quantisation);
    } else if (kvb_hf_has(hf, HF_Q_ALGO)) {
        const struct algorithm *row = find_algorithm(hf, kvb_hf_word(hf, HF_Q_ALGO), hf->values[HF_Q_ALGO].node);
        if (row) {
            apply_algorithm(row, quantisation);
        }
    } else {
        kvb_hf_read_compressed_tensors(hf, quantisation);
    }
}
