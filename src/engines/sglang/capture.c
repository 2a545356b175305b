// Which prompt lengths are captured as graphs. Source: sgl-project/sglang, python/sglang/srt/server_args.py:
// _generate_piecewise_cuda_graph_tokens (0.5.4), _handle_piecewise_cuda_graph (0.5.10), _handle_cuda_graph_config
// (0.5.13 and later).
#include "engines/sglang/models.h"
#include "engines/sglang/setup.h"

#include "base/checked.h"
#include "budget/shapes.h"

// `count` sizes from `first` on; 0: without end.
struct range {
    uint64_t first, step, count;
};

#define SUM(rows, most) sum_of(rows, sizeof(rows) / sizeof(rows)[0], most)

static uint64_t sum_of(const struct range *rows, size_t count, uint64_t most)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count && rows[i].first <= most; i++) {
        uint64_t reached = (most - rows[i].first) / rows[i].step + 1;
        sum += rows[i].count > 0 ? kvb_min(reached, rows[i].count) : reached;
    }
    return sum;
}

static const struct range prompts_059[] = {{4, 4, 8},    {48, 16, 14},    {288, 32, 8},
                                           {576, 64, 8}, {1280, 256, 12}, {4608, 512, 0}};
static const struct range prompts_058[] = {{4, 4, 8},    {48, 16, 14},    {288, 32, 8},
                                           {640, 64, 7}, {1280, 256, 12}, {4608, 512, 0}};
static const struct range prompts_054[] = {{4, 4, 8}, {48, 16, 14}, {288, 32, 8}, {640, 128, 28}, {4352, 256, 0}};

uint64_t kvb_sgl_prefill_sizes(uint32_t release, uint64_t tokens)
{
    if (release >= KVB_RELEASE(0, 5, 9)) {
        return SUM(prompts_059, tokens);
    }
    return release >= KVB_RELEASE(0, 5, 8) ? SUM(prompts_058, tokens) : SUM(prompts_054, tokens);
}

static bool is(const struct kvb_sgl_setup *setup, enum kvb_sgl_trait trait)
{
    return kvb_sgl_model_is(setup->model, trait, setup->release);
}

// _handle_piecewise_cuda_graph (0.5.10 to 0.5.12), _disable_tc_piecewise_cudagraph_if_incompatible.
static bool piecewise(const struct kvb_sgl_setup *setup)
{
    bool drafts = setup->draft != KVB_SGL_DRAFT_NONE && setup->release < KVB_RELEASE(0, 5, 11);
    bool exotic = setup->torch_compile || setup->lora || setup->offloads || setup->hierarchical ||
                  setup->deterministic || setup->symmetric_memory || setup->expert_balancing || setup->other_format;
    return setup->cuda && !drafts && !exotic && !setup->dp_attention && setup->pp == 1 && !setup->all_to_all &&
           (!setup->multimodal || is(setup, KVB_SGL_TOWER_PIECEWISE)) && setup->role == KVB_SGL_WHOLE &&
           !is(setup, KVB_SGL_NO_PIECEWISE);
}

static bool has_unread_tower(const struct kvb_sgl_setup *setup)
{
    return setup->multimodal && !is(setup, KVB_SGL_TOWER_BREAKABLE);
}

// _disable_breakable_cudagraph_if_incompatible at 0.5.15 and 0.5.16.
static bool segmented(const struct kvb_sgl_setup *setup)
{
    bool early = setup->release < KVB_RELEASE(0, 5, 16);
    return setup->cuda && !kvb_model_is_mla(setup->model) && !kvb_model_has(setup->model, KVB_ATTENTION_DSV4) &&
           !setup->lora && !setup->all_to_all && !(early && setup->dp_attention) && !has_unread_tower(setup);
}

// The same from 0.5.17 on.
static bool breakable(const struct kvb_sgl_setup *setup)
{
    const struct kvb_model *model = setup->model;
    bool sparse = kvb_kind_of(model, 0)->attention.index_heads > 0;
    bool latent = kvb_model_is_mla(model) && !sparse && setup->release < KVB_RELEASE(0, 5, 18);
    return setup->cuda && !latent && !is(setup, KVB_SGL_NO_BREAKABLE) && !kvb_model_has(model, KVB_ATTENTION_DSV4) &&
           !setup->two_batch_overlap && (!setup->all_to_all || setup->deepep) && !has_unread_tower(setup);
}

// _apply_cuda_graph_compatibility: towers that were read are captured in pieces from 0.5.16 on.
static bool takes_pieces(const struct kvb_sgl_setup *setup)
{
    bool kernels = setup->release >= KVB_RELEASE(0, 5, 18) && setup->backend_asked == KVB_SGL_BACKEND_TRTLLM_MLA;
    return setup->release >= KVB_RELEASE(0, 5, 16) && is(setup, KVB_SGL_TOWER_PIECEWISE) && !kernels;
}

bool kvb_sgl_prefill_graphs(const struct kvb_sgl_setup *setup)
{
    if (setup->release < KVB_RELEASE(0, 5, 5) + 1 || setup->prefill_graphs == KVB_NO) {
        return false;
    }
    if (setup->prefill_graphs == KVB_YES || setup->release < KVB_RELEASE(0, 5, 10)) {
        return setup->prefill_graphs == KVB_YES; // off unless asked for before 0.5.10
    }
    if (setup->release < KVB_RELEASE(0, 5, 15)) {
        return piecewise(setup);
    }
    if (setup->role == KVB_SGL_DECODE || setup->no_graphs) {
        return false;
    }
    if (takes_pieces(setup)) {
        return piecewise(setup);
    }
    return setup->release < KVB_RELEASE(0, 5, 17) ? segmented(setup) : breakable(setup);
}
