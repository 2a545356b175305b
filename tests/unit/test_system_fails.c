// Calls of the system that fail, each alone at every place where it is made: what was asked for is then whole, or it is
// said what was wrong; what a signal broke off is done again.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kvbudget/hub.h>
#include <kvbudget/input.h>

#include "checkpoint_files.h"
#include "history/history.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/gguf.h"
#include "model/hub_cache.h"
#include "text/descriptor.h"
#include "text/file.h"
#include "text/files.h"
#include "text/folder.h"
#include "unit/test.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

// ---- the calls

static struct {
    const char *call; // NULL: none fails
    unsigned n;       // which of its calls
    int error;
    unsigned seen;
} fault;

static bool fails(const char *call)
{
    if (fault.call == NULL || strcmp(fault.call, call) != 0 || ++fault.seen != fault.n) {
        return false;
    }
    errno = fault.error;
    return true;
}

#define WRAP(result, failed, name, parameters, arguments)                                                              \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        return fails(#name) ? (failed) : __real_##name arguments;                                                      \
    }

WRAP(ssize_t, -1, read, (int descriptor, void *out, size_t size), (descriptor, out, size))
WRAP(ssize_t, -1, pread, (int descriptor, void *out, size_t size, off_t at), (descriptor, out, size, at))
WRAP(ssize_t, -1, write, (int descriptor, const void *text, size_t size), (descriptor, text, size))
WRAP(ssize_t, -1, send, (int socket, const void *text, size_t size, int flags), (socket, text, size, flags))
WRAP(int, -1, stat, (const char *path, struct stat *out), (path, out))
WRAP(int, -1, lstat, (const char *path, struct stat *out), (path, out))
WRAP(int, -1, fstat, (int descriptor, struct stat *out), (descriptor, out))
WRAP(int, -1, fstatat, (int folder, const char *path, struct stat *out, int flags), (folder, path, out, flags))
WRAP(int, -1, fsync, (int descriptor), (descriptor))
WRAP(int, -1, fchmod, (int descriptor, mode_t mode), (descriptor, mode))
WRAP(int, -1, rename, (const char *from, const char *to), (from, to))
WRAP(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, -1, rmdir, (const char *path), (path))
WRAP(int, -1, unlink, (const char *path), (path))
WRAP(DIR *, NULL, opendir, (const char *path), (path))
WRAP(struct dirent *, NULL, readdir, (DIR * stream), (stream))
WRAP(int, -1, pipe, (int ends[2]), (ends))
WRAP(int, -1, socketpair, (int family, int type, int protocol, int ends[2]), (family, type, protocol, ends))
WRAP(pid_t, -1, waitpid, (pid_t process, int *status, int flags), (process, status, flags))
WRAP(int, fault.error, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions))
WRAP(int, fault.error, posix_spawnattr_init, (posix_spawnattr_t * attributes), (attributes))
WRAP(int, fault.error, posix_spawn,
     (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const words[], char *const environment[]),
     (process, path, actions, attributes, words, environment))
WRAP(int, fault.error, posix_spawnp,
     (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const words[], char *const environment[]),
     (process, path, actions, attributes, words, environment))

// What fails to close is closed all the same.
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    bool failed = fails("close");
    int closed = __real_close(descriptor);
    errno = failed ? fault.error : errno;
    return failed ? -1 : closed;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("open") ? -1 : __real_open(path, flags, mode);
}

static const char *const calls[] = {"read",
                                    "pread",
                                    "write",
                                    "send",
                                    "close",
                                    "stat",
                                    "lstat",
                                    "fstat",
                                    "fstatat",
                                    "fsync",
                                    "fchmod",
                                    "rename",
                                    "mkdir",
                                    "rmdir",
                                    "unlink",
                                    "opendir",
                                    "readdir",
                                    "pipe",
                                    "socketpair",
                                    "waitpid",
                                    "open",
                                    "posix_spawn",
                                    "posix_spawnp",
                                    "posix_spawn_file_actions_init",
                                    "posix_spawnattr_init"};

// ---- what is asked for

static char root[64] = "/tmp/kvb-system-XXXXXX";
static struct kvb_problems problems;

static const char *below(const char *name)
{
    static char paths[2][256];
    static unsigned turn;
    char *path = paths[turn++ % 2];
    (void)snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static void put(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(below(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(below(name), mode), 0);
}

static void shell(const char *line)
{
    char command[512];
    (void)snprintf(command, sizeof command, "cd '%s' && %s", root, line);
    assert_int_equal(system(command), 0);
}

static bool holds(const char *name, const char *text)
{
    char have[256] = "";
    FILE *file = fopen(below(name), "r");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(have, 1, sizeof have - 1, file);
    (void)fclose(file);
    return length == strlen(text) && strcmp(have, text) == 0;
}

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

static int take_down(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
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

static const struct asked {
    const char *name, *before; // lines of a shell that stand things up
    enum kvb_status (*ask)(void);
    bool (*is_whole)(void);
} rows[] = {
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

// One call of its kind fails; false: there are not so many.
static bool try_fault(const struct asked *row, const char *call, unsigned n, int error)
{
    shell(row->before);
    kvb_problems_init(&problems);
    fault.call = call;
    fault.n = n;
    fault.error = error;
    fault.seen = 0;
    enum kvb_status status = row->ask();
    fault.call = NULL;
    bool reached = fault.seen >= n;
    bool whole = status == KVB_OK && row->is_whole();
    bool said = problems.count > 0 && problems.items[problems.count - 1].severity != KVB_NOTICE;
    if (!whole && (error == EINTR || !said)) {
        fail_msg("%s: %s number %u fails with %s: %s", row->name, call, n, strerror(error), kvb_status_name(status));
    }
    return reached;
}

static void each_failure_is_said(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
            for (unsigned n = 1; try_fault(&rows[i], calls[k], n, EIO); n++) {
                tried++;
            }
        }
    }
    print_message("%u failures\n", tried);
    assert_true(tried > 100);
}

static void each_signal_is_survived(void **state)
{
    (void)state;
    static const char *const broken_off[] = {"read", "pread", "write", "send", "waitpid"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < sizeof broken_off / sizeof broken_off[0]; k++) {
            for (unsigned n = 1; try_fault(&rows[i], broken_off[k], n, EINTR); n++) {
            }
        }
    }
}

static void an_error_without_a_name(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_system_problem(&problems, KVB_CANNOT_READ, "f", "read", 99999), KVB_CANNOT_READ);
    assert_string_equal(problems.items[0].text, "cannot read: unknown reason");
}

KVB_TEST_MAIN_WITH(set_up, take_down, cmocka_unit_test(each_failure_is_said), cmocka_unit_test(each_signal_is_survived),
                   cmocka_unit_test(an_error_without_a_name))
