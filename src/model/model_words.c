// A model in the words people choose by: what it takes in and gives out, how its weights are stored.
#include <stdio.h>
#include <string.h>

#include <kvbudget/models.h>

#include "base/text.h"

const char *kvb_task_name(enum kvb_task task)
{
    static const char *const names[KVB_TASK_COUNT] = {"text", "vision", "audio", "embedding", "classification"};
    return (unsigned)task < KVB_TASK_COUNT ? names[task] : NULL;
}

enum kvb_task kvb_model_task(const struct kvb_model *model)
{
    if (strstr(model->architecture, "ForSequenceClassification") != NULL ||
        strstr(model->architecture, "RewardModel") != NULL || kvb_contains_ignoring_case(model->name, "rerank")) {
        return KVB_TASK_CLASSIFICATION;
    }
    if (model->pooling || model->pools_by_default) {
        return KVB_TASK_EMBEDDING;
    }
    if (model->encoder.family == KVB_ENCODER_WHISPER) {
        return KVB_TASK_AUDIO;
    }
    if (model->encoder.family != KVB_ENCODER_NONE && (model->encoder.layers > 0 || model->encoder.patch_size > 0)) {
        return KVB_TASK_VISION;
    }
    return model->encoder.has_audio ? KVB_TASK_AUDIO : KVB_TASK_TEXT;
}

static enum kvb_quantisation_method method_of(const struct kvb_model *model)
{
    const struct kvb_quantisation *quantisation = &model->quantisation;
    bool mixed = quantisation->expert_method != KVB_QUANT_NONE;
    return mixed ? quantisation->expert_method : quantisation->method;
}

void kvb_model_format(const struct kvb_model *model, char out[32])
{
    static const char *const names[KVB_QUANT_COUNT] = {
        [KVB_QUANT_FP8] = "FP8",    [KVB_QUANT_INT8] = "INT8",   [KVB_QUANT_AWQ] = "AWQ",
        [KVB_QUANT_GPTQ] = "GPTQ",  [KVB_QUANT_WNA16] = "INT",   [KVB_QUANT_BNB4] = "BNB-4",
        [KVB_QUANT_BNB8] = "BNB-8", [KVB_QUANT_MXFP4] = "MXFP4", [KVB_QUANT_NVFP4] = "NVFP4",
        [KVB_QUANT_GGUF] = "GGUF"};
    enum kvb_quantisation_method method = method_of(model);
    if (method == KVB_QUANT_NONE) {
        (void)kvb_copy(out, 32, model->dtype == KVB_DTYPE_FP32 ? "32 bit" : "16 bit");
    } else if (method == KVB_QUANT_AWQ || method == KVB_QUANT_GPTQ || method == KVB_QUANT_WNA16) {
        (void)snprintf(out, 32, "%s-%u", names[method], (unsigned)kvb_model_format_bits(model));
    } else {
        (void)kvb_copy(out, 32, names[method]);
    }
}

uint32_t kvb_model_format_bits(const struct kvb_model *model)
{
    switch (method_of(model)) {
    case KVB_QUANT_NONE:
        return model->dtype == KVB_DTYPE_FP32 ? 32 : 16;
    case KVB_QUANT_FP8:
    case KVB_QUANT_INT8:
    case KVB_QUANT_BNB8:
        return 8;
    case KVB_QUANT_AWQ:
    case KVB_QUANT_GPTQ:
    case KVB_QUANT_WNA16:
        return model->quantisation.bits > 0 ? model->quantisation.bits : 4;
    default:
        return 4;
    }
}
