// Models by what they are written as: bare files, profiles, folders called like a built-in model, downloads with and
// without weights; what an import keeps of them; and projectors from a header or from the model.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "checkpoint_files.h"
#include "hf_text.h"
#include "model/hub_cache.h"
#include "model/projector.h"
#include "text/file.h"
#include "unit/own_folder.h"
#include "unit/test.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static struct kvb_model_source source;

static int make_root(void **state)
{
    (void)state;
    static const char *const unset[] = {"HF_HOME", "HUGGINGFACE_HUB_CACHE", "VLLM_USE_MODELSCOPE", "MODELSCOPE_CACHE",
                                        "XDG_CACHE_HOME"};
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) {
        (void)unsetenv(unset[i]);
    }
    return mkdtemp(root) != NULL && chdir(root) == 0 && setenv("HF_HUB_CACHE", "hub", 1) == 0 &&
                   setenv("KVBUDGET_CACHE", root, 1) == 0
               ? 0
               : -1;
}

static int begin(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    return system("rm -rf ./* && mkdir hub");
}

static enum kvb_status load(const char *name)
{
    kvb_problems_init(&problems);
    return kvb_model_load(name, NULL, &model, &source, &problems);
}

static void shell(const char *line)
{
    assert_int_equal(system(line), 0);
}

// A file has the name it gives itself, where that can be one; else its own.
static void test_bare_files(void **state)
{
    (void)state;
    write_text(".", "config.json", TINY_WITH("LlamaForCausalLM", ", \"_name_or_path\": \"org/own\""));
    assert_int_equal(load("config.json"), KVB_OK);
    assert_string_equal(model.name, "org/own");
    write_text(".", "config.json", TINY_WITH("LlamaForCausalLM", ", \"_name_or_path\": \"org/a;b\""));
    assert_int_equal(load("config.json"), KVB_OK);
    assert_string_equal(model.name, "config.json");
    write_text(".", "config.json", TINY_WITH("LlamaForCausalLM", ", \"_name_or_path\": [\"org/own\"]"));
    assert_int_equal(load("config.json"), KVB_OK);
    assert_string_equal(model.name, "config.json");
    assert_int_equal(load("missing.json"), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "no such file or folder");
    assert_int_equal(load("missing.yml"), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "no such file or folder");
    assert_int_equal(load("missing.gguf"), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "no such file; one that is on a hub goes by OWNER/NAME:FORMAT, as in "
                                                "unsloth/Qwen3-8B-GGUF:Q4_K_M");
}

// hf_quant_config.json counts where config.json has no quantisation of its own; null is none.
static void test_quantisation_beside(void **state)
{
    (void)state;
    write_text(".", "hf_quant_config.json", "{\"quantization\": {\"quant_algo\": \"FP8\"}}");
    write_text(".", "config.json", TINY_WITH("LlamaForCausalLM", ", \"quantization_config\": null"));
    assert_int_equal(load("config.json"), KVB_OK);
    assert_int_equal(model.quantisation.method, KVB_QUANT_FP8);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load("config.json", "", &model, &source, &problems), KVB_OK);
    write_text(".", "hf_quant_config.json", "[1]");
    assert_int_equal(load("config.json"), KVB_BAD_TYPE);
    assert_string_equal(problems.items[0].text, "expected a mapping with 'quantization'");
    write_text(".", "hf_quant_config.json", "{");
    assert_int_equal(load("config.json"), KVB_BAD_SYNTAX);
}

#define PROFILE(name, more)                                                                                            \
    "kind: model\nschema: 1\nname: " name "\nsource: test\n" more                                                      \
    "config:\n  architectures: [LlamaForCausalLM]\n  hidden_size: 64\n  num_hidden_layers: 1\n"                        \
    "  num_attention_heads: 4\n  intermediate_size: 128\n  vocab_size: 100\n  max_position_embeddings: 32\n"

// A profile by either ending; each wrong key in one sentence.
static void test_profiles(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {PROFILE("x/y", "pools: yes\n"), "pools: expected true, got yes"},
        {PROFILE("x/y", "pools: [true]\n"), "pools: expected a word"},
        {PROFILE("[x]", ""), "name: expected a word"},
        {PROFILE("x/y", "checkpoint: {format: [gguf], total_bytes: 5}\n"),
         "format: expected gguf or safetensors, found a list"},
        {PROFILE("x/y", "checkpoint: {format: pickle, total_bytes: 5}\n"),
         "format: expected gguf or safetensors, found 'pickle'"},
        {PROFILE("x/y", "checkpoint: {format: gguf}\n"), "a checkpoint needs the key 'total_bytes': of all tensors"},
    };
    unsigned failed = 0;
    write_text(".", "p.yml", PROFILE("x/y", "pools: true\n"));
    assert_int_equal(load("p.yml"), KVB_OK);
    assert_string_equal(model.name, "x/y");
    assert_true(model.pools_by_default);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_text(".", "p.yml", wrong[i].text);
        assert_int_equal(kvb_status_exit_code(load("p.yml")), 3);
        if (strcmp(problems.items[0].text, wrong[i].says) != 0) {
            print_error("%s\n%s\n", wrong[i].text, problems.items[0].text);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
    char whole[1000];
    (void)snprintf(whole, sizeof whole, PROFILE("x/y%0160u", ""), 0U);
    write_text(".", "p.yml", whole);
    assert_int_equal(load("p.yml"), KVB_OUT_OF_RANGE);
    assert_string_equal(problems.items[0].text, "name: at most 159 characters");
}

// A folder called like a built-in model is an empty place to download to; a file of that name is read. A path that is
// not here is known by its end, unless that is in a format of other programs.
static void test_called_like_one(void **state)
{
    (void)state;
    shell("mkdir -p Qwen/Qwen3-0.6B");
    assert_int_equal(load("Qwen/Qwen3-0.6B"), KVB_OK);
    assert_string_equal(source.text, "built-in profile");
    shell("rmdir Qwen/Qwen3-0.6B");
    write_text("Qwen", "Qwen3-0.6B", TINY_WITH("LlamaForCausalLM", ""));
    assert_int_equal(load("Qwen/Qwen3-0.6B"), KVB_OK);
    assert_string_equal(source.text, "Qwen/Qwen3-0.6B");
    assert_int_equal(model.layer_count, 2);
    assert_int_equal(load("/models/Qwen/Qwen3-4B"), KVB_OK);
    assert_string_equal(model.name, "Qwen/Qwen3-4B");
    assert_int_equal(load("/models/mlx-community/Qwen3-4B-4bit"), KVB_UNKNOWN_NAME);
    assert_string_equal(problems.items[0].text,
                        "model '/models/mlx-community/Qwen3-4B-4bit' is in a format of other "
                        "programs (MLX); the original is `kvbudget plan --model Qwen/Qwen3-4B`");
}

// A download beats the built-in profile of its name when it has weights.
static void test_downloads(void **state)
{
    (void)state;
    struct shard shard;
    shell("mkdir -p hub/models--Qwen--Qwen3-0.6B/refs hub/models--Qwen--Qwen3-0.6B/snapshots/" COMMIT " && echo " COMMIT
          " >hub/models--Qwen--Qwen3-0.6B/refs/main");
    static const char snapshot[] = "hub/models--Qwen--Qwen3-0.6B/snapshots/" COMMIT;
    write_text(snapshot, "config.json", TINY_WITH("LlamaForCausalLM", ""));
    assert_int_equal(load("Qwen/Qwen3-0.6B"), KVB_OK);
    assert_string_equal(source.text, "built-in profile");
    shard_begin(&shard, snapshot, "model.safetensors");
    shard_tensor(&shard, "BF16", 2, 64, 64, "model.layers.0.mlp.up_proj.weight");
    shard_end(&shard);
    assert_int_equal(load("Qwen/Qwen3-0.6B"), KVB_OK);
    assert_string_equal(source.text, snapshot);
    assert_int_equal(model.layer_count, 2);
    // In our own cache a snapshot may be one GGUF file, the first of its parts.
    (void)setenv("HF_HUB_CACHE", "nowhere", 1);
    write_text(snapshot, "b-00002-of-00002.GGUF", "GGUF");
    write_text(snapshot, "b-00001-of-00002.GGUF", "GGUF");
    write_text(snapshot, "a", "x");
    write_text(snapshot, "a.txt.x", "x");
    assert_int_equal(unlink("hub/models--Qwen--Qwen3-0.6B/snapshots/" COMMIT "/config.json"), 0);
    char path[KVB_PATH_CAPACITY];
    assert_true(kvb_hub_find("Qwen/Qwen3-0.6B", path));
    assert_non_null(strstr(path, "/snapshots/" COMMIT "/b-00001-of-00002.GGUF"));
    assert_false(kvb_hub_find_adapter("Qwen/Qwen3-0.6B", path));
    (void)setenv("HF_HUB_CACHE", "hub", 1);
}

// Wherever the way to a download stops to fit into a path, it is found or it is not; nothing else is.
static void test_long_way(void **state)
{
    (void)state;
    static const char *const variables[] = {"HF_HUB_CACHE", "KVBUDGET_CACHE", "MODELSCOPE_CACHE"};
    static char place[KVB_PATH_CAPACITY];
    unsigned found[3] = {0}, missed[3] = {0};
    shell("mkdir -p hub/models--org--name/refs hub/models--org--name/snapshots/" COMMIT " models/org/name"
          " && echo " COMMIT " >hub/models--org--name/refs/main");
    write_text("hub/models--org--name/snapshots/" COMMIT, "config.json", TINY_WITH("LlamaForCausalLM", ""));
    write_text("models/org/name", "config.json", TINY_WITH("LlamaForCausalLM", ""));
    (void)setenv("VLLM_USE_MODELSCOPE", "1", 1);
    for (size_t which = 0; which < 3; which++) {
        for (size_t i = 0; i < 3; i++) {
            (void)setenv(variables[i], "/nowhere", 1);
        }
        for (size_t length = KVB_PATH_CAPACITY - 120; length < KVB_PATH_CAPACITY; length++) {
            char path[KVB_PATH_CAPACITY];
            size_t used = (size_t)snprintf(place, sizeof place, "%s", root);
            memset(place + used, '/', length - used);
            (void)snprintf(place + length - 4, 5, "%s", which == 0 ? "/hub" : "////");
            (void)setenv(variables[which], place, 1);
            bool here = kvb_hub_find("org/name", path);
            found[which] += here;
            missed[which] += !here;
            assert_true(!here || kvb_path_is_folder(path));
        }
    }
    for (size_t i = 0; i < 3; i++) {
        assert_true(found[i] > 10 && missed[i] > 10);
    }
    (void)unsetenv("MODELSCOPE_CACHE");
    (void)unsetenv("HOME"); // no folder of ModelScope's
    char path[KVB_PATH_CAPACITY];
    (void)setenv("KVBUDGET_CACHE", root, 1);
    assert_true(kvb_hub_find("org/name", path));
    assert_false(kvb_hub_find("org/name:Q4_K_M", path));
    (void)unsetenv("VLLM_USE_MODELSCOPE");
    (void)setenv("HF_HUB_CACHE", "hub", 1);
}

// What an import is told of name and source is written so that it reads back.
static void test_imports(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    write_text(".", "config.json", TINY_WITH("LlamaForCausalLM", ""));
    assert_int_equal(kvb_model_import("config.json", "a/\"b\"", "by \"hand\"\tor \\", &text, &length, &problems),
                     KVB_OK);
    assert_non_null(strstr(text, "name: \"a/\\\"b\\\"\"\nsource: \"by \\\"hand\\\"?or \\\\\"\n"));
    assert_int_equal(kvb_model_read_profile("p.yaml", text, length, &model, &problems), KVB_OK);
    assert_string_equal(model.name, "a/\"b\"");
    free(text);
    shell("mkdir -p hub/models--org--name/refs hub/models--org--name/snapshots/" COMMIT " && echo " COMMIT
          " >hub/models--org--name/refs/main && mv config.json hub/models--org--name/snapshots/" COMMIT);
    assert_int_equal(kvb_model_import("org/name", NULL, "its card", &text, &length, &problems), KVB_OK);
    assert_non_null(strstr(text, "name: \"org/name\"\nsource: \"its card\"\n"));
    free(text);
    assert_int_equal(kvb_model_import("org/other", NULL, NULL, &text, &length, &problems), KVB_CANNOT_OPEN);
}

// A file that is no projector, one that is not there, and no memory for one.
static void test_projector_files(void **state)
{
    (void)state;
    // general.architecture is llama, and nothing else (docs/gguf.md of ggml).
    static const char gguf[] = "GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0"
                               "\x14\0\0\0\0\0\0\0general.architecture\x08\0\0\0\x05\0\0\0\0\0\0\0llama\0\0\0\0\0\0\0";
    static struct kvb_projector projector;
    FILE *file = fopen("mmproj.gguf", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(gguf, 1, sizeof gguf - 1, file), sizeof gguf - 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kvb_projector_load("mmproj.gguf", &projector, &problems), KVB_UNKNOWN_KIND);
    assert_string_equal(problems.items[0].text, "no picture projector: its architecture is 'llama', expected 'clip'");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_projector_load("nowhere.gguf", &projector, &problems), KVB_CANNOT_OPEN);
    (void)kvb_memory_fail_once(1);
    assert_int_equal(kvb_projector_load("mmproj.gguf", &projector, &problems), KVB_NO_MEMORY);
    (void)kvb_memory_fail_once(0);
}

// A projector whose file is not here is the model's own tower in 16 bits; vectors, patches and positions take 32
// (MmprojModel in convert_hf_to_gguf.py).
static void test_projector_of_model(void **state)
{
    (void)state;
    static const struct kvb_extra extras[] = {
        {"blocks.qkv.weight", KVB_ROLE_VISION, 0, 100, 10, 3, false}, // 3 x 1000 x 2
        {"blocks.norm.weight", KVB_ROLE_VISION, 0, 100, 1, 1, false}, // 100 x 4
        {"pos_embed.weight", KVB_ROLE_VISION, 0, 10, 10, 1, false},   // 100 x 4
        {"position_embedding.weight", KVB_ROLE_VISION, 0, 10, 10, 1, false},
        {"patch_embed.proj.weight", KVB_ROLE_VISION, 0, 10, 10, 1, false}, // 100 x 4 each
        {"merger.weight", KVB_ROLE_PROJECTOR, 0, 10, 10, 1, false},        // 100 x 2
        {"audio.weight", KVB_ROLE_AUDIO, 0, 10, 10, 1, false},             // 100 x 2
        {"lm_head.weight", KVB_ROLE_HEAD, 0, 10, 10, 1, false},            // not its own
    };
    static struct kvb_projector projector;
    memset(&model, 0, sizeof model);
    kvb_projector_of_model(&model, &projector);
    assert_true(projector.named && !projector.known);
    model.encoder.family = KVB_ENCODER_QWEN3_VL;
    kvb_projector_of_model(&model, &projector);
    assert_false(projector.known); // a tower without layers
    model.encoder.layers = 2;
    kvb_projector_of_model(&model, &projector);
    assert_false(projector.known); // or without patches
    model.encoder.patch_size = 16;
    model.hidden_size = 64;
    memcpy(model.extras, extras, sizeof extras);
    model.extra_count = sizeof extras / sizeof extras[0];
    kvb_projector_of_model(&model, &projector);
    assert_true(projector.known && projector.fused_qkv);
    assert_int_equal(projector.image_size, 1024);
    assert_int_equal(projector.merge_size, 1);
    assert_int_equal(projector.output_size, 64);
    assert_int_equal(projector.bytes, 6000 + 4 * 400 + 2 * 200);
    model.encoder.image_size = 448;
    model.encoder.merge_size = 2;
    kvb_projector_of_model(&model, &projector);
    assert_int_equal(projector.image_size, 448);
    assert_int_equal(projector.merge_size, 2);
}

KVB_TEST_MAIN_WITH(make_root, remove_root, cmocka_unit_test_setup(test_bare_files, begin),
                   cmocka_unit_test_setup(test_quantisation_beside, begin),
                   cmocka_unit_test_setup(test_profiles, begin), cmocka_unit_test_setup(test_called_like_one, begin),
                   cmocka_unit_test_setup(test_downloads, begin), cmocka_unit_test_setup(test_long_way, begin),
                   cmocka_unit_test_setup(test_imports, begin), cmocka_unit_test_setup(test_projector_files, begin),
                   cmocka_unit_test_setup(test_projector_of_model, begin))
