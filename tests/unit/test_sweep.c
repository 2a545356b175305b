// A sweep says of every combination what plan says of it, whatever is shared between plans and however many threads
// work.
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_problems problems;

struct all {
    struct kvb_sweep_row *rows;
    uint64_t count, stop_after;
};

static bool take(void *context, const struct kvb_sweep_row *rows, uint32_t count)
{
    struct all *all = context;
    memcpy(all->rows + all->count, rows, count * sizeof *rows);
    all->count += count;
    return all->stop_after == 0 || all->count < all->stop_after;
}

static struct kvb_sweep *make(const char *models, const char *gpus, const char *engines)
{
    char why[256];
    kvb_deployment_init(&deployment);
    kvb_problems_init(&problems);
    struct kvb_sweep *sweep = kvb_sweep_make(&deployment);
    assert_non_null(sweep);
    assert_true(kvb_sweep_vary(sweep, KVB_SWEEP_GPU, KVB_SETTING_COUNT, gpus, why));
    assert_true(kvb_sweep_vary(sweep, KVB_SWEEP_ENGINE, KVB_SETTING_COUNT, engines, why));
    assert_true(kvb_sweep_vary(sweep, KVB_SWEEP_MODEL, KVB_SETTING_COUNT, models, why));
    return sweep;
}

static void vary(struct kvb_sweep *sweep, enum kvb_setting setting, const char *text)
{
    char why[256];
    assert_true(kvb_sweep_vary(sweep, KVB_SWEEP_SETTING, setting, text, why));
}

static struct all run(const struct kvb_sweep *sweep, uint32_t threads, bool naive)
{
    struct all all = {.rows = calloc(kvb_sweep_count(sweep), sizeof *all.rows)};
    assert_non_null(all.rows);
    assert_int_equal(kvb_sweep_run(sweep, threads, naive, take, &all, &problems), KVB_OK);
    assert_int_equal(all.count, kvb_sweep_count(sweep));
    return all;
}

// The same combination asked of plan, by its words.
static void check_row(const struct kvb_sweep *sweep, const struct kvb_sweep_row *row)
{
    static struct kvb_deployment one;
    static struct kvb_plan plan;
    static struct kvb_model draft;
    static struct kvb_model_source source;
    static struct kvb_budget budget;
    one = sweep->deployment;
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        const struct kvb_sweep_axis *axis = &sweep->axes[i];
        const struct kvb_sweep_value *value = &axis->values[kvb_sweep_digit(sweep, i, row->index)];
        if (axis->kind == KVB_SWEEP_SETTING) {
            kvb_settings_set(&one.settings, axis->setting, value->number, KVB_ORIGIN_FLAG);
        } else {
            char *into = axis->kind == KVB_SWEEP_MODEL ? one.model : axis->kind == KVB_SWEEP_GPU ? one.gpu : one.engine;
            (void)strcpy(into, value->text);
        }
    }
    kvb_deployment_take_gpu_count(&one);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_deployment_resolve(&one, &plan, &draft, &source, &problems), KVB_OK);
    bool planned = kvb_budget_compute(&plan, &budget, &problems) == KVB_OK;
    assert_int_equal(row->planned, planned);
    if (!planned) {
        return;
    }
    assert_int_equal(row->verdict, budget.verdict);
    assert_int_equal(row->starts, budget.starts);
    assert_ptr_equal(row->refusal, budget.refusal);
    assert_int_equal(row->gpus, kvb_gpu_count(&budget.settings));
    assert_int_equal(row->weights_bytes, budget.items[KVB_ITEM_WEIGHTS].bytes);
    assert_int_equal(row->requested_bytes, budget.requested_bytes);
    assert_int_equal(row->kv_cache_bytes, budget.items[KVB_ITEM_KV_CACHE].bytes);
    assert_int_equal(row->balance_bytes, budget.balance_bytes);
    assert_int_equal(row->slack_bytes, budget.slack_bytes);
    assert_int_equal(row->tokens, budget.kv.tokens);
    assert_int_equal(row->max_model_len_that_fits, budget.kv.max_model_len_that_fits);
    assert_int_equal(row->max_concurrency_hundredths, budget.kv.max_concurrency_hundredths);
    assert_int_equal(row->max_model_len, budget.settings.values[KVB_SET_MAX_MODEL_LEN].number);
}

static const char models[] = "Qwen/Qwen3-8B,google/gemma-3-27b-it,deepseek-ai/DeepSeek-V2-Lite,openai/gpt-oss-20b,"
                             "Qwen/Qwen3-Next-80B-A3B-Instruct,Qwen/Qwen2.5-VL-7B-Instruct,BAAI/bge-m3,"
                             "meta-llama/Llama-3.1-70B-Instruct,deepseek-ai/DeepSeek-V3.2";

static struct kvb_sweep *wide(void)
{
    struct kvb_sweep *sweep =
        make(models, "l4,2xh100,rtx4090,mi300x", "vllm@0.8.5,vllm@0.11.0,vllm@0.18.0,vllm@0.27.1");
    vary(sweep, KVB_SET_MAX_MODEL_LEN, "2048..131072:x8");
    vary(sweep, KVB_SET_KV_CACHE_DTYPE, "auto,fp8");
    vary(sweep, KVB_SET_ENFORCE_EAGER, "true,false");
    vary(sweep, KVB_SET_MAX_NUM_SEQS, "16,256");
    return sweep;
}

static void rows_say_what_plan_says(void **state)
{
    (void)state;
    struct kvb_sweep *sweep = wide();
    struct all all = run(sweep, 2, false);
    for (uint64_t i = 0; i < all.count; i++) {
        assert_int_equal(all.rows[i].index, i);
        check_row(sweep, &all.rows[i]);
    }
    free(all.rows);
    kvb_sweep_free(sweep);
    sweep = make("Qwen/Qwen3-30B-A3B,moonshotai/Kimi-K2-Instruct", "h200,8xb200", "vllm@0.10.2,vllm");
    vary(sweep, KVB_SET_TENSOR_PARALLEL_SIZE, "1,2,3,8");
    vary(sweep, KVB_SET_PIPELINE_PARALLEL_SIZE, "1,2");
    vary(sweep, KVB_SET_GPU_MEMORY_UTILIZATION, "0.5..0.95:+0.15");
    vary(sweep, KVB_SET_QUANTIZATION, "fp8,awq");
    vary(sweep, KVB_SET_MAX_NUM_BATCHED_TOKENS, "2048,16384");
    all = run(sweep, 3, false);
    for (uint64_t i = 0; i < all.count; i++) {
        check_row(sweep, &all.rows[i]);
    }
    free(all.rows);
    kvb_sweep_free(sweep);
}

// Engines share rows of a sweep, and what they work out once is their own.
static void rows_of_other_engines_say_it_too(void **state)
{
    (void)state;
    struct kvb_sweep *sweep = make("Qwen/Qwen3-8B,google/gemma-3-12b-it,openai/gpt-oss-20b", "l4,2xh100,rtx4090",
                                   "sglang@0.4.6,sglang,llama.cpp,generic,vllm");
    vary(sweep, KVB_SET_MAX_MODEL_LEN, "4096,32768");
    struct all all = run(sweep, 2, false);
    for (uint64_t i = 0; i < all.count; i++) {
        check_row(sweep, &all.rows[i]);
    }
    free(all.rows);
    kvb_sweep_free(sweep);
}

// Nothing that is kept from one plan to the next changes an answer, nor does the number of threads.
static void sharing_changes_nothing(void **state)
{
    (void)state;
    struct kvb_sweep *sweep = wide();
    struct all shared = run(sweep, 1, false), naive = run(sweep, 4, true);
    assert_memory_equal(shared.rows, naive.rows, shared.count * sizeof *shared.rows);
    free(shared.rows);
    free(naive.rows);
    kvb_sweep_free(sweep);
}

// A longer request never runs more often, more utilization never makes the pool smaller.
static void monotone_figures_are_monotone(void **state)
{
    (void)state;
    struct kvb_sweep *sweep = make("Qwen/Qwen3-8B,google/gemma-3-12b-it", "l40s", "vllm");
    vary(sweep, KVB_SET_GPU_MEMORY_UTILIZATION, "0.6..0.95:+0.05");
    vary(sweep, KVB_SET_MAX_MODEL_LEN, "1024..32768:+1024");
    struct all all = run(sweep, 2, false);
    uint32_t lengths = sweep->axes[sweep->axis_count - 1].count;
    for (uint64_t i = 1; i < all.count; i++) {
        if (i % lengths != 0) {
            assert_true(all.rows[i].max_concurrency_hundredths <= all.rows[i - 1].max_concurrency_hundredths);
        }
        if (i >= lengths && kvb_sweep_digit(sweep, 3, i) > 0) {
            assert_true(all.rows[i].kv_cache_bytes >= all.rows[i - lengths].kv_cache_bytes);
        }
    }
    free(all.rows);
    kvb_sweep_free(sweep);
}

static void stops_when_told(void **state)
{
    (void)state;
    struct kvb_sweep *sweep = make("Qwen/Qwen3-8B", "l4", "vllm");
    vary(sweep, KVB_SET_MAX_MODEL_LEN, "1000..8000:+16");
    vary(sweep, KVB_SET_MAX_NUM_SEQS, "1..64:+1");
    struct all all = {.rows = calloc(kvb_sweep_count(sweep), sizeof *all.rows), .stop_after = 1000};
    assert_int_equal(kvb_sweep_run(sweep, 2, false, take, &all, &problems), KVB_OK);
    assert_true(all.count >= 1000 && all.count < 3000);
    free(all.rows);
    kvb_sweep_free(sweep);
}

static void lists_and_ranges(void **state)
{
    (void)state;
    static const struct {
        enum kvb_setting setting;
        const char *text;
        uint32_t count;
        uint64_t last;
    } good[] = {
        {KVB_SET_MAX_MODEL_LEN, "8k..128k:x2", 5, 128000},
        {KVB_SET_MAX_MODEL_LEN, "8K..128K", 5, 131072},
        {KVB_SET_MAX_MODEL_LEN, "4096,8k..10k:+1000,auto", 5, KVB_AUTO},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0.8..0.95:+0.05", 4, 950000},
        {KVB_SET_KV_CACHE_DTYPE, "auto,fp8", 2, KVB_KV_FP8},
        {KVB_SET_TENSOR_PARALLEL_SIZE, "1,2,4", 3, 4},
        {KVB_SET_ENFORCE_EAGER, "true,false", 2, 0},
    };
    static const struct {
        enum kvb_setting setting;
        const char *text, *why;
    } bad[] = {
        {KVB_SET_MAX_MODEL_LEN, "8k,", "a value is empty; expected values with commas between them"},
        {KVB_SET_MAX_MODEL_LEN, "16k..8k", "'16k..8k' is no range; the first is the smaller one"},
        {KVB_SET_MAX_MODEL_LEN, "8k..16k:x1", "'x1' is no step of a range; expected such as x2 or +1"},
        {KVB_SET_MAX_MODEL_LEN, "8k,8000", "'8000' is there twice"},
        {KVB_SET_KV_CACHE_DTYPE, "auto..fp8",
         "kv_cache_dtype takes words, which have no range; expected a list with commas"},
        {KVB_SET_MAX_MODEL_LEN, "1000..1000000:+1", "these are more than 1024 values"},
    };
    char why[256];
    kvb_deployment_init(&deployment);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct kvb_sweep *sweep = kvb_sweep_make(&deployment);
        assert_true(kvb_sweep_vary(sweep, KVB_SWEEP_SETTING, good[i].setting, good[i].text, why));
        assert_int_equal(sweep->axes[0].count, good[i].count);
        assert_int_equal(sweep->axes[0].values[good[i].count - 1].number, good[i].last);
        kvb_sweep_free(sweep);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct kvb_sweep *sweep = kvb_sweep_make(&deployment);
        assert_false(kvb_sweep_vary(sweep, KVB_SWEEP_SETTING, bad[i].setting, bad[i].text, why));
        assert_string_equal(why, bad[i].why);
        kvb_sweep_free(sweep);
    }
}

static void conditions(void **state)
{
    (void)state;
    const struct kvb_sweep_row row = {.verdict = KVB_FITS,
                                      .tokens = 1000,
                                      .max_concurrency_hundredths = 812,
                                      .kv_cache_bytes = 12 * (int64_t)KVB_GIB,
                                      .slack_bytes = -1};
    static const struct {
        const char *text;
        bool holds;
    } rows[] = {{"concurrency >= 8.12", true}, {"concurrency>8.12", false}, {"pool = 12GiB", true},
                {"pool < 13GB", true},         {"slack >= 0", false},       {"verdict = fits", true},
                {"verdict != tight", true},    {"tokens <= 1k", true},      {"length > 1", false}};
    struct kvb_sweep_condition condition;
    char why[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(kvb_sweep_condition_parse(rows[i].text, &condition, why));
        assert_int_equal(kvb_sweep_condition_holds(&condition, &row), rows[i].holds);
    }
    static const char *const wrong[] = {"", "concurrency", "speed > 1", "pool >> 1", "pool > big", "verdict = maybe"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(kvb_sweep_condition_parse(wrong[i], &condition, why));
        assert_non_null(strstr(why, "is no condition; expected such as"));
    }
}

KVB_TEST_MAIN(cmocka_unit_test(rows_say_what_plan_says), cmocka_unit_test(rows_of_other_engines_say_it_too),
              cmocka_unit_test(sharing_changes_nothing), cmocka_unit_test(monotone_figures_are_monotone),
              cmocka_unit_test(stops_when_told), cmocka_unit_test(lists_and_ranges), cmocka_unit_test(conditions))
