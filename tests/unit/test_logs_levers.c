// What is said to help at each stage of a start, engine by engine, and what is said not to: told a second time as each
// engine's documentation and code have it, row by row.
#include <stdio.h>
#include <string.h>

#include "logs/levers.h"
#include "unit/test.h"

#define VLLM (1U << KVB_LOG_VLLM)
#define SGLANG (1U << KVB_LOG_SGLANG)
#define LLAMACPP (1U << KVB_LOG_LLAMACPP)
#define OLLAMA (1U << KVB_LOG_OLLAMA)
#define TGI (1U << KVB_LOG_TGI)
#define TENSORRT (1U << KVB_LOG_TENSORRT)
#define LMDEPLOY (1U << KVB_LOG_LMDEPLOY)
#define UNKNOWN (1U << KVB_LOG_UNKNOWN_ENGINE)
#define PYTORCH (VLLM | SGLANG | TGI | UNKNOWN) // PyTorch's allocator hands their memory out
#define EVERY (~0U)

static const struct {
    enum kvb_failure kind;
    unsigned engines, when;
    const char *setting, *to;
    bool works;
} told[] = {
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "mm-processor-kwargs", "{\"max_pixels\": ...}", true},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "limit-mm-per-prompt", "{\"image\": 0, \"video\": 0}", true},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "limit-mm-per-prompt", "1 instead of 2", false},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "max-num-batched-tokens", "lower", false},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_TEXT, "max-num-batched-tokens", "lower", true},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_ALWAYS, "model",
     "smaller or quantised, or more GPUs (tensor-parallel-size)", true},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_GRAPHS_FREE, "enforce-eager", "true", false},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_OTHERS_CHARGED, "gpu-memory-utilization", "share of both servers together",
     true},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_ALWAYS, "kv-cache-dtype", "fp8", false},
    {KVB_FAILURE_NEGATIVE_KV, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "higher", true},
    {KVB_FAILURE_NEGATIVE_KV, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", false},
    {KVB_FAILURE_NEGATIVE_KV, SGLANG, KVB_WHEN_ALWAYS, "tp-size", "more GPUs, or a quantised checkpoint", true},
    {KVB_FAILURE_NEGATIVE_KV, 1U << KVB_LOG_LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "higher", true},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, VLLM, KVB_WHEN_ALWAYS, "max-num-seqs", "lower", false},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, VLLM, KVB_WHEN_ALWAYS, "swap-space", "more", false},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, VLLM, KVB_WHEN_GRAPHS_FREE, "enforce-eager", "true", false},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", true},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, TGI, KVB_WHEN_ALWAYS, "max-total-tokens", "lower", true},
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false},
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_ALWAYS, "quantization", "any", false},
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", false},
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_KV_BYTES, "kv-cache-memory-bytes", "any", false},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_STRICT_ASSERTION, "engine", "0.16.0 or later", true},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "other processes", "none, or started one after the other",
     true},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_KV_BYTES, "kv-cache-memory-bytes", "the size wanted", true},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_V0_GONE, "VLLM_USE_V1", "0", false},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "gpu-memory-utilization", "lower", false},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "enforce-eager", "true", false},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "enable-prefix-caching", "false", false},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "tensor-parallel-size", "more GPUs", true},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "model", "smaller, or a checkpoint that is quantised already", true},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "cpu-offload-gb", "the missing part", true},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "gpu-memory-utilization", "lower", false},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "max-num-seqs", "lower", false},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", false},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_NOT_FRAGMENTED, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", false},
    {KVB_FAILURE_OOM_LOAD, SGLANG, KVB_WHEN_ALWAYS, "tp-size", "more GPUs, or a quantised checkpoint", true},
    {KVB_FAILURE_OOM_LOAD, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", false},
    {KVB_FAILURE_OOM_LOAD, LLAMACPP, KVB_WHEN_ALWAYS, "n-gpu-layers", "fewer", true},
    {KVB_FAILURE_OOM_LOAD, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", false},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "mm-processor-kwargs", "{\"max_pixels\": ...}", true},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "limit-mm-per-prompt", "fewer, 0 for what no request uses",
     true},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "max-num-seqs", "lower", true},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "skip-mm-profiling", "true", false},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "max-num-batched-tokens", "lower", true},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "tensor-parallel-size", "more GPUs", true},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "gpu-memory-utilization", "lower", false},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "kv-cache-dtype", "fp8", false},
    {KVB_FAILURE_OOM_PROFILE, LLAMACPP, KVB_WHEN_ALWAYS, "ubatch-size", "smaller", true},
    {KVB_FAILURE_OOM_PROFILE, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", true},
    {KVB_FAILURE_OOM_PROFILE, LLAMACPP, KVB_WHEN_ALWAYS, "n-gpu-layers", "fewer", true},
    {KVB_FAILURE_OOM_PROFILE, TGI, KVB_WHEN_ALWAYS, "max-batch-prefill-tokens", "lower", true},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "max-cudagraph-capture-size", "64", true},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", true},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "quantization", "any, or more GPUs", false},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "kv-cache-dtype", "fp8", false},
    {KVB_FAILURE_OOM_GRAPH, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", true},
    {KVB_FAILURE_OOM_GRAPH, SGLANG, KVB_WHEN_ALWAYS, "cuda-graph-max-bs", "16", true},
    {KVB_FAILURE_OOM_GRAPH, SGLANG, KVB_WHEN_ALWAYS, "context-length", "shorter", false},
    {KVB_FAILURE_OOM_GRAPH, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", true},
    {KVB_FAILURE_OOM_GRAPH, LLAMACPP, KVB_WHEN_ALWAYS, "cache-type-k", "q8_0", true},
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_NO_POOL, "gpu-memory-utilization", "lower", false},
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false},
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_ALWAYS, "quantization", "any, or more GPUs", false},
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", false},
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "max-num-batched-tokens", "lower", true},
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "max-num-seqs", "lower", true},
    {KVB_FAILURE_OOM_SERVING, PYTORCH, KVB_WHEN_FRAGMENTED, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True",
     true},
    {KVB_FAILURE_OOM_SERVING, PYTORCH, KVB_WHEN_NOT_FRAGMENTED, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True",
     false},
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "quantization", "any, or more GPUs", false},
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false},
    {KVB_FAILURE_OOM_SERVING, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", true},
    {KVB_FAILURE_OOM_SERVING, SGLANG, KVB_WHEN_ALWAYS, "chunked-prefill-size", "smaller", true},
    {KVB_FAILURE_OOM_SERVING, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", true},
    {KVB_FAILURE_OOM_SERVING, LLAMACPP, KVB_WHEN_ALWAYS, "n-gpu-layers", "fewer", true},
    {KVB_FAILURE_OOM_LOAD, OLLAMA, KVB_WHEN_ALWAYS, "num_gpu", "fewer layers", true},
    {KVB_FAILURE_OOM_LOAD, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_GPU_OVERHEAD", "bytes to leave free", true},
    {KVB_FAILURE_OOM_LOAD, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true},
    {KVB_FAILURE_OOM_PROFILE, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true},
    {KVB_FAILURE_OOM_PROFILE, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_GPU_OVERHEAD", "bytes to leave free", true},
    {KVB_FAILURE_OOM_GRAPH, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true},
    {KVB_FAILURE_OOM_GRAPH, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_KV_CACHE_TYPE", "q8_0", true},
    {KVB_FAILURE_OOM_SERVING, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true},
    {KVB_FAILURE_OOM_SERVING, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_MAX_LOADED_MODELS", "1", true},
    {KVB_FAILURE_OOM_LOAD, TGI, KVB_WHEN_ALWAYS, "num-shard", "more GPUs", true},
    {KVB_FAILURE_OOM_LOAD, TGI, KVB_WHEN_ALWAYS, "quantize", "a quantised checkpoint", true},
    {KVB_FAILURE_OOM_LOAD, TGI, KVB_WHEN_ALWAYS, "max-batch-prefill-tokens", "lower", false},
    {KVB_FAILURE_OOM_PROFILE, TGI, KVB_WHEN_ALWAYS, "max-total-tokens", "lower", true},
    {KVB_FAILURE_OOM_GRAPH, TGI, KVB_WHEN_ALWAYS, "cuda-graphs", "0", true},
    {KVB_FAILURE_OOM_GRAPH, TGI, KVB_WHEN_ALWAYS, "cuda-memory-fraction", "lower", true},
    {KVB_FAILURE_OOM_SERVING, TGI, KVB_WHEN_ALWAYS, "max-batch-prefill-tokens", "lower", true},
    {KVB_FAILURE_OOM_SERVING, TGI, KVB_WHEN_ALWAYS, "cuda-memory-fraction", "lower", true},
    {KVB_FAILURE_OOM_LOAD, TENSORRT, KVB_WHEN_ALWAYS, "tp_size", "more GPUs, or a quantised checkpoint", true},
    {KVB_FAILURE_OOM_LOAD, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction", "lower", false},
    {KVB_FAILURE_OOM_PROFILE, TENSORRT, KVB_WHEN_ALWAYS, "max_num_tokens", "lower", true},
    {KVB_FAILURE_OOM_PROFILE, TENSORRT, KVB_WHEN_ALWAYS, "max_batch_size", "lower", true},
    {KVB_FAILURE_OOM_GRAPH, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction", "lower", true},
    {KVB_FAILURE_OOM_GRAPH, TENSORRT, KVB_WHEN_ALWAYS, "max_batch_size", "lower", true},
    {KVB_FAILURE_OOM_GRAPH, TENSORRT, KVB_WHEN_ALWAYS, "max_num_tokens", "lower", true},
    {KVB_FAILURE_OOM_SERVING, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction", "lower", true},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, TENSORRT, KVB_WHEN_ALWAYS, "max_seq_len", "lower", true},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction",
     "higher", true},
    {KVB_FAILURE_NEGATIVE_KV, TENSORRT, KVB_WHEN_ALWAYS, "tp_size", "more GPUs, or a quantised checkpoint", true},
    {KVB_FAILURE_OOM_LOAD, LMDEPLOY, KVB_WHEN_ALWAYS, "tp", "more GPUs, or a quantised checkpoint", true},
    {KVB_FAILURE_OOM_LOAD, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true},
    {KVB_FAILURE_OOM_PROFILE, LMDEPLOY, KVB_WHEN_ALWAYS, "max-prefill-token-num", "lower", true},
    {KVB_FAILURE_OOM_PROFILE, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true},
    {KVB_FAILURE_OOM_GRAPH, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true},
    {KVB_FAILURE_OOM_SERVING, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, SGLANG, KVB_WHEN_ALWAYS, "context-length", "shorter", true},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "higher", true},
    {KVB_FAILURE_OOM_PROFILE, SGLANG, KVB_WHEN_ALWAYS, "chunked-prefill-size", "smaller", true},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "mem-fraction-static", "higher", true},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "kv-cache-dtype", "fp8_e4m3", true},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "max-running-requests", "lower", true},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "mem-fraction-static", "lower", false},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "cuda-graph-max-bs", "any", false},
    {KVB_FAILURE_OOM_LOAD, UNKNOWN, KVB_WHEN_ALWAYS, "model", "smaller or quantised, or more GPUs", true},
    {KVB_FAILURE_OOM_SERVING, UNKNOWN, KVB_WHEN_ALWAYS, "batch and length", "smaller", true},
    {KVB_FAILURE_OOM_GRAPH, UNKNOWN, KVB_WHEN_ALWAYS, "KV cache", "smaller", true},
    {KVB_FAILURE_OOM_PROFILE, UNKNOWN, KVB_WHEN_ALWAYS, "batch", "smaller", true},
};

static void each_lever(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        bool found = false;
        for (size_t at = 0; at < kvb_lever_row_count && !found; at++) {
            const struct kvb_lever_row *row = &kvb_lever_rows[at];
            found = row->kind == told[i].kind && row->engines == told[i].engines && row->when == told[i].when &&
                    row->works == told[i].works && strcmp(row->setting, told[i].setting) == 0 &&
                    strcmp(row->to, told[i].to) == 0;
        }
        if (!found) {
            fail_msg("%s of engines %x at stage %u", told[i].setting, told[i].engines, told[i].kind);
        }
    }
}

// The share of the card that each engine takes.
static void shares_by_name(void **state)
{
    (void)state;
    static const struct {
        enum kvb_log_engine engine;
        const char *setting;
    } rows[] = {
        {KVB_LOG_SGLANG, "mem-fraction-static"},
        {KVB_LOG_LLAMACPP, "n-gpu-layers"},
        {KVB_LOG_OLLAMA, "num_gpu"},
        {KVB_LOG_TGI, "cuda-memory-fraction"},
        {KVB_LOG_TENSORRT, "kv_cache_config.free_gpu_memory_fraction"},
        {KVB_LOG_LMDEPLOY, "cache-max-entry-count"},
        {KVB_LOG_VLLM, "gpu-memory-utilization"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(kvb_share_lever(rows[i].engine), rows[i].setting);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_lever), cmocka_unit_test(shares_by_name))
