// Made by scripts/release-tables from the release tags v0.2.0 to v0.28.0 of vllm-project/vllm; do not edit.
// Classes of the model registry (models/registry.py and what stood there before it).
#include "engines/vllm/release_tables.h"

// clang-format off
const struct kvb_known_class kvb_known_class_rows[] = {
#include "engines/vllm/generated/architectures_1.inc"
#include "engines/vllm/generated/architectures_2.inc"
#include "engines/vllm/generated/architectures_3.inc"
};
const unsigned kvb_known_class_row_count = sizeof kvb_known_class_rows / sizeof kvb_known_class_rows[0];
