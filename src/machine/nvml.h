// The part of NVIDIA's management library that is asked for, declared here because the library is
// opened at run time and never linked. Numbers and layouts: NVIDIA's NVML API reference.
#ifndef KVB_MACHINE_NVML_H
#define KVB_MACHINE_NVML_H

#include <stdint.h>

typedef struct kvb_nvml_device *kvb_nvml_handle; // opaque

enum kvb_nvml_code {
    KVB_NVML_SUCCESS = 0,
    KVB_NVML_INVALID_ARGUMENT = 2,
    KVB_NVML_NOT_SUPPORTED = 3,
    KVB_NVML_NO_PERMISSION = 4,
    KVB_NVML_NOT_FOUND = 6,
    KVB_NVML_INSUFFICIENT_SIZE = 7,
    KVB_NVML_ARGUMENT_VERSION_MISMATCH = 25
};

struct kvb_nvml_memory {
    unsigned long long total, free, used; // used includes the driver's reserve
};

// The version word is the size of the struct with the version in its top byte.
#define KVB_NVML_MEMORY_V2 0x02000028U
struct kvb_nvml_memory_v2 {
    unsigned int version;
    unsigned long long total, reserved, free, used;
};
_Static_assert(sizeof(struct kvb_nvml_memory_v2) == 0x28, "the version word holds the size");

struct kvb_nvml_utilization {
    unsigned int gpu, memory; // per cent
};

#define KVB_NVML_VALUE_NOT_AVAILABLE UINT64_MAX
struct kvb_nvml_process {
    unsigned int pid;
    unsigned long long used_bytes;
};
struct kvb_nvml_process_v2 { // of _v2 and _v3
    unsigned int pid;
    unsigned long long used_bytes;
    unsigned int gpu_instance, compute_instance;
};

#endif
