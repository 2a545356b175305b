// How the graph of a class differs, read class by class at llama.cpp ec98e2002: src/models/NAME.cpp of each row. One
// matrix for the query, key and value: model.layers[il].wqkv. Parallel: the MLP reads the norm of attention. Input and
// query scaled: ggml_scale of inpL and of Qcur. Capped: f_final_logit_softcapping. Norms after: attn_post_norm and
// ffn_post_norm, added to what went in. Plain norm: LLM_NORM. Fused gate: LLM_FFN_SWIGLU over one matrix.
#include <stdio.h>

#include "engines/llamacpp/layer.h"
#include "unit/test.h"

static const struct kvb_llama_class rows[] = {
    {.name = "LlamaForCausalLM"}, // llama.cpp
    {.name = "MistralForCausalLM"},
    {.name = "Qwen2ForCausalLM"},                                                                // qwen2.cpp
    {.name = "Qwen3ForCausalLM"},                                                                // qwen3.cpp
    {.name = "Phi3ForCausalLM", .fused_qkv = true, .fused_gate_up = true, .scales_query = true}, // phi3.cpp:46,79,111
    {.name = "PhiForCausalLM", .parallel = true, .plain_norm = true, .scales_query = true},      // phi2.cpp
    {.name = "GPTNeoXForCausalLM", .fused_qkv = true, .parallel = true, .plain_norm = true},     // gptneox.cpp
    {.name = "FalconForCausalLM", .fused_qkv = true, .parallel = true, .plain_norm = true},      // falcon.cpp
    {.name = "BloomForCausalLM", .fused_qkv = true, .plain_norm = true},                         // bloom.cpp
    {.name = "GPT2LMHeadModel", .fused_qkv = true, .plain_norm = true},                          // gpt2.cpp
    {.name = "MPTForCausalLM", .fused_qkv = true, .plain_norm = true},                           // mpt.cpp
    {.name = "GPTBigCodeForCausalLM", .fused_qkv = true, .plain_norm = true},                    // starcoder.cpp
    {.name = "QWenLMHeadModel", .fused_qkv = true},                                              // qwen.cpp
    {.name = "ChatGLMModel", .fused_qkv = true, .fused_gate_up = true},                          // chatglm.cpp
    {.name = "Starcoder2ForCausalLM", .plain_norm = true},                                       // starcoder2.cpp
    {.name = "StableLmForCausalLM", .plain_norm = true},                                         // stablelm.cpp
    {.name = "OrionForCausalLM", .plain_norm = true},                                            // orion.cpp
    {.name = "NemotronForCausalLM", .plain_norm = true},                                         // nemotron.cpp
    {.name = "OlmoForCausalLM", .plain_norm = true},                                             // olmo.cpp
    {.name = "DbrxForCausalLM", .fused_qkv = true, .plain_norm = true},                          // dbrx.cpp
    {.name = "CohereForCausalLM", .parallel = true, .plain_norm = true},                         // command-r.cpp
    {.name = "Cohere2ForCausalLM", .parallel = true, .plain_norm = true},                        // cohere2-iswa.cpp
    {.name = "GemmaForCausalLM", .scales_input = true, .scales_query = true},                    // gemma.cpp
    {.name = "Gemma2ForCausalLM",                                                                // gemma2-iswa.cpp
     .scales_input = true,
     .scales_query = true,
     .caps_logits = true,
     .norms_after = true},
    {.name = "Gemma3ForCausalLM", .scales_input = true, .scales_query = true, .norms_after = true}, // gemma3.cpp
    {.name = "Gemma3ForConditionalGeneration", .scales_input = true, .scales_query = true, .norms_after = true},
    {.name = "Olmo2ForCausalLM", .norms_after = true},                       // olmo2.cpp
    {.name = "Exaone4ForCausalLM", .norms_after = true},                     // exaone4.cpp
    {.name = "Glm4ForCausalLM", .norms_after = true, .fused_gate_up = true}, // glm4.cpp
};

static void test_classes(void **state)
{
    (void)state;
    static struct kvb_model model;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_llama_class *wanted = &rows[i];
        (void)snprintf(model.architecture, sizeof model.architecture, "%s", wanted->name);
        const struct kvb_llama_class *got = kvb_llama_class_of(&model);
        bool right = got->fused_qkv == wanted->fused_qkv && got->parallel == wanted->parallel &&
                     got->scales_input == wanted->scales_input && got->scales_query == wanted->scales_query &&
                     got->caps_logits == wanted->caps_logits && got->norms_after == wanted->norms_after &&
                     got->plain_norm == wanted->plain_norm && got->fused_gate_up == wanted->fused_gate_up;
        if (!right) {
            fail_msg("%s", wanted->name);
        }
    }
}

// What is in a graph beside what is followed is said to be there: per-layer inputs of Gemma 3n and 4, and the scaled
// embeddings of others that are bounded only.
static void test_outlined(void **state)
{
    (void)state;
    static const char *const outlined[] = {"Gemma3nForCausalLM", "Gemma3nForConditionalGeneration", "Gemma4ForCausalLM",
                                           "Gemma4ForConditionalGeneration"};
    static struct kvb_model model;
    for (size_t i = 0; i < sizeof outlined / sizeof outlined[0]; i++) {
        (void)snprintf(model.architecture, sizeof model.architecture, "%s", outlined[i]);
        assert_true(kvb_llama_class_of(&model)->outlined);
    }
    (void)snprintf(model.architecture, sizeof model.architecture, "%s", "LlamaForCausalLM");
    assert_false(kvb_llama_class_of(&model)->outlined);
}

KVB_TEST_MAIN(cmocka_unit_test(test_classes), cmocka_unit_test(test_outlined))
