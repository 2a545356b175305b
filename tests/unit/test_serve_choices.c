// Words that a release compares in code of its own: providers of an op, rates of synthetic rejection, and what stood
// in vllm/config.py before types of fields did. Sources at each row's tag.
#include "unit/judged_lines.h"

#define PROVIDERS "All providers in priority must be registered implementations."

// vllm/ir/op.py set_priority and vllm/kernels v0.20.0; fused_add_rms_norm came with 0.21.0, xpu_kernels left with
// 0.27.0.
static void providers(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(20, 0), "\n--kernel-config {\"ir_op_priority\": {\"rms_norm\": [\"vllm_c\", \"native\"]}}", TAKEN},
        {R(20, 0), "\n--kernel-config {\"ir_op_priority\": {\"rms_norm\": [\"triton\"]}}",
         "1 validation error, rms_norm: " PROVIDERS},
        {R(20, 0), "\n--kernel-config {\"ir_op_priority\": {\"rms_norm\": [\"native\", 1]}}",
         "1 validation error, rms_norm: " PROVIDERS},
        {R(20, 0), "\n--kernel-config {\"ir_op_priority\": {\"rms_norm\": [\"x\", \"native\"]}}",
         "1 validation error, rms_norm: " PROVIDERS},
        {R(20, 0), "\n--ir-op-priority {\"rms_norm\": []}", TAKEN},
        {R(20, 0), "\n--ir-op-priority {\"rms_norm\": \"aiter, oink ,native\"}", TAKEN},
        {R(20, 0), "\n--ir-op-priority {\"rms_norm\": \"aiter,,native\"}", "1 validation error, rms_norm: " PROVIDERS},
        {R(20, 0), "\n--ir-op-priority {\"rms_norm\": \"aiter,\"}", "1 validation error, rms_norm: " PROVIDERS},
        {R(20, 0), "\n--ir-op-priority {\"rms_norm\": \"\"}", "1 validation error, rms_norm: " PROVIDERS},
        {R(20, 0), "\n--ir-op-priority {\"rms_norm\": null}", "1 validation error, rms_norm: " PROVIDERS},
        {R(20, 0), "\n--ir-op-priority {\"fused_add_rms_norm\": [\"native\"]}",
         "1 validation error, fused_add_rms_norm: Unexpected keyword argument"},
        {R(21, 0), "\n--ir-op-priority {\"fused_add_rms_norm\": [\"native\"]}", TAKEN},
        {R(26, 0), "\n--ir-op-priority {\"rms_norm\": [\"xpu_kernels\"]}", TAKEN},
        {R(27, 0), "\n--ir-op-priority {\"rms_norm\": [\"xpu_kernels\"]}", "1 validation error, rms_norm: " PROVIDERS},
        {R(21, 0), "\n--ir-op-priority.rms_norm native", TAKEN},
        {R(21, 0), "\n--ir-op-priority.rms_norm cuda", "1 validation error, rms_norm: " PROVIDERS},
    };
    WALK(rows);
}

#define DRAFT "\n--speculative-config {\"method\": \"ngram\", \"num_speculative_tokens\": 2, "
#define SYNTHETIC DRAFT "\"rejection_sample_method\": \"synthetic\""

// vllm/config/speculative.py v0.20.0.
static void synthetic(void **state)
{
    (void)state;
    static const char one[] =
        "rejection_sample_method='synthetic' requires exactly one of synthetic_acceptance_rates or "
        "synthetic_acceptance_length.";
    static const char alone[] = "synthetic_acceptance_rates / synthetic_acceptance_length are only valid with "
                                "rejection_sample_method='synthetic'.";
    static const char range[] = "synthetic_acceptance_rates entries must be in [0, 1]";
    static const char length[] = "synthetic_acceptance_length must be in [1, num_speculative_tokens + 1]";
    static const struct judged_row rows[] = {
        {R(20, 0), SYNTHETIC "}", one},
        {R(19, 0), SYNTHETIC "}", TAKEN}, // its one rate is judged nowhere
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": null}", one},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [0.5, 0.5], \"synthetic_acceptance_length\": 2}", one},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [0.9, 0.5]}", TAKEN},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [1, 0]}", TAKEN},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [0.5, 0.9]}",
         "synthetic_acceptance_rates must be non-increasing"},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [0.5]}",
         "synthetic_acceptance_rates must have as many entries as num_speculative_tokens"},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [1.5, 0.5]}", range},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [0.5, -0.5]}", range},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_rates\": [0.5, \"x\"]}",
         "1 validation error for SpeculativeConfig, synthetic_acceptance_rates: Input should be a valid number"},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_length\": 3}", TAKEN},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_length\": null, \"synthetic_acceptance_rates\": [1, 1]}", TAKEN},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_length\": 1}", TAKEN},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_length\": 3.5}", length},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_length\": 0.5}", length},
        {R(20, 0), SYNTHETIC ", \"synthetic_acceptance_length\": -2}", length},
        {R(20, 0), DRAFT "\"synthetic_acceptance_length\": 2}", alone},
        {R(20, 0), DRAFT "\"synthetic_acceptance_rates\": [0.5, 0.5]}", alone},
        {R(20, 0), DRAFT "\"rejection_sample_method\": \"strict\"}", TAKEN},
        // the draft's own config says how many tokens
        {R(20, 0),
         "\n--speculative-config {\"method\": \"mtp\", \"rejection_sample_method\": \"synthetic\", "
         "\"synthetic_acceptance_rates\": [0.5]}",
         TAKEN},
        {R(20, 0),
         "\n--speculative-config {\"method\": \"mtp\", \"rejection_sample_method\": \"synthetic\", "
         "\"synthetic_acceptance_length\": 7}",
         TAKEN},
        {R(20, 0), "\n--speculative-config {\"method\": \"mtp\", \"num_speculative_tokens\": \"x\"}",
         "1 validation error for SpeculativeConfig, num_speculative_tokens: Input should be a valid integer"},
    };
    WALK(rows);
    char out[256]; // the type is asked first, of a line
    assert_true(kvb_vllm_judge_synthetic("{\"rejection_sample_method\": \"synthetic\", "
                                         "\"synthetic_acceptance_rates\": [\"x\"]}",
                                         R(20, 0), out));
    assert_string_equal(out, range);
}

// vllm/config.py and vllm/engine/arg_utils.py v0.8.5 and v0.9.0.
static void words_of_older_releases(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(8, 5), "\n--config-format json",
         "argument --config-format: invalid choice: 'json' (choose from 'auto', 'hf', 'mistral')"},
        {R(8, 5), "\n--config-format hf", TAKEN},
        {R(10, 1), "\n--config-format json", "'json' is not a valid ConfigFormat"},
        {R(10, 2), "\n--config-format json", "Unknown config format `json`."},
        {R(8, 5), "\n--kv-transfer-config {\"kv_connector\": \"LMCacheConnector\", \"kv_role\": \"x\"}",
         "Unsupported kv_role: \"x\""},
        {R(9, 0), "\n--kv-transfer-config {\"kv_connector\": \"LMCacheConnector\", \"kv_role\": \"kv_both\"}", TAKEN},
        {R(9, 0), "\n--kv-transfer-config {\"kv_connector\": null, \"kv_role\": null}", TAKEN},
        {R(6, 4), "\n--kv-transfer-config {\"kv_connector\": \"LMCacheConnector\", \"kv_role\": \"x\"}",
         "vllm: error: unrecognized arguments: --kv-transfer-config {\"kv_connector\": \"LMCacheConnector\", "
         "\"kv_role\": \"x\"}"},
        {R(9, 0),
         "\n--speculative-config {\"method\": \"ngram\", \"num_speculative_tokens\": 2, \"acceptance_method\": \"x\"}",
         "Expected acceptance_method to be either rejection_sampler or typical_acceptance_sampler. Instead it is "
         "\"x\""},
        {R(9, 0),
         "\n--speculative-config {\"method\": \"ngram\", \"num_speculative_tokens\": 2, \"acceptance_method\": "
         "\"typical_acceptance_sampler\"}",
         TAKEN},
        {R(8, 5), "\n--collect-detailed-traces x",
         "argument --collect-detailed-traces: Invalid module x in collect_detailed_traces"},
        {R(8, 5), "\n--collect-detailed-traces all,model,worker", TAKEN},
        {R(8, 5), "\n--collect-detailed-traces all,x",
         "argument --collect-detailed-traces: Invalid module all,x in collect_detailed_traces"},
        {R(9, 0), "\n--collect-detailed-traces x",
         "argument --collect-detailed-traces: invalid choice: 'x' (choose from 'all', 'model', 'worker')"},
        {R(9, 0), "\n--collect-detailed-traces model,worker", TAKEN},
        {R(9, 0), "\n--collect-detailed-traces all,model,worker",
         "argument --collect-detailed-traces: invalid choice: 'all,model,worker' (choose from 'all', 'model', "
         "'worker')"},
        {R(9, 1), "\n--collect-detailed-traces model,worker",
         "argument --collect-detailed-traces: invalid choice: 'model,worker' (choose from 'all', 'model', 'worker')"},
    };
    WALK(rows);
}

// An empty word is none of argparse's choices and no version, but asks for no backend and no parser; whether one
// follows is not known where the line was cut off. vllm/config/model.py v0.9.1: served_model_name, of pydantic's from
// there on. packaging.version reads "0.10rc1", but no "0.10x".
static void words_that_are_empty(void **state)
{
    (void)state;
    static const char version[] =
        "1 validation error for ObservabilityConfig, show_hidden_metrics_for_version: Invalid version: '0.10x'";
    static const struct judged_row rows[] = {
        {R(27, 0), "\n--scheduling-policy ",
         "argument --scheduling-policy: invalid choice: '' (choose from fcfs, priority)"},
        {R(27, 0),
         "\n--scheduling-policy=", "argument --scheduling-policy: invalid choice: '' (choose from fcfs, priority)"},
        {R(27, 0), "\n--attention-backend ", TAKEN},
        {R(27, 0), "\n--reasoning-parser=", TAKEN},
        {R(9, 0), "\n--served-model-name ", TAKEN},
        {R(9, 1), "\n--served-model-name ",
         "2 validation errors for ModelConfig, served_model_name.str: Input should be a valid string"},
        {R(12, 0), "\n--show-hidden-metrics-for-version 0.10rc1", TAKEN},
        {R(12, 0), "\n--show-hidden-metrics-for-version 0.10", TAKEN},
        {R(12, 0), "\n--show-hidden-metrics-for-version 0.10x", version},
        {R(11, 0), "\n--show-hidden-metrics-for-version 0.10x", TAKEN},
    };
    // nor is the None that argparse lists: optional_type() makes one of the word, which is not text any more
    static const struct judged_row nones[] = {
        {R(10, 2), "\n--preemption-mode None",
         "argument --preemption-mode: invalid choice: 'None' (choose from recompute, swap, None)"},
        {R(27, 0), "\n--attention-backend None", TAKEN},
        {R(27, 0), "\n--attention-backend Nope", "Unknown attention backend: 'Nope'."},
        {R(10, 2), "\n--distributed-executor-backend None", TAKEN},
        {R(28, 0), "\n--mm-processor-device AUTO",
         "argument --mm-processor-device: invalid choice: 'AUTO' (choose from auto, cpu, cuda)"},
        {R(28, 0), "\n--mm-processor-device cuda", TAKEN},
        {R(24, 0), "\n--numa-bind\n--numa-bind-nodes 0 1", TAKEN},
        {R(24, 0), "\n--numa-bind\n--numa-bind-nodes 0 x",
         "argument --numa-bind-nodes: Value x cannot be converted to <class 'int'>."},
    };
    static struct kvb_deployment deployment;
    static char out[256];
    struct kvb_engine engine;
    WALK(rows);
    WALK(nones);
    give_lines(R(27, 0), "\n--scheduling-policy", &deployment, &engine);
    deployment.serve_flags_cut = true;
    kvb_vllm_judge(&deployment, &engine, out);
    assert_string_equal(out, TAKEN);
}

// Members that one flag's mapping is judged by and no other's: config/parallel.py v0.14.0 EPLBConfig,
// transformers_utils/config.py v0.18.0 patch_rope_scaling, ModelConfig.media_io_kwargs from v0.10.2 on.
static void members_of_one_flag(void **state)
{
    (void)state;
    static const char interval[] =
        "1 validation error for EPLBConfig, log_balancedness_interval must be greater than 0.";
    static const char rope[] = "rope_scaling should have a 'rope_type' key";
    static const char media[] =
        "1 validation error for ModelConfig, media_io_kwargs.video: Input should be a valid dictionary";
#define LINES(truth, number) " {\"log_balancedness\": " truth ", \"log_balancedness_interval\": " number "}"
    static const struct judged_row rows[] = {
        {R(14, 0), "\n--eplb-config" LINES("true", "0"), interval},
        {R(14, 0), "\n--eplb-config" LINES("true", "-1"), interval},
        {R(14, 0), "\n--eplb-config" LINES("true", "1"), TAKEN},
        {R(14, 0), "\n--eplb-config" LINES("false", "0"), TAKEN},
        {R(14, 0), "\n--additional-config" LINES("true", "0"), TAKEN},
        {R(18, 0), "\n--hf-overrides {\"rope_scaling\": {\"factor\": 2.0}}", rope},
        {R(18, 0), "\n--hf-overrides {\"rope_scaling\": {\"factor\": 2.0, \"rope_type\": \"yarn\"}}", TAKEN},
        {R(18, 0), "\n--hf-overrides {\"rope_scaling\": {\"factor\": 2.0, \"type\": \"yarn\"}}", TAKEN},
        {R(18, 0), "\n--hf-overrides {\"rope_scaling\": {}}", TAKEN},
        {R(18, 0), "\n--hf-overrides {\"rope_scaling\": null}", TAKEN},
        {R(18, 0), "\n--additional-config {\"rope_scaling\": {\"factor\": 2.0}}", TAKEN},
        {R(19, 0), "\n--hf-overrides {\"rope_scaling\": {\"factor\": 2.0}}", TAKEN},
        {R(10, 2), "\n--media-io-kwargs {\"video\": 1}", media},
        {R(10, 2), "\n--media-io-kwargs {\"video\": {\"num_frames\": 8}}", TAKEN},
        {R(10, 1), "\n--media-io-kwargs {\"video\": 1}", TAKEN},
        {R(10, 2), "\n--additional-config {\"video\": 1}", TAKEN},
    };
    WALK(rows);
}

KVB_TEST_MAIN(cmocka_unit_test(words_that_are_empty), cmocka_unit_test(members_of_one_flag),
              cmocka_unit_test(providers), cmocka_unit_test(synthetic), cmocka_unit_test(words_of_older_releases))
