// Without the hybrid manager: windows and chunks are allocated like full attention, or the release gives up.
// Source: vllm/v1/core/kv_cache_utils.py unify_hybrid_kv_cache_specs, _promote_local_kv_cache_specs.
#include "engines/vllm/kv.h"

#include "base/checked.h"

#define FULL_BLOCK_SINCE KVB_RELEASE(0, 27, 0)

static bool is_windowed(enum kvb_attention kind)
{
    return kind == KVB_ATTENTION_SLIDING || kind == KVB_ATTENTION_CHUNKED;
}

static bool is_full_type(enum kvb_attention kind)
{
    return kind == KVB_ATTENTION_FULL || kind == KVB_ATTENTION_MLA;
}

static bool same_type(const struct kvb_bucket *a, const struct kvb_bucket *b)
{
    if (a->block_tokens != b->block_tokens) {
        return false;
    }
    if (is_full_type(a->kind) && is_full_type(b->kind)) {
        return true;
    }
    if (kvb_is_state(a->kind) && kvb_is_state(b->kind)) {
        return true;
    }
    return a->kind == b->kind && a->window_tokens == b->window_tokens;
}

bool kvb_is_uniform_type(const struct kvb_buckets *buckets)
{
    for (uint32_t i = 1; i < buckets->count; i++) {
        if (!same_type(&buckets->items[0], &buckets->items[i])) {
            return false;
        }
    }
    return true;
}

// The block of full layers, all of which have the same; 0 without any.
static uint64_t full_block(const struct kvb_buckets *buckets)
{
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (is_full_type(buckets->items[i].kind)) {
            return buckets->items[i].block_tokens;
        }
    }
    return 0;
}

static bool several_windows(const struct kvb_buckets *buckets, enum kvb_attention kind)
{
    uint32_t window = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (buckets->items[i].kind == kind) {
            if (window != 0 && buckets->items[i].window_tokens != window) {
                return true;
            }
            window = buckets->items[i].window_tokens;
        }
    }
    return false;
}

static bool any_of(const struct kvb_buckets *buckets, enum kvb_attention kind)
{
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (buckets->items[i].kind == kind) {
            return true;
        }
    }
    return false;
}

#define CHUNKED_MARK (UINT64_C(1) << 63) // windows and chunks do not merge into one spec

static void promote_all(const struct kvb_context *context, const struct kvb_buckets *own, struct kvb_buckets *out)
{
    bool full = full_block(own) > 0;
    uint64_t block = context->release >= FULL_BLOCK_SINCE ? full_block(own) : 0;
    out->count = 0;
    out->overflow = own->overflow;
    for (uint32_t i = 0; i < own->count; i++) {
        struct kvb_bucket bucket = own->items[i];
        if (full && is_windowed(bucket.kind)) {
            bool apart = bucket.kind == KVB_ATTENTION_CHUNKED && any_of(own, KVB_ATTENTION_SLIDING);
            bucket.shape |= apart ? CHUNKED_MARK : 0;
            bucket.kind = KVB_ATTENTION_FULL;
            bucket.window_tokens = 0;
            if (block > 0) {
                bucket.page_bytes = kvb_mul(bucket.page_bytes / bucket.block_tokens, block);
                bucket.block_tokens = block;
            }
        }
        kvb_bucket_join(out, &bucket);
    }
}

static bool is_one_type(const struct kvb_context *context, const struct kvb_buckets *buckets)
{
    return buckets->count <= 1 || (kvb_rule(context, KVB_RULE_UNIFORM_TYPE) && kvb_is_uniform_type(buckets));
}

const char *kvb_promote(const struct kvb_context *context, const struct kvb_buckets *own, struct kvb_buckets *out)
{
    bool checked = kvb_rule(context, KVB_RULE_GROUPS) != 0;
    if (checked && is_one_type(context, own)) {
        out->count = 0;
        out->overflow = own->overflow;
        for (uint32_t i = 0; i < own->count; i++) {
            kvb_bucket_join(out, &own->items[i]);
        }
        return "";
    }
    promote_all(context, own, out);
    if (!checked || out->overflow) {
        return "";
    }
    // Windows meet in one spec only when the first layer's class joins all of them.
    bool merges = full_block(own) > 0 && own->items[0].kind != KVB_ATTENTION_MLA;
    if (merges && (several_windows(own, KVB_ATTENTION_SLIDING) || several_windows(own, KVB_ATTENTION_CHUNKED))) {
        return "All attention layers in the same KV cache group must have the same window size.";
    }
    if (!is_one_type(context, out)) {
        return context->release >= FULL_BLOCK_SINCE
                   ? "Failed to promote local KV cache specs to one unified type."
                   : "Hybrid KV cache manager is disabled but failed to convert the KV cache specs to one unified "
                     "type.";
    }
    return "";
}
