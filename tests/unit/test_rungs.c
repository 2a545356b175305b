// What is tried when a start of llama.cpp, Ollama or SGLang does not fit: the candidates of each rung, by hand, and
// what each rung is (for other hardware, against a belief).
#include <stdio.h>
#include <string.h>

#include "budget/shapes.h"
#include "engines/llamacpp/ladder.h"
#include "engines/sglang/ladder.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

struct rung_row {
    enum kvb_setting setting;
    bool last_resort, warns;
};

static const struct kvb_rung *rungs;
static size_t rung_count;

static void check_rungs(const struct rung_row *rows, size_t count)
{
    assert_int_equal(rung_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rungs[i].setting, rows[i].setting);
        assert_int_equal(rungs[i].last_resort, rows[i].last_resort);
        assert_int_equal(rungs[i].warns, rows[i].warns);
        assert_false(rungs[i].removes);
    }
}

static void now(enum kvb_setting setting, uint64_t number)
{
    budget.settings.values[setting] = (struct kvb_setting_value){.number = number, .set = 1};
}

// "a b c" of the first rung of the setting.
static void tries(enum kvb_setting setting, size_t which, const char *expected)
{
    uint64_t out[KVB_CANDIDATES_MAX] = {0};
    char text[256] = "";
    size_t i = 0;
    while (rungs[i].setting != setting || which-- > 0) {
        i++;
    }
    uint32_t count = rungs[i].candidates(&plan, &budget, out);
    for (uint32_t at = 0; at < count; at++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%llu", at > 0 ? " " : "", (unsigned long long)out[at]);
    }
    if (strcmp(text, expected) != 0) {
        fail_msg("setting %u: '%s', not '%s'", setting, text, expected);
    }
}

static void start(const struct kvb_rung *(*of)(size_t *count))
{
    make_llama_plan(&plan, R(19, 0));
    memset(&budget, 0, sizeof budget);
    rungs = of(&rung_count);
}

// ---- llama.cpp and Ollama

static void rungs_of_llamacpp(void **state)
{
    (void)state;
    static const struct rung_row rows[] = {
        {KVB_SET_FLASH_ATTENTION, false, false},    {KVB_SET_UBATCH_SIZE, false, false},
        {KVB_SET_CACHE_TYPE_K, false, false},       {KVB_SET_CACHE_TYPE_V, false, false},
        {KVB_SET_MAX_NUM_SEQS, false, false},       {KVB_SET_MAX_MODEL_LEN, false, false},
        {KVB_SET_CPU_MOE_LAYERS, false, false},     {KVB_SET_GPU_LAYERS, false, false},
        {KVB_SET_TENSOR_PARALLEL_SIZE, true, false}};
    static const struct rung_row ollama[] = {
        {KVB_SET_UBATCH_SIZE, false, false},  {KVB_SET_CACHE_TYPE_K, false, false},
        {KVB_SET_MAX_NUM_SEQS, false, false}, {KVB_SET_MAX_MODEL_LEN, false, false},
        {KVB_SET_GPU_LAYERS, false, false},   {KVB_SET_TENSOR_PARALLEL_SIZE, true, false}};
    start(kvb_ollama_rungs);
    check_rungs(ollama, sizeof ollama / sizeof ollama[0]);
    start(kvb_llamacpp_rungs);
    check_rungs(rows, sizeof rows / sizeof rows[0]);
}

static void caches_and_graphs_of_llamacpp(void **state)
{
    (void)state;
    start(kvb_llamacpp_rungs);
    char eight[16], four[16], both[40];
    (void)snprintf(eight, sizeof eight, "%u", (unsigned)KVB_GGUF_Q8_0);
    (void)snprintf(four, sizeof four, "%u", (unsigned)KVB_GGUF_Q4_0);
    (void)snprintf(both, sizeof both, "%s %s", eight, four);
    static const uint64_t wide[] = {KVB_GGUF_F16, KVB_GGUF_F32, KVB_GGUF_BF16};
    now(KVB_SET_FLASH_ATTENTION, KVB_OFF);
    for (size_t i = 0; i < 3; i++) { // keys without flash attention too, values with it alone
        now(KVB_SET_CACHE_TYPE_K, wide[i]);
        now(KVB_SET_CACHE_TYPE_V, wide[i]);
        tries(KVB_SET_CACHE_TYPE_K, 0, both);
        tries(KVB_SET_CACHE_TYPE_V, 0, "");
        now(KVB_SET_FLASH_ATTENTION, KVB_ON);
        tries(KVB_SET_CACHE_TYPE_V, 0, both);
        tries(KVB_SET_FLASH_ATTENTION, 0, "");
        now(KVB_SET_FLASH_ATTENTION, KVB_OFF);
        tries(KVB_SET_FLASH_ATTENTION, 0, "1");
    }
    now(KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0);
    tries(KVB_SET_CACHE_TYPE_K, 0, four);
    now(KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q4_0);
    tries(KVB_SET_CACHE_TYPE_K, 0, "");
    now(KVB_SET_CACHE_TYPE_V, KVB_GGUF_Q4_0);
    now(KVB_SET_FLASH_ATTENTION, KVB_ON);
    tries(KVB_SET_CACHE_TYPE_V, 0, "");
    now(KVB_SET_UBATCH_SIZE, 512);
    tries(KVB_SET_UBATCH_SIZE, 0, "256 128 64");
    now(KVB_SET_UBATCH_SIZE, 1024);
    tries(KVB_SET_UBATCH_SIZE, 0, "512 256 128");
    now(KVB_SET_UBATCH_SIZE, 128);
    tries(KVB_SET_UBATCH_SIZE, 0, "64");
    now(KVB_SET_UBATCH_SIZE, 127);
    tries(KVB_SET_UBATCH_SIZE, 0, "");
}

static void lengths_and_slots_of_llamacpp(void **state)
{
    (void)state;
    start(kvb_llamacpp_rungs);
    now(KVB_SET_MAX_MODEL_LEN, 262144);
    tries(KVB_SET_MAX_MODEL_LEN, 0, "131072 65536 32768 16384 8192 4096");
    now(KVB_SET_MAX_MODEL_LEN, 10000); // in steps of 256
    tries(KVB_SET_MAX_MODEL_LEN, 0, "4864 2304");
    now(KVB_SET_MAX_MODEL_LEN, 4096);
    tries(KVB_SET_MAX_MODEL_LEN, 0, "2048");
    now(KVB_SET_MAX_MODEL_LEN, 4095);
    tries(KVB_SET_MAX_MODEL_LEN, 0, "");
    now(KVB_SET_MAX_NUM_SEQS, 4);
    tries(KVB_SET_MAX_NUM_SEQS, 0, "1");
    now(KVB_SET_MAX_NUM_SEQS, 1);
    tries(KVB_SET_MAX_NUM_SEQS, 0, "");
    plan.need.concurrency_hundredths = 350; // four at once
    tries(KVB_SET_MAX_NUM_SEQS, 0, "4");
    now(KVB_SET_MAX_NUM_SEQS, 4);
    tries(KVB_SET_MAX_NUM_SEQS, 0, "");
}

static void layers_and_gpus_of_llamacpp(void **state)
{
    (void)state;
    start(kvb_llamacpp_rungs);
    tries(KVB_SET_CPU_MOE_LAYERS, 0, "");
    plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
    plan.model.kinds[0].mlp.experts = 8;
    tries(KVB_SET_CPU_MOE_LAYERS, 0, "4 8 12 16 20 24 28 32");
    now(KVB_SET_CPU_MOE_LAYERS, 16);
    tries(KVB_SET_CPU_MOE_LAYERS, 0, "20 24 28 32");
    now(KVB_SET_GPU_LAYERS, 9999); // 33 with the output, in twelfths
    tries(KVB_SET_GPU_LAYERS, 0, "30 27 24 22 19 16 13 11 8 5 2");
    now(KVB_SET_GPU_LAYERS, 4);
    tries(KVB_SET_GPU_LAYERS, 0, "3 2 1");
    tries(KVB_SET_TENSOR_PARALLEL_SIZE, 0, "2 3 4 5");
    kvb_settings_set(&plan.settings, KVB_SET_TENSOR_PARALLEL_SIZE, 6, KVB_ORIGIN_FLAG);
    tries(KVB_SET_TENSOR_PARALLEL_SIZE, 0, "7 8");
    kvb_settings_set(&plan.settings, KVB_SET_TENSOR_PARALLEL_SIZE, 8, KVB_ORIGIN_FLAG);
    tries(KVB_SET_TENSOR_PARALLEL_SIZE, 0, "");
}

// ---- SGLang

static void rungs_of_sglang(void **state)
{
    (void)state;
    static const struct rung_row rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, false, false}, {KVB_SET_GPU_MEMORY_UTILIZATION, false, false},
        {KVB_SET_MAX_NUM_BATCHED_TOKENS, false, false}, {KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, false, false},
        {KVB_SET_SWA_FULL_TOKENS_RATIO, false, false},  {KVB_SET_MAX_NUM_SEQS, false, false},
        {KVB_SET_KV_CACHE_DTYPE, false, false},         {KVB_SET_MAMBA_SSM_CACHE_DTYPE, false, false},
        {KVB_SET_ENFORCE_EAGER, false, false},          {KVB_SET_MAX_MODEL_LEN, false, false},
        {KVB_SET_QUANTIZATION, false, false},           {KVB_SET_ENABLE_DP_ATTENTION, false, false},
        {KVB_SET_TENSOR_PARALLEL_SIZE, true, false},    {KVB_SET_GPU_MEMORY_UTILIZATION, false, true},
        {KVB_SET_ENABLE_PREFIX_CACHING, false, true}};
    start(kvb_sgl_rungs);
    check_rungs(rows, sizeof rows / sizeof rows[0]);
}

static void halvings_of_sglang(void **state)
{
    (void)state;
    start(kvb_sgl_rungs);
    now(KVB_SET_MAX_NUM_BATCHED_TOKENS, 4096);
    tries(KVB_SET_MAX_NUM_BATCHED_TOKENS, 0, "2048 1024 512");
    now(KVB_SET_MAX_NUM_BATCHED_TOKENS, 1023);
    tries(KVB_SET_MAX_NUM_BATCHED_TOKENS, 0, "");
    now(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 16);
    tries(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 0, "8 4");
    now(KVB_SET_MAX_NUM_SEQS, 64);
    tries(KVB_SET_MAX_NUM_SEQS, 0, "32 16 8");
    now(KVB_SET_MAX_NUM_SEQS, 4096); // more than 512 are never the question
    tries(KVB_SET_MAX_NUM_SEQS, 0, "256 128 64 32 16 8");
    tries(KVB_SET_ENFORCE_EAGER, 0, "1");
    set(&plan, KVB_SET_ENFORCE_EAGER, 1);
    tries(KVB_SET_ENFORCE_EAGER, 0, "");
    tries(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 0, "");
}

// A card of 80 GiB, of which a fraction is taken: 20 GiB are missing to a pool at 0.5, so a quarter more and a
// hundredth.
static void fractions_of_sglang(void **state)
{
    (void)state;
    start(kvb_sgl_rungs);
    budget.memory_bytes = budget.free_bytes = budget.share_of_bytes = 80 * GIB;
    budget.requested_bytes = 40 * GIB;
    budget.slack_bytes = 40 * (int64_t)GIB;
    now(KVB_SET_GPU_MEMORY_UTILIZATION, 500000);
    budget.balance_bytes = -20 * (int64_t)GIB;
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 0, "750000 980000");
    budget.balance_bytes = -60 * (int64_t)GIB; // more than there is
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 0, "980000");
    budget.balance_bytes = 0;
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 0, "");
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 1, "");
    budget.slack_bytes = -8 * (int64_t)GIB; // what comes after the pool does not fit: (40 - 8) / 80
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 1, "390000");
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 2, "");
    budget.items[KVB_ITEM_KV_CACHE].bytes = -1;
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 2, "400000");
    now(KVB_SET_GPU_MEMORY_UTILIZATION, 200000);
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 2, "");
    now(KVB_SET_GPU_MEMORY_UTILIZATION, 210000);
    tries(KVB_SET_GPU_MEMORY_UTILIZATION, 2, "110000");
}

static void caches_of_sglang(void **state)
{
    (void)state;
    char fp8[16], half[16];
    (void)snprintf(fp8, sizeof fp8, "%u", (unsigned)KVB_KV_FP8_E4M3);
    (void)snprintf(half, sizeof half, "%u", (unsigned)KVB_DTYPE_WORD_BF16);
    start(kvb_sgl_rungs);
    tries(KVB_SET_SWA_FULL_TOKENS_RATIO, 0, ""); // one pool
    budget.kv.group_count = 2;
    tries(KVB_SET_SWA_FULL_TOKENS_RATIO, 0, "500000 250000 100000");
    set(&plan, KVB_SET_SWA_FULL_TOKENS_RATIO, 250000);
    tries(KVB_SET_SWA_FULL_TOKENS_RATIO, 0, "100000");
    tries(KVB_SET_KV_CACHE_DTYPE, 0, fp8);
    plan.gpu.compute_capability = 75;
    tries(KVB_SET_KV_CACHE_DTYPE, 0, "");
    plan.gpu.vendor = KVB_VENDOR_AMD;
    tries(KVB_SET_KV_CACHE_DTYPE, 0, fp8);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
    tries(KVB_SET_KV_CACHE_DTYPE, 0, "");
    tries(KVB_SET_MAMBA_SSM_CACHE_DTYPE, 0, "");
    tries(KVB_SET_ENABLE_PREFIX_CACHING, 0, "0");
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_GDN;
    plan.model.kinds[0].attention.conv_kernel = 4;
    tries(KVB_SET_MAMBA_SSM_CACHE_DTYPE, 0, half);
    tries(KVB_SET_ENABLE_PREFIX_CACHING, 0, "");
    set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_FP16);
    tries(KVB_SET_MAMBA_SSM_CACHE_DTYPE, 0, "");
    start(kvb_sgl_rungs);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 64);
    tries(KVB_SET_ENABLE_PREFIX_CACHING, 0, "");
    unset(&plan, KVB_SET_MAX_NUM_SEQS);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
    tries(KVB_SET_ENABLE_PREFIX_CACHING, 0, "");
}

static void groups_of_sglang(void **state)
{
    (void)state;
    start(kvb_sgl_rungs);
    make_latent_plan(&plan, R(19, 0), 8192, 256);
    now(KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 8);
    tries(KVB_SET_ENABLE_DP_ATTENTION, 0, "1");
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 1);
    tries(KVB_SET_ENABLE_DP_ATTENTION, 0, "");
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_ENABLE_DP_ATTENTION, 1);
    tries(KVB_SET_ENABLE_DP_ATTENTION, 0, "");
    set(&plan, KVB_SET_ENABLE_DP_ATTENTION, 0);
    now(KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    tries(KVB_SET_ENABLE_DP_ATTENTION, 0, "");
    now(KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    tries(KVB_SET_ENABLE_DP_ATTENTION, 0, "1");
}

KVB_TEST_MAIN(cmocka_unit_test(rungs_of_llamacpp), cmocka_unit_test(caches_and_graphs_of_llamacpp),
              cmocka_unit_test(lengths_and_slots_of_llamacpp), cmocka_unit_test(layers_and_gpus_of_llamacpp),
              cmocka_unit_test(rungs_of_sglang), cmocka_unit_test(halvings_of_sglang),
              cmocka_unit_test(fractions_of_sglang), cmocka_unit_test(caches_of_sglang),
              cmocka_unit_test(groups_of_sglang))
