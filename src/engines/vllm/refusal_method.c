// Quantisation: which method a release settles on, and whether checkpoint, flag, GPU and dtype go with it.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/v1_oracle.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define MARLIN_GPTQ_SINCE R(4, 2)
#define MARLIN_AWQ_SINCE R(5, 3)
#define ONLINE_SINCE                                                                                                   \
    R(20, 0) // "mxfp8" of the command line is not the checkpoints' method of that name: config/quantization.py
#define CHOICES_UNTIL R(13, 0) // argparse held the list; later the configuration does

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

// Methods that read the checkpoints of another, which is of its own family: override_quantization_method of each.
static const struct {
    const char *method, *family;
} families[] = {
    {"gptq_marlin", "gptq"},
    {"gptq_marlin_24", "gptq"},
    {"gptq_bitblas", "gptq"},
    {"marlin", "gptq"},
    {"auto_gptq", "gptq"},
    {"auto-round", "inc"},
    {"awq_marlin", "awq"},
    {"auto_awq", "awq"},
    {"modelopt_fp4", "modelopt"},
    {"modelopt_mxfp8", "modelopt"},
    {"modelopt_mixed", "modelopt"},
    {"petit_nvfp4", "modelopt"},
    {"nvfp4", "modelopt"},
    {"gpt_oss_mxfp4", "mxfp4"},
    {"deepseek_v4_fp8", "fp8"},
};

static const char *family_of(const char *method)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (strcmp(families[i].method, method) == 0) {
            return families[i].family;
        }
    }
    return method;
}

static bool has_capability(const struct kvb_context *context, uint32_t least)
{
    return context->gpu->compute_capability == 0 || context->gpu->compute_capability >= least;
}

// Source: gptq_marlin.py and awq_marlin.py is_marlin_compatible; group size 0 stands for one group per channel. GPTQ
// without zero points, AWQ with them; AWQ of 8 bits is not written by anything.
static bool suits_marlin(const struct kvb_context *context, const char *marlin, bool awq)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool group = q->group_size == 0 || q->group_size == 32 || q->group_size == 64 || q->group_size == 128;
    bool bits = q->bits == 4 || (q->bits == 8 && !awq);
    return group && bits && q->symmetric != awq &&
           has_capability(context, kvb_method_of(marlin, context->release)->least_capability);
}

// Whatever is asked for: inc.py v0.19.0:435.
static bool is_taken_over(const struct kvb_context *context, const char *stored)
{
    return strcmp(stored, "auto-round") == 0 && context->release >= R(15, 0);
}

static const char *method_of_checkpoint(const struct kvb_context *context, const char *stored)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    bool marlin = context->gpu->vendor == KVB_VENDOR_NVIDIA;
    if (marlin && strcmp(stored, "gptq") == 0 && context->release >= MARLIN_GPTQ_SINCE &&
        suits_marlin(context, "gptq_marlin", false)) {
        return "gptq_marlin";
    }
    if (marlin && strcmp(stored, "awq") == 0 && context->release >= MARLIN_AWQ_SINCE &&
        suits_marlin(context, "awq_marlin", true)) {
        return "awq_marlin";
    }
    if (kvb_starts_with(stored, "modelopt") && q->method == KVB_QUANT_NVFP4) {
        return context->release < R(9, 0) ? "nvfp4" : "modelopt_fp4";
    }
    if (is_taken_over(context, stored)) {
        return "inc";
    }
    return stored;
}

const char *kvb_method_used(const struct kvb_context *context, char out[48])
{
    const char *stored = stored_method(context);
    const char *asked = asked_method(context, out);
    if (stored == NULL) {
        return asked;
    }
    bool exact = asked != NULL && strcmp(family_of(asked), family_of(stored)) == 0;
    return exact ? asked : method_of_checkpoint(context, stored);
}

// From 0.24.0 a plugin brings GGUF.
static bool is_brought_by_plugin(const struct kvb_context *context, const char *method)
{
    return strcmp(method, "gguf") == 0 && context->release >= R(24, 0);
}

bool kvb_refusal_method_word(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48];
    const char *asked = asked_method(context, word);
    const char *method = asked != NULL ? asked : kvb_method_used(context, word);
    if (method == NULL || kvb_method_of(method, context->release) != NULL || is_brought_by_plugin(context, method)) {
        return false;
    }
    bool choice = asked != NULL && context->release < CHOICES_UNTIL;
    kvb_refusal_say(out,
                    choice ? "argument --quantization/-q: invalid choice: '{0}'" : "Unknown quantization method: {0}.",
                    &method);
    return true;
}

static bool is_out_of_reach(const struct kvb_context *context, const char *asked)
{
    const struct kvb_known_method *row = kvb_method_of(asked, context->release);
    bool marlin = strcmp(asked, "gptq_marlin") == 0 || strcmp(asked, "awq_marlin") == 0;
    return marlin && row != NULL && !has_capability(context, row->least_capability);
}

// A format taken from a model's name says the numbers, not the tool that wrote them: one of these may have.
static bool is_perhaps_stored(const struct kvb_context *context, const char *asked)
{
    static const char *const writers[] = {"compressed-tensors", "modelopt", "fp8"};
    bool one = false;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        one = one || strcmp(family_of(asked), writers[i]) == 0;
    }
    return one && context->model->assumed_high_ppm > 0;
}

bool kvb_refusal_method_differs(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48];
    const char *stored = stored_method(context);
    const char *asked = asked_method(context, word);
    if (stored == NULL || asked == NULL || strcmp(asked, "moe_wna16") == 0 || is_perhaps_stored(context, asked) ||
        is_taken_over(context, stored)) {
        return false;
    }
    if (strcmp(family_of(stored), family_of(asked)) == 0 && !is_out_of_reach(context, asked)) {
        return false;
    }
    const char *values[] = {is_out_of_reach(context, asked) ? stored : method_of_checkpoint(context, stored), asked};
    kvb_refusal_say(out,
                    "Quantization method specified in the model config ({0}) does not match the quantization method "
                    "specified in the `quantization` argument ({1}).",
                    values);
    return true;
}

static bool is_nvidia(const struct kvb_context *context)
{
    return context->gpu->vendor == KVB_VENDOR_NVIDIA;
}

bool kvb_refusal_method_capability(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48], least[24], current[24];
    const char *method = kvb_method_used(context, word);
    const struct kvb_known_method *row = method != NULL ? kvb_method_of(method, context->release) : NULL;
    if (row == NULL || !is_nvidia(context) || has_capability(context, row->least_capability)) {
        return false;
    }
    const char *values[] = {method, kvb_refusal_count(least, row->least_capability),
                            kvb_refusal_count(current, context->gpu->compute_capability)};
    kvb_refusal_say(
        out,
        "The quantization method {0} is not supported for the current GPU. Minimum capability: {1}. Current "
        "capability: {2}.",
        values);
    return true;
}

static const struct {
    char letter;
    const char *name;
} types[] = {[KVB_DTYPE_BF16] = {'b', "torch.bfloat16"},
             [KVB_DTYPE_FP16] = {'h', "torch.float16"},
             [KVB_DTYPE_FP32] = {'f', "torch.float32"}};

// "[torch.float16, torch.bfloat16]"
static void list_types(char out[64], const char *letters)
{
    static const enum kvb_dtype order[] = {KVB_DTYPE_FP16, KVB_DTYPE_BF16, KVB_DTYPE_FP32};
    size_t length = 0;
    out[length++] = '[';
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (strchr(letters, types[order[i]].letter) != NULL) {
            const char *between = length > 1 ? ", " : "";
            memcpy(out + length, between, strlen(between));
            length += strlen(between);
            memcpy(out + length, types[order[i]].name, strlen(types[order[i]].name));
            length += strlen(types[order[i]].name);
        }
    }
    out[length] = ']';
    out[length + 1] = '\0';
}

bool kvb_refusal_method_dtype(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48], supported[64];
    const char *method = kvb_method_used(context, word);
    const struct kvb_known_method *row = method != NULL ? kvb_method_of(method, context->release) : NULL;
    if (row == NULL || !is_nvidia(context) || strchr(row->activation_types, types[context->dtype].letter) != NULL) {
        return false;
    }
    list_types(supported, row->activation_types);
    const char *values[] = {types[context->dtype].name, method, supported};
    kvb_refusal_say(out, "{0} is not supported for quantization method {1}. Supported dtypes: {2}", values);
    return true;
}

// bitsandbytes and torchao quantise while loading although their classes name a file.
bool kvb_refusal_method_file(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48];
    const char *asked = asked_method(context, word);
    if (asked == NULL || stored_method(context) != NULL || strcmp(asked, "bitsandbytes") == 0 ||
        strcmp(asked, "torchao") == 0) {
        return false;
    }
    const struct kvb_known_method *row = kvb_method_of(asked, context->release);
    if (strcmp(asked, "compressed-tensors") == 0) {
        kvb_refusal_say(out, "CompressedTensorsConfig.__init__() missing required positional arguments", NULL);
        return true;
    }
    if (row == NULL || !row->needs_file) {
        return false;
    }
    kvb_refusal_say(out, "Cannot find the config file for {0}", &asked);
    return true;
}

// The scheme of a compressed-tensors checkpoint; an fp8 one falls back to weights alone below 8.9.
static const char *scheme_of(const struct kvb_context *context)
{
    switch (context->model->quantisation.method) {
    case KVB_QUANT_WNA16:
        return "compressed-tensors:CompressedTensorsWNA16";
    case KVB_QUANT_INT8:
        return "compressed-tensors:CompressedTensorsW8A8Int8";
    case KVB_QUANT_FP8:
        return context->release >= R(5, 4) ? "compressed-tensors:CompressedTensorsW8A16Fp8"
                                           : "compressed-tensors:CompressedTensorsW8A8Fp8";
    case KVB_QUANT_NVFP4:
        return "compressed-tensors:CompressedTensorsW4A4Fp4";
    default:
        return NULL;
    }
}

bool kvb_refusal_scheme(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char least[24], current[24];
    const char *scheme =
        strcmp(context->model->quantisation.name, "compressed-tensors") == 0 ? scheme_of(context) : NULL;
    const struct kvb_known_method *row = scheme != NULL ? kvb_method_of(scheme, context->release) : NULL;
    if (row == NULL || !is_nvidia(context) || has_capability(context, row->least_capability)) {
        return false;
    }
    const char *values[] = {kvb_refusal_count(least, row->least_capability),
                            kvb_refusal_count(current, context->gpu->compute_capability)};
    kvb_refusal_say(
        out,
        "Quantization scheme is not supported for the current GPU. Min capability: {0}. Current capability: "
        "{1}.",
        values);
    return true;
}

bool kvb_refusal_v1_only(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *feature = context->plan->environment.use_v1 == KVB_YES ? kvb_v1_lacks(context) : NULL;
    if (feature == NULL) {
        return false;
    }
    bool of_class = strcmp(feature, context->model->architecture) == 0; // printed as the list that the config holds
    kvb_refusal_say(
        out, of_class ? "VLLM_USE_V1=1 is not supported with ['{0}']." : "VLLM_USE_V1=1 is not supported with {0}.",
        &feature);
    return true;
}
