// First and last release of flags without a row among the settings, from vllm/engine/arg_utils.py of the releases.
#include "engines/vllm/serve_since.h"

#include <string.h>

#include <kvbudget/plan.h>

#define R(major, minor, patch) KVB_RELEASE(major, minor, patch)

static const struct kvb_serve_range rows[] = {
    {"calculate-kv-scales", R(0, 7, 0), 0},
    {"compilation-config", R(0, 6, 5), 0},
    {"config", R(0, 6, 0), 0},
    {"cuda-graph-sizes", R(0, 9, 0), R(0, 12, 0)},
    {"cudagraph-capture-sizes", R(0, 11, 1), 0},
    {"device-ids", R(0, 24, 0), 0},
    {"enable-cumem-allocator", R(0, 22, 0), 0},
    {"enable-dbo", R(0, 11, 0), 0},
    {"enable-eplb", R(0, 9, 2), 0},
    {"enable-multimodal-encoder-data-parallel", R(0, 9, 1), R(0, 12, 0)},
    {"hf-overrides", R(0, 6, 4), 0},
    {"kv-cache-dtype-skip-layers", R(0, 19, 0), 0},
    {"kv-offloading-backend", R(0, 11, 1), 0},
    {"kv-offloading-size", R(0, 11, 1), 0},
    {"kv-transfer-config", R(0, 6, 5), 0},
    {"limit-mm-per-prompt", R(0, 5, 5), 0},
    {"long-prefill-token-threshold", R(0, 7, 3), 0},
    {"lora-extra-vocab-size", 0, R(0, 11, 2)},
    {"max-long-partial-prefills", R(0, 7, 3), R(0, 26, 0)},
    {"max-num-partial-prefills", R(0, 7, 3), R(0, 26, 0)},
    {"max-seq-len-to-capture", 0, R(0, 10, 2)},
    {"mm-encoder-only", R(0, 15, 0), 0},
    {"mm-processor-cache-gb", R(0, 10, 1), 0},
    {"mm-processor-kwargs", R(0, 6, 2), 0},
    {"moe-backend", R(0, 17, 0), 0},
    {"num-lookahead-slots", 0, R(0, 11, 2)},
    {"num-redundant-experts", R(0, 9, 2), R(0, 11, 2)},
    {"num-scheduler-steps", R(0, 5, 5), R(0, 10, 0)},
    {"num-speculative-tokens", R(0, 4, 1), R(0, 8, 2)},
    {"optimization-level", R(0, 12, 0), 0},
    {"preemption-mode", R(0, 5, 1), R(0, 10, 2)},
    {"rope-scaling", 0, R(0, 11, 0)},
    {"spec-method", R(0, 22, 0), 0},
    {"spec-model", R(0, 22, 0), 0},
    {"spec-tokens", R(0, 22, 0), 0},
    {"speculative-config", R(0, 8, 2), 0},
    {"speculative-model", R(0, 4, 1), R(0, 8, 2)},
    {"use-v2-block-manager", R(0, 4, 0), R(0, 9, 2)},
};

bool kvb_serve_range_at(unsigned index, struct kvb_serve_range *range)
{
    if (index >= sizeof rows / sizeof rows[0]) {
        return false;
    }
    *range = rows[index];
    return true;
}

bool kvb_serve_range_find(const char *name, struct kvb_serve_range *range)
{
    for (unsigned i = 0; kvb_serve_range_at(i, range); i++) {
        if (strcmp(range->name, name) == 0) {
            return true;
        }
    }
    return false;
}
