// From a deployment to the plan: names, overrides, platform, engine defaults and draft models.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "text/file.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;

// Shape of meta-llama/Llama-3.1-8B-Instruct, as its config.json on Hugging Face gives it.
static const char base[] = "kind: deployment\n"
                           "schema: 1\n"
                           "model:\n"
                           "  name: my/llama\n"
                           "  source: by hand\n"
                           "  config:\n"
                           "    architectures: [LlamaForCausalLM]\n"
                           "    model_type: llama\n"
                           "    hidden_size: 4096\n"
                           "    intermediate_size: 14336\n"
                           "    num_hidden_layers: 32\n"
                           "    num_attention_heads: 32\n"
                           "    num_key_value_heads: 8\n"
                           "    vocab_size: 128256\n"
                           "    max_position_embeddings: 131072\n"
                           "    torch_dtype: bfloat16\n"
                           "    tie_word_embeddings: false\n";

static enum kvb_status resolve(const char *more)
{
    char text[2048];
    strcpy(text, base);
    assert_true(strlen(text) + strlen(more) < sizeof text);
    strcat(text, more);
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    if (kvb_deployment_read("d.yaml", text, strlen(text), &deployment, &problems) != KVB_OK) {
        fail_msg("%u:%u: %s", problems.items[0].line, problems.items[0].column, problems.items[0].text);
    }
    memset(&plan, 0, sizeof plan);
    return kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems);
}

static void test_plain(void **state)
{
    (void)state;
    assert_int_equal(resolve("gpu: h100-sxm\nengine: vllm@0.11.0\nsettings: {max_model_len: 4096}\n"), KVB_OK);
    assert_string_equal(plan.model.name, "my/llama");
    assert_string_equal(source.text, "deployment profile");
    assert_int_equal(plan.model.layer_count, 32);
    assert_string_equal(plan.gpu.id, "h100-sxm");
    assert_int_equal(plan.gpu.memory_basis, KVB_BASIS_MEASURED);
    assert_int_equal(plan.engine.release, KVB_RELEASE(0, 11, 0));
    assert_int_equal(plan.settings.values[KVB_SET_MAX_MODEL_LEN].number, 4096);
    assert_int_equal(plan.usage, KVB_USAGE_SERVE);
    assert_int_equal(plan.platform, KVB_PLATFORM_LINUX);
    assert_false(plan.gpu_free_stated);
    assert_null(plan.draft);
    assert_int_equal(problems.count, 0);
}

static void test_memory(void **state)
{
    (void)state;
    // a stated total overrules the named card, and is exact
    assert_int_equal(resolve("gpu: rtx4090\ngpu_memory: 24564MiB\ngpu_free: 20GiB\n"), KVB_OK);
    assert_true(plan.gpu.memory_bytes == 24564 * KVB_MIB && plan.gpu.memory_low_bytes == plan.gpu.memory_bytes);
    assert_int_equal(plan.gpu.memory_basis, KVB_BASIS_STATED);
    assert_int_equal(plan.gpu.compute_capability, 89);
    assert_true(plan.gpu_free_stated && plan.gpu_free_bytes == 20 * KVB_GIB);
    // under WSL2 CUDA reports the whole nvidia-smi total: RTX 5090 32607 MiB = 31.84 GiB (cognithor#318)
    assert_int_equal(resolve("gpu: rtx5090\nplatform: wsl2\n"), KVB_OK);
    assert_true(plan.gpu.memory_bytes == 32607 * KVB_MIB);
    assert_int_equal(plan.gpu.memory_basis, KVB_BASIS_MEASURED);
    // no nvidia-smi total known: the CUDA total stands
    assert_int_equal(resolve("gpu: gb10\nplatform: windows\n"), KVB_OK);
    assert_int_equal(plan.gpu.memory_bytes * 100 / KVB_GIB, 12168); // 121.69, rounded down twice
    // only memory, and not even that
    assert_int_equal(resolve("gpu_memory: 80GB\n"), KVB_OK);
    assert_string_equal(plan.gpu.name, "GPU with 74.51 GiB");
    assert_int_equal(resolve(""), KVB_OK);
    assert_true(plan.gpu.memory_bytes == 0);
}

static void test_engine(void **state)
{
    (void)state;
    static const char engine[] = "kind: engine\nschema: 1\nname: vllm\nversion: 0.10.1\n"
                                 "settings: {gpu_memory_utilization: 0.8, max_num_seqs: 64}\n"
                                 "terms: {non_torch: 300MiB}\n";
    char folder[] = "/tmp/kvb-test-XXXXXX";
    char path[64];
    char more[128];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/engine.yaml", folder);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_replace(path, engine, sizeof engine - 1, &problems), KVB_OK);
    (void)snprintf(more, sizeof more, "engine: %s\nsettings: {max_num_seqs: 8}\n", path);
    assert_int_equal(resolve(more), KVB_OK);
    assert_true(unlink(path) == 0 && rmdir(folder) == 0);
    assert_int_equal(plan.engine.release, KVB_RELEASE(0, 10, 1));
    assert_int_equal(plan.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number, 800000);
    assert_int_equal(plan.settings.values[KVB_SET_MAX_NUM_SEQS].number, 8); // the deployment speaks last
    assert_true(plan.stated[KVB_STATED_NON_TORCH].set);
    assert_int_equal(resolve("engine: vllm@1.0.0\n"), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    assert_int_equal(plan.engine.release, KVB_PARTLY_VLLM);
    // as a log of a tree with changes prints it, and one letter more than there is room for
    assert_int_equal(resolve("gpu: l4\nengine: vllm@0.20.1.dev0+g101584af0.d20260424\n"), KVB_OK);
    assert_int_equal(plan.engine.release, KVB_RELEASE(0, 20, 1));
    assert_string_equal(plan.engine.version, "0.20.1.dev0+g101584af0.d20260424");
    assert_int_equal(resolve("gpu: l4\nengine: vllm@0.20.1+a2345678901234567890123456789012345678901\n"),
                     KVB_BAD_SYNTAX);
}

static void test_draft(void **state)
{
    (void)state;
    // ngram names no model
    assert_int_equal(resolve("settings: {speculative_config: {method: ngram, num_speculative_tokens: 3}}\n"), KVB_OK);
    assert_null(plan.draft);
    assert_int_equal(problems.count, 0);
    // one nobody knows is said and left out
    assert_int_equal(resolve("settings: {speculative_config: {method: eagle3, model: no/body}}\n"), KVB_OK);
    assert_null(plan.draft);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_WARNING);
    assert_non_null(
        strstr(problems.items[0].text, "is not known: the smallest and the largest it can be are in the bound"));
    // a path that is there is read, whatever head its name may be: 16 layers of 2048, as the model's config.json says
    assert_int_equal(resolve("settings: {speculative_config: {method: draft_model, num_speculative_tokens: 3, model: "
                             "\"" KVB_SOURCE_DIR "/tests/fixtures/configs/allenai--OLMo-1B-hf.json\"}}\n"),
                     KVB_OK);
    assert_non_null(plan.draft);
    assert_int_equal(plan.draft->layer_count, 16);
    assert_int_equal(plan.draft->hidden_size, 2048);
    // what drafts may lie in the served checkpoint: not known is not nothing
    assert_int_equal(resolve("settings: {speculative_config: {method: dspark, num_speculative_tokens: 7}}\n"), KVB_OK);
    assert_true(plan.draft_unknown);
    assert_string_equal(problems.items[0].text,
                        "the layers that draft are not known: the smallest and the largest they can be are in the "
                        "bound, and the answer is tight at best; give the folder of their config.json as \"model\" in "
                        "--speculative-config");
}

static void test_refusals(void **state)
{
    (void)state;
    struct kvb_plan untouched = {0};
    assert_int_equal(resolve("gpu: RTX 4O90\n"), KVB_UNKNOWN_NAME);
    assert_memory_equal(&plan, &untouched, sizeof plan);
    assert_int_equal(resolve("engine: tgi\n"), KVB_UNKNOWN_NAME);
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_BAD_ARGUMENT);
    assert_string_equal(problems.items[0].text, "no model is named; say which with --model NAME or PATH");
}

// A revision beside a name is a part of it; beside a path, or a name that says its own, it is not.
static void test_revision(void **state)
{
    (void)state;
    static const struct {
        const char *model, *revision, *says;
    } rows[] = {
        {"no/body-7b", "", "model 'no/body-7b' is not built in"},
        {"no/body-7b", "main", "model 'no/body-7b' is not built in"},
        {"no/body-7b", "v2", "model 'no/body-7b@v2' is not built in"},
        {"no/body-7b@v1", "v2", "model 'no/body-7b@v1' is not built in"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        (void)snprintf(deployment.model, sizeof deployment.model, "%s", rows[i].model);
        (void)snprintf(deployment.revision, sizeof deployment.revision, "%s", rows[i].revision);
        assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_UNKNOWN_NAME);
        if (strstr(problems.items[0].text, rows[i].says) == NULL) {
            fail_msg("row %zu: %s", i, problems.items[0].text);
        }
    }
    static const char *const paths[] = {"./nowhere", "/nowhere/at-all"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        kvb_problems_init(&problems);
        (void)snprintf(deployment.model, sizeof deployment.model, "%s", paths[i]);
        assert_int_not_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
        assert_null(strchr(problems.items[0].text, '@'));
    }
}

// What a plan needs and memory did not suffice for is said, whichever part of it.
static void test_memory_fails(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "gpu: l4\nsettings: {speculative_config: {method: eagle3, model: no/body}}\n",
        "gpu: l4\nsettings: {speculative_config: {method: draft_model, model: Qwen/Qwen3-0.6B}}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        (void)kvb_memory_fail_after(ULONG_MAX);
        assert_int_equal(resolve(texts[i]), KVB_OK);
        unsigned long count = ULONG_MAX - kvb_memory_fail_after(0), refused = 0;
        for (unsigned long n = 1; n <= count; n += 1 + count / 200) {
            kvb_problems_init(&problems);
            unsigned long before = kvb_memory_failures();
            (void)kvb_memory_fail_after(n);
            enum kvb_status status = kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems);
            (void)kvb_memory_fail_after(0);
            bool reached = kvb_memory_failures() > before;
            bool said = status == KVB_NO_MEMORY && problems.count > 0;
            if (reached && status != KVB_OK && !said) { // whether an answer is whole, who asked finds by the failures
                fail_msg("allocation %lu of %lu: %s", n, count, kvb_status_name(status));
            }
            refused += said;
        }
        assert_true(refused > 2);
    }
}

// A draft that is built in, or is in the cache, is not unknown because one allocation failed while it was looked for.
static void test_draft_without_memory(void **state)
{
    (void)state;
    static const char text[] =
        "gpu: l4\nsettings: {speculative_config: {method: draft_model, model: Qwen/Qwen3-0.6B}}\n";
    bool reached = true;
    unsigned long n = 0;
    assert_int_equal(resolve(text), KVB_OK);
    while (reached) {
        kvb_problems_init(&problems);
        unsigned long before = kvb_memory_failures();
        (void)kvb_memory_fail_once(++n);
        enum kvb_status status = kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems);
        (void)kvb_memory_fail_once(0);
        reached = kvb_memory_failures() > before;
        if ((status != KVB_OK && status != KVB_NO_MEMORY) || (status == KVB_OK && plan.draft_unknown)) {
            fail_msg("allocation %lu: %s", n, kvb_status_name(status));
        }
    }
    assert_true(n > 20);
}

// A mistake inside an inline model is shown where it stands in the deployment.
static void test_place_in_inline_model(void **state)
{
    (void)state;
    static const char text[] = "kind: deployment\n"
                               "schema: 1\n"
                               "model:\n"
                               "  name: my/own\n"
                               "  config:\n"
                               "    model_type: llama\n"
                               "    num_hidden_layers: 'many, many'\n";
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_not_equal(kvb_deployment_read("d.yaml", text, sizeof text - 1, &deployment, &problems), KVB_OK);
    bool placed = false;
    for (uint32_t i = 0; i < problems.count; i++) {
        placed = placed || (problems.items[i].line == 7 && problems.items[i].column == 24);
    }
    if (!placed) {
        fail_msg("%u:%u: %s", problems.items[0].line, problems.items[0].column, problems.items[0].text);
    }
}

// Who does not want to hear what is wrong is told by the status alone.
static void test_without_problems(void **state)
{
    (void)state;
    assert_int_equal(resolve("gpu: l4\nengine: vllm@0.11.0\n"), KVB_OK);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, NULL), KVB_OK);
    assert_string_equal(plan.gpu.id, "l4");
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "RTX 4O90");
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, NULL), KVB_UNKNOWN_NAME);
}

// More memory free than the card has is a contradiction; where no card is named there is nothing to contradict.
static void test_free_of_what(void **state)
{
    (void)state;
    assert_int_equal(resolve("gpu_free: 20GiB\n"), KVB_OK);
    assert_int_equal(problems.count, 0);
    assert_int_equal(resolve("gpu: l4\ngpu_free: 20GiB\n"), KVB_OK);
    assert_int_equal(problems.count, 0);
    assert_int_equal(resolve("gpu: l4\ngpu_free: 80GiB\n"), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].status, KVB_CONTRADICTION);
}

// A checkpoint named as the draft of DSpark lends its own blocks, if it is one that has them.
static void test_draft_of_a_checkpoint(void **state)
{
    (void)state;
    assert_int_equal(resolve("settings: {speculative_config: {method: dspark, num_speculative_tokens: 7, model: "
                             "deepseek-ai/DeepSeek-V4-Flash}}\n"),
                     KVB_OK);
    assert_ptr_equal(plan.draft, &draft);
    assert_string_equal(draft.architecture, "DSparkDeepseekV4ForCausalLM");
    assert_int_equal(draft.layer_count, 3);
    assert_int_equal(resolve("settings: {speculative_config: {method: dspark, num_speculative_tokens: 7, model: "
                             "Qwen/Qwen3-0.6B}}\n"),
                     KVB_OK);
    assert_ptr_equal(plan.draft, &draft);
    assert_int_equal(draft.layer_count, 28);
}

// A name so long that no revision has room behind it is looked up as it stands, and a mistake keeps the place it has.
static void test_long_name(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    memset(deployment.model, 'x', sizeof deployment.model - 1);
    deployment.model[sizeof deployment.model - 1] = '\0';
    (void)snprintf(deployment.revision, sizeof deployment.revision, "v2");
    deployment.model_at = (struct kvb_place){"d.yaml", 3, 8};
    assert_int_not_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
    assert_null(strstr(problems.items[0].text, "@v2"));
    assert_string_equal(problems.items[0].file, "d.yaml");
    assert_int_equal(problems.items[0].line, 3);
    kvb_problems_init(&problems);
    (void)snprintf(deployment.model, sizeof deployment.model, KVB_SOURCE_DIR "/tests/bad_inputs/comment_only.yaml");
    assert_int_not_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
    assert_non_null(strstr(problems.items[0].file, "comment_only.yaml"));
}

// Only what is wrong gets the place of a name, and only where it has none of its own.
static void test_places_kept(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "Qwen/Qwen3-8B");
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "l4");
    (void)snprintf(deployment.engine, sizeof deployment.engine, "vllm@0.99.0");
    deployment.engine_at = deployment.model_at = (struct kvb_place){"d.yaml", 3, 8};
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_not_equal(problems.items[0].severity, KVB_ERROR);
    assert_non_null(strstr(problems.items[0].text, "vLLM 0.99.0 is newer than"));
    assert_string_equal(problems.items[0].file, "");
    assert_int_equal(problems.items[0].line, 0);
    // the config has the place of what is missing in it
    kvb_problems_init(&problems);
    (void)snprintf(deployment.overrides, sizeof deployment.overrides, "{\n\"hidden_size\": null}");
    assert_int_not_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
    assert_int_equal(problems.count, 2);
    assert_non_null(strstr(problems.items[1].text, "'hidden_size' is missing"));
    assert_string_equal(problems.items[1].file, "Qwen/Qwen3-8B");
}

// SGLang: a rank that was given is kept; vLLM's is its own default.
static void test_rank_of_adapters(void **state)
{
    (void)state;
    assert_int_equal(resolve("gpu: l4\nengine: sglang@0.5.5\nsettings: {max_lora_rank: 32}\n"), KVB_OK);
    assert_int_equal(plan.settings.values[KVB_SET_MAX_LORA_RANK].number, 32);
    assert_int_equal(plan.settings.values[KVB_SET_MAX_LORA_RANK].origin,
                     deployment.settings.values[KVB_SET_MAX_LORA_RANK].origin);
    assert_int_equal(resolve("gpu: l4\nengine: sglang@0.5.5\n"), KVB_OK);
    assert_false(plan.settings.values[KVB_SET_MAX_LORA_RANK].set);
}

KVB_TEST_MAIN(cmocka_unit_test(test_plain), cmocka_unit_test(test_memory), cmocka_unit_test(test_engine),
              cmocka_unit_test(test_draft), cmocka_unit_test(test_refusals), cmocka_unit_test(test_revision),
              cmocka_unit_test(test_memory_fails), cmocka_unit_test(test_draft_without_memory),
              cmocka_unit_test(test_place_in_inline_model), cmocka_unit_test(test_without_problems),
              cmocka_unit_test(test_free_of_what), cmocka_unit_test(test_draft_of_a_checkpoint),
              cmocka_unit_test(test_long_name), cmocka_unit_test(test_places_kept),
              cmocka_unit_test(test_rank_of_adapters))
