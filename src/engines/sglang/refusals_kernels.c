// When a release refuses a kernel of attention: its card, what it does not do, what it keeps keys and values in.
// Source: as refusals.c.
#include "engines/sglang/refusal_rules.h"

#include <string.h>

#include "budget/gpu_facts.h"
#include "budget/shapes.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define ONE(backend) (1U << KVB_SGL_BACKEND_##backend)

static bool asks(const struct kvb_sgl_setup *setup, enum kvb_sgl_backend backend)
{
    return setup->backend_asked == backend;
}

// Whether the backend asked for has a name here and is none of those in the mask.
static bool asks_beside(const struct kvb_sgl_setup *setup, uint32_t mask)
{
    enum kvb_sgl_backend asked = setup->backend_asked;
    bool named = asked != KVB_SGL_BACKEND_AUTO && asked != KVB_SGL_BACKEND_OTHER;
    return named && (mask >> asked & 1U) == 0;
}

static bool is_sm100(const struct kvb_sgl_setup *setup)
{
    return setup->cuda && setup->compute_capability >= KVB_CAPABILITY_BLACKWELL &&
           setup->compute_capability < KVB_CAPABILITY_THOR;
}

static bool is_blackwell(const struct kvb_sgl_setup *setup)
{
    return is_sm100(setup) || (setup->cuda && setup->compute_capability >= KVB_CAPABILITY_CONSUMER_BLACKWELL);
}

bool kvb_sgl_mla_kernels_elsewhere(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    bool has = setup->release < R(5, 9) ? is_sm100(setup) : is_blackwell(setup);
    return asks(setup, KVB_SGL_BACKEND_TRTLLM_MLA) && !has;
}

bool kvb_sgl_mha_kernels_elsewhere(const struct kvb_sgl_context *context)
{
    return asks(&context->setup, KVB_SGL_BACKEND_TRTLLM_MHA) && !is_sm100(&context->setup);
}

bool kvb_sgl_mla_kernels_with_draft(const struct kvb_sgl_context *context)
{
    return asks(&context->setup, KVB_SGL_BACKEND_TRTLLM_MLA) && context->setup.draft != KVB_SGL_DRAFT_NONE;
}

bool kvb_sgl_mla_kernels_with_e5m2(const struct kvb_sgl_context *context)
{
    return asks(&context->setup, KVB_SGL_BACKEND_TRTLLM_MLA) &&
           kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_FP8_E5M2;
}

bool kvb_sgl_sparse_with_e5m2(const struct kvb_sgl_context *context)
{
    const struct kvb_attention_shape *first = &kvb_kind_of(context->setup.model, 0)->attention;
    return first->kind == KVB_ATTENTION_MLA && first->index_heads > 0 &&
           kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_FP8_E5M2;
}

bool kvb_sgl_e4m3_cache(const struct kvb_sgl_context *context)
{
    return kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_FP8_E4M3;
}

bool kvb_sgl_fa4_decodes(const struct kvb_sgl_context *context)
{
    return asks(&context->setup, KVB_SGL_BACKEND_FA4);
}

bool kvb_sgl_undetermined(const struct kvb_sgl_context *context)
{
    uint32_t takes = ONE(FLASHINFER) | ONE(FA3) | ONE(TRITON) | (context->setup.release >= R(5, 16) ? ONE(FA4) : 0);
    return context->setup.deterministic && asks_beside(&context->setup, takes);
}

// Latents of DeepSeek; V3.2 chooses its own kernels.
bool kvb_sgl_latents_undetermined(const struct kvb_sgl_context *context)
{
    uint32_t takes = ONE(FA3) | ONE(TRITON) | (context->setup.release >= R(5, 17) ? ONE(FA4) : 0);
    bool latent = kvb_sgl_is_named(&context->setup, "DeepseekV2ForCausalLM") ||
                  kvb_sgl_is_named(&context->setup, "DeepseekV3ForCausalLM");
    return latent && context->setup.deterministic && asks_beside(&context->setup, takes);
}

bool kvb_sgl_mxfp8_elsewhere(const struct kvb_sgl_context *context)
{
    return context->setup.mxfp8 && !is_blackwell(&context->setup);
}

bool kvb_sgl_nvfp4_elsewhere(const struct kvb_sgl_context *context)
{
    bool asked = kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE) == KVB_KV_NVFP4;
    return asked && context->setup.cuda && !is_blackwell(&context->setup);
}

bool kvb_sgl_sinks_elsewhere(const struct kvb_sgl_context *context)
{
    uint32_t takes = ONE(TRITON) | ONE(TRTLLM_MHA) | ONE(FA3);
    takes |= context->setup.release >= R(5, 3) + 1 ? ONE(FA4) : 0;
    takes |= context->setup.release >= R(5, 10) ? ONE(AITER) : 0;
    return kvb_sgl_is_named(&context->setup, "GptOssForCausalLM") && asks_beside(&context->setup, takes);
}

// Chunked attention: the list grows by releases.
bool kvb_sgl_chunks_elsewhere(const struct kvb_sgl_context *context)
{
    uint32_t release = context->setup.release;
    uint32_t takes = ONE(FA3) | (release >= R(5, 1) ? ONE(AITER) : 0) | (release >= R(5, 2) ? ONE(TRITON) : 0) |
                     (release >= R(5, 4) + 1 ? ONE(TRTLLM_MHA) : 0);
    return kvb_sgl_is_named(&context->setup, "Llama4ForConditionalGeneration") && asks_beside(&context->setup, takes);
}

bool kvb_sgl_states_first(const struct kvb_sgl_context *context)
{
    bool hybrid = kvb_sgl_is_named(&context->setup, "NemotronHForCausalLM");
    bool convolves = kvb_sgl_is_named(&context->setup, "Lfm2ForCausalLM"); // served from 0.5.9 on
    return asks(&context->setup, KVB_SGL_BACKEND_TRITON) && (hybrid || convolves);
}
