// How far the reader looks: lines that nearly were something, numbers before a word, long and wrapped lines, the window
// that slides over a log, and marks of encodings.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <stdio.h>
#include <string.h>

#include "guarded.h"
#include "log_text.h"
#include "logs/run.h"
#include "logs/scan.h"
#include "logs/window.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define LOADED "Model loading took 8.25 GiB"

// ---- Lines that nearly were something

static uint32_t score_of(const struct kvb_log_report *report, uint64_t line)
{
    for (uint32_t i = 0; i < report->closest_count; i++) {
        if (report->closest[i].line == line) {
            return report->closest[i].score;
        }
    }
    return 0;
}

// A word about memory counts one, each eight characters of a line that breaks off one; three lines are kept.
static void closest_lines(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("the KV cache\nGPU memory\nthe kv cache\nAvailable KV cache memory: none\nModel loading took long\n"
                 "gpu_memory\n");
    assert_int_equal(report->verdict, KVB_LOG_UNKNOWN);
    assert_int_equal(report->closest_count, 3);
    assert_int_equal(score_of(report, 4), 3 + 1); // 27 characters and a word
    assert_int_equal(score_of(report, 5), 2);     // 19 characters
    assert_int_equal(score_of(report, 3), 1);
    static const struct {
        const char *log;
        uint32_t score;
    } rows[] = {
        {"max_num_seqs (many)\n", 1},   // breaks off behind fourteen characters
        {"non_torch_memory high\n", 2}, // behind seventeen
        {"max seq len (long)\n", 0},    // behind thirteen
        {"no word of it\n", 0},
        {"the KV cache and the GPU memory\n", 2},
        {"the KV cache and the GPU memory", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report = read_log(rows[i].log);
        assert_int_equal(report->closest_count, rows[i].score > 0);
        assert_int_equal(score_of(report, 1), rows[i].score);
        assert_int_equal(report->line_count, 1);
    }
    assert_int_equal(read_log("the KV cache\n" LOADED "\n")->closest_count, 0); // a log of an engine
    assert_int_equal(read_log("")->line_count, 0);
    assert_int_equal(read_log("\n")->line_count, 1);
    assert_int_equal(read_log("x\ny")->line_count, 2);
}

// ---- Numbers before a word

// A number is not begun in the middle of another, nor more than forty characters before its word.
static void numbers_before(void **state)
{
    (void)state;
    static const struct {
        const char *number;
        int64_t needed; // 0: not read
    } rows[] = {
        {"0.5 GiB", GIB / 2},   {"(0.5 GiB", GIB / 2},  {"x0.5 GiB", GIB / 2},  {"1,0.5 GiB", 0},
        {"1.2.5 GiB", 0},       {"12-0.5 GiB", 0},      {"1 0.5 GiB", GIB / 2}, {"-0.5 GiB", -GIB / 2},
        {"1:0.5 GiB", GIB / 2}, {"1/0.5 GiB", GIB / 2},
    };
    char log[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(log, sizeof log, "%s KV cache is needed\n", rows[i].number);
        const struct kvb_log_value *needed = &read_log(log)->observed[KVB_OBS_NEEDED];
        if (needed->set != (rows[i].needed != 0) || (needed->set && needed->value != rows[i].needed)) {
            fail_msg("'%s': %lld", rows[i].number, (long long)needed->value);
        }
    }
    for (size_t length = 39; length <= 41; length++) { // zeros, and "5 GiB"
        memset(log, '0', length - 5);
        strcpy(log + length - 5, "5 GiB KV cache is needed\n");
        assert_int_equal(read_log(log)->observed[KVB_OBS_NEEDED].value, length <= 40 ? 5 * GIB : 0);
    }
    const struct kvb_log_value *needed =
        &read_log("1.0 GiB KV cache is needed 2.0 GiB KV cache is needed\n")->observed[KVB_OBS_NEEDED];
    assert_int_equal(needed->value, 2 * GIB);
    assert_int_equal(needed->low, GIB); // each by its own number
    assert_int_equal(needed->count, 2);
}

// ---- Long and wrapped lines

static const struct kvb_log_value *weights_after(char between, size_t count)
{
    static char log[4096];
    size_t length = (size_t)snprintf(log, sizeof log, "Model loading took");
    memset(log + length, between, count);
    length += count;
    length += (size_t)snprintf(log + length, sizeof log - length, "8.25 GiB memory\n");
    return &read_log_pieces(log, length, 4096)->observed[KVB_OBS_WEIGHTS];
}

static void far_apart(void **state)
{
    (void)state;
    static const size_t read[] = {1, 10, 480, 485, 486, 487, 490, 600, 2973, 2974};
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        if (weights_after(' ', read[i])->value != 33 * GIB / 4) {
            fail_msg("%zu blanks", read[i]);
        }
    }
    assert_false(weights_after(' ', 2975)->set); // 18 + 2975 + 8 are more than 3000
    assert_int_equal(weights_after('\n', 9)->value, 33 * GIB / 4);
    assert_false(weights_after('\n', 10)->set); // on the eleventh line
}

// What stands inside of words or between them does not hide them.
static void interrupted(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "Model loading\ttook 8.25 GiB\n",
        "Model loading  took 8.25 GiB\n",
        "Model load\x1b[1ming took 8.25 GiB\n",
        "Model loading^[[0m took 8.25 GiB\n",
        "Model loading [1;36mtook 8.25 GiB\n",
        "Model loading\rtook 8.25 GiB\n",
        "Model load\ning took 8.25 GiB\n",
        "{\"log\":\"Model loading\\ttook 8.25 GiB\\n\"}\n",
        " {\"log\":\"Model loading\\ttook 8.25 GiB\\n\"}\n",
        "\t{\"log\":\"Model loading\\ttook 8.25 GiB\\n\"}\n",
        "x\r{\"log\":\"Model loading\\ttook 8.25 GiB\\n\"}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (read_log(lines[i])->observed[KVB_OBS_WEIGHTS].value != 33 * GIB / 4) {
            fail_msg("'%s'", lines[i]);
        }
    }
    static const char *const others[] = {"Model loadingXtook 8.25 GiB\n", "Model loading\\ttook 8.25 GiB\n",
                                         "x {\"log\":\"Model loading\\ttook 8.25 GiB\\n\"}\n", "Model lo",
                                         "Model loading too"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(read_log(others[i])->observed[KVB_OBS_WEIGHTS].set);
    }
}

// A pool below nothing is the failure where none is said: the line that gave it, not one of another pool, nor of
// another figure.
static void pool_below_nothing(void **state)
{
    (void)state;
#define POOL "INFO 11-22 04:26:08 [gpu_worker.py:1] Available KV cache memory: "
    static const char *const logs[] = {
        POOL "-1.50 GiB\n" POOL "0.50 GiB\n",
        POOL "-1.50 GiB\n" LOADED "\n",
        POOL "0.50 GiB\n" POOL "-1.50 GiB\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        const struct kvb_log_failure *failure = &read_log(logs[i])->failure;
        if (failure->kind != KVB_FAILURE_NEGATIVE_KV || failure->line != (i == 2 ? 2 : 1)) {
            fail_msg("%s: %d, line %d", logs[i], (int)failure->kind, (int)failure->line);
        }
        assert_non_null(strstr(failure->text, "-1.50 GiB"));
    }
}

// Around a break inside of a message only a failure's first words are looked for, and what begins behind it is its own.
static void around_a_break(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("ValueError: Maxi\nmum concurrency for 4,096 tokens per request: 3.02x\n");
    assert_false(report->observed[KVB_OBS_MAX_CONCURRENCY].set);
    report = read_log("ValueError: No a\nvailable memory for the cache blocks. Try\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
    assert_int_equal(report->failure.line, 1);
    for (int before = 1; before <= 9; before++) { // wherever the break stands in its first words
        static const char words[] = "No available memory for the cache blocks. Try\n";
        char log[128];
        (void)snprintf(log, sizeof log, "ValueError: %.*s\n%s", before, words, words + before);
        report = read_log(log);
        assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
        assert_int_equal(report->failure.line, 1);
    }
    report = read_log("ValueError: a\nNo available memory for the cache blocks. Try\n");
    assert_int_equal(report->failure.kind, KVB_FAILURE_NEGATIVE_KV);
    assert_int_equal(report->failure.line, 2);
    // Two messages whose lines hold the same break: it is taken once.
    report =
        read_log("ValueError: a\nValueError: Fre\ne memory on device (9.50/23.50 GiB) on startup is less than desired "
                 "GPU memory utilization (0.9, 21.15 GiB). Decrease it.\n");
    assert_int_equal(report->observed[KVB_OBS_GPU_FREE].value, 19 * GIB / 2);
    assert_int_equal(report->observed[KVB_OBS_GPU_FREE].count, 1);
    // A command goes on behind each backslash.
    report = read_log("$ vllm serve a/b \\\n --max-model-len 4096 \\\n --max-num-seqs 8 \\\n --enforce-eager\n");
    assert_int_equal(report->settings.values[KVB_SET_MAX_MODEL_LEN].number, 4096);
    assert_int_equal(report->settings.values[KVB_SET_MAX_NUM_SEQS].number, 8);
    assert_int_equal(report->settings.values[KVB_SET_ENFORCE_EAGER].number, 1);
}

// The search finds what ends with the text, and reads nothing behind it.
static void search_at_the_end(void **state)
{
    (void)state;
    static struct kvb_scanner scanner;
    kvb_scanner_init(&scanner);
    static const char anchor[] = "Model loading took";
    for (size_t before = 0; before < 20; before++) {
        char text[64];
        memset(text, 'x', before);
        for (size_t length = 0; length <= 8; length++) {
            uint16_t entry = 0;
            size_t whole = before + length;
            memcpy(text + before, anchor, length);
            size_t at = kvb_scanner_next(&scanner, guarded(text, whole, true), whole, 0, whole, &entry);
            assert_int_equal(at, length == 8 ? before : whole);
            assert_int_equal(entry != 0, length == 8);
        }
    }
}

// A dump is read to the end of its line, however long that is.
static void long_dumps(void **state)
{
    (void)state;
    static const char *const beginnings[] = {
        "INFO [a.py:1] args: Namespace(x='",
        "INFO [a.py:1] Initializing a V1 LLM engine (v0.8.4) with config: model='a/b', x='",
        "vllm:cache_config_info{num_gpu_blocks=\"1200\",x='",
        "x y vllm:cache_config_info{num_gpu_blocks=\"1200\",x='",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        static char log[8192];
        size_t length = (size_t)snprintf(log, sizeof log, "%s", beginnings[i]);
        memset(log + length, 'y', 5000);
        strcpy(log + length + 5000, "', block_size=32) } 1.0\n");
        assert_int_equal(read_log(log)->settings.values[KVB_SET_BLOCK_SIZE].number, 32);
    }
}

// What stands on the line behind a dump is not of it.
static void lines_behind_dumps(void **state)
{
    (void)state;
    static const char *const dumps[] = {
        "INFO [a.py:1] Initializing a V1 LLM engine (v0.8.4) with config: model='a/b', max_seq_len=4096",
        "INFO [a.py:1] args: Namespace(model='a/b', max_model_len=4096",
    };
    for (size_t i = 0; i < sizeof dumps / sizeof dumps[0]; i++) {
        char log[256];
        (void)snprintf(log, sizeof log, "%s\n, block_size=64, max_num_seqs=7)\n", dumps[i]);
        const struct kvb_log_report *report = read_log(log);
        assert_int_equal(report->settings.values[KVB_SET_MAX_MODEL_LEN].number, 4096);
        assert_int_equal(report->settings.values[KVB_SET_BLOCK_SIZE].set, 0);
        assert_int_equal(report->settings.values[KVB_SET_MAX_NUM_SEQS].set, 0);
    }
}

// Of what is said again and again, the first counts: bars of progress, and requests while nothing is wrong.
static void said_again(void **state)
{
    (void)state;
#define BAR "Loading safetensors checkpoint shards:  50% Completed | 1/2\n"
#define REQUEST "INFO:     10.0.0.1:1 - \"POST /v1/completions HTTP/1.1\" 200 OK\n"
    static const struct {
        const char *log;
        uint64_t known;
    } rows[] = {
        {BAR BAR BAR, 1},
        {LOADED "\n" BAR, 1},
        {REQUEST REQUEST, 1},
        {REQUEST "ValueError: x\n" REQUEST REQUEST, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_log(rows[i].log)->known_lines, rows[i].known);
    }
}

// A message is shown as long as it is, not only as far as most rows look.
static void long_messages(void **state)
{
    (void)state;
    static const char *const beginnings[] = {
        "docker: Error response from daemon: ",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0. ",
        "Engine process failed to start. ",
        "x.SomeError: ",
        "RuntimeError: CUDA out of memory. Tried to allocate 400.00 MiB. ",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        char log[1024] = LOADED "\n";
        size_t before = strlen(log), length = before + strlen(beginnings[i]);
        strcat(log, beginnings[i]);
        memset(log + length, 'y', 700);
        strcpy(log + length + 700, ".\n");
        const struct kvb_log_failure *failure = &read_log(log)->failure;
        const char *shown = strncmp(beginnings[i], "docker", 6) == 0 ? log + length : log + before; // behind its prefix
        if (strlen(failure->text) + 1 != strlen(shown)) {
            fail_msg("'%s': %zu of %zu", beginnings[i], strlen(failure->text), strlen(shown) - 1);
        }
    }
}

// Of a record nothing is read before its beginning nor behind its end.
static void described(void **state)
{
    (void)state;
    static const struct {
        const char *record;
        size_t start, end; // of the words that were recognised
        enum kvb_event event;
        const char *text;
    } rows[] = {
        {"No blocks", 0, 9, KVB_EVENT_FAILURE, "No blocks"},
        {"No blocks", 0, 2, KVB_EVENT_FAILURE, "No blocks"},
        {"] No blocks", 2, 11, KVB_EVENT_FAILURE, "No blocks"},
        {": No blocks", 2, 11, KVB_EVENT_FAILURE, ": No blocks"},
        {"]: No blocks", 3, 12, KVB_EVENT_FAILURE, "No blocks"},
        {"x: No blocks", 3, 12, KVB_EVENT_FAILURE, "x: No blocks"},
        {"x\nNo blocks", 2, 11, KVB_EVENT_FAILURE, "No blocks"},
        {"\nNo blocks", 1, 10, KVB_EVENT_FAILURE, "No blocks"},
        {"x No blocks", 2, 11, KVB_EVENT_FAILURE, "x No blocks"},
        {"No blocks\n", 0, 9, KVB_EVENT_FAILURE, "No blocks"},
        {"No blocks\n   ", 0, 9, KVB_EVENT_FAILURE, "No blocks"},
        {"No blocks\nmore", 0, 9, KVB_EVENT_FAILURE, "No blocks more"},
        {"No blocks\nmore", 0, 9, KVB_EVENT_OOM, "No blocks more"},
        {"No blocks\nmore", 0, 9, KVB_EVENT_EXCEPTION, "No blocks"},
        {"No blocks\n  [x", 0, 9, KVB_EVENT_FAILURE, "No blocks"},
        {"No blocks.\nmore", 0, 9, KVB_EVENT_FAILURE, "No blocks."},
        {"No blocks\nmore\nand more", 0, 9, KVB_EVENT_FAILURE, "No blocks more and more"},
        {"", 0, 0, KVB_EVENT_EXCEPTION, ""},
    };
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof rows[0]); i++) {
        const struct kvb_line_row row = {.event = rows[i / 2].event};
        size_t length = strlen(rows[i / 2].record);
        struct kvb_log_hit hit = {.row = &row,
                                  .engine = KVB_LOG_VLLM,
                                  .record = guarded(rows[i / 2].record, length, i % 2 == 0),
                                  .length = length,
                                  .start = rows[i / 2].start,
                                  .end = rows[i / 2].end};
        char text[KVB_LOG_TEXT_CAPACITY];
        kvb_attempt_describe(&hit, text);
        assert_string_equal(text, rows[i / 2].text);
        hit.engine = KVB_LOG_LLAMACPP; // whose messages are of one line
        kvb_attempt_describe(&hit, text);
        assert_null(strstr(text, "more"));
    }
}

// ---- The window

// Four lines that nearly were something, one after another over all places of the three that are kept, and the first
// once more: the fourth takes the place of the least.
static void more_than_three_lines(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("Model loading took long\nModel loading took longer\nnon_torch_memory high\nAvailable KV cache "
                 "memory: none\nmax_num_seqs (many)\n");
    assert_int_equal(report->closest_count, 3);
    assert_int_equal(score_of(report, 4), 3 + 1);
    assert_int_equal(score_of(report, 5), 0);
}

// Of the line before a place the nearest six hundred bytes are kept, or what stands behind the last break.
static void before_a_place(void **state)
{
    (void)state;
    static struct kvb_log_window window;
    static const struct {
        size_t letters, kept;
        char break_at_first; // 0: none
    } rows[] = {{599, 599, 0},    {600, 600, 0},    {601, 600, 0},    {900, 600, 0}, {599, 598, '\n'},
                {601, 600, '\n'}, {600, 599, '\r'}, {602, 600, '\n'}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        struct kvb_log_record record = {0};
        for (size_t at = 0; at < rows[i].letters; at++) {
            text[at] = (char)('a' + at % 26);
        }
        text[0] = rows[i].break_at_first != 0 ? rows[i].break_at_first : text[0];
        strcpy(text + rows[i].letters, "ZERO\n");
        memset(&window, 0, sizeof window);
        (void)kvb_window_add(&window, text, rows[i].letters + 5);
        kvb_window_record(&window, &record, rows[i].letters, 1, KVB_RECORD_SHORT);
        assert_int_equal(record.offset, rows[i].kept);
        assert_memory_equal(window.record, text + rows[i].letters - rows[i].kept, rows[i].kept + 4);
        assert_int_equal(record.length, rows[i].kept + 4);
    }
}

// Far inside a line the breaks that are escaped before a place say that it is a string of JSON, not those behind it.
static void inside_a_string(void **state)
{
    (void)state;
    static struct kvb_log_window window;
    for (unsigned escaped = 0; escaped < 2; escaped++) {
        char text[1024];
        struct kvb_log_record record = {0};
        memset(text, 'a', 700);
        if (escaped) {
            memcpy(text + 300, "\\n", 2);
        }
        strcpy(text + 700, "ZERO\\n and more\n");
        memset(&window, 0, sizeof window);
        (void)kvb_window_add(&window, text, strlen(text));
        kvb_window_record(&window, &record, 700, 1, KVB_RECORD_SHORT);
        assert_int_equal(record.json, escaped);
    }
}

// Two bytes may be the mark of UTF-16, and only both of them are.
static void marks(void **state)
{
    (void)state;
    static const char *const plain[] = {"\xff\xff\n" LOADED, "\xfe\xfe\n" LOADED, "\xff\n" LOADED, "\xfe\n" LOADED};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        assert_int_equal(read_log(plain[i])->observed[KVB_OBS_WEIGHTS].value, 33 * GIB / 4);
        assert_int_equal(read_log(plain[i])->line_count, 2);
    }
    assert_int_equal(read_log("\xff\xfe")->line_count, 1);
}

KVB_TEST_MAIN(cmocka_unit_test(closest_lines), cmocka_unit_test(numbers_before), cmocka_unit_test(far_apart),
              cmocka_unit_test(interrupted), cmocka_unit_test(search_at_the_end), cmocka_unit_test(around_a_break),
              cmocka_unit_test(pool_below_nothing), cmocka_unit_test(before_a_place), cmocka_unit_test(inside_a_string),
              cmocka_unit_test(more_than_three_lines), cmocka_unit_test(long_messages), cmocka_unit_test(described),
              cmocka_unit_test(long_dumps), cmocka_unit_test(lines_behind_dumps), cmocka_unit_test(said_again),
              cmocka_unit_test(marks))
