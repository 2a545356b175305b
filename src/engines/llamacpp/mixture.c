// Which format llama-quantize gives a tensor: the first rule of its mixture that holds, else the mixture's own format,
// and another one where rows are no whole blocks.
// Source: src/llama-quant.cpp, llama_tensor_get_type and llama_model_quantize_impl, at ec98e2002; the same at b4747
// but for the formats added since. Importance matrices change some tensors: the i-quants are meant as made with one, as
// they are published, Q4_0 and Q5_0 as made without. Of mixtures that publishers make, "_L" and Q3_K_XL are the ones
// below with embedding and output in Q8_0 (bartowski's model cards); "UD-" are Unsloth's, which choose formats layer by
// layer: the plain mixture, with a wide bound.
#include "engines/llamacpp/mixture.h"

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/shapes.h"

enum format {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ2_XXS,
    IQ2_XS,
    IQ2_S,
    IQ3_XXS,
    IQ3_S,
    IQ1_S,
    IQ1_M,
    IQ4_NL,
    IQ4_XS,
    MXFP4,
    FORMATS
};
// Elements and bytes of a block, and what takes its place in rows it does not divide.
static const struct {
    uint16_t elements, bytes;
    uint8_t instead;
} formats[FORMATS] = {
    [F32] = {1, 4, F32},           [F16] = {1, 2, F16},           [BF16] = {1, 2, BF16},
    [Q4_0] = {32, 18, F16},        [Q4_1] = {32, 20, F16},        [Q5_0] = {32, 22, F16},
    [Q5_1] = {32, 24, F16},        [Q8_0] = {32, 34, F16},        [Q2_K] = {256, 84, IQ4_NL},
    [Q3_K] = {256, 110, IQ4_NL},   [Q4_K] = {256, 144, Q5_0},     [Q5_K] = {256, 176, Q5_1},
    [Q6_K] = {256, 210, Q8_0},     [IQ2_XXS] = {256, 66, IQ4_NL}, [IQ2_XS] = {256, 74, IQ4_NL},
    [IQ2_S] = {256, 82, IQ4_NL},   [IQ3_XXS] = {256, 98, IQ4_NL}, [IQ3_S] = {256, 110, IQ4_NL},
    [IQ1_S] = {256, 50, IQ4_NL},   [IQ1_M] = {256, 56, IQ4_NL},   [IQ4_NL] = {32, 18, F16},
    [IQ4_XS] = {256, 136, IQ4_NL}, [MXFP4] = {32, 17, F16},
};

enum mixture {
    M_NONE,
    M_F32,
    M_F16,
    M_BF16,
    M_Q4_0,
    M_Q4_1,
    M_Q5_0,
    M_Q5_1,
    M_Q8_0,
    M_Q2_K,
    M_Q2_K_S,
    M_Q3_K_S,
    M_Q3_K_M,
    M_Q3_K_L,
    M_Q4_K_S,
    M_Q4_K_M,
    M_Q5_K_S,
    M_Q5_K_M,
    M_Q6_K,
    M_IQ1_S,
    M_IQ1_M,
    M_IQ2_XXS,
    M_IQ2_XS,
    M_IQ2_S,
    M_IQ2_M,
    M_IQ3_XXS,
    M_IQ3_XS,
    M_IQ3_S,
    M_IQ3_M,
    M_IQ4_NL,
    M_IQ4_XS,
    M_MXFP4_MOE,
    M_Q2_K_L,
    M_Q3_K_XL,
    M_Q4_K_L,
    M_Q5_K_L,
    M_Q6_K_L,
    M_UD_Q2_K_XL,
    M_UD_Q3_K_S,
    M_UD_Q3_K_M,
    M_UD_Q3_K_XL,
    M_UD_Q4_K_S,
    M_UD_Q4_K_M,
    M_UD_Q4_K_XL,
    M_UD_Q5_K_S,
    M_UD_Q5_K_M,
    M_UD_Q5_K_XL,
    M_UD_Q6_K,
    M_UD_Q6_K_XL,
    M_UD_Q8_K_XL,
    MIXTURES
};
static const struct {
    const char *name;
    uint8_t format;
    uint8_t like;                        // the mixture whose rules hold
    uint8_t ends;                        // format of embedding and output; F32: as the rules say
    uint8_t low_permille, high_permille; // how far a file may be off
} mixtures[MIXTURES] = {
    [M_NONE] = {"", F16, M_NONE, F32, 5, 5},
    [M_F32] = {"F32", F32, M_F32, F32, 5, 5},
    [M_F16] = {"F16", F16, M_F16, F32, 5, 5},
    [M_BF16] = {"BF16", BF16, M_BF16, F32, 5, 5},
    [M_Q4_0] = {"Q4_0", Q4_0, M_Q4_0, F32, 5, 5},
    [M_Q4_1] = {"Q4_1", Q4_1, M_Q4_1, F32, 5, 5},
    [M_Q5_0] = {"Q5_0", Q5_0, M_Q5_0, F32, 5, 5},
    [M_Q5_1] = {"Q5_1", Q5_1, M_Q5_1, F32, 5, 5},
    [M_Q8_0] = {"Q8_0", Q8_0, M_Q8_0, F32, 5, 5},
    [M_Q2_K] = {"Q2_K", Q2_K, M_Q2_K, F32, 5, 5},
    [M_Q2_K_S] = {"Q2_K_S", Q2_K, M_Q2_K_S, F32, 5, 5},
    [M_Q3_K_S] = {"Q3_K_S", Q3_K, M_Q3_K_S, F32, 5, 5},
    [M_Q3_K_M] = {"Q3_K_M", Q3_K, M_Q3_K_M, F32, 5, 5},
    [M_Q3_K_L] = {"Q3_K_L", Q3_K, M_Q3_K_L, F32, 5, 5},
    [M_Q4_K_S] = {"Q4_K_S", Q4_K, M_Q4_K_S, F32, 5, 5},
    [M_Q4_K_M] = {"Q4_K_M", Q4_K, M_Q4_K_M, F32, 5, 5},
    [M_Q5_K_S] = {"Q5_K_S", Q5_K, M_Q5_K_S, F32, 5, 5},
    [M_Q5_K_M] = {"Q5_K_M", Q5_K, M_Q5_K_M, F32, 5, 5},
    [M_Q6_K] = {"Q6_K", Q6_K, M_Q6_K, F32, 5, 5},
    [M_IQ1_S] = {"IQ1_S", IQ1_S, M_IQ1_S, F32, 71, 71},
    [M_IQ1_M] = {"IQ1_M", IQ1_M, M_IQ1_M, F32, 71, 71},
    [M_IQ2_XXS] = {"IQ2_XXS", IQ2_XXS, M_IQ2_XXS, F32, 71, 71},
    [M_IQ2_XS] = {"IQ2_XS", IQ2_XS, M_IQ2_XS, F32, 71, 71},
    [M_IQ2_S] = {"IQ2_S", IQ2_XS, M_IQ2_S, F32, 71, 71},
    [M_IQ2_M] = {"IQ2_M", IQ2_S, M_IQ2_M, F32, 71, 71},
    [M_IQ3_XXS] = {"IQ3_XXS", IQ3_XXS, M_IQ3_XXS, F32, 71, 71},
    [M_IQ3_XS] = {"IQ3_XS", IQ3_S, M_IQ3_XS, F32, 71, 71},
    [M_IQ3_S] = {"IQ3_S", IQ3_S, M_IQ3_S, F32, 71, 71},
    [M_IQ3_M] = {"IQ3_M", IQ3_S, M_IQ3_M, F32, 71, 71},
    [M_IQ4_NL] = {"IQ4_NL", IQ4_NL, M_IQ4_NL, F32, 71, 71},
    [M_IQ4_XS] = {"IQ4_XS", IQ4_XS, M_IQ4_XS, F32, 71, 71},
    [M_MXFP4_MOE] = {"MXFP4_MOE", MXFP4, M_MXFP4_MOE, F32, 5, 5},
    [M_Q2_K_L] = {"Q2_K_L", Q2_K, M_Q2_K, Q8_0, 5, 5},
    [M_Q3_K_XL] = {"Q3_K_XL", Q3_K, M_Q3_K_L, Q8_0, 5, 5},
    [M_Q4_K_L] = {"Q4_K_L", Q4_K, M_Q4_K_M, Q8_0, 5, 5},
    [M_Q5_K_L] = {"Q5_K_L", Q5_K, M_Q5_K_M, Q8_0, 5, 5},
    [M_Q6_K_L] = {"Q6_K_L", Q6_K, M_Q6_K, Q8_0, 5, 5},
    [M_UD_Q2_K_XL] = {"UD-Q2_K_XL", Q2_K, M_Q2_K, F32, 30, 110},
    [M_UD_Q3_K_S] = {"UD-Q3_K_S", Q3_K, M_Q3_K_S, F32, 71, 110},
    [M_UD_Q3_K_M] = {"UD-Q3_K_M", Q3_K, M_Q3_K_M, F32, 71, 71},
    [M_UD_Q3_K_XL] = {"UD-Q3_K_XL", Q3_K, M_Q3_K_M, F32, 71, 110},
    [M_UD_Q4_K_S] = {"UD-Q4_K_S", Q4_K, M_Q4_K_S, F32, 71, 71},
    [M_UD_Q4_K_M] = {"UD-Q4_K_M", Q4_K, M_Q4_K_M, F32, 71, 71},
    [M_UD_Q4_K_XL] = {"UD-Q4_K_XL", Q4_K, M_Q4_K_M, F32, 71, 71},
    [M_UD_Q5_K_S] = {"UD-Q5_K_S", Q5_K, M_Q5_K_S, F32, 71, 71},
    [M_UD_Q5_K_M] = {"UD-Q5_K_M", Q5_K, M_Q5_K_M, F32, 71, 71},
    [M_UD_Q5_K_XL] = {"UD-Q5_K_XL", Q5_K, M_Q5_K_M, F32, 71, 71},
    [M_UD_Q6_K] = {"UD-Q6_K", Q6_K, M_Q6_K, F32, 71, 110},
    [M_UD_Q6_K_XL] = {"UD-Q6_K_XL", Q6_K, M_Q6_K, Q8_0, 71, 110},
    [M_UD_Q8_K_XL] = {"UD-Q8_K_XL", Q8_0, M_Q8_0, BF16, 71, 160},
};

enum when { ALWAYS, MORE_BITS, EIGHTH, SIXTEENTH, FIRST_TWO, FIRST_FOUR, FEW_KV_HEADS, MIDDLE };
struct rule {
    const char *tensor; // the name's beginning
    uint8_t mixture;    // M_NONE: any
    uint8_t when, format;
};
static const struct rule rules[] = {
    {"attn_v.weight", M_Q2_K, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_Q2_K, ALWAYS, Q3_K},
    {"attn_v.weight", M_Q2_K_S, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ3_XXS, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ3_XS, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ3_S, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ3_M, ALWAYS, Q4_K},
    {"attn_v.weight", M_Q3_K_M, FIRST_TWO, Q5_K},
    {"attn_v.weight", M_Q3_K_M, ALWAYS, Q4_K},
    {"attn_v.weight", M_Q3_K_L, ALWAYS, Q5_K},
    {"attn_v.weight", M_IQ4_NL, FEW_KV_HEADS, Q5_K},
    {"attn_v.weight", M_IQ4_XS, FEW_KV_HEADS, Q5_K},
    {"attn_v.weight", M_Q4_K_M, MORE_BITS, Q6_K},
    {"attn_v.weight", M_Q5_K_M, MORE_BITS, Q6_K},
    {"attn_v.weight", M_Q4_K_S, FIRST_FOUR, Q5_K},
    {"attn_v.weight", M_IQ2_S, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ2_M, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ2_S, ALWAYS, IQ3_S},
    {"attn_v.weight", M_IQ2_M, ALWAYS, IQ3_S},
    {"attn_v.weight", M_IQ2_XXS, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ2_XS, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ1_S, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ1_M, FEW_KV_HEADS, Q4_K},
    {"attn_v.weight", M_IQ2_XXS, ALWAYS, Q2_K},
    {"attn_v.weight", M_IQ2_XS, ALWAYS, Q2_K},
    {"attn_v.weight", M_IQ1_S, ALWAYS, Q2_K},
    {"attn_v.weight", M_IQ1_M, ALWAYS, Q2_K},
    {"attn_k.weight", M_IQ3_XS, ALWAYS, IQ3_XXS},
    {"attn_k.weight", M_IQ3_XXS, ALWAYS, IQ2_S},
    {"attn_q.weight", M_IQ3_XS, ALWAYS, IQ3_XXS},
    {"attn_q.weight", M_IQ3_XXS, ALWAYS, IQ2_S},
    {"ffn_down", M_Q2_K, ALWAYS, Q3_K},
    {"ffn_down", M_Q2_K_S, EIGHTH, Q4_K},
    {"ffn_down", M_Q3_K_M, SIXTEENTH, Q5_K},
    {"ffn_down", M_Q3_K_M, ALWAYS, Q4_K},
    {"ffn_down", M_IQ3_M, EIGHTH, Q4_K},
    {"ffn_down", M_Q3_K_L, ALWAYS, Q5_K},
    {"ffn_down", M_Q4_K_M, MORE_BITS, Q6_K},
    {"ffn_down", M_Q5_K_M, MORE_BITS, Q6_K},
    {"ffn_down", M_Q4_K_S, EIGHTH, Q5_K},
    {"ffn_down", M_IQ2_S, EIGHTH, IQ3_S},
    {"ffn_down", M_IQ2_M, EIGHTH, IQ3_S},
    {"ffn_down", M_IQ2_XXS, EIGHTH, Q2_K},
    {"ffn_down", M_IQ2_XS, EIGHTH, Q2_K},
    {"ffn_down", M_IQ1_S, EIGHTH, Q2_K},
    {"ffn_down", M_IQ1_M, EIGHTH, Q2_K},
    {"attn_output.weight", M_Q2_K, ALWAYS, Q3_K},
    {"attn_output.weight", M_IQ3_XXS, ALWAYS, IQ3_S},
    {"attn_output.weight", M_Q3_K_M, ALWAYS, Q4_K},
    {"attn_output.weight", M_Q3_K_L, ALWAYS, Q5_K},
    {"attn_output.weight", M_IQ3_M, ALWAYS, Q4_K},
    {"attn_output.weight", M_IQ1_S, ALWAYS, IQ2_XXS},
    {"attn_output.weight", M_IQ1_M, ALWAYS, IQ2_XXS},
    {"attn_output.weight", M_IQ2_S, ALWAYS, IQ3_S},
    {"attn_output.weight", M_IQ2_M, ALWAYS, IQ3_S},
    {"attn_qkv.weight", M_Q3_K_M, ALWAYS, Q4_K},
    {"attn_qkv.weight", M_Q3_K_L, ALWAYS, Q4_K},
    {"attn_qkv.weight", M_IQ3_M, ALWAYS, Q4_K},
    {"attn_qkv.weight", M_Q4_K_M, ALWAYS, Q5_K},
    {"attn_qkv.weight", M_Q5_K_M, ALWAYS, Q6_K},
    {"ffn_gate", M_IQ3_XS, MIDDLE, IQ3_XXS},
    {"ffn_up", M_IQ3_XS, MIDDLE, IQ3_XXS},
};

// What names leave out.
static const struct {
    const char *word, *name;
} short_names[] = {
    {"Q2_K_XL", "UD-Q2_K_XL"}, {"Q4_K_XL", "UD-Q4_K_XL"}, {"Q5_K_XL", "UD-Q5_K_XL"},
    {"Q6_K_XL", "UD-Q6_K_XL"}, {"Q8_K_XL", "UD-Q8_K_XL"}, {"Q4_K", "Q4_K_M"},
    {"Q5_K", "Q5_K_M"},        {"MXFP4", "MXFP4_MOE"},    {"FP16", "F16"},
};

static uint32_t find_exactly(const char *name)
{
    for (uint32_t i = 1; i < MIXTURES; i++) {
        if (kvb_equal_ignoring_case(mixtures[i].name, name)) {
            return i;
        }
    }
    return M_NONE;
}

uint32_t kvb_llama_mixture_find(const char *name)
{
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++) {
        if (kvb_equal_ignoring_case(short_names[i].word, name)) {
            return find_exactly(short_names[i].name);
        }
    }
    uint32_t found = find_exactly(name);
    bool dynamic = found == M_NONE && kvb_starts_with_ignoring_case(name, "ud-"); // "UD-IQ2_M"
    return dynamic ? find_exactly(name + 3) : found;
}

const char *kvb_llama_mixture_name(uint32_t mixture)
{
    return mixtures[mixture < MIXTURES ? mixture : M_NONE].name;
}

uint32_t kvb_llama_mixture_count(void)
{
    return MIXTURES - 1;
}

void kvb_llama_mixture_bound(uint32_t mixture, uint32_t *low_permille, uint32_t *high_permille)
{
    uint32_t known = mixture < MIXTURES ? mixture : M_NONE;
    *low_permille = mixtures[known].low_permille;
    *high_permille = mixtures[known].high_permille;
}

static uint32_t experts_of(const struct kvb_model *model)
{
    uint32_t experts = 0;
    for (uint32_t i = 0; i < model->kind_count; i++) {
        uint32_t of_kind = model->kinds[i].mlp.kind == KVB_MLP_MOE ? model->kinds[i].mlp.experts : 0;
        experts = (uint32_t)kvb_max(experts, of_kind);
    }
    return experts;
}

static bool has_few_kv_heads(const struct kvb_model *model)
{
    const struct kvb_attention_shape *shape = &kvb_kind_of(model, 0)->attention;
    return shape->kv_heads > 0 && shape->heads / shape->kv_heads >= 4;
}

static bool holds(enum when when, const struct kvb_model *model, uint32_t index, uint32_t count)
{
    uint32_t eighth = count / 8;
    switch (when) {
    case ALWAYS:
        return true;
    case MORE_BITS:
        return index < eighth || index >= 7 * count / 8 || (index - eighth) % 3 == 2;
    case EIGHTH:
        return index < eighth;
    case SIXTEENTH:
        return index < count / 16;
    case FIRST_TWO:
        return index < 2;
    case FIRST_FOUR:
        return index < 4;
    case FEW_KV_HEADS:
        return has_few_kv_heads(model);
    default: // MIDDLE
        return index >= eighth && index < 7 * count / 8;
    }
}

static enum format of_output(uint32_t mixture, enum format own, uint64_t columns)
{
    if (mixture == M_MXFP4_MOE || columns % formats[own].elements != 0) {
        return Q8_0;
    }
    bool small = mixture >= M_IQ1_S && mixture <= M_IQ3_XXS;
    return small ? Q5_K : own == Q8_0 || own == F16 || own == BF16 || own == F32 ? own : Q6_K;
}

static enum format of_embedding(uint32_t mixture, enum format own)
{
    switch (mixture) {
    case M_IQ2_XXS:
    case M_IQ2_XS:
    case M_IQ1_S:
    case M_IQ1_M:
        return Q2_K;
    case M_IQ2_S:
    case M_IQ2_M:
    case M_IQ3_XXS:
        return IQ3_S;
    default:
        return own;
    }
}

static bool begins_with(const char *name, const char *beginning)
{
    while (*beginning != '\0' && *name == *beginning) {
        name++;
        beginning++;
    }
    return *beginning == '\0';
}

static enum format by_rules(const struct kvb_llama_run *run, const struct kvb_llama_quantised *tensor, uint32_t like,
                            enum format own)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].mixture == like && begins_with(tensor->name, rules[i].tensor) &&
            holds((enum when)rules[i].when, run->model, tensor->index, tensor->count)) {
            return (enum format)rules[i].format;
        }
    }
    return own;
}

static bool is_plain(enum format format)
{
    return formats[format].elements == 1;
}

// Of eight experts keys and values, and with most mixtures the output of attention, keep more bits.
static enum format of_eight_experts(uint32_t like, const char *name, enum format chosen)
{
    bool keys = strcmp(name, "attn_k.weight") == 0, values = strcmp(name, "attn_v.weight") == 0;
    bool medium = like != M_Q5_K_S && like != M_Q5_K_M && like != M_Q6_K && like > M_Q8_0;
    bool output = medium && strcmp(name, "attn_output.weight") == 0;
    return keys || values ? Q8_0 : output ? Q5_K : chosen;
}

static enum format of_layers(const struct kvb_llama_run *run, const struct kvb_llama_quantised *tensor, uint32_t like,
                             enum format own)
{
    enum format chosen = by_rules(run, tensor, like, own);
    bool values = strcmp(tensor->name, "attn_v.weight") == 0;
    if (values && run->model->layer_count == 80 && (chosen == Q3_K || chosen == Q4_K)) { // "70B"
        chosen = Q5_K;
    }
    return experts_of(run->model) == 8 ? of_eight_experts(like, tensor->name, chosen) : chosen;
}

// gpt-oss's experts stay in the MXFP4 of its checkpoint whatever type a conversion asks for (convert_hf_to_gguf.py,
// GptOssModel.repack_mxfp4; Ollama's convert/convert_gptoss.go).
static bool is_repacked(const struct kvb_llama_run *run, const struct kvb_llama_quantised *tensor, enum format own)
{
    return run->mixture != M_NONE && begins_with(run->model->architecture, "GptOss") &&
           strstr(tensor->name, "_exps.") != NULL && (is_plain(own) || own == Q8_0);
}

static enum format format_of(const struct kvb_llama_run *run, const struct kvb_llama_quantised *tensor)
{
    uint32_t mixture = run->mixture < MIXTURES ? run->mixture : M_NONE, like = mixtures[mixture].like;
    enum format own = (enum format)mixtures[mixture].format, ends = (enum format)mixtures[mixture].ends;
    bool embedding = strcmp(tensor->name, "token_embd.weight") == 0;
    bool output = strcmp(tensor->name, "output.weight") == 0 || (embedding && run->model->tied_embeddings);
    if ((embedding || output) && ends != F32) {
        return ends;
    }
    if (output) {
        return of_output(like, own, tensor->columns);
    }
    if (like == M_MXFP4_MOE) {
        return strstr(tensor->name, "_exps.") != NULL ? MXFP4 : Q8_0;
    }
    if (is_repacked(run, tensor, own)) {
        return MXFP4;
    }
    if (embedding) {
        return of_embedding(like, own);
    }
    return is_plain(own) ? own : of_layers(run, tensor, like, own);
}

uint64_t kvb_llama_mixture_bytes(const struct kvb_llama_run *run, const struct kvb_llama_quantised *tensor,
                                 uint64_t elements)
{
    enum format format = format_of(run, tensor);
    while (tensor->columns % formats[format].elements != 0) {
        format = (enum format)formats[format].instead;
    }
    return kvb_mul(elements / formats[format].elements, formats[format].bytes);
}
