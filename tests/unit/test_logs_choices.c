// Which of several counts: of exceptions and notices of death, of messages, of starts, of names and of figures that
// come more than once.
#include <string.h>

#include "log_text.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)
#define P "(EngineCore pid=9) INFO 03-04 05:06:07 [a.py:1] "
#define E "(EngineCore pid=9) ERROR 03-04 05:06:07 [a.py:1] "
#define BANNER "INFO 03-04 [a.py:1] vLLM API server version 0.9.2\n"
#define START P "Starting to load model a/b...\n"
#define LOADED P "Model loading took 8.25 GiB memory and 3.1 seconds\n"
#define POOL P "Available KV cache memory: 4.0 GiB\n"
#define TOKENS P "GPU KV cache size: 12,352 tokens\n"
#define CAPTURED P "Graph capturing finished in 20 secs, took 0.50 GiB\n"
#define READY P "init engine (profile, create kv cache, warmup model) took 41.00 seconds\n"
#define FRAME(function) E "  File \"r.py\", line 1, in " function "\n"
#define TRACEBACK E "Traceback (most recent call last):\n"
#define OOM E "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.00 MiB.\n"
#define NO_BLOCKS E "ValueError: No available memory for the cache blocks. Try increasing it.\n"
#define SAMPLER E "RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests.\n"
#define RESET E "ConnectionResetError: [Errno 104] Connection reset by peer\n"
#define CODE_1 "vllm-1 exited with code 1\n"

// Of an exception and a notice of death the first that names a cause; what only follows from a death never does.
static void causes_and_deaths(void **state)
{
    (void)state;
    static const struct {
        const char *log, *text;
        enum kvb_log_answer about_memory;
        bool cause_in_log;
    } rows[] = {
        {LOADED E "ValueError: x\nKilled\n", "ValueError: x", KVB_LOG_NO, true},
        {LOADED "Killed\n" E "ValueError: x\n", "Killed", KVB_LOG_NO, true},
        {LOADED RESET "Killed\n", "Killed", KVB_LOG_NO, true},
        {LOADED "Killed\n" RESET, "Killed", KVB_LOG_NO, true},
        {LOADED RESET CODE_1, "vllm-1 exited with code 1", KVB_LOG_NOT_KNOWN, false},
        {LOADED CODE_1 RESET, "vllm-1 exited with code 1", KVB_LOG_NOT_KNOWN, false},
        {LOADED RESET, "ConnectionResetError: [Errno 104] Connection reset by peer", KVB_LOG_NOT_KNOWN, false},
        {LOADED CODE_1 E "ValueError: x\n", "ValueError: x", KVB_LOG_NO, true},
        {LOADED E "ValueError: x\n" CODE_1, "ValueError: x", KVB_LOG_NO, true},
        {LOADED CODE_1 "Killed\n", "Killed", KVB_LOG_NO, true}, // a notice that tells more
        {LOADED "Killed\n" CODE_1, "Killed", KVB_LOG_NO, true},
        {LOADED "Segmentation fault (core dumped)\n" E "ValueError: x\n", "ValueError: x", KVB_LOG_NO, true},
        {LOADED E "Timed out waiting for engine core processes to start.\n",
         "Timed out waiting for engine core processes to start.", KVB_LOG_NO, true},
        {LOADED "Segmentation fault (core dumped)\nKilled\n", "Killed", KVB_LOG_NO, true},
        {LOADED CODE_1 "Segmentation fault (core dumped)\n", "vllm-1 exited with code 1", KVB_LOG_NOT_KNOWN, false},
        {LOADED "Bus error\nKilled\n", "Bus error", KVB_LOG_NO, true},
        // of exceptions the first, unless a later one says more, or the start went on after the first
        {LOADED E "ValueError: x\n" E "KeyError: y\n", "ValueError: x", KVB_LOG_NO, true},
        {LOADED RESET E "ValueError: y\n", "ValueError: y", KVB_LOG_NO, true},
        {LOADED E "ValueError: y\n" RESET, "ValueError: y", KVB_LOG_NO, true},
        {LOADED E "ValueError: x\n" E "RuntimeError: No CUDA GPUs are available\n",
         "RuntimeError: No CUDA GPUs are available", KVB_LOG_NO, true},
        {START E "ValueError: x\n" LOADED E "KeyError: y\n", "KeyError: y", KVB_LOG_NO, true},
        {START E "ValueError: x\n" CODE_1 LOADED E "KeyError: y\n", "ValueError: x", KVB_LOG_NO, true},
        {START E "ValueError: x\n" E "EngineCore failed to start.\n" LOADED E "KeyError: y\n", "ValueError: x",
         KVB_LOG_NO, true},
        {START E "ValueError: x\n" LOADED TRACEBACK, "ValueError: x", KVB_LOG_NO, true},
        {START LOADED "MemoryError\nMemoryError: y\n", "MemoryError", KVB_LOG_NO, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_failure *failure = &read_log(rows[i].log)->failure;
        if (strcmp(failure->text, rows[i].text) != 0 || failure->about_memory != rows[i].about_memory ||
            failure->cause_in_log != rows[i].cause_in_log) {
            fail_msg("row %zu: '%s', %d, %d", i, failure->text, (int)failure->about_memory, (int)failure->cause_in_log);
        }
    }
    // What the notice says of its reason is not explained by other words on its line.
    const struct kvb_log_failure *failure =
        &read_log(LOADED "x: Detected 1 oom_kill event; No space left on device\n")->failure;
    assert_string_equal(failure->title, "host memory, not GPU memory");
    assert_string_equal(failure->fix, "host memory");
}

// A start that went on after an exception has not failed; one that a wrapper or a death reports has.
static void went_on(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        enum kvb_log_verdict verdict;
    } rows[] = {
        {START E "ValueError: x\n" LOADED, KVB_LOG_INCOMPLETE},
        {START TRACEBACK LOADED, KVB_LOG_INCOMPLETE},
        {START LOADED TRACEBACK, KVB_LOG_FAILED},
        {START LOADED TRACEBACK LOADED, KVB_LOG_INCOMPLETE}, // a draft model, behind a traceback of something else
        {START FRAME("f") LOADED, KVB_LOG_INCOMPLETE},
        {START LOADED FRAME("f"), KVB_LOG_FAILED},
        {START E "ValueError: x\n" CODE_1 LOADED, KVB_LOG_FAILED},
        {START E "ValueError: x\n" E "EngineCore failed to start.\n" LOADED, KVB_LOG_FAILED},
        {START E "ValueError: x\n" LOADED FRAME("f"), KVB_LOG_FAILED},
        {START LOADED E "ValueError: x\n" LOADED, KVB_LOG_FAILED}, // no further than it was
        {START LOADED READY E "ValueError: x\n" READY, KVB_LOG_HEALTHY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        if (report->verdict != rows[i].verdict) {
            fail_msg("row %zu: %s, '%s'", i, kvb_log_verdict_name(report->verdict), report->failure.text);
        }
    }
}

#define CUDA_MALLOC                                                                                                    \
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 0: cudaMalloc failed: out of "       \
    "memory\n"
#define LLAMACPP_LOADED "load_tensors: offloaded 33/33 layers to GPU\n"
#define OLLAMA_BEGUN                                                                                                   \
    "time=2025-12-01T10:00:00.000Z level=INFO source=server.go:1 msg=\"starting llama server\" cmd=\"/x\"\n"
#define V0_BEGUN "INFO [llm_engine.py:9] Initializing a V0 LLM engine (v0.8.4) with config: model='a/b', seed=0\n"

#define FULL                                                                                                           \
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.00 MiB. GPU 0 has a total capacity of 80.00 "   \
    "GiB of which 200.00 MiB is free. Of the allocated memory 79.00 GiB is allocated by PyTorch, and 100.00 MiB is "   \
    "reserved by PyTorch but unallocated.\n"

// Of two messages or function names the one that says where it was.
static void kinds_of_failures(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        enum kvb_failure kind;
    } rows[] = {
        {LOADED FRAME("_dummy_sampler_run") FRAME("profile_run") OOM, KVB_FAILURE_OOM_SAMPLER}, // called inside of it
        {LOADED FRAME("_dummy_sampler_run") FRAME("capture_model") OOM, KVB_FAILURE_OOM_GRAPH},
        {LOADED FRAME("capture_model") FRAME("profile_run") OOM, KVB_FAILURE_OOM_PROFILE},
        {LOADED OOM NO_BLOCKS, KVB_FAILURE_OOM_PROFILE},
        {LOADED NO_BLOCKS OOM, KVB_FAILURE_NEGATIVE_KV},
        {LOADED NO_BLOCKS SAMPLER, KVB_FAILURE_NEGATIVE_KV},
        {LOADED OOM SAMPLER, KVB_FAILURE_OOM_SAMPLER},
        {LOADED OOM SAMPLER FRAME("capture_model"), KVB_FAILURE_OOM_SAMPLER}, // which the message itself said
        {FULL SAMPLER FRAME("capture_model"), KVB_FAILURE_OOM_SAMPLER},
        {FULL FRAME("capture_model") FRAME("profile_run"), KVB_FAILURE_OOM_GRAPH}, // the first behind it
        {FULL "AsyncLLM output_handler failed.\n" FRAME("capture_model"), KVB_FAILURE_OOM_SERVING},
        {START OOM SAMPLER, KVB_FAILURE_OOM_SAMPLER},
        {LOADED READY OOM SAMPLER, KVB_FAILURE_OOM_SAMPLER},
        {FRAME("step_with_batch_queue") LOADED OOM, KVB_FAILURE_OOM_PROFILE}, // it went on after that
        {LOADED FRAME("step_with_batch_queue") OOM, KVB_FAILURE_OOM_SERVING},
        {FRAME("capture_model") LOADED OOM, KVB_FAILURE_OOM_GRAPH}, // another rank still loads
        {LLAMACPP_LOADED CUDA_MALLOC, KVB_FAILURE_OOM_LOAD},
        {LLAMACPP_LOADED "load_tensors: CUDA0 model buffer size = 4096.00 MiB\n" CUDA_MALLOC, KVB_FAILURE_OOM_GRAPH},
        // llama.cpp says behind the failure which buffer it was for; a function name of vLLM behind it says nothing new
        {LLAMACPP_LOADED CUDA_MALLOC "llama_kv_cache: failed to allocate buffer for kv cache\n", KVB_FAILURE_OOM_GRAPH},
        {OLLAMA_BEGUN LLAMACPP_LOADED "CUDA0 KV buffer size = 512.00 MiB\n" CUDA_MALLOC, KVB_FAILURE_OOM_PROFILE},
        {OLLAMA_BEGUN LLAMACPP_LOADED "CUDA0 KV buffer size = 512.00 MiB\n" CUDA_MALLOC
                                      "llama_kv_cache_unified: failed to allocate buffer for kv cache\n",
         KVB_FAILURE_OOM_GRAPH}, // the second of two caches: Ollama runs llama.cpp
        {LOADED OOM FRAME("capture_model"), KVB_FAILURE_OOM_PROFILE},
        {LLAMACPP_LOADED FRAME("_dummy_sampler_run"), KVB_FAILURE_OTHER}, // no name of its own
        {V0_BEGUN LOADED CAPTURED OOM, KVB_FAILURE_OOM_SERVING},          // V0 has warmed its sampler up by then
        {LOADED CAPTURED OOM, KVB_FAILURE_OOM_SAMPLER},
        {"# GPU blocks: 0, # CPU blocks: 512\n" TOKENS, KVB_FAILURE_NEGATIVE_KV},
        // figures of a card that is full while it loads, and a report of a server: the report knows
        {FULL "AsyncLLM output_handler failed.\n", KVB_FAILURE_OOM_SERVING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        bool said = rows[i].kind != KVB_FAILURE_OTHER && strchr(rows[i].log, '#') == NULL; // by what was logged
        if (report->failure.kind != rows[i].kind || report->failure.stage_unknown || report->failure.inferred == said) {
            fail_msg("row %zu: %s, %d", i, kvb_failure_name(report->failure.kind), (int)report->failure.inferred);
        }
    }
    const struct kvb_log_report *report = read_log("# GPU blocks: 0, # CPU blocks: 512\n" TOKENS);
    assert_int_equal(report->failure.line, 1);
    assert_true(report->failure.inferred); // no message says so
    assert_int_equal(read_log("alloc_req_slots runs out of memory\nDecode out of memory. Try to lower your batch "
                              "size\n")
                         ->failure.line,
                     1); // the first of two refusals
    assert_int_equal(
        read_log(LOADED "    raise ValueError('No available memory for the cache blocks. '\n" NO_BLOCKS)->failure.line,
        3); // the message, and not the line of source that holds it
}

// The last start that failed or became ready is shown; one that merely ends does not hide a failure.
static void starts(void **state)
{
    (void)state;
#define LISTENS "main: server is listening on http://127.0.0.1:8080\n"
    static const struct {
        const char *log;
        unsigned count, shown;
    } rows[] = {
        {BANNER LOADED NO_BLOCKS BANNER LOADED, 2, 0},
        {BANNER LOADED BANNER LOADED, 2, 1},
        {BANNER LOADED READY BANNER LOADED, 2, 1},
        {BANNER LOADED NO_BLOCKS BANNER LOADED READY, 2, 1},
        {BANNER LOADED NO_BLOCKS BANNER LOADED NO_BLOCKS BANNER LOADED, 3, 1},
        {BANNER START BANNER, 1, 0}, // weights were not loaded: it is the same start
        {BANNER LOADED LOADED, 1, 0},
        {BANNER LOADED READY LOADED, 1, 0},
        {LOADED NO_BLOCKS START, 2, 0},
        {LOADED START, 1, 0},
        {LOADED NO_BLOCKS "Loading safetensors checkpoint shards:  50% Completed | 1/2\n", 1, 0},
        {LOADED E "ValueError: x\n" BANNER, 2, 0},
        {START RESET BANNER, 1, 0}, // which may follow from anything
        {START CODE_1 BANNER, 2, 0},
        {START E "EngineCore failed to start.\n" BANNER, 2, 0},
        {LLAMACPP_LOADED LLAMACPP_LOADED, 1, 0}, // a draft model beside the model
        {LLAMACPP_LOADED LISTENS LLAMACPP_LOADED, 2, 1},
        {LLAMACPP_LOADED CUDA_MALLOC LLAMACPP_LOADED, 2, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        if (report->run_count != rows[i].count || report->run_shown != rows[i].shown) {
            fail_msg("row %zu: %u of %u", i, (unsigned)report->run_shown, (unsigned)report->run_count);
        }
    }
}

// What a line says of how far the start was.
static void stages(void **state)
{
    (void)state;
#define WEIGHTS "[2025-12-01 10:00:02] Load weight begin. avail mem=78.60 GB\n"
#define ITEMS P "Encoder cache will be initialized with a budget of 16384 tokens, and profiled with 1 image items\n"
    static const struct {
        const char *log;
        enum kvb_log_stage stage;
    } rows[] = {
        {START ITEMS, KVB_STAGE_LOADED}, // the first thing that vLLM's profiling says
        {START "Try lowering --gpu-memory-utilization to free memory for weights\n", KVB_STAGE_LOADING},
        {WEIGHTS "Automatically reduce --mem-fraction-static to 0.750 because this is a multimodal model.\n",
         KVB_STAGE_LOADING},
        {LOADED POOL START, KVB_STAGE_SIZED}, // a draft model is loaded behind it
        {P "Free memory on device (23.0/23.5 GiB) on startup. Desired GPU memory utilization is (0.8, 18.8 GiB).\n",
         KVB_STAGE_READY},
        {CAPTURED, KVB_STAGE_CAPTURED},
        // what a failure says of it where no line did
        {E "Failed to load model - not enough GPU memory. Try lowering it\n", KVB_STAGE_LOADING},
        {SAMPLER, KVB_STAGE_LOADED},
        {"RuntimeError: No enough gpu memory for runtime.\n", KVB_STAGE_LOADED},
        {"Exception: Capture cuda graph failed: it ran out of memory\n", KVB_STAGE_SIZED},
        {LOADED FRAME("step_with_batch_queue") OOM, KVB_STAGE_SERVING},
        {START FRAME("capture_model") E "ValueError: x\n", KVB_STAGE_SIZED},
        {LOADED POOL TOKENS CAPTURED FRAME("load_model") E "ValueError: x\n", KVB_STAGE_CAPTURED}, // it was further
        {LOADED "AsyncLLM output_handler failed.\n" E "ValueError: x\n", KVB_STAGE_SERVING},
        {LOADED E "EngineCore failed to start.\n" E "ValueError: x\n", KVB_STAGE_LOADED},
        {LOADED "AsyncLLM output_handler failed.\n" NO_BLOCKS, KVB_STAGE_LOADED},
        {FULL, KVB_STAGE_NOTHING}, // the message alone does not
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_log(rows[i].log)->stage, rows[i].stage);
    }
}

#define ARGUMENTS(more) P "non-default args: {'model': 'a/b', 'max_model_len': 8192" more "}\n"
#define SUMMARY                                                                                                        \
    P "Free memory on device (23.0/23.5 GiB) on startup. Desired GPU memory utilization is (0.9, 21.15 GiB).\n"

// Where it says that it is ready, or else the last line before that.
static void line_that_worked(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        uint64_t line;
    } rows[] = {
        {BANNER ARGUMENTS("") LOADED POOL SUMMARY BANNER ARGUMENTS(", 'max_num_seqs': 512") START OOM, 5},
        {BANNER ARGUMENTS("") LOADED POOL READY SUMMARY BANNER ARGUMENTS(", 'max_num_seqs': 512") START OOM, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_lesson *lesson = &read_log(rows[i].log)->lesson;
        assert_true(lesson->known);
        assert_int_equal(lesson->first_line, 1);
        assert_int_equal(lesson->ready_line, rows[i].line);
    }
    // One that merely ends, and one that worked, learn nothing.
    assert_false(
        read_log(BANNER ARGUMENTS("") LOADED READY BANNER ARGUMENTS(", 'max_num_seqs': 512") START)->lesson.known);
    assert_false(
        read_log(BANNER ARGUMENTS(", 'max_num_seqs': 512") START OOM BANNER ARGUMENTS("") LOADED READY)->lesson.known);
}

// ---- Who and what, said more than once

static void names(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("llama_model_load: using device CUDA0 (NVIDIA X 1) - 24000 MiB free\n"
                 "llama_model_load: using device CUDA0 (NVIDIA X 2) - 23000 MiB free\n");
    assert_string_equal(report->gpu, "NVIDIA X 1");
    assert_string_equal(read_log("INFO [a.py:1] vLLM API server version v0.9.2\n")->version, "0.9.2");
    assert_string_equal(read_log("INFO [a.py:1] vLLM API server version dev\n")->version, "");
    report = read_log("$ python -m vllm.entrypoints.openai.api_server --model a/b --tensor-parallel-size 2\n");
    assert_string_equal(report->model, "a/b");
    assert_int_equal(report->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].number, 2);
    // The stamps of vLLM's files say nothing of another engine's release.
#define STAMPED                                                                                                        \
    E "x\n(EngineCore pid=9) ERROR 03-04 05:06:07 [core.py:1108] torch.OutOfMemoryError: CUDA out of memory.\n"
    report = read_log(STAMPED);
    assert_int_equal(report->engine, KVB_LOG_VLLM);
    assert_int_equal(report->since, KVB_RELEASE(0, 19, 0));
    assert_true(report->until != 0);
    assert_int_equal(read_log("INFO 03-04 05:06:07 [core.py:1108] Set VLLM_CPU_KVCACHE_SPACE\n")->since, 0); // a remark
    report = read_log(WEIGHTS STAMPED);
    assert_int_equal(report->engine, KVB_LOG_SGLANG);
    assert_int_equal(report->since, 0);
    assert_int_equal(report->until, 0);
}

#define PAGED(gib, tokens)                                                                                             \
    "[TensorRT-LLM][INFO] [MemUsageChange] Allocated " gib " GiB for max tokens in paged KV cache (" tokens ").\n"
#define OLLAMA "level=INFO msg=\"Listening on 127.0.0.1:11434 (version 0.11.4)\"\n"
#define OLLAMA_CACHE(device) "level=INFO msg=\"kv cache\" device=" device " size=\"1.0 GiB\"\n"
#define CACHE(device) "llama_kv_cache:      " device " KV buffer size =   512.00 MiB\n"

static void figures(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        enum kvb_observation what;
        int64_t value;
    } rows[] = {
        // TensorRT-LLM sizes a small pool, measures, and makes the real one: the last counts
        {PAGED("2.50", "20480") PAGED("7.50", "61440"), KVB_OBS_KV_CACHE, 15 * GIB / 2},
        {PAGED("2.50", "20480") PAGED("7.50", "61440"), KVB_OBS_KV_TOKENS, 61440},
        {PAGED("7.50", "61440") PAGED("2.50", "20480"), KVB_OBS_KV_CACHE, 5 * GIB / 2},
        // Ollama's engine says the cache of a device whenever it fits it anew; llama.cpp says each cache of it once
        {OLLAMA OLLAMA_CACHE("CUDA0") OLLAMA_CACHE("CUDA0"), KVB_OBS_KV_CACHE, GIB},
        {OLLAMA OLLAMA_CACHE("CUDA0") OLLAMA_CACHE("CUDA1") OLLAMA_CACHE("CUDA1"), KVB_OBS_KV_CACHE, 2 * GIB},
        {LLAMACPP_LOADED CACHE("CUDA0") CACHE("CUDA0") CACHE("CUDA1"), KVB_OBS_KV_CACHE, 1536 * MIB},
        // what is estimated stands for graphs that were not measured
        {P "Estimated CUDA graph memory: 0.75 GiB total\n", KVB_OBS_CUDA_GRAPH, 3 * GIB / 4},
        {P "Estimated CUDA graph memory: 0.75 GiB total\n" CAPTURED, KVB_OBS_CUDA_GRAPH, GIB / 2},
        // what no machine has is none of a device either
        {LLAMACPP_LOADED "load_tensors: CUDA0 model buffer size = 1073741824.00 MiB\n", KVB_OBS_WEIGHTS,
         INT64_C(1) << 50},
        {LLAMACPP_LOADED "load_tensors: CUDA0 model buffer size = 1073741825.00 MiB\n", KVB_OBS_WEIGHTS, 0},
        {"failed to allocate CUDA0 buffer of size 1125899906842624\n", KVB_OBS_TRIED_ALLOC, INT64_C(1) << 50},
        {"failed to allocate CUDA0 buffer of size 1125899906842625\n", KVB_OBS_TRIED_ALLOC, 0},
        {"failed to allocate CPU buffer of size 1073741824\n", KVB_OBS_TRIED_ALLOC, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_value *value = &read_log(rows[i].log)->observed[rows[i].what];
        if (value->value != rows[i].value || value->set != (rows[i].value != 0)) {
            fail_msg("row %zu: %lld", i, (long long)value->value);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(causes_and_deaths), cmocka_unit_test(went_on), cmocka_unit_test(kinds_of_failures),
              cmocka_unit_test(starts), cmocka_unit_test(stages), cmocka_unit_test(line_that_worked),
              cmocka_unit_test(names), cmocka_unit_test(figures))
