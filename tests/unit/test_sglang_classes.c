// Which classes of models SGLang treats in a way of its own, in the first release of each and around it. Expected:
// configs/model_config.py (is_hybrid_swa_model, piecewise_cuda_graph_disabled_model_archs,
// is_multimodal_chunked_prefill_supported), model_executor/model_runner.py, server_args.py and
// arg_groups/speculative_hook.py of sgl-project/sglang at the releases named.
#include <stdio.h>
#include <string.h>

#include "engines/sglang/models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

struct classes {
    enum kvb_sgl_trait trait;
    uint32_t since, gone; // 0: none is without it
    const char *names;
};

static const struct classes classes[] = {
    {KVB_SGL_WINDOW_POOLS, R(4, 9) + 3, R(5, 0), "Gemma2ForCausalLM Gemma3ForCausalLM Gemma3ForConditionalGeneration"},
    {KVB_SGL_WINDOW_POOLS, R(5, 8), 0, "Llama4ForConditionalGeneration GptOssForCausalLM"},
    {KVB_SGL_WINDOW_POOLS, R(5, 7), 0, "MiMoV2FlashForCausalLM"},
    {KVB_SGL_WINDOW_POOLS, R(5, 11), 0, "MiMoV2ForCausalLM Gemma4ForCausalLM Gemma4ForConditionalGeneration"},
    {KVB_SGL_WINDOW_POOLS, R(5, 9), 0, "Step3p5ForCausalLM"},
    {KVB_SGL_WINDOW_POOLS, R(5, 12), 0, "LagunaForCausalLM Gemma4UnifiedForConditionalGeneration"},
    {KVB_SGL_WINDOW_POOLS, R(5, 13), 0, "Step3p7ForConditionalGeneration"},
    {KVB_SGL_WINDOW_POOLS, R(5, 16), 0, "MellumForCausalLM InklingForConditionalGeneration"},
    {KVB_SGL_WINDOW_POOLS, R(5, 18), 0, "MuseGlimmerForCausalLM MuseGlimmerForConditionalGeneration"},
    {KVB_SGL_NO_PIECEWISE, R(5, 10), R(5, 13), "DeepseekV32ForCausalLM GlmMoeDsaForCausalLM"},
    {KVB_SGL_NO_PIECEWISE, R(5, 10), 0, "Qwen3NextForCausalLM BailingMoeV2_5ForCausalLM LLaDAModelLM"},
    {KVB_SGL_NO_PIECEWISE, R(5, 12), 0, "DeepseekV4ForCausalLM"},
    {KVB_SGL_NO_BREAKABLE, R(5, 17), 0, "NemotronHForCausalLM"},
    {KVB_SGL_TOWER_PIECEWISE, R(5, 14), 0, "Cohere2VisionForConditionalGeneration"},
    {KVB_SGL_TOWER_PIECEWISE, R(5, 16), 0,
     "KimiK25ForConditionalGeneration MiniMaxM3SparseForCausalLM MiniMaxM3SparseForConditionalGeneration"},
    {KVB_SGL_TOWER_BREAKABLE, R(5, 16), 0, "Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration"},
    {KVB_SGL_TOWER_BREAKABLE, R(5, 18), 0,
     "MuseGlimmerForConditionalGeneration InternS2MobiusForConditionalGeneration"},
    {KVB_SGL_WINDOW_POOLS, R(5, 15), 0, "UnlimitedOCRForCausalLM"},
    {KVB_SGL_WHOLE_PROMPTS, R(4, 6) + 5, 0, "Grok1VForCausalLM Grok1AForCausalLM CLIPModel"},
    {KVB_SGL_WHOLE_PROMPTS, R(5, 11), 0, "MossVLForConditionalGeneration"},
    // auto_choose_speculative_params
    {KVB_SGL_ONE_BRANCH, R(4, 7), R(5, 8), "DeepseekV3ForCausalLM DeepseekV2ForCausalLM"},
    {KVB_SGL_ONE_BRANCH, R(5, 1), R(5, 8), "GptOssForCausalLM"},
    {KVB_SGL_ONE_BRANCH, R(5, 3), R(5, 8), "DeepseekV32ForCausalLM BailingMoeForCausalLM BailingMoeV2ForCausalLM"},
    {KVB_SGL_ONE_BRANCH, R(5, 6) + 1, R(5, 8), "MistralLarge3ForCausalLM PixtralForConditionalGeneration"},
    {KVB_SGL_ONE_BRANCH, R(5, 6) + 2, R(5, 8), "Glm4MoeForCausalLM"},
    {KVB_SGL_ONE_BRANCH, R(5, 7), R(5, 8), "MiMoV2FlashForCausalLM"},
    {KVB_SGL_BRANCHES, R(5, 8), 0, "LlamaForCausalLM Grok1ForCausalLM Grok1VForCausalLM"},
    {KVB_SGL_NO_ROPE_TABLE, 0, R(5, 10), "Gemma3ForCausalLM Gemma3ForConditionalGeneration"},
    {KVB_SGL_PLAIN_ROPE, R(5, 10), 0, "Gemma3ForCausalLM Gemma3ForConditionalGeneration"},
    {KVB_SGL_HEAD_TWICE, 0, R(4, 0), "LlamaForCausalLM Qwen2ForCausalLM"},
    {KVB_SGL_WHOLE_PROMPTS, R(4, 0) + 2, 0, "MllamaForConditionalGeneration"},
    {KVB_SGL_WHOLE_PROMPTS, R(4, 0) + 2, R(4, 4) + 4, "Qwen2VLForConditionalGeneration"},
    {KVB_SGL_WHOLE_PROMPTS, R(4, 4) + 2, R(4, 4) + 4, "DeepseekVL2ForCausalLM"},
    {KVB_SGL_WHOLE_PROMPTS, R(4, 6) + 5, 0, "LlavaLlamaForCausalLM"},
    {KVB_SGL_OWN_DRAFT, R(5, 14), 0,
     "DeepseekV32ForCausalLM DeepseekV3ForCausalLM DeepseekV4ForCausalLM Glm4MoeForCausalLM "
     "Glm4MoeLiteForCausalLM GlmMoeDsaForCausalLM BailingMoeForCausalLM "
     "BailingMoeV2ForCausalLM BailingMoeV2_5ForCausalLM MistralLarge3ForCausalLM "
     "PixtralForConditionalGeneration HYV3ForCausalLM"},
    {KVB_SGL_WINDOW_POOLS, R(4, 9) + 3, R(5, 0), "Gemma3nForCausalLM Gemma3nForConditionalGeneration"},
    // _support_mamba_cache_extra_buffer of server_args.py at 0.5.14, _MAMBA_EXTRA_BUFFER_ARCHS of
    // arg_groups/overrides.py
    {KVB_SGL_EXTRA_BUFFER, R(5, 14), 0,
     "Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration Qwen3NextForCausalLM "
     "InternS2PreviewForConditionalGeneration MiniCPMV4_6ForConditionalGeneration BailingMoeV2_5ForCausalLM "
     "FalconH1ForCausalLM GraniteMoeHybridForCausalLM NemotronHForCausalLM NemotronHPuzzleForCausalLM"},
    {KVB_SGL_EXTRA_BUFFER, R(5, 16), 0, "KimiLinearForCausalLM"},
    {KVB_SGL_EXTRA_BUFFER, R(5, 18), 0, "KimiK3ForConditionalGeneration"},
};

static void check(const struct classes *row, const char *name, uint32_t release, bool expected)
{
    static struct kvb_model model;
    (void)snprintf(model.architecture, sizeof model.architecture, "%s", name);
    if (kvb_sgl_model_is(&model, row->trait, release) != expected) {
        fail_msg("trait %u of %s at %u", row->trait, name, release);
    }
}

static void each_class_in_its_releases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const struct classes *row = &classes[i];
        char names[512];
        (void)snprintf(names, sizeof names, "%s", row->names);
        for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
            check(row, name, row->since > 0 ? row->since : 1, true);
            check(row, name, row->since > 0 ? row->since - 1 : 1, row->since == 0);
            check(row, name, row->gone > 0 ? row->gone - 1 : R(5, 18), true);
            check(row, name, row->gone > 0 ? row->gone : R(5, 18), row->gone == 0);
        }
    }
}

static void classes_beside_them(void **state)
{
    (void)state;
    static const struct classes none = {KVB_SGL_WINDOW_POOLS, 0, 0, ""};
    check(&none, "Qwen3ForCausalLM", R(5, 18), false);
    check(&none, "", R(5, 18), false);
    check(&none, "DeepseekV3ForCausalLM", R(5, 18), false); // of another trait
}

KVB_TEST_MAIN(cmocka_unit_test(each_class_in_its_releases), cmocka_unit_test(classes_beside_them))
