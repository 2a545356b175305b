// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 97, 76, 311},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 82, 35, 60},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 59, 51, 42},
    {KVB_RESIDUAL_ERA, "0.20 and later", 50, 42, 179},
    {KVB_RESIDUAL_ERA, "to 0.10", 81, 110, 19},
    {KVB_RESIDUAL_CARD, "", 97, 76, 311},
    {KVB_RESIDUAL_CARD, "A100", 93, 57, 18},
    {KVB_RESIDUAL_CARD, "AMD", 100, 54, 28},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 36, 45, 95},
    {KVB_RESIDUAL_CARD, "Hopper and later", 71, 67, 40},
    {KVB_RESIDUAL_CARD, "before Ampere", 66, 102, 12},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 54, 42, 65},
    {KVB_RESIDUAL_CARD, "unified memory", 108, 73, 39},
    {KVB_RESIDUAL_KIND, "", 97, 76, 311},
    {KVB_RESIDUAL_KIND, "dense", 42, 39, 111},
    {KVB_RESIDUAL_KIND, "experts", 95, 48, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 85, 81, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 152, 87, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 92, 38, 45},
    {KVB_RESIDUAL_KIND, "state layers", 70, 45, 109},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
