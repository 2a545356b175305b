// One row per engine setting that can move memory: flag, profile key, serve command and JSON all read it.
// Ranges of releases are those of vLLM's EngineArgs, tag by tag.
#include <kvbudget/plan.h>
#include <kvbudget/units.h>

#include "release/settings_words.h"

#define WORDS(table) table, (uint32_t)(sizeof(table) / sizeof(table)[0])
#define NO_WORDS NULL, 0
#define COUNT_MAX KVB_BYTES_MAX
#define RANKS_MAX 65536
#define SINCE(major, minor, patch) KVB_RELEASE(major, minor, patch), 0
#define UNTIL(major, minor, patch) 0, KVB_RELEASE(major, minor, patch)
#define ALWAYS 0, 0
#define SWITCH KVB_VALUE_SWITCH, 0, 1, NO_WORDS, true
#define COUNT(minimum, maximum) KVB_VALUE_COUNT, minimum, maximum, NO_WORDS, false
#define GIBS KVB_VALUE_GIB, 0, COUNT_MAX, NO_WORDS, false
#define WORD(table, maximum) KVB_VALUE_WORD, 0, maximum, WORDS(table), false
#define PART_COUNT KVB_VALUE_PART, 0, COUNT_MAX, NO_WORDS, false
#define PART_WORD(table, maximum) KVB_VALUE_PART, 0, maximum, WORDS(table), false

static const struct kvb_setting_row setting_rows[KVB_SETTING_COUNT] = {
    [KVB_SET_GPU_MEMORY_UTILIZATION] = {"gpu_memory_utilization", NULL, KVB_VALUE_PPM, 1, KVB_PPM, NO_WORDS, false,
                                        ALWAYS, "SHARE",
                                        "share of the GPU's total the engine plans with (0.92; 0.9 before 0.20)"},
    [KVB_SET_MAX_MODEL_LEN] = {"max_model_len", NULL, KVB_VALUE_LENGTH, 1, COUNT_MAX, NO_WORDS, false, ALWAYS, "TOKENS",
                               "longest request: 32768, 32k, 1M or auto"},
    [KVB_SET_MAX_NUM_SEQS] = {"max_num_seqs", NULL, COUNT(1, UINT32_MAX), ALWAYS, "N", "requests served at once"},
    [KVB_SET_MAX_NUM_BATCHED_TOKENS] = {"max_num_batched_tokens", NULL, COUNT(1, UINT32_MAX), ALWAYS, "TOKENS",
                                        "tokens in one step; drives activation memory"},
    [KVB_SET_TENSOR_PARALLEL_SIZE] = {"tensor_parallel_size", "-tp", COUNT(1, RANKS_MAX), ALWAYS, "N",
                                      "GPUs that share each layer"},
    [KVB_SET_PIPELINE_PARALLEL_SIZE] = {"pipeline_parallel_size", "-pp", COUNT(1, RANKS_MAX), ALWAYS, "N",
                                        "stages the layers are cut into"},
    [KVB_SET_DATA_PARALLEL_SIZE] = {"data_parallel_size", "-dp", COUNT(1, RANKS_MAX), SINCE(0, 8, 3), "N",
                                    "copies of the model"},
    [KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE] = {"decode_context_parallel_size", "-dcp", COUNT(1, RANKS_MAX),
                                              SINCE(0, 10, 2), "N", "ranks that share one request's KV cache"},
    [KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE] = {"prefill_context_parallel_size", "-pcp", COUNT(1, RANKS_MAX),
                                               SINCE(0, 12, 0), "N", "ranks that share one prompt"},
    [KVB_SET_ENABLE_EXPERT_PARALLEL] = {"enable_expert_parallel", "-ep", SWITCH, SINCE(0, 8, 0), NULL,
                                        "whole experts per GPU instead of slices"},
    [KVB_SET_DTYPE] = {"dtype", NULL, WORD(kvb_dtype_words, KVB_DTYPE_WORD_FP32), ALWAYS, "TYPE",
                       "auto, bfloat16, float16 or float32"},
    [KVB_SET_QUANTIZATION] = {"quantization", "-q", WORD(kvb_quantization_words, KVB_QUANTIZATION_COUNT - 1),
                              ALWAYS, "METHOD", "fp8, awq, gptq, bitsandbytes, ..."},
    [KVB_SET_KV_CACHE_DTYPE] = {"kv_cache_dtype", NULL, WORD(kvb_kv_dtype_words, KVB_KV_COUNT - 1), SINCE(0, 3, 0),
                                "TYPE", "auto, fp8, ...: what one cached element takes"},
    [KVB_SET_BLOCK_SIZE] = {"block_size", NULL, COUNT(1, 1048576), ALWAYS, "TOKENS", "tokens in one KV block"},
    [KVB_SET_ENFORCE_EAGER] = {"enforce_eager", NULL, SWITCH, ALWAYS, NULL, "no CUDA graphs"},
    [KVB_SET_KV_CACHE_MEMORY_BYTES] = {"kv_cache_memory_bytes", NULL, COUNT(1, COUNT_MAX), SINCE(0, 10, 2), "BYTES",
                                       "KV cache per GPU, instead of a share"},
    [KVB_SET_NUM_GPU_BLOCKS_OVERRIDE] = {"num_gpu_blocks_override", NULL, COUNT(1, COUNT_MAX), SINCE(0, 4, 1), "N",
                                         "KV blocks, whatever was measured"},
    [KVB_SET_SWAP_SPACE] = {"swap_space", NULL, GIBS, UNTIL(0, 17, 1), "GIB",
                            "host memory per GPU for preempted requests"},
    [KVB_SET_CPU_OFFLOAD_GB] = {"cpu_offload_gb", NULL, GIBS, SINCE(0, 5, 3), "GIB",
                                "weights kept in host memory, per GPU"},
    [KVB_SET_ENABLE_PREFIX_CACHING] = {"enable_prefix_caching", NULL, SWITCH, SINCE(0, 4, 0), NULL,
                                       "reuse the blocks of equal beginnings"},
    [KVB_SET_ENABLE_CHUNKED_PREFILL] = {"enable_chunked_prefill", NULL, SWITCH, SINCE(0, 4, 0), NULL,
                                        "prompts in steps of max_num_batched_tokens"},
    [KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER] = {"disable_hybrid_kv_cache_manager", NULL, SWITCH, SINCE(0, 9, 1), NULL,
                                                 "size every layer as full attention"},
    [KVB_SET_ENABLE_LORA] = {"enable_lora", NULL, SWITCH, SINCE(0, 3, 0), NULL, "room for LoRA adapters"},
    [KVB_SET_MAX_LORAS] = {"max_loras", NULL, COUNT(1, UINT32_MAX), SINCE(0, 3, 0), "N", "adapters in one batch"},
    [KVB_SET_MAX_LORA_RANK] = {"max_lora_rank", NULL, COUNT(1, UINT32_MAX), SINCE(0, 3, 0), "N",
                               "largest adapter rank"},
    [KVB_SET_ASYNC_SCHEDULING] = {"async_scheduling", NULL, SWITCH, SINCE(0, 10, 0), NULL, "schedule one step ahead"},
    [KVB_SET_LANGUAGE_MODEL_ONLY] = {"language_model_only", NULL, SWITCH, SINCE(0, 17, 0), NULL,
                                     "leave vision and audio towers out"},
    [KVB_SET_ENABLE_SLEEP_MODE] = {"enable_sleep_mode", NULL, SWITCH, SINCE(0, 7, 0), NULL,
                                   "weights and KV cache can be put aside"},
    [KVB_SET_SKIP_MM_PROFILING] = {"skip_mm_profiling", NULL, SWITCH, SINCE(0, 10, 1), NULL,
                                   "no pictures in the profile run"},
    [KVB_SET_MAMBA_CACHE_MODE] = {"mamba_cache_mode", NULL, WORD(kvb_mamba_mode_words, KVB_MAMBA_MODE_ALL),
                                  SINCE(0, 15, 0), "MODE", "none, align or all: which states are kept"},
    [KVB_SET_MAMBA_SSM_CACHE_DTYPE] = {"mamba_ssm_cache_dtype", NULL, WORD(kvb_dtype_words, KVB_DTYPE_WORD_FP32),
                                       SINCE(0, 10, 1), "TYPE", "type of recurrent states"},
    [KVB_SET_MAMBA_CACHE_DTYPE] = {"mamba_cache_dtype", NULL, WORD(kvb_dtype_words, KVB_DTYPE_WORD_FP32),
                                   SINCE(0, 10, 1), "TYPE", "type of convolution states"},
    [KVB_SET_MAMBA_BLOCK_SIZE] = {"mamba_block_size", NULL, COUNT(1, COUNT_MAX), SINCE(0, 11, 1), "TOKENS",
                                  "tokens between kept states"},
    [KVB_SET_ATTENTION_BACKEND] = {"attention_backend", NULL, WORD(kvb_backend_words, KVB_BACKEND_OTHER),
                                   SINCE(0, 13, 0), "NAME", "FLASH_ATTN, FLASHINFER, ..."},
    [KVB_SET_MM_ENCODER_TP_MODE] = {"mm_encoder_tp_mode", NULL, WORD(kvb_encoder_split_words, 1), SINCE(0, 10, 2),
                                    "MODE", "weights: split the encoder; data: copy it"},
    [KVB_SET_MM_IPC_GPU_MEMORY_GB] = {"mm_ipc_gpu_memory_gb", NULL, GIBS, SINCE(0, 25, 0), "GIB",
                                      "set aside for pictures handed over on the GPU"},
    [KVB_SET_PERFORMANCE_MODE] = {"performance_mode", NULL, WORD(kvb_performance_words, KVB_PERFORMANCE_INTERACTIVITY),
                                  SINCE(0, 17, 0), "MODE", "balanced, throughput or interactivity"},
    [KVB_SET_RUNNER] = {"runner", NULL, WORD(kvb_runner_words, KVB_RUNNER_POOLING), ALWAYS, "NAME",
                        "generate or pooling: an embedding model has no head and no sampler"},
    [KVB_SET_DISABLE_SLIDING_WINDOW] = {"disable_sliding_window", NULL, SWITCH, SINCE(0, 4, 3), NULL,
                                        "cap the length to the window"},
    [KVB_SET_TRUST_REMOTE_CODE] = {"trust_remote_code", NULL, SWITCH, ALWAYS, NULL, "accepted; no effect on memory"},
    [KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE] = {"max_cudagraph_capture_size", NULL, COUNT(0, UINT32_MAX), SINCE(0, 11, 1),
                                            "N", "largest batch with a CUDA graph"},
    [KVB_SET_CUDAGRAPH_CAPTURE_SIZES] = {"cudagraph_capture_sizes", NULL, PART_COUNT, SINCE(0, 11, 1), NULL,
                                         "how many batch sizes get a CUDA graph"},
    [KVB_SET_CUDAGRAPH_MODE] = {"cudagraph_mode", NULL,
                                PART_WORD(kvb_graph_mode_words, KVB_GRAPH_MODE_FULL_AND_PIECEWISE), SINCE(0, 10, 0),
                                NULL, "which CUDA graphs are captured"},
    [KVB_SET_SPECULATIVE_METHOD] = {"speculative_method", NULL, PART_WORD(kvb_speculative_words, KVB_SPECULATIVE_OTHER),
                                    SINCE(0, 4, 1), NULL, "who drafts tokens"},
    [KVB_SET_NUM_SPECULATIVE_TOKENS] = {"num_speculative_tokens", NULL, PART_COUNT, SINCE(0, 4, 1), NULL,
                                        "tokens drafted per step"},
    [KVB_SET_LIMIT_IMAGES] = {"limit_images", NULL, PART_COUNT, SINCE(0, 5, 5), NULL, "images per request"},
    [KVB_SET_LIMIT_VIDEOS] = {"limit_videos", NULL, PART_COUNT, SINCE(0, 5, 5), NULL, "videos per request"},
    [KVB_SET_LIMIT_AUDIOS] = {"limit_audios", NULL, PART_COUNT, SINCE(0, 5, 5), NULL, "audio clips per request"},
    [KVB_SET_MM_MAX_PIXELS] = {"mm_max_pixels", NULL, PART_COUNT, SINCE(0, 6, 2), NULL, "pixels an image is cut to"},
    [KVB_SET_KV_TRANSFER] = {"kv_transfer", NULL, KVB_VALUE_PART, 0, 1, NO_WORDS, false, SINCE(0, 6, 5), NULL,
                             "a KV connector is configured"},
};

const struct kvb_setting_row *kvb_setting_row_of(enum kvb_setting setting)
{
    return (unsigned)setting < KVB_SETTING_COUNT ? &setting_rows[setting] : NULL;
}
