// Tokens per block: the backend's kernel block, and the alignment of attention pages to state pages.
// Source: vllm/platforms/cuda.py and interface.py, vllm/model_executor/models/config.py.
#include "budget/shapes.h"
#include "engines/vllm/kv.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/kv_backend.h"

#define CUTLASS_FORCED_SINCE KVB_RELEASE(0, 10, 1)
#define MULTIPLES_KEPT_SINCE KVB_RELEASE(0, 11, 1)
#define WHOLE_FAMILY_SINCE KVB_RELEASE(0, 13, 0) // 10.3 as well as 10.0
#define STATES_LOOK_SINCE KVB_RELEASE(0, 12, 0)
#define FLASHINFER_FORCED_SINCE KVB_RELEASE(0, 15, 0)
#define FLASHINFER_NOPE_SIZE 128

static bool is_data_centre_blackwell(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    return context->release >= WHOLE_FAMILY_SINCE
               ? KVB_CAPABILITY_MAJOR(capability) == KVB_CAPABILITY_MAJOR(KVB_CAPABILITY_BLACKWELL)
               : capability == KVB_CAPABILITY_BLACKWELL;
}

// The backend whose block check_and_update_config forces up to 0.17.
static enum kvb_backend forcing_backend(const struct kvb_context *context)
{
    enum kvb_backend asked = kvb_backend_asked(context);
    if (asked != KVB_BACKEND_AUTO) {
        return asked;
    }
    bool blackwell = context->release >= CUTLASS_FORCED_SINCE && is_data_centre_blackwell(context);
    if (!blackwell) {
        return KVB_BACKEND_FLASHMLA;
    }
    bool flashinfer = context->release >= FLASHINFER_FORCED_SINCE &&
                      kvb_latent_shape(context->model)->nope_size == FLASHINFER_NOPE_SIZE;
    return flashinfer ? KVB_BACKEND_FLASHINFER_MLA : KVB_BACKEND_CUTLASS_MLA;
}

// Up to 0.17: the block of the asked size, or what the backend forces instead.
static uint64_t forced_mla_block(const struct kvb_context *context, uint64_t block)
{
    bool hopper = KVB_CAPABILITY_MAJOR(context->gpu->compute_capability) == KVB_CAPABILITY_MAJOR(KVB_CAPABILITY_HOPPER);
    bool multiples = context->release >= MULTIPLES_KEPT_SINCE;
    if (kvb_model_is_sparse(context->model) && kvb_rule(context, KVB_RULE_DS_MLA)) {
        return 64;
    }
    switch (forcing_backend(context)) {
    case KVB_BACKEND_FLASHMLA:
        return !hopper || (multiples && block % 64 == 0) ? block : 64;
    case KVB_BACKEND_CUTLASS_MLA:
        return multiples && block % 128 == 0 ? block : 128;
    case KVB_BACKEND_FLASHINFER_MLA:
        return block == 32 || (multiples && block % 64 == 0) ? block : 64;
    default:
        return block;
    }
}

// Block size of the attention backend a release from 0.18 on picks: 16 where it takes that.
static uint64_t backend_block(const struct kvb_context *context)
{
    if (kvb_model_has(context->model, KVB_ATTENTION_DSV4)) {
        return 256;
    }
    if (kvb_model_is_sparse(context->model)) { // the index is the first layer, and its kernels take 64
        return 64;
    }
    return kvb_max(context->mla_backend.block_tokens, 16);
}

static uint64_t plain_block_tokens(const struct kvb_context *context)
{
    uint64_t asked = kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    uint64_t block = asked > 0 ? asked : 16;
    bool mla = kvb_model_is_mla(context->model);
    switch (kvb_rule(context, KVB_RULE_BLOCK_SIZE)) {
    case KVB_BLOCK_BACKEND:
        if (kvb_model_has(context->model, KVB_ATTENTION_DSV4)) {
            return 256;
        }
        return asked > 0 ? asked : backend_block(context);
    case KVB_BLOCK_FLASHMLA_64:
        return mla ? forced_mla_block(context, block) : block;
    default:
        return block;
    }
}

static const struct kvb_attention_shape *first_state(const struct kvb_context *context)
{
    const struct kvb_attention_shape *largest = NULL;
    uint64_t largest_bytes = 0;
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &context->model->kinds[i].attention;
        uint64_t bytes = kvb_is_state(shape->kind) ? kvb_state_bytes(context, shape) : 0;
        if (bytes > largest_bytes) {
            largest = shape;
            largest_bytes = bytes;
        }
    }
    return largest;
}

static uint64_t smallest_token_bytes(const struct kvb_context *context)
{
    uint64_t smallest = 0;
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        uint64_t bytes = kvb_layer_token_bytes(context, &context->model->kinds[i].attention);
        if (bytes > 0 && (smallest == 0 || bytes < smallest)) {
            smallest = bytes;
        }
    }
    return smallest;
}

static uint64_t lcm(uint64_t a, uint64_t b)
{
    uint64_t x = a;
    uint64_t y = b;
    while (y != 0) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

#define DEFAULT_CHUNK_TOKENS 2048 // config/model.py get_mamba_chunk_size, for states without a chunk (Jamba)
#define LATENT_128_SINCE KVB_RELEASE(0, 27, 0)
#define WIDE_HEADS_UNTIL KVB_RELEASE(0, 18, 0)
#define WIDE_HEAD_SIZE 256

// FlashInfer on data-centre Blackwell takes no blocks of 16 for heads of 256 (models/config.py 0.11.1 to 0.17.1).
static bool needs_blocks_of_32(const struct kvb_context *context)
{
    enum kvb_backend asked = kvb_backend_asked(context);
    if (context->release >= WIDE_HEADS_UNTIL || !is_data_centre_blackwell(context) ||
        (asked != KVB_BACKEND_AUTO && asked != KVB_BACKEND_FLASHINFER)) {
        return false;
    }
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &context->model->kinds[i].attention;
        if (shape->kind == KVB_ATTENTION_FULL && shape->head_size == WIDE_HEAD_SIZE) {
            return true;
        }
    }
    return false;
}

static uint64_t alignment_unit(const struct kvb_context *context)
{
    bool mla = kvb_model_is_mla(context->model);
    switch (kvb_rule(context, KVB_RULE_HYBRID_ALIGN)) {
    case KVB_ALIGN_LARGEST: {
        uint64_t unit = kvb_max(context->kernel_block_tokens, context->block_tokens);
        return mla && context->release >= LATENT_128_SINCE ? kvb_max(unit, 128) : unit;
    }
    case KVB_ALIGN_KERNEL:
        if (mla) {
            return kvb_backend_asked(context) == KVB_BACKEND_CUTLASS_MLA ? 128 : 64;
        }
        return needs_blocks_of_32(context) ? 32 : 16;
    default:
        return 16;
    }
}

// Raises the attention block until its page covers a state page, then pads the state page to it.
static void align_hybrid(struct kvb_context *context)
{
    const struct kvb_attention_shape *state = first_state(context);
    uint64_t token_bytes = smallest_token_bytes(context);
    if (state == NULL || token_bytes == 0 || kvb_rule(context, KVB_RULE_HYBRID_ALIGN) == KVB_ALIGN_NONE) {
        return;
    }
    uint64_t state_bytes = kvb_state_bytes(context, state);
    uint64_t unit = alignment_unit(context);
    uint64_t least = kvb_mul(unit, kvb_div_up(state_bytes, unit * token_bytes));
    context->mamba_block_tokens = context->max_model_len;
    if (context->mamba_mode == KVB_MAMBA_MODE_ALL) {
        uint64_t asked = kvb_number(context->plan, KVB_SET_MAMBA_BLOCK_SIZE);
        uint64_t chunk = asked > 0 ? asked : state->chunk_tokens > 0 ? state->chunk_tokens : DEFAULT_CHUNK_TOKENS;
        uint64_t step = lcm(chunk, unit);
        least = kvb_mul(step, kvb_div_up(kvb_div_up(state_bytes, token_bytes), step));
        context->mamba_block_tokens = least;
    }
    context->block_tokens = kvb_max(context->block_tokens, least);
    if (context->mamba_mode == KVB_MAMBA_MODE_ALIGN) {
        context->mamba_block_tokens = context->block_tokens;
    }
    context->mamba_page_bytes = kvb_max(kvb_mul(context->block_tokens, token_bytes), state_bytes);
}

#define UNLIKE_FORMATS_SINCE KVB_RELEASE(0, 25, 0)
#define SMALLEST_BLOCK 16

// From 0.25 a block of the quantised layers covers the smallest block of those left at the model's dtype, counted at
// a byte an element. Source: vllm/platforms/interface.py _align_heterogeneous_kv_block_size.
static void align_formats(struct kvb_context *context)
{
    if (!kvb_is_turboquant(context->kv_dtype) || context->release < UNLIKE_FORMATS_SINCE) {
        return;
    }
    uint64_t unit = kvb_max(SMALLEST_BLOCK, context->block_tokens);
    uint64_t least = kvb_round_up((uint64_t)SMALLEST_BLOCK * kvb_dtype_bytes(context->dtype), unit);
    context->block_tokens = kvb_max(context->block_tokens, least);
}

// Before 0.15 the size of a block is not yet settled where states look at it, but as it was asked for; 0.11 does not
// look. Source: vllm/model_executor/models/config.py MambaModelConfig v0.11.1, v0.12.0 to v0.15.0.
static uint64_t cached_state_tokens(const struct kvb_context *context)
{
    if (kvb_rule(context, KVB_RULE_MAMBA_BLOCKS) >= KVB_MAMBA_BY_MODE) {
        return context->block_tokens;
    }
    bool looks = context->release >= STATES_LOOK_SINCE && kvb_is_set(context->plan, KVB_SET_BLOCK_SIZE);
    return looks ? context->block_tokens : context->max_model_len;
}

void kvb_block_size_resolve(struct kvb_context *context)
{
    context->block_tokens = plain_block_tokens(context);
    context->kernel_block_tokens =
        kvb_rule(context, KVB_RULE_BLOCK_SIZE) == KVB_BLOCK_BACKEND ? backend_block(context) : 16;
    context->mamba_block_tokens = context->max_model_len;
    context->mamba_page_bytes = 0;
    if (context->mamba_mode == KVB_MAMBA_MODE_ALL) { // a model of nothing but states: hybrids are aligned below
        uint64_t asked = kvb_number(context->plan, KVB_SET_MAMBA_BLOCK_SIZE);
        context->mamba_block_tokens = asked > 0 ? asked : cached_state_tokens(context);
    }
    if (kvb_model_has_state(context->model)) { // V0 keeps states apart: models/config.py v0.10.0:236
        if (context->generation == KVB_GENERATION_V1) {
            align_hybrid(context);
        }
    } else {
        align_formats(context);
    }
}
