// What a model's name says of its kin: the family it belongs to, and its siblings in other number formats.
#include <string.h>

#include <kvbudget/models.h>

#include "base/text.h"
#include "model/names/name.h"

// Words that say how a model was tuned or dated; a family's name ends before them.
static const char *const endings[] = {"instruct", "chat", "it",        "base", "pt",      "hf",
                                      "thinking", "sft",  "reasoning", "dpo",  "preview", "original"};

// "8b", "1.5B", "A3B", "8x7B", "135M", "E2B".
static bool is_size(const char *word, size_t length)
{
    size_t first = kvb_lower(word[0]) == 'a' || kvb_lower(word[0]) == 'e' ? 1 : 0;
    if (length < first + 2 || !kvb_is_digit(word[first]) || strchr("bmt", kvb_lower(word[length - 1])) == NULL) {
        return false;
    }
    for (size_t i = first; i + 1 < length; i++) {
        if (!kvb_is_digit(word[i]) && word[i] != '.' && word[i] != 'x' && word[i] != '_') {
            return false;
        }
    }
    return true;
}

// "0324", "2507", "202406".
static bool is_date(const char *word, size_t length)
{
    return length >= 4 && length <= 8 && strspn(word, "0123456789") >= length;
}

static bool ends_family(const char *word, size_t length)
{
    char text[16];
    if (length >= sizeof text) {
        return false;
    }
    memcpy(text, word, length);
    text[length] = '\0';
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (kvb_equal_ignoring_case(text, endings[i])) {
            return true;
        }
    }
    return is_size(word, length) || is_date(word, length);
}

// The name without owner and without the words of its number format.
static void take_stem(const char *name, char out[KVB_NAME_PART])
{
    struct kvb_name parts;
    struct kvb_name_scheme scheme;
    memset(&scheme, 0, sizeof scheme);
    if (kvb_name_parse(name, &parts)) {
        kvb_name_take_words(&parts, out, &scheme);
    } else {
        (void)kvb_copy(out, KVB_NAME_PART, name);
    }
}

void kvb_model_family(const char *name, char out[KVB_NAME_CAPACITY])
{
    char stem[KVB_NAME_PART];
    take_stem(name, stem);
    const char *begin = kvb_starts_with(stem, "Meta-Llama") ? stem + strlen("Meta-") : stem;
    const char *at = begin;
    size_t kept = 0;
    while (*at != '\0') {
        size_t length = strcspn(at, "-_");
        if (kept > 0 && ends_family(at, length)) {
            break;
        }
        kept = (size_t)(at - begin) + length;
        at += length + (at[length] != '\0');
    }
    (void)kvb_copy(out, KVB_NAME_CAPACITY, begin);
    out[kept] = '\0';
}

void kvb_name_kin_of(struct kvb_name_kin *kin, const char *name)
{
    char stem[KVB_NAME_PART];
    take_stem(name, stem);
    kvb_name_fold(kin->folded, sizeof kin->folded, stem);
    kin->name = name;
}

// A stem is its name with words left out, so that all its letters and digits stand there in the same order. Who has
// other ones need not be taken apart.
static bool may_have(const char *folded, const char *name)
{
    for (; *name != '\0' && *folded != '\0'; name++) {
        folded += *folded == kvb_lower(*name);
        while (*folded == '.') {
            folded++;
        }
    }
    return *folded == '\0';
}

bool kvb_name_is_kin(const struct kvb_name_kin *kin, const char *name)
{
    struct kvb_name_kin other;
    if (!may_have(kin->folded, name)) {
        return false;
    }
    kvb_name_kin_of(&other, name);
    return !kvb_equal_ignoring_case(kin->name, name) && strcmp(kin->folded, other.folded) == 0;
}

bool kvb_models_are_siblings(const char *a, const char *b)
{
    struct kvb_name_kin kin;
    kvb_name_kin_of(&kin, a);
    return kvb_name_is_kin(&kin, b);
}
