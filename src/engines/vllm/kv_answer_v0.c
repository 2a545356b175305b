// V0: one block table for all layers, windows held like full attention.
// Source: vllm/worker/worker.py determine_num_available_blocks, worker/cache_engine.py get_cache_block_size.
#include "engines/vllm/kv.h"

#include "base/checked.h"
#include "engines/vllm/errors.h"
#include "engines/vllm/printed.h"

#define MLA_SINCE KVB_RELEASE(0, 7, 0)
#define MLA_ALIGNED_FROM KVB_RELEASE(0, 7, 2)
#define MLA_ALIGNED_BEFORE KVB_RELEASE(0, 8, 0)
#define MLA_ALIGNMENT_BYTES 256
#define LENGTH_CHECK_SINCE KVB_RELEASE(0, 2, 7)
#define VIRTUAL_ENGINES_SINCE KVB_RELEASE(0, 8, 0)
#define PADDED_HEAD 256 // MLA expanded to full heads before 0.7 is padded to this width

static uint64_t mla_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (context->release < MLA_SINCE || context->plan->environment.mla_disable == KVB_YES) {
        uint64_t heads = kvb_heads_on_rank(shape->heads, context->tp);
        return heads * kvb_kv_head_bytes(context->kv_dtype, context->dtype, PADDED_HEAD, PADDED_HEAD);
    }
    uint64_t bytes = kvb_mla_token_bytes(context, shape);
    bool aligned = context->release >= MLA_ALIGNED_FROM && context->release < MLA_ALIGNED_BEFORE;
    return aligned ? kvb_round_up(bytes, MLA_ALIGNMENT_BYTES) : bytes;
}

static uint64_t token_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (shape->shares_kv) {
        return 0;
    }
    return shape->kind == KVB_ATTENTION_MLA ? mla_bytes(context, shape) : kvb_layer_token_bytes(context, shape);
}

// The decoder's layers are counted as num_hidden_layers, which a Whisper config reads as encoder_layers.
static uint64_t whisper_token_bytes(const struct kvb_context *context, uint32_t *layers)
{
    *layers = context->model->encoder.layers;
    return kvb_mul(*layers, token_bytes(context, &kvb_kind_of(context->model, 0)->attention));
}

static uint64_t stage_token_bytes(const struct kvb_context *context, uint32_t stage, uint32_t *layers)
{
    uint64_t bytes = 0;
    if (context->model->encoder.family == KVB_ENCODER_WHISPER) {
        return whisper_token_bytes(context, layers);
    }
    *layers = 0;
    for (uint32_t i = context->stage_begin[stage]; i < context->stage_begin[stage + 1]; i++) {
        uint64_t own = token_bytes(context, &kvb_kind_of(context->model, i)->attention);
        *layers += own > 0;
        bytes = kvb_add(bytes, own);
    }
    return bytes;
}

static void set_group(const struct kvb_context *context, uint32_t layers, uint64_t page_bytes, struct kvb_kv_cache *kv)
{
    kv->group_count = 1;
    kv->groups[0].kind = kvb_model_is_mla(context->model) ? KVB_ATTENTION_MLA : KVB_ATTENTION_FULL;
    kv->groups[0].layers = layers;
    kv->groups[0].block_tokens = context->block_tokens;
    kv->groups[0].page_bytes = page_bytes;
    kv->groups[0].blocks_per_request = kv->blocks_per_request;
}

static void set_wish(const struct kvb_context *context, struct kvb_kv_cache *kv)
{
    const struct kvb_need *need = &context->plan->need;
    if (need->length_tokens == 0 && need->concurrency_hundredths == 0) {
        return;
    }
    uint64_t length = need->length_tokens > 0 ? need->length_tokens : context->max_model_len;
    uint64_t requests = need->concurrency_hundredths > 0 ? need->concurrency_hundredths : 100;
    uint64_t bytes = kvb_mul(kvb_div_up(length, kv->block_tokens), kv->bytes_per_block);
    kv->wanted_bytes = kvb_div_up(kvb_mul(bytes, requests), 100);
}

// The blocks that all stages share.
struct stages {
    uint64_t blocks, bytes_per_block, page_bytes; // of the tightest; bytes_per_block 0: no stage keeps anything
    uint64_t widest_bytes;                        // of a block on the stage where it is largest
    uint32_t layers, tightest;
};

static void count_stages(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX], struct stages *out)
{
    *out = (struct stages){.blocks = UINT64_MAX};
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        uint32_t layers = 0;
        uint64_t bytes = kvb_mul(context->block_tokens, stage_token_bytes(context, stage, &layers));
        out->layers += layers;
        if (bytes == 0) {
            continue;
        }
        uint64_t blocks = kvb_positive(pools[stage]) / bytes;
        out->widest_bytes = kvb_max(out->widest_bytes, bytes);
        if (blocks < out->blocks) {
            out->blocks = blocks;
            out->bytes_per_block = bytes;
            out->page_bytes = bytes / layers;
            out->tightest = stage;
        }
    }
}

static uint64_t stored_tokens(const struct kvb_context *context, uint64_t blocks)
{
    uint64_t usable = context->release >= VIRTUAL_ENGINES_SINCE ? blocks / context->pp : blocks;
    return kvb_mul(usable, context->block_tokens);
}

static void check_length(const struct kvb_context *context, int64_t pool_bytes, struct kvb_budget *budget)
{
    struct kvb_kv_cache *kv = &budget->kv;
    uint64_t stored = stored_tokens(context, kv->num_blocks);
    budget->needed_bytes = kvb_mul(kv->blocks_per_request, kv->bytes_per_block);
    budget->balance_bytes = pool_bytes - (int64_t)budget->needed_bytes;
    kv->really_needed_bytes = budget->needed_bytes;
    budget->starts = true;
    if (kv->num_blocks == 0) {
        budget->starts = false;
        kvb_error_no_memory(context, budget->error);
    } else if (context->release >= LENGTH_CHECK_SINCE && context->max_model_len > stored) {
        budget->starts = false;
        kvb_error_too_long_v0(context, stored, budget->error);
    }
}

// Layers that came with the V1 engine: a release that runs V0 has no class for such a model.
static bool has_later_layers(const struct kvb_model *model)
{
    for (uint32_t i = 0; i < model->layer_count; i++) {
        enum kvb_attention kind = kvb_kind_of(model, i)->attention.kind;
        if (kind == KVB_ATTENTION_GDN || kind == KVB_ATTENTION_KDA || kind == KVB_ATTENTION_SHORT_CONV ||
            kind == KVB_ATTENTION_DSV4) {
            return true;
        }
    }
    return false;
}

void kvb_kv_answer_v0(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX], struct kvb_budget *budget)
{
    struct kvb_kv_cache *kv = &budget->kv;
    uint64_t override = kvb_number(context->plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE);
    uint64_t swap_bytes = kvb_number(context->plan, KVB_SET_SWAP_SPACE);
    swap_bytes = kvb_is_set(context->plan, KVB_SET_SWAP_SPACE) ? swap_bytes : (uint64_t)4 << 30;
    kv->block_tokens = context->block_tokens;
    if (has_later_layers(context->model)) {
        budget->starts = false;
        budget->balance_bytes = pools[budget->tightest_stage];
        kvb_error_unknown_class(context, budget->error);
        return;
    }
    struct stages stages;
    count_stages(context, pools, &stages);
    kv->num_blocks = stages.blocks;
    kv->bytes_per_block = stages.bytes_per_block;
    kv->cpu_blocks = stages.bytes_per_block > 0 ? swap_bytes / stages.widest_bytes : UINT64_MAX;
    budget->tightest_stage = stages.bytes_per_block > 0 ? stages.tightest : budget->tightest_stage;
    if (kv->bytes_per_block == 0) { // no stage keeps anything
        kv->num_blocks = 0;
        kv->cpu_blocks = 0;
        budget->starts = true;
        budget->balance_bytes = pools[budget->tightest_stage];
        return;
    }
    kv->num_blocks = override > 0 ? override : kv->num_blocks;
    kv->tokens = kvb_mul(kv->num_blocks, kv->block_tokens);
    kv->blocks_per_request = kvb_div_up(context->max_model_len, kv->block_tokens);
    kv->max_concurrency_hundredths = kvb_printed_hundredths(kv->tokens, context->max_model_len);
    kv->bytes_per_token = kv->bytes_per_block / kv->block_tokens;
    set_group(context, stages.layers, stages.page_bytes, kv);
    set_wish(context, kv);
    uint64_t given_bytes = kvb_mul(override, kv->bytes_per_block);
    check_length(context, override > 0 ? (int64_t)given_bytes : pools[budget->tightest_stage], budget);
    if (kvb_kv_refused(context, budget->error)) {
        budget->starts = false;
    }
}

uint64_t kvb_kv_longest_v0(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX])
{
    struct stages stages;
    uint64_t override = kvb_number(context->plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE);
    count_stages(context, pools, &stages);
    if (has_later_layers(context->model) || stages.bytes_per_block == 0) {
        return 0;
    }
    uint64_t blocks = override > 0 ? override : stages.blocks;
    return kvb_min(stored_tokens(context, blocks), context->longest_taken);
}
