// Memory of GPUs over time, line by line: columns that are missing, readings that are none, clocks that are wrong.
#include <stdio.h>
#include <string.h>

#include "logs/series.h"
#include "unit/test.h"

#define MIB (INT64_C(1) << 20)
#define WHOLE "timestamp, index, memory.used [MiB], memory.free [MiB], memory.total [MiB]\n"

static struct kvb_series series;
static struct kvb_log_series result;

static void begin(void)
{
    memset(&series, 0, sizeof series);
}

static void feed(const char *text)
{
    kvb_series_feed(&series, text, strlen(text));
}

static bool end(void)
{
    return kvb_series_finish(&series, &result);
}

static bool read_text(const char *text)
{
    begin();
    feed(text);
    return end();
}

static void columns_in_any_order(void **state)
{
    (void)state;
    assert_true(read_text("memory.total [MiB], memory.used [MiB], index, timestamp\n"
                          "24576 MiB, 100 MiB, 1, 2025-11-22T05:06:07\n24576 MiB, 300 MiB, 1, 2025-11-22T05:06:17\n"));
    assert_int_equal(result.total_bytes, 24576 * MIB);
    assert_int_equal(result.gpu, 1);
    assert_int_equal(result.gpus, 2);
    assert_int_equal(result.seconds, 10);
    assert_int_equal(result.jump_bytes, 200 * MIB);
    assert_int_equal(result.free_bytes, 0);
    // Without a total it is what is used and free together; without both it is not known.
    assert_true(read_text("memory.used [MiB], memory.free [MiB]\n100, 900\n200, 800\n"));
    assert_int_equal(result.total_bytes, 1000 * MIB);
    assert_false(result.has_time);
    assert_true(read_text("name, memory.used [MiB]\nL4, 100\nL4, 200"));
    assert_int_equal(result.total_bytes, 0);
    assert_int_equal(result.samples, 2);
    // Each may stand first.
    assert_true(read_text("memory.free [MiB], memory.used [MiB]\n900, 100\n800, 200\n"));
    assert_int_equal(result.free_bytes, 800 * MIB);
    assert_true(read_text("index, memory.used [MiB]\n1, 100\n1, 200\n"));
    assert_int_equal(result.gpu, 1);
    assert_true(read_text("timestamp, memory.used [MiB]\n2025-11-22T05:06:07, 100\n2025-11-22T05:06:17, 200\n"));
    assert_int_equal(result.seconds, 10);
    // The command that asked is no header, and neither are words without a comma.
    assert_true(read_text("$ nvidia-smi --query-gpu=index,memory.used --format=csv\nmemory.used\nindex, memory.used\n"
                          "0, 5\n0, 6\n"));
    assert_int_equal(result.last_bytes, 6 * MIB);
    assert_false(read_text("nothing\nof\nthe\nkind\n"));
}

// Each row stands between two good readings: it counts or it does not.
static void readings_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        unsigned samples;
    } rows[] = {
        {"2025/11/22 05:00:10.000, 0, 200 MiB, 800 MiB, 1000 MiB", 3},
        {"2025/11/22 05:00:10.000, 0, [N/A], 800 MiB, 1000 MiB", 2},
        {"2025/11/22 05:00:10.000, 0", 2},
        {"2025/11/22 05:00:10.000, x, 200 MiB, 800 MiB, 1000 MiB", 2},
        {"2025/11/22 05:00:10.000, 16, 200 MiB, 800 MiB, 1000 MiB", 2},
        {"2025/11/22 05:00:10.000, 0, 1048577 MiB, 800 MiB, 1000 MiB", 2}, // a MiB more than 1 TiB
        {"2025/11/22 05:00:10.000, 0, 99999999999999999999 MiB, 800 MiB, 1000 MiB", 2},
        {"later, 0, 200 MiB, 800 MiB, 1000 MiB", 3}, // of the moment before
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       WHOLE "2025/11/22 05:00:00.000, 0, 100 MiB, 900 MiB, 1000 MiB\n%s\n"
                             "2025/11/22 05:00:20.000, 0, 200 MiB, 800 MiB, 1000 MiB\n",
                       rows[i].line);
        assert_true(read_text(text));
        assert_int_equal(result.samples, rows[i].samples);
        assert_int_equal(result.seconds, 20);
        assert_int_equal(result.peak_bytes, 200 * MIB);
    }
    assert_true(read_text(WHOLE "2025/11/22 05:00:00.000, 0, 9, 9, 9\nlater, 1, 100 MiB, 900 MiB, 1000 MiB\n"
                                "2025/11/22 05:00:20.000, 1, 200 MiB, 1048577 MiB, 1048577 MiB\n"));
    assert_int_equal(result.seconds, 20); // the other GPU's moment
    assert_int_equal(result.free_bytes + result.total_bytes, 0);
}

// Seconds between two readings, by the calendar; 0 where one of them is no time.
static void calendar(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        int seconds;
    } rows[] = {
        {"2024/02/28 23:59:59", "2024/03/01 00:00:00", 86401}, // a leap year has the 29th
        {"2025/02/28 23:59:59", "2025/03/01 00:00:00", 1},
        {"2024/01/01 00:00:00", "2024/01/02 00:00:00", 86400},
        {"2023/12/31 23:59:59", "2024/01/01 00:00:00", 1},
        {"2024/12/31 23:59:59", "2025/01/01 00:00:00", 1},
        {"05:06:07", "  06:06:08", 3601},
        {"2199/12/31 00:00:00", "2199/12/31 23:59:60", 86400},
        {"1970/01/01 00:00:00", "1970/01/01 00:00:01", 1},
        {"1969/01/01 00:00:00", "1970/01/01 00:00:01", 0},
        {"2200/01/01 00:00:00", "2200/01/01 00:00:01", 0},
        {"2025/00/22 05:00:00", "2025/01/22 05:00:01", 0},
        {"2025/13/22 05:00:00", "2025/01/22 05:00:01", 0},
        {"2025/01/32 05:00:00", "2025/01/22 05:00:01", 0},
        {"2025/01/00 05:00:00", "2025/01/22 05:00:01", 0},
        {"2025/01/22 24:00:00", "2025/01/22 05:00:01", 0},
        {"2025/01/22 05:60:00", "2025/01/22 05:00:01", 0},
        {"2025/01/22 05:00:61", "2025/01/22 05:00:01", 0},
        {"2025.01.22 05:00:00", "2025.01.22 05:00:01", 0},
        {"x025/01/22 05:00:00", "2025/01/22 05:00:01", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "timestamp, memory.used [MiB]\n%s, 1 MiB\n%s, 2 MiB\n", rows[i].from,
                       rows[i].to);
        assert_true(read_text(text));
        if (result.seconds != rows[i].seconds) {
            fail_msg("%s to %s: %lld", rows[i].from, rows[i].to, (long long)result.seconds);
        }
    }
}

// A second between the last moment of a month and the first of the next; a second less than a month before that.
static void months(void **state)
{
    (void)state;
    static const unsigned days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (unsigned month = 1; month <= 12; month++) {
        char text[256];
        unsigned last = days[month - 1];
        (void)snprintf(text, sizeof text,
                       "timestamp, memory.used [MiB]\n2025/%02u/01 00:00:00, 1\n2025/%02u/%02u 23:59:59, 2\n", month,
                       month, last);
        assert_true(read_text(text));
        assert_int_equal(result.seconds, last * 86400 - 1);
        (void)snprintf(text, sizeof text,
                       "timestamp, memory.used [MiB]\n2025/%02u/%02u 23:59:59, 1\n%u/%02u/01 00:00:00, 2\n", month,
                       last, 2025 + month / 12, month % 12 + 1);
        assert_true(read_text(text));
        assert_int_equal(result.seconds, 1);
    }
}

// A clock that is set back by two centuries and a card of 1 TiB stay inside 64 bits; 1 MiB each minute are 60 an hour.
static void growth(void **state)
{
    (void)state;
    begin();
    feed("timestamp, memory.used [MiB]\n");
    for (unsigned i = 0; i < 10; i++) {
        char line[96];
        (void)snprintf(line, sizeof line, "2025/11/22 05:%02u:00, %u MiB\n", i, 1000 + i);
        feed(line);
    }
    assert_true(end());
    assert_true(result.has_growth);
    assert_int_equal(result.growth_bytes_per_hour, 60 * MIB);
    begin();
    feed("timestamp, memory.used [MiB]\n2199/11/22 05:00:00, 1048576 MiB\n");
    for (unsigned i = 0; i < 9; i++) {
        char line[96];
        (void)snprintf(line, sizeof line, "%s/11/22 05:%02u:00, 1048576 MiB\n", i % 2 != 0 ? "1970" : "2199", i);
        feed(line);
    }
    assert_true(end());
    assert_int_equal(result.growth_bytes_per_hour, 0);
    assert_int_equal(result.peak_bytes, INT64_C(1) << 40);
}

// 600 readings without a time: of 512 every second one is kept and of what follows, 300 points; of five each the first
// of the highest, ten readings apart.
static void readings_without_a_time(void **state)
{
    (void)state;
    begin();
    feed("index, memory.used\n");
    for (unsigned i = 0; i < 600; i++) {
        feed("0, 5\n");
    }
    assert_true(end());
    assert_int_equal(result.samples, 600);
    assert_int_equal(result.point_count, 60);
    assert_int_equal(result.points[1].second, 10);
    assert_int_equal(result.points[59].second, 590);
}

static void dmon(void **state)
{
    (void)state;
    assert_true(read_text("#Date       Time        gpu     fb   bar1\n#YYYYMMDD   HH:MM:SS    Idx     MB     MB\n"
                          " 20251122   05:06:07      0    100      3\n 20251122   05:06:17      0    200      3\n"));
    assert_int_equal(result.seconds, 10);
    assert_int_equal(result.last_bytes, 200 * MIB);
    assert_true(read_text("#Time        gpu     fb   bar1\n#HH:MM:SS    Idx     MB     MB\n"
                          " 05:06:07      0    100      3\n 05:99:17      0    200      3\n 05:06:37   0  300 3\n"));
    assert_int_equal(result.seconds, 30);
    assert_int_equal(result.samples, 3);
    assert_true(
        read_text("# gpu     fb   bar1\n# Idx     MB     MB\n 0 100 3\n 0 - 3\n 16 100 3\n 0 1048577 3\n 0 300 3\n"));
    assert_int_equal(result.samples, 2);
    assert_int_equal(result.seconds, 1); // one a second
    assert_false(read_text("# gpu  sm\n 0 1\n 0 2\n"));
    assert_false(read_text("# cpu  fb\n 0 1\n 0 2\n"));
}

static void tables(void **state)
{
    (void)state;
    // Seventeen GPUs: sixteen are kept. What is used beyond the total leaves nothing free.
    begin();
    for (unsigned table = 0; table < 2; table++) {
        feed("Sat Nov 22 05:06:07 2025\n+---+\n| NVIDIA-SMI 535.161.07 |\n");
        for (unsigned i = 0; i < 17; i++) {
            feed(i == 3 ? "| N/A | 12MiB /  8MiB | 0% |\n" : "| N/A | 1MiB / 8MiB | 0% |\n");
        }
        feed("| N/A | MiB / 8MiB | 0% |\n| N/A | 1048577MiB / 8MiB |\n");
    }
    assert_true(end());
    assert_int_equal(result.gpus, 16);
    assert_int_equal(result.gpu, 3);
    assert_int_equal(result.samples, 2);
    assert_int_equal(result.free_bytes, 0);
    assert_int_equal(result.total_bytes, 8 * MIB);
    assert_true(result.has_time);
    // No clock above them: a reading each.
    assert_true(read_text(":\n| NVIDIA-SMI |\n| 1MiB / 8MiB |\n| 5:06 |\n| NVIDIA-SMI |\n| 2MiB / 8MiB |\n"));
    assert_false(result.has_time);
    assert_int_equal(result.points[1].second, 1);
    // 300 lines without a reading end it.
    begin();
    feed("| NVIDIA-SMI |\n| 1MiB / 8MiB |\n| NVIDIA-SMI |\n| 2MiB / 8MiB |\n");
    for (unsigned i = 0; i < 301; i++) {
        feed("a log\n");
    }
    feed("| NVIDIA-SMI |\n| 3MiB / 8MiB |\n");
    assert_true(end());
    assert_int_equal(result.samples, 2);
    assert_int_equal(result.last_bytes, 2 * MIB);
}

// 100 MiB free at 50 an hour last two hours.
static void time_left(void **state)
{
    (void)state;
    int64_t seconds = 0;
    struct kvb_log_series left = {.has_growth = true, .growth_bytes_per_hour = 50 * MIB, .free_bytes = 100 * MIB};
    assert_true(kvb_log_series_left(&left, &seconds));
    assert_int_equal(seconds, 7200);
    left.free_bytes = 0;
    assert_false(kvb_log_series_left(&left, &seconds));
    left.free_bytes = MIB;
    left.growth_bytes_per_hour = MIB - 1; // less than a MiB an hour
    assert_false(kvb_log_series_left(&left, &seconds));
    left.growth_bytes_per_hour = MIB;
    left.has_growth = false;
    assert_false(kvb_log_series_left(&left, &seconds));
}

// One a second, 1 MiB more each time: with the 513th every second one of the 512 before goes, and 1, 3, 5 to
// 511 are left.
static void long_series_are_thinned(void **state)
{
    (void)state;
    begin();
    feed("# gpu     fb   bar1\n# Idx     MB     MB\n");
    for (unsigned i = 1; i <= 600; i++) {
        char line[32];
        (void)snprintf(line, sizeof line, " 0 %u 3\n", i);
        feed(line);
    }
    assert_true(end());
    assert_int_equal(result.samples, 600);
    const struct kvb_series_gpu *gpu = &series.gpus[0];
    assert_int_equal(gpu->stride, 2);
    for (unsigned i = 0; i < KVB_SERIES_POINTS / 2; i++) {
        assert_int_equal(gpu->points[i].used_mib, 2 * i + 1);
    }
}

// What a scrape has to say before anything is said of it.
static void metrics(void **state)
{
    (void)state;
    static struct kvb_log_report report;
    assert_null(kvb_log_metrics_say(&report));
    report.has_metrics = true;
    assert_null(kvb_log_metrics_say(&report));
    report.observed[KVB_OBS_RUNNING].set = true;
    assert_string_equal(kvb_log_metrics_say(&report), "the KV cache has room for more than runs now");
    report.observed[KVB_OBS_KV_USAGE].set = true;
    report.observed[KVB_OBS_KV_USAGE].value = 899999;
    assert_string_equal(kvb_log_metrics_say(&report), "the KV cache has room for more than runs now");
    report.observed[KVB_OBS_KV_USAGE].value = 900000;
    report.observed[KVB_OBS_RUNNING].set = false;
    assert_string_equal(kvb_log_metrics_say(&report), "the KV cache is nearly full; nothing waits yet");
}

KVB_TEST_MAIN(cmocka_unit_test(columns_in_any_order), cmocka_unit_test(readings_that_are_none),
              cmocka_unit_test(calendar), cmocka_unit_test(months), cmocka_unit_test(growth),
              cmocka_unit_test(readings_without_a_time), cmocka_unit_test(dmon), cmocka_unit_test(tables),
              cmocka_unit_test(time_left), cmocka_unit_test(metrics), cmocka_unit_test(long_series_are_thinned))
