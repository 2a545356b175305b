// One row per setting of any engine that can move memory: profile key, JSON and the value of its flag read it. Which
// flag says it, in which releases, is in the engine's own table (budget/serve_flag.h).
#include <kvbudget/plan.h>
#include <kvbudget/units.h>

#include "release/settings_words.h"

#define WORDS(table) table, (uint32_t)(sizeof(table) / sizeof(table)[0])
#define NO_WORDS NULL, 0
#define COUNT_MAX KVB_BYTES_MAX
#define RANKS_MAX 65536
#define SWITCH KVB_VALUE_SWITCH, 0, 1, NO_WORDS
#define COUNT(minimum, maximum) KVB_VALUE_COUNT, minimum, maximum, NO_WORDS
#define GIBS KVB_VALUE_GIB, 0, COUNT_MAX, NO_WORDS
#define WORD(table, maximum) KVB_VALUE_WORD, 0, maximum, WORDS(table)
#define PART_COUNT KVB_VALUE_PART, 0, COUNT_MAX, NO_WORDS
#define PART_WORD(table, maximum) KVB_VALUE_PART, 0, maximum, WORDS(table)

static const struct kvb_setting_row setting_rows[KVB_SETTING_COUNT] = {
    [KVB_SET_GPU_MEMORY_UTILIZATION] = {"gpu_memory_utilization", KVB_VALUE_PPM, 1, KVB_PPM, NO_WORDS, "SHARE",
                                        "share of the GPU's total the engine plans with (0.92; 0.9 before 0.20)"},
    [KVB_SET_MAX_MODEL_LEN] = {"max_model_len", KVB_VALUE_LENGTH, 1, COUNT_MAX, NO_WORDS, "TOKENS",
                               "longest request: 32768, 32k, 1M or auto"},
    [KVB_SET_MAX_NUM_SEQS] = {"max_num_seqs", COUNT(1, UINT32_MAX), "N", "requests served at once"},
    [KVB_SET_MAX_NUM_BATCHED_TOKENS] = {"max_num_batched_tokens", COUNT(1, UINT32_MAX), "TOKENS",
                                        "tokens in one step; drives activation memory"},
    [KVB_SET_TENSOR_PARALLEL_SIZE] = {"tensor_parallel_size", COUNT(1, RANKS_MAX), "N", "GPUs that share each layer"},
    [KVB_SET_PIPELINE_PARALLEL_SIZE] = {"pipeline_parallel_size", COUNT(1, RANKS_MAX), "N",
                                        "stages the layers are cut into"},
    [KVB_SET_DATA_PARALLEL_SIZE] = {"data_parallel_size", COUNT(1, RANKS_MAX), "N", "copies of the model"},
    [KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE] = {"decode_context_parallel_size", COUNT(1, RANKS_MAX), "N",
                                              "ranks that share one request's KV cache"},
    [KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE] = {"prefill_context_parallel_size", COUNT(1, RANKS_MAX), "N",
                                               "ranks that share one prompt"},
    [KVB_SET_ENABLE_EXPERT_PARALLEL] = {"enable_expert_parallel", SWITCH, NULL,
                                        "whole experts per GPU instead of slices"},
    [KVB_SET_DTYPE] = {"dtype", WORD(kvb_dtype_words, KVB_DTYPE_WORD_FP32), "TYPE",
                       "auto, bfloat16, float16 or float32"},
    [KVB_SET_QUANTIZATION] = {"quantization", WORD(kvb_quantization_words, KVB_QUANTIZATION_COUNT - 1), "METHOD",
                              "fp8, awq, gptq, bitsandbytes, ..."},
    [KVB_SET_KV_CACHE_DTYPE] = {"kv_cache_dtype", WORD(kvb_kv_dtype_words, KVB_KV_COUNT - 1), "TYPE",
                                "auto, fp8, ...: what one cached element takes"},
    [KVB_SET_BLOCK_SIZE] = {"block_size", COUNT(1, 1048576), "TOKENS", "tokens in one KV block"},
    [KVB_SET_ENFORCE_EAGER] = {"enforce_eager", SWITCH, NULL, "no CUDA graphs"},
    [KVB_SET_KV_CACHE_MEMORY_BYTES] = {"kv_cache_memory_bytes", COUNT(1, COUNT_MAX), "BYTES",
                                       "KV cache per GPU, instead of a share"},
    [KVB_SET_NUM_GPU_BLOCKS_OVERRIDE] = {"num_gpu_blocks_override", COUNT(1, COUNT_MAX), "N",
                                         "KV blocks, whatever was measured"},
    [KVB_SET_SWAP_SPACE] = {"swap_space", GIBS, "GIB", "host memory per GPU for preempted requests"},
    [KVB_SET_CPU_OFFLOAD_GB] = {"cpu_offload_gb", GIBS, "GIB", "weights kept in host memory, per GPU"},
    [KVB_SET_ENABLE_PREFIX_CACHING] = {"enable_prefix_caching", SWITCH, NULL, "reuse the blocks of equal beginnings"},
    [KVB_SET_ENABLE_CHUNKED_PREFILL] = {"enable_chunked_prefill", SWITCH, NULL,
                                        "prompts in steps of max_num_batched_tokens"},
    [KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER] = {"disable_hybrid_kv_cache_manager", SWITCH, NULL,
                                                 "size every layer as full attention"},
    [KVB_SET_ENABLE_LORA] = {"enable_lora", SWITCH, NULL, "room for LoRA adapters"},
    [KVB_SET_MAX_LORAS] = {"max_loras", COUNT(1, UINT32_MAX), "N", "adapters in one batch"},
    [KVB_SET_MAX_LORA_RANK] = {"max_lora_rank", COUNT(1, UINT32_MAX), "N", "largest adapter rank"},
    [KVB_SET_ASYNC_SCHEDULING] = {"async_scheduling", SWITCH, NULL, "schedule one step ahead"},
    [KVB_SET_LANGUAGE_MODEL_ONLY] = {"language_model_only", SWITCH, NULL, "leave vision and audio towers out"},
    [KVB_SET_ENABLE_SLEEP_MODE] = {"enable_sleep_mode", SWITCH, NULL, "weights and KV cache can be put aside"},
    [KVB_SET_SKIP_MM_PROFILING] = {"skip_mm_profiling", SWITCH, NULL, "no pictures in the profile run"},
    [KVB_SET_MAMBA_CACHE_MODE] = {"mamba_cache_mode", WORD(kvb_mamba_mode_words, KVB_MAMBA_MODE_ALL), "MODE",
                                  "none, align or all: which states are kept"},
    [KVB_SET_MAMBA_SSM_CACHE_DTYPE] = {"mamba_ssm_cache_dtype", WORD(kvb_dtype_words, KVB_DTYPE_WORD_FP32), "TYPE",
                                       "type of recurrent states"},
    [KVB_SET_MAMBA_CACHE_DTYPE] = {"mamba_cache_dtype", WORD(kvb_dtype_words, KVB_DTYPE_WORD_FP32), "TYPE",
                                   "type of convolution states"},
    [KVB_SET_MAMBA_BLOCK_SIZE] = {"mamba_block_size", COUNT(1, COUNT_MAX), "TOKENS", "tokens between kept states"},
    [KVB_SET_ATTENTION_BACKEND] = {"attention_backend", WORD(kvb_backend_words, KVB_BACKEND_OTHER), "NAME",
                                   "FLASH_ATTN, FLASHINFER, ..."},
    [KVB_SET_MM_ENCODER_TP_MODE] = {"mm_encoder_tp_mode", WORD(kvb_encoder_split_words, 1), "MODE",
                                    "weights: split the encoder; data: copy it"},
    [KVB_SET_MM_IPC_GPU_MEMORY_GB] = {"mm_ipc_gpu_memory_gb", GIBS, "GIB",
                                      "set aside for pictures handed over on the GPU"},
    [KVB_SET_PERFORMANCE_MODE] = {"performance_mode", WORD(kvb_performance_words, KVB_PERFORMANCE_INTERACTIVITY),
                                  "MODE", "balanced, throughput or interactivity"},
    [KVB_SET_RUNNER] = {"runner", WORD(kvb_runner_words, KVB_RUNNER_POOLING), "NAME",
                        "generate or pooling: an embedding model has no head and no sampler"},
    [KVB_SET_DISABLE_SLIDING_WINDOW] = {"disable_sliding_window", SWITCH, NULL, "cap the length to the window"},
    [KVB_SET_TRUST_REMOTE_CODE] = {"trust_remote_code", SWITCH, NULL, "accepted; no effect on memory"},
    [KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE] = {"max_cudagraph_capture_size", COUNT(0, UINT32_MAX), "N",
                                            "largest batch with a CUDA graph"},
    [KVB_SET_CUDAGRAPH_CAPTURE_SIZES] = {"cudagraph_capture_sizes", PART_COUNT, NULL,
                                         "how many batch sizes get a CUDA graph"},
    [KVB_SET_CUDAGRAPH_MODE] = {"cudagraph_mode", PART_WORD(kvb_graph_mode_words, KVB_GRAPH_MODE_FULL_AND_PIECEWISE),
                                NULL, "which CUDA graphs are captured"},
    [KVB_SET_SPECULATIVE_METHOD] = {"speculative_method", PART_WORD(kvb_speculative_words, KVB_SPECULATIVE_OTHER), NULL,
                                    "who drafts tokens"},
    [KVB_SET_NUM_SPECULATIVE_TOKENS] = {"num_speculative_tokens", PART_COUNT, NULL, "tokens drafted per step"},
    [KVB_SET_LIMIT_IMAGES] = {"limit_images", PART_COUNT, NULL, "images per request"},
    [KVB_SET_LIMIT_VIDEOS] = {"limit_videos", PART_COUNT, NULL, "videos per request"},
    [KVB_SET_LIMIT_AUDIOS] = {"limit_audios", PART_COUNT, NULL, "audio clips per request"},
    [KVB_SET_MM_MAX_PIXELS] = {"mm_max_pixels", PART_COUNT, NULL, "pixels an image is cut to"},
    [KVB_SET_KV_TRANSFER] = {"kv_transfer", KVB_VALUE_PART, 0, 1, NO_WORDS, NULL, "a KV connector is configured"},
    [KVB_SET_GPU_LAYERS] = {"gpu_layers", KVB_VALUE_LENGTH, 0, 9999, NO_WORDS, "N",
                            "layers on the GPUs, the output counted as one; auto: as many as fit", true},
    [KVB_SET_UBATCH_SIZE] = {"ubatch_size", COUNT(1, UINT32_MAX), "TOKENS",
                             "tokens of one graph; drives the compute buffer", true},
    [KVB_SET_CACHE_TYPE_K] = {"cache_type_k", WORD(kvb_gguf_cache_words, KVB_GGUF_IQ4_NL), "TYPE",
                              "f16, q8_0, q4_0, ...: elements of the keys' cache", true},
    [KVB_SET_CACHE_TYPE_V] = {"cache_type_v", WORD(kvb_gguf_cache_words, KVB_GGUF_IQ4_NL), "TYPE",
                              "the same of the values' cache; below f16 needs flash attention", true},
    [KVB_SET_FLASH_ATTENTION] = {"flash_attention", WORD(kvb_on_off_auto_words, KVB_ON_OFF_AUTO), "WORD",
                                 "on, off or auto", true},
    [KVB_SET_SPLIT_MODE] = {"split_mode", WORD(kvb_split_mode_words, 2), "MODE",
                            "layer, row or none: how several GPUs share the model", true},
    [KVB_SET_CPU_MOE_LAYERS] = {"cpu_moe_layers", COUNT(0, 9999), "N",
                                "experts of the first N layers stay in the host's memory", true},
    [KVB_SET_SWA_FULL] = {"swa_full", SWITCH, NULL, "layers with a window get a cache of the whole length", true},
    [KVB_SET_KV_UNIFIED] = {"kv_unified", SWITCH, NULL, "one cache for all slots instead of one each", true},
    [KVB_SET_KV_OFFLOAD] = {"kv_offload", SWITCH, NULL, "the cache lies on the GPU with its layers", true},
    [KVB_SET_FIT] = {"fit", WORD(kvb_on_off_auto_words, KVB_ON_OFF_AUTO), "WORD",
                     "on or off: what is not said is made to fit the free memory", true},
    [KVB_SET_FIT_TARGET] = {"fit_target", COUNT(0, 1048576), "MIB", "MiB that --fit leaves free on each GPU", true},
    [KVB_SET_FIT_CTX] = {"fit_ctx", COUNT(1, COUNT_MAX), "TOKENS", "the shortest length that --fit goes down to", true},
    [KVB_SET_GGUF_TYPE] = {"gguf_type", WORD(kvb_gguf_type_words, KVB_GGUF_TYPE_WORD_COUNT), "TYPE",
                           "Q4_K_M, Q8_0, ...: formats of a model whose file is not here", true},
    [KVB_SET_GGML_BACKEND] = {"ggml_backend", WORD(kvb_ggml_backend_words, 6), "NAME",
                              "cuda, rocm, vulkan, metal, sycl or cpu", true},
};

const struct kvb_setting_row *kvb_setting_row_of(enum kvb_setting setting)
{
    return (unsigned)setting < KVB_SETTING_COUNT ? &setting_rows[setting] : NULL;
}
