// Flags of a serve line that a release does not take together, or not without another. Read from its own checks, tag by
// tag: vllm/entrypoints/openai/cli_args.py, entrypoints/cli/serve.py, vllm/engine/arg_utils.py and vllm/config.
#include "engines/vllm/serve.h"

#include <string.h>

#include "base/text.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve_members.h"

#define METHOD_KEPT_SINCE KVB_RELEASE(0, 20, 0)
#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// What the rest of the plan has to be.
typedef bool pair_test(const struct kvb_plan *plan);

struct pair_row {
    uint32_t since, gone;     // 0 = no end on that side
    const char *flag, *holds; // `holds`: its value has this in it; NULL: any
    const char *but;          // the value that says nothing: the field's own
    const char *with, *with_holds;
    const char *none_of;                 // the value of `with` is none of these words, each between blanks
    const char *without, *without_holds; // refused where this one is not given
    const char *variable;                // "NAME=value" has to be in the environment
    pair_test *when;
    bool even_off; // the flag as --no-NAME, too
    const char *text;
};

static bool has_encoder(const struct kvb_plan *plan)
{
    return kvb_model_is_multimodal(&plan->model);
}

static bool has_no_encoder(const struct kvb_plan *plan)
{
    return !kvb_model_is_multimodal(&plan->model);
}

static bool is_one_rank_of_context(const struct kvb_plan *plan)
{
    return kvb_number(plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE) <= 1;
}

static bool is_split(const struct kvb_plan *plan)
{
    return kvb_number(plan, KVB_SET_TENSOR_PARALLEL_SIZE) > 1 || kvb_number(plan, KVB_SET_PIPELINE_PARALLEL_SIZE) > 1 ||
           kvb_number(plan, KVB_SET_DATA_PARALLEL_SIZE) > 1;
}

static bool has_several_encoders(const struct kvb_plan *plan)
{
    return has_encoder(plan) && is_split(plan);
}

static bool pools_pictures(const struct kvb_plan *plan)
{
    return has_encoder(plan) && kvb_vllm_plan_pools(plan);
}

// Other than of one that encodes alone and hands over what it encoded, whose pictures may be prepared on the GPU.
static bool runs_both(const struct kvb_plan *plan)
{
    return has_encoder(plan) && (plan->plain_flags & KVB_PLAIN_ENCODER_CACHE_TRANSFER) == 0;
}

// A class that is made of another one.
static bool is_only_converted(const struct kvb_plan *plan)
{
    return kvb_class_of(plan->model.architecture, plan->engine.release) == NULL &&
           kvb_class_served_by(plan->model.architecture, plan->engine.release) != NULL;
}

static bool is_nvidia(const struct kvb_plan *plan)
{
    return plan->gpu.vendor == KVB_VENDOR_NVIDIA;
}

#define FLASH_LISTS_SINCE R(22, 0)

// Gaudi's cache is in no backend's list, but in that of FlashAttention 3 to 0.21, which asks for the letters fp8 alone
// and has no type for it once it runs.
// Source: supported_kv_cache_dtypes and supports_kv_cache_dtype of vllm/v1/attention/backends v0.11.1 to v0.27.1;
// flash_attn.py get_fp8_dtype_for_flashattn v0.11.2 and v0.21.0.
static bool takes_flash3(const struct kvb_plan *plan)
{
    return plan->gpu.compute_capability == KVB_CAPABILITY_HOPPER && plan->engine.release < FLASH_LISTS_SINCE;
}

static bool reads_no_inc(const struct kvb_plan *plan)
{
    return is_nvidia(plan) && plan->gpu.compute_capability > 0 && !takes_flash3(plan);
}

static bool reads_inc(const struct kvb_plan *plan)
{
    return is_nvidia(plan) && takes_flash3(plan);
}

// params.json lies beside the config of Mistral's own checkpoints alone.
static bool has_no_params(const struct kvb_plan *plan)
{
    static const char *const makers[] = {"Mistral", "Mixtral", "Pixtral", "Voxtral", "Llama", "Eagle"};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (kvb_starts_with(plan->model.architecture, makers[i])) {
            return false;
        }
    }
    return true;
}

// GptOssMxfp4Config.override_quantization_method takes whatever is asked.
static bool looks_method_up(const struct kvb_plan *plan)
{
    return plan->engine.release < METHOD_KEPT_SINCE || strcmp(plan->model.architecture, "GptOssForCausalLM") != 0;
}

static bool drafts_by_hidden_state(const struct kvb_plan *plan)
{
    uint64_t method = kvb_number(plan, KVB_SET_SPECULATIVE_METHOD);
    return method == KVB_SPECULATIVE_EAGLE || method == KVB_SPECULATIVE_MTP;
}

static bool asks_async(const struct kvb_plan *plan)
{
    return kvb_number(plan, KVB_SET_ASYNC_SCHEDULING) != 0;
}

static bool has_stages(const struct kvb_plan *plan)
{
    return kvb_number(plan, KVB_SET_PIPELINE_PARALLEL_SIZE) > 1;
}

static bool asks_async_on_rocm(const struct kvb_plan *plan)
{
    return asks_async(plan) && plan->gpu.vendor == KVB_VENDOR_AMD;
}

#define PADDED_BATCH_TEXT                                                                                              \
    "async scheduling for EAGLE/MTP kind of speculative decoding is enabled, but disable_padded_drafter_batch=True "   \
    "disable_padded_drafter_batch=True is not supported for this situation now. please set "                           \
    "disable_padded_drafter_batch=Fasle"

static const struct pair_row rows[] = {
    {R(6, 0), 0, .flag = "enable-auto-tool-choice", .without = "tool-call-parser",
     .text = "Error: --enable-auto-tool-choice requires --tool-call-parser"},
    {R(7, 1), R(9, 0), .flag = "enable-reasoning", .without = "reasoning-parser",
     .text = "Error: --enable-reasoning requires --reasoning-parser"},
    {R(11, 0), 0, .flag = "enable-log-outputs", .without = "enable-log-requests",
     .text = "Error: --enable-log-outputs requires --enable-log-requests"},
    {R(25, 0), 0, .flag = "enable-per-request-metrics", .with = "disable-log-stats",
     .text = "Error: --enable-per-request-metrics requires engine statistics logging; remove --disable-log-stats to "
             "enable per-request metrics."},
    {R(15, 0), R(22, 0), .flag = "data-parallel-external-lb", .with = "data-parallel-hybrid-lb",
     .text = "Cannot use both external and hybrid data parallel load balancing modes."},
    {R(22, 0), 0, .flag = "data-parallel-external-lb", .with = "data-parallel-hybrid-lb",
     .text = "Cannot use more than one data parallel load balancing mode."},
    {R(10, 0), 0, .flag = "headless", .with = "data-parallel-hybrid-lb",
     .text = "data_parallel_hybrid_lb is not applicable in headless mode"},
    {R(11, 1), 0, .flag = "collect-detailed-traces", .without = "otlp-traces-endpoint",
     .text = "collect_detailed_traces requires `--otlp-traces-endpoint` to be set."},
    {R(11, 1), R(14, 0), .flag = "kv-offloading-backend", .without = "kv-offloading-size",
     .text = "You must set kv_offloading_size when kv_offloading_backend is set."},
    {R(5, 0), 0, .flag = "ray-workers-use-nsight", .without = "distributed-executor-backend", .without_holds = "ray",
     .text = "Unable to use nsight profiling unless workers run with Ray."},
    {R(10, 0), R(11, 0), .flag = "distributed-executor-backend", .holds = "uni", .when = asks_async,
     .text = "Async scheduling is not supported with uni-process backend."},
    {R(11, 1), 0, .flag = "distributed-executor-backend", .holds = "uni", .when = has_stages,
     .text =
         "Pipeline Parallelism without Ray distributed executor or multiprocessing executor or external launcher is "
         "not supported. We recommend to remove Pipeline Parallelism from your config."},
    {R(28, 0), 0, .flag = "enable-dbo", .with = "all2all-backend", .with_holds = "deepep_high_throughput",
     .when = asks_async_on_rocm,
     .text =
         "Async scheduling is not compatible with ROCm DeepEP high-throughput DBO. Please use --no-async-scheduling "
         "or select a different all2all backend."},
    {R(19, 0), 0, .flag = "distributed-executor-backend", .holds = "ray", .when = asks_async,
     .text = "`ray` does not support async scheduling yet."},
    {R(17, 0), 0, .flag = "enable-elastic-ep", .without = "enable-eplb",
     .text = "Elastic EP is only supported with enable_eplb=True."},
    {R(20, 0), 0, .flag = "numa-bind-nodes", .without = "numa-bind",
     .text = "numa_bind_nodes and numa_bind_cpus require numa_bind=True."},
    {R(20, 0), 0, .flag = "numa-bind-cpus", .without = "numa-bind",
     .text = "numa_bind_nodes and numa_bind_cpus require numa_bind=True."},
    {R(18, 0), 0, .flag = "dcp-comm-backend", .holds = "a2a", .when = is_one_rank_of_context,
     .text = "dcp_comm_backend='a2a' requires decode_context_parallel_size > 1."},
    {R(11, 1), 0, .flag = "cudagraph-capture-sizes", .with = "compilation-config",
     .with_holds = "\"cudagraph_capture_sizes\"",
     .text = "cudagraph_capture_sizes and compilation_config.cudagraph_capture_sizes are mutually exclusive"},
    {R(11, 1), 0, .flag = "max-cudagraph-capture-size", .with = "compilation-config",
     .with_holds = "\"max_cudagraph_capture_size\"",
     .text = "max_cudagraph_capture_size and compilation_config.max_cudagraph_capture_size are mutually exclusive"},
    {R(13, 0), 0, .flag = "attention-backend", .with = "attention-config", .with_holds = "\"backend\"",
     .text = "attention_backend and attention_config.backend are mutually exclusive"},
    {R(16, 0), 0, .flag = "enable-flashinfer-autotune", .with = "kernel-config",
     .with_holds = "\"enable_flashinfer_autotune\"", .even_off = true,
     .text = "enable_flashinfer_autotune and kernel_config.enable_flashinfer_autotune are mutually exclusive"},
    {R(22, 0), 0, .flag = "spec-model", .with = "speculative-config", .with_holds = "\"model\"",
     .text = "--spec-model and --speculative-config['model'] are mutually exclusive"},
    {R(22, 0), 0, .flag = "spec-method", .with = "speculative-config", .with_holds = "\"method\"",
     .text = "--spec-method and --speculative-config['method'] are mutually exclusive"},
    {R(22, 0), 0, .flag = "spec-tokens", .with = "speculative-config", .with_holds = "\"num_speculative_tokens\"",
     .text = "--spec-tokens and --speculative-config['num_speculative_tokens'] are mutually exclusive"},
    {R(15, 0), 0, .flag = "speculative-config", .holds = "\"tensor_parallel_size\"",
     .text = "'tensor_parallel_size' is not a valid argument in the speculative_config. Please pass "
             "'draft_tensor_parallel_size' instead."},
    {R(14, 0), 0, .flag = "speculative-config", .holds = "\"disable_padded_drafter_batch\": true", .when = asks_async,
     .text = "Async scheduling is not compatible with disable_padded_drafter_batch=True."},
    {R(14, 0), 0, .flag = "speculative-config", .holds = "\"disable_padded_drafter_batch\":true", .when = asks_async,
     .text = "Async scheduling is not compatible with disable_padded_drafter_batch=True."},
    {R(11, 1), R(14, 0), .flag = "speculative-config", .holds = "\"disable_padded_drafter_batch\": true",
     .when = asks_async, .text = PADDED_BATCH_TEXT},
    {R(11, 1), R(14, 0), .flag = "speculative-config", .holds = "\"disable_padded_drafter_batch\":true",
     .when = asks_async, .text = PADDED_BATCH_TEXT},
    {R(10, 2), 0, .flag = "kv-sharing-fast-prefill", .when = drafts_by_hidden_state,
     .text = "Fast prefill optimization for KV sharing is not compatible with EAGLE as EAGLE requires correct logits "
             "for all tokens while fast prefill gives incorrect logits for prompt tokens."},
    {R(20, 0), 0, .flag = "enable-mamba-cache-stochastic-rounding", .without = "mamba-ssm-cache-dtype",
     .without_holds = "float16",
     .text = "Stochastic rounding for Mamba cache requires the SSM cache to be float16. Please set it explicitly, by "
             "specifying `--mamba-ssm-cache-dtype float16`."},
    {R(19, 0), 0, .flag = "mm-tensor-ipc", .holds = "torch_shm", .when = has_several_encoders,
     .text = "mm_tensor_ipc='torch_shm' is not supported with data_parallel_size > 1 or tensor_parallel_size > 1 or "
             "pipeline_parallel_size > 1."},
    {R(19, 0), 0, .flag = "mm-tensor-ipc", .holds = "torch_shm", .variable = "VLLM_WORKER_MULTIPROC_METHOD=fork",
     .when = has_encoder, // the command sets spawn where nothing is said (cli_env_setup)
     .text = "torch_shm is known to fail without VLLM_WORKER_MULTIPROC_METHOD set to spawn"},
    {R(22, 0), R(24, 0), .flag = "quantization-config", .with = "quantization",
     .none_of = " fp8_per_block fp8_per_tensor int8_per_channel_weight_only mxfp8 online ",
     .text = "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_tensor', "
             "'int8_per_channel_weight_only', 'mxfp8', 'online']"},
    {R(24, 0), R(26, 0), .flag = "quantization-config", .with = "quantization",
     .none_of = " fp8_per_block fp8_per_channel fp8_per_tensor int8_per_channel_weight_only mxfp8 online ",
     .text = "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_channel', "
             "'fp8_per_tensor', 'int8_per_channel_weight_only', 'mxfp8', 'online']"},
    {R(26, 0), R(28, 0), .flag = "quantization-config", .with = "quantization",
     .none_of =
         " fp8_per_block fp8_per_channel fp8_per_tensor int8_per_channel_weight_only mxfp8 nvfp4_per_token online ",
     .text = "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_channel', "
             "'fp8_per_tensor', 'int8_per_channel_weight_only', 'mxfp8', 'nvfp4_per_token', 'online']"},
    {R(28, 0), 0, .flag = "quantization-config", .with = "quantization",
     .none_of = " fp8_per_block fp8_per_channel fp8_per_tensor int8_per_channel_weight_only mxfp4 mxfp8 "
                "nvfp4_per_token online ",
     .text = "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_channel', "
             "'fp8_per_tensor', 'int8_per_channel_weight_only', 'mxfp4', 'mxfp8', 'nvfp4_per_token', 'online']"},
    {R(9, 0), R(11, 0), .flag = "guided-decoding-disable-any-whitespace", .without = "guided-decoding-backend",
     .text = "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(9, 0), R(11, 0), .flag = "guided-decoding-disable-any-whitespace", .with = "guided-decoding-backend",
     .with_holds = "auto", .text = "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(9, 0), R(11, 0), .flag = "guided-decoding-disable-any-whitespace", .with = "guided-decoding-backend",
     .with_holds = "outlines", .text = "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(9, 0), R(11, 0), .flag = "guided-decoding-disable-any-whitespace", .with = "guided-decoding-backend",
     .with_holds = "lm-format-enforcer",
     .text = "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(5, 2), R(10, 0), .flag = "enable-prompt-adapter", .without = "max-prompt-adapter-token",
     .text = "max_prompt_adapter_token must be set."},
    {R(9, 0), R(11, 0), .flag = "guided-decoding-disable-additional-properties", .without = "guided-decoding-backend",
     .without_holds = "guidance", .text = "disable_additional_properties is only supported for the guidance backend."},
    {R(28, 0), 0, .flag = "mm-processor-device", .holds = "cuda", .when = runs_both,
     .text = "Cannot run the multi-modal processor on 'cuda': this instance also runs the language model."},
    {R(28, 0), 0, .flag = "mm-processor-kwargs", .holds = "\"device\": \"cuda", .when = runs_both,
     .text = "Cannot run the multi-modal processor on 'cuda': this instance also runs the language model."},
    {R(28, 0), 0, .flag = "mm-processor-kwargs", .holds = "\"device\":\"cuda", .when = runs_both,
     .text = "Cannot run the multi-modal processor on 'cuda': this instance also runs the language model."},
    {R(9, 0), R(9, 2), .flag = "quantization", .holds = "None", // to argparse, whose list has the word and no null
     .text = "argument --quantization/-q: invalid choice: 'None'"},
    {R(9, 2), R(10, 0), .flag = "quantization", .holds = "None",
     .text = "1 validation error for ModelConfig, Unknown quantization method: None."},
    {R(10, 1), 0, .flag = "convert", .holds = "none", .when = is_only_converted,
     .text = "This model does not support `--runner pooling`. You can pass `--convert` to adapt it into a pooling "
             "model."},
    {R(11, 1), 0, .flag = "kv-cache-dtype", .holds = "fp8_inc", .when = reads_no_inc,
     .text = "No valid attention backend found for cuda with kv_cache_dtype=fp8_inc"},
    {R(11, 1), 0, .flag = "kv-cache-dtype", .holds = "fp8_inc", .when = reads_inc,
     .text = "Unrecognized FP8 dtype: fp8_inc"},
    {0, 0, .flag = "quantization", .holds = "none", .when = looks_method_up, // None of Python is none
     .text = "Unknown quantization method: none."},
    {0, 0, .flag = "quantization", .holds = "NONE", .when = looks_method_up,
     .text = "Unknown quantization method: NONE."},
    {R(7, 3), R(20, 0), .flag = "quantization", .holds = "ptpc_fp8", .when = is_nvidia,
     .text = "ptpc_fp8 quantization is supported only on ROCm."},
    {R(19, 0), R(27, 0), .flag = "renderer-num-workers", .but = "1", .without = "mm-processor-cache-gb",
     .without_holds = "0", .when = has_encoder,
     .text = "Cannot use --renderer-num-workers > 1 with the multimodal processor cache enabled."},
    {R(27, 0), 0, .flag = "renderer-num-workers", .but = "1", .without = "mm-processor-cache-gb", .without_holds = "0",
     .when = pools_pictures,
     .text = "Cannot use --renderer-num-workers > 1 with the multimodal processor cache enabled for pooling models."},
    {R(10, 0), 0, .flag = "default-mm-loras", .holds = "\"", .when = has_no_encoder,
     .text = "Default modality-specific LoRA(s) were provided for a non multimodal model"},
    {R(11, 1), 0, .flag = "mm-shm-cache-max-object-size-mb", .but = "128", .without = "mm-processor-cache-type",
     .without_holds = "shm", .when = has_encoder,
     .text = "'mm_shm_cache_max_object_size_mb' should only be set when 'mm_processor_cache_type' is 'shm'."},
    {R(21, 0), 0, .flag = "mm-encoder-fp8-scale-path", .without = "mm-encoder-attn-dtype", .without_holds = "fp8",
     .when = has_encoder,
     .text = "'mm_encoder_fp8_scale_path' and 'mm_encoder_fp8_scale_save_path' require 'mm_encoder_attn_dtype' to be "
             "'fp8'."},
    {R(21, 0), 0, .flag = "mm-encoder-fp8-scale-save-path", .without = "mm-encoder-attn-dtype", .without_holds = "fp8",
     .when = has_encoder,
     .text = "'mm_encoder_fp8_scale_path' and 'mm_encoder_fp8_scale_save_path' require 'mm_encoder_attn_dtype' to be "
             "'fp8'."},
    {R(8, 3), R(9, 0), .flag = "distributed-executor-backend", .holds = "external_launcher", .without = "seed",
     .text = "Seed must be set when using external launcher backend to make sure sampling results are the same across "
             "workers."},
    {R(8, 2), R(9, 0), .flag = "qlora-adapter-name-or-path", .without = "quantization", .without_holds = "bitsandbytes",
     .text = "QLoRA adapter only support 'bitsandbytes' quantization"},
    {R(10, 0), R(15, 0), .flag = "quantization", .holds = "inc", // INCConfig.get_min_capability, made for Gaudi
     .text = "1 validation error for VllmConfig, Assertion failed"},
    {0, 0, .flag = "config-format", .holds = "mistral", .when = has_no_params,
     .text = "Failed to load mistral 'params.json' config for model. Please check if the model is a mistral-format "
             "model and if the config file exists."},
    {R(11, 0), R(17, 0), .flag = "logits-processor-pattern",
     .text = "--logits-processor-pattern is not supported. We recommend to remove --logits-processor-pattern from your "
             "config."},
};

// Whether the flag is given, with `holds` in its value.
static bool is_given(const struct kvb_deployment *deployment, const char *flag, const char *holds, uint32_t release)
{
    const char *said = kvb_vllm_said(deployment, flag, release);
    char dotted[KVB_DOTTED_CAPACITY];
    if (said == NULL) {
        kvb_vllm_gather_dotted(deployment, flag, release, dotted);
        said = strcmp(dotted, "{}") != 0 ? dotted : NULL;
    }
    if (said == NULL || holds == NULL) {
        return said != NULL;
    }
    size_t size = strcspn(said, "\n"), length = strlen(holds);
    for (size_t at = 0; at + length <= size; at++) {
        bool key = holds[0] == '"' && holds[length - 1] == '"'; // a colon has to follow
        if (memcmp(said + at, holds, length) == 0 &&
            (!key || said[at + length + strspn(said + at + length, " ")] == ':')) {
            return true;
        }
    }
    return false;
}

static bool is_turned_off(const struct kvb_deployment *deployment, const char *flag, uint32_t release)
{
    for (const char *line = deployment->serve_flags; *line != '\0'; line = kvb_vllm_next_line(line)) {
        const char *value;
        bool off = false;
        const struct kvb_known_flag *known = kvb_vllm_flag_given(line, release, &value, &off);
        if (known != NULL && off && strcmp(known->name, flag) == 0) {
            return true;
        }
    }
    return false;
}

// Whether the flag's value is one of the words; NULL and what is no single word are none.
static bool is_word(const struct kvb_deployment *deployment, const char *flag, const char *words, uint32_t release)
{
    const char *said = words != NULL ? kvb_vllm_said(deployment, flag, release) : NULL;
    size_t size = said != NULL ? strcspn(said, " \n") : 0;
    for (const char *at = words; size > 0 && *at != '\0'; at += strcspn(at + 1, " ") + 1) {
        if (strncmp(at + 1, said, size) == 0 && at[1 + size] == ' ') {
            return true;
        }
    }
    return false;
}

static bool says_nothing(const struct kvb_deployment *deployment, const struct pair_row *row, uint32_t release)
{
    const char *said = row->but != NULL ? kvb_vllm_said(deployment, row->flag, release) : NULL;
    return said != NULL && strcspn(said, "\n") == strlen(row->but) && kvb_starts_with(said, row->but);
}

static bool is_noted(const struct kvb_deployment *deployment, const char *variable)
{
    for (const char *at = deployment->environment.noted; *at != '\0'; at = kvb_vllm_next_line(at)) {
        if (kvb_starts_with(at, variable) && at[strlen(variable)] == '\n') {
            return true;
        }
    }
    return false;
}

static bool refuses(const struct kvb_deployment *deployment, const struct kvb_plan *plan, const struct pair_row *row)
{
    uint32_t release = plan->engine.release;
    if (release < row->since || (row->gone != 0 && release >= row->gone) ||
        !(is_given(deployment, row->flag, row->holds, release) ||
          (row->even_off && is_turned_off(deployment, row->flag, release))) ||
        says_nothing(deployment, row, release)) {
        return false;
    }
    if (row->with != NULL && (!is_given(deployment, row->with, row->with_holds, release) ||
                              is_word(deployment, row->with, row->none_of, release))) {
        return false;
    }
    if (row->without != NULL &&
        (deployment->serve_flags_cut || is_given(deployment, row->without, row->without_holds, release))) {
        return false;
    }
    return (row->variable == NULL || is_noted(deployment, row->variable)) && (row->when == NULL || row->when(plan));
}

void kvb_vllm_judge_pairs(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && plan->command_error[0] == '\0'; i++) {
        if (refuses(deployment, plan, &rows[i])) {
            (void)kvb_copy(plan->command_error, sizeof plan->command_error, rows[i].text);
        }
    }
}
