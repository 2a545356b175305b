// Rows of the tables of flags, told from outside of them: how many words each flag takes, whether it moves memory and
// which setting it says. Sources: add_argument() of vllm/engine/arg_utils.py and entrypoints/openai/cli_args.py, of
// python/sglang/srt/server_args.py, common/arg.cpp of llama.cpp.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "budget/engine.h"
#include "unit/test.h"

#define WORDS_MAX 16
#define GIB (1ULL << 30)

static struct kvb_problems problems;
static struct kvb_deployment deployment;

// Reads a line of words with a blank between them.
static enum kvb_status reads(const char *line)
{
    char text[256];
    const char *words[WORDS_MAX];
    int count = 0;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL && count < WORDS_MAX; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    return kvb_serve_command_read(count, words, &deployment, &problems);
}

// ---- flags without effect on memory

struct plain_row {
    const char *program; // and what begins each flag
    const char *values;  // behind each flag
    const char *last;    // a flag that says 8 requests
    const char *names;
};

static const struct plain_row plain_rows[] = {
    {"vllm serve --", "", "a/b --max-num-seqs 8",
     "disable-log-requests enable-log-requests disable-log-stats disable-uvicorn-access-log "
     "disable-fastapi-docs enable-auto-tool-choice enable-reasoning enable-prompt-embeds "
     "enable-return-routed-experts disable-custom-all-reduce enable-eplb enable-dbo disable-cascade-attn "
     "enable-prompt-tokens-details enable-server-load-tracking enable-force-include-usage "
     "enable-request-id-headers enable-tokenizer-info-endpoint enable-log-outputs enable-log-deltas "
     "return-tokens-as-token-ids disable-frontend-multiprocessing disable-async-output-proc "
     "multi-step-stream-outputs use-v2-block-manager engine-use-ray worker-use-ray ray-workers-use-nsight "
     "headless data-parallel-external-lb data-parallel-hybrid-lb help allow-credentials "
     "skip-tokenizer-init enable-lora-bias fully-sharded-loras calculate-kv-scales use-tqdm-on-load "
     "disable-chunked-mm-input disable-mm-preprocessor-cache interleave-mm-strings enable-mm-embeds "
     "enable-layerwise-nvtx-tracing scheduler-reserve-full-isl enable-cumem-allocator "
     "disable-logprobs-during-spec-decoding disable-nccl-for-dp-synchronization kv-sharing-fast-prefill "
     "enable-ssl-refresh mm-encoder-only enable-elastic-ep exclude-tools-when-tool-choice-none "
     "trust-request-chat-template enable-flashinfer-autotune enable-prompt-adapter tokens-only "
     "cudagraph-metrics kv-cache-metrics enable-mfu-metrics "
     "enable-offline-docs aggregate-engine-logging"},
    {"vllm serve --", " word", "a/b --max-num-seqs 8",
     "host port uds uvicorn-log-level ssl-keyfile ssl-certfile ssl-ca-certs ssl-cert-reqs root-path "
     "chat-template chat-template-content-format default-chat-template-kwargs response-role tokenizer "
     "tokenizer-mode tokenizer-pool-size tokenizer-pool-type tokenizer-revision code-revision load-format "
     "download-dir config-format hf-token seed max-logprobs logprobs-mode tool-call-parser "
     "tool-parser-plugin tool-server reasoning-parser reasoning-parser-plugin reasoning-config "
     "max-cpu-loras lora-dtype lora-extra-vocab-size long-lora-scaling-factors "
     "distributed-executor-backend max-parallel-loading-workers worker-cls worker-extension-cls "
     "scheduling-policy scheduler-cls scheduler-delay-factor max-num-partial-prefills "
     "max-long-partial-prefills long-prefill-token-threshold num-lookahead-slots num-scheduler-steps "
     "preemption-mode guided-decoding-backend structured-outputs-config mm-processor-cache-gb "
     "mm-processor-cache-type mm-shm-cache-max-object-size-mb media-io-kwargs allowed-local-media-path "
     "otlp-traces-endpoint show-hidden-metrics-for-version kv-events-config kv-offloading-size "
     "kv-offloading-backend ec-transfer-config additional-config eplb-config num-redundant-experts "
     "linear-backend all2all-backend data-parallel-size-local data-parallel-rank data-parallel-start-rank "
     "data-parallel-address data-parallel-rpc-port data-parallel-backend nnodes node-rank master-addr "
     "master-port override-neuron-config override-pooler-config pooler-config override-generation-config "
     "generation-config model-impl max-seq-len-to-capture max-context-len-to-capture "
     "model-loader-extra-config device prefix-caching-hash-algo watermark max-num-scheduled-tokens "
     "stream-interval video-pruning-rate log-config-file max-log-len h11-max-incomplete-event-size "
     "h11-max-header-count profiler-config dcp-kv-cache-interleave-size cp-kv-cache-interleave-size "
     "logits-processor-pattern ubatch-size dbo-decode-token-threshold dbo-prefill-token-threshold "
     "weight-transfer-config attention-config kernel-config offload-backend offload-group-size "
     "offload-num-in-group offload-prefetch-step rope-theta "
     "api-server-count safetensors-load-strategy mm-encoder-attn-backend "
     "renderer-num-workers shutdown-timeout max-prompt-adapters max-prompt-adapter-token dcp-comm-backend "
     "quantization-param-path model-class-overrides io-processor-plugin disable-access-log-for-endpoints "
     "middleware allowed-origins allowed-methods allowed-headers device-ids"},
    {"vllm serve a/b --", " word another", "--max-num-seqs 8",
     "served-model-name prompt-adapters allowed-media-domains ignore-patterns logits-processors "
     "kv-cache-dtype-skip-layers collect-detailed-traces api-key lora-target-modules offload-params "
     "cpu-offload-params"},
    {"python -m sglang.launch_server --model-path a/b --", "", "--max-running-requests 8",
     "enable-metrics enable-mixed-chunk enable-cache-report enable-p2p-check enable-nccl-nvls "
     "enable-flashinfer-allreduce-fusion enable-memory-saver enable-dp-lm-head disable-custom-all-reduce "
     "disable-cuda-graph-padding disable-shared-experts-fusion disable-chunked-prefix-cache "
     "skip-tokenizer-init skip-server-warmup log-requests show-time-cost allow-auto-truncate "
     "enable-custom-logit-processor disable-outlines-disk-cache triton-attention-reduce-in-fp32 "
     "enable-return-hidden-states delete-ckpt-after-loading weight-loader-disable-mmap "
     "enable-metrics-for-all-schedulers"},
    {"python -m sglang.launch_server --model-path a/b --", " word", "--max-running-requests 8",
     "host port api-key served-model-name tokenizer-path tokenizer-mode tokenizer-worker-num load-format "
     "model-loader-extra-config model-impl revision device random-seed log-level log-level-http "
     "log-requests-level download-dir base-gpu-id gpu-id-step nnodes node-rank dist-init-addr "
     "nccl-init-addr dist-timeout schedule-policy schedule-conservativeness stream-interval "
     "watchdog-timeout chat-template completion-template reasoning-parser tool-call-parser "
     "prefill-attention-backend decode-attention-backend mm-attention-backend sampling-backend "
     "grammar-backend lora-backend lora-eviction-policy moe-dense-tp-size deepep-mode "
     "ep-num-redundant-experts load-balance-method num-continuous-decode-steps torch-compile-max-bs "
     "torchao-config quantization-param-path hicache-write-policy hicache-io-backend hicache-mem-layout "
     "hicache-storage-backend disaggregation-transfer-backend disaggregation-bootstrap-port "
     "disaggregation-ib-device speculative-draft-model-quantization speculative-draft-model-revision "
     "speculative-token-map speculative-attention-mode speculative-accept-threshold-single "
     "speculative-accept-threshold-acc max-queued-requests preferred-sampling-params mm-process-config "
     "crash-dump-folder"},
    {"python -m sglang.launch_server --model-path a/b --", " word another", "--max-running-requests 8",
     "lora-target-modules cuda-graph-bs-prefill cuda-graph-bs-decode"},
    {"llama-server -m x.gguf --", "", "-np 8",
     "jinja no-mmap mlock metrics no-webui verbose slots no-warmup props cont-batching no-context-shift "
     "context-shift no-repack offline embedding embeddings reranking"},
    {"llama-server -m x.gguf --", " word", "-np 8",
     "port host alias api-key chat-template chat-template-file temp top-p top-k min-p seed main-gpu "
     "timeout cache-ram cache-reuse repeat-penalty presence-penalty reasoning-format reasoning-budget "
     "chat-template-kwargs threads-batch n-predict prompt file rope-scaling rope-scale yarn-orig-ctx "
     "threads-http slot-save-path log-file numa draft-min draft-p-min spec-draft-n-min spec-draft-p-min "
     "image-min-tokens mmproj-url split-max-size threads"},
    {"llama-server -m x.gguf -", " word", "-np 8", "t mg a p n"},
};

// Nothing is said of them, and the words behind them are read as what they are.
static void flags_without_effect(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plain_rows / sizeof plain_rows[0]; i++) {
        const struct plain_row *row = &plain_rows[i];
        for (const char *name = row->names; *name != '\0'; name += strspn(name, " ")) {
            char line[256];
            int length = (int)strcspn(name, " ");
            (void)snprintf(line, sizeof line, "%s%.*s%s %s", row->program, length, name, row->values, row->last);
            enum kvb_status status = reads(line);
            const struct kvb_setting_value *said = &deployment.settings.values[KVB_SET_MAX_NUM_SEQS];
            bool named = strstr(line, "a/b") == NULL || strcmp(deployment.model, "a/b") == 0;
            if (status != KVB_OK || problems.count != 0 || !said->set || said->number != 8 || !named) {
                fail_msg("%s: %s: %s", line, kvb_status_name(status), problems.count > 0 ? problems.items[0].text : "");
            }
            name += length;
        }
    }
}

// ModelConfig v0.8.0 reads the config there in place of the model's.
static void config_of_another(void **state)
{
    (void)state;
    assert_int_equal(reads("vllm serve a/b --hf-config-path c/d --max-num-seqs 8"), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_WARNING);
    assert_string_equal(problems.items[0].text,
                        "--hf-config-path c/d is not read: the plan is of the model's own config");
}

// ---- flags that say a setting

struct said_row {
    const char *flag;
    enum kvb_setting setting;
    uint64_t number;
};

static void say(const char *program, const struct said_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char line[256];
        (void)snprintf(line, sizeof line, "%s %s", program, rows[i].flag);
        enum kvb_status status = reads(line);
        const struct kvb_setting_value *said = &deployment.settings.values[rows[i].setting];
        if (status != KVB_OK || problems.count != 0 || !said->set || said->number != rows[i].number) {
            fail_msg("%s: %s: %llu: %s", line, kvb_status_name(status), (unsigned long long)said->number,
                     problems.count > 0 ? problems.items[0].text : "");
        }
    }
}

static void settings_of_vllm(void **state)
{
    (void)state;
    static const struct said_row rows[] = {
        {"--gpu-memory-utilization 0.5", KVB_SET_GPU_MEMORY_UTILIZATION, 500000},
        {"--max-model-len 4096", KVB_SET_MAX_MODEL_LEN, 4096},
        {"--max-num-seqs 7", KVB_SET_MAX_NUM_SEQS, 7},
        {"--max-num-batched-tokens 512", KVB_SET_MAX_NUM_BATCHED_TOKENS, 512},
        {"--tensor-parallel-size 2", KVB_SET_TENSOR_PARALLEL_SIZE, 2},
        {"-tp 2", KVB_SET_TENSOR_PARALLEL_SIZE, 2},
        {"--pipeline-parallel-size 2", KVB_SET_PIPELINE_PARALLEL_SIZE, 2},
        {"-pp 2", KVB_SET_PIPELINE_PARALLEL_SIZE, 2},
        {"--data-parallel-size 2", KVB_SET_DATA_PARALLEL_SIZE, 2},
        {"-dp 2", KVB_SET_DATA_PARALLEL_SIZE, 2},
        {"--decode-context-parallel-size 2", KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2},
        {"-dcp 2", KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2},
        {"--prefill-context-parallel-size 2", KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2},
        {"-pcp 2", KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2},
        {"--enable-expert-parallel", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"-ep", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"--no-enable-expert-parallel", KVB_SET_ENABLE_EXPERT_PARALLEL, 0},
        {"--dtype float16", KVB_SET_DTYPE, KVB_DTYPE_WORD_FP16},
        {"--quantization fp8", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8},
        {"-q awq", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ},
        {"--kv-cache-dtype fp8", KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8},
        {"--block-size 32", KVB_SET_BLOCK_SIZE, 32},
        {"--enforce-eager", KVB_SET_ENFORCE_EAGER, 1},
        {"--no-enforce-eager", KVB_SET_ENFORCE_EAGER, 0},
        {"--kv-cache-memory-bytes 1024", KVB_SET_KV_CACHE_MEMORY_BYTES, 1024},
        {"--num-gpu-blocks-override 100", KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 100},
        {"--swap-space 4", KVB_SET_SWAP_SPACE, 4 * GIB},
        {"--cpu-offload-gb 3", KVB_SET_CPU_OFFLOAD_GB, 3 * GIB},
        {"--enable-prefix-caching", KVB_SET_ENABLE_PREFIX_CACHING, 1},
        {"--no-enable-prefix-caching", KVB_SET_ENABLE_PREFIX_CACHING, 0},
        {"--enable-chunked-prefill", KVB_SET_ENABLE_CHUNKED_PREFILL, 1},
        {"--no-enable-chunked-prefill", KVB_SET_ENABLE_CHUNKED_PREFILL, 0},
        {"--disable-hybrid-kv-cache-manager", KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1},
        {"--no-disable-hybrid-kv-cache-manager", KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 0},
        {"--enable-lora", KVB_SET_ENABLE_LORA, 1},
        {"--no-enable-lora", KVB_SET_ENABLE_LORA, 0},
        {"--max-loras 4", KVB_SET_MAX_LORAS, 4},
        {"--max-lora-rank 32", KVB_SET_MAX_LORA_RANK, 32},
        {"--async-scheduling", KVB_SET_ASYNC_SCHEDULING, 1},
        {"--no-async-scheduling", KVB_SET_ASYNC_SCHEDULING, 0},
        {"--language-model-only", KVB_SET_LANGUAGE_MODEL_ONLY, 1},
        {"--enable-sleep-mode", KVB_SET_ENABLE_SLEEP_MODE, 1},
        {"--skip-mm-profiling", KVB_SET_SKIP_MM_PROFILING, 1},
        {"--mamba-cache-mode all", KVB_SET_MAMBA_CACHE_MODE, KVB_MAMBA_MODE_ALL},
        {"--mamba-ssm-cache-dtype float32", KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_FP32},
        {"--mamba-cache-dtype float32", KVB_SET_MAMBA_CACHE_DTYPE, KVB_DTYPE_WORD_FP32},
        {"--mamba-block-size 256", KVB_SET_MAMBA_BLOCK_SIZE, 256},
        {"--attention-backend flashinfer", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_FLASHINFER},
        {"--mm-encoder-tp-mode data", KVB_SET_MM_ENCODER_TP_MODE, 1},
        {"--mm-ipc-gpu-memory-gb 2", KVB_SET_MM_IPC_GPU_MEMORY_GB, 2 * GIB},
        {"--performance-mode throughput", KVB_SET_PERFORMANCE_MODE, KVB_PERFORMANCE_THROUGHPUT},
        {"--moe-backend cutlass", KVB_SET_MOE_BACKEND, KVB_MOE_CUTLASS},
        {"--runner pooling", KVB_SET_RUNNER, KVB_RUNNER_POOLING},
        {"--task embed", KVB_SET_RUNNER, KVB_RUNNER_POOLING},
        {"--convert embed", KVB_SET_RUNNER, KVB_RUNNER_POOLING},
        {"--disable-sliding-window", KVB_SET_DISABLE_SLIDING_WINDOW, 1},
        {"--no-disable-sliding-window", KVB_SET_DISABLE_SLIDING_WINDOW, 0},
        {"--trust-remote-code", KVB_SET_TRUST_REMOTE_CODE, 1},
        {"--max-cudagraph-capture-size 128", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 128},
        {"--cuda-graph-sizes 1 2 4", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 4},
        {"--forced-num-gpu-blocks 100", KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 100},
        {"--enable-multimodal-encoder-data-parallel", KVB_SET_MM_ENCODER_TP_MODE, 1},
        {"--spec-method ngram", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM},
        {"--num-speculative-tokens 3", KVB_SET_NUM_SPECULATIVE_TOKENS, 3},
        {"--spec-tokens 3", KVB_SET_NUM_SPECULATIVE_TOKENS, 3},
    };
    say("vllm serve a/b", rows, sizeof rows / sizeof rows[0]);
    static const struct {
        const char *line;
        unsigned level; // and 1
    } levels[] = {{"vllm serve a/b -O0", 1},
                  {"vllm serve a/b -O 1", 2},
                  {"vllm serve a/b -O=0", 1},
                  {"vllm serve a/b -O2", 3},
                  {"vllm serve a/b --optimization-level 1", 2},
                  {"vllm serve a/b", 0}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        assert_int_equal(reads(levels[i].line), KVB_OK);
        assert_int_equal(deployment.graph_sizes.optimization, levels[i].level);
        assert_false(deployment.settings.values[KVB_SET_CUDAGRAPH_MODE].set);
    }
}

static void settings_of_sglang(void **state)
{
    (void)state;
    static const struct said_row rows[] = {
        {"--mem-fraction-static 0.5", KVB_SET_GPU_MEMORY_UTILIZATION, 500000},
        {"--context-length 4096", KVB_SET_MAX_MODEL_LEN, 4096},
        {"--max-running-requests 7", KVB_SET_MAX_NUM_SEQS, 7},
        {"--chunked-prefill-size 512", KVB_SET_MAX_NUM_BATCHED_TOKENS, 512},
        {"--chunked-prefill-size -1", KVB_SET_ENABLE_CHUNKED_PREFILL, 0},
        {"--chunked-prefill-size 512", KVB_SET_ENABLE_CHUNKED_PREFILL, 1},
        {"--max-total-tokens 4096", KVB_SET_MAX_TOTAL_TOKENS, 4096},
        {"--max-prefill-tokens 4096", KVB_SET_MAX_PREFILL_TOKENS, 4096},
        {"--tp-size 2", KVB_SET_TENSOR_PARALLEL_SIZE, 2},
        {"--tp 2", KVB_SET_TENSOR_PARALLEL_SIZE, 2},
        {"--tensor-parallel-size 2", KVB_SET_TENSOR_PARALLEL_SIZE, 2},
        {"--pp-size 2", KVB_SET_PIPELINE_PARALLEL_SIZE, 2},
        {"--pp 2", KVB_SET_PIPELINE_PARALLEL_SIZE, 2},
        {"--pipeline-parallel-size 2", KVB_SET_PIPELINE_PARALLEL_SIZE, 2},
        {"--dp-size 2", KVB_SET_DATA_PARALLEL_SIZE, 2},
        {"--dp 2", KVB_SET_DATA_PARALLEL_SIZE, 2},
        {"--data-parallel-size 2", KVB_SET_DATA_PARALLEL_SIZE, 2},
        {"--ep-size 2", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"--ep-size 1", KVB_SET_ENABLE_EXPERT_PARALLEL, 0},
        {"--ep 2", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"--expert-parallel-size 2", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"--enable-ep-moe", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"--enable-deepep-moe", KVB_SET_MOE_A2A_BACKEND, KVB_A2A_DEEPEP},
        {"--enable-dp-attention", KVB_SET_ENABLE_DP_ATTENTION, 1},
        {"--dtype float16", KVB_SET_DTYPE, KVB_DTYPE_WORD_FP16},
        {"--page-size 64", KVB_SET_BLOCK_SIZE, 64},
        {"--disable-cuda-graph", KVB_SET_ENFORCE_EAGER, 1},
        {"--disable-decode-cuda-graph", KVB_SET_ENFORCE_EAGER, 1},
        {"--cuda-graph-max-bs 64", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 64},
        {"--cuda-graph-max-bs-decode 64", KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 64},
        {"--disable-radix-cache", KVB_SET_ENABLE_PREFIX_CACHING, 0},
        {"--disable-overlap-schedule", KVB_SET_ASYNC_SCHEDULING, 0},
        {"--disable-hybrid-swa-memory", KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1},
        {"--swa-full-tokens-ratio 0.5", KVB_SET_SWA_FULL_TOKENS_RATIO, 500000},
        {"--mamba-full-memory-ratio 0.5", KVB_SET_MAMBA_FULL_MEMORY_RATIO, 500000},
        {"--max-mamba-cache-size 64", KVB_SET_MAX_MAMBA_CACHE_SIZE, 64},
        {"--mamba-ssm-dtype float32", KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_WORD_FP32},
        {"--mamba-scheduler-strategy extra_buffer", KVB_SET_MAMBA_EXTRA_BUFFER, 1},
        {"--mamba-radix-cache-strategy extra_buffer", KVB_SET_MAMBA_EXTRA_BUFFER, 1},
        {"--cpu-offload-gb 3", KVB_SET_CPU_OFFLOAD_GB, 3 * GIB},
        {"--enable-hierarchical-cache", KVB_SET_ENABLE_HIERARCHICAL_CACHE, 1},
        {"--hicache-ratio 2.0", KVB_SET_HICACHE_RATIO, 2000000},
        {"--enable-lora", KVB_SET_ENABLE_LORA, 1},
        {"--max-loras-per-batch 4", KVB_SET_MAX_LORAS, 4},
        {"--max-lora-rank 32", KVB_SET_MAX_LORA_RANK, 32},
        {"--speculative-num-draft-tokens 4", KVB_SET_NUM_SPECULATIVE_TOKENS, 4},
        {"--speculative-num-steps 3", KVB_SET_SPECULATIVE_STEPS, 3},
        {"--speculative-eagle-topk 2", KVB_SET_SPECULATIVE_TOPK, 2},
        {"--speculative-adaptive", KVB_SET_SPECULATIVE_ADAPTIVE, 1},
        {"--disaggregation-mode prefill", KVB_SET_DISAGGREGATION_MODE, KVB_DISAGGREGATION_PREFILL},
        {"--moe-a2a-backend deepep", KVB_SET_MOE_A2A_BACKEND, KVB_A2A_DEEPEP},
        {"--enable-torch-compile", KVB_SET_ENABLE_TORCH_COMPILE, 1},
        {"--enable-symm-mem", KVB_SET_ENABLE_SYMM_MEM, 1},
        {"--enable-deterministic-inference", KVB_SET_ENABLE_DETERMINISTIC_INFERENCE, 1},
        {"--enable-two-batch-overlap", KVB_SET_ENABLE_TWO_BATCH_OVERLAP, 1},
        {"--enable-eplb", KVB_SET_ENABLE_EPLB, 1},
        {"--enable-multimodal", KVB_SET_ENABLE_MULTIMODAL, 1},
        {"--language-only", KVB_SET_LANGUAGE_MODEL_ONLY, 1},
        {"--language-model-only", KVB_SET_LANGUAGE_MODEL_ONLY, 1},
        {"--is-embedding", KVB_SET_RUNNER, KVB_RUNNER_POOLING},
        {"--trust-remote-code", KVB_SET_TRUST_REMOTE_CODE, 1},
        {"--cuda-graph-max-bs-prefill 4096", KVB_SET_PREFILL_GRAPH_TOKENS, 4096},
        {"--piecewise-cuda-graph-max-tokens 4096", KVB_SET_PREFILL_GRAPH_TOKENS, 4096},
        {"--disable-prefill-cuda-graph", KVB_SET_PREFILL_GRAPHS, 0},
        {"--disable-piecewise-cuda-graph", KVB_SET_PREFILL_GRAPHS, 0},
        {"--enable-piecewise-cuda-graph", KVB_SET_PREFILL_GRAPHS, 1},
        {"--enforce-piecewise-cuda-graph", KVB_SET_PREFILL_GRAPHS, 1},
        {"--cuda-graph-backend-prefill disabled", KVB_SET_PREFILL_GRAPHS, 0},
        {"--cuda-graph-backend-prefill full", KVB_SET_PREFILL_GRAPHS, 1},
        {"--cuda-graph-backend-decode disabled", KVB_SET_ENFORCE_EAGER, 1},
        {"--cuda-graph-backend-decode full", KVB_SET_ENFORCE_EAGER, 0},
        {"--lora-paths x=p/q", KVB_SET_ENABLE_LORA, 1},
    };
    say("python -m sglang.launch_server --model-path a/b", rows, sizeof rows / sizeof rows[0]);
}

// The words that choices= of server_args.py lists; what has no rule of its own is one of the others.
static void words_of_sglang(void **state)
{
    (void)state;
    static const struct {
        const char *flag;
        enum kvb_setting setting;
        uint64_t number;
        const char *words;
    } rows[] = {
        {"kv-cache-dtype", KVB_SET_KV_CACHE_DTYPE, KVB_KV_AUTO, "auto"},
        {"kv-cache-dtype", KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E4M3, "fp8_e4m3"},
        {"kv-cache-dtype", KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2, "fp8_e5m2"},
        {"kv-cache-dtype", KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT, "bf16 bfloat16"},
        {"kv-cache-dtype", KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP4_E2M1, "fp4_e2m1 fp4_mx_block16"},
        {"kv-cache-dtype", KVB_SET_KV_CACHE_DTYPE, KVB_KV_NVFP4, "nvfp4"},
        {"kv-cache-dtype", KVB_SET_KV_CACHE_DTYPE, KVB_KV_MXFP8, "mxfp8"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_FLASHINFER, "flashinfer"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_TRITON, "triton"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_FLASH_ATTN, "fa3"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_FA4, "fa4"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_FLASHMLA, "flashmla"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_CUTLASS_MLA, "cutlass_mla"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_TRTLLM_MLA, "trtllm_mla"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_TRTLLM_MHA, "trtllm_mha"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_AITER, "aiter"},
        {"attention-backend", KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_OTHER,
         "torch_native flex_attention dual_chunk_flash_attn wave nsa dsa dsv4 compressed ascend intel_amx intel_xpu "
         "tokenspeed_mla cutedsl_mla hpc_ops"},
        {"speculative-algorithm", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE, "EAGLE EAGLE3"},
        {"speculative-algorithm", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP, "NEXTN"},
        {"speculative-algorithm", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL, "STANDALONE"},
        {"speculative-algorithm", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM, "NGRAM"},
        {"speculative-algorithm", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DFLASH, "DFLASH"},
        {"speculative-algorithm", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_OTHER, "DSPARK"},
        {"moe-runner-backend", KVB_SET_MOE_BACKEND, KVB_MOE_AUTO, "auto"},
        {"moe-runner-backend", KVB_SET_MOE_BACKEND, KVB_MOE_MARLIN, "marlin"},
        {"moe-runner-backend", KVB_SET_MOE_BACKEND, KVB_MOE_TRITON, "triton"},
        {"moe-runner-backend", KVB_SET_MOE_BACKEND, KVB_MOE_TRITON_KERNELS, "triton_kernel"},
        {"moe-runner-backend", KVB_SET_MOE_BACKEND, KVB_MOE_FLASHINFER_MXFP4, "flashinfer_mxfp4"},
        {"moe-runner-backend", KVB_SET_MOE_BACKEND, KVB_MOE_OTHER,
         "deep_gemm cutlass flashinfer_cutlass flashinfer_trtllm flashinfer_trtllm_routed flashinfer_cutedsl "
         "experimental_sgl_trtllm experimental_sgl_marlin aiter humming hpc_ops megamoe"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_CHECKPOINT, "none unquant"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8, "fp8 w8a8_fp8"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ, "awq"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ_MARLIN, "awq_marlin"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GPTQ, "gptq"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GPTQ_MARLIN, "gptq_marlin"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MARLIN, "marlin"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES, "bitsandbytes"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GGUF, "gguf"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MODELOPT, "modelopt modelopt_fp8"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MODELOPT_FP4, "modelopt_fp4"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MODELOPT_MIXED, "modelopt_mixed"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MXFP4, "mxfp4"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_COMPRESSED_TENSORS, "compressed-tensors"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MOE_WNA16, "moe_wna16"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AUTO_ROUND, "auto-round"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_QUARK, "quark"},
        {"quantization", KVB_SET_QUANTIZATION, KVB_QUANTIZATION_OTHER_OF_CHECKPOINT,
         "petit_nvfp4 nvfp4_online w8a8_int8 w4afp8 qoq mxfp8 quark_int4fp8_moe modelslim"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (const char *word = rows[i].words; *word != '\0'; word += strspn(word, " ")) {
            char flag[128];
            (void)snprintf(flag, sizeof flag, "--%s %.*s", rows[i].flag, (int)strcspn(word, " "), word);
            const struct said_row one = {flag, rows[i].setting, rows[i].number};
            say("python -m sglang.launch_server --model-path a/b", &one, 1);
            word += strcspn(word, " ");
        }
    }
}

static void settings_of_llama_server(void **state)
{
    (void)state;
    static const struct said_row rows[] = {
        {"--n-gpu-layers 20", KVB_SET_GPU_LAYERS, 20},
        {"-ngl 20", KVB_SET_GPU_LAYERS, 20},
        {"--gpu-layers 20", KVB_SET_GPU_LAYERS, 20},
        {"--ctx-size 4096", KVB_SET_MAX_MODEL_LEN, 4096},
        {"-c 0", KVB_SET_MAX_MODEL_LEN, KVB_AUTO},
        {"--parallel 7", KVB_SET_MAX_NUM_SEQS, 7},
        {"-np 7", KVB_SET_MAX_NUM_SEQS, 7},
        {"--batch-size 512", KVB_SET_MAX_NUM_BATCHED_TOKENS, 512},
        {"-b 512", KVB_SET_MAX_NUM_BATCHED_TOKENS, 512},
        {"--ubatch-size 256", KVB_SET_UBATCH_SIZE, 256},
        {"-ub 256", KVB_SET_UBATCH_SIZE, 256},
        {"--cache-type-k q8_0", KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0},
        {"-ctk q8_0", KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0},
        {"--cache-type-v q4_0", KVB_SET_CACHE_TYPE_V, KVB_GGUF_Q4_0},
        {"-ctv q4_0", KVB_SET_CACHE_TYPE_V, KVB_GGUF_Q4_0},
        {"--flash-attn off", KVB_SET_FLASH_ATTENTION, KVB_OFF},
        {"-fa on", KVB_SET_FLASH_ATTENTION, KVB_ON},
        {"-fa", KVB_SET_FLASH_ATTENTION, KVB_ON},
        {"--split-mode row", KVB_SET_SPLIT_MODE, 1},
        {"-sm layer", KVB_SET_SPLIT_MODE, 0},
        {"--n-cpu-moe 5", KVB_SET_CPU_MOE_LAYERS, 5},
        {"-ncmoe 5", KVB_SET_CPU_MOE_LAYERS, 5},
        {"--no-kv-offload", KVB_SET_KV_OFFLOAD, 0},
        {"-nkvo", KVB_SET_KV_OFFLOAD, 0},
        {"--kv-offload", KVB_SET_KV_OFFLOAD, 1},
        {"--swa-full", KVB_SET_SWA_FULL, 1},
        {"--kv-unified", KVB_SET_KV_UNIFIED, 1},
        {"-kvu", KVB_SET_KV_UNIFIED, 1},
        {"--no-kv-unified", KVB_SET_KV_UNIFIED, 0},
        {"-no-kvu", KVB_SET_KV_UNIFIED, 0},
        {"--fit off", KVB_SET_FIT, KVB_OFF},
        {"-fit on", KVB_SET_FIT, KVB_ON},
        {"--fit-target 512", KVB_SET_FIT_TARGET, 512},
        {"-fitt 512", KVB_SET_FIT_TARGET, 512},
        {"--fit-ctx 8192", KVB_SET_FIT_CTX, 8192},
        {"-fitc 8192", KVB_SET_FIT_CTX, 8192},
        {"--mmproj-offload", KVB_SET_MMPROJ_OFFLOAD, 1},
        {"--no-mmproj-offload", KVB_SET_MMPROJ_OFFLOAD, 0},
        {"--image-max-tokens 1024", KVB_SET_IMAGE_MAX_TOKENS, 1024},
        {"--n-gpu-layers-draft 9", KVB_SET_DRAFT_GPU_LAYERS, 9},
        {"-ngld 9", KVB_SET_DRAFT_GPU_LAYERS, 9},
        {"--gpu-layers-draft 9", KVB_SET_DRAFT_GPU_LAYERS, 9},
        {"--spec-draft-ngl 9", KVB_SET_DRAFT_GPU_LAYERS, 9},
        {"--ctx-size-draft 2048", KVB_SET_DRAFT_CTX, 2048},
        {"-cd 2048", KVB_SET_DRAFT_CTX, 2048},
        {"--cache-type-k-draft q8_0", KVB_SET_DRAFT_CACHE_TYPE_K, KVB_GGUF_Q8_0},
        {"-ctkd q8_0", KVB_SET_DRAFT_CACHE_TYPE_K, KVB_GGUF_Q8_0},
        {"--spec-draft-type-k q8_0", KVB_SET_DRAFT_CACHE_TYPE_K, KVB_GGUF_Q8_0},
        {"--cache-type-v-draft q8_0", KVB_SET_DRAFT_CACHE_TYPE_V, KVB_GGUF_Q8_0},
        {"-ctvd q8_0", KVB_SET_DRAFT_CACHE_TYPE_V, KVB_GGUF_Q8_0},
        {"--spec-draft-type-v q8_0", KVB_SET_DRAFT_CACHE_TYPE_V, KVB_GGUF_Q8_0},
        {"--draft 6", KVB_SET_NUM_SPECULATIVE_TOKENS, 6},
        {"--draft-n 6", KVB_SET_NUM_SPECULATIVE_TOKENS, 6},
        {"--draft-max 6", KVB_SET_NUM_SPECULATIVE_TOKENS, 6},
        {"--spec-draft-n-max 6", KVB_SET_NUM_SPECULATIVE_TOKENS, 6},
    };
    say("llama-server -m x.gguf", rows, sizeof rows / sizeof rows[0]);
}

KVB_TEST_MAIN(cmocka_unit_test(flags_without_effect), cmocka_unit_test(config_of_another),
              cmocka_unit_test(settings_of_vllm), cmocka_unit_test(settings_of_sglang),
              cmocka_unit_test(words_of_sglang), cmocka_unit_test(settings_of_llama_server))
