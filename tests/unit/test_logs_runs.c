// Facts per run and the stage of a failure: which release, which settings, which rank decides, which start.
#include <string.h>

#include "log_text.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define P "(EngineCore pid=9) INFO 03-04 05:06:07 [a.py:1] "
#define E "(EngineCore pid=9) ERROR 03-04 05:06:07 [a.py:1] "
#define START P "Starting to load model a/b...\n"
#define LOADED P "Model loading took 8.25 GiB memory and 3.1 seconds\n"
#define SIZED P "Available KV cache memory: 4.0 GiB\n"
#define TOKENS P "GPU KV cache size: 12,352 tokens\n"
#define CAPTURED P "Graph capturing finished in 20 secs, took 0.50 GiB\n"
#define READY P "init engine (profile, create kv cache, warmup model) took 41.00 seconds\n"
#define OOM                                                                                                            \
    E "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 96.00 MiB. GPU 0 has a total capacity of "        \
      "23.50 GiB of which 64.00 MiB is free. Of the allocated memory 22.75 GiB is allocated by PyTorch, and "          \
      "96.00 MiB is reserved by PyTorch but unallocated.\n"

struct row {
    const char *log;
    enum kvb_failure kind;
};

// The stage detector: the last progress before the first error.
static void test_stages(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {LOADED SIZED TOKENS CAPTURED READY, KVB_FAILURE_NONE},
        {START OOM, KVB_FAILURE_OOM_LOAD},
        {START LOADED OOM, KVB_FAILURE_OOM_PROFILE},
        {START LOADED SIZED OOM, KVB_FAILURE_OOM_GRAPH},
        {START LOADED SIZED TOKENS OOM, KVB_FAILURE_OOM_GRAPH},
        {START LOADED SIZED TOKENS CAPTURED OOM, KVB_FAILURE_OOM_SAMPLER},
        {START LOADED SIZED TOKENS CAPTURED READY OOM, KVB_FAILURE_OOM_SERVING},
        {START LOADED E "RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests.\n",
         KVB_FAILURE_OOM_SAMPLER},
        {START LOADED SIZED TOKENS OOM E
         "RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy "
         "requests.\n",
         KVB_FAILURE_OOM_SAMPLER},
        {LOADED E "  File \"r.py\", line 1, in _dummy_sampler_run\n" E "  File \"r.py\", line 9, in forward\n" OOM,
         KVB_FAILURE_OOM_SAMPLER},
        {LOADED SIZED TOKENS E "  File \"r.py\", line 1, in capture_model\n" E
                               "RuntimeError: CUDA error: out of memory\n",
         KVB_FAILURE_OOM_GRAPH},
        {START E
         "Failed to load model - not enough GPU memory. Try lowering --gpu-memory-utilization to free memory for "
         "weights\n" OOM,
         KVB_FAILURE_OOM_LOAD},
        {LOADED P "Available KV cache memory: -1.0 GiB\n", KVB_FAILURE_NEGATIVE_KV},
        {LOADED P "Available KV cache memory: -1.0 GiB\n" TOKENS READY, KVB_FAILURE_NONE}, // it went on all the same
        {"ValueError: Free memory on device (9.5/23.5 GiB) on startup is less than desired GPU memory utilization "
         "(0.8, 18.8 GiB).\n",
         KVB_FAILURE_FREE_LESS_THAN_REQUESTED},
        {P "Free memory on device (23.0/23.5 GiB) on startup. Desired GPU memory utilization is (0.8, 18.8 GiB).\n",
         KVB_FAILURE_NONE}, // the same words in a summary
        {"AssertionError: Error in memory profiling. Initial free memory 5000000000, current free memory 6000000000.\n",
         KVB_FAILURE_PROFILING_ASSERTION},
        {"# GPU blocks: 0, # CPU blocks: 512\n", KVB_FAILURE_NEGATIVE_KV},
        {LOADED E "Traceback (most recent call last):\n" E "KeyError: 'x'\n" E "EngineCore failed to start.\n",
         KVB_FAILURE_OTHER},
        {LOADED E "  File \"r.py\", line 1, in profile_run\n" E "ValueError: not enough values to unpack\n" E
                  "EngineCore failed to start.\n",
         KVB_FAILURE_OTHER}, // a traceback through the profiling run that is not about memory
        {LOADED "Fatal Python error: Segmentation fault\n  File \"r.py\", line 1 in capture_model\n",
         KVB_FAILURE_OTHER},
        {"[2025-01-02 03:04:05 TP0] Load weight begin. avail mem=40.25 GB\n" OOM, KVB_FAILURE_OOM_LOAD},
        {"[2025-01-02 03:04:05 TP0] Memory pool end. avail mem=4.25 GB\n" OOM, KVB_FAILURE_OOM_GRAPH},
        {"load_tensors: offloaded 33/33 layers to GPU\nload_tensors: CUDA0 model buffer size = 4096.00 MiB\n"
         "llama_kv_cache: CUDA0 KV buffer size = 512.00 MiB\nallocating 1024.00 MiB on device 0: cudaMalloc failed: "
         "out "
         "of memory\n",
         KVB_FAILURE_OOM_PROFILE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        if (report->failure.kind != rows[i].kind) {
            fail_msg("row %zu: %s, wanted %s\n%s", i, kvb_failure_name(report->failure.kind),
                     kvb_failure_name(rows[i].kind), rows[i].log);
        }
    }
}

#define BARE "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "

// Without any progress the message's own figures decide, and the report says so.
static void test_bare_messages(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {BARE
         "400.00 MiB. GPU 0 has a total capacity of 80.00 GiB of which 200.00 MiB is free. Of the allocated memory "
         "79.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.\n",
         KVB_FAILURE_OOM_LOAD},
        {BARE
         "16.00 GiB. GPU 0 has a total capacity of 44.00 GiB of which 15.00 GiB is free. Of the allocated memory 28.00 "
         "GiB is allocated by PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated.\n",
         KVB_FAILURE_OOM_PROFILE},
        {BARE
         "200.00 MiB. GPU 0 has a total capacity of 80.00 GiB of which 20.00 MiB is free. Of the allocated memory "
         "75.00 "
         "GiB is allocated by PyTorch, with 300.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.00 GiB is "
         "reserved by PyTorch but unallocated.\n",
         KVB_FAILURE_OOM_GRAPH},
        {BARE
         "1.80 GiB. GPU 0 has a total capacity of 22.00 GiB of which 300.00 MiB is free. Of the allocated memory 18.00 "
         "GiB is allocated by PyTorch, with 30.00 MiB allocated in private pools (e.g., CUDA Graphs), and 2.25 GiB is "
         "reserved by PyTorch but unallocated.\n",
         KVB_FAILURE_OOM_SERVING},
        {BARE "2.00 MiB. GPU 6 has a total capacity of 44.00 GiB of which 400.00 KiB is free.\n",
         KVB_FAILURE_OOM_GRAPH},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        assert_true(report->failure.inferred);
        assert_true(report->failure.stage_unknown);
        if (report->failure.kind != rows[i].kind) {
            fail_msg("row %zu: %s", i, kvb_failure_name(report->failure.kind));
        }
    }
}

static void test_identity(void **state)
{
    (void)state;
    const struct kvb_log_report *report = read_log(
        "INFO 03-04 [a.py:1] vLLM API server version 0.10.1.1\n"
        "INFO 03-04 [a.py:1] non-default args: {'model_tag': 'a/b', 'max_model_len': 16384, 'nested': {'dtype': 'x', "
        "'list': [1, 2]}, 'tensor_parallel_size': 2, 'gpu_memory_utilization': 0.25, 'enforce_eager': True}\n"
        "INFO 03-04 [a.py:1] Initializing a V1 LLM engine (v0.10.1.1) with config: model='a/b', dtype=torch.float16, "
        "max_seq_len=16384, quantization=None, kv_cache_dtype=fp8, seed=0\n" LOADED);
    assert_int_equal(report->engine, KVB_LOG_VLLM);
    assert_string_equal(report->version, "0.10.1.1");
    assert_true(report->version_known);
    assert_int_equal(report->release, KVB_RELEASE(0, 10, 1) + 1);
    assert_int_equal(report->generation, KVB_GENERATION_V1);
    assert_string_equal(report->model, "a/b");
    assert_true(report->arguments_seen);
    static const struct {
        enum kvb_setting setting;
        uint64_t number;
    } rows[] = {{KVB_SET_MAX_MODEL_LEN, 16384},           {KVB_SET_TENSOR_PARALLEL_SIZE, 2},
                {KVB_SET_GPU_MEMORY_UTILIZATION, 250000}, {KVB_SET_ENFORCE_EAGER, 1},
                {KVB_SET_DTYPE, KVB_DTYPE_WORD_FP16},     {KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_setting_value *value = &report->settings.values[rows[i].setting];
        if (!value->set || value->number != rows[i].number) {
            fail_msg("%s: %llu", kvb_setting_row_of(rows[i].setting)->key, (unsigned long long)value->number);
        }
    }
    assert_false(report->settings.values[KVB_SET_QUANTIZATION].set);
}

static void test_command(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("$ vllm serve a/b --max-model-len 32k -tp 2 \\\n  --gpu-memory-utilization=0.85 --enforce-eager "
                 "--no-enable-prefix-caching\n" LOADED);
    assert_string_equal(report->model, "a/b");
    assert_int_equal(report->settings.values[KVB_SET_MAX_MODEL_LEN].number, 32000);
    assert_int_equal(report->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].number, 2);
    assert_int_equal(report->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number, 850000);
    assert_int_equal(report->settings.values[KVB_SET_ENFORCE_EAGER].number, 1);
    assert_true(report->settings.values[KVB_SET_ENABLE_PREFIX_CACHING].set);
    assert_int_equal(report->settings.values[KVB_SET_ENABLE_PREFIX_CACHING].number, 0);
}

// Smallest pool and largest weights decide; the range is kept.
static void test_ranks(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log(P "Model loading took 8.25 GiB memory\n" P "Model loading took 8.5 GiB memory\n" P
                   "GPU KV cache size: 9,168 tokens\n" P "GPU KV cache size: 9,072 tokens\n" P
                   "GPU KV cache size: 9,584 tokens\n");
    assert_int_equal(report->observed[KVB_OBS_WEIGHTS].value, 17 * GIB / 2);
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].value, 9072);
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].line, 4);
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].low, 9072);
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].high, 9584);
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].count, 3);
}

#define BANNER "INFO 03-04 [a.py:1] vLLM API server version 0.9.2\n"
#define NO_BLOCKS E "ValueError: No available memory for the cache blocks. Try increasing\n"

static void test_restarts(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log(BANNER LOADED P "Available KV cache memory: -2.0 GiB\n" NO_BLOCKS BANNER LOADED P
                                 "Available KV cache memory: -1.0 GiB\n" NO_BLOCKS BANNER LOADED SIZED TOKENS READY);
    assert_int_equal(report->run_count, 3);
    assert_int_equal(report->run_shown, 2); // the newest is fine: what failed before is history
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    assert_int_equal(report->runs[0].failure, KVB_FAILURE_NEGATIVE_KV);
    assert_int_equal(report->runs[2].failure, KVB_FAILURE_NONE);
    assert_int_equal(report->runs[2].stage, KVB_STAGE_READY);
}

#define ARGUMENTS(more) P "non-default args: {'model': 'a/b', 'max_model_len': 8192" more "}\n"
#define POOL(gib) P "Available KV cache memory: " gib " GiB\n"

// Two starts that differ in utilization alone: 2.4 GiB of KV cache for 0.10 of the card are 24 GiB for all of it.
static void test_total_from_two_starts(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        int64_t total;
    } rows[] = {
        {BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.8") LOADED POOL("-2.0")
             NO_BLOCKS BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.9") LOADED POOL("0.4") NO_BLOCKS,
         24 * GIB},
        {BANNER ARGUMENTS("") LOADED POOL("0.4") NO_BLOCKS BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.8")
             LOADED POOL("-2.0") NO_BLOCKS, // 0.9 is the default of 0.9.2
         24 * GIB},
        {BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.8") LOADED POOL("-2.0") NO_BLOCKS BANNER ARGUMENTS(
             ", 'gpu_memory_utilization': 0.9, 'enforce_eager': True") LOADED POOL("0.4") NO_BLOCKS,
         0}, // two settings differ
        {BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.8") LOADED POOL("-2.0")
             NO_BLOCKS BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.9") P
         "Model loading took 9.00 GiB memory and 3.1 seconds\n" POOL("0.4") NO_BLOCKS,
         0}, // other weights
        {BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.89") LOADED POOL("0.20")
             NO_BLOCKS BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.9") LOADED POOL("0.44") NO_BLOCKS,
         0}, // too close for figures of two decimals
        {BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.9") LOADED POOL("-2.0")
             NO_BLOCKS BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.8") LOADED POOL("0.4") NO_BLOCKS,
         0}, // something else held memory
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t total = read_log(rows[i].log)->lesson.total_bytes;
        int64_t off = total > rows[i].total ? total - rows[i].total : rows[i].total - total;
        if (off > GIB / 1000) { // the figures are rounded
            fail_msg("row %zu: %lld", i, (long long)total);
        }
    }
}

// What worked in the same log is the first remedy, and nothing under "does not" speaks against it.
static void test_what_worked(void **state)
{
    (void)state;
    static const struct {
        const char *log, *setting, *from, *to; // setting NULL: nothing is proven
    } rows[] = {
        {BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.95") LOADED POOL("1.6")
             TOKENS READY BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.8") LOADED POOL("-2.0") NO_BLOCKS,
         "gpu-memory-utilization", "0.80", "0.95"},
        {BANNER ARGUMENTS("") LOADED POOL("1.6") TOKENS READY BANNER ARGUMENTS(", 'max_num_seqs': 512") START OOM,
         "max-num-seqs", "512", "not set"},
        {BANNER ARGUMENTS(", 'gpu_memory_utilization': 0.7") LOADED POOL("1.6") TOKENS READY BANNER ARGUMENTS("")
             START OOM,
         "gpu-memory-utilization", "0.90", "0.70"},
        {BANNER ARGUMENTS("") LOADED POOL("1.6") TOKENS READY BANNER ARGUMENTS("") LOADED POOL("-2.0") NO_BLOCKS, NULL,
         "", ""},
        {BANNER LOADED POOL("1.6") TOKENS READY BANNER ARGUMENTS(", 'max_num_seqs': 512") START OOM, NULL, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_log_report *report = read_log(rows[i].log);
        struct kvb_log_given given;
        kvb_log_given_init(&given);
        kvb_log_explain(report, &given);
        const struct kvb_remedy *first = &report->remedies[0];
        bool proven = strncmp(first->why, "worked at line 6 of this log: the start from line 1 ", 52) == 0;
        assert_int_equal(report->run_shown, 1);
        if (proven != (rows[i].setting != NULL) ||
            (proven && (strcmp(first->setting, rows[i].setting) != 0 || strcmp(first->from, rows[i].from) != 0 ||
                        strcmp(first->to, rows[i].to) != 0 || !first->works))) {
            fail_msg("row %zu: %s %s -> %s: %s", i, first->setting, first->from, first->to, first->why);
        }
        for (uint32_t k = 1; proven && k < report->remedy_count; k++) {
            bool against = !report->remedies[k].works && strcmp(report->remedies[k].setting, first->setting) == 0;
            bool other_way = i == 0 && strncmp(report->remedies[k].to, "0.7", 3) == 0;
            if (against && !other_way) {
                fail_msg("row %zu: %s -> %s does not", i, report->remedies[k].setting, report->remedies[k].to);
            }
        }
    }
}

static void test_many_restarts(void **state)
{
    (void)state;
    struct kvb_log_reader *reader = kvb_log_reader_new();
    static struct kvb_log_report report;
    const char *once = BANNER LOADED NO_BLOCKS;
    for (unsigned i = 0; i < 2740; i++) {
        kvb_log_reader_feed(reader, once, strlen(once));
    }
    kvb_log_reader_finish(reader, &report);
    kvb_log_reader_free(reader);
    assert_int_equal(report.run_count, 2740);
    assert_int_equal(report.failure.line, 3 * 2740);
}

// A size no machine has is an underflow, not a measurement.
static void test_implausible(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log(LOADED OOM P "Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use.\n");
    assert_false(report->observed[KVB_OBS_OOM_THIS_PROCESS].set);
}

// Runner V2 captures once while it profiles, before the pool is sized: that is the estimate. The older runner's file is
// named gpu_model_runner.py and says an estimate in words of its own.
static void test_trial_capture(void **state)
{
    (void)state;
#define V1 "(EngineCore pid=9) INFO 03-04 05:06:07 [core.py:1] Initializing a V1 LLM engine (v0.30.0) with config: m\n"
#define TRIAL "(Worker_TP0 pid=9) INFO 03-04 05:06:07 [model_runner.py:9] Graph capturing finished in 9 secs, took 0.86 GiB\n"
#define REAL "(Worker_TP0 pid=9) INFO 03-04 05:06:07 [model_runner.py:9] Graph capturing finished in 6 secs, took 0.78 GiB\n"
#define OLDER "INFO 03-04 05:06:07 [gpu_model_runner.py:9] Graph capturing finished in 6 secs, took 0.78 GiB\n"
    struct kvb_log_report *report = read_log(V1 START LOADED TRIAL SIZED TOKENS REAL READY);
    assert_int_equal(report->observed[KVB_OBS_GRAPH_ESTIMATE].value, 923417969);
    assert_int_equal(report->observed[KVB_OBS_CUDA_GRAPH].value, 837518623);
    assert_int_equal(report->observed[KVB_OBS_CUDA_GRAPH].count, 1);
    report = read_log(V1 START LOADED TRIAL OOM); // the profile run, not the graphs of a sized pool
    assert_int_equal(report->failure.kind, KVB_FAILURE_OOM_PROFILE);
    report = read_log(V1 START LOADED OLDER);
    assert_false(report->observed[KVB_OBS_GRAPH_ESTIMATE].set);
    assert_int_equal(report->observed[KVB_OBS_CUDA_GRAPH].value, 837518623);
    assert_int_equal(report->stage, KVB_STAGE_CAPTURED);
}

KVB_TEST_MAIN(cmocka_unit_test(test_stages), cmocka_unit_test(test_bare_messages), cmocka_unit_test(test_identity),
              cmocka_unit_test(test_command), cmocka_unit_test(test_ranks), cmocka_unit_test(test_restarts),
              cmocka_unit_test(test_total_from_two_starts), cmocka_unit_test(test_what_worked),
              cmocka_unit_test(test_many_restarts), cmocka_unit_test(test_implausible),
              cmocka_unit_test(test_trial_capture))
