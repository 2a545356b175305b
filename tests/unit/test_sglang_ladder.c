// Every lever of SGLang's advice: the values it offers and when it offers none, by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/ladder.h"
#include "unit/kv_models.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;
static uint64_t values[KVB_CANDIDATES_MAX];

// The lever of a setting whose sentence starts like this.
static uint32_t offer(enum kvb_setting setting, const char *why)
{
    size_t count = 0;
    const struct kvb_rung *rungs = kvb_sgl_rungs(&count);
    for (size_t i = 0; i < count; i++) {
        if (rungs[i].setting == setting && strncmp(rungs[i].why, why, strlen(why)) == 0) {
            return rungs[i].candidates(&plan, &budget, values);
        }
    }
    fail_msg("no lever says '%s'", why);
    return 0;
}

static void effective(enum kvb_setting setting, uint64_t number)
{
    budget.settings.values[setting].number = number;
}

// 100 x 10^9 B free before loading, half of them requested, 30 of the rest not used; 10 are missing.
static void start(void)
{
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    memset(&plan, 0, sizeof plan);
    make_model(&shape, &plan.model);
    plan.gpu.compute_capability = 90;
    plan.engine.release = KVB_RELEASE(0, 5, 9);
    memset(&budget, 0, sizeof budget);
    budget.share_of_bytes = budget.free_bytes = 100000000000;
    budget.requested_bytes = 50000000000;
    budget.slack_bytes = 30500000000;
    budget.balance_bytes = -10000000000;
    effective(KVB_SET_GPU_MEMORY_UTILIZATION, 500000);
}

static const char gives[] = "gives weights and pools";
static const char leaves[] = "leaves more";
static const char worse[] = "lowering it takes";

static void share(void **state)
{
    (void)state;
    start(); // up to 0.80; 0.50 + 0.10 + 0.01 is enough
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 2);
    assert_int_equal(values[0], 600000); // 0.6099..., whole hundredths
    assert_int_equal(values[1], 800000);
    budget.balance_bytes = -40000000000; // 0.90 would be: the most there is
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 1);
    assert_int_equal(values[0], 800000);
    effective(KVB_SET_GPU_MEMORY_UTILIZATION, 800000);
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 0);
    budget.balance_bytes = 0;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 0);
    // what comes after the pool lacks 5: down to 0.45
    start();
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, leaves), 0);
    budget.slack_bytes = -4500000000;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, leaves), 1);
    assert_int_equal(values[0], 450000);
    effective(KVB_SET_GPU_MEMORY_UTILIZATION, 400000);
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, leaves), 0);
    effective(KVB_SET_GPU_MEMORY_UTILIZATION, 495000); // nothing lacks: not rounded down to whole hundredths
    budget.requested_bytes = 49500000000;
    budget.slack_bytes = 0;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, leaves), 0);
    budget.slack_bytes = -1;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, leaves), 1);
    assert_int_equal(values[0], 490000);
    budget.requested_bytes = 50000000000;
    budget.slack_bytes = -60000000000; // nothing is left to request
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, leaves), 0);
    // without a pool lowering it is what not to do
    start();
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, worse), 0);
    budget.items[KVB_ITEM_KV_CACHE].bytes = -1;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, worse), 1);
    assert_int_equal(values[0], 400000);
    effective(KVB_SET_GPU_MEMORY_UTILIZATION, 150000);
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, worse), 0);
}

static void halves(void **state)
{
    (void)state;
    start();
    effective(KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048);
    assert_int_equal(offer(KVB_SET_MAX_NUM_BATCHED_TOKENS, "smaller prefills"), 2);
    assert_int_equal(values[0], 1024);
    assert_int_equal(values[1], 512);
    effective(KVB_SET_MAX_NUM_BATCHED_TOKENS, UINT64_C(1) << 31); // no more than there is room for
    assert_int_equal(offer(KVB_SET_MAX_NUM_BATCHED_TOKENS, "smaller prefills"), KVB_CANDIDATES_MAX);
    effective(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 8);
    assert_int_equal(offer(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, "fewer graphs"), 1);
    assert_int_equal(values[0], 4);
    assert_int_equal(offer(KVB_SET_ENFORCE_EAGER, "no graphs"), 1);
    set(&plan, KVB_SET_ENFORCE_EAGER, 1);
    assert_int_equal(offer(KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, "fewer graphs"), 0);
    assert_int_equal(offer(KVB_SET_ENFORCE_EAGER, "no graphs"), 0);
    effective(KVB_SET_MAX_NUM_SEQS, 4096); // from 512 on
    assert_int_equal(offer(KVB_SET_MAX_NUM_SEQS, "smaller tables"), 6);
    assert_int_equal(values[0], 256);
    assert_int_equal(values[5], 8);
}

static void caches(void **state)
{
    (void)state;
    start();
    assert_int_equal(offer(KVB_SET_SWA_FULL_TOKENS_RATIO, "gives window layers"), 0);
    budget.kv.group_count = 2;
    assert_int_equal(offer(KVB_SET_SWA_FULL_TOKENS_RATIO, "gives window layers"), 3);
    assert_int_equal(values[0], 500000);
    set(&plan, KVB_SET_SWA_FULL_TOKENS_RATIO, 300000);
    assert_int_equal(offer(KVB_SET_SWA_FULL_TOKENS_RATIO, "gives window layers"), 2);
    assert_int_equal(values[0], 250000);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_DSV4;
    assert_int_equal(offer(KVB_SET_SWA_FULL_TOKENS_RATIO, "gives window layers"), 0);
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, "halves the cache"), 0);
    start();
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, "halves the cache"), 1);
    assert_int_equal(values[0], KVB_KV_FP8_E4M3);
    plan.engine.release = KVB_RELEASE(0, 4, 1) + 5; // --kv-cache-dtype: auto, fp8_e5m2
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, "halves the cache"), 1);
    assert_int_equal(values[0], KVB_KV_FP8_E5M2);
    plan.engine.release++;
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, "halves the cache"), 1);
    assert_int_equal(values[0], KVB_KV_FP8_E4M3);
    plan.gpu.compute_capability = 75; // Turing does not read it; AMD's cards have no such number
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, "halves the cache"), 0);
    plan.gpu.compute_capability = 0;
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, "halves the cache"), 1);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, "halves the cache"), 0);
    // states
    start();
    assert_int_equal(offer(KVB_SET_MAMBA_SSM_CACHE_DTYPE, "halves the recurrent"), 0);
    assert_int_equal(offer(KVB_SET_ENABLE_PREFIX_CACHING, "the pool is as large"), 1);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_GDN;
    assert_int_equal(offer(KVB_SET_ENABLE_PREFIX_CACHING, "the pool is as large"), 0);
    assert_int_equal(offer(KVB_SET_MAMBA_SSM_CACHE_DTYPE, "halves the recurrent"), 1);
    assert_int_equal(values[0], KVB_DTYPE_WORD_BF16);
    set(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_BF16);
    assert_int_equal(offer(KVB_SET_MAMBA_SSM_CACHE_DTYPE, "halves the recurrent"), 0);
    start();
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 0);
    assert_int_equal(offer(KVB_SET_ENABLE_PREFIX_CACHING, "the pool is as large"), 0);
    start();
    set(&plan, KVB_SET_MAX_NUM_SEQS, 64); // requests are said: slots and caps follow them
    assert_int_equal(offer(KVB_SET_ENABLE_PREFIX_CACHING, "the pool is as large"), 0);
}

static void groups(void **state)
{
    (void)state;
    start();
    effective(KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    assert_int_equal(offer(KVB_SET_ENABLE_DP_ATTENTION, "each group"), 0);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MLA;
    assert_int_equal(offer(KVB_SET_ENABLE_DP_ATTENTION, "each group"), 0); // of one
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 8);
    assert_int_equal(offer(KVB_SET_ENABLE_DP_ATTENTION, "each group"), 1);
    effective(KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    assert_int_equal(offer(KVB_SET_ENABLE_DP_ATTENTION, "each group"), 0);
    set(&plan, KVB_SET_ENABLE_DP_ATTENTION, 1);
    assert_int_equal(offer(KVB_SET_ENABLE_DP_ATTENTION, "each group"), 0);
}

KVB_TEST_MAIN(cmocka_unit_test(share), cmocka_unit_test(halves), cmocka_unit_test(caches), cmocka_unit_test(groups))
