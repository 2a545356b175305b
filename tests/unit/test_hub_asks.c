// When somebody is asked for a model, and what is said when nobody can be asked or nothing can be kept.
#include <kvbudget/answer.h>
#include <kvbudget/hub.h>

#include "hub/helper.h"
#include "unit/hub_play.h"

// A revision of a model that is here is fetched once; the draft is fetched like the model, unless it is the model.
static void test_fetch_more(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    char text[128];
    play_fetch("ok " COMMIT " 1 0 1 1");
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_OK);
    assert_int_equal(kvb_hub_pull("org/name@r1", &problems), KVB_OK);
    assert_int_equal(kvb_hub_pull("org/name@r3", &problems), KVB_OK);
    kvb_problems_init(&problems);
    kvb_hub_fetch_model("org/name", "r1", &problems);
    kvb_hub_fetch_model("org/name@r3", "r2", &problems); // what the name says stands above it
    assert_int_equal(problems.count, 0);
    kvb_hub_fetch_model("org/name", "r2", &problems);
    assert_true(said("fetched org/name from https://huggingface.co, revision r2 (0123456789ab)"));
    (void)snprintf(text, sizeof text, "%s/cache", root); // a folder, which has no revisions
    kvb_problems_init(&problems);
    kvb_hub_fetch_model(text, "r2", &problems);
    assert_int_equal(problems.count, 0);

    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "org/unheard-of");
    (void)snprintf(deployment.draft_model, sizeof deployment.draft_model, "ORG/unheard-of");
    deployment.inline_model = true;
    kvb_hub_fetch_for(&deployment, &problems);
    assert_int_equal(problems.count, 0);
    (void)snprintf(deployment.draft_model, sizeof deployment.draft_model, "org/drafts");
    kvb_hub_fetch_for(&deployment, &problems);
    assert_int_equal(problems.count, 1);
    assert_true(said("fetched org/drafts from https://huggingface.co, revision main (0123456789ab)"));
}

// Which adapters are asked for: repositories that are not here, where somebody can be asked.
static void test_fetch_adapters(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static const struct {
        const char *adapter, *variable, *value;
        bool asked;
    } rows[] = {{"org/adapter", "LANG", "C", true},
                {"/tmp", "LANG", "C", false},
                {"", "LANG", "C", false},
                {"adapter", "LANG", "C", false},
                {"org/here", "LANG", "C", false},
                {"org/adapter", "KVBUDGET_LIBEXEC", "/nowhere", false},
                {"org/adapter", "HF_HUB_OFFLINE", "1", false}};
    play_helper("printf '{\"r\": 8}' > \"$6/adapter_config.json\"; echo \"ok " COMMIT " 1 0 1 1\"");
    assert_int_equal(kvb_hub_pull("org/here", &problems), KVB_OK);
    play_helper("echo 'error offline asked'");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char silent[128];
        (void)snprintf(silent, sizeof silent, "%s/cache/hub/silent", root);
        (void)unlink(silent);
        (void)unsetenv("HF_HUB_OFFLINE");
        (void)setenv("KVBUDGET_LIBEXEC", root, 1);
        (void)setenv(rows[i].variable, rows[i].value, 1);
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        deployment.adapter_count = 1;
        (void)snprintf(deployment.adapters[0], sizeof deployment.adapters[0], "%s", rows[i].adapter);
        kvb_hub_fetch_for(&deployment, &problems);
        if (said("asked") != rows[i].asked) {
            fail_msg("row %zu: %s", i, rows[i].adapter);
        }
        kvb_problems_init(&problems);
        kvb_hub_fetch_for(&deployment, &problems); // who was silent is not asked again
        assert_int_equal(problems.count, 0);
    }
}

// Who is asked: HF_ENDPOINT, ModelScope where the engine would, else the public Hub.
static void test_endpoints(void **state)
{
    (void)state;
    play_fetch("ok " COMMIT " 1 0 1 1");
    (void)setenv("HF_ENDPOINT", "", 1);
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_OK);
    assert_true(said("fetched org/name from https://huggingface.co, revision main"));
    (void)setenv("VLLM_USE_MODELSCOPE", "True", 1);
    assert_int_equal(kvb_hub_pull("org/other", &problems), KVB_OK);
    assert_true(said("fetched org/other from https://www.modelscope.cn, revision main"));
}

// A cache that takes nothing is as grave as a hub that does not answer: what is answered by its name is answered.
static void test_no_cache(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kvb_severity severity;
    } rows[] = {{"Qwen/Qwen3-8B-Instruct-GPTQ", KVB_NOTICE}, {"org/unheard-of", KVB_WARNING}};
    char path[128];
    (void)snprintf(path, sizeof path, "%s/kvbudget-hub/cache", root); // below a file
    play_fetch("ok " COMMIT " 1 0 1 1");
    (void)setenv("KVBUDGET_CACHE", path, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        kvb_hub_fetch_model(rows[i].name, "", &problems);
        assert_int_equal(problems.count, 1);
        assert_int_equal(problems.items[0].severity, rows[i].severity);
        assert_string_equal(problems.items[0].text, "cannot make: Not a directory");
    }
    kvb_problems_init(&problems);
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_CANNOT_WRITE);
    assert_int_equal(problems.items[0].severity, KVB_ERROR);
    play_helper("echo 'error offline nobody'"); // and the silence cannot be noted
    assert_int_equal(kvb_hub_pull("org/name", &problems), KVB_CANNOT_WRITE);
}

// A revision that no file can be called is refused before anybody is asked.
static void test_odd_revision(void **state)
{
    (void)state;
    play_helper("echo 'error bad asked'");
    assert_int_equal(kvb_hub_pull("org/name@fea~ture", &problems), KVB_BAD_ARGUMENT);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].text,
                        "the revision 'fea~ture' has signs that no file of the cache is named with; expected letters, "
                        "digits, '-', '_', '.', '+', '%' and '/', as in a branch, tag or commit");
}

// A program is a file that may be run; of a folder that does not fit into a path nothing is run.
static void test_no_program(void **state)
{
    (void)state;
    char path[KVB_PATH_CAPACITY], helper[128];
    static char place[KVB_PATH_CAPACITY];
    (void)snprintf(helper, sizeof helper, "%s/kvbudget-hub", root);
    play_helper("echo 'error bad asked'");
    assert_true(kvb_helper_find(path));
    assert_string_equal(path, helper);
    assert_int_equal(chmod(helper, 0600), 0);
    assert_false(kvb_helper_find(path));
    assert_int_equal(unlink(helper), 0);
    assert_int_equal(mkdir(helper, 0700), 0);
    assert_false(kvb_helper_find(path));
    assert_int_equal(rmdir(helper), 0);
    memset(place, '/', sizeof place - 1);
    (void)setenv("KVBUDGET_LIBEXEC", place, 1);
    assert_false(kvb_helper_find(path));
    kvb_hub_fetch_model("Qwen/Qwen3-8B-Instruct-GPTQ", "", &problems); // answered by its name: nothing is missed
    assert_int_equal(problems.count, 0);
}

KVB_TEST_MAIN_WITH(make_bare_root, remove_root, cmocka_unit_test_setup(test_fetch_more, begin),
                   cmocka_unit_test_setup(test_fetch_adapters, begin), cmocka_unit_test_setup(test_endpoints, begin),
                   cmocka_unit_test_setup(test_no_cache, begin), cmocka_unit_test_setup(test_odd_revision, begin),
                   cmocka_unit_test_setup(test_no_program, begin))
