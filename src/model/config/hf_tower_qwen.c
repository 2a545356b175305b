// The vision towers of Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5, with sound in Qwen2.5-Omni and Qwen3-Omni.
#include "base/checked.h"
#include "model/config/hf_tower.h"

struct merger {
    const char *name;
    uint64_t hidden, merged, out, norm;
};

static void add_merger(struct hf *hf, const struct merger *merger, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kvb_hf_extra(hf, merger->name, KVB_ROLE_PROJECTOR, KVB_SPLIT_ROWS, merger->merged, merger->merged + 1, 1);
        kvb_hf_extra(hf, merger->name, KVB_ROLE_PROJECTOR, KVB_SPLIT_COLUMNS, merger->out, merger->merged + 1, 1);
        kvb_hf_extra(hf, merger->name, KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, merger->norm, 1, 1);
    }
}

static uint64_t patch_inputs(struct hf *hf, uint32_t patch)
{
    uint64_t pixels = kvb_mul(patch, patch);
    return kvb_mul(kvb_mul(kvb_hf_get(hf, HF_V_CHANNELS, 3), kvb_hf_get(hf, HF_V_TEMPORAL, 2)), pixels);
}

static void start(struct hf *hf, uint32_t patch)
{
    hf->model->encoder.patch_size = patch;
    hf->model->encoder.merge_size = 2;
    hf->model->encoder.temporal_patch_size = 2;
    hf->model->encoder.has_video = true;
}

// Qwen2-VL calls its own width embed_dim; its hidden_size is the language model's.
void kvb_hf_tower_qwen2_vl(struct hf *hf)
{
    uint32_t hidden = kvb_hf_get(hf, HF_V_EMBED, 1280);
    uint32_t layers = kvb_hf_tower_layers(hf, 32);
    uint64_t inner = kvb_mul(hidden, kvb_hf_get64(hf, HF_V_MLP_RATIO, 4000000)) / 1000000;
    uint64_t merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    struct kvb_hf_stack stack = kvb_hf_biased_stack("visual.blocks", layers, hidden, inner);
    struct merger merger = {"visual.merger", hidden, kvb_mul(hidden, kvb_mul(merge, merge)), hf->model->hidden_size,
                            kvb_mul(hidden, 2)};
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    start(hf, 14);
    kvb_hf_linear(hf, "visual.patch_embed", KVB_ROLE_VISION, hidden, patch_inputs(hf, kvb_hf_get(hf, HF_V_PATCH, 14)),
                  false);
    kvb_hf_stack_read(hf, &stack);
    add_merger(hf, &merger, 1);
    kvb_hf_encoder_facts(hf, layers, hidden, (uint32_t)kvb_min(inner, UINT32_MAX), kvb_hf_get(hf, HF_V_HEADS, 16));
}

void kvb_hf_tower_qwen25_vl(struct hf *hf)
{
    uint32_t hidden = kvb_hf_get(hf, HF_V_HIDDEN, 1280);
    uint32_t layers = kvb_hf_tower_layers(hf, 32);
    uint32_t inner = kvb_hf_get(hf, HF_V_INTERMEDIATE, 3420);
    uint64_t merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    struct kvb_hf_stack stack = kvb_hf_biased_stack("visual.blocks", layers, hidden, inner);
    struct merger merger = {"visual.merger", hidden, kvb_mul(hidden, kvb_mul(merge, merge)),
                            kvb_hf_get(hf, HF_V_OUT, hf->model->hidden_size), hidden};
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    start(hf, 14);
    stack.norm_bias = false;
    hf->model->encoder.gated = stack.gated = true;
    kvb_hf_linear(hf, "visual.patch_embed", KVB_ROLE_VISION, hidden, patch_inputs(hf, kvb_hf_get(hf, HF_V_PATCH, 14)),
                  false);
    kvb_hf_stack_read(hf, &stack);
    add_merger(hf, &merger, 1);
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Qwen3-VL and Qwen3.5: learned positions; every deepstack index has a merger of its own.
void kvb_hf_tower_qwen3_vl(struct hf *hf)
{
    if (!kvb_hf_has_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint64_t merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    uint64_t merged = kvb_mul(hidden, kvb_mul(merge, merge));
    uint64_t out = kvb_hf_get(hf, HF_V_OUT, hf->model->hidden_size);
    struct kvb_hf_stack stack = kvb_hf_biased_stack("visual.blocks", layers, hidden, inner);
    struct merger merger = {"visual.merger", hidden, merged, out, kvb_mul(hidden, 2)};
    struct merger deep = {"visual.deepstack_merger", hidden, merged, out, kvb_mul(merged, 2)};
    start(hf, 16);
    kvb_hf_linear(hf, "visual.patch_embed", KVB_ROLE_VISION, hidden, patch_inputs(hf, kvb_hf_get(hf, HF_V_PATCH, 16)),
                  true);
    kvb_hf_extra(hf, "visual.pos_embed", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_hf_get(hf, HF_V_POSITIONS, 2304), hidden,
                 1);
    kvb_hf_stack_read(hf, &stack);
    add_merger(hf, &merger, 1);
    hf->model->encoder.deepstack_levels = (uint8_t)kvb_min(kvb_hf_list_length(hf, HF_V_DEEPSTACK), 16);
    add_merger(hf, &deep, hf->model->encoder.deepstack_levels);
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}

// Whisper's encoder without its positions, two vectors around a sound, a projection.
static void add_audio(struct hf *hf)
{
    uint32_t hidden = kvb_hf_need(hf, HF_A_HIDDEN);
    uint64_t out = kvb_hf_get(hf, HF_A_OUT, hf->model->hidden_size);
    kvb_hf_whisper_layers(hf, hidden);
    kvb_hf_extra(hf, "audio.bos_eos", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, 2, out, 1);
    kvb_hf_linear(hf, "audio.proj", KVB_ROLE_PROJECTOR, out, hidden, true);
}

// The thinker alone: talker and vocoder are not loaded by a text server.
void kvb_hf_tower_omni(struct hf *hf)
{
    kvb_hf_tower_qwen25_vl(hf);
    if (kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        add_audio(hf);
    }
}

void kvb_hf_tower_qwen3_omni(struct hf *hf)
{
    kvb_hf_tower_qwen3_vl(hf);
    if (kvb_hf_has(hf, HF_AUDIO_CONFIG)) {
        kvb_hf_qwen3_audio(hf);
    }
}
