// Readers of manifests on small texts: YAML beyond profiles, shells, variables, images, labels, hostile input.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "manifest/manifest_reader.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_found found; // the last one
static struct kvb_manifest_seen read_result;

static enum kvb_status take(void *context, const struct kvb_found *each)
{
    (void)context;
    found = *each;
    return KVB_OK;
}

static enum kvb_status read_with(const char *file, const char *text, const char *const *environment, uint32_t pairs,
                                 bool lenient)
{
    const struct kvb_manifest_options options = {environment, pairs, lenient, NULL};
    kvb_problems_init(&problems);
    memset(&found, 0, sizeof found);
    return kvb_manifest_read(file, text, strlen(text), &options, take, NULL, &read_result, &problems);
}

static void read_one(const char *file, const char *text)
{
    enum kvb_status status = read_with(file, text, NULL, 0, false);
    if (status != KVB_OK) {
        print_error("%s\n", problems.items[0].text);
    }
    assert_int_equal(status, KVB_OK);
    assert_int_equal(read_result.deployments, 1);
}

static uint64_t setting(enum kvb_setting which)
{
    assert_true(found.deployment.settings.values[which].set);
    return found.deployment.settings.values[which].number;
}

// ---- YAML

static void test_merge_keys(void **state)
{
    (void)state;
    // The mapping's own keys win over merged ones, the first of several merged mappings over the next.
    read_one("c.yaml", "x-a: &a {image: 'vllm/vllm-openai:v0.9.0', command: --model a/a --max-num-seqs 1}\n"
                       "x-b: &b {image: 'vllm/vllm-openai:v0.8.5', environment: [VLLM_USE_V1=0]}\n"
                       "services:\n"
                       "  x:\n"
                       "    <<: [*a, *b]\n"
                       "    command: --model b/b --max-num-seqs 2\n");
    assert_string_equal(found.deployment.engine, "vllm@0.9.0");
    assert_string_equal(found.deployment.model, "b/b");
    assert_int_equal(setting(KVB_SET_MAX_NUM_SEQS), 2);
    assert_int_equal(found.deployment.environment.use_v1, KVB_NO);
    // In quotes, as JSON writes every key, it is a key like any other.
    read_one("c.json", "{\"top_logprobs\": {\"<<\": -15.8}, \"services\": {\"x\": {\"image\": \"vllm/vllm-openai\", "
                       "\"command\": \"--model b/b\"}}}");
    assert_string_equal(found.deployment.model, "b/b");
}

static void test_bad_yaml(void **state)
{
    static const struct {
        const char *text;
        enum kvb_status status;
    } rows[] = {
        {"services: *nowhere\n", KVB_UNKNOWN_NAME},
        {"services: &a {vllm: *a}\n", KVB_UNKNOWN_NAME}, // an anchor is not known inside itself
        {"services: {<<: 3, vllm: {}}\n", KVB_NOT_ALLOWED},
        {"services:\n  a: {}\n  a: {}\n", KVB_DUPLICATE_KEY},
        {"services: [\n", KVB_BAD_SYNTAX},
        {"vllm: 1\n", KVB_MISSING_KEY},
        {"", KVB_NOT_ALLOWED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum kvb_status status = read_with("c.yaml", rows[i].text, NULL, 0, false);
        if (status != rows[i].status) {
            print_error("%s: %s\n", rows[i].text, kvb_status_name(status));
        }
        assert_int_equal(status, rows[i].status);
        assert_true(problems.count > 0);
    }
}

static void test_tags_and_documents(void **state)
{
    (void)state;
    read_one("c.yaml", "--- # first\nname: other\n---\nservices:\n  v:\n    ports: !override []\n"
                       "    image: vllm/vllm-openai:latest\n    command: --model a/b\n...\n");
    assert_string_equal(found.deployment.model, "a/b");
    assert_string_equal(found.deployment.engine, ""); // no release in `latest`
    assert_int_equal(found.place.line, 5);
}

// ---- variables

static void test_variables(void **state)
{
    static const char *const environment[] = {"A=from-flag"};
    static const struct {
        const char *text;
        enum kvb_dollar dollar;
        const char *expected;
        const char *unknown;
    } rows[] = {
        {"${A:-x}", KVB_DOLLAR_SHELL, "from-flag", NULL},
        {"${B:-x}", KVB_DOLLAR_SHELL, "b", NULL},
        {"${C:-x}", KVB_DOLLAR_SHELL, "x", NULL},
        {"${EMPTY:-x}${EMPTY-y}", KVB_DOLLAR_SHELL, "x", NULL},
        {"${C:-${B}}", KVB_DOLLAR_SHELL, "b", NULL},
        {"${C:-${D}}", KVB_DOLLAR_SHELL, "${C:-${D}}", "D"},
        {"${B:+yes}${C:+no}", KVB_DOLLAR_SHELL, "yes", NULL},
        {"$C/$B", KVB_DOLLAR_SHELL, "$C/b", "C"},
        {"$$B ${B}", KVB_DOLLAR_COMPOSE, "$B b", NULL},
        {"$(B)$B$$(B)", KVB_DOLLAR_KUBERNETES, "b$B$(B)", NULL},
        {"$(nproc)", KVB_DOLLAR_SHELL, "$(nproc)", "$(nproc)"},
        {"${B", KVB_DOLLAR_SHELL, "${B", NULL},
        {"5$", KVB_DOLLAR_SHELL, "5$", NULL},
        {"$B", KVB_DOLLAR_PLAIN, "$B", NULL},
    };
    const struct kvb_manifest_options options = {environment, 1, false, NULL};
    struct kvb_manifest manifest = {.options = &options};
    const struct kvb_variable empty = {.name = "EMPTY", .value = ""};
    const struct kvb_variable b = {.name = "B", .value = "b", .older = &empty};
    (void)state;
    kvb_arena_init(&manifest.arena);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *unknown = NULL;
        assert_string_equal(kvb_expand(&manifest, rows[i].text, rows[i].dollar, &b, &unknown), rows[i].expected);
        assert_true((unknown == NULL) == (rows[i].unknown == NULL));
        if (unknown != NULL) {
            assert_string_equal(unknown, rows[i].unknown);
        }
    }
    kvb_arena_free(&manifest.arena);
}

static void test_unknown_values(void **state)
{
    (void)state;
    read_one("s.sh", "vllm serve $MODEL --port $PORT --max-model-len 4096\n");
    assert_int_equal(found.status, KVB_MISSING_KEY); // the port does not matter, the model does
    assert_int_equal(found.problems.count, 1);
    assert_non_null(strstr(found.problems.items[0].text, "MODEL"));
    assert_int_equal(found.problems.items[0].column, 12);
}

// ---- shell

static void test_commands(void **state)
{
    static const struct {
        const char *text;
        uint64_t length; // of --max-model-len
    } rows[] = {
        {"exec vllm serve a/b --max-model-len=11", 11},
        {"cd /x && VLLM_USE_V1=1 vllm serve a/b --max_model_len 12 | tee log", 12},
        {"bash -lc 'vllm serve a/b --max-model-len 13'", 13},
        {"python3 -u -m vllm.entrypoints.openai.api_server --model a/b --max-model-len 14", 14},
        {"/usr/bin/vllm serve a/b --max-model-len 15 # --max-model-len 99", 15},
        {"vllm serve a/b --max-model-len \\\n  16", 16},
        {"vllm serve a/b --max-model-len \\\r\n  17\r\n", 17},
        {"L=18; vllm serve a/b --max-model-len \"$L\"", 18},
        {"FLAGS='--max-model-len 19 --enforce-eager'\nvllm serve a/b $FLAGS", 19},
        {"A=(--max-model-len 20)\nA+=(--max-num-seqs 3)\nvllm serve a/b \"${A[@]}\" \"$@\"", 20},
        {"srun --gpus 8 bash -c \"vllm serve a/b --max-model-len 21\"", 21},
        {"podman run --gpus all -e X=1 docker.io/vllm/vllm-openai --model a/b --max-model-len 22", 22},
        {"docker run --entrypoint vllm some/image serve a/b --max-model-len 23", 23},
        {"docker run img bash -c 'vllm serve a/b --max-model-len 24'", 24},
        {"cat <<'E'\nvllm serve no/no\nE\nvllm serve a/b --max-model-len 25 >log 2>&1 &", 25},
        {"vllm serve a/b --max-model-len 1 --max-model-len 26", 26},
        {"vllm serve a/b --max-model-len 27 --port $", 27},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_one("s.sh", rows[i].text);
        assert_int_equal(found.status, KVB_OK);
        assert_string_equal(found.deployment.model, "a/b");
        assert_int_equal(setting(KVB_SET_MAX_MODEL_LEN), rows[i].length);
    }
}

// What a file sets may stand for more text than any memory holds: the reading ends, and says so.
static void test_growing(void **state)
{
    struct kvb_buffer text;
    (void)state;
    kvb_buffer_init(&text);
    kvb_buffer_add(&text, "A0=xxxxxxxxxxxxxxxx\n");
    for (unsigned i = 1; i < 40; i++) {
        kvb_buffer_printf(&text, "A%u=$A%u$A%u\n", i, i - 1, i - 1);
    }
    kvb_buffer_add(&text, "vllm serve a/b --served-model-name $A39\n");
    assert_int_equal(read_with("s.sh", text.data, NULL, 0, true), KVB_OUT_OF_RANGE);
    assert_string_equal(problems.items[0].text,
                        "its variables stand for more text than any deployment has, so it was not read");
    text.length = 0;
    for (unsigned i = 0; i < 4000; i++) { // each addition shares what was there before
        kvb_buffer_add(&text, "a+=(--max-model-len 7)\n");
    }
    kvb_buffer_add(&text, "vllm serve a/b ${a[@]}\n");
    read_one("s.sh", text.data);
    assert_int_equal(setting(KVB_SET_MAX_MODEL_LEN), 7);
    kvb_buffer_free(&text);
}

// Columns of a line of megabytes are found without walking it again for every value.
static void test_one_line(void **state)
{
    struct kvb_buffer text;
    (void)state;
    kvb_buffer_init(&text);
    kvb_buffer_add(&text, "{\"a\": [");
    for (unsigned i = 0; i < 60000; i++) {
        kvb_buffer_add(&text, "{\"image\": \"x\", \"args\": [\"-\"]},");
    }
    kvb_buffer_add(&text, "{\"image\": \"vllm/vllm-openai:v0.11.0\", \"args\": [\"--model=a/b\"]}]}");
    read_one("s.json", text.data);
    assert_int_equal(found.place.line, 1);
    assert_int_equal(found.place.column, 8 + 60000 * 30);
    kvb_buffer_free(&text);
}

static void test_no_commands(void **state)
{
    static const char *const rows[] = {
        "# vllm serve a/b",        "vllm bench serve --model a/b", "docker pull vllm/vllm-openai",
        "pip install vllm==0.9.0", "cat <<E\nvllm serve a/b\nE\n", "docker run nginx",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_with("s.sh", rows[i], NULL, 0, true), KVB_OK);
        assert_int_equal(read_result.deployments, 0);
    }
}

// ---- tables

static void test_images(void **state)
{
    static const struct {
        const char *image;
        bool serves;
        const char *release;
    } rows[] = {
        {"vllm/vllm-openai:v0.8.5.post1", true, "0.8.5.post1"},
        {"registry.local:5000/mirror/vllm-openai:0.11.0-cu128", true, "0.11.0"},
        {"vllm/vllm-openai@sha256:0123", true, ""},
        {"vllm/vllm-openai:nightly", true, ""},
        {"rocm/vllm:rocm6.4.1_vllm_0.9.1", false, ""},
        {"nvcr.io/nvidia/vllm:25.09-py3", false, ""},
        {"ghcr.io/ggml-org/llama.cpp:server-cuda-b7500", true, "b7500"},
        {"ghcr.io/ggml-org/llama.cpp:server-cuda", true, ""},
        {"ghcr.io/ggml-org/llama.cpp:light", false, ""},
        {"nginx:1.27", false, ""},
        {"", false, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_image image;
        kvb_image_read(rows[i].image, &image);
        assert_int_equal(image.serves, rows[i].serves);
        assert_string_equal(image.release, rows[i].release);
    }
}

static void test_labels(void **state)
{
    static const struct {
        const char *key, *value;
        const char *gpu; // NULL: names none
    } rows[] = {
        {"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB", "nvidia-a100-sxm4-80gb"},
        {"nvidia.com/gpu.product", "NVIDIA-A10-SHARED", "nvidia-a10"},
        {"cloud.google.com/gke-accelerator", "nvidia-tesla-a100", "a100-sxm-40"},
        {"node.kubernetes.io/instance-type", "p5.48xlarge", "h100-sxm"},
        {"node.kubernetes.io/instance-type", "m5.large", NULL},
        {"accelerator", "true", NULL},
        {"kubernetes.io/os", "linux", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char gpu[64];
        bool known = kvb_gpu_label(rows[i].key, rows[i].value, gpu, sizeof gpu);
        assert_int_equal(known, rows[i].gpu != NULL);
        if (known) {
            struct kvb_gpu value;
            assert_string_equal(gpu, rows[i].gpu);
            assert_int_equal(kvb_gpu_load(gpu, &value, &problems), KVB_OK);
        }
    }
}

static void test_ranges(void **state)
{
    (void)state;
    read_one("s.sh", "vllm serve a/b -dcp 2 --num_scheduler_steps=8 --port 1");
    assert_int_equal(found.dated_count, 2);
    assert_string_equal(found.dated[0].name, "decode_context_parallel_size");
    assert_string_equal(found.dated[1].name, "num-scheduler-steps");
    assert_int_equal(found.dated[1].place.column, 23);
}

// ---- hostile input

static void test_deep_references(void **state)
{
    (void)state;
    char *text = malloc(200100);
    assert_non_null(text);
    memcpy(text, "vllm serve ", 12);
    for (size_t i = 11; i + 6 < 200000; i += 5) {
        memcpy(text + i, "${A:-", 6);
    }
    (void)read_with("s.sh", text, NULL, 0, false); // ends, and soon
    free(text);
}

static void test_each_allocation_fails(void **state)
{
    static const char text[] = "x: &x {image: 'vllm/vllm-openai:v0.9.0'}\n"
                               "services:\n"
                               "  a:\n"
                               "    <<: *x\n"
                               "    environment: {A: '1'}\n"
                               "    command: [sh, -c, 'B=(--max-model-len 3); vllm serve a/b \"${B[@]}\"']\n";
    (void)state;
    enum kvb_status status = KVB_NO_MEMORY;
    for (unsigned long n = 1; status != KVB_OK && n < 500; n++) {
        kvb_memory_fail_after(n);
        status = read_with("c.yaml", text, NULL, 0, false);
        kvb_memory_fail_after(0);
        if (status != KVB_OK) {
            assert_int_equal(status, KVB_NO_MEMORY);
        }
    }
    assert_int_equal(status, KVB_OK);
    assert_int_equal(setting(KVB_SET_MAX_MODEL_LEN), 3);
}

// ---- Stacks

// {name} is a default of the recipe, longer and shorter than its place, in quotes and alone; what is exported counts.
static void test_spark_recipe(void **state)
{
    (void)state;
    read_one("r.yaml", "recipe_version: '1'\nname: A recipe\nenv: {MODEL: a/b}\n"
                       "defaults: {tp: 2, draft: 3, l: 262144, gpu_memory_utilization: 0.7}\n"
                       "command: |\n  vllm serve $MODEL -tp {tp} --max-model-len {l} \\\n"
                       "    --speculative-config '{{\"method\": \"ngram\", \"num_speculative_tokens\": {draft}}}' \\\n"
                       "    --gpu-memory-utilization {gpu_memory_utilization}\n");
    assert_string_equal(found.kind, "recipe");
    assert_string_equal(found.deployment.model, "a/b");
    assert_int_equal(setting(KVB_SET_TENSOR_PARALLEL_SIZE), 2);
    assert_int_equal(setting(KVB_SET_MAX_MODEL_LEN), 262144);
    assert_int_equal(setting(KVB_SET_NUM_SPECULATIVE_TOKENS), 3);
    assert_int_equal(setting(KVB_SET_GPU_MEMORY_UTILIZATION), 700000);
}

// Settings of NeMo RL that are true are bare flags, those that are false switch off.
static void test_nemo_switches(void **state)
{
    (void)state;
    read_one("n.yaml", "policy:\n  model_name: a/b\n  generation:\n    vllm_cfg:\n      enforce_eager: true\n"
                       "      enable_prefix_caching: false\n      max_model_len: 1024\n");
    assert_int_equal(setting(KVB_SET_ENFORCE_EAGER), 1);
    assert_int_equal(setting(KVB_SET_ENABLE_PREFIX_CACHING), 0);
    assert_int_equal(setting(KVB_SET_MAX_MODEL_LEN), 1024);
}

// vllm/entrypoints/cli/main.py v0.27.1 has serve and bench: only one of them is a server.
static void test_module_of_commands(void **state)
{
    (void)state;
    read_one("s.sh", "python3 -m vllm.entrypoints.cli.main bench serve --model c/d\n"
                     "python3 -m vllm.entrypoints.cli.main serve a/b --max-model-len 2048\n");
    assert_string_equal(found.deployment.model, "a/b");
    assert_int_equal(setting(KVB_SET_MAX_MODEL_LEN), 2048);
}

KVB_TEST_MAIN(cmocka_unit_test(test_merge_keys), cmocka_unit_test(test_spark_recipe),
              cmocka_unit_test(test_nemo_switches), cmocka_unit_test(test_module_of_commands),
              cmocka_unit_test(test_bad_yaml), cmocka_unit_test(test_tags_and_documents),
              cmocka_unit_test(test_variables), cmocka_unit_test(test_unknown_values), cmocka_unit_test(test_commands),
              cmocka_unit_test(test_growing), cmocka_unit_test(test_one_line), cmocka_unit_test(test_no_commands),
              cmocka_unit_test(test_images), cmocka_unit_test(test_labels), cmocka_unit_test(test_ranges),
              cmocka_unit_test(test_deep_references), cmocka_unit_test(test_each_allocation_fails))
