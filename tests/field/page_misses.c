// What the tool got wrong or did not answer, worst first.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include "page.h"

#define MISS_HUNDREDTHS 1000 // 10 %
#define MISSES_MAX 1024

struct miss {
    const struct run *run;
    enum figure figure;
};

static int by_error(const void *a, const void *b)
{
    const struct miss *left = a, *right = b;
    uint64_t left_error = left->run->figures[left->figure].error;
    uint64_t right_error = right->run->figures[right->figure].error;
    if (left_error != right_error) {
        return left_error < right_error ? 1 : -1;
    }
    int order = strcmp(run_cell(left->run, "id"), run_cell(right->run, "id"));
    return order != 0 ? order : (int)left->figure - (int)right->figure;
}

static size_t collect(const struct record *record, struct miss misses[MISSES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        for (enum figure figure = 0; figure < FIGURE_JUDGED; figure++) {
            const struct reading *reading = &record->runs[i].figures[figure];
            if (reading->known && reading->error > MISS_HUNDREDTHS && count < MISSES_MAX) {
                misses[count++] = (struct miss){&record->runs[i], figure};
            }
        }
    }
    qsort(misses, count, sizeof misses[0], by_error);
    return count;
}

static void miss_line(struct kvb_buffer *out, const struct miss *miss)
{
    const struct reading *reading = &miss->run->figures[miss->figure];
    char predicted[32], logged[32], error[32];
    kvb_buffer_add(out, "| ");
    page_id(out, miss->run);
    kvb_buffer_printf(out, " | %s | %s | %s | %s %% | ", figure_rows[miss->figure].label,
                      format_figure(predicted, miss->figure, reading->predicted),
                      format_figure(logged, miss->figure, reading->logged_value),
                      format_hundredths(error, reading->error));
    page_cell(out, run_cell(miss->run, "note"));
    kvb_buffer_add(out, " |\n");
}

static void outside_bound(struct kvb_buffer *out, const struct record *record)
{
    kvb_buffer_add(out, "\n### Pools outside the bound\n\n| run | bound, GiB | logged, GiB | why, if known |\n"
                        "|---|--:|--:|---|\n");
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        char low[32], high[32], logged[32];
        if (!run->bounded || run->inside) {
            continue;
        }
        kvb_buffer_add(out, "| ");
        page_id(out, run);
        kvb_buffer_printf(out, " | %s to %s | %s | ", kvb_format_gib(low, run->pool_low, 2),
                          kvb_format_gib(high, run->pool_high, 2),
                          kvb_format_gib(logged, run->figures[FIGURE_POOL].logged_value, 2));
        page_cell(out, run_cell(run, "note"));
        kvb_buffer_add(out, " |\n");
    }
}

// The rule, or the pool beside what one request needs.
static void refused_for(struct kvb_buffer *out, const struct run *run)
{
    char low[32], high[32], need[32];
    if (run->refusal != NULL) {
        kvb_buffer_printf(out, " | %s | ", run->refusal);
    } else {
        kvb_buffer_printf(out, " | a pool of %s to %s GiB, a need of %s | ", kvb_format_gib(low, run->pool_low, 2),
                          kvb_format_gib(high, run->pool_high, 2), kvb_format_gib(need, (int64_t)run->needed_bytes, 2));
    }
}

static void refused(struct kvb_buffer *out, const struct record *record)
{
    kvb_buffer_add(
        out,
        "\n### Started, though predicted not to\n\n| run | model | refused for | why, if known |\n|---|---|---|---|\n");
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        if (!run->answered || run->starts || run->refused) {
            continue;
        }
        kvb_buffer_add(out, "| ");
        page_id(out, run);
        kvb_buffer_add(out, " | ");
        page_model(out, run);
        refused_for(out, run);
        page_cell(out, run_cell(run, "note"));
        kvb_buffer_add(out, " |\n");
    }
}

// The first clause of what the tool says: what follows is how to fetch the model.
static void first_clause(struct kvb_buffer *out, const char *text)
{
    char clause[KVB_PROBLEM_TEXT_CAPACITY];
    (void)kvb_copy(clause, sizeof clause, text);
    clause[strcspn(clause, ";")] = '\0';
    page_cell(out, clause);
}

static void unanswered(struct kvb_buffer *out, const struct record *record)
{
    kvb_buffer_add(out, "\n### Not answered\n\n| run | model | what the tool says |\n|---|---|---|\n");
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        if (run->answered) {
            continue;
        }
        kvb_buffer_add(out, "| ");
        page_id(out, run);
        kvb_buffer_add(out, " | ");
        page_model(out, run);
        kvb_buffer_add(out, " | ");
        first_clause(out, run->why_not);
        kvb_buffer_add(out, " |\n");
    }
}

void page_misses(struct kvb_buffer *out, const struct record *record)
{
    struct miss misses[MISSES_MAX];
    size_t count = collect(record, misses);
    kvb_buffer_add(out, "\n## Misses\n\nEvery figure more than 10 % off, worst first; then pools outside the bound, "
                        "starts predicted to fail, and\nruns without an answer.\n\n"
                        "| run | figure | predicted | logged | error | why, if known |\n|---|---|--:|--:|--:|---|\n");
    for (size_t i = 0; i < count; i++) {
        miss_line(out, &misses[i]);
    }
    outside_bound(out, record);
    refused(out, record);
    unanswered(out, record);
}
