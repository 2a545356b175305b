// Made by scripts/llamacpp-tables from the builds 2267 to 10469 of ggml-org/llama.cpp; do not edit.
// Words of flags that take one of a list.
#include "engines/llamacpp/known_flags.h"

// clang-format off
const struct kvb_llama_known_word kvb_llama_known_words[] = {
#include "engines/llamacpp/generated/words_1.inc"
};
// clang-format on
const size_t kvb_llama_known_word_count = sizeof kvb_llama_known_words / sizeof kvb_llama_known_words[0];
