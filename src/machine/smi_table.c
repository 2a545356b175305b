// The plain table of nvidia-smi, by its shape: a GPU is a row that begins with its number and has a
// bus id, followed by a row with its memory; then MIG devices and processes, if any.
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "machine/smi.h"

#define CELLS_MAX 6

enum section { SECTION_GPUS, SECTION_SLICES, SECTION_PROCESSES };

struct table {
    const struct kvb_smi_text *text;
    struct kvb_machine *machine;
    enum section section;
    struct kvb_smi_line line;
    struct kvb_smi_line gpu_line; // where the last GPU began
    struct kvb_device *open;      // its memory row is still to come
    struct kvb_slice cells[CELLS_MAX];
    size_t cell_count;
};

// Cells between bars; 0 when the line is no row.
static size_t split_cells(struct table *table)
{
    struct kvb_slice rest = table->line.text;
    table->cell_count = 0;
    (void)kvb_slice_until(&rest, '|'); // a prompt or a quotation mark may stand in front
    while (rest.length > 0 && table->cell_count < CELLS_MAX) {
        struct kvb_slice cell = kvb_slice_until(&rest, '|');
        table->cells[table->cell_count++] = cell;
    }
    return table->cell_count;
}

// The words behind "Driver Version:" and the like.
static void take_after(const struct table *table, const char *label, char *out, size_t capacity)
{
    const char *at = kvb_slice_find(table->line.text, label);
    if (at != NULL) {
        at += strlen(label);
        struct kvb_slice rest = {at, (size_t)(table->line.text.start + table->line.text.length - at)};
        kvb_slice_copy(kvb_slice_word(&rest), out, capacity);
    }
}

// Under WSL2 the tool is Linux's and the driver is Windows': their versions differ.
static void note_platform(struct table *table)
{
    char tool[32] = "";
    take_after(table, "NVIDIA-SMI ", tool, sizeof tool);
    const char *driver = table->machine->driver;
    if (tool[0] != '\0' && driver[0] != '\0' && strcmp(tool, driver) != 0) {
        table->machine->platform = KVB_PLATFORM_WSL2;
    }
}

// A new header begins the output anew, as under `nvidia-smi -l`: the last one counts.
static bool read_header(struct table *table)
{
    if (kvb_slice_find(table->line.text, "NVIDIA-SMI ") == NULL ||
        kvb_slice_find(table->line.text, "Version:") == NULL) {
        return false;
    }
    struct kvb_machine *machine = table->machine;
    memset(machine, 0, sizeof *machine);
    machine->source = KVB_MACHINE_SMI_TABLE;
    table->section = SECTION_GPUS;
    table->open = NULL;
    take_after(table, "Driver Version:", machine->driver, sizeof machine->driver);
    take_after(table, "KMD Version:", machine->driver, sizeof machine->driver);
    take_after(table, "CUDA Version:", machine->cuda, sizeof machine->cuda);
    take_after(table, "CUDA UMD Version:", machine->cuda, sizeof machine->cuda);
    note_platform(table);
    return true;
}

static enum kvb_status require_memory(const struct table *table)
{
    if (table->open == NULL) {
        return KVB_OK;
    }
    return kvb_smi_fail(table->text, table->gpu_line.number, 0,
                        "GPU %u has no row with its memory; expected one such as '| N/A  30C  P0  61W / 400W | 4MiB / "
                        "81920MiB | 0%% Default |' below this line",
                        (unsigned)table->open->index);
}

static bool is_gpu_row(const struct table *table, uint64_t *index)
{
    struct kvb_slice first = table->cells[0];
    return table->cell_count >= 2 && kvb_slice_whole(kvb_slice_word(&first), index) && *index < UINT32_MAX &&
           first.length > 0;
}

static bool is_mode_word(struct kvb_slice word)
{
    return kvb_slice_is(word, "On") || kvb_slice_is(word, "Off") || kvb_slice_is(word, "N/A") ||
           kvb_slice_is(word, "ERR!") || kvb_is_windows_model(word);
}

// The last word is the persistence mode or, on Windows, the driver model.
static struct kvb_slice without_last_word(struct kvb_slice name, struct kvb_slice *last)
{
    size_t start = name.length;
    while (start > 0 && name.start[start - 1] != ' ' && name.start[start - 1] != '\t') {
        start--;
    }
    *last = (struct kvb_slice){name.start + start, name.length - start};
    return start > 0 && is_mode_word(*last) ? kvb_slice_trim((struct kvb_slice){name.start, start}) : name;
}

static enum kvb_status begin_gpu(struct table *table, uint32_t index)
{
    enum kvb_status status = require_memory(table);
    if (status != KVB_OK) {
        return status;
    }
    if (kvb_machine_find(table->machine, index) != NULL) {
        return kvb_smi_fail(table->text, table->line.number, kvb_smi_column(&table->line, table->cells[0].start),
                            "GPU %u is listed twice", (unsigned)index);
    }
    struct kvb_device *device = kvb_machine_add(table->machine, table->text, table->line.number);
    if (device == NULL) {
        return KVB_BAD_SYNTAX;
    }
    struct kvb_slice name = table->cells[0];
    struct kvb_slice bus = table->cells[1];
    struct kvb_slice mode;
    (void)kvb_slice_word(&name);
    device->index = index;
    kvb_device_set_name(device, without_last_word(name, &mode));
    bus = kvb_slice_word(&bus);
    if (!kvb_slice_is_absent(bus)) {
        kvb_slice_copy(bus, device->bus_id, sizeof device->bus_id);
    }
    if (kvb_is_windows_model(mode)) {
        table->machine->platform = KVB_PLATFORM_WINDOWS;
    }
    table->open = device;
    table->gpu_line = table->line;
    return KVB_OK;
}

static enum kvb_status read_pair(const struct table *table, struct kvb_slice cell, struct kvb_device *device)
{
    struct kvb_slice total = cell;
    struct kvb_slice used = kvb_slice_until(&total, '/');
    total = kvb_slice_trim(total);
    enum kvb_status status =
        kvb_smi_figure(table->text, &table->line, used, "used memory", KVB_MIB, &device->used_bytes);
    if (status == KVB_OK) {
        status = kvb_smi_figure(table->text, &table->line, total, "total memory", KVB_MIB, &device->total_bytes);
    }
    return status;
}

static void read_load(struct kvb_device *device, struct kvb_slice cell)
{
    struct kvb_slice word = kvb_slice_word(&cell);
    uint64_t percent;
    if (word.length > 1 && word.start[word.length - 1] == '%' &&
        kvb_slice_whole((struct kvb_slice){word.start, word.length - 1}, &percent)) {
        device->load_percent = (struct kvb_figure){.known = true, .value = percent};
    }
}

static enum kvb_status read_memory_row(struct table *table)
{
    struct kvb_device *device = table->open;
    enum kvb_status status;
    if (table->cell_count < 2) {
        return kvb_smi_fail(table->text, table->line.number, 0,
                            "expected the memory of GPU %u as 'USEDMiB / TOTALMiB' between bars",
                            (unsigned)device->index);
    }
    struct kvb_slice memory = table->cells[1];
    if (kvb_slice_is_absent(memory)) {
        status = KVB_OK;
    } else if (kvb_slice_find(memory, "/") == NULL) {
        return kvb_smi_fail(table->text, table->line.number, kvb_smi_column(&table->line, memory.start),
                            "expected the memory of GPU %u as 'USEDMiB / TOTALMiB'; found '%.*s'",
                            (unsigned)device->index, (int)kvb_min(memory.length, 40), memory.start);
    } else {
        status = read_pair(table, memory, device);
    }
    if (table->cell_count > 2) {
        read_load(device, table->cells[2]);
    }
    table->open = NULL;
    return status;
}

// The row below the memory says whether the GPU is cut into slices.
static void read_mode_row(struct table *table)
{
    if (table->machine->count > 0 && table->cell_count >= 3 && table->cells[0].length == 0 &&
        kvb_slice_begins(table->cells[2], "Enabled")) {
        table->machine->devices[table->machine->count - 1].mig_enabled = true;
    }
}

static enum kvb_status read_gpu_line(struct table *table)
{
    uint64_t index;
    if (is_gpu_row(table, &index)) {
        return begin_gpu(table, (uint32_t)index);
    }
    if (table->open != NULL) {
        return read_memory_row(table);
    }
    read_mode_row(table);
    return KVB_OK;
}

static enum kvb_status read_slice_line(struct table *table)
{
    struct kvb_slice first = table->cells[0];
    uint64_t numbers[4];
    for (size_t i = 0; i < 4; i++) {
        if (!kvb_slice_whole(kvb_slice_word(&first), &numbers[i]) || numbers[i] > UINT32_MAX) {
            return KVB_OK; // a heading, or the row of the BAR1 memory
        }
    }
    const struct kvb_device *parent = kvb_machine_find(table->machine, (uint32_t)numbers[0]);
    if (parent == NULL || table->cell_count < 2) {
        return kvb_smi_fail(table->text, table->line.number, 0, "MIG slice of a GPU %u that is not in the table above",
                            (unsigned)numbers[0]);
    }
    struct kvb_device *device = kvb_machine_add(table->machine, table->text, table->line.number);
    if (device == NULL) {
        return KVB_BAD_SYNTAX;
    }
    device->is_slice = true;
    device->index = (uint32_t)numbers[0];
    device->gpu_instance = (uint32_t)numbers[1];
    device->compute_instance = (uint32_t)numbers[2];
    device->slice = (uint32_t)numbers[3];
    device->name_cut = parent->name_cut;
    (void)kvb_copy(device->name, sizeof device->name, parent->name);
    return read_pair(table, table->cells[1], device);
}

// What stands in front of a process's name: GPU [GI CI] PID TYPE; no instances before driver 450.
struct owner {
    uint64_t gpu, instance;
    bool has_instance;
    struct kvb_slice pid, type;
};

// False: a heading, or "No running processes found".
static bool read_owner(struct kvb_slice *rest, struct owner *owner)
{
    if (!kvb_slice_whole(kvb_slice_word(rest), &owner->gpu) || owner->gpu > UINT32_MAX) {
        return false;
    }
    struct kvb_slice second = kvb_slice_word(rest);
    struct kvb_slice third = kvb_slice_word(rest);
    bool old = third.length > 0 && third.start[0] >= 'A' && !kvb_slice_is_absent(third); // its type
    owner->has_instance = !old && kvb_slice_whole(second, &owner->instance);
    owner->pid = old ? second : kvb_slice_word(rest);
    owner->type = old ? third : kvb_slice_word(rest);
    return true;
}

// The last word is the memory, when it is one; names may hold blanks.
static struct kvb_slice read_process_memory(struct kvb_slice rest, struct kvb_figure *used_bytes)
{
    size_t start = rest.length;
    while (start > 0 && rest.start[start - 1] != ' ') {
        start--;
    }
    struct kvb_slice memory = {rest.start + start, rest.length - start};
    bool absent = kvb_slice_is_absent(memory);
    if (!absent && !kvb_slice_size(memory, KVB_MIB, &used_bytes->value)) {
        return rest;
    }
    used_bytes->known = !absent;
    return kvb_slice_trim((struct kvb_slice){rest.start, start});
}

static enum kvb_status read_process_line(struct table *table)
{
    struct kvb_slice rest = table->cells[0];
    struct kvb_device_process process = {0};
    struct owner owner = {0};
    uint64_t pid;
    if (!read_owner(&rest, &owner) || kvb_slice_is_absent(owner.pid)) {
        return KVB_OK;
    }
    if (!kvb_slice_whole(owner.pid, &pid) || pid > UINT32_MAX) {
        return kvb_smi_fail(table->text, table->line.number, kvb_smi_column(&table->line, owner.pid.start),
                            "expected the number of a process; found '%.*s'", (int)kvb_min(owner.pid.length, 40),
                            owner.pid.start);
    }
    process.pid = (uint32_t)pid;
    process.graphics = owner.type.length > 0 && owner.type.start[owner.type.length - 1] == 'G';
    kvb_slice_copy(read_process_memory(rest, &process.used_bytes), process.name, sizeof process.name);
    struct kvb_device *device =
        kvb_machine_find_instance(table->machine, (uint32_t)owner.gpu, owner.has_instance, (uint32_t)owner.instance);
    if (device != NULL) {
        kvb_device_add_process(device, &process);
    }
    return KVB_OK;
}

static enum kvb_status read_line(struct table *table)
{
    static enum kvb_status (*const readers[])(struct table *) = {read_gpu_line, read_slice_line, read_process_line};
    if (read_header(table)) {
        return KVB_OK;
    }
    if (split_cells(table) == 0 || kvb_slice_begins(table->cells[0], "=") || kvb_slice_begins(table->cells[0], "-")) {
        return KVB_OK;
    }
    bool slices = kvb_slice_begins(table->cells[0], "MIG devices:");
    if (slices || kvb_slice_begins(table->cells[0], "Processes:")) {
        table->section = slices ? SECTION_SLICES : SECTION_PROCESSES;
        return require_memory(table);
    }
    return readers[table->section](table);
}

enum kvb_status kvb_smi_read_table(const struct kvb_smi_text *text, struct kvb_machine *machine)
{
    struct table table = {.text = text, .machine = machine};
    size_t offset = 0;
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && kvb_smi_next(text, &offset, &table.line)) {
        status = read_line(&table);
    }
    if (status == KVB_OK) {
        status = require_memory(&table);
    }
    if (status == KVB_OK && machine->count == 0) {
        return kvb_smi_fail(text, 0, 0,
                            "no GPU in this table; expected rows such as '|   0  NVIDIA A100-SXM4-80GB   On  | "
                            "00000000:07:00.0 Off |'");
    }
    return status;
}
