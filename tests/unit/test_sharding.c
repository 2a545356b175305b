// What one rank holds of a tensor, and how neighbours become one parameter, by hand.
#include "budget/weights/weights.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

struct split_row {
    const char *what;
    enum kvb_split split;
    uint64_t rows, columns;
    uint32_t count, heads;
    uint64_t tp, dp;
    bool expert_parallel;
    uint64_t wanted_count, wanted_rows, wanted_columns;
};

static const struct split_row split_rows[] = {
    {"copied", KVB_SPLIT_COPY, 4096, 1, 1, 0, 4, 1, false, 1, 4096, 1},
    {"a count of 0 is 1", KVB_SPLIT_COPY, 4096, 1, 0, 0, 4, 1, false, 1, 4096, 1},
    {"output dimension", KVB_SPLIT_ROWS, 14336, 4096, 1, 0, 4, 1, false, 1, 3584, 4096},
    {"output dimension, uneven", KVB_SPLIT_ROWS, 10, 8, 1, 0, 4, 1, false, 1, 3, 8},
    {"input dimension", KVB_SPLIT_COLUMNS, 4096, 14336, 1, 0, 4, 1, false, 1, 4096, 3584},
    {"a bias beside it is copied", KVB_SPLIT_COLUMNS, 4096, 1, 1, 0, 4, 1, false, 1, 4096, 1},
    // 8 heads of 128: 2 on each of 4 ranks, 1 on each of 8 and of 16
    {"KV heads", KVB_SPLIT_KV, 1024, 4096, 1, 8, 4, 1, false, 1, 256, 4096},
    {"one each", KVB_SPLIT_KV, 1024, 4096, 1, 8, 8, 1, false, 1, 128, 4096},
    {"replicated", KVB_SPLIT_KV, 1024, 4096, 1, 8, 16, 1, false, 1, 128, 4096},
    {"heads not known", KVB_SPLIT_KV, 1024, 4096, 1, 0, 4, 1, false, 1, 256, 4096},
    // 151,655 rows are padded to 151,680
    {"vocabulary", KVB_SPLIT_VOCABULARY, 151655, 1024, 1, 0, 4, 1, false, 1, 37920, 1024},
    // Mamba: 8 groups of 128 halve over 2; over 16 ranks each holds one
    {"groups", KVB_SPLIT_GROUPS, 1024, 4096, 1, 8, 2, 1, false, 1, 512, 4096},
    {"groups replicated", KVB_SPLIT_GROUPS, 1024, 4096, 1, 8, 16, 1, false, 1, 128, 4096},
    {"groups not known", KVB_SPLIT_GROUPS, 1024, 4096, 1, 0, 2, 1, false, 1, 512, 4096},
    // 128 experts of 768 x 2048
    {"expert rows", KVB_SPLIT_EXPERTS_ROWS, 768, 2048, 128, 0, 4, 1, false, 128, 192, 2048},
    {"expert rows, data parallel", KVB_SPLIT_EXPERTS_ROWS, 768, 2048, 128, 0, 2, 2, false, 128, 192, 2048},
    {"expert columns", KVB_SPLIT_EXPERTS_COLUMNS, 2048, 768, 128, 0, 4, 1, false, 128, 2048, 192},
    {"expert bias", KVB_SPLIT_EXPERTS_COLUMNS, 2048, 1, 128, 0, 4, 1, false, 128, 2048, 1},
    {"expert copy", KVB_SPLIT_EXPERTS_COPY, 2048, 1, 128, 0, 4, 1, false, 128, 2048, 1},
    {"whole experts", KVB_SPLIT_EXPERTS_ROWS, 768, 2048, 128, 0, 4, 1, true, 32, 768, 2048},
    {"whole experts, uneven", KVB_SPLIT_EXPERTS_COLUMNS, 2048, 768, 130, 0, 4, 1, true, 33, 2048, 768},
};

static void use_experts(bool parallel, uint64_t tp, uint64_t dp)
{
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].attention.kv_heads = 8;
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 128, .experts_per_token = 8, .expert_intermediate_size = 768};
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, tp);
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, dp);
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, parallel);
}

static void splits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof split_rows / sizeof split_rows[0]; i++) {
        const struct split_row *row = &split_rows[i];
        use_experts(row->expert_parallel, row->tp, row->dp);
        struct kvb_tensor tensor = {.name = row->what,
                                    .split = row->split,
                                    .rows = row->rows,
                                    .columns = row->columns,
                                    .count = row->count,
                                    .heads = row->heads};
        struct kvb_matrix matrix;
        kvb_tensor_split(loaded(&plan), &tensor, &matrix);
        if (matrix.count != row->wanted_count || matrix.rows != row->wanted_rows ||
            matrix.columns != row->wanted_columns) {
            fail_msg("%s: %llu of %llu x %llu", row->what, (unsigned long long)matrix.count,
                     (unsigned long long)matrix.rows, (unsigned long long)matrix.columns);
        }
    }
}

// q 4096 rows, k and v 1024 each: one parameter of 6144 x 4096 x 2 B made of three matrices; its neighbour with
// another number stays apart. An adapter of rank 1 has 3 x 4096 + 6144 elements.
static void fused_neighbours(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    struct kvb_tensor tensors[4];
    static const uint64_t rows[4] = {4096, 1024, 1024, 4096};
    for (int i = 0; i < 4; i++) {
        tensors[i] = (struct kvb_tensor){
            .split = KVB_SPLIT_ROWS, .rows = rows[i], .columns = 4096, .count = 1, .quantised = true};
        tensors[i].fused = i < 3 ? 1 : 0;
    }
    struct kvb_parameter parameters[4];
    assert_int_equal(kvb_parameters_of(loaded(&plan), tensors, 4, parameters), 2);
    assert_int_equal(parameters[0].part_bytes[0], 6144ULL * 4096 * 2);
    assert_int_equal(parameters[0].lora_elements_per_rank, 3 * 4096 + 6144);
    assert_int_equal(parameters[1].part_bytes[0], 4096ULL * 4096 * 2);
}

KVB_TEST_MAIN(cmocka_unit_test(splits), cmocka_unit_test(fused_neighbours))
