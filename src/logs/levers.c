// Which knob acts at which stage of a start, and which popular ones do not.
#include "logs/levers.h"

#include <string.h>

#define VLLM (1U << KVB_LOG_VLLM)
#define SGLANG (1U << KVB_LOG_SGLANG)
#define LLAMACPP (1U << KVB_LOG_LLAMACPP)
#define OLLAMA (1U << KVB_LOG_OLLAMA)
#define TGI (1U << KVB_LOG_TGI)
#define TENSORRT (1U << KVB_LOG_TENSORRT)
#define LMDEPLOY (1U << KVB_LOG_LMDEPLOY)
#define UNKNOWN (1U << KVB_LOG_UNKNOWN_ENGINE)
#define PYTORCH (VLLM | SGLANG | TGI | UNKNOWN) // those whose memory PyTorch's allocator hands out
#define EVERY (~0U)

const struct kvb_lever_row kvb_lever_rows[] = {
    // nothing left for the KV cache
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "mm-processor-kwargs", "{\"max_pixels\": ...}", true,
     "the profiling run encodes items of the largest size; a pixel maximum makes that peak smaller"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "limit-mm-per-prompt", "{\"image\": 0, \"video\": 0}", true,
     "a modality that is switched off is not profiled; set to 0 only what no request uses"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "limit-mm-per-prompt", "1 instead of 2", false,
     "the encoder peak follows the largest single item, not the count"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_MULTIMODAL, "max-num-batched-tokens", "lower", false,
     "the encoder budget is raised to the largest item whatever this says"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_TEXT, "max-num-batched-tokens", "lower", true,
     "the profiling peak grows with it, and what the peak gives back becomes KV cache"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_ALWAYS, "model",
     "smaller or quantised, or more GPUs (tensor-parallel-size)", true,
     "weights are the largest term; what they give back becomes KV cache"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_GRAPHS_FREE, "enforce-eager", "true", false,
     "this release does not charge CUDA graphs to the request, so nothing is given back"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_OTHERS_CHARGED, "gpu-memory-utilization", "share of both servers together",
     true,
     "this release charges the memory of other processes: a second server must state the first one's share plus its "
     "own"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false,
     "length decides how much one request needs, not how much is left; nothing is left at any length"},
    {KVB_FAILURE_NEGATIVE_KV, VLLM, KVB_WHEN_ALWAYS, "kv-cache-dtype", "fp8", false,
     "makes tokens smaller, but there is no memory to put them in"},
    {KVB_FAILURE_NEGATIVE_KV, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "higher", true,
     "weights and pool share this fraction of the memory that was free before loading; it must exceed the weights' "
     "share"},
    {KVB_FAILURE_NEGATIVE_KV, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", false,
     "right for an OOM in capture or serving; here it takes the pool away"},
    {KVB_FAILURE_NEGATIVE_KV, SGLANG, KVB_WHEN_ALWAYS, "tp-size", "more GPUs, or a quantised checkpoint", true,
     "smaller weights on each GPU leave more of the fraction to the pool"},
    {KVB_FAILURE_NEGATIVE_KV, 1U << KVB_LOG_LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "higher", true,
     "the cache gets this share of what is free after the weights"},
    // too small for one request
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, VLLM, KVB_WHEN_ALWAYS, "max-num-seqs", "lower", false,
     "the check is about one request; fewer of them need no less"},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, VLLM, KVB_WHEN_ALWAYS, "swap-space", "more", false,
     "swapped blocks are in host memory; the check counts GPU memory, and V1 never swaps"},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, VLLM, KVB_WHEN_GRAPHS_FREE, "enforce-eager", "true", false,
     "this release does not charge CUDA graphs to the request"},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, TGI, KVB_WHEN_ALWAYS, "max-total-tokens", "lower", true,
     "one request may take no more tokens than the cache holds"},
    // less free than asked for
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false,
     "the gate compares free memory with utilization x total before the model is looked at"},
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_ALWAYS, "quantization", "any", false,
     "the gate runs before the model is looked at"},
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", false,
     "the gate runs before any graph exists"},
    {KVB_FAILURE_FREE_LESS_THAN_REQUESTED, VLLM, KVB_WHEN_KV_BYTES, "kv-cache-memory-bytes", "any", false,
     "alone it does not pass the gate: utilization is still compared with what is free"},
    // assertion while profiling
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_STRICT_ASSERTION, "engine", "0.16.0 or later", true,
     "nothing was freed: this release refuses even unchanged figures, later ones do not"},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "other processes", "none, or started one after the other",
     true,
     "the check fails because somebody else freed memory meanwhile; isolate the GPU or start again when it is quiet"},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_KV_BYTES, "kv-cache-memory-bytes", "the size wanted", true,
     "a stated size skips the memory profiling and with it this check"},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_V0_GONE, "VLLM_USE_V1", "0", false,
     "from 0.11.0 on there is no V0 engine to fall back to; a start that then worked was the retry"},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "gpu-memory-utilization", "lower", false,
     "no size is short: the check is about memory that appeared, not about memory that is missing"},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "enforce-eager", "true", false,
     "the check runs before graphs; a start that then worked was the retry"},
    {KVB_FAILURE_PROFILING_ASSERTION, EVERY, KVB_WHEN_ALWAYS, "enable-prefix-caching", "false", false,
     "prefix caching shares blocks, it does not change what is measured"},
    // loading
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "tensor-parallel-size", "more GPUs", true,
     "each GPU then loads a part of the weights"},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "model", "smaller, or a checkpoint that is quantised already", true,
     "online quantisation still loads the full size first"},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "cpu-offload-gb", "the missing part", true,
     "keeps that much of the weights in host memory, at a high price in speed"},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "gpu-memory-utilization", "lower", false,
     "no KV cache is reserved yet and nothing limits the loader; the value has no effect here, whatever the message "
     "says"},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false, "weights do not depend on it"},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "max-num-seqs", "lower", false, "weights do not depend on it"},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", false, "no graph exists yet"},
    {KVB_FAILURE_OOM_LOAD, VLLM, KVB_WHEN_NOT_FRAGMENTED, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", false,
     "little is reserved but unallocated, so there is nothing to defragment"},
    {KVB_FAILURE_OOM_LOAD, SGLANG, KVB_WHEN_ALWAYS, "tp-size", "more GPUs, or a quantised checkpoint", true,
     "each GPU then loads less"},
    {KVB_FAILURE_OOM_LOAD, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", false,
     "the fraction sizes the pool, which does not exist yet"},
    {KVB_FAILURE_OOM_LOAD, LLAMACPP, KVB_WHEN_LAYERS_STATED, "n-gpu-layers", "left out", true,
     "it then places what fits into free memory by itself"},
    {KVB_FAILURE_OOM_LOAD, LLAMACPP, KVB_WHEN_ALWAYS, "n-gpu-layers", "fewer", true,
     "layers left out stay in host memory"},
    {KVB_FAILURE_OOM_LOAD, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", false,
     "the weights did not fit; the cache comes later"},
    // profiling
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "mm-processor-kwargs", "{\"max_pixels\": ...}", true,
     "the profiling run encodes items of the largest size"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "limit-mm-per-prompt", "fewer, 0 for what no request uses",
     true, "older releases profile as many items as are allowed; 0 removes the encoder's part"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "max-num-seqs", "lower", true,
     "releases with one dummy item per sequence (Mllama) profile that many"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_MULTIMODAL, "skip-mm-profiling", "true", false,
     "starts, but moves the same peak into the first large request"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "max-num-batched-tokens", "lower", true,
     "the profiling run is one batch of that many tokens"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "tensor-parallel-size", "more GPUs", true,
     "weights and activations are split"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "gpu-memory-utilization", "lower", false,
     "nothing is reserved yet; the profiling run takes what it takes at any value"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false,
     "with chunked prefill the batch is bounded by max-num-batched-tokens; it helps only where chunked prefill is off"},
    {KVB_FAILURE_OOM_PROFILE, VLLM, KVB_WHEN_ALWAYS, "kv-cache-dtype", "fp8", false, "there is no KV cache yet"},
    {KVB_FAILURE_OOM_PROFILE, LLAMACPP, KVB_WHEN_LAYERS_STATED, "n-gpu-layers", "left out", true,
     "it then places what fits into free memory by itself"},
    {KVB_FAILURE_OOM_PROFILE, LLAMACPP, KVB_WHEN_ALWAYS, "ubatch-size", "smaller", true,
     "the compute buffer grows with it"},
    {KVB_FAILURE_OOM_PROFILE, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", true,
     "a smaller KV cache leaves room for the compute buffer"},
    {KVB_FAILURE_OOM_PROFILE, LLAMACPP, KVB_WHEN_ALWAYS, "n-gpu-layers", "fewer", true, "leaves room on the device"},
    {KVB_FAILURE_OOM_PROFILE, TGI, KVB_WHEN_ALWAYS, "max-batch-prefill-tokens", "lower", true,
     "the warm-up prefills that many tokens at once"},
    // KV cache allocation and capture
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "max-cudagraph-capture-size", "64", true,
     "fewer and smaller graphs are captured"},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", true,
     "no graphs at all, at a price in speed"},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "quantization", "any, or more GPUs", false,
     "whatever the weights give back goes into a larger KV cache; the same is free afterwards"},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false,
     "the KV cache fills its share at any length"},
    {KVB_FAILURE_OOM_GRAPH, VLLM, KVB_WHEN_ALWAYS, "kv-cache-dtype", "fp8", false, "same bytes, twice the tokens"},
    {KVB_FAILURE_OOM_GRAPH, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", true,
     "graphs live in what the fraction leaves; the opposite of the advice for a pool that is too small"},
    {KVB_FAILURE_OOM_GRAPH, SGLANG, KVB_WHEN_ALWAYS, "cuda-graph-max-bs", "16", true, "fewer graphs are captured"},
    {KVB_FAILURE_OOM_GRAPH, SGLANG, KVB_WHEN_ALWAYS, "context-length", "shorter", false,
     "the pool fills its share at any length"},
    {KVB_FAILURE_OOM_GRAPH, LLAMACPP, KVB_WHEN_LAYERS_STATED, "n-gpu-layers", "left out", true,
     "it then places what fits into free memory by itself"},
    {KVB_FAILURE_OOM_GRAPH, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", true,
     "the KV cache is the context times its layers"},
    {KVB_FAILURE_OOM_GRAPH, LLAMACPP, KVB_WHEN_ALWAYS, "cache-type-k", "q8_0", true,
     "halves the keys; likewise cache-type-v"},
    // sampler
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_NO_POOL, "gpu-memory-utilization", "lower", false,
     "the warm-up ran inside profiling, before any KV cache was reserved"},
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false,
     "the sampler sees one token of each sequence"},
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_ALWAYS, "quantization", "any, or more GPUs", false,
     "the KV cache takes what the weights give back"},
    {KVB_FAILURE_OOM_SAMPLER, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", false,
     "frees graphs only where they are outside the request; the KV cache takes them otherwise"},
    // fewer blocks than sequences
    {KVB_FAILURE_STATE_BLOCKS, VLLM, KVB_WHEN_ALWAYS, "enforce-eager", "true", true,
     "only graphs of whole steps ask for a block of each sequence; without them fewer run at once"},
    {KVB_FAILURE_STATE_BLOCKS, VLLM, KVB_WHEN_ALWAYS, "tensor-parallel-size", "more GPUs, or a smaller checkpoint",
     true, "what the weights give back becomes KV cache, and a rank's state is smaller"},
    {KVB_FAILURE_STATE_BLOCKS, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false,
     "a state block is as large at any length"},
    {KVB_FAILURE_STATE_BLOCKS, VLLM, KVB_WHEN_ALWAYS, "kv-cache-dtype", "fp8", false,
     "a block is as large as a state; it then holds more tokens, and there are no more of them"},
    // serving
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "max-num-batched-tokens", "lower", true,
     "smaller batches have smaller peaks"},
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "max-num-seqs", "lower", true,
     "fewer sequences at once need less workspace"},
    {KVB_FAILURE_OOM_SERVING, PYTORCH, KVB_WHEN_FRAGMENTED, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", true,
     "more is reserved but unallocated than was asked for: that is fragmentation"},
    {KVB_FAILURE_OOM_SERVING, PYTORCH, KVB_WHEN_NOT_FRAGMENTED, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True",
     false, "little is reserved but unallocated, so there is nothing to defragment"},
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "quantization", "any, or more GPUs", false,
     "without a lower utilization the KV cache takes what the weights give back"},
    {KVB_FAILURE_OOM_SERVING, VLLM, KVB_WHEN_ALWAYS, "max-model-len", "shorter", false,
     "the KV cache is reserved already and stays as large"},
    {KVB_FAILURE_OOM_SERVING, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "lower", true,
     "activations live in what the fraction leaves"},
    {KVB_FAILURE_OOM_SERVING, SGLANG, KVB_WHEN_ALWAYS, "chunked-prefill-size", "smaller", true,
     "smaller chunks have smaller peaks"},
    {KVB_FAILURE_OOM_SERVING, SGLANG, KVB_WHEN_ALWAYS, "max-running-requests", "lower", true,
     "fewer requests decode at once"},
    {KVB_FAILURE_OOM_SERVING, LLAMACPP, KVB_WHEN_ALWAYS, "ctx-size", "shorter", true, "leaves more of the device free"},
    {KVB_FAILURE_OOM_SERVING, LLAMACPP, KVB_WHEN_ALWAYS, "n-gpu-layers", "fewer", true, "leaves room on the device"},
    // Ollama: it chooses the layers itself, from what it thinks is free
    {KVB_FAILURE_OOM_LOAD, OLLAMA, KVB_WHEN_ALWAYS, "num_gpu", "fewer layers", true,
     "layers left out stay in host memory (PARAMETER num_gpu, or options.num_gpu of a request)"},
    {KVB_FAILURE_OOM_LOAD, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_GPU_OVERHEAD", "bytes to leave free", true,
     "its estimate was too low: this much is taken off every GPU before layers are placed"},
    {KVB_FAILURE_OOM_LOAD, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true,
     "a shorter context lets the estimate place what was too much"},
    {KVB_FAILURE_OOM_PROFILE, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true,
     "KV cache and compute buffer grow with it, times OLLAMA_NUM_PARALLEL"},
    {KVB_FAILURE_OOM_PROFILE, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_GPU_OVERHEAD", "bytes to leave free", true,
     "this much is taken off every GPU before layers are placed"},
    {KVB_FAILURE_OOM_GRAPH, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true,
     "the KV cache is the context, times OLLAMA_NUM_PARALLEL"},
    {KVB_FAILURE_OOM_GRAPH, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_KV_CACHE_TYPE", "q8_0", true,
     "halves the KV cache; needs OLLAMA_FLASH_ATTENTION=1"},
    {KVB_FAILURE_OOM_SERVING, OLLAMA, KVB_WHEN_ALWAYS, "num_ctx", "shorter", true, "leaves more of the device free"},
    {KVB_FAILURE_OOM_SERVING, OLLAMA, KVB_WHEN_ALWAYS, "OLLAMA_MAX_LOADED_MODELS", "1", true,
     "several models then never share the card"},
    // TGI
    {KVB_FAILURE_OOM_LOAD, TGI, KVB_WHEN_ALWAYS, "num-shard", "more GPUs", true, "each shard then loads a part"},
    {KVB_FAILURE_OOM_LOAD, TGI, KVB_WHEN_ALWAYS, "quantize", "a quantised checkpoint", true, "smaller weights"},
    {KVB_FAILURE_OOM_LOAD, TGI, KVB_WHEN_ALWAYS, "max-batch-prefill-tokens", "lower", false,
     "the weights did not fit; the warm-up comes later"},
    {KVB_FAILURE_OOM_PROFILE, TGI, KVB_WHEN_ALWAYS, "max-total-tokens", "lower", true,
     "max-batch-prefill-tokens may not be below the longest input: shorten both"},
    {KVB_FAILURE_OOM_GRAPH, TGI, KVB_WHEN_ALWAYS, "cuda-graphs", "0", true, "captures none, at a price in speed"},
    {KVB_FAILURE_OOM_GRAPH, TGI, KVB_WHEN_ALWAYS, "cuda-memory-fraction", "lower", true,
     "leaves memory outside the share the cache may take"},
    {KVB_FAILURE_OOM_SERVING, TGI, KVB_WHEN_ALWAYS, "max-batch-prefill-tokens", "lower", true,
     "smaller batches have smaller peaks"},
    {KVB_FAILURE_OOM_SERVING, TGI, KVB_WHEN_ALWAYS, "cuda-memory-fraction", "lower", true,
     "the cache takes less, and the peak has room"},
    // TensorRT-LLM
    {KVB_FAILURE_OOM_LOAD, TENSORRT, KVB_WHEN_ALWAYS, "tp_size", "more GPUs, or a quantised checkpoint", true,
     "each GPU then loads less"},
    {KVB_FAILURE_OOM_LOAD, TENSORRT, KVB_WHEN_ALWAYS, "max_num_tokens", "lower", true,
     "the model's buffers for one batch come with it"},
    {KVB_FAILURE_OOM_LOAD, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction", "lower", false,
     "the KV cache comes after the weights"},
    {KVB_FAILURE_OOM_PROFILE, TENSORRT, KVB_WHEN_ALWAYS, "max_num_tokens", "lower", true,
     "the estimate runs one batch of that many tokens"},
    {KVB_FAILURE_OOM_PROFILE, TENSORRT, KVB_WHEN_ALWAYS, "max_batch_size", "lower", true, "smaller buffers"},
    {KVB_FAILURE_OOM_GRAPH, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction", "lower", true,
     "the share of what is free after loading that the KV cache takes (0.9 unless stated)"},
    {KVB_FAILURE_OOM_GRAPH, TENSORRT, KVB_WHEN_ALWAYS, "max_batch_size", "lower", true,
     "buffers and graphs grow with it"},
    {KVB_FAILURE_OOM_GRAPH, TENSORRT, KVB_WHEN_ALWAYS, "max_num_tokens", "lower", true, "smaller activations"},
    {KVB_FAILURE_OOM_SERVING, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction", "lower", true,
     "leaves memory for what comes with requests"},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, TENSORRT, KVB_WHEN_ALWAYS, "max_seq_len", "lower", true,
     "the KV cache must hold one sequence of it"},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, TENSORRT, KVB_WHEN_ALWAYS, "kv_cache_config.free_gpu_memory_fraction",
     "higher", true, "or max_tokens higher where that was stated: the KV cache grows"},
    {KVB_FAILURE_NEGATIVE_KV, TENSORRT, KVB_WHEN_ALWAYS, "tp_size", "more GPUs, or a quantised checkpoint", true,
     "the weights leave nothing for the KV cache"},
    // LMDeploy
    {KVB_FAILURE_OOM_LOAD, LMDEPLOY, KVB_WHEN_ALWAYS, "tp", "more GPUs, or a quantised checkpoint", true,
     "each GPU then loads less"},
    {KVB_FAILURE_OOM_LOAD, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true,
     "where the weights just fit, the cache's share of what is left (0.8) leaves too little for the workspace"},
    {KVB_FAILURE_OOM_PROFILE, LMDEPLOY, KVB_WHEN_ALWAYS, "max-prefill-token-num", "lower", true,
     "the workspace grows with it"},
    {KVB_FAILURE_OOM_PROFILE, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true,
     "leaves more for the workspace"},
    {KVB_FAILURE_OOM_GRAPH, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true,
     "the cache gets a smaller share of what is free"},
    {KVB_FAILURE_OOM_SERVING, LMDEPLOY, KVB_WHEN_ALWAYS, "cache-max-entry-count", "lower", true,
     "leaves memory for what comes with requests"},
    // SGLang
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, SGLANG, KVB_WHEN_ALWAYS, "context-length", "shorter", true,
     "the pool must hold one request of it"},
    {KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN, SGLANG, KVB_WHEN_ALWAYS, "mem-fraction-static", "higher", true,
     "the pool is what this fraction leaves beside the weights"},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "mem-fraction-static", "higher", true,
     "what it adds becomes pool; it must leave room for graphs and prefills (available_gpu_mem in the log)"},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "kv-cache-dtype", "fp8_e4m3", true,
     "the same bytes hold twice the tokens, at a cost in accuracy without scales"},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "max-running-requests", "lower", true,
     "fewer requests share the pool, and the others wait"},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "mem-fraction-static", "lower", false,
     "right for CUDA out of memory; here it takes tokens from the pool"},
    {KVB_FAILURE_OTHER, SGLANG, KVB_WHEN_TOKENS_OUT, "cuda-graph-max-bs", "any", false, "graphs live outside the pool"},
    // nobody's flags: what holds for every engine
    {KVB_FAILURE_OOM_LOAD, UNKNOWN, KVB_WHEN_ALWAYS, "model", "smaller or quantised, or more GPUs", true,
     "the weights did not fit"},
    {KVB_FAILURE_OOM_SERVING, UNKNOWN, KVB_WHEN_ALWAYS, "batch and length", "smaller", true,
     "what comes with requests did not fit beside what is held"},
    {KVB_FAILURE_OOM_GRAPH, UNKNOWN, KVB_WHEN_ALWAYS, "KV cache", "smaller", true,
     "what was allocated after it did not fit"},
    {KVB_FAILURE_OOM_PROFILE, UNKNOWN, KVB_WHEN_ALWAYS, "batch", "smaller", true, "the largest batch did not fit"},
};

const size_t kvb_lever_row_count = sizeof kvb_lever_rows / sizeof kvb_lever_rows[0];

const char *kvb_share_lever(enum kvb_log_engine engine)
{
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
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].engine == engine) {
            return rows[i].setting;
        }
    }
    return "gpu-memory-utilization";
}

// What the settings of causes are called elsewhere.
static const struct {
    const char *setting;
    enum kvb_log_engine engine;
    const char *own;
} own_names[] = {
    {"tensor-parallel-size", KVB_LOG_SGLANG, "tp-size"},
    {"max-model-len", KVB_LOG_SGLANG, "context-length"},
    {"VLLM_USE_DEEP_GEMM", KVB_LOG_SGLANG, "SGLANG_ENABLE_JIT_DEEPGEMM"},
};

const char *kvb_own_setting(enum kvb_log_engine engine, const char *setting)
{
    for (size_t i = 0; i < sizeof own_names / sizeof own_names[0]; i++) {
        if (own_names[i].engine == engine && strcmp(own_names[i].setting, setting) == 0) {
            return own_names[i].own;
        }
    }
    return setting;
}
