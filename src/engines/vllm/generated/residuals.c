// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 86, 63, 375},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 69, 27, 81},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 55, 33, 43},
    {KVB_RESIDUAL_ERA, "0.20 and later", 41, 28, 221},
    {KVB_RESIDUAL_ERA, "to 0.10", 75, 103, 19},
    {KVB_RESIDUAL_CARD, "", 86, 63, 375},
    {KVB_RESIDUAL_CARD, "A100", 88, 50, 18},
    {KVB_RESIDUAL_CARD, "AMD", 91, 47, 31},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 28, 25, 127},
    {KVB_RESIDUAL_CARD, "Hopper and later", 62, 63, 45},
    {KVB_RESIDUAL_CARD, "before Ampere", 56, 97, 14},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 54, 23, 87},
    {KVB_RESIDUAL_CARD, "unified memory", 86, 57, 39},
    {KVB_RESIDUAL_KIND, "", 86, 63, 375},
    {KVB_RESIDUAL_KIND, "dense", 41, 27, 145},
    {KVB_RESIDUAL_KIND, "experts", 78, 28, 29},
    {KVB_RESIDUAL_KIND, "latent attention", 76, 74, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 149, 79, 11},
    {KVB_RESIDUAL_KIND, "sliding window", 42, 29, 49},
    {KVB_RESIDUAL_KIND, "state layers", 53, 36, 127},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
