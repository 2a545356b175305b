// SGLang's verdict on both sides of each of its bounds, to the byte, and what a plan publishes of its settings. What is
// stated of one term moves the sum; the bounds are those of the plan itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/context.h"
#include "unit/sglang_plan.h"

static void state_term(enum kvb_stated which, int64_t bytes)
{
    plan.stated[which].set = true;
    plan.stated[which].bytes = (uint64_t)bytes;
    again();
}

// The pool less what its bounds take away holds what is needed: fits; the pool itself: tight; and no byte more.
static void needs(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--mem-fraction-static 0.8");
    const struct kvb_term pool = budget.items[KVB_ITEM_KV_CACHE];
    assert_true(pool.low_bytes < pool.bytes && pool.low_bytes > 0);
    static const struct {
        bool whole;
        int64_t more;
        enum kvb_verdict verdict;
    } rows[] = {
        {false, 0, KVB_FITS},
        {false, 1, KVB_TIGHT},
        {true, 0, KVB_TIGHT},
        {true, 1, KVB_DOES_NOT_FIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t needed = (rows[i].whole ? pool.bytes : pool.low_bytes) + rows[i].more;
        state_term(KVB_STATED_KV_NEED, needed);
        assert_int_equal(budget.verdict, rows[i].verdict);
        assert_int_equal(budget.needed_bytes, needed);
        assert_int_equal(budget.balance_bytes, pool.bytes - needed);
        assert_true(budget.starts);
    }
}

// What is left outside the share, likely: to the last byte it fits, a byte more and it is tight, with a warning.
static void slack(void **state)
{
    (void)state;
    static const char warning[] = "may be too little for tables, graphs and a prefill";
    compute("sglang@0.5.12", "h100-sxm", Q3 "--mem-fraction-static 0.8");
    int64_t graphs = budget.beside[KVB_BESIDE_GRAPHS].bytes + budget.slack_bytes;
    assert_int_equal(budget.verdict, KVB_FITS);
    state_term(KVB_STATED_CUDA_GRAPH, graphs);
    assert_int_equal(budget.slack_bytes, 0);
    assert_int_equal(budget.verdict, KVB_FITS);
    assert_null(said(warning));
    state_term(KVB_STATED_CUDA_GRAPH, graphs + 1);
    assert_int_equal(budget.slack_bytes, -1);
    assert_int_equal(budget.verdict, KVB_TIGHT);
    assert_non_null(said(warning));
}

// What is left where least is gone before, against the least that comes behind.
static void room(void **state)
{
    (void)state;
    struct kvb_sgl_context context;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--mem-fraction-static 0.8");
    kvb_sgl_context_init(&plan, &context);
    int64_t left = (int64_t)kvb_sgl_outside(kvb_sgl_before(&context).high_bytes, context.defaults.fraction_ppb);
    left -= budget.beside[KVB_BESIDE_TABLES].low_bytes + budget.beside[KVB_BESIDE_ACTIVATION].low_bytes;
    state_term(KVB_STATED_CUDA_GRAPH, left);
    assert_true(budget.starts);
    assert_int_equal(budget.kv.max_model_len_that_fits, plan.model.context_tokens); // nothing to shorten
    state_term(KVB_STATED_CUDA_GRAPH, left + 1);
    assert_false(budget.starts);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_string_equal(budget.error, "Capture cuda graph failed: CUDA out of memory.");
    plan.gpu.unified_memory = true; // takes the system's
    again();
    assert_true(budget.starts);
    plan.gpu.unified_memory = false;
    plan.platform = KVB_PLATFORM_WSL2;
    again();
    assert_true(budget.starts);
}

// The longest length whose tables have room starts when it is asked for, and the next does not.
static void longest(void **state)
{
    (void)state;
    static const char words[] = "meta-llama/Llama-3.2-1B-Instruct --mem-fraction-static 0.975 "
                                "--cuda-graph-max-bs 4 --chunked-prefill-size 512 --context-length ";
    char line[256];
    (void)snprintf(line, sizeof line, "%s8192", words);
    compute("sglang@0.5.12", "h100-sxm", line);
    uint64_t most = budget.kv.max_model_len_that_fits;
    assert_in_range(most, 8193, 131070);
    (void)snprintf(line, sizeof line, "%s%u", words, (unsigned)most);
    compute("sglang@0.5.12", "h100-sxm", line);
    assert_true(budget.starts);
    assert_int_equal(budget.kv.max_model_len_that_fits, most);
    (void)snprintf(line, sizeof line, "%s%u", words, (unsigned)most + 1);
    compute("sglang@0.5.12", "h100-sxm", line);
    assert_false(budget.starts);
}

// Weights that take all but nothing of the card are loaded, and refused by the pool; more is not loaded.
static void loads(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3);
    int64_t before = (int64_t)budget.free_bytes;
    state_term(KVB_STATED_WEIGHTS, before);
    assert_string_equal(budget.error, "Not enough memory. Please try to increase --mem-fraction-static. Current value: "
                                      "mem_fraction_static=0.83");
    state_term(KVB_STATED_WEIGHTS, before + 1);
    assert_string_equal(budget.error, "torch.OutOfMemoryError: CUDA out of memory.");
    assert_false(budget.starts);
}

// A request as long as the pool runs, by the engine's own division; one of a token more never does. gpt-oss has
// windows: a token takes a fraction of a byte.
static void as_long_as_the_pool(void **state)
{
    (void)state;
    static const char words[] = OSS "--mem-fraction-static 0.75 --context-length ";
    char line[128];
    (void)snprintf(line, sizeof line, "%s4096", words);
    compute("sglang@0.5.12", "rtx4090", line);
    uint64_t tokens = budget.kv.tokens;
    assert_in_range(tokens, 4097, 131071);
    (void)snprintf(line, sizeof line, "%s%u", words, (unsigned)tokens);
    compute("sglang@0.5.12", "rtx4090", line);
    assert_int_equal(budget.kv.tokens, tokens);
    assert_true(budget.balance_bytes >= 0);
    assert_true(budget.verdict != KVB_DOES_NOT_FIT);
    assert_int_equal(budget.kv.really_needed_bytes, budget.needed_bytes);
    assert_null(said("It starts although the pool holds"));
    (void)snprintf(line, sizeof line, "%s%u", words, (unsigned)tokens + 1);
    compute("sglang@0.5.12", "rtx4090", line);
    assert_true(budget.starts);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_non_null(said("It starts although the pool holds"));
}

// The stage with the fewest tokens holds for all. Of 36 layers over 5 stages the last has 8 and the head, and the pool
// of the others is larger; of stages that are alike the first is named.
static void tightest(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--pp-size 5");
    assert_int_equal(budget.tightest_stage, 4);
    uint64_t last = budget.weights.total_bytes;
    assert_int_equal(budget.kv.groups[0].layers, 8);
    compute("sglang@0.5.12", "h100-sxm", "meta-llama/Llama-3.1-8B-Instruct --pp-size 3"); // 10, 11 and 11 layers
    assert_int_equal(budget.kv.groups[0].layers, 11);
    resolve("sglang@0.5.12", "h100-sxm", "google/gemma-3-27b-it --pp-size 4"); // embeddings are wide: the first
    again();
    struct kvb_sgl_context context;
    struct kvb_weights weights;
    kvb_sgl_context_init(&plan, &context);
    kvb_sgl_weights(&context, budget.tightest_stage, &weights);
    assert_int_equal(budget.weights.total_bytes, weights.total_bytes);
    assert_true(last > 0);
}

static uint64_t shown(enum kvb_setting setting)
{
    assert_int_equal(budget.settings.values[setting].set, 1);
    return budget.settings.values[setting].number;
}

// What a start takes where nobody says: server_args.py 0.5.12 on an H100 (81,559 MiB), tests of the same name hold the
// share; 0.83 of what is free is asked for.
static void published(void **state)
{
    (void)state;
    char words[64];
    compute("sglang@0.5.12", "h100-sxm", Q3 "--context-length 32768");
    (void)snprintf(words, sizeof words, "0.83 x %.2f GiB free before loading", (double)budget.free_bytes / 1073741824);
    assert_string_equal(budget.requested_as, words);
    assert_int_equal(budget.share_of_bytes, budget.free_bytes);
    assert_int_equal(shown(KVB_SET_GPU_MEMORY_UTILIZATION), 830000);
    assert_int_equal(shown(KVB_SET_MAX_MODEL_LEN), 32768);
    assert_int_equal(shown(KVB_SET_MAX_NUM_SEQS), 4096);
    assert_int_equal(shown(KVB_SET_MAX_NUM_BATCHED_TOKENS), 8192);
    assert_int_equal(shown(KVB_SET_ENABLE_CHUNKED_PREFILL), 1);
    assert_int_equal(shown(KVB_SET_TENSOR_PARALLEL_SIZE), 1);
    assert_int_equal(shown(KVB_SET_PIPELINE_PARALLEL_SIZE), 1);
    assert_int_equal(shown(KVB_SET_DATA_PARALLEL_SIZE), 1);
    assert_int_equal(shown(KVB_SET_ENABLE_DP_ATTENTION), 0);
    assert_int_equal(shown(KVB_SET_DTYPE), KVB_DTYPE_WORD_BF16);
    assert_int_equal(shown(KVB_SET_BLOCK_SIZE), 1);
    assert_int_equal(shown(KVB_SET_ENFORCE_EAGER), 0);
    assert_int_equal(shown(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE), 256);
    assert_int_equal(shown(KVB_SET_ENABLE_PREFIX_CACHING), 1);
    assert_int_equal(budget.settings.values[KVB_SET_NUM_SPECULATIVE_TOKENS].set, 0);
    assert_int_equal(budget.settings.values[KVB_SET_MAX_NUM_SEQS].origin, KVB_ORIGIN_DEFAULT);
    assert_int_equal(budget.settings.values[KVB_SET_MAX_MODEL_LEN].origin, KVB_ORIGIN_COMMAND);
    compute("sglang@0.5.12", "h200",
            "deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 4 --enable-dp-attention --max-running-requests 100 "
            "--chunked-prefill-size -1 --disable-radix-cache --disable-cuda-graph --speculative-algorithm EAGLE");
    assert_int_equal(shown(KVB_SET_MAX_NUM_SEQS), 100); // 25 of each group
    assert_int_equal(shown(KVB_SET_MAX_NUM_BATCHED_TOKENS), 0);
    assert_int_equal(shown(KVB_SET_ENABLE_CHUNKED_PREFILL), 0);
    assert_int_equal(shown(KVB_SET_TENSOR_PARALLEL_SIZE), 8);
    assert_int_equal(shown(KVB_SET_DATA_PARALLEL_SIZE), 4);
    assert_int_equal(shown(KVB_SET_ENABLE_DP_ATTENTION), 1);
    assert_int_equal(shown(KVB_SET_ENFORCE_EAGER), 1);
    assert_int_equal(shown(KVB_SET_ENABLE_PREFIX_CACHING), 0);
    assert_int_equal(shown(KVB_SET_NUM_SPECULATIVE_TOKENS), 4);
    compute("sglang@0.5.12", "rtx4090", LLAMA "--mem-fraction-static 0.5"); // no pool, no requests
    assert_int_equal(budget.settings.values[KVB_SET_MAX_NUM_SEQS].set, 0);
    // arg_groups/deepseek_v4_hook.py: 256 requests, pages of 256 tokens
    compute("sglang@0.5.16", "h200", V4);
    assert_int_equal(shown(KVB_SET_MAX_NUM_SEQS), 256);
    assert_int_equal(shown(KVB_SET_BLOCK_SIZE), 256);
    compute("sglang@0.5.16", "h200", V4 "--max-running-requests 64");
    assert_int_equal(shown(KVB_SET_MAX_NUM_SEQS), 64);
}

KVB_TEST_MAIN(cmocka_unit_test(needs), cmocka_unit_test(slack), cmocka_unit_test(room), cmocka_unit_test(longest),
              cmocka_unit_test(as_long_as_the_pool), cmocka_unit_test(loads), cmocka_unit_test(tightest),
              cmocka_unit_test(published))
