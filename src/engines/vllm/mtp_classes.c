// Checkpoints that a release turns into modules that draft (MTP), whatever they were called.
// Source: vllm/config/speculative.py hf_config_override (vllm/config.py to 0.10.2).
#include <string.h>

#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// Classes whose model type hf_config_override makes one of MTPModelTypes, and from when.
static const struct {
    const char *architecture;
    uint32_t since;
    bool counted; // only with modules in its config
} mtp_classes[] = {
    {"BailingMoeV2_5ForCausalLM", R(25, 0), false},
    {"BailingMoeV3ForCausalLM", R(28, 0), false},
    {"DeepseekV3ForCausalLM", R(7, 3), true}, // without them num_speculative_tokens is divided by zero
    {"DeepseekV32ForCausalLM", R(11, 0), false},
    {"DeepseekV4ForCausalLM", R(20, 0), false},
    {"Dots3NoteForCausalLM", R(28, 0), false},
    {"Ernie4_5_MoeForCausalLM", R(10, 2), false},
    {"Exaone4_5_ForConditionalGeneration", R(20, 0), false},
    {"ExaoneMoeForCausalLM", R(14, 0), false},
    {"Gemma4AssistantForCausalLM", R(21, 0), false},
    {"Gemma4UnifiedAssistantForCausalLM", R(23, 0), false},
    {"Glm4MoeForCausalLM", R(10, 0), false},
    {"Glm4MoeLiteForCausalLM", R(15, 0), false},
    {"GlmMoeDsaForCausalLM", R(16, 0), false},
    {"GlmOcrForConditionalGeneration", R(16, 0), false},
    {"HYV3ForCausalLM", R(20, 0), false},
    {"InklingForCausalLM", R(26, 0), false},
    {"InklingForConditionalGeneration", R(26, 0), false},
    {"InternS2MobiusForConditionalGeneration", R(28, 0), false},
    {"InternS2PreviewForConditionalGeneration", R(22, 0), false},
    {"KimiK3ForConditionalGeneration", R(27, 0), true},
    {"LongcatFlashForCausalLM", R(11, 0), false},
    {"LongcatFlashNgramForCausalLM", R(26, 0), false},
    {"MiMoForCausalLM", R(9, 0), false},
    {"MiMoV2FlashForCausalLM", R(21, 0), false},
    {"MiMoV2ForCausalLM", R(21, 0), false},
    {"MiMoV2OmniForCausalLM", R(21, 0), false},
    {"MiniMaxM3SparseForCausalLM", R(24, 0), false},
    {"MiniMaxM3SparseForConditionalGeneration", R(24, 0), false},
    {"NemotronHForCausalLM", R(17, 0), true},
    {"NemotronHPuzzleForCausalLM", R(19, 0), true},
    {"NemotronH_Super_Omni_Reasoning_V3", R(20, 0), true},
    {"PanguUltraMoEForCausalLM", R(11, 1), false},
    {"Qwen3NextForCausalLM", R(10, 2), false},
    {"Qwen3_5ForCausalLM", R(28, 0), false},
    {"Qwen3_5ForConditionalGeneration", R(17, 0), false},
    {"Qwen3_5MoeForCausalLM", R(28, 0), false},
    {"Qwen3_5MoeForConditionalGeneration", R(17, 0), false},
    {"Step3p5ForCausalLM", R(15, 1), false},
    {"Step3p7ForConditionalGeneration", R(23, 0), false},
};

bool kvb_brings_mtp(const struct kvb_model *model, uint32_t release)
{
    for (size_t i = 0; i < sizeof mtp_classes / sizeof mtp_classes[0]; i++) {
        if (strcmp(mtp_classes[i].architecture, model->architecture) == 0) {
            return release >= mtp_classes[i].since && (!mtp_classes[i].counted || model->mtp_layers > 0);
        }
    }
    return false;
}

// Of MiMo V2's modules the first alone: mimo_v2_mtp.py v0.21.0 to v0.28.0 _MIMO_V2_FLASH_NUM_MTP_LAYERS.
uint32_t kvb_mtp_modules(const struct kvb_model *model)
{
    bool first = strncmp(model->architecture, "MiMoV2", strlen("MiMoV2")) == 0;
    return first && model->mtp_layers > 1 ? 1 : model->mtp_layers;
}

// A ColumnParallelLinear in these, a whole matrix in the others: qwen3_next_mtp.py, qwen3_5_mtp.py, nemotron_h_mtp.py
// and exaone_moe_mtp.py v0.20.0 to v0.27.1.
bool kvb_mtp_joins_by_rank(const struct kvb_model *model)
{
    static const char *const starts[] = {"Qwen3Next", "Qwen3_5", "NemotronH", "ExaoneMo"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (strncmp(model->architecture, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    return false;
}
