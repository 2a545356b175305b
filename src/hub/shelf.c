// What the cache holds: listing it, and taking out of it.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/hub.h>

#include "base/text.h"
#include "model/hub_cache.h"
#include "text/file.h"
#include "text/folder.h"
#include "text/path.h"

#define ABANDONED_SECONDS 3600

// "models--ORG--NAME" as "ORG/NAME".
static bool name_of_folder(const char *folder, char out[KVB_NAME_CAPACITY])
{
    const char *owner = kvb_starts_with(folder, "models--") ? folder + 8 : NULL;
    const char *mark = owner != NULL ? strstr(owner, "--") : NULL;
    int written = mark != NULL ? snprintf(out, KVB_NAME_CAPACITY, "%.*s/%s", (int)(mark - owner), owner, mark + 2) : 0;
    return mark != NULL && (size_t)written < KVB_NAME_CAPACITY;
}

static void fill_revision(struct kvb_hub_entry *entry, const char *key)
{
    size_t used = 0;
    for (; *key != '\0' && used + 1 < sizeof entry->revision; key++) {
        bool slash = kvb_starts_with(key, "%2F");
        entry->revision[used++] = slash ? '/' : *key == '+' ? ':' : *key;
        key += slash ? 2 : 0;
    }
    entry->revision[used] = '\0';
}

// FOLDER/BELOW/NAME; what has no path that fits is not passed over.
static enum kvb_status join(char out[KVB_PATH_CAPACITY], const char *folder, const char *below, const char *name,
                            struct kvb_problems *problems)
{
    return kvb_path_join_below(out, folder, below, name)
               ? KVB_OK
               : kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){.file = folder},
                                 "the path of '%.120s' in it is too long", name);
}

// What could not be looked at is not what is not there; no commit is as long as what is too large.
static enum kvb_status not_read(enum kvb_status status, const char *path, struct kvb_problems *problems)
{
    bool lost = status != KVB_TOO_LARGE && !kvb_path_is_missing(path) && !kvb_path_is_folder(path);
    return lost ? kvb_problem_add(problems, KVB_ERROR, status, (struct kvb_place){.file = path}, "cannot be read")
                : KVB_OK;
}

// One revision of a repository; not found when it points to nothing.
static enum kvb_status read_entry(const char *repository, const char *key, struct kvb_hub_entry *entry, bool *found,
                                  struct kvb_problems *problems)
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_file file;
    *found = false;
    enum kvb_status status = join(path, repository, "refs", key, problems);
    if (status != KVB_OK) {
        return status;
    }
    status = kvb_file_read(&file, path, sizeof entry->commit - 1, NULL);
    if (status != KVB_OK) {
        return not_read(status, path, problems);
    }
    file.text[strcspn(file.text, "\r\n")] = '\0';
    (void)kvb_copy(entry->commit, sizeof entry->commit, file.text);
    kvb_file_free(&file);
    entry->age_seconds = kvb_path_age_seconds(path);
    if (strchr(entry->commit, '/') != NULL) {
        return KVB_OK;
    }
    status = join(path, repository, "snapshots", entry->commit, problems);
    if (status != KVB_OK) {
        return status;
    }
    status = kvb_path_look(path, found, problems);
    entry->bytes = kvb_folder_bytes(path);
    entry->commit[strcspn(entry->commit, "+")] = '\0';
    fill_revision(entry, key);
    kvb_make_printable(entry->commit);
    kvb_make_printable(entry->revision);
    return status;
}

// The entries of a folder; none when it is not there.
static enum kvb_status read_folder(struct kvb_folder *folder, const char *path, struct kvb_problems *problems)
{
    bool is_folder;
    *folder = (struct kvb_folder){0};
    enum kvb_status status = kvb_path_look(path, &is_folder, problems);
    return status == KVB_OK && is_folder ? kvb_folder_read(folder, path, problems) : status;
}

static enum kvb_status list_repository(const char *repository, struct kvb_hub_entry *entry, kvb_hub_taker *take,
                                       void *context, struct kvb_problems *problems)
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_folder refs = {0};
    enum kvb_status status = join(path, repository, "", "refs", problems);
    status = status == KVB_OK ? read_folder(&refs, path, problems) : status;
    for (size_t i = 0; status == KVB_OK && i < refs.count; i++) {
        bool found;
        status = read_entry(repository, refs.entries[i].name, entry, &found, problems);
        if (found) {
            take(context, entry);
        }
    }
    kvb_folder_free(&refs);
    return status;
}

static enum kvb_status read_root(char root[KVB_PATH_CAPACITY], struct kvb_folder *folder, struct kvb_problems *problems)
{
    *folder = (struct kvb_folder){0};
    if (!kvb_hub_own_root(root)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){0},
                               "there is no place for a cache: set XDG_CACHE_HOME, HOME or KVBUDGET_CACHE");
    }
    return read_folder(folder, root, problems);
}

enum kvb_status kvb_hub_list(kvb_hub_taker *take, void *context, struct kvb_problems *problems)
{
    char root[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY];
    struct kvb_folder folder;
    enum kvb_status status = read_root(root, &folder, problems);
    for (size_t i = 0; status == KVB_OK && i < folder.count; i++) {
        struct kvb_hub_entry entry = {0};
        if (name_of_folder(folder.entries[i].name, entry.name)) {
            kvb_make_printable(entry.name);
            status = join(path, root, "", folder.entries[i].name, problems);
            status = status == KVB_OK ? list_repository(path, &entry, take, context, problems) : status;
        }
    }
    kvb_folder_free(&folder);
    return status;
}

// What a fetch left that was ended in the middle; one that is under way is younger.
static uint64_t remove_abandoned(const char *repository)
{
    struct kvb_folder folder;
    char path[KVB_PATH_CAPACITY];
    uint64_t bytes = 0;
    if (kvb_folder_read(&folder, repository, NULL) != KVB_OK) {
        return 0;
    }
    for (size_t i = 0; i < folder.count; i++) {
        if (kvb_starts_with(folder.entries[i].name, "new-") &&
            kvb_path_join(path, repository, folder.entries[i].name) && kvb_path_age_seconds(path) > ABANDONED_SECONDS) {
            bytes += kvb_folder_bytes(path);
            (void)kvb_folder_remove(path, NULL);
        }
    }
    kvb_folder_free(&folder);
    return bytes;
}

// What is whole; a fetch that is under way keeps its folder.
static enum kvb_status remove_kept(const char *repository, uint64_t *bytes, struct kvb_problems *problems)
{
    static const char *const parts[] = {"refs", "snapshots"};
    char path[KVB_PATH_CAPACITY];
    enum kvb_status status = KVB_OK;
    for (size_t i = 0; status == KVB_OK && i < sizeof parts / sizeof parts[0]; i++) {
        status = join(path, repository, "", parts[i], problems);
        if (status == KVB_OK) {
            *bytes += kvb_folder_bytes(path);
            status = kvb_folder_remove(path, problems);
        }
    }
    (void)rmdir(repository);
    return status;
}

enum kvb_status kvb_hub_prune(const char *wanted, uint64_t *bytes, struct kvb_problems *problems)
{
    char root[KVB_PATH_CAPACITY], path[KVB_PATH_CAPACITY], name[KVB_NAME_CAPACITY];
    struct kvb_folder folder;
    bool found = false;
    enum kvb_status status = read_root(root, &folder, problems);
    *bytes = 0;
    for (size_t i = 0; status == KVB_OK && i < folder.count; i++) {
        if (!name_of_folder(folder.entries[i].name, name)) {
            continue;
        }
        status = join(path, root, "", folder.entries[i].name, problems);
        *bytes += status == KVB_OK ? remove_abandoned(path) : 0;
        if (status == KVB_OK && (wanted == NULL || kvb_equal_ignoring_case(wanted, name))) {
            found = true;
            status = remove_kept(path, bytes, problems);
        }
    }
    kvb_folder_free(&folder);
    if (status == KVB_OK && wanted != NULL && !found) {
        status = kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                                 "'%.120s' is not in the cache; `kvbudget hub list` shows what is", wanted);
    }
    return status;
}
