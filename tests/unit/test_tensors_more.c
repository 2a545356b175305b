// Rarer tensors: biases of every part, one-sided projections, gates; counted by hand.
#include "budget/weights/tensors.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_model model;
static struct kvb_tensor tensors[KVB_TENSORS_MAX];

static uint64_t elements(const struct kvb_layer_kind *kind)
{
    uint64_t sum = 0;
    memset(&model, 0, sizeof model);
    model.hidden_size = 64;
    model.vocabulary_size = 1000;
    uint32_t count = kvb_layer_tensors(&model, kind, tensors);
    for (uint32_t i = 0; i < count; i++) {
        sum += tensors[i].rows * tensors[i].columns * tensors[i].count;
    }
    return sum;
}

struct kind_row {
    const char *what;
    struct kvb_layer_kind kind;
    uint64_t elements; // hidden 64
};

// Attention of 4 heads of 16, 2 for keys and values: q 64 x 64, k and v 32 x 64 each, o 64 x 64 = 12288.
static const struct kind_row kind_rows[] = {
    {"no bias",
     {.attention = {KVB_ATTENTION_FULL, .heads = 4, .kv_heads = 2, .head_size = 16, .value_head_size = 16}},
     12288},
    {"bias of the queries alone",
     {.attention = {KVB_ATTENTION_FULL, .heads = 4, .kv_heads = 2, .head_size = 16, .value_head_size = 16,
                    .query_bias_only = true}},
     12288 + 64},
    {"bias of all three",
     {.attention = {KVB_ATTENTION_FULL, .heads = 4, .kv_heads = 2, .head_size = 16, .value_head_size = 16,
                    .query_key_value_bias = true}},
     12288 + 64 + 32 + 32},
    // one expert of 32: up and down 64 x 32 with 32 and 64 of bias; a router of 2 x 64
    {"plain experts with biases",
     {.mlp = {KVB_MLP_MOE, .experts = 2, .experts_per_token = 1, .expert_intermediate_size = 32, .expert_bias = true}},
     2 * 64 + 2 * (2 * 64 * 32 + 32 + 64)},
    {"gated experts with biases",
     {.mlp = {KVB_MLP_MOE, .experts = 2, .experts_per_token = 1, .expert_intermediate_size = 32, .expert_bias = true,
              .expert_gated = true}},
     2 * 64 + 2 * (3 * 64 * 32 + 2 * 32 + 64)},
    // the same with a bias of the router of 2
    {"a router with a bias",
     {.mlp = {KVB_MLP_MOE, .experts = 2, .experts_per_token = 1, .expert_intermediate_size = 32, .expert_bias = true,
              .expert_gated = true, .router_bias = true}},
     2 * 64 + 2 + 2 * (3 * 64 * 32 + 2 * 32 + 64)},
    // width 96: conv 3 taps and its bias, in 288 x 64 and its bias, out 64 x 96 and its bias
    {"short convolution with all biases",
     {.attention = {KVB_ATTENTION_SHORT_CONV, .state_inner_size = 96, .conv_kernel = 3, .conv_bias = true,
                    .state_bias = true}},
     96 * 3 + 96 + 288 * 64 + 288 + 64 * 96 + 64},
    // inner 128, rank 4, state 8, 4 taps: conv 512, in 256 x 64, x 20 x 128, dt 128 x 4 + 128, A 1024, D 128, out 64 x
    // 128
    {"Mamba1 without biases",
     {.attention = {KVB_ATTENTION_MAMBA1, .state_key_heads = 4, .state_key_size = 8, .state_inner_size = 128,
                    .conv_kernel = 4}},
     512 + 16384 + 2560 + 512 + 128 + 1024 + 128 + 8192},
    {"Mamba1 with all biases",
     {.attention = {KVB_ATTENTION_MAMBA1, .state_key_heads = 4, .state_key_size = 8, .state_inner_size = 128,
                    .conv_kernel = 4, .state_bias = true, .conv_bias = true}},
     512 + 128 + 16384 + 256 + 2560 + 512 + 128 + 1024 + 128 + 8192 + 64},
    // 2 x 16 wide: q, k, v 32 x 64 each and 32 x 4 taps; f_a 16 x 64, f_b 32 x 16, dt 32, b 2 x 64, A 2,
    // g_a 16 x 64 and g_b 32 x 16 or one g of 32 x 64; norm 16; out 64 x 32
    {"KDA, gate in two steps",
     {.attention = {KVB_ATTENTION_KDA, .state_key_heads = 2, .state_key_size = 16, .state_value_heads = 2,
                    .state_value_size = 16, .conv_kernel = 4}},
     3 * 2048 + 3 * 128 + 1024 + 512 + 32 + 128 + 2 + 1024 + 512 + 16 + 2048},
    {"KDA, gate in one",
     {.attention = {KVB_ATTENTION_KDA, .state_key_heads = 2, .state_key_size = 16, .state_value_heads = 2,
                    .state_value_size = 16, .conv_kernel = 4, .gated_output = true}},
     3 * 2048 + 3 * 128 + 1024 + 512 + 32 + 128 + 2 + 2048 + 16 + 2048},
    // DeepSeek-V4: wq_a 8 x 64, wkv 16 x 64, norms 8 and 16, wq_b 64 x 8, wo_a (2 x 4) x (64 / 2), wo_b 64 x 8, 4 sinks
    {"DeepSeek-V4 without compressor",
     {.attention = {KVB_ATTENTION_DSV4, .heads = 4, .head_size = 16, .query_rank = 8, .output_groups = 2,
                    .output_rank = 4}},
     512 + 1024 + 8 + 16 + 512 + 256 + 512 + 4},
    // vllm/models/deepseek_v4/compressor.py v0.22.0: ratio 4 has two overlapping halves, so wkv and gate 32 x 64 each,
    // ape 4 x 32, norm 16; ratio 128 has wkv and gate 16 x 64 each, ape 128 x 16, norm 16; ratio 1 has none
    {"DeepSeek-V4 with overlapping compressor",
     {.attention = {KVB_ATTENTION_DSV4, .heads = 4, .head_size = 16, .query_rank = 8, .output_groups = 2,
                    .output_rank = 4, .compress_ratio = 4}},
     2844 + 2048 + 2048 + 128 + 16},
    {"DeepSeek-V4 with long compressor",
     {.attention = {KVB_ATTENTION_DSV4, .heads = 4, .head_size = 16, .query_rank = 8, .output_groups = 2,
                    .output_rank = 4, .compress_ratio = 128}},
     2844 + 1024 + 1024 + 2048 + 16},
    // its coff is 1 + (ratio == 4): at ratio 2 wkv and gate 16 x 64 each, ape 2 x 16, norm 16
    {"DeepSeek-V4 with a ratio of two",
     {.attention = {KVB_ATTENTION_DSV4, .heads = 4, .head_size = 16, .query_rank = 8, .output_groups = 2,
                    .output_rank = 4, .compress_ratio = 2}},
     2844 + 1024 + 1024 + 32 + 16},
    {"DeepSeek-V4 with a ratio of one",
     {.attention = {KVB_ATTENTION_DSV4, .heads = 4, .head_size = 16, .query_rank = 8, .output_groups = 2,
                    .output_rank = 4, .compress_ratio = 1}},
     2844},
    // an indexer of 2 heads of 8: queries 16 x 8, weights 2 x 64; its own compressor 16 x 64 twice, ape 4 x 16, norm 8
    {"DeepSeek-V4 with an indexer",
     {.attention = {KVB_ATTENTION_DSV4, .heads = 4, .head_size = 16, .query_rank = 8, .output_groups = 2,
                    .output_rank = 4, .compress_ratio = 4, .has_indexer = true, .index_heads = 2,
                    .index_head_size = 8}},
     2844 + 4240 + 128 + 128 + 2048 + 64 + 8},
    // gate and up 8 x 64 each, down 64 x 8; biases of 8, 8 and 64 rows
    {"a gated MLP with biases",
     {.attention = {.kind = KVB_ATTENTION_NONE}, .mlp = {.kind = KVB_MLP_GATED, .intermediate_size = 8, .bias = true}},
     3 * 512 + 8 + 8 + 64},
    {"nothing", {.attention = {.kind = KVB_ATTENTION_NONE}}, 0},
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kind_rows / sizeof kind_rows[0]; i++) {
        uint64_t sum = elements(&kind_rows[i].kind);
        if (sum != kind_rows[i].elements) {
            fail_msg("%s: %llu elements", kind_rows[i].what, (unsigned long long)sum);
        }
    }
}

// 5 of 2 x 3 beside the layers; what stands behind the last is not counted.
static void beside_the_layers(void **state)
{
    (void)state;
    memset(&model, 0, sizeof model);
    model.hidden_size = 64;
    model.vocabulary_size = 1000;
    uint64_t without = kvb_model_parameters(&model);
    model.extras[0] = (struct kvb_extra){.rows = 2, .columns = 3, .count = 5};
    model.extras[1] = (struct kvb_extra){.rows = 7, .columns = 7, .count = 7};
    assert_int_equal(kvb_model_parameters(&model), without);
    model.extra_count = 1;
    assert_int_equal(kvb_model_parameters(&model), without + 30);
}

// A latent layer under another kind's name has values of hidden / heads (MiniCPM3); without heads of none.
static void latent_under_another_name(void **state)
{
    (void)state;
    struct kvb_layer_kind kind = {
        .attention = {KVB_ATTENTION_FULL, .heads = 4, .latent_rank = 8, .nope_size = 12, .rope_size = 4}};
    // q 64 x 64, kv_a 12 x 64, norm 8, kv_b 4 x (12 + 16) x 8, o 64 x 64
    assert_int_equal(elements(&kind), 4096 + 768 + 8 + 896 + 4096);
    kind.attention.heads = 0;
    assert_int_equal(elements(&kind), 768 + 8);
}

// A checkpoint of which only the output projections are quantised: Mamba2's one way in is not, its way out is.
static void outputs_alone_quantised(void **state)
{
    (void)state;
    struct kvb_layer_kind kind = {.attention = {KVB_ATTENTION_MAMBA2, .state_key_heads = 2, .state_key_size = 16,
                                                .state_value_heads = 4, .state_value_size = 32, .state_inner_size = 128,
                                                .conv_kernel = 4, .state_bias = true}};
    (void)elements(&kind);
    model.quantisation.output_quantised = true;
    uint32_t count = kvb_layer_tensors(&model, &kind, tensors), quantised = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(tensors[i].quantised, strcmp(tensors[i].name, "out_proj") == 0);
        quantised += tensors[i].quantised;
    }
    assert_int_equal(quantised, 1);
}

// Mamba's A and D are computed in 32 bit and kept so, whatever the model's type (mamba_mixer.py, v0.11.0).
static void a_and_d_stay_in_32_bit(void **state)
{
    (void)state;
    static const struct kvb_layer_kind kind = {.attention = {KVB_ATTENTION_MAMBA1, .state_key_heads = 4,
                                                             .state_key_size = 8, .state_inner_size = 128,
                                                             .conv_kernel = 4}};
    (void)elements(&kind);
    uint32_t count = kvb_layer_tensors(&model, &kind, tensors), wide = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool a_or_d = strcmp(tensors[i].name, "A") == 0 || strcmp(tensors[i].name, "D") == 0;
        assert_int_equal(tensors[i].always_fp32, a_or_d);
        wide += tensors[i].always_fp32;
    }
    assert_int_equal(wide, 2);
}

// Matrices of experts are quantised, their biases are not.
static void biases_of_experts_are_not_quantised(void **state)
{
    (void)state;
    static const struct kvb_layer_kind kind = {.mlp = {KVB_MLP_MOE, .experts = 2, .experts_per_token = 1,
                                                       .expert_intermediate_size = 32, .expert_bias = true}};
    (void)elements(&kind);
    uint32_t count = kvb_layer_tensors(&model, &kind, tensors), experts = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i].role == KVB_ROLE_EXPERTS) {
            assert_int_equal(tensors[i].quantised, tensors[i].columns > 1);
            experts++;
        }
    }
    assert_int_equal(experts, 4); // up and down, each with its bias
}

// The list never grows beyond its room.
static void a_full_list_stays_full(void **state)
{
    (void)state;
    struct kvb_tensor_list list = {&model, tensors, 0};
    for (int i = 0; i < 2 * KVB_TENSORS_MAX; i++) {
        kvb_tensor_add(&list, "one", KVB_ROLE_OTHER, KVB_SPLIT_COPY, 1, 1);
    }
    assert_int_equal(list.count, KVB_TENSORS_MAX - 1);
}

KVB_TEST_MAIN(cmocka_unit_test(by_hand), cmocka_unit_test(beside_the_layers),
              cmocka_unit_test(latent_under_another_name), cmocka_unit_test(outputs_alone_quantised),
              cmocka_unit_test(a_and_d_stay_in_32_bit), cmocka_unit_test(biases_of_experts_are_not_quantised),
              cmocka_unit_test(a_full_list_stays_full))
