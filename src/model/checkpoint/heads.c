// The list of sizes of files that were fetched in part, and the counted checkpoint beside them.
#include "model/checkpoint/heads.h"

#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>
#include <kvbudget/version.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "text/json_scan.h"
#include "text/path.h"

#define LIST_MAX_BYTES ((size_t)4 << 20)
#define COUNTED_NAME "kvbudget-counted.json"
#define COUNTED_FORMAT 1 // raised when roles, splits or their meaning change

// "SIZE NAME" among the lines; false when it is not there.
static bool find_size(char *text, const char *name, uint64_t *size_bytes)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool more = text[length] == '\n';
        text[length] = '\0';
        char *blank = strchr(text, ' ');
        if (blank != NULL && strcmp(blank + 1, name) == 0) {
            *blank = '\0';
            return kvb_parse_whole(text, size_bytes);
        }
        text += length + more;
    }
    return false;
}

enum kvb_status kvb_open_weights(struct kvb_open_file *file, const char *path, struct kvb_problems *problems)
{
    char folder[KVB_PATH_CAPACITY], list[KVB_PATH_CAPACITY];
    struct kvb_file text;
    enum kvb_status status = kvb_file_open(file, path, problems);
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    if (status != KVB_OK) {
        return status;
    }
    (void)kvb_copy(folder, sizeof folder, path); // no longer path could be opened
    folder[length] = '\0';
    uint64_t size_bytes;
    if (!kvb_path_join(list, slash == path ? "/" : folder, KVB_HEADS_NAME) || !kvb_path_exists(list) ||
        kvb_file_read(&text, list, LIST_MAX_BYTES, NULL) != KVB_OK) {
        return status;
    }
    if (find_size(text.text, slash != NULL ? slash + 1 : path, &size_bytes) && size_bytes > file->size_bytes) {
        file->size_bytes = size_bytes;
    }
    kvb_file_free(&text);
    return status;
}

// ---- what was counted; numbers in a fixed order, because only this version reads them

// Every number of the struct that is written once, by its address; in the order of the file.
#define SINGLES_MAX (4 + 2 * KVB_CHECKPOINT_ROLES + KVB_ELEMENT_COUNT)
static uint32_t singles_of(struct kvb_checkpoint *checkpoint, uint64_t *out[SINGLES_MAX])
{
    uint32_t count = 0;
    out[count++] = &checkpoint->tensor_count;
    out[count++] = &checkpoint->total_bytes;
    out[count++] = &checkpoint->parameters;
    for (uint32_t i = 0; i < KVB_CHECKPOINT_ROLES; i++) {
        out[count++] = &checkpoint->role_bytes[i];
        out[count++] = &checkpoint->scale_bytes[i];
    }
    for (uint32_t i = 0; i < KVB_ELEMENT_COUNT; i++) {
        out[count++] = &checkpoint->element_bytes[i];
    }
    return count;
}

static void write_class(struct kvb_buffer *out, const struct kvb_tensor_class *one)
{
    const uint64_t numbers[] = {one->role, one->split,   one->element, one->quantised,    one->in_layer,
                                one->rows, one->columns, one->count,   one->stored_bytes, one->bytes_per_1024};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        kvb_buffer_printf(out, ",%llu", (unsigned long long)numbers[i]);
    }
    for (uint32_t i = 0; i < KVB_CHECKPOINT_LAYER_WORDS; i++) { // halves: a JSON number here stays below 2^62
        kvb_buffer_printf(out, ",%llu,%llu", (unsigned long long)(one->layers[i] >> 32),
                          (unsigned long long)(one->layers[i] & UINT32_MAX));
    }
    kvb_buffer_add(out, "\n");
}

enum kvb_status kvb_heads_keep(const char *folder, uint32_t bits, const struct kvb_checkpoint *checkpoint,
                               struct kvb_problems *problems)
{
    char path[KVB_PATH_CAPACITY];
    struct kvb_buffer out;
    struct kvb_checkpoint *copy = kvb_reallocate(NULL, sizeof *copy);
    uint64_t *singles[SINGLES_MAX];
    if (copy == NULL) {
        return KVB_NO_MEMORY;
    }
    if (!kvb_path_join(path, folder, COUNTED_NAME)) {
        kvb_free(copy);
        return KVB_CANNOT_WRITE;
    }
    *copy = *checkpoint;
    kvb_buffer_init(&out);
    kvb_buffer_printf(&out, "[\"%s\",%d,%u,%u,%u,%u,%u\n", KVB_VERSION, COUNTED_FORMAT, bits,
                      (unsigned)checkpoint->kind, checkpoint->file_count, checkpoint->classes_whole ? 1U : 0U,
                      checkpoint->class_count);
    uint32_t count = singles_of(copy, singles);
    for (uint32_t i = 0; i < count; i++) {
        kvb_buffer_printf(&out, ",%llu", (unsigned long long)*singles[i]);
    }
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        write_class(&out, &checkpoint->classes[i]);
    }
    kvb_buffer_add(&out, "]\n");
    enum kvb_status status = out.failed ? KVB_NO_MEMORY : kvb_file_replace(path, out.data, out.length, problems);
    kvb_buffer_free(&out);
    kvb_free(copy);
    return status;
}

struct recalling {
    struct kvb_json_scan scan;
    bool fine;
};

static uint64_t next(struct recalling *recalling, uint64_t most)
{
    uint64_t number = 0;
    recalling->fine = recalling->fine && kvb_json_whole(&recalling->scan, "a number", &number) && number <= most;
    return recalling->fine ? number : 0;
}

static void read_class(struct recalling *recalling, struct kvb_tensor_class *one)
{
    one->role = (uint8_t)next(recalling, KVB_CHECKPOINT_ROLES - 1);
    one->split = (uint8_t)next(recalling, UINT8_MAX);
    one->element = (uint8_t)next(recalling, KVB_ELEMENT_COUNT - 1);
    one->quantised = next(recalling, 1) == 1;
    one->in_layer = next(recalling, 1) == 1;
    one->rows = next(recalling, UINT64_MAX);
    one->columns = next(recalling, UINT64_MAX);
    one->count = next(recalling, UINT64_MAX);
    one->stored_bytes = next(recalling, UINT64_MAX);
    one->bytes_per_1024 = (uint32_t)next(recalling, UINT32_MAX);
    for (uint32_t i = 0; i < KVB_CHECKPOINT_LAYER_WORDS; i++) {
        uint64_t high = next(recalling, UINT32_MAX);
        one->layers[i] = high << 32 | next(recalling, UINT32_MAX);
    }
}

static bool read_counted(struct recalling *recalling, uint32_t bits, struct kvb_checkpoint *out)
{
    struct kvb_json_scan *scan = &recalling->scan;
    uint64_t *singles[SINGLES_MAX];
    recalling->fine = kvb_json_expect(scan, KVB_JSON_ARRAY, "a list") &&
                      kvb_json_expect(scan, KVB_JSON_TEXT, "a version") && strcmp(scan->text, KVB_VERSION) == 0;
    bool ours = next(recalling, UINT32_MAX) == COUNTED_FORMAT && next(recalling, UINT32_MAX) == bits;
    recalling->fine = recalling->fine && ours;
    out->kind = (enum kvb_checkpoint_kind)next(recalling, KVB_CHECKPOINT_KIND_COUNT - 1);
    out->file_count = (uint32_t)next(recalling, UINT32_MAX);
    out->classes_whole = next(recalling, 1) == 1;
    out->class_count = (uint32_t)next(recalling, KVB_CHECKPOINT_CLASSES_MAX);
    uint32_t count = singles_of(out, singles);
    for (uint32_t i = 0; i < count; i++) {
        *singles[i] = next(recalling, UINT64_MAX);
    }
    for (uint32_t i = 0; i < out->class_count; i++) {
        read_class(recalling, &out->classes[i]);
    }
    return recalling->fine && kvb_json_expect(scan, KVB_JSON_ARRAY_END, "the end");
}

bool kvb_heads_recall(const char *folder, uint32_t bits, struct kvb_checkpoint *out)
{
    char path[KVB_PATH_CAPACITY];
    struct recalling recalling;
    struct kvb_open_file file;
    if (!kvb_path_join(path, folder, COUNTED_NAME) || !kvb_path_exists(path) ||
        kvb_file_open(&file, path, NULL) != KVB_OK) {
        return false;
    }
    memset(out, 0, sizeof *out);
    bool fine = kvb_json_open(&recalling.scan, &file, 0, file.size_bytes, NULL) == KVB_OK &&
                read_counted(&recalling, bits, out);
    kvb_json_close(&recalling.scan);
    kvb_close_file(&file);
    if (!fine) {
        memset(out, 0, sizeof *out);
    }
    return fine;
}
