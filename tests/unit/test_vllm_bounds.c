// Both sides of what vLLM draws a line at: releases, sizes, counts. Each bound is read from the engine's code at the
// tags named beside it.
#include <string.h>

#include "engines/vllm/encoder_items.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/load.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

// ---- Number formats

// _FLOAT16_NOT_SUPPORTED_MODELS of vllm/config* holds these model types from the first of the releases on and to the
// last: gemma2, gemma3, plamo2 and glm4 from 0.9.1, gemma3_text from 0.10.2, plamo2 to 0.26.0. The classes are those
// of the types' configs.
static void types_without_float16(void **state)
{
    (void)state;
    static const struct {
        const char *architecture, *type;
        uint32_t before, first, last, behind; // behind 0: none known
    } rows[] = {{"Gemma2ForCausalLM", "gemma2", R(9, 0), R(9, 1), R(28, 0), 0},
                {"Gemma2Model", "gemma2", R(9, 0), R(9, 1), R(28, 0), 0},
                {"Gemma3ForConditionalGeneration", "gemma3", R(9, 0), R(9, 1), R(28, 0), 0},
                {"Gemma3ForCausalLM", "gemma3_text", R(10, 1), R(10, 2), R(28, 0), 0},
                {"Gemma3TextModel", "gemma3_text", R(10, 1), R(10, 2), R(28, 0), 0},
                {"Glm4ForCausalLM", "glm4", R(9, 0), R(9, 1), R(28, 0), 0},
                {"Plamo2ForCausalLM", "plamo2", R(9, 0), R(9, 1), R(26, 0), R(27, 0)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char said[96] = "The model type '";
        (void)strcat(strcat(said, rows[i].type), "' does not support float16. Reason: Numerical instability.");
        for (unsigned at = 0; at < 4; at++) {
            uint32_t release = at == 0   ? rows[i].before
                               : at == 1 ? rows[i].first
                               : at == 2 ? rows[i].last
                                         : rows[i].behind;
            if (release == 0) {
                continue;
            }
            make_llama_plan(&plan, release);
            name_class(&plan, rows[i].architecture);
            set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP16);
            says(kvb_refusal_float16, &plan, at == 1 || at == 2 ? said : NULL);
            unset(&plan, KVB_SET_DTYPE);
            says(kvb_refusal_float16, &plan, NULL);
        }
    }
}

// ---- Sentences that changed their words

// vllm/config.py v0.6.4:356 and v0.10.0:962, config/model.py v0.10.1 and v0.22.0.
static void an_encoder_asked_to_generate(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, last;
        const char *text;
    } rows[] = {{R(6, 4), R(9, 2), "This model does not support the 'generate' task."},
                {R(10, 0), R(10, 0), "This model does not support task='generate'."},
                {R(10, 1), R(21, 0), "This model does not support `--runner generate`."},
                {R(22, 0), R(28, 0), "Embedding models do not support `--runner generate`. Use `--runner pooling`"}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, i % 2 == 0 ? rows[i / 2].first : rows[i / 2].last);
        set(&plan, KVB_SET_RUNNER, KVB_RUNNER_GENERATE);
        says(kvb_refusal_runner, &plan, NULL);
        plan.model.pooling = true;
        says(kvb_refusal_runner, &plan, NULL); // a decoder that was made to
        plan.model.kinds[0].attention.kind = KVB_ATTENTION_ENCODER;
        says(kvb_refusal_runner, &plan, rows[i / 2].text);
        set(&plan, KVB_SET_RUNNER, KVB_RUNNER_POOLING);
        says(kvb_refusal_runner, &plan, NULL);
    }
}

// The server's own sentence (api_server.py v0.7.3:928); argparse's from 0.8.0 (choices=) to 0.11.0; the server's again.
static void a_parser_nobody_has(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *version, *text;
    } rows[] = {{R(7, 3), "0.7.3", "invalid reasoning parser: nobody"},
                {R(8, 0), "0.8.0", "argument --reasoning-parser: invalid choice: 'nobody'"},
                {R(11, 0), "0.11.0", "argument --reasoning-parser: invalid choice: 'nobody' (choose from "},
                {R(11, 1), "0.11.1", "invalid reasoning parser: nobody"}};
    static struct kvb_deployment deployment;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[256] = "";
        struct kvb_engine engine = {.release = rows[i].release};
        (void)strcpy(engine.version, rows[i].version);
        memset(&deployment, 0, sizeof deployment);
        (void)strcpy(deployment.serve_flags, "--reasoning-parser nobody\n--enable-reasoning\n");
        assert_true(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
        assert_int_equal(strncmp(out, rows[i].text, strlen(rows[i].text)), 0);
    }
}

// cli_args.py v0.6.2: choices=; from 0.6.3 the server looks for the name itself.
static void a_tool_parser_nobody_has(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    char out[256] = "";
    struct kvb_engine engine = {.release = R(6, 2), .version = "0.6.2"};
    (void)strcpy(deployment.serve_flags, "--tool-call-parser nobody\n--enable-auto-tool-choice\n");
    assert_true(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
    assert_int_equal(strncmp(out, "argument --tool-call-parser: invalid choice: 'nobody'", 53), 0);
    engine = (struct kvb_engine){.release = R(6, 3), .version = "0.6.3"};
    assert_true(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
    assert_string_equal(out, "invalid tool call parser: nobody");
}

// cuda.py v0.12.0 and v0.13.0 get_attn_backend_cls: what is asked for is printed as one tuple from then on.
static void a_cache_nobody_reads(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(12, 0));
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    says(kvb_refusal_no_backend, &plan, "cuda with head_size: 128, dtype: torch.bfloat16, kv_cache_dtype: bfloat16");
    plan.engine.release = R(13, 0);
    says(kvb_refusal_no_backend, &plan,
         "cuda with AttentionSelectorConfig(head_size=128, dtype=torch.bfloat16, kv_cache_dtype=bfloat16");
    char out[KVB_ERROR_TEXT_CAPACITY] = "";
    make_latent_plan(&plan, R(12, 0), 8192, 256);
    plan.gpu.compute_capability = 80;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    assert_true(kvb_kv_refused(resolved(&plan), out));
    assert_non_null(strstr(out, "cuda with head_size: 576, dtype: torch.bfloat16, kv_cache_dtype: fp8"));
    plan.engine.release = R(13, 0);
    assert_true(kvb_kv_refused(resolved(&plan), out));
    assert_non_null(strstr(out, "cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, kv_cache"));
}

// requirements/common.txt asks for transformers 4.51.0 in 0.8.3, which has Qwen 3; vLLM's own class came with 0.8.4.
// Glm4ForCausalLM needs 4.52 (tests/models/registry.py v0.8.4).
static void classes_by_transformers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t release;
        bool refused;
    } rows[] = {{"Qwen3ForCausalLM", R(8, 2), true},  {"Qwen3ForCausalLM", R(8, 3), false},
                {"Qwen3ForCausalLM", R(8, 4), false}, {"Glm4ForCausalLM", R(8, 3), true},
                {"Glm4ForCausalLM", R(8, 4), false},  {"Exaone4ForCausalLM", R(9, 2), true},
                {"NobodyForCausalLM", R(7, 1), true}, {"NobodyForCausalLM", R(7, 2), false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, rows[i].name);
        says(kvb_refusal_class, &plan, rows[i].refused ? "are not supported for now." : NULL);
    }
}

// DEPRECATED_QUANTIZATION_METHODS of vllm/model_executor/layers/quantization/__init__.py: from 0.14.0 to the last
// release that lists each. What was stored by auto-round is read by "inc" from 0.15.0 on.
static void methods_on_their_way_out(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t last, behind; // behind 0: listed still
    } rows[] = {{"hqq", R(14, 1), R(15, 0)},
                {"rtn", R(14, 1), R(15, 0)},
                {"deepspeedfp", R(14, 1), R(15, 0)},
                {"auto-round", R(14, 1), R(15, 0)},
                {"bitblas", R(15, 1), R(16, 0)},
                {"gptq_bitblas", R(15, 1), R(16, 0)},
                {"gptq_marlin_24", R(15, 1), R(16, 0)},
                {"ipex", R(15, 1), R(16, 0)},
                {"ptpc_fp8", R(18, 1), R(19, 0)},
                {"experts_int8", R(19, 1), R(20, 0)},
                {"petit_nvfp4", R(19, 1), R(20, 0)},
                {"tpu_int8", R(22, 1), R(23, 0)},
                {"fp_quant", R(28, 0), 0},
                {"fbgemm_fp8", R(28, 0), 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned at = 0; at < 3; at++) {
            uint32_t release = at == 0 ? R(14, 0) : at == 1 ? rows[i].last : rows[i].behind;
            if (release != 0) {
                make_llama_plan(&plan, release);
                plan.model.quantisation.method = KVB_QUANT_FP8;
                (void)strcpy(plan.model.quantisation.name, rows[i].name);
                says(kvb_refusal_deprecated, &plan, at < 2 ? rows[i].name : NULL);
                plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_DEPRECATED;
                says(kvb_refusal_deprecated, &plan, NULL);
            }
        }
    }
}

static const char *judged(const char *version, uint32_t release, const char *lines)
{
    static struct kvb_deployment deployment;
    static char out[256];
    struct kvb_engine engine = {.release = release};
    (void)strcpy(engine.version, version);
    memset(&deployment, 0, sizeof deployment);
    (void)strcpy(deployment.serve_flags, lines);
    kvb_vllm_judge(&deployment, &engine, out);
    return out;
}

// arg_utils.py: human_readable_int of --max-model-len from 0.8.4, of --max-num-batched-tokens from 0.9.1; what came
// later takes it at once.
static void numbers_with_a_suffix(void **state)
{
    (void)state;
    static const char length[] = "--max-model-len 16k\n", step[] = "--max-num-batched-tokens 16k\n";
    static const char no_length[] = "vllm: error: argument --max-model-len: invalid int value: '16k'";
    static const char no_step[] = "vllm: error: argument --max-num-batched-tokens: invalid int value: '16k'";
    assert_non_null(strstr(no_length, judged("0.8.3", R(8, 3), length)));
    assert_string_equal(judged("0.8.4", R(8, 4), length), "");
    assert_non_null(strstr(no_step, judged("0.9.0", R(9, 0), step)));
    assert_string_equal(judged("0.9.1", R(9, 1), step), "");
    assert_string_equal(judged("0.10.2", R(10, 2), "--kv-cache-memory-bytes 16G\n"), "");
    assert_string_equal(judged("0.26.0", R(26, 0), "--max-num-scheduled-tokens 16k\n"), "");
    assert_true(judged("0.27.1", R(27, 1), "--max-num-seqs 16k\n")[0] != '\0');
    assert_string_equal(judged("0.5.1", R(5, 1), "--max_model_len 5\n"), ""); // FlexibleArgumentParser, from here on
    assert_string_equal(judged("0.12.0", R(12, 0), "-O3\n"), "");
}

// config.py v0.5.3 and v0.5.4 _get_and_verify_max_len.
static void a_length_beyond_the_model(void **state)
{
    (void)state;
    static const char hint[] = "To allow overriding this maximum";
    make_llama_plan(&plan, R(5, 3));
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131073);
    (void)answer_into(&plan, &budget);
    assert_non_null(strstr(budget.error, "(max_position_embeddings=131072 or model_max_length=None"));
    assert_null(strstr(budget.error, hint));
    plan.engine.release = R(5, 4);
    (void)answer_into(&plan, &budget);
    assert_non_null(strstr(budget.error, hint));
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    (void)answer_into(&plan, &budget);
    assert_null(strstr(budget.error, "max_position_embeddings"));
}

// ---- Cards

// arg_utils.py v0.8.5 and v0.9.0: device_memory >= 70 * GiB_bytes; v0.28.0:2582: >= 160 GiB.
static void cards_of_exactly_so_much(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t memory_bytes, tokens;
    } rows[] = {{R(8, 5), 70 * GIB, 8192},     {R(8, 5), 70 * GIB - 1, 2048}, {R(9, 0), 70 * GIB, 8192},
                {R(9, 0), 70 * GIB - 1, 2048}, {R(28, 0), 160 * GIB, 16384},  {R(28, 0), 160 * GIB - 1, 8192},
                {R(27, 1), 160 * GIB, 8192}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.memory_bytes = rows[i].memory_bytes;
        assert_int_equal(resolved(&plan)->max_num_batched_tokens, rows[i].tokens);
    }
}

// triton_mla.py v0.26.0: is_device_capability >= 8.9.
static void latents_in_fp8_on_triton(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        bool refused;
    } rows[] = {{R(26, 0), 89, false}, {R(26, 0), 86, true}, {R(25, 1), 86, false}, {R(26, 0), 80, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[KVB_ERROR_TEXT_CAPACITY];
        make_latent_plan(&plan, rows[i].release, 8192, 256);
        plan.gpu.compute_capability = rows[i].capability;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        assert_int_equal(kvb_kv_refused(resolved(&plan), out), rows[i].refused);
    }
}

// gpu_model_runner.py v0.10.2:3598 and v0.11.0:4007 need_to_return_lse_for_decode: can_return_lse_for_decode is set in
// mla/{cutlass_mla,flashattn_mla,flashmla}.py, from 0.11.0 in triton_mla.py, from 0.11.1 in flash_attn.py and
// flashinfer.py.
static void ranks_that_share_tokens(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        bool latent;
        enum kvb_backend asked;
        uint32_t ranks;
        bool refused;
    } rows[] = {
        {R(10, 2), 90, false, KVB_BACKEND_AUTO, 2, true},     {R(11, 0), 100, false, KVB_BACKEND_AUTO, 2, true},
        {R(11, 0), 90, false, KVB_BACKEND_AUTO, 1, false},    {R(11, 1), 90, false, KVB_BACKEND_AUTO, 2, false},
        {R(10, 2), 90, true, KVB_BACKEND_AUTO, 2, false},     {R(10, 2), 100, true, KVB_BACKEND_AUTO, 2, false},
        {R(10, 2), 80, true, KVB_BACKEND_AUTO, 2, true},      {R(10, 2), 90, true, KVB_BACKEND_TRITON_MLA, 2, true},
        {R(10, 2), 80, true, KVB_BACKEND_FLASHMLA, 2, false}, {R(11, 0), 80, true, KVB_BACKEND_AUTO, 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].latent) {
            make_latent_plan(&plan, rows[i].release, 8192, 256);
        } else {
            make_llama_plan(&plan, rows[i].release);
        }
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = rows[i].asked;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 16);
        set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, rows[i].ranks);
        (void)answer_into(&plan, &budget);
        if ((strstr(budget.error, "DCP requires attention impls to return the softmax lse") != NULL) !=
            rows[i].refused) {
            fail_msg("row %zu: %s", i, budget.error);
        }
        assert_int_equal(budget.starts, !rows[i].refused);
    }
}

// ---- Steps

// arg_utils.py v0.10.2: sequences no more than the step's tokens; v0.11.1: tokens no more than all sequences hold.
static void steps_and_sequences(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(10, 1));
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 512);
    assert_int_equal(resolved(&plan)->max_num_seqs, 1024);
    plan.engine.release = R(10, 2);
    assert_int_equal(resolved(&plan)->max_num_seqs, 512);
    make_llama_plan(&plan, R(8, 5));
    set(&plan, KVB_SET_MAX_MODEL_LEN, 1024);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 4);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 8192);
    plan.engine.release = R(11, 0);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 8192);
    plan.engine.release = R(11, 1);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 4096);
}

// config.py v0.3.0 to v0.5.4 LoRAConfig: 65,528 tokens a step, for the kernels of then.
static void steps_of_adapters(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool limited;
    } rows[] = {{R(2, 7), false}, {R(3, 0), true}, {R(5, 4), true}, {R(5, 5), false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_ENABLE_LORA, 1);
        assert_int_equal(kvb_lora_step_most(resolved(&plan)) == 65528, rows[i].limited);
    }
}

// config/lora.py v0.11.2 lora_extra_vocab_size 256; gone in 0.12.0.
static void rows_of_adapters(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(11, 2));
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    assert_int_equal(loaded(&plan)->lora_extra_rows, 256);
    plan.engine.release = R(12, 0);
    assert_int_equal(loaded(&plan)->lora_extra_rows, 0);
}

// arg_utils.py v0.9.2 and v0.10.0 _set_default_args_v1: the step of a model that pools is its length, whatever is
// asked.
static void steps_of_an_encoder(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool whole;
    } rows[] = {{R(9, 1), true}, {R(9, 2), false}, {R(10, 0), false}, {R(10, 1), true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.pooling = true;
        plan.model.kinds[0].attention.kind = KVB_ATTENTION_ENCODER;
        struct kvb_context context = *resolved(&plan);
        context.generation = KVB_GENERATION_V1;
        context.chunked_prefill = false;
        assert_int_equal(kvb_prompts_are_whole(&context), rows[i].whole);
    }
}

// ---- Counts

// config.py v0.7.3: the threshold is looked at where several prefills run beside each other; from 0.27.0 always.
static void one_prefill_or_two(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(10, 2));
    plan.environment.use_v1 = KVB_NO;
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    give(&plan, KVB_PLAIN_LONG_PREFILL_THRESHOLD, 8193);
    give(&plan, KVB_PLAIN_PARTIAL_PREFILLS, 1);
    says(kvb_refusal_partial_prefills, &plan, NULL);
    give(&plan, KVB_PLAIN_PARTIAL_PREFILLS, 2);
    says(kvb_refusal_partial_prefills, &plan, "long_prefill_token_threshold (8193) cannot be greater than the");
    give(&plan, KVB_PLAIN_LONG_PREFILL_THRESHOLD, 8192);
    says(kvb_refusal_partial_prefills, &plan, NULL);
}

// A draft of which nothing is known lies on all ranks: 10 and 24 squares of 4096 and two tables, halved.
static void an_unknown_draft_on_two_ranks(void **state)
{
    (void)state;
    static struct kvb_budget known;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    (void)answer_into(&plan, &known);
    plan.draft_unknown = true;
    (void)answer_into(&plan, &budget);
    const struct kvb_term *before = &known.items[KVB_ITEM_WEIGHTS], *after = &budget.items[KVB_ITEM_WEIGHTS];
    assert_int_equal(after->bytes - before->bytes, 10LL * 4096 * 4096);
    assert_int_equal(after->high_bytes - before->high_bytes, 24LL * 4096 * 4096 + 2LL * 128256 * 4096);
}

// What the headers hold is said; without them it is counted: Llama 3.1 8B has 8,030,261,248 (its model card says 8B).
static void parameters(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.parameters, 8030261248ULL);
    plan.model.checkpoint.parameters = 1;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.parameters, 1);
}

// ---- Methods

// config/model.py _verify_quantization: what was asked for stays where it reads the checkpoint; else the checkpoint's
// own, which gptq_marlin.py takes over on cards of 8.0 and later.
static void methods_asked_for(void **state)
{
    (void)state;
    char out[48];
    make_llama_plan(&plan, R(12, 0));
    plan.model.quantisation.method = KVB_QUANT_GPTQ;
    (void)strcpy(plan.model.quantisation.name, "gptq");
    plan.model.quantisation.bits = 4;
    plan.model.quantisation.group_size = 128;
    plan.model.quantisation.symmetric = true;
    assert_string_equal(kvb_method_used(resolved(&plan), out), "gptq_marlin");
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GPTQ);
    assert_string_equal(kvb_method_used(resolved(&plan), out), "gptq");
    says(kvb_refusal_method_differs, &plan, NULL);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    assert_string_equal(kvb_method_used(resolved(&plan), out), "gptq"); // fp8 is no word that gptq_marlin overrides
    says(kvb_refusal_method_differs, &plan, "specified in the model config (gptq) does not match");
    plan.model.quantisation.method = KVB_QUANT_FP8;
    (void)strcpy(plan.model.quantisation.name, "fp8");
    assert_string_equal(kvb_method_used(resolved(&plan), out), "fp8");
    says(kvb_refusal_method_differs, &plan, NULL);
}

// ---- Tables made from the releases

// Each row is found by its own name in its first release and in none before the first of all; nobody's name in none.
static void rows_by_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < kvb_known_method_row_count; i++) {
        const struct kvb_known_method *row = &kvb_known_method_rows[i];
        const struct kvb_known_method *found = kvb_method_of(row->name, row->since);
        assert_true(found == row);
        assert_true(row->gone == 0 || kvb_method_of(row->name, row->gone) != row);
    }
    for (unsigned i = 0; i < kvb_withdrawn_class_row_count; i++) {
        const struct kvb_withdrawn_class *row = &kvb_withdrawn_class_rows[i];
        const struct kvb_withdrawn_class *found = kvb_withdrawn_of(row->name, row->since);
        assert_true(found != NULL && strcmp(found->name, row->name) == 0);
        assert_true(row->gone == 0 || kvb_withdrawn_of(row->name, row->gone) != row);
    }
    assert_null(kvb_method_of("nobody", R(20, 0)));
    assert_null(kvb_withdrawn_of("NobodyForCausalLM", R(20, 0)));
}

KVB_TEST_MAIN(cmocka_unit_test(types_without_float16), cmocka_unit_test(an_encoder_asked_to_generate),
              cmocka_unit_test(a_parser_nobody_has), cmocka_unit_test(a_tool_parser_nobody_has),
              cmocka_unit_test(methods_on_their_way_out), cmocka_unit_test(numbers_with_a_suffix),
              cmocka_unit_test(a_length_beyond_the_model), cmocka_unit_test(a_cache_nobody_reads),
              cmocka_unit_test(classes_by_transformers), cmocka_unit_test(steps_and_sequences),
              cmocka_unit_test(steps_of_adapters), cmocka_unit_test(rows_of_adapters),
              cmocka_unit_test(steps_of_an_encoder), cmocka_unit_test(cards_of_exactly_so_much),
              cmocka_unit_test(latents_in_fp8_on_triton), cmocka_unit_test(ranks_that_share_tokens),
              cmocka_unit_test(one_prefill_or_two), cmocka_unit_test(an_unknown_draft_on_two_ranks),
              cmocka_unit_test(parameters), cmocka_unit_test(methods_asked_for), cmocka_unit_test(rows_by_name))
