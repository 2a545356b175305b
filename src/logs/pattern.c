// The matcher for literal text with typed holes.
#include "logs/pattern.h"

#include <string.h>

#include "base/checked.h"
#include "logs/cursor.h"

enum hole_kind {
    HOLE_SIZE,
    HOLE_GIB,
    HOLE_MIB,
    HOLE_MEM,
    HOLE_BYTES,
    HOLE_COUNT,
    HOLE_DEC,
    HOLE_PPM,
    HOLE_NUM,
    HOLE_PART,
    HOLE_WORD,
    HOLE_NAME,
    HOLE_SEP,
    HOLE_ANY,
    HOLE_KIND_COUNT
};

static const char *const hole_names[HOLE_KIND_COUNT] = {"size", "gib", "mib",  "mem",  "bytes", "count", "dec",
                                                        "ppm",  "num", "part", "word", "name",  "sep",   "any"};

#define ANY_MAX 400

static int64_t hole_unit(enum hole_kind kind)
{
    switch (kind) {
    case HOLE_GIB:
        return INT64_C(1) << 30;
    case HOLE_MIB:
        return INT64_C(1) << 20;
    case HOLE_DEC:
        return 100;
    default: // HOLE_PPM
        return 1000000;
    }
}

static bool ends_word(char c)
{
    return kvb_is_blank(c) || strchr(",()[]{}'\"`;", c) != NULL;
}

static bool take_text(struct kvb_cursor *in)
{
    size_t start = in->at;
    while (in->at < in->length && in->text[in->at] != '\0' && !ends_word(in->text[in->at])) {
        in->at++;
    }
    return in->at > start;
}

static bool take_name(struct kvb_cursor *in)
{
    size_t start = in->at;
    while (in->at < in->length && in->at - start < 120 && strchr("()\"\n", in->text[in->at]) == NULL) {
        in->at++;
    }
    return in->at > start;
}

static void skip_separators(struct kvb_cursor *in)
{
    while (in->at < in->length && strchr(" \t\n:=|*`~", in->text[in->at]) != NULL && in->text[in->at] != '\0') {
        in->at++;
    }
}

static bool take_hole(struct kvb_cursor *in, enum hole_kind kind, int64_t *value)
{
    struct kvb_decimal number;
    *value = 0;
    switch (kind) {
    case HOLE_SIZE:
        return kvb_take_size(in, value);
    case HOLE_MEM:
        return kvb_take_memory(in, value);
    case HOLE_WORD:
        return take_text(in);
    case HOLE_NAME:
        return take_name(in);
    case HOLE_BYTES:
    case HOLE_COUNT: {
        bool negative = kvb_take_minus(in);
        bool taken = kvb_take_whole(in, value);
        *value = negative ? -*value : *value;
        return taken;
    }
    case HOLE_NUM:
        return kvb_take_metric(in, false, value);
    case HOLE_PART:
        return kvb_take_metric(in, true, value);
    default:
        if (!kvb_take_decimal(in, &number)) {
            return false;
        }
        *value = kvb_decimal_scaled(&number, hole_unit(kind));
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
static bool take_literal(struct kvb_cursor *in, char c)
{
    if (c == ' ') {
        if (in->at >= in->length || !kvb_is_blank(in->text[in->at])) {
            return false;
        }
        kvb_skip_blanks(in);
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
static bool skip_to(struct kvb_cursor *in, const char *pattern)
{
    size_t run = strcspn(pattern, "{");
    size_t stop = (size_t)kvb_min(in->at + ANY_MAX, in->length);
    for (size_t at = in->at; at < stop; at++) {
        struct kvb_cursor trial = {in->text, in->length, at};
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
static bool match_hole(struct kvb_cursor *in, enum hole_kind kind, struct kvb_hole *holes, unsigned *filled)
{
    if (kind == HOLE_KIND_COUNT || *filled >= KVB_HOLES_MAX) {
        return false;
    }
    if (in->at > 0 && in->text[in->at - 1] == '(' && kvb_peek(in, 0) == '\n') { // wrapped behind the bracket
        in->at++;
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

static bool match_from(struct kvb_cursor *in, const char *pattern, struct kvb_hole *holes)
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
            if (kvb_peek(in, 0) == p[2]) {
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
    struct kvb_cursor in = {text, length, start};
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
