// Pasted output of nvidia-smi, rocm-smi and amd-smi in the shapes that exist, and mistakes in them.
#include <stdio.h>
#include <string.h>

#include <kvbudget/machine.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "unit/test.h"

static struct kvb_machine machine;
static struct kvb_problems problems;

static enum kvb_status read_text(const char *text)
{
    kvb_problems_init(&problems);
    memset(&machine, 0, sizeof machine);
    return kvb_machine_read("smi.txt", text, strlen(text), &machine, &problems);
}

static enum kvb_status load(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/smi/%s", KVB_SOURCE_DIR, name);
    kvb_problems_init(&problems);
    memset(&machine, 0, sizeof machine);
    return kvb_machine_load(path, &machine, &problems);
}

// One device as it must come out; -1: not known. MiB.
struct expected {
    const char *file, *label, *name, *profile;
    int64_t total, memory, used, free_mib, load;
    uint32_t processes;
    bool mig_enabled;
    enum kvb_machine_source source;
    enum kvb_platform platform;
};

// Totals, used and free stand in the files. CUDA's memory is total - reserved where the file gives the
// reserve or the three others; where it does not, total less the profile's own difference: A100 80 GB
// 81920 - 79.25 GiB = 768, H100 81559 - 79.19 GiB (81091 MiB) = 468; nothing before driver 510 and under Windows.
static const struct expected rows[] = {
    {"shared-node-535.txt", "0", "NVIDIA A100-SXM4-80GB", "a100-sxm-80", 81920, 81152, 34332, 46820, 100, 1, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_LINUX},
    {"shared-node-535.txt", "3", "NVIDIA A100-SXM4-80GB", "a100-sxm-80", 81920, 81152, 2575, 78577, 0, 1, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_LINUX},
    {"shared-node-535.txt", "4", "NVIDIA A100-SXM4-80GB", "a100-sxm-80", 81920, 81152, 4, 81148, 0, 0, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_LINUX},
    {"old-418.txt", "0", "Tesla V100-SXM2...", "v100-32", 32480, 32480, 11, 32469, 0, 0, false, KVB_MACHINE_SMI_TABLE,
     KVB_PLATFORM_LINUX},
    {"old-418.txt", "1", "Tesla V100-SXM2...", "v100-32", 32480, 32480, 15371, 17109, 83, 1, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_LINUX},
    {"mig-580.txt", "0", "NVIDIA H100 80GB HBM3", "h100-sxm", 81559, -1, 87, -1, -1, 0, true, KVB_MACHINE_SMI_TABLE,
     KVB_PLATFORM_LINUX},
    {"mig-580.txt", "0:1", "NVIDIA H100 80GB HBM3", "h100-sxm", 40448, 40448, 20528, 19920, -1, 1, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_LINUX},
    {"collapsed-580.txt", "0:0", "NVIDIA H100 80GB HBM3", "h100-sxm", 40448, 40448, 44, 40404, -1, 0, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_LINUX},
    {"wsl-560.txt", "0", "NVIDIA GeForce RTX 4090", "rtx4090", 24564, 24564, 1523, 23041, 3, 1, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_WSL2},
    {"windows-610.txt", "0", "NVIDIA GeForce RTX 3090", "rtx3090", 24576, 24576, 980, 23596, 39, 0, false,
     KVB_MACHINE_SMI_TABLE, KVB_PLATFORM_WINDOWS},
    {"unified-580.txt", "0", "NVIDIA GB10", "gb10", -1, -1, -1, -1, 0, 0, false, KVB_MACHINE_SMI_TABLE,
     KVB_PLATFORM_LINUX},
    {"query.csv", "0", "NVIDIA A100-SXM4-80GB", "a100-sxm-80", 81920, 81265, 34332, 46933, 100, 1, false,
     KVB_MACHINE_SMI_CSV, KVB_PLATFORM_LINUX},
    {"query-nounits.csv", "1", "NVIDIA H200", "h200", 143771, -1, -1, -1, -1, 0, false, KVB_MACHINE_SMI_CSV,
     KVB_PLATFORM_LINUX},
    {"query.xml", "0:0", "NVIDIA H100 80GB HBM3", "h100-sxm", 40448, 40448, 298, 40151, -1, 1, false,
     KVB_MACHINE_SMI_XML, KVB_PLATFORM_LINUX},
    {"query.xml", "1", "NVIDIA H100 80GB HBM3", "h100-sxm", 81559, 81079, 0, 81078, 7, 0, false, KVB_MACHINE_SMI_XML,
     KVB_PLATFORM_LINUX},
    {"query.txt", "0:0", "NVIDIA A100-SXM4-80GB", "a100-sxm-80", 19968, 19968, 25, 19943, -1, 1, false,
     KVB_MACHINE_SMI_QUERY, KVB_PLATFORM_LINUX},
    {"query.txt", "0", "NVIDIA A100-SXM4-80GB", "a100-sxm-80", 81920, 81265, 50, 81215, -1, 0, true,
     KVB_MACHINE_SMI_QUERY, KVB_PLATFORM_LINUX},
    {"rocm-smi.json", "1", "AMD Instinct MI300X", "mi300x", -2, -2, -2, -2, 0, 0, false, KVB_MACHINE_ROCM_SMI,
     KVB_PLATFORM_LINUX},
    {"amd-smi.json", "0", "", "", 196592, 196592, 17153, 179439, 94, 0, false, KVB_MACHINE_AMD_SMI, KVB_PLATFORM_LINUX},
    {"amd-smi.json", "1", "", "", 196592, 196592, 284, 196308, -1, 0, false, KVB_MACHINE_AMD_SMI, KVB_PLATFORM_LINUX},
};

static const struct kvb_device *device_called(const char *label)
{
    for (uint32_t i = 0; i < machine.count; i++) {
        char text[32];
        if (strcmp(kvb_device_label(text, &machine.devices[i]), label) == 0) {
            return &machine.devices[i];
        }
    }
    return NULL;
}

// -2: not looked at here.
static void check_figure(const struct expected *row, const char *what, int64_t expected, const struct kvb_figure *got)
{
    int64_t value = got->known ? (int64_t)(got->value / KVB_MIB) : -1;
    if (expected != -2 && value != expected) {
        fail_msg("%s GPU %s: %s %lld, expected %lld", row->file, row->label, what, (long long)value,
                 (long long)expected);
    }
}

static void check_row(const struct expected *row)
{
    if (load(row->file) != KVB_OK) {
        fail_msg("%s: %s", row->file, problems.items[0].text);
    }
    const struct kvb_device *device = device_called(row->label);
    if (device == NULL) {
        fail_msg("%s has no GPU %s", row->file, row->label);
        return;
    }
    assert_int_equal(machine.source, row->source);
    assert_int_equal(machine.platform, row->platform);
    assert_string_equal(device->name, row->name);
    assert_string_equal(device->recognised ? device->gpu.id : "", row->profile);
    check_figure(row, "total", row->total, &device->total_bytes);
    check_figure(row, "used", row->used, &device->used_bytes);
    if (!row->mig_enabled) {
        check_figure(row, "free", row->free_mib, &device->free_bytes);
    }
    int64_t load_percent = device->load_percent.known ? (int64_t)device->load_percent.value : -1;
    assert_int_equal(load_percent, row->load);
    assert_int_equal(device->process_total, row->processes);
    assert_int_equal(device->mig_enabled, row->mig_enabled);
    const struct kvb_figure memory = {.known = true, .value = device->gpu.memory_bytes};
    check_figure(row, "CUDA total", row->memory < 0 ? -2 : row->memory, &memory);
}

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_row(&rows[i]);
    }
}

static void test_bytes_of_rocm(void **state)
{
    (void)state;
    assert_int_equal(load("rocm-smi.json"), KVB_OK);
    assert_int_equal(machine.devices[0].total_bytes.value, UINT64_C(206141652992));
    assert_int_equal(machine.devices[0].used_bytes.value, UINT64_C(150323855360));
    assert_int_equal(machine.devices[0].free_bytes.value, UINT64_C(206141652992) - UINT64_C(150323855360));
    assert_int_equal(machine.vendor, KVB_VENDOR_AMD);
    assert_string_equal(machine.driver, "6.10.5");
}

static void test_processes(void **state)
{
    (void)state;
    static const struct {
        const char *file, *label, *name;
        uint32_t pid;
        int64_t mib;
        bool graphics;
    } processes[] = {
        {"shared-node-535.txt", "3", "my tool with blanks", 790113, 2562, false},
        {"old-418.txt", "1", "python", 21807, 15360, false},
        {"mig-580.txt", "0:1", "python3", 4711, 20464, false},
        {"wsl-560.txt", "0", "/Xwayland", 33, -1, true},
        {"query.csv", "0", "python3", 812034, 34318, false},
        {"query.xml", "0:0", "/usr/bin/a & b", 999, 270, false},
        {"query.txt", "0:0", "python", 4242, 18, false},
    };
    for (size_t i = 0; i < sizeof processes / sizeof processes[0]; i++) {
        assert_int_equal(load(processes[i].file), KVB_OK);
        const struct kvb_device *device = device_called(processes[i].label);
        assert_non_null(device);
        const struct kvb_device_process *process = &device->processes[0];
        assert_string_equal(process->name, processes[i].name);
        assert_int_equal(process->pid, processes[i].pid);
        assert_int_equal(process->used_bytes.known ? (int64_t)(process->used_bytes.value / KVB_MIB) : -1,
                         processes[i].mib);
        assert_int_equal(process->graphics, processes[i].graphics);
    }
}

#define GPU_ROW "|   0  NVIDIA A100-SXM4-80GB   On  | 00000000:07:00.0 Off |    0 |\n"
#define MEMORY_ROW "| N/A   30C    P0   61W / 400W | 4MiB / 81920MiB | 0%   Default |\n"

// What is wrong, where, and what would be right.
static const struct {
    const char *text;
    uint32_t line, column;
    const char *sentence;
} mistakes[] = {
    {"", 0, 0, "the text is empty; expected the output of nvidia-smi"},
    {"hello\n", 1, 0,
     "this is no output of nvidia-smi, rocm-smi or amd-smi that is known here; expected the plain table of nvidia-smi, "
     "nvidia-smi -q (-x), --query-gpu=index,name,memory.total,memory.used --format=csv with its first line, or "
     "rocm-smi or amd-smi --json"},
    {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", 1, 0,
     "the tool itself failed on that machine: 'NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
     "driver.'"},
    {"| NVIDIA-SMI 535.1   Driver Version: 535.1 |\n", 0, 0,
     "no GPU in this table; expected rows such as '|   0  NVIDIA A100-SXM4-80GB   On  | 00000000:07:00.0 Off |'"},
    {"Memory-Usage\n" GPU_ROW, 2, 0,
     "GPU 0 has no row with its memory; expected one such as '| N/A  30C  P0  61W / 400W | 4MiB / 81920MiB | 0% "
     "Default |' below this line"},
    {"Memory-Usage\n" GPU_ROW "| N/A 30C | 4MiB / manyMiB | 0% |\n", 3, 20,
     "total memory: expected a size such as 81920MiB, or N/A; found 'manyMiB'"},
    {"Memory-Usage\n" GPU_ROW "| N/A 30C | 4MiB | 0% |\n", 3, 13,
     "expected the memory of GPU 0 as 'USEDMiB / TOTALMiB'; found '4MiB'"},
    {"Memory-Usage\n" GPU_ROW MEMORY_ROW GPU_ROW MEMORY_ROW, 4, 5, "GPU 0 is listed twice"},
    {"Memory-Usage\n" GPU_ROW "| N/A 30C | 99999MiB / 81920MiB | 0% |\n", 0, 0,
     "GPU 0 has 99999 MiB in use of 81920 MiB; a part cannot exceed the total"},
    {"Memory-Usage\n" GPU_ROW MEMORY_ROW "| MIG devices: |\n| 5 1 0 0 | 1MiB / 2MiB |\n", 5, 0,
     "MIG slice of a GPU 5 that is not in the table above"},
    {"Memory-Usage\n" GPU_ROW MEMORY_ROW "| Processes: |\n| 0 N/A N/A x12 C python 5MiB |\n", 5, 13,
     "expected the number of a process; found 'x12'"},
    {"index, name, memory.used [MiB]\n0, A, 1 MiB\n", 1, 0,
     "no column memory.total; ask for it with nvidia-smi "
     "--query-gpu=index,name,memory.total,memory.used,memory.free --format=csv"},
    {"index, memory.total [MiB]\n", 0, 0, "no GPU below the line of column names"},
    {"index, memory.total [MiB]\n0\n", 2, 0, "expected 2 columns as in the first line; found 1"},
    {"index, memory.total [MiB]\n0, 5 MiB, 7\n", 2, 0, "more than the 2 columns of the first line"},
    {"index, memory.total [MiB]\nzero, 5 MiB\n", 2, 1, "index: expected the number of a GPU; found 'zero'"},
    {"index, memory.total [MiB]\n0, lots\n", 2, 4,
     "memory.total: expected a size such as 81920MiB, or N/A; found 'lots'"},
    {"index, memory.total [MiB]\n0, 5 MiB\n0, 5 MiB\n", 3, 1, "GPU 0 is listed twice"},
    {"<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n", 3, 1,
     "the document ends before its elements are closed; the output is cut"},
    {"<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<gpu", 3, 1, "a '<' without its '>'; the output is cut"},
    {"<nvidia_smi_log>\n</gpu>", 2, 1, "this element closes what is not open; the output seems to be cut or mixed"},
    {"<nvidia_smi_log></nvidia_smi_log>", 1, 34, "no <gpu> in this document"},
    {"<nvidia_smi_log><gpu id=\"0\">\n<fb_memory_usage>\n<total>9 "
     "lots</total></fb_memory_usage></gpu></nvidia_smi_log>",
     3, 0, "total: expected a size such as 81920MiB, or N/A; found '9 lots'"},
    {"==============NVSMI LOG==============\nDriver Version : 1\n", 0, 0,
     "no GPU in this output; expected lines such as 'GPU 00000000:07:00.0'"},
    {"==NVSMI LOG==\nGPU 00000000:07:00.0\n    FB Memory Usage\n        Total : 9 lots\n", 4, 17,
     "Total: expected a size such as 81920MiB, or N/A; found '9 lots'"},
    {"{\"card0\": {\"VRAM Total Memory (B)\": \"many\"}}", 1, 37, "expected a size; found 'many'"},
    {"{\"system\": {}}", 1, 1,
     "no GPU in this JSON; expected the output of 'rocm-smi --showproductname --showmeminfo vram --showuse --json' or "
     "'amd-smi metric --json'"},
    {"[{\"gpu\": \"x\"}]", 1, 10, "gpu: expected the number of a GPU; found 'x'"},
    {"[{\"gpu\": 0}, {\"gpu\": 0}]", 1, 14, "GPU 0 is listed twice"},
    {"[{\"gpu\": 4294967295}]", 1, 10, "gpu: expected the number of a GPU; found '4294967295'"},
    {"{\"gpu_data\": 5}", 1, 1,
     "no GPU in this JSON; expected the output of 'rocm-smi --showproductname --showmeminfo vram --showuse --json' or "
     "'amd-smi metric --json'"},
    {"{\"card4294967295\": {\"Driver version\": [1]}, \"cardx\": {}, \"card0\": []}", 1, 1,
     "no GPU in this JSON; expected the output of 'rocm-smi --showproductname --showmeminfo vram --showuse --json' or "
     "'amd-smi metric --json'"},
    {"index, memory.total [MiB]\n4294967296, 5 MiB\n", 2, 1, "index: expected the number of a GPU; found '4294967296'"},
    // of what is found no more than 40 letters are shown
    {"index, memory.total [MiB]\n0123456789abcdefghijABCDEFGHIJ0123456789, 5 MiB\n", 2, 1,
     "index: expected the number of a GPU; found '0123456789abcdefghijABCDEFGHIJ0123456789'"},
    {"index, memory.total [MiB]\n0123456789abcdefghijABCDEFGHIJ0123456789xyz, 5 MiB\n", 2, 1,
     "index: expected the number of a GPU; found '0123456789abcdefghijABCDEFGHIJ0123456789'"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        enum kvb_status status = read_text(mistakes[i].text);
        const struct kvb_problem *problem = &problems.items[0];
        bool right = problems.count == 1 && problem->line == mistakes[i].line &&
                     problem->column == mistakes[i].column && strcmp(problem->text, mistakes[i].sentence) == 0;
        if (!right || kvb_status_exit_code(status) != 3) {
            fail_msg("mistake %zu: status %d, %u problems, %u:%u: %s", i, (int)status, (unsigned)problems.count,
                     (unsigned)problem->line, (unsigned)problem->column, problem->text);
        }
        assert_string_equal(problem->file, "smi.txt");
        assert_int_equal(machine.count, 0); // untouched
    }
}

// A table under `nvidia-smi -l` or watch: the last one counts.
static void test_repeated_table(void **state)
{
    (void)state;
#define HEADER "| NVIDIA-SMI 535.1   Driver Version: 535.1   CUDA Version: 12.2 |\n"
    assert_int_equal(read_text(HEADER GPU_ROW MEMORY_ROW HEADER GPU_ROW
                               "| N/A   30C    P0   61W / 400W | 500MiB / 81920MiB | 9%   Default |\n"),
                     KVB_OK);
    assert_int_equal(machine.count, 1);
    assert_int_equal(machine.devices[0].used_bytes.value, 500 * KVB_MIB);
    assert_int_equal(machine.platform, KVB_PLATFORM_LINUX);
}

// Used and free without a total, once a second: the last reading counts, and their sum is the card.
static void test_repeated_csv(void **state)
{
    (void)state;
    assert_int_equal(read_text("timestamp, memory.used [MiB], memory.free [MiB]\n"
                               "2025/11/22 05:06:07.123, 500 MiB, 24000 MiB\n"
                               "2025/11/22 05:06:08.123, 600 MiB, 23900 MiB\n"),
                     KVB_OK);
    assert_int_equal(machine.count, 1);
    assert_int_equal(machine.devices[0].used_bytes.value, 600 * KVB_MIB);
    assert_int_equal(machine.devices[0].total_bytes.value, 24500 * KVB_MIB);
}

// What the long forms and the CSV say beside the figures, and what they leave out.
static void test_words(void **state)
{
    (void)state;
    assert_int_equal(read_text("==NVSMI LOG==\nGPU 00000000:07:00.0\n    Product Name : A\n    Driver Model\n"
                               "        Current : WDDM\n    MIG Mode\n        Current : N/A\n"
                               "    FB Memory Usage\n        Total : 100 MiB\n        Used : N/A\n"
                               "    Utilization\n        GPU : 12 %\n    Processes : None\n"),
                     KVB_OK);
    assert_int_equal(machine.platform, KVB_PLATFORM_WINDOWS);
    assert_int_equal(machine.devices[0].load_percent.value, 12);
    assert_false(machine.devices[0].used_bytes.known);
    assert_int_equal(machine.devices[0].gpu.memory_bytes, 100 * KVB_MIB);
    assert_int_equal(read_text("index, name, memory.total [MiB], memory.free [MiB], driver_model.current, "
                               "mig.mode.current, pci.bus_id\n0, A, 100 MiB, 40 MiB, TCC, Enabled, 0:1\n\n"
                               "pid, name, used_memory [MiB], gpu_bus_id, type\n1, p, 3 MiB, 0:1, C\n"
                               "2, q, [N/A], 0:2, C\n"),
                     KVB_OK);
    assert_int_equal(machine.platform, KVB_PLATFORM_WINDOWS);
    assert_true(machine.devices[0].mig_enabled);
    assert_int_equal(machine.devices[0].used_bytes.value, 60 * KVB_MIB); // total less free
    assert_int_equal(machine.devices[0].process_count, 1);               // the other is of no GPU here
    // under Linux there is no driver model; loads with and without their sign, and one that is none
    assert_int_equal(read_text("index, memory.total [MiB], utilization.gpu [%], driver_model.current\n"
                               "0, 100 MiB, 7 %, [N/A]\n1, 100 MiB, 8%, [N/A]\n2, 100 MiB, %, [N/A]\n"),
                     KVB_OK);
    assert_int_equal(machine.platform, KVB_PLATFORM_LINUX);
    assert_int_equal(machine.devices[0].load_percent.value, 7);
    assert_int_equal(machine.devices[1].load_percent.value, 8);
    assert_false(machine.devices[2].load_percent.known);
    // used or free without the other is no total; a process by the GPU's own name, or of one that has none
    assert_int_equal(
        read_text("index, memory.used [MiB], memory.free [MiB], uuid\n0, 5 MiB, [N/A], GPU-1\n"
                  "1, [N/A], 5 MiB, \n\n"
                  "pid, used_memory [MiB], gpu_uuid, gpu_bus_id\n99999999999, 3 MiB, GPU-1, 0:9\nx, 4 MiB, "
                  "GPU-1, 0:9\n7, 4 MiB, GPU-2, 0:9\n"),
        KVB_OK);
    assert_false(machine.devices[0].total_bytes.known);
    assert_false(machine.devices[1].total_bytes.known);
    assert_int_equal(machine.devices[0].process_count, 2);
    assert_int_equal(machine.devices[0].processes[0].pid, 0); // no number of a process
    assert_int_equal(machine.devices[0].processes[1].pid, 0);
    assert_int_equal(machine.devices[1].process_count, 0);
}

static void test_json_shapes(void **state)
{
    (void)state;
    assert_int_equal(read_text("{\"gpu_data\": [{\"gpu\": 3, \"vram_total\": {\"value\": 196592, \"unit\": \"MB\"}, "
                               "\"vram_used\": {\"value\": 92, \"unit\": \"MB\"}, \"uuid\": \"u\"}]}"),
                     KVB_OK);
    assert_int_equal(machine.devices[0].index, 3);
    assert_int_equal(machine.devices[0].free_bytes.value, 196500 * KVB_MIB);
    assert_int_equal(read_text("[{\"asic\": {\"market_name\": \"AMD Instinct MI300X\"}, "
                               "\"vram\": {\"size\": {\"value\": 196592, \"unit\": \"MB\"}}}, {}]"),
                     KVB_OK);
    assert_string_equal(machine.devices[0].gpu.id, "mi300x");
    assert_false(machine.devices[0].free_bytes.known);
    assert_false(kvb_device_usable(&machine.devices[1])); // nothing is said of it
    assert_int_equal(read_text("{\"card0\": {\"VRAM Total Memory (B)\": \"N/A\"}, \"card1\": 5}"), KVB_OK);
    assert_int_equal(machine.count, 1);
    assert_int_equal(read_text("{\"system\": {\"Driver version\": \"6.1\"}, \"other\": {}, \"card2\": "
                               "{\"VRAM Total Memory (B)\": \"1048576\", \"Card Series\": \"0x74a1\"}}"),
                     KVB_OK);
    assert_string_equal(machine.driver, "6.1");
    assert_int_equal(machine.devices[0].index, 2);
    assert_string_equal(machine.devices[0].name, ""); // a number is no name
    assert_int_equal(machine.devices[0].total_bytes.value, KVB_MIB);
    // a number that is no scalar is none: the place in the list counts; so for a size
    assert_int_equal(
        read_text("[{\"gpu\": [7], \"vram_total\": {\"value\": [5]}}, {\"vram_total\": [5]}, {\"gpu\": 9}, "
                  "5]"),
        KVB_OK);
    static const uint32_t indexes[] = {0, 1, 9, 10};
    assert_int_equal(machine.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(machine.devices[i].index, indexes[i]);
        assert_false(machine.devices[i].total_bytes.known);
    }
    assert_int_equal(read_text("{\"card0\": {"), KVB_BAD_SYNTAX);
    assert_int_equal(read_text("5\n{\n"), KVB_BAD_SYNTAX);
}

static void test_deep(void **state)
{
    (void)state;
    static char text[4096];
    (void)snprintf(text, sizeof text, "<nvidia_smi_log>");
    for (size_t i = 0; i < 40; i++) {
        (void)strncat(text, "<a>", sizeof text - strlen(text) - 1);
    }
    assert_int_equal(read_text(text), KVB_BAD_SYNTAX);
    assert_string_equal(problems.items[0].text, "elements nested deeper than nvidia-smi writes them");
    (void)snprintf(text, sizeof text, "==NVSMI LOG==\n");
    for (size_t i = 0; i < 20; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%*sA\n", (int)i, "");
    }
    assert_int_equal(read_text(text), KVB_BAD_SYNTAX);
    assert_string_equal(problems.items[0].text, "sections nested deeper than 12");
    assert_int_equal(read_text("<nvidia_smi_log><mig_device></mig_device></nvidia_smi_log>"), KVB_BAD_SYNTAX);
    assert_string_equal(problems.items[0].text, "a MIG slice outside a GPU");
}

// Line ends of Windows, a byte-order mark, and a quotation in front of every line.
static void test_pasted(void **state)
{
    (void)state;
    assert_int_equal(read_text("\xEF\xBB\xBF" HEADER "> " GPU_ROW "> " MEMORY_ROW), KVB_OK);
    assert_int_equal(machine.count, 1);
    assert_int_equal(read_text("index, memory.total [MiB]\r\n0, 24564 MiB\r\n"), KVB_OK);
    assert_int_equal(machine.devices[0].total_bytes.value, 24564 * KVB_MIB);
}

static void test_not_text(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_machine_read("x", "a\0b", 3, &machine, &problems), KVB_BAD_SYNTAX);
    static const char wide[] = "\xFF\xFE"
                               "|\0 \0"
                               "0\0 \0"
                               "A\0"
                               "|\0"
                               "0\0:\0"
                               "1\0|\0\r\0\n\0"
                               "|\0N\0|\0"
                               "1\0M\0i\0"
                               "B\0 \0/\0"
                               "2\0M\0i\0"
                               "B\0|\0\xE9\x01";
    kvb_problems_init(&problems); // as PowerShell writes it
    assert_int_equal(kvb_machine_read("x", wide, sizeof wide - 1, &machine, &problems), KVB_OK);
    assert_int_equal(machine.devices[0].total_bytes.value, 2 * KVB_MIB);
    for (unsigned long n = 1; n < 4; n++) {
        kvb_problems_init(&problems);
        kvb_memory_fail_after(n);
        assert_int_equal(kvb_machine_read("x", wide, sizeof wide - 1, &machine, &problems) == KVB_OK, n > 2);
        kvb_memory_fail_after(0);
    }
    char many[65 * 160] = "Memory-Usage\n";
    for (unsigned i = 0; i < 65; i++) {
        size_t used = strlen(many);
        (void)snprintf(many + used, sizeof many - used, "| %u A | 0:1 |\n| N | 1MiB / 2MiB |\n", i);
    }
    assert_int_equal(read_text(many), KVB_BAD_SYNTAX);
    assert_string_equal(problems.items[0].text, "more than 64 GPUs and MIG slices");
}

// A file cut anywhere is refused or read, never more.
static void test_cut_anywhere(void **state)
{
    (void)state;
    static char text[16384];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (i > 0 && strcmp(rows[i].file, rows[i - 1].file) == 0) {
            continue;
        }
        char path[512];
        (void)snprintf(path, sizeof path, "%s/tests/fixtures/smi/%s", KVB_SOURCE_DIR, rows[i].file);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t length = fread(text, 1, sizeof text, file);
        (void)fclose(file);
        for (size_t cut = 0; cut < length; cut += 7) {
            char *copy = kvb_reallocate(NULL, cut + 1);
            memcpy(copy, text, cut);
            kvb_problems_init(&problems);
            enum kvb_status status = kvb_machine_read("cut", copy, cut, &machine, &problems);
            assert_true((status == KVB_OK) == (problems.count == 0));
            kvb_free(copy);
        }
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const files[] = {"shared-node-535.txt", "query.xml", "rocm-smi.json"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (unsigned long n = 1; n < 60; n++) {
            kvb_memory_fail_after(n);
            enum kvb_status status = load(files[i]);
            kvb_memory_fail_after(0);
            assert_true(status == KVB_OK || status == KVB_NO_MEMORY);
            assert_true(n > 1 || status == KVB_NO_MEMORY);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KVB_MACHINE_SOURCE_COUNT; i++) {
        assert_true(strlen(kvb_machine_source_name((enum kvb_machine_source)i)) > 3);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_bytes_of_rocm), cmocka_unit_test(test_processes),
              cmocka_unit_test(test_mistakes), cmocka_unit_test(test_repeated_table),
              cmocka_unit_test(test_repeated_csv), cmocka_unit_test(test_pasted), cmocka_unit_test(test_not_text),
              cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_no_memory), cmocka_unit_test(test_names),
              cmocka_unit_test(test_words), cmocka_unit_test(test_json_shapes), cmocka_unit_test(test_deep))
