// llama.cpp: MiB throughout; function names before the colon change, so only the tail is matched.
#include "logs/lines_macros.h"

static const struct kvb_line_row rows[] = {
    PLAIN(GPU, 0, "using device CUDA0 ({name}) - {mib} MiB free",
          "llama_model_load: using device CUDA0 (NVIDIA X 1) - 24000 MiB free", KVB_OBS_IGNORED, KVB_OBS_GPU_FREE),
    PLAIN(GPU, 0, "using device CUDA0 ({name}) ({name}) - {mib} MiB free",
          "llama_prepare: using device CUDA0 (NVIDIA X 1) (0000:01:00.0) - 24000 MiB free", KVB_OBS_IGNORED,
          KVB_OBS_IGNORED, KVB_OBS_GPU_FREE),
    PLAIN(LOADING, 0, "llama_model_loader: loaded meta data",
          "llama_model_loader: loaded meta data with 29 key-value pairs", NOTHING),
    PLAIN(FACT, 0, "print_info: file size = {size}", "print_info: file size   = 4.50 GiB (4.50 BPW)",
          KVB_OBS_FILE_SIZE),
    PLAIN(LOADED, 0, "offloaded {count}/{count} layers to GPU", "load_tensors: offloaded 33/33 layers to GPU",
          KVB_OBS_OFFLOADED_LAYERS, KVB_OBS_MODEL_LAYERS),
    // one line per device; those of the host are none of the GPU's
    PLAIN(FACT, KVB_PER_DEVICE, "{word} model buffer size = {mib} MiB",
          "load_tensors:        CUDA0 model buffer size =  4096.00 MiB", KVB_OBS_IGNORED, KVB_OBS_WEIGHTS),
    PLAIN(FACT, KVB_PER_DEVICE, "llm_load_tensors: {word} buffer size = {mib} MiB",
          "llm_load_tensors:      CUDA0 buffer size =  4096.00 MiB", KVB_OBS_IGNORED, KVB_OBS_WEIGHTS),
    PLAIN(FACT, KVB_PER_DEVICE, "{word} compute buffer size = {mib} MiB",
          "llama_context:      CUDA0 compute buffer size =   256.00 MiB", KVB_OBS_IGNORED, KVB_OBS_ACTIVATION),
    PLAIN(SIZED, KVB_PER_DEVICE, "{word} KV buffer size = {mib} MiB",
          "llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB", KVB_OBS_IGNORED, KVB_OBS_KV_CACHE),
    PLAIN(ALLOCATED, 0, "{count} cells, {count} layers",
          "llama_kv_cache: size = 512.00 MiB ( 4096 cells,  32 layers,  1/1 seqs)", KVB_OBS_KV_TOKENS, KVB_OBS_IGNORED),
    PLAIN(FACT, 0, "_context: n_ctx = {count}", "llama_context: n_ctx         = 4096", KVB_OBS_MAX_MODEL_LEN),
    PLAIN(READY, 0, "server is listening on", "main: server is listening on http://127.0.0.1:8080", NOTHING),
    PLAIN(SERVING, 0, "prompt eval time =", "prompt eval time =     10.00 ms /     5 tokens", NOTHING),
    PLAIN(OOM, 0, "allocating {mib} MiB on device {count}: cudaMalloc failed: out of memory",
          "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 0: cudaMalloc failed: out of "
          "memory",
          KVB_OBS_TRIED_ALLOC, KVB_OBS_IGNORED),
    PLAIN(OOM, KVB_PER_DEVICE, "failed to allocate {word} buffer of size {bytes}",
          "failed to allocate CUDA0 buffer of size 1073741824", KVB_OBS_IGNORED, KVB_OBS_TRIED_ALLOC),
    PLAIN(TRACE, KVB_FAILURE_OOM_LOAD, "alloc_tensor_range: failed", "alloc_tensor_range: failed", NOTHING),
    PLAIN(TRACE, KVB_FAILURE_OOM_LOAD, "unable to allocate {word} buffer",
          "load_tensors: unable to allocate CUDA0 buffer", KVB_OBS_IGNORED),
    PLAIN(TRACE, KVB_FAILURE_OOM_PROFILE, "failed to allocate compute",
          "graph_reserve: failed to allocate compute buffers", NOTHING),
    PLAIN(TRACE, KVB_FAILURE_OOM_PROFILE, "ggml_gallocr_reserve_n: failed", "ggml_gallocr_reserve_n: failed", NOTHING),
    PLAIN(TRACE, KVB_FAILURE_OOM_GRAPH, "failed to allocate buffer for kv cache",
          "llama_kv_cache: failed to allocate buffer for kv cache", NOTHING),
    PLAIN(FACT, 0, "failed to fit params to free device memory", // the start goes on as it was asked for
          "llama_params_fit: failed to fit params to free device memory: n_ctx", NOTHING),
    PLAIN(WRAPPER, 0, "exiting due to model loading error", "main: exiting due to model loading error", NOTHING),
    PLAIN(EXCEPTION, 0, "error loading model: ", "llama_model_load: error loading model: bad magic", NOTHING),
};

const struct kvb_line_table kvb_lines_llamacpp = {KVB_LOG_LLAMACPP, rows, KVB_LINE_ROWS(rows)};
