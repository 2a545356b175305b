// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 103, 75, 239},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 90, 28, 62},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 67, 55, 31},
    {KVB_RESIDUAL_ERA, "0.20 and later", 59, 37, 124},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 110, 19},
    {KVB_RESIDUAL_CARD, "", 103, 75, 239},
    {KVB_RESIDUAL_CARD, "A100", 98, 57, 15},
    {KVB_RESIDUAL_CARD, "AMD", 103, 48, 19},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 38, 50, 54},
    {KVB_RESIDUAL_CARD, "Hopper and later", 76, 68, 35},
    {KVB_RESIDUAL_CARD, "before Ampere", 74, 99, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 46, 44, 50},
    {KVB_RESIDUAL_CARD, "unified memory", 112, 34, 42},
    {KVB_RESIDUAL_KIND, "", 103, 75, 239},
    {KVB_RESIDUAL_KIND, "dense", 46, 39, 96},
    {KVB_RESIDUAL_KIND, "experts", 102, 54, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 86, 75, 13},
    {KVB_RESIDUAL_KIND, "pictures or sound", 150, 86, 9},
    {KVB_RESIDUAL_KIND, "sliding window", 91, 35, 39},
    {KVB_RESIDUAL_KIND, "state layers", 81, 42, 60},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
