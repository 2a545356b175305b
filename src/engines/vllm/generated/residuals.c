// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 95 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 288, 133, 159},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 288, 17, 62},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 16, 61, 17},
    {KVB_RESIDUAL_ERA, "0.20 and later", 135, 110, 66},
    {KVB_RESIDUAL_ERA, "to 0.10", 347, 362, 14},
    {KVB_RESIDUAL_CARD, "", 288, 133, 159},
    {KVB_RESIDUAL_CARD, "A100", 44, 2, 12},
    {KVB_RESIDUAL_CARD, "AMD", 344, 17, 23},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 105, 190, 46},
    {KVB_RESIDUAL_CARD, "Hopper and later", 772, 133, 21},
    {KVB_RESIDUAL_CARD, "before Ampere", 17, 321, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 116, 38, 25},
    {KVB_RESIDUAL_CARD, "unified memory", 203, 16, 16},
    {KVB_RESIDUAL_KIND, "", 288, 133, 159},
    {KVB_RESIDUAL_KIND, "dense", 288, 133, 72},
    {KVB_RESIDUAL_KIND, "experts", 282, 23, 17},
    {KVB_RESIDUAL_KIND, "latent attention", 116, 115, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 772, 16, 28},
    {KVB_RESIDUAL_KIND, "state layers", 179, 190, 28},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
