// Made by scripts/release-tables from the release tags v0.2.0 to v0.28.0 of vllm-project/vllm; do not edit.
// Capabilities with kernels in the published image (docker/Dockerfile) and the least the build takes.
#include "engines/vllm/release_tables.h"

// clang-format off
const struct kvb_known_kernels kvb_known_kernels_rows[] = {
    {20000, 20400, 70, false, {70, 75, 80, 86, 89, 90}},
    {20400, 90000, 70, true, {70, 75, 80, 86, 89, 90}},
    {90000, 90200, 70, true, {70, 75, 80, 89, 90, 100}},
    {90200, 200000, 70, false, {70, 75, 80, 89, 90, 100, 120}},
    {200000, 240000, 70, true, {75, 80, 86, 89, 90, 100, 110, 120}},
    {240000, 0, 70, false, {75, 80, 86, 89, 90, 100, 110, 120}},
};
const unsigned kvb_known_kernels_row_count = sizeof kvb_known_kernels_rows / sizeof kvb_known_kernels_rows[0];
