// In which releases each refusal of vLLM holds, told a second time: from the first tag whose code has its sentence to
// the last one, as a search for the sentence finds it in vllm/config*, engine/arg_utils.py, platforms/ and the layers;
// and which of them a question about the cache alone skips.
#include <stdio.h>
#include <string.h>

#include "engines/vllm/refusal.h"
#include "unit/test.h"

struct told {
    const char *rule, *since, *gone; // "-": all before, none after
    bool beside_cache;
    bool (*refuses)(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
};

static const struct told told[] = {
    {"flags", "-", "-", false, kvb_refusal_flags},
    {"max-model-len-word", "-", "-", false, kvb_refusal_length_word},
    {"kv-connector", "0.6.5", "-", false, kvb_refusal_connector_role},
    {"architecture", "-", "-", false, kvb_refusal_class},
    {"runner", "0.6.4", "-", false, kvb_refusal_runner},
    {"quantization-word", "-", "-", false, kvb_refusal_method_word},
    {"quantization-platform", "0.6.5", "-", true, kvb_refusal_rocm_method},
    {"quantization-mismatch", "0.2.2", "-", false, kvb_refusal_method_differs},
    {"quantization-deprecated", "0.14.0", "-", false, kvb_refusal_deprecated},
    {"dtype-float16", "0.9.1", "-", false, kvb_refusal_float16},
    {"partial-prefills", "0.7.3", "0.27.0", false, kvb_refusal_partial_prefills},
    {"data-parallel-ranks", "0.9.0", "-", false, kvb_refusal_data_ranks},
    {"expert-parallel", "0.9.2", "-", false, kvb_refusal_redundant_experts},
    {"parallel-split", "-", "-", false, kvb_refusal_split},
    {"pipeline-parallel", "-", "0.5.1", false, kvb_refusal_no_stages},
    {"pipeline-parallel", "0.6.3", "-", false, kvb_refusal_stages_class},
    {"decode-context-parallel", "0.11.0", "-", true, kvb_refusal_dcp},
    {"prefill-context-parallel", "0.12.0", "-", true, kvb_refusal_prompt_ranks},
    {"expert-parallel", "0.8.0", "-", false, kvb_refusal_no_experts},
    {"expert-parallel", "0.10.0", "-", false, kvb_refusal_eplb},
    {"bitsandbytes", "0.5.0", "0.8.2", false, kvb_refusal_bnb_format},
    {"bitsandbytes", "0.5.0", "0.6.2", false, kvb_refusal_bnb_ranks},
    {"speculative", "0.4.1", "0.6.4", false, kvb_refusal_draft_v0},
    {"pooling-chunked-prefill", "0.6.5", "0.10.2", false, kvb_refusal_pooling_chunks},
    {"num-scheduler-steps", "0.5.5", "0.10.0", false, kvb_refusal_steps_at_once},
    {"speculative", "0.10.0", "0.15.0", false, kvb_refusal_draft_model},
    {"speculative", "0.11.0", "-", false, kvb_refusal_draft_words},
    {"speculative", "0.15.0", "-", false, kvb_refusal_draft_vocabulary},
    {"speculative", "0.11.0", "-", false, kvb_refusal_draft_mtp},
    {"speculative", "0.4.1", "-", false, kvb_refusal_draft_class},
    {"pipeline-parallel", "0.9.0", "-", false, kvb_refusal_draft_stages},
    {"speculative", "0.5.1", "-", false, kvb_refusal_draft_ranks},
    {"speculative", "0.8.2", "-", false, kvb_refusal_draft_multiple},
    {"speculative", "0.8.5", "0.22.0", false, kvb_refusal_eagle3_target},
    {"speculative", "0.17.0", "-", false, kvb_refusal_scheduled_tokens},
    {"async-scheduling", "0.10.0", "-", true, kvb_refusal_async},
    {"limit-mm-per-prompt", "0.6.3", "0.10.1", false, kvb_refusal_no_pictures},
    {"mm-processor-kwargs", "0.9.0", "0.10.1", false, kvb_refusal_no_pixels},
    {"chunked-prefill-window", "0.4.3", "0.6.3", false, kvb_refusal_chunked_window},
    {"offload-groups", "0.17.0", "-", false, kvb_refusal_offload_groups},
    {"cudagraph-sizes", "0.11.1", "-", true, kvb_refusal_graph_sizes},
    {"prefix-caching", "0.4.3", "0.11.1", false, kvb_refusal_prefix_window},
    {"sleep-mode", "0.8.0", "-", false, kvb_refusal_sleep},
    {"mamba-block-size", "0.11.1", "-", false, kvb_refusal_mamba_block},
    {"partial-prefills", "0.27.0", "-", false, kvb_refusal_prefill_threshold},
    {"max-cpu-loras", "0.3.0", "-", false, kvb_refusal_cpu_loras},
    {"lora-limits", "0.3.0", "0.11.1", false, kvb_refusal_lora_early},
    {"lora-chunked-prefill", "0.5.1", "0.6.5", false, kvb_refusal_lora_chunks},
    {"lora-rank", "0.3.0", "-", false, kvb_refusal_lora_rank},
    {"lora-drafts", "0.11.1", "-", false, kvb_refusal_lora_drafts},
    {"expert-parallel", "0.16.0", "-", false, kvb_refusal_dbo},
    {"routed-experts", "0.22.0", "-", false, kvb_refusal_routed_experts},
    {"v1-only", "0.8.0", "0.11.0", false, kvb_refusal_v1_only},
    {"quantization-capability", "-", "-", true, kvb_refusal_method_capability},
    {"quantization-dtype", "-", "-", true, kvb_refusal_method_dtype},
    {"quantization-config", "-", "-", true, kvb_refusal_method_file},
    {"dtype-bfloat16", "-", "-", false, kvb_refusal_bfloat16},
    {"gpu-capability", "-", "-", false, kvb_refusal_kernels},
    {"gpu-capability", "-", "0.9.0", false, kvb_refusal_torch},
    {"quantization-scheme", "0.5.0", "-", true, kvb_refusal_scheme},
    {"quantization-shape", "0.2.2", "-", true, kvb_refusal_group_shape},
    {"quantization-shape", "0.8.5", "-", true, kvb_refusal_expert_groups},
    {"quantization-shape", "0.6.6", "-", true, kvb_refusal_block_shape},
    {"bitsandbytes", "0.6.2", "-", true, kvb_refusal_bnb_stored},
    {"lora-class", "0.6.3", "-", true, kvb_refusal_lora_class},
    {"lora-vocabulary", "0.3.0", "0.4.1", true, kvb_refusal_lora_vocabulary},
    {"attention-head-size", "0.8.0", "0.9.2", true, kvb_refusal_head_size},
    {"attention-backend", "0.11.1", "-", true, kvb_refusal_backend},
    {"attention-backend", "0.11.1", "-", true, kvb_refusal_backend_latent},
    {"kv-cache-dtype", "0.11.0", "-", true, kvb_refusal_triton_cache},
    {"kv-cache-dtype", "0.11.1", "-", true, kvb_refusal_nvfp4_cache},
    {"kv-cache-dtype", "0.10.2", "0.11.1", true, kvb_refusal_flex_cache},
    {"quantization-kernel", "0.6.0", "0.9.0", true, kvb_refusal_fp8_kernel},
    {"cpu-offload", "0.8.3", "0.17.0", true, kvb_refusal_offload_wsl},
};

static uint32_t release_of(const char *text)
{
    uint32_t release = 0;
    assert_true(strcmp(text, "-") == 0 || kvb_release_parse(text, &release));
    return release;
}

// A rule may stand in several rows, one for each function that looks at it.
static void each_refusal_in_its_releases(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_refusal_row *rows = kvb_refusal_rows(&count);
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
