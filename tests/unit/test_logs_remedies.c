// Remedies and checks beyond the case studies: every kind, every engine, and figures by hand.
#include <string.h>

#include <kvbudget/units.h>

#include "log_text.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define V(version) "Initializing a V1 LLM engine (v" version ") with config: model='a/b', max_seq_len=8192\n"
#define OOM                                                                                                            \
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of "         \
    "24.00 GiB of which 56.00 MiB is free. "

struct row {
    const char *log;
    uint64_t gpu_memory_bytes;
    uint32_t utilization_ppm, vocabulary;
    const char *setting; // wanted, with its direction and part of its reason
    bool works;
    const char *to;
    const char *why;
};

static const struct row rows[] = {
    // 24 x 0.9 = 21.6; 21.6 + 2 = 23.6 besides; + 0 needed = 0.984 of 24
    {V("0.19.0") "Available KV cache memory: -2.0 GiB\n", (uint64_t)(24 * GIB), 900000, 0, "gpu-memory-utilization",
     true, "0.984", "23.60 GiB in use besides"},
    // 0.20 charges the estimate of graphs: 3 GiB of it are more than the 2 that are missing
    {V("0.20.0") "Estimated CUDA graph memory: 3.00 GiB total\nAvailable KV cache memory: -2.0 GiB\n",
     (uint64_t)(24 * GIB), 920000, 0, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", true, "0", "3.00 GiB"},
    {V("0.20.0") "Estimated CUDA graph memory: 1.00 GiB total\nAvailable KV cache memory: -2.0 GiB\n",
     (uint64_t)(24 * GIB), 920000, 0, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", false, "0", "not enough"},
    {V("0.20.0") "Estimated CUDA graph memory: 1.00 GiB total\nAvailable KV cache memory: -2.0 GiB\n", 0, 920000, 0,
     "gpu-memory-utilization", false, "0.82", "a tenth of the card"},
    // early V1 charges other processes
    {V("0.8.3") "ValueError: No available memory for the cache blocks.\n", 0, 0, 0, "gpu-memory-utilization", true,
     "share of both servers together", "charges the memory of other processes"},
    {V("0.8.3") "ValueError: No available memory for the cache blocks.\n", (uint64_t)(24 * GIB), 900000, 0,
     "gpu-memory-utilization", false, "0.80", "2.40 GiB smaller"},
    {"ValueError: No available memory for the cache blocks.\n", 0, 20000, 0, "gpu-memory-utilization", true, "higher",
     "although the message asks for more"},
    // no estimate, but tokens: 8192 tokens are asked for, 6000 fit
    {"The model's max seq len (8192) is larger than the maximum number of tokens that can be stored in KV cache "
     "(6000).\n",
     0, 0, 0, "max-model-len", true, "6000", "the tokens this KV cache holds"},
    // 8192 x 0.75 / 1 = 6144
    {"To serve at least one request with the model's max seq len (8192), (1.0 GiB KV cache is needed, which is larger "
     "than the "
     "available KV cache memory (0.75 GiB). Based on the available memory,  Try increasing\n",
     0, 0, 0, "max-model-len", true, "6144", "evenly with length"},
    {"To serve at least one request with the model's max seq len (8192), cut\n", 0, 0, 0, "max-model-len", true,
     "shorter", "less KV cache"},
    // 0.25 of 24 GiB = 0.0104
    {"To serve at least one request with the model's max seq len (8192), (1.0 GiB KV cache is needed, which is larger "
     "than the "
     "available KV cache memory (0.75 GiB).\n",
     (uint64_t)(24 * GIB), 0, 0, "gpu-memory-utilization", true, "higher", "by at least 0.011"},
    {"non-default args: {'kv_cache_dtype': 'fp8', 'max_model_len': 8192}\nTo serve at least one request with the "
     "model's max "
     "seq len (8192), (1.0 GiB KV cache is needed, which is larger than the available KV cache memory (0.75 GiB).\n",
     0, 0, 0, "max-num-seqs", false, "lower", "one request"},
    {V("0.18.0") "Available KV cache memory: 4.0 GiB\n" OOM "\n", 0, 900000, 0,
     "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", true, "1", "reserves an estimate"},
    {V("0.20.0") "Available KV cache memory: 4.0 GiB\n" OOM "\n", 0, 900000, 0,
     "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", false, "0", "headroom"},
    {"Available KV cache memory: 4.0 GiB\nRuntimeError: CUDA error: out of memory\n", 0, 900000, 0,
     "gpu-memory-utilization", true, "lower", "leaves memory"},
    {"Available KV cache memory: 4.0 GiB\n" OOM "\n", 0, 0, 0, "gpu-memory-utilization", true, "lower", "by 0.015"},
    // 200 + 150 MiB = 367001600 bytes; each sequence 151936 x 16 = 2430976: 151 fewer
    {"Available KV cache memory: 4.0 GiB\n" OOM
     "\nRuntimeError: CUDA out of memory occurred when warming up sampler with 256 "
     "dummy requests.\n",
     0, 0, 151936, "max-num-seqs", true, "105", "enough for what was missing"},
    {"RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests.\n", 0, 0, 0,
     "max-num-seqs", true, "256", "at once"},
    {V("0.9.2") "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests.\n", 0, 0, 0,
     "gpu-memory-utilization", false, "lower", "before any KV cache"},
    {"RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests.\n", 0, 0, 0,
     "gpu-memory-utilization", true, "lower", "leaves memory"},
    {"Graph capturing finished in 20 secs, took 0.50 GiB\n" OOM "\n", 0, 0, 0, "max-num-seqs", true, "lower",
     "sequences"},
    {"init engine (profile, create kv cache, warmup model) took 41.00 seconds\n" OOM
     "Of the allocated memory 20.00 GiB is "
     "allocated by PyTorch, and 2.00 GiB is reserved by PyTorch but unallocated.\n",
     0, 0, 0, "PYTORCH_CUDA_ALLOC_CONF", true, "expandable_segments:True", "fragmentation"},
    {"Starting to load model a/b...\n" OOM
     "Process 77 has 9.00 GiB memory in use. Including non-PyTorch memory, this process "
     "has 14.00 GiB memory in use.\n",
     0, 0, 0, "other processes", true, "none", "another process"},
    {"Initial free memory 20.0 GiB, current free memory 20.0 GiB.\n", 0, 0, 0, "engine", true, "0.16.0 or later",
     "unchanged"},
    {"ValueError: max_num_seqs (512) exceeds available Mamba cache blocks (400).\n", 0, 0, 0, "max-num-seqs", true,
     "400", "one state block"},
    {"Model loading took 8.0 GiB\ncommand terminated with exit code 137\nWorkerProc failed to start.\n", 0, 0, 0,
     "host memory", true, "more", "not of GPU memory"},
    {"RuntimeError: Not enough memory to handle 4096 prefill tokens. You need\n", 0, 0, 0, "max-batch-prefill-tokens",
     true, "lower", "prefills"},
    {"RuntimeError: No enough gpu memory for kv cache.\n", 0, 0, 0, "cache-max-entry-count", true, "higher",
     "after the weights"},
    {"[TP0] Load weight begin. avail mem=40.25 GB\n[TP0] max_total_num_tokens=20480, x\n[TP0] Capture cuda graph "
     "end\n" OOM "\n",
     0, 0, 0, "chunked-prefill-size", true, "smaller", "peaks"},
    {"llama_model_loader: loaded meta data with 9\nallocating 1024.00 MiB on device 0: cudaMalloc failed: out of "
     "memory\n",
     0, 0, 0, "n-gpu-layers", true, "fewer", "host memory"},
    {"llama_model_loader: loaded meta data with 9\nserver is listening on x\nprompt eval time = 1\nallocating 1024.00 "
     "MiB on "
     "device 0: cudaMalloc failed: out of memory\n",
     0, 0, 0, "ctx-size", true, "shorter", "free"},
    {"load_tensors: offloaded 33/33 layers to GPU\nCUDA0 model buffer size = 4096.00 MiB\nallocating 1024.00 MiB on "
     "device 0: "
     "cudaMalloc failed: out of memory\n",
     0, 0, 0, "cache-type-k", true, "q8_0", "keys"},
};

static void read_row(const struct row *row, struct kvb_log_report **report, struct kvb_log_given *given)
{
    *report = read_log(row->log);
    kvb_log_given_init(given);
    given->gpu_memory_bytes = row->gpu_memory_bytes;
    given->vocabulary_size = row->vocabulary;
    if (row->utilization_ppm != 0) {
        kvb_settings_set(&given->settings, KVB_SET_GPU_MEMORY_UTILIZATION, row->utilization_ppm, KVB_ORIGIN_FLAG);
    }
    kvb_log_explain(*report, given);
}

static bool fits(const struct kvb_remedy *remedy, const struct row *row)
{
    return strcmp(remedy->setting, row->setting) == 0 && remedy->works == row->works &&
           strcmp(remedy->to, row->to) == 0 && strstr(remedy->why, row->why) != NULL;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_log_report *report;
        struct kvb_log_given given;
        bool found = false;
        read_row(&rows[i], &report, &given);
        for (uint32_t k = 0; k < report->remedy_count; k++) {
            found |= fits(&report->remedies[k], &rows[i]);
        }
        if (!found) {
            for (uint32_t k = 0; k < report->remedy_count; k++) {
                print_message("  %s %s -> %s: %s\n", report->remedies[k].works ? "+" : "-", report->remedies[k].setting,
                              report->remedies[k].to, report->remedies[k].why);
            }
            fail_msg("row %zu: %s %s -> %s, of %s", i, rows[i].works ? "+" : "-", rows[i].setting, rows[i].to,
                     kvb_failure_name(report->failure.kind));
        }
    }
}

// What works stands before what does not, and the list is never longer than it may be.
static void test_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_log_report *report;
        struct kvb_log_given given;
        read_row(&rows[i], &report, &given);
        bool ended = false;
        for (uint32_t k = 0; k < report->remedy_count; k++) {
            assert_false(ended && report->remedies[k].works);
            ended |= !report->remedies[k].works;
        }
        assert_true(report->remedy_count < KVB_REMEDIES_MAX);
        assert_true(report->check_count < KVB_CHECKS_MAX);
    }
}

struct check_row {
    const char *log, *what;
    bool compared, agrees;
    int64_t computed, within;
};

static void test_checks(void **state)
{
    (void)state;
    static const struct check_row checks[] = {
        // 18.8 - 7.5 - 0.25 - 1.5 - 0.5 GiB - 150 MiB = 8.9035 GiB = 9560091852
        {"Free memory on device (23.00/23.50 GiB) on startup. Desired GPU memory utilization is (0.8, 18.8 GiB). "
         "Actual usage is "
         "7.5 GiB for weight, 1.5 GiB for peak activation, 0.25 GiB for non-torch memory, and 0.5 GiB for CUDAGraph "
         "memory. "
         "Replace gpu_memory_utilization config with `--kv-cache-memory=9560091852` (8.9 GiB) to fit into requested "
         "memory, or "
         "`--kv-cache-memory=9900000000` (9.22 GiB) to fully utilize gpu memory. Current kv cache memory in use is "
         "9.55 GiB.\n",
         "suggested --kv-cache-memory", true, true, INT64_C(9560091852), 20000000},
        {"Free memory on device (23.00/23.50 GiB) on startup. Desired GPU memory utilization is (0.8, 18.8 GiB). "
         "Actual usage is "
         "7.75 GiB for consumed memory (weights + non-torch), 1.5 GiB for peak activation, and 0.5 GiB for CUDAGraph "
         "memory. "
         "Replace gpu_memory_utilization config with `--kv-cache-memory=9560091852` (8.9 GiB) to fit into requested "
         "memory\n",
         "suggested --kv-cache-memory", true, true, INT64_C(9560091852), 20000000},
        {"Free memory on device (23.00/23.50 GiB) on startup. Desired GPU memory utilization is (0.8, 18.8 GiB).\n",
         "highest utilization", false, false, 978723, 1}, // 23 / 23.5
        // 23 x 0.15 = 3.45 kept of 8
        {"server_args=ServerArgs(model_path='a/b', mem_fraction_static=0.85)\nLoad weight begin. avail mem=23.00 "
         "GB\nLoad weight "
         "end. type=X, dtype=x, avail mem=8.00 GB, mem usage=15.00 GB.\nKV Cache is allocated. #tokens: 37000, K size: "
         "2.27 GB, V "
         "size: 2.27 GB\n",
         "pool = free after weights", true, true, INT64_C(4885525299), 11000000},
        {"server_args=ServerArgs(model_path='a/b', mem_fraction_static=0.85)\nLoad weight begin. avail mem=23.00 "
         "GB\nLoad weight "
         "end. type=X, dtype=x, avail mem=8.00 GB, mem usage=15.00 GB.\n",
         "pool = free after weights", false, false, INT64_C(4885525299), 11000000},
        // a hybrid of 0.10.1: tokens / length is not the concurrency
        {"GPU KV cache size: 2,640,144 tokens\nMaximum concurrency for 16,384 tokens per request: 284.25x\n",
         "concurrency", true, false, 16114, 1},
        {"GPU KV cache size: 1,000 tokens\nMaximum concurrency for 2,000 tokens per request: 0.50x\n", "concurrency",
         true, true, 50, 1},
        // two blocks of tokens differ: context parallelism
        {"non-default args: {'block_size': 16}\nGPU KV cache size: 40,000 tokens\nEngine 000: vllm cache_config_info "
         "with "
         "initialization after num_gpu_blocks is: 1250\n",
         "tokens = blocks", true, false, 20000, 0},
        {"Initial free memory 20.0 GiB, current free memory 20.0 GiB.\n", "freed by other processes", false, false, 0,
         0},
        {OOM "\n", "missing at the failure", false, false, INT64_C(200) << 20, 0},
        {"Tried to allocate 1.16 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.17 GiB is free.\n",
         "missing at the failure", false, false, -GIB / 100, 10},
        // 34736 x 0.5: a hybrid's estimate is not linear
        {"To serve at least one request with the model's max seq len (131072), (1.34 GiB KV cache is needed, which is "
         "larger than "
         "the available KV cache memory (0.3 GiB). Based on the available memory, the estimated maximum model length "
         "is 720.\n",
         "engine's estimate", true, false, 29344, 100},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        struct kvb_log_report *report = read_log(checks[i].log);
        struct kvb_log_given given;
        const struct kvb_check *found = NULL;
        kvb_log_given_init(&given);
        kvb_log_explain(report, &given);
        for (uint32_t k = 0; k < report->check_count; k++) {
            found = strstr(report->checks[k].what, checks[i].what) != NULL ? &report->checks[k] : found;
        }
        if (found == NULL) {
            fail_msg("row %zu: no check '%s'", i, checks[i].what);
            return;
        }
        int64_t difference = found->computed - checks[i].computed;
        bool right = found->has_agrees == checks[i].compared && found->agrees == checks[i].agrees &&
                     difference <= checks[i].within && difference >= -checks[i].within;
        if (!right) {
            fail_msg("row %zu: %s, computed %lld, %s", i, found->what, (long long)found->computed,
                     !found->has_agrees ? "solved"
                     : found->agrees    ? "agrees"
                                        : "is off");
        }
    }
}

// The default of the release counts only where the arguments were logged and did not name another.
static void test_default_utilization(void **state)
{
    (void)state;
    struct kvb_log_given given;
    uint64_t ppm = 0;
    kvb_log_given_init(&given);
    const struct kvb_log_report *report = read_log(V("0.19.1") "Model loading took 8.0 GiB\n");
    assert_false(kvb_log_setting(report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &ppm));
    report = read_log("non-default args: {'model': 'a/b'}\n" V("0.19.1"));
    assert_true(kvb_log_setting(report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &ppm));
    assert_int_equal(ppm, 900000);
    report = read_log("non-default args: {'model': 'a/b'}\n" V("0.20.0"));
    assert_true(kvb_log_setting(report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &ppm));
    assert_int_equal(ppm, 920000);
    given.release = KVB_RELEASE(0, 19, 0);
    assert_true(kvb_log_setting(report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &ppm));
    assert_int_equal(ppm, 900000);
}

static void test_full_list(void **state)
{
    (void)state;
    static struct kvb_log_report report;
    struct kvb_check check = {.what = "x"};
    for (uint32_t i = 0; i < KVB_CHECKS_MAX; i++) {
        assert_true(kvb_log_add_check(&report, &check));
    }
    assert_false(kvb_log_add_check(&report, &check));
}

KVB_TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_order), cmocka_unit_test(test_checks),
              cmocka_unit_test(test_default_utilization), cmocka_unit_test(test_full_list))
