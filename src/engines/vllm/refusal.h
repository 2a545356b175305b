// What a release refuses before it looks at memory: one row per rule, in the order in which the engine gets there.
#ifndef KVB_ENGINES_VLLM_REFUSAL_H
#define KVB_ENGINES_VLLM_REFUSAL_H

#include "engines/vllm/context.h"

// Writes the release's own sentence and returns true when it refuses.
typedef bool kvb_refusal_test(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);

struct kvb_refusal_row {
    const char *rule;     // JSON: startup.refusal
    uint32_t since, gone; // 0 = no end on that side
    bool beside_cache;    // not asked when GPU memory and cache are both stated: the question is the cache then
    kvb_refusal_test *refuses;
    const char *source; // file of the engine, at the release asked for unless a tag is named
};
const struct kvb_refusal_row *kvb_refusal_rows(size_t *count);

// The first row that refuses ends the start: its sentence, its rule. Nothing is changed when none does.
void kvb_refusal_check(const struct kvb_context *context, struct kvb_budget *budget);
// The same once the KV cache is laid out, where nothing has refused before.
void kvb_refusal_check_layout(const struct kvb_context *context, struct kvb_budget *budget);

// "{0}" to "{9}" in the pattern are replaced by the values.
void kvb_refusal_say(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, const char *const values[]);
// The same for a sentence without values, and with two numbers as {0} and {1}; both return true.
bool kvb_refuse(char out[KVB_ERROR_TEXT_CAPACITY], const char *text);
bool kvb_refuse_two(char out[KVB_ERROR_TEXT_CAPACITY], const char *pattern, uint64_t first, uint64_t second);
// Of a class, and of a draft's, that has no stages: vllm/config/model.py verify_with_parallel_config.
#define KVB_NO_STAGES                                                                                                  \
    "Pipeline parallelism is not supported for this model. Supported models implement the `SupportsPP` interface."
// The sentence where it is refused. Returns `refused`.
bool kvb_refuse_if(bool refused, char out[KVB_ERROR_TEXT_CAPACITY], const char *text);
// Whether a flag that moves no memory was given, and the number of one, or `otherwise`.
bool kvb_has_plain(const struct kvb_context *context, enum kvb_plain_flag flag);
uint64_t kvb_plain_or(const struct kvb_context *context, enum kvb_plain_number number, uint64_t otherwise);
// A number as text for kvb_refusal_say. Returns `out`.
const char *kvb_refusal_count(char out[24], uint64_t count);
// "7.5" for 75. Returns `out`.
const char *kvb_refusal_capability(char out[24], uint32_t capability);

// What the release makes of an automatic dtype on this GPU.
enum kvb_dtype kvb_auto_dtype(const struct kvb_context *context);
// The quantisation method the release settles on, in `out` or constant; NULL when nothing is quantised.
const char *kvb_method_used(const struct kvb_context *context, char out[48]);

// The release has no class of its own for the model and falls back to the transformers library's (from 0.7.2 on), which
// may have it: a class that no release ever had, or one that the transformers it asks for has already.
// Source: vllm/model_executor/model_loader/utils.py resolve_transformers_fallback, models/registry.py
// _try_resolve_transformers.
bool kvb_class_by_transformers(const struct kvb_context *context);

// Rules by subject; see refusal.c for the table.
kvb_refusal_test kvb_refusal_flags, kvb_refusal_length_word;
kvb_refusal_test kvb_refusal_class, kvb_refusal_lora_rank, kvb_refusal_lora_class, kvb_refusal_stages_class,
    kvb_refusal_no_stages;
kvb_refusal_test kvb_refusal_kernels, kvb_refusal_torch, kvb_refusal_bfloat16, kvb_refusal_float16, kvb_refusal_v1_only;
kvb_refusal_test kvb_refusal_method_choice, kvb_refusal_method_word, kvb_refusal_method_differs,
    kvb_refusal_method_values, kvb_refusal_method_capability, kvb_refusal_method_dtype, kvb_refusal_method_file,
    kvb_refusal_scheme;
kvb_refusal_test kvb_refusal_head_size, kvb_refusal_fp8_kernel, kvb_refusal_flex_cache, kvb_refusal_rocm_method,
    kvb_refusal_bnb_ranks, kvb_refusal_bnb_format;
kvb_refusal_test kvb_refusal_draft_model, kvb_refusal_draft_vocabulary, kvb_refusal_draft_words, kvb_refusal_no_pixels,
    kvb_refusal_draft_mtp, kvb_refusal_async, kvb_refusal_no_experts, kvb_refusal_eplb, kvb_refusal_lora_vocabulary,
    kvb_refusal_lora_chunks, kvb_refusal_prefix_window, kvb_refusal_no_pictures, kvb_refusal_offload_wsl,
    kvb_refusal_sleep, kvb_refusal_block, kvb_refusal_mamba_block, kvb_refusal_async_states;
// The most tokens of a step beside LoRA; UINT64_MAX where the release has no such limit.
uint64_t kvb_lora_step_most(const struct kvb_context *context);
// What the release says of a rank of adapters that it does not know, with {0} for the rank.
const char *kvb_lora_rank_sentence(uint32_t release);
// A prompt has to fit into one step: nothing is prefilled in chunks.
bool kvb_prompts_are_whole(const struct kvb_context *context);

kvb_refusal_test kvb_refusal_pooling_chunks, kvb_refusal_runner;
kvb_refusal_test kvb_refusal_backend, kvb_refusal_triton_cache, kvb_refusal_flash_cache, kvb_refusal_no_backend;
kvb_refusal_test kvb_refusal_cpu_loras, kvb_refusal_lora_drafts, kvb_refusal_partial_prefills,
    kvb_refusal_prefill_threshold, kvb_refusal_data_ranks, kvb_refusal_nodes, kvb_refusal_gpu_count,
    kvb_refusal_redundant_experts, kvb_refusal_dbo, kvb_refusal_routed_experts, kvb_refusal_connector_role,
    kvb_refusal_steps_at_once, kvb_refusal_draft_v0, kvb_refusal_deprecated;
kvb_refusal_test kvb_refusal_draft_class, kvb_refusal_eagle3_target, kvb_refusal_draft_stages, kvb_refusal_draft_ranks,
    kvb_refusal_draft_multiple, kvb_refusal_scheduled_tokens;
// Whether the release turns the checkpoint into modules that draft (MTP), which have a class of their own.
bool kvb_brings_mtp(const struct kvb_model *model, uint32_t release);
// Whether the release has the model's class, without this of kvb_known_class.interfaces.
bool kvb_class_lacks(const struct kvb_context *context, char letter);
// A head that drafts from hidden states of several layers.
bool kvb_drafts_by_eagle3(const struct kvb_context *context);

kvb_refusal_test kvb_refusal_draft_ranks_differ, kvb_refusal_draft_pictures, kvb_refusal_draft_context,
    kvb_refusal_hidden_states, kvb_refusal_async_executor, kvb_refusal_lora_experts, kvb_refusal_connector_segments;
kvb_refusal_test kvb_refusal_draft_unnamed, kvb_refusal_draft_uncounted, kvb_refusal_draft_heads, kvb_refusal_assistant,
    kvb_refusal_draft_length;
kvb_refusal_test kvb_refusal_draft_states, kvb_refusal_draft_graphs, kvb_refusal_v2_runner;
kvb_refusal_test kvb_refusal_pooled_pieces;
kvb_refusal_test kvb_refusal_graph_sizes, kvb_refusal_uncompiled_pieces, kvb_refusal_offload_groups,
    kvb_refusal_prompt_ranks, kvb_refusal_prompt_backends, kvb_refusal_heads, kvb_refusal_dcp_divides,
    kvb_refusal_lora_early, kvb_refusal_chunked_window, kvb_refusal_scaled_window, kvb_refusal_prefill_v0,
    kvb_refusal_bnb_stored, kvb_refusal_backend_latent;
kvb_refusal_test kvb_refusal_split, kvb_refusal_group_shape, kvb_refusal_block_shape, kvb_refusal_expert_groups,
    kvb_refusal_dcp, kvb_refusal_shared_caches, kvb_refusal_named_16bit;

#endif
