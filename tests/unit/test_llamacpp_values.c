// Values that llama-server's and Ollama's flags take, one by one: names of devices, kinds of drafting, shares, where
// tensors go, and what a user who splits by hand keeps from --fit. Source: common/arg.cpp (--device, --spec-type,
// --draft-max, --tensor-split, --override-tensor), common/speculative.cpp, ggml-backend-reg.cpp (names of devices).
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/start.h"
#include "unit/llamacpp_line.h"

static struct kvb_model model;
static struct kvb_llama_start start;

static uint64_t said(enum kvb_setting setting)
{
    const struct kvb_setting_value *value = &deployment.settings.values[setting];
    return value->set ? value->number : UINT64_MAX;
}

static void devices(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        uint64_t backend, gpus;
    } rows[] = {{"CUDA0", KVB_LLAMA_CUDA, 1},       {"CUDA0,CUDA1,CUDA2", KVB_LLAMA_CUDA, 3},
                {"ROCm0,ROCm1", KVB_LLAMA_ROCM, 2}, {"HIP0", KVB_LLAMA_ROCM, 1},
                {"Vulkan1", KVB_LLAMA_VULKAN, 1},   {"Metal", KVB_LLAMA_METAL, 1},
                {"MTL0", KVB_LLAMA_METAL, 1},       {"SYCL0,SYCL1", KVB_LLAMA_SYCL, 2}};
    static const char *const wrong[] = {"CUD0", "cuda0", "TPU0", "", "Metl", "non"};
    char why[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_deployment_init(&deployment);
        assert_true(kvb_llama_read_devices(rows[i].value, KVB_ORIGIN_FLAG, &deployment, why));
        assert_int_equal(said(KVB_SET_GGML_BACKEND), rows[i].backend);
        assert_int_equal(said(KVB_SET_TENSOR_PARALLEL_SIZE), rows[i].gpus);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kvb_deployment_init(&deployment);
        assert_false(kvb_llama_read_devices(wrong[i], KVB_ORIGIN_FLAG, &deployment, why));
        assert_true(said(KVB_SET_GGML_BACKEND) == UINT64_MAX);
    }
    kvb_deployment_init(&deployment);
    assert_true(kvb_llama_read_devices("none", KVB_ORIGIN_FLAG, &deployment, why));
    assert_int_equal(said(KVB_SET_GPU_LAYERS), 0);
}

static void drafting(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        uint64_t method;
    } rows[] = {{"none", KVB_SPECULATIVE_NONE},
                {"draft-mtp", KVB_SPECULATIVE_MTP},
                {"mtp", KVB_SPECULATIVE_MTP},
                {"draft-eagle3", KVB_SPECULATIVE_EAGLE},
                {"draft-simple", KVB_SPECULATIVE_DRAFT_MODEL},
                {"draft", KVB_SPECULATIVE_DRAFT_MODEL},
                {"draft-dflash", KVB_SPECULATIVE_DFLASH},
                {"ngram-simple", KVB_SPECULATIVE_NGRAM},
                {"ngram-map-k4v", KVB_SPECULATIVE_NGRAM},
                {"ngram-mod,draft-mtp", KVB_SPECULATIVE_MTP}, // what has weights decides, in any order
                {"draft-mtp,ngram-mod", KVB_SPECULATIVE_MTP},
                {"draft-mtp,none", KVB_SPECULATIVE_MTP},
                {"ngram-simple,ngram-mod", KVB_SPECULATIVE_NGRAM}};
    static const char *const wrong[] = {"draft-mt", "draft-mtpx", "ngra", "draft-mtp,", "nonesuch", ""};
    char why[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_deployment_init(&deployment);
        assert_true(kvb_llama_read_drafting(rows[i].value, KVB_ORIGIN_FLAG, &deployment, why));
        if (said(KVB_SET_SPECULATIVE_METHOD) != rows[i].method) {
            fail_msg("%s", rows[i].value);
        }
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kvb_deployment_init(&deployment);
        assert_false(kvb_llama_read_drafting(wrong[i], KVB_ORIGIN_FLAG, &deployment, why));
    }
    assert_true(kvb_llama_read_drafted("1024", KVB_ORIGIN_FLAG, &deployment, why));
    assert_int_equal(said(KVB_SET_NUM_SPECULATIVE_TOKENS), 1024);
    assert_false(kvb_llama_read_drafted("1025", KVB_ORIGIN_FLAG, &deployment, why));
    assert_false(kvb_llama_read_drafted("few", KVB_ORIGIN_FLAG, &deployment, why));
}

// Hundredths of a share, sixteen of them at most, each at most 600.
static void shares(void **state)
{
    (void)state;
    char why[256];
    kvb_deployment_init(&deployment);
    assert_true(kvb_llama_read_shares("600,0.5/1", KVB_ORIGIN_FLAG, &deployment, why));
    assert_int_equal(deployment.environment.layer_partition_count, 3);
    assert_int_equal(deployment.environment.layer_partition[0], 60000);
    assert_int_equal(deployment.environment.layer_partition[1], 50);
    assert_int_equal(deployment.environment.layer_partition[2], 100);
    kvb_deployment_init(&deployment);
    assert_true(kvb_llama_read_shares("0.99,5.07", KVB_ORIGIN_FLAG, &deployment, why));
    assert_int_equal(deployment.environment.layer_partition[0], 99); // hundredths
    assert_int_equal(deployment.environment.layer_partition[1], 507);
    kvb_deployment_init(&deployment);
    assert_true(kvb_llama_read_shares("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", KVB_ORIGIN_FLAG, &deployment, why));
    assert_int_equal(said(KVB_SET_TENSOR_PARALLEL_SIZE), 16);
    assert_false(kvb_llama_read_shares("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", KVB_ORIGIN_FLAG, &deployment, why));
    assert_false(kvb_llama_read_shares("601", KVB_ORIGIN_FLAG, &deployment, why));
    assert_false(kvb_llama_read_shares("1,", KVB_ORIGIN_FLAG, &deployment, why));
    assert_false(kvb_llama_read_shares("", KVB_ORIGIN_FLAG, &deployment, why));
    assert_string_equal(why, "tensor-split: '' is not known; expected shares such as 3,1");
}

// A buffer is named whole: the host is CPU and nothing that begins or is as long so.
static void names_of_buffers(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum kvb_llama_backend backend;
        uint32_t devices;
        bool known;
    } rows[] = {{"a=CPU\n", KVB_LLAMA_CUDA, 1, true},       {"a=CUDA0\n", KVB_LLAMA_CUDA, 1, true},
                {"a=CUDA1\n", KVB_LLAMA_CUDA, 1, false},    {"a=CUDA11\n", KVB_LLAMA_CUDA, 12, true},
                {"a=CUDA12\n", KVB_LLAMA_CUDA, 12, false},  {"a=MTL0\n", KVB_LLAMA_CUDA, 1, false},
                {"a=MTL0\n", KVB_LLAMA_METAL, 1, true},     {"a=CUDA0\n", KVB_LLAMA_METAL, 1, false},
                {"a=SYCL0\n", KVB_LLAMA_SYCL, 1, true},     {"a=CPU\n", KVB_LLAMA_SYCL, 1, true},
                {"a=ROCm0\n", KVB_LLAMA_ROCM, 1, true},     {"a=Vulkan0\n", KVB_LLAMA_ROCM, 1, false},
                {"a=Vulkan0\n", KVB_LLAMA_VULKAN, 1, true}, {"a=CPU\nb=TPU\n", KVB_LLAMA_CUDA, 1, false}};
    model.layer_count = 2;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_run run = {
            .model = &model, .backend = rows[i].backend, .devices = rows[i].devices, .overrides = rows[i].line};
        if ((kvb_llama_overrides_unknown(&run) == NULL) != rows[i].known) {
            fail_msg("row %zu", i);
        }
        const char *equals = strchr(rows[i].line, '=');
        uint32_t place = kvb_llama_tensor_place(&run, 0, "a", false, 77);
        if (strncmp(equals, "=CPU", 4) == 0) {
            assert_int_equal(place, KVB_LLAMA_HOST);
        } else {
            assert_int_equal(place == 77, !rows[i].known);
        }
    }
}

static void take(const char *line)
{
    read_line(line);
    run_on("Qwen/Qwen3-8B", "3090", "llama.cpp@b8000");
    resolve_line();
    kvb_llama_start_begin(&plan, false, &start);
}

// common/fit.cpp: what is split by hand is left to the user; each way alone counts.
static void split_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool split, layers;
    } rows[] = {{"llama-server -m x.gguf", false, false},
                {"llama-server -m x.gguf -ts 3,1", true, false},
                {"llama-server -m x.gguf --n-cpu-moe 2", true, false},
                {"llama-server -m x.gguf -ot ffn_down=CPU", true, false},
                {"llama-server -m x.gguf -ngl 20", false, true},
                {"llama-server -m x.gguf -ts 3,1 -ngl 20", true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        take(rows[i].line);
        assert_int_equal(start.split_said, rows[i].split);
        assert_int_equal(start.layers_said, rows[i].layers);
    }
}

// A line is searched to its end; flags by release as cmd/cmd.go has them (git grep at the tags), sentences of
// pflag 1.0.5: "unknown flag: --%s", "unknown shorthand flag: %q in -%s", "invalid argument %q for %q flag: %v".
static void ollama_lines(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool served;
        const char *lines, *said;
    } rows[] = {
        {KVB_RELEASE(0, 12, 0), false, "", ""},
        {KVB_RELEASE(0, 12, 0), false, "\n--verbose", ""},
        {KVB_RELEASE(0, 12, 0), false, "\n--num-ctx 4096",
         "unknown flag: --num-ctx; it is set by OLLAMA_CONTEXT_LENGTH"},
        {KVB_RELEASE(0, 12, 0), false, "\n--verbose\n--num_ctx=4096",
         "unknown flag: --num-ctx; it is set by OLLAMA_CONTEXT_LENGTH"},
        {KVB_RELEASE(0, 12, 0), false, "\n--verbose\n--nowordwrap\n--num-gpu 3",
         "unknown flag: --num-gpu; it is set by a Modelfile's PARAMETER"},
        {KVB_RELEASE(0, 12, 0), false, "\n--num-ct 4096", "unknown flag: --num-ct"},
        {KVB_RELEASE(0, 12, 0), false, "\n-num-ctx 4096", "unknown shorthand flag: 'n' in -num-ctx"},
        {KVB_RELEASE(0, 12, 0), false, "\n--\n-\n-h\n--help\n--parameter num_ctx=8192", ""},
        {KVB_RELEASE(0, 12, 0), false, "\n--foo 1\n--bar", "unknown flag: --foo"},
        {KVB_RELEASE(0, 12, 0), true, "\n--help", ""},
        {KVB_RELEASE(0, 12, 0), true, "\n--host 0.0.0.0", "unknown flag: --host"},
        {KVB_RELEASE(0, 12, 0), true, "\n--verbose", "unknown flag: --verbose"},
        {KVB_RELEASE(0, 8, 4), false, "\n--hidethinking", "unknown flag: --hidethinking; from 0.9.0 on it is one"},
        {KVB_RELEASE(0, 9, 0), false, "\n--hidethinking\n--think", ""},
        {KVB_RELEASE(0, 9, 0), false, "\n--think=high",
         "invalid argument \"high\" for \"--think\" flag: strconv.ParseBool: parsing \"high\": invalid syntax"},
        {KVB_RELEASE(0, 11, 0), false, "\n--think=high", ""},
        {KVB_RELEASE(0, 12, 9), false, "\n--truncate=false", "unknown flag: --truncate; from 0.12.10 on it is one"},
        {KVB_RELEASE(0, 12, 10), false, "\n--truncate=false\n--dimensions 512\n--dimensions=-0x10\n--dimensions $D",
         ""},
        {KVB_RELEASE(0, 12, 10), false, "\n--dimensions few",
         "invalid argument \"few\" for \"--dimensions\" flag: strconv.ParseInt: parsing \"few\": invalid syntax"},
        {KVB_RELEASE(0, 12, 10), false, "\n--dimensions=",
         "invalid argument \"\" for \"--dimensions\" flag: strconv.ParseInt: parsing \"\": invalid syntax"},
        {KVB_RELEASE(0, 12, 10), false, "\n--dimensions=+",
         "invalid argument \"+\" for \"--dimensions\" flag: strconv.ParseInt: parsing \"+\": invalid syntax"},
        {KVB_RELEASE(0, 31, 1), false, "\n--experimental-yolo\n--seed 1", ""},
        {KVB_RELEASE(0, 31, 2), false, "\n--experimental-yolo",
         "unknown flag: --experimental-yolo; from 0.14.0 to before 0.31.2 it is one"},
        {KVB_RELEASE(0, 32, 5), false, "\n--imagegen", ""},
        {KVB_RELEASE(0, 32, 6), false, "\n--width 64", "unknown flag: --width; from 0.14.0 to before 0.32.6 it is one"},
        {KVB_RELEASE(0, 33, 0), false, "\n--format json\n--keepalive=5m\n--insecure\n--verbose=T", ""},
        {KVB_RELEASE(0, 33, 0), false, "\n--a23456789012345678901234567890123456789012345678901234567890123456789",
         "unknown flag: --a234567890123456789012345678901234567890123456789012345678"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[256] = "";
        struct kvb_engine engine = {.name = "ollama", .release = rows[i].release};
        kvb_deployment_init(&deployment);
        deployment.serve_module = rows[i].served;
        (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "%s", rows[i].lines);
        kvb_ollama_judge(&deployment, &engine, out);
        assert_string_equal(out, rows[i].said);
        engine.assumed = true; // of a release that nobody knows only settings are said
        kvb_ollama_judge(&deployment, &engine, out);
        assert_true(out[0] == '\0' || strstr(out, "it is set by") != NULL);
    }
    assert_true(kvb_ollama_takes_value("--format=json"));
    assert_true(kvb_ollama_takes_value("--dimensions"));
    assert_true(kvb_ollama_takes_value("--foo"));
    assert_true(kvb_ollama_takes_value("-v"));
    assert_false(kvb_ollama_takes_value("--verbose"));
    assert_false(kvb_ollama_takes_value("--think"));
}

KVB_TEST_MAIN(cmocka_unit_test(devices), cmocka_unit_test(drafting), cmocka_unit_test(shares),
              cmocka_unit_test(names_of_buffers), cmocka_unit_test(split_by_hand), cmocka_unit_test(ollama_lines))
