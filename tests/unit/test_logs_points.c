// A series of readings by its numbers: the steady level, growth, stretches of a drawing, and every bound of what is
// read.
#include <stdio.h>
#include <string.h>

#include "logs/series.h"
#include "unit/test.h"

#define MIB (INT64_C(1) << 20)

static struct kvb_series series;
static struct kvb_log_series result;

// ---- Points alone

static void begin(bool timed)
{
    memset(&series, 0, sizeof series);
    memset(&result, 0, sizeof result);
    series.has_time = timed;
    series.gpus[0].stride = 1;
}

static void point(int64_t second, int64_t used_mib)
{
    struct kvb_series_gpu *gpu = &series.gpus[0];
    gpu->points[gpu->count++] = (struct kvb_series_point){second, used_mib};
    gpu->samples++;
    gpu->last_second = second;
    gpu->last_mib = used_mib;
}

static void points(const int *used_mib, unsigned count, int64_t apart_seconds)
{
    begin(apart_seconds > 0);
    for (unsigned i = 0; i < count; i++) {
        point((int64_t)i * apart_seconds, used_mib[i]);
    }
    kvb_series_measure(&series, 0, &result);
}

// The median of the second half, or of what follows the largest jump where that is later.
static void steady_level(void **state)
{
    (void)state;
    static const struct {
        int used[8];
        unsigned count;
        int64_t steady, jump;
    } rows[] = {
        {{5, 1, 4, 2, 3}, 5, 3, 3},          // 4 2 3 behind a jump of 3
        {{0, 0, 0, 3, 1, 4}, 6, 3, 3},       // of two jumps alike the first: 3 1 4
        {{0, 9, 5, 7, 6, 8}, 6, 7, 9},       // half of six is later: 7 6 8
        {{9, 8, 7, 6, 5, 4}, 6, 5, 0},       // 6 5 4
        {{1, 1, 1, 1, 4, 2}, 6, 4, 3},       // of two the upper
        {{2, 2, 1, 3, 3, 1, 2, 1}, 8, 2, 2}, // 3 1 2 1 sorted is 1 1 2 3
        {{7}, 1, 7, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        points(rows[i].used, rows[i].count, 0);
        if (result.steady_bytes != rows[i].steady * MIB || result.jump_bytes != rows[i].jump * MIB) {
            fail_msg("row %zu: %lld, %lld", i, (long long)(result.steady_bytes / MIB),
                     (long long)(result.jump_bytes / MIB));
        }
        assert_int_equal(result.first_bytes, rows[i].used[0] * MIB);
        assert_int_equal(result.last_bytes, rows[i].used[rows[i].count - 1] * MIB);
        assert_false(result.has_growth);
        assert_int_equal(result.seconds, 0);
    }
}

// By least squares over the second half, of at least four points and a minute.
static void growth(void **state)
{
    (void)state;
    static const struct {
        int used[8];
        unsigned count;
        int64_t apart; // seconds
        bool grows;
        int64_t an_hour; // MiB
    } rows[] = {
        {{0, 0, 0, 0, 10, 11, 12, 13}, 8, 20, true, 180}, // one in 20 s
        {{0, 9, 9, 9, 1, 3, 2, 4}, 8, 20, true, 144},     // 0.8 in 20 s: (4 x 19 - 6 x 10) / (4 x 14 - 36)
        {{0, 9, 9, 9, 4, 2, 3, 1}, 8, 20, true, -144},
        {{0, 0, 0, 10, 11, 12, 13}, 7, 20, true, 180},   // half of seven leaves four
        {{0, 0, 0, 0, 0, 10, 11, 12}, 8, 30, false, 0},  // three behind the jump
        {{13, 12, 11, 10, 9, 8}, 6, 30, false, 0},       // three
        {{0, 0, 0, 0, 10, 11, 12, 13}, 8, 19, false, 0}, // 57 s
        {{0, 0, 0, 0, 1000, 2000, 3000, 4000}, 8, 20, true, 180000},
        {{0, 9000, 9, 9, 0, 1000, 2000, 3000}, 8, 2000, true, 1800}, // with steps of two seconds, of 6000
        {{9, 9, 9, 9, 5, 5, 5, 5}, 8, 3600, true, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        points(rows[i].used, rows[i].count, rows[i].apart);
        if (result.has_growth != rows[i].grows || result.growth_bytes_per_hour != rows[i].an_hour * MIB) {
            fail_msg("row %zu: %d, %lld", i, (int)result.has_growth, (long long)(result.growth_bytes_per_hour / MIB));
        }
        assert_int_equal(result.seconds, rows[i].apart * (rows[i].count - 1));
    }
    begin(true); // all points at one moment, and a reading a minute later that was no point any more
    for (unsigned i = 0; i < 8; i++) {
        point(5, (int64_t)i);
    }
    series.gpus[0].last_second = 65;
    kvb_series_measure(&series, 0, &result);
    assert_true(result.has_growth);
    assert_int_equal(result.growth_bytes_per_hour, 0);
    series.gpus[0].last_second = 64;
    kvb_series_measure(&series, 0, &result);
    assert_false(result.has_growth);
    // A MiB each second. Over 4096 of them two are one step: 682 and not 682.5, by least squares 3599.74 an hour.
    for (int64_t last = 4095; last <= 4096; last++) {
        const int64_t seconds[] = {0, 0, 0, 0, 0, 1365, 2730, last};
        const int64_t mib[] = {0, 0, 0, 9000, 0, 1365, 2730, last};
        begin(true);
        for (unsigned i = 0; i < 8; i++) {
            point(seconds[i], mib[i]);
        }
        kvb_series_measure(&series, 0, &result);
        assert_int_equal(result.growth_bytes_per_hour, (last == 4096 ? 3599 : 3600) * MIB);
    }
}

// 64 points are drawn as they are; of 65 the higher of each two, and of two alike the first.
static void stretches(void **state)
{
    (void)state;
    for (unsigned count = 63; count <= 66; count++) {
        begin(true);
        for (unsigned i = 0; i < count; i++) {
            point(100 + 10 * (int64_t)i, i % 4 == 3 ? 9 : 1); // the fourth of four is higher
        }
        kvb_series_measure(&series, 0, &result);
        unsigned stretch = count <= 64 ? 1 : 2;
        assert_int_equal(result.point_count, (count + stretch - 1) / stretch);
        assert_int_equal(result.points[0].second, 0);
        assert_int_equal(result.points[1].second, stretch == 1 ? 10 : 30); // 1 9: the second
        assert_int_equal(result.points[1].used_bytes, (stretch == 1 ? 1 : 9) * MIB);
        assert_int_equal(result.points[2].second, stretch == 1 ? 20 : 40); // 1 1: the first
        assert_int_equal(result.points[result.point_count - 1].second,
                         10 * (count == 66 ? 64 : count - 1)); // 66 end in 1 1
    }
    begin(false); // without a time the number of the reading
    series.gpus[0].stride = 4;
    point(0, 1);
    point(0, 2);
    point(0, 3);
    kvb_series_measure(&series, 0, &result);
    assert_int_equal(result.points[2].second, 8);
}

// ---- Text

static bool read_text(const char *text)
{
    memset(&series, 0, sizeof series);
    kvb_series_feed(&series, text, strlen(text));
    return kvb_series_finish(&series, &result);
}

static char text[32 * 1024];

static size_t add(size_t length, const char *more)
{
    return length + (size_t)snprintf(text + length, sizeof text - length, "%s", more);
}

static size_t lines(size_t length, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        length = add(length, "a log\n");
    }
    return length;
}

// A header may stand on the thirteenth line, and 300 lines may come between two tables.
static void lines_between(void **state)
{
    (void)state;
    for (unsigned before = 11; before <= 14; before++) {
        (void)add(lines(0, before), "index, memory.used [MiB]\n0, 5 MiB\n0, 6 MiB\n");
        assert_int_equal(read_text(text), before <= 12);
    }
    for (unsigned between = 299; between <= 302; between++) {
        size_t length = add(0, "| NVIDIA-SMI |\n| 1MiB / 8MiB |\n| NVIDIA-SMI |\n| 2MiB / 8MiB |\n");
        (void)add(lines(length, between), "| NVIDIA-SMI |\n| 3MiB / 8MiB |\n");
        assert_true(read_text(text));
        assert_int_equal(result.samples, between <= 300 ? 3 : 2);
    }
}

// What stands behind the 399th character of a line is not looked at.
static void long_lines(void **state)
{
    (void)state;
    for (unsigned length = 390; length <= 399; length++) {
        char name[512];
        memset(name, 'x', length);
        name[length] = '\0';
        (void)snprintf(text, sizeof text, "name, memory.used [MiB]\n%s,7\n%s,7\n", name, name);
        assert_int_equal(read_text(text), length + 2 <= 399);
    }
}

static void csv(void **state)
{
    (void)state;
#define HEADER "timestamp, index, memory.used [MiB], memory.free [MiB]\n"
    assert_true(read_text(HEADER "05:00:00, 15, 7, 1\n05:00:10, 15, 9, 0\n"));
    assert_int_equal(result.gpu, 15);
    assert_int_equal(result.gpus, 16);
    assert_int_equal(result.total_bytes, 0); // nothing free says nothing of the card
    assert_true(read_text(HEADER "05:00:00, 0, 1048576, 1\n05:00:10, 0, 1048575, 1\n"));
    assert_int_equal(result.peak_bytes, INT64_C(1) << 40);  // 1 TiB is a reading
    assert_int_equal(result.total_bytes, INT64_C(1) << 40); // 1048575 + 1
    assert_true(read_text(HEADER "05:00:00, 0, 10485760, 1\n05:00:10, 0, 7, 1\n05:00:20, 0, 8, 1\n"));
    assert_int_equal(result.samples, 2); // ten of them are none
    // Of two GPUs that are equally full the first, and one reading is none.
    assert_true(read_text(HEADER "05:00:00, 0, 7, 1\n05:00:00, 1, 7, 1\n05:00:10, 0, 6, 1\n05:00:10, 1, 6, 1\n"));
    assert_int_equal(result.gpu, 0);
    assert_true(read_text(HEADER "05:00:00, 0, 9, 1\n05:00:00, 1, 7, 1\n05:00:10, 1, 6, 1\n"));
    assert_int_equal(result.gpu, 1);
    assert_false(read_text(HEADER "05:00:00, 0, 9, 1\n"));
    assert_false(read_text(HEADER));
    assert_false(read_text(""));
    // A break of either kind ends a line, and so does the end.
    assert_true(read_text("index, memory.used\r\n0, 5\r\n0, 6"));
    assert_int_equal(result.samples, 2);
    assert_int_equal(result.last_bytes, 6 * MIB);
}

static void dmon(void **state)
{
    (void)state;
#define NAMES "#Time        gpu     fb   bar1\n#HH:MM:SS    Idx     MB     MB\n"
    assert_true(read_text(NAMES " 05:06:07     15      0      3\n 05:06:17     15      0      3\n"));
    assert_int_equal(result.gpu, 15);
    assert_int_equal(result.peak_bytes, 0); // nothing in use is a reading
    assert_int_equal(result.seconds, 10);
    // A line that is cut short says nothing.
    assert_true(read_text(NAMES " 05:06:07 0 100 3\n 05:06:17 0 200 3\n 05:06:27 0\n 05:06:3\n"));
    assert_int_equal(result.samples, 2);
    assert_int_equal(result.seconds, 10);
    assert_true(read_text(NAMES " 05:06:07 0 100 3\n 05:06:17 0 1048576 3\n 05:06:27 0 1048577 3\n"));
    assert_int_equal(result.samples, 2);
    // A date in front of the time moves both columns.
    assert_true(read_text("#Date       Time        gpu     fb\n#YYYYMMDD   HH:MM:SS    Idx     MB\n"
                          " 20251122 05:06:07 0 100\n 20251122 05:07:07 0 200\n"));
    assert_int_equal(result.seconds, 60);
}

static void tables(void **state)
{
    (void)state;
#define TABLE(clock, row) clock "\n+---+\n| NVIDIA-SMI 535.161.07 |\n" row "\n"
    assert_true(read_text(TABLE("Sat Nov 22 05:06:07 2025", "| N/A | 1MiB / 8MiB |")
                              TABLE("Sat Nov 22 05:06:17 2025", "| N/A | 3MiB /  8MiB |")));
    assert_int_equal(result.seconds, 10);
    assert_int_equal(result.last_bytes, 3 * MIB);
    assert_int_equal(result.free_bytes, 5 * MIB);
    assert_true(read_text(TABLE("Sat Nov 22 09:59:59 2025", "| 1MiB / 8MiB |")
                              TABLE("Sat Nov 22 10:00:00 2025", "| 3MiB / 8MiB |")));
    assert_int_equal(result.seconds, 1);
    assert_true(read_text(TABLE("05:06:07", "7MiB / 7MiB") TABLE("05:06:17", "6MiB / 7MiB"))); // at a line's start
    assert_int_equal(result.first_bytes, 7 * MIB);
    assert_int_equal(result.seconds, 10);
    // A row without a figure is no GPU's: the next one is the first.
    assert_true(read_text("| NVIDIA-SMI |\n| MiB / 8MiB |\n| 1048577MiB / 8MiB |\n| 5MiB / 8MiB |\n"
                          "| NVIDIA-SMI |\n| MiB / 8MiB |\n| 6MiB / 8MiB |\n"));
    assert_int_equal(result.gpus, 1);
    assert_int_equal(result.last_bytes, 6 * MIB);
    // Each GPU of a table is the next one.
    assert_true(read_text("| NVIDIA-SMI |\n| 1MiB / 8MiB |\n| 2MiB / 8MiB |\n| NVIDIA-SMI |\n| 1MiB / 8MiB |\n"
                          "| 3MiB / 8MiB |\n"));
    assert_int_equal(result.gpus, 2);
    assert_int_equal(result.gpu, 1);
    assert_int_equal(result.first_bytes, 2 * MIB);
}

KVB_TEST_MAIN(cmocka_unit_test(steady_level), cmocka_unit_test(growth), cmocka_unit_test(stretches),
              cmocka_unit_test(lines_between), cmocka_unit_test(long_lines), cmocka_unit_test(csv),
              cmocka_unit_test(dmon), cmocka_unit_test(tables))
