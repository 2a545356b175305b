// How many blocks of state a start asks for: one for each sequence of a captured step.
#include "base/checked.h"
#include "engines/vllm/graph_sizes.h"
#include "engines/vllm/kv.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define ASKED_SINCE R(20, 0)
#define ASSERTED_UNTIL R(18, 0)

// From 0.20 every release asks before it captures: vllm/config/compilation.py v0.20.0:1423, v0.27.1:1498, by both
// runners. 0.18 and 0.19 leave the larger graphs out (adjust_cudagraph_sizes_for_mamba_cache). Before them a kernel of
// delta nets asserts it while capturing: validate_data of causal_conv1d_update, v0.10.2 and v0.17.1
// models/qwen3_next.py, layers/kda.py.
uint64_t kvb_state_blocks_needed(const struct kvb_context *context)
{
    const struct kvb_model *model = context->model;
    uint64_t tokens = kvb_min(kvb_full_graph_tokens(context), context->max_num_seqs);
    if (!kvb_model_has_state(model) || kvb_is_about_cache_alone(context) || tokens == 0) {
        return 0;
    }
    bool delta = kvb_model_has(model, KVB_ATTENTION_GDN) || kvb_model_has(model, KVB_ATTENTION_KDA);
    bool asserts = context->release < ASSERTED_UNTIL && delta && context->speculative_tokens == 0;
    return context->release >= ASKED_SINCE ? context->max_num_seqs : asserts ? tokens : 0;
}
