// Median, mean, p90 and worst of numbers, all in the unit they came in.
#ifndef FIELD_STATISTICS_H
#define FIELD_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_MAX 1024
struct sample {
    uint64_t values[SAMPLE_MAX];
    size_t count;
    bool sorted;
};

void sample_add(struct sample *sample, uint64_t value); // beyond SAMPLE_MAX: ends the program
// The value that `per_thousand` of the sample lie below (500: the median); 0 when empty.
uint64_t sample_quantile(struct sample *sample, unsigned per_thousand);
uint64_t sample_mean(const struct sample *sample); // rounded to the nearest
uint64_t sample_worst(struct sample *sample);

#endif
