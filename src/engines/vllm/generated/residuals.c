// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 86, 75, 362},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 69, 29, 81},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 55, 50, 43},
    {KVB_RESIDUAL_ERA, "0.20 and later", 44, 40, 208},
    {KVB_RESIDUAL_ERA, "to 0.10", 75, 109, 19},
    {KVB_RESIDUAL_CARD, "", 86, 75, 362},
    {KVB_RESIDUAL_CARD, "A100", 88, 57, 18},
    {KVB_RESIDUAL_CARD, "AMD", 91, 51, 31},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 29, 44, 112},
    {KVB_RESIDUAL_CARD, "Hopper and later", 62, 67, 45},
    {KVB_RESIDUAL_CARD, "before Ampere", 56, 104, 14},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 53, 31, 89},
    {KVB_RESIDUAL_CARD, "unified memory", 86, 61, 39},
    {KVB_RESIDUAL_KIND, "", 86, 75, 362},
    {KVB_RESIDUAL_KIND, "dense", 41, 38, 145},
    {KVB_RESIDUAL_KIND, "experts", 79, 33, 29},
    {KVB_RESIDUAL_KIND, "latent attention", 76, 81, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 149, 87, 11},
    {KVB_RESIDUAL_KIND, "sliding window", 42, 32, 49},
    {KVB_RESIDUAL_KIND, "state layers", 66, 44, 114},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
