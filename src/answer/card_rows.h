// What is known of cards as people buy them: the size they are called by, which are common, how many share a machine.
#ifndef KVB_ANSWER_CARD_ROWS_H
#define KVB_ANSWER_CARD_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/gpu.h>

// 8, 12, 16, ... 288: the smallest that holds its memory, or nearly.
uint32_t kvb_card_class(uint64_t memory_bytes);
// Place among the common ones, 0 first; those that are not listed come after all of them.
uint32_t kvb_card_rank(const char *id);
// How many of it one machine has at most: 1, 2, 4 or 8.
uint32_t kvb_card_most(const char *id, const struct kvb_gpu *gpu);
// Whether engines run on such a device without a plugin.
bool kvb_card_runs(const char *id);

#endif
