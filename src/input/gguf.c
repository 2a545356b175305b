// GGUF version 2 and 3, little endian: header, metadata, tensor table; values are never read.
// Source: github.com/ggml-org/ggml, docs/gguf.md, and ggml/src/gguf.cpp for what is refused.
#include "input/gguf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/text.h"

#define WINDOW_BYTES ((size_t)64 << 10)
#define HEADER_MAX_BYTES UINT64_C(100000000) // metadata and tensor table; real ones stay below 20 MB
#define TEXT_CAPACITY 512
#define DIMENSIONS_MAX 4
#define ALIGNMENT_MAX 65536
#define DEPTH_MAX 4

struct reader {
    const struct kvb_open_file *file;
    struct kvb_problems *problems;
    enum kvb_status status;
    uint64_t offset; // in the file, of the next byte
    uint64_t window_offset;
    size_t filled;
    unsigned char *window;
    struct kvb_gguf *out;
};

enum value_type {
    TYPE_U8,
    TYPE_I8,
    TYPE_U16,
    TYPE_I16,
    TYPE_U32,
    TYPE_I32,
    TYPE_F32,
    TYPE_BOOL,
    TYPE_TEXT,
    TYPE_LIST,
    TYPE_U64,
    TYPE_I64,
    TYPE_F64,
    TYPE_COUNT
};
static const uint8_t type_bytes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

static bool fail(struct reader *reader, enum kvb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct reader *reader, enum kvb_status status, const char *format, ...)
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

static bool fill(struct reader *reader)
{
    uint64_t left = reader->file->size_bytes - reader->offset;
    size_t wanted = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
    reader->filled = 0;
    reader->status = kvb_file_read_at(reader->file, reader->offset, reader->window, wanted, reader->problems);
    reader->window_offset = reader->offset;
    reader->filled = reader->status == KVB_OK ? wanted : 0;
    return reader->status == KVB_OK;
}

static bool available(struct reader *reader, uint64_t length)
{
    if (length > reader->file->size_bytes - reader->offset) {
        return fail(reader, KVB_BAD_SYNTAX, "%llu more bytes are expected, but the file ends at byte %llu",
                    (unsigned long long)length, (unsigned long long)reader->file->size_bytes);
    }
    if (reader->offset + length > HEADER_MAX_BYTES) {
        return fail(reader, KVB_TOO_LARGE, "its metadata and tensor table are longer than %llu bytes",
                    (unsigned long long)HEADER_MAX_BYTES);
    }
    return true;
}

static bool skip(struct reader *reader, uint64_t length)
{
    if (!available(reader, length)) {
        return false;
    }
    reader->offset += length;
    return true;
}

// At most the window.
static bool take_bytes(struct reader *reader, void *out, size_t length)
{
    if (!available(reader, length)) {
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

static bool take_number(struct reader *reader, size_t length, uint64_t *number)
{
    unsigned char bytes[8];
    *number = 0;
    if (!take_bytes(reader, bytes, length)) {
        return false;
    }
    for (size_t i = length; i > 0; i--) {
        *number = *number << 8 | bytes[i - 1];
    }
    return true;
}

// Text of any length; what does not fit is passed over and told by `cut`.
static bool take_text(struct reader *reader, char out[TEXT_CAPACITY], bool *cut)
{
    uint64_t length;
    if (!take_number(reader, 8, &length) || !available(reader, length)) {
        return false;
    }
    size_t kept = length < TEXT_CAPACITY ? (size_t)length : TEXT_CAPACITY - 1;
    *cut = kept < length;
    if (!take_bytes(reader, out, kept)) {
        return false;
    }
    out[kept] = '\0';
    return skip(reader, length - kept);
}

static bool is_whole_type(uint64_t type)
{
    return type == TYPE_U8 || type == TYPE_U16 || type == TYPE_U32 || type == TYPE_U64 || type == TYPE_I8 ||
           type == TYPE_I16 || type == TYPE_I32 || type == TYPE_I64;
}

// Negative numbers become far too large for any limit and are refused there.
static bool take_whole(struct reader *reader, uint64_t type, uint64_t *number)
{
    if (!take_number(reader, type_bytes[type], number)) {
        return false;
    }
    bool is_signed = type == TYPE_I8 || type == TYPE_I16 || type == TYPE_I32 || type == TYPE_I64;
    if (is_signed && (*number >> (type_bytes[type] * 8 - 1) & 1) != 0) {
        *number = KVB_SATURATED;
    }
    return true;
}

static bool skip_value(struct reader *reader, uint64_t type, unsigned depth);

static bool take_list_head(struct reader *reader, uint64_t *type, uint64_t *count)
{
    if (!take_number(reader, 4, type) || !take_number(reader, 8, count)) {
        return false;
    }
    if (*type >= TYPE_COUNT) {
        return fail(reader, KVB_UNKNOWN_KIND, "unknown metadata type %llu", (unsigned long long)*type);
    }
    uint64_t least = type_bytes[*type] > 0 ? type_bytes[*type] : 8;
    return available(reader, kvb_mul(*count, least));
}

static bool skip_list(struct reader *reader, uint64_t type, uint64_t count, unsigned depth)
{
    if (type_bytes[type] > 0) {
        return skip(reader, kvb_mul(count, type_bytes[type]));
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!skip_value(reader, type, depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool skip_value(struct reader *reader, uint64_t type, unsigned depth)
{
    uint64_t length, inner;
    if (depth > DEPTH_MAX) {
        return fail(reader, KVB_NOT_ALLOWED, "lists nested deeper than %d levels", DEPTH_MAX);
    }
    if (type >= TYPE_COUNT) {
        return fail(reader, KVB_UNKNOWN_KIND, "unknown metadata type %llu", (unsigned long long)type);
    }
    if (type == TYPE_LIST) {
        return take_list_head(reader, &inner, &length) && skip_list(reader, inner, length, depth);
    }
    if (type == TYPE_TEXT) {
        return take_number(reader, 8, &length) && skip(reader, length);
    }
    return skip(reader, type_bytes[type]);
}

// One number, or a list with one number per layer.
static bool take_value(struct reader *reader, const char *name, uint64_t type, struct kvb_gguf_value *value)
{
    uint64_t inner, count, number;
    if (is_whole_type(type)) {
        value->set = true;
        return take_whole(reader, type, &value->number);
    }
    if (type != TYPE_LIST) {
        return fail(reader, KVB_BAD_TYPE, "%.100s: expected a whole number", name);
    }
    if (!take_list_head(reader, &inner, &count)) {
        return false;
    }
    if (!is_whole_type(inner)) {
        return skip_list(reader, inner, count, 0);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!take_whole(reader, inner, &number)) {
            return false;
        }
        value->varies = value->varies || (value->set && number != value->number);
        value->number = value->set ? kvb_max(value->number, number) : number;
        value->set = true;
    }
    return true;
}

static bool take_named_text(struct reader *reader, const char *name, uint64_t type, char *out, size_t capacity)
{
    char text[TEXT_CAPACITY];
    bool cut;
    if (type != TYPE_TEXT) {
        return fail(reader, KVB_BAD_TYPE, "%.100s: expected a text", name);
    }
    if (!take_text(reader, text, &cut)) {
        return false;
    }
    return kvb_copy(out, capacity, text) || fail(reader, KVB_OUT_OF_RANGE, "%.100s: too long", name);
}

static bool take_known(struct reader *reader, const char *name, uint64_t type, bool *taken)
{
    struct kvb_gguf_value value = {0};
    struct kvb_gguf *out = reader->out;
    enum kvb_gguf_key key;
    const char *dot = strchr(name, '.');
    *taken = true;
    if (strcmp(name, "general.architecture") == 0) {
        return take_named_text(reader, name, type, out->architecture, sizeof out->architecture);
    }
    if (strcmp(name, "general.alignment") == 0 || strcmp(name, "split.count") == 0) {
        bool alignment = name[0] == 'g';
        bool read = take_value(reader, name, type, &value);
        *(alignment ? &out->alignment : &out->split_count) = value.number;
        return read;
    }
    if (strcmp(name, "tokenizer.ggml.tokens") == 0 && type == TYPE_LIST) {
        uint64_t inner;
        return take_list_head(reader, &inner, &out->token_count) && skip_list(reader, inner, out->token_count, 0);
    }
    if (dot != NULL && kvb_gguf_key_find(dot + 1, &key)) {
        out->values[key] = value;
        return take_value(reader, name, type, &out->values[key]);
    }
    *taken = false;
    return true;
}

static bool take_metadata(struct reader *reader, uint64_t count)
{
    char name[TEXT_CAPACITY];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t type;
        bool cut, taken = false;
        if (!take_text(reader, name, &cut) || !take_number(reader, 4, &type)) {
            return false;
        }
        if (!cut && !take_known(reader, name, type, &taken)) {
            return false;
        }
        if (!taken && !skip_value(reader, type, 0)) {
            return false;
        }
    }
    uint64_t alignment = reader->out->alignment;
    return (alignment > 0 && alignment <= ALIGNMENT_MAX && (alignment & (alignment - 1)) == 0) ||
           fail(reader, KVB_OUT_OF_RANGE, "general.alignment is %llu; expected a power of two up to %d",
                (unsigned long long)alignment, ALIGNMENT_MAX);
}

static bool take_dimensions(struct reader *reader, const char *name, struct kvb_stored_tensor *tensor)
{
    uint64_t count;
    if (!take_number(reader, 4, &count)) {
        return false;
    }
    if (count > DIMENSIONS_MAX) {
        return fail(reader, KVB_OUT_OF_RANGE, "tensor '%.200s' has %llu dimensions, at most %d are known", name,
                    (unsigned long long)count, DIMENSIONS_MAX);
    }
    tensor->dimension_count = (uint32_t)count;
    for (uint64_t i = 0; i < count; i++) {
        if (!take_number(reader, 8, &tensor->dimensions[count - 1 - i])) {
            return false;
        }
    }
    return true;
}

// Bytes from the shape; rows are whole blocks of their format.
static bool size_tensor(struct reader *reader, uint64_t type, struct kvb_stored_tensor *tensor)
{
    const struct kvb_ggml_type *format = type <= UINT32_MAX ? kvb_ggml_type_find((uint32_t)type) : NULL;
    if (format == NULL) {
        return fail(reader, KVB_UNKNOWN_KIND, "tensor '%.200s' has the unknown format %llu", tensor->name,
                    (unsigned long long)type);
    }
    uint64_t row = tensor->dimension_count > 0 ? tensor->dimensions[tensor->dimension_count - 1] : 1;
    if (row % format->block_elements != 0) {
        return fail(reader, KVB_INDIVISIBLE, "tensor '%.200s': rows of %llu elements are no whole blocks of %s (%u)",
                    tensor->name, (unsigned long long)row, format->name, format->block_elements);
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        elements = kvb_mul(elements, tensor->dimensions[i]);
    }
    tensor->element = format->element;
    tensor->bytes = kvb_mul(elements / format->block_elements, format->block_bytes);
    return !kvb_is_saturated(elements) && !kvb_is_saturated(tensor->bytes)
               ? true
               : fail(reader, KVB_OVERFLOW, "tensor '%.200s': its shape multiplies to more than any machine holds",
                      tensor->name);
}

static void note_tensor(struct kvb_gguf *out, const char *name)
{
    out->has_output = out->has_output || strcmp(name, "output.weight") == 0;
    out->has_query_bias = out->has_query_bias || strcmp(name, "blk.0.attn_q.bias") == 0;
    out->has_correction_bias = out->has_correction_bias || strstr(name, ".exp_probs_b") != NULL;
}

static bool take_tensors(struct reader *reader, uint64_t count, kvb_tensor_taker *take, void *context)
{
    char name[TEXT_CAPACITY];
    uint64_t expected = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct kvb_stored_tensor tensor = {.name = name};
        uint64_t type, offset;
        bool cut;
        if (!take_text(reader, name, &cut) || !take_dimensions(reader, name, &tensor) ||
            !take_number(reader, 4, &type) || !take_number(reader, 8, &offset) || !size_tensor(reader, type, &tensor)) {
            return false;
        }
        if (cut || offset != expected) {
            return fail(reader, KVB_CONTRADICTION, "tensor '%.200s' begins at byte %llu of the data, expected %llu",
                        name, (unsigned long long)offset, (unsigned long long)expected);
        }
        expected = kvb_round_up(kvb_add(offset, tensor.bytes), reader->out->alignment);
        note_tensor(reader->out, name);
        reader->status = take(context, &tensor, reader->problems);
        if (reader->status != KVB_OK) {
            return false;
        }
        if (i + 1 == count) {
            uint64_t begin = kvb_round_up(reader->offset, reader->out->alignment);
            uint64_t end = kvb_add(begin, kvb_add(offset, tensor.bytes));
            return end <= reader->file->size_bytes ||
                   fail(reader, KVB_OUT_OF_RANGE, "its tensors end at byte %llu, the file at %llu: it is cut short",
                        (unsigned long long)end, (unsigned long long)reader->file->size_bytes);
        }
    }
    return true;
}

static bool take_all(struct reader *reader, kvb_tensor_taker *take, void *context)
{
    char magic[4] = {0};
    uint64_t version, tensor_count, value_count;
    if (reader->file->size_bytes < 24 || !take_bytes(reader, magic, sizeof magic) || memcmp(magic, "GGUF", 4) != 0) {
        return fail(reader, KVB_BAD_SYNTAX, "no GGUF file: expected it to begin with the letters GGUF");
    }
    if (!take_number(reader, 4, &version)) {
        return false;
    }
    if (version != 2 && version != 3) {
        return fail(reader, KVB_UNKNOWN_KIND, "GGUF version %llu; versions 2 and 3 in little-endian order are known",
                    (unsigned long long)version);
    }
    if (!take_number(reader, 8, &tensor_count) || !take_number(reader, 8, &value_count)) {
        return false;
    }
    // The least that a tensor (24 bytes and its name) and a value (13) take.
    if (!available(reader, kvb_add(kvb_mul(tensor_count, 24), kvb_mul(value_count, 13)))) {
        return false;
    }
    return take_metadata(reader, value_count) && take_tensors(reader, tensor_count, take, context);
}

enum kvb_status kvb_gguf_read(const struct kvb_open_file *file, struct kvb_gguf *gguf, kvb_tensor_taker *take,
                              void *context, struct kvb_problems *problems)
{
    struct reader reader = {.file = file, .problems = problems, .out = gguf};
    memset(gguf, 0, sizeof *gguf);
    gguf->alignment = 32;
    reader.window = kvb_reallocate(NULL, WINDOW_BYTES);
    if (reader.window == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file->path},
                               "not enough memory to read it");
    }
    (void)take_all(&reader, take, context);
    kvb_release(reader.window);
    return reader.status;
}
