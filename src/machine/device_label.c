// What a GPU of a machine is called in a sentence.
#include <stdio.h>

#include <kvbudget/machine.h>

char *kvb_device_label(char out[32], const struct kvb_device *device)
{
    if (device->is_slice) {
        (void)snprintf(out, 32, "%u:%u", (unsigned)device->index, (unsigned)device->slice);
    } else {
        (void)snprintf(out, 32, "%u", (unsigned)device->index);
    }
    return out;
}
