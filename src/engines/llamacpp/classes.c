// Where the graph of a class differs so that it is seen in the memory.
// Source: src/models/*.cpp at ec98e2002, src/llama.cpp at b4747 (build_*); rows_last: the first build whose file there
// has embeddings_nextn_masked.
#include <string.h>

#include "engines/llamacpp/layer.h"

static const struct kvb_llama_class rows[] = {
    {.name = "Phi3ForCausalLM", .fused_qkv = true, .fused_gate_up = true, .scales_query = true, .residual_first = true},
    {.name = "PhiForCausalLM", .parallel = true, .plain_norm = true, .scales_query = true},
    {.name = "GPTNeoXForCausalLM", .fused_qkv = true, .parallel = true, .plain_norm = true},
    {.name = "FalconForCausalLM", .fused_qkv = true, .parallel = true, .plain_norm = true},
    {.name = "BloomForCausalLM", .fused_qkv = true, .plain_norm = true},
    {.name = "GPT2LMHeadModel", .fused_qkv = true, .plain_norm = true},
    {.name = "MPTForCausalLM", .fused_qkv = true, .plain_norm = true},
    {.name = "GPTBigCodeForCausalLM", .fused_qkv = true, .plain_norm = true},
    {.name = "QWenLMHeadModel", .fused_qkv = true},
    {.name = "ChatGLMModel", .fused_qkv = true, .fused_gate_up = true},
    {.name = "Starcoder2ForCausalLM", .plain_norm = true},
    {.name = "StableLmForCausalLM", .plain_norm = true},
    {.name = "OrionForCausalLM", .plain_norm = true},
    {.name = "NemotronForCausalLM", .plain_norm = true},
    {.name = "OlmoForCausalLM", .plain_norm = true},
    {.name = "DbrxForCausalLM", .fused_qkv = true, .plain_norm = true},
    {.name = "CohereForCausalLM", .parallel = true, .plain_norm = true},
    {.name = "Cohere2ForCausalLM", .parallel = true, .plain_norm = true},
    {.name = "GemmaForCausalLM", .scales_input = true, .scales_query = true},
    {.name = "Gemma2ForCausalLM",
     .scales_input = true,
     .scales_query = true,
     .caps_logits = true,
     .norms_after = true,
     .outlined = true},
    {.name = "Gemma3ForCausalLM", .scales_input = true, .scales_query = true, .norms_after = true},
    {.name = "Gemma3ForConditionalGeneration", .scales_input = true, .scales_query = true, .norms_after = true},
    {.name = "Gemma4ForConditionalGeneration",
     .scales_input = true,
     .norms_after = true,
     .caps_logits = true,
     .layer_factor = true,
     .rows_last = 9549,
     .outlined = true},
    {.name = "Gemma4ForCausalLM",
     .scales_input = true,
     .norms_after = true,
     .caps_logits = true,
     .layer_factor = true,
     .rows_last = 9549,
     .outlined = true},
    {.name = "Gemma3nForCausalLM", .outlined = true},
    {.name = "Gemma3nForConditionalGeneration", .outlined = true},
    {.name = "Qwen3_5ForCausalLM", .four_positions = true, .rows_last = 9495},
    {.name = "Qwen3_5ForConditionalGeneration", .four_positions = true, .rows_last = 9495},
    {.name = "Qwen3_5MoeForCausalLM", .four_positions = true, .rows_last = 9495},
    {.name = "Qwen3_5MoeForConditionalGeneration", .four_positions = true, .rows_last = 9495},
    {.name = "Qwen2VLForConditionalGeneration", .four_positions = true},
    {.name = "Qwen2_5_VLForConditionalGeneration", .four_positions = true},
    {.name = "Qwen3VLForConditionalGeneration", .four_positions = true},
    {.name = "Qwen3VLMoeForConditionalGeneration", .four_positions = true},
    {.name = "Qwen3NextForCausalLM", .one_rate = true, .rows_last = 10238},
    {.name = "GptOssForCausalLM", .chooses_late = true, .rows_last = 10158},
    {.name = "DeepseekV2ForCausalLM", .rows_last = 10251},
    {.name = "DeepseekV3ForCausalLM", .rows_last = 10251},
    {.name = "DeepseekV32ForCausalLM", .rows_last = 10237},
    {.name = "GlmMoeDsaForCausalLM", .rows_last = 10174},
    {.name = "NemotronHForCausalLM", .rows_last = 10344},
    {.name = "MiMoV2FlashForCausalLM", .rows_last = 10184},
    {.name = "HYV3ForCausalLM", .rows_last = 9993},
    {.name = "Step3p5ForCausalLM", .rows_last = 9495},
    {.name = "Olmo2ForCausalLM", .norms_after = true},
    {.name = "Exaone4ForCausalLM", .norms_after = true},
    {.name = "Glm4ForCausalLM", .norms_after = true, .fused_gate_up = true, .outlined = true},
};

const struct kvb_llama_class *kvb_llama_class_of(const struct kvb_model *model)
{
    static const struct kvb_llama_class plain = {.name = ""};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, model->architecture) == 0) {
            return &rows[i];
        }
    }
    return &plain;
}
