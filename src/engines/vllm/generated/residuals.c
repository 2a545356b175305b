// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 92 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 84, 72, 394},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 79, 32, 81},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 54, 35, 46},
    {KVB_RESIDUAL_ERA, "0.20 and later", 54, 39, 234},
    {KVB_RESIDUAL_ERA, "to 0.10", 106, 156, 19},
    {KVB_RESIDUAL_CARD, "", 84, 72, 394},
    {KVB_RESIDUAL_CARD, "A100", 63, 55, 18},
    {KVB_RESIDUAL_CARD, "AMD", 95, 51, 33},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 31, 30, 137},
    {KVB_RESIDUAL_CARD, "Hopper and later", 69, 66, 47},
    {KVB_RESIDUAL_CARD, "before Ampere", 55, 102, 14},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 54, 25, 89},
    {KVB_RESIDUAL_CARD, "unified memory", 86, 83, 40},
    {KVB_RESIDUAL_KIND, "", 84, 72, 394},
    {KVB_RESIDUAL_KIND, "dense", 45, 43, 151},
    {KVB_RESIDUAL_KIND, "experts", 90, 34, 31},
    {KVB_RESIDUAL_KIND, "latent attention", 75, 79, 15},
    {KVB_RESIDUAL_KIND, "pictures or sound", 148, 85, 11},
    {KVB_RESIDUAL_KIND, "sliding window", 41, 36, 51},
    {KVB_RESIDUAL_KIND, "state layers", 66, 40, 135},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
