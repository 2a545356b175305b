// Pipeline stages whose workers group their own layers, before 0.11, and whether their groups agree.
#include "budget/shapes.h"
#include "engines/vllm/kv.h"

bool kvb_stages_are_apart(const struct kvb_context *context)
{
    return context->pp > 1 && kvb_rule(context, KVB_RULE_GROUPS) && !kvb_rule(context, KVB_RULE_GROUPS_MERGED);
}

void kvb_stage_apart(const struct kvb_context *whole, uint32_t stage, struct kvb_context *own,
                     struct kvb_sizing *sizing)
{
    *own = *whole;
    own->pp = 1;
    own->stage_begin[0] = whole->stage_begin[stage];
    own->stage_begin[1] = whole->stage_begin[stage + 1];
    own->speculative = stage + 1 == whole->pp ? whole->speculative : KVB_SPECULATIVE_NONE; // drafts are the last one's
    kvb_buckets_fill(own, &sizing->own);
    kvb_groups_make(own, sizing);
}

#define SPEC_CLASSES 4

// Groups of a stage by the class of their spec, in the order of its name: ChunkedLocalAttentionSpec, FullAttentionSpec,
// MambaSpec, SlidingWindowSpec.
struct spec_counts {
    uint32_t of[SPEC_CLASSES];
};

static struct spec_counts specs_of(const struct kvb_groups *groups)
{
    struct spec_counts counts = {{0}};
    for (uint32_t i = 0; i < groups->count; i++) {
        enum kvb_attention kind = groups->items[i].bucket->kind;
        uint32_t at = kind == KVB_ATTENTION_CHUNKED   ? 0
                      : kvb_is_state(kind)            ? 2
                      : kind == KVB_ATTENTION_SLIDING ? 3
                                                      : 1;
        counts.of[at]++;
    }
    return counts;
}

// Group by group as far as both have any; what one has more of behind them is not looked at.
static bool specs_agree(struct spec_counts a, struct spec_counts b)
{
    for (uint32_t i = 0, k = 0; i < SPEC_CLASSES && k < SPEC_CLASSES;) {
        if (a.of[i] == 0 || b.of[k] == 0) {
            i += a.of[i] == 0;
            k += b.of[k] == 0;
            continue;
        }
        if (i != k) {
            return false;
        }
        a.of[i]--;
        b.of[k]--;
    }
    return true;
}

// Source: vllm/v1/core/kv_cache_utils.py unify_kv_cache_configs v0.9.1 to v0.10.2.
bool kvb_stages_disagree(const struct kvb_context *whole, struct kvb_sizing *sizing)
{
    struct kvb_context own;
    struct spec_counts first = {{0}};
    for (uint32_t stage = 0; stage < whole->pp; stage++) {
        kvb_stage_apart(whole, stage, &own, sizing);
        struct spec_counts counts = specs_of(&sizing->groups);
        first = stage == 0 ? counts : first;
        if (!specs_agree(first, counts)) {
            return true;
        }
    }
    return false;
}
