// Made by scripts/sglang-tables from the releases 0.2.0 to 0.5.18 of sgl-project/sglang; do not edit.
// Flags of python/sglang/srt/server_args.py (add_cli_args, and annotated fields from 0.5.14 on).
#include "engines/sglang/known_flags.h"

// clang-format off
const struct kvb_sgl_known_flag kvb_sgl_known_flags[] = {
#include "engines/sglang/generated/flags_1.inc"
#include "engines/sglang/generated/flags_2.inc"
};
// clang-format on
const size_t kvb_sgl_known_flag_count = sizeof kvb_sgl_known_flags / sizeof kvb_sgl_known_flags[0];
