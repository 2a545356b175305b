// What a release refuses once the KV cache is laid out: offloaded weights beside several groups, ranks that cannot put
// their shares together, fewer blocks than sequences that hold a state, a picture larger than a step.
#include <string.h>

#include "budget/gpu_facts.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/kv_backend.h"
#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

#define BOTH_WAYS_SINCE R(13, 0) // is_mm_prefix_lm: Gemma 3
#define GEMMA4_WHOLE_SINCE                                                                                             \
    R(20, 0) // the same of Gemma 4: transformers_utils/model_arch_config_convertor.py v0.20.0:481

typedef bool layout_test(const struct kvb_context *context, const struct kvb_budget *budget,
                         char out[KVB_ERROR_TEXT_CAPACITY]);

// Source: vllm/v1/worker/gpu_model_runner.py may_reinitialize_input_batch.
static bool groups_while_offloading(const struct kvb_context *context, const struct kvb_budget *budget,
                                    char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (kvb_number(context->plan, KVB_SET_CPU_OFFLOAD_GB) == 0 || budget->kv.group_count < 2) {
        return false;
    }
    kvb_refusal_say(out,
                    "Cannot re-initialize the input batch when CPU weight offloading is enabled. See "
                    "https://github.com/vllm-project/vllm/pull/18298 for more details.",
                    NULL);
    return true;
}

static bool fewer_blocks_than_states(const struct kvb_context *context, const struct kvb_budget *budget,
                                     char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t blocks = budget->kv.num_blocks;
    if (kvb_state_blocks_needed(context) <= blocks) {
        return false;
    }
    if (context->release < KVB_RELEASE(0, 20, 0)) {
        kvb_refusal_say(out, "causal_conv1d_update: assert num_cache_lines >= batch: AssertionError", NULL);
        return true;
    }
    char sequences[24], there[24];
    const char *values[] = {kvb_refusal_count(sequences, context->max_num_seqs), kvb_refusal_count(there, blocks)};
    kvb_refusal_say(out,
                    "max_num_seqs ({0}) exceeds available Mamba cache blocks ({1}). Each decode sequence requires one "
                    "Mamba cache block, so CUDA graph capture cannot proceed. Please lower max_num_seqs to at most {1} "
                    "or increase gpu_memory_utilization.",
                    values);
    return true;
}

// Models whose pictures are attended to in both directions are given whole pictures whatever is said.
// Source: vllm/v1/core/encoder_cache_manager.py, platforms/cuda.py v0.13.0 (is_mm_prefix_lm).
static bool keeps_items_whole(const struct kvb_context *context)
{
    const struct kvb_encoder *encoder = &context->model->encoder;
    bool gemma3 = encoder->family == KVB_ENCODER_GEMMA3 && context->release >= BOTH_WAYS_SINCE;
    return gemma3 || (encoder->both_ways && context->release >= GEMMA4_WHOLE_SINCE) ||
           (context->plan->plain_flags & KVB_PLAIN_WHOLE_ITEMS) != 0;
}

static bool item_larger_than_step(const struct kvb_context *context, const struct kvb_budget *budget,
                                  char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_encoder_load load;
    (void)budget;
    if (!keeps_items_whole(context)) {
        return false;
    }
    kvb_encoder_load_of(context, &load);
    if (load.tokens_per_item <= context->max_num_batched_tokens) {
        return false;
    }
    char item[24], step[24];
    const char *values[] = {kvb_refusal_count(item, load.tokens_per_item),
                            kvb_refusal_count(step, context->max_num_batched_tokens)};
    kvb_refusal_say(out,
                    "Chunked MM input disabled but max_tokens_per_mm_item ({0}) is larger than max_num_batched_tokens "
                    "({1}). Please increase max_num_batched_tokens.",
                    values);
    return true;
}

#define TRITON_KEEPS_SINCE R(11, 0)

// Ranks that share a request's tokens put their shares together by the logarithms of their sums, which keys and values
// have from 0.11.1 on and latents with Triton's kernels from 0.11.0. The name of the backend that follows is left out.
// Source: vllm/v1/worker/gpu_model_runner.py initialize_kv_cache v0.10.2, v0.11.0.
static bool ranks_without_logarithms(const struct kvb_context *context, const struct kvb_budget *budget,
                                     char out[KVB_ERROR_TEXT_CAPACITY])
{
    (void)budget;
    uint32_t capability = context->gpu->compute_capability;
    enum kvb_backend asked = kvb_backend_asked(context);
    bool others = KVB_CAPABILITY_MAJOR(capability) == KVB_CAPABILITY_MAJOR(KVB_CAPABILITY_HOPPER) ||
                  capability == KVB_CAPABILITY_BLACKWELL;
    bool triton = asked == KVB_BACKEND_TRITON_MLA || (asked == KVB_BACKEND_AUTO && !others);
    bool latent = kvb_model_is_mla(context->model) && (!triton || context->release >= TRITON_KEEPS_SINCE);
    return kvb_refuse_if(context->dcp > 1 && !latent, out,
                         "DCP requires attention impls to return the softmax lse for decode");
}

static const struct {
    const char *rule;     // NULL: it is about memory
    uint32_t since, gone; // 0 = no end
    layout_test *refuses;
} rows[] = {
    {"encoder-budget", R(8, 4), 0, item_larger_than_step},
    {"cpu-offload", R(9, 1), R(20, 0), groups_while_offloading},
    {"decode-context-parallel", R(10, 2), R(11, 1), ranks_without_logarithms},
    {NULL, 0, 0, fewer_blocks_than_states},
};

void kvb_refusal_check_layout(const struct kvb_context *context, struct kvb_budget *budget)
{
    if (!budget->starts || context->generation != KVB_GENERATION_V1 || kvb_is_about_cache_alone(context)) {
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool in_range = context->release >= rows[i].since && (rows[i].gone == 0 || context->release < rows[i].gone);
        if (in_range && rows[i].refuses(context, budget, budget->error)) {
            budget->starts = false;
            budget->refusal = rows[i].rule;
            return;
        }
    }
}
