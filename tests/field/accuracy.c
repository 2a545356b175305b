// Plans every start of the field record and prints docs/accuracy.md, or compares it with its floors.
//   accuracy RUNS.csv FAILURES.csv [FLOORS.csv | --rows]
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#include "floors.h"
#include "page.h"
#include "rows.h"

enum part { PART_UNFED, PART_FED, PART_FORKS };

static enum part part_of(const struct table *table, size_t row)
{
    return strchr(table_cell(table, row, "engine"), '+') != NULL ? PART_FORKS
           : table_cell(table, row, "fed")[0] != '\0'            ? PART_FED
                                                                 : PART_UNFED;
}

// Measures the rows of one part, behind the *count there are already.
static bool measure_part(const struct table *table, enum part part, struct run *runs, size_t *count,
                         struct answer *answer)
{
    for (size_t i = 0; i < table->rows; i++) {
        if (part_of(table, i) != part) {
            continue;
        }
        if (!run_measure(&runs[*count], table, i, answer)) {
            return false;
        }
        (*count)++;
    }
    return true;
}

// Measures every row, those that fed nothing first and forks last; NULL when a row or the memory is bad.
static struct run *measure(const struct table *table, size_t *unfed_count, size_t *fork_count)
{
    struct answer *answer = kvb_reallocate(NULL, sizeof *answer);
    struct run *runs = kvb_reallocate(NULL, (table->rows + 1) * sizeof *runs);
    bool good = answer != NULL && runs != NULL;
    size_t count = 0;
    good = good && measure_part(table, PART_UNFED, runs, &count, answer);
    *unfed_count = count;
    good = good && measure_part(table, PART_FED, runs, &count, answer);
    *fork_count = count;
    good = good && measure_part(table, PART_FORKS, runs, &count, answer);
    *fork_count = count - *fork_count;
    kvb_free(answer);
    if (!good) {
        kvb_free(runs);
        return NULL;
    }
    return runs;
}

static bool is_same_start(const struct run *run, const struct run *failure)
{
    static const char *const columns[] = {"source", "model", "engine", "gpu", "environment", "settings"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (strcmp(run_cell(run, columns[i]), run_cell(failure, columns[i])) != 0) {
            return false;
        }
    }
    return true;
}

// State blocks are counted when the pool stands: such a start is in both tables.
static void mark_refused(struct run *runs, size_t run_count, const struct run *failures, size_t failure_count)
{
    for (size_t i = 0; i < run_count; i++) {
        for (size_t j = 0; j < failure_count; j++) {
            bool after = strcmp(run_cell(&failures[j], "kind"), "too_few_state_blocks") == 0;
            runs[i].refused = runs[i].refused || (after && is_same_start(&runs[i], &failures[j]));
        }
    }
}

static int print(const struct record *record, void (*write)(struct kvb_buffer *out, const struct record *record))
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    write(&out, record);
    bool written = !out.failed && fwrite(out.data, 1, out.length, stdout) == out.length && fflush(stdout) == 0;
    kvb_buffer_free(&out);
    return written ? 0 : 4;
}

static int answer_record(const struct record *record, const char *floors_path)
{
    struct table floors = {0};
    int code = 3;
    if (floors_path == NULL) {
        return print(record, page_write);
    }
    if (strcmp(floors_path, "--rows") == 0) {
        return print(record, rows_write);
    }
    if (table_read(&floors, floors_path)) {
        code = floors_hold(record, &floors) ? 0 : 1;
    }
    table_free(&floors);
    return code;
}

int main(int argc, char **argv)
{
    struct table runs = {0}, failures = {0};
    int code = 3;
    if (argc != 3 && argc != 4) {
        fputs("usage: accuracy RUNS.csv FAILURES.csv [FLOORS.csv | --rows]\n", stderr);
        return 2;
    }
    if (table_read(&runs, argv[1]) && table_read(&failures, argv[2])) {
        struct record record = {.run_count = runs.rows, .failure_count = failures.rows};
        size_t unfed_failures, forked_failures;
        struct run *started = measure(&runs, &record.unfed_count, &record.fork_count);
        struct run *failed = measure(&failures, &unfed_failures, &forked_failures);
        record.runs = started;
        record.failures = failed;
        if (started != NULL && failed != NULL) {
            mark_refused(started, runs.rows, failed, failures.rows);
        }
        code = started != NULL && failed != NULL ? answer_record(&record, argc == 4 ? argv[3] : NULL) : 3;
        kvb_free(started);
        kvb_free(failed);
    }
    table_free(&runs);
    table_free(&failures);
    return code;
}
