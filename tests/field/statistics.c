// Sorted samples; enough for a record of a thousand runs.
#include "statistics.h"

#include <stdio.h>
#include <stdlib.h>

void sample_add(struct sample *sample, uint64_t value)
{
    if (sample->count == SAMPLE_MAX) {
        fprintf(stderr, "more than %d values: raise SAMPLE_MAX\n", SAMPLE_MAX);
        exit(2);
    }
    sample->values[sample->count++] = value;
    sample->sorted = false;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void sort(struct sample *sample)
{
    if (!sample->sorted) {
        qsort(sample->values, sample->count, sizeof sample->values[0], by_value);
        sample->sorted = true;
    }
}

uint64_t sample_quantile(struct sample *sample, unsigned per_thousand)
{
    if (sample->count == 0) {
        return 0;
    }
    sort(sample);
    size_t at = sample->count * per_thousand / 1000;
    return sample->values[at < sample->count ? at : sample->count - 1];
}

uint64_t sample_mean(const struct sample *sample)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sample->count; i++) {
        sum += sample->values[i];
    }
    return sample->count == 0 ? 0 : (sum + sample->count / 2) / sample->count;
}

uint64_t sample_worst(struct sample *sample)
{
    return sample_quantile(sample, 1000);
}
