// Attention backends of models that keep keys and values: which of them a release takes on a device, and what it says
// of one that was asked for. Those of MLA are in kv_backend.c. Source:
// vllm/v1/attention/backends/{flash_attn,flashinfer,triton_attn}.py supports_*, vllm/v1/attention/backend.py
// validate_configuration, vllm/platforms/cuda.py _get_backend_priorities, get_attn_backend_cls, v0.11.1 to v0.28.0.
#include <string.h>

#include "base/text.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/errors.h"
#include "engines/vllm/kv_backend.h"
#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define WORD(word) (UINT32_C(1) << (word))
#define PLAIN WORD(KVB_KV_AUTO)
#define SIXTEEN_BITS_SINCE R(15, 0) // before, --kv-cache-dtype bfloat16 is a word that no backend lists
#define FP8 (WORD(KVB_KV_FP8) | WORD(KVB_KV_FP8_E4M3))
#define TURBOQUANTS                                                                                                    \
    (WORD(KVB_KV_TURBOQUANT_K8V4) | WORD(KVB_KV_TURBOQUANT_4BIT_NC) | WORD(KVB_KV_TURBOQUANT_K3V4_NC) |                \
     WORD(KVB_KV_TURBOQUANT_3BIT_NC))
#define PER_HEAD (WORD(KVB_KV_INT8_PER_TOKEN_HEAD) | WORD(KVB_KV_FP8_PER_TOKEN_HEAD) | WORD(KVB_KV_INT4_PER_TOKEN_HEAD))

// In the order in which a release lists them.
enum reason {
    HEAD_SIZE = 1,
    DTYPE = 2,
    CACHE_WORD = 4,
    BOTH_WAYS = 8,
    SINKS = 16,
    CAPABILITY = 32,
    OLD_SINKS = 64,
    FP8_KERNEL = 128,
    PREFIX_KERNEL = 256,
    WINDOW = 512,
};

#define SINKS_RENAMED_SINCE R(18, 0)
#define WINDOWS_ASKED_SINCE R(26, 0)
static const struct {
    unsigned reason;
    uint32_t since, gone;
    const char *text;
} reasons[] = {
    {HEAD_SIZE, 0, 0, "head_size not supported"},
    {DTYPE, 0, 0, "dtype not supported"},
    {CACHE_WORD, 0, 0, "kv_cache_dtype not supported"},
    {BOTH_WAYS, 0, 0, "partial multimodal token full attention not supported"},
    {SINKS, 0, SINKS_RENAMED_SINCE, "sink setting not supported"},
    {SINKS, SINKS_RENAMED_SINCE, 0, "attention sinks not supported"},
    {CAPABILITY, 0, 0, "compute capability not supported"},
    {WINDOW, WINDOWS_ASKED_SINCE, 0, "sliding window not supported"},
    {OLD_SINKS, 0, 0, "sink not supported on compute capability < 9.0"},
    {FP8_KERNEL, 0, 0, "FP8 KV cache requires FA3 on SM90 or FA4 on SM100"},
    {PREFIX_KERNEL, 0, 0,
     "mm_prefix (PrefixLM bidirectional attention) requires FlashAttention v4, which does not resolve for this "
     "head_size"},
};

// Pictures attended to in both directions: never, where FlashAttention 4 runs, always.
enum both_ways { NOWHERE, FLASH4_ALONE, EVERYWHERE };

struct backend_row {
    enum kvb_backend backend;
    uint32_t gone; // the rows of a backend follow each other from 0.11.1 on; 0: the last
    uint32_t least_capability;
    uint32_t words;     // of --kv-cache-dtype
    uint32_t own_words; // and those beside them on the majors below
    uint32_t majors;
    uint16_t heads[9];                 // head sizes; these and the eights empty: any
    uint16_t most_eights, wide_eights; // multiples of 8 up to so many times 8; where FlashAttention 4 runs
    bool float32, sinks, without_16bit, without_windows;
    enum both_ways both_ways;
};

#define FLASH(until, ...)                                                                                              \
    {                                                                                                                  \
        .backend = KVB_BACKEND_FLASH_ATTN, .gone = until, .least_capability = KVB_CAPABILITY_AMPERE, .words = PLAIN,   \
        __VA_ARGS__                                                                                                    \
    }
#define INFER(until, ...)                                                                                              \
    {                                                                                                                  \
        .backend = KVB_BACKEND_FLASHINFER, .gone = until, __VA_ARGS__                                                  \
    }
#define ON(major) (UINT32_C(1) << (major))
#define E5M2 WORD(KVB_KV_FP8_E5M2)

#define FLASH4 (ON(9) | ON(10) | ON(11)) // vllm_flash_attn/flash_attn_interface.py _is_fa4_supported
static const struct backend_row rows[] = {
    FLASH(R(12, 0), .own_words = FP8 | E5M2, .majors = ON(9), .heads = {32, 64, 96, 128, 160, 192, 224, 256},
          .both_ways = EVERYWHERE),
    FLASH(R(13, 0), .own_words = FP8 | E5M2, .majors = ON(9), .most_eights = 32, .both_ways = EVERYWHERE),
    FLASH(R(20, 0), .own_words = FP8 | E5M2, .majors = ON(9), .most_eights = 32),
    FLASH(R(22, 0), .own_words = FP8 | E5M2, .majors = ON(9), .most_eights = 32, .wide_eights = 64),
    FLASH(R(24, 0), .own_words = FP8, .majors = ON(9), .most_eights = 32, .wide_eights = 64),
    FLASH(R(27, 0), .own_words = FP8, .majors = ON(9), .most_eights = 32, .wide_eights = 64, .both_ways = FLASH4_ALONE),
    FLASH(0, .own_words = FP8, .majors = ON(9) | ON(10), .most_eights = 32, .wide_eights = 64,
          .both_ways = FLASH4_ALONE),
    INFER(R(13, 0), .least_capability = KVB_CAPABILITY_TURING, .words = PLAIN | FP8 | E5M2, .heads = {64, 128, 256},
          .both_ways = EVERYWHERE),
    INFER(R(21, 0), .least_capability = KVB_CAPABILITY_TURING, .words = PLAIN | FP8 | E5M2, .heads = {64, 128, 256}),
    INFER(R(22, 0), .least_capability = KVB_CAPABILITY_TURING, .words = PLAIN | FP8 | E5M2 | WORD(KVB_KV_NVFP4),
          .heads = {64, 128, 256}),
    INFER(R(24, 0), .least_capability = KVB_CAPABILITY_TURING, .words = PLAIN | FP8 | E5M2 | WORD(KVB_KV_NVFP4),
          .heads = {64, 128, 256, 512}),
    INFER(R(25, 0), .least_capability = KVB_CAPABILITY_AMPERE, .words = PLAIN | FP8 | E5M2 | WORD(KVB_KV_NVFP4),
          .heads = {64, 128, 256, 512}),
    INFER(0, .least_capability = KVB_CAPABILITY_AMPERE, .words = PLAIN | FP8 | E5M2, .own_words = WORD(KVB_KV_NVFP4),
          .majors = ON(10), .heads = {64, 128, 256, 512}),
    {.backend = KVB_BACKEND_TRITON,
     .words = PLAIN | FP8 | E5M2 | PER_HEAD,
     .float32 = true,
     .both_ways = EVERYWHERE,
     .sinks = true},
    {.backend = KVB_BACKEND_FLEX, .words = PLAIN, .float32 = true, .both_ways = EVERYWHERE},
    {.backend = KVB_BACKEND_TURBOQUANT, .words = TURBOQUANTS, .without_16bit = true, .without_windows = true},
};
#define HEAD_UNIT 8
#define GEMMA4_BOTH_WAYS_SINCE R(20, 0) // transformers_utils/model_arch_config_convertor.py v0.20.0:479
#define TRITON_LEAST_HEAD 32            // its rows are padded to a power of two

static const struct kvb_attention_shape *token_shape(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &model->kinds[i].attention;
        if (shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING) {
            return shape;
        }
    }
    return NULL;
}

static uint32_t major_of(const struct kvb_context *context)
{
    return KVB_CAPABILITY_MAJOR(context->gpu->compute_capability);
}

static bool runs_flash4(const struct kvb_context *context)
{
    return (FLASH4 >> major_of(context) & 1U) != 0;
}

static bool takes_head(const struct kvb_context *context, const struct backend_row *row, uint32_t size)
{
    if (row->backend == KVB_BACKEND_TRITON) {
        return size >= TRITON_LEAST_HEAD;
    }
    if (row->most_eights > 0) {
        uint32_t most = row->wide_eights > 0 && runs_flash4(context) ? row->wide_eights : row->most_eights;
        return size % HEAD_UNIT == 0 && size / HEAD_UNIT <= most;
    }
    for (size_t i = 0; i < sizeof row->heads / sizeof row->heads[0]; i++) {
        if (row->heads[i] == size) {
            return true;
        }
    }
    return row->heads[0] == 0;
}

static bool takes_word(const struct kvb_context *context, const struct backend_row *row)
{
    uint32_t words = row->words | ((row->majors & ON(major_of(context))) != 0 ? row->own_words : 0);
    words |= context->release >= SIXTEEN_BITS_SINCE && !row->without_16bit ? WORD(KVB_KV_16BIT) : 0;
    return (words & WORD(context->kv_word)) != 0;
}

// Learned sinks of gpt-oss; a model whose pictures are attended to in both directions (is_mm_prefix_lm).
static bool has_sinks(const struct kvb_context *context)
{
    return strcmp(context->model->architecture, "GptOssForCausalLM") == 0;
}

static bool attends_both_ways(const struct kvb_context *context)
{
    bool gemma4 = context->model->encoder.both_ways && context->release >= GEMMA4_BOTH_WAYS_SINCE;
    return gemma4 || strcmp(context->model->architecture, "Gemma3ForConditionalGeneration") == 0;
}

#define FLASH4_USUAL_SINCE R(20, 0) // on 10.x
#define GEMMA4_FLASH4_SINCE R(24, 0)

static bool is_gemma4(const struct kvb_context *context)
{
    return kvb_starts_with(context->model->architecture, "Gemma4");
}

// Heads of two sizes: one backend for both, Triton's, or from 0.24 on FlashAttention 4 where it runs. Source:
// vllm/model_executor/models/config.py v0.19.1 and v0.24.0 Gemma4Config.
static bool asks_for_flash4(const struct kvb_context *context)
{
    return is_gemma4(context) && context->release >= GEMMA4_FLASH4_SINCE && runs_flash4(context);
}

// FlashAttention 4 is taken for heads of a size, from 0.20 on. Source:
// vllm/v1/attention/backends/fa_utils.py get_flash_attn_version; it does not fit all sizes on Blackwell.
static bool takes_flash4(const struct kvb_context *context, uint32_t head_size)
{
    uint32_t beside = context->release >= R(28, 0) ? 0 : context->release >= R(27, 0) ? 256 : 192;
    if (asks_for_flash4(context)) {
        return true;
    }
    switch (major_of(context)) {
    case 9:
        return head_size > 256;
    case 10:
        return head_size <= 128 || head_size == beside;
    default:
        return false;
    }
}

static bool takes_sinks(const struct kvb_context *context, const struct backend_row *row)
{
    uint32_t major = major_of(context), release = context->release;
    if (row->backend == KVB_BACKEND_FLASH_ATTN) {
        return major == 9 || (major == 10 && release >= FLASH4_USUAL_SINCE);
    }
    if (row->backend != KVB_BACKEND_FLASHINFER) {
        return row->sinks;
    }
    bool exact = release >= R(13, 0) || context->gpu->compute_capability == 100; // is_device_capability(100)
    bool newer = major == 12 && release >= R(28, 0);
    return (major == 10 && exact) || newer; // FlashInfer's TensorRT-LLM kernels, and XQA
}

// supports_combination of FlashAttention: the first that does not go together.
static unsigned combination_of(const struct kvb_context *context, uint32_t head_size)
{
    unsigned major = major_of(context);
    bool newest = takes_flash4(context, head_size);
    uint32_t word = WORD(context->kv_word);
    bool hopper = major == 9 && (!newest || context->release >= R(28, 0));
    bool reads = hopper || (newest && major == 10);
    if (has_sinks(context) && major < 9) {
        return OLD_SINKS;
    }
    if (context->release >= R(27, 0) && (word & (FP8 | E5M2)) != 0 && (!reads || word == E5M2)) {
        return FP8_KERNEL;
    }
    return context->release >= R(24, 0) && attends_both_ways(context) && !newest ? PREFIX_KERNEL : 0;
}

static unsigned reasons_of(const struct kvb_context *context, const struct backend_row *row,
                           const struct kvb_attention_shape *shape)
{
    bool both_ways = row->both_ways == EVERYWHERE || (row->both_ways == FLASH4_ALONE && runs_flash4(context));
    unsigned together = row->backend == KVB_BACKEND_FLASH_ATTN ? combination_of(context, shape->head_size) : 0;
    return (takes_head(context, row, shape->head_size) ? 0U : HEAD_SIZE) |
           (context->dtype == KVB_DTYPE_FP32 && !row->float32 ? DTYPE : 0U) |
           (takes_word(context, row) ? 0U : CACHE_WORD) | (attends_both_ways(context) && !both_ways ? BOTH_WAYS : 0U) |
           (has_sinks(context) && !takes_sinks(context, row) ? SINKS : 0U) |
           (row->without_windows && shape->window_tokens > 0 && context->release >= WINDOWS_ASKED_SINCE ? WINDOW : 0U) |
           (context->gpu->compute_capability < row->least_capability ? CAPABILITY : 0U) | together;
}

static const struct backend_row *row_of(enum kvb_backend backend, uint32_t release)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].backend == backend && (rows[i].gone == 0 || release < rows[i].gone)) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool is_asked(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    return shape != NULL && !kvb_model_is_mla(context->model) && context->gpu->vendor == KVB_VENDOR_NVIDIA &&
           context->gpu->compute_capability > 0;
}

bool kvb_refusal_backend(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *shape = token_shape(context->model);
    const struct backend_row *row = row_of(kvb_backend_asked(context), context->release);
    unsigned found = is_asked(context, shape) && row != NULL ? reasons_of(context, row, shape) : 0;
    if (found == 0) {
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    bool first = true;
    kvb_error_add(&line, "Selected backend AttentionBackendEnum.");
    kvb_error_add(&line, row->backend == KVB_BACKEND_FLASH_ATTN   ? "FLASH_ATTN"
                         : row->backend == KVB_BACKEND_FLASHINFER ? "FLASHINFER"
                         : row->backend == KVB_BACKEND_TRITON     ? "TRITON_ATTN"
                                                                  : kvb_backend_name(row->backend));
    kvb_error_add(&line, " is not valid for this configuration. Reason: [");
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        bool said = (found & reasons[i].reason) != 0 && context->release >= reasons[i].since &&
                    (reasons[i].gone == 0 || context->release < reasons[i].gone);
        kvb_error_add(&line, !said ? "" : first ? "'" : ", '");
        kvb_error_add(&line, said ? reasons[i].text : "");
        kvb_error_add(&line, said ? "'" : "");
        first = first && !said;
    }
    kvb_error_add(&line, "]");
    return true;
}

// The backend taken where none is asked for; AUTO: FlexAttention, or none.
static enum kvb_backend taken(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    static const enum kvb_backend usual[] = {KVB_BACKEND_FLASH_ATTN, KVB_BACKEND_FLASHINFER, KVB_BACKEND_TRITON};
    static const enum kvb_backend blackwell[] = {KVB_BACKEND_FLASHINFER, KVB_BACKEND_FLASH_ATTN, KVB_BACKEND_TRITON};
    const enum kvb_backend *order = major_of(context) == 10 ? blackwell : usual;
    if (kvb_backend_asked(context) != KVB_BACKEND_AUTO) {
        return kvb_backend_asked(context);
    }
    if (is_gemma4(context) && !asks_for_flash4(context)) {
        return KVB_BACKEND_TRITON;
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        const struct backend_row *row = row_of(order[i], context->release);
        if (reasons_of(context, row, shape) == 0) { // each has a row from 0.11.1 on
            return row->backend;
        }
    }
    return KVB_BACKEND_AUTO;
}

bool kvb_takes_flashinfer(const struct kvb_context *context)
{
    const struct kvb_attention_shape *shape = token_shape(context->model);
    bool asked = kvb_backend_asked(context) == KVB_BACKEND_FLASHINFER;
    return is_asked(context, shape) ? taken(context, shape) == KVB_BACKEND_FLASHINFER : asked;
}

static bool is_eight_bits(enum kvb_kv_dtype word)
{
    return (WORD(word) & (FP8 | E5M2 | WORD(KVB_KV_FP8_PER_TOKEN_HEAD))) != 0;
}

#define TRITON_ASKS_SINCE R(24, 0)

// Triton's kernels read fp8 as fp8e4nv, which compilers have from 8.9 on; from 0.24 the backend asks beforehand.
// Source: vllm/v1/attention/backends/triton_attn.py TritonAttentionImpl.__init__ v0.24.0; platforms/cuda.py v0.11.0.
bool kvb_refusal_triton_cache(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *shape = token_shape(context->model);
    uint32_t capability = context->gpu->compute_capability;
    if (!is_asked(context, shape) || capability >= KVB_CAPABILITY_ADA || !is_eight_bits(context->kv_word)) {
        return false;
    }
    bool ampere = context->release < R(11, 1) && kvb_backend_asked(context) == KVB_BACKEND_AUTO;
    if (ampere ? capability < KVB_CAPABILITY_AMPERE : taken(context, shape) != KVB_BACKEND_TRITON) {
        return false;
    }
    if (context->release < TRITON_ASKS_SINCE) {
        kvb_refusal_say(out,
                        "type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', "
                        "'fp8e5')",
                        NULL);
        return true;
    }
    char text[24];
    const char *values[] = {context->gpu->name, kvb_refusal_capability(text, capability),
                            capability < KVB_CAPABILITY_AMPERE ? "float16" : "bfloat16"};
    kvb_refusal_say(out,
                    "FP8 KV cache is not supported by the Triton attention backend on {0} (compute capability {1}); "
                    "native FP8 (fp8e4nv) requires SM89+. Re-run with --kv-cache-dtype {2}.",
                    values);
    return true;
}

// To 0.21 FlashAttention takes every word of eight bits on Hopper, and finds no type for this one where it runs first:
// while whole graphs are captured, else at the first request. Source: vllm/v1/attention/backends/flash_attn.py
// get_fp8_dtype_for_flashattn and FlashAttentionImpl.forward v0.11.0, v0.11.2:633, v0.21.0:763.
bool kvb_refusal_flash_cache(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *shape = token_shape(context->model);
    return kvb_refuse_if(is_asked(context, shape) && context->kv_word == KVB_KV_FP8_E5M2 &&
                             taken(context, shape) == KVB_BACKEND_FLASH_ATTN,
                         out, "Unrecognized FP8 dtype: fp8_e5m2");
}

// Backends of models whose cache holds latents.
static bool is_of_latents(enum kvb_backend backend)
{
    switch (backend) {
    case KVB_BACKEND_FLASHMLA:
    case KVB_BACKEND_FLASHMLA_SPARSE:
    case KVB_BACKEND_FLASHINFER_MLA:
    case KVB_BACKEND_CUTLASS_MLA:
    case KVB_BACKEND_TRITON_MLA:
    case KVB_BACKEND_FLASH_ATTN_MLA:
    case KVB_BACKEND_FLASHINFER_MLA_SPARSE:
    case KVB_BACKEND_FLASH_ATTN_MLA_SPARSE:
    case KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120:
    case KVB_BACKEND_TOKENSPEED_MLA:
        return true;
    default:
        return false;
    }
}

// What else such a backend says of the model is left out.
bool kvb_refusal_backend_latent(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    enum kvb_backend asked = kvb_backend_asked(context);
    if (!is_asked(context, token_shape(context->model)) || !is_of_latents(asked)) {
        return false;
    }
    struct kvb_error_line line = kvb_error_begin(out);
    kvb_error_add(&line, "Selected backend AttentionBackendEnum.");
    kvb_error_add(&line, kvb_backend_name(asked));
    kvb_error_add(&line, " is not valid for this configuration: non-MLA not supported");
    return true;
}

#define CONFIG_PRINTED_SINCE R(13, 0)
#define NVFP4_LISTED_SINCE R(20, 0) // before, the parser stops at the word

// Whom no backend of the release takes on the device, FlexAttention neither: four bits with scales, which are for
// FlashInfer's kernels of data-centre Blackwell from 0.25 on and for nobody before 0.21, DeepSeek's packed latents in a
// model without, 16 bits by name before 0.15, heads below 32 with sinks or a cache of other bits.
bool kvb_refusal_no_backend(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_attention_shape *shape = token_shape(context->model);
    bool unread = context->kv_word == KVB_KV_NVFP4 && context->release < NVFP4_LISTED_SINCE;
    if (!is_asked(context, shape) || unread || (WORD(context->kv_word) & TURBOQUANTS) != 0 ||
        kvb_backend_asked(context) != KVB_BACKEND_AUTO || taken(context, shape) != KVB_BACKEND_AUTO ||
        reasons_of(context, row_of(KVB_BACKEND_FLEX, context->release), shape) == 0) {
        return false;
    }
    bool printed = context->release >= CONFIG_PRINTED_SINCE;
    char size[24], word[48];
    const char *values[] = {kvb_refusal_count(size, shape->head_size),
                            context->dtype == KVB_DTYPE_FP16   ? "torch.float16"
                            : context->dtype == KVB_DTYPE_FP32 ? "torch.float32"
                                                               : "torch.bfloat16",
                            kvb_setting_format(word, KVB_SET_KV_CACHE_DTYPE, context->kv_word),
                            printed ? "AttentionSelectorConfig(" : "", printed ? "=" : ": "};
    kvb_refusal_say(out,
                    "No valid attention backend found for cuda with {3}head_size{4}{0}, dtype{4}{1}, "
                    "kv_cache_dtype{4}{2}",
                    values);
    return true;
}
