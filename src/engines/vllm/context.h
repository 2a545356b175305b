// A plan made ready for arithmetic: effective settings as plain numbers, and the release's rules.
#ifndef KVB_ENGINES_VLLM_CONTEXT_H
#define KVB_ENGINES_VLLM_CONTEXT_H

#include "budget/shapes.h"
#include "budget/weights/load.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/rules.h"

// Which backend runs the MLA layers; AUTO: nothing to choose, or not known.
struct kvb_mla_backend {
    enum kvb_backend backend;
    bool missing;          // no backend of the release takes this model, cache format and device
    bool packs_16bit;      // stores "auto" in DeepSeek's packed fp8 form
    uint32_t block_tokens; // its smallest kernel block
    const char *name;
};

// The weights that one plan counted last: a try of another length asks for the same.
struct kvb_counted_weights {
    bool known;
    uint32_t stage;
    struct kvb_load load;
    struct kvb_weights weights;
};

struct kvb_context {
    const struct kvb_plan *plan;
    struct kvb_counted_weights *counted; // NULL: each is counted anew
    const struct kvb_model *model;
    const struct kvb_gpu *gpu;
    struct kvb_rules rules;
    const struct kvb_known_class *known_class; // the release's row of the model's class; NULL: it has none
    uint32_t release;
    enum kvb_generation generation;
    bool v2_runner;
    bool pools; // no head and no sampler: an encoder, or a decoder that the pooling runner serves
    uint64_t memory_bytes, free_bytes;
    uint32_t utilization_ppm;
    uint64_t max_model_len, max_num_seqs, max_num_batched_tokens;
    bool auto_length;
    uint64_t longest_taken;            // the longest max_model_len that the release takes of the model
    uint32_t tp, pp, dp, dcp, pcp, ep; // ep: expert parallel size, 1 = off
    enum kvb_dtype dtype;
    enum kvb_kv_dtype kv_word;  // as attention backends are asked, "auto" resolved
    enum kvb_kv_dtype kv_dtype; // what attention layers store: words of one format are one
    struct kvb_mla_backend mla_backend;
    bool uncompiled; // layers run one by one, with graphs or without
    bool eager, prefix_caching, chunked_prefill, async_scheduling, hybrid_off;
    const char *hybrid_off_why;
    enum kvb_speculative speculative;
    uint32_t speculative_tokens;
    enum kvb_mamba_mode mamba_mode;
    uint64_t block_tokens; // the cache's block size after alignment
    uint64_t mamba_block_tokens;
    uint64_t mamba_page_bytes;                // padded page of a state layer; 0 = natural
    uint64_t kernel_block_tokens;             // smallest block the attention backend takes
    uint16_t stage_begin[KVB_STAGES_MAX + 1]; // first layer of each stage; [pp] = layer count
    struct kvb_settings settings;             // effective, with origins
    bool split_refused;                       // the parallel sizes do not go with the model; nothing can be counted
    char split_error[KVB_ERROR_TEXT_CAPACITY];
};

// Resolves settings, defaults and parallel splits; see split_refused.
// Whether the start uses model runner V2.
bool kvb_v2_runner_of(const struct kvb_context *context);
// What runner V2 does not do yet of what is asked for; NULL: it does all that is known of.
const char *kvb_v2_runner_lacks(const struct kvb_context *context);
void kvb_context_fill(struct kvb_context *context, const struct kvb_plan *plan);
// The same as if this max_model_len had been asked for.
void kvb_context_fill_at(struct kvb_context *context, const struct kvb_context *same, uint64_t length_tokens);
// As if this release had been asked for.
void kvb_context_fill_as(struct kvb_context *context, const struct kvb_plan *plan, uint32_t release);
// The same as kvb_context_fill, and KVB_INDIVISIBLE with the sentence when the parallel sizes do not go with the model.
enum kvb_status kvb_context_init(struct kvb_context *context, const struct kvb_plan *plan,
                                 struct kvb_problems *problems) KVB_MUST_USE;

static inline uint32_t kvb_rule(const struct kvb_context *context, enum kvb_rule rule)
{
    return context->rules.value[rule];
}

// --kv-cache-memory-bytes
static inline bool kvb_cache_is_fixed(const struct kvb_context *context)
{
    return kvb_is_set(context->plan, KVB_SET_KV_CACHE_MEMORY_BYTES) &&
           kvb_number(context->plan, KVB_SET_KV_CACHE_MEMORY_BYTES) > 0;
}

// GPU memory and cache are both stated: what else the engine would say of the card is not asked.
static inline bool kvb_is_about_cache_alone(const struct kvb_context *context)
{
    return context->gpu->memory_basis == KVB_BASIS_STATED && kvb_cache_is_fixed(context);
}

// Next-token modules that vLLM makes of those the checkpoint has.
uint32_t kvb_mtp_modules(const struct kvb_model *model);
// What joins a module to the model is divided among the ranks.
bool kvb_mtp_joins_by_rank(const struct kvb_model *model);

#endif
