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

#define COMMIT_CAPACITY 96
#define KEY_CAPACITY 160
#define HASHED_MAX_BYTES ((size_t)128 << 20)
#define ATTEMPTS_MAX 1000

static enum kvb_status too_long(struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){0},
                           "there is no place for a cache: set XDG_CACHE_HOME, HOME or KVBUDGET_CACHE");
}

enum kvb_status kvb_store_begin(struct kvb_store *store, const struct kvb_name *name, struct kvb_problems *problems)
{
    char snapshots[KVB_PATH_CAPACITY], own[64];
    store->folder[0] = '\0';
    if (!kvb_hub_own_repository(name, store->repository) || !kvb_path_join(snapshots, store->repository, "snapshots")) {
        return too_long(problems);
    }
    enum kvb_status status = kvb_folder_make(snapshots, problems);
    for (unsigned i = 0; status == KVB_OK && i < ATTEMPTS_MAX; i++) {
        (void)snprintf(own, sizeof own, "new-%ld-%u", (long)getpid(), i);
        if (!kvb_path_join(store->folder, store->repository, own)) {
            return too_long(problems);
        }
        if (!kvb_path_exists(store->folder)) {
            return kvb_folder_make(store->folder, problems);
        }
    }
    return status == KVB_OK ? too_long(problems) : status;
}

void kvb_store_drop(struct kvb_store *store)
{
    if (store->folder[0] != '\0') {
        (void)kvb_folder_remove(store->folder, NULL);
    }
    store->folder[0] = '\0';
}

// A hub that names no commits: the files' own digest takes its place.
static bool digest(const char *folder, char out[COMMIT_CAPACITY])
{
    struct kvb_folder names;
    struct kvb_buffer all;
    char path[KVB_PATH_CAPACITY], one[KVB_SHA1_HEX], whole[KVB_SHA1_HEX];
    bool read = kvb_folder_read(&names, folder, NULL) == KVB_OK;
    kvb_buffer_init(&all);
    for (size_t i = 0; read && i < names.count; i++) {
        struct kvb_file file;
        read = kvb_path_join(path, folder, names.entries[i].name) &&
               kvb_file_read(&file, path, HASHED_MAX_BYTES, NULL) == KVB_OK;
        if (read) {
            kvb_buffer_printf(&all, "%s %s\n", kvb_sha1(one, file.text, file.length), names.entries[i].name);
            kvb_file_free(&file);
        }
    }
    read = read && all.length > 0 && !all.failed;
    if (read) {
        (void)kvb_copy(out, COMMIT_CAPACITY, kvb_sha1(whole, all.data, all.length));
    }
    kvb_buffer_free(&all);
    kvb_folder_free(&names);
    return read;
}

enum kvb_status kvb_store_point(const struct kvb_name *name, const char *commit, struct kvb_problems *problems)
{
    char repository[KVB_PATH_CAPACITY], refs[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY], key[KEY_CAPACITY];
    char line[KEY_CAPACITY + 2];
    const char *revision = name->revision[0] != '\0' ? name->revision : "main";
    if (!kvb_hub_own_repository(name, repository) || !kvb_path_join(refs, repository, "refs") ||
        !kvb_hub_own_key(name, revision, key, sizeof key) || !kvb_path_join(path, refs, key) ||
        !kvb_hub_own_key(name, commit, key, sizeof key)) {
        return too_long(problems);
    }
    int length = snprintf(line, sizeof line, "%s\n", key);
    enum kvb_status status = kvb_folder_make(refs, problems);
    return status == KVB_OK ? kvb_file_replace(path, line, (size_t)length, problems) : status;
}

enum kvb_status kvb_store_keep(struct kvb_store *store, const struct kvb_name *name, const char *commit,
                               struct kvb_problems *problems)
{
    char made[COMMIT_CAPACITY], key[KEY_CAPACITY], path[KVB_PATH_CAPACITY];
    if (strcmp(commit, "-") == 0) {
        if (!digest(store->folder, made)) {
            return too_long(problems);
        }
        commit = made;
    }
    if (!kvb_hub_own_key(name, commit, key, sizeof key) ||
        !kvb_path_join_below(path, store->repository, "snapshots", key)) {
        return too_long(problems);
    }
    char snapshots[KVB_PATH_CAPACITY]; // somebody may have pruned it
    if (kvb_path_join(snapshots, store->repository, "snapshots")) {
        (void)kvb_folder_make(snapshots, NULL);
    }
    if (!kvb_folder_move(store->folder, path)) {
        kvb_store_drop(store); // another process kept the same commit meanwhile
        if (!kvb_path_is_folder(path)) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_WRITE, (struct kvb_place){.file = path},
                                   "cannot be written");
        }
    }
    store->folder[0] = '\0';
    return kvb_store_point(name, commit, problems);
}

uint32_t kvb_store_commits(const struct kvb_name *name, char out[][96], uint32_t most)
{
    char repository[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY];
    struct kvb_folder snapshots;
    uint32_t count = 0;
    if (!kvb_hub_own_repository(name, repository) || !kvb_path_join(path, repository, "snapshots") ||
        !kvb_path_exists(path) || kvb_folder_read(&snapshots, path, NULL) != KVB_OK) {
        return 0;
    }
    for (size_t i = 0; i < snapshots.count && count < most; i++) {
        const char *key = snapshots.entries[i].name;
        size_t length = strcspn(key, "+");
        bool same = strcmp(key + length + (key[length] == '+'), name->format) == 0;
        if (same && length < COMMIT_CAPACITY) {
            memcpy(out[count], key, length);
            out[count++][length] = '\0';
        }
    }
    kvb_folder_free(&snapshots);
    return count;
}
