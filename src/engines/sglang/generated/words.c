// Made by scripts/sglang-tables from the releases 0.2.0 to 0.5.18 of sgl-project/sglang; do not edit.
// Words of the flags of python/sglang/srt/server_args.py that take one of a list (choices=, Literal).
#include "engines/sglang/known_flags.h"

// clang-format off
const struct kvb_sgl_known_word kvb_sgl_known_words[] = {
#include "engines/sglang/generated/words_1.inc"
#include "engines/sglang/generated/words_2.inc"
};
// clang-format on
const size_t kvb_sgl_known_word_count = sizeof kvb_sgl_known_words / sizeof kvb_sgl_known_words[0];
