// Numbers and sizes as engines print them, taken from a place in a text.
#include "logs/cursor.h"

#include <string.h>

#include "logs/line_text.h"

#define NUMBER_LIMIT ((int64_t)1 << 62)

static bool take_word(struct kvb_cursor *in, const char *word)
{
    size_t length = strlen(word);
    if (in->length - in->at < length || memcmp(in->text + in->at, word, length) != 0) {
        return false;
    }
    in->at += length;
    return true;
}

bool kvb_take_minus(struct kvb_cursor *in)
{
    return take_word(in, "-") || take_word(in, "\xe2\x88\x92");
}

bool kvb_take_whole(struct kvb_cursor *in, int64_t *number)
{
    if (!kvb_is_digit(kvb_peek(in, 0))) {
        return false;
    }
    int64_t value = 0;
    for (;;) {
        char c = kvb_peek(in, 0);
        bool separator = c == ',' && kvb_is_digit(kvb_peek(in, 1)) && kvb_is_digit(kvb_peek(in, 2)) &&
                         kvb_is_digit(kvb_peek(in, 3)) && !kvb_is_digit(kvb_peek(in, 4));
        if (separator) {
            in->at++;
            continue;
        }
        if (!kvb_is_digit(c)) {
            break;
        }
        value = value > NUMBER_LIMIT / 10 - 1 ? NUMBER_LIMIT / 10 : value * 10 + (c - '0');
        in->at++;
    }
    *number = value;
    return true;
}

bool kvb_take_decimal(struct kvb_cursor *in, struct kvb_decimal *number)
{
    memset(number, 0, sizeof *number);
    number->negative = kvb_take_minus(in);
    if (!kvb_take_whole(in, &number->whole)) {
        return false;
    }
    if (kvb_peek(in, 0) != '.' || !kvb_is_digit(kvb_peek(in, 1))) {
        return true;
    }
    in->at++;
    number->pointed = true;
    int64_t scale = KVB_FRACTION_ONE / 10;
    while (kvb_is_digit(kvb_peek(in, 0))) {
        number->fraction += (kvb_peek(in, 0) - '0') * scale;
        scale /= 10;
        in->at++;
    }
    return true;
}

int64_t kvb_decimal_scaled(const struct kvb_decimal *number, int64_t unit)
{
    if (number->whole > NUMBER_LIMIT / unit) {
        return number->negative ? -NUMBER_LIMIT : NUMBER_LIMIT;
    }
    int64_t fine = unit >> 20 > 0 ? unit >> 20 : 1; // same: keeps products inside 64 bits, and so do 19 and 21
    int64_t coarse = number->fraction * (unit / fine);
    int64_t value = number->whole * unit + coarse / KVB_FRACTION_ONE * fine +
                    (coarse % KVB_FRACTION_ONE * fine + KVB_FRACTION_ONE / 2) / KVB_FRACTION_ONE;
    return number->negative ? -value : value;
}

bool kvb_take_metric(struct kvb_cursor *in, bool in_millionths, int64_t *value)
{
    struct kvb_decimal number;
    int64_t exponent = 0;
    if (!kvb_take_decimal(in, &number)) {
        return false;
    }
    if (kvb_peek(in, 0) == 'e' || kvb_peek(in, 0) == 'E') {
        in->at++;
        bool negative = kvb_peek(in, 0) == '-';
        in->at += negative || kvb_peek(in, 0) == '+';
        if (!kvb_take_whole(in, &exponent)) {
            return false;
        }
        exponent = negative ? -exponent : exponent;
    }
    int64_t fine = kvb_decimal_scaled(&number, 1000000); // in millionths
    int64_t steps = exponent - (in_millionths ? 0 : 6);
    for (; steps > 0 && fine < NUMBER_LIMIT / 10; steps--) {
        fine *= 10;
    }
    for (; steps < 0 && fine != 0; steps++) {
        fine = steps == -1 ? (fine + 5) / 10 : fine / 10;
    }
    *value = fine;
    return true;
}

struct unit_row {
    const char *text;
    int64_t bytes;
};

// Longer spellings first. Engines that print "GB", "MB" and "KB" here divide by powers of two.
static const struct unit_row unit_rows[] = {
    {"GiB", INT64_C(1) << 30},
    {"Gib", INT64_C(1) << 30},
    {"GB", INT64_C(1) << 30},
    {"MiB", INT64_C(1) << 20},
    {"MB", INT64_C(1) << 20},
    {"KiB", INT64_C(1) << 10},
    {"KB", INT64_C(1) << 10},
    {"TiB", INT64_C(1) << 40},
    {"TB", INT64_C(1) << 40},
    {"bytes", 1},
    {"byte", 1},
    {"B", 1},
};

static bool take_unit(struct kvb_cursor *in, int64_t *unit)
{
    for (size_t i = 0; i < sizeof unit_rows / sizeof unit_rows[0]; i++) {
        if (take_word(in, unit_rows[i].text)) {
            *unit = unit_rows[i].bytes;
            return true;
        }
    }
    return false;
}

bool kvb_take_size(struct kvb_cursor *in, int64_t *value)
{
    struct kvb_decimal number;
    int64_t unit;
    if (!kvb_take_decimal(in, &number)) {
        return false;
    }
    kvb_skip_blanks(in);
    if (!take_unit(in, &unit)) {
        return false;
    }
    *value = kvb_decimal_scaled(&number, unit);
    return true;
}

bool kvb_take_memory(struct kvb_cursor *in, int64_t *value)
{
    struct kvb_decimal number;
    int64_t unit;
    if (!kvb_take_decimal(in, &number)) {
        return false;
    }
    size_t behind = in->at;
    kvb_skip_blanks(in);
    if (!take_unit(in, &unit)) {
        in->at = behind;
        unit = number.pointed ? INT64_C(1) << 30 : 1;
    }
    *value = kvb_decimal_scaled(&number, unit);
    return true;
}
