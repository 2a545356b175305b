// One row per model class: which builders describe it and what it does whatever its config says.
#include <string.h>

#include "model/config/hf.h"

#define STANDARD kvb_hf_attention_standard, kvb_hf_mlp_standard
#define EXPERTS kvb_hf_attention_standard, kvb_hf_mlp_moe
#define LATENT kvb_hf_attention_mla, kvb_hf_mlp_moe
#define END                                                                                                            \
    {                                                                                                                  \
        HF_KEY_COUNT, 0                                                                                                \
    }

static const struct kvb_hf_default gemma3_defaults[] = {{HF_VOCAB, 262208},
                                                        {HF_HIDDEN, 2304},
                                                        {HF_INTERMEDIATE, 9216},
                                                        {HF_LAYERS, 26},
                                                        {HF_HEADS, 8},
                                                        {HF_KV_HEADS, 4},
                                                        {HF_HEAD_DIM, 256},
                                                        {HF_WINDOW, 4096},
                                                        {HF_WINDOW_PATTERN, 6},
                                                        {HF_MAX_POSITION, 131072},
                                                        {HF_LOCAL_THETA, 10000000000},
                                                        END};
static const struct kvb_hf_default gemma2_defaults[] = {{HF_WINDOW, 4096}, {HF_HEAD_DIM, 256}, END};
static const struct kvb_hf_default olmo3_defaults[] = {{HF_WINDOW_PATTERN, 4}, {HF_WINDOW, 4096}, END};
static const struct kvb_hf_default mistral_defaults[] = {{HF_WINDOW, 4096}, {HF_KV_HEADS, 8}, END};
static const struct kvb_hf_default falcon_defaults[] = {{HF_MAX_POSITION, 2048}, END};
static const struct kvb_hf_default period4_defaults[] = {{HF_WINDOW_PATTERN, 4}, END};
static const struct kvb_hf_default glm4_moe_defaults[] = {{HF_QK_NORM, 0}, END};
static const struct kvb_hf_default glm4_lite_defaults[] = {{HF_MTP, 1}, END};
static const struct kvb_hf_default mimo_v2_defaults[] = {{HF_MTP, 3}, END};
static const struct kvb_hf_default step_defaults[] = {{HF_FIRST_DENSE, 3}, END};
static const struct kvb_hf_default afmoe_defaults[] = {{HF_WINDOW_PATTERN, 4}, {HF_WINDOW, 1024}, END};
static const struct kvb_hf_default muse_defaults[] = {{HF_WINDOW_PATTERN, 4}, END};
// text_config of Qwen2-Audio leaves these to Qwen2Config
static const struct kvb_hf_default qwen2_audio_defaults[] = {
    {HF_HIDDEN, 4096}, {HF_LAYERS, 32}, {HF_HEADS, 32}, {HF_KV_HEADS, 32}, END};
static const struct kvb_hf_default bloom_defaults[] = {{HF_MAX_POSITION, 2048}, END};

static const struct kvb_hf_default bailing_defaults[] = {{HF_FULL_INTERVAL, 1}, {HF_KV_LORA, 512}, {HF_NOPE_DIM, 128},
                                                         {HF_ROPE_DIM, 64},     {HF_V_DIM, 128},   END};
// Copies of its config leave out the tower, which is the same in all that were published.
static const struct kvb_hf_default llama4_defaults[] = {
    {HF_CHUNK, 8192}, {HF_V_HIDDEN, 1408}, {HF_V_LAYERS, 34}, {HF_V_INTERMEDIATE, 5632}, END};
static const struct kvb_hf_default dsv4_defaults[] = {{HF_HEAD_DIM, 512}, END};
static const struct kvb_hf_default qwen3_next_defaults[] = {{HF_MTP, 1}, END};

static const struct kvb_hf_default gemma3n_defaults[] = {{HF_PER_LAYER_INPUT, 256},
                                                         {HF_PER_LAYER_VOCAB, 262144},
                                                         {HF_KV_SHARED, 15},
                                                         {HF_WINDOW_PATTERN, 5},
                                                         {HF_WINDOW, 512},
                                                         {HF_LOCAL_THETA, 10000000000},
                                                         END};

#define QWEN_NEXT HF_HEAD_NORM | HF_GATES_QUERY | HF_SHARED_GATE | HF_NO_WINDOW
#define WRAPPER NULL, NULL, 0, 0, HF_WRAPS, NULL
#define GEMMA3 HF_TIES | HF_HEAD_NORM
#define GPT HF_LAYER_NORM | HF_PLAIN_MLP | HF_FOUR_WIDE | HF_NO_ROPE
#define ENCODER                                                                                                        \
    HF_LAYER_NORM | HF_PLAIN_MLP | HF_HAS_QKV_BIAS | HF_HAS_OUTPUT_BIAS | HF_HAS_MLP_BIAS | HF_NO_ROPE | HF_ENCODES |  \
        HF_POOLS | HF_NO_FINAL_NORM

// clang-format off
static const struct kvb_hf_architecture rows[] = {
    // Llama and what is built like it
    {"LlamaForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"LLaMAForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"EagleLlamaForCausalLM", STANDARD, 1, 0, HF_NO_FINAL_NORM, NULL, kvb_hf_finish_eagle, 0},
    {"Eagle3LlamaForCausalLM", STANDARD, 3, 0, 0, NULL, kvb_hf_finish_eagle3, 0},
    {"LlamaForCausalLMEagle3", STANDARD, 3, 0, 0, NULL, kvb_hf_finish_eagle3, 0},
    {"Eagle3Speculator", STANDARD, 3, 0, 0, NULL, kvb_hf_finish_eagle3, 0},
    {"Eagle3DraftModel", STANDARD, 3, 0, 0, NULL, kvb_hf_finish_eagle3, 0},
    {"DFlashDraftModel", kvb_hf_attention_dflash, kvb_hf_mlp_standard, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, kvb_hf_finish_dflash, 0},
    {"DFlash2DraftModel", kvb_hf_attention_dflash, kvb_hf_mlp_standard, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, kvb_hf_finish_dflash2, 0},
    {"DFlashLagunaForCausalLM", kvb_hf_attention_laguna, kvb_hf_mlp_standard, 2, 0, HF_HEAD_NORM, NULL, kvb_hf_finish_dflash_laguna, 0},
    {"Qwen3DSparkModel", kvb_hf_attention_dflash, kvb_hf_mlp_standard, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, kvb_hf_finish_dspark, 0},
    {"Gemma4AssistantForCausalLM", kvb_hf_attention_gemma4_assistant, kvb_hf_mlp_standard, 4, 0, GEMMA3, NULL, kvb_hf_finish_gemma4_assistant, 0},
    {"Gemma4UnifiedAssistantForCausalLM", kvb_hf_attention_gemma4_assistant, kvb_hf_mlp_standard, 4, 0, GEMMA3, NULL, kvb_hf_finish_gemma4_assistant, 0},
    {"MistralForCausalLM", STANDARD, 2, 0, 0, mistral_defaults, NULL, 0},
    {"Ministral3ForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"AquilaForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"YiForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"XverseForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"InternLMForCausalLM", STANDARD, 2, 0, HF_BIAS_ATTENTION, NULL, NULL, 0},
    {"InternLM2ForCausalLM", STANDARD, 2, 0, HF_BIAS_ATTENTION, NULL, NULL, 0},
    {"InternLM3ForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"BaichuanForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"BaiChuanForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"OrionForCausalLM", STANDARD, 2, 0, HF_LAYER_NORM, NULL, NULL, 0},
    {"SmolLM3ForCausalLM", STANDARD, 2, 0, HF_TIES | HF_NO_WINDOW, NULL, NULL, 0},
    {"GraniteForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"MiniCPMForCausalLM", STANDARD, 2, 0, HF_TIES, NULL, NULL, 0},
    {"MiniCPM3ForCausalLM", kvb_hf_attention_minicpm3, kvb_hf_mlp_standard, 2, 0, HF_TIES, NULL, NULL, 0},
    {"ExaoneForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"Exaone4ForCausalLM", STANDARD, 2, HF_PATTERN_PERIOD, HF_HEAD_NORM, period4_defaults, NULL, 0},
    {"SeedOssForCausalLM", STANDARD, 2, 0, HF_CONFIG_QKV_BIAS, NULL, NULL, 0},
    {"Ernie4_5ForCausalLM", STANDARD, 2, 0, HF_BIAS_EVERYWHERE | HF_TIES, NULL, NULL, 0},
    {"HunYuanDenseV1ForCausalLM", STANDARD, 2, 0, HF_HEAD_NORM, NULL, NULL, 0},
    {"SolarForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"ArceeForCausalLM", STANDARD, 2, 0, HF_PLAIN_MLP, NULL, NULL, 0},
    {"NemotronForCausalLM", STANDARD, 2, 0, HF_LAYER_NORM | HF_PLAIN_MLP, NULL, NULL, 0},
    {"DeciLMForCausalLM", kvb_hf_attention_deci, kvb_hf_mlp_deci, 2, 0, 0, NULL, NULL, 0},
    // Qwen
    {"QWenLMHeadModel", kvb_hf_attention_standard, kvb_hf_mlp_qwen1, 2, 0, HF_HAS_QKV_BIAS, NULL, NULL, 0},
    {"Qwen2ForCausalLM", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, NULL, NULL, 0},
    {"Qwen2MoeForCausalLM", EXPERTS, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW | HF_SHARED_GATE, NULL, NULL, 0},
    {"Qwen3ForCausalLM", STANDARD, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, NULL, 0},
    {"Qwen3MoeForCausalLM", EXPERTS, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, NULL, 0},
    {"MiMoForCausalLM", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, NULL, NULL, 0},
    // Phi
    {"PhiForCausalLM", STANDARD, 1, 0, HF_LAYER_NORM | HF_PLAIN_MLP | HF_HAS_QKV_BIAS | HF_HAS_OUTPUT_BIAS | HF_HAS_MLP_BIAS | HF_HAS_HEAD_BIAS, NULL, NULL, 0},
    {"Phi3ForCausalLM", STANDARD, 2, 0, 0, NULL, NULL, 0},
    {"PhiMoEForCausalLM", EXPERTS, 2, 0, HF_LAYER_NORM, NULL, NULL, 0},
    // Gemma
    {"GemmaForCausalLM", STANDARD, 2, 0, HF_TIES, NULL, NULL, 0},
    {"Gemma2ForCausalLM", STANDARD, 4, HF_PATTERN_EVEN_SLIDE, HF_TIES, gemma2_defaults, NULL, 0},
    {"Gemma3ForCausalLM", STANDARD, 4, HF_PATTERN_PERIOD, GEMMA3, gemma3_defaults, NULL, 0},
    // classics
    {"GPT2LMHeadModel", STANDARD, 2, 0, GPT | HF_HAS_QKV_BIAS | HF_HAS_OUTPUT_BIAS | HF_HAS_MLP_BIAS | HF_TIES, NULL, kvb_hf_finish_positions, 0},
    {"GPTBigCodeForCausalLM", STANDARD, 2, 0, GPT | HF_HAS_QKV_BIAS | HF_HAS_OUTPUT_BIAS | HF_HAS_MLP_BIAS | HF_TIES, NULL, kvb_hf_finish_positions, 0},
    {"GPTJForCausalLM", STANDARD, 1, 0, HF_LAYER_NORM | HF_PLAIN_MLP | HF_FOUR_WIDE | HF_HAS_MLP_BIAS | HF_HAS_HEAD_BIAS, NULL, NULL, 0},
    {"GPTNeoXForCausalLM", STANDARD, 2, 0, HF_LAYER_NORM | HF_PLAIN_MLP | HF_HAS_MLP_BIAS | HF_BIAS_BY_DEFAULT, NULL, NULL, 0},
    {"OPTForCausalLM", STANDARD, 2, 0, GPT | HF_BIAS_EVERYWHERE | HF_BIAS_BY_DEFAULT | HF_TIES, NULL, kvb_hf_finish_opt, 0},
    {"BloomForCausalLM", STANDARD, 2, 0, GPT | HF_HAS_QKV_BIAS | HF_HAS_OUTPUT_BIAS | HF_HAS_MLP_BIAS | HF_TIES, bloom_defaults, kvb_hf_finish_bloom, 0},
    {"MptForCausalLM", STANDARD, 2, 0, GPT | HF_BIAS_EVERYWHERE | HF_TIES, NULL, NULL, 0},
    {"MPTForCausalLM", STANDARD, 2, 0, GPT | HF_BIAS_EVERYWHERE | HF_TIES, NULL, NULL, 0},
    {"FalconForCausalLM", kvb_hf_attention_falcon, kvb_hf_mlp_standard, 1, 0, HF_LAYER_NORM | HF_PLAIN_MLP | HF_FOUR_WIDE | HF_BIAS_EVERYWHERE | HF_TIES, falcon_defaults, NULL, 0},
    {"RWForCausalLM", kvb_hf_attention_falcon, kvb_hf_mlp_standard, 1, 0, HF_LAYER_NORM | HF_PLAIN_MLP | HF_FOUR_WIDE | HF_BIAS_EVERYWHERE | HF_TIES, falcon_defaults, NULL, 0},
    {"ChatGLMModel", STANDARD, 2, 0, HF_BIAS_EVERYWHERE, NULL, NULL, 0},
    {"ChatGLMForConditionalGeneration", STANDARD, 2, 0, HF_BIAS_EVERYWHERE, NULL, NULL, 0},
    {"StableLmForCausalLM", STANDARD, 2, 0, HF_LAYER_NORM, NULL, NULL, 0},
    {"StableLMEpochForCausalLM", STANDARD, 2, 0, HF_LAYER_NORM, NULL, NULL, 0},
    {"Starcoder2ForCausalLM", STANDARD, 2, 0, HF_LAYER_NORM | HF_PLAIN_MLP | HF_BIAS_EVERYWHERE | HF_BIAS_BY_DEFAULT | HF_TIES, NULL, NULL, 0},
    {"CohereForCausalLM", STANDARD, 1, 0, HF_TIES, NULL, NULL, 0},
    {"Cohere2ForCausalLM", STANDARD, 1, HF_PATTERN_PERIOD, HF_TIES, period4_defaults, NULL, 0},
    {"OlmoForCausalLM", STANDARD, 2, 0, HF_NO_NORM_WEIGHTS, NULL, NULL, 0},
    {"Olmo2ForCausalLM", STANDARD, 2, 0, HF_WHOLE_NORM, NULL, NULL, 0},
    {"Olmo3ForCausalLM", STANDARD, 2, HF_PATTERN_PERIOD, HF_WHOLE_NORM, olmo3_defaults, NULL, 0},
    {"OlmoeForCausalLM", EXPERTS, 2, 0, HF_WHOLE_NORM, NULL, NULL, 0},
    {"GlmForCausalLM", STANDARD, 2, 0, HF_CONFIG_QKV_BIAS, NULL, NULL, 0},
    {"Glm4ForCausalLM", STANDARD, 4, 0, HF_CONFIG_QKV_BIAS, NULL, NULL, 0},
    // experts
    {"MixtralForCausalLM", EXPERTS, 2, 0, 0, NULL, NULL, 0},
    {"GraniteMoeForCausalLM", EXPERTS, 2, 0, HF_TIES, NULL, NULL, 0},
    {"GraniteMoeSharedForCausalLM", EXPERTS, 2, 0, HF_TIES, NULL, NULL, 0},
    {"DbrxForCausalLM", kvb_hf_attention_standard, kvb_hf_mlp_dbrx, 2, 0, 0, NULL, NULL, 0},
    {"Ernie4_5_MoeForCausalLM", kvb_hf_attention_standard, kvb_hf_mlp_ernie, 2, 0, HF_BIAS_ATTENTION | HF_CORRECTION_BIAS | HF_TIES, NULL, NULL, 0},
    {"GptOssForCausalLM", EXPERTS, 2, HF_PATTERN_EVEN_SLIDE, HF_SINKS | HF_HAS_QKV_BIAS | HF_HAS_OUTPUT_BIAS | HF_HAS_MLP_BIAS, NULL, NULL, 0},
    {"Glm4MoeForCausalLM", EXPERTS, 2, 0, HF_CONFIG_QKV_BIAS | HF_HEAD_NORM | HF_CORRECTION_BIAS, glm4_moe_defaults, NULL, 0},
    {"MiniMaxM2ForCausalLM", EXPERTS, 2, 0, HF_WHOLE_NORM, NULL, NULL, 0},
    {"Dots1ForCausalLM", EXPERTS, 2, 0, HF_HEAD_NORM | HF_CORRECTION_BIAS, NULL, NULL, 0},
    {"DeepseekForCausalLM", EXPERTS, 2, 0, 0, NULL, NULL, 0},
    {"BailingMoeForCausalLM", EXPERTS, 2, 0, HF_BIAS_ATTENTION, NULL, NULL, 0},
    {"BailingMoeV2ForCausalLM", EXPERTS, 2, 0, HF_BIAS_ATTENTION | HF_HEAD_NORM | HF_CORRECTION_BIAS, NULL, NULL, 0},
    {"HunYuanMoEV1ForCausalLM", EXPERTS, 2, 0, HF_HEAD_NORM | HF_TIES, NULL, NULL, 0},
    {"HYV3ForCausalLM", EXPERTS, 2, 0, HF_HEAD_NORM | HF_CORRECTION_BIAS, NULL, NULL, 0},
    {"AfmoeForCausalLM", EXPERTS, 4, HF_PATTERN_PERIOD, HF_HEAD_NORM | HF_GATES_QUERY | HF_CORRECTION_BIAS, afmoe_defaults, NULL, 0},
    {"ExaoneMoEForCausalLM", EXPERTS, 2, HF_PATTERN_PERIOD, HF_HEAD_NORM | HF_CORRECTION_BIAS, period4_defaults, NULL, 0},
    {"ExaoneMoeForCausalLM", EXPERTS, 2, HF_PATTERN_PERIOD, HF_HEAD_NORM | HF_CORRECTION_BIAS, period4_defaults, NULL, 0},
    {"ApertusForCausalLM", kvb_hf_attention_apertus, kvb_hf_mlp_standard, 2, 0, HF_PLAIN_MLP | HF_HEAD_NORM, NULL, NULL, 0},
    {"SolarOpenForCausalLM", EXPERTS, 2, 0, HF_CONFIG_QKV_BIAS | HF_CORRECTION_BIAS, NULL, NULL, 0},
    // latent attention
    {"DeepseekV2ForCausalLM", LATENT, 2, 0, 0, NULL, NULL, 0},
    {"DeepseekV3ForCausalLM", LATENT, 2, 0, 0, NULL, NULL, 0},
    {"DeepseekV32ForCausalLM", LATENT, 2, 0, 0, NULL, NULL, 0},
    {"GlmMoeDsaForCausalLM", LATENT, 2, 0, HF_CORRECTION_BIAS, NULL, NULL, 0},
    {"Glm4MoeLiteForCausalLM", LATENT, 2, 0, HF_CORRECTION_BIAS, glm4_lite_defaults, NULL, 0},
    // window layers unlike full layers
    {"MiMoV2FlashForCausalLM", kvb_hf_attention_mimo_v2, kvb_hf_mlp_moe, 2, HF_PATTERN_MIMO, 0, mimo_v2_defaults, NULL, 0},
    {"MiMoV2ForCausalLM", kvb_hf_attention_mimo_v2, kvb_hf_mlp_moe, 2, HF_PATTERN_MIMO, 0, mimo_v2_defaults, NULL, 0},
    {"LagunaForCausalLM", kvb_hf_attention_laguna, kvb_hf_mlp_moe, 2, 0, HF_HEAD_NORM | HF_CORRECTION_BIAS, NULL, NULL, 0},
    {"Step3p5ForCausalLM", kvb_hf_attention_step, kvb_hf_mlp_moe, 2, 0, HF_HEAD_NORM | HF_CORRECTION_BIAS, step_defaults, NULL, 0},
    {"Step3p7ForConditionalGeneration", kvb_hf_attention_step, kvb_hf_mlp_moe, 2, 0, HF_HEAD_NORM | HF_CORRECTION_BIAS, step_defaults, NULL, 0},
    {"Step3p7FlashForCausalLM", kvb_hf_attention_step, kvb_hf_mlp_moe, 2, 0, HF_HEAD_NORM | HF_CORRECTION_BIAS, step_defaults, NULL, 0},
    {"MiniMaxM3SparseForCausalLM", kvb_hf_attention_minimax_m3, kvb_hf_mlp_moe, 2, 0, HF_HEAD_NORM, NULL, NULL, 0},
    {"MiniMaxM3ForCausalLM", kvb_hf_attention_minimax_m3, kvb_hf_mlp_moe, 2, 0, HF_HEAD_NORM, NULL, NULL, 0},
    {"Llama4ForCausalLM", kvb_hf_attention_standard, kvb_hf_mlp_llama4, 2, HF_PATTERN_CHUNK, 0, llama4_defaults, NULL, 0},
    {"Llama4ForConditionalGeneration", kvb_hf_attention_standard, kvb_hf_mlp_llama4, 2, HF_PATTERN_CHUNK, 0, llama4_defaults, kvb_hf_tower_llama4, KVB_ENCODER_LLAMA4},
    {"MistralLarge3ForCausalLM", LATENT, 2, 0, 0, NULL, NULL, 0},
    {"DeepseekV4ForCausalLM", kvb_hf_attention_dsv4, kvb_hf_mlp_dsv4, 2, 0, 0, dsv4_defaults, kvb_hf_finish_dsv4, 0},
    // states and attention
    {"Qwen3NextForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_moe, 2, HF_PATTERN_INTERVAL, QWEN_NEXT, qwen3_next_defaults, NULL, 0},
    {"Qwen3_5ForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_standard, 2, HF_PATTERN_INTERVAL, QWEN_NEXT, NULL, NULL, 0},
    {"Qwen3_5MoeForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_moe, 2, HF_PATTERN_INTERVAL, QWEN_NEXT, NULL, NULL, 0},
    {"NemotronHForCausalLM", kvb_hf_attention_nemotron_h, kvb_hf_mlp_nemotron_h, 1, HF_PATTERN_NEMOTRON, HF_PLAIN_MLP | HF_CORRECTION_BIAS | HF_NO_ROPE, NULL, NULL, 0},
    {"Lfm2ForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_lfm2, 2, HF_PATTERN_LFM2, HF_HEAD_NORM | HF_TIES, NULL, NULL, 0},
    {"Lfm2MoeForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_lfm2_moe, 2, HF_PATTERN_LFM2, HF_HEAD_NORM | HF_TIES | HF_CORRECTION_BIAS, NULL, NULL, 0},
    {"KimiLinearForCausalLM", kvb_hf_attention_kimi_linear, kvb_hf_mlp_kimi, 2, HF_PATTERN_KIMI, HF_CORRECTION_BIAS | HF_NO_ROPE, NULL, NULL, 0},
    {"BailingMoeV2_5ForCausalLM", kvb_hf_attention_bailing, kvb_hf_mlp_moe, 2, HF_PATTERN_INTERVAL, HF_LIGHTNING | HF_CORRECTION_BIAS, bailing_defaults, NULL, 0},
    {"BailingMoeV3ForCausalLM", kvb_hf_attention_bailing3, kvb_hf_mlp_moe, 2, HF_PATTERN_INTERVAL, HF_CORRECTION_BIAS, bailing_defaults, NULL, 0},
    {"JambaForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_jamba, 2, HF_PATTERN_JAMBA, HF_MAMBA1 | HF_MAMBA_NORMS | HF_NO_ROPE, NULL, NULL, 0},
    {"MambaForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_none, 1, HF_PATTERN_MAMBA, HF_MAMBA1 | HF_NO_ROPE | HF_TIES, NULL, NULL, 0},
    {"Mamba2ForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_none, 1, HF_PATTERN_MAMBA, HF_NO_ROPE, NULL, NULL, 0},
    {"BambaForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_standard, 2, HF_PATTERN_BAMBA, 0, NULL, NULL, 0},
    {"GraniteMoeHybridForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_moe, 2, HF_PATTERN_BAMBA, HF_TIES, NULL, NULL, 0},
    {"MiniMaxText01ForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_moe, 2, HF_PATTERN_MINIMAX, HF_LIGHTNING, NULL, NULL, 0},
    {"MiniMaxM1ForCausalLM", kvb_hf_attention_hybrid, kvb_hf_mlp_moe, 2, HF_PATTERN_MINIMAX, HF_LIGHTNING, NULL, NULL, 0},
    // language model and tower
    {"Qwen2VLForConditionalGeneration", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, NULL, kvb_hf_tower_qwen2_vl, KVB_ENCODER_QWEN2_VL},
    {"Qwen2_5_VLForConditionalGeneration", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, NULL, kvb_hf_tower_qwen25_vl, KVB_ENCODER_QWEN25_VL},
    {"Qwen2_5OmniModel", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, NULL, kvb_hf_tower_omni, KVB_ENCODER_QWEN25_VL},
    {"Qwen2_5OmniForConditionalGeneration", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, NULL, kvb_hf_tower_omni, KVB_ENCODER_QWEN25_VL},
    {"Qwen2AudioForConditionalGeneration", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, qwen2_audio_defaults, kvb_hf_tower_qwen2_audio, KVB_ENCODER_OTHER},
    {"Qwen3ASRForConditionalGeneration", STANDARD, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, kvb_hf_tower_qwen3_asr, KVB_ENCODER_OTHER},
    {"Qwen3ASRForcedAlignerForTokenClassification", STANDARD, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW | HF_POOLS, NULL, kvb_hf_tower_qwen3_aligner, KVB_ENCODER_OTHER},
    {"Qwen3OmniMoeForConditionalGeneration", EXPERTS, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, kvb_hf_tower_qwen3_omni, KVB_ENCODER_QWEN2_VL},
    {"Qwen3VLForConditionalGeneration", STANDARD, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, kvb_hf_tower_qwen3_vl, KVB_ENCODER_QWEN3_VL},
    {"Qwen3VLMoeForConditionalGeneration", EXPERTS, 2, 0, HF_HEAD_NORM | HF_NO_WINDOW, NULL, kvb_hf_tower_qwen3_vl, KVB_ENCODER_QWEN3_VL},
    {"Qwen3_5ForConditionalGeneration", kvb_hf_attention_hybrid, kvb_hf_mlp_standard, 2, HF_PATTERN_INTERVAL, QWEN_NEXT, NULL, kvb_hf_tower_qwen3_vl, KVB_ENCODER_QWEN3_VL},
    {"Qwen3_5MoeForConditionalGeneration", kvb_hf_attention_hybrid, kvb_hf_mlp_moe, 2, HF_PATTERN_INTERVAL, QWEN_NEXT, NULL, kvb_hf_tower_qwen3_vl, KVB_ENCODER_QWEN3_VL},
    {"Gemma3ForConditionalGeneration", STANDARD, 4, HF_PATTERN_PERIOD, GEMMA3, gemma3_defaults, kvb_hf_tower_gemma3, KVB_ENCODER_GEMMA3},
    {"Gemma4ForCausalLM", kvb_hf_attention_gemma4, kvb_hf_mlp_gemma4, 4, 0, GEMMA3, NULL, kvb_hf_finish_gemma4, 0},
    {"Gemma4UnifiedForConditionalGeneration", kvb_hf_attention_gemma4, kvb_hf_mlp_gemma4, 4, 0, GEMMA3, NULL, kvb_hf_tower_gemma4_unified, KVB_ENCODER_GEMMA4_UNIFIED},
    {"Gemma4ForConditionalGeneration", kvb_hf_attention_gemma4, kvb_hf_mlp_gemma4, 4, 0, GEMMA3, NULL, kvb_hf_tower_gemma4, KVB_ENCODER_GEMMA4},
    {"PixtralForConditionalGeneration", WRAPPER, kvb_hf_tower_pixtral, KVB_ENCODER_PIXTRAL},
    {"Mistral3ForConditionalGeneration", WRAPPER, kvb_hf_tower_pixtral, KVB_ENCODER_PIXTRAL},
    {"MllamaForConditionalGeneration", kvb_hf_attention_mllama, kvb_hf_mlp_standard, 2, 0, 0, NULL, kvb_hf_tower_mllama, KVB_ENCODER_MLLAMA},
    {"MiniCPMV", WRAPPER, kvb_hf_tower_minicpmv, KVB_ENCODER_MINICPMV},
    {"MiniCPMV4_6ForConditionalGeneration", kvb_hf_attention_hybrid, kvb_hf_mlp_standard, 2, HF_PATTERN_INTERVAL, QWEN_NEXT, NULL, kvb_hf_tower_minicpmv46, KVB_ENCODER_OTHER},
    {"KimiK25ForConditionalGeneration", LATENT, 2, 0, 0, NULL, kvb_hf_tower_kimi, KVB_ENCODER_KIMI},
    {"KimiK3ForConditionalGeneration", kvb_hf_attention_kimi_linear, kvb_hf_mlp_kimi, 2, HF_PATTERN_KIMI, HF_CORRECTION_BIAS | HF_NO_ROPE, NULL, kvb_hf_tower_kimi, KVB_ENCODER_KIMI},
    {"Phi3VForCausalLM", STANDARD, 2, 0, 0, NULL, kvb_hf_tower_phi3v, KVB_ENCODER_PHI3V},
    {"MuseGlimmerForConditionalGeneration", STANDARD, 4, HF_PATTERN_PERIOD, HF_HEAD_NORM | HF_GATES_QUERY, muse_defaults, kvb_hf_tower_muse, KVB_ENCODER_OTHER},
    {"MolmoForCausalLM", kvb_hf_attention_standard, kvb_hf_mlp_qwen1, 2, 0, 0, NULL, kvb_hf_tower_molmo, KVB_ENCODER_OTHER},
    {"FalconH1ForCausalLM", kvb_hf_attention_falcon_h1, kvb_hf_mlp_falcon_h1, 2, 0, 0, NULL, NULL, 0},
    {"Glm4vForConditionalGeneration", STANDARD, 4, 0, HF_CONFIG_QKV_BIAS, NULL, kvb_hf_tower_glm4v, KVB_ENCODER_OTHER},
    {"Glm4vMoeForConditionalGeneration", EXPERTS, 2, 0, HF_CONFIG_QKV_BIAS | HF_HEAD_NORM | HF_CORRECTION_BIAS, glm4_moe_defaults, kvb_hf_tower_glm4v, KVB_ENCODER_OTHER},
    {"GlmOcrForConditionalGeneration", STANDARD, 4, 0, HF_CONFIG_QKV_BIAS, NULL, kvb_hf_tower_glm_ocr, KVB_ENCODER_OTHER},
    {"Ernie4_5_VLMoeForConditionalGeneration", kvb_hf_attention_standard, kvb_hf_mlp_ernie, 2, 0, HF_BIAS_ATTENTION | HF_CORRECTION_BIAS | HF_TIES, NULL, kvb_hf_tower_ernie, KVB_ENCODER_OTHER},
    {"Phi4MMForCausalLM", STANDARD, 2, 0, 0, NULL, kvb_hf_tower_phi4mm, KVB_ENCODER_OTHER},
    {"Ovis2_5", WRAPPER, kvb_hf_tower_ovis, KVB_ENCODER_OTHER},
    {"Ovis2_6ForCausalLM", WRAPPER, kvb_hf_tower_ovis, KVB_ENCODER_OTHER},
    {"Ovis2_6_MoeForCausalLM", WRAPPER, kvb_hf_tower_ovis, KVB_ENCODER_OTHER},
    {"NemotronH_Nano_VL_V2", WRAPPER, kvb_hf_tower_radio, KVB_ENCODER_OTHER},
    {"KimiVLForConditionalGeneration", LATENT, 2, 0, 0, NULL, kvb_hf_tower_kimi, KVB_ENCODER_KIMI},
    {"DotsOCRForCausalLM", STANDARD, 2, 0, HF_HAS_QKV_BIAS | HF_NO_WINDOW, NULL, kvb_hf_tower_dots, KVB_ENCODER_DOTS},
    {"DeepseekOCRForCausalLM", kvb_hf_attention_deepseek_vl, kvb_hf_mlp_moe, 2, 0, 0, NULL, kvb_hf_tower_deepseek_ocr, KVB_ENCODER_OTHER},
    {"DeepseekOCR2ForCausalLM", kvb_hf_attention_deepseek_vl, kvb_hf_mlp_moe, 2, 0, 0, NULL, kvb_hf_tower_deepseek_ocr2, KVB_ENCODER_OTHER},
    {"DeepseekVLV2ForCausalLM", kvb_hf_attention_deepseek_vl, kvb_hf_mlp_moe, 2, 0, 0, NULL, kvb_hf_tower_deepseek_vl2, KVB_ENCODER_OTHER},
    {"PaddleOCRVLForConditionalGeneration", STANDARD, 2, 0, HF_BIAS_EVERYWHERE, NULL, kvb_hf_tower_paddle, KVB_ENCODER_OTHER},
    {"HunYuanVLForConditionalGeneration", STANDARD, 2, 0, HF_HEAD_NORM | HF_TIES, NULL, kvb_hf_tower_hunyuan, KVB_ENCODER_OTHER},
    {"VoxtralForConditionalGeneration", WRAPPER, kvb_hf_tower_voxtral, KVB_ENCODER_OTHER},
    {"Lfm2VlForConditionalGeneration", WRAPPER, kvb_hf_tower_lfm2, KVB_ENCODER_LFM2},
    {"LlavaForConditionalGeneration", WRAPPER, kvb_hf_tower_llava, KVB_ENCODER_OTHER},
    {"LlavaNextForConditionalGeneration", WRAPPER, kvb_hf_tower_llava, KVB_ENCODER_OTHER},
    {"LlavaOnevisionForConditionalGeneration", WRAPPER, kvb_hf_tower_llava, KVB_ENCODER_OTHER},
    {"InternVLForConditionalGeneration", WRAPPER, kvb_hf_tower_internvl, KVB_ENCODER_OTHER},
    {"InternVLChatModel", WRAPPER, kvb_hf_tower_internvl, KVB_ENCODER_OTHER},
    {"Idefics3ForConditionalGeneration", WRAPPER, kvb_hf_tower_idefics3, KVB_ENCODER_OTHER},
    {"SmolVLMForConditionalGeneration", WRAPPER, kvb_hf_tower_idefics3, KVB_ENCODER_OTHER},
    {"PaliGemmaForConditionalGeneration", WRAPPER, kvb_hf_tower_paligemma, KVB_ENCODER_OTHER},
    {"WhisperForConditionalGeneration", kvb_hf_attention_whisper, kvb_hf_mlp_whisper, 1, 0, HF_LAYER_NORM | HF_PLAIN_MLP | HF_HAS_MLP_BIAS | HF_NO_ROPE | HF_TIES, NULL, kvb_hf_finish_whisper, KVB_ENCODER_WHISPER},
    {"Gemma3nForCausalLM", kvb_hf_attention_gemma3n, kvb_hf_mlp_standard, 4, HF_PATTERN_PERIOD, GEMMA3, gemma3n_defaults, kvb_hf_finish_gemma3n, 0},
    {"Gemma3nForConditionalGeneration", kvb_hf_attention_gemma3n, kvb_hf_mlp_standard, 4, HF_PATTERN_PERIOD, GEMMA3, gemma3n_defaults, kvb_hf_tower_gemma3n, KVB_ENCODER_OTHER},
    // encoders
    {"BertModel", STANDARD, 2, 0, ENCODER, NULL, kvb_hf_finish_bert, 0},
    {"RobertaModel", STANDARD, 2, 0, ENCODER, NULL, kvb_hf_finish_bert, 0},
    {"RobertaForMaskedLM", STANDARD, 2, 0, ENCODER, NULL, kvb_hf_finish_bert, 0},
    {"XLMRobertaModel", STANDARD, 2, 0, ENCODER, NULL, kvb_hf_finish_bert, 0},
    {"ModernBertModel", kvb_hf_attention_modernbert, kvb_hf_mlp_standard, 2, 0, HF_ENCODES | HF_POOLS | HF_NO_WINDOW, NULL, kvb_hf_finish_modernbert, 0},
    {"GteNewModel", STANDARD, 2, 0, HF_LAYER_NORM | HF_HAS_QKV_BIAS | HF_HAS_OUTPUT_BIAS | HF_ENCODES | HF_POOLS | HF_NO_FINAL_NORM, NULL, kvb_hf_finish_gte, 0},
    {"Gemma3TextModel", kvb_hf_attention_gemma3_text, kvb_hf_mlp_standard, 4, HF_PATTERN_PERIOD, GEMMA3 | HF_POOLS, gemma3_defaults, NULL, 0},
    {"XLMRobertaForSequenceClassification", STANDARD, 2, 0, ENCODER, NULL, kvb_hf_finish_bert, 0},
};
// clang-format on

const struct kvb_hf_architecture *kvb_hf_architecture_rows(uint32_t *count)
{
    *count = (uint32_t)(sizeof rows / sizeof rows[0]);
    return rows;
}

const struct kvb_hf_architecture *kvb_hf_architecture_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}
