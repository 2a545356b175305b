// The attention backend that a release chooses by the card and the model, and what hangs on it: sizes of pages, and the
// share that AITER leaves. Source: sgl-project/sglang, python/sglang/srt: model_executor/model_runner.py
// (init of attention_backend, 0.4.5 to 0.5.4), server_args.py (_get_default_attn_backend,
// _handle_attention_backend_compatibility, model-specific adjustments; 0.5.4.post1 and later), arg_groups/overrides.py
// (pages, 0.5.15 and later).
#include <string.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "engines/sglang/models.h"
#include "engines/sglang/setup.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define AITER_HEADS 128U // of one rank: 16 or 128

// SM100 and SM103; SM120 has none of its kernels.
static bool is_data_centre_blackwell(const struct kvb_sgl_setup *setup)
{
    return setup->cuda && setup->compute_capability >= KVB_CAPABILITY_BLACKWELL && setup->compute_capability < 110;
}

// is_no_spec_infer_or_topk_one: from 0.5.4.post1 on asked before branches that nobody says are chosen.
static bool one_branch(const struct kvb_sgl_setup *setup)
{
    uint64_t branches = setup->release < R(5, 4) + 1 ? setup->draft_topk : setup->draft_topk_asked;
    return branches == 0 || (branches == 1 && setup->page_asked <= 1);
}

bool kvb_sgl_is_named(const struct kvb_sgl_setup *setup, const char *architecture)
{
    return strcmp(setup->model->architecture, architecture) == 0;
}

// Models that choose before the general rule does.
static enum kvb_sgl_backend of_model(const struct kvb_sgl_setup *setup)
{
    const struct kvb_attention_shape *first = &kvb_kind_of(setup->model, 0)->attention;
    bool sparse = first->kind == KVB_ATTENTION_DSV4 || (first->kind == KVB_ATTENTION_MLA && first->index_heads > 0);
    if (sparse) {
        return KVB_SGL_BACKEND_SPARSE;
    }
    if (!is_data_centre_blackwell(setup)) {
        return KVB_SGL_BACKEND_AUTO;
    }
    if (kvb_sgl_is_named(setup, "GptOssForCausalLM") && setup->release >= R(5, 1)) {
        return KVB_SGL_BACKEND_TRTLLM_MHA;
    }
    if (kvb_sgl_is_named(setup, "Llama4ForConditionalGeneration") && setup->release >= R(5, 5)) {
        return KVB_SGL_BACKEND_TRTLLM_MHA;
    }
    if (kvb_sgl_is_named(setup, "DeepseekV3ForCausalLM") && setup->release >= R(5, 4)) {
        return KVB_SGL_BACKEND_TRTLLM_MLA;
    }
    return KVB_SGL_BACKEND_AUTO;
}

static enum kvb_sgl_backend of_latent(const struct kvb_sgl_setup *setup)
{
    if (setup->compute_capability == KVB_CAPABILITY_HOPPER && setup->cuda) {
        return setup->release >= R(4, 6) ? KVB_SGL_BACKEND_FA3 : KVB_SGL_BACKEND_TRITON;
    }
    if (is_data_centre_blackwell(setup) && setup->release >= R(4, 7)) {
        return KVB_SGL_BACKEND_FLASHINFER;
    }
    uint64_t heads = kvb_kind_of(setup->model, 0)->attention.heads / kvb_max(setup->tp, 1);
    bool fits = heads == 16 || heads == AITER_HEADS;
    bool drafts = setup->draft != KVB_SGL_DRAFT_NONE && setup->release < R(5, 0);
    return setup->hip && setup->release >= R(4, 7) && fits && !drafts ? KVB_SGL_BACKEND_AITER : KVB_SGL_BACKEND_TRITON;
}

static enum kvb_sgl_backend chosen(const struct kvb_sgl_setup *setup)
{
    enum kvb_sgl_backend own = of_model(setup);
    if (own != KVB_SGL_BACKEND_AUTO) {
        return own;
    }
    if (kvb_model_is_mla(setup->model)) {
        return of_latent(setup);
    }
    if (setup->cuda && setup->compute_capability == KVB_CAPABILITY_HOPPER && one_branch(setup) &&
        setup->release >= R(4, 6)) {
        return KVB_SGL_BACKEND_FA3;
    }
    if (is_data_centre_blackwell(setup) && one_branch(setup) && setup->release >= R(5, 7)) {
        return KVB_SGL_BACKEND_TRTLLM_MHA;
    }
    if (setup->hip) {
        return setup->release >= R(4, 7) ? KVB_SGL_BACKEND_AITER : KVB_SGL_BACKEND_TRITON;
    }
    return KVB_SGL_BACKEND_FLASHINFER;
}

// Pages a backend takes; the first is what another is changed to.
struct page_row {
    enum kvb_sgl_backend backend;
    uint32_t since;
    uint32_t sizes[4];
};
static const struct page_row pages[] = {
    {KVB_SGL_BACKEND_FLASHMLA, R(4, 5) + 2, {64}},
    {KVB_SGL_BACKEND_CUTLASS_MLA, R(4, 6) + 1, {128}},
    {KVB_SGL_BACKEND_TRTLLM_MLA, R(4, 10) + 1, {64, 32}},
    {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 18), {64, 16, 32, 128}},
    {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 0), {64, 16, 32}},
    {KVB_SGL_BACKEND_FA4, R(5, 14), {128}}, // before, --prefill-attention-backend alone asks for it
};

static bool takes(const struct page_row *row, uint64_t tokens)
{
    for (size_t i = 0; i < sizeof row->sizes / sizeof row->sizes[0]; i++) {
        if (row->sizes[i] != 0 && row->sizes[i] == tokens) {
            return true;
        }
    }
    return false;
}

// FlashAttention 4 takes any page for latent caches, on other cards than data centre Blackwell, and beside branches.
static bool takes_any(const struct kvb_sgl_setup *setup, enum kvb_sgl_backend backend)
{
    bool paged = is_data_centre_blackwell(setup) && !kvb_model_is_mla(setup->model) && setup->draft_topk <= 1;
    return backend == KVB_SGL_BACKEND_FA4 && !paged;
}

uint64_t kvb_sgl_page_of(const struct kvb_sgl_setup *setup, enum kvb_sgl_backend backend, uint64_t asked)
{
    for (size_t i = 0; i < sizeof pages / sizeof pages[0] && !takes_any(setup, backend); i++) {
        const struct page_row *row = &pages[i];
        if (row->backend == backend && setup->release >= row->since) {
            return takes(row, asked) ? asked : row->sizes[0];
        }
    }
    return asked;
}

enum kvb_sgl_backend kvb_sgl_backend_of(const struct kvb_sgl_setup *setup)
{
    return setup->backend_asked != KVB_SGL_BACKEND_AUTO ? setup->backend_asked : chosen(setup);
}
