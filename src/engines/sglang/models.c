// Model classes that SGLang treats in a way of their own. Source: sgl-project/sglang, python/sglang/srt:
// configs/model_config.py (is_hybrid_swa_model, piecewise_cuda_graph_disabled_model_archs,
// multimodal_*_cuda_graph_supported_model_archs), model_executor/model_runner.py and server_args.py (0.4.9.post3 to
// 0.5.6: every class that reports a window, but for those whose pools are switched off).
#include "engines/sglang/models.h"

#include <string.h>

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

#define FIRST_READ R(4, 0) // the tables of classes begin here

struct trait_row {
    enum kvb_sgl_trait trait;
    const char *architecture;
    uint32_t since, until; // until: the first release without; 0: none
};
static const struct trait_row rows[] = {
    {KVB_SGL_WINDOW_POOLS, "Gemma2ForCausalLM", R(4, 9) + 3, R(5, 0)},
    {KVB_SGL_WINDOW_POOLS, "Gemma3ForCausalLM", R(4, 9) + 3, R(5, 0)},
    {KVB_SGL_WINDOW_POOLS, "Gemma3ForConditionalGeneration", R(4, 9) + 3, R(5, 0)},
    {KVB_SGL_WINDOW_POOLS, "Gemma3nForCausalLM", R(4, 9) + 3, R(5, 0)},
    {KVB_SGL_WINDOW_POOLS, "Gemma3nForConditionalGeneration", R(4, 9) + 3, R(5, 0)},
    {KVB_SGL_WINDOW_POOLS, "Llama4ForConditionalGeneration", R(5, 8), 0},
    {KVB_SGL_WINDOW_POOLS, "GptOssForCausalLM", R(5, 8), 0},
    {KVB_SGL_WINDOW_POOLS, "MiMoV2FlashForCausalLM", R(5, 7), 0},
    {KVB_SGL_WINDOW_POOLS, "MiMoV2ForCausalLM", R(5, 11), 0},
    {KVB_SGL_WINDOW_POOLS, "Step3p5ForCausalLM", R(5, 9), 0},
    {KVB_SGL_WINDOW_POOLS, "Gemma4ForCausalLM", R(5, 11), 0},
    {KVB_SGL_WINDOW_POOLS, "Gemma4ForConditionalGeneration", R(5, 11), 0},
    {KVB_SGL_WINDOW_POOLS, "LagunaForCausalLM", R(5, 12), 0},
    {KVB_SGL_WINDOW_POOLS, "Gemma4UnifiedForConditionalGeneration", R(5, 12), 0},
    {KVB_SGL_WINDOW_POOLS, "Step3p7ForConditionalGeneration", R(5, 13), 0},
    {KVB_SGL_WINDOW_POOLS, "UnlimitedOCRForCausalLM", R(5, 15), 0},
    {KVB_SGL_WINDOW_POOLS, "MellumForCausalLM", R(5, 16), 0},
    {KVB_SGL_WINDOW_POOLS, "InklingForConditionalGeneration", R(5, 16), 0},
    {KVB_SGL_WINDOW_POOLS, "MuseGlimmerForCausalLM", R(5, 18), 0},
    {KVB_SGL_WINDOW_POOLS, "MuseGlimmerForConditionalGeneration", R(5, 18), 0},
    {KVB_SGL_NO_PIECEWISE, "DeepseekV32ForCausalLM", R(5, 10), R(5, 13)},
    {KVB_SGL_NO_PIECEWISE, "GlmMoeDsaForCausalLM", R(5, 10), R(5, 13)},
    {KVB_SGL_NO_PIECEWISE, "Qwen3NextForCausalLM", R(5, 10), 0},
    {KVB_SGL_NO_PIECEWISE, "BailingMoeV2_5ForCausalLM", R(5, 10), 0},
    {KVB_SGL_NO_PIECEWISE, "LLaDAModelLM", R(5, 10), 0},
    {KVB_SGL_NO_PIECEWISE, "DeepseekV4ForCausalLM", R(5, 12), 0},
    {KVB_SGL_NO_BREAKABLE, "NemotronHForCausalLM", R(5, 17), 0},
    {KVB_SGL_TOWER_PIECEWISE, "Cohere2VisionForConditionalGeneration", R(5, 14), 0},
    {KVB_SGL_TOWER_PIECEWISE, "KimiK25ForConditionalGeneration", R(5, 16), 0},
    {KVB_SGL_TOWER_PIECEWISE, "MiniMaxM3SparseForCausalLM", R(5, 16), 0},
    {KVB_SGL_TOWER_PIECEWISE, "MiniMaxM3SparseForConditionalGeneration", R(5, 16), 0},
    {KVB_SGL_TOWER_BREAKABLE, "Qwen3_5ForConditionalGeneration", R(5, 16), 0},
    {KVB_SGL_TOWER_BREAKABLE, "Qwen3_5MoeForConditionalGeneration", R(5, 16), 0},
    {KVB_SGL_TOWER_BREAKABLE, "InternS2MobiusForConditionalGeneration", R(5, 18), 0},
    {KVB_SGL_TOWER_BREAKABLE, "MuseGlimmerForConditionalGeneration", R(5, 18), 0},
    // models/gemma3_causal.py: Gemma3RotaryEmbedding keeps frequencies alone; get_rope without scaling from 0.5.10 on
    {KVB_SGL_NO_ROPE_TABLE, "Gemma3ForCausalLM", 0, R(5, 10)},
    {KVB_SGL_NO_ROPE_TABLE, "Gemma3ForConditionalGeneration", 0, R(5, 10)},
    {KVB_SGL_PLAIN_ROPE, "Gemma3ForCausalLM", R(5, 10), 0},
    {KVB_SGL_PLAIN_ROPE, "Gemma3ForConditionalGeneration", R(5, 10), 0},
    // models/llama.py, models/qwen2.py at 0.3.6.post3: ParallelLMHead is always made; at 0.4.0 embed_tokens is the head
    {KVB_SGL_HEAD_TWICE, "LlamaForCausalLM", 0, R(4, 0)},
    {KVB_SGL_HEAD_TWICE, "Qwen2ForCausalLM", 0, R(4, 0)},
    // model_executor/model_runner.py 0.4.0.post2 to 0.4.4.post3; configs/model_config.py 0.4.6.post5,
    // is_multimodal_chunked_prefill_supported
    {KVB_SGL_WHOLE_PROMPTS, "MllamaForConditionalGeneration", R(4, 0) + 2, 0},
    {KVB_SGL_WHOLE_PROMPTS, "Qwen2VLForConditionalGeneration", R(4, 0) + 2, R(4, 4) + 4},
    {KVB_SGL_WHOLE_PROMPTS, "DeepseekVL2ForCausalLM", R(4, 4) + 2, R(4, 4) + 4},
    {KVB_SGL_WHOLE_PROMPTS, "LlavaLlamaForCausalLM", R(4, 6) + 5, 0},
    {KVB_SGL_WHOLE_PROMPTS, "Grok1VForCausalLM", R(4, 6) + 5, 0},
    {KVB_SGL_WHOLE_PROMPTS, "Grok1AForCausalLM", R(4, 6) + 5, 0},
    {KVB_SGL_WHOLE_PROMPTS, "CLIPModel", R(4, 6) + 5, 0},
    {KVB_SGL_WHOLE_PROMPTS, "MossVLForConditionalGeneration", R(5, 11), 0},
    // arg_groups/speculative_hook.py 0.5.14: these name their own checkpoint, so that its layers enter the cell
    {KVB_SGL_OWN_DRAFT, "DeepseekV32ForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "DeepseekV3ForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "DeepseekV4ForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "Glm4MoeForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "Glm4MoeLiteForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "GlmMoeDsaForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "BailingMoeForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "BailingMoeV2ForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "BailingMoeV2_5ForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "MistralLarge3ForCausalLM", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "PixtralForConditionalGeneration", R(5, 14), 0},
    {KVB_SGL_OWN_DRAFT, "HYV3ForCausalLM", R(5, 14), 0},
    // server_args.py 0.5.14 (_support_mamba_cache_extra_buffer), arg_groups/overrides.py from 0.5.15 on
    {KVB_SGL_EXTRA_BUFFER, "Qwen3_5ForConditionalGeneration", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "Qwen3_5MoeForConditionalGeneration", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "Qwen3NextForCausalLM", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "InternS2PreviewForConditionalGeneration", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "MiniCPMV4_6ForConditionalGeneration", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "BailingMoeV2_5ForCausalLM", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "FalconH1ForCausalLM", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "GraniteMoeHybridForCausalLM", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "NemotronHForCausalLM", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "NemotronHPuzzleForCausalLM", R(5, 14), 0},
    {KVB_SGL_EXTRA_BUFFER, "KimiLinearForCausalLM", R(5, 16), 0},
    {KVB_SGL_EXTRA_BUFFER, "KimiK3ForConditionalGeneration", R(5, 18), 0},
    // server_args.py, auto_choose_speculative_params
    {KVB_SGL_ONE_BRANCH, "DeepseekV3ForCausalLM", R(4, 7), R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "DeepseekV2ForCausalLM", R(4, 7), R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "GptOssForCausalLM", R(5, 1), R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "DeepseekV32ForCausalLM", R(5, 3), R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "BailingMoeForCausalLM", R(5, 3), R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "BailingMoeV2ForCausalLM", R(5, 3), R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "MistralLarge3ForCausalLM", R(5, 6) + 1, R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "PixtralForConditionalGeneration", R(5, 6) + 1, R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "Glm4MoeForCausalLM", R(5, 6) + 2, R(5, 8)},
    {KVB_SGL_ONE_BRANCH, "MiMoV2FlashForCausalLM", R(5, 7), R(5, 8)},
    {KVB_SGL_BRANCHES, "LlamaForCausalLM", R(5, 8), 0},
    {KVB_SGL_BRANCHES, "Grok1ForCausalLM", R(5, 8), 0},
    {KVB_SGL_BRANCHES, "Grok1VForCausalLM", R(5, 8), 0},
};

static bool holds(uint32_t since, uint32_t until, uint32_t release)
{
    return release >= since && (until == 0 || release < until);
}

bool kvb_sgl_model_is(const struct kvb_model *model, enum kvb_sgl_trait trait, uint32_t release)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct trait_row *row = &rows[i];
        if (row->trait == trait && strcmp(row->architecture, model->architecture) == 0) {
            return holds(row->since, row->until, release);
        }
    }
    return false;
}

const struct kvb_sgl_class *kvb_sgl_class_of(const char *name, uint32_t release)
{
    for (size_t i = 0; i < kvb_sgl_class_count; i++) {
        const struct kvb_sgl_class *row = &kvb_sgl_classes[i];
        if (strcmp(row->name, name) == 0 && holds(row->since, row->until, release)) {
            return row;
        }
    }
    return NULL;
}

uint32_t kvb_sgl_class_since(const char *name)
{
    for (size_t i = 0; i < kvb_sgl_class_count; i++) {
        if (strcmp(kvb_sgl_classes[i].name, name) == 0) {
            return kvb_sgl_classes[i].since;
        }
    }
    return 0;
}

bool kvb_sgl_builds_towers(const struct kvb_model *model, uint32_t release)
{
    release = release < FIRST_READ ? FIRST_READ : release; // the list of 0.3.5 is that of 0.4.0
    const struct kvb_sgl_class *row = kvb_sgl_class_of(model->architecture, release);
    return row != NULL && holds(row->towers_since, row->towers_until, release);
}
