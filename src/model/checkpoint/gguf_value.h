// The values that metadata and tensor table of a GGUF file are made of. False: a problem was added.
#ifndef KVB_MODEL_CHECKPOINT_GGUF_VALUE_H
#define KVB_MODEL_CHECKPOINT_GGUF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/problem.h>

#include "text/file.h"

#define KVB_GGUF_TEXT_CAPACITY 512
#define KVB_GGUF_HEADER_MAX_BYTES UINT64_C(100000000) // metadata and tensor table; real ones stay below 20 MB

enum kvb_gguf_type {
    GGUF_TYPE_U8,
    GGUF_TYPE_I8,
    GGUF_TYPE_U16,
    GGUF_TYPE_I16,
    GGUF_TYPE_U32,
    GGUF_TYPE_I32,
    GGUF_TYPE_F32,
    GGUF_TYPE_BOOL,
    GGUF_TYPE_TEXT,
    GGUF_TYPE_LIST,
    GGUF_TYPE_U64,
    GGUF_TYPE_I64,
    GGUF_TYPE_F64,
    GGUF_TYPE_COUNT
};

struct kvb_gguf_reader {
    const struct kvb_open_file *file;
    struct kvb_problems *problems;
    enum kvb_status status; // of the first failure
    uint64_t offset;        // in the file, of the next byte
    // the rest is private
    uint64_t window_offset;
    size_t filled;
    unsigned char *window;
};

// Close also after a failure.
bool kvb_gguf_open(struct kvb_gguf_reader *reader, const struct kvb_open_file *file, struct kvb_problems *problems);
void kvb_gguf_close(struct kvb_gguf_reader *reader);

// Adds an error with the byte offset reached, unless there was one; returns false.
bool kvb_gguf_fail(struct kvb_gguf_reader *reader, enum kvb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Whether so many bytes follow, within what a header may take.
bool kvb_gguf_available(struct kvb_gguf_reader *reader, uint64_t length);

// At most a few hundred bytes.
bool kvb_gguf_take_bytes(struct kvb_gguf_reader *reader, void *out, size_t length);
// Little endian, 1 to 8 bytes.
bool kvb_gguf_take_number(struct kvb_gguf_reader *reader, size_t length, uint64_t *number);
// Text of any length; what does not fit is passed over and told by `cut`.
bool kvb_gguf_take_text(struct kvb_gguf_reader *reader, char out[KVB_GGUF_TEXT_CAPACITY], bool *cut);

bool kvb_gguf_is_whole(uint64_t type);
// Of a whole type. Negative numbers become far too large for any limit and are refused there.
bool kvb_gguf_take_whole(struct kvb_gguf_reader *reader, uint64_t type, uint64_t *number);
// The head of a list: the type of its values, and how many; the file is long enough for them.
bool kvb_gguf_take_list_head(struct kvb_gguf_reader *reader, uint64_t *type, uint64_t *count);
// Passes over the values behind the head of a list, or over one value; `depth` lists are around it.
bool kvb_gguf_skip_list(struct kvb_gguf_reader *reader, uint64_t type, uint64_t count, unsigned depth);
bool kvb_gguf_skip_value(struct kvb_gguf_reader *reader, uint64_t type, unsigned depth);

#endif
