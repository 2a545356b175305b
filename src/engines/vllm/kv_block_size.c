// Tokens per block: the backend's kernel block, and the alignment of attention pages to state pages.
// Source: vllm/platforms/cuda.py and interface.py, vllm/model_executor/models/config.py.
#include "engines/vllm/kv.h"

#include "base/checked.h"

#define BLACKWELL 100
#define HOPPER 90

static bool is_sparse(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].attention.kind == KVB_ATTENTION_MLA && model->kinds[i].attention.index_heads > 0) {
            return true;
        }
    }
    return false;
}

// Block size that MLA backends force up to 0.17, 0 when they force none.
static uint64_t forced_mla_block(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    if (is_sparse(context->model)) {
        return 64;
    }
    if (capability >= BLACKWELL) {
        return kvb_rule(context, KVB_RULE_BLOCK_SIZE) == KVB_BLOCK_MLA_BLACKWELL ? 128 : 0;
    }
    return capability >= HOPPER ? 64 : 0;
}

struct backend_block_row {
    enum kvb_backend backend;
    uint32_t kernel_block_tokens;
};

static const struct backend_block_row backend_blocks[] = {
    {KVB_BACKEND_FLASHMLA, 64},     {KVB_BACKEND_FLASHMLA_SPARSE, 64}, {KVB_BACKEND_FLASHINFER_MLA, 32},
    {KVB_BACKEND_CUTLASS_MLA, 128}, {KVB_BACKEND_TRITON_MLA, 16},      {KVB_BACKEND_FLASH_ATTN_MLA, 16},
};

// Smallest kernel block of the attention backend a release from 0.18 on picks.
static uint64_t backend_block(const struct kvb_context *context)
{
    if (kvb_model_has(context->model, KVB_ATTENTION_DSV4)) {
        return 256;
    }
    if (!kvb_model_is_mla(context->model)) {
        return 16;
    }
    if (is_sparse(context->model)) {
        return 64;
    }
    uint64_t asked = kvb_number(context->plan, KVB_SET_ATTENTION_BACKEND);
    for (size_t i = 0; i < sizeof backend_blocks / sizeof backend_blocks[0]; i++) {
        if (backend_blocks[i].backend == asked) {
            return backend_blocks[i].kernel_block_tokens;
        }
    }
    return context->gpu->compute_capability >= BLACKWELL ? 32 : 16;
}

static uint64_t plain_block_tokens(const struct kvb_context *context)
{
    uint64_t asked = kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    bool mla = kvb_model_is_mla(context->model);
    uint64_t forced = 0;
    switch (kvb_rule(context, KVB_RULE_BLOCK_SIZE)) {
    case KVB_BLOCK_BACKEND:
        if (kvb_model_has(context->model, KVB_ATTENTION_DSV4)) {
            return 256;
        }
        return asked > 0 ? asked : backend_block(context);
    case KVB_BLOCK_FLASHMLA_64:
    case KVB_BLOCK_MLA_BLACKWELL:
        forced = mla ? forced_mla_block(context) : 0;
        break;
    default:
        break;
    }
    return forced > 0 ? forced : asked > 0 ? asked : 16;
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

static uint64_t alignment_unit(const struct kvb_context *context)
{
    bool mla = kvb_model_is_mla(context->model);
    switch (kvb_rule(context, KVB_RULE_HYBRID_ALIGN)) {
    case KVB_ALIGN_LARGEST: {
        uint64_t unit = kvb_max(context->kernel_block_tokens, context->block_tokens);
        return mla ? kvb_max(unit, 128) : unit;
    }
    case KVB_ALIGN_KERNEL:
        return mla ? (context->gpu->compute_capability >= BLACKWELL ? 128 : 64) : 16;
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
        uint64_t chunk = asked > 0 ? asked : state->chunk_tokens > 0 ? state->chunk_tokens : unit;
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

void kvb_block_size_resolve(struct kvb_context *context)
{
    context->block_tokens = plain_block_tokens(context);
    context->kernel_block_tokens =
        kvb_rule(context, KVB_RULE_BLOCK_SIZE) == KVB_BLOCK_BACKEND ? backend_block(context) : 16;
    context->mamba_block_tokens = context->max_model_len;
    context->mamba_page_bytes = 0;
    if (kvb_model_has_state(context->model)) {
        align_hybrid(context);
    }
}
