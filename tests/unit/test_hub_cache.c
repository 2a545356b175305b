// The local Hugging Face cache: where it lies, which snapshot counts, which names are no ids.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "checkpoint_files.h"
#include "model/hub_cache.h"
#include "unit/own_folder.h"
#include "unit/test.h"

#define REVISION "0123456789abcdef0123456789abcdef01234567"

static char found[KVB_PATH_CAPACITY];

static const char *const variables[] = {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME"};

static int forget(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        (void)unsetenv(variables[i]);
    }
    return 0;
}

static void make_folders(const char *below)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", root, below);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

// A download of org/name under root/below.
static void make_download(const char *below, const char *reference)
{
    char path[256], folder[512];
    (void)snprintf(path, sizeof path, "%smodels--org--name/refs", below);
    make_folders(path);
    (void)snprintf(folder, sizeof folder, "%s/%s", root, path);
    write_text(folder, "main", reference);
    (void)snprintf(path, sizeof path, "%smodels--org--name/snapshots/" REVISION, below);
    make_folders(path);
    (void)snprintf(folder, sizeof folder, "%s/%s", root, path);
    write_text(folder, "config.json",
               "{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, \"intermediate_size\": 128, "
               "\"num_attention_heads\": 4, \"num_hidden_layers\": 2, \"vocab_size\": 128, "
               "\"max_position_embeddings\": 512, \"torch_dtype\": \"bfloat16\"}");
}

static int make_root(void **state)
{
    (void)forget(state);
    return mkdtemp(root) == NULL;
}

// Each variable leads to the folder that its row names; an earlier one beats a later one.
static void test_places(void **state)
{
    (void)state;
    static const char *const below[] = {"a/", "b/", "c/hub/", "d/huggingface/hub/", "e/.cache/huggingface/hub/"};
    for (size_t i = sizeof variables / sizeof variables[0]; i > 0; i--) {
        char value[128], expected[512];
        (void)snprintf(value, sizeof value, "%s/%c", root, below[i - 1][0]);
        (void)snprintf(expected, sizeof expected, "%s/%smodels--org--name/snapshots/" REVISION, root, below[i - 1]);
        make_download(below[i - 1], REVISION "\n");
        assert_int_equal(setenv(variables[i - 1], value, 1), 0);
        assert_true(kvb_hub_find("org/name", found));
        assert_string_equal(found, expected);
    }
}

static void test_what_is_not_there(void **state)
{
    (void)state;
    static const char *const names[] = {"org/other", "name",       "org/name/x", "../name", "org/..",
                                        "org/na me", "org/name\n", "",           "/name",   "org/"};
    assert_int_equal(setenv("HF_HUB_CACHE", root, 1), 0);
    make_download("", "main");
    assert_false(kvb_hub_find("org/name", found)); // no such snapshot
    make_download("", "../../../etc");
    assert_false(kvb_hub_find("org/name", found));
    make_download("", "");
    assert_false(kvb_hub_find("org/name", found));
    make_download("", REVISION);
    assert_true(kvb_hub_find("org/name", found));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_false(kvb_hub_find(names[i], found));
    }
    (void)forget(state);
    assert_false(kvb_hub_find("org/name", found));
}

static void test_a_model_by_id(void **state)
{
    (void)state;
    static struct kvb_model model;
    static struct kvb_model_source source;
    static struct kvb_problems problems;
    assert_int_equal(setenv("HF_HUB_CACHE", root, 1), 0);
    make_download("", REVISION);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load("org/name", NULL, &model, &source, &problems), KVB_OK);
    assert_string_equal(model.name, "org/name");
    assert_int_equal(model.layer_count, 2);
    assert_non_null(strstr(source.text, "snapshots/" REVISION));
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(kvb_model_import("org/name", NULL, NULL, &text, &length, &problems), KVB_OK);
    assert_non_null(strstr(text, "name: \"org/name\"\nsource: \"org/name\"\n"));
    free(text);
}

// What a revision is called in our own cache: one word that is no path and no hidden file.
static void test_keys(void **state)
{
    (void)state;
    static char lengthy[200];
    memset(lengthy, 'a', sizeof lengthy - 1);
    const struct {
        const char *revision, *format, *key; // NULL: it can be none
    } rows[] = {{"main", "", "main"},
                {"feature/one", "", "feature%2Fone"},
                {"main", "Q4_K_M", "main+Q4_K_M"},
                {"v1.0-rc_2", "", "v1.0-rc_2"},
                {".hidden", "", NULL},
                {"", "", NULL},
                {"a b", "", NULL},
                {"a\nb", "", NULL},
                {lengthy, "", NULL},
                {"a;touch x", "", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_name name = {0};
        char key[64];
        (void)snprintf(name.format, sizeof name.format, "%s", rows[i].format);
        bool made = kvb_hub_own_key(&name, rows[i].revision, key, sizeof key);
        if (made != (rows[i].key != NULL) || (made && strcmp(key, rows[i].key) != 0)) {
            fail_msg("'%s': %s", rows[i].revision, made ? key : "none");
        }
    }
    struct kvb_name long_format = {.format = "Q4_K_M"};
    char small[12];
    assert_false(kvb_hub_own_key(&long_format, "release", small, sizeof small)); // the format does not fit behind it
    static const char *const yes[] = {"1", "on", "YES", "True"}, *const no[] = {"0", "", "off", "2", "truest"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        assert_int_equal(setenv("KVB_TEST_SWITCH", yes[i], 1), 0);
        assert_true(kvb_hub_is_yes("KVB_TEST_SWITCH"));
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        assert_int_equal(setenv("KVB_TEST_SWITCH", no[i], 1), 0);
        assert_false(kvb_hub_is_yes("KVB_TEST_SWITCH"));
    }
    (void)unsetenv("KVB_TEST_SWITCH");
    assert_false(kvb_hub_is_yes("KVB_TEST_SWITCH"));
}

// Revisions in a download of huggingface_hub: a branch, the commit itself, and none that leads out of it.
static void test_revisions(void **state)
{
    (void)state;
    char folder[512];
    static char lengthy[KVB_PATH_CAPACITY];
    assert_int_equal(setenv("HF_HUB_CACHE", root, 1), 0);
    make_download("", REVISION);
    (void)snprintf(folder, sizeof folder, "%s/models--org--name/refs", root);
    write_text(folder, "v1", REVISION " \n");
    write_text(folder, "far",
               "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
               "0123456789012345678901234567890123456789");
    assert_true(kvb_hub_find("org/name@v1", found));
    assert_true(kvb_hub_find("org/name@" REVISION, found));
    assert_false(kvb_hub_find("org/name@v2", found));
    assert_false(kvb_hub_find("org/name@../v1", found));
    assert_false(kvb_hub_find("org/name@far", found)); // longer than any commit
    assert_false(kvb_hub_find("org/name:Q4_K_M", found));
    assert_false(kvb_hub_find_adapter("org/name", found));
    assert_false(kvb_hub_find_adapter("", found));
    assert_int_equal(unlink(strcat(folder, "/main")), 0);
    assert_false(kvb_hub_find("org/name", found)); // nothing says which commit is main
    memset(lengthy, 'a', sizeof lengthy - 1);
    assert_int_equal(setenv("HF_HUB_CACHE", lengthy, 1), 0);
    assert_false(kvb_hub_find("org/name@v1", found)); // no path of ours
    assert_int_equal(setenv("HF_HOME", lengthy, 1), 0);
    (void)unsetenv("HF_HUB_CACHE");
    assert_false(kvb_hub_find("org/name@v1", found));
}

// A download is not a model nobody knows because one allocation failed while it was looked for.
static void test_without_memory(void **state)
{
    (void)state;
    static struct kvb_problems problems;
    static struct kvb_model model;
    struct kvb_model_source source;
    assert_int_equal(setenv("HF_HUB_CACHE", root, 1), 0);
    make_download("", REVISION "\n");
    bool refused = false;
    for (unsigned long n = 1;; n++) {
        kvb_problems_init(&problems);
        unsigned long before = kvb_memory_failures();
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = kvb_model_load("org/name", NULL, &model, &source, &problems);
        bool reached = kvb_memory_fail_once(0) == 0 && kvb_memory_failures() > before;
        if (!reached) {
            assert_int_equal(status, KVB_OK);
            break;
        }
        assert_int_equal(status, KVB_NO_MEMORY);
        assert_int_equal(problems.items[problems.count - 1].status, KVB_NO_MEMORY);
        refused =
            refused || strcmp(problems.items[problems.count - 1].text, "not enough memory to look for 'org/name'") == 0;
    }
    assert_true(refused);
}

KVB_TEST_MAIN_WITH(make_root, remove_root, cmocka_unit_test_teardown(test_places, forget), cmocka_unit_test(test_keys),
                   cmocka_unit_test_teardown(test_revisions, forget),
                   cmocka_unit_test_teardown(test_what_is_not_there, forget),
                   cmocka_unit_test_teardown(test_without_memory, forget),
                   cmocka_unit_test_teardown(test_a_model_by_id, forget))
