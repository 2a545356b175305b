// Safetensors: 8 bytes of length, a JSON header, then the values, which are never read.
// Source: github.com/huggingface/safetensors, README "Format" and safetensors/src/tensor.rs.
#include "model/checkpoint/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/text.h"
#include "text/json_scan.h"

struct element_row {
    const char *name;
    uint32_t bits;
};
static const struct element_row elements[KVB_ELEMENT_COUNT] = {
    [KVB_ELEMENT_F64] = {"F64", 64},
    [KVB_ELEMENT_F32] = {"F32", 32},
    [KVB_ELEMENT_F16] = {"F16", 16},
    [KVB_ELEMENT_BF16] = {"BF16", 16},
    [KVB_ELEMENT_I64] = {"I64", 64},
    [KVB_ELEMENT_I32] = {"I32", 32},
    [KVB_ELEMENT_I16] = {"I16", 16},
    [KVB_ELEMENT_I8] = {"I8", 8},
    [KVB_ELEMENT_U64] = {"U64", 64},
    [KVB_ELEMENT_U32] = {"U32", 32},
    [KVB_ELEMENT_U16] = {"U16", 16},
    [KVB_ELEMENT_U8] = {"U8", 8},
    [KVB_ELEMENT_BOOL] = {"BOOL", 8},
    [KVB_ELEMENT_C64] = {"C64", 64},
    [KVB_ELEMENT_F8_E4M3] = {"F8_E4M3", 8},
    [KVB_ELEMENT_F8_E5M2] = {"F8_E5M2", 8},
    [KVB_ELEMENT_F8_E8M0] = {"F8_E8M0", 8},
    [KVB_ELEMENT_F8_E4M3FNUZ] = {"F8_E4M3FNUZ", 8},
    [KVB_ELEMENT_F8_E5M2FNUZ] = {"F8_E5M2FNUZ", 8},
    [KVB_ELEMENT_F6_E2M3] = {"F6_E2M3", 6},
    [KVB_ELEMENT_F6_E3M2] = {"F6_E3M2", 6},
    [KVB_ELEMENT_F4] = {"F4", 4},
    [KVB_ELEMENT_PACKED] = {"packed", 0},
};

const char *kvb_element_name(enum kvb_element element)
{
    return (uint32_t)element < KVB_ELEMENT_COUNT ? elements[element].name : "unknown";
}

uint32_t kvb_element_bits(enum kvb_element element)
{
    return (uint32_t)element < KVB_ELEMENT_COUNT ? elements[element].bits : 0;
}

static bool find_element(const char *name, enum kvb_element *element)
{
    for (uint32_t i = 0; i < KVB_ELEMENT_PACKED; i++) {
        if (strcmp(elements[i].name, name) == 0) {
            *element = (enum kvb_element)i;
            return true;
        }
    }
    return false;
}

struct range {
    uint64_t begin, end;
};

struct header {
    struct kvb_json_scan scan;
    uint64_t data_bytes; // behind the header
    struct range *ranges;
    uint32_t count, capacity;
    bool sorted;
    kvb_tensor_taker *take;
    void *context;
    char name[KVB_JSON_TEXT_CAPACITY];
};

static bool fail(struct header *header, enum kvb_status status, const char *what)
{
    (void)kvb_json_fail(&header->scan, status, "tensor '%.200s': %s", header->name, what);
    return false;
}

static bool read_shape(struct header *header, struct kvb_stored_tensor *tensor)
{
    struct kvb_json_scan *scan = &header->scan;
    if (!kvb_json_expect(scan, KVB_JSON_ARRAY, "a shape such as [4096, 4096]")) {
        return false;
    }
    tensor->dimension_count = 0;
    for (;;) {
        uint64_t size;
        enum kvb_json_token token = kvb_json_next(scan);
        if (token == KVB_JSON_ARRAY_END || token == KVB_JSON_FAILED) {
            return token == KVB_JSON_ARRAY_END;
        }
        if (token != KVB_JSON_NUMBER || !kvb_json_text_whole(scan, &size)) {
            return fail(header, KVB_OUT_OF_RANGE, "its shape holds something that is no size below 2^62");
        }
        if (tensor->dimension_count == KVB_DIMENSIONS_MAX) {
            return fail(header, KVB_OUT_OF_RANGE, "its shape has more than 8 dimensions");
        }
        tensor->dimensions[tensor->dimension_count++] = size;
    }
}

static bool read_offsets(struct header *header, struct range *range)
{
    struct kvb_json_scan *scan = &header->scan;
    return kvb_json_expect(scan, KVB_JSON_ARRAY, "data_offsets [begin, end]") &&
           kvb_json_whole(scan, "the begin of data_offsets", &range->begin) &&
           kvb_json_whole(scan, "the end of data_offsets", &range->end) &&
           kvb_json_expect(scan, KVB_JSON_ARRAY_END, "two numbers in data_offsets");
}

static bool read_element(struct header *header, struct kvb_stored_tensor *tensor)
{
    struct kvb_json_scan *scan = &header->scan;
    if (!kvb_json_expect(scan, KVB_JSON_TEXT, "a dtype such as \"BF16\"")) {
        return false;
    }
    if (!find_element(scan->text, &tensor->element)) {
        (void)kvb_json_fail(scan, KVB_UNKNOWN_KIND, "tensor '%.200s': unknown dtype '%.40s'", header->name, scan->text);
        return false;
    }
    return true;
}

enum part { PART_DTYPE = 1, PART_SHAPE = 2, PART_OFFSETS = 4, PART_ALL = 7 };

static unsigned part_of(const char *key)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(key, keys[i]) == 0) {
            return 1U << i;
        }
    }
    return 0;
}

// The object of one tensor: three keys, each exactly once.
static bool read_entry(struct header *header, struct kvb_stored_tensor *tensor, struct range *range)
{
    struct kvb_json_scan *scan = &header->scan;
    unsigned seen = 0;
    if (!kvb_json_expect(scan, KVB_JSON_OBJECT, "an object with dtype, shape and data_offsets")) {
        return false;
    }
    enum kvb_json_token token;
    while ((token = kvb_json_next(scan)) == KVB_JSON_KEY) {
        unsigned part = part_of(scan->text);
        if (part == 0 || (seen & part) != 0) {
            (void)kvb_json_fail(scan, part == 0 ? KVB_UNKNOWN_KEY : KVB_DUPLICATE_KEY,
                                "tensor '%.200s': key '%.40s' is %s", header->name, scan->text,
                                part == 0 ? "unknown; a tensor has dtype, shape and data_offsets" : "there twice");
            return false;
        }
        seen |= part;
        if (!(part == PART_DTYPE   ? read_element(header, tensor)
              : part == PART_SHAPE ? read_shape(header, tensor)
                                   : read_offsets(header, range))) {
            return false;
        }
    }
    if (token == KVB_JSON_FAILED) {
        return false;
    }
    return seen == PART_ALL || fail(header, KVB_MISSING_KEY, "needs dtype, shape and data_offsets");
}

static bool check_size(struct header *header, const struct kvb_stored_tensor *tensor, const struct range *range)
{
    uint64_t bits = kvb_element_bits(tensor->element);
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        bits = kvb_mul(bits, tensor->dimensions[i]);
    }
    if (kvb_is_saturated(bits)) {
        return fail(header, KVB_OVERFLOW, "its shape multiplies to more than any machine holds");
    }
    if (range->begin > range->end || range->end > header->data_bytes) {
        (void)kvb_json_fail(&header->scan, KVB_OUT_OF_RANGE,
                            "tensor '%.200s': data_offsets [%llu, %llu] leave the %llu bytes behind the header; the "
                            "file is cut short or its header is wrong",
                            header->name, (unsigned long long)range->begin, (unsigned long long)range->end,
                            (unsigned long long)header->data_bytes);
        return false;
    }
    if (range->end - range->begin != kvb_div_up(bits, 8)) {
        (void)kvb_json_fail(&header->scan, KVB_CONTRADICTION,
                            "tensor '%.200s': its shape needs %llu bytes, its data_offsets hold %llu", header->name,
                            (unsigned long long)kvb_div_up(bits, 8), (unsigned long long)(range->end - range->begin));
        return false;
    }
    return true;
}

static bool keep_range(struct header *header, struct range range)
{
    if (header->count == KVB_TENSORS_PER_FILE_MAX) {
        return fail(header, KVB_TOO_LARGE, "more than 500000 tensors in one file");
    }
    if (header->count == header->capacity) {
        uint32_t capacity = header->capacity > 0 ? header->capacity * 2 : 1024;
        struct range *ranges = kvb_reallocate(header->ranges, capacity * sizeof *ranges);
        if (ranges == NULL) {
            return fail(header, KVB_NO_MEMORY, "not enough memory to read the header");
        }
        header->ranges = ranges;
        header->capacity = capacity;
    }
    uint64_t last = header->count > 0 ? header->ranges[header->count - 1].end : 0;
    header->sorted = header->sorted && range.begin >= last;
    header->ranges[header->count++] = range;
    return true;
}

static bool read_tensor(struct header *header)
{
    struct kvb_stored_tensor tensor = {.name = header->name};
    struct range range = {0, 0};
    struct kvb_json_scan *scan = &header->scan;
    if (scan->cut) {
        (void)kvb_json_fail(scan, KVB_TOO_LARGE, "a tensor name longer than %d bytes", KVB_JSON_TEXT_CAPACITY - 1);
        return false;
    }
    memcpy(header->name, scan->text, scan->length + 1);
    if (!read_entry(header, &tensor, &range) || !check_size(header, &tensor, &range) || !keep_range(header, range)) {
        return false;
    }
    tensor.bytes = range.end - range.begin;
    scan->status = header->take(header->context, &tensor, scan->problems);
    return scan->status == KVB_OK;
}

static bool read_entries(struct header *header)
{
    struct kvb_json_scan *scan = &header->scan;
    if (!kvb_json_expect(scan, KVB_JSON_OBJECT, "an object of tensors")) {
        return false;
    }
    enum kvb_json_token token;
    while ((token = kvb_json_next(scan)) == KVB_JSON_KEY) {
        bool read = strcmp(scan->text, "__metadata__") == 0 ? kvb_json_skip(scan) : read_tensor(header);
        if (!read) {
            return false;
        }
    }
    return token == KVB_JSON_OBJECT_END && kvb_json_expect(scan, KVB_JSON_END, "nothing behind the tensors");
}

static int by_begin(const void *left, const void *right)
{
    const struct range *a = left;
    const struct range *b = right;
    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    return (a->end > b->end) - (a->end < b->end);
}

// The format allows neither overlaps nor holes nor bytes that belong to nobody.
static enum kvb_status check_ranges(struct header *header, const char *path, struct kvb_problems *problems)
{
    struct kvb_place place = {.file = path};
    uint64_t reached = 0;
    if (!header->sorted) {
        qsort(header->ranges, header->count, sizeof *header->ranges, by_begin);
    }
    for (uint32_t i = 0; i < header->count; i++) {
        if (header->ranges[i].begin != reached) {
            bool overlap = header->ranges[i].begin < reached;
            return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, place,
                                   "%s at byte %llu of its data: each byte must belong to exactly one tensor",
                                   overlap ? "two tensors overlap" : "no tensor claims what lies before the one",
                                   (unsigned long long)header->ranges[i].begin);
        }
        reached = header->ranges[i].end;
    }
    if (reached != header->data_bytes) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CONTRADICTION, place,
                               "its tensors end at byte %llu of %llu bytes of data", (unsigned long long)reached,
                               (unsigned long long)header->data_bytes);
    }
    return KVB_OK;
}

// Little-endian length of the JSON behind it.
static enum kvb_status read_length(const struct kvb_open_file *file, uint64_t *length, struct kvb_problems *problems)
{
    struct kvb_place place = {.file = file->path};
    unsigned char bytes[8];
    *length = 0;
    if (file->size_bytes < sizeof bytes) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, place,
                               "no safetensors file: %llu bytes, but the header's length alone takes 8",
                               (unsigned long long)file->size_bytes);
    }
    enum kvb_status status = kvb_file_read_at(file, 0, bytes, sizeof bytes, problems);
    for (int i = 7; status == KVB_OK && i >= 0; i--) {
        *length = *length << 8 | bytes[i];
    }
    if (status == KVB_OK && *length > file->size_bytes - sizeof bytes) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, place,
                               "its header says it is %llu bytes long, the file has %llu: cut short or no safetensors",
                               (unsigned long long)*length, (unsigned long long)file->size_bytes);
    }
    if (status == KVB_OK && *length > KVB_SAFETENSORS_HEADER_MAX_BYTES) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, place,
                               "its header is %llu bytes long; the format allows %llu", (unsigned long long)*length,
                               (unsigned long long)KVB_SAFETENSORS_HEADER_MAX_BYTES);
    }
    return status;
}

enum kvb_status kvb_safetensors_read(const struct kvb_open_file *file, kvb_tensor_taker *take, void *context,
                                     struct kvb_problems *problems)
{
    struct header header = {.sorted = true, .take = take, .context = context};
    uint64_t length;
    enum kvb_status status = read_length(file, &length, problems);
    if (status != KVB_OK) {
        return status;
    }
    header.data_bytes = file->size_bytes - 8 - length;
    status = kvb_json_open(&header.scan, file, 8, 8 + length, problems);
    if (status == KVB_OK && !read_entries(&header)) {
        status = header.scan.status;
    }
    kvb_json_close(&header.scan);
    if (status == KVB_OK) {
        status = check_ranges(&header, file->path, problems);
    }
    kvb_free(header.ranges);
    return status;
}
