// Which format llama-quantize gives each tensor in each of its mixtures, told a second time from src/llama-quant.cpp
// (llama_tensor_get_type, tensor_type_fallback) of ggml-org/llama.cpp at c392e5094, and the sizes of blocks of
// ggml/src/ggml-common.h. Formats are told apart by the bytes of 256 elements. i-quants are made with an importance
// matrix (qs.has_imatrix), the others without.
#include <stdio.h>
#include <string.h>

#include "engines/llamacpp/mixture.h"
#include "unit/kv_models.h"
#include "unit/test.h"

enum bytes {
    F32 = 1024,
    F16 = 512,
    Q4_0 = 8 * 18,
    Q4_1 = 8 * 20,
    Q5_0 = 8 * 22,
    Q5_1 = 8 * 24,
    Q8_0 = 8 * 34,
    MXFP4 = 8 * 17,
    IQ4_NL = 8 * 18,
    Q2_K = 84,
    Q3_K = 110,
    Q4_K = 144,
    Q5_K = 176,
    Q6_K = 210,
    IQ1_S = 50,
    IQ1_M = 56,
    IQ2_XXS = 66,
    IQ2_XS = 74,
    IQ2_S = 82,
    IQ3_XXS = 98,
    IQ3_S = 110,
    IQ4_XS = 136,
};

static struct kvb_model model;
static struct kvb_llama_run run;

// 32 heads and `kv_heads` of keys and values; 8 experts where there are any.
static void start(const char *mixture, uint32_t kv_heads, uint32_t experts)
{
    const struct shape shape = {"LlamaForCausalLM", 32, 32, kv_heads, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 8192};
    make_model(&shape, &model);
    memset(&run, 0, sizeof run);
    run.model = &model;
    run.mixture = kvb_llama_mixture_find(mixture);
    if (experts > 0) {
        model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE, .experts = experts};
    }
}

static uint64_t bytes_of(const char *name, uint64_t columns, uint32_t index, uint32_t count)
{
    const struct kvb_llama_quantised tensor = {name, columns, index, count};
    return kvb_llama_mixture_bytes(&run, &tensor, columns * 256) / columns;
}

static void check(const char *mixture, const char *name, uint32_t index, uint32_t count, uint64_t expected)
{
    uint64_t bytes = bytes_of(name, 4096, index, count);
    if (bytes != expected) {
        fail_msg("%s, %s %u of %u: %llu, not %llu", mixture, name, index, count, (unsigned long long)bytes,
                 (unsigned long long)expected);
    }
}

// ---- what a mixture is made of

struct mixture_row {
    const char *name;
    uint32_t low_permille, high_permille; // how far what people publish under the name may be off
    uint32_t own, output, embedding;
};

static const struct mixture_row mixtures[] = {
    {"F32", 5, 5, F32, F32, F32},
    {"F16", 5, 5, F16, F16, F16},
    {"BF16", 5, 5, F16, F16, F16},
    {"Q4_0", 5, 5, Q4_0, Q6_K, Q4_0},
    {"Q4_1", 5, 5, Q4_1, Q6_K, Q4_1},
    {"Q5_0", 5, 5, Q5_0, Q6_K, Q5_0},
    {"Q5_1", 5, 5, Q5_1, Q6_K, Q5_1},
    {"Q8_0", 5, 5, Q8_0, Q8_0, Q8_0},
    {"Q2_K", 5, 5, Q2_K, Q6_K, Q2_K},
    {"Q2_K_S", 5, 5, Q2_K, Q6_K, Q2_K},
    {"Q3_K_S", 5, 5, Q3_K, Q6_K, Q3_K},
    {"Q3_K_M", 5, 5, Q3_K, Q6_K, Q3_K},
    {"Q3_K_L", 5, 5, Q3_K, Q6_K, Q3_K},
    {"Q4_K_S", 5, 5, Q4_K, Q6_K, Q4_K},
    {"Q4_K_M", 5, 5, Q4_K, Q6_K, Q4_K},
    {"Q5_K_S", 5, 5, Q5_K, Q6_K, Q5_K},
    {"Q5_K_M", 5, 5, Q5_K, Q6_K, Q5_K},
    {"Q6_K", 5, 5, Q6_K, Q6_K, Q6_K},
    {"IQ1_S", 71, 71, IQ1_S, Q5_K, Q2_K},
    {"IQ1_M", 71, 71, IQ1_M, Q5_K, Q2_K},
    {"IQ2_XXS", 71, 71, IQ2_XXS, Q5_K, Q2_K},
    {"IQ2_XS", 71, 71, IQ2_XS, Q5_K, Q2_K},
    {"IQ2_S", 71, 71, IQ2_XS, Q5_K, IQ3_S},
    {"IQ2_M", 71, 71, IQ2_S, Q5_K, IQ3_S},
    {"IQ3_XXS", 71, 71, IQ3_XXS, Q5_K, IQ3_S},
    {"IQ3_XS", 71, 71, IQ3_S, Q6_K, IQ3_S},
    {"IQ3_S", 71, 71, IQ3_S, Q6_K, IQ3_S},
    {"IQ3_M", 71, 71, IQ3_S, Q6_K, IQ3_S},
    {"IQ4_NL", 71, 71, IQ4_NL, Q6_K, IQ4_NL},
    {"IQ4_XS", 71, 71, IQ4_XS, Q6_K, IQ4_XS},
    {"MXFP4_MOE", 5, 5, Q8_0, Q8_0, Q8_0},
    // bartowski's model cards: "Q8_0 for embed and output weights"
    {"Q2_K_L", 5, 5, Q2_K, Q8_0, Q8_0},
    {"Q3_K_XL", 5, 5, Q3_K, Q8_0, Q8_0},
    {"Q4_K_L", 5, 5, Q4_K, Q8_0, Q8_0},
    {"Q5_K_L", 5, 5, Q5_K, Q8_0, Q8_0},
    {"Q6_K_L", 5, 5, Q6_K, Q8_0, Q8_0},
    {"UD-Q2_K_XL", 30, 110, Q2_K, Q6_K, Q2_K},
    {"UD-Q3_K_S", 71, 110, Q3_K, Q6_K, Q3_K},
    {"UD-Q3_K_M", 71, 71, Q3_K, Q6_K, Q3_K},
    {"UD-Q3_K_XL", 71, 110, Q3_K, Q6_K, Q3_K},
    {"UD-Q4_K_S", 71, 71, Q4_K, Q6_K, Q4_K},
    {"UD-Q4_K_M", 71, 71, Q4_K, Q6_K, Q4_K},
    {"UD-Q4_K_XL", 71, 71, Q4_K, Q6_K, Q4_K},
    {"UD-Q5_K_S", 71, 71, Q5_K, Q6_K, Q5_K},
    {"UD-Q5_K_M", 71, 71, Q5_K, Q6_K, Q5_K},
    {"UD-Q5_K_XL", 71, 71, Q5_K, Q6_K, Q5_K},
    {"UD-Q6_K", 71, 110, Q6_K, Q6_K, Q6_K},
    {"UD-Q6_K_XL", 71, 110, Q6_K, Q8_0, Q8_0},
    {"UD-Q8_K_XL", 71, 160, Q8_0, F16, F16},
};
#define MIXTURES (sizeof mixtures / sizeof mixtures[0])

static void formats_of_mixtures(void **state)
{
    (void)state;
    assert_int_equal(kvb_llama_mixture_count(), MIXTURES);
    for (uint32_t i = 0; i < MIXTURES; i++) {
        const struct mixture_row *row = &mixtures[i];
        start(row->name, 32, 0);
        assert_int_equal(run.mixture, i + 1);
        assert_string_equal(kvb_llama_mixture_name(i + 1), row->name);
        uint32_t low, high;
        kvb_llama_mixture_bound(i + 1, &low, &high);
        assert_int_equal(low, row->low_permille);
        assert_int_equal(high, row->high_permille);
        check(row->name, "ffn_norm.weight", 5, 32, row->own); // a name without a rule
        check(row->name, "output.weight", 0, 1, row->output);
        check(row->name, "token_embd.weight", 0, 1, row->embedding);
        model.tied_embeddings = true;
        check(row->name, "token_embd.weight", 0, 1, row->output);
    }
    start("MXFP4_MOE", 32, 0);
    check("MXFP4_MOE", "ffn_up_exps.weight", 0, 32, MXFP4);
    assert_int_equal(kvb_llama_mixture_find("Q4_K_X"), 0);
    assert_string_equal(kvb_llama_mixture_name(MIXTURES + 1), "");
    assert_string_equal(kvb_llama_mixture_name(0), "");
}

// Rows that no block of 256 divides take a format of 32 elements, and 16 bits where that does not divide them either.
static void rows_that_blocks_do_not_divide(void **state)
{
    (void)state;
    static const struct {
        const char *mixture;
        uint32_t bytes;
    } rows[] = {{"Q2_K_S", IQ4_NL},  {"Q3_K_S", IQ4_NL}, {"Q4_K_S", Q5_0},    {"Q5_K_S", Q5_1},   {"Q6_K", Q8_0},
                {"IQ1_S", IQ4_NL},   {"IQ1_M", IQ4_NL},  {"IQ2_XXS", IQ4_NL}, {"IQ2_XS", IQ4_NL}, {"IQ2_M", IQ4_NL},
                {"IQ3_XXS", IQ4_NL}, {"IQ3_S", IQ4_NL},  {"IQ4_XS", IQ4_NL},  {"IQ4_NL", IQ4_NL}, {"Q4_0", Q4_0},
                {"Q8_0", Q8_0},      {"F32", F32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].mixture, 32, 0);
        assert_int_equal(bytes_of("ffn_norm.weight", 96, 5, 32), rows[i].bytes);
        assert_int_equal(bytes_of("ffn_norm.weight", 33, 5, 32), rows[i].bytes == F32 ? F32 : F16);
    }
    start("Q4_K_M", 32, 0);
    assert_int_equal(bytes_of("output.weight", 96, 0, 1), Q8_0);
}

// ---- rules of tensors

enum layers { NONE, ALL, MORE_BITS, EIGHTH, SIXTEENTH, FIRST_TWO, FIRST_FOUR, MIDDLE };

struct rule_row {
    const char *mixture, *tensor;
    enum layers layers;
    uint32_t then, otherwise; // 0: the mixture's own
    uint32_t shared;          // where four heads and more share keys and values; 0: no difference
};

static const struct rule_row rules[] = {
    {"Q2_K", "attn_v.weight", ALL, Q3_K, 0, Q4_K},
    {"Q2_K_S", "attn_v.weight", NONE, 0, 0, Q4_K},
    {"IQ3_XXS", "attn_v.weight", NONE, 0, 0, Q4_K},
    {"IQ3_XS", "attn_v.weight", NONE, 0, 0, Q4_K},
    {"IQ3_S", "attn_v.weight", NONE, 0, 0, Q4_K},
    {"IQ3_M", "attn_v.weight", ALL, Q4_K, 0, 0},
    {"Q3_K_S", "attn_v.weight", NONE, 0, 0, 0},
    {"Q3_K_M", "attn_v.weight", FIRST_TWO, Q5_K, Q4_K, 0},
    {"Q3_K_L", "attn_v.weight", ALL, Q5_K, 0, 0},
    {"IQ4_NL", "attn_v.weight", NONE, 0, 0, Q5_K},
    {"IQ4_XS", "attn_v.weight", NONE, 0, 0, Q5_K},
    {"Q4_K_M", "attn_v.weight", MORE_BITS, Q6_K, 0, 0},
    {"Q5_K_M", "attn_v.weight", MORE_BITS, Q6_K, 0, 0},
    {"Q4_K_S", "attn_v.weight", FIRST_FOUR, Q5_K, 0, 0},
    {"Q5_K_S", "attn_v.weight", NONE, 0, 0, 0},
    {"IQ2_S", "attn_v.weight", ALL, IQ3_S, 0, Q4_K},
    {"IQ2_M", "attn_v.weight", ALL, IQ3_S, 0, Q4_K},
    {"IQ2_XXS", "attn_v.weight", ALL, Q2_K, 0, Q4_K},
    {"IQ2_XS", "attn_v.weight", ALL, Q2_K, 0, Q4_K},
    {"IQ1_S", "attn_v.weight", ALL, Q2_K, 0, Q4_K},
    {"IQ1_M", "attn_v.weight", ALL, Q2_K, 0, Q4_K},
    {"IQ3_XS", "attn_k.weight", ALL, IQ3_XXS, 0, 0},
    {"IQ3_XXS", "attn_k.weight", ALL, IQ2_S, 0, 0},
    {"IQ3_XS", "attn_q.weight", ALL, IQ3_XXS, 0, 0},
    {"IQ3_XXS", "attn_q.weight", ALL, IQ2_S, 0, 0},
    {"Q4_K_M", "attn_q.weight", NONE, 0, 0, 0},
    {"Q2_K", "ffn_down.weight", ALL, Q3_K, 0, 0},
    {"Q2_K_S", "ffn_down.weight", EIGHTH, Q4_K, 0, 0},
    {"Q3_K_M", "ffn_down.weight", SIXTEENTH, Q5_K, Q4_K, 0},
    {"IQ3_M", "ffn_down.weight", EIGHTH, Q4_K, 0, 0},
    {"Q3_K_L", "ffn_down.weight", ALL, Q5_K, 0, 0},
    {"Q4_K_M", "ffn_down.weight", MORE_BITS, Q6_K, 0, 0},
    {"Q5_K_M", "ffn_down.weight", MORE_BITS, Q6_K, 0, 0},
    {"Q4_K_S", "ffn_down.weight", EIGHTH, Q5_K, 0, 0},
    {"IQ2_S", "ffn_down.weight", EIGHTH, IQ3_S, 0, 0},
    {"IQ2_M", "ffn_down.weight", EIGHTH, IQ3_S, 0, 0},
    {"IQ2_XXS", "ffn_down.weight", EIGHTH, Q2_K, 0, 0},
    {"IQ2_XS", "ffn_down.weight", EIGHTH, Q2_K, 0, 0},
    {"IQ1_S", "ffn_down.weight", EIGHTH, Q2_K, 0, 0},
    {"IQ1_M", "ffn_down.weight", EIGHTH, Q2_K, 0, 0},
    {"Q2_K", "attn_output.weight", ALL, Q3_K, 0, 0},
    {"IQ3_XXS", "attn_output.weight", ALL, IQ3_S, 0, 0},
    {"Q3_K_M", "attn_output.weight", ALL, Q4_K, 0, 0},
    {"Q3_K_L", "attn_output.weight", ALL, Q5_K, 0, 0},
    {"IQ3_M", "attn_output.weight", ALL, Q4_K, 0, 0},
    {"IQ1_S", "attn_output.weight", ALL, IQ2_XXS, 0, 0},
    {"IQ1_M", "attn_output.weight", ALL, IQ2_XXS, 0, 0},
    {"IQ2_S", "attn_output.weight", ALL, IQ3_S, 0, 0},
    {"IQ2_M", "attn_output.weight", ALL, IQ3_S, 0, 0},
    {"Q4_K_M", "attn_output.weight", NONE, 0, 0, 0},
    {"Q3_K_M", "attn_qkv.weight", ALL, Q4_K, 0, 0},
    {"Q3_K_L", "attn_qkv.weight", ALL, Q4_K, 0, 0},
    {"IQ3_M", "attn_qkv.weight", ALL, Q4_K, 0, 0},
    {"Q4_K_M", "attn_qkv.weight", ALL, Q5_K, 0, 0},
    {"Q5_K_M", "attn_qkv.weight", ALL, Q6_K, 0, 0},
    {"IQ3_XS", "ffn_gate.weight", MIDDLE, IQ3_XXS, 0, 0},
    {"IQ3_XS", "ffn_up.weight", MIDDLE, IQ3_XXS, 0, 0},
    {"Q4_K_M", "ffn_gate.weight", NONE, 0, 0, 0},
};

static bool is_among(enum layers layers, uint32_t i, uint32_t n)
{
    switch (layers) {
    case NONE:
        return false;
    case ALL:
        return true;
    case MORE_BITS:
        return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
    case EIGHTH:
        return i < n / 8;
    case SIXTEENTH:
        return i < n / 16;
    case FIRST_TWO:
        return i < 2;
    case FIRST_FOUR:
        return i < 4;
    default:
        return i >= n / 8 && i < 7 * n / 8;
    }
}

static uint32_t own_of(const char *mixture)
{
    uint32_t i = 0;
    while (strcmp(mixtures[i].name, mixture) != 0) {
        i++;
    }
    return mixtures[i].own;
}

static void rules_of_tensors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule_row *row = &rules[i];
        uint32_t own = own_of(row->mixture), otherwise = row->otherwise != 0 ? row->otherwise : own;
        for (uint32_t index = 0; index < 64; index++) {
            uint32_t count = index < 32 ? 32 : 30;
            if (index % 32 >= count) {
                continue;
            }
            uint32_t alone = is_among(row->layers, index % 32, count) ? row->then : otherwise;
            start(row->mixture, 32, 0);
            check(row->mixture, row->tensor, index % 32, count, alone);
            start(row->mixture, 9, 0); // 32 / 9 = 3
            check(row->mixture, row->tensor, index % 32, count, alone);
            start(row->mixture, 8, 0);
            check(row->mixture, row->tensor, index % 32, count, row->shared != 0 ? row->shared : alone);
        }
    }
}

// "70B" of 80 layers: values of three and four bits get five. Eight experts: keys and values of eight bits, outputs of
// five in the mixtures of less.
static void large_models(void **state)
{
    (void)state;
    start("Q4_K_S", 8, 0);
    check("Q4_K_S", "attn_v.weight", 10, 80, Q4_K);
    model.layer_count = 80;
    check("Q4_K_S", "attn_v.weight", 10, 80, Q5_K);
    check("Q4_K_S", "attn_k.weight", 10, 80, Q4_K);
    start("Q3_K_S", 8, 0);
    model.layer_count = 80;
    check("Q3_K_S", "attn_v.weight", 10, 80, Q5_K);
    start("Q6_K", 8, 0);
    model.layer_count = 80;
    check("Q6_K", "attn_v.weight", 10, 80, Q6_K);
    static const struct {
        const char *mixture;
        uint32_t output;
    } rows[] = {{"Q2_K", Q5_K},   {"Q3_K_S", Q5_K}, {"Q3_K_M", Q5_K}, {"Q4_K_S", Q5_K},
                {"Q4_K_M", Q5_K}, {"IQ3_XS", Q5_K}, {"IQ4_XS", Q5_K}, {"Q5_K_S", Q5_K},
                {"Q6_K", Q6_K},   {"Q8_0", Q8_0},   {"Q5_1", Q5_1},   {"Q5_K_M", Q5_K}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].mixture, 8, 8);
        check(rows[i].mixture, "attn_k.weight", 10, 32, Q8_0);
        check(rows[i].mixture, "attn_v.weight", 10, 32, Q8_0);
        check(rows[i].mixture, "attn_output.weight", 10, 32, rows[i].output);
        check(rows[i].mixture, "attn_q.weight", 10, 32,
              strcmp(rows[i].mixture, "IQ3_XS") == 0 ? IQ3_XXS : own_of(rows[i].mixture));
    }
    start("Q4_K_M", 8, 128);
    check("Q4_K_M", "attn_k.weight", 10, 32, Q4_K);
}

// GptOssModel.repack_mxfp4 of convert_hf_to_gguf.py writes the experts' weights as MXFP4, whatever --outtype is: the
// other tensors follow it. A mixture of llama-quantize chooses anew; where none is named all is taken for f16.
static void experts_that_a_conversion_repacks(void **state)
{
    (void)state;
    static const struct {
        const char *mixture;
        uint64_t experts, others;
    } rows[] = {{"F16", MXFP4, F16},        {"BF16", MXFP4, F16}, {"F32", MXFP4, F32},     {"Q8_0", MXFP4, Q8_0},
                {"MXFP4_MOE", MXFP4, Q8_0}, {"Q4_0", Q4_0, Q4_0}, {"none named", F16, F16}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].mixture, 8, 32);
        (void)snprintf(model.architecture, sizeof model.architecture, "GptOssForCausalLM");
        check(rows[i].mixture, "ffn_gate_exps.weight", 0, 24, rows[i].experts);
        check(rows[i].mixture, "attn_q.weight", 0, 24, rows[i].others);
    }
    start("F16", 8, 32);
    check("F16", "ffn_gate_exps.weight", 0, 24, F16);
}

KVB_TEST_MAIN(cmocka_unit_test(formats_of_mixtures), cmocka_unit_test(rows_that_blocks_do_not_divide),
              cmocka_unit_test(rules_of_tensors), cmocka_unit_test(large_models),
              cmocka_unit_test(experts_that_a_conversion_repacks))
