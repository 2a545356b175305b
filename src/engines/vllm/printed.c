// Double arithmetic of the engines, repeated so that figures are equal to the last digit.
// Source: vllm/v1/worker/utils.py request_memory, v1/core/kv_cache_utils.py, utils/mem_utils.py format_gib.
#include "engines/vllm/printed.h"

#include <stdio.h>
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

uint64_t kvb_printed_hundredths(uint64_t a, uint64_t b)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.2f", b == 0 ? 0.0 : (double)a / (double)b);
    uint64_t hundredths = 0;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p != '.') {
            hundredths = hundredths * 10 + (uint64_t)(*p - '0');
        }
    }
    return hundredths;
}

uint64_t kvb_printed_tokens(uint64_t blocks, uint64_t request_blocks, uint64_t length)
{
    if (request_blocks == 0) {
        return 0;
    }
    double concurrency = (double)blocks / (double)request_blocks;
    return (uint64_t)(concurrency * (double)length);
}

size_t kvb_printed_gib(char out[32], int64_t bytes, bool python_round)
{
    (void)snprintf(out, 32, "%.2f", (double)bytes / (double)(UINT64_C(1) << 30));
    size_t length = strlen(out);
    if (python_round && out[length - 1] == '0') {
        out[--length] = '\0';
    }
    return length;
}

size_t kvb_printed_fraction(char out[32], uint32_t ppm)
{
    (void)snprintf(out, 32, "%.6f", fraction(ppm));
    size_t length = strlen(out);
    while (out[length - 1] == '0' && out[length - 2] != '.') {
        out[--length] = '\0';
    }
    return length;
}
