// --quantization against what the checkpoint says of itself, and against the vendor. Source: sgl-project/sglang,
// python/sglang/srt/configs/model_config.py (_verify_quantization).
#include "engines/sglang/refusals.h"

#include <string.h>

struct method {
    enum kvb_quantization_word asked;
    const char *name, *takes; // the checkpoint's word that goes with it
    bool on_rocm;
};
static const struct method methods[] = {
    {KVB_QUANTIZATION_FP8, "fp8", "fp8", true}, // w8a8_fp8 is read as fp8
    {KVB_QUANTIZATION_AWQ, "awq", "awq", true},
    {KVB_QUANTIZATION_AWQ_MARLIN, "awq_marlin", "awq", false},
    {KVB_QUANTIZATION_GPTQ, "gptq", "gptq", true},
    {KVB_QUANTIZATION_GPTQ_MARLIN, "gptq_marlin", "gptq", false},
    {KVB_QUANTIZATION_BITSANDBYTES, "bitsandbytes", "bitsandbytes", false},
    {KVB_QUANTIZATION_MXFP4, "mxfp4", "mxfp4", true},
};

static const struct method *method_asked(const struct kvb_sgl_context *context)
{
    uint64_t asked = kvb_number(context->plan, KVB_SET_QUANTIZATION);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (kvb_is_set(context->plan, KVB_SET_QUANTIZATION) && methods[i].asked == asked) {
            return &methods[i];
        }
    }
    return NULL;
}

bool kvb_sgl_other_method(const struct kvb_sgl_context *context)
{
    static const char *const known[] = {"fp8", "awq", "gptq", "bitsandbytes", "mxfp4"};
    const struct method *method = method_asked(context);
    const char *stored = context->setup.model->quantisation.name;
    bool judged = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        judged = judged || strcmp(stored, known[i]) == 0;
    }
    return method != NULL && judged && strcmp(stored, method->takes) != 0;
}

bool kvb_sgl_method_not_on_rocm(const struct kvb_sgl_context *context)
{
    const struct method *method = method_asked(context);
    return context->setup.hip && method != NULL && !method->on_rocm;
}

const char *kvb_sgl_method_name(const struct kvb_sgl_context *context)
{
    const struct method *method = method_asked(context);
    return method != NULL ? method->name : "";
}
