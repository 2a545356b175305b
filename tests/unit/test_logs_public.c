// Public logs that the rules were not written from: kinds, whose memory, figures, and never the wrong way round.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_text.h"
#include "unit/test.h"

#define TEXT_MAX (64 * 1024)

struct record {
    char id[96], kind[40], memory[8], figures[400];
    char text[TEXT_MAX];
    size_t length;
};

struct tally {
    unsigned logs, kinds, memory, figures, read, alive_failed, dead_healthy;
};
static struct tally tally;

static int64_t figure(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    double unit = strncmp(end, "GiB", 3) == 0 ? 1073741824.0 : strncmp(end, "MiB", 3) == 0 ? 1048576.0 : 1.0;
    return (int64_t)(number * unit);
}

static bool same(const struct kvb_log_report *report, const char *key, const char *value)
{
    for (unsigned i = 0; i < KVB_OBS_PUBLISHED_COUNT; i++) {
        const struct kvb_observation_row *row = kvb_observation_row_of((enum kvb_observation)i);
        if (strcmp(row->key, key) != 0) {
            continue;
        }
        int64_t wanted = row->unit == KVB_LOG_HUNDREDTHS ? (int64_t)(strtod(value, NULL) * 100 + 0.5) : figure(value);
        int64_t slack = row->unit == KVB_LOG_BYTES ? 5476084 : 0; // half of the last digit of two decimals of a GiB
        int64_t difference = report->observed[i].value - wanted;
        return report->observed[i].set && difference <= slack && -difference <= slack;
    }
    fail_msg("no figure is called '%s'", key);
    return false;
}

static void count_figures(const struct record *record, const struct kvb_log_report *report)
{
    char copy[sizeof record->figures];
    strcpy(copy, record->figures);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        bool read = same(report, word, value);
        tally.figures++;
        tally.read += read;
        if (!read) {
            print_message("%s: %s is not read\n", record->id, word);
        }
    }
}

static void count_record(const struct record *record)
{
    const struct kvb_log_report *report = read_log_pieces(record->text, record->length, 512);
    const struct kvb_log_failure *failure = &report->failure;
    bool failed = report->verdict == KVB_LOG_FAILED;
    const char *kind = failed ? kvb_failure_name(failure->kind) : kvb_log_verdict_name(report->verdict);
    bool any = strcmp(record->kind, "oom") == 0 && strncmp(kind, "oom_", 4) == 0;
    bool alive = strcmp(record->kind, "healthy") == 0 || strcmp(record->kind, "incomplete") == 0;
    static const char *const answers[] = {"?", "yes", "no"};
    const char *memory = failed ? answers[failure->about_memory] : "-";
    tally.logs++;
    tally.kinds += any || strcmp(kind, record->kind) == 0;
    tally.memory += strcmp(memory, record->memory) == 0;
    tally.alive_failed += alive && failed;
    tally.dead_healthy += !alive && report->verdict == KVB_LOG_HEALTHY;
    if (!any && strcmp(kind, record->kind) != 0) {
        print_message("%s: %s, not %s\n", record->id, kind, record->kind);
    }
    count_figures(record, report);
}

static void walk(const char *name)
{
    static struct record record;
    char path[512];
    char line[8192];
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/logs/public/%s", KVB_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    memset(&record, 0, sizeof record);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '=') {
            if (record.length > 0) {
                count_record(&record);
            }
            memset(&record, 0, sizeof record);
            assert_int_equal(sscanf(line, "= %95s", record.id), 1);
        } else if (line[0] == '|') {
            size_t length = strlen(line + 1);
            assert_true(record.length + length < TEXT_MAX);
            memcpy(record.text + record.length, line + 1, length);
            record.length += length;
        } else {
            assert_true(sscanf(line, "%39s %7s %399[^\n]", record.kind, record.memory, record.figures) >= 2);
        }
    }
    count_record(&record);
    fclose(file);
}

static void test_public_logs(void **state)
{
    (void)state;
    static const char *const names[] = {"refused.txt", "cut.txt", "memory.txt", "ready.txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        walk(names[i]);
    }
    print_message("%u logs: %u kinds, %u about memory or not, %u of %u figures\n", tally.logs, tally.kinds,
                  tally.memory, tally.read, tally.figures);
    assert_true(tally.logs >= 150);
    assert_true(tally.kinds * 100 >= tally.logs * 97);
    assert_true(tally.memory * 100 >= tally.logs * 97);
    assert_true(tally.read * 100 >= tally.figures * 98);
    assert_int_equal(tally.alive_failed, 0);
    assert_int_equal(tally.dead_healthy, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(test_public_logs))
