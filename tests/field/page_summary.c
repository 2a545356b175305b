// The summary, and the same figures by release, model family and GPU.
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "page.h"
#include "statistics.h"

#define GROUPS_MAX 64

static void percent(struct kvb_buffer *out, uint64_t hundredths)
{
    char text[32];
    kvb_buffer_printf(out, "%s %%", format_hundredths(text, hundredths));
}

static void summarise_figure(struct kvb_buffer *out, const struct record *record, enum figure figure)
{
    struct sample sample = {.count = 0};
    size_t logged = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        const struct reading *reading = &record->runs[i].figures[figure];
        logged += reading->logged;
        if (reading->known) {
            sample_add(&sample, reading->error);
        }
    }
    kvb_buffer_printf(out, "| %s | %zu | %zu | ", figure_rows[figure].label, logged, sample.count);
    percent(out, sample_quantile(&sample, 500));
    kvb_buffer_add(out, " | ");
    percent(out, sample_mean(&sample));
    kvb_buffer_add(out, " | ");
    percent(out, sample_quantile(&sample, 900));
    kvb_buffer_add(out, " | ");
    percent(out, sample_worst(&sample));
    kvb_buffer_add(out, " |\n");
}

static void summarise_non_torch(struct kvb_buffer *out, const struct record *record)
{
    struct sample sample = {.count = 0};
    for (size_t i = 0; i < record->run_count; i++) {
        const struct reading *reading = &record->runs[i].figures[FIGURE_NON_TORCH];
        if (reading->known) {
            int64_t apart = reading->predicted - reading->logged_value;
            sample_add(&sample, (uint64_t)(apart < 0 ? -apart : apart) / KVB_MIB);
        }
    }
    kvb_buffer_printf(out,
                      "\nNon-torch memory, too small a figure to be judged in percent: %zu runs, %llu MiB apart at the "
                      "median, %llu MiB at worst.\n",
                      sample.count, (unsigned long long)sample_quantile(&sample, 500),
                      (unsigned long long)sample_worst(&sample));
}

static void summarise_bounds(struct kvb_buffer *out, const struct record *record)
{
    struct sample all = {.count = 0}, text = {.count = 0};
    size_t inside = 0;
    char width[32], text_width[32];
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        if (!run->bounded) {
            continue;
        }
        inside += run->inside;
        sample_add(&all, run->half_width);
        if (!run->encoder) {
            sample_add(&text, run->half_width);
        }
    }
    kvb_buffer_printf(out,
                      "\nThe bound holds %zu of %zu logged pools (%s %%). Its half-width is %s %% of the pool at the "
                      "median, %s %% for text models.\n",
                      inside, all.count,
                      format_hundredths((char[32]){0}, all.count == 0 ? 0 : inside * 10000 / all.count),
                      format_hundredths(width, sample_quantile(&all, 500)),
                      format_hundredths(text_width, sample_quantile(&text, 500)));
}

void page_summary(struct kvb_buffer *out, const struct record *record)
{
    size_t answered = 0, starts = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        answered += record->runs[i].answered;
        starts += record->runs[i].starts;
    }
    kvb_buffer_printf(
        out,
        "\n## Summary\n\n%zu runs, %zu answered. The engine gave all of them a pool, and %zu of the answered "
        "ones were predicted to start.\n\n",
        record->run_count, answered, starts);
    kvb_buffer_add(out, "| figure | logged | compared | median | mean | p90 | worst |\n"
                        "|---|--:|--:|--:|--:|--:|--:|\n");
    for (enum figure figure = 0; figure < FIGURE_JUDGED; figure++) {
        summarise_figure(out, record, figure);
    }
    summarise_non_torch(out, record);
    summarise_bounds(out, record);
}

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
    percent(out, sample_mean(&sample));
    kvb_buffer_add(out, ", ");
    percent(out, sample_worst(&sample));
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
                      "\n## By %s\n\nMean and worst error, and how many runs were compared.\n\n| %s | answered | "
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
    group_table(out, record, "model family", group_family, true);
    group_table(out, record, "GPU", group_gpu, true);
}
