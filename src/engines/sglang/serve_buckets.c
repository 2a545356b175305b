// Bounds of histograms as a release takes them: --prompt-tokens-buckets and --generation-tokens-buckets.
// Source: sgl-project/sglang, python/sglang/srt/server_args.py validate_buckets_rule v0.5.2 to v0.5.18.
#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/sglang/known_flags.h"
#include "engines/sglang/serve.h"

#define JUDGED 256
#define MOST 64                           // words looked at
#define CUSTOM_SINCE KVB_RELEASE(0, 5, 3) // "customer" before
#define DECIMALS 20

struct word {
    const char *at;
    size_t size;
};
struct words {
    struct word each[MOST];
    size_t count;
};

static void split(const char *line, struct words *out)
{
    const char *at = line + strcspn(line, " =\n");
    out->count = 0;
    while ((*at == ' ' || *at == '=') && out->count < MOST) {
        at++;
        size_t size = strcspn(at, " \n");
        if (size > 0) {
            out->each[out->count++] = (struct word){at, size};
        }
        at += size;
    }
}

static bool is_text(const struct word *word, const char *text)
{
    return word->size == strlen(text) && strncmp(word->at, text, word->size) == 0;
}

static bool is_number(const struct word *word)
{
    struct kvb_python_number number;
    return kvb_python_read_float(word->at, word->size, &number);
}

// Where a number stands to a bound of 0 or 1; 2: nan.
static int stands(const struct word *word, int bound)
{
    struct kvb_python_number number = {.zero = true};
    (void)kvb_python_read_float(word->at, word->size, &number);
    return kvb_python_compare(&number, bound);
}

static const char *of_tse(const struct words *words)
{
    if (words->count != 4) {
        return "TSE rule requires exactly 4 parameters: ['tse', middle, base, count]";
    }
    const struct word *middle = &words->each[1], *base = &words->each[2], *count = &words->each[3];
    if (!is_number(middle) || !is_number(base) || !kvb_python_is_int(count->at, count->size)) {
        return "TSE rule parameters must be: ['tse', <float:middle>, <float:base>, <int:count>]";
    }
    return stands(base, 1) != 1     ? "TSE base must be larger than 1"
           : stands(count, 0) != 1  ? "TSE count must be positive"
           : stands(middle, 0) != 1 ? "TSE middle must be positive"
                                    : NULL;
}

static bool are_equal(const struct word *left, const struct word *right)
{
    char a[KVB_PLAIN_CAPACITY], b[KVB_PLAIN_CAPACITY];
    return kvb_python_write_float(left->at, left->size, DECIMALS, a) &&
           kvb_python_write_float(right->at, right->size, DECIMALS, b) && strcmp(a, b) == 0;
}

static bool are_distinct(const struct words *words)
{
    for (size_t i = 1; i < words->count; i++) {
        for (size_t k = i + 1; k < words->count; k++) {
            if (are_equal(&words->each[i], &words->each[k])) {
                return false;
            }
        }
    }
    return true;
}

static const char *of_values(const struct words *words)
{
    bool negative = false;
    for (size_t i = 1; i < words->count; i++) {
        if (!is_number(&words->each[i])) {
            return "bucket values must be numeric";
        }
        int where = stands(&words->each[i], 0);
        negative = negative || where == 2 || where < 0;
    }
    return words->count < 2       ? "requires at least one bucket value"
           : !are_distinct(words) ? "bucket values should not contain duplicates"
           : negative             ? "bucket values should be non-negative"
                                  : NULL;
}

static const char *said_of(const struct words *words, const char *custom)
{
    const struct word *rule = &words->each[0];
    if (is_text(rule, "tse")) {
        return of_tse(words);
    }
    if (is_text(rule, "default")) {
        return words->count > 1 ? "default rule should only have one parameter: ['default']" : NULL;
    }
    return is_text(rule, custom) ? of_values(words) : "";
}

bool kvb_sgl_judge_buckets(const char *name, const char *line, uint32_t release, char out[JUDGED])
{
    struct words words;
    const char *custom = release >= CUSTOM_SINCE ? "custom" : "customer";
    bool asked = strcmp(name, "prompt-tokens-buckets") == 0 || strcmp(name, "generation-tokens-buckets") == 0;
    split(line, &words);
    bool unsaid = memchr(line, '$', strcspn(line, "\n")) != NULL;
    const char *said = asked && !unsaid && words.count > 0 ? said_of(&words, custom) : NULL;
    if (said == NULL) {
        return false;
    }
    bool values = is_text(&words.each[0], custom);
    const char *const parts[] = {
        "AssertionError: ",     said[0] == '\0' ? "Unsupported --" : "--", name, " ", values ? custom : "",
        values ? " rule " : "", said[0] == '\0' ? "rule type" : said};
    out[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        kvb_add_text(out, JUDGED, parts[i]);
    }
    return true;
}
