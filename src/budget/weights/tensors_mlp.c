// Matrices of dense, plain and mixture-of-experts feed-forward parts.
#include "base/checked.h"
#include "budget/weights/tensors.h"

struct dense {
    enum kvb_role role;
    enum kvb_fused fused;
    uint64_t size;
    bool gated, bias;
};

static void add_linear(struct kvb_tensor_list *list, const char *name, enum kvb_role role, enum kvb_split split,
                       uint64_t rows, uint64_t columns, enum kvb_fused fused)
{
    struct kvb_tensor *tensor = kvb_tensor_linear(list, name, split, rows, columns, fused);
    tensor->role = role;
    tensor->quantised = true;
}

static void add_dense_biases(struct kvb_tensor_list *list, const struct dense *dense)
{
    enum kvb_fused fused = dense->gated ? KVB_FUSED_GATE_UP_BIAS : KVB_FUSED_NONE;
    if (dense->gated) {
        kvb_tensor_add(list, "gate_bias", dense->role, KVB_SPLIT_ROWS, dense->size, 1)->fused = (uint8_t)fused;
    }
    kvb_tensor_add(list, "up_bias", dense->role, KVB_SPLIT_ROWS, dense->size, 1)->fused = (uint8_t)fused;
}

static void add_dense(struct kvb_tensor_list *list, const struct dense *dense)
{
    uint64_t hidden = list->model->hidden_size;
    if (dense->size == 0) {
        return;
    }
    if (dense->gated) {
        add_linear(list, "gate_proj", dense->role, KVB_SPLIT_ROWS, dense->size, hidden, dense->fused);
    }
    add_linear(list, "up_proj", dense->role, KVB_SPLIT_ROWS, dense->size, hidden,
               dense->gated ? dense->fused : KVB_FUSED_NONE);
    if (dense->bias) {
        add_dense_biases(list, dense);
    }
    add_linear(list, "down_proj", dense->role, KVB_SPLIT_COLUMNS, hidden, dense->size, KVB_FUSED_NONE);
    if (dense->bias) {
        kvb_tensor_add(list, "down_bias", dense->role, KVB_SPLIT_COPY, hidden, 1);
    }
}

static void add_experts_of(struct kvb_tensor_list *list, const struct kvb_mlp_shape *shape, const char *name,
                           enum kvb_split split, uint64_t rows, uint64_t columns, enum kvb_fused fused)
{
    struct kvb_tensor *tensor = kvb_tensor_add(list, name, KVB_ROLE_EXPERTS, split, rows, columns);
    tensor->count = shape->experts;
    tensor->fused = (uint8_t)fused;
    tensor->quantised = columns != 1;
}

static void add_expert_biases(struct kvb_tensor_list *list, const struct kvb_mlp_shape *shape, uint64_t width)
{
    uint64_t size = shape->expert_intermediate_size;
    enum kvb_fused fused = shape->expert_gated ? KVB_FUSED_W13_BIAS : KVB_FUSED_NONE;
    if (shape->expert_gated) {
        add_experts_of(list, shape, "experts_gate_bias", KVB_SPLIT_EXPERTS_ROWS, size, 1, fused);
    }
    add_experts_of(list, shape, "experts_up_bias", KVB_SPLIT_EXPERTS_ROWS, size, 1, fused);
    add_experts_of(list, shape, "experts_down_bias", KVB_SPLIT_EXPERTS_COPY, width, 1, KVB_FUSED_NONE);
}

static void add_experts(struct kvb_tensor_list *list, const struct kvb_mlp_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t width = shape->latent_size ? shape->latent_size : hidden;
    uint64_t size = shape->expert_intermediate_size;
    enum kvb_fused fused = shape->expert_gated ? KVB_FUSED_W13 : KVB_FUSED_NONE;
    if (shape->expert_gated) {
        add_experts_of(list, shape, "experts_gate", KVB_SPLIT_EXPERTS_ROWS, size, width, fused);
    }
    add_experts_of(list, shape, "experts_up", KVB_SPLIT_EXPERTS_ROWS, size, width, fused);
    if (shape->expert_bias) {
        add_expert_biases(list, shape, width);
    }
    add_experts_of(list, shape, "experts_down", KVB_SPLIT_EXPERTS_COLUMNS, width, size, KVB_FUSED_NONE);
    if (shape->latent_size) {
        add_linear(list, "latent_in", KVB_ROLE_MLP, KVB_SPLIT_COPY, width, hidden, KVB_FUSED_NONE);
        add_linear(list, "latent_out", KVB_ROLE_MLP, KVB_SPLIT_COPY, hidden, width, KVB_FUSED_NONE);
    }
}

static void add_router(struct kvb_tensor_list *list, const struct kvb_mlp_shape *shape)
{
    kvb_tensor_add(list, "router", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, shape->experts, list->model->hidden_size);
    if (shape->router_bias) {
        kvb_tensor_add(list, "router_bias", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, shape->experts, 1);
    }
    if (shape->router_correction_bias) {
        kvb_tensor_add(list, "e_score_correction_bias", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, shape->experts, 1)
            ->always_fp32 = true;
    }
}

static void add_moe(struct kvb_tensor_list *list, const struct kvb_mlp_shape *shape)
{
    struct dense beside = {KVB_ROLE_MLP, KVB_FUSED_GATE_UP, shape->intermediate_size, true, shape->bias};
    struct dense shared = {KVB_ROLE_SHARED_EXPERT, KVB_FUSED_SHARED, shape->shared_intermediate_size,
                           shape->expert_gated, false};
    add_dense(list, &beside);
    add_router(list, shape);
    add_dense(list, &shared);
    if (shape->shared_gate) {
        kvb_tensor_add(list, "shared_expert_gate", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, 1, list->model->hidden_size);
    }
    add_experts(list, shape);
}

void kvb_mlp_tensors(struct kvb_tensor_list *list, const struct kvb_mlp_shape *shape)
{
    struct dense dense = {KVB_ROLE_MLP, KVB_FUSED_GATE_UP, shape->intermediate_size, shape->kind == KVB_MLP_GATED,
                          shape->bias};
    if (shape->kind == KVB_MLP_MOE) {
        add_moe(list, shape);
    } else if (shape->kind != KVB_MLP_NONE) {
        add_dense(list, &dense);
    }
}
