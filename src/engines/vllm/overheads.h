// Figures that vLLM's code does not say, by the row of overheads.inc, which names the runs of each.
#ifndef KVB_ENGINES_VLLM_OVERHEADS_H
#define KVB_ENGINES_VLLM_OVERHEADS_H

#include <stdint.h>

enum kvb_overhead {
#define KVB_OVERHEAD(name, ...) KVB_OVERHEAD_##name,
#include "engines/vllm/overheads.inc"
#undef KVB_OVERHEAD
    KVB_OVERHEAD_COUNT
};

// In the unit of the row; low and high are 0 where a figure has no range of its own.
struct kvb_overhead_row {
    int32_t likely;
    uint32_t low, high;
    const char *runs, *what;
};

const struct kvb_overhead_row *kvb_overhead_of(enum kvb_overhead overhead);

#endif
