// The GPUs of a machine as its driver reports them now, and which of them suits a deployment.
#ifndef KVBUDGET_MACHINE_H
#define KVBUDGET_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/budget.h>
#include <kvbudget/export.h>
#include <kvbudget/gpu.h>
#include <kvbudget/plan.h>
#include <kvbudget/problem.h>

KVB_PUBLIC_BEGIN

#define KVB_DEVICES_MAX 64          // GPUs and MIG slices together
#define KVB_DEVICE_PROCESSES_MAX 16 // of one device; more are counted only

// One row each in the table of formats (machine.c).
enum kvb_machine_source {
    KVB_MACHINE_NVML,
    KVB_MACHINE_SMI_TABLE,
    KVB_MACHINE_SMI_CSV,
    KVB_MACHINE_SMI_XML,
    KVB_MACHINE_SMI_QUERY,
    KVB_MACHINE_ROCM_SMI,
    KVB_MACHINE_AMD_SMI,
    KVB_MACHINE_SOURCE_COUNT
};
const char *kvb_machine_source_name(enum kvb_machine_source source); // "NVML", "nvidia-smi table", ...

// A figure that a driver may decline to give.
struct kvb_figure {
    bool known;
    uint64_t value;
};

struct kvb_device_process {
    uint32_t pid;
    bool graphics; // draws on a screen; may compute as well
    char name[96];
    struct kvb_figure used_bytes;
};

struct kvb_device {
    uint32_t index; // as the driver counts
    bool is_slice;  // a MIG slice of the GPU `index`
    uint32_t slice; // its MIG device number
    uint32_t gpu_instance, compute_instance;
    bool mig_enabled; // the GPU is cut into slices and runs nothing itself
    bool name_cut;    // the name ended in "..."
    char name[KVB_NAME_CAPACITY];
    char uuid[64];
    char bus_id[32];
    struct kvb_figure total_bytes;    // as nvidia-smi prints it; 0 or unknown: unified memory
    struct kvb_figure reserved_bytes; // by the driver, part of the total
    struct kvb_figure used_bytes;     // without the reserve once kvb_device_settle has run
    struct kvb_figure free_bytes;
    struct kvb_figure load_percent;
    bool unified;               // shares the memory of the host
    bool used_includes_reserve; // as version 1 of NVML's memory figures does
    struct kvb_gpu gpu;         // what the budget needs to know of it; memory_bytes is the CUDA total
    bool recognised;            // a profile was found for the name
    uint32_t process_count;     // listed
    uint32_t process_total;     // seen
    struct kvb_device_process processes[KVB_DEVICE_PROCESSES_MAX];
};

struct kvb_machine {
    enum kvb_machine_source source;
    enum kvb_vendor vendor;
    enum kvb_platform platform; // WSL2 and Windows are told by the driver's own words
    char driver[32];            // "" = not said
    char cuda[16];
    uint32_t count;
    struct kvb_device devices[KVB_DEVICES_MAX]; // slices behind their GPU
};

// Asks the driver of this machine. `library`: path of the NVML library, or NULL for the usual names.
enum kvb_status kvb_machine_ask(const char *library, struct kvb_machine *machine,
                                struct kvb_problems *problems) KVB_MUST_USE;

// Reads what nvidia-smi, rocm-smi or amd-smi printed, in any of the known formats; told by content.
enum kvb_status kvb_machine_read(const char *file, const char *text, size_t length, struct kvb_machine *machine,
                                 struct kvb_problems *problems) KVB_MUST_USE;
// The same from a file; "-": standard input.
enum kvb_status kvb_machine_load(const char *path, struct kvb_machine *machine,
                                 struct kvb_problems *problems) KVB_MUST_USE;

// "4", or "0:1" for MIG slice 1 of GPU 0. Returns `out`.
char *kvb_device_label(char out[32], const struct kvb_device *device);
// Whether something can be started on it: its memory is known and it is no cut-up GPU.
bool kvb_device_usable(const struct kvb_device *device);

// ---- Which one

// How a device suits a plan, at the plan's settings and at the highest utilization that its free
// memory allows.
struct kvb_rank {
    uint32_t device;        // index into kvb_machine.devices
    bool usable;            // its memory is known and the plan works on it; the rest is 0 when not
    enum kvb_status status; // why the plan does not work on it
    bool starts;
    enum kvb_verdict verdict;
    uint64_t memory_bytes, free_bytes;
    uint32_t utilization_ppm; // the plan's own
    uint64_t requested_bytes;
    int64_t kv_cache_bytes, balance_bytes;
    int64_t slack_bytes; // free - requested - outside: the headroom
    uint64_t tokens;
    bool checks_free;      // this release compares the request with what is free
    uint32_t accepted_ppm; // highest utilization the check accepts, in whole hundredths; 0 = none
    bool starts_accepted;  // it starts at accepted_ppm
    bool has_advised;
    uint32_t advised_ppm; // highest that also leaves room for what lives outside the request
};

struct kvb_ranking {
    uint32_t count;
    struct kvb_rank ranks[KVB_DEVICES_MAX]; // best first; unusable ones last
    uint32_t needed;                        // GPUs of one deployment
    uint32_t chosen_count;                  // `needed`, or 0 when there are not that many
    uint32_t chosen[KVB_DEVICES_MAX];       // indexes into ranks, best first; the last one decides
    bool chosen_alike;                      // all of the same name and total
};

// Ranks the devices for the plan, whatever GPU and free memory it names.
// `pool`: which devices may be taken, one flag per device; NULL = all. Fails when the plan cannot work
// on any of them.
enum kvb_status kvb_machine_rank(const struct kvb_plan *plan, const struct kvb_machine *machine, const bool *pool,
                                 struct kvb_ranking *ranking, struct kvb_problems *problems) KVB_MUST_USE;

KVB_PUBLIC_END

#endif
