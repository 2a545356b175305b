// The safetensors files of a folder: those its index names, else model.safetensors, else all there are.
// Source: vllm/model_executor/model_loader/weight_utils.py, filter_duplicate_safetensors_files.
#include <string.h>

#include "base/text.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/heads.h"
#include "text/path.h"

#define INDEX_NAME "model.safetensors.index.json"
#define INDEX_MAX_BYTES UINT64_C(100000000)

struct folder {
    const char *path;
    bool listed; // its files were found by looking, so what cannot be opened is an error
    struct kvb_shards shards;
    struct kvb_problems *problems;
};

// What `git clone` without LFS leaves behind begins with these words.
static bool is_pointer(const struct kvb_open_file *file, struct kvb_problems *problems)
{
    char start[8];
    return file->size_bytes < 1024 && file->size_bytes > sizeof start &&
           kvb_file_read_at(file, 0, start, sizeof start, problems) == KVB_OK &&
           memcmp(start, "version ", sizeof start) == 0;
}

static bool is_there(const struct folder *folder, const char *name)
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_open_file file;
    if (!kvb_path_join(path, folder->path, name) || kvb_path_is_missing(path)) {
        return folder->listed;
    }
    if (kvb_open_weights(&file, path, NULL) != KVB_OK) {
        return true; // and reading it says why not
    }
    bool pointer = is_pointer(&file, NULL);
    kvb_close_file(&file);
    return !pointer;
}

static enum kvb_status read_file(const struct folder *folder, const char *name, struct kvb_collector *collector)
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_open_file file;
    if (!kvb_path_join(path, folder->path, name)) {
        return kvb_problem_add(folder->problems, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){.file = folder->path},
                               "its path is too long");
    }
    enum kvb_status status = kvb_open_weights(&file, path, folder->problems);
    if (status != KVB_OK) {
        return status;
    }
    collector->path = path;
    collector->file++;
    status = kvb_safetensors_read(&file, kvb_collect, collector, folder->problems);
    collector->path = NULL;
    kvb_close_file(&file);
    return status;
}

static enum kvb_status read_headers(const struct folder *folder, uint32_t bits, struct kvb_checkpoint *out)
{
    struct kvb_collector collector;
    enum kvb_status status = kvb_collect_begin(&collector, out, KVB_CHECKPOINT_SAFETENSORS, bits, folder->problems);
    for (uint32_t i = 0; status == KVB_OK && i < folder->shards.count; i++) {
        status = read_file(folder, folder->shards.names[i], &collector);
    }
    kvb_collect_end(&collector);
    out->file_count = folder->shards.count;
    return status;
}

static enum kvb_status read_index(struct folder *folder)
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_open_file file;
    if (!kvb_path_join(path, folder->path, INDEX_NAME) || kvb_path_is_missing(path)) {
        return KVB_OK;
    }
    enum kvb_status status = kvb_file_open(&file, path, folder->problems);
    if (status != KVB_OK) {
        return status;
    }
    if (file.size_bytes > INDEX_MAX_BYTES) {
        status = kvb_problem_add(folder->problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){.file = path},
                                 "larger than %llu bytes, the most that is read of a weight index",
                                 (unsigned long long)INDEX_MAX_BYTES);
    } else {
        status = kvb_index_read(&file, &folder->shards, folder->problems);
    }
    kvb_close_file(&file);
    return status;
}

static bool is_weights(const char *name)
{
    size_t length = strlen(name);
    return length > 12 && strcmp(name + length - 12, ".safetensors") == 0 && name[0] != '.' &&
           !kvb_starts_with(name, "adapter_") && !kvb_starts_with(name, "consolidated");
}

// Without an index: the one usual file, else all of them.
static enum kvb_status find_files(struct folder *folder)
{
    struct kvb_folder names;
    if (is_there(folder, "model.safetensors")) {
        return kvb_shards_add(&folder->shards, "model.safetensors", folder->path, folder->problems);
    }
    folder->listed = true;
    enum kvb_status status = kvb_folder_read(&names, folder->path, folder->problems);
    if (status != KVB_OK) {
        return status;
    }
    for (size_t i = 0; status == KVB_OK && i < names.count; i++) {
        if (is_weights(names.entries[i].name)) {
            status = kvb_shards_add(&folder->shards, names.entries[i].name, folder->path, folder->problems);
        }
    }
    kvb_folder_free(&names);
    return status;
}

// With some files missing the index's total is the best that is known.
static enum kvb_status settle(struct folder *folder, bool indexed, uint32_t bits, struct kvb_checkpoint *out)
{
    uint32_t present = 0;
    const char *missing = NULL;
    for (uint32_t i = 0; i < folder->shards.count; i++) {
        bool there = is_there(folder, folder->shards.names[i]);
        present += there ? 1 : 0;
        missing = there ? missing : folder->shards.names[i];
    }
    if (missing == NULL) {
        return folder->shards.count > 0 ? read_headers(folder, bits, out) : KVB_OK;
    }
    if (present > 0) {
        (void)kvb_problem_add(folder->problems, KVB_WARNING, KVB_OK, (struct kvb_place){.file = folder->path},
                              "%u of %u weight files are not downloaded (%.120s is one); their headers are not used",
                              folder->shards.count - present, folder->shards.count, missing);
    }
    if (indexed && folder->shards.total_bytes > 0) {
        out->kind = KVB_CHECKPOINT_INDEX;
        out->file_count = folder->shards.count;
        out->total_bytes = folder->shards.total_bytes;
    }
    return KVB_OK;
}

enum kvb_status kvb_checkpoint_load(const char *path, uint32_t bits, struct kvb_checkpoint *out,
                                    struct kvb_problems *problems)
{
    struct folder folder = {.path = path[0] != '\0' ? path : ".", .problems = problems};
    memset(out, 0, sizeof *out);
    if (kvb_heads_recall(folder.path, bits, out)) {
        return KVB_OK;
    }
    enum kvb_status status = read_index(&folder);
    bool indexed = folder.shards.count > 0;
    if (status == KVB_OK && !indexed) {
        status = find_files(&folder);
    }
    if (status == KVB_OK) {
        status = settle(&folder, indexed, bits, out);
    }
    kvb_shards_free(&folder.shards);
    return status;
}
