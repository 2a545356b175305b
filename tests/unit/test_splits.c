// Parallel splits: what each release refuses, in which words, and how layers are dealt out to stages.
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_problems problems;

static void refused(const char *text)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_string_equal(budget.error, text);
    assert_string_equal(budget.refusal, "parallel-split");
    assert_false(budget.starts);
    assert_true(budget.uncounted);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
}

static void heads_and_vocabulary(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 3);
    refused("Total number of attention heads (32) must be divisible by tensor parallel size (3).");
    // 32000 rows are a multiple of 64 but not of 3: 36 heads / 3 pass, the vocabulary does not
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].attention.heads = 36;
    plan.model.vocabulary_size = 31999;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 3);
    refused("31999 vocabulary rows, padded to a multiple of 64, is not divisible by 3.");
}

// KV heads: more ranks than heads replicate them, when the ranks are a multiple; else the heads must be one.
static void key_value_heads(void **state)
{
    (void)state;
    static const struct {
        uint32_t heads, kv_heads, tp;
        bool splits;
    } rows[] = {{32, 8, 8, true}, {32, 8, 16, true}, {32, 6, 4, false}, {32, 3, 8, false}, {32, 0, 4, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.kinds[0].attention.heads = rows[i].heads;
        plan.model.kinds[0].attention.kv_heads = rows[i].kv_heads;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        kvb_problems_init(&problems);
        bool splits = kvb_budget_compute(&plan, &budget, &problems) == KVB_OK && !budget.uncounted;
        assert_int_equal(splits, rows[i].splits);
    }
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].attention.kv_heads = 6;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    refused("6 key/value heads cannot be split over --tensor-parallel-size 4: one must be a multiple of the other.");
    for (unsigned i = 0; i < 2; i++) { // of windows and of chunks
        make_llama_plan(&plan, R(19, 0));
        plan.model.kinds[0].attention.kind = i == 0 ? KVB_ATTENTION_SLIDING : KVB_ATTENTION_CHUNKED;
        plan.model.kinds[0].attention.window_tokens = 1024;
        plan.model.kinds[0].attention.kv_heads = 6;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
        refused(
            "6 key/value heads cannot be split over --tensor-parallel-size 4: one must be a multiple of the other.");
    }
}

static void make_experts(uint32_t experts, uint32_t width)
{
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                     .experts = experts,
                                                     .experts_per_token = 2,
                                                     .expert_intermediate_size = width,
                                                     .expert_gated = true};
}

static void experts(void **state)
{
    (void)state;
    make_experts(8, 1001);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    refused("The expert intermediate size (1001) is not divisible by tensor parallel size (2); "
            "--enable-expert-parallel splits whole experts instead.");
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    (void)answer_into(&plan, &budget);
    make_experts(8, 1024);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 4);
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    refused("8 experts cannot be spread over 16 expert-parallel ranks.");
}

static void too_many_stages(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 33);
    refused("32 layers cannot be split over --pipeline-parallel-size 33; at most 32 stages hold a layer each.");
    plan.model.layer_count = 200;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 65);
    refused("200 layers cannot be split over --pipeline-parallel-size 65; at most 64 stages hold a layer each.");
}

static void stated_partition(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    plan.environment.layer_partition_count = 2;
    plan.environment.layer_partition[0] = 20;
    plan.environment.layer_partition[1] = 12;
    const struct kvb_context *context = resolved(&plan);
    assert_int_equal(context->stage_begin[1], 20);
    assert_int_equal(context->stage_begin[2], 32);
    assert_int_equal(context->stage_begin[3], 0); // of no stage
    plan.environment.layer_partition[1] = 11;
    refused("VLLM_PP_LAYER_PARTITION names 2 stages with 31 layers in all; 2 stages and 32 layers are expected.");
    plan.environment.layer_partition_count = 3;
    plan.environment.layer_partition[2] = 1;
    refused("VLLM_PP_LAYER_PARTITION names 3 stages with 32 layers in all; 2 stages and 32 layers are expected.");
}

// 34 layers on 4 stages: before 0.8 the rest of 2 goes to the last (8 8 8 10), later one each to the stages
// before it (8 9 9 8).
static void dealing_out_layers(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint16_t begin[5];
    } rows[] = {{R(7, 3), {0, 8, 16, 24, 34}}, {R(8, 0), {0, 8, 17, 26, 34}}};
    for (size_t i = 0; i < 2; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.layer_count = 34;
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 4);
        const struct kvb_context *context = resolved(&plan);
        for (uint32_t stage = 0; stage <= 4; stage++) {
            assert_int_equal(context->stage_begin[stage], rows[i].begin[stage]);
        }
    }
}

// Encoder-only shapes and layers without heads do not hinder a split.
static void no_heads_to_split(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_NONE};
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.needed_bytes, 0);
    assert_true(budget.starts);
}

KVB_TEST_MAIN(cmocka_unit_test(heads_and_vocabulary), cmocka_unit_test(key_value_heads), cmocka_unit_test(experts),
              cmocka_unit_test(too_many_stages), cmocka_unit_test(stated_partition),
              cmocka_unit_test(dealing_out_layers), cmocka_unit_test(no_heads_to_split))
