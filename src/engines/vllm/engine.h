// vLLM's seat among the engines.
#ifndef KVB_ENGINES_VLLM_ENGINE_H
#define KVB_ENGINES_VLLM_ENGINE_H

#include "budget/engine.h"

extern const struct kvb_engine_rows kvb_vllm_engine;

#endif
