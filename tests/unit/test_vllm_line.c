// What a release's own parser says of a noted serve line, and what of it decides a start, asked line by line. Expected
// values are read from vllm/engine/arg_utils.py at the tags named beside them and Python's argparse.
#include <stdio.h>
#include <string.h>

#include "budget/engine.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_plan plan;

static void note(const char *lines)
{
    memset(&deployment, 0, sizeof deployment);
    (void)strncpy(deployment.serve_flags, lines, sizeof deployment.serve_flags - 1);
}

static void judged(const char *version, uint32_t release, const char *lines, const char *sentence)
{
    char out[256];
    struct kvb_engine engine = {.release = release};
    (void)strncpy(engine.version, version, sizeof engine.version - 1);
    note(lines);
    kvb_vllm_judge(&deployment, &engine, out);
    assert_string_equal(out, sentence);
}

#define UNKNOWN "vllm: error: unrecognized arguments: "

static void flags_that_a_release_does_not_have(void **state)
{
    (void)state;
    judged("0.9.0", R(9, 0), "--nobody 1\n", UNKNOWN "--nobody 1");
    judged("0.9.0", R(9, 0), "--nobody_there 1\n-q fp8\n--no_such_thing\n", UNKNOWN "--nobody-there 1 --no-such-thing");
    judged("0.9.0", R(9, 0), "--no\n", UNKNOWN "--no"); // nothing is negated
    judged("0.9.0", R(9, 0), "--no_enable_prefix_caching\n", "");
    judged("0.9.0", R(9, 0), "--no-enable-prefix-caching\n", "");
    judged("0.9.0", R(9, 0), "--no-max-model-len 5\n", UNKNOWN "--no-max-model-len 5"); // takes a value
    judged("0.9.0", R(9, 0), "--no-enable-pre\n", "");                                  // the beginning of two
    judged("0.11.0", R(11, 0), "--no-enable-l\n", "");   // enable-log-requests, enable-lora: argparse asks which
    judged("0.9.1", R(9, 1), "--no-enable-lor\n", "");   // enable-lora and enable-lora-bias alone
    judged("0.9.0", R(9, 0), "--data-parallel 2\n", "ambiguous option: --data-parallel could match several flags");
    judged("0.5.0", R(5, 0), "--max_model_len 5\n", UNKNOWN "--max_model_len 5"); // dashes alone before 0.5.1
    judged("0.9.0.dev5", R(9, 0), "--nobody 1\n", "");                            // may have it
    judged("0.9.0.dev5", R(9, 0), "-nobody\n", UNKNOWN "-nobody");
    judged("0.12.0.dev5", R(12, 0), "--device cuda\n", UNKNOWN "--device cuda"); // gone, whatever --device-ids will be
    char out[256];
    struct kvb_engine engine = {.release = R(9, 0), .version = "0.9.0"};
    note("--nobody 1\n");
    deployment.serve_module = true;
    kvb_vllm_judge(&deployment, &engine, out);
    assert_string_equal(out, "api_server.py: error: unrecognized arguments: --nobody 1");
}

// Short forms, and what begins one or more of them; a value may follow a single letter alone (argparse of Python 3.12).
// -O is read before argparse from 0.12.0.
static void short_forms(void **state)
{
    (void)state;
    judged("0.9.0", R(9, 0), "-tp 2\n-tp=2\n-qfp8\n", "");
    judged("0.9.1", R(9, 1), "-as 2\n", "");
    judged("0.12.0", R(12, 0), "-d 2\n", ""); // of several, which argparse asks about
    judged("0.9.0", R(9, 0), "-tp2\n", UNKNOWN "-tp2");
    judged("0.9.0", R(9, 0), "-z 2\n", UNKNOWN "-z 2");
    judged("0.9.0", R(9, 0), "-\n", UNKNOWN "-");
    judged("0.12.0", R(12, 0), "-O3\n-Oanything\n", "");
    judged("0.5.0", R(5, 0), "-O3\n", UNKNOWN "-O3");
}

// cuda.py v0.24.0 device_control_id_to_physical_device_id.
static void devices_by_name(void **state)
{
    (void)state;
    static const char uuid[] = "argument --device-ids (of which --device is the beginning): no GPU has the UUID '";
    char sentence[160];
    static const char *const words[] = {"cuda", "auto", "gpu", "cpu"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char line[32];
        (void)snprintf(line, sizeof line, "--device=%s\n", words[i]);
        (void)snprintf(sentence, sizeof sentence, "%s%s'", uuid, words[i]);
        judged("0.24.0", R(24, 0), line, sentence);
    }
    judged("0.24.0", R(24, 0), "--device 0\n", "");
    (void)snprintf(sentence, sizeof sentence, "%scuda'", uuid);
    judged("0.24.0", R(24, 0), "--device-ids cuda\n", sentence);
    judged("0.24.0", R(24, 0), "--device abcd\n", ""); // the length of one, and no such word
    judged("0.24.0", R(24, 0), "--device\n", "argument --device-ids: expected one argument");
    judged("0.9.0", R(9, 0), "--device cuda\n", "");
    judged("0.24.0", R(24, 0), "--device", "argument --device-ids: expected one argument");
}

static void values_that_are_not_listed(void **state)
{
    (void)state;
    char out[256] = "";
    struct kvb_engine engine = {.release = R(23, 0), .version = "0.23.0"};
    note("--moe-backend Flashinfer-Cutlass\n");
    assert_false(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out)); // read loosely
    note("--moe-backend marlix\n");
    assert_true(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
    note("--linear-backend Flashinfer-Cutlass\n");
    assert_false(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
    note("--moe-backend trit@n\n");
    assert_true(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
    note("--load-format abcd\n");
    assert_true(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
    assert_string_equal(out, "Load format `abcd` is not supported");
    note("--load-format \n"); // get_model_loader v0.23.0 knows no loader of that name
    assert_true(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
    engine = (struct kvb_engine){.release = R(24, 0), .version = "0.24.0"};
    note("--load-format gguf\n"); // by a plugin
    assert_false(kvb_vllm_judge_value(&deployment, deployment.serve_flags, &engine, out));
}

static void forms_of_switches_and_companions(void **state)
{
    (void)state;
    assert_true(kvb_vllm_takes_value("--max-model-len"));
    assert_true(kvb_vllm_takes_value("--nobody"));
    assert_false(kvb_vllm_takes_value("--enable-lora"));
    assert_string_equal(kvb_vllm_companion(KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES, R(8, 1)),
                        "--load-format bitsandbytes");
    assert_null(kvb_vllm_companion(KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES, R(8, 2)));
    assert_null(kvb_vllm_companion(KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES, R(4, 3)));
    assert_null(kvb_vllm_companion(KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8, R(8, 1)));
    assert_null(kvb_vllm_companion(KVB_SET_MAX_LORAS, KVB_QUANTIZATION_BITSANDBYTES, R(8, 1)));
    assert_int_equal(kvb_vllm_off_form("nobody", R(9, 0)), KVB_OFF_NEGATED);
    assert_int_equal(kvb_vllm_off_form("enable-prefix-caching", R(9, 0)), KVB_OFF_NEGATED);
    assert_int_equal(kvb_vllm_off_form("enable-chunked-prefill", R(4, 0)), KVB_OFF_SPELLED); // type=bool
    assert_int_equal(kvb_vllm_off_form("enable-chunked-prefill", R(4, 1)), KVB_OFF_UNSAID);
}

// ---- Tables of releases

static void tables_of_releases(void **state)
{
    (void)state;
    unsigned matches;
    assert_true(kvb_kernels_run_on(90, R(1, 0))); // before all that are listed
    assert_false(kvb_flag_is_gone("swap-space", R(17, 0)));
    assert_true(kvb_flag_is_gone("swap-space", R(18, 0)));
    assert_false(kvb_flag_is_gone("max-model-len", R(18, 0)));
    assert_false(kvb_flag_is_gone("nobody", R(18, 0)));
    assert_non_null(kvb_flag_of("swap-sp", strlen("swap-sp"), 0, &matches)); // of any release
    assert_int_equal(matches, 1);
    assert_null(kvb_flag_of("data-parallel", strlen("data-parallel"), R(9, 0), &matches));
    assert_true(matches > 1);
}

// ---- What decides a start

static void plain(const char *lines)
{
    make_llama_plan(&plan, R(12, 0));
    note(lines);
    kvb_vllm_plain_flags(&deployment, &plan);
}

static void numbers_and_switches(void **state)
{
    (void)state;
    plain("--max-cpu-loras x\n"); // what is no number says nothing
    assert_false(plan.plain_numbers[KVB_PLAIN_MAX_CPU_LORAS].set);
    plain("--enable-dbo\n--no_enable-dbo\n--no-enable-eplb\n--no-max-cpu-loras\n"); // of two the last is kept
    assert_int_equal(plan.plain_flags, KVB_PLAIN_SERVE_LINE);
    plain("--max-cpu-loras 7\n--max-cpu-l 4\n--enable-eplb\n--enable-dbo-x\n");
    assert_int_equal(plan.plain_numbers[KVB_PLAIN_MAX_CPU_LORAS].number, 4);
    assert_int_equal(plan.plain_flags, KVB_PLAIN_SERVE_LINE | KVB_PLAIN_EPLB);
}

static void connectors_and_their_roles(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        bool lacks;
    } rows[] = {
        {"--kv-transfer-config {\"kv_connector\": \"a\"}\n", true},
        {"--kv-transfer-config {\"kv_connector\": \"a\", \"kv_role\": \"kv_both\"}\n", false},
        {"--kv-transfer-config.kv-connector a\n", true},
        {"--kv-transfer-config.kv-connector a\n--kv-transfer-config.kv-role kv_both\n", false},
        {"--kv-transfer-config.kv_role kv_both\n--kv-transfer-config.kv_connector a\n", false},
        {"--kv-transfer-config {}\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plain(rows[i].lines);
        assert_int_equal((plan.plain_flags & KVB_PLAIN_NO_ROLE) != 0, rows[i].lacks);
    }
}

// serve_pairs: arg_utils.py and config at the tags of its rows.
static void pairs(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(10, 2));
    note("--kv-sharing-fast-prefill\n");
    kvb_vllm_judge_pairs(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    kvb_vllm_judge_pairs(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
    static const enum kvb_speculative methods[] = {KVB_SPECULATIVE_EAGLE, KVB_SPECULATIVE_MTP};
    for (size_t i = 0; i < 2; i++) {
        plan.command_error[0] = '\0';
        set(&plan, KVB_SET_SPECULATIVE_METHOD, methods[i]);
        kvb_vllm_judge_pairs(&deployment, &plan);
        assert_non_null(strstr(plan.command_error, "is not compatible with EAGLE"));
    }
    static const enum kvb_setting sizes[] = {KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_PIPELINE_PARALLEL_SIZE,
                                             KVB_SET_DATA_PARALLEL_SIZE};
    for (size_t i = 0; i < 3; i++) {
        make_llama_plan(&plan, R(19, 0));
        note("--mm-tensor-ipc torch_shm\n");
        set(&plan, sizes[i], 2);
        kvb_vllm_judge_pairs(&deployment, &plan);
        assert_string_equal(plan.command_error, ""); // a model of text
        plan.model.encoder.family = KVB_ENCODER_QWEN2_VL;
        plan.model.encoder.layers = 1;
        kvb_vllm_judge_pairs(&deployment, &plan);
        assert_non_null(strstr(plan.command_error, "mm_tensor_ipc='torch_shm' is not supported"));
        plan.command_error[0] = '\0';
        unset(&plan, sizes[i]);
        kvb_vllm_judge_pairs(&deployment, &plan);
        assert_string_equal(plan.command_error, "");
    }
    make_llama_plan(&plan, R(20, 0));
    note("--enable-mamba-cache-stochastic-rounding\n");
    deployment.serve_flags_cut = true; // the flag that is missed may have been cut off
    kvb_vllm_judge_pairs(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
    deployment.serve_flags_cut = false;
    kvb_vllm_judge_pairs(&deployment, &plan);
    assert_non_null(strstr(plan.command_error, "Stochastic rounding"));
    plan.command_error[0] = '\0';
    note("--enable-mamba-cache-stochastic-rounding\n--config=file.yaml\n"); // a file that vLLM does not look for
    kvb_vllm_judge_pairs(&deployment, &plan);
    assert_non_null(strstr(plan.command_error, "Stochastic rounding"));
}

// ---- Variables

static bool variable(const char *name, const char *value)
{
    size_t count;
    const struct kvb_variable_row *rows = kvb_vllm_variables(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].read(value, &rows[i], &plan.environment);
        }
    }
    fail_msg("no variable %s", name);
    return false;
}

static void partitions(void **state)
{
    (void)state;
    char many[65 * 2 + 1] = "";
    assert_true(variable("VLLM_PP_LAYER_PARTITION", "16,17"));
    assert_int_equal(plan.environment.layer_partition_count, 2);
    assert_int_equal(plan.environment.layer_partition[1], 17);
    assert_false(variable("VLLM_PP_LAYER_PARTITION", "16,x"));
    assert_false(variable("VLLM_PP_LAYER_PARTITION", "16,12345678"));
    assert_false(variable("VLLM_PP_LAYER_PARTITION", "16,65000"));
    for (size_t i = 0; i < 65; i++) {
        (void)strcat(many, i == 0 ? "1" : ",1");
    }
    assert_false(variable("VLLM_PP_LAYER_PARTITION", many));
    many[64 * 2 - 1] = '\0';
    assert_true(variable("VLLM_PP_LAYER_PARTITION", many));
    assert_int_equal(plan.environment.layer_partition_count, 64);
}

static void backends_by_variable(void **state)
{
    (void)state;
    assert_true(variable("VLLM_ATTENTION_BACKEND", "FLASHINFER"));
    assert_int_equal(plan.environment.attention_backend, KVB_BACKEND_FLASHINFER);
    assert_false(variable("VLLM_ATTENTION_BACKEND", ""));
}

KVB_TEST_MAIN(cmocka_unit_test(flags_that_a_release_does_not_have), cmocka_unit_test(short_forms),
              cmocka_unit_test(devices_by_name), cmocka_unit_test(values_that_are_not_listed),
              cmocka_unit_test(forms_of_switches_and_companions), cmocka_unit_test(tables_of_releases),
              cmocka_unit_test(numbers_and_switches), cmocka_unit_test(connectors_and_their_roles),
              cmocka_unit_test(pairs), cmocka_unit_test(partitions), cmocka_unit_test(backends_by_variable))
