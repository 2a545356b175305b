// A picture projector for llama.cpp: from its GGUF file, or as the model's own encoder in 16 bits.
// Source: tools/mtmd/clip-impl.h (keys, kinds of projectors); convert_hf_to_gguf.py (MmprojModel: vectors, patches and
// positions stay in 32 bits).
#include "model/projector.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "model/checkpoint/gguf.h"

static const struct kind_row {
    const char *name;
    enum kvb_encoder_family family;
    uint32_t merge; // where the header has none
} kinds[] = {
    {"qwen2vl_merger", KVB_ENCODER_QWEN2_VL, 2},
    {"qwen2.5vl_merger", KVB_ENCODER_QWEN25_VL, 2},
    {"qwen3vl_merger", KVB_ENCODER_QWEN3_VL, 2},
    {"gemma3", KVB_ENCODER_GEMMA3, 4},
    {"gemma4v", KVB_ENCODER_GEMMA4, 3},
    {"pixtral", KVB_ENCODER_PIXTRAL, 1},
    {"kimivl", KVB_ENCODER_KIMI, 2},
};

static uint32_t number(const struct kvb_gguf *gguf, enum kvb_gguf_key key, uint32_t otherwise)
{
    const struct kvb_gguf_value *value = &gguf->values[key];
    return value->set ? (uint32_t)kvb_min(value->number, UINT32_MAX) : otherwise;
}

static enum kvb_status check(const struct kvb_gguf *gguf, const char *path, struct kvb_problems *problems)
{
    static const enum kvb_gguf_key needed[] = {GGUF_PICTURE_BLOCKS, GGUF_PICTURE_EMBEDDING, GGUF_PICTURE_FEED_FORWARD,
                                               GGUF_PICTURE_HEADS,  GGUF_PICTURE_SIZE,      GGUF_PICTURE_PATCH};
    struct kvb_place place = {.file = path};
    if (strcmp(gguf->architecture, "clip") != 0) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KIND, place,
                               "no picture projector: its architecture is '%.60s', expected 'clip'",
                               gguf->architecture);
    }
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        uint64_t value = gguf->values[needed[i]].number;
        if (value == 0) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, place, "its metadata has no 'clip.%s'",
                                   kvb_gguf_key_name(needed[i]));
        }
        if (value > 65536) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, place,
                                   "'clip.%s' is %llu; expected at most 65536", kvb_gguf_key_name(needed[i]),
                                   (unsigned long long)value);
        }
    }
    return KVB_OK;
}

static void take(const struct kvb_gguf *gguf, uint64_t bytes, struct kvb_projector *out)
{
    const struct kind_row *kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kind = strcmp(kinds[i].name, gguf->projector) == 0 ? &kinds[i] : kind;
    }
    *out = (struct kvb_projector){
        .named = true,
        .known = true,
        .header = true,
        .gated = gguf->has_gated_pictures,
        .fused_qkv = gguf->has_fused_pictures,
        .family = kind != NULL ? kind->family : KVB_ENCODER_OTHER,
        .bytes = bytes,
        .layers = number(gguf, GGUF_PICTURE_BLOCKS, 0),
        .hidden_size = number(gguf, GGUF_PICTURE_EMBEDDING, 0),
        .intermediate_size = number(gguf, GGUF_PICTURE_FEED_FORWARD, 0),
        .heads = number(gguf, GGUF_PICTURE_HEADS, 0),
        .image_size = number(gguf, GGUF_PICTURE_SIZE, 0),
        .patch_size = number(gguf, GGUF_PICTURE_PATCH, 0),
        .merge_size = (uint32_t)kvb_min(number(gguf, GGUF_PICTURE_MERGE, kind != NULL ? kind->merge : 1), 64),
        .output_size = (uint32_t)kvb_min(number(gguf, GGUF_PICTURE_OUTPUT, 0), 65536),
        .deepstack_levels = gguf->deepstack_levels,
    };
}

enum kvb_status kvb_projector_of_header(const struct kvb_gguf *gguf, uint64_t bytes, const char *path,
                                        struct kvb_projector *out, struct kvb_problems *problems)
{
    enum kvb_status status = check(gguf, path, problems);
    if (status == KVB_OK) {
        take(gguf, bytes, out);
    }
    return status;
}

enum kvb_status kvb_projector_load(const char *path, struct kvb_projector *out, struct kvb_problems *problems)
{
    struct kvb_gguf gguf;
    struct kvb_checkpoint *checkpoint = kvb_room(sizeof *checkpoint, problems);
    if (checkpoint == NULL) {
        return KVB_NO_MEMORY;
    }
    enum kvb_status status = kvb_gguf_read_path(path, &gguf, checkpoint, problems);
    if (status == KVB_OK) {
        status = kvb_projector_of_header(&gguf, checkpoint->total_bytes, path, out, problems);
    }
    kvb_free(checkpoint);
    return status;
}

// Positions and patches are matrices that stay in 32 bits.
static uint64_t bytes_of(const struct kvb_extra *extra)
{
    uint64_t elements = kvb_mul(kvb_mul(extra->rows, extra->columns), extra->count);
    bool wide = extra->columns <= 1 || strstr(extra->name, "pos_embed") != NULL ||
                strstr(extra->name, "position_embedding") != NULL || strstr(extra->name, "patch_embed") != NULL;
    return kvb_mul(elements, wide ? 4 : 2);
}

void kvb_projector_of_model(const struct kvb_model *model, struct kvb_projector *out)
{
    const struct kvb_encoder *encoder = &model->encoder;
    *out = (struct kvb_projector){.named = true};
    if (encoder->family == KVB_ENCODER_NONE || encoder->layers == 0 || encoder->patch_size == 0) {
        return;
    }
    *out = (struct kvb_projector){
        .named = true,
        .known = true,
        .gated = encoder->gated,
        .fused_qkv = encoder->family == KVB_ENCODER_QWEN3_VL,
        .family = encoder->family,
        .layers = encoder->layers,
        .hidden_size = encoder->hidden_size,
        .intermediate_size = encoder->intermediate_size,
        .heads = encoder->heads,
        .image_size = encoder->image_size > 0 ? encoder->image_size : 1024,
        .patch_size = encoder->patch_size,
        .merge_size = encoder->merge_size > 0 ? encoder->merge_size : 1,
        .output_size = model->hidden_size,
        .deepstack_levels = encoder->deepstack_levels,
    };
    for (uint32_t i = 0; i < model->extra_count; i++) {
        const struct kvb_extra *extra = &model->extras[i];
        bool tower =
            extra->role == KVB_ROLE_VISION || extra->role == KVB_ROLE_PROJECTOR || extra->role == KVB_ROLE_AUDIO;
        out->bytes = kvb_add(out->bytes, tower ? bytes_of(extra) : 0);
    }
}
