// Made by scripts/llamacpp-tables from the builds 2267 to 10469 of ggml-org/llama.cpp; do not edit.
// Variables that stand for a flag (set_env).
#include "engines/llamacpp/known_flags.h"

// clang-format off
const struct kvb_llama_known_variable kvb_llama_known_variables[] = {
#include "engines/llamacpp/generated/variables_1.inc"
};
// clang-format on
const size_t kvb_llama_known_variable_count = sizeof kvb_llama_known_variables / sizeof kvb_llama_known_variables[0];
