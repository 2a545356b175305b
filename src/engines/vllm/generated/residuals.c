// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 94, 84, 343},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 81, 36, 67},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 58, 53, 43},
    {KVB_RESIDUAL_ERA, "0.20 and later", 44, 43, 203},
    {KVB_RESIDUAL_ERA, "to 0.10", 79, 114, 19},
    {KVB_RESIDUAL_CARD, "", 94, 84, 343},
    {KVB_RESIDUAL_CARD, "A100", 92, 61, 18},
    {KVB_RESIDUAL_CARD, "AMD", 94, 55, 29},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 35, 45, 108},
    {KVB_RESIDUAL_CARD, "Hopper and later", 70, 69, 45},
    {KVB_RESIDUAL_CARD, "before Ampere", 61, 109, 14},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 45, 44, 72},
    {KVB_RESIDUAL_CARD, "unified memory", 107, 86, 43},
    {KVB_RESIDUAL_KIND, "", 94, 84, 343},
    {KVB_RESIDUAL_KIND, "dense", 41, 66, 132},
    {KVB_RESIDUAL_KIND, "experts", 94, 50, 26},
    {KVB_RESIDUAL_KIND, "latent attention", 84, 86, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 150, 92, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 91, 43, 48},
    {KVB_RESIDUAL_KIND, "state layers", 69, 46, 113},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
