// Members of members in a serve line, and loaders' own keys, as each release's classes take them. Sources at their
// tags: vllm/config/kernel.py, attention.py, quantization.py, speculative.py, profiler.py,
// vllm/model_executor/model_loader/runai_streamer_loader.py and sharded_state_loader.py.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "unit/judged_lines.h"

static bool says(uint32_t release, const char *lines, const char *part)
{
    return strstr(judged(release, lines), part) != NULL;
}
#define REFUSED(release, lines, part) assert_true(says(release, lines, part))
#define TAKES(release, lines) assert_string_equal(judged(release, lines), TAKEN)

// KernelConfig._normalize_moe_backend: lower case, dashes as underscores; 0.17.0 has no linear_backend.
static void names_of_kernels(void **state)
{
    (void)state;
    REFUSED(R(18, 0), "\n--kernel-config {\"moe_backend\":\"x\"}", "KernelConfig, moe_backend: Input should be one of");
    REFUSED(R(28, 0), "\n--kernel-config.moe_backend x", "moe_backend: Input should be one of");
    REFUSED(R(20, 0), "\n--kernel-config {\"moe_backend\":null}", "moe_backend");
    REFUSED(R(20, 0), "\n--kernel-config {\"moe_backend\":1}", "moe_backend");
    REFUSED(R(17, 0), "\n--kernel-config {\"linear_backend\":\"cutlass\"}", "Unexpected keyword argument");
    REFUSED(R(22, 0), "\n--kernel-config {\"linear_backend\":\"x\"}", "linear_backend: Input should be one of");
    REFUSED(R(22, 0), "\n--linear-backend x", "--linear-backend: invalid choice: 'x'");
    REFUSED(R(22, 0), "\n--kernel-config {\"linear_backend\":\"humming\"}", "linear_backend");
    TAKES(R(25, 0), "\n--kernel-config {\"linear_backend\":\"humming\"}");
    TAKES(R(22, 0), "\n--linear-backend FlashInfer-Cutlass");
    TAKES(R(17, 0), "\n--kernel-config {\"moe_backend\":\"Flashinfer-CUTLASS\"}");
}

// IrOpPriorityConfig: rms_norm from 0.20.0, fused_add_rms_norm from 0.21.0.
static void priorities_of_operations(void **state)
{
    (void)state;
    REFUSED(R(20, 0), "\n--kernel-config {\"ir_op_priority\":{\"foo\":[\"native\"]}}", "foo: Unexpected keyword");
    REFUSED(R(20, 0), "\n--kernel-config {\"ir_op_priority\":{\"fused_add_rms_norm\":[\"native\"]}}",
            "Unexpected keyword");
    REFUSED(R(20, 0), "\n--kernel-config {\"ir_op_priority\":\"x\"}", "ir_op_priority: Input should be an object");
    REFUSED(R(19, 0), "\n--kernel-config {\"ir_op_priority\":\"x\"}", "Unexpected keyword argument");
    TAKES(R(21, 0),
          "\n--kernel-config {\"ir_op_priority\":{\"fused_add_rms_norm\":[\"native\"],\"rms_norm\":\"native\"}}");
    TAKES(R(21, 0), "\n--kernel-config {\"enable_flashinfer_autotune\":true}");
}

// AttentionConfig.validate_backend_per_kind_before, KVCacheSpecKind of vllm/v1/kv_cache_interface.py v0.26.0.
static void backends_of_kinds(void **state)
{
    (void)state;
#define PER_KIND(value) "\n--attention-config {\"backend_per_kind\":" value "}"
    REFUSED(R(26, 0), PER_KIND("{\"full\":\"FLASH_ATTN\"}"), "Unknown KV cache group kind");
    REFUSED(R(27, 1), PER_KIND("{\"full_attention\":\"x\"}"), "Unknown attention backend");
    REFUSED(R(27, 1), PER_KIND("{\"full_attention\":\"FLASH_ATT\"}"), "Unknown attention backend");
    REFUSED(R(26, 0), PER_KIND("{\"full_attention\":\"auto\"}"), "Unknown attention backend");
    REFUSED(R(26, 0), PER_KIND("{\"full_attention\":1}"), "Unknown attention backend");
    TAKES(R(26, 0), PER_KIND("{\"full_attention\":null}")); // the value of AttentionBackendEnum.CUSTOM
    REFUSED(R(26, 0), "\n--attention-config {\"backend\":\"flash-attn\"}", "backend: Input should be one of");
    REFUSED(R(26, 0), PER_KIND("\"x\""), "Input should be an object");
    REFUSED(R(26, 0), PER_KIND("null"), "Input should be an object");
    REFUSED(R(25, 0), PER_KIND("{}"), "Unexpected keyword argument");
    TAKES(R(26, 0), PER_KIND("{\"full_attention\":\"flash_attn\",\"mamba\":\"TRITON_ATTN\"}"));
    TAKES(R(14, 0), PER_KIND("\"x\""));
    TAKES(R(26, 0), "\n--attention-config {\"flash_attn_version\":3}");
}

// QuantSpec and _ONLINE_SHORTHANDS v0.22.0, where the flag came.
static void quantization_of_layers(void **state)
{
    (void)state;
#define LAYERS(members) "\n--quantization-config {" members "}"
    REFUSED(R(22, 0), LAYERS("\"linear\":{\"weight\":\"fp8\"}"), "weight: unknown quantization name");
    REFUSED(R(22, 0), LAYERS("\"linear\":{\"weight\":{\"dtype\":\"fp8\"}}"), "weight: unknown quantization name");
    REFUSED(R(22, 0), LAYERS("\"linear\":{\"weight\":\"MXFP8\"}"), "weight: unknown quantization name");
    REFUSED(R(22, 0), LAYERS("\"linear\":{\"weight\":\"None\"}"), "weight: unknown quantization name");
    REFUSED(R(22, 0), LAYERS("\"moe\":{\"foo\":\"mxfp8\"}"), "foo: Unexpected keyword argument");
    REFUSED(R(22, 0), LAYERS("\"linear\":\"x\""), "linear: Input should be one of");
    REFUSED(R(22, 0), LAYERS("\"linear\":\"int8_per_channel_weight_only\""), "linear: Input should be one of");
    REFUSED(R(22, 0), LAYERS("\"moe\":[]"), "moe: Input should be a dictionary");
    REFUSED(R(22, 0), LAYERS("\"ignore\":[\"a\",1]"), "ignore: Input should be a valid string");
    REFUSED(R(22, 0), "\n--quantization-config.linear x", "linear: Input should be one of");
    REFUSED(R(22, 0), LAYERS("\"ignore\":\"a\""), "ignore: Input should be a valid list");
    TAKES(R(22, 0), LAYERS("\"moe\":\"int8_per_channel_weight_only\",\"linear\":null,\"ignore\":[\"a\",\"b\"]"));
    TAKES(R(28, 0), LAYERS("\"linear\":{\"weight\":\"fp8_per_channel_static\",\"activation\":null}"));
    REFUSED(R(27, 1), LAYERS("\"linear\":{\"activation\":\"fp8_per_tensor_static_\"}"), "unknown quantization name");
}

// resolve_quantization_config v0.22.0.
static void words_beside_schemes(void **state)
{
    (void)state;
#define WITH(word, members) "\n--quantization " word "\n--quantization-config {" members "}"
    REFUSED(R(22, 0), WITH("fp8", "\"linear\":\"fp8_per_block\""),
            "only supported when quantization is one of ['fp8_per_block', 'fp8_per_tensor', "
            "'int8_per_channel_weight_only', 'mxfp8', 'online']");
    TAKES(R(22, 0), WITH("fp8_per_tensor", "\"linear\":\"fp8_per_block\""));
    REFUSED(R(22, 0), "\n--quantization fp8\n--quantization-config.linear mxfp8", "only supported when quantization");
    TAKES(R(22, 0), "\n--quantization fp8");
    struct kvb_deployment deployment;
    struct kvb_engine engine;
    char out[256];
    give_lines(R(22, 0), WITH("later", "\"linear\":null"), &deployment, &engine);
    (void)kvb_copy(engine.version, sizeof engine.version, "0.22.1rc1.dev5+gabcdef123");
    kvb_vllm_judge(&deployment, &engine, out);
    assert_string_equal(out, TAKEN); // a build of its own may know more words
    REFUSED(R(19, 0), WITH("fp8", "\"linear\":\"x\""), "unrecognized arguments: --quantization-config");
}

// RunaiModelStreamerLoader v0.24.0 and v0.25.0, ShardedStateLoader v0.8.5.
static void keys_of_streamers(void **state)
{
    (void)state;
#define STREAMER(members) "\n--load-format runai_streamer\n--model-loader-extra-config {" members "}"
#define SHARDED(members) "\n--load-format runai_streamer_sharded\n--model-loader-extra-config {" members "}"
    REFUSED(R(24, 0), STREAMER("\"foo\":1"), "Unexpected extra config keys for runai_streamer: foo");
    REFUSED(R(24, 0), STREAMER("\"concurrency\":\"8\""), "concurrency must be a positive integer");
    REFUSED(R(24, 0), STREAMER("\"concurrency\":0"), "concurrency must be a positive integer");
    REFUSED(R(28, 0), STREAMER("\"concurrency\":-1"), "concurrency must be a positive integer");
    REFUSED(R(24, 0), STREAMER("\"memory_limit\":-1"), "memory_limit must be a positive integer");
    REFUSED(R(24, 0), STREAMER("\"memory_limit\":0"), "memory_limit must be a positive integer");
    REFUSED(R(25, 0), STREAMER("\"memory_limit\":-2"), "memory_limit must be a positive integer");
    REFUSED(R(25, 0), STREAMER("\"distributed\":1"), "distributed must be a bool");
    TAKES(R(25, 0), STREAMER("\"memory_limit\":-1,\"concurrency\":16,\"distributed\":true"));
    TAKES(R(25, 0), STREAMER("\"memory_limit\":0,\"distributed\":false"));
    TAKES(R(24, 0), STREAMER("\"memory_limit\":5"));
    TAKES(R(22, 0), STREAMER("\"foo\":1"));
    REFUSED(R(8, 5), SHARDED("\"foo\":1"),
            "Unexpected extra config keys for load format runai_streamer_sharded: {'foo'}");
    REFUSED(R(28, 0), SHARDED("\"concurrency\":8"), "Unexpected extra config keys");
    TAKES(R(28, 0), SHARDED("\"pattern\":\"x\""));
    REFUSED(R(28, 0), "\n--quantization fp8\n--model-loader-extra-config {\"foo\":1}", "Unexpected extra config keys");
    TAKES(R(28, 0), "\n--quantization bitsandbytes\n--model-loader-extra-config {\"foo\":1}");
    TAKES(R(28, 0), "\n--load-format tensorizer\n--model-loader-extra-config {\"tensorizer_uri\":\"x\"}");
}

// SpeculativeConfig.__post_init__; a name that is no checkpoint: vllm/transformers_utils/config.py get_config.
static void methods_of_drafts(void **state)
{
    (void)state;
#define DRAFT(members) "\n--speculative-config {" members "}"
    REFUSED(R(22, 0), DRAFT("\"method\":\"custom_class\",\"num_speculative_tokens\":3"),
            "method='custom_class' requires");
    TAKES(R(22, 0), DRAFT("\"method\":\"custom_class\",\"model\":\"a.B\",\"num_speculative_tokens\":3"));
    TAKES(R(22, 0), DRAFT("\"method\":\"custom_class\""));
    REFUSED(R(12, 0), DRAFT("\"method\":\"eagle\",\"model\":\"[ngram]\",\"num_speculative_tokens\":3"),
            "Invalid repository ID or local directory specified: '[ngram]'.");
    REFUSED(R(12, 0), DRAFT("\"method\":\"medusa\",\"model\":\"ngram\",\"num_speculative_tokens\":3"), "'ngram'.");
    TAKES(R(12, 0), DRAFT("\"method\":\"eagle\",\"model\":\"a/b\",\"num_speculative_tokens\":3"));
    TAKES(R(12, 0), DRAFT("\"method\":null,\"model\":\"[ngram]\",\"num_speculative_tokens\":3"));
}

// ProfilerConfig v0.13.0, where VLLM_TORCH_PROFILER_DIR may still be the folder.
static void folders_of_profilers(void **state)
{
    (void)state;
    struct kvb_deployment deployment;
    struct kvb_engine engine;
    char out[256];
    REFUSED(R(13, 0), "\n--profiler-config {\"profiler\":\"torch\"}", "torch_profiler_dir must be set");
    TAKES(R(15, 0), "\n--profiler-config {\"torch_profiler_dir\":\"/x\"}");
    REFUSED(R(16, 0), "\n--profiler-config {\"torch_profiler_dir\":\"/x\"}", "only applicable when profiler");
    TAKES(R(15, 0), "\n--profiler-config {\"profiler\":\"torch\",\"torch_profiler_dir\":\"/x\"}");
    give_lines(R(15, 0), "\n--profiler-config {\"profiler\":\"torch\"}", &deployment, &engine);
    (void)kvb_copy(deployment.environment.noted, sizeof deployment.environment.noted, "\nVLLM_TORCH_PROFILER_DIR=/x\n");
    kvb_vllm_judge(&deployment, &engine, out);
    assert_string_equal(out, TAKEN);
}

// arg_utils.py v0.9.1 to v0.28.0: nargs="+" of these three words.
static void traces_of_modules(void **state)
{
    (void)state;
    REFUSED(R(13, 0), "\n--collect-detailed-traces foo", "invalid choice: 'foo'");
    REFUSED(R(13, 0), "\n--collect-detailed-traces x", "invalid choice: 'x'");
    TAKES(R(13, 0), "\n--collect-detailed-traces model");
    TAKES(R(13, 0), "\n--collect-detailed-traces worker");
    TAKES(R(13, 0), "\n--collect-detailed-traces all");
}

// A dotted member takes the word behind it; behind the last line there is one only where the line was cut off. 0.8.5
// reads no dots, and so the flag is unknown to it (utils.py v0.8.5, v0.9.0 FlexibleArgumentParser).
static void a_member_at_the_end(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static char out[256];
    struct kvb_engine engine;
    REFUSED(R(28, 0), "\n--speculative-config.method", "IndexError");
    assert_false(says(R(28, 0), "\n--speculative-config.method\nngram", "IndexError"));
    assert_false(says(R(8, 5), "\n--speculative-config.method", "IndexError"));
    give_lines(R(28, 0), "\n--speculative-config.method", &deployment, &engine);
    deployment.serve_flags_cut = true;
    out[0] = '\0';
    kvb_vllm_judge(&deployment, &engine, out);
    assert_null(strstr(out, "IndexError"));
}

KVB_TEST_MAIN(cmocka_unit_test(traces_of_modules), cmocka_unit_test(a_member_at_the_end),
              cmocka_unit_test(names_of_kernels), cmocka_unit_test(priorities_of_operations),
              cmocka_unit_test(backends_of_kinds), cmocka_unit_test(quantization_of_layers),
              cmocka_unit_test(words_beside_schemes), cmocka_unit_test(keys_of_streamers),
              cmocka_unit_test(methods_of_drafts), cmocka_unit_test(folders_of_profilers))
