// Memory of GPUs over time: nvidia-smi queries repeated as CSV, dmon, or plain tables in a row. Integers only; what is
// kept does not grow with the text.
#ifndef KVB_LOGS_SERIES_H
#define KVB_LOGS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/logs.h>

#define KVB_SERIES_POINTS 512u // of one GPU; then every second one is dropped
#define KVB_SERIES_GPUS 16u
#define KVB_SERIES_LINE 400u // more of a line is not looked at

enum kvb_series_form {
    KVB_SERIES_UNDECIDED,
    KVB_SERIES_NONE,
    KVB_SERIES_CSV,
    KVB_SERIES_DMON,
    KVB_SERIES_TABLE,
};

struct kvb_series_point {
    int64_t second; // of the epoch, or the sample's number
    int64_t used_mib;
};

struct kvb_series_gpu {
    uint32_t count, stride, skipped;
    uint64_t samples;
    int64_t peak_mib, last_mib, free_mib, total_mib; // free and total: 0 = not said
    int64_t last_second;
    struct kvb_series_point points[KVB_SERIES_POINTS];
};

// All zero at first.
struct kvb_series {
    enum kvb_series_form form;
    bool has_time;
    uint32_t lines, gpu_count, barren;
    int column_time, column_index, column_used, column_free, column_total;
    int64_t table_second;
    uint32_t table_gpu;
    size_t length;
    char line[KVB_SERIES_LINE];
    struct kvb_series_gpu gpus[KVB_SERIES_GPUS];
};

void kvb_series_feed(struct kvb_series *series, const char *bytes, size_t length);
// What the samples of one GPU come to; `out` is all zero before.
void kvb_series_measure(const struct kvb_series *series, uint32_t index, struct kvb_log_series *out);
// What the series comes to; false when there were fewer than two samples.
bool kvb_series_finish(struct kvb_series *series, struct kvb_log_series *out);

#endif
