// Modelfiles, and images of llama.cpp and Ollama that are started without words.
#include <string.h>

#include <kvbudget/manifest.h>

#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_found kept[4];
static unsigned count;

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    (void)context;
    if (count < sizeof kept / sizeof kept[0]) {
        kept[count] = *found;
    }
    count++;
    return KVB_OK;
}

static void read_text(const char *file, const char *text, bool lenient)
{
    const struct kvb_manifest_options options = {.lenient = lenient};
    struct kvb_manifest_seen seen;
    count = 0;
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_manifest_read(file, text, strlen(text), &options, take, NULL, &seen, &problems);
    assert_int_equal(status, KVB_OK);
}

static uint64_t said(const struct kvb_found *found, enum kvb_setting setting)
{
    const struct kvb_setting_value *value = &found->deployment.settings.values[setting];
    return value->set ? value->number : UINT64_MAX;
}

// docs/modelfile.md: instructions in any case, the last FROM counts, texts of several lines between """.
static void test_parameters(void **state)
{
    (void)state;
    read_text("Modelfile",
              "# mine\nFROM qwen3:8b\nparameter num_ctx 16384\r\nPARAMETER temperature 0.7\nPARAMETER num_gpu -1\n"
              "SYSTEM \"\"\"You read\nFROM nowhere\n\"\"\"\nTEMPLATE \"\"\"{{ .Prompt }}\"\"\"\n  PARAMETER num_batch "
              "\"256\"\n",
              true);
    assert_int_equal(count, 1);
    assert_string_equal(kept[0].kind, "modelfile");
    assert_int_equal(kept[0].status, KVB_OK);
    assert_string_equal(kept[0].deployment.model, "qwen3:8b");
    assert_int_equal(kept[0].model.line, 2);
    assert_int_equal(kept[0].model.column, 6);
    assert_int_equal(said(&kept[0], KVB_SET_MAX_MODEL_LEN), 16384);
    assert_int_equal(said(&kept[0], KVB_SET_UBATCH_SIZE), 256);
    assert_true(said(&kept[0], KVB_SET_GPU_LAYERS) == UINT64_MAX);
}

static void test_other_names(void **state)
{
    (void)state;
    read_text("some.modelfile", "FROM \"./Qwen3-8B-Q8_0.gguf\"\nPARAMETER num_gpu 20\n", true);
    assert_int_equal(count, 1);
    assert_string_equal(kept[0].deployment.model, "./Qwen3-8B-Q8_0.gguf");
    assert_int_equal(said(&kept[0], KVB_SET_GPU_LAYERS), 20);
    read_text("recipe.txt", "FROM a\nFROM llama3.2:3b\nPARAMETER num_ctx 8192\n", false);
    assert_int_equal(count, 1);
    assert_string_equal(kept[0].deployment.model, "llama3.2:3b");
    read_text("Dockerfile", "FROM vllm/vllm-openai\nCMD [\"--model\", \"a/b\"]\n", false);
    assert_int_equal(count, 1);
    assert_string_equal(kept[0].kind, "dockerfile");
    read_text("Modelfile", "PARAMETER num_ctx 8192\n", true);
    assert_int_equal(count, 0); // no FROM
}

static void test_mistakes(void **state)
{
    (void)state;
    read_text("Modelfile", "FROM qwen3:8b\nPARAMETER num_ctx many\n", true);
    assert_int_equal(count, 1);
    assert_int_not_equal(kept[0].status, KVB_OK);
    assert_string_equal(kept[0].problems.items[0].text,
                        "in the serve command: PARAMETER num_ctx=many: expected a whole number");
}

// Its server loads what a request names; llama-server takes its model from a variable.
static void test_images_alone(void **state)
{
    (void)state;
    read_text(
        "compose.yaml",
        "services:\n  chat:\n    image: ollama/ollama:0.32.0\n    environment:\n"
        "      - OLLAMA_KV_CACHE_TYPE=q8_0\n  server:\n    image: ghcr.io/ggml-org/llama.cpp:server-cuda-b7407\n"
        "    environment:\n      LLAMA_ARG_HF_REPO: unsloth/Qwen3-14B-GGUF:Q4_K_M\n      LLAMA_ARG_CTX_SIZE: 8192\n"
        "  idle:\n    image: ghcr.io/ggml-org/llama.cpp:server\n",
        true);
    assert_int_equal(count, 2);
    assert_string_equal(kept[0].deployment.engine, "ollama@0.32.0");
    assert_string_equal(kept[0].deployment.model, "");
    assert_string_equal(kept[0].problems.items[0].text,
                        "Ollama loads the model that a request names: say which one is meant");
    assert_string_equal(kept[1].deployment.engine, "llama.cpp@b7407");
    assert_string_equal(kept[1].deployment.model, "Qwen3-14B");
    assert_int_equal(kept[1].deployment.environment.settings.values[KVB_SET_MAX_MODEL_LEN].number, 8192);
}

KVB_TEST_MAIN(cmocka_unit_test(test_parameters), cmocka_unit_test(test_other_names), cmocka_unit_test(test_mistakes),
              cmocka_unit_test(test_images_alone))
