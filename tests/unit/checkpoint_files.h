// Checkpoints of headers only, in a temporary folder: the values are holes in sparse files.
#ifndef KVB_TESTS_CHECKPOINT_FILES_H
#define KVB_TESTS_CHECKPOINT_FILES_H

#include <dirent.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct shard {
    FILE *file;
    uint64_t data_bytes, total_bytes;
    uint32_t count;
};

static inline void shard_begin(struct shard *shard, const char *folder, const char *name)
{
    char path[800];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    memset(shard, 0, sizeof *shard);
    shard->file = fopen(path, "wb");
    if (shard->file == NULL) {
        abort();
    }
    (void)fwrite("\0\0\0\0\0\0\0\0{", 1, 9, shard->file);
}

// A tensor of `rows` x `columns` (0: a vector) numbers of `bytes` each.
static inline void shard_tensor(struct shard *shard, const char *element, unsigned bytes, uint64_t rows,
                                uint64_t columns, const char *name, ...) __attribute__((format(printf, 6, 7)));

static inline void shard_tensor(struct shard *shard, const char *element, unsigned bytes, uint64_t rows,
                                uint64_t columns, const char *name, ...)
{
    va_list arguments;
    uint64_t size = rows * (columns > 0 ? columns : 1) * bytes;
    (void)fprintf(shard->file, "%s\"", shard->count++ > 0 ? "," : "");
    va_start(arguments, name);
    (void)vfprintf(shard->file, name, arguments);
    va_end(arguments);
    (void)fprintf(shard->file, "\":{\"dtype\":\"%s\",\"shape\":[%llu", element, (unsigned long long)rows);
    if (columns > 0) {
        (void)fprintf(shard->file, ",%llu", (unsigned long long)columns);
    }
    (void)fprintf(shard->file, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)shard->data_bytes,
                  (unsigned long long)(shard->data_bytes + size));
    shard->data_bytes += size;
}

static inline void shard_end(struct shard *shard)
{
    unsigned char length[8];
    (void)fputc('}', shard->file);
    (void)fflush(shard->file);
    uint64_t end = (uint64_t)ftell(shard->file);
    for (int i = 0; i < 8; i++) {
        length[i] = (unsigned char)((end - 8) >> 8 * i);
    }
    (void)fseek(shard->file, 0, SEEK_SET);
    (void)fwrite(length, 1, 8, shard->file);
    (void)fflush(shard->file);
    if (ftruncate(fileno(shard->file), (off_t)(end + shard->data_bytes)) != 0) {
        abort();
    }
    (void)fclose(shard->file);
}

static inline void write_text(const char *folder, const char *name, const char *text)
{
    char path[800];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        abort();
    }
}

static inline void empty_folder(const char *folder)
{
    DIR *stream = opendir(folder);
    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry != NULL; entry = readdir(stream)) {
        char path[800];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
}

#endif
