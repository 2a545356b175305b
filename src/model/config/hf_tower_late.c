// Towers of GLM-OCR, ERNIE 4.5 VL, Phi-4-multimodal, Nemotron Nano VL and Ovis 2.5.
#include "base/checked.h"
#include "model/config/hf_tower.h"

// GLM-4V's tower with a bias everywhere, queries and keys normed by head, no positions. Source: glm_ocr.py v0.27.1.
void kvb_hf_tower_glm_ocr(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN), layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE), heads = kvb_hf_need(hf, HF_V_HEADS);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14), merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    uint64_t out = kvb_hf_get(hf, HF_V_OUT, hf->model->hidden_size), wide = kvb_hf_need(hf, HF_INTERMEDIATE);
    uint64_t pixels = kvb_mul(kvb_mul(patch, patch), kvb_mul(3, kvb_hf_get(hf, HF_V_TEMPORAL, 2)));
    struct kvb_hf_stack stack = kvb_hf_biased_stack("visual.blocks", layers, hidden, inner);
    stack.gated = true;
    stack.norm_bias = false;
    stack.elements = heads ? 2 * (hidden / heads) : 0;
    kvb_hf_linear(hf, "visual.patch_embed", KVB_ROLE_VISION, hidden, pixels, true);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "visual.post_layernorm", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 1, 1);
    kvb_hf_tower_glm_merger(hf, hidden, merge, out, wide);
    kvb_hf_encoder_facts(hf, layers, hidden, inner, heads);
}

// The second set of experts, which pictures take: narrower, with a router and a bias of their own.
static void add_vision_experts(struct hf *hf)
{
    uint64_t experts = kvb_hf_list_get(hf, HF_EXPERTS, 1, kvb_hf_get(hf, HF_EXPERTS, 0));
    uint64_t wide = kvb_mul(experts, kvb_hf_list_get(hf, HF_MOE_INTERMEDIATE, 1, 0)), hidden = hf->model->hidden_size;
    uint32_t layers = 0;
    for (uint32_t i = 0; i < hf->model->layer_count; i++) {
        layers += hf->model->kinds[hf->model->kind_of_layer[i]].mlp.kind == KVB_MLP_MOE;
    }
    kvb_hf_extra(hf, "vision_experts.in", KVB_ROLE_EXPERTS, KVB_SPLIT_ROWS, kvb_mul(wide, 2), hidden, layers);
    kvb_hf_extra(hf, "vision_experts.out", KVB_ROLE_EXPERTS, KVB_SPLIT_COLUMNS, hidden, wide, layers);
    kvb_hf_extra(hf, "vision_experts.gate", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, experts, kvb_add(hidden, 1), layers);
}

// One half of the resampler: `joined` tokens side by side, two matrices and a norm.
static void add_resampler(struct hf *hf, const char *name, uint64_t wide, uint64_t joined)
{
    uint64_t elements = kvb_add(kvb_mul(wide, kvb_add(kvb_mul(wide, joined), 1)), kvb_mul(wide, kvb_add(wide, 3)));
    kvb_hf_extra(hf, name, KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, elements, 1, 1);
}

// Qwen2-VL's tower; four patches, then two frames, are joined. Source: ernie45_vl.py and ernie45_vl_moe.py v0.27.1.
void kvb_hf_tower_ernie(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN), layers = kvb_hf_tower_layers(hf, 0);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14), merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    uint64_t inner = kvb_hf_get(hf, HF_V_INTERMEDIATE, (uint32_t)kvb_min(kvb_mul(hidden, 4), UINT32_MAX));
    uint64_t wide = kvb_mul(hidden, kvb_mul(merge, merge));
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.blocks", layers, hidden, inner);
    add_vision_experts(hf);
    kvb_hf_linear(hf, "vision.patch_embed", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_mul(patch, patch)), false);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.ln", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 2, 1);
    add_resampler(hf, "resampler.spatial", wide, 1);
    add_resampler(hf, "resampler.temporal", wide, 2);
    kvb_hf_linear(hf, "resampler.mlp", KVB_ROLE_PROJECTOR, hf->model->hidden_size, wide, true);
    kvb_hf_extra(hf, "resampler.norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, hf->model->hidden_size, 1, 1);
    hf->model->encoder.merge_size = merge;
    hf->model->encoder.has_video = true;
    kvb_hf_encoder_facts(hf, layers, hidden, (uint32_t)kvb_min(inner, UINT32_MAX), kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Two matrices to the language model.
static void add_projection(struct hf *hf, const char *first, const char *second, uint64_t from)
{
    uint64_t text = hf->model->hidden_size;
    kvb_hf_linear(hf, first, KVB_ROLE_PROJECTOR, text, from, true);
    kvb_hf_linear(hf, second, KVB_ROLE_PROJECTOR, text, text, true);
}

// SigLIP at 448 pixels whose last layer, norm and head are not loaded.
static void add_phi4_vision(struct hf *hf)
{
    enum { HIDDEN = 1152, INNER = 4304, LAYERS = 26, PATCH = 14, GRID = 32 };
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", LAYERS, HIDDEN, INNER);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, HIDDEN, 3 * PATCH * PATCH, true);
    kvb_hf_extra(hf, "vision.position_embedding", KVB_ROLE_VISION, KVB_SPLIT_COPY, GRID * GRID, HIDDEN, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.separators", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, HIDDEN, 2, 1);
    add_projection(hf, "vision.projection_1", "vision.projection_2", HIDDEN);
    hf->model->encoder.patch_size = PATCH;
    hf->model->encoder.image_size = PATCH * GRID;
    hf->model->encoder.merge_size = 2;
    kvb_hf_encoder_facts(hf, LAYERS, HIDDEN, INNER, 16);
}

// A conformer behind three convolutions that halve time and the 80 mel bins; one projection for sound, one for sound
// beside pictures.
static void add_phi4_audio(struct hf *hf)
{
    enum { WIDE = 1024, INNER = 1536, LAYERS = 24, HEADS = 16, BUCKETS = 1000, MELS = 80 };
    const uint64_t point = (uint64_t)WIDE * (WIDE + 1), depth = (uint64_t)WIDE * (9 + 1);
    const uint64_t feed = (uint64_t)INNER * 2 * (WIDE + 1) + (uint64_t)WIDE * (INNER + 1) + 2 * WIDE;
    const uint64_t mixer = 2 * WIDE + 2 * point + 2 * WIDE + (uint64_t)WIDE * (3 + 1) + 2 * point;
    kvb_hf_extra(hf, "audio.subsampling", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, depth + 2 * (depth + point), 1, 1);
    kvb_hf_linear(hf, "audio.input", KVB_ROLE_AUDIO, WIDE, (uint64_t)WIDE * (MELS / 8), true);
    kvb_hf_extra(hf, "audio.mean_variance", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, MELS, 2, 1);
    kvb_hf_extra(hf, "audio.relative_bias", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, BUCKETS, HEADS, 1);
    kvb_hf_extra(hf, "audio.feed_forward", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, 2 * feed, 1, LAYERS);
    kvb_hf_extra(hf, "audio.attention", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, 4 * point, 1, LAYERS);
    kvb_hf_extra(hf, "audio.convolution", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, mixer, 1, LAYERS);
    kvb_hf_extra(hf, "audio.layernorms", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, WIDE, 4, LAYERS);
    add_projection(hf, "audio.projection_1", "audio.projection_2", WIDE);
    add_projection(hf, "audio.projection_for_vision_1", "audio.projection_for_vision_2", WIDE);
    hf->model->encoder.has_audio = true;
}

// Its class builds both towers whatever the config says; adapters of sight and speech come with --enable-lora. Source:
// phi4mm.py and phi4mm_audio.py v0.27.1.
void kvb_hf_tower_phi4mm(struct hf *hf)
{
    add_phi4_vision(hf);
    add_phi4_audio(hf);
}

// C-RADIO: ViT-H with positions for 2048 pixels and 16 class and register tokens, four patches joined. Source: radio.py
// and nano_nemotron_vl.py v0.27.1.
void kvb_hf_tower_radio(struct hf *hf)
{
    enum { HIDDEN = 1280, INNER = 5120, LAYERS = 32, PATCH = 16, GRID = 2048 / PATCH, TOKENS = 16 };
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint64_t middle = kvb_hf_need(hf, HF_PROJECTOR_HIDDEN);
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", LAYERS, HIDDEN, INNER);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, HIDDEN, 3 * PATCH * PATCH, false);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, GRID * GRID + TOKENS, HIDDEN, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "projector.norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, HIDDEN, 4, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, middle, (uint64_t)HIDDEN * 4, false);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, hf->model->hidden_size, middle, false);
    hf->model->encoder.has_video = true;
    hf->model->encoder.merge_size = 2;
    hf->model->encoder.patch_size = PATCH;
    kvb_hf_encoder_facts(hf, LAYERS, HIDDEN, INNER, 16);
}

// SigLIP 2 whose patches, joined, are told as words of a visual vocabulary, 4 of which only mark where a picture is.
// Source: ovis2_5.py and siglip2navit.py v0.27.1.
void kvb_hf_tower_ovis(struct hf *hf)
{
    enum { MARKS = 4 };
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN), layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE), patch = kvb_hf_get(hf, HF_V_PATCH, 16);
    uint32_t merge = kvb_hf_get(hf, HF_V_MERGE, 2), words = kvb_hf_need(hf, HF_VISUAL_VOCAB);
    uint64_t told = words > MARKS ? words - MARKS : 0, grid = kvb_hf_get(hf, HF_V_IMAGE, 512) / patch;
    uint64_t pixels = kvb_mul(3, kvb_mul(patch, patch));
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", layers, hidden, inner);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, pixels, true);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY,
                 kvb_hf_get64(hf, HF_V_POSITIONS, kvb_mul(grid, grid)), hidden, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.post_layernorm", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 2, 1);
    kvb_hf_linear(hf, "visual.head", KVB_ROLE_PROJECTOR, told, kvb_mul(hidden, kvb_mul(merge, merge)), false);
    kvb_hf_extra(hf, "visual.head_norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, told, 2, 1);
    kvb_hf_extra(hf, "vte", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, words, hf->model->hidden_size, 1);
    hf->model->encoder.has_video = true;
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}
