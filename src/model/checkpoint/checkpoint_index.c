// model.safetensors.index.json: the total it states and the files it names, each once.
// Source: huggingface_hub/serialization/_base.py, StateDictSplit.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/checkpoint/checkpoint.h"
#include "text/json_scan.h"

static uint64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    }
    return hash;
}

static bool make_room(struct kvb_shards *shards)
{
    uint32_t capacity = shards->capacity > 0 ? shards->capacity * 2 : 32;
    uint64_t *hashes = kvb_reallocate(shards->hashes, capacity * sizeof *hashes);
    if (hashes == NULL) {
        return false;
    }
    shards->hashes = hashes;
    char(*names)[128] = kvb_reallocate(shards->names, capacity * sizeof *names);
    if (names == NULL) {
        return false;
    }
    shards->names = names;
    shards->capacity = capacity;
    return true;
}

static bool is_shard_name(const char *name)
{
    static const char ending[] = ".safetensors";
    size_t length = strlen(name);
    return length < 128 && length >= sizeof ending && name[0] != '.' && strchr(name, '/') == NULL &&
           strcmp(name + length - (sizeof ending - 1), ending) == 0;
}

enum kvb_status kvb_shards_add(struct kvb_shards *shards, const char *name, const char *path,
                               struct kvb_problems *problems)
{
    struct kvb_place place = {.file = path};
    uint64_t hash = hash_of(name);
    for (uint32_t i = shards->count; i > 0; i--) {
        if (shards->hashes[i - 1] == hash && strcmp(shards->names[i - 1], name) == 0) {
            return KVB_OK;
        }
    }
    if (!is_shard_name(name)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NOT_ALLOWED, place,
                               "names the file '%.150s'; expected a .safetensors file of the same folder", name);
    }
    if (shards->count == KVB_SHARDS_MAX) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, place, "names more than %d files", KVB_SHARDS_MAX);
    }
    if (shards->count == shards->capacity && !make_room(shards)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, place, "not enough memory to read it");
    }
    shards->hashes[shards->count] = hash;
    (void)kvb_copy(shards->names[shards->count++], sizeof shards->names[0], name);
    return KVB_OK;
}

void kvb_shards_free(struct kvb_shards *shards)
{
    kvb_free(shards->hashes);
    kvb_free(shards->names);
    memset(shards, 0, sizeof *shards);
}

// total_size may be written as a fraction or not at all; only a whole one counts.
static bool read_metadata(struct kvb_json_scan *scan, struct kvb_shards *shards)
{
    if (!kvb_json_expect(scan, KVB_JSON_OBJECT, "an object under 'metadata'")) {
        return false;
    }
    enum kvb_json_token token;
    while ((token = kvb_json_next(scan)) == KVB_JSON_KEY) {
        bool total = strcmp(scan->text, "total_size") == 0;
        if (!kvb_json_skip(scan)) {
            return false;
        }
        uint64_t bytes;
        if (total && kvb_json_text_whole(scan, &bytes)) {
            shards->total_bytes = bytes;
        }
    }
    return token == KVB_JSON_OBJECT_END;
}

static bool read_map(struct kvb_json_scan *scan, struct kvb_shards *shards)
{
    if (!kvb_json_expect(scan, KVB_JSON_OBJECT, "an object of tensors and files under 'weight_map'")) {
        return false;
    }
    enum kvb_json_token token;
    while ((token = kvb_json_next(scan)) == KVB_JSON_KEY) {
        if (!kvb_json_expect(scan, KVB_JSON_TEXT, "a file name in 'weight_map'")) {
            return false;
        }
        scan->status = kvb_shards_add(shards, scan->text, scan->file->path, scan->problems);
        if (scan->status != KVB_OK) {
            return false;
        }
    }
    return token == KVB_JSON_OBJECT_END;
}

static bool read_top(struct kvb_json_scan *scan, struct kvb_shards *shards)
{
    if (!kvb_json_expect(scan, KVB_JSON_OBJECT, "an object with 'weight_map'")) {
        return false;
    }
    enum kvb_json_token token;
    while ((token = kvb_json_next(scan)) == KVB_JSON_KEY) {
        bool read = strcmp(scan->text, "metadata") == 0     ? read_metadata(scan, shards)
                    : strcmp(scan->text, "weight_map") == 0 ? read_map(scan, shards)
                                                            : kvb_json_skip(scan);
        if (!read) {
            return false;
        }
    }
    return token == KVB_JSON_OBJECT_END && kvb_json_expect(scan, KVB_JSON_END, "nothing behind the index");
}

enum kvb_status kvb_index_read(const struct kvb_open_file *file, struct kvb_shards *shards,
                               struct kvb_problems *problems)
{
    struct kvb_json_scan scan;
    memset(shards, 0, sizeof *shards);
    enum kvb_status status = kvb_json_open(&scan, file, 0, file->size_bytes, problems);
    if (status == KVB_OK && !read_top(&scan, shards)) {
        status = scan.status;
    }
    kvb_json_close(&scan);
    if (status == KVB_OK && shards->count == 0) {
        status = kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, (struct kvb_place){.file = file->path},
                                 "expected 'weight_map' with the file of each tensor");
    }
    if (status != KVB_OK) {
        kvb_shards_free(shards);
    }
    return status;
}
