// CPU memory: what leaves the GPU, what only seems to help, and what the bus takes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <kvbudget/residents.h>
#include <kvbudget/units.h>

#include "unit/plans.h"

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_host_memory memory;

static void ask(uint32_t release, enum kvb_setting setting, uint64_t number)
{
    make_llama_plan(&plan, release);
    set(&plan, setting, number);
    (void)answer_into(&plan, &budget);
    kvb_host_memory(&plan, &budget, &memory);
}

// At most 4 GiB of weights leave; the H100's PCIe 5.0 moves them at 50 GB/s, so each step waits for that long.
static void offloaded_weights_pass_in_every_step(void **state)
{
    (void)state;
    ask(R(11, 0), KVB_SET_CPU_OFFLOAD_GB, 4 * GIB);
    assert_int_equal(memory.count, 1);
    const struct kvb_host_use *use = &memory.uses[0];
    assert_int_equal(use->kind, KVB_HOST_WEIGHTS);
    assert_in_range(use->freed_bytes, 4 * GIB, 4 * GIB + GIB / 2); // whole matrices
    assert_int_equal(use->host_bytes, use->freed_bytes);
    assert_int_equal(use->microseconds, use->freed_bytes / 50000);
    struct kvb_budget without;
    unset(&plan, KVB_SET_CPU_OFFLOAD_GB);
    (void)answer_into(&plan, &without);
    int64_t less = without.items[KVB_ITEM_WEIGHTS].bytes - budget.items[KVB_ITEM_WEIGHTS].bytes;
    assert_in_range(less, use->freed_bytes - 32 * MIB, use->freed_bytes + 32 * MIB);
    assert_int_equal(budget.needed_bytes, without.needed_bytes);
}

// V0 keeps swapped requests there; V1 takes the flag and does nothing with it.
static void swap_space_frees_nothing(void **state)
{
    (void)state;
    ask(R(6, 3), KVB_SET_SWAP_SPACE, 16 * GIB);
    assert_int_equal(memory.count, 1);
    assert_int_equal(memory.uses[0].host_bytes, 16 * GIB);
    assert_int_equal(memory.uses[0].freed_bytes, 0);
    assert_false(memory.uses[0].ignored);
    // One request: 8192 tokens x 32 layers x 2 x 8 heads x 128 x 2 bytes = 1 GiB.
    assert_int_equal(memory.uses[0].moved_bytes, GIB);
    ask(R(11, 0), KVB_SET_SWAP_SPACE, 16 * GIB);
    assert_true(memory.uses[0].ignored);
    assert_int_equal(memory.uses[0].host_bytes, 0);
}

static void connectors_do_not_pass_the_check(void **state)
{
    (void)state;
    ask(R(11, 0), KVB_SET_KV_TRANSFER, 1);
    assert_int_equal(memory.count, 1);
    assert_int_equal(memory.uses[0].kind, KVB_HOST_CONNECTOR);
    assert_false(memory.uses[0].known);
    assert_int_equal(memory.uses[0].freed_bytes, 0);
    assert_int_equal(memory.uses[0].moved_bytes, GIB);
    assert_int_equal(memory.uses[0].microseconds, GIB / 50000);
}

static void bus_follows_the_gpu(void **state)
{
    static const struct {
        uint32_t capability, gb_s;
    } rows[] = {{90, 50}, {120, 50}, {86, 25}, {80, 25}, {75, 12}, {70, 12}, {0, 25}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plan.gpu.compute_capability = rows[i].capability;
        kvb_host_memory(&plan, &budget, &memory);
        assert_int_equal(memory.bus_gb_s, rows[i].gb_s);
    }
    plan.gpu.unified_memory = true;
    kvb_host_memory(&plan, &budget, &memory);
    assert_int_equal(memory.bus_gb_s, 0);
    for (unsigned i = 0; i < KVB_HOST_KIND_COUNT; i++) {
        assert_true(strlen(kvb_host_rows[i].does) > 20 && strlen(kvb_host_rows[i].cannot) > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offloaded_weights_pass_in_every_step),
        cmocka_unit_test(swap_space_frees_nothing),
        cmocka_unit_test(connectors_do_not_pass_the_check),
        cmocka_unit_test(bus_follows_the_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
