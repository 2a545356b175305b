// When a release refuses a draft: its sizes, what it does not go together with. Source: as refusals.c.
#include "engines/sglang/refusal_rules.h"

#include <string.h>

#include "budget/shapes.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define ONE(backend) (1U << KVB_SGL_BACKEND_##backend)

static bool drafts_with_layers(const struct kvb_sgl_setup *setup)
{
    return setup->draft == KVB_SGL_DRAFT_EAGLE || setup->draft == KVB_SGL_DRAFT_STANDALONE;
}

// What --attention-backend is when drafts are looked at: to 0.5.4 a default is chosen later.
static enum kvb_sgl_backend known_backend(const struct kvb_sgl_setup *setup)
{
    return setup->release < R(5, 4) + 1 ? setup->backend_asked : setup->backend;
}

bool kvb_sgl_mha_kernels_with_branches(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    return setup->backend == KVB_SGL_BACKEND_TRTLLM_MHA && drafts_with_layers(setup) && setup->draft_topk > 1;
}

bool kvb_sgl_branches_over_pages(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    uint32_t takes = ONE(FLASHINFER) | (setup->release >= R(5, 6) ? ONE(FA3) : 0);
    takes |= setup->release >= R(5, 13) ? ONE(TRITON) : 0;
    return drafts_with_layers(setup) && setup->draft_topk > 1 && setup->page_tokens > 1 &&
           (takes >> known_backend(setup) & 1U) == 0;
}

static bool drafts_blocks(const struct kvb_sgl_context *context)
{
    return kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD) == KVB_SPECULATIVE_DFLASH;
}

bool kvb_sgl_blocks_with_groups(const struct kvb_sgl_context *context)
{
    return drafts_blocks(context) && context->setup.dp_attention;
}

bool kvb_sgl_blocks_with_stages(const struct kvb_sgl_context *context)
{
    return drafts_blocks(context) && context->setup.pp > 1;
}

bool kvb_sgl_words_with_groups(const struct kvb_sgl_context *context)
{
    return context->setup.draft == KVB_SGL_DRAFT_NGRAM && context->setup.dp_attention;
}

bool kvb_sgl_words_elsewhere(const struct kvb_sgl_context *context)
{
    return context->setup.draft == KVB_SGL_DRAFT_NGRAM && !context->setup.cuda && !context->setup.hip;
}

// Of steps, branches and tokens, all that are said begin with the steps.
bool kvb_sgl_sizes_without_steps(const struct kvb_sgl_context *context)
{
    const struct kvb_plan *plan = context->plan;
    bool sizes = kvb_is_set(plan, KVB_SET_SPECULATIVE_TOPK) || kvb_is_set(plan, KVB_SET_NUM_SPECULATIVE_TOKENS);
    return drafts_with_layers(&context->setup) && !context->setup.adaptive && sizes &&
           !kvb_is_set(plan, KVB_SET_SPECULATIVE_STEPS);
}

bool kvb_sgl_steps_without_branches(const struct kvb_sgl_context *context)
{
    const struct kvb_plan *plan = context->plan;
    return drafts_with_layers(&context->setup) && !context->setup.adaptive &&
           kvb_is_set(plan, KVB_SET_SPECULATIVE_STEPS) && !kvb_is_set(plan, KVB_SET_SPECULATIVE_TOPK);
}

bool kvb_sgl_steps_between(const struct kvb_sgl_context *context)
{
    uint64_t steps = context->setup.draft_steps;
    return context->setup.adaptive && steps != 1 && steps != 3 && steps != 7;
}

bool kvb_sgl_words_over_pages(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    return setup->draft == KVB_SGL_DRAFT_NGRAM && setup->page_tokens > 1 &&
           known_backend(setup) != KVB_SGL_BACKEND_FLASHINFER;
}

// DeepSeek V4, before NEXTN is read as EAGLE and before branches are chosen.
bool kvb_sgl_v4_with_draft(const struct kvb_sgl_context *context)
{
    uint64_t method = kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD);
    bool blocks = method == KVB_SPECULATIVE_OTHER && context->setup.release >= R(5, 16);
    return kvb_sgl_is_named(&context->setup, "DeepseekV4ForCausalLM") && method != KVB_SPECULATIVE_NONE &&
           method != KVB_SPECULATIVE_EAGLE && !blocks;
}

bool kvb_sgl_v4_with_branches(const struct kvb_sgl_context *context)
{
    return kvb_sgl_is_named(&context->setup, "DeepseekV4ForCausalLM") && context->setup.draft == KVB_SGL_DRAFT_EAGLE &&
           context->setup.draft_topk_asked != 1;
}

bool kvb_sgl_models_with_groups(const struct kvb_sgl_context *context)
{
    return context->setup.draft == KVB_SGL_DRAFT_STANDALONE && context->setup.dp_attention;
}

bool kvb_sgl_states_with_draft(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    bool bare = setup->draft != KVB_SGL_DRAFT_NONE && !setup->state_extra_buffer;
    return kvb_sgl_has_states(setup->model) && bare && !setup->no_radix; // ROCm has it off from 0.5.11 on
}

bool kvb_sgl_stages_with_draft(const struct kvb_sgl_context *context)
{
    return context->setup.pp > 1 && context->setup.draft != KVB_SGL_DRAFT_NONE;
}

bool kvb_sgl_adapters_with_draft(const struct kvb_sgl_context *context)
{
    enum kvb_sgl_draft draft = context->setup.draft;
    return context->setup.lora && draft != KVB_SGL_DRAFT_NONE && draft != KVB_SGL_DRAFT_NGRAM;
}
