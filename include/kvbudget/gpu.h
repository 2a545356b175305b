// A GPU as memory: what CUDA reports as its total, and how sure that figure is.
#ifndef KVBUDGET_GPU_H
#define KVBUDGET_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/export.h>
#include <kvbudget/model.h>

KVB_PUBLIC_BEGIN

enum kvb_basis {
    KVB_BASIS_EXACT,      // arithmetic of the engine
    KVB_BASIS_CHECKPOINT, // from the checkpoint's own headers
    KVB_BASIS_CONFIG,     // from config.json or a profile
    KVB_BASIS_MEASURED,   // seen in a log or on a device
    KVB_BASIS_MODELLED,   // a formula fitted to logs
    KVB_BASIS_ASSUMED,    // nothing better is known
    KVB_BASIS_STATED,     // the user said so
    KVB_BASIS_NAMEPLATE,  // GPU total from the data sheet
    KVB_BASIS_COUNT
};
const char *kvb_basis_name(enum kvb_basis basis);

enum kvb_vendor { KVB_VENDOR_NVIDIA, KVB_VENDOR_AMD, KVB_VENDOR_INTEL, KVB_VENDOR_OTHER };

struct kvb_gpu {
    char id[64];
    char name[KVB_NAME_CAPACITY]; // as nvidia-smi prints it
    enum kvb_vendor vendor;
    uint64_t memory_bytes;     // CUDA total on Linux
    uint64_t memory_low_bytes; // range over driver branches
    uint64_t memory_high_bytes;
    uint64_t device_bytes;       // nvidia-smi total: what WSL2 and Windows report as CUDA total; 0 = not known
    enum kvb_basis memory_basis; // MEASURED, MODELLED (total less reserve) or NAMEPLATE
    uint32_t compute_capability; // 90 for 9.0; 0 = not known or not NVIDIA
    uint32_t multiprocessors;    // SM count; 0 = not known
    bool nvlink;                 // data-centre SXM parts
    bool bridged;                // NVLink from card to card, without a switch
    bool cdna;                   // AMD's data-centre architecture
    bool unified_memory;
    bool fp8_native;
};

KVB_PUBLIC_END

#endif
