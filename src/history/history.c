// Paths of the working tree as names in a commit, and a commit's files and folders.
#define _XOPEN_SOURCE 700 // for realpath()

#include "history/history.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "history/git_process.h"

#define FOLDER_MAX_BYTES ((size_t)64 << 20)

void kvb_history_init(struct kvb_history *history)
{
    memset(history, 0, sizeof *history);
    history->socket = -1;
}

void kvb_history_close(struct kvb_history *history)
{
    int ignored;
    if (history->socket >= 0) {
        (void)close(history->socket); // git ends with its input
        (void)waitpid(history->process, &ignored, 0);
    }
    kvb_free(history->buffer);
    kvb_history_init(history);
}

// ---- places

// The folder above that git's own folder, or file, stands in; cuts `path`. False: there is none.
static bool find_top(char *path)
{
    char name[PATH_MAX + 8];
    for (;;) {
        (void)snprintf(name, sizeof name, "%s/.git", path);
        if (kvb_path_exists(name)) {
            return true;
        }
        char *slash = strrchr(path, '/');
        if (slash == path) { // the path is absolute
            return false;
        }
        *slash = '\0';
    }
}

static enum kvb_status locate(struct kvb_history *history, const char *folder, char top[PATH_MAX],
                              struct kvb_problems *problems)
{
    char path[PATH_MAX];
    struct kvb_place place = {.file = folder};
    if (realpath(folder, path) == NULL || !kvb_copy(history->given, sizeof history->given, folder)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, place, "this folder cannot be found");
    }
    (void)kvb_copy(top, PATH_MAX, path);
    if (!find_top(top)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, place,
                               "it is in no git repository, and --against compares with a commit of one");
    }
    size_t length = strlen(top);
    (void)kvb_copy(history->inside, sizeof history->inside, path[length] == '/' ? path + length + 1 : "");
    return KVB_OK;
}

static enum kvb_status find_commit(struct kvb_history *history, const char *ref, struct kvb_problems *problems)
{
    char name[KVB_PATH_CAPACITY];
    struct kvb_git_object object = {.missing = true};
    int length = snprintf(name, sizeof name, "%s^{commit}", ref);
    enum kvb_status status = KVB_OK;
    if ((size_t)length < sizeof name && ref[0] != '\0') {
        status = kvb_git_ask(history, name, &object, problems);
    }
    if (status == KVB_OK && object.missing) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){0},
                               "git knows no commit '%.80s' here; a shallow clone has only its own, so fetch the other "
                               "one first",
                               ref);
    }
    (void)kvb_copy(history->commit, sizeof history->commit, object.name);
    return status == KVB_OK ? kvb_git_take(history, &object, NULL, problems) : status;
}

enum kvb_status kvb_history_open(struct kvb_history *history, const char *folder, const char *ref,
                                 struct kvb_problems *problems)
{
    char top[PATH_MAX];
    enum kvb_status status = locate(history, folder, top, problems);
    if (status != KVB_OK || (history->socket >= 0 && strcmp(history->top, top) == 0)) {
        return status;
    }
    if (history->socket >= 0) {
        char given[KVB_PATH_CAPACITY], inside[KVB_PATH_CAPACITY];
        (void)kvb_copy(given, sizeof given, history->given);
        (void)kvb_copy(inside, sizeof inside, history->inside);
        kvb_history_close(history);
        (void)kvb_copy(history->given, sizeof history->given, given);
        (void)kvb_copy(history->inside, sizeof history->inside, inside);
    }
    (void)kvb_copy(history->top, sizeof history->top, top);
    status = kvb_git_start(history, problems);
    return status == KVB_OK ? find_commit(history, ref, problems) : status;
}

// Adds the parts of `path` to a path below the top, without '.' and '..'; false: it leaves the top or is too long.
static bool add_parts(char *out, size_t capacity, const char *path)
{
    size_t length = strlen(out);
    while (*path != '\0') {
        size_t part = strcspn(path, "/");
        if (part == 2 && strncmp(path, "..", 2) == 0) {
            char *slash = strrchr(out, '/');
            if (length == 0) {
                return false;
            }
            length = slash != NULL ? (size_t)(slash - out) : 0;
            out[length] = '\0';
        } else if (part > 0 && !(part == 1 && *path == '.')) {
            if (length + part + 2 > capacity) {
                return false;
            }
            if (length > 0) {
                out[length++] = '/';
            }
            memcpy(out + length, path, part);
            length += part;
            out[length] = '\0';
        }
        path += part + (path[part] == '/');
    }
    return true;
}

// "COMMIT:path/below/top" of a path as its user writes it.
static bool name_in_commit(const struct kvb_history *history, const char *path, char *out, size_t capacity)
{
    char below[KVB_PATH_CAPACITY];
    size_t given = strlen(history->given);
    bool here = strcmp(history->given, ".") == 0 && path[0] != '/';
    bool slash = given > 0 && history->given[given - 1] == '/';
    bool under = strncmp(path, history->given, given) == 0 && (slash || path[given] == '/' || path[given] == '\0');
    (void)kvb_copy(below, sizeof below, history->inside);
    if (!(here || under) || !add_parts(below, sizeof below, here ? path : path + given)) {
        return false; // elsewhere
    }
    int length = snprintf(out, capacity, "%s:%s", history->commit, below);
    return (size_t)length < capacity;
}

// ---- objects

static enum kvb_status no_memory(const char *path, struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = path},
                           "not enough memory to read it");
}

// A tree is rows of "MODE NAME", a NUL, and the bytes of a name of an object.
static bool add_entries(struct kvb_folder *folder, const char *tree, size_t length, size_t name_bytes)
{
    size_t capacity = 0;
    for (size_t at = 0; at < length;) {
        const char *entry = tree + at, *name = memchr(entry, ' ', length - at);
        size_t size = strlen(entry) + 1; // the whole tree ends in a NUL of ours
        if (name == NULL || name >= entry + size || at + size + name_bytes > length) {
            return true; // no tree as git writes it: the rest is not looked at
        }
        bool is_folder = kvb_starts_with(entry, "40000 ");
        bool is_file = kvb_starts_with(entry, "100");
        if (!kvb_folder_add(folder, &capacity, name + 1, is_folder, !is_folder && !is_file)) {
            return false;
        }
        at += size + name_bytes;
    }
    return true;
}

// Whether the folder of that name, without its end, lists `entry`; a submodule has its objects elsewhere.
static enum kvb_status lists(struct kvb_history *history, const char *above, const char *entry, bool *listed,
                             struct kvb_problems *problems)
{
    struct kvb_git_object object;
    struct kvb_folder folder = {0};
    *listed = false;
    enum kvb_status status = kvb_git_ask(history, above, &object, problems);
    if (status != KVB_OK || object.missing) {
        return status;
    }
    bool small = strcmp(object.type, "tree") == 0 && object.size_bytes <= FOLDER_MAX_BYTES;
    size_t size = small ? (size_t)object.size_bytes : 0;
    char *tree = small ? kvb_reallocate(NULL, size + 1) : NULL;
    status = kvb_git_take(history, &object, tree, problems);
    if (status == KVB_OK && small && (tree == NULL || !add_entries(&folder, tree, size, strlen(history->commit) / 2))) {
        status = no_memory(above, problems);
    }
    for (size_t i = 0; i < folder.count && !*listed; i++) {
        *listed = !folder.entries[i].is_link && strcmp(folder.entries[i].name, entry) == 0;
    }
    kvb_folder_free(&folder);
    kvb_free(tree);
    return status;
}

// What a name in a commit has no object for is not in the commit, unless the folder above lists it: then this clone
// does not have all objects.
static enum kvb_status judge_missing(struct kvb_history *history, const char *name, const char *path,
                                     struct kvb_problems *problems)
{
    char above[KVB_PATH_CAPACITY + KVB_COMMIT_CAPACITY];
    const char *slash = strrchr(name, '/'), *colon = strchr(name, ':');
    const char *last = slash != NULL ? slash : colon;
    bool listed = false;
    (void)kvb_copy(above, sizeof above, name);
    above[(size_t)(last - name) + (slash == NULL)] = '\0'; // "COMMIT:folder", or "COMMIT:"
    enum kvb_status status = last[1] != '\0' ? lists(history, above, last + 1, &listed, problems) : KVB_OK;
    if (status == KVB_OK && listed) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_READ, (struct kvb_place){.file = path},
                               "commit %.12s has it, and this clone does not have its content: fetch it first",
                               history->commit);
    }
    return status != KVB_OK ? status : KVB_UNKNOWN_NAME;
}

// The content of an object of this type, with its size.
static enum kvb_status load(struct kvb_history *history, const char *path, const char *type, size_t max_bytes,
                            char **content, size_t *length, struct kvb_problems *problems)
{
    char name[KVB_PATH_CAPACITY + KVB_COMMIT_CAPACITY];
    struct kvb_git_object object;
    *content = NULL;
    if (!name_in_commit(history, path, name, sizeof name)) {
        return KVB_UNKNOWN_NAME;
    }
    enum kvb_status status = kvb_git_ask(history, name, &object, problems);
    if (status != KVB_OK || object.missing) {
        return status != KVB_OK ? status : judge_missing(history, name, path, problems);
    }
    bool right = strcmp(object.type, type) == 0, small = object.size_bytes <= max_bytes;
    *length = (size_t)object.size_bytes;
    *content = right && small ? kvb_reallocate(NULL, *length + 1) : NULL;
    status = kvb_git_take(history, &object, *content, problems);
    if (status != KVB_OK || !right) {
        kvb_free(*content);
        return status != KVB_OK ? status : KVB_UNKNOWN_NAME;
    }
    if (!small) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){.file = path},
                               "larger than %zu bytes, the most that is read of such a file", max_bytes);
    }
    return *content != NULL ? KVB_OK : no_memory(path, problems);
}

enum kvb_status kvb_history_read(void *history, struct kvb_file *file, const char *path, size_t max_bytes,
                                 struct kvb_problems *problems)
{
    *file = (struct kvb_file){0};
    char *content;
    size_t length;
    enum kvb_status status = load(history, path, "blob", max_bytes, &content, &length, problems);
    if (status == KVB_OK) {
        *file = (struct kvb_file){content, length};
    }
    return status;
}

enum kvb_status kvb_history_list(void *context, struct kvb_folder *folder, const char *path,
                                 struct kvb_problems *problems)
{
    struct kvb_history *history = context;
    char *content;
    size_t length;
    *folder = (struct kvb_folder){0};
    enum kvb_status status = load(history, path, "tree", FOLDER_MAX_BYTES, &content, &length, problems);
    if (status != KVB_OK) {
        return status;
    }
    bool whole = add_entries(folder, content, length, strlen(history->commit) / 2);
    kvb_free(content);
    if (!whole) {
        kvb_folder_free(folder);
        return no_memory(path, problems);
    }
    kvb_folder_sort(folder);
    return KVB_OK;
}
