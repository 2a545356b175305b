// Words about memory that state nothing of a run: they only find the closest lines of an unknown log.
// The last of all tables, so that a row that knows more is asked first.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(NEAR, 0, "KV cache", "the KV cache", NOTHING),
    PLAIN(NEAR, 0, "kv cache", "the kv cache", NOTHING),
    PLAIN(NEAR, 0, "GPU memory", "the GPU memory", NOTHING),
    PLAIN(NEAR, 0, "gpu_memory", "the gpu_memory", NOTHING),
    PLAIN(NEAR, 0, "OutOfMemory", "an OutOfMemory", NOTHING),
    PLAIN(NEAR, 0, "out of mem", "ran out of mem", NOTHING),
    PLAIN(NEAR, 0, "allocated", "is allocated", NOTHING),
    PLAIN(NEAR, 0, "available memory", "the available memory", NOTHING),
    PLAIN(NEAR, 0, "memory usage", "its memory usage", NOTHING),
    PLAIN(NEAR, 0, "cudaMalloc", "in cudaMalloc", NOTHING),
};

const struct kvb_line_table kvb_lines_near = {KVB_LOG_UNKNOWN_ENGINE, rows, KVB_LINE_ROWS(rows)};
