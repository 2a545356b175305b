// Reads a log held in memory, whole or in pieces.
#ifndef LOG_TEXT_H
#define LOG_TEXT_H

#include <string.h>

#include <kvbudget/logs.h>

#include "base/memory.h"
#include "unit/test.h"

// `piece` is at most 4096. The report is static: it is large, and one at a time is enough.
static inline struct kvb_log_report *read_log_pieces(const char *text, size_t length, size_t piece)
{
    static struct kvb_log_report report;
    struct kvb_log_reader *reader = kvb_log_reader_new();
    assert_non_null(reader);
    for (size_t at = 0; at < length; at += piece) {
        char copy[4096]; // its own bytes, so that a sanitizer sees a read behind them
        size_t part = length - at < piece ? length - at : piece;
        memcpy(copy, text + at, part);
        kvb_log_reader_feed(reader, copy, part);
    }
    kvb_log_reader_finish(reader, &report);
    kvb_log_reader_free(reader);
    return &report;
}

static inline struct kvb_log_report *read_log(const char *text)
{
    return read_log_pieces(text, strlen(text), 1024);
}

#endif
