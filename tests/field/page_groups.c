// The same figures by release, card class, kind of model and of start, family, and GPU.
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "page.h"
#include "statistics.h"

#define GROUPS_MAX 128

static void group_figure(struct kvb_buffer *out, const struct record *record, group_of_run *key, const char *label,
                         enum figure figure)
{
    struct sample sample = {.count = 0};
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        if (run->figures[figure].known && strcmp(key(run), label) == 0) {
            sample_add(&sample, run->figures[figure].error);
        }
    }
    if (sample.count == 0) {
        kvb_buffer_add(out, " - |");
        return;
    }
    kvb_buffer_add(out, " ");
    page_percent(out, sample_quantile(&sample, 500));
    kvb_buffer_add(out, ", ");
    page_percent(out, sample_worst(&sample));
    kvb_buffer_printf(out, " (%zu) |", sample.count);
}

static void group_line(struct kvb_buffer *out, const struct record *record, group_of_run *key, const char *label)
{
    size_t count = 0, answered = 0, bounded = 0, inside = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        if (strcmp(key(run), label) == 0) {
            count++;
            answered += run->answered;
            bounded += run->bounded;
            inside += run->bounded && run->inside;
        }
    }
    kvb_buffer_printf(out, "| %s | %zu of %zu |", label, answered, count);
    for (enum figure figure = 0; figure < FIGURE_JUDGED; figure++) {
        group_figure(out, record, key, label, figure);
    }
    if (bounded == 0) {
        kvb_buffer_add(out, " - |\n");
    } else {
        kvb_buffer_printf(out, " %zu of %zu |\n", inside, bounded);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The distinct labels in order of appearance.
static size_t collect(const struct record *record, group_of_run *key, const char *labels[GROUPS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        const char *label = key(&record->runs[i]);
        size_t at = 0;
        while (at < count && strcmp(labels[at], label) != 0) {
            at++;
        }
        if (at == count && count < GROUPS_MAX) {
            labels[count++] = label;
        }
    }
    return count;
}

static void group_table(struct kvb_buffer *out, const struct record *record, const char *title, group_of_run *key,
                        bool sort)
{
    const char *labels[GROUPS_MAX];
    size_t count = collect(record, key, labels);
    if (sort) {
        qsort(labels, count, sizeof labels[0], by_name);
    }
    kvb_buffer_printf(out,
                      "\n### By %s\n\n| %s | answered | "
                      "weights | activation | KV pool | KV tokens | concurrency | in bound |\n"
                      "|---|--:|--:|--:|--:|--:|--:|--:|\n",
                      title, title);
    for (size_t i = 0; i < count; i++) {
        group_line(out, record, key, labels[i]);
    }
}

void page_groups(struct kvb_buffer *out, const struct record *record)
{
    group_table(out, record, "release", group_era, false);
    group_table(out, record, "card class", group_card_class, true);
    group_table(out, record, "kind of model", group_kind, true);
    group_table(out, record, "whether compiled graphs were found", group_start, true);
}

void page_more_groups(struct kvb_buffer *out, const struct record *record)
{
    kvb_buffer_add(out,
                   "\n## All runs by family and GPU\n\nMedian and worst error, and how many runs were compared.\n");
    group_table(out, record, "model family", group_family, true);
    group_table(out, record, "GPU", group_gpu, true);
}
