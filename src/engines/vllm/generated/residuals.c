// Made by scripts/residuals from the runs of tests/field/runs.csv that fed no constant; do not edit.
// Hundredths of the terms' margin below and above the pool that 90 % of the residuals stay within.
#include "engines/vllm/residual.h"

// clang-format off
const struct kvb_residual_row kvb_residual_rows[] = {
    {KVB_RESIDUAL_ERA, "", 102, 75, 250},
    {KVB_RESIDUAL_ERA, "0.11 to 0.16", 89, 28, 60},
    {KVB_RESIDUAL_ERA, "0.17 to 0.19", 66, 55, 31},
    {KVB_RESIDUAL_ERA, "0.20 and later", 49, 41, 135},
    {KVB_RESIDUAL_ERA, "to 0.10", 84, 110, 19},
    {KVB_RESIDUAL_CARD, "", 102, 75, 250},
    {KVB_RESIDUAL_CARD, "A100", 96, 91, 18},
    {KVB_RESIDUAL_CARD, "AMD", 102, 47, 21},
    {KVB_RESIDUAL_CARD, "Ampere and Ada", 36, 49, 59},
    {KVB_RESIDUAL_CARD, "Hopper and later", 75, 68, 36},
    {KVB_RESIDUAL_CARD, "before Ampere", 71, 100, 11},
    {KVB_RESIDUAL_CARD, "consumer Blackwell", 45, 40, 52},
    {KVB_RESIDUAL_CARD, "unified memory", 112, 43, 39},
    {KVB_RESIDUAL_KIND, "", 102, 75, 250},
    {KVB_RESIDUAL_KIND, "dense", 46, 34, 99},
    {KVB_RESIDUAL_KIND, "experts", 101, 48, 22},
    {KVB_RESIDUAL_KIND, "latent attention", 85, 75, 14},
    {KVB_RESIDUAL_KIND, "pictures or sound", 156, 87, 10},
    {KVB_RESIDUAL_KIND, "sliding window", 91, 34, 42},
    {KVB_RESIDUAL_KIND, "state layers", 81, 51, 63},
};
// clang-format on
const size_t kvb_residual_row_count = sizeof kvb_residual_rows / sizeof kvb_residual_rows[0];
