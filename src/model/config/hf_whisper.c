// Whisper: every decoder layer attends to itself and then to the sound, so it stands as two layers here.
#include "base/checked.h"
#include "model/config/hf_tower.h"

static void set_shape(struct hf *hf, struct kvb_layer_kind *kind)
{
    struct kvb_attention_shape *shape = &kind->attention;
    kvb_hf_set_heads(hf, shape);
    shape->query_bias_only = true; // keys have none, values have one
    shape->output_bias = true;
    kind->extra_elements = (uint32_t)kvb_min(kvb_mul(shape->heads, shape->head_size), UINT32_MAX);
}

void kvb_hf_attention_whisper(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    set_shape(hf, kind);
    kind->attention.kind = layer % 2 ? KVB_ATTENTION_CROSS : KVB_ATTENTION_FULL;
    kind->norms = layer % 2 ? 2 : 1;
}

void kvb_hf_mlp_whisper(struct hf *hf, uint32_t layer, struct kvb_layer_kind *kind)
{
    if (layer % 2) {
        kvb_hf_mlp_standard(hf, layer, kind);
    }
}

void kvb_hf_finish_whisper(struct hf *hf)
{
    uint64_t hidden = hf->model->hidden_size;
    uint64_t mels = kvb_hf_get(hf, HF_MEL_BINS, 80);
    uint32_t layers = kvb_hf_need(hf, HF_ENCODER_LAYERS);
    uint32_t inner = kvb_hf_need(hf, HF_ENCODER_INNER);
    struct kvb_hf_stack stack = kvb_hf_whisper_stack(layers, hidden, inner);
    kvb_hf_extra(hf, "decoder.positions", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_TARGET_POSITIONS, 448),
                 hidden, 1);
    kvb_hf_linear(hf, "audio.conv1", KVB_ROLE_AUDIO, hidden, kvb_mul(mels, 3), true);
    kvb_hf_linear(hf, "audio.conv2", KVB_ROLE_AUDIO, hidden, kvb_mul(hidden, 3), true);
    kvb_hf_extra(hf, "audio.positions", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_SOURCE_POSITIONS, 1500),
                 hidden, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "audio.layer_norm", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, hidden, 2, 1);
    hf->model->encoder.has_audio = true;
    hf->model->encoder.mel_bins = (uint32_t)kvb_min(mels, UINT32_MAX);
    hf->model->encoder.layers = layers;
    hf->model->encoder.hidden_size = hf->model->hidden_size;
    hf->model->encoder.intermediate_size = inner;
    hf->model->encoder.heads = kvb_hf_get(hf, HF_ENCODER_HEADS, 20);
    hf->model->encoder.tokens_per_image = kvb_hf_get(hf, HF_SOURCE_POSITIONS, 1500);
}
