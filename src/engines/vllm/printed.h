// Figures as an engine computes and prints them in double precision. The one home of doubles.
#ifndef KVB_ENGINES_VLLM_PRINTED_H
#define KVB_ENGINES_VLLM_PRINTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// total x utilization: the double product, rounded up or cut to whole bytes.
uint64_t kvb_printed_request(uint64_t memory_bytes, uint32_t utilization_ppm, bool round_up);
// int(total x utilization - used), as releases up to 0.13 subtract: in doubles, towards zero.
int64_t kvb_printed_pool(uint64_t memory_bytes, uint32_t utilization_ppm, uint64_t used_bytes);
// a / b as "%.2f" prints it, in hundredths.
uint64_t kvb_printed_hundredths(uint64_t a, uint64_t b);
// int(blocks / request_blocks * length): the token figure from 0.20.1 on.
uint64_t kvb_printed_tokens(uint64_t blocks, uint64_t request_blocks, uint64_t length);
// GiB with "%.2f" or as Python's round(x, 2) shows it ("24.0"); returns the length written.
size_t kvb_printed_gib(char out[32], int64_t bytes, bool python_round);
// A utilization as Python shows the float: "0.9", "0.675".
size_t kvb_printed_fraction(char out[32], uint32_t ppm);

#endif
