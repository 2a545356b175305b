// Audio encoders beside a language model: Whisper's layers in Qwen2-Audio and Qwen2.5-Omni, the windowed encoder of
// Qwen3-Omni and Qwen3-ASR.
#include "base/checked.h"
#include "model/config/hf_tower.h"

// Whisper's layers: keys have no bias, queries and values do.
struct kvb_hf_stack kvb_hf_whisper_stack(uint32_t layers, uint64_t hidden, uint64_t inner)
{
    return (struct kvb_hf_stack){.name = "audio.layers",
                                 .role = KVB_ROLE_AUDIO,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .proj_bias = true,
                                 .mlp_bias = true,
                                 .norm_bias = true,
                                 .norms = 2,
                                 .elements = kvb_mul(hidden, 2)};
}

void kvb_hf_whisper_layers(struct hf *hf, uint32_t hidden)
{
    uint64_t mels = kvb_hf_get(hf, HF_A_MELS, 128);
    struct kvb_hf_stack stack =
        kvb_hf_whisper_stack(kvb_hf_need(hf, HF_A_LAYERS), hidden, kvb_hf_need(hf, HF_A_INTERMEDIATE));
    kvb_hf_linear(hf, "audio.conv1", KVB_ROLE_AUDIO, hidden, kvb_mul(mels, 3), true);
    kvb_hf_linear(hf, "audio.conv2", KVB_ROLE_AUDIO, hidden, kvb_mul(hidden, 3), true);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "audio.ln_post", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, hidden, 2, 1);
    hf->model->encoder.has_audio = true;
}

// Whisper's encoder with its positions, one matrix to the language model: qwen2_audio.py v0.27.1.
void kvb_hf_tower_qwen2_audio(struct hf *hf)
{
    if (!kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        kvb_hf_need(hf, HF_AUDIO_CONFIG);
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_A_HIDDEN);
    kvb_hf_whisper_layers(hf, hidden);
    kvb_hf_extra(hf, "audio.positions", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_A_POSITIONS, 1500), hidden,
                 1);
    kvb_hf_linear(hf, "audio.proj", KVB_ROLE_PROJECTOR, hf->model->hidden_size, hidden, true);
}

// Whisper's encoder, four frames joined, two matrices without a bias: voxtral.py v0.27.1 AudioLanguageAdapter.
void kvb_hf_tower_voxtral(struct hf *hf)
{
    enum { JOINED = 4 };
    if (!kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        kvb_hf_need(hf, HF_AUDIO_CONFIG);
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_A_HIDDEN);
    uint64_t text = hf->model->hidden_size;
    kvb_hf_whisper_layers(hf, hidden);
    kvb_hf_extra(hf, "audio.positions", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_A_POSITIONS, 1500), hidden,
                 1);
    kvb_hf_linear(hf, "audio.w_in", KVB_ROLE_PROJECTOR, text, kvb_mul(hidden, JOINED), false);
    kvb_hf_linear(hf, "audio.w_out", KVB_ROLE_PROJECTOR, text, text, false);
}

// What is left of `bins` after three convolutions with a stride of 2.
static uint64_t halved_thrice(uint64_t bins)
{
    for (int i = 0; i < 3; i++) {
        bins = (bins + 1) / 2;
    }
    return bins;
}

// Three convolutions in two dimensions, layers with all biases, two matrices to the language model: positions are
// computed. Source: qwen3_omni_moe_thinker.py v0.27.1 Qwen3OmniMoeAudioEncoder, which qwen3_asr.py takes too.
void kvb_hf_qwen3_audio(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_A_HIDDEN);
    uint64_t channels = kvb_hf_get(hf, HF_A_DOWNSAMPLE, 480);
    uint64_t bins = halved_thrice(kvb_hf_get(hf, HF_A_MELS, 128));
    struct kvb_hf_stack stack =
        kvb_hf_biased_stack("audio.layers", kvb_hf_need(hf, HF_A_LAYERS), hidden, kvb_hf_need(hf, HF_A_INTERMEDIATE));
    stack.role = KVB_ROLE_AUDIO;
    kvb_hf_linear(hf, "audio.conv2d1", KVB_ROLE_AUDIO, channels, 9, true);
    kvb_hf_extra(hf, "audio.conv2d", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, channels, kvb_add(kvb_mul(channels, 9), 1), 2);
    kvb_hf_linear(hf, "audio.conv_out", KVB_ROLE_AUDIO, hidden, kvb_mul(channels, bins), false);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "audio.ln_post", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, hidden, 2, 1);
    kvb_hf_linear(hf, "audio.proj1", KVB_ROLE_PROJECTOR, hidden, hidden, true);
    kvb_hf_linear(hf, "audio.proj2", KVB_ROLE_PROJECTOR, kvb_hf_get(hf, HF_A_OUT, hf->model->hidden_size), hidden,
                  true);
    hf->model->encoder.has_audio = true;
}

void kvb_hf_tower_qwen3_asr(struct hf *hf)
{
    if (!kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        kvb_hf_need(hf, HF_AUDIO_CONFIG);
        return;
    }
    kvb_hf_qwen3_audio(hf);
}

// The aligner gives each token one of classify_num times instead of a word: qwen3_asr_forced_aligner.py v0.27.1.
void kvb_hf_tower_qwen3_aligner(struct hf *hf)
{
    kvb_hf_tower_qwen3_asr(hf);
    kvb_hf_extra(hf, "classifier", KVB_ROLE_OTHER, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_CLASSES, 5000),
                 hf->model->hidden_size, 1);
}
