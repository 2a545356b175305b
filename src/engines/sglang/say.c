// Sentences with values in them.
#include "engines/sglang/say.h"

#include <string.h>

#include <kvbudget/budget.h>

struct line {
    char *out;
    size_t used;
};

static void add(struct line *line, const char *text, size_t length)
{
    size_t room = KVB_ERROR_TEXT_CAPACITY - 1 - line->used;
    length = length < room ? length : room;
    memcpy(line->out + line->used, text, length);
    line->used += length;
    line->out[line->used] = '\0';
}

void kvb_sgl_say(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, const char *const values[])
{
    struct line line = {out, 0};
    out[0] = '\0';
    while (*pattern != '\0') {
        bool value = pattern[0] == '{' && pattern[1] >= '0' && pattern[1] <= '7' && pattern[2] == '}';
        if (value) {
            const char *text = values[pattern[1] - '0'];
            add(&line, text, strlen(text));
            pattern += 3;
        } else {
            add(&line, pattern++, 1);
        }
    }
}

// Digits of a count, no separators.
const char *kvb_sgl_digits(char out[24], uint64_t count)
{
    size_t at = 23;
    out[at] = '\0';
    do {
        out[--at] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    return out + at;
}
