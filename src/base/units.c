// Exact text-to-number and number-to-text for sizes, fractions and counts, in integers only.
#include <kvbudget/units.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define PPM_DECIMALS 6

// A decimal number as it stands in a text: whole part, then the digits after the point.
struct decimal {
    uint64_t whole;
    const char *fraction; // first digit after the point
    size_t fraction_length;
};

// Reads a decimal at `text`, returns what follows it, NULL when there is none or it is too large.
static const char *read_decimal(const char *text, struct decimal *decimal)
{
    if (!kvb_is_digit(*text) || (text[0] == '0' && kvb_is_digit(text[1]))) {
        return NULL;
    }
    *decimal = (struct decimal){0};
    for (; kvb_is_digit(*text); text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (decimal->whole > (UINT64_MAX - digit) / 10) {
            return NULL;
        }
        decimal->whole = decimal->whole * 10 + digit;
    }
    if (*text != '.') {
        return text;
    }
    decimal->fraction = ++text;
    while (kvb_is_digit(*text)) {
        text++;
    }
    decimal->fraction_length = (size_t)(text - decimal->fraction);
    return decimal->fraction_length > 0 ? text : NULL;
}

// decimal x unit, rounded down, at most KVB_BYTES_MAX. Digit by digit from the right: a floor inside a
// floor of whole numbers loses nothing, so any number of digits is exact.
static bool scale_decimal(const struct decimal *decimal, uint64_t unit, uint64_t *result)
{
    if (decimal->whole > KVB_BYTES_MAX / unit) {
        return false;
    }
    uint64_t part = 0;
    for (size_t i = decimal->fraction_length; i-- > 0;) {
        part = ((uint64_t)(decimal->fraction[i] - '0') * unit + part) / 10;
    }
    uint64_t value = decimal->whole * unit + part;
    if (value > KVB_BYTES_MAX) {
        return false;
    }
    *result = value;
    return true;
}

struct unit_row {
    const char *name;
    uint64_t bytes;
};

static const struct unit_row unit_rows[] = {
    {"", 1},
    {"B", 1},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", UINT64_C(1000000000000)},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"TiB", UINT64_C(1) << 40},
};

bool kvb_parse_bytes(const char *text, uint64_t *bytes)
{
    struct decimal decimal;
    const char *rest = read_decimal(text, &decimal);
    if (!rest) {
        return false;
    }
    while (*rest == ' ') {
        rest++;
    }
    for (size_t i = 0; i < sizeof unit_rows / sizeof unit_rows[0]; i++) {
        if (kvb_equal_ignoring_case(rest, unit_rows[i].name)) {
            bool part_of_byte = unit_rows[i].bytes == 1 && decimal.fraction;
            return !part_of_byte && scale_decimal(&decimal, unit_rows[i].bytes, bytes);
        }
    }
    return false;
}

bool kvb_parse_ppm(const char *text, uint32_t max_ppm, uint32_t *ppm)
{
    struct decimal decimal = {.fraction = text + 1, .fraction_length = strlen(text) > 0 ? strlen(text) - 1 : 0};
    bool bare_fraction = text[0] == '.' && decimal.fraction_length > 0;
    for (size_t i = 0; bare_fraction && i < decimal.fraction_length; i++) {
        bare_fraction = kvb_is_digit(decimal.fraction[i]);
    }
    if (!bare_fraction) {
        const char *rest = read_decimal(text, &decimal);
        if (!rest || *rest) {
            return false;
        }
    }
    uint64_t value;
    if (decimal.fraction_length > PPM_DECIMALS || !scale_decimal(&decimal, KVB_PPM, &value) || value > max_ppm) {
        return false;
    }
    *ppm = (uint32_t)value;
    return true;
}

// vLLM's suffixes: lower case decimal, upper case binary. `suffix` is not the end of a text.
static uint64_t count_multiplier(char suffix)
{
    static const char suffixes[] = "kKmMgGtT";
    static const uint64_t multipliers[] = {
        1000, UINT64_C(1) << 10, 1000000, KVB_MIB, 1000000000, KVB_GIB, UINT64_C(1000000000000), UINT64_C(1) << 40,
    };
    const char *found = strchr(suffixes, suffix);
    return found ? multipliers[found - suffixes] : 0;
}

bool kvb_parse_count(const char *text, uint64_t *count)
{
    struct decimal decimal;
    const char *rest = read_decimal(text, &decimal);
    if (!rest) {
        return false;
    }
    if (*rest == '\0') {
        return !decimal.fraction && scale_decimal(&decimal, 1, count);
    }
    uint64_t multiplier = count_multiplier(*rest);
    bool binary = *rest >= 'A' && *rest <= 'Z';
    if (multiplier == 0 || rest[1] != '\0' || (binary && decimal.fraction)) {
        return false;
    }
    return scale_decimal(&decimal, multiplier, count);
}

bool kvb_parse_whole(const char *text, uint64_t *number)
{
    struct decimal decimal;
    const char *rest = read_decimal(text, &decimal);
    if (!rest || *rest || decimal.fraction) {
        return false;
    }
    *number = decimal.whole;
    return true;
}

bool kvb_parse_gib(const char *text, uint64_t *bytes)
{
    struct decimal decimal;
    const char *rest = read_decimal(text, &decimal);
    return rest && *rest == '\0' && scale_decimal(&decimal, KVB_GIB, bytes);
}

char *kvb_format_gib(char out[32], int64_t bytes, unsigned decimals)
{
    uint64_t magnitude = bytes < 0 ? UINT64_C(0) - (uint64_t)bytes : (uint64_t)bytes;
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; i++) {
        scale *= 10;
    }
    uint64_t whole = magnitude / KVB_GIB;
    uint64_t fraction = (magnitude % KVB_GIB * scale + KVB_GIB / 2) / KVB_GIB;
    if (fraction == scale) {
        whole++;
        fraction = 0;
    }
    const char *sign = bytes < 0 ? "-" : "";
    if (decimals == 0) {
        (void)snprintf(out, 32, "%s%llu", sign, (unsigned long long)whole);
    } else {
        (void)snprintf(out, 32, "%s%llu.%0*llu", sign, (unsigned long long)whole, (int)decimals,
                       (unsigned long long)fraction);
    }
    return out;
}

char *kvb_format_count(char out[32], uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *end = out;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *end++ = ',';
        }
        *end++ = digits[i];
    }
    *end = '\0';
    return out;
}

char *kvb_format_ppm(char out[32], uint32_t ppm)
{
    int length = snprintf(out, 32, "%u.%06u", (unsigned)(ppm / KVB_PPM), (unsigned)(ppm % KVB_PPM));
    const char *second_decimal = strchr(out, '.') + 2;
    for (char *last = out + length - 1; last > second_decimal && *last == '0'; last--) {
        *last = '\0';
    }
    return out;
}

char *kvb_format_bytes_exact(char out[32], uint64_t bytes)
{
    static const struct unit_row binary[] = {{"GiB", KVB_GIB}, {"MiB", KVB_MIB}, {"KiB", KVB_KIB}};
    for (size_t i = 0; bytes > 0 && i < sizeof binary / sizeof binary[0]; i++) {
        if (bytes % binary[i].bytes == 0) {
            (void)snprintf(out, 32, "%llu%s", (unsigned long long)(bytes / binary[i].bytes), binary[i].name);
            return out;
        }
    }
    (void)snprintf(out, 32, "%lluB", (unsigned long long)bytes);
    return out;
}
