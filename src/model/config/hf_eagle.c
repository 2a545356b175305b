// Heads that draft for another model, which lends them its embedding: EAGLE (its output head too) and EAGLE3.
// Source: vllm/model_executor/models/llama_eagle.py and llama_eagle3.py v0.20.0; speculators' own configs nest the
// layer.
#include "model/config/hf.h"

#define HIDDEN_STATES 3        // of the target, fused into one by EAGLE3
#define INDEX_WORDS 4          // a row of draft_id_to_target_id in elements of two bytes
#define BESIDE_HIDDEN_STATES 2 // EAGLE: embedding and hidden state

// The embedding counts as the target's, and no head follows from it.
static void lend_embedding(struct hf *hf)
{
    hf->model->tied_embeddings = true;
}

void kvb_hf_finish_eagle(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size;
    lend_embedding(hf);
    kvb_hf_extra(hf, "fc", KVB_ROLE_OTHER, KVB_SPLIT_COPY, hidden, BESIDE_HIDDEN_STATES * hidden, 1);
}

// The first layer attends over embedding and hidden state side by side: its projections are twice as wide.
void kvb_hf_finish_eagle3(struct hf *hf)
{
    struct kvb_model *model = hf->model;
    const struct kvb_attention_shape *shape = &model->kinds[model->kind_of_layer[0]].attention;
    uint64_t hidden = model->hidden_size, rows = kvb_hf_get64(hf, HF_DRAFT_VOCAB, model->vocabulary_size);
    uint64_t target = kvb_hf_get64(hf, HF_TARGET_HIDDEN, hidden);
    lend_embedding(hf);
    kvb_hf_extra(hf, "q_proj of hidden states", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS,
                 (uint64_t)shape->heads * shape->head_size, hidden, 1);
    kvb_hf_extra(hf, "k_proj, v_proj of hidden states", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS,
                 2 * (uint64_t)shape->kv_heads * shape->head_size, hidden, 1);
    kvb_hf_extra(hf, "fc", KVB_ROLE_OTHER, KVB_SPLIT_COPY, hidden, HIDDEN_STATES * target, 1);
    kvb_hf_extra(hf, "lm_head", KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, rows, hidden, 1);
    kvb_hf_extra(hf, "draft_id_to_target_id", KVB_ROLE_OTHER, KVB_SPLIT_COPY, rows, INDEX_WORDS, 1);
}
