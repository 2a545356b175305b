// What the host has left, for GPUs that share its memory: lines of /proc/meminfo.
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "base/text.h"
#include "machine/smi.h"
#include "text/file.h"

#define MEMINFO_MAX_BYTES ((size_t)64 << 10)

static void read_meminfo(const struct kvb_smi_text *text, struct kvb_figure *total, struct kvb_figure *available)
{
    struct kvb_smi_line line = {0};
    size_t offset = 0;
    while (kvb_smi_next(text, &offset, &line)) {
        struct kvb_slice rest = line.text;
        struct kvb_slice key = kvb_slice_until(&rest, ':');
        struct kvb_slice number = kvb_slice_word(&rest);
        struct kvb_figure *figure = kvb_slice_is(key, "MemTotal")       ? total
                                    : kvb_slice_is(key, "MemAvailable") ? available
                                                                        : NULL;
        if (figure != NULL) {
            figure->known = kvb_slice_size(number, KVB_KIB, &figure->value); // "kB" means KiB there
        }
    }
}

static void share(struct kvb_device *device, const struct kvb_figure *total, const struct kvb_figure *available)
{
    if (device->gpu.memory_bytes == 0 && total->known) {
        kvb_gpu_from_memory(total->value, &device->gpu);
        (void)kvb_copy(device->gpu.name, sizeof device->gpu.name, device->name);
        device->gpu.unified_memory = true;
        device->gpu.memory_basis = KVB_BASIS_MEASURED;
    }
    if (available->known && device->gpu.memory_bytes > 0) {
        uint64_t most = device->gpu.memory_bytes;
        device->free_bytes = *available;
        device->free_bytes.value = available->value < most ? available->value : most;
        device->used_bytes = (struct kvb_figure){.known = true, .value = most - device->free_bytes.value};
    }
}

void kvb_machine_share_host(struct kvb_machine *machine, const char *path)
{
    struct kvb_file file;
    struct kvb_figure total = {0}, available = {0};
    bool any = false;
    for (uint32_t i = 0; i < machine->count; i++) {
        any = any || machine->devices[i].unified;
    }
    if (!any || kvb_file_read(&file, path, MEMINFO_MAX_BYTES, NULL) != KVB_OK) {
        return;
    }
    const struct kvb_smi_text text = {.file = path, .text = file.text, .length = file.length, .problems = NULL};
    read_meminfo(&text, &total, &available);
    kvb_file_free(&file);
    for (uint32_t i = 0; i < machine->count; i++) {
        if (machine->devices[i].unified) {
            share(&machine->devices[i], &total, &available);
        }
    }
}
