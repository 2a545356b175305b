// What is said to help at each stage of a start, and what is said not to. Each log is written as the engine's released
// code prints it, and what has to be said of it is what that engine's own code, documentation or tracker says: neither
// more nor less.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "logs/levers.h"
#include "unit/test.h"

struct scene {
    const char *log;
    enum kvb_failure kind;
    const char *said; // "+ setting = to" helps, "- setting = to" does not; without " = to" its figure is worked out
};

// PyTorch 2.5, CUDACachingAllocator.cpp, as issue 31805 of vLLM shows it.
#define OOM_WITH(allocated, unallocated)                                                                               \
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 79.25 "   \
    "GiB of which 157.38 MiB is free. Of the allocated memory " allocated " is allocated by PyTorch, and " unallocated \
    " is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "                \
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.\n"
#define OOM OOM_WITH("78.53 GiB", "100.41 MiB")

// ---- vLLM: v1/engine/core.py, v1/worker/gpu_worker.py, gpu_model_runner.py and v1/core/kv_cache_utils.py at each tag

#define CORE "(EngineCore pid=9) "
#define INFO CORE "INFO 04-27 07:22:41 "
#define ERROR CORE "ERROR 04-27 07:25:41 [core.py:1136] "
#define BEGUN(release)                                                                                                 \
    INFO "[core.py:107] Initializing a V1 LLM engine (v" release ") with config: model='Qwen/Qwen3-32B', "             \
         "speculative_config=None, dtype=torch.bfloat16, max_seq_len=40960\n"
#define LOADING INFO "[gpu_model_runner.py:4791] Starting to load model Qwen/Qwen3-32B...\n"
#define LOADED LOADING INFO "[gpu_model_runner.py:4888] Model loading took 61.03 GiB memory and 58.120000 seconds\n"
#define ITEMS                                                                                                          \
    INFO "[gpu_model_runner.py:5876] Encoder cache will be initialized with a budget of 16384 tokens, and profiled "   \
         "with 1 image items of the maximum feature size.\n"
#define POOL(gib) INFO "[gpu_worker.py:440] Available KV cache memory: " gib " GiB\n"
#define NOT_CHARGED                                                                                                    \
    INFO "[gpu_worker.py:452] In v0.19, CUDA graph memory profiling will be enabled by default "                       \
         "(VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=1), which more accurately accounts for CUDA graph memory during "  \
         "KV cache allocation.\n"
#define SIZED LOADED POOL("8.41") INFO "[kv_cache_utils.py:1711] GPU KV cache size: 34,432 tokens\n"
#define CAPTURED SIZED INFO "[gpu_model_runner.py:6046] Graph capturing finished in 9 secs, took 0.82 GiB\n"
#define READY CAPTURED "(APIServer pid=1) INFO:     Application startup complete.\n"
#define NO_BLOCKS                                                                                                      \
    ERROR "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "        \
          "initializing the engine.\n"
#define ONE_REQUEST                                                                                                    \
    ERROR "ValueError: To serve at least one request with the models's max seq len (40960), (10.0 GiB KV cache is "    \
          "needed, which is larger than the available KV cache memory (8.41 GiB). Based on the available memory, the " \
          "estimated maximum model length is 34432. Try increasing `gpu_memory_utilization` or decreasing "            \
          "`max_model_len` when initializing the engine.\n"
#define SAMPLER                                                                                                        \
    ERROR "RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests. Please try "     \
          "lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.\n"
#define PROFILING                                                                                                      \
    ERROR "    File \"/usr/local/lib/python3.12/dist-packages/vllm/v1/worker/gpu_worker.py\", line 372, in "           \
          "determine_available_memory\n" ERROR "    self.model_runner.profile_run()\n" ERROR OOM
#define RACE(initial, current)                                                                                         \
    ERROR "AssertionError: Error in memory profiling. Initial free memory " initial " GiB, current free memory "       \
          "" current " GiB. This happens when other processes sharing the same container release GPU memory while "    \
          "vLLM is profiling during initialization.\n"

static const struct scene vllm[] = {
    // request_memory of v1/worker/utils.py (0.20.0) compares free memory with total x utilization in init_device,
    // before
    // there is a model and whatever kv_cache_memory_bytes says; 59.32 / 79.15 = 0.7494.
    {BEGUN("0.20.0") ERROR
     "ValueError: Free memory on device cuda:0 (59.32/79.15 GiB) on startup is less than desired GPU "
     "memory utilization (0.9, 71.24 GiB). Decrease GPU memory utilization or reduce GPU memory used by "
     "other processes.\n",
     KVB_FAILURE_FREE_LESS_THAN_REQUESTED,
     "+ other processes = none\n+ gpu-memory-utilization = 0.749\n- max-model-len = shorter\n- quantization = any\n"
     "- enforce-eager = true\n- kv-cache-memory-bytes = any\n"},
    // 0.9.1, where that gate came, has no --kv-cache-memory-bytes (it came with 0.10.2).
    {BEGUN("0.9.1") ERROR
     "ValueError: Free memory on device (59.32/79.15 GiB) on startup is less than desired GPU memory "
     "utilization (0.9, 71.24 GiB). Decrease GPU memory utilization or reduce GPU memory used by other "
     "processes.\n",
     KVB_FAILURE_FREE_LESS_THAN_REQUESTED,
     "+ other processes = none\n+ gpu-memory-utilization = 0.749\n- max-model-len = shorter\n- quantization = any\n"
     "- enforce-eager = true\n"},
    // The engine's own text names the utilization: issue 7721 shows the same failure at 0.8, 0.6 and 0.5, and no tag
    // calls set_per_process_memory_fraction. Issue 7200: online quantisation holds the whole model first.
    {BEGUN("0.20.0") LOADING CORE
     "ERROR 04-27 07:23:41 [gpu_model_runner.py:4870] Failed to load model - not enough GPU memory. Try lowering "
     "--gpu-memory-utilization to free memory for weights, increasing --tensor-parallel-size, or using "
     "--quantization. (original error: CUDA out of memory. Tried to allocate 256.00 MiB.)\n" ERROR OOM,
     KVB_FAILURE_OOM_LOAD,
     "+ tensor-parallel-size = more GPUs\n+ model = smaller, or a checkpoint that is quantised already\n"
     "+ cpu-offload-gb = the missing part\n- gpu-memory-utilization = lower\n- max-model-len = shorter\n"
     "- max-num-seqs = lower\n- enforce-eager = true\n- PYTORCH_CUDA_ALLOC_CONF = expandable_segments:True\n"},
    // profile_run of gpu_model_runner.py runs one batch of max_num_tokens = max_num_batched_tokens; issue 5993: 0.1 of
    // utilization changed nothing; there is no cache before determine_available_memory returns.
    {BEGUN("0.20.0") LOADED PROFILING, KVB_FAILURE_OOM_PROFILE,
     "+ max-num-batched-tokens = lower\n+ tensor-parallel-size = more GPUs\n- gpu-memory-utilization = lower\n"
     "- max-model-len = shorter\n- kv-cache-dtype = fp8\n"},
    // It encodes items of the largest size first (issues 18550 and 20123); of Mllama one for each sequence (8879).
    {BEGUN("0.20.0") LOADED ITEMS PROFILING, KVB_FAILURE_OOM_PROFILE,
     "+ mm-processor-kwargs = {\"max_pixels\": ...}\n+ limit-mm-per-prompt = fewer, 0 for what no request uses\n"
     "+ max-num-seqs = lower\n+ max-num-batched-tokens = lower\n+ tensor-parallel-size = more GPUs\n"
     "- skip-mm-profiling = true\n- gpu-memory-utilization = lower\n- max-model-len = shorter\n"
     "- kv-cache-dtype = fp8\n"},
    // The pool is what total x utilization leaves (gpu_worker.py): the message's own advice. Issue 10439 tried both
    // ways.
    {BEGUN("0.20.0") LOADED POOL("-1.85") NO_BLOCKS, KVB_FAILURE_NEGATIVE_KV,
     "+ gpu-memory-utilization = higher\n+ max-num-batched-tokens = lower\n"
     "+ model = smaller or quantised, or more GPUs (tensor-parallel-size)\n- gpu-memory-utilization\n"
     "- max-model-len = shorter\n- kv-cache-dtype = fp8\n"},
    // 0.20.0 takes the estimate of graphs off the pool, 0.19.0 only where the variable says so (envs.py): 2 GiB are
    // enough for 1.85 and 1 is not (issues 45178 and 53013).
    {BEGUN("0.20.0") LOADED INFO
     "[gpu_model_runner.py:6186] Estimated CUDA graph memory: 2.00 GiB total\n" POOL("-1.85") NO_BLOCKS,
     KVB_FAILURE_NEGATIVE_KV,
     "+ gpu-memory-utilization = higher\n+ VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS = 0\n+ enforce-eager = true\n"
     "+ max-num-batched-tokens = lower\n+ model = smaller or quantised, or more GPUs (tensor-parallel-size)\n"
     "- gpu-memory-utilization\n- max-model-len = shorter\n- kv-cache-dtype = fp8\n"},
    {BEGUN("0.20.0") LOADED INFO
     "[gpu_model_runner.py:6186] Estimated CUDA graph memory: 1.00 GiB total\n" POOL("-1.85") NO_BLOCKS,
     KVB_FAILURE_NEGATIVE_KV,
     "+ gpu-memory-utilization = higher\n- VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS = 0\n- enforce-eager = true\n"
     "+ max-num-batched-tokens = lower\n+ model = smaller or quantised, or more GPUs (tensor-parallel-size)\n"
     "- gpu-memory-utilization\n- max-model-len = shorter\n- kv-cache-dtype = fp8\n"},
    {BEGUN("0.19.0") LOADED NOT_CHARGED POOL("-1.85") NO_BLOCKS, KVB_FAILURE_NEGATIVE_KV,
     "+ gpu-memory-utilization = higher\n+ max-num-batched-tokens = lower\n"
     "+ model = smaller or quantised, or more GPUs (tensor-parallel-size)\n- gpu-memory-utilization\n"
     "- max-model-len = shorter\n- kv-cache-dtype = fp8\n- enforce-eager = true\n"},
    // compute_mm_encoder_budget of v1/core/encoder_cache_manager.py: at least the largest item, of each modality that
    // is
    // not limited to 0; it follows the item and not how many there are.
    {BEGUN("0.20.0") LOADED ITEMS POOL("-1.85") NO_BLOCKS, KVB_FAILURE_NEGATIVE_KV,
     "+ gpu-memory-utilization = higher\n+ mm-processor-kwargs = {\"max_pixels\": ...}\n"
     "+ limit-mm-per-prompt = {\"image\": 0, \"video\": 0}\n"
     "+ model = smaller or quantised, or more GPUs (tensor-parallel-size)\n- gpu-memory-utilization\n"
     "- limit-mm-per-prompt = 1 instead of 2\n- max-num-batched-tokens = lower\n- max-model-len = shorter\n"
     "- kv-cache-dtype = fp8\n"},
    // V1 of 0.6.5 to 0.9.0.1 subtracts what the whole device holds (issues 17431 and 19312).
    {BEGUN("0.8.5") LOADED NO_BLOCKS, KVB_FAILURE_NEGATIVE_KV,
     "+ gpu-memory-utilization = higher\n+ max-num-batched-tokens = lower\n"
     "+ model = smaller or quantised, or more GPUs (tensor-parallel-size)\n"
     "+ gpu-memory-utilization = share of both servers together\n- gpu-memory-utilization\n- max-model-len = shorter\n"
     "- kv-cache-dtype = fp8\n- enforce-eager = true\n"},
    // check_enough_kv_cache_memory of v1/core/kv_cache_utils.py is about one request of max_model_len; half of 10.0
    // fits
    // into 8.41. V1 never swaps (issue 18115).
    {BEGUN("0.20.0") LOADED POOL("8.41") ONE_REQUEST, KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN,
     "+ max-model-len = 34432\n+ kv-cache-dtype = fp8\n+ gpu-memory-utilization = higher\n"
     "+ tensor-parallel-size = more GPUs, or a smaller checkpoint\n- gpu-memory-utilization\n- max-num-seqs = lower\n"
     "- swap-space = more\n"},
    {BEGUN("0.17.1") LOADED POOL("8.41") ONE_REQUEST, KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN,
     "+ max-model-len = 34432\n+ kv-cache-dtype = fp8\n+ gpu-memory-utilization = higher\n"
     "+ tensor-parallel-size = more GPUs, or a smaller checkpoint\n- gpu-memory-utilization\n- max-num-seqs = lower\n"
     "- swap-space = more\n- enforce-eager = true\n"},
    // The cache has its share by then, and takes what weights, length or format give back (issues 17549 and 11251).
    {BEGUN("0.20.0") SIZED ERROR "    cuda_graph_memory_bytes = self.model_runner.capture_model()\n" ERROR OOM,
     KVB_FAILURE_OOM_GRAPH,
     "+ gpu-memory-utilization\n+ max-cudagraph-capture-size = 64\n+ enforce-eager = true\n"
     "- VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS = 0\n- quantization = any, or more GPUs\n- max-model-len = shorter\n"
     "- kv-cache-dtype = fp8\n"},
    {BEGUN("0.19.0") SIZED ERROR "    cuda_graph_memory_bytes = self.model_runner.capture_model()\n" ERROR OOM,
     KVB_FAILURE_OOM_GRAPH,
     "+ gpu-memory-utilization\n+ VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS = 1\n+ max-cudagraph-capture-size = 64\n"
     "+ enforce-eager = true\n- quantization = any, or more GPUs\n- max-model-len = shorter\n"
     "- kv-cache-dtype = fp8\n"},
    // The message's own advice. Behind the pool both help; inside profile_run only the first (issue 15105).
    {BEGUN("0.20.0") CAPTURED SAMPLER, KVB_FAILURE_OOM_SAMPLER,
     "+ max-num-seqs = 64\n+ gpu-memory-utilization = lower\n- max-model-len = shorter\n"
     "- quantization = any, or more GPUs\n- enforce-eager = true\n"},
    {BEGUN("0.20.0") LOADED SAMPLER, KVB_FAILURE_OOM_SAMPLER,
     "+ max-num-seqs = 64\n- gpu-memory-utilization = lower\n- max-model-len = shorter\n"
     "- quantization = any, or more GPUs\n- enforce-eager = true\n"},
    // PyTorch's own advice is for memory that is reserved and not allocated: 100 MiB of 256 are no such case (issue
    // 12529), 4 GiB beside 72 are.
    {BEGUN("0.20.0") READY ERROR OOM, KVB_FAILURE_OOM_SERVING,
     "+ gpu-memory-utilization\n+ max-num-batched-tokens = lower\n+ max-num-seqs = lower\n"
     "- PYTORCH_CUDA_ALLOC_CONF = expandable_segments:True\n- quantization = any, or more GPUs\n"
     "- max-model-len = shorter\n"},
    {BEGUN("0.20.0") READY ERROR OOM_WITH("72.00 GiB", "4.00 GiB"), KVB_FAILURE_OOM_SERVING,
     "+ gpu-memory-utilization\n+ max-num-batched-tokens = lower\n+ max-num-seqs = lower\n"
     "+ PYTORCH_CUDA_ALLOC_CONF = expandable_segments:True\n- quantization = any, or more GPUs\n"
     "- max-model-len = shorter\n"},
    // Memory appeared while it was measured, so none was short: no size helps, but a stated one measures nothing. There
    // is no V0 from 0.11.0 on. Up to 0.15.1 the comparison in determine_available_memory was strict.
    {BEGUN("0.11.0") LOADED RACE("82.94", "90.17"), KVB_FAILURE_PROFILING_ASSERTION,
     "+ retry = when the GPU is quiet\n+ other processes = none, or started one after the other\n"
     "+ kv-cache-memory-bytes = the size wanted\n- VLLM_USE_V1 = 0\n- gpu-memory-utilization = lower\n"
     "- enforce-eager = true\n- enable-prefix-caching = false\n"},
    {BEGUN("0.11.0") LOADED RACE("82.94", "82.94"), KVB_FAILURE_PROFILING_ASSERTION,
     "+ engine = 0.16.0 or later\n+ other processes = none, or started one after the other\n"
     "+ kv-cache-memory-bytes = the size wanted\n- VLLM_USE_V1 = 0\n- gpu-memory-utilization = lower\n"
     "- enforce-eager = true\n- enable-prefix-caching = false\n"},
    {BEGUN("0.9.1") LOADED RACE("82.94", "90.17"), KVB_FAILURE_PROFILING_ASSERTION,
     "+ retry = when the GPU is quiet\n+ other processes = none, or started one after the other\n"
     "- gpu-memory-utilization = lower\n- enforce-eager = true\n- enable-prefix-caching = false\n"},
};

// ---- SGLang: model_executor, managers and mem_cache of srt

#define SGLANG_BEGUN                                                                                                   \
    "[2025-12-01 10:00:00] server_args=ServerArgs(model_path='Qwen/Qwen3-32B', mem_fraction_static=0.874)\n"           \
    "[2025-12-01 10:00:01] Init torch distributed begin.\n"                                                            \
    "[2025-12-01 10:00:02] Load weight begin. avail mem=78.60 GB\n"
#define SGLANG_LOADED                                                                                                  \
    SGLANG_BEGUN "[2025-12-01 10:01:02] Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail "          \
                 "mem=17.40 GB, mem usage=61.20 GB.\n"
#define SGLANG_SIZED                                                                                                   \
    SGLANG_LOADED "[2025-12-01 10:01:03] KV Cache is allocated. #tokens: 30000, K size: 3.66 GB, V size: 3.66 GB\n"    \
                  "[2025-12-01 10:01:03] Memory pool end. avail mem=9.57 GB\n"
#define SGLANG_READY                                                                                                   \
    SGLANG_SIZED "[2025-12-01 10:01:20] max_total_num_tokens=30000, chunked_prefill_size=8192, "                       \
                 "max_prefill_tokens=16384, max_running_requests=2048, context_len=40960, available_gpu_mem=8.50 GB\n" \
                 "[2025-12-01 10:01:30] The server is fired up and ready to roll!\n"

static const struct scene sglang[] = {
    // The fraction sizes the pool once the weights are there (profile_max_num_token).
    {SGLANG_BEGUN OOM, KVB_FAILURE_OOM_LOAD,
     "+ tp-size = more GPUs, or a quantised checkpoint\n- mem-fraction-static = lower\n"},
    // pool_configurator.py: its own advice; issue 322 is about the contrary one.
    {SGLANG_LOADED "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: "
                   "mem_fraction_static=0.7\n",
     KVB_FAILURE_NEGATIVE_KV,
     "+ mem-fraction-static = higher\n+ tp-size = more GPUs, or a quantised checkpoint\n"
     "- mem-fraction-static = lower\n"},
    // "Possible solutions" 1 and 2 of the message itself.
    {SGLANG_SIZED
     "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 1.16 GiB.\nPossible "
     "solutions:\n1. set --mem-fraction-static to a smaller value (e.g., 0.8 or 0.7)\n2. set --cuda-graph-max-bs "
     "to a smaller value (e.g., 16)\n",
     KVB_FAILURE_OOM_GRAPH, "+ mem-fraction-static = lower\n+ cuda-graph-max-bs = 16\n- context-length = shorter\n"},
    // hyperparameter_tuning.mdx, "Avoid out-of-memory errors": all three.
    {SGLANG_READY OOM, KVB_FAILURE_OOM_SERVING,
     "+ mem-fraction-static = lower\n+ chunked-prefill-size = smaller\n+ max-running-requests = lower\n"
     "- PYTORCH_CUDA_ALLOC_CONF = expandable_segments:True\n"},
    // mem_cache/allocation.py; the same page raises --schedule-conservativeness to 1.3 where the pool is full. Graphs
    // and
    // prefills are beside the pool: "model weights + KV cache pool + CUDA graph buffers + activations".
    {SGLANG_READY "RuntimeError: Prefill out of memory. Try to lower your batch size.\nTry to allocate 1034 tokens.\n",
     KVB_FAILURE_OTHER,
     "+ schedule-conservativeness = 1.3 or more\n+ mem-fraction-static = higher\n+ kv-cache-dtype = fp8_e4m3\n"
     "+ max-running-requests = lower\n- mem-fraction-static = lower\n- cuda-graph-max-bs = any\n"},
    // schedule_batch.py: the pool cannot hold one request.
    {SGLANG_READY "ValueError: Failed to retract any request. No space left for only one request.\n",
     KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, "+ context-length = shorter\n+ mem-fraction-static = higher\n"},
};

// ---- llama.cpp: src/llama-model.cpp, llama-kv-cache.cpp, llama-context.cpp; tools/server/README.md says of each flag
// what it holds: "max. number of layers to store in VRAM", "physical maximum batch size", "size of the prompt context"

#define DEVICE                                                                                                         \
    "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 4090) - 23000 MiB free\n"                 \
    "llama_model_loader: loaded meta data with 29 key-value pairs and 291 tensors from a.gguf (version GGUF V3 "       \
    "(latest))\n"
#define CUDA_MALLOC                                                                                                    \
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 21000.00 MiB on device 0: cudaMalloc failed: out of "      \
    "memory\n"
#define LAYERS                                                                                                         \
    "load_tensors: offloaded 33/33 layers to GPU\n"                                                                    \
    "load_tensors:        CUDA0 model buffer size =  4096.00 MiB\n"
#define CACHE "llama_kv_cache:      CUDA0 KV buffer size = 16384.00 MiB\n"
#define NO_WEIGHTS                                                                                                     \
    CUDA_MALLOC "alloc_tensor_range: failed to allocate CUDA0 buffer of size 22020096000\n"                            \
                "llama_model_load: error loading model: unable to allocate CUDA0 buffer\n"
#define NO_CACHE                                                                                                       \
    CUDA_MALLOC                                                                                                        \
    "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache\n"
#define NO_BUFFERS                                                                                                     \
    CUDA_MALLOC "ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 22020096000\n"                        \
                "graph_reserve: failed to allocate compute buffers\n"

#define STATED                                                                                                         \
    "llama_params_fit: failed to fit params to free device memory: n_gpu_layers already set by user to 99, abort\n"

static const struct scene llamacpp[] = {
    {DEVICE NO_WEIGHTS, KVB_FAILURE_OOM_LOAD, "+ n-gpu-layers = fewer\n- ctx-size = shorter\n"},
    {DEVICE LAYERS NO_CACHE, KVB_FAILURE_OOM_GRAPH, "+ ctx-size = shorter\n+ cache-type-k = q8_0\n"},
    // common/fit.cpp: what was stated is not fitted
    {STATED DEVICE NO_WEIGHTS, KVB_FAILURE_OOM_LOAD,
     "+ n-gpu-layers = left out\n+ n-gpu-layers = fewer\n- ctx-size = shorter\n"},
    {STATED DEVICE LAYERS NO_CACHE, KVB_FAILURE_OOM_GRAPH,
     "+ n-gpu-layers = left out\n+ ctx-size = shorter\n+ cache-type-k = q8_0\n"},
    {STATED DEVICE LAYERS CACHE NO_BUFFERS, KVB_FAILURE_OOM_PROFILE,
     "+ n-gpu-layers = left out\n+ ubatch-size = smaller\n+ ctx-size = shorter\n+ n-gpu-layers = fewer\n"},
    {DEVICE LAYERS CACHE NO_BUFFERS, KVB_FAILURE_OOM_PROFILE,
     "+ ubatch-size = smaller\n+ ctx-size = shorter\n+ n-gpu-layers = fewer\n"},
    {DEVICE LAYERS CACHE "main: server is listening on http://127.0.0.1:8080\n"
                         "prompt eval time =     10.00 ms /     5 tokens\n" CUDA_MALLOC,
     KVB_FAILURE_OOM_SERVING, "+ ctx-size = shorter\n+ n-gpu-layers = fewer\n"},
};

// ---- Ollama: envconfig/config.go ("Reserve a portion of VRAM per GPU (bytes)", "Quantization type for the K/V cache",
// "Maximum number of loaded models per GPU") and docs/faq.mdx: memory grows with the context times OLLAMA_NUM_PARALLEL

#define OLLAMA                                                                                                         \
    "time=2025-08-01T00:00:00.000Z level=INFO source=routes.go:1304 msg=\"Listening on 127.0.0.1:11434 (version "      \
    "0.9.6)\"\n"                                                                                                       \
    "time=2025-08-01T00:00:01.000Z level=INFO source=server.go:438 msg=\"starting llama server\" cmd=\"/x\"\n" DEVICE

static const struct scene ollama[] = {
    {OLLAMA NO_WEIGHTS, KVB_FAILURE_OOM_LOAD,
     "+ num_gpu = fewer layers\n+ OLLAMA_GPU_OVERHEAD = bytes to leave free\n+ num_ctx = shorter\n"},
    {OLLAMA LAYERS NO_CACHE, KVB_FAILURE_OOM_GRAPH, "+ num_ctx = shorter\n+ OLLAMA_KV_CACHE_TYPE = q8_0\n"},
    {OLLAMA LAYERS CACHE NO_BUFFERS, KVB_FAILURE_OOM_PROFILE,
     "+ num_ctx = shorter\n+ OLLAMA_GPU_OVERHEAD = bytes to leave free\n"},
    {OLLAMA LAYERS CACHE "time=2025-08-01T00:00:05.000Z level=INFO source=server.go:637 msg=\"llama runner started in "
                         "2.51 seconds\"\n" CUDA_MALLOC,
     KVB_FAILURE_OOM_SERVING, "+ num_ctx = shorter\n+ OLLAMA_MAX_LOADED_MODELS = 1\n"},
};

// ---- TGI 3.3.7: server/text_generation_server/models/flash_causal_lm.py (warmup), backends/v3/src/lib.rs and
// docs/source/reference/launcher.md

#define TGI                                                                                                            \
    "2025-12-01T10:00:00.000000Z  INFO text_generation_launcher: Args {\n"                                             \
    "2025-12-01T10:00:00.100000Z  INFO text_generation_launcher: Sharding model on 2 processes\n"                      \
    "2025-12-01T10:00:05.000000Z  INFO text_generation_launcher: Waiting for shard to be ready... rank=0\n"
#define TGI_SIZED TGI "2025-12-01T10:01:05.000000Z  INFO text_generation_launcher: KV-cache blocks: 20480, size: 1\n"

static const struct scene tgi[] = {
    {TGI OOM, KVB_FAILURE_OOM_LOAD,
     "+ num-shard = more GPUs\n+ quantize = a quantised checkpoint\n- max-batch-prefill-tokens = lower\n"},
    // "You need to decrease `--max-batch-prefill-tokens`", which is max_input_tokens + 50 unless stated
    {TGI "RuntimeError: Not enough memory to handle 4096 prefill tokens. You need to decrease "
         "`--max-batch-prefill-tokens`\n",
     KVB_FAILURE_OOM_PROFILE, "+ max-batch-prefill-tokens = lower\n+ max-total-tokens = lower\n"},
    {TGI "Error: Backend(Warmup(NotEnoughMemory(8192)))\nNot enough memory to handle `max_total_tokens=8192`\n",
     KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, "+ max-total-tokens = lower\n"},
    // "Use "0" to disable", "Limit the CUDA available memory"
    {TGI_SIZED OOM, KVB_FAILURE_OOM_GRAPH, "+ cuda-graphs = 0\n+ cuda-memory-fraction = lower\n"},
    {TGI_SIZED "2025-12-01T10:01:25.000000Z  INFO text_generation_router_v3: backends/v3/src/lib.rs:125: Setting max "
               "batch total tokens to 20480\n" OOM,
     KVB_FAILURE_OOM_SERVING,
     "+ max-batch-prefill-tokens = lower\n+ cuda-memory-fraction = lower\n"
     "- PYTORCH_CUDA_ALLOC_CONF = expandable_segments:True\n"},
};

// ---- TensorRT-LLM: tuning_knobs of tensorrt_llm/_torch/pyexecutor/py_executor_creator.py

#define TENSORRT(component)                                                                                            \
    "[TensorRT-LLM] TensorRT-LLM version: 1.0.0\n"                                                                     \
    "[12/01/2025-10:00:00] [TRT-LLM] [E] Executor creation failed due to insufficient GPU memory.\n\n"                 \
    "The following component could not be created: " component "\nTotal GPU memory (GiB): 79.25\n"                     \
    "Free GPU memory before component creation attempt (GiB): 1.25\n"

static const struct scene tensorrt[] = {
    // "reduce max_num_tokens and/or shard the model weights across GPUs"; the cache is another component, made later
    {TENSORRT("Model"), KVB_FAILURE_OOM_LOAD,
     "+ tp_size = more GPUs, or a quantised checkpoint\n+ max_num_tokens = lower\n"
     "- kv_cache_config.free_gpu_memory_fraction = lower\n"},
    {TENSORRT("Draft model for speculative decoding"), KVB_FAILURE_OOM_LOAD,
     "+ tp_size = more GPUs, or a quantised checkpoint\n+ max_num_tokens = lower\n"
     "- kv_cache_config.free_gpu_memory_fraction = lower\n"},
    // "reduce max_num_tokens"; it writes "KV Cache" since its names are in a table
    {TENSORRT("Initial KV cache (temporary for KV cache size estimation)"), KVB_FAILURE_OOM_PROFILE,
     "+ max_num_tokens = lower\n+ max_batch_size = lower\n"},
    {TENSORRT("Initial KV Cache (temporary for KV cache size estimation)"), KVB_FAILURE_OOM_PROFILE,
     "+ max_num_tokens = lower\n+ max_batch_size = lower\n"},
    {TENSORRT("Additional executor resources (temporary for KV cache size estimation)"), KVB_FAILURE_OOM_PROFILE,
     "+ max_num_tokens = lower\n+ max_batch_size = lower\n"},
    {TENSORRT("Model resources created during usage"), KVB_FAILURE_OOM_PROFILE,
     "+ max_num_tokens = lower\n+ max_batch_size = lower\n"}, // configure_kv_cache_capacity, which runs the model
    // what the message names counts more than how far the lines before it were
    {"[TRT-LLM] [I] Memory used after loading model weights (inside torch) in memory usage profiling: 7.50 "
     "GiB\n" TENSORRT("KV cache"),
     KVB_FAILURE_OOM_GRAPH,
     "+ kv_cache_config.free_gpu_memory_fraction = lower\n+ max_batch_size = lower\n+ max_num_tokens = lower\n"},
    // "reduce free_gpu_memory_fraction", and of what comes behind it "reduce max_num_tokens"
    {TENSORRT("KV cache"), KVB_FAILURE_OOM_GRAPH,
     "+ kv_cache_config.free_gpu_memory_fraction = lower\n+ max_batch_size = lower\n+ max_num_tokens = lower\n"},
    {TENSORRT("Additional executor resources"), KVB_FAILURE_OOM_GRAPH,
     "+ kv_cache_config.free_gpu_memory_fraction = lower\n+ max_batch_size = lower\n+ max_num_tokens = lower\n"},
    {"[TensorRT-LLM] TensorRT-LLM version: 1.0.0\n"
     "model_lifecycle.cc:849] \"successfully loaded 'tensorrt_llm'\"\n" OOM,
     KVB_FAILURE_OOM_SERVING, "+ kv_cache_config.free_gpu_memory_fraction = lower\n"},
    {"[TensorRT-LLM] TensorRT-LLM version: 1.0.0\n"
     "[TensorRT-LLM][ERROR] Assertion failed: maxTokensInPagedKvCache (1) must be large enough to process at least 1 "
     "sequence to completion\n",
     KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN,
     "+ max_seq_len = lower\n+ kv_cache_config.free_gpu_memory_fraction = higher\n"},
    // calculate_max_num_blocks: the fraction is of what the weights leave, and nothing is left of a card they fill
    {"[TensorRT-LLM] TensorRT-LLM version: 1.0.0\n"
     "[12/01/2025-10:00:00] [TRT-LLM] [I] Estimated max memory in KV cache : -1.50 GiB\n",
     KVB_FAILURE_NEGATIVE_KV, "+ tp_size = more GPUs, or a quantised checkpoint\n"},
};

// ---- LMDeploy: docs/en/faq.md ("please pass --cache-max-entry-count to decrease k/v cache memory ratio") and
// pytorch/engine/executor/base.py, which halves max_prefill_token_num until the runtime fits and sizes the cache as
// cache_max_entry_count of what is free behind it

#define TURBOMIND "[TM][INFO] [BlockManager] block_size = 2.000 MB\n"
#define TURBOMIND_OOM "[TM][ERROR] CUDA runtime error: out of memory /lmdeploy/src/turbomind/utils/allocator.h:232\n"

static const struct scene lmdeploy[] = {
    {"RuntimeError: No enough gpu memory for kv cache.\n", KVB_FAILURE_NEGATIVE_KV,
     "+ cache-max-entry-count = higher\n"},
    {"RuntimeError: No enough gpu memory for runtime.\n", KVB_FAILURE_OOM_PROFILE,
     "+ max-prefill-token-num = lower\n+ cache-max-entry-count = lower\n"},
    // pytorch/weight_loader/model_weight_loader.py; get_started.md: "tp", and the share of the cache
    {"  File \"/opt/py3/lib/python3.10/site-packages/lmdeploy/pytorch/weight_loader/model_weight_loader.py\", line "
     "167, in "
     "load_model_weights\n" OOM,
     KVB_FAILURE_OOM_LOAD, "+ tp = more GPUs, or a quantised checkpoint\n+ cache-max-entry-count = lower\n"},
    {TURBOMIND "[TM][INFO] [BlockManager] max_block_count = 640\n" TURBOMIND_OOM, KVB_FAILURE_OOM_GRAPH,
     "+ cache-max-entry-count = lower\n"},
    {TURBOMIND
     "[TM][INFO] [BlockManager] max_block_count = 640\nINFO:     Application startup complete.\n" TURBOMIND_OOM,
     KVB_FAILURE_OOM_SERVING, "+ cache-max-entry-count = lower\n"},
};

// ---- Nobody's flags: a program of PyTorch's, of which only its traceback is there

#define FRAME(function) "  File \"/app/serve.py\", line 7, in " function "\n"

static const struct scene unknown[] = {
    {FRAME("load_model") OOM, KVB_FAILURE_OOM_LOAD, "+ model = smaller or quantised, or more GPUs\n"},
    {FRAME("profile_run") OOM, KVB_FAILURE_OOM_PROFILE, "+ batch = smaller\n"},
    {FRAME("capture") "    with torch.cuda.graph(graph):\n" OOM, KVB_FAILURE_OOM_GRAPH, "+ KV cache = smaller\n"},
    {"INFO:     Application startup complete.\n" OOM, KVB_FAILURE_OOM_SERVING,
     "+ batch and length = smaller\n- PYTORCH_CUDA_ALLOC_CONF = expandable_segments:True\n"},
};

static char line[256];

static const char *line_of(const struct kvb_remedy *remedy, bool with_to)
{
    (void)snprintf(line, sizeof line, "%c %s%s%s\n", remedy->works ? '+' : '-', remedy->setting, with_to ? " = " : "",
                   with_to ? remedy->to : "");
    return line;
}

// How often a whole line stands in the text.
static unsigned times(const char *text, const char *wanted)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at++) {
        count += at == text || at[-1] == '\n';
    }
    return count;
}

static void check_scene(const struct scene *scene)
{
    struct kvb_log_report *report = read_log(scene->log);
    struct kvb_log_given given;
    unsigned wanted = times(scene->said, "+ ") + times(scene->said, "- ");
    kvb_log_given_init(&given);
    kvb_log_explain(report, &given);
    if (report->failure.kind != scene->kind) {
        fail_msg("'%s' is %s", scene->log, kvb_failure_name(report->failure.kind));
    }
    bool same = report->remedy_count == wanted;
    for (uint32_t i = 0; i < report->remedy_count; i++) {
        same &= times(scene->said, line_of(&report->remedies[i], true)) == 1 ||
                times(scene->said, line_of(&report->remedies[i], false)) == 1;
    }
    for (uint32_t i = 0; !same && i < report->remedy_count; i++) {
        print_message("%s", line_of(&report->remedies[i], true));
    }
    if (!same) {
        fail_msg("that is said, and not '%s' of '%s'", scene->said, scene->log);
    }
}

#define EACH(name)                                                                                                     \
    static void each_of_##name(void **state)                                                                           \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        for (size_t i = 0; i < sizeof(name) / sizeof(name)[0]; i++) {                                                  \
            check_scene(&(name)[i]);                                                                                   \
        }                                                                                                              \
    }

EACH(vllm)
EACH(sglang)
EACH(llamacpp)
EACH(ollama)
EACH(tgi)
EACH(tensorrt)
EACH(lmdeploy)
EACH(unknown)

KVB_TEST_MAIN(cmocka_unit_test(each_of_vllm), cmocka_unit_test(each_of_sglang), cmocka_unit_test(each_of_llamacpp),
              cmocka_unit_test(each_of_ollama), cmocka_unit_test(each_of_tgi), cmocka_unit_test(each_of_tensorrt),
              cmocka_unit_test(each_of_lmdeploy), cmocka_unit_test(each_of_unknown))
