// Between which releases of vLLM a line is written: the tags v0.1.0 to v0.27.1 in whose sources its words stand, first
// and last, counted tag by tag.
#include "log_text.h"
#include "logs/lines.h"
#include "unit/test.h"

#define V(minor, patch) KVB_RELEASE(0, minor, patch)

struct row {
    const char *line;
    uint32_t since, until; // 0 = from the first, to the last that was counted
};

static const struct row rows[] = {
    {"AssertionError: Error in memory profiling. This happens when the GPU memory was not properly cleaned up", V(4, 0),
     0},
    {"ValueError: Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single token.",
     V(14, 0), 0},
    {"ValueError: To serve at least one request with the model's max seq len (8192), (more)", V(7, 0), 0},
    {"Based on the available memory, the estimated maximum model length is 6144.", V(8, 4), 0},
    {"RuntimeError: it ran out when warming up sampler with 256 dummy requests. Please try lowering", V(8, 0), 0},
    {"RuntimeError: it ran out when warming up pooler (task=embed) with 256 dummy requests.", V(9, 2), 0},
    {"ERROR [gpu_model_runner.py:1] Failed to load model - not enough GPU memory. Try lowering it", V(13, 0), 0},
    {"Try lowering --gpu-memory-utilization to free memory for weights, increasing", V(13, 0), 0},
    {"RuntimeError: Aborted due to the lack of CPU swap space. Please increase", 0, V(10, 2)},
    {"ValueError: Too large swap space. 32.00 GiB out of the 40.00 GiB total CPU memory is allocated", 0, V(17, 1)},
    {"ValueError: Chunked MM input disabled but max_tokens_per_mm_item (4) is larger", V(8, 4), 0},
    {"ValueError: GPU memory utilization must be less than 1.0. Got 1.5.", 0, V(11, 0)},
    {"(EngineCore pid=9) INFO 03-04 05:06:07 [gpu_model_runner.py:1] Model loading took 8.25 GiB memory and 3.1 "
     "seconds",
     V(8, 0), 0},
    {"(Worker_TP0 pid=9) INFO 03-04 05:06:07 [gpu_worker.py:1] Available KV cache memory: -1.25 GiB", V(9, 1), 0},
    {"(EngineCore pid=9) INFO 03-04 05:06:07 [kv_cache_utils.py:1] GPU KV cache size: 12,352 tokens", V(8, 0), 0},
    {"INFO 03-04 05:06:07 [kv_cache_utils.py:1] Maximum concurrency for 4,096 tokens per request: 3.02x", V(6, 3), 0},
    {"INFO Multiplying the GPU KV cache size by the dcp_world_size 2.", V(10, 2), V(20, 0)},
    {"INFO Sleep mode freed 12.00 GiB memory, 1.50 GiB memory is still in use.", V(7, 0), 0},
    {"INFO CuMemAllocator: sleep freed 12.00 GiB memory in total, of which", V(11, 0), 0},
    {"INFO [PrefetchOffloader] Initialized 32 modules. Total GPU memory saved: 1.0 GB", V(17, 0), 0},
    {"INFO Total CPU offloaded parameters: 4.0", V(17, 0), 0},
    {"WARNING Possibly too large swap space. 32.00 GiB out of the 70.00 GiB total CPU memory is", 0, V(17, 1)},
    {"INFO [cache.py:1] Using fp8 data type to store kv cache. It reduces", V(3, 0), 0},
    {"the current vLLM instance can use 18.80GiB", V(6, 5), V(10, 2)},
    {"non_torch_memory takes 0.25GiB", V(6, 5), V(10, 2)},
    {"PyTorch activation peak memory takes 1.50GiB", V(6, 5), V(10, 2)},
    {"PyTorch activation peak memory    1.50GiB", V(6, 5), V(10, 2)},
    {"the rest of the memory reserved for KV Cache is 9.55GiB.", V(6, 5), V(10, 2)},
    {"Actual usage is 7.5 GiB for weight, 1.5 GiB for peak activation, 0.25 GiB for non-torch memory, and 0.5 GiB for "
     "CUDAGraph memory.",
     V(10, 2), V(26, 0)},
    {"Actual usage is 7.75 GiB for consumed memory (weights + non-torch), 1.5 GiB for peak activation, and 0.5 GiB for "
     "CUDAGraph memory.",
     V(27, 0), 0},
    {"Current kv cache memory in use is 9.55 GiB.", V(10, 2), 0},
    {"ValueError: Available memory on node 0 (2.5/7.77 GiB) on kv cache allocation is less than requested memory for kv "
     "(12.0 GiB). Decrease",
     V(20, 0), 0},
    {"INFO 03-04 05:06:07 [a.py:1] [shutdown] EngineCore: trigger received signal=SIGTERM", V(23, 0), 0},
    {"INFO 03-04 05:06:07 [a.py:1] [shutdown] API server: shutdown triggered", V(23, 0), 0},
    {"Replace config with `--kv-cache-memory=9000000000` to fit into requested memory", V(10, 2), V(10, 2)},
    {"or `--kv-cache-memory=9900000000` to fully utilize gpu memory.", V(10, 2), V(10, 2)},
    {"Replace config with `--kv-cache-memory=9000000000` (8.38 GiB) to fit into requested memory", V(11, 0), 0},
    {"or `--kv-cache-memory=9900000000` (9.22 GiB) to fully utilize gpu memory.", V(11, 0), 0},
    {"Initial free memory: 23.00 GiB; Requested memory: 0.80 (util), 18.80 GiB", V(10, 1), 0},
    {"INFO [gpu_worker.py:1] The current --gpu-memory-utilization=0.8000 is equivalent to "
     "--gpu-memory-utilization=0.7787 without CUDA graph memory profiling.",
     V(18, 0), 0},
    {"Engine 000: vllm cache_config_info with initialization after num_gpu_blocks is: 1200", V(9, 0), 0},
    {"Graph capturing finished in 12 secs, took 0.50 GiB", V(6, 4), 0},
    {"INFO [startup_plan.py:1] Applying persisted startup plan (fingerprint ab): kv_cache_memory_bytes=9000000000 "
     "(8.38 GiB)",
     V(26, 0), 0},
    {"(Worker_TP0 pid=9) INFO [gpu_model_runner.py:1] Estimated CUDA graph memory: 0.50 GiB total", V(18, 0), 0},
    {"INFO [gpu_worker.py:1] CUDA graph pool memory: 0.5 GiB (actual), 0.75 GiB (estimated), difference: 0.25 GiB",
     V(18, 0), 0},
    {"WARNING [gpu_worker.py:1] CUDA graph memory profiling is disabled (VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=0).",
     V(20, 0), 0},
    {"INFO 03-04 05:06:07 [model.py:1] Using max model len 4096", V(9, 2), 0},
    {"INFO 03-04 05:06:07 [config.py:1] Chunked prefill is enabled with max_num_batched_tokens=2048.", V(5, 3), 0},
    {"INFO [kv_cache_utils.py:1] Auto-fit max_model_len: reduced from 8192 to 4096 to fit in available GPU memory",
     V(14, 0), 0},
    {"WARNING [cuda.py:1] --cpu-offload-gb is enabled with CUDA graphs on WSL2.", V(24, 0), 0},
    {"WARNING [kv_cache_utils.py:1] Hybrid KV cache manager is disabled for this hybrid model, This means", V(9, 1), 0},
    {"WARNING [vllm.py:1] Turning off hybrid kv cache manager because `--kv-transfer-config` is set.", V(11, 1), 0},
    {"WARNING [kv_cache_utils.py:1] KV cache page sizes cannot be unified; treating sliding-window layers as full",
     V(27, 0), 0},
    {"INFO [config.py:1] Setting attention block size to 528 tokens to ensure that attention page size is >= mamba",
     V(10, 0), 0},
    {"WARNING [kv_cache_utils.py:1] Add 1 padding layers, may waste at most 2.50% KV cache memory", V(9, 1), 0},
    {"INFO [cuda.py:1] Forcing kv cache block size to 64 for FlashMLA backend.", V(8, 0), 0},
    {"INFO [gpu_model_runner.py:1] Skipping memory profiling for multimodal encoder and encoder cache.", V(10, 1), 0},
    {"INFO [gpu_model_runner.py:1] Encoder cache will be initialized with a budget of 4096 tokens, and profiled with 1",
     V(7, 0), 0},
    {"WARNING [scheduler.py:1] Sequence group 1 is preempted by RECOMPUTE mode because there is not enough KV cache "
     "space.",
     V(4, 3), V(10, 2)},
    {"INFO [backends.py:1] Directly load the compiled graph(s) for compile range (1, 2048) from the cache", V(7, 3), 0},
    {"Free memory on device cuda:0 (9.5/23.5 GiB) on startup is less than desired GPU memory utilization (0.8, 18.8 "
     "GiB).",
     V(14, 0), 0},
    {"ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing "
     "the engine.",
     V(1, 1), 0},
    {"Graph capturing finished in 12 secs.", V(2, 6), V(6, 3) + 1},
    {"INFO [backends.py:1] Compiling a graph for general shape takes 9.43 s", V(6, 5), 0},
    {"INFO [decorators.py:1] Directly load AOT compilation from path /root/.cache/model", V(11, 1), 0},
    {"WARNING [interface.py:1] Using 'pin_memory=False' as WSL is detected. This may slow down performance.", 0,
     V(23, 0)},
    {"WARNING [cuda.py:1] Using 'pin_memory=False' as WSL is detected and the WSL2 kernel version is below 4.19.121.",
     V(24, 0), 0},
    {"ValueError: Free memory on device (9.5/23.5 GiB) on startup is less than desired GPU memory utilization (0.8, "
     "18.8 GiB).",
     V(9, 1), V(13, 0)},
    {"ValueError: Available memory on node 0 (9.5/23.5 GiB) on startup is less than desired CPU memory utilization "
     "(0.8, 18.8 GiB).",
     V(20, 0), 0},
    {"AssertionError: Initial free memory 5000000000, current free memory 6000000000.", V(5, 4), 0},
    {"AssertionError: Initial used memory 5000000000, currently used memory 4000000000.", V(7, 0), V(10, 2)},
    {"ValueError: The model's max seq len (8192) is larger than the maximum number of tokens that can be stored in KV "
     "cache (4096).",
     V(2, 7), V(10, 2)},
    {"    assert num_cache_lines >= batch", V(10, 2), V(17, 1)},
    {"ValueError: max_num_seqs (256) exceeds available Mamba cache blocks (10).", V(20, 0), 0},
    {"Before memory profiling run, total GPU memory: 24564.00 MB, model load takes 9000.00 MB, free gpu memory is "
     "15000.00 MB.",
     V(9, 2), V(15, 1)},
    {"Free device memory: 15.00 GiB, 12.00 GiB usable (gpu_memory_utilization=0.9), 1.2 GiB reserved for HPUGraphs "
     "(VLLM_GRAPH_RESERVED_MEM=0.1), 10.8 GiB reserved for KV cache",
     V(6, 4), V(9, 2)},
    {"INFO llm_engine.py:80] # GPU blocks: 1200, # CPU blocks: 512", 0, V(11, 0)},
    {"Overriding num_gpu_blocks=1200 with num_gpu_blocks_override=512", V(4, 2), 0},
    {"total_gpu_memory (23.50GiB) x gpu_memory_utilization (0.90) = 21.15GiB", V(6, 5), V(10, 2)},
    {"Free memory on device (23.0/23.5 GiB) on startup. Desired GPU memory utilization is (0.9, 21.15 GiB).", V(10, 2),
     0},
    {"AssertionError: Initial free memory 22.0 GiB, reserved 3.0 GiB memory for KV Cache", V(10, 2), 0},
    {"CUDA graph memory profiling is enabled (VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=1).", V(18, 0), V(19, 1)},
    {"In v0.19, CUDA graph memory profiling will be enabled by default", V(18, 0), V(19, 1)},
    {"INFO llm_engine.py:60] Initializing an LLM engine with config: model='a/b', seed=0)", 0, V(3, 3)},
    // a build of one's own says no release that is known
    {"INFO llm_engine.py:9] Initializing an LLM engine (vdev) with config: model='a/b', seed=0", V(4, 0), V(7, 0)},
    {"INFO [llm_engine.py:9] Initializing a V0 LLM engine (vdev) with config: model='a/b', seed=0", V(7, 1), V(10, 2)},
    {"INFO [core.py:9] Initializing a V1 LLM engine (vdev) with config: model='a/b', seed=0", V(7, 1), 0},
    {"INFO [utils.py:1] vLLM server version dev, serving model a/b", V(15, 0), 0},
    {"INFO [utils.py:1] non-default args: {'model': 'a/b', 'max_model_len': 1024}", V(9, 0), 0},
    {"INFO 03-04 05:06:07 model_runner.py:160] Loading model weights took 12.5000 GB", V(4, 0), V(9, 2)},
    {"total_gpu_memory (23.50GiB) x gpu_memory_utilization (0.80)", V(6, 5), V(10, 2)},
    {"DEBUG [gpu_worker.py:1] Requested memory: 0.8 (util), 18.8 GiB", V(10, 1), 0},
    {"INFO 03-04 05:06:07 [api_server.py:100] vLLM API server version dev", V(4, 0), V(24, 0)},
    {"(APIServer pid=7) INFO 03-04 05:06:07 [utils.py:1]  \xe2\x96\x84\xe2\x96\x88 \xe2\x96\x88  version dev", V(15, 0),
     0},
    {"(APIServer pid=7) INFO 03-04 05:06:07 [utils.py:1]   \xe2\x96\x88\xe2\x96\x88 \xe2\x96\x88  model   some/model",
     V(15, 0), 0},
    {"INFO 03-04 05:06:07 api_server.py:10] args: Namespace(host=None, max_model_len=1024)", 0, V(8, 5) + 1},
    {"WARNING 03-04 05:06:07 processing.py:819] The context length (4096) of the model is too short to hold the "
     "multi-modal embeddings in the worst case (8192 tokens in total)",
     V(6, 5), V(11, 0)},
    {"INFO [cache.py:1] Using fp8 data type to store kv cache. It reduces\n" // that it is ready any engine may say
     "INFO 03-04 05:06:07 [core.py:1] init engine (profile, create kv cache, warmup model) took 41.00 seconds",
     V(6, 5), 0},
    {"INFO 03-04 05:06:07 kv_cache_utils.py:395] # GPU blocks: 1200", V(6, 4), V(7, 3)},
    {"total_gpu_memory   23.50GiB", V(6, 5), V(10, 2)},
    {"model weights take 7.50GiB;", V(6, 5), V(10, 2)},
    {"non_torch_memory   0.25GiB", V(6, 5), V(10, 2)},
    {"available_kv_cache_memory   9.55GiB", V(6, 5), V(10, 2)},
    {"INFO 03-04 05:06:07 worker.py:232] Memory profiling results: total_gpu_memory=23.50GiB "
     "initial_memory_usage=0.50GiB peak_torch_memory=9.00GiB memory_usage_post_profile=9.25Gib "
     "non_torch_memory=0.75GiB kv_cache_size=9.05GiB gpu_memory_utilization=0.80",
     V(6, 4), V(6, 4) + 1},
    {"DEBUG torch peak memory increase: 1.50GiB; non-torch forward increase memory: 0.25GiB; weights memory: 7.50GiB.",
     V(9, 1), V(26, 0)},
    {"DEBUG 11-22 04:26:09 [gpu_worker.py:562] Memory profiling takes 4.10 seconds. Total non KV cache memory: "
     "12.49GiB; "
     "torch peak memory increase: 1.91GiB; total consumed (from mem_get_info): 10.70GiB; weights memory: 9.96GiB.",
     V(27, 0), 0},
    {"(8192), (1.0 GiB KV cache is needed, which", V(7, 0), 0},
    {"is larger than the available KV cache memory (0.75 GiB).", V(7, 0), 0},
};

static bool stands_in(const struct kvb_line_row *row, const char *line)
{
    struct kvb_hole holes[KVB_HOLES_MAX];
    size_t end, length = strlen(line);
    for (size_t at = 0; at < length; at++) {
        if (kvb_pattern_match(row->pattern, line, length, at, holes, &end)) {
            return true;
        }
    }
    return false;
}

static void test_releases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_log_report *report = read_log(rows[i].line);
        if (report->since != rows[i].since || report->until != rows[i].until) {
            char since[32];
            char until[32];
            fail_msg("'%s': %s to %s", rows[i].line, kvb_release_format(since, report->since),
                     kvb_release_format(until, report->until));
        }
    }
}

// Every row that names releases is fed by a line above.
static void test_each_row_is_fed(void **state)
{
    (void)state;
    unsigned missing = 0;
    for (size_t t = 0; t < KVB_LINE_TABLES; t++) {
        for (size_t k = 0; k < kvb_line_tables[t]->count; k++) {
            const struct kvb_line_row *row = &kvb_line_tables[t]->rows[k];
            bool fed = row->since == 0 && row->until == 0;
            for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !fed; i++) {
                fed = rows[i].since == row->since && rows[i].until == row->until && stands_in(row, rows[i].line);
            }
            if (!fed) {
                print_message("'%s' is fed by no line\n", row->pattern);
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(test_releases), cmocka_unit_test(test_each_row_is_fed))
