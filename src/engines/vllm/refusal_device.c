// Whether the GPU can run the release and the number format at all.
#include <string.h>

#include "budget/gpu_facts.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define TORCH_NEWEST_BEFORE_2_7 KVB_CAPABILITY_HOPPER
#define SPACE_BEFORE_DTYPE R(8, 0) // vllm/worker/worker.py: "setting the`dtype`" until then

static bool is_known_nvidia(const struct kvb_context *context)
{
    return context->gpu->vendor == KVB_VENDOR_NVIDIA && context->gpu->compute_capability > 0;
}

static const char no_kernel[] = "CUDA error: no kernel image is available for execution on the device";

bool kvb_refusal_kernels(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!is_known_nvidia(context) || kvb_kernels_run_on(context->gpu->compute_capability, context->release)) {
        return false;
    }
    kvb_refusal_say(out, no_kernel, NULL);
    return true;
}

// The wheels of torch before 2.7 hold nothing newer than 9.0, and no PTX.
bool kvb_refusal_torch(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!is_known_nvidia(context) ||
        KVB_CAPABILITY_MAJOR(context->gpu->compute_capability) <= KVB_CAPABILITY_MAJOR(TORCH_NEWEST_BEFORE_2_7)) {
        return false;
    }
    kvb_refusal_say(out, no_kernel, NULL);
    return true;
}

bool kvb_refusal_bfloat16(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char capability[24];
    if (!is_known_nvidia(context) || context->gpu->compute_capability >= KVB_CAPABILITY_AMPERE ||
        context->dtype != KVB_DTYPE_BF16) {
        return false;
    }
    const char *values[] = {context->gpu->name, kvb_refusal_capability(capability, context->gpu->compute_capability),
                            context->release >= SPACE_BEFORE_DTYPE ? " " : ""};
    kvb_refusal_say(
        out,
        "Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your {0} GPU has compute "
        "capability {1}. You can use float16 instead by explicitly setting the{2}`dtype` flag in CLI, for "
        "example: --dtype=half.",
        values);
    return true;
}

// Classes of the model types in _FLOAT16_NOT_SUPPORTED_MODELS (vllm/config/model.py).
static const struct {
    const char *architecture, *model_type;
    uint32_t since, gone;
} no_float16[] = {
    {"Gemma2ForCausalLM", "gemma2", R(9, 1), 0},
    {"Gemma2Model", "gemma2", R(9, 1), 0},
    {"Gemma3ForConditionalGeneration", "gemma3", R(9, 1), 0},
    {"Gemma3ForCausalLM", "gemma3_text", R(10, 2), 0},
    {"Gemma3TextModel", "gemma3_text", R(10, 2), 0},
    {"Glm4ForCausalLM", "glm4", R(9, 1), 0},
    {"Plamo2ForCausalLM", "plamo2", R(9, 1), R(27, 0)},
};

// NULL: float16 is fine for the model.
static const char *type_without_float16(const struct kvb_context *context)
{
    for (size_t i = 0; i < sizeof no_float16 / sizeof no_float16[0]; i++) {
        bool in_range = context->release >= no_float16[i].since &&
                        (no_float16[i].gone == 0 || context->release < no_float16[i].gone);
        if (in_range && strcmp(no_float16[i].architecture, context->model->architecture) == 0) {
            return no_float16[i].model_type;
        }
    }
    return NULL;
}

bool kvb_refusal_float16(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *model_type = type_without_float16(context);
    if (context->dtype != KVB_DTYPE_FP16 || model_type == NULL) {
        return false;
    }
    kvb_refusal_say(
        out,
        "The model type '{0}' does not support float16. Reason: Numerical instability. Please use bfloat16 or "
        "float32 instead.",
        &model_type);
    return true;
}

#define FALLS_BACK_SINCE R(9, 0)
#define PREFERS_SINCE R(9, 1)

// Source: vllm/config/model.py _resolve_auto_dtype; before 0.9.0 bfloat16 stayed and the worker refused it. In
// offline use whoever calls LLM() chooses, and had to choose half there.
enum kvb_dtype kvb_auto_dtype(const struct kvb_context *context)
{
    enum kvb_dtype stored = context->model->dtype;
    bool no_bfloat16 = is_known_nvidia(context) && context->gpu->compute_capability < KVB_CAPABILITY_AMPERE;
    bool needs_range = type_without_float16(context) != NULL;
    bool prefers = context->release >= PREFERS_SINCE && !context->model->pooling;
    if (stored == KVB_DTYPE_FP32) { // cast down to 16 bits
        stored = prefers || needs_range ? KVB_DTYPE_BF16 : KVB_DTYPE_FP16;
    } else if (stored == KVB_DTYPE_FP16 && needs_range) {
        stored = KVB_DTYPE_BF16;
    }
    if (stored == KVB_DTYPE_BF16 && no_bfloat16 &&
        (context->release >= FALLS_BACK_SINCE || context->plan->usage == KVB_USAGE_OFFLINE)) {
        return needs_range ? KVB_DTYPE_FP32 : KVB_DTYPE_FP16;
    }
    return stored;
}
