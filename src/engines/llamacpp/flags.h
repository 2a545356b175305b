// Flags, programs and variables of llama-server and of Ollama.
#ifndef KVB_ENGINES_LLAMACPP_FLAGS_H
#define KVB_ENGINES_LLAMACPP_FLAGS_H

#include "budget/serve_flag.h"

const struct kvb_serve_flag *kvb_llama_flag(unsigned index);
const struct kvb_serve_program *kvb_llama_programs(size_t *count);
const struct kvb_variable_row *kvb_llama_variables(size_t *count);

const struct kvb_serve_flag *kvb_ollama_flag(unsigned index);
const struct kvb_serve_program *kvb_ollama_programs(size_t *count);
const struct kvb_variable_row *kvb_ollama_variables(size_t *count);

#endif
