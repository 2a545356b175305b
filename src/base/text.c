// Comparing, copying and cleaning short ASCII text.
#include "base/text.h"

#include "base/utf8.h"

#include <string.h>

#define DISTANCE_MAX_LENGTH 128

char kvb_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool kvb_copy(char *out, size_t capacity, const char *text)
{
    size_t length = strlen(text);
    bool whole = length < capacity;
    if (!whole) {
        length = capacity - 1;
    }
    memmove(out, text, length);
    out[length] = '\0';
    return whole;
}

void kvb_append(char *out, size_t capacity, const char *text, size_t size)
{
    size_t length = strlen(out), room = capacity - 1 - length;
    size = size < room ? size : room;
    memcpy(out + length, text, size);
    out[length + size] = '\0';
}

void kvb_add_text(char *out, size_t capacity, const char *text)
{
    kvb_append(out, capacity, text, strlen(text));
}

bool kvb_equal_ignoring_case(const char *a, const char *b)
{
    while (*a && kvb_lower(*a) == kvb_lower(*b)) {
        a++;
        b++;
    }
    return kvb_lower(*a) == kvb_lower(*b);
}

bool kvb_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *kvb_find_within(const char *text, size_t most, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i < most && text[i] != '\0'; i++) {
        if (text[i] == part[0] && strncmp(text + i, part, length) == 0) {
            return text + i;
        }
    }
    return NULL;
}

bool kvb_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && kvb_equal_ignoring_case(text + length - end, ending);
}

bool kvb_cut_ending(char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    bool cut = length > end && kvb_ends_with(text, ending);
    if (cut) {
        text[length - end] = '\0';
    }
    return cut;
}

bool kvb_is_gguf(const char *path)
{
    return strlen(path) > 5 && kvb_ends_with(path, ".gguf");
}

const char *kvb_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *kvb_word_slip(const char *word)
{
    static const char *const dashes[] = {"\xE2\x80\x90", "\xE2\x80\x91", "\xE2\x80\x92", "\xE2\x80\x93",
                                         "\xE2\x80\x94", "\xE2\x80\x95", "\xE2\x88\x92"};
    for (size_t i = 0; i < sizeof dashes / sizeof dashes[0]; i++) {
        if (kvb_starts_with(word, dashes[i])) {
            return ": its dash is none of a keyboard's; flags begin with --";
        }
    }
    bool blank = word[0] == ' ' || word[0] == '\t' || word[0] == '\n' || word[0] == '\r';
    return blank ? ": it begins with a blank, as a backslash that does not end its line leaves it" : "";
}

bool kvb_is_path(const char *text)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".gguf"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (kvb_ends_with(text, endings[i])) {
            return true;
        }
    }
    const char *slash = strchr(text, '/');
    bool begins = text[0] == '/' || text[0] == '.' || text[0] == '~' || strcmp(text, "-") == 0;
    return begins || strchr(text, '\\') != NULL || (slash != NULL && strchr(slash + 1, '/') != NULL);
}

bool kvb_starts_with_ignoring_case(const char *text, const char *prefix)
{
    while (*prefix && kvb_lower(*text) == kvb_lower(*prefix)) {
        text++;
        prefix++;
    }
    return *prefix == '\0';
}

bool kvb_contains_ignoring_case(const char *text, const char *part)
{
    char small = kvb_lower(*part);
    char both[] = {small, (char)(small >= 'a' && small <= 'z' ? small - 'a' + 'A' : small), '\0'};
    for (text += strcspn(text, both); *text != '\0'; text += 1 + strcspn(text + 1, both)) {
        if (kvb_starts_with_ignoring_case(text, part)) {
            return true;
        }
    }
    return *part == '\0';
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

static size_t cut_length(const char *text)
{
    size_t length = strlen(text);
    return length < DISTANCE_MAX_LENGTH ? length : DISTANCE_MAX_LENGTH;
}

unsigned kvb_edit_distance(const char *a, const char *b)
{
    unsigned rows[3][DISTANCE_MAX_LENGTH + 1]; // this row and the two before it
    size_t length_a = cut_length(a);
    size_t length_b = cut_length(b);
    for (size_t j = 0; j <= length_b; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= length_a; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *before = rows[(i - 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= length_b; j++) {
            unsigned changed = before[j - 1] + (kvb_lower(a[i - 1]) != kvb_lower(b[j - 1]));
            row[j] = least(before[j] + 1, row[j - 1] + 1, changed);
            bool swapped = i > 1 && j > 1 && kvb_lower(a[i - 1]) == kvb_lower(b[j - 2]) &&
                           kvb_lower(a[i - 2]) == kvb_lower(b[j - 1]);
            if (swapped) {
                row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1, row[j]);
            }
        }
    }
    return rows[length_a % 3][length_b];
}

void kvb_nearest_init(struct kvb_nearest *nearest, const char *wanted)
{
    *nearest = (struct kvb_nearest){.wanted = wanted};
}

void kvb_nearest_offer(struct kvb_nearest *nearest, const char *candidate)
{
    size_t length = strlen(nearest->wanted);
    unsigned reach = length < 6 ? 1 : (unsigned)(cut_length(nearest->wanted) / 3);
    size_t other = strlen(candidate);
    if ((other > length ? other - length : length - other) > reach) {
        return; // that many letters are missing at least
    }
    unsigned distance = kvb_edit_distance(nearest->wanted, candidate);
    if (distance <= reach && (!nearest->best || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

void kvb_make_printable(char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = kvb_utf8_harmless(text, left);
        if (length == 0) {
            *text = '?';
            length = 1;
        }
        text += length;
        left -= length;
    }
}

bool kvb_is_assignment(const char *word)
{
    size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return name > 0 && word[name] == '=' && word[0] > '9'; // of these a digit alone is below
}

enum kvb_name_match kvb_match_name(const char *name, size_t length, const char *key)
{
    for (size_t i = 0; i < length; i++) {
        char a = name[i] == '_' ? '-' : name[i];
        char b = key[i] == '_' ? '-' : key[i];
        if (a != b) {
            return KVB_NAME_DIFFERS;
        }
    }
    return key[length] == '\0' ? KVB_NAME_EQUAL : KVB_NAME_BEGINS;
}
