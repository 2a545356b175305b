// Tables of what a floor may be set on, and the comparison.
#include "floors.h"

#include <stdio.h>
#include <string.h>

#include "statistics.h"

static uint64_t median(struct sample *sample)
{
    return sample_quantile(sample, 500);
}

static uint64_t p90(struct sample *sample)
{
    return sample_quantile(sample, 900);
}

static uint64_t mean(struct sample *sample)
{
    return sample_mean(sample);
}

static const struct {
    const char *word;
    uint64_t (*of)(struct sample *sample);
} statistics[] = {{"median", median}, {"mean", mean}, {"p90", p90}};

static uint64_t share(size_t part, size_t whole)
{
    return whole == 0 ? 0 : (uint64_t)(part * 10000 / whole);
}

static uint64_t answered(const struct record *record)
{
    size_t count = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        count += record->runs[i].answered;
    }
    return share(count, record->run_count);
}

// Of the answered runs that started, those that were said to.
static uint64_t started(const struct record *record)
{
    size_t count = 0, starts = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        count += record->runs[i].answered && !record->runs[i].refused;
        starts += record->runs[i].starts && !record->runs[i].refused;
    }
    return share(starts, count);
}

static uint64_t in_bound(const struct record *record)
{
    size_t bounded = 0, inside = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        bounded += record->runs[i].bounded;
        inside += record->runs[i].bounded && record->runs[i].inside;
    }
    return share(inside, bounded);
}

static uint64_t foreseen(const struct record *record)
{
    size_t judged, seen;
    failures_foreseen(record, &judged, &seen);
    return share(seen, judged);
}

static const struct {
    const char *word;
    uint64_t (*of)(const struct record *record);
} shares[] = {{"answered", answered}, {"started", started}, {"in bound", in_bound}, {"failures foreseen", foreseen}};

static bool find_figure(const char *word, enum figure *figure)
{
    for (enum figure i = 0; i < FIGURE_JUDGED; i++) {
        if (strcmp(word, figure_rows[i].label) == 0) {
            *figure = i;
            return true;
        }
    }
    return false;
}

static uint64_t of_figure(const struct record *record, enum figure figure, uint64_t (*of)(struct sample *sample))
{
    struct sample sample = {.count = 0};
    for (size_t i = 0; i < record->run_count; i++) {
        if (record->runs[i].figures[figure].known) {
            sample_add(&sample, record->runs[i].figures[figure].error);
        }
    }
    return of(&sample);
}

// *value in hundredths of a percent; *most: the limit is an upper one.
static bool measure(const struct record *record, const char *figure_word, const char *statistic, uint64_t *value,
                    bool *most)
{
    enum figure figure;
    *most = find_figure(figure_word, &figure);
    for (size_t i = 0; *most && i < sizeof statistics / sizeof statistics[0]; i++) {
        if (strcmp(statistic, statistics[i].word) == 0) {
            *value = of_figure(record, figure, statistics[i].of);
            return true;
        }
    }
    for (size_t i = 0; !*most && i < sizeof shares / sizeof shares[0]; i++) {
        if (strcmp(figure_word, shares[i].word) == 0 && strcmp(statistic, "share") == 0) {
            *value = shares[i].of(record);
            return true;
        }
    }
    return false;
}

static bool floor_holds(const struct record *record, const struct table *floors, size_t row)
{
    const char *half = table_cell(floors, row, "half"), *limit_text = table_cell(floors, row, "limit");
    const char *figure = table_cell(floors, row, "figure"), *statistic = table_cell(floors, row, "statistic");
    struct record view = record_half(record, strcmp(half, "fed") == 0);
    uint64_t value = 0;
    int64_t limit = 0;
    bool most;
    char text[32];
    if ((strcmp(half, "fed") != 0 && strcmp(half, "unfed") != 0) || !parse_hundredths(limit_text, &limit) ||
        !measure(&view, figure, statistic, &value, &most)) {
        fprintf(stderr, "floors: '%s,%s,%s,%s' is no floor\n", half, figure, statistic, limit_text);
        return false;
    }
    if (most ? value <= (uint64_t)limit : value >= (uint64_t)limit) {
        return true;
    }
    fprintf(stderr, "below its floor: %s runs, %s, %s is %s %%; the floor is at %s %s %%\n", half, figure, statistic,
            format_hundredths(text, value), most ? "most" : "least", limit_text);
    return false;
}

bool floors_hold(const struct record *record, const struct table *floors)
{
    bool hold = true;
    for (size_t row = 0; row < floors->rows; row++) {
        hold = floor_holds(record, floors, row) && hold;
    }
    return hold;
}
