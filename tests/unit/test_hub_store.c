// Keeping what was fetched: whole or not at all, whoever else keeps, prunes or broke off in the same cache.
#include "base/memory.h"
#include "hub/prepare.h"
#include "hub/store.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/checkpoint_files.h"
#include "unit/hub_play.h"

static const struct kvb_name name = {.owner = "org", .name = "name"};
static struct kvb_store store;

static void shell(const char *line)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "cd '%s/cache/hub/models--org--name' && %s", root, line);
    assert_int_equal(system(command), 0);
}

static bool is_kept(const char *below)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/cache/hub/models--org--name/%s", root, below);
    return kvb_path_exists(path);
}

static void begin_with(const char *config)
{
    assert_int_equal(kvb_store_begin(&store, &name, &problems), KVB_OK);
    write_text(store.folder, "config.json", config);
}

// Somebody else keeps the same commit while it is fetched: theirs stays, and nothing is left over.
static void test_kept_twice(void **state)
{
    (void)state;
    begin_with("{}");
    shell("mkdir snapshots/" COMMIT " && echo theirs >snapshots/" COMMIT "/config.json");
    assert_int_equal(kvb_store_keep(&store, &name, COMMIT, &problems), KVB_OK);
    shell("grep -q theirs snapshots/" COMMIT "/config.json && grep -qx " COMMIT " refs/main && ! ls -d new-*");
}

// Somebody prunes the cache while it is fetched: it is kept all the same.
static void test_pruned_meanwhile(void **state)
{
    (void)state;
    begin_with("{}");
    shell("rm -r snapshots");
    assert_int_equal(kvb_store_keep(&store, &name, COMMIT, &problems), KVB_OK);
    assert_true(is_kept("snapshots/" COMMIT "/config.json"));
    begin_with("{}");
    shell("rm -r new-*"); // its own folder
    assert_int_equal(kvb_store_keep(&store, &name, "-", &problems), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "cannot open: No such file or directory");
}

static void test_a_file_in_the_way(void **state)
{
    (void)state;
    begin_with("{}");
    shell("echo x >snapshots/" COMMIT);
    assert_int_equal(kvb_store_keep(&store, &name, COMMIT, &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text, "cannot be written");
    assert_non_null(strstr(problems.items[0].file, "/snapshots/" COMMIT));
    shell("! ls -d new-* 2>/dev/null");
    kvb_problems_init(&problems);
    shell("rm -r snapshots && echo x >snapshots");
    assert_int_equal(kvb_store_begin(&store, &name, &problems), KVB_CANNOT_WRITE);
    shell("rm snapshots && rm -rf refs && echo x >refs");
    begin_with("{}");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_store_keep(&store, &name, COMMIT, &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text, "cannot make: File exists");
}

// In containers every process may have the same number: what fetches left that were broken off is not written into.
static void test_broken_off(void **state)
{
    (void)state;
    char line[256], first[32];
    assert_int_equal(kvb_store_begin(&store, &name, &problems), KVB_OK);
    (void)snprintf(first, sizeof first, "new-%ld-0", (long)getpid());
    assert_true(is_kept(first));
    assert_int_equal(kvb_store_begin(&store, &name, &problems), KVB_OK);
    (void)snprintf(first, sizeof first, "new-%ld-1", (long)getpid());
    assert_true(is_kept(first));
    (void)snprintf(line, sizeof line, "seq -f 'new-%ld-%%g' 2 999 | xargs mkdir", (long)getpid());
    shell(line);
    assert_int_equal(kvb_store_begin(&store, &name, &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text,
                        "1000 fetches that were broken off lie in it; `kvbudget hub prune` takes them away");
}

// A hub that names no commits: what came names itself, the same whenever it is the same.
static void test_without_commits(void **state)
{
    (void)state;
    begin_with("{}");
    assert_int_equal(kvb_store_keep(&store, &name, "-", &problems), KVB_OK);
    // sha1("{}") is bf21a9e8..., and the commit is sha1("bf21a9e8fbc5a3846fb05b4fa0859e0917b2202f config.json\n")
    assert_true(is_kept("snapshots/670d2d4e156c29717291fb0c197d1c3bf68115ae/config.json"));
    assert_int_equal(kvb_store_begin(&store, &name, &problems), KVB_OK); // nothing came: sha1 of nothing
    assert_int_equal(kvb_store_keep(&store, &name, "-", &problems), KVB_OK);
    assert_true(is_kept("snapshots/da39a3ee5e6b4b0d3255bfef95601890afd80709"));
    begin_with("{}");
    shell("cd new-* && truncate -s 134217729 large");
    assert_int_equal(kvb_store_keep(&store, &name, "-", &problems), KVB_TOO_LARGE);
    assert_string_equal(problems.items[0].text, "larger than 134217728 bytes, the most that is read of such a file");
    kvb_store_drop(&store);
    bool reached = true;
    for (unsigned long n = 1; reached; n++) {
        kvb_problems_init(&problems);
        begin_with("{}");
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = kvb_store_keep(&store, &name, "-", &problems);
        reached = kvb_memory_fail_once(0) == 0;
        assert_true(status == KVB_OK || (status == KVB_NO_MEMORY && problems.count > 0));
        kvb_store_drop(&store);
    }
}

// Which commits are here, of a format or of none.
static void test_commits(void **state)
{
    (void)state;
    static char found[4][96];
    struct kvb_name gguf = {.owner = "org", .name = "name", .format = "Q4_K_M"};
    assert_int_equal(kvb_store_begin(&store, &name, &problems), KVB_OK);
    assert_int_equal(kvb_store_commits(&store, &name, found, 4), 0);
    shell("mkdir snapshots/aa snapshots/bb snapshots/cc+Q4_K_M snapshots/dd+Q8_0 snapshots/$(printf '%095d' 0) "
          "snapshots/$(printf '%096d' 0)");
    assert_int_equal(kvb_store_commits(&store, &name, found, 4), 3);
    assert_int_equal(strlen(found[0]), 95);
    assert_string_equal(found[1], "aa");
    assert_string_equal(found[2], "bb");
    assert_int_equal(kvb_store_commits(&store, &name, found, 2), 2);
    assert_int_equal(kvb_store_commits(&store, &gguf, found, 4), 1);
    assert_string_equal(found[0], "cc");
    shell("rm -r snapshots");
    assert_int_equal(kvb_store_commits(&store, &name, found, 4), 0);
}

// Wherever a path stops to fit, what came is whole or not there, and that is said.
static void test_long_way(void **state)
{
    (void)state;
    static char place[KVB_PATH_CAPACITY];
    unsigned kept = 0, refused = 0;
    for (size_t length = KVB_PATH_CAPACITY - 130; length < KVB_PATH_CAPACITY; length++) {
        char config[KVB_PATH_CAPACITY + 16];
        const char *commit = length % 2 == 0 ? COMMIT : "-";
        (void)begin(NULL);
        (void)snprintf(place, sizeof place, "%s", root);
        size_t used = strlen(root);
        memset(place + used, '/', length - used - strlen("cache"));
        (void)snprintf(place + length - strlen("cache"), sizeof "cache", "cache");
        assert_int_equal(setenv("KVBUDGET_CACHE", place, 1), 0);
        enum kvb_status status = kvb_store_begin(&store, &name, &problems);
        if (status == KVB_OK) {
            (void)snprintf(config, sizeof config, "%s/config.json", store.folder);
            bool fits = kvb_file_create(config, "{}", 2, NULL) == KVB_OK;
            status = kvb_store_keep(&store, &name, commit, &problems);
            kvb_store_drop(&store);
            kept += fits && status == KVB_OK;
        }
        refused += status != KVB_OK;
        assert_true(status == KVB_OK || problems.count > 0);
    }
    assert_true(kept > 10 && refused > 10);
}

// Headers are counted when they arrive; what cannot be read or kept is read each time.
static void test_prepare(void **state)
{
    (void)state;
    struct shard shard;
    char folder[128];
    (void)snprintf(folder, sizeof folder, "%s/cache/model", root);
    assert_int_equal(kvb_folder_make(folder, &problems), KVB_OK);
    assert_false(kvb_hub_prepare(folder)); // no config
    write_text(folder, "config.json", CONFIG);
    assert_false(kvb_hub_prepare(folder)); // no weights
    shard_begin(&shard, folder, "model.safetensors");
    shard_tensor(&shard, "BF16", 2, 64, 64, "model.layers.0.mlp.up_proj.weight");
    shard_end(&shard);
    for (unsigned long n = 1; n < 3; n++) { // room for the model, and for what is counted
        (void)kvb_memory_fail_once(n);
        assert_false(kvb_hub_prepare(folder));
        (void)kvb_memory_fail_once(0);
    }
    assert_true(kvb_hub_prepare(folder));
    char counted[160];
    (void)snprintf(counted, sizeof counted, "%s/kvbudget-counted.json", folder);
    assert_int_equal(unlink(counted), 0);
    write_text(folder, "model.safetensors", "no header");
    assert_false(kvb_hub_prepare(folder));
}

KVB_TEST_MAIN_WITH(make_bare_root, remove_root, cmocka_unit_test_setup(test_kept_twice, begin),
                   cmocka_unit_test_setup(test_pruned_meanwhile, begin),
                   cmocka_unit_test_setup(test_a_file_in_the_way, begin),
                   cmocka_unit_test_setup(test_broken_off, begin), cmocka_unit_test_setup(test_without_commits, begin),
                   cmocka_unit_test_setup(test_commits, begin), cmocka_unit_test_setup(test_long_way, begin),
                   cmocka_unit_test_setup(test_prepare, begin))
