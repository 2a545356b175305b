// The vocabularies of vLLM's word settings: lower case, the first row of a number is its canonical
// spelling. "other" stands for a choice that exists and has no rule of its own here.
#include "release/settings_words.h"

const struct kvb_word kvb_dtype_words[KVB_DTYPE_WORD_COUNT] = {
    {"auto", KVB_DTYPE_AUTO},      {"bfloat16", KVB_DTYPE_WORD_BF16}, {"float16", KVB_DTYPE_WORD_FP16},
    {"half", KVB_DTYPE_WORD_FP16}, {"float32", KVB_DTYPE_WORD_FP32},  {"float", KVB_DTYPE_WORD_FP32},
};

const struct kvb_word kvb_quantization_words[KVB_QUANTIZATION_WORD_COUNT] = {
    {"none", KVB_QUANTIZATION_CHECKPOINT},
    {"fp8", KVB_QUANTIZATION_FP8},
    {"awq", KVB_QUANTIZATION_AWQ},
    {"gptq", KVB_QUANTIZATION_GPTQ},
    {"bitsandbytes", KVB_QUANTIZATION_BITSANDBYTES},
    {"compressed-tensors", KVB_QUANTIZATION_COMPRESSED_TENSORS},
    {"modelopt", KVB_QUANTIZATION_MODELOPT},
    {"mxfp4", KVB_QUANTIZATION_MXFP4},
    {"gguf", KVB_QUANTIZATION_GGUF},
    {"other", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"awq_marlin", KVB_QUANTIZATION_AWQ_MARLIN},
    {"gptq_marlin", KVB_QUANTIZATION_GPTQ_MARLIN},
    {"gptq_marlin_24", KVB_QUANTIZATION_GPTQ_MARLIN_24},
    {"gptq_bitblas", KVB_QUANTIZATION_GPTQ_BITBLAS},
    {"bitblas", KVB_QUANTIZATION_BITBLAS},
    {"marlin", KVB_QUANTIZATION_MARLIN},
    {"moe_wna16", KVB_QUANTIZATION_MOE_WNA16},
    {"fbgemm_fp8", KVB_QUANTIZATION_FBGEMM_FP8},
    {"quark", KVB_QUANTIZATION_QUARK},
    {"torchao", KVB_QUANTIZATION_TORCHAO},
    {"auto-round", KVB_QUANTIZATION_AUTO_ROUND},
    {"inc", KVB_QUANTIZATION_INC},
    {"ipex", KVB_QUANTIZATION_IPEX},
    {"hqq", KVB_QUANTIZATION_HQQ},
    {"experts_int8", KVB_QUANTIZATION_EXPERTS_INT8},
    {"squeezellm", KVB_QUANTIZATION_SQUEEZELLM},
    {"auto_awq", KVB_QUANTIZATION_AUTO_AWQ},
    {"auto_gptq", KVB_QUANTIZATION_AUTO_GPTQ},
    {"modelopt_fp4", KVB_QUANTIZATION_MODELOPT_FP4},
    {"modelopt_mxfp8", KVB_QUANTIZATION_MODELOPT_MXFP8},
    {"modelopt_mixed", KVB_QUANTIZATION_MODELOPT_MIXED},
    {"nvfp4", KVB_QUANTIZATION_NVFP4},
    {"gpt_oss_mxfp4", KVB_QUANTIZATION_GPT_OSS_MXFP4},
    {"deepseek_v4_fp8", KVB_QUANTIZATION_DEEPSEEK_V4_FP8},
    {"auto_round", KVB_QUANTIZATION_AUTO_ROUND}, // as its checkpoints say, whatever the flag spells: inc.py
    {"petit_nvfp4", KVB_QUANTIZATION_PETIT_NVFP4},
    {"fp8_per_tensor", KVB_QUANTIZATION_FP8_PER_TENSOR},
    {"fp8_per_block", KVB_QUANTIZATION_FP8_PER_BLOCK},
    {"fp8_per_channel", KVB_QUANTIZATION_FP8_PER_CHANNEL},
    {"ptpc_fp8", KVB_QUANTIZATION_PTPC_FP8},
    {"mxfp8", KVB_QUANTIZATION_MXFP8},
    {"int8_per_channel_weight_only", KVB_QUANTIZATION_INT8_PER_CHANNEL_WEIGHT_ONLY},
    {"nvfp4_per_token", KVB_QUANTIZATION_NVFP4_PER_TOKEN},
};

const struct kvb_word kvb_kv_dtype_words[KVB_KV_DTYPE_WORD_COUNT] = {
    {"auto", KVB_KV_AUTO},
    {"bfloat16", KVB_KV_16BIT},
    {"float16", KVB_KV_16BIT},
    {"half", KVB_KV_16BIT},
    {"fp8", KVB_KV_FP8},
    {"fp8_e4m3", KVB_KV_FP8_E4M3},
    {"fp8_e5m2", KVB_KV_FP8_E5M2},
    {"fp8_inc", KVB_KV_FP8},
    {"fp8_ds_mla", KVB_KV_FP8_DS_MLA},
    {"int8_per_token_head", KVB_KV_INT8_PER_TOKEN_HEAD},
    {"fp8_per_token_head", KVB_KV_FP8_PER_TOKEN_HEAD},
    {"int4_per_token_head", KVB_KV_INT4_PER_TOKEN_HEAD},
    {"nvfp4", KVB_KV_NVFP4},
    {"nvfp4_4over6", KVB_KV_NVFP4}, // from 0.28: the same bytes, other scales
    {"turboquant_k8v4", KVB_KV_TURBOQUANT_K8V4},
    {"turboquant_4bit_nc", KVB_KV_TURBOQUANT_4BIT_NC},
    {"turboquant_k3v4_nc", KVB_KV_TURBOQUANT_K3V4_NC},
    {"turboquant_3bit_nc", KVB_KV_TURBOQUANT_3BIT_NC},
};

const struct kvb_word kvb_backend_words[KVB_BACKEND_WORD_COUNT] = {
    {"auto", KVB_BACKEND_AUTO},
    {"flash_attn", KVB_BACKEND_FLASH_ATTN},
    {"flash_attn_vllm_v1", KVB_BACKEND_FLASH_ATTN},
    {"flashinfer", KVB_BACKEND_FLASHINFER},
    {"flashinfer_vllm_v1", KVB_BACKEND_FLASHINFER},
    {"triton_attn", KVB_BACKEND_TRITON},
    {"triton_attn_vllm_v1", KVB_BACKEND_TRITON},
    {"flashmla", KVB_BACKEND_FLASHMLA},
    {"flashmla_sparse", KVB_BACKEND_FLASHMLA_SPARSE},
    {"flashinfer_mla", KVB_BACKEND_FLASHINFER_MLA},
    {"cutlass_mla", KVB_BACKEND_CUTLASS_MLA},
    {"triton_mla", KVB_BACKEND_TRITON_MLA},
    {"flash_attn_mla", KVB_BACKEND_FLASH_ATTN_MLA},
    {"flashinfer_mla_sparse", KVB_BACKEND_FLASHINFER_MLA_SPARSE},
    {"flashinfer_mla_sparse_sm120", KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120},
    {"flash_attn_mla_sparse", KVB_BACKEND_FLASH_ATTN_MLA_SPARSE},
    {"flashmla_vllm_v1", KVB_BACKEND_FLASHMLA},
    {"triton_mla_vllm_v1", KVB_BACKEND_TRITON_MLA},
    {"cutlass_mla_vllm_v1", KVB_BACKEND_CUTLASS_MLA},
    {"flashmla_sparse_dsv4", KVB_BACKEND_FLASHMLA_SPARSE},
    {"flashinfer_mla_sparse_dsv4", KVB_BACKEND_FLASHINFER_MLA_SPARSE},
    {"other", KVB_BACKEND_OTHER},
    {"xformers", KVB_BACKEND_OTHER},
    {"flex_attention", KVB_BACKEND_FLEX},
    {"torch_sdpa", KVB_BACKEND_OTHER},
    {"tree_attn", KVB_BACKEND_OTHER},
    {"rocm_flash", KVB_BACKEND_OTHER},
    {"rocm_attn", KVB_BACKEND_OTHER},
    {"rocm_aiter_fa", KVB_BACKEND_OTHER},
    {"rocm_aiter_unified_attn", KVB_BACKEND_OTHER},
    {"rocm_aiter_mla", KVB_BACKEND_OTHER},
    {"xformers_vllm_v1", KVB_BACKEND_OTHER},
    {"torch_sdpa_vllm_v1", KVB_BACKEND_OTHER},
    {"block_sparse_flash_attn", KVB_BACKEND_OTHER},
    {"dual_chunk_flash_attn", KVB_BACKEND_OTHER},
    {"differential_flash_attn", KVB_BACKEND_OTHER},
    {"no_attention", KVB_BACKEND_OTHER},
    {"rocm_aiter_mla_vllm_v1", KVB_BACKEND_OTHER},
    {"rocm_aiter_triton_mla", KVB_BACKEND_OTHER},
    {"rocm_aiter_mla_sparse", KVB_BACKEND_OTHER},
    {"rocm_flashmla_sparse_dsv4", KVB_BACKEND_OTHER},
    {"flash_attn_diffkv", KVB_BACKEND_OTHER},
    {"triton_attn_diffkv", KVB_BACKEND_OTHER},
    {"turboquant", KVB_BACKEND_TURBOQUANT},
    {"tokenspeed_mla", KVB_BACKEND_TOKENSPEED_MLA},
    {"minimax_m3_sparse", KVB_BACKEND_OTHER},
    {"cutlass_msa", KVB_BACKEND_OTHER},
    {"triton_msa", KVB_BACKEND_OTHER},
    {"hpc_attn", KVB_BACKEND_OTHER},
    {"custom", KVB_BACKEND_OTHER},
};

const struct kvb_word kvb_speculative_words[KVB_SPECULATIVE_WORD_COUNT] = {
    {"none", KVB_SPECULATIVE_NONE},
    {"ngram", KVB_SPECULATIVE_NGRAM},
    {"[ngram]", KVB_SPECULATIVE_NGRAM},
    {"ngram_gpu", KVB_SPECULATIVE_NGRAM},
    {"suffix", KVB_SPECULATIVE_NGRAM},
    {"eagle", KVB_SPECULATIVE_EAGLE},
    {"eagle3", KVB_SPECULATIVE_EAGLE},
    {"mtp", KVB_SPECULATIVE_MTP},
    {"deepseek_mtp", KVB_SPECULATIVE_MTP},
    {"qwen3_next_mtp", KVB_SPECULATIVE_MTP},
    {"qwen3_5_mtp", KVB_SPECULATIVE_MTP},
    {"mimo_mtp", KVB_SPECULATIVE_MTP},
    {"glm4_moe_mtp", KVB_SPECULATIVE_MTP},
    {"ernie_mtp", KVB_SPECULATIVE_MTP},
    {"longcat_flash_mtp", KVB_SPECULATIVE_MTP},
    {"pangu_ultra_moe_mtp", KVB_SPECULATIVE_MTP},
    {"exaone_moe_mtp", KVB_SPECULATIVE_MTP},
    {"exaone4_5_mtp", KVB_SPECULATIVE_MTP},
    {"glm4_moe_lite_mtp", KVB_SPECULATIVE_MTP},
    {"glm_ocr_mtp", KVB_SPECULATIVE_MTP},
    {"step3p5_mtp", KVB_SPECULATIVE_MTP},
    {"nemotron_h_mtp", KVB_SPECULATIVE_MTP},
    {"hy_v3_mtp", KVB_SPECULATIVE_MTP},
    {"mimo_v2_mtp", KVB_SPECULATIVE_MTP},
    {"gemma4_mtp", KVB_SPECULATIVE_MTP},
    {"minimax_m3_mtp", KVB_SPECULATIVE_MTP},
    {"bailing_hybrid_mtp", KVB_SPECULATIVE_MTP},
    {"inkling_mtp", KVB_SPECULATIVE_MTP},
    {"kimi_k3_mtp", KVB_SPECULATIVE_MTP},
    {"draft_model", KVB_SPECULATIVE_DRAFT_MODEL},
    {"other", KVB_SPECULATIVE_OTHER},
    {"medusa", KVB_SPECULATIVE_OTHER},
    {"mlp_speculator", KVB_SPECULATIVE_OTHER},
    {"custom_class", KVB_SPECULATIVE_OTHER},
    {"extract_hidden_states", KVB_SPECULATIVE_OTHER},
    {"bailing_hybrid_v3_mtp", KVB_SPECULATIVE_MTP},
    {"dots3_note_mtp", KVB_SPECULATIVE_MTP},
    {"dflash", KVB_SPECULATIVE_DFLASH},
    {"dspark", KVB_SPECULATIVE_DSPARK},
};

const struct kvb_word kvb_graph_mode_words[KVB_GRAPH_MODE_WORD_COUNT] = {
    {"auto", KVB_GRAPH_MODE_AUTO},
    {"none", KVB_GRAPH_MODE_NONE},
    {"piecewise", KVB_GRAPH_MODE_PIECEWISE},
    {"full", KVB_GRAPH_MODE_FULL},
    {"full_decode_only", KVB_GRAPH_MODE_FULL_DECODE_ONLY},
    {"full_and_piecewise", KVB_GRAPH_MODE_FULL_AND_PIECEWISE},
};

// vllm/config/compilation.py: CompilationMode, CompilationLevel to 0.11.0, and their numbers.
const struct kvb_word kvb_compilation_words[KVB_COMPILATION_WORD_COUNT] = {
    {"none", 0},
    {"stock_torch_compile", 1},
    {"dynamo_trace_once", 2},
    {"vllm_compile", 3},
    {"no_compilation", 0},
    {"dynamo_as_is", 1},
    {"dynamo_once", 2},
    {"piecewise", 3},
    {"0", 0},
    {"1", 1},
    {"2", 2},
    {"3", 3},
};

const struct kvb_word kvb_mamba_mode_words[KVB_MAMBA_MODE_WORD_COUNT] = {
    {"auto", KVB_MAMBA_MODE_AUTO},
    {"none", KVB_MAMBA_MODE_NONE},
    {"align", KVB_MAMBA_MODE_ALIGN},
    {"all", KVB_MAMBA_MODE_ALL},
};

const struct kvb_word kvb_encoder_split_words[KVB_ENCODER_SPLIT_WORD_COUNT] = {
    {"weights", 0},
    {"data", 1},
};

const struct kvb_word kvb_performance_words[KVB_PERFORMANCE_WORD_COUNT] = {
    {"balanced", KVB_PERFORMANCE_BALANCED},
    {"throughput", KVB_PERFORMANCE_THROUGHPUT},
    {"interactivity", KVB_PERFORMANCE_INTERACTIVITY},
};

// Source: MoEBackend of vllm/config/kernel.py v0.17.0 to v0.27.1.
const struct kvb_word kvb_moe_backend_words[KVB_MOE_BACKEND_WORD_COUNT] = {
    {"auto", KVB_MOE_AUTO},
    {"cutlass", KVB_MOE_CUTLASS},
    {"flashinfer_cutlass", KVB_MOE_FLASHINFER_CUTLASS},
    {"triton", KVB_MOE_OTHER},
    {"batched_triton", KVB_MOE_OTHER},
    {"triton_unfused", KVB_MOE_OTHER},
    {"deep_gemm", KVB_MOE_OTHER},
    {"deep_gemm_mega_moe", KVB_MOE_OTHER},
    {"flashinfer_trtllm", KVB_MOE_OTHER},
    {"flashinfer_cutedsl", KVB_MOE_OTHER},
    {"flashinfer_b12x", KVB_MOE_OTHER},
    {"marlin", KVB_MOE_OTHER},
    {"humming", KVB_MOE_OTHER},
    {"aiter", KVB_MOE_OTHER},
    {"flydsl", KVB_MOE_OTHER},
    {"hpc", KVB_MOE_OTHER},
    {"emulation", KVB_MOE_OTHER},
};

// Of --runner, and of --task and --convert, which imply it (config/model.py v0.10.2).
const struct kvb_word kvb_runner_words[KVB_RUNNER_WORD_COUNT] = {
    {"auto", KVB_RUNNER_AUTO},      {"generate", KVB_RUNNER_GENERATE}, {"pooling", KVB_RUNNER_POOLING},
    {"draft", KVB_RUNNER_GENERATE}, {"none", KVB_RUNNER_AUTO},         {"transcription", KVB_RUNNER_GENERATE},
    {"embed", KVB_RUNNER_POOLING},  {"embedding", KVB_RUNNER_POOLING}, {"classify", KVB_RUNNER_POOLING},
    {"score", KVB_RUNNER_POOLING},  {"reward", KVB_RUNNER_POOLING},
};

const struct kvb_word kvb_gguf_cache_words[KVB_GGUF_CACHE_WORD_COUNT] = {
    {"f16", KVB_GGUF_F16},   {"f32", KVB_GGUF_F32},   {"bf16", KVB_GGUF_BF16},
    {"q8_0", KVB_GGUF_Q8_0}, {"q5_1", KVB_GGUF_Q5_1}, {"q5_0", KVB_GGUF_Q5_0},
    {"q4_1", KVB_GGUF_Q4_1}, {"q4_0", KVB_GGUF_Q4_0}, {"iq4_nl", KVB_GGUF_IQ4_NL},
};

const struct kvb_word kvb_on_off_auto_words[KVB_ON_OFF_AUTO_WORD_COUNT] = {
    {"off", KVB_OFF},
    {"disabled", KVB_OFF},
    {"false", KVB_OFF},
    {"0", KVB_OFF},
    {"on", KVB_ON},
    {"enabled", KVB_ON},
    {"true", KVB_ON},
    {"1", KVB_ON},
    {"auto", KVB_ON_OFF_AUTO},
    {"default", KVB_ON_OFF_AUTO},
    {"-1", KVB_ON_OFF_AUTO},
};

const struct kvb_word kvb_split_mode_words[KVB_SPLIT_MODE_WORD_COUNT] = {{"layer", 0}, {"row", 1}, {"none", 2}};

// The formats that llama-quantize makes and publishers' own mixtures, numbered from 1; then other words for them.
const struct kvb_word kvb_gguf_type_words[KVB_GGUF_TYPE_WORD_COUNT] = {
    {"f32", 1},         {"f16", 2},         {"bf16", 3},        {"q4_0", 4},        {"q4_1", 5},
    {"q5_0", 6},        {"q5_1", 7},        {"q8_0", 8},        {"q2_k", 9},        {"q2_k_s", 10},
    {"q3_k_s", 11},     {"q3_k_m", 12},     {"q3_k_l", 13},     {"q4_k_s", 14},     {"q4_k_m", 15},
    {"q5_k_s", 16},     {"q5_k_m", 17},     {"q6_k", 18},       {"iq1_s", 19},      {"iq1_m", 20},
    {"iq2_xxs", 21},    {"iq2_xs", 22},     {"iq2_s", 23},      {"iq2_m", 24},      {"iq3_xxs", 25},
    {"iq3_xs", 26},     {"iq3_s", 27},      {"iq3_m", 28},      {"iq4_nl", 29},     {"iq4_xs", 30},
    {"mxfp4_moe", 31},  {"q2_k_l", 32},     {"q3_k_xl", 33},    {"q4_k_l", 34},     {"q5_k_l", 35},
    {"q6_k_l", 36},     {"ud-q2_k_xl", 37}, {"ud-q3_k_s", 38},  {"ud-q3_k_m", 39},  {"ud-q3_k_xl", 40},
    {"ud-q4_k_s", 41},  {"ud-q4_k_m", 42},  {"ud-q4_k_xl", 43}, {"ud-q5_k_s", 44},  {"ud-q5_k_m", 45},
    {"ud-q5_k_xl", 46}, {"ud-q6_k", 47},    {"ud-q6_k_xl", 48}, {"ud-q8_k_xl", 49}, {"q2_k_xl", 37},
    {"q4_k_xl", 43},    {"q5_k_xl", 46},    {"q6_k_xl", 48},    {"q8_k_xl", 49},    {"q4_k", 15},
    {"q5_k", 17},       {"mxfp4", 31},      {"ud-iq1_s", 19},   {"ud-iq1_m", 20},   {"ud-iq2_xxs", 21},
    {"ud-iq2_m", 24},   {"ud-iq3_xxs", 25}, {"ud-iq3_s", 27},   {"ud-iq4_xs", 30},  {"ud-iq4_nl", 29},
};

const struct kvb_word kvb_ggml_backend_words[KVB_GGML_BACKEND_WORD_COUNT] = {
    {"cpu", 0}, {"cuda", 1}, {"rocm", 2}, {"vulkan", 3}, {"metal", 4}, {"sycl", 5}, {"cann", 6},
};

// SGLang's --disaggregation-mode and --moe-a2a-backend (server_args.py 0.5.18).
const struct kvb_word kvb_disaggregation_words[KVB_DISAGGREGATION_WORD_COUNT] = {
    {"null", KVB_DISAGGREGATION_NONE},
    {"prefill", KVB_DISAGGREGATION_PREFILL},
    {"decode", KVB_DISAGGREGATION_DECODE},
};

const struct kvb_word kvb_all_to_all_words[KVB_ALL_TO_ALL_WORD_COUNT] = {
    {"none", KVB_A2A_NONE},           {"deepep", KVB_A2A_DEEPEP},    {"other", KVB_A2A_OTHER},
    {"mooncake", KVB_A2A_OTHER},      {"nixl", KVB_A2A_OTHER},       {"mori", KVB_A2A_OTHER},
    {"ascend_fuseep", KVB_A2A_OTHER}, {"flashinfer", KVB_A2A_OTHER}, {"megamoe", KVB_A2A_OTHER},
    {"pplx", KVB_A2A_OTHER},
};

// --mamba-scheduler-strategy: whether a request keeps two more slots of state.
const struct kvb_word kvb_state_strategy_words[KVB_STATE_STRATEGY_WORD_COUNT] = {
    {"auto", 0},
    {"no_buffer", 0},
    {"extra_buffer", 1},
    {"extra_buffer_lazy", 1},
};
