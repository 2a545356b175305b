// Logs as they are: prefixes, colours, carriage returns, JSON, UTF-16, quoting, wrapping, odd sizes of pieces.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "logs/clean.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define LOADED "Model loading took 8.25 GiB memory and 3.100000 seconds"
#define ESC "\x1b"

// Every one of them says that the weights take 8.25 GiB.
static void test_prefixes(void **state)
{
    (void)state;
    static const char *const lines[] = {
        LOADED,
        "INFO 03-04 05:06:07 model_runner.py:160] " LOADED,
        "INFO 03-04 05:06:07 [gpu_model_runner.py:160] " LOADED "\r",
        "(VllmWorker rank=0 pid=70) INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "(Worker_DP1_TP1_EP3 pid=70) INFO 03-04 05:06:07 [a.py:1] " LOADED,
        ESC "[1;36m(EngineCore_0 pid=11)" ESC "[0;0m " ESC "[36m(RayWorkerWrapper pid=3, ip=10.0.0.1)" ESC
            "[0m INFO " LOADED,
        "(RayWorkerWrapper pid=3) INFO 03-04 05:06:07 [a.py:1] " LOADED ESC "[32m [repeated 3x across cluster]" ESC
        "[0m",
        "[1;36m(EngineCore_0 pid=11)[0;0m INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "^[[36m(RayWorkerWrapper pid=3)^[[0m INFO 03-04 05:06:07 [a.py:1] " LOADED "^M",
        "vllm-1  | INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "{\"log\":\"INFO 03-04 [a.py:1] " LOADED "\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-02T03:04:05Z\"}",
        "{\"asctime\": \"x\", \"name\": \"vllm\", \"message\": \"" LOADED "\"}",
        "2026-01-02T03:04:05.123456789Z stderr F (EngineCore pid=12) INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "2026-01-02T03:04:05.123456789Z (EngineCore pid=12) INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "[pod/vllm-0/vllm] INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "[2026-01-02T03:04:05Z] (EngineCore_DP0 pid=6) INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "Jan 02 03:04:05 host vllm[812]: INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "> INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "Loading: 100%|####| 4/4 [00:02<00:00]\rINFO 03-04 05:06:07 [a.py:1] " LOADED,
        "\x80\xff\xfe INFO 03-04 05:06:07 [a.py:1] " LOADED,
        "INFO 03-04 05:06:07 [a.py:1] Model loading took " ESC "[1m8.25" ESC "[0m GiB memory",
        "INFO 03-04 05:06:07 [a.py:1] Model loading\ntook 8.25 GiB memory",
        "INFO 03-04 05:06:07 [a.py:1] Model loading took 8.25\n    GiB memory",
        "> INFO 03-04 05:06:07 [a.py:1] Model loading took\n> 8.25 GiB memory",
        "vllm-1  | INFO 03-04 05:06:07 [a.py:1] Model loading took\nvllm-1  | 8.25 GiB memory",
        "12:INFO 03-04 05:06:07 [a.py:1] Model load\ning took 8.25 GiB memory",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct kvb_log_report *report = read_log(lines[i]);
        const struct kvb_log_value *weights = &report->observed[KVB_OBS_WEIGHTS];
        if (!weights->set || weights->value != 33 * GIB / 4 || report->verdict != KVB_LOG_HEALTHY) {
            fail_msg("not read: %s", lines[i]);
        }
    }
}

// A container runtime cuts long lines: tag P says that the line goes on, F that it ends.
#define STAMP "2026-11-22T04:26:09.123456789Z "
static void test_parts(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        uint64_t line, lines;
    } rows[] = {
        {STAMP "stderr F one\n" STAMP "stderr P INFO 03-04 [a.py:1] Model loading to\n" STAMP
               "stderr F ok 8.25 GiB memory\n",
         2, 3},
        {STAMP "stderr P INFO 03-04 [a.py:1] Model\n" STAMP "stderr P  loading took 8.\n" STAMP
               "stderr F 25 GiB memory\n" STAMP "stderr F two\n",
         1, 4},
        {STAMP "stderr P INFO 03-04 [a.py:1] Model loading\n" STAMP "stdout F GET /health\n" STAMP
               "stderr F  took 8.25 GiB memory\n",
         1, 3}, // another stream speaks between the parts
        {STAMP "stderr P nothing more of this\n" STAMP "stdout F " LOADED "\n", 2, 2}, // the end never came
        {STAMP "stderr P nothing more of this\n" LOADED "\n", 2, 2},
        {STAMP "stdout P\n" STAMP "stdout F " LOADED, 1, 2}, // a part without text, an end without a break
        {STAMP "stderr P Model loading\n" STAMP "stdout P " LOADED "\n", 2, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t piece = 1; piece < 80; piece++) {
            const struct kvb_log_report *report = read_log_pieces(rows[i].log, strlen(rows[i].log), piece);
            const struct kvb_log_value *weights = &report->observed[KVB_OBS_WEIGHTS];
            if (!weights->set || weights->value != 33 * GIB / 4 || weights->line != rows[i].line ||
                report->line_count != rows[i].lines) {
                fail_msg("row %zu, pieces of %zu: line %d of %d", i, piece, (int)weights->line,
                         (int)report->line_count);
            }
        }
    }
}

// What comes between two parts is held within bounds; beyond them every line stands for itself.
static void test_parts_bounded(void **state)
{
    (void)state;
    static char log[1 << 20];
    for (unsigned other = 0; other < 2; other++) {
        size_t length = (size_t)snprintf(log, sizeof log, STAMP "stderr P begins\n");
        for (unsigned i = 0; i < 10000; i++) {
            length +=
                (size_t)snprintf(log + length, sizeof log - length, STAMP "%s x\n", other ? "stdout F" : "stderr P");
        }
        length += (size_t)snprintf(log + length, sizeof log - length, "end\n" STAMP "stderr F " LOADED "\n");
        const struct kvb_log_report *report = read_log_pieces(log, length, 4096);
        assert_int_equal(report->observed[KVB_OBS_WEIGHTS].line, 10003);
        assert_int_equal(report->line_count, 10003);
    }
}

#define WRAP 80

// A terminal or a mail client breaks every line at column 80, in the middle of words. No head here parts the digits of
// a number: such a figure is not read.
static void test_hard_wraps(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum kvb_failure kind;
        struct {
            enum kvb_observation what;
            int64_t hundredths; // of a GiB
        } want[3];
    } rows[] = {
        {"ValueError: Free memory on device (9.50/23.50 GiB) on startup is less than desired GPU memory utilization "
         "(0.9, 21.15 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.\n",
         KVB_FAILURE_FREE_LESS_THAN_REQUESTED,
         {{KVB_OBS_GPU_FREE, 950}, {KVB_OBS_GPU_MEMORY, 2350}, {KVB_OBS_REQUESTED, 2115}}},
        {"ValueError: To serve at least one request with the model's max seq len (32768), (4.00 GiB KV cache is "
         "needed, which is larger than the available KV cache memory (3.25 GiB). Based on the available memory, the "
         "estimated maximum model length is 26288.\n",
         KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN,
         {{KVB_OBS_NEEDED, 400}, {KVB_OBS_KV_CACHE, 325}, {KVB_OBS_KV_CACHE, 325}}},
        {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 23.50 "
         "GiB of which 0.25 GiB is free. Including non-PyTorch memory, this process has 22.95 GiB memory in use.\n",
         KVB_FAILURE_OOM_LOAD,
         {{KVB_OBS_TRIED_ALLOC, 150}, {KVB_OBS_GPU_MEMORY, 2350}, {KVB_OBS_OOM_FREE, 25}}},
    };
    static const char *const heads[] = {"(EngineCore_DP0 pid=1234) ERROR 11-22 04:26:09 [core.py:708] ",
                                        "(EngineCore pid=12) ERROR 11-22 04:26:09 [core.py:7] ",
                                        "ERROR 11-22 04:26:09 [core.py:708] ", ""};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] * 4; i++) {
        char whole[512];
        char wrapped[520] = "INFO 11-22 04:26:08 [a.py:1] Starting to load model a/b...\n";
        size_t length = strlen(wrapped);
        int size = snprintf(whole, sizeof whole, "%s%s", heads[i % 4], rows[i / 4].line);
        for (int at = 0; at < size; at++) {
            if (at > 0 && at % WRAP == 0) {
                wrapped[length++] = '\n';
            }
            wrapped[length++] = whole[at];
        }
        const struct kvb_log_report *report = read_log_pieces(wrapped, length, 1024);
        bool right = report->failure.kind == rows[i / 4].kind;
        for (size_t k = 0; k < 3; k++) {
            const struct kvb_log_value *value = &report->observed[rows[i / 4].want[k].what];
            int64_t off = value->value - rows[i / 4].want[k].hundredths * GIB / 100;
            right = right && value->set && off > -GIB / 1000 && off < GIB / 1000;
        }
        if (!right) {
            fail_msg("%s\n%.*s", kvb_failure_name(report->failure.kind), (int)length, wrapped);
        }
    }
}

// A break behind the eight characters that the search looks at: the line is taken once.
static void test_taken_once(void **state)
{
    (void)state;
    static const char text[] = "ValueError: Free memory on device (9.50/23.50 GiB) on startup is less than desired GPU "
                               "memory utilization (0.9, 21.15 GiB). Decrease it.\n";
    for (size_t at = 13; at < 25; at++) {
        char wrapped[256];
        (void)snprintf(wrapped, sizeof wrapped, "%.*s\n%s", (int)at, text, text + at);
        const struct kvb_log_report *report = read_log(wrapped);
        assert_int_equal(report->failure.kind, KVB_FAILURE_FREE_LESS_THAN_REQUESTED);
        assert_int_equal(report->observed[KVB_OBS_GPU_FREE].value, 19 * GIB / 2);
        assert_int_equal(report->observed[KVB_OBS_GPU_FREE].count, 1);
    }
}

static void test_utf16(void **state)
{
    (void)state;
    const char *text = LOADED "\n";
    char wide[512];
    for (unsigned big = 0; big < 2; big++) {
        size_t length = 0;
        wide[length++] = big ? '\xfe' : '\xff';
        wide[length++] = big ? '\xff' : '\xfe';
        for (const char *p = text; *p != '\0'; p++) {
            wide[length++] = big ? '\0' : *p;
            wide[length++] = big ? *p : '\0';
        }
        for (size_t piece = 1; piece < 8; piece++) {
            const struct kvb_log_report *report = read_log_pieces(wide, length, piece);
            assert_int_equal(report->observed[KVB_OBS_WEIGHTS].value, 33 * GIB / 4);
            assert_int_equal(report->line_count, 1);
        }
    }
}

// The size of the pieces changes nothing.
static void test_pieces(void **state)
{
    (void)state;
    const char *text = "one\nINFO 03-04 [a.py:1] " LOADED "\r\n"
                       "INFO 03-04 [a.py:1] Available KV cache memory: -1.25 GiB\n"
                       "ERROR 03-04 [a.py:1] ValueError: No available memory for the cache blocks. Try\n";
    for (size_t piece = 1; piece < 64; piece++) {
        const struct kvb_log_report *report = read_log_pieces(text, strlen(text), piece);
        assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
        assert_int_equal(report->failure.line, 4);
        assert_int_equal(report->observed[KVB_OBS_KV_CACHE].value, -5 * GIB / 4);
        assert_int_equal(report->observed[KVB_OBS_KV_CACHE].line, 3);
        assert_int_equal(report->line_count, 4);
        assert_string_equal(report->failure.text, "ValueError: No available memory for the cache blocks. Try");
    }
}

// A line longer than the window is searched to its end, and the lines behind it keep their numbers.
static void test_long_line(void **state)
{
    (void)state;
    struct kvb_log_reader *reader = kvb_log_reader_new();
    static struct kvb_log_report report;
    char block[4096];
    memset(block, 'x', sizeof block);
    kvb_log_reader_feed(reader, "first\n", 6);
    for (int i = 0; i < 300; i++) {
        kvb_log_reader_feed(reader, block, sizeof block);
    }
    const char *rest = " Available KV cache memory: 2.5 GiB\n" LOADED "\n";
    kvb_log_reader_feed(reader, rest, strlen(rest));
    kvb_log_reader_finish(reader, &report);
    kvb_log_reader_free(reader);
    assert_int_equal(report.observed[KVB_OBS_KV_CACHE].value, 5 * GIB / 2);
    assert_int_equal(report.observed[KVB_OBS_KV_CACHE].line, 2);
    assert_int_equal(report.observed[KVB_OBS_WEIGHTS].line, 3);
    assert_int_equal(report.line_count, 3);
}

static void test_binary(void **state)
{
    (void)state;
    char bytes[512];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 37);
    }
    assert_true(read_log_pieces(bytes, sizeof bytes, 64)->not_text);
    assert_false(read_log("")->not_text);
    assert_int_equal(read_log("")->verdict, KVB_LOG_UNKNOWN);
    memset(bytes, 0, sizeof bytes); // a truncated log begins with NULs
    memcpy(bytes + 400, LOADED, strlen(LOADED));
    assert_false(read_log_pieces(bytes, sizeof bytes, 64)->not_text);
}

static void test_closest(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("hello\nthe KV cache and GPU memory " ESC "]0;title\a are low\nAvailable KV cache memory: none\n");
    assert_int_equal(report->verdict, KVB_LOG_UNKNOWN);
    assert_int_equal(report->closest_count, 2);
    for (uint32_t i = 0; i < report->closest_count; i++) {
        assert_null(strchr(report->closest[i].text, 0x1b));
    }
}

static void test_printable(void **state)
{
    (void)state;
    char out[32];
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"plain", "plain"},
        {"  two  blanks\n", "two blanks"},
        {"bell\a", "bell?"},
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
        {"bad \xff\xfe", "bad ??"},
        {"c1 \xc2\x9b"
         "31m",
         "c1 ??31m"}, // a C1 control would start a sequence
        {"\xe2\x80\xae"
         "abc",
         "???abc"}, // right-to-left override
        {"cut \xe2\x96", "cut ??"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_printable(rows[i].in, strlen(rows[i].in), out, sizeof out);
        assert_string_equal(out, rows[i].out);
    }
    kvb_printable("0123456789", 10, out, 5);
    assert_string_equal(out, "0123");
}

static void test_no_memory(void **state)
{
    (void)state;
    kvb_memory_fail_after(1);
    assert_null(kvb_log_reader_new());
    kvb_memory_fail_after(0);
}

KVB_TEST_MAIN(cmocka_unit_test(test_prefixes), cmocka_unit_test(test_parts), cmocka_unit_test(test_parts_bounded),
              cmocka_unit_test(test_hard_wraps), cmocka_unit_test(test_taken_once), cmocka_unit_test(test_utf16),
              cmocka_unit_test(test_pieces), cmocka_unit_test(test_long_line), cmocka_unit_test(test_binary),
              cmocka_unit_test(test_closest), cmocka_unit_test(test_printable), cmocka_unit_test(test_no_memory))
