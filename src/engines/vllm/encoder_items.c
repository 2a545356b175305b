// The largest item by encoder family. Source: each processor's defaults (max_pixels, image_size, tiles) in
// the Hugging Face preprocessor configs and vllm/model_executor/models/*.py get_image_size_with_most_features.
#include "engines/vllm/encoder_items.h"

#include <string.h>

#include "base/checked.h"

#define CEIL_UNTIL KVB_RELEASE(0, 10, 0)
#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define HIDDEN_TENSORS_V0 8 // of one encoder layer at the peak of a pass
#define HIDDEN_TENSORS_V1 4 // the layer's input, its norm, position embeddings, what attention returned
#define QWEN3_VL_COUNTED_SINCE R(12, 0)
#define COPIES_TURNED_SINCE R(15, 0)
#define FRAMES_PER_TOKEN 2
#define PICTURES_SUBTRACTED_UNTIL R(10, 1)
#define OUTPUTS_PADDED_SINCE R(11, 0) // gpu_model_runner.py v0.12.0: outputs are copied into the announced size
#define OUTPUTS_PADDED_UNTIL R(13, 0)
// gpu/model_runner.py profile_run: no encoder before; then its inputs are freed with the pass
// (gpu/mm/encoder_runner.py)
#define V2_ENCODES_SINCE R(27, 0)
#define GEMMA4_CHUNKS_SINCE R(22, 0)
#define GEMMA4_FRAME_PATCHES 630
#define GEMMA4_PICTURE_PATCHES 2520
#define GEMMA4_POSITION_BYTES (4ULL * 10240 * 8)

// How the tokens of the largest picture follow from the config.
enum item_rule {
    ITEM_PIXELS, // a budget of pixels; one token covers (patch x merge) squared
    ITEM_FIXED,  // tokens_per_image, or the row's own figure
    ITEM_SQUARE, // image_size squared over (patch x merge) squared
};

struct item_row {
    enum kvb_encoder_family family;
    enum item_rule rule;
    uint64_t pixels;            // ITEM_PIXELS
    uint32_t tokens;            // ITEM_FIXED, when the config does not say
    uint32_t patches_per_token; // 0: merge_size squared
    uint32_t tiles;             // pictures of image_size per item, for the dummy pixels
    uint32_t hidden_tensors_v1; // alive at the peak of a pass in V1; 0: HIDDEN_TENSORS_V1
    uint32_t hidden_tensors_v0; // 0: HIDDEN_TENSORS_V0
    bool encoder_decoder;       // V0 profiles every sequence with an item of its own
};

// Qwen2.5-VL's norms are fused and keep one more (qwen2_5_vl.py Qwen2_5_VisionBlock): a 0.23.0 log solves to 6 with the
// pixels. Llama 4 keeps fewer than 8 (0.19 log).
static const struct item_row rows[] = {
    {KVB_ENCODER_QWEN2_VL, ITEM_PIXELS, 16384 * 28 * 28, 0, 0, 0, 0, 0, false},
    {KVB_ENCODER_QWEN25_VL, ITEM_PIXELS, 16384 * 28 * 28, 0, 0, 0, 5, 0, false},
    {KVB_ENCODER_QWEN3_VL, ITEM_PIXELS, 16384 * 32 * 32, 0, 0, 0, 0, 0, false},
    {KVB_ENCODER_GEMMA3, ITEM_FIXED, 0, 256, 16, 1, 0, 0, false},
    {KVB_ENCODER_GEMMA4, ITEM_FIXED, 0, 280, 9, 0, 0, 0, false},
    {KVB_ENCODER_PIXTRAL, ITEM_SQUARE, 0, 0, 0, 1, 0, 0, false},
    {KVB_ENCODER_LLAMA4, ITEM_FIXED, 0, 2467, 4, 17, 6, 0, false},
    {KVB_ENCODER_MLLAMA, ITEM_FIXED, 0, 6404, 1, 4, 0, 0, true},
    {KVB_ENCODER_MINICPMV, ITEM_FIXED, 0, 640, 16, 10, 0, 0, false},
    {KVB_ENCODER_KIMI, ITEM_FIXED, 0, 4096, 4, 0, 0, 0, false},
    {KVB_ENCODER_PHI3V, ITEM_FIXED, 0, 2509, 4, 17, 0, 0, false},
    // max_pixels of its preprocessor; queries and keys turned as 32-bit numbers keep 20 hidden tensors in attention: 12
    // beside the three of the MLP (dots_ocr.py v0.11.1 DotsVisionAttention); a picture of 512 pixels is one tile
    // (lfm2_vl.py v0.27.1); a token is one patch of 48 pixels, 9 of 16 (gemma4_unified.py v0.23.0)
    {KVB_ENCODER_DOTS, ITEM_PIXELS, 14400 * 28 * 28, 0, 0, 0, 12, 0, false},
    {KVB_ENCODER_LFM2, ITEM_FIXED, 0, 256, 4, 1, 0, 0, false},
    {KVB_ENCODER_GEMMA4_UNIFIED, ITEM_FIXED, 0, 280, 9, 0, 0, 0, false},
    // layers keep the input, the residual and the normed tensor (whisper.py WhisperEncoderLayer.forward)
    {KVB_ENCODER_WHISPER, ITEM_FIXED, 0, 1500, 1, 0, 3, 3, true},
};

// The largest video: the last row counts that the release has. Pairs of frames: as many pictures as fit max_model_len,
// up to a most.
struct video_row {
    enum kvb_encoder_family family;
    uint32_t since;       // release
    uint32_t pairs;       // the most; 0: the figures beside it hold whatever the length
    uint64_t tokens;      // announced: what modalities are compared by
    uint64_t real_tokens; // the encoder's output
};

// Sources: qwen2_vl.py _MAX_FRAMES_PER_VIDEO (16 to v0.10.2, then 14); qwen3_vl.py v0.12.0 get_max_video_tokens (12.5
// tokens announced for each of 25,165,824 pixels / 2 frames / 32 squared), v0.13.0, v0.15.0; minicpmv.py v0.20.0:675
// (16 frames of one slice).
static const struct video_row video_rows[] = {
    {KVB_ENCODER_QWEN2_VL, R(8, 0), 8, 0, 0},
    {KVB_ENCODER_QWEN2_VL, R(11, 0), 7, 0, 0},
    {KVB_ENCODER_QWEN25_VL, R(8, 0), 8, 0, 0},
    {KVB_ENCODER_QWEN25_VL, R(11, 0), 7, 0, 0},
    {KVB_ENCODER_QWEN3_VL, 0, 0, 153600, 12288},
    {KVB_ENCODER_QWEN3_VL, R(13, 0), 0, 12288, 12288},
    {KVB_ENCODER_MINICPMV, R(8, 0), 0, 1056, 1024},
    {KVB_ENCODER_GEMMA4, R(19, 0), 0, KVB_GEMMA4_VIDEO_TOKENS, 2240},
    {KVB_ENCODER_GEMMA4_UNIFIED, 0, 0, KVB_GEMMA4_VIDEO_TOKENS, 2240},
};

// One item of a modality.
struct item {
    uint64_t tokens, real_tokens; // announced, and what the encoder returns; 0: the modality is off
    enum kvb_setting limit;
};

static const struct item_row *row_of(enum kvb_encoder_family family)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].family == family) {
            return &rows[i];
        }
    }
    return NULL;
}

// Source: vllm/multimodal/registry.py supports_multimodal_inputs.
static bool takes_items(const struct kvb_context *context)
{
    const struct kvb_plan *plan = context->plan;
    const struct kvb_encoder *encoder = &context->model->encoder;
    if (!kvb_model_is_multimodal(context->model)) {
        return false;
    }
    bool sounds =
        encoder->has_audio && (!kvb_is_set(plan, KVB_SET_LIMIT_AUDIOS) || kvb_number(plan, KVB_SET_LIMIT_AUDIOS) > 0);
    bool images = !kvb_is_set(plan, KVB_SET_LIMIT_IMAGES) || kvb_number(plan, KVB_SET_LIMIT_IMAGES) > 0;
    bool videos =
        encoder->has_video && (!kvb_is_set(plan, KVB_SET_LIMIT_VIDEOS) || kvb_number(plan, KVB_SET_LIMIT_VIDEOS) > 0);
    return kvb_number(plan, KVB_SET_LANGUAGE_MODEL_ONLY) == 0 && (images || videos || sounds);
}

static uint64_t tokens_of(const struct kvb_context *context, const struct item_row *row)
{
    const struct kvb_encoder *encoder = &context->model->encoder;
    uint64_t side = (uint64_t)encoder->patch_size * (encoder->merge_size > 0 ? encoder->merge_size : 1);
    side = side > 0 ? side : 28;
    uint64_t pixels = row->pixels;
    switch (row->rule) {
    case ITEM_PIXELS:
        if (kvb_is_set(context->plan, KVB_SET_MM_MAX_PIXELS)) {
            pixels = kvb_number(context->plan, KVB_SET_MM_MAX_PIXELS);
        }
        return kvb_max(1, pixels / (side * side));
    case ITEM_SQUARE:
        return kvb_max(1, (encoder->image_size / side) * (encoder->image_size / side));
    default:
        return encoder->tokens_per_image > 0 ? encoder->tokens_per_image : row->tokens;
    }
}

static bool allowed(const struct kvb_context *context, enum kvb_setting limit)
{
    return !kvb_is_set(context->plan, limit) || kvb_number(context->plan, limit) > 0;
}

static uint64_t video_pairs(const struct kvb_context *context, const struct video_row *row, uint64_t picture)
{
    uint64_t length = context->max_model_len;
    uint64_t pictures =
        kvb_is_set(context->plan, KVB_SET_LIMIT_IMAGES) ? kvb_number(context->plan, KVB_SET_LIMIT_IMAGES) : 1;
    if (context->release < PICTURES_SUBTRACTED_UNTIL) {
        uint64_t taken = kvb_mul(pictures, picture);
        length -= kvb_min(length, taken);
    }
    return kvb_max(1, kvb_min(length / picture, row->pairs));
}

static struct item video_of(const struct kvb_context *context, uint64_t picture)
{
    const struct kvb_encoder *encoder = &context->model->encoder;
    struct item item = {0, 0, KVB_SET_LIMIT_VIDEOS};
    if (context->generation == KVB_GENERATION_V0 || !encoder->has_video || !allowed(context, KVB_SET_LIMIT_VIDEOS)) {
        return item;
    }
    for (size_t i = 0; i < sizeof video_rows / sizeof video_rows[0]; i++) {
        const struct video_row *row = &video_rows[i];
        if (row->family == encoder->family && context->release >= row->since) {
            uint64_t pairs = row->pairs != 0 ? kvb_mul(video_pairs(context, row, picture), picture) : 0;
            item.tokens = kvb_max(pairs, row->tokens);
            item.real_tokens = kvb_max(pairs, row->real_tokens);
        }
    }
    return item;
}

// The modality whose item has the most tokens is the one that is profiled.
// Source: vllm/v1/worker/gpu_model_runner.py v0.8.5:1594, multimodal/encoder_budget.py v0.21.0
// get_modality_with_max_tokens.
static struct item largest_item(const struct kvb_context *context, const struct item_row *row)
{
    uint64_t picture = tokens_of(context, row);
    struct item image = {picture, picture, KVB_SET_LIMIT_IMAGES};
    struct item video = video_of(context, picture);
    if (!allowed(context, KVB_SET_LIMIT_IMAGES) && video.tokens > 0) {
        return video;
    }
    return video.tokens > image.tokens ? video : image;
}

// Source of encoder_decoder: vllm/worker/enc_dec_model_runner.py profile_run.
static uint64_t items_of(const struct kvb_context *context, const struct item_row *row, const struct item *item)
{
    uint64_t tokens = item->tokens;
    uint64_t budget = kvb_max(context->max_num_batched_tokens, tokens);
    if (context->generation == KVB_GENERATION_V0 && row->encoder_decoder) {
        return kvb_max(1, context->max_num_seqs);
    }
    if (context->generation == KVB_GENERATION_V0) {
        return kvb_max(1, kvb_min(context->max_num_seqs, context->max_num_batched_tokens / tokens));
    }
    uint64_t limit = kvb_is_set(context->plan, item->limit) ? kvb_max(1, kvb_number(context->plan, item->limit)) : 999;
    uint64_t items = kvb_rule(context, KVB_RULE_ENCODER_ITEMS_CEIL) || context->release < CEIL_UNTIL
                         ? kvb_div_up(budget, tokens)
                         : budget / tokens;
    return kvb_max(1, kvb_min(items, kvb_mul(limit, context->max_num_seqs)));
}

// Qwen3-VL's tower, which Qwen3.5 to 3.8 have too. In attention the layer's input, its norm, position embeddings and
// what the projection returns are whole on each rank; of its heads there are three parts of the fused projection,
// queries and keys laid out anew (from 0.15) and turned, and what attention returns. Several ranks add the sum over
// them, to the MLP too. Source: models/qwen3_vl.py v0.12.0 and v0.27.1 Qwen3_VisionBlock, qwen2_5_vl.py v0.12.0,
// v0.15.0 and v0.27.1 Qwen2_5_VisionAttention.
static uint64_t qwen3_vl_width(const struct kvb_context *context, uint64_t ranks, uint64_t mlp)
{
    const struct kvb_encoder *encoder = &context->model->encoder;
    uint64_t split = context->release >= COPIES_TURNED_SINCE ? 8 : 6;
    uint64_t whole = HIDDEN_TENSORS_V1 + (ranks > 1);
    uint64_t attention = (whole + split / ranks) * encoder->hidden_size;
    uint64_t second = (whole + 1) * encoder->hidden_size + encoder->intermediate_size / ranks;
    return kvb_max(mlp, kvb_max(attention, second));
}

// Elements of one patch alive at the peak of a pass: the MLP's and some hidden-sized ones.
static uint64_t encoder_width(const struct kvb_context *context, const struct item_row *row)
{
    const struct kvb_encoder *encoder = &context->model->encoder;
    bool copied = kvb_number(context->plan, KVB_SET_MM_ENCODER_TP_MODE) != 0;
    uint64_t ranks = copied ? 1 : context->tp;
    uint64_t old = row->hidden_tensors_v0 > 0 ? row->hidden_tensors_v0 : HIDDEN_TENSORS_V0;
    uint64_t now = row->hidden_tensors_v1 > 0 ? row->hidden_tensors_v1 : HIDDEN_TENSORS_V1;
    uint64_t tensors = context->generation == KVB_GENERATION_V1 ? now : old;
    uint64_t mlp = (encoder->gated ? 3ULL : 2ULL) * encoder->intermediate_size / ranks + tensors * encoder->hidden_size;
    bool counted = encoder->family == KVB_ENCODER_QWEN3_VL && context->release >= QWEN3_VL_COUNTED_SINCE;
    return counted ? qwen3_vl_width(context, ranks, mlp) : mlp;
}

static uint64_t patch_elements_of(const struct kvb_encoder *encoder)
{
    if (encoder->mel_bins > 0) {
        return (uint64_t)FRAMES_PER_TOKEN * encoder->mel_bins;
    }
    return (uint64_t)3 * encoder->patch_size * encoder->patch_size *
           (encoder->temporal_patch_size > 0 ? encoder->temporal_patch_size : 1);
}

// Patches that go through the tower at once. Gemma 4 takes one picture or frame at a time, from 0.22 as many as a tenth
// of the card holds. Source: gemma4_mm.py v0.20.0 _process_video_input, v0.23.0 _encoder_chunk.
static uint64_t patches_in_pass(const struct kvb_context *context, const struct kvb_encoder_load *load)
{
    uint64_t patches = load->is_video ? GEMMA4_FRAME_PATCHES : GEMMA4_PICTURE_PATCHES;
    if (context->model->encoder.family != KVB_ENCODER_GEMMA4) {
        return load->patches;
    }
    uint64_t one = patches * GEMMA4_POSITION_BYTES;
    uint64_t chunk = context->release >= GEMMA4_CHUNKS_SINCE ? context->memory_bytes / 10 / one : 1;
    return kvb_min(load->patches, kvb_mul(patches, kvb_max(1, chunk)));
}

static bool skips_encoder(const struct kvb_context *context)
{
    bool without = context->v2_runner && context->release < V2_ENCODES_SINCE;
    return without || kvb_number(context->plan, KVB_SET_SKIP_MM_PROFILING) != 0;
}

bool kvb_encoder_is_unsized(const struct kvb_context *context)
{
    return takes_items(context) && !skips_encoder(context) && row_of(context->model->encoder.family) == NULL;
}

void kvb_encoder_load_of(const struct kvb_context *context, struct kvb_encoder_load *load)
{
    memset(load, 0, sizeof *load);
    const struct kvb_encoder *encoder = &context->model->encoder;
    const struct item_row *row = row_of(encoder->family);
    load->takes_items = takes_items(context);
    if (row == NULL || !load->takes_items || skips_encoder(context)) {
        return;
    }
    uint64_t element = kvb_dtype_bytes(context->dtype);
    uint64_t merged = (uint64_t)encoder->merge_size * encoder->merge_size;
    uint64_t per_token = row->patches_per_token > 0 ? row->patches_per_token : kvb_max(1, merged);
    struct item item = largest_item(context, row);
    bool padded = context->generation == KVB_GENERATION_V1 && context->release >= OUTPUTS_PADDED_SINCE &&
                  context->release < OUTPUTS_PADDED_UNTIL;
    load->is_video = item.limit == KVB_SET_LIMIT_VIDEOS;
    load->tokens_per_item = item.tokens;
    load->items = items_of(context, row, &item);
    load->patches = kvb_mul(kvb_mul(item.real_tokens, load->items), per_token);
    load->kept_tokens = kvb_mul(padded ? item.tokens : item.real_tokens, load->items);
    load->kept_width = kvb_mul(1 + (uint64_t)encoder->deepstack_levels, context->model->hidden_size);
    uint64_t patch_elements = patch_elements_of(encoder);
    load->pixel_bytes =
        row->tiles > 0 && !load->is_video
            ? kvb_mul(kvb_mul(load->items, row->tiles), element * 3 * encoder->image_size * encoder->image_size)
            : kvb_mul(load->patches, patch_elements * element);
    load->kept_pixel_bytes = context->v2_runner ? 0 : load->pixel_bytes;
    uint64_t pass = kvb_mul(patches_in_pass(context, load), encoder_width(context, row));
    load->peak_bytes = kvb_add(kvb_mul(pass, element), load->pixel_bytes);
}
