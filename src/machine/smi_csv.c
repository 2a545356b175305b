// `nvidia-smi --query-gpu=... --format=csv`: columns are found by their names in the first line.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "machine/smi.h"

#define COLUMNS_MAX 64

enum column {
    COLUMN_OTHER,
    COLUMN_TIME,
    COLUMN_INDEX,
    COLUMN_NAME,
    COLUMN_UUID,
    COLUMN_BUS,
    COLUMN_TOTAL,
    COLUMN_RESERVED,
    COLUMN_USED,
    COLUMN_FREE,
    COLUMN_LOAD,
    COLUMN_DRIVER,
    COLUMN_MIG,
    COLUMN_MODEL,
    COLUMN_PID,
    COLUMN_PROCESS_NAME,
    COLUMN_PROCESS_MEMORY,
    COLUMN_GPU_UUID,
    COLUMN_GPU_BUS
};

static const struct {
    const char *name; // without the unit in brackets
    enum column column;
} names[] = {
    {"timestamp", COLUMN_TIME},
    {"index", COLUMN_INDEX},
    {"name", COLUMN_NAME},
    {"gpu_name", COLUMN_NAME},
    {"uuid", COLUMN_UUID},
    {"gpu_uuid", COLUMN_GPU_UUID},
    {"pci.bus_id", COLUMN_BUS},
    {"gpu_bus_id", COLUMN_GPU_BUS},
    {"memory.total", COLUMN_TOTAL},
    {"memory.reserved", COLUMN_RESERVED},
    {"memory.used", COLUMN_USED},
    {"memory.free", COLUMN_FREE},
    {"utilization.gpu", COLUMN_LOAD},
    {"driver_version", COLUMN_DRIVER},
    {"mig.mode.current", COLUMN_MIG},
    {"driver_model.current", COLUMN_MODEL},
    {"pid", COLUMN_PID},
    {"process_name", COLUMN_PROCESS_NAME},
    {"used_gpu_memory", COLUMN_PROCESS_MEMORY},
    {"used_memory", COLUMN_PROCESS_MEMORY},
};

struct csv {
    const struct kvb_smi_text *text;
    struct kvb_machine *machine;
    struct kvb_smi_line line;
    size_t column_count;
    enum column columns[COLUMNS_MAX];
    bool of_processes;
};

static enum column column_named(struct kvb_slice header)
{
    struct kvb_slice rest = header;
    struct kvb_slice word = kvb_slice_word(&rest);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (kvb_slice_is(word, names[i].name)) {
            return names[i].column;
        }
    }
    return COLUMN_OTHER;
}

static bool has_column(const struct csv *csv, enum column column)
{
    for (size_t i = 0; i < csv->column_count; i++) {
        if (csv->columns[i] == column) {
            return true;
        }
    }
    return false;
}

// A line of column names; they begin in lower case, values with capitals or digits.
static bool read_header(struct csv *csv)
{
    enum column columns[COLUMNS_MAX];
    struct kvb_slice rest = csv->line.text;
    size_t count = 0;
    bool known = false;
    while (rest.length > 0 && count < COLUMNS_MAX) {
        columns[count] = column_named(kvb_slice_until(&rest, ','));
        known = known || columns[count] != COLUMN_OTHER;
        count++;
    }
    if (!known) {
        return false;
    }
    memcpy(csv->columns, columns, count * sizeof columns[0]);
    csv->column_count = count;
    csv->of_processes = has_column(csv, COLUMN_PID);
    return true;
}

static enum kvb_status check_header(const struct csv *csv)
{
    bool sum =
        has_column(csv, COLUMN_USED) && has_column(csv, COLUMN_FREE); // the total but for what the driver reserves
    if (csv->of_processes || sum || has_column(csv, COLUMN_TOTAL)) {
        return KVB_OK;
    }
    return kvb_smi_fail(csv->text, csv->line.number, 0,
                        "no column memory.total; ask for it with nvidia-smi "
                        "--query-gpu=index,name,memory.total,memory.used,memory.free --format=csv");
}

static enum kvb_status take_index(const struct csv *csv, struct kvb_slice value, struct kvb_device *device)
{
    uint64_t index;
    if (!kvb_slice_whole(value, &index) || index > UINT32_MAX) {
        return kvb_smi_fail(csv->text, csv->line.number, kvb_smi_column(&csv->line, value.start),
                            "index: expected the number of a GPU; found '%.*s'", (int)kvb_min(value.length, 40),
                            value.start);
    }
    const struct kvb_device *same = kvb_machine_find(csv->machine, (uint32_t)index);
    if (same != NULL && same != device) {
        return kvb_smi_fail(csv->text, csv->line.number, kvb_smi_column(&csv->line, value.start),
                            "GPU %u is listed twice", (unsigned)index);
    }
    device->index = (uint32_t)index;
    return KVB_OK;
}

static void take_load(struct kvb_slice value, struct kvb_device *device)
{
    struct kvb_slice word = kvb_slice_word(&value);
    if (word.length > 1 && word.start[word.length - 1] == '%') {
        word.length--;
    }
    device->load_percent.known = kvb_slice_whole(word, &device->load_percent.value);
}

static enum kvb_status take_size(const struct csv *csv, enum column column, struct kvb_slice value,
                                 struct kvb_device *device)
{
    switch (column) {
    case COLUMN_TOTAL:
        return kvb_smi_figure(csv->text, &csv->line, value, "memory.total", KVB_MIB, &device->total_bytes);
    case COLUMN_RESERVED:
        return kvb_smi_figure(csv->text, &csv->line, value, "memory.reserved", KVB_MIB, &device->reserved_bytes);
    case COLUMN_USED:
        return kvb_smi_figure(csv->text, &csv->line, value, "memory.used", KVB_MIB, &device->used_bytes);
    case COLUMN_FREE:
        return kvb_smi_figure(csv->text, &csv->line, value, "memory.free", KVB_MIB, &device->free_bytes);
    default:
        return KVB_OK;
    }
}

static enum kvb_status take_gpu_value(struct csv *csv, enum column column, struct kvb_slice value,
                                      struct kvb_device *device)
{
    switch (column) {
    case COLUMN_INDEX:
        return take_index(csv, value, device);
    case COLUMN_NAME:
        kvb_device_set_name(device, value);
        return KVB_OK;
    case COLUMN_UUID:
    case COLUMN_GPU_UUID:
        kvb_slice_copy(value, device->uuid, sizeof device->uuid);
        return KVB_OK;
    case COLUMN_BUS:
    case COLUMN_GPU_BUS:
        kvb_slice_copy(value, device->bus_id, sizeof device->bus_id);
        return KVB_OK;
    case COLUMN_LOAD:
        take_load(value, device);
        return KVB_OK;
    case COLUMN_DRIVER:
        kvb_slice_copy(value, csv->machine->driver, sizeof csv->machine->driver);
        return KVB_OK;
    case COLUMN_MIG:
        device->mig_enabled = kvb_slice_is(value, "Enabled");
        return KVB_OK;
    case COLUMN_MODEL:
        csv->machine->platform = kvb_is_windows_model(value) ? KVB_PLATFORM_WINDOWS : csv->machine->platform;
        return KVB_OK;
    default:
        return take_size(csv, column, value, device);
    }
}

static struct kvb_device *owner_of(struct csv *csv, enum column column, struct kvb_slice value)
{
    for (uint32_t i = 0; i < csv->machine->count; i++) {
        struct kvb_device *device = &csv->machine->devices[i];
        const char *own = column == COLUMN_GPU_UUID || column == COLUMN_UUID ? device->uuid : device->bus_id;
        if (own[0] != '\0' && kvb_slice_is(value, own)) {
            return device;
        }
    }
    return NULL;
}

static enum kvb_status take_process_value(struct csv *csv, enum column column, struct kvb_slice value,
                                          struct kvb_device_process *process, struct kvb_device **owner)
{
    uint64_t pid;
    switch (column) {
    case COLUMN_PID:
        process->pid = kvb_slice_whole(value, &pid) && pid <= UINT32_MAX ? (uint32_t)pid : 0;
        return KVB_OK;
    case COLUMN_NAME:
    case COLUMN_PROCESS_NAME:
        kvb_slice_copy(value, process->name, sizeof process->name);
        return KVB_OK;
    case COLUMN_PROCESS_MEMORY:
        return kvb_smi_figure(csv->text, &csv->line, value, "used_gpu_memory", KVB_MIB, &process->used_bytes);
    case COLUMN_UUID:
    case COLUMN_GPU_UUID:
    case COLUMN_BUS:
    case COLUMN_GPU_BUS:
        *owner = *owner != NULL ? *owner : owner_of(csv, column, value);
        return KVB_OK;
    default:
        return KVB_OK;
    }
}

static enum kvb_status read_row(struct csv *csv)
{
    struct kvb_device_process process = {0};
    struct kvb_device *device = NULL;
    struct kvb_slice rest = csv->line.text;
    enum kvb_status status = KVB_OK;
    if (!csv->of_processes) {
        bool again =
            has_column(csv, COLUMN_TIME) && !has_column(csv, COLUMN_INDEX); // repeated: the last reading counts
        if (again) {
            csv->machine->count = 0;
        }
        uint32_t next = csv->machine->count;
        device = kvb_machine_add(csv->machine, csv->text, csv->line.number);
        if (device == NULL) {
            return KVB_BAD_SYNTAX;
        }
        device->index = has_column(csv, COLUMN_INDEX) ? UINT32_MAX : next;
    }
    for (size_t i = 0; status == KVB_OK && i < csv->column_count; i++) {
        if (rest.length == 0) {
            return kvb_smi_fail(csv->text, csv->line.number, 0, "expected %zu columns as in the first line; found %zu",
                                csv->column_count, i);
        }
        struct kvb_slice value = kvb_slice_until(&rest, ',');
        status = csv->of_processes ? take_process_value(csv, csv->columns[i], value, &process, &device)
                                   : take_gpu_value(csv, csv->columns[i], value, device);
    }
    if (status == KVB_OK && kvb_slice_trim(rest).length > 0) {
        return kvb_smi_fail(csv->text, csv->line.number, 0, "more than the %zu columns of the first line",
                            csv->column_count);
    }
    if (status == KVB_OK && !csv->of_processes && !has_column(csv, COLUMN_TOTAL)) {
        device->total_bytes.known = device->used_bytes.known && device->free_bytes.known;
        device->total_bytes.value = device->used_bytes.value + device->free_bytes.value;
    }
    if (status == KVB_OK && csv->of_processes && device != NULL) {
        kvb_device_add_process(device, &process);
    }
    return status;
}

// A shell prompt or a blank line may stand in front of the header, nothing else.
static enum kvb_status read_line(struct csv *csv)
{
    struct kvb_slice text = kvb_slice_trim(csv->line.text);
    if (text.length == 0) {
        return KVB_OK;
    }
    if (read_header(csv)) {
        return check_header(csv);
    }
    return csv->column_count > 0 ? read_row(csv) : KVB_OK;
}

enum kvb_status kvb_smi_read_csv(const struct kvb_smi_text *text, struct kvb_machine *machine)
{
    struct csv csv = {.text = text, .machine = machine};
    size_t offset = 0;
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && kvb_smi_next(text, &offset, &csv.line)) {
        status = read_line(&csv);
    }
    if (status == KVB_OK && machine->count == 0) {
        return kvb_smi_fail(text, 0, 0, "no GPU below the line of column names");
    }
    return status;
}
