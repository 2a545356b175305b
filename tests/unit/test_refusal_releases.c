// In which releases each refusal of vLLM holds: from the first tag whose code has the words beside it to the last one,
// as a search finds them under vllm/ at the tags on both sides (git grep); and which of them a question about the cache
// alone skips. Rows without words have no sentence that stands and falls with them: what refuses there is held by
// tests/fixtures/refusals.csv alone, and they are told here so that a bound does not move unseen.
#include <string.h>

#include "engines/vllm/refusal.h"
#include "unit/fixture_rows.h"
#include "unit/test.h"

struct told {
    const char *rule, *since, *gone; // "-": all before, none after
    bool beside_cache;
    bool (*refuses)(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
};

static const struct told told[] = {
    {"flags", "-", "-", false, kvb_refusal_flags},
    {"max-model-len-word", "-", "-", false, kvb_refusal_length_word},
    {"kv-connector", "0.6.5", "-", false, kvb_refusal_connector_role}, // Please specify kv_disagg_role when
    {"architecture", "-", "-", false, kvb_refusal_class},
    {"runner", "0.6.4", "-", false, kvb_refusal_runner},
    {"quantization-word", "-", "0.9.2", false, kvb_refusal_method_choice},      // QuantizationMethods = Any
    {"quantization-mismatch", "0.2.2", "-", false, kvb_refusal_method_differs}, // Quantization method specified in
    {"quantization-word", "-", "-", false, kvb_refusal_method_word},
    {"quantization-platform", "0.6.5", "-", true, kvb_refusal_rocm_method}, // supported_quantization, platforms/rocm.py
    {"quantization-deprecated", "0.14.0", "-", false, kvb_refusal_deprecated},    // DEPRECATED_QUANTIZATION_METHODS
    {"dtype-float16", "0.9.1", "-", false, kvb_refusal_float16},                  // does not support float16
    {"partial-prefills", "0.7.3", "0.27.0", false, kvb_refusal_partial_prefills}, // Concurrent Partial Prefill
    {"data-parallel-ranks", "0.9.0", "-", false, kvb_refusal_data_ranks},         // data_parallel_size_local
    {"expert-parallel", "0.9.2", "-", false,
     kvb_refusal_redundant_experts}, // num_redundant_experts should be used with EPLB
    {"parallel-split", "-", "-", false, kvb_refusal_split},
    {"pipeline-parallel", "-", "0.5.1", false, kvb_refusal_no_stages}, // Pipeline parallelism is not supported yet
    {"pipeline-parallel", "0.6.3", "-", false,
     kvb_refusal_stages_class},                                        // Pipeline parallelism is not supported for this
    {"decode-context-parallel", "0.11.1", "-", true, kvb_refusal_dcp}, // get_total_num_kv_heads beside dcp
    {"prefill-context-parallel", "0.12.0", "-", true, kvb_refusal_prompt_ranks}, // prefill_context_parallel_size
    {"expert-parallel", "0.8.0", "-", false, kvb_refusal_no_experts}, // Number of experts in the model must be greater
    {"expert-parallel", "0.10.0", "-", false, kvb_refusal_eplb},      // enable_expert_parallel must be True to use EPLB
    {"bitsandbytes", "0.5.0", "0.8.2", false, kvb_refusal_bnb_format}, // BitsAndBytes quantization and QLoRA
    {"bitsandbytes", "0.5.0", "0.6.2", false, kvb_refusal_bnb_ranks},  // BitAndBytes quantization with TP
    {"speculative", "0.4.1", "0.6.4", false, kvb_refusal_draft_v0},
    {"pooling-chunked-prefill", "0.6.5", "0.10.2", false,
     kvb_refusal_pooling_chunks}, // Chunked prefill is not supported for pooling
    {"num-scheduler-steps", "0.5.5", "0.10.1", false, kvb_refusal_steps_at_once}, // num_scheduler_steps
    {"speculative", "0.10.0", "0.15.0", false, kvb_refusal_draft_model}, // Speculative decoding with draft model
    {"speculative", "0.8.5", "-", false, kvb_refusal_draft_words},       // num_speculative_tokens was provided
    {"speculative", "0.8.5", "-", false, kvb_refusal_draft_uncounted},   // must be provided with speculative model
    {"speculative", "0.8.5", "-", false, kvb_refusal_draft_heads}, // draft_model_config.verify_with_parallel_config
    {"speculative", "0.15.0", "0.17.0", false, kvb_refusal_draft_unnamed}, // Unsupported speculative method: 'None'
    {"speculative", "0.15.0", "-", true, kvb_refusal_draft_ranks_differ},  // 'draft_tensor_parallel_size' and
    {"speculative", "0.15.0", "0.21.0", true, kvb_refusal_draft_pictures}, // does not support multimodal models yet
    {"speculative", "0.11.0", "-", true, kvb_refusal_hidden_states},       // Model does not support EAGLE3 interface
    {"speculative", "0.27.0", "-", false, kvb_refusal_draft_context},      // MLA DSpark does not currently support
    {"async-scheduling", "0.11.1", "0.19.0", true, kvb_refusal_async_executor}, // async scheduling only supports `mp`
    {"lora-experts", "0.11.1", "0.21.0", true, kvb_refusal_lora_experts},       // EP support for Fused MoE LoRA
    {"kv-connector", "0.21.0", "-", false, kvb_refusal_connector_segments},     // is incompatible with PYTORCH_CUDA
    {"speculative", "0.15.0", "-", false, kvb_refusal_draft_vocabulary},        // Target and draft model
    {"speculative", "0.11.0", "-", false, kvb_refusal_draft_mtp},
    {"speculative", "0.4.1", "-", false, kvb_refusal_draft_class},
    {"pipeline-parallel", "0.9.0", "-", false, kvb_refusal_draft_stages},
    {"speculative", "0.5.1", "-", false, kvb_refusal_draft_ranks}, // speculative_draft_tensor_parallel_size
    {"speculative", "0.8.2", "-", false, kvb_refusal_draft_multiple},
    {"speculative", "0.8.5", "0.22.0", false, kvb_refusal_eagle3_target},
    {"speculative", "0.17.0", "0.28.0", false, kvb_refusal_scheduled_tokens}, // VllmConfig received max_num_scheduled
    {"async-scheduling", "0.10.0", "-", true, kvb_refusal_async},             // async_scheduling
    {"limit-mm-per-prompt", "0.6.3", "0.10.1", false,
     kvb_refusal_no_pictures},                                                // `limit_mm_per_prompt` is only supported
    {"mm-processor-kwargs", "0.9.0", "0.10.1", false, kvb_refusal_no_pixels}, // `mm_processor_kwargs` is only supported
    {"chunked-prefill-window", "0.4.3", "0.6.3", false, kvb_refusal_chunked_window},
    {"offload-groups", "0.17.0", "-", false, kvb_refusal_offload_groups}, // offload_num_in_group
    {"cudagraph-sizes", "0.11.1", "-", true, kvb_refusal_graph_sizes},    // customized max_cudagraph_capture_size
    {"prefix-caching", "0.4.3", "0.11.1", false,
     kvb_refusal_prefix_window},                                         // Prefix caching is not supported with sliding
    {"model-runner", "0.22.0", "0.29.0", true, kvb_refusal_v2_runner},   // does not yet support:
    {"sleep-mode", "0.8.0", "-", false, kvb_refusal_sleep},              // Expandable segments are not compatible
    {"mamba-block-size", "0.11.1", "-", false, kvb_refusal_mamba_block}, // --mamba-block-size can only be
    {"partial-prefills", "0.27.0", "-", false, kvb_refusal_prefill_threshold},
    {"max-cpu-loras", "0.3.0", "-", false, kvb_refusal_cpu_loras},
    {"lora-limits", "0.3.0", "0.11.1", false,
     kvb_refusal_lora_early}, // LoRA is not supported with; V0 LoRA does not support
    {"lora-chunked-prefill", "0.5.1", "0.6.5", false,
     kvb_refusal_lora_chunks},                                      // LoRA is not supported with chunked prefill
    {"lora-rank", "0.3.0", "-", false, kvb_refusal_lora_rank},      // max_lora_rank
    {"lora-drafts", "0.11.1", "-", false, kvb_refusal_lora_drafts}, // Consider increasing max_num_batched_tokens or
    {"expert-parallel", "0.11.1", "-", false, kvb_refusal_dbo},     // Microbatching currently only supports
    {"nnodes", "0.11.1", "-", false, kvb_refusal_nodes},            // must be divisible by nnodes; must evenly divide
    {"gpu-count", "0.11.1", "-", false, kvb_refusal_gpu_count},     // larger than the number of available GPUs
    {"cudagraph-mode", "0.10.1", "0.12.0", true,
     kvb_refusal_uncompiled_pieces}, // when cudagraph_mode piecewise cudagraphs is used
    {"routed-experts", "0.22.0", "-", false, kvb_refusal_routed_experts},    // return-routed-experts is incompatible
    {"sliding-window", "0.4.3", "0.12.0", false, kvb_refusal_scaled_window}, // for models with rope_scaling
    {"kv-sharing", "0.10.2", "0.11.0", false, kvb_refusal_prefill_v0},       // is not supported in V0 currently
    {"v1-only", "0.8.0", "0.11.0", false, kvb_refusal_v1_only},
    {"quantization-config", "-", "-", true, kvb_refusal_method_file},
    {"quantization-config", "0.2.0", "-", true, kvb_refusal_method_values}, // only 4-bit weight quantization is
    {"quantization-capability", "-", "-", true, kvb_refusal_method_capability},
    {"quantization-dtype", "-", "-", true, kvb_refusal_method_dtype},
    {"dtype-bfloat16", "-", "-", false, kvb_refusal_bfloat16},
    {"gpu-capability", "-", "-", false, kvb_refusal_kernels},
    {"gpu-capability", "-", "0.9.0", false, kvb_refusal_torch},
    {"quantization-scheme", "0.5.0", "-", true, kvb_refusal_scheme},
    {"quantization-shape", "0.2.2", "-", true, kvb_refusal_group_shape}, // The input size is
    {"quantization-shape", "0.8.5", "-", true, kvb_refusal_expert_groups},
    {"quantization-shape", "0.6.6", "-", true, kvb_refusal_block_shape},
    {"bitsandbytes", "0.6.2", "-", true, kvb_refusal_bnb_stored}, // Prequant BitsAndBytes models with
    {"lora-class", "0.6.3", "-", true, kvb_refusal_lora_class},
    {"lora-vocabulary", "0.3.0", "0.4.1", true, kvb_refusal_lora_vocabulary},
    {"attention-head-size", "0.8.0", "0.9.2", true, kvb_refusal_head_size},
    {"attention-backend", "0.11.1", "-", true, kvb_refusal_backend}, // is not valid for
    {"attention-backend", "0.11.1", "-", true, kvb_refusal_backend_latent},
    {"kv-cache-dtype", "0.11.0", "-", true, kvb_refusal_triton_cache},     // FP8 KV cache is
    {"kv-cache-dtype", "0.11.0", "0.22.0", true, kvb_refusal_flash_cache}, // Unrecognized FP8 dtype
    {"kv-cache-dtype", "0.11.1", "-", true, kvb_refusal_no_backend},
    {"kv-cache-dtype", "0.10.2", "0.11.1", true, kvb_refusal_flex_cache},
    {"kv-cache-dtype", "0.11.0", "0.11.1", true, kvb_refusal_named_16bit},
    {"pipeline-parallel", "0.19.0", "-", true, kvb_refusal_shared_caches}, // Specified KV sharing target layer for
    {"quantization-kernel", "0.6.0", "0.9.0", true, kvb_refusal_fp8_kernel},
    {"speculative", "0.9.2", "0.17.0", true, kvb_refusal_draft_states}, // Mamba with speculative decoding is
    {"cudagraph-sizes", "0.11.1", "-", true, kvb_refusal_draft_graphs}, // determine cudagraph shapes that are both
    {"cpu-offload", "0.8.3", "0.17.0", true, kvb_refusal_offload_wsl},  // V1 CPU offloading requires
    {"decode-context-parallel", "0.10.2", "-", false, kvb_refusal_dcp_divides}, // must be divisible bydcp_size
    {"parallel-split", "-", "-", false, kvb_refusal_heads},
    {"prefill-context-parallel", "0.13.0", "-", true, kvb_refusal_prompt_backends}, // PCP requires attention impls
    {"speculative", "0.8.5", "-", false, kvb_refusal_draft_length},
    {"cudagraph-mode", "0.13.0", "-", true, kvb_refusal_pooled_pieces},
    {"block-size", "-", "0.18.0", false, kvb_refusal_block}, // BlockSize = Literal in config/cache.py
    {"async-scheduling-states", "0.16.0", "0.17.0", false, kvb_refusal_async_states}, // prefix caching for Mamba models
    {"speculative", "0.25.0", "0.27.0", true, kvb_refusal_assistant}, // Target embedding dim; gemma4.py from 0.27.0 on
};

// A rule may stand in several rows, one for each function that looks at it.
static void each_refusal_in_its_releases(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_refusal_row *rows = kvb_refusal_rows(&count);
    assert_int_equal(count, sizeof told / sizeof told[0]);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        uint32_t since = release_of(told[i].since), gone = release_of(told[i].gone);
        bool found = false;
        for (size_t at = 0; at < count && !found; at++) {
            found = strcmp(rows[at].rule, told[i].rule) == 0 && rows[at].refuses == told[i].refuses &&
                    rows[at].since == since && rows[at].gone == gone && rows[at].beside_cache == told[i].beside_cache;
        }
        if (!found) {
            fail_msg("%s from %s to %s has no row", told[i].rule, told[i].since, told[i].gone);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_refusal_in_its_releases))
