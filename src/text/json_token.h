// Single tokens of JSON, whatever stands around them; for the reader in json_scan.c.
#ifndef KVB_TEXT_JSON_TOKEN_H
#define KVB_TEXT_JSON_TOKEN_H

#include "text/json_scan.h"

#define KVB_JSON_WINDOW_BYTES ((size_t)128 << 10)

// The next piece of the file into the empty window; false at the end of the text, or when reading failed.
bool kvb_json_refill(struct kvb_json_scan *scan);

// The next byte without taking it; -1 at the end.
static inline int kvb_json_peek(struct kvb_json_scan *scan)
{
    if (scan->position == scan->filled && !kvb_json_refill(scan)) {
        return -1;
    }
    return (unsigned char)scan->buffer[scan->position];
}

static inline int kvb_json_peek_after_space(struct kvb_json_scan *scan)
{
    int c = kvb_json_peek(scan);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        scan->position++;
        c = kvb_json_peek(scan);
    }
    return c;
}

// Says that the text ends too early, unless reading it failed.
enum kvb_json_token kvb_json_fail_end(struct kvb_json_scan *scan);
// The opening quote is next. False: a problem was added.
bool kvb_json_take_text(struct kvb_json_scan *scan);
// A number, or true, false or null.
enum kvb_json_token kvb_json_take_plain(struct kvb_json_scan *scan);

#endif
