// What releases read of a line once the model is known, or in a way of their own: members of a pooler's config,
// adapters below one, parsers of a reasoning config, numbers with a suffix, variables. Each line was put to its
// release's code.
#include "unit/judged_lines.h"

#include <kvbudget/input.h>

#include "budget/shapes.h"
#include "unit/command_rows.h"
#include "unit/plans.h"

static struct kvb_plan plan;
static struct kvb_deployment deployment;

static const char *said_of(uint32_t release, bool pools, const char *lines)
{
    struct kvb_engine engine;
    make_llama_plan(&plan, release);
    give_lines(release, lines, &deployment, &engine);
    plan.engine = engine;
    plan.model.pools_by_default = pools;
    plan.command_error[0] = '\0';
    kvb_vllm_plain_flags(&deployment, &plan);
    return plan.command_error;
}

struct reader_row {
    uint32_t release;
    bool pools;
    const char *lines, *text; // "" = taken
};

static void walk_readers(const struct reader_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(said_of(rows[i].release, rows[i].pools, rows[i].lines), rows[i].text);
    }
}
#define READERS(rows) walk_readers(rows, sizeof rows / sizeof(rows)[0])

// vllm/config.py v0.6.4, v0.8.5 PoolerConfig.from_json, v0.9.0 and v0.10.2 _init_pooler_config; v0.11.0 reads it as
// --pooler-config, whatever the model.
static void poolers(void **state)
{
    (void)state;
#define POOLER "\n--override-pooler-config "
    static const struct reader_row rows[] = {
        {R(8, 5), false, POOLER "{\"x\":1}", "argument --override-pooler-config: invalid from_json value: '{\"x\":1}'"},
        {R(8, 5), true, POOLER "{\"normalize\":[1]}", ""},
        {R(9, 0), true, POOLER "{\"x\":1}", "PoolerConfig.__init__() got an unexpected keyword argument 'x'"},
        {R(9, 0), false, POOLER "{\"x\":1}", ""},
        {R(9, 0), true, POOLER "{\"softmax\":true,\"step_tag_id\":1,\"pooling_type\":\"MEAN\"}", ""},
        {R(9, 1), true, POOLER "{\"x\":1}", ""},
        {R(10, 2), true, "\n--max-num-seqs 8" POOLER "{\"normalize\":true}", ""},
        {R(10, 2), true, POOLER "{\"normalize\":[1],\"pooling_type\":5}",
         "1 validation error for ModelConfig, normalize: Input should be a valid boolean"},
        {R(10, 2), true, POOLER "{\"returned_token_ids\":[\"a\"]}",
         "1 validation error for ModelConfig, returned_token_ids: Input should be a valid integer"},
        {R(10, 2), false, POOLER "{\"normalize\":[1]}", ""},
        {R(11, 0), true, POOLER "{\"normalize\":[1]}", ""}, // said before
    };
    static const struct judged_row later[] = {
        {R(11, 0), POOLER "{\"normalize\":[1]}",
         "1 validation error for PoolerConfig, normalize: Input should be a valid boolean"},
        {R(10, 2), POOLER "{\"normalize\":[1]}", TAKEN},
    };
    READERS(rows);
    WALK(later);
    struct kvb_engine fork;
    give_lines(R(10, 2), POOLER "{\"normalize\":[1]}", &deployment, &fork);
    (void)kvb_copy(fork.version, sizeof fork.version, "0.10.2.dev3");
    plan.engine = fork;
    plan.model.pools_by_default = true;
    plan.command_error[0] = '\0';
    kvb_vllm_judge_pooler(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
}

// What may be of a later release, and what was refused before.
static void encoders_of_others(void **state)
{
    (void)state;
    struct kvb_engine engine;
    make_llama_plan(&plan, R(16, 0));
    plan.model.encoder.family = KVB_ENCODER_QWEN25_VL;
    give_lines(R(16, 0), "\n--mm-encoder-attn-backend x", &deployment, &engine);
    plan.engine = engine;
    plan.command_error[0] = '\0';
    kvb_vllm_judge_encoder(&deployment, &plan);
    assert_string_equal(plan.command_error, "Unknown attention backend: 'x'.");
    (void)kvb_copy(plan.command_error, sizeof plan.command_error, "another");
    kvb_vllm_judge_encoder(&deployment, &plan);
    assert_string_equal(plan.command_error, "another");
    plan.command_error[0] = '\0';
    (void)kvb_copy(plan.engine.version, sizeof plan.engine.version, "0.16.0.dev3");
    kvb_vllm_judge_encoder(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
}

// A class that nobody makes of another is asked for nothing.
static void unknown_classes_are_not_converted(void **state)
{
    (void)state;
    struct kvb_engine engine;
    make_llama_plan(&plan, R(16, 0));
    give_lines(R(16, 0), "\n--convert none", &deployment, &engine);
    plan.engine = engine;
    (void)kvb_copy(plan.model.architecture, sizeof plan.model.architecture, "NobodysMachine");
    plan.command_error[0] = '\0';
    kvb_vllm_plain_flags(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
}

static void adapters_below_one(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool adapters;
        const char *lines, *text;
    } rows[] = {
        {R(10, 2), false, "\n--max-loras 0", ""},
        {R(10, 2), true, "\n--max-loras 0", "max_loras (0) must be >= 1."},
        {R(10, 2), true, "\n--max-loras -1", "max_loras (-1) must be >= 1."},
        {R(10, 2), true, "\n--max-loras 1", ""},
        {R(10, 2), true, "\n--max-loras x", ""},
        {R(10, 2), true, "", ""},
        {R(27, 0), true, "\n--max-loras 0",
         "1 validation error for LoRAConfig, max_loras: Input should be greater than or equal to 1"},
        {R(10, 2), false, "\n--max-lora-rank 0", ""},
        {R(10, 2), true, "\n--max-lora-rank -1",
         "max_lora_rank (-1) must be one of (8, 16, 32, 64, 128, 256, 320, 512)."},
        {R(3, 0), true, "\n--max-lora-rank 0", "max_lora_rank (0) must be one of (8, 16, 32, 64)."},
        {R(27, 0), false, "\n--max-lora-rank 0",
         "argument --max-lora-rank: invalid choice: 0 (choose from 1, 8, 16, 32, 64, 128, 256, 320, 512)"},
        {R(20, 0), true, "\n--default-mm-loras {\"image\": 1, \"audio\": 2}",
         "1 validation error for LoRAConfig, default_mm_loras.image: Input should be a valid string"},
        {R(20, 0), true, "\n--default-mm-loras {\"image\": \"/a\"}",
         "Default modality-specific LoRA(s) were provided for a non multimodal model"},
        {R(20, 0), true, "\n--default-mm-loras {}", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_engine engine;
        make_llama_plan(&plan, rows[i].release);
        give_lines(rows[i].release, rows[i].lines, &deployment, &engine);
        plan.engine = engine;
        set(&plan, KVB_SET_ENABLE_LORA, rows[i].adapters);
        plan.command_error[0] = '\0';
        kvb_vllm_plain_flags(&deployment, &plan);
        assert_string_equal(plan.command_error, rows[i].text);
    }
}

// vllm/config/reasoning.py v0.20.2 and v0.27.1.
static void parsers_of_reasoning(void **state)
{
    (void)state;
#define REASONING "\n--reasoning-config "
    static const struct judged_row rows[] = {
        {R(20, 0), REASONING "{}", "KeyError: Reasoning parser '' not found."},
        {R(27, 0), REASONING "{\"reasoning_parser\": \"auto\"}", "KeyError: Reasoning parser 'auto' not found."},
        {R(27, 0), REASONING "{\"reasoning_parser\": \"qwen3\"}", TAKEN},
        {R(27, 0), REASONING "{\"reasoning_start_str\": \"<a>\", \"reasoning_end_str\": \"</a>\"}", TAKEN},
        {R(27, 0), REASONING "{\"reasoning_start_str\": \"<a>\"}", "KeyError: Reasoning parser '' not found."},
        {R(27, 0), "\n--reasoning-parser qwen3" REASONING "{}", TAKEN},
        {R(27, 0), "\n--reasoning-parser-plugin /p.py" REASONING "{\"reasoning_parser\": \"own\"}", TAKEN},
    };
    WALK(rows);
    char out[256]; // the type is asked first, of a line
    kvb_deployment_init(&deployment);
    assert_true(kvb_vllm_judge_reasoning(&deployment, "{\"reasoning_parser\": 5}", R(27, 0), out));
    assert_string_equal(out, "KeyError: Reasoning parser '' not found.");
}

// human_readable_int: vllm/engine/arg_utils.py v0.24.0.
static void numbers_with_a_suffix(void **state)
{
    (void)state;
#define PREFETCH "\n--safetensors-prefetch-block-size "
#define NOT_READ "argument --safetensors-prefetch-block-size: invalid human_readable_int value: '"
    static const struct judged_row rows[] = {
        {R(24, 0), PREFETCH "16M", TAKEN},           {R(24, 0), PREFETCH "1.5m", TAKEN},
        {R(24, 0), PREFETCH "1048576", TAKEN},       {R(24, 0), PREFETCH "1.5M", NOT_READ "1.5M'"},
        {R(24, 0), PREFETCH "1.5", NOT_READ "1.5'"}, {R(24, 0), PREFETCH "1e3", NOT_READ "1e3'"},
        {R(24, 0), PREFETCH "1.m", NOT_READ "1.m'"}, {R(24, 0), PREFETCH "xm", NOT_READ "xm'"},
        {R(24, 0), PREFETCH "m", NOT_READ "m'"},     {R(24, 0), PREFETCH "1xm", NOT_READ "1xm'"},
    };
    WALK(rows);
}

// ModelConfig makes no MultiModalConfig of a model without an encoder. v0.28.0 config/multimodal.py
// validate_mm_processor_device; v0.11.1 config/parallel.py: true is 1.
static void backends_of_encoders(void **state)
{
    (void)state;
#define VL "plan --gpu h200 --engine vllm@0.16.0 -- vllm serve Qwen/Qwen2.5-VL-7B-Instruct --mm-encoder-attn-backend "
#define HOPPER "plan --gpu h200 --engine vllm@0.16.0 -- vllm serve Qwen/Qwen3-0.6B --kv-cache-dtype fp8_inc"
#define NEWEST "plan --gpu h200 --engine vllm@0.28.0 -- vllm serve Qwen/"
    static const struct command_row_of_test rows[] = {
        {"plan --gpu l4 --engine vllm@0.16.0 -- vllm serve Qwen/Qwen3-0.6B --kv-cache-dtype fp8_inc",
         1,
         {"No valid attention backend"}},
        {"plan --gpu h200 --engine vllm@0.22.0 -- vllm serve Qwen/Qwen3-0.6B --kv-cache-dtype fp8_inc",
         1,
         {"No valid attention backend"}},
        {HOPPER, 1, {"Unrecognized FP8 dtype: fp8_inc", "!No valid"}},
        {"plan --gpu h200 --engine vllm@0.21.0 -- vllm serve Qwen/Qwen3-8B --kv-cache-dtype fp8_e5m2",
         1,
         {"Unrecognized FP8 dtype: fp8_e5m2", "1  --kv-cache-dtype fp8 "}}, // which FlashAttention 3 reads
        {"plan --gpu t4 --engine vllm@0.24.0 -- vllm serve Qwen/Qwen2.5-1.5B-Instruct --kv-cache-dtype fp8",
         1,
         {"native FP8 (fp8e4nv) requires SM89+", "1  --kv-cache-dtype auto "}},
        {HOPPER " --enforce-eager", 1, {"Unrecognized FP8 dtype: fp8_inc"}}, // at the first request
        {"plan --gpu mi300x --engine vllm@0.16.0 -- vllm serve Qwen/Qwen3-0.6B --kv-cache-dtype fp8_inc",
         0,
         {"!No valid"}},
        {"plan --gpu-memory 24GiB --engine vllm@0.16.0 -- vllm serve Qwen/Qwen3-0.6B --kv-cache-dtype fp8_inc",
         0,
         {"!No valid"}},
        {VL "XFORMERS", 1, {"Unknown attention backend: 'XFORMERS'"}},
        {VL "None", 0, {"!Unknown attention"}},
        {VL "FLASH_ATTN", 0, {"!Unknown attention"}},
        {"plan --gpu h200 --engine vllm@0.16.0 -- vllm serve Qwen/Qwen3-8B --mm-encoder-attn-backend XFORMERS",
         0,
         {"!Unknown attention"}},
        {NEWEST "Qwen2.5-VL-7B-Instruct --mm-processor-device cuda", 1, {"Cannot run the multi-modal processor on"}},
        {NEWEST "Qwen2.5-VL-7B-Instruct --mm-processor-kwargs {\"device\":\"cuda:1\"}", 1, {"Cannot run the"}},
        {NEWEST "Qwen2.5-VL-7B-Instruct --mm-processor-device cpu", 0, {"!Cannot run the"}},
        {NEWEST "Qwen2.5-VL-7B-Instruct --mm-processor-device cuda --ec-transfer-config "
                "{\"ec_connector\":\"ECExampleConnector\",\"ec_role\":\"ec_producer\"}",
         0,
         {"!Cannot run the"}},
        {NEWEST "Qwen3-8B --mm-processor-device cuda", 0, {"!Cannot run the"}},
        {"plan --gpu h200 --engine vllm@0.11.2 -- vllm serve Qwen/Qwen3-8B --eplb-config "
         "{\"num_redundant_experts\":true}",
         1,
         {"num_redundant_experts is set to 1 but EPLB is not enabled"}},
        {"plan --gpu h200 --engine vllm@0.11.2 -- vllm serve Qwen/Qwen3-8B --eplb-config "
         "{\"num_redundant_experts\":false}",
         0,
         {"!EPLB is not enabled"}},
        {"plan --gpu h200 --engine vllm@0.24.0 -- vllm serve Qwen/Qwen3-8B --numa-bind --numa-bind-nodes 0 1",
         0,
         {"!unexpected word"}},
        {"plan --gpu h200 --engine vllm@0.27.1 -- vllm serve Qwen/Qwen3-8B --kv-cache-memory-bytes None",
         0,
         {"!whole number"}},
        {"plan --gpu h200 --engine vllm@0.27.1 -- vllm serve Qwen/Qwen3-8B --kv-cache-memory-bytes none", 2, {""}},
    };
    EACH_COMMAND(rows);
}

// vllm/envs.py v0.10.2, v0.11.2 and v0.28.0.
static void variables(void **state)
{
    (void)state;
#define SERVE(release, variable) "plan --gpu h200 --engine vllm@" release " -- " variable " vllm serve Qwen/Qwen3-8B"
    static const struct command_row_of_test rows[] = {
        {SERVE("0.10.2", "VLLM_USE_V1=x"), 1, {"invalid literal for int() with base 10: 'x' (VLLM_USE_V1)"}},
        {SERVE("0.10.2", "VLLM_USE_V1=true"), 1, {"invalid literal for int() with base 10: 'true' (VLLM_USE_V1)"}},
        {SERVE("0.10.2", "VLLM_USE_V1=1"), 0, {"!invalid literal"}},
        {SERVE("0.11.2", "VLLM_USE_V1=x"), 0, {"!invalid literal"}},
        {SERVE("0.11.2", "VLLM_USE_V2_MODEL_RUNNER=x"), 0, {"!invalid literal"}},
        {SERVE("0.20.2", "VLLM_USE_V2_MODEL_RUNNER=x"), 1, {"(VLLM_USE_V2_MODEL_RUNNER)"}},
        {SERVE("0.10.2", "VLLM_ALLOW_LONG_MAX_MODEL_LEN=yes") " --max-model-len 131072",
         1,
         {"User-specified max_model"}},
        {SERVE("0.10.2", "VLLM_ALLOW_LONG_MAX_MODEL_LEN=True") " --max-model-len 131072", 0, {"!User-specified"}},
        {SERVE("0.10.2", "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1") " --max-model-len 131072", 0, {"!User-specified"}},
        {SERVE("0.10.2", "VLLM_USE_V1=0") " --kv-sharing-fast-prefill", 1, {"KV sharing is not supported in V0"}},
        {SERVE("0.10.2", "VLLM_USE_V1=1") " --kv-sharing-fast-prefill", 0, {"!in V0"}},
        {SERVE("0.10.2", "VLLM_USE_V1=0"), 0, {"!in V0"}},
    };
    EACH_COMMAND(rows);
}

// Classes that only pool: vllm/config/model.py v0.16.0, v0.27.1.
static void runners(void **state)
{
    (void)state;
#define CLASS(release, flag, name)                                                                                     \
    "plan --gpu h200 --engine vllm@" release " -- vllm serve Qwen/Qwen3-8B " flag                                      \
    " --hf-overrides {\"architectures\":[\"" name "\"]}"
    static const struct command_row_of_test rows[] = {
        {CLASS("0.27.1", "--runner generate", "Qwen3ForSequenceClassification"), 1, {"Model architectures"}},
        {CLASS("0.27.1", "--runner pooling", "Qwen3ForSequenceClassification"), 0, {"!not supported"}},
        {CLASS("0.27.1", "--convert none", "Qwen3ForSequenceClassification"),
         1,
         {"does not support `--runner pooling`"}},
        {CLASS("0.16.0", "--runner generate", "Qwen2ForRewardModel"), 1, {"does not support `--runner generate`"}},
        {CLASS("0.16.0", "--runner generate", "Qwen3ForCausalLM"), 0, {"!not support"}},
        {CLASS("0.16.0", "--convert none", "Qwen3ForCausalLM"), 0, {"!not support"}},
    };
    EACH_COMMAND(rows);
}

KVB_TEST_MAIN_WITH(stand_in_sources, NULL, cmocka_unit_test(poolers), cmocka_unit_test(encoders_of_others),
                   cmocka_unit_test(unknown_classes_are_not_converted), cmocka_unit_test(adapters_below_one),
                   cmocka_unit_test(parsers_of_reasoning), cmocka_unit_test(numbers_with_a_suffix),
                   cmocka_unit_test(backends_of_encoders), cmocka_unit_test(variables), cmocka_unit_test(runners))
