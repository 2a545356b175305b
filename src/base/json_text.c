// A walk through JSON with its open brackets on a stack of its own.
#include "base/json_text.h"

#include <string.h>

#include "base/text.h"

#define DEPTH_MAX 200 // of jiter, which pydantic reads by
#define EXCERPT 40

struct scan {
    const char *text;
    size_t size, at;
    enum kvb_json_dialect dialect;
    unsigned depth;
    char open[DEPTH_MAX];
    const char *expected;
};

static char here(const struct scan *scan)
{
    return scan->at < scan->size ? scan->text[scan->at] : '\0';
}

static void skip_blanks(struct scan *scan)
{
    while (here(scan) != '\0' && strchr(" \t\r\n", here(scan)) != NULL) {
        scan->at++;
    }
}

static bool miss(struct scan *scan, const char *expected)
{
    scan->expected = expected;
    return false;
}

static bool is_quote(const struct scan *scan)
{
    return here(scan) == '"' || (scan->dialect == KVB_JSON_PYTHON && here(scan) == '\'');
}

static bool is_hexadecimal(char c)
{
    return kvb_is_digit(c) || (kvb_lower(c) >= 'a' && kvb_lower(c) <= 'f');
}

// At the backslash; Python takes any letter behind one.
static bool read_escape(struct scan *scan)
{
    scan->at++;
    if (scan->dialect != KVB_JSON_PYTHON && (here(scan) == '\0' || strchr("\"\\/bfnrtu", here(scan)) == NULL)) {
        return miss(scan, "one of \" \\ / b f n r t u behind a backslash");
    }
    for (unsigned i = 0; scan->dialect != KVB_JSON_PYTHON && here(scan) == 'u' && i < 4; i++) {
        if (scan->at + 1 + i >= scan->size || !is_hexadecimal(scan->text[scan->at + 1 + i])) {
            return miss(scan, "four hexadecimal digits behind \\u");
        }
    }
    return true;
}

static bool read_string(struct scan *scan)
{
    char quote = here(scan);
    for (scan->at++; scan->at < scan->size && here(scan) != quote; scan->at++) {
        if ((unsigned char)here(scan) < ' ') {
            return miss(scan, "no control character inside quotes");
        }
        if (here(scan) == '\\' && !read_escape(scan)) {
            return false;
        }
    }
    if (scan->at >= scan->size) {
        return miss(scan, "the quote that ends the text");
    }
    scan->at++;
    return true;
}

static bool skip_digits(struct scan *scan)
{
    size_t from = scan->at;
    while (kvb_is_digit(here(scan))) {
        scan->at++;
    }
    if (scan->at > from) {
        return true;
    }
    return miss(scan, "a digit");
}

static bool read_number(struct scan *scan)
{
    scan->at += here(scan) == '-' ? 1 : 0;
    size_t from = scan->at;
    if (!skip_digits(scan)) {
        return false;
    }
    if (scan->text[from] == '0' && scan->at > from + 1) {
        scan->at = from + 1;
        return miss(scan, "no digit behind a leading 0");
    }
    if (here(scan) == '.') {
        scan->at++;
        if (!skip_digits(scan)) {
            return false;
        }
    }
    if (kvb_lower(here(scan)) == 'e') {
        scan->at++;
        scan->at += here(scan) == '-' || here(scan) == '+' ? 1 : 0;
        return skip_digits(scan);
    }
    bool suffix = here(scan) != '\0' && strchr("kKmMgGtT", here(scan)) != NULL;
    scan->at += scan->dialect == KVB_JSON_SUFFIXES && suffix ? 1 : 0;
    return true;
}

static bool read_word(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    static const char *const python[] = {"True", "False", "None"};
    bool literal = scan->dialect == KVB_JSON_PYTHON;
    for (size_t i = 0; i < (literal ? sizeof python : sizeof words) / sizeof words[0]; i++) {
        const char *word = literal ? python[i] : words[i];
        size_t length = strlen(word);
        if (scan->size - scan->at >= length && strncmp(scan->text + scan->at, word, length) == 0) {
            scan->at += length;
            return true;
        }
    }
    return miss(scan, literal ? "a value: text in quotes, a number, True, False, None, { or ["
                              : "a value: text in double quotes, a number, true, false, null, { or [");
}

static bool read_scalar(struct scan *scan)
{
    bool infinite = here(scan) == '-' && scan->at + 1 < scan->size && scan->text[scan->at + 1] == 'I';
    bool number = kvb_is_digit(here(scan)) || here(scan) == '-';
    return is_quote(scan) ? read_string(scan) : number && !infinite ? read_number(scan) : read_word(scan);
}

// A value, or the beginning of one: its members follow.
static bool read_value(struct scan *scan, bool *opened)
{
    skip_blanks(scan);
    *opened = here(scan) == '{' || here(scan) == '[';
    if (!*opened) {
        return read_scalar(scan);
    }
    if (scan->depth == DEPTH_MAX) {
        return miss(scan, "no more than 200 brackets inside each other");
    }
    scan->open[scan->depth++] = here(scan);
    scan->at++;
    return true;
}

static bool read_name(struct scan *scan)
{
    if (!is_quote(scan)) {
        return miss(scan, scan->dialect == KVB_JSON_PYTHON ? "a name in quotes" : "a name in double quotes");
    }
    if (!read_string(scan)) {
        return false;
    }
    skip_blanks(scan);
    if (here(scan) != ':') {
        return miss(scan, "a colon behind the name");
    }
    scan->at++;
    return true;
}

static bool closes(const struct scan *scan)
{
    return here(scan) == (scan->open[scan->depth - 1] == '{' ? '}' : ']');
}

// Behind a value, or an opening bracket: what ends here, and the comma behind that.
static bool read_end(struct scan *scan, bool *may_end)
{
    skip_blanks(scan);
    while (scan->depth > 0 && closes(scan)) {
        scan->depth--;
        scan->at++;
        skip_blanks(scan);
    }
    if (scan->depth == 0) {
        return true;
    }
    if (here(scan) != ',') {
        return miss(scan, scan->open[scan->depth - 1] == '{' ? "a comma or }" : "a comma or ]");
    }
    scan->at++;
    *may_end = scan->dialect == KVB_JSON_PYTHON;
    return true;
}

static bool read_member(struct scan *scan, bool *opened)
{
    bool named = scan->open[scan->depth - 1] == '{';
    return (!named || read_name(scan)) && read_value(scan, opened);
}

static bool read_members(struct scan *scan)
{
    for (bool may_end = true; scan->depth > 0;) {
        bool opened = false;
        skip_blanks(scan);
        if (!(may_end && closes(scan)) && !read_member(scan, &opened)) {
            return false;
        }
        may_end = opened;
        if (!opened && !read_end(scan, &may_end)) {
            return false;
        }
    }
    return true;
}

bool kvb_json_is_whole(const char *text, size_t size, char opening, enum kvb_json_dialect dialect,
                       struct kvb_json_slip *slip)
{
    struct scan scan = {.text = text, .size = size, .dialect = dialect};
    bool opened = false, right = false;
    skip_blanks(&scan);
    if (here(&scan) == opening) {
        (void)read_value(&scan, &opened); // which opens it
        right = read_members(&scan);
    } else {
        right = miss(&scan, opening == '{' ? "{" : "[");
    }
    if (right && scan.at < scan.size) {
        right = miss(&scan, "nothing behind the end");
    }
    *slip = (struct kvb_json_slip){scan.at, right ? NULL : scan.expected};
    return right;
}

void kvb_json_say_slip(const char *text, size_t size, const struct kvb_json_slip *slip, char *out, size_t capacity)
{
    size_t left = size - slip->at;
    kvb_add_text(out, capacity, left == 0 ? "invalid JSON at its end" : "invalid JSON at '");
    kvb_append(out, capacity, text + slip->at, left < EXCERPT ? left : EXCERPT);
    kvb_add_text(out, capacity, left > EXCERPT ? "...'" : left > 0 ? "'" : "");
    kvb_add_text(out, capacity, ", where one expects ");
    kvb_add_text(out, capacity, slip->expected);
}
