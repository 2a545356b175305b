// In which releases vLLM says each sentence whose words changed: found by a search for it in vllm/config, engine, lora,
// platforms, entrypoints and model_executor at every tag, quotes and line ends left out. Asked at every tag at which
// the rule is asked at all.
#include <string.h>

#include "unit/refusal_says.h"
#include "unit/release_tags.h"
#include "unit/test.h"

static struct kvb_plan plan;

static bool is_asked(kvb_refusal_test *rule, uint32_t release)
{
    size_t count;
    const struct kvb_refusal_row *rows = kvb_refusal_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].refuses == rule && release >= rows[i].since && (rows[i].gone == 0 || release < rows[i].gone)) {
            return true;
        }
    }
    return false;
}

// ---- What is asked

static void adapters_on_the_host(void)
{
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    set(&plan, KVB_SET_MAX_LORAS, 4);
    give(&plan, KVB_PLAIN_MAX_CPU_LORAS, 2);
}

static void several_prefills(void)
{
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    give(&plan, KVB_PLAIN_PARTIAL_PREFILLS, 2);
    give(&plan, KVB_PLAIN_LONG_PARTIAL_PREFILLS, 3);
}

static void ranks_from_outside(void)
{
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_EXTERNAL_LB;
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
    plan.model.kinds[0].mlp.experts = 8;
}

static void dense_ranks_from_outside(void)
{
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_EXTERNAL_LB;
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    give(&plan, KVB_PLAIN_DATA_PARALLEL_RANK, 0);
}

static void ranks_of_both_kinds(void)
{
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_HYBRID_LB;
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
}

static void copies_of_experts(void)
{
    give(&plan, KVB_PLAIN_REDUNDANT_EXPERTS, 3);
}

static void halves_of_a_step(void)
{
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_DBO;
}

static void no_role(void)
{
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_NO_ROLE;
}

static void experts_returned_from_stages(void)
{
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_ROUTED_EXPERTS;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
}

static void experts_returned_from_ranks(void)
{
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_ROUTED_EXPERTS;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 16);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
}

static void few_heads_for_ranks(void)
{
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
}

static void many_ranks_for_heads(void)
{
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 16);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 4);
}

static void bfloat16_on_turing(void)
{
    set_gpu(&plan, "Tesla T4", 15 * GIB, 75);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_BF16);
}

static void stored_by_bitsandbytes(void)
{
    plan.model.quantisation.method = KVB_QUANT_BNB4;
    (void)strcpy(plan.model.quantisation.name, "bitsandbytes");
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
}

static void eagle3_of(const char *architecture)
{
    static struct kvb_model head;
    (void)memset(plan.model.architecture, 0, sizeof plan.model.architecture);
    (void)strcpy(plan.model.architecture, architecture);
    head = plan.model;
    (void)strcpy(head.architecture, "LlamaForCausalLMEagle3");
    head.layer_count = 1;
    plan.draft = &head;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
}

static void eagle3_of_olmo(void)
{
    eagle3_of("OlmoForCausalLM");
}

static void eagle3_of_qwen(void)
{
    eagle3_of("Qwen3ForCausalLM");
}

static void eagle3_of_minicpm(void)
{
    eagle3_of("MiniCPMForCausalLM");
}

static void eagle3_of_gpt_oss(void)
{
    eagle3_of("GptOssForCausalLM");
}

static void eagle3_of_hunyuan(void)
{
    eagle3_of("HunYuanDenseV1ForCausalLM");
}

static void eagle3_of_afmoe(void)
{
    eagle3_of("AfmoeForCausalLM");
}

static void eagle3_of_nemotron(void)
{
    eagle3_of("NemotronHForCausalLM");
}

static void eagle3_of_deepseek(void)
{
    eagle3_of("DeepseekV3ForCausalLM");
}

static void eagle3_of_kimi(void)
{
    eagle3_of("KimiK25ForConditionalGeneration");
}

static void eagle3_of_minimax(void)
{
    eagle3_of("MiniMaxM2ForCausalLM");
}

static void eagle3_of_gemma4(void)
{
    eagle3_of("Gemma4ForConditionalGeneration");
}

static void eagle3_of_laguna(void)
{
    eagle3_of("LagunaForCausalLM");
}

static void steps_at_once(void)
{
    give(&plan, KVB_PLAIN_SCHEDULER_STEPS, 8);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
}

static void length_by_itself(void)
{
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
}

static void adapters_and_offloading(void)
{
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, 4);
}

static void adapters_in_chunks(void)
{
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
}

static void asleep_with_segments(void)
{
    set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
    plan.environment.expandable_segments = KVB_YES;
}

static const struct {
    void (*asked)(void);
    kvb_refusal_test *rule;
    const char *text;
    uint32_t first, last;
} rows[] = {
    {adapters_on_the_host, kvb_refusal_cpu_loras, "max_cpu_loras (2) must be >= max_num_seqs (4)", R(3, 0), R(3, 0)},
    {adapters_on_the_host, kvb_refusal_cpu_loras, "max_cpu_loras (2) must be >= max_loras (4)", R(3, 1), R(28, 0)},
    {adapters_on_the_host, kvb_refusal_cpu_loras, "max_cpu_loras (2) must be >= max_loras (4).", R(14, 0), R(28, 0)},
    {several_prefills, kvb_refusal_partial_prefills, "max_long_partial_prefills (3) must be greater than or equal to 1",
     R(7, 3), R(10, 2)}, // and 0.11.0, which asks the other first
    {several_prefills, kvb_refusal_partial_prefills, "Concurrent Partial Prefill is not supported by the V1 Engine.",
     R(11, 0), R(11, 0)},
    {several_prefills, kvb_refusal_partial_prefills,
     "Concurrent Partial Prefill is not supported. We recommend to remove", R(11, 1), R(26, 0)},
    {ranks_from_outside, kvb_refusal_data_ranks, "must be spefified if data_parallel_external_lb", R(9, 0), R(11, 2)},
    {ranks_from_outside, kvb_refusal_data_ranks, "must be specified if data_parallel_external_lb", R(12, 0), R(26, 0)},
    {ranks_from_outside, kvb_refusal_data_ranks, "`--data-parallel-external-lb` requires a data-parallel rank",
     R(27, 0), R(28, 0)},
    {dense_ranks_from_outside, kvb_refusal_data_ranks, "Non-MoE models do not support external data parallel mode",
     R(21, 0), R(28, 0)},
    {ranks_of_both_kinds, kvb_refusal_data_ranks, "data_parallel_size_local must be set to use data_parallel_hybrid_lb",
     R(9, 0), R(26, 0)},
    {ranks_of_both_kinds, kvb_refusal_data_ranks, "`--data-parallel-hybrid-lb` requires `--data-parallel-size-local`",
     R(27, 0), R(28, 0)},
    {copies_of_experts, kvb_refusal_redundant_experts, "num_redundant_experts should be used with EPLB", R(9, 2),
     R(10, 1)},
    {copies_of_experts, kvb_refusal_redundant_experts, "but EPLB is not enabled. Either enable EPLB or unset", R(10, 2),
     R(28, 0)},
    {halves_of_a_step, kvb_refusal_dbo, "deepep_low_latency and deepep_high_throughput all2all backend", R(11, 1),
     R(23, 0)},
    {halves_of_a_step, kvb_refusal_dbo, "deepep_low_latency, deepep_high_throughput, and nixl_ep all2all backends",
     R(24, 0), R(28, 0)},
    {no_role, kvb_refusal_connector_role, "Please specify kv_disagg_role when kv_connector is set", R(6, 5), R(11, 0)},
    {no_role, kvb_refusal_connector_role, "supported roles are `kv_producer`", R(6, 5), R(8, 5)},
    {no_role, kvb_refusal_connector_role, "Please specify kv_role when kv_connector is set", R(11, 1), R(28, 0)},
    {experts_returned_from_stages, kvb_refusal_routed_experts, "is incompatible with pipeline parallelism (PP > 1)",
     R(22, 0), R(28, 0)},
    {experts_returned_from_ranks, kvb_refusal_routed_experts, "is incompatible with context parallelism", R(28, 0),
     R(28, 0)},
    {few_heads_for_ranks, kvb_refusal_dcp, "must be greater than total num kv heads 8", R(11, 1), R(26, 0)},
    {few_heads_for_ranks, kvb_refusal_dcp, "requires `--tensor-parallel-size` (8)", R(27, 0), R(28, 0)},
    {many_ranks_for_heads, kvb_refusal_dcp, "decode context parallel size must less than or equal to", R(11, 1),
     R(26, 0)},
    {many_ranks_for_heads, kvb_refusal_dcp, "exceeds the maximum supported value (2)", R(27, 0), R(28, 0)},
    {bfloat16_on_turing, kvb_refusal_bfloat16, "explicitly setting the`dtype` flag", R(2, 0), R(7, 3)},
    {bfloat16_on_turing, kvb_refusal_bfloat16, "explicitly setting the `dtype` flag", R(8, 0), R(28, 0)},
    {stored_by_bitsandbytes, kvb_refusal_bnb_stored, "with TP is not supported.Please try with PP.", R(6, 2), R(6, 6)},
    {stored_by_bitsandbytes, kvb_refusal_bnb_stored,
     "with tensor parallelism is not supported. Please try with pipeline", R(7, 0),
     R(28, 0)}, // of 0.28 the method itself is gone, which is said before
    {eagle3_of_olmo, kvb_refusal_eagle3_target, "Eagle3 is only supported for Llama models.", R(8, 5), R(10, 0)},
    {eagle3_of_olmo, kvb_refusal_eagle3_target, "Eagle3 is only supported for ['llama', 'qwen'", R(10, 1), R(16, 0)},
    {eagle3_of_olmo, kvb_refusal_eagle3_target, "eagle3 is only supported for ['llama', 'qwen'", R(17, 0), R(21, 0)},
    // eagle3_target_supported, aux_hidden_states_supported: the last release without the model's type
    {eagle3_of_qwen, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(10, 0)},
    {eagle3_of_minicpm, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(10, 2)},
    {eagle3_of_gpt_oss, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(10, 2)},
    {eagle3_of_hunyuan, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(15, 1)},
    {eagle3_of_afmoe, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(15, 1)},
    {eagle3_of_nemotron, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(16, 0)},
    {eagle3_of_deepseek, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(17, 1)},
    {eagle3_of_kimi, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(17, 1)},
    {eagle3_of_minimax, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(19, 0)},
    {eagle3_of_gemma4, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(19, 0)},
    {eagle3_of_laguna, kvb_refusal_eagle3_target, "is only supported for", R(8, 5), R(20, 2)},
    {steps_at_once, kvb_refusal_steps_at_once, "Chunked prefill is not supported with multi-step", R(5, 5), R(6, 2)},
    {steps_at_once, kvb_refusal_steps_at_once, "Multi-Step Chunked-Prefill is not supported", R(6, 3), R(10, 0)},
    {length_by_itself, kvb_refusal_length_word, "invalid int value: 'auto'", R(2, 0), R(8, 3)},
    {length_by_itself, kvb_refusal_length_word, "invalid human_readable_int value: 'auto'", R(8, 4), R(13, 0)},
    {adapters_and_offloading, kvb_refusal_lora_early, "CPU offload is not supported with LoRA yet", R(7, 0), R(8, 2)},
    {adapters_in_chunks, kvb_refusal_lora_chunks, "LoRA is not supported with chunked prefill yet", R(5, 1), R(6, 4)},
    {asleep_with_segments, kvb_refusal_sleep, "Expandable segments are not compatible with memory pool", R(8, 0),
     R(20, 0)},
};

static void every_sentence_at_every_tag(void **state)
{
    (void)state;
    unsigned wrong = 0;
    uint32_t tags[TAGS_MAX];
    size_t tag_count = tags_since(0, tags);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t at = 0; at < tag_count; at++) {
            char out[KVB_ERROR_TEXT_CAPACITY] = "";
            if (!is_asked(rows[i].rule, tags[at])) {
                continue;
            }
            make_llama_plan(&plan, tags[at]);
            rows[i].asked();
            bool said = rows[i].rule(resolved(&plan), out) && strstr(out, rows[i].text) != NULL;
            uint32_t whole = tags[at] / 100 * 100; // without ".post1"
            if (said != (whole >= rows[i].first && whole <= rows[i].last)) {
                print_error("'%s' at %u: '%s'\n", rows[i].text, tags[at], out);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(every_sentence_at_every_tag))
