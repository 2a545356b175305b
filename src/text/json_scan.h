// A streaming reader of JSON: one token at a time, no tree, memory that does not grow with the text.
#ifndef KVB_TEXT_JSON_SCAN_H
#define KVB_TEXT_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/problem.h>

#include "text/file.h"

#define KVB_JSON_TEXT_CAPACITY 1024
#define KVB_JSON_DEPTH_MAX 32

enum kvb_json_token {
    KVB_JSON_FAILED, // a problem was added
    KVB_JSON_END,
    KVB_JSON_OBJECT,
    KVB_JSON_OBJECT_END,
    KVB_JSON_ARRAY,
    KVB_JSON_ARRAY_END,
    KVB_JSON_KEY,
    KVB_JSON_TEXT,
    KVB_JSON_NUMBER,
    KVB_JSON_WORD, // true, false, null
};

struct kvb_json_scan {
    const struct kvb_open_file *file;
    struct kvb_problems *problems;
    enum kvb_status status; // of the failure
    // the rest is private but for `text`
    uint64_t read_offset, end_offset; // what is still to be read of the file
    char *buffer;
    size_t position, filled;
    uint32_t depth;
    uint32_t arrays; // bit d: the container at depth d is an array
    uint32_t expected;
    char text[KVB_JSON_TEXT_CAPACITY]; // of a key, text, number or word; NUL-ended
    size_t length;
    bool cut; // it was longer than fits
};

// The JSON between two byte offsets of a file. Close also after a failure.
enum kvb_status kvb_json_open(struct kvb_json_scan *scan, const struct kvb_open_file *file, uint64_t begin_offset,
                              uint64_t end_offset, struct kvb_problems *problems) KVB_MUST_USE;
void kvb_json_close(struct kvb_json_scan *scan);

enum kvb_json_token kvb_json_next(struct kvb_json_scan *scan);
// Passes over the next value, whatever it holds; false: failed.
bool kvb_json_skip(struct kvb_json_scan *scan);
// The next token must be this one; `what` says what was expected.
bool kvb_json_expect(struct kvb_json_scan *scan, enum kvb_json_token token, const char *what);
// The next value must be a whole number below 2^62.
bool kvb_json_whole(struct kvb_json_scan *scan, const char *what, uint64_t *number);
// The number just read, when it is whole and below 2^62.
bool kvb_json_text_whole(const struct kvb_json_scan *scan, uint64_t *number);
// Adds an error with the byte offset reached.
enum kvb_json_token kvb_json_fail(struct kvb_json_scan *scan, enum kvb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
