// Log lines that a container runtime cut into parts (the CRI format) become whole again before they are read.
#ifndef KVB_LOGS_PARTS_H
#define KVB_LOGS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#define KVB_PARTS_HEAD 64   // of "2026-11-22T04:26:09.123456789Z stderr P "
#define KVB_PARTS_HELD 4096 // lines of the other stream between two parts, and one byte per part

// Where the rest of the present line goes.
enum kvb_parts_way { KVB_PARTS_HEADING, KVB_PARTS_OUT, KVB_PARTS_HOLD };

// All zero at the beginning.
struct kvb_parts {
    bool off;     // the first bytes hold no such line: everything passes as it is
    bool seen;    // such a line was there
    bool joining; // the line before was a part and its break is held back
    bool part;    // the present line is one
    char stream;  // 'o' or 'e': of the line that is joined
    enum kvb_parts_way way;
    size_t looked; // bytes without such a line
    size_t head_length, held_length;
    char head[KVB_PARTS_HEAD];
    char held[KVB_PARTS_HELD];
};

// Takes what is to be read.
typedef void kvb_parts_sink(void *context, const char *bytes, size_t length);

// A line tagged P goes on with the following ones of its stream up to one tagged F. The breaks that go come back
// behind the whole line, so that line numbers hold.
void kvb_parts_feed(struct kvb_parts *parts, const char *bytes, size_t length, kvb_parts_sink *sink, void *context);
// Gives what was held back.
void kvb_parts_finish(struct kvb_parts *parts, kvb_parts_sink *sink, void *context);

#endif
