// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 95 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 288, 133, 137},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 288, 17, 59},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 16, 61, 17},
    {KVB_RESIDUAL_ERA, "0.20 and later", 189, 142, 48},
    {KVB_RESIDUAL_ERA, "to 0.10", 347, 321, 13},
    {KVB_RESIDUAL_CARD, "", 288, 133, 137},
    {KVB_RESIDUAL_CARD, "A100", 44, 2, 12},
    {KVB_RESIDUAL_CARD, "AMD", 344, 17, 23},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 105, 61, 43},
    {KVB_RESIDUAL_CARD, "Hopper and later", 772, 133, 20},
    {KVB_RESIDUAL_CARD, "before Ampere", 17, 321, 10},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 72, 19, 17},
    {KVB_RESIDUAL_CARD, "unified memory", 189, 142, 8},
    {KVB_RESIDUAL_KIND, "", 288, 133, 137},
    {KVB_RESIDUAL_KIND, "dense", 288, 110, 66},
    {KVB_RESIDUAL_KIND, "experts", 282, 26, 16},
    {KVB_RESIDUAL_KIND, "latent attention", 72, 115, 9},
    {KVB_RESIDUAL_KIND, "sliding window", 772, 142, 25},
    {KVB_RESIDUAL_KIND, "state layers", 189, 190, 17},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
