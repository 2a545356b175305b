// Exact reading and writing of sizes, fractions and counts. No locale, no doubles.
#ifndef KVBUDGET_UNITS_H
#define KVBUDGET_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/export.h>

KVB_PUBLIC_BEGIN

#define KVB_KIB (UINT64_C(1) << 10)
#define KVB_MIB (UINT64_C(1) << 20)
#define KVB_GIB (UINT64_C(1) << 30)
#define KVB_PPM UINT32_C(1000000) // one whole, in parts per million
#define KVB_HUNDREDTH_PPM UINT32_C(10000)
#define KVB_BYTES_MAX (UINT64_C(1) << 53)

// "24564MiB", "23.64GiB", "80GB", "819 MiB", "1024" (bytes), "512B"; K/M/G/T with B decimal, with iB
// binary; decimals are exact to the byte, rounded down. At most 2^53. False: not a size.
bool kvb_parse_bytes(const char *text, uint64_t *bytes);

// "0.925" -> 925000. At most six decimals, no exponent, 0 to `max_ppm`. False otherwise.
bool kvb_parse_ppm(const char *text, uint32_t max_ppm, uint32_t *ppm);

// A whole number with vLLM's suffixes: 32k = 32000, 32K = 32768, 1.5k = 1500; g/G, t/T alike.
// Decimals only with a lower-case suffix. At most 2^53.
bool kvb_parse_count(const char *text, uint64_t *count);

// A plain whole number, at most 2^64-1: digits only, no sign, no leading zero except "0".
bool kvb_parse_whole(const char *text, uint64_t *number);

// A decimal number of GiB ("12", "0.5") to bytes, exact, rounded down.
bool kvb_parse_gib(const char *text, uint64_t *bytes);

// Writers: return `out`; the result always ends in NUL. Capacity 32 suffices for each.
// GiB with `decimals` digits (0 to 6), rounded half away from zero, sign kept: "-3.79".
char *kvb_format_gib(char out[32], int64_t bytes, unsigned decimals);
char *kvb_format_count(char out[32], uint64_t count);       // 1,721,888
char *kvb_format_ppm(char out[32], uint32_t ppm);           // 925000 -> "0.925", 900000 -> "0.90"
char *kvb_format_bytes_exact(char out[32], uint64_t bytes); // shortest exact: "24564MiB", "1GiB", "1000B"

KVB_PUBLIC_END

#endif
