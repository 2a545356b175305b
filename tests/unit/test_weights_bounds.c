// Where counting weights changes: sizes at which the allocator and the formats change their rule, and what is kept in
// 32 bits. Expected values are by hand; sources of the allocator's sizes: pytorch c10/cuda/CUDACachingAllocator.cpp.
#include <string.h>

#include "budget/shapes.h"
#include "budget/weights/weights.h"
#include "unit/small_weights.h"
#include "unit/test.h"

static uint64_t bytes_of(const struct kvb_matrix *matrix)
{
    struct kvb_parameter parameter;
    uint64_t bytes = 0;
    kvb_parameter_make(&load, matrix, &parameter);
    for (uint32_t part = 0; part < parameter.part_count; part++) {
        bytes += parameter.part_bytes[part];
    }
    return bytes;
}

// ---- Allocator

// kSmallSize: 1 MiB is small, a block more is cut from a segment of 20. kMinLargeAlloc: 10 MiB have one of their own.
static void segments(void **state)
{
    (void)state;
    struct kvb_allocator allocator = {0};
    kvb_allocate(&allocator, MIB);
    assert_int_equal(allocator.free_count, 0);
    kvb_allocate(&allocator, MIB + 1);
    assert_int_equal(allocator.free_count, 1);
    assert_int_equal(allocator.free_bytes[0], 19 * MIB - 512);
    allocator = (struct kvb_allocator){0};
    kvb_allocate(&allocator, 10 * MIB);
    assert_int_equal(allocator.free_count, 0);
    kvb_allocate(&allocator, 10 * MIB - 512);
    assert_int_equal(allocator.free_bytes[0], 10 * MIB + 512);
}

// get_free_block: a block that is never split serves what is less than 20 MiB smaller.
static void blocks_never_split(void **state)
{
    (void)state;
    for (uint64_t less = 0; less < 2; less++) {
        struct kvb_allocator allocator = {.largest_split_bytes = 20 * MIB, .free_count = 1, .free_bytes = {60 * MIB}};
        kvb_allocate(&allocator, 40 * MIB + 512 * less);
        assert_int_equal(allocator.free_count, 1 - less);
        assert_int_equal(allocator.allocated_bytes, less ? 60 * MIB : 40 * MIB);
    }
}

// The embedding comes first: 12,800 x 512 x 2 B are 12.5 MiB and leave 1.5 of 14, which the layer's queries, keys and
// values, (8 + 2 + 2) x 96 x 512 x 2 B = 1.125 MiB, take whole; the other way they would leave room for the embedding.
static void embedding_first(void **state)
{
    (void)state;
    make(1);
    model.hidden_size = 512;
    model.vocabulary_size = 12800;
    model.tied_embeddings = true;
    model.kinds[0].attention.heads = 8;
    model.kinds[0].attention.head_size = model.kinds[0].attention.value_head_size = 96;
    model.kinds[0].mlp.kind = KVB_MLP_NONE;
    load.exact_allocations = false;
    assert_int_equal(counted(), 25 * MIB / 2 + 3 * MIB / 2 + 3 * MIB / 4 + 2 * 1024);
}

// ---- Formats

// One scale a block of 128 x 128, one a group of 128: 16,512 of either are 129 of them.
static void sizes_of_blocks(void **state)
{
    (void)state;
    const struct kvb_matrix matrix = {
        .role = KVB_ROLE_MLP, .count = 1, .rows = 16512, .columns = 16512, .logical = 1, .quantised = true};
    const uint64_t elements = 16512ULL * 16512;
    make(1);
    model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .scale = KVB_SCALE_BLOCK};
    assert_int_equal(bytes_of(&matrix), elements + 4 * 129 * 129);
    model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_NONE, .symmetric = true};
    load.online = KVB_QUANT_GPTQ;
    assert_int_equal(bytes_of(&matrix), elements / 2 + 2ULL * 16512 * 129);
}

// Four experts of 64 x 32 that are made 8-bit while matrices stay: a byte an element and 4 a row (online/int8.py
// v0.27.1); the other way round two bytes an element.
static void experts_made_alone(void **state)
{
    (void)state;
    struct kvb_matrix matrix = {.role = KVB_ROLE_MLP,
                                .count = 4,
                                .rows = 64,
                                .columns = 32,
                                .logical = 1,
                                .quantised = true,
                                .is_expert = true};
    make(1);
    load.online_experts = KVB_QUANT_INT8;
    assert_int_equal(bytes_of(&matrix), 4 * 64 * 32 + 4 * 64 * 4);
    load.online_experts = KVB_QUANT_NONE;
    load.online = KVB_QUANT_FP8;
    load.online_scale = KVB_SCALE_GROUP;
    assert_int_equal(bytes_of(&matrix), 4 * 64 * 32 * 2);
    matrix.is_expert = false;
    assert_int_equal(bytes_of(&matrix), 4 * 64 * 32 + 4 * 64);
}

// A matrix of two columns is quantised, a vector is not; adapters are for quantised matrices outside of experts.
static void narrow_matrices(void **state)
{
    (void)state;
    struct kvb_parameter parameter;
    struct kvb_matrix matrix = {
        .role = KVB_ROLE_MLP, .count = 1, .rows = 64, .columns = 2, .logical = 1, .quantised = true};
    make(1);
    model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .scale = KVB_SCALE_TENSOR};
    assert_int_equal(bytes_of(&matrix), 64 * 2 + 4);
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.lora_elements_per_rank, 2 + 64);
    matrix.is_expert = true;
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.lora_elements_per_rank, 0);
    matrix.is_expert = false;
    matrix.quantised = false;
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.lora_elements_per_rank, 0);
    matrix.quantised = true;
    matrix.columns = 1;
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.lora_elements_per_rank, 0);
    const struct kvb_tensor tensor = {.split = KVB_SPLIT_COLUMNS, .rows = 64, .columns = 2, .count = 1};
    load.tp = 2;
    kvb_tensor_split(&load, &tensor, &matrix);
    assert_int_equal(matrix.columns, 1);
    const struct kvb_tensor experts = {.split = KVB_SPLIT_EXPERTS_COLUMNS, .rows = 64, .columns = 2, .count = 8};
    kvb_tensor_split(&load, &experts, &matrix);
    assert_int_equal(matrix.columns, 1);
}

// Experts' first matrices, two in one that read the hidden state, are padded to 128 rows each and 256 columns; what
// reads another width, or is alone, to 256 rows and 128 columns. 100 x 300 of 4 bits with a scale in 32 elements:
// hidden 300: rows of two 256, columns 512: 256 x (256 + 16). Else 256 rows, 384 columns: 256 x (192 + 12).
static void padding_of_mxfp4(void **state)
{
    (void)state;
    static const struct {
        uint32_t hidden, logical;
        uint64_t bytes;
    } rows[] = {{300, 2, 256ULL * (256 + 16)}, {300, 1, 256ULL * (192 + 12)}, {301, 2, 256ULL * (192 + 12)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_matrix matrix = {.role = KVB_ROLE_EXPERTS,
                                          .count = 1,
                                          .rows = 100,
                                          .columns = 300,
                                          .logical = rows[i].logical,
                                          .quantised = true,
                                          .is_expert = true};
        make(1);
        model.hidden_size = rows[i].hidden;
        model.quantisation.method = KVB_QUANT_MXFP4;
        load.mxfp4 = (struct kvb_padding){.intermediate = 128, .hidden = 256};
        assert_int_equal(bytes_of(&matrix), rows[i].bytes);
    }
}

// ---- Tensors

static uint64_t tensor_elements(const struct kvb_layer_kind *kind, const char *name, bool fp32)
{
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    uint64_t elements = 0;
    uint32_t count = kvb_layer_tensors(&model, kind, tensors);
    for (uint32_t i = 0; i < count; i++) {
        bool asked = strcmp(tensors[i].name, name) == 0 && tensors[i].always_fp32 == fp32;
        elements += asked ? tensors[i].rows * tensors[i].columns * tensors[i].count : 0;
    }
    return elements;
}

// Kept in 32 bits whatever the dtype: mamba_mixer.py and mamba_mixer2.py (A; D of the first alone), kda.py (A_log,
// dt_bias), deepseek_v2.py (k_norm of the indexer), deepseek_v4.py (attn_sink, ape), e_score_correction_bias.
static void kept_in_32_bits(void **state)
{
    (void)state;
    static const struct {
        enum kvb_attention kind;
        const char *name;
        bool fp32;
        uint64_t elements;
    } rows[] = {
        {KVB_ATTENTION_MAMBA1, "A", true, 512 * 16},
        {KVB_ATTENTION_MAMBA1, "D", true, 512},
        {KVB_ATTENTION_MAMBA1, "dt_bias", false, 512},
        {KVB_ATTENTION_MAMBA2, "A", true, 8},
        {KVB_ATTENTION_MAMBA2, "D", false, 8},
        {KVB_ATTENTION_KDA, "A_log", true, 8},
        {KVB_ATTENTION_KDA, "dt_bias", true, 8 * 32},
        {KVB_ATTENTION_MLA, "indexer_k_norm", true, 128},
        {KVB_ATTENTION_MLA, "indexer_k_norm_bias", true, 128},
        {KVB_ATTENTION_FULL, "sinks", false, 4},
        {KVB_ATTENTION_KDA, "q_conv1d", false, 4 * 16 * 4},
        {KVB_ATTENTION_KDA, "v_conv1d", false, 8 * 32 * 4},
        {KVB_ATTENTION_FULL, "e_score_correction_bias", true, 8},
        {KVB_ATTENTION_DSV4, "attn_sink", true, 4},
        {KVB_ATTENTION_DSV4, "compressor_ape", true, 4 * 2 * 64 + 4 * 2 * 128},
        {KVB_ATTENTION_DSV4, "extra", true, 100}, // hyper-connections
        {KVB_ATTENTION_MLA, "extra", false, 100},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(1);
        model.kinds[0].attention =
            (struct kvb_attention_shape){.kind = rows[i].kind,
                                         .heads = 4,
                                         .kv_heads = 2,
                                         .head_size = 64,
                                         .value_head_size = 64,
                                         .latent_rank = rows[i].kind == KVB_ATTENTION_MLA ? 64 : 0,
                                         .query_rank = 32,
                                         .compress_ratio = 4,
                                         .output_groups = rows[i].kind == KVB_ATTENTION_DSV4 ? 2 : 0,
                                         .output_rank = 16,
                                         .residual_streams = rows[i].kind == KVB_ATTENTION_DSV4 ? 4 : 0,
                                         .nope_size = 32,
                                         .rope_size = 16,
                                         .has_indexer = true,
                                         .index_heads = 2,
                                         .index_head_size = 128,
                                         .state_key_heads = 4,
                                         .state_key_size = 16,
                                         .state_value_heads = 8,
                                         .state_value_size = 32,
                                         .state_inner_size = 512,
                                         .conv_kernel = 4,
                                         .sinks = true};
        model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                    .experts = 8,
                                                    .experts_per_token = 2,
                                                    .expert_intermediate_size = 32,
                                                    .router_correction_bias = true};
        model.kinds[0].extra_elements = 100;
        uint64_t elements = tensor_elements(&model.kinds[0], rows[i].name, rows[i].fp32);
        if (elements != rows[i].elements) {
            fail_msg("row %zu, %s: %llu", i, rows[i].name, (unsigned long long)elements);
        }
    }
    model.kinds[0].attention.residual_streams = 2; // of the last row: two streams are mixed, one is not
    assert_int_equal(tensor_elements(&model.kinds[0], "extra", true), 100);
    model.kinds[0].attention.residual_streams = 1;
    assert_int_equal(tensor_elements(&model.kinds[0], "extra", false), 100);
}

// A dense network beside the experts has a gate whatever the experts have. One group of states on two ranks: both keep
// B and C, and half of the heads' dt.
static void beside_experts_and_groups(void **state)
{
    (void)state;
    make(1);
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 8,
                                                .experts_per_token = 2,
                                                .intermediate_size = 96,
                                                .expert_intermediate_size = 32};
    assert_int_equal(tensor_elements(&model.kinds[0], "gate_proj", false), 96ULL * 4096);
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    struct kvb_matrix matrix;
    uint64_t rows = 0;
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                                            .state_key_heads = 1,
                                                            .state_key_size = 16,
                                                            .state_value_heads = 8,
                                                            .state_value_size = 32,
                                                            .state_inner_size = 256,
                                                            .conv_kernel = 4};
    load.tp = 2;
    uint32_t count = kvb_layer_tensors(&model, &model.kinds[0], tensors);
    for (uint32_t i = 0; i < count; i++) {
        kvb_tensor_split(&load, &tensors[i], &matrix);
        rows += strncmp(tensors[i].name, "in_", 3) == 0 ? matrix.rows : 0;
    }
    assert_int_equal(rows, 128 + 128 + 16 + 16 + 4);
}

KVB_TEST_MAIN(cmocka_unit_test(segments), cmocka_unit_test(blocks_never_split), cmocka_unit_test(embedding_first),
              cmocka_unit_test(sizes_of_blocks), cmocka_unit_test(experts_made_alone),
              cmocka_unit_test(narrow_matrices), cmocka_unit_test(padding_of_mxfp4), cmocka_unit_test(kept_in_32_bits),
              cmocka_unit_test(beside_experts_and_groups))
