// Where models lie that were downloaded or fetched: HF_HUB_CACHE, HF_HOME/hub or ~/.cache/huggingface/hub, then
// ModelScope's folder where the engine would use it, then our own.
// Source: huggingface_hub/constants.py and its guide "Understand caching"; modelscope/hub/utils/utils.py.
#include "model/hub_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "text/file.h"
#include "text/path.h"

#define REVISION_MAX_BYTES 128
#define ID_CAPACITY (2 * KVB_NAME_PART + 16)

struct place_row {
    const char *variable, *below;
};
// In the order in which huggingface_hub looks; the first variable that is set decides.
static const struct place_row huggingface[] = {{"HF_HUB_CACHE", ""},
                                               {"HUGGINGFACE_HUB_CACHE", ""},
                                               {"HF_HOME", "/hub"},
                                               {"XDG_CACHE_HOME", "/huggingface/hub"},
                                               {"HOME", "/.cache/huggingface/hub"}};
static const struct place_row modelscope[] = {{"MODELSCOPE_CACHE", ""}, {"HOME", "/.cache/modelscope/hub"}};
static const struct place_row own[] = {
    {"KVBUDGET_CACHE", "/hub"}, {"XDG_CACHE_HOME", "/kvbudget/hub"}, {"HOME", "/.cache/kvbudget/hub"}};
#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static bool find_place(const struct place_row *rows, size_t count, char out[KVB_PATH_CAPACITY])
{
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(rows[i].variable);
        if (value != NULL && value[0] != '\0') {
            size_t length = (size_t)snprintf(out, KVB_PATH_CAPACITY, "%s%s", value, rows[i].below);
            return length < KVB_PATH_CAPACITY;
        }
    }
    return false;
}

bool kvb_hub_is_yes(const char *variable)
{
    static const char *const words[] = {"1", "on", "yes", "true"};
    const char *value = getenv(variable);
    for (size_t i = 0; value != NULL && i < COUNT(words); i++) {
        if (kvb_equal_ignoring_case(value, words[i])) {
            return true;
        }
    }
    return false;
}

bool kvb_hub_own_root(char out[KVB_PATH_CAPACITY])
{
    return find_place(own, COUNT(own), out);
}

static void folder_of_name(const struct kvb_name *name, char out[ID_CAPACITY])
{
    (void)snprintf(out, ID_CAPACITY, "models--%s--%s", name->owner, name->name);
}

bool kvb_hub_own_repository(const struct kvb_name *name, char out[KVB_PATH_CAPACITY])
{
    char root[KVB_PATH_CAPACITY], folder[ID_CAPACITY];
    folder_of_name(name, folder);
    return kvb_hub_own_root(root) && kvb_path_join(out, root, folder);
}

static bool is_word(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+%";
    return text[0] != '\0' && text[0] != '.' && text[strspn(text, allowed)] == '\0';
}

bool kvb_hub_own_key(const struct kvb_name *name, const char *revision, char *out, size_t capacity)
{
    size_t used = 0;
    for (; *revision != '\0' && used + 4 < capacity; revision++) {
        if (*revision == '/') {
            memcpy(out + used, "%2F", 3);
            used += 3;
        } else {
            out[used++] = *revision;
        }
    }
    out[used] = '\0';
    size_t length =
        (size_t)snprintf(out + used, capacity - used, "%s%s", name->format[0] != '\0' ? "+" : "", name->format);
    return *revision == '\0' && length < capacity - used && is_word(out);
}

struct paths {
    char cache[KVB_PATH_CAPACITY], repository[KVB_PATH_CAPACITY], at[KVB_PATH_CAPACITY];
    char folder[ID_CAPACITY], key[REVISION_MAX_BYTES + 1], revision[REVISION_MAX_BYTES + 1];
};

// The commit that refs/KEY holds; a commit is its own name.
static bool read_revision(struct paths *at)
{
    struct kvb_file file;
    if (!kvb_path_join_below(at->at, at->repository, "refs", at->key)) {
        return false;
    }
    if (!kvb_path_exists(at->at)) {
        return strcmp(at->key, "main") != 0 && kvb_copy(at->revision, sizeof at->revision, at->key);
    }
    if (kvb_file_read(&file, at->at, REVISION_MAX_BYTES, NULL) != KVB_OK) {
        return false;
    }
    size_t length = strcspn(file.text, " \r\n\t");
    memcpy(at->revision, file.text, length);
    at->revision[length] = '\0';
    kvb_file_free(&file);
    return is_word(at->revision);
}

static bool holds(const char *folder, const char *file)
{
    char path[KVB_PATH_CAPACITY];
    return kvb_path_join(path, folder, file) && kvb_path_exists(path);
}

// The first part of the GGUF file in a snapshot.
static bool find_gguf(const char *folder, char out[KVB_PATH_CAPACITY])
{
    struct kvb_folder names;
    bool found = false;
    if (kvb_folder_read(&names, folder, NULL) != KVB_OK) {
        return false;
    }
    for (size_t i = 0; i < names.count && !found; i++) { // sorted, so that parts begin with the first
        size_t length = strlen(names.entries[i].name);
        found = length > 5 && kvb_equal_ignoring_case(names.entries[i].name + length - 5, ".gguf") &&
                kvb_path_join(out, folder, names.entries[i].name);
    }
    kvb_folder_free(&names);
    return found;
}

// In a cache laid out as huggingface_hub's. `wanted`: the file that makes a snapshot whole.
static bool find_snapshot(struct paths *at, const struct kvb_name *name, bool ours, const char *wanted,
                          char path[KVB_PATH_CAPACITY])
{
    const char *revision = name->revision[0] != '\0' ? name->revision : "main";
    bool keyed =
        ours ? kvb_hub_own_key(name, revision, at->key, sizeof at->key)
             : name->format[0] == '\0' && kvb_copy(at->key, sizeof at->key, revision) && strstr(revision, "..") == NULL;
    folder_of_name(name, at->folder);
    if (!keyed || !kvb_path_join(at->repository, at->cache, at->folder) || !read_revision(at) ||
        !kvb_path_join_below(at->at, at->repository, "snapshots", at->revision)) {
        return false;
    }
    if (holds(at->at, wanted)) {
        return kvb_copy(path, KVB_PATH_CAPACITY, at->at);
    }
    return ours && strcmp(wanted, "config.json") == 0 && find_gguf(at->at, path);
}

// modelscope keeps one copy of a model in [models/]ORG/NAME; dots in names are written "___".
static bool find_modelscope(struct paths *at, const struct kvb_name *name, const char *wanted,
                            char path[KVB_PATH_CAPACITY])
{
    static const char *const below[] = {"models", "hub/models", "", "hub"};
    size_t used = 0;
    if (name->format[0] != '\0') {
        return false;
    }
    used = (size_t)snprintf(at->folder, sizeof at->folder, "%s/", name->owner);
    for (const char *c = name->name; *c != '\0' && used + 4 < sizeof at->folder; c++) {
        char one[4] = {*c, '\0'};
        (void)kvb_copy(at->folder + used, sizeof at->folder - used, *c == '.' ? "___" : one);
        used += strlen(at->folder + used);
    }
    for (size_t i = 0; i < COUNT(below); i++) {
        if (kvb_path_join_below(at->at, at->cache, below[i], at->folder) && holds(at->at, wanted)) {
            return kvb_copy(path, KVB_PATH_CAPACITY, at->at);
        }
    }
    return false;
}

static bool find(const struct kvb_name *name, const char *wanted, char path[KVB_PATH_CAPACITY])
{
    struct paths *at = kvb_room(sizeof *at, NULL);
    bool found = at != NULL && kvb_name_is_repository(name);
    if (found) {
        found =
            (find_place(huggingface, COUNT(huggingface), at->cache) && find_snapshot(at, name, false, wanted, path)) ||
            (kvb_hub_is_yes("VLLM_USE_MODELSCOPE") && find_place(modelscope, COUNT(modelscope), at->cache) &&
             find_modelscope(at, name, wanted, path)) ||
            (kvb_hub_own_root(at->cache) && find_snapshot(at, name, true, wanted, path));
    }
    kvb_free(at);
    return found;
}

bool kvb_hub_find_name(const struct kvb_name *name, char path[KVB_PATH_CAPACITY])
{
    return find(name, "config.json", path);
}

bool kvb_hub_find(const char *text, char path[KVB_PATH_CAPACITY])
{
    struct kvb_name name;
    return kvb_name_parse(text, &name) && kvb_hub_find_name(&name, path);
}

bool kvb_hub_find_adapter(const char *text, char path[KVB_PATH_CAPACITY])
{
    struct kvb_name name;
    return kvb_name_parse(text, &name) && find(&name, "adapter_config.json", path);
}
