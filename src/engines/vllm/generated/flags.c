// Made by scripts/release-tables from the release tags v0.2.0 to v0.28.0 of vllm-project/vllm; do not edit.
// Flags of the server (engine/arg_utils.py, entrypoints/openai, the config classes behind them).
#include "engines/vllm/release_tables.h"

// clang-format off
const struct kvb_known_flag kvb_known_flag_rows[] = {
#include "engines/vllm/generated/flags_1.inc"
#include "engines/vllm/generated/flags_2.inc"
};
const unsigned kvb_known_flag_row_count = sizeof kvb_known_flag_rows / sizeof kvb_known_flag_rows[0];
