// A text of lines with one thing put wrong after the other: a line left out, a value of another kind, the rest cut off.
#ifndef KVB_TESTS_WRONG_LINES_H
#define KVB_TESTS_WRONG_LINES_H

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "unit/test.h"

typedef void wrong_taker(void *context, const char *text, size_t length);

static const char *const wrong_line_values[] = {
    "",           "null",  "~",          "[]",   "{}",  "[a, b]", "{a: b}",   "[[1], {a: 2}]", "-1",
    "0",          "false", "on",         "true", "0.5", "4096",   "x y",      "\"\"",          "'a/b'",
    "${NONE}",    "$X",    "{{ .X.y }}", "$(x)", "#",   "\"",     "99999999", "4294967296",    "'",
    "vllm serve", "<<EOF", "\\",         "[1,",  "*a",  "!x 1",
};
#define WRONG_LINE_COUNT (sizeof wrong_line_values / sizeof wrong_line_values[0])

static size_t wrong_line_end(const char *text, size_t begin)
{
    size_t end = begin + strcspn(text + begin, "\n");
    return text[end] == '\n' ? end + 1 : end;
}

// Where the value of the line begins: behind ": ", "= ", "=", a list's dash or the first word.
static size_t wrong_value_begin(const char *line, size_t length)
{
    static const char *const before[] = {": ", "= ", "=", ":", "- ", " "};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        const char *sign = strstr(line, before[i]);
        if (sign != NULL && (size_t)(sign - line) + strlen(before[i]) <= length) {
            return (size_t)(sign - line) + strlen(before[i]);
        }
    }
    return 0;
}

// The lines below that are indented deeper, or are the items of a list at the same depth.
static size_t wrong_block_end(const char *text, size_t begin)
{
    size_t depth = strspn(text + begin, " "), end = wrong_line_end(text, begin);
    while (text[end] != '\0') {
        size_t own = strspn(text + end, " ");
        bool item = own == depth && text[end + own] == '-' && text[begin + depth] != '-';
        if (own <= depth && !item) {
            break;
        }
        end = wrong_line_end(text, end);
    }
    return end;
}

static void give_wrong(const char *text, size_t begin, const char *between, size_t end, wrong_taker *take,
                       void *context)
{
    struct kvb_buffer changed;
    kvb_buffer_init(&changed);
    kvb_buffer_add_n(&changed, text, begin);
    kvb_buffer_add(&changed, between);
    kvb_buffer_add(&changed, text + end);
    assert_false(changed.failed);
    take(context, changed.data != NULL ? changed.data : "", changed.length);
    kvb_buffer_free(&changed);
}

// `each`: how many wrong values of each line, others in the next.
static void walk_wrong_lines(const char *text, size_t each, wrong_taker *take, void *context)
{
    size_t turn = 0;
    for (size_t at = 0; text[at] != '\0'; at = wrong_line_end(text, at)) {
        size_t end = wrong_line_end(text, at), block = wrong_block_end(text, at);
        size_t line_end = text[end - 1] == '\n' ? end - 1 : end;
        size_t value = at + wrong_value_begin(text + at, line_end - at);
        give_wrong(text, at, "", end, take, context);
        give_wrong(text, at, "", block, take, context);
        for (size_t i = 0; i < each; i++, turn++) {
            give_wrong(text, value, wrong_line_values[turn % WRONG_LINE_COUNT], line_end, take, context);
            if (block != end) {
                give_wrong(text, value, wrong_line_values[turn % WRONG_LINE_COUNT], block - 1, take, context);
            }
        }
    }
}

// The text cut off behind every `step`th byte.
static inline void walk_cuts(const char *text, size_t step, wrong_taker *take, void *context)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at += step) {
        give_wrong(text, at, "", length, take, context);
    }
}

#endif
