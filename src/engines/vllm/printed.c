// Double arithmetic of the engines, repeated so that figures are equal to the last digit.
// Source: vllm/v1/worker/utils.py request_memory, v1/core/kv_cache_utils.py, utils/mem_utils.py format_gib.
#include "engines/vllm/printed.h"

#include <string.h>

static double fraction(uint32_t ppm)
{
    return (double)ppm / 1e6;
}

uint64_t kvb_printed_request(uint64_t memory_bytes, uint32_t utilization_ppm, bool round_up)
{
    double product = (double)memory_bytes * fraction(utilization_ppm);
    uint64_t whole = (uint64_t)product;
    return round_up && (double)whole < product ? whole + 1 : whole;
}

int64_t kvb_printed_pool(uint64_t memory_bytes, uint32_t utilization_ppm, uint64_t used_bytes)
{
    return (int64_t)((double)memory_bytes * fraction(utilization_ppm) - (double)used_bytes);
}

#define MANTISSA_BITS 52
#define EXPONENT_MASK 2047
#define EXPONENT_BIAS (1023 + MANTISSA_BITS)
#define MOST_HUNDREDTHS_BITS 60 // 53 bits of a double times 100

// A double that is not negative in hundredths, rounded as printf's "%.2f" rounds it: from its exact value, halves to
// even. In integers, so that no locale has a say. Those without a leading bit, far below a hundredth, are 0.
static uint64_t hundredths_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)((bits >> MANTISSA_BITS) & EXPONENT_MASK);
    uint64_t leading = UINT64_C(1) << MANTISSA_BITS;
    int shift = exponent - EXPONENT_BIAS;
    uint64_t scaled = ((bits & (leading - 1)) | leading) * 100;
    if (shift >= 0) {
        return shift > 64 - MOST_HUNDREDTHS_BITS ? UINT64_MAX : scaled << shift;
    }
    if (-shift > MOST_HUNDREDTHS_BITS) {
        return 0;
    }
    uint64_t whole = scaled >> -shift;
    uint64_t rest = scaled & ((UINT64_C(1) << -shift) - 1);
    uint64_t half = UINT64_C(1) << (-shift - 1);
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

uint64_t kvb_printed_hundredths(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : hundredths_of((double)a / (double)b);
}

#define BEYOND_64_BITS 18446744073709551616.0

uint64_t kvb_printed_tokens(uint64_t blocks, uint64_t request_blocks, uint64_t length)
{
    if (request_blocks == 0) {
        return 0;
    }
    double concurrency = (double)blocks / (double)request_blocks;
    double tokens = concurrency * (double)length;
    return tokens < BEYOND_64_BITS ? (uint64_t)tokens : UINT64_MAX;
}

static size_t add_digits(char *out, uint64_t number, uint32_t at_least)
{
    char digits[24];
    uint32_t count = 0;
    while (number > 0 || count < at_least) {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = digits[count - 1 - i];
    }
    out[count] = '\0';
    return count;
}

size_t kvb_printed_gib(char out[32], int64_t bytes, bool python_round)
{
    double gib = (double)bytes / (double)(UINT64_C(1) << 30);
    uint64_t hundredths = hundredths_of(gib < 0 ? -gib : gib);
    size_t length = 0;
    if (bytes < 0) {
        out[length++] = '-';
    }
    length += add_digits(out + length, hundredths / 100, 1);
    out[length++] = '.';
    length += add_digits(out + length, hundredths % 100, 2);
    if (python_round && out[length - 1] == '0') {
        out[--length] = '\0';
    }
    return length;
}

size_t kvb_printed_fraction(char out[32], uint32_t ppm)
{
    size_t length = add_digits(out, ppm / 1000000, 1);
    out[length++] = '.';
    length += add_digits(out + length, ppm % 1000000, 6);
    while (out[length - 1] == '0' && out[length - 2] != '.') {
        out[--length] = '\0';
    }
    return length;
}
