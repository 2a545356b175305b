// A log being read: the window that slides over it, what was found, and the rows that are looked for.
#ifndef KVB_LOGS_READER_H
#define KVB_LOGS_READER_H

#include "logs/clean.h"
#include "logs/parts.h"
#include "logs/run.h"
#include "logs/scan.h"
#include "logs/series.h"
#include "logs/window.h"

enum kvb_log_encoding { KVB_ENCODING_UNKNOWN, KVB_ENCODING_UTF8, KVB_ENCODING_UTF16 };

struct kvb_log_reader {
    struct kvb_scanner scanner;
    struct kvb_runs runs;
    struct kvb_series series;
    enum kvb_log_encoding encoding;
    struct kvb_utf16 utf16;
    struct kvb_parts parts;
    unsigned char head[2];
    size_t head_length;
    uint64_t byte_count, sampled, controls;
    size_t scanned;        // the window is searched up to here
    uint64_t wrapped_line; // of the last row found around a break
    uint32_t wrapped_count;
    bool ends_in_break;
    bool slid; // the window does not hold the whole text any more
    uint32_t closest_count;
    struct kvb_closest closest[KVB_CLOSEST_MAX];
    struct kvb_log_window window;
};

// Takes what stands at a place of the window where the search found the beginning of row `index`, or of one alike.
void kvb_log_look_at(struct kvb_log_reader *reader, size_t at, uint16_t index);

#endif
