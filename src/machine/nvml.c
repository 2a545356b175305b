// Asks the NVIDIA driver through its library, opened at run time: newest call first, then older ones;
// what a driver declines to say stays unknown.
#include "machine/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/smi.h"
#include "text/file.h"

#define PROCESSES_ASKED 256

typedef void (*any_function)(void);

struct nvml {
    void *library;
    any_function init, shutdown, error_text, driver_version, cuda_version;
    any_function count, handle, name, uuid, memory_v2, memory_v1, utilization;
    any_function compute_v2, compute_v1, graphics_v2, graphics_v1, process_name;
    any_function mig_mode, mig_max, mig_handle, gpu_instance, compute_instance;
    struct kvb_problems *problems;
};

// One row per call: names from newest to oldest, all with the same arguments.
static const struct {
    const char *names[3];
    size_t offset;
    bool required;
} calls[] = {
    {{"nvmlInit_v2", "nvmlInit"}, offsetof(struct nvml, init), true},
    {{"nvmlShutdown"}, offsetof(struct nvml, shutdown), true},
    {{"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, offsetof(struct nvml, count), true},
    {{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, offsetof(struct nvml, handle), true},
    {{"nvmlDeviceGetName"}, offsetof(struct nvml, name), true},
    {{"nvmlDeviceGetMemoryInfo"}, offsetof(struct nvml, memory_v1), true},
    {{"nvmlDeviceGetMemoryInfo_v2"}, offsetof(struct nvml, memory_v2), false},
    {{"nvmlErrorString"}, offsetof(struct nvml, error_text), false},
    {{"nvmlSystemGetDriverVersion"}, offsetof(struct nvml, driver_version), false},
    {{"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"},
     offsetof(struct nvml, cuda_version),
     false},
    {{"nvmlDeviceGetUUID"}, offsetof(struct nvml, uuid), false},
    {{"nvmlDeviceGetUtilizationRates"}, offsetof(struct nvml, utilization), false},
    {{"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"},
     offsetof(struct nvml, compute_v2),
     false},
    {{"nvmlDeviceGetComputeRunningProcesses"}, offsetof(struct nvml, compute_v1), false},
    {{"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"},
     offsetof(struct nvml, graphics_v2),
     false},
    {{"nvmlDeviceGetGraphicsRunningProcesses"}, offsetof(struct nvml, graphics_v1), false},
    {{"nvmlSystemGetProcessName"}, offsetof(struct nvml, process_name), false},
    {{"nvmlDeviceGetMigMode"}, offsetof(struct nvml, mig_mode), false},
    {{"nvmlDeviceGetMaxMigDeviceCount"}, offsetof(struct nvml, mig_max), false},
    {{"nvmlDeviceGetMigDeviceHandleByIndex"}, offsetof(struct nvml, mig_handle), false},
    {{"nvmlDeviceGetGpuInstanceId"}, offsetof(struct nvml, gpu_instance), false},
    {{"nvmlDeviceGetComputeInstanceId"}, offsetof(struct nvml, compute_instance), false},
};

typedef int call_plain(void);
typedef const char *call_error(int code);
typedef int call_number(unsigned *number);
typedef int call_signed(int *number);
typedef int call_system_text(char *text, unsigned length);
typedef int call_handle(unsigned index, kvb_nvml_handle *handle);
typedef int call_text(kvb_nvml_handle handle, char *text, unsigned length);
typedef int call_memory(kvb_nvml_handle handle, struct kvb_nvml_memory *memory);
typedef int call_memory_v2(kvb_nvml_handle handle, struct kvb_nvml_memory_v2 *memory);
typedef int call_utilization(kvb_nvml_handle handle, struct kvb_nvml_utilization *utilization);
typedef int call_processes(kvb_nvml_handle handle, unsigned *count, void *processes);
typedef int call_process_name(unsigned pid, char *name, unsigned length);
typedef int call_mig_mode(kvb_nvml_handle handle, unsigned *current, unsigned *pending);
typedef int call_device_number(kvb_nvml_handle handle, unsigned *number);
typedef int call_mig_handle(kvb_nvml_handle handle, unsigned index, kvb_nvml_handle *slice);

static enum kvb_status fail(const struct nvml *nvml, int code, const char *what)
{
    const char *reason = nvml->error_text != NULL ? ((call_error *)nvml->error_text)(code) : NULL;
    return kvb_problem_add(nvml->problems, KVB_ERROR, KVB_DEVICE_FAILED, (struct kvb_place){0},
                           "the NVIDIA driver cannot %s: %.200s (NVML code %d)", what,
                           reason != NULL ? reason : "unknown error", code);
}

static bool look_up(struct nvml *nvml, size_t row)
{
    for (size_t i = 0; i < 3 && calls[row].names[i] != NULL; i++) {
        void *symbol = dlsym(nvml->library, calls[row].names[i]);
        if (symbol != NULL) {
            // A function's address comes as an object's; POSIX promises that they are alike.
            memcpy((char *)nvml + calls[row].offset, &symbol, sizeof symbol);
            return true;
        }
    }
    return !calls[row].required;
}

static enum kvb_status open_library(struct nvml *nvml, const char *path)
{
    static const char *const usual[] = {"libnvidia-ml.so.1", "libnvidia-ml.so", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
    if (path != NULL) {
        nvml->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    for (size_t i = 0; path == NULL && nvml->library == NULL && i < sizeof usual / sizeof usual[0]; i++) {
        nvml->library = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (nvml->library == NULL) {
        return kvb_problem_add(nvml->problems, KVB_ERROR, KVB_DEVICE_FAILED, (struct kvb_place){0},
                               "no NVIDIA driver answers here (%.200s cannot be opened); give the output of nvidia-smi "
                               "or rocm-smi --json with --gpu-state FILE, or - for standard input",
                               path != NULL ? path : "libnvidia-ml.so.1");
    }
    for (size_t row = 0; row < sizeof calls / sizeof calls[0]; row++) {
        if (!look_up(nvml, row)) {
            return kvb_problem_add(nvml->problems, KVB_ERROR, KVB_DEVICE_FAILED, (struct kvb_place){0},
                                   "the NVML library has no %s; is it NVIDIA's?", calls[row].names[0]);
        }
    }
    return KVB_OK;
}

static void ask_text(any_function call, kvb_nvml_handle handle, char *out, size_t capacity)
{
    char text[96] = "";
    if (call != NULL && ((call_text *)call)(handle, text, sizeof text) == KVB_NVML_SUCCESS) {
        text[sizeof text - 1] = '\0';
        kvb_slice_copy(kvb_slice_of(text), out, capacity);
    }
}

static void ask_versions(const struct nvml *nvml, struct kvb_machine *machine)
{
    char text[96] = "";
    int cuda = 0;
    if (nvml->driver_version != NULL &&
        ((call_system_text *)nvml->driver_version)(text, sizeof text) == KVB_NVML_SUCCESS) {
        text[sizeof text - 1] = '\0';
        kvb_slice_copy(kvb_slice_of(text), machine->driver, sizeof machine->driver);
    }
    if (nvml->cuda_version != NULL && ((call_signed *)nvml->cuda_version)(&cuda) == KVB_NVML_SUCCESS && cuda > 0) {
        (void)snprintf(machine->cuda, sizeof machine->cuda, "%d.%d", cuda / 1000 % 1000, cuda % 1000 / 10);
    }
}

static void know(struct kvb_figure *figure, uint64_t value)
{
    *figure = (struct kvb_figure){.known = value <= (UINT64_C(1) << 53), .value = value};
}

// Version 2 tells the driver's reserve apart; version 1 counts it as used. Neither: unified memory.
static enum kvb_status ask_memory(const struct nvml *nvml, kvb_nvml_handle handle, struct kvb_device *device)
{
    struct kvb_nvml_memory_v2 newer = {.version = KVB_NVML_MEMORY_V2};
    struct kvb_nvml_memory older = {0};
    if (nvml->memory_v2 != NULL && ((call_memory_v2 *)nvml->memory_v2)(handle, &newer) == KVB_NVML_SUCCESS) {
        know(&device->total_bytes, newer.total);
        know(&device->reserved_bytes, newer.reserved);
        know(&device->used_bytes, newer.used);
        know(&device->free_bytes, newer.free);
        return KVB_OK;
    }
    int code = ((call_memory *)nvml->memory_v1)(handle, &older);
    if (code == KVB_NVML_SUCCESS) {
        know(&device->total_bytes, older.total);
        know(&device->used_bytes, older.used);
        know(&device->free_bytes, older.free);
        device->used_includes_reserve = true;
        return KVB_OK;
    }
    bool unknown = code == KVB_NVML_NOT_SUPPORTED || code == KVB_NVML_NO_PERMISSION || code == KVB_NVML_NOT_FOUND;
    return unknown ? KVB_OK : fail(nvml, code, "say how much memory a GPU has");
}

static void name_process(const struct nvml *nvml, struct kvb_device_process *process)
{
    char name[256] = "";
    if (nvml->process_name != NULL &&
        ((call_process_name *)nvml->process_name)(process->pid, name, sizeof name) == KVB_NVML_SUCCESS) {
        name[sizeof name - 1] = '\0';
        kvb_slice_copy(kvb_slice_of(name), process->name, sizeof process->name);
    }
}

// A process that computes and draws is in both lists and counts once.
static bool is_listed(const struct kvb_device *device, uint32_t pid)
{
    for (uint32_t i = 0; i < device->process_count; i++) {
        if (device->processes[i].pid == pid) {
            return true;
        }
    }
    return false;
}

static void take_process(const struct nvml *nvml, struct kvb_device *device, bool graphics, unsigned pid,
                         uint64_t used_bytes)
{
    struct kvb_device_process process = {.pid = pid, .graphics = graphics};
    if (is_listed(device, pid)) {
        return;
    }
    know(&process.used_bytes, used_bytes);
    name_process(nvml, &process);
    kvb_device_add_process(device, &process);
}

static void ask_processes(const struct nvml *nvml, kvb_nvml_handle handle, struct kvb_device *device, bool graphics)
{
    struct kvb_nvml_process_v2 newer[PROCESSES_ASKED];
    struct kvb_nvml_process older[PROCESSES_ASKED];
    any_function call = graphics ? nvml->graphics_v2 : nvml->compute_v2;
    any_function old_call = graphics ? nvml->graphics_v1 : nvml->compute_v1;
    unsigned count = PROCESSES_ASKED;
    if (call != NULL && ((call_processes *)call)(handle, &count, newer) == KVB_NVML_SUCCESS) {
        for (unsigned i = 0; i < count && i < PROCESSES_ASKED; i++) {
            take_process(nvml, device, graphics, newer[i].pid, newer[i].used_bytes);
        }
        return;
    }
    count = PROCESSES_ASKED;
    if (call == NULL && old_call != NULL && ((call_processes *)old_call)(handle, &count, older) == KVB_NVML_SUCCESS) {
        for (unsigned i = 0; i < count && i < PROCESSES_ASKED; i++) {
            take_process(nvml, device, graphics, older[i].pid, older[i].used_bytes);
        }
    }
}

static void ask_load(const struct nvml *nvml, kvb_nvml_handle handle, struct kvb_device *device)
{
    struct kvb_nvml_utilization utilization = {0};
    if (nvml->utilization != NULL &&
        ((call_utilization *)nvml->utilization)(handle, &utilization) == KVB_NVML_SUCCESS) {
        know(&device->load_percent, utilization.gpu);
    }
}

static enum kvb_status ask_device(const struct nvml *nvml, kvb_nvml_handle handle, struct kvb_device *device)
{
    ask_text(nvml->uuid, handle, device->uuid, sizeof device->uuid);
    enum kvb_status status = ask_memory(nvml, handle, device);
    ask_processes(nvml, handle, device, false);
    ask_processes(nvml, handle, device, true);
    return status;
}

static unsigned ask_number(any_function call, kvb_nvml_handle handle)
{
    unsigned number = 0;
    return call != NULL && ((call_device_number *)call)(handle, &number) == KVB_NVML_SUCCESS ? number : 0;
}

static enum kvb_status ask_slices(const struct nvml *nvml, kvb_nvml_handle handle, struct kvb_machine *machine,
                                  const struct kvb_smi_text *text, uint32_t index)
{
    struct kvb_device *whole = kvb_machine_find(machine, index);
    unsigned current = 0, pending = 0;
    bool asked = nvml->mig_mode != NULL && nvml->mig_handle != NULL &&
                 ((call_mig_mode *)nvml->mig_mode)(handle, &current, &pending) == KVB_NVML_SUCCESS;
    if (!asked || current == 0) {
        return KVB_OK;
    }
    whole->mig_enabled = true;
    unsigned most = ask_number(nvml->mig_max, handle);
    enum kvb_status status = KVB_OK;
    for (unsigned i = 0; i < most && i < KVB_DEVICES_MAX && status == KVB_OK; i++) {
        kvb_nvml_handle slice = NULL;
        if (((call_mig_handle *)nvml->mig_handle)(handle, i, &slice) != KVB_NVML_SUCCESS) {
            continue; // numbers may have gaps
        }
        struct kvb_device *device = kvb_machine_add(machine, text, 0);
        if (device == NULL) {
            return KVB_DEVICE_FAILED;
        }
        device->is_slice = true;
        device->index = index;
        device->slice = i;
        device->gpu_instance = ask_number(nvml->gpu_instance, slice);
        device->compute_instance = ask_number(nvml->compute_instance, slice);
        (void)kvb_copy(device->name, sizeof device->name, whole->name);
        status = ask_device(nvml, slice, device);
    }
    return status;
}

static enum kvb_status ask_one(const struct nvml *nvml, unsigned index, struct kvb_machine *machine,
                               const struct kvb_smi_text *text)
{
    kvb_nvml_handle handle = NULL;
    int code = ((call_handle *)nvml->handle)(index, &handle);
    if (code == KVB_NVML_NO_PERMISSION) {
        return KVB_OK; // a container sees only its own
    }
    if (code != KVB_NVML_SUCCESS) {
        return fail(nvml, code, "open a GPU");
    }
    struct kvb_device *device = kvb_machine_add(machine, text, 0);
    if (device == NULL) {
        return KVB_DEVICE_FAILED;
    }
    device->index = index;
    ask_text(nvml->name, handle, device->name, sizeof device->name);
    ask_load(nvml, handle, device);
    enum kvb_status status = ask_device(nvml, handle, device);
    return status == KVB_OK ? ask_slices(nvml, handle, machine, text, index) : status;
}

static enum kvb_status ask_all(const struct nvml *nvml, struct kvb_machine *machine, const struct kvb_smi_text *text)
{
    unsigned count = 0;
    int code = ((call_number *)nvml->count)(&count);
    if (code != KVB_NVML_SUCCESS) {
        return fail(nvml, code, "count its GPUs");
    }
    enum kvb_status status = KVB_OK;
    ask_versions(nvml, machine);
    for (unsigned i = 0; i < count && status == KVB_OK; i++) {
        status = ask_one(nvml, i, machine, text);
    }
    if (status == KVB_OK && machine->count == 0) {
        return kvb_problem_add(nvml->problems, KVB_ERROR, KVB_DEVICE_FAILED, (struct kvb_place){0},
                               "the NVIDIA driver answers, but it has no GPU that may be used from here");
    }
    return status;
}

static enum kvb_status ask(struct nvml *nvml, const char *path, struct kvb_machine *machine,
                           const struct kvb_smi_text *text)
{
    enum kvb_status status = open_library(nvml, path);
    if (status != KVB_OK) {
        return status;
    }
    int code = ((call_plain *)nvml->init)();
    if (code != KVB_NVML_SUCCESS) {
        return fail(nvml, code, "be reached");
    }
    status = ask_all(nvml, machine, text);
    (void)((call_plain *)nvml->shutdown)();
    status = status == KVB_OK ? kvb_machine_settle(machine, "", nvml->problems) : status;
    if (status == KVB_OK) {
        kvb_machine_share_host(machine, "/proc/meminfo");
    }
    return status;
}

// /dev/dxg is how WSL2 reaches the GPU.
static enum kvb_platform platform_here(void)
{
    return kvb_path_exists("/dev/dxg") ? KVB_PLATFORM_WSL2 : KVB_PLATFORM_LINUX;
}

enum kvb_status kvb_machine_ask(const char *library, struct kvb_machine *machine, struct kvb_problems *problems)
{
    struct nvml nvml = {.problems = problems};
    struct kvb_smi_text text = {.file = "", .problems = problems};
    struct kvb_machine *made = kvb_reallocate(NULL, sizeof *made);
    if (made == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    memset(made, 0, sizeof *made);
    made->source = KVB_MACHINE_NVML;
    made->platform = platform_here();
    enum kvb_status status = ask(&nvml, library, made, &text);
    if (nvml.library != NULL) {
        (void)dlclose(nvml.library);
    }
    if (status == KVB_OK) {
        *machine = *made;
    }
    kvb_free(made);
    return status;
}
