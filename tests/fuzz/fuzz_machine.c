// Pasted output of nvidia-smi and its kin: any bytes; what is accepted names its devices and adds up.
#include "fuzz_check.h"

#include <kvbudget/machine.h>

static struct kvb_problems problems;
static struct kvb_machine machine;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_machine_read("fuzz", (const char *)data, size, &machine, &problems);
    fuzz_check(status, &problems);
    for (uint32_t i = 0; status == KVB_OK && i < machine.count; i++) {
        char label[32];
        const struct kvb_device *device = &machine.devices[i];
        bool within = !device->total_bytes.known || device->total_bytes.value == 0 ||
                      (device->gpu.memory_bytes <= device->total_bytes.value &&
                       device->free_bytes.value <= device->total_bytes.value);
        if (!within || kvb_device_label(label, device)[0] == '\0' || device->process_count > KVB_DEVICE_PROCESSES_MAX) {
            abort();
        }
    }
    return 0;
}
