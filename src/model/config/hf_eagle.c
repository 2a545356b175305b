// Heads that draft for another model, which lends them its embedding: EAGLE (its output head too) and EAGLE3; DFlash
// and DSpark, which borrow both. Source: vllm/model_executor/models/llama_eagle.py, llama_eagle3.py v0.20.0,
// qwen3_dflash.py v0.20.0 to v0.27.1, laguna_dflash.py and qwen3_dspark.py v0.25.1; speculators' configs nest the
// layer. Gemma 4's assistants look at the target's cache: gemma4_mtp.py v0.21.0 to v0.27.1.
#include "base/checked.h"
#include "model/config/hf.h"

#define HIDDEN_STATES 3        // of the target, fused into one by EAGLE3
#define INDEX_WORDS 4          // an index of 64 bits in elements of two bytes
#define BESIDE_HIDDEN_STATES 2 // EAGLE: embedding and hidden state
#define SIDES 2                // of what DFlash2 convolves, in and out; of a pair of tokens
#define CENTROIDS 2048         // where an assistant's config says nothing

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
    model->target_states = HIDDEN_STATES;
    kvb_hf_extra(hf, "q_proj of hidden states", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS,
                 (uint64_t)shape->heads * shape->head_size, hidden, 1);
    kvb_hf_extra(hf, "k_proj, v_proj of hidden states", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS,
                 2 * (uint64_t)shape->kv_heads * shape->head_size, hidden, 1);
    kvb_hf_extra(hf, "fc", KVB_ROLE_OTHER, KVB_SPLIT_COPY, hidden, HIDDEN_STATES * target, 1);
    kvb_hf_extra(hf, "lm_head", KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, rows, hidden, 1);
    kvb_hf_extra(hf, "draft_id_to_target_id", KVB_ROLE_OTHER, KVB_SPLIT_COPY, rows, INDEX_WORDS, 1);
}

// use_swa gives every layer a window where layer_types name none. Source: qwen3_dflash.py v0.25.1 and v0.27.1
// _resolve_layer_attention.
void kvb_hf_attention_dflash(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_attention_standard(hf, layer, kind);
    if (kvb_hf_is(hf, HF_D_USE_WINDOW) && shape->kind == KVB_ATTENTION_FULL) {
        shape->kind = KVB_ATTENTION_SLIDING;
        shape->window_tokens =
            kvb_hf_has(hf, HF_D_WINDOW) ? kvb_hf_get(hf, HF_D_WINDOW, 0) : kvb_hf_need(hf, HF_WINDOW);
    }
}

static uint64_t target_layers(const struct hf *hf)
{
    uint64_t nested = kvb_hf_list_length(hf, HF_D_LAYERS), outer = kvb_hf_list_length(hf, HF_TARGET_LAYERS);
    return nested > 0 ? nested : outer > 0 ? outer : hf->model->layer_count;
}

// Hidden states of as many layers of the target are projected to one; the key and value projections of all layers are
// held a second time, side by side.
void kvb_hf_finish_dflash(struct hf *hf)
{
    struct kvb_model *model = hf->model;
    const struct kvb_attention_shape *shape = &model->kinds[model->kind_of_layer[0]].attention;
    uint64_t hidden = model->hidden_size;
    model->target_states = (uint32_t)target_layers(hf);
    uint64_t states = kvb_mul(model->target_states, kvb_hf_get64(hf, HF_TARGET_HIDDEN, hidden));
    uint64_t keys = kvb_mul(2 * (uint64_t)shape->kv_heads, shape->head_size);
    lend_embedding(hf);
    kvb_hf_extra(hf, "fc", KVB_ROLE_OTHER, KVB_SPLIT_COPY, hidden, states, 1);
    kvb_hf_extra(hf, "hidden_norm", KVB_ROLE_NORM, KVB_SPLIT_COPY, hidden, 1, 1);
    kvb_hf_extra(hf, "k_proj, v_proj side by side", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS,
                 kvb_mul(model->layer_count, keys), hidden, 1);
}

// Around attention and MLP of each layer a convolution whose weights are projected from what goes in, and a selector
// that scores pairs of tokens; none of these is divided or quantised. Source: qwen3_dflash2.py v0.28.0 (vllm#52816).
void kvb_hf_finish_dflash2(struct hf *hf)
{
    struct kvb_model *model = hf->model;
    uint64_t hidden = model->hidden_size, channels = kvb_max(kvb_hf_need(hf, HF_D_CHANNELS), 1);
    uint64_t taps = kvb_mul(SIDES, kvb_hf_need(hf, HF_D_TAPS)), rank = kvb_hf_need(hf, HF_D_RANK);
    uint32_t convolutions = 2 * model->layer_count;
    kvb_hf_finish_dflash(hf);
    kvb_hf_extra(hf, "base_kernel", KVB_ROLE_OTHER, KVB_SPLIT_COPY, taps, hidden, convolutions);
    kvb_hf_extra(hf, "kernel_projection", KVB_ROLE_OTHER, KVB_SPLIT_COPY, kvb_mul(taps, hidden / channels), hidden,
                 convolutions);
    kvb_hf_extra(hf, "codebooks", KVB_ROLE_OTHER, KVB_SPLIT_COPY, model->vocabulary_size, rank, SIDES);
    kvb_hf_extra(hf, "hidden_projection", KVB_ROLE_OTHER, KVB_SPLIT_COPY, rank, hidden, 1);
}

// A norm for each layer of the target that is looked at.
void kvb_hf_finish_dflash_laguna(struct hf *hf)
{
    kvb_hf_finish_dflash(hf);
    kvb_hf_extra(hf, "aux_hidden_norms", KVB_ROLE_NORM, KVB_SPLIT_COPY, hf->model->hidden_size, 1,
                 (uint32_t)target_layers(hf));
}

// Beside DFlash a low rank from each token to each: two matrices over the vocabulary.
void kvb_hf_finish_dspark(struct hf *hf)
{
    uint64_t rows = hf->model->vocabulary_size, rank = kvb_hf_need(hf, HF_MARKOV_RANK);
    kvb_hf_finish_dflash(hf);
    kvb_hf_extra(hf, "markov_w1", KVB_ROLE_OTHER, KVB_SPLIT_VOCABULARY, rows, rank, 1);
    kvb_hf_extra(hf, "markov_w2", KVB_ROLE_OTHER, KVB_SPLIT_VOCABULARY, kvb_hf_get64(hf, HF_DRAFT_VOCAB, rows), rank,
                 1);
}

void kvb_hf_attention_gemma4_assistant(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_attention_gemma4(hf, layer, kind);
    kind->attention.queries_only = true;
    kind->attention.shares_kv = true;
}

// The target's embedding and hidden state side by side come in and a hidden state of its width goes out. The head is
// its own and narrower; small targets' chooses among the tokens of a few centroids. Rotary tables are the target's.
void kvb_hf_finish_gemma4_assistant(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size, target = kvb_hf_need(hf, HF_BACKBONE);
    bool ordered = kvb_hf_is(hf, HF_ORDERED);
    hf->model->rope_cache_count = 0;
    kvb_hf_extra(hf, "pre_projection", KVB_ROLE_OTHER, KVB_SPLIT_ROWS, hidden, kvb_mul(2, target), 1);
    kvb_hf_extra(hf, "post_projection", KVB_ROLE_OTHER, KVB_SPLIT_COLUMNS, target, hidden, 1);
    kvb_hf_extra(hf, "centroids", KVB_ROLE_OTHER, KVB_SPLIT_COPY,
                 ordered ? kvb_hf_get64(hf, HF_CENTROIDS, CENTROIDS) : 0, hidden, 1);
    kvb_hf_extra(hf, "token_ordering", KVB_ROLE_OTHER, KVB_SPLIT_COPY, ordered ? hf->model->vocabulary_size : 0,
                 INDEX_WORDS, 1);
}
