// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 103, 75, 312},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 84, 35, 60},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 91, 51, 42},
    {KVB_RESIDUAL_ERA, "0.20 and later", 51, 42, 180},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 110, 19},
    {KVB_RESIDUAL_CARD, "", 103, 75, 312},
    {KVB_RESIDUAL_CARD, "A100", 97, 57, 18},
    {KVB_RESIDUAL_CARD, "AMD", 103, 54, 28},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 38, 45, 95},
    {KVB_RESIDUAL_CARD, "Hopper and later", 74, 67, 40},
    {KVB_RESIDUAL_CARD, "before Ampere", 70, 102, 12},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 55, 42, 65},
    {KVB_RESIDUAL_CARD, "unified memory", 120, 73, 40},
    {KVB_RESIDUAL_KIND, "", 103, 75, 312},
    {KVB_RESIDUAL_KIND, "dense", 45, 42, 111},
    {KVB_RESIDUAL_KIND, "experts", 98, 48, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 89, 81, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 157, 87, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 94, 38, 45},
    {KVB_RESIDUAL_KIND, "state layers", 77, 45, 110},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
