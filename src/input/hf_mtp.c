// Next-token-prediction modules of the checkpoint: one more layer each, with what joins it to the model.
#include <string.h>

#include "input/hf.h"

struct mtp_row {
    const char *architecture; // start of the class name
    uint8_t matrices;         // hidden x hidden matrices besides the layer
    uint8_t norms;            // hidden-sized norms besides the layer's
    bool own_embeddings;      // embedding and head are repeated in each module
};
static const struct mtp_row mtp_rows[] = {
    {"Deepseek", 2, 3, true}, {"GlmMoeDsa", 2, 3, false}, {"Glm4Moe", 2, 3, true},
    {"KimiK25", 2, 3, true},  {"Qwen3Next", 2, 3, false}, {"Qwen3_5", 2, 3, false},
    {"MiMo", 2, 3, false},    {"NemotronH", 2, 3, false}, {"Step3p", 2, 3, true},
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

// The module's layer is like the last attention layer of the model.
static uint32_t model_layer(const struct hf *hf)
{
    const struct kvb_model *model = hf->model;
    for (uint32_t i = model->layer_count; i-- > 0;) {
        enum kvb_attention kind = model->kinds[model->kind_of_layer[i]].attention.kind;
        if (kind == KVB_ATTENTION_FULL || kind == KVB_ATTENTION_SLIDING || kind == KVB_ATTENTION_MLA) {
            return i;
        }
    }
    return model->layer_count - 1;
}

void hf_build_mtp(struct hf *hf)
{
    struct kvb_model *model = hf->model;
    const struct mtp_row *row = row_of(hf);
    struct kvb_layer_kind kind;
    uint32_t layers = hf_get(hf, HF_MTP, 0);
    if (!row || layers == 0) {
        return;
    }
    memcpy(&kind, &model->kinds[model->kind_of_layer[model_layer(hf)]], sizeof kind);
    kind.attention.has_indexer = kind.attention.index_heads != 0; // always one of its own
    model->mtp_kind = hf_intern_kind(hf, &kind);
    model->mtp_layers = layers;
    model->mtp_extra_matrices_hidden = row->matrices;
    model->mtp_norms = row->norms;
    model->mtp_own_embeddings = row->own_embeddings || hf_is(hf, HF_MTP_OWN);
}
