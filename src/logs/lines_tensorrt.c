// TensorRT-LLM: GiB as printed; the KV pool is printed twice and the last one counts.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(FACT, 0, "TensorRT-LLM version: {word}", "[TensorRT-LLM] TensorRT-LLM version: 1.0.0", NOTHING),
    PLAIN(ALLOCATED, 0, "[MemUsageChange] Allocated {size} for max tokens in paged KV cache ({count})",
          "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 2.50 GiB for max tokens in paged KV cache (20480).",
          KVB_OBS_KV_CACHE, KVB_OBS_KV_TOKENS),
    PLAIN(FACT, 0, "calculating max tokens in paged kv cache: total: {size}, available: {size}",
          "[TensorRT-LLM][INFO] calculating max tokens in paged kv cache: total: 23.50 GiB, available: 8.00 GiB",
          KVB_OBS_GPU_MEMORY, KVB_OBS_IGNORED),
    PLAIN(ALLOCATED, 0, "Number of blocks in KV cache primary pool: {count}",
          "[INFO] Number of blocks in KV cache primary pool: 640", KVB_OBS_NUM_GPU_BLOCKS),
    PLAIN(FACT, 0, "Number of tokens per block: {count}", "[INFO] Number of tokens per block: 32.", KVB_OBS_BLOCK_SIZE),
    PLAIN(LOADED, 0, "Memory used after loading model weights (inside torch) in memory usage profiling: {size}",
          "[I] Memory used after loading model weights (inside torch) in memory usage profiling: 7.50 GiB",
          KVB_OBS_WEIGHTS),
    PLAIN(FACT, 0, "Memory dynamically allocated during inference (inside torch) in memory usage profiling: {size}",
          "[I] Memory dynamically allocated during inference (inside torch) in memory usage profiling: 1.50 GiB",
          KVB_OBS_ACTIVATION),
    PLAIN(FACT, 0, "Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage profiling: {size}",
          "[I] Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage profiling: 0.75 GiB",
          KVB_OBS_NON_TORCH),
    PLAIN(SIZED, 0, "Estimated max memory in KV cache : {size}", "[I] Estimated max memory in KV cache : 2.50 GiB",
          KVB_OBS_KV_CACHE),
    PLAIN(FACT, 0, "device total memory {size}", "[I] kv size is 9. device total memory 23.50 GiB, tmp",
          KVB_OBS_GPU_MEMORY),
    PLAIN(FACT, 0, "Loaded engine size: {mib} MiB", "[TensorRT-LLM][INFO] Loaded engine size: 7680 MiB",
          KVB_OBS_WEIGHTS),
    PLAIN(OOM, 0, "Executor creation failed due to insufficient GPU memory",
          "[E] Executor creation failed due to insufficient GPU memory.", NOTHING),
    PLAIN(FACT, 0, "Total GPU memory (GiB): {gib}", "Total GPU memory (GiB): 23.50", KVB_OBS_GPU_MEMORY),
    PLAIN(FACT, 0, "Free GPU memory before component creation attempt (GiB): {gib}",
          "Free GPU memory before component creation attempt (GiB): 1.25", KVB_OBS_OOM_FREE),
    PLAIN(TRACE, KVB_FAILURE_OOM_LOAD, "load_single_module", "[E] Error executing load_single_module", NOTHING),
    PLAIN(WRAPPER, 0, "Executor creation failed with", "[E] Executor creation failed with NCCL error", NOTHING),
};

const struct kvb_line_table kvb_lines_tensorrt = {KVB_LOG_TENSORRT, rows, KVB_LINE_ROWS(rows)};
