// What a running server says of itself: a scrape of /metrics of vLLM and SGLang, and PyTorch's memory summary.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(METRIC_CONFIG, 0, "vllm:cache_config_info{any}num_gpu_blocks=\"{count}\"",
          "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"1200\"} 1.0", KVB_OBS_NUM_GPU_BLOCKS),
    PLAIN(METRIC, 0, "vllm:num_requests_running{any}} {num}", "vllm:num_requests_running{model_name=\"a/b\"} 3.0",
          KVB_OBS_RUNNING),
    PLAIN(METRIC, 0, "vllm:num_requests_waiting{any}} {num}", "vllm:num_requests_waiting{model_name=\"a/b\"} 3.0",
          KVB_OBS_WAITING),
    PLAIN(METRIC, 0, "vllm:kv_cache_usage_perc{any}} {part}", "vllm:kv_cache_usage_perc{model_name=\"a/b\"} 0.25",
          KVB_OBS_KV_USAGE),
    PLAIN(METRIC, 0, "vllm:gpu_cache_usage_perc{any}} {part}", "vllm:gpu_cache_usage_perc{model_name=\"a/b\"} 0.25",
          KVB_OBS_KV_USAGE),
    PLAIN(METRIC, 0, "vllm:num_preemptions_total{any}} {num}", "vllm:num_preemptions_total{model_name=\"a/b\"} 3.0",
          KVB_OBS_PREEMPTIONS),
    PLAIN(METRIC, 0, "sglang:num_running_reqs{any}} {num}", "sglang:num_running_reqs{model_name=\"a/b\"} 3.0",
          KVB_OBS_RUNNING),
    PLAIN(METRIC, 0, "sglang:num_queue_reqs{any}} {num}", "sglang:num_queue_reqs{model_name=\"a/b\"} 3.0",
          KVB_OBS_WAITING),
    PLAIN(METRIC, 0, "sglang:token_usage{any}} {part}", "sglang:token_usage{model_name=\"a/b\"} 0.25",
          KVB_OBS_KV_USAGE),
    PLAIN(METRIC, 0, "sglang:num_used_tokens{any}} {num}", "sglang:num_used_tokens{model_name=\"a/b\"} 1234.0",
          KVB_OBS_USED_TOKENS),
    PLAIN(METRIC, 0, "sglang:max_total_num_tokens{any}} {num}",
          "sglang:max_total_num_tokens{model_name=\"a/b\"} 1.2e+06", KVB_OBS_KV_TOKENS),
    PLAIN(METRIC, 0, "| Allocated memory | {size} | {size} |", "| Allocated memory      |  14336 MiB |  15000 MiB | x",
          KVB_OBS_TORCH_ALLOCATED, KVB_OBS_TORCH_PEAK),
    PLAIN(METRIC, 0, "| GPU reserved memory | {size} |", "| GPU reserved memory   |  16000 MiB | x",
          KVB_OBS_TORCH_RESERVED),
    PLAIN(METRIC, 0, "CUDA OOMs: {count}", "|            CUDA OOMs: 0            |        cudaMalloc retries: 0 |",
          KVB_OBS_TORCH_OOMS),
};

const struct kvb_line_table kvb_lines_metrics = {KVB_LOG_TORCH, rows, KVB_LINE_ROWS(rows)};
