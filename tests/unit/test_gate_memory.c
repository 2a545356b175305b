// No part of a first policy, nor of a comparison, when memory runs out.
#include <limits.h>

#include "base/memory.h"
#include "unit/gate_files.h"

static bool write_once(unsigned long *left)
{
    struct kvb_gate *gate = gate_of(20261122);
    enum kvb_status status = gate != NULL ? kvb_gate_write_policy(gate, "policy.yaml", &problems) : KVB_NO_MEMORY;
    struct kvb_gate_totals totals = {0};
    if (gate != NULL) {
        totals = kvb_gate_count(gate);
    }
    *left = kvb_memory_fail_once(0);
    kvb_gate_free(gate);
    return status == KVB_OK && !totals.system_failed;
}

// With any allocation failing the policy is not written, or the failure is known to whoever asks.
static void no_part_of_a_policy(void **state)
{
    (void)state;
    unsigned long left;
    put("files/run.sh", SMALL "vllm serve Qwen/Qwen3-32B --gpu-memory-utilization 0.5\n");
    put("files/path.sh", "vllm serve /models/ours\n");
    (void)kvb_memory_fail_once(ULONG_MAX);
    assert_true(write_once(&left));
    unsigned long count = ULONG_MAX - left;
    for (unsigned long n = 1; n <= count; n += n < 60 || n + 60 > count ? 1 : 7) {
        unsigned long before = kvb_memory_failures();
        kvb_problems_init(&problems);
        (void)unlink("policy.yaml");
        (void)kvb_memory_fail_once(n);
        bool written = write_once(&left);
        assert_true(!written || kvb_memory_failures() > before);
    }
}

static void no_part_of_a_comparison(void **state)
{
    (void)state;
    (void)strcpy(flags.deployment.gpu, "l4");
    compose("files/a.yaml", "one", "40960");
    if (!commit()) {
        skip();
    }
    compose("files/a.yaml", "one", "4096");
    unsigned refused = 0;
    for (unsigned long n = 1; n < 400; n += n < 40 ? 1 : 3) {
        struct kvb_gate *gate = gate_of(20261122);
        assert_non_null(gate);
        kvb_problems_init(&problems);
        unsigned long before = kvb_memory_failures();
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = compare(gate);
        (void)kvb_memory_fail_once(0);
        const struct kvb_against *against = kvb_gate_count(gate).against;
        bool whole =
            status == KVB_OK && against != NULL && against->count == 1 && against->changes[0].trend == KVB_TREND_BETTER;
        assert_true(whole || kvb_memory_failures() > before);
        refused += !whole;
        kvb_gate_free(gate);
    }
    assert_true(refused > 20);
}

KVB_TEST_MAIN_WITH(make_root, remove_root, TEST(no_part_of_a_policy), TEST(no_part_of_a_comparison))
