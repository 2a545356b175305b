// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 102, 65, 209},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 99, 26, 56},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 62, 51, 30},
    {KVB_RESIDUAL_ERA, "0.20 and later", 68, 29, 107},
    {KVB_RESIDUAL_ERA, "to 0.10", 114, 145, 16},
    {KVB_RESIDUAL_CARD, "", 102, 65, 209},
    {KVB_RESIDUAL_CARD, "A100", 97, 51, 15},
    {KVB_RESIDUAL_CARD, "AMD", 112, 43, 18},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 45, 48, 49},
    {KVB_RESIDUAL_CARD, "Hopper and later", 72, 64, 29},
    {KVB_RESIDUAL_CARD, "before Ampere", 73, 92, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 59, 37, 35},
    {KVB_RESIDUAL_CARD, "unified memory", 112, 31, 41},
    {KVB_RESIDUAL_KIND, "", 102, 65, 209},
    {KVB_RESIDUAL_KIND, "dense", 51, 30, 79},
    {KVB_RESIDUAL_KIND, "experts", 191, 39, 18},
    {KVB_RESIDUAL_KIND, "latent attention", 83, 69, 12},
    {KVB_RESIDUAL_KIND, "pictures or sound", 87, 67, 4},
    {KVB_RESIDUAL_KIND, "sliding window", 94, 32, 38},
    {KVB_RESIDUAL_KIND, "state layers", 92, 40, 58},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
