// GGUF version 2 and 3, little endian: header, metadata, tensor table; values are never read.
// Source: github.com/ggml-org/ggml, docs/gguf.md, and ggml/src/gguf.cpp for what is refused.
#include "model/checkpoint/gguf.h"

#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "model/checkpoint/gguf_value.h"

#define DIMENSIONS_MAX 4
#define ALIGNMENT_MAX 65536

// One number, or a list with one number per layer.
static bool take_value(struct kvb_gguf_reader *reader, const char *name, uint64_t type, struct kvb_gguf_value *value)
{
    uint64_t inner, count, number;
    if (kvb_gguf_is_whole(type)) {
        value->set = true;
        return kvb_gguf_take_whole(reader, type, &value->number);
    }
    if (type != GGUF_TYPE_LIST) {
        return kvb_gguf_fail(reader, KVB_BAD_TYPE, "%.100s: expected a whole number", name);
    }
    if (!kvb_gguf_take_list_head(reader, &inner, &count)) {
        return false;
    }
    if (!kvb_gguf_is_whole(inner)) {
        return kvb_gguf_skip_list(reader, inner, count, 0);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!kvb_gguf_take_whole(reader, inner, &number)) {
            return false;
        }
        value->varies = value->varies || (value->set && number != value->number);
        value->number = value->set ? kvb_max(value->number, number) : number;
        value->set = true;
    }
    return true;
}

static bool take_named_text(struct kvb_gguf_reader *reader, const char *name, uint64_t type, char *out, size_t capacity)
{
    char text[KVB_GGUF_TEXT_CAPACITY];
    bool cut;
    if (type != GGUF_TYPE_TEXT) {
        return kvb_gguf_fail(reader, KVB_BAD_TYPE, "%.100s: expected a text", name);
    }
    if (!kvb_gguf_take_text(reader, text, &cut)) {
        return false;
    }
    return kvb_copy(out, capacity, text) || kvb_gguf_fail(reader, KVB_OUT_OF_RANGE, "%.100s: too long", name);
}

static bool take_known(struct kvb_gguf_reader *reader, struct kvb_gguf *out, const char *name, uint64_t type,
                       bool *taken)
{
    struct kvb_gguf_value value = {0};
    enum kvb_gguf_key key;
    const char *dot = strchr(name, '.');
    *taken = true;
    if (strcmp(name, "general.architecture") == 0) {
        return take_named_text(reader, name, type, out->architecture, sizeof out->architecture);
    }
    if (strcmp(name, "clip.projector_type") == 0 || strcmp(name, "clip.vision.projector_type") == 0) {
        return take_named_text(reader, name, type, out->projector, sizeof out->projector);
    }
    if (strcmp(name, "general.alignment") == 0 || strcmp(name, "split.count") == 0) {
        bool alignment = name[0] == 'g';
        bool read = take_value(reader, name, type, &value);
        *(alignment ? &out->alignment : &out->split_count) = value.number;
        return read;
    }
    if (strcmp(name, "tokenizer.ggml.tokens") == 0 && type == GGUF_TYPE_LIST) {
        uint64_t inner;
        return kvb_gguf_take_list_head(reader, &inner, &out->token_count) &&
               kvb_gguf_skip_list(reader, inner, out->token_count, 0);
    }
    if (dot != NULL && kvb_gguf_key_find(dot + 1, &key)) {
        out->values[key] = value;
        return take_value(reader, name, type, &out->values[key]);
    }
    *taken = false;
    return true;
}

static bool take_metadata(struct kvb_gguf_reader *reader, struct kvb_gguf *out, uint64_t count)
{
    char name[KVB_GGUF_TEXT_CAPACITY];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t type;
        bool cut, taken = false;
        if (!kvb_gguf_take_text(reader, name, &cut) || !kvb_gguf_take_number(reader, 4, &type)) {
            return false;
        }
        if (!cut && !take_known(reader, out, name, type, &taken)) {
            return false;
        }
        if (!taken && !kvb_gguf_skip_value(reader, type, 0)) {
            return false;
        }
    }
    uint64_t alignment = out->alignment;
    return (alignment > 0 && alignment <= ALIGNMENT_MAX && (alignment & (alignment - 1)) == 0) ||
           kvb_gguf_fail(reader, KVB_OUT_OF_RANGE, "general.alignment is %llu; expected a power of two up to %d",
                         (unsigned long long)alignment, ALIGNMENT_MAX);
}

static bool take_dimensions(struct kvb_gguf_reader *reader, const char *name, struct kvb_stored_tensor *tensor)
{
    uint64_t count;
    if (!kvb_gguf_take_number(reader, 4, &count)) {
        return false;
    }
    if (count > DIMENSIONS_MAX) {
        return kvb_gguf_fail(reader, KVB_OUT_OF_RANGE, "tensor '%.200s' has %llu dimensions, at most %d are known",
                             name, (unsigned long long)count, DIMENSIONS_MAX);
    }
    tensor->dimension_count = (uint32_t)count;
    for (uint64_t i = 0; i < count; i++) {
        if (!kvb_gguf_take_number(reader, 8, &tensor->dimensions[count - 1 - i])) {
            return false;
        }
    }
    return true;
}

// Bytes from the shape; rows are whole blocks of their format.
static bool size_tensor(struct kvb_gguf_reader *reader, uint64_t type, struct kvb_stored_tensor *tensor)
{
    const struct kvb_ggml_type *format = type <= UINT32_MAX ? kvb_ggml_type_find((uint32_t)type) : NULL;
    if (format == NULL) {
        return kvb_gguf_fail(reader, KVB_UNKNOWN_KIND, "tensor '%.200s' has the unknown format %llu", tensor->name,
                             (unsigned long long)type);
    }
    uint64_t row = tensor->dimension_count > 0 ? tensor->dimensions[tensor->dimension_count - 1] : 1;
    if (row % format->block_elements != 0) {
        return kvb_gguf_fail(reader, KVB_INDIVISIBLE,
                             "tensor '%.200s': rows of %llu elements are no whole blocks of %s (%u)", tensor->name,
                             (unsigned long long)row, format->name, format->block_elements);
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        elements = kvb_mul(elements, tensor->dimensions[i]);
    }
    tensor->element = format->element;
    tensor->bytes = kvb_mul(elements / format->block_elements, format->block_bytes);
    return !kvb_is_saturated(elements) && !kvb_is_saturated(tensor->bytes)
               ? true
               : kvb_gguf_fail(reader, KVB_OVERFLOW,
                               "tensor '%.200s': its shape multiplies to more than any machine holds", tensor->name);
}

static void note_tensor(struct kvb_gguf *out, const char *name)
{
    out->has_output = out->has_output || strcmp(name, "output.weight") == 0;
    out->has_query_bias = out->has_query_bias || strcmp(name, "blk.0.attn_q.bias") == 0;
    out->has_correction_bias = out->has_correction_bias || strstr(name, ".exp_probs_b") != NULL;
    out->has_fused_pictures = out->has_fused_pictures || strcmp(name, "v.blk.0.attn_qkv.weight") == 0;
    out->has_gated_pictures = out->has_gated_pictures || strcmp(name, "v.blk.0.ffn_gate.weight") == 0;
    out->deepstack_levels += kvb_starts_with(name, "v.deepstack.") && kvb_ends_with(name, ".fc1.weight");
}

static bool take_tensors(struct kvb_gguf_reader *reader, struct kvb_gguf *out, uint64_t count, kvb_tensor_taker *take,
                         void *context)
{
    char name[KVB_GGUF_TEXT_CAPACITY];
    uint64_t expected = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct kvb_stored_tensor tensor = {.name = name};
        uint64_t type, offset;
        bool cut;
        if (!kvb_gguf_take_text(reader, name, &cut) || !take_dimensions(reader, name, &tensor) ||
            !kvb_gguf_take_number(reader, 4, &type) || !kvb_gguf_take_number(reader, 8, &offset) ||
            !size_tensor(reader, type, &tensor)) {
            return false;
        }
        if (cut) {
            return kvb_gguf_fail(reader, KVB_OUT_OF_RANGE, "a tensor's name is longer than %d bytes: '%.60s...'",
                                 KVB_GGUF_TEXT_CAPACITY - 1, name);
        }
        if (offset != expected) {
            return kvb_gguf_fail(reader, KVB_CONTRADICTION,
                                 "tensor '%.200s' begins at byte %llu of the data, expected %llu", name,
                                 (unsigned long long)offset, (unsigned long long)expected);
        }
        expected = kvb_round_up(kvb_add(offset, tensor.bytes), out->alignment);
        note_tensor(out, name);
        reader->status = take(context, &tensor, reader->problems);
        if (reader->status != KVB_OK) {
            return false;
        }
        if (i + 1 == count) {
            uint64_t begin = kvb_round_up(reader->offset, out->alignment);
            uint64_t end = kvb_add(begin, kvb_add(offset, tensor.bytes));
            return end <= reader->file->size_bytes ||
                   kvb_gguf_fail(reader, KVB_OUT_OF_RANGE,
                                 "its tensors end at byte %llu, the file at %llu: it is cut short",
                                 (unsigned long long)end, (unsigned long long)reader->file->size_bytes);
        }
    }
    return true;
}

static bool take_all(struct kvb_gguf_reader *reader, struct kvb_gguf *out, kvb_tensor_taker *take, void *context)
{
    char magic[4] = {0};
    uint64_t version, tensor_count, value_count;
    if (reader->file->size_bytes < 24 || !kvb_gguf_take_bytes(reader, magic, sizeof magic) ||
        memcmp(magic, "GGUF", 4) != 0) {
        return kvb_gguf_fail(reader, KVB_BAD_SYNTAX, "no GGUF file: expected it to begin with the letters GGUF");
    }
    if (!kvb_gguf_take_number(reader, 4, &version)) {
        return false;
    }
    if (version != 2 && version != 3) {
        return kvb_gguf_fail(reader, KVB_UNKNOWN_KIND,
                             "GGUF version %llu; versions 2 and 3 in little-endian order are known",
                             (unsigned long long)version);
    }
    if (!kvb_gguf_take_number(reader, 8, &tensor_count) || !kvb_gguf_take_number(reader, 8, &value_count)) {
        return false;
    }
    // The least that a tensor (24 bytes and its name) and a value (13) take.
    if (!kvb_gguf_available(reader, kvb_add(kvb_mul(tensor_count, 24), kvb_mul(value_count, 13)))) {
        return false;
    }
    return take_metadata(reader, out, value_count) && take_tensors(reader, out, tensor_count, take, context);
}

enum kvb_status kvb_gguf_read(const struct kvb_open_file *file, struct kvb_gguf *gguf, kvb_tensor_taker *take,
                              void *context, struct kvb_problems *problems)
{
    struct kvb_gguf_reader reader;
    memset(gguf, 0, sizeof *gguf);
    gguf->alignment = 32;
    if (kvb_gguf_open(&reader, file, problems)) {
        (void)take_all(&reader, gguf, take, context);
    }
    kvb_gguf_close(&reader);
    return reader.status;
}
