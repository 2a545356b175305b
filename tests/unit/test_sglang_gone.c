// What is gone before the weights, against what public logs say is free then ("Load weight begin. avail mem="), by
// card, ranks and link: the figure is near, and the bounds hold it. The logs are those of the project's own documents
// and CI, of issues and of benchmarks; hundredths of a GiB, as they are printed.
#include <stdio.h>
#include <string.h>

#include "engines/sglang/context.h"
#include "unit/sglang_plan.h"

#define MIB (INT64_C(1) << 20)
#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define TP(ranks) LLAMA "--tp-size " #ranks

static const struct {
    const char *engine, *gpu, *line;
    unsigned free_hundredths; // of GiB
    unsigned near_mib;
} logs[] = {
    {"sglang@0.3.5", "h100-sxm", LLAMA, 7859, 250},
    {"sglang@0.4.0", "h100-sxm", LLAMA, 7859, 250},
    {"sglang@0.4.2.post1", "h100-sxm", LLAMA, 7881, 60},
    {"sglang@0.4.4.post2", "h200", LLAMA, 13921, 60},
    {"sglang@0.5.17", "h200", LLAMA, 13913, 60},
    {"sglang@0.5.18", "h100-sxm", LLAMA, 7847, 60},
    {"sglang@0.5.18", "h100-sxm", LLAMA, 7848, 60},
    {"sglang@0.5.2", "h100-sxm", TP(8), 7743, 450},
    {"sglang@0.5.12", "h20-96", TP(8), 9356, 900},
    {"sglang@0.5.8", "rtx-pro-6000-server", TP(8), 9408, 120},
    {"sglang@0.5.7", "rtx-pro-6000-server", TP(8), 9413, 120},
    {"sglang@0.5.7", "rtx-pro-6000-server", TP(4) " --pp-size 2", 9409, 120},
    {"sglang@0.5.12", "rtx3090", TP(2), 2291, 250},
    {"sglang@0.5.9", "mi355x", TP(8), 28348, 4000},
    {"sglang@0.5.18", "mi355x", TP(2), 27924, 500},
};

static void as_logs_say(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        struct kvb_sgl_context context;
        resolve(logs[i].engine, logs[i].gpu, logs[i].line);
        kvb_sgl_context_init(&plan, &context);
        struct kvb_estimate gone = kvb_sgl_before_load(&context);
        int64_t logged = (int64_t)plan.gpu.memory_bytes - (int64_t)logs[i].free_hundredths * 1024 * MIB / 100;
        int64_t off = (int64_t)gone.bytes - logged;
        bool held = (int64_t)gone.low_bytes <= logged + 6 * MIB && (int64_t)gone.high_bytes >= logged - 6 * MIB;
        if (!held || off > logs[i].near_mib * MIB || off < -(int64_t)logs[i].near_mib * MIB) {
            print_error("%s %s %s: logged %lld, off by %lld MiB\n", logs[i].engine, logs[i].gpu, logs[i].line,
                        (long long)(logged / MIB), (long long)(off / MIB));
            wrong++;
        }
        assert_true(gone.low_bytes < gone.bytes && gone.bytes < gone.high_bytes);
    }
    assert_int_equal(wrong, 0);
}

static struct kvb_estimate gone(uint32_t release, const char *gpu, uint32_t ranks, uint32_t stages)
{
    struct kvb_sgl_context context;
    resolve("sglang@0.5.12", gpu, LLAMA);
    plan.engine.release = release;
    set_number(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, ranks);
    set_number(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, stages);
    kvb_sgl_context_init(&plan, &context);
    return kvb_sgl_before_load(&context);
}

// Where a figure changes by release it does in that release, and so it stays: logs of 0.4.2 and 0.4.4.post2, of 0.5.2
// and 0.5.3 on Hopper; AITER's own all-reduce from 0.5.11 on.
static void by_releases(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t ranks;
        uint32_t before, first, last; // before: the one before the first
        bool changes;
    } rows[] = {
        {"h100-sxm", 1, R(4, 3) + 4, R(4, 4), R(5, 2), true}, {"h100-sxm", 1, R(5, 2), R(5, 3), R(5, 18), true},
        {"rtx4090", 1, R(5, 2), R(5, 3), R(5, 18), false},    {"rtx4090", 1, R(4, 3) + 4, R(4, 4), R(5, 2), false},
        {"mi300x", 2, R(5, 10), R(5, 11), R(5, 18), true},    {"mi300x", 1, R(5, 10), R(5, 11), R(5, 18), false},
        {"h100-sxm", 2, R(5, 10), R(5, 11), R(5, 18), false}, {"mi300x", 8, R(5, 10), R(5, 11), R(5, 18), true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_estimate before = gone(rows[i].before, rows[i].gpu, rows[i].ranks, 1);
        struct kvb_estimate first = gone(rows[i].first, rows[i].gpu, rows[i].ranks, 1);
        struct kvb_estimate last = gone(rows[i].last, rows[i].gpu, rows[i].ranks, 1);
        assert_memory_equal(&first, &last, sizeof first);
        assert_int_equal(before.bytes < first.bytes, rows[i].changes);
        assert_int_equal(memcmp(&before, &first, sizeof first) != 0, rows[i].changes);
    }
}

// Of all ranks together, in steps of two, four and eight.
static void by_ranks(void **state)
{
    (void)state;
    static const char *const gpus[] = {"h100-sxm", "rtx3090"};
    for (size_t i = 0; i < 2; i++) {
        static const uint32_t steps[] = {1, 2, 4, 8, 17};
        for (size_t at = 0; at < 4; at++) {
            struct kvb_estimate first = gone(R(5, 12), gpus[i], steps[at], 1);
            struct kvb_estimate last = gone(R(5, 12), gpus[i], steps[at + 1] - 1, 1);
            struct kvb_estimate next = gone(R(5, 12), gpus[i], steps[at + 1], 1);
            struct kvb_estimate staged = gone(R(5, 12), gpus[i], 1, steps[at]);
            assert_memory_equal(&first, &last, sizeof first);
            assert_memory_equal(&first, &staged, sizeof first);
            assert_int_equal(memcmp(&first, &next, sizeof first) != 0, at < 3);
        }
        struct kvb_estimate eight = gone(R(5, 12), gpus[i], 8, 1), both = gone(R(5, 12), gpus[i], 4, 2);
        assert_memory_equal(&eight, &both, sizeof both);
    }
    // linked cards hold buffers that others do not
    assert_true(gone(R(5, 12), "h100-sxm", 2, 1).bytes > gone(R(5, 12), "h100-pcie", 2, 1).bytes);
}

KVB_TEST_MAIN(cmocka_unit_test(as_logs_say), cmocka_unit_test(by_releases), cmocka_unit_test(by_ranks))
