// What engines call the settings that causes name.
#include "unit/log_report.h"

// SGLang has names of its own.
static void own_names(void **state)
{
    (void)state;
    static const struct {
        enum kvb_log_engine engine;
        uint32_t release;
        const char *setting, *own;
    } rows[] = {
        {KVB_LOG_VLLM, V(13, 0), "attention-backend", "attention-backend"},
        {KVB_LOG_VLLM, 0, "attention-backend", "attention-backend"},
        {KVB_LOG_SGLANG, 0, "attention-backend", "attention-backend"},
        {KVB_LOG_SGLANG, 0, "tensor-parallel-size", "tp-size"},
        {KVB_LOG_SGLANG, 0, "max-model-len", "context-length"},
        {KVB_LOG_SGLANG, 0, "VLLM_USE_DEEP_GEMM", "SGLANG_ENABLE_JIT_DEEPGEMM"},
        {KVB_LOG_VLLM, V(12, 0), "tensor-parallel-size", "tensor-parallel-size"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].engine, rows[i].release, KVB_FAILURE_OTHER);
        report.failure.fix = rows[i].setting;
        report.failure.fix_to = "x";
        report.failure.advice = "y";
        explain();
        helps(rows[i].own, "x", true, "y");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(own_names))
