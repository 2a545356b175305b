// Numbers as Python's int() and float() read them, without a float of our own.
#include "base/python_numbers.h"

#include <string.h>

#include "base/text.h"

#define EXPONENT_MAX 1000000 // of one that is written; no float is as large

struct text {
    const char *at, *end;
};

static char here(const struct text *text)
{
    return text->at < text->end ? *text->at : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Without the blanks around it and its sign; true when that is a minus.
static bool begin(struct text *text, const char *from, size_t size)
{
    *text = (struct text){from, from + size};
    while (is_blank(here(text))) {
        text->at++;
    }
    while (text->end > text->at && is_blank(text->end[-1])) {
        text->end--;
    }
    char sign = here(text);
    text->at += sign == '-' || sign == '+' ? 1 : 0;
    return sign == '-';
}

// The next of digits that may have an underscore between them; -1 behind the last.
static int next_digit(struct text *text, bool first)
{
    bool between = !first && here(text) == '_' && text->at + 1 < text->end && kvb_is_digit(text->at[1]);
    text->at += between ? 1 : 0;
    return kvb_is_digit(here(text)) ? *text->at++ - '0' : -1;
}

bool kvb_python_is_int(const char *text, size_t size)
{
    struct text left;
    size_t digits = 0;
    (void)begin(&left, text, size);
    while (next_digit(&left, digits == 0) >= 0) {
        digits++;
    }
    return digits > 0 && left.at == left.end;
}

static bool read_word(const struct text *text, struct kvb_python_number *number)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    size_t size = (size_t)(text->end - text->at);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == size && kvb_starts_with_ignoring_case(text->at, words[i])) {
            number->nan = words[i][0] == 'n';
            number->exponent = INT64_MAX;
            return true;
        }
    }
    return false;
}

// One digit of the mantissa that stands `place` before the point.
static void take_digit(struct kvb_python_number *number, int digit, int64_t place)
{
    if (digit > 0 && number->zero) {
        number->zero = false;
        number->exponent = place;
        number->power = digit == 1;
    } else if (digit > 0) {
        number->power = false;
    }
}

static size_t read_mantissa(struct text *text, struct kvb_python_number *number)
{
    struct text ahead = *text;
    int64_t whole = 0;
    size_t digits = 0;
    while (next_digit(&ahead, whole == 0) >= 0) {
        whole++;
    }
    for (int digit; (digit = next_digit(text, digits == 0)) >= 0; digits++) {
        take_digit(number, digit, --whole);
    }
    if (here(text) != '.') {
        return digits;
    }
    text->at++;
    size_t decimals = 0;
    for (int digit; (digit = next_digit(text, decimals == 0)) >= 0; decimals++) {
        take_digit(number, digit, -1 - (int64_t)decimals);
    }
    return digits + decimals;
}

// Behind an e; false: no digits stand there.
static bool read_exponent(struct text *text, int64_t *exponent)
{
    char sign = here(text);
    text->at += sign == '-' || sign == '+' ? 1 : 0;
    size_t digits = 0;
    int64_t value = 0;
    for (int digit; (digit = next_digit(text, digits == 0)) >= 0; digits++) {
        value = value < EXPONENT_MAX ? value * 10 + digit : value;
    }
    *exponent += sign == '-' ? -value : value;
    return digits > 0;
}

bool kvb_python_read_float(const char *text, size_t size, struct kvb_python_number *number)
{
    struct text left;
    *number = (struct kvb_python_number){.zero = true};
    number->negative = begin(&left, text, size);
    if (read_word(&left, number)) {
        number->zero = false;
        return true;
    }
    if (read_mantissa(&left, number) == 0) {
        return false;
    }
    if (kvb_lower(here(&left)) == 'e') {
        left.at++;
        if (!read_exponent(&left, &number->exponent)) {
            return false;
        }
    }
    return left.at == left.end;
}

// How large it is beside 1, whatever its sign.
static int beside_one(const struct kvb_python_number *number)
{
    if (number->zero || number->exponent < 0) {
        return -1;
    }
    return number->exponent > 0 || !number->power ? 1 : 0;
}

int kvb_python_compare(const struct kvb_python_number *number, int bound)
{
    if (number->nan) {
        return 2;
    }
    if (bound == 0) {
        return number->zero ? 0 : number->negative ? -1 : 1;
    }
    if (number->negative == (bound < 0)) {
        return bound * beside_one(number);
    }
    return -bound;
}

// ---- Written plainly

bool kvb_python_write_int(const char *text, size_t size, char out[KVB_PLAIN_CAPACITY])
{
    struct text left;
    size_t used = 0;
    if (!kvb_python_is_int(text, size)) {
        return false;
    }
    if (begin(&left, text, size)) {
        out[used++] = '-';
    }
    size_t sign = used;
    for (int digit; (digit = next_digit(&left, used == sign)) >= 0;) {
        used -= used > sign && out[sign] == '0' ? 1 : 0;
        out[used++] = (char)('0' + digit);
        if (used == KVB_PLAIN_CAPACITY) {
            return false;
        }
    }
    bool nothing = out[used - 1] == '0' && used == sign + 1; // -0
    memmove(out, out + (nothing ? sign : 0), used);
    out[nothing ? 1 : used] = '\0';
    return true;
}

#define WHOLE_MAX 20    // the place of the first digit
#define DECIMALS_MAX 20 // behind the point
#define PLACES (1 + WHOLE_MAX + 1 + DECIMALS_MAX + 1)
#define POINT (1 + WHOLE_MAX) // digits[POINT] stands before the point; one is free in front for what is carried

// The digits of a number whose first one that is not 0 stands at place `exponent`, each at its own.
static void lay_out(const char *text, size_t size, int64_t exponent, char digits[PLACES])
{
    struct text left;
    (void)begin(&left, text, size);
    int64_t at = POINT - exponent;
    for (bool leading = true; left.at < left.end && kvb_lower(*left.at) != 'e' && at < PLACES; left.at++) {
        leading = leading && !(kvb_is_digit(*left.at) && *left.at != '0');
        if (!leading && kvb_is_digit(*left.at)) {
            digits[at++] = *left.at;
        }
    }
}

// Half and more of the last place are a whole one.
static void round_to(char digits[PLACES], unsigned decimals)
{
    size_t last = POINT + decimals;
    bool carried = digits[last + 1] >= '5';
    for (size_t at = last; carried; at--) {
        carried = digits[at] == '9';
        digits[at] = carried ? '0' : (char)(digits[at] + 1);
    }
}

bool kvb_python_write_float(const char *text, size_t size, unsigned decimals, char out[KVB_PLAIN_CAPACITY])
{
    struct kvb_python_number number;
    char digits[PLACES];
    size_t used = 0, from = 0, end = POINT + 1 + decimals;
    if (!kvb_python_read_float(text, size, &number) || number.exponent > WHOLE_MAX) {
        return false;
    }
    memset(digits, '0', sizeof digits);
    if (!number.zero && number.exponent >= -DECIMALS_MAX) {
        lay_out(text, size, number.exponent, digits);
    }
    round_to(digits, decimals);
    while (from < POINT && digits[from] == '0') {
        from++;
    }
    while (end > POINT + 1 && digits[end - 1] == '0') {
        end--;
    }
    if (number.negative && !number.zero) {
        out[used++] = '-';
    }
    for (size_t at = from; at < end; at++) {
        if (at == POINT + 1) {
            out[used++] = '.';
        }
        out[used++] = digits[at];
    }
    out[used] = '\0';
    return true;
}
