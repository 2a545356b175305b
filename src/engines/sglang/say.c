// Sentences with values in them.
#include "engines/sglang/say.h"

#include <string.h>

#include <kvbudget/budget.h>

#include "base/text.h"

void kvb_sgl_say(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, const char *const values[])
{
    out[0] = '\0';
    while (*pattern != '\0') {
        size_t plain = strcspn(pattern, "{");
        kvb_append(out, KVB_ERROR_TEXT_CAPACITY, pattern, plain);
        pattern += plain;
        if (*pattern == '{') { // {0} to {7}, nothing else
            const char *text = values[pattern[1] - '0'];
            kvb_append(out, KVB_ERROR_TEXT_CAPACITY, text, strlen(text));
            pattern += 3;
        }
    }
}

// Digits of a count, no separators.
const char *kvb_sgl_digits(char out[24], uint64_t count)
{
    size_t at = 23;
    out[at] = '\0';
    do {
        out[--at] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    return out + at;
}

const char *kvb_sgl_backend_name(enum kvb_sgl_backend backend)
{
    static const char *const names[] = {
        [KVB_SGL_BACKEND_FLASHINFER] = "flashinfer",
        [KVB_SGL_BACKEND_TRITON] = "triton",
        [KVB_SGL_BACKEND_FA3] = "fa3",
        [KVB_SGL_BACKEND_FA4] = "fa4",
        [KVB_SGL_BACKEND_FLASHMLA] = "flashmla",
        [KVB_SGL_BACKEND_CUTLASS_MLA] = "cutlass_mla",
        [KVB_SGL_BACKEND_TRTLLM_MLA] = "trtllm_mla",
        [KVB_SGL_BACKEND_TRTLLM_MHA] = "trtllm_mha",
        [KVB_SGL_BACKEND_AITER] = "aiter",
        [KVB_SGL_BACKEND_SPARSE] = "dsa",
    };
    size_t count = sizeof names / sizeof names[0];
    return (size_t)backend < count && names[backend] != NULL ? names[backend] : "";
}
