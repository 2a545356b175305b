// CPU memory and platforms: what leaves the GPU, what only seems to help, and what the bus takes.
#include <string.h>

#include <kvbudget/residents.h>
#include <kvbudget/units.h>

#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_host_memory memory;

static void ask(uint32_t release, enum kvb_setting setting, uint64_t number)
{
    make_llama_plan(&plan, release);
    set(&plan, setting, number);
    (void)answer_into(&plan, &budget);
    kvb_host_memory_of(&plan, &budget, &memory);
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

// Runner V2, a dense model's default from 0.25 on, has no offloader before 0.28 (vllm#51396).
static void runner_v2_offloads_nothing(void **state)
{
    (void)state;
    ask(R(25, 0), KVB_SET_CPU_OFFLOAD_GB, 4 * GIB);
    assert_int_equal(memory.count, 1);
    assert_true(memory.uses[0].ignored);
    assert_int_equal(memory.uses[0].host_bytes, 0);
    assert_int_equal(memory.uses[0].freed_bytes, 0);
    ask(R(28, 0), KVB_SET_CPU_OFFLOAD_GB, 4 * GIB);
    assert_false(memory.uses[0].ignored);
    assert_in_range(memory.uses[0].freed_bytes, 4 * GIB, 4 * GIB + GIB / 2);
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
        kvb_host_memory_of(&plan, &budget, &memory);
        assert_int_equal(memory.bus_gb_s, rows[i].gb_s);
    }
    plan.gpu.unified_memory = true;
    kvb_host_memory_of(&plan, &budget, &memory);
    assert_int_equal(memory.bus_gb_s, 0);
    for (unsigned i = 0; i < KVB_HOST_KIND_COUNT; i++) {
        assert_true(strlen(kvb_host_row_of(i)->does) > 20 && strlen(kvb_host_row_of(i)->cannot) > 20);
    }
}

// The figures that the notice of a platform says, as seen: 31.84 - 30.12 = 1.72 GiB on an RTX 5090, 8.0 - 6.93 =
// 1.07 on a card of 8 GB; 121.69 - 102.2 = 19.49 on a GB10.
static void platforms_say_what_they_keep(void **state)
{
    static const struct {
        enum kvb_platform platform;
        const char *gpu;
        bool unified;
        const char *row;
        const char *text;
    } rows[] = {
        {KVB_PLATFORM_WSL2, "NVIDIA GeForce RTX 5090", false, "WSL2", "1.07 to 1.72 GiB"},
        {KVB_PLATFORM_WINDOWS, "NVIDIA GeForce RTX 3090", false, "Windows", "1.10 to 3.20 GiB"},
        {KVB_PLATFORM_LINUX, "NVIDIA GB10", true, "GB10", "19.49 to 20.59 GiB"},
        {KVB_PLATFORM_LINUX, "NVIDIA Jetson Thor", true, "Jetson", "not what is available"},
        {KVB_PLATFORM_LINUX, "AMD Strix Halo", true, "Strix Halo", "GTT limit"},
        {KVB_PLATFORM_LINUX, "NVIDIA L4", false, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(11, 0));
        set_gpu(&plan, rows[i].gpu, 32 * GIB, 90);
        plan.gpu.unified_memory = rows[i].unified;
        plan.platform = rows[i].platform;
        const struct kvb_platform_row *row = kvb_platform_row_of(plan.platform, &plan.gpu);
        const struct kvb_problems *problems = answer_into(&plan, &budget);
        if (rows[i].row == NULL) {
            assert_null(row);
            continue;
        }
        assert_string_equal(row->name, rows[i].row);
        assert_true(problems->count > 0);
        assert_non_null(strstr(problems->items[0].text, rows[i].text));
        plan.gpu_free_stated = true; // then nothing has to be guessed
        plan.gpu_free_bytes = 30 * GIB;
        problems = answer_into(&plan, &budget);
        assert_true(problems->count == 0 || strstr(problems->items[0].text, rows[i].text) == NULL);
    }
}

// 0.97 of 32 GiB is 31.04: more than 32 - 1.07, so the notice becomes a warning.
static void a_request_beyond_the_platform_is_a_warning(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(11, 0));
    set_gpu(&plan, "NVIDIA GeForce RTX 5090", 32 * GIB, 120);
    plan.platform = KVB_PLATFORM_WSL2;
    assert_int_equal(answer_into(&plan, &budget)->items[0].severity, KVB_NOTICE);
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 970000);
    assert_int_equal(answer_into(&plan, &budget)->items[0].severity, KVB_WARNING);
    size_t count = 0;
    const struct kvb_platform_row *rows = kvb_platform_rows(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(rows[i].low_mib <= rows[i].high_mib && strlen(rows[i].source) > 10);
        if (strcmp(rows[i].name, "GB10") == 0) { // 101.1 to 102.2 of 121.69 GiB were free
            assert_int_equal(rows[i].low_mib, (12169 - 10220) * 1024 / 100 + 1); // 19957.76
            assert_int_equal(rows[i].high_mib, (12169 - 10110) * 1024 / 100);    // 21084.16
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(offloaded_weights_pass_in_every_step), cmocka_unit_test(runner_v2_offloads_nothing),
              cmocka_unit_test(swap_space_frees_nothing), cmocka_unit_test(connectors_do_not_pass_the_check),
              cmocka_unit_test(bus_follows_the_gpu), cmocka_unit_test(platforms_say_what_they_keep),
              cmocka_unit_test(a_request_beyond_the_platform_is_a_warning))
