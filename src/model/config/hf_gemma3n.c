// Gemma 3n: alternating updates, low-rank residuals and per-layer embeddings around Gemma's attention; Apertus.
#include "base/checked.h"
#include "model/config/hf.h"

void kvb_hf_attention_gemma3n(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    uint64_t hidden = hf->model->hidden_size;
    uint64_t streams = kvb_hf_get(hf, HF_ALTUP, 4), rank = kvb_hf_get(hf, HF_LAUREL, 64);
    uint64_t input = kvb_hf_get(hf, HF_PER_LAYER_INPUT, 256);
    uint32_t shared = kvb_hf_get(hf, HF_KV_SHARED, 15), layers = hf->model->layer_count;
    kvb_hf_attention_standard(hf, layer, kind);
    kind->attention.shares_kv = shared < layers && layer >= layers - shared;
    // Correction, prediction, router with its norm and output scale; then the low-rank residual and the
    // per-layer input, each with a norm.
    uint64_t mixing = kvb_add(kvb_mul(kvb_mul(streams, streams), streams + 1), kvb_mul(hidden, streams + 2));
    uint64_t narrow = kvb_add(kvb_mul(kvb_mul(hidden, kvb_add(rank, input)), 2), kvb_mul(hidden, 2));
    kind->extra_elements = (uint32_t)kvb_min(kvb_add(mixing, narrow), UINT32_MAX / 2);
}

void kvb_hf_finish_gemma3n(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size;
    uint32_t streams = kvb_hf_get(hf, HF_ALTUP, 4);
    kvb_hf_finish_gemma4(hf);
    kvb_hf_extra(hf, "altup_projections", KVB_ROLE_OTHER, KVB_SPLIT_COPY, hidden, hidden, 2 * (streams - 1));
}

// MobileNetV5 and a conformer for sound, with what projects them: not taken apart here, but known together. The
// 7,849,978,192 elements of google/gemma-3n-E4B-it are 6,866,696,688 of its language model and these.
void kvb_hf_tower_gemma3n(struct hf *hf)
{
    enum { ELEMENTS = 983281504 };
    kvb_hf_finish_gemma3n(hf);
    if (kvb_hf_has(hf, HF_VISION_CONFIG) && kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        kvb_hf_extra(hf, "towers", KVB_ROLE_VISION, KVB_SPLIT_COPY, ELEMENTS, 1, 1);
        hf->model->encoder.has_audio = true;
    }
}

// Apertus: two learned numbers shape the activation of each layer.
void kvb_hf_attention_apertus(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    kvb_hf_attention_standard(hf, layer, kind);
    kind->extra_elements = 2;
}
