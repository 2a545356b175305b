// Quantisation: whether checkpoint, flag, GPU and dtype go with the method that a release settles on.
#include <string.h>

#include "budget/gpu_facts.h"
#include "engines/vllm/method.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/v1_oracle.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static bool has_capability(const struct kvb_context *context, uint32_t least)
{
    return context->gpu->compute_capability == 0 || context->gpu->compute_capability >= least;
}

// From 0.24.0 a plugin brings GGUF.
static bool is_brought_by_plugin(const struct kvb_context *context, const char *method)
{
    return strcmp(method, "gguf") == 0 && context->release >= R(24, 0);
}

static bool is_unknown(const struct kvb_context *context, const char *method)
{
    return method != NULL && kvb_method_of(method, context->release) == NULL && !is_brought_by_plugin(context, method);
}

// argparse held the list until 0.13.0; later the configuration does, once a class has had its say.
bool kvb_refusal_method_choice(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_method_words words;
    kvb_method_settle(context, &words);
    if (!is_unknown(context, words.asked)) {
        return false;
    }
    kvb_refusal_say(out, "argument --quantization/-q: invalid choice: '{0}'", &words.asked);
    return true;
}

bool kvb_refusal_method_word(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_method_words words;
    kvb_method_settle(context, &words);
    if (!is_unknown(context, words.used)) {
        return false;
    }
    kvb_refusal_say(out, "Unknown quantization method: {0}.", &words.used);
    return true;
}

// A format taken from a model's name says the numbers, not the tool that wrote them: one of these may have.
static bool is_perhaps_stored(const struct kvb_context *context, const char *asked)
{
    static const char *const writers[] = {"compressed-tensors", "modelopt", "modelopt_fp4", "nvfp4", "fp8"};
    bool one = false;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        one = one || strcmp(asked, writers[i]) == 0;
    }
    return one && context->model->assumed_high_ppm > 0;
}

#define LAYOUTS_UNTIL R(16, 0)

// Words that go with a layout of GPTQ's files (checkpoint_format), which is not noted.
static bool is_layout(const struct kvb_context *context, const char *stored, const char *asked)
{
    static const char *const layouts[] = {"gptq_marlin_24", "gptq_bitblas", "bitblas"};
    bool one = false;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        one = one || strcmp(asked, layouts[i]) == 0;
    }
    return one && context->release < LAYOUTS_UNTIL && strcmp(stored, "gptq") == 0;
}

bool kvb_refusal_method_differs(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_method_words words;
    kvb_method_settle(context, &words);
    if (words.stored == NULL || words.asked == NULL || words.overridden || strcmp(words.stored, words.asked) == 0 ||
        is_perhaps_stored(context, words.asked) || is_layout(context, words.stored, words.asked)) {
        return false;
    }
    const char *values[] = {words.stored, words.asked};
    kvb_refusal_say(out,
                    "Quantization method specified in the model config ({0}) does not match the quantization method "
                    "specified in the `quantization` argument ({1}).",
                    values);
    return true;
}

// ---- What the method's own class takes of the checkpoint

#define WEIGHTS_ALONE_SINCE R(21, 0) // modelopt.py QUANT_ALGOS
#define MIXED_SINCE R(17, 0)
#define SCALES_SINCE R(14, 0)

static bool modelopt_has(const struct kvb_context *context)
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    if (kvb_method_is_mixed(q)) {
        return context->release >= MIXED_SINCE;
    }
    switch (q->method) {
    case KVB_QUANT_FP8:
        return q->scale == KVB_SCALE_TENSOR || context->release >= SCALES_SINCE;
    case KVB_QUANT_NVFP4:
        return !q->smoothed && (!q->weight_only || context->release >= WEIGHTS_ALONE_SINCE);
    default:
        return q->method != KVB_QUANT_MXFP4;
    }
}

static bool modelopt_lacks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(!modelopt_has(context), out,
                         "ModelOpt currently only supports: ['FP8', 'NVFP4', ...] quantizations in vLLM. Please check "
                         "the `hf_quant_config.json` file for your model's quant configuration.");
}

static bool say_bits(const struct kvb_context *context, const char *pattern, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char bits[24];
    const struct kvb_quantisation *q = &context->model->quantisation;
    const char *values[] = {kvb_refusal_count(bits, q->bits), q->symmetric ? "True" : "False"};
    kvb_refusal_say(out, pattern, values);
    return true;
}

// Source: __init__ and from_config of auto_gptq.py v0.22.0, awq.py v0.6.3, auto_awq.py v0.24.0, modelopt.py v0.10.0.
bool kvb_refusal_method_values(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_quantisation *q = &context->model->quantisation;
    struct kvb_method_words words;
    kvb_method_settle(context, &words);
    if (words.stored == NULL || context->model->assumed_high_ppm > 0) {
        return false;
    }
    if (strcmp(words.used, "auto_gptq") == 0 && !(q->symmetric && (q->bits == 4 || q->bits == 8))) {
        return say_bits(context, "Unsupported quantization config: bits={0}, sym={1}", out);
    }
    if (strcmp(words.used, "awq") == 0 && q->bits != 4) {
        return say_bits(context, "Currently, only 4-bit weight quantization is supported for AWQ, but got {0} bits.",
                        out);
    }
    if (strcmp(words.used, "auto_awq") == 0 && q->bits != 4) {
        return say_bits(context,
                        "Unsupported num_bits = {0}. Supported: 4. For 8-bit AWQ, use Marlin backend by setting "
                        "backend='awq:marlin' or backend='marlin'.",
                        out);
    }
    return strcmp(words.stored, "modelopt") == 0 && context->release >= R(10, 0) && modelopt_lacks(context, out);
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
            const char *between = length == 1 ? "" : ", ";
            memcpy(out + length, between, strlen(between));
            length += strlen(between);
            memcpy(out + length, types[order[i]].name, strlen(types[order[i]].name));
            length += strlen(types[order[i]].name);
        }
    }
    out[length] = ']';
    out[length + 1] = '\0';
}

#define GGUF_BY_GPU_SINCE R(13, 0)

// GGUF's answer goes by the GPU, where others state a list. Source: gguf.py v0.13.0 get_supported_act_dtypes.
static const char *types_of(const struct kvb_context *context, const struct kvb_known_method *row)
{
    bool by_gpu = strcmp(row->name, "gguf") == 0 && context->release >= GGUF_BY_GPU_SINCE;
    return by_gpu && context->gpu->compute_capability >= KVB_CAPABILITY_BLACKWELL ? "hf" : row->activation_types;
}

bool kvb_refusal_method_dtype(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48], supported[64];
    const char *method = kvb_method_used(context, word);
    const struct kvb_known_method *row = method != NULL ? kvb_method_of(method, context->release) : NULL;
    if (row == NULL || !is_nvidia(context) || strchr(types_of(context, row), types[context->dtype].letter) != NULL) {
        return false;
    }
    list_types(supported, types_of(context, row));
    const char *values[] = {types[context->dtype].name, method, supported};
    kvb_refusal_say(out, "{0} is not supported for quantization method {1}. Supported dtypes: {2}", values);
    return true;
}

// Classes that are made from a checkpoint's configuration alone and name no file for it.
static const struct {
    const char *method;
    uint32_t since;
    const char *says;
} made_of_config[] = {
    {"compressed-tensors", 0, "CompressedTensorsConfig.__init__() missing required positional arguments"},
    {"fbgemm_fp8", 0, "FBGEMMFp8Config.__init__() missing 2 required positional arguments"},
    {"quark", 0, "QuarkConfig.__init__() missing 1 required positional argument: 'quant_config'"},
    {"torchao", R(11, 1), "TorchAOConfig.__init__() missing 1 required positional argument: 'torchao_config'"},
    // it reads config.json, where with the package at hand "quant_type must be specified"
    {"torchao", 0, "Please install torchao>=0.10.0 via `pip install torchao>=0.10.0` to use torchao quantization."},
};

// bitsandbytes quantises while loading although its class named a file.
bool kvb_refusal_method_file(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_method_words words;
    kvb_method_settle(context, &words);
    if (words.asked == NULL || words.stored != NULL || strcmp(words.asked, "bitsandbytes") == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof made_of_config / sizeof made_of_config[0]; i++) {
        if (strcmp(words.asked, made_of_config[i].method) == 0 && context->release >= made_of_config[i].since) {
            return kvb_refuse(out, made_of_config[i].says);
        }
    }
    const struct kvb_known_method *row = kvb_method_of(words.asked, context->release);
    if (row == NULL || !row->needs_file) {
        return false;
    }
    kvb_refusal_say(out, "Cannot find the config file for {0}", &words.asked);
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
