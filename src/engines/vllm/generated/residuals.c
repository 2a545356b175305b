// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 103, 79, 321},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 84, 36, 60},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 91, 52, 43},
    {KVB_RESIDUAL_ERA, "0.20 and later", 63, 43, 188},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 111, 19},
    {KVB_RESIDUAL_CARD, "", 103, 79, 321},
    {KVB_RESIDUAL_CARD, "A100", 97, 59, 18},
    {KVB_RESIDUAL_CARD, "AMD", 98, 53, 29},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 38, 47, 95},
    {KVB_RESIDUAL_CARD, "Hopper and later", 74, 68, 40},
    {KVB_RESIDUAL_CARD, "before Ampere", 70, 104, 12},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 55, 43, 65},
    {KVB_RESIDUAL_CARD, "unified memory", 121, 74, 48},
    {KVB_RESIDUAL_KIND, "", 103, 79, 321},
    {KVB_RESIDUAL_KIND, "dense", 45, 42, 111},
    {KVB_RESIDUAL_KIND, "experts", 98, 50, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 87, 84, 18},
    {KVB_RESIDUAL_KIND, "pictures or sound", 157, 89, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 94, 39, 46},
    {KVB_RESIDUAL_KIND, "state layers", 76, 46, 114},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
