// The last words of a process: where its exceptions end, what is said beside them, and a stop that comes when something
// is already wrong.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)
#define TENTHS(number) ((number)*GIB / 10)
#define V(minor, patch) KVB_RELEASE(0, minor, patch)
#define LOADED "Model loading took 14.25 GiB and 3.000000 seconds\n"
#define READY LOADED "INFO:     Application startup complete.\n"
#define ANSWERS "INFO:     10.0.0.1:1 - \"POST /v1/completions HTTP/1.1\" 200 OK\n"
#define STOP "INFO:     Shutting down\n"
#define TRACE "Traceback (most recent call last):\n"
#define TRACKER "  File \"/usr/lib/python3.12/multiprocessing/resource_tracker.py\", line 239, in main\n"

// A message is the same whether its line ends, is the last of the file, or is longer than what is read of a line.
static void exceptions_that_end_anyhow(void **state)
{
    (void)state;
    static const char message[] = "ValueError: the moon is too far away";
    static const char *const ends[] = {"", "\n", "\nINFO 03-04 05:06:07 [utils.py:1] more\n", "\n\n\n\n\n\n"};
    static char log[12000], line[5000];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        (void)snprintf(log, sizeof log, LOADED TRACE "  File \"/x/vllm/a.py\", line 239, in main\n%s%s", message,
                       ends[i]);
        const struct kvb_log_report *read = read_log(log);
        assert_int_equal(read->verdict, KVB_LOG_FAILED);
        if (strstr(read->failure.text, message) == NULL) {
            fail_msg("end %zu: '%s'", i, read->failure.text);
        }
    }
    static const size_t lengths[] = {1500, 2900, 4500};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t k = 0; k < 3; k++) { // the end of the file, of the line, and a line that may belong to it
            static const char *const behind[] = {"", "\n", "\nand so on\n"};
            memset(line, 'x', lengths[i]);
            line[lengths[i]] = '\0';
            (void)snprintf(log, sizeof log, LOADED TRACE "  File \"/x/vllm/a.py\", line 239, in main\n%s%s%s", message,
                           line, behind[k]);
            const struct kvb_log_report *read = read_log(log);
            assert_int_equal(read->verdict, KVB_LOG_FAILED);
            assert_non_null(strstr(read->failure.text, message));
            assert_true(strlen(read->failure.text) < KVB_LOG_TEXT_CAPACITY);
        }
    }
}

// A line of a log is no string of JSON because it speaks of a break: what it quotes stays as it stands, whichever
// character ended the line before it.
static void breaks_that_are_spoken_of(void **state)
{
    (void)state;
    static const char *const before[] = {"\n", "\r"};
    static char log[1000];
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(log, sizeof log,
                       LOADED TRACE "  File \"/x/a.py\", line 239, in main\n    call()%s"
                                    "ends in \\n: torch.OutOfMemoryError: CUDA out of memory. Tried \\\"much\\\"\n",
                       before[i]);
        assert_non_null(strstr(read_log(log)->failure.text, "Tried \\\"much\\\""));
    }
}

// Two lines below the tracker's frame stands its exception; three below stands another's.
static void the_line_behind_the_trackers(void **state)
{
    (void)state;
    static const char *const between[] = {"    cache[rtype].remove(name)\n", "    cache[rtype].remove(name)\nso\n"};
    static char log[1000];
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(log, sizeof log, LOADED TRACE TRACKER "%sValueError: the moon is too far away\n", between[i]);
        bool told = strstr(read_log(log)->failure.text, "the moon is too far away") != NULL;
        assert_int_equal(told, i == 1);
    }
}

// The tracker's own exception is none of the server's; one that comes later is.
static void exceptions_beside_the_tracker(void **state)
{
    (void)state;
    const char *later = READY ANSWERS TRACE TRACKER
        "    cache[rtype].remove(name)\nKeyError: '/mp-h1ustgxb'\n" ANSWERS TRACE
        "  File \"/x/vllm/a.py\", line 239, in main\n    tell()\nValueError: the moon is too far away\n";
    const struct kvb_log_report *read = read_log(later);
    assert_int_equal(read->verdict, KVB_LOG_FAILED);
    assert_non_null(strstr(read->failure.text, "the moon is too far away"));
    // Its frame is not the first: the traceback stays a trouble, until requests are answered behind it.
#define DEEPER                                                                                                         \
    TRACE "  File \"/x/vllm/a.py\", line 239, in main\n    tell()\n" TRACKER                                           \
          "    cache[rtype].remove(name)\nKeyError: '/mp-h1ustgxb'\n"
    assert_int_equal(read_log(READY ANSWERS DEEPER ANSWERS)->verdict, KVB_LOG_HEALTHY);
}

// A server that is asked to end when something is already wrong does not end well: that it was asked hides nothing.
static void stops_of_what_is_broken(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        enum kvb_log_verdict verdict;
    } rows[] = {
        {READY ANSWERS STOP "vllm-1 exited with code 1\n", KVB_LOG_HEALTHY},
        {READY "vllm-1 exited with code 1\n" ANSWERS STOP, KVB_LOG_FAILED},
        {READY "Got fatal signal from worker processes, shutting down.\n" ANSWERS STOP "vllm-1 exited with code 1\n",
         KVB_LOG_FAILED},
        {READY "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n" ANSWERS STOP
               "vllm-1 exited with code 1\n",
         KVB_LOG_FAILED},
        {READY ANSWERS TRACE STOP "ValueError: the moon is too far away\n", KVB_LOG_FAILED},
        {LOADED STOP "vllm-1 exited with code 1\n", KVB_LOG_FAILED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (read_log(rows[i].log)->verdict != rows[i].verdict) {
            fail_msg("row %zu: %s", i, kvb_log_verdict_name(read_log(rows[i].log)->verdict));
        }
    }
}

// A server that ends may still say how it is.
static void metrics_behind_a_stop(void **state)
{
    (void)state;
    const struct kvb_log_report *read =
        read_log(READY ANSWERS STOP "vllm:num_requests_running{model_name=\"a/b\"} 3.0\n"
                                    "vllm-1 exited with code 1\n");
    assert_int_equal(read->verdict, KVB_LOG_HEALTHY);
}

// A device that is called by its number alone, and one without a number.
static void names_of_devices(void **state)
{
    (void)state;
    const struct kvb_log_report *read = read_log("load_tensors:        0 model buffer size =  4096.00 MiB\n"
                                                 "load_tensors:        1 model buffer size =  2048.00 MiB\n"
                                                 "load_tensors:    CUDA2 model buffer size =  1024.00 MiB\n");
    assert_true(read->observed[KVB_OBS_WEIGHTS].set);
    assert_int_equal(read->observed[KVB_OBS_WEIGHTS].value, 7168 * MIB);
    read = read_log("load_tensors:    Metal model buffer size =  4096.00 MiB\n");
    assert_int_equal(read->observed[KVB_OBS_WEIGHTS].value, 4096 * MIB);
}

// Digits and colons that are no time of day say nothing of the order of the lines.
static void what_is_no_clock(void **state)
{
    (void)state;
    static const char *const clocks[] = {"1x:06:07", "x1:06:07", "24:06:07", "05:x6:07", "05:06:7x", "05-06:07"};
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        char log[1024];
        (void)snprintf(log, sizeof log,
                       "%s Model loading took 14.25 GiB and 3.000000 seconds\n"
                       "%s Available KV cache memory: 3.75 GiB\n"
                       "%s INFO:     Application startup complete.\n",
                       clocks[i], clocks[i], clocks[i]);
        const struct kvb_log_report *read = read_log(log);
        assert_int_equal(read->verdict, KVB_LOG_HEALTHY);
        assert_int_equal(read->observed[KVB_OBS_KV_CACHE].value, 375 * GIB / 100);
    }
}

// What a build without tags calls itself ("0.1.dev") is a version, but no release of 0.1.
static void versions(void **state)
{
    (void)state;
    static const struct {
        const char *said, *version;
        uint32_t release;
    } rows[] = {
        {"0.19.0", "0.19.0", V(19, 0)},
        {"v0.19.0", "0.19.0", V(19, 0)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char log[512];
        (void)snprintf(log, sizeof log, "INFO 03-04 05:06:07 [utils.py:1] vLLM API server version %s\n" LOADED,
                       rows[i].said);
        const struct kvb_log_report *read = read_log(log);
        assert_string_equal(read->version, rows[i].version);
        assert_int_equal(read->release, rows[i].release);
    }
    const struct kvb_log_report *read =
        read_log("INFO 03-04 05:06:07 [utils.py:1] vLLM API server version 0.1.dev1+g0123abcd4\n" LOADED);
    assert_string_equal(read->version, "0.1.dev1+g0123abcd4");
    assert_int_equal(read->release, 0);
}

// 0.27.0, gpu_worker.py: the peak beside the graphs is the activation, unless a line of its own has said that.
static void peak_that_holds_the_graphs(void **state)
{
    (void)state;
#define USAGE                                                                                                          \
    "Actual usage is 7.75 GiB for consumed memory (weights + non-torch), 1.5 GiB for peak activation, and 0.5 GiB "    \
    "for "                                                                                                             \
    "CUDAGraph memory.\n"
    const struct kvb_log_report *read = read_log(LOADED USAGE);
    assert_int_equal(read->observed[KVB_OBS_PEAK_WITH_GRAPHS].value, TENTHS(15));
    assert_int_equal(read->observed[KVB_OBS_ACTIVATION].value, TENTHS(15));
    read = read_log(LOADED "Actual usage is 7.5 GiB for weight, 1.0 GiB for peak activation, 0.25 GiB for non-torch "
                           "memory, and 0.5 GiB for CUDAGraph memory.\n" USAGE);
    assert_int_equal(read->observed[KVB_OBS_ACTIVATION].value, GIB);
}

// The newer runner captures its graphs once for the estimate, before the pool is sized (gpu/model_runner.py); what the
// older one captures is what the graphs take.
static void graphs_before_the_pool(void **state)
{
    (void)state;
#define ENGINE "INFO 03-04 05:06:17 [core.py:3] Initializing a V1 LLM engine (v0.23.0) with config: model='a/b'\n"
    const struct kvb_log_report *read =
        read_log(ENGINE LOADED "INFO 03-04 05:06:37 [model_runner.py:5] Graph capturing finished in 20 secs, took 0.50 "
                               "GiB\n");
    assert_int_equal(read->observed[KVB_OBS_GRAPH_ESTIMATE].value, TENTHS(5));
    read =
        read_log(ENGINE LOADED "INFO 03-04 05:06:37 [model_runner.py:5] Graph capturing finished in 20 s, 0.50 GiB\n");
    assert_int_equal(read->observed[KVB_OBS_GRAPH_ESTIMATE].value, TENTHS(5));
    read =
        read_log(ENGINE LOADED "INFO 03-04 05:06:37 [gpu_model_runner.py:5] Graph capturing finished in 20 secs, took "
                               "0.50 GiB\n");
    assert_int_equal(read->observed[KVB_OBS_CUDA_GRAPH].value, TENTHS(5));
}

KVB_TEST_MAIN(cmocka_unit_test(exceptions_that_end_anyhow), cmocka_unit_test(the_line_behind_the_trackers),
              cmocka_unit_test(breaks_that_are_spoken_of), cmocka_unit_test(exceptions_beside_the_tracker),
              cmocka_unit_test(stops_of_what_is_broken), cmocka_unit_test(metrics_behind_a_stop),
              cmocka_unit_test(names_of_devices), cmocka_unit_test(what_is_no_clock), cmocka_unit_test(versions),
              cmocka_unit_test(peak_that_holds_the_graphs), cmocka_unit_test(graphs_before_the_pool))
