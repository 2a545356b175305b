// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 103, 79, 291},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 84, 31, 60},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 94, 54, 38},
    {KVB_RESIDUAL_ERA, "0.20 and later", 68, 43, 164},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 111, 19},
    {KVB_RESIDUAL_CARD, "", 103, 79, 291},
    {KVB_RESIDUAL_CARD, "A100", 97, 59, 18},
    {KVB_RESIDUAL_CARD, "AMD", 103, 103, 25},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 52, 50, 78},
    {KVB_RESIDUAL_CARD, "Hopper and later", 74, 68, 40},
    {KVB_RESIDUAL_CARD, "before Ampere", 72, 103, 11},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 50, 39, 61},
    {KVB_RESIDUAL_CARD, "unified memory", 121, 66, 44},
    {KVB_RESIDUAL_KIND, "", 103, 79, 291},
    {KVB_RESIDUAL_KIND, "dense", 45, 42, 109},
    {KVB_RESIDUAL_KIND, "experts", 102, 50, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 87, 84, 18},
    {KVB_RESIDUAL_KIND, "pictures or sound", 157, 89, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 91, 34, 46},
    {KVB_RESIDUAL_KIND, "state layers", 87, 50, 86},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
