// The table of what a release refuses before it looks at memory, and the walk over it.
#include "engines/vllm/refusal.h"

#include <string.h>

#include "engines/vllm/terms.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static const struct kvb_refusal_row rows[] = {
    {"flags", 0, 0, false, kvb_refusal_flags, "vllm/engine/arg_utils.py, vllm/entrypoints/openai/cli_args.py"},
    {"max-model-len-word", 0, 0, false, kvb_refusal_length_word, "vllm/engine/arg_utils.py human_readable_int"},
    {"kv-connector", R(6, 5), 0, false, kvb_refusal_connector_role, "vllm/config/kv_transfer.py"},
    {"architecture", 0, 0, false, kvb_refusal_class, "vllm/model_executor/models/registry.py _raise_for_unsupported"},
    {"runner", R(6, 4), 0, false, kvb_refusal_runner, "vllm/config/model.py"},
    {"quantization-word", 0, R(13, 0), false, kvb_refusal_method_choice, "vllm/engine/arg_utils.py"},
    {"quantization-mismatch", R(2, 2), 0, false, kvb_refusal_method_differs,
     "vllm/config/model.py _verify_quantization"},
    {"quantization-word", 0, 0, false, kvb_refusal_method_word, "vllm/config/model.py _verify_quantization"},
    {"quantization-platform", R(6, 5), 0, true, kvb_refusal_rocm_method, "vllm/platforms/rocm.py"},
    {"quantization-deprecated", R(14, 0), 0, false, kvb_refusal_deprecated, "vllm/config/model.py"},
    {"dtype-float16", R(9, 1), 0, false, kvb_refusal_float16, "vllm/config/model.py _check_valid_dtype"},
    {"partial-prefills", R(7, 3), R(27, 0), false, kvb_refusal_partial_prefills,
     "vllm/engine/arg_utils.py, vllm/config/scheduler.py"},
    {"data-parallel-ranks", R(9, 0), 0, false, kvb_refusal_data_ranks,
     "vllm/engine/arg_utils.py, vllm/config/parallel.py"},
    {"nnodes", R(11, 1), 0, false, kvb_refusal_nodes, "vllm/engine/arg_utils.py"},
    {"expert-parallel", R(9, 2), 0, false, kvb_refusal_redundant_experts, "vllm/config/parallel.py"},
    {"expert-parallel", R(10, 0), 0, false, kvb_refusal_eplb, "vllm/config/parallel.py"},
    {"prefill-context-parallel", R(12, 0), 0, true, kvb_refusal_prompt_ranks, "vllm/config/parallel.py"},
    {"decode-context-parallel", R(10, 2), 0, false, kvb_refusal_dcp_divides,
     "vllm/engine/arg_utils.py, vllm/config/parallel.py"},
    {"pipeline-parallel", 0, R(5, 1), false, kvb_refusal_no_stages, "vllm/config.py ParallelConfig._verify_args"},
    {"parallel-split", 0, 0, false, kvb_refusal_heads, "vllm/config/model.py verify_with_parallel_config"},
    {"expert-parallel", R(8, 0), 0, false, kvb_refusal_no_experts,
     "vllm/config/model.py _verify_with_expert_parallelism"},
    {"pipeline-parallel", R(6, 3), 0, false, kvb_refusal_stages_class,
     "vllm/config/model.py verify_with_parallel_config"},
    {"decode-context-parallel", R(11, 1), 0, true, kvb_refusal_dcp, "vllm/config/model.py verify_with_parallel_config"},
    {"parallel-split", 0, 0, false, kvb_refusal_split, "vllm/distributed/utils.py divide, model_executor/layers"},
    {"pipeline-parallel", R(19, 0), 0, true, kvb_refusal_shared_caches,
     "vllm/model_executor/layers/attention/attention.py validate_kv_sharing_target"},
    {"prefill-context-parallel", R(13, 0), 0, true, kvb_refusal_prompt_backends,
     "vllm/v1/worker/cp_utils.py, vllm/v1/attention/backend.py"},
    {"bitsandbytes", R(5, 0), R(8, 2), false, kvb_refusal_bnb_format, "vllm/engine/arg_utils.py"},
    {"bitsandbytes", R(5, 0), R(6, 2), false, kvb_refusal_bnb_ranks, "vllm/config.py verify_with_parallel_config"},
    {"speculative", R(4, 1), R(6, 4), false, kvb_refusal_draft_v0, "vllm/config.py SpeculativeConfig"},
    {"pooling-chunked-prefill", R(6, 5), R(10, 2), false, kvb_refusal_pooling_chunks, "vllm/engine/arg_utils.py"},
    {"num-scheduler-steps", R(5, 5), R(10, 1), false, kvb_refusal_steps_at_once, "vllm/engine/arg_utils.py"},
    {"speculative", R(8, 5), 0, false, kvb_refusal_draft_words, "vllm/config/speculative.py"},
    {"speculative", R(4, 1), 0, false, kvb_refusal_draft_class, "vllm/model_executor/models/registry.py"},
    {"speculative", R(10, 0), R(15, 0), false, kvb_refusal_draft_model, "vllm/config/speculative.py"},
    {"speculative", R(15, 0), R(17, 0), false, kvb_refusal_draft_unnamed, "vllm/config/speculative.py"},
    {"speculative", R(11, 0), 0, false, kvb_refusal_draft_mtp, "vllm/config/speculative.py"},
    {"speculative", R(8, 2), 0, false, kvb_refusal_draft_multiple, "vllm/config/speculative.py"},
    {"speculative", R(8, 5), 0, false, kvb_refusal_draft_uncounted, "vllm/config/speculative.py"},
    {"speculative", R(27, 0), 0, false, kvb_refusal_draft_context, "vllm/config/speculative.py"},
    {"speculative", R(5, 1), 0, false, kvb_refusal_draft_ranks, "vllm/config/speculative.py _verify_and_get_draft_tp"},
    {"speculative", R(8, 5), 0, false, kvb_refusal_draft_heads,
     "vllm/config/speculative.py _verify_args, config/model.py verify_with_parallel_config"},
    {"pipeline-parallel", R(9, 0), 0, false, kvb_refusal_draft_stages,
     "vllm/config/speculative.py _verify_args, config/model.py verify_with_parallel_config"},
    {"speculative", R(8, 5), R(22, 0), false, kvb_refusal_eagle3_target, "vllm/config/speculative.py _verify_args"},
    {"speculative", R(15, 0), 0, false, kvb_refusal_draft_vocabulary, "vllm/config/speculative.py"},
    {"speculative", R(17, 0), R(28, 0), false, kvb_refusal_scheduled_tokens,
     "vllm/config/vllm.py _set_max_num_scheduled_tokens"},
    {"async-scheduling", R(10, 0), 0, true, kvb_refusal_async, "vllm/config/vllm.py, engine/arg_utils.py"},
    {"async-scheduling", R(11, 1), R(19, 0), true, kvb_refusal_async_executor, "vllm/config/vllm.py"},
    {"limit-mm-per-prompt", R(6, 3), R(10, 1), false, kvb_refusal_no_pictures, "vllm/config.py"},
    {"mm-processor-kwargs", R(9, 0), R(10, 1), false, kvb_refusal_no_pixels, "vllm/config.py"},
    {"chunked-prefill-window", R(4, 3), R(6, 3), false, kvb_refusal_chunked_window, "vllm/engine/arg_utils.py"},
    {"offload-groups", R(17, 0), 0, false, kvb_refusal_offload_groups, "vllm/config/offload.py"},
    {"cudagraph-mode", R(10, 1), R(12, 0), true, kvb_refusal_uncompiled_pieces, "vllm/config/vllm.py"},
    {"cudagraph-sizes", R(11, 1), 0, true, kvb_refusal_graph_sizes, "vllm/config/vllm.py _set_cudagraph_sizes"},
    {"prefix-caching", R(4, 3), R(11, 1), false, kvb_refusal_prefix_window,
     "vllm/config/cache.py _verify_prefix_caching"},
    {"model-runner", R(22, 0), R(29, 0), true, kvb_refusal_v2_runner, "vllm/config/vllm.py _validate_v2_model_runner"},
    {"kv-connector", R(21, 0), 0, false, kvb_refusal_connector_segments,
     "vllm/config/vllm.py _verify_kv_transfer_compat"},
    {"sleep-mode", R(8, 0), 0, false, kvb_refusal_sleep, "vllm/config/model.py, device_allocator/cumem.py"},
    {"mamba-block-size", R(11, 1), 0, false, kvb_refusal_mamba_block, "vllm/config/vllm.py"},
    {"partial-prefills", R(27, 0), 0, false, kvb_refusal_prefill_threshold, "vllm/config/scheduler.py"},
    {"max-cpu-loras", R(3, 0), 0, false, kvb_refusal_cpu_loras, "vllm/config/lora.py"},
    {"lora-limits", R(3, 0), R(11, 1), false, kvb_refusal_lora_early, "vllm/config/lora.py, vllm/config.py"},
    {"lora-chunked-prefill", R(5, 1), R(6, 5), false, kvb_refusal_lora_chunks,
     "vllm/config.py verify_with_scheduler_config"},
    {"lora-rank", R(3, 0), 0, false, kvb_refusal_lora_rank, "vllm/config/lora.py"},
    {"lora-drafts", R(11, 1), 0, false, kvb_refusal_lora_drafts, "vllm/engine/arg_utils.py"},
    {"expert-parallel", R(11, 1), 0, false, kvb_refusal_dbo, "vllm/config/vllm.py"},
    {"routed-experts", R(22, 0), 0, false, kvb_refusal_routed_experts, "vllm/config/vllm.py"},
    {"v1-only", R(8, 0), R(11, 0), false, kvb_refusal_v1_only, "vllm/engine/arg_utils.py _is_v1_supported_oracle"},
    {"quantization-config", 0, 0, true, kvb_refusal_method_file, "vllm/model_executor/model_loader/weight_utils.py"},
    {"quantization-config", R(2, 0), 0, true, kvb_refusal_method_values,
     "vllm/model_executor/layers/quantization, from_config"},
    {"quantization-capability", 0, 0, true, kvb_refusal_method_capability,
     "vllm/config/vllm.py _get_quantization_config"},
    {"quantization-dtype", 0, 0, true, kvb_refusal_method_dtype, "vllm/config/vllm.py _get_quantization_config"},
    {"dtype-bfloat16", 0, 0, false, kvb_refusal_bfloat16,
     "vllm/platforms/cuda.py check_if_supports_dtype, worker/worker.py"},
    {"gpu-capability", 0, 0, false, kvb_refusal_kernels, "CMakeLists.txt CUDA_SUPPORTED_ARCHS, docker/Dockerfile"},
    {"gpu-capability", 0, R(9, 0), false, kvb_refusal_torch, "requirements/cuda.txt: torch before 2.7"},
    {"quantization-scheme", R(5, 0), 0, true, kvb_refusal_scheme,
     "vllm/model_executor/layers/quantization/compressed_tensors/compressed_tensors.py _check_scheme_supported"},
    {"quantization-shape", R(2, 2), 0, true, kvb_refusal_group_shape,
     "vllm/model_executor/layers/quantization/awq.py, gptq.py"},
    {"quantization-shape", R(8, 5), 0, true, kvb_refusal_expert_groups,
     "vllm/model_executor/layers/quantization/moe_wna16.py"},
    {"quantization-shape", R(6, 6), 0, true, kvb_refusal_block_shape, "vllm/model_executor/layers/quantization/fp8.py"},
    {"bitsandbytes", R(6, 2), 0, true, kvb_refusal_bnb_stored,
     "vllm/model_executor/model_loader/bitsandbytes_loader.py _verify_model_compatibility"},
    {"lora-class", R(6, 3), 0, true, kvb_refusal_lora_class, "vllm/v1/worker/lora_model_runner_mixin.py"},
    {"lora-experts", R(11, 1), R(21, 0), true, kvb_refusal_lora_experts, "vllm/lora/layers/fused_moe.py"},
    {"speculative", R(15, 0), R(21, 0), true, kvb_refusal_draft_pictures,
     "vllm/v1/spec_decode/draft_model.py, eagle.py, llm_base_proposer.py"},
    {"speculative", R(15, 0), 0, true, kvb_refusal_draft_ranks_differ, "vllm/v1/spec_decode/draft_model.py"},
    {"speculative", R(11, 0), 0, true, kvb_refusal_hidden_states,
     "vllm/v1/worker/gpu_model_runner.py, vllm/model_executor/models/interfaces.py SupportsEagle3"},
    {"speculative", R(25, 0), R(27, 0), true, kvb_refusal_assistant,
     "vllm/v1/spec_decode/llm_base_proposer.py _maybe_share_embeddings"},
    {"lora-vocabulary", R(3, 0), R(4, 1), true, kvb_refusal_lora_vocabulary, "vllm/lora/layers.py"},
    {"attention-head-size", R(8, 0), R(9, 2), true, kvb_refusal_head_size, "vllm/v1/attention/backends/flash_attn.py"},
    {"attention-backend", R(11, 1), 0, true, kvb_refusal_backend, "vllm/platforms/cuda.py get_attn_backend_cls"},
    {"attention-backend", R(11, 1), 0, true, kvb_refusal_backend_latent, "vllm/platforms/cuda.py get_attn_backend_cls"},
    {"kv-cache-dtype", R(11, 0), 0, true, kvb_refusal_triton_cache,
     "vllm/v1/attention/backends/triton_attn.py, vllm/platforms/cuda.py get_attn_backend_cls"},
    {"kv-cache-dtype", R(11, 1), 0, true, kvb_refusal_no_backend, "vllm/platforms/cuda.py get_attn_backend_cls"},
    {"kv-cache-dtype", R(10, 2), R(11, 1), true, kvb_refusal_flex_cache,
     "vllm/v1/attention/backends/flex_attention.py"},
    {"kv-cache-dtype", R(11, 0), R(11, 1), true, kvb_refusal_named_16bit,
     "vllm/v1/attention/backends/flash_attn.py, csrc/quantization/fp8/nvidia/quant_utils.cuh"},
    {"quantization-kernel", R(6, 0), R(9, 0), true, kvb_refusal_fp8_kernel,
     "vllm/model_executor/layers/quantization/fp8.py"},
    {"speculative", R(9, 2), R(17, 0), true, kvb_refusal_draft_states,
     "vllm/v1/worker/gpu_model_runner.py, model_executor/layers/mamba/abstract.py get_kv_cache_spec"},
    {"cudagraph-sizes", R(11, 1), 0, true, kvb_refusal_draft_graphs,
     "vllm/config/compilation.py adjust_cudagraph_sizes_for_spec_decode"},
    {"cpu-offload", R(8, 3), R(17, 0), true, kvb_refusal_offload_wsl, "vllm/model_executor/models/utils.py"},
};

const struct kvb_refusal_row *kvb_refusal_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

void kvb_refusal_check(const struct kvb_context *context, struct kvb_budget *budget)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_refusal_row *row = &rows[i];
        bool in_range = context->release >= row->since && (row->gone == 0 || context->release < row->gone);
        bool asked = !row->beside_cache || !kvb_is_about_cache_alone(context);
        if (in_range && asked && row->refuses(context, budget->error)) {
            budget->starts = false;
            budget->refusal = row->rule;
            return;
        }
    }
}
