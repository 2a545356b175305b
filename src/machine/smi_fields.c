// One row per figure of nvidia-smi -q: its section and name in XML and in text, and where it goes.
#include "machine/smi_fields.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"

enum target { TO_MACHINE, TO_DEVICE, TO_GPU, TO_PROCESS };
enum kind { IS_TEXT, IS_NAME, IS_SIZE, IS_PERCENT, IS_ENABLED, IS_DRIVER_MODEL, IS_NUMBER, IS_INSTANCE, IS_TYPE };

struct field_row {
    const char *section[2]; // by enum kvb_smi_form
    const char *key[2];
    enum target target;
    enum kind kind;
    size_t offset, capacity;
};

#define MACHINE_TEXT(member)                                                                                           \
    TO_MACHINE, IS_TEXT, offsetof(struct kvb_machine, member), sizeof(((struct kvb_machine *)0)->member)
#define DEVICE(target, kind, member)                                                                                   \
    target, kind, offsetof(struct kvb_device, member), sizeof(((struct kvb_device *)0)->member)
#define PROCESS(kind, member)                                                                                          \
    TO_PROCESS, kind, offsetof(struct kvb_device_process, member), sizeof(((struct kvb_device_process *)0)->member)

static const struct field_row rows[] = {
    {{"nvidia_smi_log", ""}, {"driver_version", "Driver Version"}, MACHINE_TEXT(driver)},
    {{"nvidia_smi_log", ""}, {"cuda_version", "CUDA Version"}, MACHINE_TEXT(cuda)},
    {{"gpu", "GPU"}, {"product_name", "Product Name"}, DEVICE(TO_GPU, IS_NAME, name)},
    {{"gpu", "GPU"}, {"uuid", "GPU UUID"}, DEVICE(TO_GPU, IS_TEXT, uuid)},
    {{"mig_mode", "MIG Mode"}, {"current_mig", "Current"}, DEVICE(TO_GPU, IS_ENABLED, mig_enabled)},
    {{"driver_model", "Driver Model"}, {"current_dm", "Current"}, TO_MACHINE, IS_DRIVER_MODEL, 0, 0},
    {{"mig_device", "MIG Device"}, {"index", "Index"}, DEVICE(TO_DEVICE, IS_NUMBER, slice)},
    {{"mig_device", "MIG Device"}, {"gpu_instance_id", "GPU Instance ID"}, DEVICE(TO_DEVICE, IS_NUMBER, gpu_instance)},
    {{"mig_device", "MIG Device"},
     {"compute_instance_id", "Compute Instance ID"},
     DEVICE(TO_DEVICE, IS_NUMBER, compute_instance)},
    {{"mig_device", "MIG Device"}, {"uuid", "MIG UUID"}, DEVICE(TO_DEVICE, IS_TEXT, uuid)},
    {{"fb_memory_usage", "FB Memory Usage"}, {"total", "Total"}, DEVICE(TO_DEVICE, IS_SIZE, total_bytes)},
    {{"fb_memory_usage", "FB Memory Usage"}, {"reserved", "Reserved"}, DEVICE(TO_DEVICE, IS_SIZE, reserved_bytes)},
    {{"fb_memory_usage", "FB Memory Usage"}, {"used", "Used"}, DEVICE(TO_DEVICE, IS_SIZE, used_bytes)},
    {{"fb_memory_usage", "FB Memory Usage"}, {"free", "Free"}, DEVICE(TO_DEVICE, IS_SIZE, free_bytes)},
    {{"utilization", "Utilization"}, {"gpu_util", "Gpu"}, DEVICE(TO_GPU, IS_PERCENT, load_percent)},
    {{"utilization", "Utilization"}, {"gpu_util", "GPU"}, DEVICE(TO_GPU, IS_PERCENT, load_percent)},
    {{"process_info", "Processes"}, {"gpu_instance_id", "GPU instance ID"}, TO_PROCESS, IS_INSTANCE, 0, 0},
    {{"process_info", "Processes"}, {"pid", "Process ID"}, PROCESS(IS_NUMBER, pid)},
    {{"process_info", "Processes"}, {"type", "Type"}, PROCESS(IS_TYPE, graphics)},
    {{"process_info", "Processes"}, {"process_name", "Name"}, PROCESS(IS_TEXT, name)},
    {{"process_info", "Processes"}, {"used_memory", "Used GPU Memory"}, PROCESS(IS_SIZE, used_bytes)},
};

enum kvb_status kvb_smi_begin_gpu(struct kvb_smi_fields *fields, uint32_t line, struct kvb_slice bus_id)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < fields->machine->count; i++) {
        index += !fields->machine->devices[i].is_slice;
    }
    kvb_smi_end_process(fields);
    fields->gpu = kvb_machine_add(fields->machine, fields->text, line);
    fields->target = fields->gpu;
    if (fields->gpu == NULL) {
        return KVB_BAD_SYNTAX;
    }
    fields->gpu->index = index;
    kvb_slice_copy(bus_id, fields->gpu->bus_id, sizeof fields->gpu->bus_id);
    return KVB_OK;
}

enum kvb_status kvb_smi_begin_slice(struct kvb_smi_fields *fields, uint32_t line)
{
    if (fields->gpu == NULL) {
        return kvb_smi_fail(fields->text, line, 0, "a MIG slice outside a GPU");
    }
    struct kvb_device *slice = kvb_machine_add(fields->machine, fields->text, line);
    if (slice == NULL) {
        return KVB_BAD_SYNTAX;
    }
    slice->is_slice = true;
    slice->index = fields->gpu->index;
    slice->name_cut = fields->gpu->name_cut;
    (void)kvb_copy(slice->name, sizeof slice->name, fields->gpu->name);
    fields->target = slice;
    return KVB_OK;
}

void kvb_smi_end_slice(struct kvb_smi_fields *fields)
{
    fields->target = fields->gpu;
}

void kvb_smi_begin_process(struct kvb_smi_fields *fields)
{
    bool has_instance = fields->has_instance;
    kvb_smi_end_process(fields);
    fields->in_process = true;
    fields->has_instance = fields->form == KVB_SMI_FORM_TEXT && has_instance; // in text the instance stands before
    memset(&fields->process, 0, sizeof fields->process);
}

void kvb_smi_end_process(struct kvb_smi_fields *fields)
{
    if (fields->in_process && fields->gpu != NULL) {
        struct kvb_device *device = kvb_machine_find_instance(fields->machine, fields->gpu->index, fields->has_instance,
                                                              (uint32_t)fields->instance);
        kvb_device_add_process(device, &fields->process);
    }
    fields->in_process = false;
}

static void *target_of(struct kvb_smi_fields *fields, enum target target)
{
    switch (target) {
    case TO_MACHINE:
        return fields->machine;
    case TO_DEVICE:
        return fields->target;
    case TO_GPU:
        return fields->gpu;
    case TO_PROCESS:
        return &fields->process;
    }
    return NULL;
}

static enum kvb_status take_number(const struct kvb_smi_fields *fields, const struct kvb_smi_line *line,
                                   struct kvb_slice value, const char *name, uint32_t *out)
{
    uint64_t number;
    if (kvb_slice_is_absent(value)) {
        return KVB_OK;
    }
    if (!kvb_slice_whole(value, &number) || number > UINT32_MAX) {
        return kvb_smi_fail(fields->text, line->number, kvb_smi_column(line, value.start),
                            "%s: expected a whole number; found '%.*s'", name, (int)kvb_min(value.length, 40),
                            value.start);
    }
    *out = (uint32_t)number;
    return KVB_OK;
}

static void take_percent(struct kvb_slice value, struct kvb_figure *figure)
{
    struct kvb_slice word = kvb_slice_word(&value);
    if (word.length > 1 && word.start[word.length - 1] == '%') {
        word.length--;
    }
    figure->known = kvb_slice_whole(word, &figure->value);
}

static void take_type(struct kvb_slice value, bool *graphics)
{
    *graphics = value.length > 0 && value.start[value.length - 1] == 'G';
}

static enum kvb_status take(struct kvb_smi_fields *fields, const struct field_row *row, struct kvb_slice value,
                            const struct kvb_smi_line *line)
{
    char *base = target_of(fields, row->target);
    const char *name = row->key[fields->form];
    if (base == NULL) {
        return KVB_OK;
    }
    switch (row->kind) {
    case IS_TEXT:
        if (!kvb_slice_is_absent(value)) {
            kvb_slice_copy(value, base + row->offset, row->capacity);
        }
        return KVB_OK;
    case IS_NAME:
        kvb_device_set_name((struct kvb_device *)(void *)base, value);
        return KVB_OK;
    case IS_SIZE:
        return kvb_smi_figure(fields->text, line, value, name, KVB_MIB,
                              (struct kvb_figure *)(void *)(base + row->offset));
    case IS_PERCENT:
        take_percent(value, (struct kvb_figure *)(void *)(base + row->offset));
        return KVB_OK;
    case IS_ENABLED:
        *(bool *)(void *)(base + row->offset) = kvb_slice_is(value, "Enabled");
        return KVB_OK;
    case IS_DRIVER_MODEL:
        if (kvb_is_windows_model(value)) {
            fields->machine->platform = KVB_PLATFORM_WINDOWS;
        }
        return KVB_OK;
    case IS_NUMBER:
        return take_number(fields, line, value, name, (uint32_t *)(void *)(base + row->offset));
    case IS_INSTANCE:
        fields->has_instance = kvb_slice_whole(value, &fields->instance);
        return KVB_OK;
    case IS_TYPE:
        take_type(value, (bool *)(void *)(base + row->offset));
        return KVB_OK;
    }
    return KVB_OK;
}

enum kvb_status kvb_smi_field(struct kvb_smi_fields *fields, struct kvb_slice section, struct kvb_slice key,
                              struct kvb_slice value, const struct kvb_smi_line *line)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct field_row *row = &rows[i];
        if (kvb_slice_is(section, row->section[fields->form]) && kvb_slice_is(key, row->key[fields->form])) {
            return take(fields, row, value, line);
        }
    }
    return KVB_OK;
}
