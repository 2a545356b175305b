// Which MLA backend a release picks on a device: it sets the block size, the form of an fp8 cache, and whether
// the model runs there at all. Source: vllm/platforms/cuda.py _get_backend_priorities, v1/attention/backends/mla/*
// (supported_kv_cache_dtypes, supports_compute_capability, supports_combination), tags v0.11.1 to v0.28.0.
#include "engines/vllm/kv_backend.h"

#include <string.h>

#include "budget/gpu_facts.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define ALWAYS 0, 0
#define WORD(word) (UINT32_C(1) << (word))
#define WORDS_16BIT (WORD(KVB_KV_AUTO) | WORD(KVB_KV_16BIT))
#define WORDS_FP8 (WORDS_16BIT | WORD(KVB_KV_FP8) | WORD(KVB_KV_FP8_E4M3))
#define ANY_SIZE 0, 0, 0
#define MAJORS_ANY 0
#define MAJOR(number) (UINT32_C(1) << (number))
#define NAMED_16BIT_SINCE R(15, 0) // "bfloat16" is listed beside "auto" from here on
#define LATENT_SIZE 576            // of the kernels
#define SM120_TOPK 2048
#define MORE_SIZES_SINCE R(18, 0) // 320 beside it, and any with Triton

struct backend_row {
    enum kvb_backend backend;
    uint32_t since, until; // releases; 0 = open
    bool sparse;
    uint32_t majors; // of the compute capability
    uint32_t words;  // of --kv-cache-dtype after "auto" was resolved
    uint32_t nope_sizes[3];
    uint32_t block_tokens; // smallest kernel block
    const char *name;
};

// In the order of preference off data-centre Blackwell; `first_on_blackwell` below changes it there.
static const struct backend_row rows[] = {
    {KVB_BACKEND_FLASH_ATTN_MLA, ALWAYS, false, MAJOR(9), WORDS_16BIT, {ANY_SIZE}, 16, "FLASH_ATTN_MLA"},
    {KVB_BACKEND_FLASHMLA, ALWAYS, false, MAJOR(9), WORDS_FP8, {ANY_SIZE}, 64, "FLASHMLA"},
    {KVB_BACKEND_FLASHINFER_MLA, 0, R(15, 0), false, MAJOR(10), WORDS_FP8, {ANY_SIZE}, 32, "FLASHINFER_MLA"},
    {KVB_BACKEND_FLASHINFER_MLA, R(15, 0), R(18, 0), false, MAJOR(10), WORDS_FP8, {128, 0, 0}, 32, "FLASHINFER_MLA"},
    {KVB_BACKEND_FLASHINFER_MLA, R(18, 0), R(19, 0), false, MAJOR(10), WORDS_FP8, {64, 128, 0}, 32, "FLASHINFER_MLA"},
    {KVB_BACKEND_FLASHINFER_MLA, R(19, 0), 0, false, MAJOR(10), WORDS_FP8, {64, 128, 192}, 32, "FLASHINFER_MLA"},
    {KVB_BACKEND_CUTLASS_MLA, ALWAYS, false, MAJOR(10), WORDS_FP8, {ANY_SIZE}, 128, "CUTLASS_MLA"},
    {KVB_BACKEND_TRITON_MLA, 0, R(18, 0), false, MAJORS_ANY, WORDS_16BIT, {ANY_SIZE}, 16, "TRITON_MLA"},
    {KVB_BACKEND_TRITON_MLA, R(18, 0), 0, false, MAJORS_ANY, WORDS_FP8, {ANY_SIZE}, 16, "TRITON_MLA"},
    {KVB_BACKEND_FLASH_ATTN_MLA_SPARSE,
     R(25, 0),
     0,
     true,
     MAJOR(9),
     WORDS_16BIT,
     {ANY_SIZE},
     64,
     "FLASH_ATTN_MLA_SPARSE"},
    {KVB_BACKEND_FLASHINFER_MLA_SPARSE,
     R(17, 0),
     R(18, 0),
     true,
     MAJOR(10),
     WORDS_16BIT,
     {128, 0, 0},
     32,
     "FLASHINFER_MLA_SPARSE"},
    {KVB_BACKEND_FLASHINFER_MLA_SPARSE,
     R(18, 0),
     R(19, 0),
     true,
     MAJOR(10),
     WORDS_FP8,
     {128, 0, 0},
     32,
     "FLASHINFER_MLA_SPARSE"},
    {KVB_BACKEND_FLASHINFER_MLA_SPARSE,
     R(19, 0),
     0,
     true,
     MAJOR(10),
     WORDS_FP8,
     {128, 192, 0},
     32,
     "FLASHINFER_MLA_SPARSE"},
    {KVB_BACKEND_FLASHMLA_SPARSE,
     0,
     R(18, 0),
     true,
     MAJOR(9) | MAJOR(10),
     WORDS_16BIT | WORD(KVB_KV_FP8_DS_MLA),
     {ANY_SIZE},
     64,
     "FLASHMLA_SPARSE"},
    {KVB_BACKEND_FLASHMLA_SPARSE,
     R(18, 0),
     0,
     true,
     MAJOR(9) | MAJOR(10),
     WORDS_16BIT | WORD(KVB_KV_FP8_DS_MLA) | WORD(KVB_KV_FP8),
     {ANY_SIZE},
     64,
     "FLASHMLA_SPARSE"},
    {KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120,
     R(24, 0),
     0,
     true,
     MAJOR(12),
     WORD(KVB_KV_AUTO) | WORD(KVB_KV_FP8) | WORD(KVB_KV_FP8_E4M3) | WORD(KVB_KV_FP8_DS_MLA),
     {ANY_SIZE},
     64,
     "FLASHINFER_MLA_SPARSE_SM120"},
    {KVB_BACKEND_TOKENSPEED_MLA,
     R(21, 0),
     0,
     false,
     MAJOR(10),
     WORD(KVB_KV_FP8) | WORD(KVB_KV_FP8_E4M3),
     {128, 0, 0},
     32,
     "TOKENSPEED_MLA"}, // behind all others: never taken unasked
};

const struct kvb_attention_shape *kvb_latent_shape(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].attention.kind == KVB_ATTENTION_MLA) {
            return &model->kinds[i].attention;
        }
    }
    return NULL;
}

static bool takes_latent(const struct kvb_context *context, const struct backend_row *row, uint32_t size)
{
    bool more = context->release >= MORE_SIZES_SINCE && !row->sparse;
    return size == LATENT_SIZE || row->backend == KVB_BACKEND_FLASH_ATTN_MLA_SPARSE ||
           (more && (size == 320 || row->backend == KVB_BACKEND_TRITON_MLA));
}

static bool takes_nope(const struct backend_row *row, uint32_t size)
{
    const uint32_t *sizes = row->nope_sizes;
    return sizes[0] == 0 || size == sizes[0] || size == sizes[1] || size == sizes[2];
}

// supported_dtypes, and supports_combination of v1/attention/backends/mla/flashinfer_mla_sparse.py v0.24.0:203,
// tokenspeed_mla.py v0.24.0.
static bool takes_model(const struct kvb_context *context, const struct backend_row *row,
                        const struct kvb_attention_shape *shape)
{
    bool bfloat16 = context->dtype == KVB_DTYPE_BF16;
    switch (row->backend) {
    case KVB_BACKEND_FLASHMLA_SPARSE:
        return bfloat16;
    case KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120:
        return bfloat16 && shape->index_topk == SM120_TOPK;
    case KVB_BACKEND_TOKENSPEED_MLA:
        return context->dtype != KVB_DTYPE_FP32 && shape->rope_size == 64 && shape->value_head_size == 128;
    default:
        return context->dtype != KVB_DTYPE_FP32;
    }
}

static bool in_release(const struct kvb_context *context, const struct backend_row *row)
{
    return context->release >= row->since && (row->until == 0 || context->release < row->until);
}

static uint32_t major_of(const struct kvb_context *context)
{
    return KVB_CAPABILITY_MAJOR(context->gpu->compute_capability);
}

static bool takes_word(const struct kvb_context *context, const struct backend_row *row)
{
    bool named_too_early = context->kv_word == KVB_KV_16BIT && context->release < NAMED_16BIT_SINCE;
    return !named_too_early && (row->words & WORD(context->kv_word)) != 0;
}

static bool is_valid(const struct kvb_context *context, const struct backend_row *row,
                     const struct kvb_attention_shape *shape)
{
    uint64_t block = kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    bool block_counts = kvb_rule(context, KVB_RULE_BLOCK_SIZE) == KVB_BLOCK_BACKEND && block > 0;
    return in_release(context, row) && row->sparse == (shape->index_heads > 0) &&
           (row->majors == MAJORS_ANY || (row->majors & MAJOR(major_of(context))) != 0) && takes_word(context, row) &&
           takes_nope(row, shape->nope_size) && takes_model(context, row, shape) &&
           takes_latent(context, row, shape->latent_rank + shape->rope_size) &&
           (!block_counts || block % row->block_tokens == 0);
}

#define SET_SINCE R(11, 1)
#define SET_UNTIL R(18, 0)
#define WHOLE_FAMILY_SINCE R(13, 0) // and not for sparse layers, which CUTLASS lacks
#define FLASHINFER_SET_SINCE R(15, 0)
#define FLASHINFER_NOPE_SIZE 128

// Up to 0.17 data-centre Blackwell has its backend set before backends are asked, and no other is tried then.
// Source: vllm/platforms/cuda.py check_and_update_config v0.11.1 to v0.17.1.
static enum kvb_backend set_on_blackwell(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    uint32_t capability = context->gpu->compute_capability;
    bool family = context->release >= WHOLE_FAMILY_SINCE;
    bool there = family ? major_of(context) == 10 : capability == KVB_CAPABILITY_BLACKWELL;
    if (context->release < SET_SINCE || context->release >= SET_UNTIL || !there || (family && shape->index_heads > 0)) {
        return KVB_BACKEND_AUTO;
    }
    if (context->release < FLASHINFER_SET_SINCE) {
        return KVB_BACKEND_CUTLASS_MLA;
    }
    return shape->nope_size == FLASHINFER_NOPE_SIZE ? KVB_BACKEND_FLASHINFER_MLA : KVB_BACKEND_AUTO;
}

enum kvb_backend kvb_mla_backend_set(const struct kvb_context *context)
{
    const struct kvb_attention_shape *shape = kvb_latent_shape(context->model);
    enum kvb_backend asked = kvb_backend_asked(context);
    return asked != KVB_BACKEND_AUTO || shape == NULL ? asked : set_on_blackwell(context, shape);
}

// On 10.x the order differs: CUTLASS before FlashInfer up to 0.14; of the sparse ones the first by the heads of
// a rank (0.17 and 0.18), from 0.19 by the cache's format as well.
static enum kvb_backend first_on_blackwell(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (shape->index_heads == 0) {
        return context->release < R(15, 0) ? KVB_BACKEND_CUTLASS_MLA : KVB_BACKEND_FLASHINFER_MLA;
    }
    bool few_heads = shape->heads / context->tp <= 16;
    bool fp8 = context->kv_word != KVB_KV_AUTO && context->kv_word != KVB_KV_16BIT;
    bool flashinfer = few_heads || (fp8 && context->release >= R(19, 0));
    return flashinfer ? KVB_BACKEND_FLASHINFER_MLA_SPARSE : KVB_BACKEND_FLASHMLA_SPARSE;
}

static const struct backend_row *find(const struct kvb_context *context, const struct kvb_attention_shape *shape,
                                      enum kvb_backend wanted)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool named = wanted == KVB_BACKEND_AUTO || wanted == rows[i].backend;
        if (named && is_valid(context, &rows[i], shape)) {
            return &rows[i];
        }
    }
    return NULL;
}

enum kvb_backend kvb_backend_asked(const struct kvb_context *context)
{
    uint64_t asked = kvb_number(context->plan, KVB_SET_ATTENTION_BACKEND);
    return (enum kvb_backend)(asked != 0 ? asked : context->plan->environment.attention_backend);
}

struct kvb_mla_backend kvb_mla_backend_of(const struct kvb_context *context)
{
    struct kvb_mla_backend out = {KVB_BACKEND_AUTO, false, false, 0, NULL};
    const struct kvb_attention_shape *shape = kvb_latent_shape(context->model);
    enum kvb_backend asked = kvb_mla_backend_set(context);
    if (shape == NULL || context->gpu->vendor != KVB_VENDOR_NVIDIA || context->gpu->compute_capability == 0 ||
        !kvb_rule(context, KVB_RULE_BACKEND_CHECKED) || asked == KVB_BACKEND_OTHER) {
        return out;
    }
    const struct backend_row *row = NULL;
    if (asked == KVB_BACKEND_AUTO && major_of(context) == 10) {
        row = find(context, shape, first_on_blackwell(context, shape));
    }
    row = row != NULL ? row : find(context, shape, asked);
    out.missing = row == NULL;
    if (row != NULL) {
        out.backend = row->backend;
        out.block_tokens = row->block_tokens;
        out.name = row->name;
        out.packs_16bit = row->backend == KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120;
    }
    return out;
}

const char *kvb_backend_name(enum kvb_backend backend)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].backend == backend) {
            return rows[i].name;
        }
    }
    return backend == KVB_BACKEND_FLEX ? "FLEX_ATTENTION" : backend == KVB_BACKEND_TURBOQUANT ? "TURBOQUANT" : "";
}
