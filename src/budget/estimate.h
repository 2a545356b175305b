// A modelled figure with its range.
#ifndef KVB_BUDGET_ESTIMATE_H
#define KVB_BUDGET_ESTIMATE_H

#include <stdint.h>

struct kvb_estimate {
    uint64_t bytes, low_bytes, high_bytes;
};

#endif
