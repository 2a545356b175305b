// Which releases know a flag of `vllm serve` that is no setting of ours.
#ifndef KVB_ENGINES_VLLM_SERVE_SINCE_H
#define KVB_ENGINES_VLLM_SERVE_SINCE_H

#include <stdbool.h>
#include <stdint.h>

struct kvb_serve_range {
    const char *name;      // dashes inside, none in front
    uint32_t since, until; // 0 = no end on that side
};

// One after the other; false behind the last.
bool kvb_serve_range_at(unsigned index, struct kvb_serve_range *range);
// False: every release knows it, or it is not known here.
bool kvb_serve_range_find(const char *name, struct kvb_serve_range *range);

#endif
