// More corners of vLLM: what lifts a refusal by ranks, what a profile need not say, graphs of sizes that were given,
// words that a release does not ask for. By the engine's code at the tags named beside them, or against equal cases.
#include <string.h>

#include "engines/vllm/ladder.h"
#include "engines/vllm/overhead.h"
#include "engines/vllm/v1_oracle.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

// A split that was refused is tried over fewer ranks first, the nearest first, then over more, up to eight.
static void other_ranks(void **state)
{
    (void)state;
    static const char *const refusals[] = {"quantization-shape", "parallel-split"};
    static const uint64_t expected[] = {2, 1, 8};
    uint64_t out[KVB_CANDIDATES_MAX];
    make_llama_plan(&plan, R(12, 0));
    memset(&budget, 0, sizeof budget);
    budget.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE] = (struct kvb_setting_value){4, 1, KVB_ORIGIN_FLAG};
    assert_int_equal(kvb_try_other_ranks(&plan, &budget, out), 0);
    budget.refusal = "lora-rank";
    assert_int_equal(kvb_try_other_ranks(&plan, &budget, out), 0);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        budget.refusal = refusals[i];
        assert_int_equal(kvb_try_other_ranks(&plan, &budget, out), 3);
        assert_memory_equal(out, expected, sizeof expected);
    }
}

// What lifts other refusals, in the order in which it is tried.
static void other_words(void **state)
{
    (void)state;
    static const uint64_t types[] = {KVB_DTYPE_WORD_FP16, KVB_DTYPE_WORD_BF16, KVB_DTYPE_WORD_FP32};
    static const uint64_t ranks[] = {32, 64, 128, 256, 320, 512};
    uint64_t out[KVB_CANDIDATES_MAX];
    make_llama_plan(&plan, R(12, 0));
    memset(&budget, 0, sizeof budget);
    budget.settings.values[KVB_SET_MAX_NUM_SEQS].number = 300;
    budget.settings.values[KVB_SET_MAX_MODEL_LEN].number = 8192;
    budget.refusal = "dtype-float16";
    memset(out, 0xff, sizeof out);
    assert_int_equal(kvb_try_other_dtype(&plan, &budget, out), 3);
    assert_memory_equal(out, types, sizeof types);
    budget.refusal = "quantization-dtype";
    assert_int_equal(kvb_try_other_dtype(&plan, &budget, out), 3);
    budget.refusal = "quantization-config";
    assert_int_equal(kvb_try_other_dtype(&plan, &budget, out), 0);
    budget.refusal = "max-num-batched-tokens";
    memset(out, 0xff, sizeof out);
    assert_int_equal(kvb_try_larger_batch(&plan, &budget, out), 2);
    assert_int_equal(out[0], 300);
    assert_int_equal(out[1], 8192);
    budget.settings.values[KVB_SET_MAX_MODEL_LEN].number = 200;
    assert_int_equal(kvb_try_larger_batch(&plan, &budget, out), 2);
    assert_int_equal(out[1], 300);
    budget.refusal = "lora-rank";
    set(&plan, KVB_SET_MAX_LORA_RANK, 31);
    assert_int_equal(kvb_try_known_rank(&plan, &budget, out), 6);
    assert_memory_equal(out, ranks, sizeof ranks);
    set(&plan, KVB_SET_MAX_LORA_RANK, 32);
    assert_int_equal(kvb_try_known_rank(&plan, &budget, out), 5);
    assert_int_equal(out[0], 64);
    static const uint64_t all_ranks[] = {8, 16, 32, 64, 128, 256, 320, 512}; // MaxLoRARanks, but for 1
    set(&plan, KVB_SET_MAX_LORA_RANK, 7);
    assert_int_equal(kvb_try_known_rank(&plan, &budget, out), 8);
    assert_memory_equal(out, all_ranks, sizeof all_ranks);
    budget.refusal = "max-model-len";
    assert_int_equal(kvb_try_own_length(&plan, &budget, out), 1);
    assert_int_equal(out[0], 131072);
    plan.model.context_tokens = 0;
    assert_int_equal(kvb_try_own_length(&plan, &budget, out), 0);
}

// engine/arg_utils.py v0.9.0, _is_v1_supported_oracle: stages run on V1 with Ray, which a profile may leave out.
static void stages_in_a_profile(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    assert_null(kvb_v1_unsaid(&plan));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 1);
    assert_null(kvb_v1_unsaid(&plan));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    assert_string_equal(kvb_v1_unsaid(&plan), "--distributed-executor-backend ray");
    plan.plain_flags = KVB_PLAIN_RAY; // said
    assert_null(kvb_v1_unsaid(&plan));
    plan.plain_flags = KVB_PLAIN_SERVE_LINE; // a line that does not say it is judged as it is
    assert_null(kvb_v1_unsaid(&plan));
    plan.plain_flags = 0;
    plan.environment.use_v1 = KVB_NO;
    assert_null(kvb_v1_unsaid(&plan));
    plan.environment.use_v1 = KVB_UNSET;
    plan.engine.release = R(9, 1);
    assert_null(kvb_v1_unsaid(&plan));
    plan.engine.release = R(8, 2);
    assert_null(kvb_v1_unsaid(&plan));
}

// Of sizes whose number and largest alone are known, decode steps of fewer sequences have fewer; none where the only
// one is larger than they are (v1/cudagraph_dispatcher.py v0.21.0 initialize_cudagraph_keys).
static uint64_t graphs_of(uint64_t seqs, uint64_t sizes)
{
    struct kvb_estimate estimate;
    make_llama_plan(&plan, R(21, 0));
    plan.environment.estimate_cudagraphs = KVB_YES;
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL_DECODE_ONLY);
    set(&plan, KVB_SET_MAX_NUM_SEQS, seqs);
    set(&plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, sizes);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 512);
    kvb_graph_charged(resolved(&plan), 0, &estimate);
    return estimate.bytes;
}

static void sizes_that_were_given(void **state)
{
    (void)state;
    uint64_t all = graphs_of(512, 64), half = graphs_of(256, 64), one = graphs_of(4, 64);
    assert_true(one > 0 && one < half && half < all);
    assert_true(graphs_of(256, 32) < half);
    assert_int_equal(graphs_of(4, 1), 0);
}

// worker.py v0.6.5 charges what torch holds without using it: what Marlin's repacking leaves is the same of AWQ and
// GPTQ.
static uint64_t left_over(enum kvb_quantisation_method method)
{
    make_llama_plan(&plan, R(6, 6));
    plan.model.quantisation.method = method;
    plan.model.quantisation.bits = method == KVB_QUANT_NONE ? 0 : 4;
    plan.model.quantisation.group_size = 128;
    (void)answer_into(&plan, &budget);
    return (uint64_t)budget.items[KVB_ITEM_NON_TORCH].bytes;
}

static void left_by_repacking(void **state)
{
    (void)state;
    assert_int_equal(left_over(KVB_QUANT_AWQ), left_over(KVB_QUANT_GPTQ));
    assert_int_not_equal(left_over(KVB_QUANT_AWQ), left_over(KVB_QUANT_NONE));
}

// arg_utils.py v0.8.0: BitsAndBytes wants the format of the files said in the line; a profile names no line.
static void formats_of_files(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(8, 0));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
    (void)answer_into(&plan, &budget);
    assert_null(budget.refusal);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;
    (void)answer_into(&plan, &budget);
    assert_string_equal(budget.refusal, "bitsandbytes");
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_LOADS_BITSANDBYTES;
    (void)answer_into(&plan, &budget);
    assert_null(budget.refusal);
}

KVB_TEST_MAIN(cmocka_unit_test(other_words), cmocka_unit_test(other_ranks), cmocka_unit_test(stages_in_a_profile),
              cmocka_unit_test(sizes_that_were_given), cmocka_unit_test(left_by_repacking),
              cmocka_unit_test(formats_of_files))
