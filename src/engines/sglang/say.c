// Sentences with values in them.
#include "engines/sglang/say.h"

#include <string.h>

#include <kvbudget/budget.h>

#include "base/text.h"

void kvb_sgl_say(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, const char *const values[])
{
    out[0] = '\0';
    while (*pattern != '\0') {
        size_t plain = strcspn(pattern, "{");
        kvb_append(out, KVB_ERROR_TEXT_CAPACITY, pattern, plain);
        pattern += plain;
        if (*pattern == '{') { // {0} to {7}, nothing else
            const char *text = values[pattern[1] - '0'];
            kvb_append(out, KVB_ERROR_TEXT_CAPACITY, text, strlen(text));
            pattern += 3;
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
