// The largest item by encoder family. Source: each processor's defaults (max_pixels, image_size, tiles) in
// the Hugging Face preprocessor configs and vllm/model_executor/models/*.py get_image_size_with_most_features.
#include "engines/vllm/encoder_items.h"

#include <string.h>

#include "base/checked.h"

#define CEIL_UNTIL KVB_RELEASE(0, 10, 0)
#define HIDDEN_TENSORS 8 // of one encoder layer at the peak of a pass
#define FRAMES_PER_TOKEN 2

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
    uint32_t hidden_tensors_v1; // alive at the peak of a pass in V1; 0: as in V0
    uint32_t hidden_tensors_v0; // 0: HIDDEN_TENSORS
    bool encoder_decoder;       // V0 profiles every sequence with an item of its own
};

// V1's figures are bounded by logs of 0.19 in which the sampler's peak was larger (docs/formulas.md).
static const struct item_row rows[] = {
    {KVB_ENCODER_QWEN2_VL, ITEM_PIXELS, 12845056, 0, 0, 0, 0, 0, false},
    {KVB_ENCODER_QWEN25_VL, ITEM_PIXELS, 12845056, 0, 0, 0, 4, 0, false},
    {KVB_ENCODER_QWEN3_VL, ITEM_PIXELS, 16777216, 0, 0, 0, 0, 0, false},
    {KVB_ENCODER_GEMMA3, ITEM_FIXED, 0, 256, 16, 1, 4, 0, false},
    {KVB_ENCODER_GEMMA4, ITEM_FIXED, 0, 280, 9, 0, 0, 0, false},
    {KVB_ENCODER_PIXTRAL, ITEM_SQUARE, 0, 0, 0, 1, 0, 0, false},
    {KVB_ENCODER_LLAMA4, ITEM_FIXED, 0, 2467, 4, 17, 0, 0, false},
    {KVB_ENCODER_MLLAMA, ITEM_FIXED, 0, 6404, 1, 4, 0, 0, true},
    {KVB_ENCODER_MINICPMV, ITEM_FIXED, 0, 640, 16, 10, 0, 0, false},
    {KVB_ENCODER_KIMI, ITEM_FIXED, 0, 4096, 4, 0, 0, 0, false},
    {KVB_ENCODER_PHI3V, ITEM_FIXED, 0, 2509, 4, 17, 0, 0, false},
    // layers keep the input, the residual and the normed tensor (whisper.py WhisperEncoderLayer.forward)
    {KVB_ENCODER_WHISPER, ITEM_FIXED, 0, 1500, 1, 0, 3, 3, true},
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

static bool switched_off(const struct kvb_context *context)
{
    const struct kvb_plan *plan = context->plan;
    bool images = !kvb_is_set(plan, KVB_SET_LIMIT_IMAGES) || kvb_number(plan, KVB_SET_LIMIT_IMAGES) > 0;
    bool videos = context->model->encoder.has_video &&
                  (!kvb_is_set(plan, KVB_SET_LIMIT_VIDEOS) || kvb_number(plan, KVB_SET_LIMIT_VIDEOS) > 0);
    return kvb_number(plan, KVB_SET_LANGUAGE_MODEL_ONLY) != 0 || kvb_number(plan, KVB_SET_SKIP_MM_PROFILING) != 0 ||
           (!images && !videos);
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

// Source of encoder_decoder: vllm/worker/enc_dec_model_runner.py profile_run.
static uint64_t items_of(const struct kvb_context *context, const struct item_row *row, uint64_t tokens)
{
    uint64_t budget = kvb_max(context->max_num_batched_tokens, tokens);
    if (context->generation == KVB_GENERATION_V0 && row->encoder_decoder) {
        return kvb_max(1, context->max_num_seqs);
    }
    if (context->generation == KVB_GENERATION_V0) {
        return kvb_max(1, kvb_min(context->max_num_seqs, context->max_num_batched_tokens / tokens));
    }
    uint64_t limit = kvb_is_set(context->plan, KVB_SET_LIMIT_IMAGES)
                         ? kvb_max(1, kvb_number(context->plan, KVB_SET_LIMIT_IMAGES))
                         : 999;
    uint64_t items = kvb_rule(context, KVB_RULE_ENCODER_ITEMS_CEIL) || context->release < CEIL_UNTIL
                         ? kvb_div_up(budget, tokens)
                         : budget / tokens;
    return kvb_max(1, kvb_min(items, kvb_mul(limit, context->max_num_seqs)));
}

// Elements of one patch alive at the peak of a pass: the MLP's and some hidden-sized ones.
static uint64_t encoder_width(const struct kvb_context *context, const struct item_row *row)
{
    const struct kvb_encoder *encoder = &context->model->encoder;
    bool copied = kvb_number(context->plan, KVB_SET_MM_ENCODER_TP_MODE) != 0;
    uint64_t ranks = copied ? 1 : context->tp;
    bool measured = context->generation == KVB_GENERATION_V1 && row->hidden_tensors_v1 > 0;
    uint64_t old = row->hidden_tensors_v0 > 0 ? row->hidden_tensors_v0 : HIDDEN_TENSORS;
    uint64_t tensors = measured ? row->hidden_tensors_v1 : old;
    return (encoder->gated ? 3ULL : 2ULL) * encoder->intermediate_size / ranks + tensors * encoder->hidden_size;
}

static uint64_t patch_elements_of(const struct kvb_encoder *encoder)
{
    if (encoder->mel_bins > 0) {
        return (uint64_t)FRAMES_PER_TOKEN * encoder->mel_bins;
    }
    return (uint64_t)3 * encoder->patch_size * encoder->patch_size *
           (encoder->temporal_patch_size > 0 ? encoder->temporal_patch_size : 1);
}

void kvb_encoder_load(const struct kvb_context *context, struct kvb_encoder_load *load)
{
    memset(load, 0, sizeof *load);
    const struct kvb_encoder *encoder = &context->model->encoder;
    const struct item_row *row = row_of(encoder->family);
    if (row == NULL || switched_off(context)) {
        return;
    }
    uint64_t element = kvb_dtype_bytes(context->dtype);
    uint64_t merged = (uint64_t)encoder->merge_size * encoder->merge_size;
    uint64_t per_token = row->patches_per_token > 0 ? row->patches_per_token : kvb_max(1, merged);
    load->tokens_per_item = tokens_of(context, row);
    load->items = items_of(context, row, load->tokens_per_item);
    load->patches = kvb_mul(kvb_mul(load->tokens_per_item, load->items), per_token);
    load->kept_tokens = kvb_mul(load->tokens_per_item, load->items);
    uint64_t patch_elements = patch_elements_of(encoder);
    load->pixel_bytes = row->tiles > 0 ? kvb_mul(kvb_mul(load->items, row->tiles),
                                                 element * 3 * encoder->image_size * encoder->image_size)
                                       : kvb_mul(load->patches, patch_elements * element);
    uint64_t pass = kvb_mul(load->patches, encoder_width(context, row));
    load->peak_bytes = kvb_add(kvb_mul(pass, element), load->pixel_bytes);
}
