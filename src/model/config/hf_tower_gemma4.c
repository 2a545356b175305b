// Gemma 4's vision tower (gated, normed queries and keys) and its conformer for sound.
#include "base/checked.h"
#include "model/config/hf_tower.h"

static void add_vision(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t heads = kvb_hf_need(hf, HF_V_HEADS);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 16);
    uint32_t head = kvb_hf_get(hf, HF_V_HEAD_DIM, heads ? hidden / heads : 0);
    struct kvb_hf_stack stack = {.name = "vision.layers",
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .width = kvb_mul(heads, head),
                                 .gated = true,
                                 .norms = 4,
                                 .elements = kvb_mul(head, 2)};
    kvb_hf_linear(hf, "vision.patch_embedder", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_mul(patch, patch)), false);
    kvb_hf_extra(hf, "vision.position_table", KVB_ROLE_VISION, KVB_SPLIT_COPY,
                 kvb_hf_get(hf, HF_V_POSITION_TABLE, 10240), hidden, 2);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_linear(hf, "embed_vision", KVB_ROLE_PROJECTOR, hf->model->hidden_size, hidden, false);
    hf->model->encoder.gated = true;
    hf->model->encoder.has_video = true;
    hf->model->encoder.merge_size = kvb_hf_get(hf, HF_V_POOL, 3);
    hf->model->encoder.tokens_per_image = kvb_hf_get(hf, HF_IMAGE_TOKENS, kvb_hf_get(hf, HF_V_OUT_TOKENS, 280));
    kvb_hf_encoder_facts(hf, layers, hidden, inner, heads);
}

// One conformer layer: two feed-forwards, attention with relative keys, a light convolution.
static void add_conformer(struct hf *hf, uint64_t hidden, uint32_t layers)
{
    uint64_t heads = kvb_hf_get(hf, HF_A_HEADS, 8);
    uint64_t norms = kvb_mul(hidden, 9); // 2 x 2 feed-forward, 2 convolution, 3 around
    uint64_t vectors =
        kvb_add(kvb_mul(hidden, kvb_hf_get(hf, HF_A_KERNEL, 5)), kvb_add(norms, heads ? hidden / heads : 0));
    kvb_hf_extra(hf, "audio.ffw_in", KVB_ROLE_AUDIO, KVB_SPLIT_ROWS, kvb_mul(hidden, 8), hidden, layers);
    kvb_hf_extra(hf, "audio.ffw_out", KVB_ROLE_AUDIO, KVB_SPLIT_COLUMNS, hidden, kvb_mul(hidden, 8), layers);
    kvb_hf_extra(hf, "audio.attention", KVB_ROLE_AUDIO, KVB_SPLIT_ROWS, kvb_mul(hidden, 5), hidden, layers);
    kvb_hf_extra(hf, "audio.conv_linear", KVB_ROLE_AUDIO, KVB_SPLIT_ROWS, kvb_mul(hidden, 3), hidden, layers);
    kvb_hf_extra(hf, "audio.vectors", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, vectors, 1, layers);
}

static void add_audio(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_A_HIDDEN);
    uint64_t first = kvb_hf_list_get(hf, HF_A_CHANNELS, 0, 128), second = kvb_hf_list_get(hf, HF_A_CHANNELS, 1, 32);
    uint64_t out = kvb_hf_get(hf, HF_A_OUT, 1536);
    kvb_hf_extra(hf, "audio.conv0", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, first, 9 + 1, 1); // 3 x 3 and a norm
    kvb_hf_extra(hf, "audio.conv1", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, second, kvb_add(kvb_mul(first, 9), 1), 1);
    kvb_hf_linear(hf, "audio.input_proj", KVB_ROLE_AUDIO, hidden, kvb_mul(first / 4, second), false);
    add_conformer(hf, hidden, kvb_hf_need(hf, HF_A_LAYERS));
    kvb_hf_linear(hf, "audio.output_proj", KVB_ROLE_AUDIO, out, hidden, true);
    kvb_hf_linear(hf, "embed_audio", KVB_ROLE_PROJECTOR, hf->model->hidden_size, out, false);
    hf->model->encoder.has_audio = true;
}

static void set_direction(struct hf *hf)
{
    hf->model->encoder.both_ways = kvb_hf_word_is(hf, HF_BIDIRECTIONAL, "vision");
}

void kvb_hf_tower_gemma4(struct hf *hf)
{
    kvb_hf_finish_gemma4(hf);
    set_direction(hf);
    if (kvb_hf_has_vision(hf)) {
        add_vision(hf);
    }
    if (kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        add_audio(hf);
    }
}

// Gemma 4 Unified has no tower: patches of 48 pixels and frames of sound are projected. Source: gemma4_unified.py
// v0.23.0 Gemma4UnifiedVisionEmbedder.
void kvb_hf_tower_gemma4_unified(struct hf *hf)
{
    uint64_t text = hf->model->hidden_size;
    set_direction(hf);
    if (kvb_hf_has_vision(hf)) {
        uint64_t hidden = kvb_hf_get(hf, HF_V_EMBED, 3840), patch = kvb_hf_get(hf, HF_V_PATCH, 16);
        uint64_t side = kvb_mul(patch, kvb_hf_get(hf, HF_V_POOL, 3)), pixels = kvb_mul(3, kvb_mul(side, side));
        kvb_hf_extra(hf, "vision.patch_ln1", KVB_ROLE_VISION, KVB_SPLIT_COPY, pixels, 2, 1);
        kvb_hf_extra(hf, "vision.patch_dense", KVB_ROLE_VISION, KVB_SPLIT_ROWS, hidden, kvb_add(pixels, 1), 1);
        kvb_hf_extra(hf, "vision.layernorms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 4, 1);
        kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_V_POSITIONS, 1120),
                     hidden, 2);
        kvb_hf_linear(hf, "embed_vision", KVB_ROLE_PROJECTOR, text, hidden, false);
        hf->model->encoder.has_video = true;
        hf->model->encoder.patch_size = (uint32_t)patch;
        hf->model->encoder.merge_size = kvb_hf_get(hf, HF_V_POOL, 3);
        hf->model->encoder.tokens_per_image = kvb_hf_get(hf, HF_V_OUT_TOKENS, 280);
    }
    if (kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        kvb_hf_linear(hf, "embed_audio", KVB_ROLE_PROJECTOR, text, kvb_hf_get(hf, HF_A_HIDDEN, 640), false);
        hf->model->encoder.has_audio = true;
    }
}
