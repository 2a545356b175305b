// Next-token-prediction modules of the checkpoint: one more layer each, with what joins it to the model.
#include <string.h>

#include "base/checked.h"
#include "model/config/hf.h"

struct mtp_row {
    const char *architecture;    // start of the class name
    uint8_t matrices;            // hidden x hidden matrices besides the layer
    uint8_t norms;               // hidden-sized norms besides the layer's
    bool own_embeddings;         // embedding and head are repeated in each module
    kvb_hf_layer_builder *build; // makes the module's layer; NULL: like the model's last attention layer
};
static kvb_hf_layer_builder build_dsv4, build_mimo_v2, build_step, build_nemotron_h, build_dense;
static const struct mtp_row mtp_rows[] = {
    {"DeepseekV4", 2, 3, false, build_dsv4},
    {"Deepseek", 2, 3, true, NULL},
    {"GlmMoeDsa", 2, 3, false, NULL},
    {"Glm4Moe", 2, 3, true, NULL},
    {"KimiK25", 2, 3, true, NULL},
    {"Qwen3Next", 2, 3, false, NULL},
    {"Qwen3_5", 2, 3, false, NULL},
    {"MiMoV2", 2, 3, false, build_mimo_v2},
    {"MiMo", 2, 3, false, NULL},
    {"NemotronH", 2, 3, false, build_nemotron_h},
    {"Step3p", 2, 3, false, build_step},
    {"HYV3", 2, 3, false, NULL},
    {"GlmOcr", 2, 3, true, NULL},
    {"BailingMoeV2_5", 2, 3, false, NULL},
    {"BailingMoeV3", 2, 3, false, NULL},
    {"ExaoneMo", 2, 3, false, build_dense},
    {"Ernie4_5_Moe", 2, 2, false, build_dense},
    {"KimiK3", 2, 3, false, NULL},
};

static const struct mtp_row *row_of(const struct hf *hf)
{
    for (size_t i = 0; i < sizeof mtp_rows / sizeof mtp_rows[0]; i++) {
        if (strncmp(hf->architecture->name, mtp_rows[i].architecture, strlen(mtp_rows[i].architecture)) == 0) {
            return &mtp_rows[i];
        }
    }
    return NULL;
}

// The last layer whose mixer is one of two kinds, or layer_count.
static uint32_t last_layer(const struct hf *hf, enum kvb_attention a, enum kvb_attention b)
{
    const struct kvb_model *model = hf->model;
    for (uint32_t i = model->layer_count; i-- > 0;) {
        enum kvb_attention kind = model->kinds[model->kind_of_layer[i]].attention.kind;
        if (kind == a || kind == b) {
            return i;
        }
    }
    return model->layer_count;
}

static const struct kvb_layer_kind *kind_at(const struct hf *hf, uint32_t layer)
{
    return &hf->model->kinds[hf->model->kind_of_layer[layer < hf->model->layer_count ? layer : 0]];
}

// Past the end of compress_ratios a layer keeps only its window.
static void build_dsv4(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    uint64_t streams = kvb_hf_get(hf, HF_HYPER, 4);
    kvb_hf_attention_dsv4(hf, layer, kind);
    kvb_hf_mlp_dsv4(hf, layer, kind);
    uint64_t head = kvb_add(kvb_mul(kvb_mul(streams, streams), hf->model->hidden_size), streams + 1);
    kind->extra_elements = (uint32_t)kvb_min(kvb_add(kind->extra_elements, head), UINT32_MAX / 2);
}

// MiMo V2's modules slide and are dense.
static void build_mimo_v2(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    uint32_t like = last_layer(hf, KVB_ATTENTION_SLIDING, KVB_ATTENTION_SLIDING);
    memcpy(&kind->attention, &kind_at(hf, like)->attention, sizeof kind->attention);
    kvb_hf_mlp_standard(hf, layer, kind);
}

// So are Step's, with their gate and an output head each: three of them make the published count of Step-3.5-Flash.
static void build_step(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    uint64_t head = kvb_mul(hf->model->vocabulary_size, hf->model->hidden_size);
    build_mimo_v2(hf, layer, kind);
    uint64_t gate = kind_at(hf, last_layer(hf, KVB_ATTENTION_SLIDING, KVB_ATTENTION_SLIDING))->extra_elements;
    kind->extra_elements = (uint32_t)kvb_min(kvb_add(head, gate), UINT32_MAX / 2);
}

// EXAONE's module attends to everything and is dense: is_mtp in exaone_moe.py of v0.27.1; so is ERNIE's, a layer of
// Llama: ernie_mtp.py v0.10.2 to v0.27.1.
static void build_dense(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    uint32_t like = last_layer(hf, KVB_ATTENTION_FULL, KVB_ATTENTION_FULL);
    memcpy(&kind->attention, &kind_at(hf, like)->attention, sizeof kind->attention);
    kvb_hf_mlp_standard(hf, layer, kind);
}

// Nemotron-H's module is an attention layer and an expert layer.
static void build_nemotron_h(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    const struct kvb_model *model = hf->model;
    (void)layer;
    memcpy(kind, kind_at(hf, last_layer(hf, KVB_ATTENTION_FULL, KVB_ATTENTION_SLIDING)), sizeof *kind);
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].mlp.kind == KVB_MLP_MOE) {
            memcpy(&kind->mlp, &model->kinds[i].mlp, sizeof kind->mlp);
            kind->norms = 2;
        }
    }
}

void kvb_hf_build_mtp(struct hf *hf)
{
    struct kvb_model *model = hf->model;
    const struct mtp_row *row = row_of(hf);
    struct kvb_layer_kind kind;
    uint32_t layers = kvb_hf_get(hf, HF_MTP, 0);
    if (!row || layers == 0) {
        return;
    }
    memset(&kind, 0, sizeof kind);
    kind.norms = hf->architecture->norms;
    if (row->build) {
        row->build(hf, model->layer_count, &kind);
    } else {
        uint32_t like = last_layer(hf, KVB_ATTENTION_FULL, KVB_ATTENTION_MLA);
        memcpy(&kind, kind_at(hf, like < model->layer_count ? like : model->layer_count - 1), sizeof kind);
        kind.attention.has_indexer = kind.attention.index_heads != 0; // always one of its own
    }
    model->mtp_kind = kvb_hf_intern_kind(hf, &kind);
    model->mtp_layers = layers;
    model->mtp_extra_matrices_hidden = row->matrices;
    model->mtp_norms = row->norms;
    model->mtp_own_embeddings = row->own_embeddings || kvb_hf_is(hf, HF_MTP_OWN);
}
