// config.json text to kvb_model: finds the sections, the class, then runs the builders in order.
#include "model/config/hf_config.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/model_copy.h"
#include "base/room.h"
#include "base/text.h"

struct dtype_word {
    const char *word;
    enum kvb_dtype dtype;
};
static const struct dtype_word dtype_words[] = {
    {"bfloat16", KVB_DTYPE_BF16}, {"float16", KVB_DTYPE_FP16}, {"half", KVB_DTYPE_FP16},
    {"float32", KVB_DTYPE_FP32},  {"float", KVB_DTYPE_FP32},
};

static bool read_dtype(struct hf *hf, enum kvb_hf_key key, enum kvb_dtype *dtype)
{
    const char *word = kvb_hf_word(hf, key);
    word += kvb_starts_with(word, "torch.") ? 6 : 0;
    for (size_t i = 0; i < sizeof dtype_words / sizeof dtype_words[0]; i++) {
        if (strcmp(word, dtype_words[i].word) == 0) {
            *dtype = dtype_words[i].dtype;
            return true;
        }
    }
    kvb_hf_fail(hf, KVB_UNKNOWN_KIND, hf->values[key].node,
                "%s: '%.40s' is not a number format of weights; known are bfloat16, float16, float32",
                hf->values[key].node->key ? hf->values[key].node->key : "dtype", word);
    return false;
}

static void set_dtypes(struct hf *hf)
{
    struct kvb_model *model = hf->model;
    model->dtype = KVB_DTYPE_FP32; // what PyTorch assumes of a config that does not say
    if (kvb_hf_has(hf, HF_DTYPE) && !kvb_hf_word_is(hf, HF_DTYPE, "auto")) {
        (void)read_dtype(hf, HF_DTYPE, &model->dtype);
    }
    if (kvb_hf_has(hf, HF_SSM_DTYPE)) {
        model->state_dtype_known = read_dtype(hf, HF_SSM_DTYPE, &model->state_dtype);
    }
}

static void apply_defaults(struct hf *hf)
{
    const struct kvb_hf_default *row = hf->architecture->defaults;
    for (; row && row->key != HF_KEY_COUNT; row++) {
        struct kvb_hf_value *value = &hf->values[row->key];
        bool off = row->key == HF_WINDOW && value->is_null;
        if (!value->set && !off) {
            *value = (struct kvb_hf_value){.set = true, .number = row->number};
        }
    }
}

static uint32_t layer_count(struct hf *hf)
{
    if (hf->architecture->attention == kvb_hf_attention_falcon_h1) {
        return 2 * (uint32_t)kvb_min(kvb_hf_need(hf, HF_LAYERS), KVB_LAYERS_MAX / 2);
    }
    if (hf->architecture->attention == kvb_hf_attention_whisper) {
        return 2 * kvb_hf_need(hf, HF_DECODER_LAYERS); // self and cross attention each count
    }
    if (!kvb_hf_has(hf, HF_LAYERS) && kvb_hf_list_length(hf, HF_BLOCK_TYPES) > 0) {
        return (uint32_t)kvb_min(kvb_hf_list_length(hf, HF_BLOCK_TYPES), KVB_LAYERS_MAX);
    }
    return kvb_hf_need(hf, HF_LAYERS);
}

static void set_outer(struct hf *hf)
{
    struct kvb_model *model = hf->model;
    model->hidden_size = kvb_hf_need(hf, HF_HIDDEN);
    model->layer_count = layer_count(hf);
    model->vocabulary_size = kvb_hf_need(hf, HF_VOCAB);
    model->tied_embeddings = kvb_hf_has(hf, HF_TIED) ? kvb_hf_is(hf, HF_TIED) : kvb_hf_trait(hf, HF_TIES);
    model->head_bias = kvb_hf_is(hf, HF_HEAD_BIAS) || kvb_hf_trait(hf, HF_HAS_HEAD_BIAS);
    model->norm_bias = kvb_hf_trait(hf, HF_LAYER_NORM) && !kvb_hf_is(hf, HF_NO_BIAS);
    model->no_norm_weights = kvb_hf_trait(hf, HF_NO_NORM_WEIGHTS);
    model->final_norms = kvb_hf_trait(hf, HF_NO_FINAL_NORM) ? 0 : 1;
    model->pooling = kvb_hf_trait(hf, HF_POOLS);
    model->context_tokens = kvb_hf_context_tokens(hf);
    model->usual_tokens = kvb_hf_usual_tokens(hf);
    model->scales_positions = kvb_hf_scales_positions(hf);
    model->any_length = !kvb_hf_names_length(hf);
    model->encoder.family = hf->architecture->encoder;
}

static bool has_tower(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->extra_count; i++) {
        if (model->extras[i].role == KVB_ROLE_VISION || model->extras[i].role == KVB_ROLE_AUDIO) {
            return true;
        }
    }
    return false;
}

// The engine would build the one that its own classes default to, and look for it in the checkpoint.
static void miss_tower(struct hf *hf)
{
    if (hf->architecture->encoder != KVB_ENCODER_NONE && hf->architecture->finish && !has_tower(hf->model)) {
        (void)kvb_problem_add(hf->problems, KVB_NOTICE, KVB_OK, (struct kvb_place){hf->tree->file, 0, 0},
                              "%s has a tower for pictures or sound that this config does not describe: neither its "
                              "weights nor its memory are counted",
                              hf->architecture->name);
    }
}

bool kvb_hf_build_model(struct hf *hf)
{
    apply_defaults(hf);
    set_dtypes(hf);
    set_outer(hf);
    if (hf->failed) {
        return false;
    }
    kvb_hf_set_layer_types(hf);
    if (!hf->failed) {
        kvb_hf_build_layers(hf);
    }
    if (!hf->failed) {
        kvb_hf_build_mtp(hf);
        kvb_hf_build_rope(hf);
        kvb_hf_read_quantisation(hf);
    }
    if (!hf->failed && hf->architecture->finish) {
        hf->architecture->finish(hf);
        miss_tower(hf);
    }
    if (!hf->failed && kvb_is_saturated(kvb_model_parameters(hf->model))) {
        kvb_hf_fail(hf, KVB_OVERFLOW, NULL, "these sizes multiply to more than 2^62 elements");
    }
    return !hf->failed;
}

static const struct kvb_node *group(const struct hf *hf, enum kvb_hf_key key)
{
    return kvb_hf_has(hf, key) ? hf->values[key].node : NULL;
}

static void read_group(struct hf *hf, enum kvb_hf_key key)
{
    const struct kvb_node *node = group(hf, key);
    if (node) {
        kvb_hf_read_section(hf, (enum kvb_hf_section)kvb_hf_row(key)->child, node);
    }
}

static void read_groups(struct hf *hf)
{
    static const enum kvb_hf_key keys[] = {HF_VISION_CONFIG, HF_AUDIO_CONFIG,  HF_ROPE_SCALING,  HF_ROPE_PARAMETERS,
                                           HF_QUANTISATION,  HF_Q_INNER,       HF_KDA_CONFIG,    HF_ATTN_CONFIG,
                                           HF_FFN_CONFIG,    HF_SPARSE_CONFIG, HF_IMG_PROCESSOR, HF_DFLASH_CONFIG,
                                           HF_R_FULL};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        read_group(hf, keys[i]);
    }
}

// A nested language model inherits these three from the top.
static void read_inherited(struct hf *hf, const struct kvb_node *top)
{
    static const enum kvb_hf_key keys[] = {HF_DTYPE, HF_TIED, HF_QUANTISATION};
    static const bool top_wins[] = {false, true, true};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct kvb_hf_key_row *row = kvb_hf_row(keys[i]);
        if (kvb_hf_has(hf, keys[i]) && !top_wins[i]) {
            continue;
        }
        for (size_t n = 0; n < sizeof row->names / sizeof row->names[0] && row->names[n]; n++) {
            const struct kvb_node *node = kvb_node_get(top, row->names[n]);
            if (node && !kvb_node_is_null(node)) {
                kvb_hf_read_value(hf, keys[i], node);
                break;
            }
        }
    }
}

static void read_all(struct hf *hf, const struct kvb_node *top)
{
    kvb_hf_read_section(hf, HF_TOP, top);
    if (group(hf, HF_THINKER_CONFIG)) {
        top = group(hf, HF_THINKER_CONFIG);
        struct kvb_hf_value architectures = hf->values[HF_ARCHITECTURES];
        kvb_hf_read_section(hf, HF_TOP, top);
        hf->values[HF_ARCHITECTURES] = architectures;
    }
    hf->text = group(hf, HF_TEXT_CONFIG) ? group(hf, HF_TEXT_CONFIG) : top;
    kvb_hf_read_section(hf, HF_TEXT, hf->text);
    if (hf->text != top) {
        read_inherited(hf, top);
    }
    read_groups(hf);
}

enum kvb_status kvb_hf_model_from_tree(const struct kvb_tree *tree, const struct kvb_node *top, const char *beside,
                                       struct kvb_model *model, struct kvb_problems *problems)
{
    struct hf hf = {.tree = tree, .beside = beside, .problems = problems};
    if (top->kind != KVB_NODE_MAPPING) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(tree, top),
                               "expected a model's config: a mapping with architectures, hidden_size and so on");
    }
    hf.model = kvb_bare_room(sizeof *hf.model, problems);
    if (hf.model == NULL) {
        return KVB_NO_MEMORY;
    }
    kvb_model_clear(hf.model);
    read_all(&hf, top);
    kvb_hf_find_architecture(&hf);
    bool built = !hf.failed && hf.architecture && kvb_hf_build_model(&hf);
    if (built) {
        kvb_model_copy(model, hf.model);
    }
    kvb_free(hf.model);
    return built ? KVB_OK : kvb_problems_status(problems);
}
