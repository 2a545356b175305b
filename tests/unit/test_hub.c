// The cache of fetched models: what is found in it, listed and taken away; a stand-in plays the helper program.
#include <kvbudget/answer.h>
#include <kvbudget/hub.h>

#include "base/memory.h"
#include "checkpoint_files.h"
#include "hub/helper.h"
#include "hub/store.h"
#include "model/hub_cache.h"
#include "model/known.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/hub_play.h"

static unsigned entries;
static struct kvb_hub_entry last;
static void take(void *context, const struct kvb_hub_entry *entry)
{
    (void)context;
    entries++;
    last = *entry;
}

static void test_pull(void **state)
{
    (void)state;
    struct kvb_model_source source;
    static struct kvb_model model;
    uint64_t bytes;
    play_fetch("ok " COMMIT " 1 0 123 45");
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_OK);
    assert_true(said("fetched org/name from https://huggingface.co, revision main (0123456789ab): 1 files and 0 weight "
                     "headers, 0.0 MB in 0.0 s"));
    assert_int_equal(kvb_model_load("org/name", NULL, &model, &source, &problems), KVB_OK);
    assert_string_equal(model.name, "org/name");
    assert_int_equal(model.layer_count, 2);
    assert_int_equal(kvb_model_load("hf://org/name@main", NULL, &model, &source, &problems), KVB_OK);
    assert_int_equal(kvb_model_load("org/name@" COMMIT, NULL, &model, &source, &problems), KVB_OK);
    assert_string_equal(model.name, "org/name");
    entries = 0;
    assert_int_equal(kvb_hub_list(take, NULL, &problems), KVB_OK);
    assert_int_equal(entries, 1);
    assert_string_equal(last.name, "org/name");
    assert_string_equal(last.revision, "main");
    assert_string_equal(last.commit, COMMIT);
    assert_int_equal(last.bytes, strlen(CONFIG));
    assert_int_equal(kvb_hub_prune("ORG/name", &bytes, &problems), KVB_OK);
    assert_true(bytes >= strlen(CONFIG));
    assert_int_equal(kvb_model_load("org/name", NULL, &model, &source, &problems), KVB_UNKNOWN_NAME);
    assert_int_equal(kvb_hub_prune("org/name", &bytes, &problems), KVB_UNKNOWN_NAME);
    assert_int_equal(kvb_hub_prune(NULL, &bytes, &problems), KVB_OK);
    assert_int_equal(bytes, 0);
}

// A branch whose name has a slash, a hub that names no commits, a commit that is here already.
static void test_revisions(void **state)
{
    (void)state;
    play_fetch("ok - 1 0 1 1");
    assert_int_equal(kvb_hub_pull("org/name@feature/one", &problems), KVB_OK);
    entries = 0;
    assert_int_equal(kvb_hub_list(take, NULL, &problems), KVB_OK);
    assert_int_equal(entries, 1);
    assert_string_equal(last.revision, "feature/one");
    assert_int_equal(strlen(last.commit), 40);
    char known[sizeof last.commit];
    memcpy(known, last.commit, sizeof known);
    // The commits that are here are its last words.
    play_helper("for last; do :; done; echo \"same $last\"");
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_OK);
    entries = 0;
    assert_int_equal(kvb_hub_list(take, NULL, &problems), KVB_OK);
    assert_int_equal(entries, 2);
    assert_string_equal(last.commit, known);
}

static void test_failures(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        enum kvb_status status;
        const char *text;
    } rows[] = {
        {"echo 'error name there is no org/name'", KVB_UNKNOWN_NAME,
         "was not fetched from https://huggingface.co: there is no org/name"},
        {"echo 'error access no'", KVB_CANNOT_OPEN, "no"},
        {"echo 'error busy later'", KVB_CANNOT_READ, "later"},
        {"echo 'error bad lies'", KVB_CANNOT_READ, "lies"},
        {"echo 'error system full'", KVB_CANNOT_WRITE, "full"},
        {"echo 'error other x'", KVB_CANNOT_READ, "x"},
        {"exit 3", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok notacommit 1 1 1 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok " COMMIT " 1 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok " COMMIT " x 1 1 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok " COMMIT " 1 x 1 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok " COMMIT " 1 1 x 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok " COMMIT " 1 1 1 -1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok 0123456789abcdef 1 1 1 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok " COMMIT COMMIT " 1 1 1 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'ok " COMMIT "Z 1 1 1 1'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"echo 'same -'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"kill -9 $$", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"printf 'error busy no line ends here'", KVB_CANNOT_READ,
         "was not fetched from https://huggingface.co: no line"},
        {"echo 'same ../../x'", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
        {"head -c 100000 /dev/zero", KVB_CANNOT_WRITE, "kvbudget-hub ended without an answer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[KVB_PATH_CAPACITY];
        kvb_problems_init(&problems);
        play_helper(rows[i].lines);
        assert_int_equal(kvb_hub_pull("org/name", &problems), rows[i].status);
        assert_true(said(rows[i].text));
        assert_false(kvb_hub_find("org/name", path));
    }
    assert_int_equal(kvb_hub_pull("name", &problems), KVB_BAD_ARGUMENT);
    assert_int_equal(kvb_hub_pull("/org/name", &problems), KVB_BAD_ARGUMENT);
    (void)setenv("HF_HUB_OFFLINE", "TRUE", 1);
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_CANNOT_OPEN);
}

// What a plan asks for: names that nobody knows, guesses, and nothing that is built in.
static void test_fetch_for(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static const struct {
        const char *model, *revision;
        bool asked;
    } rows[] = {{"Qwen/Qwen3-8B", "", false},
                {"qwen3-8b", "", false},
                {"Qwen/Qwen3-8B", "main", false},
                {"Qwen/Qwen3-8B", "refs/pr/1", true},
                {"Qwen/Qwen3-8B@refs/pr/1", "refs/pr/2", true},
                {"qwen3-8b", "refs/pr/1", false},
                {"", "", false},
                {"org/unheard-of", "", true},
                {"unheard-of", "", false},
                {"/models/unheard-of", "", false},
                {"./x.json", "", false},
                {"Qwen/Qwen3-8B-Instruct-GPTQ", "", true},
                {"mlx-community/Qwen3-8B-4bit", "", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        play_helper("echo 'error bad asked'");
        kvb_deployment_init(&deployment);
        (void)snprintf(deployment.model, sizeof deployment.model, "%s", rows[i].model);
        (void)snprintf(deployment.revision, sizeof deployment.revision, "%s", rows[i].revision);
        kvb_hub_fetch_for(&deployment, &problems);
        if (said("asked") != rows[i].asked) {
            fail_msg("%s %s", rows[i].model, rows[i].revision);
        }
    }
    (void)setenv("KVBUDGET_OFFLINE", "1", 1);
    kvb_problems_init(&problems);
    kvb_hub_fetch_model("org/unheard-of", "", &problems);
    assert_int_equal(problems.count, 0);
}

// A hub that nobody reaches is not asked again at once; pull asks all the same.
static void test_silence(void **state)
{
    (void)state;
    play_helper("echo 'error offline nobody answers'");
    kvb_hub_fetch_model("org/name", "", &problems);
    assert_true(said("nobody answers"));
    kvb_problems_init(&problems);
    kvb_hub_fetch_model("org/name", "", &problems);
    assert_true(said("did not answer in the last 10 minutes; `kvbudget hub pull` asks it at once"));
    char command[256];
    play_helper("echo 'error bad asked'");
    (void)snprintf(command, sizeof command, "touch -d '11 minutes ago' '%s/cache/hub/silent'", root);
    assert_int_equal(system(command), 0);
    kvb_hub_fetch_model("org/name", "", &problems);
    assert_true(said("asked")); // ten minutes are over
    (void)snprintf(command, sizeof command, "touch '%s/cache/hub/silent'", root);
    assert_int_equal(system(command), 0);
    play_fetch("ok " COMMIT " 1 0 1 1");
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_OK);
    (void)setenv("HF_ENDPOINT", "https://mirror.example", 1);
    kvb_problems_init(&problems);
    kvb_hub_fetch_model("org/another", "", &problems);
    assert_true(said("fetched org/another from https://mirror.example"));
}

static void test_missing_helper(void **state)
{
    (void)state;
    char path[KVB_PATH_CAPACITY];
    (void)setenv("KVBUDGET_LIBEXEC", "/nowhere", 1);
    assert_false(kvb_helper_find(path));
    kvb_hub_fetch_model("org/name", "", &problems);
    assert_true(
        said("'org/name' could be fetched, but kvbudget-hub is not installed; it is built where libcurl is found "
             "(Debian: libcurl4-openssl-dev; cmake -DKVB_HUB=ON)"));
}

// ModelScope's folder is read where the engine would read it; dots in names are written ___.
static void test_modelscope(void **state)
{
    (void)state;
    char folder[256], found[KVB_PATH_CAPACITY];
    (void)snprintf(folder, sizeof folder, "%s/cache/scope/models/org/name-1___5", root);
    assert_int_equal(kvb_folder_make(folder, &problems), KVB_OK);
    write_text(folder, "config.json", CONFIG);
    (void)snprintf(folder, sizeof folder, "%s/cache/scope", root);
    (void)setenv("MODELSCOPE_CACHE", folder, 1);
    assert_false(kvb_hub_find("org/name-1.5", found));
    (void)setenv("VLLM_USE_MODELSCOPE", "True", 1);
    assert_true(kvb_hub_find("org/name-1.5", found));
    assert_false(kvb_hub_find("org/name-1.6", found));
}

// A GGUF file is found by its format, the first of its parts.
static void test_gguf(void **state)
{
    (void)state;
    char found[KVB_PATH_CAPACITY];
    play_helper("echo x > \"$6/m-Q4_K_M-00002-of-00002.gguf\"; echo x > \"$6/m-Q4_K_M-00001-of-00002.gguf\"\n"
                "echo \"ok " COMMIT " 0 2 1 1\"");
    assert_int_equal(kvb_hub_pull("org/name-GGUF:Q4_K_M", &problems), KVB_OK);
    assert_true(kvb_hub_find("org/name-GGUF:Q4_K_M", found));
    assert_non_null(strstr(found, "/snapshots/" COMMIT "+Q4_K_M/m-Q4_K_M-00001-of-00002.gguf"));
    assert_false(kvb_hub_find("org/name-GGUF:Q8_0", found));
    assert_false(kvb_hub_find("org/name-GGUF", found));
}

// Adapters are fetched like models; a rank above max_lora_rank is said before the engine says it.
static void test_adapters(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static struct kvb_answer answer;
    const char *words[] = {"vllm",
                           "serve",
                           "Qwen/Qwen3-8B",
                           "--enable-lora",
                           "--lora-modules",
                           "a=org/adapter",
                           "{\"name\": \"b\", \"path\": \"org/other\"}",
                           "--max-loras",
                           "2"};
    play_helper("printf '{\"r\": 64}' > \"$6/adapter_config.json\"; echo \"ok " COMMIT " 1 0 1 1\"");
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_serve_command_read(9, words, &deployment, &problems), KVB_OK);
    assert_int_equal(deployment.adapter_count, 2);
    assert_string_equal(deployment.adapters[0], "org/adapter");
    assert_string_equal(deployment.adapters[1], "org/other");
    kvb_hub_fetch_for(&deployment, &problems);
    assert_true(said("fetched org/adapter from https://huggingface.co"));
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "l40s");
    assert_int_equal(kvb_deployment_resolve(&deployment, &answer.plan, &answer.draft, &answer.source, &problems),
                     KVB_OK);
    assert_true(
        said("the adapter 'org/other' has rank 64, and max_lora_rank is 16: the engine refuses it at start; set "
             "--max-lora-rank 64"));
    kvb_problems_init(&problems);
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_LORA_RANK, 64, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_deployment_resolve(&deployment, &answer.plan, &answer.draft, &answer.source, &problems),
                     KVB_OK);
    assert_false(said("rank"));
    (void)snprintf(deployment.adapters[0], sizeof deployment.adapters[0], "nobody/fetched-this");
    assert_int_equal(kvb_deployment_resolve(&deployment, &answer.plan, &answer.draft, &answer.source, &problems),
                     KVB_OK);
    assert_true(said("the adapter 'nobody/fetched-this' is not here: its rank is taken to be at most 64, the engine's "
                     "max_lora_rank"));
}

static void test_folders(void **state)
{
    (void)state;
    char path[256], other[300];
    (void)snprintf(path, sizeof path, "%s/cache/a/b/c", root);
    (void)snprintf(other, sizeof other, "%s/cache/d", root);
    assert_int_equal(kvb_folder_make(path, &problems), KVB_OK);
    assert_int_equal(kvb_folder_make(path, &problems), KVB_OK);
    write_text(path, "file", "12345");
    (void)snprintf(path, sizeof path, "%s/cache/a", root);
    assert_int_equal(kvb_folder_bytes(path), 5);
    assert_true(kvb_path_age_seconds(path) < 60);
    assert_true(kvb_folder_move(path, other));
    assert_int_equal(kvb_path_age_seconds(path), UINT64_MAX);
    assert_int_equal(kvb_folder_remove(path, &problems), KVB_OK);
    assert_int_equal(kvb_folder_remove(other, &problems), KVB_OK);
    assert_false(kvb_path_exists(other));
    assert_int_equal(kvb_folder_make("/proc/none/x", &problems), KVB_CANNOT_WRITE);
}

KVB_TEST_MAIN_WITH(make_bare_root, remove_root, cmocka_unit_test_setup(test_pull, begin),
                   cmocka_unit_test_setup(test_revisions, begin), cmocka_unit_test_setup(test_failures, begin),
                   cmocka_unit_test_setup(test_fetch_for, begin), cmocka_unit_test_setup(test_silence, begin),
                   cmocka_unit_test_setup(test_missing_helper, begin), cmocka_unit_test_setup(test_modelscope, begin),
                   cmocka_unit_test_setup(test_gguf, begin), cmocka_unit_test_setup(test_folders, begin),
                   cmocka_unit_test_setup(test_adapters, begin), )
