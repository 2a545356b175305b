// Made by scripts/release-tables from the release tags v0.2.0 to v0.28.0 of vllm-project/vllm; do not edit.
// Words that a flag's value is one of (choices of engine/arg_utils.py, Literal types, registered parsers).
#include "engines/vllm/release_tables.h"

// clang-format off
const struct kvb_known_choice kvb_known_choice_rows[] = {
#include "engines/vllm/generated/choices_1.inc"
#include "engines/vllm/generated/choices_2.inc"
#include "engines/vllm/generated/choices_3.inc"
};
const unsigned kvb_known_choice_row_count = sizeof kvb_known_choice_rows / sizeof kvb_known_choice_rows[0];
