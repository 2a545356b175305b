// Every bound in the reading of a log, on both sides: figures of a message, lines between two that belong together,
// figures no machine has, clocks, restarts, devices, and lines that begin a record.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "logs/lines.h"
#include "logs/run.h"
#include "unit/test.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)
#define NOT_SAID (-1)

// ---- The message alone

static void say(struct kvb_attempt *attempt, enum kvb_observation what, int64_t bytes)
{
    attempt->facts.observed[what] =
        (struct kvb_log_value){.set = bytes != NOT_SAID, .value = bytes != NOT_SAID ? bytes : 0};
}

// What is in private pools belongs to graphs; 2 MiB are the smallest segment of PyTorch's allocator (kSmallBuffer of
// CUDACachingAllocator.cpp); what is reserved and not allocated grows while a server runs.
static void messages_alone(void **state)
{
    (void)state;
    static const struct {
        int64_t tried, free, total, slack, held, graphs;
        enum kvb_failure kind;
    } rows[] = {
        {1024 * MIB - 1, 0, 80 * GIB, 5 * MIB, 100 * MIB, MIB, KVB_FAILURE_OOM_GRAPH},
        {1024 * MIB, 0, 80 * GIB, 5 * MIB, 100 * MIB, MIB, KVB_FAILURE_OOM_SERVING},
        {MIB, 0, 80 * GIB, 5 * MIB + 1, 100 * MIB, MIB, KVB_FAILURE_OOM_SERVING},
        {2 * MIB, 0, 80 * GIB, 0, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_GRAPH},
        {2 * MIB + 1, 0, 80 * GIB, 0, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_LOAD},
        {NOT_SAID, 0, 80 * GIB, 0, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_LOAD},
        {GIB, 8 * GIB, 80 * GIB, 0, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_LOAD},
        {GIB, 8 * GIB + 1, 80 * GIB, 0, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_PROFILE},
        {GIB, 8 * GIB, 80 * GIB, NOT_SAID, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_SERVING},
        {GIB, NOT_SAID, NOT_SAID, NOT_SAID, NOT_SAID, NOT_SAID, KVB_FAILURE_OOM_SERVING},
        {3 * MIB, 0, 80 * GIB, 3 * MIB, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_SERVING},
        {3 * MIB + 1, 0, 80 * GIB, 3 * MIB, 100 * MIB, NOT_SAID, KVB_FAILURE_OOM_LOAD},
        {3 * MIB, 0, 80 * GIB, 3 * MIB, 150 * MIB, NOT_SAID, KVB_FAILURE_OOM_LOAD},
        {3 * MIB, 0, 80 * GIB, 3 * MIB, 149 * MIB, NOT_SAID, KVB_FAILURE_OOM_SERVING},
    };
    static struct kvb_attempt attempt;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&attempt, 0, sizeof attempt);
        say(&attempt, KVB_OBS_TRIED_ALLOC, rows[i].tried);
        say(&attempt, KVB_OBS_OOM_FREE, rows[i].free);
        say(&attempt, KVB_OBS_GPU_MEMORY, rows[i].total);
        say(&attempt, KVB_OBS_OOM_UNALLOCATED, rows[i].slack);
        say(&attempt, KVB_OBS_OOM_ALLOCATED, rows[i].held);
        say(&attempt, KVB_OBS_OOM_PRIVATE, rows[i].graphs);
        if (kvb_stage_of_message(&attempt) != rows[i].kind) {
            fail_msg("row %zu: %s", i, kvb_failure_name(kvb_stage_of_message(&attempt)));
        }
        attempt.side = KVB_SIDE_START; // which rules serving out
        enum kvb_failure started = rows[i].kind != KVB_FAILURE_OOM_SERVING ? rows[i].kind
                                   : rows[i].graphs != NOT_SAID            ? KVB_FAILURE_OOM_GRAPH
                                                                           : KVB_FAILURE_OOM_LOAD;
        assert_int_equal(kvb_stage_of_message(&attempt), started);
    }
}

// ---- Lines that belong together

#define P "(EngineCore pid=9) INFO 03-04 05:06:07 [a.py:1] "
#define E "(EngineCore pid=9) ERROR 03-04 05:06:07 [a.py:1] "
#define LOADED P "Model loading took 8.25 GiB memory and 3.1 seconds\n"
#define READY P "init engine (profile, create kv cache, warmup model) took 41.00 seconds\n"
#define OOM E "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.00 MiB.\n"
#define LOAD_OOM                                                                                                       \
    E "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.00 MiB. GPU 0 has a total capacity of 80.00 " \
      "GiB of which 200.00 MiB is free. Of the allocated memory 79.00 GiB is allocated by PyTorch, and 100.00 MiB is " \
      "reserved by PyTorch but unallocated.\n"
#define FRAME(function) E "  File \"r.py\", line 1, in " function "\n"
#define NO_BLOCKS E "ValueError: No available memory for the cache blocks. Try increasing it.\n"
#define BAD_REQUEST LOADED READY "ERROR:    Exception in ASGI application\n"

static const struct kvb_log_report *read_apart(const char *first, unsigned lines, const char *second)
{
    static char log[64 * 1024];
    size_t length = (size_t)snprintf(log, sizeof log, "%s", first);
    for (unsigned i = 1; i < lines; i++) { // the second begins so many lines behind the last of the first
        memcpy(log + length, "x\n", 2);
        length += 2;
    }
    length += (size_t)snprintf(log + length, sizeof log - length, "%s", second);
    return read_log_pieces(log, length, 4096);
}

static void lines_apart(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        unsigned most; // lines between them at which they still belong together
        enum kvb_failure near, far;
    } rows[] = {
        {LOADED FRAME("capture_model"), OOM, 400, KVB_FAILURE_OOM_GRAPH, KVB_FAILURE_OOM_PROFILE},
        {LOADED FRAME("capture_model"), FRAME("run_busy_loop") OOM, 60, KVB_FAILURE_OOM_GRAPH, KVB_FAILURE_OOM_SERVING},
        {LOAD_OOM, FRAME("capture_model"), 11, KVB_FAILURE_OOM_GRAPH, KVB_FAILURE_OOM_LOAD},
        {BAD_REQUEST, "ValueError: x\n", 299, KVB_FAILURE_NONE, KVB_FAILURE_OTHER},
        {BAD_REQUEST, "Traceback (most recent call last):\n", 299, KVB_FAILURE_NONE, KVB_FAILURE_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_apart(rows[i].first, rows[i].most, rows[i].second);
        if (report->failure.kind != rows[i].near || report->failure.inferred) {
            fail_msg("row %zu, %u lines: %s", i, rows[i].most, kvb_failure_name(report->failure.kind));
        }
        report = read_apart(rows[i].first, rows[i].most + 1, rows[i].second);
        if (report->failure.kind != rows[i].far) {
            fail_msg("row %zu, %u lines: %s", i, rows[i].most + 1, kvb_failure_name(report->failure.kind));
        }
    }
    // The line of source that a traceback quotes is line 2; the message itself follows within 200.
    static const char source[] = LOADED "    raise ValueError(\"No available memory for the cache blocks. \"\n";
    assert_int_equal(read_apart(source, 199, NO_BLOCKS)->failure.line, 201);
    assert_false(read_apart(source, 199, NO_BLOCKS)->failure.inferred); // the message says it
    assert_int_equal(read_apart(source, 200, NO_BLOCKS)->failure.line, 2);
}

// A traceback that is cut in one of the two places that fail for hardly any other reason than memory.
static void cut_tracebacks(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        enum kvb_failure kind;
    } rows[] = {
#define TRACE E "Traceback (most recent call last):\n"
#define ITEMS P "Encoder cache will be initialized with a budget of 16384 tokens, and profiled with 1 image items\n"
        {LOADED TRACE FRAME("_dummy_sampler_run"), KVB_FAILURE_OOM_SAMPLER},
        {LOADED ITEMS TRACE FRAME("profile_run"), KVB_FAILURE_OOM_PROFILE},
        {LOADED TRACE FRAME("profile_run"), KVB_FAILURE_OTHER},
        {LOADED TRACE FRAME("_dummy_sampler_run") E "ValueError: x\n", KVB_FAILURE_OTHER},
        {"[TP0] Load weight begin. avail mem=40.25 GB\n" TRACE FRAME("_dummy_sampler_run"), KVB_FAILURE_OTHER},
        {"INFO text_generation_launcher: Args {\n" TRACE FRAME("_dummy_sampler_run"), KVB_FAILURE_OTHER},
        {"[TRT-LLM] [I] TensorRT-LLM version: 1.0.0\n" TRACE FRAME("_dummy_sampler_run"), KVB_FAILURE_OTHER},
        {"level=INFO msg=\"Listening on 127.0.0.1:11434 (version 0.9.6)\"\n" TRACE FRAME("_dummy_sampler_run"),
         KVB_FAILURE_OTHER},
        {"load_tensors: offloaded 33/33 layers to GPU\n" TRACE FRAME("_dummy_sampler_run"), KVB_FAILURE_OTHER},
        {"[TM][INFO] [BlockManager] max_block_count = 640\n" TRACE FRAME("_dummy_sampler_run"), KVB_FAILURE_OTHER},
        {TRACE FRAME("_dummy_sampler_run"), KVB_FAILURE_OTHER}, // of nobody knows whom
        {"llama_model_load: error loading model: bad magic\n", KVB_FAILURE_OTHER},
        {"llama_model_load: error loading model:\nmore\n", KVB_FAILURE_NONE}, // says nothing on its line
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        if (report->failure.kind != rows[i].kind) {
            fail_msg("row %zu: %s", i, kvb_failure_name(report->failure.kind));
        }
        bool no =
            strstr(rows[i].log, "Error: x") != NULL || strstr(rows[i].log, "magic") != NULL; // it says what it was
        assert_int_equal(report->failure.about_memory, no ? KVB_LOG_NO : KVB_LOG_NOT_KNOWN);
        assert_int_equal(report->failure.cause_in_log, no);
    }
}

// ---- Figures no machine has

static void plausible_figures(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum kvb_observation what;
        bool read;
        int64_t value;
    } rows[] = {
        {P "Available KV cache memory: 1048576.0 GiB\n", KVB_OBS_KV_CACHE, true, INT64_C(1) << 50},
        {P "Available KV cache memory: 1048577.0 GiB\n", KVB_OBS_KV_CACHE, false, 0},
        {P "Available KV cache memory: -1048576.0 GiB\n", KVB_OBS_KV_CACHE, true, -(INT64_C(1) << 50)},
        {P "Available KV cache memory: -1048577.0 GiB\n", KVB_OBS_KV_CACHE, false, 0},
        {P "GPU KV cache size: 68,719,476,736 tokens\n", KVB_OBS_KV_TOKENS, true, INT64_C(1) << 36},
        {P "GPU KV cache size: 68,719,476,737 tokens\n", KVB_OBS_KV_TOKENS, false, 0},
        {P "GPU KV cache size: -1 tokens\n", KVB_OBS_KV_TOKENS, false, 0},
        {P "# GPU blocks: 68719476736, # CPU blocks: 1\n", KVB_OBS_NUM_GPU_BLOCKS, true, INT64_C(1) << 36},
        {P "# GPU blocks: 68719476737, # CPU blocks: 1\n", KVB_OBS_NUM_GPU_BLOCKS, false, 0},
        {P "# GPU blocks: 0, # CPU blocks: 1\n", KVB_OBS_NUM_GPU_BLOCKS, true, 0},
        {P "# GPU blocks: -1, # CPU blocks: 1\n", KVB_OBS_NUM_GPU_BLOCKS, false, 0},
        {P "Maximum concurrency for 4096 tokens per request: 10995116277.76x\n", KVB_OBS_MAX_CONCURRENCY, true,
         INT64_C(1) << 40},
        {P "Maximum concurrency for 4096 tokens per request: 10995116277.77x\n", KVB_OBS_MAX_CONCURRENCY, false, 0},
        {P "Requested memory: 100.0 (util), 18.80 GiB\n", KVB_OBS_UTILIZATION, true, INT64_C(100000000)},
        {P "Requested memory: 100.000001 (util), 18.80 GiB\n", KVB_OBS_UTILIZATION, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_value *value = &read_log(rows[i].line)->observed[rows[i].what];
        if (value->set != rows[i].read || (value->set && value->value != rows[i].value)) {
            fail_msg("'%s': %d, %lld", rows[i].line, (int)value->set, (long long)value->value);
        }
    }
}

// ---- Clocks, restarts, excerpts

#define AT(clock) "INFO 03-04 " clock " [a.py:1] GPU KV cache size: 12,352 tokens\n"

static void clocks(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        bool newest_first;
    } rows[] = {
        {AT("05:00:03") AT("05:00:02") AT("05:00:01"), false}, // two falls are too few
        {AT("05:00:04") AT("05:00:03") AT("05:00:02") AT("05:00:01"), true},
        {AT("05:00:04") AT("05:00:03") AT("05:00:02") AT("05:00:01") AT("05:00:09"), false}, // three to one
        {AT("05:00:05") AT("05:00:04") AT("05:00:03") AT("05:00:02") AT("05:00:01") AT("05:00:09"), true},
        {AT("05:00:04") AT("05:00:04") AT("05:00:03") AT("05:00:02") AT("05:00:02") AT("05:00:01"), true},
        {AT("00:00:03") AT("00:00:02") AT("00:00:01") AT("00:00:00"), true},
        {AT("00:00:00") AT("00:00:09") AT("00:00:08") AT("00:00:07") AT("00:00:06"), false}, // three to one
        {AT("23:00:04") AT("22:59:59") AT("21:00:00") AT("20:00:00"), true},
        {AT("24:00:04") AT("24:00:03") AT("24:00:02") AT("24:00:01"), false}, // no hour
        {AT("0a:00:04") AT("0a:00:03") AT("0a:00:02") AT("0a:00:01"), false},
        {AT("05:0a:04") AT("05:0a:03") AT("05:0a:02") AT("05:0a:01"), false},
        {AT("05:00:4a") AT("05:00:3a") AT("05:00:2a") AT("05:00:1a"), false},
        {AT("05-00:04") AT("05-00:03") AT("05-00:02") AT("05-00:01"), false},
        {"INFO 5 :00:04 " AT("x") "INFO 5 :00:03 " AT("x") "INFO 5 :00:02 " AT("x") "INFO 5 :00:01 " AT("x"), false},
        {AT("05:00-04") AT("05:00-03") AT("05:00-02") AT("05:00-01"), false},
        {AT("10:00:00") AT("09:59:59") AT("09:59:00") AT("09:00:59"),
         true}, // of equal seconds of the day none is equal
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (read_log(rows[i].log)->newest_first != rows[i].newest_first) {
            fail_msg("row %zu", i);
        }
    }
    // A clock right before the message, with nothing between them, and one that is a character short.
    assert_true(read_log("05:00:04KV cache pool is full. Retract requests\n05:00:03KV cache pool is full. Retract "
                         "requests\n05:00:02KV cache pool is full. Retract requests\n05:00:01KV cache pool is full. "
                         "Retract requests\n")
                    ->newest_first);
}

#define BANNER "INFO 03-04 [a.py:1] vLLM API server version 0.9.2\n"

static void restarts(void **state)
{
    (void)state;
    static char log[8192];
    for (unsigned starts = 31; starts <= 34; starts++) {
        size_t length = 0;
        for (unsigned i = 0; i < starts; i++) {
            length += (size_t)snprintf(log + length, sizeof log - length, "%s", BANNER NO_BLOCKS);
        }
        const struct kvb_log_report *report = read_log_pieces(log, length, 1024);
        assert_int_equal(report->run_count, starts);
        assert_int_equal(report->run_shown, starts - 1);
        assert_int_equal(report->known_lines, starts); // an exception alone is anybody's
        assert_int_equal(report->runs[30].first_line, 61);
        assert_int_equal(report->runs[31].first_line, starts > 31 ? 63 : 0); // the last that is kept
        assert_int_equal(report->runs[31].failure_line, starts > 31 ? 64 : 0);
        assert_false(report->newest_first);
    }
}

static void excerpts(void **state)
{
    (void)state;
    static const char *const anybodys[] = {"ValueError: x\n", "Traceback (most recent call last):\n",
                                           "  File \"a.py\", line 1, in f\n", "ERROR 03-04 05:06:07 x\n"};
    for (size_t i = 0; i < sizeof anybodys / sizeof anybodys[0]; i++) {
        assert_int_equal(read_log(anybodys[i])->known_lines, 0);
    }
    assert_int_equal(read_log("GPU KV cache size: 12,352 tokens\n")->known_lines, 1);
    static char log[32 * 1024];
    for (unsigned lines = 255; lines <= 257; lines++) {
        size_t length = 0;
        for (unsigned i = 0; i < lines; i++) {
            length += (size_t)snprintf(log + length, sizeof log - length, "GPU KV cache size: 12,352 tokens\n");
        }
        assert_int_equal(read_log_pieces(log, length, 1024)->excerpt, lines <= 256);
    }
    static const struct {
        const char *more;
        bool excerpt;
    } rows[] = {{"", true},
                {"\n", true},
                {"...\n", true},
                {" \t .\r\n", true},
                {"python3 20238MiB\n", true},
                {"20 GiB\n", true},
                {"MiB", true},
                {"Mi\n", false},
                {"x\n", false},
                {"20 GB\n", false},
                {"\nMiB\nx\n", false},
                {"```\n", true},
                {"> ```text\n", true},
                {"``\n", false},
                {"``` x\n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(log, sizeof log, "GPU KV cache size: 12,352 tokens\n%s", rows[i].more);
        const struct kvb_log_report *report = read_log(log);
        assert_int_equal(report->excerpt, rows[i].excerpt);
        assert_int_equal(report->verdict, rows[i].excerpt ? KVB_LOG_HEALTHY : KVB_LOG_INCOMPLETE);
    }
    const struct kvb_log_report *report = read_log("ValueError: No available memory for the cache blocks.\n");
    assert_int_equal(report->verdict, KVB_LOG_FAILED); // a failure that was picked out is one
    assert_false(report->excerpt);
    report = read_log("GPU KV cache size: 12,352 tokens\nINFO:     Application startup complete.\n");
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY); // it says so itself
    assert_false(report->excerpt);
    report = read_log("[TP0] Capture cuda graph begin. This can take up to several minutes.\n");
    assert_int_equal(report->verdict, KVB_LOG_UNKNOWN); // picked out without a figure
    assert_false(report->excerpt);
}

// Eight control characters, and more than one of twenty: of 159 bytes eight are more, of 160 they are not.
static void binary_or_text(void **state)
{
    (void)state;
    static char bytes[(80 << 10) + 1];
    static const struct {
        size_t length, controls;
        bool not_text;
    } rows[] = {{159, 8, true}, {160, 8, false}, {159, 7, false}, {100, 7, false}, {8, 8, true}, {7, 7, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(bytes, 'x', sizeof bytes);
        memset(bytes, 1, rows[i].controls);
        bytes[rows[i].length - 1] = rows[i].controls < rows[i].length ? '\n' : '\1';
        assert_int_equal(read_log_pieces(bytes, rows[i].length, 64)->not_text,
                         rows[i].not_text && rows[i].controls < rows[i].length ? true : rows[i].not_text);
    }
    // Bell, backspace, tab, breaks, escape and blanks belong to text; 0x06, 0x0e and 0x1f do not.
    static const char harmless[] = "\a\b\t\n\v\f\r\x1b ", harmful[] = {0x06, 0x0e, 0x1f, 0x1a};
    for (size_t i = 0; i < sizeof harmless - 1; i++) {
        memset(bytes, harmless[i], 64);
        assert_false(read_log_pieces(bytes, 64, 64)->not_text);
    }
    for (size_t i = 0; i < sizeof harmful; i++) {
        memset(bytes, harmful[i], 64);
        assert_true(read_log_pieces(bytes, 64, 64)->not_text);
    }
    memset(bytes, 'x', sizeof bytes); // 3276 of 65536 are less than one of twenty, one more of 65537 would be more
    memset(bytes, 1, 3276);
    bytes[65536] = 1;
    assert_false(read_log_pieces(bytes, 65537, 4096)->not_text);
    memset(bytes, 'x', 64 << 10); // the first 64 KiB are looked at
    memset(bytes + (64 << 10), 1, 16 << 10);
    assert_false(read_log_pieces(bytes, 80 << 10, 4096)->not_text);
}

// ---- Devices

static void devices(void **state)
{
    (void)state;
    static char log[4096];
    size_t length = (size_t)snprintf(log, sizeof log, "load_tensors: offloaded 33/33 layers to GPU\n");
    for (unsigned i = 0; i < 16; i++) { // 1 + 2 + ... + 16 MiB
        length += (size_t)snprintf(log + length, sizeof log - length,
                                   "load_tensors:        CUDA%u model buffer size =  %u.00 MiB\n", i, i + 1);
    }
    const struct kvb_log_value *weights = &read_log_pieces(log, length, 1024)->observed[KVB_OBS_WEIGHTS];
    assert_int_equal(weights->value, 136 * MIB);
    assert_int_equal(weights->low, MIB);
    assert_int_equal(weights->high, 16 * MIB);
    assert_int_equal(weights->count, 16);
    // The host's are none, by whatever name; a figure that is said again takes the place of the one before.
    static const struct {
        const char *lines;
        int64_t mib;
    } rows[] = {
        {"CPU model buffer size = 9.00 MiB\nCPU_Mapped model buffer size = 9.00 MiB\n", 0},
        {"CUDA_Host model buffer size = 9.00 MiB\nBLAS model buffer size = 9.00 MiB\nAMX model buffer size = 9.00 "
         "MiB\n",
         0},
        {"CUDA0 model buffer size = 9.00 MiB\nCUDA0 model buffer size = 8.00 MiB\n", 8},
        {"CUDA0 model buffer size = 9.00 MiB\nROCm1 model buffer size = 8.00 MiB\n", 17},
        {"Vulkan2 model buffer size = 9.00 MiB\nCUDA0 model buffer size = 1048577.00 GiB\n", 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(log, sizeof log, "load_tensors: offloaded 33/33 layers to GPU\n%s", rows[i].lines);
        assert_int_equal(read_log(log)->observed[KVB_OBS_WEIGHTS].value, rows[i].mib * MIB);
    }
}

// ---- The text of a failure

// What is shown of a failure begins behind what loggers put there, at most 200 characters before its words.
static void texts(void **state)
{
    (void)state;
    static const struct {
        const char *log, *text;
    } rows[] = {
        {"No available memory for the cache blocks.\n", "No available memory for the cache blocks."},
        {"x No available memory for the cache blocks.\n", "x No available memory for the cache blocks."},
        {"] No available memory for the cache blocks.\n", "No available memory for the cache blocks."},
        {"[a.py:1] ValueError: No available memory for the cache blocks.\n",
         "ValueError: No available memory for the cache blocks."},
        {"(pid=1) ValueError: No available memory for the cache blocks.\n",
         "ValueError: No available memory for the cache blocks."},
        {"x | ValueError: No available memory for the cache blocks.\n",
         "ValueError: No available memory for the cache blocks."},
        {"[rank0]: ValueError: No available memory for the cache blocks.\n",
         "ValueError: No available memory for the cache blocks."},
        {"a: ValueError: No available memory for the cache blocks.\n",
         "a: ValueError: No available memory for the cache blocks."},
        {"]: No available memory for the cache blocks.\n", "No available memory for the cache blocks."},
        // wrapped: the sentence goes on where the next line begins no record and does not end before
        {"ValueError: No available memory for the cache blocks. Try increasing\n`x` when it starts\n",
         "ValueError: No available memory for the cache blocks. Try increasing `x` when it starts"},
        {"ValueError: No available memory for the cache blocks. Try it.\nmore\n",
         "ValueError: No available memory for the cache blocks. Try it."},
        {"ValueError: No available memory for the cache blocks. Try 'it'\nmore\n",
         "ValueError: No available memory for the cache blocks. Try 'it'"},
        {"ValueError: No available memory for the cache blocks. Try (it)\nmore\n",
         "ValueError: No available memory for the cache blocks. Try (it)"},
        {"ValueError: No available memory for the cache blocks. Try \"it\"\nmore\n",
         "ValueError: No available memory for the cache blocks. Try \"it\""},
        {"ValueError: No available memory for the cache blocks. Try\n\nmore\n",
         "ValueError: No available memory for the cache blocks. Try"},
#define NEXT(line)                                                                                                     \
    {"ValueError: No available memory for the cache blocks. Try\n" line "\n",                                          \
     "ValueError: No available memory for the cache blocks. Try"}
        NEXT("INFO x"),
        NEXT("WARNING x"),
        NEXT("ERROR x"),
        NEXT("DEBUG x"),
        NEXT("CRITICAL x"),
        NEXT("Traceback x"),
        NEXT("[x"),
        NEXT("{x"),
        NEXT("File \"x\""),
        NEXT("  File \"x\""),
        NEXT("(pid=1) x"),
        NEXT("KeyError: x"),
        NEXT("12 INFO x"),
        NEXT("12 ERROR x"),
        NEXT("12 WARNING x"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].log);
        if (strcmp(report->failure.text, rows[i].text) != 0) {
            fail_msg("'%s' says '%s'", rows[i].log, report->failure.text);
        }
    }
    char long_line[256]; // more of a line is not looked at to tell whether it begins a record
    for (size_t length = 90; length < 110; length++) {
        char name[128];
        memset(name, 'y', length);
        name[length] = '\0';
        (void)snprintf(long_line, sizeof long_line, "No available memory for the cache blocks\n%s\nINFO x\n", name);
        assert_int_equal(strlen(read_log(long_line)->failure.text), 41 + length);
    }
    for (size_t length = 89; length < 94; length++) { // of which 95 characters are looked at
        char name[128];
        memset(name, 'y', length);
        name[length] = '\0';
        (void)snprintf(long_line, sizeof long_line, "No available memory for the cache blocks\n%spid=9\nINFO x\n",
                       name);
        const char *text = read_log(long_line)->failure.text;
        assert_int_equal(strstr(text, "yy") != NULL, length + strlen("pid=") > 95);
    }
    for (unsigned between = 199; between <= 200; between++) {
        char log[512], name[256];
        memset(name, 'y', between);
        name[between] = '\0';
        (void)snprintf(log, sizeof log, "[a] %sNo available memory for the cache blocks.\n", name);
        assert_int_equal(read_log(log)->failure.text[0], between == 199 ? 'y' : 'N');
    }
}

// ---- Names of what there is none of

static void names_of_none(void **state)
{
    (void)state;
    assert_ptr_equal(kvb_log_engine_row_of(KVB_LOG_ENGINE_COUNT), kvb_log_engine_row_of(KVB_LOG_UNKNOWN_ENGINE));
    assert_string_equal(kvb_log_engine_name(KVB_LOG_ENGINE_COUNT), "");
    assert_null(kvb_observation_row_of(KVB_OBS_COUNT));
}

KVB_TEST_MAIN(cmocka_unit_test(messages_alone), cmocka_unit_test(lines_apart), cmocka_unit_test(cut_tracebacks),
              cmocka_unit_test(plausible_figures), cmocka_unit_test(clocks), cmocka_unit_test(restarts),
              cmocka_unit_test(excerpts), cmocka_unit_test(binary_or_text), cmocka_unit_test(devices),
              cmocka_unit_test(texts), cmocka_unit_test(names_of_none))
