// Keys, values and state: cells by build, elements by layer.
// Source: src/llama-context.cpp (padding), src/llama-kv-cache.cpp, src/llama-kv-cache-iswa.cpp,
// src/llama-memory-recurrent.cpp, src/llama-hparams.cpp (n_embd_r, n_embd_s).
#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/layer.h"

#define CELLS 256U    // padding since b6975, and before with flash attention
#define OLD_CELLS 32U // without it

static uint32_t longest_window(const struct kvb_model *model)
{
    uint32_t window = 0;
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &model->kinds[i].attention;
        bool windowed = shape->kind == KVB_ATTENTION_SLIDING || shape->kind == KVB_ATTENTION_CHUNKED;
        window = (uint32_t)kvb_max(window, windowed ? shape->window_tokens : 0);
    }
    return window;
}

void kvb_llama_cells_of(const struct kvb_llama_run *run, struct kvb_llama_cells *out)
{
    uint64_t pad = kvb_llama_since(run, KVB_LLAMA_PAD_256) || run->flash ? CELLS : OLD_CELLS;
    uint64_t sequences = kvb_max(run->sequences, 1);
    bool streams = kvb_llama_since(run, KVB_LLAMA_STREAMS) && !run->unified;
    uint64_t context = kvb_round_up(run->context_tokens, pad);
    uint64_t each = kvb_llama_since(run, KVB_LLAMA_PAD_256) ? context / sequences // before, rounded but once, and up
                                                            : kvb_div_up(run->context_tokens, sequences);
    out->streams = streams ? (uint32_t)sequences : 1;
    out->full = streams ? kvb_round_up(each, pad) : context;
    out->context_tokens = kvb_mul(out->full, out->streams);
    out->windowed = out->full;
    uint32_t window = longest_window(run->model);
    if (kvb_llama_since(run, KVB_LLAMA_WINDOW_CACHE) && !run->window_full && window > 0) {
        uint64_t more = kvb_llama_since(run, KVB_LLAMA_WINDOW_BY_UBATCH) ? run->ubatch : run->batch;
        uint64_t held = kvb_mul(window, streams ? 1 : sequences);
        out->windowed = kvb_min(out->full, kvb_round_up(kvb_add(held, more), pad));
    }
}

static void take_latent(const struct kvb_llama_run *run, const struct kvb_attention_shape *shape,
                        struct kvb_llama_layer *out)
{
    uint32_t keys = shape->nope_size + shape->rope_size;
    if (kvb_llama_since(run, KVB_LLAMA_LATENT_CACHE)) {
        out->mixer = KVB_LLAMA_MIXER_LATENT;
        out->kv_heads = 1;
        out->key_size = shape->latent_rank + shape->rope_size;
        out->value_size = shape->latent_rank;
        out->cache_keys = out->key_size;
        out->cache_values = kvb_llama_since(run, KVB_LLAMA_LATENT_WITHOUT_V) ? 0 : shape->latent_rank;
        return;
    }
    out->mixer = KVB_LLAMA_MIXER_EXPANDED;
    out->kv_heads = shape->heads;
    out->key_size = keys;
    out->value_size = shape->value_head_size;
    out->cache_keys = (uint64_t)shape->heads * keys;
    out->cache_values = (uint64_t)shape->heads * shape->value_head_size;
}

static void take_attention(const struct kvb_attention_shape *shape, struct kvb_llama_layer *out)
{
    out->mixer = KVB_LLAMA_MIXER_ATTENTION;
    out->kv_heads = shape->kv_heads;
    out->key_size = shape->head_size;
    out->value_size = shape->value_head_size > 0 ? shape->value_head_size : shape->head_size;
    out->windowed = shape->kind == KVB_ATTENTION_SLIDING || shape->kind == KVB_ATTENTION_CHUNKED;
    out->window_tokens = shape->window_tokens;
    if (!shape->shares_kv) {
        out->cache_keys = (uint64_t)out->kv_heads * out->key_size;
        out->cache_values = (uint64_t)out->kv_heads * out->value_size;
    }
}

static void take_state(const struct kvb_model *model, const struct kvb_attention_shape *shape,
                       struct kvb_llama_layer *out)
{
    uint64_t past = shape->conv_kernel > 0 ? shape->conv_kernel - 1 : 0;
    uint64_t values = (uint64_t)shape->state_value_heads * shape->state_value_size;
    uint64_t keys = (uint64_t)shape->state_key_heads * shape->state_key_size;
    switch (shape->kind) {
    case KVB_ATTENTION_MAMBA1:
        out->mixer = KVB_LLAMA_MIXER_MAMBA1;
        out->conv_state = past * shape->state_inner_size;
        out->state = (uint64_t)shape->state_key_size * shape->state_inner_size;
        break;
    case KVB_ATTENTION_MAMBA2: // groups x state beside the inner width, twice
        out->mixer = KVB_LLAMA_MIXER_MAMBA2;
        out->conv_state = past * (values + 2 * keys);
        out->state = shape->state_key_size * values;
        break;
    case KVB_ATTENTION_GDN:
        out->mixer = KVB_LLAMA_MIXER_DELTA;
        out->conv_state = past * (values + 2 * keys);
        out->state = shape->state_key_size * values;
        break;
    case KVB_ATTENTION_KDA: // three convolutions
        out->mixer = KVB_LLAMA_MIXER_OTHER;
        out->conv_state = 3 * past * values;
        out->state = shape->state_value_size * values;
        break;
    case KVB_ATTENTION_SHORT_CONV:
        out->mixer = KVB_LLAMA_MIXER_CONV;
        out->conv_state = past * model->hidden_size;
        break;
    default:
        out->mixer = KVB_LLAMA_MIXER_OTHER;
        break;
    }
}

void kvb_llama_layer_of(const struct kvb_llama_run *run, uint32_t layer, struct kvb_llama_layer *out)
{
    kvb_llama_layer_of_kind(run, kvb_kind_of(run->model, layer), out);
}

void kvb_llama_layer_of_kind(const struct kvb_llama_run *run, const struct kvb_layer_kind *kind,
                             struct kvb_llama_layer *out)
{
    const struct kvb_attention_shape *shape = &kind->attention;
    *out = (struct kvb_llama_layer){.heads = shape->heads, .attention = shape, .mlp = &kind->mlp};
    switch (shape->kind) {
    case KVB_ATTENTION_NONE:
        out->mixer = KVB_LLAMA_MIXER_NONE;
        break;
    case KVB_ATTENTION_MLA:
        take_latent(run, shape, out);
        break;
    case KVB_ATTENTION_FULL:
    case KVB_ATTENTION_SLIDING:
    case KVB_ATTENTION_CHUNKED:
        take_attention(shape, out);
        break;
    default:
        take_state(run->model, shape, out);
        break;
    }
}
