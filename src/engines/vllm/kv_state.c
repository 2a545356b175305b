// Bytes of the states that Mamba, linear attention, GDN, KDA and short convolutions keep, and how they are kept.
// Source: vllm/model_executor/layers/mamba/mamba_utils.py and abstract.py, model_executor/models/config.py.
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define DRAFTS_ALIGN_SINCE R(20, 0)
#define DRAFTS_ALIGN_UNTIL R(22, 0)
#define GDN_STATE_TYPE_SINCE R(17, 0) // gated_delta_net_state_dtype takes --mamba-ssm-cache-dtype

enum state_default { BY_MODEL, FP16, FP32 };

// Classes that put mamba_ssm_cache_dtype (Qwen3.5: mamba_ssm_dtype) of their config in the place of "auto", and what
// they take when it is not there: MODELS_CONFIG_MAP of each release. The last row that holds counts.
struct state_dtype_row {
    const char *architecture;
    uint32_t since;
    enum state_default otherwise;
};

static const struct state_dtype_row state_dtype_rows[] = {
    {"NemotronHForCausalLM", R(13, 0), FP16},
    {"NemotronHForCausalLM", R(20, 0), FP32},
    {"NemotronHPuzzleForCausalLM", R(16, 0), FP16},
    {"NemotronHPuzzleForCausalLM", R(20, 0), FP32},
    {"NemotronH_Nano_VL_V2", R(20, 0), FP32},
    {"Qwen3_5ForConditionalGeneration", R(17, 0), BY_MODEL},
    {"Qwen3_5MoeForConditionalGeneration", R(17, 0), BY_MODEL},
    {"ColQwen3_5", R(19, 0), BY_MODEL},
    {"Qwen3_5ForCausalLM", R(27, 0), BY_MODEL},
    {"Qwen3_5MoeForCausalLM", R(27, 0), BY_MODEL},
};

#define MAMBA2_SPECULATES_SINCE R(17, 0)

static uint32_t dtype_word_bytes(uint64_t word, uint32_t fallback)
{
    return word == KVB_DTYPE_WORD_FP32 ? 4 : word == KVB_DTYPE_AUTO ? fallback : 2;
}

static uint32_t bytes_of_class(const struct kvb_context *context, uint32_t fallback)
{
    const struct kvb_model *model = context->model;
    const struct state_dtype_row *found = NULL;
    for (size_t i = 0; i < sizeof state_dtype_rows / sizeof state_dtype_rows[0]; i++) {
        const struct state_dtype_row *row = &state_dtype_rows[i];
        if (context->release >= row->since && strcmp(model->architecture, row->architecture) == 0) {
            found = row;
        }
    }
    if (found == NULL) {
        return fallback;
    }
    if (model->state_dtype_known) {
        return kvb_dtype_bytes(model->state_dtype);
    }
    return found->otherwise == FP32 ? 4 : found->otherwise == FP16 ? 2 : fallback;
}

// Element sizes of the convolution and the recurrent state. KDA's is always fp32, lightning attention's and, before
// 0.17, GDN's follow --mamba-cache-dtype.
static void state_element_bytes(const struct kvb_context *context, const struct kvb_attention_shape *shape,
                                uint32_t *conv_bytes, uint32_t *state_bytes)
{
    const struct kvb_plan *plan = context->plan;
    *conv_bytes = dtype_word_bytes(kvb_number(plan, KVB_SET_MAMBA_CACHE_DTYPE), kvb_dtype_bytes(context->dtype));
    *state_bytes = *conv_bytes;
    bool gdn_follows = shape->kind == KVB_ATTENTION_GDN && context->release < GDN_STATE_TYPE_SINCE;
    if (shape->kind == KVB_ATTENTION_KDA) {
        *state_bytes = 4;
    } else if (shape->kind != KVB_ATTENTION_LINEAR && !gdn_follows) {
        *state_bytes =
            dtype_word_bytes(kvb_number(plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE), bytes_of_class(context, *conv_bytes));
    }
}

// Whether the convolution keeps the tokens speculated, too: get_mamba_state_shape_from_config of nemotron_h.py
// v0.17.0:857, mamba2.py v0.17.0:231, and of every class with GDN or KDA layers. Pages of other classes are padded to a
// size without them.
static bool conv_speculates(const struct kvb_context *context, enum kvb_attention kind)
{
    const char *architecture = context->model->architecture;
    bool counts =
        strncmp(architecture, "NemotronH", strlen("NemotronH")) == 0 || strcmp(architecture, "Mamba2ForCausalLM") == 0;
    bool mamba2 = kind == KVB_ATTENTION_MAMBA2 && context->release >= MAMBA2_SPECULATES_SINCE && counts;
    return kind == KVB_ATTENTION_GDN || kind == KVB_ATTENTION_KDA || mamba2;
}

uint64_t kvb_state_bytes(const struct kvb_context *context, const struct kvb_attention_shape *s)
{
    uint32_t conv_bytes = 0;
    uint32_t state_bytes = 0;
    state_element_bytes(context, s, &conv_bytes, &state_bytes);
    uint64_t tp = context->tp;
    uint64_t drafted = conv_speculates(context, s->kind) ? context->speculative_tokens : 0;
    uint64_t taps = s->conv_kernel > 0 ? s->conv_kernel - 1 + drafted : 0;
    uint64_t keys = (uint64_t)s->state_key_heads * s->state_key_size;
    uint64_t values = (uint64_t)s->state_value_heads * s->state_value_size;
    switch (s->kind) {
    case KVB_ATTENTION_MAMBA1:
        return s->state_inner_size / tp * (taps * conv_bytes + (uint64_t)s->state_key_size * state_bytes);
    case KVB_ATTENTION_MAMBA2: {
        uint64_t groups = s->state_key_heads % tp == 0 ? s->state_key_heads : tp;
        uint64_t channels = (s->state_inner_size + 2 * groups * s->state_key_size) / tp;
        return taps * channels * conv_bytes + values / tp * s->state_key_size * state_bytes;
    }
    case KVB_ATTENTION_LINEAR:
        return s->state_value_heads / tp * s->state_value_size * s->state_value_size * state_bytes;
    case KVB_ATTENTION_GDN:
    case KVB_ATTENTION_KDA:
        return taps * ((2 * keys + values) / tp) * conv_bytes + values / tp * s->state_key_size * state_bytes;
    case KVB_ATTENTION_SHORT_CONV:
        return s->state_inner_size / tp * taps * conv_bytes;
    default:
        return 0;
    }
}

// The size of the graph that so many sequences are padded to.
static uint64_t padded_for_graph(uint64_t sequences)
{
    return sequences <= 2 ? sequences : sequences <= 4 ? 4 : (sequences + 7) / 8 * 8;
}

#define STATES_APART_SINCE R(5, 5)
#define EAGER_UNPADDED_SINCE R(6, 6)

// V0 keeps the states of all sequences in tensors of their own, which its first pass makes, the profile run; those of
// lightning attention are made with the model, for sequences as asked for and all layers on each stage.
// Source: model_executor/models/jamba.py v0.5.5:832, v0.6.6:429, mamba_cache.py v0.7.3 to v0.10.1, minimax_text_01.py
// v0.8.5:829, config.py pad_for_cudagraph.
uint64_t kvb_early_state_bytes(const struct kvb_context *context, uint32_t stage)
{
    uint64_t bytes = 0;
    if (context->generation != KVB_GENERATION_V0 || context->release < STATES_APART_SINCE) {
        return 0;
    }
    bool unpadded = context->eager && context->release >= EAGER_UNPADDED_SINCE;
    uint64_t sequences = unpadded ? context->max_num_seqs : padded_for_graph(context->max_num_seqs);
    for (uint32_t i = 0; i < context->model->layer_count; i++) {
        const struct kvb_attention_shape *shape = &kvb_kind_of(context->model, i)->attention;
        bool linear = shape->kind == KVB_ATTENTION_LINEAR;
        bool own = i >= context->stage_begin[stage] && i < context->stage_begin[stage + 1];
        uint64_t held = linear ? context->max_num_seqs : sequences;
        if (kvb_is_state(shape->kind) && (own || linear)) {
            bytes = kvb_add(bytes, kvb_mul(kvb_state_bytes(context, shape), held));
        }
    }
    return bytes;
}

// SupportsMambaPrefixCaching: Mamba 1 and 2 layers, but for PLaMo 2's; lightning attention, GDN, KDA and short
// convolutions can only be aligned.
static bool keeps_all_states(const struct kvb_model *model)
{
    bool mamba = kvb_model_has(model, KVB_ATTENTION_MAMBA1) || kvb_model_has(model, KVB_ATTENTION_MAMBA2);
    return mamba && strcmp(model->architecture, "Plamo2ForCausalLM") != 0 &&
           strcmp(model->architecture, "Plamo3ForCausalLM") != 0;
}

void kvb_mamba_mode_resolve(struct kvb_context *context)
{
    bool all = keeps_all_states(context->model);
    enum kvb_mamba_mode asked = (enum kvb_mamba_mode)kvb_number(context->plan, KVB_SET_MAMBA_CACHE_MODE);
    context->mamba_mode = KVB_MAMBA_MODE_NONE;
    if (!kvb_model_has_state(context->model) || !context->prefix_caching) {
        return;
    }
    if (kvb_rule(context, KVB_RULE_MAMBA_BLOCKS) < KVB_MAMBA_BY_MODE) {
        // Before the modes: prefix caching is switched off again for states that cannot be cached.
        context->prefix_caching = all && kvb_rule(context, KVB_RULE_MAMBA_BLOCKS) == KVB_MAMBA_BY_LENGTH;
        context->mamba_mode = context->prefix_caching ? KVB_MAMBA_MODE_ALL : KVB_MAMBA_MODE_NONE;
        return;
    }
    // 0.20 and 0.21 align what is drafted for unless it was asked otherwise: models/config.py MambaModelConfig; from
    // 0.28 all do: v0.28.0:603
    bool drafted = context->speculative != KVB_SPECULATIVE_NONE && context->release >= DRAFTS_ALIGN_SINCE &&
                   context->release < DRAFTS_ALIGN_UNTIL;
    bool unasked = asked != KVB_MAMBA_MODE_ALL && (drafted || kvb_rule(context, KVB_RULE_STATE_PREFIXES));
    bool align = asked == KVB_MAMBA_MODE_ALIGN || !all || unasked;
    context->mamba_mode = align ? KVB_MAMBA_MODE_ALIGN : KVB_MAMBA_MODE_ALL;
}
