// What lies outside the layers of older and encoder models: position tables, embedding norms, poolers.
#include <string.h>

#include "base/checked.h"
#include "model/config/hf.h"

static void position_table(struct hf *hf, uint64_t rows)
{
    kvb_hf_extra(hf, "position_embeddings", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, rows, hf->model->hidden_size, 1);
}

void kvb_hf_finish_positions(struct hf *hf)
{
    position_table(hf, kvb_hf_get64(hf, HF_POSITIONS, kvb_hf_get64(hf, HF_MAX_POSITION, 0)));
}

// OPT keeps two rows in front of position 0, and narrower embeddings need a matrix on each side.
void kvb_hf_finish_opt(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size;
    uint64_t width = kvb_hf_get(hf, HF_EMBED_DIM, hf->model->hidden_size);
    position_table(hf, kvb_hf_get64(hf, HF_MAX_POSITION, 2048) + 2);
    if (width != hidden) {
        kvb_hf_fail(hf, KVB_UNKNOWN_KIND, hf->values[HF_EMBED_DIM].node,
                    "word_embed_proj_dim other than hidden_size is not covered");
    }
    if (kvb_hf_has(hf, HF_NORM_BEFORE) && !kvb_hf_is(hf, HF_NORM_BEFORE)) {
        hf->model->final_norms = 0;
    }
}

void kvb_hf_finish_bloom(struct hf *hf)
{
    kvb_hf_extra(hf, "word_embeddings_layernorm", KVB_ROLE_NORM, KVB_SPLIT_COPY, hf->model->hidden_size, 2, 1);
}

static void add_classifier(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size;
    kvb_hf_extra(hf, "classifier.dense", KVB_ROLE_HEAD, KVB_SPLIT_COPY, hidden, hidden + 1, 1);
    kvb_hf_extra(hf, "classifier.out_proj", KVB_ROLE_HEAD, KVB_SPLIT_COPY, 1, hidden + 1, 1);
}

// ModernBERT has a norm behind its embedding and no other table: modernbert.py v0.27.1.
void kvb_hf_finish_modernbert(struct hf *hf)
{
    kvb_hf_extra(hf, "embeddings_norm", KVB_ROLE_NORM, KVB_SPLIT_COPY, hf->model->hidden_size, 1, 1);
}

// GTE's own encoder: positions are turned, of its gated layers only the second matrix has a bias, nothing pools.
// Source: bert_with_rope.py v0.27.1.
void kvb_hf_finish_gte(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size;
    kvb_hf_extra(hf, "token_type_embeddings", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_TYPE_VOCAB, 0),
                 hidden, 1);
    kvb_hf_extra(hf, "embeddings_layernorm", KVB_ROLE_NORM, KVB_SPLIT_COPY, hidden, 2, 1);
    kvb_hf_extra(hf, "mlp.down_proj.bias", KVB_ROLE_NORM, KVB_SPLIT_COPY, hidden, 1, hf->model->layer_count);
}

// BERT and RoBERTa: three embeddings and their norm; what follows the layers depends on the class. jina-embeddings-v3
// turns its positions, pools nothing and merges its adapters: bert_with_rope.py v0.27.1 JinaRobertaModel.
void kvb_hf_finish_bert(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size;
    const char *name = hf->architecture->name;
    bool turned = kvb_hf_word_is(hf, HF_POSITION_TYPE, "rotary");
    position_table(hf, turned ? 0 : kvb_hf_get64(hf, HF_MAX_POSITION, 512));
    kvb_hf_extra(hf, "token_type_embeddings", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_TYPE_VOCAB, 2),
                 hidden, 1);
    kvb_hf_extra(hf, "embeddings_layernorm", KVB_ROLE_NORM, KVB_SPLIT_COPY, hidden, 2, 1);
    if (strstr(name, "SequenceClassification")) {
        add_classifier(hf);
    } else if (!strstr(name, "MaskedLM") && !turned) {
        kvb_hf_extra(hf, "pooler.dense", KVB_ROLE_HEAD, KVB_SPLIT_COPY, hidden, hidden + 1, 1);
    }
}
