// Reading the numbers, texts and lists of a GGUF file through a window; no length is believed.
#include "model/checkpoint/gguf_value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define WINDOW_BYTES ((size_t)64 << 10)
#define DEPTH_MAX 4

static const uint8_t type_bytes[GGUF_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

bool kvb_gguf_open(struct kvb_gguf_reader *reader, const struct kvb_open_file *file, struct kvb_problems *problems)
{
    *reader = (struct kvb_gguf_reader){.file = file, .problems = problems};
    reader->window = kvb_reallocate(NULL, WINDOW_BYTES);
    if (reader->window == NULL) {
        reader->status = kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file->path},
                                         "not enough memory to read it");
    }
    return reader->window != NULL;
}

void kvb_gguf_close(struct kvb_gguf_reader *reader)
{
    kvb_free(reader->window);
    reader->window = NULL;
}

bool kvb_gguf_fail(struct kvb_gguf_reader *reader, enum kvb_status status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reader->status == KVB_OK) {
        reader->status =
            kvb_problem_add(reader->problems, KVB_ERROR, status, (struct kvb_place){.file = reader->file->path},
                            "byte %llu: %s", (unsigned long long)reader->offset, text);
    }
    return false;
}

static bool fill(struct kvb_gguf_reader *reader)
{
    uint64_t left = reader->file->size_bytes - reader->offset;
    size_t wanted = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
    reader->filled = 0;
    reader->status = kvb_file_read_at(reader->file, reader->offset, reader->window, wanted, reader->problems);
    reader->window_offset = reader->offset;
    reader->filled = reader->status == KVB_OK ? wanted : 0;
    return reader->status == KVB_OK;
}

bool kvb_gguf_available(struct kvb_gguf_reader *reader, uint64_t length)
{
    if (length > reader->file->size_bytes - reader->offset) {
        return kvb_gguf_fail(reader, KVB_BAD_SYNTAX, "%llu more bytes are expected, but the file ends at byte %llu",
                             (unsigned long long)length, (unsigned long long)reader->file->size_bytes);
    }
    if (reader->offset + length > KVB_GGUF_HEADER_MAX_BYTES) {
        return kvb_gguf_fail(reader, KVB_TOO_LARGE, "its metadata and tensor table are longer than %llu bytes",
                             (unsigned long long)KVB_GGUF_HEADER_MAX_BYTES);
    }
    return true;
}

static bool skip(struct kvb_gguf_reader *reader, uint64_t length)
{
    if (!kvb_gguf_available(reader, length)) {
        return false;
    }
    reader->offset += length;
    return true;
}

bool kvb_gguf_take_bytes(struct kvb_gguf_reader *reader, void *out, size_t length)
{
    if (!kvb_gguf_available(reader, length)) {
        return false;
    }
    uint64_t at = reader->offset - reader->window_offset;
    if (at + length > reader->filled) {
        if (!fill(reader)) {
            return false;
        }
        at = 0;
    }
    memcpy(out, reader->window + at, length);
    reader->offset += length;
    return true;
}

bool kvb_gguf_take_number(struct kvb_gguf_reader *reader, size_t length, uint64_t *number)
{
    unsigned char bytes[8];
    *number = 0;
    if (!kvb_gguf_take_bytes(reader, bytes, length)) {
        return false;
    }
    for (size_t i = length; i > 0; i--) {
        *number = *number << 8 | bytes[i - 1];
    }
    return true;
}

bool kvb_gguf_take_text(struct kvb_gguf_reader *reader, char out[KVB_GGUF_TEXT_CAPACITY], bool *cut)
{
    uint64_t length;
    if (!kvb_gguf_take_number(reader, 8, &length) || !kvb_gguf_available(reader, length)) {
        return false;
    }
    size_t kept = length < KVB_GGUF_TEXT_CAPACITY ? (size_t)length : KVB_GGUF_TEXT_CAPACITY - 1;
    *cut = kept < length;
    if (!kvb_gguf_take_bytes(reader, out, kept)) {
        return false;
    }
    out[kept] = '\0';
    return skip(reader, length - kept);
}

bool kvb_gguf_is_whole(uint64_t type)
{
    return type == GGUF_TYPE_U8 || type == GGUF_TYPE_U16 || type == GGUF_TYPE_U32 || type == GGUF_TYPE_U64 ||
           type == GGUF_TYPE_I8 || type == GGUF_TYPE_I16 || type == GGUF_TYPE_I32 || type == GGUF_TYPE_I64;
}

bool kvb_gguf_take_whole(struct kvb_gguf_reader *reader, uint64_t type, uint64_t *number)
{
    if (!kvb_gguf_take_number(reader, type_bytes[type], number)) {
        return false;
    }
    bool is_signed = type == GGUF_TYPE_I8 || type == GGUF_TYPE_I16 || type == GGUF_TYPE_I32 || type == GGUF_TYPE_I64;
    if (is_signed && (*number >> (type_bytes[type] * 8 - 1) & 1) != 0) {
        *number = KVB_SATURATED;
    }
    return true;
}

bool kvb_gguf_take_list_head(struct kvb_gguf_reader *reader, uint64_t *type, uint64_t *count)
{
    if (!kvb_gguf_take_number(reader, 4, type) || !kvb_gguf_take_number(reader, 8, count)) {
        return false;
    }
    if (*type >= GGUF_TYPE_COUNT) {
        return kvb_gguf_fail(reader, KVB_UNKNOWN_KIND, "unknown metadata type %llu", (unsigned long long)*type);
    }
    uint64_t least = type_bytes[*type] > 0 ? type_bytes[*type] : 8;
    return kvb_gguf_available(reader, kvb_mul(*count, least));
}

bool kvb_gguf_skip_list(struct kvb_gguf_reader *reader, uint64_t type, uint64_t count, unsigned depth)
{
    if (type_bytes[type] > 0) {
        return skip(reader, kvb_mul(count, type_bytes[type]));
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!kvb_gguf_skip_value(reader, type, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool kvb_gguf_skip_value(struct kvb_gguf_reader *reader, uint64_t type, unsigned depth)
{
    uint64_t length, inner;
    if (depth > DEPTH_MAX) {
        return kvb_gguf_fail(reader, KVB_NOT_ALLOWED, "lists nested deeper than %d levels", DEPTH_MAX);
    }
    if (type >= GGUF_TYPE_COUNT) {
        return kvb_gguf_fail(reader, KVB_UNKNOWN_KIND, "unknown metadata type %llu", (unsigned long long)type);
    }
    if (type == GGUF_TYPE_LIST) {
        return kvb_gguf_take_list_head(reader, &inner, &length) && kvb_gguf_skip_list(reader, inner, length, depth);
    }
    if (type == GGUF_TYPE_TEXT) {
        return kvb_gguf_take_number(reader, 8, &length) && skip(reader, length);
    }
    return skip(reader, type_bytes[type]);
}
