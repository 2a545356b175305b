// CLIP, InternViT and SigLIP towers around ordinary language models: LLaVA, InternVL, Idefics 3, PaliGemma.
#include "base/checked.h"
#include "model/config/hf_tower.h"

static uint64_t square(uint64_t side)
{
    return kvb_mul(side, side);
}

// CLIP without its last projection: class token, positions, a norm before and one after.
static void add_clip(struct hf *hf)
{
    uint32_t hidden = hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = hf_need(hf, HF_V_LAYERS);
    uint32_t inner = hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = hf_get(hf, HF_V_PATCH, 14);
    uint64_t grid = hf_get(hf, HF_V_IMAGE, 336) / patch;
    struct hf_stack stack = hf_biased_stack("vision.layers", layers, hidden, inner);
    hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, square(patch)), false);
    hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, square(grid) + 2, hidden, 1); // class twice
    hf_stack(hf, &stack);
    hf_extra(hf, "vision.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 4, 1);
    hf->model->encoder.tokens_per_image = (uint32_t)kvb_min(square(grid), UINT32_MAX);
    hf_encoder_facts(hf, layers, hidden, inner, hf_get(hf, HF_V_HEADS, 16));
}

// LLaVA 1.5 and LLaVA-NeXT (which adds one vector that ends a row of tiles), OneVision.
void hf_tower_llava(struct hf *hf)
{
    uint64_t text = hf->model->hidden_size;
    if (!hf_has_vision(hf)) {
        hf_need(hf, HF_VISION_CONFIG);
        return;
    }
    if (hf_word_is(hf, HF_V_TYPE, "siglip_vision_model")) {
        hf_siglip(hf);
    } else if (hf_word_is(hf, HF_V_TYPE, "pixtral")) {
        hf_pixtral(hf);
        hf->model->encoder.family = KVB_ENCODER_PIXTRAL;
    } else {
        add_clip(hf);
    }
    hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, text, hf_get(hf, HF_V_HIDDEN, 1024), true);
    hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, text, text, true);
    if (hf->architecture->name[5] != 'F') {
        hf_extra(hf, "image_newline", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, text, 1, 1);
    }
}

// InternViT scales both branches of a layer; four patches become one token.
void hf_tower_internvl(struct hf *hf)
{
    if (!hf_has_vision(hf)) {
        hf_need(hf, HF_VISION_CONFIG);
        return;
    }
    uint32_t hidden = hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = hf_need(hf, HF_V_LAYERS);
    uint32_t inner = hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = hf_get(hf, HF_V_PATCH, 14);
    uint64_t grid = hf_get(hf, HF_V_IMAGE, 448) / patch;
    uint64_t text = hf->model->hidden_size, merged = kvb_mul(hidden, 4);
    struct hf_stack stack = {.name = "vision.layers",
                             .role = KVB_ROLE_VISION,
                             .layers = layers,
                             .hidden = hidden,
                             .inner = inner,
                             .qkv_bias = hf_is(hf, HF_V_QKV_BIAS),
                             .proj_bias = true,
                             .mlp_bias = true,
                             .norm_bias = true,
                             .norms = 2,
                             .elements = kvb_mul(hidden, 2)};
    hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, square(patch)), true);
    hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, square(grid) + 2, hidden, 1); // class twice
    hf_stack(hf, &stack);
    hf_extra(hf, "projector.norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, merged, 2, 1);
    hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, text, merged, true);
    hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, text, text, true);
    hf->model->encoder.tokens_per_image = (uint32_t)kvb_min(square(grid) / 4, UINT32_MAX);
    hf->model->encoder.merge_size = 2;
    hf_encoder_facts(hf, layers, hidden, inner, hf_get(hf, HF_V_HEADS, 16));
}

// Idefics 3 and SmolVLM: scale_factor x scale_factor patches become one token.
void hf_tower_idefics3(struct hf *hf)
{
    uint64_t millionths = 0;
    if (!hf_has_vision(hf)) {
        hf_need(hf, HF_VISION_CONFIG);
        return;
    }
    if (!hf_parse_ratio(hf_word(hf, HF_SCALE_FACTOR), &millionths) || millionths < 1000000) {
        millionths = 2000000;
    }
    uint64_t joined = kvb_mul(hf_need(hf, HF_V_HIDDEN), square(millionths / 1000000));
    hf_siglip(hf);
    hf_linear(hf, "projector", KVB_ROLE_PROJECTOR, hf->model->hidden_size, joined, false);
}

void hf_tower_paligemma(struct hf *hf)
{
    if (!hf_has_vision(hf)) {
        hf_need(hf, HF_VISION_CONFIG);
        return;
    }
    struct hf_value *image = &hf->values[HF_V_IMAGE];
    if (!image->set) {
        *image = (struct hf_value){.set = true, .number = 224};
    }
    hf_siglip(hf);
    hf_linear(hf, "projector", KVB_ROLE_PROJECTOR, hf->model->hidden_size, hf_need(hf, HF_V_HIDDEN), true);
    hf->model->encoder.tokens_per_image = hf_get(hf, HF_IMAGE_TOKENS, 256);
}
