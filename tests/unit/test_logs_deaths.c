// How starts end and go on: exit codes, failures that were recovered from, messages that quote themselves; and lines in
// parts, alone.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <stdio.h>
#include <string.h>

#include "guarded.h"
#include "log_text.h"
#include "logs/parts.h"
#include "logs/stamps.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define LOADED "Model loading took 14.25 GiB and 3.000000 seconds\n"
#define HOST "host memory, not GPU memory"
#define CRASH "the process crashed"

// What a code of exit says of the cause: 128 + the signal's number, or the number itself.
static void exit_codes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *title;
        bool failed;
    } rows[] = {
        {"vllm-1 exited with code 0", NULL, false},
        {"vllm-1 exited with code 143", NULL, false}, // asked to end
        {"vllm-1 exited with code 1", NULL, true},
        {"vllm-1 exited with code 137", HOST, true},
        {"  exitcode  : -9 (pid: 12)", HOST, true},
        {"process 0 terminated with signal 9", HOST, true},
        {"vllm-1 exited with code 139", CRASH, true},
        {"vllm-1 exited with code 134", CRASH, true},
        {"  exitcode  : -11 (pid: 12)", CRASH, true},
        {"  exitcode  : -6 (pid: 12)", CRASH, true},
        {"vllm-1 exited with code 132", CRASH, true},
        {"vllm-1 exited with code 136", CRASH, true}, // SIGILL, SIGFPE
        {"  exitcode  : -4 (pid: 12)", CRASH, true},
        {"  exitcode  : -8 (pid: 12)", CRASH, true},
        {"  exitcode  : 11 (pid: 12)", CRASH, true},
        {"vllm-1 exited with code 133", NULL, true},
        {"  exitcode  : -7 (pid: 12)", NULL, true},
        // systemd, src/core/unit.c and service.c; Ray, src/ray/raylet/node_manager.cc
        {"systemd[1]: ollama.service: A process of this unit has been killed by the OOM killer.", HOST, true},
        {"systemd[1]: ollama.service: Failed with result 'oom-kill'.", HOST, true},
        {"(raylet) [2026-04-02 15:02:00,117 E 135 135] (raylet) node_manager.cc:3277: 2 Workers (tasks / actors) "
         "killed "
         "due to memory pressure (OOM), 0 Workers crashed due to other reasons at node",
         HOST, true},
        {"(raylet) [2026-04-02 15:02:00,117 E 135 135] (raylet) node_manager.cc:3277: 0 Workers (tasks / actors) "
         "killed "
         "due to memory pressure (OOM), 2 Workers crashed due to other reasons at node",
         NULL, false},
        // Ray names what may have been, and nobody knows whether it was
        {"The actor is dead because its worker process has died. Some common causes include: (1) the process was "
         "killed by "
         "the OOM killer due to high memory usage, (2) ray stop --force was called",
         NULL, false},
        // an assertion of ggml, in both its forms, and behind words of Ollama's
        {"D:\\x\\ggml.c:1554: GGML_ASSERT(view_src == NULL) failed", CRASH, true},
        {"......GGML_ASSERT: D:\\x\\ggml-cuda.cu:5925: false", CRASH, true},
        {"Error: llama runner process has terminated: GGML_ASSERT(tensor->op == GGML_OP_UNARY) failed", CRASH, true},
        {"Error: llama runner process has terminated: error:fault", CRASH, true},
        // Windows: an access violation, a stack that was overrun
        {"Error: llama runner process has terminated: exit status 0xc0000409", CRASH, true},
        {"Error: llama runner process has terminated: exit status 0xc0000005", CRASH, true},
        {"Error: llama runner process has terminated: exit status 2", NULL, true},
        // SGLang, engine.py, and vLLM, v1/engine/utils.py: what multiprocessing says of the process
        {"[2026-04-26 14:38:11] Exit code: -9", HOST, true},
        {"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore': "
         "-9}",
         HOST, true},
        {"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): "
         "{'EngineCore_DP0': "
         "-11}",
         CRASH, true},
        {"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore': "
         "1}",
         NULL, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char log[512] = LOADED;
        strcat(log, rows[i].text);
        const struct kvb_log_report *report = read_log(log);
        const char *title = report->failure.title;
        assert_int_equal(report->notes[KVB_NOTE_HOST_MEMORY],
                         rows[i].title != NULL && strcmp(rows[i].title, HOST) == 0);
        bool same = title == NULL || rows[i].title == NULL ? title == rows[i].title : strcmp(title, rows[i].title) == 0;
        if ((report->verdict == KVB_LOG_FAILED) != rows[i].failed || !same) {
            fail_msg("'%s': %s, %s", rows[i].text, kvb_log_verdict_name(report->verdict), title ? title : "no title");
        }
    }
}

#define CUDA_MALLOC                                                                                                    \
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 0: cudaMalloc failed: out of "       \
    "memory\n"

// llama.cpp tries again with less.
static void tried_again(void **state)
{
    (void)state;
    const struct kvb_log_report *report = read_log(CUDA_MALLOC);
    assert_int_equal(report->verdict, KVB_LOG_FAILED);
    assert_true(report->observed[KVB_OBS_TRIED_ALLOC].set);
    report = read_log(CUDA_MALLOC "graph_reserve: retrying without pipeline parallelism\n"
                                  "main: server is listening on http://127.0.0.1:8080\n");
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    assert_int_equal(report->failure.kind, KVB_FAILURE_NONE);
    assert_false(report->observed[KVB_OBS_TRIED_ALLOC].set);
}

// A traceback shows the line of source that holds the message before the message itself, with its figures.
static void quoted_source(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log(LOADED "    raise ValueError(\"No available memory for the cache blocks. \"\n"
                        "ValueError: No available memory for the cache blocks. Try increasing it.\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
    assert_int_equal(report->failure.line, 3);
    report = read_log(LOADED "ValueError: No available memory for the cache blocks. Try increasing it.\n"
                             "ValueError: No available memory for the cache blocks. Try increasing it.\n");
    assert_int_equal(report->failure.line, 2); // the first of two messages
    // A refusal of another kind gives way to one about memory; the other way round it does not.
    report = read_log("alloc_req_slots runs out of memory\n"
                      "ValueError: No available memory for the cache blocks. Try increasing it.\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
    report = read_log("ValueError: No available memory for the cache blocks. Try increasing it.\n"
                      "alloc_req_slots runs out of memory\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
}

static void communication(void **state)
{
    (void)state;
    assert_true(read_log("Last error: Failed to CUDA calloc async 16 bytes\n")->notes[KVB_NOTE_NCCL_OOM]);
    assert_false(read_log(CUDA_MALLOC)->notes[KVB_NOTE_NCCL_OOM]);
}

// Of two pools the tokens of full layers count; a pool in two parts is their sum.
static void pools(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("[TP0] KV Cache is allocated. #tokens: 20480, K size: 1.25 GB, V size: 1.50 GB\n"
                 "[TP0] Use sliding window memory pool. full_layer_tokens=706807, swa_layer_tokens=21204\n");
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].value, 706807);
    assert_int_equal(report->observed[KVB_OBS_KV_CACHE].value, 11 * GIB / 4);
    report = read_log("[TP0] KV Cache is allocated. #tokens: 20480, K size: 1.25 GB, V size: 1.50 GB\n"
                      "[TP1] KV Cache is allocated. #tokens: 20480, K size: 0.75 GB, V size: 1.00 GB\n");
    assert_int_equal(report->observed[KVB_OBS_KV_CACHE].value, 7 * GIB / 4); // the smaller rank's
    assert_int_equal(report->observed[KVB_OBS_KV_CACHE].low, 7 * GIB / 4);
    assert_int_equal(report->observed[KVB_OBS_KV_CACHE].high, 11 * GIB / 4);
    report = read_log("[TP0] KV Cache is allocated. #tokens: 20480, K size: 1.25 GB, V size: 99999999999.00 GB\n");
    assert_false(report->observed[KVB_OBS_KV_CACHE].set); // values that no machine holds
    report = read_log("[TP0] KV Cache is allocated. #tokens: 20480, KV size: 2.50 GB\n"
                      "[TP1] KV Cache is allocated. #tokens: 20480, K size: 1.25 GB, V size: 1.50 GB\n");
    assert_int_equal(report->observed[KVB_OBS_KV_CACHE].value, 5 * GIB / 2); // said as a whole
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].value, 20480);
}

// llama.cpp says which buffer it could not have behind the failure.
static void named_behind(void **state)
{
    (void)state;
    assert_int_equal(read_log(CUDA_MALLOC "alloc_tensor_range: failed\n")->failure.kind, KVB_FAILURE_OOM_LOAD);
    assert_int_equal(read_log(CUDA_MALLOC "failed to allocate buffer for kv cache\n")->failure.kind,
                     KVB_FAILURE_OOM_GRAPH);
    assert_int_equal(read_log("main: server is listening on http://127.0.0.1:8080\n" CUDA_MALLOC
                              "failed to allocate buffer for kv cache\n")
                         ->failure.kind,
                     KVB_FAILURE_OOM_SERVING); // such a server has all its buffers
}

// A failed allocation that cannot say who holds the card is one, by the stage it came at.
static void without_nvml(void **state)
{
    (void)state;
#define NVML                                                                                                           \
    "RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at \"/pytorch/c10/cuda/CUDACachingAllocator.cpp\":1016\n"
    assert_int_equal(read_log("Starting to load model a/b...\n" NVML)->failure.kind, KVB_FAILURE_OOM_LOAD);
    assert_int_equal(read_log("GPU KV cache size: 12,352 tokens\n" NVML)->failure.kind, KVB_FAILURE_OOM_GRAPH);
}

// 0.18 and 0.19 profile graphs with an override of their own, over no blocks: nobody asked for that one.
static void overridden_by_itself(void **state)
{
    (void)state;
#define OVERRIDE(from, to)                                                                                             \
    "INFO 03-04 05:06:07 [kv_cache_utils.py:1] Overriding num_gpu_blocks=" from " with num_gpu_blocks_override=" to "\n"
    const struct kvb_log_report *report = read_log(OVERRIDE("0", "512"));
    assert_false(report->observed[KVB_OBS_OVERRIDDEN_BLOCKS].set);
    assert_false(report->observed[KVB_OBS_NUM_GPU_BLOCKS].set);
    report = read_log(OVERRIDE("0", "512") OVERRIDE("1200", "900"));
    assert_int_equal(report->observed[KVB_OBS_OVERRIDDEN_BLOCKS].value, 1200);
    assert_int_equal(report->observed[KVB_OBS_NUM_GPU_BLOCKS].value, 900);
}

// ---- Stamps

static void stamps(void **state)
{
    (void)state;
    const struct kvb_stamp_row *row = &kvb_stamp_rows[0];
    char line[160];
    assert_true(kvb_stamp_row_count > 0);
    static const struct {
        const char *format; // of the file's name and the number
        bool found;
    } rows[] = {
        {"INFO 01-02 [%s:%u] x", true},
        {"(%s:%u]", true},
        {"%s:%u] x", true},
        {"%s:%u]", true},
        {"[%s:%u", false},
        {"[%s:%u)", false},
        {"[%s:]%u ", false},
        {"[x%s:%u] y", false},
        {"[%s:1%u] y", false},
        {"[%s:000000%u] y", true},
        {"[a.py:1] [%s:%u] y", true},
        {"[%s:%u] [a.py:1]", true},
        {"[%s:999999%u]", false},
        {"[x-%s:%u]", true},
        {"[%s %u] y", false}, // a colon, and no other
        {"[%s.%u] y", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int length = snprintf(line, sizeof line, rows[i].format, row->file, row->line);
        for (unsigned end = 0; end < 2; end++) { // nothing is read before it nor behind it
            const struct kvb_stamp_row *found = kvb_stamp_of(guarded(line, (size_t)length, end != 0), (size_t)length);
            if ((found != NULL) != rows[i].found) {
                fail_msg("'%s': %s", line, found != NULL ? "found" : "not found");
            }
        }
    }
    // A longer name is another file's.
    char longer[200] = "[";
    memset(longer + 1, 'x', 60);
    (void)snprintf(longer + 61, sizeof longer - 61, "%s:%u]", row->file, row->line);
    assert_null(kvb_stamp_of(longer, strlen(longer)));
}

// ---- Parts

static char joined[512];

static void keep(void *context, const char *bytes, size_t length)
{
    (void)context;
    strncat(joined, bytes, length);
}

static const char *join(const char *text)
{
    static struct kvb_parts parts;
    memset(&parts, 0, sizeof parts);
    joined[0] = '\0';
    kvb_parts_feed(&parts, text, strlen(text), keep, NULL);
    kvb_parts_finish(&parts, keep, NULL);
    return joined;
}

#define AT "2026-11-22T04:26:09.5Z "

static void parts_alone(void **state)
{
    (void)state;
    static const char *const same[] = {
        AT "stderr F one\n",
        AT "stderr X one\nstderr F two\n",
        AT "stdxxx P one\nstderr F two\n",
        AT "stdoutP one\nstderr F two\n",
        AT "xxxxxx P one\nstderr F two\n",
        AT "stderr PX one\nstderr F two\n",
        "2026-11-22T04:26:09.5\n",
        "2026-11-22\n",
        "2026-11-2",
        "2026/11/22T04:26:09Z stderr P one\n" AT "stderr F two\n",
        "202:-11-22T04:26:09Z stderr P one\n" AT "stderr F two\n",
        "202/-11-22T04:26:09Z stderr P one\n" AT "stderr F two\n",
        "2026-11-22T04:26:09Zabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n",
        ":026-11-22T04:26:09Z stderr P one\n" AT "stderr F two\n",
        "/026-11-22T04:26:09Z stderr P one\n" AT "stderr F two\n",
        "\n\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        assert_string_equal(join(same[i]), same[i]);
    }
    assert_string_equal(join(AT "stderr P one\n" AT "stderr F two\n"), AT "stderr P onetwo\n\n");
    assert_string_equal(join(AT "stdout P one\n" AT "stdout P two\n" AT "stdout F three\nx\n"),
                        AT "stdout P onetwothree\n\n\nx\n");
    assert_string_equal(join(AT "stdout P one\n" AT "stderr F two\n" AT "stdout F three\n"),
                        AT "stdout P onethree\n" AT "stderr F two\n\n");
    assert_string_equal(join(AT "stdout P\n" AT "stdout F two"), AT "stdout Ptwo\n\n"); // its end is one
    assert_string_equal(join(AT "stdout P one\n"), AT "stdout P one\n");
}

KVB_TEST_MAIN(cmocka_unit_test(exit_codes), cmocka_unit_test(tried_again), cmocka_unit_test(quoted_source),
              cmocka_unit_test(communication), cmocka_unit_test(pools), cmocka_unit_test(named_behind),
              cmocka_unit_test(without_nvml), cmocka_unit_test(overridden_by_itself), cmocka_unit_test(stamps),
              cmocka_unit_test(parts_alone))
