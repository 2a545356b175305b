// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 102, 76, 303},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 84, 35, 60},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 92, 53, 38},
    {KVB_RESIDUAL_ERA, "0.20 and later", 63, 42, 175},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 110, 19},
    {KVB_RESIDUAL_CARD, "", 102, 76, 303},
    {KVB_RESIDUAL_CARD, "A100", 96, 57, 18},
    {KVB_RESIDUAL_CARD, "AMD", 102, 54, 28},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 40, 49, 87},
    {KVB_RESIDUAL_CARD, "Hopper and later", 73, 67, 40},
    {KVB_RESIDUAL_CARD, "before Ampere", 71, 100, 11},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 56, 38, 61},
    {KVB_RESIDUAL_CARD, "unified memory", 121, 65, 44},
    {KVB_RESIDUAL_KIND, "", 102, 76, 303},
    {KVB_RESIDUAL_KIND, "dense", 45, 47, 108},
    {KVB_RESIDUAL_KIND, "experts", 98, 48, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 87, 82, 18},
    {KVB_RESIDUAL_KIND, "pictures or sound", 156, 87, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 93, 38, 46},
    {KVB_RESIDUAL_KIND, "state layers", 77, 46, 99},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
