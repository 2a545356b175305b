// Edges of weights on a rank: what stands behind the last of a list, copies of experts, shares that do not divide, sums
// of one layer's experts. Expected values are counted by hand.
#include <string.h>

#include <kvbudget/residents.h>

#include "budget/shapes.h"
#include "budget/weights/weights.h"
#include "budget/weights/weights_checkpoint.h"
#include "unit/kv_models.h"
#include "unit/test.h"

static struct kvb_model model;
static struct kvb_load load;
static struct kvb_weights weights;

static void make(void)
{
    static const struct shape shape = {"small", 2, 4, 2, 64, 0, 0, 0, KVB_ATTENTION_SLIDING, 4096};
    make_model(&shape, &model);
    load = (struct kvb_load){
        .shares_index = true, .model = &model, .tp = 1, .pp = 1, .dp = 1, .pcp = 1, .ep = 1, .exact_allocations = true};
    load.stage_begin[1] = 2;
}

static uint64_t counted(void)
{
    kvb_weights_count(&load, 0, &weights);
    return weights.total_bytes;
}

static void nothing_behind_the_last(void **state)
{
    (void)state;
    make();
    uint64_t bytes = counted();
    model.kinds[1].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2, .heads = 3};
    model.kinds[1].mlp.kind = KVB_MLP_MOE;
    model.extras[0] =
        (struct kvb_extra){.name = "none", .role = KVB_ROLE_OTHER, .rows = 999, .columns = 999, .count = 1};
    assert_false(kvb_model_has_state(&model));
    assert_false(kvb_model_has_experts(&model));
    assert_false(kvb_model_has(&model, KVB_ATTENTION_MAMBA2));
    assert_false(kvb_model_is_mla(&model));
    assert_int_equal(counted(), bytes);
    model.kind_count = 0;
    model.kinds[0].attention.heads = 7;
    assert_int_equal(kvb_model_heads(&model), 0);
}

// Two tensors of one fused matrix, of which only the first is asked for.
static void fused_neighbours(void **state)
{
    (void)state;
    static const struct kvb_tensor tensors[2] = {
        {.name = "q", .role = KVB_ROLE_ATTENTION, .rows = 64, .columns = 256, .count = 1, .fused = 1},
        {.name = "k", .role = KVB_ROLE_ATTENTION, .rows = 32, .columns = 256, .count = 1, .fused = 1}};
    struct kvb_parameter parameters[2];
    make();
    load.dtype = KVB_DTYPE_BF16;
    assert_int_equal(kvb_parameters_of(&load, tensors, 1, parameters), 1);
    assert_int_equal(parameters[0].plain_bytes, 64 * 256 * 2);
    assert_int_equal(kvb_parameters_of(&load, tensors, 2, parameters), 1);
    assert_int_equal(parameters[0].plain_bytes, (64 + 32) * 256 * 2);
}

// A tensor that every rank keeps of all experts is not cut.
static void copies_of_experts(void **state)
{
    (void)state;
    struct kvb_tensor tensor = {.role = KVB_ROLE_EXPERTS, .rows = 64, .columns = 256, .count = 8};
    struct kvb_matrix matrix;
    make();
    load.tp = 2;
    tensor.split = KVB_SPLIT_EXPERTS_COPY;
    kvb_tensor_split(&load, &tensor, &matrix);
    assert_int_equal(matrix.rows, 64);
    assert_int_equal(matrix.columns, 256);
    tensor.split = KVB_SPLIT_EXPERTS_COLUMNS;
    kvb_tensor_split(&load, &tensor, &matrix);
    assert_int_equal(matrix.columns, 128);
    tensor.split = KVB_SPLIT_EXPERTS_ROWS;
    kvb_tensor_split(&load, &tensor, &matrix);
    assert_int_equal(matrix.rows, 32);
    load.ep = 4;
    kvb_tensor_split(&load, &tensor, &matrix);
    assert_int_equal(matrix.count, 2);
    assert_int_equal(matrix.rows, 64);
}

// 10 elements x 3 / 4 = 7; 11 x 3 / 4 = 8.
static void shares_that_do_not_divide(void **state)
{
    (void)state;
    struct kvb_share share = {.matrix = {.count = 1, .rows = 1, .columns = 10}, .all = 4, .here = 3};
    assert_int_equal(kvb_share_elements(&share), 7);
    share.matrix.columns = 11;
    assert_int_equal(kvb_share_elements(&share), 8);
}

// 32-bit biases of experts are vectors; a matrix of two columns is none. 8 x 64 x 2 elements of 2 B.
static void biases_of_experts(void **state)
{
    (void)state;
    struct kvb_matrix matrix = {.role = KVB_ROLE_EXPERTS, .count = 8, .rows = 64, .columns = 2, .is_expert = true};
    struct kvb_parameter parameter;
    make();
    load.dtype = KVB_DTYPE_BF16;
    load.mxfp4.fp32_biases = true;
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.part_bytes[0], 8 * 64 * 2 * 2);
    matrix.columns = 1;
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.part_bytes[0], 8 * 64 * 4);
}

// fp8_utils.py v0.12.0 on ROCm: rows of one byte an element get 256 more where they end on 512 bytes.
static void rows_set_apart(void **state)
{
    (void)state;
    struct kvb_matrix matrix = {
        .role = KVB_ROLE_MLP, .count = 1, .rows = 128, .columns = 256, .logical = 1, .quantised = true};
    struct kvb_parameter parameter;
    make();
    load.dtype = KVB_DTYPE_BF16;
    load.padded_rows = true;
    model.quantisation = (struct kvb_quantisation){
        .method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_BLOCK, .block_rows = 128, .block_columns = 128};
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.part_bytes[0], 128 * 256);
    matrix.columns = 512;
    kvb_parameter_make(&load, &matrix, &parameter);
    assert_int_equal(parameter.part_bytes[0], 128 * (512 + 256));
}

// Mamba 2's in-projection of z, x, B, C and dt has a bias of as many elements: 8192 + 8192 + 2 x 8 x 128 + 128.
static void biases_of_states(void **state)
{
    (void)state;
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    make();
    model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MAMBA2,
                                                            .state_key_heads = 8,
                                                            .state_key_size = 128,
                                                            .state_value_heads = 128,
                                                            .state_value_size = 64,
                                                            .state_inner_size = 8192,
                                                            .conv_kernel = 4,
                                                            .state_bias = true};
    uint64_t vectors = 0, matrices = 0;
    uint32_t count = kvb_layer_tensors(&model, &model.kinds[0], tensors);
    for (uint32_t i = 0; i < count; i++) {
        if (strncmp(tensors[i].name, "in_", 3) == 0) {
            uint64_t *sum = tensors[i].columns == model.hidden_size ? &matrices : &vectors;
            *sum += tensors[i].rows * tensors[i].columns;
        }
    }
    assert_int_equal(vectors, 18560);
    assert_int_equal(matrices, 18560ULL * 4096);
}

// An index that every layer owns, where the engine does not share the choice of an earlier one.
static void indexers_of_all_layers(void **state)
{
    (void)state;
    make();
    struct kvb_attention_shape *shape = &model.kinds[0].attention;
    *shape = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                          .heads = 4,
                                          .query_rank = 128,
                                          .latent_rank = 64,
                                          .nope_size = 32,
                                          .rope_size = 16,
                                          .head_size = 48,
                                          .value_head_size = 32};
    uint64_t plain = counted();
    load.shares_index = false;
    assert_int_equal(counted(), plain);
    shape->index_heads = 2;
    shape->index_head_size = 32;
    uint64_t every = counted();
    load.shares_index = true;
    assert_int_equal(counted(), plain);
    shape->has_indexer = true;
    assert_int_equal(counted(), every);
    assert_true(every > plain);
}

// Eight experts of 2 x 512 x 4096 and 4096 x 512 in 4 bits: 16 MiB and 8 MiB a layer. Laid out anew, the 16 take a
// segment of their own, as no rest is as large, and then serve the 8; half a MiB of scales finds room beside the norms.
static void packed_experts_laid_out_anew(void **state)
{
    (void)state;
    make();
    load.dtype = KVB_DTYPE_BF16;
    load.exact_allocations = false;
    load.counts_device = true;
    model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                .experts = 8,
                                                .experts_per_token = 2,
                                                .expert_intermediate_size = 512,
                                                .expert_gated = true};
    load.stage_begin[1] = 1;
    uint64_t plain = counted();
    load.relays_packed = true;
    assert_int_equal(counted(), plain); // nothing is packed
    model.quantisation = (struct kvb_quantisation){
        .method = KVB_QUANT_WNA16, .bits = 4, .group_size = 128, .scale = KVB_SCALE_GROUP, .symmetric = true};
    uint64_t anew = counted();
    load.relays_packed = false;
    assert_int_equal(anew - counted(), (16 << 20));
}

// layers/rotary_embedding/base.py v0.11.0 _compute_cos_sin_cache: angles, cosines and sines of half a table each, then
// the table, in 32 bits; what is dropped stays the device's. Of 524288 x 128 elements 3 x 128 and 256 MiB, and at 16
// bits a copy of 128 MiB beside them.
static void tables_as_the_device_counts_them(void **state)
{
    (void)state;
    make();
    load.dtype = KVB_DTYPE_BF16;
    load.exact_allocations = false;
    load.counts_device = true;
    load.stage_begin[1] = 0;      // no layer, and no head of its own,
    model.tied_embeddings = true; // takes what was dropped
    model.rope_cache_count = 0;
    uint64_t plain = counted();
    model.rope_cache_count = 1;
    model.rope_caches[0] = (struct kvb_rope_cache){524288, 128};
    assert_int_equal(counted() - plain, (3 * 128 + 256 + 128ULL) << 20);
    load.fp32_rope = true;
    assert_int_equal(counted() - plain, (3 * 128 + 256ULL) << 20);
}

// ZeRO's stages cut the optimizer, then gradients, then weights.
static void stages_of_zero(void **state)
{
    (void)state;
    static const struct {
        enum kvb_sharding sharding;
        bool weights, gradients, optimizer, keeps_root, gathers;
    } rows[] = {
        {KVB_SHARD_NONE, false, false, false, false, false}, {KVB_SHARD_ZERO1, false, false, true, false, false},
        {KVB_SHARD_ZERO2, false, true, true, false, false},  {KVB_SHARD_ZERO3, true, true, true, false, true},
        {KVB_SHARD_FSDP, true, true, true, true, true},      {KVB_SHARD_FSDP2, true, true, true, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_sharding_row *row = kvb_sharding_row_of(rows[i].sharding);
        assert_int_equal(row->weights, rows[i].weights);
        assert_int_equal(row->gradients, rows[i].gradients);
        assert_int_equal(row->optimizer, rows[i].optimizer);
        assert_int_equal(row->keeps_root, rows[i].keeps_root);
        assert_int_equal(row->gathers, rows[i].gathers);
    }
}

// Files that hold up to a hundredth more than the config says hold copies and buffers.
static void totals_near_the_config(void **state)
{
    (void)state;
    make();
    load.dtype = model.dtype = KVB_DTYPE_BF16;
    uint64_t plain = counted(), expected = kvb_model_parameters(&model) * 2;
    model.checkpoint.kind = KVB_CHECKPOINT_INDEX;
    model.checkpoint.total_bytes = expected + expected / 100;
    assert_int_equal(counted(), plain);
    model.checkpoint.total_bytes = expected + expected / 100 + 1;
    assert_int_equal(counted(), plain + expected / 100 + 1);
}

KVB_TEST_MAIN(cmocka_unit_test(nothing_behind_the_last), cmocka_unit_test(fused_neighbours),
              cmocka_unit_test(copies_of_experts), cmocka_unit_test(shares_that_do_not_divide),
              cmocka_unit_test(biases_of_experts), cmocka_unit_test(rows_set_apart), cmocka_unit_test(biases_of_states),
              cmocka_unit_test(indexers_of_all_layers), cmocka_unit_test(packed_experts_laid_out_anew),
              cmocka_unit_test(tables_as_the_device_counts_them), cmocka_unit_test(stages_of_zero),
              cmocka_unit_test(totals_near_the_config))
