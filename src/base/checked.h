// Size arithmetic that cannot wrap: results saturate at KVB_SATURATED, and whoever publishes a
// result refuses a saturated one (kvb_is_saturated), so nothing is ever clamped in silence.
#ifndef KVB_BASE_CHECKED_H
#define KVB_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#define KVB_SATURATED (UINT64_C(1) << 62)

static inline bool kvb_is_saturated(uint64_t value)
{
    return value >= KVB_SATURATED;
}

static inline uint64_t kvb_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum) || sum > KVB_SATURATED) {
        return KVB_SATURATED;
    }
    return sum;
}

static inline uint64_t kvb_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > KVB_SATURATED) {
        return KVB_SATURATED;
    }
    return product;
}

static inline uint64_t kvb_square(uint64_t a)
{
    return kvb_mul(a, a);
}

// Ceiling of a / b; b is never 0.
static inline uint64_t kvb_div_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static inline uint64_t kvb_round_up(uint64_t a, uint64_t multiple)
{
    return kvb_mul(kvb_div_up(a, multiple), multiple);
}

// a - b as a signed number; both are below 2^63.
static inline int64_t kvb_balance(uint64_t a, uint64_t b)
{
    return (int64_t)a - (int64_t)b;
}

// What is left of a balance; 0 where nothing is.
static inline uint64_t kvb_positive(int64_t balance)
{
    return balance > 0 ? (uint64_t)balance : 0;
}

// What is left of `from`; 0 where that is less than `bytes`.
static inline uint64_t kvb_less(uint64_t from, uint64_t bytes)
{
    return from > bytes ? from - bytes : 0;
}

static inline uint64_t kvb_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t kvb_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
