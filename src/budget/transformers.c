// What the transformers library's own generate holds: no pool and no fraction, the cache grows inside the
// process. Sources: huggingface/transformers src/transformers/cache_utils.py and the eager attention of
// its Llama model file.
#include <kvbudget/residents.h>

#include <string.h>

#include "base/checked.h"

#define SCORE_BYTES 8 // bf16 scores, fp32 softmax, bf16 result
#define LOGIT_BYTES 6 // bf16 and its fp32 copy
#define LOADED_BYTES 2

static uint64_t cache_elements(const struct kvb_attention_shape *attention)
{
    switch (attention->kind) {
    case KVB_ATTENTION_FULL:
    case KVB_ATTENTION_SLIDING:
    case KVB_ATTENTION_CHUNKED: {
        uint64_t widths = kvb_add(attention->head_size, attention->value_head_size);
        return attention->shares_kv ? 0 : kvb_mul(attention->kv_heads, widths);
    }
    case KVB_ATTENTION_MLA: // stored decompressed, head by head
        return kvb_mul(attention->heads,
                       kvb_add(kvb_add(attention->nope_size, attention->rope_size), attention->value_head_size));
    default:
        return 0;
    }
}

static uint64_t cached_tokens(const struct kvb_attention_shape *attention, uint64_t tokens)
{
    return attention->window_tokens > 0 ? kvb_min(tokens, attention->window_tokens) : tokens;
}

static void add_cache(const struct kvb_model *model, const struct kvb_transformers *rollout, uint64_t tokens,
                      struct kvb_transformers_answer *answer)
{
    for (uint32_t layer = 0; layer < model->layer_count; layer++) {
        const struct kvb_attention_shape *attention = &model->kinds[model->kind_of_layer[layer]].attention;
        uint64_t token_bytes = kvb_mul(cache_elements(attention), kvb_dtype_bytes(model->dtype));
        uint64_t kept = kvb_mul(kvb_mul(token_bytes, cached_tokens(attention, tokens)), rollout->sequences);
        answer->cache_bytes = kvb_add(answer->cache_bytes, kept);
        answer->growth_bytes = kvb_max(answer->growth_bytes, kept / 2); // keys, then values
    }
    if (rollout->cache == KVB_HF_CACHE_NONE) {
        answer->cache_bytes = 0;
    }
    if (rollout->cache != KVB_HF_CACHE_DYNAMIC) {
        answer->growth_bytes = 0;
    }
}

static void add_forward(const struct kvb_model *model, const struct kvb_transformers *rollout, uint64_t tokens,
                        struct kvb_transformers_answer *answer)
{
    uint64_t rows = kvb_mul(rollout->sequences, tokens);
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_layer_kind *kind = &model->kinds[i];
        uint64_t ffn = kvb_mul(4, kind->mlp.intermediate_size);
        uint64_t width = kvb_add(ffn, kvb_mul(4, model->hidden_size));
        answer->forward_bytes = kvb_max(answer->forward_bytes, kvb_mul(kvb_mul(rows, width), LOADED_BYTES));
        uint64_t scores = kvb_mul(kvb_mul(kvb_mul(rows, tokens), kind->attention.heads), SCORE_BYTES);
        answer->scores_bytes = kvb_max(answer->scores_bytes, rollout->eager_attention ? scores : 0);
    }
    uint64_t logit_rows = rollout->whole_logits ? rows : rollout->sequences;
    answer->logits_bytes = kvb_mul(kvb_mul(logit_rows, model->vocabulary_size), LOGIT_BYTES);
}

void kvb_transformers_compute(const struct kvb_model *model, const struct kvb_transformers *rollout,
                              struct kvb_transformers_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    uint64_t whole = kvb_add(rollout->prompt_tokens, rollout->answer_tokens);
    // Without a cache every step repeats the whole prefix.
    uint64_t pass = rollout->cache == KVB_HF_CACHE_NONE ? whole : rollout->prompt_tokens;
    answer->weights_bytes = kvb_mul(kvb_model_parameters(model), kvb_dtype_bytes(model->dtype));
    add_cache(model, rollout, whole, answer);
    add_forward(model, rollout, pass, answer);
    uint64_t layer = kvb_max(kvb_max(answer->forward_bytes, answer->scores_bytes), answer->growth_bytes);
    uint64_t widest = kvb_max(layer, answer->logits_bytes);
    answer->total_bytes = kvb_add(kvb_add(answer->weights_bytes, answer->cache_bytes), widest);
}
