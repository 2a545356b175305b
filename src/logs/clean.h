// Raw log bytes to plain text: colours, carriage returns, quoting, JSON escapes and wrapper prefixes go.
#ifndef KVB_LOGS_CLEAN_H
#define KVB_LOGS_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Writes the cleaned text of `in` to `out` (no NUL added), at most `capacity` bytes; returns its length.
// Line breaks become '\n' and what wrappers put behind them is dropped; the text ends before line
// `max_lines` + 1. `json` undoes backslash escapes.
size_t kvb_clean(const char *in, size_t length, bool json, unsigned max_lines, char *out, size_t capacity);

// UTF-16 to UTF-8, across chunks.
struct kvb_utf16 {
    bool big_endian;
    bool has_byte, has_high;
    unsigned char byte;
    uint32_t high;
};
// Writes at most 3 bytes per input byte pair, plus 3; returns how many.
size_t kvb_utf16_decode(struct kvb_utf16 *state, const char *in, size_t length, char *out);

// Copies as one printable line: control characters and invalid UTF-8 become '?', breaks become a blank.
void kvb_printable(const char *in, size_t length, char *out, size_t capacity);

// How bytes that begin so are compressed: "gzip", ...; NULL = they are not, as far as two bytes tell.
const char *kvb_packed_as(const unsigned char head[2]);

#endif
