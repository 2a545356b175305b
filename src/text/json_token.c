// The bytes, texts, numbers and words of JSON from a window over the file.
#include "text/json_token.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_PLAIN 64 // of a number or word

enum kvb_json_token kvb_json_fail(struct kvb_json_scan *scan, enum kvb_status status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint64_t offset = scan->read_offset - (scan->filled - scan->position);
    scan->status = kvb_problem_add(scan->problems, KVB_ERROR, status, (struct kvb_place){.file = scan->file->path},
                                   "byte %llu: %s", (unsigned long long)offset, text);
    return KVB_JSON_FAILED;
}

bool kvb_json_refill(struct kvb_json_scan *scan)
{
    uint64_t left = scan->end_offset - scan->read_offset;
    size_t wanted = left < KVB_JSON_WINDOW_BYTES ? (size_t)left : KVB_JSON_WINDOW_BYTES;
    if (wanted == 0 || scan->status != KVB_OK) {
        return false;
    }
    scan->status = kvb_file_read_at(scan->file, scan->read_offset, scan->buffer, wanted, scan->problems);
    if (scan->status != KVB_OK) {
        return false;
    }
    scan->read_offset += wanted;
    scan->position = 0;
    scan->filled = wanted;
    return true;
}

static inline void add(struct kvb_json_scan *scan, int c)
{
    if (scan->length + 1 < KVB_JSON_TEXT_CAPACITY) {
        scan->text[scan->length++] = (char)c;
    } else {
        scan->cut = true;
    }
}

enum kvb_json_token kvb_json_fail_end(struct kvb_json_scan *scan)
{
    return scan->status != KVB_OK ? KVB_JSON_FAILED
                                  : kvb_json_fail(scan, KVB_BAD_SYNTAX, "the JSON ends in the middle");
}

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Four hexadecimal digits; -1 when they are not.
static int hex_unit(struct kvb_json_scan *scan)
{
    int unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(kvb_json_peek(scan));
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
        scan->position++;
    }
    return unit;
}

static void add_code_point(struct kvb_json_scan *scan, int point)
{
    bool surrogate = point >= 0xD800 && point <= 0xDFFF; // names hold none; halves of pairs become '?'
    char bytes[4];
    size_t length = kvb_utf8_write(bytes, point < 0x20 || surrogate ? '?' : (uint32_t)point);
    for (size_t i = 0; i < length; i++) {
        add(scan, (unsigned char)bytes[i]);
    }
}

static bool read_escape(struct kvb_json_scan *scan)
{
    static const char plain[] = "\"\\/bfnrt";
    scan->position++;
    int c = kvb_json_peek(scan);
    if (c > 0 && strchr(plain, c) != NULL) {
        scan->position++;
        add(scan, c == '"' || c == '\\' || c == '/' ? c : ' ');
        return true;
    }
    int unit = -1;
    if (c == 'u') {
        scan->position++;
        unit = hex_unit(scan);
    }
    if (unit < 0) {
        (void)kvb_json_fail(scan, KVB_BAD_SYNTAX, "not an escape that JSON knows");
        return false;
    }
    add_code_point(scan, unit);
    return true;
}

bool kvb_json_take_text(struct kvb_json_scan *scan)
{
    scan->position++;
    scan->length = 0;
    scan->cut = false;
    for (;;) {
        int c = kvb_json_peek(scan);
        if (c == '"') {
            scan->position++;
            scan->text[scan->length] = '\0';
            return true;
        }
        if (c < 0) {
            (void)kvb_json_fail_end(scan);
            return false;
        }
        if (c < 0x20) {
            (void)kvb_json_fail(scan, KVB_BAD_SYNTAX, "a control character inside a text");
            return false;
        }
        if (c != '\\') {
            add(scan, c);
            scan->position++;
        } else if (!read_escape(scan)) {
            return false;
        }
    }
}

static bool is_plain(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.';
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

static bool is_number(const char *text)
{
    text += *text == '-';
    size_t whole = digits(text);
    if (whole == 0 || (whole > 1 && text[0] == '0')) {
        return false;
    }
    text += whole;
    if (*text == '.') {
        size_t decimals = digits(++text);
        if (decimals == 0) {
            return false;
        }
        text += decimals;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        size_t exponent = digits(text);
        if (exponent == 0) {
            return false;
        }
        text += exponent;
    }
    return *text == '\0';
}

enum kvb_json_token kvb_json_take_plain(struct kvb_json_scan *scan)
{
    scan->length = 0;
    scan->cut = false;
    int c = kvb_json_peek(scan);
    while (is_plain(c) && scan->length < LONGEST_PLAIN) {
        add(scan, c);
        scan->position++;
        c = kvb_json_peek(scan);
    }
    scan->text[scan->length] = '\0';
    if (is_number(scan->text)) {
        return KVB_JSON_NUMBER;
    }
    if (strcmp(scan->text, "true") == 0 || strcmp(scan->text, "false") == 0 || strcmp(scan->text, "null") == 0) {
        return KVB_JSON_WORD;
    }
    if (scan->length > 0) {
        return kvb_json_fail(scan, KVB_BAD_SYNTAX, "'%s' is no JSON value", scan->text);
    }
    return c < 0 ? kvb_json_fail_end(scan) : kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected a JSON value");
}
