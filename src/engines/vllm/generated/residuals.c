// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 103, 68, 239},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 90, 26, 62},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 67, 52, 31},
    {KVB_RESIDUAL_ERA, "0.20 and later", 60, 36, 127},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 106, 19},
    {KVB_RESIDUAL_CARD, "", 103, 68, 239},
    {KVB_RESIDUAL_CARD, "A100", 98, 52, 15},
    {KVB_RESIDUAL_CARD, "AMD", 103, 44, 19},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 38, 48, 54},
    {KVB_RESIDUAL_CARD, "Hopper and later", 71, 65, 35},
    {KVB_RESIDUAL_CARD, "before Ampere", 74, 94, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 46, 41, 50},
    {KVB_RESIDUAL_CARD, "unified memory", 112, 32, 42},
    {KVB_RESIDUAL_KIND, "", 103, 68, 239},
    {KVB_RESIDUAL_KIND, "dense", 46, 37, 96},
    {KVB_RESIDUAL_KIND, "experts", 102, 47, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 83, 71, 13},
    {KVB_RESIDUAL_KIND, "pictures or sound", 150, 81, 9},
    {KVB_RESIDUAL_KIND, "sliding window", 91, 32, 39},
    {KVB_RESIDUAL_KIND, "state layers", 81, 40, 60},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
