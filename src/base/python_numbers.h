// Text that Python reads as a number, and where it stands to the few numbers that bound a field.
#ifndef KVB_BASE_PYTHON_NUMBERS_H
#define KVB_BASE_PYTHON_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// int(): blanks around it, a sign, underscores between digits, of any width.
bool kvb_python_is_int(const char *text, size_t size);

struct kvb_python_number {
    bool nan, negative, zero;
    bool power;       // a 1 and zeros behind it: 10^exponent and nothing more
    int64_t exponent; // of its first digit that is not 0; infinity has the greatest
};

// float(): the same with decimals and an exponent, inf, infinity and nan.
bool kvb_python_read_float(const char *text, size_t size, struct kvb_python_number *number);

#define KVB_PLAIN_CAPACITY 64
// What int() reads, without blanks, underscores, zeros in front and a plus: "-12". False: it reads none, or one too
// long.
bool kvb_python_write_int(const char *text, size_t size, char out[KVB_PLAIN_CAPACITY]);
// What float() reads, without an exponent, too, rounded to that many decimals (at most 20): "0.9". False: it reads
// none, or one that is not finite or as large as 10^21.
bool kvb_python_write_float(const char *text, size_t size, unsigned decimals, char out[KVB_PLAIN_CAPACITY]);

// Below, at or above `bound`, which is -1, 0 or 1: -1, 0 or 1. Of nan: 2, as it is none of these.
int kvb_python_compare(const struct kvb_python_number *number, int bound);

#endif
