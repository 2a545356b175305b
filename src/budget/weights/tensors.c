// The tensors of a layer and of the model's ends, in the engine's construction order, and their count.
#include "budget/weights/tensors.h"

#include "base/checked.h"
#include "budget/shapes.h"

static void add_norms(struct kvb_tensor_list *list, uint32_t count)
{
    const struct kvb_model *model = list->model;
    if (model->no_norm_weights) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        kvb_tensor_add(list, "layernorm", KVB_ROLE_NORM, KVB_SPLIT_COPY, model->hidden_size, 1);
        if (model->norm_bias) {
            kvb_tensor_add(list, "layernorm_bias", KVB_ROLE_NORM, KVB_SPLIT_COPY, model->hidden_size, 1);
        }
    }
}

static void add_mixer(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    switch (shape->kind) {
    case KVB_ATTENTION_FULL:
    case KVB_ATTENTION_SLIDING:
    case KVB_ATTENTION_CHUNKED:
    case KVB_ATTENTION_CROSS:
    case KVB_ATTENTION_ENCODER:
        if (shape->latent_rank) {
            kvb_latent_tensors(list, shape);
        } else {
            kvb_attention_tensors(list, shape);
        }
        break;
    case KVB_ATTENTION_MLA:
    case KVB_ATTENTION_DSV4:
        kvb_latent_tensors(list, shape);
        break;
    default:
        if (kvb_is_state(shape->kind)) {
            kvb_state_tensors(list, shape);
        }
        break;
    }
}

// What a checkpoint leaves at the model's dtype in layers that keep a state, or in those that attend.
static void mark_left_out(struct kvb_tensor_list *list, enum kvb_attention kind)
{
    const struct kvb_quantisation *quantisation = &list->model->quantisation;
    bool state = kvb_is_state(kind);
    for (uint32_t i = 0; i < list->count; i++) { // same: the next is written whole later
        list->out[i].left_out = state ? quantisation->plain_states : quantisation->plain_attention;
    }
}

uint32_t kvb_layer_tensors(const struct kvb_model *model, const struct kvb_layer_kind *kind,
                           struct kvb_tensor out[KVB_TENSORS_MAX])
{
    struct kvb_tensor_list list = {model, out, 0};
    add_mixer(&list, &kind->attention);
    mark_left_out(&list, kind->attention.kind);
    kvb_mlp_tensors(&list, &kind->mlp);
    add_norms(&list, kind->norms);
    // mixing matrices of hyper-connections and tables of experts: deepseek_v4/nvidia/model.py v0.23.0:534 and 760
    kvb_tensor_add(&list, "extra", KVB_ROLE_OTHER, KVB_SPLIT_COPY, kind->extra_elements, 1)->always_fp32 =
        kind->attention.residual_streams > 1;
    return list.count;
}

uint32_t kvb_outer_tensors(const struct kvb_model *model, struct kvb_tensor out[KVB_TENSORS_MAX])
{
    struct kvb_tensor_list list = {model, out, 0};
    uint64_t rows = model->vocabulary_size;
    kvb_tensor_add(&list, "embed_tokens", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, rows, model->hidden_size);
    add_norms(&list, model->final_norms);
    if (!model->tied_embeddings && !model->pooling) {
        struct kvb_tensor *head =
            kvb_tensor_add(&list, "lm_head", KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, rows, model->hidden_size);
        head->quantised = model->quantisation.head_quantised;
    }
    if (model->head_bias) {
        kvb_tensor_add(&list, "lm_head_bias", KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, rows, 1);
    }
    return list.count;
}

static uint64_t elements(const struct kvb_tensor *tensors, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t one = kvb_mul(tensors[i].rows, tensors[i].columns);
        sum = kvb_add(sum, tensors[i].engine_only ? 0 : kvb_mul(one, tensors[i].count));
    }
    return sum;
}

static uint64_t kind_elements(const struct kvb_model *model, uint32_t kind)
{
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    return elements(tensors, kvb_layer_tensors(model, &model->kinds[kind], tensors));
}

static uint64_t mtp_elements(const struct kvb_model *model)
{
    if (model->mtp_layers == 0) {
        return 0;
    }
    uint64_t hidden = model->hidden_size;
    uint64_t one = kind_elements(model, model->mtp_kind);
    one = kvb_add(one, kvb_mul(kvb_mul(hidden, hidden), model->mtp_extra_matrices_hidden));
    one = kvb_add(one, kvb_mul(hidden, model->mtp_norms));
    if (model->mtp_own_embeddings) {
        one = kvb_add(one, kvb_mul(kvb_mul(hidden, model->vocabulary_size), 2));
    }
    return kvb_mul(one, model->mtp_layers);
}

uint64_t kvb_model_parameters(const struct kvb_model *model)
{
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    uint64_t sum = elements(tensors, kvb_outer_tensors(model, tensors));
    uint32_t layers_of_kind[KVB_LAYER_KINDS_MAX] = {0};
    for (uint32_t i = 0; i < model->layer_count; i++) {
        layers_of_kind[model->kind_of_layer[i]]++;
    }
    for (uint32_t i = 0; i < model->kind_count; i++) { // same: no layer is of a kind beyond the last
        sum = kvb_add(sum, kvb_mul(kind_elements(model, i), layers_of_kind[i]));
    }
    for (uint32_t i = 0; i < model->extra_count; i++) {
        const struct kvb_extra *extra = &model->extras[i];
        sum = kvb_add(sum, kvb_mul(kvb_mul(extra->rows, extra->columns), extra->count));
    }
    return kvb_add(sum, mtp_elements(model));
}
