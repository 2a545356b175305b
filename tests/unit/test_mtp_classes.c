// Which checkpoints become modules that draft, and from which release on: the model types that hf_config_override names
// in vllm/config.py v0.7.3 to v0.9.1, vllm/config/__init__.py to v0.10.2 and vllm/config/speculative.py to v0.27.1 and
// at 53e211d292, of which 0.28.0 was cut; the tag before has them not.
#include <stdio.h>
#include <string.h>

#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_model model;

static void first_releases(void **state)
{
    (void)state;
    static const struct {
        uint32_t before, first;
        const char *classes;
        bool counted; // "num_nextn_predict_layers" has to be above 0
    } rows[] = {
        {R(7, 2), R(7, 3), "DeepseekV3ForCausalLM", true},
        {R(8, 5), R(9, 0), "MiMoForCausalLM", false},
        {R(9, 2), R(10, 0), "Glm4MoeForCausalLM", false},
        {R(10, 1), R(10, 2), "Ernie4_5_MoeForCausalLM Qwen3NextForCausalLM", false},
        {R(10, 2), R(11, 0), "DeepseekV32ForCausalLM LongcatFlashForCausalLM", false},
        {R(11, 0), R(11, 1), "PanguUltraMoEForCausalLM", false},
        {R(13, 0), R(14, 0), "ExaoneMoeForCausalLM", false},
        {R(14, 1), R(15, 0), "Glm4MoeLiteForCausalLM", false},
        {R(15, 0), R(15, 1), "Step3p5ForCausalLM", false},
        {R(15, 1), R(16, 0), "GlmMoeDsaForCausalLM GlmOcrForConditionalGeneration", false},
        {R(16, 0), R(17, 0), "NemotronHForCausalLM", true},
        {R(16, 0), R(17, 0), "Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration", false},
        {R(18, 1), R(19, 0), "NemotronHPuzzleForCausalLM", true},
        {R(19, 1), R(20, 0), "NemotronH_Super_Omni_Reasoning_V3", true},
        {R(19, 1), R(20, 0), "DeepseekV4ForCausalLM Exaone4_5_ForConditionalGeneration HYV3ForCausalLM", false},
        {R(20, 2), R(21, 0),
         "Gemma4AssistantForCausalLM MiMoV2FlashForCausalLM MiMoV2ForCausalLM MiMoV2OmniForCausalLM", false},
        {R(21, 0), R(22, 0), "InternS2PreviewForConditionalGeneration", false},
        {R(22, 1), R(23, 0), "Gemma4UnifiedAssistantForCausalLM Step3p7ForConditionalGeneration", false},
        {R(23, 0), R(24, 0), "MiniMaxM3SparseForCausalLM MiniMaxM3SparseForConditionalGeneration", false},
        {R(24, 0), R(25, 0), "BailingMoeV2_5ForCausalLM", false},
        {R(25, 1), R(26, 0), "InklingForCausalLM InklingForConditionalGeneration LongcatFlashNgramForCausalLM", false},
        {R(26, 0), R(27, 0), "KimiK3ForConditionalGeneration", true},
        {R(27, 1), R(28, 0),
         "BailingMoeV3ForCausalLM Dots3NoteForCausalLM InternS2MobiusForConditionalGeneration Qwen3_5ForCausalLM "
         "Qwen3_5MoeForCausalLM",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char names[256];
        (void)snprintf(names, sizeof names, "%s", rows[i].classes);
        for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
            name_class_of(&model, name);
            model.mtp_layers = 1;
            if (kvb_brings_mtp(&model, rows[i].before) || !kvb_brings_mtp(&model, rows[i].first)) {
                fail_msg("%s at %u", name, rows[i].first);
            }
            model.mtp_layers = 0;
            assert_int_equal(kvb_brings_mtp(&model, rows[i].first), !rows[i].counted);
        }
    }
    name_class_of(&model, "Qwen3ForCausalLM");
    assert_false(kvb_brings_mtp(&model, R(28, 0)));
}

// mimo_v2_mtp.py v0.21.0 _MIMO_V2_FLASH_NUM_MTP_LAYERS = 1, whatever the config has.
static void modules_that_run(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t layers, modules;
    } rows[] = {{"MiMoV2FlashForCausalLM", 3, 1}, {"MiMoV2OmniForCausalLM", 2, 1}, {"MiMoV2ForCausalLM", 1, 1},
                {"MiMoV2ForCausalLM", 0, 0},      {"MiMoForCausalLM", 2, 2},       {"Step3p5ForCausalLM", 3, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name_class_of(&model, rows[i].name);
        model.mtp_layers = rows[i].layers;
        assert_int_equal(kvb_mtp_modules(&model), rows[i].modules);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(first_releases), cmocka_unit_test(modules_that_run))
