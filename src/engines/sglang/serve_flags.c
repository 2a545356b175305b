// The flags of `python -m sglang.launch_server` that move memory. Releases are those of server_args.py (add_cli_args to
// 0.5.12, annotated fields later), release by release.
#include "engines/sglang/serve.h"

#include <string.h>

#include "base/checked.h"
#include "base/python_numbers.h"
#include "base/text.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define WHY 256  // of a sentence
#define SHOWN 59 // of a value in it
#define SETTING(what) .kind = KVB_SERVE_SETTING, .id = KVB_SET_##what
#define SETS(what, value) .kind = KVB_SERVE_SETS, .id = KVB_SET_##what, .number = (value)
#define OWN(reader) .kind = KVB_SERVE_OWN, .read = reader
#define WORDS(table) .words = table, .word_count = sizeof(table) / sizeof(table)[0]

static const struct kvb_word cache_words[] = {
    {"auto", KVB_KV_AUTO},
    {"fp8_e4m3", KVB_KV_FP8_E4M3},
    {"fp8_e5m2", KVB_KV_FP8_E5M2},
    {"bf16", KVB_KV_16BIT},
    {"bfloat16", KVB_KV_16BIT},
    {"fp4_e2m1", KVB_KV_FP4_E2M1},
    {"fp4_mx_block16", KVB_KV_FP4_E2M1},
    {"nvfp4", KVB_KV_NVFP4},
    {"mxfp8", KVB_KV_MXFP8},
};
static const struct kvb_word backend_words[] = {
    {"flashinfer", KVB_BACKEND_FLASHINFER},
    {"triton", KVB_BACKEND_TRITON},
    {"fa3", KVB_BACKEND_FLASH_ATTN},
    {"fa4", KVB_BACKEND_FA4},
    {"flashmla", KVB_BACKEND_FLASHMLA},
    {"cutlass_mla", KVB_BACKEND_CUTLASS_MLA},
    {"trtllm_mla", KVB_BACKEND_TRTLLM_MLA},
    {"trtllm_mha", KVB_BACKEND_TRTLLM_MHA},
    {"aiter", KVB_BACKEND_AITER},
    {"other", KVB_BACKEND_OTHER},
    {"torch_native", KVB_BACKEND_OTHER},
    {"flex_attention", KVB_BACKEND_OTHER},
    {"dual_chunk_flash_attn", KVB_BACKEND_OTHER},
    {"wave", KVB_BACKEND_OTHER},
    {"nsa", KVB_BACKEND_OTHER},
    {"dsa", KVB_BACKEND_OTHER},
    {"dsv4", KVB_BACKEND_OTHER},
    {"compressed", KVB_BACKEND_OTHER},
    {"ascend", KVB_BACKEND_OTHER},
    {"intel_amx", KVB_BACKEND_OTHER},
    {"intel_xpu", KVB_BACKEND_OTHER},
    {"tokenspeed_mla", KVB_BACKEND_OTHER},
    {"cutedsl_mla", KVB_BACKEND_OTHER},
    {"hpc_ops", KVB_BACKEND_OTHER},
};
static const struct kvb_word draft_words[] = {
    {"eagle", KVB_SPECULATIVE_EAGLE},  {"eagle3", KVB_SPECULATIVE_EAGLE},
    {"nextn", KVB_SPECULATIVE_MTP},    {"standalone", KVB_SPECULATIVE_DRAFT_MODEL},
    {"ngram", KVB_SPECULATIVE_NGRAM},  {"dflash", KVB_SPECULATIVE_DFLASH},
    {"dspark", KVB_SPECULATIVE_OTHER}, {"none", KVB_SPECULATIVE_NONE},
};

static const struct kvb_word expert_words[] = {
    {"auto", KVB_MOE_AUTO},
    {"marlin", KVB_MOE_MARLIN},
    {"triton", KVB_MOE_TRITON},
    {"triton_kernel", KVB_MOE_TRITON_KERNELS},
    {"flashinfer_mxfp4", KVB_MOE_FLASHINFER_MXFP4},
    {"other", KVB_MOE_OTHER},
    {"deep_gemm", KVB_MOE_OTHER},
    {"cutlass", KVB_MOE_OTHER},
    {"flashinfer_cutlass", KVB_MOE_OTHER},
    {"flashinfer_trtllm", KVB_MOE_OTHER},
    {"flashinfer_trtllm_routed", KVB_MOE_OTHER},
    {"flashinfer_cutedsl", KVB_MOE_OTHER},
    {"experimental_sgl_trtllm", KVB_MOE_OTHER},
    {"experimental_sgl_marlin", KVB_MOE_OTHER},
    {"aiter", KVB_MOE_OTHER},
    {"humming", KVB_MOE_OTHER},
    {"hpc_ops", KVB_MOE_OTHER},
    {"megamoe", KVB_MOE_OTHER},
};

// What the checkpoint says counts, but for what is quantised while loading.
static const struct kvb_word method_words[] = {
    {"none", KVB_QUANTIZATION_CHECKPOINT},
    {"fp8", KVB_QUANTIZATION_FP8},
    {"awq", KVB_QUANTIZATION_AWQ},
    {"awq_marlin", KVB_QUANTIZATION_AWQ_MARLIN},
    {"gptq", KVB_QUANTIZATION_GPTQ},
    {"gptq_marlin", KVB_QUANTIZATION_GPTQ_MARLIN},
    {"marlin", KVB_QUANTIZATION_MARLIN},
    {"bitsandbytes", KVB_QUANTIZATION_BITSANDBYTES},
    {"gguf", KVB_QUANTIZATION_GGUF},
    {"modelopt", KVB_QUANTIZATION_MODELOPT},
    {"modelopt_fp8", KVB_QUANTIZATION_MODELOPT},
    {"modelopt_fp4", KVB_QUANTIZATION_MODELOPT_FP4},
    {"modelopt_mixed", KVB_QUANTIZATION_MODELOPT_MIXED},
    {"mxfp4", KVB_QUANTIZATION_MXFP4},
    {"compressed-tensors", KVB_QUANTIZATION_COMPRESSED_TENSORS},
    {"moe_wna16", KVB_QUANTIZATION_MOE_WNA16},
    {"auto-round", KVB_QUANTIZATION_AUTO_ROUND},
    {"quark", KVB_QUANTIZATION_QUARK},
    {"other", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"petit_nvfp4", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"nvfp4_online", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"w8a8_int8", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"w8a8_fp8", KVB_QUANTIZATION_FP8},
    {"w4afp8", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"qoq", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"mxfp8", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"quark_int4fp8_moe", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"modelslim", KVB_QUANTIZATION_OTHER_OF_CHECKPOINT},
    {"unquant", KVB_QUANTIZATION_CHECKPOINT},
};

// What int() reads; one above 2^32 is none.
static bool whole(const char *text, int64_t *number)
{
    char plain[KVB_PLAIN_CAPACITY];
    if (!kvb_python_write_int(text, strlen(text), plain)) {
        return false;
    }
    bool minus = plain[0] == '-';
    *number = 0;
    for (const char *c = plain + minus; *c != '\0' && *number <= UINT32_MAX; c++) {
        *number = *number * 10 + (*c - '0');
    }
    bool fits = *number <= UINT32_MAX;
    *number = minus ? -*number : *number;
    return fits;
}

static bool say(char why[256], const char *flag, const char *value, const char *expected)
{
    (void)kvb_copy(why, WHY, flag);
    kvb_add_text(why, WHY, " '");
    kvb_append(why, WHY, value, kvb_min(strlen(value), SHOWN));
    kvb_add_text(why, WHY, "' is ");
    kvb_add_text(why, WHY, expected);
    return false;
}

// Scheduler (v0.4.2.post2 to v0.5.4): "if self.chunked_prefill_size <= 0:  # -1 means disable".
static bool read_chunk(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    int64_t tokens;
    if (!whole(value, &tokens)) {
        return say(why, "--chunked-prefill-size", value, "not a number of tokens, nor -1");
    }
    if (tokens > 0) {
        kvb_settings_set(&deployment->settings, KVB_SET_MAX_NUM_BATCHED_TOKENS, (uint64_t)tokens, origin);
    }
    kvb_settings_set(&deployment->settings, KVB_SET_ENABLE_CHUNKED_PREFILL, tokens > 0, origin);
    return true;
}

static bool read_experts(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    int64_t ranks;
    if (!whole(value, &ranks) || ranks <= 0) {
        return say(why, "--ep-size", value, "not a number of GPUs");
    }
    kvb_settings_set(&deployment->settings, KVB_SET_ENABLE_EXPERT_PARALLEL, ranks > 1, origin);
    return true;
}

static bool read_prefill_backend(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                                 char why[256])
{
    (void)why;
    kvb_settings_set(&deployment->settings, KVB_SET_PREFILL_GRAPHS, strcmp(value, "disabled") != 0, origin);
    return true;
}

static bool read_decode_backend(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                                char why[256])
{
    (void)why;
    kvb_settings_set(&deployment->settings, KVB_SET_ENFORCE_EAGER, strcmp(value, "disabled") == 0, origin);
    return true;
}

static const struct kvb_serve_flag rows[] = {
    {.name = "mem-fraction-static",
     SETTING(GPU_MEMORY_UTILIZATION),
     .argument = "SHARE",
     .help = "share of what is free before loading that weights and pools take (by the card)"},
    {.name = "context-length", SETTING(MAX_MODEL_LEN)},
    {.name = "max-running-requests", SETTING(MAX_NUM_SEQS)},
    {.name = "chunked-prefill-size", .since = R(2, 7), OWN(read_chunk), .serve_only = true}, // -1: whole prompts
    {.name = "chunked-prefill-size",
     .since = R(2, 7),
     SETTING(MAX_NUM_BATCHED_TOKENS),
     .help = "tokens of one step of a prefill (by the card)"},
    {.name = "max-total-tokens", .since = R(2, 8), SETTING(MAX_TOTAL_TOKENS)},
    {.name = "max-prefill-tokens", SETTING(MAX_PREFILL_TOKENS)},
    {.name = "tp-size", SETTING(TENSOR_PARALLEL_SIZE)},
    {.name = "pp-size", SETTING(PIPELINE_PARALLEL_SIZE), .since = R(4, 6) + 2},
    {.name = "dp-size", SETTING(DATA_PARALLEL_SIZE)},
    {.name = "enable-dp-attention", .since = R(3, 6), SETTING(ENABLE_DP_ATTENTION)},
    {.name = "dtype", SETTING(DTYPE)},
    {.name = "quantization",
     SETTING(QUANTIZATION),
     WORDS(method_words),
     .uncounted = "auto-round-int8 humming mlx_q4 mlx_q8 mxfp_w4a8 quark_mxfp4"},
    {.name = "kv-cache-dtype", .since = R(2, 14), SETTING(KV_CACHE_DTYPE), WORDS(cache_words)},
    {.name = "page-size", SETTING(BLOCK_SIZE), .since = R(4, 4)},
    {.name = "attention-backend",
     SETTING(ATTENTION_BACKEND),
     WORDS(backend_words),
     .since = R(3, 1),
     .argument = "NAME",
     .help = "flashinfer, triton, fa3, trtllm_mha, aiter, ..."},
    {.name = "disable-cuda-graph", SETTING(ENFORCE_EAGER)},
    {.name = "cuda-graph-max-bs", .since = R(3, 5), SETTING(MAX_CUDAGRAPH_CAPTURE_SIZE)},
    {.name = "cuda-graph-bs",
     .kind = KVB_SERVE_LIST,
     .part = "cudagraph-capture-sizes",
     .since = R(4, 1) + 5,
     .argument = "LIST",
     .help = "decode batches with a graph: 1 2 4 8"},
    {.name = "disable-radix-cache", SETS(ENABLE_PREFIX_CACHING, 0), .help = "nothing is kept for prefixes"},
    {.name = "disable-overlap-schedule",
     .since = R(3, 6),
     SETS(ASYNC_SCHEDULING, 0),
     .help = "no scheduling one step ahead"},
    {.name = "disable-hybrid-swa-memory", SETTING(DISABLE_HYBRID_KV_CACHE_MANAGER), .since = R(4, 9) + 3},
    {.name = "swa-full-tokens-ratio", SETTING(SWA_FULL_TOKENS_RATIO), .since = R(4, 9) + 3},
    {.name = "mamba-full-memory-ratio", SETTING(MAMBA_FULL_MEMORY_RATIO), .since = R(5, 3) + 2},
    {.name = "max-mamba-cache-size", SETTING(MAX_MAMBA_CACHE_SIZE), .since = R(5, 2)},
    {.name = "mamba-ssm-dtype", SETTING(MAMBA_SSM_CACHE_DTYPE), .since = R(5, 2)},
    {.name = "mamba-scheduler-strategy", SETTING(MAMBA_EXTRA_BUFFER), .since = R(5, 7)},
    {.name = "cpu-offload-gb", .since = R(3, 6) + 1, SETTING(CPU_OFFLOAD_GB), .below_is_least = true},
    {.name = "enable-hierarchical-cache", SETTING(ENABLE_HIERARCHICAL_CACHE), .since = R(4, 2) + 1},
    {.name = "hicache-ratio", SETTING(HICACHE_RATIO), .below_is_least = true, .since = R(4, 4) + 2},
    {.name = "hicache-size", SETTING(HICACHE_SIZE), .below_is_least = true, .since = R(4, 5) + 3},
    {.name = "enable-lora", SETTING(ENABLE_LORA), .since = R(4, 9) + 3},
    {.name = "max-loras-per-batch", .since = R(3, 1), SETTING(MAX_LORAS)},
    {.name = "max-lora-rank", SETTING(MAX_LORA_RANK), .since = R(4, 9) + 3},
    {.name = "speculative-algorithm",
     SETTING(SPECULATIVE_METHOD),
     WORDS(draft_words),
     .since = R(4, 1) + 4,
     .argument = "NAME",
     .help = "EAGLE, EAGLE3, NEXTN, STANDALONE, NGRAM, ..."},
    {.name = "speculative-num-draft-tokens",
     SETTING(NUM_SPECULATIVE_TOKENS),
     .since = R(4, 1) + 4,
     .argument = "N",
     .help = "tokens verified per step"},
    {.name = "speculative-num-steps", SETTING(SPECULATIVE_STEPS), .since = R(4, 1) + 4},
    {.name = "speculative-eagle-topk", SETTING(SPECULATIVE_TOPK), .since = R(4, 1) + 4},
    {.name = "speculative-adaptive", SETTING(SPECULATIVE_ADAPTIVE), .since = R(5, 11)},
    {.name = "disaggregation-mode", SETTING(DISAGGREGATION_MODE), .since = R(4, 4) + 2},
    {.name = "moe-a2a-backend", SETTING(MOE_A2A_BACKEND), .since = R(4, 10) + 2},
    {.name = "moe-runner-backend",
     SETTING(MOE_BACKEND),
     WORDS(expert_words),
     .since = R(5, 1),
     .argument = "NAME",
     .help = "kernels of experts: triton, triton_kernel, marlin, flashinfer_mxfp4, ..."},
    {.name = "enable-torch-compile", SETTING(ENABLE_TORCH_COMPILE)},
    {.name = "enable-symm-mem", SETTING(ENABLE_SYMM_MEM), .since = R(4, 10) + 2},
    {.name = "enable-deterministic-inference", SETTING(ENABLE_DETERMINISTIC_INFERENCE), .since = R(5, 3)},
    {.name = "enable-two-batch-overlap", SETTING(ENABLE_TWO_BATCH_OVERLAP), .since = R(4, 7)},
    {.name = "enable-eplb", SETTING(ENABLE_EPLB), .since = R(4, 6) + 5},
    {.name = "enable-multimodal", SETTING(ENABLE_MULTIMODAL), .since = R(4, 6)},
    {.name = "language-only", SETTING(LANGUAGE_MODEL_ONLY), .since = R(5, 7)},
    {.name = "is-embedding", .since = R(2, 14), SETS(RUNNER, KVB_RUNNER_POOLING), .help = "an embedding model"},
    {.name = "trust-remote-code", SETTING(TRUST_REMOTE_CODE)},
    {.name = "cuda-graph-max-bs-prefill", SETTING(PREFILL_GRAPH_TOKENS), .since = R(5, 14)},
    {.name = "disable-prefill-cuda-graph", SETS(PREFILL_GRAPHS, 0), .since = R(5, 14), .help = "no graphs of prefills"},
    {.name = "json-model-override-args",
     .since = R(3, 1),
     .kind = KVB_SERVE_OVERRIDES,
     .part = "json-model-override-args",
     .argument = "JSON",
     .help = "keys of config.json to replace"},
    // other spellings and what older releases called them
    {.name = "model-path", .kind = KVB_SERVE_MODEL, .serve_only = true},
    {.name = "model", .kind = KVB_SERVE_MODEL, .since = R(4, 8) + 1, .serve_only = true},
    {.name = "tensor-parallel-size", SETTING(TENSOR_PARALLEL_SIZE), .since = R(2, 11), .serve_only = true},
    {.name = "tp", SETTING(TENSOR_PARALLEL_SIZE), .serve_only = true},
    {.name = "pipeline-parallel-size", SETTING(PIPELINE_PARALLEL_SIZE), .since = R(4, 6) + 2, .serve_only = true},
    {.name = "pp", SETTING(PIPELINE_PARALLEL_SIZE), .since = R(4, 6) + 2, .serve_only = true},
    {.name = "data-parallel-size", SETTING(DATA_PARALLEL_SIZE), .since = R(2, 11), .serve_only = true},
    {.name = "dp", SETTING(DATA_PARALLEL_SIZE), .serve_only = true},
    {.name = "ep-size",
     OWN(read_experts),
     .id = KVB_SET_ENABLE_EXPERT_PARALLEL,
     .since = R(4, 0) + 1,
     .serve_only = true},
    {.name = "expert-parallel-size",
     OWN(read_experts),
     .id = KVB_SET_ENABLE_EXPERT_PARALLEL,
     .since = R(4, 0) + 1,
     .serve_only = true},
    {.name = "ep", OWN(read_experts), .id = KVB_SET_ENABLE_EXPERT_PARALLEL, .since = R(4, 10), .serve_only = true},
    {.name = "enable-ep-moe",
     SETS(ENABLE_EXPERT_PARALLEL, 1),
     .since = R(4, 0) + 1,
     .until = R(5, 4),
     .serve_only = true},
    {.name = "enable-deepep-moe",
     SETS(MOE_A2A_BACKEND, KVB_A2A_DEEPEP),
     .since = R(4, 4) + 2,
     .until = R(5, 4),
     .serve_only = true},
    {.name = "lora-paths",
     .kind = KVB_SERVE_ADAPTERS,
     .id = KVB_SET_ENABLE_LORA,
     .number = 1,
     .since = R(3, 1),
     .serve_only = true},
    {.name = "speculative-draft-model-path", .kind = KVB_SERVE_DRAFT_MODEL, .since = R(4, 1) + 4, .serve_only = true},
    {.name = "speculative-draft-model", .kind = KVB_SERVE_DRAFT_MODEL, .since = R(5, 2), .serve_only = true},
    {.name = "mamba-radix-cache-strategy", SETTING(MAMBA_EXTRA_BUFFER), .since = R(5, 14), .serve_only = true},
    {.name = "language-model-only", SETTING(LANGUAGE_MODEL_ONLY), .since = R(5, 18), .serve_only = true},
    {.name = "disable-piecewise-cuda-graph", SETS(PREFILL_GRAPHS, 0), .since = R(5, 10), .serve_only = true},
    {.name = "enable-piecewise-cuda-graph",
     SETS(PREFILL_GRAPHS, 1),
     .since = R(5, 3) + 2,
     .until = R(5, 12),
     .serve_only = true},
    {.name = "enforce-piecewise-cuda-graph", SETS(PREFILL_GRAPHS, 1), .since = R(5, 10), .serve_only = true},
    {.name = "piecewise-cuda-graph-max-tokens",
     SETTING(PREFILL_GRAPH_TOKENS),
     .since = R(5, 3) + 2,
     .serve_only = true},
    {.name = "disable-decode-cuda-graph", SETS(ENFORCE_EAGER, 1), .since = R(5, 14), .serve_only = true},
    {.name = "cuda-graph-max-bs-decode", SETTING(MAX_CUDAGRAPH_CAPTURE_SIZE), .since = R(5, 14), .serve_only = true},
    {.name = "cuda-graph-backend-prefill", OWN(read_prefill_backend), .since = R(5, 14), .serve_only = true},
    {.name = "cuda-graph-backend-decode", OWN(read_decode_backend), .since = R(5, 14), .serve_only = true},
    {.name = "config", .kind = KVB_SERVE_CONFIG_FILE, .since = R(5, 3), .serve_only = true},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

const struct kvb_serve_flag *kvb_sgl_flag(unsigned index)
{
    return index < ROW_COUNT ? &rows[index] : kvb_sgl_plain_flag(index - (unsigned)ROW_COUNT);
}

const struct kvb_setting_part *kvb_sgl_parts(size_t *count)
{
    static const struct kvb_setting_part parts[] = {
        {KVB_SET_CUDAGRAPH_CAPTURE_SIZES, "cudagraph-capture-sizes", NULL, .since = R(4, 1) + 5},
    };
    *count = sizeof parts / sizeof parts[0];
    return parts;
}

const struct kvb_serve_program *kvb_sgl_programs(size_t *count)
{
    static const struct kvb_serve_program programs[] = {
        {.form = KVB_PROGRAM_MODULE,
         .name = "sglang.launch_server",
         .usage = "python -m sglang.launch_server --model-path ...",
         .is_module = true},
        {.form = KVB_PROGRAM_WORDS, .name = "sglang", .second = "serve", .usage = "sglang serve --model-path ..."},
        {.form = KVB_PROGRAM_MODULE, .name = "sglang_router.launch_server"},
        {.form = KVB_PROGRAM_MODULE, .name = "dynamo.sglang"},
        {.form = KVB_PROGRAM_FILE, .name = "sglang/launch_server.py"},
    };
    *count = sizeof programs / sizeof programs[0];
    return programs;
}
