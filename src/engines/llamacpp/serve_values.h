// Whether a build takes a value of a flag.
#ifndef KVB_ENGINES_LLAMACPP_SERVE_VALUES_H
#define KVB_ENGINES_LLAMACPP_SERVE_VALUES_H

#include "engines/llamacpp/known_flags.h"

bool kvb_llama_takes(const struct kvb_llama_known_flag *row, uint32_t build, const char *value, size_t size);
bool kvb_llama_is_whole_number(const char *value, size_t size); // what stoi() takes

#endif
