// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 102, 75, 214},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 99, 28, 58},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 62, 55, 30},
    {KVB_RESIDUAL_ERA, "0.20 and later", 63, 31, 107},
    {KVB_RESIDUAL_ERA, "to 0.10", 114, 153, 17},
    {KVB_RESIDUAL_CARD, "", 102, 75, 214},
    {KVB_RESIDUAL_CARD, "A100", 97, 57, 15},
    {KVB_RESIDUAL_CARD, "AMD", 112, 48, 18},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 45, 51, 51},
    {KVB_RESIDUAL_CARD, "Hopper and later", 76, 68, 30},
    {KVB_RESIDUAL_CARD, "before Ampere", 73, 99, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 59, 41, 35},
    {KVB_RESIDUAL_CARD, "unified memory", 112, 34, 42},
    {KVB_RESIDUAL_KIND, "", 102, 75, 214},
    {KVB_RESIDUAL_KIND, "dense", 53, 33, 79},
    {KVB_RESIDUAL_KIND, "experts", 177, 44, 18},
    {KVB_RESIDUAL_KIND, "latent attention", 85, 75, 13},
    {KVB_RESIDUAL_KIND, "pictures or sound", 78, 84, 7},
    {KVB_RESIDUAL_KIND, "sliding window", 91, 35, 39},
    {KVB_RESIDUAL_KIND, "state layers", 92, 43, 58},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
