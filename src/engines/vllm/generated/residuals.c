// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 103, 75, 261},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 90, 28, 60},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 67, 55, 31},
    {KVB_RESIDUAL_ERA, "0.20 and later", 54, 38, 146},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 110, 19},
    {KVB_RESIDUAL_CARD, "", 103, 75, 261},
    {KVB_RESIDUAL_CARD, "A100", 97, 91, 18},
    {KVB_RESIDUAL_CARD, "AMD", 103, 47, 21},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 41, 49, 64},
    {KVB_RESIDUAL_CARD, "Hopper and later", 75, 68, 36},
    {KVB_RESIDUAL_CARD, "before Ampere", 70, 102, 12},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 53, 39, 56},
    {KVB_RESIDUAL_CARD, "unified memory", 122, 42, 40},
    {KVB_RESIDUAL_KIND, "", 103, 75, 261},
    {KVB_RESIDUAL_KIND, "dense", 46, 34, 100},
    {KVB_RESIDUAL_KIND, "experts", 102, 48, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 85, 75, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 157, 87, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 91, 33, 44},
    {KVB_RESIDUAL_KIND, "state layers", 88, 50, 71},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
