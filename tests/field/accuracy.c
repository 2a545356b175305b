// Plans every start of the field record and prints docs/accuracy.md.
//   accuracy RUNS.csv FAILURES.csv
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#include "page.h"

// Measures every row; NULL when a row or the memory is bad.
static struct run *measure(const struct table *table)
{
    struct answer *answer = kvb_reallocate(NULL, sizeof *answer);
    struct run *runs = kvb_reallocate(NULL, (table->rows + 1) * sizeof *runs);
    bool good = answer != NULL && runs != NULL;
    for (size_t i = 0; i < table->rows && good; i++) {
        good = run_measure(&runs[i], table, i, answer);
    }
    kvb_release(answer);
    if (!good) {
        kvb_release(runs);
        return NULL;
    }
    return runs;
}

static int print(const struct record *record)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    page_write(&out, record);
    bool written = !out.failed && fwrite(out.data, 1, out.length, stdout) == out.length && fflush(stdout) == 0;
    kvb_buffer_free(&out);
    return written ? 0 : 4;
}

int main(int argc, char **argv)
{
    struct table runs = {0}, failures = {0};
    int code = 3;
    if (argc != 3) {
        fputs("usage: accuracy RUNS.csv FAILURES.csv\n", stderr);
        return 2;
    }
    if (table_read(&runs, argv[1]) && table_read(&failures, argv[2])) {
        struct record record = {.run_count = runs.rows, .failure_count = failures.rows};
        struct run *started = measure(&runs);
        struct run *failed = measure(&failures);
        record.runs = started;
        record.failures = failed;
        code = started != NULL && failed != NULL ? print(&record) : 3;
        kvb_release(started);
        kvb_release(failed);
    }
    table_free(&runs);
    table_free(&failures);
    return code;
}
