// Sizes that flags name and a release compares: batch sizes with a graph, groups of offloaded layers, ranks of a
// prompt, and limits of early LoRA.
#include <string.h>

#include "engines/vllm/compile.h"
#include "engines/vllm/graph_sizes.h"
#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static const struct kvb_plain_value *given(const struct kvb_context *context, enum kvb_plain_number number)
{
    return &context->plan->plain_numbers[number];
}

// What is named is held against what is left of it: sizes above the tokens of a step are left out first.
bool kvb_refusal_graph_sizes(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plan *plan = context->plan;
    uint64_t most = kvb_number(plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    bool limited = kvb_is_set(plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE) &&
                   (plan->graph_sizes.count == 0 || most != plan->graph_sizes.largest);
    if (context->eager || kvb_graph_mode_asked(context) == KVB_GRAPH_MODE_NONE) {
        return false;
    }
    if (limited && !plan->graph_sizes.named_none && most == 0) {
        return kvb_refuse(out, "Maximum cudagraph size should be greater than or equal to 1 when using cuda graph.");
    }
    if (plan->graph_sizes.named_none) {
        return kvb_refuse(out, "cudagraph_capture_sizes should contain at least one element when using cuda graph.");
    }
    uint64_t largest = kvb_largest_capture(context);
    if (!limited || plan->graph_sizes.count == 0) {
        return false;
    }
    return kvb_refuse_two(out,
                          "customized max_cudagraph_capture_size(={0}) should be consistent with the max value of "
                          "cudagraph_capture_sizes(={1})",
                          most, largest);
}

#define NONE_LEFT_SINCE R(12, 0) // 0.11.1 keeps the sizes as they are, with a warning

// Sizes of runner V1 are whole requests with their drafts and, with shared sequences, whole ranks.
bool kvb_refusal_draft_graphs(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_capture_rounding rounding;
    kvb_capture_rounding_of(context, &rounding);
    if (context->v2_runner || context->speculative_tokens == 0 || rounding.multiple <= 1) {
        return false;
    }
    if (rounding.both && (rounding.multiple % rounding.tokens != 0 || rounding.multiple % context->tp != 0)) {
        return kvb_refuse_two(
            out,
            "Can't determine cudagraph shapes that are both a multiple of {0} (num_speculative_tokens "
            "+ 1) required by spec-decode and {1} (tensor_parallel_size) required by sequence "
            "parallelism please adjust num_speculative_tokens or disable sequence parallelism",
            rounding.tokens, context->tp);
    }
    if (context->release < NONE_LEFT_SINCE || rounding.largest == 0 || rounding.multiple <= rounding.largest) {
        return false;
    }
    return kvb_refuse_two(
        out,
        "No valid cudagraph sizes after rounding to multiple of {0} (num_speculative_tokens + 1 or tp "
        "if sequence parallelism is enabled) please adjust num_speculative_tokens ({1}) or "
        "max_cudagraph_capture_size or cudagraph_capture_sizes",
        rounding.multiple, context->speculative_tokens);
}

// Prefetching is on where it is named or layers are grouped.
bool kvb_refusal_offload_groups(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plain_value *size = given(context, KVB_PLAIN_OFFLOAD_GROUP);
    const struct kvb_plain_value *in_group = given(context, KVB_PLAIN_OFFLOAD_IN_GROUP);
    const struct kvb_plain_value *ahead = given(context, KVB_PLAIN_OFFLOAD_AHEAD);
    bool named = (context->plan->plain_flags & KVB_PLAIN_PREFETCH) != 0;
    uint64_t layers = size->set ? size->number : 0, moved = in_group->set ? in_group->number : 1;
    if (!named && layers == 0) {
        return false;
    }
    if (moved > layers) {
        return kvb_refuse_two(out, "offload_num_in_group ({0}) must be <= offload_group_size ({1})", moved, layers);
    }
    return kvb_refuse_if(
        ahead->set && ahead->number < 1, out,
        "offload_prefetch_step (0) must be >= 1 when prefetch offloading is enabled (offload_group_size > "
        "0)");
}

// ---- Ranks that share one prompt

#define PROMPT_RANKS_REFUSED_UNTIL R(13, 0)
#define NO_BACKEND_UNTIL R(26, 0) // then those of MLA

// Source: vllm/config/parallel.py v0.12.0, v0.26.0.
bool kvb_refusal_prompt_ranks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool early = context->release < PROMPT_RANKS_REFUSED_UNTIL;
    if (context->pcp <= 1 || (!early && context->release < NO_BACKEND_UNTIL)) {
        return false;
    }
    if (early) {
        return kvb_refuse(
            out, "Prefill context parallelism is not fully supported. Please set prefill_context_parallel_size "
                 "to 1.");
    }
    if (context->dp > 1) {
        return kvb_refuse(out, "PCP does not support data parallelism yet.");
    }
    return kvb_refuse_if(
        context->dcp != 1 && context->dcp != context->pcp && context->dcp != context->tp * context->pcp, out,
        "When PCP is enabled, DCP must be disabled, span the PCP axis, or span the full TP x PCP axis.");
}

// Source: vllm/v1/worker/cp_utils.py v0.13.0 check_attention_cp_compatibility: no backend before 0.26.0 supports it;
// vllm/v1/attention/backend.py v0.26.0 MLAAttentionImpl.
bool kvb_refusal_prompt_backends(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->release < NO_BACKEND_UNTIL) {
        return kvb_refuse_if(context->pcp > 1, out,
                             "PCP requires attention impls' support, but the impl does not support PCP.");
    }
    return kvb_refuse_if(context->pcp > 1 && !kvb_model_is_mla(context->model), out,
                         "No valid attention backend found for cuda: PCP not supported");
}

// ---- LoRA as it was

#define LORA_SINCE R(3, 0)
#define LORA_STEP_MOST 65528
#define OFFLOADS_UNTIL R(8, 3)
#define QUANTISED_UNTIL R(4, 1)
#define STEP_LIMIT_UNTIL R(5, 5)

uint64_t kvb_lora_step_most(const struct kvb_context *context)
{
    bool limited = kvb_number(context->plan, KVB_SET_ENABLE_LORA) != 0 && context->release >= LORA_SINCE &&
                   context->release < STEP_LIMIT_UNTIL;
    return limited ? LORA_STEP_MOST : UINT64_MAX;
}

bool kvb_refusal_lora_early(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48];
    const char *method = kvb_method_used(context, word);
    if (kvb_number(context->plan, KVB_SET_ENABLE_LORA) == 0) {
        return false;
    }
    if (context->release < QUANTISED_UNTIL && method != NULL) {
        return kvb_refuse(out, "LoRA is not supported with quantized models yet.");
    }
    if (context->max_num_batched_tokens > kvb_lora_step_most(context)) {
        return kvb_refuse(out,
                          "Due to limitations of the custom LoRA CUDA kernel, max_num_batched_tokens must be <= 65528 "
                          "when LoRA is enabled.");
    }
    if (context->release < R(7, 0) || kvb_number(context->plan, KVB_SET_CPU_OFFLOAD_GB) == 0) {
        return false;
    }
    if (context->release < OFFLOADS_UNTIL) {
        return kvb_refuse(out, "CPU offload is not supported with LoRA yet.");
    }
    return kvb_refuse_if(context->generation == KVB_GENERATION_V0, out,
                         "V0 LoRA does not support CPU offload, please use V1.");
}

// ---- Windows and prompts in pieces, V0

// The length would follow from the window, and from the scaling too. Source: _get_and_verify_max_len of vllm/config.py
// v0.4.3 to v0.10.2, vllm/config/model.py v0.11.0 to v0.11.2.
bool kvb_refusal_scaled_window(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(
        context->model->scales_positions && kvb_number(context->plan, KVB_SET_DISABLE_SLIDING_WINDOW) != 0, out,
        "Disabling sliding window is not supported for models with rope_scaling. Please raise an issue so we can "
        "investigate.");
}

// A model whose every layer has a window; gone with the second block manager.
bool kvb_refusal_chunked_window(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool asked = kvb_number(context->plan, KVB_SET_ENABLE_CHUNKED_PREFILL) != 0;
    bool windows = context->model->kind_count == 1 && context->model->kinds[0].attention.kind == KVB_ATTENTION_SLIDING;
    if (!asked || !windows || kvb_number(context->plan, KVB_SET_DISABLE_SLIDING_WINDOW) != 0 ||
        (context->plan->plain_flags & KVB_PLAIN_V2_BLOCKS) != 0) {
        return false;
    }
    return kvb_refuse(out,
                      "Chunked prefill is not supported with sliding window. Set --disable-sliding-window to disable "
                      "sliding window.");
}
