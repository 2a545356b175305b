// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 94, 79, 366},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 70, 30, 81},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 72, 52, 44},
    {KVB_RESIDUAL_ERA, "0.20 and later", 45, 43, 211},
    {KVB_RESIDUAL_ERA, "to 0.10", 79, 112, 19},
    {KVB_RESIDUAL_CARD, "", 94, 79, 366},
    {KVB_RESIDUAL_CARD, "A100", 92, 59, 18},
    {KVB_RESIDUAL_CARD, "AMD", 94, 53, 31},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 30, 45, 112},
    {KVB_RESIDUAL_CARD, "Hopper and later", 64, 68, 45},
    {KVB_RESIDUAL_CARD, "before Ampere", 61, 107, 14},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 55, 32, 89},
    {KVB_RESIDUAL_CARD, "unified memory", 107, 85, 43},
    {KVB_RESIDUAL_KIND, "", 94, 79, 366},
    {KVB_RESIDUAL_KIND, "dense", 42, 46, 146},
    {KVB_RESIDUAL_KIND, "experts", 82, 35, 29},
    {KVB_RESIDUAL_KIND, "latent attention", 81, 83, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 154, 90, 11},
    {KVB_RESIDUAL_KIND, "sliding window", 55, 33, 49},
    {KVB_RESIDUAL_KIND, "state layers", 69, 45, 117},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
