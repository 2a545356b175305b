// The seats of llama.cpp and of Ollama, which starts a llama-server of its own.
#ifndef KVB_ENGINES_LLAMACPP_ENGINE_H
#define KVB_ENGINES_LLAMACPP_ENGINE_H

#include "budget/engine.h"

extern const struct kvb_engine_rows kvb_llamacpp_engine, kvb_ollama_engine;

#endif
