// Calls of the system that fail, each alone at every place where it is made: what was asked for is then whole, or it is
// said what was wrong; what a signal broke off is done again.
#include <kvbudget/hub.h>
#include <kvbudget/input.h>

#include "checkpoint_files.h"
#include "history/history.h"
#include "hub/helper.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/gguf.h"
#include "model/hub_cache.h"
#include "text/descriptor.h"
#include "text/file.h"
#include "text/files.h"
#include "text/folder.h"
#include "unit/system_calls.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

// ---- what is asked for

// general.architecture is llama, and blk.0.ffn_up.weight is 64 x 64 elements of F32 at 0 (docs/gguf.md of ggml).
static const char gguf[] = "GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0"
                           "\x14\0\0\0\0\0\0\0general.architecture\x08\0\0\0\x05\0\0\0\0\0\0\0llama"
                           "\x13\0\0\0\0\0\0\0"
                           "blk.0.ffn_up.weight\x02\0\0\0\x40\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0"
                           "\0\0\0\0\0\0\0\0\0\0\0\0";

// Two files with an index, and a GGUF file of one matrix of 64 x 64 in 32 bits.
static void make_weights(void)
{
    struct shard shard;
    char where[128];
    (void)snprintf(where, sizeof where, "%s/weights", root);
    shell("mkdir weights");
    for (unsigned i = 1; i <= 2; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "model-0000%u-of-00002.safetensors", i);
        shard_begin(&shard, where, name);
        shard_tensor(&shard, "BF16", 2, 64, 64, "model.layers.%u.mlp.up_proj.weight", i - 1);
        shard_end(&shard);
    }
    write_text(where, "model.safetensors.index.json",
               "{\"metadata\": {\"total_size\": 16384}, \"weight_map\": {\"model.layers.0.mlp.up_proj.weight\": "
               "\"model-00001-of-00002.safetensors\", \"model.layers.1.mlp.up_proj.weight\": "
               "\"model-00002-of-00002.safetensors\"}}");
    FILE *out = fopen(below("m.gguf"), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(gguf, 1, sizeof gguf - 1, out), sizeof gguf - 1);
    assert_int_equal(fflush(out), 0);
    assert_int_equal(ftruncate(fileno(out), (off_t)((sizeof gguf - 1 + 31) / 32 * 32 + 64 * 64 * 4)), 0);
    assert_int_equal(fclose(out), 0);
}

static int set_up(void **state)
{
    (void)state;
    char search[5000];
    if (mkdtemp(root) == NULL) {
        return -1;
    }
    put("text", "hello", 0600);
    shell("mkdir -p repo/.git list/b bin && echo x > list/a && ln -s a list/c");
    put("kvbudget-hub",
        "#!/bin/sh\nexec 2>/dev/null\nprintf '{}' > \"$6/config.json\"\necho \"ok " COMMIT " 1 0 2 1\"\n", 0700);
    put("bin/git",
        "#!/bin/sh\nwhile IFS= read -r name; do\n  case $name in\n  *commit}) printf '%s commit 3\\nabc\\n' " COMMIT
        ";;\n"
        "  *) printf '%s blob 5\\nhello\\n' " COMMIT ";;\n  esac\ndone\n",
        0700);
    make_weights();
    (void)snprintf(search, sizeof search, "%s/bin:%s", root, getenv("PATH"));
    static const char *const unset[] = {"KVBUDGET_OFFLINE", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HF_HOME", "HF_ENDPOINT"};
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) {
        (void)unsetenv(unset[i]);
    }
    return setenv("PATH", search, 1) == 0 && setenv("KVBUDGET_LIBEXEC", root, 1) == 0 &&
                   setenv("KVBUDGET_CACHE", below("cache"), 1) == 0
               ? 0
               : -1;
}

static struct kvb_file file;
static enum kvb_status read_file(void)
{
    return kvb_file_read(&file, below("text"), 100, &problems);
}

static bool has_file(void)
{
    bool whole = strcmp(file.text, "hello") == 0;
    kvb_file_free(&file);
    return whole;
}

static char streamed[16];
static size_t streamed_length;
static void take_part(void *context, const char *part, size_t length)
{
    (void)context;
    assert_true(streamed_length + length < sizeof streamed);
    memcpy(streamed + streamed_length, part, length);
    streamed_length += length;
}

static enum kvb_status read_stream(void)
{
    streamed_length = 0;
    return kvb_stream_read(below("text"), take_part, NULL, &problems);
}

static bool has_stream(void)
{
    return streamed_length == 5 && memcmp(streamed, "hello", 5) == 0;
}

static char three[3];
static enum kvb_status read_part(void)
{
    struct kvb_open_file open;
    enum kvb_status status = kvb_file_open(&open, below("text"), &problems);
    if (status == KVB_OK) {
        status = kvb_file_read_at(&open, 2, three, sizeof three, &problems);
        kvb_close_file(&open);
    }
    return status;
}

static bool has_part(void)
{
    return memcmp(three, "llo", 3) == 0;
}

static struct kvb_folder folder;
static enum kvb_status read_folder(void)
{
    return kvb_folder_read(&folder, below("list"), &problems);
}

static bool has_folder(void)
{
    bool whole = folder.count == 3 && strcmp(folder.entries[0].name, "a") == 0 && !folder.entries[0].is_folder &&
                 folder.entries[1].is_folder && folder.entries[2].is_link;
    kvb_folder_free(&folder);
    return whole;
}

static bool is_folder;
static enum kvb_status look(void)
{
    return kvb_path_look(below("list"), &is_folder, &problems);
}

static bool has_looked(void)
{
    return is_folder;
}

static enum kvb_status replace(void)
{
    put("old", "old", 0640);
    return kvb_file_replace(below("old"), "newer", 5, &problems);
}

static bool has_new(void)
{
    return holds("old", "newer");
}

static enum kvb_status create(void)
{
    (void)unlink(below("made"));
    return kvb_file_create(below("made"), "made", 4, &problems);
}

static bool has_made(void)
{
    return holds("made", "made");
}

static enum kvb_status make_folders(void)
{
    return kvb_folder_make(below("deep/er"), &problems);
}

static bool has_folders(void)
{
    bool there = kvb_path_is_folder(below("deep/er"));
    shell("rm -rf deep");
    return there;
}

static enum kvb_status remove_folders(void)
{
    return kvb_folder_remove(below("gone"), &problems);
}

static bool has_removed(void)
{
    return !kvb_path_exists(below("gone"));
}

static enum kvb_status pull(void)
{
    return kvb_hub_pull("org/name", &problems);
}

static bool has_pulled(void)
{
    char path[KVB_PATH_CAPACITY];
    return kvb_hub_find("org/name", path);
}

static unsigned entries;
static void take_entry(void *context, const struct kvb_hub_entry *entry)
{
    (void)context;
    entries += strcmp(entry->name, "org/name") == 0 && strcmp(entry->commit, COMMIT) == 0;
}

static enum kvb_status list_hub(void)
{
    entries = 0;
    return kvb_hub_list(take_entry, NULL, &problems);
}

static bool has_listed(void)
{
    return entries == 1;
}

static uint64_t pruned_bytes;
static enum kvb_status prune(void)
{
    return kvb_hub_prune("org/name", &pruned_bytes, &problems);
}

static bool has_pruned(void)
{
    return !kvb_path_exists(below("cache/hub/models--org--name/refs"));
}

static struct kvb_history history;
static enum kvb_status read_commit(void)
{
    kvb_history_init(&history);
    enum kvb_status status = kvb_history_open(&history, below("repo"), "HEAD", &problems);
    if (status == KVB_OK) {
        status = kvb_history_read(&history, &file, below("repo/a.sh"), 100, &problems);
    }
    kvb_history_close(&history);
    return status;
}

static struct kvb_checkpoint checkpoint;
static enum kvb_status count_weights(void)
{
    return kvb_checkpoint_load(below("weights"), 0, &checkpoint, &problems);
}

static bool has_weights(void)
{
    return checkpoint.kind == KVB_CHECKPOINT_SAFETENSORS && checkpoint.tensor_count == 2 &&
           checkpoint.total_bytes == 2 * 64 * 64 * 2;
}

static enum kvb_status count_gguf(void)
{
    return kvb_gguf_load(below("m.gguf"), &checkpoint, NULL, &problems);
}

static bool has_gguf(void)
{
    return checkpoint.kind == KVB_CHECKPOINT_GGUF && checkpoint.tensor_count == 1 &&
           checkpoint.total_bytes == 64 * 64 * 4;
}

static const struct asked rows[] = {
    {"read a file", ":", read_file, has_file},
    {"read a stream", ":", read_stream, has_stream},
    {"read a part", ":", read_part, has_part},
    {"read a folder", ":", read_folder, has_folder},
    {"look at a path", ":", look, has_looked},
    {"replace a file", ":", replace, has_new},
    {"create a file", ":", create, has_made},
    {"make folders", "rm -rf deep", make_folders, has_folders},
    {"remove folders", "mkdir -p gone/below && echo x > gone/below/file && echo y > gone/file", remove_folders,
     has_removed},
    {"pull a model", "rm -rf cache", pull, has_pulled},
    {"list the cache",
     "mkdir -p cache/hub/models--org--name/refs cache/hub/models--org--name/snapshots/" COMMIT " && echo " COMMIT
     " > cache/hub/models--org--name/refs/main"
     " && printf '{}' > cache/hub/models--org--name/snapshots/" COMMIT "/config.json",
     list_hub, has_listed},
    {"prune the cache",
     "mkdir -p cache/hub/models--org--name/refs && echo " COMMIT " > cache/hub/models--org--name/refs/main", prune,
     has_pruned},
    {"read of a commit", ":", read_commit, has_file},
    {"count weights", ":", count_weights, has_weights},
    {"count a GGUF file", ":", count_gguf, has_gguf},
};

static void each_failure_is_said(void **state)
{
    (void)state;
    assert_true(fail_each_call(rows, sizeof rows / sizeof rows[0]) > 100);
}

static void each_signal_is_survived(void **state)
{
    (void)state;
    break_off_each_call(rows, sizeof rows / sizeof rows[0]);
}

// The program that fetches stands where it was installed beside this program, or beside this program itself.
static void beside_this_program(void **state)
{
    (void)state;
    static char far[KVB_PATH_CAPACITY];
    char own[256], path[KVB_PATH_CAPACITY];
    shell("mkdir -p usr/bin usr/libexec");
    (void)snprintf(own, sizeof own, "%s/usr/bin/kvbudget", root);
    own_program = own;
    assert_int_equal(setenv("KVBUDGET_LIBEXEC", "", 1), 0);
    assert_false(kvb_helper_find(path));
    shell("cp kvbudget-hub usr/bin/kvbudget-hub");
    assert_true(kvb_helper_find(path));
    assert_string_equal(path, below("usr/bin/kvbudget-hub"));
    shell("cp kvbudget-hub usr/libexec/kvbudget-hub");
    assert_true(kvb_helper_find(path));
    assert_string_equal(path, below("usr/bin/../libexec/kvbudget-hub"));
    fault.call = "readlink";
    fault.seen = 0;
    fault.n = 1;
    assert_false(kvb_helper_find(path)); // nor where it is installed by default
    fault.call = NULL;
    memset(far, '/', sizeof far - 1);
    own_program = far; // as long as a path can be
    assert_false(kvb_helper_find(path));
    own_program = NULL;
    assert_int_equal(setenv("KVBUDGET_LIBEXEC", root, 1), 0);
}

static void an_error_without_a_name(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_system_problem(&problems, KVB_CANNOT_READ, "f", "read", 99999), KVB_CANNOT_READ);
    assert_string_equal(problems.items[0].text, "cannot read: unknown reason");
}

KVB_TEST_MAIN_WITH(set_up, remove_root, cmocka_unit_test(each_failure_is_said),
                   cmocka_unit_test(each_signal_is_survived), cmocka_unit_test(beside_this_program),
                   cmocka_unit_test(an_error_without_a_name))
