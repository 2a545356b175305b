// Plain flags as a release's own parser, fields and loaders take their values. Sources: vllm/engine/arg_utils.py,
// vllm/config and vllm/model_executor/model_loader at their tags; Python's int(), float() and argparse.
#include <string.h>

#include "unit/judged_lines.h"

// int() and float(): 4k and 1.5 are no whole numbers, 1_000 is; optional_type reads None.
static void numbers_as_python_reads_them(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(18, 0), "\n--port x", "argument --port: invalid int value: 'x'"},
        {R(8, 5), "\n--port=80.5", "argument --port: invalid int value: '80.5'"},
        {R(18, 0), "\n--port 0x10", "argument --port: invalid int value: '0x10'"},
        {R(18, 0), "\n--port 8_000", TAKEN},
        {R(18, 0), "\n--port 8__0", "argument --port: invalid int value: '8__0'"},
        {R(18, 0), "\n--port _8", "argument --port: invalid int value: '_8'"},
        {R(18, 0), "\n--port 8_", "argument --port: invalid int value: '8_'"},
        {R(18, 0), "\n--port -1", TAKEN},
        {R(18, 0), "\n--port None", "argument --port: invalid int value: 'None'"},
        {R(18, 0), "\n--port $PORT", TAKEN}, // a shell's
        {R(18, 0), "\n--port {{port}}", TAKEN},
        {R(18, 0), "\n--port 1000000000000000000000000000000000000000000", TAKEN},
        {R(18, 0), "\n--port ", "argument --port: invalid int value: ''"},
        {R(26, 0), "\n--long-prefill-token-threshold 4k",
         "argument --long-prefill-token-threshold: invalid int value: '4k'"},
        {R(14, 0), "\n--mm-processor-cache-gb x", "argument --mm-processor-cache-gb: invalid float value: 'x'"},
        {R(14, 0), "\n--mm-processor-cache-gb 1e1", TAKEN},
        {R(14, 0), "\n--mm-processor-cache-gb 0x1", "argument --mm-processor-cache-gb: invalid float value: '0x1'"},
        {R(14, 0), "\n--kv-offloading-size 4k",
         "argument --kv-offloading-size: Value 4k cannot be converted to <class 'float'>."},
        {R(14, 0), "\n--kv-offloading-size None", TAKEN},
        {R(14, 0), "\n--kv-offloading-size 12.5", TAKEN},
        {R(26, 0), "\n--max-num-scheduled-tokens 4k", TAKEN}, // human_readable_int
        {R(18, 0), "\n--api-server-count x", "argument --api-server-count: invalid int value: 'x'"},
        {R(11, 1), "\n--num-lookahead-slots -1",
         "1 validation error for SchedulerConfig, num_lookahead_slots: Input should be greater than or equal to 0"},
        {R(11, 0), "\n--num-lookahead-slots -1", TAKEN}, // no bound of its own yet
        {R(18, 0), "\n--stream-interval $N", TAKEN},     // a shell's
        {R(11, 0), "\n--swap-space -1", TAKEN},          // Field(default=4, ge=0) from config/cache.py v0.11.1 on
        {R(11, 1), "\n--swap-space=-0.5",
         "1 validation error for CacheConfig, swap_space: Input should be greater than or equal to 0"},
        {R(11, 1), "\n--swap-space -0", TAKEN},
        {R(8, 5), "\n--block-size=+16", TAKEN},
        {R(8, 5), "\n--block-size=1_6", TAKEN},
        {R(8, 5), "\n--block-size=+17",
         "argument --block-size: invalid choice: 17 (choose from 1, 8, 16, 32, 64, 128)"},
        {R(8, 5), "\n--block-size=x", "argument --block-size: invalid choice: x (choose from 1, 8, 16, 32, 64, 128)"},
        {R(18, 0), "\n--stream-interval 0",
         "1 validation error for SchedulerConfig, stream_interval: Input should be greater than or equal to 1"},
        {R(14, 0), "\n--max-log-len x", "argument --max-log-len: Value x cannot be converted to <class 'int'>."},
        {R(14, 0), "\n--max-log-len None", TAKEN},
        {R(8, 5), "\n--seed None", "argument --seed: invalid int value: 'None'"},
        {R(11, 2), "\n--seed None", TAKEN}, // config/model.py v0.11.2: int | None
        {R(12, 0), "\n--seed None", "argument --seed: invalid int value: 'None'"},
    };
    WALK(rows);
}

// argparse: a switch has no value. To 0.8.5 --enable-chunked-prefill took one (StoreBoolean).
static void switches_take_no_value(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(16, 0), "\n--trust-remote-code=True", "argument --trust-remote-code: ignored explicit argument 'True'"},
        {R(16, 0), "\n--enforce-eager True\n--max-num-seqs 4", "unrecognized arguments: True"},
        {R(16, 0), "\n--enforce-eager\n--trust-remote-code", TAKEN},
        {R(16, 0), "\n--no-enable-prefix-caching", TAKEN},
        {R(8, 5), "\n--disable-log-requests=True", "argument --disable-log-requests: ignored explicit argument 'True'"},
        {R(8, 4), "\n--enable-chunked-prefill True", TAKEN},
    };
    WALK(rows);
}

// DefaultModelLoader takes keys from 0.10.2, one more from 0.22.0; before it, and the dummy loader, none.
static void loaders_take_their_own_config(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(10, 2), "\n--model-loader-extra-config {\"enable_multithread_load\": true, \"num_threads\": 8}", TAKEN},
        {R(9, 2), "\n--model-loader-extra-config {\"num_threads\": 8}",
         "Model loader extra config is not supported for load format auto"},
        {R(8, 4), "\n--model-loader-extra-config {\"num_threads\": 8}", TAKEN},
        {R(14, 0),
         "\n--load-format safetensors\n--model-loader-extra-config {\"num_threads\": {\"a\": [1]}, \"foo\": 1}",
         "Unexpected extra config keys for load format safetensors: {'foo'}"},
        {R(14, 0), "\n--model-loader-extra-config {\"num_threads\": \"foo\"}", TAKEN},
        {R(21, 0), "\n--model-loader-extra-config {\"enable_weights_track\": true}",
         "Unexpected extra config keys for load format auto: {'enable_weights_track'}"},
        {R(22, 0), "\n--model-loader-extra-config {\"enable_weights_track\": true}", TAKEN},
        {R(14, 0), "\n--load-format dummy\n--model-loader-extra-config {\"num_threads\": 8}",
         "Model loader extra config is not supported for load format dummy"},
        {R(14, 0), "\n--load-format runai_streamer\n--model-loader-extra-config {\"concurrency\": 8}", TAKEN},
        {R(14, 0), "\n--quantization bitsandbytes\n--model-loader-extra-config {\"foo\": 8}", TAKEN},
        {R(14, 0), "\n--model-loader-extra-config { }", TAKEN},
        {R(14, 0), "\n--model-loader-extra-config {\"num_threads\": 8}\n--port 80", TAKEN},
        {R(14, 0), "\n--model-loader-extra-config $EXTRA", TAKEN},
        // LoadConfig: load_format.lower()
        {R(14, 0), "\n--load-format SafeTensors", TAKEN},
        {R(14, 0), "\n--load-format foo", "Load format `foo` is not supported"},
    };
    WALK(rows);
}

#define KV(members)                                                                                                    \
    "\n--kv-transfer-config {\"kv_connector\": \"NixlConnector\", \"kv_role\": \"kv_both\", " members "}"
#define KV_SAYS(key, what) "1 validation error for KVTransferConfig, " key ": Input should be a valid " what

// pydantic's lax mode over the fields of vllm/config/kv_transfer.py and kv_events.py.
static void members_are_of_their_types(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(12, 0), KV("\"engine_id\": 1"), KV_SAYS("engine_id", "string")},
        {R(12, 0), KV("\"engine_id\": null"), TAKEN},
        {R(12, 0), KV("\"kv_buffer_device\": null"), KV_SAYS("kv_buffer_device", "string")},
        {R(12, 0), KV("\"kv_parallel_size\": 1.5"), KV_SAYS("kv_parallel_size", "integer")},
        {R(12, 0), KV("\"kv_parallel_size\": 2.0"), TAKEN},
        {R(12, 0), KV("\"kv_parallel_size\": \"2\" "), TAKEN},
        {R(12, 0), KV("\"kv_parallel_size\": -2 "), TAKEN},
        {R(12, 0), KV("\"kv_parallel_size\": true, \"kv_rank\": null"), TAKEN},
        {R(12, 0), KV("\"kv_port\": \"x\""), KV_SAYS("kv_port", "integer")},
        {R(12, 0), KV("\"kv_port\": \"1x\""), KV_SAYS("kv_port", "integer")},
        {R(12, 0), KV("\"kv_connector_extra_config\": []"), KV_SAYS("kv_connector_extra_config", "dictionary")},
        {R(12, 0), KV("\"kv_connector_extra_config\": {}"), TAKEN},
        {R(11, 2), KV("\"enable_permute_local_kv\": \"x\""), KV_SAYS("enable_permute_local_kv", "boolean")},
        {R(11, 2), KV("\"enable_permute_local_kv\": \"True\""), TAKEN},
        {R(9, 0), KV("\"kv_port\": \"x\""), TAKEN},
        {R(14, 0), "\n--kv-events-config {\"endpoint\": 5}",
         "1 validation error for KVEventsConfig, endpoint: Input should be a valid string"},
        // KVConnectorFactory v0.12.0: no module is named by null
        {R(12, 0), "\n--kv-transfer-config {\"kv_connector\": \"Mine\", \"kv_connector_module_path\": null}",
         "Unsupported connector type: Mine"},
    };
    WALK(rows);
}

// vllm/utils/argparse_utils.py: --config.key VALUE is a member of the config.
static void members_as_flags(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(18, 0), "\n--kv-transfer-config.kv_connector FooConnector", "Unsupported connector type: FooConnector"},
        {R(18, 0), "\n--kv-transfer-config.kv_connector=FooConnector", "Unsupported connector type: FooConnector"},
        {R(18, 0), "\n--kv-transfer-config.kv-connector FooConnector", // dashes behind the dot stay
         "1 validation error for KVTransferConfig, kv-connector: Unexpected keyword argument"},
        {R(18, 0), "\n--kv-transfer-config.kv_connector Mine\n--kv-transfer-config.kv_connector_module_path a.b",
         TAKEN},
        {R(18, 0), "\n--kv-transfer-config.kv_connector NixlConnector", TAKEN},
        {R(18, 0), "\n--structured-outputs-config.backend x",
         "1 validation error for StructuredOutputsConfig, backend: Input should be one of 'auto', 'guidance', "
         "'lm-format-enforcer', 'outlines', 'xgrammar'"},
        {R(18, 0), "\n--kv-transfer-config.kv_role",
         "IndexError: list index out of range: no value follows --kv-transfer-config.kv_role"},
        {R(18, 0), "\n-cc.mode 3", TAKEN},
    };
    WALK(rows);
}

static const char *bounded(uint32_t release, const char *lines, bool pictures)
{
    static struct kvb_deployment deployment;
    static struct kvb_plan plan;
    struct kvb_engine engine;
    give_lines(release, lines, &deployment, &engine);
    memset(&plan, 0, sizeof plan);
    plan.engine = engine;
    plan.model.encoder.family = pictures ? KVB_ENCODER_QWEN2_VL : KVB_ENCODER_NONE;
    plan.command_error[0] = '\0';
    kvb_vllm_plain_flags(&deployment, &plan);
    return plan.command_error;
}

// Field(ge=..., gt=..., le=..., lt=...) of vllm/config, by release.
static void fields_have_bounds(void **state)
{
    (void)state;
    static const struct {
        struct judged_row row;
        bool pictures;
    } rows[] = {
        {{R(14, 0), "\n--kv-cache-metrics-sample $N", TAKEN}, false},
        {{R(11, 2), "\n--kv-cache-metrics-sample 0", TAKEN}, false},
        {{R(14, 0), "\n--kv-cache-metrics-sample 1e-9", TAKEN}, false},
        {{R(14, 0), "\n--kv-cache-metrics-sample 0",
          "1 validation error for ObservabilityConfig, kv_cache_metrics_sample: Input should be greater than 0"},
         false},
        {{R(14, 0), "\n--kv-cache-metrics-sample 2",
          "1 validation error for ObservabilityConfig, kv_cache_metrics_sample: Input should be less than or equal to "
          "1"},
         false},
        {{R(14, 0), "\n--kv-cache-metrics-sample 1", TAKEN}, false},
        {{R(16, 0), "\n--video-pruning-rate 1.0",
          "1 validation error for ModelConfig, video_pruning_rate: Input should be less than 1"},
         true},
        {{R(16, 0), "\n--video-pruning-rate 0.5", TAKEN}, true},
        {{R(16, 0), "\n--video-pruning-rate 1.0", TAKEN}, false},
        {{R(16, 0), "\n--video-pruning-rate None", TAKEN}, true},
        {{R(25, 0), "\n--max-logprobs -2",
          "1 validation error for ModelConfig, max_logprobs: Input should be greater than or equal to -1"},
         false},
        {{R(25, 0), "\n--max-logprobs -1", TAKEN}, false},
        // vllm/config/scheduler.py v0.24.0: Field(default=0.0, ge=0.0, lt=1.0)
        {{R(24, 0), "\n--watermark 1",
          "1 validation error for SchedulerConfig, watermark: Input should be less than 1"},
         false},
        {{R(24, 0), "\n--watermark=-0.5",
          "1 validation error for SchedulerConfig, watermark: Input should be greater than or equal to 0"},
         false},
        {{R(24, 0), "\n--watermark 0.99", TAKEN}, false},
        // 128 is the field's own default; adapters by modality that are none
        {{R(16, 0), "\n--mm-shm-cache-max-object-size-mb 128", TAKEN}, true},
        {{R(16, 0), "\n--mm-shm-cache-max-object-size-mb 12",
          "'mm_shm_cache_max_object_size_mb' should only be set when 'mm_processor_cache_type' is 'shm'."},
         true},
        {{R(16, 0), "\n--mm-shm-cache-max-object-size-mb 100",
          "'mm_shm_cache_max_object_size_mb' should only be set when 'mm_processor_cache_type' is 'shm'."},
         true},
        {{R(16, 0), "\n--default-mm-loras {}", TAKEN}, false},
        {{R(16, 0), "\n--logits-processor-pattern x",
          "--logits-processor-pattern is not supported. We recommend to remove --logits-processor-pattern from your "
          "config."},
         false},
        {{R(22, 0), "\n--mm-encoder-fp8-scale-path /x",
          "'mm_encoder_fp8_scale_path' and 'mm_encoder_fp8_scale_save_path' require 'mm_encoder_attn_dtype' to be "
          "'fp8'."},
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(bounded(rows[i].row.release, rows[i].row.lines, rows[i].pictures), rows[i].row.text);
    }
}

// "kv_role": null is none, and kv_connector_extra_config is no connector.
static void roles_that_are_not_said(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static struct kvb_plan plan;
    static const struct {
        const char *line;
        bool lacks;
    } rows[] = {
        {"\n--kv-transfer-config {\"kv_connector\": \"NixlConnector\", \"kv_role\": null}", true},
        {"\n--kv-transfer-config {\"kv_connector\": \"NixlConnector\", \"kv_role\": \"kv_both\"}", false},
        {"\n--kv-transfer-config {\"kv_connector\": null, \"kv_role\": null}", false},
        {"\n--kv-transfer-config {\"kv_connector_extra_config\": {}}", false},
        {"\n--kv-transfer-config.kv_connector NixlConnector", true},
        {"\n--kv-transfer-config.kv_connector NixlConnector\n--kv-transfer-config.kv-role=kv_both", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_engine engine;
        give_lines(R(16, 0), rows[i].line, &deployment, &engine);
        memset(&plan, 0, sizeof plan);
        plan.engine = engine;
        kvb_vllm_plain_flags(&deployment, &plan);
        assert_int_equal((plan.plain_flags & KVB_PLAIN_NO_ROLE) != 0, rows[i].lacks);
    }
}

// _is_v1_supported_oracle v0.8.5: what V1 has by default, and no format that only begins like one.
static void flags_that_v1_left(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(8, 5), "\n--scheduling-policy priority", "--scheduling-policy"},
        {R(8, 5), "\n--scheduling-policy fcfs", NULL},
        {R(8, 5), "\n--scheduler-delay-factor 0.0", NULL},
        {R(8, 5), "\n--scheduler-delay-factor 0.5", "--scheduler-delay-factor"},
        {R(8, 5), "\n--load-format tensorizer", "--load_format tensorizer"},
        {R(8, 5), "\n--load-format tensorizers", NULL},
        {R(8, 5), "\n--logits-processor-pattern x", "--logits-processor-pattern"},
        {R(10, 2), "\n--logits-processor-pattern x", "--logits-processor-pattern"},
        {R(9, 2), "\n--scheduling-policy priority", NULL},
    };
    static struct kvb_deployment deployment;
    static struct kvb_plan plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_engine engine;
        give_lines(rows[i].release, rows[i].lines, &deployment, &engine);
        memset(&plan, 0, sizeof plan);
        plan.engine = engine;
        kvb_vllm_plain_flags(&deployment, &plan);
        assert_int_equal(plan.v0_feature == NULL, rows[i].text == NULL);
        assert_string_equal(plan.v0_feature != NULL ? plan.v0_feature : "", rows[i].text != NULL ? rows[i].text : "");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(flags_that_v1_left), cmocka_unit_test(numbers_as_python_reads_them),
              cmocka_unit_test(switches_take_no_value), cmocka_unit_test(loaders_take_their_own_config),
              cmocka_unit_test(members_are_of_their_types), cmocka_unit_test(members_as_flags),
              cmocka_unit_test(fields_have_bounds), cmocka_unit_test(roles_that_are_not_said))
