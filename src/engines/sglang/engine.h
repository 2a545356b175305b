// SGLang in the seat of an engine.
#ifndef KVB_ENGINES_SGLANG_ENGINE_H
#define KVB_ENGINES_SGLANG_ENGINE_H

#include "budget/engine.h"

extern const struct kvb_engine_rows kvb_sglang_engine;

#endif
