// Vision towers of Muse Glimmer, Molmo, GLM-4V, LFM2-VL and MiniCPM-V 4.6.
#include "base/checked.h"
#include "model/config/hf_tower.h"

// ViT-G with biases, 2 x 2 patches joined, three matrices to the language model.
void kvb_hf_tower_muse(struct hf *hf)
{
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14), merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    uint64_t pixels = kvb_mul(kvb_mul(patch, patch), kvb_mul(3, kvb_hf_get(hf, HF_V_TEMPORAL, 1)));
    uint64_t positions = kvb_mul(kvb_hf_get(hf, HF_V_GRID_H, 32), kvb_hf_get(hf, HF_V_GRID_W, 32));
    uint64_t joined = kvb_hf_get(hf, HF_PROJECTOR_OUT, 6144), middle = kvb_hf_get(hf, HF_PROJECTOR_HIDDEN, 4096);
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", layers, hidden, inner);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, pixels, false);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, positions, hidden, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 4, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, middle, joined, false);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, middle, middle, false);
    kvb_hf_linear(hf, "projector.linear_3", KVB_ROLE_PROJECTOR, hf->model->hidden_size, middle, false);
    hf->model->encoder.merge_size = merge;
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Molmo names no tower: CLIP ViT-L/14 at 336 pixels without its last layer, two of its layers joined.
void kvb_hf_tower_molmo(struct hf *hf)
{
    enum { HIDDEN = 1024, INNER = 4096, LAYERS = 23, POSITIONS = 577, NEW_TOKENS = 128 };
    uint64_t text = hf->model->hidden_size;
    uint64_t inner = kvb_hf_get(hf, HF_INTERMEDIATE, 0) / 2;
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", LAYERS, HIDDEN, INNER);
    kvb_hf_extra(hf, "new_embedding", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, NEW_TOKENS, text, 1);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, HIDDEN, 3 * 14 * 14, false);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, POSITIONS + 1, HIDDEN, 1); // with the class
    kvb_hf_extra(hf, "vision.pre_layernorm", KVB_ROLE_VISION, KVB_SPLIT_COPY, HIDDEN, 2, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "pooling.qkv", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, 3 * HIDDEN, 2 * HIDDEN + 1, 1);
    kvb_hf_linear(hf, "pooling.wo", KVB_ROLE_PROJECTOR, HIDDEN, HIDDEN, true);
    kvb_hf_extra(hf, "pooling.pad_embed", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, 2, 2 * HIDDEN, 1);
    kvb_hf_extra(hf, "projector.w13", KVB_ROLE_PROJECTOR, KVB_SPLIT_ROWS, kvb_mul(inner, 2), HIDDEN, 1);
    kvb_hf_extra(hf, "projector.w2", KVB_ROLE_PROJECTOR, KVB_SPLIT_COLUMNS, text, inner, 1);
    hf->model->encoder.patch_size = 14;
    hf->model->encoder.image_size = 336;
    hf->model->encoder.merge_size = 2;
    kvb_hf_encoder_facts(hf, LAYERS, HIDDEN, INNER, 16);
}

void kvb_hf_tower_glm_merger(struct hf *hf, uint32_t hidden, uint32_t merge, uint64_t out, uint64_t wide)
{
    kvb_hf_linear(hf, "visual.downsample", KVB_ROLE_PROJECTOR, out, kvb_mul(hidden, kvb_mul(merge, merge)), true);
    kvb_hf_linear(hf, "visual.merger_proj", KVB_ROLE_PROJECTOR, out, out, false);
    kvb_hf_extra(hf, "visual.merger_norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, out, 2, 1);
    kvb_hf_extra(hf, "visual.merger_gate_up", KVB_ROLE_PROJECTOR, KVB_SPLIT_ROWS, kvb_mul(wide, 2), out, 1);
    kvb_hf_extra(hf, "visual.merger_down", KVB_ROLE_PROJECTOR, KVB_SPLIT_COLUMNS, out, wide, 1);
    hf->model->encoder.merge_size = merge;
    hf->model->encoder.gated = true;
    hf->model->encoder.has_video = true;
}

// GLM-4V: four patches joined by a convolution, then a gated MLP as wide as intermediate_size.
void kvb_hf_tower_glm4v(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_get(hf, HF_V_HIDDEN, 1536);
    uint32_t layers = kvb_hf_tower_layers(hf, 24);
    uint64_t out = kvb_hf_get(hf, HF_V_OUT, hf->model->hidden_size);
    uint64_t wide = kvb_hf_get(hf, HF_V_INTERMEDIATE, 13696);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14), merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    uint64_t grid = kvb_hf_get(hf, HF_V_IMAGE, 336) / patch;
    uint64_t pixels = kvb_mul(kvb_mul(patch, patch), kvb_mul(3, kvb_hf_get(hf, HF_V_TEMPORAL, 2)));
    struct kvb_hf_stack stack = {.name = "visual.blocks",
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = out,
                                 .gated = true,
                                 .norms = 2};
    kvb_hf_linear(hf, "visual.patch_embed", KVB_ROLE_VISION, hidden, pixels, true);
    kvb_hf_extra(hf, "visual.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_mul(grid, grid), hidden, 1);
    kvb_hf_extra(hf, "visual.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 2, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_tower_glm_merger(hf, hidden, merge, out, wide);
    kvb_hf_encoder_facts(hf, layers, hidden, (uint32_t)kvb_min(out, UINT32_MAX), kvb_hf_get(hf, HF_V_HEADS, 12));
}

// SigLIP 2 without its pooling head: positions are interpolated, downsample_factor squared patches joined, then normed
// where the config says so. Source: lfm2_vl.py and lfm2_siglip2.py v0.27.1.
void kvb_hf_tower_lfm2(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 16), factor = kvb_hf_get(hf, HF_DOWNSAMPLE, 2);
    uint64_t merged = kvb_mul(hidden, kvb_mul(factor, factor)), middle = kvb_hf_get(hf, HF_PROJECTOR_HIDDEN, 2560);
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", layers, hidden, inner);
    bool normed = !kvb_hf_has(hf, HF_PROJECTOR_NORM) || kvb_hf_is(hf, HF_PROJECTOR_NORM);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_mul(patch, patch)), true);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_V_POSITIONS, 256), hidden,
                 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.post_layernorm", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 2, 1);
    kvb_hf_extra(hf, "projector.norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, merged, normed ? 2 : 0, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, middle, merged, true);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, hf->model->hidden_size, middle, true);
    hf->model->encoder.merge_size = factor;
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// SigLIP whose windows of four patches attend and are joined behind one of its layers, then joined once more. Source:
// minicpmv4_6.py v0.27.1.
void kvb_hf_tower_minicpmv46(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint64_t hidden = kvb_hf_need(hf, HF_V_HIDDEN), joined = kvb_mul(hidden, 4);
    uint64_t inner = kvb_mul(kvb_hf_need(hf, HF_V_INTERMEDIATE), 4);
    kvb_hf_siglip(hf);
    kvb_hf_extra(hf, "vit_merger.self_attn", KVB_ROLE_VISION, KVB_SPLIT_ROWS, joined, kvb_add(hidden, 1), 1);
    kvb_hf_extra(hf, "vit_merger.norms", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_add(hidden, joined), 2, 1);
    kvb_hf_linear(hf, "vit_merger.linear_1", KVB_ROLE_VISION, inner, joined, true);
    kvb_hf_linear(hf, "vit_merger.linear_2", KVB_ROLE_VISION, hidden, inner, true);
    kvb_hf_extra(hf, "merger.pre_norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, joined, 2, 1);
    kvb_hf_linear(hf, "merger.linear_1", KVB_ROLE_PROJECTOR, joined, joined, true);
    kvb_hf_linear(hf, "merger.linear_2", KVB_ROLE_PROJECTOR, hf->model->hidden_size, joined, true);
}
