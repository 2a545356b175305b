// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 95 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 288, 115, 212},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 288, 18, 62},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 133, 61, 29},
    {KVB_RESIDUAL_ERA, "0.20 and later", 177, 41, 106},
    {KVB_RESIDUAL_ERA, "to 0.10", 347, 362, 15},
    {KVB_RESIDUAL_CARD, "", 288, 115, 212},
    {KVB_RESIDUAL_CARD, "A100", 133, 41, 14},
    {KVB_RESIDUAL_CARD, "AMD", 344, 17, 23},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 103, 199, 47},
    {KVB_RESIDUAL_CARD, "Hopper and later", 772, 133, 25},
    {KVB_RESIDUAL_CARD, "before Ampere", 17, 321, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 116, 38, 44},
    {KVB_RESIDUAL_CARD, "unified memory", 421, 25, 38},
    {KVB_RESIDUAL_KIND, "", 288, 115, 212},
    {KVB_RESIDUAL_KIND, "dense", 288, 133, 78},
    {KVB_RESIDUAL_KIND, "experts", 421, 23, 18},
    {KVB_RESIDUAL_KIND, "latent attention", 222, 115, 16},
    {KVB_RESIDUAL_KIND, "sliding window", 772, 167, 38},
    {KVB_RESIDUAL_KIND, "state layers", 159, 58, 58},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
