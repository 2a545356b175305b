// Lines, words and figures of pasted output, and the devices they describe.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "machine/smi.h"

bool kvb_smi_next(const struct kvb_smi_text *text, size_t *offset, struct kvb_smi_line *line)
{
    if (*offset >= text->length) {
        return false;
    }
    const char *start = text->text + *offset;
    const char *end = memchr(start, '\n', text->length - *offset);
    size_t length = end != NULL ? (size_t)(end - start) : text->length - *offset;
    *offset += length + 1;
    if (length > 0 && start[length - 1] == '\r') {
        length--;
    }
    line->text = (struct kvb_slice){start, length};
    line->number++;
    return true;
}

struct kvb_slice kvb_slice_of(const char *text)
{
    return (struct kvb_slice){text, strlen(text)};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct kvb_slice kvb_slice_trim(struct kvb_slice slice)
{
    while (slice.length > 0 && is_blank(slice.start[0])) {
        slice.start++;
        slice.length--;
    }
    while (slice.length > 0 && is_blank(slice.start[slice.length - 1])) {
        slice.length--;
    }
    return slice;
}

static struct kvb_slice skip(struct kvb_slice slice, size_t count)
{
    return (struct kvb_slice){slice.start + count, slice.length - count};
}

struct kvb_slice kvb_slice_word(struct kvb_slice *rest)
{
    struct kvb_slice text = kvb_slice_trim(*rest);
    size_t length = 0;
    while (length < text.length && !is_blank(text.start[length])) {
        length++;
    }
    *rest = kvb_slice_trim(skip(text, length));
    return (struct kvb_slice){text.start, length};
}

struct kvb_slice kvb_slice_until(struct kvb_slice *rest, char separator)
{
    const char *end = rest->length > 0 ? memchr(rest->start, separator, rest->length) : NULL;
    size_t length = end != NULL ? (size_t)(end - rest->start) : rest->length;
    struct kvb_slice part = {rest->start, length};
    *rest = skip(*rest, end != NULL ? length + 1 : length);
    return kvb_slice_trim(part);
}

bool kvb_slice_is(struct kvb_slice slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.start, text, slice.length) == 0;
}

bool kvb_slice_begins(struct kvb_slice slice, const char *text)
{
    size_t length = strlen(text);
    return slice.length >= length && memcmp(slice.start, text, length) == 0;
}

const char *kvb_slice_find(struct kvb_slice slice, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= slice.length; i++) {
        if (memcmp(slice.start + i, text, length) == 0) {
            return slice.start + i;
        }
    }
    return NULL;
}

void kvb_slice_copy(struct kvb_slice slice, char *out, size_t capacity)
{
    size_t length = slice.length < capacity - 1 ? slice.length : capacity - 1;
    memcpy(out, slice.start, length);
    out[length] = '\0';
    kvb_make_printable(out);
}

bool kvb_slice_whole(struct kvb_slice slice, uint64_t *number)
{
    char text[24];
    if (slice.length == 0 || slice.length >= sizeof text) {
        return false;
    }
    memcpy(text, slice.start, slice.length);
    text[slice.length] = '\0';
    return kvb_parse_whole(text, number);
}

bool kvb_slice_size(struct kvb_slice slice, uint64_t unit_bytes, uint64_t *bytes)
{
    char text[40];
    uint64_t number;
    if (kvb_slice_whole(slice, &number)) {
        *bytes = kvb_mul(number, unit_bytes);
        return *bytes <= KVB_BYTES_MAX;
    }
    if (slice.length == 0 || slice.length >= sizeof text) {
        return false;
    }
    memcpy(text, slice.start, slice.length);
    text[slice.length] = '\0';
    return kvb_parse_bytes(text, bytes);
}

bool kvb_slice_is_absent(struct kvb_slice slice)
{
    static const char *const words[] = {"N/A",
                                        "Not Supported",
                                        "Unknown Error",
                                        "Insufficient Permissions",
                                        "GPU is lost",
                                        "Not Found",
                                        "Requested functionality has been deprecated",
                                        "Unknown",
                                        "ERR!",
                                        "-"};
    struct kvb_slice text = kvb_slice_trim(slice);
    if (text.length >= 2 && text.start[0] == '[' && text.start[text.length - 1] == ']') {
        text = (struct kvb_slice){text.start + 1, text.length - 2};
    }
    if (text.length == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (kvb_slice_is(text, words[i])) {
            return true;
        }
    }
    return false;
}

enum kvb_status kvb_smi_fail(const struct kvb_smi_text *text, uint32_t line, uint32_t column, const char *format, ...)
{
    char sentence[KVB_PROBLEM_TEXT_CAPACITY];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    struct kvb_place place = {.file = text->file, .line = line, .column = column};
    return kvb_problem_add(text->problems, KVB_ERROR, KVB_BAD_SYNTAX, place, "%s", sentence);
}

uint32_t kvb_smi_column(const struct kvb_smi_line *line, const char *at)
{
    bool within = at >= line->text.start && at <= line->text.start + line->text.length;
    return within ? (uint32_t)(at - line->text.start) + 1 : 0;
}

enum kvb_status kvb_smi_figure(const struct kvb_smi_text *text, const struct kvb_smi_line *line, struct kvb_slice value,
                               const char *what, uint64_t unit_bytes, struct kvb_figure *figure)
{
    if (kvb_slice_is_absent(value)) {
        *figure = (struct kvb_figure){0};
        return KVB_OK;
    }
    if (!kvb_slice_size(value, unit_bytes, &figure->value)) {
        return kvb_smi_fail(text, line->number, kvb_smi_column(line, value.start),
                            "%s: expected a size such as 81920MiB, or N/A; found '%.*s'", what,
                            (int)kvb_min(value.length, 40), value.start);
    }
    figure->known = true;
    return KVB_OK;
}

struct kvb_device *kvb_machine_add(struct kvb_machine *machine, const struct kvb_smi_text *text, uint32_t line)
{
    if (machine->count == KVB_DEVICES_MAX) {
        (void)kvb_smi_fail(text, line, 0, "more than %d GPUs and MIG slices", KVB_DEVICES_MAX);
        return NULL;
    }
    struct kvb_device *device = &machine->devices[machine->count++];
    memset(device, 0, sizeof *device);
    return device;
}

struct kvb_device *kvb_machine_find(struct kvb_machine *machine, uint32_t index)
{
    for (uint32_t i = 0; i < machine->count; i++) {
        if (machine->devices[i].index == index && !machine->devices[i].is_slice) {
            return &machine->devices[i];
        }
    }
    return NULL;
}

struct kvb_device *kvb_machine_find_instance(struct kvb_machine *machine, uint32_t index, bool has_instance,
                                             uint32_t instance)
{
    for (uint32_t i = 0; has_instance && i < machine->count; i++) {
        struct kvb_device *device = &machine->devices[i];
        if (device->is_slice && device->index == index && device->gpu_instance == instance) {
            return device;
        }
    }
    return kvb_machine_find(machine, index);
}

void kvb_device_add_process(struct kvb_device *device, const struct kvb_device_process *process)
{
    device->process_total++;
    if (device->process_count < KVB_DEVICE_PROCESSES_MAX) {
        device->processes[device->process_count++] = *process;
    }
}

void kvb_device_set_name(struct kvb_device *device, struct kvb_slice name)
{
    size_t dots = 0;
    while (dots < name.length && name.start[name.length - 1 - dots] == '.') {
        dots++;
    }
    device->name_cut = dots >= 2;
    kvb_slice_copy(name, device->name, sizeof device->name);
}

bool kvb_is_windows_model(struct kvb_slice word)
{
    return kvb_slice_is(word, "WDDM") || kvb_slice_is(word, "TCC") || kvb_slice_is(word, "MCDM");
}
