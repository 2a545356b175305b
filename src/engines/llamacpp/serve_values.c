// Values of a line as common/arg.cpp reads them: what std::stoi, stoul and stof take, words, and the few forms of its
// own. Source: ggml-org/llama.cpp, common/arg.cpp and common/common.cpp by build (scripts/llamacpp-tables).
#include "engines/llamacpp/serve_values.h"

#include <string.h>

#include "base/json_text.h"
#include "base/text.h"

#define DIGITS "0123456789"
#define INT_LIMIT UINT64_C(2147483648)
#define FLOAT_EXPONENT 38 // of the largest float, 3.4e38
#define CPUS 512          // GGML_MAX_N_THREADS
#define MASK_DIGITS 128   // of a mask, four CPUs each

struct text {
    const char *at;
    size_t size;
};

static struct text behind(struct text text, size_t count)
{
    return (struct text){text.at + count, text.size - count};
}

static size_t span(struct text text, const char *set)
{
    size_t count = 0;
    while (count < text.size && strchr(set, text.at[count]) != NULL) {
        count++;
    }
    return count;
}

// The digits that a whole number begins with, behind blanks and a sign; none: it is no number.
static size_t whole(struct text text, bool *minus, struct text *digits)
{
    text = behind(text, span(text, " \t"));
    size_t sign = text.size > 0 && (text.at[0] == '+' || text.at[0] == '-') ? 1 : 0;
    *minus = sign > 0 && text.at[0] == '-';
    *digits = behind(text, sign);
    digits->size = span(*digits, DIGITS);
    return digits->size;
}

// UINT64_MAX: as large or larger.
static uint64_t number_of(struct text digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.size; i++) {
        uint64_t digit = (uint64_t)(digits.at[i] - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return UINT64_MAX;
        }
        number = number * 10 + digit;
    }
    return number;
}

static bool read_int(struct text text, int32_t *number)
{
    bool minus;
    struct text digits;
    uint64_t size = whole(text, &minus, &digits) > 0 ? number_of(digits) : UINT64_MAX;
    if (size > INT_LIMIT - (minus ? 0 : 1)) {
        return false;
    }
    *number = (int32_t)(minus ? -(int64_t)size : (int64_t)size);
    return true;
}

static bool is_unsigned(struct text text)
{
    bool minus;
    struct text digits;
    return whole(text, &minus, &digits) > 0 && number_of(digits) < UINT64_MAX;
}

static bool begins(struct text text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i < length; i++) {
        if (i >= text.size || kvb_lower(text.at[i]) != word[i]) {
            return false;
        }
    }
    return true;
}

struct real {
    bool taken, finite, minus, zero;
};

// The exponent behind the digits, 0 where there is none; beyond any float's where it has more than four digits.
static int64_t exponent_of(struct text text)
{
    bool minus;
    struct text digits;
    if (text.size < 2 || kvb_lower(text.at[0]) != 'e' || strchr(" \t", text.at[1]) != NULL ||
        whole(behind(text, 1), &minus, &digits) == 0) {
        return 0;
    }
    int64_t size = digits.size > 4 ? 9999 : (int64_t)number_of(digits);
    return minus ? -size : size;
}

// strtof(): the number that the text begins with; hexadecimal ones are taken for what stands in front of the x, a 0.
static struct real real_of(struct text text)
{
    text = behind(text, span(text, " \t"));
    struct real real = {.finite = true, .minus = begins(text, "-")};
    text = behind(text, real.minus || begins(text, "+") ? 1 : 0);
    if (begins(text, "inf") || begins(text, "nan")) {
        return (struct real){.taken = true, .minus = real.minus};
    }
    size_t whole_digits = span(text, DIGITS), zeros = span(text, "0");
    struct text rest = behind(text, whole_digits);
    struct text decimals = begins(rest, ".") ? behind(rest, 1) : (struct text){rest.at, 0};
    size_t count = span(decimals, DIGITS), leading = span(decimals, "0");
    rest = decimals.size > 0 ? behind(decimals, count) : rest;
    real.taken = whole_digits + count > 0;
    real.zero = zeros >= whole_digits && leading >= count;
    int64_t first = zeros < whole_digits ? (int64_t)(whole_digits - zeros) - 1 : -(int64_t)leading - 1;
    real.taken = real.taken && (real.zero || first + exponent_of(rest) <= FLOAT_EXPONENT);
    return real;
}

static bool is_word(const struct kvb_llama_known_flag *row, uint32_t build, struct text text)
{
    return kvb_llama_is_known_word(row->name, build, text.at, text.size);
}

static bool are_words(const struct kvb_llama_known_flag *row, uint32_t build, struct text text)
{
    for (;;) {
        size_t size = 0;
        while (size < text.size && text.at[size] != ',') {
            size++;
        }
        if (!is_word(row, build, (struct text){text.at, size})) {
            return false;
        }
        if (size == text.size) {
            return true;
        }
        text = behind(text, size + 1);
    }
}

static bool is_json(struct text text)
{
    static const char *const words[] = {"true", "false", "null", "\""};
    struct kvb_json_slip slip;
    struct text value = behind(text, span(text, " \t\n"));
    char opening = value.size > 0 ? value.at[0] : '\0';
    if (opening == '{' || opening == '[') {
        return kvb_json_is_whole(text.at, text.size, opening, KVB_JSON, &slip);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (begins(value, words[i])) {
            return true;
        }
    }
    return opening != '+' && real_of(value).taken && real_of(value).finite;
}

// "tokenizer.ggml.add_bos_token=bool:false", the first of several.
static bool is_override(struct text text)
{
    size_t name = 0;
    while (name < text.size && text.at[name] != '=') {
        name++;
    }
    if (name >= text.size || name > 127) {
        return false;
    }
    struct text value = behind(text, name + 1);
    return begins(value, "int:") || begins(value, "float:") || begins(value, "str:") || begins(value, "bool:true") ||
           begins(value, "bool:false");
}

static bool is_mask(struct text text)
{
    text = behind(text, begins(text, "0x") ? 2 : 0);
    size_t size = text.size < MASK_DIGITS ? text.size : MASK_DIGITS;
    return span(text, DIGITS "abcdefABCDEF") >= size;
}

// "0-7", "-7", "4-"
static bool is_range(struct text text)
{
    size_t first = span(text, DIGITS);
    struct text rest = behind(text, first);
    if (!begins(rest, "-")) {
        return false;
    }
    struct text last = behind(rest, 1);
    bool ends = last.size == 0 || span(last, DIGITS) > 0;
    return ends && number_of((struct text){text.at, first}) < CPUS &&
           number_of((struct text){last.at, span(last, DIGITS)}) < CPUS;
}

// "15043+1"
static bool is_bias(struct text text)
{
    bool minus;
    struct text digits;
    if (whole(text, &minus, &digits) == 0) {
        return false;
    }
    struct text rest = behind(text, (size_t)(digits.at - text.at) + digits.size);
    rest = behind(rest, span(rest, " \t"));
    return (begins(rest, "+") || begins(rest, "-")) && real_of(behind(rest, 1)).taken;
}

// "adapter.gguf:0.5", the first of several.
static bool is_scaled(struct text text)
{
    size_t size = 0, colon = 0, colons = 0;
    while (size < text.size && text.at[size] != ',') {
        colons += text.at[size] == ':' ? 1 : 0;
        colon = text.at[size] == ':' ? size : colon;
        size++;
    }
    return colons == 1 && real_of((struct text){text.at + colon + 1, size - colon - 1}).taken;
}

static bool is_in_bounds(const struct kvb_llama_known_flag *row, int32_t number)
{
    return number >= row->low && number <= row->high && !(row->nonzero && number == 0);
}

bool kvb_llama_takes(const struct kvb_llama_known_flag *row, uint32_t build, const char *value, size_t size)
{
    struct text text = {value, size};
    struct real real = real_of(text);
    int32_t number;
    switch (row->type) {
    case 'i':
        return read_int(text, &number) && is_in_bounds(row, number);
    case 'x':
        return is_word(row, build, text) || read_int(text, &number);
    case 'u':
        return is_unsigned(text);
    case 'f':
        return real.taken;
    case 'e':
        return real.taken && real.finite;
    case 'p':
        return real.taken && real.finite && !real.minus && !real.zero;
    case 'w':
        return is_word(row, build, text);
    case 'd':
        return are_words(row, build, text);
    case 'j':
        return is_json(text);
    case 'o':
        return is_override(text);
    case 'm':
        return is_mask(text);
    case 'g':
        return is_range(text);
    case 'b':
        return is_bias(text);
    case 'c':
        return is_scaled(text);
    default:
        return true;
    }
}

bool kvb_llama_is_whole_number(const char *value, size_t size)
{
    int32_t number;
    return read_int((struct text){value, size}, &number);
}
