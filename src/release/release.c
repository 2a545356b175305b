// A release's text as one number that sorts, and back.
#include <string.h>

#include <kvbudget/plan.h>

#include "base/text.h"

// One part of at most two digits; moves `text` on.
static bool read_part(const char **text, uint32_t *part)
{
    const char *at = *text;
    if (!kvb_is_digit(at[0])) {
        return false;
    }
    *part = (uint32_t)(at[0] - '0');
    at++;
    if (kvb_is_digit(at[0])) {
        *part = *part * 10 + (uint32_t)(at[0] - '0');
        at++;
    }
    *text = at;
    return !kvb_is_digit(at[0]);
}

static bool is_suffix(const char *text)
{
    static const char *const suffixes[] = {"rc", ".rc", "a", "b", ".dev", "+", "-", ".post"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (kvb_starts_with(text, suffixes[i])) {
            return true;
        }
    }
    return false;
}

static bool suffix_is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
        if (!letter && !kvb_is_digit(*text) && strchr("._+-", *text) == NULL) {
            return false;
        }
    }
    return true;
}

// "b5429".
static bool read_build(const char *text, uint32_t *release)
{
    uint32_t number = 0;
    size_t digits = 0;
    for (; text[0] == 'b' && kvb_is_digit(text[digits + 1]); digits++) {
        number = digits < 7 ? number * 10 + (uint32_t)(text[digits + 1] - '0') : number;
    }
    if (digits == 0 || digits > 7 || text[digits + 1] != '\0') {
        return false;
    }
    *release = KVB_BUILD(number);
    return true;
}

// setuptools-scm's name of a checkout that has no tags: vLLM 0.1.dev1+g4f2081932 of September 2026.
bool kvb_release_is_untagged(const char *version)
{
    return kvb_starts_with(version[0] == 'v' ? version + 1 : version, "0.1.dev");
}

bool kvb_release_parse(const char *text, uint32_t *release)
{
    if (read_build(text, release)) {
        return true;
    }
    const char *at = text[0] == 'v' ? text + 1 : text;
    uint32_t major, minor, patch = 0, post = 0;
    if (!read_part(&at, &major) || at[0] != '.') {
        return false;
    }
    at++;
    if (!read_part(&at, &minor)) {
        return false;
    }
    if (at[0] == '.' && kvb_is_digit(at[1])) {
        at++;
        if (!read_part(&at, &patch)) {
            return false;
        }
    }
    bool fourth = at[0] == '.' && kvb_is_digit(at[1]); // 0.10.1.1 came out as a hot fix
    if (fourth || kvb_starts_with(at, ".post")) {
        at += fourth ? 1 : strlen(".post");
        if (!read_part(&at, &post)) {
            return false;
        }
    }
    if (at[0] != '\0' && (!is_suffix(at) || !suffix_is_plain(at))) {
        return false;
    }
    *release = KVB_RELEASE(major, minor, patch) + post;
    return true;
}

static char *add_part(char *out, const char *before, uint32_t part)
{
    size_t length = strlen(before);
    memcpy(out, before, length);
    out += length;
    if (part >= 100) {
        *out++ = (char)('0' + part / 100 % 10);
    }
    if (part >= 10) {
        *out++ = (char)('0' + part / 10 % 10);
    }
    *out++ = (char)('0' + part % 10);
    *out = '\0';
    return out;
}

static char *format_build(char out[32], uint32_t number)
{
    char digits[12];
    size_t count = 0, at = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    out[at++] = 'b';
    while (count > 0) {
        out[at++] = digits[--count];
    }
    out[at] = '\0';
    return out;
}

char *kvb_release_format(char out[32], uint32_t release)
{
    if (release >= KVB_BUILD_MARK) {
        return format_build(out, release - KVB_BUILD_MARK);
    }
    char *at = add_part(out, "", release / 1000000 % 1000);
    at = add_part(at, ".", release / 10000 % 100);
    at = add_part(at, ".", release / 100 % 100);
    if (release % 100 != 0) {
        add_part(at, ".post", release % 100);
    }
    return out;
}
