// All tables of recognised lines, and the words for engines, stages, failures and observations.
#include "logs/lines.h"

const struct kvb_line_table *const kvb_line_tables[KVB_LINE_TABLES] = {
    &kvb_lines_vllm_setup, &kvb_lines_vllm_memory, &kvb_lines_vllm_errors, &kvb_lines_torch,   &kvb_lines_sglang,
    &kvb_lines_llamacpp,   &kvb_lines_tensorrt,    &kvb_lines_lmdeploy,    &kvb_lines_metrics, &kvb_lines_tgi,
    &kvb_lines_ollama,     &kvb_lines_death,       &kvb_lines_near,
};

static const struct kvb_log_engine_row engine_rows[KVB_LOG_ENGINE_COUNT] = {
    [KVB_LOG_UNKNOWN_ENGINE] = {"", false, false, false},
    [KVB_LOG_VLLM] = {"vllm", true, false, false},
    [KVB_LOG_SGLANG] = {"sglang", false, false, false},
    [KVB_LOG_LLAMACPP] = {"llama.cpp", false, true, true},
    [KVB_LOG_TENSORRT] = {"tensorrt-llm", false, true, false},
    [KVB_LOG_LMDEPLOY] = {"lmdeploy", false, false, false},
    [KVB_LOG_TGI] = {"tgi", false, false, false},
    [KVB_LOG_OLLAMA] = {"ollama", false, true, true},
    [KVB_LOG_TORCH] = {"torch", false, false, false},
};

const struct kvb_log_engine_row *kvb_log_engine_row_of(enum kvb_log_engine engine)
{
    return &engine_rows[(unsigned)engine < KVB_LOG_ENGINE_COUNT ? engine : KVB_LOG_UNKNOWN_ENGINE];
}

const char *kvb_log_engine_name(enum kvb_log_engine engine)
{
    return kvb_log_engine_row_of(engine)->name;
}

const char *kvb_log_verdict_name(enum kvb_log_verdict verdict)
{
    static const char *const names[] = {"healthy", "failed", "unknown", "incomplete"};
    return names[verdict];
}

struct failure_words {
    const char *name;
    const char *title;
};

static const struct failure_words failure_rows[KVB_FAILURE_COUNT] = {
    [KVB_FAILURE_NONE] = {"none", "no failure"},
    [KVB_FAILURE_NEGATIVE_KV] = {"negative_kv", "nothing is left for the KV cache"},
    [KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN] = {"not_enough_for_max_len", "the KV cache is too small for one request"},
    [KVB_FAILURE_FREE_LESS_THAN_REQUESTED] = {"free_less_than_requested",
                                              "less memory is free than the engine asks for"},
    [KVB_FAILURE_PROFILING_ASSERTION] = {"profiling_assertion", "memory was freed by others while the engine measured"},
    [KVB_FAILURE_OOM_LOAD] = {"oom_load", "out of memory while loading the weights"},
    [KVB_FAILURE_OOM_PROFILE] = {"oom_profile", "out of memory in the profiling run"},
    [KVB_FAILURE_OOM_GRAPH] = {"oom_graph", "out of memory while allocating the KV cache or capturing graphs"},
    [KVB_FAILURE_OOM_SAMPLER] = {"oom_sampler", "out of memory in the sampler warm-up"},
    [KVB_FAILURE_OOM_SERVING] = {"oom_serving", "out of memory while serving"},
    [KVB_FAILURE_STATE_BLOCKS] = {"too_few_state_blocks", "fewer state blocks than sequences"},
    [KVB_FAILURE_OTHER] = {"other", "not one of the kinds of memory failure"},
};

const char *kvb_failure_name(enum kvb_failure failure)
{
    return failure_rows[failure].name;
}

const char *kvb_failure_title(enum kvb_failure failure)
{
    return failure_rows[failure].title;
}

const char *kvb_log_stage_name(enum kvb_log_stage stage)
{
    static const char *const names[KVB_STAGE_COUNT] = {
        "before anything was logged", "configured",      "loading weights", "weights loaded", "KV cache sized",
        "KV cache allocated",         "graphs captured", "started",         "serving"};
    return names[stage];
}

static const struct kvb_observation_row observation_rows[KVB_OBS_COUNT] = {
    [KVB_OBS_WEIGHTS] = {"weights_bytes", "weights", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_ACTIVATION] = {"activation_bytes", "activation peak", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_NON_TORCH] = {"non_torch_bytes", "outside PyTorch", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_CUDA_GRAPH] = {"cuda_graph_bytes", "CUDA graphs", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_KV_CACHE] = {"kv_cache_bytes", "KV cache", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_REQUESTED] = {"requested_bytes", "requested", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_GPU_MEMORY] = {"gpu_memory_bytes", "GPU memory", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_GPU_FREE] = {"gpu_free_bytes", "free at start", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_NEEDED] = {"needed_bytes", "needed for one request", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_NEEDED_FOR_LEN] = {"needed_for_len", "of this length", KVB_LOG_TOKENS, KVB_LOG_LAST},
    [KVB_OBS_ESTIMATED_MAX_MODEL_LEN] = {"estimated_max_model_len", "engine's estimate of the longest", KVB_LOG_TOKENS,
                                         KVB_LOG_SMALLEST},
    [KVB_OBS_KV_TOKENS] = {"kv_tokens", "KV cache tokens", KVB_LOG_TOKENS, KVB_LOG_SMALLEST},
    [KVB_OBS_NUM_GPU_BLOCKS] = {"num_gpu_blocks", "GPU blocks", KVB_LOG_COUNT, KVB_LOG_SMALLEST},
    [KVB_OBS_MAX_CONCURRENCY] = {"max_concurrency", "concurrency", KVB_LOG_HUNDREDTHS, KVB_LOG_SMALLEST},
    [KVB_OBS_INITIAL_FREE] = {"initial_free_bytes", "free before profiling", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_CURRENT_FREE] = {"current_free_bytes", "free after profiling", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_TRIED_ALLOC] = {"tried_alloc_bytes", "allocation that failed", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_GRAPH_ESTIMATE] = {"graph_estimate_bytes", "CUDA graph estimate", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_CONSUMED] = {"consumed_bytes", "weights and outside PyTorch", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_PEAK_WITH_GRAPHS] = {"peak_with_graphs_bytes", "activation peak and graph estimate", KVB_LOG_BYTES,
                                  KVB_LOG_LARGEST},
    [KVB_OBS_CPU_BLOCKS] = {"cpu_blocks", "CPU blocks", KVB_LOG_COUNT, KVB_LOG_SMALLEST},
    [KVB_OBS_CONCURRENCY_LEN] = {"concurrency_len", "concurrency at", KVB_LOG_TOKENS, KVB_LOG_LAST},
    [KVB_OBS_UTILIZATION] = {"utilization", "utilization", KVB_LOG_PPM, KVB_LOG_LAST},
    [KVB_OBS_UTILIZATION_WITHOUT_GRAPHS] = {"utilization_without_graphs", "utilization less graphs", KVB_LOG_PPM,
                                            KVB_LOG_LAST},
    [KVB_OBS_MAX_MODEL_LEN] = {"max_model_len", "longest request", KVB_LOG_TOKENS, KVB_LOG_LAST},
    [KVB_OBS_MAX_BATCHED_TOKENS] = {"max_batched_tokens", "tokens in one batch", KVB_LOG_TOKENS, KVB_LOG_LAST},
    [KVB_OBS_BLOCK_SIZE] = {"block_size", "block size", KVB_LOG_TOKENS, KVB_LOG_LAST},
    [KVB_OBS_SUGGESTED_FIT] = {"suggested_fit", "engine's suggestion, inside the request", KVB_LOG_BYTES,
                               KVB_LOG_SMALLEST},
    [KVB_OBS_SUGGESTED_FULL] = {"suggested_full", "engine's suggestion, whole card", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_WARMUP_REQUESTS] = {"warmup_requests", "sequences in the sampler warm-up", KVB_LOG_COUNT, KVB_LOG_LAST},
    [KVB_OBS_MAMBA_BLOCKS] = {"mamba_blocks", "state blocks", KVB_LOG_COUNT, KVB_LOG_SMALLEST},
    [KVB_OBS_MAMBA_SEQS] = {"mamba_seqs", "sequences asked for", KVB_LOG_COUNT, KVB_LOG_LAST},
    [KVB_OBS_OOM_FREE] = {"oom_free", "free at the failure", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_OOM_ALLOCATED] = {"oom_allocated", "held by PyTorch", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_OOM_UNALLOCATED] = {"oom_unallocated", "reserved but unallocated", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_OOM_PRIVATE] = {"oom_private", "in private pools", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_OOM_PROCESS] = {"oom_process", "largest listed process", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_OOM_THIS_PROCESS] = {"oom_this_process", "held by this process", KVB_LOG_BYTES, KVB_LOG_FIRST},
    [KVB_OBS_ENCODER_TOKENS] = {"encoder_tokens", "encoder budget", KVB_LOG_TOKENS, KVB_LOG_LARGEST},
    [KVB_OBS_DROPPED_LAYERS_WASTE] = {"padding_waste", "waste by padding layers", KVB_LOG_HUNDREDTHS, KVB_LOG_LARGEST},
    [KVB_OBS_AVAIL_BEFORE_LOAD] = {"avail_before_load", "free before the weights", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_AVAIL_AFTER_LOAD] = {"avail_after_load", "free after the weights", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_AVAIL_AFTER_POOL] = {"avail_after_pool", "free after the pool", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_STATIC_FRACTION] = {"mem_fraction_static", "static fraction", KVB_LOG_PPM, KVB_LOG_LAST},
    [KVB_OBS_FULL_TOKENS] = {"full_layer_tokens", "tokens of full layers", KVB_LOG_COUNT, KVB_LOG_SMALLEST},
    [KVB_OBS_KEYS_SIZE] = {"keys_size", "keys", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_VALUES_SIZE] = {"values_size", "values", KVB_LOG_BYTES, KVB_LOG_SMALLEST},
    [KVB_OBS_OFFLOADED_LAYERS] = {"offloaded_layers", "layers on the GPU", KVB_LOG_COUNT, KVB_LOG_LAST},
    [KVB_OBS_MODEL_LAYERS] = {"model_layers", "layers of the model", KVB_LOG_COUNT, KVB_LOG_LAST},
    [KVB_OBS_BLOCK_BYTES] = {"block_bytes", "bytes of a block", KVB_LOG_BYTES, KVB_LOG_LAST},
    [KVB_OBS_BLOCK_TOKENS] = {"block_tokens", "tokens of a block", KVB_LOG_TOKENS, KVB_LOG_LAST},
    [KVB_OBS_RUNNING] = {"running", "requests running", KVB_LOG_COUNT, KVB_LOG_SUM},
    [KVB_OBS_WAITING] = {"waiting", "requests waiting", KVB_LOG_COUNT, KVB_LOG_SUM},
    [KVB_OBS_KV_USAGE] = {"kv_cache_usage", "share of the KV cache in use", KVB_LOG_PPM, KVB_LOG_LARGEST},
    [KVB_OBS_PREEMPTIONS] = {"preemptions", "preemptions since the start", KVB_LOG_COUNT, KVB_LOG_SUM},
    [KVB_OBS_USED_TOKENS] = {"used_tokens", "tokens in use", KVB_LOG_TOKENS, KVB_LOG_LARGEST},
    [KVB_OBS_TORCH_ALLOCATED] = {"torch_allocated_bytes", "allocated by PyTorch", KVB_LOG_BYTES, KVB_LOG_LAST},
    [KVB_OBS_TORCH_PEAK] = {"torch_peak_bytes", "peak allocated by PyTorch", KVB_LOG_BYTES, KVB_LOG_LARGEST},
    [KVB_OBS_TORCH_RESERVED] = {"torch_reserved_bytes", "reserved by PyTorch", KVB_LOG_BYTES, KVB_LOG_LAST},
    [KVB_OBS_TORCH_OOMS] = {"torch_ooms", "failed allocations since the start", KVB_LOG_COUNT, KVB_LOG_LARGEST},
    [KVB_OBS_OVERRIDDEN_BLOCKS] = {"overridden_blocks", "blocks without the override", KVB_LOG_COUNT, KVB_LOG_SMALLEST},
    [KVB_OBS_FILE_SIZE] = {"file_size", "model file", KVB_LOG_BYTES, KVB_LOG_LAST},
    [KVB_OBS_IGNORED] = {"ignored", "ignored", KVB_LOG_COUNT, KVB_LOG_LAST},
};

const struct kvb_observation_row *kvb_observation_row_of(enum kvb_observation observation)
{
    return (unsigned)observation < KVB_OBS_COUNT ? &observation_rows[observation] : NULL;
}
