// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 93 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 168, 75, 217},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 200, 28, 62},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 117, 56, 29},
    {KVB_RESIDUAL_ERA, "0.20 and later", 100, 38, 111},
    {KVB_RESIDUAL_ERA, "to 0.10", 151, 148, 15},
    {KVB_RESIDUAL_CARD, "", 168, 75, 217},
    {KVB_RESIDUAL_CARD, "A100", 136, 57, 14},
    {KVB_RESIDUAL_CARD, "AMD", 215, 40, 23},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 77, 53, 47},
    {KVB_RESIDUAL_CARD, "Hopper and later", 133, 69, 28},
    {KVB_RESIDUAL_CARD, "before Ampere", 117, 99, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 110, 39, 43},
    {KVB_RESIDUAL_CARD, "unified memory", 149, 65, 41},
    {KVB_RESIDUAL_KIND, "", 168, 75, 217},
    {KVB_RESIDUAL_KIND, "dense", 111, 48, 78},
    {KVB_RESIDUAL_KIND, "experts", 225, 44, 18},
    {KVB_RESIDUAL_KIND, "latent attention", 127, 75, 19},
    {KVB_RESIDUAL_KIND, "pictures or sound", 141, 75, 4},
    {KVB_RESIDUAL_KIND, "sliding window", 164, 35, 41},
    {KVB_RESIDUAL_KIND, "state layers", 116, 43, 57},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
