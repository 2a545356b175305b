// The rows of overheads.inc by their names.
#include "engines/vllm/overheads.h"

const struct kvb_overhead_row *kvb_overhead_of(enum kvb_overhead overhead)
{
    static const struct kvb_overhead_row rows[KVB_OVERHEAD_COUNT] = {
#define KVB_OVERHEAD(name, likely, low, high, figure, step, below, above, runs, what)                                  \
    [KVB_OVERHEAD_##name] = {likely, low, high, runs, what},
#include "engines/vllm/overheads.inc"
#undef KVB_OVERHEAD
    };
    return &rows[overhead];
}
