// Flags that a release of vLLM does not take together, in the releases whose text has the sentence: found by a search
// for it in vllm/config, engine and entrypoints at every tag, quotes and line ends left out. Asked of each row: at the
// first release and the one before it, at the last and the one behind it.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "unit/plans.h"
#include "unit/release_tags.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_deployment deployment;

static const struct {
    uint32_t since, gone; // 0: none
    const char *lines, *text;
} rows[] = {
    {R(6, 0), 0, "--enable-auto-tool-choice", "Error: --enable-auto-tool-choice requires --tool-call-parser"},
    {R(7, 1), R(9, 0), "--enable-reasoning", "Error: --enable-reasoning requires --reasoning-parser"},
    {R(11, 0), 0, "--enable-log-outputs", "Error: --enable-log-outputs requires --enable-log-requests"},
    {R(25, 0), 0, "--enable-per-request-metrics\n--disable-log-stats",
     "Error: --enable-per-request-metrics requires engine statistics logging; remove --disable-log-stats to enable "
     "per-request metrics."},
    {R(15, 0), R(22, 0), "--data-parallel-external-lb\n--data-parallel-hybrid-lb",
     "Cannot use both external and hybrid data parallel load balancing modes."},
    {R(22, 0), 0, "--data-parallel-external-lb\n--data-parallel-hybrid-lb",
     "Cannot use more than one data parallel load balancing mode."},
    {R(10, 0), 0, "--headless\n--data-parallel-hybrid-lb",
     "data_parallel_hybrid_lb is not applicable in headless mode"},
    {R(11, 1), 0, "--collect-detailed-traces all",
     "collect_detailed_traces requires `--otlp-traces-endpoint` to be set."},
    {R(17, 0), 0, "--enable-elastic-ep", "Elastic EP is only supported with enable_eplb=True."},
    {R(20, 0), 0, "--numa-bind-nodes 0", "numa_bind_nodes and numa_bind_cpus require numa_bind=True."},
    {R(20, 0), 0, "--numa-bind-cpus 0-3", "numa_bind_nodes and numa_bind_cpus require numa_bind=True."},
    {R(18, 0), 0, "--dcp-comm-backend a2a", "dcp_comm_backend='a2a' requires decode_context_parallel_size > 1."},
    {R(11, 1), 0, "--cudagraph-capture-sizes 1 2\n--compilation-config {\"cudagraph_capture_sizes\":[1]}",
     "cudagraph_capture_sizes and compilation_config.cudagraph_capture_sizes are mutually exclusive"},
    {R(11, 1), 0, "--max-cudagraph-capture-size 8\n--compilation-config {\"max_cudagraph_capture_size\":8}",
     "max_cudagraph_capture_size and compilation_config.max_cudagraph_capture_size are mutually exclusive"},
    {R(13, 0), 0, "--attention-backend FLASH_ATTN\n--attention-config {\"backend\":\"FLASH_ATTN\"}",
     "attention_backend and attention_config.backend are mutually exclusive"},
    {R(22, 0), 0, "--spec-model a/b\n--speculative-config {\"model\":\"a/b\"}",
     "--spec-model and --speculative-config['model'] are mutually exclusive"},
    {R(22, 0), 0, "--spec-method ngram\n--speculative-config {\"method\":\"ngram\"}",
     "--spec-method and --speculative-config['method'] are mutually exclusive"},
    {R(22, 0), 0, "--spec-tokens 2\n--speculative-config {\"num_speculative_tokens\":2}",
     "--spec-tokens and --speculative-config['num_speculative_tokens'] are mutually exclusive"},
    {R(15, 0), 0, "--speculative-config {\"tensor_parallel_size\":1}",
     "'tensor_parallel_size' is not a valid argument in the speculative_config. Please pass "
     "'draft_tensor_parallel_size' instead."},
    {R(14, 0), 0, "--speculative-config {\"disable_padded_drafter_batch\": true}",
     "Async scheduling is not compatible with disable_padded_drafter_batch=True."},
    {R(14, 0), 0, "--speculative-config {\"disable_padded_drafter_batch\":true}",
     "Async scheduling is not compatible with disable_padded_drafter_batch=True."},
    {R(11, 1), R(14, 0), "--speculative-config {\"disable_padded_drafter_batch\": true}",
     "async scheduling for EAGLE/MTP kind of speculative decoding is enabled, but disable_padded_drafter_batch=True "
     "disable_padded_drafter_batch=True is not supported for this situation now. please set "
     "disable_padded_drafter_batch=Fasle"},
    {R(11, 1), R(14, 0), "--speculative-config {\"disable_padded_drafter_batch\":true}",
     "async scheduling for EAGLE/MTP kind of speculative decoding is enabled, but disable_padded_drafter_batch=True "
     "disable_padded_drafter_batch=True is not supported for this situation now. please set "
     "disable_padded_drafter_batch=Fasle"},
    {R(10, 0), R(11, 0), "--distributed-executor-backend uni",
     "Async scheduling is not supported with uni-process backend."},
    {R(11, 1), 0, "--distributed-executor-backend uni",
     "Pipeline Parallelism without Ray distributed executor or multiprocessing executor or external launcher is not "
     "supported. We recommend to remove Pipeline Parallelism from your config."},
    {R(28, 0), 0, "--enable-dbo\n--all2all-backend deepep_high_throughput\n--ubatch-size 2", // on an AMD card
     "Async scheduling is not compatible with ROCm DeepEP high-throughput DBO. Please use --no-async-scheduling or "
     "select a different all2all backend."},
    {R(10, 2), 0, "--kv-sharing-fast-prefill",
     "Fast prefill optimization for KV sharing is not compatible with EAGLE as EAGLE requires correct logits for all "
     "tokens while fast prefill gives incorrect logits for prompt tokens."},
    {R(20, 0), 0, "--enable-mamba-cache-stochastic-rounding",
     "Stochastic rounding for Mamba cache requires the SSM cache to be float16. Please set it explicitly, by "
     "specifying `--mamba-ssm-cache-dtype float16`."},
    {R(19, 0), 0, "--mm-tensor-ipc torch_shm",
     "mm_tensor_ipc='torch_shm' is not supported with data_parallel_size > 1 or tensor_parallel_size > 1 or "
     "pipeline_parallel_size > 1."},
    {R(19, 0), R(27, 0), "--renderer-num-workers 2",
     "Cannot use --renderer-num-workers > 1 with the multimodal processor cache enabled."},
    {R(27, 0), 0, "--renderer-num-workers 2\n--runner pooling",
     "Cannot use --renderer-num-workers > 1 with the multimodal processor cache enabled for pooling models."},
    {R(10, 0), 0, "--default-mm-loras {\"audio\": \"a/b\"}",
     "Default modality-specific LoRA(s) were provided for a non multimodal model"},
    {R(11, 1), 0, "--mm-shm-cache-max-object-size-mb 64",
     "'mm_shm_cache_max_object_size_mb' should only be set when 'mm_processor_cache_type' is 'shm'."},
    {R(11, 1), R(14, 0), "--kv-offloading-backend native",
     "You must set kv_offloading_size when kv_offloading_backend is set."},
    {R(5, 0), 0, "--ray-workers-use-nsight", "Unable to use nsight profiling unless workers run with Ray."},
    {R(19, 0), 0, "--distributed-executor-backend ray", "`ray` does not support async scheduling yet."},
    // vllm/config/quantization.py, _ONLINE_SHORTHANDS
    {R(22, 0), R(24, 0), "--quantization-config {\"ignore\":[\"a\"]}\n--quantization awq",
     "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_tensor', "
     "'int8_per_channel_weight_only', 'mxfp8', 'online']"},
    {R(24, 0), R(26, 0), "--quantization-config {\"ignore\":[\"a\"]}\n--quantization awq",
     "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_channel', "
     "'fp8_per_tensor', 'int8_per_channel_weight_only', 'mxfp8', 'online']"},
    {R(26, 0), R(28, 0), "--quantization-config {\"ignore\":[\"a\"]}\n--quantization fp8",
     "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_channel', "
     "'fp8_per_tensor', 'int8_per_channel_weight_only', 'mxfp8', 'nvfp4_per_token', 'online']"},
    {R(28, 0), 0, "--quantization-config {\"ignore\":[\"a\"]}\n--quantization fp8",
     "quantization_config is only supported when quantization is one of ['fp8_per_block', 'fp8_per_channel', "
     "'fp8_per_tensor', 'int8_per_channel_weight_only', 'mxfp4', 'mxfp8', 'nvfp4_per_token', 'online']"},
    {R(9, 0), R(11, 0), "--guided-decoding-disable-any-whitespace",
     "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(9, 0), R(11, 0), "--guided-decoding-disable-any-whitespace\n--guided-decoding-backend outlines",
     "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(9, 0), R(11, 0), "--guided-decoding-disable-any-whitespace\n--guided-decoding-backend auto",
     "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(9, 0), R(11, 0), "--guided-decoding-disable-any-whitespace\n--guided-decoding-backend lm-format-enforcer",
     "disable_any_whitespace is only supported for xgrammar and guidance backends."},
    {R(9, 0), R(11, 0), "--guided-decoding-disable-additional-properties",
     "disable_additional_properties is only supported for the guidance backend."},
    {R(5, 2), R(10, 0), "--enable-prompt-adapter", "max_prompt_adapter_token must be set."},
    {R(7, 3), R(20, 0), "--quantization ptpc_fp8", "ptpc_fp8 quantization is supported only on ROCm."},
    {R(21, 0), 0, "--mm-encoder-fp8-scale-path a",
     "'mm_encoder_fp8_scale_path' and 'mm_encoder_fp8_scale_save_path' require 'mm_encoder_attn_dtype' to be 'fp8'."},
    {R(21, 0), 0, "--mm-encoder-fp8-scale-save-path a",
     "'mm_encoder_fp8_scale_path' and 'mm_encoder_fp8_scale_save_path' require 'mm_encoder_attn_dtype' to be 'fp8'."},
    {R(8, 3), R(9, 0), "--distributed-executor-backend external_launcher",
     "Seed must be set when using external launcher backend to make sure sampling results are the same across "
     "workers."},
    {R(10, 0), R(15, 0), "--quantization inc", "1 validation error for VllmConfig, Assertion failed"},
    {R(13, 0), 0, "--attention-backend FLASH_ATTN\n--attention-config.backend FLASH_ATTN",
     "attention_backend and attention_config.backend are mutually exclusive"},
    {R(11, 0), R(17, 0), "--logits-processor-pattern a",
     "--logits-processor-pattern is not supported. We recommend to remove --logits-processor-pattern from your "
     "config."},
};

// A model with pictures over two ranks that drafts by hidden states, with the scheduler a step ahead: all that a row
// may ask beside the flags; for adapters of modalities one without pictures.
static const char *judged(const char *lines, uint32_t release)
{
    make_llama_plan(&plan, release);
    bool text_alone = strstr(lines, "default-mm-loras") != NULL;
    plan.model.encoder.family = text_alone ? KVB_ENCODER_NONE : KVB_ENCODER_QWEN25_VL;
    plan.gpu.vendor = strstr(lines, "ubatch-size") != NULL ? KVB_VENDOR_AMD : KVB_VENDOR_NVIDIA;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, release >= R(11, 1) ? 2 : 1);
    set(&plan, KVB_SET_ASYNC_SCHEDULING, 1);
    set(&plan, KVB_SET_RUNNER, strstr(lines, "pooling") != NULL ? KVB_RUNNER_POOLING : KVB_RUNNER_GENERATE);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, lines);
    plan.command_error[0] = '\0';
    kvb_vllm_judge_pairs(&deployment, &plan);
    return plan.command_error;
}

static void pairs_at_every_tag(void **state)
{
    (void)state;
    uint32_t tags[TAGS_MAX];
    unsigned wrong = 0;
    size_t count = tags_since(0, tags);
    for (size_t tag = 0; tag < count; tag++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            bool inside = tags[tag] >= rows[i].since && (rows[i].gone == 0 || tags[tag] < rows[i].gone);
            const char *said = judged(rows[i].lines, tags[tag]);
            if ((strcmp(said, rows[i].text) == 0) != inside) {
                print_error("row %zu at %u: '%s'\n", i, tags[tag], said);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

// What each row lets pass: with what it misses, without what it meets, or with another value.
static void beside_the_pairs(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--enable-auto-tool-choice\n--tool-call-parser hermes",
        "--enable-log-outputs\n--enable-log-requests",
        "--distributed-executor-backend external_launcher\n--seed 0",
        "--attention-backend FLASH_ATTN\n--attention-config.flash_attn_version 3",
        "--enable-per-request-metrics",
        "--data-parallel-external-lb",
        "--headless",
        "--collect-detailed-traces all\n--otlp-traces-endpoint http://a",
        "--enable-elastic-ep\n--enable-eplb",
        "--numa-bind-nodes 0\n--numa-bind",
        "--dcp-comm-backend ag_rs",
        "--cudagraph-capture-sizes 1 2\n--compilation-config {\"cudagraph_mode\":\"NONE\"}",
        "--attention-backend FLASH_ATTN\n--attention-config {\"flash_attn_version\":3}",
        "--spec-model a/b\n--speculative-config {\"method\":\"eagle\"}",
        "--speculative-config {\"draft_tensor_parallel_size\":1}",
        "--speculative-config {\"disable_padded_drafter_batch\":false}",
        "--enable-mamba-cache-stochastic-rounding\n--mamba-ssm-cache-dtype float16",
        "--mm-tensor-ipc direct_rpc",
        "--distributed-executor-backend mp",
        "--quantization-config {\"ignore\":[\"a\"]}",
        "--quantization-config {\"ignore\":[\"a\"]}\n--quantization fp8_per_block",
        "--quantization-config {\"ignore\":[\"a\"]}\n--quantization fp8_per_channel",
        "--quantization-config {\"ignore\":[\"a\"]}\n--quantization fp8_per_tensor",
        "--quantization-config {\"ignore\":[\"a\"]}\n--quantization int8_per_channel_weight_only",
        "--quantization-config {\"ignore\":[\"a\"]}\n--quantization mxfp8",
        "--quantization-config {\"ignore\":[\"a\"]}\n--quantization nvfp4_per_token",
        "--quantization-config {\"ignore\":[\"a\"]}\n--quantization online",
        "--kv-offloading-backend native\n--kv-offloading-size 4",
        "--mm-encoder-fp8-scale-path a\n--mm-encoder-attn-dtype fp8",
        "--renderer-num-workers 2",
        "--renderer-num-workers 2\n--runner pooling\n--mm-processor-cache-gb 0",
        "--renderer-num-workers 2\n--runner pooling\n--default-mm-loras {}", // a model of text
        "--mm-shm-cache-max-object-size-mb 64\n--mm-processor-cache-type shm",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *said = judged(lines[i], R(27, 0));
        if (said[0] != '\0') {
            fail_msg("'%s': '%s'", lines[i], said);
        }
    }
    static const char dbo[] = "--enable-dbo\n--all2all-backend deepep_high_throughput";
    assert_string_equal(judged(dbo, R(28, 0)), ""); // NVIDIA's
    set(&plan, KVB_SET_ASYNC_SCHEDULING, 0);
    plan.gpu.vendor = KVB_VENDOR_AMD;
    kvb_vllm_judge_pairs(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
}

// A member of JSON, wherever it stands, with blanks before its colon or without; the word as a value is none.
static void members_with_blanks(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        bool refused;
    } configs[] = {
        {"{\"backend\" : \"FLASH_ATTN\"}", true},          {"{\"x\": \"y\", \"backend\"  : \"FLASH_ATTN\"}", true},
        {"{\"x\": \"y\", \"z\": 1, \"backend\":1}", true}, {"{\"x\" : \"backend\" }", false},
        {"{\"x\": \"backend\"}\n--port 1", false},         {"{\"backends\": 1}", false}};
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        char lines[160];
        (void)snprintf(lines, sizeof lines, "--attention-backend FLASH_ATTN\n--attention-config %s", configs[i].config);
        const char *said = judged(lines, R(27, 0));
        if ((strstr(said, "mutually exclusive") != NULL) != configs[i].refused) {
            fail_msg("%s: '%s'", configs[i].config, said);
        }
    }
}

// vllm/config/model.py v0.19.0: the variable has to say fork itself, as the command sets spawn where it says nothing.
static void a_way_to_start_workers(void **state)
{
    (void)state;
    static const struct {
        const char *noted;
        bool refused;
    } ways[] = {{"", false},
                {"VLLM_WORKER_MULTIPROC_METHOD=spawn\n", false},
                {"VLLM_WORKER_MULTIPROC_METHOD=forkserver\n", false},
                {"VLLM_USE_V1=1\nVLLM_WORKER_MULTIPROC_METHOD=fork\n", true}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        (void)judged("--mm-tensor-ipc torch_shm", R(19, 0));
        plan.command_error[0] = '\0';
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 1);
        (void)kvb_copy(deployment.environment.noted, sizeof deployment.environment.noted, ways[i].noted);
        kvb_vllm_judge_pairs(&deployment, &plan);
        assert_string_equal(
            plan.command_error,
            ways[i].refused ? "torch_shm is known to fail without VLLM_WORKER_MULTIPROC_METHOD set to spawn" : "");
    }
}

// vllm/model_executor/layers/quantization/mxfp4.py v0.20.0: gpt-oss keeps its own method whatever is asked.
static void a_method_that_is_none(void **state)
{
    (void)state;
    static const char none[] = "Unknown quantization method: none.";
    static const struct {
        uint32_t release;
        const char *architecture, *text;
    } models[] = {{R(19, 0), "GptOssForCausalLM", none},
                  {R(20, 0), "GptOssForCausalLM", ""},
                  {R(20, 0), "LlamaForCausalLM", none}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        (void)judged("--quantization none", models[i].release);
        plan.command_error[0] = '\0';
        (void)kvb_copy(plan.model.architecture, sizeof plan.model.architecture, models[i].architecture);
        kvb_vllm_judge_pairs(&deployment, &plan);
        assert_string_equal(plan.command_error, models[i].text);
    }
}

// vllm/transformers_utils/config.py MistralConfigParser.parse v0.24.0 asks for params.json, which Mistral's own have.
static void configs_of_mistral(void **state)
{
    (void)state;
    assert_string_equal(judged("--config-format hf", R(24, 0)), "");
    assert_string_equal(judged("--config-format mistral", R(24, 0)), "");
    (void)kvb_copy(plan.model.architecture, sizeof plan.model.architecture, "Qwen3ForCausalLM");
    kvb_vllm_judge_pairs(&deployment, &plan);
    assert_true(kvb_starts_with(plan.command_error, "Failed to load mistral 'params.json' config"));
}

// vllm/engine/arg_utils.py v0.8.5 create_load_config.
static void adapters_of_bitsandbytes(void **state)
{
    (void)state;
    static const char text[] = "QLoRA adapter only support 'bitsandbytes' quantization";
    assert_string_equal(judged("--qlora-adapter-name-or-path a", R(8, 5)), text);
    assert_string_equal(judged("--qlora-adapter-name-or-path a\n--quantization awq", R(8, 5)), text);
    assert_string_equal(judged("--qlora-adapter-name-or-path a\n--quantization bitsandbytes", R(8, 5)), "");
}

KVB_TEST_MAIN(cmocka_unit_test(members_with_blanks), cmocka_unit_test(pairs_at_every_tag),
              cmocka_unit_test(beside_the_pairs), cmocka_unit_test(a_way_to_start_workers),
              cmocka_unit_test(a_method_that_is_none), cmocka_unit_test(configs_of_mistral),
              cmocka_unit_test(adapters_of_bitsandbytes))
