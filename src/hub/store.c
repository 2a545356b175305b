// Fetched files go into a folder of their own and are renamed when they are whole; what a revision points to is one
// file, replaced whole.
#include "hub/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/sha1.h"
#include "base/text.h"
#include "model/hub_cache.h"
#include "text/file.h"
#include "text/folder.h"
#include "text/path.h"

#define HASHED_MAX_BYTES ((size_t)128 << 20)
#define ATTEMPTS_MAX 1000

static enum kvb_status no_place(struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){0},
                           "there is no place for a cache: set XDG_CACHE_HOME, HOME or KVBUDGET_CACHE");
}

static enum kvb_status take_folder(struct kvb_store *store, struct kvb_problems *problems)
{
    char own[64];
    for (unsigned i = 0; i < ATTEMPTS_MAX; i++) {
        (void)snprintf(own, sizeof own, "new-%ld-%u", (long)getpid(), i);
        if (!kvb_path_join(store->folder, store->repository, own)) {
            return no_place(problems);
        }
        if (!kvb_path_exists(store->folder)) {
            return kvb_folder_make(store->folder, problems);
        }
    }
    return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){.file = store->repository},
                           "%d fetches that were broken off lie in it; `kvbudget hub prune` takes them away",
                           ATTEMPTS_MAX);
}

enum kvb_status kvb_store_begin(struct kvb_store *store, const struct kvb_name *name, struct kvb_problems *problems)
{
    const char *revision = name->revision[0] != '\0' ? name->revision : "main";
    if (!kvb_hub_own_key(name, revision, store->key, sizeof store->key)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0},
                               "the revision '%.100s' has signs that no file of the cache is named with; expected "
                               "letters, digits, '-', '_', '.', '+', '%%' and '/', as in a branch, tag or commit",
                               revision);
    }
    if (!kvb_hub_own_repository(name, store->repository) ||
        !kvb_path_join(store->snapshots, store->repository, "snapshots")) {
        return no_place(problems);
    }
    enum kvb_status status = kvb_folder_make(store->snapshots, problems);
    return status == KVB_OK ? take_folder(store, problems) : status;
}

void kvb_store_drop(struct kvb_store *store)
{
    if (store->folder[0] != '\0') {
        (void)kvb_folder_remove(store->folder, NULL);
    }
    store->folder[0] = '\0';
}

// A file's digest and name as a line.
static enum kvb_status add_file(struct kvb_buffer *out, const char *folder, const char *name,
                                struct kvb_problems *problems)
{
    char path[KVB_PATH_CAPACITY], one[KVB_SHA1_HEX];
    struct kvb_file file;
    if (!kvb_path_join(path, folder, name)) {
        return no_place(problems);
    }
    enum kvb_status status = kvb_file_read(&file, path, HASHED_MAX_BYTES, problems);
    if (status == KVB_OK) {
        kvb_buffer_printf(out, "%s %s\n", kvb_sha1(one, file.text, file.length), name);
        kvb_file_free(&file);
    }
    return status;
}

// A hub that names no commits: the files' own digest takes its place.
static enum kvb_status digest(const char *folder, char out[KVB_SHA1_HEX], struct kvb_problems *problems)
{
    struct kvb_folder names;
    struct kvb_buffer all;
    kvb_buffer_init(&all);
    enum kvb_status status = kvb_folder_read(&names, folder, problems);
    for (size_t i = 0; status == KVB_OK && i < names.count; i++) {
        status = add_file(&all, folder, names.entries[i].name, problems);
    }
    (void)kvb_sha1(out, kvb_buffer_text(&all), all.length);
    if (status == KVB_OK && all.failed) {
        status = kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = folder},
                                 "not enough memory to name what came");
    }
    kvb_buffer_free(&all);
    kvb_folder_free(&names);
    return status;
}

enum kvb_status kvb_store_point(const struct kvb_store *store, const struct kvb_name *name, const char *commit,
                                struct kvb_problems *problems)
{
    char refs[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY], key[KVB_STORE_KEY_CAPACITY],
        line[KVB_STORE_KEY_CAPACITY + 2];
    if (!kvb_path_join(refs, store->repository, "refs") || !kvb_path_join(path, refs, store->key)) {
        return no_place(problems);
    }
    (void)kvb_hub_own_key(name, commit, key, sizeof key); // digits and a format, which always fit
    int length = snprintf(line, sizeof line, "%s\n", key);
    enum kvb_status status = kvb_folder_make(refs, problems);
    return status == KVB_OK ? kvb_file_replace(path, line, (size_t)length, problems) : status;
}

enum kvb_status kvb_store_keep(struct kvb_store *store, const struct kvb_name *name, const char *commit,
                               struct kvb_problems *problems)
{
    char made[KVB_SHA1_HEX], key[KVB_STORE_KEY_CAPACITY], path[KVB_PATH_CAPACITY];
    if (strcmp(commit, "-") == 0) {
        enum kvb_status status = digest(store->folder, made, problems);
        if (status != KVB_OK) {
            return status;
        }
        commit = made;
    }
    (void)kvb_hub_own_key(name, commit, key, sizeof key);
    if (!kvb_path_join(path, store->snapshots, key)) {
        return no_place(problems);
    }
    (void)kvb_folder_make(store->snapshots, NULL); // somebody may have pruned it
    if (!kvb_folder_move(store->folder, path)) {
        kvb_store_drop(store); // another process kept the same commit meanwhile
        if (!kvb_path_is_folder(path)) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){.file = path},
                                   "cannot be written");
        }
    }
    store->folder[0] = '\0';
    return kvb_store_point(store, name, commit, problems);
}

uint32_t kvb_store_commits(const struct kvb_store *store, const struct kvb_name *name, char out[][96], uint32_t most)
{
    struct kvb_folder snapshots;
    uint32_t count = 0;
    if (kvb_folder_read(&snapshots, store->snapshots, NULL) != KVB_OK) {
        return 0;
    }
    for (size_t i = 0; i < snapshots.count && count < most; i++) {
        const char *key = snapshots.entries[i].name;
        size_t length = strcspn(key, "+");
        bool same = strcmp(key + length + (key[length] == '+'), name->format) == 0;
        if (same && length < sizeof out[0]) {
            memcpy(out[count], key, length);
            out[count++][length] = '\0';
        }
    }
    kvb_folder_free(&snapshots);
    return count;
}
