// Sentences with values in them.
#ifndef KVB_ENGINES_SGLANG_SAY_H
#define KVB_ENGINES_SGLANG_SAY_H

#include <stdint.h>

#include <kvbudget/budget.h>

#include "engines/sglang/context.h"

// "{0}" to "{7}" in the pattern are replaced by the values.
void kvb_sgl_say(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, const char *const values[]);
// Digits of a count, no separators.
const char *kvb_sgl_digits(char out[24], uint64_t count);
const char *kvb_sgl_backend_name(enum kvb_sgl_backend backend); // ""; the engine's, or no name here

#endif
