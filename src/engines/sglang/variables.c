// Environment variables that SGLang reads and that move memory. Source: python/sglang/srt/environ.py and server_args.py
// by release.
#include <string.h>

#include "engines/sglang/serve.h"

const struct kvb_variable_row *kvb_sgl_variables(size_t *count)
{
    static const struct kvb_variable_row rows[] = {
        KVB_VARIABLE_SWITCH("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", allow_long_max_model_len),
        {.name = "SGLANG_MAMBA_SSM_DTYPE",
         .read = kvb_variable_setting,
         .setting = KVB_SET_MAMBA_SSM_CACHE_DTYPE,
         .expected = "float32, bfloat16 or float16"},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

// What a rule of a line compares with (serve_rules.h, @chunk).
bool kvb_sgl_notes_variable(const char *name)
{
    return strcmp(name, "SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK") == 0 ||
           strcmp(name, "SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK") == 0 ||
           strcmp(name, "SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK") == 0;
}
