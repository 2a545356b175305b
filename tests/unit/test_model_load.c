// Models by name, path and profile; the import that plans alike; strict profiles; memory running out.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "hf_text.h"
#include "unit/test.h"

static struct kvb_model other;
static struct kvb_model_source source;

static enum kvb_status load(const char *name)
{
    kvb_problems_init(&problems);
    return kvb_model_load(name, NULL, &model, &source, &problems);
}

static void every_built_in_loads(void **state)
{
    size_t count, models = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].kind != KVB_PROFILE_MODEL) {
            continue;
        }
        models++;
        if (load(rows[i].id) != KVB_OK) {
            fail_msg("%s:%u: %s", rows[i].id, problems.items[0].line, problems.items[0].text);
        }
        assert_string_equal(model.name, rows[i].id);
        assert_true(model.layer_count > 0 && model.context_tokens > 0 && kvb_model_parameters(&model) > 0);
    }
    assert_true(models > 300);
}

static void names_ignore_case(void **state)
{
    (void)state;
    assert_int_equal(load("qwen/QWEN3-8b"), KVB_OK);
    assert_string_equal(model.name, "Qwen/Qwen3-8B");
    assert_string_equal(source.text, "built-in profile");
    assert_int_equal(source.weights_basis, KVB_BASIS_CONFIG);
}

static void unknown_names_say_what_to_do(void **state)
{
    (void)state;
    assert_int_equal(load("Qwen/Qwen3-8C"), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "the nearest that is: `kvbudget plan --model Qwen/Qwen3-8B`"));
    assert_non_null(strstr(problems.items[0].text,
                           "`curl -fL https://huggingface.co/Qwen/Qwen3-8C/resolve/main/config.json -o config.json"));
    assert_int_equal(load("./no/such/folder"), KVB_CANNOT_OPEN);
    assert_int_equal(load("missing.yaml"), KVB_CANNOT_OPEN);
    assert_int_equal(load("qwen3-8"), KVB_UNKNOWN_NAME); // without its owner
    assert_non_null(strstr(problems.items[0].text, "--model Qwen/Qwen3-8B`, then "));
}

static char folder[64] = "/tmp/kvb_model_XXXXXX";
static char path[256];

static void write_file(const char *name, const char *text)
{
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void paths_and_folders(void **state)
{
    char whole[300];
    (void)state;
    assert_int_equal(load(folder), KVB_CANNOT_OPEN); // no config.json in it
    write_file("config.json", TINY_WITH("LlamaForCausalLM", ""));
    assert_int_equal(load(path), KVB_OK);
    assert_int_equal(load(folder), KVB_OK);
    assert_string_equal(source.text, folder);
    assert_int_equal(model.quantisation.method, KVB_QUANT_NONE);
    write_file("hf_quant_config.json", "{\"quantization\": {\"quant_algo\": \"NVFP4\"}}");
    assert_int_equal(load(folder), KVB_OK);
    assert_int_equal(model.quantisation.method, KVB_QUANT_NVFP4);
    (void)snprintf(whole, sizeof whole, "%s/", folder);
    assert_int_equal(load(whole), KVB_OK);
}

static void imports_plan_alike(void **state)
{
    char *text = NULL;
    size_t length = 0;
    (void)state;
    write_file("config.json", TINY_WITH("Qwen2ForCausalLM",
                                        ", \"sliding_window\": null, \"layer_types\": [\"full_attention\", "
                                        "\"full_attention\"], \"unknown_key\": [1, {\"a\": \"b\"}], \"rope_scaling\": "
                                        "{\"type\": \"mrope\", \"mrope_section\": [2, 3, 3]}"));
    assert_int_equal(load(folder), KVB_OK);
    other = model;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_import(folder, "a/b", "by hand", &text, &length, &problems), KVB_OK);
    assert_int_equal(strlen(text), length);
    assert_null(strstr(text, "unknown_key"));
    assert_null(strstr(text, "layer_types")); // says only what the class does anyway
    assert_non_null(strstr(text, "source: \"by hand\""));
    assert_int_equal(kvb_model_read_profile("p.yaml", text, length, &model, &problems), KVB_OK);
    assert_string_equal(model.name, "a/b");
    memcpy(model.name, other.name, sizeof model.name);
    assert_memory_equal(&model, &other, sizeof model);
    free(text);
}

#define PROFILE(more)                                                                                                  \
    "kind: model\nschema: 1\nname: x/y\nsource: test\nconfig:\n  architectures: [LlamaForCausalLM]\n"                  \
    "  hidden_size: 64\n  num_hidden_layers: 1\n  num_attention_heads: 4\n  intermediate_size: 128\n"                  \
    "  vocab_size: 100\n  max_position_embeddings: 32\n" more

static enum kvb_status profile(const char *text)
{
    kvb_problems_init(&problems);
    return kvb_model_read_profile("p.yaml", text, strlen(text), &model, &problems);
}

static void profiles_are_strict(void **state)
{
    (void)state;
    assert_int_equal(profile(PROFILE("")), KVB_OK);
    assert_int_equal(profile(PROFILE("  hiden_size: 3\n")), KVB_UNKNOWN_KEY);
    assert_int_equal(problems.items[0].line, 13);
    assert_int_equal(problems.items[0].column, 3);
    assert_non_null(strstr(problems.items[0].text, "'hidden_size'"));
    assert_int_equal(profile(PROFILE("  rope_scaling: {tipe: yarn}\n")), KVB_UNKNOWN_KEY);
    assert_int_equal(profile(PROFILE("nmae: z\n")), KVB_UNKNOWN_KEY);
    assert_int_equal(profile("kind: model\nschema: 1\nname: x\n"), KVB_MISSING_KEY);
    assert_int_equal(profile("kind: gpu\nschema: 1\nname: x\nconfig: {}\n"), KVB_UNKNOWN_KIND);
    assert_int_equal(profile("kind: model\nschema: 2\nname: x\nconfig: {}\n"), KVB_UNKNOWN_KIND);
    assert_int_equal(profile("kind: model\nschema: 1\nname: x\nconfig: 3\n"), KVB_BAD_TYPE);
    assert_int_equal(profile("[]"), KVB_BAD_TYPE);
}

static void overrides_of_a_profile(void **state)
{
    (void)state;
    write_file("p.yaml", PROFILE(""));
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load(path, "{\"num_hidden_layers\": 3, \"anything\": true}", &model, NULL, &problems),
                     KVB_OK);
    assert_int_equal(model.layer_count, 3);
}

static void memory_running_out(void **state)
{
    static const char text[] = TINY_WITH("LlamaForCausalLM", "");
    (void)state;
    for (unsigned long n = 1;; n++) {
        kvb_problems_init(&problems);
        memset(&model, 7, sizeof model);
        kvb_memory_fail_after(n);
        enum kvb_status status =
            kvb_model_read_config("c", text, sizeof text - 1, NULL, NULL, 0, "{\"vocab_size\": 5}", &model, &problems);
        kvb_memory_fail_after(0);
        if (status == KVB_OK) {
            assert_true(n > 1);
            break;
        }
        assert_int_equal(status, KVB_NO_MEMORY);
        assert_int_equal(model.layer_count, 0x07070707); // left alone
    }
}

static void import_with_memory_running_out(void **state)
{
    (void)state;
    write_file("config.json", TINY_WITH("LlamaForCausalLM", ""));
    for (unsigned long n = 1; n < 4000; n += n / 8 + 1) {
        char *text = NULL;
        size_t length;
        kvb_problems_init(&problems);
        kvb_memory_fail_after(n);
        enum kvb_status status = kvb_model_import(folder, "a/b", "c", &text, &length, &problems);
        kvb_memory_fail_after(0);
        assert_true(status != KVB_OK || text != NULL);
        free(text);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const files[] = {"config.json", "hf_quant_config.json", "p.yaml"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(every_built_in_loads),
                   cmocka_unit_test(names_ignore_case), cmocka_unit_test(unknown_names_say_what_to_do),
                   cmocka_unit_test(paths_and_folders), cmocka_unit_test(imports_plan_alike),
                   cmocka_unit_test(profiles_are_strict), cmocka_unit_test(overrides_of_a_profile),
                   cmocka_unit_test(memory_running_out), cmocka_unit_test(import_with_memory_running_out))
