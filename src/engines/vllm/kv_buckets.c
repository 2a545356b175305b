// Layers to buckets of equal caches, in the order in which the engine constructs them.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"

#define SLIDING_KERNEL_BLOCK 16
#define DEFAULT_BLOCK 16

static void finish(struct kvb_buckets *buckets)
{
    for (uint32_t i = 0; i < buckets->count; i++) { // same: nobody reads what lies behind
        uint16_t *before = buckets->items[i].before;
        for (uint32_t stage = 0; stage < KVB_STAGES_MAX; stage++) {
            before[stage + 1] = (uint16_t)(before[stage + 1] + before[stage]);
        }
    }
}

static enum kvb_attention kind_in_release(const struct kvb_context *context, enum kvb_attention kind)
{
    if (kind == KVB_ATTENTION_SLIDING && !kvb_rule(context, KVB_RULE_SPEC_SLIDING)) {
        return KVB_ATTENTION_FULL;
    }
    if (kind == KVB_ATTENTION_CHUNKED && !kvb_rule(context, KVB_RULE_SPEC_CHUNKED)) {
        return KVB_ATTENTION_FULL;
    }
    return kind;
}

static uint64_t shape_of(const struct kvb_context *context, const struct kvb_attention_shape *attention)
{
    if (kvb_is_state(attention->kind)) {
        return 0;
    }
    uint64_t heads = kvb_heads_on_rank(attention->kv_heads, context->tp);
    uint64_t size = attention->head_size;
    return heads << 40 | size << 20 | attention->value_head_size; // same: any bits of their own will do
}

static void describe(const struct kvb_context *context, const struct kvb_attention_shape *attention,
                     struct kvb_bucket *bucket)
{
    memset(bucket, 0, sizeof *bucket);
    bucket->kind = kind_in_release(context, attention->kind);
    bucket->block_tokens = context->block_tokens;
    bucket->shape = shape_of(context, attention);
    if (kvb_is_state(bucket->kind)) {
        bucket->block_tokens = context->mamba_block_tokens;
        bucket->page_bytes = kvb_max(kvb_state_bytes(context, attention), context->mamba_page_bytes);
        return;
    }
    if (bucket->kind != KVB_ATTENTION_FULL && bucket->kind != KVB_ATTENTION_MLA) {
        bucket->window_tokens = attention->window_tokens;
    }
    if (bucket->kind == KVB_ATTENTION_SLIDING && kvb_rule(context, KVB_RULE_SLIDING_BLOCK)) {
        bucket->block_tokens = SLIDING_KERNEL_BLOCK;
    }
    bucket->packed = kvb_is_turboquant(context->kv_dtype) && bucket->kind == KVB_ATTENTION_FULL;
    bucket->page_bytes = kvb_mul(bucket->block_tokens, kvb_layer_token_bytes(context, attention));
}

// The sparse index keeps fp8 keys and one fp32 scale per 128 of them.
static void add_index_cache(const struct kvb_context *context, const struct kvb_attention_shape *attention,
                            struct kvb_buckets *buckets, uint32_t stage)
{
    bool owns = attention->has_indexer || !kvb_rule(context, KVB_RULE_INDEX_SHARING);
    if (attention->index_heads == 0 || !owns || !kvb_rule(context, KVB_RULE_DS_MLA)) {
        return;
    }
    struct kvb_bucket bucket;
    memset(&bucket, 0, sizeof bucket);
    bucket.kind = KVB_ATTENTION_MLA;
    bucket.block_tokens = context->block_tokens;
    bucket.page_bytes =
        kvb_mul(bucket.block_tokens, attention->index_head_size + 4U * (attention->index_head_size / 128U));
    (void)kvb_bucket_add(buckets, &bucket, stage);
}

#define NO_BUCKET 0xFEU

// Returns the index of the layer's one bucket; NO_BUCKET when it has none, KVB_BUCKETS_MAX when that has to be asked
// again for the next layer alike.
static uint32_t add_layer(const struct kvb_context *context, const struct kvb_attention_shape *attention,
                          struct kvb_buckets *buckets, uint32_t stage)
{
    if (attention->shares_kv) {
        return NO_BUCKET;
    }
    if (attention->kind == KVB_ATTENTION_DSV4) {
        kvb_dsv4_add_layer(context, attention, buckets, stage);
        return KVB_BUCKETS_MAX;
    }
    if (attention->kind == KVB_ATTENTION_MLA) {
        add_index_cache(context, attention, buckets, stage);
    }
    struct kvb_bucket bucket;
    describe(context, attention, &bucket);
    uint32_t at = bucket.page_bytes > 0 ? kvb_bucket_add(buckets, &bucket, stage) : NO_BUCKET;
    return attention->index_heads > 0 ? KVB_BUCKETS_MAX : at; // same: asked again, only slower
}

#define BLOCKS_SLIDE_SINCE KVB_RELEASE(0, 25, 0)

// Layers of DFlash attend to everything before 0.25, and those of Laguna in every release: the states of the target
// are put where they belong. Source: qwen3_dflash.py v0.24.0, v0.25.1:_resolve_layer_attention, laguna_dflash.py
// v0.25.1:113.
static struct kvb_attention_shape block_shape(const struct kvb_context *context, uint32_t layer)
{
    const struct kvb_model *draft = context->plan->draft;
    struct kvb_attention_shape shape = kvb_kind_of(draft, layer)->attention;
    bool everything = context->release < BLOCKS_SLIDE_SINCE || strstr(draft->architecture, "Laguna") != NULL;
    if (everything && shape.kind == KVB_ATTENTION_SLIDING) {
        shape.kind = KVB_ATTENTION_FULL;
        shape.window_tokens = 0;
    }
    return shape;
}

static void add_blocks(const struct kvb_context *context, struct kvb_buckets *buckets)
{
    uint32_t layers = context->plan->draft != NULL ? context->plan->draft->layer_count : 0;
    for (uint32_t i = 0; i < layers; i++) {
        struct kvb_attention_shape shape = block_shape(context, i);
        (void)add_layer(context, &shape, buckets, context->pp - 1);
    }
}

// The window of a model all of whose layers slide; 0: not all do, or not over as many tokens.
static uint32_t window_of_all(const struct kvb_model *model)
{
    uint32_t window = 0;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const struct kvb_attention_shape *shape = &kvb_kind_of(model, i)->attention;
        if (shape->kind != KVB_ATTENTION_SLIDING || (window != 0 && shape->window_tokens != window)) {
            return 0;
        }
        window = shape->window_tokens;
    }
    return window;
}

// Such a window is the cache's own, and layers of a draft without one take it: vllm/engine/arg_utils.py
// create_engine_config, attention/layer.py Attention.__init__.
static struct kvb_attention_shape drafted_shape(const struct kvb_context *context,
                                                const struct kvb_attention_shape *shape)
{
    struct kvb_attention_shape own = *shape;
    uint32_t window = own.kind == KVB_ATTENTION_FULL ? window_of_all(context->model) : 0;
    own.kind = window > 0 ? KVB_ATTENTION_SLIDING : own.kind;
    own.window_tokens = window > 0 ? window : own.window_tokens;
    return own;
}

// A draft head is one more full-attention layer shaped like the target's; draft models bring all theirs.
static void add_draft(const struct kvb_context *context, struct kvb_buckets *buckets)
{
    const struct kvb_model *model = context->model;
    const struct kvb_model *draft = context->plan->draft;
    uint32_t last = context->pp - 1;
    switch (context->speculative) {
    case KVB_SPECULATIVE_MTP:
        for (uint32_t i = 0; i < kvb_mtp_modules(model); i++) {
            (void)add_layer(context, &model->kinds[model->mtp_kind].attention, buckets, last);
        }
        break;
    case KVB_SPECULATIVE_EAGLE:
    case KVB_SPECULATIVE_DRAFT_MODEL:
        if (draft != NULL) {
            for (uint32_t i = 0; i < draft->layer_count; i++) {
                struct kvb_attention_shape shape = drafted_shape(context, &kvb_kind_of(draft, i)->attention);
                (void)add_layer(context, &shape, buckets, last);
            }
        } else if (context->speculative == KVB_SPECULATIVE_EAGLE) {
            for (uint32_t i = 0; i < model->kind_count; i++) {
                enum kvb_attention kind = model->kinds[i].attention.kind;
                if (kind == KVB_ATTENTION_FULL || (kind == KVB_ATTENTION_SLIDING && window_of_all(model) > 0)) {
                    (void)add_layer(context, &model->kinds[i].attention, buckets, last);
                    break;
                }
            }
        }
        break;
    case KVB_SPECULATIVE_DFLASH:
    case KVB_SPECULATIVE_DSPARK:
        add_blocks(context, buckets);
        break;
    default:
        break;
    }
}

#define BOUNDARY_LAYERS 2

// TurboQuant leaves the first and last two layers of a model without states at the model's dtype.
// Source: model_executor/layers/quantization/turboquant/config.py get_boundary_skip_layers, from v0.20.0.
static uint32_t boundary_layers(const struct kvb_context *context)
{
    uint32_t half = context->model->layer_count / 2;
    bool leaves = kvb_is_turboquant(context->kv_dtype) && !kvb_model_has_state(context->model);
    return leaves ? (uint32_t)kvb_min(half, BOUNDARY_LAYERS) : 0;
}

static void add_boundary(const struct kvb_context *context, uint32_t layer, uint32_t stage, struct kvb_buckets *buckets)
{
    struct kvb_context plain = *context;
    plain.kv_dtype = KVB_KV_AUTO;
    (void)add_layer(&plain, &kvb_kind_of(context->model, layer)->attention, buckets, stage);
}

static bool keeps_tokens(const struct kvb_attention_shape *shape)
{
    return !kvb_is_state(shape->kind) && shape->kind != KVB_ATTENTION_NONE; // no model has encoders beside states
}

// From 0.20 each worker aligns its states to the attention layers that it has itself: on a stage without any they stay
// as they are. Source: vllm/platforms/interface.py update_block_size_for_backend, _find_non_ssm_backend v0.20.0.
static bool is_unaligned(const struct kvb_context *context, uint32_t stage)
{
    bool drafts = stage == context->pp - 1 && context->speculative != KVB_SPECULATIVE_NONE &&
                  context->speculative != KVB_SPECULATIVE_NGRAM;
    if (kvb_rule(context, KVB_RULE_HYBRID_ALIGN) != KVB_ALIGN_LARGEST || drafts || context->mamba_page_bytes == 0) {
        return false;
    }
    for (uint32_t layer = context->stage_begin[stage]; layer < context->stage_begin[stage + 1]; layer++) {
        if (keeps_tokens(&kvb_kind_of(context->model, layer)->attention)) {
            return false;
        }
    }
    return true;
}

static void add_unaligned(const struct kvb_context *context, uint32_t stage, struct kvb_buckets *buckets)
{
    struct kvb_context bare = *context;
    uint64_t block = kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    uint64_t mamba_block = kvb_number(context->plan, KVB_SET_MAMBA_BLOCK_SIZE);
    bare.mamba_page_bytes = 0;
    if (context->mamba_mode != KVB_MAMBA_MODE_NONE) {
        bare.mamba_block_tokens = mamba_block > 0 ? mamba_block : block > 0 ? block : DEFAULT_BLOCK;
    }
    for (uint32_t layer = context->stage_begin[stage]; layer < context->stage_begin[stage + 1]; layer++) {
        (void)add_layer(&bare, &kvb_kind_of(context->model, layer)->attention, buckets, stage);
    }
}

// Layers of one kind have one cache: the first of them finds the bucket, the others only count.
static void add_decoder(const struct kvb_context *context, struct kvb_buckets *buckets)
{
    const struct kvb_model *model = context->model;
    uint32_t known[KVB_LAYER_KINDS_MAX];
    uint32_t first = boundary_layers(context), last = model->layer_count - first;
    for (uint32_t i = 0; i < model->kind_count; i++) {
        known[i] = KVB_BUCKETS_MAX;
    }
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        if (is_unaligned(context, stage)) {
            add_unaligned(context, stage, buckets);
            continue;
        }
        for (uint32_t layer = context->stage_begin[stage]; layer < context->stage_begin[stage + 1]; layer++) {
            uint32_t kind = model->kind_of_layer[layer];
            if (layer < first || layer >= last) {
                add_boundary(context, layer, stage, buckets);
            } else if (known[kind] < KVB_BUCKETS_MAX) {
                buckets->items[known[kind]].count++;
                buckets->items[known[kind]].before[stage + 1]++;
            } else if (known[kind] != NO_BUCKET) {
                known[kind] = add_layer(context, &model->kinds[kind].attention, buckets, stage);
            }
        }
    }
}

void kvb_buckets_fill(const struct kvb_context *context, struct kvb_buckets *buckets)
{
    buckets->count = 0;
    buckets->overflow = false;
    if (kvb_model_has(context->model, KVB_ATTENTION_DSV4)) {
        kvb_dsv4_fill(context, buckets);
    } else {
        add_decoder(context, buckets);
    }
    add_draft(context, buckets);
    finish(buckets);
}
