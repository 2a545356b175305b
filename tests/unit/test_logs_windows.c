// Logs longer than the window that slides over them, and more breaks in messages than are looked at.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "logs/window.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define LOADED "Model loading took 8.25 GiB"

// A thousand breaks inside of messages are looked at, of a message that is long one each, so that time stays linear.
static void breaks_looked_at(void **state)
{
    (void)state;
    static char log[1001 * 3200];
    for (unsigned before = 999; before <= 1000; before++) {
        size_t length = 0;
        for (unsigned i = 0; i < before; i++) {
            length += (size_t)snprintf(log + length, sizeof log - length, "ValueError: a\n");
            memset(log + length, 'y', 3000); // to the end of the record
            length += 3000;
            log[length++] = '\n';
        }
        strcpy(log + length, "ValueError: No a\nvailable memory for the cache blocks. Try\n");
        const struct kvb_log_report *report = read_log_pieces(log, strlen(log), 4096);
        assert_int_equal(report->failure.kind == KVB_FAILURE_NEGATIVE_KV, before == 999);
    }
}

// Wherever a line falls on the borders of the window it is read once, and bears its number.
static void borders(void **state)
{
    (void)state;
    static char log[KVB_WINDOW_BYTES + 4096];
    static const size_t borders[] = {KVB_WINDOW_BYTES - KVB_WINDOW_AHEAD, KVB_WINDOW_BYTES};
    for (size_t i = 0; i < 2; i++) {
        for (size_t before = borders[i] - 40; before <= borders[i] + 10; before += 2) {
            for (size_t at = 0; at < before; at += 2) {
                memcpy(log + at, "x\n", 2);
            }
            size_t length = before + (size_t)snprintf(log + before, 64, "%s", LOADED "\n");
            for (; length < sizeof log; length += 2) {
                memcpy(log + length, "x\n", 2);
            }
            const struct kvb_log_report *report = read_log_pieces(log, sizeof log / 2 * 2, 4096);
            const struct kvb_log_value *weights = &report->observed[KVB_OBS_WEIGHTS];
            uint64_t breaks = 0;
            for (size_t at = 0; at < sizeof log / 2 * 2; at++) {
                breaks += log[at] == '\n';
            }
            assert_int_equal(report->line_count, breaks + (log[sizeof log / 2 * 2 - 1] != '\n'));
            if (weights->count != 1 || weights->line != before / 2 + 1) {
                fail_msg("%zu: line %d, %u times", before, (int)weights->line, (unsigned)weights->count);
            }
        }
    }
}

// What slid out of the window may have been anything: such a log is no excerpt, nor is a scrape.
static void no_excerpts(void **state)
{
    (void)state;
    static char log[256 * 1024];
    for (unsigned lines = 100; lines <= 200; lines += 100) { // of a KiB each
        size_t length = 0;
        for (unsigned i = 0; i < lines; i++) {
            length +=
                (size_t)snprintf(log + length, sizeof log - length, "%-1023s\n", "GPU KV cache size: 12,352 tokens");
        }
        assert_int_equal(read_log_pieces(log, length, 4096)->excerpt, lines == 100);
    }
    assert_false(read_log("vllm:num_requests_running{model_name=\"a/b\"} 3.0\n")->excerpt);
}

KVB_TEST_MAIN(cmocka_unit_test(breaks_looked_at), cmocka_unit_test(borders), cmocka_unit_test(no_excerpts))
