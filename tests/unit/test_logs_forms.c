// What ended a start: notices of death, exceptions of any name, tracebacks that are not about memory, and a log that
// merely stops.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "logs/causes.h"
#include "unit/test.h"

#define LOADED "Model loading took 14.25 GiB and 3.000000 seconds\n"
#define E "(EngineCore pid=9) ERROR 03-04 05:06:07 [a.py:1] "
#define START "(EngineCore pid=9) INFO 03-04 05:06:07 [a.py:1] Starting to load model a/b...\n"
#define READY "(APIServer pid=1) INFO:     Application startup complete.\n"
#define SERVED "(APIServer pid=1) INFO:     10.0.0.1:1 - \"POST /v1/completions HTTP/1.1\" 200 OK\n"

struct ending {
    const char *text;
    enum kvb_log_answer about_memory;
    bool cause_in_log;
};

// After one healthy line each of them is a failed start, of no kind of memory.
static void test_endings(void **state)
{
    (void)state;
    static const struct ending rows[] = {
        {"Killed", KVB_LOG_NO, true},
        {"run.sh: line 3: 12345 Killed                  vllm serve a/b", KVB_LOG_NO, true},
        {"zsh: killed     vllm serve a/b", KVB_LOG_NO, true},
        {"Bus error", KVB_LOG_NO, true},
        {"Aborted (core dumped)", KVB_LOG_NOT_KNOWN, false},
        {"Segmentation fault (core dumped)", KVB_LOG_NOT_KNOWN, false},
        {E "Worker proc VllmWorker-1 died unexpectedly, shutting down executor.", KVB_LOG_NOT_KNOWN, false},
        {"RuntimeError: No CUDA GPUs are available", KVB_LOG_NO, true},
        {"OSError: [Errno 28] No space left on device", KVB_LOG_NO, true},
        {"zmq.error.ZMQError: Address already in use (addr='tcp://127.0.0.1:5555')", KVB_LOG_NO, true},
        {"slurmstepd: error: Detected 1 oom_kill event in StepId=1.0. Some of the step tasks have been OOM Killed.",
         KVB_LOG_NO, true},
        {"slurmstepd: error: *** JOB 1 ON n CANCELLED AT 2025-01-01T00:00:00 DUE TO TIME LIMIT ***", KVB_LOG_NO, true},
        {"srun: error: n1: task 0: Out Of Memory", KVB_LOG_NO, true},
        {"kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.", KVB_LOG_NO, true},
        {"terminate called after throwing an instance of 'std::bad_alloc'", KVB_LOG_NO, true},
        {"Memory cgroup out of memory: Killed process 123 (python) total-vm:1kB", KVB_LOG_NO, true},
        {"    Reason:       OOMKilled", KVB_LOG_NO, true},
        {"command terminated with exit code 137", KVB_LOG_NO, true},
        {"vllm-1 exited with code 1", KVB_LOG_NOT_KNOWN, false},
        {"TimeoutError: Timed out waiting for engine core processes to start.", KVB_LOG_NO, true},
        {"MemoryError", KVB_LOG_NO, true},
        {"torch.AcceleratorError: CUDA error: an illegal memory access was encountered", KVB_LOG_NO, true},
        {"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp", KVB_LOG_NO, true},
        {"some.package.never.SeenError: with a message", KVB_LOG_NO, true},
        {"[rank0]: huggingface_hub.errors.RepositoryNotFoundError: 404 Client Error.", KVB_LOG_NO, true},
        {"vllm: error: unrecognized arguments: --x", KVB_LOG_NO, true},
        {"  Value error, Total number of attention heads (52) must be divisible by tensor parallel size (8).",
         KVB_LOG_NO, true},
        {"Traceback (most recent call last):", KVB_LOG_NOT_KNOWN, false},
        {"RuntimeError: Engine core initialization failed. See root cause above.", KVB_LOG_NOT_KNOWN, false},
        {"ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.", KVB_LOG_NOT_KNOWN,
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned ended = 0; ended < 2; ended++) { // with and without the last break
            char log[1024] = LOADED;
            strcat(log, rows[i].text);
            strcat(log, ended ? "\n" : "");
            const struct kvb_log_report *report = read_log(log);
            bool right = report->verdict == KVB_LOG_FAILED && report->failure.kind == KVB_FAILURE_OTHER &&
                         report->failure.about_memory == rows[i].about_memory &&
                         report->failure.cause_in_log == rows[i].cause_in_log;
            if (!right) {
                fail_msg("'%s': %s, %s, %d, %d", rows[i].text, kvb_log_verdict_name(report->verdict),
                         kvb_failure_name(report->failure.kind), (int)report->failure.about_memory,
                         (int)report->failure.cause_in_log);
            }
        }
    }
}

// Through profiling, capture and loading, and not about memory: a function's name places a failure, it makes none.
static void test_tracebacks(void **state)
{
    (void)state;
    static const char *const frames[] = {"determine_available_memory",
                                         "determine_num_available_blocks",
                                         "profile_run",
                                         "capture_model",
                                         "load_weights",
                                         "load_model"};
    static const char *const ends[] = {
        E "RuntimeError: CUDA error: no kernel image is available for execution on the device\n",
        E "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 98304, Hardware limit: "
          "65536.\n",
        "", // cut before its exception
    };
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        for (size_t j = 0; j < sizeof ends / sizeof ends[0]; j++) {
            char log[2048] =
                START LOADED E "Traceback (most recent call last):\n" E "  File \"/x/vllm/a.py\", line 1, in ";
            strcat(log, frames[i]);
            strcat(log, "\n");
            strcat(log, ends[j]);
            const struct kvb_log_report *report = read_log(log);
            if (report->verdict != KVB_LOG_FAILED || report->failure.kind != KVB_FAILURE_OTHER) {
                fail_msg("%s, %zu: %s", frames[i], j, kvb_failure_name(report->failure.kind));
            }
            assert_int_equal(report->failure.cause_in_log, ends[j][0] != '\0');
        }
    }
}

static void test_wrappers(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log(START E "RuntimeError: Engine core initialization failed. See root cause above.\n" E
                         "ConnectionResetError: [Errno 104] Connection reset by peer\n" E
                         "x.y.SomeError: the cause\nvllm.v1.engine.exceptions.EngineDeadError: EngineCore died\n");
    assert_string_equal(report->failure.text, "x.y.SomeError: the cause");
    report = read_log(START "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
                            "  Value error, The checkpoint you are trying to load has model type `x` but Transformers "
                            "does not recognize this architecture.\n");
    assert_string_equal(report->failure.fix, "transformers");
}

// An exception of any name, with and without a message, in the ways that Python, Go, Rust and C++ write one.
static void test_names(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghiklmnopqrstuwxyzABCDFGILMOPQSTXZ";
    static const char *const endings[] = {"Error\n",         "Error\r\n",         "Error: text\n", "Error:\n",
                                          "Error('text')\n", "Error(\"text\")\n", "Exception: x\n"};
    for (const char *letter = letters; *letter != '\0'; letter++) {
        for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
            char log[256];
            char name[64];
            (void)snprintf(name, sizeof name, "Some%c%.*s", *letter, (int)strcspn(endings[i], ":(\r\n"), endings[i]);
            (void)snprintf(log, sizeof log, LOADED "some.package.Some%c%s", *letter, endings[i]);
            const struct kvb_log_report *report = read_log(log);
            if (!report->failure.cause_in_log || strstr(report->failure.text, name) == NULL) {
                fail_msg("'%s' is not read: '%s'", log, report->failure.text);
            }
        }
    }
}

static void test_verdicts(void **state)
{
    (void)state;
    // a log that stops is neither healthy nor failed
    assert_int_equal(read_log(START LOADED)->verdict, KVB_LOG_INCOMPLETE);
    assert_int_equal(read_log(START LOADED READY)->verdict, KVB_LOG_HEALTHY);
    // figures that somebody picked out
    const struct kvb_log_report *report = read_log(LOADED "GPU KV cache size: 12,352 tokens\npython3 20238MiB\n");
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    assert_true(report->excerpt);
    // with any other line it is somebody's log
    assert_int_equal(read_log(LOADED "INFO something else\n")->verdict, KVB_LOG_INCOMPLETE);
    // a request that failed is not the server's end
    report = read_log(START LOADED READY "ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n"
                                         "  File \"/x/vllm/a.py\", line 1, in f\nValueError: bad request\n" SERVED);
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    // nor one that it goes on after
    report = read_log(START LOADED READY E "ValueError: x\n" SERVED);
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    report = read_log(START LOADED READY SERVED E "ValueError: x\n");
    assert_int_equal(report->verdict, KVB_LOG_FAILED);
    // a warning that names an exception is none
    report =
        read_log("WARNING 03-04 05:06:07 a.py:1] Failed to import from x with ImportError('libcuda.so.1: cannot open "
                 "shared object file')\n" START LOADED READY);
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    assert_int_equal(read_log(START LOADED "vllm-1 exited with code 0\n")->verdict, KVB_LOG_INCOMPLETE);
}

// The stamp tells start from serving, and the release. 0.19: 1108 and 1110 of v1/engine/core.py.
static void test_stamps(void **state)
{
    (void)state;
#define OOM_AT(stamp)                                                                                                  \
    "(EngineCore pid=9) ERROR 03-04 05:06:07 [core.py:" stamp                                                          \
    "] torch.OutOfMemoryError: CUDA out of memory. Tried to "                                                          \
    "allocate 96.00 MiB. GPU 0 has a total capacity of 23.50 GiB of which 64.00 MiB is free. Of the allocated memory " \
    "22.75 GiB is allocated by PyTorch, with 30.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.50 GiB "  \
    "is "                                                                                                              \
    "reserved by PyTorch but unallocated.\n"
    const struct kvb_log_report *report = read_log(OOM_AT("1110"));
    assert_int_equal(report->failure.kind, KVB_FAILURE_OOM_SERVING);
    assert_false(report->failure.stage_unknown);
    assert_int_equal(report->since, KVB_RELEASE(0, 19, 0));
    report = read_log(OOM_AT("1108"));
    assert_int_equal(report->failure.kind, KVB_FAILURE_OOM_GRAPH);
    // an error of the engine's start without any name is one, in every month
#define SAID(month) START LOADED "(EngineCore pid=9) ERROR " month "-04 05:06:07 [core.py:1108] it went wrong\n"
    assert_int_equal(read_log(SAID("03"))->verdict, KVB_LOG_FAILED);
    assert_int_equal(read_log(SAID("12"))->verdict, KVB_LOG_FAILED);
    assert_int_equal(read_log(START LOADED "INFO 03-04 05:06:07 [core.py:1108] it goes on\n")->verdict,
                     KVB_LOG_INCOMPLETE);
    // the words behind the message tell as much
    report =
        read_log("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 96.00 MiB.\nAsyncLLM output_handler "
                 "failed.\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_OOM_SERVING);
}

static void test_devices(void **state)
{
    (void)state;
    const struct kvb_log_report *report = read_log(
        "load_tensors: offloaded 33/33 layers to GPU\nload_tensors:   CPU_Mapped model buffer size =   500.00 MiB\n"
        "load_tensors:        CUDA0 model buffer size =  1024.00 MiB\n"
        "load_tensors:        CUDA1 model buffer size =  2048.00 MiB\n"
        "llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB\n"
        "llama_kv_cache:      CUDA1 KV buffer size =   512.00 MiB\n");
    assert_int_equal(report->observed[KVB_OBS_WEIGHTS].value, INT64_C(3) << 30);
    assert_int_equal(report->observed[KVB_OBS_KV_CACHE].value, INT64_C(1) << 30);
    report =
        read_log("load_tensors: offloaded 33/33 layers to GPU\nalloc_tensor_range: failed to allocate CPU buffer of "
                 "size 437944320\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_OTHER);
    assert_int_equal(report->failure.about_memory, KVB_LOG_NO);
}

static void test_newest_first(void **state)
{
    (void)state;
#define AT(second, text) "INFO 03-04 05:06:" second " [a.py:1] " text "\n"
#define LATE AT("59", "GPU KV cache size: 12,352 tokens")
#define MIDDLE AT("40", "Available KV cache memory: 4.0 GiB") AT("30", "Model loading took 8.25 GiB")
#define EARLY AT("10", "Starting to load model a/b...")
    assert_true(read_log(LATE MIDDLE EARLY)->newest_first);
    assert_false(read_log(EARLY AT("30", "Model loading took 8.25 GiB") AT("40", "Available KV cache memory: 4.0 GiB")
                              LATE EARLY)
                     ->newest_first);
    assert_false(read_log("Model loading took 8.25 GiB\nAvailable KV cache memory: 4.0 GiB\n")->newest_first);
    // hours count before minutes, and minutes before seconds
#define ON(clock, text) "INFO 03-04 " clock " [a.py:1] " text "\n"
#define BACK(a, b, c, d)                                                                                               \
    ON(a, "GPU KV cache size: 12,352 tokens")                                                                          \
    ON(b, "Available KV cache memory: 4.0 GiB") ON(c, "Model loading took 8.25 GiB") ON(d, "Using max model len 4096")
    assert_true(read_log(BACK("05:09:10", "05:08:20", "05:07:30", "05:06:40"))->newest_first);
    assert_true(read_log(BACK("09:05:10", "08:06:20", "07:07:30", "06:08:40"))->newest_first);
    assert_true(read_log(BACK("23:00:00", "22:59:59", "20:10:00", "19:50:00"))->newest_first);
    assert_false(read_log(BACK("05:06:40", "05:07:30", "05:08:20", "05:09:10"))->newest_first);
    assert_false(read_log(BACK("05:09:10", "05:08:20", "05:07:30", "05:08:40"))->newest_first); // two falls are too few
}

static void test_commands(void **state)
{
    (void)state;
    assert_string_equal(read_log("Run vllm serve\t2025-01-01T00:00:00Z\n")->model, "");
    assert_string_equal(read_log("build\tRun vllm serve x/y\t2025-01-01T00:00:00Z a\n")->model, "");
    assert_string_equal(read_log("run.sh: line 3: 1 Killed      vllm serve a/b\n")->model, "");
    assert_string_equal(read_log("+ vllm serve a/b --max-model-len 4096\n")->model, "a/b");
    assert_string_equal(read_log("VLLM_USE_V1=0 vllm serve a/b\n")->model, "a/b");
}

static void test_cause_rows(void **state)
{
    (void)state;
    for (size_t t = 0; t < KVB_CAUSE_TABLES; t++) {
        for (size_t i = 0; i < kvb_cause_tables[t]->count; i++) {
            const struct kvb_cause_row *row = &kvb_cause_tables[t]->rows[i];
            if (kvb_cause_of(row->specimen) != row) {
                fail_msg("'%s' is not taken for its own row '%s'", row->specimen, row->words);
            }
            assert_true(strlen(row->title) > 0 && strlen(row->setting) > 0 && strlen(row->to) > 0);
            assert_true(strlen(row->why) > 0 && strlen(row->why) < sizeof((struct kvb_remedy *)0)->why);
        }
        assert_true(kvb_cause_tables[t]->count >= 30);
    }
}

// Starts that ended before an engine spoke, and a file that llama.cpp does not take: the cause is in the line itself.
static void test_before_the_engine(void **state)
{
    (void)state;
    static const struct {
        const char *log, *title;
    } rows[] = {
        {"docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]].\n",
         "the container has no way to a GPU"},
        {"docker: Error response from daemon: OCI runtime create failed: exit status 1\n"
         "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown\n",
         "the container has no way to a GPU"},
        {"llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'x'\n"
         "llama_model_load_from_file_impl: failed to load model\n",
         "the engine does not know this architecture"},
        {"llama_model_load: error loading model: missing tensor 'blk.0.attn_q.weight'\n",
         "the file's tensors are not those this build expects"},
        {"llama_model_load: error loading model: llama4 model cannot have zero experts\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        assert_int_equal(report->verdict, KVB_LOG_FAILED);
        assert_int_equal(report->failure.about_memory, KVB_LOG_NO);
        if (rows[i].title == NULL) {
            assert_null(report->failure.title);
        } else {
            assert_string_equal(report->failure.title, rows[i].title);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_before_the_engine), cmocka_unit_test(test_endings), cmocka_unit_test(test_tracebacks), cmocka_unit_test(test_wrappers),
              cmocka_unit_test(test_names), cmocka_unit_test(test_verdicts), cmocka_unit_test(test_stamps),
              cmocka_unit_test(test_devices), cmocka_unit_test(test_commands), cmocka_unit_test(test_newest_first),
              cmocka_unit_test(test_cause_rows))
