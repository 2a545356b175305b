// HF_HUB_CACHE, HF_HOME/hub or ~/.cache/huggingface/hub, then models--org--name/snapshots/<refs/main>.
// Source: huggingface_hub/constants.py and its guide "Understand caching".
#include "model/hub_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "text/file.h"

#define REVISION_MAX_BYTES 128
#define ID_CAPACITY 256

struct place_row {
    const char *variable, *below;
};
// In the order in which huggingface_hub looks; the first variable that is set decides.
static const struct place_row places[] = {
    {"HF_HUB_CACHE", ""},
    {"HUGGINGFACE_HUB_CACHE", ""},
    {"HF_HOME", "/hub"},
    {"XDG_CACHE_HOME", "/huggingface/hub"},
    {"HOME", "/.cache/huggingface/hub"},
};

static bool cache_folder(char out[KVB_PATH_CAPACITY])
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *value = getenv(places[i].variable);
        if (value != NULL && value[0] != '\0') {
            int written = snprintf(out, KVB_PATH_CAPACITY, "%s%s", value, places[i].below);
            return written > 0 && written < KVB_PATH_CAPACITY;
        }
    }
    return false;
}

static bool is_word(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    return text[0] != '\0' && text[0] != '.' && text[strspn(text, allowed)] == '\0';
}

// "org/name" as models--org--name; false when it is no such id.
static bool folder_of_id(const char *id, char out[ID_CAPACITY])
{
    char parts[ID_CAPACITY];
    const char *slash = strchr(id, '/');
    if (strlen(id) + 16 > sizeof parts) {
        return false;
    }
    (void)kvb_copy(parts, sizeof parts, id);
    char *name = slash != NULL ? parts + (slash - id) + 1 : NULL;
    if (name == NULL || strchr(name, '/') != NULL) {
        return false;
    }
    name[-1] = '\0';
    if (!is_word(parts) || !is_word(name)) {
        return false;
    }
    int written = snprintf(out, ID_CAPACITY, "models--%s--%s", parts, name);
    return written > 0 && written < ID_CAPACITY;
}

static bool read_revision(const char *repository, char out[REVISION_MAX_BYTES + 1])
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_file file;
    int written = snprintf(path, sizeof path, "%s/refs/main", repository);
    if (written < 0 || written >= (int)sizeof path || !kvb_path_exists(path) ||
        kvb_file_read(&file, path, REVISION_MAX_BYTES, NULL) != KVB_OK) {
        return false;
    }
    size_t length = strcspn(file.text, " \r\n\t");
    memcpy(out, file.text, length);
    out[length] = '\0';
    kvb_file_free(&file);
    return is_word(out);
}

struct paths {
    char cache[KVB_PATH_CAPACITY], repository[KVB_PATH_CAPACITY], config[KVB_PATH_CAPACITY];
    char folder[ID_CAPACITY], revision[REVISION_MAX_BYTES + 1];
};

static bool find(struct paths *at, const char *id)
{
    if (!folder_of_id(id, at->folder) || !cache_folder(at->cache)) {
        return false;
    }
    int written = snprintf(at->repository, sizeof at->repository, "%s/%s", at->cache, at->folder);
    if (written < 0 || written >= (int)sizeof at->repository || !read_revision(at->repository, at->revision)) {
        return false;
    }
    written = snprintf(at->config, sizeof at->config, "%s/snapshots/%s/config.json", at->repository, at->revision);
    if (written < 0 || written >= (int)sizeof at->config || !kvb_path_exists(at->config)) {
        return false;
    }
    at->config[(size_t)written - strlen("/config.json")] = '\0';
    return true;
}

bool kvb_hub_find(const char *id, char path[KVB_PATH_CAPACITY])
{
    struct paths *paths = kvb_room(sizeof *paths, NULL);
    bool found = paths != NULL && find(paths, id) && kvb_copy(path, KVB_PATH_CAPACITY, paths->config);
    kvb_free(paths);
    return found;
}
