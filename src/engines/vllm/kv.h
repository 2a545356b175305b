// KV-cache sizing of one engine: from layers to buckets of equal layers, to groups, to blocks.
#ifndef KVB_ENGINES_VLLM_KV_H
#define KVB_ENGINES_VLLM_KV_H

#include "engines/vllm/context.h"

#define KVB_BUCKETS_MAX KVB_LAYER_KINDS_MAX // two lists of them stand on the stack of every answer

// Layers with equal caches, in order of first appearance.
struct kvb_bucket {
    enum kvb_attention kind;
    uint32_t window_tokens; // sliding, chunked; cross: encoder tokens
    uint64_t block_tokens;
    uint64_t page_bytes;                 // of one layer and block
    uint64_t shape;                      // tells apart equal pages of unlike heads
    bool packed;                         // TurboQuant, whose backend takes no padded pages
    bool padded;                         // the page was raised to a common size
    uint32_t count;                      // layers
    uint16_t before[KVB_STAGES_MAX + 1]; // members on stages before this one; a layer has a few
};

struct kvb_buckets {
    uint32_t count;
    bool overflow;
    struct kvb_bucket items[KVB_BUCKETS_MAX];
};

// A group: every `stride`-th member of a bucket (or a slice of it), or all buckets (uniform type).
struct kvb_group {
    const struct kvb_bucket *bucket;
    uint32_t first, stride, limit; // members first, first + stride, ... below limit
    uint32_t layers;
};

enum kvb_layout {
    KVB_LAYOUT_NO_CACHE,
    KVB_LAYOUT_GROUPS,  // equal pages; each tensor is shared by one layer of every group
    KVB_LAYOUT_UNIFORM, // one group, a page per layer
    KVB_LAYOUT_DSV4,
    KVB_LAYOUT_REFUSED // this release has no layout for these layers
};

struct kvb_groups {
    enum kvb_layout layout;
    uint32_t count;
    uint32_t group_size; // layers of the largest group on the whole model
    bool whole_model;    // UNIFORM: every stage is charged the pages of all of them
    struct kvb_group items[KVB_GROUPS_MAX];
    const char *refusal; // REFUSED: what the release says; "" when there are too many layers of unlike kinds
    // DeepSeek V4
    uint32_t tuples;
    uint32_t v4_rule; // KVB_RULE_DSV4
};

struct kvb_sizing {
    struct kvb_buckets own;     // as each layer declares itself
    struct kvb_buckets grouped; // after promotion and page unification
    struct kvb_groups groups;
    uint64_t block_bytes[KVB_STAGES_MAX]; // of one block of every group, by stage
};

// Bytes of one token of one KV head, keys and values together, scales included.
uint64_t kvb_kv_head_bytes(enum kvb_kv_dtype kv_dtype, enum kvb_dtype dtype, uint32_t key_size, uint32_t value_size);
bool kvb_is_turboquant(enum kvb_kv_dtype kv_dtype);
// Bytes of one token of one MLA layer.
uint64_t kvb_mla_token_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape);
// Bytes of one token in a layer on one rank; 0 for layers without a token cache.
uint64_t kvb_layer_token_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape);
// Natural bytes of one state page on one rank (Mamba, GDN, KDA, convolution).
uint64_t kvb_state_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape);
// What V0 from 0.5.5 on keeps beside its blocks for the states of all sequences; 0: it is V1, or keeps none.
uint64_t kvb_early_state_bytes(const struct kvb_context *context, uint32_t stage);

// Blocks below which the release does not capture its graphs: one for each sequence that holds a state; 0: any will do.
uint64_t kvb_state_blocks_needed(const struct kvb_context *context);
// Sets mamba_mode, and prefix_caching where the release takes it back.
void kvb_mamba_mode_resolve(struct kvb_context *context);
// Sets kv_word, kv_dtype and mla_backend.
void kvb_kv_dtype_resolve(struct kvb_context *context);
// Sets block_tokens, mamba_block_tokens, mamba_page_bytes and kernel_block_tokens.
void kvb_block_size_resolve(struct kvb_context *context);

void kvb_buckets_fill(const struct kvb_context *context, struct kvb_buckets *buckets);
void kvb_dsv4_fill(const struct kvb_context *context, struct kvb_buckets *buckets);
void kvb_dsv4_add_layer(const struct kvb_context *context, const struct kvb_attention_shape *shape,
                        struct kvb_buckets *buckets, uint32_t stage);
// Whether entries are rows of the cache's type, not packed ones of 8 bits with their scales.
bool kvb_dsv4_is_plain(const struct kvb_context *context);
// Returns the bucket's index; KVB_BUCKETS_MAX when there are too many.
uint32_t kvb_bucket_add(struct kvb_buckets *buckets, const struct kvb_bucket *shape, uint32_t stage);
void kvb_bucket_join(struct kvb_buckets *buckets, const struct kvb_bucket *bucket);
// All of them keep the same number of tokens in blocks of one size.
bool kvb_is_uniform_type(const struct kvb_buckets *buckets);
// As the engine allocates without its hybrid manager; what it says when it cannot, or "".
const char *kvb_promote(const struct kvb_context *context, const struct kvb_buckets *own, struct kvb_buckets *out);
void kvb_groups_make(const struct kvb_context *context, struct kvb_sizing *sizing);
void kvb_dsv4_groups(const struct kvb_context *context, struct kvb_sizing *sizing);
uint64_t kvb_dsv4_block_bytes(const struct kvb_sizing *sizing, uint32_t stage);
// What the start-up check counts: whole tuples for every block of every group.
uint64_t kvb_dsv4_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                       uint64_t length);
// Blocks a request takes in the printed concurrency: up to 0.26 bytes of all groups in pages of the first.
uint64_t kvb_dsv4_printed_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                                 uint64_t length);

// Whether the worker of each pipeline stage groups its own layers, and the one with the fewest blocks answers for all.
bool kvb_stages_are_apart(const struct kvb_context *context);
// One stage as its worker sees it, which knows of its own layers alone: `own` and its layers' groups.
void kvb_stage_apart(const struct kvb_context *whole, uint32_t stage, struct kvb_context *own,
                     struct kvb_sizing *sizing);
// Whether stages that are apart have groups of unlike kinds, which the release does not put together. `sizing` is used
// for each of them.
bool kvb_stages_disagree(const struct kvb_context *whole, struct kvb_sizing *sizing);

uint32_t kvb_group_layers_on(const struct kvb_group *group, uint32_t stage);
uint32_t kvb_group_size_on(const struct kvb_sizing *sizing, uint32_t stage); // largest group of one stage

// Blocks that one request of `length` tokens holds in a bucket, at worst.
uint64_t kvb_blocks_of(const struct kvb_context *context, const struct kvb_bucket *bucket, uint64_t length);
// Blocks per request over all groups.
uint64_t kvb_request_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint64_t length);
// The divisor of the printed concurrency.
uint64_t kvb_printed_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                            uint64_t length);
// Bytes that the release's own start-up check compares, for one stage.
uint64_t kvb_checked_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                          uint64_t length);
// Bytes really needed: all groups of this stage.
uint64_t kvb_real_need(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                       uint64_t length);
typedef uint64_t kvb_need_function(const struct kvb_context *, const struct kvb_sizing *, uint32_t, uint64_t);
// Largest length in [1, limit] whose need is at most `pool`; 0 when none is.
uint64_t kvb_longest(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage, uint64_t pool,
                     uint64_t limit, kvb_need_function *need);

// Whether the release refuses this layout or finds no backend for it; `out` receives its sentence.
bool kvb_kv_refused(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);

// pools: bytes for the KV cache of each stage, signed. Fills budget->kv, needed, balance, starts, error.
void kvb_kv_answer_v1(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX],
                      struct kvb_budget *budget);
void kvb_kv_answer_v0(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX],
                      struct kvb_budget *budget);

// The longest length for which these pools have room, up to the model's own maximum; 0 = none.
uint64_t kvb_kv_longest_v1(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX]);
uint64_t kvb_kv_longest_v0(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX]);

#endif
