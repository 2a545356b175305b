// From what a driver said to what the budget needs: the GPU's profile, the driver's reserve, the total
// that CUDA reports and what is free of it.
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalogue/builtin.h"
#include "machine/smi.h"

// Before this branch the total that nvidia-smi prints is without the driver's reserve.
#define FIRST_BRANCH_WITH_RESERVE 510
// Totals of one card differ by so much between drivers and ECC settings (a sixteenth with ECC on GDDR).
#define NEAR_PART 14
// The largest part of a total that a driver was seen to keep: 448 of 15360 MiB of a T4.
#define RESERVE_PART 34
// Cards of one name whose totals differ by less are as good as one.
#define ALIKE_PART 64

static bool is_within(uint64_t a, uint64_t b, uint64_t part)
{
    uint64_t distance = a > b ? a - b : b - a;
    return distance <= b / part;
}

static char *lower_words(char out[KVB_NAME_CAPACITY], const char *name, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < KVB_NAME_CAPACITY; i++) {
        char c = name[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            out[used++] = c;
        }
    }
    out[used] = '\0';
    if (kvb_starts_with(out, "nvidia")) {
        memmove(out, out + 6, used - 5);
    }
    return out;
}

// Whether a profile's name fits: equal, or the same beginning when the name was cut.
static bool fits_name(const struct kvb_builtin *row, const struct kvb_device *device)
{
    char wanted[KVB_NAME_CAPACITY], have[KVB_NAME_CAPACITY];
    (void)lower_words(wanted, device->name, strlen(device->name));
    for (const char *name = row->names; *name != '\0';) {
        size_t length = strcspn(name, ",");
        (void)lower_words(have, name, length);
        if (wanted[0] != '\0' && (device->name_cut ? kvb_starts_with(have, wanted) : strcmp(have, wanted) == 0)) {
            return true;
        }
        name += length + (name[length] == ',');
    }
    return false;
}

static bool fits_total(const struct kvb_gpu *gpu, uint64_t total_bytes)
{
    return total_bytes == 0 || is_within(total_bytes, gpu->memory_bytes, NEAR_PART) ||
           (gpu->device_bytes > 0 && is_within(total_bytes, gpu->device_bytes, NEAR_PART));
}

// Several cards share a name, or the name was cut: the total decides. Different ones left: none is taken.
static bool find_by_total(const struct kvb_device *device, uint64_t total_bytes, struct kvb_gpu *found,
                          struct kvb_problems *scratch)
{
    size_t count;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_GPU, &count);
    unsigned matches = 0, kinds = 0;
    for (size_t i = 0; i < count; i++) {
        struct kvb_gpu gpu;
        kvb_problems_init(scratch);
        if (fits_name(&rows[i], device) && kvb_gpu_load(rows[i].id, &gpu, scratch) == KVB_OK &&
            fits_total(&gpu, total_bytes)) {
            bool alike = matches > 0 && found->compute_capability == gpu.compute_capability &&
                         is_within(found->memory_bytes, gpu.memory_bytes, ALIKE_PART);
            kinds += !alike;
            matches++;
            *found = gpu;
        }
    }
    if (matches > 1) {
        (void)kvb_copy(found->name, sizeof found->name, device->name); // which of them is not known
    }
    return kinds == 1;
}

static bool find_profile(const struct kvb_device *device, const struct kvb_device *whole, struct kvb_gpu *gpu)
{
    struct kvb_problems scratch;
    uint64_t total = whole->total_bytes.known ? whole->total_bytes.value : 0;
    kvb_problems_init(&scratch);
    if (device->name[0] == '\0') {
        return false;
    }
    if (!device->name_cut && strchr(device->name, '/') == NULL && kvb_gpu_load(device->name, gpu, &scratch) == KVB_OK &&
        fits_total(gpu, total)) {
        return true;
    }
    return find_by_total(device, total, gpu, &scratch);
}

static uint64_t driver_branch(const char *driver)
{
    uint64_t branch = 0;
    size_t length = strcspn(driver, ".");
    return kvb_slice_whole((struct kvb_slice){driver, length}, &branch) ? branch : 0;
}

// The driver's own part of a total: said, or the difference, or as the profile knows it.
static uint64_t reserve_of(const struct kvb_machine *machine, const struct kvb_device *device,
                           const struct kvb_gpu *profile)
{
    uint64_t total = device->total_bytes.value;
    if (device->reserved_bytes.known) {
        return device->reserved_bytes.value;
    }
    if (device->used_bytes.known && device->free_bytes.known) {
        uint64_t sum = kvb_add(device->used_bytes.value, device->free_bytes.value);
        if (sum < total) {
            return total - sum;
        }
    }
    uint64_t branch = driver_branch(machine->driver);
    bool whole = machine->platform == KVB_PLATFORM_LINUX && (branch == 0 || branch >= FIRST_BRANCH_WITH_RESERVE);
    bool known = device->recognised && !device->is_slice && profile->device_bytes > profile->memory_bytes;
    if (!whole || !known || (branch == 0 && total <= profile->memory_high_bytes)) {
        return 0;
    }
    return profile->device_bytes - profile->memory_bytes;
}

static void settle_gpu(const struct kvb_machine *machine, struct kvb_device *device, const struct kvb_gpu *profile,
                       uint64_t memory_bytes)
{
    uint64_t total = device->total_bytes.value;
    if (device->recognised) {
        device->gpu = *profile;
    } else {
        kvb_gpu_from_memory(memory_bytes, &device->gpu);
        device->gpu.vendor = machine->vendor;
    }
    if (device->name[0] != '\0') {
        bool complete = device->recognised && device->name_cut;
        (void)kvb_copy(device->gpu.name, sizeof device->gpu.name, complete ? profile->name : device->name);
    }
    device->gpu.memory_bytes = memory_bytes;
    device->gpu.memory_low_bytes = memory_bytes;
    device->gpu.memory_high_bytes = memory_bytes;
    device->gpu.memory_basis = KVB_BASIS_MEASURED;
    device->gpu.device_bytes = total;
}

// Totals of the profile's card differ between drivers; without a profile up to a part is the driver's.
static void widen(struct kvb_device *device, const struct kvb_gpu *profile)
{
    struct kvb_gpu *gpu = &device->gpu;
    uint64_t below = gpu->memory_bytes / RESERVE_PART;
    uint64_t above = 0;
    if (device->recognised) {
        below = profile->memory_bytes - kvb_min(profile->memory_low_bytes, profile->memory_bytes);
        above = kvb_max(profile->memory_high_bytes, profile->memory_bytes) - profile->memory_bytes;
    }
    gpu->memory_low_bytes = gpu->memory_bytes - kvb_min(below, gpu->memory_bytes);
    gpu->memory_high_bytes = kvb_min(kvb_add(gpu->memory_bytes, above), gpu->device_bytes);
    gpu->memory_basis = KVB_BASIS_MODELLED;
}

// True when the driver has a reserve and nobody said how much it is.
static bool reserve_is_guessed(const struct kvb_machine *machine, const struct kvb_device *device)
{
    uint64_t branch = driver_branch(machine->driver);
    uint64_t sum = kvb_add(device->used_bytes.value, device->free_bytes.value);
    bool told = device->used_bytes.known && device->free_bytes.known && sum < device->total_bytes.value;
    bool has_reserve = machine->vendor == KVB_VENDOR_NVIDIA && machine->platform == KVB_PLATFORM_LINUX &&
                       (branch == 0 || branch >= FIRST_BRANCH_WITH_RESERVE);
    return has_reserve && !device->reserved_bytes.known && !told && !device->is_slice;
}

// Figures that contradict each other come from a table that was edited or cut.
static enum kvb_status check(const struct kvb_device *device, const char *file, struct kvb_problems *problems)
{
    char label[32];
    uint64_t total = device->total_bytes.value;
    const struct kvb_figure *parts[] = {&device->used_bytes, &device->free_bytes, &device->reserved_bytes};
    static const char *const words[] = {"in use", "free", "reserved"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i]->known && parts[i]->value > total) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, (struct kvb_place){.file = file},
                                   "GPU %s has %llu MiB %s of %llu MiB; a part cannot exceed the total",
                                   kvb_device_label(label, device), (unsigned long long)(parts[i]->value / KVB_MIB),
                                   words[i], (unsigned long long)(total / KVB_MIB));
        }
    }
    return KVB_OK;
}

// CUDA's total is the driver's less its reserve, but the whole one under WDDM.
static void settle_memory(const struct kvb_machine *machine, struct kvb_device *device, const struct kvb_gpu *profile)
{
    uint64_t total = device->total_bytes.value;
    bool guessed = reserve_is_guessed(machine, device);
    uint64_t reserve = kvb_min(reserve_of(machine, device, profile), total);
    uint64_t usable = total - reserve;
    if (device->used_includes_reserve && device->used_bytes.known) {
        device->used_bytes.value -= kvb_min(reserve, device->used_bytes.value);
    }
    device->reserved_bytes = (struct kvb_figure){.known = true, .value = reserve};
    if (!device->free_bytes.known && device->used_bytes.known) {
        uint64_t used = device->used_bytes.value;
        device->free_bytes = (struct kvb_figure){.known = true, .value = usable > used ? usable - used : 0};
    } else if (!device->used_bytes.known && device->free_bytes.known) {
        uint64_t free_bytes = device->free_bytes.value;
        device->used_bytes = (struct kvb_figure){.known = true, .value = usable > free_bytes ? usable - free_bytes : 0};
    }
    settle_gpu(machine, device, profile, machine->platform == KVB_PLATFORM_LINUX ? usable : total);
    if (guessed) {
        widen(device, profile);
    }
}

// A driver that gives no total shares the memory of the host; the profile knows what CUDA makes of it.
static void settle_unified(const struct kvb_machine *machine, struct kvb_device *device, const struct kvb_gpu *profile)
{
    device->unified = machine->source == KVB_MACHINE_NVML && !device->mig_enabled;
    if (device->recognised) {
        device->gpu = *profile;
        device->unified = profile->unified_memory;
        device->total_bytes.value = 0;
        if (!profile->unified_memory) {
            device->gpu.memory_bytes = 0; // its total is simply not said
        }
    }
    (void)kvb_copy(device->gpu.name, sizeof device->gpu.name, device->name);
}

static const struct kvb_device *whole_of(struct kvb_machine *machine, const struct kvb_device *device)
{
    const struct kvb_device *whole = device->is_slice ? kvb_machine_find(machine, device->index) : NULL;
    return whole != NULL ? whole : device;
}

static bool comes_before(const struct kvb_device *a, const struct kvb_device *b)
{
    if (a->index != b->index) {
        return a->index < b->index;
    }
    return a->is_slice != b->is_slice ? b->is_slice : a->slice < b->slice;
}

// By number, slices behind their GPU.
static void sort(struct kvb_machine *machine)
{
    for (uint32_t i = 1; i < machine->count; i++) {
        struct kvb_device moved = machine->devices[i];
        uint32_t at = i;
        while (at > 0 && comes_before(&moved, &machine->devices[at - 1])) {
            machine->devices[at] = machine->devices[at - 1];
            at--;
        }
        machine->devices[at] = moved;
    }
}

// The next of many alike need not be looked up again.
static bool is_same_card(struct kvb_machine *machine, const struct kvb_device *a, const struct kvb_device *b)
{
    const struct kvb_device *whole_a = whole_of(machine, a);
    const struct kvb_device *whole_b = whole_of(machine, b);
    return strcmp(a->name, b->name) == 0 && a->name_cut == b->name_cut &&
           whole_a->total_bytes.value == whole_b->total_bytes.value;
}

enum kvb_status kvb_machine_settle(struct kvb_machine *machine, const char *file, struct kvb_problems *problems)
{
    struct kvb_gpu profile = {0};
    unsigned long before = kvb_memory_failures();
    sort(machine);
    for (uint32_t i = 0; i < machine->count; i++) {
        struct kvb_device *device = &machine->devices[i];
        bool again = i > 0 && is_same_card(machine, device, device - 1);
        device->recognised = again ? device[-1].recognised : find_profile(device, whole_of(machine, device), &profile);
        if (!device->total_bytes.known || device->total_bytes.value == 0) {
            settle_unified(machine, device, &profile);
            continue;
        }
        enum kvb_status status = check(device, file, problems);
        if (status != KVB_OK) {
            return status;
        }
        settle_memory(machine, device, &profile);
    }
    return kvb_memory_failures() == before // a card that is not found is no card that could not be looked up
               ? KVB_OK
               : kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file},
                                 "not enough memory to look up its GPUs");
}
