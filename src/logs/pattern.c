// The matcher for literal text with typed holes.
#include "logs/pattern.h"

#include <string.h>

#include <kvbudget/units.h>

enum hole_kind {
    HOLE_SIZE,
    HOLE_GIB,
    HOLE_MIB,
    HOLE_MEM,
    HOLE_BYTES,
    HOLE_COUNT,
    HOLE_DEC,
    HOLE_PPM,
    HOLE_WORD,
    HOLE_NAME,
    HOLE_SEP,
    HOLE_ANY,
    HOLE_KIND_COUNT
};

static const char *const hole_names[HOLE_KIND_COUNT] = {"size", "gib", "mib",  "mem",  "bytes", "count",
                                                        "dec",  "ppm", "word", "name", "sep",   "any"};

#define ANY_MAX 400
#define NUMBER_LIMIT ((int64_t)1 << 62)

struct cursor {
    const char *text;
    size_t length;
    size_t at;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(const struct cursor *in, size_t ahead)
{
    if (in->at + ahead >= in->length) {
        return '\0';
    }
    return in->text[in->at + ahead];
}

static void skip_blanks(struct cursor *in)
{
    while (in->at < in->length && is_blank(in->text[in->at])) {
        in->at++;
    }
}

static bool take_word(struct cursor *in, const char *word)
{
    size_t length = strlen(word);
    if (in->length - in->at < length || memcmp(in->text + in->at, word, length) != 0) {
        return false;
    }
    in->at += length;
    return true;
}

// A sign, U+2212 included.
static bool take_minus(struct cursor *in)
{
    return take_word(in, "-") || take_word(in, "\xe2\x88\x92");
}

// Whole part with optional thousands separators; saturates.
static bool take_whole(struct cursor *in, int64_t *number)
{
    if (!is_digit(peek(in, 0))) {
        return false;
    }
    int64_t value = 0;
    for (;;) {
        char c = peek(in, 0);
        bool separator = c == ',' && is_digit(peek(in, 1)) && is_digit(peek(in, 2)) && is_digit(peek(in, 3)) &&
                         !is_digit(peek(in, 4));
        if (separator) {
            in->at++;
            continue;
        }
        if (!is_digit(c)) {
            break;
        }
        value = value > NUMBER_LIMIT / 10 - 1 ? NUMBER_LIMIT / 10 : value * 10 + (c - '0');
        in->at++;
    }
    *number = value;
    return true;
}

#define FRACTION_ONE INT64_C(1000000000000)

struct decimal {
    bool negative;
    bool pointed; // had a decimal point
    int64_t whole;
    int64_t fraction; // in 1/FRACTION_ONE
};

static bool take_decimal(struct cursor *in, struct decimal *number)
{
    memset(number, 0, sizeof *number);
    number->negative = take_minus(in);
    if (!take_whole(in, &number->whole)) {
        return false;
    }
    if (peek(in, 0) != '.' || !is_digit(peek(in, 1))) {
        return true;
    }
    in->at++;
    number->pointed = true;
    int64_t scale = FRACTION_ONE / 10;
    while (is_digit(peek(in, 0))) {
        number->fraction += (peek(in, 0) - '0') * scale;
        scale /= 10;
        in->at++;
    }
    return true;
}

// number x unit, rounded to the nearest; saturates. A unit is a power of two or at most a million.
static int64_t scaled(const struct decimal *number, int64_t unit)
{
    if (number->whole > NUMBER_LIMIT / unit) {
        return number->negative ? -NUMBER_LIMIT : NUMBER_LIMIT;
    }
    int64_t fine = unit > (INT64_C(1) << 20) ? unit >> 20 : 1; // keeps products inside 64 bits
    int64_t coarse = number->fraction * (unit / fine);
    int64_t value = number->whole * unit + coarse / FRACTION_ONE * fine +
                    (coarse % FRACTION_ONE * fine + FRACTION_ONE / 2) / FRACTION_ONE;
    return number->negative ? -value : value;
}

struct unit_row {
    const char *text;
    int64_t bytes;
};

// Longer spellings first. Engines that print "GB", "MB" and "KB" here divide by powers of two.
static const struct unit_row unit_rows[] = {
    {"GiB", INT64_C(1) << 30},
    {"Gib", INT64_C(1) << 30},
    {"GB", INT64_C(1) << 30},
    {"MiB", INT64_C(1) << 20},
    {"MB", INT64_C(1) << 20},
    {"KiB", INT64_C(1) << 10},
    {"KB", INT64_C(1) << 10},
    {"TiB", INT64_C(1) << 40},
    {"TB", INT64_C(1) << 40},
    {"bytes", 1},
    {"byte", 1},
    {"B", 1},
};

static bool take_unit(struct cursor *in, int64_t *unit)
{
    for (size_t i = 0; i < sizeof unit_rows / sizeof unit_rows[0]; i++) {
        if (take_word(in, unit_rows[i].text)) {
            *unit = unit_rows[i].bytes;
            return true;
        }
    }
    return false;
}

static bool take_size(struct cursor *in, int64_t *value)
{
    struct decimal number;
    int64_t unit;
    if (!take_decimal(in, &number)) {
        return false;
    }
    skip_blanks(in);
    if (!take_unit(in, &unit)) {
        return false;
    }
    *value = scaled(&number, unit);
    return true;
}

static bool take_mem(struct cursor *in, int64_t *value)
{
    struct decimal number;
    int64_t unit = 1;
    if (!take_decimal(in, &number)) {
        return false;
    }
    size_t behind = in->at;
    skip_blanks(in);
    if (!take_unit(in, &unit)) {
        in->at = behind;
        unit = number.pointed ? INT64_C(1) << 30 : 1;
    }
    *value = scaled(&number, unit);
    return true;
}

static int64_t hole_unit(enum hole_kind kind)
{
    switch (kind) {
    case HOLE_GIB:
        return INT64_C(1) << 30;
    case HOLE_MIB:
        return INT64_C(1) << 20;
    case HOLE_DEC:
        return 100;
    case HOLE_PPM:
        return 1000000;
    default:
        return 1;
    }
}

static bool ends_word(char c)
{
    return is_blank(c) || strchr(",()[]{}'\"`;", c) != NULL;
}

static bool take_text(struct cursor *in)
{
    size_t start = in->at;
    while (in->at < in->length && in->text[in->at] != '\0' && !ends_word(in->text[in->at])) {
        in->at++;
    }
    return in->at > start;
}

static bool take_name(struct cursor *in)
{
    size_t start = in->at;
    while (in->at < in->length && in->at - start < 120 && strchr("()\n", in->text[in->at]) == NULL) {
        in->at++;
    }
    return in->at > start;
}

static void skip_separators(struct cursor *in)
{
    while (in->at < in->length && strchr(" \t\n:=|*`~", in->text[in->at]) != NULL && in->text[in->at] != '\0') {
        in->at++;
    }
}

static bool take_hole(struct cursor *in, enum hole_kind kind, int64_t *value)
{
    struct decimal number;
    *value = 0;
    switch (kind) {
    case HOLE_SIZE:
        return take_size(in, value);
    case HOLE_MEM:
        return take_mem(in, value);
    case HOLE_WORD:
        return take_text(in);
    case HOLE_NAME:
        return take_name(in);
    case HOLE_BYTES:
    case HOLE_COUNT: {
        bool negative = take_minus(in);
        bool taken = take_whole(in, value);
        *value = negative ? -*value : *value;
        return taken;
    }
    default:
        if (!take_decimal(in, &number)) {
            return false;
        }
        *value = scaled(&number, hole_unit(kind));
        return true;
    }
}

// The kind of the hole at `pattern` ("{size}..."); `length` receives the length with braces.
static enum hole_kind read_hole(const char *pattern, size_t *length)
{
    for (unsigned kind = 0; kind < HOLE_KIND_COUNT; kind++) {
        size_t name = strlen(hole_names[kind]);
        if (strncmp(pattern + 1, hole_names[kind], name) == 0 && pattern[1 + name] == '}') {
            *length = name + 2;
            return (enum hole_kind)kind;
        }
    }
    *length = 0;
    return HOLE_KIND_COUNT;
}

// One literal character; wrapping may have put a line break in the middle of a word.
static bool take_literal(struct cursor *in, char c)
{
    if (c == ' ') {
        if (in->at >= in->length || !is_blank(in->text[in->at])) {
            return false;
        }
        skip_blanks(in);
        return true;
    }
    while (in->at < in->length && in->text[in->at] == '\n') {
        in->at++;
    }
    if (in->at >= in->length || in->text[in->at] != c) {
        return false;
    }
    in->at++;
    return true;
}

// Moves to where the literal run of `pattern` begins, at most ANY_MAX further on the same line.
static bool skip_to(struct cursor *in, const char *pattern)
{
    size_t run = strcspn(pattern, "{");
    size_t stop = in->at + ANY_MAX < in->length ? in->at + ANY_MAX : in->length;
    for (size_t at = in->at; at < stop; at++) {
        struct cursor trial = {in->text, in->length, at};
        size_t i = 0;
        while (i < run && take_literal(&trial, pattern[i])) {
            i++;
        }
        if (i == run) {
            in->at = at;
            return true;
        }
        if (in->text[at] == '\n') {
            break;
        }
    }
    in->at = stop;
    return false;
}

// One hole of a pattern, read from `in`; holes with a value are appended.
static bool match_hole(struct cursor *in, enum hole_kind kind, struct kvb_hole *holes, unsigned *filled)
{
    if (kind == HOLE_KIND_COUNT || *filled >= KVB_HOLES_MAX) {
        return false;
    }
    size_t from = in->at;
    struct kvb_hole *hole = &holes[*filled];
    if (!take_hole(in, kind, &hole->value)) {
        return false;
    }
    hole->text = in->text + from;
    hole->length = in->at - from;
    (*filled)++;
    return true;
}

static bool match_from(struct cursor *in, const char *pattern, struct kvb_hole *holes)
{
    unsigned filled = 0;
    for (const char *p = pattern; *p != '\0';) {
        size_t width;
        if (*p != '{') {
            if (!take_literal(in, *p++)) {
                return false;
            }
            while (p[-1] == ' ' && *p == ' ') { // several blanks are one run
                p++;
            }
        } else if (p[1] == '!') {
            if (peek(in, 0) == p[2]) {
                return false;
            }
            p += 4;
        } else {
            enum hole_kind kind = read_hole(p, &width);
            p += width;
            if (kind == HOLE_SEP) {
                skip_separators(in);
            } else if (kind == HOLE_ANY ? !skip_to(in, p) : !match_hole(in, kind, holes, &filled)) {
                return false;
            }
        }
    }
    return true;
}

bool kvb_pattern_match(const char *pattern, const char *text, size_t length, size_t start,
                       struct kvb_hole holes[KVB_HOLES_MAX], size_t *end)
{
    struct cursor in = {text, length, start};
    bool matched = match_from(&in, pattern, holes);
    *end = in.at;
    return matched;
}

size_t kvb_pattern_anchor(const char *pattern, const char **anchor, bool *leading_hole)
{
    *leading_hole = pattern[0] == '{';
    if (*leading_hole) {
        pattern += strcspn(pattern, "}") + 1;
    }
    *anchor = pattern;
    return strcspn(pattern, "{");
}

unsigned kvb_pattern_holes(const char *pattern)
{
    unsigned count = 0;
    for (const char *p = strchr(pattern, '{'); p != NULL; p = strchr(p + 1, '{')) {
        if (p[1] != '!' && strncmp(p, "{any}", 5) != 0 && strncmp(p, "{sep}", 5) != 0) {
            count++;
        }
    }
    return count;
}
