// JSON by RFC 8259, token by token from a window over the file.
#include "input/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/memory.h"

#define WINDOW_BYTES ((size_t)128 << 10)
#define LONGEST_PLAIN 64 // of a number or word

enum expected {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END,
    EXPECT_KEY,
    EXPECT_KEY_OR_END,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING,
};

enum kvb_status kvb_json_open(struct kvb_json_scan *scan, const struct kvb_open_file *file, uint64_t begin_offset,
                              uint64_t end_offset, struct kvb_problems *problems)
{
    scan->file = file;
    scan->problems = problems;
    scan->status = KVB_OK;
    scan->read_offset = begin_offset;
    scan->end_offset = end_offset;
    scan->position = 0;
    scan->filled = 0;
    scan->depth = 0;
    scan->arrays = 0;
    scan->expected = EXPECT_VALUE;
    scan->length = 0;
    scan->text[0] = '\0';
    scan->buffer = kvb_reallocate(NULL, WINDOW_BYTES);
    if (scan->buffer == NULL) {
        scan->status = kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file->path},
                                       "not enough memory to read it");
    }
    return scan->status;
}

void kvb_json_close(struct kvb_json_scan *scan)
{
    kvb_release(scan->buffer);
    scan->buffer = NULL;
}

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

// False at the end of the text, or when reading failed.
static bool refill(struct kvb_json_scan *scan)
{
    uint64_t left = scan->end_offset - scan->read_offset;
    size_t wanted = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
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

// The next byte without taking it; -1 at the end.
static inline int peek(struct kvb_json_scan *scan)
{
    if (scan->position == scan->filled && !refill(scan)) {
        return -1;
    }
    return (unsigned char)scan->buffer[scan->position];
}

static int peek_after_space(struct kvb_json_scan *scan)
{
    int c = peek(scan);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        scan->position++;
        c = peek(scan);
    }
    return c;
}

static inline void add(struct kvb_json_scan *scan, int c)
{
    if (scan->length + 1 < KVB_JSON_TEXT_CAPACITY) {
        scan->text[scan->length++] = (char)c;
    } else {
        scan->cut = true;
    }
}

static enum kvb_json_token fail_end(struct kvb_json_scan *scan)
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
        int digit = hex_digit(peek(scan));
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
    if (point < 0x80) {
        add(scan, point < 0x20 ? '?' : point);
    } else if (point < 0x800) {
        add(scan, 0xC0 | point >> 6);
        add(scan, 0x80 | (point & 0x3F));
    } else if (surrogate) {
        add(scan, '?');
    } else {
        add(scan, 0xE0 | point >> 12);
        add(scan, 0x80 | (point >> 6 & 0x3F));
        add(scan, 0x80 | (point & 0x3F));
    }
}

static bool read_escape(struct kvb_json_scan *scan)
{
    static const char plain[] = "\"\\/bfnrt";
    scan->position++;
    int c = peek(scan);
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

// The opening quote is next.
static bool read_text(struct kvb_json_scan *scan)
{
    scan->position++;
    scan->length = 0;
    scan->cut = false;
    for (;;) {
        int c = peek(scan);
        if (c == '"') {
            scan->position++;
            scan->text[scan->length] = '\0';
            return true;
        }
        if (c < 0) {
            (void)fail_end(scan);
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

static enum kvb_json_token read_plain(struct kvb_json_scan *scan)
{
    scan->length = 0;
    scan->cut = false;
    int c = peek(scan);
    while (is_plain(c) && scan->length < LONGEST_PLAIN) {
        add(scan, c);
        scan->position++;
        c = peek(scan);
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
    return c < 0 ? fail_end(scan) : kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected a JSON value");
}

static void after_value(struct kvb_json_scan *scan)
{
    scan->expected = scan->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
}

static enum kvb_json_token open_container(struct kvb_json_scan *scan, bool array)
{
    if (scan->depth + 1 >= KVB_JSON_DEPTH_MAX) {
        return kvb_json_fail(scan, KVB_NOT_ALLOWED, "nested deeper than %d levels", KVB_JSON_DEPTH_MAX - 1);
    }
    scan->position++;
    scan->depth++;
    scan->arrays = array ? scan->arrays | UINT32_C(1) << scan->depth : scan->arrays & ~(UINT32_C(1) << scan->depth);
    scan->expected = array ? EXPECT_VALUE_OR_END : EXPECT_KEY_OR_END;
    return array ? KVB_JSON_ARRAY : KVB_JSON_OBJECT;
}

static bool in_array(const struct kvb_json_scan *scan)
{
    return (scan->arrays >> scan->depth & 1) != 0;
}

static enum kvb_json_token close_container(struct kvb_json_scan *scan)
{
    bool array = in_array(scan);
    scan->position++;
    scan->depth--;
    after_value(scan);
    return array ? KVB_JSON_ARRAY_END : KVB_JSON_OBJECT_END;
}

static enum kvb_json_token read_key(struct kvb_json_scan *scan)
{
    if (peek(scan) != '"') {
        return peek(scan) < 0 ? fail_end(scan) : kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected a key in quotes");
    }
    if (!read_text(scan)) {
        return KVB_JSON_FAILED;
    }
    if (peek_after_space(scan) != ':') {
        return kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected ':' after a key");
    }
    scan->position++;
    scan->expected = EXPECT_VALUE;
    return KVB_JSON_KEY;
}

static enum kvb_json_token read_value(struct kvb_json_scan *scan, int c)
{
    if (c == '{' || c == '[') {
        return open_container(scan, c == '[');
    }
    after_value(scan);
    if (c == '"') {
        return read_text(scan) ? KVB_JSON_TEXT : KVB_JSON_FAILED;
    }
    return read_plain(scan);
}

static enum kvb_json_token at_end(struct kvb_json_scan *scan, int c)
{
    if (scan->status != KVB_OK) {
        return KVB_JSON_FAILED;
    }
    return c < 0 ? KVB_JSON_END : kvb_json_fail(scan, KVB_BAD_SYNTAX, "more text behind the end of the JSON");
}

enum kvb_json_token kvb_json_next(struct kvb_json_scan *scan)
{
    if (scan->status != KVB_OK) {
        return KVB_JSON_FAILED;
    }
    int c = peek_after_space(scan);
    if (scan->expected == EXPECT_NOTHING) {
        return at_end(scan, c);
    }
    if (scan->expected == EXPECT_COMMA_OR_END && c == ',') {
        scan->position++;
        scan->expected = in_array(scan) ? EXPECT_VALUE : EXPECT_KEY;
        c = peek_after_space(scan);
    } else if (scan->expected != EXPECT_VALUE && scan->expected != EXPECT_KEY && c == (in_array(scan) ? ']' : '}')) {
        return close_container(scan);
    } else if (scan->expected == EXPECT_COMMA_OR_END) {
        return c < 0 ? fail_end(scan) : kvb_json_fail(scan, KVB_BAD_SYNTAX, "expected ',' or the end of the container");
    }
    if (scan->expected == EXPECT_KEY || scan->expected == EXPECT_KEY_OR_END) {
        return read_key(scan);
    }
    return read_value(scan, c);
}

bool kvb_json_skip(struct kvb_json_scan *scan)
{
    uint32_t depth = scan->depth;
    enum kvb_json_token token;
    do {
        token = kvb_json_next(scan);
    } while (token > KVB_JSON_END && scan->depth > depth);
    return token > KVB_JSON_END;
}

bool kvb_json_expect(struct kvb_json_scan *scan, enum kvb_json_token token, const char *what)
{
    enum kvb_json_token found = kvb_json_next(scan);
    if (found != token && found != KVB_JSON_FAILED) {
        (void)kvb_json_fail(scan, KVB_BAD_TYPE, "expected %s", what);
    }
    return found == token;
}

bool kvb_json_text_whole(const struct kvb_json_scan *scan, uint64_t *number)
{
    return kvb_parse_whole(scan->text, number) && !kvb_is_saturated(*number);
}

bool kvb_json_whole(struct kvb_json_scan *scan, const char *what, uint64_t *number)
{
    enum kvb_json_token found = kvb_json_next(scan);
    if (found == KVB_JSON_FAILED) {
        return false;
    }
    if (found != KVB_JSON_NUMBER || !kvb_json_text_whole(scan, number)) {
        bool shown = found == KVB_JSON_NUMBER || found == KVB_JSON_TEXT || found == KVB_JSON_WORD;
        (void)kvb_json_fail(scan, KVB_BAD_TYPE, "expected %s, a whole number%s%.40s", what, shown ? ", got " : "",
                            shown ? scan->text : "");
        return false;
    }
    return true;
}
