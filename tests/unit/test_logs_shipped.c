// Failures of engines beside vLLM as their releases write them, and the same lines as what carries logs wraps them:
// whoever brought them, they say the same.
#include <stdio.h>
#include <string.h>

#include "log_text.h"

#define HOST_SHORT "host memory, not GPU memory"
#define CRASH "the process crashed"

// One failure, and what it is; a title where it is none of memory's kinds.
static const struct scene {
    const char *log;
    enum kvb_failure kind;
    const char *title;
} scenes[] = {
    {"(EngineCore pid=93)     raise ValueError(\n"
     "(EngineCore pid=93) ValueError: No available memory for the cache blocks. Try increasing "
     "`gpu_memory_utilization` when initializing the engine.\n",
     KVB_FAILURE_NEGATIVE_KV, NULL},
    {"RuntimeError: operator _C::machete_gemm does not exist\n", KVB_FAILURE_OTHER, "this build lacks a kernel"},
    // ggml-metal.m, ggml-vulkan.cpp
    {"ggml_metal_synchronize: error: command buffer 0 failed with status 5\n"
     "error: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)\n",
     KVB_FAILURE_OOM_SERVING, NULL},
    {"ggml_vulkan: Device memory allocation of size 369827840 failed.\n"
     "ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory\n"
     "ggml_gallocr_reserve_n: failed to allocate Vulkan0 buffer of size 369827840\n",
     KVB_FAILURE_OOM_PROFILE, NULL},
    // Ollama, llm/server.go v0.20.5, llm/llama_server.go v0.32.0
    {"Error: 500 Internal Server Error: memory layout cannot be allocated\n", KVB_FAILURE_OOM_LOAD, NULL},
    {"memory layout cannot be allocated with num_gpu = 26\n", KVB_FAILURE_OOM_LOAD, NULL},
    {"Error: 500 Internal Server Error: llama-server process has terminated: exit status 1: cudaMalloc failed: out of "
     "memory\n",
     KVB_FAILURE_OOM_SERVING, NULL},
    {"Error: 500 Internal Server Error: model requires more system memory (9.1 GiB) than is available (7.8 GiB)\n",
     KVB_FAILURE_OTHER, HOST_SHORT},
    {"Error: llama runner process has terminated: GGML_ASSERT(tensor->op == GGML_OP_UNARY) failed\n", KVB_FAILURE_OTHER,
     CRASH},
    {"llama_model_load: error loading model: create_tensor: tensor 'blk.0.attn_k.weight' has wrong shape; expected "
     "2048, "
     "2048, got 2048, 256, 1, 1\n",
     KVB_FAILURE_OTHER, "the file's tensors are not those this build expects"},
    {"Fatal Python error: Aborted\n\nThread 0x00007f71b9fff640 (most recent call first):\n", KVB_FAILURE_OTHER, CRASH},
    {"Error: ggml_cuda_compute_forward: MUL_MAT_ID failed\n"
     "Error: CUDA error: invalid argument\n"
     "Error:   current device: 1, in function ggml_cuda_compute_forward at ggml-cuda.cu:2962\n",
     KVB_FAILURE_OTHER, "a call to the GPU failed"},
    // NCCL before 2.24, Ray, systemd
    {"n1:392:494 [2] enqueue.cc:43 NCCL WARN Cuda failure 'out of memory'\n", KVB_FAILURE_OOM_SERVING, NULL},
    {"(raylet) node_manager.cc:3277: 2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers\n",
     KVB_FAILURE_OTHER, HOST_SHORT},
    {"Traceback (most recent call last):\n"
     "  File \"/x/site-packages/vllm/envs.py\", line 278, in <lambda>\n"
     "ValueError: invalid literal for int() with base 10: '2.5'\n",
     KVB_FAILURE_OTHER, "an environment variable has a value this release cannot read"},
};

// What stands before and behind each line, and whether the line is a string of JSON.
static const struct shipper {
    const char *before, *behind;
    bool json;
} shippers[] = {
    {"", "\n", false},
    {"", "\r\n", false},
    {"\x1b[31m", "\x1b[0m\n", false},
    {"\x1b[0;36m(Worker_TP1 pid=7)\x1b[0;0m ", "\n", false},
    {"vllm-1  | ", "\n", false},
    {"[pod/vllm-0/vllm] ", "\n", false},
    {"[pod/vllm-0/vllm] 2026-05-01T10:00:01.123456789Z ", "\n", false},
    {"2026-05-01T10:00:01.123456789Z stderr F ", "\n", false},                                 // CRI
    {"{\"log\":\"", "\\n\",\"stream\":\"stderr\",\"time\":\"2026-05-01T10:00:01Z\"}\n", true}, // docker's json-file
    {"{\"labels\":{\"pod\":\"vllm-0\"},\"line\":\"", "\",\"timestamp\":\"2026-05-01T10:00:01Z\"}\n", true}, // Loki
    {"{\"textPayload\":\"", "\",\"timestamp\":\"2026-05-01T10:00:01Z\"}\n", true},                          // Google
    {"{\"timestamp\": 1777000000000, \"message\": \"", "\"},\n", true},        // CloudWatch
    {"2026-05-01T10:00:01.123000+00:00 vllm/vllm/0a1b2c3d4e5f ", "\n", false}, // aws logs tail
    {"May 01 10:00:01 gpu01 vllm[4242]: ", "\n", false},                       // the journal
    {"2026-05-01T10:00:01.1234567Z ", "\n", false},                            // GitHub
    {"(RayWorkerWrapper pid=812, ip=10.0.0.2) ", "\n", false},
    {"[rank1]: ", "\n", false},
    {"3: ", "\n", false}, // srun --label
};

static size_t put(char *out, size_t at, const char *text, size_t length, bool json)
{
    for (size_t i = 0; i < length; i++) {
        if (json && (text[i] == '"' || text[i] == '\\')) {
            out[at++] = '\\';
        }
        out[at++] = text[i];
    }
    return at;
}

static size_t ship(const struct shipper *by, const char *log, char *out)
{
    size_t at = 0;
    while (*log != '\0') {
        size_t length = strcspn(log, "\n");
        at = put(out, at, by->before, strlen(by->before), false);
        at = put(out, at, log, length, by->json);
        at = put(out, at, by->behind, strlen(by->behind), false);
        log += length + 1;
    }
    return at;
}

static void check(const struct scene *scene, const char *log, size_t length)
{
    const struct kvb_log_failure *failure = &read_log_pieces(log, length, 1024)->failure;
    const char *title = failure->title;
    bool same = scene->title == NULL || title == NULL ? title == scene->title : strcmp(title, scene->title) == 0;
    if (failure->kind != scene->kind || !same) {
        fail_msg("%.*s-> %s, %s", (int)length, log, kvb_failure_name(failure->kind),
                 title != NULL ? title : "no title");
    }
}

static void shipped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        for (size_t j = 0; j < sizeof shippers / sizeof shippers[0]; j++) {
            char log[2048];
            size_t length = ship(&shippers[j], scenes[i].log, log);
            check(&scenes[i], log, length);
            check(&scenes[i], log, length - 1); // the last line lacks its break
        }
    }
}

// Each rank and each node says the same in turn, or one says it and the others that a peer is gone.
static void ranks(void **state)
{
    (void)state;
    const struct kvb_log_report *report = read_log(
        "(RayWorkerWrapper pid=812, ip=10.0.0.2) ERROR 05-01 10:00:01 [a.py:1] Traceback (most recent call last):\n"
        "(RayWorkerWrapper pid=813, ip=10.0.0.3) ERROR 05-01 10:00:01 [a.py:1] Traceback (most recent call last):\n"
        "(RayWorkerWrapper pid=813, ip=10.0.0.3) ERROR 05-01 10:00:01 [a.py:1] torch.distributed.DistBackendError: "
        "NCCL error: remote process exited or there was a network error\n"
        "(RayWorkerWrapper pid=812, ip=10.0.0.2) ERROR 05-01 10:00:01 [a.py:1] torch.OutOfMemoryError: CUDA out of "
        "memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.10 GiB is free.\n");
    assert_int_equal(report->failure.about_memory, KVB_LOG_YES);
    assert_int_equal(report->observed[KVB_OBS_TRIED_ALLOC].value, INT64_C(2) << 30);
}

// The first line of a log is read as any other, and counted as the first.
static void first_line(void **state)
{
    (void)state;
    static const char *const logs[] = {"Error: pull model manifest: file does not exist\n", "Killed\n", "KeyError\n",
                                       "error: invalid argument: --x\n", "KeyError"};
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        const struct kvb_log_report *report = read_log(logs[i]);
        if (report->verdict != KVB_LOG_FAILED) {
            fail_msg("'%s' is not read", logs[i]);
        }
        assert_int_equal(report->failure.line, 1);
        assert_int_equal(report->line_count, 1);
    }
    assert_int_equal(read_log("")->line_count, 0);
    assert_int_equal(read_log("\nKilled\n")->failure.line, 2);
}

// What only says that a process is gone is no cause, and nobody knows whether memory was short.
static void no_cause(void **state)
{
    (void)state;
    static const char *const logs[] = {
        // api/client.go, llm/server.go v0.12.0
        "Error: 500 Internal Server Error: llama runner process has terminated: %!w(<nil>)\n",
        "Error: 500 Internal Server Error: model runner has unexpectedly stopped, this may be due to resource "
        "limitations\n",
        "Error: 500 Internal Server Error: do load request: Post \"http://127.0.0.1:4321/load\": EOF\n",
        "Error: POST predict: Post \"http://127.0.0.1:4321/completion\": wsarecv: An existing connection was forcibly "
        "closed\n",
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
        "The actor is dead because its worker process has died. Some common causes include: (1) the process was killed "
        "by "
        "the OOM killer due to high memory usage, (2) ray stop --force was called\n",
        "RuntimeError: Executor worker returned error\n", // TensorRT-LLM, executor/proxy.py
        "Error: ggml_cuda_compute_forward: MUL_MAT_ID failed\n",
        // CUDA: what failed during capture was said before
        "torch.AcceleratorError: CUDA error: operation failed due to a previous error during capture\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        const struct kvb_log_report *report = read_log(logs[i]);
        if (report->verdict != KVB_LOG_FAILED || report->failure.about_memory != KVB_LOG_NOT_KNOWN) {
            fail_msg("'%s': %s, %d", logs[i], kvb_log_verdict_name(report->verdict), (int)report->failure.about_memory);
        }
        assert_false(report->failure.cause_in_log);
        assert_null(report->failure.title);
    }
}

// TensorRT-LLM names what it could not make behind the failure.
static void engine_file(void **state)
{
    (void)state;
    const struct kvb_log_report *report = read_log(
        "[TensorRT-LLM][INFO] Loaded engine size: 68370 MiB\n"
        "[TensorRT-LLM][ERROR] [defaultAllocator.cpp::allocate::31] Error Code 1: Cuda Runtime (out of memory)\n"
        "[TensorRT-LLM][ERROR] [deserialize.cpp::load::572] Error Code 2: OutOfMemory (Requested size was "
        "71691141120 bytes.)\n"
        "Error: [TensorRT-LLM][ERROR] Assertion failed: Failed to deserialize cuda engine. (tllmRuntime.cpp:135)\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_OOM_LOAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped),  cmocka_unit_test(ranks),       cmocka_unit_test(first_line),
        cmocka_unit_test(no_cause), cmocka_unit_test(engine_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
