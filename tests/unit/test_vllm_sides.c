// The other side of questions that vLLM asks and few starts tell: methods of one family, what a head is made for, words
// of sentences by release. Expected values are read from the engine's code at the tags named beside them.
#include <string.h>

#include "engines/vllm/overhead.h"
#include "engines/vllm/printed.h"
#include "engines/vllm/residual.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void store(const char *name, enum kvb_quantisation_method method)
{
    struct kvb_quantisation *q = &plan.model.quantisation;
    *q = (struct kvb_quantisation){.method = method, .bits = 4, .group_size = 128, .symmetric = true};
    (void)strncpy(q->name, name, sizeof q->name - 1);
}

// Fails unless the sentence is this one to its last letter; NULL: unless none is said.
static void says_exactly(kvb_refusal_test *rule, const char *text)
{
    char out[KVB_ERROR_TEXT_CAPACITY] = "";
    bool refused = rule(resolved(&plan), out);
    assert_int_equal(refused, text != NULL);
    assert_string_equal(out, text != NULL ? text : "");
}

// ---- Methods

// override_quantization_method of gptq_marlin.py, gptq_marlin_24.py and gptq_bitblas.py v0.9.0, auto_gptq.py v0.22.0,
// auto_awq.py v0.24.0, modelopt.py v0.21.0, petit.py v0.15.0, mxfp4.py v0.21.0, inc.py v0.15.0:457, which takes what
// auto-round stored whatever is asked for.
static void methods_that_read_another(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *stored;
        enum kvb_quantisation_method method;
        enum kvb_quantization_word asked;
        bool differs;
    } rows[] = {
        {R(9, 0), "gptq", KVB_QUANT_GPTQ, KVB_QUANTIZATION_GPTQ_MARLIN, false},
        {R(9, 0), "gptq", KVB_QUANT_GPTQ, KVB_QUANTIZATION_MARLIN, false},
        {R(9, 0), "gptq", KVB_QUANT_GPTQ, KVB_QUANTIZATION_GPTQ_MARLIN_24, false},
        {R(9, 0), "gptq", KVB_QUANT_GPTQ, KVB_QUANTIZATION_GPTQ_BITBLAS, false},
        {R(22, 0), "gptq", KVB_QUANT_GPTQ, KVB_QUANTIZATION_AUTO_GPTQ, false},
        {R(9, 0), "gptq", KVB_QUANT_GPTQ, KVB_QUANTIZATION_AUTO_ROUND, true},
        {R(19, 0), "gptq", KVB_QUANT_GPTQ, KVB_QUANTIZATION_INC, true},
        {R(19, 0), "auto-round", KVB_QUANT_GPTQ, KVB_QUANTIZATION_INC, false},
        {R(15, 0), "auto-round", KVB_QUANT_GPTQ, KVB_QUANTIZATION_GPTQ, false},
        {R(14, 0), "auto-round", KVB_QUANT_GPTQ, KVB_QUANTIZATION_GPTQ, true},
        {R(9, 0), "awq", KVB_QUANT_AWQ, KVB_QUANTIZATION_AWQ_MARLIN, false},
        {R(24, 0), "awq", KVB_QUANT_AWQ, KVB_QUANTIZATION_AUTO_AWQ, false},
        {R(9, 0), "awq", KVB_QUANT_AWQ, KVB_QUANTIZATION_GPTQ_MARLIN, true},
        {R(8, 5), "modelopt", KVB_QUANT_NVFP4, KVB_QUANTIZATION_NVFP4, false},
        {R(21, 0), "modelopt", KVB_QUANT_NVFP4, KVB_QUANTIZATION_MODELOPT_FP4, false},
        {R(21, 0), "modelopt", KVB_QUANT_FP8, KVB_QUANTIZATION_MODELOPT_MXFP8, false},
        {R(21, 0), "modelopt", KVB_QUANT_FP8, KVB_QUANTIZATION_MODELOPT_MIXED, false},
        {R(15, 0), "modelopt", KVB_QUANT_NVFP4, KVB_QUANTIZATION_PETIT_NVFP4, false},
        {R(21, 0), "modelopt", KVB_QUANT_NVFP4, KVB_QUANTIZATION_FP8, false}, // by its algorithm, whatever is asked
        {R(21, 0), "mxfp4", KVB_QUANT_MXFP4, KVB_QUANTIZATION_GPT_OSS_MXFP4, true}, // not of the class gpt_oss
        {R(21, 0), "fp8", KVB_QUANT_FP8, KVB_QUANTIZATION_DEEPSEEK_V4_FP8, false},
        {R(21, 0), "fp8", KVB_QUANT_FP8, KVB_QUANTIZATION_GPT_OSS_MXFP4, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        store(rows[i].stored, rows[i].method);
        plan.model.quantisation.symmetric = rows[i].method != KVB_QUANT_AWQ;
        set(&plan, KVB_SET_QUANTIZATION, rows[i].asked);
        says(kvb_refusal_method_differs, &plan, rows[i].differs ? "does not match" : NULL);
    }
    make_llama_plan(&plan, R(21, 0));
    store("mxfp4", KVB_QUANT_MXFP4);
    (void)strcpy(plan.model.architecture, "GptOssForCausalLM");
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GPT_OSS_MXFP4);
    says(kvb_refusal_method_differs, &plan, NULL);
}

// A flag that says what the checkpoint is anyway names no method; an FP8 checkpoint of ModelOpt is no NVFP4 one, and an
// NVFP4 one of compressed-tensors is not ModelOpt's.
static void methods_without_a_word(void **state)
{
    (void)state;
    char word[48];
    make_llama_plan(&plan, R(12, 0));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_CHECKPOINT);
    assert_null(kvb_method_used(resolved(&plan), word));
    store("modelopt", KVB_QUANT_FP8);
    assert_string_equal(kvb_method_used(resolved(&plan), word), "modelopt");
    store("compressed-tensors", KVB_QUANT_NVFP4);
    assert_string_equal(kvb_method_used(resolved(&plan), word), "compressed-tensors");
}

// config.py v0.6.1 verify_with_parallel_config: tensor_parallel_size > 1 or pipeline_parallel_size > 1.
static void ranks_of_bitsandbytes(void **state)
{
    (void)state;
    static const struct {
        uint64_t tp, pp;
        bool refused;
    } rows[] = {{1, 1, false}, {2, 1, true}, {1, 2, true}, {2, 2, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(6, 1));
        set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].pp);
        says(kvb_refusal_bnb_ranks, &plan, rows[i].refused ? "with TP or PP is not supported yet" : NULL);
    }
}

// get_supported_act_dtypes of gptq_marlin.py, gptq.py and inc.py v0.10.0, joined as Python prints
// a list of torch's types.
static void types_that_a_method_takes(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(10, 0));
    store("gptq", KVB_QUANT_GPTQ);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    says_exactly(kvb_refusal_method_dtype, "torch.float32 is not supported for quantization method gptq_marlin. "
                                           "Supported dtypes: [torch.float16, torch.bfloat16]");
    plan.model.quantisation.symmetric = false;
    says_exactly(kvb_refusal_method_dtype,
                 "torch.float32 is not supported for quantization method gptq. Supported dtypes: [torch.float16]");
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP16);
    says_exactly(kvb_refusal_method_dtype, NULL);
    store("inc", KVB_QUANT_GPTQ);
    says_exactly(kvb_refusal_method_dtype,
                 "torch.float16 is not supported for quantization method inc. Supported dtypes: [torch.bfloat16]");
}

// ---- Sentences by release

#define NOT_WITH_STAGES "Async scheduling is not supported with pipeline-parallel-size > 1."
#define NOT_YET "Async scheduling is not yet compatible with pipeline_parallel_size > 1."
#define ONLY(drafts) "Currently, async scheduling is only supported with " drafts " kind of speculative decoding"

// engine/arg_utils.py v0.10.0:1142 and v0.11.0:1296; config/vllm.py v0.11.1:375, v0.13.0:546, v0.14.0:566, v0.15.0:575,
// v0.16.0:628, v0.17.1:698, v0.18.0:703, v0.24.0:951, v0.25.0:979. The full stop came with 0.14 and went with 0.18.
static void async_scheduling_by_release(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *stages, *drafts;
    } rows[] = {
        {R(10, 0), NOT_WITH_STAGES, "Currently, speculative decoding is not supported with async scheduling."},
        {R(11, 0), NOT_WITH_STAGES, "Currently, speculative decoding is not supported with async scheduling."},
        {R(11, 1), NOT_YET, ONLY("EAGLE/MTP")},
        {R(13, 0), NOT_YET, ONLY("EAGLE/MTP")},
        {R(14, 0), NOT_YET, ONLY("EAGLE/MTP") "."},
        {R(14, 1), NOT_YET, ONLY("EAGLE/MTP") "."},
        {R(15, 0), NULL, ONLY("EAGLE/MTP") "."},
        {R(16, 0), NULL, ONLY("EAGLE/MTP/Draft Model") "."},
        {R(17, 1), NULL, ONLY("EAGLE/MTP/Draft Model") "."},
        {R(18, 0), NULL, ONLY("EAGLE/MTP/Draft Model/NGram GPU")},
        {R(24, 0), NULL, ONLY("EAGLE/MTP/Draft Model/NGram GPU")},
        {R(25, 0), NULL, ONLY("EAGLE/MTP/Draft Model/NGram GPU/DSpark")},
        {R(27, 1), NULL, ONLY("EAGLE/MTP/Draft Model/NGram GPU/DSpark")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        says_exactly(kvb_refusal_async, NULL);
        set(&plan, KVB_SET_ASYNC_SCHEDULING, 0);
        says_exactly(kvb_refusal_async, NULL);
        set(&plan, KVB_SET_ASYNC_SCHEDULING, 1);
        says_exactly(kvb_refusal_async, rows[i].stages);
        unset(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE);
        says_exactly(kvb_refusal_async, NULL);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        says_exactly(kvb_refusal_async, rows[i].drafts);
    }
}

// engine/arg_utils.py v0.16.0 and v0.11.1: each sequence has a row for each of its drafts and one more. 4 x (2 + 1)
// = 12.
static void rows_of_drafts_beside_adapters(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(16, 0));
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 4);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 11);
    says(kvb_refusal_lora_drafts, &plan, NULL);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    says(kvb_refusal_lora_drafts, &plan, "Consider increasing max_num_batched_tokens");
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 12);
    says(kvb_refusal_lora_drafts, &plan, NULL);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    says(kvb_refusal_lora_drafts, &plan, "Consider increasing max_num_batched_tokens");
    set(&plan, KVB_SET_ENABLE_LORA, 0);
    says(kvb_refusal_lora_drafts, &plan, NULL);
}

// config/vllm.py v0.11.1 _set_cudagraph_sizes: sizes above the tokens of a step are left out, one as large is not.
static void sizes_of_a_whole_step(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 512);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 256);
    name_size(&plan, 512);
    says(kvb_refusal_graph_sizes, &plan,
         "max_cudagraph_capture_size(=256) should be consistent with the max value of "
         "cudagraph_capture_sizes(=512)");
    name_size(&plan, 513);
    says(kvb_refusal_graph_sizes, &plan,
         "(=256) should be consistent with the max value of cudagraph_capture_sizes(=0)");
    name_size(&plan, 512);
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_NONE);
    says(kvb_refusal_graph_sizes, &plan, NULL);
}

// ---- Words

// torch prints capabilities with their minor number behind a point; numbers as they are.
static void numbers_in_sentences(void **state)
{
    (void)state;
    static const struct {
        uint32_t capability;
        const char *text;
    } rows[] = {{75, "7.5"}, {80, "8.0"}, {100, "10.0"}, {121, "12.1"}};
    char text[24];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(text, 'x', sizeof text);
        assert_string_equal(kvb_refusal_capability(text, rows[i].capability), rows[i].text);
    }
    memset(text, 'x', sizeof text);
    assert_string_equal(kvb_refusal_count(text, UINT64_MAX), "18446744073709551615");
    assert_string_equal(kvb_refusal_count(text, 0), "0");
}

// A sentence is cut where there is no room for the rest of it, not written over.
static void sentences_without_room(void **state)
{
    (void)state;
    struct {
        char text[KVB_ERROR_TEXT_CAPACITY], behind[64];
    } out;
    char word[KVB_ERROR_TEXT_CAPACITY - 8];
    const char *values[] = {word};
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    memset(&out, '?', sizeof out);
    kvb_refusal_say(out.text, "{0} and {0} again", values);
    assert_int_equal(strlen(out.text), sizeof out.text - 1);
    assert_int_equal(strspn(out.text, "w"), sizeof word - 1);
    assert_memory_equal(out.text + sizeof word - 1, " and ww", 7);
    for (size_t i = 0; i < sizeof out.behind; i++) {
        assert_int_equal(out.behind[i], '?');
    }
}

// Of 53 bits times 100 those above 2^56 do not find room in 64 bits.
static void hundredths_beyond_all_counts(void **state)
{
    (void)state;
    assert_int_equal(kvb_printed_hundredths(UINT64_C(1) << 56, 1), (UINT64_C(1) << 56) * 100);
    assert_int_equal(kvb_printed_hundredths(UINT64_C(1) << 57, 1), UINT64_MAX);
    assert_int_equal(kvb_printed_hundredths(UINT64_C(1) << 58, 1), UINT64_MAX);
    assert_int_equal(kvb_printed_hundredths(1, UINT64_C(1) << 62), 0);
}

// 2^64 tokens are more than a count holds.
static void tokens_beyond_all_counts(void **state)
{
    (void)state;
    assert_int_equal(kvb_printed_tokens(UINT64_C(1) << 40, 1, UINT64_C(1) << 24), UINT64_MAX);
    assert_int_equal(kvb_printed_tokens(UINT64_C(1) << 40, 1, UINT64_C(1) << 23), UINT64_C(1) << 63);
    assert_int_equal(kvb_printed_tokens(1, 0, 8), 0);
}

// ---- Heads that are made

// models/registry.py v0.26.0, and where the class makes a head before it takes the embedding's weight for it: by
// tie_weights (apertus.py:448, llama.py:492 and classes derived from it ...) or lm_head.weight = (granite.py:368 ...).
// glm4.py:256 and qwen3.py:299 name the embedding; phi.py cannot share it.
static void heads_made_before_they_are_tied(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        bool made;
    } rows[] = {
        {"ApertusForCausalLM", true},
        {"ArceeForCausalLM", true},
        {"ChameleonForConditionalGeneration", true},
        {"CwmForCausalLM", true},
        {"DeciLMForCausalLM", true},
        {"DiffusionGemmaForBlockDiffusion", true},
        {"Ernie4_5ForCausalLM", true},
        {"Ernie4_5_MoeForCausalLM", true},
        {"Exaone4ForCausalLM", true},
        {"FalconH1ForCausalLM", true},
        {"Fairseq2LlamaForCausalLM", true},
        {"GPT2LMHeadModel", true},
        {"Gemma3ForCausalLM", true},
        {"Gemma4ForCausalLM", true},
        {"GlmForCausalLM", true},
        {"GraniteForCausalLM", true},
        {"GritLM", true},
        {"HunYuanDenseV1ForCausalLM", true},
        {"HyperCLOVAXForCausalLM", true},
        {"IQuestCoderForCausalLM", true},
        {"Idefics3ForConditionalGeneration", true},
        {"InternLM3ForCausalLM", true},
        {"Jais2ForCausalLM", true},
        {"LLaMAForCausalLM", true},
        {"LagunaForCausalLM", true},
        {"Lfm2ForCausalLM", true},
        {"LlamaForCausalLM", true},
        {"Mamba2ForCausalLM", true},
        {"MiniCPMForCausalLM", true},
        {"MistralForCausalLM", true},
        {"MixtralForCausalLM", true},
        {"NemotronForCausalLM", true},
        {"OrionForCausalLM", true},
        {"Phi3ForCausalLM", true},
        {"Phi4MMForCausalLM", true},
        {"Plamo2ForCausalLM", true},
        {"Plamo3ForCausalLM", true},
        {"Qwen2MoeForCausalLM", true},
        {"Qwen3MoeForCausalLM", true},
        {"Qwen3VLMoeForConditionalGeneration", true},
        {"Rnj1ForCausalLM", true},
        {"SmolVLMForConditionalGeneration", true},
        {"SolarForCausalLM", true},
        {"StableLMEpochForCausalLM", true},
        {"StableLmForCausalLM", true},
        {"Step1ForCausalLM", true},
        {"TeleChat2ForCausalLM", true},
        {"TeleFLMForCausalLM", true},
        {"WhisperForConditionalGeneration", true},
        {"Zamba2ForCausalLM", true},
        {"Glm4ForCausalLM", false},
        {"PhiForCausalLM", false},
        {"Qwen2ForCausalLM", false},
        {"Qwen3ForCausalLM", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(26, 0));
        (void)strcpy(plan.model.architecture, rows[i].architecture);
        if (loaded(&plan)->makes_tied_head != rows[i].made) {
            fail_msg("%s", rows[i].architecture);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(hundredths_beyond_all_counts), cmocka_unit_test(methods_that_read_another),
              cmocka_unit_test(methods_without_a_word), cmocka_unit_test(ranks_of_bitsandbytes),
              cmocka_unit_test(types_that_a_method_takes), cmocka_unit_test(async_scheduling_by_release),
              cmocka_unit_test(rows_of_drafts_beside_adapters), cmocka_unit_test(sizes_of_a_whole_step),
              cmocka_unit_test(numbers_in_sentences), cmocka_unit_test(sentences_without_room),
              cmocka_unit_test(tokens_beyond_all_counts), cmocka_unit_test(heads_made_before_they_are_tied))
