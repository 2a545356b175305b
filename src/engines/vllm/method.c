// Source: vllm/config/model.py _verify_quantization, and override_quantization_method of the classes under
// vllm/model_executor/layers/quantization at the tags named.
#include "engines/vllm/method.h"

#include <string.h>

#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define ONLINE_SINCE                                                                                                   \
    R(20, 0) // "mxfp8" of the command line is not the checkpoints' method of that name: config/quantization.py

static const char *stored_method(const struct kvb_context *context)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    return q->method != KVB_QUANT_NONE && q->name[0] != '\0' ? q->name : NULL;
}

// The word of --quantization; NULL when none is given, or one without a name of its own.
static const char *asked_method(const struct kvb_context *context, char out[48])
{
    uint64_t number = kvb_number(context->plan, KVB_SET_QUANTIZATION);
    if (number == KVB_QUANTIZATION_CHECKPOINT || number == KVB_QUANTIZATION_OTHER_OF_CHECKPOINT) {
        return NULL;
    }
    bool shorthand = number == KVB_QUANTIZATION_MXFP8 && context->release >= ONLINE_SINCE;
    return shorthand && stored_method(context) == NULL ? "online"
                                                       : kvb_setting_format(out, KVB_SET_QUANTIZATION, number);
}

// ---- What the classes take a checkpoint for

static bool is_word(const char *asked, const char *const words[])
{
    bool one = asked == NULL;
    for (size_t i = 0; !one && words[i] != NULL; i++) {
        one = strcmp(asked, words[i]) == 0;
    }
    return one;
}

// Of a method that the release knows.
static bool has_capability(const struct kvb_context *context, const char *method)
{
    uint32_t capability = context->gpu->compute_capability;
    return capability == 0 || capability >= kvb_method_of(method, context->release)->least_capability;
}

// Source: is_marlin_compatible of gptq_marlin.py and awq_marlin.py; group size 0 stands for one group per channel. GPTQ
// without zero points, AWQ with them; AWQ of 8 bits is not written by anything.
static bool suits_marlin(const struct kvb_context *context, const char *marlin, bool awq)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool group = q->group_size == 0 || q->group_size == 32 || q->group_size == 64 || q->group_size == 128;
    bool bits = q->bits == 4 || (q->bits == 8 && !awq);
    return group && bits && q->symmetric != awq && has_capability(context, marlin);
}

#define AWQ_MARLIN_ON_ROCM R(19, 0)

static bool takes_gptq_marlin(const struct kvb_context *context, const char *stored, const char *asked)
{
    static const char *const words[] = {"marlin", "gptq_marlin", NULL};
    return strcmp(stored, "gptq") == 0 && is_word(asked, words) && context->gpu->vendor == KVB_VENDOR_NVIDIA &&
           suits_marlin(context, "gptq_marlin", false);
}

static bool takes_auto_gptq(const struct kvb_context *context, const char *stored, const char *asked)
{
    static const char *const words[] = {"gptq", "gptq_marlin", "auto_gptq", "marlin", NULL};
    (void)context;
    return strcmp(stored, "gptq") == 0 && is_word(asked, words);
}

// By its word alone: without it gptq_marlin is asked first.
static bool takes_gptq_bitblas(const struct kvb_context *context, const char *stored, const char *asked)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    return strcmp(stored, "gptq") == 0 && asked != NULL && strcmp(asked, "gptq_bitblas") == 0 && q->symmetric &&
           (q->bits == 4 || q->bits == 8) && context->gpu->vendor == KVB_VENDOR_NVIDIA &&
           has_capability(context, "gptq_bitblas");
}

static bool takes_awq_marlin(const struct kvb_context *context, const char *stored, const char *asked)
{
    static const char *const words[] = {"marlin", "awq_marlin", NULL};
    bool here = context->gpu->vendor == KVB_VENDOR_NVIDIA || context->release >= AWQ_MARLIN_ON_ROCM;
    return strcmp(stored, "awq") == 0 && is_word(asked, words) && here && suits_marlin(context, "awq_marlin", true);
}

static bool takes_auto_awq(const struct kvb_context *context, const char *stored, const char *asked)
{
    static const char *const words[] = {"awq", "awq_marlin", "auto_awq", "marlin", NULL};
    (void)context;
    return strcmp(stored, "awq") == 0 && is_word(asked, words);
}

static bool takes_auto_round(const struct kvb_context *context, const char *stored, const char *asked)
{
    (void)context;
    (void)asked;
    return strcmp(stored, "auto-round") == 0;
}

// Source: moe_wna16.py is_moe_wna16_compatible.
static bool takes_moe_wna16(const struct kvb_context *context, const char *stored, const char *asked)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool gptq = strcmp(stored, "gptq") == 0 && !q->act_order && (q->bits == 4 || q->bits == 8);
    bool awq = strcmp(stored, "awq") == 0 && q->bits == 4 && has_capability(context, "awq");
    return asked != NULL && strcmp(asked, "moe_wna16") == 0 && (gptq || awq);
}

#define FP8_ALONE_SINCE R(16, 0) // before any algorithm whose name holds FP8

static bool takes_modelopt(const struct kvb_context *context, const char *stored, const char *asked)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool plain = q->scale == KVB_SCALE_TENSOR || context->release < FP8_ALONE_SINCE;
    (void)asked;
    return strcmp(stored, "modelopt") == 0 && q->method == KVB_QUANT_FP8 && plain && !kvb_method_is_mixed(q);
}

static bool takes_modelopt_fp4(const struct kvb_context *context, const char *stored, const char *asked)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    (void)asked;
    return strcmp(stored, "modelopt") == 0 && q->method == KVB_QUANT_NVFP4 && !kvb_method_is_mixed(q);
}

static bool takes_modelopt_mixed(const struct kvb_context *context, const char *stored, const char *asked)
{
    (void)asked;
    return strcmp(stored, "modelopt") == 0 && kvb_method_is_mixed(&context->model->quantisation);
}

static bool takes_gpt_oss(const struct kvb_context *context, const char *stored, const char *asked)
{
    (void)asked;
    return (strcmp(stored, "mxfp4") == 0 || strcmp(stored, "gpt_oss_mxfp4") == 0) &&
           kvb_starts_with(context->model->architecture, "GptOss");
}

static bool takes_deepseek_v4(const struct kvb_context *context, const char *stored, const char *asked)
{
    bool named = asked != NULL && strcmp(asked, "deepseek_v4_fp8") == 0;
    return (strcmp(stored, "fp8") == 0 || strcmp(stored, "deepseek_v4_fp8") == 0) &&
           (named || kvb_starts_with(context->model->architecture, "DeepseekV4"));
}

static bool takes_gguf(const struct kvb_context *context, const char *stored, const char *asked)
{
    (void)context;
    (void)stored;
    return asked != NULL && strcmp(asked, "gguf") == 0;
}

// In the order in which a release asks them; the first that takes the checkpoint names the method.
static const struct {
    const char *method;
    uint32_t since, gone; // 0 = no end on that side
    bool (*takes)(const struct kvb_context *context, const char *stored, const char *asked);
} overrides[] = {
    {"gptq_marlin", R(4, 2), R(22, 0), takes_gptq_marlin},
    {"auto_gptq", R(22, 0), 0, takes_auto_gptq},
    {"gptq_bitblas", R(8, 5), R(16, 0), takes_gptq_bitblas},
    {"awq_marlin", R(5, 3), R(24, 0), takes_awq_marlin},
    {"auto_awq", R(24, 0), 0, takes_auto_awq},
    {"inc", R(15, 0), 0, takes_auto_round},
    {"moe_wna16", R(7, 1), 0, takes_moe_wna16},
    {"modelopt", R(10, 0), 0, takes_modelopt},
    {"nvfp4", 0, R(9, 0), takes_modelopt_fp4}, // until 0.10.0 the file beside the configuration named it
    {"modelopt_fp4", R(9, 0), 0, takes_modelopt_fp4},
    {"modelopt_mixed", R(17, 0), 0, takes_modelopt_mixed},
    {"gpt_oss_mxfp4", R(20, 0), 0, takes_gpt_oss},
    {"deepseek_v4_fp8", R(20, 0), 0, takes_deepseek_v4},
    {"gguf", R(20, 0), R(24, 0), takes_gguf},
};

static const char *overriding(const struct kvb_context *context, const char *stored, const char *asked)
{
    for (size_t i = 0; i < sizeof overrides / sizeof overrides[0]; i++) {
        bool in_range =
            context->release >= overrides[i].since && (overrides[i].gone == 0 || context->release < overrides[i].gone);
        if (in_range && overrides[i].takes(context, stored, asked)) {
            return overrides[i].method;
        }
    }
    return NULL;
}

bool kvb_method_is_mixed(const struct kvb_quantisation *quantisation)
{
    return quantisation->expert_method != KVB_QUANT_NONE || quantisation->attention_method != KVB_QUANT_NONE;
}

void kvb_method_settle(const struct kvb_context *context, struct kvb_method_words *words)
{
    *words = (struct kvb_method_words){.stored = stored_method(context)};
    words->asked = asked_method(context, words->text);
    const char *taken = words->stored != NULL ? overriding(context, words->stored, words->asked) : NULL;
    words->overridden = taken != NULL;
    words->used = taken != NULL ? taken : words->stored != NULL ? words->stored : words->asked;
}

const char *kvb_method_used(const struct kvb_context *context, char out[48])
{
    struct kvb_method_words words;
    kvb_method_settle(context, &words);
    if (words.used != words.text) {
        return words.used;
    }
    memcpy(out, words.text, sizeof words.text);
    return out;
}
