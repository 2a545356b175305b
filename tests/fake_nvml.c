// A stand-in for NVIDIA's management library: four GPUs (shared A100, H100 cut by MIG, GB10 without
// memory figures, one that may not be seen). FAKE_NVML_FAIL="call=code call=code" makes calls fail.
// Built twice: whole, and with FAKE_NVML_OLD as a driver from before the second versions.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MIB ((unsigned long long)1 << 20)

struct device {
    const char *name, *uuid;
    unsigned long long total, reserved, used; // MiB; total 0: not supported
};

struct memory {
    unsigned long long total, free, used;
};
struct memory_v2 {
    unsigned int version;
    unsigned long long total, reserved, free, used;
};
struct utilization {
    unsigned int gpu, memory;
};
struct process {
    unsigned int pid;
    unsigned long long used;
};
struct process_v2 {
    unsigned int pid;
    unsigned long long used;
    unsigned int gpu_instance, compute_instance;
};

static const struct device devices[] = {
    {"NVIDIA A100-SXM4-80GB", "GPU-a100", 81920, 655, 34332},
    {"NVIDIA H100 80GB HBM3", "GPU-h100", 81559, 480, 131},
    {"NVIDIA GB10", "GPU-gb10", 0, 0, 0},
    {"hidden", "GPU-hidden", 24564, 346, 0},
};
static const struct device slices[] = {
    {"NVIDIA H100 80GB HBM3 MIG 3g.40gb", "MIG-0", 40448, 0, 44},
    {"NVIDIA H100 80GB HBM3 MIG 3g.40gb", "MIG-2", 40448, 0, 20528},
};

// The code that FAKE_NVML_FAIL sets for a call, or `otherwise`.
static int answer(const char *call, int otherwise)
{
    const char *list = getenv("FAKE_NVML_FAIL");
    size_t length = strlen(call);
    while (list != NULL && *list != '\0') {
        if (strncmp(list, call, length) == 0 && list[length] == '=') {
            return (int)strtol(list + length + 1, NULL, 10);
        }
        list = strchr(list, ' ');
        list = list != NULL ? list + 1 : NULL;
    }
    return otherwise;
}

static int copy(char *out, unsigned length, const char *text)
{
    if (strlen(text) + 1 > length) {
        return 7;
    }
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

#ifdef FAKE_NVML_OLD
#define NAME(plain, versioned) plain
#else
#define NAME(plain, versioned) versioned
#endif

EXPORT int NAME(nvmlInit, nvmlInit_v2)(void)
{
    return answer("init", 0);
}

EXPORT int nvmlShutdown(void)
{
    return answer("shutdown", 0);
}

EXPORT int NAME(nvmlDeviceGetCount, nvmlDeviceGetCount_v2)(unsigned *count)
{
    const char *wanted = getenv("FAKE_NVML_COUNT");
    *count = wanted != NULL ? (unsigned)strtoul(wanted, NULL, 10) : 4;
    return answer("count", 0);
}

EXPORT int NAME(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2)(unsigned index, const struct device **out)
{
    *out = &devices[index % 4];
    return answer("handle", index == 3 ? 4 : 0);
}

EXPORT int nvmlDeviceGetName(const struct device *device, char *out, unsigned length)
{
    return answer("name", copy(out, length, device->name));
}

EXPORT int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *out)
{
    if (device->total == 0) {
        return 3;
    }
    out->total = device->total * MIB;
    out->used = (device->used + device->reserved) * MIB;
    out->free = out->total - out->used;
    return answer("memory", 0);
}

#ifndef FAKE_NVML_NO_ERRORS
EXPORT const char *nvmlErrorString(int code)
{
    return code == 9 ? "Driver Not Loaded" : code == 15 ? "GPU is lost" : "Some\x1b[31m Error";
}
#endif

EXPORT int nvmlSystemGetDriverVersion(char *out, unsigned length)
{
    return answer("driver", copy(out, length, "580.65.06"));
}

#ifndef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetMemoryInfo_v2(const struct device *device, struct memory_v2 *out)
{
    if (out->version != 0x02000028U) {
        return 25;
    }
    if (device->total == 0) {
        return 3;
    }
    out->total = device->total * MIB;
    out->reserved = device->reserved * MIB;
    out->used = device->used * MIB;
    out->free = out->total - out->used - out->reserved;
    return answer("memory_v2", 0);
}

EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *out)
{
    *out = 13000;
    return answer("cuda", 0);
}

EXPORT int nvmlDeviceGetUUID(const struct device *device, char *out, unsigned length)
{
    return answer("uuid", copy(out, length, device->uuid));
}

EXPORT int nvmlDeviceGetUtilizationRates(const struct device *device, struct utilization *out)
{
    out->gpu = device == &devices[0] ? 100 : 0;
    out->memory = 0;
    return answer("utilization", device == &devices[1] ? 3 : 0); // not with MIG
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(const struct device *device, unsigned *count, struct process_v2 *out)
{
    unsigned found = device == &devices[0] ? 2 : device == &slices[1] ? 1 : 0;
    if (*count < found) {
        *count = found;
        return 7;
    }
    *count = found;
    if (device == &devices[0]) {
        out[0] = (struct process_v2){812034, 34318 * MIB, UINT32_MAX, UINT32_MAX};
        out[1] = (struct process_v2){813000, UINT64_MAX, UINT32_MAX, UINT32_MAX};
    } else if (found == 1) {
        out[0] = (struct process_v2){4711, 20464 * MIB, 2, 0};
    }
    return answer("compute", 0);
}

EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(const struct device *device, unsigned *count,
                                                    struct process_v2 *out)
{
    *count = device == &devices[0] ? 2 : 0;
    if (*count == 2) {
        out[0] = (struct process_v2){812034, 34318 * MIB, UINT32_MAX, UINT32_MAX}; // computes and draws
        out[1] = (struct process_v2){77, 10 * MIB, UINT32_MAX, UINT32_MAX};
    }
    return answer("graphics", 0);
}

EXPORT int nvmlSystemGetProcessName(unsigned pid, char *out, unsigned length)
{
    return answer("process", pid == 77 ? 6 : copy(out, length, "/usr/bin/python3"));
}

EXPORT int nvmlDeviceGetMigMode(const struct device *device, unsigned *current, unsigned *pending)
{
    *current = *pending = device == &devices[1];
    return answer("mig_mode", device == &devices[2] ? 3 : 0);
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(const struct device *device, unsigned *count)
{
    (void)device;
    *count = 7;
    return answer("mig_max", 0);
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(const struct device *device, unsigned index, const struct device **out)
{
    (void)device;
    *out = index == 0 ? &slices[0] : &slices[1];
    return answer("mig_handle", index == 0 || index == 2 ? 0 : 6);
}

EXPORT int nvmlDeviceGetGpuInstanceId(const struct device *device, unsigned *id)
{
    *id = device == &slices[0] ? 1 : 2;
    return answer("gpu_instance", 0);
}

EXPORT int nvmlDeviceGetComputeInstanceId(const struct device *device, unsigned *id)
{
    (void)device;
    *id = 0;
    return answer("compute_instance", 0);
}
#else
EXPORT int nvmlDeviceGetComputeRunningProcesses(const struct device *device, unsigned *count, struct process *out)
{
    *count = device == &devices[0];
    if (*count == 1) {
        out[0] = (struct process){812034, 34318 * MIB};
    }
    return answer("compute", 0);
}
#endif
