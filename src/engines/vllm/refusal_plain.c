// Flags that move no memory and stop a start: adapters on the host, partial prefills, ranks, experts, halves of a step.
#include <string.h>

#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static bool is_given(const struct kvb_context *context, enum kvb_plain_number number)
{
    return context->plan->plain_numbers[number].set;
}

// ---- Adapters

#define MISNAMED_UNTIL R(3, 1)
#define LORA_DOT_SINCE R(14, 0)

bool kvb_refusal_cpu_loras(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plan *plan = context->plan;
    uint64_t slots = kvb_is_set(plan, KVB_SET_MAX_LORAS) ? kvb_number(plan, KVB_SET_MAX_LORAS) : 1;
    uint64_t asked = kvb_plain_or(context, KVB_PLAIN_MAX_CPU_LORAS, 0);
    uint64_t kept = asked > 0 ? asked : slots;
    if (kvb_number(plan, KVB_SET_ENABLE_LORA) == 0 || kept >= slots) {
        return false;
    }
    return kvb_refuse_two(out,
                          context->release < MISNAMED_UNTIL   ? "max_cpu_loras ({0}) must be >= max_num_seqs ({1})"
                          : context->release < LORA_DOT_SINCE ? "max_cpu_loras ({0}) must be >= max_loras ({1})"
                                                              : "max_cpu_loras ({0}) must be >= max_loras ({1}).",
                          kept, slots);
}

// Each sequence's drafts have rows of their own in the step.
bool kvb_refusal_lora_drafts(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t rows = context->max_num_seqs * ((uint64_t)context->speculative_tokens + 1);
    if (kvb_number(context->plan, KVB_SET_ENABLE_LORA) == 0 || context->speculative == KVB_SPECULATIVE_NONE ||
        context->max_num_batched_tokens >= rows) {
        return false;
    }
    return kvb_refuse(out, "Consider increasing max_num_batched_tokens or decreasing num_speculative_tokens");
}

// ---- Partial prefills

#define REFUSED_SINCE R(11, 0) // V0, which had them, is gone
#define NAMED_SINCE R(11, 1)

static bool is_too_high(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t threshold = kvb_plain_or(context, KVB_PLAIN_LONG_PREFILL_THRESHOLD, 0);
    if (threshold <= context->max_model_len) {
        return false;
    }
    return kvb_refuse_two(out, "long_prefill_token_threshold ({0}) cannot be greater than the max_model_len ({1}).",
                          threshold, context->max_model_len);
}

// Sentences without a sign and with one.
static bool is_too_low(const struct kvb_context *context, enum kvb_plain_number number, const char *const sentences[2],
                       uint64_t other, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plain_value *value = &context->plan->plain_numbers[number];
    if (!value->set || (value->number > 0 && !value->negative)) {
        return false;
    }
    return kvb_refuse_two(out, sentences[value->negative], value->number, other);
}

static const char *const prefills_low[2] = {"max_num_partial_prefills ({0}) must be greater than or equal to 1.",
                                            "max_num_partial_prefills (-{0}) must be greater than or equal to 1."};
static const char *const lengthy_low[2] = {
    "max_long_partial_prefills ({0}) must be greater than or equal to 1 and less than or equal to "
    "max_num_partial_prefills ({1}).",
    "max_long_partial_prefills (-{0}) must be greater than or equal to 1 and less than or equal to "
    "max_num_partial_prefills ({1})."};

bool kvb_refusal_partial_prefills(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t prefills = kvb_plain_or(context, KVB_PLAIN_PARTIAL_PREFILLS, 1);
    uint64_t lengthy = kvb_plain_or(context, KVB_PLAIN_LONG_PARTIAL_PREFILLS, 1);
    bool other = prefills != 1 || lengthy != 1;
    if (other && context->release >= NAMED_SINCE) {
        return kvb_refuse(out, "Concurrent Partial Prefill is not supported. We recommend to remove Concurrent Partial "
                               "Prefill from your config.");
    }
    if (other && context->release >= REFUSED_SINCE) {
        return kvb_refuse(
            out, "Concurrent Partial Prefill is not supported by the V1 Engine. Falling back to V0. ... assert "
                 "envs.VLLM_USE_V1: AssertionError");
    }
    if (is_too_low(context, KVB_PLAIN_PARTIAL_PREFILLS, prefills_low, 0, out)) {
        return true;
    }
    if (prefills > 1 && !context->chunked_prefill) {
        return kvb_refuse(out, "Chunked prefill must be enabled to set max_num_partial_prefills > 1.");
    }
    if (prefills > 1 && is_too_high(context, out)) {
        return true;
    }
    if (is_too_low(context, KVB_PLAIN_LONG_PARTIAL_PREFILLS, lengthy_low, prefills, out)) {
        return true;
    }
    if (lengthy <= prefills) {
        return false;
    }
    return kvb_refuse_two(out, lengthy_low[0], lengthy, prefills);
}

bool kvb_refusal_prefill_threshold(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return is_too_high(context, out);
}

// ---- Data-parallel ranks

#define RANK_SPELLED_SINCE R(12, 0)
#define LAUNCH_OPTIONS_SINCE R(27, 0)

static bool several_ranks(const struct kvb_context *context)
{
    return context->dp > 1;
}

// Source: vllm/config/parallel.py __post_init__ (config.py v0.9.2).
static bool rank_out_of_range(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plain_value *rank = &context->plan->plain_numbers[KVB_PLAIN_DATA_PARALLEL_RANK];
    if (!rank->set || (!rank->negative && rank->number < context->dp)) {
        return false;
    }
    return kvb_refuse_two(out,
                          rank->negative ? "data_parallel_rank (-{0}) must be in the range [0, {1})"
                                         : "data_parallel_rank ({0}) must be in the range [0, {1})",
                          rank->number, context->dp);
}

// Requests are spread outside: each rank is a server that has to be told which one it is.
static bool external_refused(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool ranked = is_given(context, KVB_PLAIN_DATA_PARALLEL_RANK);
    if (several_ranks(context) && context->release >= R(21, 0) && !kvb_model_has_experts(context->model)) {
        return kvb_refuse(out,
                          "Non-MoE models do not support external data parallel mode. For external load balancing, "
                          "launch independent vLLM instances without --data-parallel-* arguments.");
    }
    if (!ranked && kvb_plain_or(context, KVB_PLAIN_NODES, 1) <= 1) {
        return kvb_refuse(out,
                          context->release < RANK_SPELLED_SINCE
                              ? "data_parallel_rank or node_rank must be spefified if data_parallel_external_lb is "
                                "enable."
                          : context->release < LAUNCH_OPTIONS_SINCE
                              ? "data_parallel_rank or node_rank must be specified if data_parallel_external_lb is "
                                "enable."
                              : "Invalid data-parallel launch options: `--data-parallel-external-lb` requires a "
                                "data-parallel rank. Set `--data-parallel-rank`, or set `--data-parallel-size` greater "
                                "than 1 and use `--nnodes` with `--node-rank` so the rank can be inferred.");
    }
    if (!several_ranks(context)) {
        return kvb_refuse(out, "data_parallel_external_lb can only be set when data_parallel_size > 1");
    }
    return rank_out_of_range(context, out);
}

// Source: vllm/engine/arg_utils.py v0.11.1:1475.
bool kvb_refusal_nodes(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t nodes = kvb_plain_or(context, KVB_PLAIN_NODES, 1),
             ranks = (uint64_t)context->dp * context->pp * context->tp;
    if (nodes <= 1 || ranks % nodes == 0) {
        return false;
    }
    return kvb_refuse_two(out,
                          context->release < LAUNCH_OPTIONS_SINCE
                              ? "world_size={0} must be divisible by nnodes={1}."
                              : "Invalid data-parallel launch options: `--nnodes {1}` must evenly divide the total "
                                "world size ({0}). Adjust `--nnodes`, `--data-parallel-size`, "
                                "`--pipeline-parallel-size`, or `--tensor-parallel-size`.",
                          ranks, nodes);
}

bool kvb_refusal_data_ranks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool local = is_given(context, KVB_PLAIN_DATA_PARALLEL_LOCAL);
    if (kvb_has_plain(context, KVB_PLAIN_EXTERNAL_LB) || is_given(context, KVB_PLAIN_DATA_PARALLEL_RANK)) {
        return external_refused(context, out);
    }
    if (kvb_has_plain(context, KVB_PLAIN_HYBRID_LB) && !local && kvb_plain_or(context, KVB_PLAIN_NODES, 1) <= 1) {
        return kvb_refuse(out,
                          context->release < LAUNCH_OPTIONS_SINCE
                              ? "data_parallel_size_local must be set to use data_parallel_hybrid_lb."
                              : "Invalid data-parallel launch options: `--data-parallel-hybrid-lb` requires "
                                "`--data-parallel-size-local`. Set it to the number of data-parallel ranks on this "
                                "node.");
    }
    uint64_t here = kvb_plain_or(context, KVB_PLAIN_DATA_PARALLEL_LOCAL, 0);
    if (here <= context->dp) {
        return false;
    }
    return kvb_refuse_two(out, "data_parallel_size_local ({0}) must be <= data_parallel_size ({1})", here, context->dp);
}

// ---- Experts, halves of a step, connectors

#define EPLB_CONFIG_SINCE R(10, 2)

bool kvb_refusal_redundant_experts(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    // With a sign or without, once EPLB has a config and before.
    static const char *const sentences[2][2] = {
        {"num_redundant_experts should be used with EPLB.{0}.", "num_redundant_experts should be used with EPLB.-{0}."},
        {"num_redundant_experts is set to {0} but EPLB is not enabled. Either enable EPLB or unset "
         "num_redundant_experts.",
         "num_redundant_experts is set to -{0} but EPLB is not enabled. Either enable EPLB or unset "
         "num_redundant_experts."},
    };
    const struct kvb_plain_value *copies = &context->plan->plain_numbers[KVB_PLAIN_REDUNDANT_EXPERTS];
    bool balanced = kvb_has_plain(context, KVB_PLAIN_EPLB);
    if (!copies->set || copies->number == 0 || (balanced && !copies->negative)) {
        return false;
    }
    return kvb_refuse_two(out,
                          balanced ? "num_redundant_experts must be non-negative, but got -{0}."
                                   : sentences[context->release >= EPLB_CONFIG_SINCE][copies->negative],
                          copies->number, 0);
}

#define PARTS_COUNTED_SINCE R(14, 0) // --ubatch-size

bool kvb_refusal_dbo(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool halves = kvb_has_plain(context, KVB_PLAIN_DBO) ||
                  (context->release >= PARTS_COUNTED_SINCE && kvb_plain_or(context, KVB_PLAIN_MICROBATCHES, 0) > 1);
    if (!halves || kvb_has_plain(context, KVB_PLAIN_DEEPEP)) {
        return false;
    }
    return kvb_refuse(out,
                      context->release < R(24, 0)
                          ? "Microbatching currently only supports the deepep_low_latency and deepep_high_throughput "
                            "all2all backend. allgather_reducescatter is not supported. To fix use "
                            "--all2all-backend=deepep_low_latency or --all2all-backend=deepep_high_throughput and "
                            "install the DeepEP kernels."
                          : "Microbatching currently only supports the deepep_low_latency, deepep_high_throughput, and "
                            "nixl_ep all2all backends. allgather_reducescatter is not supported. To fix use "
                            "--all2all-backend=deepep_low_latency, --all2all-backend=deepep_high_throughput, or "
                            "--all2all-backend=nixl_ep and install the matching kernels.");
}

bool kvb_refusal_routed_experts(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!kvb_has_plain(context, KVB_PLAIN_ROUTED_EXPERTS)) {
        return false;
    }
    if (context->pp > 1) {
        return kvb_refuse(out, "--enable-return-routed-experts is incompatible with pipeline parallelism (PP > 1).");
    }
    if (context->release >= R(28, 0) && (context->dcp > 1 || context->pcp > 1)) {
        return kvb_refuse(
            out, "--enable-return-routed-experts is incompatible with context parallelism (DCP > 1 or PCP > 1).");
    }
    return kvb_refuse_if(
        kvb_is_set(context->plan, KVB_SET_KV_TRANSFER), out,
        "--enable-return-routed-experts is incompatible with KV connectors (PD disaggregation, KV cache "
        "offload).");
}

bool kvb_refusal_prefill_v0(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(kvb_has_plain(context, KVB_PLAIN_SHARED_PREFILL) && context->generation == KVB_GENERATION_V0,
                         out, "Fast prefill optimization for KV sharing is not supported in V0 currently.");
}

#define ROLE_NAMED_SINCE R(11, 1)
#define ROLES_LISTED_SINCE R(9, 0)

bool kvb_refusal_connector_role(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!kvb_has_plain(context, KVB_PLAIN_NO_ROLE)) {
        return false;
    }
    return kvb_refuse(
        out, context->release < ROLES_LISTED_SINCE
                 ? "Please specify kv_disagg_role when kv_connector is set, supported roles are `kv_producer`, "
                   "`kv_consumer`, and `kv_both`"
             : context->release < ROLE_NAMED_SINCE
                 ? "Please specify kv_disagg_role when kv_connector is set, supported roles are "
                   "('kv_producer', 'kv_both', 'kv_consumer')"
                 : "Please specify kv_role when kv_connector is set, supported roles are ('kv_producer', "
                   "'kv_both', 'kv_consumer')");
}

// ---- V0: several steps at once, drafts

bool kvb_refusal_steps_at_once(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool chunks = kvb_number(context->plan, KVB_SET_ENABLE_CHUNKED_PREFILL) != 0;
    if (kvb_plain_or(context, KVB_PLAIN_SCHEDULER_STEPS, 1) <= 1) {
        return false;
    }
    if (context->speculative != KVB_SPECULATIVE_NONE) {
        return kvb_refuse(out, "Speculative decoding is not supported with multi-step (--num-scheduler-steps > 1)");
    }
    if (chunks && context->release < R(6, 3)) {
        return kvb_refuse(out, "Chunked prefill is not supported with multi-step (--num-scheduler-steps > 1)");
    }
    return kvb_refuse_if(chunks && context->pp > 1, out,
                         "Multi-Step Chunked-Prefill is not supported for pipeline-parallel-size > 1");
}

bool kvb_refusal_draft_v0(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->speculative == KVB_SPECULATIVE_NONE || !kvb_has_plain(context, KVB_PLAIN_SERVE_LINE)) {
        return false;
    }
    if (kvb_number(context->plan, KVB_SET_ENABLE_CHUNKED_PREFILL) != 0) {
        return kvb_refuse(out, "Speculative decoding and chunked prefill are currently mutually exclusive "
                               "(enable_chunked_prefill=True).");
    }
    return kvb_refuse_if(!kvb_has_plain(context, KVB_PLAIN_V2_BLOCKS), out,
                         "Speculative decoding requires usage of the V2 block manager. Enable it with "
                         "--use-v2-block-manager.");
}

// ---- Methods on their way out

static const struct {
    const char *method;
    uint32_t gone; // from the list, 0 = not yet: vllm/model_executor/layers/quantization/__init__.py
} deprecated[] = {
    {"fbgemm_fp8", 0},          {"fp_quant", 0},        {"tpu_int8", R(23, 0)}, {"experts_int8", R(20, 0)},
    {"petit_nvfp4", R(20, 0)},  {"ptpc_fp8", R(19, 0)}, {"bitblas", R(16, 0)},  {"gptq_marlin_24", R(16, 0)},
    {"gptq_bitblas", R(16, 0)}, {"ipex", R(16, 0)},     {"hqq", R(15, 0)},      {"auto-round", R(15, 0)},
    {"deepspeedfp", R(15, 0)},  {"rtn", R(15, 0)},
};

// The arguments of the exception are printed as they are: no figure is put into the sentence.
bool kvb_refusal_deprecated(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    char word[48];
    const char *method = kvb_method_used(context, word);
    if (method == NULL || kvb_has_plain(context, KVB_PLAIN_DEPRECATED)) {
        return false;
    }
    for (size_t i = 0; i < sizeof deprecated / sizeof deprecated[0]; i++) {
        bool listed = deprecated[i].gone == 0 || context->release < deprecated[i].gone;
        if (listed && strcmp(deprecated[i].method, method) == 0) {
            kvb_refusal_say(out,
                            "('The quantization method %s is deprecated and will be removed in future versions of "
                            "vLLM. To bypass, set `--allow-deprecated-quantization`.', '{0}')",
                            &method);
            return true;
        }
    }
    return false;
}
