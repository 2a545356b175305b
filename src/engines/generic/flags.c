// What can be said to any engine: the share it takes, the length, the split and what elements its cache has.
#include "engines/generic/flags.h"

#define SETTING(what) .kind = KVB_SERVE_SETTING, .id = KVB_SET_##what

const struct kvb_serve_flag *kvb_generic_flag(unsigned index)
{
    static const struct kvb_word cache_words[] = {
        {"auto", KVB_KV_AUTO}, {"16bit", KVB_KV_16BIT}, {"fp8", KVB_KV_FP8}, {"8bit", KVB_KV_FP8}};
    static const struct kvb_serve_flag rows[] = {
        {.name = "gpu-memory-utilization",
         SETTING(GPU_MEMORY_UTILIZATION),
         .help = "share of the GPU's total it takes (0.98)"},
        {.name = "max-model-len", SETTING(MAX_MODEL_LEN)},
        {.name = "tensor-parallel-size", .short_name = "-tp", SETTING(TENSOR_PARALLEL_SIZE)},
        {.name = "dtype", SETTING(DTYPE)},
        {.name = "kv-cache-dtype",
         SETTING(KV_CACHE_DTYPE),
         .words = cache_words,
         .word_count = sizeof cache_words / sizeof cache_words[0],
         .help = "16bit or 8bit: what one cached element takes"},
        {.name = "kv-cache-memory-bytes", SETTING(KV_CACHE_MEMORY_BYTES)},
    };
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}
