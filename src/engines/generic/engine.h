// Any engine at all: a share of the card, weights, what is stated of the rest, and the KV cache is what is left.
#ifndef KVB_ENGINES_GENERIC_ENGINE_H
#define KVB_ENGINES_GENERIC_ENGINE_H

#include "budget/engine.h"

extern const struct kvb_engine_rows kvb_generic_engine;

#endif
