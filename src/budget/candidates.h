// Values worth trying that are the same for every engine: rungs of their ladders (struct kvb_rung).
#ifndef KVB_BUDGET_CANDIDATES_H
#define KVB_BUDGET_CANDIDATES_H

#include "budget/engine.h"

kvb_candidates_function kvb_try_fitting_length; // the longest that the cache holds
kvb_candidates_function kvb_try_fp8_weights;    // of weights in 16 bits, on GPUs that multiply in 8
kvb_candidates_function kvb_try_more_ranks;     // doubled, up to a machine's eight

#endif
