// A place in a text that moves behind what is taken; what cannot be taken may leave it anywhere.
#ifndef KVB_LOGS_CURSOR_H
#define KVB_LOGS_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kvb_cursor {
    const char *text;
    size_t length;
    size_t at;
};

static inline bool kvb_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

// The character so far ahead, or NUL behind the end.
static inline char kvb_peek(const struct kvb_cursor *in, size_t ahead)
{
    return in->at + ahead < in->length ? in->text[in->at + ahead] : '\0';
}

static inline void kvb_skip_blanks(struct kvb_cursor *in)
{
    while (in->at < in->length && kvb_is_blank(in->text[in->at])) {
        in->at++;
    }
}

#define KVB_FRACTION_ONE INT64_C(1000000000000)

struct kvb_decimal {
    bool negative;
    bool pointed; // had a decimal point
    int64_t whole;
    int64_t fraction; // in 1/KVB_FRACTION_ONE
};

// A sign, U+2212 included.
bool kvb_take_minus(struct kvb_cursor *in);
// Digits with optional thousands separators; saturates.
bool kvb_take_whole(struct kvb_cursor *in, int64_t *number);
bool kvb_take_decimal(struct kvb_cursor *in, struct kvb_decimal *number);

// number x unit, rounded to the nearest; saturates. A unit is a power of two or at most a million.
int64_t kvb_decimal_scaled(const struct kvb_decimal *number, int64_t unit);

// A decimal with an exponent, as metrics print it, to the nearest whole or in millionths; saturates.
bool kvb_take_metric(struct kvb_cursor *in, bool in_millionths, int64_t *value);

// Number and unit, as bytes.
bool kvb_take_size(struct kvb_cursor *in, int64_t *bytes);
// The unit may be missing: then a number with a point is GiB, one without is bytes.
bool kvb_take_memory(struct kvb_cursor *in, int64_t *bytes);

#endif
