// What is gone before the weights, against what public logs say is free then ("Load weight begin. avail mem="), by
// card, ranks and link: the figure is near, and the bounds hold it. The logs are those of the project's own documents
// and CI, of issues and of benchmarks; hundredths of a GiB, as they are printed.
#include <stdio.h>
#include <string.h>

#include "engines/sglang/context.h"
#include "unit/sglang_plan.h"

#define MIB (INT64_C(1) << 20)
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

KVB_TEST_MAIN(cmocka_unit_test(as_logs_say))
