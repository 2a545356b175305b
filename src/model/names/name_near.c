// The nearest built-in models by what they are: family, version, size and kind, never by the letters of their names.
#include <string.h>

#include "base/text.h"
#include "catalogue/builtin.h"
#include "model/names/name.h"

#define WORDS_MAX 24
#define WORD_CAPACITY 32

struct words {
    char text[WORDS_MAX][WORD_CAPACITY];
    uint32_t count;
};

// A number after a family belongs to it: "llama", "3.1" -> "llama3.1".
static void add(struct words *words, const char *word)
{
    if (words->count > 0 && kvb_name_is_version(word) && strlen(word) <= 4) {
        char *last = words->text[words->count - 1];
        size_t length = strlen(last);
        if (length > 0 && !kvb_is_digit(last[length - 1]) && length + strlen(word) < WORD_CAPACITY) {
            (void)kvb_copy(last + length, WORD_CAPACITY - length, word);
            return;
        }
    }
    if (words->count < WORDS_MAX && word[0]) {
        (void)kvb_copy(words->text[words->count++], WORD_CAPACITY, word);
    }
}

static void cut(struct words *words, const char *name)
{
    words->count = 0;
    while (*name) {
        char word[WORD_CAPACITY];
        size_t used = 0;
        while (*name && !strchr("-_ ", *name)) {
            if (used + 1 < sizeof word) {
                word[used++] = kvb_lower(*name);
            }
            name++;
        }
        word[used] = '\0';
        if (strcmp(word, "meta") != 0) {
            add(words, word);
        }
        name += *name != '\0';
    }
}

// "8b", "1.5b", "a3b", "8x7b", "135m", "e2b".
static bool is_size(const char *word)
{
    size_t length = strlen(word);
    const char *digits = word[0] == 'a' || word[0] == 'e' ? word + 1 : word;
    return length > 1 && kvb_is_digit(digits[0]) && strchr("bmt", word[length - 1]) &&
           strspn(digits, "0123456789.x") + 1 == strlen(digits);
}

// Words that make another kind of model.
static bool is_kind(const char *word)
{
    static const char *const kinds[] = {"vl",     "vision",    "omni",     "audio", "coder",   "code", "math",
                                        "embed",  "embedding", "reranker", "guard", "distill", "nano", "mini",
                                        "medium", "small",     "large",    "next",  "v"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// Words that say how a model was tuned; every family has them.
static bool is_tuning(const char *word)
{
    static const char *const tunings[] = {"instruct", "chat",     "it",      "base",  "pt",
                                          "hf",       "thinking", "preview", "model", "text"};
    for (size_t i = 0; i < sizeof tunings / sizeof tunings[0]; i++) {
        if (strcmp(tunings[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_family(const char *word)
{
    return !is_size(word) && !is_kind(word) && !is_tuning(word);
}

static bool has(const struct words *words, const char *word)
{
    for (uint32_t i = 0; i < words->count; i++) {
        if (strcmp(words->text[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// The letters both family words begin with, up to the first digit: "qwen3.6" and "qwen3" share "qwen".
static bool same_family(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i] && !kvb_is_digit(a[i])) {
        i++;
    }
    bool ends_a = a[i] == '\0' || kvb_is_digit(a[i]), ends_b = b[i] == '\0' || kvb_is_digit(b[i]);
    return i >= 2 && ends_a && ends_b;
}

static int weight_of(const char *word)
{
    return is_size(word) ? 12 : is_kind(word) ? 8 : 3;
}

static int score(const struct words *wanted, const struct words *have)
{
    int sum = 0;
    bool family = false;
    for (uint32_t i = 0; i < wanted->count; i++) {
        for (uint32_t j = 0; j < have->count && j < 2; j++) {
            bool same = strcmp(wanted->text[i], have->text[j]) == 0;
            if (is_family(wanted->text[i]) && same_family(wanted->text[i], have->text[j])) {
                sum += (same ? 20 : 8) - (int)(i > 0 ? 2 : 0);
                family = true;
            }
        }
        if (has(have, wanted->text[i])) {
            sum += weight_of(wanted->text[i]);
        } else if (is_kind(wanted->text[i])) {
            sum -= 8;
        }
    }
    for (uint32_t j = 0; j < have->count; j++) {
        if (!has(wanted, have->text[j])) {
            sum -= is_kind(have->text[j]) ? 8 : 1;
        }
    }
    return family ? sum : 0;
}

// The best so far, best first; of equals the last comes first: the higher version.
struct ranks {
    const struct kvb_builtin **rows;
    int *points;
    uint32_t count, most;
};

static void rank(struct ranks *ranks, const struct kvb_builtin *row, int points)
{
    uint32_t at = 0;
    while (at < ranks->count && ranks->points[at] > points) {
        at++;
    }
    if (at >= ranks->most) {
        return;
    }
    ranks->count += ranks->count < ranks->most;
    for (uint32_t i = ranks->count - 1; i > at; i--) {
        ranks->rows[i] = ranks->rows[i - 1];
        ranks->points[i] = ranks->points[i - 1];
    }
    ranks->rows[at] = row;
    ranks->points[at] = points;
}

uint32_t kvb_name_nearest(const struct kvb_name *name, const struct kvb_builtin *out[KVB_NAME_NEAREST_MAX])
{
    char rest[KVB_NAME_PART];
    int points[KVB_NAME_NEAREST_MAX];
    struct kvb_name_scheme scheme;
    struct words wanted, have;
    struct ranks ranks = {out, points, 0, KVB_NAME_NEAREST_MAX};
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    kvb_name_take_words(name, rest, &scheme);
    cut(&wanted, rest);
    for (size_t i = 0; i < count; i++) {
        const char *slash = strchr(rows[i].id, '/');
        cut(&have, slash ? slash + 1 : rows[i].id);
        int sum = score(&wanted, &have);
        if (sum > 0) {
            rank(&ranks, &rows[i], sum);
        }
    }
    return ranks.count;
}
