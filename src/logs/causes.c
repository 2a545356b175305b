// Wrappers, consequences and out of memory among exceptions, by what they say.
#include "logs/causes.h"

#include <string.h>

#include "base/text.h"

static bool holds(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kvb_contains_ignoring_case(text, words[i])) {
            return true;
        }
    }
    return false;
}

#define HOLDS(text, words) holds(text, words, sizeof(words) / sizeof((words)[0]))

// They report that another process or an inner error ended the start.
static const char *const wrappers[] = {
    "Engine core initialization failed",
    "EngineDeadError",
    "EngineGenerateError",
    "Engine process failed to start",
    "Engine loop has died",
    "Background loop has errored",
    "Task finished unexpectedly",
    "WorkerProc initialization failed",
    "WorkerProc failed to start",
    "ActorDiedError",
    "RayActorError",
    "ActorUnavailableError",
    "WorkerCrashedError",
    "ChildFailedError",
    "1 validation error for",
    "validation errors for",
    "Initialization failed. ",
    "ShardCannotStart",
    "WebserverFailed",
    "WebserverCrashed",
    "Error(s) in loading state",
    "scheduler died",
    "Received sigquit",
    "hit an exception: Traceback",
    "Unknown Error",
    "std::runtime_error",
    "SystemExit",
    "Method Warmup encountered an error",
    "unable to load model: ",
    "process has terminated: exit",
    "Could not load Llama model",
    "failed to load model from file",
    "Failed to load model from file",
    "goroutine",
    "GGML_ASSERT",
    "Fatal Python error",
    "ggml_cuda_compute_forward: ",
    "Executor worker returned error",
    "terminated: error:fault",
    "process has terminated: %!w",
    "has unexpectedly stopped",
};

static const char *const consequences[] = {
    "ConnectionResetError",
    "BrokenPipeError",
    "EOFError",
    "CancelledError",
    "KeyboardInterrupt",
    "BrokenProcessPool",
    "IncompleteReadError",
    "Connection closed by peer",
    "Connection reset by peer",
    "RemoteDisconnected",
    "destroy_process_group",
    "ServerDisconnectedError",
    "Broken pipe",
    "do load request",
    "POST predict",
    "forcibly closed",
    "previous error during capture",
};

// Causes as long as nothing is said behind them that says why.
static const char *const vague[] = {"remote process exited", "torch._inductor.exc", "ptxas"};

static const char *const host_words[] = {
    "bad_alloc",         "DefaultCPUAllocator", "Cannot allocate memory", "MemoryError",
    "CPU out of memory", "unable to mmap",      "Unable to allocate",     "CPU buffer",
    "CUDA_Host buffer",  "system memory",
};

static const char *const gpu_words[] = {
    "out of memory",           "OutOfMemory",
    "OUT_OF_MEMORY",           "OUT_OF_DEVICE_MEMORY",
    "RESOURCE_EXHAUSTED",      "MemoryAllocation",
    "OUT_OF_RESOURCES",        "resource allocation failed",
    "insufficient GPU memory", "Error Code 2: OutOfMemory",
};

bool kvb_cause_of_pool(const char *text)
{
    return strstr(text, "ut of memory. Try to lower your batch size") != NULL;
}

static bool about_gpu_memory(const char *text)
{
    // Triton's shared memory is on the chip and has nothing to do with the card's size; SGLang's tokens and rows of
    // requests are counted inside what it holds.
    return HOLDS(text, gpu_words) && strstr(text, "shared memory") == NULL && strstr(text, "OutOfResources") == NULL &&
           !kvb_cause_of_pool(text) && strstr(text, "alloc_req_slots") == NULL;
}

// llama.cpp names the device before the word: "unable to allocate CUDA0 buffer".
static bool about_device_buffer(const char *text)
{
    static const char *const devices[] = {"allocate CUDA", "allocate ROCm", "allocate Vulkan", "allocate SYCL",
                                          "allocate MTL",  "allocate MUSA", "allocate CANN"};
    return HOLDS(text, devices) && strstr(text, "_Host") == NULL;
}

static bool about_host_memory(const char *text)
{
    return HOLDS(text, host_words) && strstr(text, "CudaOutOfMemoryError") == NULL &&
           strstr(text, "OutOfMemoryError: CUDA") == NULL && strstr(text, "CUDA out of memory") == NULL;
}

const struct kvb_cause_table *const kvb_cause_tables[KVB_CAUSE_TABLES] = {&kvb_causes_card, &kvb_causes_start};

static bool fits(const struct kvb_cause_row *row, const char *text)
{
    return kvb_contains_ignoring_case(text, row->words) &&
           (row->also == NULL || kvb_contains_ignoring_case(text, row->also));
}

const struct kvb_cause_row *kvb_cause_of(const char *text)
{
    for (size_t t = 0; t < KVB_CAUSE_TABLES; t++) {
        const struct kvb_cause_table *table = kvb_cause_tables[t];
        for (size_t i = 0; i != table->count; i++) {
            if (fits(&table->rows[i], text)) {
                return &table->rows[i];
            }
        }
    }
    return NULL;
}

enum kvb_cause_class kvb_cause_class_of(const char *text)
{
    bool card = kvb_contains_ignoring_case(text, "CUDA error") || kvb_contains_ignoring_case(text, "HIP error");
    if (HOLDS(text, wrappers) && !card && !about_gpu_memory(text)) {
        return KVB_CAUSE_WRAPPER;
    }
    if (about_device_buffer(text)) {
        return KVB_CAUSE_OOM;
    }
    if (about_host_memory(text)) {
        return KVB_CAUSE_HOST;
    }
    if (about_gpu_memory(text)) {
        return KVB_CAUSE_OOM;
    }
    const struct kvb_cause_row *row = kvb_cause_of(text);
    if (row != NULL) {
        return HOLDS(row->words, vague) ? KVB_CAUSE_PLAIN : KVB_CAUSE_ADVISED;
    }
    return HOLDS(text, consequences) ? KVB_CAUSE_CONSEQUENCE : KVB_CAUSE_PLAIN;
}

enum kvb_side kvb_cause_side(const char *text)
{
    static const struct {
        const char *words;
        enum kvb_side side;
    } rows[] = {
        {"EngineCore failed to start", KVB_SIDE_START},
        {"WorkerProc failed to start", KVB_SIDE_START},
        {"initialization failed", KVB_SIDE_START},
        {"failed to start", KVB_SIDE_START},
        {"error loading llama server", KVB_SIDE_START},
        {"error loading model", KVB_SIDE_START},
        {"_initialize_kv_caches", KVB_SIDE_START},
        {"from_engine_args", KVB_SIDE_START},
        {"launch_core_engines", KVB_SIDE_START},
        {"Shard cannot start", KVB_SIDE_START},
        {"output_handler failed", KVB_SIDE_SERVING},
        {"encountered a fatal error", KVB_SIDE_SERVING},
        {"Engine background task failed", KVB_SIDE_SERVING},
        {"AsyncEngineDeadError", KVB_SIDE_SERVING},
        {"MQEngineDeadError", KVB_SIDE_SERVING},
        {"Exception in ASGI application", KVB_SIDE_SERVING},
        {"openai/serving_", KVB_SIDE_SERVING},
        {"serving_chat.py", KVB_SIDE_SERVING},
        {"run_busy_loop", KVB_SIDE_SERVING},
        {"run_engine_loop", KVB_SIDE_SERVING},
        {"step_async", KVB_SIDE_SERVING},
        {"event_loop_", KVB_SIDE_SERVING},
        {"Server error: ", KVB_SIDE_SERVING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strstr(text, rows[i].words) != NULL) {
            return rows[i].side;
        }
    }
    return KVB_SIDE_UNKNOWN;
}
