// CLIP, InternViT and SigLIP towers around ordinary language models: LLaVA, InternVL, Idefics 3, PaliGemma.
#include "base/checked.h"
#include "model/config/hf_tower.h"

// CLIP without its last projection: class token, positions, a norm before and one after.
static void add_clip(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14);
    uint64_t grid = kvb_hf_get(hf, HF_V_IMAGE, 336) / patch;
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", layers, hidden, inner);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_square(patch)), false);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_square(grid) + 2, hidden,
                 1); // class twice
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 4, 1);
    hf->model->encoder.tokens_per_image = (uint32_t)kvb_min(kvb_square(grid), UINT32_MAX);
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// LLaVA 1.5 and LLaVA-NeXT (which adds one vector that ends a row of tiles), OneVision; Granite Vision reads several
// layers of the tower side by side (llava_next.py, 0.19.0).
void kvb_hf_tower_llava(struct hf *hf)
{
    uint64_t text = hf->model->hidden_size;
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    if (kvb_hf_word_is(hf, HF_V_TYPE, "siglip_vision_model")) {
        kvb_hf_siglip(hf);
    } else if (kvb_hf_word_is(hf, HF_V_TYPE, "pixtral")) {
        kvb_hf_pixtral(hf);
        hf->model->encoder.family = KVB_ENCODER_PIXTRAL;
    } else {
        add_clip(hf);
    }
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, text,
                  kvb_mul(kvb_hf_get(hf, HF_V_HIDDEN, 1024), kvb_hf_raw_length(hf, HF_FEATURE_LAYER, 1)), true);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, text, text, true);
    if (hf->architecture->name[5] != 'F') {
        kvb_hf_extra(hf, "image_newline", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, text, 1, 1);
    }
}

// InternViT scales both branches of a layer; four patches become one token.
void kvb_hf_tower_internvl(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14);
    uint64_t grid = kvb_hf_get(hf, HF_V_IMAGE, 448) / patch;
    uint64_t text = hf->model->hidden_size, merged = kvb_mul(hidden, 4);
    struct kvb_hf_stack stack = {.name = "vision.layers",
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .qkv_bias = kvb_hf_is(hf, HF_V_QKV_BIAS),
                                 .proj_bias = true,
                                 .mlp_bias = true,
                                 .norm_bias = true,
                                 .norms = 2,
                                 .elements = kvb_mul(hidden, 2)};
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_square(patch)), true);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_square(grid) + 2, hidden,
                 1); // class twice
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "projector.norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, merged, 2, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, text, merged, true);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, text, text, true);
    hf->model->encoder.tokens_per_image = (uint32_t)kvb_min(kvb_square(grid) / 4, UINT32_MAX);
    hf->model->encoder.merge_size = 2;
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Idefics 3 and SmolVLM: scale_factor x scale_factor patches become one token.
void kvb_hf_tower_idefics3(struct hf *hf)
{
    uint64_t millionths = 0;
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    if (!kvb_hf_parse_ratio(kvb_hf_word(hf, HF_SCALE_FACTOR), &millionths) || millionths < 1000000) {
        millionths = 2000000;
    }
    uint64_t joined = kvb_mul(kvb_hf_need(hf, HF_V_HIDDEN), kvb_square(millionths / 1000000));
    kvb_hf_siglip(hf);
    kvb_hf_linear(hf, "projector", KVB_ROLE_PROJECTOR, hf->model->hidden_size, joined, false);
}

void kvb_hf_tower_paligemma(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    struct kvb_hf_value *image = &hf->values[HF_V_IMAGE];
    if (!image->set) {
        *image = (struct kvb_hf_value){.set = true, .number = 224};
    }
    kvb_hf_siglip(hf);
    kvb_hf_linear(hf, "projector", KVB_ROLE_PROJECTOR, hf->model->hidden_size, kvb_hf_need(hf, HF_V_HIDDEN), true);
    hf->model->encoder.tokens_per_image = kvb_hf_get(hf, HF_IMAGE_TOKENS, 256);
}
