// GGUF files made in memory, little endian.
#ifndef KVB_TESTS_GGUF_BYTES_H
#define KVB_TESTS_GGUF_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gguf_bytes {
    unsigned char *data;
    size_t length, capacity;
    uint64_t data_offset; // of the next tensor
};

static inline void gguf_raw(struct gguf_bytes *out, const void *data, size_t length)
{
    if (out->length + length > out->capacity) {
        out->capacity = (out->length + length) * 2;
        out->data = realloc(out->data, out->capacity);
        if (out->data == NULL) {
            abort();
        }
    }
    if (length > 0) {
        memcpy(out->data + out->length, data, length);
    }
    out->length += length;
}

static inline void gguf_number(struct gguf_bytes *out, uint64_t number, size_t bytes)
{
    unsigned char text[8];
    for (size_t i = 0; i < bytes; i++) {
        text[i] = (unsigned char)(number >> 8 * i);
    }
    gguf_raw(out, text, bytes);
}

static inline void gguf_text(struct gguf_bytes *out, const char *text)
{
    gguf_number(out, strlen(text), 8);
    gguf_raw(out, text, strlen(text));
}

static inline void gguf_head(struct gguf_bytes *out, uint32_t version, uint64_t tensors, uint64_t values)
{
    memset(out, 0, sizeof *out);
    gguf_raw(out, "GGUF", 4);
    gguf_number(out, version, 4);
    gguf_number(out, tensors, 8);
    gguf_number(out, values, 8);
}

static inline void gguf_word(struct gguf_bytes *out, const char *key, const char *value)
{
    gguf_text(out, key);
    gguf_number(out, 8, 4); // text
    gguf_text(out, value);
}

static inline void gguf_whole(struct gguf_bytes *out, const char *key, uint32_t value)
{
    gguf_text(out, key);
    gguf_number(out, 4, 4); // u32
    gguf_number(out, value, 4);
}

// `stored` bytes of data; the offset is counted along.
static inline void gguf_tensor(struct gguf_bytes *out, const char *name, uint32_t type, uint64_t columns, uint64_t rows,
                               uint64_t experts, uint64_t stored)
{
    uint32_t dimensions = experts > 0 ? 3 : rows > 0 ? 2 : 1;
    gguf_text(out, name);
    gguf_number(out, dimensions, 4);
    gguf_number(out, columns, 8);
    if (rows > 0) {
        gguf_number(out, rows, 8);
    }
    if (experts > 0) {
        gguf_number(out, experts, 8);
    }
    gguf_number(out, type, 4);
    gguf_number(out, out->data_offset, 8);
    out->data_offset += (stored + 31) / 32 * 32;
}

// Where a test puts them; its fixtures name and remove it.
static char path[64];

static inline int make_path(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/kvbudget-test-%ld.gguf", (long)getpid());
    return 0;
}

static inline int remove_path(void **state)
{
    (void)state;
    (void)unlink(path);
    return 0;
}

#endif
