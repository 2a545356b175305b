// Shared pieces of towers: stacks of layers, projections, the facts activations are estimated from.
#include "model/config/hf_tower.h"

#include "base/checked.h"

uint32_t kvb_hf_raw_length(const struct hf *hf, enum kvb_hf_key key, uint32_t otherwise)
{
    const struct kvb_hf_value *value = &hf->values[key];
    return value->set && value->node && value->node->kind == KVB_NODE_SEQUENCE ? value->node->count : otherwise;
}

bool kvb_hf_has_vision(const struct hf *hf)
{
    return kvb_hf_has(hf, HF_VISION_CONFIG);
}

bool kvb_hf_needs_vision(struct hf *hf)
{
    if (!kvb_hf_has_vision(hf)) {
        kvb_hf_need(hf, HF_VISION_CONFIG);
    }
    return kvb_hf_has_vision(hf);
}

void kvb_hf_linear(struct hf *hf, const char *name, enum kvb_role role, uint64_t rows, uint64_t columns, bool bias)
{
    kvb_hf_extra(hf, name, role, KVB_SPLIT_COPY, rows, kvb_add(columns, bias ? 1 : 0), 1);
}

static void part(struct hf *hf, const struct kvb_hf_stack *stack, const char *what, enum kvb_split split, uint64_t rows,
                 uint64_t columns)
{
    char name[48];
    size_t used = 0;
    for (const char *c = stack->name; *c && used < 24; c++) {
        name[used++] = *c;
    }
    for (const char *c = what; *c && used < sizeof name - 1; c++) {
        name[used++] = *c;
    }
    name[used] = '\0';
    kvb_hf_extra(hf, name, stack->role, split, rows, columns, stack->layers);
}

struct kvb_hf_stack kvb_hf_biased_stack(const char *name, uint32_t layers, uint64_t hidden, uint64_t inner)
{
    return (struct kvb_hf_stack){.name = name,
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .qkv_bias = true,
                                 .proj_bias = true,
                                 .mlp_bias = true,
                                 .norm_bias = true,
                                 .norms = 2};
}

void kvb_hf_stack_read(struct hf *hf, const struct kvb_hf_stack *stack)
{
    uint64_t width = stack->width ? stack->width : stack->hidden;
    uint64_t fan = kvb_mul(stack->inner, stack->gated ? 2 : 1);
    uint64_t small = kvb_mul(kvb_mul(stack->norms, stack->hidden), stack->norm_bias ? 2 : 1);
    small = kvb_add(small, stack->elements);
    small = kvb_add(small, stack->qkv_bias ? kvb_mul(width, 3) : 0);
    small = kvb_add(small, stack->proj_bias ? stack->hidden : 0);
    small = kvb_add(small, stack->mlp_bias ? kvb_add(fan, stack->hidden) : 0);
    part(hf, stack, ".qkv", KVB_SPLIT_ROWS, kvb_mul(width, 3), stack->hidden);
    part(hf, stack, ".proj", KVB_SPLIT_COLUMNS, stack->hidden, width);
    part(hf, stack, ".mlp_in", KVB_SPLIT_ROWS, fan, stack->hidden);
    part(hf, stack, ".mlp_out", KVB_SPLIT_COLUMNS, stack->hidden, stack->inner);
    part(hf, stack, ".vectors", KVB_SPLIT_COPY, small, 1);
}

uint32_t kvb_hf_tower_layers(struct hf *hf, uint32_t usual)
{
    if (kvb_hf_has(hf, HF_V_DEPTH)) {
        return kvb_hf_get(hf, HF_V_DEPTH, usual);
    }
    return usual > 0 ? kvb_hf_get(hf, HF_V_LAYERS, usual) : kvb_hf_need(hf, HF_V_LAYERS);
}

void kvb_hf_encoder_facts(struct hf *hf, uint32_t layers, uint32_t hidden, uint32_t inner, uint32_t heads)
{
    struct kvb_encoder *encoder = &hf->model->encoder;
    encoder->layers = layers;
    encoder->plain_layers = kvb_hf_get(hf, HF_V_LAYERS, 0);
    encoder->plain_hidden_size = kvb_hf_get(hf, HF_V_HIDDEN, 0);
    encoder->hidden_size = hidden;
    encoder->intermediate_size = inner;
    encoder->heads = heads;
    encoder->patch_size = kvb_hf_get(hf, HF_V_PATCH, encoder->patch_size);
    encoder->image_size = kvb_hf_get(hf, HF_V_IMAGE, encoder->image_size);
    encoder->merge_size = kvb_hf_get(hf, HF_V_MERGE, kvb_hf_get(hf, HF_MERGE_SIZE, encoder->merge_size));
    encoder->temporal_patch_size = kvb_hf_get(hf, HF_V_TEMPORAL, encoder->temporal_patch_size);
}

void kvb_hf_siglip(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = kvb_hf_need(hf, HF_V_PATCH);
    uint32_t image = kvb_hf_need(hf, HF_V_IMAGE);
    uint64_t grid = patch ? image / patch : 0;
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", layers, hidden, inner);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_mul(patch, patch)), true);
    kvb_hf_extra(hf, "vision.position_embedding", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_mul(grid, grid), hidden, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.post_layernorm", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 2, 1);
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}
