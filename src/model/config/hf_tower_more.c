// Vision towers of Gemma 3, Mistral 3, Llama 4, Mllama, MiniCPM-V, Kimi, Phi-3-vision.
#include "base/checked.h"
#include "model/config/hf_tower.h"

void kvb_hf_tower_gemma3(struct hf *hf)
{
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    kvb_hf_siglip(hf);
    kvb_hf_linear(hf, "mm_input_projection", KVB_ROLE_PROJECTOR, hidden, hf->model->hidden_size, false);
    kvb_hf_extra(hf, "mm_soft_emb_norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, hidden, 1, 1);
    hf->model->encoder.tokens_per_image = kvb_hf_get(hf, HF_IMAGE_TOKENS, 256);
}

void kvb_hf_pixtral(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 24);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    struct kvb_hf_stack stack = {.name = "vision.layers",
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .gated = true,
                                 .norms = 2};
    kvb_hf_linear(hf, "vision.patch_conv", KVB_ROLE_VISION, hidden,
                  kvb_mul(3, kvb_square(kvb_hf_get(hf, HF_V_PATCH, 14))), false);
    kvb_hf_extra(hf, "vision.ln_pre", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 1, 1);
    kvb_hf_stack_read(hf, &stack);
    hf->model->encoder.gated = true;
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Pixtral's tower with Mistral 3's projector, which joins 2 x 2 patches.
void kvb_hf_tower_pixtral(struct hf *hf)
{
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    uint64_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint64_t text = hf->model->hidden_size;
    uint64_t merge = kvb_hf_get(hf, HF_MERGE_SIZE, 2);
    bool bias = kvb_hf_is(hf, HF_PROJECTOR_BIAS);
    kvb_hf_pixtral(hf);
    kvb_hf_extra(hf, "projector.norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, hidden, 1, 1);
    kvb_hf_linear(hf, "projector.merging", KVB_ROLE_PROJECTOR, hidden, kvb_mul(hidden, kvb_square(merge)), false);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, text, hidden, bias);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, text, text, bias);
}

void kvb_hf_tower_llama4(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14);
    uint64_t grid = kvb_hf_get(hf, HF_V_IMAGE, 336) / patch;
    uint64_t middle = kvb_hf_get(hf, HF_V_PROJECTOR_IN, 4096), out = kvb_hf_get(hf, HF_V_PROJECTOR_OUT, 4096);
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", layers, hidden, inner);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_square(patch)), false);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_square(grid) + 2, hidden,
                 1); // class twice
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 4, 1);
    kvb_hf_linear(hf, "vision.adapter_fc1", KVB_ROLE_VISION, middle, inner, false);
    kvb_hf_linear(hf, "vision.adapter_fc2", KVB_ROLE_VISION, out, middle, false);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, hf->model->hidden_size, kvb_hf_get(hf, HF_V_OUT, 4096),
                  false);
    hf->model->encoder.tokens_per_image = (uint32_t)kvb_min(kvb_square(grid) / 4, UINT32_MAX);
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Position tables per picture, per tile and per arrangement of tiles.
static void add_mllama_positions(struct hf *hf, uint32_t hidden)
{
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14);
    uint64_t patches = kvb_square(kvb_hf_get(hf, HF_V_IMAGE, 560) / patch) + 1;
    uint64_t tiles = kvb_hf_get(hf, HF_V_TILES, 4);
    uint64_t ratios = kvb_hf_raw_length(hf, HF_V_RATIOS, 8) + 1;
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_square(patch)), false);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, patches + 1, hidden, 1); // with the class
    kvb_hf_extra(hf, "vision.tile_positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, ratios,
                 kvb_mul(kvb_mul(tiles, patches), hidden), 1);
    kvb_hf_extra(hf, "vision.tile_embeddings", KVB_ROLE_VISION, KVB_SPLIT_COPY, ratios, kvb_mul(tiles, hidden), 2);
    kvb_hf_extra(hf, "vision.gates", KVB_ROLE_VISION, KVB_SPLIT_COPY, 3, 1, 1);
    kvb_hf_extra(hf, "vision.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 4, 1);
}

void kvb_hf_tower_mllama(struct hf *hf)
{
    uint64_t text = hf->model->hidden_size;
    // Eight more rows of input embeddings than of the head.
    kvb_hf_extra(hf, "embed_tokens_extra", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, 8, text, 1);
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    struct kvb_hf_stack stack = {.name = "vision.layers",
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .mlp_bias = true,
                                 .norm_bias = true,
                                 .norms = 2};
    add_mllama_positions(hf, hidden);
    kvb_hf_stack_read(hf, &stack);
    stack.name = "vision.global_layers";
    stack.layers = kvb_hf_get(hf, HF_V_GLOBAL_LAYERS, 8);
    stack.elements = 2; // the gates
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_linear(hf, "projector", KVB_ROLE_PROJECTOR, text, kvb_hf_get(hf, HF_V_OUT, 7680), true);
    kvb_hf_encoder_facts(hf, layers + stack.layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

void kvb_hf_tower_minicpmv(struct hf *hf)
{
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    uint64_t text = hf->model->hidden_size;
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t queries = kvb_hf_get(hf, HF_QUERY_TOKENS, 64);
    kvb_hf_siglip(hf);
    kvb_hf_extra(hf, "resampler.query", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, queries, text, 1);
    kvb_hf_linear(hf, "resampler.kv_proj", KVB_ROLE_PROJECTOR, text, hidden, false);
    kvb_hf_linear(hf, "resampler.in_proj", KVB_ROLE_PROJECTOR, kvb_mul(text, 3), text, true);
    kvb_hf_linear(hf, "resampler.out_proj", KVB_ROLE_PROJECTOR, text, text, true);
    kvb_hf_extra(hf, "resampler.layernorms", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, text, 6, 1);
    kvb_hf_linear(hf, "resampler.proj", KVB_ROLE_PROJECTOR, text, text, false);
    hf->model->encoder.tokens_per_image = queries;
}

// MoonViT as Kimi K2.5 has it, and K3's leaner form (no biases, RMS norms, narrow heads).
void kvb_hf_tower_kimi(struct hf *hf)
{
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t kernel = kvb_hf_list_get(hf, HF_V_MERGE_KERNEL, 0, 2);
    uint64_t merged = kvb_mul(kvb_hf_get(hf, HF_V_MM_HIDDEN, hidden), kvb_square(kernel));
    uint64_t out = kvb_hf_get(hf, HF_V_TEXT_HIDDEN, hf->model->hidden_size);
    bool lean = kvb_hf_word_is(hf, HF_V_PROJECTOR_KIND, "patchmergerv2");
    struct kvb_hf_stack stack = {.name = "vision.blocks",
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .width = kvb_hf_get(hf, HF_V_QKV, 0),
                                 .qkv_bias = !lean,
                                 .proj_bias = !lean,
                                 .mlp_bias = !lean,
                                 .norm_bias = !lean,
                                 .norms = 2};
    kvb_hf_linear(hf, "vision.patch_embed", KVB_ROLE_VISION, hidden,
                  kvb_mul(3, kvb_square(kvb_hf_get(hf, HF_V_PATCH, 14))), !lean);
    kvb_hf_extra(hf, "vision.pos_emb", KVB_ROLE_VISION, KVB_SPLIT_COPY,
                 kvb_mul(kvb_hf_get(hf, HF_V_GRID_H, 64), kvb_hf_get(hf, HF_V_GRID_W, 64)), hidden, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.final_layernorm", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, lean ? 1 : 2, 1);
    kvb_hf_extra(hf, "projector.pre_norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, hidden, lean ? 1 : 2, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, merged, merged, true);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, out, merged, true);
    hf->model->encoder.merge_size = kernel;
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Phi-3-vision names CLIP ViT-L/14 at 336 pixels and nothing of its shape.
void kvb_hf_tower_phi3v(struct hf *hf)
{
    enum { HIDDEN = 1024, INNER = 4096, LAYERS = 24, PATCHES = 577 };
    uint64_t text = hf->model->hidden_size;
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", LAYERS, HIDDEN, INNER);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, HIDDEN, 3 * 14 * 14, false);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, PATCHES + 1, HIDDEN, 1); // with the class
    kvb_hf_extra(hf, "vision.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, HIDDEN, 4, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "projector.separators", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, 2, 4 * HIDDEN, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, text, 4 * HIDDEN, true);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, text, text, true);
    hf->model->encoder.patch_size = 14;
    hf->model->encoder.image_size = 336;
    hf->model->encoder.merge_size = 2;
    kvb_hf_encoder_facts(hf, LAYERS, HIDDEN, INNER, 16);
}
