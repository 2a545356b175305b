// Drafts: their kind, and the steps, branches, tokens and requests that a release takes where nobody says. Source:
// sgl-project/sglang, python/sglang/srt: server_args.py (auto_choose_speculative_params from 0.4.4.post4 on),
// arg_groups/speculative_hook.py (0.5.13 and later).
#include "budget/shapes.h"
#include "engines/sglang/context.h"

#include "base/checked.h"
#include "engines/sglang/models.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define NGRAM_TOKENS 12U
#define ADAPTIVE_STEPS 3U
#define ADAPTIVE_STEPS_MOST 7U
#define BLOCK_TOKENS 16U // DFLASH, where the draft's config says nothing

static enum kvb_sgl_draft draft_of(const struct kvb_plan *plan)
{
    switch ((enum kvb_speculative)kvb_number(plan, KVB_SET_SPECULATIVE_METHOD)) {
    case KVB_SPECULATIVE_NONE:
        return KVB_SGL_DRAFT_NONE;
    case KVB_SPECULATIVE_NGRAM:
        return KVB_SGL_DRAFT_NGRAM;
    case KVB_SPECULATIVE_DRAFT_MODEL:
        return KVB_SGL_DRAFT_STANDALONE;
    case KVB_SPECULATIVE_DFLASH:
    case KVB_SPECULATIVE_DSPARK:
    case KVB_SPECULATIVE_OTHER:
        return KVB_SGL_DRAFT_DFLASH;
    default:
        return KVB_SGL_DRAFT_EAGLE;
    }
}

// Pages and branches do not go together: 0.4.4.post4 to 0.4.8.post1 change the branches to one.
static bool pages_leave_one(const struct kvb_sgl_setup *setup)
{
    bool then = setup->release >= R(4, 4) + 4 && setup->release < R(4, 9);
    return then && kvb_sgl_page_of(setup, setup->backend_asked, setup->page_asked) > 1;
}

// speculative/adaptive_spec_params.py, adaptive_unsupported_reason: chains of EAGLE alone, in one group, one batch at a
// time. To 0.5.12 nothing comes of it before memory is shared out.
static bool adapts(const struct kvb_plan *plan, const struct kvb_sgl_setup *setup)
{
    bool asked = setup->release >= R(5, 13) && kvb_number(plan, KVB_SET_SPECULATIVE_ADAPTIVE) != 0;
    return asked && setup->draft == KVB_SGL_DRAFT_EAGLE && setup->draft_topk_asked <= 1 && !setup->dp_attention &&
           !setup->two_batch_overlap;
}

// DEFAULT_ADAPTIVE_CONFIG: 1, 3 or 7 steps, from 0.5.14 on none as well; it begins with the one in the middle.
static void adapt(const struct kvb_plan *plan, struct kvb_sgl_setup *setup)
{
    setup->adaptive = true;
    setup->draft_topk = 1;
    setup->draft_steps = kvb_number_or(plan, KVB_SET_SPECULATIVE_STEPS, ADAPTIVE_STEPS);
    setup->draft_tokens = setup->draft_steps + 1;
    setup->draft_tokens_most = ADAPTIVE_STEPS_MOST + 1;
}

static void fill_layers_of_tokens(const struct kvb_plan *plan, struct kvb_sgl_setup *setup)
{
    uint32_t release = setup->release;
    bool oldest = release < R(4, 3) + 3;
    bool one = release >= R(5, 8) ? !kvb_sgl_model_is(setup->model, KVB_SGL_BRANCHES, release)
                                  : kvb_sgl_model_is(setup->model, KVB_SGL_ONE_BRANCH, release);
    one = one || setup->draft == KVB_SGL_DRAFT_STANDALONE;
    setup->draft_topk_asked = kvb_number(plan, KVB_SET_SPECULATIVE_TOPK);
    setup->draft_steps = kvb_number_or(plan, KVB_SET_SPECULATIVE_STEPS, one ? 3 : 5);
    setup->draft_topk = kvb_number_or(plan, KVB_SET_SPECULATIVE_TOPK, one ? 1 : oldest ? 8 : 4);
    setup->draft_tokens = kvb_number_or(plan, KVB_SET_NUM_SPECULATIVE_TOKENS, one ? 4 : oldest ? 64 : 8);
    if (pages_leave_one(setup)) {
        setup->draft_topk = 1;
    }
    if (setup->draft_topk == 1 && release >= R(4, 5) + 3) { // "speculative_num_draft_tokens is adjusted to"
        setup->draft_tokens = setup->draft_steps + 1;
    }
    if (adapts(plan, setup)) {
        adapt(plan, setup);
    }
}

// --max-running-requests beside a draft.
static uint64_t usual_requests(uint32_t release)
{
    return release >= R(4, 4) + 4 ? 48 : release >= R(4, 3) + 3 ? 32 : 0;
}

void kvb_sgl_fill_draft(const struct kvb_plan *plan, struct kvb_sgl_setup *setup)
{
    setup->draft = draft_of(plan);
    if (setup->draft == KVB_SGL_DRAFT_NONE) {
        return;
    }
    if (setup->draft == KVB_SGL_DRAFT_NGRAM || setup->draft == KVB_SGL_DRAFT_DFLASH) {
        bool words = setup->draft == KVB_SGL_DRAFT_NGRAM;
        setup->draft_topk = words ? KVB_SGL_NGRAM_BREADTH : 1;
        setup->draft_tokens = kvb_number_or(plan, KVB_SET_NUM_SPECULATIVE_TOKENS, words ? NGRAM_TOKENS : BLOCK_TOKENS);
    } else {
        fill_layers_of_tokens(plan, setup);
    }
    setup->draft_tokens_most = kvb_max(setup->draft_tokens_most, setup->draft_tokens);
    setup->draft_tokens_asked = kvb_number(plan, KVB_SET_NUM_SPECULATIVE_TOKENS);
    setup->draft_model = plan->draft;
    setup->draft_layers = plan->draft != NULL ? plan->draft->layer_count : kvb_max(plan->model.mtp_layers, 1);
    setup->draft_named = plan->draft != NULL || plan->draft_unknown;
    if (setup->max_running_requests == 0) {
        setup->max_running_requests = usual_requests(setup->release);
    }
}
