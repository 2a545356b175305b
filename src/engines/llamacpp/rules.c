// The builds that changed a size, what backends round to, formats of the cache.
#include <kvbudget/units.h>

#include "base/checked.h"
#include "engines/llamacpp/run.h"

// Source: the history of github.com/ggml-org/llama.cpp; each row names its file, the build is the number of commits up
// to the one that brought it.
static const uint32_t builds[KVB_LLAMA_RULE_COUNT] = {
    [KVB_LLAMA_CONTEXT_TRAINED_OLD] = 3087, // common/common.h, n_ctx = 0
    [KVB_LLAMA_CONTEXT_4096] = 4014,        // common/common.h, n_ctx = 4096
    [KVB_LLAMA_LATENT_CACHE] = 5137,        // src/llama-model.cpp, llm_build_deepseek2, with wk_b and wv_b
    [KVB_LLAMA_WINDOW_CACHE] = 5429,        // src/llama-kv-cache-unified-iswa.cpp
    [KVB_LLAMA_WINDOW_BY_UBATCH] = 5554,    // the same, size_swa
    [KVB_LLAMA_FUSED_GATE] = 5776,          // ggml_swiglu_split in build_ffn
    [KVB_LLAMA_STREAMS] = 6071,       // src/llama-context.cpp: b5913 has them, and forces one without LLAMA_SET_ROWS
    [KVB_LLAMA_ROWS_BY_INDEX] = 6071, // ggml_set_rows in cpy_k and cpy_v: LLAMA_SET_ROWS by default
    [KVB_LLAMA_FLASH_AUTO] = 6325,    // src/llama-context.cpp, LLAMA_FLASH_ATTN_TYPE_AUTO
    [KVB_LLAMA_PAD_256] = 6975,       // src/llama-context.cpp, GGML_PAD(cparams.n_ctx, 256)
    [KVB_LLAMA_FIT] = 7407,           // src/llama.cpp, llama_params_fit
    [KVB_LLAMA_SLOTS_4] = 6925,       // tools/server/server.cpp, n_parallel = 4
    [KVB_LLAMA_SLOTS_WITHOUT_DRAFT] = 6958, // the same, !has_speculative()
    [KVB_LLAMA_SLOTS_AUTO] = 7433,          // the same, n_parallel < 0 instead of 1
    [KVB_LLAMA_OUTPUT_FIRST] = 7467,        // src/llama-model.cpp, i_gpu_start
    [KVB_LLAMA_CHOSEN_ROWS] = 2540,         // llama.cpp, build_inp_out_ids
    [KVB_LLAMA_EMBEDDING_INPUT] = 7819,     // src/llama-graph.cpp, build_inp_embd: tokens and embeddings
    [KVB_LLAMA_LATENT_WITHOUT_V] = 7832,    // src/llama-kv-cache.cpp, has_v
    [KVB_LLAMA_MASK_F16] = 9410,            // src/llama-graph.cpp, the type of self_kq_mask
    [KVB_LLAMA_FEW_OUTPUTS] = 9460,         // tools/server/server-context.cpp, server_n_outputs_max
    [KVB_LLAMA_CACHE_CAST] = 9489,          // ggml-cuda/fattn.cu with a quantised cache
    [KVB_LLAMA_ROTATED] = 8619,             // src/llama-kv-cache.cpp, build_input_k_rot
    [KVB_LLAMA_ONE_DRAFT] = 9109,           // common/speculative.cpp, pull request 22838
    [KVB_LLAMA_DRAFT_TYPES] = 5709,         // common/arg.cpp, -ctkd and -ctvd
};

uint32_t kvb_llama_rule_build(enum kvb_llama_rule rule)
{
    return builds[rule];
}

bool kvb_llama_since(const struct kvb_llama_run *run, enum kvb_llama_rule rule)
{
    return run->build >= builds[rule];
}

const struct kvb_llama_backend_row *kvb_llama_backend_row_of(enum kvb_llama_backend backend)
{
    // Pipelines: async and events in get_props (ggml-vulkan.cpp has both since b7501). Alignment: get_alignment of each
    // backend's buffer type; what lies in no buffer: "unaccounted" of the memory breakdown in public logs, 400 to 750
    // MiB on cards with nothing else running.
    static const struct kvb_llama_backend_row rows[KVB_LLAMA_BACKEND_COUNT] = {
        [KVB_LLAMA_CPU] = {"CPU", 64, 0, 0, false, 0, 0, 0},
        [KVB_LLAMA_CUDA] = {"CUDA", 128, 512, KVB_LLAMA_OLDEST, true, 400 * KVB_MIB, 550 * KVB_MIB, 750 * KVB_MIB},
        [KVB_LLAMA_ROCM] = {"ROCm", 128, 512, KVB_LLAMA_OLDEST, true, 250 * KVB_MIB, 500 * KVB_MIB, 900 * KVB_MIB},
        [KVB_LLAMA_VULKAN] = {"Vulkan", 128, 0, 7501, true, 50 * KVB_MIB, 250 * KVB_MIB, 600 * KVB_MIB},
        [KVB_LLAMA_METAL] = {"Metal", 32, 0, 0, false, 20 * KVB_MIB, 100 * KVB_MIB, 400 * KVB_MIB},
        [KVB_LLAMA_SYCL] = {"SYCL", 128, 512, 0, true, 100 * KVB_MIB, 400 * KVB_MIB, 900 * KVB_MIB},
        [KVB_LLAMA_CANN] = {"CANN", 128, 0, 0, false, 100 * KVB_MIB, 500 * KVB_MIB, 1000 * KVB_MIB},
    };
    return &rows[backend < KVB_LLAMA_BACKEND_COUNT ? backend : KVB_LLAMA_CPU];
}

// Source: ggml/src/ggml-common.h, sizes of blocks of 32.
static const struct {
    const char *name;
    uint32_t bytes_per_32;
} caches[KVB_LLAMA_CACHE_COUNT] = {
    [KVB_LLAMA_CACHE_F16] = {"f16", 64},       [KVB_LLAMA_CACHE_F32] = {"f32", 128},
    [KVB_LLAMA_CACHE_BF16] = {"bf16", 64},     [KVB_LLAMA_CACHE_Q8_0] = {"q8_0", 34},
    [KVB_LLAMA_CACHE_Q5_1] = {"q5_1", 24},     [KVB_LLAMA_CACHE_Q5_0] = {"q5_0", 22},
    [KVB_LLAMA_CACHE_Q4_1] = {"q4_1", 20},     [KVB_LLAMA_CACHE_Q4_0] = {"q4_0", 18},
    [KVB_LLAMA_CACHE_IQ4_NL] = {"iq4_nl", 18},
};

const char *kvb_llama_cache_name(enum kvb_llama_cache cache)
{
    return caches[cache < KVB_LLAMA_CACHE_COUNT ? cache : 0].name;
}

uint64_t kvb_llama_cache_bytes(enum kvb_llama_cache cache, uint64_t elements)
{
    uint32_t block = caches[cache < KVB_LLAMA_CACHE_COUNT ? cache : 0].bytes_per_32;
    return kvb_mul(elements, block) / 32;
}
