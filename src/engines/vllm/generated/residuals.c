// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 93 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 182, 76, 212},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 219, 34, 59},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 99, 56, 30},
    {KVB_RESIDUAL_ERA, "0.20 and later", 103, 42, 107},
    {KVB_RESIDUAL_ERA, "to 0.10", 158, 151, 16},
    {KVB_RESIDUAL_CARD, "", 182, 76, 212},
    {KVB_RESIDUAL_CARD, "A100", 142, 57, 15},
    {KVB_RESIDUAL_CARD, "AMD", 236, 53, 21},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 80, 53, 49},
    {KVB_RESIDUAL_CARD, "Hopper and later", 112, 69, 29},
    {KVB_RESIDUAL_CARD, "before Ampere", 126, 99, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 89, 45, 35},
    {KVB_RESIDUAL_CARD, "unified memory", 154, 57, 41},
    {KVB_RESIDUAL_KIND, "", 182, 76, 212},
    {KVB_RESIDUAL_KIND, "dense", 113, 48, 80},
    {KVB_RESIDUAL_KIND, "experts", 234, 54, 19},
    {KVB_RESIDUAL_KIND, "latent attention", 133, 76, 12},
    {KVB_RESIDUAL_KIND, "pictures or sound", 153, 75, 4},
    {KVB_RESIDUAL_KIND, "sliding window", 170, 40, 39},
    {KVB_RESIDUAL_KIND, "state layers", 120, 46, 58},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
