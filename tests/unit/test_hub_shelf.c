// The cache of fetched models when it is odd: names nobody wrote, references to nothing, paths at the end of what fits,
// memory that runs out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/hub.h>

#include "base/memory.h"
#include "model/hub_cache.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/own_folder.h"
#include "unit/test.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static struct kvb_problems problems;
static unsigned entries;
static struct kvb_hub_entry last;

static int make_root(void **state)
{
    (void)state;
    char path[128];
    static const char *const unset[] = {"KVBUDGET_OFFLINE", "HF_HUB_OFFLINE", "HF_HUB_CACHE",       "HF_HOME",
                                        "XDG_CACHE_HOME",   "HF_ENDPOINT",    "VLLM_USE_MODELSCOPE"};
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) {
        (void)unsetenv(unset[i]);
    }
    if (mkdtemp(root) == NULL) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/kvbudget-hub", root);
    FILE *program = fopen(path, "w");
    bool made = program != NULL &&
                fputs("#!/bin/sh\nexec 2>/dev/null\nprintf '{}' > \"$6/config.json\"\necho \"ok " COMMIT " 1 0 2 1\"\n",
                      program) >= 0 &&
                fclose(program) == 0 && chmod(path, 0700) == 0;
    return made && setenv("HOME", root, 1) == 0 && setenv("KVBUDGET_LIBEXEC", root, 1) == 0 ? 0 : -1;
}

static int begin(void **state)
{
    (void)state;
    char command[128], path[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s/cache'", root);
    (void)snprintf(path, sizeof path, "%s/cache", root);
    kvb_problems_init(&problems);
    entries = 0;
    return setenv("KVBUDGET_CACHE", path, 1) == 0 ? system(command) : -1;
}

static void take(void *context, const struct kvb_hub_entry *entry)
{
    (void)context;
    entries++;
    last = *entry;
}

// A file of the cache with the folders it stands in.
static void put(const char *name, const char *text)
{
    char cache[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY + 256];
    assert_true(kvb_hub_own_root(cache));
    (void)snprintf(path, sizeof path, "%s/%s", cache, name);
    *strrchr(path, '/') = '\0';
    assert_int_equal(kvb_folder_make(path, &problems), KVB_OK);
    path[strlen(path)] = '/';
    assert_int_equal(kvb_file_replace(path, text, strlen(text), &problems), KVB_OK);
}

static void test_odd_entries(void **state)
{
    (void)state;
    static char long_commit[200], long_name[240];
    uint64_t bytes;
    memset(long_commit, 'a', sizeof long_commit - 1);
    put("notes.txt", "x");
    put("models--alone/refs/main", COMMIT);                       // no owner
    put("models--a--none/other", "x");                            // no references
    put("models--a--b/refs/folder/main", COMMIT);                 // none of ours is a folder
    put("models--a--dangling/refs/main", COMMIT "\n");            // to no snapshot
    put("models--a--long/refs/main", long_commit);                // no commit
    put("models--a--out/refs/main", "../../x\n");                 // nor is this
    put("models--a--b/refs/feature%2Fone+Q4_K_M", COMMIT "\r\n"); // a branch with a slash, and a format
    put("models--a--b/snapshots/" COMMIT "/config.json", "12345");
    memset(long_name, 'n', sizeof long_name - 1);
    memcpy(long_name, "models--", 8);
    memcpy(long_name + sizeof long_name - 40, "--end/refs/main", 16);
    put(long_name, COMMIT); // longer than any name
    char cache[KVB_PATH_CAPACITY], command[KVB_PATH_CAPACITY + 128];
    assert_true(kvb_hub_own_root(cache));
    (void)snprintf(command, sizeof command, "ln -s nowhere '%s/models--a--b/refs/gone'", cache);
    assert_int_equal(system(command), 0);
    assert_int_equal(kvb_hub_list(take, NULL, &problems), KVB_OK);
    assert_int_equal(entries, 1);
    assert_string_equal(last.name, "a/b");
    assert_string_equal(last.revision, "feature/one:Q4_K_M");
    assert_string_equal(last.commit, COMMIT);
    assert_int_equal(last.bytes, 5);
    put("models--a--b/new-1-0/config.json", "123"); // under way
    assert_int_equal(kvb_hub_prune("a/nobody", &bytes, &problems), KVB_UNKNOWN_NAME);
    assert_string_equal(problems.items[0].text, "'a/nobody' is not in the cache; `kvbudget hub list` shows what is");
    (void)snprintf(command, sizeof command, "touch -d '2 hours ago' '%s/models--a--b/new-1-0'", cache);
    assert_int_equal(system(command), 0);
    assert_int_equal(kvb_hub_prune("a/dangling", &bytes, &problems), KVB_OK);
    assert_int_equal(bytes, strlen(COMMIT) + 1 + 3); // its reference, and what was abandoned beside it
}

static void test_no_place(void **state)
{
    (void)state;
    uint64_t bytes;
    (void)unsetenv("HOME");
    assert_int_equal(setenv("KVBUDGET_CACHE", "", 1), 0);
    assert_int_equal(kvb_hub_list(take, NULL, &problems), KVB_CANNOT_OPEN);
    assert_int_equal(kvb_hub_prune(NULL, &bytes, &problems), KVB_CANNOT_OPEN);
    assert_int_not_equal(kvb_hub_pull("org/name", &problems), KVB_OK);
    for (uint32_t i = 0; i < problems.count; i++) {
        assert_non_null(strstr(problems.items[i].text, "there is no place for a cache: set XDG_CACHE_HOME, HOME or "));
    }
    assert_int_equal(setenv("HOME", root, 1), 0);
}

// Wherever the name of a path stops to fit, it is said, and what was fetched is found or not there at all.
static void test_long_places(void **state)
{
    (void)state;
    static char place[KVB_PATH_CAPACITY];
    unsigned kept = 0, refused = 0;
    for (size_t length = KVB_PATH_CAPACITY - 200; length < KVB_PATH_CAPACITY; length += 3) {
        uint64_t bytes;
        (void)begin(NULL);
        (void)snprintf(place, sizeof place, "%s/cache", root);
        for (size_t i = strlen(place); i < length; i++) {
            place[i] = i % 100 == 0 && i + 1 < length ? '/' : 'c';
            place[i + 1] = '\0';
        }
        assert_int_equal(setenv("KVBUDGET_CACHE", place, 1), 0);
        enum kvb_status status = kvb_hub_pull("org/name", &problems);
        kept += status == KVB_OK;
        refused += status != KVB_OK;
        assert_true(status == KVB_OK || (problems.count > 0 && problems.items[problems.count - 1].text[0] != '\0'));
        enum kvb_status listed = kvb_hub_list(take, NULL, &problems);
        assert_true(listed == KVB_OK || listed == KVB_CANNOT_OPEN);
        assert_int_equal(entries, status == KVB_OK);
        enum kvb_status pruned = kvb_hub_prune(NULL, &bytes, &problems);
        assert_true(pruned == listed || pruned == KVB_CANNOT_WRITE);
    }
    assert_true(kept > 5 && refused > 5);
}

// What is there and whose path does not fit is not passed over: it is listed and taken away, or it is said.
static void test_long_way(void **state)
{
    (void)state;
    static char place[KVB_PATH_CAPACITY];
    unsigned listed = 0, pruned = 0, refused = 0;
    for (size_t length = KVB_PATH_CAPACITY - 120; length < KVB_PATH_CAPACITY; length++) {
        uint64_t bytes;
        (void)begin(NULL);
        put("models--a--b/refs/main", COMMIT);
        put("models--a--b/snapshots/" COMMIT "/config.json", "12345");
        put("models--a--b/new-1-0/config.json", "123");
        (void)snprintf(place, sizeof place, "%s/cache", root);
        size_t used = strlen(root);
        memset(place + used, '/', length - used - strlen("cache"));
        (void)snprintf(place + length - strlen("cache"), sizeof "cache", "cache");
        assert_int_equal(setenv("KVBUDGET_CACHE", place, 1), 0);
        enum kvb_status status = kvb_hub_list(take, NULL, &problems);
        assert_int_equal(entries, status == KVB_OK);
        assert_true(status == KVB_OK || status == KVB_CANNOT_OPEN);
        listed += status == KVB_OK;
        status = kvb_hub_prune(NULL, &bytes, &problems);
        assert_true(status == KVB_OK || status == KVB_CANNOT_OPEN || status == KVB_CANNOT_WRITE);
        pruned += status == KVB_OK;
        refused += status != KVB_OK;
        assert_true(status == KVB_OK || problems.count > 0);
        (void)snprintf(place, sizeof place, "%s/cache/hub/models--a--b/refs", root);
        assert_true(status != KVB_OK || !kvb_path_exists(place));
    }
    assert_true(listed > 10 && pruned > 10 && refused > 10);
}

static void test_memory(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (unsigned long n = 1; n < 40; n++) {
        (void)begin(NULL);
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = kvb_hub_pull("org/name", &problems);
        bool reached = kvb_memory_fail_once(0) == 0;
        failed += reached;
        assert_int_equal(kvb_hub_list(take, NULL, &problems), KVB_OK);
        assert_int_equal(entries, status == KVB_OK); // whole, or not there
        assert_true(status == KVB_OK || problems.count > 0);
    }
    assert_true(failed > 0);
    (void)begin(NULL);
    put("models--a--b/refs/main", COMMIT);
    put("models--a--b/snapshots/" COMMIT "/config.json", "12345");
    bool reached = true;
    for (unsigned long n = 1; reached; n++) {
        entries = 0;
        kvb_problems_init(&problems);
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = kvb_hub_list(take, NULL, &problems);
        reached = kvb_memory_fail_once(0) == 0;
        bool told = status == KVB_OK && entries == 1; // how large it is may be lacking; who asked hears of memory
        assert_true(told || (status == KVB_NO_MEMORY && problems.count > 0));
    }
}

KVB_TEST_MAIN_WITH(make_root, remove_root, cmocka_unit_test_setup(test_odd_entries, begin),
                   cmocka_unit_test_setup(test_no_place, begin), cmocka_unit_test_setup(test_long_places, begin),
                   cmocka_unit_test_setup(test_long_way, begin), cmocka_unit_test_setup(test_memory, begin))
