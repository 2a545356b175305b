// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 92 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 84, 65, 395},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 79, 30, 81},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 54, 33, 46},
    {KVB_RESIDUAL_ERA, "0.20 and later", 54, 36, 235},
    {KVB_RESIDUAL_ERA, "to 0.10", 106, 153, 19},
    {KVB_RESIDUAL_CARD, "", 84, 65, 395},
    {KVB_RESIDUAL_CARD, "A100", 63, 51, 18},
    {KVB_RESIDUAL_CARD, "AMD", 95, 49, 33},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 31, 28, 138},
    {KVB_RESIDUAL_CARD, "Hopper and later", 69, 64, 47},
    {KVB_RESIDUAL_CARD, "before Ampere", 55, 98, 14},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 54, 24, 89},
    {KVB_RESIDUAL_CARD, "unified memory", 86, 81, 40},
    {KVB_RESIDUAL_KIND, "", 84, 65, 395},
    {KVB_RESIDUAL_KIND, "dense", 45, 43, 151},
    {KVB_RESIDUAL_KIND, "experts", 90, 31, 31},
    {KVB_RESIDUAL_KIND, "latent attention", 75, 75, 15},
    {KVB_RESIDUAL_KIND, "pictures or sound", 148, 81, 11},
    {KVB_RESIDUAL_KIND, "sliding window", 41, 34, 51},
    {KVB_RESIDUAL_KIND, "state layers", 66, 38, 136},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
