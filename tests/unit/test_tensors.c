// Tensors of layers against hand calculations: shapes, order, splits, fusion.
#include <string.h>

#include <kvbudget/model.h>

#include "unit/test.h"

static struct kvb_model model;
static struct kvb_layer_kind kind;
static struct kvb_tensor tensors[KVB_TENSORS_MAX];

static void start(uint32_t hidden)
{
    memset(&model, 0, sizeof model);
    memset(&kind, 0, sizeof kind);
    model.hidden_size = hidden;
    model.vocabulary_size = 1000;
    model.final_norms = 1;
    model.layer_count = 1;
    model.kind_count = 1;
}

static uint64_t layer_elements(uint32_t *count)
{
    uint64_t sum = 0;
    *count = kvb_layer_tensors(&model, &kind, tensors);
    for (uint32_t i = 0; i < *count; i++) {
        sum += tensors[i].engine_only ? 0 : tensors[i].rows * tensors[i].columns * tensors[i].count;
    }
    return sum;
}

static const struct kvb_tensor *find(uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(tensors[i].name, name) == 0) {
            return &tensors[i];
        }
    }
    fail_msg("no tensor %s", name);
    return NULL;
}

static void attention(uint32_t heads, uint32_t kv_heads, uint32_t size)
{
    kind.attention.kind = KVB_ATTENTION_FULL;
    kind.attention.heads = heads;
    kind.attention.kv_heads = kv_heads;
    kind.attention.head_size = size;
    kind.attention.value_head_size = size;
}

// Llama-3.1-8B, one layer: q 4096x4096, k and v 1024x4096, o 4096x4096, gate and up 14336x4096,
// down 4096x14336, two norms: 16777216 + 2x4194304 + 16777216 + 3x58720256 + 8192 = 218112000.
static void llama_layer(void **state)
{
    static const char *const order[] = {"q_proj",  "k_proj",    "v_proj",    "o_proj",   "gate_proj",
                                        "up_proj", "down_proj", "layernorm", "layernorm"};
    uint32_t count;
    (void)state;
    start(4096);
    attention(32, 8, 128);
    kind.mlp.kind = KVB_MLP_GATED;
    kind.mlp.intermediate_size = 14336;
    kind.norms = 2;
    assert_true(layer_elements(&count) == UINT64_C(218112000));
    assert_int_equal(count, 9);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(tensors[i].name, order[i]);
    }
    assert_true(tensors[0].fused != 0 && tensors[0].fused == tensors[1].fused && tensors[1].fused == tensors[2].fused);
    assert_int_equal(tensors[3].fused, 0);
    assert_true(tensors[4].fused == tensors[5].fused && tensors[4].fused != tensors[0].fused);
    assert_int_equal(tensors[1].split, KVB_SPLIT_KV);
    assert_int_equal(tensors[1].heads, 8);
    assert_int_equal(tensors[6].split, KVB_SPLIT_COLUMNS);
}

// DeepSeek-V3 attention: q_a 1536x7168, kv_a 576x7168, norms 1536 and 512, q_b 24576x1536,
// kv_b 32768x512, o 7168x16384: 187107328 elements.
static void latent_layer(void **state)
{
    uint32_t count;
    (void)state;
    start(7168);
    kind.attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                                  .heads = 128,
                                                  .kv_heads = 1,
                                                  .head_size = 576,
                                                  .value_head_size = 128,
                                                  .query_rank = 1536,
                                                  .latent_rank = 512,
                                                  .nope_size = 128,
                                                  .rope_size = 64};
    assert_true(layer_elements(&count) == UINT64_C(187107328));
    assert_int_equal(find(count, "q_a_proj")->split, KVB_SPLIT_COPY);
    assert_int_equal(find(count, "q_a_proj")->fused, find(count, "kv_a_proj")->fused);
    kind.attention.query_rank = 0; // V2-Lite: queries straight from the hidden state
    (void)layer_elements(&count);
    assert_true(find(count, "q_proj")->rows == 128 * 192);
}

// Mixtral's experts: 8 x 3 x 14336 x 4096 and the router 8 x 4096.
static void expert_layer(void **state)
{
    uint32_t count;
    (void)state;
    start(4096);
    kind.mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                      .experts = 8,
                                      .experts_per_token = 2,
                                      .expert_intermediate_size = 14336,
                                      .expert_gated = true};
    assert_true(layer_elements(&count) == UINT64_C(1409318912));
    assert_int_equal(find(count, "experts_gate")->count, 8);
    assert_int_equal(find(count, "experts_gate")->fused, find(count, "experts_up")->fused);
    assert_false(find(count, "router")->quantised);
    kind.mlp.latent_size = 1024; // experts in a narrower width, with a matrix in and one out
    assert_true(layer_elements(&count) == UINT64_C(8) * 3 * 14336 * 1024 + 8 * 4096 + 2 * UINT64_C(1024) * 4096);
}

// Qwen3.5-0.8B, a delta-net layer: mixed 6144, values 2048: conv 6144x4, qkv 6144x1024, z 2048x1024,
// b and a 16x1024 each, dt and A 16 each, norm 128, out 1024x2048.
static void delta_layer(void **state)
{
    uint32_t count;
    (void)state;
    start(1024);
    kind.attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                  .state_key_heads = 16,
                                                  .state_key_size = 128,
                                                  .state_value_heads = 16,
                                                  .state_value_size = 128,
                                                  .conv_kernel = 4};
    assert_true(layer_elements(&count) == UINT64_C(24576) + 6291456 + 2097152 + 32768 + 32 + 128 + 2097152);
}

// Nemotron-3-Nano, a Mamba 2 layer: inner 4096, groups 8 x 128: in 10304x2688, conv 6144x4 + 6144,
// A, D and dt 64 each, norm 4096, out 2688x4096.
static void mamba_layer(void **state)
{
    uint32_t count;
    (void)state;
    start(2688);
    kind.attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                                  .state_key_heads = 8,
                                                  .state_key_size = 128,
                                                  .state_value_heads = 64,
                                                  .state_value_size = 64,
                                                  .state_inner_size = 4096,
                                                  .conv_kernel = 4,
                                                  .conv_bias = true};
    assert_true(layer_elements(&count) == UINT64_C(27697152) + 24576 + 6144 + 192 + 4096 + 11010048);
    assert_int_equal(find(count, "in_b")->split, KVB_SPLIT_GROUPS);
    assert_int_equal(find(count, "in_b")->heads, 8);
}

static void values_that_repeat_keys(void **state)
{
    uint32_t count;
    (void)state;
    start(64);
    attention(4, 2, 16);
    uint64_t both = layer_elements(&count);
    kind.attention.key_is_value = true;
    assert_true(layer_elements(&count) == both - 2 * 16 * 64); // not in the checkpoint
    assert_true(find(count, "v_proj")->engine_only);           // but on the GPU
}

static void outputs_alone_quantised(void **state)
{
    uint32_t count;
    (void)state;
    start(64);
    attention(4, 2, 16);
    kind.mlp.kind = KVB_MLP_GATED;
    kind.mlp.intermediate_size = 128;
    (void)layer_elements(&count);
    assert_true(find(count, "q_proj")->quantised && find(count, "o_proj")->quantised);
    model.quantisation.output_quantised = true;
    (void)layer_elements(&count);
    assert_false(find(count, "q_proj")->quantised || find(count, "k_proj")->quantised);
    assert_true(find(count, "o_proj")->quantised && find(count, "up_proj")->quantised);
}

static void ends_of_a_model(void **state)
{
    (void)state;
    start(64);
    attention(4, 2, 16);
    model.kinds[0] = kind;
    uint64_t untied = kvb_model_parameters(&model);
    model.tied_embeddings = true;
    assert_true(kvb_model_parameters(&model) == untied - 64000);
    model.mtp_layers = 2;
    model.mtp_extra_matrices_hidden = 2;
    model.mtp_norms = 3;
    // two modules: a layer of 12288, two 64 x 64 and three norms of 64 each
    assert_true(kvb_model_parameters(&model) == untied - 64000 + 2 * (12288 + 2 * 4096 + 3 * 64));
    model.no_norm_weights = true;
    assert_int_equal(kvb_outer_tensors(&model, tensors), 1);
}

static void every_kind_fits_the_list(void **state)
{
    (void)state;
    for (int attention_kind = 0; attention_kind < KVB_ATTENTION_COUNT; attention_kind++) {
        start(64);
        attention(4, 2, 16);
        kind.attention.kind = (enum kvb_attention)attention_kind;
        kind.attention.query_key_value_bias = kind.attention.output_bias = kind.attention.sinks = true;
        kind.attention.gated_output = kind.attention.has_indexer = true;
        kind.attention.qk_norm = KVB_QK_NORM_WHOLE;
        kind.attention.query_rank = kind.attention.nope_size = kind.attention.rope_size = 8;
        kind.attention.index_heads = kind.attention.index_head_size = 8;
        kind.attention.compress_ratio = 4;
        kind.attention.output_groups = kind.attention.output_rank = 2;
        kind.attention.state_key_heads = kind.attention.state_key_size = 2;
        kind.attention.state_value_heads = kind.attention.state_value_size = 2;
        kind.attention.state_inner_size = kind.attention.conv_kernel = 4;
        kind.attention.state_bias = kind.attention.conv_bias = true;
        kind.mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                          .intermediate_size = 8,
                                          .bias = true,
                                          .experts = 4,
                                          .experts_per_token = 2,
                                          .expert_intermediate_size = 8,
                                          .shared_intermediate_size = 8,
                                          .shared_gate = true,
                                          .router_correction_bias = true,
                                          .router_bias = true,
                                          .expert_bias = true,
                                          .expert_gated = true,
                                          .latent_size = 4};
        kind.norms = 7;
        kind.extra_elements = 5;
        model.norm_bias = true;
        uint32_t count = kvb_layer_tensors(&model, &kind, tensors);
        assert_true(count > 0 && count < KVB_TENSORS_MAX - 1); // nothing was cut off
    }
}

KVB_TEST_MAIN(cmocka_unit_test(llama_layer), cmocka_unit_test(latent_layer), cmocka_unit_test(expert_layer),
              cmocka_unit_test(delta_layer), cmocka_unit_test(mamba_layer), cmocka_unit_test(values_that_repeat_keys),
              cmocka_unit_test(ends_of_a_model), cmocka_unit_test(outputs_alone_quantised),
              cmocka_unit_test(every_kind_fits_the_list))
