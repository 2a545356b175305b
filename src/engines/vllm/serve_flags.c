// The flags of `vllm serve` that move memory, and the members of those that take JSON. Releases are those of vLLM's
// EngineArgs (vllm/engine/arg_utils.py), tag by tag.
#include "engines/vllm/serve.h"

#include <string.h>

#include "base/text.h"

#define R(major, minor, patch) KVB_RELEASE(major, minor, patch)
#define SETTING(what) .kind = KVB_SERVE_SETTING, .id = KVB_SET_##what
#define OWN(reader) .kind = KVB_SERVE_OWN, .read = reader

static bool read_level(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    bool level = value[0] >= '0' && value[0] <= '3' && value[1] == '\0';
    if (!level) {
        (void)kvb_copy(why, 256, "-O '");
        (void)kvb_copy(why + 4, 41, value);
        (void)kvb_copy(why + strlen(why), 32, "' is not a level from 0 to 3");
        return false;
    }
    (void)origin;
    deployment->graph_sizes.optimization = (uint8_t)(1 + value[0] - '0');
    return true;
}

static const struct kvb_serve_flag rows[] = {
    {.name = "gpu_memory_utilization", SETTING(GPU_MEMORY_UTILIZATION)},
    {.name = "max_model_len", SETTING(MAX_MODEL_LEN)},
    {.name = "max_num_seqs", SETTING(MAX_NUM_SEQS)},
    {.name = "max_num_batched_tokens", SETTING(MAX_NUM_BATCHED_TOKENS)},
    {.name = "tensor_parallel_size", SETTING(TENSOR_PARALLEL_SIZE), .short_name = "-tp"},
    {.name = "pipeline_parallel_size", SETTING(PIPELINE_PARALLEL_SIZE), .short_name = "-pp"},
    {.name = "data_parallel_size", SETTING(DATA_PARALLEL_SIZE), .short_name = "-dp", .since = R(0, 8, 3)},
    {.name = "decode_context_parallel_size",
     SETTING(DECODE_CONTEXT_PARALLEL_SIZE),
     .short_name = "-dcp",
     .since = R(0, 10, 2)},
    {.name = "prefill_context_parallel_size",
     SETTING(PREFILL_CONTEXT_PARALLEL_SIZE),
     .short_name = "-pcp",
     .since = R(0, 12, 0)},
    {.name = "enable_expert_parallel",
     SETTING(ENABLE_EXPERT_PARALLEL),
     .short_name = "-ep",
     .since = R(0, 8, 0),
     .negatable = true},
    {.name = "dtype", SETTING(DTYPE)},
    {.name = "quantization",
     SETTING(QUANTIZATION),
     .short_name = "-q",
     .uncounted = "aqlm cpu_awq cpu_gptq deepspeedfp fp_quant humming neuron_quant online qqq rtn tpu_int8"},
    {.name = "kv_cache_dtype", SETTING(KV_CACHE_DTYPE), .since = R(0, 3, 0)},
    {.name = "block_size", SETTING(BLOCK_SIZE)},
    {.name = "enforce_eager", SETTING(ENFORCE_EAGER), .negatable = true},
    {.name = "kv_cache_memory_bytes", SETTING(KV_CACHE_MEMORY_BYTES), .since = R(0, 10, 2), .none_is_unsaid = true},
    {.name = "num_gpu_blocks_override", SETTING(NUM_GPU_BLOCKS_OVERRIDE), .since = R(0, 4, 1)},
    {.name = "swap_space", SETTING(SWAP_SPACE), .until = R(0, 17, 1), .below_is_least = true},
    {.name = "cpu_offload_gb", SETTING(CPU_OFFLOAD_GB), .since = R(0, 5, 3)},
    {.name = "enable_prefix_caching", SETTING(ENABLE_PREFIX_CACHING), .since = R(0, 4, 0), .negatable = true},
    {.name = "enable_chunked_prefill", SETTING(ENABLE_CHUNKED_PREFILL), .since = R(0, 4, 0), .negatable = true},
    {.name = "disable_hybrid_kv_cache_manager",
     SETTING(DISABLE_HYBRID_KV_CACHE_MANAGER),
     .since = R(0, 9, 1),
     .negatable = true},
    {.name = "enable_lora", SETTING(ENABLE_LORA), .since = R(0, 3, 0), .negatable = true},
    {.name = "max_loras", SETTING(MAX_LORAS), .since = R(0, 3, 0), .below_is_least = true},
    {.name = "max_lora_rank", SETTING(MAX_LORA_RANK), .since = R(0, 3, 0), .below_is_least = true},
    {.name = "async_scheduling", SETTING(ASYNC_SCHEDULING), .since = R(0, 10, 0), .negatable = true},
    {.name = "language_model_only", SETTING(LANGUAGE_MODEL_ONLY), .since = R(0, 17, 0), .negatable = true},
    {.name = "enable_sleep_mode", SETTING(ENABLE_SLEEP_MODE), .since = R(0, 7, 0), .negatable = true},
    {.name = "skip_mm_profiling", SETTING(SKIP_MM_PROFILING), .since = R(0, 10, 1), .negatable = true},
    {.name = "mamba_cache_mode", SETTING(MAMBA_CACHE_MODE), .since = R(0, 15, 0)},
    {.name = "mamba_ssm_cache_dtype", SETTING(MAMBA_SSM_CACHE_DTYPE), .since = R(0, 10, 1)},
    {.name = "mamba_cache_dtype", SETTING(MAMBA_CACHE_DTYPE), .since = R(0, 10, 1)},
    {.name = "mamba_block_size", SETTING(MAMBA_BLOCK_SIZE), .since = R(0, 11, 1), .none_is_unsaid = true},
    {.name = "attention_backend", SETTING(ATTENTION_BACKEND), .since = R(0, 13, 0), .none_is_unsaid = true},
    {.name = "mm_encoder_tp_mode", SETTING(MM_ENCODER_TP_MODE), .since = R(0, 10, 2)},
    {.name = "mm_ipc_gpu_memory_gb", SETTING(MM_IPC_GPU_MEMORY_GB), .since = R(0, 25, 0)},
    {.name = "performance_mode", SETTING(PERFORMANCE_MODE), .since = R(0, 17, 0)},
    {.name = "moe_backend", SETTING(MOE_BACKEND), .since = R(0, 17, 0)},
    {.name = "runner", SETTING(RUNNER)},
    {.name = "disable_sliding_window", SETTING(DISABLE_SLIDING_WINDOW), .since = R(0, 4, 3), .negatable = true},
    {.name = "trust_remote_code", SETTING(TRUST_REMOTE_CODE), .negatable = true},
    {.name = "max_cudagraph_capture_size", SETTING(MAX_CUDAGRAPH_CAPTURE_SIZE), .since = R(0, 11, 1)},
    {.name = "limit-mm-per-prompt",
     .kind = KVB_SERVE_JSON,
     .part = "limit-mm-per-prompt",
     .since = R(0, 5, 5),
     .argument = "JSON",
     .help = "pictures and videos per request: {\"image\": 2}"},
    {.name = "mm-processor-kwargs",
     .kind = KVB_SERVE_JSON,
     .part = "mm-processor-kwargs",
     .since = R(0, 6, 2),
     .argument = "JSON",
     .help = "{\"max_pixels\": 1003520}"},
    {.name = "speculative-config",
     .kind = KVB_SERVE_JSON,
     .part = "speculative-config",
     .short_name = "-sc",
     .since = R(0, 8, 2),
     .argument = "JSON",
     .help = "{\"method\": \"mtp\", \"num_speculative_tokens\": 2}"},
    {.name = "compilation-config",
     .kind = KVB_SERVE_JSON,
     .part = "compilation-config",
     .short_name = "-cc",
     .since = R(0, 6, 5),
     .argument = "JSON",
     .help = "{\"cudagraph_mode\": \"NONE\"}"},
    {.name = "cudagraph-capture-sizes",
     .kind = KVB_SERVE_LIST,
     .part = "cudagraph-capture-sizes",
     .since = R(0, 11, 1),
     .argument = "LIST",
     .help = "batch sizes with a CUDA graph: 1 2 4 8 or [1,2,4,8]"},
    {.name = "kv-transfer-config",
     .kind = KVB_SERVE_JSON,
     .part = "kv-transfer-config",
     .since = R(0, 6, 5),
     .argument = "JSON",
     .help = "a KV connector"},
    {.name = "hf-overrides",
     .kind = KVB_SERVE_OVERRIDES,
     .part = "hf-overrides",
     .since = R(0, 6, 4),
     .argument = "JSON",
     .help = "keys of config.json to replace"},
    {.name = "model", .kind = KVB_SERVE_MODEL, .serve_only = true},
    {.name = "revision", .kind = KVB_SERVE_REVISION, .serve_only = true},
    {.name = "lora-modules", .kind = KVB_SERVE_ADAPTERS, .serve_only = true},
    {.name = "rope-scaling",
     .kind = KVB_SERVE_CONFIG_KEY,
     .part = "rope_scaling",
     .until = R(0, 11, 0),
     .serve_only = true},
    {.name = "optimization-level",
     .short_name = "-O",
     .attached = true,
     OWN(read_level),
     .part = "compilation-config",
     .since = R(0, 12, 0),
     .serve_only = true},
    {.name = "config", .kind = KVB_SERVE_CONFIG_FILE, .since = R(0, 6, 0), .serve_only = true},
    {.name = "hf-config-path", .kind = KVB_SERVE_OTHER_CONFIG, .since = R(0, 8, 0), .serve_only = true},
    {.name = "cuda-graph-sizes",
     .kind = KVB_SERVE_LIST,
     .part = "cudagraph-capture-sizes",
     .since = R(0, 9, 0),
     .until = R(0, 12, 0),
     .serve_only = true},
    {.name = "forced-num-gpu-blocks", SETTING(NUM_GPU_BLOCKS_OVERRIDE), .serve_only = true},
    {.name = "task", SETTING(RUNNER), .serve_only = true},
    {.name = "convert", SETTING(RUNNER), .serve_only = true},
    {.name = "enable-multimodal-encoder-data-parallel",
     .kind = KVB_SERVE_SETS,
     .id = KVB_SET_MM_ENCODER_TP_MODE,
     .number = 1,
     .since = R(0, 9, 1),
     .until = R(0, 12, 0),
     .serve_only = true},
    {.name = "speculative-model",
     .kind = KVB_SERVE_DRAFT_MODEL,
     .since = R(0, 4, 1),
     .until = R(0, 8, 2),
     .serve_only = true},
    {.name = "spec-model", .kind = KVB_SERVE_DRAFT_MODEL, .since = R(0, 22, 0), .serve_only = true},
    {.name = "spec-method", SETTING(SPECULATIVE_METHOD), .since = R(0, 22, 0), .serve_only = true},
    {.name = "num-speculative-tokens",
     SETTING(NUM_SPECULATIVE_TOKENS),
     .since = R(0, 4, 1),
     .until = R(0, 8, 2),
     .serve_only = true},
    {.name = "spec-tokens", SETTING(NUM_SPECULATIVE_TOKENS), .since = R(0, 22, 0), .serve_only = true},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

const struct kvb_serve_flag *kvb_vllm_flag(unsigned index)
{
    return index < ROW_COUNT ? &rows[index] : kvb_vllm_plain_flag(index - (unsigned)ROW_COUNT);
}

bool kvb_vllm_has_flag(unsigned setting)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].kind == KVB_SERVE_SETTING && rows[i].id == setting && !rows[i].serve_only) {
            return true;
        }
    }
    return false;
}

const struct kvb_setting_part *kvb_vllm_parts(size_t *count)
{
    static const struct kvb_setting_part parts[] = {
        {KVB_SET_LIMIT_IMAGES, "limit-mm-per-prompt", "image", .since = R(0, 5, 5)},
        {KVB_SET_LIMIT_VIDEOS, "limit-mm-per-prompt", "video", .since = R(0, 5, 5)},
        {KVB_SET_LIMIT_AUDIOS, "limit-mm-per-prompt", "audio", .since = R(0, 5, 5)},
        {KVB_SET_MM_MAX_PIXELS, "mm-processor-kwargs", "max_pixels", .since = R(0, 6, 2)},
        {KVB_SET_CUDAGRAPH_MODE, "compilation-config", "cudagraph_mode", .since = R(0, 10, 1), .upper = true},
        {KVB_SET_SPECULATIVE_METHOD, "speculative-config", "method", .since = R(0, 4, 1)},
        {KVB_SET_NUM_SPECULATIVE_TOKENS, "speculative-config", "num_speculative_tokens", .since = R(0, 4, 1)},
        {KVB_SET_CUDAGRAPH_CAPTURE_SIZES, "cudagraph-capture-sizes", NULL, .since = R(0, 11, 1)},
        {KVB_SET_KV_TRANSFER, "kv-transfer-config", NULL, .since = R(0, 6, 5)},
    };
    *count = sizeof parts / sizeof parts[0];
    return parts;
}

const struct kvb_serve_program *kvb_vllm_programs(size_t *count)
{
    static const struct kvb_serve_program programs[] = {
        {.form = KVB_PROGRAM_WORDS, .name = "vllm", .second = "serve", .usage = "vllm serve MODEL ..."},
        {.form = KVB_PROGRAM_MODULE, .name = "vllm.entrypoints.cli.main", .second = "serve"},
        {.form = KVB_PROGRAM_MODULE,
         .name = "vllm.entrypoints.",
         .is_module = true,
         .usage = "python -m vllm.entrypoints.openai.api_server --model MODEL ..."},
        {.form = KVB_PROGRAM_MODULE, .name = "dynamo.vllm"}, // takes the engine's own flags
        {.form = KVB_PROGRAM_WORDS, .name = "trl", .second = "vllm-serve"},
        {.form = KVB_PROGRAM_FILE, .name = "vllm/entrypoints/openai/api_server.py"},
        {.form = KVB_PROGRAM_FILE, .name = "vllm/entrypoints/api_server.py"},
    };
    *count = sizeof programs / sizeof programs[0];
    return programs;
}
