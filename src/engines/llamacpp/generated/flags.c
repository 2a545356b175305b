// Made by scripts/llamacpp-tables from the builds 2267 to 10469 of ggml-org/llama.cpp; do not edit.
// Flags of llama-server and llama-cli with the builds that take them.
#include "engines/llamacpp/known_flags.h"

// clang-format off
#define ANY INT32_MIN, INT32_MAX, false // bounds of an int
const char kvb_llama_sentences[][KVB_LLAMA_SENTENCE] = {
    "",
    "Unsupported cache type: %s",
    "checkpoint-min-step must be non-negative",
    "control-vector-scaled format: FNAME:SCALE",
    "error: frequency-penalty must be finite",
    "error: invalid dry-penalty-last-n = %d",
    "error: invalid repeat-last-n = %d",
    "error: invalid value for n_parallel",
    "error: presence-penalty must be finite",
    "error: repeat-penalty must be finite and greater than 0",
    "error: unknown value for --color: '%s'",
    "error: unknown value for --fit: '%s'",
    "error: unknown value for --flash-attn: '%s'",
    "error: unknown value for --log-colors: '%s'",
    "error: unknown value for --reasoning: '%s'",
    "error: unkown value for --fit: '%s'",
    "error: unkown value for --flash-attn: '%s'",
    "error: unkown value for --log-colors: '%s'",
    "invalid input format",
    "invalid value",
    "invalid value: cannot be 0 or less than -1",
    "lora-scaled format: FNAME:SCALE",
    "ngram check rate must be at least 1",
    "ngram min hits must be at least 1",
    "ngram n-max must be between 0 and 1024 inclusive",
    "ngram n-min must be between 0 and 1024 inclusive",
    "ngram size M must be between 1 and 1024 inclusive",
    "ngram size N must be between 1 and 1024 inclusive",
    "the argument has been removed. use --spec-draft-n-max or --spec-ngram-mod-n-max",
    "the argument has been removed. use --spec-draft-n-min or --spec-ngram-mod-n-min",
    "the argument has been removed. use the respective --spec-ngram-*-min-hits",
    "the argument has been removed. use the respective --spec-ngram-*-size-m",
    "the argument has been removed. use the respective --spec-ngram-*-size-n",
    "unknown speculative decoding type without draft model",
};
const struct kvb_llama_known_flag kvb_llama_known_flags[] = {
#include "engines/llamacpp/generated/flags_1.inc"
#include "engines/llamacpp/generated/flags_2.inc"
#include "engines/llamacpp/generated/flags_3.inc"
};
// clang-format on
const size_t kvb_llama_known_flag_count = sizeof kvb_llama_known_flags / sizeof kvb_llama_known_flags[0];
