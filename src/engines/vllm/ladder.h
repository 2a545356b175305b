// Settings to try when a deployment does not fit, least harm first: one row each.
#ifndef KVB_ENGINES_VLLM_LADDER_H
#define KVB_ENGINES_VLLM_LADDER_H

#include "engines/vllm/context.h"

#define KVB_CANDIDATES_MAX 16
#define KVB_WHOLE_PPM 1000000U

// Writes values to try, mildest first; returns how many.
typedef uint32_t kvb_candidates_function(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                         uint64_t out[KVB_CANDIDATES_MAX]);

struct kvb_rung {
    enum kvb_setting setting;
    kvb_candidates_function *candidates;
    bool last_resort; // asks for other hardware or another model
    bool warns;       // listed although it makes things worse: people reach for it
    const char *why;
};

const struct kvb_rung *kvb_rungs(size_t *count);

#endif
