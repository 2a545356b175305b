// What can be said to any engine.
#ifndef KVB_ENGINES_GENERIC_FLAGS_H
#define KVB_ENGINES_GENERIC_FLAGS_H

#include "budget/serve_flag.h"

const struct kvb_serve_flag *kvb_generic_flag(unsigned index);

#endif
