// What the `[file.py:N]` stamp of a vLLM line says: the line of the logging call in that release.
#ifndef KVB_LOGS_STAMPS_H
#define KVB_LOGS_STAMPS_H

#include <stddef.h>
#include <stdint.h>

#include <kvbudget/logs.h>

#define KVB_STAMPED_ENGINE KVB_LOG_VLLM // whose calls the rows know

enum kvb_side { KVB_SIDE_UNKNOWN, KVB_SIDE_START, KVB_SIDE_READY, KVB_SIDE_SERVING, KVB_SIDE_EITHER };

struct kvb_stamp_row {
    const char *file;
    uint32_t line;
    enum kvb_side side;    // what the call at this line tells of the process
    uint32_t since, until; // releases whose call stands at this line
};

extern const struct kvb_stamp_row kvb_stamp_rows[];
extern const size_t kvb_stamp_row_count;

// The row of the last stamp in the first `length` bytes of a line; NULL when it bears none that is known.
const struct kvb_stamp_row *kvb_stamp_of(const char *line, size_t length);

#endif
